//! The complete channel dependency graph, with a topological order of its used part that is
//! brought up to date dependency by dependency.
//!
//! D. J. Pearce, P. H. J. Kelly, "A Dynamic Topological Sort Algorithm for Directed Acyclic
//! Graphs", ACM Journal of Experimental Algorithmics 11, 2006.
//!
//! | here                   | in the paper                                                   |
//! |------------------------|----------------------------------------------------------------|
//! | `rank`                 | ord                                                            |
//! | `use_turn(x, y)`       | add_edge                                                       |
//! | `after`, `before`      | δF, δB: what lies between y and x in `rank`, after y and before x |

use super::component::Component;
use super::minimal::ones;
use super::numbering::Numbering;

/// Which channels may follow each other. A dependency (*turn*) from a channel into a switch to one
/// out of it is unused, used or blocked; the used ones close no circle, and a blocked one would.
pub(super) struct Dependencies<'a> {
    component: &'a Component,
    /// A topological order of the used turns, by channel.
    rank: Vec<u32>,
    /// By channel, a bit for each channel out of the switch that it enters.
    used: Vec<u64>,
    blocked: Vec<u64>,
    /// The used turns by the channel that they end in: a bit for each channel into the switch that it
    /// leaves, by the index of that one's other direction.
    used_into: Vec<u64>,
    /// By switch, the channels out of it (or into it, by the other direction) seen in a round, and that
    /// round.
    seen: Vec<u64>,
    seen_in: Vec<u32>,
    round: u32,
    after: Vec<u32>,
    before: Vec<u32>,
}

/// The end of turns, see [`Dependencies::turn_into`].
#[derive(Clone, Copy)]
pub(super) struct TurnInto {
    rank: u32,
    word: usize,
    bit: u64,
}

impl<'a> Dependencies<'a> {
    /// No turn is used; the order is that of a numbering.
    pub fn new(component: &'a Component, numbering: Numbering) -> Self {
        let bits = component.num_channels() * component.words;
        Self {
            component,
            rank: numbering.rank,
            used: vec![0; bits],
            blocked: vec![0; bits],
            used_into: vec![0; bits],
            seen: vec![0; component.len() * component.words],
            seen_in: vec![0; component.len()],
            round: 0,
            after: Vec::new(),
            before: Vec::new(),
        }
    }

    /// What is asked about turns into a channel; none where there is no channel.
    pub fn turn_into(&self, to: u32) -> Option<TurnInto> {
        let rank = *self.rank.get(to as usize)?;
        let index = self.component.index(to as usize);
        Some(TurnInto { rank, word: index / 64, bit: 1 << (index % 64) })
    }

    /// 0 for a turn that is used, 1 for one that fits into the order as it is, 2 for any other.
    pub fn kind(&self, from: u32, to: TurnInto) -> u8 {
        if self.used[from as usize * self.component.words + to.word] & to.bit != 0 {
            0
        } else {
            1 + u8::from(self.rank[from as usize] > to.rank)
        }
    }

    /// Whether the order has a channel before another.
    fn climbs(&self, from: u32, to: u32) -> bool {
        self.rank[from as usize] < self.rank[to as usize]
    }

    /// A channel's index in the order.
    pub fn rank(&self, channel: u32) -> u32 {
        self.rank[channel as usize]
    }

    /// Uses a turn, unless that closes a circle or goes straight back.
    pub fn use_turn(&mut self, from: u32, to: u32) -> bool {
        let (word, bit) = self.bit(from, to);
        if self.used[word] & bit != 0 {
            return true;
        }
        if self.blocked[word] & bit != 0 || self.component.back[from as usize] == to {
            return false;
        }
        if !self.climbs(from, to) && !self.make_room(from, to) {
            self.blocked[word] |= bit;
            return false;
        }
        self.used[word] |= bit;
        let (word, bit) = self.bit(to, self.component.back[from as usize]);
        self.used_into[word] |= bit;
        true
    }

    /// Uses, of some turns from a channel, those that it can. `to` are bits as in `used`.
    pub fn use_turns(&mut self, from: u32, to: &[u64]) {
        let (component, words) = (self.component, self.component.words);
        for (word, &bits) in to.iter().enumerate() {
            let at = from as usize * words + word;
            for bit in ones(bits & !self.used[at] & !self.blocked[at]) {
                let to = component.channel(component.head[from as usize], 64 * word + bit);
                self.use_turn(from, to as u32);
            }
        }
    }

    /// The order, as a numbering: all used turns climb in it.
    pub fn into_numbering(self) -> Numbering {
        Numbering::new(self.component, self.rank)
    }

    fn bit(&self, from: u32, to: u32) -> (usize, u64) {
        let index = self.component.index(to as usize);
        (from as usize * self.component.words + index / 64, 1 << (index % 64))
    }

    /// Changes the order so that `x`, which is behind `y`, comes before it; false where `y` already
    /// leads to `x`.
    fn make_room(&mut self, x: u32, y: u32) -> bool {
        let (low, high) = (self.rank[y as usize], self.rank[x as usize]);
        if !self.find_after(y, x, high) {
            return false;
        }
        self.find_before(x, low);
        let Self { rank, after, before, .. } = self;
        after.sort_unstable_by_key(|&c| rank[c as usize]);
        before.sort_unstable_by_key(|&c| rank[c as usize]);
        let mut ranks: Vec<u32> = before.iter().chain(after.iter()).map(|&c| rank[c as usize]).collect();
        ranks.sort_unstable();
        for (&channel, &free) in before.iter().chain(after.iter()).zip(&ranks) {
            rank[channel as usize] = free;
        }
        true
    }

    /// Collects what `y` leads to up to a rank; false where that includes `x`.
    fn find_after(&mut self, y: u32, x: u32, high: u32) -> bool {
        let (component, words) = (self.component, self.component.words);
        self.round += 1;
        self.after.clear();
        self.after.push(y);
        let mut done = 0;
        while let Some(&channel) = self.after.get(done) {
            done += 1;
            let head = component.head[channel as usize];
            for word in 0..words {
                let row = self.used[channel as usize * words + word];
                for bit in ones(self.unseen(head, word, row)) {
                    let next = component.channel(head, 64 * word + bit) as u32;
                    if next == x {
                        return false;
                    }
                    if self.rank[next as usize] < high {
                        self.after.push(next);
                    }
                }
            }
        }
        true
    }

    /// Collects what leads to `x` from a rank on.
    fn find_before(&mut self, x: u32, low: u32) {
        let (component, words) = (self.component, self.component.words);
        self.round += 1;
        self.before.clear();
        self.before.push(x);
        let mut done = 0;
        while let Some(&channel) = self.before.get(done) {
            done += 1;
            let tail = component.tail[channel as usize];
            for word in 0..words {
                let row = self.used_into[channel as usize * words + word];
                for bit in ones(self.unseen(tail, word, row)) {
                    let into = component.back[component.channel(tail, 64 * word + bit)];
                    if self.rank[into as usize] > low {
                        self.before.push(into);
                    }
                }
            }
        }
    }

    /// Which bits of one word of a switch's row this round has not seen yet; now it has.
    fn unseen(&mut self, switch: u32, word: usize, row: u64) -> u64 {
        let seen = &mut self.seen[switch as usize * self.component.words..][..self.component.words];
        if std::mem::replace(&mut self.seen_in[switch as usize], self.round) != self.round {
            seen.fill(0);
        }
        let new = row & !seen[word];
        seen[word] |= row;
        new
    }
}
