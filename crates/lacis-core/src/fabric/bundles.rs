//! The number of cables between each two switches.

use super::{Fabric, NodeId};

/// The cables between switches, counted by the pair that they join: all parallel ones are one
/// bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundles {
    /// By switch: where its bundles begin in `next`; at the end, how many there are.
    first: Vec<u32>,
    /// Switch after switch, the neighbours and the number of cables to each.
    next: Vec<(u32, u32)>,
}

impl Bundles {
    /// Number of switches.
    pub fn num_switches(&self) -> usize {
        self.first.len() - 1
    }

    /// The bundles of a fabric.
    pub fn of(fabric: &Fabric) -> Self {
        let mut bundles = Self { first: vec![0], next: Vec::new() };
        let mut neighbours: Vec<NodeId> = Vec::new();
        for switch in fabric.switches() {
            let far = fabric.ports_of(switch).filter_map(|p| fabric.peer(p)).map(|p| fabric.node_of(p));
            neighbours.clear();
            neighbours.extend(far.filter(|&n| fabric.is_switch(n)));
            neighbours.sort_unstable();
            let counted = neighbours.chunk_by(|a, b| a == b).map(|same| (same[0].0, same.len() as u32));
            bundles.next.extend(counted);
            bundles.first.push(bundles.next.len() as u32);
        }
        bundles
    }

    /// The neighbours of a switch and the number of cables to each, ascending. A cable from the
    /// switch to itself counts with both of its ends.
    pub fn of_switch(&self, switch: u32) -> &[(u32, u32)] {
        &self.next[self.first[switch as usize] as usize..self.first[switch as usize + 1] as usize]
    }

    /// Every bundle between two different switches once: the lower switch, the higher one, the
    /// number of cables.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32, u32)> + '_ {
        let from =
            |s: u32| self.of_switch(s).iter().filter(move |&&(t, _)| s < t).map(move |&(t, n)| (s, t, n));
        (0..self.num_switches() as u32).flat_map(from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{generate, without};

    #[test]
    fn parallel_cables_are_one_bundle() {
        // Two leaves (0, 1) and two spines (2, 3), two cables between each two; one is lost.
        let whole = generate("pgft:2;2,2;1,2;1,2").unwrap();
        let fabric = without(&whole, &["random-cables=1,seed=1"]).unwrap();
        let bundles: Vec<(u32, u32, u32)> = Bundles::of(&fabric).iter().collect();
        let pairs: Vec<(u32, u32)> = bundles.iter().map(|&(a, b, _)| (a, b)).collect();
        assert_eq!(pairs, [(0, 2), (0, 3), (1, 2), (1, 3)]);
        let mut cables: Vec<u32> = bundles.iter().map(|b| b.2).collect();
        cables.sort_unstable();
        assert_eq!(cables, [1, 2, 2, 2]);
        let bundles = Bundles::of(&whole);
        assert_eq!(bundles.of_switch(2), [(0, 2), (1, 2)]);
    }
}
