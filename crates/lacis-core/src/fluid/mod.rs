//! Fluid: max-min fair sharing of the links' real rates among the flows of a phase.
//!
//! Max-min fairness: no flow can get more without taking from one that has no more than it
//! (D. Bertsekas, R. Gallager, *Data Networks*, 2nd ed. 1992, section 6.5.2). Flows are fluids:
//! there are no packets, no queues and no head-of-line blocking, so the result is an upper bound of
//! what static routing can give, and optimistic by 9 to 21 % on the mean of random pairs on a real
//! director fabric.
//!
//! Water filling raises all flows together until a link is full, freezes the flows on it, and goes
//! on. The order in which links fill does not matter beyond their neighbours: a link whose fair
//! share is the least among all links that *its own flows* cross is a bottleneck whatever happens
//! elsewhere, because shares only rise as other flows freeze. So each round freezes the flows of
//! all such links at once, everywhere in the fabric, and a few rounds suffice. Shares that differ
//! by less than [`TIE`] are one event.
//!
//! [`Fluid`] shares links among the flows of a phase; [`OverTime`] runs messages of given sizes
//! through them, and tells when each ends.
//!
//! | here       | meaning                                                    |
//! |------------|------------------------------------------------------------|
//! | `left`     | capacity of a link less what frozen flows take [bytes/s]   |
//! | `active`   | flows on a link that are not frozen                        |
//! | `share`    | `left / active`: what each would get were this link alone  |
//! | `least`    | of a flow: the least share on its path                     |
//! | `agreed`   | of a link: the least `least` of its active flows           |

mod capacity;
mod filling;
mod messages;
mod on_links;
mod over_time;
mod soonest;

pub use capacity::{Capacity, Unknown};
pub use messages::Messages;
pub use over_time::{Group, OverTime};

use crate::load::{LinkId, SINK, Steps};

/// Relative difference below which two shares are one event.
pub const TIE: f64 = 1e-10;

/// Shares link rates among flows. Kept between phases; a phase costs no allocation.
#[derive(Clone, Debug)]
pub struct Fluid {
    capacity: Vec<f64>,
    left: Vec<f64>,
    share: Vec<f64>,
    agreed: Vec<f64>,
    active: Vec<u32>,
    used: Vec<LinkId>,
    least: Vec<f64>,
    rates: Vec<f64>,
    alive: Vec<u32>,
    paths: Vec<LinkId>,
    rounds: usize,
}

impl Fluid {
    /// Links of given capacities [bytes/s], by [`LinkId`].
    pub fn new(capacity: Vec<f64>) -> Self {
        let n = capacity.len();
        Self {
            left: capacity.clone(),
            capacity,
            share: vec![f64::INFINITY; n],
            agreed: vec![f64::INFINITY; n],
            active: vec![0; n],
            used: Vec::new(),
            least: Vec::new(),
            rates: Vec::new(),
            alive: Vec::new(),
            paths: Vec::new(),
            rounds: 0,
        }
    }

    /// Shares the links among the flows of a phase.
    pub fn fill(&mut self, steps: &Steps) {
        self.start(steps);
        self.rounds = 0;
        while !self.alive.is_empty() {
            self.rounds += 1;
            self.round();
        }
    }

    fn start(&mut self, steps: &Steps) {
        for &link in &self.used {
            let link = link as usize;
            (self.left[link], self.active[link]) = (self.capacity[link], 0);
        }
        self.used.clear();
        let flows = steps.num_flows();
        self.rates.clear();
        self.rates.resize(flows, 0.0);
        self.least.clear();
        self.least.resize(flows, 0.0);
        // Flow after flow: a round touches all links of a flow, of ever fewer flows.
        let width = steps.each().len();
        self.paths.clear();
        self.paths.resize(flows * width, SINK);
        for (i, step) in steps.each().enumerate() {
            for (f, &link) in step.iter().enumerate() {
                self.paths[f * width + i] = link;
                self.active[link as usize] += 1;
                if self.active[link as usize] == 1 && link != SINK {
                    self.used.push(link);
                }
            }
        }
        self.active[SINK as usize] = 0;
        self.alive.clear();
        for (f, path) in self.paths.chunks_exact(width.max(1)).enumerate() {
            if path.iter().any(|&l| l != SINK) {
                self.alive.push(f as u32);
            }
        }
    }

    fn round(&mut self) {
        let width = self.paths.len() / self.rates.len();
        for &link in &self.used {
            let link = link as usize;
            if self.active[link] > 0 {
                self.share[link] = self.left[link].max(0.0) / f64::from(self.active[link]);
                self.agreed[link] = f64::INFINITY;
            }
        }
        let (share, agreed) = (&mut self.share, &mut self.agreed);
        share[SINK as usize] = f64::INFINITY;
        for &f in &self.alive {
            let path = &self.paths[f as usize * width..][..width];
            let least = path.iter().map(|&l| share[l as usize]).fold(f64::INFINITY, f64::min);
            self.least[f as usize] = least;
            for &link in path {
                let agreed = &mut agreed[link as usize];
                *agreed = agreed.min(least);
            }
        }
        // A flow freezes when the tightest link on its path is a bottleneck.
        agreed[SINK as usize] = 0.0;
        let (left, active) = (&mut self.left, &mut self.active);
        self.alive.retain(|&f| {
            let path = &self.paths[f as usize * width..][..width];
            let least = self.least[f as usize];
            let limit = least * (1.0 + TIE);
            let full = |l: usize| share[l] <= limit && agreed[l] * (1.0 + TIE) >= share[l];
            if !path.iter().any(|&l| full(l as usize)) {
                return true;
            }
            self.rates[f as usize] = least;
            for &link in path.iter().filter(|&&l| l != SINK) {
                left[link as usize] -= least;
                active[link as usize] -= 1;
            }
            false
        });
    }

    /// The rate of each flow [bytes/s]; 0 for a flow without a route.
    pub fn rates(&self) -> &[f64] {
        &self.rates
    }

    /// What part of a link's capacity the flows take, 0 to 1.
    pub fn utilisation(&self, link: LinkId) -> f64 {
        let link = link as usize;
        if self.capacity[link] > 0.0 {
            (1.0 - self.left[link] / self.capacity[link]).clamp(0.0, 1.0)
        } else {
            0.0
        }
    }

    /// The capacities [bytes/s].
    pub fn capacity(&self) -> &[f64] {
        &self.capacity
    }

    /// How many rounds the last phase took.
    pub fn rounds(&self) -> usize {
        self.rounds
    }
}

#[cfg(test)]
mod tests;
