//! Lacis' own engines.

pub(in crate::routing) mod by_guid;
pub mod eventree;
mod kept;
pub mod numbered;
