//! Links below what they could be, in small fabrics.

use super::super::testing::Sketch;
use super::super::{Hosts, findings};
use crate::fabric::{Capability, Rate, Speed, Width};

/// Findings of links below a spine at EDR: the hosts of each leaf, with the speeds of their links.
fn hosts_at(leaves: &[&[(&str, Speed)]]) -> Vec<String> {
    let mut s = Sketch::new();
    let spine = s.switch("spine", 16);
    for (l, hosts) in (1..).zip(leaves) {
        let leaf = s.switch(&format!("leaf-{l}"), 16);
        for port in 15..=16 {
            s.cable((leaf, port), (spine, 2 * l + port - 16));
        }
        for (port, &(name, speed)) in (1..).zip(*hosts) {
            let host = s.adapter(&format!("{name} HCA-1"));
            s.cable((host, 1), (leaf, port));
            for (node, number) in [(host, 1), (leaf, port)] {
                s.builder().port_mut(node, number).unwrap().rate = Some(Rate::x4(speed));
            }
        }
    }
    let f = s.finish();
    let found = findings(&f, &Hosts::of(&f, None)).into_iter().filter(|f| f.code.name().starts_with("LINK"));
    found.map(|f| format!("{} {}", f.code.name(), f.words().at)).collect()
}

/// Six leaves with two uplinks and two hosts each, all at EDR; leaves 5 and 6 are of a model of their own if `known`.
/// The first so many ports of leaf 6, uplinks before hosts, run at `rate`. Findings of links.
fn leaf_6_at(rate: Rate, ports: u32, known: bool, cabled: u32) -> Vec<String> {
    let mut s = Sketch::new();
    let spine = s.switch("spine", 12);
    for l in 1..=6 {
        let leaf = s.switch(&format!("leaf-{l}"), 4);
        for port in (1..=4).filter(|&port| l < 6 || port <= cabled) {
            let far = if port <= 2 {
                (spine, 2 * l + port - 2)
            } else {
                (s.adapter(&format!("n{l}{port} HCA-1")), 1)
            };
            s.cable((leaf, port), far);
            if l == 6 && port <= ports {
                for (node, number) in [(leaf, port), far] {
                    s.builder().port_mut(node, number).unwrap().rate = Some(rate);
                }
            }
        }
        s.builder().node_mut(leaf).device = if known && l >= 5 { 0xc738 } else { 0 };
    }
    let f = s.finish();
    let found = findings(&f, &Hosts::of(&f, None)).into_iter().filter(|f| f.code.name().starts_with("LINK"));
    found.map(|f| format!("{} {}", f.code.name(), f.words().at)).collect()
}

#[test]
fn no_more_is_expected_of_a_link_than_its_switches_can_do() {
    let fdr = Rate::x4(Speed::Fdr);
    let narrow = Rate { width: Width::new(2).unwrap(), ..Rate::x4(Speed::Edr) };
    // An older switch, or one with a fault: the source does not say its model.
    assert_eq!(leaf_6_at(fdr, 4, false, 4), ["LINKS_SLOW_ALIKE leaf-6"]);
    assert_eq!(leaf_6_at(narrow, 4, false, 4), ["LINKS_SLOW_ALIKE leaf-6"]);
    // One of its ports is faster, or another switch of the model is.
    assert_eq!(leaf_6_at(fdr, 1, false, 4), ["LINK_SPEED_LOW spine[11] – leaf-6[1]"]);
    assert_eq!(leaf_6_at(narrow, 1, false, 4), ["LINK_WIDTH_LOW spine[11] – leaf-6[1]"]);
    assert_eq!(
        leaf_6_at(fdr, 4, true, 4),
        [
            "LINK_SPEED_LOW leaf-6",
            "LINK_SPEED_LOW leaf-6[3] – n63 HCA-1[1]",
            "LINK_SPEED_LOW leaf-6[4] – n64 HCA-1[1]"
        ]
    );
    // A single cable does not show what the switch can do.
    assert_eq!(leaf_6_at(fdr, 1, false, 1), ["LINK_SPEED_LOW spine[11] – leaf-6[1]"]);
}

#[test]
fn half_of_all_cables_show_what_switches_of_unknown_model_do_not_reach() {
    // Six leaves with two uplinks and a host each, all at FDR on some leaves: of twelve uplinks four, six and eight.
    let slow = |leaves: u32| {
        let mut s = Sketch::new();
        let spine = s.switch("spine", 12);
        for l in 1..=6 {
            let leaf = s.switch(&format!("leaf-{l}"), 4);
            let speed = if l <= leaves { Speed::Fdr } else { Speed::Edr };
            for port in 1..=3 {
                let far =
                    if port < 3 { (spine, 2 * l + port - 2) } else { (s.adapter(&format!("n{l} HCA-1")), 1) };
                s.cable((leaf, port), far);
                for (node, number) in [(leaf, port), far] {
                    s.builder().port_mut(node, number).unwrap().rate = Some(Rate::x4(speed));
                }
            }
        }
        let f = s.finish();
        let found = findings(&f, &Hosts::of(&f, None)).into_iter();
        found
            .filter(|f| f.code.name() == "LINKS_SLOW_ALIKE")
            .map(|f| f.words().at)
            .collect::<Vec<_>>()
            .join(", ")
    };
    assert_eq!(slow(2), "leaf-1, leaf-2");
    assert_eq!(slow(3), "leaf-1, leaf-2, leaf-3");
    assert_eq!(slow(4), "");
}

#[test]
fn two_hosts_of_a_series_were_built_so_and_one_alone_is_below_its_neighbours() {
    let with = |others: &[&'static str]| {
        let edr = ["n1", "n2", "n3", "n4", "n5", "n6"].map(|name| (name, Speed::Edr));
        let others: Vec<_> = others.iter().map(|&name| (name, Speed::Fdr)).collect();
        hosts_at(&[&[&edr[..], &others].concat()])
    };
    assert_eq!(with(&["viz1"]), ["LINK_SPEED_LOW leaf-1[7] – viz1 HCA-1[1]"]);
    assert_eq!(with(&["viz1", "viz2"]), ["LINKS_SLOW_ALIKE viz*"]);
}

#[test]
fn three_links_of_a_leaf_show_how_it_was_built_if_all_are_alike_and_four_if_one_differs() {
    // Hosts of a series each, so that only the leaf says how they were built; eight at EDR say what is usual.
    let usual = ["n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8"].map(|name| (name, Speed::Edr));
    let with = |links: &[(&'static str, Speed)]| hosts_at(&[&usual, links]);
    let (fdr, edr) = (Speed::Fdr, Speed::Edr);
    assert_eq!(with(&[("a1", fdr), ("b1", fdr), ("c1", fdr)]), ["LINKS_SLOW_ALIKE leaf-2"]);
    assert_eq!(
        with(&[("a1", fdr), ("b1", fdr), ("c1", edr)]),
        ["LINK_SPEED_LOW leaf-2[1] – a1 HCA-1[1]", "LINK_SPEED_LOW leaf-2[2] – b1 HCA-1[1]"]
    );
    assert_eq!(with(&[("a1", fdr), ("b1", fdr), ("c1", fdr), ("d1", edr)]), ["LINKS_SLOW_ALIKE leaf-2"]);
}

#[test]
fn a_lone_adapter_at_a_quarter_of_what_its_device_and_its_switch_can_is_slow_and_at_half_it_is_not() {
    // An InfiniScale IV and a ConnectX-2, both of which can run at QDR.
    let at = |speed: Speed| {
        let mut s = Sketch::new();
        let leaf = s.switch("leaf", 8);
        let host = s.adapter("n1 HCA-1");
        s.cable((host, 1), (leaf, 1));
        for (node, number, device) in [(host, 1, 0x673c), (leaf, 1, 0xbd36)] {
            s.builder().node_mut(node).device = device;
            s.builder().port_mut(node, number).unwrap().rate = Some(Rate::x4(speed));
        }
        let f = s.finish();
        let found = findings(&f, &Hosts::of(&f, None)).into_iter();
        found.filter(|f| f.code.name().starts_with("LINK")).map(|f| f.words().at).collect::<Vec<_>>()
    };
    assert_eq!(at(Speed::Sdr), ["leaf[1] – n1 HCA-1[1]"]);
    assert_eq!(at(Speed::Ddr), Vec::<String>::new());
}

/// Findings of the link of a host on port 1 of a leaf beside so many others at 4xEDR: it runs at `rate`, and its adapter and
/// the leaf say what they can.
fn host_that_can(others: u32, rate: Rate, can: [Capability; 2]) -> Vec<String> {
    let mut s = Sketch::new();
    let leaf = s.switch("leaf", 16);
    for port in 2..2 + others {
        let host = s.adapter(&format!("n{port} HCA-1"));
        s.cable((host, 1), (leaf, port));
    }
    let host = s.adapter("viz1 HCA-1");
    s.cable((host, 1), (leaf, 1));
    for ((node, number), can) in [(host, 1), (leaf, 1)].into_iter().zip(can) {
        s.builder().port_mut(node, number).unwrap().rate = Some(rate);
        s.builder().detail_mut(node, number).unwrap().enabled = can;
    }
    let f = s.finish();
    let found = findings(&f, &Hosts::of(&f, None)).into_iter().filter(|f| f.code.name().starts_with("LINK"));
    found.map(|f| f.code.name().to_owned()).collect()
}

#[test]
fn no_more_is_expected_of_a_link_than_one_of_its_ends_says_that_it_can() {
    let (width, silent) = (|lanes| Width::new(lanes).unwrap(), Capability::default());
    let fdr = Rate::x4(Speed::Fdr);
    assert_eq!(host_that_can(6, fdr, [silent; 2]), ["LINK_SPEED_LOW"]);
    assert!(host_that_can(6, fdr, [silent.with_speed(Speed::Fdr), silent]).is_empty());
    let narrow = Rate { width: width(2), ..Rate::x4(Speed::Edr) };
    assert_eq!(host_that_can(6, narrow, [silent; 2]), ["LINK_WIDTH_LOW"]);
    assert!(host_that_can(6, narrow, [silent.with_width(width(2)), silent]).is_empty());
}

#[test]
fn a_link_without_its_like_is_slow_where_both_of_its_ends_say_that_they_can_do_more() {
    let silent = Capability::default();
    let edr = silent.with_width(Width::new(4).unwrap()).with_speed(Speed::Edr);
    let fdr = Rate::x4(Speed::Fdr);
    assert_eq!(host_that_can(0, fdr, [edr; 2]), ["LINK_SPEED_LOW"]);
    assert!(host_that_can(0, fdr, [edr, silent]).is_empty());
    assert!(host_that_can(0, fdr, [silent, edr]).is_empty());
}
