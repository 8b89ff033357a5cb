//! Which switches each reaches by climbing and then descending, over how many levels, and by which first hops.
//!
//! For an edge switch `h` (the switch of a destination) and a switch `s`:
//!
//! | here         | meaning                                                                            |
//! |--------------|------------------------------------------------------------------------------------|
//! | `down`       | least cost of a path that only descends                                            |
//! | `cost`       | least cost of any path that climbs and then descends                               |
//! | [`DESCENDS`] | every path of that cost descends at once, as under a top of a tree                 |
//! | [`ENTERED`]  | something above may send packets for `h` down to `s`: they must not climb from it   |
//!
//! Forwarding looks at the destination only, so a switch that packets come down to must send them on
//! down. Where a switch has both kinds of hops (its own order was bent, or two switches of one level
//! are cabled), it sends down only to those that descend anyway, unless it has no other hop.
//!
//! Where any switch is entered, only packets of end nodes count: paths that none of these takes are
//! forgotten, as if there were none ([`FAR`]). A top that has lost its cable to some switch would otherwise send
//! its own packets there down to a leaf that must pass them on, and that leaf could no longer choose.

use super::order::LevelOrder;
use crate::fabric::switch_graph::SwitchGraph;

/// No path.
pub(super) const FAR: u8 = u8::MAX;
/// Flag: no path of least cost climbs.
const DESCENDS: u8 = 1;
/// Flag: packets may come down.
const ENTERED: u8 = 2;
/// Flag: packets that end nodes send may come here.
const PASSED: u8 = 4;

/// Costs and flags of all pairs of switches; row by switch, column by edge switch.
pub(super) struct Reach {
    count: usize,
    down: Vec<u8>,
    cost: Vec<u8>,
    flags: Vec<u8>,
    /// By switch: the edge switches that it has paths down to.
    below: Vec<Vec<u32>>,
}

/// What a switch can choose from, by edge switch.
pub(super) struct Choices {
    /// Links that packets may take.
    pub number: Vec<u8>,
    /// Those of them that lead to the next level.
    pub regular: Vec<u8>,
    /// The port of the last one: the only one where `number` is 1.
    pub port: Vec<u8>,
    /// What the far end's cost and that of a link up must add up to; 0, which they never do, where packets must not climb.
    climbing: Vec<u8>,
}

impl Choices {
    /// Room for the switches of a fabric.
    pub fn new(count: usize) -> Self {
        let zeros = || vec![0; count];
        Self { number: zeros(), regular: zeros(), port: zeros(), climbing: zeros() }
    }
}

impl Reach {
    /// Measures all pairs; packets start at `hosted` switches.
    pub fn of(graph: &SwitchGraph, order: &LevelOrder, hosted: &[bool]) -> Self {
        let count = graph.num_switches();
        let size = count * count;
        let (down, cost, flags) = (vec![FAR; size], vec![FAR; size], vec![PASSED; size]);
        let mut reach = Self { count, down, cost, flags, below: vec![Vec::new(); count] };
        order.ascending.iter().for_each(|&s| reach.descend(graph, order, s as usize));
        order.ascending.iter().rev().for_each(|&s| reach.climb(graph, order, s as usize));
        reach.enter_all(graph, order);
        if reach.flags.iter().any(|flags| flags & ENTERED != 0) {
            reach.flags.iter_mut().for_each(|flags| *flags &= DESCENDS);
            order.ascending.iter().for_each(|&s| reach.pass_up(graph, order, s as usize, hosted));
            reach.enter_all(graph, order);
            reach.forget();
        }
        reach
    }

    /// Least cost of a path from a switch to an edge switch, [`FAR`] where there is none.
    #[inline]
    pub fn cost(&self, s: usize, edge_switch: usize) -> u8 {
        self.cost[s * self.count + edge_switch]
    }

    /// Whether packets for an edge switch may take a link from a switch.
    #[inline]
    pub fn may_take(
        &self,
        graph: &SwitchGraph,
        order: &LevelOrder,
        s: usize,
        link: usize,
        edge_switch: usize,
    ) -> bool {
        let far = graph.peer[link] as usize;
        let (here, there) = (s * self.count + edge_switch, far * self.count + edge_switch);
        let through = |rest: u8| rest.saturating_add(order.cost[link]);
        if order.climbs[link] {
            self.flags[here] & ENTERED == 0
                && self.cost[here] != FAR
                && through(self.cost[there]) == self.cost[here]
        } else {
            self.down[here] != FAR
                && through(self.down[there]) == self.down[here]
                && self.flags[there] & (DESCENDS | ENTERED) != 0
                && (self.flags[here] & ENTERED != 0 || self.down[here] == self.cost[here])
        }
    }

    /// Counts the links that packets may take from a switch, for all edge switches at once.
    pub fn choices(&self, graph: &SwitchGraph, order: &LevelOrder, s: usize, choices: &mut Choices) {
        let row = s * self.count..(s + 1) * self.count;
        let Choices { number, regular, port: ports, climbing } = choices;
        number.fill(0);
        regular.fill(0);
        for ((climbing, &cost), &flags) in
            climbing.iter_mut().zip(&self.cost[row.clone()]).zip(&self.flags[row])
        {
            *climbing = if flags & ENTERED != 0 || cost == FAR { 0 } else { cost };
        }
        for link in graph.links(s) {
            let (far, port) = (graph.peer[link] as usize, graph.port[link]);
            if order.climbs[link] {
                let rests = &self.cost[far * self.count..][..self.count];
                let of_link = (port, order.cost[link], order.is_regular_up(graph, s, link));
                mark((number, regular, ports), climbing, rests, of_link);
            } else {
                for edge_switch in self.below[far].iter().map(|&h| h as usize) {
                    if self.may_take(graph, order, s, link, edge_switch) {
                        number[edge_switch] = number[edge_switch].saturating_add(1);
                        ports[edge_switch] = port;
                    }
                }
            }
        }
    }

    /// The paths of a switch down over its neighbours, and the edge switches that they lead to; those below its
    /// neighbours are known.
    fn descend(&mut self, graph: &SwitchGraph, order: &LevelOrder, s: usize) {
        let row = s * self.count;
        self.down[row + s] = 0;
        let mut edge_switches = vec![s as u32];
        for link in graph.links(s).filter(|&l| !order.climbs[l]) {
            let far = graph.peer[link] as usize;
            for &edge_switch in &self.below[far] {
                let through =
                    self.down[far * self.count + edge_switch as usize].saturating_add(order.cost[link]);
                let down = &mut self.down[row + edge_switch as usize];
                if *down == FAR && through != FAR {
                    edge_switches.push(edge_switch);
                }
                *down = through.min(*down);
            }
        }
        self.below[s] = edge_switches;
    }

    /// The cost of a switch by its neighbours above, and whether it just descends.
    fn climb(&mut self, graph: &SwitchGraph, order: &LevelOrder, s: usize) {
        let row = s * self.count..(s + 1) * self.count;
        for link in graph.links(s).filter(|&l| order.climbs[l]) {
            nearer(&mut self.cost, self.count, s, graph.peer[link] as usize, order.cost[link]);
        }
        let (costs, flags) = (&mut self.cost[row.clone()], &mut self.flags[row.clone()]);
        for ((cost, flags), &down) in costs.iter_mut().zip(flags).zip(&self.down[row]) {
            *flags |= if down < *cost { DESCENDS } else { 0 };
            *cost = down.min(*cost);
        }
    }

    /// Where packets from a switch and from those below it may climb to. A switch that is entered does not climb, which is not
    /// known yet: some that are here never come.
    fn pass_up(&mut self, graph: &SwitchGraph, order: &LevelOrder, s: usize, hosted: &[bool]) {
        let row = s * self.count;
        let starts = if hosted[s] { row..row + self.count } else { row + s..row + s + 1 };
        self.flags[starts].iter_mut().for_each(|flags| *flags |= PASSED);
        for link in graph.links(s).filter(|&l| order.climbs[l]) {
            let far = graph.peer[link] as usize * self.count;
            for edge_switch in 0..self.count {
                let cost = self.cost[row + edge_switch];
                if cost != FAR && self.cost[far + edge_switch].saturating_add(order.cost[link]) == cost {
                    self.flags[far + edge_switch] |= self.flags[row + edge_switch] & PASSED;
                }
            }
        }
    }

    /// Forgets the paths that no end node's packets take.
    fn forget(&mut self) {
        for ((down, cost), flags) in self.down.iter_mut().zip(&mut self.cost).zip(&mut self.flags) {
            if *flags & PASSED == 0 {
                (*down, *cost, *flags) = (FAR, FAR, 0);
            }
        }
    }

    /// Marks the switches that are entered, by packets that are passed to where they come down from.
    fn enter_all(&mut self, graph: &SwitchGraph, order: &LevelOrder) {
        let mut served = vec![false; self.count];
        order.ascending.iter().rev().for_each(|&s| self.enter(graph, order, s as usize, &mut served));
    }

    /// Marks the neighbours below that packets must be sent down to though these might climb, and passes packets on to
    /// them; all of `served` is false before and after.
    fn enter(&mut self, graph: &SwitchGraph, order: &LevelOrder, s: usize, served: &mut [bool]) {
        let Self { count, down, cost, flags, below } = self;
        let row = s * *count;
        let links = || graph.links(s).filter(|&l| !order.climbs[l]);
        let to = |link: usize, edge_switch: usize| graph.peer[link] as usize * *count + edge_switch;
        let leads = |link: usize, edge_switch: usize| {
            down[to(link, edge_switch)].saturating_add(order.cost[link]) == down[row + edge_switch]
        };
        // Some neighbour descends to these anyway.
        for link in links() {
            for edge_switch in below[graph.peer[link] as usize].iter().map(|&h| h as usize) {
                served[edge_switch] |=
                    flags[to(link, edge_switch)] & DESCENDS != 0 && leads(link, edge_switch);
            }
        }
        for edge_switch in below[s].iter().map(|&h| h as usize) {
            let here = flags[row + edge_switch];
            if !served[edge_switch]
                && edge_switch != s
                && here & PASSED != 0
                && here & (DESCENDS | ENTERED) != 0
            {
                links()
                    .filter(|&link| leads(link, edge_switch))
                    .for_each(|link| flags[to(link, edge_switch)] |= ENTERED);
            }
            served[edge_switch] = false;
        }
        for link in links() {
            for edge_switch in below[graph.peer[link] as usize].iter().map(|&h| h as usize) {
                let here = flags[row + edge_switch];
                let sends =
                    here & (DESCENDS | ENTERED) != 0 || down[row + edge_switch] == cost[row + edge_switch];
                let comes =
                    here & PASSED != 0 && sends && flags[to(link, edge_switch)] & (DESCENDS | ENTERED) != 0;
                if comes && leads(link, edge_switch) {
                    flags[to(link, edge_switch)] |= PASSED;
                }
            }
        }
    }
}

/// Counts a link for all edge switches where the far end's cost and the link's add up to what is wanted, and
/// notes its port.
/// A separate function: so the compiler knows that the arrays do not overlap, and takes many edge switches at a time.
#[inline(never)]
fn mark(
    (number, regular, ports): (&mut [u8], &mut [u8], &mut [u8]),
    wanted: &[u8],
    rests: &[u8],
    (port, cost, is_regular): (u8, u8, bool),
) {
    let step = u8::from(is_regular);
    let counted = number.iter_mut().zip(regular).zip(ports);
    for (((number, regular), port_of), (&wanted, &rest)) in counted.zip(wanted.iter().zip(rests)) {
        let may = if rest.saturating_add(cost) == wanted { u8::MAX } else { 0 };
        *number = number.saturating_add(may & 1);
        *regular = regular.saturating_add(may & step);
        *port_of = (*port_of & !may) | (port & may);
    }
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
