//! In which direction a path goes around each ring, and whether losses have left one.

use super::locate::{NONE, Positions};
use crate::io::torus_conf::axis;
use crate::sm::RefusalReason;

/// A direction: its dimension, and whether the coordinate grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Direction {
    pub d: usize,
    pub grows: bool,
}

impl Direction {
    /// The six directions, numbered.
    pub fn ix(self) -> usize {
        2 * self.d + usize::from(!self.grows)
    }
}

/// The rings of a torus; those of open dimensions have a gap.
pub(super) struct Rings<'a> {
    positions: &'a Positions,
    /// By direction and position, how many hops packets can go on in that direction.
    clear: [Vec<u32>; 6],
}

impl<'a> Rings<'a> {
    /// The rings between located switches. `cabled` says whether two are cabled.
    pub fn of(positions: &'a Positions, cabled: impl Fn(u32, u32) -> bool) -> Self {
        let clear = [0, 1, 2, 3, 4, 5].map(|i| {
            let (d, grows) = (i / 2, i % 2 == 0);
            let goes_on = |position: usize| {
                let next = positions.beside(position, d, if grows { 1 } else { -1 });
                let (low, high) = if grows { (position, next) } else { (next, position) };
                let wraps = positions.coordinates(high)[d] == 0;
                let (near, far) = (positions.switch_at[position], positions.switch_at[next]);
                let open = wraps && (!positions.closed[d] || positions.size[d] == 2);
                (!open && low != high && near != NONE && far != NONE && cabled(near, far)).then_some(next)
            };
            clear_hops(positions.switch_at.len(), positions.size[d], goes_on)
        });
        Self { positions, clear }
    }

    /// The first hop from one position to another; none to the position itself, or where losses block both directions.
    ///
    /// Dimension after dimension, the shorter direction around, of two as long that which does not pass from the
    /// last position to the first; the longer where the shorter is broken. Right beside a lost switch that
    /// would be turned at, the next dimension comes first.
    pub fn hop(&self, from: usize, to: usize) -> Option<Direction> {
        let (at, goal) = (self.positions.coordinates(from), self.positions.coordinates(to));
        (0..3).filter(|&d| at[d] != goal[d]).find_map(|d| {
            let short = shorter(at[d], goal[d], self.positions.size[d]);
            for grows in [short, !short] {
                let direction = Direction { d, grows };
                let clear = self.clear[direction.ix()][from];
                let hops = distance(at[d], goal[d], self.positions.size[d], grows);
                let turn = self.positions.beside(from, d, i64::from(goal[d]) - i64::from(at[d]));
                let lost = self.positions.switch_at[turn] == NONE;
                if clear >= hops || (lost && clear + 1 == hops && clear > 0) {
                    return Some(direction);
                }
                if lost && hops == 1 {
                    return None; // turn early
                }
            }
            None
        })
    }

    /// The dimensions whose end a path passes, from the last position to the first or back, where nothing is
    /// lost: a bit each.
    pub fn datelines(&self, from: usize, to: usize) -> u8 {
        let (at, goal) = (self.positions.coordinates(from), self.positions.coordinates(to));
        let passes = |d: usize| {
            at[d] != goal[d] && shorter(at[d], goal[d], self.positions.size[d]) != (at[d] < goal[d])
        };
        (0..3).map(|d| u8::from(passes(d)) << d).sum()
    }

    /// Why no set of detours is free of credit loops, where that is so.
    pub fn objection(&self) -> Option<RefusalReason> {
        let Positions { size, ref switch_at, .. } = *self.positions;
        for d in (0..3).filter(|&d| size[d] > 1) {
            for start in (0..switch_at.len()).filter(|&p| self.positions.coordinates(p)[d] == 0) {
                if self.pieces(start, d) > 1 {
                    let c = self.positions.coordinates(start);
                    let across = [[1, 2], [0, 2], [0, 1]][d];
                    return Some(RefusalReason::RingBroken {
                        axis: axis(d),
                        across: across.map(axis),
                        at: across.map(|e| c[e]),
                    });
                }
            }
        }
        let lost: Vec<[u32; 3]> = (0..switch_at.len())
            .filter(|&p| switch_at[p] == NONE)
            .map(|p| self.positions.coordinates(p))
            .collect();
        if !lost.is_empty() && size.iter().filter(|&&n| n > 1).count() < 2 {
            return Some(RefusalReason::RingSwitchesLost { switches: lost.len() });
        }
        let apart = lost.iter().find(|c| c[..2] != lost[0][..2])?;
        Some(RefusalReason::TorusSwitchesLost { switches: lost.len(), such_as: [lost[0], *apart] })
    }

    /// Into how many pieces the ring through a position has fallen.
    fn pieces(&self, start: usize, d: usize) -> usize {
        let length = self.positions.size[d];
        let grows = Direction { d, grows: true };
        let end_of_piece = |i: &u32| {
            let position = self.positions.beside(start, d, i64::from(*i));
            self.positions.switch_at[position] != NONE && self.clear[grows.ix()][position] == 0
        };
        (0..length).filter(end_of_piece).count()
    }
}

/// Hops that can be gone from each position, at most `length`.
fn clear_hops(count: usize, length: u32, next: impl Fn(usize) -> Option<usize>) -> Vec<u32> {
    let next: Vec<Option<usize>> = (0..count).map(next).collect();
    let mut clear = vec![0; count];
    let mut before = vec![None; count];
    for (position, next) in next.iter().enumerate() {
        if let Some(next) = next {
            before[*next] = Some(position);
        }
    }
    // From each end backwards; what is left are whole rings.
    let mut done = vec![false; count];
    for end in (0..count).filter(|&p| next[p].is_none()) {
        let (mut position, mut hops) = (end, 0);
        done[end] = true;
        while let Some(previous) = before[position] {
            hops += 1;
            clear[previous] = hops;
            done[previous] = true;
            position = previous;
        }
    }
    for position in (0..count).filter(|&p| !done[p]) {
        clear[position] = length;
    }
    clear
}

/// Whether coordinates grow in the shorter direction around; of two as long, in that which does not pass the end.
fn shorter(from: u32, to: u32, length: u32) -> bool {
    let up = 2 * distance(from, to, length, true);
    up < length || (up == length && to > from)
}

/// Hops from one coordinate to another in a direction.
fn distance(from: u32, to: u32, length: u32, grows: bool) -> u32 {
    let (from, to) = if grows { (from, to) } else { (to, from) };
    (to + length - from) % length
}
