//! The result of a simulation.

use super::application::Arrived;
use super::state::{Output, Packet};
use super::utilisation::Slots;

/// A link of a cycle: its egress port (the fabric's number), and the lane.
pub type Stuck = (u32, u8);

/// How a simulation ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All messages have arrived, except those of discarded packets.
    Done,
    /// The horizon was reached.
    Horizon,
    /// The application needed no more.
    Over,
    /// The caller stopped it.
    Stopped,
    /// Nothing can move: the cycle of links that wait for each other's buffers.
    Deadlock(Vec<Stuck>),
}

/// What an output sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortUse {
    /// Time spent sending (ps).
    pub busy: u64,
    /// Time with a packet to send, but no credits (ps).
    pub starved: u64,
    /// Bytes sent, headers included.
    pub bytes: u64,
}

impl PortUse {
    pub(super) fn of(output: &Output) -> Self {
        let busy = (output.bytes as f64 * output.ps_per_byte + 0.5) as u64;
        Self { busy, starved: output.starving, bytes: output.bytes }
    }
}

/// A histogram of the times of messages from posting to arrival, in classes at most 1/128 of the time wide.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Latencies {
    /// By class.
    counts: Vec<u64>,
    /// How many messages.
    pub count: u64,
    /// The sum (ps).
    pub sum: u128,
    /// The least and the greatest (ps).
    pub range: Option<(u64, u64)>,
}

/// Classes of each factor of two.
const CLASSES: u64 = 128;

impl Latencies {
    /// Memory of a histogram of times up to a second [bytes].
    pub(super) const USUAL: usize = 34 * CLASSES as usize * size_of::<u64>();

    pub(super) fn add(&mut self, time: u64) {
        let class = class_of(time);
        if self.counts.len() <= class {
            self.counts.resize(class + 1, 0);
        }
        self.counts[class] += 1;
        self.count += 1;
        self.sum += u128::from(time);
        let (least, most) = self.range.unwrap_or((time, time));
        self.range = Some((least.min(time), most.max(time)));
    }

    /// Adds the times of another.
    pub fn merge(&mut self, other: &Self) {
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        self.counts.iter_mut().zip(&other.counts).for_each(|(sum, count)| *sum += count);
        self.count += other.count;
        self.sum += other.sum;
        self.range = match (self.range, other.range) {
            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
            (a, b) => a.or(b),
        };
    }

    /// The mean (ps); not a number where there is none.
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.count as f64
    }

    /// The quantile `q`, 0 to 1, of the times (ps), exact to 1/128.
    pub fn quantile(&self, q: f64) -> Option<u64> {
        let (_, most) = self.range?;
        let wanted = ((q * self.count as f64).ceil() as u64).clamp(1, self.count);
        let mut seen = 0;
        let class = self.counts.iter().position(|&count| {
            seen += count;
            seen >= wanted
        })?;
        Some(last_of(class).min(most))
    }
}

/// Times below [`CLASSES`] have a class each; above, each factor of two is divided into so many classes.
fn class_of(time: u64) -> usize {
    let exponent = u64::from((time / CLASSES).checked_ilog2().map_or(0, |e| e + 1));
    let shift = exponent.saturating_sub(1);
    (exponent.min(1) * CLASSES + shift * CLASSES + ((time >> shift) - exponent.min(1) * CLASSES)) as usize
}

/// The greatest time of a class.
fn last_of(class: usize) -> u64 {
    let class = class as u64;
    if class < CLASSES {
        return class;
    }
    let shift = class / CLASSES - 1;
    ((class % CLASSES + CLASSES + 1) << shift) - 1
}

/// What is counted while a simulation runs.
#[derive(Debug)]
pub(super) struct PacketCounters {
    pub events: u64,
    pub posted: u64,
    pub injected: u64,
    pub delivered: u64,
    pub discarded: u64,
    /// When the tail of the last discarded packet would have been there (ps).
    pub last_discard: u64,
    pub payload: u64,
    /// Packets sent by switches and hosts.
    pub hops: u64,
    pub latencies: Latencies,
    pub last_arrival: u64,
    pub waited: Waits,
}

/// How long packets waited in switches in all, by cause (ps).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waits {
    /// For other packets before them in the same queue.
    pub behind_others: u64,
    /// For credits.
    pub for_credits: u64,
    /// For an output or an input that was busy.
    pub for_turn: u64,
}

impl PacketCounters {
    pub(super) fn new() -> Self {
        Self {
            events: 0,
            posted: 0,
            injected: 0,
            delivered: 0,
            discarded: 0,
            last_discard: 0,
            payload: 0,
            hops: 0,
            latencies: Latencies::default(),
            last_arrival: 0,
            waited: Waits::default(),
        }
    }

    /// An output sends a packet that has been the first of its queue since `since`.
    #[inline]
    pub(super) fn sent(&mut self, now: u64, packet: &Packet, since: u64, out: &mut Output) {
        self.hops += 1;
        out.bytes += u64::from(packet.wire);
        if now > packet.ready || out.starved < now {
            out.starving += now.saturating_sub(out.starved);
            let for_credits = now.saturating_sub(out.starved.max(since));
            self.waited.behind_others += since - packet.ready.min(since);
            self.waited.for_credits += for_credits;
            self.waited.for_turn += now - since - for_credits;
        }
    }

    pub(super) fn arrived(&mut self, message: &Arrived) {
        self.latencies.add(message.at - message.post.at);
        self.last_arrival = message.at;
    }
}

/// The result of a simulation.
#[derive(Clone, Debug)]
pub struct Outcome<A> {
    /// The application, with what it has kept.
    pub application: A,
    /// How it ended.
    pub ending: Ending,
    /// When the last message arrived (ps).
    pub time: u64,
    /// When the simulation ended (ps).
    pub end: u64,
    /// Events of the simulation.
    pub events: u64,
    /// Messages posted.
    pub posted: u64,
    /// Packets sent by hosts.
    pub packets: u64,
    /// Packets that arrived.
    pub delivered: u64,
    /// Packets thrown away: no entry in a table, a port whose cable has failed, or the hop limit.
    pub discarded: u64,
    /// Payload that arrived.
    pub payload: u64,
    /// Packets sent by hosts and switches: links crossed.
    pub hops: u64,
    /// Times of the messages that arrived.
    pub latencies: Latencies,
    /// By port.
    pub ports: Vec<PortUse>,
    /// Waiting in switches.
    pub waited: Waits,
    /// How often switches moved a LID to another port, and when they last did (ps).
    pub moved: (u64, u64),
    /// Packets marked by congestion control.
    pub marked: u64,
    /// How busy ports were over time, where that was asked for.
    pub slots: Option<Slots>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_latencies_follow_one_another_and_are_narrow() {
        let mut last = None;
        for class in 0..3000 {
            let greatest = last_of(class);
            assert_eq!(class_of(greatest), class);
            if let Some(last) = last {
                assert_eq!(class_of(last + 1), class);
                assert!((greatest - last) * CLASSES <= greatest.max(CLASSES));
            }
            last = Some(greatest);
        }
    }

    /// Times of many sizes, the same for a seed.
    fn times(seed: u64, count: u32) -> Vec<u64> {
        let mut rng = crate::traffic::Rng::of_pattern(seed, 0);
        (0..count).map(|_| rng.next_u64() >> (24 + rng.below(40))).collect()
    }

    fn of(times: &[u64]) -> Latencies {
        let mut all = Latencies::default();
        for &time in times {
            all.add(time);
        }
        all
    }

    #[test]
    fn quantiles_are_those_of_the_sorted_list_to_a_class() {
        for count in [1, 2, 3, 10, 999] {
            let mut list = times(u64::from(count), count);
            let all = of(&list);
            list.sort_unstable();
            assert_eq!(all.range, Some((list[0], *list.last().unwrap())));
            assert_eq!((all.count, all.sum), (u64::from(count), list.iter().map(|&t| u128::from(t)).sum()));
            let mean = list.iter().map(|&t| t as f64).sum::<f64>() / f64::from(count);
            assert!((all.mean() / mean - 1.0).abs() < 1e-9);
            for percent in 0..=100 {
                // By nearest rank.
                let index = (percent * list.len()).div_ceil(100).max(1) - 1;
                let (exact, found) = (list[index], all.quantile(percent as f64 / 100.0).unwrap());
                assert!(
                    exact <= found && (found - exact) * CLASSES <= exact,
                    "{percent} %: {found}, not {exact}"
                );
            }
        }
        assert_eq!(Latencies::default().quantile(0.5), None);
        assert!(Latencies::default().mean().is_nan());
    }

    #[test]
    fn latencies_of_several_runs_are_those_of_all_their_times() {
        for (a, b) in [(0, 5), (5, 0), (40, 700), (700, 40), (0, 0)] {
            let (one, other) = (times(1, a), times(2, b));
            let mut sum = of(&one);
            sum.merge(&of(&other));
            assert_eq!(sum, of(&[one, other].concat()), "{a} and {b}");
        }
        // The second has greater classes, or lesser ones.
        for (a, b) in [(7, 7_000_000), (7_000_000, 7)] {
            let mut sum = of(&[a]);
            sum.merge(&of(&[b, b]));
            assert_eq!(sum, of(&[a, b, b]));
        }
    }

    #[test]
    fn a_port_is_busy_for_its_bytes_times_and_nothing_else() {
        // 1003 bytes of 80.3 ps are 80,540.9 ps.
        let mut output = Output::new(80.3);
        (output.bytes, output.starving) = (1003, 17);
        assert_eq!(PortUse::of(&output), PortUse { busy: 80_541, starved: 17, bytes: 1003 });
    }
}
