//! Machines drawn from a seed, each clean: trees and Dragonfly+, underfilled leaves, appended leaves, partitions of two
//! generations, split ports, unnamed adapters.

use lacis_core::fabric::{
    Counter, Fabric, FabricBuilder, Handle, Node, NodeKind, PortState, Rate, Speed, Width,
};
use lacis_core::generate::{SplitMix64, edit, generate};

/// An end of a cable: the number of a node, and a port.
pub type End = (usize, u32);

/// A cable with the rate that each end reports.
#[derive(Clone, Copy)]
pub struct Link {
    pub ends: [End; 2],
    pub rates: [Rate; 2],
    pub is_active: bool,
}

/// A machine that faults can be planted in.
#[derive(Clone)]
pub struct Machine {
    pub spec: String,
    pub nodes: Vec<(Node, u8)>,
    pub links: Vec<Link>,
    /// Nodes that are left out.
    pub absent: Vec<usize>,
    /// Errors of a port.
    pub errors: Vec<(End, Counter, u64)>,
}

/// The rate of what is neither old nor split.
pub fn full() -> Rate {
    Rate::x4(Speed::Hdr)
}
/// The rate of the older generation, and of a slow cable.
pub fn old() -> Rate {
    Rate::x4(Speed::Edr)
}

pub fn half_width() -> Rate {
    Rate { width: Width::new(2).unwrap(), speed: Speed::Hdr }
}

/// What is drawn, before rates and names.
const TREES: [(&str, &[&str]); 6] = [
    ("fat-tree:16,2:radix=24", &["+switch=edge@spine-*", "+host@edge:3"]),
    ("fat-tree:24,2:taper=3,radix=36", &[]),
    ("fat-tree:8,3:radix=12", &["+switch=edge@mid-01-*", "+host@edge:2"]),
    ("fat-tree:12,3:pods=4,radix=16", &[]),
    ("pgft:2;8,10;1,4;1,3:radix=40", &["+switch=edge@spine-*:3", "+host@edge:5"]),
    ("fat-tree:8,3:pods=3,radix=12", &[]),
];
const PLUS: [&str; 4] = [
    "dragonfly+:4,4,3,5:radix=16",
    "dragonfly+:6,5,4,6:radix=20,parallel=2",
    "dragonfly+:9,6,4,5:radix=24",
    "dragonfly+:5,8,6,7:radix=24",
];

impl Machine {
    pub fn draw(seed: u64) -> Self {
        let mut rng = SplitMix64::new(seed);
        let (spec, selectors) = if rng.below(3) == 0 {
            (PLUS[rng.below(PLUS.len())], &[][..])
        } else {
            TREES[rng.below(TREES.len())]
        };
        let is_appended = rng.below(2) == 0;
        let whole = generate(spec).unwrap_or_else(|e| panic!("{spec}: {e}"));
        let selectors = if is_appended { selectors } else { &[] };
        let fabric = edit(&whole, selectors).unwrap_or_else(|e| panic!("{spec} {selectors:?}: {e}"));
        let mut machine = Self::of(&fabric, format!("{spec} {selectors:?}"));
        machine.fill(&mut rng);
        machine.set_rates(&mut rng);
        machine.set_names(&mut rng);
        machine
    }

    fn of(fabric: &Fabric, spec: String) -> Self {
        let end = |p| (fabric.node_of(p).ix(), u32::from(fabric.number_of(p)));
        Self {
            spec,
            nodes: fabric.nodes().map(|(id, node)| (node.clone(), fabric.radix(id))).collect(),
            links: fabric
                .cables()
                .map(|(p, q)| Link { ends: [end(p), end(q)], rates: [full(); 2], is_active: true })
                .collect(),
            absent: Vec::new(),
            errors: Vec::new(),
        }
    }

    pub fn is_switch(&self, node: usize) -> bool {
        self.nodes[node].0.kind == NodeKind::Switch
    }

    pub fn name(&self, node: usize) -> &str {
        &self.nodes[node].0.description
    }

    /// Leaves with their hosts, in the order of ports.
    fn leaves(&self) -> Vec<(usize, Vec<usize>)> {
        let mut hosts = vec![Vec::new(); self.nodes.len()];
        for link in &self.links {
            let [a, b] = link.ends;
            for (near, far) in [(a, b), (b, a)] {
                if self.is_switch(near.0) && !self.is_switch(far.0) {
                    hosts[near.0].push((near.1, far.0));
                }
            }
        }
        let sorted = |mut of: Vec<(u32, usize)>| {
            of.sort_unstable();
            of.into_iter().map(|(_, host)| host).collect()
        };
        hosts
            .into_iter()
            .map(sorted)
            .enumerate()
            .filter(|(_, of): &(usize, Vec<usize>)| !of.is_empty())
            .collect()
    }

    /// A third of the leaves stay full; of the others the last hosts are not there yet. Each keeps three: of a host or two by
    /// themselves nothing shows whether they are slow or old.
    fn fill(&mut self, rng: &mut SplitMix64) {
        for (_, hosts) in self.leaves() {
            let kept = if rng.below(3) == 0 {
                hosts.len()
            } else {
                3.min(hosts.len()) + rng.below(hosts.len().saturating_sub(2))
            };
            self.absent.extend(&hosts[kept..]);
        }
    }

    /// Hosts of a second partition are a generation older, and those of a leaf with split ports have two lanes each.
    fn set_rates(&mut self, rng: &mut SplitMix64) {
        let leaves = self.leaves();
        let older = if rng.below(2) == 0 { 0 } else { leaves.len() / (2 + rng.below(3)) };
        let split = (rng.below(5) < 2).then(|| leaves.len() - 1);
        let series = if rng.below(2) == 0 { "old" } else { "node" };
        for (at, (_, hosts)) in leaves.iter().enumerate() {
            let rate = match (at < older, Some(at) == split) {
                (true, _) => old(),
                (_, true) => half_width(),
                _ => continue,
            };
            for link in
                self.links.iter_mut().filter(|link| link.ends.iter().any(|end| hosts.contains(&end.0)))
            {
                link.rates = [rate; 2];
            }
            for &host in hosts.iter().filter(|_| at < older) {
                let name = self.nodes[host].0.description.replace("node", series);
                self.nodes[host].0.description = name.into();
            }
        }
    }

    /// Some adapters have the description that their firmware comes with; in some machines the models are known.
    fn set_names(&mut self, rng: &mut SplitMix64) {
        let unnamed = if rng.below(3) == 0 { 1 + rng.below(6) } else { 0 };
        let hosts: Vec<usize> = (0..self.nodes.len()).filter(|&n| !self.is_switch(n)).collect();
        for _ in 0..unnamed {
            let host = hosts[rng.below(hosts.len())];
            self.nodes[host].0.description = "MT4123 ConnectX6   Mellanox Technologies".into();
        }
        if rng.below(5) < 3 {
            for (node, _) in &mut self.nodes {
                node.device = if node.kind == NodeKind::Switch { 0xd2f0 } else { node.device };
            }
        }
    }

    /// The switches that are there.
    pub fn switches(&self) -> Vec<usize> {
        (0..self.nodes.len()).filter(|&n| self.is_switch(n) && self.has(n)).collect()
    }

    /// Whether a node is there.
    pub fn has(&self, node: usize) -> bool {
        !self.absent.contains(&node)
    }

    pub fn finish(&self) -> Fabric {
        let mut builder = FabricBuilder::new();
        let mut handles: Vec<Option<Handle>> = vec![None; self.nodes.len()];
        for (n, (node, radix)) in self.nodes.iter().enumerate().filter(|&(n, _)| self.has(n)) {
            handles[n] = Some(builder.add_node(node.clone(), *radix).unwrap());
        }
        for (n, handle) in handles.iter().enumerate() {
            let Some(handle) = *handle else { continue };
            let number = u32::from(!self.is_switch(n));
            let port = builder.port_mut(handle, number).unwrap();
            (port.guid, port.lid) = (self.nodes[n].0.guid, n as u32 + 1);
        }
        for link in &self.links {
            let [Some(a), Some(b)] = link.ends.map(|end| handles[end.0]) else { continue };
            let ends = [(a, link.ends[0].1), (b, link.ends[1].1)];
            builder.connect(ends[0], ends[1]).unwrap_or_else(|e| panic!("{}: {e}", self.spec));
            for ((node, number), rate) in ends.into_iter().zip(link.rates) {
                let port = builder.port_mut(node, number).unwrap();
                (port.rate, port.listed, port.inactive) = (Some(rate), true, !link.is_active);
                let state = if link.is_active { PortState::Active } else { PortState::Initialize };
                builder.detail_mut(node, number).unwrap().state = Some(state);
            }
        }
        for &((node, number), counter, value) in &self.errors {
            builder.count(handles[node].unwrap(), number, counter, value).unwrap();
        }
        builder.finish()
    }

    /// The cables that are there, by number: those between switches, and those of hosts.
    pub fn present(&self, is_trunk: bool) -> Vec<usize> {
        let is_there = |&i: &usize| {
            let ends = self.links[i].ends;
            ends.iter().all(|end| self.has(end.0)) && ends.iter().all(|end| self.is_switch(end.0)) == is_trunk
        };
        (0..self.links.len()).filter(is_there).collect()
    }

    /// The highest port of a switch without a cable.
    pub fn free_port(&self, node: usize) -> Option<u32> {
        let is_used = |port| self.links.iter().any(|link| link.ends.contains(&(node, port)));
        (1..=u32::from(self.nodes[node].1)).rev().find(|&port| !is_used(port))
    }

    /// Nodes as the fabric has them.
    pub fn guid(&self, node: usize) -> lacis_core::fabric::Guid {
        self.nodes[node].0.guid
    }
}

/// Numbers of switches whose names differ from a switch's in their last number only.
pub fn series(machine: &Machine, node: usize) -> Vec<usize> {
    let stem = |n: usize| machine.name(n).rsplit_once('-').map(|(stem, _)| stem.to_string());
    (0..machine.nodes.len()).filter(|&n| machine.is_switch(n) && stem(n) == stem(node)).collect()
}
