//! Constants of the hardware. Times are in picoseconds, sizes in bytes.

use super::adaptive::omni_path::OmniPath;
use super::network::Network;
use super::throttle::Throttle;
use super::utilisation::MOST_CELLS;
use crate::model::load::Multipath;
use crate::qos::{Lanes, LanesError};

/// How a switch keeps the packets of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Queueing {
    /// In one queue per lane: a packet waits for all that came before it.
    Fifo,
    /// In one queue per lane and output (virtual output queues).
    Virtual,
}

impl Queueing {
    /// Queues of an input and lane of a switch of `radix` ports, port 0 included.
    #[inline]
    pub(super) fn queues(self, radix: usize) -> usize {
        match self {
            Self::Fifo => 1,
            Self::Virtual => radix,
        }
    }
}

/// How many packets leave an input's buffer at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// One: the crossbar is as fast as the links.
    One,
    /// As many as there are outputs that want one: a shared memory. Not with [`Queueing::Fifo`].
    Many,
}

/// How a switch chooses among the ports of shortest paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adaptive {
    /// Not at all: the forwarding table decides.
    Off,
    /// For each packet the port at which it would wait least; ties are broken at random.
    Least,
    /// For each packet the better of two ports drawn at random.
    TwoChoices,
    /// Every so many milliseconds switches move LIDs away from congested ports.
    OmniPath(OmniPath),
}

/// The constants of switches, cables and hosts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Most payload of a packet.
    pub mtu: u32,
    /// What the headers and checksums of a packet add to it on the wire.
    pub header: u32,
    /// Queues of the inputs.
    pub queueing: Queueing,
    /// Reads of an input at a time.
    pub reads: Reads,
    /// Buffer of each input and lane; none: as much as is needed.
    pub buffer: Option<u32>,
    /// From a header's arrival at a switch to its departure.
    pub switch_latency: u64,
    /// Ports that share a block inside the chip (1, 2, 3, 4 and 5, 6, 7, 8 and so on with 4); 0: all alike.
    pub block: u8,
    /// As `switch_latency`, between ports of a block.
    pub block_latency: u64,
    /// Of every cable, at five nanoseconds a metre.
    pub cable_delay: u64,
    /// From posting a message to the adapter's sending it.
    pub send_overhead: u64,
    /// From a message's last byte to the receiver's knowing.
    pub receive_overhead: u64,
    /// Least time from a message's last packet to the first of a host port's next.
    pub message_gap: u64,
    /// Share of its link's rate at which a host can send and, at the same time, receive.
    pub host_efficiency: f64,
    /// Choice among shortest paths.
    pub adaptive: Adaptive,
    /// Which of a receiver's LIDs a message goes to.
    pub multipath: Multipath,
    /// Congestion control; none: off.
    pub throttle: Option<Throttle>,
    /// Lanes, and how links serve them.
    pub lanes: Lanes,
    /// The most switches that a packet crosses: at the next it is discarded.
    pub hop_limit: u8,
    /// When the simulation ends.
    pub horizon: u64,
    /// Length of the intervals for which utilisation is kept; 0: it is not.
    pub interval: u64,
    /// The most cells, ports times intervals, of utilisation.
    pub cells: usize,
    /// Seed of random choices.
    pub seed: u64,
}

impl Default for Settings {
    /// An ideal device: no latency and no overhead, packets of 4096 bytes without headers, first in
    /// first out, 64 KiB of buffer.
    fn default() -> Self {
        Self {
            mtu: 4096,
            header: 0,
            queueing: Queueing::Fifo,
            reads: Reads::One,
            buffer: Some(64 << 10),
            switch_latency: 0,
            block: 0,
            block_latency: 0,
            cable_delay: 0,
            send_overhead: 0,
            receive_overhead: 0,
            message_gap: 0,
            host_efficiency: 1.0,
            adaptive: Adaptive::Off,
            multipath: Multipath::None,
            throttle: None,
            lanes: Lanes::default(),
            hop_limit: 64,
            horizon: u64::MAX,
            interval: 0,
            cells: MOST_CELLS,
            seed: 1,
        }
    }
}

impl Settings {
    /// From a header's arrival at a switch by one port to its departure by another.
    #[inline]
    pub(super) fn latency(&self, from: u8, to: u8) -> u64 {
        if self.block > 0 && (from - 1) / self.block == (to - 1) / self.block {
            self.block_latency
        } else {
            self.switch_latency
        }
    }

    /// How long a host is busy with a packet that occupies its link for `time` (ps).
    #[inline]
    pub(super) fn at_host(&self, time: u64) -> u64 {
        if self.host_efficiency < 1.0 { (time as f64 / self.host_efficiency) as u64 } else { time }
    }

    /// Checks that every service level in use has a lane, and every lane in use its turn.
    ///
    /// # Errors
    /// The first level or lane that does not fit.
    pub fn check_lanes(&self, net: &Network<'_>, levels: &[u8]) -> Result<(), LanesError> {
        self.lanes.check(net.routes.lanes.as_ref(), levels)?;
        if self.lanes.preempt && self.reads == Reads::One {
            return Err(LanesError::OneRead);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::PortId;
    use crate::model::load::testing::two_tier;

    #[test]
    fn ports_of_a_block_are_nearer_to_each_other() {
        // Blocks of four: 1 to 4, 5 to 8 and 9 to 12, counted out.
        let blocks = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]];
        let set = Settings { switch_latency: 110, block: 4, block_latency: 100, ..Settings::default() };
        for (a, from) in blocks.iter().enumerate().flat_map(|(a, block)| block.map(|from| (a, from))) {
            for (b, to) in blocks.iter().enumerate().flat_map(|(b, block)| block.map(|to| (b, to))) {
                assert_eq!(set.latency(from, to), if a == b { 100 } else { 110 }, "{from} to {to}");
                assert_eq!(Settings { block: 0, ..set }.latency(from, to), 110);
            }
        }
    }

    #[test]
    fn a_host_is_busy_for_as_long_as_its_efficiency_says() {
        let with = |host_efficiency| Settings { host_efficiency, ..Settings::default() };
        assert_eq!([1.0, 0.5, 0.8, 1.5].map(|e| with(e).at_host(1000)), [1000, 2000, 1250, 1000]);
    }

    #[test]
    fn an_input_has_a_queue_or_one_for_each_port() {
        assert_eq!([Queueing::Fifo, Queueing::Virtual].map(|q| q.queues(37)), [1, 37]);
    }

    #[test]
    fn packets_interrupt_others_only_where_several_outputs_read_an_input() {
        let net = two_tier(1, 2, 1);
        let ends: Vec<PortId> = net.hosts.clone();
        let network = Network::new(&net.fabric, &net.routes, &ends);
        let lanes = |preempt| Lanes {
            count: 2,
            arbitration: crate::qos::Arbitration::new(&[(1, 4)], &[(0, 4)], 255),
            preempt,
            ..Lanes::default()
        };
        let check = |reads, preempt, levels: &[u8]| {
            let set =
                Settings { queueing: Queueing::Virtual, reads, lanes: lanes(preempt), ..Settings::default() };
            set.check_lanes(&network, levels)
        };
        assert_eq!(check(Reads::One, true, &[0, 1]), Err(LanesError::OneRead));
        assert_eq!(check(Reads::Many, true, &[0, 1]), Ok(()));
        assert_eq!(check(Reads::One, false, &[0, 1]), Ok(()));
        assert_eq!(check(Reads::Many, false, &[2]), Err(LanesError::Unmapped(2, 2, 1)));
    }
}
