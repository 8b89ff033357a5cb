//! The links between switches, laid out for the search.
//!
//! In trees the switches of a level that share their neighbours make a complete bipartite graph with
//! them: the leaves and the middle switches of a pod, say. Such a *block* is kept as two *fans*, one
//! per direction: a table of weights with a row for each switch that links leave and a column for each
//! switch that they enter. A hole, where a cable is missing, is a weight that nothing chooses. Where a
//! fabric has no blocks, a switch and its neighbours make one.

use std::ops::Range;

use super::cables::Cables;
use crate::fabric::switch_graph::SwitchGraph;

/// Columns that a processor's vector holds: the width of a tile is a multiple of it.
pub(super) const VECTOR: usize = 4;

/// Most columns of a tile, whose running minima should stay in registers.
pub(super) const MAX_WIDTH: usize = 5 * VECTOR;

/// What stands for no row of a fan.
pub(super) const NO_ROW: u8 = u8::MAX;

/// Numbers that a row may have, and [`NO_ROW`].
pub(super) const ROW_NUMBERS: usize = NO_ROW as usize + 1;

/// No switch, or no bundle.
pub(super) const NONE: u32 = u32::MAX;

/// Links from some switches to some others.
#[derive(Clone, Debug)]
struct Fan {
    /// Its rows' switches, in [`Fans::from`].
    from: Range<u32>,
    /// Its columns, in [`Fans::tiles`].
    tiles: Range<u32>,
}

/// Some columns of a fan.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tile {
    /// The switches that they belong to, in [`Fans::to`].
    to: (u32, u32),
    /// The first entry.
    pub first: u32,
    /// Columns in the table: a multiple of [`VECTOR`].
    pub width: u32,
    /// Rows.
    pub rows: u8,
    /// Whether every row has a link to every column.
    pub is_whole: bool,
    /// Whether there are parallel cables.
    pub is_bundled: bool,
    /// Whether the columns' switches follow each other.
    pub is_run: bool,
}

impl Tile {
    /// The entry of the link from a row to a column.
    #[inline]
    pub(super) fn entry(&self, row: u8, column: usize) -> u32 {
        self.first + u32::from(row) * self.width + column as u32
    }
}

/// All fans. The table of a tile lies row after row in [`Cables`]; *entry* is a place in it.
#[derive(Debug, Default)]
pub(super) struct Fans {
    /// The two fans of a block are neighbours: an even number and the next.
    all: Vec<Fan>,
    from: Vec<u32>,
    to: Vec<u32>,
    tiles: Vec<Tile>,
    /// By link of the graph: its entry.
    entry: Vec<u32>,
    /// By switch: where `rows` tells of it.
    first_row: Vec<u32>,
    /// The fans that a switch has a row in, and the row.
    rows: Vec<(u32, u8)>,
}

impl Fans {
    /// Fans for all links between different switches, and what is known of their entries. `seeds` are the
    /// switches in the order in which blocks are grown from them.
    pub(super) fn of(graph: &SwitchGraph, seeds: &[u32]) -> (Self, Cables) {
        let mut cables = Cables::default();
        let mut fans = Self { entry: vec![NONE; graph.num_links()], ..Self::default() };
        let mut column_of = vec![NONE; graph.num_switches()];
        let mut rows = vec![Vec::new(); graph.num_switches()];
        for (one, other) in blocks(graph, seeds) {
            fans.add_fan(graph, &mut cables, &one, &other, &mut column_of, &mut rows);
            fans.add_fan(graph, &mut cables, &other, &one, &mut column_of, &mut rows);
        }
        fans.first_row.push(0);
        for rows in rows {
            fans.rows.extend(rows);
            fans.first_row.push(fans.rows.len() as u32);
        }
        (fans, cables)
    }

    /// Adds the fan of all links from some switches to some others that have no entry yet.
    fn add_fan(
        &mut self,
        graph: &SwitchGraph,
        cables: &mut Cables,
        from: &[u32],
        to: &[u32],
        column_of: &mut [u32],
        rows: &mut [Vec<(u32, u8)>],
    ) {
        let (fan, first_from) = (self.all.len() as u32, self.from.len() as u32);
        self.from.extend(from);
        let first_tile = self.tiles.len();
        let tiles = to.len().div_ceil(MAX_WIDTH);
        let width = to.len().div_ceil(tiles).next_multiple_of(VECTOR);
        for to in to.chunks(width) {
            let width = to.len().next_multiple_of(VECTOR);
            let first_to = self.to.len() as u32;
            self.to.extend(to);
            let first = cables.add_holes(from.len() * width);
            let (rows, width) = (from.len() as u8, width as u32);
            let is_run = to.is_sorted_by(|a, b| a + 1 == *b);
            let to = (first_to, self.to.len() as u32);
            self.tiles.push(Tile { to, first, width, rows, is_whole: false, is_bundled: false, is_run });
        }
        for (column, &switch) in (0..).zip(to) {
            column_of[switch as usize] = column;
        }
        for (row, &switch) in from.iter().enumerate() {
            rows[switch as usize].push((fan, row as u8));
            for link in graph.links(switch as usize) {
                let column = column_of[graph.peer[link] as usize] as usize;
                if column != NONE as usize && self.entry[link] == NONE {
                    let tile = &self.tiles[first_tile + column / width];
                    self.entry[link] = tile.entry(row as u8, column % width);
                    cables.add(graph, link, &self.entry);
                }
            }
        }
        for &switch in to {
            column_of[switch as usize] = NONE;
        }
        for tile in &mut self.tiles[first_tile..] {
            let columns = (tile.to.1 - tile.to.0) as usize;
            let is_whole = |row| (0..columns).all(|column| !cables.is_hole(tile.entry(row, column)));
            tile.is_whole = (0..from.len() as u8).all(is_whole);
            tile.is_bundled = (0..from.len() as u32 * tile.width).any(|i| cables.is_bundle(tile.first + i));
        }
        self.all.push(Fan {
            from: first_from..self.from.len() as u32,
            tiles: first_tile as u32..self.tiles.len() as u32,
        });
    }

    /// The entry of a link.
    pub(super) fn entry(&self, link: usize) -> u32 {
        self.entry[link]
    }

    /// The entries of links; of one between a switch and itself, [`NONE`].
    pub(super) fn entries(&self, links: Range<usize>) -> &[u32] {
        &self.entry[links]
    }

    /// The switches of each fan's rows, and by these ranges whatever else is kept by row.
    pub(super) fn from(&self) -> &[u32] {
        &self.from
    }

    /// Number of fans.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// The places of a fan's rows in [`Fans::from`].
    pub(super) fn rows_of(&self, fan: u32) -> Range<usize> {
        let Range { start, end } = self.all[fan as usize].from;
        start as usize..end as usize
    }

    /// The switches of a fan's columns.
    pub(super) fn columns(&self, fan: u32) -> &[u32] {
        let Range { start, end } = self.all[fan as usize].tiles;
        &self.to[self.tiles[start as usize].to.0 as usize..self.tiles[end as usize - 1].to.1 as usize]
    }

    /// The numbers of a fan's tiles.
    pub(super) fn tiles_of(&self, fan: u32) -> Range<u32> {
        self.all[fan as usize].tiles.clone()
    }

    /// Whether every row of a fan has a link to every column.
    pub(super) fn is_whole(&self, fan: u32) -> bool {
        self.tiles_of(fan).all(|tile| self.tile(tile).is_whole)
    }

    /// The tile that has a column of a fan, and which of its columns that is.
    pub(super) fn column(&self, fan: u32, column: u8) -> (u32, u32) {
        let Range { start, .. } = self.all[fan as usize].tiles;
        let width = self.tile(start).width;
        (start + u32::from(column) / width, u32::from(column) % width)
    }

    /// A tile.
    #[inline]
    pub(super) fn tile(&self, tile: u32) -> &Tile {
        &self.tiles[tile as usize]
    }

    /// The switches of a tile's columns.
    #[inline]
    pub(super) fn to(&self, tile: &Tile) -> &[u32] {
        &self.to[tile.to.0 as usize..tile.to.1 as usize]
    }

    /// The fans that a switch has a row in, and the row.
    #[inline]
    pub(super) fn of_switch(&self, switch: u32) -> &[(u32, u8)] {
        let [first, end] = [0, 1].map(|next| self.first_row[switch as usize + next] as usize);
        &self.rows[first..end]
    }
}

/// Divides the pairs of neighbouring switches into blocks. Each begins with a seed and those of its
/// neighbours that it is not in a block with yet; with it go all switches that have more than half of
/// them as such neighbours too.
fn blocks(graph: &SwitchGraph, seeds: &[u32]) -> Vec<(Vec<u32>, Vec<u32>)> {
    let mut neighbours: Vec<Vec<u32>> = (0..graph.num_switches())
        .map(|switch| {
            let mut list: Vec<u32> = graph.links(switch).map(|link| graph.peer[link]).collect();
            list.sort_unstable();
            list.dedup();
            list.retain(|&far| far as usize != switch);
            list
        })
        .collect();
    let mut shared = vec![0; graph.num_switches()];
    let (mut is_row, mut is_column) = (vec![false; shared.len()], vec![false; shared.len()]);
    let mut blocks = Vec::new();
    for &seed in seeds {
        let columns = neighbours[seed as usize].clone();
        if columns.is_empty() {
            continue;
        }
        let mut alike = Vec::new();
        for &column in &columns {
            is_column[column as usize] = true;
            for &other in &neighbours[column as usize] {
                if shared[other as usize] == 0 {
                    alike.push(other);
                }
                shared[other as usize] += 1;
            }
        }
        let belongs = |other: u32| {
            let most = shared[other as usize] * 2 > columns.len();
            other != seed && most && !is_column[other as usize]
        };
        let mut rows = vec![seed];
        rows.extend(alike.iter().copied().filter(|&other| belongs(other)).take(ROW_NUMBERS - 2));
        for &other in &alike {
            shared[other as usize] = 0;
        }
        for &row in &rows {
            is_row[row as usize] = true;
            neighbours[row as usize].retain(|&far| !is_column[far as usize]);
        }
        for &column in &columns {
            neighbours[column as usize].retain(|&far| !is_row[far as usize]);
            is_column[column as usize] = false;
        }
        for &row in &rows {
            is_row[row as usize] = false;
        }
        blocks.push((rows, columns));
    }
    blocks
}
