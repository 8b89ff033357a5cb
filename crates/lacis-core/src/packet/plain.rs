//! What most simulations do without: several lanes, tables of weights, preemption, congestion control,
//! inputs that one output reads at a time, switches of 64 ports and more.
//!
//! Each of these is a question at every packet, and together they are a fifth of the work. So the simulator is
//! compiled twice: once `PLAIN`, where the answers are known, and once for all there is.

use super::program::Program;
use super::settings::{Queueing, Reads, Settings};
use super::{Network, Simulator};

/// Whether a simulation has none of it.
pub(super) fn is_plain(net: &Network<'_>, set: &Settings) -> bool {
    let quality = &set.quality;
    quality.num_lanes(net.routes.lanes.as_ref()) == 1
        && words(net) == 1
        && (set.queueing, set.reads) == (Queueing::Virtual, Reads::Many)
        && quality.arbitration.is_none()
        && set.throttle.is_none()
}

/// Words of a set of ports of a switch.
pub(super) fn words(net: &Network<'_>) -> usize {
    net.radix.div_ceil(64)
}

impl<P: Program, const PLAIN: bool> Simulator<'_, P, PLAIN> {
    /// Lanes of a link.
    #[inline]
    pub(super) fn num_lanes(&self) -> usize {
        if PLAIN { 1 } else { self.num_lanes }
    }

    /// The place of a lane of an output among all.
    #[inline]
    pub(super) fn link(&self, output: u32, lane: usize) -> usize {
        output as usize * self.num_lanes() + lane
    }

    /// Words of a set of ports of a switch.
    #[inline]
    pub(super) fn words(&self) -> usize {
        if PLAIN { 1 } else { self.words }
    }

    /// How packets wait at an input.
    #[inline]
    pub(super) fn queueing(&self) -> Queueing {
        if PLAIN { Queueing::Virtual } else { self.set.queueing }
    }

    /// Whether all packets of a queue leave by the same lane of the same output.
    #[inline]
    pub(super) fn is_uniform(&self) -> bool {
        self.num_lanes() == 1 && self.queueing() == Queueing::Virtual
    }

    /// Whether one output at a time reads an input.
    #[inline]
    pub(super) fn reads_one(&self) -> bool {
        !PLAIN && self.set.reads == Reads::One
    }

    /// Whether lanes have weights; otherwise they take turns.
    #[inline]
    pub(super) fn arbitrates(&self) -> bool {
        !PLAIN && !self.arbiters.is_empty()
    }

    /// Whether packets may be interrupted.
    #[inline]
    pub(super) fn preempts(&self) -> bool {
        !PLAIN && self.preemption.is_some()
    }

    /// Whether senders slow down for marked packets.
    #[inline]
    pub(super) fn throttles(&self) -> bool {
        !PLAIN && self.throttling.is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::super::{Device, Outcome, Program, Streams, run};
    use super::*;
    use crate::generate::generate;
    use crate::lids::{LidOptions, Lids};
    use crate::routing::{Engine, Options, route};
    use crate::traffic::{Flow, Rng};

    fn told<P: Program>(out: &Outcome<P>) -> String {
        format!(
            "{:?} {} {} {} {:?} {:?} {:?}",
            out.ending, out.time, out.events, out.hops, out.latencies, out.ports, out.waited
        )
    }

    #[test]
    fn what_is_plain_goes_the_same_way_in_the_simulator_for_all() {
        for (spec, engine) in [("fat-tree:8,3:rate=4xEDR", "ftree"), ("torus:4x4:rate=4xEDR", "dor")] {
            let fabric = generate(spec).unwrap();
            let manager = Lids::default_sm(&fabric).unwrap();
            let lids = Lids::assign(&fabric, manager, &LidOptions::fresh()).unwrap();
            let engine: Engine = engine.parse().unwrap();
            let routes = route(&fabric, lids, &[engine], &Options::default()).unwrap();
            let ends: Vec<_> = fabric.end_nodes().filter_map(|n| fabric.port(n, 1)).collect();
            let net = Network::new(&fabric, &routes, &ends);
            let set = Device::named("edr").unwrap().settings;
            assert!(is_plain(&net, &set));
            let mut to: Vec<u32> = (0..ends.len() as u32).collect();
            Rng::of_pattern(3, 0).shuffle(&mut to);
            let flows: Vec<Flow> = (0..).zip(to).map(|(from, to)| Flow { from, to }).collect();
            let program = || Streams::new(flows.clone(), 100_000, 4, 3, Some(0));
            let stop = AtomicBool::new(false);
            let plain = run::<_, true>(&net, &set, program(), &stop);
            let all = run::<_, false>(&net, &set, program(), &stop);
            assert_eq!(told(&plain), told(&all));
            assert!(plain.waited.for_turn > 0);
        }
    }
}
