//! Contention of the flows of one phase.

use super::{Links, SINK, Steps};

/// Flows on each link and the contention of each flow. Kept between phases; a phase costs no
/// allocation.
#[derive(Clone, Debug)]
pub struct Contention {
    on_link: Vec<u32>,
    of_flow: Vec<u32>,
}

impl Contention {
    /// No flow yet.
    pub fn new(links: &Links) -> Self {
        Self { on_link: vec![0; links.len()], of_flow: Vec::new() }
    }

    /// Counts the flows of a phase; what was counted before is forgotten.
    pub fn count(&mut self, steps: &Steps) {
        self.on_link.fill(0);
        for &link in steps.all() {
            self.on_link[link as usize] += 1;
        }
        self.on_link[SINK as usize] = 0;
        self.of_flow.clear();
        self.of_flow.resize(steps.num_flows(), 0);
        for step in steps.each() {
            for (k, &link) in self.of_flow.iter_mut().zip(step) {
                *k = (*k).max(self.on_link[link as usize]);
            }
        }
    }

    /// Number of flows on each link, by [`super::LinkId`].
    pub fn on_links(&self) -> &[u32] {
        &self.on_link
    }

    /// The contention of each flow, its own share included; 0 for a flow without a route.
    pub fn of_flows(&self) -> &[u32] {
        &self.of_flow
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::load::Paths;
    use crate::model::load::testing::two_tier;
    use crate::ranks::Flow;

    #[test]
    fn host_links_contend_too() {
        // Hosts 0 and 1 (leaf 0) send to 2 and to 4, host 0 also to 4: its own link carries two
        // flows, the link into host 4 three, the link into host 2 one.
        let net = two_tier(2, 3, 3);
        let paths = Paths::new(&net.fabric, &net.routes, &net.hosts, 0);
        let mut steps = Steps::default();
        let flows = [(0, 4), (0, 2), (1, 4), (5, 4)].map(|(from, to)| Flow { from, to });
        paths.steps(&flows, &mut steps);
        let mut contention = Contention::new(paths.links());
        contention.count(&steps);
        assert_eq!(contention.of_flows(), [3, 2, 3, 3]);
        contention.count(&steps);
        assert_eq!(contention.of_flows(), [3, 2, 3, 3]); // nothing is left over
    }
}
