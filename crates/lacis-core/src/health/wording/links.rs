//! Facts about what links run at, their states and their counters, in words.

use super::super::facts::{
    AlikeLinks, Basis, ErrorCounts, InactiveLink, InactivePorts, InactiveSubnet, Likeness, LinksBelow,
    LoopbackCables, SlowAlike, ThresholdsOf,
};
use super::super::names;
use super::cables::{named, named_all};
use super::words::{Words, counted};

pub(super) fn links_below(fact: &LinksBelow) -> Words {
    let at = match &fact.switch {
        Some(switch) => switch.to_string(),
        None => named_all(fact.links.iter().map(|link| &link.cable)),
    };
    let advice = match (&fact.switch, fact.basis) {
        (Some(_), _) => {
            "Check the switch before its cables: all of them are slow. Its firmware, the speeds that are enabled on its \
             ports (ibportstate), its modules."
        }
        (None, Basis::LanesLost) => {
            "Reseat or replace the cable: lanes are lost. Then bounce the link (opaportconfig)."
        }
        (None, Basis::Devices) => {
            "Reseat the adapter and its cable, and see what is enabled on both ports (ibportstate): they came up at the \
             lowest speed."
        }
        (None, _) => "Reseat or replace the cable, then check its error counters (ibqueryerrors; opareport -o errors).",
    };
    Words::new(at, links_below_text(fact), advice)
}

fn links_below_text(fact: &LinksBelow) -> String {
    let LinksBelow { links, usual, at_usual, of_kind, basis, switch } = fact;
    let rate = links.first().map_or_else(String::new, |link| link.rate.to_string());
    let subject = match (switch, links.len()) {
        (Some(_), count) => format!("all its {count} cables to other switches run at {rate}"),
        (None, 1) => format!("runs at {rate}"),
        (None, count) => format!("{count} links below {usual}"),
    };
    let many = switch.is_none() && links.len() > 1;
    match basis {
        Basis::Peers if many => {
            format!("{subject}, at which {at_usual} of {of_kind} links of their kind run")
        }
        Basis::Peers => format!("{subject}; {at_usual} of {of_kind} links of its kind run at {usual}"),
        Basis::LanesLost if many => format!("{subject}, with which they were brought up: lanes are lost"),
        Basis::LanesLost => format!("{subject} where it was brought up with {usual}: lanes are lost"),
        Basis::CouldBe if many => format!("{subject}, which both ends of each can"),
        Basis::CouldBe => format!("{subject} where both ends can do {usual}"),
        Basis::Enabled if many => format!("{subject}, which both ends of each have enabled"),
        Basis::Enabled => format!("{subject} where both ends have {usual} enabled"),
        Basis::Devices if many => format!("{subject}, which both devices of each can do"),
        Basis::Devices => format!("{subject} where both devices can do {usual}"),
    }
}

pub(super) fn slow_alike(fact: &SlowAlike) -> Words {
    let names: Vec<&str> = fact.groups.iter().map(|group| &*group.name).collect();
    let groups: Vec<String> = fact.groups.iter().map(alike).collect();
    let older = fact.groups.iter().any(|group| group.like == Likeness::Switch);
    Words::new(
        names::some_of(&names, 4),
        format!("slower than others and all alike, as they were built: {}", names::some_of(&groups, 4)),
        if older {
            "Nothing, if these switches are older ones: the source does not say what models they are."
        } else {
            "Nothing, unless they were meant to be faster."
        },
    )
}

fn alike(group: &AlikeLinks) -> String {
    let AlikeLinks { like, name, rate, usual, links, .. } = group;
    let what = match like {
        Likeness::Series => format!("links of the hosts {name}"),
        Likeness::Leaf => format!("host links of {name}"),
        Likeness::Switch => format!("links of {name}"),
    };
    format!("{links} {what} at {rate} (others {usual})")
}

pub(super) fn ports_inactive(fact: &InactivePorts) -> Words {
    let at = match &fact.links[..] {
        [link] => link.cable[0].to_string(),
        links => named_all(links.iter().map(|link| &link.cable)),
    };
    Words::new(
        at,
        ports_inactive_text(fact),
        "Look for the port in the log of the subnet manager, which brings every port with a link to Active; then reset the \
         link (ibportstate … reset). Until then no data passes.",
    )
}

fn ports_inactive_text(fact: &InactivePorts) -> String {
    match &fact.links[..] {
        [link] => {
            let behind = link.unreachable.as_ref();
            let lost = behind.map_or_else(
                || "no data passes".to_owned(),
                |end| format!("nothing can be sent to {}", end.node),
            );
            format!("is {}, not Active: {lost}", state(link))
        }
        links => {
            let ends = links.iter().filter(|link| link.unreachable.is_some()).count();
            let adapters = counted(ends, "adapter", "adapters");
            format!("{} links with a port that is not Active; nothing can be sent to {adapters}", links.len())
        }
    }
}

/// `Initialize / LinkUp`.
fn state(link: &InactiveLink) -> String {
    let logical = link.states[0].unwrap_or("not Active");
    link.physical[0].map_or_else(|| logical.to_owned(), |physical| format!("{logical} / {physical}"))
}

pub(super) fn subnet_inactive(fact: &InactiveSubnet) -> Words {
    let states: Vec<String> = fact.states.iter().map(|it| format!("{} {}", it.ports, it.state)).collect();
    Words::new(
        "all ports",
        format!(
            "none of {} with a link is Active ({}): no subnet manager has configured the subnet",
            counted(fact.ports, "port", "ports"),
            states.join(", ")
        ),
        "Start a subnet manager: it brings ports to Active. If one runs, its log says why it does not.",
    )
}

pub(super) fn loopbacks(fact: &LoopbackCables) -> Words {
    let cables: Vec<String> = fact.cables.iter().map(named).collect();
    let text = match fact.cables.len() {
        1 => "a cable between two ports of one node carries no traffic of others".to_owned(),
        count => format!("{count} cables between ports of one node carry no traffic of others"),
    };
    Words::new(
        names::some_of(&cables, 2),
        text,
        "Compare with the cabling plan: cables for testing are left, or an end is plugged into the wrong port.",
    )
}

pub(super) fn port_errors(fact: &ErrorCounts) -> Words {
    Words::new(
        named_all(fact.links.iter().map(|link| &link.cable)),
        counts(fact, "links whose ports have counted more errors than is tolerated"),
        "Clear the counters and read them again after some hours of traffic: what grows is to be repaired. Reseat or \
         replace the cable, then try other ports.",
    )
}

pub(super) fn link_quality_low(fact: &ErrorCounts) -> Words {
    Words::new(
        named_all(fact.links.iter().map(|link| &link.cable)),
        counts(fact, "links of poor quality"),
        "Reseat the cable; if the quality stays below 4 of 5, replace it.",
    )
}

fn counts(fact: &ErrorCounts, many: &str) -> String {
    let tool = match fact.thresholds {
        ThresholdsOf::Opareport => "opareport",
        ThresholdsOf::Ibqueryerrors => "ibqueryerrors",
    };
    match &fact.links[..] {
        [link] => {
            let each = link.counts.iter().map(|count| {
                let beyond = if count.value < count.threshold { "below" } else { "over" };
                format!("{} {} {} ({beyond} {})", count.port, count.counter, count.value, count.threshold)
            });
            let each: Vec<String> = each.collect();
            format!("{}, by the thresholds of {tool}", each.join(", "))
        }
        links => {
            let mut counters: Vec<&str> =
                links.iter().flat_map(|link| link.counts.iter().map(|count| count.counter)).collect();
            counters.sort_unstable();
            counters.dedup();
            format!("{} {many}, by the thresholds of {tool}: {}", links.len(), counters.join(", "))
        }
    }
}
