//! Cables and nodes of two states of a fabric: what is gone, new or moved, and what runs at another rate.
//!
//! A cable is identified by its two ends. A gone and a new cable with an end in common are one moved cable. Each
//! change is listed under one switch, the one of its two ends with more changes, so that a dead switch is one entry
//! of the list.

use rustc_hash::FxHashMap;

use super::Unrelated;
use super::nodes::{Matched, NodeChange};
use crate::fabric::{Fabric, NodeId, PortId, Rate};
use crate::natural::natural;

/// What became of a cable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Only in the old fabric.
    Gone,
    /// Only in the new fabric.
    New,
    /// One end is where it was, the other elsewhere.
    Moved,
    /// The same ends, another width or speed.
    Rate,
}

/// A cable that changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CableChange {
    /// What became of it.
    pub change: Change,
    /// Its ends in the old fabric; for a moved cable the end that stayed first.
    pub old: Option<(PortId, PortId)>,
    /// Its ends in the new fabric; for a moved cable the end that stayed first.
    pub new: Option<(PortId, PortId)>,
    /// What its first end reports, before and now, if that changed.
    pub rates: Option<(Option<Rate>, Option<Rate>)>,
    /// The switch to list it under, and whether that is a switch of the new fabric.
    pub at: (NodeId, bool),
    /// Whether a node at an end is gone or new, which explains the change.
    pub with_node: bool,
}

/// Two states of a fabric, compared.
#[derive(Clone, Debug)]
pub struct Cabling {
    /// Which node is which.
    pub matched: Matched,
    /// Nodes that changed.
    pub nodes: Vec<NodeChange>,
    /// Cables that changed, switch by switch.
    pub cables: Vec<CableChange>,
    /// Ports whose base LID or LMC changed, before and now.
    pub lids: Vec<(PortId, PortId)>,
    /// Cables that both have.
    pub same: usize,
}

impl Cabling {
    /// Whether nothing is different.
    pub fn is_equal(&self) -> bool {
        self.nodes.is_empty() && self.cables.is_empty() && self.lids.is_empty()
    }
}

/// Compares two states of a fabric; `by_name` ignores GUIDs.
///
/// # Errors
/// When they have no node in common.
pub fn cabling(old: &Fabric, new: &Fabric, by_name: bool) -> Result<Cabling, Unrelated> {
    let matched = Matched::of(old, new, by_name)?;
    let nodes = matched.changes(old, new);
    let mut cables = Vec::new();
    let (mut gone, mut same) = (Vec::new(), 0);
    // Ports of the new fabric whose cables the old one has.
    let mut known = vec![false; new.num_ports()];
    for (a, b) in old.cables() {
        let ends = matched.port(old, new, a).zip(matched.port(old, new, b));
        let Some((x, y)) = ends.filter(|&(x, y)| new.peer(x) == Some(y)) else {
            gone.push((a, b));
            continue;
        };
        (known[x.ix()], known[y.ix()], same) = (true, true, same + 1);
        cables.extend(slower(old, new, [(a, x), (b, y)]));
    }
    let fresh: Vec<(PortId, PortId)> = new.cables().filter(|c| !known[c.0.ix()]).collect();
    moves(old, new, &matched, gone, fresh, &mut cables);
    attribute(old, new, &matched, &mut cables);
    let lids = lids(old, new, &matched);
    Ok(Cabling { matched, nodes, cables, lids, same })
}

fn of_rate(old: (PortId, PortId), new: (PortId, PortId), rates: (Option<Rate>, Option<Rate>)) -> CableChange {
    CableChange { rates: Some(rates), ..cable(Change::Rate, Some(old), Some(new)) }
}

fn cable(change: Change, old: Option<(PortId, PortId)>, new: Option<(PortId, PortId)>) -> CableChange {
    CableChange { change, old, new, rates: None, at: (NodeId(0), false), with_node: false }
}

/// A cable of which an end reports another rate, if both states know one.
fn slower(old: &Fabric, new: &Fabric, ends: [(PortId, PortId); 2]) -> Option<CableChange> {
    let rates = |(was, is): (PortId, PortId)| (old.port_info(was).rate, new.port_info(is).rate);
    let [(a, x), (b, y)] = ends;
    let differs = |r: &(Option<Rate>, Option<Rate>)| r.0.is_some() && r.1.is_some() && r.0 != r.1;
    let near = Some(rates(ends[0])).filter(differs).map(|r| of_rate((a, b), (x, y), r));
    near.or_else(|| Some(rates(ends[1])).filter(differs).map(|r| of_rate((b, a), (y, x), r)))
}

/// Separates moved cables from gone and new ones.
fn moves(
    old: &Fabric,
    new: &Fabric,
    matched: &Matched,
    gone: Vec<(PortId, PortId)>,
    fresh: Vec<(PortId, PortId)>,
    out: &mut Vec<CableChange>,
) {
    let mut cable_at: FxHashMap<PortId, usize> = FxHashMap::default();
    for (i, &(x, y)) in fresh.iter().enumerate() {
        cable_at.extend([(x, i), (y, i)]);
    }
    let mut used = vec![false; fresh.len()];
    // An adapter keeps its cable more often than a switch port does, so its end is tried first.
    let adapters_first = |&(a, b): &(PortId, PortId)| {
        if old.is_switch(old.node_of(a)) && !old.is_switch(old.node_of(b)) {
            [(b, a), (a, b)]
        } else {
            [(a, b), (b, a)]
        }
    };
    for ends in gone {
        let found = adapters_first(&ends).into_iter().find_map(|(stays, left)| {
            let x = matched.port(old, new, stays)?;
            let i = *cable_at.get(&x)?;
            (!used[i]).then_some((i, (stays, left), (x, new.peer(x)?)))
        });
        out.push(match found {
            Some((i, was, is)) => {
                used[i] = true;
                cable(Change::Moved, Some(was), Some(is))
            }
            None => cable(Change::Gone, Some(ends), None),
        });
    }
    let rest = fresh.into_iter().zip(used).filter(|(_, used)| !used).map(|(ends, _)| ends);
    out.extend(rest.map(|ends| cable(Change::New, None, Some(ends))));
}

/// Chooses the switch of each change, and sorts them by it.
fn attribute(old: &Fabric, new: &Fabric, matched: &Matched, cables: &mut [CableChange]) {
    // A switch of both states counts as the new one's.
    let switch = |fabric: &Fabric, port: PortId, is_new: bool| {
        let node = fabric.node_of(port);
        let now = if is_new { Some(node) } else { matched.new_of[node.ix()].map(|m| m.0) };
        fabric.is_switch(node).then(|| now.map_or((node, false), |n| (n, true)))
    };
    let switches = |c: &CableChange| {
        let was = c.old.map(|(a, b)| [switch(old, a, false), switch(old, b, false)]);
        let is = c.new.map(|(a, b)| [switch(new, a, true), switch(new, b, true)]);
        let mut all: Vec<(NodeId, bool)> = was.into_iter().chain(is).flatten().flatten().collect();
        all.dedup();
        all
    };
    let mut count: FxHashMap<(NodeId, bool), usize> = FxHashMap::default();
    for at in cables.iter().flat_map(&switches) {
        *count.entry(at).or_default() += 1;
    }
    for cable in cables.iter_mut() {
        let (was, is) = (cable.old, cable.new);
        let best = switches(cable).into_iter().min_by_key(|at| (std::cmp::Reverse(count[at]), !at.1, at.0));
        let any = is.map(|e| (new.node_of(e.0), true)).or_else(|| was.map(|e| (old.node_of(e.0), false)));
        cable.at = best.or(any).unwrap_or((NodeId(0), true));
        let left = |p: PortId| matched.new_of[old.node_of(p).ix()].is_none();
        let came = |p: PortId| matched.old_of[new.node_of(p).ix()].is_none();
        cable.with_node =
            was.is_some_and(|(a, b)| left(a) || left(b)) || is.is_some_and(|(a, b)| came(a) || came(b));
    }
    // The end at that switch comes first if neither end is special.
    let node = |fabric: &Fabric, is_new: bool, port: PortId| {
        let node = fabric.node_of(port);
        let now = if is_new { Some(node) } else { matched.new_of[node.ix()].map(|m| m.0) };
        now.map_or((node, is_new), |n| (n, true))
    };
    for cable in cables.iter_mut() {
        match (&mut cable.old, &mut cable.new) {
            (Some(ends), None) if node(old, false, ends.0) != cable.at => *ends = (ends.1, ends.0),
            (None, Some(ends)) if node(new, true, ends.0) != cable.at => *ends = (ends.1, ends.0),
            _ => {}
        }
    }
    let name = |c: &CableChange| if c.at.1 { new.name(c.at.0) } else { old.name(c.at.0) };
    let first = |c: &CableChange| c.new.or(c.old).map(|ends| ends.0);
    cables.sort_by(|a, b| {
        let switches = natural(&name(a), &name(b)).then_with(|| (a.at.1, a.at.0).cmp(&(b.at.1, b.at.0)));
        switches.then_with(|| (a.change as u8, first(a)).cmp(&(b.change as u8, first(b))))
    });
}

/// Ports that answer to other LIDs.
fn lids(old: &Fabric, new: &Fabric, matched: &Matched) -> Vec<(PortId, PortId)> {
    let ports = (0..old.num_ports() as u32).map(PortId);
    let pairs = ports.filter_map(|p| Some((p, matched.port(old, new, p)?)));
    let changed = |&(p, q): &(PortId, PortId)| {
        let (a, b) = (old.port_info(p), new.port_info(q));
        a.lid != 0 && b.lid != 0 && (a.lid, a.lmc) != (b.lid, b.lmc)
    };
    pairs.filter(changed).collect()
}
