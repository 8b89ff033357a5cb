//! The subnet manager's vocabulary: what it assigns, what it is asked for, and what it programs.
//!
//! | module         | what it holds                                                        |
//! |----------------|----------------------------------------------------------------------|
//! | [`lids`]       | LIDs and LMCs of end ports, as managers assign them                  |
//! | [`Engine`]     | the table of routing engines                                         |
//! | [`OPTIONS`]    | the table of a manager's options                                     |
//! | [`Lft`]        | linear forwarding tables; with LIDs and lanes they are [`Routes`]    |
//! | [`Refusal`]    | an engine that would not route a fabric, and why                     |
//! | [`PortGroups`] | among which ports Omni-Path's adaptive routing moves a destination   |
//! | [`lanes`]      | service levels of paths and the virtual lanes that they mean         |
//! | [`hop_matrix`] | how far each switch believes a LID to be, port by port               |
//!
//! The values of these options ([`crate::routing::Options`]) may hold whole files, so a later room defines them.

mod engine;
pub mod hop_matrix;
pub mod lanes;
pub mod lids;
mod option_table;
pub mod port_groups;
mod refusal;
mod routes;

pub use engine::{Author, Claim, Cost, Engine, EngineRow, Engines, UnknownEngine};
pub use option_table::{OPTIONS, OptionRow, OptionValue};
pub use port_groups::{GROUP_LIDS, PortGroups};
pub use refusal::{NodeList, Refusal, RefusalReason, SwitchCount, TorusMisfit, TreeMisfit, within};
pub use routes::{LeafOrder, Lft, NO_ENTRY, Routes, Unrouted};
