//! Cables as planned against cables as found: a verdict each, and the work that repairs the fabric.
//!
//! Verdicts follow `opareport -o verifylinks` (opa-ff 10.10.3), so that both count alike: both ends of a planned
//! cable are looked up (`resolve`), then each found cable and each planned one has its verdict (`verdict`). What
//! that report calls a duplicate may be cables that were swapped; `work` distinguishes these, and says which plugs
//! to move. Nodes and managers that the plan lists are looked up likewise (`nodes`).

mod kinds;
mod nodes;
mod outcome;
mod repair;
mod resolve;
#[cfg(test)]
mod tests;
mod verdict;
mod work;

pub use kinds::{ByKind, CableKind};
pub use nodes::{Judged, NodeDeviation};
pub use outcome::{CableDeviation, Counts, List, Verdict, Why};
pub use repair::{Move, PlannedWork, PlannedWorkKind, Site};

use rustc_hash::FxHashMap;

use crate::fabric::{Fabric, NodeId, NodeKind, PortId};
use crate::io::plan::{Cable, End, Plan, PlanFormat, PlannedNode};
use crate::nearest::nearest;
use resolve::Index;
use verdict::{Attached, attach};

/// Up to this many unknown names get suggestions.
const NEAR: usize = 20;

/// A name of the plan that no node has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    /// The name.
    pub name: String,
    /// The first cable that has it.
    pub cable: usize,
    /// How many cables have it.
    pub cables: usize,
    /// For how many of these there is no work, as what is found there has likely another name than the plan's.
    pub misnamed: usize,
    /// The nearest known names; only for the first 20.
    pub near: Vec<String>,
}

/// A plan and a fabric, compared.
#[derive(Clone, Debug)]
pub struct Planned {
    /// How many cables have each verdict, by [`Verdict`] as a number.
    pub counts: Counts,
    /// How many cables have each verdict, by [`CableKind`] as a number.
    pub by_kind: ByKind,
    /// Cables that differ from the plan: found ones in port order, then planned ones as listed.
    pub deviations: Vec<CableDeviation>,
    /// What repairs the fabric.
    pub work: Vec<PlannedWork>,
    /// The result for each list of nodes, by [`List`] as a number.
    pub lists: [Judged; List::ALL.len()],
    /// Nodes and managers that differ from the plan.
    pub nodes: Vec<NodeDeviation>,
    /// Names that no node has.
    pub unknown: Vec<UnknownName>,
    /// Found cables of kinds that the plan does not list: inside directors, to aggregation nodes, to hosts.
    pub beyond: Beyond,
    /// Planned cables whose MTU was not compared, as the fabric does not report it.
    pub mtu_not_compared: usize,
    /// Planned cables whose rate was not compared, as the fabric does not report it.
    pub rate_not_compared: usize,
    /// Whether node GUIDs of the plan were ignored, as the fabric has none of them.
    pub no_guid: bool,
}

/// Found cables that a plan of this format does not list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Beyond {
    /// Between two chips of one director.
    pub inside: usize,
    /// Between a switch and the aggregation node inside it.
    pub aggregation: usize,
    /// To hosts, if the plan lists only cables between switches.
    pub hosts: usize,
    /// Between switches, if the plan lists only cables of hosts.
    pub switches: usize,
}

/// The plan has nothing in common with the fabric.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("none of the {names} names of the plan is in the fabric{}: it is a plan of another one", hint(.example, .near))]
pub struct Foreign {
    /// How many names the plan has.
    pub names: usize,
    /// A name that the fabric does not have.
    pub example: String,
    /// The nearest known names.
    pub near: Vec<String>,
}

/// Why plans are not compared with a fabric.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotCompared {
    /// They have nothing in common.
    #[error(transparent)]
    Foreign(#[from] Foreign),
    /// A port of a switch that is no number.
    #[error(
        "line {line}: {device} is a switch of the fabric, and \"{port}\" is no port of one; ports are \"Port 21\" or \"IB1/21\""
    )]
    Port {
        /// The line of the plan.
        line: usize,
        /// The device, as the plan has it.
        device: String,
        /// The port, as the plan has it.
        port: String,
    },
}

fn hint(example: &str, near: &[String]) -> String {
    let near = near.first().map_or(String::new(), |near| format!(", the nearest is \"{near}\""));
    format!(" (\"{example}\"{near})")
}

impl Planned {
    /// Whether every cable, node and manager is as planned.
    pub fn is_good(&self) -> bool {
        self.deviations.is_empty() && self.nodes.is_empty()
    }
}

/// All cables of several plans, in order.
pub fn cables<'a>(plans: &[&'a Plan]) -> Vec<&'a Cable> {
    plans.iter().flat_map(|plan| &plan.cables).collect()
}

/// All nodes of a list of several plans, in order.
pub fn listed<'a>(plans: &[&'a Plan], list: List) -> Vec<&'a PlannedNode> {
    let of = |plan: &&'a Plan| match list {
        List::Adapters => &plan.nodes.adapters,
        List::Switches => &plan.nodes.switches,
        List::Managers => &plan.nodes.managers,
    };
    plans.iter().flat_map(of).collect()
}

/// Compares plans, together, with a fabric. Cables are numbered as [`cables`] lists them, nodes as [`listed`] does.
/// Without any cable only nodes are compared.
///
/// # Errors
/// When no node of the plans is in the fabric, or a port of a switch has no number.
pub fn planned(plans: &[&Plan], fabric: &Fabric) -> Result<Planned, NotCompared> {
    let cables = cables(plans);
    let is_ndt: Vec<bool> =
        plans.iter().flat_map(|p| p.cables.iter().map(|_| p.format == PlanFormat::Ndt)).collect();
    let lists = List::ALL.map(|list| listed(plans, list));
    let index = Index::of(fabric, &cables, &is_ndt, &lists);
    let mut unknown = unknown(fabric, &cables, &index)?;
    refuse_ports(fabric, &cables, &index)?;
    let attached = attach(fabric, &index, &cables);
    let (mut beyond, mut is_beyond) = beyond(plans, fabric, &cables, &index, &attached);
    if cables.is_empty() {
        (beyond, is_beyond) = (Beyond::default(), vec![true; fabric.num_ports()]);
    }
    let (counts, by_kind, deviations) =
        verdict::judge(fabric, &index, &cables, &is_ndt, &attached, &is_beyond);
    let (work, misnamed) = work::work(fabric, &index, &cables, &attached, &is_beyond);
    let mut misnamed_by: FxHashMap<String, usize> = FxHashMap::default();
    for i in misnamed {
        for (_, end) in cables[i].ends.iter().enumerate().filter(|&(side, _)| index.node(i, side).is_none()) {
            *misnamed_by.entry(without_port(end).to_lowercase()).or_default() += 1;
        }
    }
    for one in &mut unknown {
        one.misnamed = misnamed_by.get(&one.name.to_lowercase()).copied().unwrap_or(0);
    }
    // A node is of a kind that the plan does not list if all of its cables are.
    let is_list = plans.iter().all(|plan| plan.format == PlanFormat::Spreadsheet);
    let is_node_beyond = |node: NodeId| {
        let ends = fabric.ports_of(node).filter_map(|p| fabric.peer(p).map(|far| p.min(far)));
        let mut ends = ends.peekable();
        is_list && ends.peek().is_some() && ends.all(|p| is_beyond[p.ix()])
    };
    let mut judged = [Judged::default(); List::ALL.len()];
    let mut nodes = Vec::new();
    let claims = nodes::Claims::of(&lists, fabric, &index);
    for list in List::ALL {
        let (result, found) = nodes::judge(list, &lists, &claims, (fabric, &index), is_node_beyond);
        judged[list as usize] = result;
        nodes.extend(found);
    }
    let matched = |wanted: &dyn Fn(&Cable, (PortId, PortId)) -> bool| {
        let all = cables.iter().enumerate();
        all.filter(|(i, cable)| attached.found(fabric, *i).is_some_and(|ends| wanted(cable, ends))).count()
    };
    let no_rate = |p: PortId| fabric.port_info(p).rate.is_none();
    Ok(Planned {
        counts,
        by_kind,
        deviations,
        work,
        lists: judged,
        nodes,
        unknown,
        beyond,
        mtu_not_compared: matched(&|cable, ends| cable.mtu.is_some() && verdict::mtu(fabric, ends).is_none()),
        rate_not_compared: matched(&|cable, (a, b)| cable.rate.is_some() && no_rate(a) && no_rate(b)),
        no_guid: index.no_guid,
    })
}

/// What the plan calls an end, without the number of its port.
fn without_port(end: &End) -> String {
    End { number: None, ..end.clone() }.label()
}

/// Refuses a port of a switch that was taken for the adapter of a host, since it is no number.
fn refuse_ports(fabric: &Fabric, cables: &[&Cable], index: &Index) -> Result<(), NotCompared> {
    for (i, cable) in cables.iter().enumerate() {
        for (side, end) in cable.ends.iter().enumerate().filter(|(_, end)| !end.adapter.is_empty()) {
            if index.node(i, side).is_some_and(|node| fabric.is_switch(node)) {
                let (device, port) = (end.name.to_string(), end.adapter.to_string());
                return Err(NotCompared::Port { line: cable.line, device, port });
            }
        }
    }
    Ok(())
}

/// Names of the plan that no node has, in the order of the plan.
fn unknown(fabric: &Fabric, cables: &[&Cable], index: &Index) -> Result<Vec<UnknownName>, Foreign> {
    let mut found: Vec<UnknownName> = Vec::new();
    let mut at: FxHashMap<String, usize> = FxHashMap::default();
    let mut known = 0;
    for (i, cable) in cables.iter().enumerate() {
        for (side, end) in cable.ends.iter().enumerate().filter(|(_, end)| !end.is_open()) {
            if index.node(i, side).is_some() {
                known += 1;
                continue;
            }
            let name = without_port(end);
            let next = found.len();
            let known = *at.entry(name.to_lowercase()).or_insert(next);
            if known == next {
                found.push(UnknownName { name, cable: i, cables: 0, misnamed: 0, near: Vec::new() });
            }
            found[known].cables += 1;
        }
    }
    let names: Vec<&str> =
        fabric.nodes().flat_map(|(_, n)| [crate::fabric::short(&n.description), &n.description]).collect();
    let near = |name: &str| -> Vec<String> {
        nearest(name, names.iter().copied(), 3).into_iter().map(Into::into).collect()
    };
    if let (0, Some(first)) = (known, found.first()) {
        return Err(Foreign { names: found.len(), example: first.name.clone(), near: near(&first.name) });
    }
    for one in found.iter_mut().take(NEAR) {
        one.near = near(&one.name);
    }
    Ok(found)
}

/// Found cables of kinds that the plan does not list, by port of the lower end.
fn beyond(
    plans: &[&Plan],
    fabric: &Fabric,
    cables: &[&Cable],
    index: &Index,
    attached: &Attached,
) -> (Beyond, Vec<bool>) {
    let mut count = Beyond::default();
    let mut is_beyond = vec![false; fabric.num_ports()];
    let is_list = plans.iter().all(|p| matches!(p.format, PlanFormat::Ndt | PlanFormat::Spreadsheet));
    let kind = |port: PortId| fabric.node(fabric.node_of(port)).kind;
    // Kinds that the plan lists: cables inside directors, to hosts, between switches.
    let mut listed = [!is_list; 3];
    for (i, _) in cables.iter().enumerate() {
        let nodes = [index.node(i, 0), index.node(i, 1)];
        let (Some(a), Some(b)) = (nodes[0], nodes[1]) else { continue };
        let both = fabric.is_switch(a) && fabric.is_switch(b);
        listed[1] |= !both;
        listed[2] |= both;
        listed[0] |= both && index.is_one_chassis(a, b);
    }
    for (p, q) in fabric.cables().filter(|&(p, _)| !attached.is_planned(p)) {
        let (a, b) = (fabric.node_of(p), fabric.node_of(q));
        let both = fabric.is_switch(a) && fabric.is_switch(b);
        let counter = if kind(p) == NodeKind::Aggregation || kind(q) == NodeKind::Aggregation {
            &mut count.aggregation
        } else if both && !listed[0] && index.is_one_chassis(a, b) {
            &mut count.inside
        } else if both && !listed[2] {
            &mut count.switches
        } else if !both && !listed[1] {
            &mut count.hosts
        } else {
            continue;
        };
        *counter += 1;
        is_beyond[p.ix()] = true;
    }
    (count, is_beyond)
}
