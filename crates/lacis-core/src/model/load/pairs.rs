//! Flows between pairs of hosts, rail by rail, where every host sends once and receives once at most.
//!
//! So host links carry one flow at most, and only links between switches are counted. The senders of a rail need paths
//! from their own switches to its receivers alone: with eight rails all their tables together have an eighth of what the
//! one of [`Paths`] has, are filled in an eighth of the time, and each fits a processor's cache.
//!
//! The numbers are those of [`super::Contention`].

use super::rail::{ABSENT, LOST, NONE, RailPaths, rails};
use super::{Paths, SINK};
use crate::ranks::{Flow, Participants};

/// The paths of all rails.
#[derive(Debug)]
pub struct PairPaths {
    rails: Vec<RailPaths>,
    /// By rail and host: the row of its switch, or [`NONE`].
    row: Vec<u32>,
    hosts: usize,
    links: usize,
}

impl PairPaths {
    /// The paths of hosts of which about `expected` will be asked for; none where these are so few that tables do not
    /// pay, or a table does not fit the fabric.
    pub fn new(paths: &Paths<'_>, participants: &Participants, expected: usize) -> Option<Self> {
        let hosts = participants.num_hosts();
        let mut seen = vec![NONE; paths.fabric().num_switches()];
        let mut rows = 0;
        for rail in 0..participants.num_rails() {
            for slot in (0..hosts as u32).filter_map(|host| participants.slot(host, rail)) {
                let edge_switch = paths.fabric().edge_switch(participants.ports()[slot as usize])?;
                let is_new = std::mem::replace(&mut seen[edge_switch.ix()], rail as u32) != rail as u32;
                rows += usize::from(is_new);
            }
        }
        if expected < rows * hosts {
            return None;
        }
        let rails = rails(paths, participants)?;
        let row = rails.iter().flat_map(RailPaths::rows_of_hosts).collect();
        Some(Self { rails, row, hosts, links: paths.links().between_switches() + 1 })
    }
}

/// Counts one phase after another.
#[derive(Debug)]
pub struct PairCounter<'a> {
    paths: &'a PairPaths,
    on_link: Vec<u32>,
    /// The links of all flows that are delivered, rail after rail.
    taken: Vec<u16>,
    /// By rail: where its flows end in `taken`.
    ends: Vec<usize>,
    by_contention: Vec<u64>,
}

/// What the flows of a phase get.
#[derive(Debug)]
pub struct PairCounts<'a> {
    /// Flows by contention, those without a route first.
    pub by_contention: &'a [u64],
    /// Pairs left out on a rail that one of the two lacks.
    pub skipped: u64,
}

impl<'a> PairCounter<'a> {
    /// Nothing counted yet.
    pub fn new(paths: &'a PairPaths) -> Self {
        let most = paths.row.len() + 1;
        Self {
            paths,
            on_link: vec![0; paths.links],
            taken: Vec::new(),
            ends: Vec::new(),
            by_contention: vec![0; most.max(2)],
        }
    }

    /// Counts the flows of pairs of hosts, no host sending or receiving twice, on all rails.
    pub fn count(&mut self, pairs: &[Flow]) -> PairCounts<'_> {
        self.on_link.fill(0);
        self.by_contention.fill(0);
        self.taken.clear();
        self.ends.clear();
        let paths = self.paths;
        let mut skipped = 0;
        for (number, rail) in paths.rails.iter().enumerate() {
            let rows = &paths.row[number * paths.hosts..][..paths.hosts];
            skipped += match rail.longest {
                2 => self.take::<2>(rail, rows, pairs),
                4 => self.take::<4>(rail, rows, pairs),
                8 => self.take::<8>(rail, rows, pairs),
                16 => self.take::<16>(rail, rows, pairs),
                _ => self.take::<64>(rail, rows, pairs),
            };
            self.ends.push(self.taken.len());
        }
        self.on_link[SINK as usize] = 0;
        let (mut highest, mut begin) = (0, 0);
        for (rail, &end) in paths.rails.iter().zip(&self.ends) {
            let taken = &self.taken[begin..end];
            let (on_link, by_contention) = (&self.on_link, &mut self.by_contention);
            highest = highest.max(match rail.longest {
                2 => contention::<2>(taken, on_link, by_contention),
                4 => contention::<4>(taken, on_link, by_contention),
                8 => contention::<8>(taken, on_link, by_contention),
                16 => contention::<16>(taken, on_link, by_contention),
                _ => contention::<64>(taken, on_link, by_contention),
            });
            begin = end;
        }
        PairCounts { by_contention: &self.by_contention[..=highest], skipped }
    }

    /// Notes the links of the flows of a rail, and counts flows without a route. Returns how many pairs are left out.
    fn take<const LONGEST: usize>(&mut self, rail: &RailPaths, rows: &[u32], pairs: &[Flow]) -> u64 {
        let cells = rail.all_cells::<LONGEST>();
        let mut skipped = 0;
        for pair in pairs {
            let row = rows[pair.from as usize];
            if row == NONE {
                skipped += 1;
                continue;
            }
            let cell = &cells[row as usize * rail.hosts + pair.to as usize];
            if cell[0] >= ABSENT {
                self.by_contention[0] += u64::from(cell[0] == LOST);
                skipped += u64::from(cell[0] == ABSENT);
                continue;
            }
            for &link in cell {
                self.on_link[usize::from(link)] += 1;
            }
            self.taken.extend_from_slice(cell);
        }
        skipped
    }
}

/// Counts flows with given links by their contention. Returns the greatest.
fn contention<const LONGEST: usize>(taken: &[u16], on_link: &[u32], by_contention: &mut [u64]) -> usize {
    let mut highest = 0;
    for cell in taken.as_chunks::<LONGEST>().0 {
        let most = cell.iter().map(|&link| on_link[usize::from(link)]).max().unwrap_or(0);
        // Its own link carries the flow, too.
        let most = most.max(1) as usize;
        by_contention[most] += 1;
        highest = highest.max(most);
    }
    highest
}
