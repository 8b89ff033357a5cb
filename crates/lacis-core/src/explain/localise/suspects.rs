//! The suspects, and which measured flows cross each.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::super::residuals::Residuals;
use crate::fabric::{Fabric, NodeId};
use crate::model::load::{LinkId, Links};

/// A link is decisive for a flow if it leaves the flow at most this much more than the slowest link does, ln.
pub(super) const DECIDES: f32 = 0.02;
/// A flow that may get so much more by max-min sharing than its share of the slowest link, ln, may lose nothing by a slow link.
const SPARE: f32 = 0.02;

/// What may make flows slow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Suspect {
    /// A directed link: a cable in one direction, the ports at its ends, or a host that sends or receives.
    Link(LinkId),
    /// A host's adapter in both directions, by its link to the switch.
    Host(LinkId),
    /// A cable between switches in both directions, by the direction with the lower number.
    Cable(LinkId),
    /// A switch: all flows through it.
    Switch(NodeId),
}

/// Suspects whose measured levels are compared with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Links from end nodes.
    Sending,
    /// Links to end nodes.
    Receiving,
    /// Links between switches.
    Inner,
    /// Adapters in both directions.
    Host,
    /// Cables between switches in both directions.
    Cable,
    /// Switches.
    Switch,
}

impl Kind {
    pub const COUNT: usize = 6;
}

/// The flows over every suspect that any flow crosses, row after row.
#[derive(Debug)]
pub struct SuspectFlows {
    pub suspects: Vec<Suspect>,
    pub kinds: Vec<Kind>,
    starts: Vec<usize>,
    flows: Vec<u32>,
    slack: Vec<f32>,
    /// Whether the flow would lose what the link loses: it gets no more by max-min sharing, nor has the link more for it.
    tells: Vec<bool>,
    /// By suspect: whether most of the flows for which it is decisive would.
    is_seen: Vec<bool>,
    /// By link: its suspect, or none.
    of_link: Vec<u32>,
    /// By either direction of an adapter or a cable: the suspect that is both.
    of_both: FxHashMap<LinkId, u32>,
    of_switch: Vec<u32>,
    is_time: bool,
}

const NONE: u32 = u32::MAX;

impl SuspectFlows {
    pub fn of(fabric: &Fabric, links: &Links, residuals: &Residuals, is_time: bool) -> Self {
        let mut all = Self {
            suspects: Vec::new(),
            kinds: Vec::new(),
            starts: vec![0],
            flows: Vec::new(),
            slack: Vec::new(),
            tells: Vec::new(),
            is_seen: Vec::new(),
            of_link: vec![NONE; links.len()],
            of_both: FxHashMap::default(),
            of_switch: vec![NONE; fabric.num_switches()],
            is_time,
        };
        all.links(fabric, links, residuals);
        let crossed = all.suspects.len();
        all.both(fabric, links, crossed);
        all.switches(fabric, links, crossed);
        let is_seen = |at: usize| {
            let decided = || all.cells(at).filter(|&(_, slack, _)| slack < DECIDES);
            2 * decided().filter(|&(_, _, tells)| tells).count() >= decided().count()
        };
        let is_seen: Vec<bool> = (0..all.len()).map(is_seen).collect();
        all.is_seen = is_seen;
        all
    }

    /// Number of suspects.
    pub fn len(&self) -> usize {
        self.suspects.len()
    }

    /// The flows over a suspect with their slack.
    pub fn flows(&self, suspect: usize) -> impl Iterator<Item = (usize, f32)> + Clone + '_ {
        let row = self.starts[suspect]..self.starts[suspect + 1];
        self.flows[row.clone()].iter().map(|&f| f as usize).zip(self.slack[row].iter().copied())
    }

    /// The flows for which it is decisive. Those that would lose nothing, as others leave them more, show nothing: where most
    /// would lose, these alone.
    pub fn decided(&self, suspect: usize) -> impl Iterator<Item = usize> + Clone + '_ {
        let by_these = self.is_seen[suspect];
        let is_one = move |&(_, slack, tells): &(usize, f32, bool)| slack < DECIDES && (tells || !by_these);
        self.cells(suspect).filter(is_one).map(|(f, _, _)| f)
    }

    /// The flows over a suspect with their slack, and whether each would lose what it loses.
    pub fn cells(&self, suspect: usize) -> impl Iterator<Item = (usize, f32, bool)> + Clone + '_ {
        let row = self.starts[suspect]..self.starts[suspect + 1];
        self.flows(suspect).zip(&self.tells[row]).map(|((f, slack), &tells)| (f, slack, tells))
    }

    /// The flows over a suspect among those of a range.
    pub fn within(&self, suspect: usize, range: &Range<usize>) -> &[u32] {
        let row = &self.flows[self.starts[suspect]..self.starts[suspect + 1]];
        let at = |flow: usize| row.partition_point(|&f| (f as usize) < flow);
        &row[at(range.start)..at(range.end)]
    }

    /// The suspects that a link belongs to: itself, its host or cable, the switch that it leads to.
    pub fn with_link(&self, fabric: &Fabric, links: &Links, link: LinkId) -> impl Iterator<Item = usize> {
        let egress = links.egress(link);
        let both = self.of_both.get(&link).copied().unwrap_or(NONE);
        let ahead =
            fabric.peer(egress).map(|port| fabric.node_of(port)).filter(|&node| fabric.is_switch(node));
        let switch = ahead.map_or(NONE, |node| self.of_switch[node.ix()]);
        [self.of_link[link as usize], both, switch].into_iter().filter(|&at| at != NONE).map(|at| at as usize)
    }

    /// The suspect that is a link alone.
    pub fn of_link(&self, link: LinkId) -> Option<usize> {
        let at = self.of_link[link as usize];
        (at != NONE).then_some(at as usize)
    }

    /// The links that make up a suspect.
    pub fn links_of(&self, fabric: &Fabric, links: &Links, suspect: usize) -> Vec<LinkId> {
        match self.suspects[suspect] {
            Suspect::Link(link) => vec![link],
            Suspect::Host(one) | Suspect::Cable(one) => {
                [one].into_iter().chain(back(fabric, links, one)).collect()
            }
            Suspect::Switch(node) => leading_to(fabric, links, node).collect(),
        }
    }

    fn links(&mut self, fabric: &Fabric, links: &Links, residuals: &Residuals) {
        let mut counts = vec![0_usize; links.len()];
        for &link in &residuals.links {
            counts[link as usize] += 1;
        }
        let mut at = vec![0_usize; links.len()];
        for link in 1..links.len() {
            if counts[link] == 0 {
                continue;
            }
            let egress = links.egress(link as LinkId);
            let ends = [Some(egress), fabric.peer(egress)]
                .map(|port| port.is_some_and(|port| fabric.is_switch(fabric.node_of(port))));
            let kind = match ends {
                [false, _] => Kind::Sending,
                [true, false] => Kind::Receiving,
                [true, true] => Kind::Inner,
            };
            at[link] = *self.starts.last().unwrap_or(&0);
            self.of_link[link] = self.suspects.len() as u32;
            self.suspects.push(Suspect::Link(link as LinkId));
            self.kinds.push(kind);
            self.starts.push(at[link] + counts[link]);
        }
        let size = *self.starts.last().unwrap_or(&0);
        self.flows = vec![0; size];
        self.slack = vec![0.0; size];
        self.tells = vec![false; size];
        for f in 0..residuals.len() {
            let room = &residuals.room[f * residuals.width..];
            for ((link, slack), room) in residuals.of_flow(f).zip(room) {
                let cell = &mut at[link as usize];
                self.flows[*cell] = f as u32;
                self.slack[*cell] = slack;
                self.tells[*cell] = residuals.spare[f] + room < SPARE;
                *cell += 1;
            }
        }
    }

    /// Adds adapters and cables that flows cross in both directions.
    fn both(&mut self, fabric: &Fabric, links: &Links, crossed: usize) {
        for at in 0..crossed {
            let Suspect::Link(one) = self.suspects[at] else { continue };
            let Some(other) = back(fabric, links, one) else { continue };
            let joined = match self.kinds[at] {
                Kind::Sending => (Suspect::Host(one), Kind::Host),
                Kind::Inner if one < other => (Suspect::Cable(one), Kind::Cable),
                _ => continue,
            };
            if let Some(there) = self.of_link(other) {
                let number = self.suspects.len() as u32;
                self.of_both.extend([(one, number), (other, number)]);
                self.join(joined.0, joined.1, &[at, there]);
            }
        }
    }

    fn switches(&mut self, fabric: &Fabric, links: &Links, crossed: usize) {
        if crossed == 0 {
            return;
        }
        for node in fabric.switches() {
            let of_link = &self.of_link;
            let ahead = leading_to(fabric, links, node).map(|link| of_link[link as usize]);
            let links: Vec<usize> = ahead.filter(|&at| at != NONE).map(|at| at as usize).collect();
            if links.len() > 1 {
                self.of_switch[node.ix()] = self.suspects.len() as u32;
                self.join(Suspect::Switch(node), Kind::Switch, &links);
            }
        }
    }

    /// Adds a suspect made of others. A time, there and back, crosses several of them: it counts once, by its least slack.
    fn join(&mut self, suspect: Suspect, kind: Kind, members: &[usize]) {
        let mut all: Vec<(u32, f32, bool)> = Vec::new();
        for &member in members {
            all.extend(self.cells(member).map(|(f, slack, tells)| (f as u32, slack, tells)));
        }
        if self.is_time {
            all.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
            all.dedup_by_key(|cell| cell.0);
        }
        self.flows.extend(all.iter().map(|cell| cell.0));
        self.slack.extend(all.iter().map(|cell| cell.1));
        self.tells.extend(all.iter().map(|cell| cell.2));
        self.suspects.push(suspect);
        self.kinds.push(kind);
        self.starts.push(self.flows.len());
    }
}

/// The other direction of a link.
fn back(fabric: &Fabric, links: &Links, link: LinkId) -> Option<LinkId> {
    fabric.peer(links.egress(link)).map(|port| links.leaving(port))
}

/// The links that lead to a switch.
fn leading_to<'a>(fabric: &'a Fabric, links: &'a Links, node: NodeId) -> impl Iterator<Item = LinkId> + 'a {
    fabric.ports_of(node).filter_map(|port| fabric.peer(port)).map(|far| links.leaving(far))
}
