//! Levels with what a site declares.

use super::*;
use crate::generate::{declare, edit, generate};
use crate::io::roles;

fn levels(spec: &str, selectors: &[&str], rules: &str) -> Option<(Fabric, Levels)> {
    let fabric = edit(&generate(spec).unwrap(), selectors).unwrap();
    let fabric = declare(&fabric, &roles::read(rules.as_bytes()).unwrap()).unwrap();
    let levels = Levels::of(&fabric)?;
    Some((fabric, levels))
}

fn level(found: Option<&(Fabric, Levels)>, name: &str) -> Option<u8> {
    let (fabric, levels) = found.unwrap();
    levels.level(fabric.find_node(name).unwrap())
}

#[test]
fn declaring_what_is_found_anyway_changes_nothing() {
    for selectors in [&[][..], &["random-cables=10%,seed=3"], &["random-hosts=50%,seed=1"]] {
        let known = levels("fat-tree:8,3", selectors, "").unwrap().1;
        for rules in ["root core-*", "leaf leaf-*", "spine mid-*", "core core-*\nleaf leaf-01-*"] {
            assert_eq!(levels("fat-tree:8,3", selectors, rules).unwrap().1, known, "{selectors:?} {rules}");
        }
    }
}

#[test]
fn roots_make_levels_where_cabling_alone_shows_none() {
    // A chain of five switches with a host each. From its middle: 0 1 2 1 0; the ends are as far as
    // any, and as many adapters are one step away as two, of which the nearer counts.
    assert!(levels("chain:5", &[], "").is_none());
    let found = levels("chain:5", &[], "root switch-2");
    let names: Vec<String> = found
        .as_ref()
        .unwrap()
        .0
        .switches()
        .map(|s| found.as_ref().unwrap().0.node(s).description.to_string())
        .collect();
    let all: Vec<_> = names.iter().map(|name| level(found.as_ref(), name)).collect();
    assert_eq!(all, [Some(0), Some(0), Some(1), Some(0), Some(0)], "{names:?}");
}

#[test]
fn a_leaf_without_hosts_and_a_spine_with_many_are_what_they_are_declared_to_be() {
    // A switch with four hosts on every spine looks like a leaf.
    let added = ["+switch=x@spine-*", "+host@x:4"];
    assert_eq!(level(levels("fat-tree:8,2:radix=20", &added, "").as_ref(), "x"), Some(0));
    let found = levels("fat-tree:8,2:radix=20", &added, "core x");
    assert_eq!(level(found.as_ref(), "x"), Some(1), "the top of two levels");
    let found = levels("fat-tree:8,2:radix=20", &["+switch=y@leaf-01"], "leaf y");
    assert_eq!(level(found.as_ref(), "y"), Some(0));
    assert_eq!(level(found.as_ref(), "spine-01"), Some(1));
}

#[test]
fn with_roots_a_switch_with_hosts_that_leads_no_farther_is_a_leaf() {
    // Both hang off cores, one step from the roots, where the mid switches are.
    let added = ["+switch=x@core-*", "+host@x:4", "+switch=y@core-01-01"];
    let found = levels("fat-tree:8,3:radix=20", &added, "root core-*");
    assert_eq!((level(found.as_ref(), "x"), level(found.as_ref(), "y")), (Some(0), Some(1)));
    assert_eq!((level(found.as_ref(), "mid-01-01"), level(found.as_ref(), "leaf-01-01")), (Some(1), Some(0)));
    let found = levels("fat-tree:8,3:radix=20", &added, "root core-*\nleaf y\nspine x");
    assert_eq!((level(found.as_ref(), "x"), level(found.as_ref(), "y")), (Some(1), Some(0)));
}
