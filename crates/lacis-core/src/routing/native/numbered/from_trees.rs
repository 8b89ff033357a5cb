//! A numbering from trees: edge switch after edge switch, the shortest paths to it that close no cycle with
//! those before. This is Nue's own search, on the complete channel dependency graph.
//!
//! J. Domke, T. Hoefler, S. Matsuoka, "Routing on the Dependency Graph: A New Approach to
//! Deadlock-Free High-Performance Routing", HPDC 2016.

use super::cdg::{ChannelDependencies, TurnInto};
use super::component::{Component, NONE};
use super::escape;
use super::minimal::Shortest;
use super::numbering::Numbering;

/// Which of several equally short channels a path takes, where both turns are used already or both
/// are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tie {
    /// The lowest port: on grids that are cabled alike everywhere, one dimension after the other.
    Port,
    /// The highest number at present.
    Number,
}

/// In which order trees of shortest paths make a numbering.
#[derive(Clone, Copy, Debug)]
pub(super) struct TreeOrder<'a> {
    /// By switch, its index in the order that the numbering starts from.
    pub index: &'a [u32],
    /// Edge switches, in the order in which their trees come.
    pub edge_switches: &'a [u32],
    /// Whether escape paths come first; without them some edge switches may be out of reach in the end.
    pub escape: bool,
    pub tie: Tie,
}

/// The numbering of such trees; none where, without escape paths, a tree does not reach all end nodes.
pub(super) fn number(component: &Component, order: TreeOrder<'_>) -> Option<Numbering> {
    let numbering = Numbering::up_down(component, order.index);
    let mut search = TreeSearch::new(component, ChannelDependencies::new(component, numbering), order.tie);
    if order.escape {
        escape::lay(&mut search.dependencies, component, order.index, order.edge_switches);
    }
    let senders = component.sources.iter().filter(|&&s| s > 0).count();
    for &edge_switch in order.edge_switches {
        let reached = search.add_tree(edge_switch);
        if !order.escape && reached < senders {
            return None;
        }
    }
    // What balance chooses from: all other turns on shortest paths, as far as possible.
    let (mut dependencies, mut shortest) = (search.dependencies, Shortest::default());
    for &edge_switch in order.edge_switches {
        shortest
            .turns(component, edge_switch, |channel, onward| dependencies.use_turns(channel as u32, onward));
    }
    Some(dependencies.into_numbering())
}

/// What a channel is compared by, and the channel.
type Offer = (u8, u32, u32);

/// The search for one tree after another.
struct TreeSearch<'a> {
    component: &'a Component,
    dependencies: ChannelDependencies<'a>,
    tie: Tie,
    level: Vec<u32>,
    next: Vec<u32>,
    order: Vec<u32>,
    /// Switches met in a level, and the best channel of each.
    met: Vec<u32>,
    best: Vec<Offer>,
}

impl<'a> TreeSearch<'a> {
    fn new(component: &'a Component, dependencies: ChannelDependencies<'a>, tie: Tie) -> Self {
        Self {
            component,
            dependencies,
            tie,
            level: vec![NONE; component.len()],
            next: vec![NONE; component.len()],
            order: Vec::new(),
            met: Vec::new(),
            best: vec![(u8::MAX, 0, NONE); component.len()],
        }
    }

    /// Uses the turns of one tree to an edge switch: level by level away from it, preferring turns that are
    /// used already, then those that fit into the order as it is. Returns how many switches with end
    /// nodes it reaches.
    fn add_tree(&mut self, edge_switch: u32) -> usize {
        self.level.fill(NONE);
        self.next.fill(NONE);
        self.level[edge_switch as usize] = 0;
        self.order.clear();
        self.order.push(edge_switch);
        let (mut start, mut here) = (0, 1);
        while start < self.order.len() {
            let end = self.order.len();
            self.meet(start, end);
            let met = std::mem::take(&mut self.met);
            for &switch in &met {
                let (.., channel) = std::mem::replace(&mut self.best[switch as usize], (u8::MAX, 0, NONE));
                if self.take(switch, channel, edge_switch, here) || self.take_any(switch, edge_switch, here) {
                    self.order.push(switch);
                }
            }
            self.met = met;
            (start, here) = (end, here + 1);
        }
        self.order.iter().filter(|&&s| self.component.sources[s as usize] > 0).count()
    }

    /// Finds the switches next to those of a level, and the best channel of each.
    fn meet(&mut self, start: usize, end: usize) {
        let Self { component, dependencies, tie, level, next, order, met, best } = self;
        met.clear();
        for &switch in &order[start..end] {
            let turn = dependencies.turn_into(next[switch as usize]);
            for out in component.channels.out_of(switch) {
                let far = component.channels.head[out];
                if level[far as usize] != NONE {
                    continue;
                }
                let channel = component.channels.back[out];
                let offer = Self::offer(dependencies, *tie, channel, turn);
                let best = &mut best[far as usize];
                if best.2 == NONE {
                    met.push(far);
                    *best = offer;
                } else {
                    *best = offer.min(*best);
                }
            }
        }
    }

    /// A channel, with what it is compared by.
    fn offer(
        dependencies: &ChannelDependencies<'_>,
        tie: Tie,
        channel: u32,
        turn: Option<TurnInto>,
    ) -> Offer {
        let kind = turn.map_or(0, |turn| dependencies.kind(channel, turn));
        let tie = match tie {
            Tie::Port => channel,
            Tie::Number => u32::MAX - dependencies.rank(channel),
        };
        (kind, tie, channel)
    }

    /// Lets a switch go on by a channel, if the turn after it can be used.
    fn take(&mut self, switch: u32, channel: u32, edge_switch: u32, level: u32) -> bool {
        let head = self.component.channels.head[channel as usize];
        let taken = head == edge_switch || self.dependencies.use_turn(channel, self.next[head as usize]);
        if taken {
            self.level[switch as usize] = level;
            self.next[switch as usize] = channel;
        }
        taken
    }

    /// The same by any channel to the level before, the best first.
    fn take_any(&mut self, switch: u32, edge_switch: u32, level: u32) -> bool {
        let component = self.component;
        let nearer = |c: &usize| self.level[component.channels.head[*c] as usize] == level - 1;
        let offer = |c: usize| {
            let turn = self.dependencies.turn_into(self.next[component.channels.head[c] as usize]);
            Self::offer(&self.dependencies, self.tie, c as u32, turn)
        };
        let mut offers: Vec<Offer> = component.channels.out_of(switch).filter(nearer).map(offer).collect();
        offers.sort_unstable();
        offers.into_iter().any(|(.., channel)| self.take(switch, channel, edge_switch, level))
    }
}
