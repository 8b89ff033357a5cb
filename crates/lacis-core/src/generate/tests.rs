//! Closed forms and hand counts for every family.

use super::*;
use crate::fabric::{NodeId, Population, PortId};

fn make(spec: &str) -> Fabric {
    generate(spec).unwrap_or_else(|e| panic!("{e}"))
}

/// Switches, end nodes, cables between switches.
fn counts(f: &Fabric) -> (usize, usize, usize) {
    let isl = f.cables().filter(|&(a, b)| f.is_switch(f.node_of(a)) && f.is_switch(f.node_of(b)));
    (f.num_switches(), f.end_nodes().len(), isl.count())
}

fn node_named(f: &Fabric, description: &str) -> NodeId {
    f.nodes().find(|(_, n)| *n.description == *description).map(|(id, _)| id).expect(description)
}

fn cables_between(f: &Fabric, a: NodeId, b: NodeId) -> usize {
    f.ports_of(a).filter(|&p| f.peer(p).is_some_and(|q| f.node_of(q) == b)).count()
}

/// Neighbouring switches of a switch, each once.
fn neighbours(f: &Fabric, switch: NodeId) -> Vec<NodeId> {
    let mut found: Vec<NodeId> = f
        .ports_of(switch)
        .filter_map(|p| f.peer(p))
        .map(|q| f.node_of(q))
        .filter(|&n| f.is_switch(n))
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

#[test]
fn every_family_has_the_counts_of_its_closed_form() {
    // Full trees of radix R: L = 2: R leaves of R/2 hosts, R/2 spines, R²/2 cables. L = 3: R pods
    // of R/2 leaves and R/2 mids, R²/4 cores, R³/4 cables on each of two tiers. L = 4: R pods of
    // (R/2)² leaves and as many on each of two tiers of mids, (R/2)³ cores.
    for (spec, expected) in [
        ("fat-tree:36,1", (1, 36, 0)),
        ("fat-tree:36,2", (36 + 18, 648, 648)),
        ("fat-tree:48,2", (48 + 24, 1152, 1152)),
        ("fat-tree:8,3", (32 + 32 + 16, 128, 256)),
        ("fat-tree:36,3", (648 + 648 + 324, 11_664, 23_328)),
        ("fat-tree:48,3", (1152 + 1152 + 576, 27_648, 55_296)),
        ("fat-tree:4,4", (16 + 16 + 16 + 8, 32, 96)),
        // 8 pods × 18 × 18; cores 18 × 6; cables 8 × 18 × 18 on each tier.
        ("fat-tree:36,3:pods=8", (144 + 144 + 108, 2592, 5184)),
        // 36 / 3 = 12 up, 24 hosts; 12 spines.
        ("fat-tree:36,2:taper=2", (36 + 12, 864, 432)),
        // 64 / 3: 21 up, 42 hosts.
        ("fat-tree:64,2:taper=2", (64 + 21, 64 * 42, 64 * 21)),
        // A pod: 4 leaves of 6 hosts and 2 up (8 / 4), 2 mids of 4 up; cores 2 × 4.
        ("fat-tree:8,3:taper=3", (32 + 16 + 8, 192, 64 + 64)),
        // 12 leaves, 18 / 3 = 6 spines with 3 cables to each leaf.
        ("fat-tree:36,2:pods=12", (12 + 6, 216, 216)),
        ("opa-1152", (48 + 24, 1152, 1152)),
        ("article", (4, 4, 4)),
        ("diamond", (1, 32, 0)),
        // Directors: 2 × 27 chips, 2 × 18 × 9 × 2 lines; 8 uplinks a leaf.
        ("itasca", (64 + 54, 1024, 648 + 512)),
        ("itasca:67", (67 + 54, 1072, 648 + 536)),
        // 32 switches; x and y rings of 4 (32 cables each), z pairs (16).
        ("torus:4x4x2", (32, 32, 80)),
        ("torus:4x4x2,h=3", (32, 96, 80)),
        ("mesh:3x4:h=2", (12, 24, 2 * 4 + 3 * 3)),
        ("ring:5", (5, 5, 5)),
        ("ring:2", (2, 2, 1)),
        ("chain:5:h=0", (5, 0, 4)),
        ("hypercube:4", (16, 16, 32)),
        // 9 groups of 4: 6 local cables each, 36 pairs of groups.
        ("dragonfly:2,4,2", (36, 72, 54 + 36)),
        // G (L + S) switches, G L H hosts, G (L S P) cables within groups and G S g / 2 between.
        ("dragonfly+:3,3,2,4", (15, 36, 18 + 6)),
        ("dragonfly+:8,6,4,10:parallel=3,global=14", (80, 480, 576 + 224)),
        ("dragonfly+:21,4,5,4:global=4", (189, 336, 420 + 210)),
        // Hosts 1, 2, 3, 4, 1, 2, … over twelve leaves.
        ("dragonfly+:4,3,2,4:least=1", (20, 30, 24 + 12)),
        ("fat-tree:4,2:rails=3", (18, 24, 24)),
    ] {
        assert_eq!(counts(&make(spec)), expected, "{spec}");
    }
}

#[test]
fn full_trees_use_every_port_of_every_switch() {
    for spec in ["fat-tree:8,2", "fat-tree:8,3", "fat-tree:4,4", "fat-tree:36,3:pods=18"] {
        let f = make(spec);
        let used = |s: NodeId| f.ports_of(s).all(|p| f.peer(p).is_some());
        assert!(f.switches().all(used), "{spec}");
    }
}

#[test]
fn fewer_pods_make_parallel_cables_to_fewer_cores() {
    let f = make("fat-tree:36,3:pods=8");
    let mid = node_named(&f, "mid-08-18");
    let up: Vec<NodeId> =
        neighbours(&f, mid).into_iter().filter(|&n| f.node(n).description.starts_with("core")).collect();
    assert_eq!(up.len(), 6);
    assert!(up.iter().all(|&core| cables_between(&f, mid, core) == 3));
    // A core has 3 cables to the same mid of each of 8 pods: 24 ports.
    let core = node_named(&f, "core-18-06");
    assert_eq!(neighbours(&f, core).len(), 8);
    assert_eq!(f.ports_of(core).filter(|&p| f.peer(p).is_some()).count(), 24);
}

#[test]
fn leaves_of_a_near_set_share_their_mids() {
    let f = make("itasca");
    for (leaf, mids) in [("leaf-01", [1, 2]), ("leaf-09", [1, 2]), ("leaf-10", [3, 4]), ("leaf-64", [15, 16])]
    {
        let expected: Vec<NodeId> = [1, 2]
            .into_iter()
            .flat_map(|d| mids.map(|m| node_named(&f, &format!("director-{d}-mid-{m:02}"))))
            .collect();
        let leaf = node_named(&f, leaf);
        assert_eq!(neighbours(&f, leaf), expected);
        assert!(expected.iter().all(|&mid| cables_between(&f, leaf, mid) == 2));
    }
    for d in [1, 2] {
        let (mid, top) =
            (node_named(&f, &format!("director-{d}-mid-03")), node_named(&f, &format!("director-{d}-top-9")));
        // 9 leaves and 9 tops; 18 mids on 36 ports.
        assert_eq!(neighbours(&f, mid).len(), 18);
        assert_eq!(neighbours(&f, top).len(), 18);
        assert_eq!(cables_between(&f, mid, top), 2);
        assert_eq!(f.node(mid).system_guid, f.node(top).system_guid);
    }
    // 324 ports out of each director, of which the leaves take 64 × 8 in all.
    let mids = f.switches().filter(|&s| f.node(s).description.contains("mid"));
    let free = mids.flat_map(|s| f.ports_of(s)).filter(|&p| f.peer(p).is_none()).count();
    assert_eq!(free, 2 * 324 - 64 * 8);
}

#[test]
fn hosts_are_named_and_numbered_as_in_the_field() {
    let f = make("article");
    let edge = node_named(&f, "edge1");
    assert_eq!(f.edge_switch(f.port(node_named(&f, "NodeB hfi1_0"), 1).unwrap()), Some(edge));
    assert_eq!(f.port_info(f.port(edge, 1).unwrap()).rate.unwrap().to_string(), "4xOPA100");
    let f = make("fat-tree:4,2:rails=2,rate=1xSDR");
    let host = node_named(&f, "node0008 HCA-2");
    let port = f.port(host, 1).unwrap();
    assert_eq!(*f.node(f.edge_switch(port).unwrap()).description, *"rail2-leaf-04");
    assert_eq!(f.port_info(port).rate.unwrap().to_string(), "1xSDR");
    assert_eq!(f.port_info(port).guid.0, f.node(host).guid.0 + 1);
    assert_eq!(*f.node(host).id, format!("H-{:016x}", f.node(host).guid.0));
}

#[test]
fn guids_are_distinct_lids_unset_and_both_ends_listed() {
    for spec in ["fat-tree:8,3", "itasca", "pgft:2;3,2;2,3;2,1", "article", "torus:3x3:rails=2"] {
        let f = make(spec);
        let mut guids: Vec<u64> = f.nodes().map(|(_, n)| n.guid.0).collect();
        guids.extend(f.end_nodes().flat_map(|n| f.ports_of(n)).map(|p| f.port_info(p).guid.0));
        let count = guids.len();
        guids.sort_unstable();
        guids.dedup();
        assert_eq!(guids.len(), count, "{spec}");
        for p in (0..f.num_ports() as u32).map(PortId) {
            let port = f.port_info(p);
            assert_eq!(
                (port.lid, port.listed, port.rate.is_some()),
                (0, f.peer(p).is_some(), f.peer(p).is_some())
            );
        }
        for s in f.switches() {
            assert_eq!(f.port_info(f.port0(s)).guid, f.node(s).guid);
        }
    }
}

#[test]
fn random_graphs_are_connected_within_their_degree_and_follow_their_seed() {
    for seed in 0..20 {
        let spec = format!("random:17,4,2:seed={seed}");
        let f = make(&spec);
        assert!(f.switches().all(|s| (1..=4).contains(&neighbours(&f, s).len())), "{spec}");
        let mut reached = vec![NodeId(0)];
        for i in 0.. {
            let Some(&s) = reached.get(i) else { break };
            for n in neighbours(&f, s) {
                if !reached.contains(&n) {
                    reached.push(n);
                }
            }
        }
        assert_eq!(reached.len(), 17, "{spec}");
        assert_eq!(f, make(&spec));
        assert_ne!(f, make(&format!("random:17,4,2:seed={}", seed + 1)));
    }
    assert_eq!(make("random:9,3,1"), make("random:9,3,1,seed=0"));
}

#[test]
fn each_two_groups_of_a_dragonfly_plus_share_as_many_cables() {
    // 5 spines × 4 global cables over 20 other groups: one cable each two groups; 4 × 14 over 7: eight, on spines of one number.
    for (spec, each, same_number) in
        [("dragonfly+:21,4,5,4:global=4", 1, false), ("dragonfly+:8,6,4,10:parallel=3,global=14", 8, true)]
    {
        let f = make(spec);
        let mut cables = std::collections::BTreeMap::<(&str, &str), usize>::new();
        for (a, b) in f.cables().filter(|&(a, b)| f.is_switch(f.node_of(a)) && f.is_switch(f.node_of(b))) {
            let words = |p: PortId| f.node(f.node_of(p)).description.split('-').collect::<Vec<_>>();
            let (a, b) = (words(a), words(b));
            if a[0] == "spine" && b[0] == "spine" {
                assert!(!same_number || a[2] == b[2], "{spec}: {a:?} {b:?}");
                *cables.entry((a[1].min(b[1]), a[1].max(b[1]))).or_default() += 1;
            } else {
                assert_eq!(a[1], b[1], "{spec}");
            }
        }
        let groups = f.switches().filter(|&s| f.node(s).description.ends_with("01-01")).count();
        assert_eq!(groups, 2, "{spec}");
        let names: std::collections::BTreeSet<&str> = cables.keys().flat_map(|&(a, b)| [a, b]).collect();
        assert_eq!(cables.len(), names.len() * (names.len() - 1) / 2, "{spec}");
        assert!(cables.values().all(|&n| n == each), "{spec}: {cables:?}");
    }
}

#[test]
fn a_dragonfly_plus_needs_as_many_cables_to_each_other_group() {
    let error = generate("dragonfly+:6,4,3,4:global=3").unwrap_err();
    assert!(error.to_string().contains("3 × 3 is no multiple of 5"), "{error}");
    assert!(generate("dragonfly+:1,4,3,4").is_err());
    assert!(generate("dragonfly+:3,4,2,4:least=5").is_err());
}

#[test]
fn each_two_groups_of_a_dragonfly_share_one_cable() {
    let f = make("dragonfly:1,3,2");
    let group = |n: NodeId| n.ix() / 3;
    let mut between = [[0; 7]; 7];
    for (a, b) in f.cables().filter(|&(_, b)| f.is_switch(f.node_of(b))) {
        between[group(f.node_of(a))][group(f.node_of(b))] += 1;
    }
    for g in 0..7 {
        for h in g + 1..7 {
            assert_eq!(between[g][h] + between[h][g], 1);
        }
        assert_eq!(between[g][g], 3);
    }
}

#[test]
fn more_radix_adds_free_ports() {
    let f = make("fat-tree:8,2:radix=10");
    assert!(f.switches().all(|s| f.radix(s) == 10));
    assert_eq!(counts(&f), counts(&make("fat-tree:8,2")));
    assert_eq!(make("fat-tree:8,2:radix=4"), make("fat-tree:8,2"));
}

#[test]
fn wrong_specs_say_where_and_what() {
    for (spec, column, expected, found, near) in [
        ("fat-tre:36,2", 1, "the name", "fat-tre", "fat-tree"),
        ("", 1, "the name", "", ""),
        ("fat-tree", 9, "RADIX", "", ""),
        ("fat-tree:36", 12, "LEVELS", "", ""),
        ("fat-tree:x,2", 10, "RADIX", "x", ""),
        ("fat-tree:36,9", 13, "LEVELS, a number from 1 to 4", "9", ""),
        ("fat-tree:36,2,5", 15, "no more than", "5", ""),
        ("fat-tree:35,2", 10, "even", "35,2", ""),
        ("fat-tree:36,3:pod=8", 15, "one of taper, pods", "pod", "pods"),
        ("fat-tree:36,3:pods=37", 20, "pods, a number from 1 to 36", "37", ""),
        ("fat-tree:36,3:pods=", 20, "pods", "", ""),
        ("fat-tree:36,3:pods", 15, "an option", "pods", ""),
        ("fat-tree:36,3:pods=8,pods=9", 22, "once", "pods", ""),
        ("fat-tree:36,2:taper=99", 21, "taper", "99", ""),
        ("fat-tree:36,2:taper=-1", 21, "taper", "-1", ""),
        ("fat-tree:200,4", 10, "at most 1048576 nodes", "200,4", ""),
        ("pgft:2;3,2;1,1", 15, "p1", "", ""),
        ("pgft:2;3,2;1,1;1,1;1", 20, "three lists", "1", ""),
        ("pgft:2;200,2;1,100;1,1", 6, "at most 254 ports (these need 300)", "2;200,2;1,100;1,1", ""),
        ("itasca:82", 8, "1 to 81", "82", ""),
        ("diamond:4", 9, "nothing", "4", ""),
        ("torus:4x4x", 11, "a length", "", ""),
        ("torus:4×4", 7, "a length", "4×4", ""),
        ("torus:é,h=1,hh=2", 7, "a length", "é", ""),
        ("random:5,3,1:seed=x", 19, "seed", "x", ""),
        ("random:5,1,1", 10, "DEGREE", "1", ""),
        ("ring:4:rate=4xFOO", 13, "rate", "4xFOO", ""),
    ] {
        let error = generate(spec).expect_err(spec);
        assert_eq!((error.column, &*error.found), (column, found), "{error}");
        assert!(error.expected.contains(expected), "{error}");
        assert_eq!(error.nearest.first().map_or("", |n| n), near, "{error}");
        assert!(!error.to_string().contains('\n'));
    }
}

#[test]
fn specs_are_distinguished_from_file_names() {
    for spec in ["article", "fat-tree:36,2", "fat-tree", "fat-tre:36,2", "itasca:67", "pgft:1;2;1;1"] {
        assert!(is_spec(spec), "{spec}");
    }
    for name in ["fabric.net", "-", "itasca.net", "host:/path", "C:fabric", "./torus:4x4", "", "dump:1"] {
        assert!(!is_spec(name), "{name}");
    }
}

#[test]
fn all_end_nodes_are_host_adapters() {
    let f = make("fat-tree:8,2");
    assert_eq!(f.end_ports(Population::Hosts).len(), 32);
    assert_eq!(f.end_ports(Population::Hosts), f.end_ports(Population::All));
}

mod trees {
    use super::*;
    use proptest::prelude::*;

    fn parameters() -> impl Strategy<Value = (Vec<u32>, Vec<u32>, Vec<u32>)> {
        (1_usize..=4).prop_flat_map(|h| {
            let list = move |most: u32| prop::collection::vec(1..=most, h);
            (list(4), list(3), list(3))
        })
    }

    fn joined(list: &[u32]) -> String {
        list.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn pgft_counts_follow_its_definition((m, w, p) in parameters()) {
            let h = m.len();
            let f = make(&format!("pgft:{h};{};{};{}", joined(&m), joined(&w), joined(&p)));
            let level_size = |l: usize| (m[l..].iter().product::<u32>() * w[..l].iter().product::<u32>()) as usize;
            prop_assert_eq!(f.end_nodes().len(), level_size(0));
            prop_assert_eq!(f.num_switches(), (1..=h).map(level_size).sum::<usize>());
            // Each node of level l - 1 has w_l p_l cables up.
            let cables: usize = (1..=h).map(|l| level_size(l - 1) * (w[l - 1] * p[l - 1]) as usize).sum();
            prop_assert_eq!(f.cables().count(), cables);
            for n in f.switches() {
                prop_assert!(f.ports_of(n).all(|port| f.peer(port).is_some()));
                for q in neighbours(&f, n) {
                    prop_assert!(p.contains(&(cables_between(&f, n, q) as u32)));
                }
            }
        }

        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,40}", head in 0..FAMILIES.len()) {
            let _ = generate(&text);
            let _ = generate(&format!("{}:{text}", FAMILIES[head]));
        }
    }
}
