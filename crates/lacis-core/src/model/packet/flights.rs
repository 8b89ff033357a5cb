//! Packets that may be interrupted while they cross a link.

use rustc_hash::FxHashMap;

use super::network::NONE;

/// Packets on links.
#[derive(Debug)]
pub(super) struct Preemption {
    /// The lanes that interrupt, as a set.
    urgent: u16,
    /// By port: the last packet that left by it, except those that interrupted it.
    pub flights: Vec<Flight>,
    /// By message: when its last byte arrives, where an interruption delays it (ps).
    pub late: FxHashMap<u32, u64>,
}

/// A packet on a link.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flight {
    pub packet: u32,
    pub message: u32,
    pub lane: u8,
    /// When its link has had time for all of it (ps).
    pub work_until: u64,
    /// When the switch before has sent all of it (ps).
    pub tail_at: u64,
    /// When its tail leaves: the later of the two.
    pub until: u64,
    /// The port by which it has left the next switch.
    pub next: u32,
    /// When the packets that interrupt it are sent (ps).
    pub urgent_until: u64,
    /// Whether an event at that time is in the calendar.
    pub is_watched: bool,
}

impl Preemption {
    pub(super) fn new(urgent: u16, ports: usize) -> Self {
        let none = Flight {
            packet: NONE,
            message: NONE,
            lane: 0,
            work_until: 0,
            tail_at: 0,
            until: 0,
            next: NONE,
            urgent_until: 0,
            is_watched: false,
        };
        Self { urgent, flights: vec![none; ports], late: FxHashMap::default() }
    }

    /// Whether packets of a lane interrupt others.
    pub(super) fn interrupts(&self, lane: u8) -> bool {
        self.urgent >> (lane & 15) & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lanes_of_the_set_interrupt() {
        let preemption = Preemption::new(0b1000_0000_0000_1010, 0);
        assert!((0..16).all(|lane| preemption.interrupts(lane) == [1, 3, 15].contains(&lane)));
    }
}
