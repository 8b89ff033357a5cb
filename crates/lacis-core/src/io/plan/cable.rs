//! What a plan says: cables by their ends.

use super::rate::PlannedRate;
use crate::fabric::{Guid, NodeKind};
use crate::io::note::Note;

/// The format that a plan is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanFormat {
    /// Topology XML.
    Topology,
    /// The columns of `opaxlattopology`.
    Spreadsheet,
    /// NVIDIA's NDT.
    Ndt,
    /// A fabric, used as the plan.
    Fabric,
}

impl PlanFormat {
    /// What it is called in print.
    pub fn name(self) -> &'static str {
        match self {
            Self::Topology => "topology XML",
            Self::Spreadsheet => "opaxlattopology CSV",
            Self::Ndt => "NDT CSV",
            Self::Fabric => "fabric",
        }
    }
}

/// Board and chip of a director.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Chip {
    /// Number of the leaf board, from 1.
    pub board: u16,
    /// Number of the chip on it, from 1.
    pub chip: u16,
}

/// One end of a planned cable, as the plan gives it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct End {
    /// Name of the node: its description, or that of the device that contains it. Empty if not given.
    pub name: Box<str>,
    /// Node GUID.
    pub node_guid: Guid,
    /// Port GUID.
    pub port_guid: Guid,
    /// Number of the port.
    pub number: Option<u8>,
    /// What the node is.
    pub kind: Option<NodeKind>,
    /// Of a director: board and chip.
    pub chip: Option<Chip>,
    /// Of a host: the adapter's name, if the port is named by it.
    pub adapter: Box<str>,
}

impl End {
    /// Whether the plan leaves this end open, so that any port will do.
    pub fn is_open(&self) -> bool {
        self.name.is_empty() && !self.node_guid.is_some() && !self.port_guid.is_some()
    }

    /// The end as in the plan: `name[port]`, `name/L16/U2[20]`, `name adapter`, or a GUID.
    pub fn label(&self) -> String {
        let mut out = if !self.name.is_empty() {
            self.name.to_string()
        } else if self.node_guid.is_some() {
            self.node_guid.to_string()
        } else if self.port_guid.is_some() {
            self.port_guid.to_string()
        } else {
            return "any port".to_owned();
        };
        if let Some(Chip { board, chip }) = self.chip {
            out = format!("{out}/L{board:02}/U{chip}");
        }
        if !self.adapter.is_empty() && !out.eq_ignore_ascii_case(&self.adapter) {
            let rest = self.adapter.get(out.len()..).filter(|rest| rest.starts_with([' ', '\t']));
            let same = self.adapter.get(..out.len()).is_some_and(|start| start.eq_ignore_ascii_case(&out));
            out = match rest {
                Some(rest) if same => out + rest,
                _ => format!("{out} {}", self.adapter),
            };
        }
        match self.number {
            Some(number) => format!("{out}[{number}]"),
            None => out,
        }
    }
}

/// A planned cable.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cable {
    /// The line of the plan that it begins on, from 1; 0 if the plan has no lines.
    pub line: usize,
    /// The ends that it should connect.
    pub ends: [End; 2],
    /// The rate that it should run at.
    pub rate: Option<PlannedRate>,
    /// MTU that both ends should support `[bytes]`.
    pub mtu: Option<u32>,
    /// Whether it is inside a director.
    pub internal: bool,
    /// Label on the cable.
    pub label: Box<str>,
    /// Its length, as the plan writes it.
    pub length: Box<str>,
    /// Anything else that the plan says of the cable.
    pub details: Box<str>,
    /// Anything else that the plan says of the link.
    pub link_details: Box<str>,
}

/// A node or a subnet manager that a plan lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlannedNode {
    /// The line of the plan that it begins on, from 1; 0 if the plan has no lines.
    pub line: usize,
    /// The node that it should be; for a manager also the port.
    pub end: End,
    /// Anything else that the plan says of it.
    pub details: Box<str>,
}

/// What a plan lists besides cables. An empty list is not compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlannedNodes {
    /// Adapters.
    pub adapters: Vec<PlannedNode>,
    /// Switches; chips of directors separately.
    pub switches: Vec<PlannedNode>,
    /// Ports with a subnet manager.
    pub managers: Vec<PlannedNode>,
}

impl PlannedNodes {
    /// Whether nothing is listed.
    pub fn is_empty(&self) -> bool {
        self.adapters.is_empty() && self.switches.is_empty() && self.managers.is_empty()
    }
}

/// A cabling plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Its format.
    pub format: PlanFormat,
    /// The cables, as listed.
    pub cables: Vec<Cable>,
    /// The planned nodes and managers.
    pub nodes: PlannedNodes,
    /// Directors whose inner cables follow their maker's wiring; these are among the cables.
    pub directors: Vec<Box<str>>,
    /// What its reader noticed.
    pub notes: Vec<Note>,
}

impl Plan {
    /// An empty plan.
    pub(super) fn new(format: PlanFormat) -> Self {
        Self {
            format,
            cables: Vec::new(),
            nodes: PlannedNodes::default(),
            directors: Vec::new(),
            notes: Vec::new(),
        }
    }
}
