//! Evenness: which of the equally short paths each LID takes.
//!
//! LID after LID takes, from every switch, the path with the least sum of prices, and adds the
//! packets that all end ports send it to the load of the channels. The price of a channel is a
//! power of its load. In the first pass it is the load itself, and all switches choose by the same
//! prices, which keeps what goes to one LID together. In later passes each LID is taken off its channels
//! and put on others, switch by switch by higher powers, so that the busiest are avoided.
//! The pass with the least load on its busiest channel counts.

use super::component::{Component, EdgeTargets, NONE};
use super::numbering::ChannelNumbering;
use super::paths::{PathsToEdge, WaysOn};

/// Loads of a component's channels, and the paths that its LIDs take.
pub(super) struct ChannelLoads<'a> {
    component: &'a Component,
    /// Edge switches to be routed, each with the numbering that it is routed in.
    edge_switches: Vec<(&'a EdgeTargets, &'a ChannelNumbering)>,
    /// Packets of all-to-all traffic, by channel.
    load: Vec<u64>,
    /// Those of them that arrive: to end nodes on the switch that the channel enters.
    arriving: Vec<u64>,
    /// By channel: its price and the switch that it enters, which are read together.
    steps: Vec<Step>,
    squarings: u32,
    /// One over the mean load of the pass before, so that prices stay in the range of numbers.
    scale: f64,
    /// Per LID and switch, the index of the channel taken among those out of the switch; shape
    /// `(targets, switches)`.
    hop_index: Vec<u8>,
    /// The best pass of several: the busiest channel's load, the hops, and the paths taken.
    best: Option<(u64, u64, Vec<u8>)>,
    /// Hops of all packets.
    hops: u64,
    cost: Vec<f64>,
    flow: Vec<u64>,
    /// By switch: the channel that the present LID takes, if the switch has chosen; [`NONE`] at the LID's own.
    taken: Vec<u32>,
    /// By channel: how many LIDs of the present end port take it.
    shared: Vec<u8>,
    /// By edge switch, what leads there, which is the same in every pass; empty where that is too much.
    kept: Vec<WaysOn>,
}

/// What is read of a channel on a path.
#[derive(Clone, Copy)]
struct Step {
    price: f64,
    head: u32,
}

/// The paths that LIDs take: per LID and switch, see [`HERE`]; and how bad that is.
pub(super) struct Routed {
    pub badness: f64,
    pub hop_index: Vec<u8>,
}

/// How often loads are squared for the prices of the passes. There are no more passes than the first
/// two where these have seen so many choices.
const PASSES: [u32; 6] = [0, 2, 3, 3, 3, 3];
const CHOICES: usize = 1 << 26;

/// Edge switches times channels up to which ways are kept between passes: at most 64 MB.
const MOST_KEPT: usize = 1 << 24;

/// Instead of an index: the LID is at this switch.
pub(super) const HERE: u8 = u8::MAX;

impl<'a> ChannelLoads<'a> {
    pub fn new(
        component: &'a Component,
        edge_switches: Vec<(&'a EdgeTargets, &'a ChannelNumbering)>,
    ) -> Self {
        let targets: usize = edge_switches.iter().map(|(edge_switch, _)| edge_switch.targets.len()).sum();
        let channels = component.channels.len();
        Self {
            component,
            edge_switches,
            load: vec![0; channels],
            arriving: vec![0; channels],
            steps: component.channels.head.iter().map(|&head| Step { price: 0.0, head }).collect(),
            squarings: 0,
            scale: 1.0,
            hop_index: vec![HERE; targets * component.len()],
            best: None,
            hops: 0,
            cost: vec![0.0; component.len()],
            flow: vec![0; component.len()],
            taken: vec![NONE; component.len()],
            shared: vec![0; channels],
            kept: Vec::new(),
        }
    }

    /// Routes every LID, in as many passes as pay. False, with nothing of use, where some switch with
    /// end nodes does not reach an edge switch in its numbering.
    pub fn passes(&mut self) -> bool {
        let mut choices = 0;
        for (pass, squarings) in PASSES.into_iter().enumerate() {
            if !self.pass(squarings, pass > 0) {
                return false;
            }
            let better = self.keep();
            choices += self.load.len() * self.hop_index.len() / self.component.len().max(1);
            let enough = pass > 0 && choices > CHOICES || pass > 1 && !better;
            if enough || self.max() <= self.component.least_max() {
                break;
            }
        }
        true
    }

    /// Routes every LID, or routes it once more. Prices are loads, squared so often.
    fn pass(&mut self, squarings: u32, again: bool) -> bool {
        if again {
            self.scale = 1.0 / (self.hops as f64 / self.load.len().max(1) as f64).max(1.0);
        }
        self.run(squarings, again, again, true)
    }

    /// Routes every LID once, switch by switch, to see what a numbering is worth.
    pub fn trial(&mut self) -> bool {
        self.run(2, false, true, false)
    }

    /// `repeated`: whether all LIDs may be routed more than once.
    fn run(&mut self, squarings: u32, again: bool, one_by_one: bool, repeated: bool) -> bool {
        self.squarings = squarings;
        for channel in 0..self.load.len() {
            self.steps[channel].price = self.price_of(self.load[channel]);
        }
        self.hops = 0;
        let mut paths = PathsToEdge::new(self.component);
        let (edge_switches, mut index) = (std::mem::take(&mut self.edge_switches), 0);
        let mut kept = std::mem::take(&mut self.kept);
        let keeps = repeated && edge_switches.len() * self.load.len() <= MOST_KEPT;
        let mut reached = true;
        for (number, &(edge_switch, numbering)) in edge_switches.iter().enumerate() {
            if number >= kept.len() {
                reached &= paths.find_paths(numbering, edge_switch.switch);
                if keeps {
                    kept.push(paths.found.clone());
                }
            }
            if !reached {
                break;
            }
            let ways = kept.get(number).unwrap_or(&paths.found);
            for target in &self.component.targets[edge_switch.targets.clone()] {
                if again {
                    self.remove_packets(ways, index);
                }
                if !target.same_port {
                    self.shared.fill(0);
                }
                if one_by_one {
                    self.choose_one_by_one(ways, edge_switch.switch, index);
                } else {
                    self.choose(ways, edge_switch.switch, index);
                    self.add_packets(ways, index);
                }
                self.share(ways, index);
                index += 1;
            }
        }
        (self.edge_switches, self.kept) = (edge_switches, kept);
        reached
    }

    fn price_of(&self, load: u64) -> f64 {
        (0..self.squarings).fold(load as f64 * self.scale, |price, _| price * price)
    }

    /// Chooses the paths to a target, the nearest switches first.
    fn choose(&mut self, ways: &WaysOn, edge_switch: u32, target: usize) {
        let component = self.component;
        let hop_index = &mut self.hop_index[target * component.len()..][..component.len()];
        self.cost[edge_switch as usize] = 0.0;
        for (&switch, channels) in ways.each() {
            let (mut least, mut best, mut shared) = (f64::INFINITY, channels[0], u8::MAX);
            for &channel in channels {
                let step = self.steps[channel as usize];
                let cost = step.price + self.cost[step.head as usize];
                let with = self.shared[channel as usize];
                if with < shared || with == shared && cost < least {
                    (least, best, shared) = (cost, channel, with);
                }
            }
            self.cost[switch as usize] = least;
            hop_index[switch as usize] = component.channels.index(best as usize) as u8;
        }
    }

    /// Chooses the paths to a target and puts its packets on them, switch by switch, the nearest
    /// first: each sees what those before it send.
    fn choose_one_by_one(&mut self, ways: &WaysOn, edge_switch: u32, target: usize) {
        let component = self.component;
        let base = target * component.len();
        self.taken[edge_switch as usize] = NONE;
        for (&switch, channels) in ways.each() {
            let best = if let [only] = channels { *only } else { self.least(channels) };
            self.taken[switch as usize] = best;
            self.hop_index[base + switch as usize] = component.channels.index(best as usize) as u8;
            let flow = u64::from(component.sources[switch as usize]);
            if flow == 0 {
                continue;
            }
            let mut channel = best;
            while channel != NONE {
                let at = channel as usize;
                self.load[at] += flow;
                self.hops += flow;
                self.steps[at].price = self.price_of(self.load[at]);
                channel = self.taken[self.steps[at].head as usize];
                if channel == NONE {
                    self.arriving[at] += flow;
                }
            }
        }
    }

    /// Of some channels the one that the cheapest path starts with, whose rest is taken already.
    fn least(&self, channels: &[u32]) -> u32 {
        let (mut least, mut best, mut shared) = (f64::INFINITY, channels[0], u8::MAX);
        for &channel in channels {
            let with = self.shared[channel as usize];
            let limit = if with < shared { f64::INFINITY } else { least };
            let Step { price: mut cost, mut head } = self.steps[channel as usize];
            while cost < limit {
                let next = self.taken[head as usize];
                if next == NONE {
                    break;
                }
                let step = self.steps[next as usize];
                cost += step.price;
                head = step.head;
            }
            if with < shared || with == shared && cost < least {
                (least, best, shared) = (cost, channel, with);
            }
        }
        best
    }

    /// Counts the packets to a target on its channels.
    fn add_packets(&mut self, ways: &WaysOn, target: usize) {
        self.hops += self.change_loads(ways, target, |load, flow| load + flow);
    }

    /// The packets to a target no longer count on its channels.
    fn remove_packets(&mut self, ways: &WaysOn, target: usize) {
        self.change_loads(ways, target, |load, flow| load - flow);
    }

    /// Changes the loads of a target's channels by the packets that go over each; returns the hops of all these packets.
    fn change_loads(&mut self, ways: &WaysOn, target: usize, changed: impl Fn(u64, u64) -> u64) -> u64 {
        let component = self.component;
        let mut hops = 0;
        let hop_index = &self.hop_index[target * component.len()..][..component.len()];
        for (flow, &sources) in self.flow.iter_mut().zip(&component.sources) {
            *flow = u64::from(sources);
        }
        for &switch in ways.order.iter().rev() {
            let flow = self.flow[switch as usize];
            if flow == 0 {
                continue;
            }
            let channel = component.channels.channel(switch, usize::from(hop_index[switch as usize]));
            self.flow[component.channels.head[channel] as usize] += flow;
            self.load[channel] = changed(self.load[channel], flow);
            hops += flow;
            self.steps[channel].price = self.price_of(self.load[channel]);
        }
        hops
    }

    /// Notes the channels taken, where the end port has more LIDs: these take others if they can.
    fn share(&mut self, ways: &WaysOn, target: usize) {
        let component = self.component;
        if component.has_lmc {
            let hop_index = &self.hop_index[target * component.len()..][..component.len()];
            for &switch in &ways.order {
                let channel = component.channels.channel(switch, usize::from(hop_index[switch as usize]));
                self.shared[channel] = self.shared[channel].saturating_add(1);
            }
        }
    }

    fn max(&self) -> u64 {
        self.load.iter().copied().max().unwrap_or(0)
    }

    /// Keeps the pass, if it is the best so far; whether it is.
    fn keep(&mut self) -> bool {
        let max = self.max();
        let better = self.best.as_ref().is_none_or(|(best, ..)| max < *best);
        if better {
            self.best = Some((max, self.hops, self.hop_index.clone()));
        }
        better
    }

    /// The best pass; its badness is the busiest channel's load, times a power of the hops.
    pub fn best(self, power: i32) -> Routed {
        match self.best {
            Some((max, hops, hop_index)) => {
                Routed { badness: max as f64 * (hops as f64).powi(power), hop_index }
            }
            None => Routed { badness: f64::INFINITY, hop_index: self.hop_index },
        }
    }

    /// How bad all LIDs' routes would be, by a trial with some of them.
    pub fn expected_badness(&self, power: i32) -> f64 {
        self.expected_max() * (self.hops as f64).powi(power)
    }

    /// What a trial with some of the LIDs says about the busiest channel with all: what passes a
    /// channel grows with their number, and what arrives is known.
    fn expected_max(&self) -> f64 {
        let component = self.component;
        let tried: usize = self.edge_switches.iter().map(|(edge_switch, _)| edge_switch.targets.len()).sum();
        let more = component.targets.len() as f64 / tried.max(1) as f64;
        let arrives = component.arrivals();
        let load = |channel: usize| {
            let passing = (self.load[channel] - self.arriving[channel]) as f64;
            passing * more + arrives[component.channels.head[channel] as usize]
        };
        (0..self.load.len()).map(load).fold(0.0, f64::max)
    }
}
