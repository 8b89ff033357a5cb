//! Suspects that have a switch in common: half of its ports slow is one fault, not as many cables.

use super::super::robust::median;
use super::found::{FoundSuspect, SuspectGroup};
use super::suspects::{Suspect, SuspectFlows};
use crate::fabric::{Fabric, NodeId};
use crate::model::load::{LinkId, Links};

/// The fewest suspects of a group,
const LEAST: usize = 3;
/// and the least share of the switch's cables that flows cross.
const SHARE: f64 = 0.25;
/// Losses of a group are within so much of their median, ln.
const ALIKE: f64 = 0.15;

/// Groups, those with most members first; no suspect is in two of them.
pub fn of(
    fabric: &Fabric,
    links: &Links,
    columns: &SuspectFlows,
    found: &[FoundSuspect],
) -> Vec<SuspectGroup> {
    let mut open = vec![true; found.len()];
    let mut groups = Vec::new();
    loop {
        let largest = fabric
            .switches()
            .filter_map(|switch| group(fabric, links, columns, found, &open, switch))
            .max_by(|a, b| a.members.len().cmp(&b.members.len()).then(b.switch.cmp(&a.switch)));
        let Some(group) = largest else { return groups };
        for &at in &group.members {
            open[at] = false;
        }
        groups.push(group);
    }
}

/// The suspects at a switch that lose about as much, if they are enough.
fn group(
    fabric: &Fabric,
    links: &Links,
    columns: &SuspectFlows,
    found: &[FoundSuspect],
    open: &[bool],
    switch: NodeId,
) -> Option<SuspectGroup> {
    let ends_here = |link: LinkId| {
        let egress = links.egress(link);
        [Some(egress), fabric.peer(egress)].into_iter().flatten().any(|port| fabric.node_of(port) == switch)
    };
    let link_of = |suspect: &FoundSuspect| match suspect.suspect {
        Suspect::Link(link) | Suspect::Host(link) | Suspect::Cable(link) => Some(link),
        Suspect::Switch(_) => None,
    };
    let mut members: Vec<usize> =
        (0..found.len()).filter(|&at| open[at] && link_of(&found[at]).is_some_and(ends_here)).collect();
    if members.len() < LEAST {
        return None;
    }
    let mut losses: Vec<f32> = members.iter().map(|&at| found[at].loss as f32).collect();
    let loss = f64::from(median(&mut losses));
    members.retain(|&at| (found[at].loss - loss).abs() < ALIKE);
    let is_crossed = |port| {
        let both = [Some(port), fabric.peer(port)].into_iter().flatten();
        both.map(|port| links.leaving(port)).any(|link| columns.of_link(link).is_some())
    };
    let cables = fabric.ports_of(switch).filter(|&port| is_crossed(port)).count();
    // Both directions of a cable are one cable.
    let mut own: Vec<LinkId> = members
        .iter()
        .filter_map(|&at| link_of(&found[at]))
        .map(|link| {
            let back = fabric.peer(links.egress(link)).map_or(link, |port| links.leaving(port));
            link.min(back)
        })
        .collect();
    own.sort_unstable();
    own.dedup();
    let is_enough = own.len() >= LEAST && own.len() as f64 >= SHARE * cables as f64;
    is_enough.then_some(SuspectGroup { switch, members, cables, loss })
}
