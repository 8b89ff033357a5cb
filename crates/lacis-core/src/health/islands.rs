//! Nodes that no cable connects to the rest.
//!
//! Several connected components may be intended: hosts with an adapter on each of several networks. A
//! component is such a *plane* if at least half of its hosts have an adapter in the largest component too,
//! and it is a network (two switches or more) or comparable in size. Any other component is an island.

use super::context::{Context, NO_COMPONENT};
use super::{Code, Finding};
use crate::fabric::NodeId;

/// The connected components of a fabric, and which of them are planes.
pub(super) struct PlaneComponents {
    /// For each component, whether it is a plane rather than an island.
    pub is_plane: Vec<bool>,
}

impl PlaneComponents {
    pub fn of(ctx: &Context) -> Self {
        let mut switches = vec![0usize; ctx.num_components];
        let mut adapters = vec![0usize; ctx.num_components];
        for (id, _) in ctx.fabric.nodes().filter(|(id, _)| ctx.component[id.ix()] != NO_COMPONENT) {
            let component = ctx.component[id.ix()] as usize;
            switches[component] += usize::from(ctx.fabric.is_switch(id));
            adapters[component] += usize::from(ctx.is_adapter(id));
        }
        let Some(main) =
            (0..ctx.num_components).min_by_key(|&p| (std::cmp::Reverse((adapters[p], switches[p])), p))
        else {
            return Self { is_plane: Vec::new() };
        };

        let mut hosts = vec![0usize; ctx.num_components];
        let mut shared = vec![0usize; ctx.num_components];
        for host in &ctx.hosts.hosts {
            let mut on: Vec<usize> = host
                .ends
                .iter()
                .filter_map(|e| ctx.component.get(e.ix()))
                .filter(|&&p| p != NO_COMPONENT)
                .map(|&p| p as usize)
                .collect();
            on.sort_unstable();
            on.dedup();
            for &component in &on {
                hosts[component] += 1;
                shared[component] += usize::from(on.contains(&main));
            }
        }
        let is_plane = (0..ctx.num_components)
            .map(|p| {
                p == main
                    || hosts[p] > 0
                        && 2 * shared[p] >= hosts[p]
                        && (switches[p] > 1 || 2 * adapters[p] >= adapters[main])
            })
            .collect();
        Self { is_plane }
    }

    /// Whether a node is on a plane.
    pub fn has(&self, ctx: &Context, node: NodeId) -> bool {
        let component = ctx.component[node.ix()];
        component != NO_COMPONENT && self.is_plane[component as usize]
    }

    pub fn count(&self) -> usize {
        self.is_plane.iter().filter(|&&p| p).count()
    }
}

pub(super) fn find(ctx: &Context, out: &mut Vec<Finding>) {
    let planes = PlaneComponents::of(ctx);
    let mut members: Vec<Vec<NodeId>> = vec![Vec::new(); ctx.num_components];
    let mut bare: Vec<NodeId> = Vec::new();
    for (id, _) in ctx.fabric.nodes() {
        match ctx.component[id.ix()] {
            NO_COMPONENT => bare.push(id),
            component if !planes.is_plane[component as usize] => members[component as usize].push(id),
            _ => {}
        }
    }
    for nodes in members.into_iter().filter(|m| !m.is_empty()) {
        let switches = nodes.iter().filter(|&&n| ctx.fabric.is_switch(n)).count();
        let ends = nodes.len() - switches;
        let text = match (switches, ends) {
            (1, 0) => "a switch without any cable".to_string(),
            _ => format!(
                "{} and {} that nothing connects to the rest",
                counted(switches, "switch", "switches"),
                counted(ends, "end node", "end nodes")
            ),
        };
        out.push(Finding::new(
            Code::Island,
            nodes.iter().map(|&n| ctx.location(n)).collect(),
            text,
            "Find the cables that led to it; until then its nodes reach nothing outside.",
        ));
    }
    if !bare.is_empty() {
        let text = match bare.len() {
            1 => "an end node without any cable".to_string(),
            n => format!("{n} end nodes without any cable"),
        };
        out.push(Finding::new(
            Code::Island,
            bare.iter().map(|&n| ctx.location(n)).collect(),
            text,
            "Check the cable or port of each, or remove it from the fabric file.",
        ));
    }
}

pub(super) fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
