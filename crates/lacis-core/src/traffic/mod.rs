//! Traffic: which hosts send to which, and which of that at the same time.
//!
//! A [`Pattern`] is what a user asks for (`bisection`, `shift:1,2,4`, `leaf-offset:nodes=8`); on given
//! [`Participants`](crate::ranks::Participants) it becomes [`Phases`]: lists of [`Flow`](crate::ranks::Flow)s that share
//! the network at the same time. A [`Program`] has sizes and an order, too: [`Ranks`](crate::ranks::Ranks) exchange
//! [`Message`]s, phase after phase.
//!
//! [`Traffic`] is either, in the one form that every model takes: [`crate::predict`] counts or shares,
//! [`crate::predict::times`] adds up and [`crate::model::packet`] simulates the same traffic.
//!
//! Phase `i` of a seed is always the same, whatever was asked before and on whichever thread.

mod any;
mod error;
mod pairs;
mod pattern;
mod phases;
mod program;
mod rng;
mod striping;

pub use any::{Traffic, TrafficOptions};
pub use error::TrafficError;
pub use pairs::listed_pairs;
pub use pattern::{Numbers, Pattern};
pub use phases::{Phase, Phases, Stripe};
pub use program::{Collective, Grid, Message, Program, ProgramSpec, Trace, TrafficSpec};
pub use rng::Rng;
pub use striping::Striping;
