//! Trees with two or three levels, damaged at random.

use lacis_core::fabric::{Fabric, FabricBuilder, Guid, Node, NodeId, NodeKind};
use lacis_core::routing::Options;
use lacis_core::sm::lids::Lids;

/// Sebastiano Vigna's `SplitMix64`.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
    /// True in `percent` of all cases.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.next() % 100 < percent
    }
    fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.below(i + 1));
        }
    }
}

/// What may be wrong with a tree. Each is a chance in percent.
#[derive(Clone, Copy, Debug)]
pub struct Damage {
    pub cable_lost: u64,
    pub host_lost: u64,
    pub switch_lost: u64,
    /// Of one more cable between switches of a level, or (rarely) of any two switches.
    pub astray: u64,
    /// Of hosts on a switch that is no leaf.
    pub upper_host: u64,
    pub dual_port: u64,
}

/// A switch's name is its index; hosts are numbered on.
pub struct Draft {
    pub level: Vec<u32>,
    pub cables: Vec<(usize, usize)>,
    /// The switches that each host is cabled to.
    pub hosts: Vec<Vec<usize>>,
}

fn tree(r: &mut Random) -> Draft {
    let mut d = Draft { level: Vec::new(), cables: Vec::new(), hosts: Vec::new() };
    let parallel = 1 + r.below(5) / 2;
    let hosts = 1 + r.below(4);
    let mut add = |level| {
        d.level.push(level);
        d.level.len() - 1
    };
    let mut cables = Vec::new();
    let leaves: Vec<usize> = if r.chance(40) {
        let leaves: Vec<usize> = (0..2 + r.below(5)).map(|_| add(0)).collect();
        let spines: Vec<usize> = (0..=r.below(4)).map(|_| add(1)).collect();
        cables.extend(leaves.iter().flat_map(|&l| spines.iter().map(move |&s| (l, s))));
        leaves
    } else {
        let (pods, wide, high) = (2 + r.below(3), 1 + r.below(3), 1 + r.below(3));
        let leaves: Vec<usize> = (0..pods * wide).map(|_| add(0)).collect();
        let mids: Vec<usize> = (0..pods * high).map(|_| add(1)).collect();
        let per_group = 1 + r.below(3);
        let groups = if r.chance(50) { high } else { 1 };
        let cores: Vec<usize> = (0..groups * per_group).map(|_| add(2)).collect();
        for pod in 0..pods {
            for m in 0..high {
                let mid = mids[pod * high + m];
                cables.extend((0..wide).map(|l| (leaves[pod * wide + l], mid)));
                let group = m % groups;
                cables.extend((0..per_group).map(|c| (mid, cores[group * per_group + c])));
            }
        }
        leaves
    };
    let uneven = r.chance(30);
    for leaf in leaves {
        let count = if uneven { r.below(hosts + 1) } else { hosts };
        d.hosts.extend((0..count).map(|_| vec![leaf]));
    }
    d.cables = cables.iter().flat_map(|&c| std::iter::repeat_n(c, parallel)).collect();
    d
}

fn damage(d: &mut Draft, r: &mut Random, by: Damage) {
    let lost: Vec<bool> = d.level.iter().map(|_| r.chance(by.switch_lost)).collect();
    d.cables.retain(|&(a, b)| !lost[a] && !lost[b] && !r.chance(by.cable_lost));
    d.hosts.retain(|h| !lost[h[0]] && !r.chance(by.host_lost));
    let count = d.level.len();
    while r.chance(by.astray) {
        let (a, b) = (r.below(count), r.below(count));
        if !lost[a] && !lost[b] && (d.level[a] == d.level[b] || r.chance(15)) {
            d.cables.push((a, b));
        }
    }
    while r.chance(by.upper_host) {
        let s = r.below(count);
        if !lost[s] {
            d.hosts.push(vec![s]);
        }
    }
    for host in &mut d.hosts {
        if r.chance(by.dual_port) {
            host.push(r.below(count));
        }
    }
}

fn node(kind: NodeKind, id: String, guid: u64) -> Node {
    Node {
        kind,
        guid: Guid(guid),
        system_guid: Guid::NONE,
        description: id.clone().into(),
        id: id.into(),
        vendor: 0,
        device: 0,
        enhanced_port0: false,
        chassis: None,
        declared: None,
    }
}

fn build(d: &Draft, r: &mut Random) -> Fabric {
    // Cables take the ports of a switch in random order; some ports stay free.
    let hosts = d
        .hosts
        .iter()
        .enumerate()
        .flat_map(|(h, edge_switches)| edge_switches.iter().map(move |&s| (s, Err(h))));
    let mut cables: Vec<(usize, Result<usize, usize>)> = d.cables.iter().map(|&(a, b)| (a, Ok(b))).collect();
    cables.extend(hosts);
    if r.chance(70) {
        r.shuffle(&mut cables);
    }
    let mut degree = vec![0_u32; d.level.len()];
    for &(a, to) in &cables {
        degree[a] += 1;
        if let Ok(b) = to {
            degree[b] += 1;
        }
    }
    let guids_in_order = r.chance(30);
    // Room for the ports' GUIDs: an adapter's port N has the node's GUID + N, as ibsim answers.
    let mut guid = |i: usize| if guids_in_order { 0x100 + 16 * i as u64 } else { r.next() & !15 };
    let mut b = FabricBuilder::new();
    let mut count = 0..;
    let mut fresh = || guid(count.next().unwrap());
    let switches: Vec<_> = degree
        .iter()
        .enumerate()
        .map(|(s, &n)| {
            let guid = fresh();
            let switch = b.add_node(node(NodeKind::Switch, format!("s{s}"), guid), n as u8 + 2).unwrap();
            b.port_mut(switch, 0).unwrap().guid = Guid(guid);
            switch
        })
        .collect();
    let ends: Vec<_> = d
        .hosts
        .iter()
        .enumerate()
        .map(|(h, edge_switches)| {
            let kind = if h % 17 == 16 { NodeKind::Router } else { NodeKind::Adapter };
            let guid = fresh();
            let end = b.add_node(node(kind, format!("h{h}"), guid), edge_switches.len() as u8).unwrap();
            for p in 1..=edge_switches.len() as u32 {
                b.port_mut(end, p).unwrap().guid = Guid(guid + u64::from(p));
            }
            end
        })
        .collect();
    let mut free: Vec<Vec<u32>> = degree.iter().map(|&n| (1..=n + 2).rev().collect()).collect();
    let mut free_end: Vec<Vec<u32>> = d.hosts.iter().map(|h| (1..=h.len() as u32).rev().collect()).collect();
    for (s, to) in cables {
        let p = free[s].pop().unwrap();
        let peer = match to {
            Ok(v) => (switches[v], free[v].pop().unwrap()),
            Err(h) => (ends[h], free_end[h].pop().unwrap()),
        };
        b.connect((switches[s], p), peer).unwrap();
    }
    b.finish()
}

/// What OpenSM sees from the first host: the switches connected with its own, and what is on them.
fn one_subnet(fabric: &Fabric) -> Fabric {
    let first = fabric.end_nodes().flat_map(|n| fabric.ports_of(n)).find_map(|p| fabric.edge_switch(p));
    let mut seen = vec![false; fabric.num_nodes()];
    let mut open: Vec<NodeId> = first.or_else(|| fabric.switches().next()).into_iter().collect();
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut seen[node.ix()], true) && fabric.is_switch(node) {
            open.extend(fabric.ports_of(node).filter_map(|p| fabric.peer(p)).map(|q| fabric.node_of(q)));
        }
    }
    fabric.filtered(|n| seen[n.ix()], |_, _| true)
}

/// A fabric with LIDs in random order, and options that fit it.
pub fn random(seed: u64, by: Damage) -> (Fabric, Lids, Options) {
    let r = &mut Random(seed);
    let mut draft = tree(r);
    damage(&mut draft, r, by);
    let fabric = one_subnet(&build(&draft, r));
    let level = |s: NodeId| draft.level[fabric.node(s).description[1..].parse::<usize>().unwrap()];
    let mut ports: Vec<_> = fabric.switches().map(|s| fabric.port0(s)).collect();
    let ends = fabric.end_nodes().flat_map(|n| fabric.ports_of(n)).filter(|&p| fabric.peer(p).is_some());
    let ends: Vec<_> = ends.collect();
    ports.extend(&ends);
    r.shuffle(&mut ports);
    let mut lids = Lids::none(&fabric);
    for (&port, lid) in ports.iter().zip(1..) {
        lids.set(port, lid, 0);
    }
    let top = draft.level.iter().copied().max().unwrap_or(0);
    let named_roots = r.chance(60).then(|| {
        let mut roots: Vec<Guid> = fabric
            .switches()
            .filter(|s| level(*s) == top || (by.astray > 0 && r.chance(2)))
            .map(|s| fabric.node(s).guid)
            .collect();
        roots.push(Guid(1));
        r.shuffle(&mut roots);
        roots
    });
    let some_ports = |percent, r: &mut Random| -> Option<Vec<Guid>> {
        r.chance(40).then(|| {
            let pick = ends.iter().filter(|_| r.chance(percent));
            pick.map(|&p| fabric.port_info(p).guid).collect()
        })
    };
    let on_upper = |fabric: &Fabric| {
        let upper = |p: &lacis_core::fabric::PortId| fabric.edge_switch(*p).is_some_and(|s| level(s) > 0);
        ends.iter().copied().filter(upper).map(|p| fabric.port_info(p).guid).collect::<Vec<_>>()
    };
    let (cn, mut io) = (some_ports(80, r), some_ports(20, r));
    let upper = on_upper(&fabric);
    if !upper.is_empty() && r.chance(80) {
        io.get_or_insert_default().extend(&upper);
    }
    let cn = cn.map(|l| l.into_iter().filter(|g| !upper.contains(g)).collect());
    let options = Options {
        roots: named_roots,
        cn,
        io,
        reverse_hops: r.below(4) as u8,
        connect_roots: r.chance(30),
        ..Options::default()
    };
    (fabric, lids, options)
}
