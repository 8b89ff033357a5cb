//! Hop matrices: how far each switch believes a LID to be, by each of its ports.
//!
//! OpenSM 3.3.23 keeps one for each switch, and its hop-counting engines choose among the ports whose
//! hops are least. The engines here need no matrices; these are made on demand, by the letter, for
//! comparison and export (`opensm-lid-matrix.dump`).
//!
//! | engine                   | rows                                                                |
//! |--------------------------|---------------------------------------------------------------------|
//! | `minhop`, `dor`, `lash`  | of switches: weight of the port and least hops of the neighbour     |
//! | `updn`, `dnup`           | of switches: what the walk from each set                            |
//! | `file`                   | of a file, else minhop's                                            |
//! | `sssp`, `dfsssp`         | of all LIDs: hops of the tables, by the ports in use alone |

use super::common::follow::{self, Step};
use super::common::hop_weights::LeastHops;
use super::common::hops_by_destination::HopsByDestination;
use super::common::sweep::{Refused, Sweep};
use super::opensm::{dnup, ftree, updn};
use crate::fabric::switch_graph::SwitchGraph;
use crate::fabric::{Fabric, NodeId, PortId};
use crate::sm::hop_matrix::{HopMatrices, NO_HOPS};
use crate::sm::{Engine, Lft, NO_ENTRY};

/// The matrices that OpenSM would have after an engine made tables; none for engines of which that is
/// not known.
///
/// # Errors
/// Where the engine refuses the fabric.
pub fn matrices(sweep: &Sweep<'_>, engine: Engine, lft: &Lft) -> Result<Option<HopMatrices>, Refused> {
    let counted = |by_target: HopsByDestination| by_switch(&by_target, sweep);
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
                if let Some(index) = matrices.index(lid) {
                    matrices.set(switch, index, port, hops);
                }
            })?;
            matrices
        }
        // All others make no hop matrices.
        _ => return Ok(None),
    }))
}

/// The LIDs of switches, ascending, and their switches.
pub(super) fn lids_of_switches(sweep: &Sweep<'_>) -> Vec<(u32, NodeId)> {
    let Sweep { fabric, lids, .. } = *sweep;
    let mut all: Vec<(u32, NodeId)> =
        fabric.switches().map(|s| (lids.of_switch(fabric, s), s)).filter(|t| t.0 != 0).collect();
    all.sort_unstable();
    all
}

/// Turned into matrices of each switch.
fn by_switch(hops: &HopsByDestination, sweep: &Sweep<'_>) -> HopMatrices {
    let Sweep { fabric, .. } = *sweep;
    let targets = lids_of_switches(sweep);
    let mut matrices = HopMatrices::new(fabric, targets.iter().map(|t| t.0).collect());
    let (switches, links) = (hops.graph.num_switches(), hops.graph.num_links());
    for switch in fabric.switches() {
        for (index, &(_, target)) in targets.iter().enumerate() {
            let row = matrices.row_mut(switch, index);
            row[0] = hops.least[target.ix() * switches + switch.ix()];
            for link in hops.graph.links(switch.ix()) {
                row[usize::from(hops.graph.port[link])] = hops.hops[target.ix() * links + link];
            }
        }
    }
    matrices
}

/// The least hops of any path, as weights count them.
fn shortest(sweep: &Sweep<'_>) -> HopsByDestination {
    let graph = SwitchGraph::weighted(sweep.fabric, &sweep.options.hop_weights);
    let ones = vec![1; graph.num_links()];
    HopsByDestination::build(graph, LeastHops::new, |graph, search, target, least, hops| {
        let weight = graph.weight.as_deref().unwrap_or(&ones);
        search.run(graph, weight, target);
        search.copy_to(graph, weight, least, hops);
    })
}

/// Sets the hops of the tables' paths to some end ports, by the ports that the tables use.
fn follow(sweep: &Sweep<'_>, lft: &Lft, ends: &[PortId], matrices: &mut HopMatrices) {
    let Sweep { fabric, lids, .. } = *sweep;
    for &end in ends {
        for lid in (0..1 << lids.lmc(end)).map(|k| lids.base(end) + k) {
            let Some(index) = matrices.index(lid) else { continue };
            let hops = hops_of(fabric, lft, end, lid);
            for switch in fabric.switches().filter(|s| hops[s.ix()] != NO_HOPS) {
                matrices.set(switch, index, lft.get(switch, lid), hops[switch.ix()]);
            }
        }
    }
}

/// Hops of each switch to the port that answers to a LID, by the tables; [`NO_HOPS`] where they do not
/// lead there.
fn hops_of(fabric: &Fabric, lft: &Lft, end: PortId, lid: u32) -> Vec<u8> {
    let step = |at: usize| {
        let at = NodeId(at as u32);
        match lft.get(at, lid) {
            0 if end == fabric.port0(at) => Step::End(0),
            0 | NO_ENTRY => Step::End(NO_HOPS),
            port => match fabric.port(at, port).and_then(|p| fabric.peer(p)) {
                Some(next) if next == end => Step::End(1),
                Some(next) if fabric.is_switch(fabric.node_of(next)) => Step::To(fabric.node_of(next).ix()),
                _ => Step::End(NO_HOPS),
            },
        }
    };
    follow::hops(fabric.num_switches(), step)
}
