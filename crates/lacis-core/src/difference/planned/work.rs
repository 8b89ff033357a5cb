//! The smallest set of moves that repairs a fabric.
//!
//! Ports are vertices; a missing planned cable joins two of them, and so does a found cable that is not planned. A port has
//! at most one of each, so every connected component is a path or a cycle on which planned and found cables alternate. A
//! found cable becomes a planned one next to it by moving one plug, and needs at least that. A cycle of n found cables
//! takes n moves, and so does a path; a path with one more planned cable needs a new cable, a path with one more found
//! cable has one left over. Among equal solutions the one that touches fewest devices is taken.
//!
//! A name that no node has is rather misspelt than that of a missing node if the cable found there leads to a node that the
//! plan does not name: no plug is moved then (`misnamed`).

use rustc_hash::{FxHashMap, FxHashSet};

use super::repair::{Move, PlannedWork, PlannedWorkKind, Site};
use super::resolve::Index;
use super::verdict::Attached;
use crate::fabric::{Fabric, NodeId, PortId, short};
use crate::io::plan::{Cable, End};
use crate::nearest::nearest;

/// Longest path for which every solution is tried.
const LONGEST: usize = 64;

/// The ports that cables join, planned and found.
struct Graph {
    sites: Vec<Site>,
    of_port: FxHashMap<PortId, usize>,
    of_name: FxHashMap<String, usize>,
    /// By vertex: the other end of its planned cable, and which cable it is.
    planned: Vec<Option<(usize, usize)>>,
    /// By vertex: the other end of its found cable.
    found: Vec<Option<usize>>,
}

impl Graph {
    fn vertex(&mut self, site: Site, cables: &[&Cable]) -> usize {
        let next = self.sites.len();
        let at = match site {
            Site::Port(port) => *self.of_port.entry(port).or_insert(next),
            Site::Planned(cable, side) => {
                let name = cables[cable].ends[side].label().to_lowercase();
                *self.of_name.entry(name).or_insert(next)
            }
        };
        if at == next {
            self.sites.push(site);
            self.planned.push(None);
            self.found.push(None);
        }
        at
    }

    /// The vertices of a component in the order of the walk that begins at one, with a planned cable or a found one.
    fn walk(&self, start: usize, seen: &mut [bool]) -> Vec<usize> {
        let mut out = vec![start];
        seen[start] = true;
        let mut is_planned = self.found[start].is_none();
        let mut at = start;
        loop {
            let next = if is_planned { self.planned[at].map(|p| p.0) } else { self.found[at] };
            match next {
                Some(next) if !seen[next] => {
                    seen[next] = true;
                    out.push(next);
                    (at, is_planned) = (next, !is_planned);
                }
                _ => return out,
            }
        }
    }
}

/// What repairs the fabric: swaps first, then the other kinds; of one kind in the order of the plan. With the planned cables that
/// are left out, as a name is likely misspelt.
pub(super) fn work(
    fabric: &Fabric,
    index: &Index,
    cables: &[&Cable],
    attached: &Attached,
    is_beyond: &[bool],
) -> (Vec<PlannedWork>, Vec<usize>) {
    let (graph, misnamed) = graph(fabric, index, cables, attached, is_beyond);
    let mut seen = vec![false; graph.sites.len()];
    let mut all = Vec::new();
    let is_end = |v: usize| graph.planned[v].is_none() || graph.found[v].is_none();
    for start in (0..graph.sites.len()).filter(|&v| is_end(v)) {
        let walk = if seen[start] { Vec::new() } else { graph.walk(start, &mut seen) };
        // A port that the plan has twice may stay without an edge.
        if walk.len() > 1 {
            all.push(path(fabric, &graph, &walk));
        }
    }
    for start in 0..graph.sites.len() {
        if !seen[start] {
            all.push(circle(fabric, &graph, &graph.walk(start, &mut seen)));
        }
    }
    all.sort_by_key(|work| work.kind);
    (all, misnamed)
}

fn graph(
    fabric: &Fabric,
    index: &Index,
    cables: &[&Cable],
    attached: &Attached,
    is_beyond: &[bool],
) -> (Graph, Vec<usize>) {
    let mut graph = Graph {
        sites: Vec::new(),
        of_port: FxHashMap::default(),
        of_name: FxHashMap::default(),
        planned: Vec::new(),
        found: Vec::new(),
    };
    let mut done: FxHashSet<PortId> = FxHashSet::default();
    let mut open = Vec::new();
    for (i, cable) in cables.iter().enumerate() {
        let sites = [0, 1].map(|side| site(fabric, index, attached, i, side, cable));
        if let [Some(Site::Port(a)), Some(Site::Port(b))] = sites {
            if fabric.peer(a) == Some(b) {
                done.extend([a, b]);
            } else {
                open.push((i, [Site::Port(a), Site::Port(b)]));
            }
        } else if let Some((a, b)) = attached.found(fabric, i) {
            done.extend([a, b]);
        } else if let [Some(a), Some(b)] = sites {
            open.push((i, [a, b]));
        }
    }
    let misnamed = misnamed(fabric, index, cables, &open, &mut done);
    for (i, sites) in open {
        if misnamed.binary_search(&i).is_ok() {
            continue;
        }
        if sites.iter().any(|site| matches!(site, Site::Port(port) if done.contains(port))) {
            continue;
        }
        let [a, b] = sites.map(|site| graph.vertex(site, cables));
        if a != b && graph.planned[a].is_none() && graph.planned[b].is_none() {
            (graph.planned[a], graph.planned[b]) = (Some((b, i)), Some((a, i)));
        }
    }
    for (p, q) in fabric.cables().filter(|(p, _)| !is_beyond[p.ix()] && !done.contains(p)) {
        let [a, b] = [p, q].map(|port| graph.vertex(Site::Port(port), cables));
        (graph.found[a], graph.found[b]) = (Some(b), Some(a));
    }
    (graph, misnamed)
}

/// The planned cables, of those still open, with a name that no node has, where another node is found that is likely meant: one that the
/// plan does not name, or one of a similar name at the port of that number, which no other planned cable has. Where both ends have such
/// names, it is any cable found between two nodes that the plan does not name. What is found there is `done`: nothing is to be taken out.
fn misnamed(
    fabric: &Fabric,
    index: &Index,
    cables: &[&Cable],
    open: &[(usize, [Site; 2])],
    done: &mut FxHashSet<PortId>,
) -> Vec<usize> {
    let mut is_named = vec![false; fabric.num_nodes()];
    let sides = (0..cables.len()).flat_map(|i| [(i, 0), (i, 1)]);
    sides.filter_map(|(i, side)| index.node(i, side)).for_each(|node| is_named[node.ix()] = true);
    let is_named = |port: PortId| is_named[fabric.node_of(port).ix()];
    let port_of = |site: Site| match site {
        Site::Port(port) => Some(port),
        Site::Planned(..) => None,
    };
    let claimed: FxHashSet<PortId> = open
        .iter()
        .flat_map(|(_, sites)| sites.iter().copied().filter_map(port_of))
        .chain(done.iter().copied())
        .collect();
    let is_meant = |end: &End, far: PortId| {
        let description = &fabric.node(fabric.node_of(far)).description;
        let is_there = end.number == Some(fabric.number_of(far)) && !claimed.contains(&far);
        !is_named(far) || is_there && !nearest(&end.name, [short(description), description], 1).is_empty()
    };
    let unnamed: Vec<(PortId, PortId)> =
        fabric.cables().filter(|&(p, q)| !is_named(p) && !is_named(q)).collect();
    let mut misnamed = Vec::new();
    let mut is_one_unnamed = false;
    for &(i, sites) in open {
        match [0, 1].map(|side| index.node(i, side).is_none()) {
            [false, false] => {}
            [true, true] if unnamed.is_empty() => {}
            [true, true] => {
                is_one_unnamed = true;
                misnamed.push(i);
            }
            is_unknown => {
                let side = usize::from(is_unknown[1]);
                let near = port_of(sites[1 - side]);
                let found = near.and_then(|near| Some((near, fabric.peer(near)?)));
                if let Some((near, far)) = found.filter(|&(_, far)| is_meant(&cables[i].ends[side], far)) {
                    done.extend([near, far]);
                    misnamed.push(i);
                }
            }
        }
    }
    if is_one_unnamed {
        done.extend(unnamed.into_iter().flat_map(|(p, q)| [p, q]));
    }
    misnamed
}

/// The port in which an end of a planned cable belongs; nothing if any port will do.
fn site(
    fabric: &Fabric,
    index: &Index,
    attached: &Attached,
    cable: usize,
    side: usize,
    planned: &Cable,
) -> Option<Site> {
    let end = &planned.ends[side];
    if end.is_open() {
        return None;
    }
    let node = index.node(cable, side);
    let port = index.port(fabric, cable, side, end);
    // An adapter named without a port means its port with a cable, else its only port.
    let only = || {
        let node = node.filter(|&n| end.number.is_none() && !fabric.is_switch(n))?;
        let used = attached.ports[cable][side].filter(|&p| fabric.node_of(p) == node);
        used.or_else(|| fabric.port(node, 1).filter(|_| fabric.radix(node) == 1))
    };
    Some(port.or_else(only).map_or(Site::Planned(cable, side), Site::Port))
}

/// How many devices moves touch, and how many plugs go from one device to another.
fn cost(fabric: &Fabric, moves: &[Move]) -> (usize, usize) {
    let device = |site: Site| match site {
        Site::Port(port) => fabric.node_of(port),
        Site::Planned(cable, side) => NodeId(u32::MAX - (2 * cable + side) as u32),
    };
    let touched: FxHashSet<NodeId> = moves.iter().flat_map(|m| [device(m.from), device(m.to)]).collect();
    (touched.len(), moves.iter().filter(|m| device(m.from) != device(m.to)).count())
}

/// The planned cable between two vertices that follow each other in a walk.
fn cable_of(graph: &Graph, a: usize) -> usize {
    graph.planned[a].map_or(0, |p| p.1)
}

/// A cycle: `walk` begins with a found cable, 0–1 found, 1–2 planned, and the last one is planned.
fn circle(fabric: &Fabric, graph: &Graph, walk: &[usize]) -> PlannedWork {
    let n = walk.len();
    let site = |i: usize| graph.sites[walk[i % n]];
    // The found cable i, i+1 keeps its second plug and becomes the planned one after it, or its first plug.
    let forth: Vec<Move> = (0..n)
        .step_by(2)
        .map(|i| Move {
            stays: site(i + 1),
            from: site(i),
            to: site(i + 2),
            cable: cable_of(graph, walk[i + 1]),
        })
        .collect();
    let back: Vec<Move> = (0..n)
        .step_by(2)
        .map(|i| Move {
            stays: site(i),
            from: site(i + 1),
            to: site(i + n - 1),
            cable: cable_of(graph, walk[i]),
        })
        .collect();
    let moves = if cost(fabric, &back) < cost(fabric, &forth) { back } else { forth };
    let kind = if moves.len() == 2 { PlannedWorkKind::Swap } else { PlannedWorkKind::Rotation };
    PlannedWork { kind, moves, connect: None, take_out: None }
}

/// A path. Edges alternate; edge `e` joins the vertices `e` and `e + 1` of the walk.
fn path(fabric: &Fabric, graph: &Graph, walk: &[usize]) -> PlannedWork {
    let edges = walk.len() - 1;
    let first_is_planned = graph.found[walk[0]].is_none();
    let is_planned = |e: usize| e.is_multiple_of(2) == first_is_planned;
    let site = |i: usize| graph.sites[walk[i]];
    // The found cable `e` becomes the planned one after it, or before it.
    let forth = |e: usize| Move {
        stays: site(e + 1),
        from: site(e),
        to: site(e + 2),
        cable: cable_of(graph, walk[e + 1]),
    };
    let back = |e: usize| Move {
        stays: site(e),
        from: site(e + 1),
        to: site(e - 1),
        cable: cable_of(graph, walk[e]),
    };
    // Up to edge `left` found cables become the planned ones on the far side of it, beyond it likewise; `left` itself is
    // the planned cable to add, or the found one to take out.
    let split = |left: usize| -> Vec<Move> {
        let found = (0..edges).filter(|&e| !is_planned(e) && e != left);
        let toward = |e: usize| if (e < left) == first_is_planned { back(e) } else { forth(e) };
        found.map(toward).collect()
    };
    let planned = (0..edges).filter(|&e| is_planned(e)).count();
    let found = edges - planned;
    if planned == found {
        let moves = (0..edges).filter(|&e| !is_planned(e));
        let moves: Vec<Move> = moves.map(|e| if first_is_planned { back(e) } else { forth(e) }).collect();
        let kind = if moves.len() == 1 { PlannedWorkKind::Move } else { PlannedWorkKind::Shift };
        return PlannedWork { kind, moves, connect: None, take_out: None };
    }
    let choices = (0..edges).filter(|&e| is_planned(e) == (planned > found));
    let choices: Vec<usize> = if edges > LONGEST { vec![0] } else { choices.collect() };
    let best = choices.into_iter().min_by_key(|&left| cost(fabric, &split(left))).unwrap_or(0);
    let moves = split(best);
    let ends = [site(best), site(best + 1)];
    let kind = match (moves.len(), planned > found) {
        (0, true) => PlannedWorkKind::Connect,
        (0, false) => PlannedWorkKind::TakeOut,
        _ => PlannedWorkKind::Shift,
    };
    if planned > found {
        return PlannedWork {
            kind,
            moves,
            connect: Some((cable_of(graph, walk[best]), ends)),
            take_out: None,
        };
    }
    let take_out = match ends {
        [Site::Port(a), Site::Port(b)] => Some((a, b)),
        _ => None,
    };
    PlannedWork { kind, moves, connect: None, take_out }
}
