//! Evening out: entries are changed, one at a time, until no link carries more than it should.
//!
//! Of a link that is too full some path is taken, from a destination back to a switch that sends
//! there. One of the switches on it, from that sender on, takes another hop, if that lowers the sum over
//! all links of the squared excess; so there is an end to it. Of a few such changes the one is made
//! that puts the fewest packets of the same *shift* together: packets from neighbouring homes to
//! neighbouring homes.

use crate::fabric::NodeId;
use crate::routing::routes::Lft;

use super::loads::{Crowd, Wires};
use super::rows::Plan;
use super::targets::{Home, NONE};

/// Changes that are compared before one is made.
const COMPARED: usize = 12;
/// Paths that are tried before a link is left as it is, for each target on it.
const TRIES: usize = 4;
/// Times that all links are gone over.
const ROUNDS: usize = 16;

/// Tables whose loads are known.
pub(super) struct Mend<'a> {
    plan: &'a Plan<'a>,
    wires: &'a Wires,
    lft: &'a mut Lft,
    crowds: Vec<Counted<'a>>,
    /// By switch: its place among the homes.
    place: Vec<u32>,
    changed: usize,
}

/// A crowd, and what its traffic puts on each link.
struct Counted<'a> {
    crowd: &'a Crowd,
    loads: Vec<u64>,
    /// No link should carry more.
    limit: u64,
}

/// A target and its home.
#[derive(Clone, Copy)]
struct Aim<'a> {
    home: &'a Home,
    target: usize,
    lid: u32,
}

/// One entry changed.
struct Change<'a> {
    aim: Aim<'a>,
    switch: usize,
    link: u32,
    /// Neighbouring packets on the links that it leads over.
    crowding: u32,
    gain: i128,
}

impl<'a> Mend<'a> {
    /// Counts loads.
    pub fn new(plan: &'a Plan<'a>, wires: &'a Wires, lft: &'a mut Lft, crowds: &'a [Crowd]) -> Self {
        let counted = |crowd: &'a Crowd| Counted {
            crowd,
            loads: crowd.loads(plan, lft, wires),
            limit: crowd.bound(plan),
        };
        let mut place = vec![NONE; plan.graph.num_switches()];
        for (home, at) in plan.targets.homes.iter().zip(0..) {
            place[home.switch as usize] = at;
        }
        Self { crowds: crowds.iter().map(counted).collect(), plan, wires, lft, place, changed: 0 }
    }

    /// Relieves the links that carry too much, the fullest first. Tells how many entries it changed.
    pub fn run(mut self) -> usize {
        for _ in 0..ROUNDS {
            let before = self.changed;
            let excess =
                |l: usize| self.crowds.iter().map(|c| c.loads[l].saturating_sub(c.limit)).max().unwrap_or(0);
            let mut full: Vec<(u64, usize)> =
                (0..self.plan.graph.num_links()).map(|l| (excess(l), l)).collect();
            full.retain(|&(excess, _)| excess > 0);
            full.sort_by_key(|&(excess, link)| (std::cmp::Reverse(excess), link));
            for (_, link) in full {
                self.relieve(link);
            }
            if self.changed == before {
                break;
            }
        }
        self.changed
    }

    fn is_full(&self, link: usize) -> bool {
        self.crowds.iter().any(|c| c.loads[link] > c.limit)
    }

    /// Changes entries until a link carries no more than it should, or enough was tried.
    fn relieve(&mut self, link: usize) {
        let graph = self.plan.graph;
        let s = graph.peer[graph.back[link] as usize] as usize;
        let targets = self.plan.targets;
        let aims: Vec<Aim<'a>> = targets
            .homes
            .iter()
            .filter(|home| home.switch as usize != s)
            .flat_map(|home| {
                home.targets().map(move |target| Aim { home, target, lid: targets.lids[target] })
            })
            .filter(|aim| self.next(s, aim.lid) == Some(link))
            .filter(|aim| self.crowds.iter().any(|c| c.crowd.receives[aim.target]))
            .collect();
        if aims.is_empty() {
            return;
        }
        let mut spread = Spread::new(link);
        let mut failures = 0;
        while self.is_full(link) && failures < TRIES * aims.len() {
            let mut best: Option<Change<'a>> = None;
            let mut found = 0;
            while found < COMPARED && failures < TRIES * aims.len() {
                let aim = aims[spread.below(aims.len())];
                if self.next(s, aim.lid) != Some(link) {
                    failures += 1;
                    continue;
                }
                match self.change(link, s, aim, &mut spread) {
                    Some(change) => {
                        found += 1;
                        if best
                            .as_ref()
                            .is_none_or(|b| (change.crowding, -change.gain) < (b.crowding, -b.gain))
                        {
                            best = Some(change);
                        }
                    }
                    None => failures += 1,
                }
            }
            if let Some(change) = best {
                self.apply(&change);
                failures = 0;
            }
        }
    }

    /// A change that takes a target's packets from one sender off a link.
    fn change(&self, link: usize, s: usize, aim: Aim<'a>, spread: &mut Spread) -> Option<Change<'a>> {
        // Some way back from the link to where packets start.
        let mut back = vec![s];
        let mut at = s;
        loop {
            let feeders: Vec<usize> = self.feeders(at, aim.lid).collect();
            if feeders.is_empty() {
                break;
            }
            at = feeders[spread.below(feeders.len())];
            back.push(at);
        }
        let mut hops = Vec::new();
        for &at in back.iter().rev() {
            self.plan.hops(at, aim.home.switch as usize, &mut hops);
            if hops.len() < 2 {
                continue;
            }
            let old = self.path(at, aim, None);
            let packets: Vec<u64> = self.crowds.iter().map(|c| self.packets(c, at, aim)).collect();
            let mut best: Option<Change<'a>> = None;
            let crowding = self.crowding(at, aim);
            for &hop in &hops {
                let new = self.path(at, aim, Some(hop));
                if new.contains(&(link as u32)) {
                    continue;
                }
                let gain: i128 = self.crowds.iter().zip(&packets).map(|(c, &n)| c.gain(&old, &new, n)).sum();
                if gain <= 0 {
                    continue;
                }
                let last = new.last().copied().unwrap_or(hop);
                let crowding = crowding.on(hop) + crowding.on(last);
                if best.as_ref().is_none_or(|b| (crowding, -gain) < (b.crowding, -b.gain)) {
                    best = Some(Change { aim, switch: at, link: hop, crowding, gain });
                }
            }
            if best.is_some() {
                return best;
            }
        }
        None
    }

    /// The link that a switch sends a LID to.
    fn next(&self, s: usize, lid: u32) -> Option<usize> {
        self.wires.link(s, self.lft.get(NodeId(s as u32), lid))
    }

    /// The neighbours that send a LID to a switch and have packets for it.
    fn feeders(&self, s: usize, lid: u32) -> impl Iterator<Item = usize> {
        let graph = self.plan.graph;
        let sends = move |l: usize| {
            let far = graph.peer[l] as usize;
            (far != s && self.next(far, lid) == Some(graph.back[l] as usize)).then_some(far)
        };
        graph.links(s).filter_map(sends).filter(move |&far| self.has_packets(far, lid))
    }

    fn has_packets(&self, s: usize, lid: u32) -> bool {
        self.crowds.iter().any(|c| c.crowd.senders[s] > 0) || self.feeders(s, lid).next().is_some()
    }

    /// A crowd's packets for a target that pass a switch.
    fn packets(&self, counted: &Counted<'_>, s: usize, aim: Aim<'_>) -> u64 {
        if !counted.crowd.receives[aim.target] {
            return 0;
        }
        let own = u64::from(counted.crowd.senders[s]);
        own + self.feeders(s, aim.lid).map(|far| self.packets(counted, far, aim)).sum::<u64>()
    }

    /// The links from a switch to a target's home, the first as given.
    fn path(&self, s: usize, aim: Aim<'_>, first: Option<u32>) -> Vec<u32> {
        let home = aim.home.switch as usize;
        let mut path = Vec::with_capacity(8);
        let (mut at, mut next) = (s, first.map(|l| l as usize).or_else(|| self.next(s, aim.lid)));
        while let Some(link) = next.filter(|_| at != home) {
            path.push(link as u32);
            at = self.plan.graph.peer[link] as usize;
            next = self.next(at, aim.lid);
        }
        path
    }

    /// How packets for a home and its neighbours leave a switch, and how packets from it and its
    /// neighbours come to the home.
    fn crowding(&self, s: usize, aim: Aim<'_>) -> Crowding {
        let homes = &self.plan.targets.homes;
        let around =
            |place: u32| &homes[place.saturating_sub(1) as usize..homes.len().min(place as usize + 2)];
        let mut links: Vec<u32> = Vec::new();
        for home in around(self.place[aim.home.switch as usize]) {
            let lids = &self.plan.targets.lids[home.targets()];
            links.extend(lids.iter().filter_map(|&lid| self.next(s, lid)).map(|l| l as u32));
        }
        for source in around(self.place[s]).iter().filter(|h| h.switch != aim.home.switch) {
            for target in aim.home.targets() {
                let aim = Aim { home: aim.home, target, lid: self.plan.targets.lids[target] };
                links.extend(self.path(source.switch as usize, aim, None).last());
            }
        }
        Crowding { links }
    }

    fn apply(&mut self, change: &Change<'a>) {
        let Change { aim, switch, link, .. } = *change;
        let packets: Vec<u64> = self.crowds.iter().map(|c| self.packets(c, switch, aim)).collect();
        let old = self.path(switch, aim, None);
        let new = self.path(switch, aim, Some(link));
        for (counted, packets) in self.crowds.iter_mut().zip(packets) {
            for &l in &old {
                counted.loads[l as usize] -= packets;
            }
            for &l in &new {
                counted.loads[l as usize] += packets;
            }
        }
        self.lft.row_mut(NodeId(switch as u32))[aim.lid as usize] = self.plan.graph.port[link as usize];
        self.changed += 1;
    }
}

impl Counted<'_> {
    /// How much the sum of squared excess falls when packets change from one path to another.
    fn gain(&self, old: &[u32], new: &[u32], packets: u64) -> i128 {
        let square = |load: u64| i128::from(load.saturating_sub(self.limit)).pow(2);
        let load = |l: &&u32| self.loads[**l as usize];
        let left = old.iter().filter(|l| !new.contains(l)).map(|l| load(&l));
        let joined = new.iter().filter(|l| !old.contains(l)).map(|l| load(&l));
        left.map(|load| square(load) - square(load - packets)).sum::<i128>()
            + joined.map(|load| square(load) - square(load + packets)).sum::<i128>()
    }
}

/// Links that neighbouring packets take.
struct Crowding {
    links: Vec<u32>,
}

impl Crowding {
    fn on(&self, link: u32) -> u32 {
        self.links.iter().filter(|&&l| l == link).count() as u32
    }
}

/// Choices that are spread evenly, and always the same: a multiplicative sequence.
struct Spread {
    state: u64,
}

impl Spread {
    fn new(seed: usize) -> Self {
        Self { state: (seed as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ self.state >> 31).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((u128::from(mixed) * bound as u128) >> 64) as usize
    }
}
