//! One shift, counted.

use super::outcome::Shift;
use crate::model::load::rail::{ABSENT, LOST, RailPaths};
use crate::model::load::{Paths, SINK};
use crate::ranks::Participants;

/// Flows on links, and flows by contention, of the last shift that was counted.
pub(super) struct ShiftCounter {
    pub on_link: Vec<u32>,
    pub by_contention: Vec<u64>,
}

impl ShiftCounter {
    pub fn new(paths: &Paths<'_>, participants: &Participants) -> Self {
        let links = paths.links().between_switches() + 1;
        Self { on_link: vec![0; links], by_contention: vec![0; participants.ports().len() + 2] }
    }

    pub fn count(&mut self, rails: &[RailPaths], distance: u32) -> Shift {
        self.on_link.fill(0);
        self.by_contention.fill(0);
        let longest = |rail: &RailPaths| rail.longest;
        let mut unrouted = 0;
        for rail in rails {
            unrouted += match longest(rail) {
                2 => self.links::<2>(rail, distance as usize),
                4 => self.links::<4>(rail, distance as usize),
                8 => self.links::<8>(rail, distance as usize),
                16 => self.links::<16>(rail, distance as usize),
                _ => self.links::<64>(rail, distance as usize),
            };
        }
        self.on_link[SINK as usize] = 0;
        let mut highest = 0;
        for rail in rails {
            highest = highest.max(match longest(rail) {
                2 => self.contention::<2>(rail, distance as usize),
                4 => self.contention::<4>(rail, distance as usize),
                8 => self.contention::<8>(rail, distance as usize),
                16 => self.contention::<16>(rail, distance as usize),
                _ => self.contention::<64>(rail, distance as usize),
            });
        }
        summed_up(distance, unrouted, &self.by_contention[..=highest as usize])
    }

    /// Counts the flows on each link. Returns how many have no route.
    fn links<const LONGEST: usize>(&mut self, rail: &RailPaths, distance: usize) -> u64 {
        let mut unrouted = 0;
        for cells in rail.cells::<LONGEST>(distance) {
            for cell in cells {
                if cell[0] >= ABSENT {
                    unrouted += u64::from(cell[0] == LOST);
                    continue;
                }
                for &link in cell {
                    self.on_link[usize::from(link)] += 1;
                }
            }
        }
        unrouted
    }

    /// Counts the flows of each contention. Returns the greatest.
    fn contention<const LONGEST: usize>(&mut self, rail: &RailPaths, distance: usize) -> u32 {
        let (mut alone, mut highest) = (0, 0);
        for cells in rail.cells::<LONGEST>(distance) {
            for cell in cells {
                if cell[0] >= ABSENT {
                    continue;
                }
                let most = cell.iter().map(|&link| self.on_link[usize::from(link)]).max().unwrap_or(0);
                if most <= 1 {
                    alone += 1;
                } else {
                    self.by_contention[most as usize] += 1;
                    highest = highest.max(most);
                }
            }
        }
        self.by_contention[1] += alone;
        highest.max(u32::from(alone > 0))
    }
}

/// A shift from its flows by contention.
pub(super) fn summed_up(distance: u32, unrouted: u64, by_contention: &[u64]) -> Shift {
    let (mut flows, mut relative_sum, mut max_contention) = (0, 0.0, 0);
    for (k, &count) in (0..).zip(by_contention).skip(1).filter(|&(_, &count)| count > 0) {
        flows += count;
        relative_sum += count as f64 / f64::from(k);
        max_contention = k;
    }
    Shift { distance, flows, unrouted, relative_sum, max_contention }
}
