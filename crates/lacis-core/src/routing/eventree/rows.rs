//! The tables, switch by switch.
//!
//! Towards a destination a switch prefers, of the hops that it may take, the one to its *goal*: the
//! switch of the destination's chain on the level where their ways meet. Where it has none, the
//! first that there is of:
//!
//! 1. hops that pass the highest other switch of the chain that can still be passed;
//! 2. hops to a cable of the home that no chain uses: nobody is disturbed there;
//! 3. hops that it takes to other hosts of the home: whom the packets disturb, they disturb all the way;
//! 4. all hops.
//!
//! Of several the choice is dealt round, from one such destination to the next and from one home and
//! one switch to the next, so that what is displaced spreads evenly over sources and destinations.

use rayon::prelude::*;

use crate::routing::NO_ENTRY;
use crate::routing::graph::SwitchGraph;
use crate::routing::routes::Lft;

use super::above::Above;
use super::layout::{GAP, Layout};
use super::order::Order;
use super::reach::{Choices, FAR, Reach};
use super::shapes::{Shapes, Views};
use super::targets::{Home, Kind, NONE, Targets};
use super::ways::{NOWHERE, SEVERAL, Ways};

/// All that rows are made from.
pub(super) struct Plan<'a> {
    /// Links between switches.
    pub graph: &'a SwitchGraph,
    /// Which way is up.
    pub order: &'a Order,
    /// Who reaches whom.
    pub reach: &'a Reach,
    /// Slots.
    pub layout: &'a Layout,
    /// What is above what.
    pub above: &'a Above,
    /// Destinations.
    pub targets: &'a Targets,
    /// Which of them have the same goals.
    pub shapes: &'a Shapes,
}

impl Plan<'_> {
    /// Fills all tables, but for entries that no path up and down leads to.
    pub fn fill(&self, lft: &mut Lft) {
        let stride = lft.stride();
        let count = self.graph.num_switches();
        let rows = lft.as_mut_slice().par_chunks_mut(stride).enumerate();
        let sheet = || (Sheet::new(self, count), vec![NO_ENTRY; stride]);
        // Homes are in no order of LIDs: a row is made where all of it is at hand.
        rows.for_each_init(sheet, |(sheet, draft), (s, row)| {
            draft.fill(NO_ENTRY);
            sheet.fill(s, draft);
            row.copy_from_slice(draft);
        });
    }

    /// The links that packets for a home may take from a switch: slots first, in their order.
    pub fn hops(&self, s: usize, home: usize, hops: &mut Vec<u32>) {
        let may = |link: u32| self.reach.may_take(self.graph, self.order, s, link as usize, home);
        hops.clear();
        let slots = self.layout.slots(s).iter().map(|slot| slot.link);
        hops.extend(slots.filter(|&link| link != GAP && may(link)));
        let others = self.graph.links(s).filter(|&l| !self.order.is_regular_up(self.graph, s, l));
        hops.extend(others.map(|l| l as u32).filter(|&l| may(l)));
    }
}

/// A table in the making, and what one thread needs for it.
struct Sheet<'a> {
    plan: &'a Plan<'a>,
    s: usize,
    ways: Ways,
    choices: Choices,
    views: Views<'a>,
    /// Towards the present home, what is found once it is needed:
    dealt: Dealt,
}

/// Choices among several hops to one home.
#[derive(Default)]
struct Dealt {
    /// How many there were.
    count: usize,
    /// All hops that packets may take.
    hops: Vec<u32>,
    /// Some of them.
    kept: Vec<u32>,
    /// The hops that are taken to hosts of the home whose goals can be reached.
    taken: Option<Vec<u32>>,
}

impl Dealt {
    fn clear(&mut self) {
        (self.count, self.taken) = (0, None);
        self.hops.clear();
    }
}

impl<'a> Sheet<'a> {
    fn new(plan: &'a Plan<'a>, count: usize) -> Self {
        Self {
            plan,
            s: 0,
            ways: Ways::new(count),
            choices: Choices::new(count),
            views: Views::new(plan.shapes, plan.targets),
            dealt: Dealt::default(),
        }
    }

    /// Fills the table of a switch.
    fn fill(&mut self, s: usize, row: &mut [u8]) {
        let Plan { graph, order, reach, layout, above, targets, .. } = *self.plan;
        self.s = s;
        self.ways.turn_to(s, layout, above, &graph.port);
        reach.choices(graph, order, s, &mut self.choices);
        let uplinks = graph.links(s).filter(|&l| order.is_regular_up(graph, s, l)).count();
        let here = usize::from(order.level[s]);
        let costs = reach.costs(s);
        for (place, home) in targets.homes.iter().enumerate() {
            let to = home.switch as usize;
            let lids = &targets.lids[home.targets()];
            if to == s {
                for (&lid, &port) in lids.iter().zip(&targets.ports[home.targets()]) {
                    row[lid as usize] = port;
                }
                continue;
            }
            if costs[to] == FAR {
                continue;
            }
            if self.choices.number[to] == 1 {
                let port = self.choices.port[to];
                row[home.run()].fill(port);
                for &lid in &targets.lids[home.run as usize..home.end as usize] {
                    row[lid as usize] = port;
                }
                continue;
            }
            self.dealt.clear();
            let meeting = self.meeting(home);
            let all_up = usize::from(self.choices.regular[to]) == uplinks;
            if (here + 1..targets.goal.len()).contains(&meeting) && all_up {
                self.follow(place, home, meeting, row);
            } else {
                for (t, &lid) in home.targets().zip(lids) {
                    self.search(home, t, &mut row[lid as usize]);
                }
            }
        }
    }

    /// Fills the entries of a home whose targets have goals above the switch.
    fn follow(&mut self, place: usize, home: &Home, meeting: usize, row: &mut [u8]) {
        let Plan { order, reach, targets, shapes, .. } = *self.plan;
        let goals = &targets.goal[meeting];
        let shape = shapes.of_home(meeting, place);
        let view = self.views.see(self.s, shape, &self.ways.only);
        let (mut rest, mut several) = (view.rest > 0, view.several);
        for t in home.hosts as usize..home.end as usize {
            let only = self.ways.only.get(goals[t] as usize).copied().unwrap_or(NOWHERE);
            row[targets.lids[t] as usize] = only;
            rest |= matches!(only, NOWHERE | SEVERAL);
            several |= only == SEVERAL;
        }
        if !rest {
            return put(targets, home, self.views.ports(shape), row);
        }
        let (low, costs) = (usize::from(order.level[home.switch as usize]), reach.costs(self.s));
        let aligned = !several
            && !self.views.direct(shape).is_empty()
            && targets.unused[home.switch as usize].is_empty();
        let cost = usize::from(costs[home.switch as usize]);
        // Whether no host that needs it has another switch of its chain on a cheapest way.
        let apart = aligned
            && (low + 1..meeting).all(|level| {
                let below = shapes.of_home(level, place);
                cost < level - low || self.views.none_within(shape, below, cost + low - level, costs)
            });
        let mut left = home.targets();
        if apart && view.is_joint {
            put(targets, home, self.views.joint(shape), row);
            self.dealt.count = view.rest;
            left.start = home.hosts as usize;
        } else {
            put(targets, home, self.views.ports(shape), row);
        }
        let round = home.step as usize * self.round(home);
        for t in left {
            let entry = &mut row[targets.lids[t] as usize];
            let is_free = || passed(targets, costs, home, low, t, meeting).is_none();
            if *entry == NOWHERE && aligned && is_free() {
                let turn = self.dealt.count + round;
                self.dealt.count += 1;
                let direct = self.views.direct(shape);
                *entry = direct[if direct.len() == 1 { 0 } else { turn % direct.len() }];
            } else if matches!(*entry, NOWHERE | SEVERAL) {
                *entry = NO_ENTRY;
                self.search(home, t, entry);
            }
        }
    }

    /// Fills one entry.
    fn search(&mut self, home: &Home, t: usize, entry: &mut u8) {
        if let Some(link) = self.aim(home, t).or_else(|| self.divert(home, t)) {
            *entry = self.plan.graph.port[link as usize];
        }
    }

    /// The highest switch of a target's chain below a level that lies on a cheapest way, and how far
    /// above its home it is.
    fn passed(&self, home: &Home, t: usize, below: usize) -> Option<(u32, usize)> {
        let low = usize::from(self.plan.order.level[home.switch as usize]);
        let costs = self.plan.reach.costs(self.s);
        passed(self.plan.targets, costs, home, low, t, below)
    }

    /// The level on which the ways from the switch and from a home meet.
    fn meeting(&self, home: &Home) -> usize {
        let Plan { order, reach, .. } = *self.plan;
        let to = home.switch as usize;
        let levels = usize::from(order.level[self.s]) + usize::from(order.level[to]);
        usize::midpoint(usize::from(reach.cost(self.s, to)), levels)
    }

    fn may_take(&self, home: &Home, link: u32) -> bool {
        let Plan { graph, order, reach, .. } = *self.plan;
        link != GAP && reach.may_take(graph, order, self.s, link as usize, home.switch as usize)
    }

    /// The hop to a target's goal.
    fn aim(&mut self, home: &Home, t: usize) -> Option<u32> {
        let Plan { graph, order, targets, .. } = *self.plan;
        let (here, meeting) = (usize::from(order.level[self.s]), self.meeting(home));
        if meeting > here {
            let goal = targets.goal.get(meeting).map(|g| g[t]).filter(|&g| g != NONE)?;
            let link = match self.ways.to(goal) {
                [] => return None,
                [only] => *only,
                ways => ways[usize::from(targets.ranks(here, meeting)[t]) % ways.len()],
            };
            return Some(link).filter(|&link| self.may_take(home, link));
        }
        let below = here.checked_sub(1)?;
        let own = targets.link[below][t];
        if targets.goal[here][t] == self.s as u32 && own != NONE {
            let down = graph.back[own as usize];
            if self.may_take(home, down) {
                return Some(down);
            }
        }
        let goal = targets.goal[below][t];
        self.find_hops(home);
        let Dealt { hops, kept, .. } = &mut self.dealt;
        kept.clear();
        kept.extend(hops.iter().filter(|&&l| graph.peer[l as usize] == goal));
        let chained = |link: u32| targets.chained[graph.back[link as usize] as usize];
        let least = kept.iter().map(|&l| chained(l)).min()?;
        kept.retain(|&l| chained(l) == least);
        Some(self.dealt.kept[(t + self.round(home)) % self.dealt.kept.len()])
    }

    /// The hop to a target whose goal cannot be reached from here.
    fn divert(&mut self, home: &Home, t: usize) -> Option<u32> {
        let Plan { graph, order, targets, .. } = *self.plan;
        let turn = self.dealt.count + home.step as usize * self.round(home);
        self.dealt.count += 1;
        let low = usize::from(order.level[home.switch as usize]);
        let mut below = self.meeting(home).min(targets.goal.len());
        while let Some((goal, above)) = self.passed(home, t, below) {
            if self.keep_via(home, goal, above) {
                return self.deal(turn);
            }
            below = low + above;
        }
        if self.meeting(home) > usize::from(order.level[self.s]) {
            let unused = &targets.unused[home.switch as usize];
            for k in 0..unused.len() {
                let slot = unused[(turn + k) % unused.len()] as usize;
                if self.keep_via(home, graph.peer[slot], 1) {
                    return self.deal(turn);
                }
            }
            let taken = self.dealt.taken.take().unwrap_or_else(|| {
                let hosts = home.targets().filter(|&t| targets.kinds[t] == Kind::Host);
                hosts.filter_map(|other| self.aim(home, other)).collect()
            });
            let link =
                if taken.len() == 1 { taken.first() } else { taken.get(turn % taken.len().max(1)) }.copied();
            self.dealt.taken = Some(taken);
            if link.is_some() {
                return link;
            }
        }
        self.find_hops(home);
        self.dealt.kept.clone_from(&self.dealt.hops);
        self.deal(turn)
    }

    /// Finds all hops that packets for the present home may take.
    fn find_hops(&mut self, home: &Home) {
        if self.dealt.hops.is_empty() {
            self.plan.hops(self.s, home.switch as usize, &mut self.dealt.hops);
        }
    }

    /// Keeps the hops that lead over a switch `above` levels over a home without a detour; whether
    /// there are any.
    fn keep_via(&mut self, home: &Home, via: u32, above: usize) -> bool {
        let Plan { graph, order, reach, .. } = *self.plan;
        self.find_hops(home);
        let cost = usize::from(reach.cost(self.s, home.switch as usize));
        let leads = |&&link: &&u32| {
            let rest = reach.cost(graph.peer[link as usize] as usize, via as usize);
            rest != FAR && usize::from(order.cost[link as usize]) + usize::from(rest) + above == cost
        };
        self.dealt.kept.clear();
        self.dealt.kept.extend(self.dealt.hops.iter().filter(leads));
        !self.dealt.kept.is_empty()
    }

    fn deal(&self, turn: usize) -> Option<u32> {
        let kept = &self.dealt.kept;
        kept.get(turn % kept.len().max(1)).copied()
    }

    fn round(&self, home: &Home) -> usize {
        let ordinal = &self.plan.layout.ordinal;
        (ordinal[self.s] as usize) + (ordinal[home.switch as usize] as usize)
    }
}

/// Puts the ports of a home's hosts into a row.
#[inline]
fn put(targets: &Targets, home: &Home, ports: &[u8], row: &mut [u8]) {
    let (run, others) = ports.split_at((home.run - home.first) as usize);
    row[home.run()].copy_from_slice(run);
    for (&lid, &port) in targets.lids[home.run as usize..].iter().zip(others) {
        row[lid as usize] = port;
    }
}

/// As [`Sheet::passed`], for a switch with these `costs` and a home on level `low`.
#[inline]
fn passed(
    targets: &Targets,
    costs: &[u8],
    home: &Home,
    low: usize,
    t: usize,
    below: usize,
) -> Option<(u32, usize)> {
    let cost = usize::from(costs[home.switch as usize]);
    for level in (low + 1..below).rev() {
        let goal = targets.goal[level][t];
        // Otherwise a detour over it would be longer.
        if goal != NONE && usize::from(costs[goal as usize]) + level - low == cost {
            return Some((goal, level - low));
        }
    }
    None
}
