//! The lanes on which flows cross their links.

use crate::quality::Quality;
use crate::traffic::Flow;

use super::{LinkId, Paths, SINK, Steps};

/// What a flow asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ask {
    /// The number that selects the receiver's LID, as [`super::Multipath::choice`] tells it.
    pub choice: u32,
    /// The service level; tables with lanes of their own decide it themselves.
    pub sl: u8,
}

impl Paths<'_> {
    /// Writes `channel(link, lane)` for every link of `steps`, which are those of `flows`, over what `out` held.
    pub fn channels(
        &self,
        flows: &[Flow],
        steps: &Steps,
        quality: &Quality,
        ask: impl Fn(usize) -> Ask,
        channel: impl Fn(LinkId, u8) -> LinkId,
        out: &mut Steps,
    ) {
        out.clone_from(steps);
        let n = flows.len();
        let count = out.links.len() / n.max(1);
        let Some(lanes) = &self.routes().lanes else {
            for step in out.links.chunks_exact_mut(n.max(1)) {
                for (f, link) in step.iter_mut().enumerate().filter(|(_, link)| **link != SINK) {
                    *link = channel(*link, quality.lane(ask(f).sl));
                }
            }
            return;
        };
        let num_lanes = lanes.num_lanes() as u8;
        for (f, flow) in flows.iter().enumerate() {
            let Some((_, home)) = self.home_of(flow.from) else { continue };
            let to = self.ports()[flow.to as usize];
            let choice = ask(f).choice & ((1 << self.lmc(to)) - 1);
            let sl = lanes.sl(home, self.routes().lids.base(to) + choice);
            let mut came = None;
            // Up, then between switches, then down.
            for step in [0].into_iter().chain(2..count).chain([1]) {
                let link = &mut out.links[step * n + f];
                if *link == SINK {
                    continue;
                }
                let egress = self.links().egress(*link);
                let lane = match came {
                    None => sl % num_lanes,
                    Some(input) => {
                        let [from, to] = [input, egress].map(|port| self.fabric().number_of(port));
                        lanes.vl(self.fabric().node_of(egress), from, to, sl)
                    }
                };
                came = self.fabric().peer(egress);
                *link = channel(*link, lane);
            }
        }
    }
}
