//! Which vertices exchange how many bytes, both directions added.

/// An undirected graph with weights, as adjacency lists one after the other.
///
/// At first a vertex is a rank; contracted, it is a set of ranks that stay together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Graph {
    /// The neighbours of `v` are `begin[v]..begin[v + 1]`, ascending.
    begin: Vec<u32>,
    ends: Vec<(u32, u64)>,
    /// Ranks that a vertex stands for.
    pub weight: Vec<u32>,
}

impl Graph {
    /// Edges between `n` vertices of weight 1; those between the same two are added, loops are left out.
    pub fn of(n: usize, edges: impl Iterator<Item = (u32, u32, u64)>) -> Self {
        Self::weighted(vec![1; n], edges)
    }

    fn weighted(weight: Vec<u32>, edges: impl Iterator<Item = (u32, u32, u64)>) -> Self {
        let mut both: Vec<(u32, u32, u64)> = edges
            .filter(|&(a, b, bytes)| a != b && bytes > 0)
            .flat_map(|(a, b, bytes)| [(a, b, bytes), (b, a, bytes)])
            .collect();
        both.sort_unstable_by_key(|&(a, b, _)| (a, b));
        both.dedup_by(|next, kept| {
            let same = (next.0, next.1) == (kept.0, kept.1);
            if same {
                kept.2 = kept.2.saturating_add(next.2);
            }
            same
        });
        let mut begin = vec![0; weight.len() + 1];
        for &(a, _, _) in &both {
            begin[a as usize + 1] += 1;
        }
        for v in 0..weight.len() {
            begin[v + 1] += begin[v];
        }
        Self { begin, ends: both.into_iter().map(|(_, b, bytes)| (b, bytes)).collect(), weight }
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.weight.len()
    }

    /// Neighbours and the bytes that are exchanged with each.
    pub fn neighbours(&self, vertex: u32) -> &[(u32, u64)] {
        &self.ends[self.begin[vertex as usize] as usize..self.begin[vertex as usize + 1] as usize]
    }

    /// Every edge once.
    pub fn edges(&self) -> impl Iterator<Item = (u32, u32, u64)> + '_ {
        (0..self.len() as u32)
            .flat_map(|a| self.neighbours(a).iter().filter(move |e| e.0 > a).map(move |&(b, w)| (a, b, w)))
    }

    /// The graph whose vertices are sets of this one's: `set[v]` of `sets`.
    pub fn contracted(&self, set: &[u32], sets: usize) -> Self {
        let mut weight = vec![0; sets];
        for (&s, &w) in set.iter().zip(&self.weight) {
            weight[s as usize] += w;
        }
        // Sets list their members first, so that each adds up the edges of one set in one row.
        let mut first = vec![0_u32; sets + 1];
        for &s in set {
            first[s as usize + 1] += 1;
        }
        for s in 0..sets {
            first[s + 1] += first[s];
        }
        let mut members = vec![0_u32; set.len()];
        let mut at = first.clone();
        for (v, &s) in (0..).zip(set) {
            members[at[s as usize] as usize] = v;
            at[s as usize] += 1;
        }
        let (mut begin, mut ends) = (vec![0], Vec::new());
        let mut slot = vec![u32::MAX; sets];
        for s in 0..sets as u32 {
            let row = ends.len();
            for &v in &members[first[s as usize] as usize..first[s as usize + 1] as usize] {
                for &(other, bytes) in self.neighbours(v) {
                    let to = set[other as usize];
                    if to == s {
                        continue;
                    }
                    let known = slot[to as usize] as usize;
                    if known >= row && known < ends.len() {
                        let end: &mut (u32, u64) = &mut ends[known];
                        end.1 = end.1.saturating_add(bytes);
                    } else {
                        slot[to as usize] = ends.len() as u32;
                        ends.push((to, bytes));
                    }
                }
            }
            ends[row..].sort_unstable_by_key(|e| e.0);
            // After sorting, slots of this row are stale; the next row's test on `row` sees that.
            begin.push(ends.len() as u32);
        }
        Self { begin, ends, weight }
    }

    /// The graph of some vertices and the edges among them; `number` has room for all vertices, and its content does not matter.
    pub fn induced(&self, vertices: &[u32], number: &mut [u32]) -> Self {
        for (i, &v) in (0..).zip(vertices) {
            number[v as usize] = i;
        }
        let (mut begin, mut ends) = (vec![0], Vec::new());
        for &v in vertices {
            let inside = self.neighbours(v).iter().filter_map(|&(other, bytes)| {
                let at = number[other as usize];
                (vertices.get(at as usize) == Some(&other)).then_some((at, bytes))
            });
            ends.extend(inside);
            begin.push(ends.len() as u32);
        }
        Self { begin, ends, weight: vertices.iter().map(|&v| self.weight[v as usize]).collect() }
    }

    /// Bytes between vertices of different parts.
    pub fn cut(&self, part: &[u32]) -> u64 {
        self.edges().filter(|&(a, b, _)| part[a as usize] != part[b as usize]).map(|e| e.2).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_added_and_loops_left_out() {
        let graph = Graph::of(3, [(0, 1, 5), (1, 0, 2), (2, 2, 9), (1, 2, 1)].into_iter());
        assert_eq!(graph.edges().collect::<Vec<_>>(), [(0, 1, 7), (1, 2, 1)]);
        assert_eq!(graph.neighbours(1), [(0, 7), (2, 1)]);
        assert_eq!((graph.cut(&[0, 0, 1]), graph.cut(&[0, 1, 0])), (1, 8));
    }

    #[test]
    fn sets_stand_for_their_members() {
        // A path 0 - 1 - 2 - 3 with weights 1, 2, 4, and 8 between 0 and 3; sets {0, 2} and {1, 3}.
        let graph = Graph::of(4, [(0, 1, 1), (1, 2, 2), (2, 3, 4), (0, 3, 8)].into_iter());
        let contracted = graph.contracted(&[0, 1, 0, 1], 2);
        assert_eq!(contracted, Graph::weighted(vec![2, 2], [(0, 1, 15)].into_iter()));
        let three = graph.contracted(&[0, 0, 1, 2], 3);
        let expected = [(0, 1, 2), (1, 2, 4), (0, 2, 8)];
        assert_eq!(three, Graph::weighted(vec![2, 1, 1], expected.into_iter()));
    }

    #[test]
    fn some_vertices_keep_the_edges_among_them() {
        let graph = Graph::of(4, [(0, 1, 1), (1, 2, 2), (2, 3, 4), (0, 3, 8)].into_iter());
        let mut number = vec![0; 4];
        let part = graph.induced(&[3, 0, 2], &mut number);
        assert_eq!(part.edges().collect::<Vec<_>>(), [(0, 1, 8), (0, 2, 4)]);
    }
}
