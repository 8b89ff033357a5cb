//! Levels of generated trees, whole and damaged, and of fabrics that have none.

use super::*;
use crate::generate::{edit, generate, shuffle_guids};

fn levels(spec: &str, selectors: &[&str]) -> Option<(Fabric, Levels)> {
    let fabric = generate(spec).unwrap_or_else(|e| panic!("{e}"));
    let fabric = edit(&fabric, selectors).unwrap_or_else(|e| panic!("{e}"));
    let levels = Levels::of(&fabric)?;
    Some((fabric, levels))
}

/// Checks every switch's level against the name that the generator gave it.
fn as_named(spec: &str, selectors: &[&str]) -> (Fabric, Levels) {
    let Some((f, levels)) = levels(spec, selectors) else { panic!("{spec} {selectors:?}: no levels") };
    for s in f.switches() {
        let name = &*f.node(s).description;
        let name = name.split_once('-').filter(|(tree, _)| tree.starts_with("tree")).map_or(name, |(_, n)| n);
        let names = [
            ["leaf", "edge", "switch"],
            ["mid1", "-mid-", "spine"],
            ["mid2", "-top-", "?"],
            ["core", "?", "?"],
        ];
        let mut expected = names.iter().position(|n| n.iter().any(|n| name.contains(n)));
        if name.starts_with("mid-") {
            expected = Some(1);
        } else if name.contains("core") && !spec.contains(",4") {
            expected = Some(if f.switches().any(|s| f.node(s).description.contains("mid-")) { 2 } else { 1 });
        }
        let cabled = f.ports_of(s).any(|p| f.peer(p).is_some());
        let expected = expected.filter(|_| cabled).map(|l| l as u8);
        assert_eq!(levels.level(s), expected, "{spec} {selectors:?}: {name}");
    }
    (f, levels)
}

#[test]
fn whole_trees_have_the_levels_of_their_construction() {
    for (spec, count) in [
        ("fat-tree:8,1", 1),
        ("diamond", 1),
        ("article", 2),
        ("opa-1152", 2),
        ("fat-tree:8,2", 2),
        ("fat-tree:4,2:rails=3", 2),
        ("fat-tree:8,3", 3),
        ("fat-tree:8,3:taper=3", 3),
        ("fat-tree:36,3:pods=8", 3),
        ("fat-tree:4,3:pods=2", 3),
        ("fat-tree:8,3:pods=1", 3),
        ("fat-tree:4,4", 4),
        ("itasca", 3),
        ("itasca:67", 3),
        ("itasca:81", 3),
        ("itasca:5", 3),
        ("itasca:1", 3),
    ] {
        let (f, levels) = as_named(spec, &[]);
        assert_eq!(levels.count(), count, "{spec}");
        assert_eq!(levels.odd_cables(&f), []);
        let per_level: usize = (0..count).map(|l| levels.at(l as u8).count()).sum();
        assert_eq!(per_level, f.num_switches());
    }
}

#[test]
fn roles_follow_the_level_and_the_height_of_the_plane() {
    let role = |spec: &str, name: &str| {
        let (f, levels) = levels(spec, &[]).unwrap();
        f.switches().find(|&s| *f.node(s).description == *name).and_then(|s| levels.role(s))
    };
    assert_eq!(role("fat-tree:4,2", "leaf-01"), Some(Role::Leaf));
    assert_eq!(role("fat-tree:4,2", "spine-01"), Some(Role::Spine));
    assert_eq!(role("fat-tree:4,3", "mid-01-01"), Some(Role::Spine));
    assert_eq!(role("fat-tree:4,3", "core-01-01"), Some(Role::Core));
    assert_eq!(role("diamond", "switch"), Some(Role::Leaf));
}

#[test]
fn damaged_trees_keep_their_levels() {
    for (spec, selectors) in [
        ("fat-tree:8,2", &["leaf-03[5]"][..]),
        ("fat-tree:8,2", &["leaf-03", "spine-02"]),
        ("fat-tree:8,2", &["random-cables=20%,seed=1"]),
        ("fat-tree:8,2", &["random-hosts=60%,seed=2"]),
        ("fat-tree:8,2", &["random-hosts=90%,seed=2"]),
        ("fat-tree:8,2", &["leaf-03--*"]), // a leaf cut off with its hosts is a separate plane
        ("fat-tree:8,2", &["spine-03--*"]), // a spine cut off has no level
        ("fat-tree:8,2", &["node000[1-4]*", "leaf-01[1]", "leaf-01[2]", "leaf-01[3]", "leaf-01[4]"][1..]),
        ("fat-tree:8,3", &["random-cables=15%,seed=3"]),
        ("fat-tree:8,3", &["random-switches=10%,seed=4"]),
        ("fat-tree:8,3", &["mid-01-*--core-*"]), // a separate pod
        ("fat-tree:8,3", &["*[1]", "core-02-02--*:1"][1..]),
        ("fat-tree:36,3:pods=8", &["random-cables=5%", "random-hosts=30%", "core-03-02"]),
        ("itasca", &["random-cables=10%,seed=5"]),
        ("itasca:67", &["director-1-mid-03", "director-2-top-4", "leaf-09"]),
        ("itasca:20", &["director-2-*"]),
        // Pairs of leaves have no path up and then down.
        ("fat-tree:4,3", &["random-cables=6,seed=10"]),
        ("fat-tree:4,3:pods=3", &["random-cables=5,seed=17"]),
        ("fat-tree:4,3:pods=2", &["random-cables=2,seed=14"]),
        // One near set: the tops have the very cables that an empty leaf would have.
        ("itasca:9", &["director-2-*"]),
        ("itasca:5", &["director-2-*"]),
    ] {
        as_named(spec, selectors);
    }
}

#[test]
fn empty_leaves_and_pods_are_leaves_and_pods() {
    // Hosts of leaf-02 are 0005–0008; of pod 3 of the three-tier tree 0033–0048.
    as_named("fat-tree:8,2", &["node0005", "node0006", "node0007", "node0008"]);
    let (f, levels) =
        as_named("fat-tree:8,2", &["node0005", "node0006", "node0007", "node0008", "leaf-02[5]"]);
    let leaf = f.switches().find(|&s| *f.node(s).description == *"leaf-02").unwrap();
    assert!(!levels.is_host_facing(leaf) && levels.level(leaf) == Some(0));
    as_named("fat-tree:8,3", &["node003[3-9]"; 0]);
    as_named("fat-tree:8,3", &["node003?", "node004?"]);
}

#[test]
fn hosts_on_spines_and_cores_do_not_make_leaves() {
    let (f, levels) = as_named("fat-tree:8,2:radix=12", &["+host@spine-02", "+host@spine-03:2"]);
    let spine = f.switches().find(|&s| *f.node(s).description == *"spine-02").unwrap();
    assert!(!levels.is_host_facing(spine));
    as_named("fat-tree:8,2:radix=12", &["+host@spine-*"]);
    // As many hosts as on a leaf, or more than on an uneven one.
    as_named("fat-tree:8,2:radix=12", &["+host@spine-02:4"]);
    as_named("fat-tree:8,2:radix=12", &["+host@spine-02:2", "node0001", "node0002", "node0003"]);
    as_named("fat-tree:8,3:radix=12", &["+host@core-*", "+host@mid-01-01:2"]);
    as_named("itasca:40", &["+host@director-1-mid-18:3", "random-hosts=50%"]);
    // On one core alone: without the host it would be a core, however well a leaf would fit there.
    for (spec, selectors) in [
        ("fat-tree:8,3:radix=12", &["+host@core-01-01"][..]),
        ("fat-tree:8,3:radix=12", &["+host@core-01-01:3"]),
        ("fat-tree:8,3:radix=12", &["+host@core-01-01", "+host@core-02-02", "+host@mid-01-01"]),
        // As many cores side by side as leaves in a pod: those are apart from each other all the same.
        ("pgft:3;5,3,5;1,5,5;1,1,1:radix=40", &["+host@core-01-01:3"]),
        ("fat-tree:8,3:radix=12", &["+host@core-01-01", "random-cables=10%,seed=3", "random-hosts=30%"]),
        ("fat-tree:8,3:pods=4,radix=12", &["+host@core-01-01:2"]),
        ("fat-tree:4,3:pods=2,radix=12", &["+host@core-01-01"]),
        ("fat-tree:36,3:pods=8,radix=40", &["+host@core-01-01", "+host@core-17-03"]),
        ("itasca:64:radix=40", &["+host@director-1-top-1"]),
    ] {
        as_named(spec, selectors);
    }
}

#[test]
fn an_appendage_changes_no_other_level() {
    // What is added, for trees of two levels and of three.
    let two: [&[&str]; 8] = [
        &["+switch=a@spine-01:2"],                           // an empty leaf
        &["+switch=a@spine-01:2", "+host@a:3"],              // a management leaf
        &["+switch=a@spine-0?", "+host@a:1"],                // a small leaf
        &["+switch=a@leaf-01", "+host@a:4"],                 // a switch on a leaf
        &["+switch=a@leaf-01"],                              // the same without hosts
        &["+switch=a@spine-01", "+switch=b@a", "+host@b:2"], // two in a row
        &["+switch=a@spine-*", "+switch=b@a:2"],             // a spine above spines, one leaf
        &["+switch=a@leaf-0[12]", "+host@a:1"][..0],         // nothing
    ];
    let three: [&[&str]; 8] = [
        &["+switch=a@core-01-*", "+switch=b@a:2"], // own spine, empty leaf
        &["+switch=a@core-01-*", "+switch=b@a:2", "+host@b:4"], // own spine, full leaf
        &["+switch=a@core-0?-01", "+switch=b@a:2", "+switch=c@core-0?-02", "+switch=d@c:2", "+host@d:1"],
        &["+switch=a@core-01-*", "+host@a:4"], // hosts behind cores
        &["+switch=a@core-01-01", "+host@a:1"],
        &["+switch=a@mid-01-01:2", "+host@a:4"],
        &["+switch=a@leaf-01-01", "+host@a:2"],
        &["+switch=a@core-01-01:2"],
    ];
    let damage: [&[&str]; 3] =
        [&[], &["random-cables=5%,seed=1"], &["random-cables=10%,seed=2", "random-hosts=20%"]];
    for (spec, appendages) in [("fat-tree:8,2:radix=20", two), ("fat-tree:8,3:radix=20", three)] {
        for damage in damage {
            let (before, known) = levels(spec, damage).unwrap();
            for appendage in appendages {
                let (after, found) = levels(spec, &[damage, appendage].concat())
                    .unwrap_or_else(|| panic!("{spec} {damage:?} {appendage:?}: no levels"));
                for s in before.switches() {
                    let t = after.switches().find(|&t| after.node(t).id == before.node(s).id).unwrap();
                    let name = &before.node(s).description;
                    let was = (known.level(s), known.role(s));
                    assert_eq!(
                        (found.level(t), found.role(t)),
                        was,
                        "{spec} {damage:?} {appendage:?} {name}"
                    );
                }
            }
        }
    }
}

#[test]
fn trees_joined_by_a_few_cables_keep_their_levels() {
    for (spec, cables) in [
        ("fat-tree:8,2:radix=20,trees=2", &["+tree1-spine-01--tree2-spine-01"][..]),
        ("fat-tree:8,2:radix=20,trees=2", &["+tree1-leaf-02--tree2-leaf-02"]),
        (
            "fat-tree:8,3:radix=20,trees=3",
            &["+tree1-core-01-01--tree2-core-01-01:2", "+tree3-core-02-02--tree2-core-03-03"],
        ),
        ("fat-tree:8,2:radix=20,trees=2", &["+tree1-leaf-01--tree2-spine-01"]),
        (
            "fat-tree:8,2:radix=20,trees=2",
            &[
                "+tree1-leaf-01--tree2-spine-01",
                "+tree1-leaf-02--tree2-spine-01",
                "+tree1-leaf-03--tree2-spine-02",
            ],
        ),
        (
            "fat-tree:8,2:radix=20,trees=3",
            &["+tree1-leaf-01--tree2-spine-01:2", "+tree2-leaf-01--tree3-spine-01"],
        ),
        ("fat-tree:8,3:radix=20,trees=2", &["+tree1-leaf-01-01--tree2-mid-01-01"]),
        (
            "fat-tree:8,3:radix=20,trees=2",
            &["+tree1-mid-01-01--tree2-core-01-01", "+tree1-mid-01-02--tree2-core-02-01"],
        ),
        ("fat-tree:8,3:radix=20,trees=2", &["+tree1-leaf-01-01--tree2-core-01-01"]),
        (
            "fat-tree:8,3:radix=20,trees=2",
            &["+tree1-leaf-01-01--tree2-mid-01-01", "random-cables=5%,seed=1", "random-hosts=20%,seed=2"],
        ),
    ] {
        as_named(spec, cables);
    }
}

#[test]
fn odd_cables_stay_odd() {
    let (f, levels) = as_named("fat-tree:8,2:radix=10", &["+leaf-01--leaf-02", "+spine-01--spine-02"]);
    assert_eq!(levels.odd_cables(&f).len(), 2);
    // A cable from a leaf to a core must not pull the core down.
    let (f, levels) =
        as_named("fat-tree:8,3:radix=10", &["+leaf-01-01--core-02-02", "+mid-01-01--mid-02-01"]);
    assert_eq!(levels.odd_cables(&f).len(), 2);
    // A leaf with hosts that hangs on another leaf only.
    as_named("fat-tree:8,2:radix=10", &["+leaf-01--leaf-02", "leaf-02--spine-*"]);
    let empty = ["node0005", "node0006", "node0007", "node0008"];
    as_named("fat-tree:8,2:radix=10", &[&["+leaf-01--leaf-02"][..], &empty].concat());
}

#[test]
fn two_edges_and_two_cores_that_lack_a_cable_are_a_tree() {
    // The core and the edge at the two ends of the chain are cabled alike.
    for seed in 0..8 {
        as_named("article", &[&format!("random-cables=1,seed={seed}")]);
    }
}

#[test]
fn fabrics_that_are_no_trees_have_no_levels() {
    for spec in [
        "torus:4x4x2",
        "torus:3x3",
        "torus:4x4:h=4",
        "torus:2x2x2",
        "mesh:4x4",
        "ring:6",
        "ring:4",
        "ring:3",
        "chain:5",
        "hypercube:4",
        "dragonfly:2,4,2",
        "random:20,4,2:seed=1",
        "random:20,4,2:seed=2",
        "random:50,6,1:seed=3",
        "random:50,4,1:seed=4",
        "random:80,3,2:seed=5",
        "random:120,3,1:seed=6",
    ] {
        assert!(levels(spec, &[]).is_none(), "{spec}");
        // (A ring of 4 with three hosts is two leaves and two spines, one of them with a host.)
        let fewer = levels(spec, &["random-hosts=20%,seed=1"]);
        assert!(fewer.is_none() || spec == "ring:4", "{spec}, fewer hosts");
    }
    // Grids in which most switches lost their hosts: those that kept them look like leaves.
    for spec in [
        "torus:4x4",
        "torus:6x6",
        "torus:4x4x4",
        "torus:2x2x2x2",
        "mesh:4x4",
        "mesh:5x5",
        "mesh:3x3x3",
        "hypercube:3",
        "hypercube:5",
        "torus:4x4:h=4",
        "mesh:2x6",
        "ring:8",
        "chain:9",
    ] {
        for seed in 0..10 {
            for hosts in [25, 50, 75] {
                let hosts = format!("random-hosts={hosts}%,seed={seed}");
                // (A ring of 8 with two hosts opposite each other is two leaves, four switches with a single child, and two tops.)
                let is_right = |found: Option<(Fabric, Levels)>| {
                    found.is_none_or(|(_, levels)| spec == "ring:8" && levels.count() == 3)
                };
                assert!(is_right(levels(spec, &[&hosts])), "{spec} without {hosts}");
                let cables = format!("random-cables=5%,seed={seed}");
                // A cable fewer in a grid of 8 or 12 switches may leave a tree.
                let is_large = !["hypercube:3", "mesh:2x6"].contains(&spec);
                assert!(
                    is_right(levels(spec, &[&hosts, &cables])) || !is_large,
                    "{spec} without {hosts}, {cables}"
                );
            }
        }
    }
    assert!(levels("fat-tree:8,2", &["random-hosts=100%"]).is_none());
}

#[test]
fn names_and_guids_play_no_part() {
    let f = generate("itasca:30").unwrap();
    assert_eq!(Levels::of(&f), Levels::of(&shuffle_guids(&f, 9)));
}

proptest::proptest! {
    #[test]
    fn any_pgft_with_two_children_or_more_has_its_levels(
        m in proptest::collection::vec(2_u32..=4, 1..=4),
        w in proptest::collection::vec(1_u32..=3, 4),
        p in proptest::collection::vec(1_u32..=3, 4),
    ) {
        let h = m.len();
        let list = |l: &[u32]| l.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        let w: Vec<u32> = std::iter::once(1).chain(w[1..h].iter().copied()).collect();
        let (f, levels) = levels(&format!("pgft:{h};{};{};{}", list(&m), list(&w), list(&p[..h])), &[]).unwrap();
        // The generator adds leaves first, then level by level.
        let mut expected = Vec::new();
        for l in 1..=h {
            let count = m[l..].iter().product::<u32>() * w[..l].iter().product::<u32>();
            expected.extend(std::iter::repeat_n(Some(l as u8 - 1), count as usize));
        }
        let found: Vec<_> = f.switches().map(|s| levels.level(s)).collect();
        proptest::prop_assert_eq!(found, expected);
    }
}
