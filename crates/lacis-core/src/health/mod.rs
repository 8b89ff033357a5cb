//! What is wrong with a fabric before anyone routes it: hosts and rails from names, a summary, and
//! findings. [`findings`] runs every family; each family is one file.

mod finding;
mod hosts;
pub mod names;
#[cfg(test)]
mod testing;

pub use finding::{Code, Finding, Place, Severity};
pub use hosts::{Host, Hosts};
