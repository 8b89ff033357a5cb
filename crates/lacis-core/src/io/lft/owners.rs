//! Which port answers to which LID: what the dump names, completed from the fabric's file.

use std::collections::BTreeMap;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::dump::LftDump;
use crate::fabric::{Fabric, Guid, NodeId, PortId};
use crate::io::note::Notes;
use crate::io::{NoteKind, ReadError};
use crate::sm::lids::{Lids, MAX_UNICAST_LID};

/// The LIDs of one port that a dump names.
struct Named {
    first: u32,
    last: u32,
    line: usize,
}

/// The ports that answer to the LIDs of a dump.
pub(super) struct Owners {
    /// The owner of each LID.
    owner: Vec<Option<PortId>>,
    /// By port; the order decides which port takes a LID that the dump leaves open.
    named: BTreeMap<PortId, Named>,
    /// Whether the dump has no destinations.
    mute: bool,
    /// Whether any table has an entry for a LID.
    is_routed: Vec<bool>,
}

impl Owners {
    /// Matches the port GUIDs of a dump, and the LIDs of its headings, against a fabric.
    pub(super) fn of(dump: &LftDump, fabric: &Fabric, switches: &[NodeId]) -> Result<Self, ReadError> {
        let mut by_guid: FxHashMap<Guid, PortId> = FxHashMap::default();
        let end_ports = fabric.end_nodes().flat_map(|n| fabric.ports_of(n));
        for port in fabric.switches().map(|s| fabric.port0(s)).chain(end_ports) {
            by_guid.entry(fabric.port_info(port).guid).or_insert(port);
        }
        let mute = dump.owners.iter().all(Option::is_none);
        let top = dump.entries.iter().map(|entry| entry.lid).max().unwrap_or(0) as usize;
        let mut is_routed = vec![false; if mute { top + 1 } else { 0 }];
        for entry in dump.entries.iter().filter(|_| mute) {
            is_routed[entry.lid as usize] = true;
        }
        let mut owners =
            Self { owner: vec![None; dump.owners.len()], named: BTreeMap::new(), mute, is_routed };
        for (lid, owner) in (0..).zip(&dump.owners) {
            let Some((guid, line)) = *owner else { continue };
            let Some(&port) = by_guid.get(&guid).filter(|_| guid.is_some()) else {
                let reason = format!("a dump for another fabric: it has no port {guid} (LID 0x{lid:04x})");
                return Err(ReadError::at(line as usize, reason, ""));
            };
            owners.name(lid, port, line as usize);
        }
        for (table, &switch) in dump.tables.iter().zip(switches) {
            let port0 = fabric.port0(switch);
            if let Some(lid) = table.lid.filter(|_| !owners.named.contains_key(&port0))
                && owners.owner(lid).is_none()
            {
                owners.name(lid, port0, table.line);
            }
        }
        Ok(owners)
    }

    fn owner(&self, lid: u32) -> Option<PortId> {
        self.owner.get(lid as usize).copied().flatten()
    }

    fn name(&mut self, lid: u32, port: PortId, line: usize) {
        let length = self.owner.len().max(lid as usize + 1);
        self.owner.resize(length, None);
        self.owner[lid as usize] = Some(port);
        self.named.entry(port).or_insert(Named { first: lid, last: lid, line }).last = lid;
    }

    /// The LIDs of all end ports. A port has the range that the fabric's file reports if that includes
    /// the dump's LIDs (a LID without an entry in any table is not in the dump), else the smallest that
    /// includes them. A port that the dump does not name has the reported range if that is free.
    pub(super) fn lids(&self, fabric: &Fabric, notes: &mut Notes) -> Result<Lids, ReadError> {
        let mut lids = Lids::none(fabric);
        let reported = |port: PortId| {
            let info = fabric.port_info(port);
            Some((info.lid, info.lmc)).filter(|&(lid, _)| lid != 0)
        };
        for (&port, named) in &self.named {
            let guid = fabric.port_info(port).guid;
            let reported_range = reported(port).filter(|&(base, lmc)| {
                let range = range(base, lmc);
                range.contains(&named.first) && range.contains(&named.last)
            });
            let smallest = (named.first, lmc_of(named.last - named.first));
            let fits = |&(base, lmc): &(u32, u8)| {
                let is_free =
                    |lid| self.owner(lid).is_none_or(|owner| owner == port) && lids.owner(lid).is_none();
                lmc <= 7 && range(base, lmc).end - 1 <= MAX_UNICAST_LID && range(base, lmc).all(is_free)
            };
            let Some((base, lmc)) = reported_range.into_iter().chain([smallest]).find(fits) else {
                let Named { first, last, line } = named;
                let reason =
                    format!("port {guid} answers to LIDs 0x{first:04x} to 0x{last:04x}, not one range");
                return Err(ReadError::at(*line, reason, ""));
            };
            if let Some((before, _)) = reported(port).filter(|&(before, _)| before != base) {
                notes.add(NoteKind::Disagreement, named.line, &format!("{guid}: LID {base}, not {before}"));
            }
            lids.set(port, base, lmc);
        }
        for port in (0..fabric.num_ports() as u32).map(PortId).filter(|p| !self.named.contains_key(p)) {
            let free = |&(base, lmc): &(u32, u8)| {
                let mut range = range(base, lmc);
                range.end - 1 <= MAX_UNICAST_LID && range.all(|lid| lids.owner(lid).is_none())
            };
            if let Some((base, lmc)) = reported(port).filter(free) {
                lids.set(port, base, lmc);
            }
        }
        if self.mute {
            self.widen(fabric, &mut lids, notes);
        }
        let has_lid = |n| fabric.ports_of(n).any(|p| lids.base(p) != 0);
        if self.mute && !fabric.end_nodes().any(has_lid) {
            return Err(ReadError::whole(
                "the dump names no destinations and the fabric's file no LIDs: cannot decide which port has which LID",
            ));
        }
        Ok(lids)
    }
}

impl Owners {
    /// Gives a port whose own LID is routed those behind it that are routed and no other port's: its source does not say its LMC.
    fn widen(&self, fabric: &Fabric, lids: &mut Lids, notes: &mut Notes) {
        let is_routed = |lid: u32| self.is_routed.get(lid as usize).copied().unwrap_or(false);
        let is_open = |lids: &Lids, lid: u32| is_routed(lid) && lids.owner(lid).is_none();
        for port in (0..fabric.num_ports() as u32).map(PortId) {
            let base = lids.base(port);
            if base == 0 || lids.lmc(port) != 0 || !is_routed(base) {
                continue;
            }
            let fits = |&lmc: &u8| {
                base.is_multiple_of(1 << lmc) && range(base, lmc).skip(1).all(|lid| is_open(lids, lid))
            };
            if let Some(lmc) = (1..=7).take_while(fits).last() {
                notes.add(NoteKind::InferredLmc, 1, &format!("LID {base}: LMC {lmc}"));
                lids.set(port, base, lmc);
            }
        }
    }
}

fn range(base: u32, lmc: u8) -> Range<u32> {
    base..base + (1 << lmc)
}

/// The LMC whose range spans this many LIDs beyond the first.
fn lmc_of(span: u32) -> u8 {
    (32 - span.leading_zeros()) as u8
}
