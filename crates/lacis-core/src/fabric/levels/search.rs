//! The search for the leaves that make a plane a tree.

use serde::Serialize;

use super::assign::{self, LevelGraph};
use super::given;
use super::plan;
use super::up_down::{self, Joints, LeafPairs};
use super::whole;
use crate::fabric::{Declared, NodeId};

/// Share of the cables between switches that may join levels that are not adjacent.
const ODD_CABLES: f64 = 0.2;
/// Share of the pairs of leaves that must be connected up and down.
const CONNECTED: f64 = 0.9;
/// The same where nothing else is odd: small trees lose many pairs of leaves with a few cables.
const CONNECTED_WITHOUT_MISFITS: f64 = 0.7;
/// Trees are joined by fewer than one in so many cables.
const JOINING: usize = 10;
/// At most one in so many leaves may be appended.
const APPENDED: usize = 4;

/// Switches with as many adapters as leaves that were not taken for leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LeftOut {
    /// Of the switches that are cabled like them, fewer than a third have adapters.
    LikeOthersWithoutAdapters,
    /// They join subtrees, as cores do: their neighbours lead to different switches.
    JoiningDifferent,
    /// Their neighbours lead to hardly any other switch with as many adapters.
    Alone,
    /// They are cabled to each other.
    CabledToEachOther,
    /// They have no adapters, though others cabled like them have; all cables are those of a whole tree.
    WithoutAdapters,
}

/// A set of switches that was tried as the leaves of a plane.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// Fewest adapters of a leaf, on average over the switches cabled alike.
    pub least: u32,
    /// Which switches with as many are no leaves; none where all are.
    pub left_out: Option<LeftOut>,
    /// How many leaves there were.
    pub leaves: usize,
    /// How many levels it has; 0 where none could be assigned.
    pub levels: usize,
    /// Cables that do not join adjacent levels, or join trees, or by which a leaf joins subtrees, or of a switch at
    /// another level than those cabled alike.
    pub odd_cables: u64,
    /// Adapters above level 0.
    pub high_adapters: u64,
    /// Those of them on switches that are not cabled like one without adapters.
    pub unsupported: u64,
    /// Leaves that hang below other leaves.
    pub appended: usize,
    /// Share of the pairs of leaves that are connected up and down, appended ones left out; computed where
    /// the cables and adapters fit a tree.
    pub connected: Option<f64>,
    /// Whether it is mostly a tree.
    pub tree_like: bool,
}

impl Trial {
    /// One that has no levels yet.
    fn of(least: u32, left_out: Option<LeftOut>, leaves: usize) -> Self {
        Self {
            least,
            left_out,
            leaves,
            levels: 0,
            odd_cables: 0,
            high_adapters: 0,
            unsupported: 0,
            appended: 0,
            connected: None,
            tree_like: false,
        }
    }

    /// Counts a few leaves that are connected to hardly any other, as below another leaf, as appended.
    fn look_for_appended(&mut self, pairs: &LeafPairs) {
        if APPENDED * pairs.appended.len() <= pairs.leaves && pairs.share_of_others >= CONNECTED {
            self.connected = Some(pairs.share_of_others);
            self.appended = pairs.appended.len();
            self.tree_like = true;
        }
    }

    /// Treats what a few cables join, as from a leaf to another tree's spine, as separate trees.
    fn look_for_trees(&mut self, graph: &LevelGraph, plane: &[u32], level: &[u8]) {
        let joints = up_down::joints(graph, plane, level);
        let cables =
            graph.cables(plane).filter(|&(a, b)| joints.contains(&(a, b)) || joints.contains(&(b, a)));
        let cables = cables.count();
        if JOINING * cables < graph.cables(plane).count() {
            let share = up_down::leaf_pairs(graph, plane, level, &joints).share;
            if share >= CONNECTED {
                self.connected = Some(share);
                self.odd_cables += cables as u64;
                self.tree_like = true;
            }
        }
    }
}

/// How the levels of a plane were found.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelSearch {
    /// The plane's switches.
    pub switches: Vec<NodeId>,
    /// Whether they were counted from declared roots, so that nothing was tried.
    pub from_roots: bool,
    /// Whether they are a mesh, torus, hypercube, ring or chain, so that nothing was tried.
    pub is_grid: bool,
    /// What was tried, in order, up to the first without a misfit.
    pub trials: Vec<Trial>,
    /// The index of the trial whose levels were chosen.
    pub chosen: Option<usize>,
}

impl LevelSearch {
    /// Of a plane whose levels its groups show, so that nothing is tried.
    pub(super) fn of_groups(plane: &[u32]) -> Self {
        Self {
            switches: plane.iter().map(|&s| NodeId(s)).collect(),
            from_roots: false,
            is_grid: false,
            trials: Vec::new(),
            chosen: None,
        }
    }

    /// The levels of a plane with the fewest misfits, by switch, where it is mostly a tree.
    pub(super) fn of(graph: &LevelGraph, plane: &[u32]) -> (Self, Option<Vec<u8>>) {
        let switches = plane.iter().map(|&s| NodeId(s)).collect();
        let mut search =
            Self { switches, from_roots: false, is_grid: false, trials: Vec::new(), chosen: None };
        if let Some(mut level) = given::from_roots(graph, plane) {
            given::obey(graph, plane, &mut level);
            search.from_roots = true;
            return (search, Some(level));
        }
        let is_declared = plane.iter().any(|&s| graph.declared[s as usize].is_some());
        if !is_declared && graph.is_grid(plane) {
            let level = search.of_whole_tree(graph, plane);
            search.is_grid = level.is_none();
            return (search, level);
        }
        let hosts = |s: u32| graph.usual_hosts[s as usize];
        let mut numbers: Vec<f64> = plane.iter().map(|&s| hosts(s)).filter(|&n| n > 0.0).collect();
        numbers.sort_unstable_by(f64::total_cmp);
        numbers.dedup();
        let mut best: Option<((u64, u64), Vec<u8>)> = None;
        for &least in &numbers {
            let many: Vec<u32> = plane.iter().copied().filter(|&s| hosts(s) >= least).collect();
            let joining = graph.joining(&many, |_| true);
            let is_joining = |s: &u32| joining.binary_search_by_key(s, |&(of, _)| of).is_ok();
            let not_joining: Vec<u32> = many.iter().copied().filter(|s| !is_joining(s)).collect();
            let of_kinds = |chosen: Vec<u32>| graph.kinds.mostly_in(&many, &chosen);
            let mut variants = vec![
                (many.clone(), None),
                (
                    many.iter().copied().filter(|&s| graph.is_often_hosted(s)).collect(),
                    Some(LeftOut::LikeOthersWithoutAdapters),
                ),
                (of_kinds(not_joining), Some(LeftOut::JoiningDifferent)),
                (of_kinds(graph.in_company(&many)), Some(LeftOut::Alone)),
                (of_kinds(graph.not_mostly_among(&many)), Some(LeftOut::CabledToEachOther)),
            ];
            for (leaves, _) in &mut variants {
                graph.as_declared(plane, leaves);
            }
            for i in 0..variants.len() {
                let (before, rest) = variants.split_at(i);
                let (leaves, left_out) = &rest[0];
                if leaves.is_empty() || before.iter().any(|(other, _)| other == leaves) {
                    continue;
                }
                let (trial, level) = attempt(graph, plane, least.ceil() as u32, *left_out, leaves);
                let misfits = trial.odd_cables + trial.unsupported + trial.appended as u64;
                let misfits = (misfits, trial.high_adapters);
                let is_better = best.as_ref().is_none_or(|&(fewest, _)| misfits < fewest);
                if let Some(level) = level.filter(|_| is_better && trial.tree_like) {
                    best = Some((misfits, level));
                    search.chosen = Some(search.trials.len());
                }
                search.trials.push(trial);
            }
            if best.as_ref().is_some_and(|&(misfits, _)| misfits == (0, 0)) {
                break;
            }
        }
        if !is_declared
            && best.as_ref().is_none_or(|&(misfits, _)| misfits != (0, 0))
            && let Some(level) = search.of_whole_tree(graph, plane)
        {
            return (search, Some(level));
        }
        (search, best.map(|(_, level)| level))
    }

    /// The levels of a plane that is a whole tree by its hosts, where it is: a trial without a misfit.
    fn of_whole_tree(&mut self, graph: &LevelGraph, plane: &[u32]) -> Option<Vec<u8>> {
        let (level, leaves) = whole::levels(graph, plane)?;
        self.chosen = Some(self.trials.len());
        self.trials.push(Trial {
            levels: plane.iter().map(|&s| usize::from(level[s as usize]) + 1).max().unwrap_or(0),
            connected: Some(1.0),
            tree_like: true,
            ..Trial::of(1, Some(LeftOut::WithoutAdapters), leaves)
        });
        Some(level)
    }
}

/// The levels above given leaves, and how well they fit.
fn attempt(
    graph: &LevelGraph,
    plane: &[u32],
    least: u32,
    left_out: Option<LeftOut>,
    leaves: &[u32],
) -> (Trial, Option<Vec<u8>>) {
    let mut trial = Trial::of(least, left_out, leaves.len());
    let Some((whole, capped)) = assigned(graph, plane, leaves) else { return (trial, None) };
    // Without a level that joins nothing new all leaves must still be connected up and down.
    if let Some(mut level) = capped {
        settle(graph, plane, &mut level);
        let capped = judged(graph, plane, leaves, &level, trial.clone());
        if capped.tree_like {
            return (capped, Some(level));
        }
    }
    let mut level = whole;
    settle(graph, plane, &mut level);
    trial = judged(graph, plane, leaves, &level, trial);
    (trial, Some(level))
}

/// Puts what only hangs on the tree, and what the site declares, where it belongs.
fn settle(graph: &LevelGraph, plane: &[u32], level: &mut [u8]) {
    for s in plan::beside(graph, plane, level) {
        level[s as usize] = 0;
    }
    for (s, below) in plan::hanging(graph, plane, level) {
        level[s as usize] = below;
    }
    given::obey(graph, plane, level);
}

/// How well the levels of a plane fit.
fn judged(graph: &LevelGraph, plane: &[u32], leaves: &[u32], level: &[u8], mut trial: Trial) -> Trial {
    let adapters = |s: &u32| u64::from(graph.hosts[*s as usize]);
    let is_odd = |a: u32, b: u32| level[a as usize].abs_diff(level[b as usize]) != 1;
    trial.levels = plane.iter().map(|&s| usize::from(level[s as usize]) + 1).max().unwrap_or(0);
    trial.odd_cables = graph.cables(plane).filter(|&(a, b)| is_odd(a, b)).count() as u64;
    trial.high_adapters = plane.iter().filter(|&&s| level[s as usize] != 0).map(adapters).sum();
    trial.unsupported = plan::unsupported(graph, plane, level);
    let all_adapters: u64 = plane.iter().map(adapters).sum();
    trial.odd_cables += joining(graph, plane, level, 10 * trial.high_adapters < all_adapters);
    trial.odd_cables += unlike(graph, plane, level);
    let odd_of_tree = trial.odd_cables - hung_cables(graph, plane, leaves, level);
    let fits = odd_of_tree as f64 <= ODD_CABLES * graph.cables(plane).count() as f64
        && 2 * trial.high_adapters < all_adapters;
    if fits {
        let pairs = up_down::leaf_pairs(graph, plane, level, &Joints::default());
        trial.connected = Some(pairs.share);
        trial.tree_like = pairs.share >= CONNECTED;
        if !trial.tree_like {
            trial.look_for_appended(&pairs);
        }
        if !trial.tree_like {
            trial.look_for_trees(graph, plane, level);
        }
        let misfits = trial.odd_cables + trial.high_adapters + trial.unsupported;
        trial.tree_like |= misfits == 0 && pairs.share >= CONNECTED_WITHOUT_MISFITS;
    }
    trial
}

/// The cables by which leaves, or switches two or more levels below the top, join subtrees as cores do. `hosts_are_low`:
/// whether hardly any are above the leaves.
fn joining(graph: &LevelGraph, plane: &[u32], level: &[u8], hosts_are_low: bool) -> u64 {
    let at = |l: u8| plane.iter().copied().filter(move |&s| level[s as usize] == l);
    let top = plane.iter().map(|&s| level[s as usize]).max().unwrap_or(0);
    let higher = (1..top.saturating_sub(1)).flat_map(|l| {
        let set: Vec<u32> = at(l).collect();
        graph.joining(&set, |t| level[t as usize] > l)
    });
    // A core without hosts that is cabled like one with a host is no leaf.
    let is_leaf = |&s: &u32| graph.has_hosts(s) || graph.declared[s as usize] == Some(Declared::Leaf);
    let leaves: Vec<u32> = at(0).filter(is_leaf).collect();
    let mut of_leaves = graph.joining(&leaves, |_| true);
    // Where most leaves do, they are cabled to switches of two kinds: to the fabric chips of their own director, say,
    // and to directors above.
    if hosts_are_low && 2 * of_leaves.len() > leaves.len() {
        of_leaves.clear();
    }
    of_leaves.into_iter().chain(higher).map(|(_, cables)| u64::from(cables)).sum()
}

/// The cables of switches at another level than most of those that are cabled alike.
fn unlike(graph: &LevelGraph, plane: &[u32], level: &[u8]) -> u64 {
    let mut by_kind: Vec<(u32, u8, u32)> =
        plane.iter().map(|&s| (graph.kinds.first(s), level[s as usize], s)).collect();
    by_kind.sort_unstable();
    let cables = |s: u32| graph.next(s).iter().map(|&(_, n)| u64::from(n)).sum::<u64>();
    let of_kind = |kind: &[(u32, u8, u32)]| {
        let usual = kind.chunk_by(|a, b| a.1 == b.1).max_by_key(|same| same.len()).map(|same| same[0].1);
        let is_free = |s: u32| graph.declared[s as usize].is_none();
        kind.iter().filter(|of| Some(of.1) != usual && is_free(of.2)).map(|of| cables(of.2)).sum::<u64>()
    };
    by_kind.chunk_by(|a, b| a.0 == b.0).map(of_kind).sum()
}

/// The odd cables of a few switches with hosts that lead nowhere else: they say nothing about the other switches.
fn hung_cables(graph: &LevelGraph, plane: &[u32], leaves: &[u32], level: &[u8]) -> u64 {
    let cables = |&s: &u32| match graph.next(s) {
        &[(t, n)] if graph.hosts[s as usize] > 0 && level[s as usize].abs_diff(level[t as usize]) != 1 => {
            Some(n)
        }
        _ => None,
    };
    let hung: Vec<u32> = plane.iter().filter_map(cables).collect();
    if APPENDED * hung.len() <= leaves.len() { hung.iter().map(|&n| u64::from(n)).sum() } else { 0 }
}

/// The levels above `leaves`; and those without any that only an appendage has, where there is one.
fn assigned(graph: &LevelGraph, plane: &[u32], leaves: &[u32]) -> Option<(Vec<u8>, Option<Vec<u8>>)> {
    let level = assign::assign(graph, leaves, assign::HIGHEST)?;
    let top = up_down::top(graph, plane, leaves, &level);
    let is_below_top = plane.iter().all(|&s| level[s as usize] <= top);
    let capped = (!is_below_top).then(|| assign::assign(graph, leaves, top)).flatten();
    Some((level, capped))
}
