//! Host ports: messages become packets, packets become messages.

use super::adaptive::choice::Choice;
use super::application::{Application, Arrived, Post};
use super::calendar::Event;
use super::network::{Exits, NONE};
use super::simulator::Simulator;
use super::state::{MessageState, Packet, Queue};
use crate::fabric::PortId;
use crate::ranks::Flow;

impl<A: Application> Simulator<'_, A> {
    /// Posts what an application wants to post; what is due later becomes an event.
    pub(super) fn take_posts(&mut self) {
        let mut posts = std::mem::take(&mut self.posts);
        // An application may post more on hearing that something was posted.
        let mut next = 0;
        while next < posts.len() {
            let post = posts[next];
            next += 1;
            if post.at > self.now {
                let number = self.to_post.add(post);
                self.calendar.enter(post.at, Event::Post(number));
            } else {
                self.post(post);
                self.application.posted(&post, &mut posts);
            }
        }
        posts.clear();
        self.posts = posts;
    }

    /// A message is posted now.
    pub(super) fn post(&mut self, post: Post) {
        let Some(&sender) = self.senders.get(post.queue as usize) else { return }; // a reminder
        let (lid, sl, lane) = self.path(sender, post.to, post.sl);
        let exits = match self.choice {
            Choice::Tables if self.down.is_empty() => self.net.exits(self.net.ends[sender as usize], lid),
            _ => Exits::default(),
        };
        let message = MessageState {
            post,
            to_send: post.bytes,
            to_receive: post.bytes,
            behind: NONE,
            lid,
            sl,
            lane,
            exits,
        };
        self.tally.posted += 1;
        let number = self.messages.add(message);
        if self.set.send_overhead > 0 {
            self.calendar.enter(self.now + self.set.send_overhead, Event::Queue(number));
        } else {
            self.queue(number);
        }
    }

    /// The LID, service level and first lane of a message between ends.
    fn path(&mut self, sender: u32, receiver: u32, asked: u8) -> (u32, u8, u8) {
        let [from, to] = [sender, receiver].map(|end| PortId(self.net.ends[end as usize]));
        let lids = &self.net.routes.lids;
        let mut lid = lids.base(to);
        let multipath = self.set.multipath;
        if multipath.needs_lmc() {
            let messages = &mut self.hosts[sender as usize].messages;
            let choice = multipath.choice(Flow { from: sender, to: receiver }, *messages);
            *messages = messages.wrapping_add(1);
            lid += choice & ((1 << lids.lmc(to)) - 1);
        }
        let sl = match (&self.net.routes.lanes, self.net.fabric.edge_switch(from)) {
            (Some(lanes), Some(edge_switch)) => {
                let sl = lanes.sl(edge_switch, lid);
                return (lid, sl, sl % self.num_lanes as u8);
            }
            _ => asked,
        };
        (lid, sl, self.set.lanes.lane(sl) % self.num_lanes as u8)
    }

    /// A message joins its send queue.
    pub(super) fn queue(&mut self, number: u32) {
        let message = *self.messages.get(number);
        let queue = message.post.queue as usize;
        let Queue { first, last } = self.send_queues[queue];
        if first != NONE {
            self.messages.get_mut(last).behind = number;
            self.send_queues[queue].last = number;
            return;
        }
        self.send_queues[queue] = Queue { first: number, last: number };
        let host = self.senders[queue];
        self.hosts[host as usize].turns[usize::from(message.lane)].push_back(queue as u32);
        self.try_host(host);
    }

    /// Sends a host's next packet, if its link and its adapter are free and there are credits.
    pub(super) fn try_host(&mut self, host: u32) {
        let output = self.net.ends[host as usize];
        if self.preempts() {
            self.interrupt(output);
        }
        let (sending, out) = (&mut self.hosts[host as usize], &mut self.outputs[output as usize]);
        if sending.watched {
            return;
        }
        let free_at = sending.free_at.max(out.busy_until);
        if free_at > self.now {
            sending.watched = true;
            self.calendar.enter(free_at, Event::Host(host));
            return;
        }
        let last_lane = usize::from(sending.last_lane);
        if self.arbitrates() {
            self.arbitrate(output, false);
            return;
        }
        let (mut lane, mut starved) = (last_lane, false);
        for _ in 0..self.num_lanes {
            lane = if lane + 1 < self.num_lanes { lane + 1 } else { 0 };
            if self.try_host_lane(host, lane, &mut starved).is_some() {
                return;
            }
        }
    }

    /// Sends a host's next packet on a lane and returns its length, or sets `starved` where it waits for credits.
    #[inline]
    pub(super) fn try_host_lane(&mut self, host: u32, lane: usize, starved: &mut bool) -> Option<u16> {
        let output = self.net.ends[host as usize];
        if self.throttles() && !self.pick(host, lane) {
            return None;
        }
        let &queue = self.hosts[host as usize].turns[lane].front()?;
        let number = self.send_queues[queue as usize].first;
        let message = self.messages.get(number);
        let payload = message.to_send.min(u64::from(self.set.mtu)) as u16;
        let wire = payload + self.set.header as u16;
        let index = self.link(output, lane);
        let link = &mut self.lanes[index];
        if !link.suffice(wire, self.now) {
            *starved = true;
            self.wait_for(output, lane, wire);
            let out = &mut self.outputs[output as usize];
            out.starved = out.starved.min(self.now);
            return None;
        }
        link.take(wire);
        self.inject(host, lane as u8, number, payload, wire);
        Some(wire)
    }

    /// Sends a packet of a message.
    fn inject(&mut self, host: u32, lane: u8, number: u32, payload: u16, wire: u16) {
        let now = self.now;
        let output = self.net.ends[host as usize];
        let message = self.messages.get_mut(number);
        message.to_send -= u64::from(payload);
        let message = *message;
        let sending = &mut self.hosts[host as usize];
        sending.last_lane = lane;
        let turns = &mut sending.turns[usize::from(lane)];
        if message.to_send == 0 {
            turns.pop_front();
            let queue = &mut self.send_queues[message.post.queue as usize];
            queue.first = message.behind;
            if message.behind != NONE {
                let next = self.messages.get(message.behind);
                sending.turns[usize::from(next.lane)].push_back(message.post.queue);
            }
        } else if turns.len() > 1 {
            turns.rotate_left(1);
        }
        let out = &mut self.outputs[output as usize];
        let time = out.time_of(wire);
        let until = now + time;
        let packet = Packet {
            ready: now,
            message: number,
            behind: NONE,
            lid: message.lid,
            wire,
            payload,
            next_lane: lane,
            sl: message.sl,
            exits: message.exits,
            ..Packet::default()
        };
        self.tally.sent(now, &packet, now, out);
        self.tally.injected += 1;
        out.starved = u64::MAX;
        out.busy_until = until;
        // A slow adapter leaves gaps between packets.
        let slow = self.set.at_host(time);
        let gap = if message.to_send == 0 { self.set.message_gap } else { 0 };
        let waits = sending.turns.iter().any(|turns| !turns.is_empty());
        sending.free_at = now + slow.max(gap);
        if waits && !sending.watched {
            sending.watched = true;
            self.calendar.enter(sending.free_at.max(until), Event::Host(host));
        }
        let id = self.packets.add(packet);
        if self.preempts() {
            self.take_off(id, NONE, output, until);
        }
        if self.throttles() {
            self.hold(id, message.post.queue, time);
        }
        self.send(id, output, until);
    }

    /// A packet comes to its receiver, its header and its tail at these times.
    #[inline(never)]
    pub(super) fn receive(&mut self, id: u32, header: u64, tail: u64) {
        let packet = self.packets.remove(id);
        let input = packet.at;
        let host = self.net.end[input as usize];
        if host == NONE {
            self.tally.discarded += 1;
            return;
        }
        let behind = self.net.peer(input);
        let time = self.outputs[behind as usize].time_of(packet.wire);
        let receiving = &mut self.hosts[host as usize];
        let slow = self.set.at_host(time);
        receiving.drained_at = (receiving.drained_at.max(header) + slow).max(tail);
        let mut drained_at = receiving.drained_at;
        if self.preemption.as_ref().is_some_and(|preemption| preemption.interrupts(packet.lane)) {
            drained_at = (header + slow).max(tail);
        }
        self.give_back(behind, packet.lane, packet.wire, drained_at);
        if self.throttles() {
            self.answer_mark(id, packet.message, packet.hops, drained_at);
        }
        self.tally.delivered += 1;
        self.tally.payload += u64::from(packet.payload);
        let message = self.messages.get_mut(packet.message);
        message.to_receive -= u64::from(packet.payload);
        if message.to_receive == 0 {
            self.calendar.enter(drained_at + self.set.receive_overhead, Event::Arrive(packet.message));
        }
    }

    /// A receiver knows that a message has arrived.
    pub(super) fn arrive(&mut self, number: u32) {
        if let Some(time) = self.late(number) {
            self.calendar.enter(time, Event::Arrive(number));
            return;
        }
        let message = self.messages.remove(number);
        let arrived = Arrived { at: self.now, post: message.post };
        self.tally.arrived(&arrived);
        let mut posts = std::mem::take(&mut self.posts);
        self.application.arrived(&arrived, &mut posts);
        self.posts = posts;
        self.take_posts();
    }
}
