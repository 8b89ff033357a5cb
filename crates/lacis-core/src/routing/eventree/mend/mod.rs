//! Evening out: entries are changed, one at a time, until no link carries more
//! than it should, but for what is negligible.
//!
//! Of a link that is too full some path is taken, from a destination back to a switch that sends
//! there. One of the switches on it, from that sender on, takes another hop, if that lowers the sum over
//! all links of the squared excess; so there is an end to it. Of a few such changes the one is made
//! that puts the fewest packets of the same *shift* together: packets from neighbouring homes to
//! neighbouring homes. A link for which no change is found is given up until packets leave a link
//! beside it. In the end what is still far too full passes its excess on (`passing`).

mod passing;

use std::cell::Cell;

use crate::fabric::NodeId;
use crate::routing::routes::Lft;

use super::loads::{Crowd, Wires};
use super::rows::Plan;
use super::targets::{Home, NONE};

use passing::is_close;

/// Changes that are compared before one is made.
const COMPARED: usize = 12;
/// Paths that are tried before a link is left as it is, for each target on it.
const TRIES: usize = 4;
/// … and for all of them.
const ALL_TRIES: usize = 1200;
/// Times that all links are gone over.
const ROUNDS: usize = 16;
/// Entries that are looked at in all, before what is uneven is left as it is: a second's work or two.
const LOOKS: u64 = 60_000_000;
/// One part in so many of what some link must carry is not worth a change.
const NEGLIGIBLE: u64 = 256;

/// Tables whose loads are known.
pub(super) struct Mend<'a> {
    plan: &'a Plan<'a>,
    wires: &'a Wires,
    lft: &'a mut Lft,
    crowds: Vec<Counted<'a>>,
    /// By switch: its place among the homes.
    place: Vec<u32>,
    changed: usize,
    /// By switch: how many entries had changed when something last left a link from it.
    relieved: Vec<usize>,
    /// By link: how many had when nothing more was found that relieves it.
    given_up: Vec<Option<usize>>,
    /// Entries that were looked at.
    looks: Cell<u64>,
}

/// A crowd, and what its traffic puts on each link.
struct Counted<'a> {
    crowd: &'a Crowd,
    loads: Vec<u64>,
    /// What some link must carry, as far as is known; in the end, as is assumed (`passing`).
    least: u64,
    /// No link should carry more: that, and what is negligible.
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
        let counted = |crowd: &'a Crowd| {
            let (least, loads) = (crowd.bound(plan), crowd.loads(plan, lft, wires));
            Counted { crowd, loads, least, limit: least * (NEGLIGIBLE + 1) / NEGLIGIBLE }
        };
        let mut place = vec![NONE; plan.graph.num_switches()];
        for (home, at) in plan.targets.homes.iter().zip(0..) {
            place[home.switch as usize] = at;
        }
        Self {
            crowds: crowds.iter().map(counted).collect(),
            plan,
            wires,
            lft,
            place,
            changed: 0,
            relieved: vec![0; plan.graph.num_switches()],
            given_up: vec![None; plan.graph.num_links()],
            looks: Cell::new(0),
        }
    }

    /// Relieves the links that carry too much, the fullest first. Tells what the fullest carries then, by
    /// crowd; nothing where that is close to what it must.
    pub fn run(mut self) -> Option<Vec<u64>> {
        let mut room = Room::default();
        for _ in 0..ROUNDS {
            let before = self.changed;
            for link in self.full_links() {
                if self.is_worth_a_try(link) {
                    self.relieve(link, &mut room);
                }
            }
            if self.changed == before || self.is_enough() {
                break;
            }
        }
        let must: Vec<u64> = self.crowds.iter().map(|c| c.least).collect();
        self.pass_on_all(&mut room);
        let most: Vec<u64> = self.crowds.iter().map(Counted::most).collect();
        most.iter().zip(must).any(|(&most, must)| !is_close(most, must)).then_some(most)
    }

    /// Whether anything left the links beside one since it was given up.
    fn is_worth_a_try(&self, link: usize) -> bool {
        self.given_up[link].is_none_or(|when| self.relieved[self.from(link)] > when)
    }

    /// The switch that a link leads from.
    fn from(&self, link: usize) -> usize {
        let graph = self.plan.graph;
        graph.peer[graph.back[link] as usize] as usize
    }

    /// Whether enough entries were looked at.
    fn is_enough(&self) -> bool {
        self.looks.get() > LOOKS
    }

    fn is_full(&self, link: usize) -> bool {
        self.crowds.iter().any(|c| c.loads[link] > c.limit)
    }

    /// How much too much a link carries.
    fn excess(&self, link: usize) -> u64 {
        self.crowds.iter().map(|c| c.loads[link].saturating_sub(c.limit)).max().unwrap_or(0)
    }

    /// The links that carry too much, the fullest first.
    fn full_links(&self) -> Vec<usize> {
        let mut full: Vec<usize> =
            (0..self.plan.graph.num_links()).filter(|&link| self.excess(link) > 0).collect();
        full.sort_by_key(|&link| (std::cmp::Reverse(self.excess(link)), link));
        full
    }

    /// The targets whose packets use a link.
    fn aims(&self, link: usize) -> Vec<Aim<'a>> {
        let (s, targets) = (self.from(link), self.plan.targets);
        let (row, port) = (self.lft.row(NodeId(s as u32)), self.plan.graph.port[link]);
        let homes = targets.homes.iter().filter(|home| home.switch as usize != s);
        homes
            .flat_map(|home| {
                home.targets().map(move |target| Aim { home, target, lid: targets.lids[target] })
            })
            .filter(|aim| row[aim.lid as usize] == port)
            .filter(|aim| self.crowds.iter().any(|c| c.crowd.receives[aim.target]))
            .collect()
    }

    /// Changes entries until a link carries no more than it should, or enough was tried.
    fn relieve(&mut self, link: usize, room: &mut Room) {
        let s = self.from(link);
        let mut aims = self.aims(link);
        if aims.is_empty() {
            return;
        }
        let mut spread = Spread::new(link);
        // Those worth a try come first.
        let (mut failures, mut live) = (0, aims.len());
        let most = (TRIES * aims.len()).min(ALL_TRIES);
        while self.is_full(link) && live > 0 && failures < most && !self.is_enough() {
            let mut best: Option<Change<'a>> = None;
            let mut found = 0;
            while found < COMPARED && live > 0 && failures < most {
                let nth = spread.below(live);
                let aim = aims[nth];
                room.back.clear();
                if self.next(s, aim.lid) == Some(link) {
                    self.trace_back(link, aim, &mut spread, room);
                }
                if let Some(change) = self.change(link, aim, 1, room) {
                    found += 1;
                    if best.as_ref().is_none_or(|b| (change.crowding, -change.gain) < (b.crowding, -b.gain)) {
                        best = Some(change);
                    }
                } else {
                    failures += 1;
                    if room.back.len() < 2 {
                        // There is no other path of it to try.
                        live -= 1;
                        aims.swap(nth, live);
                    }
                }
            }
            if let Some(change) = best {
                self.apply(change.aim, change.switch, change.link);
                (failures, live) = (0, aims.len());
            }
        }
        self.given_up[link] = self.is_full(link).then_some(self.changed);
    }

    /// Finds some way back from a link to where packets for a target start: `room.back` is the switches that
    /// such packets pass before the link, the last one first.
    fn trace_back(&self, link: usize, aim: Aim<'a>, spread: &mut Spread, room: &mut Room) {
        let mut at = self.from(link);
        room.back.clear();
        room.back.push(at);
        loop {
            let first = spread.below(self.plan.graph.links(at).len());
            let mut feeders = self.feeders(at, aim.lid, first);
            let Some(far) = feeders.find(|&far| self.has_packets(far, aim.lid)) else { return };
            room.back.push(far);
            at = far;
        }
    }

    /// A change that takes a target's packets off a link, and gains at least so much: at the last of the
    /// switches in `room.back` that has one.
    fn change(&self, link: usize, aim: Aim<'a>, least: i128, room: &mut Room) -> Option<Change<'a>> {
        let Room { back, hops, old, new, packets } = room;
        let home = aim.home.switch as usize;
        for &at in back.iter().rev() {
            self.path(at, aim, None, old);
            // Where packets go down there is seldom another way; to count them there takes long.
            let falls = old.first().is_some_and(|&l| !self.plan.order.climbs[l as usize]);
            if falls {
                self.plan.hops(at, home, hops);
                if hops.len() < 2 {
                    continue;
                }
            }
            packets.clear();
            packets.extend(self.crowds.iter().map(|c| self.packets(c, at, aim)));
            // No change can gain more than leaving the old path does.
            let most = self.total(packets, |c, n| c.relief(old, n));
            let cost = |l: usize| self.total(packets, |c, n| c.cost(l, n));
            let is_worth = |l: usize| Some(&(l as u32)) != old.first() && cost(l) + least <= most;
            if !self.plan.graph.links(at).any(is_worth) {
                continue;
            }
            if !falls {
                self.plan.hops(at, home, hops);
                if hops.len() < 2 {
                    continue;
                }
            }
            let mut best: Option<Change<'a>> = None;
            let mut crowding = None;
            for &hop in hops.iter().filter(|&&hop| is_worth(hop as usize)) {
                self.path(at, aim, Some(hop), new);
                if new.contains(&(link as u32)) {
                    continue;
                }
                let gain = self.total(packets, |c, n| c.gain(old, new, n));
                if gain < least {
                    continue;
                }
                let last = new.last().copied().unwrap_or(hop);
                let crowding = crowding.get_or_insert_with(|| self.crowding(at, aim));
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

    /// Sums over all crowds and their packets.
    fn total(&self, packets: &[u64], of: impl Fn(&Counted<'_>, u64) -> i128) -> i128 {
        self.crowds.iter().zip(packets).map(|(c, &n)| of(c, n)).sum()
    }

    /// The link that a switch sends a LID to.
    fn next(&self, s: usize, lid: u32) -> Option<usize> {
        self.looks.set(self.looks.get() + 1);
        self.wires.link(s, self.lft.get(NodeId(s as u32), lid))
    }

    /// The neighbours that send a LID to a switch, those at its first few links last. What climbs from
    /// there has climbed to it.
    fn feeders(&self, s: usize, lid: u32, first: usize) -> impl Iterator<Item = usize> {
        let (graph, climbs) = (self.plan.graph, &self.plan.order.climbs);
        let climbing = self.next(s, lid).is_some_and(|l| climbs[l]);
        let sends = move |l: usize| {
            let far = graph.peer[l] as usize;
            (far != s && self.next(far, lid) == Some(graph.back[l] as usize)).then_some(far)
        };
        let links = graph.links(s);
        let links = links.clone().skip(first).chain(links.take(first));
        links.filter(move |&l| !(climbing && climbs[l])).filter_map(sends)
    }

    fn has_packets(&self, s: usize, lid: u32) -> bool {
        self.crowds.iter().any(|c| c.crowd.senders[s] > 0)
            || self.feeders(s, lid, 0).any(|far| self.has_packets(far, lid))
    }

    /// A crowd's packets for a target that pass a switch.
    fn packets(&self, counted: &Counted<'_>, s: usize, aim: Aim<'_>) -> u64 {
        if !counted.crowd.receives[aim.target] {
            return 0;
        }
        let own = u64::from(counted.crowd.senders[s]);
        own + self.feeders(s, aim.lid, 0).map(|far| self.packets(counted, far, aim)).sum::<u64>()
    }

    /// The links from a switch to a target's home, the first as given.
    fn path(&self, s: usize, aim: Aim<'_>, first: Option<u32>, path: &mut Vec<u32>) {
        let home = aim.home.switch as usize;
        path.clear();
        let (mut at, mut next) = (s, first.map(|l| l as usize).or_else(|| self.next(s, aim.lid)));
        while let Some(link) = next.filter(|_| at != home) {
            path.push(link as u32);
            at = self.plan.graph.peer[link] as usize;
            next = self.next(at, aim.lid);
        }
    }

    /// How packets for a home and its neighbours leave a switch, and how packets from it and its
    /// neighbours come to the home.
    fn crowding(&self, s: usize, aim: Aim<'_>) -> Crowding {
        let homes = &self.plan.targets.homes;
        let around =
            |place: u32| &homes[place.saturating_sub(1) as usize..homes.len().min(place as usize + 2)];
        let (mut links, mut path) = (Vec::new(), Vec::new());
        for home in around(self.place[aim.home.switch as usize]) {
            let lids = &self.plan.targets.lids[home.targets()];
            links.extend(lids.iter().filter_map(|&lid| self.next(s, lid)).map(|l| l as u32));
        }
        for source in around(self.place[s]).iter().filter(|h| h.switch != aim.home.switch) {
            for target in aim.home.targets() {
                let aim = Aim { home: aim.home, target, lid: self.plan.targets.lids[target] };
                self.path(source.switch as usize, aim, None, &mut path);
                links.extend(path.last());
            }
        }
        Crowding { links }
    }

    /// Changes an entry.
    fn apply(&mut self, aim: Aim<'a>, switch: usize, link: u32) {
        let packets: Vec<u64> = self.crowds.iter().map(|c| self.packets(c, switch, aim)).collect();
        let (mut old, mut new) = (Vec::new(), Vec::new());
        self.path(switch, aim, None, &mut old);
        self.path(switch, aim, Some(link), &mut new);
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
        for &l in &old {
            let from = self.from(l as usize);
            self.relieved[from] = self.changed;
        }
    }
}

impl Counted<'_> {
    /// What the fullest link carries.
    fn most(&self) -> u64 {
        self.loads.iter().max().map_or(0, |&most| most)
    }

    /// How much the sum of squared excess falls when packets change from one path to another.
    fn gain(&self, old: &[u32], new: &[u32], packets: u64) -> i128 {
        let left = old.iter().filter(|l| !new.contains(l));
        let joined = new.iter().filter(|l| !old.contains(l));
        left.map(|&l| self.saving(l as usize, packets)).sum::<i128>()
            - joined.map(|&l| self.cost(l as usize, packets)).sum::<i128>()
    }

    /// How much it falls when packets leave a path.
    fn relief(&self, path: &[u32], packets: u64) -> i128 {
        path.iter().map(|&l| self.saving(l as usize, packets)).sum()
    }

    /// How much it falls when packets leave a link …
    fn saving(&self, link: usize, packets: u64) -> i128 {
        self.square(self.loads[link]) - self.square(self.loads[link].saturating_sub(packets))
    }

    /// … and how much it rises when they join one.
    fn cost(&self, link: usize, packets: u64) -> i128 {
        self.square(self.loads[link] + packets) - self.square(self.loads[link])
    }

    fn square(&self, load: u64) -> i128 {
        i128::from(load.saturating_sub(self.limit)).pow(2)
    }
}

/// What is used again from one try to the next.
#[derive(Default)]
struct Room {
    back: Vec<usize>,
    hops: Vec<u32>,
    old: Vec<u32>,
    new: Vec<u32>,
    packets: Vec<u64>,
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
