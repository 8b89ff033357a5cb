//! Fluid: max-min fair sharing of the links' real rates among the flows of a phase.
//!
//! Max-min fairness: no flow can get more without taking from one that gets no more than it
//! (D. Bertsekas, R. Gallager, *Data Networks*, 2nd ed. 1992, section 6.5.2). Flows are fluids:
//! there are no packets, no queues and no head-of-line blocking, so the result is an upper bound of
//! what static routing can give, and optimistic by 9 to 21 % on the mean of random pairs on a real
//! director fabric.
//!
//! [`Fluid`] shares links among the flows of a phase; [`OverTime`] finds when messages of given sizes end. Both
//! use `filling`; with [`LaneShares`] a link is divided among its lanes first.

mod capacity;
mod filling;
mod flows_by_link;
mod lanes;
mod messages;
mod next_finish;
mod over_time;

pub use capacity::{Capacity, Unknown};
pub use lanes::LaneShares;
pub use messages::Messages;
pub use over_time::{MessageGroup, OverTime};

use super::load::{LinkId, Steps};
pub use filling::TIE;

use filling::Filling;

/// Shares link rates among flows. Kept between phases; a phase costs no allocation.
#[derive(Clone, Debug)]
pub struct Fluid {
    filling: Filling,
    messages: Messages,
    region: Vec<u32>,
    rounds: usize,
}

impl Fluid {
    /// Links of given capacities [bytes/s], by [`LinkId`].
    pub fn new(capacity: Vec<f64>) -> Self {
        Self { filling: Filling::new(capacity), messages: Messages::default(), region: Vec::new(), rounds: 0 }
    }

    /// Links of given capacities [bytes/s] with lanes: flows cross channels, and each link is divided among its lanes first.
    pub fn by_lane(capacity: &[f64], lanes: LaneShares) -> Self {
        Self { filling: Filling::by_lane(capacity, lanes), ..Self::new(Vec::new()) }
    }

    /// Shares the links among the flows of a phase; with lanes the steps are of channels.
    pub fn fill(&mut self, steps: &Steps) {
        self.messages.clear();
        self.messages.push_flows(steps, |_| (1.0, 1.0));
        self.share();
    }

    /// The same for flows that are given by their links.
    pub fn fill_rows<L: IntoIterator<Item = LinkId>>(&mut self, flows: impl Iterator<Item = L>) {
        self.messages.clear();
        flows.for_each(|links| self.messages.push(1.0, links));
        self.share();
    }

    fn share(&mut self) {
        self.region.clear();
        self.region.extend(self.messages.going());
        self.filling.forget_edges();
        self.filling.reset(self.messages.len());
        self.filling.load(&self.messages, &self.region);
        self.rounds = self.filling.raise(&self.messages, &self.region);
    }

    /// The rate of each flow [bytes/s]; 0 for a flow without a route.
    pub fn rates(&self) -> &[f64] {
        &self.filling.level
    }

    /// The share of a link's capacity that the flows of the last phase take, 0 to 1.
    pub fn utilisation(&self, link: LinkId) -> f64 {
        self.filling.utilisation(link)
    }

    /// How many rounds the last phase took.
    pub fn rounds(&self) -> usize {
        self.rounds
    }
}

#[cfg(test)]
mod lane_tests;
#[cfg(test)]
mod tests;
