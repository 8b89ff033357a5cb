//! The tree that the cables between switches draw: which uplinks reach which group of cores, and which switches are one
//! subtree. Nothing here depends on the order of a file. The names of switches decide between equals, GUIDs only where names
//! do not tell them apart. Ports play a part where leaves have no names: pods then follow each other by those of the switches above.
//!
//! In a whole tree a switch on level `l` of `h` has `l` digits `b` and `h - l` digits `a`: the `b` say which cores it reaches, the `a`
//! in which subtree it is (the PGFT of E. Zahavi, "Fat-tree routing and node ordering providing contention free traffic
//! for MPI global collectives", JPDC 72(11), 2012). What is found here, level by level, is
//!
//! | here  | the switches of a level with                                                         |
//! |-------|--------------------------------------------------------------------------------------|
//! | block | the same parents: all `b` and `a` alike but for the `a` of the level above            |
//! | plane | the same `b`: they reach the same cores; planes are refined from the top down         |
//! | pod   | the same `a`: they are above the same leaves; pods are joined from the leaves up      |
//!
//! Where cables are missing or misplaced "the same" means: at least half of them.

use std::cmp::Reverse;
use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::Fabric;
use super::sequence::sequence;
use super::switch_graph::SwitchGraph;
use crate::sets::Sets;

/// No level.
pub(crate) const NO_LEVEL: u8 = u8::MAX;

/// Planes and pods of the switches of a fabric with levels.
#[derive(Debug)]
pub(crate) struct Tree {
    /// By switch: a number of its plane, the same for all switches of a level that reach the same cores. Planes of a level are
    /// numbered by the first of the cores that they reach.
    pub plane: Vec<u32>,
    /// By switch: its position when subtree after subtree is gone through, and in a pod plane after plane. The leaves of a pod have
    /// consecutive ones. In whole trees that differ in ports, GUIDs and names alone, switches of a position are cabled alike.
    pub position: Vec<u32>,
    /// By switch: those of the next level that it is cabled to, ascending.
    pub parents: Vec<Vec<u32>>,
    /// By switch: those it is a parent of, ascending.
    pub children: Vec<Vec<u32>>,
}

impl Tree {
    /// The tree of a fabric; `level` by switch, [`NO_LEVEL`] where it has none.
    pub fn of(fabric: &Fabric, graph: &SwitchGraph, level: &[u8]) -> Self {
        let (sequence, is_named) = sequence(fabric, level);
        let stages = Stages::of(graph, level, &sequence);
        let plane = stages.planes();
        let position = stages.positions(&stages.by_plane(&plane), is_named);
        let count = sequence.len();
        let mut tree = Self {
            plane: vec![0; count],
            position: vec![0; count],
            parents: vec![Vec::new(); count],
            children: vec![Vec::new(); count],
        };
        let switches = |at: &Vec<u32>| {
            let mut switches: Vec<u32> = at.iter().map(|&at| sequence[at as usize]).collect();
            switches.sort_unstable();
            switches
        };
        for (at, s) in sequence.iter().map(|&s| s as usize).enumerate() {
            (tree.plane[s], tree.position[s]) = (plane[at], position[at]);
            tree.parents[s] = switches(&stages.parents[at]);
            tree.children[s] = switches(&stages.children[at]);
        }
        tree
    }
}

/// The cables between a level and the next: how far they are those of whole blocks, in which each switch has equally many cables
/// to each parent of the block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StageCabling {
    /// Blocks of switches with the same parents.
    pub blocks: usize,
    /// Those in which no cable is missing, and from which none leads elsewhere.
    pub whole: usize,
    /// Cables up.
    pub cables: u64,
    /// Cables that are missing in blocks.
    pub missing: u64,
    /// Cables that lead from a block elsewhere, or run beside as many as others have.
    pub stray: u64,
}

/// By level, from the leaves up to the highest but one: how the cables up from it are. Only some switches count.
pub(crate) fn cabling(graph: &SwitchGraph, level: &[u8], counts: &[bool]) -> Vec<StageCabling> {
    let as_given: Vec<u32> = (0..level.len() as u32).collect();
    let stages = Stages::of(graph, level, &as_given);
    let mut cabling = vec![StageCabling::default(); usize::from(stages.levels.saturating_sub(1))];
    let (mut parents_of, mut children_of) = (vec![Vec::new(); level.len()], vec![Vec::new(); level.len()]);
    for s in (0..level.len()).filter(|&s| counts[s]) {
        if let Some(block) = stages.block_below[s] {
            parents_of[block as usize].push(s as u32);
        }
        if !stages.parents[s].is_empty() {
            children_of[stages.block[s] as usize].push(s as u32);
        }
    }
    for (children, parents) in
        children_of.iter().zip(&parents_of).filter(|(children, _)| !children.is_empty())
    {
        let mut cables: Vec<(u32, u32)> = Vec::new();
        for &child in children {
            let far = graph.links(child as usize).map(|link| graph.peer[link]);
            let up = far.filter(|far| stages.parents[child as usize].binary_search(far).is_ok());
            cables.extend(up.map(|parent| (child, parent)));
        }
        cables.sort_unstable();
        let pairs: Vec<&[(u32, u32)]> = cables.chunk_by(|a, b| a == b).collect();
        let inside = pairs.iter().filter(|pair| parents.binary_search(&pair[0].1).is_ok());
        let usual = most_frequent(inside.clone().map(|pair| pair.len())).unwrap_or(1);
        let fitting: usize = inside.map(|pair| pair.len().min(usual)).sum();
        let missing = children.len() * parents.len() * usual - fitting;
        let stage = &mut cabling[usize::from(level[children[0] as usize])];
        stage.blocks += 1;
        stage.whole += usize::from(missing == 0 && fitting == cables.len());
        stage.cables += cables.len() as u64;
        stage.missing += missing as u64;
        stage.stray += (cables.len() - fitting) as u64;
    }
    cabling
}

/// The cables from each level to the next, and the blocks of switches that they join. Switches are numbered by a [`sequence`], so that it
/// decides between equals.
struct Stages {
    /// By switch.
    level: Vec<u8>,
    /// Number of levels.
    levels: u8,
    /// By switch: those of the next level that it is cabled to, ascending.
    parents: Vec<Vec<u32>>,
    /// By switch: those it is a parent of, ascending.
    children: Vec<Vec<u32>>,
    /// A switch, the parent that a cable leads to, and its port there.
    cables: Vec<(u32, u32, u8)>,
    /// By switch: the block that it is a child of, named by its first child. A switch without parents is a block alone.
    block: Vec<u32>,
    /// By switch: the block that most of its children are of; none without children.
    block_below: Vec<Option<u32>>,
}

impl Stages {
    fn of(graph: &SwitchGraph, level: &[u8], sequence: &[u32]) -> Self {
        let count = level.len();
        let mut nth = vec![0; count];
        sequence.iter().zip(0..).for_each(|(&s, n)| nth[s as usize] = n);
        let level: Vec<u8> = sequence.iter().map(|&s| level[s as usize]).collect();
        let mut cables = Vec::new();
        for (s, &switch) in (0..).zip(sequence) {
            for link in graph.links(switch as usize) {
                let far = nth[graph.peer[link] as usize];
                if level[s as usize] != NO_LEVEL && level[far as usize] == level[s as usize] + 1 {
                    cables.push((s, far, graph.port[graph.back[link] as usize]));
                }
            }
        }
        cables.sort_unstable();
        let (mut parents, mut children) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        for pair in cables.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let (s, parent, _) = pair[0];
            parents[s as usize].push(parent);
            children[parent as usize].push(s);
        }
        let levels = level.iter().filter(|&&l| l != NO_LEVEL).max().map_or(0, |&l| l + 1);
        let mut stages =
            Self { level, levels, parents, children, cables, block: Vec::new(), block_below: Vec::new() };
        stages.find_blocks();
        stages
    }

    /// Puts switches into one block that share at least half of their parents.
    fn find_blocks(&mut self) {
        self.block = joined(&self.parents);
        self.block_below = self
            .children
            .iter()
            .map(|children| most_frequent(children.iter().map(|&child| self.block[child as usize])))
            .collect();
    }

    /// The switches of a level.
    fn at(&self, level: u8) -> impl Iterator<Item = u32> {
        (0..self.level.len() as u32).filter(move |&s| self.level[s as usize] == level)
    }

    /// By switch: its plane. From the top down: switches of one block are of one plane, and so are blocks whose parents are of
    /// the same planes.
    fn planes(&self) -> Vec<u32> {
        let mut plane: Vec<u32> = (0..self.level.len() as u32).collect();
        for level in (0..self.levels.saturating_sub(1)).rev() {
            let above = self.at(level + 1);
            let of_blocks =
                self.marks(above.filter_map(|s| Some((self.block_below[s as usize]?, plane[s as usize]))));
            let names = joined(&of_blocks);
            // The least number of a plane above is the new one's.
            let mut least = vec![u32::MAX; of_blocks.len()];
            for (&name, planes) in names.iter().zip(&of_blocks) {
                let least = &mut least[name as usize];
                *least = planes.iter().copied().fold(*least, u32::min);
            }
            for s in self.at(level).filter(|&s| !of_blocks[self.block[s as usize] as usize].is_empty()) {
                plane[s as usize] = least[names[self.block[s as usize] as usize] as usize];
            }
        }
        plane
    }

    /// By switch: its position when level after level is gone through, planes in the order of those that they are above, and the
    /// switches of one in their sequence.
    fn by_plane(&self, plane: &[u32]) -> Vec<u32> {
        // By switch: the first position of its plane.
        let mut first = vec![0; plane.len()];
        let mut by_plane = vec![0; plane.len()];
        let mut at = 0;
        for level in (0..self.levels).chain([NO_LEVEL]) {
            let below = |s: u32| self.block_below[s as usize].map(|block| first[block as usize]);
            let mut sorted: Vec<_> = self.at(level).map(|s| (below(s), plane[s as usize], s)).collect();
            sorted.sort_unstable();
            for of_plane in sorted.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
                for (&(.., s), nth) in of_plane.iter().zip(at..) {
                    (first[s as usize], by_plane[s as usize]) = (at, nth);
                }
                at += of_plane.len() as u32;
            }
        }
        by_plane
    }

    /// By block: the marks that it is given, each once, ascending.
    fn marks(&self, given: impl Iterator<Item = (u32, u32)>) -> Vec<Vec<u32>> {
        let mut marks: Vec<Vec<u32>> = vec![Vec::new(); self.level.len()];
        given.for_each(|(block, mark)| marks[block as usize].push(mark));
        for marks in &mut marks {
            marks.sort_unstable();
            marks.dedup();
        }
        marks
    }

    /// By switch: its pod, named by the first switch of it. From the leaves up: the parents of one block are one pod, and so are
    /// those of blocks whose children are of the same pods.
    fn pods(&self) -> Vec<u32> {
        let mut pod: Vec<u32> = (0..self.level.len() as u32).collect();
        for level in 1..self.levels {
            let below = self.at(level - 1).filter(|&s| !self.parents[s as usize].is_empty());
            let names = joined(&self.marks(below.map(|s| (self.block[s as usize], pod[s as usize]))));
            let mut first = vec![u32::MAX; names.len()];
            for s in self.at(level) {
                if let Some(block) = self.block_below[s as usize] {
                    let first = &mut first[names[block as usize] as usize];
                    *first = s.min(*first);
                    pod[s as usize] = *first;
                }
            }
        }
        pod
    }

    /// By switch: its position when the pods are gone through, each after what is below it.
    fn positions(&self, by_plane: &[u32], is_named: bool) -> Vec<u32> {
        let pod = self.pods();
        let count = self.level.len();
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); count];
        (0..count as u32).for_each(|s| members[pod[s as usize] as usize].push(s));
        for members in &mut members {
            members.sort_unstable_by_key(|&s| by_plane[s as usize]);
        }
        // By pod: the one that most of its switches are below.
        let parents = |members: &Vec<u32>| {
            let parents = members.iter().flat_map(|&s| &self.parents[s as usize]);
            most_frequent(parents.map(|&parent| pod[parent as usize]))
        };
        let above: Vec<Option<u32>> = members.iter().map(parents).collect();
        // By pod: the least of its leaves.
        let mut least = vec![u32::MAX; count];
        for level in 0..self.levels {
            for name in self.at(level).map(|s| s as usize).filter(|&s| pod[s] as usize == s) {
                // A pod without pods below goes by its own switches.
                if least[name] == u32::MAX {
                    least[name] = members[name].iter().copied().min().unwrap_or(u32::MAX);
                }
                if let Some(up) = above[name] {
                    least[up as usize] = least[name].min(least[up as usize]);
                }
            }
        }
        let ports = if is_named { vec![None; count] } else { self.ports_of_pods(&pod, &above) };
        let mut names: Vec<u32> = (0..count as u32).filter(|&s| pod[s as usize] == s).collect();
        names.sort_by_key(|&name| (ports[name as usize], least[name as usize], name));
        let mut below: Vec<Vec<u32>> = vec![Vec::new(); count];
        let mut tops = Vec::new();
        for name in names {
            above[name as usize].map_or(&mut tops, |up| &mut below[up as usize]).push(name);
        }
        let mut position = vec![0; count];
        let mut next = 0;
        let mut stack: Vec<(u32, bool)> = tops.into_iter().rev().map(|name| (name, false)).collect();
        while let Some((name, is_done)) = stack.pop() {
            if is_done {
                for &s in &members[name as usize] {
                    position[s as usize] = next;
                    next += 1;
                }
            } else {
                stack.push((name, true));
                stack.extend(below[name as usize].iter().rev().map(|&name| (name, false)));
            }
        }
        position
    }

    /// By pod: the port of the switches above that it hangs on, where these agree for nearly all pods below one.
    fn ports_of_pods(&self, pod: &[u32], above: &[Option<u32>]) -> Vec<Option<u8>> {
        // The pod above, the pod, a switch above, its port.
        let mut ends: Vec<(u32, u32, u32, u8)> = Vec::new();
        for &(s, far, port) in &self.cables {
            let (pod, up) = (pod[s as usize], pod[far as usize]);
            if above[pod as usize] == Some(up) {
                ends.push((up, pod, far, port));
            }
        }
        // Of several cables to a switch that at the least port.
        ends.sort_unstable();
        ends.dedup_by_key(|&mut (up, pod, far, _)| (up, pod, far));
        let mut found = vec![None; pod.len()];
        for pods in ends.chunk_by(|a, b| a.0 == b.0) {
            let mut agreed = 0;
            let mut ports = Vec::new();
            for ends in pods.chunk_by(|a, b| a.1 == b.1) {
                let port = most_frequent(ends.iter().map(|end| end.3));
                agreed += ends.iter().filter(|end| Some(end.3) == port).count();
                ports.push((ends[0].1, port));
            }
            if AGREE * agreed >= (AGREE - 1) * pods.len() {
                for (pod, port) in ports {
                    found[pod as usize] = port;
                }
            }
        }
        found
    }
}

/// Switches above agree on ports where all but one of so many cables do.
const AGREE: usize = 4;

/// The most frequent of some, the least of several; none of none.
fn most_frequent<T: Copy + Eq + Hash + Ord>(of: impl Iterator<Item = T>) -> Option<T> {
    let mut times: FxHashMap<T, u32> = FxHashMap::default();
    of.for_each(|one| *times.entry(one).or_default() += 1);
    times.into_iter().max_by_key(|&(one, times)| (times, Reverse(one))).map(|(one, _)| one)
}

/// By number: the first of those that it is one with, by the marks of each. One are numbers that share at least half of their
/// marks, the larger number of both counting; one without marks is alone. The marks of each ascend.
fn joined(marks: &[Vec<u32>]) -> Vec<u32> {
    let mut sets = Sets::new(marks.len());
    let most = marks.iter().filter_map(|marks| marks.last()).max().map_or(0, |&most| most as usize + 1);
    // Of numbers with the same marks one stands for all.
    let mut alike: FxHashMap<&[u32], u32> = FxHashMap::default();
    let mut by_mark: Vec<Vec<u32>> = vec![Vec::new(); most];
    let mut shared = vec![0_usize; marks.len()];
    let mut seen: Vec<u32> = Vec::new();
    for (n, own) in (0..).zip(marks).filter(|(_, own)| !own.is_empty()) {
        let first = *alike.entry(own).or_insert(n);
        sets.join(first, n);
        if first != n {
            continue;
        }
        for &mark in own {
            for &other in &by_mark[mark as usize] {
                if shared[other as usize] == 0 {
                    seen.push(other);
                }
                shared[other as usize] += 1;
            }
            by_mark[mark as usize].push(n);
        }
        for other in seen.drain(..) {
            let both = std::mem::take(&mut shared[other as usize]);
            if 2 * both >= own.len().max(marks[other as usize].len()) {
                sets.join(n, other);
            }
        }
    }
    (0..marks.len() as u32).map(|n| sets.first(n)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::NodeId;
    use crate::fabric::levels::Levels;
    use crate::generate::{edit, generate, shuffle_guids, shuffle_ports};

    fn levels(fabric: &Fabric) -> Vec<u8> {
        let levels = Levels::of(fabric).unwrap();
        fabric.switches().map(|s| levels.level(s).unwrap_or(NO_LEVEL)).collect()
    }

    fn cabled(fabric: &Fabric) -> Vec<StageCabling> {
        cabling(&SwitchGraph::of(fabric), &levels(fabric), &vec![true; fabric.num_switches()])
    }

    #[test]
    fn planes_and_pods_are_those_that_were_built_whatever_the_ports() {
        // fat-tree:8,3: 8 pods of 4 leaves and 4 mids, the mids of a number in all pods cabled to the same 4 cores.
        let fabric = shuffle_ports(&generate("fat-tree:8,3").unwrap(), 5);
        let tree = Tree::of(&fabric, &SwitchGraph::of(&fabric), &levels(&fabric));
        let named = |start: &str| {
            let switches = fabric.switches().filter(|&s| fabric.node(s).description.starts_with(start));
            let mut all: Vec<(Vec<String>, usize)> = switches
                .map(|s| {
                    let words = fabric.node(s).description.split('-').map(String::from).collect();
                    (words, s.ix())
                })
                .collect();
            all.sort();
            all
        };
        let mids = named("mid");
        for (a, at) in &mids {
            for (b, other) in &mids {
                assert_eq!(tree.plane[*at] == tree.plane[*other], a[2] == b[2], "{a:?} {b:?}");
            }
        }
        let mut leaves = named("leaf");
        leaves.sort_by_key(|(_, at)| tree.position[*at]);
        let pods: Vec<&String> = leaves.iter().map(|(words, _)| &words[1]).collect();
        assert!(pods.chunks(4).all(|pod| pod.iter().all(|one| *one == pod[0])), "{pods:?}");
    }

    /// The leaves of a fabric in sequence, as it was generated: from 0, by pod, then leaf.
    fn leaves(fabric: &Fabric, generated: &Fabric) -> Vec<usize> {
        let level = levels(fabric);
        let tree = Tree::of(fabric, &SwitchGraph::of(fabric), &level);
        let mut leaves: Vec<NodeId> = fabric.switches().filter(|s| level[s.ix()] == 0).collect();
        leaves.sort_by_key(|s| tree.position[s.ix()]);
        leaves.iter().map(|s| generated.node(*s).description.as_ref()).map(nth_leaf).collect()
    }

    /// Of `leaf-02-03` in a fat-tree:8,3: 6.
    fn nth_leaf(name: &str) -> usize {
        let numbers: Vec<usize> = name.split('-').skip(1).map(|n| n.parse().unwrap()).collect();
        4 * (numbers[0] - 1) + numbers[1] - 1
    }

    #[test]
    fn pods_follow_each_other_by_the_names_of_their_leaves() {
        let generated = shuffle_guids(&generate("fat-tree:8,3").unwrap(), 3);
        let named = |name: &dyn Fn(usize) -> String| {
            generated.clone().renamed(|node| {
                let is_leaf = node.description.starts_with("leaf");
                is_leaf.then(|| name(nth_leaf(&node.description)).into())
            })
        };
        let ascending: Vec<usize> = (0..32).collect();
        let descending: Vec<usize> = (0..32).rev().collect();
        // The last leaf is `rack1`, the first `rack32`.
        let backwards = named(&|nth| format!("MF0;rack{}:MQM9700/U1", 32 - nth));
        assert_eq!(leaves(&backwards, &generated), descending);
        // Where a name does not tell which leaf it is, ports do.
        let shared = named(&|nth| format!("rack{}", 32 - nth / 2));
        assert_eq!(leaves(&shared, &generated), ascending);
        let guids = generated.clone().renamed(|node| {
            let is_leaf = node.description.starts_with("leaf");
            is_leaf.then(|| format!("OmniPth{:016X}", node.guid.0).into())
        });
        assert_eq!(leaves(&guids, &generated), ascending);
    }

    #[test]
    fn missing_and_stray_cables_are_counted_by_level() {
        let fabric = generate("fat-tree:8,3:radix=12").unwrap();
        let stage =
            |blocks, whole, cables, missing, stray| StageCabling { blocks, whole, cables, missing, stray };
        assert_eq!(cabled(&fabric), [stage(8, 8, 128, 0, 0), stage(4, 4, 128, 0, 0)]);
        let edits = ["leaf-01-01--mid-01-02", "mid-02-03--core-03-01", "+mid-02-03--core-04-01"];
        let damaged = edit(&fabric, &edits).unwrap();
        assert_eq!(cabled(&damaged), [stage(8, 7, 127, 1, 0), stage(4, 3, 128, 1, 1)]);
    }
}
