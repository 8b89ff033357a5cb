//! Tables after a loss that keep what still serves of the tables before: few entries change at a failure.
//!
//! For engines that route up*/down* over an order of the switches (M. D. Schroeder et al., "Autonet", IEEE JSAC 9(8), 1991).
//! Towards each destination a switch keeps its entry if the path from there still arrives and never climbs after it has descended, where
//! switches whose cable is gone take their new entry, and further on the path it may be a new one, too. Where these do not bring all packets
//! there, only entries stay whose path before still arrives. Where that mixture does not bring packets of all switches
//! there, or those of end nodes on a path that is no such path, all entries for that destination are the new ones. So no credit loop
//! arises: all paths of end nodes obey one order. From where no such path leads to a switch, as from a leaf to a spine that it lost its
//! cable to, one will do that is no worse than the new one: packets between hosts never take it.

use std::cell::LazyCell;

use rayon::prelude::*;

use crate::fabric::NodeId;
use crate::fabric::switch_graph::SwitchGraph;
use crate::routing::common::follow::{self, Step};
use crate::sm::{Lft, NO_ENTRY};

/// How often paths are looked at to mend those of a destination.
const MENDED: usize = 8;
/// Destinations that one task sees to.
const TOGETHER: usize = 64;

/// What the mixture depends on.
pub(in crate::routing) struct UpDownOrder<'a> {
    /// The links.
    pub graph: &'a SwitchGraph,
    /// By link: whether it leads up.
    pub climbs: &'a [bool],
    /// By switch: whether end nodes are on it.
    pub hosted: &'a [bool],
}

/// How a path goes on from a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Path {
    /// It arrives, and only descends.
    Down,
    /// It arrives, climbing first.
    UpDown,
    /// It arrives, but climbs after it has descended.
    Illegal,
    /// It does not arrive.
    Lost,
}

impl Path {
    fn is_legal(self) -> bool {
        matches!(self, Self::Down | Self::UpDown)
    }

    /// The path that a hop before this one makes.
    fn after(self, climbs: bool) -> Self {
        match (self, climbs) {
            (Self::Down, false) => Self::Down,
            (Self::Down | Self::UpDown, true) => Self::UpDown,
            (Self::UpDown | Self::Illegal, _) => Self::Illegal,
            _ => Self::Lost,
        }
    }
}

impl UpDownOrder<'_> {
    /// The mixture of the tables before and new ones, for destinations by LID and the switch where each is.
    pub fn keep(&self, before: &Lft, new: &Lft, destinations: &[(u32, NodeId)]) -> Lft {
        let mut mixed = new.clone();
        let switches = self.graph.num_switches();
        let column = |&(lid, edge_switch): &(u32, NodeId)| self.column(before, new, lid, edge_switch);
        for some in destinations.chunks(TOGETHER * rayon::current_num_threads().max(1)) {
            let columns: Vec<Option<Vec<u8>>> = some.par_iter().map(column).collect();
            for s in 0..switches {
                let row = mixed.row_mut(NodeId(s as u32));
                for (&(lid, _), column) in some.iter().zip(&columns) {
                    if let Some(column) = column {
                        row[lid as usize] = column[s];
                    }
                }
            }
        }
        mixed
    }

    /// Entries of `lft` were moved to other hops of the shortest paths, while what was kept of a path further on may be a longer one that
    /// climbs from there. Towards destinations that packets reach by a path that is no longer legal, all entries are those of `kept`.
    /// Whether there were any.
    pub fn restore(&self, lft: &mut Lft, kept: &Lft, destinations: &[(u32, NodeId)]) -> bool {
        let switches = || (0..self.graph.num_switches() as u32).map(NodeId);
        // Row by row, as tables lie in memory: few destinations have moved entries.
        let mut is_moved = vec![false; lft.stride()];
        for s in switches() {
            let rows = lft.row(s).iter().zip(kept.row(s));
            is_moved.iter_mut().zip(rows).for_each(|(is_moved, (now, before))| *is_moved |= now != before);
        }
        let is_broken = |&&(lid, edge_switch): &&(u32, NodeId)| {
            let paths_in = |lft: &Lft| {
                let entries = self.entries(lft, lid);
                self.paths(&entries, edge_switch, entries[edge_switch.ix()])
            };
            let kept_paths = LazyCell::new(|| paths_in(kept));
            let is_worse = |(s, path)| !self.is_good(s, path) && path != kept_paths[s];
            is_moved[lid as usize] && paths_in(lft).into_iter().enumerate().any(is_worse)
        };
        let broken: Vec<u32> = destinations.par_iter().filter(is_broken).map(|one| one.0).collect();
        for s in switches() {
            let row = lft.row_mut(s);
            for &lid in &broken {
                row[lid as usize] = kept.get(s, lid);
            }
        }
        !broken.is_empty()
    }

    /// By switch: its entry for a destination.
    fn entries(&self, lft: &Lft, lid: u32) -> Vec<u8> {
        (0..self.graph.num_switches() as u32).map(|s| lft.get(NodeId(s), lid)).collect()
    }

    /// The entries for one destination as they mix, by switch; none where all are the new ones.
    fn column(&self, before: &Lft, new: &Lft, lid: u32, edge_switch: NodeId) -> Option<Vec<u8>> {
        let (old, new) = (self.entries(before, lid), self.entries(new, lid));
        let last = new[edge_switch.ix()];
        let paths = |entries: &[u8]| self.paths(entries, edge_switch, last);
        let new_paths = LazyCell::new(|| paths(&new));
        // Where no legal path leads there, a path will do that is no worse than the new one.
        let is_good = |s: usize, path: Path| self.is_good(s, path) || path == new_paths[s];
        let mended = self.mended(&old, &new, edge_switch, is_good);
        mended.or_else(|| {
            let old_paths = paths(&old);
            let mixed: Vec<u8> =
                (0..old.len()).map(|s| if old_paths[s].is_legal() { old[s] } else { new[s] }).collect();
            paths(&mixed).into_iter().enumerate().all(|(s, path)| is_good(s, path)).then_some(mixed)
        })
    }

    /// The entries before, with new ones where a cable is gone, where a path would climb after it has descended, and where a new one
    /// would lead to an old one that does not go on. None where that does not bring packets of all switches there.
    fn mended(
        &self,
        old: &[u8],
        new: &[u8],
        edge_switch: NodeId,
        is_good: impl Fn(usize, Path) -> bool,
    ) -> Option<Vec<u8>> {
        let switches = 0..old.len();
        let is_new =
            |s: usize| s == edge_switch.ix() || new[s] == NO_ENTRY || self.graph.link_at(s, old[s]).is_none();
        let mut mixed: Vec<u8> = switches.clone().map(|s| if is_new(s) { new[s] } else { old[s] }).collect();
        for _ in 0..MENDED {
            let paths = self.paths(&mixed, edge_switch, new[edge_switch.ix()]);
            let is_good = |s: usize| is_good(s, paths[s]);
            if switches.clone().all(is_good) {
                return Some(mixed);
            }
            let is_old = |s: usize| mixed[s] != new[s];
            let next = |s: usize| self.graph.link_at(s, mixed[s]).map(|link| self.graph.peer[link] as usize);
            let bad = switches.clone().filter(|&s| !is_good(s));
            // From the next switch the path is good: it turns up here.
            let turns = |&s: &usize| is_old(s) && next(s).is_some_and(is_good);
            let mut changing: Vec<usize> = bad.clone().filter(turns).collect();
            if changing.is_empty() {
                // A new entry leads to an old one whose path does not end well.
                changing.extend(bad.filter(|&s| !is_old(s)).filter_map(next).filter(|&s| is_old(s)));
            }
            if changing.is_empty() {
                return None;
            }
            for s in changing {
                mixed[s] = new[s];
            }
        }
        None
    }

    /// Whether a switch's path will do: no packets of end nodes start where there are none.
    fn is_good(&self, s: usize, path: Path) -> bool {
        path.is_legal() || path == Path::Illegal && !self.hosted[s]
    }

    /// The paths of all switches by their entries to a destination, which its edge switch sends out by the port `last`.
    fn paths(&self, entries: &[u8], edge_switch: NodeId, last: u8) -> Vec<Path> {
        let link = |at: usize| self.graph.link_at(at, entries[at]);
        let step = |at: usize| match link(at) {
            _ if at == edge_switch.ix() => {
                Step::End(if entries[at] == last { Path::Down } else { Path::Lost })
            }
            Some(link) => Step::To(self.graph.peer[link] as usize),
            None => Step::End(Path::Lost),
        };
        follow::ends(entries.len(), Path::Lost, step, |at, path| {
            path.after(link(at).is_some_and(|link| self.climbs[link]))
        })
    }
}
