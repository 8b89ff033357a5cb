//! The border to the C half: the structures of `opensm/lacis.h`, and the one function that it calls.
//!
//! All `unsafe` code of Lacis is here. What makes it sound is what that header promises: pointers are null or lead to
//! as many elements as the field beside them says, text ends in 0, nothing but the answer is written to, and the answer's
//! arrays overlap nothing.
#![allow(unsafe_code, reason = "the border to C")]

use std::borrow::Cow;
use std::error::Error;
use std::ffi::{CStr, CString, c_char};
use std::mem::offset_of;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::ptr;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

use lacis_core::sm::Engine;

use crate::answer::{Answer, Arrays, Figures};
use crate::question::{Fault, File, Kind, Node, Options, Port, Proof, Question, Values};
use crate::sweep;

/// `struct lacis_node`.
#[repr(C)]
struct CNode {
    guid: u64,
    system_guid: u64,
    description: *const c_char,
    table: *const u8,
    table_size: u32,
    first_port: u32,
    vendor: u32,
    device: u32,
    num_ports: u8,
    kind: u8,
    enhanced_port0: bool,
}

impl CNode {
    fn read(&self) -> Node<'_> {
        Node {
            guid: self.guid,
            system_guid: self.system_guid,
            description: text(self.description).unwrap_or_default(),
            // SAFETY: the table of a switch, of `table_size` bytes, which nothing changes during a question.
            table: unsafe { slice(self.table, self.table_size as usize) },
            first_port: self.first_port,
            vendor: self.vendor,
            device: self.device,
            num_ports: self.num_ports,
            kind: match self.kind {
                1 => Kind::Switch,
                3 => Kind::Router,
                _ => Kind::Adapter,
            },
            enhanced_port0: self.enhanced_port0,
        }
    }
}

/// `struct lacis_options`.
#[repr(C)]
struct COptions {
    files: [*const c_char; File::COUNT],
    values: Values,
}

impl COptions {
    fn read(&self) -> Options<'_> {
        let files = self.files.map(|path| text(path).map(|path| Cow::Owned(PathBuf::from(path.as_ref()))));
        Options { files, values: &self.values }
    }
}

/// `struct lacis_question`.
#[repr(C)]
pub struct CQuestion {
    engine: *const c_char,
    nodes: *const CNode,
    ports: *const Port,
    options: *const COptions,
    manager_guid: u64,
    num_nodes: u32,
    num_switches: u32,
    num_ports: u32,
    max_lid: u32,
    threads: u32,
    fault: u32,
    proof: u8,
    dumps_hops: bool,
    keep_tables: bool,
}

impl CQuestion {
    fn read(&self) -> Question<'_> {
        // SAFETY: `num_nodes` nodes, `num_ports` ports, and options, which the plugin always gives.
        let (nodes, ports, options) = unsafe {
            let nodes = slice(self.nodes, self.num_nodes as usize);
            (nodes, slice(self.ports, self.num_ports as usize), &*self.options)
        };
        Question {
            engine: text(self.engine).unwrap_or_default(),
            nodes: nodes.iter().map(CNode::read).collect(),
            ports,
            options: options.read(),
            manager_guid: self.manager_guid,
            proof: match self.proof {
                0 => Proof::All,
                1 => Proof::Hosts,
                2 => Proof::Delivery,
                _ => Proof::Nothing,
            },
            fault: match self.fault {
                1 => Fault::Panic,
                2 => Fault::Hang,
                3 => Fault::Memory,
                _ => Fault::None,
            },
            dumps_hops: self.dumps_hops,
            keep_tables: self.keep_tables,
        }
    }
}

/// `struct lacis_answer`.
#[repr(C)]
pub struct CAnswer {
    tables: *mut u8,
    levels: *mut u8,
    rows: *mut u32,
    lanes: *mut u8,
    hop_lids: *mut u16,
    hops: *mut u8,
    first_ports: *mut u8,
    paths: *mut u32,
    num_hop_lids: u32,
    hop_width: u32,
    stride_ports: u32,
    state: AtomicU32,
    hint: u32,
    has_levels: bool,
    maps_lanes: bool,
    has_paths: bool,
    figures: Figures,
    message: [u8; MESSAGE],
}

const MESSAGE: usize = 2048;

// `opensm/lacis.h` asks the same of its side.
const _: () = assert!(offset_of!(COptions, values) == 88 && offset_of!(Values, qos) == 17);
const _: () = assert!(size_of::<CNode>() == 56 && size_of::<Port>() == 32);
const _: () = assert!(size_of::<COptions>() == 112 && size_of::<CQuestion>() == 72);
const _: () = assert!(size_of::<Figures>() == 104 && size_of::<CAnswer>() == 2240);

/// `enum lacis_state`.
const TABLES: u32 = 1;
/// `enum lacis_state`.
const REFUSED: u32 = 2;

impl CAnswer {
    /// Its arrays, for a question.
    fn arrays<'a>(&self, question: &CQuestion) -> Arrays<'a> {
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

/// A slice of C's to write to, empty where the pointer is null.
///
/// # Safety
/// The pointer is null or leads to `len` elements to which nothing else refers while the slice lives.
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
pub unsafe extern "C" fn lacis_answer_question(question: *const CQuestion, answer: *mut CAnswer) {
    // SAFETY: the caller's promise; the answer is this process's alone until its state is set.
    let (question, to) = unsafe { (&*question, &mut *answer) };
    // A panic is reported in the answer, not on the manager's standard error.
    std::panic::set_hook(Box::new(|_| {}));
    let arrays = to.arrays(question);
    let mut answer = Answer::new(arrays, &mut to.figures);
    let run = AssertUnwindSafe(|| {
        start_threads(question.threads)?;
        sweep::answer(&question.read(), &mut answer)
    });
    let result = catch_unwind(run);
    let Answer { num_hop_lids, hop_width, hint, has_levels, maps_lanes, has_paths, .. } = answer;
    (to.num_hop_lids, to.hop_width, to.hint) = (num_hop_lids, hop_width, hint as u32);
    (to.has_levels, to.maps_lanes, to.has_paths) = (has_levels, maps_lanes, has_paths);
    let state = match result {
        Ok(Ok(())) => TABLES,
        Ok(Err(reason)) => {
            to.say(&reason);
            REFUSED
        }
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().copied();
            let text =
                text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
            to.say(&format!("a defect of Lacis: {text}"));
            REFUSED
        }
    };
    // All that is written before is seen by a reader of this.
    to.state.store(state, Ordering::Release);
}

/// Starts as many threads as were asked for, 0 for one for each core.
///
/// # Errors
/// When the system does not give so many.
fn start_threads(asked: u32) -> Result<(), String> {
    let started = rayon::ThreadPoolBuilder::new().num_threads(asked as usize).build_global();
    // An error without a source is that a pool is there already, and then that one serves.
    match started.err().as_ref().and_then(Error::source) {
        Some(reason) => Err(format!("its threads could not be started: {reason} (threads=)")),
        None => Ok(()),
    }
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
