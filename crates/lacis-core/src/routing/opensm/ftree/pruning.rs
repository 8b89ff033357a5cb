//! What the walk may save itself, found out once per fabric.
//!
//! Three facts make the walk short, and none changes a table. Switches with the same neighbours
//! below (a *class*) leave nothing to do for one another: once one of them has set all of them
//! within `h` hops, a later one at `h` or more hops finds nothing longer. Where no switch below can
//! be reached over two neighbours, the order in which these are visited is of no consequence, so
//! they need no sorting. And where, besides, every neighbour has one cable only, there is nothing
//! to choose, so nothing need be counted.

use rustc_hash::FxHashMap;

use super::port_groups::{ADAPTER, Bundle, Bundles};
use super::tree::{Role, Tree};

/// No switch.
pub(super) const NOBODY: u32 = u32::MAX;

/// The class of a switch that is in none.
pub(super) const NO_CLASS: u32 = 0;

/// The class of switches with nobody below: there is never anything to do.
pub(super) const BOTTOM: u32 = 1;

/// What the walk needs to know of a switch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Switch {
    /// Its bundles upwards: first and end.
    pub(super) up: (u32, u32),
    /// Its bundles downwards.
    pub(super) down: (u32, u32),
    /// Its bundles on its level.
    pub(super) level: (u32, u32),
    /// Class of equal neighbours below, [`NO_CLASS`] where nothing may be saved.
    pub(super) class: u32,
    /// Distance from the roots.
    pub(super) rank: u8,
    /// Whether adapters hang on it.
    pub(super) has_ends: bool,
    /// Whether compute nodes hang on it.
    pub(super) is_leaf: bool,
    /// Whether anything depends on the order or the use of its bundles downwards.
    pub(super) care: Care,
}

/// What must be kept in mind of the bundles downwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Care {
    /// How often each was used, and the order that follows.
    OrderAndUse,
    /// How often each was used.
    Use,
    /// Nothing.
    Nothing,
}

/// A cable downwards, as the walk needs it where nothing is counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Branch {
    /// The switch below.
    pub(super) neighbour: u32,
    /// Its class.
    pub(super) class: u32,
    /// Its port.
    pub(super) port: u8,
    /// Whether adapters hang on it.
    pub(super) has_ends: bool,
}

/// What may be saved on one tree.
pub(super) struct Plan {
    /// By switch.
    pub(super) switches: Vec<Switch>,
    /// For each bundle of `down`: its first cable.
    pub(super) branches: Vec<Branch>,
    /// The tree's bundles downwards. Without those to adapters, whose places matter only if ...
    pub(super) down: Bundles,
    /// ... every step must be taken as OpenSM takes it: paths may turn up again, or equal indices
    /// make an order depend on its history.
    pub(super) literal: bool,
    /// Number of classes, [`NO_CLASS`] and [`BOTTOM`] included.
    pub(super) num_classes: usize,
}

impl Plan {
    /// Looks a tree over; `reverse_hops` as the user set it.
    pub(super) fn of(tree: &Tree, reverse_hops: u8) -> Self {
        let count = tree.rank.len() as u32;
        let turns = reverse_hops > 0 && tree.others.iter().any(|e| e.role == Role::Io);
        let literal = turns || (0..count).any(|s| has_equal_places(tree, s));
        let down = if literal { tree.down.clone() } else { tree.down.without_adapters() };
        let mut classes: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        let mut stamps = Stamps { of: vec![NOBODY; count as usize], path: Vec::new() };
        let mut switches = Vec::with_capacity(count as usize);
        for s in 0..count {
            let alone = tree.level.of(s).is_empty();
            let has_ends = !tree.ends[s as usize].is_empty();
            let below = down.of(s).iter().filter(|b| b.neighbour != ADAPTER);
            let mut below: Vec<u32> = below.map(|b| b.neighbour).collect();
            let class = if below.is_empty() && (alone || !has_ends) {
                BOTTOM
            } else if literal || !alone {
                NO_CLASS
            } else {
                below.sort_unstable();
                let next = classes.len() as u32 + BOTTOM + 1;
                *classes.entry(below).or_insert(next)
            };
            let care = if literal || !stamps.is_tree_below(tree, &down, s) {
                Care::OrderAndUse
            } else if down.of(s).iter().any(|b| b.size > 1) {
                Care::Use
            } else {
                Care::Nothing
            };
            switches.push(Switch {
                up: tree.up.range(s),
                down: down.range(s),
                level: tree.level.range(s),
                class,
                rank: tree.rank[s as usize].min(u32::from(u8::MAX)) as u8,
                has_ends,
                is_leaf: tree.is_leaf(s),
                care,
            });
        }
        let branch = |b: &Bundle| {
            let below = switches.get(b.neighbour as usize);
            let (class, has_ends) = below.map_or((BOTTOM, true), |s| (s.class, s.has_ends));
            Branch { neighbour: b.neighbour, class, port: b.port, has_ends }
        };
        let branches = (0..count).flat_map(|s| down.of(s)).map(branch).collect();
        let num_classes = classes.len() + BOTTOM as usize + 1;
        Self { switches, branches, down, literal, num_classes }
    }
}

/// Whether two neighbours of a switch in one direction cannot be told apart by their indices.
fn has_equal_places(tree: &Tree, s: u32) -> bool {
    [&tree.up, &tree.down, &tree.level].into_iter().any(|bundles| {
        let switches = bundles.of(s).iter().filter(|b| b.neighbour != ADAPTER);
        let mut places: Vec<u32> = switches.map(|b| b.place).collect();
        places.sort_unstable();
        places.windows(2).any(|pair| pair[0] == pair[1])
    })
}

/// For whom a switch was last seen.
struct Stamps {
    of: Vec<u32>,
    path: Vec<u32>,
}

impl Stamps {
    /// Whether exactly one way leads from `root` down to each switch below it, and none sideways.
    fn is_tree_below(&mut self, tree: &Tree, down: &Bundles, root: u32) -> bool {
        self.path.clear();
        self.path.push(root);
        while let Some(s) = self.path.pop() {
            if !tree.level.of(s).is_empty() {
                return false;
            }
            for bundle in down.of(s) {
                if std::mem::replace(&mut self.of[bundle.neighbour as usize], root) == root {
                    return false;
                }
                self.path.push(bundle.neighbour);
            }
        }
        true
    }
}
