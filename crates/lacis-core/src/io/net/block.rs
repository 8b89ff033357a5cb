//! A node of the file: its node line and its port lines, exactly as they read.

use crate::fabric::{Guid, Rate};

/// The word that opens a node's block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `Switch`
    Switch,
    /// `Ca`, in old net files `Hca`
    Ca,
    /// `Rt`
    Router,
}

/// A node line with the lines that belong to it.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeBlock<'a> {
    /// Number of the node line, from 1.
    pub line: usize,
    /// The node line.
    pub text: &'a str,
    /// Its first word.
    pub kind: Kind,
    /// Number of physical ports.
    pub radix: u8,
    /// The quoted identifier.
    pub id: &'a str,
    /// The quoted description, if there is one.
    pub description: Option<&'a str>,
    /// `enhanced port 0`.
    pub enhanced: bool,
    /// LID after `port 0`; 0 where absent.
    pub lid: u32,
    /// LMC after it.
    pub lmc: u8,
    /// Node GUID: from a GUID line, else from the identifier, else as ibsim numbers the node.
    pub guid: Guid,
    /// Whether a GUID line precedes the node line.
    pub guid_given: bool,
    /// GUID of port 0, in parentheses after the switch's.
    pub port_guid: Option<Guid>,
    /// `sysimgguid=`.
    pub system_guid: Guid,
    /// `vendid=`.
    pub vendor: u32,
    /// `devid=`.
    pub device: u32,
    /// Chassis number, from a comment or heading.
    pub chassis: Option<u32>,
    /// Position in the chassis.
    pub position: &'a str,
    /// Its port lines: a range of [`super::NetDump::ports`].
    pub ports: std::ops::Range<usize>,
}

/// A line `[1](guid) "peer"[2](guid) # …`.
#[derive(Clone, Debug, PartialEq)]
pub struct PortLine<'a> {
    /// Its number, from 1.
    pub line: usize,
    /// The line.
    pub text: &'a str,
    /// Port number.
    pub number: u32,
    /// GUID of the port, where given.
    pub guid: Option<Guid>,
    /// LID and LMC of the port (`# lid 4 lmc 0`), where given.
    pub lid: Option<(u32, u8)>,
    /// Identifier of the node at the other end.
    pub peer: &'a str,
    /// Port number there; 1 where absent, as ibsim takes it.
    pub peer_number: u32,
    /// GUID of the port there, where given.
    pub peer_guid: Option<Guid>,
    /// LID there, where given.
    pub peer_lid: Option<u32>,
    /// Width and speed.
    pub rate: Option<Rate>,
}
