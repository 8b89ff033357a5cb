//! Where all shortest paths together close no circle, as on any tree of switches: a numbering in
//! which they all climb.

use rayon::prelude::*;

use super::numbering::Numbering;
use super::part::{Home, Part};

/// A numbering in which every shortest path from end nodes to some homes climbs; none where these paths
/// together could wait for each other in a circle, or where there is no path.
pub(super) fn number(part: &Part, homes: &[&Home]) -> Option<Numbering> {
    let chunk = homes.len().div_ceil(rayon::current_num_threads()).max(1);
    let turns = homes
        .par_chunks(chunk)
        .map(|homes| {
            let mut bits = vec![0; part.num_channels() * part.words];
            let mut shortest = Shortest::default();
            for home in homes {
                shortest.turns(part, home.switch, |channel, onward| {
                    bits[channel * part.words..].iter_mut().zip(onward).for_each(|(b, o)| *b |= o);
                });
            }
            bits
        })
        .reduce_with(|mut all, some| {
            all.iter_mut().zip(&some).for_each(|(a, b)| *a |= b);
            all
        })?;
    climb(part, &turns)
}

/// Shortest paths to one home; reused from home to home.
#[derive(Default)]
pub(super) struct Shortest {
    order: Vec<u32>,
    distance: Vec<u32>,
    /// By switch: a bit for each of its channels that lead on to the home.
    onward: Vec<u64>,
    passed: Vec<bool>,
}

impl Shortest {
    /// Calls `each` with every channel on a shortest path from a switch with end nodes to a home,
    /// the farthest first, and with the channels that lead on after it, as bits by their places.
    pub fn turns(&mut self, part: &Part, home: u32, mut each: impl FnMut(usize, &[u64])) {
        let Self { order, distance, onward, passed } = self;
        let words = part.words;
        part.search(home, order, distance);
        onward.clear();
        onward.resize(part.len() * words, 0);
        for &switch in &order[1..] {
            for (place, channel) in part.out(switch).enumerate() {
                if distance[part.head[channel] as usize] < distance[switch as usize] {
                    onward[switch as usize * words + place / 64] |= 1 << (place % 64);
                }
            }
        }
        passed.clear();
        passed.extend(part.sources.iter().map(|&s| s > 0));
        for &switch in order[1..].iter().rev() {
            if !passed[switch as usize] {
                continue;
            }
            for word in 0..words {
                for bit in ones(onward[switch as usize * words + word]) {
                    let channel = part.channel(switch, 64 * word + bit);
                    let next = part.head[channel] as usize;
                    passed[next] = true;
                    each(channel, &onward[next * words..][..words]);
                }
            }
        }
    }
}

/// Channels in an order in which all turns climb; none where there is a circle. (A. B. Kahn,
/// "Topological sorting of large networks", CACM 5(11), 1962.)
fn climb(part: &Part, turns: &[u64]) -> Option<Numbering> {
    let words = part.words;
    let onward = |channel: usize| {
        let from = part.head[channel];
        let row = turns[channel * words..][..words].iter().enumerate();
        row.flat_map(move |(word, &bits)| ones(bits).map(move |bit| part.channel(from, 64 * word + bit)))
    };
    let mut waits_for = vec![0_u32; part.num_channels()];
    (0..part.num_channels()).flat_map(onward).for_each(|next| waits_for[next] += 1);
    let free = |c: &u32| waits_for[*c as usize] == 0;
    let mut order: Vec<u32> = (0..part.num_channels() as u32).filter(free).collect();
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
    (order.len() == part.num_channels()).then(|| Numbering::in_order(part, &order))
}

/// The places of the ones in a word, ascending.
pub(super) fn ones(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros() as usize;
        word &= word.wrapping_sub(1);
        (bit < 64).then_some(bit)
    })
}
