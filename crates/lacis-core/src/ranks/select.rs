//! From the hosts of a fabric to those that take part, on chosen rails.

use std::convert::Infallible;
use std::str::FromStr;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{HostPorts, Order, Participants, RanksError, exchanges, listed_hosts};
use crate::fabric::{Fabric, Guid, Leaves, NodeId, PortId};
use crate::health::{Host, Hosts};
use crate::sm::lids::Lids;

/// The rails that traffic uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rails {
    /// All: each rail of a host sends to the same rail of its partner.
    All,
    /// Every adapter port counts as a separate host.
    Each,
    /// One rail by number, from 1.
    One(usize),
    /// The adapters with one label, such as `HCA-1`.
    Label(String),
}

impl FromStr for Rails {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text {
            "all" => Self::All,
            "each" => Self::Each,
            _ => text.parse().map_or_else(|_| Self::Label(text.into()), Self::One),
        })
    }
}

/// The hosts with a cabled port on the chosen rails, in natural order of their names. An adapter whose host nothing
/// shows takes part by itself, as do adapters of a host beyond the number of rails. An adapter with several cabled ports has
/// a rail for each; one of several planes has a port on each of them, beside each other. Names that
/// occur more than once get the GUID of the first port's node appended.
///
/// # Errors
/// When one rail is asked for and no adapter is on it. Finding no host is no error.
pub fn select(fabric: &Fabric, hosts: &Hosts, rails: &Rails) -> Result<Vec<HostPorts>, RanksError> {
    let slots = RailSlots::of(fabric, hosts);
    let found: Vec<HostPorts> = match rails {
        Rails::Each => slots.adapters().flat_map(|n| slots.alone(n)).collect(),
        Rails::Label(label) => {
            let labelled = slots.adapters().filter(|&n| hosts.label(n) == label);
            labelled.flat_map(|n| slots.alone(n)).collect()
        }
        Rails::All | Rails::One(_) => {
            let mut found: Vec<HostPorts> = hosts.hosts.iter().flat_map(|host| slots.host(host)).collect();
            found.extend(hosts.unknown.iter().map(|&n| slots.unknown(n)));
            if let Rails::One(r) = *rails {
                for host in &mut found {
                    let own = r.checked_sub(1).and_then(|rail| host.ports.chunks(slots.planes).nth(rail));
                    host.ports = own.map_or_else(|| vec![None; slots.planes], <[_]>::to_vec);
                }
            }
            found
        }
    };
    let mut found: Vec<_> = found.into_iter().filter(|h| h.ports.iter().any(Option::is_some)).collect();
    let named = match rails {
        Rails::All | Rails::Each => None,
        Rails::One(r) => Some(r.to_string()),
        Rails::Label(label) => Some(label.clone()),
    };
    if let Some(text) = named.filter(|_| found.is_empty()) {
        return Err(RanksError::NoRail { text, rails: slots.count() / slots.planes });
    }
    make_names_unique(fabric, &mut found);
    Ok(found)
}

/// Where the ports of hosts stand in the list of each: rail by rail, port by port of an adapter, plane by plane.
struct RailSlots<'a> {
    fabric: &'a Fabric,
    hosts: &'a Hosts,
    ports: usize,
    planes: usize,
}

impl<'a> RailSlots<'a> {
    fn of(fabric: &'a Fabric, hosts: &'a Hosts) -> Self {
        Self { fabric, hosts, ports: hosts.ports_per_adapter(), planes: hosts.planes_per_adapter() }
    }

    fn count(&self) -> usize {
        self.hosts.num_rails().max(1) * self.ports * self.planes
    }

    /// Adapters of hosts and those of unknown hosts; of planes of an adapter the first.
    fn adapters(&self) -> impl Iterator<Item = NodeId> {
        let ends = self.hosts.hosts.iter().flat_map(|h| &h.ends).chain(&self.hosts.unknown).copied();
        ends.filter(|&n| self.hosts.plane(n) == 0)
    }

    fn cabled(&self, n: NodeId) -> impl Iterator<Item = PortId> {
        self.fabric.ports_of(n).filter(|&p| self.fabric.peer(p).is_some())
    }

    fn slot(&self, rail: usize, port: usize, n: NodeId) -> usize {
        (rail * self.ports + self.hosts.first_port(n) + port) * self.planes + self.hosts.plane(n)
    }

    /// Each port of an adapter as a host, with all planes of it.
    fn alone(&self, n: NodeId) -> Vec<HostPorts> {
        let name = self.hosts.name(self.fabric, n);
        let planes = self.hosts.planes_of(n);
        if planes.len() > 1 {
            let mut ports = vec![None; self.planes];
            for &plane in planes {
                ports[self.hosts.plane(plane)] = self.cabled(plane).next();
            }
            return vec![HostPorts { name, ports }];
        }
        let port = |p| {
            let mut ports = vec![None; self.planes];
            ports[0] = Some(p);
            HostPorts { name: name.clone(), ports }
        };
        self.cabled(n).map(port).collect()
    }

    /// A host, and adapters of it for which it has no rail left.
    fn host(&self, host: &Host) -> Vec<HostPorts> {
        let mut ports: Vec<Option<PortId>> = vec![None; self.count()];
        let mut waiting = Vec::new();
        for &n in &host.ends {
            for (i, p) in self.cabled(n).enumerate() {
                match self.hosts.rail(n).map(|rail| self.slot(rail, i, n)) {
                    Some(slot) if ports[slot].is_none() => ports[slot] = Some(p),
                    rail => waiting.push((n, i, p, rail)),
                }
            }
        }
        let mut apart = Vec::new();
        for (n, i, p, rail) in waiting {
            // On another rail's leaf, or on one of no rail: its own number, or whatever the host has free.
            let own = Some(self.slot(self.hosts.number(n), i, n)).filter(|&slot| slot < ports.len());
            let free = |slot: &usize| ports[*slot].is_none();
            let any = || {
                (0..self.hosts.num_rails()).map(|r| self.slot(r, i, n)).find(|slot| ports[*slot].is_none())
            };
            match own.filter(free).or_else(any) {
                Some(slot) => ports[slot] = Some(p),
                None => apart.push(lone(self.hosts.name(self.fabric, n), p, rail, self.count())),
            }
        }
        let whole = HostPorts { name: host.name.to_string(), ports };
        std::iter::once(whole).chain(apart).collect()
    }

    /// An adapter whose host nothing shows.
    fn unknown(&self, n: NodeId) -> HostPorts {
        let mut ports: Vec<Option<PortId>> = vec![None; self.count()];
        for (i, p) in self.cabled(n).enumerate() {
            let slot = self.slot(self.hosts.rail(n).unwrap_or(0), i, n);
            if let Some(place) = ports.get_mut(slot) {
                *place = Some(p);
            }
        }
        HostPorts { name: self.hosts.name(self.fabric, n), ports }
    }
}

fn make_names_unique(fabric: &Fabric, hosts: &mut [HostPorts]) {
    let mut count: FxHashMap<String, usize> = FxHashMap::default();
    for host in hosts.iter() {
        *count.entry(host.name.clone()).or_default() += 1;
    }
    for host in hosts.iter_mut().filter(|h| count[&h.name] > 1) {
        if let Some(port) = host.ports.iter().flatten().next() {
            host.name = format!("{} {}", host.name, fabric.node(fabric.node_of(*port)).guid);
        }
    }
}

/// What takes part, and in which order. Hosts are listed by name or by the GUID of a port, each with its line.
#[derive(Clone, Copy, Debug)]
pub struct Selection<'a> {
    /// The rails that are used.
    pub rails: &'a Rails,
    /// How hosts are ordered.
    pub order: &'a Order,
    /// The hosts of [`Order::File`].
    pub listed: &'a [(usize, String)],
    /// Hosts beside which all others are left out; all take part where none is listed.
    pub only: &'a [(usize, String)],
    /// The order of the leaves, which [`Order::Topology`] follows and by which patterns number them; as
    /// [`leaf_order`](crate::fabric::leaf_order) finds them where none is given.
    pub leaves: Option<&'a [NodeId]>,
}

/// The hosts that take part, selected and ordered.
///
/// # Errors
/// As [`select`], or a line of a list that names no host, or a tree without an order for exchanges.
pub fn participants(
    fabric: &Fabric,
    lids: &Lids,
    hosts: &Hosts,
    selection: &Selection<'_>,
) -> Result<Participants, RanksError> {
    let Selection { rails, order, listed, only, leaves } = *selection;
    let mut chosen = select(fabric, hosts, rails)?;
    if !only.is_empty() {
        let wanted = among(fabric, select(fabric, hosts, &Rails::All)?, only)?;
        let ports: FxHashSet<PortId> =
            wanted.iter().flat_map(|host| host.ports.iter().flatten().copied()).collect();
        for host in &mut chosen {
            host.ports.iter_mut().for_each(|port| *port = port.filter(|p| ports.contains(p)));
        }
        chosen.retain(|host| host.ports.iter().any(Option::is_some));
    }
    if let Order::File(_) = order {
        let names: Vec<String> = chosen.iter().map(|h| h.name.clone()).collect();
        let indices = listed_hosts(&by_name(fabric, &chosen, listed), &names)?;
        chosen = indices.into_iter().map(|i| chosen[i as usize].clone()).collect();
    }
    let found = leaves.is_none().then(|| Leaves::of(fabric));
    let order_of = |ports: Vec<PortId>| Some(found.as_ref()?.order(&ports));
    let first = |host: &HostPorts| host.ports.iter().flatten().next().copied();
    let of_first = order_of(chosen.iter().filter_map(first).collect());
    order.sort(fabric, lids, &mut chosen, leaves.or(of_first.as_deref()));
    if *order == Order::Exchanges {
        exchanges::reorder(fabric, &mut chosen)?;
    }
    let of_all = order_of(chosen.iter().flat_map(|host| host.ports.iter().flatten().copied()).collect());
    let leaves = leaves.or(of_all.as_deref());
    Ok(Participants::new(fabric, &chosen, leaves).on_planes(hosts.planes_per_adapter()))
}

/// Listed hosts with names in place of the GUIDs of their ports. The ports of a host are listed as one host, and
/// ports on other rails than the chosen ones are passed over.
pub fn by_name(fabric: &Fabric, chosen: &[HostPorts], listed: &[(usize, String)]) -> Vec<(usize, String)> {
    let read = |word: &str| word.strip_prefix("0x").and_then(|_| word.parse::<Guid>().ok());
    if !listed.iter().any(|(_, word)| read(word).is_some()) {
        return listed.to_vec();
    }
    let mut host_of: FxHashMap<Guid, Option<usize>> = FxHashMap::default();
    let adapters = fabric.end_nodes().flat_map(|n| fabric.ports_of(n));
    host_of.extend(adapters.map(|port| (fabric.end_port_guid(port), None)));
    for (host, at) in chosen.iter().zip(0..) {
        host_of.extend(host.ports.iter().flatten().map(|&port| (fabric.end_port_guid(port), Some(at))));
    }
    let mut said: FxHashMap<usize, Vec<Guid>> = FxHashMap::default();
    let name = |(line, word): &(usize, String)| {
        let Some((guid, host)) = read(word).and_then(|guid| Some((guid, host_of.get(&guid)?))) else {
            return Some((*line, word.clone()));
        };
        let host = (*host)?;
        let guids = said.entry(host).or_default();
        let again = guids.contains(&guid);
        guids.push(guid);
        (again || guids.len() == 1).then(|| (*line, chosen[host].name.clone()))
    };
    listed.iter().filter_map(name).collect()
}

/// The hosts that a list names, in the order of `hosts`.
fn among(
    fabric: &Fabric,
    hosts: Vec<HostPorts>,
    listed: &[(usize, String)],
) -> Result<Vec<HostPorts>, RanksError> {
    let names: Vec<String> = hosts.iter().map(|h| h.name.clone()).collect();
    let mut wanted = vec![false; hosts.len()];
    for index in listed_hosts(&by_name(fabric, &hosts, listed), &names)? {
        wanted[index as usize] = true;
    }
    Ok(hosts.into_iter().zip(wanted).filter(|h| h.1).map(|h| h.0).collect())
}

/// An adapter port by itself, at a place in the list of ports; at the first where its rail is not known.
fn lone(name: String, port: PortId, slot: Option<usize>, slots: usize) -> HostPorts {
    let mut ports = vec![None; slots];
    ports[slot.unwrap_or(0)] = Some(port);
    HostPorts { name, ports }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::load::testing::two_tier_named;

    fn hosts_of(fabric: &Fabric) -> Hosts {
        Hosts::of(fabric, None)
    }

    #[test]
    fn an_adapter_without_a_name_is_one_host_with_all_its_ports() {
        // Two adapters of two ports, one on each of two leaves; neither their description nor an installer's names a host.
        for name in ["MT4129 ConnectX7   Mellanox Technologies", "localhost mlx5_0"] {
            let leaf = |p: u32| {
                format!(
                    "switchguid=0x{p}\nSwitch 8 \"S-{p}\" # \"leaf-{p}\" base port 0 lid {} lmc 0\n\
                     [1] \"H-90\"[{p}] # 4xHDR\n[2] \"H-91\"[{p}] # 4xHDR\n\n",
                    50 + p
                )
            };
            let adapter = |n: u32| {
                format!(
                    "caguid=0x9{n}\nCa 2 \"H-9{n}\" # \"{name}\"\n[1] \"S-1\"[{at}] # lid {n}1 lmc 0 4xHDR\n\
                     [2] \"S-2\"[{at}] # lid {n}2 lmc 0 4xHDR\n\n",
                    at = n + 1
                )
            };
            let text = [leaf(1), leaf(2), adapter(0), adapter(1)].concat();
            let fabric = crate::io::read(text.as_bytes()).unwrap().fabric;
            let found = select(&fabric, &hosts_of(&fabric), &Rails::All).unwrap();
            assert_eq!(found.len(), 2, "{name}");
            assert!(found.iter().all(|host| host.ports.iter().flatten().count() == 2), "{name}");
            assert_eq!(hosts_of(&fabric).each().count(), 2, "{name}");
        }
    }

    #[test]
    fn adapters_of_one_name_are_rails_of_one_host() {
        // Two leaves of four adapters: rail 0 on leaf 0, rail 1 on leaf 1; the last two name no host.
        let name = |i: u32| match i {
            0..=2 => format!("node{} HCA-1", 10 - i),
            4..=6 => format!("node{} HCA-2", 14 - i),
            _ => "MT4129 ConnectX7   Mellanox Technologies".into(),
        };
        let net = two_tier_named(2, 4, 1, name);
        let hosts = hosts_of(&net.fabric);
        let all = select(&net.fabric, &hosts, &Rails::All).unwrap();
        let port = |i: usize| Some(net.hosts[i]);
        let of = |name: &str| all.iter().find(|h| h.name == name).map(|h| h.ports.clone());
        assert_eq!(of("node8"), Some(vec![port(2), port(6)]));
        assert_eq!(of("node10"), Some(vec![port(0), port(4)]));
        // The two without a name are beside each other as the two of each host are: one host, called by its place.
        let names: Vec<_> = all.iter().map(|h| &h.name[..]).collect();
        assert_eq!(names.len(), 4);
        assert!(names[0].starts_with("host at "), "{names:?}");
        assert_eq!(names[1..], ["node8", "node9", "node10"]);
        assert_eq!(of(names[0]), Some(vec![port(3), port(7)]));
        assert_eq!(select(&net.fabric, &hosts, &Rails::One(2)).map(|h| h.len()), Ok(4));
        // The second of the host without a name has the label that its place implies.
        assert_eq!(select(&net.fabric, &hosts, &Rails::Label("HCA-2".into())).map(|h| h.len()), Ok(4));
        assert_eq!(select(&net.fabric, &hosts, &Rails::Each).map(|h| h.len()), Ok(8));
        let none = |rail| select(&net.fabric, &hosts, &Rails::One(rail)).map_err(|e| e.to_string());
        assert_eq!(none(3), Err("no adapter on rail 3; rails are numbered 1 to 2".into()));
        assert_eq!(none(0), Err("no adapter on rail 0; rails are numbered 1 to 2".into()));
        let lids = &net.routes.lids;
        let order = Order::File("x".into());
        let listed = [(1, "node9".into()), (2, "node10".into())];
        let selection =
            Selection { rails: &Rails::One(1), order: &order, listed: &listed, only: &[], leaves: None };
        let participants = participants(&net.fabric, lids, &hosts, &selection).unwrap();
        assert_eq!(
            (participants.names(), participants.ports()),
            (&["node9", "node10"].map(String::from)[..], &[net.hosts[1], net.hosts[0]][..])
        );
    }
}
