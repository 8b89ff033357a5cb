//! The options of engines.

use std::sync::Arc;

use crate::fabric::Guid;
use crate::io::lft::GivenTables;
use crate::io::lid_matrix;
use crate::io::torus_conf::TorusConf;

/// A manager's options that change a table, under its names where these are words; the default is the manager's.
/// What each does and which engines read it stands in [`OPTIONS`](crate::sm::OPTIONS); here is how engines take its value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "switches of OpenSM's, each by its name")]
pub struct Options {
    /// Port GUIDs whose LIDs are routed first (`guid_routing_order_file`); unknown and repeated
    /// ones are skipped.
    pub order: Vec<Guid>,
    /// Whether [`Options::scatter`] leaves those alone (`guid_routing_order_no_scatter`).
    pub order_no_scatter: bool,
    /// Node GUIDs of the root switches (`root_guid_file`).
    pub roots: Option<Vec<Guid>>,
    /// Port GUIDs of the compute nodes (`cn_guid_file`).
    pub cn: Option<Vec<Guid>>,
    /// Port GUIDs of the I/O nodes (`io_guid_file`).
    pub io: Option<Vec<Guid>>,
    /// How often a path to an I/O node may climb after it descended (`max_reverse_hops`).
    pub reverse_hops: u8,
    /// Route between root switches too (`connect_roots`).
    pub connect_roots: bool,
    /// Ids by switch node GUID, which decide between switches of one rank (`ids_guid_file`).
    pub ids: Vec<(Guid, u64)>,
    /// Hops that leaving a switch (node GUID) by a port counts as (`hop_weights_file`); 1 elsewhere.
    pub hop_weights: Vec<(Guid, u8, u8)>,
    /// Ports of switches (node GUID) whose load is not counted (`ignore_guids`).
    pub ignore: Vec<(Guid, u8)>,
    /// Ports of a switch (node GUID) in the order in which candidates are looked for
    /// (`port_search_ordering_file`); those not listed follow.
    pub search_order: Vec<(Guid, Vec<u8>)>,
    /// Start each search where the load that was placed so far ends (`port_shifting`).
    pub port_shifting: bool,
    /// Seed of a random choice among equals (`scatter_ports`); 0 takes the first.
    pub scatter: u32,
    /// Whether paths to switches count as load (`port_profile_switch_nodes`).
    pub count_switches: bool,
    /// Number the tree from its roots (`quasi_ftree_indexing`).
    pub quasi_ftree: bool,
    /// Leave out cables between switches that run below what their ends could (`avoid_throttled_links`). No
    /// source reports what ports have enabled: assumed are the highest rate and width at their switch.
    pub avoid_throttled: bool,
    /// First lane (`lash_start_vl`).
    pub lash_start_vl: u8,
    /// Whether meshes are looked for and parallel cables take turns (`do_mesh_analysis`).
    pub mesh_analysis: bool,
    /// Data lanes that every switch port has, as its `OpVLs` says; net files do not have it.
    pub vls: u8,
    /// Lanes that an engine may use (`nue_max_num_vls`); 0 means all.
    pub nue_vls: u8,
    /// Whether switches are destinations like others (`nue_include_switches`).
    pub nue_include_switches: bool,
    /// Tables to load (`lfts_file`).
    pub lfts_file: Option<Arc<GivenTables>>,
    /// Hop matrices to load (`lid_matrix_dump_file`).
    pub lid_matrix_file: Option<Arc<lid_matrix::HopMatrixDump>>,
    /// The sizes of the torus and where it begins (`torus_config`).
    pub torus: Option<TorusConf>,
    /// Whether ports inside a director's chassis, or up a tree, are preferred among equals
    /// (`SpineFirstRouting`).
    pub spine_first: bool,
    /// The most tiers that a tree is seen to have (`TierCount`), 1 to 8.
    pub tier_count: u8,
    /// Whether a sweep after the first leaves its tables where OpenSM's unicast cache explains what changed
    /// (`use_ucast_cache`); Omni-Path's manager has none.
    pub ucast_cache: bool,
    /// Whether the manager's default engine routes where all engines refuse (`no_fallback` in OpenSM's list forbids it).
    pub fallback: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            order: Vec::new(),
            order_no_scatter: false,
            roots: None,
            cn: None,
            io: None,
            reverse_hops: 0,
            connect_roots: false,
            ids: Vec::new(),
            hop_weights: Vec::new(),
            ignore: Vec::new(),
            search_order: Vec::new(),
            port_shifting: false,
            scatter: 0,
            count_switches: false,
            quasi_ftree: false,
            avoid_throttled: false,
            lash_start_vl: 0,
            mesh_analysis: false,
            vls: 8,
            nue_vls: 1,
            nue_include_switches: false,
            lfts_file: None,
            lid_matrix_file: None,
            torus: None,
            spine_first: true,
            tier_count: 3,
            ucast_cache: false,
            fallback: true,
        }
    }
}
