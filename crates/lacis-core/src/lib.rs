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

pub mod change;
pub mod cuts;
pub mod difference;
pub mod fabric;
pub mod fluid;
pub mod generate;
pub mod health;
pub mod io;
pub mod lids;
pub mod load;
pub mod nearest;
pub mod packet;
pub mod predict;
pub mod quality;
pub mod routing;
pub mod traffic;
pub mod verify;
