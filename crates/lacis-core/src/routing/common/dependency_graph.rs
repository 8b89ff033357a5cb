//! The channel dependency graph of one VL, kept free of cycles.
//!
//! W. J. Dally and C. L. Seitz, "Deadlock-Free Message Routing in Multiprocessor Interconnection
//! Networks", IEEE Transactions on Computers C-36(5), 1987: no cycle, no deadlock. Whether a new
//! dependency closes one is found by keeping the channels in an order that all dependencies follow:
//! D. J. Pearce and P. H. J. Kelly, "A dynamic topological sort algorithm for directed acyclic
//! graphs", ACM Journal of Experimental Algorithmics 11, 2006.
//!
//! | here       | in the second paper                                          |
//! |------------|--------------------------------------------------------------|
//! | `position` | ord, the topological order                                   |
//! | `ahead`    | δF, what the end of the new dependency leads to              |
//! | `behind`   | δB, what leads to its start                                  |
//!
//! Dependencies are bits: a channel has a row with one for each channel that can come next, and a
//! search looks at a channel once, however many lead to it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::channels::Channels;
use crate::bits::ones;

/// Two channels that some packet uses one after the other: a dependency.
pub(in crate::routing) type Turn = (u32, u32);

/// Turns that make no cycle.
pub(in crate::routing) struct DependencyGraph {
    /// Words of a row.
    words: usize,
    /// By channel, which of the channels out of its head come next.
    next: Vec<u64>,
    /// By channel, which of the channels into its tail come before; bit `i` is the reverse of the
    /// tail's channel `i`.
    before: Vec<u64>,
    /// As `next`: turns that are known to close a cycle with those already there.
    closing: Vec<u64>,
    position: Vec<u32>,
    search: CycleCheck,
}

/// The memory of a search for a cycle.
struct CycleCheck {
    number: u32,
    /// By switch, a row of the channels that were looked at in the search of that number.
    seen: Vec<u64>,
    seen_in: Vec<u32>,
    came_from: Vec<u32>,
    ahead: Vec<u32>,
    behind: Vec<u32>,
    /// Position and channel of both.
    moved: Vec<u64>,
    positions: Vec<u32>,
}

impl DependencyGraph {
    /// No turns yet. Turns that follow the order given, the position of each channel, are cheap to add.
    pub fn new(channels: &Channels, position: Vec<u32>) -> Self {
        let rows = vec![0; channels.len() * channels.words];
        let search = CycleCheck {
            number: 0,
            seen: vec![0; channels.num_switches() * channels.words],
            seen_in: vec![0; channels.num_switches()],
            came_from: vec![0; channels.len()],
            ahead: Vec::new(),
            behind: Vec::new(),
            moved: Vec::new(),
            positions: Vec::new(),
        };
        Self {
            words: channels.words,
            next: rows.clone(),
            before: rows.clone(),
            closing: rows,
            position,
            search,
        }
    }

    /// The position of each channel in an order that all turns follow.
    pub fn positions(&self) -> &[u32] {
        &self.position
    }

    /// The turns that begin with a channel: a bit for each channel out of the switch where it ends.
    pub fn next(&self, from: u32) -> &[u64] {
        &self.next[from as usize * self.words..][..self.words]
    }

    /// The turns that begin with a channel and are known to close a cycle, as bits of [`DependencyGraph::next`].
    pub fn closing(&self, from: u32) -> &[u64] {
        &self.closing[from as usize * self.words..][..self.words]
    }

    /// Whether a turn is there.
    pub fn has(&self, channels: &Channels, turn: Turn) -> bool {
        has(&self.next, self.bit(channels, turn))
    }

    /// Whether a turn is known to close a cycle.
    pub fn is_closing(&self, channels: &Channels, turn: Turn) -> bool {
        has(&self.closing, self.bit(channels, turn))
    }

    /// Adds a turn that is not there, unless it closes a cycle.
    pub fn insert(&mut self, channels: &Channels, turn: Turn) -> bool {
        let fits =
            self.position[turn.0 as usize] < self.position[turn.1 as usize] || self.reorder(channels, turn);
        if fits {
            self.flip(channels, turn);
        }
        fits
    }

    /// Remembers that a turn closes a cycle.
    pub fn mark_closing(&mut self, channels: &Channels, turn: Turn) {
        let bit = self.bit(channels, turn);
        self.closing[bit / 64] |= 1 << (bit % 64);
    }

    /// Forgets which turns close a cycle.
    pub fn forget_closing(&mut self) {
        self.closing.fill(0);
    }

    /// Takes away a turn that is there.
    pub fn remove(&mut self, channels: &Channels, turn: Turn) {
        self.flip(channels, turn);
    }

    /// The turns on the cycle that the turn last refused would have closed, itself left out, from the last.
    pub fn refused_cycle(&self, (from, to): Turn) -> impl Iterator<Item = Turn> {
        let mut at = from;
        std::iter::from_fn(move || {
            let before = self.search.came_from[at as usize];
            (at != to).then(|| (before, std::mem::replace(&mut at, before)))
        })
    }

    /// Comes as close to an order as the turns allow.
    pub fn sort_like(&mut self, channels: &Channels, wanted: &[u32]) {
        let count = |row: &[u64]| row.iter().map(|word| word.count_ones()).sum();
        let mut missing: Vec<u32> = (0..channels.len() as u32).map(|c| count(self.before(c))).collect();
        let first = (0..).zip(&missing).filter(|&(_, &missing)| missing == 0);
        let mut ready: BinaryHeap<_> = first.map(|(c, _)| Reverse((wanted[c as usize], c))).collect();
        let mut positions = 0..;
        while let (Some(Reverse((_, c))), Some(position)) = (ready.pop(), positions.next()) {
            self.position[c as usize] = position;
            let out = channels.out_of(channels.head[c as usize]).start;
            for (word, &row) in self.next(c).iter().enumerate() {
                for bit in ones(row) {
                    let to = out + word * 64 + bit;
                    missing[to] -= 1;
                    if missing[to] == 0 {
                        ready.push(Reverse((wanted[to], to as u32)));
                    }
                }
            }
        }
    }

    /// The turns that end with a channel: a bit for each channel into the switch where it begins, by the index of
    /// that one's other direction.
    fn before(&self, to: u32) -> &[u64] {
        &self.before[to as usize * self.words..][..self.words]
    }

    /// The turn's bit in rows by the first of its channels.
    fn bit(&self, channels: &Channels, (from, to): Turn) -> usize {
        from as usize * self.words * 64 + channels.index(to as usize)
    }

    /// Adds or removes a turn.
    fn flip(&mut self, channels: &Channels, (from, to): Turn) {
        let next = self.bit(channels, (from, to));
        let before = self.bit(channels, (to, channels.back[from as usize]));
        self.next[next / 64] ^= 1 << (next % 64);
        self.before[before / 64] ^= 1 << (before % 64);
    }

    /// Changes the order so that a new turn follows it; `false` where it would close a cycle.
    fn reorder(&mut self, channels: &Channels, (from, to): Turn) -> bool {
        let (low, high) = (self.position[to as usize], self.position[from as usize]);
        if self.find_ahead(channels, (from, to), high) {
            return false;
        }
        self.find_behind(channels, from, low);
        let CycleCheck { ahead, behind, moved, positions, .. } = &mut self.search;
        let by_position = |&c: &u32| u64::from(self.position[c as usize]) << 32 | u64::from(c);
        moved.clear();
        moved.extend(behind.iter().chain(&*ahead).map(by_position));
        let (before, after) = moved.split_at_mut(behind.len());
        before.sort_unstable();
        after.sort_unstable();
        positions.clear();
        positions.extend(moved.iter().map(|m| (m >> 32) as u32));
        positions.sort_unstable();
        for (&m, &position) in moved.iter().zip(&*positions) {
            self.position[(m & u64::from(u32::MAX)) as usize] = position;
        }
        true
    }

    /// Finds what the turn's second channel leads to, as far as the order puts that before the first; whether the first is
    /// among it.
    fn find_ahead(&mut self, channels: &Channels, turn: Turn, high: u32) -> bool {
        let search = &mut self.search;
        search.number += 1;
        search.ahead.clear();
        search.ahead.push(turn.1);
        let mut looked_at = 0;
        while let Some(&c) = search.ahead.get(looked_at) {
            looked_at += 1;
            let at = channels.head[c as usize];
            for (word, &row) in self.next[c as usize * self.words..][..self.words].iter().enumerate() {
                for bit in ones(search.unseen(at, self.words, word, row)) {
                    let to = channels.channel(at, word * 64 + bit);
                    if self.position[to] > high {
                        continue;
                    }
                    search.came_from[to] = c;
                    if to as u32 == turn.0 {
                        return true;
                    }
                    search.ahead.push(to as u32);
                }
            }
        }
        false
    }

    /// Finds what leads to a channel, as far as the order puts that after the turn's second one.
    fn find_behind(&mut self, channels: &Channels, from: u32, low: u32) {
        let search = &mut self.search;
        search.number += 1;
        search.behind.clear();
        search.behind.push(from);
        let mut looked_at = 0;
        while let Some(&c) = search.behind.get(looked_at) {
            looked_at += 1;
            let at = channels.tail[c as usize];
            for (word, &row) in self.before[c as usize * self.words..][..self.words].iter().enumerate() {
                for bit in ones(search.unseen(at, self.words, word, row)) {
                    let before = channels.back[channels.channel(at, word * 64 + bit)];
                    if self.position[before as usize] > low {
                        search.behind.push(before);
                    }
                }
            }
        }
    }
}

impl CycleCheck {
    /// Which channels of one word of a switch's row this search has not looked at yet; now it has.
    fn unseen(&mut self, switch: u32, words: usize, word: usize, row: u64) -> u64 {
        let seen = &mut self.seen[switch as usize * words..][..words];
        if std::mem::replace(&mut self.seen_in[switch as usize], self.number) != self.number {
            seen.fill(0);
        }
        let new = row & !seen[word];
        seen[word] |= row;
        new
    }
}

fn has(rows: &[u64], bit: usize) -> bool {
    rows[bit / 64] >> (bit % 64) & 1 != 0
}
