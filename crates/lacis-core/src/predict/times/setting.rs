//! What all threads share, and the tally of one.

use std::sync::atomic::{AtomicBool, Ordering};

use super::outcome::PhaseTime;
use super::request::TimesRequest;
use crate::model::load::{LinkId, Paths};
use crate::predict::by_lane::ByLane;
use crate::traffic::Traffic;

/// What all threads share.
pub(super) struct TimesSetting<'a> {
    pub paths: &'a Paths<'a>,
    pub traffic: &'a Traffic<'a>,
    pub request: &'a TimesRequest,
    pub by_lane: Option<ByLane>,
    /// By link [bytes/s], then by host for messages inside it.
    pub rates: &'a [f64],
    pub stop: &'a AtomicBool,
}

impl TimesSetting<'_> {
    /// A link, or with lanes its channel for messages of a service level, where the tables assign no lanes.
    pub(super) fn by_level(&self, link: LinkId, sl: u8) -> LinkId {
        self.by_lane.as_ref().map_or(link, |by_lane| by_lane.channel(link, sl))
    }

    /// The link of a channel, or the link itself.
    pub(super) fn link(&self, channel: LinkId) -> LinkId {
        self.by_lane.as_ref().map_or(channel, |by_lane| by_lane.shares.link(channel))
    }

    pub(super) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// The tally of one thread.
#[derive(Default)]
pub(super) struct TimesTally {
    pub phases: Vec<(usize, PhaseTime)>,
    pub completion: Vec<(f64, u64)>,
    pub inside: u64,
    pub unrouted: u64,
    pub skipped: u64,
    pub events: u64,
    pub on_link: Vec<u64>,
    pub gap: f64,
}

impl TimesTally {
    pub(super) fn merge(mut self, other: Self) -> Self {
        self.phases.extend(other.phases);
        self.completion.extend(other.completion);
        self.inside += other.inside;
        self.unrouted += other.unrouted;
        self.skipped += other.skipped;
        self.events += other.events;
        self.gap = self.gap.max(other.gap);
        self.on_link.iter_mut().zip(other.on_link).for_each(|(a, b)| *a = a.saturating_add(b));
        self
    }
}

/// Values in ascending order, equal ones together.
pub(super) fn counted(mut values: Vec<(f64, u64)>) -> Vec<(f64, u64)> {
    values.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    values.dedup_by(|next, kept| {
        let same = next.0.to_bits() == kept.0.to_bits();
        if same {
            kept.1 += next.1;
        }
        same
    });
    values
}
