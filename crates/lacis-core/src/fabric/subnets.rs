//! Fabrics of several subnets: switches that no cable connects have separate subnet managers,
//! as the rails of some clusters do. Each is routed as its own manager would.
//!
//! An adapter with ports in two subnets is an adapter of both.

use super::switch_graph::SwitchGraph;
use super::{Fabric, NodeId, PortId};

/// Which subnet each switch is in, and each end port by the switch it hangs off.
pub(crate) struct Subnets {
    of_switch: Vec<u32>,
}

impl Subnets {
    /// The subnets of a fabric, numbered by their first switches.
    pub(crate) fn of(fabric: &Fabric) -> Self {
        Self { of_switch: SwitchGraph::of(fabric).components() }
    }

    /// The subnet of a switch.
    pub(crate) fn of_switch(&self, switch: NodeId) -> u32 {
        self.of_switch[switch.ix()]
    }

    /// The subnet that a port is in; none for an end port that hangs off no switch.
    pub(crate) fn of_port(&self, fabric: &Fabric, port: PortId) -> Option<u32> {
        fabric.edge_switch(port).map(|edge_switch| self.of_switch(edge_switch))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{generate, shuffle_guids, without};
    use crate::routing::opensm::ftree;
    use crate::routing::{Options, Refused, Sweep};
    use crate::sm::Lft;
    use crate::sm::lids::{LidOptions, Lids};

    /// Routes a fabric with fresh LIDs.
    fn routed(fabric: &Fabric) -> Result<(Lids, Lft), Refused> {
        let sm = Lids::default_sm(fabric).unwrap();
        let lids = Lids::assign(fabric, sm, &LidOptions::fresh()).unwrap();
        let lft = ftree::route(&Sweep::first(fabric, &lids, &Options::default()))?;
        Ok((lids, lft))
    }

    #[test]
    fn two_rails_are_routed_as_each_would_be_alone() {
        let both = shuffle_guids(&generate("fat-tree:4,3:rails=2").unwrap(), 7);
        let (lids, lft) = routed(&both).unwrap();
        let subnets = Subnets::of(&both);
        assert_eq!(subnets.of_switch.iter().max(), Some(&1));
        for rail in 0..2 {
            let of_rail = |n: NodeId| {
                let port = both.main_port(n);
                subnets.of_port(&both, port) == Some(rail)
            };
            let alone = both.filtered(of_rail, |_, _| true);
            let (own_lids, own) = routed(&alone).unwrap();
            // The tables agree port GUID by port GUID; the LIDs are others.
            let switches: Vec<NodeId> = both.switches().filter(|&s| of_rail(s)).collect();
            assert_eq!(switches.len(), alone.num_switches());
            let mut compared = 0;
            for (lid, port) in own_lids.assigned() {
                let guid = alone.end_port_guid(port);
                let twin =
                    both.end_ports_in_opensm_order().into_iter().find(|&p| both.end_port_guid(p) == guid);
                for (row, &switch) in (0..).map(NodeId).zip(&switches) {
                    assert_eq!(own.get(row, lid), lft.get(switch, lids.base(twin.unwrap())));
                    compared += 1;
                }
            }
            assert_eq!(compared, 20 * (20 + 16)); // 20 switches; their LIDs and those of 16 nodes
        }
    }

    #[test]
    fn a_switch_cut_off_with_its_nodes_does_not_stop_the_rest() {
        let cut = without(&generate("fat-tree:4,2").unwrap(), &["leaf-01--spine-*"]).unwrap();
        let (lids, lft) = routed(&cut).unwrap();
        let (leaf, port) = (NodeId(0), cut.port(NodeId(0), 1).unwrap());
        let node = cut.peer(port).unwrap();
        assert_eq!(lft.get(leaf, lids.base(node)), 1);
        assert_eq!(lft.get(NodeId(1), lids.base(node)), crate::sm::NO_ENTRY);
        assert_eq!(lft.get(NodeId(1), lids.of_switch(&cut, NodeId(1))), 0);
    }

    #[test]
    fn a_subnet_that_is_refused_is_named() {
        let lone =
            without(&generate("fat-tree:4,2:rails=2").unwrap(), &["rail2-leaf-01--rail2-spine-01"]).unwrap();
        let refused = routed(&lone).unwrap_err();
        assert_eq!(refused.subnet.as_deref(), Some("rail2-leaf-01"));
        assert!(refused.to_string().ends_with("(in the subnet of switch \"rail2-leaf-01\")"), "{refused}");
    }
}
