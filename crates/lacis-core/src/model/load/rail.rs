//! The paths of one rail.

use rayon::prelude::*;

use super::{Paths, SINK};
use crate::fabric::NodeId;
use crate::ranks::Participants;

/// The largest table [bytes]; beyond it flows are walked one by one.
const TABLE_LIMIT: usize = 64 << 20;

/// Numbers of links that a table may have room for on each path.
const LENGTHS: [usize; 5] = [2, 4, 8, 16, 64];

/// Instead of a row: the host has no port on this rail.
pub(super) const NONE: u32 = u32::MAX;

/// In a table: no route.
pub(super) const LOST: u16 = u16::MAX;
/// In a table: the receiver has no port on this rail. Numbers of links are below.
pub(super) const ABSENT: u16 = u16::MAX - 1;

/// The paths of all rails; none where a table does not fit the fabric.
pub(super) fn rails(paths: &Paths<'_>, participants: &Participants) -> Option<Vec<RailPaths>> {
    (0..participants.num_rails()).map(|rail| RailPaths::of(paths, participants, rail)).collect()
}

/// The paths of one rail.
#[derive(Clone, Debug)]
pub(super) struct RailPaths {
    pub hosts: usize,
    /// Runs of hosts on one switch: first host, end, row.
    pub runs: Vec<(usize, usize, usize)>,
    /// The switch of every row.
    pub edge_switches: Vec<NodeId>,
    /// Links between switches by row and receiving host, [`SINK`] after the last; shape
    /// `(rows, hosts, longest)`.
    table: Vec<u16>,
    pub longest: usize,
}

impl RailPaths {
    /// None where a table does not fit the fabric.
    fn of(paths: &Paths<'_>, participants: &Participants, rail: usize) -> Option<Self> {
        let hosts = participants.num_hosts();
        if paths.links().between_switches() >= usize::from(ABSENT) {
            return None;
        }
        let slots: Vec<Option<u32>> = (0..hosts as u32).map(|h| participants.slot(h, rail)).collect();
        let mut row_of = vec![usize::MAX; paths.fabric().num_switches()];
        let (mut edge_switches, mut runs) = (Vec::new(), Vec::<(usize, usize, usize)>::new());
        for (host, &slot) in slots.iter().enumerate() {
            let Some(slot) = slot else { continue };
            let edge_switch = paths.fabric().edge_switch(participants.ports()[slot as usize])?;
            if row_of[edge_switch.ix()] == usize::MAX {
                row_of[edge_switch.ix()] = edge_switches.len();
                edge_switches.push(edge_switch);
            }
            let row = row_of[edge_switch.ix()];
            match runs.last_mut() {
                Some((_, end, last)) if *last == row && *end == host => *end += 1,
                _ => runs.push((host, host + 1, row)),
            }
        }
        let enough = |needed| LENGTHS.into_iter().find(|&length| length >= needed);
        let fill = |table: &mut [u16], edge_switches: &[NodeId], longest: usize| {
            let rows = table.par_chunks_exact_mut((hosts * longest).max(1)).zip(edge_switches);
            let needed = rows.map(|(row, &edge_switch)| {
                let mut needed = 0;
                for (cell, &slot) in row.chunks_exact_mut(longest).zip(&slots) {
                    let Some(slot) = slot else {
                        cell[0] = ABSENT;
                        continue;
                    };
                    let mut hops = 0;
                    let arrives = paths.walk(edge_switch, participants.ports()[slot as usize], |link| {
                        if let Some(slot) = cell.get_mut(hops) {
                            *slot = link as u16;
                        }
                        hops += 1;
                    });
                    if arrives {
                        needed = needed.max(hops);
                    } else {
                        cell.fill(SINK as u16);
                        cell[0] = LOST;
                    }
                }
                needed
            });
            needed.max().unwrap_or(0)
        };
        // The first row nearly always shows how long paths get.
        let first = &edge_switches[..edge_switches.len().min(1)];
        let mut longest = enough(fill(&mut vec![0; hosts * LENGTHS[0]], first, LENGTHS[0]))?;
        loop {
            if edge_switches.len() * hosts * longest * size_of::<u16>() > TABLE_LIMIT {
                return None;
            }
            let mut table = vec![SINK as u16; edge_switches.len() * hosts * longest];
            let needed = fill(&mut table, &edge_switches, longest);
            if needed <= longest {
                return Some(Self { hosts, runs, edge_switches, table, longest });
            }
            longest = enough(needed)?;
        }
    }

    /// The links of a row's hosts to a receiver, or a mark as the first of them.
    pub fn cell(&self, row: usize, receiver: usize) -> &[u16] {
        &self.table[(row * self.hosts + receiver) * self.longest..][..self.longest]
    }

    /// All cells, shape `(rows, hosts)`, where paths have room for `LONGEST` links.
    pub fn all_cells<const LONGEST: usize>(&self) -> &[[u16; LONGEST]] {
        self.table.as_chunks::<LONGEST>().0
    }

    /// By host, the row of its switch, or [`NONE`].
    pub fn rows_of_hosts(&self) -> Vec<u32> {
        let mut rows = vec![NONE; self.hosts];
        for &(start, end, row) in &self.runs {
            rows[start..end].fill(row as u32);
        }
        rows
    }

    /// The cells of all flows of a shift, run after run.
    pub fn cells<const LONGEST: usize>(&self, distance: usize) -> impl Iterator<Item = &[[u16; LONGEST]]> {
        let cells = self.all_cells::<LONGEST>();
        self.runs.iter().flat_map(move |&(start, end, row)| {
            let row = &cells[row * self.hosts..][..self.hosts];
            // Receivers start + d .. end + d, around the end of the list.
            let (from, to) = (start + distance, end + distance);
            let straight = from.min(self.hosts)..to.min(self.hosts);
            let around = from.max(self.hosts) - self.hosts..to.max(self.hosts) - self.hosts;
            [&row[straight], &row[around]]
        })
    }
}
