//! Steps of the walks down that change nothing, found once per tree, so that they need not be taken.
//!
//! * Switches with the same neighbours below (a *class*) have nothing to do for one another: once one of them
//!   has set all of them within `h` hops, a later one at `h` or more hops finds none to set.
//! * Where one path leads down to each switch below, the order in which groups are taken does not matter: they
//!   need not be sorted. Where these are groups of one cable, too, it does not matter how often they were
//!   taken: groups of such a *plain* switch need not be counted.
//!
//! Neither holds where walks may climb after they descended, or where two neighbours of a switch have the same
//! tuple, so that their order depends on all that happened before. There every step is taken.

use rustc_hash::FxHashMap;

use super::port_groups::{CA, PortGroup, UP};
use super::tree::{RankedTree, Role};

/// The class of a switch whose steps are all taken.
pub(super) const NO_CLASS: usize = 0;

/// What may be left out on one tree.
pub(super) struct Pruning {
    /// By switch.
    class: Vec<u32>,
    num_classes: usize,
    /// By switch.
    order_matters: Vec<bool>,
    /// By switch: its links down where it is plain.
    plain: Vec<Option<Box<[PlainLink]>>>,
}

/// A link down from a plain switch.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlainLink {
    /// The switch below.
    pub neighbour: u32,
    /// Its class.
    pub class: u32,
    /// Its port.
    pub port: u8,
}

impl Pruning {
    /// What may be left out where I/O nodes have these `reverse_hops`.
    pub fn of(tree: &RankedTree, reverse_hops: u8) -> Self {
        let turns = reverse_hops > 0 && tree.ca_ports.iter().any(|p| p.role == Role::Io);
        if turns || (0..tree.rank.len() as u32).any(|s| has_equal_tuples(tree, s)) {
            return Self::none(tree);
        }
        let switches = 0..tree.rank.len() as u32;
        let mut classes: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        let mut class_of = |s: u32| {
            if !tree.sibling.of(s).is_empty() {
                return NO_CLASS as u32;
            }
            let mut below: Vec<u32> = tree.down.switches(s).collect();
            below.sort_unstable();
            let next = classes.len() as u32 + 1;
            *classes.entry(below).or_insert(next)
        };
        let class: Vec<u32> = switches.clone().map(&mut class_of).collect();
        let mut last_seen_from = vec![u32::MAX; class.len()];
        let order_matters: Vec<bool> =
            switches.clone().map(|s| !is_tree_below(tree, s, &mut last_seen_from)).collect();
        let plain_links = |s: u32| {
            let groups = tree.down.of(s).iter().filter(|g| g.neighbour != CA);
            let link = |&g: &PortGroup| {
                let (_, port) = tree.down.least_used(g, UP);
                let v = g.neighbour;
                PlainLink { neighbour: v, class: class[v as usize], port }
            };
            let is_plain = !order_matters[s as usize] && groups.clone().all(|g| g.size == 1);
            is_plain.then(|| groups.map(link).collect::<Box<[_]>>())
        };
        let plain = switches.map(plain_links).collect();
        Self { class, num_classes: classes.len() + 1, order_matters, plain }
    }

    /// Nothing is left out.
    pub fn none(tree: &RankedTree) -> Self {
        let count = tree.rank.len();
        Self {
            class: vec![NO_CLASS as u32; count],
            num_classes: 1,
            order_matters: vec![true; count],
            plain: vec![None; count],
        }
    }

    /// Number of classes.
    pub fn num_classes(&self) -> usize {
        self.num_classes
    }

    /// The class of a switch.
    #[inline]
    pub fn class(&self, switch: u32) -> usize {
        self.class[switch as usize] as usize
    }

    /// Whether it matters in which order the groups down from a switch are taken.
    #[inline]
    pub fn order_matters(&self, switch: u32) -> bool {
        self.order_matters[switch as usize]
    }

    /// The links down from a plain switch.
    #[inline]
    pub fn plain_links(&self, switch: u32) -> Option<&[PlainLink]> {
        self.plain[switch as usize].as_deref()
    }
}

/// Whether two neighbours of a switch in one direction have the same tuple.
fn has_equal_tuples(tree: &RankedTree, s: u32) -> bool {
    [&tree.up, &tree.down, &tree.sibling].into_iter().any(|groups| {
        let mut tuples: Vec<u64> = groups.switches(s).map(|v| tree.tuple[v as usize]).collect();
        tuples.sort_unstable();
        tuples.windows(2).any(|pair| pair[0] == pair[1])
    })
}

/// Whether exactly one path leads from `root` down to each switch below it, and none to a sibling.
fn is_tree_below(tree: &RankedTree, root: u32, last_seen_from: &mut [u32]) -> bool {
    let mut open = vec![root];
    while let Some(s) = open.pop() {
        if !tree.sibling.of(s).is_empty() {
            return false;
        }
        for below in tree.down.switches(s) {
            if std::mem::replace(&mut last_seen_from[below as usize], root) == root {
                return false;
            }
            open.push(below);
        }
    }
    true
}
