//! What a search for shortest paths from one switch looks at, as far as hops tell.

use std::ops::Range;

use super::bipartite_blocks::{Fans, NONE};
use super::cables::Cables;

/// One tile's part in a search: from some of its rows to some of its columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// The tile.
    pub tile: u32,
    /// Columns, as bits, whose switches are met here for the first time …
    pub fresh: u32,
    /// … and those that another fan leads to at the same distance.
    pub again: u32,
    /// The place of the first column; the others follow.
    pub place: u32,
}

/// A switch that ways lead through.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    /// Its row of the fan.
    pub row: u8,
    /// Its place.
    pub place: u32,
}

/// Where the parts of a [`Spread`] are.
#[derive(Clone, Debug)]
struct Parts {
    fan: u32,
    /// In [`Plan::heads`].
    heads: Range<u32>,
    /// As in [`Spread`].
    run: Option<u32>,
    /// In [`Plan::steps`].
    steps: Range<u32>,
}

/// Where a switch is met.
#[derive(Clone, Copy, Debug)]
struct Met {
    /// [`NONE`] where there is no way.
    hops: u32,
    place: u32,
}

/// The switches of a subnet by their hops from one of them, and the fans between them.
///
/// What a search finds of a switch it keeps at the *place* of the step that meets it first. So a step
/// writes to places in a row, one for each column of its tile; that of a column that is not fresh is
/// nobody's.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// By switch: where it is met.
    met: Vec<Met>,
    /// By place: LIDs on the switch; 0 where it is nobody's, or that of the search's beginning.
    pub lids: Vec<u32>,
    /// The switches by hops; the first is the one that all others are looked for from.
    pub order: Vec<u32>,
    /// Whether several fans lead to some switch at the same distance.
    pub meets_twice: bool,
    spreads: Vec<Parts>,
    heads: Vec<Head>,
    steps: Vec<Step>,
    /// Where the spreads begin that lead to switches that no way leads through, each by one step alone.
    outermost: usize,
    /// By fan: the last hops that it was looked at for; [`NONE`] once all of its columns are reached.
    looked_at: Vec<u32>,
}

/// All steps with the same rows of the same fan.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spread<'a> {
    pub fan: u32,
    pub heads: &'a [Head],
    /// The place of the first head, where there are several and their rows and places ascend by one, the
    /// rows from 0.
    pub run: Option<u32>,
    pub steps: &'a [Step],
}

impl Plan {
    /// The spreads that lead to all switches, in this order, but for the outermost ones.
    pub(super) fn inner(&self) -> impl DoubleEndedIterator<Item = Spread<'_>> {
        self.spreads[..self.outermost].iter().map(|spread| self.spread_of(spread))
    }

    /// The spreads to the switches farthest away, if no way leads through these and a single step to each.
    pub(super) fn outermost(&self) -> impl Iterator<Item = Spread<'_>> {
        self.spreads[self.outermost..].iter().map(|spread| self.spread_of(spread))
    }

    fn spread_of(&self, spread: &Parts) -> Spread<'_> {
        let heads = &self.heads[spread.heads.start as usize..spread.heads.end as usize];
        let steps = &self.steps[spread.steps.start as usize..spread.steps.end as usize];
        Spread { fan: spread.fan, heads, run: spread.run, steps }
    }

    /// The greatest number of hops.
    pub(super) fn depth(&self) -> u32 {
        self.order.last().map_or(0, |&last| self.hops(last))
    }

    /// The hops to a switch; [`NONE`] where there is no way.
    #[inline]
    pub(super) fn hops(&self, switch: u32) -> u32 {
        self.met[switch as usize].hops
    }

    /// The place of a switch that there is a way to.
    #[inline]
    pub(super) fn place(&self, switch: u32) -> u32 {
        self.met[switch as usize].place
    }

    /// Plans the search from `home`. `lids`: by switch, LIDs on it.
    pub(super) fn set(&mut self, fans: &Fans, cables: &Cables, lids: &[u32], home: u32) {
        if self.exchange(fans, lids, home).is_none() {
            self.begin(fans, cables, lids, home);
        }
    }

    /// Lets two switches with the same neighbours change places, where this plan is for the other one:
    /// nothing else differs. A step may have no fresh column then. [`None`]: nothing is changed.
    fn exchange(&mut self, fans: &Fans, lids: &[u32], home: u32) -> Option<()> {
        let &other = self.order.first()?;
        if other == home {
            return Some(());
        }
        let (&[(fan, old_row)], &[(same, row)]) = (fans.of_switch(other), fans.of_switch(home)) else {
            return None;
        };
        if same != fan || !fans.is_whole(fan) {
            return None;
        }
        // The rows of a fan are the columns of its twin.
        let [(tile, column), (old_tile, old_column)] = [row, old_row].map(|row| fans.column(fan ^ 1, row));
        let step_of = |tile| self.steps.iter().position(|step: &Step| step.tile == tile);
        let (here, there) = (step_of(tile)?, step_of(old_tile)?);
        let position = self.order.iter().position(|&switch| switch == home)?;
        self.steps[here].fresh &= !(1 << column);
        self.steps[there].fresh |= 1 << old_column;
        let old_place = self.steps[there].place + old_column;
        self.lids[self.met[home as usize].place as usize] = 0;
        self.lids[old_place as usize] = lids[other as usize];
        self.met[other as usize] = Met { place: old_place, ..self.met[home as usize] };
        self.met[home as usize] = Met { hops: 0, place: 0 };
        (self.order[0], self.order[position]) = (home, other);
        self.heads[0].row = row;
        Some(())
    }

    /// Plans the search from a switch anew.
    fn begin(&mut self, fans: &Fans, cables: &Cables, lids: &[u32], home: u32) {
        self.met.clear();
        self.met.resize(lids.len(), Met { hops: NONE, place: 0 });
        self.looked_at.clear();
        self.looked_at.resize(fans.len(), 0);
        self.heads.clear();
        self.steps.clear();
        self.spreads.clear();
        self.outermost = 0;
        self.meets_twice = false;
        self.lids.clear();
        self.lids.push(0);
        self.order.clear();
        self.order.push(home);
        self.met[home as usize].hops = 0;
        let (mut begin, mut hops) = (0, 0_u32);
        let mut touched = Vec::new();
        while begin < self.order.len() && self.order.len() < lids.len() {
            let end = self.order.len();
            for &switch in &self.order[begin..end] {
                for &(fan, _) in fans.of_switch(switch) {
                    let looked_at = &mut self.looked_at[fan as usize];
                    if *looked_at <= hops {
                        let is_open =
                            fans.columns(fan).iter().any(|&far| self.met[far as usize].hops == NONE);
                        *looked_at = if is_open { hops + 1 } else { NONE };
                        if is_open {
                            touched.push(fan);
                        }
                    }
                }
            }
            (begin, hops) = (end, hops + 1);
            let (first_spread, first_step) = (self.spreads.len(), self.steps.len());
            for fan in touched.drain(..) {
                self.spread(fans, cables, lids, fan, hops);
            }
            if self.order.len() > end {
                let meets_twice = self.steps[first_step..].iter().any(|step| step.again != 0);
                self.outermost = if meets_twice { self.spreads.len() } else { first_spread };
                self.meets_twice |= meets_twice;
            }
        }
    }

    /// Adds what one fan leads to.
    fn spread(&mut self, fans: &Fans, cables: &Cables, lids: &[u32], fan: u32, hops: u32) {
        let Self { met, lids: lids_at, order, spreads, heads, steps, .. } = self;
        let first_head = heads.len();
        let rows =
            (0..).zip(&fans.from()[fans.rows_of(fan)]).map(|(row, &switch)| (row, met[switch as usize]));
        heads.extend(
            rows.filter(|(_, met)| met.hops == hops - 1).map(|(row, met)| Head { row, place: met.place }),
        );
        let first_step = steps.len() as u32;
        for number in fans.tiles_of(fan) {
            let (tile, first) = (fans.tile(number), lids_at.len());
            let (to, mut fresh, mut again) = (fans.to(tile), 0, 0);
            lids_at.resize(first + tile.width as usize, 0);
            let places = (first as u32..).zip(&mut lids_at[first..]);
            for (column, (&switch, (place, num_lids))) in to.iter().zip(places).enumerate() {
                let met = &mut met[switch as usize];
                if met.hops == NONE {
                    // Where there is a hole in each of the rows, only another fan may lead there.
                    let is_met = |head: &Head| !cables.is_hole(tile.entry(head.row, column));
                    if tile.is_whole || heads[first_head..].iter().any(is_met) {
                        *met = Met { hops, place };
                        *num_lids = lids[switch as usize];
                        fresh |= 1 << column;
                    }
                } else if met.hops == hops {
                    again |= 1 << column;
                }
            }
            if fresh | again == 0 {
                lids_at.truncate(first);
                continue;
            }
            steps.push(Step { tile: number, fresh, again, place: first as u32 });
            if fresh.count_ones() as usize == to.len() {
                order.extend_from_slice(to);
            } else {
                let fresh = to.iter().enumerate().filter(|(column, _)| fresh >> column & 1 == 1);
                order.extend(fresh.map(|(_, &switch)| switch));
            }
        }
        let end_step = steps.len() as u32;
        if end_step > first_step {
            let run = run_of(&heads[first_head..]);
            let heads = first_head as u32..heads.len() as u32;
            spreads.push(Parts { fan, heads, run, steps: first_step..end_step });
        } else {
            heads.truncate(first_head);
        }
    }
}

/// As in [`Spread`].
fn run_of(heads: &[Head]) -> Option<u32> {
    let &[Head { place: first, .. }, _, ..] = heads else { return None };
    let is_run = (0..).zip(heads).all(|(at, head)| u32::from(head.row) == at && head.place == first + at);
    is_run.then_some(first)
}
