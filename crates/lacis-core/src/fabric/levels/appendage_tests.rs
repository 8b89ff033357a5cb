//! Drawn appendages: switches hung on a tree, alone or in chains, with hosts or without.

use proptest::prelude::*;

use super::Levels;
use crate::fabric::Fabric;
use crate::generate::{edit, generate};

/// Trees of two, three and four levels, with ports to spare.
const TREES: [&str; 9] = [
    "fat-tree:12,2:radix=24",
    "fat-tree:16,2:radix=32",
    "fat-tree:24,2:taper=3,radix=48",
    "fat-tree:8,3:radix=24",
    "fat-tree:12,3:pods=4,radix=32",
    "fat-tree:16,3:pods=1,radix=32",
    "fat-tree:8,3:taper=3,radix=24",
    "fat-tree:6,4:radix=24",
    "fat-tree:8,4:pods=4,radix=24",
];

/// A chain of switches that hangs on a tree: one is a management leaf or a utility switch, two are a leaf
/// with a spine of its own.
#[derive(Clone, Debug)]
struct Appendage {
    /// The level that it hangs on, modulo the number of levels.
    level: usize,
    /// The first of that level's switches, modulo their number, that it is cabled to.
    first: usize,
    /// To how many it is cabled: at most a half of them without hosts or with a spine of its own.
    width: usize,
    length: usize,
    /// Cables to each.
    cables: usize,
    /// Hosts of the last switch.
    hosts: usize,
}

impl Appendage {
    /// The additions that make it; `name` starts its switches' names.
    fn additions(&self, tree: &Fabric, levels: &Levels, name: &str) -> Vec<String> {
        let on: Vec<_> = levels.at((self.level % levels.count()) as u8).collect();
        let most = if self.hosts > 0 && self.length == 1 { on.len() } else { on.len() / 2 };
        let width = self.width.clamp(1, most.max(1));
        // In four levels, one on several cores beside a management leaf on the same core may take that core along.
        let width = if levels.count() > 3 { width.min(1) } else { width };
        let mut below: Vec<String> =
            (0..width).map(|i| tree.node(on[(self.first + i) % on.len()]).description.to_string()).collect();
        // A leaf's neighbours are not joined by what hangs on it.
        if self.level.is_multiple_of(levels.count()) {
            below.truncate(1);
        }
        let mut all = Vec::new();
        for i in 0..self.length {
            let switch = format!("{name}{i}");
            all.push(format!("+switch={switch}@{}:{}", below[0], self.cables));
            let others = below.iter().skip(1);
            all.extend(others.map(|other| format!("+{switch}--{other}:{}", self.cables)));
            below = vec![switch];
        }
        if self.hosts > 0 {
            all.push(format!("+host@{}:{}", below[0], self.hosts));
        }
        all
    }
}

fn appendage() -> impl Strategy<Value = Appendage> {
    (0..4_usize, 0..1000_usize, 1..=16_usize, 1..=3_usize, 1..=2_usize, 0..=4_usize).prop_map(
        |(level, first, width, length, cables, hosts)| Appendage {
            level,
            first,
            width: if cables == 2 { 1 } else { width },
            // A longer chain that ends at hosts may be a tree in itself.
            length: if hosts > 0 { length.min(2) } else { length },
            cables,
            hosts,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn drawn_appendages_change_no_other_level_and_no_other_role(
        spec in prop::sample::select(TREES.to_vec()),
        appendages in prop::collection::vec(appendage(), 1..=4),
    ) {
        let tree = generate(spec).unwrap();
        let known = Levels::of(&tree).unwrap();
        let hung = appendages.iter().filter(|one| one.hosts > 0 && one.level.is_multiple_of(known.count()));
        prop_assume!(4 * hung.count() <= known.at(0).count());
        let named = appendages.iter().zip(["a", "b", "c", "d"]);
        let additions: Vec<String> = named.flat_map(|(one, name)| one.additions(&tree, &known, name)).collect();
        let selectors: Vec<&str> = additions.iter().map(String::as_str).collect();
        let after = edit(&tree, &selectors).unwrap();
        let Some(found) = Levels::of(&after) else {
            return Err(TestCaseError::fail(format!("{spec} {additions:?}: no levels")));
        };
        prop_assert_eq!(found.count(), known.count(), "levels of {} {:?}", spec, additions);
        for s in tree.switches() {
            let t = after.switches().find(|&t| after.node(t).id == tree.node(s).id).unwrap();
            let name = &tree.node(s).description;
            prop_assert_eq!(
                (found.level(t), found.role(t)),
                (known.level(s), known.role(s)),
                "{} {:?} {}", spec, additions, name
            );
        }
    }
}

#[test]
fn a_switch_with_hosts_on_one_of_many_leaves_with_a_cable_up_each_is_a_leaf() {
    let two = generate("fat-tree:8,2:taper=7,trees=2,radix=24").unwrap();
    let joined = ["tree1-leaf-08", "tree2-leaf-08", "+tree1-spine-01--tree2-spine-01:3"];
    let fabric = edit(&two, &joined).unwrap();
    let fabric = edit(&fabric, &["+switch=service@tree1-leaf-01", "+host@service:3"]).unwrap();
    let levels = Levels::of(&fabric).unwrap();
    let level = |name| levels.level(fabric.find_node(name).unwrap());
    assert_eq!(
        [level("service"), level("tree1-leaf-01"), level("tree1-spine-01")],
        [Some(0), Some(0), Some(1)]
    );
    assert_eq!(levels.count(), 2);
}

#[test]
fn a_utility_switch_on_a_spine_with_hosts_is_no_level_above_it() {
    let tree = generate("fat-tree:8,2:radix=24").unwrap();
    let fabric = edit(&tree, &["+host@spine-*", "+switch=utility@spine-01"]).unwrap();
    assert_eq!(Levels::of(&fabric).unwrap().count(), 2);
}
