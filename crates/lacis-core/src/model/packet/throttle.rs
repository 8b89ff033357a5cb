//! The parameters of congestion control, and what switches and senders remember.

/// The parameters of congestion control.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Throttle {
    /// 0: never mark; 1 to 15: the greater, the sooner.
    pub threshold: u8,
    /// Packets left unmarked between two that are marked.
    pub marking_rate: u16,
    /// Packets of less payload are not marked.
    pub packet_size: u32,
    /// What a BECN adds to the index.
    pub increase: u16,
    /// The greatest index.
    pub limit: u16,
    /// The least index.
    pub least: u16,
    /// How often the index falls by one (ps).
    pub timer: u64,
    /// By how much the wait after a packet grows with each index, relative to the packet's time on its link.
    pub step: f64,
}

impl Default for Throttle {
    fn default() -> Self {
        Self {
            threshold: 8,
            marking_rate: 0,
            packet_size: 512,
            increase: 1,
            limit: 127,
            least: 0,
            timer: 10 * 1_024_000,
            step: 0.125,
        }
    }
}

/// What switches and senders remember.
#[derive(Debug)]
pub(super) struct Throttling {
    pub(super) how: Throttle,
    /// By port of a switch: packets that may yet pass unmarked.
    pub(super) unmarked: Vec<u16>,
    /// By packet, as bits: whether it is marked.
    pub(super) marked: Vec<u64>,
    /// By send queue: its index, and since when.
    pub(super) index: Vec<(u16, u64)>,
    /// By send queue: when its next packet may leave (ps).
    pub(super) ready: Vec<u64>,
    /// By host: when it next checks its queues (ps).
    pub(super) looks: Vec<u64>,
    /// Packets marked so far.
    pub marks: u64,
}

impl Throttling {
    /// Bytes for a send queue.
    pub(super) const BY_QUEUE: usize = size_of::<(u16, u64)>() + size_of::<u64>();

    pub(super) fn new(how: Throttle, switch_ports: usize, queues: usize, hosts: usize) -> Self {
        Self {
            how,
            unmarked: vec![0; switch_ports],
            marked: Vec::new(),
            index: vec![(how.least, 0); queues],
            ready: vec![0; queues],
            looks: vec![0; hosts],
            marks: 0,
        }
    }

    /// The index of a queue, after what the timer took from it.
    pub(super) fn index(&mut self, queue: usize, now: u64) -> u16 {
        let (index, since) = self.index[queue];
        let fallen = (now - since) / self.how.timer;
        let index = u64::from(index).saturating_sub(fallen).max(u64::from(self.how.least)) as u16;
        self.index[queue] = (index, since + fallen * self.how.timer);
        index
    }

    pub(super) fn set(&mut self, packet: u32, marked: bool) {
        let (word, bit) = (packet as usize / 64, 1_u64 << (packet % 64));
        if self.marked.len() <= word {
            self.marked.resize(word + 1, 0);
        }
        self.marked[word] = if marked { self.marked[word] | bit } else { self.marked[word] & !bit };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_falls_by_one_each_time_the_timer_ends_and_no_lower_than_the_least() {
        let how = Throttle { timer: 100, least: 2, ..Throttle::default() };
        let mut throttling = Throttling::new(how, 4, 3, 2);
        assert_eq!([0, 1, 2].map(|queue| throttling.index(queue, 0)), [2; 3]);
        // Counted from 1000 on: one less at 1100, 1200 …, whenever and how often it is looked at.
        throttling.index[1] = (9, 1000);
        for (now, expected) in
            [(1000, 9), (1099, 9), (1100, 8), (1150, 8), (1199, 8), (1200, 7), (1490, 5), (1500, 4)]
        {
            assert_eq!(throttling.index(1, now), expected, "{now}");
        }
        assert_eq!(throttling.index(1, 9999), 2);
        assert_eq!(throttling.index(0, 9999), 2);
    }

    #[test]
    fn marks_are_kept_packet_by_packet() {
        let mut throttling = Throttling::new(Throttle::default(), 4, 3, 2);
        let marks = [0, 1, 5, 63, 64, 65, 130, 200];
        for &packet in marks.iter().chain(&marks[..3]) {
            throttling.set(packet, true);
        }
        let bit = |throttling: &Throttling, packet: u32| {
            throttling.marked.get(packet as usize / 64).is_some_and(|word| word >> (packet % 64) & 1 == 1)
        };
        assert!((0..256).all(|packet| bit(&throttling, packet) == marks.contains(&packet)));
        throttling.set(64, false);
        throttling.set(64, false);
        throttling.set(1000, false);
        assert!((0..256).all(|packet| bit(&throttling, packet) == (packet != 64 && marks.contains(&packet))));
    }
}
