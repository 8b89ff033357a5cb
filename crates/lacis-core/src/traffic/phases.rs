//! From a pattern and its participants to phases of flows.

use super::{Pattern, Rng, Striping, TrafficError};
use crate::ranks::{Flow, Participants};

/// The flows that share the network at the same time. Kept between calls, so that making one
/// phase after another allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Phase {
    /// The flows.
    pub flows: Vec<Flow>,
    /// Pairs of hosts left out on a rail that one of the two lacks.
    pub skipped: usize,
    order: Vec<u32>,
}

/// A pattern for given participants: phases by number.
#[derive(Clone, Debug)]
pub struct Phases<'a> {
    participants: &'a Participants,
    kind: Kind,
    count: usize,
    bytes: u64,
    striping: Option<Striping>,
}

/// What one flow carries of the messages from a host to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stripe {
    /// The number of its pair of hosts, from 0.
    pub pair: u32,
    /// Bytes of a message on this flow.
    pub bytes: u64,
    /// Messages of which it carries some.
    pub count: u32,
}

#[derive(Clone, Debug)]
enum Kind {
    Pairs,
    Permutation,
    Bisection,
    Shift(Vec<u32>),
    LeafOffset { offsets: Vec<u32>, members: Vec<Vec<u32>> },
    AllToAll,
    Listed(Vec<Vec<(u32, u32)>>),
}

impl<'a> Phases<'a> {
    /// The phases of a pattern. Random patterns have `patterns` phases; the others as many as they
    /// describe. `pairs` are, by phase, those of [`Pattern::File`], as [`super::listed_pairs`] reads them.
    ///
    /// # Errors
    /// Too few participants, or an argument outside what they allow.
    pub fn new(
        pattern: &Pattern,
        participants: &'a Participants,
        patterns: usize,
        pairs: Vec<Vec<(u32, u32)>>,
    ) -> Result<Self, TrafficError> {
        let n = participants.num_hosts();
        if n < 2 {
            return Err(TrafficError::TooFew { pattern: pattern.name(), needed: 2, found: n });
        }
        let wrong = |reason| TrafficError::Argument { pattern: pattern.to_string(), reason };
        let kind = match pattern {
            Pattern::Pairs => Kind::Pairs,
            Pattern::Permutation => Kind::Permutation,
            Pattern::Bisection => Kind::Bisection,
            Pattern::Shift(distances) => {
                Kind::Shift(distances.within(1, n as u32 - 1).map_err(|e| wrong(format!("distance {e}")))?)
            }
            Pattern::MpiGraph => Kind::Shift((1..n as u32).collect()),
            Pattern::LeafOffset { offsets, nodes, leaves } => {
                let count = participants.leaves().len() as u32;
                if count < 2 {
                    return Err(wrong(format!("needs at least 2 leaves, and the hosts hang off {count}")));
                }
                let last = count.next_power_of_two() - 1;
                let offsets = offsets.within(1, last).map_err(|e| wrong(format!("offset {e}")))?;
                let chosen = leaves.within(0, count - 1).map_err(|e| wrong(format!("leaf {e}")))?;
                Kind::LeafOffset { offsets, members: members(participants, &chosen, *nodes) }
            }
            Pattern::AllToAll => Kind::AllToAll,
            Pattern::File(_) => Kind::Listed(pairs),
        };
        let count = match &kind {
            Kind::Pairs | Kind::Permutation | Kind::Bisection => patterns,
            Kind::Shift(list) | Kind::LeafOffset { offsets: list, .. } => list.len(),
            Kind::AllToAll => 1,
            Kind::Listed(phases) => phases.len(),
        };
        Ok(Self { participants, kind, count, bytes: 0, striping: None })
    }

    /// The same with messages of `bytes` each; they have none unless given.
    #[must_use]
    pub fn with_bytes(self, bytes: u64) -> Self {
        Self { bytes, ..self }
    }

    /// Payload of a message `[bytes]`.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The same with each message of a host spread over the rails, as a library does it.
    ///
    /// # Errors
    /// When the pattern pairs ports instead of hosts.
    pub fn striped(self, striping: Striping) -> Result<Self, TrafficError> {
        if let Kind::LeafOffset { .. } = self.kind {
            let reason = "pairs ports, not hosts: no message can be spread over rails".into();
            return Err(TrafficError::Argument { pattern: "leaf-offset".into(), reason });
        }
        Ok(Self { striping: Some(striping), ..self })
    }

    /// How messages are spread over rails, where they are.
    pub fn striping(&self) -> Option<Striping> {
        self.striping
    }

    /// The participants.
    pub fn participants(&self) -> &'a Participants {
        self.participants
    }

    /// Number of phases.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is no phase.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether this is all-to-all, whose load is found without enumerating its flows.
    pub fn is_all_to_all(&self) -> bool {
        matches!(self.kind, Kind::AllToAll)
    }

    /// Whether hosts are paired, and in each phase every host sends to one host and receives from one at most.
    pub fn each_host_once(&self) -> bool {
        let once = matches!(self.kind, Kind::Pairs | Kind::Permutation | Kind::Bisection | Kind::Shift(_));
        once && self.striping.is_none()
    }

    /// An upper bound of the flows of a phase.
    pub fn max_flows(&self) -> usize {
        let hosts = self.participants.num_hosts();
        match &self.kind {
            Kind::AllToAll => hosts.saturating_mul(hosts - 1).saturating_mul(self.participants.num_rails()),
            Kind::Listed(phases) => {
                let most = phases.iter().map(Vec::len).max().unwrap_or(0);
                most.saturating_mul(self.participants.num_rails())
            }
            _ => self.participants.ports().len(),
        }
    }

    /// What a phase is: the distance of a shift, the offset between leaves; otherwise its number.
    pub fn label(&self, phase: usize) -> u32 {
        match &self.kind {
            Kind::Shift(list) | Kind::LeafOffset { offsets: list, .. } => list[phase],
            _ => phase as u32,
        }
    }

    /// Overwrites `out` with the flows of phase `index` of `seed`, rail by rail.
    pub fn fill(&self, index: usize, seed: u64, out: &mut Phase) {
        if self.fill_pairs(index, seed, out) && !self.participants.is_plain() {
            self.onto_rails(out);
        }
    }

    /// Overwrites `out` with the flows of a phase in which every host sends `count` messages, spread over the rails, and
    /// `stripes` with what each flow carries. Pairs without a rail in common are left out.
    pub fn fill_striped(
        &self,
        (index, seed): (usize, u64),
        count: u32,
        out: &mut Phase,
        stripes: &mut Vec<Stripe>,
    ) {
        stripes.clear();
        self.fill_pairs(index, seed, out);
        let Some(striping) = self.striping else { return };
        let pairs = std::mem::take(&mut out.flows);
        let mut common: Vec<Flow> = Vec::with_capacity(self.participants.num_rails());
        for (number, pair) in (0..).zip(&pairs) {
            common.clear();
            let slots = |rail| {
                Some((self.participants.slot(pair.from, rail)?, self.participants.slot(pair.to, rail)?))
            };
            common.extend(
                (0..self.participants.num_rails()).filter_map(slots).map(|(from, to)| Flow { from, to }),
            );
            out.skipped += usize::from(common.is_empty());
            striping.spread(self.bytes, count, common.len() as u32, index as u64, |rail, bytes, count| {
                out.flows.push(common[rail as usize]);
                stripes.push(Stripe { pair: number, bytes, count });
            });
        }
    }

    /// Overwrites `out` with the pairs of hosts of phase `index` of `seed`, each as one flow; false where the pattern pairs ports, and
    /// these are flows already.
    pub fn fill_pairs(&self, index: usize, seed: u64, out: &mut Phase) -> bool {
        out.flows.clear();
        out.skipped = 0;
        let n = self.participants.num_hosts() as u32;
        let mut rng = Rng::of_pattern(seed, index as u64);
        match &self.kind {
            Kind::Pairs => {
                identity(&mut out.order, n);
                rng.shuffle(&mut out.order);
                out.flows
                    .extend(out.order.chunks_exact(2).flat_map(|p| [flow(p[0], p[1]), flow(p[1], p[0])]));
            }
            Kind::Permutation => {
                derangement(&mut out.order, n, &mut rng);
                out.flows.extend((0..).zip(&out.order).map(|(i, &j)| flow(i, j)));
            }
            Kind::Bisection => {
                identity(&mut out.order, n);
                rng.shuffle(&mut out.order);
                let (senders, receivers) = out.order.split_at(n as usize / 2);
                out.flows.extend(senders.iter().zip(receivers).map(|(&a, &b)| flow(a, b)));
            }
            Kind::Shift(distances) => {
                let d = distances[index];
                out.flows.extend((0..n - d).map(|i| flow(i, i + d)));
                out.flows.extend((n - d..n).map(|i| flow(i, i - (n - d))));
            }
            Kind::AllToAll => {
                out.flows
                    .extend((0..n).flat_map(|i| (0..n).filter(move |&j| j != i).map(move |j| flow(i, j))));
            }
            Kind::Listed(phases) => out.flows.extend(phases[index].iter().map(|&(a, b)| flow(a, b))),
            Kind::LeafOffset { offsets, members } => {
                for (a, nodes) in members.iter().enumerate() {
                    let partner = members.get(a ^ offsets[index] as usize);
                    let pairs = partner.into_iter().flat_map(|b| nodes.iter().zip(b));
                    out.flows.extend(pairs.map(|(&from, &to)| flow(from, to)));
                }
                return false; // its members are ports already
            }
        }
        true
    }

    /// Turns flows between hosts into flows between their ports, rail by rail.
    fn onto_rails(&self, out: &mut Phase) {
        let pairs = out.flows.len();
        for rail in 0..self.participants.num_rails() {
            for i in 0..pairs {
                let pair = out.flows[i];
                match (self.participants.slot(pair.from, rail), self.participants.slot(pair.to, rail)) {
                    (Some(from), Some(to)) => out.flows.push(Flow { from, to }),
                    _ => out.skipped += 1,
                }
            }
        }
        out.flows.drain(..pairs);
    }
}

fn flow(from: u32, to: u32) -> Flow {
    Flow { from, to }
}

fn identity(order: &mut Vec<u32>, n: u32) {
    order.clear();
    order.extend(0..n);
}

/// A permutation without a fixed point, each equally likely: shuffles until one is found, giving
/// up a shuffle at its first fixed point. Of all permutations 1/e are such, so about e shuffles.
fn derangement(order: &mut Vec<u32>, n: u32, rng: &mut Rng) {
    loop {
        identity(order, n);
        // Index i is settled once it has been drawn, so a fixed point shows at once.
        let settled = (1..n as usize).rev().all(|i| {
            order.swap(i, rng.below(i as u32 + 1) as usize);
            order[i] != i as u32
        });
        if settled && order[0] != 0 {
            return;
        }
    }
}

/// By leaf number, the ports of the chosen leaves, at most `nodes` of each; the others are empty.
fn members(participants: &Participants, chosen: &[u32], nodes: Option<u32>) -> Vec<Vec<u32>> {
    let mut members = vec![Vec::new(); participants.leaves().len()];
    for slot in 0..participants.ports().len() as u32 {
        if let Some(leaf) = participants.leaf_of(slot) {
            members[leaf as usize].push(slot);
        }
    }
    let limit = nodes.unwrap_or(u32::MAX) as usize;
    for (leaf, list) in (0..).zip(&mut members) {
        list.truncate(if chosen.contains(&leaf) { limit } else { 0 });
    }
    members
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::load::testing::two_tier;
    use crate::ranks::HostPorts;

    fn phase(text: &str, participants: &Participants, index: usize, seed: u64) -> Vec<(u32, u32)> {
        let phases = Phases::new(&text.parse().unwrap(), participants, 9, Vec::new()).unwrap();
        let mut out = Phase::default();
        phases.fill(index, seed, &mut out);
        out.flows.iter().map(|f| (f.from, f.to)).collect()
    }

    fn twelve() -> Participants {
        let net = two_tier(4, 3, 2);
        Participants::each_port(&net.fabric, &net.hosts)
    }

    #[test]
    fn random_patterns_are_what_they_say_for_every_seed() {
        let participants = twelve();
        for seed in 0..200 {
            let permutation = phase("permutation", &participants, 0, seed);
            let mut to: Vec<_> = permutation.iter().map(|f| f.1).collect();
            to.sort_unstable();
            assert_eq!(to, (0..12).collect::<Vec<_>>());
            assert!(permutation.iter().all(|f| f.0 != f.1));

            let bisection = phase("bisection", &participants, 3, seed);
            let mut all: Vec<_> = bisection.iter().flat_map(|f| [f.0, f.1]).collect();
            all.sort_unstable();
            assert_eq!((bisection.len(), all), (6, (0..12).collect()));

            let pairs = phase("pairs", &participants, 8, seed);
            assert!(pairs.iter().all(|&(a, b)| pairs.contains(&(b, a))));
            assert_eq!(pairs.len(), 12);
        }
    }

    #[test]
    fn every_derangement_is_equally_likely() {
        // Four hosts have 9 derangements. Of 9,000 draws each comes 1,000 times, give or take
        // 5 sigma = 5 * sqrt(9000 * 1/9 * 8/9) = 149.
        let mut count = std::collections::BTreeMap::new();
        let mut order = Vec::new();
        for seed in 0..9000 {
            derangement(&mut order, 4, &mut Rng::of_pattern(seed, 0));
            *count.entry(order.clone()).or_insert(0_u32) += 1;
        }
        assert_eq!(count.len(), 9);
        assert!(count.values().all(|c| c.abs_diff(1000) < 149), "{count:?}");
    }

    #[test]
    fn shifts_go_round() {
        let participants = twelve();
        let flows = phase("shift:5", &participants, 0, 0);
        assert!(flows.iter().all(|&(a, b)| b == (a + 5) % 12));
        assert_eq!(flows.len(), 12);
        // mpigraph: every ordered pair once.
        let phases = Phases::new(&Pattern::MpiGraph, &participants, 0, Vec::new()).unwrap();
        let mut seen = std::collections::BTreeSet::new();
        let mut out = Phase::default();
        for i in 0..phases.len() {
            phases.fill(i, 0, &mut out);
            seen.extend(out.flows.iter().copied());
        }
        assert_eq!((phases.len(), seen.len()), (11, 12 * 11));
    }

    #[test]
    fn leaf_offset_pairs_the_nth_node_with_the_nth() {
        // Four leaves of three: leaf 0 holds 0, 1, 2 and so on. Offset 2 pairs leaf 0 with 2.
        let participants = twelve();
        let flows = phase("leaf-offset:offset=2,nodes=2,leaves=0,2,3", &participants, 0, 0);
        assert_eq!(flows, [(0, 6), (1, 7), (6, 0), (7, 1)]);
        assert_eq!(phase("leaf-offset", &participants, 2, 0).len(), 12); // offsets 1 to 3: all leaves
    }

    #[test]
    fn sixty_three_offsets_cover_every_pair_of_sixty_four_leaves_once() {
        let net = two_tier(64, 1, 1);
        let participants = Participants::each_port(&net.fabric, &net.hosts);
        let phases = Phases::new(&"leaf-offset".parse().unwrap(), &participants, 1, Vec::new()).unwrap();
        assert_eq!(phases.len(), 63);
        let mut seen = std::collections::BTreeSet::new();
        let mut out = Phase::default();
        for i in 0..63 {
            phases.fill(i, 0, &mut out);
            assert!(out.flows.iter().all(|f| seen.insert((f.from, f.to))));
        }
        assert_eq!(seen.len(), 64 * 63);
    }

    #[test]
    fn rails_send_side_by_side_and_a_missing_rail_is_counted() {
        let net = two_tier(2, 4, 1);
        let rails = |a: usize, b: Option<usize>| vec![Some(net.hosts[a]), b.map(|b| net.hosts[b])];
        let host = |name: &str, ports| HostPorts { name: name.into(), ports };
        let hosts = [host("a", rails(0, Some(4))), host("b", rails(1, Some(5))), host("c", rails(2, None))];
        let participants = Participants::new(&net.fabric, &hosts, None);
        // Ports host by host: a0 = 0, a1 = 1, b0 = 2, b1 = 3, c0 = 4. Shift 1: a-b, b-c, c-a.
        let phases = Phases::new(&"shift:1".parse().unwrap(), &participants, 1, Vec::new()).unwrap();
        let mut out = Phase::default();
        phases.fill(0, 0, &mut out);
        let flows: Vec<_> = out.flows.iter().map(|f| (f.from, f.to)).collect();
        assert_eq!((flows, out.skipped), (vec![(0, 2), (2, 4), (4, 0), (1, 3)], 2));
    }

    #[test]
    fn arguments_beyond_the_fabric_are_refused() {
        let participants = twelve();
        for (text, expected) in
            [("shift:12", "12 is not between 1 and 11"), ("leaf-offset:leaves=4", "between 0 and 3")]
        {
            let error = Phases::new(&text.parse().unwrap(), &participants, 1, Vec::new()).unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
        }
        let no_hosts = Participants::each_port(&two_tier(2, 1, 1).fabric, &[]);
        assert!(Phases::new(&Pattern::Bisection, &no_hosts, 1, Vec::new()).is_err());
    }
}
