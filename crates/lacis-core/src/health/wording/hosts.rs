//! Facts about hosts, in words.

use super::super::facts::{
    AbsentHost, AbsentHosts, CardPort, CrossedAdapter, CrossedRails, GenericHost, MissingRail, SharedCard,
    SharedLeaf, UnexpectedPort, UnnamedAdapters,
};
use super::super::{Location, names};
use super::words::{Words, counted, on, some_of};

pub(super) fn rail_missing(fact: &MissingRail) -> Words {
    let advice = match &fact.absent_leaf {
        None => "Check adapter, driver and cable of that rail on these hosts.".into(),
        Some(leaf) => format!("Bring {leaf} up first."),
    };
    Words::new(some_of(&fact.hosts), rail_missing_text(fact), advice)
}

fn rail_missing_text(fact: &MissingRail) -> String {
    let adapter = match &fact.label {
        None => format!("adapter on rail {}", fact.rail),
        Some(label) => format!("{label} (rail {})", fact.rail),
    };
    let who = counted(fact.hosts.len(), "host has", "hosts have");
    let mut text = format!("{who} no {adapter}, which others of their kind have");
    if let Some(leaf) = &fact.absent_leaf {
        text = format!("{text}; their leaf for it would be {leaf}, which is absent");
    }
    if fact.unnamed > 0 {
        let lack = if fact.unnamed == 1 { "lacks" } else { "lack" };
        text = format!("{text}; {} more without a name on the same leaves {lack} it too", fact.unnamed);
    }
    text
}

pub(super) fn rails_crossed(fact: &CrossedRails) -> Words {
    let said: Vec<String> = fact.adapters.iter().map(crossed).collect();
    let advice = if fact.are_exchanged() {
        "Exchange the two cables, or the two adapters' names, whichever the plan says."
    } else {
        "Move the cable to its rail: traffic that stays on a rail elsewhere crosses the spines here."
    };
    Words::new(&*fact.host, said.join("; "), advice)
}

/// Where one adapter is, and where others have it.
pub(super) fn crossed(adapter: &CrossedAdapter) -> String {
    let leaf = adapter.leaf.as_ref().map_or(String::new(), Location::to_string);
    let CrossedAdapter { label, rail, expected_rail, .. } = adapter;
    let target = adapter.target.as_ref().map_or(String::new(), |port| format!(", {port}"));
    format!("{label} is on {leaf} (rail {rail}) where others have it on rail {expected_rail}{target}")
}

pub(super) fn leaf_shared(fact: &SharedLeaf) -> Words {
    let who = match &fact.labels[..] {
        [] => counted(fact.adapters.len(), "adapter", "adapters"),
        labels => labels.join(" and "),
    };
    Words::new(
        &*fact.host,
        format!("{who} hang off one leaf, {}, where others of their kind have a leaf for each", fact.leaf),
        "Move one of the cables to the leaf of its rail: these share that leaf's uplinks, and its failure.",
    )
}

pub(super) fn card_shared(fact: &SharedCard) -> Words {
    let mut hosts: Vec<&str> = fact.hosts.iter().map(|card| &*card.host).collect();
    hosts.dedup();
    let name = |CardPort { label, port }: &CardPort| {
        format!("{} port {port}", if label.is_empty() { "adapter" } else { label })
    };
    let ports: Vec<String> = fact.ports.iter().map(name).collect();
    let who = counted(fact.hosts.len(), "host has", "hosts have");
    Words::new(
        names::some_of(&hosts, 4),
        format!("{who} {} on one adapter card", ports.join(" and ")),
        "They share the card's PCIe slot: count on the bandwidth of the slot, not on that of both ports.",
    )
}

pub(super) fn port_unexpected(fact: &UnexpectedPort) -> Words {
    Words::new(
        format!("{} – {}", fact.adapter, fact.leaf),
        port_unexpected_text(fact),
        "Harmless to traffic; correct cables, names or plan before someone trusts them.",
    )
}

fn port_unexpected_text(fact: &UnexpectedPort) -> String {
    let there = match &fact.there {
        None => "is empty".to_owned(),
        Some(there) => match &there.likely {
            None => format!("has {there}"),
            Some(likely) => format!("has an unnamed adapter, probably {likely}"),
        },
    };
    format!("the host's other adapters are on port {} of their leaves; that port here {there}", fact.expected)
}

pub(super) fn hosts_absent(fact: &AbsentHosts) -> Words {
    let all: Vec<&str> = fact.hosts.iter().map(|it: &AbsentHost| &*it.host.node).collect();
    Words::new(
        names::some_of(&all, 12),
        "implied by number and leaf port, but not there",
        "Check whether these are down, or were never installed.",
    )
}

pub(super) fn host_name_generic(fact: &GenericHost) -> Words {
    let ports = fact.adapters.iter().filter_map(|it| it.leaf.as_ref());
    let adapters = counted(fact.adapters.len(), "adapter", "adapters");
    let mut text = format!("{adapters} of a host called \"{}\", which is what installers call it", fact.host);
    if let Some(likely) = &fact.likely {
        text = format!("{text}; by its leaf ports it is probably {likely}");
    }
    if fact.group.is_none() {
        text.push_str("; nothing shows what it is for: it counts as a compute host");
    }
    Words::new(on(&fact.host, ports), text, "Set the machine's host name and restart rdma-ndd.")
}

pub(super) fn adapters_unnamed(fact: &UnnamedAdapters) -> Words {
    let who = counted(fact.adapters.len(), "adapter names", "adapters name");
    let mut text = format!("{who} no host (\"{}\")", fact.description);
    if !fact.likely_hosts.is_empty() {
        let known = fact.adapters.iter().filter(|it| it.adapter.likely.is_some()).count();
        let by_ports = if known == fact.adapters.len() {
            "by their leaf ports they are".into()
        } else {
            format!("by their leaf ports {known} of them are")
        };
        let hosts = counted(fact.likely_hosts.len(), "host", "hosts");
        text = format!("{text}; {by_ports} probably {hosts}: {}", names::some_of(&fact.likely_hosts, 20));
    }
    let at = some_of(fact.adapters.iter().filter_map(|it| it.leaf.as_ref()));
    Words::new(
        if at.is_empty() { fact.description.clone() } else { at },
        text,
        "Set the node descriptions (rdma-ndd does so at boot), or list the GUIDs in a node-name-map.",
    )
}
