//! Levels from a set of leaves.

use super::alike::Kinds;
use crate::fabric::grid::is_grid;
use crate::fabric::{Bundles, Declared, Fabric, NodeKind, PortId};

/// No level.
pub(super) const NONE: u8 = u8::MAX;
/// The highest level: what is higher is no tree.
pub(super) const HIGHEST: u8 = 64;
/// Rounds of mending; each goes over all switches.
const ROUNDS: usize = 4;

/// Hosts that the switches of a kind with hosts have, on average.
const OF_KIND: f64 = 0.5;

/// The switches of a fabric, with the cables between each two and the hosts on each.
pub(super) struct LevelGraph {
    bundles: Bundles,
    /// Host adapters' cables, by switch.
    pub hosts: Vec<u32>,
    /// Switches that are cabled alike.
    pub kinds: Kinds,
    /// By switch: host adapters' cables of a switch of its kind, on average.
    pub usual_hosts: Vec<f64>,
    /// By switch: the share of its kind that has hosts.
    pub hosted: Vec<f64>,
    /// By switch: what the site declares.
    pub declared: Vec<Option<Declared>>,
}

impl LevelGraph {
    pub fn of(fabric: &Fabric) -> Self {
        let is_host = |&p: &PortId| fabric.node(fabric.node_of(p)).kind == NodeKind::Adapter;
        let hosts = |s| fabric.ports_of(s).filter_map(|p| fabric.peer(p)).filter(is_host).count() as u32;
        let bundles = Bundles::of(fabric);
        let hosts: Vec<u32> = fabric.switches().map(hosts).collect();
        let kinds = Kinds::of(&bundles, &hosts);
        Self {
            usual_hosts: kinds.averages(&hosts),
            hosted: kinds.averages(&hosts.iter().map(|&n| u32::from(n > 0)).collect::<Vec<_>>()),
            bundles,
            hosts,
            kinds,
            declared: fabric.switches().map(|s| fabric.node(s).declared).collect(),
        }
    }

    /// Whether a plane is a mesh, torus, hypercube, ring or chain.
    pub fn is_grid(&self, plane: &[u32]) -> bool {
        is_grid(&self.bundles, plane)
    }

    /// Neighbours of a switch and the number of cables to each, in order.
    pub fn next(&self, s: u32) -> &[(u32, u32)] {
        self.bundles.of_switch(s)
    }

    /// Whether a switch has hosts, or those of its kind have: a single one has too few hosts to speak for a kind.
    pub fn has_hosts(&self, s: u32) -> bool {
        self.hosts[s as usize] > 0 || self.usual_hosts[s as usize] >= OF_KIND
    }

    /// Whether a third of a switch's kind have hosts.
    pub fn is_often_hosted(&self, s: u32) -> bool {
        3.0 * self.hosted[s as usize] >= 1.0
    }

    /// The two ends of every cable between different switches of a plane.
    pub fn cables<'a>(&'a self, plane: &'a [u32]) -> impl Iterator<Item = (u32, u32)> + 'a {
        plane.iter().flat_map(move |&s| {
            let up = self.next(s).iter().filter(move |&&(t, _)| s < t);
            up.flat_map(move |&(t, n)| std::iter::repeat_n((s, t), n as usize))
        })
    }

    /// Adds the declared leaves of a plane to a set, and removes the switches declared to be higher.
    pub fn as_declared(&self, plane: &[u32], set: &mut Vec<u32>) {
        if plane.iter().all(|&s| self.declared[s as usize].is_none()) {
            return;
        }
        let is_leaf = |s: u32| self.declared[s as usize] == Some(Declared::Leaf);
        set.retain(|&s| self.declared[s as usize].is_none());
        set.extend(plane.iter().copied().filter(|&s| is_leaf(s)));
        set.sort_unstable();
    }

    /// By switch: whether it is in a set.
    fn marked(&self, set: &[u32]) -> Vec<bool> {
        let mut is_in = vec![false; self.hosts.len()];
        for &s in set {
            is_in[s as usize] = true;
        }
        is_in
    }

    /// The switches of a set with at most half of their cables to switches going to others of the set.
    pub fn not_mostly_among(&self, set: &[u32]) -> Vec<u32> {
        let is_in = self.marked(set);
        let few = |&s: &u32| {
            let (mut inside, mut all) = (0, 0);
            for &(t, n) in self.next(s) {
                all += n;
                inside += if is_in[t as usize] { n } else { 0 };
            }
            2 * inside <= all
        };
        set.iter().copied().filter(few).collect()
    }

    /// The switches of a set whose neighbours have at least a quarter of their other cables to switches
    /// of the set: a leaf's spines lead to other leaves; the cores of a switch with hosts that hangs on
    /// cores do not.
    pub fn in_company(&self, set: &[u32]) -> Vec<u32> {
        let is_in = self.marked(set);
        let has_company = |&s: &u32| {
            let others = self.next(s).iter().flat_map(|&(t, _)| self.next(t)).filter(|&&(u, _)| u != s);
            let (mut inside, mut all) = (0, 0);
            for &(u, n) in others {
                all += n;
                inside += if is_in[u as usize] { n } else { 0 };
            }
            4 * inside >= all && all > 0 || self.next(s).is_empty()
        };
        set.iter().copied().filter(has_company).collect()
    }

    /// The switches of a set that join subtrees as cores do, each with the number of its cables up that lead to
    /// others of the set than most of them do: a leaf's spines all lead to the leaves of its pod, the switches
    /// below a core to one pod each. A few such cables do not make a core. `is_above`: what is above the set.
    pub fn joining(&self, set: &[u32], is_above: impl Fn(u32) -> bool) -> Vec<(u32, u32)> {
        let is_in = self.marked(set);
        let astray = |s: u32| {
            let beyond = |t: u32| -> Vec<u32> {
                let others = self.next(t).iter().map(|&(u, _)| u);
                others.filter(|&u| u != s && is_in[u as usize]).collect()
            };
            let up = self.next(s).iter().filter(|&&(t, _)| !is_in[t as usize] && is_above(t));
            let up: Vec<(u32, Vec<u32>)> = up.map(|&(t, n)| (n, beyond(t))).collect();
            if up.iter().all(|(_, others)| *others == up[0].1) {
                return 0;
            }
            let all: u32 = up.iter().map(|&(n, _)| n).sum();
            if self.are_apart_but_for_its_kind(s, up.iter().map(|(_, others)| &others[..])) {
                return all - up.iter().map(|&(n, _)| n).max().unwrap_or(0);
            }
            let like = |one: &[u32]| -> u32 {
                up.iter().filter(|(_, other)| are_alike(one, other)).map(|&(n, _)| n).sum()
            };
            // What leads to no other switch is like everything.
            let most =
                up.iter().filter(|(_, one)| !one.is_empty()).map(|(_, one)| like(one)).max().unwrap_or(0);
            if 3 * most > 2 * all { 0 } else { all - most }
        };
        set.iter().map(|&s| (s, astray(s))).filter(|&(_, cables)| cables > 0).collect()
    }

    /// Whether a switch's three neighbours or more lead to different switches, two at least each, but for those that are cabled like it:
    /// cores side by side, some of which have hosts.
    fn are_apart_but_for_its_kind<'a>(&self, s: u32, beyond: impl Iterator<Item = &'a [u32]>) -> bool {
        let is_other = |&&u: &&u32| self.kinds.first(u) != self.kinds.first(s);
        let mut seen: Vec<u32> = Vec::new();
        let (mut neighbours, mut is_few) = (0, false);
        for others in beyond {
            let before = seen.len();
            seen.extend(others.iter().filter(is_other));
            neighbours += 1;
            is_few |= seen.len() < before + 2;
        }
        let count = seen.len();
        seen.sort_unstable();
        seen.dedup();
        neighbours >= 3 && !is_few && seen.len() == count
    }
}

/// Whether two lists in ascending order share half of the shorter.
fn are_alike(a: &[u32], b: &[u32]) -> bool {
    let shared = a.iter().filter(|s| b.binary_search(s).is_ok()).count();
    2 * shared >= a.len().min(b.len())
}

/// How much a switch is cabled like those one level below the level from which it is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Likeness {
    None,
    Close,
    Same,
}

/// The levels of a plane while they are assigned.
struct Assignment<'a> {
    graph: &'a LevelGraph,
    /// Distance from the leaves.
    distance: Vec<u32>,
    /// The most steps that lead on from here, away from the leaves.
    beyond: Vec<u32>,
    level: Vec<u8>,
    /// Whether it was put one below the level from which it is reached.
    folded: Vec<bool>,
    /// Cables shared with a switch that is compared; zero between comparisons.
    shared: Vec<u32>,
    /// Whether most leaves join subtrees: each is cabled to switches of two kinds, which lead to different leaves.
    leaves_join: bool,
}

/// The level of every switch of a plane (by switch; [`NONE`] elsewhere), the given leaves being 0 and
/// `top` the highest. None where the plane is higher than any tree.
pub(super) fn assign(graph: &LevelGraph, leaves: &[u32], top: u8) -> Option<Vec<u8>> {
    let count = graph.hosts.len();
    let mut work = Assignment {
        graph,
        distance: vec![u32::MAX; count],
        beyond: vec![0; count],
        level: vec![NONE; count],
        folded: vec![false; count],
        shared: vec![0; count],
        leaves_join: 2 * graph.joining(leaves, |_| true).len() > leaves.len(),
    };
    let order = work.measure(leaves);
    let mut rest = &order[leaves.len()..];
    while let Some(&first) = rest.first() {
        let distance = work.distance[first as usize];
        let (class, more) = rest.split_at(rest.partition_point(|&v| work.distance[v as usize] == distance));
        work.place(class, leaves.len(), top)?;
        rest = more;
    }
    work.mend(&order[leaves.len()..], top);
    Some(work.level)
}

impl Assignment<'_> {
    /// Distances from the leaves; gives the switches in their order.
    fn measure(&mut self, leaves: &[u32]) -> Vec<u32> {
        let mut order = leaves.to_vec();
        for &leaf in leaves {
            self.distance[leaf as usize] = 0;
            self.level[leaf as usize] = 0;
        }
        let mut at = 0;
        while let Some(&v) = order.get(at) {
            at += 1;
            for &(u, _) in self.graph.next(v) {
                if self.distance[u as usize] == u32::MAX {
                    self.distance[u as usize] = self.distance[v as usize] + 1;
                    order.push(u);
                }
            }
        }
        for &v in order.iter().rev() {
            let on = self.graph.next(v).iter().map(|&(u, _)| u as usize);
            let on = on.filter(|&u| self.distance[u] == self.distance[v as usize] + 1);
            self.beyond[v as usize] = on.map(|u| self.beyond[u] + 1).max().unwrap_or(0);
        }
        order
    }

    /// Assigns levels to all switches of one distance.
    fn place(&mut self, class: &[u32], leaves: usize, top: u8) -> Option<()> {
        let mut placed: Vec<(u8, Likeness)> = Vec::with_capacity(class.len());
        for &v in class {
            let (from, from_folded) = self.reached_from(v);
            let likeness = match (from, from_folded) {
                (0, _) => Likeness::None,
                (_, true) => Likeness::Same,
                (_, false) => self.likeness_beyond(v, from),
            };
            placed.push((from, likeness));
        }
        let is_empty_leaf = |v: u32, from: u8| from == 1 && !self.graph.has_hosts(v);
        let folds = class
            .iter()
            .zip(&placed)
            .filter(|&(&v, &(from, likeness))| is_empty_leaf(v, from) && likeness != Likeness::None);
        let mostly_empty = folds.count() >= leaves;
        for (&v, (from, likeness)) in class.iter().zip(placed) {
            if from >= HIGHEST {
                return None;
            }
            // Where as many switches look like empty leaves as there are leaves, they may be a separate level:
            // all tops of a director that has a single near set, for example.
            let doubtful = mostly_empty && is_empty_leaf(v, from);
            let wanted = if doubtful { Likeness::Same } else { Likeness::Close };
            let fold = likeness >= wanted || from == top;
            self.level[v as usize] = if fold { from - 1 } else { from + 1 };
            self.folded[v as usize] = fold;
        }
        Some(())
    }

    /// The neighbours of a switch that are one step nearer to the leaves.
    fn nearer(&self, v: u32) -> impl Iterator<Item = (u32, u32)> {
        let distance = self.distance[v as usize];
        let all = self.graph.next(v).iter().copied();
        all.filter(move |&(u, _)| self.distance[u as usize] + 1 == distance)
    }

    /// The level at which most cables towards the leaves end (the lowest of equals), and whether most
    /// of those end at folded switches.
    fn reached_from(&self, v: u32) -> (u8, bool) {
        let mut cables = [(0, 0); HIGHEST as usize + 1];
        for (u, n) in self.nearer(v) {
            let here = &mut cables[usize::from(self.level[u as usize])];
            here.0 += n;
            here.1 += if self.folded[u as usize] { n } else { 0 };
        }
        let most = cables.iter().map(|c| c.0).max().unwrap_or(0);
        let level = cables.iter().position(|c| c.0 == most).unwrap_or(0);
        (level as u8, 2 * cables[level].1 > cables[level].0)
    }

    /// [`Assignment::likeness`] by the cables towards the leaves; none where switches beyond this one would
    /// end up below the leaves.
    fn likeness_beyond(&mut self, v: u32, from: u8) -> Likeness {
        if self.beyond[v as usize] >= u32::from(from) {
            return Likeness::None;
        }
        let reached: Vec<(u32, u32)> = self.nearer(v).collect();
        match self.likeness(v, from, &reached) {
            Likeness::None if from == 1 && self.leaves_join && self.has_uplinks_of_a_leaf(v) => {
                Likeness::Same
            }
            found => found,
        }
    }

    /// Whether a switch has the uplinks of a leaf that it shares some with: to as many switches with as many cables
    /// each. It tells empty leaves that share few switches with any other.
    fn has_uplinks_of_a_leaf(&self, v: u32) -> bool {
        let cables = |s: u32| -> u32 { self.graph.next(s).iter().map(|&(_, n)| n).sum() };
        let uplinks = |s: u32| {
            let mut all: Vec<(u32, u32)> = self.graph.next(s).iter().map(|&(t, n)| (n, cables(t))).collect();
            all.sort_unstable();
            all
        };
        let own = uplinks(v);
        let near = self.graph.next(v).iter().flat_map(|&(t, _)| self.graph.next(t));
        near.map(|&(other, _)| other).any(|other| self.distance[other as usize] == 0 && uplinks(other) == own)
    }

    /// How much a switch's cables to level `from`, among those given, are like the uplinks of a switch
    /// of the level below: close where at least two thirds of its own lead to the same switches as the
    /// other's and, unless it has hosts, it has at least half as many. No top switch is close: its cables
    /// go to different subtrees.
    fn likeness(&mut self, v: u32, from: u8, cables: &[(u32, u32)]) -> Likeness {
        let mut own = 0;
        let mut like: Vec<u32> = Vec::new();
        for &(u, n) in cables.iter().filter(|&&(u, _)| self.level[u as usize] == from) {
            own += n;
            for &(w, m) in self.graph.next(u) {
                if w != v && self.level[w as usize] == from - 1 {
                    if self.shared[w as usize] == 0 {
                        like.push(w);
                    }
                    self.shared[w as usize] += n.min(m);
                }
            }
        }
        let hosted = self.graph.has_hosts(v);
        let mut best = Likeness::None;
        for w in like {
            let shared = std::mem::take(&mut self.shared[w as usize]);
            if best < Likeness::Same && 3 * shared >= 2 * own {
                let up = self.graph.next(w).iter().filter(|&&(u, _)| self.level[u as usize] == from);
                let up: u32 = up.map(|&(_, n)| n).sum();
                if shared == own && own == up {
                    best = Likeness::Same;
                } else if hosted || 2 * own >= up {
                    best = Likeness::Close;
                }
            }
        }
        best
    }

    /// Moves switches to where strictly more of their cables join adjacent levels: a core that a
    /// stray cable joins to a leaf is not a spine. None goes above `top`.
    fn mend(&mut self, switches: &[u32], top: u8) {
        let levels = 0..=usize::from(top);
        for _ in 0..ROUNDS {
            let mut moved = false;
            for &v in switches {
                let mut cables = [0; HIGHEST as usize + 3]; // by level + 1
                for &(u, n) in self.graph.next(v) {
                    cables[usize::from(self.level[u as usize]) + 1] += n;
                }
                let fitting = |l: usize| cables[l] + cables[l + 2];
                let current = usize::from(self.level[v as usize]);
                let most = levels.clone().map(fitting).max().unwrap_or(0);
                if fitting(current) == most {
                    continue;
                }
                // Often two levels fit best, one below and one above the same neighbours.
                let fits = |&l: &usize| fitting(l) == most;
                let low = levels.clone().find(fits).unwrap_or(current);
                let high = levels.clone().rfind(fits).unwrap_or(current);
                let all = self.graph.next(v);
                let below = high == low || self.likeness(v, low as u8 + 1, all) != Likeness::None;
                self.level[v as usize] = if below { low } else { high } as u8;
                moved = true;
            }
            if !moved {
                break;
            }
        }
    }
}
