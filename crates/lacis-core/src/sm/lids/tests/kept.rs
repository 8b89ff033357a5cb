//! Which LIDs ports and the cache hold, and what is left between them.
//!
//! In every fabric here the manager runs on the host 0x05, and the others follow by the last byte of
//! their GUIDs: the switch 0x01, then 0x02, 0x03, …

use super::*;

/// A star whose switch reports `own`, and whose hosts report a LID and an LMC each.
fn reporting(own: (u32, u8), hosts: &[(u64, u32, u8)]) -> Fabric {
    let mut b = FabricBuilder::new();
    let switch = b.add_node(node(NodeKind::Switch, 1), hosts.len() as u8).unwrap();
    let port0 = b.port_mut(switch, 0).unwrap();
    (port0.lid, port0.lmc) = own;
    for (&(guid, lid, lmc), number) in hosts.iter().zip(1..) {
        let host = b.add_node(node(NodeKind::Adapter, guid + 0x1000_0000), 1).unwrap();
        let port = b.port_mut(host, 1).unwrap();
        (port.guid, port.lid, port.lmc) = (Guid(guid), lid, lmc);
        b.connect((host, 1), (switch, number)).unwrap();
    }
    b.finish()
}

fn host(fabric: &Fabric, index: usize) -> PortId {
    fabric.port(fabric.end_nodes().nth(index).unwrap(), 1).unwrap()
}

fn with(lmc: u8, entries: &[(u64, u32, u32)]) -> LidOptions {
    LidOptions { lmc, cache: cache(entries), ..LidOptions::default() }
}

/// Entries of absent ports that hold LIDs 1 to 7, at LMC 1.
const ONE_TO_SEVEN: [(u64, u32, u32); 4] = [(0x71, 1, 1), (0x72, 2, 3), (0x73, 4, 5), (0x74, 6, 7)];

#[test]
fn a_fresh_assignment_forgets_what_ports_report() {
    let f = reporting((8, 0), &[(5, 9, 0), (2, 7, 0)]);
    assert_eq!(ranges(&f, &LidOptions::fresh()), [(2, 2), (1, 1), (3, 3)]);
    assert_eq!(ranges(&f, &LidOptions::default()), [(8, 8), (9, 9), (7, 7)]);
    let lids = Lids::assign(&f, host(&f, 1), &LidOptions::fresh()).unwrap();
    assert_eq!(lids.manager(), Some(host(&f, 1)));
}

#[test]
fn lids_as_they_are_reported() {
    // 4 and 5 belong to 0x05, 5 also to 0x02, which has the higher index. 0x03 has none; the switch has 2.
    let f = reporting((2, 0), &[(5, 4, 1), (2, 5, 0), (3, 0, 0)]);
    let (port0, first, second, third) = (f.port0(NodeId(0)), host(&f, 0), host(&f, 1), host(&f, 2));
    let mut lids = Lids::reported(&f);
    assert_eq!([port0, first, second, third].map(|p| lids.base(p)), [2, 4, 5, 0]);
    assert_eq!([port0, first, second, third].map(|p| lids.range(p)), [2..3, 4..6, 5..6, 0..0]);
    assert_eq!(lids.lmc(first), 1);
    assert_eq!(lids.of_switch(&f, NodeId(0)), 2);
    assert_eq!(lids.assigned(), [(2, port0), (4, first), (5, second)]);
    let owners = [None, None, Some(port0), None, Some(first), Some(second), None];
    assert_eq!([0, 1, 2, 3, 4, 5, 6].map(|lid| lids.owner(lid)), owners);
    assert_eq!(lids.max_lid(), 5);
    assert_eq!(lids.doubled(), [(5, first)]);
    assert_eq!(lids.manager(), None);
    lids.set_manager(second);
    assert_eq!(lids.manager(), Some(second));
    // A range of four, 8 to 11, beyond the highest so far; then one below it.
    lids.set(third, 8, 2);
    assert_eq!(lids.max_lid(), 11);
    lids.set(port0, 3, 0);
    assert_eq!((lids.max_lid(), lids.owner(11), lids.owner(3)), (11, Some(third), Some(port0)));
    assert_eq!((Lids::none(&f).max_lid(), Lids::none(&f).assigned()), (0, vec![]));
}

#[test]
fn managers_are_tried_by_lid_1_then_adapters_aggregation_nodes_and_switches() {
    let mut b = FabricBuilder::new();
    let switch = b.add_node(node(NodeKind::Switch, 1), 4).unwrap();
    b.port_mut(switch, 0).unwrap().lid = 1;
    let ends = [(NodeKind::Aggregation, 4, 1), (NodeKind::Adapter, 5, 0), (NodeKind::Adapter, 6, 1)];
    for ((kind, guid, lid), number) in ends.into_iter().zip(1..) {
        let end = b.add_node(node(kind, guid), 1).unwrap();
        b.port_mut(end, 1).unwrap().lid = lid;
        b.connect((end, 1), (switch, number)).unwrap();
    }
    // An adapter without a cable is no candidate.
    b.add_node(node(NodeKind::Adapter, 7), 1).unwrap();
    let f = b.finish();
    let (port0, tree, five, six) = (f.port0(NodeId(0)), host(&f, 0), host(&f, 1), host(&f, 2));
    let managers: Vec<PortId> = Lids::managers(&f).collect();
    assert_eq!(managers, [six, port0, five, six, tree, five, six, port0]);
}

#[test]
fn a_reported_lid_is_no_other_ports_but_the_rest_of_its_range_is_at_a_lower_lmc() {
    // LMC 0: of 4 to 7, which 0x03 reports, it can keep 4. Manager 1; switch 3, as 2 is that of 0x02; then
    // 0x04 has 5, and 0x06 has 6.
    let f = reporting((0, 0), &[(5, 0, 0), (2, 2, 0), (3, 4, 2), (4, 0, 0), (6, 0, 0)]);
    assert_eq!(ranges(&f, &with(0, &[])), [(3, 3), (1, 1), (2, 2), (4, 4), (5, 5), (6, 6)]);
}

#[test]
fn a_switch_holds_its_whole_reported_range_aligned_or_not() {
    // LMC 0: the switch keeps 3, and no port has 4. Manager 1, 0x02 2, 0x03 5.
    let f = reporting((3, 1), &[(5, 0, 0), (2, 0, 0), (3, 0, 0)]);
    assert_eq!(ranges(&f, &with(0, &[])), [(3, 3), (1, 1), (2, 2), (5, 5)]);
}

#[test]
fn a_misaligned_report_holds_nothing() {
    // LMC 1: 0x02 cannot keep 3, so the manager has 2 and 3, the switch 4, 0x02 6 and 7.
    let f = reporting((0, 0), &[(5, 0, 0), (2, 3, 0)]);
    assert_eq!(ranges(&f, &with(1, &[])), [(4, 4), (2, 3), (6, 7)]);
}

#[test]
fn a_reported_range_between_used_lids_is_kept() {
    // LMC 1: 7 and 10 are absent ports'; 8 and 9 are held for 0x02. The manager has 12 and 13, as 11 is alone;
    // the switch 14.
    let f = reporting((0, 0), &[(5, 0, 0), (2, 8, 1)]);
    let options = with(1, &[&ONE_TO_SEVEN[..], &[(0x75, 10, 10)]].concat());
    assert_eq!(ranges(&f, &options), [(14, 14), (12, 13), (8, 9)]);
}

#[test]
fn the_second_lid_of_a_reported_range_is_held_though_the_first_is_lost() {
    // LMC 1: an absent port has 8, so 0x02 cannot keep 8 and 9; still 9 is held for it, and the switch cannot
    // have it. 10 and 11 are another's: manager 12 and 13, switch 14, 0x02 16 and 17.
    let f = reporting((0, 0), &[(5, 0, 0), (2, 8, 1)]);
    let options = with(1, &[&ONE_TO_SEVEN[..], &[(0x75, 8, 8), (0x76, 10, 11)]].concat());
    assert_eq!(ranges(&f, &options), [(14, 14), (12, 13), (16, 17)]);
}

#[test]
fn neighbours_keep_what_they_report() {
    // 7 and 8 are reported, and 9 is an absent port's. 0xBFFF is the last LID there is.
    let f = reporting((0, 0), &[(5, 0, 0), (2, 7, 0), (3, 8, 0), (4, 0xBFFF, 0)]);
    let expected = [(2, 2), (1, 1), (7, 7), (8, 8), (0xBFFF, 0xBFFF)];
    assert_eq!(ranges(&f, &with(0, &[(0x77, 9, 9)])), expected);
}

#[test]
fn entries_that_name_no_port_or_no_range_are_dropped_at_lmc_0_too() {
    // No GUID; 4 to 2; beyond the last LID; LID 0.
    let f = reporting((0, 0), &[(5, 0, 0), (2, 0, 0)]);
    let options = with(0, &[(0, 1, 1), (0x77, 4, 2), (0x78, 0xC000, 0xC000), (0x79, 0, 0)]);
    assert_eq!(ranges(&f, &options), [(2, 2), (1, 1), (3, 3)]);
    assert_eq!(Lids::assign(&f, first_end(&f), &options).unwrap().absent(), []);
}

#[test]
fn an_absent_port_holds_as_many_lids_as_the_lmc_says() {
    // LMC 1: of 4 to 9 it holds 4 and 5. The manager has 2 and 3, which fit exactly, the switch 6, 0x02 8 and 9.
    let f = reporting((0, 0), &[(5, 0, 0), (2, 0, 0)]);
    assert_eq!(ranges(&f, &with(1, &[(0x77, 4, 9)])), [(6, 6), (2, 3), (8, 9)]);
}

#[test]
fn a_gap_that_fits_exactly_is_taken() {
    // LMC 1: 4 and 5 are the manager's; the switch has 8, 0x02 10 and 11.
    let f = reporting((0, 0), &[(5, 0, 0), (2, 0, 0)]);
    let options = with(1, &[(0x71, 1, 1), (0x72, 2, 3), (0x73, 6, 7)]);
    assert_eq!(ranges(&f, &options), [(8, 8), (4, 5), (10, 11)]);
}

#[test]
fn an_entry_that_is_given_up_is_free_for_others() {
    // LMC 1: one LID, 2, is too few for 0x02, so that the manager has 2 and 3, the switch 4, 0x02 6 and 7.
    let f = reporting((0, 0), &[(5, 0, 0), (2, 0, 0)]);
    assert_eq!(ranges(&f, &with(1, &[(2, 2, 2)])), [(4, 4), (2, 3), (6, 7)]);
}

#[test]
fn the_last_lid_is_held_for_the_port_that_reports_it() {
    // LMC 1, and absent ports have 1 and all pairs from 2 to 0xBFFD. The switch reports 0xBFFF, so that 0xBFFE
    // alone is left, too little for the manager. At LMC 0 the absent ports have half as many.
    let f = reporting((0xBFFF, 0), &[(5, 0, 0)]);
    let pairs = (1..0x5FFF).map(|i| (0x100 + u64::from(i), 2 * i, 2 * i + 1));
    let entries: Vec<(u64, u32, u32)> = std::iter::once((0x100, 1, 1)).chain(pairs).collect();
    let error = Lids::assign(&f, first_end(&f), &with(1, &entries)).unwrap_err();
    assert_eq!(error, LidError::Exhausted { missing: 2, without: 1, lmc: 1, fits: Some(0) });
}
