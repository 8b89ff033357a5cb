//! The channel dependency graph lane by lane, for tables whose engine assigns lanes.
//!
//! A packet keeps its service level and takes, hop by hop, the lane that the switches map it to. So
//! two sources of one switch share a path to a destination, while those of another switch may pass the
//! same links on other lanes. Paths that join with the same service level on the same lane go on
//! together, and are followed once.
//!
//! The vertices are pairs of channel and lane, `channel * lanes + lane`.

use rayon::prelude::*;

use super::wiring::{NOT_A_SWITCH, Wiring};
use crate::fabric::{Fabric, NodeId, PortId};
use crate::sm::Routes;
use crate::sm::lanes::PathLanes;

/// Number of service levels, and the most lanes.
const LEVELS: usize = 16;

/// Which (channel, lane) some packet takes directly after which other.
pub(super) struct LaneDependencies {
    /// Lanes that a vertex may have.
    pub lanes: usize,
    /// For each vertex a bit per port and lane by which packets leave the next switch.
    pub depends: Vec<u64>,
    /// Words of `depends` per vertex.
    pub words: usize,
    /// A bit per lane that some packet uses between switches.
    pub used: u16,
}

impl LaneDependencies {
    /// What the packets between `ports` do.
    pub(super) fn of(
        fabric: &Fabric,
        routes: &Routes,
        lanes: &PathLanes,
        ports: &[PortId],
        wiring: &Wiring,
    ) -> Self {
        let num_lanes = lanes.num_lanes();
        let words = (wiring.width * num_lanes).div_ceil(64);
        let empty = || Self {
            lanes: num_lanes,
            depends: vec![0; wiring.next.len() * num_lanes * words],
            words,
            used: 0,
        };
        let mut ports_on = vec![0_u32; fabric.num_switches()];
        for edge_switch in ports.iter().filter_map(|&p| fabric.edge_switch(p)) {
            ports_on[edge_switch.ix()] += 1;
        }
        let sources: Vec<NodeId> = fabric.switches().filter(|s| ports_on[s.ix()] > 0).collect();
        let targets: Vec<(u32, PortId)> =
            ports.iter().flat_map(|&p| routes.lids.range(p).map(move |lid| (lid, p))).collect();
        let share = targets.len().div_ceil(rayon::current_num_threads()).max(1);
        let of_share = |targets: &[(u32, PortId)]| {
            let mut found = empty();
            let mut walk =
                LaneWalk { fabric, routes, lanes, wiring, met: vec![0; ports_on.len() * LEVELS * LEVELS] };
            for (&(lid, to), round) in targets.iter().zip(1..) {
                // A port does not send to itself.
                let alone = fabric.edge_switch(to).filter(|edge_switch| ports_on[edge_switch.ix()] == 1);
                for &source in sources.iter().filter(|&&s| Some(s) != alone) {
                    walk.follow(source.0, lid, round, &mut found);
                }
            }
            found
        };
        let found: Vec<Self> = targets.par_chunks(share).map(of_share).collect();
        found.into_iter().reduce(Self::merge).unwrap_or_else(empty)
    }

    fn merge(mut self, other: Self) -> Self {
        for (a, b) in self.depends.iter_mut().zip(other.depends) {
            *a |= b;
        }
        self.used |= other.used;
        self
    }
}

struct LaneWalk<'a> {
    fabric: &'a Fabric,
    routes: &'a Routes,
    lanes: &'a PathLanes,
    wiring: &'a Wiring,
    /// By switch, service level and outgoing lane: the last round that passed there.
    met: Vec<u32>,
}

impl LaneWalk<'_> {
    /// Follows the packets from one switch to a LID until they leave the switches, or join others.
    fn follow(&mut self, source: u32, lid: u32, round: u32, found: &mut LaneDependencies) {
        let sl = self.lanes.sl(NodeId(source), lid);
        let (mut at, mut from, mut before) = (source, 0, None::<usize>);
        loop {
            let here = NodeId(at);
            let port = self.routes.lft.get(here, lid);
            if port == 0 || usize::from(port) >= self.wiring.width {
                return;
            }
            let channel = at as usize * self.wiring.width + usize::from(port);
            let next = self.wiring.next[channel];
            if next == NOT_A_SWITCH {
                return;
            }
            let vl = self.lanes.vl(here, from, port, sl);
            if let Some(vertex) = before {
                let bit = usize::from(port) * found.lanes + usize::from(vl);
                found.depends[vertex * found.words + bit / 64] |= 1 << (bit % 64);
            }
            found.used |= 1 << vl;
            let met = &mut self.met[(at as usize * LEVELS + usize::from(sl)) * LEVELS + usize::from(vl)];
            if std::mem::replace(met, round) == round {
                return;
            }
            before = Some(channel * found.lanes + usize::from(vl));
            from = self.wiring.far_number(self.fabric, channel);
            at = next;
        }
    }
}
