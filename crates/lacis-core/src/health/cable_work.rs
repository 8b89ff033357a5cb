//! Cabling work: what findings ask of the machine room, cable by cable. Which cable, which port at both ends, what to do.

use std::cmp::Ordering;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Serialize, Serializer};

use super::facts::{self, AbsentHost, AbsentSwitch, Fact, Joins, UplinkGaps};
use super::racks::Racks;
use super::{Cable, Code, Finding, Hosts, Location, names, wording};
use crate::fabric::{Fabric, Guid, Rate};

/// What to do with a cable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Action {
    /// Plug one in where there is none.
    #[serde(rename = "plug in")]
    PlugIn,
    /// Put a new one in its place.
    #[serde(rename = "replace")]
    Replace,
    /// Move one of its ends.
    #[serde(rename = "move")]
    Move,
    /// Go and look.
    #[serde(rename = "check")]
    Check,
}

/// An end of a cable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CableEnd {
    /// The node, by a name that no other switch has.
    pub node: String,
    /// Its GUID; none where it is absent or not determined.
    #[serde(serialize_with = "guid_or_empty")]
    pub guid: Option<Guid>,
    /// The port; none where any free one will do.
    pub port: Option<u8>,
}

#[allow(clippy::ref_option)] // the signature that serde calls
fn guid_or_empty<S: Serializer>(guid: &Option<Guid>, serializer: S) -> Result<S::Ok, S::Error> {
    match guid {
        Some(guid) => guid.serialize(serializer),
        None => serializer.serialize_str(""),
    }
}

/// One line of the work list.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CableWork {
    /// What to do.
    pub action: Action,
    /// The end to go to first.
    pub here: CableEnd,
    /// The other end; none where there is none, or the pattern does not determine it.
    pub there: Option<CableEnd>,
    /// The racks that the names of the ends begin with, as `A09 – A10`; empty where names have none.
    pub rack: String,
    /// The code of the finding that asks for it.
    pub code: Code,
    /// Why.
    pub reason: Reason,
    /// The same in words.
    pub why: String,
}

/// Why a cable is to be worked at: what is expected beside what is there.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Reason {
    /// Two switches have fewer cables than their peers.
    Missing {
        /// Cables that there are.
        have: u16,
        /// Cables that peers have.
        expected: u16,
    },
    /// A switch has fewer cables up than its peers, which led to one of several switches.
    OneOfSeveralMissing {
        /// Cables up that there are.
        have: usize,
        /// Cables up that peers have.
        expected: usize,
    },
    /// The port leads elsewhere than the same port of its peers.
    Misplaced {
        /// The switch that theirs leads to.
        expected: Location,
    },
    /// No cable of the peers joins such switches.
    Stray {
        /// How the two stand to each other.
        joins: Joins,
    },
    /// It is slower or narrower than the cables of its kind.
    Below {
        /// What it runs at.
        rate: Rate,
        /// What they run at.
        expected: Rate,
    },
    /// Its ends report different rates.
    Uneven {
        /// What each reports, in the order of the finding's ends.
        rates: [Option<Rate>; 2],
    },
    /// One of its ends does not report it.
    OneSided {
        /// That end.
        silent: Location,
    },
    /// The adapter is on the leaf of another rail.
    Crossed {
        /// The host.
        host: String,
        /// The rail of the leaf, from 1.
        rail: usize,
        /// The rail that the adapter's label has elsewhere, from 1.
        expected: usize,
    },
    /// The adapter is at another leaf port than its host's others.
    OtherPort {
        /// The port of the others.
        expected: u8,
    },
    /// A host that numbering implies is absent.
    HostAbsent(AbsentHost),
    /// A switch that numbering implies is absent.
    SwitchAbsent(AbsentSwitch),
    /// A host has no adapter on a rail.
    RailLacking {
        /// The rail, from 1.
        rail: usize,
    },
    /// Nodes are apart from the rest of the fabric.
    Apart {
        /// How many.
        nodes: usize,
    },
}

/// What findings ask for, by rack, switch and port. Those that no cable mends are left out.
pub fn cable_work(fabric: &Fabric, hosts: &Hosts, findings: &[Finding]) -> Vec<CableWork> {
    let (switches, racks) = (SwitchNames::of(fabric), Racks::of(fabric, hosts));
    let mut free = FreePorts::default();
    let mut out = Vec::new();
    for finding in findings {
        for step in steps(&finding.fact) {
            let Step { action, here, there, reason, why } = step;
            let mut here = switches.end(here);
            let mut there = there.map(|end| switches.end(end));
            if action == Action::PlugIn {
                free.take(&mut here);
                there.iter_mut().for_each(|end| free.take(end));
            }
            let ends = std::iter::once(&here).chain(&there);
            let rack = racks.of_names(ends.map(|end| &*end.node)).join(" – ");
            out.push(CableWork { action, here, there, rack, code: finding.code, reason, why });
        }
    }
    out.sort_by(in_order);
    out
}

/// By the rack, switch and port to go to first.
fn in_order(a: &CableWork, b: &CableWork) -> Ordering {
    let rack = |work: &CableWork| work.rack.split(' ').next().unwrap_or("").to_owned();
    names::natural(&rack(a), &rack(b))
        .then_with(|| names::natural(&a.here.node, &b.here.node))
        .then_with(|| (a.here.guid, a.here.port).cmp(&(b.here.guid, b.here.port)))
        .then_with(|| a.code.name().cmp(b.code.name()))
}

/// Names of switches that tell them apart: with the GUID where several share one.
struct SwitchNames {
    switches: FxHashSet<Guid>,
    sharing: FxHashMap<String, usize>,
}

impl SwitchNames {
    fn of(fabric: &Fabric) -> Self {
        let mut sharing: FxHashMap<String, usize> = FxHashMap::default();
        for switch in fabric.switches() {
            *sharing.entry(fabric.name(switch).into_owned()).or_default() += 1;
        }
        Self { switches: fabric.switches().map(|switch| fabric.node(switch).guid).collect(), sharing }
    }

    fn end(&self, location: Location) -> CableEnd {
        let Location { node, guid, port, .. } = location;
        let is_shared = self.sharing.get(&node).is_some_and(|&count| count > 1);
        let node = match guid.filter(|guid| is_shared && self.switches.contains(guid)) {
            Some(guid) => format!("{node} {guid}"),
            None => node,
        };
        CableEnd { node, guid, port }
    }
}

/// The ports that cables to be plugged in have taken so far.
#[derive(Default)]
struct FreePorts(FxHashSet<(Option<Guid>, u8)>);

impl FreePorts {
    /// Takes the port of an end; where another cable has it already, any free one must do.
    fn take(&mut self, end: &mut CableEnd) {
        end.port = end.port.filter(|&port| self.0.insert((end.guid, port)));
    }
}

/// One step of work, before its ends have names that tell switches apart.
struct Step {
    action: Action,
    here: Location,
    there: Option<Location>,
    reason: Reason,
    why: String,
}

impl Step {
    fn at_cable(action: Action, [here, there]: Cable, reason: Reason, why: String) -> Self {
        Self { action, here, there: Some(there), reason, why }
    }

    fn at_node(here: &Location, reason: Reason, why: String) -> Self {
        Self { action: Action::Check, here: here.clone(), there: None, reason, why }
    }
}

/// What a fact asks for.
fn steps(fact: &Fact) -> Vec<Step> {
    let why = || wording::work(fact);
    match fact {
        Fact::UplinksMissing(gaps) | Fact::UplinksFewer(gaps) => plug_in(gaps, &why()),
        Fact::UplinksUnsure(unsure) => {
            let reason = Reason::OneOfSeveralMissing { have: unsure.have, expected: unsure.expected };
            let step = || Step::at_cable(Action::PlugIn, unsure.cable(), reason.clone(), why());
            (0..unsure.missing).map(|_| step()).collect()
        }
        Fact::CablesMisplaced(misplaced) => {
            let step = |it: &facts::MisplacedCable| {
                let facts::MisplacedCable { cable, expected } = it;
                let reason = Reason::Misplaced { expected: expected.clone() };
                Step::at_cable(Action::Move, cable.clone(), reason, wording::misplaced(it))
            };
            misplaced.cables.iter().map(step).collect()
        }
        Fact::CableStray(stray) => {
            let reason = Reason::Stray { joins: stray.joins };
            vec![Step::at_cable(Action::Check, stray.cable.clone(), reason, why())]
        }
        Fact::LinksSlow(below) | Fact::LinksNarrow(below) => {
            let reason = |rate| Reason::Below { rate, expected: below.usual };
            let links = below.links.iter();
            links
                .map(|it| Step::at_cable(Action::Replace, it.cable.clone(), reason(it.rate), why()))
                .collect()
        }
        Fact::RatesDiffer(uneven) => {
            let step = |it: &facts::UnevenLink| {
                Step::at_cable(Action::Check, it.cable.clone(), Reason::Uneven { rates: it.rates }, why())
            };
            uneven.links.iter().map(step).collect()
        }
        Fact::LinksOneSided(one_sided) => {
            let step = |it: &facts::OneSidedLink| {
                let reason = Reason::OneSided { silent: it.silent.clone() };
                Step::at_cable(Action::Check, it.cable.clone(), reason, why())
            };
            one_sided.links.iter().map(step).collect()
        }
        Fact::RailsCrossed(crossed) => {
            let step = |it: &facts::CrossedAdapter| {
                let leaf = it.leaf_port()?.clone();
                let (rail, expected) = (it.rail, it.expected_rail);
                let reason = Reason::Crossed { host: crossed.host.clone(), rail, expected };
                let why = wording::crossed(&crossed.host, it);
                Some(Step::at_cable(Action::Move, [leaf, it.adapter.clone()], reason, why))
            };
            crossed.adapters.iter().filter_map(step).collect()
        }
        Fact::PortUnexpected(odd) => {
            let cable = [odd.leaf.clone(), odd.adapter.clone()];
            vec![Step::at_cable(Action::Check, cable, Reason::OtherPort { expected: odd.expected }, why())]
        }
        Fact::HostsAbsent(absent) => absent.hosts.iter().map(absent_host).collect(),
        Fact::SwitchAbsent(absent) => {
            vec![Step::at_node(&absent.switch, Reason::SwitchAbsent(absent.clone()), why())]
        }
        // Without their leaf they cannot have the rail: the leaf is another finding.
        Fact::RailMissing(missing) if missing.absent_leaf.is_some() => Vec::new(),
        Fact::RailMissing(missing) => {
            let step = |host| Step::at_node(host, Reason::RailLacking { rail: missing.rail }, why());
            missing.hosts.iter().map(step).collect()
        }
        Fact::Island(facts::Island { nodes, .. })
        | Fact::EndNodesUncabled(facts::UncabledEndNodes { nodes }) => {
            let first = nodes.first().into_iter();
            first.map(|node| Step::at_node(node, Reason::Apart { nodes: nodes.len() }, why())).collect()
        }
        Fact::NodeGuidShared(_)
        | Fact::PortGuidShared(_)
        | Fact::LidShared(_)
        | Fact::SectionThin(_)
        | Fact::HostsCrowded(_)
        | Fact::LeafShared(_)
        | Fact::CardShared(_)
        | Fact::PrefixShared(_)
        | Fact::NameShared(_)
        | Fact::HostNameGeneric(_)
        | Fact::AdaptersUnnamed(_)
        | Fact::DescriptionShared(_) => Vec::new(),
    }
}

fn plug_in(fact: &UplinkGaps, why: &str) -> Vec<Step> {
    let each = fact.gaps.iter().flat_map(|gap| {
        let reason = Reason::Missing { have: gap.have, expected: gap.expected };
        let cables = gap.cables().into_iter();
        cables.map(move |cable| Step::at_cable(Action::PlugIn, cable, reason.clone(), why.to_owned()))
    });
    each.collect()
}

/// One step a host, at the first of its leaf ports.
fn absent_host(absent: &AbsentHost) -> Step {
    let (reason, why) = (Reason::HostAbsent(absent.clone()), wording::absent_host(absent));
    match absent.ports.first() {
        None => Step::at_node(&absent.host, reason, why),
        Some(port) => Step::at_cable(Action::Check, [port.clone(), absent.host.clone()], reason, why),
    }
}

#[cfg(test)]
mod tests {
    use super::super::findings;
    use super::*;
    use crate::generate::{edit, generate};

    fn work(spec: &str, selectors: &[&str]) -> Vec<CableWork> {
        let fabric = edit(&generate(spec).unwrap(), selectors).unwrap();
        let hosts = Hosts::of(&fabric, None);
        cable_work(&fabric, &hosts, &findings(&fabric, &hosts))
    }

    fn ends(work: &CableWork) -> Vec<(&str, Option<u8>)> {
        std::iter::once(&work.here).chain(&work.there).map(|end| (&*end.node, end.port)).collect()
    }

    #[test]
    fn each_of_six_rotated_uplinks_has_its_own_spine_and_its_peers() {
        // fat-tree:16,2: port 8 + k of a leaf leads to spine k. Here ports 9 to 13 lead one spine further, and 14 to the first.
        let cut: Vec<String> = (9..=14).map(|port| format!("leaf-03[{port}]")).collect();
        let spines = [2, 3, 4, 5, 6, 1];
        let cables = (9..).zip(spines).map(|(port, spine)| format!("+leaf-03[{port}]--spine-0{spine}[3]"));
        let selectors: Vec<String> = cut.into_iter().chain(cables).collect();
        let selectors: Vec<&str> = selectors.iter().map(String::as_str).collect();
        let found = work("fat-tree:16,2", &selectors);
        assert_eq!(found.len(), 6);
        for (index, (line, spine)) in found.iter().zip(spines).enumerate() {
            let (port, there, own) = (9 + index, format!("spine-0{spine}"), format!("spine-0{}", index + 1));
            assert_eq!((line.action, line.code), (Action::Move, Code::CableUnexpected));
            assert_eq!(ends(line), [("leaf-03", Some(port as u8)), (&*there, Some(3))]);
            assert!(matches!(&line.reason, Reason::Misplaced { expected } if expected.node == own));
            assert_eq!(line.why, format!("port {port} leads to {there} where its peers' leads to {own}"));
        }
    }

    #[test]
    fn a_cable_that_joins_the_wrong_switches_is_to_be_checked() {
        let found = work("fat-tree:8,2:radix=10", &["+leaf-01[9]--leaf-02[9]"]);
        let [line] = &found[..] else { panic!("one line: {found:?}") };
        assert_eq!((line.action, line.code), (Action::Check, Code::CableUnexpected));
        assert_eq!(line.reason, Reason::Stray { joins: Joins::SameLevel });
        assert_eq!(ends(line), [("leaf-01", Some(9)), ("leaf-02", Some(9))]);
    }

    #[test]
    fn hosts_without_a_rail_are_to_be_checked_unless_their_leaf_is_absent() {
        // Hosts 5 to 8 are on leaf 2 of each rail. Their leaf of rail 3 is gone, with their adapters there; and host 13
        // has lost its adapter on rail 1, whose leaf is there.
        let gone = [
            "rail3-leaf-02",
            "node0005 HCA-3",
            "node0006 HCA-3",
            "node0007 HCA-3",
            "node0008 HCA-3",
            "node0013 HCA-1",
        ];
        let found = work("fat-tree:8,2:rails=4", &gone);
        let lines: Vec<_> = found.iter().map(|line| (line.code, ends(line))).collect();
        assert_eq!(
            lines,
            [
                (Code::RailMissing, vec![("node0013", None)]),
                (Code::SwitchAbsent, vec![("rail3-leaf-02", None)])
            ]
        );
        assert_eq!(found[0].reason, Reason::RailLacking { rail: 1 });
    }

    #[test]
    fn a_port_that_two_missing_cables_would_need_is_given_once() {
        let end = |port| CableEnd { node: "leaf".into(), guid: Some(Guid(1)), port };
        let mut ends = [end(Some(5)), end(Some(5)), end(None), end(Some(6))];
        let mut free = FreePorts::default();
        ends.iter_mut().for_each(|end| free.take(end));
        assert_eq!(ends.map(|end| end.port), [Some(5), None, None, Some(6)]);
    }

    #[test]
    fn switches_that_share_a_name_have_their_guids_with_it() {
        // Taken from leaf 3 of four that are all called alike, the cable to one spine.
        let found = work("fat-tree:8,2:unmanaged=1", &[]);
        assert_eq!(found, []);
        let fabric = generate("fat-tree:8,2:unmanaged=1").unwrap();
        let names = SwitchNames::of(&fabric);
        let first = fabric.node(crate::fabric::NodeId(0));
        let location =
            Location { guid: Some(first.guid), ..Location::absent(&fabric.name(crate::fabric::NodeId(0))) };
        assert!(names.end(location).node.ends_with(&format!(" {}", first.guid)));
    }
}
