//! Where all shortest paths together close no circle, as on any tree of switches: a numbering in
//! which they all climb.

use rayon::prelude::*;

use super::component::{Component, EdgeTargets};
use super::numbering::ChannelNumbering;
use crate::bits::ones;

/// A numbering in which every shortest path from end nodes to some edge switches climbs; none where these paths
/// together could wait for each other in a circle, or where there is no path.
pub(super) fn number(component: &Component, edge_switches: &[&EdgeTargets]) -> Option<ChannelNumbering> {
    let chunk = edge_switches.len().div_ceil(rayon::current_num_threads()).max(1);
    let turns = edge_switches
        .par_chunks(chunk)
        .map(|edge_switches| {
            let mut bits = vec![0; component.channels.len() * component.channels.words];
            let mut shortest = Shortest::default();
            for edge_switch in edge_switches {
                shortest.turns(component, edge_switch.switch, |channel, onward| {
                    bits[channel * component.channels.words..]
                        .iter_mut()
                        .zip(onward)
                        .for_each(|(b, o)| *b |= o);
                });
            }
            bits
        })
        .reduce_with(|mut all, some| {
            all.iter_mut().zip(&some).for_each(|(a, b)| *a |= b);
            all
        })?;
    climb(component, &turns)
}

/// Shortest paths to one edge switch; reused from edge switch to edge switch.
#[derive(Default)]
pub(super) struct Shortest {
    order: Vec<u32>,
    distance: Vec<u32>,
    /// By switch: a bit for each of its channels that lead on to the edge switch.
    onward: Vec<u64>,
    passed: Vec<bool>,
}

impl Shortest {
    /// Calls `each` with every channel on a shortest path from a switch with end nodes to an edge switch,
    /// the farthest first, and with the channels that lead on after it, as bits by their indices.
    pub fn turns(&mut self, component: &Component, edge_switch: u32, mut each: impl FnMut(usize, &[u64])) {
        let Self { order, distance, onward, passed } = self;
        let words = component.channels.words;
        component.search(edge_switch, order, distance);
        onward.clear();
        onward.resize(component.len() * words, 0);
        for &switch in &order[1..] {
            for (index, channel) in component.channels.out_of(switch).enumerate() {
                if distance[component.channels.head[channel] as usize] < distance[switch as usize] {
                    onward[switch as usize * words + index / 64] |= 1 << (index % 64);
                }
            }
        }
        passed.clear();
        passed.extend(component.sources.iter().map(|&s| s > 0));
        for &switch in order[1..].iter().rev() {
            if !passed[switch as usize] {
                continue;
            }
            for word in 0..words {
                for bit in ones(onward[switch as usize * words + word]) {
                    let channel = component.channels.channel(switch, 64 * word + bit);
                    let next = component.channels.head[channel] as usize;
                    passed[next] = true;
                    each(channel, &onward[next * words..][..words]);
                }
            }
        }
    }
}

/// Channels in an order in which all turns climb; none where there is a circle. (A. B. Kahn,
/// "Topological sorting of large networks", CACM 5(11), 1962.)
fn climb(component: &Component, turns: &[u64]) -> Option<ChannelNumbering> {
    let words = component.channels.words;
    let onward = |channel: usize| {
        let from = component.channels.head[channel];
        let row = turns[channel * words..][..words].iter().enumerate();
        row.flat_map(move |(word, &bits)| {
            ones(bits).map(move |bit| component.channels.channel(from, 64 * word + bit))
        })
    };
    let mut waits_for = vec![0_u32; component.channels.len()];
    (0..component.channels.len()).flat_map(onward).for_each(|next| waits_for[next] += 1);
    let free = |c: &u32| waits_for[*c as usize] == 0;
    let mut order: Vec<u32> = (0..component.channels.len() as u32).filter(free).collect();
    let mut done = 0;
    while let Some(&channel) = order.get(done) {
        done += 1;
        for next in onward(channel as usize) {
            waits_for[next] -= 1;
            if waits_for[next] == 0 {
                order.push(next as u32);
            }
        }
    }
    (order.len() == component.channels.len()).then(|| ChannelNumbering::in_order(component, &order))
}
