//! Fabrics of several subnets: switches that no cable connects have subnet managers of their own,
//! as the rails of some clusters do. Each is routed as its own manager would.
//!
//! An adapter with ports in two subnets is an adapter of both.

use super::graph::SwitchGraph;
use super::{Lft, Options, Refused, minhop};
use crate::fabric::{Fabric, NodeId, PortId};
use crate::lids::Lids;

/// Which subnet each switch is in, and each end port by the switch it hangs off.
pub(super) struct Subnets {
    of_switch: Vec<u32>,
    count: u32,
}

impl Subnets {
    /// The subnets of a fabric, numbered by their first switches.
    pub(super) fn of(fabric: &Fabric) -> Self {
        let of_switch = SwitchGraph::of(fabric).components();
        let count = of_switch.iter().max().map_or(0, |&last| last + 1);
        Self { of_switch, count }
    }

    /// The subnet of a switch.
    pub(super) fn of_switch(&self, switch: NodeId) -> u32 {
        self.of_switch[switch.ix()]
    }

    /// The subnet that a port takes part in; none for an end port that hangs off no switch.
    pub(super) fn of_port(&self, fabric: &Fabric, port: PortId) -> Option<u32> {
        fabric.home(port).map(|home| self.of_switch(home))
    }
}

/// Routes each subnet by itself and puts the tables together. A switch alone is beyond any engine
/// but `minhop`, and gets its tables from that.
///
/// # Errors
/// When the engine refuses one of the subnets.
pub(super) fn each(
    fabric: &Fabric,
    lids: &Lids,
    options: &Options,
    engine: impl Fn(&Fabric, &Lids, &Options) -> Result<Lft, Refused>,
) -> Result<Lft, Refused> {
    let subnets = Subnets::of(fabric);
    if subnets.count <= 1 {
        return engine(fabric, lids, options);
    }
    let mut lft = Lft::new(fabric.num_switches(), lids.max_lid());
    for subnet in 0..subnets.count {
        let part = Part::of(fabric, lids, &subnets, subnet);
        let tables = match part.switches[..] {
            [] => continue,
            [_] => minhop::route(&part.fabric, &part.lids, options),
            [first, ..] => engine(&part.fabric, &part.lids, options).map_err(|refused| {
                let name = &fabric.node(first).description;
                Refused::new(format!("{} (in the subnet of switch \"{name}\")", refused.reason))
            })?,
        };
        for (row, &switch) in (0..).zip(&part.switches) {
            lft.row_mut(switch)[..tables.stride()].copy_from_slice(tables.row(NodeId(row)));
        }
    }
    Ok(lft)
}

/// One subnet as a fabric of its own, with the LIDs it has in the whole.
struct Part {
    fabric: Fabric,
    lids: Lids,
    /// Its switches, by their place in the whole.
    switches: Vec<NodeId>,
}

impl Part {
    fn of(whole: &Fabric, whole_lids: &Lids, subnets: &Subnets, subnet: u32) -> Self {
        let inside = |port: PortId| subnets.of_port(whole, port) == Some(subnet);
        let keep = |node: NodeId| {
            if whole.is_switch(node) {
                subnets.of_switch(node) == subnet
            } else {
                whole.ports_of(node).any(inside)
            }
        };
        let fabric = whole.filtered(keep, |a, b| inside(a) && inside(b));
        let mut lids = Lids::none(&fabric);
        let kept = whole.nodes().map(|(node, _)| node).filter(|&node| keep(node));
        for (new, old) in (0..).map(NodeId).zip(kept) {
            for port in std::iter::once(whole.port0(old)).chain(whole.ports_of(old)) {
                let twin = fabric.port(new, whole.number_of(port));
                if let Some(twin) = twin.filter(|_| inside(port) && whole_lids.base(port) != 0) {
                    lids.set(twin, whole_lids.base(port), whole_lids.lmc(port));
                }
            }
        }
        let switches = whole.switches().filter(|&s| keep(s)).collect();
        Self { fabric, lids, switches }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{generate, shuffle_guids, without};
    use crate::routing::ftree;

    /// Routes a fabric with fresh LIDs.
    fn routed(fabric: &Fabric) -> Result<(Lids, Lft), Refused> {
        let sm = Lids::default_sm(fabric).unwrap();
        let lids = Lids::assign(fabric, sm, false).unwrap();
        let lft = each(fabric, &lids, &Options::default(), ftree::route)?;
        Ok((lids, lft))
    }

    #[test]
    fn two_rails_are_routed_as_each_would_be_alone() {
        let both = shuffle_guids(&generate("fat-tree:4,3:rails=2").unwrap(), 7);
        let (lids, lft) = routed(&both).unwrap();
        let subnets = Subnets::of(&both);
        assert_eq!(subnets.count, 2);
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
        assert_eq!(lft.get(NodeId(1), lids.base(node)), crate::routing::NO_ENTRY);
        assert_eq!(lft.get(NodeId(1), lids.of_switch(&cut, NodeId(1))), 0);
    }

    #[test]
    fn a_subnet_that_is_refused_is_named() {
        let lone =
            without(&generate("fat-tree:4,2:rails=2").unwrap(), &["rail2-leaf-01--rail2-spine-01"]).unwrap();
        let refused = routed(&lone).unwrap_err();
        assert!(
            refused.reason.ends_with("(in the subnet of switch \"rail2-leaf-01\")"),
            "{}",
            refused.reason
        );
    }
}
