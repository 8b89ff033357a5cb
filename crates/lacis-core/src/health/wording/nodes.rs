//! Facts about nodes, in words.

use super::super::facts::{
    AbsentSwitch, EmptyPorts, Island, MissingLids, SeriesNumbers, SharedDescription, SharedGuid, SharedLid,
    SharedName, SharedPrefix, Side, UncabledEndNodes,
};
use super::super::names;
use super::words::{Words, counted, some_of};

pub(super) fn node_guid_shared(fact: &SharedGuid) -> Words {
    Words::new(
        some_of(&fact.carriers),
        format!("{} nodes carry the node GUID {}", fact.carriers.len(), fact.guid),
        "Re-flash one of them with its own GUID: a subnet manager takes both for one node.",
    )
}

pub(super) fn port_guid_shared(fact: &SharedGuid) -> Words {
    Words::new(
        some_of(&fact.carriers),
        format!("{} ports carry the port GUID {}", fact.carriers.len(), fact.guid),
        "Re-flash one of the adapters with its own GUIDs.",
    )
}

pub(super) fn lid_shared(fact: &SharedLid) -> Words {
    Words::new(
        some_of(&fact.ports),
        format!("{} ports answer to LID {}", fact.ports.len(), fact.lid),
        "Let the subnet manager reassign LIDs (opensm -r); a second manager may be running.",
    )
}

pub(super) fn lids_missing(fact: &MissingLids) -> Words {
    let text = match fact.ports.len() {
        1 => format!(
            "no LID, where {} of its subnet have one",
            counted(fact.with_lid, "port like it", "ports like it")
        ),
        ports => format!(
            "{ports} ports have no LID, where {} of their subnet have one",
            counted(fact.with_lid, "such port", "such ports")
        ),
    };
    let advice = "Read the subnet manager's log for this port: it has not configured it, and nothing can be sent there.";
    Words::new(some_of(&fact.ports), text, advice)
}

pub(super) fn island(fact: &Island) -> Words {
    let switches = counted(fact.switches, "switch", "switches");
    let end_nodes = fact.nodes.len() - fact.switches;
    let ends = counted(end_nodes, "end node", "end nodes");
    let who = match (fact.switches, end_nodes) {
        (_, 0) => switches,
        (0, _) => ends,
        _ => format!("{switches} and {ends}"),
    };
    let text = if fact.cabled {
        format!("{who} that nothing connects to the rest")
    } else {
        "a switch without any cable".to_owned()
    };
    let advice = "Find the cables that led to it; until then its nodes reach nothing outside.";
    Words::new(some_of(&fact.nodes), text, advice)
}

pub(super) fn end_nodes_uncabled(fact: &UncabledEndNodes) -> Words {
    let text = match fact.nodes.len() {
        1 => "an end node without any cable".to_string(),
        n => format!("{n} end nodes without any cable"),
    };
    let advice = "Check the cable or port of each, or remove it from the fabric file.";
    Words::new(some_of(&fact.nodes), text, advice)
}

pub(super) fn switch_absent(fact: &AbsentSwitch) -> Words {
    let present = fact.present;
    let taken = match fact.numbers {
        SeriesNumbers::Run { first, last } => format!("{present} of the numbers {first} to {last} are taken"),
        SeriesNumbers::Grid { size } => {
            format!("the other {present} of {size} numbers of its series are taken")
        }
    };
    // What it costs comes first, then how it is known.
    let said = [absent_from(fact), fact.empty.as_ref().map(empty_ports), Some(taken)];
    Words::new(
        fact.switch.to_string(),
        said.into_iter().flatten().collect::<Vec<_>>().join("; "),
        "Check power, management access and cables of that switch, or whether it was ever installed.",
    )
}

fn empty_ports(empty: &EmptyPorts) -> String {
    let side = match empty.side {
        Side::Above => "above it",
        Side::Below => "below it",
    };
    let (what, are) = if empty.ports.len() == 1 { ("port", "is") } else { ("ports", "are") };
    let list = empty.ports.iter().map(u8::to_string).collect::<Vec<_>>().join(", ");
    let mut names: Vec<&str> = empty.ends.iter().map(|end| &*end.node).collect();
    names.dedup();
    let who = match (names.len(), empty.switches) {
        (_, 1) => "the switch".into(),
        (some, all) if some < all => format!("{some} of the {all} switches"),
        (_, all) => format!("the {all} switches"),
    };
    let named = names::some_of(&names, 4);
    format!("{what} {list} of {who} {side}, where it belongs, {are} empty ({named})")
}

/// The hosts that lack a switch.
fn absent_from(fact: &AbsentSwitch) -> Option<String> {
    let what = fact.role.unwrap_or("switch");
    let unnamed = match fact.unnamed {
        0 => String::new(),
        n => format!(", and {n} more without a name"),
    };
    let hosts = counted(fact.hosts.len(), "host lacks", "hosts lack");
    (!fact.hosts.is_empty()).then(|| format!("{hosts} this {what}: {}{unnamed}", some_of(&fact.hosts)))
}

pub(super) fn prefix_shared(fact: &SharedPrefix) -> Words {
    let listed: Vec<String> = fact.planes.iter().map(|plane| format!("plane {plane}")).collect();
    Words::new(
        listed.join(", "),
        format!(
            "{} have the subnet prefix {}: they look like one network, and connections between adapters on different planes \
             time out",
            listed.join(" and "),
            fact.prefix
        ),
        "Give each plane's manager its own subnet prefix (opensm.conf: subnet_prefix; opafm.xml: SubnetPrefix).",
    )
}

pub(super) fn name_shared(fact: &SharedName) -> Words {
    Words::new(
        format!("{} on {}", fact.name, some_of(&fact.at)),
        format!("{} adapters are called \"{}\"", fact.at.len(), fact.name),
        "Give each machine its own host name; tools and job scripts cannot distinguish these.",
    )
}

pub(super) fn description_shared(fact: &SharedDescription) -> Words {
    let guids: Vec<String> =
        fact.switches.iter().filter_map(|switch| switch.guid).map(|g| g.to_string()).collect();
    let at = if fact.name.is_empty() { names::some_of(&guids, 4) } else { fact.name.clone() };
    Words::new(
        at,
        format!("{} switches share the description \"{}\"", fact.switches.len(), fact.description),
        "Name them, or list their GUIDs in a node-name-map.",
    )
}

#[cfg(test)]
mod tests {
    use super::super::super::Location;
    use super::*;

    #[test]
    fn empty_ports_name_how_many_of_the_switches_have_them_empty() {
        let end = |node: &str, port| Location { port: Some(port), ..Location::absent(node) };
        let mut empty = EmptyPorts {
            ports: vec![21, 22],
            switches: 3,
            side: Side::Below,
            ends: ["l1", "l2"].into_iter().flat_map(|leaf| [end(leaf, 21), end(leaf, 22)]).collect(),
        };
        assert_eq!(
            empty_ports(&empty),
            "ports 21, 22 of 2 of the 3 switches below it, where it belongs, are empty (l1, l2)"
        );
        empty.switches = 2;
        assert_eq!(
            empty_ports(&empty),
            "ports 21, 22 of the 2 switches below it, where it belongs, are empty (l1, l2)"
        );
    }
}
