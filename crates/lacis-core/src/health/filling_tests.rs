//! How far leaves are filled, and what ports, GUIDs and records are in which order, changes no role and no finding about
//! cables between switches.

use proptest::prelude::*;

use super::{Code, Hosts, findings};
use crate::fabric::levels::{Levels, Role};
use crate::fabric::{Fabric, FabricBuilder, NodeId};
use crate::generate::{edit, generate, shuffle_guids};

/// Trees, and what is appended to them. Nothing is missing in any.
const MACHINES: [(&str, &[&str]); 20] = [
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
    // Leaves that hang on leaves.
    ("fat-tree:24,2:radix=32", &["+switch=a@leaf-0?", "+host@a:8"]),
];

fn machine(at: usize) -> Fabric {
    let (spec, selectors) = MACHINES[at];
    edit(&generate(spec).unwrap(), selectors).unwrap()
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

/// The fabric with its nodes in another order, and its cables at other ports of the switches.
fn permuted(fabric: &Fabric, draws: &mut Draws) -> Fabric {
    let mut builder = FabricBuilder::new();
    let mut handles = vec![None; fabric.num_nodes()];
    let mut ports = vec![Vec::new(); fabric.num_nodes()];
    for node in draws.order(fabric.num_nodes()) {
        let id = NodeId(node as u32);
        let radix = fabric.radix(id);
        handles[node] = builder.add_node(fabric.node(id).clone(), radix).ok();
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
    builder.finish()
}

/// The roles by name, without those of switches that were appended: one that has lost its hosts is no leaf by anything.
fn roles(fabric: &Fabric) -> Vec<(String, Option<Role>)> {
    let levels = Levels::of(fabric);
    let role = |s| levels.as_ref().and_then(|levels| levels.role(s));
    let of = |s| (fabric.node(s).description.to_string(), role(s));
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
        prop_assert_eq!(roles(&found), roles(&fabric), "{:?}", MACHINES[at]);
        prop_assert_eq!(cabling(&found), Vec::<String>::new(), "{:?}", MACHINES[at]);
    }

    #[test]
    fn order_ports_and_guids_change_no_role_and_no_finding_about_cables(
        at in 0..MACHINES.len(),
        seed in any::<u64>(),
    ) {
        let fabric = machine(at);
        let draws = &mut Draws(seed);
        let filled = filled(&fabric, &Levels::of(&fabric).unwrap(), draws);
        let found = permuted(&shuffle_guids(&filled, seed), draws);
        prop_assert_eq!(roles(&found), roles(&fabric), "{:?}", MACHINES[at]);
        prop_assert_eq!(cabling(&found), Vec::<String>::new(), "{:?}", MACHINES[at]);
    }
}
