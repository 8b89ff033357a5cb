//! The engine of Lacis, a fabric engineer's workbench for InfiniBand and Omni-Path.
//!
//! Data flows in one direction. [`io`] and [`generate`] yield a [`fabric::Fabric`]; [`cuts`] says what its cables alone decide,
//! [`health`] what is wrong with it. [`routing`] makes [`sm::Routes`], the LIDs and forwarding tables that a subnet manager
//! would program; [`verify`] proves what they do. [`ranks`] says where each rank runs, [`traffic`] what is sent to which, and [`qos`] which lane goes first;
//! [`model`] counts, shares or simulates what arrives, [`predict`] sums up many patterns, [`campaign`] says which to measure, [`mapping`] which rank runs where, [`explain`] what
//! measurements show, and [`failures`] lets cables and switches fail and come back.
//!
//! ```
//! use lacis_core::generate::generate;
//! use lacis_core::routing::{self, Options};
//! use lacis_core::sm::Engine;
//! use lacis_core::sm::lids::{LidOptions, Lids};
//!
//! let fabric = generate("fat-tree:8,2")?;
//! let manager = Lids::default_sm(&fabric).ok_or("no end port")?;
//! let lids = Lids::assign(&fabric, manager, &LidOptions::fresh())?;
//! let routes = routing::route(&fabric, lids, &[Engine::FTree], &Options::default())?;
//! assert_eq!(routes.engine_used, Engine::FTree);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A room uses only those above it in ARCHITECTURE.md's list. The crate prints nothing, opens no
//! file and starts no thread but rayon's.

#![forbid(unsafe_code)]

mod bits;
pub mod campaign;
pub mod cuts;
pub mod difference;
pub mod explain;
pub mod fabric;
pub mod failures;
pub mod generate;
pub mod health;
pub mod io;
pub mod mapping;
pub mod model;
mod natural;
pub mod nearest;
pub mod predict;
pub mod qos;
pub mod ranks;
pub mod routing;
mod sets;
pub mod sm;
pub mod traffic;
pub mod verify;

/// The example engine of CONTRIBUTING.md compiles and routes.
#[cfg(doctest)]
#[doc = include_str!("../../../CONTRIBUTING.md")]
struct Contributing;
