//! Arbitration among the lanes of an output, as its tables have it.

use super::Simulator;
use super::program::Program;
use crate::qos::{Arbitration, HIGH, LOW};

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
