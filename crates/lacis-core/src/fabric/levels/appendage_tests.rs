//! Drawn appendages: chains of switches hung on any switch of a tree, the last with hosts or without.

use proptest::prelude::*;

use super::Levels;
use crate::fabric::Fabric;
use crate::generate::{edit, generate};

/// A chain of switches to hang on a tree.
#[derive(Clone, Debug)]
struct Chain {
    /// Which of the tree's switches it hangs on, modulo their number.
    on: usize,
    length: usize,
    cables: usize,
    /// Hosts of the last switch.
    hosts: usize,
}

impl Chain {
    /// The additions that make it; `name` starts its switches' names.
    fn additions(&self, tree: &Fabric, name: &str) -> Vec<String> {
        let on = tree.switches().nth(self.on % tree.num_switches()).unwrap();
        let mut below = tree.node(on).description.to_string();
        let mut all = Vec::new();
        for i in 0..self.length {
            let switch = format!("{name}{i}");
            all.push(format!("+switch={switch}@{below}:{}", self.cables));
            below = switch;
        }
        if self.hosts > 0 {
            all.push(format!("+host@{below}:{}", self.hosts));
        }
        all
    }
}

fn chain() -> impl Strategy<Value = Chain> {
    (0..1000_usize, 1..=3_usize, 1..=2_usize, 0..=4_usize).prop_map(|(on, length, cables, hosts)| Chain {
        on,
        length,
        cables,
        hosts,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn drawn_appendages_change_no_other_level(
        spec in prop::sample::select(vec![
            "fat-tree:8,2:radix=20", "fat-tree:8,3:radix=20", "fat-tree:16,2:radix=24", "fat-tree:12,3:pods=4,radix=20",
        ]),
        chains in prop::collection::vec(chain(), 1..=2),
    ) {
        let tree = generate(spec).unwrap();
        let known = Levels::of(&tree).unwrap();
        let additions: Vec<String> =
            chains.iter().enumerate().flat_map(|(i, chain)| chain.additions(&tree, ["a", "b"][i])).collect();
        let selectors: Vec<&str> = additions.iter().map(String::as_str).collect();
        let after = edit(&tree, &selectors).unwrap();
        let Some(found) = Levels::of(&after) else {
            return Err(TestCaseError::fail(format!("{spec} {additions:?}: no levels")));
        };
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
