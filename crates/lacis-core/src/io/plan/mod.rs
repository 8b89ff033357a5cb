//! Cabling plans: which port should be cabled to which.
//!
//! | module | format |
//! |---|---|
//! | [`topology`] | topology XML of FastFabric (`opareport -T`), read and written |
//! | [`spreadsheet`] | the CSV of FastFabric's spreadsheet, which `opaxlattopology` translates |
//! | [`ndt`] | NVIDIA's NDT CSV, which UFM compares with a fabric |
//!
//! [`read`] recognises the format by content. [`Plan::of`] makes a plan of a fabric as it is.

mod cable;
pub mod ndt;
mod of_fabric;
mod rate;
pub mod spreadsheet;
mod table;
#[cfg(test)]
mod tests;
pub mod topology;

pub use cable::{Cable, Chip, End, Plan, PlanFormat, PlannedNode, PlannedNodes};
pub use rate::PlannedRate;

use super::{ReadError, xml};

/// Whether bytes are a plan, rather than a fabric.
pub fn looks_like(bytes: &[u8]) -> bool {
    let is_xml = xml::looks_like(bytes) && xml::root(bytes).as_deref() != Some("Snapshot");
    is_xml || table::kind(bytes).is_some()
}

/// Reads a plan in any of the formats, recognised by content.
///
/// # Errors
/// When the input is no plan, or breaks its grammar.
pub fn read(bytes: &[u8]) -> Result<Plan, ReadError> {
    if xml::looks_like(bytes) {
        topology::read(bytes)
    } else if table::kind(bytes) == Some(PlanFormat::Spreadsheet) {
        spreadsheet::read(bytes)
    } else {
        ndt::read(bytes)
    }
}
