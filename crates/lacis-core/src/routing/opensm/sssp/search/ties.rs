//! Ways of equal weight, and which of them OpenSM takes.

use std::ops::Range;

use super::{Router, Way};
use crate::routing::opensm::sssp::bipartite_blocks::{NO_ROW, NONE};
use crate::routing::opensm::sssp::lightest::{is_alike, total, way, with_row};
use crate::routing::opensm::sssp::plan::{Plan, Step};

/// A switch with ways of equal weight.
#[derive(Debug)]
pub(super) struct Contested {
    switch: u32,
    /// Those by the nearest next switches, in [`Router::rivals`]; none if they are still to be found.
    rivals: Range<usize>,
}

impl Router<'_> {
    /// Looks closer at those columns of a step where ways are equally light, or that other fans lead to.
    pub(super) fn compare(&mut self, plan: &Plan, fan: u32, heads: &[u32], step: &Step, ties: u32) {
        let Self { fans, cables, keys, ways, contested, rivals, .. } = self;
        let (tile, from) = (fans.tile(step.tile), &fans.from()[fans.rows_of(fan)]);
        let mut columns = ties & step.fresh | step.again;
        while columns != 0 {
            let column = columns.trailing_zeros() as usize;
            columns &= columns - 1;
            let switch = fans.to(tile)[column];
            let best = keys[step.place as usize + column];
            let (extra, row) = total(best);
            if step.again >> column & 1 == 1 {
                let known = &mut keys[plan.place(switch) as usize];
                let is_lighter = extra < total(*known).0;
                if extra == total(*known).0 || is_lighter && ties >> column & 1 == 1 {
                    contested.push(Contested { switch, rivals: 0..0 });
                }
                if is_lighter {
                    let next = from[usize::from(row)];
                    ways[switch as usize] = Way { entry: tile.entry(row, column), next };
                    *known = with_row(best, NO_ROW);
                }
                continue;
            }
            // As in `settle`, where the nearest of equal heads is the only one.
            let weights = &cables.weights[tile.first as usize + column..];
            let weight = |head: u32| weights[usize::from(head as u8) * tile.width as usize];
            let (mut nearest, mut is_only) = (u32::MAX, true);
            for &head in heads {
                if is_alike(way(head, weight(head)), best) {
                    is_only = !is_alike(head, nearest) && (is_only || head < nearest);
                    nearest = nearest.min(head);
                }
            }
            keys[step.place as usize + column] = with_row(best, nearest as u8);
            if !is_only {
                let first = rivals.len();
                if !plan.meets_twice {
                    let is_rival =
                        |&&head: &&u32| is_alike(head, nearest) && is_alike(way(head, weight(head)), best);
                    rivals.extend(heads.iter().filter(is_rival).map(|&head| {
                        let (_, row) = total(head);
                        Way { entry: tile.entry(row, column), next: from[usize::from(row)] }
                    }));
                }
                contested.push(Contested { switch, rivals: first..rivals.len() });
            }
        }
    }

    /// Decides between ways of equal weight as OpenSM does: the next switch that is nearer, and of
    /// equally near ones that which its heap gives out first.
    pub(super) fn settle(&mut self, plan: &Plan, home: u32, adapter: bool) {
        let mut contested = std::mem::take(&mut self.contested);
        let mut ranked = 0;
        for Contested { switch, mut rivals } in contested.drain(..) {
            if rivals.is_empty() {
                rivals = self.rivals(plan, switch);
            }
            let mut best = self.rivals[rivals.start];
            for rival in rivals.start + 1..rivals.end {
                let way = self.rivals[rival];
                if way.next != best.next {
                    let hops = plan.hops(switch) - 1;
                    if ranked != hops {
                        self.begin_ranking(plan, hops, ranked == 0, home, adapter);
                        ranked = hops;
                    }
                    if self.comes_first(way.next, best.next) {
                        best = way;
                    }
                }
            }
            self.ways[switch as usize] = best;
            let key = &mut self.keys[plan.place(switch) as usize];
            *key = with_row(*key, NO_ROW);
        }
        self.contested = contested;
        self.rivals.clear();
    }

    /// Adds the ways that a switch has by the nearest of its next switches.
    fn rivals(&mut self, plan: &Plan, switch: u32) -> Range<usize> {
        let Self { graph, fans, cables, keys, rivals, .. } = self;
        let (first, mut nearest) = (rivals.len(), u32::MAX);
        let key = keys[plan.place(switch) as usize];
        for link in graph.links(switch as usize) {
            let next = graph.peer[link];
            if plan.hops(next) != plan.hops(switch) - 1 {
                continue;
            }
            let near = with_row(keys[plan.place(next) as usize], 0);
            let entry = fans.entry(graph.back[link] as usize);
            if near <= nearest && is_alike(way(near, cables.weights[entry as usize]), key) {
                if near < nearest {
                    rivals.truncate(first);
                    nearest = near;
                }
                rivals.push(Way { entry, next });
            }
        }
        first..rivals.len()
    }

    /// Runs the heap until it gives out switches that are `hops` away; `first`: from the beginning.
    fn begin_ranking(&mut self, plan: &Plan, hops: u32, first: bool, home: u32, adapter: bool) {
        let Self { graph, fans, cables, on_heap, ranking, rank, given_out, .. } = self;
        if first {
            on_heap.copy(&self.starts[usize::from(adapter)]);
            on_heap.begin(home, adapter);
        }
        while on_heap.first().is_some_and(|(_, switch)| plan.hops(switch) < hops) {
            on_heap.step(graph, fans, cables, self.base, |_, _| {});
        }
        ranking.copy(on_heap.heap());
        given_out.drain(..).for_each(|switch| rank[switch as usize] = NONE);
    }

    /// Whether the heap gives out one switch before another. What is farther away does not change the
    /// order among these.
    fn comes_first(&mut self, one: u32, other: u32) -> bool {
        let [one, other] = [one, other].map(|switch| switch as usize);
        while self.rank[one].min(self.rank[other]) == NONE {
            let Some((_, switch)) = self.ranking.first() else { break };
            self.rank[switch as usize] = self.given_out.len() as u32;
            self.given_out.push(switch);
            self.ranking.pop(|_, _| {});
        }
        self.rank[one] < self.rank[other]
    }
}
