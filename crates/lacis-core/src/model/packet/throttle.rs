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
    /// The greatest index, and the least.
    pub limit: u16,
    /// The least index.
    pub least: u16,
    /// How often the index falls by one (ps).
    pub timer: u64,
    /// By how much the wait after a packet grows with each index, in parts of the packet's time on its link.
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
    /// By host: when it looks again (ps).
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
