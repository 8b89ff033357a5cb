//! What the hardware is taken to be like. Times are in picoseconds, sizes in bytes.

use super::adaptive::omni_path::OmniPath;
use super::network::Network;
use super::throttle::Throttle;
use super::utilisation::MOST_CELLS;
use crate::model::load::Multipath;
use crate::qos::{Quality, QualityError};

/// How a switch keeps the packets of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Queueing {
    /// In one queue a lane: a packet waits for all that came before it.
    Fifo,
    /// In one queue a lane and output (virtual output queues).
    Virtual,
}

impl Queueing {
    /// Queues of an input and lane of a switch with so many ports, port 0 counted.
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
    /// For each packet the port with least waiting for it; of several one at random.
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
    /// Part of its link's rate that a host can send and, apart, receive.
    pub host_efficiency: f64,
    /// Choice among shortest paths.
    pub adaptive: Adaptive,
    /// Which of a receiver's LIDs a message goes to.
    pub multipath: Multipath,
    /// Congestion control; none: off.
    pub throttle: Option<Throttle>,
    /// Lanes, and how links serve them.
    pub quality: Quality,
    /// The most switches that a packet crosses: at the next it is discarded.
    pub hop_limit: u8,
    /// Nothing is looked at from then on.
    pub horizon: u64,
    /// Length of the intervals whose utilisation is told; 0: none is.
    pub interval: u64,
    /// The most cells, ports times intervals, that are kept of it.
    pub cells: usize,
    /// Of random choices.
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
            quality: Quality::default(),
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

    /// How long a host is busy with a packet that takes its link a time (ps).
    #[inline]
    pub(super) fn at_host(&self, time: u64) -> u64 {
        if self.host_efficiency < 1.0 { (time as f64 / self.host_efficiency) as u64 } else { time }
    }

    /// Checks that every service level in use has a lane, and every lane in use its turn.
    ///
    /// # Errors
    /// The first thing that makes no sense.
    pub fn check_lanes(&self, net: &Network<'_>, levels: &[u8]) -> Result<(), QualityError> {
        self.quality.check(net.routes.lanes.as_ref(), levels)?;
        if self.quality.preempt && self.reads == Reads::One {
            return Err(QualityError::OneRead);
        }
        Ok(())
    }
}
