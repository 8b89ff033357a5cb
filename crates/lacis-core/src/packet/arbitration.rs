//! Arbitration among the lanes of an output: tables of high and of low priority.
//!
//! InfiniBand Architecture Specification, volume 1, 7.6.9. Each table is a list of lanes with weights in
//! units of 64 bytes; a lane sends while its entry's weight lasts, and the last packet may overdraw it.
//! A table's entry whose lane has nothing to send, or no credits, is passed over. The table of high
//! priority goes first until it has sent the limit, in units of 4096 bytes, since a packet of the
//! other left (0: one packet; 255: no limit).

use super::Simulator;
use super::program::Program;

/// Most entries of a table.
const ENTRIES: usize = 64;

/// A table: lanes and weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Table {
    entries: [(u8, u8); ENTRIES],
    len: usize,
}

impl Table {
    /// Entries without weight are left out.
    fn of(entries: &[(u8, u8)]) -> Option<Self> {
        let mut table = Self { entries: [(0, 0); ENTRIES], len: 0 };
        if entries.len() > ENTRIES {
            return None;
        }
        for &entry in entries.iter().filter(|&&(_, weight)| weight > 0) {
            table.entries[table.len] = entry;
            table.len += 1;
        }
        Some(table)
    }

    fn lanes(&self) -> impl Iterator<Item = u8> {
        self.entries.into_iter().take(self.len).map(|(lane, _)| lane)
    }
}

/// The arbitration tables of all outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arbitration {
    /// High priority, then low.
    tables: [Table; 2],
    limit: u8,
}

impl Arbitration {
    /// Tables of (lane, weight) and the limit of high priority; none if a table has more than 64 entries.
    pub fn new(high: &[(u8, u8)], low: &[(u8, u8)], limit: u8) -> Option<Self> {
        Some(Self { tables: [Table::of(high)?, Table::of(low)?], limit })
    }

    /// All lanes that ever get a turn.
    pub(super) fn lanes(&self) -> impl Iterator<Item = u8> {
        self.tables.into_iter().flat_map(|table| table.lanes().collect::<Vec<_>>())
    }

    /// The lanes of high priority, as a set.
    pub(super) fn urgent(&self) -> u16 {
        self.tables[HIGH].lanes().fold(0, |set, lane| set | 1 << (lane & 15))
    }
}

const HIGH: usize = 0;
const LOW: usize = 1;

/// Where an output stands in its tables.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arbiter {
    /// By table: the entry that sent last, and how many units it may still send.
    at: [u8; 2],
    left: [u16; 2],
    /// Bytes of high priority since the last packet of low.
    high: u32,
}

/// An entry that may be next: its table, its place there and its lane.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Turn {
    table: usize,
    entry: u8,
    pub lane: u8,
}

/// Entries in the order in which they may send, each lane once.
pub(super) struct Turns {
    all: [Turn; 16],
    len: usize,
}

impl Arbiter {
    /// The entries to try; `urgent`: of high priority alone.
    pub(super) fn turns(&self, arbitration: &Arbitration, urgent: bool) -> Turns {
        let Arbitration { tables, limit } = arbitration;
        let used_up = match limit {
            255 => false,
            0 => self.high > 0,
            _ => self.high >= u32::from(*limit) * 4096,
        };
        let mut turns = Turns { all: [Turn::default(); 16], len: 0 };
        let mut seen = 0_u16;
        let order = if used_up && !urgent { [LOW, HIGH] } else { [HIGH, LOW] };
        for &table in &order[..if urgent { 1 } else { 2 }] {
            let len = tables[table].len;
            let first = usize::from(self.at[table]) + usize::from(self.left[table] == 0);
            for place in first..first + len {
                let entry = place % len;
                let (lane, _) = tables[table].entries[entry];
                if seen >> (lane & 15) & 1 == 0 {
                    seen |= 1 << (lane & 15);
                    turns.all[turns.len] = Turn { table, entry: entry as u8, lane };
                    turns.len += 1;
                }
            }
        }
        turns
    }

    /// An entry's lane has sent a packet.
    pub(super) fn charge(&mut self, arbitration: &Arbitration, turn: Turn, bytes: u16) {
        let Turn { table, entry, .. } = turn;
        if self.at[table] != entry || self.left[table] == 0 {
            let (_, weight) = arbitration.tables[table].entries[usize::from(entry)];
            (self.at[table], self.left[table]) = (entry, u16::from(weight));
        }
        self.left[table] = self.left[table].saturating_sub(bytes.div_ceil(64));
        self.high = if table == HIGH { self.high.saturating_add(u32::from(bytes)) } else { 0 };
    }
}

impl Turns {
    fn get(&self, number: usize) -> Option<Turn> {
        self.all[..self.len].get(number).copied()
    }
}

impl<P: Program> Simulator<'_, P> {
    /// Sends the next packet by an output, of a switch or a host, as its tables have it. Says whether one went, and whether
    /// any waits for credits.
    pub(super) fn arbitrate(&mut self, output: u32, urgent: bool) -> (bool, bool) {
        let Some(tables) = &self.set.quality.arbitration else { return (false, false) };
        let turns = self.arbiters[output as usize].turns(tables, urgent);
        let (mut next, mut starved) = (0, false);
        while let Some(turn) = turns.get(next) {
            next += 1;
            let lane = usize::from(turn.lane);
            let sent = if self.net.is_switch(output) {
                self.try_lane(output, lane, &mut starved)
            } else {
                self.try_host_lane(self.net.end[output as usize], lane, &mut starved)
            };
            if let Some(bytes) = sent {
                self.arbiters[output as usize].charge(tables, turn, bytes);
                return (true, starved);
            }
        }
        (false, starved)
    }
}
