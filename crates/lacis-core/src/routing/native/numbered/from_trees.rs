//! A numbering from trees: edge switch after edge switch, the shortest paths to it that close no cycle with
//! those before. This is Nue's own search, on the complete channel dependency graph.
//!
//! J. Domke, T. Hoefler, S. Matsuoka, "Routing on the Dependency Graph: A New Approach to
//! Deadlock-Free High-Performance Routing", HPDC 2016.

use super::cdg::ChannelDependencies;
use super::component::{Component, NONE};
use super::escape;
use super::minimal::Shortest;
use super::numbering::ChannelNumbering;

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
pub(super) fn number(component: &Component, order: TreeOrder<'_>) -> Option<ChannelNumbering> {
    let numbering = ChannelNumbering::up_down(component, order.index);
    let dependencies = ChannelDependencies::new(component, numbering);
    let none = vec![NONE; component.len()];
    let mut search = TreeSearch { component, dependencies, tie: order.tie, level: none.clone(), next: none };
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
}

impl TreeSearch<'_> {
    /// Uses the turns of one tree to an edge switch: level by level away from it, preferring turns that are
    /// used already, then those that fit into the order as it is. Returns how many switches with end
    /// nodes it reaches.
    fn add_tree(&mut self, edge_switch: u32) -> usize {
        let Component { channels, sources, .. } = self.component;
        self.level.fill(NONE);
        self.next.fill(NONE);
        self.level[edge_switch as usize] = 0;
        let mut order = vec![edge_switch];
        let (mut start, mut here) = (0, 1);
        // The last level beside which a switch was found.
        let mut beside = vec![0; self.level.len()];
        while start < order.len() {
            let end = order.len();
            let mut found = Vec::new();
            for &switch in &order[start..end] {
                for far in channels.out_of(switch).map(|out| channels.head[out]) {
                    if self.level[far as usize] == NONE
                        && std::mem::replace(&mut beside[far as usize], here) != here
                    {
                        found.push(far);
                    }
                }
            }
            let best: Vec<_> = found.iter().filter_map(|&switch| self.offers(switch, here).min()).collect();
            for (switch, best) in found.into_iter().zip(best) {
                if self.join(switch, best, edge_switch, here) || self.join_by_any(switch, edge_switch, here) {
                    order.push(switch);
                }
            }
            (start, here) = (end, here + 1);
        }
        order.iter().filter(|&&s| sources[s as usize] > 0).count()
    }

    /// The channels from a switch to the level before, with what they are compared by.
    fn offers(&self, switch: u32, level: u32) -> impl Iterator<Item = Offer> {
        let channels = &self.component.channels;
        channels.out_of(switch).filter_map(move |c| {
            let (channel, head) = (c as u32, channels.head[c] as usize);
            let tie = match self.tie {
                Tie::Port => channel,
                Tie::Number => u32::MAX - self.dependencies.rank(channel),
            };
            let next = self.next[head];
            let kind = || if next == NONE { 0 } else { self.dependencies.kind(channel, next) };
            (self.level[head] == level - 1).then(|| (kind(), tie, channel))
        })
    }

    /// Lets a switch go on by a channel, if the turn after it can be used.
    fn join(&mut self, switch: u32, (.., channel): Offer, edge_switch: u32, level: u32) -> bool {
        let head = self.component.channels.head[channel as usize];
        let joins = head == edge_switch || self.dependencies.use_turn(channel, self.next[head as usize]);
        if joins {
            self.level[switch as usize] = level;
            self.next[switch as usize] = channel;
        }
        joins
    }

    /// The same by any channel, the best first.
    fn join_by_any(&mut self, switch: u32, edge_switch: u32, level: u32) -> bool {
        let mut offers: Vec<Offer> = self.offers(switch, level).collect();
        offers.sort_unstable();
        offers.into_iter().any(|offer| self.join(switch, offer, edge_switch, level))
    }
}
