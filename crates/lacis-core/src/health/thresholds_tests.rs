//! How many must agree, or differ, for a finding: each threshold of cabling at its value, and one beside it.

use super::testing::Sketch;
use super::tests::lines;
use super::{Hosts, examine};
use crate::generate::{edit, generate};

/// Findings whose code begins so, of a fabric with some edits.
fn of(code: &str, spec: &str, selectors: &[impl AsRef<str>]) -> Vec<String> {
    let selectors: Vec<&str> = selectors.iter().map(AsRef::as_ref).collect();
    let fabric = edit(&generate(spec).unwrap(), &selectors).unwrap();
    lines(&fabric).into_iter().filter(|line| line.starts_with(code)).collect()
}

#[test]
fn a_spine_that_half_of_four_or_more_leaves_lack_is_one_finding_and_else_each_leaf_is() {
    // fat-tree:8,2 has eight leaves on four spines; the other tree two leaves of four hosts.
    let lost = ["leaf-01--spine-01", "leaf-02--spine-01", "leaf-03--spine-01", "leaf-04--spine-01"];
    assert_eq!(
        of("UPLINK", "fat-tree:8,2", &lost),
        ["UPLINK_MISSING spine-01 – leaf-01, leaf-02, leaf-03, leaf-04"]
    );
    assert_eq!(
        of("UPLINK", "fat-tree:8,2", &lost[1..]),
        [2, 3, 4].map(|leaf| format!("UPLINK_MISSING leaf-0{leaf} – spine-01"))
    );
    assert_eq!(of("UPLINK", "pgft:2;4,2;1,4;1,1", &lost[..1]), ["UPLINK_MISSING leaf-01 – spine-01"]);
}

#[test]
fn a_spine_on_half_of_the_leaves_is_missing_on_the_others_and_on_fewer_it_was_appended() {
    // A fifth spine on the first free port of each leaf.
    let half = ["+switch=spine-05@leaf-01", "+spine-05--leaf-02", "+spine-05--leaf-03", "+spine-05--leaf-04"];
    assert_eq!(
        of("UPLINK", "fat-tree:8,2:radix=10", &half),
        ["UPLINK_MISSING spine-05 – leaf-05, leaf-06, leaf-07, leaf-08"]
    );
    assert!(of("UPLINK", "fat-tree:8,2:radix=10", &half[..3]).is_empty());
}

#[test]
fn a_leaf_on_half_of_the_spines_lacks_the_others_if_it_has_half_as_many_hosts_as_its_peers() {
    // Leaves of fat-tree:12,2 have six hosts and six spines.
    let with_hosts = |hosts: usize| {
        let few = ["+switch=mgmt@spine-01", "+mgmt--spine-02", "+mgmt--spine-03"].map(str::to_owned);
        let hosts = format!("+host@mgmt:{hosts}");
        of("UPLINK", "fat-tree:12,2:radix=20", &[&few[..], &[hosts]].concat())
    };
    assert!(with_hosts(2).is_empty());
    assert_eq!(with_hosts(3), ["UPLINK_MISSING mgmt – spine-04, spine-05, spine-06"]);
}

#[test]
fn a_leaf_with_all_its_cables_on_one_spine_has_a_third_of_its_peers_uplinks_on_purpose() {
    let with_cables = |cables: usize| {
        let leaf = format!("+switch=mgmt@spine-01:{cables}");
        of("UPLINK", "fat-tree:12,2:radix=20", &[leaf, "+host@mgmt:6".to_owned()])
    };
    // Two of six, and three: two of these count as those to the next spines, which are on wrong ones.
    assert!(with_cables(2).is_empty());
    assert_eq!(with_cables(3), ["UPLINK_MISSING mgmt – spine-04, spine-05, spine-06"]);
}

#[test]
fn one_cable_in_twenty_that_does_not_fit_is_a_slip_and_of_nineteen_a_design() {
    // Five leaves and four spines have twenty cables, some of which are cut; one is put between two leaves.
    let spec = "pgft:2;4,5;1,4;1,1:radix=10";
    let one = "+leaf-01[9]--leaf-02[9]";
    let stray = "CABLE_UNEXPECTED leaf-01[9] – leaf-02[9]";
    assert_eq!(of("CABLE", spec, &["leaf-05--spine-01", one]), [stray]);
    assert!(of("CABLE", spec, &["leaf-05--spine-01", "leaf-04--spine-02", one]).is_empty());
}

#[test]
fn a_leaf_with_as_many_cables_past_its_mids_as_to_them_has_two_there_on_purpose_and_one_by_mistake() {
    // The first leaf has a cable to each of four mids, of which two or three are cut; cores are two levels up.
    let stray =
        |cut: &[&str], put: &[&str]| of("CABLE_UNEXPECTED", "fat-tree:8,3:radix=10", &[cut, put].concat());
    let cut = ["leaf-01-01--mid-01-02", "leaf-01-01--mid-01-03", "leaf-01-01--mid-01-04"];
    let put = ["+leaf-01-01--core-02-02", "+leaf-01-01--core-03-02"];
    // The first free ports: 6 of the leaf, whose mids are on 5 to 8, and 9 of the core, whose mids are on 1 to 8.
    let one = ["CABLE_UNEXPECTED leaf-01-01[6] – core-02-02[9]"];
    assert_eq!(stray(&cut, &put[..1]), one);
    assert_eq!(stray(&cut[..2], &put[..1]), one);
    assert!(stray(&cut[..2], &put).is_empty());
    assert_eq!(stray(&cut[..1], &put).len(), 2);
}

#[test]
fn a_gap_in_numbers_is_an_absent_switch_if_two_thirds_of_three_or_more_are_there() {
    let absent = |spec: &str, gone: &[&str]| of("SWITCH_ABSENT", spec, gone);
    // Four of six, and three.
    assert_eq!(
        absent("fat-tree:12,2", &["spine-02", "spine-03"]),
        ["SWITCH_ABSENT spine-02", "SWITCH_ABSENT spine-03"]
    );
    assert!(absent("fat-tree:12,2", &["spine-02", "spine-03", "spine-04"]).is_empty());
    // Three of four, and two of three, which are no series.
    assert_eq!(absent("fat-tree:8,2", &["spine-02"]), ["SWITCH_ABSENT spine-02"]);
    assert!(absent("fat-tree:6,2", &["spine-02"]).is_empty());
}

#[test]
fn an_eighth_of_a_grid_of_numbers_may_be_absent() {
    // Sixteen cores, four in each of four planes.
    let gone = ["core-02-03", "core-03-02", "core-01-02"];
    assert_eq!(
        of("SWITCH_ABSENT", "fat-tree:8,3", &gone[..2]),
        ["SWITCH_ABSENT core-02-03", "SWITCH_ABSENT core-03-02"]
    );
    assert!(of("SWITCH_ABSENT", "fat-tree:8,3", &gone).is_empty());
}

#[test]
fn a_switch_is_absent_where_nine_in_ten_of_its_peers_ports_are_empty() {
    // Twenty leaves: a host takes the port of the spine on two of them, and on three.
    let gone = ["spine-05", "+host@leaf-01", "+host@leaf-02", "+host@leaf-03"];
    assert_eq!(of("SWITCH_ABSENT", "fat-tree:20,2", &gone[..3]), ["SWITCH_ABSENT spine-05"]);
    assert!(of("SWITCH_ABSENT", "fat-tree:20,2", &gone).is_empty());
}

#[test]
fn ports_are_compared_with_those_of_other_rails_if_two_thirds_of_the_hosts_keep_to_one() {
    // Two leaves a rail with so many hosts each; the third adapters of two hosts are exchanged on their leaf.
    let with = |hosts: usize| {
        let spec = format!("pgft:2;{hosts},2;1,4;1,1:rails=3");
        let exchanged = [
            "rail3-leaf-01[1]",
            "rail3-leaf-01[2]",
            "+node0001 HCA-3[1]--rail3-leaf-01[2]",
            "+node0002 HCA-3[1]--rail3-leaf-01[1]",
        ];
        of("", &spec, &exchanged)
    };
    // Six of eight hosts are on one port number on all leaves, and two of four.
    assert_eq!(
        with(4),
        [
            "PORT_UNEXPECTED node0001 HCA-3 – rail3-leaf-01[2]",
            "PORT_UNEXPECTED node0002 HCA-3 – rail3-leaf-01[1]"
        ]
    );
    assert!(with(2).is_empty());
}

#[test]
fn three_hosts_that_agree_show_the_rail_of_a_fourth() {
    // The adapters of the first of so many hosts, on one leaf a rail, are on each other's leaf.
    let with = |hosts: usize| {
        let exchanged = [
            "rail1-leaf-01[1]",
            "rail2-leaf-01[1]",
            "+node0001 HCA-1[1]--rail2-leaf-01[1]",
            "+node0001 HCA-2[1]--rail1-leaf-01[1]",
        ];
        of("", &format!("pgft:2;{hosts},1;1,4;1,1:rails=2"), &exchanged)
    };
    assert_eq!(with(4), ["RAIL_CROSSED node0001"]);
    assert!(with(3).is_empty());
}

#[test]
fn a_network_is_a_plane_if_half_of_its_hosts_have_an_adapter_in_the_greatest_too() {
    let planes = |shared: usize| {
        let mut s = Sketch::new();
        let [one, first, second] = ["one", "first", "second"].map(|name| s.switch(name, 16));
        s.cable((first, 16), (second, 16));
        for n in 1..=8 {
            let host = s.adapter(&format!("n{n} HCA-1"));
            s.cable((host, 1), (one, n));
        }
        // Four hosts of the second network, the first so many of which are also in the greatest one.
        for (port, n) in (1..=4).zip(9 - shared..) {
            let host = s.adapter(&format!("n{n} HCA-2"));
            s.cable((host, 1), (first, port));
        }
        let fabric = s.finish();
        examine(&fabric, &Hosts::of(&fabric, None)).summary.planes
    };
    assert_eq!((planes(2), planes(1)), (2, 1));
}
