//! Applications: which host posts which message when.

use crate::ranks::Flow;
use crate::traffic::{Rng, Stripe};

/// A message that a host posts to one of its send queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Post {
    /// When (ps).
    pub at: u64,
    /// The send queue, whose messages are sent one after the other.
    pub queue: u32,
    /// The receiver, by index among the ends.
    pub to: u32,
    /// Payload.
    pub bytes: u64,
    /// Service level that the sender asks for; tables that assign service levels override it.
    pub sl: u8,
    /// For the application's own use.
    pub tag: u32,
}

/// In place of a send queue: nothing is sent, but [`Application::posted`] is called at the time.
pub const REMINDER: u32 = u32::MAX;

/// A message that has arrived whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrived {
    /// When its receiver knew (ps).
    pub at: u64,
    /// What was posted.
    pub post: Post,
}

/// An application that all hosts run. It learns of posts and arrivals, and posts messages.
pub trait Application {
    /// The sender of each send queue, by index among the ends. The queues of a host take turns, packet
    /// by packet.
    fn senders(&self) -> Vec<u32>;
    /// The beginning, at time 0.
    fn begin(&mut self, posts: &mut Vec<Post>);
    /// A message has been posted at its time.
    fn posted(&mut self, _post: &Post, _posts: &mut Vec<Post>) {}
    /// A message has arrived.
    fn arrived(&mut self, message: &Arrived, posts: &mut Vec<Post>);
    /// Whether the simulation may end. Asked after a message was posted or has arrived.
    fn is_over(&self) -> bool {
        false
    }
}

/// Streams that send windows of messages, as `osu_mbw_mr` does: the messages of a window at once, then a wait for a
/// short answer, then the next window. A stream is a flow, or several over which each of its messages is spread.
#[derive(Clone, Debug)]
pub struct Streams {
    /// The flows, stream by stream.
    flows: Vec<StreamFlow>,
    /// By stream: its first flow; last, the number of flows.
    first: Vec<u32>,
    windows: u32,
    answer: Option<u64>,
    /// By stream: windows begun, and messages of the present one that have arrived.
    state: Vec<(u32, u32)>,
    /// Streams all of whose windows have arrived.
    done: usize,
    /// By stream: messages that have arrived, and when the last of them did (ps).
    pub arrived: Vec<(u64, u64)>,
}

/// What a flow carries of each window of its stream.
#[derive(Clone, Copy, Debug)]
struct StreamFlow {
    flow: Flow,
    bytes: u64,
    count: u32,
}

impl Streams {
    /// `windows` windows of `window` messages of `bytes` bytes for each flow. `answer`: the size of the
    /// receiver's answer to a window; without one the next window begins when the last has arrived.
    pub fn new(flows: Vec<Flow>, bytes: u64, window: u32, windows: u32, answer: Option<u64>) -> Self {
        let first = (0..=flows.len() as u32).collect();
        let flows = flows.into_iter().map(|flow| StreamFlow { flow, bytes, count: window }).collect();
        Self::of(flows, first, windows, answer)
    }

    /// `windows` windows where messages are spread over several flows: those of one pair are a stream.
    pub fn striped(flows: &[Flow], stripes: &[Stripe], windows: u32, answer: Option<u64>) -> Self {
        let mut first: Vec<u32> = Vec::new();
        for (index, stripe) in (0..).zip(stripes) {
            if index == 0 || stripes[index as usize - 1].pair != stripe.pair {
                first.push(index);
            }
        }
        first.push(stripes.len() as u32);
        let one =
            |(&flow, stripe): (&Flow, &Stripe)| StreamFlow { flow, bytes: stripe.bytes, count: stripe.count };
        Self::of(flows.iter().zip(stripes).map(one).collect(), first, windows, answer)
    }

    fn of(flows: Vec<StreamFlow>, first: Vec<u32>, windows: u32, answer: Option<u64>) -> Self {
        let count = first.len() - 1;
        let (state, arrived) = (vec![(0, 0); count], vec![(0, 0); count]);
        Self { flows, first, windows, answer, state, done: 0, arrived }
    }

    /// Whether all windows of all streams have arrived.
    pub fn is_done(&self) -> bool {
        self.done == self.state.len()
    }

    /// Payload of each stream whose messages all arrived, and when the last did (ps).
    pub fn whole(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let windows = u64::from(self.windows);
        (0..self.state.len()).filter_map(move |stream| {
            let flows = self.of_stream(stream as u32);
            let messages: u64 = flows.iter().map(|f| u64::from(f.count)).sum();
            let bytes: u64 = flows.iter().map(|f| f.bytes * u64::from(f.count)).sum();
            let (arrived, at) = self.arrived[stream];
            (arrived == messages * windows).then_some((bytes * windows, at))
        })
    }

    fn of_stream(&self, stream: u32) -> &[StreamFlow] {
        &self.flows[self.first[stream as usize] as usize..self.first[stream as usize + 1] as usize]
    }

    fn open(&mut self, stream: u32, at: u64, posts: &mut Vec<Post>) {
        let state = &mut self.state[stream as usize];
        if state.0 == self.windows {
            self.done += 1;
            return;
        }
        *state = (state.0 + 1, 0);
        let first = self.first[stream as usize];
        for (queue, each) in (first..).zip(self.of_stream(stream)) {
            let post = Post { at, queue, to: each.flow.to, bytes: each.bytes, sl: 0, tag: stream };
            posts.extend(std::iter::repeat_n(post, each.count as usize));
        }
    }
}

impl Application for Streams {
    fn senders(&self) -> Vec<u32> {
        let forth = self.flows.iter().map(|each| each.flow.from);
        let firsts = self.first[..self.state.len()].iter().map(|&first| self.flows[first as usize].flow.to);
        let back = firsts.filter(|_| self.answer.is_some());
        forth.chain(back).collect()
    }

    fn begin(&mut self, posts: &mut Vec<Post>) {
        (0..self.state.len() as u32).for_each(|stream| self.open(stream, 0, posts));
    }

    fn arrived(&mut self, message: &Arrived, posts: &mut Vec<Post>) {
        let Arrived { at, post } = *message;
        let stream = post.tag;
        if post.queue >= self.flows.len() as u32 {
            self.open(stream, at, posts);
            return;
        }
        let arrived = &mut self.arrived[stream as usize];
        *arrived = (arrived.0 + 1, at);
        let window: u32 = self.of_stream(stream).iter().map(|each| each.count).sum();
        let state = &mut self.state[stream as usize];
        state.1 += 1;
        if state.1 == window {
            match self.answer {
                Some(bytes) => {
                    let queue = stream + self.flows.len() as u32;
                    let to = self.of_stream(stream)[0].flow.from;
                    posts.push(Post { at, queue, to, bytes, sl: 0, tag: stream });
                }
                None => self.open(stream, at, posts),
            }
        }
    }
}

/// Ping-pong: the sender of each flow sends a message, the receiver sends one back, and so on.
#[derive(Clone, Debug)]
pub struct PingPong {
    flows: Vec<Flow>,
    bytes: u64,
    /// By flow: messages still to be posted.
    left: Vec<u32>,
    /// By flow: messages that have not arrived, and when the last one that did arrived (ps).
    pub finished: Vec<(u32, u64)>,
    /// Messages that have not arrived.
    in_flight: u64,
}

impl PingPong {
    /// `rounds` messages of `bytes` bytes there and as many back, for each flow.
    pub fn new(flows: Vec<Flow>, bytes: u64, rounds: u32) -> Self {
        let left = vec![2 * rounds; flows.len()];
        let finished = vec![(2 * rounds, 0); flows.len()];
        let in_flight = 2 * u64::from(rounds) * flows.len() as u64;
        Self { flows, bytes, left, finished, in_flight }
    }

    /// Whether all messages have arrived.
    pub fn is_done(&self) -> bool {
        self.in_flight == 0
    }

    fn send(&mut self, queue: u32, at: u64, posts: &mut Vec<Post>) {
        let flow = queue as usize % self.flows.len();
        if self.left[flow] > 0 {
            self.left[flow] -= 1;
            let Flow { from, to } = self.flows[flow];
            let to = if queue as usize == flow { to } else { from };
            posts.push(Post { at, queue, to, bytes: self.bytes, sl: 0, tag: flow as u32 });
        }
    }
}

impl Application for PingPong {
    fn senders(&self) -> Vec<u32> {
        self.flows.iter().map(|f| f.from).chain(self.flows.iter().map(|f| f.to)).collect()
    }

    fn begin(&mut self, posts: &mut Vec<Post>) {
        (0..self.flows.len() as u32).for_each(|flow| self.send(flow, 0, posts));
    }

    fn arrived(&mut self, message: &Arrived, posts: &mut Vec<Post>) {
        let flows = self.flows.len() as u32;
        let (left, last) = &mut self.finished[message.post.tag as usize];
        (*left, *last) = (*left - 1, message.at);
        self.in_flight -= 1;
        self.send((message.post.queue + flows) % (2 * flows), message.at, posts);
    }
}

/// Open load: each host posts messages at random times, whether the network keeps up or not.
#[derive(Clone, Debug)]
pub struct Poisson {
    hosts: u32,
    to: Destinations,
    bytes: u64,
    /// Mean time between the messages of a host (ps).
    gap: f64,
    /// When posting ends (ps).
    until: u64,
    rng: Rng,
}

/// The receivers of an open load.
#[derive(Clone, Debug)]
pub enum Destinations {
    /// Any other host, each equally likely.
    Any,
    /// By sender, always the same.
    Fixed(Vec<u32>),
}

impl Poisson {
    /// Messages of `bytes` bytes, `gap` apart on average, posted before `until`, both in picoseconds.
    pub fn new(hosts: u32, to: Destinations, bytes: u64, gap: f64, until: u64, seed: u64) -> Self {
        Self { hosts, to, bytes, gap, until, rng: Rng::of_pattern(seed, 0) }
    }

    fn next(&mut self, from: u32, now: u64, posts: &mut Vec<Post>) {
        // 53 random bits, in (0, 1].
        let uniform = ((self.rng.next_u64() >> 11) + 1) as f64 / (1_u64 << 53) as f64;
        let at = now + (-self.gap * uniform.ln()).round() as u64;
        let to = match &self.to {
            Destinations::Any => (from + 1 + self.rng.below(self.hosts - 1)) % self.hosts,
            Destinations::Fixed(to) => to[from as usize],
        };
        if at < self.until && to != from {
            posts.push(Post { at, queue: from, to, bytes: self.bytes, sl: 0, tag: 0 });
        }
    }
}

impl Application for Poisson {
    fn senders(&self) -> Vec<u32> {
        (0..self.hosts).collect()
    }

    fn begin(&mut self, posts: &mut Vec<Post>) {
        (0..self.hosts).for_each(|host| self.next(host, 0, posts));
    }

    fn posted(&mut self, post: &Post, posts: &mut Vec<Post>) {
        self.next(post.queue, post.at, posts);
    }

    fn arrived(&mut self, _: &Arrived, _: &mut Vec<Post>) {}
}
