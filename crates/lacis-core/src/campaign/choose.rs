//! Choosing rounds greedily: each time the one that splits most classes, without contention where that is possible.
//!
//! One flow that two suspects do not share tells them apart, but a single flow may be an outlier. Once rounds split all
//! classes, further ones are chosen as if these were not there, until all classes are split as many times over as flows are
//! to cross every suspect.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::candidates::Order;
use super::columns::Columns;
use super::{Campaign, Goal, Kind, Round};
use crate::model::load::{LinkId, Paths, Steps};
use crate::traffic::{Flow, Participants};

/// Draws of new candidates at random that may pass without a gain.
const PATIENCE: u64 = 4;

/// A campaign for the hosts of one rail. `given` rounds are measured already or will be; others are added until no two
/// suspects that can be told apart are alike, several times over, and enough flows cross each. Nothing where `stop` was set.
pub fn choose(
    stop: &AtomicBool,
    paths: &Paths<'_>,
    who: &Participants,
    given: &[Vec<Flow>],
    goal: &Goal,
) -> Option<Campaign> {
    choose_about(stop, paths, who, given, goal, None)
}

/// The same for some suspects alone.
pub fn choose_about(
    stop: &AtomicBool,
    paths: &Paths<'_>,
    who: &Participants,
    given: &[Vec<Flow>],
    goal: &Goal,
    about: Option<&[LinkId]>,
) -> Option<Campaign> {
    let (finest, unrouted) = Columns::of_all_pairs(paths);
    let mut suspects = finest.crossed();
    suspects.retain(|link| about.is_none_or(|about| about.contains(link)));
    let best = finest.classes(&suspects);
    let mut now = State::new(paths, &suspects, goal.crossings, best);
    for flows in given {
        now.take(Kind::Given, flows.clone());
    }
    let order = Order::of(who);
    let (mut draw, mut idle) = (0, 0);
    while now.rounds.len() < goal.rounds + given.len() && idle < PATIENCE && !now.is_done() {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        if let Some((kind, flows)) = now.next(&order, goal.seed, draw) {
            now.take(kind, flows);
            idle = 0;
        } else {
            idle += 1;
            // No round that is left splits all classes again: flows over links still count.
            if idle == PATIENCE && now.splits < goal.crossings {
                (now.splits, idle) = (goal.crossings, 0);
            }
        }
        draw += 1;
    }
    Some(Campaign {
        suspects: suspects.len(),
        finest: best,
        classes: now.classes(),
        inseparable: now.columns.inseparable(&suspects, &finest),
        uncrossed: suspects.iter().filter(|&&link| now.columns.crossings[link as usize] == 0).count(),
        least_crossings: suspects.iter().map(|&link| now.columns.crossings[link as usize]).min().unwrap_or(0),
        rounds: now.rounds,
        unrouted,
    })
}

/// The rounds so far.
struct State<'a> {
    paths: &'a Paths<'a>,
    suspects: &'a [LinkId],
    wanted: u32,
    best: usize,
    columns: Columns,
    /// The same, but fingerprints only of the rounds since all classes were split last.
    since: Columns,
    /// How often rounds split all classes by themselves.
    splits: u32,
    rounds: Vec<Round>,
}

/// What a candidate would bring; the greatest is best.
type Gain = (bool, usize, u64, Reverse<u32>, Reverse<usize>);

impl<'a> State<'a> {
    fn new(paths: &'a Paths<'a>, suspects: &'a [LinkId], wanted: u32, best: usize) -> Self {
        let columns = Columns::new(paths.links().len());
        let since = columns.clone();
        Self { paths, suspects, wanted, best, columns, since, splits: 0, rounds: Vec::new() }
    }

    fn classes(&self) -> usize {
        self.columns.classes(self.suspects)
    }

    /// Crossings that suspects still lack.
    fn lacking(&self, columns: &Columns) -> u64 {
        let lacks = |&link: &LinkId| u64::from(self.wanted.saturating_sub(columns.crossings[link as usize]));
        self.suspects.iter().map(lacks).sum()
    }

    fn is_done(&self) -> bool {
        self.splits >= self.wanted && self.lacking(&self.columns) == 0
    }

    /// These rounds and one more.
    fn add(&self, to: &Columns, flows: &[Flow]) -> (Columns, u32) {
        let mut steps = Steps::default();
        let mut columns = to.clone();
        self.paths.steps(flows, &mut steps);
        let (contention, _) = columns.add(flows, &steps);
        (columns, contention)
    }

    fn take(&mut self, kind: Kind, flows: Vec<Flow>) {
        let (columns, contention) = self.add(&self.columns, &flows);
        self.columns = columns;
        self.since = self.add(&self.since, &flows).0;
        if self.since.progress(self.suspects) == self.suspects.len() + self.best {
            self.since.prints.fill(0);
            self.splits += 1;
        }
        let classes = self.classes();
        self.rounds.push(Round { kind, flows, contention, classes });
    }

    /// The best candidate that splits a class or, once all are split, crosses what lacks flows.
    fn next(&self, order: &Order, seed: u64, draw: u64) -> Option<(Kind, Vec<Flow>)> {
        let (before, lacking) = (self.since.progress(self.suspects), self.lacking(&self.since));
        let splits_wanted = self.splits < self.wanted;
        let gain = |(index, &kind): (usize, &Kind)| -> (Gain, Kind, Vec<Flow>) {
            let flows = order.flows(kind);
            let (columns, contention) = self.add(&self.since, &flows);
            let splits = columns.progress(self.suspects).saturating_sub(before);
            let crosses = lacking - self.lacking(&columns);
            let brings = if splits_wanted { splits > 0 } else { crosses > 0 };
            let main = if splits_wanted { splits } else { usize::from(brings) };
            ((brings && contention <= 1, main, crosses, Reverse(contention), Reverse(index)), kind, flows)
        };
        let mut kinds = order.kinds(seed, draw);
        kinds.retain(|kind| self.rounds.iter().all(|round| round.kind != *kind)); // other flows say more than the same
        let all: Vec<_> = kinds.par_iter().enumerate().map(gain).collect();
        let (gain, kind, flows) = all.into_iter().max_by(|a, b| a.0.cmp(&b.0))?;
        (gain.1 > 0).then_some((kind, flows))
    }
}
