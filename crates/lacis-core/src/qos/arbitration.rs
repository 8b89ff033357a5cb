//! Arbitration tables: which lane an output serves, and for how long.
//!
//! InfiniBand Architecture Specification, volume 1, 7.6.9. Each table is a list of lanes with weights in
//! units of 64 bytes; a lane sends while its entry's weight lasts, and the last packet may overdraw it.
//! A table's entry whose lane has nothing to send, or no credits, is skipped. The table of high
//! priority goes first until it has sent the limit, in units of 4096 bytes, since a packet of the
//! other left (0: one packet; 255: no limit).

/// Most entries of a table.
const ENTRIES: usize = 64;

/// The table of high priority.
pub(crate) const HIGH: usize = 0;

/// The table of low priority.
pub(crate) const LOW: usize = 1;

/// A table: lanes and weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ArbitrationTable {
    entries: [(u8, u8); ENTRIES],
    len: usize,
}

impl ArbitrationTable {
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
}

/// The arbitration tables of all outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arbitration {
    /// High priority, then low.
    tables: [ArbitrationTable; 2],
    limit: u8,
}

impl Arbitration {
    /// Tables of (lane, weight) and the limit of high priority; none if a table has more than 64 entries.
    pub fn new(high: &[(u8, u8)], low: &[(u8, u8)], limit: u8) -> Option<Self> {
        Some(Self { tables: [ArbitrationTable::of(high)?, ArbitrationTable::of(low)?], limit })
    }

    /// The entries of a table.
    #[inline]
    pub(crate) fn entries(&self, table: usize) -> &[(u8, u8)] {
        let ArbitrationTable { entries, len } = &self.tables[table];
        &entries[..*len]
    }

    /// The limit of high priority, in units of 4096 bytes: 0 for one packet, 255 for none.
    #[inline]
    pub(crate) fn limit(&self) -> u8 {
        self.limit
    }

    /// All lanes that have an entry.
    pub(crate) fn lanes(&self) -> impl Iterator<Item = u8> + '_ {
        [HIGH, LOW].into_iter().flat_map(|table| self.entries(table).iter().map(|entry| entry.0))
    }

    /// The lanes of high priority, as a set.
    pub(crate) fn urgent(&self) -> u16 {
        self.entries(HIGH).iter().fold(0, |set, (lane, _)| set | 1 << (lane & 15))
    }
}
