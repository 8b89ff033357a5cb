//! All shifts of a list of hosts at once: what every distance is worth.
//!
//! In the shift by `d` every host sends to the one `d` places on, around the list, rail by rail. So
//! every port sends once and receives once, host links carry one flow, and only links between
//! switches are counted. Neighbours in the list mostly share a switch: their flows' links lie side
//! by side in a table by home and receiver, which each distance reads twice from end to end.
//!
//! The numbers are those of [`crate::predict`] for the pattern `shift`, at a fraction of the cost.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::{Contention, Paths, SINK, Steps};
use crate::traffic::{Participants, Pattern, Phase, Plan};

/// What the flows of one shift get.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shift {
    /// How far on each host sends.
    pub distance: u32,
    /// Its delivered flows.
    pub flows: u64,
    /// Flows without a route.
    pub unrouted: u64,
    /// Sum of the flows' relative bandwidths, each 1 / its contention.
    pub relative_sum: f64,
    /// Greatest contention.
    pub max_contention: u32,
}

impl Shift {
    /// Mean relative bandwidth of its flows; not a number where there is none.
    pub fn relative(&self) -> f64 {
        self.relative_sum / self.flows as f64
    }
}

/// What all shifts get.
#[derive(Clone, Debug, PartialEq)]
pub struct Shifts {
    /// Every shift, by distance.
    pub each: Vec<Shift>,
}

impl Shifts {
    /// The shift with the least mean relative bandwidth, the nearest of equals; none where no flow
    /// is delivered.
    pub fn worst(&self) -> Option<&Shift> {
        let shifts = self.each.iter().filter(|s| s.flows > 0);
        shifts.min_by(|a, b| a.relative().total_cmp(&b.relative()))
    }

    /// Mean relative bandwidth over the flows of all shifts; not a number where there is none.
    pub fn mean(&self) -> f64 {
        let sum: f64 = self.each.iter().map(|s| s.relative_sum).sum();
        sum / self.each.iter().map(|s| s.flows).sum::<u64>() as f64
    }

    /// Greatest contention of any flow.
    pub fn max_contention(&self) -> u32 {
        self.each.iter().map(|s| s.max_contention).max().unwrap_or(0)
    }
}

/// The largest table [bytes]; beyond it shifts are counted flow by flow.
const TABLE_LIMIT: usize = 64 << 20;

/// Distances that a thread takes at a time.
const CHUNK: usize = 16;

/// Links between switches that a table has room for on a path.
const LENGTHS: [usize; 5] = [2, 4, 8, 16, 64];

/// In a table: no route.
const LOST: u16 = u16::MAX;
/// In a table: the receiver has no port on this rail.
const ABSENT: u16 = u16::MAX - 1;

/// Counts the shifts of hosts by given distances. `paths` is made for the hosts' ports. Stops soon
/// after `stop` is set, with nothing.
pub fn shifts(stop: &AtomicBool, paths: &Paths<'_>, who: &Participants, distances: &[u32]) -> Option<Shifts> {
    let rails: Option<Vec<Rail>> = (0..who.num_rails()).map(|rail| Rail::of(paths, who, rail)).collect();
    let chunk = |distances: &[u32]| -> Vec<Shift> {
        if stop.load(Ordering::Relaxed) {
            return Vec::new();
        }
        match &rails {
            Some(rails) => {
                let mut tally = Tally::new(paths.links().between_switches() + 1, who.ports().len());
                distances.iter().map(|&d| tally.count(rails, d)).collect()
            }
            None => one_by_one(paths, who, distances),
        }
    };
    let each: Vec<Shift> = distances.par_chunks(CHUNK).flat_map_iter(chunk).collect();
    (!stop.load(Ordering::Relaxed)).then_some(Shifts { each })
}

/// The paths of one rail.
struct Rail {
    hosts: usize,
    /// Runs of hosts on one switch: first host, end, row.
    runs: Vec<(usize, usize, usize)>,
    /// Links between switches by row and receiving host, [`SINK`] after the last; shape
    /// `(rows, hosts, longest)`.
    table: Vec<u16>,
    longest: usize,
}

impl Rail {
    /// Nothing where a table does not fit the fabric.
    fn of(paths: &Paths<'_>, who: &Participants, rail: usize) -> Option<Self> {
        let hosts = who.num_hosts();
        if paths.links().between_switches() >= usize::from(ABSENT) {
            return None;
        }
        let slots: Vec<Option<u32>> = (0..hosts as u32).map(|h| who.slot(h, rail)).collect();
        let mut row_of = vec![usize::MAX; paths.fabric().num_switches()];
        let (mut rows, mut runs) = (Vec::new(), Vec::<(usize, usize, usize)>::new());
        for (host, &slot) in slots.iter().enumerate() {
            let Some(slot) = slot else { continue };
            let home = paths.fabric().home(who.ports()[slot as usize])?;
            if row_of[home.ix()] == usize::MAX {
                row_of[home.ix()] = rows.len();
                rows.push(home);
            }
            let row = row_of[home.ix()];
            match runs.last_mut() {
                Some((_, end, last)) if *last == row && *end == host => *end += 1,
                _ => runs.push((host, host + 1, row)),
            }
        }
        let mut longest = LENGTHS[0];
        loop {
            if rows.len() * hosts * longest * size_of::<u16>() > TABLE_LIMIT {
                return None;
            }
            let mut table = vec![SINK as u16; rows.len() * hosts * longest];
            let mut needed = 0;
            for (row, &home) in table.chunks_exact_mut(hosts * longest).zip(&rows) {
                for (cell, &slot) in row.chunks_exact_mut(longest).zip(&slots) {
                    let Some(slot) = slot else {
                        cell[0] = ABSENT;
                        continue;
                    };
                    let mut hops = 0;
                    let arrives = paths.walk(home, who.ports()[slot as usize], |link| {
                        if let Some(place) = cell.get_mut(hops) {
                            *place = link as u16;
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
            }
            if needed <= longest {
                return Some(Self { hosts, runs, table, longest });
            }
            longest = LENGTHS.into_iter().find(|&length| length >= needed)?;
        }
    }

    /// The cells of all flows of a shift, run after run.
    fn cells<const LONGEST: usize>(&self, distance: usize) -> impl Iterator<Item = &[[u16; LONGEST]]> {
        let cells = self.table.as_chunks::<LONGEST>().0;
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

/// Flows on links, and flows by contention; kept from shift to shift.
struct Tally {
    on_link: Vec<u32>,
    by_contention: Vec<u64>,
}

impl Tally {
    fn new(links: usize, ports: usize) -> Self {
        Self { on_link: vec![0; links], by_contention: vec![0; ports + 2] }
    }

    fn count(&mut self, rails: &[Rail], distance: u32) -> Shift {
        self.on_link.fill(0);
        let longest = |rail: &Rail| rail.longest;
        let mut unrouted = 0;
        for rail in rails {
            unrouted += match longest(rail) {
                2 => self.load::<2>(rail, distance as usize),
                4 => self.load::<4>(rail, distance as usize),
                8 => self.load::<8>(rail, distance as usize),
                16 => self.load::<16>(rail, distance as usize),
                _ => self.load::<64>(rail, distance as usize),
            };
        }
        self.on_link[SINK as usize] = 0;
        let mut highest = 0;
        for rail in rails {
            highest = highest.max(match longest(rail) {
                2 => self.judge::<2>(rail, distance as usize),
                4 => self.judge::<4>(rail, distance as usize),
                8 => self.judge::<8>(rail, distance as usize),
                16 => self.judge::<16>(rail, distance as usize),
                _ => self.judge::<64>(rail, distance as usize),
            });
        }
        let (mut flows, mut relative_sum) = (0, 0.0);
        for (k, count) in self.by_contention[..=highest as usize].iter_mut().enumerate().skip(1) {
            flows += *count;
            relative_sum += *count as f64 / k as f64;
            *count = 0;
        }
        Shift { distance, flows, unrouted, relative_sum, max_contention: highest }
    }

    /// Counts the flows on each link; the number of those that have no route.
    fn load<const LONGEST: usize>(&mut self, rail: &Rail, distance: usize) -> u64 {
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

    /// Counts the flows of each contention; the greatest.
    fn judge<const LONGEST: usize>(&mut self, rail: &Rail, distance: usize) -> u32 {
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

/// The same, flow by flow.
fn one_by_one(paths: &Paths<'_>, who: &Participants, distances: &[u32]) -> Vec<Shift> {
    let (mut phase, mut steps) = (Phase::default(), Steps::default());
    let mut contention = Contention::new(paths.links());
    let Ok(plan) = Plan::new(&Pattern::MpiGraph, who, 0, Vec::new()) else { return Vec::new() };
    let mut shift = |&distance: &u32| {
        plan.fill(distance as usize - 1, 0, &mut phase);
        paths.steps(&phase.flows, &mut steps);
        contention.count(&steps);
        let highest = contention.of_flows().iter().copied().max().unwrap_or(0);
        let mut by_contention = vec![0_u64; highest as usize + 1];
        contention.of_flows().iter().for_each(|&k| by_contention[k as usize] += 1);
        let shares = by_contention.iter().enumerate().skip(1);
        Shift {
            distance,
            flows: by_contention[1..].iter().sum(),
            unrouted: by_contention[0],
            relative_sum: shares.map(|(k, &flows)| flows as f64 / k as f64).sum(),
            max_contention: highest,
        }
    };
    distances.iter().map(&mut shift).collect()
}
