//! Facts about the cables of groups, in words.

use super::super::facts::{ExchangedCables, GroupGap, GroupGaps, PairPeers, ThinGroupPair};
use super::super::names;
use super::cables::named;
use super::words::{Words, counted};

pub(super) fn cables_missing(fact: &GroupGaps) -> Words {
    let far: Vec<&str> = fact.gaps.iter().map(|gap| &*gap.ends[1].node).collect();
    let list = |gap: &GroupGap, end: usize| -> String {
        let numbers = gap.ports.iter().filter_map(|cable| cable[end].port).map(|port| port.to_string());
        numbers.collect::<Vec<_>>().join(" ")
    };
    let shown = fact.gaps.iter().filter(|gap| !gap.ports.is_empty());
    let ports: Vec<String> = shown.map(|gap| format!("[{}] – [{}]", list(gap, 0), list(gap, 1))).collect();
    let mut text = how_many(fact);
    if !ports.is_empty() {
        text = format!("{text}; empty ports {}", names::some_of(&ports, 10));
    }
    Words::new(
        format!("{} – {}", fact.switch, names::some_of(&far, 10)),
        text,
        "Plug or replace the cables; ports are given where the peers' cabling shows them.",
    )
}

/// How many cables there are, and how many peers have.
pub(super) fn how_many(fact: &GroupGaps) -> String {
    let kind = if fact.within { "cable" } else { "global cable" };
    let range = |value: fn(&GroupGap) -> u16| {
        let least = fact.gaps.iter().map(value).min().unwrap_or(0);
        let most = fact.gaps.iter().map(value).max().unwrap_or(0);
        if least == most { least.to_string() } else { format!("{least} to {most}") }
    };
    let have = match range(|gap| gap.have).as_str() {
        "0" => format!("no {kind}"),
        "1" => format!("a single {kind}"),
        n => format!("{n} {kind}s"),
    };
    let each = if fact.gaps.len() == 1 { "" } else { " to each" };
    format!(
        "{have} where there should be {}{each}{}",
        range(|gap| gap.expected),
        of_peers(fact.peers, "pairs")
    )
}

fn of_peers(peers: PairPeers, kind: &str) -> String {
    format!(", as on {} of {} such {kind}", peers.agreeing, peers.of)
}

pub(super) fn groups_thin(fact: &ThinGroupPair) -> Words {
    let [g, h] = &fact.switches;
    let short: Vec<&str> = fact.short.iter().flatten().map(|switch| &*switch.node).collect();
    let few = if short.is_empty() {
        String::new()
    } else {
        format!("; fewer global cables than others have {}", names::some_of(&short, 8))
    };
    let have = counted(fact.have.into(), "global cable", "global cables");
    let peers = of_peers(fact.peers, "pairs of groups");
    Words::new(
        format!("the groups of {g} and {h}"),
        format!("{have} between them where there should be {}{peers}{few}", fact.expected),
        "Compare with the cabling plan: the peers' cabling does not show which ports these belong to.",
    )
}

pub(super) fn cables_exchanged(fact: &ExchangedCables) -> Words {
    let [one, other] = &fact.cables;
    Words::new(
        format!("{}, {}", named(one), named(other)),
        format!(
            "crossed: {} belongs to {}, and {} to {}{}",
            one[0].node,
            other[1].node,
            other[0].node,
            one[1].node,
            of_peers(fact.peers, "pairs")
        ),
        "Swap the two ends: each is plugged in where the other belongs.",
    )
}
