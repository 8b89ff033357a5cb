//! Shifts after a failure, from those before: only flows whose path changed, and those that share or
//! shared a link with them, are recounted.
//!
//! | here      | meaning                                                                 |
//! |-----------|-------------------------------------------------------------------------|
//! | flow `g`  | the flow to a receiver on a rail: one in every shift; numbered by receiver, rail after rail |
//! | *moved*   | a flow that takes other links than before                               |
//! | *users*   | by link, the flows that cross it in any shift                            |
//!
//! A leaf's cable leads to about as many receivers as the leaf has hosts, of thousands, so nearly all counts
//! stay.

use std::sync::atomic::AtomicBool;

use super::by_chunks;
use super::counted::{Counted, FlowMove, FlowMoves};
use super::outcome::Shifts;
use super::recount::Recount;
use super::tally::ShiftCounter;
use crate::fabric::PortId;
use crate::model::load::rail::{ABSENT, LOST, NONE, RailPaths, rails};
use crate::model::load::{Paths, SINK};
use crate::ranks::Participants;

/// The most memory for counts [bytes].
const LIMIT: usize = 256 << 20;

/// One flow in so many may move: beyond that it is quicker to recount all.
const WORTH_IT: usize = 16;

impl Counted {
    /// Counts the shifts of hosts by given distances, each less than the number of hosts, and keeps the counts;
    /// none where that takes too much memory or was stopped.
    pub fn new(
        stop: &AtomicBool,
        paths: &Paths<'_>,
        participants: &Participants,
        distances: &[u32],
    ) -> Option<Self> {
        let links = paths.links().between_switches() + 1;
        let too_many = participants.ports().len() >= usize::from(u16::MAX);
        if too_many || distances.len() * links * size_of::<u16>() > LIMIT {
            return None;
        }
        let rails = rails(paths, participants)?;
        let each = by_chunks(stop, distances, |distances| {
            let mut tally = ShiftCounter::new(paths, participants);
            let mut kept = |&distance: &u32| {
                let shift = tally.count(&rails, distance);
                let on_link: Vec<u16> = tally.on_link.iter().map(|&n| n as u16).collect();
                let to = shift.max_contention as usize;
                let counts: Vec<u32> = tally.by_contention[..=to].iter().map(|&n| n as u32).collect();
                (shift, on_link, counts)
            };
            distances.iter().map(&mut kept).collect()
        })?;
        let width = each.iter().map(|(_, _, counts)| counts.len()).max().unwrap_or(1);
        let mut by_contention = vec![0; each.len() * width];
        for (row, (_, _, counts)) in by_contention.chunks_exact_mut(width).zip(&each) {
            row[..counts.len()].copy_from_slice(counts);
        }
        let on_link = each.iter().flat_map(|(_, on_link, _)| on_link).copied().collect();
        let shifts = Shifts { each: each.into_iter().map(|(shift, _, _)| shift).collect() };
        let row = rails.iter().flat_map(RailPaths::rows_of_hosts).collect();
        let hosts = participants.num_hosts();
        let mut index = vec![NONE; hosts];
        for (number, &distance) in (0..).zip(distances) {
            index[distance as usize] = number;
        }
        let (users_from, users) = users(&rails, links);
        let links = paths.links().clone();
        Some(Self {
            shifts,
            links,
            rails,
            hosts,
            index,
            row,
            on_link,
            by_contention,
            width,
            users_from,
            users,
        })
    }

    /// The shifts.
    pub fn shifts(&self) -> &Shifts {
        &self.shifts
    }

    /// The shifts over new paths between the same hosts on the same switches. Only receivers that are
    /// `touched` may be reached by other links than before. None where it is quicker to count all, or a
    /// path has a new link.
    pub fn after(
        &self,
        paths: &Paths<'_>,
        participants: &Participants,
        touched: impl Fn(PortId) -> bool,
    ) -> Option<Shifts> {
        let moves = self.moves(paths, participants, touched)?;
        let mut each = self.shifts.each.clone();
        let mut recount = Recount::of(self, &moves);
        for moves in self.by_shift(&moves)?.chunk_by(|a, b| a.0 == b.0) {
            let index = moves[0].0 as usize;
            each[index] = recount.shift(index, moves);
        }
        Some(Shifts { each })
    }

    /// Rows and receivers between which the path has changed.
    fn moves(
        &self,
        paths: &Paths<'_>,
        participants: &Participants,
        touched: impl Fn(PortId) -> bool,
    ) -> Option<FlowMoves> {
        let mut moves = FlowMoves { each: Vec::new(), links: Vec::new() };
        for (number, rail) in self.rails.iter().enumerate() {
            for receiver in 0..rail.hosts {
                let slot = participants.slot(receiver as u32, number);
                let Some(port) = slot.map(|s| participants.ports()[s as usize]).filter(|&p| touched(p))
                else {
                    continue;
                };
                for (row, &edge_switch) in rail.edge_switches.iter().enumerate() {
                    let begin = moves.links.len();
                    let arrives = paths.walk(edge_switch, port, |link| {
                        let link = self.links.leaving(paths.links().egress(link));
                        moves.links.push(link as u16);
                    });
                    if !arrives {
                        moves.links.truncate(begin);
                        moves.links.push(LOST);
                    }
                    let new = &moves.links[begin..];
                    if new == path(rail.cell(row, receiver)) {
                        moves.links.truncate(begin);
                    } else if new.contains(&(SINK as u16)) {
                        return None;
                    } else {
                        let links = (begin, moves.links.len());
                        moves.each.push(FlowMove { rail: number, row, receiver, links });
                    }
                }
            }
        }
        Some(moves)
    }

    /// The flows that move, shift by shift: indices of shifts and of moves.
    fn by_shift(&self, moves: &FlowMoves) -> Option<Vec<(u32, u32)>> {
        let most = self.shifts.each.len() * self.row.len() / WORTH_IT;
        let mut pairs = Vec::new();
        for (number, flow) in (0..).zip(&moves.each) {
            let rail = &self.rails[flow.rail];
            for &(start, end, _) in rail.runs.iter().filter(|&&(_, _, row)| row == flow.row) {
                let distances = (start..end).map(|sender| (flow.receiver + rail.hosts - sender) % rail.hosts);
                let indices = distances.map(|d| self.index[d]).filter(|&index| index != NONE);
                pairs.extend(indices.map(|index| (index, number)));
            }
            if pairs.len() > most {
                return None;
            }
        }
        pairs.sort_unstable();
        Some(pairs)
    }
}

/// The links in a cell, or the mark.
fn path(cell: &[u16]) -> &[u16] {
    let end = cell.iter().position(|&link| link == SINK as u16).unwrap_or(cell.len());
    &cell[..end]
}

/// By link: where its users begin; and the users, link after link.
fn users(rails: &[RailPaths], links: usize) -> (Vec<u32>, Vec<u32>) {
    let mut from = vec![0; links + 1];
    each_use(rails, links, |link, _| from[link + 1] += 1);
    for link in 0..links {
        from[link + 1] += from[link];
    }
    let (mut next, mut users) = (from.clone(), vec![0; from[links] as usize]);
    each_use(rails, links, |link, flow| {
        users[next[link] as usize] = flow;
        next[link] += 1;
    });
    (from, users)
}

/// Visits every link with every flow that crosses it, once each.
fn each_use(rails: &[RailPaths], links: usize, mut visit: impl FnMut(usize, u32)) {
    let mut last = vec![NONE; links];
    let flows = rails.iter().flat_map(|rail| (0..rail.hosts).map(move |r| (rail, r)));
    for (flow, (rail, receiver)) in (0..).zip(flows) {
        for row in 0..rail.edge_switches.len() {
            let cell = path(rail.cell(row, receiver));
            for link in cell.iter().filter(|&&l| l < ABSENT).map(|&l| usize::from(l)) {
                if std::mem::replace(&mut last[link], flow) != flow {
                    visit(link, flow);
                }
            }
        }
    }
}
