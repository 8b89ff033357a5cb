//! The position of an output in its arbitration tables.

use crate::qos::{Arbitration, HIGH, LOW};

/// The position of an output in its tables.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arbiter {
    /// By table: the entry that sent last.
    at: [u8; 2],
    /// By table: how many units that entry may still send.
    left: [u16; 2],
    /// Bytes of high priority since the last packet of low priority.
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
    /// The entries to try; `urgent`: only those of high priority.
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
            for index in first..first + entries.len() {
                let entry = index % entries.len();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::Rng;

    /// The rules word by word: each table's entry in turn, what it may still send, and the bytes of high priority
    /// since the last packet of low priority.
    struct Rules {
        tables: [Vec<(u8, u8)>; 2],
        limit: u8,
        at: [usize; 2],
        left: [u32; 2],
        high: u32,
    }

    impl Rules {
        /// The table and entry that send next; `has`: by lane, whether it has a packet.
        fn next(&self, has: &[bool], urgent: bool) -> Option<(usize, usize)> {
            let used_up = match self.limit {
                255 => false,
                0 => self.high > 0,
                limit => self.high >= 4096 * u32::from(limit),
            };
            let order = match (urgent, used_up) {
                (true, _) => vec![HIGH],
                (false, true) => vec![LOW, HIGH],
                (false, false) => vec![HIGH, LOW],
            };
            order.into_iter().find_map(|table| {
                let entries = &self.tables[table];
                let skip = usize::from(self.left[table] == 0);
                let mut round = (0..entries.len()).map(|i| (self.at[table] + skip + i) % entries.len());
                round.find(|&entry| has[usize::from(entries[entry].0)]).map(|entry| (table, entry))
            })
        }

        fn send(&mut self, table: usize, entry: usize, bytes: u32) {
            if entry != self.at[table] || self.left[table] == 0 {
                self.at[table] = entry;
                self.left[table] = u32::from(self.tables[table][entry].1);
            }
            let units = bytes.div_ceil(64);
            // The last packet may overdraw it.
            self.left[table] = self.left[table].saturating_sub(units);
            self.high = if table == HIGH { self.high + bytes } else { 0 };
        }
    }

    #[test]
    fn turns_are_those_of_the_rules() {
        let mut rng = Rng::of_pattern(1, 2);
        let mut of_low = 0;
        for round in 0..300 {
            let mut table = |most| -> Vec<(u8, u8)> {
                (0..rng.below(most)).map(|_| (rng.below(16) as u8, 1 + rng.below(40) as u8)).collect()
            };
            let tables = [table(4), table(20)];
            let limit = [0, 1, 2, 255][rng.below(4) as usize];
            let arbitration = Arbitration::new(&tables[0], &tables[1], limit).unwrap();
            let mut rules = Rules { tables, limit, at: [0; 2], left: [0; 2], high: 0 };
            let mut arbiter = Arbiter::default();
            for _ in 0..200 {
                let has: Vec<bool> = (0..16).map(|_| rng.below(3) > 0).collect();
                let urgent = rng.below(8) == 0;
                let turns = arbiter.turns(&arbitration, urgent);
                // Each lane once.
                let lanes: Vec<u8> = (0..).map_while(|i| turns.get(i)).map(|turn| turn.lane).collect();
                let mut once = lanes.clone();
                once.sort_unstable();
                once.dedup();
                assert_eq!(once.len(), lanes.len());
                let turn = (0..).map_while(|i| turns.get(i)).find(|turn| has[usize::from(turn.lane)]);
                let found = turn.map(|turn| (turn.table, usize::from(turn.entry)));
                assert_eq!(found, rules.next(&has, urgent), "round {round}");
                if let (Some(turn), Some((table, entry))) = (turn, found) {
                    assert_eq!(rules.tables[table][entry].0, turn.lane);
                    let bytes = 1 + rng.below(5000);
                    arbiter.charge(&arbitration, turn, bytes as u16);
                    rules.send(table, entry, bytes);
                    of_low += usize::from(table == LOW);
                }
            }
        }
        assert!(of_low > 1000, "{of_low}");
    }
}
