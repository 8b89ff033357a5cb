//! What the hosts want: which host posts which message when.

use crate::traffic::{Flow, Rng};

/// A message that a host posts to one of its send queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Post {
    /// When (ps).
    pub at: u64,
    /// The send queue, whose messages are sent one after the other.
    pub queue: u32,
    /// The receiver, by place among the ends.
    pub to: u32,
    /// Payload.
    pub bytes: u64,
    /// Service level that the sender asks for; tables with lanes of their own decide it themselves.
    pub sl: u8,
    /// For the program's own use.
    pub tag: u32,
}

/// In place of a send queue: nothing is sent, but [`Program::posted`] is called at the time.
pub const REMINDER: u32 = u32::MAX;

/// A message that has arrived whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrived {
    /// When its receiver knew (ps).
    pub at: u64,
    /// What was posted.
    pub post: Post,
}

/// A program that all hosts run. It is told what happens and posts messages.
pub trait Program {
    /// The sender of each send queue, by place among the ends. The queues of a host take turns, packet
    /// by packet.
    fn senders(&self) -> Vec<u32>;
    /// The beginning, at time 0.
    fn begin(&mut self, posts: &mut Vec<Post>);
    /// A message has been posted at its time.
    fn posted(&mut self, _post: &Post, _posts: &mut Vec<Post>) {}
    /// A message has arrived.
    fn arrived(&mut self, message: &Arrived, posts: &mut Vec<Post>);
    /// Whether the rest need not be looked at. Asked after a message has arrived.
    fn is_over(&self) -> bool {
        false
    }
}

/// Streams: each flow sends messages one after the other, as `osu_mbw_mr` does: a window of them at
/// once, then waits for a short answer, then the next window.
#[derive(Clone, Debug)]
pub struct Streams {
    flows: Vec<Flow>,
    bytes: u64,
    windows: u32,
    window: u32,
    answer: Option<u64>,
    /// By flow: windows begun, and messages of the present one that have arrived.
    state: Vec<(u32, u32)>,
    /// Flows all of whose windows are through.
    through: usize,
    /// By flow: messages that have arrived, and when the last of them did, in picoseconds.
    pub arrived: Vec<(u64, u64)>,
}

impl Streams {
    /// `windows` windows of `window` messages of `bytes` bytes for each flow. `answer`: the size of the
    /// receiver's answer to a window; without one the next window begins as the last has arrived.
    pub fn new(flows: Vec<Flow>, bytes: u64, window: u32, windows: u32, answer: Option<u64>) -> Self {
        let (state, arrived) = (vec![(0, 0); flows.len()], vec![(0, 0); flows.len()]);
        Self { flows, bytes, windows, window, answer, state, through: 0, arrived }
    }

    /// Whether all windows of all flows are through.
    pub fn is_done(&self) -> bool {
        self.through == self.flows.len()
    }

    fn open(&mut self, flow: u32, at: u64, posts: &mut Vec<Post>) {
        let state = &mut self.state[flow as usize];
        if state.0 == self.windows {
            self.through += 1;
            return;
        }
        *state = (state.0 + 1, 0);
        let to = self.flows[flow as usize].to;
        let post = Post { at, queue: flow, to, bytes: self.bytes, sl: 0, tag: flow };
        posts.extend(std::iter::repeat_n(post, self.window as usize));
    }
}

impl Program for Streams {
    fn senders(&self) -> Vec<u32> {
        let forth = self.flows.iter().map(|flow| flow.from);
        let back = self.flows.iter().map(|flow| flow.to).filter(|_| self.answer.is_some());
        forth.chain(back).collect()
    }

    fn begin(&mut self, posts: &mut Vec<Post>) {
        (0..self.flows.len() as u32).for_each(|flow| self.open(flow, 0, posts));
    }

    fn arrived(&mut self, message: &Arrived, posts: &mut Vec<Post>) {
        let Arrived { at, post } = *message;
        let flow = post.tag;
        if post.queue >= self.flows.len() as u32 {
            self.open(flow, at, posts);
            return;
        }
        let arrived = &mut self.arrived[flow as usize];
        *arrived = (arrived.0 + 1, at);
        let state = &mut self.state[flow as usize];
        state.1 += 1;
        if state.1 == self.window {
            match self.answer {
                Some(bytes) => {
                    let (queue, to) = (flow + self.flows.len() as u32, self.flows[flow as usize].from);
                    posts.push(Post { at, queue, to, bytes, sl: 0, tag: flow });
                }
                None => self.open(flow, at, posts),
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
    /// By flow: messages that have not arrived, and when the last did, in picoseconds.
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

impl Program for PingPong {
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

/// Open load: each host posts messages at random times, to a receiver drawn for each message,
/// whether the network keeps up or not.
#[derive(Clone, Debug)]
pub struct Poisson {
    hosts: u32,
    to: Destinations,
    bytes: u64,
    /// Mean time between the messages of a host (ps).
    gap: f64,
    /// No message is posted from then on (ps).
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

impl Program for Poisson {
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
