//! Findings as a whole: clean fabrics have none, and each planted trouble is found as what it is.

use proptest::prelude::*;

use super::testing::Sketch;
use super::*;
use crate::fabric::{NodeKind, Rate, Speed, Width};
use crate::generate::{edit, generate, shuffle_guids};

fn found(fabric: &Fabric) -> Vec<Finding> {
    findings(fabric, &Hosts::of(fabric, None))
}

/// Findings as `CODE location`.
fn lines(fabric: &Fabric) -> Vec<String> {
    found(fabric).iter().map(|f| format!("{} {}", f.code.name(), f.words().at)).collect()
}

fn planted(spec: &str, selectors: &[&str]) -> Fabric {
    edit(&generate(spec).unwrap(), selectors).unwrap_or_else(|e| panic!("{spec}: {e}"))
}

#[test]
fn whole_fabrics_have_no_findings() {
    for spec in [
        "fat-tree:2,2",
        "fat-tree:2,3",
        "fat-tree:4,2",
        "fat-tree:4,3",
        "fat-tree:36,2",
        "fat-tree:12,3",
        "fat-tree:8,4",
        "fat-tree:36,2:taper=2",
        "fat-tree:36,2:taper=4",
        "fat-tree:8,3:pods=5",
        "fat-tree:36,3:pods=8",
        "fat-tree:8,2:rails=4",
        "fat-tree:8,2:shuffle=7",
        "pgft:3;4,4,4;1,2,2;1,2,1",
        "itasca",
        "itasca:5",
        "itasca:67",
        "itasca:71",
        "opa-1152",
        "article",
        "diamond",
        "torus:4x4x2",
        "mesh:4x4",
        "ring:6",
        "hypercube:4",
        "random:20,4,2",
        "dragonfly:2,4,2",
    ] {
        assert_eq!(lines(&generate(spec).unwrap()), Vec::<String>::new(), "{spec}");
    }
}

#[test]
fn trees_that_few_cables_join_are_reported() {
    let joints = |spec: &str, selectors: &[&str]| -> Vec<String> {
        let of = found(&planted(spec, selectors)).into_iter().filter(|f| f.code == Code::JointThin);
        of.map(|f| f.words().text).collect()
    };
    let one = "fat-tree:8,2:rails=2,radix=9";
    assert_eq!(
        joints(one, &["+rail1-spine-01--rail2-spine-01"]),
        [
            "32 host adapters on 12 switches behind 1 cable of rail1-spine-01: 25.0 GB/s in each direction join them with the \
             other 32 host adapters, 3.1 % of what they can send; the levels let 100 % through"
        ]
    );
    // A leaf as if it were a spine of the other tree; and tori, which have no levels.
    let crossed = ["+rail1-leaf-01--rail2-spine-01", "+rail1-spine-02--rail2-leaf-01"];
    let texts = joints("fat-tree:16,2:rails=2,radix=18", &crossed);
    assert!(
        texts.len() == 1 && texts[0].ends_with("1.6 % of what they can send; the levels let 100 % through")
    );
    let texts = joints("torus:6x6:trees=2,radix=12", &["+tree1-switch-1-1--tree2-switch-1-1"]);
    assert!(texts.len() == 1 && texts[0].ends_with("between halves of these there is 67 %"), "{texts:?}");
    // Not joined at all, the second is an island, and left out.
    let apart = planted("fat-tree:8,2:trees=2", &[]);
    let summary = summary(&apart, &Hosts::of(&apart, None));
    assert!((summary.bisection.unwrap().bytes_per_second - 400e9).abs() < 1.0);
    // Three trees, each pair joined by a cable.
    let all: Vec<String> = [(1, 2, 1), (2, 3, 2), (3, 1, 3)]
        .map(|(a, b, n)| format!("+rail{a}-spine-0{n}--rail{b}-spine-0{n}"))
        .into();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    assert_eq!(joints("fat-tree:8,2:rails=3,radix=9", &all).len(), 2);
    // Half of the tree's own bandwidth is plenty; planned taper, pods and rings are no joints.
    let many: Vec<String> =
        (0..16).map(|i| format!("+rail1-spine-0{0}--rail2-spine-0{0}", i % 4 + 1)).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(joints("fat-tree:8,2:rails=2,radix=12", &many), Vec::<String>::new());
    for spec in ["fat-tree:8,3:pods=2,taper=5", "chain:16", "torus:8x8x4", "dragonfly:2,4,2", "mesh:12x4"] {
        assert_eq!(joints(spec, &[]), Vec::<String>::new(), "{spec}");
    }
}

#[test]
fn a_management_leaf_lacks_no_uplinks_and_a_leaf_that_lost_most_does() {
    // fat-tree:12,2 has 6 hosts and 6 uplinks on each leaf; the management leaf has 2 hosts on one spine.
    let uplinks = |selectors: &[&str]| -> Vec<String> {
        let all = lines(&planted("fat-tree:12,2:radix=20", selectors));
        all.into_iter().filter(|line| line.starts_with("UPLINK")).collect()
    };
    assert_eq!(uplinks(&["+switch=mgmt@spine-01:2", "+host@mgmt:2"]), Vec::<String>::new());
    let missing = "UPLINK_MISSING leaf-03 – spine-02, spine-03, spine-04, spine-05, spine-06";
    assert_eq!(
        uplinks(&[
            "leaf-03--spine-02",
            "leaf-03--spine-03",
            "leaf-03--spine-04",
            "leaf-03--spine-05",
            "leaf-03--spine-06",
        ]),
        [missing]
    );
}

#[test]
fn each_planted_trouble_is_found_as_what_it_is_and_nothing_else() {
    // In fat-tree:8,2 leaf-03 has hosts 9–12 on ports 1–4 and spine k on port 4 + k; a host whose cable or leaf
    // is gone stays behind without a cable. itasca has two lines between a leaf and each of its four mids,
    // and between each mid and each top of a director.
    for (spec, selectors, expected) in [
        ("fat-tree:8,2", &["leaf-03[5]"][..], &["UPLINK_MISSING leaf-03 – spine-01"][..]),
        (
            "fat-tree:8,2",
            &["leaf-03[5]", "leaf-03[6]", "leaf-07[8]"],
            &["UPLINK_MISSING leaf-03 – spine-01, spine-02", "UPLINK_MISSING leaf-07 – spine-04"],
        ),
        // Five of eight leaves: the spine's own trouble, reported once.
        (
            "fat-tree:8,2",
            &["leaf-01[5]", "leaf-02[5]", "leaf-03[5]", "leaf-04[5]", "leaf-05[5]"],
            &["UPLINK_MISSING spine-01 – leaf-01, leaf-02, leaf-03, leaf-04, leaf-05"],
        ),
        ("fat-tree:8,2", &["spine-02"], &["SWITCH_ABSENT spine-02"]),
        ("fat-tree:8,2", &["spine-01"], &["SWITCH_ABSENT spine-01"]),
        ("fat-tree:8,2", &["spine-04--*"], &["ISLAND spine-04"]),
        (
            "fat-tree:8,2",
            &["leaf-03"],
            &[
                "ISLAND node0009 HCA-1, node0010 HCA-1, node0011 HCA-1, node0012 HCA-1",
                "SWITCH_ABSENT leaf-03",
            ],
        ),
        (
            "fat-tree:8,2",
            &["leaf-03--spine-*"],
            &["ISLAND leaf-03, node0009 HCA-1, node0010 HCA-1 and 2 more"],
        ),
        ("fat-tree:8,2", &["leaf-03[2]"], &["ISLAND node0010 HCA-1"]),
        ("fat-tree:8,2", &["node0007", "node0011"], &["HOST_ABSENT node0007, node0011"]),
        // After the last host of a leaf, and before the first, nothing is missing: it is not full.
        ("fat-tree:8,2", &["node0005", "node0012"], &[]),
        ("fat-tree:8,3", &["mid-02-03"], &["SWITCH_ABSENT mid-02-03"]),
        ("fat-tree:8,3", &["core-02-03"], &["SWITCH_ABSENT core-02-03"]),
        ("fat-tree:8,3", &["mid-02-03--core-03-01"], &["UPLINK_MISSING mid-02-03 – core-03-01"]),
        ("fat-tree:36,3:pods=8", &["mid-02-03--core-03-01:1"], &["UPLINK_FEWER mid-02-03 – core-03-01"]),
        ("itasca:67", &["leaf-09--director-1-mid-01"], &["UPLINK_MISSING leaf-09 – director-1-mid-01"]),
        ("itasca", &["leaf-09--director-1-mid-01:1"], &["UPLINK_FEWER leaf-09 – director-1-mid-01"]),
        ("itasca", &["director-2-top-3"], &["SWITCH_ABSENT director-2-top-3"]),
        (
            "fat-tree:8,2:rails=4",
            &["rail3-leaf-02"],
            &[
                "ISLAND node0005 HCA-3, node0006 HCA-3, node0007 HCA-3, node0008 HCA-3",
                "SWITCH_ABSENT rail3-leaf-02",
            ],
        ),
        ("fat-tree:8,2:rails=4", &["node0009 HCA-3"], &["RAIL_MISSING node0009"]),
        (
            "fat-tree:8,2:radix=10",
            &["+leaf-01[9]--leaf-02[9]"],
            &["CABLE_UNEXPECTED leaf-01[9] – leaf-02[9]"],
        ),
        (
            "fat-tree:8,3:radix=10",
            &["+leaf-01-01[9]--core-02-02[9]"],
            &["CABLE_UNEXPECTED leaf-01-01[9] – core-02-02[9]"],
        ),
        (
            "fat-tree:8,3:radix=10",
            &["+leaf-01-01[9]--mid-02-02[9]"],
            &["CABLE_UNEXPECTED leaf-01-01[9] – mid-02-02[9]"],
        ),
        // Two cables of one leaf exchanged.
        (
            "fat-tree:8,2",
            &["leaf-03[5]", "leaf-03[6]", "+leaf-03[5]--spine-02[3]", "+leaf-03[6]--spine-01[3]"],
            &["CABLE_UNEXPECTED leaf-03"],
        ),
    ] {
        assert_eq!(lines(&planted(spec, selectors)), expected, "{spec} {selectors:?}");
    }
}

/// Two leaves (one a rail each), hosts named by port, every fabric change left to the caller.
fn two_rails(change: impl Fn(&mut Sketch, [super::testing::End; 2], &[[super::testing::End; 2]])) -> Fabric {
    let mut s = Sketch::new();
    let leaves = [s.switch("leaf-1", 16), s.switch("leaf-2", 16)];
    let spine = s.switch("spine-1", 16);
    for (k, &leaf) in leaves.iter().enumerate() {
        for port in 0..3 {
            s.cable((leaf, 14 + port), (spine, 1 + 3 * k as u32 + port));
        }
    }
    let hosts: Vec<_> = (1..=9).map(|h| [1, 2].map(|k| s.adapter(&format!("node{h} HCA-{k}")))).collect();
    change(&mut s, leaves, &hosts);
    s.finish()
}

fn plug(s: &mut Sketch, leaves: [super::testing::End; 2], hosts: &[[super::testing::End; 2]]) {
    for (h, host) in hosts.iter().enumerate() {
        for k in 0..2 {
            s.cable((host[k], 1), (leaves[k], 1 + h as u32));
        }
    }
}

#[test]
fn slow_narrow_uneven_and_one_sided_links_name_both_ends() {
    let f = two_rails(|s, leaves, hosts| {
        plug(s, leaves, hosts);
        let edr = Rate::x4(Speed::Edr);
        let slow = Rate { speed: Speed::Hdr, ..edr };
        let narrow = Rate { width: Width::new(2).unwrap(), ..edr };
        let b = s.builder();
        // All at EDR but: node1's first adapter at FDR, node2's at 2x, node3's uneven, node4's unheard.
        for (node, number) in [(hosts[0][0], 1), (leaves[0], 1)] {
            b.port_mut(node, number).unwrap().rate = Some(Rate { speed: Speed::Fdr, ..edr });
        }
        for (node, number) in [(hosts[1][0], 1), (leaves[0], 2)] {
            b.port_mut(node, number).unwrap().rate = Some(narrow);
        }
        b.port_mut(hosts[2][0], 1).unwrap().rate = Some(slow);
        b.port_mut(hosts[3][0], 1).unwrap().listed = false;
    });
    assert_eq!(
        lines(&f),
        [
            "RATE_ASYMMETRIC leaf-1[3] – node3 HCA-1[1]",
            "LINK_ONE_SIDED leaf-1[4] – node4 HCA-1[1]",
            "LINK_SPEED_LOW leaf-1[1] – node1 HCA-1[1]",
            "LINK_WIDTH_LOW leaf-1[2] – node2 HCA-1[1]",
        ]
    );
    assert_eq!(found(&f)[3].ends.iter().map(|e| e.port).collect::<Vec<_>>(), [Some(2), Some(1)]);
}

#[test]
fn a_link_both_narrow_and_slow_is_both_and_one_that_carries_as_much_is_neither() {
    // All at 4xEDR but node5's first adapter at 1xFDR, and node6's at 2xHDR: 100 Gb/s on two lanes, as the others on four.
    let f = two_rails(|s, leaves, hosts| {
        plug(s, leaves, hosts);
        let b = s.builder();
        for (host, width, speed) in [(4, 1, Speed::Fdr), (5, 2, Speed::Hdr)] {
            for (node, number) in [(hosts[host][0], 1), (leaves[0], host as u32 + 1)] {
                b.port_mut(node, number).unwrap().rate =
                    Some(Rate { width: Width::new(width).unwrap(), speed });
            }
        }
    });
    assert_eq!(
        lines(&f),
        ["LINK_SPEED_LOW leaf-1[5] – node5 HCA-1[1]", "LINK_WIDTH_LOW leaf-1[5] – node5 HCA-1[1]"]
    );
}

#[test]
fn clashing_guids_lids_and_names_are_reported_once_each() {
    let f = two_rails(|s, leaves, hosts| {
        plug(s, leaves, hosts);
        let b = s.builder();
        let guid = b.node_mut(hosts[0][0]).guid;
        b.node_mut(hosts[1][0]).guid = guid;
        b.port_mut(hosts[1][0], 1).unwrap().guid = guid;
        // LIDs 100–103 and 103: the ranges share one LID.
        (b.port_mut(hosts[2][0], 1).unwrap().lid, b.port_mut(hosts[2][0], 1).unwrap().lmc) = (100, 2);
        b.port_mut(hosts[3][0], 1).unwrap().lid = 103;
        b.node_mut(hosts[4][1]).description = "node5 HCA-1".into();
    });
    assert_eq!(
        lines(&f),
        [
            "GUID_DUPLICATE node1 HCA-1, node2 HCA-1",
            "LID_DUPLICATE node3 HCA-1[1], node4 HCA-1[1]",
            "RAIL_CROSSED node5",
            "NAME_DUPLICATE node5 HCA-1 on leaf-1[5], leaf-2[5]",
        ]
    );
    assert!(found(&f)[1].words().text.ends_with("LID 103"));
}

#[test]
fn crossed_rails_and_unnamed_adapters_are_reported_with_what_they_probably_are() {
    let f = two_rails(|s, leaves, hosts| {
        // node7's adapters are on each other's leaf; node2's and node4's second adapters have lost their
        // names; an adapter beyond the numbers in use is called after its installer.
        let mut hosts = hosts.to_vec();
        hosts[6].reverse();
        plug(s, leaves, &hosts);
        for end in [hosts[1][1], hosts[3][1]] {
            s.builder().node_mut(end).description = "MT4129 ConnectX7   Mellanox Technologies".into();
        }
        let extra = s.adapter("localhost HCA-1");
        s.cable((extra, 1), (leaves[0], 12));
    });
    let all = found(&f);
    assert_eq!(
        lines(&f),
        [
            "RAIL_CROSSED node7",
            "HOST_NAME_GENERIC localhost on leaf-1[12]",
            "NODE_UNNAMED leaf-2[2], leaf-2[4]",
        ]
    );
    assert!(all[0].words().advice.starts_with("Exchange the two cables"));
    // Host 7 is on port 7 of both leaves: each of its adapters belongs where the other is.
    let Fact::RailsCrossed(crossed) = &all[0].fact else { panic!("crossed") };
    let moves: Vec<String> = crossed
        .adapters
        .iter()
        .map(|it| format!("{}: {} → {}", it.label, it.leaf_port().unwrap(), it.target.as_ref().unwrap()))
        .collect();
    assert_eq!(moves, ["HCA-1: leaf-2[7] → leaf-1[7]", "HCA-2: leaf-1[7] → leaf-2[7]"]);
    // It has one adapter where its peers on the leaf have two.
    assert!(all[1].words().text.ends_with("nothing shows what it is for: it counts as a compute host"));
    let likely: Vec<_> = all[2].ends.iter().filter_map(|e| e.likely.as_deref()).collect();
    assert_eq!(likely, ["node2 HCA-2", "node4 HCA-2"]);
}

#[test]
fn switches_that_share_a_description_are_named_by_guid_if_it_is_empty() {
    for (description, location) in
        [("MF0;sw:MQM8700/U1", "sw"), ("", "0x0000000000001001, 0x0000000000001002")]
    {
        let mut s = Sketch::new();
        let [a, b] = [1, 2].map(|_| s.switch(description, 8));
        s.cable((a, 1), (b, 1));
        let f = s.finish();
        assert_eq!(lines(&f), [format!("NODE_UNNAMED {location}")]);
    }
}

#[test]
fn an_adapter_on_its_neighbours_port_is_a_notice() {
    // Three rails, so that two adapters of a host outvote the third; node3 and node4 exchanged on rail 2.
    let mut s = Sketch::new();
    let leaves = [1, 2, 3].map(|k| s.switch(&format!("leaf-{k}"), 16));
    let spine = s.switch("spine-1", 16);
    for (k, &leaf) in leaves.iter().enumerate() {
        s.cable((leaf, 16), (spine, 1 + k as u32));
    }
    for h in 1..=8 {
        for k in 0..3 {
            let end = s.adapter(&format!("node{h} HCA-{}", k + 1));
            let port = if k == 1 { [1, 2, 4, 3, 5, 6, 7, 8][h as usize - 1] } else { h };
            s.cable((end, 1), (leaves[k], port));
        }
    }
    let f = s.finish();
    let expected = ["PORT_UNEXPECTED node3 HCA-2 – leaf-2[4]", "PORT_UNEXPECTED node4 HCA-2 – leaf-2[3]"];
    assert_eq!(lines(&f), expected);
    assert!(found(&f)[0].words().text.contains("port 3 of their leaves; that port here has node4 HCA-2"));
}

#[test]
fn of_two_exchanged_adapters_the_unnamed_one_is_the_others_neighbour() {
    // node2 sits on port 5 of the first leaf; the adapter on port 2, where node2 belongs, has no name. So
    // it is node5's, whose port node2 has.
    let f = two_rails(|s, leaves, hosts| {
        let mut hosts = hosts.to_vec();
        (hosts[1][0], hosts[4][0]) = (hosts[4][0], hosts[1][0]);
        plug(s, leaves, &hosts);
        s.builder().node_mut(hosts[1][0]).description = "MT4129 ConnectX7   Mellanox Technologies".into();
    });
    let all = found(&f);
    assert_eq!(lines(&f), ["NODE_UNNAMED leaf-1[2]"]);
    assert_eq!(all[0].ends[0].likely.as_deref(), Some("node5 HCA-1"));
}

#[test]
fn a_numbering_that_just_ends_implies_nothing_and_a_hole_does() {
    // Leaves of groups of five, the last group with two: a ragged end. Then a hole in the third group.
    let grid = |skip: &[(u32, u32)]| {
        let mut s = Sketch::new();
        let spine = s.switch("spine", 64);
        let mut port = 0;
        for group in 1..=6 {
            for number in 1..=5 {
                if (group == 6 && number > 2) || skip.contains(&(group, number)) {
                    continue;
                }
                port += 1;
                let leaf = s.switch(&format!("leaf-{group}-{number}"), 4);
                let host = s.adapter(&format!("login{port}x HCA-1"));
                s.cable((host, 1), (leaf, 1));
                s.cable((leaf, 4), (spine, port));
            }
        }
        lines(&s.finish())
    };
    assert_eq!(grid(&[]), Vec::<String>::new());
    assert_eq!(grid(&[(6, 1), (6, 2), (3, 4)]), ["SWITCH_ABSENT leaf-3-4"]);
}

#[test]
fn names_that_look_like_patterns_do_no_harm() {
    // All four are `leaf##` as a series, with one number or none.
    let mut s = Sketch::new();
    for name in ["leaf#1", "leaf2#", "leaf##", "leaf#3"] {
        s.switch(name, 4);
    }
    assert!(found(&s.finish()).iter().all(|f| f.code == Code::Island));
}

#[test]
fn aggregation_nodes_are_not_counted() {
    let f = two_rails(|s, leaves, hosts| {
        plug(s, leaves, hosts);
        let end = s.end_node(NodeKind::Aggregation, "Mellanox Technologies Aggregation Node");
        s.cable((end, 1), (leaves[0], 13));
    });
    assert_eq!(lines(&f), Vec::<String>::new());
    // 18 host cables down and 6 up, the aggregation node's not among them.
    let s = summary(&f, &Hosts::of(&f, None));
    assert_eq!((s.by_level[0].down_links, s.by_level[0].up_links, s.kinds.aggregation), (18, 6, 1));
}

#[test]
fn links_of_a_mixed_kind_are_not_compared() {
    // Nine adapters at EDR and nine at FDR: no two thirds agree.
    let f = two_rails(|s, leaves, hosts| {
        plug(s, leaves, hosts);
        for (h, host) in hosts.iter().enumerate() {
            for (node, number) in [(host[0], 1), (leaves[0], 1 + h as u32)] {
                s.builder().port_mut(node, number).unwrap().rate = Some(Rate::x4(Speed::Fdr));
            }
        }
    });
    assert_eq!(lines(&f), Vec::<String>::new());
}

#[test]
fn a_summary_adds_up() {
    // Closed form: 8 leaves × (4 down + 4 up), 4 spines × 8 down, all 4xHDR = 25 GB/s.
    let f = generate("fat-tree:8,2").unwrap();
    let s = summary(&f, &Hosts::of(&f, None));
    assert_eq!((s.switches, s.end_nodes, s.hosts, s.planes, s.levels), (12, 32, 32, 1, Some(2)));
    assert_eq!((s.links, s.trunks, s.ports), (64, 32, PortCounts { total: 96, used: 96 }));
    let levels: Vec<_> =
        s.by_level.iter().map(|l| (l.role, l.switches, l.down_links, l.up_links, l.taper)).collect();
    assert_eq!(levels, [("leaf", 8, 32, 32, Some(1.0)), ("spine", 4, 32, 0, None)]);
    let b = s.bisection.unwrap();
    assert!((b.bytes_per_second - 16.0 * 25e9).abs() < 1.0 && (b.fraction - 1.0).abs() < 1e-12);
    // Two rails are two planes that the hosts share; a cut-off leaf is none.
    let f = planted("fat-tree:8,2:rails=2", &["rail1-leaf-03--rail1-spine-*"]);
    let s = summary(&f, &Hosts::of(&f, None));
    assert_eq!((s.hosts, s.rails.len(), s.planes), (32, 2, 2));
    // itasca: 16 nodes and 8 uplinks a leaf.
    let f = generate("itasca").unwrap();
    let b = summary(&f, &Hosts::of(&f, None)).bisection.unwrap();
    assert!((b.fraction - 0.5).abs() < 1e-12);
}

proptest! {
    /// Up to three cables fewer in a tree of 8 leaves × 4 spines: no leaf loses all four, and every
    /// other pair still has the majority behind it, so exactly those pairs are reported.
    #[test]
    fn exactly_the_removed_cables_are_missing(
        gone in proptest::collection::btree_set((1_u32..=8, 1_u32..=4), 0..=3),
        seed in 0_u64..1000,
    ) {
        let selectors: Vec<String> =
            gone.iter().map(|(leaf, spine)| format!("leaf-{leaf:02}[{}]", 4 + spine)).collect();
        let selectors: Vec<&str> = selectors.iter().map(String::as_str).collect();
        let f = shuffle_guids(&planted("fat-tree:8,2", &selectors), seed);
        let mut reported = std::collections::BTreeSet::new();
        for finding in found(&f) {
            prop_assert_eq!(finding.code, Code::UplinkMissing);
            for pair in finding.ends.chunks(2) {
                let number = |name: &str| name.rsplit('-').next().and_then(|n| n.parse::<u32>().ok());
                // Leaf ports 5–8 lead to spines 1–4, spine port k to leaf k.
                prop_assert_eq!(number(&pair[0].node).map(|l| l as u8), pair[1].port);
                prop_assert_eq!(number(&pair[1].node).map(|s| s as u8 + 4), pair[0].port);
                reported.insert((number(&pair[0].node).unwrap_or(0), number(&pair[1].node).unwrap_or(0)));
            }
        }
        prop_assert_eq!(reported, gone);
    }

    #[test]
    fn any_damage_is_survived_and_guids_do_not_matter(seed in 0_u64..1000, percent in 0_u32..60) {
        let random = format!("random-cables={percent}%,seed={seed}");
        let switches = format!("random-switches={}%,seed={seed}", percent / 4);
        let f = planted("fat-tree:8,3", &[&random, &switches]);
        prop_assert_eq!(lines(&f), lines(&shuffle_guids(&f, seed)));
    }
}
