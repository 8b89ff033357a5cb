//! OpenSM's heap, and its search for shortest paths step by step.
//!
//! Which of several equally good paths is taken depends on the order in which OpenSM's heap gives out
//! switches at equal distance, and so on its every step. The heap is 4-ary. On the way up an entry
//! moves while it is strictly smaller than its parent; on the way down while it is strictly greater
//! than the smallest child, the last of equal ones.

use super::super::graph::SwitchGraph;
use super::cables::Cables;
use super::fans::{Fans, NONE};

/// The distance of what is not reached; OpenSM takes no distance from here on for one.
pub(super) const FAR: u32 = i32::MAX as u32;

/// A search under way.
#[derive(Debug, Default)]
pub(super) struct Search {
    /// Distance and switch.
    items: Vec<(u32, u32)>,
    /// By switch: its place among the items.
    place: Vec<u32>,
}

impl Search {
    /// All of a subnet's switches, none of them reached, in OpenSM's order; and the source, where it is an
    /// adapter.
    pub(super) fn of(num_switches: usize, switches: &[u32], adapter: bool) -> Self {
        let source = adapter.then_some(num_switches as u32);
        let items: Vec<_> = switches.iter().copied().chain(source).map(|switch| (FAR, switch)).collect();
        let mut place = vec![NONE; num_switches + 1];
        for (at, &(_, switch)) in (0..).zip(&items) {
            place[switch as usize] = at;
        }
        Self { items, place }
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
        self.items.clone_from(&other.items);
        self.place.clone_from(&other.place);
    }

    /// The nearest switch that was not given out yet.
    pub(super) fn first(&self) -> Option<(u32, u32)> {
        self.items.first().copied()
    }

    /// The distance of a switch that was not given out yet.
    fn distance(&self, switch: u32) -> u32 {
        self.items.get(self.place[switch as usize] as usize).map_or(0, |item| item.0)
    }

    fn put(&mut self, place: usize, item: (u32, u32)) {
        self.items[place] = item;
        self.place[item.1 as usize] = place as u32;
    }

    fn lower(&mut self, switch: u32, distance: u32) {
        let mut place = self.place[switch as usize] as usize;
        while place > 0 {
            let parent = self.items[(place - 1) / 4];
            if distance >= parent.0 {
                break;
            }
            self.put(place, parent);
            place = (place - 1) / 4;
        }
        self.put(place, (distance, switch));
    }

    /// Takes out the first.
    pub(super) fn pop(&mut self) {
        let Some(last) = self.items.pop() else { return };
        let Some(&(_, gone)) = self.items.first() else {
            self.place[last.1 as usize] = NONE;
            return;
        };
        self.place[gone as usize] = NONE;
        let mut place = 0;
        while let Some(least) = self.least_child(place) {
            let child = self.items[least];
            if last.0 <= child.0 {
                break;
            }
            self.put(place, child);
            place = least;
        }
        self.put(place, last);
    }

    /// The place of the nearest child, the last of equal ones.
    #[inline]
    fn least_child(&self, place: usize) -> Option<usize> {
        let first = 4 * place + 1;
        let children = self.items.get(first..)?;
        let Some(&[a, b, c, d]) = children.first_chunk() else {
            let nearest = |&child: &usize| children[child].0;
            return (0..children.len()).rev().min_by_key(nearest).map(|child| first + child);
        };
        let (left, near_left) = if b.0 <= a.0 { (1, b.0) } else { (0, a.0) };
        let (right, near_right) = if d.0 <= c.0 { (3, d.0) } else { (2, c.0) };
        Some(first + if near_right <= near_left { right } else { left })
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
        let Some((distance, switch)) = self.first() else { return };
        self.pop();
        for link in graph.links(switch as usize).filter(|&link| graph.peer[link] != switch) {
            let far = graph.peer[link];
            let way = u64::from(distance) + base + u64::from(cables.weight_of(link, fans.entry(link)));
            if way < u64::from(self.distance(far)) {
                self.lower(far, way as u32);
                shorter(far, link);
            }
        }
    }
}
