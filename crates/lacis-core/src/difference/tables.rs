//! Two tables of one fabric, entry by entry: which entries differ, and why.
//!
//! Entries are compared by switch and destination, that is by port and by which of its LIDs, so that tables of
//! other LIDs can be compared too.

use std::ops::Range;

use rayon::prelude::*;

use crate::fabric::{Fabric, NodeId, PortId};
use crate::model::load::{FAR, hops_to};
use crate::sm::{NO_ENTRY, Routes};

/// Why a found entry is not the expected one; the first that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Why {
    /// The found tables know no such LID.
    Unknown,
    /// The expected tables know no such LID.
    Unexpected,
    /// There is no entry.
    Missing,
    /// There is an entry where none is expected.
    Additional,
    /// The found port has no cable, or the switch keeps the packet.
    Down,
    /// The found port leads to an end node that is not the destination.
    WrongEnd,
    /// Another cable to the same switch.
    Parallel,
    /// Both ports begin a shortest path: a tie.
    Tie,
    /// The found port begins a shortest path, the expected one does not.
    Shorter,
    /// The found port begins no shortest path.
    Longer,
}

impl Why {
    /// All, in the order of the type.
    pub const ALL: [Self; 10] = [
        Self::Unknown,
        Self::Unexpected,
        Self::Missing,
        Self::Additional,
        Self::Down,
        Self::WrongEnd,
        Self::Parallel,
        Self::Tie,
        Self::Shorter,
        Self::Longer,
    ];

    /// Its stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unknown => "destination_unknown",
            Self::Unexpected => "destination_unexpected",
            Self::Missing => "no_entry",
            Self::Additional => "additional_entry",
            Self::Down => "port_down",
            Self::WrongEnd => "wrong_end_node",
            Self::Parallel => "parallel_cable",
            Self::Tie => "tie",
            Self::Shorter => "shorter",
            Self::Longer => "not_shortest",
        }
    }

    /// The reason in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Unknown => "the destination is unknown to the found tables",
            Self::Unexpected => "the destination is unknown to the expected tables",
            Self::Missing => "no entry is found",
            Self::Additional => "an entry is found where none is expected",
            Self::Down => "the found port is down, or the switch's own",
            Self::WrongEnd => "the found port leads to another end node",
            Self::Parallel => "the found port is another cable to the same switch",
            Self::Tie => "the found port is on a shortest path too: a tie",
            Self::Shorter => "the found port is on a shortest path, the expected one is not",
            Self::Longer => "the found port is not on a shortest path",
        }
    }
}

/// An entry that differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DifferingEntry {
    /// The switch.
    pub switch: NodeId,
    /// The destination.
    pub to: PortId,
    /// Which of its LIDs, from 0.
    pub offset: u8,
    /// Port that is expected; [`NO_ENTRY`] for none.
    pub expected: u8,
    /// Port that is found; [`NO_ENTRY`] for none.
    pub found: u8,
    /// Why.
    pub why: Why,
}

/// Two tables, compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableDifference {
    /// Number of entries: switches times destinations that either knows.
    pub compared: u64,
    /// Entries that differ, switch by switch, destinations ascending.
    pub entries: Vec<DifferingEntry>,
}

/// A destination: its port and number, and its LIDs in the expected and found tables, 0 for none.
#[derive(Clone, Copy)]
struct Compared {
    to: PortId,
    offset: u8,
    expected: u32,
    found: u32,
}

/// Every destination that either table knows.
fn targets(fabric: &Fabric, expected: &Routes, found: &Routes) -> Vec<Compared> {
    let mut all = Vec::new();
    for to in (0..fabric.num_ports() as u32).map(PortId) {
        let (a, b) = (expected.lids.range(to), found.lids.range(to));
        let lid = |range: &Range<u32>, k: u32| if k < range.len() as u32 { range.start + k } else { 0 };
        let count = a.len().max(b.len()) as u32;
        all.extend((0..count).map(|k| Compared {
            to,
            offset: k as u8,
            expected: lid(&a, k),
            found: lid(&b, k),
        }));
    }
    all
}

/// How many entries of how many are equal.
pub fn agreement(fabric: &Fabric, expected: &Routes, found: &Routes) -> (u64, u64) {
    let all = targets(fabric, expected, found);
    let count = |s: u32| {
        let (a, b) = (expected.lft.row(NodeId(s)), found.lft.row(NodeId(s)));
        let equal = |t: &&Compared| t.expected != 0 && t.found != 0 && get(a, t.expected) == get(b, t.found);
        all.iter().filter(equal).count() as u64
    };
    let switches = fabric.num_switches() as u32;
    let equal: u64 = (0..switches).into_par_iter().map(count).sum();
    (equal, u64::from(switches) * all.len() as u64)
}

fn get(row: &[u8], lid: u32) -> u8 {
    row.get(lid as usize).copied().unwrap_or(NO_ENTRY)
}

/// Compares two tables of a fabric.
pub fn tables(fabric: &Fabric, expected: &Routes, found: &Routes) -> TableDifference {
    let all = targets(fabric, expected, found);
    let differ = |s: u32| {
        let (a, b) = (expected.lft.row(NodeId(s)), found.lft.row(NodeId(s)));
        let entry = |t: &Compared| {
            let lid_less = t.expected == 0 || t.found == 0;
            let (expected, found) = (get(a, t.expected), get(b, t.found));
            let expected = if t.expected == 0 { NO_ENTRY } else { expected };
            let found = if t.found == 0 { NO_ENTRY } else { found };
            let why = match (t.expected, t.found) {
                (_, 0) => Why::Unknown,
                (0, _) => Why::Unexpected,
                _ => Why::Longer,
            };
            let one = DifferingEntry { switch: NodeId(s), to: t.to, offset: t.offset, expected, found, why };
            (lid_less || expected != found).then_some(one)
        };
        all.iter().filter_map(entry).collect::<Vec<DifferingEntry>>()
    };
    let switches = fabric.num_switches() as u32;
    let rows: Vec<Vec<DifferingEntry>> = (0..switches).into_par_iter().map(differ).collect();
    let mut entries = rows.concat();
    explain(fabric, &mut entries);
    TableDifference { compared: u64::from(switches) * all.len() as u64, entries }
}

/// Says why entries differ.
fn explain(fabric: &Fabric, entries: &mut [DifferingEntry]) {
    const NONE: u32 = u32::MAX;
    let mut index = vec![NONE; fabric.num_switches()];
    let mut edge_switches = Vec::new();
    for edge_switch in entries.iter().filter_map(|e| fabric.edge_switch(e.to)) {
        if index[edge_switch.ix()] == NONE {
            index[edge_switch.ix()] = edge_switches.len() as u32;
            edge_switches.push(edge_switch);
        }
    }
    let hops = hops_to(fabric, &edge_switches);
    let switches = fabric.num_switches();
    entries.par_iter_mut().filter(|e| e.why == Why::Longer).for_each(|e| {
        let row =
            fabric.edge_switch(e.to).map(|h| index[h.ix()] as usize).filter(|&row| row < edge_switches.len());
        let away = |switch: NodeId| row.map_or(FAR, |row| hops[row * switches + switch.ix()]);
        e.why = why(fabric, e, away);
    });
}

/// Why an entry between two known LIDs differs; `away` says how many links a switch is from the destination's.
fn why(fabric: &Fabric, e: &DifferingEntry, away: impl Fn(NodeId) -> u16) -> Why {
    if e.found == NO_ENTRY {
        return Why::Missing;
    }
    if e.expected == NO_ENTRY {
        return Why::Additional;
    }
    let far = |number: u8| {
        let port = fabric.port(e.switch, number).filter(|_| number != 0)?;
        fabric.peer(port)
    };
    let near = |port: PortId| {
        let node = fabric.node_of(port);
        port == e.to || (fabric.is_switch(node) && away(node) < away(e.switch))
    };
    let Some(found) = far(e.found) else { return Why::Down };
    let node = fabric.node_of(found);
    if !fabric.is_switch(node) && found != e.to {
        return Why::WrongEnd;
    }
    let expected = far(e.expected);
    if fabric.is_switch(node) && expected.is_some_and(|p| fabric.node_of(p) == node) {
        return Why::Parallel;
    }
    match (near(found), expected.is_some_and(near)) {
        (true, true) => Why::Tie,
        (true, false) => Why::Shorter,
        (false, _) => Why::Longer,
    }
}
