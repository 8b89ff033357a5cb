//! Dumps of hop matrices, as OpenSM writes them to `opensm-lid-matrix.dump`:
//!
//! ```text
//! Switch: guid 0x0000000008f10001
//! 0x0004: 00 02 ff # portguid 0x0000000008f10001
//! 0x0007: 01 01 ff # portguid 0x0000000008f10002
//! ```
//!
//! A heading for each switch, then a line for each LID that it has a path to: the LID, the least hops, and
//! the hops by each of its ports, all hexadecimal, `ff` meaning none; and the GUID of the port that
//! answers to the LID, which `opensm -R file -M FILE` reads and does not use.
//!
//! The grammar was read from the output of OpenSM 3.3.23 on ibsim 0.10.

mod read;
mod write;

pub use read::{HopMatrixDump, HopRow, SwitchMatrix, read};
pub use write::{to_dump, write};

#[cfg(test)]
mod tests;
