//! Planned against found nodes and managers, by the rules of `opareport -o verifyfis`, `verifysws` and `verifysms`:
//! the first planned node that matches a found one claims it.
//!
//! An empty list of the plan is not compared.

use rustc_hash::FxHashMap;

use super::outcome::{Counts, List, Verdict, Why};
use super::resolve::{Index, is_named};
use crate::fabric::{Fabric, NodeId, NodeKind, PortId};
use crate::io::plan::PlannedNode;

/// A node or manager that differs from the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeDeviation {
    /// Its list: that of its kind for a found node, that which has it for a planned one.
    pub list: List,
    /// [`Verdict::Missing`], [`Verdict::Unexpected`], [`Verdict::Duplicate`] or [`Verdict::Different`].
    pub verdict: Verdict,
    /// The planned node, by list and number; none of an unexpected one. A node in the wrong list belongs to the right one.
    pub planned: Option<(List, usize)>,
    /// The found node; none of a missing one.
    pub found: Option<NodeId>,
    /// Of a found manager: its port.
    pub port: Option<PortId>,
    /// Why; sides are 0.
    pub why: Vec<Why>,
}

/// The result for one list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Judged {
    /// How many have each verdict, by [`Verdict`] as a number.
    pub counts: Counts,
    /// Whether the list was compared: the plan has it, and the fabric reports such nodes.
    pub is_compared: bool,
    /// Found ones that a plan of this format does not list.
    pub beyond: usize,
}

/// Which planned node claims which found one.
pub(super) struct Claims {
    /// By list: the found node that each planned one matches.
    sites: [Vec<Option<Site>>; List::ALL.len()],
    /// By found node: the first planned one that matches it. A node may be in the wrong list.
    first: FxHashMap<Site, (List, usize)>,
}

impl Claims {
    pub(super) fn of(lists: &[Vec<&PlannedNode>; List::ALL.len()], fabric: &Fabric, index: &Index) -> Self {
        let sites = List::ALL.map(|list| {
            let nodes = lists[list as usize].iter().enumerate();
            nodes.map(|(i, node)| site(fabric, index, list, i, node)).collect::<Vec<_>>()
        });
        let mut first = FxHashMap::default();
        for list in List::ALL {
            for (i, site) in sites[list as usize].iter().enumerate() {
                if let Some(site) = site {
                    first.entry(*site).or_insert((list, i));
                }
            }
        }
        Self { sites, first }
    }
}

/// Compares one list. `is_beyond`: whether the plan does not list nodes like a found one.
pub(super) fn judge(
    list: List,
    lists: &[Vec<&PlannedNode>; List::ALL.len()],
    claims: &Claims,
    (fabric, index): (&Fabric, &Index),
    is_beyond: impl Fn(NodeId) -> bool,
) -> (Judged, Vec<NodeDeviation>) {
    let there = found(fabric, list);
    let planned = &lists[list as usize];
    let mut judged = Judged { is_compared: !planned.is_empty(), ..Judged::default() };
    // Only snapshots list managers.
    judged.is_compared &= list != List::Managers || !there.is_empty();
    let mut out = Vec::new();
    if !judged.is_compared {
        return (judged, out);
    }
    let deviation = |verdict, planned: Option<(List, usize)>, site: Option<Site>, why| NodeDeviation {
        list,
        verdict,
        planned,
        found: site.map(|(node, _)| node),
        port: site.and_then(|(_, port)| port),
        why,
    };
    for site in there {
        let Some(&(of, claim)) = claims.first.get(&site) else {
            let kind = fabric.node(site.0).kind;
            if matches!(kind, NodeKind::Aggregation | NodeKind::Router) || is_beyond(site.0) {
                judged.beyond += 1;
            } else {
                out.push(deviation(Verdict::Unexpected, None, Some(site), Vec::new()));
            }
            continue;
        };
        let why = differences(fabric, index.no_guid, lists[of as usize][claim], site);
        if why.is_empty() {
            judged.counts[Verdict::AsPlanned as usize] += 1;
        } else {
            // A node in the wrong list is a difference of its own list.
            let planned = Some((of, claim));
            out.push(deviation(Verdict::Different, planned, Some(site), why));
        }
    }
    for (i, site) in claims.sites[list as usize].iter().enumerate() {
        match site {
            None => {
                let is_known = index.listed(list, i).is_some();
                let why = if is_known { Why::NoManager } else { Why::NoNode(0) };
                out.push(deviation(Verdict::Missing, Some((list, i)), None, vec![why]));
            }
            Some(at) if claims.first.get(at) != Some(&(list, i)) => {
                let other = claims.first.get(at).map(|&(of, other)| Why::RepeatsNode(of, other));
                let why = other.into_iter().collect();
                out.push(deviation(Verdict::Duplicate, Some((list, i)), Some(*at), why));
            }
            Some(_) => {}
        }
    }
    for deviation in &out {
        judged.counts[deviation.verdict as usize] += 1;
    }
    (judged, out)
}

/// A node, or the port of it at which a manager runs.
type Site = (NodeId, Option<PortId>);

/// The fabric's nodes of a list.
fn found(fabric: &Fabric, list: List) -> Vec<Site> {
    let nodes = |is_switch: bool| {
        let all = fabric.nodes().filter(move |(n, _)| fabric.is_switch(*n) == is_switch);
        all.map(|(n, _)| (n, None)).collect()
    };
    match list {
        List::Adapters => nodes(false),
        List::Switches => nodes(true),
        List::Managers => {
            let ports = (0..fabric.num_ports() as u32).map(PortId);
            ports.filter(|&p| fabric.port_info(p).manager).map(|p| (fabric.node_of(p), Some(p))).collect()
        }
    }
}

/// The found node that a planned one matches; nothing for a manager if none runs at its port.
fn site(fabric: &Fabric, index: &Index, list: List, i: usize, node: &PlannedNode) -> Option<Site> {
    let id = index.listed(list, i)?;
    if list != List::Managers {
        return Some((id, None));
    }
    // As in snapshots, ports without a cable do not exist.
    let by_number = || match node.end.number? {
        0 => fabric.is_switch(id).then(|| fabric.port0(id)),
        number => fabric.port(id, number).filter(|&port| fabric.peer(port).is_some()),
    };
    let by_guid = || index.port_of_guid(node.end.port_guid).filter(|&p| fabric.node_of(p) == id);
    let only = || {
        let mut cabled = fabric.ports_of(id).filter(|&p| fabric.peer(p).is_some());
        match (cabled.next(), cabled.next()) {
            (Some(only), None) => Some(only),
            _ => None,
        }
    };
    let default = || if fabric.is_switch(id) { Some(fabric.port0(id)) } else { only() };
    let port = by_number().or_else(by_guid).or_else(default)?;
    fabric.port_info(port).manager.then_some((id, Some(port)))
}

/// In what a found node differs from the plan.
fn differences(fabric: &Fabric, no_guid: bool, planned: &PlannedNode, (id, port): Site) -> Vec<Why> {
    let (node, end) = (fabric.node(id), &planned.end);
    let mut why = Vec::new();
    if end.node_guid.is_some() && !no_guid && node.guid.is_some() && end.node_guid != node.guid {
        why.push(Why::NodeGuid(0));
    }
    if !end.name.is_empty() && !is_named(&node.description, &end.name) {
        why.push(Why::Name(0));
    }
    if let Some(port) = port {
        if end.number.is_some_and(|number| number != fabric.number_of(port)) {
            why.push(Why::Number(0));
        }
        let guid = fabric.end_port_guid(port);
        if end.port_guid.is_some() && !no_guid && guid.is_some() && end.port_guid != guid {
            why.push(Why::PortGuid(0));
        }
    }
    let is_switch = |kind| kind == NodeKind::Switch;
    if end.kind.is_some_and(|kind| is_switch(kind) != is_switch(node.kind)) {
        why.push(Why::Kind(0));
    }
    why
}
