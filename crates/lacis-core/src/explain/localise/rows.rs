//! The links of flows under the tables, and under tables with one entry moved.

use super::super::observed::Observed;
use super::super::residuals::Residuals;
use crate::fabric::{NodeId, PortId};
use crate::model::load::{LinkId, Paths, SINK};

/// Index of a row's first link between switches: after the host links up and down.
pub const BETWEEN: usize = 2;

/// Rows of links by flow.
#[derive(Clone, Copy)]
pub struct FlowRows<'a> {
    pub paths: &'a Paths<'a>,
    pub residuals: &'a Residuals,
}

impl<'a> FlowRows<'a> {
    /// The links of a flow: up, down, then between switches in the order of the path.
    pub fn of(&self, flow: usize) -> &'a [LinkId] {
        let row = &self.residuals.links[flow * self.residuals.width..(flow + 1) * self.residuals.width];
        &row[..row.iter().position(|&link| link == SINK).unwrap_or(row.len())]
    }

    /// The switches that a flow passes, except the last.
    pub fn switches(&self, flow: usize) -> impl Iterator<Item = NodeId> + '_ {
        let row = self.of(flow);
        let between = row.get(BETWEEN..).unwrap_or(&[]);
        let before = between.len().saturating_sub(1);
        let first = if between.is_empty() { None } else { row.first() };
        first.into_iter().chain(&between[..before]).filter_map(|&link| self.ahead(link))
    }

    /// How many links between switches a flow crosses up to a switch of its path; none if that is its last.
    pub fn links_to(&self, flow: usize, switch: NodeId) -> Option<usize> {
        self.switches(flow).position(|node| node == switch)
    }

    /// Collects the links from a port of a switch to a destination under the tables. Returns whether they arrive without
    /// passing the switch a second time.
    pub fn walk(&self, switch: NodeId, to: u32, port: PortId, tail: &mut Vec<LinkId>) -> bool {
        let fabric = self.paths.fabric();
        let first = self.paths.links().leaving(port);
        let next = fabric.peer(port).map(|far| fabric.node_of(far)).filter(|&node| fabric.is_switch(node));
        let Some(next) = next.filter(|_| first != SINK) else { return false };
        tail.clear();
        tail.push(first);
        let arrives = self.paths.walk(next, self.paths.ports()[to as usize], |link| tail.push(link));
        arrives && tail.iter().all(|&link| self.ahead(link) != Some(switch))
    }

    /// The rows of all flows to a destination through a switch if they leave it by this port.
    pub fn moved(
        &self,
        observed: &Observed,
        switch: NodeId,
        to: u32,
        port: PortId,
    ) -> Vec<(usize, Vec<LinkId>)> {
        let mut tail = Vec::new();
        if !self.walk(switch, to, port, &mut tail) {
            return Vec::new();
        }
        let row = |flow: usize| {
            let kept = self.links_to(flow, switch)?;
            let links = self.of(flow)[..BETWEEN + kept].iter().chain(&tail).copied();
            (BETWEEN + kept + tail.len() <= self.residuals.width).then(|| (flow, links.collect()))
        };
        let own = |&flow: &usize| observed.flows[flow].to == to;
        (0..observed.len()).filter(own).filter_map(row).collect()
    }

    fn ahead(&self, link: LinkId) -> Option<NodeId> {
        let fabric = self.paths.fabric();
        fabric.peer(self.paths.links().egress(link)).map(|port| fabric.node_of(port))
    }
}
