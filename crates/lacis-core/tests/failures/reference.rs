//! `minhop` over sweep after sweep, against a slow, literal rendering of OpenSM 3.3.23's rules: what
//! the manager discovers, whether it honours its old tables, hop counts, one decision at a time.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lacis_core::fabric::{Fabric, NodeId, PortId};
use lacis_core::failures::{Event, Managed, Mode};
use lacis_core::generate::{generate, shuffle_guids};
use lacis_core::routing::Options;
use lacis_core::sm::NO_ENTRY;
use lacis_core::sm::lids::{LidOptions, Lids};
use proptest::prelude::*;

type Tables = BTreeMap<(NodeId, u32), u8>;

/// A manager that gets no hint and discovers everything.
struct Reference {
    whole: Fabric,
    lids: Lids,
    manager: PortId,
    cut: BTreeSet<PortId>,
    gone: BTreeSet<NodeId>,
    /// The cables that it saw in its last sweep, by their lower ends, and the switches.
    seen: (BTreeSet<PortId>, BTreeSet<NodeId>),
    /// What is programmed into every switch that has power.
    tables: Tables,
}

impl Reference {
    fn new(whole: &Fabric, lids: &Lids) -> Self {
        let manager = lids.manager().unwrap();
        let mut new = Self {
            whole: whole.clone(),
            lids: lids.clone(),
            manager,
            cut: BTreeSet::new(),
            gone: BTreeSet::new(),
            seen: Default::default(),
            tables: Tables::new(),
        };
        new.sweep(&BTreeSet::new());
        new
    }

    fn far(&self, port: PortId) -> Option<PortId> {
        let far = self.whole.peer(port)?;
        let off = |p: PortId| self.cut.contains(&p) || self.gone.contains(&self.whole.node_of(p));
        (!off(port) && !off(far)).then_some(far)
    }

    fn discover(&self) -> (BTreeSet<PortId>, BTreeSet<NodeId>) {
        let (mut cables, mut switches) = (BTreeSet::new(), BTreeSet::new());
        let mut todo = vec![self.manager];
        while let Some(port) = todo.pop() {
            let node = self.whole.node_of(port);
            if self.whole.is_switch(node) && !self.gone.contains(&node) && switches.insert(node) {
                todo.extend(self.whole.ports_of(node));
            }
            if self.whole.number_of(port) == 0 {
                continue;
            }
            let from_here = self.whole.is_switch(node) || port == self.manager;
            if let Some(far) = self.far(port).filter(|_| from_here)
                && cables.insert(port.min(far))
            {
                todo.push(far);
            }
        }
        (cables, switches)
    }

    /// Applies events and lets the manager sweep once. Returns whether it forgot its tables, if it swept.
    fn after(&mut self, events: &[Event]) -> Option<bool> {
        let mut came_up = BTreeSet::new();
        for event in events {
            match event {
                Event::Cut(ports) => {
                    self.cut.extend(ports.iter().flat_map(|&p| [p, self.whole.peer(p).unwrap()]));
                }
                Event::Plug(ports) => {
                    for &p in ports {
                        let far = self.whole.peer(p).unwrap();
                        self.cut.retain(|&c| c != p && c != far);
                        came_up.insert(p.min(far));
                    }
                }
                Event::Drop(nodes) => {
                    self.gone.extend(nodes);
                    self.tables.retain(|(s, _), _| !nodes.contains(s));
                }
                Event::Return(nodes) => {
                    for &n in nodes {
                        self.gone.remove(&n);
                        let cables = self.whole.ports_of(n).filter_map(|p| Some(p.min(self.whole.peer(p)?)));
                        came_up.extend(cables);
                    }
                }
            }
        }
        self.sweep(&came_up)
    }

    fn sweep(&mut self, came_up: &BTreeSet<PortId>) -> Option<bool> {
        let now = self.discover();
        let first = self.seen.1.is_empty();
        let up = first
            || now.0.iter().any(|c| !self.seen.0.contains(c) || came_up.contains(c))
            || now.1.iter().any(|s| !self.seen.1.contains(s));
        let down = self.seen.0.iter().any(|c| !now.0.contains(c));
        self.seen = now;
        if (self.seen.0.is_empty() && self.seen.1.is_empty()) || !(up || down) {
            return None;
        }
        let switches: Vec<NodeId> = self.ordered();
        for &s in &switches {
            let row = self.row(s, &switches, up);
            self.tables.retain(|&(of, _), _| of != s);
            self.tables.extend(row.into_iter().map(|(lid, port)| ((s, lid), port)));
        }
        Some(up)
    }

    fn ordered(&self) -> Vec<NodeId> {
        let mut switches: Vec<NodeId> = self.seen.1.iter().copied().collect();
        switches.sort_by_key(|&s| self.whole.node(s).guid.0.to_le_bytes());
        switches
    }

    /// Hops between switches, by breadth-first search.
    fn hops(&self, to: NodeId) -> BTreeMap<NodeId, u32> {
        let mut hops = BTreeMap::from([(to, 0)]);
        let mut todo = vec![to];
        while !todo.is_empty() {
            let s = todo.remove(0);
            for p in self.whole.ports_of(s) {
                if let Some(r) =
                    self.far(p).map(|q| self.whole.node_of(q)).filter(|&r| self.whole.is_switch(r))
                    && !hops.contains_key(&r)
                {
                    hops.insert(r, hops[&s] + 1);
                    todo.push(r);
                }
            }
        }
        hops
    }

    fn end_ports(&self, s: NodeId) -> Vec<(u8, PortId)> {
        let far = self.whole.ports_of(s).filter_map(|p| Some((self.whole.number_of(p), self.far(p)?)));
        far.filter(|&(_, q)| !self.whole.is_switch(self.whole.node_of(q))).collect()
    }

    fn row(&self, s: NodeId, switches: &[NodeId], forget: bool) -> BTreeMap<u32, u8> {
        // Leaf by leaf, most end ports first; then the switches.
        let mut edge_switches = switches.to_vec();
        edge_switches.sort_by_key(|&h| std::cmp::Reverse(self.end_ports(h).len()));
        let ends =
            edge_switches.iter().flat_map(|&h| self.end_ports(h).into_iter().map(move |(p, q)| (h, q, p)));
        let own = edge_switches.iter().map(|&h| (h, self.whole.port0(h), 0));
        let mut counts: BTreeMap<u8, u32> = BTreeMap::new();
        let mut row = BTreeMap::new();
        for (edge_switch, target, at_edge) in ends.chain(own) {
            let lid = self.lids.base(target);
            let port = if edge_switch == s {
                Some(at_edge)
            } else {
                self.choose(s, edge_switch, lid, forget, &counts)
            };
            let Some(port) = port else { continue };
            row.insert(lid, port);
            if !self.whole.is_switch(self.whole.node_of(target)) {
                *counts.entry(port).or_default() += 1;
            }
        }
        row
    }

    fn choose(
        &self,
        s: NodeId,
        edge_switch: NodeId,
        lid: u32,
        forget: bool,
        counts: &BTreeMap<u8, u32>,
    ) -> Option<u8> {
        let hops = self.hops(edge_switch);
        let least = *hops.get(&s)?;
        let candidates: Vec<u8> = self
            .whole
            .ports_of(s)
            .filter(|&p| {
                let far = self.far(p).map(|q| self.whole.node_of(q));
                far.is_some_and(|r| self.whole.is_switch(r) && hops.get(&r) == Some(&(least - 1)))
            })
            .map(|p| self.whole.number_of(p))
            .collect();
        let had = self.tables.get(&(s, lid)).filter(|_| !forget);
        had.copied()
            .filter(|p| candidates.contains(p))
            .or_else(|| candidates.into_iter().min_by_key(|p| (counts.get(p).copied().unwrap_or(0), *p)))
    }
}

/// The tables of all switches that have power, entry by entry.
fn tables(managed: &Managed) -> Tables {
    let lft = &managed.routes().lft;
    let mut tables = Tables::new();
    for s in managed.whole().switches() {
        for (lid, &port) in (0..).zip(lft.row(s)).filter(|&(_, &p)| p != NO_ENTRY) {
            tables.insert((s, lid), port);
        }
    }
    tables
}

/// What may happen next, chosen by a number.
fn draw(managed: &Managed, number: usize) -> Option<Event> {
    let (whole, present) = (managed.whole(), managed.present());
    let pick = |of: Vec<u32>| of.get(number / 4 % of.len().max(1)).copied();
    let cables =
        |missing: bool| whole.cables().filter(move |&(a, _)| present.is_cut(a) == missing).map(|(a, _)| a.0);
    let nodes = |missing: bool| {
        whole.nodes().map(|(n, _)| n).filter(move |&n| present.has(n) != missing).map(|n| n.0)
    };
    Some(match number % 4 {
        0 => Event::Cut(vec![PortId(pick(cables(false).collect())?)]),
        1 => Event::Drop(vec![NodeId(pick(nodes(false).collect())?)]),
        2 => Event::Plug(vec![PortId(pick(cables(true).collect())?)]),
        _ => Event::Return(vec![NodeId(pick(nodes(true).collect())?)]),
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 48 } else { 400 }))]
    #[test]
    fn every_sweep_of_a_random_sequence_is_the_references(
        spec in prop::sample::select(vec![
            "fat-tree:4,2", "fat-tree:4,3", "fat-tree:6,2:pods=3", "torus:3x3:h=2", "ring:5:h=2", "random:7,3,2",
            "fat-tree:8,2:taper=3", "mesh:3x2:h=2",
        ]),
        guids in 0_u64..1000,
        at in 0_usize..100,
        steps in prop::collection::vec(prop::collection::vec(0_usize..4000, 1..3), 1..7),
    ) {
        let whole = shuffle_guids(&generate(spec).unwrap(), guids);
        let ends: Vec<PortId> = whole.end_ports_in_opensm_order();
        let lids = Lids::assign(&whole, ends[at % ends.len()], &LidOptions::fresh()).unwrap();
        let mut reference = Reference::new(&whole, &lids);
        let mut managed = Managed::new(Arc::new(whole), lids, &[], Options::default()).unwrap();
        prop_assert_eq!(tables(&managed), reference.tables.clone());
        for step in steps {
            let mut events = Vec::new();
            let mut meanwhile = managed.clone();
            for number in step {
                if let Some(event) = draw(&meanwhile, number) {
                    meanwhile = meanwhile.after(std::slice::from_ref(&event)).0;
                    events.push(event);
                }
            }
            let (next, sweeps) = managed.after(&events);
            let forgot = reference.after(&events);
            let modes: Vec<Mode> = sweeps.iter().map(|s| s.mode).collect();
            let expected = forgot.map(|forgot| if forgot { Mode::Recomputed } else { Mode::Kept });
            prop_assert_eq!(modes, expected.into_iter().collect::<Vec<_>>());
            prop_assert_eq!(tables(&next), reference.tables.clone());
            managed = next;
        }
    }
}
