//! What is different: two states of a fabric, as a work list ([`cabling`]), a cabling plan and a fabric ([`planned`]),
//! and two tables of one fabric, entry by entry ([`tables`]).

mod cabling;
mod nodes;
pub mod planned;
mod tables;
#[cfg(test)]
mod tests;

pub use cabling::{CableChange, Cabling, Change, cabling};
pub use nodes::{Match, Matched, NodeChange};
pub use tables::{DifferingEntry, TableDifference, Why, agreement, tables};

/// Two fabrics that have nothing in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the two fabrics have no node GUID and no node name in common: they are not two states of one fabric"
)]
pub struct Unrelated;
