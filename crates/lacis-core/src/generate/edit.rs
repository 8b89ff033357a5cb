//! Planted troubles: a fabric without some of its nodes or cables, or with more.
//!
//! | selector                                   | what                                                 |
//! |--------------------------------------------|------------------------------------------------------|
//! | `leaf-03`, `S-0002c9…`, `0x0002c9…`, `leaf-*` | nodes by description, host, id or GUID; `*`, `?`  |
//! | `leaf-03[19]`                              | the cable at that port                               |
//! | `leaf-03--spine-02`, `leaf-*--spine-02`    | all cables between                                   |
//! | `leaf-03--spine-02:1`                      | one of them (of each two nodes, where there are more)|
//! | `leaf-03[19]--spine-02`                    | the same, at that port                               |
//! | `random-cables=5%`, `random-cables=3,seed=7` | cables between switches                            |
//! | `random-hosts=…`, `random-switches=…`      | host adapters, switches                              |
//! | `+leaf-01[36]--leaf-02[36]`, `+leaf-01--leaf-02:2` | new cables; without port at the first free   |
//! | `+host@spine-01`, `+host@spine-01[5]`, `+host@spine-01:3` | new hosts                            |
//!
//! Selectors apply in order, each to what the earlier ones have left. With the same seed a smaller
//! random amount is a subset of a larger one. Nodes are removed with their cables; ports and the other
//! nodes stay as they are. A selector that names nothing is an error.

use super::add::with;
use super::error::EditError;
use super::remove::without;
use crate::fabric::Fabric;

/// The fabric with nodes and cables removed or, if a selector begins with `+`, added.
///
/// # Errors
/// When a selector is malformed, names nothing, or adds what there is no room for.
pub fn edit(fabric: &Fabric, selectors: &[&str]) -> Result<Fabric, EditError> {
    let mut current = fabric.clone();
    for run in selectors.chunk_by(|a, b| !a.starts_with('+') && !b.starts_with('+')) {
        current = match run[0].strip_prefix('+') {
            Some(addition) => with(&current, run[0], addition)?,
            None => without(&current, run)?,
        };
    }
    Ok(current)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::NodeId;
    use crate::generate::select::called;
    use crate::generate::{generate, shuffle_guids, with_cable};

    fn make(spec: &str) -> Fabric {
        generate(spec).unwrap()
    }

    /// Switches, end nodes, all cables.
    fn counts(f: &Fabric) -> (usize, usize, usize) {
        (f.num_switches(), f.end_nodes().len(), f.cables().count())
    }

    fn node_named(f: &Fabric, name: &str) -> NodeId {
        let called = called(f, name);
        f.nodes().map(|(id, _)| id).find(|&id| called(id)).expect(name)
    }

    /// Every cable by the names of its ends.
    fn cables(f: &Fabric) -> Vec<String> {
        f.cables().map(|(a, b)| format!("{} {}", f.port_name(a), f.port_name(b))).collect()
    }

    // fat-tree:36,2:pods=12 has 12 leaves (ports 1–18 hosts, 19–36 up), 6 spines, 3 cables between
    // each: (18, 216, 216 + 216).
    const TREE: &str = "fat-tree:36,2:pods=12";

    #[test]
    fn each_selector_removes_what_it_names() {
        let f = make(TREE);
        let leaf_guid = f.node(node_named(&f, "leaf-03")).guid.to_string();
        let leaf_id = f.node(node_named(&f, "leaf-03")).id.to_string();
        let host_port = f.port_info(f.port(node_named(&f, "node0001"), 1).unwrap()).guid.to_string();
        for (selectors, expected) in [
            // A leaf takes 18 uplinks and 18 host cables with it; its hosts stay, without cable.
            (&["leaf-03"][..], (17, 216, 432 - 36)),
            (&[&leaf_guid], (17, 216, 396)),
            (&[&leaf_id], (17, 216, 396)),
            (&["spine-0?"], (12, 216, 216)),
            (&["leaf-1*"], (15, 216, 432 - 3 * 36)),
            (&["node0001 HCA-1"], (18, 215, 431)),
            (&["node0001"], (18, 215, 431)),
            (&[&host_port], (18, 215, 431)),
            (&["leaf-03[19]"], (18, 216, 431)),
            (&["leaf-03[1]"], (18, 216, 431)),
            // Port 36 of 18 switches, where leaf-12's is cabled to spine-06's.
            (&["*[36]"], (18, 216, 432 - 17)),
            (&["leaf-03--spine-02"], (18, 216, 429)),
            (&["spine-02--leaf-03"], (18, 216, 429)),
            (&["leaf-03--spine-02:1"], (18, 216, 431)),
            (&["leaf-03[22]--spine-02"], (18, 216, 431)),
            (&["leaf-03--spine-02:2", "leaf-03--spine-02:1"], (18, 216, 429)),
            (&["leaf-*--spine-02:1"], (18, 216, 420)),
            (&["*--*:1"], (18, 216, 432 - 216 - 72)),
            // 5 % of 216 is 10.8.
            (&["random-cables=5%"], (18, 216, 421)),
            (&["random-cables=3,seed=7"], (18, 216, 429)),
            (&["random-hosts=50%"], (18, 108, 324)),
            (&["random-switches=18"], (0, 216, 0)),
            (&["leaf-03", "random-switches=0"], (17, 216, 396)),
            (&[], (18, 216, 432)),
        ] {
            let less = without(&f, selectors).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(counts(&less), expected, "{selectors:?}");
            let all = cables(&f);
            assert!(cables(&less).iter().all(|c| all.contains(c)), "{selectors:?}");
            assert_eq!(edit(&f, selectors), Ok(less));
        }
    }

    #[test]
    fn one_cable_of_several_is_the_first_and_its_ports_are_empty() {
        let f = without(&make(TREE), &["leaf-03--spine-02:1"]).unwrap();
        let port = f.port(node_named(&f, "leaf-03"), 22).unwrap();
        assert_eq!((f.peer(port), f.port_info(port).rate, f.port_info(port).listed), (None, None, false));
        assert_eq!(f, without(&make(TREE), &["leaf-03[22]"]).unwrap());
    }

    #[test]
    fn random_cables_are_between_switches_nested_and_follow_their_seed() {
        let f = make(TREE);
        let less = |selector: &str| cables(&without(&f, &[selector]).unwrap());
        let (few, more) = (less("random-cables=3,seed=7"), less("random-cables=30,seed=7"));
        assert_eq!(few, less("random-cables=3,seed=7"));
        assert_ne!(few, less("random-cables=3,seed=8"));
        assert!(more.iter().all(|c| few.contains(c)));
        assert_eq!(few.iter().filter(|c| c.contains("node")).count(), 216);
        let renamed = shuffle_guids(&f, 1);
        assert_eq!(few, cables(&without(&renamed, &["random-cables=3,seed=7"]).unwrap()));
    }

    #[test]
    fn a_selector_that_names_nothing_is_an_error_with_near_names() {
        let f = make(TREE);
        for (selector, complaint) in [
            ("leaf-3", "no node is called leaf-3 (nearest: leaf-03"),
            ("leaf-99[3]", "no node is called leaf-99"),
            ("leaf-03[37]", "0 cables there, not 1"),
            ("leaf-03--leaf-04", "0 cables there"),
            ("leaf-03--spine-02:4", "3 cables between leaf-03 and spine-02 there, not 4"),
            ("0x1", "no node"),
            ("random-cables=217", "216 cables between switches there, not 217"),
            ("random-cabels=3", "nearest: random-cables"),
            ("xyz*", "no node"),
            ("+leaf-01[36]--leaf-02[36]", "nodes or cables to remove"),
            ("host@leaf-01", "nodes or cables to remove"),
            ("", "expected the name"),
        ] {
            let error = without(&f, &[selector]).expect_err(selector).to_string();
            assert!(error.contains(complaint), "{error}");
        }
        assert!(without(&f, &["leaf-03", "leaf-03[19]"]).is_err());
    }

    #[test]
    fn additions_take_free_ports() {
        let f = make("fat-tree:8,2:radix=10");
        let more = edit(&f, &["+leaf-01--leaf-02:2", "+leaf-03[10]--spine-01[9]", "+host@spine-0[4]"]);
        assert!(more.is_err(), "spine-0 is no node");
        let more =
            edit(&f, &["+leaf-01--leaf-02:2", "+leaf-03[10]--spine-01[9]", "+host@spine-0?", "leaf-04"])
                .unwrap();
        // 64 cables; 2 + 1 + 4 new ones; leaf-04 takes 8 along.
        assert_eq!(counts(&more), (11, 36, 64 + 7 - 8));
        let cables = cables(&more);
        for cable in [
            r#""leaf-01"[9] "leaf-02"[9]"#,
            r#""leaf-01"[10] "leaf-02"[10]"#,
            r#""leaf-03"[10] "spine-01"[9]"#,
            r#""spine-01"[10] "extra0001 HCA-1"[1]"#,
            r#""spine-04"[9] "extra0004 HCA-1"[1]"#,
        ] {
            assert!(cables.iter().any(|c| c == cable), "{cable}");
        }
        let host = more.node(node_named(&more, "extra0004"));
        assert_eq!(more.nodes().filter(|(_, n)| n.guid == host.guid).count(), 1);
        let leaf = node_named(&f, "leaf-01");
        let by_hand = with_cable(&f, (leaf, 9), (node_named(&f, "leaf-02"), 9)).unwrap();
        assert_eq!(Ok(by_hand), edit(&f, &["+leaf-01--leaf-02"]));
        assert!(with_cable(&f, (leaf, 9), (leaf, 9)).is_err());
        assert!(with_cable(&f, (leaf, 9), (NodeId(9999), 9)).is_err());
    }

    #[test]
    fn additions_without_room_are_refused() {
        let f = make("fat-tree:8,2");
        for (selector, complaint) in [
            ("+leaf-01--leaf-02", "0 free ports on leaf-01 there, not 1"),
            ("+host@leaf-01", "0 free ports on leaf-01"),
            ("+host@leaf-01[1]", "port 1 of S-"),
            ("+leaf-01[9]--leaf-02[9]", "has 8 ports, so no port 9"),
            ("+leaf-0?[1]--leaf-02[1]", "8 nodes are called leaf-0?"),
            ("+leaf-01", "expected +A--B"),
        ] {
            let error = edit(&f, &[selector]).expect_err(selector).to_string();
            assert!(error.contains(complaint), "{error}");
        }
    }
}
