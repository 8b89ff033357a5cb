//! Evenness: which of the equally short ways each LID takes.
//!
//! LID after LID takes, from every switch, the way with the least sum of prices, and adds the
//! packets that all end ports send it to the load of the channels. The price of a channel is a
//! power of its load: the load itself in the first pass, which keeps what goes to one LID together;
//! higher powers in those that follow, where each LID is taken off its channels and put on again,
//! so that the busiest of them are avoided.

use super::numbering::Numbering;
use super::part::{Home, Part};
use super::ways::Ways;

/// How often the load is squared for the prices of the passes.
pub(super) const SQUARINGS: [u32; 6] = [0, 2, 3, 3, 3, 3];

/// Loads of a part's channels, and the ways that its LIDs take.
pub(super) struct Balance<'a> {
    part: &'a Part,
    /// Homes to be routed, each with the numbering that it is routed in.
    homes: Vec<(&'a Home, &'a Numbering)>,
    /// Packets of all-to-all traffic, by channel.
    load: Vec<u64>,
    price: Vec<f64>,
    /// One over the mean load of the pass before, so that prices stay in the range of numbers.
    scale: f64,
    squarings: u32,
    /// Per LID and switch, the place of the channel taken among those out of the switch; shape
    /// `(targets, switches)`.
    taken: Vec<u8>,
    /// Hops of all packets.
    pub hops: u64,
    last: Vec<u64>,
    cost: Vec<f64>,
    flow: Vec<u64>,
}

/// Instead of a place: the home itself.
pub(super) const HERE: u8 = u8::MAX;

impl<'a> Balance<'a> {
    pub fn new(part: &'a Part, homes: Vec<(&'a Home, &'a Numbering)>) -> Self {
        let targets: usize = homes.iter().map(|(home, _)| home.targets.len()).sum();
        Self {
            part,
            homes,
            load: vec![0; part.num_channels()],
            price: vec![0.0; part.num_channels()],
            scale: 1.0,
            squarings: 0,
            taken: vec![HERE; targets * part.len()],
            hops: 0,
            last: vec![0; part.num_channels()],
            cost: vec![0.0; part.len()],
            flow: vec![0; part.len()],
        }
    }

    /// The load of the busiest channel.
    pub fn max(&self) -> u64 {
        self.load.iter().copied().max().unwrap_or(0)
    }

    pub fn estimate(&self) -> f64 {
        let part = self.part;
        let all: u64 = part.sources.iter().map(|&s| u64::from(s)).sum();
        let total: usize = part.targets.len();
        let mut onto = vec![0u64; part.num_channels()];
        // last hops
        let mut place = 0;
        let mut count = 0;
        for (home, _) in &self.homes {
            for _ in home.targets.clone() {
                let mut flow = vec![0u64; 0];
                flow.clear();
                place += 1;
                count += 1;
            }
        }
        let _ = (place, &mut onto);
        let scale = total as f64 / count as f64;
        let mut targets = vec![0u64; part.len()];
        for h in &part.homes {
            targets[h.switch as usize] = h.targets.len() as u64;
        }
        let mut max = 0.0f64;
        for c in 0..part.num_channels() {
            let head = part.head[c] as usize;
            let last = (targets[head] * (all - u64::from(part.sources[head]))) as f64
                / part.out(head as u32).len() as f64;
            max = max.max((self.load[c] - self.last[c]) as f64 * scale + last);
        }
        max
    }

    /// Routes every LID. False, with nothing of use, where some switch with end nodes does not
    /// reach a home in its numbering.
    pub fn pass(&mut self, squarings: u32, again: bool) -> bool {
        self.pass_as(squarings, again, again)
    }

    /// The same, and whether each switch sees what those before it send.
    pub fn pass_as(&mut self, squarings: u32, again: bool, one_by_one: bool) -> bool {
        self.squarings = squarings;
        if again {
            self.scale = 1.0 / (self.hops as f64 / self.load.len() as f64).max(1.0);
            for channel in 0..self.load.len() {
                self.price[channel] = self.price_of(self.load[channel]);
            }
        }
        self.hops = 0;
        let mut ways = Ways::new(self.part);
        let (homes, mut place) = (std::mem::take(&mut self.homes), 0);
        let mut reached = true;
        for &(home, numbering) in &homes {
            reached &= ways.find(numbering, home.switch);
            if !reached {
                break;
            }
            for _ in home.targets.clone() {
                if again {
                    self.put(&ways, place, -1);
                }
                if one_by_one {
                    self.choose_one_by_one(&ways, place);
                } else {
                    self.choose(&ways, home.switch, place);
                    self.put(&ways, place, 1);
                }
                place += 1;
            }
        }
        self.homes = homes;
        reached
    }

    fn price_of(&self, load: u64) -> f64 {
        (0..self.squarings).fold(load as f64 * self.scale, |price, _| price * price)
    }

    /// Chooses the ways to a target, the nearest switches first.
    fn choose(&mut self, ways: &Ways<'_>, home: u32, target: usize) {
        let part = self.part;
        let taken = &mut self.taken[target * part.len()..][..part.len()];
        self.cost[home as usize] = 0.0;
        let mut start = 0;
        for (&switch, &end) in ways.order.iter().zip(&ways.ends) {
            let (mut least, mut best) = (f64::INFINITY, ways.channels[start]);
            for &channel in &ways.channels[start..end as usize] {
                let cost = self.price[channel as usize] + self.cost[part.head[channel as usize] as usize];
                if cost < least {
                    (least, best) = (cost, channel);
                }
            }
            start = end as usize;
            self.cost[switch as usize] = least;
            taken[switch as usize] = part.place(best as usize) as u8;
        }
    }

    /// Chooses the ways to a target and puts its packets on them, switch by switch, the nearest
    /// first: each sees what those before it send.
    fn choose_one_by_one(&mut self, ways: &Ways<'_>, target: usize) {
        let part = self.part;
        let mut start = 0;
        let base = target * part.len();
        for (&switch, &end) in ways.order.iter().zip(&ways.ends) {
            let (mut least, mut best) = (f64::INFINITY, ways.channels[start]);
            if end as usize > start + 1 {
                for &channel in &ways.channels[start..end as usize] {
                    let mut cost = self.price[channel as usize];
                    let mut at = part.head[channel as usize];
                    while cost < least {
                        let place = self.taken[base + at as usize];
                        if place == HERE {
                            (least, best) = (cost, channel);
                            break;
                        }
                        let channel = part.channel(at, usize::from(place));
                        cost += self.price[channel];
                        at = part.head[channel];
                    }
                }
            }
            start = end as usize;
            self.taken[base + switch as usize] = part.place(best as usize) as u8;
            let flow = u64::from(part.sources[switch as usize]);
            let mut at = switch;
            loop {
                let place = self.taken[base + at as usize];
                if flow == 0 || place == HERE {
                    break;
                }
                let channel = part.channel(at, usize::from(place));
                self.load[channel] += flow;
                if self.taken[base + part.head[channel] as usize] == HERE {
                    self.last[channel] += flow;
                }
                self.hops += flow;
                self.price[channel] = self.price_of(self.load[channel]);
                at = part.head[channel];
            }
        }
    }

    /// Puts what goes to a target on its channels, or takes it off (`sign` −1).
    fn put(&mut self, ways: &Ways<'_>, target: usize, sign: i64) {
        let part = self.part;
        let taken = &self.taken[target * part.len()..][..part.len()];
        for (flow, &sources) in self.flow.iter_mut().zip(&part.sources) {
            *flow = u64::from(sources);
        }
        for &switch in ways.order.iter().rev() {
            let flow = self.flow[switch as usize];
            if flow == 0 {
                continue;
            }
            let channel = part.channel(switch, usize::from(taken[switch as usize]));
            self.flow[part.head[channel] as usize] += flow;
            self.load[channel] = self.load[channel].wrapping_add_signed(sign * flow as i64);
            self.hops = self.hops.wrapping_add_signed(sign.max(0) * flow as i64);
            self.price[channel] = self.price_of(self.load[channel]);
        }
    }

    /// The ways taken, see [`HERE`]; a row for each target.
    pub fn into_taken(self) -> Vec<u8> {
        self.taken
    }
}
