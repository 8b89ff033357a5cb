//! How many pairs use each link when everybody in a crowd sends to everybody else in it, and how few
//! any routing could leave on the fullest link.

use rayon::prelude::*;

use crate::fabric::NodeId;
use crate::routing::NO_ENTRY;
use crate::routing::graph::SwitchGraph;
use crate::routing::routes::Lft;

use super::rows::Plan;
use super::targets::{Kind, NONE, Targets};

/// Targets that are counted at a time: a row's entries for them are a few neighbouring cache lines.
const BLOCK: usize = 256;

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
        let parts = lids.par_chunks(BLOCK).with_min_len(4);
        let (ascending, twins) = in_groups(plan);
        let parts = parts.fold(
            || Flow::new(plan, lft, wires),
            |flow, lids| flow.carry(&ascending, &twins, &self.senders, lids),
        );
        parts.map(Flow::loads).reduce(
            || vec![0; plan.graph.num_links()],
            |mut a, b| {
                a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
                a
            },
        )
    }

    /// Pairs that use the fullest link, whatever the order that tables go by: each way is walked.
    pub fn fullest(&self, plan: &Plan<'_>, lft: &Lft, wires: &Wires) -> u64 {
        let Plan { graph, targets, .. } = *plan;
        let mut loads = vec![0; graph.num_links()];
        let senders = |home: u32| (0..).zip(&self.senders).filter(move |&(s, &n)| s != home && n > 0);
        for home in &targets.homes {
            for t in home.targets().filter(|&t| self.receives[t]) {
                for (sender, &n) in senders(home.switch) {
                    let mut at = sender;
                    while let Some(link) = wires.link(at as usize, lft.get(NodeId(at), targets.lids[t])) {
                        loads[link] += u64::from(n);
                        at = graph.peer[link];
                    }
                }
            }
        }
        loads.into_iter().max().unwrap_or(0)
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
        for level in 0..top.max(1) {
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

/// All switches, every one after those below it, and which are *twins* of the one before: nobody is below
/// them, and the same ports lead to the same switches.
fn in_groups(plan: &Plan<'_>) -> (Vec<u32>, Vec<bool>) {
    let Plan { graph, order, .. } = *plan;
    let cables = |s: u32| {
        let links = graph.links(s as usize);
        (&graph.peer[links.clone()], &graph.port[links])
    };
    let is_lowest = |&s: &u32| graph.links(s as usize).all(|l| order.climbs[l]);
    let (mut ascending, others): (Vec<u32>, Vec<u32>) = order.ascending.iter().partition(|s| is_lowest(s));
    ascending.sort_by_key(|&s| cables(s));
    let lowest = ascending.len();
    ascending.extend(others);
    let is_twin = |at: usize| 0 < at && at < lowest && cables(ascending[at]) == cables(ascending[at - 1]);
    let twins = (0..ascending.len()).map(is_twin).collect();
    (ascending, twins)
}

/// Packets for a block of targets on their way.
struct Flow<'a> {
    graph: &'a SwitchGraph,
    lft: &'a Lft,
    wires: &'a Wires,
    /// By direction, then link: whom packets come to next. Those on their way up stay before a link that
    /// does not climb; there is no way from the way down up again.
    next: [Vec<u32>; 2],
    /// By switch: whether there are any.
    busy: Vec<bool>,
    /// By switch, then target of the block: how many.
    packets: Vec<u32>,
    /// By direction, then link: how many used it; of no meaning for links in the other direction.
    used: [Vec<u64>; 2],
    climbs: &'a [bool],
}

/// Directions.
const CLIMBING: usize = 0;
const FALLING: usize = 1;

/// Targets of a block that are passed over together where nobody sends.
const CHUNK: usize = 8;

impl<'a> Flow<'a> {
    fn new(plan: &Plan<'a>, lft: &'a Lft, wires: &'a Wires) -> Self {
        let (graph, climbs) = (plan.graph, &plan.order.climbs);
        let (count, links) = (graph.num_switches(), graph.num_links());
        let next = |l: usize| {
            let here = graph.peer[graph.back[l] as usize];
            if climbs[l] { (graph.peer[l], NONE) } else { (here, graph.peer[l]) }
        };
        let (up, down) = (0..links).map(next).unzip();
        Self {
            graph,
            lft,
            wires,
            next: [up, down],
            busy: vec![false; count],
            packets: vec![0; count * BLOCK],
            used: [vec![0; links], vec![0; links]],
            climbs,
        }
    }

    /// Carries the packets of all senders to some targets.
    fn carry(mut self, ascending: &[u32], twins: &[bool], senders: &[u32], lids: &[u32]) -> Self {
        let entries = lids[0] as usize..=lids[lids.len() - 1] as usize;
        let entries = |s: u32| &self.lft.row(NodeId(s))[entries.clone()];
        // Those on their way up move first; all have left when the block is done.
        let mut left = ascending;
        while let Some(&first) = left.first() {
            let is_alike = |&(&s, &twin): &(&u32, &bool)| twin && entries(s) == entries(first);
            let at = ascending.len() - left.len();
            let others = ascending[at + 1..].iter().zip(&twins[at + 1..]).take_while(is_alike).count();
            let (group, after) = left.split_at(1 + others);
            self.climb(group, senders, lids);
            left = after;
        }
        ascending.iter().rev().for_each(|&s| self.pass(FALLING, s as usize, 0, lids));
        self
    }

    /// Moves what some twins send as if the first sent it all, and shares it out over their links.
    fn climb(&mut self, group: &[u32], senders: &[u32], lids: &[u32]) {
        let own = |s: u32| senders[s as usize];
        let first = group[0] as usize;
        let all: u32 = group.iter().map(|&s| own(s)).sum();
        if group.len() == 1 || all == 0 {
            return self.pass(CLIMBING, first, all, lids);
        }
        let links = self.graph.links(first);
        let before = self.used[CLIMBING][links.clone()].to_vec();
        self.pass(CLIMBING, first, all, lids);
        for (nth, before) in before.into_iter().enumerate() {
            let used = &mut self.used[CLIMBING];
            let targets = (std::mem::replace(&mut used[links.start + nth], before) - before) / u64::from(all);
            for &s in group {
                used[self.graph.links(s as usize).start + nth] += targets * u64::from(own(s));
            }
        }
    }

    /// Moves the packets for some targets on from a switch, which sends some itself.
    fn pass(&mut self, direction: usize, s: usize, own: u32, lids: &[u32]) {
        let busy = std::mem::replace(&mut self.busy[s], false);
        if own == 0 && !busy {
            return;
        }
        let (row, wires) = (self.lft.row(NodeId(s as u32)), self.wires.of(s));
        let (next, used) = (&self.next[direction], &mut self.used[direction]);
        for (lids, first) in lids.chunks(CHUNK).zip((0..).step_by(CHUNK)) {
            let mut waiting = [0; CHUNK];
            if busy {
                let here = &mut self.packets[s * BLOCK + first..][..CHUNK];
                waiting.copy_from_slice(here);
                if own == 0 && waiting == [0; CHUNK] {
                    continue;
                }
                here.fill(0);
            }
            for ((&lid, &waiting), at) in lids.iter().zip(&waiting).zip(first..) {
                let number = waiting + own;
                if number == 0 {
                    continue;
                }
                let link = wires[usize::from(row[lid as usize])] as usize;
                let Some(&next) = next.get(link).filter(|&&next| next != NONE) else { continue };
                self.packets[next as usize * BLOCK + at] += number;
                self.busy[next as usize] = true;
                used[link] += u64::from(number);
            }
        }
    }

    /// By link: pairs that used it.
    fn loads(self) -> Vec<u64> {
        let [up, down] = self.used;
        let both = up.iter().zip(&down).zip(self.climbs);
        both.map(|((&up, &down), &climbs)| if climbs { up } else { down }).collect()
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
