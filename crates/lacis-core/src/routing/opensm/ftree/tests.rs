//! Pruning leaves out steps, and changes no entry.

use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::fabric::Guid;
use crate::fabric::switch_graph::{SwitchGraph, end_ports_on};
use crate::generate::{generate, shuffle_guids, without};
use crate::sm::lids::LidOptions;

/// Two and three levels, parallel cables, rails, unequal widths.
const SPECS: [&str; 7] = [
    "fat-tree:8,2",
    "fat-tree:4,3",
    "fat-tree:8,3",
    "fat-tree:8,2:rails=2",
    "pgft:2;4,6;1,4;1,3",
    "pgft:3;4,3,4;1,2,3;1,2,1",
    "itasca:9",
];

/// The switches farthest from those with end nodes.
fn top_switches(fabric: &Fabric) -> Vec<Guid> {
    let has_ends: Vec<bool> = fabric.switches().map(|s| end_ports_on(fabric, s) > 0).collect();
    let hops = SwitchGraph::of(fabric).hops_from(&has_ends);
    let top = hops.iter().copied().filter(|&h| h != u32::MAX).max();
    fabric.switches().filter(|s| Some(hops[s.ix()]) == top).map(|s| fabric.node(s).guid).collect()
}

/// Every so many adapter ports.
fn every(fabric: &Fabric, step: usize) -> Option<Vec<Guid>> {
    let ports = fabric.end_nodes().flat_map(|n| fabric.ports_of(n));
    (step > 0).then(|| ports.step_by(step).map(|p| fabric.port_info(p).guid).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn pruning_changes_no_entry(
        spec in select(&SPECS[..]),
        seed in 0..10_000_u32,
        (cables, hosts) in (0..15_u32, 0..40_u32),
        (named_roots, quasi_ftree, connect_roots) in any::<(bool, bool, bool)>(),
        (cn, io, reverse_hops) in (0..3_usize, 0..5_usize, 0..3_u8),
    ) {
        let fabric = shuffle_guids(&generate(spec).unwrap(), u64::from(seed));
        let lost = [format!("random-cables={cables}%,seed={seed}"), format!("random-hosts={hosts}%,seed={seed}")];
        let fabric = without(&fabric, &[&lost[0], &lost[1]]).unwrap_or(fabric);
        let sm = Lids::default_sm(&fabric).unwrap();
        let lids = Lids::assign(&fabric, sm, &LidOptions::fresh()).unwrap();
        let options = Options {
            roots: named_roots.then(|| top_switches(&fabric)),
            cn: every(&fabric, cn),
            io: every(&fabric, io),
            reverse_hops,
            quasi_ftree,
            connect_roots,
            ..Options::default()
        };
        let sweep = Sweep::first(&fabric, &lids, &options);
        prop_assert_eq!(route(&sweep), route_with(&sweep, |tree, _| Pruning::none(tree)));
    }
}
