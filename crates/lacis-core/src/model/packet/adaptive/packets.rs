//! Packet by packet: a switch chooses among the ports that begin a shortest path.
//!
//! As in InfiniBand with adaptive routing and Ultra Ethernet, each packet takes the port at which it
//! would wait least, among all or among two drawn at random (M. Mitzenmacher, "The power of two
//! choices in randomized load balancing", IEEE TPDS 12(10), 2001). Ties are broken at random: a switch
//! that took the first would fill its first port. Packets may overtake one another; a message has
//! arrived when all of its bytes have.

use super::choice::Choice;
use crate::model::packet::application::Application;
use crate::model::packet::settings::Adaptive;
use crate::model::packet::simulator::Simulator;

impl<A: Application> Simulator<'_, A> {
    /// The number of the port at which a packet would wait least.
    pub(super) fn least_waiting(&mut self, input: u32, lid: u32) -> Option<u8> {
        let Self { net, choice, outputs, rng, now, set, candidates, .. } = self;
        let Choice::Packets(groups) = choice else { return None };
        groups.list(net.node(input), lid, candidates);
        if candidates.is_empty() {
            return None;
        }
        if set.adaptive == Adaptive::TwoChoices && candidates.len() > 2 {
            let first = rng.below(candidates.len() as u32) as usize;
            candidates.swap(0, first);
            let second = 1 + rng.below(candidates.len() as u32 - 1) as usize;
            candidates.swap(1, second);
            candidates.truncate(2);
        }
        let wait = |number: u8| {
            let out = &outputs[net.sibling(input, number) as usize];
            out.busy_until.saturating_sub(*now) + (out.waiting as f64 * out.ps_per_byte) as u64
        };
        let (mut least, mut ties) = (u64::MAX, 0);
        for i in 0..candidates.len() {
            let number = candidates[i];
            let wait = wait(number);
            if wait < least {
                (least, ties) = (wait, 0);
            }
            if wait == least {
                candidates[ties] = number;
                ties += 1;
            }
        }
        candidates.truncate(ties);
        candidates.get(rng.below(candidates.len() as u32) as usize).copied()
    }
}
