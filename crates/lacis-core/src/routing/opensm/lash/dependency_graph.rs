//! The channel dependency graph of one lane, kept free of cycles.
//!
//! W. J. Dally and C. L. Seitz, "Deadlock-Free Message Routing in Multiprocessor Interconnection
//! Networks", IEEE Transactions on Computers C-36(5), 1987: no cycle, no deadlock. Whether a new
//! dependency closes one is found by keeping the channels in an order that all dependencies follow:
//! D. J. Pearce and P. H. J. Kelly, "A dynamic topological sort algorithm for directed acyclic
//! graphs", ACM Journal of Experimental Algorithmics 11, 2006.
//!
//! | here       | in the second paper                                          |
//! |------------|--------------------------------------------------------------|
//! | `position`    | ord, the topological order                                   |
//! | `ahead`    | δF, what the end of the new dependency leads to              |
//! | `behind`   | δB, what leads to its start                                  |
//!
//! Dependencies are bits: a channel has a row with one for each channel that can come next, and a
//! search looks at a channel once, however many lead to it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::channels::Channels;

/// Two channels that some packet uses one after the other: a dependency.
pub(super) type Turn = (u32, u32);

/// Turns that make no cycle.
pub(super) struct DependencyGraph {
    /// Words of a row.
    words: usize,
    /// By channel, which of the channels out of its head come next.
    next: Vec<u64>,
    /// By channel, which of the channels into its tail come before; bit `i` is the reverse of the
    /// tail's channel `i`.
    before: Vec<u64>,
    /// As `next`: turns that would close a cycle with those already there.
    closing: Vec<u64>,
    position: Vec<u32>,
    work: SearchState,
}

/// What a search works with.
struct SearchState {
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
    /// Turns added by the present attempt.
    tentative: Vec<Turn>,
}

impl DependencyGraph {
    /// No turns yet. Turns that follow the order given, the position of each channel, are cheap to add.
    pub fn new(channels: &Channels, position: Vec<u32>) -> Self {
        let most = (0..channels.num_switches()).map(|s| channels.out_of(s).len()).max();
        let words = most.unwrap_or(0).div_ceil(64);
        let rows = vec![0; channels.len() * words];
        let work = SearchState {
            number: 0,
            seen: vec![0; channels.num_switches() * words],
            seen_in: vec![0; channels.num_switches()],
            came_from: vec![0; channels.len()],
            ahead: Vec::new(),
            behind: Vec::new(),
            moved: Vec::new(),
            positions: Vec::new(),
            tentative: Vec::new(),
        };
        Self { words, next: rows.clone(), before: rows.clone(), closing: rows, position, work }
    }

    /// The position of each channel in an order that all turns follow.
    pub fn positions(&self) -> &[u32] {
        &self.position
    }

    /// Adds turns, all of them or, where they would close a cycle, none.
    pub fn add(&mut self, channels: &Channels, turns: &[Turn]) -> bool {
        if turns.iter().any(|&turn| has(&self.closing, self.bit_in_next(channels, turn))) {
            return false;
        }
        self.work.tentative.clear();
        for &turn in turns {
            if has(&self.next, self.bit_in_next(channels, turn)) {
                continue;
            }
            if !self.reorder(channels, turn) {
                while let Some(turn) = self.work.tentative.pop() {
                    self.flip(channels, turn);
                }
                return false;
            }
            self.flip(channels, turn);
            self.work.tentative.push(turn);
        }
        true
    }

    /// Removes turns that are there.
    pub fn remove(&mut self, channels: &Channels, turns: &[Turn]) {
        for &turn in turns {
            self.flip(channels, turn);
        }
        self.closing.fill(0);
    }

    /// Comes as close to an order as the turns allow.
    pub fn sort_like(&mut self, channels: &Channels, wanted: &[u32]) {
        let before = |c: usize| self.before[c * self.words..][..self.words].iter();
        let mut missing: Vec<u32> =
            (0..channels.len()).map(|c| before(c).map(|row| row.count_ones()).sum()).collect();
        let first = (0..).zip(&missing).filter(|&(_, &missing)| missing == 0);
        let mut ready: BinaryHeap<_> = first.map(|(c, _)| Reverse((wanted[c as usize], c))).collect();
        let mut positions = 0..;
        while let (Some(Reverse((_, c))), Some(position)) = (ready.pop(), positions.next()) {
            self.position[c as usize] = position;
            let out = channels.out_of(channels.head[c as usize] as usize).start as u32;
            for (word, &row) in (0..).zip(&self.next[c as usize * self.words..][..self.words]) {
                for bit in ones(row) {
                    let to = out + word * 64 + bit;
                    missing[to as usize] -= 1;
                    if missing[to as usize] == 0 {
                        ready.push(Reverse((wanted[to as usize], to)));
                    }
                }
            }
        }
    }

    /// Where the turn's bit is in rows by the first of its channels.
    fn bit_in_next(&self, channels: &Channels, (from, to): Turn) -> usize {
        let at = channels.head[from as usize] as usize;
        from as usize * self.words * 64 + (to as usize - channels.out_of(at).start)
    }

    /// Where it is in rows by the second.
    fn bit_in_before(&self, channels: &Channels, (from, to): Turn) -> usize {
        let at = channels.head[from as usize] as usize;
        to as usize * self.words * 64 + (channels.back[from as usize] as usize - channels.out_of(at).start)
    }

    /// Adds or removes a turn.
    fn flip(&mut self, channels: &Channels, turn: Turn) {
        let (next, before) = (self.bit_in_next(channels, turn), self.bit_in_before(channels, turn));
        self.next[next / 64] ^= 1 << (next % 64);
        self.before[before / 64] ^= 1 << (before % 64);
    }

    /// Changes the order so that a new turn follows it; `false` where it would close a cycle.
    fn reorder(&mut self, channels: &Channels, (from, to): Turn) -> bool {
        let (low, high) = (self.position[to as usize], self.position[from as usize]);
        if high < low {
            return true;
        }
        if self.find_ahead(channels, (from, to), high) {
            self.note_closing(channels, (from, to));
            return false;
        }
        self.find_behind(channels, from, low);
        let SearchState { ahead, behind, moved, positions, .. } = &mut self.work;
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
        let work = &mut self.work;
        work.number += 1;
        work.ahead.clear();
        work.ahead.push(turn.1);
        let mut looked_at = 0;
        while let Some(&c) = work.ahead.get(looked_at) {
            looked_at += 1;
            let at = channels.head[c as usize] as usize;
            let out = channels.out_of(at).start as u32;
            for (word, &row) in self.next[c as usize * self.words..][..self.words].iter().enumerate() {
                for bit in ones(work.unseen(at, self.words, word, row)) {
                    let to = out + word as u32 * 64 + bit;
                    if self.position[to as usize] > high {
                        continue;
                    }
                    work.came_from[to as usize] = c;
                    if to == turn.0 {
                        return true;
                    }
                    work.ahead.push(to);
                }
            }
        }
        false
    }

    /// Finds what leads to a channel, as far as the order puts that after the turn's second one.
    fn find_behind(&mut self, channels: &Channels, from: u32, low: u32) {
        let work = &mut self.work;
        work.number += 1;
        work.behind.clear();
        work.behind.push(from);
        let mut looked_at = 0;
        while let Some(&c) = work.behind.get(looked_at) {
            looked_at += 1;
            let at = channels.head[channels.back[c as usize] as usize] as usize;
            let out = channels.out_of(at).start;
            for (word, &row) in self.before[c as usize * self.words..][..self.words].iter().enumerate() {
                for bit in ones(work.unseen(at, self.words, word, row)) {
                    let before = channels.back[out + word * 64 + bit as usize];
                    if self.position[before as usize] > low {
                        work.behind.push(before);
                    }
                }
            }
        }
    }

    /// Remembers that a turn closes a cycle, if none of the turns on trial takes part in that cycle.
    fn note_closing(&mut self, channels: &Channels, turn: Turn) {
        let mut at = turn.0;
        while at != turn.1 {
            let before = self.work.came_from[at as usize];
            if self.work.tentative.contains(&(before, at)) {
                return;
            }
            at = before;
        }
        let closing = self.bit_in_next(channels, turn);
        self.closing[closing / 64] |= 1 << (closing % 64);
    }
}

impl SearchState {
    /// Which channels of one word of a switch's row this search has not looked at yet; now it has.
    fn unseen(&mut self, switch: usize, words: usize, word: usize, row: u64) -> u64 {
        let seen = &mut self.seen[switch * words..][..words];
        if std::mem::replace(&mut self.seen_in[switch], self.number) != self.number {
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

/// The positions of the ones in a word.
fn ones(word: u64) -> impl Iterator<Item = u32> {
    let mut left = word;
    std::iter::from_fn(move || {
        let position = left.trailing_zeros();
        left &= left.wrapping_sub(1);
        (position < 64).then_some(position)
    })
}
