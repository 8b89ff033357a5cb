//! `lash` against a slow, literal rendering of OpenSM 3.3.23's rules: every lane's graph with its use
//! counts as OpenSM keeps them, a search of it for every attempt, the balancing pair by pair.

use std::collections::BTreeMap;

use lacis_core::fabric::{Fabric, NodeId};
use lacis_core::generate::{generate, shuffle_guids};
use lacis_core::routing::{Options, route};
use lacis_core::sm::lanes::PathLanes;
use lacis_core::sm::{Engine, NO_ENTRY, Routes};
use proptest::prelude::*;

use crate::fabrics::{lids, switches};

type Channel = (usize, usize);

/// glibc's `rand()` with seed 1, by its recurrence over all numbers so far.
struct Rand(Vec<u32>);

impl Rand {
    fn new() -> Self {
        let mut r: Vec<u32> = vec![1];
        for i in 1..31 {
            r.push((16_807 * u64::from(r[i - 1]) % 2_147_483_647) as u32);
        }
        r.extend_from_within(0..3);
        for i in 34..344 {
            r.push(r[i - 31].wrapping_add(r[i - 3]));
        }
        Self(r)
    }

    fn below(&mut self, n: usize) -> usize {
        let i = self.0.len();
        self.0.push(self.0[i - 31].wrapping_add(self.0[i - 3]));
        (self.0[i] >> 1) as usize % n
    }
}

/// Channels with their use counts, and what each leads to with its own count.
#[derive(Default)]
struct Lane {
    uses: BTreeMap<Channel, u32>,
    next: BTreeMap<Channel, Vec<(Channel, u32)>>,
}

impl Lane {
    /// Adds the chains of a pair if no cycle comes of it.
    fn try_add(&mut self, chains: &[Vec<Channel>; 2]) -> bool {
        let (mut new, mut appended) = (Vec::new(), Vec::new());
        for chain in chains {
            for (i, &channel) in chain.iter().enumerate() {
                *self.uses.entry(channel).or_insert_with(|| {
                    new.push(channel);
                    0
                }) += 1;
                let entries = self.next.entry(channel).or_default();
                let Some(&then) = chain.get(i + 1) else { continue };
                if let Some((_, count)) = entries.iter_mut().find(|(to, _)| *to == then) {
                    *count += 1;
                } else {
                    entries.push((then, 1));
                    appended.push(channel);
                }
            }
        }
        let cycle = chains.iter().any(|chain| self.closes(chain[0]));
        if cycle {
            // The counts of entries that were there already stay raised.
            for channel in appended {
                self.next.get_mut(&channel).unwrap().pop();
            }
            for channel in chains.iter().flatten() {
                *self.uses.get_mut(channel).unwrap() -= 1;
            }
            for channel in new {
                self.uses.remove(&channel);
                self.next.remove(&channel);
            }
        }
        !cycle
    }

    /// Depth-first search for a channel that leads to itself.
    fn closes(&self, start: Channel) -> bool {
        let mut done = BTreeMap::from([(start, false)]);
        let mut stack = vec![(start, 0)];
        while let Some((channel, i)) = stack.pop() {
            let Some(&(to, _)) = self.next.get(&channel).and_then(|all| all.get(i)) else {
                done.insert(channel, true);
                continue;
            };
            stack.push((channel, i + 1));
            match done.get(&to) {
                Some(false) => return true,
                Some(true) => {}
                None => {
                    done.insert(to, false);
                    stack.push((to, 0));
                }
            }
        }
        false
    }

    fn remove(&mut self, chains: &[Vec<Channel>; 2]) {
        for chain in chains {
            for (i, channel) in chain.iter().enumerate() {
                let uses = self.uses.get_mut(channel).unwrap();
                if *uses == 1 {
                    self.uses.remove(channel);
                    self.next.remove(channel);
                    continue;
                }
                *uses -= 1;
                let Some(then) = chain.get(i + 1) else { continue };
                let entries = self.next.get_mut(channel).unwrap();
                let at = entries.iter().position(|(to, _)| to == then).unwrap();
                if entries[at].1 == 1 {
                    entries.remove(at);
                } else {
                    entries[at].1 -= 1;
                }
            }
        }
    }
}

struct Reference {
    order: Vec<NodeId>,
    /// By switch and target: port, and the switch behind it.
    out: Vec<Vec<Option<(u8, usize)>>>,
    lane: Vec<Vec<usize>>,
    needed: usize,
}

impl Reference {
    fn of(fabric: &Fabric) -> Self {
        let mut order: Vec<NodeId> = fabric.switches().collect();
        order.sort_by_key(|&s| fabric.node(s).guid.0.to_le_bytes());
        let n = order.len();
        let number = |s: NodeId| order.iter().position(|&o| o == s);
        let ports = |s: usize| {
            let far = |p| Some((fabric.number_of(p), number(fabric.node_of(fabric.peer(p)?))?));
            fabric.ports_of(order[s]).filter_map(far).collect::<Vec<_>>()
        };
        let mut out = vec![vec![None; n]; n];
        for root in 0..n {
            let mut parent = vec![None; n];
            let mut queue = vec![root];
            let mut head = 0;
            while let Some(&s) = queue.get(head) {
                head += 1;
                for (_, far) in ports(s) {
                    if far != root && parent[far].is_none() {
                        parent[far] = Some(s);
                        queue.push(far);
                    }
                }
            }
            for &target in &queue {
                let mut at = target;
                while let Some(above) = parent[at] {
                    let port = ports(above).into_iter().find(|&(_, far)| far == at).unwrap().0;
                    out[above][target].get_or_insert((port, at));
                    at = above;
                }
            }
        }
        let lane = vec![vec![usize::MAX; n]; n];
        let mut reference = Self { order, out, lane, needed: 0 };
        reference.assign();
        reference
    }

    fn chains(&self, a: usize, b: usize) -> [Vec<Channel>; 2] {
        [(a, b), (b, a)].map(|(from, to)| {
            let mut chain = Vec::new();
            let mut at = from;
            while at != to {
                let next = self.out[at][to].unwrap().1;
                chain.push((at, next));
                at = next;
            }
            chain
        })
    }

    fn assign(&mut self) {
        let n = self.order.len();
        let mut lanes = vec![Lane::default()];
        let mut counts = vec![0_usize];
        for a in 0..n {
            for b in a + 1..n {
                let chains = self.chains(a, b);
                let lane = lanes.iter_mut().position(|lane| lane.try_add(&chains)).unwrap_or_else(|| {
                    lanes.push(Lane::default());
                    counts.push(0);
                    assert!(lanes[counts.len() - 1].try_add(&chains));
                    counts.len() - 1
                });
                counts[lane] += 2;
                (self.lane[a][b], self.lane[b][a]) = (lane, lane);
            }
        }
        self.needed = lanes.len();
        if lanes.len() > 1 {
            self.balance(&mut lanes, &mut counts);
        }
    }

    fn balance(&mut self, lanes: &mut [Lane], counts: &mut [usize]) {
        let n = self.order.len();
        let mut rand = Rand::new();
        let mut tried = vec![vec![false; n]; n];
        let (mut full, mut empty) = (0, lanes.len() - 1);
        let mut trials = counts[full];
        loop {
            let (a, b) = (rand.below(n), rand.below(n));
            let pairs = (0..n).flat_map(|i| (0..n).map(move |j| ((a + i) % n, (b + j) % n)));
            let movable = |&(s, t): &(usize, usize)| self.lane[s][t] == full && !tried[s][t];
            let Some((a, b)) = pairs.into_iter().find(movable) else { return };
            let chains = self.chains(a, b);
            if lanes[empty].try_add(&chains) {
                lanes[full].remove(&chains);
                (self.lane[a][b], self.lane[b][a]) = (empty, empty);
                counts[full] -= 2;
                counts[empty] += 2;
            } else {
                (tried[a][b], tried[b][a]) = (true, true);
                trials -= 2;
            }
            if trials == 0 || counts[full] < counts[empty] + 6 {
                return;
            }
            let least = *counts.iter().min().unwrap();
            let most = *counts.iter().max().unwrap();
            let now_empty = counts.iter().position(|&c| c == least).unwrap();
            let now_full = counts.iter().position(|&c| c == most).unwrap();
            let mut forget = Vec::new();
            if now_empty != empty {
                empty = now_empty;
                trials = most;
                forget.push(now_full);
            }
            if now_full != full {
                trials = most;
                forget.push(full);
                full = now_full;
            }
            for (s, t) in (0..n).flat_map(|s| (0..n).map(move |t| (s, t))) {
                if forget.contains(&self.lane[s][t]) {
                    tried[s][t] = false;
                }
            }
        }
    }
}

fn routed(fabric: &Fabric, options: &Options) -> Option<Routes> {
    let options = Options { fallback: false, ..options.clone() };
    route(fabric, lids(fabric), &[Engine::Lash], &options).ok()
}

/// Compares tables and lanes; whether there were any.
fn compare(fabric: &Fabric, options: &Options) -> Result<bool, TestCaseError> {
    let reference = Reference::of(fabric);
    let routes = routed(fabric, options);
    let room = options.vls.min(15).saturating_sub(options.lash_start_vl);
    prop_assert_eq!(routes.is_some(), reference.needed <= usize::from(room), "{} lanes", reference.needed);
    let Some(Routes { lids, lft, lanes: Some(lanes), .. }) = routes else { return Ok(false) };
    for (a, &source) in reference.order.iter().enumerate() {
        for (b, &target) in reference.order.iter().enumerate() {
            let lid = lids.of_switch(fabric, target);
            let port = if a == b { 0 } else { reference.out[a][b].map_or(NO_ENTRY, |(port, _)| port) };
            prop_assert_eq!(lft.get(source, lid), port);
            let lane = if a == b { 0 } else { reference.lane[a][b] as u8 };
            prop_assert_eq!(
                PathLanes::sl(&lanes, source, lid),
                options.lash_start_vl + lane,
                "{} to {}",
                a,
                b
            );
        }
    }
    Ok(true)
}

/// Connected random graphs of switches with GUIDs whose order differs from that of their bytes reversed.
fn graphs(most: usize) -> impl Strategy<Value = Fabric> {
    (3..most).prop_flat_map(|n| {
        let parents = proptest::collection::vec(any::<prop::sample::Index>(), n - 1);
        let more = proptest::collection::vec((0..n, 0..n), 0..2 * n);
        (parents, more, any::<u64>()).prop_map(|(parents, more, seed)| {
            let guid = |i: usize| (i as u64 + 1) << 8 | (seed.rotate_left(5 * i as u32) & 0xff) | 1 << 40;
            let tree = parents.iter().enumerate().map(|(i, parent)| (i + 1, parent.index(i + 1)));
            let mut degree = vec![0; parents.len() + 1];
            let mut fits = |&(a, b): &(usize, usize)| {
                let fits = a != b && degree[a] < 8 && degree[b] < 8;
                if fits {
                    degree[a] += 1;
                    degree[b] += 1;
                }
                fits
            };
            let ring = (0..parents.len()).map(|i| (i, i + 1)).chain([(parents.len(), 0)]);
            let chosen: Vec<_> = if seed % 2 == 0 {
                ring.chain(more).filter(&mut fits).collect()
            } else {
                tree.chain(more).filter(&mut fits).collect()
            };
            switches(&chosen.iter().map(|&(a, b)| (guid(a), guid(b))).collect::<Vec<_>>())
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tables_and_lanes_are_those_of_the_literal_rules(fabric in graphs(24), start in 0_u8..3, vls in 1_u8..16) {
        // A graph whose full switches keep a neighbour out falls apart into several subnets.
        if connected(&fabric) {
            compare(&fabric, &Options { vls, lash_start_vl: start, ..Options::default() })?;
        }
    }
}

#[test]
fn lanes_are_those_of_the_literal_rules_where_no_pair_is_left_to_try() {
    // Balancing ends here with the fullest lane more than three pairs above the emptiest.
    for (spec, seed) in [("fat-tree:4,4", 24), ("fat-tree:8,3", 10), ("torus:8x8", 15), ("random:60,4,2", 35)]
    {
        let fabric = shuffle_guids(&generate(spec).unwrap(), seed);
        assert!(compare(&fabric, &Options { vls: 15, ..Options::default() }).unwrap(), "{spec}");
    }
}

#[test]
fn a_ring_of_eight_gets_the_lanes_that_it_needs_and_is_refused_one_less() {
    let ring = generate("ring:8").unwrap();
    let needed = Reference::of(&ring).needed as u8;
    assert!(needed > 1, "paths of two hops and more close the circle on one lane");
    assert!(compare(&ring, &Options { vls: needed, ..Options::default() }).unwrap());
    let options = Options { fallback: false, vls: needed - 1, ..Options::default() };
    let error = route(&ring, lids(&ring), &[Engine::Lash], &options).unwrap_err().to_string();
    let reason = format!("{needed} or more lanes are needed, {} are there from lane 0 on", needed - 1);
    assert!(error.contains(&reason), "{error}");
}

#[test]
fn a_first_lane_beyond_the_lanes_is_refused() {
    let ring = generate("ring:8").unwrap();
    for (start, vls, refused) in
        [(8, 8, true), (15, 15, true), (15, 16, true), (14, 16, false), (7, 8, false)]
    {
        let options = Options { fallback: false, vls, lash_start_vl: start, ..Options::default() };
        let error = route(&ring, lids(&ring), &[Engine::Lash], &options).unwrap_err();
        assert_eq!(error.to_string().contains("too high"), refused, "{start} of {vls}: {error}");
    }
}

fn connected(fabric: &Fabric) -> bool {
    let mut seen = vec![false; fabric.num_switches()];
    let mut stack = vec![NodeId(0)];
    while let Some(s) = stack.pop() {
        if !std::mem::replace(&mut seen[s.ix()], true) {
            stack.extend(fabric.ports_of(s).filter_map(|p| fabric.peer(p)).map(|p| fabric.node_of(p)));
        }
    }
    seen.into_iter().all(|s| s)
}
