//! Who reaches whom by climbing and then descending, over how many levels, and by which first hops.
//!
//! For a home `h` (the switch of a destination) and a switch `s`:
//!
//! | here         | meaning                                                                            |
//! |--------------|------------------------------------------------------------------------------------|
//! | `down`       | least cost of a path that only descends                                            |
//! | `cost`       | least cost of any path that climbs and then descends                               |
//! | [`DESCENDS`] | every path of that cost descends at once, as under a top of a tree                 |
//! | [`ENTERED`]  | somebody above may send packets for `h` down to `s`: they must not climb again     |
//!
//! Forwarding looks at the destination only, so a switch that packets come down to must send them on
//! down. Where a switch has both kinds of hops (its own order was bent, or two switches of one level
//! are cabled), it sends down only to those that descend anyway, unless it has no other hop.

use crate::routing::graph::SwitchGraph;

use super::order::Order;
use super::targets::NONE;

/// No path.
pub(super) const FAR: u8 = u8::MAX;
/// Flag: no path of least cost climbs.
const DESCENDS: u8 = 1;
/// Flag: packets may come down.
const ENTERED: u8 = 2;

/// Costs and flags of all pairs of switches; row by switch, column by home.
pub(super) struct Reach {
    count: usize,
    down: Vec<u8>,
    cost: Vec<u8>,
    flags: Vec<u8>,
}

impl Reach {
    /// Measures all pairs.
    pub fn of(graph: &SwitchGraph, order: &Order) -> Self {
        let count = graph.num_switches();
        let size = count * count;
        let mut reach = Self { count, down: vec![FAR; size], cost: vec![FAR; size], flags: vec![0; size] };
        for &s in &order.ascending {
            let s = s as usize;
            reach.down[s * count + s] = 0;
            for link in once_each(graph, s, |l| !order.climbs[l]) {
                nearer(&mut reach.down, count, s, graph.peer[link] as usize, order.cost[link]);
            }
        }
        for &s in order.ascending.iter().rev() {
            reach.climb(graph, order, s as usize);
        }
        for &s in order.ascending.iter().rev() {
            reach.enter(graph, order, s as usize);
        }
        reach
    }

    /// [`Reach::cost`] of all homes.
    pub fn costs(&self, s: usize) -> &[u8] {
        &self.cost[s * self.count..][..self.count]
    }

    /// Least cost of a path from a switch to a home, [`FAR`] where there is none.
    pub fn cost(&self, s: usize, home: usize) -> u8 {
        self.cost[s * self.count + home]
    }

    /// Whether packets for a home may take a link from a switch.
    pub fn may_take(&self, graph: &SwitchGraph, order: &Order, s: usize, link: usize, home: usize) -> bool {
        let far = graph.peer[link] as usize;
        if far == s {
            return false;
        }
        let (here, there) = (s * self.count + home, far * self.count + home);
        let through = |rest: u8| rest.checked_add(order.cost[link]).unwrap_or(FAR);
        if order.climbs[link] {
            self.flags[here] & ENTERED == 0
                && self.cost[here] != FAR
                && through(self.cost[there]) == self.cost[here]
        } else {
            self.down[here] != FAR
                && through(self.down[there]) == self.down[here]
                && (self.flags[there] & (DESCENDS | ENTERED) != 0)
                && (self.flags[here] & ENTERED != 0 || self.down[here] == self.cost[here])
        }
    }

    /// By home: whether packets from a switch may take every link to the next level.
    pub fn all_up(&self, graph: &SwitchGraph, order: &Order, s: usize, all: &mut [bool]) {
        let row = s * self.count..(s + 1) * self.count;
        let (costs, flags) = (&self.cost[row.clone()], &self.flags[row]);
        for (all, &flags) in all.iter_mut().zip(flags) {
            *all = flags & ENTERED == 0;
        }
        for link in once_each(graph, s, |l| order.is_regular_up(graph, s, l)) {
            let rest = self.costs(graph.peer[link] as usize);
            for ((all, &cost), &rest) in all.iter_mut().zip(costs).zip(rest) {
                *all &= order.climbs[link] && cost != FAR && rest.wrapping_add(1) == cost;
            }
        }
    }

    /// By home: the only link that packets from a switch may take, where that leads down and the
    /// switch just descends.
    pub fn only_down(&self, graph: &SwitchGraph, order: &Order, s: usize, only: &mut [u32]) {
        let row = s * self.count..(s + 1) * self.count;
        let (down, flags) = (&self.down[row.clone()], &self.flags[row]);
        only.fill(NONE);
        let mut ways = vec![0_u8; self.count];
        for link in graph.links(s).filter(|&l| !order.climbs[l] && graph.peer[l] as usize != s) {
            let far = graph.peer[link] as usize * self.count;
            let (rests, theirs) = (&self.down[far..far + self.count], &self.flags[far..far + self.count]);
            let here = only.iter_mut().zip(&mut ways).zip(down);
            for (((only, ways), &down), (&rest, &theirs)) in here.zip(rests.iter().zip(theirs)) {
                let may = down != FAR
                    && rest.saturating_add(order.cost[link]) == down
                    && theirs & (DESCENDS | ENTERED) != 0;
                *only = if may { link as u32 } else { *only };
                *ways = ways.saturating_add(u8::from(may));
            }
        }
        for ((only, ways), flags) in only.iter_mut().zip(ways).zip(flags) {
            if ways != 1 || *flags != DESCENDS {
                *only = NONE;
            }
        }
    }

    /// The cost of a switch by its neighbours above, and whether it just descends.
    fn climb(&mut self, graph: &SwitchGraph, order: &Order, s: usize) {
        let count = self.count;
        for link in once_each(graph, s, |l| order.climbs[l]) {
            nearer(&mut self.cost, count, s, graph.peer[link] as usize, order.cost[link]);
        }
        let row = s * count..(s + 1) * count;
        let (costs, flags) = (&mut self.cost[row.clone()], &mut self.flags[row.clone()]);
        for ((cost, flags), &down) in costs.iter_mut().zip(flags).zip(&self.down[row]) {
            *flags = if down < *cost { DESCENDS } else { 0 };
            *cost = down.min(*cost);
        }
    }

    /// Marks the neighbours below that packets must be sent down to though these might climb.
    fn enter(&mut self, graph: &SwitchGraph, order: &Order, s: usize) {
        let count = self.count;
        let below: Vec<usize> = once_each(graph, s, |l| !order.climbs[l]).collect();
        let row = s * count;
        // Which homes it must descend to, and has no neighbour for that descends anyway.
        let mut lacking: Vec<u8> = self.flags[row..row + count]
            .iter()
            .zip(&self.down[row..row + count])
            .map(|(&flags, &down)| u8::from(flags != 0 && down != FAR && down != 0))
            .collect();
        for &link in &below {
            let far = graph.peer[link] as usize * count;
            let (there, flags) = (&self.down[far..far + count], &self.flags[far..far + count]);
            let here = &self.down[row..row + count];
            for (((lacking, &down), &rest), &flags) in lacking.iter_mut().zip(here).zip(there).zip(flags) {
                let served = flags & DESCENDS != 0 && rest.saturating_add(order.cost[link]) == down;
                *lacking &= u8::from(!served);
            }
        }
        for home in (0..count).filter(|&h| lacking[h] != 0) {
            for &link in &below {
                let there = graph.peer[link] as usize * count + home;
                if self.down[there].saturating_add(order.cost[link]) == self.down[row + home] {
                    self.flags[there] |= ENTERED;
                }
            }
        }
    }
}

/// Of the links of a switch to other switches, those that are wanted, one to each neighbour.
fn once_each(graph: &SwitchGraph, s: usize, wanted: impl Fn(usize) -> bool) -> impl Iterator<Item = usize> {
    let mut seen = Vec::new();
    graph.links(s).filter(move |&link| {
        let far = graph.peer[link];
        let new = far as usize != s && wanted(link) && !seen.contains(&far);
        if new {
            seen.push(far);
        }
        new
    })
}

/// Lowers a switch's costs to those over a neighbour.
fn nearer(costs: &mut [u8], count: usize, s: usize, far: usize, cost: u8) {
    let (low, high) = (s.min(far), s.max(far));
    let (head, tail) = costs.split_at_mut(high * count);
    let (low, high) = (&mut head[low * count..][..count], &mut tail[..count]);
    let (here, there) = if s < far { (low, high) } else { (high, low) };
    for (here, &there) in here.iter_mut().zip(&*there) {
        *here = (*here).min(there.saturating_add(cost));
    }
}
