//! Deadlock: a cycle of full buffers, in which each waits for room in the next.

use super::application::Application;
use super::network::NONE;
use super::outcome::Stuck;
use super::simulator::Simulator;
use super::state::{Lane, Queue};

impl<A: Application> Simulator<'_, A> {
    /// A cycle of links, each of which waits for credits until the next has sent; none where every
    /// waiting link may still go on.
    pub(super) fn deadlock(&self) -> Option<Vec<Stuck>> {
        // A link is stuck while it waits for credits that nothing gives back yet. It may go on if any
        // packet in the buffer ahead, or on its way there, may leave. The packets on their way are found
        // only for links that the buffers leave stuck: there is rarely any.
        let mut stuck: Vec<bool> = self.lanes.iter().map(Lane::is_stuck).collect();
        for link in self.keep_stuck(&mut stuck) {
            stuck[link] = self.all_are_there(link);
        }
        let links = self.keep_stuck(&mut stuck);
        // Each stuck link leads to another, so following them ends in a cycle.
        let mut at = *links.first()?;
        let mut seen = vec![false; stuck.len()];
        while !std::mem::replace(&mut seen[at], true) {
            at = self.next_links(at).next()?;
        }
        let (first, mut cycle) = (at, Vec::new());
        loop {
            cycle.push(((at / self.num_lanes) as u32, (at % self.num_lanes) as u8));
            at = self.next_links(at).next()?;
            if at == first {
                return Some(cycle);
            }
        }
    }

    /// Keeps as stuck only the links whose buffers ahead want nothing but stuck links. Returns them.
    fn keep_stuck(&self, stuck: &mut [bool]) -> Vec<usize> {
        let mut links: Vec<usize> = (0..stuck.len()).filter(|&link| stuck[link]).collect();
        loop {
            let before = links.len();
            links.retain(|&link| {
                let mut ahead = self.next_links(link).peekable();
                stuck[link] = ahead.peek().is_some() && ahead.all(|next| stuck[next]);
                stuck[link]
            });
            if links.len() == before {
                return links;
            }
        }
    }

    /// Whether all packets that hold credits of a link have arrived in the buffer at its end.
    fn all_are_there(&self, link: usize) -> bool {
        let Some(room) = self.set.buffer else { return true };
        let mut there = 0;
        for queue in self.queues_ahead(link) {
            let mut next = queue.first;
            while next != NONE {
                let packet = self.packets.get(next);
                there += u64::from(packet.wire);
                next = packet.behind;
            }
        }
        there == u64::from(room) - self.lanes[link].total()
    }

    /// The links that the first packets of the queues at the end of a link want.
    fn next_links(&self, link: usize) -> impl Iterator<Item = usize> {
        let input = self.net.peer((link / self.num_lanes) as u32);
        self.queues_ahead(link).iter().filter(|queue| queue.first != NONE).map(move |queue| {
            let packet = self.packets.get(queue.first);
            let output = self.net.sibling(input, packet.out);
            self.link(output, usize::from(packet.next_lane))
        })
    }

    /// The queues of the buffer at the end of a link; none at a host.
    fn queues_ahead(&self, link: usize) -> &[Queue] {
        let input = self.net.peer((link / self.num_lanes) as u32);
        if input == NONE || !self.net.is_switch(input) {
            return &[];
        }
        self.buffer(input, link % self.num_lanes)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Network, Reads, Settings, Streams};
    use super::*;
    use crate::fabric::PortId;
    use crate::generate::generate;
    use crate::model::packet::Queueing;
    use crate::ranks::Flow;
    use crate::routing::{Options, route};
    use crate::sm::Engine;
    use crate::sm::lids::{LidOptions, Lids};
    use crate::traffic::Rng;

    /// A ring on one lane, whose buffers come to wait for each other. Packets are in flight for some packet times,
    /// so a ring of full buffers often has a packet in flight that will leave it.
    #[test]
    fn links_that_are_found_stuck_never_send_again_and_nothing_else_ends_with_packets_left() {
        let fabric = generate("ring:5").unwrap();
        let lids = Lids::assign(&fabric, Lids::default_sm(&fabric).unwrap(), &LidOptions::fresh()).unwrap();
        let routes = route(&fabric, lids, &[Engine::MinHop], &Options::default()).unwrap();
        let ends: Vec<PortId> = fabric.end_nodes().filter_map(|n| fabric.port(n, 1)).collect();
        let net = Network::new(&fabric, &routes, &ends);
        let hosts = ends.len() as u32;
        let mut dead = [0; 2];
        for seed in 0..200 {
            let mut rng = Rng::of_pattern(seed, 0);
            let (queueing, reads) =
                [(Queueing::Fifo, Reads::One), (Queueing::Virtual, Reads::Many)][seed as usize % 2];
            let set = Settings {
                queueing,
                reads,
                buffer: Some(4096 * (2 + rng.below(4))),
                cable_delay: u64::from(rng.below(4)) * 1_000_000,
                ..Settings::default()
            };
            // Most hosts send two switches on, which fills the ring, and some anywhere.
            let mut flows: Vec<Flow> = Vec::new();
            for from in 0..hosts {
                if rng.below(8) > 0 {
                    flows.push(Flow { from, to: (from + 2) % hosts });
                }
                flows.push(Flow { from, to: (from + 1 + rng.below(hosts - 1)) % hosts });
            }
            let application = Streams::new(flows, 40 * 4096, 1, 1, None);
            let mut simulator = Simulator::new(&net, &set, application);
            let mut posts = Vec::new();
            simulator.application.begin(&mut posts);
            simulator.posts = posts;
            simulator.take_posts();
            // What the links of the cycle had sent when they were first found stuck.
            let mut stuck: Option<Vec<(usize, u64)>> = None;
            while let Some((time, event)) = simulator.next_event() {
                simulator.now = time;
                simulator.act(event);
                if stuck.is_none() {
                    let sent = |(port, _): Stuck| (port as usize, simulator.outputs[port as usize].bytes);
                    stuck = simulator.deadlock().map(|cycle| cycle.into_iter().map(sent).collect());
                }
            }
            for &(port, sent) in stuck.iter().flatten() {
                assert_eq!(simulator.outputs[port].bytes, sent, "seed {seed}: port {port} went on");
            }
            assert_eq!(stuck.is_some(), simulator.packets.len() > 0, "seed {seed}");
            dead[usize::from(stuck.is_some())] += 1;
        }
        assert!(dead.iter().all(|&count| count > 20), "{dead:?}");
    }
}
