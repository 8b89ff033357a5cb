//! A manager's options for routing and LIDs: one table, which feeds the command line, its help, the reader of
//! `opensm.conf`, the plugin and the checks of the Python face. Order, names and letters are those of `opensm`.
//!
//! The fields of [`Options`](crate::routing::Options) describe them in detail.

use super::Engine::{
    self, DfSssp, DgShortestPath, DnUp, Dor, EvenTree, FTree, FatTree, File, Lash, MinHop, Nue, Numbered,
    ShortestPath, Sssp, Torus2Qos, UpDn,
};

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionValue {
    /// Nothing: it is on or off, and off unless given.
    Flag,
    /// On unless `--no-…` is given.
    OnUnlessNot,
    /// A number.
    Number {
        /// The least.
        least: u32,
        /// The greatest.
        most: u32,
        /// OpenSM's default.
        default: u32,
        /// What help calls it.
        unit: &'static str,
    },
    /// The name of a file.
    File,
    /// A node's identifier, GUID or description, or a host's name.
    Node,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct OptionRow {
    /// The keyword in Python.
    pub name: &'static str,
    /// The key in `opensm.conf`; none where it has none.
    pub key: Option<&'static str>,
    /// The flags on the command line.
    pub flags: &'static [&'static str],
    /// What it takes.
    pub value: OptionValue,
    /// The engines that read it; all where it is empty.
    pub engines: &'static [Engine],
    /// What it does, in a line.
    pub help: &'static str,
}

impl Engine {
    /// Whether it reads an option, named as in the table.
    pub fn reads(self, option: &str) -> bool {
        let row = OPTIONS.iter().find(|row| row.name == option);
        row.is_some_and(|row| row.engines.is_empty() || row.engines.contains(&self))
    }
}

const fn row(
    name: &'static str,
    key: Option<&'static str>,
    flags: &'static [&'static str],
    value: OptionValue,
    engines: &'static [Engine],
    help: &'static str,
) -> OptionRow {
    OptionRow { name, key, flags, value, engines, help }
}

const fn number(least: u32, most: u32, default: u32, unit: &'static str) -> OptionValue {
    OptionValue::Number { least, most, default, unit }
}

use OptionValue::{File as Path, Flag, Node, OnUnlessNot};

/// Engines that choose among ports by counters; `file` does where its tables have no entry.
const COUNT: &[Engine] = &[MinHop, UpDn, DnUp, Dor, File];
/// Engines that route a list of ports first.
const IN_ORDER: &[Engine] = &[MinHop, UpDn, DnUp, Dor, File, DgShortestPath];
const COMPUTE_NODES: &[Engine] = &[FTree, Sssp, DfSssp];

/// The options.
#[rustfmt::skip]
pub const OPTIONS: &[OptionRow] = &[
    row("roots", Some("root_guid_file"), &["-a", "--root-guid-file"], Path, &[UpDn, FTree, EvenTree],
        "Node GUIDs of the root switches, found automatically unless given"),
    row("cn", Some("cn_guid_file"), &["-u", "--cn-guid-file"], Path, COMPUTE_NODES,
        "Port GUIDs of the compute nodes"),
    row("io", Some("io_guid_file"), &["-G", "--io-guid-file"], Path, COMPUTE_NODES,
        "Port GUIDs of the I/O nodes"),
    row("reverse_hops", Some("max_reverse_hops"), &["-H", "--max-reverse-hops"], number(0, 255, 0, "N"), &[FTree],
        "How often a path to an I/O node may turn up after it went down"),
    row("lfts_file", Some("lfts_file"), &["-U", "--lfts-file"], Path, &[File],
        "Tables to load: opensm-lfts.dump or the output of dump_lfts, of this fabric or another state of it"),
    row("lid_matrix_file", Some("lid_matrix_dump_file"), &["-M", "--lid-matrix-file"], Path, &[File],
        "Hop matrices to load: opensm-lid-matrix.dump"),
    row("order", Some("guid_routing_order_file"), &["-X", "--guid-routing-order-file"], Path, IN_ORDER,
        "Port GUIDs that are routed first"),
    row("ids", Some("ids_guid_file"), &["-m", "--ids-guid-file"], Path, &[UpDn],
        "Ids of switches, for ties between equals"),
    row("hop_weights", Some("hop_weights_file"), &["-w", "--hop-weights-file"], Path, &[MinHop, UpDn, Dor, File],
        "What a hop by a port counts as"),
    row("ignore", Some("port_prof_ignore_file"), &["-i", "--ignore-guids"], Path, COUNT,
        "Ports of switches whose load is not counted"),
    row("search_order", Some("port_search_ordering_file"), &["-O", "--port-search-ordering-file"], Path, COUNT,
        "Order in which a switch's ports are searched"),
    row("port_shifting", Some("port_shifting"), &["--port-shifting"], Flag, COUNT,
        "Start each search where the load so far ends"),
    row("scatter", Some("scatter_ports"), &["--scatter-ports"], number(0, u32::MAX, 0, "SEED"),
        &[MinHop, UpDn, DnUp, Dor, File, Lash], "Choose among equal ports at random; 0 takes the first"),
    row("order_no_scatter", Some("guid_routing_order_no_scatter"), &["--guid-routing-order-no-scatter"], Flag, COUNT,
        "Not for the ports of -X"),
    row("count_switches", Some("port_profile_switch_nodes"), &["--port-profile-switch-nodes"], Flag,
        &[MinHop, UpDn, DnUp, Dor, File, DfSssp], "Count paths to switches as load"),
    row("quasi_ftree", Some("quasi_ftree_indexing"), &["--quasi-ftree-indexing"], Flag, &[FTree],
        "Number the tree from its roots"),
    row("avoid_throttled", Some("avoid_throttled_links"), &["--avoid-throttled-links"], Flag, &[Sssp, DfSssp, Nue],
        "Leave out cables that run below what both switches run elsewhere"),
    row("mesh_analysis", Some("do_mesh_analysis"), &["--do-mesh-analysis"], Flag, &[Lash],
        "Look for a mesh; parallel cables take turns"),
    row("lash_start_vl", Some("lash_start_vl"), &["--lash-start-vl"], number(0, 15, 0, "VL"), &[Lash],
        "First VL"),
    row("vls", None, &["--vls"], number(1, 15, 8, "N"), &[Lash, DfSssp, Nue, Torus2Qos, Numbered],
        "Data VLs of every link, 8 unless given"),
    row("nue_vls", Some("nue_max_num_vls"), &["--nue-max-num-vls"], number(0, 15, 1, "N"), &[Nue, Numbered],
        "VLs to use; 0: all"),
    row("nue_include_switches", Some("nue_include_switches"), &["--nue-include-switches"], Flag, &[Nue],
        "Treat switches as destinations like others"),
    row("torus_config", Some("torus_config"), &["--torus-config"], Path, &[Torus2Qos],
        "Sizes of the torus and where it begins, as OpenSM's torus-2QoS.conf"),
    row("connect_roots", Some("connect_roots"), &["-z", "--connect-roots"], Flag, &[UpDn, DnUp, FTree],
        "Route between root switches too"),
    row("spine_first", None, &["--spine-first/--no-spine-first"], OnUnlessNot,
        &[ShortestPath, FatTree, DgShortestPath],
        "Prefer ports inside a chassis, or up the tree, as SpineFirstRouting 1 of opafm.xml does (the default)"),
    row("tier_count", None, &["--tier-count"], number(1, 8, 3, "N"), &[FatTree],
        "Tiers that a tree may have, as TierCount of opafm.xml"),
    row("ucast_cache", Some("use_ucast_cache"), &["-A", "--ucast-cache"], Flag, &[],
        "Where only end nodes or whole leaves go or return, sweeps leave tables as they are: no engine runs"),
    row("fallback", None, &["--fallback/--no-fallback"], OnUnlessNot, &[],
        "Where all engines refuse, use minhop as OpenSM does (the default), or exit with 1"),
    row("lmc", Some("lmc"), &["-l", "--lmc"], number(0, 7, 0, "LMC"), &[],
        "Give each port of an end node 2^LMC LIDs"),
    row("lmc_esp0", Some("lmc_esp0"), &["--lmc-esp0"], Flag, &[],
        "Give enhanced switch ports 0 as many"),
    row("guid2lid", None, &["--guid2lid-cache"], Path, &[],
        "LIDs that OpenSM remembers: its guid2lid file"),
    row("fresh_lids", Some("reassign_lids"), &["--fresh-lids"], Flag, &[],
        "Assign all LIDs from scratch, as OpenSM -r does"),
    row("sm", None, &["--sm"], Node, &[],
        "Node that OpenSM runs on: identifier, GUID, description or a host's name; else the one with LID 1, or the first adapter"),
];
