//! What the plugin gets for its question: tables, service levels, hop matrices, and the figures of the sweep.

/// The answer, written into memory that the manager reads.
pub(crate) struct Answer<'a> {
    pub arrays: Arrays<'a>,
    pub figures: &'a mut Figures,
    /// LIDs that have hops.
    pub num_hop_lids: u32,
    /// How many hops are given for each switch and LID: the least alone, or those by each port too.
    pub hop_width: u32,
    pub hint: Hint,
    pub has_levels: bool,
    pub maps_lanes: bool,
    pub has_paths: bool,
}

impl<'a> Answer<'a> {
    /// An answer of which nothing is known yet.
    pub fn new(arrays: Arrays<'a>, figures: &'a mut Figures) -> Self {
        Self {
            arrays,
            figures,
            num_hop_lids: 0,
            hop_width: 0,
            hint: Hint::Ignored,
            has_levels: false,
            maps_lanes: false,
            has_paths: false,
        }
    }
}

/// What the service level that a client asks for counts beside that of the path: `enum lacis_hint`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Hint {
    /// It counts for nothing: unknown paths have level 0.
    Ignored = 0,
    /// It is the level of unknown paths.
    Unknown = 1,
    /// It is the level of all paths.
    Always = 2,
    /// Bit 3 is the client's, the others are the path's.
    Quality = 3,
}

/// `LACIS_NO_ROW`.
pub(crate) const NO_ROW: u32 = u32::MAX;

/// The arrays of an answer; they have the shapes that `opensm/lacis.h` states.
pub(crate) struct Arrays<'a> {
    pub switches: usize,
    /// LIDs in a row of tables and levels, 0 included.
    pub stride: usize,
    /// The most ports of any switch, port 0 included.
    pub ports: usize,
    pub tables: &'a mut [u8],
    pub levels: &'a mut [u8],
    pub rows: &'a mut [u32],
    pub lanes: &'a mut [u8],
    pub hop_lids: &'a mut [u16],
    pub hops: &'a mut [u8],
    pub first_ports: &'a mut [u8],
    pub paths: &'a mut [u32],
}

/// The figures of a sweep, for the log and for exporters; laid out as `struct lacis_figures`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Figures {
    /// Seconds to build the fabric.
    pub build_s: f64,
    /// Seconds to make the tables.
    pub route_s: f64,
    /// Seconds to prove the tables.
    pub prove_s: f64,
    /// Seconds to write the answer, hop matrices included.
    pub write_s: f64,
    /// Entries of assigned LIDs.
    pub entries: u64,
    /// Entries that differ from what switches forward by now.
    pub changed: u64,
    /// Destinations whose tables were kept.
    pub kept: u64,
    /// Pairs of end ports that were judged.
    pub pairs: u64,
    /// Judged pairs that are not delivered.
    pub undelivered: u64,
    /// Credit loops that the tables leave.
    pub credit_loops: u64,
    /// Pairs on the fullest link between switches.
    pub fullest: u64,
    /// Pairs on a link between switches, on average.
    pub mean: f64,
    /// Lanes that packets use between switches.
    pub lanes_used: u32,
}
