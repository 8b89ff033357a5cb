//! How many pairs use each link when everybody in a crowd sends to everybody else in it, and how few
//! any routing could leave on the fullest link.

use rayon::prelude::*;

use crate::fabric::NodeId;
use crate::routing::NO_ENTRY;
use crate::routing::graph::SwitchGraph;
use crate::routing::routes::Lft;

use super::rows::Plan;
use super::targets::{Kind, Targets};

/// Targets that are counted at a time: entries of neighbouring LIDs share cache lines.
const BLOCK: usize = 128;

/// End nodes whose traffic among themselves is counted.
pub(super) struct Crowd {
    /// By switch: how many send from it.
    pub senders: Vec<u32>,
    /// By target: whether it is sent to.
    pub receives: Vec<bool>,
}

impl Crowd {
    /// The hosts; and all end nodes, where there are others too.
    pub fn of(targets: &Targets) -> Vec<Self> {
        let crowd = |is_in: &dyn Fn(Kind) -> bool| {
            let mut senders = vec![0; targets.homes.len()];
            for home in &targets.homes {
                // A port with several LIDs sends once.
                let mut ports: Vec<u8> =
                    home.targets().filter(|&t| is_in(targets.kinds[t])).map(|t| targets.ports[t]).collect();
                ports.sort_unstable();
                ports.dedup();
                senders[home.switch as usize] = ports.len() as u32;
            }
            Self { senders, receives: targets.kinds.iter().map(|&kind| is_in(kind)).collect() }
        };
        let mut crowds = vec![crowd(&|kind| kind == Kind::Host)];
        if targets.kinds.contains(&Kind::Other) {
            crowds.push(crowd(&|kind| kind != Kind::Switch));
        }
        crowds
    }

    /// By link: pairs that use it.
    pub fn loads(&self, plan: &Plan<'_>, lft: &Lft, wires: &Wires) -> Vec<u64> {
        let lids = plan.targets.lids.iter().zip(&self.receives);
        let mut lids: Vec<u32> = lids.filter(|&(_, &receives)| receives).map(|(&lid, _)| lid).collect();
        lids.sort_unstable();
        let (graph, order) = (plan.graph, plan.order);
        let count = graph.num_switches();
        let empty = || vec![0_u64; graph.num_links()];
        let scratch = || (empty(), vec![0_u32; count * BLOCK]);
        let add = |(mut loads, mut packets): (Vec<u64>, Vec<u32>), lids: &[u32]| {
            // Those on their way up move first; all have left when the block is done.
            let up = order.ascending.iter();
            for (&s, climbing) in up.clone().map(|s| (s, true)).chain(up.rev().map(|s| (s, false))) {
                let own = if climbing { self.senders[s as usize] } else { 0 };
                let waiting = s as usize * BLOCK..s as usize * BLOCK + lids.len();
                if own == 0 && packets[waiting.clone()].iter().fold(0, |any, &n| any | n) == 0 {
                    continue;
                }
                let (row, wires) = (lft.row(NodeId(s)), wires.of(s as usize));
                for (at, &lid) in waiting.zip(lids) {
                    let number = packets[at] + own;
                    if number == 0 {
                        continue;
                    }
                    let link = wires[usize::from(row[lid as usize])] as usize;
                    let moves = order.climbs.get(link) == Some(&climbing);
                    packets[at] = if climbing && !moves { number } else { 0 };
                    if moves {
                        packets[graph.peer[link] as usize * BLOCK + at % BLOCK] += number;
                        loads[link] += u64::from(number);
                    }
                }
            }
            (loads, packets)
        };
        let parts = lids.par_chunks(BLOCK).with_min_len(4).fold(scratch, add).map(|(loads, _)| loads);
        parts.reduce(empty, |mut a, b| {
            a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
            a
        })
    }

    /// Pairs that some link carries whatever the routing: those that must enter or leave a set of
    /// switches, over the cables of that set. Looked at are single switches, and what hangs together
    /// up to each level.
    pub fn bound(&self, plan: &Plan<'_>) -> u64 {
        let Plan { graph, order, targets, .. } = *plan;
        let count = graph.num_switches();
        let mut ends: Vec<Ends> = vec![Ends::default(); count];
        for home in &targets.homes {
            ends[home.switch as usize].receivers =
                home.targets().filter(|&t| self.receives[t]).count() as u64;
        }
        for (ends, &senders) in ends.iter_mut().zip(&self.senders) {
            ends.senders = u64::from(senders);
        }
        let part = graph.components();
        let whole = summed(&ends, &part);
        let mut group: Vec<u32> = (0..count as u32).collect();
        let top = order.level.iter().max().map_or(0, |&l| l);
        let mut fullest = 0;
        for level in 0..top {
            let inside = summed(&ends, &group);
            let mut cables = vec![0_u64; count];
            for s in 0..count {
                let leaving = graph.links(s).filter(|&l| group[graph.peer[l] as usize] != group[s]);
                cables[group[s] as usize] += leaving.count() as u64;
            }
            for s in (0..count).filter(|&s| cables[group[s] as usize] > 0) {
                let (cables, inside) = (cables[group[s] as usize], inside[group[s] as usize]);
                let outside = whole[part[s] as usize] - inside;
                // A switch sends all that it has for a destination one way.
                let leaving = if level == 0 {
                    outside.receivers.div_ceil(cables) * inside.senders
                } else {
                    (outside.receivers * inside.senders).div_ceil(cables)
                };
                fullest = fullest.max(leaving).max((inside.receivers * outside.senders).div_ceil(cables));
            }
            join(graph, &mut group, |s| order.level[s] <= level + 1);
        }
        fullest
    }
}

/// Who sends and who is sent to.
#[derive(Clone, Copy, Debug, Default)]
struct Ends {
    senders: u64,
    receivers: u64,
}

impl std::ops::Sub for Ends {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { senders: self.senders - other.senders, receivers: self.receivers - other.receivers }
    }
}

/// Sums by group.
fn summed(ends: &[Ends], group: &[u32]) -> Vec<Ends> {
    let mut sums = vec![Ends::default(); ends.len()];
    for (ends, &group) in ends.iter().zip(group) {
        let sum = &mut sums[group as usize];
        sum.senders += ends.senders;
        sum.receivers += ends.receivers;
    }
    sums
}

/// Joins the groups of all wanted switches that a cable connects.
fn join(graph: &SwitchGraph, group: &mut [u32], wanted: impl Fn(usize) -> bool) {
    fn root(group: &mut [u32], mut s: u32) -> u32 {
        while group[s as usize] != s {
            group[s as usize] = group[group[s as usize] as usize];
            s = group[s as usize];
        }
        s
    }
    for s in (0..group.len()).filter(|&s| wanted(s)) {
        for link in graph.links(s).filter(|&l| wanted(graph.peer[l] as usize)) {
            let (a, b) = (root(group, s as u32), root(group, graph.peer[link]));
            group[a.max(b) as usize] = a.min(b);
        }
    }
    for s in 0..group.len() as u32 {
        group[s as usize] = root(group, s);
    }
}

/// Links by switch and port.
pub(super) struct Wires {
    links: Vec<[u32; PORTS]>,
}

const PORTS: usize = 256;

impl Wires {
    /// Of all switches.
    pub fn of_all(graph: &SwitchGraph) -> Self {
        let of = |s: usize| {
            let mut links = [u32::MAX; PORTS];
            for link in graph.links(s).filter(|&l| graph.port[l] != NO_ENTRY) {
                links[usize::from(graph.port[link])] = link as u32;
            }
            links
        };
        Self { links: (0..graph.num_switches()).map(of).collect() }
    }

    /// Of one switch, by port; `u32::MAX` where no link to another switch is.
    #[inline]
    fn of(&self, s: usize) -> &[u32; PORTS] {
        &self.links[s]
    }

    /// The link to another switch at a port.
    #[inline]
    pub fn link(&self, s: usize, port: u8) -> Option<usize> {
        let link = self.links[s][usize::from(port)];
        (link != u32::MAX).then_some(link as usize)
    }
}
