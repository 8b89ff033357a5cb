//! Random imperfect trees.

use lacis_core::fabric::{Fabric, NodeId, Population};
use lacis_core::generate::{SplitMix64, edit, generate};
use proptest::prelude::*;

/// A tree and what is wrong with it.
#[derive(Clone, Debug)]
pub struct Damage {
    pub spec: &'static str,
    /// Cables that are missing [%].
    pub cables: u32,
    /// Switches that are.
    pub switches: usize,
    /// Hosts that are.
    pub hosts: usize,
    /// Cables between any two switches, those of one level too.
    pub crossed: usize,
    /// Hosts on any switch.
    pub moved: usize,
    /// Of what is drawn.
    pub seed: u64,
}

const SPECS: [&str; 6] =
    ["fat-tree:4,2", "fat-tree:8,2", "fat-tree:4,3", "fat-tree:6,3", "fat-tree:4,4", "pgft:2;4,4;1,2;1,2"];

impl Damage {
    /// Any.
    pub fn any() -> impl Strategy<Value = Self> {
        let parts = (0_u32..40, 0_usize..3, 0_usize..4, 0_usize..4, 0_usize..4, any::<u64>());
        (prop::sample::select(&SPECS[..]), parts).prop_map(
            |(spec, (cables, switches, hosts, crossed, moved, seed))| Self {
                spec,
                cables,
                switches,
                hosts,
                crossed,
                moved,
                seed,
            },
        )
    }

    /// The fabric. Changes that do not fit are left out.
    pub fn fabric(&self) -> Fabric {
        let mut fabric = generate(self.spec).unwrap();
        let seed = self.seed % 1_000_000;
        let change = |fabric: &mut Fabric, selector: String| {
            if let Ok(changed) = edit(fabric, &[&selector]) {
                *fabric = changed;
            }
        };
        if self.cables > 0 {
            change(&mut fabric, format!("random-cables={}%,seed={seed}", self.cables));
        }
        if self.switches > 0 {
            change(&mut fabric, format!("random-switches={},seed={seed}", self.switches));
        }
        if self.hosts > 0 {
            change(&mut fabric, format!("random-hosts={},seed={seed}", self.hosts));
        }
        let mut random = SplitMix64::new(self.seed);
        let names: Vec<String> = fabric.switches().map(|s| fabric.node(s).description.to_string()).collect();
        let mut any = || names[random.below(names.len())].clone();
        let crossed: Vec<String> = (0..self.crossed).map(|_| format!("+{}--{}", any(), any())).collect();
        let moved: Vec<String> = (0..self.moved).map(|_| format!("+host@{}", any())).collect();
        crossed.into_iter().chain(moved).for_each(|selector| change(&mut fabric, selector));
        fabric
    }
}

/// Ordered pairs of end ports that no cables connect.
pub fn pairs_apart(fabric: &Fabric, population: Population) -> u64 {
    let part = parts(fabric);
    let ends = fabric.end_ports(population);
    let edge_switches: Vec<NodeId> = ends.iter().filter_map(|&p| fabric.edge_switch(p)).collect();
    let apart = |a: &NodeId| edge_switches.iter().filter(|b| part[a.ix()] != part[b.ix()]).count() as u64;
    edge_switches.iter().map(apart).sum()
}

/// The connected component of each switch.
pub fn parts(fabric: &Fabric) -> Vec<usize> {
    let mut part: Vec<usize> = (0..fabric.num_switches()).collect();
    loop {
        let before = part.clone();
        for (p, q) in fabric.cables() {
            let (a, b) = (fabric.node_of(p), fabric.node_of(q));
            if fabric.is_switch(a) && fabric.is_switch(b) {
                let least = part[a.ix()].min(part[b.ix()]);
                (part[a.ix()], part[b.ix()]) = (least, least);
            }
        }
        if part == before {
            return part;
        }
    }
}
