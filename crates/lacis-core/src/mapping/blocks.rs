//! Grids of ranks cut into boxes: those of hosts inside those of leaves.
//!
//! A box of a host has as many points as a host has ranks, a box of a leaf as many as its hosts have; all shapes are tried that fill
//! the grid exactly.

use super::graph::Graph;

/// Boxes by rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Boxes {
    /// Points of a box along each dimension.
    pub shape: Vec<u32>,
    /// The box of each rank; boxes are numbered as ranks are.
    pub of_rank: Vec<u32>,
}

impl Boxes {
    /// The boxes of a shape that fills the grid.
    pub fn new(grid: &[u32], shape: Vec<u32>) -> Self {
        let ranks: u32 = grid.iter().product();
        let of = |rank: u32| {
            let (mut rest, mut number, mut stride) = (rank, 0, 1);
            for (&size, &edge) in grid.iter().zip(&shape).rev() {
                number += rest % size / edge * stride;
                stride *= size / edge;
                rest /= size;
            }
            number
        };
        Self { of_rank: (0..ranks).map(of).collect(), shape }
    }

    /// Whether boxes of another shape are made of these.
    pub fn divides(&self, shape: &[u32]) -> bool {
        self.shape.iter().zip(shape).all(|(own, other)| other % own == 0)
    }
}

/// The most shapes that are tried.
const MOST_SHAPES: usize = 256;

/// All shapes of so many points that fill a grid, least cut first; the bytes between their boxes.
pub(super) fn by_cut(graph: &Graph, grid: &[u32], points: u32) -> Vec<(u64, Boxes)> {
    let mut shapes = Vec::new();
    shapes_of(grid, points, &mut Vec::new(), &mut shapes);
    shapes.truncate(MOST_SHAPES);
    let boxes = shapes.into_iter().map(|shape| Boxes::new(grid, shape));
    let mut found: Vec<(u64, Boxes)> = boxes.map(|it| (graph.cut(&it.of_rank), it)).collect();
    found.sort_by(|a, b| (a.0, &a.1.shape).cmp(&(b.0, &b.1.shape)));
    found
}

fn shapes_of(grid: &[u32], points: u32, begun: &mut Vec<u32>, out: &mut Vec<Vec<u32>>) {
    let Some(&size) = grid.get(begun.len()) else {
        if points == 1 {
            out.push(begun.clone());
        }
        return;
    };
    for edge in (1..=size.min(points)).filter(|edge| size % edge == 0 && points.is_multiple_of(*edge)) {
        begun.push(edge);
        shapes_of(grid, points / edge, begun, out);
        begun.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plane(rows: u32, columns: u32) -> Graph {
        let at = |r: u32, c: u32| r * columns + c;
        let mut edges = Vec::new();
        for r in 0..rows {
            for c in 0..columns {
                if c + 1 < columns {
                    edges.push((at(r, c), at(r, c + 1), 1));
                }
                if r + 1 < rows {
                    edges.push((at(r, c), at(r + 1, c), 1));
                }
            }
        }
        Graph::of((rows * columns) as usize, edges.into_iter())
    }

    #[test]
    fn squares_cut_least() {
        // 4 x 4 in boxes of 4: 2 x 2 cuts 4 + 4 edges, 1 x 4 and 4 x 1 cut 3 lines of 4.
        let found = by_cut(&plane(4, 4), &[4, 4], 4);
        let shapes: Vec<(u64, &[u32])> = found.iter().map(|(cut, it)| (*cut, &it.shape[..])).collect();
        assert_eq!(shapes, [(8, &[2, 2][..]), (12, &[1, 4]), (12, &[4, 1])]);
        assert_eq!(found[0].1.of_rank, [0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3]);
        assert!(found[1].1.divides(&[2, 4]) && !found[1].1.divides(&[4, 2]));
    }

    #[test]
    fn what_does_not_fill_the_grid_is_no_shape() {
        // 3 x 5 has no box of 4 points; of 15 there is one.
        assert!(by_cut(&plane(3, 5), &[3, 5], 4).is_empty());
        assert_eq!(by_cut(&plane(3, 5), &[3, 5], 15).len(), 1);
    }
}
