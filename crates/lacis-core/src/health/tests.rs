//! Findings as a whole: clean fabrics have none, and each planted trouble is found as what it is.

use proptest::prelude::*;

use super::*;
use crate::generate::{edit, generate, shuffle_guids};

pub(super) fn found(fabric: &Fabric) -> Vec<Finding> {
    findings(fabric, &Hosts::of(fabric, None))
}

/// Findings as `CODE location`.
pub(super) fn lines(fabric: &Fabric) -> Vec<String> {
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
