//! How busy links are over time: the part of each interval that a port sends.

/// The most cells, in all runs together: 256 MiB.
pub(super) const MOST_CELLS: usize = 1 << 25;

/// No column.
const NONE: u32 = u32::MAX;

/// Time spent sending, by interval and port.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slots {
    /// Length of an interval (ps).
    pub interval: u64,
    /// The ports with a cable, by column.
    pub ports: Vec<u32>,
    /// By port: its column.
    column: Vec<u32>,
    /// Shape `(intervals, ports)` (ps).
    pub busy: Vec<u64>,
    /// The most intervals that there is room for.
    most: u64,
    /// Whether there were more than that: what came later is left out.
    pub is_cut: bool,
}

impl Slots {
    /// Intervals of this length (ps), not 0, for the ports that have a cable, and room for so many cells.
    pub(super) fn new(interval: u64, has_cable: impl ExactSizeIterator<Item = bool>, cells: usize) -> Self {
        let (mut ports, mut column) = (Vec::new(), vec![NONE; has_cable.len()]);
        for (port, _) in (0..).zip(has_cable).filter(|&(_, has)| has) {
            column[port as usize] = ports.len() as u32;
            ports.push(port);
        }
        let most = (cells / ports.len().max(1)) as u64;
        Self { interval: interval.max(1), ports, column, busy: Vec::new(), most, is_cut: false }
    }

    /// A port sends from one time to another (ps).
    pub(super) fn add(&mut self, port: u32, from: u64, until: u64) {
        let columns = self.ports.len();
        let mut at = from;
        while at < until {
            let slot = at / self.interval;
            if slot >= self.most {
                self.is_cut = true;
                return;
            }
            let end = ((slot + 1) * self.interval).min(until);
            let row = slot as usize * columns;
            if self.busy.len() <= row {
                self.busy.resize(row + columns, 0);
            }
            self.busy[row + self.column[port as usize] as usize] += end - at;
            at = end;
        }
    }

    /// Number of intervals.
    pub fn len(&self) -> usize {
        self.busy.len() / self.ports.len().max(1)
    }

    /// Whether nothing was sent.
    pub fn is_empty(&self) -> bool {
        self.busy.is_empty()
    }

    /// Appends the intervals of a later run.
    pub(super) fn append(&mut self, mut later: Self) {
        self.busy.append(&mut later.busy);
        self.is_cut |= later.is_cut;
    }
}
