//! How busy links are over time: the share of each interval in which a port sends.

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::Rng;

    #[test]
    fn each_picosecond_counts_in_its_interval() {
        // Ports 1, 2 and 4 of five have a cable; times of less than 200 ps in intervals of 7, noted one by one.
        let has_cable = [false, true, true, false, true];
        let mut rng = Rng::of_pattern(9, 0);
        let room = 3 * 20;
        let mut slots = Slots::new(7, has_cable.into_iter(), room);
        assert!(slots.is_empty() && slots.ports == [1, 2, 4]);
        let mut expected = vec![[0_u64; 3]; 20];
        let mut last = 0;
        for _ in 0..60 {
            let (column, from) = (rng.below(3) as usize, u64::from(rng.below(120)));
            let until = from + u64::from(rng.below(20));
            slots.add([1, 2, 4][column], from, until);
            for at in from..until {
                expected[at as usize / 7][column] += 1;
                last = last.max(at as usize / 7);
            }
        }
        assert_eq!((slots.len(), slots.is_cut, slots.is_empty()), (last + 1, false, false));
        assert_eq!(slots.busy, expected[..=last].concat());
        // There is room for twenty intervals: what comes later is left out.
        slots.add(4, 138, 141);
        assert_eq!((slots.len(), slots.is_cut), (20, true));
        assert_eq!(slots.busy[59], expected[19][2] + 2);
    }

    #[test]
    fn intervals_of_a_later_run_come_after_those_before() {
        let slots = |until, room| {
            let mut slots = Slots::new(10, [true].into_iter(), room);
            slots.add(0, 5, until);
            slots
        };
        for (first, second) in [(9, 9), (2, 9), (9, 2)] {
            let mut both = slots(25, first);
            both.append(slots(37, second));
            let expected = [&[5, 10, 5][..first.min(3)], &[5, 10, 10, 7][..second.min(4)]].concat();
            assert_eq!((&both.busy, both.is_cut), (&expected, first.min(second) == 2));
        }
    }
}
