//! Several applications on one fabric, each with its own send queues and results.

use super::application::{Application, Arrived, PingPong, Poisson, Post, REMINDER, Streams};
use super::outcome::Latencies;
use super::program::ProgramRun;

/// What a member of a mix does.
#[derive(Debug)]
pub enum Work<'a> {
    /// Windows or bursts of messages.
    Streams(Streams),
    /// Messages there and back.
    PingPong(PingPong),
    /// An open load.
    Poisson(Poisson),
    /// The phases of a message program.
    Program(Box<ProgramRun<'a>>),
}

/// One application of a mix.
#[derive(Debug)]
pub struct Member<'a> {
    /// The application.
    pub work: Work<'a>,
    /// By index among the ports that the application knows, the index among the network's ends.
    pub ends: Vec<u32>,
    /// The service level that its messages ask for.
    pub sl: u8,
    /// Times of all its messages from posting to arrival.
    pub latencies: Latencies,
    /// When its last message arrived (ps).
    pub time: u64,
    /// Payload that arrived.
    pub payload: u64,
    /// Its first send queue.
    first: u32,
    is_done: bool,
}

/// A message that has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// The index of its member.
    pub work: u32,
    /// The phase of a message program; otherwise 0.
    pub phase: u32,
    /// The sender: a rank of a message program; otherwise an index among the network's ends.
    pub from: u32,
    /// The receiver, likewise.
    pub to: u32,
    /// Payload.
    pub bytes: u64,
    /// When it was posted (ps).
    pub posted: u64,
    /// When its receiver knew of it (ps).
    pub arrived: u64,
}

/// Applications side by side.
///
/// Open loads last for their duration, or until the other applications are done.
#[derive(Debug)]
pub struct Mix<'a> {
    /// The applications.
    pub members: Vec<Member<'a>>,
    /// By send queue, member by member: its sender, by index among the network's ends.
    senders: Vec<u32>,
    /// Members that are no open load and not done.
    busy: usize,
    has_loads: bool,
    /// Every message that arrived, if that was asked for.
    pub records: Option<Vec<Record>>,
}

impl<'a> Member<'a> {
    /// An application that knows the ports with these indices among the network's ends.
    pub fn new(work: Work<'a>, ends: Vec<u32>, sl: u8) -> Self {
        let latencies = Latencies::default();
        Self { work, ends, sl, latencies, time: 0, payload: 0, first: 0, is_done: false }
    }

    fn application(&mut self) -> &mut dyn Application {
        match &mut self.work {
            Work::Streams(it) => it,
            Work::PingPong(it) => it,
            Work::Poisson(it) => it,
            Work::Program(it) => &mut **it,
        }
    }

    /// Whether it will post no more; never so for an open load.
    pub fn is_done(&self) -> bool {
        match &self.work {
            Work::Streams(it) => it.is_done(),
            Work::PingPong(it) => it.is_done(),
            Work::Poisson(_) => false,
            Work::Program(it) => it.is_done(),
        }
    }
}

impl<'a> Mix<'a> {
    /// Applications side by side; `record` keeps a record of every message.
    pub fn new(mut members: Vec<Member<'a>>, record: bool) -> Self {
        let mut senders = Vec::new();
        for member in &mut members {
            member.first = senders.len() as u32;
            let own = member.application().senders();
            senders.extend(own.iter().map(|&port| member.ends[port as usize]));
        }
        let is_load = |member: &Member<'_>| matches!(member.work, Work::Poisson(_));
        let has_loads = members.iter().any(is_load);
        let busy = members.iter().filter(|member| !is_load(member)).count();
        Self { members, senders, busy, has_loads, records: record.then(Vec::new) }
    }

    /// Lets a member's application act, and renumbers the queues and ends of what it posts for the mix.
    fn let_act(
        &mut self,
        number: usize,
        posts: &mut Vec<Post>,
        act: impl FnOnce(&mut dyn Application, &mut Vec<Post>),
    ) {
        let before = posts.len();
        let queues = self.senders.len() as u32;
        let member = &mut self.members[number];
        act(member.application(), posts);
        for post in &mut posts[before..] {
            if post.queue == REMINDER {
                post.queue = queues + number as u32;
            } else {
                post.queue += member.first;
                post.to = member.ends[post.to as usize];
                // Messages of a program may have their own service levels.
                post.sl = if let Work::Program(_) = member.work { post.sl } else { member.sl };
            }
        }
        if !member.is_done && member.is_done() {
            member.is_done = true;
            self.busy -= 1;
        }
    }

    /// The member that a queue belongs to, and the queue's number there.
    fn owner(&self, queue: u32) -> (usize, u32) {
        let queues = self.senders.len() as u32;
        if queue >= queues {
            return ((queue - queues) as usize, REMINDER);
        }
        let number = self.members.partition_point(|member| member.first <= queue) - 1;
        (number, queue - self.members[number].first)
    }

    /// Notes that a message has arrived.
    fn note(&mut self, number: usize, at: u64, post: &Post) {
        let member = &mut self.members[number];
        let mut record = Record {
            work: number as u32,
            phase: 0,
            from: 0,
            to: post.to,
            bytes: post.bytes,
            posted: post.at,
            arrived: at,
        };
        if let Work::Program(program) = &member.work {
            let sent = program.sent(post.tag);
            (record.phase, record.from, record.to) = (sent.phase, sent.from, sent.to);
            record.posted = sent.posted;
        } else {
            record.from = self.senders[post.queue as usize];
        }
        member.latencies.add(at - record.posted);
        member.time = at;
        member.payload += post.bytes;
        if let Some(records) = &mut self.records {
            records.push(record);
        }
    }
}

impl Application for Mix<'_> {
    fn senders(&self) -> Vec<u32> {
        self.senders.clone()
    }

    fn begin(&mut self, posts: &mut Vec<Post>) {
        (0..self.members.len()).for_each(|number| self.let_act(number, posts, |it, posts| it.begin(posts)));
    }

    fn posted(&mut self, post: &Post, posts: &mut Vec<Post>) {
        let (number, queue) = self.owner(post.queue);
        if queue == REMINDER {
            self.note(number, post.at, post);
        }
        let own = Post { queue, ..*post };
        self.let_act(number, posts, |it, posts| it.posted(&own, posts));
    }

    fn arrived(&mut self, message: &Arrived, posts: &mut Vec<Post>) {
        let (number, queue) = self.owner(message.post.queue);
        self.note(number, message.at, &message.post);
        let own = Arrived { post: Post { queue, ..message.post }, ..*message };
        self.let_act(number, posts, |it, posts| it.arrived(&own, posts));
    }

    fn is_over(&self) -> bool {
        self.has_loads && self.busy == 0 && self.members.iter().any(|member| member.is_done)
    }
}
