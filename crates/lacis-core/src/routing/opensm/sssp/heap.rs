//! OpenSM's heap of switches by distance. Which of several equally short paths is taken depends on the order
//! in which it gives out switches at equal distance, and so on its every step.

/// The distance of a switch that is not reached; OpenSM takes no distance from here on for one.
pub(super) const FAR: u32 = i32::MAX as u32;

/// A 4-ary heap. On the way up an entry moves while it is strictly nearer than its parent; on the way down
/// while it is strictly farther than the nearest child, the last of equal ones.
#[derive(Clone, Debug, Default)]
pub(super) struct Heap {
    /// Distance and switch.
    entries: Vec<(u32, u32)>,
    /// By switch: its slot in `entries`.
    slot: Vec<u32>,
    /// By switch: its distance; 0 once it was given out, so that no other is shorter.
    distance: Vec<u32>,
}

impl Heap {
    /// Holds some of the vertices below `num_vertices`, none of them reached, in the order given.
    pub(super) fn of(num_vertices: usize, vertices: impl Iterator<Item = u32>) -> Self {
        let mut heap = Self {
            entries: vertices.map(|vertex| (FAR, vertex)).collect(),
            slot: vec![0; num_vertices],
            distance: vec![0; num_vertices],
        };
        for (slot, &(distance, vertex)) in (0..).zip(&heap.entries) {
            (heap.slot[vertex as usize], heap.distance[vertex as usize]) = (slot, distance);
        }
        heap
    }

    /// Becomes a copy of another heap.
    pub(super) fn copy(&mut self, other: &Self) {
        self.entries.clone_from(&other.entries);
        self.slot.clone_from(&other.slot);
        self.distance.clone_from(&other.distance);
    }

    /// Number of vertices that it could hold.
    pub(super) fn num_vertices(&self) -> usize {
        self.slot.len()
    }

    /// The nearest vertex, after its distance.
    pub(super) fn nearest(&self) -> Option<(u32, u32)> {
        self.entries.first().copied()
    }

    /// The distance of a vertex; 0 once it was given out.
    #[inline]
    pub(super) fn distance(&self, vertex: u32) -> u32 {
        self.distance[vertex as usize]
    }

    /// Lowers the distance of a vertex.
    pub(super) fn lower(&mut self, vertex: u32, distance: u32) {
        self.distance[vertex as usize] = distance;
        let mut slot = self.slot[vertex as usize] as usize;
        while slot > 0 {
            let parent = self.entries[(slot - 1) / 4];
            if distance >= parent.0 {
                break;
            }
            self.put(slot, parent);
            slot = (slot - 1) / 4;
        }
        self.put(slot, (distance, vertex));
    }

    /// Gives out the nearest vertex, after its distance.
    pub(super) fn pop(&mut self) -> Option<(u32, u32)> {
        let nearest = self.nearest()?;
        self.distance[nearest.1 as usize] = 0;
        let last = self.entries.pop().filter(|_| !self.entries.is_empty());
        let Some(last) = last else { return Some(nearest) };
        let mut slot = 0;
        while let Some(child) = self.nearest_child(slot) {
            if last.0 <= self.entries[child].0 {
                break;
            }
            self.put(slot, self.entries[child]);
            slot = child;
        }
        self.put(slot, last);
        Some(nearest)
    }

    fn nearest_child(&self, slot: usize) -> Option<usize> {
        let first = 4 * slot + 1;
        let children = self.entries.get(first..self.entries.len().min(first + 4))?;
        let mut nearest = None;
        let mut least = u32::MAX;
        for (child, &(distance, _)) in (first..).zip(children) {
            if distance <= least {
                (nearest, least) = (Some(child), distance);
            }
        }
        nearest
    }

    #[inline]
    fn put(&mut self, slot: usize, entry: (u32, u32)) {
        self.entries[slot] = entry;
        self.slot[entry.1 as usize] = slot as u32;
    }
}
