//! Generated fabrics whose groups are known by name, drawn damaged and permuted, and fabrics that have no groups.

use proptest::prelude::*;
use proptest::sample::select;

use super::{GroupKind, Groups};
use crate::fabric::levels::Levels;
use crate::fabric::{Fabric, NodeId};
use crate::generate::{edit, generate, shuffle_ports};

/// Dragonfly+ of many shapes: groups, leaves, spines, hosts of a leaf.
const PLUS: [&str; 12] = [
    "dragonfly+:3,3,2,4",
    "dragonfly+:4,3,2,6:least=1",
    "dragonfly+:8,6,4,10:parallel=3,global=14",
    "dragonfly+:5,4,4,3:global=3",
    "dragonfly+:9,8,8,6:least=2",
    "dragonfly+:21,4,5,4:global=4",
    "dragonfly+:2,6,4,6",
    "dragonfly+:2,4,4,6:global=5",
    "dragonfly+:3,12,4,8:global=2",
    "dragonfly+:6,10,3,5:global=10",
    "dragonfly+:17,2,4,3",
    "dragonfly+:4,16,6,12:least=0",
];

/// Fabrics without groups.
const OTHERS: [&str; 28] = [
    "fat-tree:8,1",
    "fat-tree:8,2",
    "fat-tree:16,2:taper=3",
    "fat-tree:36,2:pods=12",
    "fat-tree:4,3",
    "fat-tree:6,3:pods=3",
    "fat-tree:8,3",
    "fat-tree:8,3:pods=2",
    "fat-tree:8,3:pods=1",
    "fat-tree:8,3:taper=3",
    "fat-tree:12,3:pods=4",
    "fat-tree:4,4",
    "fat-tree:6,4:pods=3",
    "fat-tree:8,2:trees=3",
    "pgft:3;12,6,6;1,3,2;1,1,1",
    "pgft:2;4,3;2,4;1,2",
    "itasca:20",
    "opa-1152",
    "article",
    "torus:4x4",
    "torus:3x3x3",
    "torus:3x5",
    "torus:4x4x4",
    "mesh:4x4",
    "ring:9",
    "hypercube:5",
    "random:30,4,2",
    "random:40,6,2",
];

/// The fabric with its nodes in another order, its switches' cables at other ports, and names that say nothing.
fn permuted(fabric: &Fabric, seed: u64) -> Fabric {
    shuffle_ports(fabric, seed).renamed(|node| Some(format!("x{}", node.guid.0).into()))
}

/// The names of the switches of each group, leaves and spines apart, sorted.
fn named(fabric: &Fabric, groups: &Groups) -> Vec<(Vec<String>, Vec<String>)> {
    let names = |of: &[NodeId]| {
        let mut names: Vec<String> = of.iter().map(|&s| fabric.node(s).id.to_string()).collect();
        names.sort();
        names
    };
    let mut all: Vec<_> =
        groups.groups.iter().map(|group| (names(&group.leaves), names(&group.spines))).collect();
    all.sort();
    all
}

/// The same from the names that the generator gave: `leaf-GROUP-…`, `spine-GROUP-…`, `switch-GROUP-…`.
fn generated(fabric: &Fabric) -> Vec<(Vec<String>, Vec<String>)> {
    let mut groups = std::collections::BTreeMap::<&str, (Vec<String>, Vec<String>)>::new();
    for s in fabric.switches() {
        let node = fabric.node(s);
        let mut words = node.description.split('-');
        let (kind, group) = (words.next().unwrap(), words.next().unwrap());
        let (leaves, spines) = groups.entry(group).or_default();
        if kind == "spine" { spines } else { leaves }.push(node.id.to_string());
    }
    let mut all: Vec<_> = groups.into_values().collect();
    for (leaves, spines) in &mut all {
        leaves.sort();
        spines.sort();
    }
    all.sort();
    all
}

fn edited(spec: &str, selectors: &[&str]) -> Fabric {
    let fabric = generate(spec).unwrap_or_else(|e| panic!("{e}"));
    edit(&fabric, selectors).unwrap_or_else(|e| panic!("{spec} {selectors:?}: {e}"))
}

/// Checks the groups and the levels that follow from them.
fn check(whole: &Fabric, fabric: &Fabric, kind: GroupKind) -> Result<(), String> {
    let found = Groups::of(fabric);
    let [groups] = &found[..] else { return Err(format!("{} planes of groups", found.len())) };
    let is_cut_off = |id: &String| {
        let node = fabric.switches().find(|&s| *fabric.node(s).id == **id).unwrap();
        !fabric.ports_of(node).filter_map(|p| fabric.peer(p)).any(|p| fabric.is_switch(fabric.node_of(p)))
    };
    let mut expected = generated(whole);
    for (leaves, spines) in &mut expected {
        leaves.retain(|id| !is_cut_off(id));
        spines.retain(|id| !is_cut_off(id));
    }
    expected.sort();
    if groups.kind != kind || named(fabric, groups) != expected {
        return Err(format!("{groups:?}"));
    }
    if kind == GroupKind::DragonflyPlus {
        let levels = Levels::of(fabric).ok_or("no levels")?;
        for group in &groups.groups {
            let is_at = |of: &[NodeId], level| of.iter().all(|&s| levels.level(s) == Some(level));
            if !is_at(&group.leaves, 0) || !is_at(&group.spines, 1) || levels.count() != 2 {
                return Err("levels".into());
            }
        }
    }
    Ok(())
}

#[test]
fn groups_are_those_of_the_construction() {
    for spec in PLUS {
        let fabric = generate(spec).unwrap();
        check(&fabric, &fabric, GroupKind::DragonflyPlus).unwrap_or_else(|e| panic!("{spec}: {e}"));
    }
    for spec in ["dragonfly:2,4,2", "dragonfly:1,3,2", "dragonfly:2,6,3", "dragonfly:4,8,4"] {
        let fabric = generate(spec).unwrap();
        check(&fabric, &fabric, GroupKind::Dragonfly).unwrap_or_else(|e| panic!("{spec}: {e}"));
    }
}

#[test]
fn each_plane_has_groups_of_its_own() {
    let found = Groups::of(&generate("dragonfly+:3,4,2,4:rails=2").unwrap());
    assert_eq!(found.iter().map(|plane| plane.groups.len()).collect::<Vec<_>>(), [3, 3]);
}

#[test]
fn what_hangs_on_a_group_changes_no_other_switch() {
    let more = |selectors: &[&str], outside: usize, leaves: usize| {
        let spec = "dragonfly+:4,6,4,6:radix=24";
        let fabric = edited(spec, selectors);
        let found = Groups::of(&fabric);
        let [groups] = &found[..] else { panic!("{selectors:?}: {found:?}") };
        assert_eq!(groups.outside.len(), outside, "{selectors:?}");
        assert_eq!(groups.groups.iter().map(|g| g.leaves.len()).sum::<usize>(), leaves, "{selectors:?}");
        assert_eq!(groups.groups.iter().map(|g| g.spines.len()).sum::<usize>(), 16, "{selectors:?}");
    };
    // A switch on a leaf; a leaf on two of the four spines of its group; hosts on spines; a leaf without hosts.
    more(&["+switch=a@leaf-01-02:2", "+host@a:3"], 1, 24);
    more(&["+switch=a@spine-01-0[12]"; 0], 0, 24);
    more(&["+switch=a@spine-01-01", "+a--spine-01-02", "+host@a:3"], 0, 25);
    more(&["+host@spine-01-*:2", "+host@spine-03-02:4"], 0, 24);
}

#[test]
fn damage_leaves_the_groups_as_they_are() {
    for spec in PLUS {
        for damage in [
            &["leaf-01-01--spine-01-01:1"][..],
            // Two spines of a group lack the same leaf, and are no twins of the others.
            &["leaf-02-02--spine-02-01:1", "leaf-02-02--spine-02-02:1"],
            &["random-cables=2%,seed=3"],
            &["random-hosts=70%,seed=5"],
            &["random-cables=1,seed=9", "random-hosts=50%,seed=1"],
        ] {
            let whole = generate(spec).unwrap();
            let fabric = edit(&whole, damage).unwrap();
            check(&whole, &fabric, GroupKind::DragonflyPlus)
                .unwrap_or_else(|e| panic!("{spec} {damage:?}: {e}"));
        }
    }
}

#[test]
fn other_fabrics_have_no_groups() {
    for spec in OTHERS {
        let found = Groups::of(&generate(spec).unwrap());
        assert_eq!(found, [], "{spec}");
    }
    for (spec, selectors) in [
        // Trees joined by a cable or two, by spines in a chain, by a switch above.
        ("fat-tree:8,2:radix=12,trees=2", &["+tree1-spine-01--tree2-spine-01"][..]),
        (
            "fat-tree:8,2:radix=12,trees=3",
            &["+tree1-spine-01--tree2-spine-01", "+tree2-spine-02--tree3-spine-01"],
        ),
        ("fat-tree:8,2:radix=9,trees=2", &["+switch=top@tree?-spine-01"]),
        // Leaves on the cores of a tree with one pod and with two; spines cabled to each other.
        (
            "fat-tree:8,2:radix=20",
            &[
                "+switch=c1@spine-*",
                "+switch=c2@spine-*",
                "+switch=c3@spine-*",
                "+switch=c4@spine-*",
                "+switch=a@c?",
                "+switch=b@c?",
                "+host@a:3",
                "+host@b:4",
            ],
        ),
        ("fat-tree:8,3:pods=2,radix=16", &["+switch=a@core-*", "+switch=b@core-*", "+host@a:3", "+host@b:4"]),
        ("fat-tree:8,2:radix=12", &["+spine-01--spine-02", "+spine-03--spine-04", "+spine-01--spine-03"]),
    ] {
        assert_eq!(Groups::of(&edited(spec, selectors)), [], "{spec} {selectors:?}");
    }
}

#[test]
fn a_cube_that_lacks_a_cable_or_two_has_no_groups() {
    for spec in ["hypercube:3", "torus:2x2x2", "torus:4x2", "hypercube:4"] {
        let whole = generate(spec).unwrap();
        assert_eq!(Groups::of(&whole), [], "{spec}");
        for (seed, lost) in (1..=20).flat_map(|seed| [(seed, 1), (seed, 2)]) {
            let fabric = edit(&whole, &[&format!("random-cables={lost},seed={seed}")]).unwrap();
            assert_eq!(Groups::of(&fabric), [], "{spec} without {lost}, seed {seed}");
        }
    }
}

#[test]
fn a_site_can_say_what_leaves_and_spines_are() {
    use crate::generate::declare;
    use crate::io::roles;
    // One leaf to a group has no twin: cabling alone does not show these groups.
    let declared = |text: &str| {
        let fabric = generate("dragonfly+:4,1,3,4").unwrap();
        Groups::of(&declare(&fabric, &roles::read(text.as_bytes()).unwrap()).unwrap())
    };
    assert_eq!(declared("leaf leaf-01-01\n"), []);
    let found = declared("leaf leaf-*\nspine spine-*\n");
    assert_eq!(found.iter().map(|plane| plane.groups.len()).collect::<Vec<_>>(), [4]);
    // A core or a root says that it is a tree.
    let fabric = generate("dragonfly+:4,3,2,4").unwrap();
    let fabric = declare(&fabric, &roles::read(b"core spine-01-*\n").unwrap()).unwrap();
    assert_eq!(Groups::of(&fabric), []);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn hosts_ports_names_and_order_do_not_matter(
        spec in select(&PLUS[..]),
        hosts in 0..=90_u32,
        cables in 0..=2_u32,
        seed in any::<u16>(),
    ) {
        let whole = generate(spec).unwrap();
        let (hosts, cables) = (format!("random-hosts={hosts}%,seed={seed}"), format!("random-cables={cables},seed={seed}"));
        let damaged = edit(&whole, &[&hosts, &cables]).unwrap();
        // The hosts on both distinguish two groups from a tree.
        let by_group = |group: &str| damaged.switches().filter(|&s| damaged.node(s).description.starts_with(group)).any(|s| {
            damaged.ports_of(s).filter_map(|p| damaged.peer(p)).any(|p| !damaged.is_switch(damaged.node_of(p)))
        });
        prop_assume!(!spec.contains("+:2,") || by_group("leaf-01") && by_group("leaf-02"));
        // Three groups of which two have lost all cables to each other are no ring.
        let joined = |a: &str, b: &str| damaged.cables().any(|(p, q)| {
            let name = |p| &damaged.node(damaged.node_of(p)).description;
            let is = |p, group: &str| name(p).starts_with(&format!("spine-{group}"));
            is(p, a) && is(q, b) || is(p, b) && is(q, a)
        });
        prop_assume!(!spec.contains("+:3,") || joined("01", "02") && joined("02", "03") && joined("01", "03"));
        let fabric = permuted(&damaged, u64::from(seed));
        if let Err(e) = check(&whole, &fabric, GroupKind::DragonflyPlus) {
            let has = |&(a, b): &(crate::fabric::PortId, crate::fabric::PortId)| {
                let name = |p| damaged.find_node(&whole.node(whole.node_of(p)).id).unwrap();
                damaged.port(name(a), whole.number_of(a)).and_then(|p| damaged.peer(p)).is_none() && b.0 > 0
            };
            let lost: Vec<String> = whole.cables().filter(has).map(|(a, b)| {
                let name = |p| whole.node(whole.node_of(p)).description.to_string();
                format!("{} – {}", name(a), name(b))
            }).collect();
            return Err(TestCaseError::fail(format!("{spec} {hosts} {cables} {lost:?}: {e}")));
        }
    }

    #[test]
    fn damaged_fabrics_of_other_kinds_have_no_groups(
        spec in select(&OTHERS[..]),
        hosts in 0..=90_u32,
        cables in 0..=15_u32,
        seed in any::<u16>(),
    ) {
        let whole = generate(spec).unwrap();
        let (hosts, cables) = (format!("random-hosts={hosts}%,seed={seed}"), format!("random-cables={cables}%,seed={seed}"));
        let fabric = permuted(&edit(&whole, &[&hosts, &cables]).unwrap(), u64::from(seed));
        prop_assert_eq!(Groups::of(&fabric), [], "{} {} {}", spec, hosts, cables);
    }
}
