//! The routing engines, from outside.
#![allow(clippy::unwrap_used)] // a test may panic, in its helper functions too

mod by_hand;
mod fabrics;
mod first_hops;
mod lash;
mod literal;
mod options;
mod reference;
mod reference_dnup;
