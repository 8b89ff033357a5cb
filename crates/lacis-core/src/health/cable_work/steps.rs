//! What each kind of fact asks of the machine room.

use super::super::facts::{self, AbsentHost, Fact, UplinkGaps};
use super::super::{Cable, Location, wording};
use super::line::{Action, Reason};

/// One step of work, before ports are given out and racks are read from names.
pub(super) struct Step {
    pub action: Action,
    pub here: Location,
    pub there: Option<Location>,
    pub reason: Reason,
    pub why: String,
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
pub(super) fn steps(fact: &Fact) -> Vec<Step> {
    let why = || wording::work(fact);
    match fact {
        Fact::UplinksMissing(gaps) | Fact::UplinksFewer(gaps) => plug_in(gaps, &why()),
        Fact::UplinksUnsure(unsure) => {
            let reason = Reason::OneOfSeveralMissing { have: unsure.have, expected: unsure.expected };
            let step = || Step::at_cable(Action::PlugIn, unsure.cable(), reason.clone(), why());
            (0..unsure.missing).map(|_| step()).collect()
        }
        Fact::CablesMisplaced(misplaced) => {
            let step = |link: &facts::MisplacedCable| {
                let facts::MisplacedCable { cable, expected } = link;
                let reason = Reason::Misplaced { expected: expected.clone() };
                Step::at_cable(Action::Move, cable.clone(), reason, wording::misplaced(link))
            };
            misplaced.cables.iter().map(step).collect()
        }
        Fact::CablesAstray(astray) => {
            let step = |link: &facts::AstrayCable| {
                let (to, [have, _], [expected, _]) = (link.to.clone(), astray.have, astray.expected);
                let reason = Reason::Astray { to, have, expected };
                let why = wording::astray(astray, link);
                Step { action: Action::Move, here: link.at.clone(), there: link.stays.clone(), reason, why }
            };
            astray.cables.iter().map(step).collect()
        }
        Fact::CableStray(stray) => {
            let reason = Reason::Stray { joins: stray.joins };
            vec![Step::at_cable(Action::Check, stray.cable.clone(), reason, why())]
        }
        Fact::GroupCablesMissing(gaps) => {
            let cables = |gap: &facts::GroupGap| {
                let reason = Reason::Missing { have: gap.have, expected: gap.expected };
                let known = gap.ports.iter().cloned().map(Some);
                let cables: Vec<Option<Cable>> =
                    known.chain(std::iter::repeat(None)).take(gap.missing()).collect();
                let ends = gap.ends.clone();
                let step = move |cable: Option<Cable>| {
                    Step::at_cable(
                        Action::PlugIn,
                        cable.unwrap_or_else(|| ends.clone()),
                        reason.clone(),
                        wording::work(fact),
                    )
                };
                cables.into_iter().map(step).collect::<Vec<_>>()
            };
            gaps.gaps.iter().flat_map(cables).collect()
        }
        Fact::GroupsThin(thin) => {
            let reason = Reason::Missing { have: thin.have, expected: thin.expected };
            vec![Step::at_cable(Action::Check, thin.switches.clone(), reason, why())]
        }
        Fact::CablesExchanged(exchanged) => {
            let step = |(one, other): (&Cable, &Cable)| {
                let [right, wrong] = one.clone();
                let expected = Location { port: None, ..other[1].clone() };
                let reason = Reason::Exchanged { with: other.clone(), expected };
                Step::at_cable(Action::Swap, [wrong, right], reason, why())
            };
            let [one, other] = &exchanged.cables;
            [(one, other), (other, one)].map(step).into()
        }
        Fact::LinksSlow(below) | Fact::LinksNarrow(below) if below.switch.is_some() => {
            let first = below.switch.iter().zip(below.links.first());
            first
                .map(|(switch, link)| {
                    let reason = Reason::SwitchBelow {
                        cables: below.links.len(),
                        rate: link.rate,
                        expected: below.usual,
                    };
                    Step::at_node(switch, reason, why())
                })
                .collect()
        }
        Fact::PortsInactive(inactive) => {
            let step = |link: &facts::InactiveLink| {
                let one = Fact::PortsInactive(facts::InactivePorts { links: vec![link.clone()] });
                let reason = Reason::Inactive { states: link.states };
                Step::at_cable(Action::Check, link.cable.clone(), reason, wording::work(&one))
            };
            inactive.links.iter().map(step).collect()
        }
        Fact::Loopbacks(loopbacks) => {
            let step = |cable: &Cable| Step::at_cable(Action::Check, cable.clone(), Reason::Loopback, why());
            loopbacks.cables.iter().map(step).collect()
        }
        Fact::PortErrors(errors) | Fact::LinkQualityLow(errors) => {
            let step = |link: &facts::LinkCounts| {
                let counts = facts::ErrorCounts { links: vec![link.clone()], thresholds: errors.thresholds };
                let one = match fact {
                    Fact::LinkQualityLow(_) => Fact::LinkQualityLow(counts),
                    _ => Fact::PortErrors(counts),
                };
                let reason = Reason::Errors { counts: link.counts.clone() };
                Step::at_cable(Action::Check, link.cable.clone(), reason, wording::work(&one))
            };
            errors.links.iter().map(step).collect()
        }
        Fact::LinksSlow(below) | Fact::LinksNarrow(below) => {
            let reason = |rate| Reason::Below { rate, expected: below.usual };
            let links = below.links.iter();
            links
                .map(|link| Step::at_cable(Action::Replace, link.cable.clone(), reason(link.rate), why()))
                .collect()
        }
        Fact::CablesHot(hot) => {
            let step = |link: &facts::HotCable| {
                let one = Fact::CablesHot(facts::HotCables { links: vec![link.clone()], limit: hot.limit });
                let reason = Reason::Hot { temperatures: link.temperatures, limit: hot.limit };
                Step::at_cable(Action::Check, link.cable.clone(), reason, wording::work(&one))
            };
            hot.links.iter().map(step).collect()
        }
        Fact::PacketsDropped(dropped) => {
            let step = |link: &facts::DroppingLink| {
                let only = facts::DroppedPackets { links: vec![link.clone()], ..dropped.clone() };
                let one = Fact::PacketsDropped(only);
                let reason = Reason::Dropping { ends: link.ends.clone() };
                Step::at_cable(Action::Check, link.cable.clone(), reason, wording::work(&one))
            };
            // Packets that another link broke are no work at this one.
            let breaks = |link: &&facts::DroppingLink| link.ends.iter().any(|end| end.errors > 0);
            dropped.links.iter().filter(breaks).map(step).collect()
        }
        Fact::RatesDiffer(uneven) => {
            let step = |link: &facts::UnevenLink| {
                Step::at_cable(Action::Check, link.cable.clone(), Reason::Uneven { rates: link.rates }, why())
            };
            uneven.links.iter().map(step).collect()
        }
        Fact::LinksOneSided(one_sided) => {
            let step = |link: &facts::OneSidedLink| {
                let reason = Reason::OneSided { silent: link.silent.clone() };
                Step::at_cable(Action::Check, link.cable.clone(), reason, why())
            };
            one_sided.links.iter().map(step).collect()
        }
        Fact::RailsCrossed(crossed) => {
            let step = |link: &facts::CrossedAdapter| {
                let leaf = link.leaf_port()?.clone();
                let (rail, expected, target) = (link.rail, link.expected_rail, link.target.clone());
                let reason = Reason::Crossed { host: crossed.host.clone(), rail, expected, target };
                let why = wording::crossed(&crossed.host, link);
                Some(Step::at_cable(Action::Move, [leaf, link.adapter.clone()], reason, why))
            };
            crossed.adapters.iter().filter_map(step).collect()
        }
        Fact::PortUnexpected(odd) => {
            let cable = [odd.leaf.clone(), odd.adapter.clone()];
            vec![Step::at_cable(Action::Check, cable, Reason::OtherPort { expected: odd.expected }, why())]
        }
        Fact::HostsAbsent(absent) => absent.hosts.iter().map(absent_host).collect(),
        Fact::SwitchAbsent(absent) => {
            let first = absent.empty.as_ref().and_then(|empty| empty.ends.first().cloned());
            let step = Step::at_node(&absent.switch, Reason::SwitchAbsent(absent.clone()), why());
            vec![Step { there: first, ..step }]
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
        // How it was built, and what a manager mends.
        Fact::LinksSlowAlike(_)
        | Fact::SubnetInactive(_)
        // What no work on a cable mends.
        | Fact::NodeGuidShared(_)
        | Fact::PortGuidShared(_)
        | Fact::LidShared(_)
        | Fact::LidsMissing(_)
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
