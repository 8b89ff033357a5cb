//! Where each switch port leads, laid out for the walks: one flat row of channels per switch.

use super::verdict::Verdict;
use crate::fabric::{Fabric, NO_PEER, NodeId, PortId};
use crate::sm::NO_ENTRY;

/// In [`Wiring::next`]: the port does not lead to a switch.
pub(super) const NOT_A_SWITCH: u32 = u32::MAX;

/// The switch ports as channels. The channel of a port is `switch * width + port number`, with one
/// `width` for all switches, so that a table entry becomes a channel without a look-up.
pub(super) struct Wiring {
    /// Channels per switch: the largest radix, plus one for port 0.
    pub width: usize,
    /// The switch at the far end of each channel, or [`NOT_A_SWITCH`].
    pub next: Vec<u32>,
    /// The port at the far end of each channel, or [`NO_PEER`].
    peer: Vec<u32>,
}

/// What a switch does with a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Sends it to another switch, on this channel.
    Forward(u32),
    /// The packet's path ends here.
    Stop(Verdict),
}

impl Wiring {
    pub(super) fn of(fabric: &Fabric) -> Self {
        let width = 1 + fabric.switches().map(|s| usize::from(fabric.radix(s))).max().unwrap_or(0);
        let mut next = vec![NOT_A_SWITCH; fabric.num_switches() * width];
        let mut peer = vec![NO_PEER; next.len()];
        for switch in fabric.switches() {
            for (number, port) in fabric.ports_of(switch).enumerate() {
                let Some(far) = fabric.peer(port) else { continue };
                let channel = switch.ix() * width + 1 + number;
                peer[channel] = far.0;
                if fabric.is_switch(fabric.node_of(far)) {
                    next[channel] = fabric.node_of(far).0;
                }
            }
        }
        Self { width, next, peer }
    }

    /// What switch `s` does with a packet for the end port `target` when its table says `entry`.
    #[inline]
    pub(super) fn step(&self, fabric: &Fabric, s: usize, entry: u8, target: PortId) -> Step {
        let verdict_at = |here| if here == target { Verdict::Delivered } else { Verdict::WrongPort };
        match entry {
            NO_ENTRY => Step::Stop(Verdict::NoEntry),
            0 => Step::Stop(verdict_at(fabric.port0(NodeId(s as u32)))),
            port if usize::from(port) >= self.width => Step::Stop(Verdict::DeadPort),
            port => {
                let channel = s * self.width + usize::from(port);
                match (self.next[channel], self.peer[channel]) {
                    (_, NO_PEER) => Step::Stop(Verdict::DeadPort),
                    (NOT_A_SWITCH, end) => Step::Stop(verdict_at(PortId(end))),
                    _ => Step::Forward(channel as u32),
                }
            }
        }
    }

    /// The egress port that a channel stands for.
    pub(super) fn port(&self, fabric: &Fabric, channel: usize) -> PortId {
        PortId(fabric.port0(NodeId((channel / self.width) as u32)).0 + (channel % self.width) as u32)
    }

    /// The number of the port at the far end of a channel that leads to a switch.
    pub(super) fn far_number(&self, fabric: &Fabric, channel: usize) -> u8 {
        fabric.number_of(PortId(self.peer[channel]))
    }

    /// Whether the switches fall into two sets such that every cable leads from one to the other.
    pub(super) fn is_bipartite(&self) -> bool {
        let mut side = vec![None; self.next.len() / self.width];
        let mut queue = Vec::new();
        for root in 0..side.len() {
            if side[root].is_some() {
                continue;
            }
            side[root] = Some(false);
            queue.push(root);
            while let Some(switch) = queue.pop() {
                let row = &self.next[switch * self.width..][..self.width];
                for &far in row.iter().filter(|&&far| far != NOT_A_SWITCH) {
                    let far = far as usize;
                    if side[far].is_none() {
                        side[far] = side[switch].map(|side: bool| !side);
                        queue.push(far);
                    } else if side[far] == side[switch] {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// The channels between two different switches, ascending.
    pub(super) fn inter_switch(&self) -> impl Iterator<Item = usize> {
        (0..self.next.len())
            .filter(|&c| self.next[c] != NOT_A_SWITCH && self.next[c] as usize != c / self.width)
    }
}
