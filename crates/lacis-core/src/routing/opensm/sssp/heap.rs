//! OpenSM's heap, and its search for shortest paths step by step.
//!
//! Which of several equally good paths is taken depends on the order in which OpenSM's heap gives out
//! switches at equal distance, and so on its every step. The heap is 4-ary. On the way up an entry
//! moves while it is strictly smaller than its parent; on the way down while it is strictly greater
//! than the smallest child, the last of equal ones.

use super::bipartite_blocks::Fans;
use super::cables::Cables;
use crate::fabric::switch_graph::SwitchGraph;

/// The distance of what is not reached; OpenSM takes no distance from here on for one.
pub(super) const FAR: u32 = i32::MAX as u32;

/// Distance and switch, the nearest first.
#[derive(Debug, Default)]
pub(super) struct Heap(Vec<(u32, u32)>);

impl Heap {
    /// Becomes the same as another.
    pub(super) fn copy(&mut self, other: &Self) {
        self.0.clone_from(&other.0);
    }

    /// The nearest switch that was not given out yet.
    pub(super) fn first(&self) -> Option<(u32, u32)> {
        self.0.first().copied()
    }

    /// Gives out the first. Calls `moved(switch, place)` for all others that move.
    #[inline]
    pub(super) fn pop(&mut self, mut moved: impl FnMut(u32, u32)) {
        let Some(last) = self.0.pop() else { return };
        let mut place = 0;
        while let Some((least, child)) = self.least_child(place) {
            if last.0 <= child.0 {
                break;
            }
            self.put(place, child, &mut moved);
            place = least;
        }
        if !self.0.is_empty() {
            self.put(place, last, &mut moved);
        }
    }

    /// The nearest child of a place, the last of equal ones.
    #[inline]
    fn least_child(&self, place: usize) -> Option<(usize, (u32, u32))> {
        let first = 4 * place + 1;
        let children = self.0.get(first..)?;
        let Some(children @ &[a, b, c, d]) = children.first_chunk() else {
            let nearest = |&child: &usize| children[child].0;
            let least = (0..children.len()).rev().min_by_key(nearest)?;
            return Some((first + least, children[least]));
        };
        let (left, near_left) = if b.0 <= a.0 { (1, b.0) } else { (0, a.0) };
        let (right, near_right) = if d.0 <= c.0 { (3, d.0) } else { (2, c.0) };
        let least = if near_right <= near_left { right } else { left };
        Some((first + least, children[least]))
    }

    #[inline]
    fn put(&mut self, place: usize, item: (u32, u32), mut moved: impl FnMut(u32, u32)) {
        self.0[place] = item;
        moved(item.1, place as u32);
    }
}

/// A search under way.
#[derive(Debug, Default)]
pub(super) struct Search {
    heap: Heap,
    /// By switch: its place on the heap.
    place: Vec<u32>,
    /// By switch: its distance; 0 once it is given out, and where it is none of the subnet's.
    distance: Vec<u32>,
}

impl Search {
    /// All of a subnet's switches, none of them reached, in OpenSM's order; and the source, where it is an
    /// adapter.
    pub(super) fn of(num_switches: usize, switches: &[u32], adapter: bool) -> Self {
        let source = adapter.then_some(num_switches as u32);
        let items: Vec<_> = switches.iter().copied().chain(source).map(|switch| (FAR, switch)).collect();
        let (mut place, mut distance) = (vec![0; num_switches + 1], vec![0; num_switches + 1]);
        for (at, &(far, switch)) in (0..).zip(&items) {
            (place[switch as usize], distance[switch as usize]) = (at, far);
        }
        Self { heap: Heap(items), place, distance }
    }

    /// The switches that were not given out yet.
    pub(super) fn heap(&self) -> &Heap {
        &self.heap
    }

    /// The nearest of them, and its distance first.
    pub(super) fn first(&self) -> Option<(u32, u32)> {
        self.heap.first()
    }

    /// Begins a search at a switch, or at an adapter on it, where nothing is reached yet. The adapter has the
    /// number after the switches'.
    pub(super) fn begin(&mut self, home: u32, adapter: bool) {
        if adapter {
            self.lower(self.place.len() as u32 - 1, 0);
            self.pop();
        }
        self.lower(home, u32::from(adapter));
    }

    /// Becomes the same as another.
    pub(super) fn copy(&mut self, other: &Self) {
        self.heap.copy(&other.heap);
        self.place.clone_from(&other.place);
        self.distance.clone_from(&other.distance);
    }

    fn lower(&mut self, switch: u32, distance: u32) {
        let mut place = self.place[switch as usize] as usize;
        let Self { heap, place: place_of, .. } = self;
        let mut moved = |switch: u32, place| place_of[switch as usize] = place;
        while place > 0 {
            let parent = heap.0[(place - 1) / 4];
            if distance >= parent.0 {
                break;
            }
            heap.put(place, parent, &mut moved);
            place = (place - 1) / 4;
        }
        heap.put(place, (distance, switch), moved);
        self.distance[switch as usize] = distance;
    }

    fn pop(&mut self) -> Option<(u32, u32)> {
        let first = self.heap.first()?;
        self.heap.pop(|switch, place| self.place[switch as usize] = place);
        self.distance[first.1 as usize] = 0;
        Some(first)
    }

    /// Takes out the first and looks along its links; calls `shorter(switch, link)` wherever one leads
    /// to a switch by a shorter way than known so far. `base` is the weight that all links start with.
    pub(super) fn step(
        &mut self,
        graph: &SwitchGraph,
        fans: &Fans,
        cables: &Cables,
        base: u64,
        mut shorter: impl FnMut(u32, usize),
    ) {
        let Some((distance, switch)) = self.pop() else { return };
        let links = graph.links(switch as usize);
        let ends = graph.peer[links.clone()].iter().zip(fans.entries(links.clone()));
        for (link, (&far, &entry)) in links.zip(ends).filter(|&(_, (&far, _))| far != switch) {
            let way = u64::from(distance) + base + u64::from(cables.weight_of(link, entry));
            if way < u64::from(self.distance[far as usize]) {
                self.lower(far, way as u32);
                shorter(far, link);
            }
        }
    }
}
