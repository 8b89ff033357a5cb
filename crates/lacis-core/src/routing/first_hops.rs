//! What OpenSM's multicast trees are built from: the least hops from every switch to every switch, and the first
//! port with these.
//!
//! OpenSM 3.3.23 finds both in its hop matrices ([`matrices`]), of which multicast reads these alone. Without
//! options that change hops the first port is the first candidate of the engine, and hops are counted along these ports;
//! except for dnup, whose walk may leave a switch with more hops than the path along these ports has.

use rayon::prelude::*;

use super::common::destination_order::OrderedTargets;
use super::common::follow::{self, Step};
use super::common::shortest_links::Candidates;
use super::common::sweep::{Refused, Sweep};
use super::common::transpose::ByDestination;
use super::hop_matrices::{lids_of_switches, matrices};
use super::opensm::updn;
use crate::fabric::NodeId;
use crate::fabric::switch_graph::SwitchGraph;
use crate::sm::hop_matrix::NO_HOPS;
use crate::sm::{Engine, Lft};

/// Least hops and first ports, each of shape `(switches, LIDs of switches)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstHops {
    lids: Vec<u32>,
    hops: Vec<u8>,
    ports: Vec<u8>,
}

impl FirstHops {
    /// Those that belong to an engine's tables. Where an engine takes other paths than the shortest, or OpenSM's hop matrices of it
    /// are not known, those of shortest paths: along one port a LID, as the tables of `sssp` have them, a tree would close loops.
    ///
    /// # Errors
    /// Where the engine refuses the fabric.
    pub fn of(sweep: &Sweep<'_>, engine: Engine, lft: &Lft) -> Result<Self, Refused> {
        let Sweep { fabric, options, .. } = *sweep;
        let engine = match engine {
            Engine::UpDn | Engine::DnUp | Engine::File => engine,
            _ => Engine::MinHop,
        };
        let changes_hops = !options.hop_weights.is_empty() || options.connect_roots;
        let by_matrices = changes_hops || matches!(engine, Engine::DnUp | Engine::File);
        let columns = OrderedTargets::of(fabric, sweep.lids, &[]).columns;
        let (graph, candidates) = match engine {
            _ if by_matrices => return Self::of_matrices(sweep, engine, lft),
            Engine::UpDn => updn::candidates(sweep, &columns)?,
            _ => {
                let graph = SwitchGraph::of(fabric);
                let candidates = Candidates::shortest(&graph, &columns);
                (graph, candidates)
            }
        };
        let of_batch = |(batch, edge_switches): (usize, &[NodeId])| {
            let mut links = vec![vec![NO_LINK; graph.num_switches()]; edge_switches.len()];
            candidates.first(&graph, batch, |switch, bit, link| links[bit][switch] = link as u32);
            links
                .into_iter()
                .zip(edge_switches)
                .map(|(links, &edge_switch)| along(&graph, edge_switch, &links))
                .collect::<Vec<_>>()
        };
        let by_column: Vec<ByPort> = columns.par_chunks(64).enumerate().flat_map_iter(of_batch).collect();
        let mut column_of = vec![0; columns.len()];
        for (column, edge_switch) in columns.iter().enumerate() {
            column_of[edge_switch.ix()] = column;
        }
        let targets = lids_of_switches(sweep);
        let by_target: Vec<&ByPort> =
            targets.iter().map(|&(_, edge_switch)| &by_column[column_of[edge_switch.ix()]]).collect();
        Ok(Self::by_switch(targets.iter().map(|t| t.0).collect(), &by_target))
    }

    /// Turned from hops and ports by target.
    fn by_switch(lids: Vec<u32>, by_target: &[&ByPort]) -> Self {
        let turned = |of: fn(&ByPort) -> &[u8]| {
            let mut by_lid = ByDestination::new(by_target.first().map_or(0, |t| t.0.len()), lids.len());
            for (index, target) in (0..).zip(by_target) {
                by_lid.row_mut(index).copy_from_slice(of(target));
            }
            by_lid.lft().as_slice().to_vec()
        };
        let (hops, ports) = (turned(|t| &t.0), turned(|t| &t.1));
        Self { lids, hops, ports }
    }

    /// Read from whole matrices.
    fn of_matrices(sweep: &Sweep<'_>, engine: Engine, lft: &Lft) -> Result<Self, Refused> {
        let Some(matrices) = matrices(sweep, engine, lft)? else {
            return Ok(Self { lids: Vec::new(), hops: Vec::new(), ports: Vec::new() });
        };
        let lids =
            lids_of_switches(sweep).into_iter().map(|t| t.0).filter(|&lid| matrices.index(lid).is_some());
        let lids: Vec<u32> = lids.collect();
        let (mut hops, mut ports) = (Vec::new(), Vec::new());
        for switch in sweep.fabric.switches() {
            for index in lids.iter().filter_map(|&lid| matrices.index(lid)) {
                let row = matrices.row(switch, index);
                let least = row.first().copied().unwrap_or(NO_HOPS);
                let first = (1..row.len()).find(|&port| least != NO_HOPS && row[port] == least);
                hops.push(least);
                ports.push(first.unwrap_or(0) as u8);
            }
        }
        Ok(Self { lids, hops, ports })
    }

    /// The LIDs, ascending.
    pub fn lids(&self) -> &[u32] {
        &self.lids
    }

    /// A switch's least hops, by index of the LID; [`NO_HOPS`] where there is no path.
    pub fn hops(&self, switch: NodeId) -> &[u8] {
        &self.hops[switch.ix() * self.lids.len()..][..self.lids.len()]
    }

    /// The first port by which they lead; 0 at the LID's own switch, and where there is no path.
    pub fn ports(&self, switch: NodeId) -> &[u8] {
        &self.ports[switch.ix() * self.lids.len()..][..self.lids.len()]
    }
}

/// By switch, hops to one target and the port that they begin with.
type ByPort = (Vec<u8>, Vec<u8>);

const NO_LINK: u32 = u32::MAX;

/// Hops from each switch to `edge_switch` along one link of each, and the ports of those that lead there.
fn along(graph: &SwitchGraph, edge_switch: NodeId, links: &[u32]) -> ByPort {
    let step = |at: usize| match graph.peer.get(links[at] as usize) {
        _ if at == edge_switch.ix() => Step::End(0),
        Some(&far) => Step::To(far as usize),
        None => Step::End(NO_HOPS),
    };
    let hops = follow::hops(links.len(), step);
    let port = |(s, &hops): (usize, &u8)| {
        if hops == NO_HOPS || s == edge_switch.ix() { 0 } else { graph.port[links[s] as usize] }
    };
    let ports = hops.iter().enumerate().map(port).collect();
    (hops, ports)
}
