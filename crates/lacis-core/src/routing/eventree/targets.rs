//! Destinations, home by home, and the chain of switches above each over which it would best be
//! reached: the numbers of D-Mod-K.
//!
//! The `i`-th destination of a tree takes slot `i mod W` of its leaf, where the leaf has `W` slots to
//! `w` parents, at that parent slot `i / w mod W'`, and so on up. Whoever sends to it aims for the
//! switch of its chain on the level where their ways meet.
//!
//! A destination whose slot is a gap takes a slot that no other has; failing that, its chain ends
//! there. A host *floats*, its chain ends, where the hosts whose chains have come to a switch are more than
//! its slots but no multiple of them and the cables of those left over would be more than [`UNEVEN`]
//! times as full as the mean: at its leaf those in the last seats, above that those who come after their
//! cable has its share.

use crate::fabric::{Fabric, NodeId, NodeKind};
use crate::lids::Lids;
use crate::routing::graph::SwitchGraph;

use super::above::Above;
use super::layout::{GAP, Layout};
use super::order::Order;
use super::seats::Seats;

/// No switch, link or number.
pub(super) const NONE: u32 = u32::MAX;

/// How much fuller than the mean a cable may be for want of divisibility.
const UNEVEN: f64 = 1.05;

/// Who answers to a LID.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A host adapter.
    Host,
    /// An aggregation node or a router.
    Other,
    /// The switch itself: only management traffic goes there.
    Switch,
}

/// All LIDs in use, by home.
pub(super) struct Targets {
    /// The switches, each after its neighbour.
    pub homes: Vec<Home>,
    /// By target: its LID …
    pub lids: Vec<u32>,
    /// … the port of its home that it hangs on …
    pub ports: Vec<u8>,
    /// … and who it is.
    pub kinds: Vec<Kind>,
    /// By level, then target: the switch of its chain, its home on that switch's level; [`NONE`] elsewhere.
    pub goal: Vec<Vec<u32>>,
    /// By level, then target: the link from its chain's switch up to the next.
    pub link: Vec<Vec<u32>>,
    /// By link: how many hosts' chains lead up over it.
    pub chained: Vec<u32>,
    /// By switch: the links in its slots that no chain uses.
    pub unused: Vec<Vec<u32>>,
    /// By target: what is left of its number for the levels that its chain has not reached.
    number: Vec<u32>,
    /// By level of a sender and of the meeting, then target: which of several ways to take.
    ranks: Vec<Vec<u8>>,
}

/// A switch and the targets on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Home {
    /// The switch.
    pub switch: u32,
    /// First target.
    pub first: u32,
    /// End of its hosts: they come first.
    pub hosts: u32,
    /// End of its targets.
    pub end: u32,
    /// How far choices that are dealt round move on from one home to the next.
    pub step: u32,
    /// The LID of its first target.
    pub lid: u32,
    /// End of the hosts whose LIDs follow each other from that one on.
    pub run: u32,
}

impl Home {
    /// Its targets.
    #[inline]
    pub fn targets(&self) -> std::ops::Range<usize> {
        self.first as usize..self.end as usize
    }

    /// Its hosts.
    #[inline]
    pub fn host_targets(&self) -> std::ops::Range<usize> {
        self.first as usize..self.hosts as usize
    }

    /// Where the LIDs of its first hosts are in a row, as many as follow each other.
    #[inline]
    pub fn run(&self) -> std::ops::Range<usize> {
        self.lid as usize..(self.lid + self.run - self.first) as usize
    }
}

impl Targets {
    /// All targets of a fabric.
    pub fn of(
        fabric: &Fabric,
        lids: &Lids,
        graph: &SwitchGraph,
        order: &Order,
        layout: &Layout,
        above: &Above,
    ) -> Self {
        let levels = order.level.iter().max().map_or(1, |&l| usize::from(l) + 1);
        let part = graph.components();
        let seats = seats(fabric, order, layout, &part);
        let mut targets = Self {
            homes: Vec::new(),
            lids: Vec::new(),
            ports: Vec::new(),
            kinds: Vec::new(),
            goal: vec![Vec::new(); levels],
            link: vec![Vec::new(); levels],
            chained: vec![0; graph.num_links()],
            unused: Vec::new(),
            number: Vec::new(),
            ranks: Vec::new(),
        };
        let mut homes: Vec<usize> = (0..graph.num_switches()).collect();
        homes.sort_by_key(|&s| (order.level[s], part[s], layout.ordinal[s]));
        for home in homes {
            let seats = if order.level[home] == 0 { seats.get(part[home] as usize) } else { None };
            targets.add(fabric, lids, layout, seats, home);
        }
        targets.start(order);
        for level in 0..levels - 1 {
            targets.climb(graph, layout, level);
        }
        let unused = |s: usize| {
            let links = layout.slots(s).iter().map(|slot| slot.link);
            links.filter(|&link| link != GAP && targets.chained[link as usize] == 0).collect()
        };
        targets.unused = (0..graph.num_switches()).map(unused).collect();
        targets.rank(layout, above, order);
        targets
    }

    /// Adds a home with its targets and their numbers.
    fn add(&mut self, fabric: &Fabric, lids: &Lids, layout: &Layout, seats: Option<&Seats>, home: usize) {
        let ends = ends(fabric, lids, home);
        let hosts = ends.iter().filter(|e| e.kind == Kind::Host).count() as u32;
        let usual = seats.map_or(hosts, |s| s.usual);
        let chained = chained_hosts(usual, layout.slots(home).len() as u32);
        let first = self.lids.len() as u32;
        let ordinal = layout.ordinal[home];
        let mut beyond = usual..;
        for (n, end) in (0..).zip(ends) {
            let seat = match (end.kind, seats) {
                (Kind::Host, Some(seats)) => seats.seat(end.port, n).or_else(|| beyond.next()),
                (Kind::Host, None) => Some(n),
                (Kind::Other, _) => None,
                (Kind::Switch, _) => Some(0),
            };
            let floats = |&seat: &u32| chained < usual && end.kind == Kind::Host && seat >= chained;
            let stride = if end.kind == Kind::Switch { 1 } else { chained };
            let number =
                seat.filter(|seat| !floats(seat)).map(|seat| ordinal.wrapping_mul(stride).wrapping_add(seat));
            for k in 0..1 << end.lmc {
                self.lids.push(end.lid + k);
                self.ports.push(end.port);
                self.kinds.push(end.kind);
                self.number.push(number.map_or(NONE, |n| n.wrapping_add(k).min(NONE - 1)));
            }
        }
        let step = if chained < usual { usual - chained } else { 1 };
        let kinds = self.kinds[first as usize..].iter();
        let hosts = kinds.take_while(|&&kind| kind == Kind::Host).count();
        let lids = &self.lids[first as usize..first as usize + hosts];
        let lid = lids.first().copied().unwrap_or(0);
        let run = lids.iter().zip(lid..).take_while(|&(&lid, next)| lid == next).count();
        self.homes.push(Home {
            switch: home as u32,
            first,
            hosts: first + hosts as u32,
            end: self.lids.len() as u32,
            step,
            lid,
            run: first + run as u32,
        });
    }

    /// Begins all chains at their homes.
    fn start(&mut self, order: &Order) {
        for (goals, links) in self.goal.iter_mut().zip(&mut self.link) {
            goals.resize(self.lids.len(), NONE);
            links.resize(self.lids.len(), NONE);
        }
        for home in &self.homes {
            self.goal[usize::from(order.level[home.switch as usize])][home.targets()].fill(home.switch);
        }
    }

    /// Leads all chains from one level to the next.
    fn climb(&mut self, graph: &SwitchGraph, layout: &Layout, level: usize) {
        let mut at_gaps: Vec<usize> = Vec::new();
        let mut hosts = vec![0; graph.num_switches()];
        for t in (0..self.lids.len()).filter(|&t| self.climbs(level, t) && self.kinds[t] == Kind::Host) {
            hosts[self.goal[level][t] as usize] += 1;
        }
        for t in 0..self.lids.len() {
            let (at, number) = (self.goal[level][t], self.number[t]);
            let slots = if self.climbs(level, t) { layout.slots(at as usize) } else { &[] };
            if slots.is_empty() {
                continue;
            }
            let (width, hosts) = (slots.len() as u32, hosts[at as usize]);
            let floats = |link: u32| {
                let chained = chained_hosts(hosts, width);
                self.kinds[t] == Kind::Host
                    && chained < hosts
                    && self.chained[link as usize] >= chained / width
            };
            match slots[number as usize % slots.len()].link {
                GAP => at_gaps.push(t),
                link if floats(link) => {
                    self.number[t] = NONE;
                    continue;
                }
                link => self.lead(graph, level, t, link),
            }
            self.number[t] = number / layout.parents[at as usize].max(1);
        }
        for t in at_gaps {
            let slots = layout.slots(self.goal[level][t] as usize);
            let unused = |link: &u32| *link != GAP && self.chained[*link as usize] == 0;
            if let Some(link) = slots.iter().map(|slot| slot.link).find(unused) {
                self.lead(graph, level, t, link);
            }
        }
    }

    /// Whether a target's chain has come to a level and may go on.
    fn climbs(&self, level: usize, t: usize) -> bool {
        self.goal[level][t] != NONE && self.number[t] != NONE
    }

    fn lead(&mut self, graph: &SwitchGraph, level: usize, t: usize, link: u32) {
        self.link[level][t] = link;
        self.goal[level + 1][t] = graph.peer[link as usize];
        self.chained[link as usize] += u32::from(self.kinds[t] == Kind::Host);
    }

    /// Finds the ranks: of the slots that lead to a goal, how many come before the chain's own.
    fn rank(&mut self, layout: &Layout, above: &Above, order: &Order) {
        let levels = self.goal.len();
        self.ranks = vec![vec![0; self.lids.len()]; levels * levels];
        for home in &self.homes {
            let low = usize::from(order.level[home.switch as usize]);
            for (t, nth) in home.targets().zip(0_u32..) {
                for (from, to) in (0..levels).flat_map(|from| (from + 1..levels).map(move |to| (from, to))) {
                    let goal = self.goal[to][t];
                    let rank = if from < low || goal == NONE {
                        nth
                    } else {
                        let slots = layout.slots(self.goal[from][t] as usize);
                        let before = slots.iter().take_while(|slot| slot.link != self.link[from][t]);
                        before.filter(|slot| above.is_above(slot.parent as usize, goal as usize)).count()
                            as u32
                    };
                    self.ranks[from * levels + to][t] = rank as u8;
                }
            }
        }
    }

    /// Which of several ways from a level to a target's goal on a higher one.
    #[inline]
    pub fn ranks(&self, from: usize, to: usize) -> &[u8] {
        &self.ranks[from * self.goal.len() + to]
    }
}

/// The seats of leaves, by part.
fn seats(fabric: &Fabric, order: &Order, layout: &Layout, part: &[u32]) -> Vec<Seats> {
    let parts = part.iter().max().map_or(0, |&p| p as usize + 1);
    let mut leaves: Vec<Vec<NodeId>> = vec![Vec::new(); parts];
    for s in fabric.switches().filter(|s| order.level[s.ix()] == 0) {
        leaves[part[s.ix()] as usize].push(s);
    }
    let of_part = |leaves: Vec<NodeId>| {
        let mut widths: Vec<u32> = leaves.iter().map(|s| layout.slots(s.ix()).len() as u32).collect();
        widths.sort_unstable();
        Seats::of(fabric, &leaves, widths.get(widths.len() / 2).copied().unwrap_or(0))
    };
    leaves.into_iter().map(of_part).collect()
}

/// How many of the usual hosts of a leaf have a chain.
fn chained_hosts(usual: u32, width: u32) -> u32 {
    if width == 0 || usual < width {
        return usual;
    }
    let fullest = f64::from(usual.div_ceil(width) * width);
    if fullest > UNEVEN * f64::from(usual) { usual - usual % width } else { usual }
}

struct End {
    kind: Kind,
    port: u8,
    lid: u32,
    lmc: u8,
}

/// Who has LIDs on a switch: hosts first, by port, the switch itself last.
fn ends(fabric: &Fabric, lids: &Lids, switch: usize) -> Vec<End> {
    let switch = NodeId(switch as u32);
    let cabled = fabric.ports_of(switch).filter_map(|p| Some((p, fabric.peer(p)?)));
    let others = cabled.filter(|&(_, q)| !fabric.is_switch(fabric.node_of(q)));
    let own = fabric.port0(switch);
    let end = |(p, q)| {
        let kind = match fabric.node(fabric.node_of(q)).kind {
            NodeKind::Adapter => Kind::Host,
            NodeKind::Switch => Kind::Switch,
            NodeKind::Router | NodeKind::Aggregation => Kind::Other,
        };
        End { kind, port: fabric.number_of(p), lid: lids.base(q), lmc: lids.lmc(q) }
    };
    let mut ends: Vec<End> = others.chain([(own, own)]).map(end).filter(|e| e.lid != 0).collect();
    ends.sort_by_key(|e| e.kind != Kind::Host);
    ends
}
