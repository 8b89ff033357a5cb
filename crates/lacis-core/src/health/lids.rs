//! Ports without a LID in a subnet whose manager has given LIDs.
//!
//! A manager gives a LID to each port of an end node that has a link, and to each switch. Some sources of fabrics say no state
//! of a port, and a LID of 0 is then all that shows that the manager has left it out. A source that knows the LIDs of a few
//! ports only, as tables do that name some destinations, shows nothing of the others.

use super::Finding;
use super::context::{Context, NO_COMPONENT};
use super::facts::{Fact, MissingLids};
use super::ports::is_inactive;
use crate::fabric::PortId;

pub(super) fn report_lids(ctx: &Context, out: &mut Vec<Finding>) {
    let components =
        ctx.component.iter().filter(|&&c| c != NO_COMPONENT).max().map_or(0, |&c| c as usize + 1);
    for of_switches in [false, true] {
        let mut missing: Vec<Vec<PortId>> = vec![Vec::new(); components];
        let mut with_lid = vec![0_usize; components];
        for (component, port) in ports(ctx, of_switches) {
            if ctx.fabric.port_info(port).lid != 0 {
                with_lid[component] += 1;
            } else {
                missing[component].push(port);
            }
        }
        for (mut ports, with_lid) in missing.into_iter().zip(with_lid) {
            let is_known = with_lid > ports.len();
            // A port that is not active has no LID for that reason, which is a finding already.
            ports.retain(|&port| !is_inactive(ctx, port));
            if is_known && !ports.is_empty() {
                let ports = ports.iter().map(|&port| ctx.port_location(port)).collect();
                out.push(Fact::LidsMissing(MissingLids { ports, with_lid }).into());
            }
        }
    }
}

/// Ports to which a manager gives a LID, each with its connected component: port 0 of switches, or cabled ports of end nodes.
fn ports(ctx: &Context, of_switches: bool) -> impl Iterator<Item = (usize, PortId)> {
    let fabric = ctx.fabric;
    let of_node = move |node| -> Vec<PortId> {
        if of_switches {
            return vec![fabric.port0(node)];
        }
        fabric.ports_of(node).filter(|&port| fabric.edge_switch(port).is_some()).collect()
    };
    let nodes =
        fabric.nodes().map(|(node, _)| node).filter(move |&node| fabric.is_switch(node) == of_switches);
    let ports = nodes.flat_map(of_node).map(move |port| {
        let switch = fabric.edge_switch(port).unwrap_or_else(|| fabric.node_of(port));
        (ctx.component[switch.ix()], port)
    });
    ports
        .filter(|&(component, _)| component != NO_COMPONENT)
        .map(|(component, port)| (component as usize, port))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{End, Sketch};
    use super::super::{Hosts, findings};
    use crate::fabric::PortState;

    /// A spine, two leaves, three hosts on each: all have LIDs but these nodes, of which one port may have a state.
    fn found(without: &[usize], state: Option<PortState>) -> Vec<String> {
        let mut s = Sketch::new();
        let spine = s.switch("spine-1", 8);
        let leaves = [1, 2].map(|n| s.switch(&format!("leaf-{n}"), 8));
        let hosts: Vec<End> = (1..=6).map(|n| s.adapter(&format!("n{n} HCA-1"))).collect();
        for (n, &host) in (0..).zip(&hosts) {
            s.cable((host, 1), (leaves[n as usize / 3], n % 3 + 1));
        }
        for (n, &leaf) in (1..).zip(&leaves) {
            s.cable((leaf, 8), (spine, n));
        }
        let nodes: Vec<(End, u32)> =
            hosts.iter().map(|&host| (host, 1)).chain(leaves.map(|leaf| (leaf, 0))).collect();
        for &node in without {
            let (node, port) = nodes[node];
            s.builder().port_mut(node, port).unwrap().lid = 0;
            if let Some(state) = state {
                s.builder().detail_mut(node, port).unwrap().state = Some(state);
            }
        }
        let fabric = s.finish();
        let found = findings(&fabric, &Hosts::of(&fabric, None));
        found
            .iter()
            .filter(|it| it.code.name() == "LID_MISSING")
            .map(|it| {
                let words = it.words();
                format!("{}: {}", words.at, words.text)
            })
            .collect()
    }

    #[test]
    fn a_port_that_the_manager_left_out_is_found() {
        assert_eq!(found(&[], None), [""; 0]);
        assert_eq!(found(&[4], None), ["n5 HCA-1[1]: no LID, where 5 ports like it of its subnet have one"]);
        assert_eq!(found(&[6], None), ["leaf-1[0]: no LID, where 2 ports like it of its subnet have one"]);
        let two =
            ["n1 HCA-1[1], n2 HCA-1[1]: 2 ports have no LID, where 4 such ports of their subnet have one"];
        assert_eq!(found(&[0, 1], None), two);
    }

    #[test]
    fn a_source_that_knows_few_lids_shows_nothing_of_the_others() {
        assert_eq!(found(&[0, 1, 2], None), [""; 0]);
        assert_eq!(found(&[0, 1, 2, 3, 4, 5, 6, 7], None), [""; 0]);
    }

    #[test]
    fn a_port_that_is_not_active_is_a_finding_of_its_own() {
        assert_eq!(found(&[4], Some(PortState::Initialize)), [""; 0]);
        assert_eq!(found(&[4], Some(PortState::Active)).len(), 1);
    }
}
