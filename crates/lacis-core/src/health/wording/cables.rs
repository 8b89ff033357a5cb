//! Facts about cables, in words.

use super::super::facts::{
    AstrayCable, AstrayCables, Joins, MisplacedCable, MisplacedCables, OneSidedLinks, Side, StrayCable,
    UnevenLinks, UnsureUplinks, UplinkGap, UplinkGaps,
};
use super::super::{Cable, names};
use super::words::Words;
use crate::fabric::Rate;

/// `a[3] – b[4]`.
pub(super) fn named([a, b]: &Cable) -> String {
    format!("{a} – {b}")
}

/// The cable, or the first two of many and how many more.
pub(super) fn named_all<'a>(cables: impl ExactSizeIterator<Item = &'a Cable>) -> String {
    let count = cables.len();
    let first: Vec<String> = cables.take(2).map(named).collect();
    match count {
        1 => first.concat(),
        _ => format!("{} and {} more", first.join(", "), count - first.len()),
    }
}

pub(super) fn rates_differ(fact: &UnevenLinks) -> Words {
    Words::new(
        named_all(fact.links.iter().map(|link| &link.cable)),
        rates_differ_text(fact),
        "Reset the link (ibportstate … reset); if it comes back uneven, replace the cable.",
    )
}

fn rates_differ_text(fact: &UnevenLinks) -> String {
    let shown = |rate: Option<Rate>| rate.map_or_else(String::new, |rate| rate.to_string());
    match &fact.links[..] {
        [link] => {
            let ([a, b], [of_a, of_b]) = (&link.cable, link.rates);
            format!("{a} reports {}, {b} reports {}", shown(of_a), shown(of_b))
        }
        links => format!("{} links: the two ends report different rates", links.len()),
    }
}

pub(super) fn links_one_sided(fact: &OneSidedLinks) -> Words {
    Words::new(
        named_all(fact.links.iter().map(|link| &link.cable)),
        links_one_sided_text(fact),
        "Dump the fabric once more: the file is truncated or merged, or the link went down meanwhile.",
    )
}

fn links_one_sided_text(fact: &OneSidedLinks) -> String {
    match &fact.links[..] {
        [link] => format!("{} does not report this link", link.silent),
        links => format!("{} links: only one end reports the link", links.len()),
    }
}

pub(super) fn uplink_gaps(fact: &UplinkGaps) -> Words {
    let to: Vec<&str> = fact
        .gaps
        .iter()
        .map(|gap| match fact.side {
            Side::Below => &*gap.upper.node,
            Side::Above => &*gap.lower.node,
        })
        .collect();
    let mut text = how_many(fact);
    let ports: Vec<String> =
        fact.gaps.iter().filter(|gap| !gap.ports.is_empty()).map(|gap| empty_ports(gap, fact.side)).collect();
    if !ports.is_empty() {
        text = format!("{text}; empty ports {}", names::some_of(&ports, 10));
    }
    Words::new(
        format!("{} – {}", fact.switch, names::some_of(&to, 10)),
        text,
        "Plug or replace the cables; ports are given where the peers' cabling shows them.",
    )
}

/// How many cables there are, and how many peers have.
pub(super) fn how_many(fact: &UplinkGaps) -> String {
    let range = |value: fn(&UplinkGap) -> u16| {
        let least = fact.gaps.iter().map(value).min().unwrap_or(0);
        let most = fact.gaps.iter().map(value).max().unwrap_or(0);
        if least == most { least.to_string() } else { format!("{least} to {most}") }
    };
    let each = if fact.gaps.len() == 1 { "" } else { " to each" };
    let have = range(|gap| gap.have);
    let have = have.parse().map_or_else(|_| format!("{have} cables"), cable_count);
    format!("{have} where its peers have {}{each}", range(|gap| gap.expected))
}

/// The ports of missing cables, those of the switch on the given side first: `[33 34] – [9 10]`.
fn empty_ports(gap: &UplinkGap, side: Side) -> String {
    let list = |end: usize| -> String {
        let numbers = gap.ports.iter().filter_map(|cable| cable[end].port).map(|port| port.to_string());
        numbers.collect::<Vec<_>>().join(" ")
    };
    let (near, far) = match side {
        Side::Below => (0, 1),
        Side::Above => (1, 0),
    };
    format!("[{}] – [{}]", list(near), list(far))
}

pub(super) fn uplinks_unsure(fact: &UnsureUplinks) -> Words {
    let to: Vec<&str> = fact.uppers.iter().map(|upper| &*upper.node).collect();
    Words::new(
        format!("{} – {}", fact.lower, names::some_of(&to, 10)),
        uplinks_unsure_text(fact),
        "Compare with the cabling plan: the peers' cabling does not show which cables are missing.",
    )
}

fn uplinks_unsure_text(fact: &UnsureUplinks) -> String {
    let which = match fact.missing {
        1 => "one to one of these is".to_string(),
        n => format!("{n} to some of these are"),
    };
    format!("{} cables up where its peers have {}: {which} missing", fact.have, fact.expected)
}

pub(super) fn cables_misplaced(fact: &MisplacedCables) -> Words {
    let said: Vec<String> = fact.cables.iter().map(misplaced).collect();
    Words::new(
        fact.switch.to_string(),
        names::some_of(&said, 4),
        "Compare with the cabling plan: cables may be swapped.",
    )
}

/// Where one cable leads, and where its peers' do.
pub(in super::super) fn misplaced(cable: &MisplacedCable) -> String {
    let [here, there] = &cable.cable;
    let port = here.port.map_or_else(String::new, |port| port.to_string());
    format!("port {port} leads to {} where its peers' leads to {}", there.node, cable.expected.node)
}

pub(super) fn cables_astray(fact: &AstrayCables) -> Words {
    let moves: Vec<String> = fact.cables.iter().map(|it| format!("{} to {}", it.at, it.to)).collect();
    let (at, text) = match &fact.stays {
        Some(stays) => (
            format!("{} – {stays}", fact.at),
            format!("{}; move {}", counts(fact), names::some_of(&moves, 4)),
        ),
        None => (
            fact.at.to_string(),
            format!(
                "{}; one of its global cables belongs in {}: which one, their ports do not show",
                counts(fact),
                fact.to
            ),
        ),
    };
    Words::new(at, text, "Move that end of the cable; ports are given where the peers' cabling shows them.")
}

/// How many cables each of the two switches has, and should have.
fn counts(fact: &AstrayCables) -> String {
    let ([more, fewer], [of_more, of_fewer]) = (fact.have, fact.expected);
    let global = if fact.stays.is_none() { " to other groups" } else { "" };
    let more = format!("{}{global} where its peers have {of_more}", cable_count(more));
    let fewer = match (of_more == of_fewer, fewer) {
        (true, 0) => format!("{} has none", fact.to),
        (true, n) => format!("{} has {n}", fact.to),
        (false, n) => format!("{} has {n} where its peers have {of_fewer}", fact.to),
    };
    format!("{more}, and {fewer}")
}

/// A number of cables.
fn cable_count(n: u16) -> String {
    match n {
        0 => "no cable".to_string(),
        1 => "a single cable".to_string(),
        n => format!("{n} cables"),
    }
}

/// Why one cable is to be moved.
pub(in super::super) fn astray(fact: &AstrayCables, cable: &AstrayCable) -> String {
    match &fact.stays {
        Some(stays) => format!("belongs in {}: {} to {stays}", cable.to, counts(fact)),
        None => format!("one of its global cables belongs in {}: {}", cable.to, counts(fact)),
    }
}

pub(super) fn cable_stray(fact: &StrayCable) -> Words {
    Words::new(
        named(&fact.cable),
        cable_stray_text(fact),
        "Compare with the cabling plan: engines for trees refuse or misroute around such a cable.",
    )
}

fn cable_stray_text(fact: &StrayCable) -> String {
    let kind = match fact.joins {
        Joins::SameLevel => "of the same level",
        Joins::DifferentGroups => "of different groups",
        Joins::LevelsApart => "two or more levels apart",
    };
    format!("joins two switches {kind}; no other cable of its peers does")
}
