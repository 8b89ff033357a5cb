//! Switches that are cabled alike, whatever hangs on them.
//!
//! How many hosts a switch has says little of what it is for: leaves are filled over years, and a spine may have a few.
//! What it is cabled to is planned. So leaves are sought among kinds of switches, a kind being those that are cabled
//! to the same others, and what counts is how many hosts a switch of the kind has on average.
//!
//! Where no two are cabled to the same others, as the line chips of directors that hang on further directors, a switch is
//! compared by its *shape*: to how many it has how many cables, and the same of these, and of theirs.

use std::collections::BTreeMap;

use crate::fabric::Bundles;
use crate::sets::Sets;

/// How many steps away the switches are that make a shape.
const STEPS: usize = 3;

/// The kinds of switches of a fabric.
pub(super) struct Kinds {
    /// By switch: the first of its kind.
    of: Vec<u32>,
    /// By first of a kind: how many there are.
    members: Vec<u32>,
}

impl Kinds {
    /// Two switches are of one kind where three quarters of the cables of either lead to switches that the other is
    /// cabled to, as often; and so are all that a row of such pairs joins. Those that are like no other are of one kind
    /// where they have one shape and no cable between them. `hosts`: by switch; of two of one shape, one with hosts and one
    /// without are a leaf and a spine that lack cables.
    pub fn of(bundles: &Bundles, hosts: &[u32]) -> Self {
        let count = hosts.len();
        let to_others = |s: u32| bundles.of_switch(s).iter().copied().filter(move |&(t, _)| t != s);
        let cables: Vec<u32> = (0..count as u32).map(|s| to_others(s).map(|(_, n)| n).sum()).collect();
        let mut sets = Sets::new(count);
        // Cables shared with a switch that is compared; zero between comparisons.
        let mut shared = vec![0; count];
        let mut compared: Vec<u32> = Vec::new();
        for s in 0..count as u32 {
            for (t, n) in to_others(s) {
                for (other, m) in to_others(t).filter(|&(other, _)| other > s) {
                    if shared[other as usize] == 0 {
                        compared.push(other);
                    }
                    shared[other as usize] += n.min(m);
                }
            }
            for other in compared.drain(..) {
                let most = cables[s as usize].max(cables[other as usize]);
                if 4 * std::mem::take(&mut shared[other as usize]) >= 3 * most {
                    sets.join(s, other);
                }
            }
        }
        join_of_a_shape(bundles, hosts, &mut sets);
        let of: Vec<u32> = (0..count as u32).map(|s| sets.first(s)).collect();
        let mut members = vec![0; count];
        for &first in &of {
            members[first as usize] += 1;
        }
        Self { of, members }
    }

    /// The first switch of a switch's kind.
    pub fn first(&self, s: u32) -> u32 {
        self.of[s as usize]
    }

    /// By switch: the average of its kind.
    pub fn averages(&self, values: &[u32]) -> Vec<f64> {
        let mut sums = vec![0_u64; self.of.len()];
        for (&first, &value) in self.of.iter().zip(values) {
            sums[first as usize] += u64::from(value);
        }
        let average = |&first: &u32| sums[first as usize] as f64 / f64::from(self.members[first as usize]);
        self.of.iter().map(average).collect()
    }

    /// Of a set, the kinds more than half of whose members in it are in `chosen`, a part of the set in its order.
    pub fn mostly_in(&self, set: &[u32], chosen: &[u32]) -> Vec<u32> {
        let count = |set: &[u32]| {
            let mut count = vec![0_u32; self.of.len()];
            for &s in set {
                count[self.first(s) as usize] += 1;
            }
            count
        };
        let (all, some) = (count(set), count(chosen));
        let is_chosen = |&s: &u32| 2 * some[self.first(s) as usize] > all[self.first(s) as usize];
        set.iter().copied().filter(is_chosen).collect()
    }
}

/// Joins the switches of one shape that are like no other.
fn join_of_a_shape(bundles: &Bundles, hosts: &[u32], sets: &mut Sets) {
    let count = hosts.len();
    let mut alike = vec![0_u32; count];
    for s in 0..count as u32 {
        alike[sets.first(s) as usize] += 1;
    }
    let shapes = shapes(bundles, count);
    let mut by_shape: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for s in (0..count as u32).filter(|&s| alike[s as usize] == 1 && sets.first(s) == s) {
        by_shape.entry(shapes[s as usize]).or_default().push(s);
    }
    for same in by_shape.values() {
        let is_same = |t: u32| same.binary_search(&t).is_ok();
        // In a torus all have one shape; a level leads to others.
        if same.iter().any(|&s| bundles.of_switch(s).iter().any(|&(t, _)| t != s && is_same(t))) {
            continue;
        }
        if let &[a, b] = &same[..]
            && (hosts[a as usize] > 0) != (hosts[b as usize] > 0)
        {
            continue;
        }
        for &s in same {
            sets.join(same[0], s);
        }
    }
}

/// The shape of each switch, as a number: equal where switches have the same shape.
fn shapes(bundles: &Bundles, count: usize) -> Vec<u32> {
    let mut shapes = vec![0_u32; count];
    for _ in 0..STEPS {
        let mut numbers: BTreeMap<(u32, Vec<(u32, u32)>), u32> = BTreeMap::new();
        let mut next = Vec::with_capacity(count);
        for s in 0..count as u32 {
            let others = bundles.of_switch(s).iter().filter(|&&(t, _)| t != s);
            let mut around: Vec<(u32, u32)> = others.map(|&(t, n)| (shapes[t as usize], n)).collect();
            around.sort_unstable();
            let new = numbers.len() as u32;
            next.push(*numbers.entry((shapes[s as usize], around)).or_insert(new));
        }
        shapes = next;
    }
    shapes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{edit, generate};

    /// The kinds with two members or more, by name.
    fn kinds(spec: &str, selectors: &[&str]) -> Vec<Vec<String>> {
        let fabric = edit(&generate(spec).unwrap(), selectors).unwrap();
        let kinds = Kinds::of(&Bundles::of(&fabric), &vec![1; fabric.num_switches()]);
        let named = |first: u32| -> Vec<String> {
            let members = fabric.switches().filter(|s| kinds.of[s.ix()] == first);
            members.map(|s| fabric.node(s).description.to_string()).collect()
        };
        let all = (0..fabric.num_switches() as u32).map(named);
        all.filter(|names| names.len() > 1).collect()
    }

    #[test]
    fn leaves_of_a_pod_are_of_a_kind_and_so_are_the_cores_of_a_plane() {
        // fat-tree:4,3 has 4 pods of 2 leaves and 2 mids, and 2 cores on the first mid of each pod, 2 on the second.
        // Mids of a pod share its leaves, those of a plane its cores, half of their cables: they are like no other, and
        // have one shape.
        let mids: Vec<String> =
            (1..=4).flat_map(|pod| (1..=2).map(move |mid| format!("mid-{pod:02}-{mid:02}"))).collect();
        let expected = [
            vec!["leaf-01-01", "leaf-01-02"],
            vec!["leaf-02-01", "leaf-02-02"],
            vec!["leaf-03-01", "leaf-03-02"],
            vec!["leaf-04-01", "leaf-04-02"],
            mids.iter().map(String::as_str).collect(),
            vec!["core-01-01", "core-01-02"],
            vec!["core-02-01", "core-02-02"],
        ];
        assert_eq!(kinds("fat-tree:4,3", &[]), expected);
    }

    #[test]
    fn hosts_and_a_quarter_of_the_cables_play_no_part() {
        // Leaves have 4 uplinks, spines 8 cables down. Leaf 1 keeps 3 and has no host; leaf 2 keeps 2.
        let cut = ["node0001", "node0002", "node0003", "node0004", "leaf-01[5]", "leaf-02[5]", "leaf-02[6]"];
        let found = kinds("fat-tree:8,2", &cut);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0], ["leaf-01", "leaf-03", "leaf-04", "leaf-05", "leaf-06", "leaf-07", "leaf-08"]);
        assert_eq!(found[1], ["spine-01", "spine-02", "spine-03", "spine-04"]);
    }
}
