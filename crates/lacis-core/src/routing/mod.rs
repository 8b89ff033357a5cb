//! Routing: from a fabric and its LIDs to forwarding tables. One engine, one file.

mod routes;

pub use routes::{Lft, NO_ENTRY, Refusal, Routes};
