//! Port groups: the ports of a switch that begin a shortest path towards a LID.

use crate::fabric::{NodeId, PortId};
use crate::model::load::hops_to;
use crate::model::packet::network::{NONE, Network};

/// Bytes of a number of hops.
const HOPS: u64 = 2;

/// The ports that begin shortest paths, as sets, by the receiver's switch and the switch at hand.
#[derive(Debug)]
pub(in crate::model::packet) struct Groups {
    /// By LID: the index of its switch among the receivers' switches; [`NONE`] for others.
    home: Vec<u32>,
    switches: usize,
    words: usize,
    /// Shape `(homes, switches, words)`; empty at the destination switch itself and where no path leads there.
    sets: Vec<u64>,
}

impl Groups {
    /// The groups towards all ends.
    pub(super) fn of(net: &Network<'_>) -> Self {
        let (fabric, lids) = (net.fabric, &net.routes.lids);
        let (switches, words) = (fabric.num_switches(), net.radix.div_ceil(64));
        let mut home = vec![NONE; lids.max_lid() as usize + 1];
        let mut homes: Vec<NodeId> = Vec::new();
        let mut place = vec![NONE; switches];
        for &end in &net.ends {
            let Some(switch) = fabric.home(PortId(end)) else { continue };
            if place[switch.ix()] == NONE {
                place[switch.ix()] = homes.len() as u32;
                homes.push(switch);
            }
            for lid in lids.range(PortId(end)) {
                home[lid as usize] = place[switch.ix()];
            }
        }
        let mut sets = vec![0; homes.len() * switches * words];
        let hops = hops_to(fabric, &homes);
        let rows = hops.chunks_exact(switches.max(1));
        for (row, sets) in rows.zip(sets.chunks_exact_mut((switches * words).max(1))) {
            for switch in fabric.switches() {
                for port in fabric.ports_of(switch) {
                    let peer = fabric.peer(port).map(|far| fabric.node_of(far));
                    let near = |peer: NodeId| fabric.is_switch(peer) && row[peer.ix()] < row[switch.ix()];
                    if peer.is_some_and(near) {
                        let number = usize::from(fabric.number_of(port));
                        sets[switch.ix() * words + number / 64] |= 1 << (number % 64);
                    }
                }
            }
        }
        Self { home, switches, words, sets }
    }

    /// Bytes that the groups of a network take, and the hops that they are found by.
    pub(super) fn size(net: &Network<'_>) -> u64 {
        let mut is_home = vec![false; net.fabric.num_switches()];
        for switch in net.ends.iter().filter_map(|&end| net.fabric.home(PortId(end))) {
            is_home[switch.ix()] = true;
        }
        let homes = is_home.iter().filter(|&&is_home| is_home).count() as u64;
        homes * is_home.len() as u64 * (8 * net.radix.div_ceil(64) as u64 + HOPS)
    }

    /// The ports by which a switch may send a packet to a LID; none where the table decides.
    #[inline]
    fn towards(&self, switch: u32, lid: u32) -> &[u64] {
        let home = self.home.get(lid as usize).copied().unwrap_or(NONE);
        if home == NONE {
            return &[];
        }
        &self.sets[(home as usize * self.switches + switch as usize) * self.words..][..self.words]
    }

    /// Takes a port out of all groups of a switch.
    pub(super) fn remove(&mut self, switch: u32, number: u8) {
        let (word, bit) = (usize::from(number) / 64, 1 << (number % 64));
        let sets = self.sets.chunks_exact_mut((self.switches * self.words).max(1));
        sets.for_each(|sets| sets[switch as usize * self.words + word] &= !bit);
    }

    /// Whether a switch has a choice for a LID.
    #[inline]
    pub(super) fn may_choose(&self, switch: u32, lid: u32) -> bool {
        self.towards(switch, lid).iter().any(|&word| word != 0)
    }

    /// The numbers of the ports by which a switch may send a packet to a LID.
    pub(super) fn list(&self, switch: u32, lid: u32, ports: &mut Vec<u8>) {
        ports.clear();
        for (word, &set) in self.towards(switch, lid).iter().enumerate() {
            let mut bits = set;
            while bits != 0 {
                ports.push((word * 64) as u8 + bits.trailing_zeros() as u8);
                bits &= bits - 1;
            }
        }
    }
}
