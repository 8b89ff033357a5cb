//! Finding hosts: adapters by the names in their descriptions, then those that cards, cabling and numbering imply, then
//! rails and groups.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::{Hosts, NO_RAIL, NONE};
use crate::fabric::{Fabric, NodeId, NodeKind};
use crate::health::adapter_planes::{self, Parts};
use crate::health::groups;
use crate::health::host::{GenericName, Host};
use crate::health::names::{self, Fields};
use crate::health::owners::{Inference, OpenAdapter, Owner, infer};
use crate::io::name_map::NameMap;
use crate::natural::natural;

impl Hosts {
    /// Finds hosts and rails. A name map overrides descriptions.
    pub fn of(fabric: &Fabric, map: Option<&NameMap>) -> Self {
        let first = fabric.num_switches();
        let count = fabric.num_nodes() - first;
        let mut named: Vec<NamedAdapter> = Vec::with_capacity(count);
        let (mut unnamed, mut open) = (Vec::new(), Vec::new());
        for end in fabric.end_nodes().filter(|&n| fabric.node(n).kind == NodeKind::Adapter) {
            let node = fabric.node(end);
            match names::parse(map.and_then(|m| m.get(node.guid)).unwrap_or(&node.description)) {
                Some(n) if names::is_generic(n.host) => {
                    open.push(OpenAdapter { end, name: n.host, label: n.label });
                }
                Some(n) => {
                    named.push(NamedAdapter {
                        host: n.host.into(),
                        label: n.label.into(),
                        end,
                        inferred: None,
                    });
                }
                None => {
                    unnamed.push(end);
                    open.push(OpenAdapter { end, name: "", label: "" });
                }
            }
        }
        join_spellings(&mut named);
        let mut label: Vec<Box<str>> = vec![Box::default(); count];
        for (end, own) in open.iter().map(|adapter| (adapter.end, adapter.label)) {
            label[end.ix() - first] = own.into();
        }
        for adapter in &named {
            label[adapter.end.ix() - first] = (&*adapter.label).into();
        }
        let generic = generic_names(&open);
        let parts = adapter_planes::parts(fabric);
        if !open.is_empty() {
            let hosts = hosts_of(&mut named);
            let label_of = |end: NodeId| &*label[end.ix() - first];
            let found = infer(fabric, &hosts, &parts, label_of, &open);
            for Inference { end, host, label: given, generic } in found {
                label[end.ix() - first] = (&*given).into();
                named.push(NamedAdapter {
                    host: host.into(),
                    label: given.into(),
                    end,
                    inferred: Some(generic),
                });
            }
        }
        let hosts = hosts_of(&mut named);
        let mut host_of = vec![NONE; count];
        let mut owner = vec![Owner::Unknown; count];
        for (host, index) in hosts.iter().zip(0..) {
            for end in &host.ends {
                host_of[end.ix() - first] = index;
            }
        }
        for adapter in &named {
            owner[adapter.end.ix() - first] =
                if adapter.inferred.is_some() { Owner::Inferred } else { Owner::Named };
        }
        let is_unknown = |end: &NodeId| host_of[end.ix() - first] == NONE;
        let unknown: Vec<NodeId> = open.iter().map(|adapter| adapter.end).filter(is_unknown).collect();
        let cabled = |n: NodeId| fabric.ports_of(n).filter(|&p| fabric.peer(p).is_some()).count();
        let adapters = hosts.iter().flat_map(|h: &Host| &h.ends).chain(&unknown);
        let mut ports_per_adapter = adapters.map(|&n| cabled(n)).max().unwrap_or(0);
        let (mut plane, mut first_port, mut card) = (vec![0; count], vec![0; count], vec![NONE; count]);
        let mut planes_per_adapter = 1;
        for (index, set) in parts.iter().enumerate() {
            let ends = set.ends();
            let (most, place) = match set {
                Parts::Planes(_) => (&mut planes_per_adapter, &mut plane),
                Parts::Ports(_) => (&mut ports_per_adapter, &mut first_port),
            };
            *most = (*most).max(ends.len().min(usize::from(u8::MAX)));
            for (&end, number) in ends.iter().zip(0..u8::MAX) {
                (place[end.ix() - first], card[end.ix() - first]) = (number, index as u32);
            }
        }
        let planes_of = |set| if let Parts::Planes(ends) = set { ends } else { Vec::new() };
        let planes = parts.into_iter().map(planes_of).collect();
        let (leaf_rail, number) = (vec![NO_RAIL; first], vec![0; count]);
        let mut out = Self {
            hosts,
            unnamed,
            generic,
            unknown,
            first,
            host_of,
            owner,
            label,
            rail: vec![NO_RAIL; count],
            leaf_rail,
            number,
            plane,
            first_port,
            card,
            planes,
            group: Vec::new(),
            is_group_assumed: Vec::new(),
            num_rails: 0,
            ports_per_adapter,
            planes_per_adapter,
        };
        out.find_rails(fabric);
        let groups::HostGroups { group, is_assumed } = groups::host_groups(fabric, &out.hosts, &out.unknown);
        (out.group, out.is_group_assumed) = (group, is_assumed);
        out
    }
}

/// An adapter and the host that its description names or that is inferred.
struct NamedAdapter<'a> {
    host: Cow<'a, str>,
    label: Cow<'a, str>,
    end: NodeId,
    /// Where the host is inferred, whether its name says nothing about which machine it is.
    inferred: Option<bool>,
}

/// The hosts of adapters, which are sorted.
fn hosts_of(adapters: &mut [NamedAdapter]) -> Vec<Host> {
    adapters.sort_by(|a, b| {
        let by_name = natural(&a.host, &b.host).then_with(|| natural(&a.label, &b.label));
        by_name.then(a.end.cmp(&b.end))
    });
    let mut series_ids: FxHashMap<Box<str>, u32> = FxHashMap::default();
    let by_host = adapters.chunk_by(|a, b| a.host == b.host);
    let host = |same: &[NamedAdapter]| {
        let next = series_ids.len() as u32;
        let name = &*same[0].host;
        let generic = same.iter().all(|adapter| adapter.inferred == Some(true));
        Host {
            name: name.into(),
            ends: same.iter().map(|adapter| adapter.end).collect(),
            series: *series_ids.entry(Fields::of(name).series).or_insert(next),
            generic,
            inferred: same.iter().all(|adapter| adapter.inferred.is_some()),
        }
    };
    by_host.map(host).collect()
}

/// The names that installers give, in natural order, each with its adapters.
fn generic_names(open: &[OpenAdapter]) -> Vec<GenericName> {
    let mut all: Vec<&OpenAdapter> = open.iter().filter(|adapter| !adapter.name.is_empty()).collect();
    all.sort_by(|a, b| {
        let by_name = natural(a.name, b.name).then_with(|| natural(a.label, b.label));
        by_name.then(a.end.cmp(&b.end))
    });
    all.chunk_by(|a, b| a.name == b.name)
        .map(|same| GenericName {
            name: same[0].name.into(),
            ends: same.iter().map(|adapter| adapter.end).collect(),
        })
        .collect()
}

/// Gives names that differ only in letter case one spelling, the first in natural order: planes may spell hosts
/// differently.
fn join_spellings(named: &mut [NamedAdapter]) {
    let mut spelt: FxHashMap<String, Cow<str>> = FxHashMap::default();
    for adapter in named.iter() {
        let spelling = spelt.entry(adapter.host.to_lowercase()).or_insert_with(|| adapter.host.clone());
        if natural(&adapter.host, spelling).is_lt() {
            spelling.clone_from(&adapter.host);
        }
    }
    for adapter in named {
        if let Some(spelling) = spelt.get(&adapter.host.to_lowercase()) {
            adapter.host.clone_from(spelling);
        }
    }
}
