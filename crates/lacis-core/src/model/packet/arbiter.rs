//! The position of an output in its arbitration tables.

use crate::qos::{Arbitration, HIGH, LOW};

/// The position of an output in its tables.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arbiter {
    /// By table: the entry that sent last, and how many units it may still send.
    at: [u8; 2],
    left: [u16; 2],
    /// Bytes of high priority since the last packet of low.
    high: u32,
}

/// An entry that may be next: its table, its index there and its lane.
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
        let used_up = match arbitration.limit() {
            255 => false,
            0 => self.high > 0,
            limit => self.high >= u32::from(limit) * 4096,
        };
        let mut turns = Turns { all: [Turn::default(); 16], len: 0 };
        let mut seen = 0_u16;
        let order = if used_up && !urgent { [LOW, HIGH] } else { [HIGH, LOW] };
        for &table in &order[..if urgent { 1 } else { 2 }] {
            let entries = arbitration.entries(table);
            let first = usize::from(self.at[table]) + usize::from(self.left[table] == 0);
            for place in first..first + entries.len() {
                let entry = place % entries.len();
                let (lane, _) = entries[entry];
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
            let (_, weight) = arbitration.entries(table)[usize::from(entry)];
            (self.at[table], self.left[table]) = (entry, u16::from(weight));
        }
        self.left[table] = self.left[table].saturating_sub(bytes.div_ceil(64));
        self.high = if table == HIGH { self.high.saturating_add(u32::from(bytes)) } else { 0 };
    }
}

impl Turns {
    pub(super) fn get(&self, number: usize) -> Option<Turn> {
        self.all[..self.len].get(number).copied()
    }
}
