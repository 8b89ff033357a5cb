//! `sssp` and `dfsssp` written down step by step from a description of OpenSM 3.3.23's behaviour, with
//! no thought of speed: a heap of single steps, a walk for every path, a list for every edge.

use std::cmp::Reverse;

use lacis_core::fabric::{Fabric, Guid, NodeId, NodeKind, PortId};
use lacis_core::routing::Options;
use lacis_core::sm::lids::Lids;

const NONE: u8 = 255;
const FAR: u64 = (1 << 31) - 1;

/// A link from a switch (or the adapter in slot 0) towards a switch.
#[derive(Clone, Copy)]
pub struct Link {
    pub to: usize,
    /// Port number at the near and at the far end.
    pub from_port: u8,
    pub to_port: u8,
    pub weight: u64,
}

/// Slot 0 is for the adapter at hand; 1.. are the switches in OpenSM's order.
pub struct Graph {
    pub switch: Vec<Option<NodeId>>,
    pub links: Vec<Vec<Link>>,
    pub lids: Vec<u64>,
}

/// A destination: an end port, the vertex it hangs off, and its edge switch's port to it.
#[derive(Clone, Copy, PartialEq)]
pub struct Target {
    pub port: PortId,
    pub edge_switch: usize,
    pub edge_port: u8,
}

fn is_ca(f: &Fabric, n: NodeId) -> bool {
    matches!(f.node(n).kind, NodeKind::Adapter | NodeKind::Aggregation)
}

fn num_lids(lids: &Lids, port: PortId) -> u64 {
    if lids.base(port) == 0 { 0 } else { 1 << lids.lmc(port) }
}

impl Graph {
    pub fn new(f: &Fabric, lids: &Lids) -> Self {
        let mut switch = vec![None];
        switch.extend(f.switches_in_opensm_order().into_iter().map(Some));
        let slot = |n: NodeId| switch.iter().position(|&s| s == Some(n)).unwrap();
        let slots: Vec<usize> = f.switches().map(slot).collect();
        let ends = f.end_ports_in_opensm_order();
        // Nothing is sent to routers, but their LIDs count on their switches.
        let is_target = |p: &&PortId| f.is_switch(f.node_of(**p)) || is_ca(f, f.node_of(**p));
        let total: u64 = ends.iter().filter(is_target).map(|&p| num_lids(lids, p)).sum();
        let mut g = Self { links: vec![Vec::new(); switch.len()], lids: vec![0; switch.len()], switch };
        for &p in &ends {
            if let Some(edge_switch) = f.edge_switch(p) {
                g.lids[slots[edge_switch.ix()]] += num_lids(lids, p);
            }
        }
        for s in f.switches() {
            for p in f.ports_of(s) {
                let Some(q) = f.peer(p) else { continue };
                let v = f.node_of(q);
                if f.is_switch(v) && v != s {
                    g.links[slots[s.ix()]].push(Link {
                        to: slots[v.ix()],
                        from_port: f.number_of(p),
                        to_port: f.number_of(q),
                        weight: total * total,
                    });
                }
            }
        }
        g
    }

    /// All destinations in order.
    pub fn targets(&self, f: &Fabric, lids: &Lids, o: &Options) -> Vec<Target> {
        let mut queue: Vec<usize> = (1..self.switch.len()).collect();
        queue.sort_by_key(|&v| Reverse(self.lids[v]));
        let mut targets: Vec<Target> = Vec::new();
        let mut add = |wanted: &dyn Fn(Guid) -> bool| {
            for &v in &queue {
                for p in f.ports_of(self.switch[v].unwrap()) {
                    let Some(q) = f.peer(p) else { continue };
                    let t = Target { port: q, edge_switch: v, edge_port: f.number_of(p) };
                    if is_ca(f, f.node_of(q)) && wanted(f.port_info(q).guid) && !targets.contains(&t) {
                        targets.push(t);
                    }
                }
            }
        };
        for list in [&o.cn, &o.io].into_iter().flatten() {
            add(&|guid| list.contains(&guid));
        }
        add(&|_| true);
        for &v in &queue {
            targets.push(Target { port: f.port0(self.switch[v].unwrap()), edge_switch: v, edge_port: 0 });
        }
        targets.retain(|t| num_lids(lids, t.port) > 0);
        targets
    }
}

struct Heap {
    key: Vec<u64>,
    at: Vec<usize>,
    index: Vec<usize>,
}

impl Heap {
    fn new(vertices: usize) -> Self {
        Self { key: vec![FAR; vertices], at: Vec::new(), index: vec![usize::MAX; vertices] }
    }
    fn store(&mut self, i: usize, v: usize) {
        self.at[i] = v;
        self.index[v] = i;
    }
    fn insert(&mut self, v: usize) {
        self.at.push(v);
        self.index[v] = self.at.len() - 1;
        self.up(self.at.len() - 1);
    }
    fn set(&mut self, v: usize, key: u64) {
        self.key[v] = key;
        self.up(self.index[v]);
    }
    fn up(&mut self, mut i: usize) {
        let v = self.at[i];
        while i > 0 && self.key[v] < self.key[self.at[(i - 1) / 4]] {
            self.store(i, self.at[(i - 1) / 4]);
            i = (i - 1) / 4;
        }
        self.store(i, v);
    }
    fn pop(&mut self) -> Option<usize> {
        let &least = self.at.first()?;
        self.index[least] = usize::MAX;
        let v = self.at.pop().unwrap();
        if self.at.is_empty() {
            return Some(least);
        }
        let mut i = 0;
        loop {
            let children = 4 * i + 1..self.at.len().min(4 * i + 5);
            // The last of the smallest.
            let Some(c) = children.rev().min_by_key(|&c| self.key[self.at[c]]) else { break };
            if self.key[v] <= self.key[self.at[c]] {
                break;
            }
            self.store(i, self.at[c]);
            i = c;
        }
        self.store(i, v);
        Some(least)
    }
}

/// One Dijkstra search: distances, and by vertex the link that it was reached by last, as vertex and
/// index there. `adapter`: the source is the adapter in slot 0, on `edge_switch`.
pub fn search(g: &Graph, edge_switch: usize, adapter: Option<u8>) -> (Vec<u64>, Vec<Option<(usize, Link)>>) {
    let mut heap = Heap::new(g.switch.len());
    for v in 1..g.switch.len() {
        heap.insert(v);
    }
    let source = if adapter.is_some() { 0 } else { edge_switch };
    if adapter.is_some() {
        heap.insert(0);
    }
    heap.set(source, 0);
    let mut by: Vec<Option<(usize, Link)>> = vec![None; g.switch.len()];
    let own: Vec<Link> = adapter
        .iter()
        .map(|&port| Link { to: edge_switch, from_port: 0, to_port: port, weight: 1 })
        .collect();
    while let Some(u) = heap.pop() {
        if heap.key[u] == FAR {
            continue;
        }
        for link in if u == 0 { &own } else { &g.links[u] } {
            let far = heap.key[u] + link.weight;
            if heap.index[link.to] != usize::MAX && far < heap.key[link.to] {
                by[link.to] = Some((u, *link));
                heap.set(link.to, far);
            }
        }
    }
    (heap.key, by)
}

/// Adds the paths to one LID to the weights of the links that they take.
pub fn count(g: &mut Graph, by: &[Option<(usize, Link)>]) {
    for v in 1..g.switch.len() {
        let mut at = v;
        while let Some((u, link)) = by[at] {
            if u != 0 {
                let same = |l: &&mut Link| l.from_port == link.from_port;
                g.links[u].iter_mut().find(same).unwrap().weight += g.lids[v];
            }
            at = u;
        }
    }
}

/// The tables by switch and LID, or a word for the refusal.
pub fn sssp(f: &Fabric, lids: &Lids, o: &Options) -> Result<Vec<Vec<u8>>, &'static str> {
    let mut g = Graph::new(f, lids);
    let sm = lids.manager().or_else(|| Lids::default_sm(f)).unwrap();
    let adapter = f.is_switch(f.node_of(sm));
    let edge_switch = g.switch.iter().position(|&s| s == f.edge_switch(sm)).unwrap();
    let (far, _) = search(&g, edge_switch, (!adapter).then_some(1));
    if (1..far.len()).any(|v| far[v] == FAR) {
        return Err("unreached");
    }
    let mut lft = vec![vec![NONE; lids.max_lid() as usize + 1]; f.num_switches()];
    for t in g.targets(f, lids, o) {
        for lid in lids.base(t.port)..lids.base(t.port) + (1 << lids.lmc(t.port)) {
            let (_, by) = search(&g, t.edge_switch, (t.edge_port > 0).then_some(t.edge_port));
            for v in 1..by.len() {
                let port = by[v].map(|(_, l)| l.to_port).or((v == t.edge_switch).then_some(0));
                lft[g.switch[v].unwrap().ix()][lid as usize] = port.unwrap_or(NONE);
            }
            count(&mut g, &by);
        }
    }
    Ok(lft)
}
