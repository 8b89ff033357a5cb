use super::*;
use crate::fabric::{Fabric, FabricBuilder, Guid, NodeId, PortId};
use crate::generate::{generate, shuffle_guids, with_cable, without};
use crate::routing::{Options, route};
use crate::sm::lids::{LidOptions, Lids};
use crate::sm::{Engine, NO_ENTRY, Routes};

fn routed(fabric: &Fabric, engine: Engine) -> Routes {
    let sm = Lids::default_sm(fabric).unwrap();
    let lids = Lids::assign(fabric, sm, &LidOptions::fresh()).unwrap();
    route(fabric, lids, &[engine], &Options::default()).unwrap()
}

#[test]
fn a_fabric_is_equal_to_itself_and_to_itself_with_other_guids() {
    let fabric = generate("fat-tree:4,3").unwrap();
    assert!(cabling(&fabric, &fabric, false).unwrap().is_equal());
    let shuffled = cabling(&fabric, &shuffle_guids(&fabric, 7), false).unwrap();
    assert!(shuffled.matched.no_guid && shuffled.is_equal(), "{:?}", shuffled.nodes);
}

#[test]
fn a_cable_taken_out_is_gone_and_in_reverse_new() {
    let fabric = generate("fat-tree:4,2").unwrap();
    let cut = without(&fabric, &["random-cables=1,seed=1"]).unwrap();
    let there = cabling(&fabric, &cut, false).unwrap();
    let back = cabling(&cut, &fabric, false).unwrap();
    assert_eq!((there.cables.len(), back.cables.len()), (1, 1));
    assert_eq!((there.cables[0].change, back.cables[0].change), (Change::Gone, Change::New));
    assert_eq!(there.cables[0].old, back.cables[0].new);
    assert!(there.nodes.is_empty() && !there.cables[0].with_node);
    assert_eq!(there.same, fabric.cables().count() - 1);
}

/// The fabric with another GUID, and another name where one is given, on one node.
fn replaced(fabric: &Fabric, node: NodeId, name: Option<&str>) -> Fabric {
    let mut builder = FabricBuilder::from(fabric);
    let handle = builder.nth(node.ix()).unwrap();
    let data = builder.node_mut(handle);
    data.guid = Guid(0xdead);
    data.id = "another".into();
    if let Some(name) = name {
        data.description = name.into();
    }
    builder.finish()
}

#[test]
fn a_node_in_the_position_of_another_is_its_replacement_whatever_its_name() {
    let fabric = generate("fat-tree:4,2").unwrap();
    for node in fabric.nodes().map(|(n, _)| n) {
        let cables = fabric.ports_of(node).filter(|&p| fabric.peer(p).is_some()).count();
        for (name, by) in [(None, Match::Name), (Some("nothing like it"), Match::Neighbours)] {
            let found = cabling(&fabric, &replaced(&fabric, node, name), false).unwrap();
            assert_eq!(found.nodes, [NodeChange::Replaced { old: node, new: node, by, cables }]);
            assert!(found.cables.is_empty());
        }
    }
}

#[test]
fn a_moved_cable_is_one_change_with_the_end_that_stayed_first() {
    let fabric = generate("fat-tree:4,2").unwrap();
    // The cables of two hosts are taken out, and that of the first put where the second was.
    let hosts: Vec<NodeId> = fabric.end_nodes().take(2).collect();
    let [a, b] = [fabric.main_port(hosts[0]), fabric.main_port(hosts[1])];
    let (was, now) = (fabric.peer(a).unwrap(), fabric.peer(b).unwrap());
    let bare = fabric.filtered(
        |_| true,
        |p, _| p != a && p != b && fabric.peer(p) != Some(a) && fabric.peer(p) != Some(b),
    );
    let at = |p: PortId| (fabric.node_of(p), fabric.number_of(p));
    let moved = with_cable(&bare, at(a), at(now)).unwrap();
    let found = cabling(&fabric, &moved, false).unwrap();
    let changes: Vec<_> = found.cables.iter().map(|c| (c.change, c.old, c.new)).collect();
    assert_eq!(
        changes,
        [
            (Change::Gone, Some((now.min(b), now.max(b))), None),
            (Change::Moved, Some((a, was)), Some((a, now)))
        ]
    );
    assert!(found.nodes.is_empty());
}

#[test]
fn fabrics_without_a_node_in_common_are_refused() {
    let tree = generate("fat-tree:4,2").unwrap();
    let other = shuffle_guids(&tree, 3).renamed(|n| Some(format!("other {}", n.description).into()));
    assert_eq!(cabling(&tree, &other, false).unwrap_err(), Unrelated);
}

#[test]
fn tables_are_equal_to_themselves_and_each_planted_difference_is_found_and_explained() {
    let fabric = generate("fat-tree:4,2").unwrap();
    let expected = routed(&fabric, Engine::MinHop);
    let lids = expected.lids.assigned().len() as u64;
    let all = fabric.num_switches() as u64 * lids;
    assert_eq!(agreement(&fabric, &expected, &expected), (all, all));
    assert_eq!(tables(&fabric, &expected, &expected), TableDifference { compared: all, entries: Vec::new() });

    // A leaf towards a host of another leaf: two spines, so the other up port is a tie.
    let host = fabric.end_nodes().last().unwrap();
    let to = fabric.main_port(host);
    let lid = expected.lids.base(to);
    let edge_switch = fabric.edge_switch(to).unwrap();
    let leaf = fabric.edge_switch(fabric.main_port(fabric.end_nodes().next().unwrap())).unwrap();
    assert_ne!(leaf, edge_switch);
    let is_up = |p: &PortId| fabric.peer(*p).is_some_and(|q| fabric.is_switch(fabric.node_of(q)));
    let ups: Vec<u8> = fabric.ports_of(leaf).filter(is_up).map(|p| fabric.number_of(p)).collect();
    let downs: Vec<u8> = fabric.ports_of(leaf).filter(|p| !is_up(p)).map(|p| fabric.number_of(p)).collect();
    let usual = expected.lft.get(leaf, lid);
    let tie = *ups.iter().find(|&&p| p != usual).unwrap();
    for (port, why) in [(tie, Why::Tie), (downs[0], Why::WrongEnd), (0, Why::Down), (NO_ENTRY, Why::Missing)]
    {
        let mut found = expected.clone();
        found.lft.row_mut(leaf)[lid as usize] = port;
        let entry = DifferingEntry { switch: leaf, to, offset: 0, expected: usual, found: port, why };
        assert_eq!(tables(&fabric, &expected, &found).entries, [entry]);
        assert_eq!(agreement(&fabric, &expected, &found), (all - 1, all));
    }
    // The host's own leaf sends it up to a spine instead of down: longer; in the opposite direction it is shorter.
    let own = expected.lft.get(edge_switch, lid);
    let up = fabric.ports_of(edge_switch).find(is_up).map(|p| fabric.number_of(p)).unwrap();
    let mut found = expected.clone();
    found.lft.row_mut(edge_switch)[lid as usize] = up;
    let entry =
        DifferingEntry { switch: edge_switch, to, offset: 0, expected: own, found: up, why: Why::Longer };
    assert_eq!(tables(&fabric, &expected, &found).entries, [entry]);
    let entry = DifferingEntry { expected: up, found: own, why: Why::Shorter, ..entry };
    assert_eq!(tables(&fabric, &found, &expected).entries, [entry]);
}

#[test]
fn destinations_that_one_of_the_tables_lacks_are_distinguished() {
    let fabric = generate("fat-tree:4,2").unwrap();
    let expected = routed(&fabric, Engine::MinHop);
    let mut found = expected.clone();
    let host = fabric.main_port(fabric.end_nodes().next().unwrap());
    found.lids = Lids::none(&fabric);
    for (lid, port) in expected.lids.assigned().into_iter().filter(|a| a.1 != host) {
        found.lids.set(port, lid, 0);
    }
    let there = tables(&fabric, &expected, &found).entries;
    let back = tables(&fabric, &found, &expected).entries;
    assert_eq!((there.len(), back.len()), (fabric.num_switches(), fabric.num_switches()));
    assert!(there.iter().all(|e| e.why == Why::Unknown && e.to == host));
    assert!(back.iter().all(|e| e.why == Why::Unexpected && e.to == host));
}
