//! One shift after a failure: flows that moved, and those that share or shared a link with them.

use super::counted::{Counted, FlowMoves};
use super::outcome::Shift;
use super::tally::summed_up;
use crate::model::load::SINK;
use crate::model::load::rail::{ABSENT, LOST};

/// Recounts flows, shift by shift.
pub(super) struct Recount<'a> {
    counted: &'a Counted,
    moves: &'a FlowMoves,
    /// By link: flows added less flows removed; 0 for the marks.
    more: Vec<i32>,
    links: Vec<u16>,
    /// By flow: the shift in which it was recounted last.
    stamp: Vec<u32>,
    epoch: u32,
    unrouted: u64,
    by_contention: Vec<u64>,
}

impl<'a> Recount<'a> {
    pub fn of(counted: &'a Counted, moves: &'a FlowMoves) -> Self {
        Self {
            counted,
            moves,
            more: vec![0; 1 << 16],
            links: Vec::new(),
            stamp: vec![0; counted.row.len()],
            epoch: 0,
            unrouted: 0,
            by_contention: Vec::new(),
        }
    }

    /// The shift at an index; `moves` has pairs of that index and a move.
    pub fn shift(&mut self, index: usize, moves: &[(u32, u32)]) -> Shift {
        let (counted, all) = (self.counted, self.moves);
        let before = &counted.shifts.each[index];
        let distance = before.distance as usize;
        self.epoch += 1;
        self.unrouted = before.unrouted;
        self.by_contention.clear();
        let counts = &counted.by_contention[index * counted.width..][..counted.width];
        self.by_contention.extend(counts.iter().map(|&n| u64::from(n)));
        let moves = || moves.iter().map(|&(_, number)| &all.each[number as usize]);
        for flow in moves() {
            self.add(counted.cell(flow), -1);
            self.add(&all.links[flow.links.0..flow.links.1], 1);
        }
        for flow in moves() {
            self.stamp[flow.rail * counted.hosts + flow.receiver] = self.epoch;
            self.recount(index, counted.cell(flow), &all.links[flow.links.0..flow.links.1]);
        }
        let mut links = std::mem::take(&mut self.links);
        links.retain(|&link| self.more[usize::from(link)] != 0);
        let users = |link: u16| {
            let link = usize::from(link);
            &counted.users[counted.users_from[link] as usize..counted.users_from[link + 1] as usize]
        };
        if links.iter().map(|&link| users(link).len()).sum::<usize>() < counted.row.len() {
            for &link in &links {
                for &flow in users(link) {
                    self.recount_if_changed(index, distance, flow);
                }
            }
        } else {
            for flow in 0..counted.row.len() as u32 {
                self.recount_if_changed(index, distance, flow);
            }
        }
        for link in links.drain(..) {
            self.more[usize::from(link)] = 0;
        }
        self.links = links;
        summed_up(before.distance, self.unrouted, &self.by_contention)
    }

    fn add(&mut self, path: &[u16], flows: i32) {
        for &link in path.iter().filter(|&&link| link != SINK as u16 && link < ABSENT) {
            self.more[usize::from(link)] += flows;
            self.links.push(link);
        }
    }

    /// Recounts a flow that has not moved, if the load of one of its links has changed.
    fn recount_if_changed(&mut self, index: usize, distance: usize, flow: u32) {
        if self.stamp[flow as usize] == self.epoch {
            return;
        }
        let Some(cell) = self.counted.cell_of(flow, distance) else { return };
        if cell.iter().any(|&link| self.more[usize::from(link)] != 0) {
            self.stamp[flow as usize] = self.epoch;
            self.recount(index, cell, cell);
        }
    }

    /// Takes a flow out of the counts by its old links, and puts it in by its new ones.
    fn recount(&mut self, index: usize, old: &[u16], new: &[u16]) {
        let links = self.counted.users_from.len() - 1;
        let on_link = &self.counted.on_link[index * links..][..links];
        let before = |link: &u16| i32::from(on_link[usize::from(*link)]);
        if old.first() == Some(&LOST) {
            self.unrouted -= 1;
        } else {
            let k = old.iter().map(before).max().unwrap_or(0).max(1);
            self.by_contention[k as usize] -= 1;
        }
        if new.first() == Some(&LOST) {
            self.unrouted += 1;
        } else {
            let now = |link: &u16| before(link) + self.more[usize::from(*link)];
            let k = new.iter().map(now).max().unwrap_or(0).max(1) as usize;
            if k >= self.by_contention.len() {
                self.by_contention.resize(k + 1, 0);
            }
            self.by_contention[k] += 1;
        }
    }
}
