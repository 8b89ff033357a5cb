//! The border to the C half: the structures of `opensm/lacis.h`, and the one function that it calls.
//!
//! All `unsafe` code of Lacis is here. What makes it sound is what that header promises: pointers are null or lead to
//! as many elements as the field beside them says, text ends in 0, nothing but the answer is written to, and the answer's
//! arrays overlap nothing.
#![allow(unsafe_code, reason = "the border to C")]

use std::borrow::Cow;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::ptr;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

use lacis_core::sm::Engine;

use crate::sweep;

/// `struct lacis_node`.
#[repr(C)]
pub(crate) struct Node {
    pub guid: u64,
    pub system_guid: u64,
    description: *const c_char,
    table: *const u8,
    table_size: u32,
    pub first_port: u32,
    pub vendor: u32,
    pub device: u32,
    pub num_ports: u8,
    pub kind: u8,
    pub enhanced_port0: bool,
}

/// `enum lacis_kind`.
pub(crate) const SWITCH: u8 = 1;
/// `enum lacis_kind`.
pub(crate) const ROUTER: u8 = 3;

impl Node {
    /// Its description.
    pub fn description(&self) -> Cow<'_, str> {
        text(self.description).unwrap_or_default()
    }

    /// What the switch forwards by now, by LID; empty where it has no table.
    pub fn table(&self) -> &[u8] {
        // SAFETY: the table of a switch, of `table_size` bytes, which nothing changes during a question.
        unsafe { slice(self.table, self.table_size as usize) }
    }
}

/// `struct lacis_port`.
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

/// `struct lacis_options`.
#[repr(C)]
pub(crate) struct Options {
    root_guid_file: *const c_char,
    cn_guid_file: *const c_char,
    io_guid_file: *const c_char,
    guid_routing_order_file: *const c_char,
    ids_guid_file: *const c_char,
    hop_weights_file: *const c_char,
    port_prof_ignore_file: *const c_char,
    port_search_ordering_file: *const c_char,
    torus_conf_file: *const c_char,
    lfts_file: *const c_char,
    lid_matrix_dump_file: *const c_char,
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

/// The files that options name.
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

impl Options {
    /// The path of a file, where it is given.
    pub fn path(&self, file: File) -> Option<Cow<'_, Path>> {
        let path = match file {
            File::Roots => self.root_guid_file,
            File::ComputeNodes => self.cn_guid_file,
            File::IoNodes => self.io_guid_file,
            File::Order => self.guid_routing_order_file,
            File::Ids => self.ids_guid_file,
            File::HopWeights => self.hop_weights_file,
            File::Ignored => self.port_prof_ignore_file,
            File::SearchOrder => self.port_search_ordering_file,
            File::Torus => self.torus_conf_file,
            File::Tables => self.lfts_file,
            File::HopMatrices => self.lid_matrix_dump_file,
        };
        text(path).map(|path| Cow::Owned(path.as_ref().into()))
    }
}

/// `enum lacis_proof`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Proof {
    All,
    Hosts,
    Delivery,
    Nothing,
}

/// `enum lacis_fault`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    Panic,
    Hang,
    Memory,
}

/// `struct lacis_question`.
#[repr(C)]
pub(crate) struct Question {
    engine: *const c_char,
    nodes: *const Node,
    ports: *const Port,
    options: *const Options,
    pub manager_guid: u64,
    num_nodes: u32,
    pub num_switches: u32,
    num_ports: u32,
    max_lid: u32,
    threads: u32,
    fault: u32,
    proof: u8,
    pub dumps_hops: bool,
    pub keep_tables: bool,
}

impl Question {
    /// The engine's name as OpenSM spells it.
    pub fn engine(&self) -> Cow<'_, str> {
        text(self.engine).unwrap_or_default()
    }

    /// All nodes, switches first.
    pub fn nodes(&self) -> &[Node] {
        // SAFETY: `num_nodes` nodes.
        unsafe { slice(self.nodes, self.num_nodes as usize) }
    }

    /// All ports, those of a node one after the other.
    pub fn ports(&self) -> &[Port] {
        // SAFETY: `num_ports` ports.
        unsafe { slice(self.ports, self.num_ports as usize) }
    }

    /// OpenSM's options.
    pub fn options(&self) -> &Options {
        // SAFETY: the plugin always gives them.
        unsafe { &*self.options }
    }

    /// What must hold of the tables.
    pub fn proof(&self) -> Proof {
        match self.proof {
            0 => Proof::All,
            1 => Proof::Hosts,
            2 => Proof::Delivery,
            _ => Proof::Nothing,
        }
    }

    /// What tests break on purpose.
    pub fn fault(&self) -> Fault {
        match self.fault {
            1 => Fault::Panic,
            2 => Fault::Hang,
            3 => Fault::Memory,
            _ => Fault::None,
        }
    }
}

/// `struct lacis_answer`.
#[repr(C)]
pub(crate) struct Answer {
    tables: *mut u8,
    levels: *mut u8,
    rows: *mut u32,
    lanes: *mut u8,
    hop_lids: *mut u16,
    hops: *mut u8,
    first_ports: *mut u8,
    paths: *mut u32,
    pub num_hop_lids: u32,
    pub hop_width: u32,
    stride_ports: u32,
    state: AtomicU32,
    pub hint: u32,
    pub has_levels: bool,
    pub maps_lanes: bool,
    pub has_paths: bool,
    pub figures: Figures,
    message: [u8; MESSAGE],
}

const MESSAGE: usize = 2048;

/// The figures of an [`Answer`].
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Figures {
    /// Seconds to build the fabric.
    pub build_s: f64,
    /// Seconds to make the tables.
    pub route_s: f64,
    /// Seconds to prove them.
    pub prove_s: f64,
    /// Seconds to write the answer, hop matrices included.
    pub write_s: f64,
    /// Entries of assigned LIDs.
    pub entries: u64,
    /// Those that differ from what switches forward by now.
    pub changed: u64,
    /// Destinations whose tables were kept.
    pub kept: u64,
    /// Pairs of end ports that were judged.
    pub pairs: u64,
    /// Pairs of them that are not delivered.
    pub undelivered: u64,
    /// Credit loops.
    pub credit_loops: u64,
    /// Pairs on the fullest link between switches.
    pub fullest: u64,
    /// Pairs on the mean one.
    pub mean: f64,
    /// Lanes that packets use between switches.
    pub lanes_used: u32,
}

// `opensm/lacis.h` asks the same of its side.
const _: () = assert!(size_of::<Node>() == 56 && size_of::<Port>() == 32);
const _: () = assert!(size_of::<Options>() == 112 && size_of::<Question>() == 72);
const _: () = assert!(size_of::<Figures>() == 104 && size_of::<Answer>() == 2240);

/// `enum lacis_state`.
const TABLES: u32 = 1;
/// `enum lacis_state`.
const REFUSED: u32 = 2;
/// `LACIS_NO_ROW`.
pub(crate) const NO_ROW: u32 = u32::MAX;

/// The arrays of an [`Answer`]; shapes as in `opensm/lacis.h`.
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

impl Answer {
    /// Its arrays, for a question.
    fn arrays<'a>(&self, question: &Question) -> Arrays<'a> {
        let (switches, ports) = (question.num_switches as usize, self.stride_ports as usize);
        let stride = question.max_lid as usize + 1;
        // SAFETY: the plugin gives arrays of these sizes, or null where the engine needs none; they overlap nothing and
        // outlast the call, of which this is the only use.
        unsafe {
            Arrays {
                switches,
                stride,
                ports,
                tables: slice_mut(self.tables, switches * stride),
                levels: slice_mut(self.levels, switches * stride),
                rows: slice_mut(self.rows, stride),
                lanes: slice_mut(self.lanes, switches * ports * ports * 16),
                hop_lids: slice_mut(self.hop_lids, stride),
                hops: slice_mut(self.hops, switches * stride * ports),
                first_ports: slice_mut(self.first_ports, switches * stride),
                paths: slice_mut(self.paths, question.num_ports as usize),
            }
        }
    }

    /// Writes the message; what does not fit is cut at a character's end.
    fn say(&mut self, message: &str) {
        let mut end = message.len().min(MESSAGE - 1);
        while !message.is_char_boundary(end) {
            end -= 1;
        }
        for (to, from) in self
            .message
            .iter_mut()
            .zip(message[..end].bytes().map(|b| if b == 0 { b' ' } else { b }).chain([0]))
        {
            *to = from;
        }
    }
}

/// A slice of C's, empty where the pointer is null.
///
/// # Safety
/// The pointer is null or leads to `len` elements that nothing changes while the slice lives.
unsafe fn slice<'a, T>(first: *const T, len: usize) -> &'a [T] {
    // SAFETY: the caller's promise.
    if first.is_null() { &[] } else { unsafe { std::slice::from_raw_parts(first, len) } }
}

/// The same, to write to.
///
/// # Safety
/// The same, and nothing else refers to the elements.
unsafe fn slice_mut<'a, T>(first: *mut T, len: usize) -> &'a mut [T] {
    // SAFETY: the caller's promise.
    if first.is_null() { &mut [] } else { unsafe { std::slice::from_raw_parts_mut(first, len) } }
}

/// A text of C's.
fn text<'a>(first: *const c_char) -> Option<Cow<'a, str>> {
    // SAFETY: texts of the plugin's end in 0 and outlast the question.
    (!first.is_null()).then(|| unsafe { CStr::from_ptr(first) }.to_string_lossy())
}

/// Answers a question; see `opensm/lacis.h`.
///
/// # Safety
/// Both lead to what that header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lacis_answer_question(question: *const Question, answer: *mut Answer) {
    // SAFETY: the caller's promise; the answer is this process's alone until its state is set.
    let (question, answer) = unsafe { (&*question, &mut *answer) };
    // A panic is reported in the answer, not on the manager's standard error.
    std::panic::set_hook(Box::new(|_| {}));
    let run = AssertUnwindSafe(|| {
        if question.threads > 0 {
            // Fails only where a pool is there already, and then that one serves.
            let _ = rayon::ThreadPoolBuilder::new().num_threads(question.threads as usize).build_global();
        }
        let arrays = answer.arrays(question);
        sweep::answer(question, answer, arrays)
    });
    let state = match catch_unwind(run) {
        Ok(Ok(())) => TABLES,
        Ok(Err(reason)) => {
            answer.say(&reason);
            REFUSED
        }
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().copied();
            let text =
                text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
            answer.say(&format!("a defect of Lacis: {text}"));
            REFUSED
        }
    };
    // All that is written before is seen by a reader of this.
    answer.state.store(state, Ordering::Release);
}

/// The engines by number; see `opensm/lacis.h`.
#[unsafe(no_mangle)]
pub extern "C" fn lacis_engine_name(number: usize) -> *const c_char {
    static NAMES: LazyLock<Vec<CString>> = LazyLock::new(|| {
        let known = Engine::ALL.iter().filter(|engine| !engine.is_omni_path());
        known.filter_map(|engine| CString::new(engine.name()).ok()).collect()
    });
    NAMES.get(number).map_or(ptr::null(), |name| name.as_ptr())
}
