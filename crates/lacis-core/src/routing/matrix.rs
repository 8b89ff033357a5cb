//! Hop matrices: how far each switch believes a LID to be, by each of its ports.
//!
//! OpenSM 3.3.23 keeps one for each switch, and its hop-counting engines choose among the ports whose
//! hops are least. The engines here need no matrices; these are made on demand, by the letter, for
//! those who compare or keep them (`opensm-lid-matrix.dump`).
//!
//! | engine                   | rows                                                                |
//! |--------------------------|---------------------------------------------------------------------|
//! | `minhop`, `dor`, `lash`  | of switches: weight of the port and least hops of the neighbour     |
//! | `updn`, `dnup`           | of switches: what the walk from each set                            |
//! | `file`                   | of a file, else minhop's                                            |
//! | `sssp`, `dfsssp`         | of all LIDs: hops of the tables, by the ports in use alone |

use rayon::prelude::*;

use super::graph::SwitchGraph;
use super::routes::{Lft, NO_ENTRY};
use super::weighted::Search;
use super::{Engine, Sweep, dnup, ftree, updn};
use crate::fabric::{Fabric, NodeId, PortId};

/// No way, or a port without a cable.
pub const NO_HOPS: u8 = 255;

/// The hop matrices of all switches, shape `(switches, LIDs, ports + 1)`: hops to a LID by a port, and
/// the least of them in the place of port 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HopMatrices {
    lids: Vec<u32>,
    /// Where each switch's rows begin, and the end.
    first: Vec<usize>,
    hops: Vec<u8>,
}

impl HopMatrices {
    /// Empty matrices with rows for some LIDs, ascending.
    pub fn new(fabric: &Fabric, lids: Vec<u32>) -> Self {
        let mut first = vec![0];
        for switch in fabric.switches() {
            first.push(first[switch.ix()] + (usize::from(fabric.radix(switch)) + 1) * lids.len());
        }
        let hops = vec![NO_HOPS; first[fabric.num_switches()]];
        Self { lids, first, hops }
    }

    /// The LIDs that have rows, ascending.
    pub fn lids(&self) -> &[u32] {
        &self.lids
    }

    /// Place of a LID among [`HopMatrices::lids`].
    pub fn place(&self, lid: u32) -> Option<usize> {
        self.lids.binary_search(&lid).ok()
    }

    /// All rows of a switch, one after the other.
    pub fn of_switch(&self, switch: NodeId) -> &[u8] {
        &self.hops[self.first[switch.ix()]..self.first[switch.ix() + 1]]
    }

    /// A switch's row for the LID at a place.
    pub fn row(&self, switch: NodeId, place: usize) -> &[u8] {
        let rows = self.of_switch(switch);
        let width = rows.len() / self.lids.len();
        &rows[place * width..][..width]
    }

    /// The same, to fill.
    pub fn row_mut(&mut self, switch: NodeId, place: usize) -> &mut [u8] {
        let rows = &mut self.hops[self.first[switch.ix()]..self.first[switch.ix() + 1]];
        let width = rows.len() / self.lids.len();
        &mut rows[place * width..][..width]
    }

    /// Sets the hops by a port, and the least where they are less.
    fn set(&mut self, switch: NodeId, place: usize, port: u8, hops: u8) {
        let row = self.row_mut(switch, place);
        if let Some(there) = row.get_mut(usize::from(port)) {
            *there = hops;
            row[0] = row[0].min(hops);
        }
    }
}

/// The matrices that OpenSM would have after an engine made tables; none for engines of which that is
/// not known.
///
/// # Errors
/// Where the engine refuses the fabric.
pub fn matrices(sweep: &Sweep<'_>, engine: Engine, lft: &Lft) -> Result<Option<HopMatrices>, super::Refused> {
    let counted = |by_target: ByTarget| by_target.matrices(sweep);
    Ok(Some(match engine {
        Engine::MinHop | Engine::Dor | Engine::Lash => counted(shortest(sweep)),
        Engine::File => match &sweep.options.lid_matrix_file {
            Some(given) => given.all_matrices(sweep.fabric, sweep.lids),
            None => counted(shortest(sweep)),
        },
        Engine::UpDn => counted(updn::hops(sweep)?),
        Engine::DnUp => counted(dnup::hops(sweep)?),
        Engine::Sssp | Engine::DfSssp => {
            let assigned = sweep.lids.assigned();
            let mut matrices = HopMatrices::new(sweep.fabric, assigned.iter().map(|&(lid, _)| lid).collect());
            let mut ends: Vec<PortId> = assigned.into_iter().map(|(_, port)| port).collect();
            ends.sort_unstable();
            ends.dedup();
            follow(sweep, lft, &ends, &mut matrices);
            matrices
        }
        Engine::FTree => {
            let mut matrices = counted(shortest(sweep));
            ftree::each_hop(sweep, |switch, lid, port, hops| {
                if let Some(place) = matrices.place(lid) {
                    matrices.set(switch, place, port, hops);
                }
            })?;
            matrices
        }
        Engine::Nue | Engine::Torus2Qos | Engine::EvenTree | Engine::Numbered => return Ok(None),
    }))
}

/// The LIDs of switches, ascending, and whose they are.
pub(super) fn lids_of_switches(sweep: &Sweep<'_>) -> Vec<(u32, NodeId)> {
    let Sweep { fabric, lids, .. } = *sweep;
    let mut all: Vec<(u32, NodeId)> =
        fabric.switches().map(|s| (lids.of_switch(fabric, s), s)).filter(|t| t.0 != 0).collect();
    all.sort_unstable();
    all
}

/// Hops to every switch, target by target.
pub(super) struct ByTarget {
    graph: SwitchGraph,
    /// Shape `(switches, switches)`: by target, then switch.
    least: Vec<u8>,
    /// Shape `(switches, links)`: by target, then link.
    hops: Vec<u8>,
}

impl ByTarget {
    /// Lets `fill` compute each target's least hops by switch and hops by link.
    pub fn build<S: Send>(
        graph: SwitchGraph,
        init: impl Fn(&SwitchGraph) -> S + Sync + Send,
        fill: impl Fn(&SwitchGraph, &mut S, NodeId, &mut [u8], &mut [u8]) + Sync,
    ) -> Self {
        let (switches, links) = (graph.num_switches(), graph.num_links());
        let mut least = vec![NO_HOPS; switches * switches];
        let mut hops = vec![NO_HOPS; switches * links];
        // A fabric without inter-switch links has rows of no length, which are no chunks.
        let targets: Vec<(usize, &mut [u8])> = if links == 0 {
            (0..switches).map(|t| (t, <&mut [u8]>::default())).collect()
        } else {
            hops.chunks_mut(links).enumerate().collect()
        };
        targets.into_par_iter().zip(least.par_chunks_mut(switches.max(1))).for_each_init(
            || init(&graph),
            |state, ((target, hops), least)| fill(&graph, state, NodeId(target as u32), least, hops),
        );
        Self { graph, least, hops }
    }

    /// Turned into matrices of each switch.
    fn matrices(&self, sweep: &Sweep<'_>) -> HopMatrices {
        let Sweep { fabric, .. } = *sweep;
        let targets = lids_of_switches(sweep);
        let mut matrices = HopMatrices::new(fabric, targets.iter().map(|t| t.0).collect());
        let (switches, links) = (self.graph.num_switches(), self.graph.num_links());
        for switch in fabric.switches() {
            for (place, &(_, target)) in targets.iter().enumerate() {
                let row = matrices.row_mut(switch, place);
                row[0] = self.least[target.ix() * switches + switch.ix()];
                for link in self.graph.links(switch.ix()) {
                    row[usize::from(self.graph.port[link])] = self.hops[target.ix() * links + link];
                }
            }
        }
        matrices
    }
}

/// The least hops of any way, as weights count them.
fn shortest(sweep: &Sweep<'_>) -> ByTarget {
    let graph = SwitchGraph::weighted(sweep.fabric, &sweep.options.hop_weights);
    let ones = vec![1; graph.num_links()];
    ByTarget::build(graph, Search::new, |graph, search, target, least, hops| {
        let weight = graph.weight.as_deref().unwrap_or(&ones);
        search.run(graph, weight, target);
        search.copy_to(graph, weight, least, hops);
    })
}

/// Sets the hops of the tables' ways to some end ports, by the ports that the tables use.
fn follow(sweep: &Sweep<'_>, lft: &Lft, ends: &[PortId], matrices: &mut HopMatrices) {
    let Sweep { fabric, lids, .. } = *sweep;
    for &end in ends {
        for lid in (0..1 << lids.lmc(end)).map(|k| lids.base(end) + k) {
            let Some(place) = matrices.place(lid) else { continue };
            let hops = hops_of(fabric, lft, end, lid);
            for switch in fabric.switches().filter(|s| hops[s.ix()] != NO_HOPS) {
                matrices.set(switch, place, lft.get(switch, lid), hops[switch.ix()]);
            }
        }
    }
}

/// Hops of each switch to the port that answers to a LID, by the tables; [`NO_HOPS`] where they do not
/// lead there.
fn hops_of(fabric: &Fabric, lft: &Lft, end: PortId, lid: u32) -> Vec<u8> {
    const UNKNOWN: u8 = 254;
    let mut hops = vec![UNKNOWN; fabric.num_switches()];
    let mut path = Vec::new();
    for start in fabric.switches() {
        path.clear();
        let mut at = start;
        let mut known = loop {
            if hops[at.ix()] != UNKNOWN {
                break hops[at.ix()];
            }
            // What comes back here on its way does not arrive.
            hops[at.ix()] = NO_HOPS;
            let own = match lft.get(at, lid) {
                NO_ENTRY => NO_HOPS,
                0 => {
                    if end == fabric.port0(at) {
                        0
                    } else {
                        NO_HOPS
                    }
                }
                port => match fabric.port(at, port).and_then(|p| fabric.peer(p)) {
                    Some(next) if next == end => 1,
                    Some(next) if fabric.is_switch(fabric.node_of(next)) => {
                        path.push(at);
                        at = fabric.node_of(next);
                        continue;
                    }
                    _ => NO_HOPS,
                },
            };
            hops[at.ix()] = own;
            break own;
        };
        for switch in path.iter().rev() {
            known = if known >= UNKNOWN - 1 { NO_HOPS } else { known + 1 };
            hops[switch.ix()] = known;
        }
    }
    hops
}
