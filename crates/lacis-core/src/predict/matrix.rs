//! Relative bandwidth by sender's and receiver's leaf (or host): the heat map.

use crate::ranks::Flow;
use crate::ranks::Participants;

/// What the cells stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cells {
    /// A leaf sending to a leaf.
    Leaves,
    /// A host sending to a host.
    Hosts,
}

/// Square matrices, row = sender, column = receiver; not a number where nothing was sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    /// What rows and columns are, in the participants' order.
    pub cells: Cells,
    /// Number of rows.
    pub size: usize,
    /// Mean relative bandwidth, row after row.
    pub mean: Vec<f64>,
    /// The least.
    pub min: Vec<f64>,
    /// The greatest.
    pub max: Vec<f64>,
}

/// Sums are kept in units of 2^-32, so that they do not depend on the order of addition.
const UNIT: f64 = (1_u64 << 32) as f64;

#[derive(Clone, Copy, Debug)]
struct Cell {
    flows: u32,
    sum: u64,
    min: f32,
    max: f32,
}

/// A matrix while flows are added to it.
#[derive(Clone, Debug)]
pub(super) struct Builder {
    cells: Cells,
    size: usize,
    row: Vec<u32>,
    table: Vec<Cell>,
}

impl Builder {
    pub(super) fn new(cells: Cells, participants: &Participants) -> Self {
        let (row, size) = match cells {
            Cells::Hosts => (participants.hosts_of_ports().to_vec(), participants.num_hosts()),
            Cells::Leaves => {
                let leaf = |slot| participants.leaf_of(slot).unwrap_or(u32::MAX);
                ((0..participants.ports().len() as u32).map(leaf).collect(), participants.leaves().len())
            }
        };
        let empty = Cell { flows: 0, sum: 0, min: f32::INFINITY, max: 0.0 };
        Self { cells, size, row, table: vec![empty; size * size] }
    }

    pub(super) fn add(&mut self, flow: Flow, relative: f64) {
        let (from, to) = (self.row[flow.from as usize] as usize, self.row[flow.to as usize] as usize);
        if from < self.size && to < self.size {
            let cell = &mut self.table[from * self.size + to];
            cell.flows += 1;
            cell.sum += (relative * UNIT).round() as u64;
            cell.min = cell.min.min(relative as f32);
            cell.max = cell.max.max(relative as f32);
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        for (a, b) in self.table.iter_mut().zip(&other.table) {
            a.flows += b.flows;
            a.sum += b.sum;
            a.min = a.min.min(b.min);
            a.max = a.max.max(b.max);
        }
    }

    pub(super) fn finish(&self) -> Matrix {
        let each = |value: &dyn Fn(&Cell) -> f64| -> Vec<f64> {
            self.table.iter().map(|c| if c.flows == 0 { f64::NAN } else { value(c) }).collect()
        };
        Matrix {
            cells: self.cells,
            size: self.size,
            mean: each(&|c| c.sum as f64 / UNIT / f64::from(c.flows)),
            min: each(&|c| f64::from(c.min)),
            max: each(&|c| f64::from(c.max)),
        }
    }
}
