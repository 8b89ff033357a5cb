//! Links below what they could be, in small fabrics.

use super::super::testing::Sketch;
use super::super::{Hosts, findings};
use crate::fabric::{Rate, Speed, Width};

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
