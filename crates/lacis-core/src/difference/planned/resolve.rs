//! Which node and port of the fabric an end of the plan means.
//!
//! A node is found by its GUID, else by its description, else by a port GUID. If several nodes share a description,
//! the one with the lowest GUID is meant, as in `opareport`. A managed switch also matches the name inside its
//! description (`MF0;NAME:MODEL/U1`), a director's chip that name, board and chip. Names in an NDT are compared without
//! regard to case, and where no node has one of a host with its domain, without that.

use rustc_hash::FxHashMap;

use super::outcome::List;
use crate::fabric::{Fabric, Guid, NodeId, NodeKind, PortId, short};
use crate::health::names;
use crate::io::plan::{Cable, Chip, End, PlannedNode};

/// Bytes of a description that count, as in `opareport`.
const DESCRIPTION: usize = 64;

/// Whether a plan's name is a node's: its description, or the name inside a managed switch's.
pub(super) fn is_named(description: &str, name: &str) -> bool {
    cut(description) == cut(name) || name_of(description) == name
}

/// The node of every end of a plan, and of every node that it lists.
pub(super) struct Index {
    nodes: Vec<[Option<NodeId>; 2]>,
    listed: [Vec<Option<NodeId>>; List::ALL.len()],
    chassis: Vec<u32>,
    by_port_guid: FxHashMap<Guid, PortId>,
    /// Whether node GUIDs of the plan were ignored.
    pub(super) no_guid: bool,
}

/// Nodes by what plans call them.
struct NodeNames<'a> {
    by_guid: FxHashMap<Guid, NodeId>,
    exact: FxHashMap<&'a str, NodeId>,
    folded: FxHashMap<String, NodeId>,
    chips: FxHashMap<(String, Chip), NodeId>,
    /// Adapters by host, in lower case.
    hosts: FxHashMap<String, Vec<NodeId>>,
}

fn cut(name: &str) -> &str {
    let mut end = name.len().min(DESCRIPTION);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    &name[..end]
}

fn folded(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Name, board and chip of a director's chip: `MF0;NAME:MODEL/L16/U2`.
fn chip_of(description: &str) -> Option<(&str, Chip)> {
    let (_, position) = description.rsplit_once(':')?;
    let mut tokens = position.rsplit('/');
    let number = |token: &str, letter: char| token.trim().strip_prefix(letter)?.parse::<u16>().ok();
    let (chip, board) = (number(tokens.next()?, 'U')?, number(tokens.next()?, 'L')?);
    Some((name_of(description), Chip { board, chip }))
}

/// The name in front of model and position, with or without the tag of managed switches.
fn name_of(description: &str) -> &str {
    let whole = short(description);
    whole.rsplit_once(':').map_or(whole, |(name, _)| name)
}

impl<'a> NodeNames<'a> {
    fn of(fabric: &'a Fabric) -> Self {
        let mut order: Vec<NodeId> = fabric.nodes().map(|(n, _)| n).collect();
        order.sort_by_key(|&n| (fabric.node(n).guid.0, n));
        let mut all = Self {
            by_guid: FxHashMap::default(),
            exact: FxHashMap::default(),
            folded: FxHashMap::default(),
            chips: FxHashMap::default(),
            hosts: FxHashMap::default(),
        };
        for &n in &order {
            let node = fabric.node(n);
            if node.guid.is_some() {
                all.by_guid.entry(node.guid).or_insert(n);
            }
            all.exact.entry(cut(&node.description)).or_insert(n);
            all.folded.entry(folded(&node.description)).or_insert(n);
            if let Some(name) = names::parse(&node.description).filter(|_| node.kind == NodeKind::Adapter) {
                all.hosts.entry(name.host.to_lowercase()).or_default().push(n);
            }
            if let Some((name, chip)) = chip_of(&node.description) {
                all.chips.entry((name.to_lowercase(), chip)).or_insert(n);
            }
        }
        // A whole description wins over the name inside another one.
        for &n in order.iter().filter(|&&n| fabric.is_switch(n)) {
            let name = name_of(&fabric.node(n).description);
            all.exact.entry(cut(name)).or_insert(n);
            all.folded.entry(folded(name)).or_insert(n);
        }
        all
    }

    fn node(&self, fabric: &Fabric, end: &End, fold: bool) -> Option<NodeId> {
        if let Some(chip) = end.chip {
            return self.chips.get(&(end.name.to_lowercase(), chip)).copied();
        }
        if !fold {
            return self.exact.get(cut(&end.name)).copied();
        }
        if !end.adapter.is_empty() {
            let both = format!("{} {}", end.name, end.adapter);
            let found = self.folded.get(&folded(&end.adapter)).or_else(|| self.folded.get(&folded(&both)));
            if let Some(&node) = found.filter(|&&n| !fabric.is_switch(n)) {
                return Some(node);
            }
        }
        if let Some(&node) = self.folded.get(&folded(&end.name)) {
            return Some(node);
        }
        // A host with one adapter needs no adapter's name.
        if let Some([one]) = self.hosts.get(&end.name.to_lowercase()).map(Vec::as_slice) {
            return Some(*one);
        }
        // A name with its domain is that of the host.
        let (host, _) = end.name.split_once('.').filter(|(host, _)| !host.is_empty())?;
        self.node(fabric, &End { name: host.into(), ..end.clone() }, fold)
    }
}

impl Index {
    pub(super) fn of(
        fabric: &Fabric,
        cables: &[&Cable],
        is_ndt: &[bool],
        lists: &[Vec<&PlannedNode>; List::ALL.len()],
    ) -> Self {
        let names = NodeNames::of(fabric);
        let ports = (0..fabric.num_ports() as u32).map(PortId);
        let by_port_guid: FxHashMap<Guid, PortId> = ports
            .filter(|&p| fabric.port_info(p).guid.is_some())
            .map(|p| (fabric.port_info(p).guid, p))
            .collect();
        let listed = || lists.iter().flatten().map(|node| &node.end);
        let ends = || cables.iter().flat_map(|cable| &cable.ends).chain(listed());
        let any = ends().any(|end| end.node_guid.is_some());
        let no_guid = any && !ends().any(|end| names.by_guid.contains_key(&end.node_guid));
        let node = |end: &End, fold: bool| {
            let found = names.by_guid.get(&end.node_guid).copied().filter(|_| end.node_guid.is_some());
            let named = || names.node(fabric, end, fold);
            let by_port = || by_port_guid.get(&end.port_guid).map(|&p| fabric.node_of(p));
            found
                .or_else(|| if end.name.is_empty() { None } else { named() })
                .or_else(|| if end.port_guid.is_some() { by_port() } else { None })
        };
        let both =
            |(cable, &fold): (&&Cable, &bool)| [node(&cable.ends[0], fold), node(&cable.ends[1], fold)];
        let nodes = cables.iter().zip(is_ndt).map(both).collect();
        let listed =
            lists.each_ref().map(|list| list.iter().map(|planned| node(&planned.end, false)).collect());
        Self { nodes, listed, chassis: chassis(fabric), by_port_guid, no_guid }
    }

    /// The node that a list of the plan means, by its number in the list.
    pub(super) fn listed(&self, list: List, number: usize) -> Option<NodeId> {
        self.listed[list as usize][number]
    }

    /// The port that has a GUID.
    pub(super) fn port_of_guid(&self, guid: Guid) -> Option<PortId> {
        self.by_port_guid.get(&guid).copied().filter(|_| guid.is_some())
    }

    /// The node of an end of a cable.
    pub(super) fn node(&self, cable: usize, side: usize) -> Option<NodeId> {
        self.nodes[cable][side]
    }

    /// The port of an end, cabled or not, if the plan gives one that the node has.
    pub(super) fn port(&self, fabric: &Fabric, cable: usize, side: usize, end: &End) -> Option<PortId> {
        let node = self.nodes[cable][side]?;
        if let Some(port) = end.number.and_then(|number| fabric.port(node, number)) {
            return Some(port);
        }
        let found = self.by_port_guid.get(&end.port_guid).copied();
        found.filter(|&p| end.port_guid.is_some() && fabric.node_of(p) == node && fabric.number_of(p) > 0)
    }

    /// Whether two switches are chips of one director.
    pub(super) fn is_one_chassis(&self, a: NodeId, b: NodeId) -> bool {
        self.chassis[a.ix()] == self.chassis[b.ix()]
    }
}

/// By switch: a number that chips of one director share, by their system image GUID, else by the name in front of
/// board and chip.
fn chassis(fabric: &Fabric) -> Vec<u32> {
    let mut by_system: FxHashMap<Guid, u32> = FxHashMap::default();
    let mut by_name: FxHashMap<&str, u32> = FxHashMap::default();
    fabric
        .switches()
        .map(|n| {
            let node = fabric.node(n);
            let named = names_of_chip(&node.description);
            let system = Some(node.system_guid).filter(|guid| guid.is_some());
            match (named, system) {
                (Some(name), _) => *by_name.entry(name).or_insert(n.0),
                (None, Some(guid)) => *by_system.entry(guid).or_insert(n.0),
                (None, None) => n.0,
            }
        })
        .collect()
}

/// The director's name in a chip's description: `MF0;NAME:MODEL/L16/U2`, `MF0;NAME:MODEL/S01/U1`, `NAME L101A`.
fn names_of_chip(description: &str) -> Option<&str> {
    if let Some((_, position)) = description.rsplit_once(':') {
        let tokens = position.split('/').count();
        return (tokens == 3).then(|| name_of(description));
    }
    let (name, position) = description.rsplit_once(' ')?;
    let inner = position.strip_prefix(['L', 'S'])?.strip_suffix(['A', 'B'])?;
    (inner.len() == 3 && inner.bytes().all(|b| b.is_ascii_digit())).then_some(name)
}
