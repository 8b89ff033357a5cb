//! Which way is up: an order of all switches in which every two switches that must talk can meet.
//!
//! A cable leads up to the end on the higher level, between equals to the higher GUID. A path that
//! climbs and then descends never closes a circle of links that wait for each other (Autonet's
//! up*/down* rule), whatever the order. But two switches meet only where something is above both.
//! In a tree leaves always are below a common top; tops themselves, or a leaf and a top that it has
//! lost its cables to, may not be. Where end nodes hang on such switches the order is *bent*.
//!
//! Let `H` be what is below one top `r`. Take another top `t` that shares a switch with it, and the
//! highest `x` in `H` below `t`. All switches `z` with `x < z < t` are no members of `H`. Reversing
//! every cable among `x`, these `z` and `t` makes no circle: one that leaves that set and comes back
//! would have passed another switch between `x` and `t`. Nobody in `H` climbs by a cable that was
//! reversed, and now `t` climbs to `x` and so to `r`. A connected fabric that is not yet all in `H`
//! always has such a `t`: the top above a switch outside `H` with a cable to one inside. So after
//! finitely many steps everybody is below `r`, and can reach everybody.
//!
//! In a tree of two levels bending costs nothing: a pair of leaves loses its way over a spine only
//! where both are above that spine, and each spine gets a single leaf above it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashSet;

use crate::fabric::levels::Levels;
use crate::fabric::{Fabric, Guid, NodeId};
use crate::routing::Refused;
use crate::routing::graph::SwitchGraph;

/// Higher trees than this are refused: a path's length must fit into a byte.
const HIGHEST: u32 = 100;

/// Levels, and directions of links.
pub(super) struct Order {
    /// By switch.
    pub level: Vec<u8>,
    /// By link: whether it leads up from its near end.
    pub climbs: Vec<bool>,
    /// By link: the levels it spans; 2 between equals, which it saves going up and down again.
    pub cost: Vec<u8>,
    /// All switches, every one after those below it.
    pub ascending: Vec<u32>,
}

impl Order {
    /// The order by levels: the fabric's own, or those by distance from given roots.
    ///
    /// # Errors
    /// Where the fabric has no levels, or no root is in it.
    pub fn of(fabric: &Fabric, graph: &SwitchGraph, roots: Option<&[Guid]>) -> Result<Self, Refused> {
        let level = if let Some(roots) = roots {
            levels_below(fabric, graph, roots)?
        } else {
            let levels = Levels::of(fabric).ok_or_else(|| {
                Refused::new(
                    "the switches have no levels, as those of a tree have; name the root switches, or use nue",
                )
            })?;
            fabric.switches().map(|s| levels.level(s).unwrap_or(0)).collect()
        };
        let height = |s: usize| (level[s], fabric.node(NodeId(s as u32)).guid, s);
        let mut climbs = Vec::with_capacity(graph.num_links());
        let mut cost = Vec::with_capacity(graph.num_links());
        for s in 0..graph.num_switches() {
            for link in graph.links(s) {
                let far = graph.peer[link] as usize;
                climbs.push(height(far) > height(s));
                cost.push(match level[s].abs_diff(level[far]) {
                    0 => 2,
                    levels => levels,
                });
            }
        }
        let mut order = Self { level, climbs, cost, ascending: Vec::new() };
        order.sort(graph);
        Ok(order)
    }

    /// Whether a link joins a switch to one that is one level higher, as a tree's cables do.
    #[inline]
    pub fn is_regular_up(&self, graph: &SwitchGraph, switch: usize, link: usize) -> bool {
        self.level[graph.peer[link] as usize] == self.level[switch] + 1
    }

    /// Lists the switches from the lowest to the highest.
    fn sort(&mut self, graph: &SwitchGraph) {
        let count = graph.num_switches();
        let is_up = |s: usize, link: usize| self.climbs[link] && graph.peer[link] as usize != s;
        let mut below: Vec<u32> = vec![0; count];
        for s in 0..count {
            for link in graph.links(s).filter(|&l| is_up(s, l)) {
                below[graph.peer[link] as usize] += 1;
            }
        }
        let mut ascending: Vec<u32> = (0..count as u32).filter(|&s| below[s as usize] == 0).collect();
        let mut next = 0;
        while let Some(&s) = ascending.get(next) {
            next += 1;
            for link in graph.links(s as usize).filter(|&l| is_up(s as usize, l)) {
                let far = graph.peer[link] as usize;
                below[far] -= 1;
                if below[far] == 0 {
                    ascending.push(far as u32);
                }
            }
        }
        self.ascending = ascending;
    }

    /// Bends the order until all `hosted` switches of a connected part are below one top.
    pub fn bend(&mut self, graph: &SwitchGraph, hosted: &[bool]) {
        let component = graph.components();
        let parts = component.iter().max().map_or(0, |&c| c + 1);
        let mut members = vec![Vec::new(); parts as usize];
        for (s, &c) in component.iter().enumerate() {
            members[c as usize].push(s as u32);
        }
        for members in members {
            self.bend_part(graph, hosted, &members);
        }
        self.sort(graph);
    }

    fn bend_part(&mut self, graph: &SwitchGraph, hosted: &[bool], members: &[u32]) {
        let tops: Vec<u32> =
            members.iter().copied().filter(|&s| self.above(graph, s).next().is_none()).collect();
        let served = |&t: &u32| {
            let below = self.closure(graph, t, false);
            below.iter().zip(hosted).filter(|&(&below, &hosted)| below && hosted).count()
        };
        let Some(root) = tops.iter().copied().max_by_key(|t| (served(t), Reverse(*t))) else { return };
        loop {
            let inside = self.closure(graph, root, false);
            if members.iter().all(|&s| inside[s as usize] || !hosted[s as usize]) {
                return;
            }
            let mut best: Option<(u32, u32)> = None;
            for top in tops.iter().copied().filter(|&t| !inside[t as usize]) {
                let Some(hinge) = self.hinge(graph, top, &inside) else { continue };
                let level = |s: u32| self.level[s as usize];
                if best.is_none_or(|(_, other)| level(hinge) > level(other)) {
                    best = Some((top, hinge));
                }
                if level(hinge) + 1 >= level(top) {
                    break;
                }
            }
            let Some((top, hinge)) = best else { return };
            self.reverse_between(graph, hinge, top, &inside);
        }
    }

    /// A switch of a set by which a top that is outside it may be tied to it: of those on the highest
    /// level below that top, the one with most cables.
    fn hinge(&self, graph: &SwitchGraph, top: u32, inside: &[bool]) -> Option<u32> {
        let mut seen: FxHashSet<u32> = std::iter::once(top).collect();
        let mut open: BinaryHeap<(u8, u32)> = std::iter::once((self.level[top as usize], top)).collect();
        let mut shared: Vec<u32> = Vec::new();
        while let Some((level, s)) = open.pop() {
            if shared.first().is_some_and(|&x| self.level[x as usize] > level) {
                break;
            }
            if inside[s as usize] {
                shared.push(s);
                continue;
            }
            let down = graph.links(s as usize).filter(|&l| !self.climbs[l]).map(|l| graph.peer[l]);
            open.extend(down.filter(|&t| seen.insert(t)).map(|t| (self.level[t as usize], t)));
        }
        shared.into_iter().max_by_key(|&s| self.preference(graph, s))
    }

    /// What makes a switch a good hinge: it carries what others send over it.
    fn preference(&self, graph: &SwitchGraph, s: u32) -> (u8, usize, Reverse<u32>) {
        (self.level[s as usize], graph.links(s as usize).len(), Reverse(s))
    }

    /// Reverses every cable among a hinge, or the highest switch of the set above it, the top, and what
    /// is between.
    fn reverse_between(&mut self, graph: &SwitchGraph, hinge: u32, top: u32, inside: &[bool]) {
        let below = self.closure(graph, top, false);
        let mut low = hinge;
        let between = loop {
            let above = self.closure(graph, low, true);
            let between: Vec<bool> = below.iter().zip(above).map(|(&a, b)| a && b).collect();
            let higher =
                (0..between.len() as u32).filter(|&s| s != low && between[s as usize] && inside[s as usize]);
            match higher.max_by_key(|&s| self.preference(graph, s)) {
                Some(s) => low = s,
                None => break between,
            }
        };
        for s in (0..between.len()).filter(|&s| between[s]) {
            for link in graph.links(s).filter(|&l| between[graph.peer[l] as usize]) {
                self.climbs[link] = !self.climbs[link];
            }
        }
    }

    fn above(&self, graph: &SwitchGraph, s: u32) -> impl Iterator<Item = u32> {
        let far = |link: usize| graph.peer[link];
        graph.links(s as usize).filter(|&l| self.climbs[l]).map(far).filter(move |&t| t != s)
    }

    /// What can be reached from a switch by going up only, or down only; itself included.
    fn closure(&self, graph: &SwitchGraph, from: u32, up: bool) -> Vec<bool> {
        let mut seen = vec![false; graph.num_switches()];
        seen[from as usize] = true;
        let mut stack = vec![from];
        while let Some(s) = stack.pop() {
            for link in graph.links(s as usize).filter(|&l| self.climbs[l] == up) {
                let far = graph.peer[link];
                if !std::mem::replace(&mut seen[far as usize], true) {
                    stack.push(far);
                }
            }
        }
        seen
    }
}

/// Levels by distance from the given switches, which are the highest.
fn levels_below(fabric: &Fabric, graph: &SwitchGraph, roots: &[Guid]) -> Result<Vec<u8>, Refused> {
    let mut distance = vec![u32::MAX; graph.num_switches()];
    let mut queue: Vec<usize> =
        fabric.switches().filter(|&s| roots.contains(&fabric.node(s).guid)).map(NodeId::ix).collect();
    if queue.is_empty() {
        return Err(Refused::new("none of the given root GUIDs is the node GUID of a switch in the fabric"));
    }
    for &s in &queue {
        distance[s] = 0;
    }
    let mut next = 0;
    while let Some(&s) = queue.get(next) {
        next += 1;
        for link in graph.links(s) {
            let far = graph.peer[link] as usize;
            if distance[far] == u32::MAX {
                distance[far] = distance[s] + 1;
                queue.push(far);
            }
        }
    }
    let deepest = distance.iter().copied().filter(|&d| d != u32::MAX).max().unwrap_or(0);
    if deepest > HIGHEST {
        return Err(Refused::new(format!(
            "a switch is {deepest} hops from the nearest root; {HIGHEST} is the most"
        )));
    }
    Ok(distance.iter().map(|&d| if d == u32::MAX { 0 } else { (deepest - d) as u8 }).collect())
}
