//! Traffic: which hosts send to which, and which of that at the same time.
//!
//! A [`Pattern`] is what a user asks for (`bisection`, `shift:1,2,4`, `leaf-offset:nodes=8`); the
//! [`Participants`] are the ports that take part, in an order; both make a [`Plan`], which yields
//! *phases*: lists of [`Flow`](crate::ranks::Flow)s that share the network at the same time. [`crate::model::load`] counts the
//! flows of a phase on each link, [`crate::model::fluid`] shares the links' rates among them.
//!
//! A [`Job`] has sizes too: [`Ranks`] on those ports exchange [`Message`]s, phase after phase.
//!
//! Phase `i` of a seed is always the same, whatever was asked before and on whichever thread.

mod error;
mod groups;
mod job;
mod listed;
mod order;
mod participants;
mod pattern;
mod plan;
mod rng;
mod select;
mod striping;

pub use error::TrafficError;
pub use groups::Groups;
pub use job::{Collective, Delivery, Grid, Job, JobSpec, JobTrace, Message, Ranks, Traffic};
pub use listed::{find_hosts, listed_hosts, listed_names, listed_pairs};
pub use order::Order;
pub use participants::{HostPorts, Participants};
pub use pattern::{Numbers, Pattern};
pub use plan::{Phase, Plan, Stripe};
pub use rng::Rng;
pub use select::{Rails, by_name, participants, select};
pub use striping::Striping;
