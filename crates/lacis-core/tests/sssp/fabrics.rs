//! Random fabrics, LIDs and options.

use lacis_core::fabric::{Fabric, FabricBuilder, Guid, Node, NodeKind, PortId};
use lacis_core::generate::SplitMix64;
use lacis_core::routing::Options;
use lacis_core::sm::lids::Lids;

/// Switches by number, the cables between them, and the switches that each end node is cabled to.
struct Draft {
    switches: usize,
    cables: Vec<(usize, usize)>,
    ends: Vec<Vec<usize>>,
}

/// With at most so many pods, leaves and middle switches of each.
fn tree(r: &mut SplitMix64, most: [usize; 3]) -> Draft {
    let sizes = most.map(|most| 1 + r.below(most));
    tree_of(sizes, r.below(4), 1 + r.below(2), r.below(4))
}

fn tree_of([pods, leaves, mids]: [usize; 3], cores: usize, parallel: usize, hosts: usize) -> Draft {
    let per_pod = leaves + mids;
    let mut d = Draft { switches: pods * per_pod + mids * cores, cables: Vec::new(), ends: Vec::new() };
    for pod in 0..pods {
        for (leaf, mid) in (0..leaves).flat_map(|l| (0..mids).map(move |m| (l, m))) {
            let cable = (pod * per_pod + leaf, pod * per_pod + leaves + mid);
            d.cables.extend(vec![cable; parallel]);
        }
        for (mid, core) in (0..mids).flat_map(|m| (0..cores).map(move |c| (m, c))) {
            d.cables.push((pod * per_pod + leaves + mid, pods * per_pod + mid * cores + core));
        }
        d.ends.extend((0..leaves).flat_map(|leaf| vec![vec![pod * per_pod + leaf]; hosts]));
    }
    d
}

fn grid(r: &mut SplitMix64) -> Draft {
    let sizes = [2 + r.below(4), 1 + r.below(4), 1 + r.below(3)];
    let (hosts, closed) = (1 + r.below(2), r.below(3) > 0);
    let at = |p: [usize; 3]| (p[0] * sizes[1] + p[1]) * sizes[2] + p[2];
    let switches = sizes.iter().product();
    let mut cables = Vec::new();
    for i in 0..switches {
        let position = [i / sizes[2] / sizes[1], i / sizes[2] % sizes[1], i % sizes[2]];
        for d in 0..3 {
            let mut next = position;
            next[d] = (next[d] + 1) % sizes[d];
            if next[d] > position[d] || closed && sizes[d] > 2 {
                cables.push((at(position), at(next)));
            }
        }
    }
    Draft { switches, cables, ends: (0..switches).flat_map(|s| vec![vec![s]; hosts]).collect() }
}

/// Where end nodes are on few switches far apart, paths add so much weight to the links between them
/// that one more hop may be the shorter path.
fn ring(r: &mut SplitMix64) -> Draft {
    let switches = 3 + r.below(12);
    let mut cables: Vec<(usize, usize)> = (0..switches).map(|s| (s, (s + 1) % switches)).collect();
    cables.extend((0..r.below(3)).map(|_| (r.below(switches), r.below(switches))));
    let edge_switches = [0, switches / 2, r.below(switches)];
    let ends = edge_switches.iter().flat_map(|&s| vec![vec![s]; r.below(12)]).collect();
    Draft { switches, cables, ends }
}

fn irregular(r: &mut SplitMix64) -> Draft {
    let switches = 1 + r.below(16);
    let mut cables: Vec<(usize, usize)> = (1..switches).map(|s| (s, r.below(s))).collect();
    cables.extend((0..r.below(3 * switches)).map(|_| (r.below(switches), r.below(switches))));
    let ends = (0..switches).flat_map(|s| vec![vec![s]; r.below(4)]).collect();
    Draft { switches, cables, ends }
}

fn build(d: &Draft, r: &mut SplitMix64) -> Fabric {
    let mut b = FabricBuilder::new();
    let mut used = vec![0; d.switches];
    let node = |b: &mut FabricBuilder, kind, id: String, ports: u8, r: &mut SplitMix64| {
        let guid = Guid(r.draw() & !0xff);
        let node = Node {
            kind,
            guid,
            system_guid: guid,
            description: id.clone().into(),
            id: id.into(),
            vendor: 0,
            device: 0,
            enhanced_port0: false,
            chassis: None,
            declared: None,
        };
        let handle = b.add_node(node, ports).unwrap();
        let first = u32::from(kind != NodeKind::Switch);
        for port in first..=if first == 0 { 0 } else { u32::from(ports) } {
            b.port_mut(handle, port).unwrap().guid = Guid(guid.0 + u64::from(port));
        }
        handle
    };
    let switches: Vec<_> =
        (0..d.switches).map(|s| node(&mut b, NodeKind::Switch, format!("s{s}"), 200, r)).collect();
    let mut cables: Vec<_> = d.cables.iter().map(|&(a, z)| (a, Ok(z))).collect();
    for (number, edge_switches) in d.ends.iter().enumerate() {
        let kind = match number % 13 {
            11 => NodeKind::Aggregation,
            12 => NodeKind::Router,
            _ => NodeKind::Adapter,
        };
        let end = node(&mut b, kind, format!("h{number}"), edge_switches.len() as u8, r);
        cables.extend(
            edge_switches.iter().zip(1..).map(|(&edge_switch, port)| (edge_switch, Err((end, port)))),
        );
    }
    r.shuffle(&mut cables);
    let mut next = |s: usize| {
        used[s] += 1;
        (switches[s], used[s])
    };
    for (a, z) in cables {
        let a = next(a);
        let z = z.map_or_else(|end| end, &mut next);
        b.connect(a, z).unwrap();
    }
    b.finish()
}

/// A connected fabric, LIDs in random order, and options.
pub fn random(seed: u64) -> (Fabric, Lids, Options) {
    let r = &mut SplitMix64::new(seed);
    let draft = match r.below(5) {
        0 | 1 => tree(r, [4, 5, 4]),
        2 => grid(r),
        3 => ring(r),
        _ => irregular(r),
    };
    complete(draft, r)
}

/// The same for trees whose switches have many neighbours.
pub fn wide(seed: u64) -> (Fabric, Lids, Options) {
    let r = &mut SplitMix64::new(seed);
    let draft = tree(r, [3, 45, 14]);
    complete(draft, r)
}

/// The same for a tree of many pods.
pub fn of_pods(seed: u64) -> (Fabric, Lids, Options) {
    complete(tree_of([140, 2, 1], 1, 1, 1), &mut SplitMix64::new(seed))
}

/// A fabric whose switches need not be connected.
pub fn in_islands(seed: u64) -> (Fabric, Lids, Options) {
    let r = &mut SplitMix64::new(seed);
    let mut draft = if r.below(2) == 0 { tree(r, [4, 5, 4]) } else { irregular(r) };
    draft.cables.retain(|_| r.below(100) >= 30);
    let fabric = build(&draft, r);
    with_options(fabric, r)
}

fn complete(mut draft: Draft, r: &mut SplitMix64) -> (Fabric, Lids, Options) {
    let damage = [0, 0, 5, 20][r.below(4)];
    draft.cables.retain(|_| r.below(100) >= damage);
    for _ in 0..[0, 0, 3][r.below(3)] {
        draft.ends.push(vec![r.below(draft.switches)]);
        draft.ends.push(vec![r.below(draft.switches), r.below(draft.switches)]);
    }
    let fabric = build(&draft, r);
    // One subnet: what the first switch sees.
    let mut seen = vec![false; fabric.num_nodes()];
    let mut open: Vec<_> = fabric.switches().take(1).collect();
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut seen[node.ix()], true) && fabric.is_switch(node) {
            open.extend(fabric.ports_of(node).filter_map(|p| fabric.peer(p)).map(|q| fabric.node_of(q)));
        }
    }
    let fabric = fabric.filtered(|n| seen[n.ix()], |_, _| true);
    with_options(fabric, r)
}

fn with_options(fabric: Fabric, r: &mut SplitMix64) -> (Fabric, Lids, Options) {
    let mut ports: Vec<PortId> = fabric.end_ports_in_opensm_order();
    let adapters: Vec<PortId> =
        ports.iter().copied().filter(|&p| !fabric.is_switch(fabric.node_of(p))).collect();
    let lmc = [0, 0, 0, 1, 2][r.below(5)];
    r.shuffle(&mut ports);
    let mut lids = Lids::none(&fabric);
    let mut next = 1_u32;
    for port in ports {
        let own = if fabric.is_switch(fabric.node_of(port)) { 0 } else { lmc };
        next = next.next_multiple_of(1 << own);
        lids.set(port, next, own);
        next += 1 << own;
    }
    let mut some = |percent| {
        (r.below(3) == 0).then(|| {
            let picked = adapters.iter().filter(|_| r.below(100) < percent);
            picked.map(|&p| fabric.port_info(p).guid).collect::<Vec<Guid>>()
        })
    };
    let (cn, io) = (some(70), some(30));
    let vls = 1 + r.below(8) as u8;
    (fabric, lids, Options { cn, io, vls, ..Options::default() })
}
