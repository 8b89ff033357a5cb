//! The rounds among which a campaign is chosen: permutations, so that their flows are disjoint.

use super::Kind;
use crate::ranks::Flow;
use crate::ranks::Participants;
use crate::traffic::Rng;

/// The most rounds of each kind that are tried.
const EACH: u32 = 96;
const RANDOM: u64 = 24;

/// Ports leaf by leaf.
pub struct LeafPorts {
    /// All, leaf after leaf.
    ports: Vec<u32>,
    leaves: Vec<Vec<u32>>,
}

impl LeafPorts {
    pub fn of(participants: &Participants) -> Self {
        let slots = || 0..participants.ports().len() as u32;
        let mut leaves = vec![Vec::new(); participants.leaves().len() + 1];
        let last = participants.leaves().len();
        for slot in slots() {
            leaves[participants.leaf_of(slot).map_or(last, |leaf| leaf as usize)].push(slot);
        }
        leaves.retain(|ports| !ports.is_empty());
        Self { ports: leaves.concat(), leaves }
    }

    /// Candidates that are the same for every draw.
    pub fn regular(&self) -> Vec<Kind> {
        let hosts = self.ports.len() as u32;
        let widest = self.leaves.iter().map(Vec::len).max().unwrap_or(0) as u32;
        let leaves = self.leaves.len() as u32;
        let mut kinds: Vec<Kind> = some_of(1, hosts).map(Kind::Shift).collect();
        kinds.extend(some_of(1, widest).map(Kind::Inside));
        let by_leaf =
            some_of(1, leaves).flat_map(|offset| [Kind::Leaves(offset, 0), Kind::Leaves(offset, 1)]);
        kinds.extend(by_leaf);
        kinds
    }

    /// Random candidates, new for every draw.
    pub fn random(seed: u64, draw: u64) -> impl Iterator<Item = Kind> {
        let first = seed.wrapping_add(draw.wrapping_mul(RANDOM));
        (0..RANDOM).map(move |number| Kind::Random(first.wrapping_add(number)))
    }

    pub fn flows(&self, kind: Kind) -> Vec<Flow> {
        let n = self.ports.len();
        let mut flows: Vec<Flow> = match kind {
            Kind::Given => Vec::new(),
            Kind::Shift(by) => {
                (0..n).map(|i| Flow { from: self.ports[i], to: self.ports[(i + by as usize) % n] }).collect()
            }
            Kind::Inside(by) => self.leaves.iter().flat_map(|ports| turned(ports, ports, by)).collect(),
            Kind::Leaves(offset, by) => {
                let count = self.leaves.len();
                let to = |leaf: usize| &self.leaves[(leaf + offset as usize) % count];
                (0..count).flat_map(|leaf| turned(&self.leaves[leaf], to(leaf), by)).collect()
            }
            Kind::Random(number) => {
                let mut order = self.ports.clone();
                Rng::of_pattern(number, 0).shuffle(&mut order);
                (0..n).map(|i| Flow { from: order[i], to: order[(i + 1) % n] }).collect()
            }
        };
        flows.retain(|flow| flow.from != flow.to);
        flows.sort_unstable();
        flows
    }
}

/// The k-th of one leaf to the k-th of the other, turned by so many; as many as both have.
fn turned<'a>(from: &'a [u32], to: &'a [u32], by: u32) -> impl Iterator<Item = Flow> + 'a {
    let both = from.len().min(to.len());
    (0..both).map(move |k| Flow { from: from[k], to: to[(k + by as usize) % to.len()] })
}

/// Numbers from `first` to before `end`: all, or about [`EACH`] evenly spread.
fn some_of(first: u32, end: u32) -> impl Iterator<Item = u32> {
    let step = (end.saturating_sub(first)).div_ceil(EACH).max(1);
    (first..end).step_by(step as usize)
}
