//! A simulation from its first event to its last.

use std::sync::atomic::{AtomicBool, Ordering};

use super::application::Application;
use super::calendar::Event;
use super::network::Network;
use super::outcome::{Ending, Outcome, PortUse};
use super::settings::Settings;
use super::simulator::Simulator;

/// Runs an application until nothing is left to do, or until `stop` is set.
pub fn simulate<A: Application>(
    net: &Network<'_>,
    set: &Settings,
    application: A,
    stop: &AtomicBool,
) -> Outcome<A> {
    let mut simulator = Simulator::new(net, set, application);
    let ending = simulator.run(stop);
    simulator.outcome(ending)
}

/// Events between two checks of `stop`.
const STRIDE: u64 = 1 << 16;

impl<A: Application> Simulator<'_, A> {
    fn run(&mut self, stop: &AtomicBool) -> Ending {
        let mut posts = Vec::new();
        self.enter_cuts();
        self.application.begin(&mut posts);
        self.posts = posts;
        self.take_posts();
        while let Some((time, event)) = self.next_event() {
            if time >= self.pause {
                if self.is_idle_cut(event) {
                    continue;
                }
                if self.pause(time) {
                    return Ending::Horizon;
                }
            }
            self.now = time;
            self.tally.events += 1;
            if self.act(event) {
                return Ending::Over;
            }
            if self.tally.events.is_multiple_of(STRIDE) {
                debug_assert!(self.is_conserved(), "packets or credits were lost");
                if stop.load(Ordering::Relaxed) {
                    return Ending::Stopped;
                }
                if let Some(stuck) = self.deadlock() {
                    return Ending::Deadlock(stuck);
                }
            }
        }
        debug_assert!(self.is_conserved(), "packets or credits were lost");
        let deadlock = self.deadlock();
        debug_assert!(deadlock.is_some() || self.packets.len() == 0, "packets were forgotten");
        deadlock.map_or(Ending::Done, Ending::Deadlock)
    }

    /// Handles an event. Returns whether the application is over.
    #[inline]
    pub(super) fn act(&mut self, event: Event) -> bool {
        match event {
            Event::Ready(packet) => self.ready(packet),
            Event::Sent(output) => self.sent(output),
            Event::Credit(output) => self.credit(output),
            Event::Host(host) => {
                self.hosts[host as usize].watched = false;
                self.try_host(host);
            }
            Event::Post(number) => {
                let post = self.to_post.remove(number);
                self.post(post);
                let mut posts = std::mem::take(&mut self.posts);
                self.application.posted(&post, &mut posts);
                self.posts = posts;
                self.take_posts();
                return self.application.is_over();
            }
            Event::Queue(message) => self.queue(message),
            Event::Slow(queue) => self.slow(queue),
            Event::Cut(number) => self.cut(number),
            Event::Arrive(message) => {
                self.arrive(message);
                return self.application.is_over();
            }
        }
        false
    }

    /// Does what is due by a time besides events. Returns whether the horizon is reached.
    #[cold]
    fn pause(&mut self, time: u64) -> bool {
        let mut due = self.choice.next().min(self.set.horizon);
        while time >= due {
            if due >= self.set.horizon {
                return true;
            }
            self.now = due;
            self.adjust();
            due = self.choice.next().min(self.set.horizon);
        }
        self.pause = due.min(self.next_cut());
        false
    }

    /// The next event and its time.
    #[inline]
    pub(super) fn next_event(&mut self) -> Option<(u64, Event)> {
        if let Some(next) = self.calendar.next() {
            return Some(next);
        }
        self.calendar.go_on()?;
        self.calendar.next()
    }

    /// Credits that an output waited for have come back.
    fn credit(&mut self, output: u32) {
        if self.net.is_switch(output) {
            self.try_output(output);
        } else {
            self.try_host(self.net.end[output as usize]);
        }
    }

    fn outcome(self, ending: Ending) -> Outcome<A> {
        let tally = self.tally;
        Outcome {
            application: self.application,
            time: tally.last_arrival,
            end: match ending {
                Ending::Horizon => self.set.horizon,
                _ => self.now.max(tally.last_discard),
            },
            ending,
            events: tally.events,
            posted: tally.posted,
            packets: tally.injected,
            delivered: tally.delivered,
            discarded: tally.discarded,
            payload: tally.payload,
            hops: tally.hops,
            latencies: tally.latencies,
            ports: self.outputs.iter().map(PortUse::of).collect(),
            waited: tally.waited,
            moved: self.choice.moved(),
            marked: self.throttling.as_ref().map_or(0, |throttling| throttling.marks),
            slots: self.slots,
        }
    }
}
