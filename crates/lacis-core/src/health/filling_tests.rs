//! How far leaves are filled, which names, ports and GUIDs switches have, and in which order records are, changes no role
//! and no finding about cables between switches.

use proptest::prelude::*;
use rustc_hash::FxHashMap;

use super::testing::Sketch;
use super::{Code, Hosts, findings};
use crate::fabric::levels::{Levels, Role};
use crate::fabric::{Fabric, FabricBuilder, NodeId};
use crate::generate::{edit, generate, shuffle_guids};

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

/// Numbers that follow from a seed.
struct Draws(u64);

impl Draws {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % n as u64) as usize
    }

    fn order(&mut self, n: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            all.swap(i, self.below(i + 1));
        }
        all
    }
}

/// The fabric with as many of each leaf's hosts as are drawn, from none to all; a third of the leaves stay full.
fn filled(fabric: &Fabric, levels: &Levels, draws: &mut Draws) -> Fabric {
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
fn permuted(fabric: &Fabric, levels: &Levels, draws: &mut Draws) -> (Fabric, FxHashMap<String, String>) {
    let mut builder = FabricBuilder::new();
    let name = |node: usize| fabric.node(NodeId(node as u32)).description.clone();
    let mut other: Vec<usize> = (0..fabric.num_switches()).collect();
    for level in 0..levels.count() {
        let members = levels.at(level as u8).map(NodeId::ix).filter(|&s| name(s).len() > 1);
        let members: Vec<usize> = members.collect();
        for (from, to) in draws.order(members.len()).into_iter().enumerate() {
            other[members[from]] = members[to];
        }
    }
    let before = (0..other.len()).map(|s| (name(other[s]).to_string(), name(s).to_string())).collect();
    let mut handles = vec![None; fabric.num_nodes()];
    let mut ports = vec![Vec::new(); fabric.num_nodes()];
    for node in draws.order(fabric.num_nodes()) {
        let id = NodeId(node as u32);
        let radix = fabric.radix(id);
        let mut described = fabric.node(id).clone();
        described.description = other.get(node).map_or(described.description, |&other| name(other));
        handles[node] = builder.add_node(described, radix).ok();
        ports[node] =
            if fabric.is_switch(id) { draws.order(radix.into()) } else { (0..usize::from(radix)).collect() };
    }
    for (p, q) in fabric.cables() {
        let ends = [p, q].map(|port| {
            let node = fabric.node_of(port).ix();
            let number = usize::from(fabric.number_of(port)) - 1;
            (handles[node].unwrap(), ports[node][number] as u32 + 1)
        });
        builder.connect(ends[0], ends[1]).unwrap();
        for ((node, number), port) in ends.into_iter().zip([p, q]) {
            *builder.port_mut(node, number).unwrap() = *fabric.port_info(port);
        }
    }
    (builder.finish(), before)
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
        let draws = &mut Draws(seed);
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
        let draws = &mut Draws(seed);
        let levels = Levels::of(&fabric).unwrap();
        let filled = filled(&fabric, &levels, draws);
        prop_assume!(filled.end_nodes().next().is_some());
        let (found, before) = permuted(&shuffle_guids(&filled, seed), &levels, draws);
        prop_assert_eq!(roles(&found, &before), roles(&fabric, &FxHashMap::default()), "{:?}", MACHINES[at]);
        prop_assert_eq!(cabling(&found), Vec::<String>::new(), "{:?}", MACHINES[at]);
    }
}
