//! What cables carry, one direction.

use rustc_hash::FxHashMap;

use crate::fabric::{Fabric, PortId};

use super::CutGraph;

/// Rates of the cables of a net [bytes/s].
pub(super) struct Rates {
    bundles: FxHashMap<(u32, u32), f64>,
    /// By switch: all its cables to others.
    degree: Vec<f64>,
    /// By switch: the links of its hosts.
    hosts: Vec<Vec<f64>>,
}

impl Rates {
    /// The rates of all cables between switches and of the given end ports' links, each that of its slower
    /// end; none where neither end of a cable reports a rate.
    pub fn of(fabric: &Fabric, net: &CutGraph, ports: &[PortId]) -> Option<Self> {
        Self::with(fabric, net, ports, |a, b| {
            let ways = [a, b].into_iter().filter_map(|p| fabric.link_rate(p));
            ways.map(crate::fabric::Rate::bytes_per_second).min_by(f64::total_cmp)
        })
    }

    /// The same where every cable carries 1; none where a cable's rate is known.
    pub fn alike(fabric: &Fabric, net: &CutGraph, ports: &[PortId]) -> Option<Self> {
        let is_known = |port: PortId| fabric.port_info(port).rate.is_some();
        Self::with(fabric, net, ports, |a, b| (!is_known(a) && !is_known(b)).then_some(1.0))
    }

    fn with(
        fabric: &Fabric,
        net: &CutGraph,
        ports: &[PortId],
        rate: impl Fn(PortId, PortId) -> Option<f64>,
    ) -> Option<Self> {
        let count = net.num_switches();
        let mut rates =
            Self { bundles: FxHashMap::default(), degree: vec![0.0; count], hosts: vec![Vec::new(); count] };
        for (p, q) in fabric.cables() {
            let (a, b) = (fabric.node_of(p), fabric.node_of(q));
            if a != b && fabric.is_switch(a) && fabric.is_switch(b) {
                let rate = rate(p, q)?;
                for (near, far) in [(a, b), (b, a)] {
                    *rates.bundles.entry((near.0, far.0)).or_default() += rate;
                    rates.degree[near.ix()] += rate;
                }
            }
        }
        for (port, edge_switch) in ports.iter().filter_map(|&p| Some((p, fabric.edge_switch(p)?))) {
            let far = fabric.peer(port)?;
            rates.hosts[edge_switch.ix()].push(rate(port, far)?);
        }
        Some(rates)
    }

    /// All cables between two switches.
    pub fn between(&self, a: u32, b: u32) -> f64 {
        self.bundles.get(&(a, b)).copied().unwrap_or(0.0)
    }

    /// All cables of a switch to others.
    pub fn degree(&self, switch: u32) -> f64 {
        self.degree[switch as usize]
    }

    /// The links of a switch's hosts.
    pub fn hosts(&self, switch: u32) -> &[f64] {
        &self.hosts[switch as usize]
    }
}
