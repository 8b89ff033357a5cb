//! How far leaves are filled, which names, ports and GUIDs switches have, and in which order records are, changes no role
//! and no finding about cables between switches.

use proptest::prelude::*;
use rustc_hash::FxHashMap;

use super::testing::Sketch;
use super::{Code, Hosts, findings};
use crate::fabric::levels::{Levels, Role};
use crate::fabric::{Fabric, Guid, NodeId};
use crate::generate::{SplitMix64, edit, generate, shuffle_guids, shuffle_ports};

/// Trees, and what is appended to them. Nothing is missing in any.
const MACHINES: [(&str, &[&str]); 22] = [
    ("fat-tree:12,2", &[]),
    ("fat-tree:12,2:taper=3", &[]),
    ("fat-tree:8,2:rails=3", &[]),
    ("pgft:2;6,8;1,4;1,3", &[]),
    ("fat-tree:8,3", &[]),
    ("fat-tree:8,3:taper=3", &[]),
    ("fat-tree:8,3:pods=2", &[]),
    ("fat-tree:8,3:pods=1", &[]),
    ("fat-tree:4,4", &[]),
    ("pgft:4;4,2,3,2;1,2,2,2;1,1,2,1", &[]),
    ("itasca:40", &[]),
    ("itasca:81", &[]),
    ("opa-1152", &[]),
    // Leaves on all spines, on a pod's, on one leaf, and hosts on spines and cores.
    ("fat-tree:12,2:radix=24", &["+switch=a@spine-*", "+switch=b@spine-*", "+host@a:3", "+host@b:6"]),
    ("fat-tree:8,3:radix=20", &["+switch=a@mid-01-*", "+host@a:4"]),
    ("fat-tree:8,3:radix=20", &["+switch=a@leaf-01-01", "+host@a:2"]),
    ("fat-tree:24,2:radix=32", &["+host@spine-02:8"]),
    ("fat-tree:8,3:radix=20", &["+host@core-*"]),
    ("fat-tree:8,3:radix=20", &["+host@mid-02-01:2"]),
    // A management leaf on one spine, which may lose all its hosts.
    ("fat-tree:16,3:pods=2,radix=32", &["+switch=edge-01@mid-01-01:2", "+host@edge-01:5"]),
    (DIRECTORS, &[]),
    // Leaves that hang on leaves.
    ("fat-tree:24,2:radix=32", &["+switch=a@leaf-0?", "+host@a:8"]),
];

const DIRECTORS: &str = "directors below a director";

/// Four directors of four line chips and a fabric chip; each line chip is cabled to a line chip of a fifth as well, whose
/// fabric chips join those. No two line chips share more than half of their cables.
fn directors() -> Fabric {
    let mut sketch = Sketch::new();
    let core_lines: Vec<_> = (1..=4).map(|n| sketch.switch(&format!("core-line-{n}"), 12)).collect();
    for n in 1..=2 {
        let fabric_chip = sketch.switch(&format!("core-fabric-{n}"), 12);
        for (port, &line) in (1..).zip(&core_lines) {
            sketch.cable((fabric_chip, port), (line, 8 + n));
        }
    }
    for unit in 1..=4 {
        let fabric_chip = sketch.switch(&format!("unit-{unit}-fabric"), 12);
        for (number, &core_line) in (1..).zip(&core_lines) {
            let line = sketch.switch(&format!("unit-{unit}-line-{number}"), 12);
            sketch.cable((fabric_chip, number), (line, 11));
            sketch.cable((core_line, unit), (line, 12));
            for port in 1..=3 {
                let host = sketch.adapter(&format!("n{unit}{number}{port} HCA-1"));
                sketch.cable((line, port), (host, 1));
            }
        }
    }
    sketch.finish()
}

fn machine(at: usize) -> Fabric {
    let (spec, selectors) = MACHINES[at];
    let whole = if spec == DIRECTORS { directors() } else { generate(spec).unwrap() };
    edit(&whole, selectors).unwrap()
}

/// The fabric with as many of each leaf's hosts as are drawn, from none to all; a third of the leaves stay full.
fn filled(fabric: &Fabric, levels: &Levels, draws: &mut SplitMix64) -> Fabric {
    let mut gone = vec![false; fabric.num_nodes()];
    for leaf in levels.at(0) {
        let far = fabric.ports_of(leaf).filter_map(|p| fabric.peer(p)).map(|p| fabric.node_of(p));
        let hosts: Vec<NodeId> = far.filter(|&n| !fabric.is_switch(n)).collect();
        let kept = if draws.below(3) == 0 { hosts.len() } else { draws.below(hosts.len() + 1) };
        hosts.iter().skip(kept).for_each(|host| gone[host.ix()] = true);
    }
    fabric.filtered(|n| !gone[n.ix()], |_, _| true)
}

/// The fabric with its nodes in another order, its cables at other ports of the switches, and the switches of each level
/// with each other's names (not those that were appended); and the name that each had.
fn permuted(fabric: &Fabric, levels: &Levels, draws: &mut SplitMix64) -> (Fabric, FxHashMap<String, String>) {
    let name = |s: NodeId| fabric.node(s).description.to_string();
    let mut names: FxHashMap<Guid, String> = FxHashMap::default();
    for level in 0..levels.count() {
        let members: Vec<NodeId> = levels.at(level as u8).filter(|&s| name(s).len() > 1).collect();
        let mut others = members.clone();
        draws.shuffle(&mut others);
        names.extend(members.iter().zip(others).map(|(&s, other)| (fabric.node(s).guid, name(other))));
    }
    let now = |s: NodeId| names.get(&fabric.node(s).guid).cloned().unwrap_or_else(|| name(s));
    let before = fabric.switches().map(|s| (now(s), name(s))).collect();
    let found = shuffle_ports(fabric, draws.draw());
    (found.renamed(|node| names.get(&node.guid).map(|name| name.as_str().into())), before)
}

/// The roles by name, without those of switches that were appended to several: one that has lost its hosts is no leaf by
/// anything. `before`: the names that switches had.
fn roles(fabric: &Fabric, before: &FxHashMap<String, String>) -> Vec<(String, Option<Role>)> {
    let levels = Levels::of(fabric);
    let role = |s| levels.as_ref().and_then(|levels| levels.role(s));
    let name = |s| fabric.node(s).description.to_string();
    let of = |s| (before.get(&name(s)).cloned().unwrap_or_else(|| name(s)), role(s));
    let mut all: Vec<_> = fabric.switches().map(of).filter(|(name, _)| name.len() > 1).collect();
    all.sort();
    all
}

/// Findings about cables between switches, and about absent switches.
fn cabling(fabric: &Fabric) -> Vec<String> {
    let codes = [Code::UplinkMissing, Code::UplinkFewer, Code::CableUnexpected, Code::SwitchAbsent];
    let all = findings(fabric, &Hosts::of(fabric, None)).into_iter();
    all.filter(|f| codes.contains(&f.code)).map(|f| format!("{} {}", f.code.name(), f.words().at)).collect()
}

#[test]
fn nothing_is_missing_in_any_machine() {
    for at in 0..MACHINES.len() {
        assert_eq!(cabling(&machine(at)), Vec::<String>::new(), "{:?}", MACHINES[at]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn hosts_change_no_role_and_no_finding_about_cables(at in 0..MACHINES.len(), seed in any::<u64>()) {
        let fabric = machine(at);
        let draws = &mut SplitMix64::new(seed);
        let found = filled(&fabric, &Levels::of(&fabric).unwrap(), draws);
        prop_assume!(found.end_nodes().next().is_some());
        let names = FxHashMap::default();
        prop_assert_eq!(roles(&found, &names), roles(&fabric, &names), "{:?}", MACHINES[at]);
        prop_assert_eq!(cabling(&found), Vec::<String>::new(), "{:?}", MACHINES[at]);
    }

    #[test]
    fn names_order_ports_and_guids_change_no_role_and_no_finding_about_cables(
        at in 0..MACHINES.len(),
        seed in any::<u64>(),
    ) {
        let fabric = machine(at);
        let draws = &mut SplitMix64::new(seed);
        let levels = Levels::of(&fabric).unwrap();
        let filled = filled(&fabric, &levels, draws);
        prop_assume!(filled.end_nodes().next().is_some());
        let (found, before) = permuted(&shuffle_guids(&filled, seed), &levels, draws);
        prop_assert_eq!(roles(&found, &before), roles(&fabric, &FxHashMap::default()), "{:?}", MACHINES[at]);
        prop_assert_eq!(cabling(&found), Vec::<String>::new(), "{:?}", MACHINES[at]);
    }
}
