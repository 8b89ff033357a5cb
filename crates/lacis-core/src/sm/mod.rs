//! The subnet manager's vocabulary: what it assigns, what it is asked for, and what it programs.
//!
//! | module         | what it holds                                                        |
//! |----------------|----------------------------------------------------------------------|
//! | [`lids`]       | LIDs and LMCs of end ports, as OpenSM assigns them                   |
//! | [`Engine`]     | routing engines by name                                              |
//! | [`Lft`]        | linear forwarding tables; with LIDs and lanes they are [`Routes`]    |
//! | [`lanes`]      | service levels of paths and the virtual lanes that they mean         |
//! | [`hop_matrix`] | how far each switch believes a LID to be, port by port               |
//!
//! What a manager is *told* ([`crate::routing::Options`]) may hold whole files, and stands above the formats.

mod engine;
pub mod hop_matrix;
pub mod lanes;
pub mod lids;
mod routes;

pub use engine::{Engine, UnknownEngine};
pub use routes::{LeafOrder, Lft, NO_ENTRY, Refusal, Routes, Unrouted};
