//! Omni-Path: every so many milliseconds each switch moves LIDs away from congested ports.
//!
//! What the manager can set is known (`<AdaptiveRouting>` of opafm.xml; SwitchInfo.AdaptiveRouting):
//! the least time between adjustments, 2ⁿ × 64 ms; the share of a lane's buffer above which a
//! switch acts; how it chooses a port of the group; and whether it acts on lost links alone. The
//! group of a LID is all ports of least cost and equal speed towards another switch. Firmware does
//! the rest, and no document says how. Assumed here:
//!
//! * All switches adjust at the same times, the first a period after the beginning.
//! * A port is congested when some input's buffer is filled to the threshold, counted in packets of the
//!   largest size, and more of it waits for that port than for any other. Threshold 0 acts like 3.
//! * The load of a port is what it has sent since the last adjustment and what waits for it. A LID's share
//!   of a congested port's load is its share of what waits there.
//! * `Random` moves each LID that waits at a congested port to any port of its group. The other algorithms
//!   move LIDs, those with most waiting first, to the port of least load, if that stays below the load of
//!   the port that the LID leaves. `Greedy` takes the first of equal ports; `GreedyRandom` any whose load
//!   exceeds the least by no more than a link carries in a hundredth of the period.
//! * A table entry whose port is not in the LID's group stays as long as the port's cable does.
//! * When the cable at a port fails, its switch moves the LIDs of that port at once, each with an equal share
//!   of the port's load, whatever `lost_route_only` is. LIDs whose group has no other port stay.

use rustc_hash::{FxHashMap, FxHashSet};

use super::choice::Choice;
use super::moved::Moves;
use super::omni_path::{Algorithm, OmniPath};
use crate::fabric::PortId;
use crate::model::packet::application::Application;
use crate::model::packet::network::NONE;
use crate::model::packet::simulator::Simulator;

/// Bytes to a LID that wait in a switch for one of its ports.
struct Waiting {
    out: u8,
    lid: u32,
    bytes: u64,
}

impl<A: Application> Simulator<'_, A> {
    /// Adjusts all switches.
    #[cold]
    pub(in crate::model::packet) fn adjust(&mut self) {
        let mut choice = std::mem::replace(&mut self.choice, Choice::Tables);
        if let Choice::Moves(moves) = &mut choice {
            let mut at = 0;
            while at < self.net.switch_ports as u32 {
                let ports = self.net.num_ports_of(at);
                self.adjust_switch(moves, at, ports);
                at += ports;
            }
            for (sent, out) in moves.sent.iter_mut().zip(&self.outputs) {
                *sent = out.bytes;
            }
            moves.next += moves.how.period;
        }
        self.choice = choice;
    }

    /// Moves LIDs of a switch; `first` is its port 0.
    fn adjust_switch(&mut self, moves: &mut Moves, first: u32, ports: u32) {
        let (congested, waiting) = self.congestion(moves.how, first, ports);
        if congested.is_empty() {
            return;
        }
        let mut loads = self.loads(moves, first);
        let mut group = Vec::new();
        for out in congested {
            let of_out = || waiting.iter().filter(|waiting| waiting.out == out);
            let total: u64 = of_out().map(|waiting| waiting.bytes).sum();
            let load = loads[usize::from(out)];
            for &Waiting { lid, bytes, .. } in of_out() {
                self.group_of(moves, first, lid, &mut group);
                if group.len() < 2 || !group.contains(&out) {
                    continue;
                }
                let share = (u128::from(load) * u128::from(bytes)).div_ceil(u128::from(total.max(1))) as u64;
                let before = loads[usize::from(out)];
                if moves.how.algorithm != Algorithm::Random {
                    group.retain(|&port| port != out && loads[usize::from(port)] + share < before);
                    self.least_loaded(moves.how, first + u32::from(out), &loads, &mut group);
                }
                if group.is_empty() {
                    continue;
                }
                let target = self.any_of(moves.how, &group);
                if target == out {
                    continue;
                }
                loads[usize::from(out)] = before.saturating_sub(share);
                loads[usize::from(target)] += share;
                self.move_lid(moves, first, lid, target);
            }
        }
    }

    /// Moves all LIDs away from a port of a switch, whose cable has failed.
    pub(super) fn move_away(&mut self, moves: &mut Moves, output: u32) {
        let (switch, lost) = (self.net.node(output), self.net.number(output));
        let first = output - u32::from(lost);
        let out_of = |lid: u32| moves.port(switch, lid).or_else(|| self.net.forward(first, lid));
        let lids = self.net.ends.iter().flat_map(|&end| self.net.routes.lids.range(PortId(end)));
        let lids: Vec<u32> = lids.filter(|&lid| out_of(lid) == Some(lost)).collect();
        let mut loads = self.loads(moves, first);
        let share = loads[usize::from(lost)] / (lids.len() as u64).max(1);
        let mut group = Vec::new();
        for lid in lids {
            self.group_of(moves, first, lid, &mut group);
            if moves.how.algorithm != Algorithm::Random {
                self.least_loaded(moves.how, output, &loads, &mut group);
            }
            if group.is_empty() {
                continue;
            }
            let target = self.any_of(moves.how, &group);
            loads[usize::from(target)] += share;
            self.move_lid(moves, first, lid, target);
        }
    }

    /// By port of a switch: bytes sent since the last adjustment and bytes waiting.
    fn loads(&self, moves: &Moves, first: u32) -> Vec<u64> {
        let load = |port: u32| {
            let out = &self.outputs[port as usize];
            out.bytes - moves.sent[port as usize] + out.waiting
        };
        (first..first + self.net.num_ports_of(first)).map(load).collect()
    }

    /// Keeps the ports of a group whose load counts as the least. `like` is any port of their speed.
    fn least_loaded(&self, how: OmniPath, like: u32, loads: &[u64], group: &mut Vec<u8>) {
        let load = |port: &u8| loads[usize::from(*port)];
        let Some(least) = group.iter().map(load).min() else { return };
        let near = (how.period as f64 / self.outputs[like as usize].ps_per_byte / 100.0) as u64;
        let most = if how.algorithm == Algorithm::Greedy { least } else { least + near };
        group.retain(|port| load(port) <= most);
    }

    /// The port of a group that the algorithm takes.
    fn any_of(&mut self, how: OmniPath, group: &[u8]) -> u8 {
        match how.algorithm {
            Algorithm::Greedy => group[0],
            Algorithm::Random | Algorithm::GreedyRandom => group[self.rng.below(group.len() as u32) as usize],
        }
    }

    /// Moves a LID of a switch to a port.
    fn move_lid(&self, moves: &mut Moves, first: u32, lid: u32, target: u8) {
        let key = (self.net.node(first), lid);
        moves.made = (moves.made.0 + 1, self.now);
        if self.net.forward(first, lid) == Some(target) {
            moves.moved.remove(&key);
        } else {
            moves.moved.insert(key, target);
        }
    }

    /// The ports of a switch's group for a LID that are as fast as the fastest of them.
    fn group_of(&self, moves: &Moves, first: u32, lid: u32, group: &mut Vec<u8>) {
        moves.groups.list(self.net.node(first), lid, group);
        let time = |&port: &u8| self.outputs[(first + u32::from(port)) as usize].ps_per_byte;
        let fastest = group.iter().map(time).fold(f64::INFINITY, f64::min);
        group.retain(|port| time(port) <= fastest);
    }

    /// The congested ports of a switch, and what waits in it, most first.
    fn congestion(&self, how: OmniPath, first: u32, ports: u32) -> (Vec<u8>, Vec<Waiting>) {
        let mut congested = FxHashSet::default();
        let mut all: FxHashMap<(u8, u32), u64> = FxHashMap::default();
        let mut by_out = vec![0_u64; ports as usize];
        let wire = u64::from(self.set.mtu + self.set.header);
        let room = self.set.buffer.map_or(u64::MAX, |room| u64::from(room) / wire * wire);
        for input in first..first + ports {
            let behind = self.net.peer(input);
            if behind == NONE {
                continue;
            }
            for lane in 0..self.num_lanes {
                by_out.fill(0);
                for queue in self.buffer(input, lane) {
                    let mut next = queue.first;
                    while next != NONE {
                        let packet = self.packets.get(next);
                        by_out[usize::from(packet.out)] += u64::from(packet.wire);
                        *all.entry((packet.out, packet.lid)).or_default() += u64::from(packet.wire);
                        next = packet.behind;
                    }
                }
                let link = self.link(behind, lane);
                let filled = self.set.buffer.map_or(0, u64::from) - self.lanes[link].known(self.now);
                let most = by_out.iter().copied().max().unwrap_or(0);
                if most > 0 && filled * 100 >= room.saturating_mul(how.percent()) {
                    let out = by_out.iter().position(|&bytes| bytes == most).unwrap_or(0);
                    congested.insert(out as u8);
                }
            }
        }
        let mut waiting: Vec<Waiting> =
            all.into_iter().map(|((out, lid), bytes)| Waiting { out, lid, bytes }).collect();
        waiting.sort_unstable_by_key(|waiting| (std::cmp::Reverse(waiting.bytes), waiting.lid, waiting.out));
        let mut congested: Vec<u8> = congested.into_iter().collect();
        congested.sort_unstable();
        (congested, waiting)
    }
}
