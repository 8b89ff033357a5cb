//! Facts in words: the one place in which findings, work at cables, settings and odd levels become sentences. Nothing reads
//! these back: who needs a number takes the field.

mod cables;
mod cut;
mod finding;
mod groups;
mod hosts;
mod levels;
mod links;
mod monitored;
mod nodes;
mod opafm;
mod words;
mod work;

pub(super) use cables::{astray, misplaced};
pub use cut::why;
pub(super) use finding::finding;
pub(super) use levels::{left_out, oddities};
pub(super) use opafm::setting;
pub use words::Words;
pub(super) use work::{absent_host, crossed, work};
