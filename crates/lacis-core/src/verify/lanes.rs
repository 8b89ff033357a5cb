//! The channel dependency graph lane by lane, for tables whose engine assigns lanes.
//!
//! A packet keeps its service level and takes, hop by hop, the lane that the switches map it to. So
//! two sources of one switch share a way to a destination, while those of another switch may pass the
//! same links on other lanes. Ways that meet with the same service level on the same lane go on
//! together, and are followed once.
//!
//! The vertices are pairs of channel and lane, `channel * lanes + lane`.

use rayon::prelude::*;

use crate::fabric::{Fabric, NodeId, PortId};
use crate::routing::Routes;
use crate::routing::lanes::Lanes;

use super::wiring::{NOT_A_SWITCH, Wiring};

/// Service levels, and lanes at most.
const LEVELS: usize = 16;

/// Which (channel, lane) some packet takes after which other one.
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
        lanes: &Lanes,
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
        let mut is_source = vec![false; fabric.num_switches()];
        for home in ports.iter().filter_map(|&p| fabric.home(p)) {
            is_source[home.ix()] = true;
        }
        let sources: Vec<u32> = (0..is_source.len() as u32).filter(|&s| is_source[s as usize]).collect();
        let lids: Vec<u32> = ports.iter().flat_map(|&p| routes.lids.range(p)).collect();
        let share = lids.len().div_ceil(rayon::current_num_threads()).max(1);
        let of_share = |lids: &[u32]| {
            let mut found = empty();
            let mut walk =
                Walk { fabric, routes, lanes, wiring, met: vec![0; is_source.len() * LEVELS * LEVELS] };
            for (&lid, round) in lids.iter().zip(1..) {
                for &source in &sources {
                    walk.follow(source, lid, round, &mut found);
                }
            }
            found
        };
        let parts: Vec<Self> = lids.par_chunks(share).map(of_share).collect();
        parts.into_iter().reduce(Self::merge).unwrap_or_else(empty)
    }

    fn merge(mut self, other: Self) -> Self {
        for (a, b) in self.depends.iter_mut().zip(other.depends) {
            *a |= b;
        }
        self.used |= other.used;
        self
    }
}

struct Walk<'a> {
    fabric: &'a Fabric,
    routes: &'a Routes,
    lanes: &'a Lanes,
    wiring: &'a Wiring,
    /// By switch, service level and the lane by which it is left: the last round that came by.
    met: Vec<u32>,
}

impl Walk<'_> {
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
