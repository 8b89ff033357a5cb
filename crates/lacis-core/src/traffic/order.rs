//! The orders in which hosts are counted, which decide what a shift or a rank file means.

use std::cmp::Reverse;
use std::str::FromStr;

use rustc_hash::FxHashMap;

use crate::fabric::levels::Levels;
use crate::fabric::{Fabric, NodeId, PortId};
use crate::health::names::natural;
use crate::lids::Lids;

use super::{HostPorts, TrafficError};

/// How to order hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// By name, numbers inside names counted as numbers: `node9` before `node10`.
    Name,
    /// By the LID of the first port.
    Lid,
    /// Leaf by leaf, neighbouring leaves together, on each leaf by port number.
    Topology,
    /// As a file lists them; hosts not listed take no part. What follows `file:`.
    File(String),
}

impl FromStr for Order {
    type Err = TrafficError;

    fn from_str(text: &str) -> Result<Self, TrafficError> {
        match (text, text.split_once(':')) {
            ("name", _) => Ok(Self::Name),
            ("lid", _) => Ok(Self::Lid),
            ("topology", _) => Ok(Self::Topology),
            (_, Some(("file", path))) if !path.is_empty() => Ok(Self::File(path.into())),
            _ => Err(TrafficError::UnknownOrder { text: text.into() }),
        }
    }
}

impl Order {
    /// Sorts hosts by this order. Ties are broken by name, then by port. `leaves` is the order of
    /// the leaf switches for [`Order::Topology`]; [`leaf_order`] where none. A file's order is not
    /// a matter of sorting: see [`super::listed_hosts`].
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
            Self::Topology => {
                let ports: Vec<PortId> = hosts.iter().filter_map(first).collect();
                let order = leaves.map_or_else(|| leaf_order(fabric, &ports), <[_]>::to_vec);
                let place: FxHashMap<NodeId, usize> = order.into_iter().zip(0..).collect();
                let key = |h: &HostPorts| {
                    first(h).map(|p| {
                        let home = fabric.home(p);
                        let at = home.and_then(|s| place.get(&s).copied()).unwrap_or(usize::MAX);
                        (at, home, fabric.peer(p))
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

/// The switches that the given ports hang off, neighbours together. In a tree they come as the
/// switches above have them on their ports: the leaves under the same spines first, then pod after
/// pod; where spines disagree the middle one counts, so that a leaf without some of its cables keeps
/// its place. Elsewhere they come breadth first from the home of the first port, a switch's ports in
/// order. Islands follow each other in the order of the ports.
pub fn leaf_order(fabric: &Fabric, ports: &[PortId]) -> Vec<NodeId> {
    let homes: Vec<NodeId> = ports.iter().filter_map(|&p| fabric.home(p)).collect();
    let paths = Levels::of(fabric).map(|levels| paths(fabric, &levels));
    let mut is_home = vec![false; fabric.num_switches()];
    for home in &homes {
        is_home[home.ix()] = true;
    }
    let mut seen = vec![false; fabric.num_switches()];
    let mut order = Vec::new();
    for &start in &homes {
        if std::mem::replace(&mut seen[start.ix()], true) {
            continue;
        }
        let first = order.len();
        order.push(start);
        let mut next = first;
        while let Some(&switch) = order.get(next) {
            next += 1;
            for (_, peer) in cables(fabric, switch) {
                if !std::mem::replace(&mut seen[peer.ix()], true) {
                    order.push(peer);
                }
            }
        }
        if let Some(paths) = &paths {
            order[first..].sort_by_key(|s| &paths[s.ix()]);
        }
    }
    order.retain(|s| is_home[s.ix()]);
    order
}

/// By switch: the ports that lead down to it from the top, the middle one of several ways.
fn paths(fabric: &Fabric, levels: &Levels) -> Vec<Vec<u8>> {
    let level = |s: NodeId| levels.level(s).unwrap_or(0);
    let mut descending: Vec<NodeId> = fabric.switches().collect();
    descending.sort_by_key(|&s| Reverse(level(s)));
    let mut paths: Vec<Vec<u8>> = vec![Vec::new(); fabric.num_switches()];
    for s in descending {
        let above = cables(fabric, s).filter(|&(_, up)| level(up) == level(s) + 1);
        let mut above: Vec<(NodeId, u8)> = above.map(|(far, up)| (up, fabric.number_of(far))).collect();
        above.sort_unstable();
        above.dedup_by_key(|&mut (up, _)| up);
        let mut steps: Vec<(&Vec<u8>, u8)> =
            above.into_iter().map(|(up, port)| (&paths[up.ix()], port)).collect();
        steps.sort_unstable();
        if let Some(&(path, port)) = steps.get(steps.len() / 2) {
            paths[s.ix()] = path.iter().copied().chain([port]).collect();
        }
    }
    paths
}

/// The cables from a switch to switches: the far port and its switch.
fn cables(fabric: &Fabric, switch: NodeId) -> impl Iterator<Item = (PortId, NodeId)> {
    let far = fabric.ports_of(switch).filter_map(|p| fabric.peer(p)).map(|q| (q, fabric.node_of(q)));
    far.filter(|&(_, n)| fabric.is_switch(n))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::Population;
    use crate::generate::{edit, generate};

    #[test]
    fn orders_read_by_name() {
        assert_eq!("file:x".parse(), Ok(Order::File("x".into())));
        assert_eq!("topology".parse(), Ok(Order::Topology));
        assert!("file:".parse::<Order>().is_err());
        assert!("rank".parse::<Order>().is_err());
    }

    #[test]
    fn leaves_without_some_cables_keep_their_places() {
        let fabric = generate("fat-tree:8,3").unwrap();
        let homes = |fabric: &Fabric| leaf_order(fabric, &fabric.end_ports(Population::Hosts));
        // Generated leaves and hosts are numbered pod by pod.
        let whole = homes(&fabric);
        assert!(whole.is_sorted());
        for seed in 1..6 {
            let cut = edit(&fabric, &[&format!("random-cables=5%,seed={seed}")]).unwrap();
            assert_eq!(homes(&cut), whole, "{seed}");
        }
    }
}
