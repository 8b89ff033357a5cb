//! Findings in small fabrics, drawn port by port: links, names, rails and neighbours that are not as their like are.

use super::testing::{End, Sketch};
use super::tests::{found, lines};
use super::{Code, Fact, Hosts, summary};
use crate::fabric::{Fabric, NodeKind, Rate, Speed, Width};

/// Two leaves (one a rail each), hosts named by port, every fabric change left to the caller.
fn two_rails(change: impl Fn(&mut Sketch, [End; 2], &[[End; 2]])) -> Fabric {
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

fn plug(s: &mut Sketch, leaves: [End; 2], hosts: &[[End; 2]]) {
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
        let slow = Rate { speed: Speed::Fdr, ..edr };
        let narrow = Rate { width: Width::new(2).unwrap(), ..edr };
        let b = s.builder();
        // All at EDR but: node1's first adapter at FDR, node2's at 2x, node3's at FDR by its own end only, node4's unheard.
        for (node, number) in [(hosts[0][0], 1), (leaves[0], 1)] {
            b.port_mut(node, number).unwrap().rate = Some(slow);
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
fn hosts_with_one_adapter_hide_no_rail_of_those_with_two_however_many_they_are() {
    // Four hosts have an adapter on each of two leaves; others have one: so many on the first leaf, on the second, on a third.
    let rails = |others: [usize; 3]| {
        let mut s = Sketch::new();
        let leaves = ["leaf-1", "leaf-2", "leaf-3"].map(|name| s.switch(name, 32));
        let spine = s.switch("spine-1", 8);
        (1..).zip(leaves).for_each(|(port, leaf)| s.cable((leaf, 32), (spine, port)));
        for (n, k) in (1..=4).flat_map(|n| [(n, 0), (n, 1)]) {
            let adapter = s.adapter(&format!("gpu{n} HCA-{}", k + 1));
            s.cable((adapter, 1), (leaves[k], n));
        }
        for (n, leaf) in (1..).zip((0..3).flat_map(|leaf| vec![leaf; others[leaf]])) {
            let adapter = s.adapter(&format!("cpu{n} HCA-1"));
            s.cable((adapter, 1), (leaves[leaf], 8 + n));
        }
        let fabric = s.finish();
        let hosts = Hosts::of(&fabric, None);
        let of_cpus = fabric.end_nodes().skip(8).map(|n| hosts.rail(n)).collect::<Vec<_>>();
        (hosts.num_rails(), of_cpus)
    };
    for others in [[0, 0, 0], [9, 0, 0], [7, 1, 0], [0, 0, 7]] {
        let (rails, of_cpus) = rails(others);
        assert_eq!(rails, 2, "{others:?}");
        // They take part on the rail of their leaf, or else on the first.
        let expected = [vec![0; others[0]], vec![1; others[1]], vec![0; others[2]]].concat();
        assert_eq!(of_cpus, expected.into_iter().map(Some).collect::<Vec<_>>(), "{others:?}");
    }
    // Where others are on both leaves, or more of them on leaves of their own, two adapters are two ways to one fabric.
    for others in [[4, 4, 0], [0, 0, 8]] {
        assert_eq!(rails(others).0, 1, "{others:?}");
    }
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
