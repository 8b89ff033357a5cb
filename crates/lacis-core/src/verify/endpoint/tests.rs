use std::fmt::Write as _;

use super::*;
use crate::fabric::{FabricBuilder, Node, NodeKind};

/// One switch `MF0;leaf-1:QM9700/U1` (LID 9) and the end nodes `nodeA hfi1_0` (LID 1), `nodeA
/// hfi1_1` (LID 2), `nodeB hfi1_0` (two cabled ports, LIDs 3 and 4), `solo mlx5_0` (LID 16).
fn net() -> (Fabric, Lids) {
    let mut b = FabricBuilder::new();
    let mut add = |kind, id: &str, description: &str, guid, ports| {
        let node = Node {
            kind,
            guid: Guid(guid),
            system_guid: Guid::NONE,
            id: id.into(),
            description: description.into(),
            vendor: 0,
            device: 0,
            enhanced_port0: false,
            chassis: None,
            declared: None,
        };
        b.add_node(node, ports).unwrap()
    };
    let leaf = add(NodeKind::Switch, "S-1", "MF0;leaf-1:QM9700/U1", 0x9000, 8);
    let ends = [
        add(NodeKind::Adapter, "H-a0", "nodeA hfi1_0", 0xa000, 1),
        add(NodeKind::Adapter, "H-a1", "nodeA hfi1_1", 0xa100, 1),
        add(NodeKind::Adapter, "H-b0", "nodeB hfi1_0", 0xb000, 2),
        add(NodeKind::Adapter, "H-c0", "solo mlx5_0", 0x10, 1),
    ];
    for (i, end) in [(0, 1), (1, 1), (2, 1), (2, 2), (3, 1)].into_iter().enumerate() {
        b.connect((ends[end.0], end.1), (leaf, i as u32 + 1)).unwrap();
        b.port_mut(ends[end.0], end.1).unwrap().guid = Guid(0xf000 + i as u64);
    }
    let fabric = b.finish();
    let mut lids = Lids::none(&fabric);
    for (port, lid) in fabric.end_ports(crate::fabric::Population::All).into_iter().zip([1, 2, 3, 4, 16]) {
        lids.set(port, lid, 0);
    }
    lids.set(fabric.port0(NodeId(0)), 9, 0);
    (fabric, lids)
}

/// The LID of what a selector means, or the error.
fn lid(text: &str) -> Result<u32, String> {
    let (fabric, lids) = net();
    endpoint(&fabric, &lids, text).map(|p| lids.base(p)).map_err(|e| e.to_string())
}

#[test]
fn every_selector_of_an_end_port_is_understood() {
    for (text, expected) in [
        ("nodeA hfi1_0", 1),
        ("  nodeA   hfi1_1 ", 2),
        ("nodeB hfi1_0:port:2", 4),
        ("\"nodeB hfi1_0\"[1]", 3),
        ("solo", 16),
        ("so*", 16),
        ("node? hfi1_1", 2),
        ("leaf-1", 9),
        ("leaf-?", 9), // a pattern of the short name
        ("MF0;leaf-1:QM9700/U1", 9),
        ("H-a1", 2),
        ("0xa000", 1),
        ("0xf003", 4),
        ("000000000000a100", 2),
        ("4", 4),
        ("0x9", 9),
        ("0x10", 16), // a node's GUID and a LID, but of one port
        ("lid:0x10", 16),
        ("node:solo mlx5_0", 16),
        ("nodepat:\"nodeA hfi1_0\":port:1", 1),
        ("nodepat:nodeB*:port:1", 3),
        ("nodeguid:0xb000:port:2", 4),
        ("nodeguid:9000", 9),
        ("portguid:0xf004", 16),
    ] {
        assert_eq!(lid(text), Ok(expected), "{text}");
    }
}

#[test]
fn what_means_several_or_none_is_refused_with_names() {
    for (text, complaint) in [
        ("nodeA", "matches 2 end ports: \"nodeA hfi1_0\"[1] (LID 1), \"nodeA hfi1_1\"[1] (LID 2)"),
        ("nodeB", "matches 2 end ports"),
        ("*", "matches 6 end ports"),
        ("noedA hfi1_0", "near: \"nodeA hfi1_0\""),
        ("leaf-2", "near: \"leaf-1\""),
        ("lid:77", "no port has LID 77"),
        ("lid:x", "a LID is a number"),
        ("nodeguid:zz", "a GUID is"),
        ("portguid:0x77", "no port has GUID"),
        ("solo:port:2", "has 1 port(s), so no end port 2"),
        ("leaf-1:port:3", "end at its port 0"),
        ("solo:port:x", "is no port number"),
        ("node:", "nothing to look for"),
        ("", "nothing to look for"),
    ] {
        let error = lid(text).unwrap_err();
        assert!(error.contains(complaint), "{text}: {error}");
    }
}

#[test]
fn patterns_match_whole_names() {
    for (pattern, name, expected) in [
        ("", "", true),
        ("*", "", true),
        ("a*b*c", "axxbyybzzc", true),
        ("a*b*c", "axxbyyb", false),
        ("?", "é", true),
        ("?", "", false),
        ("a**", "a", true),
        ("*a?", "bab", true),
        ("*ab", "aab", true),
        ("a", "ab", false),
    ] {
        assert_eq!(glob(pattern, name), expected, "{pattern} {name}");
    }
}

#[test]
fn ports_are_written_out_or_refused() {
    for (text, expected) in [
        ("leaf-1:port:0", Ok(9)),
        ("leaf-1[0]", Ok(9)),
        ("portguid:0x9000", Ok(9)), // a switch's port 0 answers to the GUID of the node
        ("0X10", Ok(16)),
        ("0x10:port:1", Ok(16)),
        ("nodeB:port:2", Ok(4)),
        ("nodeguid:0x10", Ok(16)),
        ("portguid:f003", Ok(4)),
        ("4:port:1", Err("no node matches \"4\"")), // with a port, it is no LID
        ("f003", Err("no node matches \"f003\"")),  // neither 16 digits nor 0x: no GUID
        ("portguid:0xa000", Err("no port has GUID")), // an adapter's ports have their own
        ("0xf003:port:1", Err("no node matches \"0xf003\"")),
        ("0x0", Err("no node matches \"0x0\"")),
        ("lid:0", Err("no port has LID 0")),
        ("lid:0xfg", Err("a LID is a number")),
        ("lid:+4", Err("a LID is a number")),
        ("solo:port:0", Err("has 1 port(s), so no end port 0")),
        ("solo[x]", Err("no node matches \"solo[x]\"")),
        ("solo[]", Err("no node matches \"solo[]\"")),
        ("solo[256]", Err("\"256\" is no port number")),
        ("nodepat:node", Err("no node matches \"node\"")), // a pattern is the whole name
    ] {
        match (lid(text), expected) {
            (Ok(found), Ok(wanted)) => assert_eq!(found, wanted, "{text}"),
            (Err(error), Err(complaint)) => assert!(error.contains(complaint), "{text}: {error}"),
            (found, wanted) => panic!("{text}: {found:?}, not {wanted:?}"),
        }
    }
}

#[test]
fn four_of_several_end_ports_are_named() {
    assert_eq!(
        lid("nodeA").unwrap_err(),
        "\"nodeA\" matches 2 end ports: \"nodeA hfi1_0\"[1] (LID 1), \"nodeA hfi1_1\"[1] (LID 2); add the \
         adapter, :port:N, or give a LID or GUID"
    );
    let all = lid("*").unwrap_err();
    assert_eq!((all.matches("(LID ").count(), all.matches(", …; add").count()), (4, 1), "{all}");
    let (fabric, _) = net();
    let bare = endpoint(&fabric, &Lids::none(&fabric), "nodeB").unwrap_err().to_string();
    assert!(bare.contains("2 end ports: \"nodeB hfi1_0\"[1], \"nodeB hfi1_0\"[2]; add"), "{bare}");
}

/// Hosts a and b, each with an adapter on each of two leaves.
fn two_rails() -> (Fabric, Lids) {
    let net = "switchguid=0x1(1)\nSwitch 4 \"S-1\" # \"leaf-1\" base port 0 lid 1 lmc 0\n\
               [1] \"H-1\"[1](11) # \"a mlx5_0\" lid 11\n[2] \"H-2\"[1](12) # \"b mlx5_0\" lid 12\n\n\
               switchguid=0x2(2)\nSwitch 4 \"S-2\" # \"leaf-2\" base port 0 lid 2 lmc 0\n\
               [1] \"H-3\"[1](13) # \"a mlx5_1\" lid 13\n[2] \"H-4\"[1](14) # \"b mlx5_1\" lid 14\n\n\
               caguid=0x11\nCa 1 \"H-1\" # \"a mlx5_0\"\n[1](11) \"S-1\"[1] # lid 11 lmc 0 \"leaf-1\" lid 1\n\n\
               caguid=0x12\nCa 1 \"H-2\" # \"b mlx5_0\"\n[1](12) \"S-1\"[2] # lid 12 lmc 0 \"leaf-1\" lid 1\n\n\
               caguid=0x13\nCa 1 \"H-3\" # \"a mlx5_1\"\n[1](13) \"S-2\"[1] # lid 13 lmc 0 \"leaf-2\" lid 2\n\n\
               caguid=0x14\nCa 1 \"H-4\" # \"b mlx5_1\"\n[1](14) \"S-2\"[2] # lid 14 lmc 0 \"leaf-2\" lid 2\n";
    let fabric = crate::io::read(net.as_bytes()).unwrap().fabric;
    let lids = Lids::reported(&fabric);
    (fabric, lids)
}

#[test]
fn a_host_of_several_rails_means_its_port_on_the_others_rail() {
    let (fabric, lids) = two_rails();
    let ends = |a: &str, b: &str| -> Vec<(Option<usize>, u32, u32)> {
        let ends = rail_ends(&fabric, &lids, a, b).unwrap();
        ends.iter().map(|e| (e.rail, lids.base(e.a), lids.base(e.b))).collect()
    };
    // The adapters on the first leaf are rail 0: 11 and 12; on the second rail 1: 13 and 14.
    assert_eq!(ends("a", "b"), [(Some(0), 11, 12), (Some(1), 13, 14)]);
    assert_eq!(ends("\"b\" ", "a"), [(Some(0), 12, 11), (Some(1), 14, 13)]);
    // One adapter means itself, and of the host it is sent to, the one on its rail.
    assert_eq!(ends("a", "b mlx5_1"), [(Some(1), 13, 14)]);
    assert_eq!(ends("a mlx5_0", "b"), [(Some(0), 11, 12)]);
    // Between two adapters there is no choice, and no rail is named; a switch has none.
    assert_eq!(ends("a mlx5_0", "b mlx5_0"), [(None, 11, 12)]);
    assert_eq!(ends("a mlx5_0", "b mlx5_1"), [(None, 11, 14)]);
    assert_eq!(ends("a", "leaf-1"), [(Some(0), 11, 1), (Some(1), 13, 1)]);
    assert_eq!(ends("leaf-2", "b"), [(Some(0), 2, 12), (Some(1), 2, 14)]);
    // A pattern means no host.
    assert!(matches!(rail_ends(&fabric, &lids, "a*", "b"), Err(EndpointError::Ambiguous { total: 2, .. })));
    assert!(matches!(rail_ends(&fabric, &lids, "c", "b"), Err(EndpointError::Unknown { .. })));
}

/// Adapters, given as description and leaf. The LID of each end port is its node's GUID, and no port of an
/// adapter has a GUID of its own.
fn on_leaves(adapters: &[(&str, usize)]) -> (Fabric, Lids) {
    let mut b = FabricBuilder::new();
    let mut add = |kind, description: &str, guid: u64, ports| {
        let node = Node {
            kind,
            guid: Guid(guid),
            system_guid: Guid::NONE,
            id: format!("N-{guid:x}").into(),
            description: description.into(),
            vendor: 0,
            device: 0,
            enhanced_port0: false,
            chassis: None,
            declared: None,
        };
        b.add_node(node, ports).unwrap()
    };
    let leaves = [add(NodeKind::Switch, "leaf-1", 1, 8), add(NodeKind::Switch, "leaf-2", 2, 8)];
    let ends: Vec<_> = (0x11..)
        .zip(adapters)
        .map(|(guid, &(description, _))| add(NodeKind::Adapter, description, guid, 1))
        .collect();
    for (number, (&end, &(_, leaf))) in (1..).zip(ends.iter().zip(adapters)) {
        b.connect((end, 1), (leaves[leaf], number)).unwrap();
    }
    let fabric = b.finish();
    let mut lids = Lids::none(&fabric);
    for port in fabric.end_ports(crate::fabric::Population::All) {
        lids.set(port, fabric.node(fabric.node_of(port)).guid.0 as u32, 0);
    }
    (fabric, lids)
}

#[test]
fn hosts_without_a_rail_in_common_are_refused() {
    // On each leaf three adapters of four vote for its rail: a, b and p have their first on leaf 1, a, b and q
    // their second on leaf 2. So p, with both on leaf 1, is on rail 1 alone, and q on rail 2.
    let (fabric, lids) = on_leaves(&[
        ("a mlx5_0", 0),
        ("a mlx5_1", 1),
        ("b mlx5_0", 0),
        ("b mlx5_1", 1),
        ("p mlx5_0", 0),
        ("p mlx5_1", 0),
        ("q mlx5_0", 1),
        ("q mlx5_1", 1),
    ]);
    let error = rail_ends(&fabric, &lids, "p", "q").unwrap_err().to_string();
    assert_eq!(error, "\"p\" and \"q\" have no rail in common: rails 1 and rails 2");
}

#[test]
fn a_lid_is_digits_alone() {
    // "+9" and "0x+9" are numbers to Rust's parser.
    for text in ["+9", "0x+9", "lid:+9", "lid:0x+9"] {
        assert!(lid(text).is_err(), "{text}");
    }
}

#[test]
fn a_node_is_found_by_the_name_that_it_is_printed_with() {
    // Two switches of one description: their names have distinct endings.
    let mut fabric = String::new();
    for (guid, host) in [(1, 11), (2, 12)] {
        write!(
            fabric,
            "switchguid=0x{guid}({guid})\nSwitch 2 \"S-{guid}\" # \"twin\" base port 0 lid {guid} lmc 0\n\
             [1] \"H-{host}\"[1]({host}) # \"h{host}\" lid {host}\n\n\
             caguid=0x{host}\nCa 1 \"H-{host}\" # \"h{host}\"\n\
             [1]({host}) \"S-{guid}\"[1] # lid {host} lmc 0 \"twin\" lid {guid}\n\n"
        )
        .unwrap();
    }
    let fabric = crate::io::read(fabric.as_bytes()).unwrap().fabric;
    let lids = Lids::reported(&fabric);
    for switch in fabric.switches() {
        let name = fabric.name(switch);
        assert_ne!(name, "twin");
        assert_eq!(endpoint(&fabric, &lids, &name).unwrap(), fabric.port0(switch), "{name}");
    }
    assert!(matches!(endpoint(&fabric, &lids, "twin"), Err(EndpointError::Ambiguous { total: 2, .. })));
}

#[test]
fn a_literal_name_wins_over_a_pattern() {
    let (fabric, lids) = on_leaves(&[("a* mlx5_0", 0), ("ab mlx5_0", 0), ("a? mlx5_0", 1)]);
    let found = |text: &str| endpoint(&fabric, &lids, text).map(|port| lids.base(port));
    assert_eq!((found("a* mlx5_0"), found("a? mlx5_0")), (Ok(0x11), Ok(0x13)));
    assert!(matches!(found("a*mlx5_0"), Err(EndpointError::Ambiguous { total: 3, .. })));
}

#[test]
fn the_guid_of_an_adapter_is_none_of_its_ports() {
    let (fabric, lids) = on_leaves(&[("a mlx5_0", 0)]);
    let found = |text: &str| endpoint(&fabric, &lids, text).map(|port| lids.base(port));
    assert_eq!(found("nodeguid:0x11"), Ok(0x11));
    let error = found("portguid:0x11").unwrap_err().to_string();
    assert!(error.contains("no port has GUID"), "{error}");
}
