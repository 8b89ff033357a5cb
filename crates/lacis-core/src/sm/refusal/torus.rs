//! What in a torus configuration does not fit a fabric.

use std::fmt;

use serde::Serialize;

use crate::fabric::Guid;

/// Why a torus configuration is not one of a fabric.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum TorusMisfit {
    /// A switch of each seed is not in the fabric.
    SeedAbsent {
        /// The line of the first such switch, from 1.
        line: usize,
        /// Its GUID.
        guid: Guid,
        /// How many seeds there are.
        seeds: usize,
    },
    /// The fabric has more switches than the torus has positions.
    TorusSmall {
        /// The line with the sizes.
        line: usize,
        /// The sizes.
        sizes: [u32; 3],
        /// Switches of the fabric.
        switches: usize,
        /// Positions of the torus.
        positions: usize,
    },
    /// A cable joins switches that are no neighbours in the torus, while others are missing.
    StrayCable {
        /// The line with the sizes.
        line: usize,
        /// The sizes.
        sizes: [u32; 3],
        /// Switches that have a position.
        located: usize,
        /// Switches of the fabric.
        switches: usize,
        /// The ports of the cable, by name.
        ports: [String; 2],
    },
    /// More cables run in parallel than the configuration allows.
    CablesMany {
        /// The line with the most, or with the sizes.
        line: usize,
        /// The switch, by name.
        switch: String,
        /// Its parallel cables.
        cables: usize,
        /// The most that there may be.
        most: u32,
    },
    /// More hosts are on a switch than the configuration allows.
    HostsMany {
        /// The line with the most, or with the sizes.
        line: usize,
        /// The switch, by name.
        switch: String,
        /// Its hosts, and its port 0.
        hosts: usize,
        /// The most that there may be.
        most: u32,
    },
    /// The order of ports names one that a switch lacks.
    PortAbsent {
        /// The line with the order.
        line: usize,
        /// The switch, by name.
        switch: String,
        /// Ports that it has.
        ports: u8,
        /// The port that is named.
        port: u8,
    },
}

impl TorusMisfit {
    /// The line of the configuration, from 1.
    pub fn line(&self) -> usize {
        match *self {
            Self::SeedAbsent { line, .. }
            | Self::TorusSmall { line, .. }
            | Self::StrayCable { line, .. }
            | Self::CablesMany { line, .. }
            | Self::HostsMany { line, .. }
            | Self::PortAbsent { line, .. } => line,
        }
    }

    /// What is wrong there, in words.
    pub fn reason(&self) -> String {
        match self {
            Self::SeedAbsent { seeds: 1, .. } => "the seed's switch is not in the fabric".to_owned(),
            Self::SeedAbsent { .. } => {
                "no seed has all its switches in the fabric; of the first, this one is not there".to_owned()
            }
            Self::TorusSmall { switches, positions, .. } => {
                format!("the fabric has {switches} switches, a torus of these sizes {positions}")
            }
            Self::StrayCable { located, switches, ports: [a, b], .. } => format!(
                "{located} of {switches} switches find a position, and the cable {a} -- {b} joins two that would be no \
                 neighbours"
            ),
            Self::CablesMany { switch, cables, most, .. } => {
                format!(
                    "switch \"{switch}\" has {cables} parallel cables and portgroup_max_ports allows {most}"
                )
            }
            Self::HostsMany { switch, hosts, most, .. } => format!(
                "switch \"{switch}\" has {hosts} hosts, counted with its port 0, and portgroup_max_ports allows {most}"
            ),
            Self::PortAbsent { switch, ports, .. } => format!("switch \"{switch}\" has {ports} ports only"),
        }
    }

    /// The text of the configuration that is at fault; empty where none is.
    pub fn text(&self) -> String {
        match self {
            Self::SeedAbsent { guid, .. } => guid.to_string(),
            Self::TorusSmall { sizes, .. } | Self::StrayCable { sizes, .. } => {
                sizes.map(|size| size.to_string()).join(" x ")
            }
            Self::CablesMany { .. } | Self::HostsMany { .. } => String::new(),
            Self::PortAbsent { port, .. } => port.to_string(),
        }
    }
}

impl fmt::Display for TorusMisfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.text();
        let text = if text.is_empty() { text } else { format!(": {text}") };
        write!(f, "line {}: {}{text}", self.line(), self.reason())
    }
}
