//! Where the escape paths of a lane have their root: the switch that most shortest paths between the lane's
//! destinations pass.
//!
//! U. Brandes, "A Faster Algorithm for Betweenness Centrality", Journal of Mathematical Sociology 25(2), 2001.
//!
//! | here       | in that paper                                                       |
//! |------------|---------------------------------------------------------------------|
//! | `sigma`    | σ: number of shortest paths from the source                         |
//! | `delta`    | δ: dependency of the source on a switch                             |
//! | `before`   | P: predecessors on shortest paths, once for each cable              |
//! | `central`  | `C_B`: betweenness                                                  |
//!
//! Adapters are no nodes here: each counts as one more path that ends at its switch, and as a source with
//! the same paths as its switch. Sums are added up in OpenSM's order, since they are rounded.

use super::network::SwitchNetwork;

const FAR: u32 = u32::MAX;

/// The switches on shortest paths between those with destinations, and these.
pub(super) fn hull(network: &SwitchNetwork, has_targets: &[bool]) -> Vec<bool> {
    let mut hull = has_targets.to_vec();
    let mut queue = Vec::with_capacity(network.len());
    for source in 0..network.len() {
        if !hull[source] {
            continue;
        }
        let hops = hops_from(network, source as u32, &mut queue);
        let mut is_done = vec![false; network.len()];
        is_done[source] = true;
        for end in 0..network.len() {
            if !hull[end] || is_done[end] {
                continue;
            }
            is_done[end] = true;
            queue.clear();
            queue.push(end as u32);
            let mut head = 0;
            while let Some(&switch) = queue.get(head) {
                head += 1;
                for &nearer in network.neighbours(switch) {
                    let at = nearer as usize;
                    if !is_done[at] && hops[at] != FAR && hops[at] + 1 == hops[switch as usize] {
                        is_done[at] = true;
                        hull[at] = true;
                        queue.push(nearer);
                    }
                }
            }
        }
    }
    hull
}

fn hops_from(network: &SwitchNetwork, source: u32, queue: &mut Vec<u32>) -> Vec<u32> {
    let mut hops = vec![FAR; network.len()];
    hops[source as usize] = 0;
    queue.clear();
    queue.push(source);
    let mut head = 0;
    while let Some(&switch) = queue.get(head) {
        head += 1;
        for &far in network.neighbours(switch) {
            if hops[far as usize] == FAR {
                hops[far as usize] = hops[switch as usize] + 1;
                queue.push(far);
            }
        }
    }
    hops
}

/// The switch of the hull with the greatest betweenness, the first of several. `adapters`: by switch,
/// destinations on it.
pub(super) fn centre(network: &SwitchNetwork, hull: &[bool], adapters: &[u8]) -> Option<u32> {
    let mut central = vec![0.0_f64; network.len()];
    let mut search = Betweenness::new(network.len());
    for source in (0..network.len()).filter(|&s| hull[s]) {
        search.run(network, hull, source as u32);
        search.depend(adapters, adapters[source]);
        for &switch in &search.queue[1..] {
            central[switch as usize] += search.delta[switch as usize];
        }
        if adapters[source] == 0 {
            continue;
        }
        search.depend(adapters, adapters[source] - 1);
        for &switch in &search.queue {
            for _ in 0..adapters[source] {
                central[switch as usize] += search.delta[switch as usize];
            }
        }
    }
    let mut best: Option<u32> = None;
    for switch in (0..network.len()).filter(|&s| hull[s]) {
        if best.is_none_or(|best| central[best as usize] < central[switch]) {
            best = Some(switch as u32);
        }
    }
    best
}

/// What one pass of Brandes keeps by switch.
struct Betweenness {
    hops: Vec<u32>,
    sigma: Vec<u64>,
    before: Vec<Vec<u32>>,
    delta: Vec<f64>,
    /// By hops from the source.
    queue: Vec<u32>,
}

impl Betweenness {
    fn new(count: usize) -> Self {
        Self {
            hops: vec![FAR; count],
            sigma: vec![0; count],
            before: vec![Vec::new(); count],
            delta: vec![0.0; count],
            queue: Vec::with_capacity(count),
        }
    }

    fn run(&mut self, network: &SwitchNetwork, hull: &[bool], source: u32) {
        self.hops.fill(FAR);
        self.sigma.fill(0);
        self.before.iter_mut().for_each(Vec::clear);
        self.queue.clear();
        self.queue.push(source);
        self.hops[source as usize] = 0;
        self.sigma[source as usize] = 1;
        let mut head = 0;
        while let Some(&switch) = self.queue.get(head) {
            head += 1;
            let at = switch as usize;
            for &next in network.neighbours(switch) {
                let far = next as usize;
                if !hull[far] {
                    continue;
                }
                if self.hops[far] == FAR {
                    self.hops[far] = self.hops[at] + 1;
                    self.queue.push(next);
                }
                if self.hops[far] == self.hops[at] + 1 {
                    self.sigma[far] = self.sigma[far].wrapping_add(self.sigma[at]);
                    self.before[far].push(switch);
                }
            }
        }
    }

    /// The dependencies of the source, on which `own` destinations are.
    fn depend(&mut self, adapters: &[u8], own: u8) {
        self.delta.fill(0.0);
        for (index, &switch) in self.queue.iter().enumerate().rev() {
            let at = switch as usize;
            let ends = if index == 0 { own } else { adapters[at] };
            for _ in 0..ends {
                self.delta[at] += 1.0;
            }
            for &before in &self.before[at] {
                let share = self.sigma[before as usize] as f64 / self.sigma[at] as f64;
                self.delta[before as usize] += share * (1.0 + self.delta[at]);
            }
        }
    }
}
