//! Levels: how high each switch of a tree-like fabric is above the hosts.
//!
//! Definition, for each plane that has host adapters:
//!
//! * Leaves (level 0) are the *host-facing* switches. How far each is filled is chance, what it is cabled to is
//!   planned: switches that are cabled alike are of one kind (`alike`), or, where none are, those of one shape, and
//!   count with the hosts that they have on average. Since a few hosts may be higher (administration, I/O) and aggregation nodes anywhere, a least
//!   number decides: each that occurs is tried, without exceptions and with each of these: switches of whose
//!   kind hardly any has hosts, switches with more than half of their cables to switches going to other leaves,
//!   switches whose neighbours lead to hardly any other leaf, and switches whose neighbours lead to different
//!   leaves (a core with a host joins pods).
//! * The others are one level above the switches from which they are reached, in order of distance from
//!   the leaves (`assign`), unless they are cabled like a switch one level *below* these: an empty leaf, a
//!   line chip of a director without cables, an empty pod. A level that joins no leaves that are not
//!   joined below it, and has less than a third of the cables of the level below, is an appendage of that
//!   level (a management leaf without hosts on its own spine, for example) and is put below it. Cables up to
//!   a switch with hosts do not count: a management leaf on cores is no level above them.
//! * A switch with hosts that hangs on a few leaves, or on cores, is a leaf, too: those that it hangs on have its
//!   cables beside what others have (`plan`). One that hangs on a single switch, where its like join several, joins
//!   nothing: it is a level below that switch, with hosts or without.
//! * Of all these assignments the one with the fewest *misfits* is taken: cables between switches
//!   that do not join adjacent levels, cables of a switch at another level than most of its kind, cables by which
//!   a leaf, or a switch two or more levels below the top, joins subtrees as a core does (`LevelGraph::joining`;
//!   not where most leaves do: they are cabled to switches of two kinds), and adapters on switches above level 0
//!   that are not cabled like one without any; of equals the one with fewer adapters above level 0.
//! * It must be mostly a tree: at most `ODD_CABLES` of the cables between switches are odd (those of a few
//!   switches with hosts and a single neighbour, as on a leaf, left out), most adapters are at level 0, and
//!   at least `CONNECTED` of the pairs of leaves are connected by a path that goes up and then down
//!   (`up_down`), or `CONNECTED_WITHOUT_MISFITS` where nothing else is odd. A few leaves that are so connected to fewer than half of the others are left out: they
//!   hang below another leaf, and their cables are odd.
//! * Cables between adjacent levels may also join trees, from a leaf of one to a spine of the other, and
//!   then fewer pairs of leaves are connected up and down. The far end of such a cable leads down to other
//!   leaves than the switch's other cables up do. Where these cables are few they count as odd, and only
//!   pairs within a tree count.
//!
//! What a site declares (`given`) wins: with roots, levels are counted from them; a declared leaf is
//! a leaf in every trial, a declared spine or core never is.
//!
//! A plane that is a Dragonfly+ ([`Groups`]) is none of this: its leaves are level 0, its spines level 1, and nothing is tried.
//!
//! A mesh, torus, hypercube, ring or chain (`fabric::grid`) has no levels, however few of its switches have hosts, unless
//! the site declares some.
//!
//! A fabric has levels where every plane with two or more switches and an adapter has.

mod alike;
#[cfg(test)]
mod appendage_tests;
mod assign;
mod given;
#[cfg(test)]
mod given_tests;
mod plan;
mod search;
mod up_down;

use super::{Fabric, Groups, NodeId, PortId, planes};
use assign::{LevelGraph, NONE};
pub use search::{LeftOut, LevelSearch, Trial};

/// What a switch is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// Level 0.
    Leaf,
    /// Between leaves and cores; the top level where there are two.
    Spine,
    /// The top level where there are three or more.
    Core,
}

impl Role {
    /// `leaf`, `spine` or `core`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Leaf => "leaf",
            Self::Spine => "spine",
            Self::Core => "core",
        }
    }
}

/// The levels of a fabric's switches. See the module's documentation for what they mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Levels {
    level: Vec<u8>,
    /// Highest level of the switch's plane.
    top: Vec<u8>,
    has_hosts: Vec<bool>,
    /// Of planes that are a Dragonfly+.
    groups: Vec<Groups>,
}

impl Levels {
    /// The levels of a fabric, where it is tree-like.
    pub fn of(fabric: &Fabric) -> Option<Self> {
        Self::explained(fabric).0
    }

    /// The levels of a fabric, and how those of each plane with adapters were found.
    pub fn explained(fabric: &Fabric) -> (Option<Self>, Vec<LevelSearch>) {
        let graph = LevelGraph::of(fabric);
        let planes = planes(fabric);
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); planes.count()];
        for switch in fabric.switches() {
            members[planes.of(switch) as usize].push(switch.0);
        }
        let count = fabric.num_switches();
        let mut levels = Self {
            level: vec![NONE; count],
            top: vec![NONE; count],
            has_hosts: graph.hosts.iter().map(|&n| n > 0).collect(),
            groups: Groups::plus_of(fabric),
        };
        let of_groups = levels.of_groups();
        let mut searches = Vec::new();
        let mut is_tree = true;
        for plane in members.iter().filter(|plane| plane.iter().any(|&s| graph.hosts[s as usize] > 0)) {
            let (search, found) = match plane.first() {
                Some(&first) if of_groups[first as usize] != NONE => {
                    (LevelSearch::of_groups(plane), Some(of_groups.clone()))
                }
                _ => LevelSearch::of(&graph, plane),
            };
            searches.push(search);
            let Some(found) = found else {
                is_tree = false;
                continue;
            };
            let highest = plane.iter().map(|&s| found[s as usize]).max().unwrap_or(0);
            for &s in plane {
                levels.level[s as usize] = found[s as usize];
                levels.top[s as usize] = highest;
            }
        }
        let has_any = levels.level.iter().any(|&l| l != NONE);
        ((is_tree && has_any).then_some(levels), searches)
    }

    /// By switch, its level in a plane that is a Dragonfly+: what is in no group hangs somewhere, as a leaf does.
    fn of_groups(&self) -> Vec<u8> {
        let mut level = vec![NONE; self.level.len()];
        for groups in &self.groups {
            let spines = groups.groups.iter().flat_map(|group| &group.spines);
            let others = groups.groups.iter().flat_map(|group| &group.leaves).chain(&groups.outside);
            spines.for_each(|s| level[s.ix()] = 1);
            others.for_each(|s| level[s.ix()] = 0);
        }
        level
    }

    /// The same without those of planes that are a Dragonfly+; none where no other has levels.
    pub fn of_trees(&self) -> Option<Self> {
        let of_groups = self.of_groups();
        let mut trees = Self { groups: Vec::new(), ..self.clone() };
        for (level, of_group) in trees.level.iter_mut().zip(of_groups) {
            *level = if of_group == NONE { *level } else { NONE };
        }
        trees.level.iter().any(|&level| level != NONE).then_some(trees)
    }

    /// The groups of the planes that are a Dragonfly+; none in a tree.
    pub fn groups(&self) -> &[Groups] {
        &self.groups
    }

    /// A switch's level, 0 for leaves; none in a plane without hosts (a switch cut off, for example).
    pub fn level(&self, switch: NodeId) -> Option<u8> {
        self.level.get(switch.ix()).copied().filter(|&l| l != NONE)
    }

    /// What a switch is for.
    pub fn role(&self, switch: NodeId) -> Option<Role> {
        let level = self.level(switch)?;
        Some(match level {
            0 => Role::Leaf,
            l if l >= 2 && l == self.top[switch.ix()] => Role::Core,
            _ => Role::Spine,
        })
    }

    /// Whether a switch is a leaf with host adapters. A spine with a few is not host-facing.
    pub fn is_host_facing(&self, switch: NodeId) -> bool {
        self.level(switch) == Some(0) && self.has_hosts[switch.ix()]
    }

    /// Number of levels: 1 for a single switch.
    pub fn count(&self) -> usize {
        self.level.iter().filter(|&&l| l != NONE).max().map_or(0, |&l| usize::from(l) + 1)
    }

    /// The switches of a level.
    pub fn at(&self, level: u8) -> impl Iterator<Item = NodeId> {
        let all = self.level.iter().enumerate();
        all.filter(move |&(_, &l)| l == level && l != NONE).map(|(s, _)| NodeId(s as u32))
    }

    /// The cables between switches that do not join adjacent levels.
    pub fn odd_cables(&self, fabric: &Fabric) -> Vec<(PortId, PortId)> {
        let level = |p: PortId| self.level(fabric.node_of(p));
        let odd = |&(a, b): &(PortId, PortId)| matches!((level(a), level(b)), (Some(l), Some(m)) if l.abs_diff(m) != 1);
        fabric.cables().filter(odd).collect()
    }
}

#[cfg(test)]
mod tests {
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
            let name =
                name.split_once('-').filter(|(tree, _)| tree.starts_with("tree")).map_or(name, |(_, n)| n);
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
                expected =
                    Some(if f.switches().any(|s| f.node(s).description.contains("mid-")) { 2 } else { 1 });
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
                    assert!(levels(spec, &[&hosts]).is_none(), "{spec} without {hosts}");
                    let cables = format!("random-cables=5%,seed={seed}");
                    // A cable fewer in a grid of 8 or 12 switches may leave a tree.
                    let is_large = !["hypercube:3", "mesh:2x6"].contains(&spec);
                    let found = levels(spec, &[&hosts, &cables]);
                    assert!(found.is_none() || !is_large, "{spec} without {hosts}, {cables}");
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
}
