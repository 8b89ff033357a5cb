//! All paths of equal length to one edge switch in a numbering, from every switch.
//!
//! A table has one entry for a LID, so whatever comes to a switch for an edge switch goes on by the same
//! channel, and must climb to it. A short path that starts with a low number bars others from
//! passing here, so near ones are found first and, of equally short ones, those with high numbers.
//!
//! | here    | meaning                                                              |
//! |---------|----------------------------------------------------------------------|
//! | `level` | hops to the edge switch                                              |
//! | `next`  | the channel by which a switch goes on                                |
//! | `floor` | only channels with at least this number may be taken: others need it |
//! | `least` | the lowest number among the paths on from a switch                   |

use super::component::{Component, NONE};
use super::numbering::ChannelNumbering;

/// The channels that lead to one edge switch.
#[derive(Clone, Default)]
pub(super) struct WaysOn {
    /// The switches but the edge switch, by level: any path on leads to one before.
    pub order: Vec<u32>,
    /// By index in `order`: where its channels end in `channels`.
    ends: Vec<u32>,
    /// The channels that lead on, switch after switch. Whatever is chosen among them, it climbs.
    channels: Vec<u32>,
}

impl WaysOn {
    /// The switches in order, each with the channels to choose from.
    pub fn each(&self) -> impl Iterator<Item = (&u32, &[u32])> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let ranges = starts.zip(&self.ends).map(|(start, &end)| start as usize..end as usize);
        self.order.iter().zip(ranges.map(|range| &self.channels[range]))
    }
}

/// Paths to one edge switch; reused from edge switch to edge switch.
pub(super) struct PathsToEdge<'a> {
    component: &'a Component,
    pub found: WaysOn,
    level: Vec<u32>,
    next: Vec<u32>,
    floor: Vec<u32>,
    least: Vec<u32>,
}

impl<'a> PathsToEdge<'a> {
    pub fn new(component: &'a Component) -> Self {
        let none = vec![NONE; component.len()];
        Self {
            component,
            found: WaysOn::default(),
            level: none.clone(),
            next: none.clone(),
            floor: none.clone(),
            least: none,
        }
    }

    /// Finds the paths to an edge switch. False where some switch with end nodes has none.
    ///
    /// Switches without end nodes only pass on what climbs and may have no path that climbs: these are
    /// led to the edge switch anyhow, for the manager's sake. No packet between end nodes goes there.
    pub fn find_paths(&mut self, numbering: &ChannelNumbering, edge_switch: u32) -> bool {
        let rank = &numbering.rank;
        self.floor.fill(0);
        let mut highest = None;
        loop {
            self.descend(numbering, edge_switch);
            let lost = |s: &u32| self.component.sources[*s as usize] > 0 && self.level[*s as usize] == NONE;
            let lost: Vec<u32> = (0..self.component.len() as u32).filter(lost).collect();
            if lost.is_empty() {
                break;
            }
            let highest = highest.get_or_insert_with(|| self.highest(numbering, edge_switch));
            if !self.raise_floors(rank, edge_switch, &lost, highest) {
                return false;
            }
        }
        self.widen(rank, edge_switch);
        self.add_rest();
        true
    }

    /// Finds the paths to any switch, climbing as far as they can.
    pub fn find_any(&mut self, numbering: &ChannelNumbering, switch: u32) {
        self.floor.fill(0);
        self.descend(numbering, switch);
        self.widen(&numbering.rank, switch);
        self.add_rest();
    }

    /// Level by level away from the edge switch: from each switch one of the shortest paths that climb.
    fn descend(&mut self, numbering: &ChannelNumbering, edge_switch: u32) {
        let Self { component, found: WaysOn { order, .. }, level, next, floor, .. } = self;
        level.fill(NONE);
        next.fill(NONE);
        level[edge_switch as usize] = 0;
        order.clear();
        order.push(edge_switch);
        let mut done = 0;
        while let Some(&switch) = order.get(done) {
            done += 1;
            let limit = numbering.rank.get(next[switch as usize] as usize).copied().unwrap_or(NONE);
            let here = level[switch as usize] + 1;
            for out in component.channels.out_of(switch) {
                let (far, number) = (component.channels.head[out] as usize, numbering.back[out]);
                if level[far] < here || number >= limit || number < floor[far] {
                    continue;
                }
                if level[far] == NONE {
                    level[far] = here;
                    order.push(far as u32);
                } else if number < numbering.rank[next[far] as usize] {
                    continue;
                }
                next[far] = component.channels.back[out];
            }
        }
    }

    /// By switch, the channel with the highest number from which a path climbs to the edge switch.
    fn highest(&self, numbering: &ChannelNumbering, edge_switch: u32) -> Vec<u32> {
        let (component, rank) = (self.component, &numbering.rank);
        let mut highest = vec![NONE; component.len()];
        for channel in numbering.descending() {
            let (tail, head) =
                (component.channels.tail[channel as usize], component.channels.head[channel as usize]);
            let on = highest[head as usize];
            let climbs = head == edge_switch || on != NONE && rank[on as usize] > rank[channel as usize];
            if climbs && tail != edge_switch && highest[tail as usize] == NONE {
                highest[tail as usize] = channel;
            }
        }
        highest
    }

    /// Makes sure that lost switches can take the highest channels: no switch on their paths may send
    /// on by a lower number than they come in by. False where there is no such path.
    fn raise_floors(&mut self, rank: &[u32], edge_switch: u32, lost: &[u32], highest: &[u32]) -> bool {
        let mut raised = false;
        for &switch in lost {
            let mut channel = highest[switch as usize];
            while channel != NONE {
                let (head, number) = (self.component.channels.head[channel as usize], rank[channel as usize]);
                if head == edge_switch {
                    break;
                }
                let floor = &mut self.floor[head as usize];
                raised |= *floor <= number;
                *floor = (*floor).max(number + 1);
                channel = highest[head as usize];
            }
        }
        raised
    }

    /// Finds all channels that lead on as fast, above the numbers that others come in by and below
    /// those that they may go on by.
    fn widen(&mut self, rank: &[u32], edge_switch: u32) {
        let Self { component, found: WaysOn { order, ends, channels }, level, next, floor, least } = self;
        order.remove(0);
        for &switch in order.iter() {
            let channel = next[switch as usize] as usize;
            let floor = &mut floor[component.channels.head[channel] as usize];
            *floor = (*floor).max(rank[channel] + 1);
        }
        ends.clear();
        channels.clear();
        least[edge_switch as usize] = NONE;
        for &switch in order.iter() {
            let mut lowest = NONE;
            for channel in component.channels.out_of(switch) {
                let (head, number) = (component.channels.head[channel] as usize, rank[channel]);
                let nearer = level[head] < level[switch as usize];
                if nearer && number < least[head] && number >= floor[switch as usize] {
                    channels.push(channel as u32);
                    lowest = lowest.min(number);
                }
            }
            least[switch as usize] = lowest;
            ends.push(channels.len() as u32);
        }
    }

    /// Leads the switches that no path climbs from to neighbours that have one.
    fn add_rest(&mut self) {
        let Self { component, found: WaysOn { order, ends, channels }, level, .. } = self;
        let mut done = 0;
        if order.len() + 1 == component.len() {
            return;
        }
        let edge_switch = (0..component.len() as u32).find(|&s| level[s as usize] == 0);
        let mut queue: Vec<u32> = edge_switch.into_iter().chain(order.iter().copied()).collect();
        while let Some(&switch) = queue.get(done) {
            done += 1;
            for out in component.channels.out_of(switch) {
                let far = component.channels.head[out];
                if level[far as usize] == NONE {
                    level[far as usize] = level[switch as usize] + 1;
                    queue.push(far);
                    order.push(far);
                    channels.push(component.channels.back[out]);
                    ends.push(channels.len() as u32);
                }
            }
        }
    }
}
