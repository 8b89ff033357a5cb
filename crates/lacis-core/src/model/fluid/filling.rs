//! Water filling of a region of messages, while the levels of all others stay.
//!
//! A message's *level* is its rate for a weight of 1. All levels rise together until a link is full, which
//! freezes the messages on it; then the others go on. The order in which links fill does not matter beyond their
//! neighbours: a link whose share is the least among all links that *its own messages* cross is a bottleneck
//! whatever happens elsewhere, because shares only rise as other messages freeze. So each round freezes the
//! messages of all such links at once, everywhere, and a few rounds suffice. Shares that differ by less than
//! [`TIE`] are one event.
//!
//! With lanes messages cross channels, and a link is a bottleneck when that holds for all its lanes with rising
//! messages, because what a lane does not need goes to the others. Links may then wait for each other in a
//! circle, each with a lane that another holds back. In that case each lane is taken alone: a channel that is the
//! tightest for all its messages freezes them at its share, which no other lane can take from them. When all
//! messages are frozen, what such links have left is filled a second time, all lanes alike.
//!
//! | here     | meaning                                                               |
//! |----------|-----------------------------------------------------------------------|
//! | `left`   | capacity less what frozen messages take; with lanes, those of the lane |
//! | `rising` | sum of the uses of the messages that are not frozen                   |
//! | `share`  | the level that these would reach if no other link limited them        |
//! | `agreed` | the least level that any of these reaches                             |

use super::Messages;
use super::lanes::LaneShares;
use crate::model::load::LinkId;

/// Relative difference below which two shares are one event.
pub const TIE: f64 = 1e-10;

/// The state of filling by link (with lanes: by channel) and by message; a filling costs no allocation.
#[derive(Clone, Debug, Default)]
pub(super) struct Filling {
    lanes: Option<LaneShares>,
    /// [bytes/s]; of a channel, that of its link.
    capacity: Vec<f64>,
    /// Capacity that no message has taken yet [bytes/s].
    pub left: Vec<f64>,
    /// Sum of the uses of rising messages.
    pub rising: Vec<f64>,
    share: Vec<f64>,
    agreed: Vec<f64>,
    /// The rate of each message, per unit of its weight [bytes/s].
    pub level: Vec<f64>,
    /// The links that are filled, each once; with lanes, all channels of each.
    pub edges: Vec<LinkId>,
    is_edge: Vec<bool>,
    alive: Vec<u32>,
    stash: Vec<f64>,
    /// How often links have waited for each other in a circle.
    pub circles: usize,
}

/// How messages share what is left of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sharing {
    Evenly,
    ByLane,
}

impl Filling {
    /// Links of given capacities [bytes/s], by number.
    pub(super) fn new(capacity: Vec<f64>) -> Self {
        let n = capacity.len();
        let (left, rising, share, agreed) = (vec![0.0; n], vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        Self { capacity, left, rising, share, agreed, is_edge: vec![false; n], ..Self::default() }
    }

    /// Links of given capacities [bytes/s] with lanes: what messages cross are channels.
    pub(super) fn by_lane(capacity: &[f64], lanes: LaneShares) -> Self {
        let channels = capacity.iter().flat_map(|&c| std::iter::repeat_n(c, lanes.num_lanes())).collect();
        Self { lanes: Some(lanes), ..Self::new(channels) }
    }

    pub(super) fn lanes(&self) -> Option<&LaneShares> {
        self.lanes.as_ref()
    }

    /// The capacity of a link or a channel's link [bytes/s].
    #[inline]
    pub(super) fn capacity(&self, link: LinkId) -> f64 {
        self.capacity[link as usize]
    }

    /// The share of a link's capacity that the messages of the last filling take, 0 to 1.
    pub(super) fn utilisation(&self, link: LinkId) -> f64 {
        let lanes = self.lanes.as_ref().map_or(1, LaneShares::num_lanes);
        let channels = link as usize * lanes..(link as usize + 1) * lanes;
        let capacity = self.capacity[channels.start];
        if !self.is_edge[channels.start] || capacity <= 0.0 {
            return 0.0;
        }
        let used: f64 = self.left[channels].iter().map(|left| 1.0 - left / capacity).sum();
        used.clamp(0.0, 1.0)
    }

    pub(super) fn num_links(&self) -> usize {
        self.capacity.len()
    }

    /// Forgets all levels.
    pub(super) fn reset(&mut self, messages: usize) {
        self.level.clear();
        self.level.resize(messages, 0.0);
    }

    /// Makes links edges, each once.
    #[inline]
    pub(super) fn mark(&mut self, links: &[LinkId]) {
        for &link in links {
            if !self.is_edge[link as usize] {
                self.make_edge(link);
            }
        }
    }

    #[inline]
    fn make_edge(&mut self, link: LinkId) {
        for link in self.channels_beside(link) {
            self.is_edge[link as usize] = true;
            self.edges.push(link);
        }
    }

    /// All channels of a channel's link; without lanes the link alone.
    #[inline]
    fn channels_beside(&self, link: LinkId) -> std::ops::Range<LinkId> {
        let Some(lanes) = &self.lanes else { return link..link + 1 };
        let first = lanes.channel(lanes.link(link), 0);
        first..first + lanes.num_lanes() as LinkId
    }

    pub(super) fn forget_edges(&mut self) {
        for link in self.edges.drain(..) {
            self.is_edge[link as usize] = false;
        }
    }

    /// Makes the links of a region edges; no message outside the region crosses them.
    pub(super) fn load(&mut self, messages: &Messages, region: &[u32]) {
        if messages.is_plain() {
            self.count_uses(messages, region, |_, _| 1.0);
        } else {
            self.count_uses(messages, region, |m, hop| messages.uses(m as usize).at(hop));
        }
    }

    fn count_uses(&mut self, messages: &Messages, region: &[u32], uses: impl Fn(u32, usize) -> f64) {
        for &m in region {
            for (hop, &link) in messages.links(m as usize).iter().enumerate() {
                if !self.is_edge[link as usize] {
                    self.make_edge(link);
                    for link in self.channels_beside(link) {
                        let link = link as usize;
                        (self.left[link], self.rising[link]) = (self.capacity[link], 0.0);
                    }
                }
                self.rising[link as usize] += uses(m, hop);
            }
        }
    }

    /// Raises the levels of the messages of a region, whose links are all edges. `rising` has their uses,
    /// and `left` what others leave. Returns the number of rounds.
    pub(super) fn raise(&mut self, messages: &Messages, region: &[u32]) -> usize {
        if self.lanes.is_some() {
            self.raise_by_lane(messages, region)
        } else if messages.is_plain() {
            self.rounds(messages, region, |_, _| 1.0)
        } else {
            self.rounds(messages, region, |m, hop| messages.uses(m as usize).at(hop))
        }
    }

    fn rounds<U>(&mut self, messages: &Messages, region: &[u32], uses: U) -> usize
    where
        U: Fn(u32, usize) -> f64 + Copy,
    {
        self.alive.clear();
        self.alive.extend_from_slice(region);
        let mut rounds = 0;
        while !self.alive.is_empty() {
            rounds += 1;
            for &link in &self.edges {
                let link = link as usize;
                self.share[link] = self.left[link].max(0.0) / self.rising[link];
                self.agreed[link] = f64::INFINITY;
            }
            self.agree(messages);
            self.freeze(messages, uses);
        }
        rounds
    }

    fn raise_by_lane(&mut self, messages: &Messages, region: &[u32]) -> usize {
        let (mut rounds, some_held) = self.rounds_by_lane(messages, region, Sharing::ByLane);
        if some_held {
            let mut stash = std::mem::take(&mut self.stash);
            stash.clear();
            stash.extend(region.iter().map(|&m| self.level[m as usize]));
            rounds += self.rounds_by_lane(messages, region, Sharing::Evenly).0;
            for (&m, &before) in region.iter().zip(&stash) {
                self.level[m as usize] += before;
            }
            self.stash = stash;
        }
        rounds
    }

    /// Returns the number of rounds, and whether links waited for each other.
    fn rounds_by_lane(&mut self, messages: &Messages, region: &[u32], sharing: Sharing) -> (usize, bool) {
        let uses = |m: u32, hop| messages.uses(m as usize).at(hop);
        self.alive.clear();
        self.alive.extend_from_slice(region);
        let (mut rounds, mut some_held) = (0, false);
        while !self.alive.is_empty() {
            rounds += 1;
            // Counted afresh in each round, so that it is 0 where no message is left.
            self.edges.iter().for_each(|&link| self.rising[link as usize] = 0.0);
            for &m in &self.alive {
                for (hop, &link) in messages.links(m as usize).iter().enumerate() {
                    self.rising[link as usize] += uses(m, hop);
                }
            }
            self.share_lanes(sharing);
            self.agree(messages);
            self.agree_across_lanes();
            let before = self.alive.len();
            self.freeze(messages, uses);
            if self.alive.len() == before {
                some_held = true;
                self.circles += 1;
                self.agree_by_lane(messages);
                self.freeze(messages, uses);
            }
        }
        (rounds, some_held)
    }

    /// The shares of all channels.
    fn share_lanes(&mut self, sharing: Sharing) {
        let Some(lanes) = &self.lanes else { return };
        let n = lanes.num_lanes();
        for &first in self.edges.iter().step_by(n) {
            let channels = first as usize..first as usize + n;
            let capacity = self.capacity[first as usize];
            let (left, rising) = (&self.left[channels.clone()], &self.rising[channels.clone()]);
            self.agreed[channels.clone()].fill(f64::INFINITY);
            let share = &mut self.share[channels];
            match sharing {
                Sharing::ByLane => lanes.share(capacity, left, rising, share),
                Sharing::Evenly => {
                    let free = capacity - left.iter().map(|left| capacity - left).sum::<f64>();
                    share.fill(free.max(0.0) / rising.iter().sum::<f64>());
                }
            }
        }
    }

    /// The level that each message could reach, and the least on each link.
    fn agree(&mut self, messages: &Messages) {
        let (share, agreed) = (&self.share, &mut self.agreed);
        for &m in &self.alive {
            let path = messages.links(m as usize);
            let least = path.iter().map(|&l| share[l as usize]).fold(f64::INFINITY, f64::min);
            self.level[m as usize] = least;
            for &link in path {
                let agreed = &mut agreed[link as usize];
                *agreed = agreed.min(least);
            }
        }
    }

    /// A link is no bottleneck while messages of one of its lanes are held back elsewhere.
    fn agree_across_lanes(&mut self) {
        let n = self.lanes.as_ref().map_or(1, LaneShares::num_lanes);
        let Self { share, agreed, rising, .. } = self;
        for &first in self.edges.iter().step_by(n) {
            let channels = first as usize..first as usize + n;
            let holds = |c: usize| rising[c] > 0.0 && agreed[c] * (1.0 + TIE) < share[c];
            if channels.clone().any(holds) {
                agreed[channels].fill(f64::NEG_INFINITY);
            }
        }
    }

    /// The least level on each channel alone. Messages that get nothing yet wait while others get some.
    fn agree_by_lane(&mut self, messages: &Messages) {
        let Self { alive, edges, share, agreed, level, .. } = self;
        let some = alive.iter().any(|&m| level[m as usize] > 0.0);
        for &link in &*edges {
            let waits = some && share[link as usize] <= 0.0;
            agreed[link as usize] = if waits { f64::NEG_INFINITY } else { f64::INFINITY };
        }
        for &m in alive.iter().filter(|&&m| !some || level[m as usize] > 0.0) {
            for &link in messages.links(m as usize) {
                let agreed = &mut agreed[link as usize];
                *agreed = agreed.min(level[m as usize]);
            }
        }
    }

    /// Freezes messages whose tightest link is a bottleneck.
    fn freeze(&mut self, messages: &Messages, uses: impl Fn(u32, usize) -> f64) {
        let (share, agreed, level) = (&self.share, &self.agreed, &self.level);
        let (left, rising) = (&mut self.left, &mut self.rising);
        self.alive.retain(|&m| {
            let path = messages.links(m as usize);
            let least = level[m as usize];
            let limit = least * (1.0 + TIE);
            let full = |l: usize| share[l] <= limit && agreed[l] * (1.0 + TIE) >= share[l];
            if !path.iter().any(|&l| full(l as usize)) {
                return true;
            }
            for (hop, &link) in path.iter().enumerate() {
                let used = uses(m, hop);
                left[link as usize] -= least * used;
                rising[link as usize] -= used;
            }
            false
        });
    }
}
