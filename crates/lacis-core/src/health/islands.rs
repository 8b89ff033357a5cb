//! Nodes that no cable connects to the rest.
//!
//! Several connected components may be intended: hosts with an adapter on each of several networks. A
//! component is such a *plane* if at least half of its hosts have a port in the largest component too,
//! and it is a network (two switches or more) or comparable in size. Any other component is an island.

use super::Finding;
use super::context::{Context, NO_COMPONENT};
use super::facts::{Fact, Island, UncabledEndNodes};
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
        for (id, _) in ctx.fabric.nodes() {
            for component in ctx.components_of(id) {
                switches[component as usize] += usize::from(ctx.fabric.is_switch(id));
                adapters[component as usize] += usize::from(ctx.is_adapter(id));
            }
        }
        let Some(main) =
            (0..ctx.num_components).min_by_key(|&p| (std::cmp::Reverse((adapters[p], switches[p])), p))
        else {
            return Self { is_plane: Vec::new() };
        };

        let mut hosts = vec![0usize; ctx.num_components];
        let mut shared = vec![0usize; ctx.num_components];
        for ends in ctx.hosts.each() {
            let known = ends.iter().filter(|end| end.ix() < ctx.component.len());
            let mut on: Vec<usize> =
                known.flat_map(|&end| ctx.components_of(end)).map(|c| c as usize).collect();
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

    /// Whether a node is on a plane, by any of its ports.
    pub fn has(&self, ctx: &Context, node: NodeId) -> bool {
        ctx.components_of(node).iter().any(|&component| self.is_plane[component as usize])
    }

    pub fn count(&self) -> usize {
        self.is_plane.iter().filter(|&&p| p).count()
    }
}

pub(super) fn report_islands(ctx: &Context, out: &mut Vec<Finding>) {
    let planes = PlaneComponents::of(ctx);
    let mut members: Vec<Vec<NodeId>> = vec![Vec::new(); ctx.num_components];
    let mut bare: Vec<NodeId> = Vec::new();
    for (id, _) in ctx.fabric.nodes() {
        match ctx.component[id.ix()] {
            NO_COMPONENT => bare.push(id),
            component if !planes.has(ctx, id) => members[component as usize].push(id),
            _ => {}
        }
    }
    for nodes in members.into_iter().filter(|m| !m.is_empty()) {
        let is_cabled = |&n: &NodeId| ctx.fabric.ports_of(n).any(|p| ctx.fabric.peer(p).is_some());
        let island = Island {
            switches: nodes.iter().filter(|&&n| ctx.fabric.is_switch(n)).count(),
            cabled: nodes.iter().any(is_cabled),
            nodes: nodes.iter().map(|&n| ctx.location(n)).collect(),
        };
        out.push(Fact::Island(island).into());
    }
    if !bare.is_empty() {
        let nodes = bare.iter().map(|&n| ctx.location(n)).collect();
        out.push(Fact::EndNodesUncabled(UncabledEndNodes { nodes }).into());
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Sketch;
    use super::super::{Code, Hosts, examine};
    use crate::fabric::{Fabric, Guid, Node, NodeKind};

    /// Hosts with an adapter of two ports each.
    fn dual_port(s: &mut Sketch, names: &[&str]) -> Vec<super::super::testing::End> {
        let node = |(n, name): (usize, &&str)| Node {
            kind: NodeKind::Adapter,
            guid: Guid(0x9000 + n as u64),
            system_guid: Guid(0x9000 + n as u64),
            id: format!("H-{n}").into(),
            description: (*name).into(),
            vendor: 0x2c9,
            device: 0,
            enhanced_port0: false,
            chassis: None,
            declared: None,
        };
        names.iter().enumerate().map(|it| s.builder().add_node(node(it), 2).unwrap()).collect()
    }

    fn planes_and_islands(fabric: &Fabric) -> (usize, usize) {
        let found = examine(fabric, &Hosts::of(fabric, None));
        let islands = found.findings.iter().filter(|f| f.code == Code::Island).count();
        (found.summary.planes, islands)
    }

    #[test]
    fn the_two_ports_of_an_adapter_may_be_on_two_planes() {
        for names in [["n1 mlx5_0", "n2 mlx5_0", "n3 mlx5_0"], ["MT4129 ConnectX7"; 3]] {
            let mut s = Sketch::new();
            let hosts = dual_port(&mut s, &names);
            for plane in 1..=2 {
                let (leaf, spine) = (s.switch("leaf", 8), s.switch("spine", 8));
                s.cable((leaf, 8), (spine, 1));
                for (port, &host) in (1..).zip(&hosts) {
                    s.cable((host, plane), (leaf, port));
                }
            }
            assert_eq!(planes_and_islands(&s.finish()), (2, 0));
        }
    }

    #[test]
    fn two_cables_between_two_hosts_are_two_planes() {
        let mut s = Sketch::new();
        let hosts = dual_port(&mut s, &["n1 mlx5_0", "n2 mlx5_0"]);
        for port in 1..=2 {
            s.cable((hosts[0], port), (hosts[1], port));
        }
        assert_eq!(planes_and_islands(&s.finish()), (2, 0));
    }

    #[test]
    fn a_switch_that_only_second_ports_lead_to_has_cables() {
        let mut s = Sketch::new();
        let hosts = dual_port(&mut s, &["n1 mlx5_0", "n2 mlx5_0", "n3 mlx5_0"]);
        let (leaf, other) = (s.switch("leaf", 8), s.switch("other", 8));
        for (port, &host) in (1..).zip(&hosts) {
            s.cable((host, 1), (leaf, port));
        }
        s.cable((hosts[0], 2), (other, 1));
        let fabric = s.finish();
        let found = examine(&fabric, &Hosts::of(&fabric, None)).findings;
        let texts: Vec<_> = found.iter().filter(|f| f.code == Code::Island).map(|f| f.words().text).collect();
        assert_eq!(texts, ["1 switch that nothing connects to the rest"]);
    }
}
