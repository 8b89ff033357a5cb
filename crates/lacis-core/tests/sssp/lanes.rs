//! `dfsssp`'s lanes pair by pair: a search tree of channels for each lane, a list of pairs for each edge.

use std::collections::BTreeMap;

use lacis_core::fabric::{Fabric, NodeId, PortId};
use lacis_core::routing::Options;
use lacis_core::sm::lids::Lids;

use super::reference::Graph;

type Pair = (u32, u32);
/// Switch LID and port at both ends.
type Key = (u32, u8, u32, u8);

struct Edge {
    to: usize,
    pairs: Vec<Pair>,
    removed: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum Colour {
    White,
    Grey,
    Black,
}

struct Channel {
    key: Key,
    left: Option<usize>,
    right: Option<usize>,
    edges: Vec<Edge>,
    colour: Colour,
    came_from: Option<usize>,
}

#[derive(Default)]
struct Tree(Vec<Channel>);

impl Tree {
    fn channel(&mut self, key: Key) -> usize {
        let new = self.0.len();
        let mut at = 0;
        while at < new {
            let c = &mut self.0[at];
            if key == c.key {
                return at;
            }
            let side = if key < c.key { &mut c.left } else { &mut c.right };
            if let Some(below) = *side {
                at = below;
            } else {
                *side = Some(new);
                break;
            }
        }
        self.0.push(Channel {
            key,
            left: None,
            right: None,
            edges: Vec::new(),
            colour: Colour::White,
            came_from: None,
        });
        new
    }

    fn add(&mut self, path: &[Key], pair: Pair) {
        let channels: Vec<usize> = path.iter().map(|&key| self.channel(key)).collect();
        for hop in channels.windows(2) {
            let edges = &mut self.0[hop[0]].edges;
            match edges.iter_mut().find(|e| e.to == hop[1]) {
                Some(edge) => edge.pairs.push(pair),
                None => edges.push(Edge { to: hop[1], pairs: vec![pair], removed: 0 }),
            }
        }
    }

    /// A pair of this tree leaves it.
    fn take(&mut self, path: &[Key]) {
        let channels: Vec<usize> = path.iter().map(|&key| self.channel(key)).collect();
        for hop in channels.windows(2) {
            if let Some(edge) = self.0[hop[0]].edges.iter_mut().find(|e| e.to == hop[1]) {
                edge.removed += 1;
            }
        }
    }

    fn first_white(&self, at: Option<usize>) -> Option<usize> {
        let at = at?;
        let c = self.0.get(at)?;
        if c.colour == Colour::White {
            return Some(at);
        }
        self.first_white(c.left).or_else(|| self.first_white(c.right))
    }
}

/// The first lane of every pair of LIDs, or the number of lanes that it would need.
pub fn lanes(f: &Fabric, lids: &Lids, o: &Options, lft: &[Vec<u8>]) -> Result<BTreeMap<Pair, usize>, usize> {
    let g = Graph::new(f, lids);
    let targets = g.targets(f, lids, o);
    let path = |from: PortId, to: u32| {
        let mut path = Vec::new();
        if f.is_switch(f.node_of(from)) {
            return path;
        }
        let mut at = f.edge_switch(from).unwrap();
        loop {
            let port = f.port(at, lft[at.ix()][to as usize]).unwrap();
            let Some(far) = f.peer(port).filter(|&p| f.is_switch(f.node_of(p))) else { return path };
            let lid = |n: NodeId| lids.of_switch(f, n);
            path.push((lid(at), f.number_of(port), lid(f.node_of(far)), f.number_of(far)));
            at = f.node_of(far);
        }
    };
    let range = |p: PortId| lids.base(p)..lids.base(p) + (1 << lids.lmc(p));
    let mut trees: Vec<Tree> = (0..16).map(|_| Tree::default()).collect();
    let mut paths: BTreeMap<Pair, Vec<Key>> = BTreeMap::new();
    let mut lane: BTreeMap<Pair, usize> = BTreeMap::new();
    for to in &targets {
        for from in targets.iter().filter(|from| from.port != to.port) {
            for s in range(from.port) {
                for d in range(to.port) {
                    let chain = path(from.port, d);
                    trees[0].add(&chain, (s, d));
                    paths.insert((s, d), chain);
                    lane.insert((s, d), 0);
                }
            }
        }
    }
    let available = usize::from(o.vls).clamp(1, 15);
    let mut needed = 1;
    for t in 0..available {
        let mut at = None;
        while let Some(c) = at.or_else(|| trees[t].first_white(Some(0))) {
            trees[t].0[c].colour = Colour::Grey;
            let colour = |to: usize| trees[t].0[to].colour;
            let next = trees[t].0[c].edges.iter().map(|e| e.to).find(|&to| colour(to) != Colour::Black);
            match next {
                None => {
                    trees[t].0[c].colour = Colour::Black;
                    // Where it came from last, if that is not done: also if both were whitened since.
                    at = trees[t].0[c].came_from.filter(|&b| trees[t].0[b].colour != Colour::Black);
                }
                Some(to) if colour(to) == Colour::White => {
                    trees[t].0[to].came_from = Some(c);
                    at = Some(to);
                }
                Some(start) => {
                    if t + 1 == available {
                        return Err(available + 1);
                    }
                    needed = t + 2;
                    let mut cycle = Vec::new();
                    let mut x = start;
                    loop {
                        let grey = |e: &Edge| trees[t].0[e.to].colour == Colour::Grey;
                        let index = trees[t].0[x].edges.iter().position(grey).unwrap();
                        cycle.push((x, index));
                        x = trees[t].0[x].edges[index].to;
                        if x == start {
                            break;
                        }
                    }
                    let left = |&(x, index): &(usize, usize)| {
                        let edge: &Edge = &trees[t].0[x].edges[index];
                        edge.pairs.len() - edge.removed
                    };
                    let least = cycle.iter().map(left).min().unwrap();
                    let &(x, index) = cycle.iter().find(|e| left(e) == least).unwrap();
                    for &(x, _) in &cycle {
                        trees[t].0[x].colour = Colour::White;
                    }
                    let edge = trees[t].0[x].edges.remove(index);
                    for pair in edge.pairs {
                        if lane[&pair] == t {
                            lane.insert(pair, t + 1);
                            trees[t].take(&paths[&pair]);
                            trees[t + 1].add(&paths[&pair], pair);
                        }
                    }
                    at = Some(start);
                }
            }
        }
    }
    let count: Vec<usize> = (0..needed).map(|t| lane.values().filter(|&&l| l == t).count()).collect();
    let mut split = vec![1; needed];
    for _ in needed..available {
        let share = |t: usize| count[t] as f64 / split[t] as f64;
        let most = (0..needed).map(share).fold(0.0, f64::max);
        let first = (0..needed).find(|&t| share(t) >= most).unwrap();
        split[first] += 1;
    }
    for l in lane.values_mut() {
        *l = split[..*l].iter().sum();
    }
    Ok(lane)
}
