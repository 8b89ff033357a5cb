//! The orders in which hosts are counted, which decide what a shift or a rank file means.

use std::str::FromStr;

use rustc_hash::FxHashMap;

use super::{HostPorts, RanksError};
use crate::fabric::{Fabric, NodeId, PortId, leaf_order};
use crate::natural::natural;
use crate::sm::lids::Lids;

/// How to order hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// By name, numbers inside names counted as numbers: `node9` before `node10`.
    Name,
    /// By the LID of the first port.
    Lid,
    /// Leaf by leaf, neighbouring leaves together, on each leaf by port number.
    Topology,
    /// As eventree numbers hosts, so that shifts suit its tables: leaf by leaf, too.
    Eventree,
    /// The hosts of a whole tree so that exchanges of hosts whose numbers differ in some bits suit eventree's tables, and shifts, too.
    Exchanges,
    /// As a file lists them; hosts not listed take no part. What follows `file:`.
    File(String),
}

impl FromStr for Order {
    type Err = RanksError;

    fn from_str(text: &str) -> Result<Self, RanksError> {
        match (text, text.split_once(':')) {
            ("name", _) => Ok(Self::Name),
            ("lid", _) => Ok(Self::Lid),
            ("topology", _) => Ok(Self::Topology),
            ("eventree", _) => Ok(Self::Eventree),
            ("eventree-exchanges", _) => Ok(Self::Exchanges),
            (_, Some(("file", path))) if !path.is_empty() => Ok(Self::File(path.into())),
            _ => Err(RanksError::UnknownOrder { text: text.into() }),
        }
    }
}

impl Order {
    /// Sorts hosts by this order. Ties are broken by name, then by port. `leaves` is the order of
    /// the leaf switches for [`Order::Topology`], [`Order::Eventree`] and [`Order::Exchanges`], which is that of eventree before
    /// [`super::participants`] makes another of it; [`leaf_order`] where none. [`Order::File`] sorts
    /// nothing: see [`super::listed_hosts`].
    pub fn sort(&self, fabric: &Fabric, lids: &Lids, hosts: &mut [HostPorts], leaves: Option<&[NodeId]>) {
        let first = |h: &HostPorts| h.ports.iter().flatten().next().copied();
        let by_name =
            |a: &HostPorts, b: &HostPorts| natural(&a.name, &b.name).then_with(|| first(a).cmp(&first(b)));
        match self {
            Self::File(_) => {}
            Self::Name => hosts.sort_by(by_name),
            Self::Lid => {
                let lid = |h: &HostPorts| first(h).map_or(u32::MAX, |p| lids.base(p));
                hosts.sort_by(|a, b| lid(a).cmp(&lid(b)).then_with(|| by_name(a, b)));
            }
            Self::Topology | Self::Eventree | Self::Exchanges => {
                let ports: Vec<PortId> = hosts.iter().filter_map(first).collect();
                let order = leaves.map_or_else(|| leaf_order(fabric, &ports), <[_]>::to_vec);
                let index: FxHashMap<NodeId, usize> = order.into_iter().zip(0..).collect();
                let key = |h: &HostPorts| {
                    first(h).map(|p| {
                        let edge_switch = fabric.edge_switch(p);
                        let at = edge_switch.and_then(|s| index.get(&s).copied()).unwrap_or(usize::MAX);
                        (at, edge_switch, fabric.peer(p))
                    })
                };
                hosts.sort_by(|a, b| {
                    let (x, y) = (key(a), key(b));
                    x.is_none().cmp(&y.is_none()).then(x.cmp(&y)).then_with(|| by_name(a, b))
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_read_by_name() {
        assert_eq!("file:x".parse(), Ok(Order::File("x".into())));
        assert_eq!("topology".parse(), Ok(Order::Topology));
        assert_eq!("eventree".parse(), Ok(Order::Eventree));
        assert_eq!("eventree-exchanges".parse(), Ok(Order::Exchanges));
        assert!("file:".parse::<Order>().is_err());
        assert!("rank".parse::<Order>().is_err());
    }
}
