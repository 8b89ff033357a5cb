//! Switches by distance, in OpenSM's heap: the order in which it gives out switches at equal distance decides
//! which of several equally short paths is taken.

use crate::routing::common::heap::Heap;

/// The distance of a switch that is not reached; OpenSM takes no distance from here on for one.
pub(super) const FAR: u32 = i32::MAX as u32;

/// Vertices by distance.
#[derive(Clone, Debug, Default)]
pub(super) struct ByDistance {
    heap: Heap<u32>,
    /// By switch: its distance; 0 once it was given out, so that no other is shorter.
    distance: Vec<u32>,
}

impl ByDistance {
    /// Holds some of the vertices below `num_vertices`, none of them reached, in the order given.
    pub(super) fn of(num_vertices: usize, vertices: impl Iterator<Item = u32>) -> Self {
        let mut heap = Heap::new(num_vertices);
        let mut distance = vec![0; num_vertices];
        for vertex in vertices {
            heap.insert(FAR, vertex);
            distance[vertex as usize] = FAR;
        }
        Self { heap, distance }
    }

    /// Becomes a copy of another one.
    pub(super) fn copy(&mut self, other: &Self) {
        self.heap.copy(&other.heap);
        self.distance.clone_from(&other.distance);
    }

    /// Number of vertices that it could hold.
    pub(super) fn num_vertices(&self) -> usize {
        self.distance.len()
    }

    /// The nearest vertex, after its distance.
    pub(super) fn nearest(&self) -> Option<(u32, u32)> {
        self.heap.first()
    }

    /// The distance of a vertex; 0 once it was given out.
    #[inline]
    pub(super) fn distance(&self, vertex: u32) -> u32 {
        self.distance[vertex as usize]
    }

    /// Lowers the distance of a vertex.
    pub(super) fn lower(&mut self, vertex: u32, distance: u32) {
        self.distance[vertex as usize] = distance;
        self.heap.lower(distance, vertex);
    }

    /// Gives out the nearest vertex, after its distance.
    pub(super) fn pop(&mut self) -> Option<(u32, u32)> {
        let nearest = self.heap.pop()?;
        self.distance[nearest.1 as usize] = 0;
        Some(nearest)
    }
}
