mod kept;

use super::*;
use crate::fabric::{FabricBuilder, Guid, Handle, Node, NodeKind, Population};

fn node(kind: NodeKind, guid: u64) -> Node {
    Node {
        kind,
        guid: Guid(guid),
        system_guid: Guid::NONE,
        id: format!("{guid:x}").into(),
        description: "".into(),
        vendor: 0,
        device: 0,
        enhanced_port0: false,
        chassis: None,
        declared: None,
    }
}

/// Hosts with the given port GUIDs and LIDs on one switch with GUID 1; ports in this order.
fn star(hosts: &[(u64, u32)]) -> Fabric {
    let mut b = FabricBuilder::new();
    add_star(&mut b, 1, hosts);
    b.finish()
}

/// Adds a switch and its hosts.
fn add_star(b: &mut FabricBuilder, switch: u64, hosts: &[(u64, u32)]) -> Handle {
    let switch = b.add_node(node(NodeKind::Switch, switch), hosts.len() as u8 + 1).unwrap();
    for (&(guid, lid), number) in hosts.iter().zip(1..) {
        let host = b.add_node(node(NodeKind::Adapter, guid + 0x1000_0000), 1).unwrap();
        let port = b.port_mut(host, 1).unwrap();
        (port.guid, port.lid) = (Guid(guid), lid);
        b.connect((host, 1), (switch, number)).unwrap();
    }
    switch
}

/// The LIDs of the switch and of the hosts, in order.
fn bases(fabric: &Fabric, sm: PortId, honour: bool) -> Vec<u32> {
    let options = LidOptions { fresh: !honour, ..LidOptions::default() };
    let lids = Lids::assign(fabric, sm, &options).unwrap();
    let hosts = fabric.end_nodes().map(|n| fabric.port(n, 1).unwrap());
    hosts.fold(vec![lids.base(fabric.port0(NodeId(0)))], |mut all, p| {
        all.push(lids.base(p));
        all
    })
}

/// The first end node's port, on which the manager of these tests runs.
fn first_end(f: &Fabric) -> PortId {
    f.end_ports(Population::All)[0]
}

#[test]
fn the_manager_is_on_lid_1_else_on_the_first_adapter_and_on_no_aggregation_node() {
    let f = star(&[(5, 0), (6, 7), (7, 1)]);
    assert_eq!(Lids::default_sm(&f).map(|p| f.port_info(p).guid.0), Some(7));
    let f = star(&[(5, 0), (6, 7)]);
    assert_eq!(Lids::default_sm(&f), Some(first_end(&f)));
    let mut b = FabricBuilder::new();
    let switch = b.add_node(node(NodeKind::Switch, 1), 3).unwrap();
    for (kind, guid, lid, number) in [(NodeKind::Aggregation, 5, 1, 1), (NodeKind::Adapter, 6, 7, 2)] {
        let end = b.add_node(node(kind, guid), 1).unwrap();
        b.port_mut(end, 1).unwrap().lid = lid;
        b.connect((end, 1), (switch, number)).unwrap();
    }
    let f = b.finish();
    let sm = Lids::default_sm(&f).unwrap();
    assert_eq!(f.node(f.node_of(sm)).kind, NodeKind::Adapter);
}

#[test]
fn the_manager_comes_first_then_byte_reversed_guids() {
    // Last bytes: switch 01; hosts ff, 01, 02. 0x0101 and the switch's 0x01 share the last
    // byte 01, so the next one decides: 00 before 01. Manager (0x00ff) 1, switch 2, 0x0101 3,
    // 0x0202 4.
    let f = star(&[(0x00ff, 0), (0x0101, 0), (0x0202, 0)]);
    let sm = first_end(&f);
    assert_eq!(bases(&f, sm, true), [2, 1, 3, 4]);
    // On the switch: switch 1, then 0x0101, 0x0202, 0x00ff.
    assert_eq!(bases(&f, f.port0(NodeId(0)), true), [1, 4, 2, 3]);
}

#[test]
fn reported_lids_are_kept_except_duplicates_and_impossible_ones() {
    // Order: manager 0x05, switch 0x01, 0x02, 0x03, 0x04. Reported: 0x05 nothing, 0x02 7,
    // 0x03 claims 7 too, 0x04 beyond the range. 0x02 keeps 7; free are 1, 2, 3, …
    let f = star(&[(5, 0), (2, 7), (3, 7), (4, 0xC000)]);
    let sm = first_end(&f);
    assert_eq!(bases(&f, sm, true), [2, 1, 7, 3, 4]);
    assert_eq!(bases(&f, sm, false), [2, 1, 3, 4, 5]);
}

#[test]
fn an_island_comes_last_and_does_not_shift_the_others() {
    let f = star(&[(5, 0), (2, 0)]);
    let cut = f.port(NodeId(1), 1).unwrap();
    // Without its cable the host with GUID 5 is alone and is the manager: it sees only itself.
    let f = f.filtered(|_| true, |a, b| a != cut && b != cut);
    assert_eq!(bases(&f, cut, false), [2, 1, 3]);
    // From the other side: 0x02 is the manager, the switch second; 0x05 has no cable, so no LID.
    assert_eq!(bases(&f, f.port(NodeId(2), 1).unwrap(), false), [2, 0, 1]);
}

#[test]
fn too_many_ports_are_counted() {
    let mut b = FabricBuilder::new();
    for guid in 1..=u64::from(MAX_UNICAST_LID) + 2 {
        b.add_node(node(NodeKind::Switch, guid), 1).unwrap();
    }
    let f = b.finish();
    let sm = f.port0(NodeId(0));
    let error = Lids::assign(&f, sm, &LidOptions::fresh()).unwrap_err();
    assert_eq!(error, LidError::Exhausted { missing: 2, without: 2, lmc: 0, fits: None });
    assert_eq!(error.to_string(), "InfiniBand has 49151 unicast LIDs: 2 LIDs are missing, for 2 end ports");
}

/// First and last LID of each entry, with a GUID.
fn cache(entries: &[(u64, u32, u32)]) -> Vec<CacheEntry> {
    entries.iter().map(|&(guid, first, last)| CacheEntry { guid: Guid(guid), first, last }).collect()
}

/// The LIDs of the switch and of the hosts, in order, as first and last.
fn ranges(fabric: &Fabric, options: &LidOptions) -> Vec<(u32, u32)> {
    let sm = first_end(fabric);
    let lids = Lids::assign(fabric, sm, options).unwrap();
    let hosts = fabric.end_nodes().map(|n| fabric.port(n, 1).unwrap());
    let ports = std::iter::once(fabric.port0(NodeId(0))).chain(hosts);
    ports.map(|p| (lids.base(p), lids.base(p) + (1 << lids.lmc(p)) - 1)).collect()
}

#[test]
fn what_a_manager_on_a_switch_reaches_comes_before_another_island() {
    // By GUID alone the other island's 0x02 would come before 0x03.
    let mut b = FabricBuilder::new();
    add_star(&mut b, 1, &[(3, 0)]);
    add_star(&mut b, 4, &[(2, 0)]);
    let f = b.finish();
    let lids = Lids::assign(&f, f.port0(NodeId(0)), &LidOptions::default()).unwrap();
    let of = |n: u32| lids.base(f.end_ports(Population::All)[n as usize]);
    assert_eq!((of(0), of(1), lids.base(f.port0(NodeId(1)))), (2, 3, 4));
}

#[test]
fn an_lmc_gives_each_host_an_aligned_range_and_the_switch_one_lid() {
    // Manager 0x05: the first multiple of 4 is 4, and 1 to 3 are lost. Then the switch 0x01: 8. Then
    // 0x02: 12, as 9 to 11 are lost; and 0x03.
    let f = star(&[(5, 0), (2, 0), (3, 0)]);
    let two = LidOptions { lmc: 2, ..LidOptions::default() };
    assert_eq!(ranges(&f, &two), [(8, 8), (4, 7), (12, 15), (16, 19)]);
}

#[test]
fn a_reported_range_is_kept_where_it_is_aligned() {
    // 0x02 reports 8, a multiple of 2; 0x03 reports 5, which is none, so 5 is free. The manager 0x05
    // takes 2 and 3, the switch 4, and 0x03 takes 6 and 7.
    let f = star(&[(5, 0), (2, 8), (3, 5)]);
    let one = LidOptions { lmc: 1, ..LidOptions::default() };
    assert_eq!(ranges(&f, &one), [(4, 4), (2, 3), (8, 9), (6, 7)]);
}

#[test]
fn enhanced_ports_0_have_as_many_lids_where_that_is_asked_for() {
    let net = "switchguid=0x1(1)\nSwitch 2 \"S-1\" # \"s\" enhanced port 0 lid 0 lmc 0\n[1] \"H-2\"[1](3)\n\n\
               caguid=0x2\nCa 1 \"H-2\"\n[1](3) \"S-1\"[1] # lid 0 lmc 0 \"s\" lid 0\n";
    let f = crate::io::read(net.as_bytes()).unwrap().fabric;
    let mut options = LidOptions { lmc: 3, ..LidOptions::default() };
    assert_eq!(ranges(&f, &options), [(16, 16), (8, 15)]);
    options.lmc_esp0 = true;
    assert_eq!(ranges(&f, &options), [(16, 23), (8, 15)]);
    let f = crate::io::read(net.replace("enhanced", "base").as_bytes()).unwrap().fabric;
    assert_eq!(ranges(&f, &options), [(16, 16), (8, 15)]);
}

#[test]
fn what_is_left_of_a_reported_range_whose_first_lid_is_taken_is_kept_free_and_no_more() {
    // LMC 1. 0x02 reports 8, which the cache has for an absent port, so that it cannot keep 8 and 9, and 9 stays
    // free. Manager 0x05: 2 and 3; switch: 4; 0x02: 6 and 7; 0x03: 10 and 11.
    let mut b = FabricBuilder::new();
    let switch = b.add_node(node(NodeKind::Switch, 1), 4).unwrap();
    for (guid, lid, number) in [(5, 0, 1), (2, 8, 2), (3, 0, 3)] {
        let host = b.add_node(node(NodeKind::Adapter, guid + 0x1000_0000), 1).unwrap();
        let port = b.port_mut(host, 1).unwrap();
        (port.guid, port.lid, port.lmc) = (Guid(guid), lid, 1);
        b.connect((host, 1), (switch, number)).unwrap();
    }
    let f = b.finish();
    let options = LidOptions { lmc: 1, cache: cache(&[(0x77, 8, 8)]), ..LidOptions::default() };
    assert_eq!(ranges(&f, &options), [(4, 4), (2, 3), (6, 7), (10, 11)]);
}

#[test]
fn a_reported_range_that_cannot_be_kept_is_no_ports() {
    // LMC 1. Absent ports have 1 to 7 and 9, so 0x02 cannot keep 8, which is the first LID that is free: too few
    // for the manager 0x05, which takes 10 and 11, enough for the switch. 0x02 has 12 and 13.
    let f = star(&[(5, 0), (2, 8)]);
    let known = cache(&[(0x71, 1, 1), (0x72, 2, 3), (0x73, 4, 5), (0x74, 6, 7), (0x75, 9, 9)]);
    let options = LidOptions { lmc: 1, cache: known, ..LidOptions::default() };
    assert_eq!(ranges(&f, &options), [(8, 8), (10, 11), (12, 13)]);
}

#[test]
fn the_cache_counts_more_than_what_a_port_reports() {
    // 0x02 is known as 9, whatever it reports, and the absent 0x77 as 1 and 2: 3 is the first that is
    // free for the manager 0x05, then 4 for the switch. The LID that 0x02 reports is free.
    let f = star(&[(5, 0), (2, 4), (3, 0)]);
    let known = cache(&[(0x77, 1, 2), (2, 9, 9)]);
    let options = LidOptions { cache: known.clone(), ..LidOptions::default() };
    // At LMC 0 the absent port keeps one LID of its two.
    assert_eq!(ranges(&f, &options), [(3, 3), (2, 2), (9, 9), (4, 4)]);
    let lids = Lids::assign(&f, first_end(&f), &options).unwrap();
    assert_eq!(lids.absent(), [CacheEntry { guid: Guid(0x77), first: 1, last: 2 }]);
    assert_eq!(ranges(&f, &LidOptions { fresh: true, ..options }), [(2, 2), (1, 1), (3, 3), (4, 4)]);
}

#[test]
fn entries_that_do_not_suit_the_lmc_are_dropped() {
    // LMC 1. 0x02: 7 and 8 begin at an odd LID. 0x03: one LID is too few, and is given up. 0x04 stays.
    // Manager 0x05: 2; switch: 4; 0x02: 6; 0x03: 8.
    let f = star(&[(5, 0), (2, 0), (3, 0), (4, 0)]);
    let known = cache(&[(2, 7, 8), (3, 6, 6), (4, 14, 15)]);
    let options = LidOptions { lmc: 1, cache: known, ..LidOptions::default() };
    assert_eq!(ranges(&f, &options), [(4, 4), (2, 3), (6, 7), (8, 9), (14, 15)]);
}

#[test]
fn entries_that_are_no_ranges_of_the_lmc_hold_no_lids_for_absent_ports_either() {
    // LMC 1: 3 and 4 begin at an odd LID, 0xC000 is no unicast LID, 0 none at all, and 9 to 8 is no range. So the
    // manager 0x05 has 2 and 3, the switch 4, and 0x02 the next even one.
    let f = star(&[(5, 0), (2, 0)]);
    for (first, last) in [(3, 4), (2, 0xC000), (0, 3), (3, 2)] {
        let options = LidOptions { lmc: 1, cache: cache(&[(0x77, first, last)]), ..LidOptions::default() };
        assert_eq!(ranges(&f, &options), [(4, 4), (2, 3), (6, 7)], "{first} to {last}");
        assert_eq!(Lids::assign(&f, first_end(&f), &options).unwrap().absent(), []);
    }
}

#[test]
fn of_two_entries_for_one_lid_opensms_hash_table_chooses() {
    // OpenSM 3.3.23 keeps 0x201 of these two, whichever comes first in the file.
    let f = star(&[(5, 0), (0x101, 0), (0x201, 0)]);
    for known in [[(0x101, 7, 7), (0x201, 7, 7)], [(0x201, 7, 7), (0x101, 7, 7)]] {
        let options = LidOptions { cache: cache(&known), ..LidOptions::default() };
        assert_eq!(ranges(&f, &options)[3], (7, 7));
    }
}

#[test]
fn a_lid_that_opensm_gives_twice_is_found() {
    // 0x02 and 0x03 report LID 1; the later is remembered for it. The cache knows 0x03 as 9, so that 1
    // counts as free and goes to the manager 0x05. Then 0x02, whose LID is taken, has the next.
    // With 2 for 1, 0x02 keeps it, and the free interval still begins 1, 2: the switch has 2 too.
    let known = cache(&[(3, 9, 9)]);
    let options = LidOptions { cache: known, ..LidOptions::default() };
    let f = star(&[(5, 0), (2, 1), (3, 1)]);
    assert_eq!(ranges(&f, &options), [(2, 2), (1, 1), (3, 3), (9, 9)]);
    let f = star(&[(5, 0), (2, 3), (3, 3), (4, 0)]);
    assert_eq!(ranges(&f, &options), [(2, 2), (1, 1), (3, 3), (9, 9), (3, 3)]);
    let lids = Lids::assign(&f, first_end(&f), &options).unwrap();
    let second = f.port(f.end_nodes().nth(1).unwrap(), 1).unwrap();
    assert_eq!(lids.doubled(), [(3, second)]);
}

#[test]
fn an_lmc_that_does_not_fit_is_counted_and_one_that_does_is_named() {
    // Two switches with 250 hosts each. There are 383 multiples of 128 from 128 to 49151, so 117 hosts
    // have none; the switches, whose last byte puts them last, would need 49152 and 49153.
    let mut b = FabricBuilder::new();
    let hosts: Vec<(u64, u32)> = (0..500).map(|i| (0x10_0000 + 0x100 * i, 0)).collect();
    let first = add_star(&mut b, 0xff, &hosts[..250]);
    let second = add_star(&mut b, 0x1ff, &hosts[250..]);
    b.connect((first, 251), (second, 251)).unwrap();
    let f = b.finish();
    let sm = first_end(&f);
    let options = LidOptions { lmc: 7, ..LidOptions::default() };
    let error = Lids::assign(&f, sm, &options).unwrap_err();
    assert_eq!(error, LidError::Exhausted { missing: 117 * 128 + 2, without: 119, lmc: 7, fits: Some(6) });
    assert_eq!(
        error.to_string(),
        "InfiniBand has 49151 unicast LIDs and LMC 7 takes 128 a port: 14978 LIDs are missing, for 119 end \
         ports (LMC 6 fits)"
    );
    assert_eq!(
        Lids::assign(&f, sm, &LidOptions { lmc: 8, ..options }).unwrap_err().to_string(),
        "LMC 8: the LID mask control is 0 to 7"
    );
}
