//! An application whose messages are posted at given times.

use lacis_core::model::packet::{Application, Arrived, Post};
use lacis_core::ranks::Flow;

/// So many messages of a size at a service level, posted at given times, by flow.
#[derive(Clone)]
pub struct Timed {
    flows: Vec<(Flow, u64, u8, Vec<u64>)>,
    /// By flow: payload that has arrived, times of the messages, and the last arrival.
    pub got: Vec<(u64, Vec<u64>, u64)>,
}

impl Timed {
    pub fn new(flows: Vec<(Flow, u64, u8, Vec<u64>)>) -> Self {
        let got = vec![(0, Vec::new(), 0); flows.len()];
        Self { flows, got }
    }
}

impl Application for Timed {
    fn senders(&self) -> Vec<u32> {
        self.flows.iter().map(|(flow, ..)| flow.from).collect()
    }

    fn begin(&mut self, posts: &mut Vec<Post>) {
        for (queue, (flow, bytes, sl, times)) in (0..).zip(&self.flows) {
            let post = |&at| Post { at, queue, to: flow.to, bytes: *bytes, sl: *sl, tag: queue };
            posts.extend(times.iter().map(post));
        }
    }

    fn arrived(&mut self, message: &Arrived, _: &mut Vec<Post>) {
        let got = &mut self.got[message.post.tag as usize];
        got.0 += message.post.bytes;
        got.1.push(message.at - message.post.at);
        got.2 = message.at;
    }
}

pub fn flow(from: u32, to: u32) -> Flow {
    Flow { from, to }
}
