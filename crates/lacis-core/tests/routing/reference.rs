//! `minhop`, `updn` and `dnup` against a slow, literal rendering of OpenSM 3.3.23's rules: hop matrices
//! per switch, target and port, one decision at a time, no bit tricks.

use lacis_core::fabric::{Fabric, FabricBuilder, Guid, Node, NodeId, NodeKind, PortId};
use lacis_core::routing::{Options, route};
use lacis_core::sm::lids::Lids;
use lacis_core::sm::{Engine, Lft, Routes};
use proptest::prelude::*;

use crate::fabrics::{largest_island, lids, node, switches};
use crate::literal::{Literal, Matrices};

pub struct Reference<'a> {
    pub fabric: &'a Fabric,
    lids: &'a Lids,
    pub options: &'a Options,
    /// Switches by byte-reversed GUID.
    order: Vec<NodeId>,
}

impl<'a> Reference<'a> {
    pub fn new(fabric: &'a Fabric, lids: &'a Lids, options: &'a Options) -> Self {
        let mut order: Vec<NodeId> = fabric.switches().collect();
        order.sort_by_key(|&s| fabric.node(s).guid.0.to_le_bytes());
        Self { fabric, lids, options, order }
    }

    /// The switch and port behind a switch's port.
    pub fn far(&self, switch: NodeId, port: u8) -> Option<(NodeId, u8)> {
        let far = self.fabric.peer(self.fabric.port(switch, port)?)?;
        let node = self.fabric.node_of(far);
        self.fabric.is_switch(node).then(|| (node, self.fabric.number_of(far)))
    }

    pub fn empty(&self) -> Matrices {
        let n = self.fabric.num_switches();
        let row = |s| vec![vec![255; usize::from(self.fabric.radix(s)) + 1]; n];
        self.fabric.switches().map(row).collect()
    }

    /// Hops that leaving a switch by a port counts as.
    fn weight(&self, switch: NodeId, port: u8) -> u32 {
        let guid = self.fabric.node(switch).guid;
        let listed = self.options.hop_weights.iter().rev().find(|w| (w.0, w.1) == (guid, port) && w.2 != 0);
        listed.map_or(1, |w| u32::from(w.2))
    }

    pub fn minhop_matrices(&self) -> Matrices {
        let mut hops = self.empty();
        for &s in &self.order {
            hops[s.ix()][s.ix()][0] = 0;
            for p in 1..=self.fabric.radix(s) {
                if let Some((r, _)) = self.far(s, p).filter(|&(r, _)| r != s) {
                    let row = &mut hops[s.ix()][r.ix()];
                    row[usize::from(p)] = self.weight(s, p) as u8;
                    row[0] = row[0].min(row[usize::from(p)]);
                }
            }
        }
        loop {
            let mut changed = false;
            for &s in &self.order {
                for p in 1..=self.fabric.radix(s) {
                    let Some((r, _)) = self.far(s, p).filter(|&(r, _)| r != s) else { continue };
                    for &t in &self.order {
                        let through = u32::from(hops[r.ix()][t.ix()][0]) + self.weight(s, p);
                        let row = &mut hops[s.ix()][t.ix()];
                        if through < u32::from(row[usize::from(p)]) {
                            row[usize::from(p)] = through as u8;
                            row[0] = row[0].min(through as u8);
                            changed = true;
                        }
                    }
                }
            }
            if !changed {
                return hops;
            }
        }
    }

    pub fn end_ports(&self, switch: NodeId) -> Vec<(u8, PortId)> {
        let port = |p| self.fabric.peer(self.fabric.port(switch, p).unwrap()).map(|far| (p, far));
        let all = (1..=self.fabric.radix(switch)).filter_map(port);
        all.filter(|&(_, far)| !self.fabric.is_switch(self.fabric.node_of(far))).collect()
    }

    /// Root switches by the histogram; the fabrics here are one component or have no roots given.
    fn roots(&self, hops: &Matrices) -> Option<Vec<bool>> {
        if let Some(listed) = &self.options.roots {
            let is_root: Vec<bool> =
                self.fabric.switches().map(|s| listed.contains(&self.fabric.node(s).guid)).collect();
            return is_root.contains(&true).then_some(is_root);
        }
        let total: usize = self.fabric.switches().map(|s| self.end_ports(s).len()).sum();
        let is_root: Vec<bool> = self
            .fabric
            .switches()
            .map(|s| {
                let mut bars = [0_usize; 64];
                for t in self.fabric.switches() {
                    if let Some(bar) = bars.get_mut(usize::from(hops[s.ix()][t.ix()][0])) {
                        *bar += self.end_ports(t).len();
                    }
                }
                let over = |share: f64| bars.iter().filter(|&&n| n as f64 > share * total as f64).count();
                over(0.9) == 1 && over(0.05) == 1
            })
            .collect();
        is_root.contains(&true).then_some(is_root)
    }

    pub fn updn_matrices(&self) -> Option<Matrices> {
        let free = self.minhop_matrices();
        let is_root = self.roots(&free)?;
        let n = self.fabric.num_switches();
        let mut rank = vec![u32::MAX; n];
        let mut queue: Vec<NodeId> = self.order.iter().copied().filter(|s| is_root[s.ix()]).collect();
        for s in &queue {
            rank[s.ix()] = 0;
        }
        while !queue.is_empty() {
            let s = queue.remove(0);
            for p in 1..=self.fabric.radix(s) {
                if let Some((r, _)) = self.far(s, p)
                    && rank[r.ix()] > rank[s.ix()] + 1
                {
                    rank[r.ix()] = rank[s.ix()] + 1;
                    queue.push(r);
                }
            }
        }
        let id = |s: NodeId| {
            let guid = self.fabric.node(s).guid;
            self.options.ids.iter().rev().find(|listed| listed.0 == guid).map_or(guid.0, |listed| listed.1)
        };
        let climbs = |a: NodeId, b: NodeId| {
            let (ra, rb) = (rank[a.ix()], rank[b.ix()]);
            if ra == 0 && rb == 0 {
                true
            } else if ra == rb {
                id(a) > id(b)
            } else {
                ra > rb
            }
        };
        let mut hops = self.empty();
        if self.options.connect_roots {
            for s in 0..n {
                for t in (0..n).filter(|&t| is_root[t]) {
                    hops[s][t].clone_from(&free[s][t]);
                }
            }
        }
        for &target in &self.order {
            let t = target.ix();
            hops[t][t][0] = 0;
            let mut label = vec![true; n];
            let mut flagged = vec![false; n];
            let mut queue = vec![target];
            while !queue.is_empty() {
                let u = queue.remove(0);
                flagged[u.ix()] = false;
                let climbed = label[u.ix()];
                for p in 1..=self.fabric.radix(u) {
                    let Some((v, q)) = self.far(u, p) else { continue };
                    let climb = climbs(u, v);
                    if !climbed && climb {
                        continue;
                    }
                    let next = u32::from(hops[u.ix()][t][0]) + 1;
                    let row = &mut hops[v.ix()][t];
                    if next < u32::from(row[usize::from(q)]) {
                        row[usize::from(q)] = next as u8;
                        row[0] = row[0].min(next as u8);
                        if !flagged[v.ix()] {
                            label[v.ix()] = climb;
                            flagged[v.ix()] = true;
                            queue.push(v);
                        }
                    }
                }
            }
        }
        Some(hops)
    }

    pub fn targets(&self) -> Vec<PortId> {
        let mut end_ports: Vec<PortId> = self.fabric.switches().map(|s| self.fabric.port0(s)).collect();
        end_ports.extend(self.fabric.end_nodes().flat_map(|n| self.fabric.ports_of(n)));
        end_ports.sort_by_key(|&p| self.fabric.port_info(p).guid.0.to_le_bytes());
        let mut list = Vec::new();
        for guid in &self.options.order {
            list.extend(end_ports.iter().find(|&&p| self.fabric.port_info(p).guid == *guid));
        }
        let mut switches = self.order.clone();
        switches.sort_by_key(|&s| std::cmp::Reverse(self.end_ports(s).len()));
        list.extend(switches.iter().flat_map(|&s| self.end_ports(s)).map(|(_, far)| far));
        list.extend(end_ports);
        let mut seen = vec![false; self.fabric.num_ports()];
        list.retain(|p| self.lids.base(*p) != 0 && !std::mem::replace(&mut seen[p.ix()], true));
        list
    }

    fn tables(&self, hops: &Matrices) -> Lft {
        self.choice(hops, &self.targets()).tables()
    }

    /// The choice of ports with these matrices, as `minhop` makes it.
    pub fn choice<'b>(&'b self, hops: &'b Matrices, targets: &'b [PortId]) -> Literal<'b> {
        let Self { fabric, lids, options, .. } = *self;
        Literal { fabric, lids, options, hops, order: &self.order, targets, dor: false, previous: None }
    }
}

/// Spreads numbers over all bytes, so that byte-reversed and numeric order differ; injective.
pub fn scattered(number: u64) -> u64 {
    number.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x0102_0304_0506_0708
}

#[derive(Clone, Debug)]
pub struct Recipe {
    radix: Vec<u8>,
    hosts: usize,
    cables: Vec<(prop::sample::Index, prop::sample::Index)>,
    seed: u64,
}

/// Any cables between any ports: parallel ones, loops, adapters cabled to adapters, islands.
pub fn build(recipe: &Recipe) -> Fabric {
    let mut b = FabricBuilder::new();
    let mut sockets = Vec::new();
    for (number, &radix) in recipe.radix.iter().enumerate() {
        let guid = scattered(recipe.seed + number as u64);
        // Now and then, two switches are chips of one system.
        let system_guid = Guid(scattered(guid % 3 + number as u64 / 2));
        let chip = Node { system_guid, ..node(NodeKind::Switch, number, guid) };
        let handle = b.add_node(chip, radix).unwrap();
        b.port_mut(handle, 0).unwrap().guid = Guid(guid);
        sockets.extend((1..=u32::from(radix)).map(|p| (handle, p)));
    }
    for host in 0..recipe.hosts {
        let number = recipe.radix.len() + host;
        let ports = 1 + u8::from(host % 5 == 0);
        let guid = scattered(recipe.seed + number as u64);
        let handle = b.add_node(node(NodeKind::Adapter, number, guid), ports).unwrap();
        for p in 1..=u32::from(ports) {
            b.port_mut(handle, p).unwrap().guid =
                Guid(scattered(recipe.seed + 1000 * u64::from(p) + host as u64));
            sockets.push((handle, p));
        }
    }
    for (from, to) in &recipe.cables {
        // Taken and equal sockets are refused by the builder: that cable is left out.
        let _ = b.connect(*from.get(&sockets), *to.get(&sockets));
    }
    b.finish()
}

pub fn recipes() -> impl Strategy<Value = Recipe> {
    // Small switches, many of them sparsely cabled (long detours for updn), or a few so large that
    // a mask of their ports takes several words.
    let small = prop::collection::vec(2..12_u8, 1..14);
    let large = prop::collection::vec(prop_oneof![2..12_u8, 60..140_u8, Just(254)], 2..6);
    let sparse = prop::collection::vec(3..5_u8, 15..40);
    (prop_oneof![2 => small, 2 => sparse, 1 => large], 0..30_usize, any::<u32>()).prop_flat_map(
        |(radix, hosts, seed)| {
            let sockets = radix.iter().map(|&r| usize::from(r)).sum::<usize>() + hosts;
            let end = any::<prop::sample::Index>();
            prop::collection::vec((end.clone(), end), 0..2 * sockets).prop_map(move |cables| Recipe {
                radix: radix.clone(),
                hosts,
                cables,
                seed: u64::from(seed),
            })
        },
    )
}

/// A two-tier tree with holes: `dense` cables of every leaf–spine pair, less those in `missing`.
pub fn tree(
    leaves: usize,
    spines: usize,
    per_leaf: usize,
    parallel: usize,
    missing: u64,
    seed: u64,
) -> Fabric {
    let mut b = FabricBuilder::new();
    let mut add = |kind, number: usize, radix: usize| {
        let guid = scattered(seed + number as u64);
        let handle = b.add_node(node(kind, number, guid), radix as u8).unwrap();
        b.port_mut(handle, u32::from(kind != NodeKind::Switch)).unwrap().guid = Guid(guid);
        handle
    };
    let leaf: Vec<_> = (0..leaves).map(|l| add(NodeKind::Switch, l, per_leaf + spines * parallel)).collect();
    let spine: Vec<_> = (0..spines).map(|s| add(NodeKind::Switch, leaves + s, leaves * parallel)).collect();
    let hosts: Vec<_> =
        (0..leaves * per_leaf).map(|h| add(NodeKind::Adapter, leaves + spines + h, 1)).collect();
    for (h, &host) in hosts.iter().enumerate() {
        b.connect((host, 1), (leaf[h % leaves], (h / leaves + 1) as u32)).unwrap();
    }
    for (l, &from) in leaf.iter().enumerate() {
        for (s, &to) in spine.iter().enumerate() {
            for k in 0..parallel {
                let cable = (l * spines + s) * parallel + k;
                if missing >> (cable % 64) & 1 == 0 {
                    let up = per_leaf + s * parallel + k + 1;
                    b.connect((from, up as u32), (to, (l * parallel + k + 1) as u32)).unwrap();
                }
            }
        }
    }
    b.finish()
}

fn routed(fabric: &Fabric, lids: &Lids, engine: Engine, options: &Options, threads: usize) -> Routes {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| route(fabric, lids.clone(), &[engine], options)).unwrap()
}

/// All engines, one and two threads, with these options.
pub fn compare(fabric: &Fabric, options: &Options) {
    let lids = lids(fabric);
    let reference = Reference::new(fabric, &lids, options);
    let minhop = reference.tables(&reference.minhop_matrices());
    let updn = reference.updn_matrices().map(|hops| reference.tables(&hops));
    let dnup = reference.dnup_matrices().map(|hops| reference.tables(&hops));
    for threads in [1, 2] {
        let got = routed(fabric, &lids, Engine::MinHop, options, threads);
        assert!(got.lft == minhop, "minhop, {threads} threads");
        for (engine, tables) in [(Engine::UpDn, &updn), (Engine::DnUp, &dnup)] {
            let got = routed(fabric, &lids, engine, options, threads);
            let expected = if tables.is_some() { (engine, 0) } else { (Engine::MinHop, 1) };
            assert_eq!((got.engine_used.only(), got.refusals.len()), (Some(expected.0), expected.1));
            assert!(got.lft == *tables.as_ref().unwrap_or(&minhop), "{engine}, {threads} threads");
        }
    }
}

/// GUIDs of every `step`-th port or switch, shuffled, with a repeated and an unknown one.
fn order(fabric: &Fabric, step: usize) -> Vec<Guid> {
    let ports = (0..fabric.num_ports() as u32).map(|p| fabric.port_info(PortId(p)).guid);
    let mut order: Vec<Guid> = ports.filter(|g| g.is_some()).step_by(step).collect();
    order.sort_by_key(|g| scattered(g.0));
    order.extend([order.first().copied().unwrap_or(Guid(1)), Guid(0xDEAD)]);
    order
}

fn options(fabric: &Fabric, listed: usize, roots: u64, connect_roots: bool, extra: u64) -> Options {
    let chosen = fabric.switches().filter(|s| roots >> (s.0 % 64) & 1 == 1);
    // One fabric in four has ids, few and some of them equal, and one in four has weights, few or heavy.
    let mut seed = extra;
    let mut draw = |below: u64| {
        seed = scattered(seed).rotate_left(17);
        seed % below
    };
    let (mut ids, mut hop_weights) = (Vec::new(), Vec::new());
    if draw(4) == 0 {
        ids = (0..20).map(|_| (guid_at(fabric, draw(1000)), draw(9))).collect();
    }
    if draw(4) == 0 {
        let heaviest = [3, 30, 256][draw(3) as usize];
        let weight = |_| (guid_at(fabric, draw(1000)), draw(9) as u8, draw(heaviest) as u8);
        hop_weights = (0..30).map(weight).collect();
    }
    Options {
        order: if listed == 0 { Vec::new() } else { order(fabric, listed) },
        roots: (roots != 0).then(|| chosen.map(|s| fabric.node(s).guid).collect()),
        connect_roots,
        ids,
        hop_weights,
        ..Options::default()
    }
}

fn guid_at(fabric: &Fabric, number: u64) -> Guid {
    let switches = fabric.num_switches() as u64;
    if switches == 0 { Guid(1) } else { fabric.node(NodeId((number % switches) as u32)).guid }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_fabrics_route_as_the_literal_rules_say(
        recipe in recipes(), listed in 0..4_usize, roots in prop_oneof![1..256_u64, (0..8_u32).prop_map(|b| 1 << b)], connect_roots: bool, extra: u64,
    ) {
        let fabric = largest_island(&build(&recipe));
        compare(&fabric, &options(&fabric, listed, roots, connect_roots, extra));
    }

    #[test]
    fn trees_with_holes_route_as_the_literal_rules_say(
        (leaves, spines, per_leaf, parallel) in (1..12_usize, 1..6_usize, 1..9_usize, 1..4_usize),
        missing in prop_oneof![Just(0_u64), (0..64_u32).prop_map(|b| 1 << b)],
        listed in 0..4_usize, roots in prop_oneof![Just(0_u64), any::<u64>()], connect_roots: bool, seed: u32, extra: u64,
    ) {
        prop_assume!(missing == 0 || spines * parallel > 1); // no leaf may become an island
        let fabric = tree(leaves, spines, per_leaf, parallel, missing, u64::from(seed));
        compare(&fabric, &options(&fabric, listed, roots, connect_roots, extra));
    }
}

#[test]
fn updn_walk_may_find_a_switch_nearer_after_it_found_it_farther() {
    // Target 29. Roots: 1, 2 and 11 to 14; all others have a root beside them, so that among them
    // going from a higher GUID to a lower one climbs.
    //   29 - 24 - 23 - 22 - 12 - 2          root 2 in five hops, always up, by its port 1;
    //   29 - 1 - 19                         19 in two hops, but down: no climbing on from there;
    //   29 - 24 - 23 - 22 - 20 - 19         19 a second time, after five hops, climbing: now it goes on, …
    //   19 - 2                              … counting from its two hops: root 2 in three hops, by
    //                                       its port 2, and port 1 is out.
    let mut cables = vec![
        (2, 12),
        (2, 19),
        (29, 1),
        (1, 19),
        (29, 24),
        (24, 23),
        (23, 22),
        (22, 12),
        (22, 20),
        (20, 19),
        (24, 14),
        (23, 13),
        (20, 11),
    ];
    // 14 leads to nowhere: 53 more switches hang off it. They come before 29 in OpenSM's order, so
    // that 29, the last of 65, is alone in its batch of 64 targets.
    cables.extend((1..=53).map(|k| (if k == 1 { 14 } else { (k - 1) << 8 | 3 }, k << 8 | 3)));
    let fabric = switches(&cables);
    let roots = Some([1, 2, 11, 12, 13, 14].map(Guid).to_vec());
    let options = Options { roots, ..Options::default() };
    compare(&fabric, &options);
    let lids = lids(&fabric);
    let switch = |guid| fabric.nodes().find(|(_, n)| n.guid == Guid(guid)).unwrap().0;
    let routes = routed(&fabric, &lids, Engine::UpDn, &options, 1);
    assert_eq!(routes.lft.get(switch(2), lids.of_switch(&fabric, switch(29))), 2);
}
