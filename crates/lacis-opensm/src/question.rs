//! What the plugin asks in each sweep: an engine, OpenSM's subnet object, its options, and what must hold of the tables.

use std::borrow::Cow;
use std::path::Path;

/// One sweep's question.
pub(crate) struct Question<'a> {
    /// The engine's name as OpenSM spells it.
    pub engine: Cow<'a, str>,
    /// All nodes, switches first.
    pub nodes: Vec<Node<'a>>,
    /// All ports, those of a node one after the other.
    pub ports: &'a [Port],
    /// OpenSM's options that change a table.
    pub options: Options<'a>,
    /// The port GUID of the manager.
    pub manager_guid: u64,
    /// What must hold of the tables.
    pub proof: Proof,
    /// What tests break on purpose.
    pub fault: Fault,
    /// Whether the hops by each port are wanted too: the manager dumps its hop matrices.
    pub dumps_hops: bool,
    /// Whether entries that still serve may stay: nothing appeared since the last sweep.
    pub keep_tables: bool,
}

/// A node.
pub(crate) struct Node<'a> {
    pub guid: u64,
    pub system_guid: u64,
    pub description: Cow<'a, str>,
    /// What the switch forwards by now, by LID; empty where it has no table.
    pub table: &'a [u8],
    /// The index of port 0 among the ports of the question.
    pub first_port: u32,
    pub vendor: u32,
    pub device: u32,
    pub num_ports: u8,
    pub kind: Kind,
    pub enhanced_port0: bool,
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Switch,
    Adapter,
    Router,
}

/// A port and the far end of its cable, laid out as `struct lacis_port`, which describes the fields.
#[repr(C)]
pub(crate) struct Port {
    pub guid: u64,
    pub peer_guid: u64,
    pub paths: u32,
    pub lid: u16,
    pub peer_number: u8,
    pub lmc: u8,
    pub lanes: u8,
    pub speed: u8,
    pub speed_ext: u8,
    pub op_vls: u8,
    pub fdr10: bool,
    pub healthy: bool,
    pub throttled: bool,
}

/// OpenSM's options.
pub(crate) struct Options<'a> {
    /// The paths that are given, each at the index of its [`File`].
    pub files: [Option<Cow<'a, Path>>; File::COUNT],
    pub values: &'a Values,
}

impl Options<'_> {
    /// The path of a file, where it is given.
    pub fn path(&self, file: File) -> Option<&Path> {
        self.files[file as usize].as_deref()
    }
}

/// The files that options name, in the order of `struct lacis_options`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum File {
    Roots,
    ComputeNodes,
    IoNodes,
    Order,
    Ids,
    HopWeights,
    Ignored,
    SearchOrder,
    Torus,
    Tables,
    HopMatrices,
}

impl File {
    /// How many files there are.
    pub const COUNT: usize = Self::HopMatrices as usize + 1;
}

/// The options that are no files, laid out as the end of `struct lacis_options`.
#[repr(C)]
pub(crate) struct Values {
    pub scatter_ports: u32,
    pub max_reverse_hops: u16,
    pub lash_start_vl: u8,
    pub nue_max_num_vls: u8,
    pub vls: u8,
    pub guid_routing_order_no_scatter: bool,
    pub connect_roots: bool,
    pub port_shifting: bool,
    pub port_profile_switch_nodes: bool,
    pub quasi_ftree_indexing: bool,
    pub avoid_throttled_links: bool,
    pub do_mesh_analysis: bool,
    pub nue_include_switches: bool,
    pub qos: bool,
}

/// What must hold before tables are programmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Proof {
    /// Every pair of end ports is delivered, and no credit loop is among them.
    All,
    /// The same holds among host adapters.
    Hosts,
    /// Every pair is delivered.
    Delivery,
    Nothing,
}

/// A fault that tests inject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    Panic,
    Hang,
    Memory,
}
