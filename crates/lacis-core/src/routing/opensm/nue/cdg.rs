//! The complete channel dependency graph D and its used edges, which close no cycle.
//!
//! Nodes are the channels, and one more for each switch, where paths from its end nodes begin. An edge leads
//! from a node to each channel that begins where it ends, but not to the same cable back.
//!
//! Used nodes that used edges connect have a colour: an edge between two colours closes no cycle. A colour
//! may stand for another: `real`, one step and no further, as in OpenSM. Within a colour OpenSM searches;
//! here `level`, which grows along every used edge, rules most cycles out.

use super::network::{NONE, SwitchNetwork};

/// The colour of what no path uses; 0 is OpenSM's for blocked edges.
const UNUSED: u32 = 1;
/// The colour of the escape paths; routes have those above.
const ESCAPE: u32 = 2;

/// An edge: 64 × the words of its node before it, and its index among the node's edges.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge(u32);

/// A set of edges, a bit each.
#[derive(Clone, Debug)]
pub(super) struct Edges(Vec<u64>);

impl Edges {
    fn has(&self, edge: Edge) -> bool {
        self.0[edge.0 as usize / 64] >> (edge.0 % 64) & 1 == 1
    }

    pub fn insert(&mut self, edge: Edge) {
        self.0[edge.0 as usize / 64] |= 1 << (edge.0 % 64);
    }

    fn remove(&mut self, edge: Edge) {
        self.0[edge.0 as usize / 64] &= !(1 << (edge.0 % 64));
    }
}

/// A node that a search is at, and those of its used edges that it has not taken yet.
#[derive(Clone, Copy, Debug)]
struct Frame {
    node: u32,
    /// The channel of the word's first edge.
    first: u32,
    word: u32,
    left: u64,
}

/// D and what is used of it.
#[derive(Debug)]
pub(super) struct Cdg {
    /// Words of the edges of a node.
    words: usize,
    used: Edges,
    /// Would close a cycle, or do not exist.
    blocked: Edges,
    absent: Edges,
    /// Taken in this step.
    wet: Edges,
    colour: Vec<u32>,
    /// By colour: the one it stands for.
    real: Vec<u32>,
    /// By colour as nodes keep it: the colour it is by now. So it can change for all at once.
    now: Vec<u32>,
    wet_nodes: Vec<u32>,
    wet_edges: Vec<Edge>,
    /// By channel.
    level: Vec<u32>,
    /// Whether used edges close a cycle, which colours may overlook: then there are no levels.
    is_cyclic: bool,
    /// By channel: what searches found, see [`Cdg::reaches`].
    seen: Vec<u32>,
    search: u32,
    /// The channel that these searches were for; none where edges have changed since.
    target: u32,
    path: Vec<Frame>,
    /// By level: channels that were there and grow.
    raised: Vec<Vec<u32>>,
    /// By channel: the last time its level grew.
    grown: Vec<u32>,
    growth: u32,
}

impl Cdg {
    /// D, nothing of it used.
    pub fn new(network: &SwitchNetwork) -> Self {
        let nodes = network.num_channels() + network.len();
        let degree = |switch| network.channels(switch).len();
        let words = (0..network.len() as u32).map(degree).max().unwrap_or(0).div_ceil(64);
        let none = Edges(vec![0; nodes * words]);
        let mut cdg = Self {
            words,
            used: none.clone(),
            blocked: none.clone(),
            absent: Edges(vec![u64::MAX; nodes * words]),
            wet: none,
            colour: vec![UNUSED; nodes],
            real: Vec::new(),
            now: Vec::new(),
            wet_nodes: Vec::new(),
            wet_edges: Vec::new(),
            level: vec![0; nodes],
            is_cyclic: false,
            seen: vec![0; nodes],
            search: 0,
            target: NONE,
            path: Vec::new(),
            raised: Vec::new(),
            grown: vec![0; nodes],
            growth: 0,
        };
        for node in 0..nodes as u32 {
            for channel in network.channels(network.end(node)) {
                if let Some(edge) = cdg.edge(network, node, channel) {
                    cdg.absent.remove(edge);
                }
            }
        }
        cdg
    }

    /// Forgets what is used.
    pub fn reset(&mut self) {
        self.used.0.fill(0);
        self.wet.0.fill(0);
        self.blocked.0.clone_from(&self.absent.0);
        self.colour.fill(UNUSED);
        self.real = (0..=ESCAPE).collect();
        self.now.clone_from(&self.real);
        self.level.fill(0);
        self.is_cyclic = false;
        self.target = NONE;
    }

    /// The edge from a node to a channel that begins where it ends; `None` if that is the same cable back.
    pub fn edge(&self, network: &SwitchNetwork, node: u32, channel: u32) -> Option<Edge> {
        let back = network.back.get(node as usize).copied().unwrap_or(NONE);
        (channel != back).then(|| self.edge_of(network, node, channel))
    }

    /// The same of a switch or channel, whichever a set of edges is by.
    pub fn edge_of(&self, network: &SwitchNetwork, node: u32, channel: u32) -> Edge {
        let bit = channel - network.channels(network.from[channel as usize]).start;
        Edge(node * self.words as u32 * 64 + bit)
    }

    /// A set of edges by switch instead of by channel, without any.
    pub fn none_by_switch(&self, network: &SwitchNetwork) -> Edges {
        Edges(vec![0; network.len() * self.words])
    }

    /// Whether all edges are used that lead from a channel to those of the switch where it ends.
    pub fn uses_all(&self, network: &SwitchNetwork, channel: u32, by_switch: &Edges) -> bool {
        let words = |first: u32| first as usize * self.words..(first as usize + 1) * self.words;
        let wanted = &by_switch.0[words(network.to[channel as usize])];
        self.used.0[words(channel)].iter().zip(wanted).all(|(used, wanted)| wanted & !used == 0)
    }

    /// Words of the edges of a node.
    pub fn words(&self) -> u32 {
        self.words as u32
    }

    /// The used edges of a node in a word, or those that may become such: a bit each.
    pub fn edges(&self, node: u32, is_used: bool, word: u32) -> u64 {
        let at = node as usize * self.words + word as usize;
        let used = self.used.0[at];
        if is_used { used } else { !used & !self.blocked.0[at] }
    }

    /// Whether an edge would close a cycle.
    pub fn is_blocked(&self, edge: Edge) -> bool {
        self.blocked.has(edge)
    }

    /// Whether an edge was taken in this step.
    pub fn is_wet(&self, edge: Edge) -> bool {
        self.wet.has(edge)
    }

    fn colour_of(&self, node: u32) -> u32 {
        self.real[self.now[self.colour[node as usize] as usize] as usize]
    }

    /// Reserves a channel for escape paths.
    pub fn mark_node(&mut self, channel: u32) {
        self.colour[channel as usize] = ESCAPE;
    }

    /// Reserves an edge for escape paths.
    pub fn mark_edge(&mut self, network: &SwitchNetwork, node: u32, channel: u32) {
        let Some(edge) = self.edge(network, node, channel) else { return };
        if !self.used.has(edge) {
            self.is_cyclic |= self.closes_cycle(network, node, channel);
            self.insert(node, edge);
        }
    }

    /// Makes an edge a used one.
    fn insert(&mut self, node: u32, edge: Edge) {
        self.used.insert(edge);
        if node != self.target {
            self.target = NONE;
        }
    }

    /// Begins a step with a new colour, which the node it starts from gets.
    pub fn begin(&mut self, source: u32) -> u32 {
        let colour = self.real.len() as u32;
        self.real.push(colour);
        self.now.push(colour);
        if self.colour_of(source) > UNUSED {
            let now = self.now[self.colour[source as usize] as usize];
            self.real[now as usize] = colour;
        } else {
            self.colour[source as usize] = colour;
        }
        colour
    }

    /// Makes an edge a used one, unless it closes a cycle: then it is blocked permanently.
    pub fn take(
        &mut self,
        network: &SwitchNetwork,
        node: u32,
        channel: u32,
        edge: Edge,
        colour: u32,
    ) -> bool {
        if self.used.has(edge) {
            return true;
        }
        let tail = self.colour_of(channel);
        let closes_cycle = self.closes_cycle(network, node, channel);
        if tail == colour {
            if closes_cycle {
                self.blocked.insert(edge);
                return false;
            }
        } else if tail == UNUSED {
            self.colour[channel as usize] = self.colour[node as usize];
            self.wet_nodes.push(channel);
        } else {
            let old = self.now[self.colour[channel as usize] as usize];
            self.real[old as usize] = self.now[self.colour[node as usize] as usize];
            self.is_cyclic |= closes_cycle;
        }
        self.insert(node, edge);
        self.wet.insert(edge);
        self.wet_edges.push(edge);
        true
    }

    /// Whether used edges lead from a channel to a node that shall lead to it; otherwise levels are made to
    /// grow from the node to the channel.
    fn closes_cycle(&mut self, network: &SwitchNetwork, node: u32, channel: u32) -> bool {
        let is_source = node as usize >= network.num_channels();
        if is_source || !self.is_cyclic && self.level[node as usize] < self.level[channel as usize] {
            return false; // no edge leads to where paths begin
        }
        if self.reaches(network, channel, node) {
            return true;
        }
        if !self.is_cyclic {
            self.raise(network, channel, self.level[node as usize] + 1);
        }
        false
    }

    /// Whether used edges lead from one channel to another, depth first. What is found on the way serves the
    /// next searches for the same target: edges from there lead to nothing that was not behind it before.
    fn reaches(&mut self, network: &SwitchNetwork, from: u32, target: u32) -> bool {
        if self.target != target {
            self.target = target;
            self.search += 2;
        }
        let (misses, reaches) = (self.search, self.search + 1);
        let limit = if self.is_cyclic { u32::MAX } else { self.level[target as usize] };
        self.path.clear();
        if self.seen[from as usize] == reaches {
            return true;
        } else if self.seen[from as usize] != misses {
            self.step_to(network, from);
        }
        while let Some(step) = self.path.last_mut() {
            if step.left == 0 {
                if step.word as usize + 1 < self.words {
                    step.word += 1;
                    step.first += 64;
                    step.left = self.used.0[step.node as usize * self.words + step.word as usize];
                } else {
                    self.path.pop();
                }
                continue;
            }
            let next = step.first + step.left.trailing_zeros();
            step.left &= step.left - 1;
            let seen = self.seen[next as usize];
            if next == target || seen == reaches {
                for step in &self.path {
                    self.seen[step.node as usize] = reaches;
                }
                if self.is_cyclic {
                    self.target = NONE; // what was left as a miss may lead back to the path
                }
                return true;
            }
            if seen != misses && self.level[next as usize] < limit {
                self.step_to(network, next);
            }
        }
        false
    }

    fn step_to(&mut self, network: &SwitchNetwork, node: u32) {
        self.seen[node as usize] = self.search;
        let first = network.channels(network.end(node)).start;
        let left = self.used.0[node as usize * self.words];
        self.path.push(Frame { node, first, word: 0, left });
    }

    /// Raises a channel's level, and those of channels behind it as far as they must grow. Taken by their
    /// old levels each is looked at once.
    fn raise(&mut self, network: &SwitchNetwork, channel: u32, level: u32) {
        self.growth += 1;
        let mut at = self.level[channel as usize] as usize;
        let mut left = 1;
        self.raised.resize(self.raised.len().max(at + 1), Vec::new());
        self.raised[at].push(channel);
        self.level[channel as usize] = level;
        while left > 0 {
            let Some(node) = self.raised[at].pop() else {
                at += 1;
                continue;
            };
            left -= 1;
            let first = network.channels(network.end(node)).start;
            let least = self.level[node as usize] + 1;
            for word in 0..self.words() {
                for bit in bits(self.edges(node, true, word)) {
                    let next = first + 64 * word + bit;
                    let old = self.level[next as usize];
                    if old < least {
                        if self.grown[next as usize] != self.growth {
                            self.grown[next as usize] = self.growth;
                            self.raised.resize(self.raised.len().max(old as usize + 1), Vec::new());
                            self.raised[old as usize].push(next);
                            left += 1;
                        }
                        self.level[next as usize] = least;
                    }
                }
            }
        }
    }

    /// Gives an edge back that was taken in this step.
    pub fn release(&mut self, edge: Edge) {
        if self.wet.has(edge) {
            self.wet.remove(edge);
            self.used.remove(edge);
            if self.seen[edge.0 as usize / 64 / self.words] == self.search + 1 {
                self.target = NONE;
            }
        }
    }

    /// Ends a step: keeps what the paths use of what was taken in it; by switch, `used` is the channel
    /// that leads to it.
    pub fn finish(&mut self, network: &SwitchNetwork, used: &[u32], source: u32) {
        let mut wet_nodes = std::mem::take(&mut self.wet_nodes);
        for &node in &wet_nodes {
            if used[network.to[node as usize] as usize] != node {
                self.colour[node as usize] = UNUSED;
            }
        }
        wet_nodes.clear();
        self.wet_nodes = wet_nodes;
        for &channel in used.iter().filter(|&&channel| channel != NONE) {
            let before = match used[network.from[channel as usize] as usize] {
                NONE => source,
                before => before,
            };
            if let Some(edge) = self.edge(network, before, channel) {
                self.wet.remove(edge);
            }
        }
        while let Some(edge) = self.wet_edges.pop() {
            self.release(edge);
        }
        for colour in &mut self.now {
            *colour = self.real[*colour as usize];
        }
    }
}

/// The indices of the bits that are set.
fn bits(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros());
        word &= word.wrapping_sub(1);
        bit
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::generate::generate;
    use crate::sm::lids::{LidOptions, Lids};

    fn network(spec: &str) -> SwitchNetwork {
        let fabric = generate(spec).unwrap();
        let manager = Lids::default_sm(&fabric).unwrap();
        let lids = Lids::assign(&fabric, manager, &LidOptions::fresh()).unwrap();
        SwitchNetwork::new(&fabric, &lids, fabric.switches().collect(), |_| true)
    }

    /// The literal search: whether used edges lead from one channel to another.
    fn leads(network: &SwitchNetwork, cdg: &Cdg, from: u32, to: u32) -> bool {
        let mut seen = vec![false; network.num_channels()];
        let mut stack = vec![from];
        while let Some(channel) = stack.pop() {
            if channel == to {
                return true;
            }
            if !std::mem::replace(&mut seen[channel as usize], true) {
                let next = network.channels(network.end(channel));
                let is_used = |&c: &u32| cdg.edge(network, channel, c).is_some_and(|edge| cdg.used.has(edge));
                stack.extend(next.filter(is_used));
            }
        }
        false
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_search_for_cycles_finds_what_a_plain_search_finds(
            spec in prop_oneof![Just("torus:3x3"), Just("fat-tree:4,3"), Just("random:10,4,1"), Just("ring:5")],
            asked in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..300),
        ) {
            let network = network(spec);
            let mut cdg = Cdg::new(&network);
            cdg.reset();
            for (node, taken) in asked {
                let node = node.index(network.num_channels()) as u32;
                // All edges of a node are asked for one after the other, and some become used, though they close a cycle.
                for channel in network.channels(network.end(node)) {
                    let Some(edge) = cdg.edge(&network, node, channel) else { continue };
                    if cdg.used.has(edge) {
                        continue;
                    }
                    let expected = leads(&network, &cdg, channel, node);
                    prop_assert_eq!(cdg.closes_cycle(&network, node, channel), expected);
                    if taken >> (channel % 8) & 1 == 1 {
                        cdg.mark_edge(&network, node, channel);
                    }
                }
            }
        }
    }
}
