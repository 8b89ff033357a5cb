//! Bending the order until switches that must talk meet.
//!
//! Two switches meet below a *top*, a switch with nothing above it. In a tree leaves always do; in what is
//! left of one, two leaves may have lost their cables to different switches, so that each way from one to the
//! other climbs, descends and climbs again, at some switch `x`. The switches just above `x` fall into groups:
//! two are in one group if they have something above them in common, or are linked by others of which that is
//! true. Where the way comes down to `x` from one group and leaves it to another, the first is *bent*: of all
//! cables whose ends are `x`, switches of the group and switches above the group, up becomes down, so that
//! `x` is above these.
//!
//! * No circle comes of it: a way up leaves that set of switches only from `x` to another group, and from
//!   there it never comes back, as the groups have nothing above them in common.
//! * Whoever met meets still: below a top outside the set no cable was turned round, and all who were below
//!   one in the set are below `x` now.
//! * Of two who were below the group, or below it and below something else above `x`, each meets the other.
//!
//! Of all such bends the one with the shortest ways is made, until all meet. It may be that no single one
//! makes any two meet, as ways must turn more than once. Then let `H` be all that is below one top, and `x`
//! a switch of `H` from which a cable leads up to a switch outside `H`, and none above `x` such. The group
//! of that switch is outside `H`: else a switch of the group in `H`, or one above it, would have such
//! a cable, and be above `x`. So `H` grows by this bend, until all is in it that cables connect.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use crate::routing::graph::SwitchGraph;

use super::order::Order;
use super::reach::{FAR, Reach};

/// A switch, and a group of those just above it.
pub(super) struct Bend {
    switch: u32,
    group: Vec<u32>,
}

impl Bend {
    /// The next that is needed, until every two `hosted` switches that cables connect meet.
    pub fn needed(graph: &SwitchGraph, order: &Order, reach: &Reach, hosted: &[bool]) -> Option<Self> {
        let mut apart = pairs_apart(graph, reach, hosted);
        if apart.is_empty() {
            return None;
        }
        let tops = Tops::of(graph, order);
        // The others meet, but too far up.
        apart.retain(|&(a, b)| !tops.meet(a, b));
        let &(a, _) = apart.first()?;
        tops.shortest(graph, order, reach, &apart).or_else(|| tops.widening(graph, order, a))
    }

    /// Turns the cables round.
    pub fn apply(&self, graph: &SwitchGraph, order: &mut Order) {
        let mut turned = vec![false; graph.num_switches()];
        let mut stack = self.group.clone();
        while let Some(s) = stack.pop() {
            if !std::mem::replace(&mut turned[s as usize], true) {
                stack.extend(order.above(graph, s as usize));
            }
        }
        turned[self.switch as usize] = true;
        order.turn_round(graph, &turned);
    }
}

/// The pairs of `hosted` switches that cables connect, but no way up and down that is short enough to measure.
pub(super) fn pairs_apart(graph: &SwitchGraph, reach: &Reach, hosted: &[bool]) -> Vec<(u32, u32)> {
    let part = graph.components();
    let homes: Vec<u32> = (0..hosted.len() as u32).filter(|&s| hosted[s as usize]).collect();
    let mut apart = Vec::new();
    for (nth, &a) in homes.iter().enumerate() {
        let costs = reach.costs(a as usize);
        let others = homes[nth + 1..].iter().filter(|&&b| costs[b as usize] == FAR);
        apart.extend(others.filter(|&&b| part[a as usize] == part[b as usize]).map(|&b| (a, b)));
    }
    apart
}

/// By switch: the tops above it, or itself if it is one.
struct Tops {
    of: Vec<Vec<u32>>,
}

impl Tops {
    fn of(graph: &SwitchGraph, order: &Order) -> Self {
        let mut of: Vec<Vec<u32>> = vec![Vec::new(); graph.num_switches()];
        for &s in order.ascending.iter().rev() {
            let mut tops: Vec<u32> =
                order.above(graph, s as usize).flat_map(|far| &of[far as usize]).copied().collect();
            tops.sort_unstable();
            tops.dedup();
            if tops.is_empty() {
                tops.push(s);
            }
            of[s as usize] = tops;
        }
        Self { of }
    }

    /// Whether something is above both of two switches, or one above the other.
    fn meet(&self, a: u32, b: u32) -> bool {
        let others = &self.of[b as usize];
        self.of[a as usize].iter().any(|top| others.binary_search(top).is_ok())
    }

    /// The groups just above a switch, and of each top the group that is below it.
    fn groups(&self, graph: &SwitchGraph, order: &Order, s: usize) -> (Vec<Vec<u32>>, FxHashMap<u32, usize>) {
        let mut groups: Vec<Vec<u32>> = Vec::new();
        let mut below: FxHashMap<u32, usize> = FxHashMap::default();
        for far in order.above(graph, s) {
            if groups.iter().any(|group| group.contains(&far)) {
                continue;
            }
            let new = groups.len();
            let mut joined: Vec<usize> =
                self.of[far as usize].iter().filter_map(|top| below.get(top).copied()).collect();
            joined.sort_unstable();
            joined.dedup();
            groups.push(vec![far]);
            for &group in &joined {
                let members = std::mem::take(&mut groups[group]);
                groups[new].extend(members);
            }
            for group in below.values_mut().filter(|group| joined.contains(group)) {
                *group = new;
            }
            below.extend(self.of[far as usize].iter().map(|&top| (top, new)));
        }
        (groups, below)
    }

    /// Of the bends that make some pairs meet, the one with the shortest ways; of several the one that
    /// makes most pairs meet, at the switch with most cables.
    fn shortest(
        &self,
        graph: &SwitchGraph,
        order: &Order,
        reach: &Reach,
        apart: &[(u32, u32)],
    ) -> Option<Bend> {
        let mut ends: Vec<u32> = apart.iter().flat_map(|&(a, b)| [a, b]).collect();
        ends.sort_unstable();
        ends.dedup();
        let mut best: Option<(_, Bend)> = None;
        for s in 0..graph.num_switches() {
            let (mut groups, below) = self.groups(graph, order, s);
            // By end: the groups by which it meets the switch.
            let mut meet: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
            for &end in &ends {
                let mut by: Vec<usize> =
                    self.of[end as usize].iter().filter_map(|top| below.get(top).copied()).collect();
                by.sort_unstable();
                by.dedup();
                if !by.is_empty() {
                    meet.insert(end, by);
                }
            }
            // By group: how many pairs would meet, and the length of their ways.
            let mut gains = vec![(0_u64, 0_u64); groups.len()];
            for (a, b) in apart {
                let (Some(by_a), Some(by_b)) = (meet.get(a), meet.get(b)) else { continue };
                let cost = u64::from(reach.cost(*a as usize, s)) + u64::from(reach.cost(*b as usize, s));
                for &group in by_a.iter().chain(by_b.iter().filter(|group| !by_a.contains(group))) {
                    let (pairs, length) = &mut gains[group];
                    (*pairs, *length) = (*pairs + 1, *length + cost);
                }
            }
            for (group, &(pairs, length)) in gains.iter().enumerate().filter(|(_, gain)| gain.0 > 0) {
                let mean = length as f64 / pairs as f64;
                let rank = (mean, Reverse(pairs), Reverse(graph.links(s).len()));
                if best.as_ref().is_none_or(|(least, _)| rank < *least) {
                    let group = std::mem::take(&mut groups[group]);
                    best = Some((rank, Bend { switch: s as u32, group }));
                }
            }
        }
        best.map(|(_, bend)| bend)
    }

    /// A bend that puts more below one of the tops above a switch: of these, the one with most below it.
    fn widening(&self, graph: &SwitchGraph, order: &Order, from: u32) -> Option<Bend> {
        let under = |top: u32| self.of.iter().map(move |tops| tops.contains(&top));
        let tops = self.of[from as usize].iter();
        let &top = tops.max_by_key(|&&top| (under(top).filter(|&is| is).count(), Reverse(top)))?;
        let inside: Vec<bool> = under(top).collect();
        order.ascending.iter().rev().filter(|&&s| inside[s as usize]).find_map(|&s| {
            let outside = order.above(graph, s as usize).find(|&far| !inside[far as usize])?;
            let (groups, _) = self.groups(graph, order, s as usize);
            let group = groups.into_iter().find(|group| group.contains(&outside))?;
            Some(Bend { switch: s, group })
        })
    }
}
