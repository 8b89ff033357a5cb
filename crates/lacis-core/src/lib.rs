//! The engine of Lacis, a fabric engineer's workbench for InfiniBand and Omni-Path.
//!
//! Data flows one way: [`io`] and [`generate`] yield a [`fabric::Fabric`]; [`cuts`] says what
//! its cables alone decide, [`health`] what is wrong with it; [`lids`] and [`routing`] make forwarding tables; [`verify`] proves what the
//! tables do; [`traffic`] says who sends to whom, [`quality`] which lane goes first, [`load`] counts flows
//! per link, [`fluid`] shares bandwidth, [`packet`] follows every packet, [`predict`] sums up many patterns, [`change`] lets
//! parts fail and come back. A stage knows the types of earlier stages and
//! nothing of later ones.
//!
//! The crate prints nothing, opens no file and starts no thread but rayon's.

#![forbid(unsafe_code)]

pub mod cuts;
pub mod fabric;
pub mod failures;
pub mod generate;
pub mod health;
pub mod io;
pub mod model;
pub mod nearest;
pub mod predict;
pub mod qos;
pub mod routing;
pub mod sm;
pub mod traffic;
pub mod verify;
