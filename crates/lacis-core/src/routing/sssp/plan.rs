//! What a search for shortest paths from one switch looks at, as far as hops tell.

use std::ops::Range;

use super::cables::Cables;
use super::fans::{Fans, NONE};

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

/// All steps with the same rows of the same fan.
#[derive(Clone, Debug)]
struct Spread {
    fan: u32,
    /// In [`Plan::heads`].
    heads: Range<u32>,
    /// In [`Plan::steps`].
    steps: Range<u32>,
}

/// The switches of a subnet by their hops from one of them, and the fans between them.
///
/// What a search finds of a switch it keeps at the *place* of the step that meets it first. So a step
/// writes to places in a row, one for each column of its tile; that of a column that is not fresh is
/// nobody's.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// By switch: its hops; [`NONE`] where there is no way.
    pub hops: Vec<u32>,
    /// By switch that there is a way to: its place.
    pub place: Vec<u32>,
    /// The number of places.
    pub num_places: u32,
    /// The switches by hops; the first is the one that all others are looked for from.
    pub order: Vec<u32>,
    spreads: Vec<Spread>,
    heads: Vec<Head>,
    steps: Vec<Step>,
    /// By fan: how many of its columns are not reached yet.
    open: Vec<u32>,
    num_open: u32,
    /// By place in [`Fans::from`]: the rows of the present distance, as many as `num_active` tells.
    active: Vec<u8>,
    num_active: Vec<u16>,
}

impl Plan {
    /// The steps that lead to all switches, in this order: fan, rows, and what to do with them.
    pub(super) fn spreads(&self) -> impl DoubleEndedIterator<Item = (u32, &[Head], &[Step])> {
        self.spreads.iter().map(|spread| {
            let Range { start, end } = spread.heads;
            let heads = &self.heads[start as usize..end as usize];
            let Range { start, end } = spread.steps;
            (spread.fan, heads, &self.steps[start as usize..end as usize])
        })
    }

    /// The greatest number of hops.
    pub(super) fn depth(&self) -> u32 {
        self.order.last().map_or(0, |&last| self.hops[last as usize])
    }

    /// Plans the search from `home`.
    pub(super) fn set(&mut self, fans: &Fans, cables: &Cables, num_switches: usize, home: u32) {
        self.hops.clear();
        self.hops.resize(num_switches, NONE);
        self.active.resize(fans.from().len(), 0);
        self.num_active.resize(fans.len(), 0);
        self.open.clear();
        // The columns of a fan are the rows of its twin.
        self.open.extend((0..fans.len() as u32).map(|fan| fans.rows_of(fan ^ 1).len() as u32));
        self.num_open = self.open.iter().sum();
        self.order.clear();
        self.place.resize(num_switches, 0);
        self.heads.clear();
        self.steps.clear();
        self.spreads.clear();
        self.num_places = 1;
        self.reach(fans, home, 0, 0);
        let (mut begin, mut hops) = (0, 0);
        let mut touched = Vec::new();
        while self.num_open > 0 && begin < self.order.len() {
            let end = self.order.len();
            for &switch in &self.order[begin..end] {
                for &(fan, row) in fans.of_switch(switch) {
                    if self.open[fan as usize] > 0 {
                        let count = &mut self.num_active[fan as usize];
                        if *count == 0 {
                            touched.push(fan);
                        }
                        self.active[fans.rows_of(fan).start + usize::from(*count)] = row;
                        *count += 1;
                    }
                }
            }
            (begin, hops) = (end, hops + 1);
            for fan in touched.drain(..) {
                self.spread(fans, cables, fan, hops);
            }
        }
    }

    fn reach(&mut self, fans: &Fans, switch: u32, hops: u32, place: u32) {
        self.hops[switch as usize] = hops;
        self.place[switch as usize] = place;
        self.order.push(switch);
        let fans = fans.of_switch(switch);
        self.num_open -= fans.len() as u32;
        for &(fan, _) in fans {
            self.open[fan as usize ^ 1] -= 1;
        }
    }

    /// Adds what one fan leads to.
    fn spread(&mut self, fans: &Fans, cables: &Cables, fan: u32, hops: u32) {
        let count = std::mem::take(&mut self.num_active[fan as usize]);
        let first_head = self.heads.len();
        let (from, rows) = (&fans.from()[fans.rows_of(fan)], &self.active[fans.rows_of(fan)]);
        let head = |&row: &u8| Head { row, place: self.place[from[usize::from(row)] as usize] };
        self.heads.extend(rows[..usize::from(count)].iter().map(head));
        let first_step = self.steps.len() as u32;
        for number in fans.tiles_of(fan) {
            let tile = fans.tile(number);
            let (mut fresh, mut again, place) = (0, 0, self.num_places);
            for (column, &switch) in fans.to(tile).iter().enumerate() {
                let known = self.hops[switch as usize];
                if known == hops {
                    again |= 1 << column;
                } else if known == NONE {
                    // Where there is a hole in each of the rows, only another fan may lead there.
                    let is_met = |head: &Head| !cables.is_hole(tile.entry(head.row, column));
                    if tile.is_whole || self.heads[first_head..].iter().any(is_met) {
                        self.reach(fans, switch, hops, place + column as u32);
                        fresh |= 1 << column;
                    }
                }
            }
            if fresh | again != 0 {
                self.steps.push(Step { tile: number, fresh, again, place });
                self.num_places += tile.width;
            }
        }
        let end_step = self.steps.len() as u32;
        if end_step > first_step {
            let heads = first_head as u32..self.heads.len() as u32;
            self.spreads.push(Spread { fan, heads, steps: first_step..end_step });
        } else {
            self.heads.truncate(first_head);
        }
    }
}
