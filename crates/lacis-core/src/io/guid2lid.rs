//! OpenSM's LID cache, `guid2lid`: a port GUID, its first and its last LID, then an empty line.
//!
//! ```text
//! 0x00000000000000a1 0x0002 0x0003
//!
//! ```
//!
//! Read from files that OpenSM 3.3.23 wrote. Their order is that of a hash table; here it is by LID.
//! OpenSM takes the first word of a line as a key, and all lines up to the next empty one as its
//! value; it ignores keys in any form but its own. What it would therefore lose or misread (by
//! experiments with files that differ by one character) is refused here.

use std::fmt::Write as _;

use rustc_hash::FxHashMap;

use super::ReadError;
use super::lft::UnfitLid;
use super::note::Notes;
use super::text::{c_guid, decode};
use crate::fabric::{Fabric, FabricBuilder, Guid, PortId};
pub use crate::sm::lids::CacheEntry as Entry;
use crate::sm::lids::{Lids, MAX_UNICAST_LID};

/// Reads a cache, in file order. Ports that a fabric lacks may be among them: OpenSM keeps those.
///
/// # Errors
/// When a line is not a GUID and two LIDs in order, a GUID appears twice, or OpenSM would read
/// something else.
pub fn read(bytes: &[u8]) -> Result<Vec<Entry>, ReadError> {
    let text = decode(bytes, &mut Notes::default())?;
    let mut seen: FxHashMap<Guid, usize> = FxHashMap::default();
    let mut entries = Vec::new();
    let mut after_entry = false;
    for (line, raw) in text.split('\n').enumerate().map(|(i, raw)| (i + 1, raw)) {
        let bad = |reason: &str| ReadError::at(line, reason, raw);
        if raw.is_empty() {
            after_entry = false;
            continue;
        }
        if raw.ends_with('\r') {
            return Err(bad(
                "a line ends in CR LF: OpenSM would find no empty line, and lose all entries but the first",
            ));
        }
        if raw.starts_with('#') {
            return Err(bad("a comment: OpenSM would stop reading here"));
        }
        if raw.starts_with(|c: char| c.is_ascii_whitespace()) {
            return Err(bad(
                "a line begins with a blank: OpenSM would not start, or take it for the last entry's",
            ));
        }
        if after_entry {
            return Err(bad(
                "no empty line before it: OpenSM would take it as a continuation of the last entry",
            ));
        }
        let entry = entry(raw).map_err(|reason| bad(&reason))?;
        if let Some(before) = seen.insert(entry.guid, line) {
            return Err(bad(&format!("the GUID appears twice, first on line {before}")));
        }
        entries.push(entry);
        after_entry = true;
    }
    Ok(entries)
}

/// Reads a GUID and two LIDs.
fn entry(line: &str) -> Result<Entry, String> {
    let mut words = line.split_ascii_whitespace();
    let key = words.next().unwrap_or_default();
    let guid = c_guid(key)?;
    if guid.to_string() != key {
        return Err(format!("OpenSM writes the GUID as {guid} and knows it in no other form"));
    }
    if !guid.is_some() {
        return Err("no port has GUID 0".into());
    }
    let mut lid = || {
        let digits = words.next()?.strip_prefix("0x")?;
        let plain = digits.bytes().all(|b| b.is_ascii_hexdigit());
        let lid = u32::from_str_radix(digits, 16).ok().filter(|_| plain)?;
        (1..=MAX_UNICAST_LID).contains(&lid).then_some(lid)
    };
    let (first, last) = lid().zip(lid()).ok_or("two LIDs from 0x0001 to 0xbfff follow the GUID")?;
    if last < first {
        return Err("the last LID is below the first".into());
    }
    if words.next().is_some() {
        return Err("text after the last LID".into());
    }
    Ok(Entry { guid, first, last })
}

/// The entries of a fabric's ports, and those of absent ports that the manager knew before, by LID.
///
/// # Errors
/// When a LID is beyond InfiniBand's range.
pub fn entries(fabric: &Fabric, lids: &Lids) -> Result<Vec<Entry>, UnfitLid> {
    let mut entries = lids.absent().to_vec();
    for port in (0..fabric.num_ports() as u32).map(PortId) {
        let first = lids.base(port);
        let last = first + (1 << lids.lmc(port)) - 1;
        let guid = fabric.port_info(port).guid;
        if first != 0 && guid.is_some() {
            if last > MAX_UNICAST_LID {
                return Err(UnfitLid(last));
            }
            entries.push(Entry { guid, first, last });
        }
    }
    entries.sort_by_key(|e| (e.first, e.guid));
    Ok(entries)
}

/// A fabric with the LIDs of a cache.
#[derive(Clone, Debug)]
pub struct CachedLids {
    /// The fabric: ports whose LIDs its source does not have have those of the cache.
    pub fabric: Fabric,
    /// How many ports of the fabric the cache knows.
    pub known: usize,
    /// How many of these had no LID.
    pub taken: usize,
    /// Ports whose own LID is another than the cache's, with both.
    pub differing: Vec<(PortId, u32, u32)>,
    /// Ports without a LID whose LIDs in the cache, of which the first is given, another port has.
    pub occupied: Vec<(PortId, u32, PortId)>,
}

/// A fabric whose end ports have the LIDs that a cache has for them, where its source has none.
pub fn completed(fabric: &Fabric, entries: &[Entry]) -> CachedLids {
    let by_guid: FxHashMap<Guid, Entry> = entries.iter().map(|entry| (entry.guid, *entry)).collect();
    let mut owner: FxHashMap<u32, PortId> = FxHashMap::default();
    let ports = || (0..fabric.num_ports() as u32).map(PortId);
    for port in ports() {
        let info = fabric.port_info(port);
        let lids = info.lid..info.lid.saturating_add(1_u32.checked_shl(info.lmc.into()).unwrap_or(1));
        owner.extend(lids.filter(|_| info.lid != 0).map(|lid| (lid, port)));
    }
    let (mut known, mut taken, mut differing, mut occupied) = (0, 0, Vec::new(), Vec::new());
    let mut builder = FabricBuilder::from(fabric);
    for port in fabric.end_ports_in_opensm_order() {
        let Some(&Entry { first, last, .. }) = by_guid.get(&fabric.end_port_guid(port)) else { continue };
        known += 1;
        let own = fabric.port_info(port).lid;
        if own != 0 {
            differing.extend((own != first).then_some((port, own, first)));
            continue;
        }
        if let Some(&other) = (first..=last).find_map(|lid| owner.get(&lid)) {
            occupied.push((port, first, other));
            continue;
        }
        let (node, number) = (fabric.node_of(port), fabric.number_of(port).into());
        let Some(handle) = builder.nth(node.ix()) else { continue };
        if let Ok(info) = builder.port_mut(handle, number) {
            // Every LMC makes a power of two.
            (info.lid, info.lmc) = (first, (last - first + 1).ilog2() as u8);
            owner.extend((first..=last).map(|lid| (lid, port)));
            taken += 1;
        }
    }
    CachedLids { fabric: builder.finish(), known, taken, differing, occupied }
}

/// Writes a cache as OpenSM does.
pub fn write(entries: &[Entry]) -> String {
    entries.iter().fold(String::new(), |mut out, e| {
        let _ = write!(out, "{} 0x{:04x} 0x{:04x}\n\n", e.guid, e.first, e.last);
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Written by OpenSM 3.3.23 with `-l 1` for two switches and two hosts.
    const CACHE: &str = "0x00000000000000a1 0x0002 0x0003\n\n0x0000000008f10001 0x0004 0x0004\n\n\
                         0x0000000008f10002 0x0005 0x0005\n\n0x00000000000000b1 0x0006 0x0007\n\n";

    #[test]
    fn a_cache_of_opensm_is_read_and_written() {
        let entries = read(CACHE.as_bytes()).unwrap();
        assert_eq!(entries.len(), 4);
        assert_eq!(entries[3], Entry { guid: Guid(0xb1), first: 6, last: 7 });
        assert_eq!(write(&entries), CACHE);
        assert_eq!(read(CACHE.replace("\n\n", "\n\n\n").trim_end().as_bytes()).unwrap(), entries);
    }

    #[test]
    fn the_entries_of_a_fabric_are_its_lids() {
        let net = "switchguid=0x8(8)\nSwitch 2 \"S-8\" # \"s\" base port 0 lid 9 lmc 0\n[1] \"H-1\"[1](a1)\n\n\
                   caguid=0xa0\nCa 2 \"H-1\"\n[1](a1) \"S-8\"[1] # lid 4 lmc 2 \"s\" lid 9\n";
        let f = crate::io::read(net.as_bytes()).unwrap().fabric;
        let lids = Lids::reported(&f);
        let text = write(&super::entries(&f, &lids).unwrap());
        assert_eq!(text, "0x00000000000000a1 0x0004 0x0007\n\n0x0000000000000008 0x0009 0x0009\n\n");
    }

    #[test]
    fn a_port_without_a_lid_has_that_of_the_cache_and_its_own_wins() {
        // Switch 0x8 has LID 9, adapter 0xa1 none, and 0xb1 has 6 of its own.
        let net = "switchguid=0x8(8)\nSwitch 2 \"S-8\" # \"s\" base port 0 lid 9 lmc 0\n[1] \"H-1\"[1](a1)\n\
                   [2] \"H-2\"[1](b1)\n\ncaguid=0xa0\nCa 2 \"H-1\"\n[1](a1) \"S-8\"[1] # lid 0 lmc 0 \"s\" lid 9\n\n\
                   caguid=0xb0\nCa 2 \"H-2\"\n[1](b1) \"S-8\"[2] # lid 6 lmc 0 \"s\" lid 9\n";
        let fabric = crate::io::read(net.as_bytes()).unwrap().fabric;
        let with = |first, last| {
            let of = |guid, first, last| Entry { guid: Guid(guid), first, last };
            completed(&fabric, &[of(0xa1, first, last), of(0xb1, 7, 7), of(0xc1, 1, 1)])
        };
        let port = |found: &CachedLids, guid| {
            let mut ports = found.fabric.end_ports_in_opensm_order().into_iter();
            ports.find(|&port| found.fabric.end_port_guid(port) == Guid(guid)).unwrap()
        };
        // LIDs 4 to 7 are LMC 2, but 6 is the other adapter's; 12 to 15 are free.
        let free = with(12, 15);
        let info = *free.fabric.port_info(port(&free, 0xa1));
        assert_eq!((info.lid, info.lmc, free.known, free.taken), (12, 2, 2, 1));
        assert_eq!(free.differing, [(port(&free, 0xb1), 6, 7)]);
        let clash = with(4, 7);
        assert_eq!(clash.occupied, [(port(&clash, 0xa1), 4, port(&clash, 0xb1))]);
        assert_eq!((clash.fabric.port_info(port(&clash, 0xa1)).lid, clash.taken), (0, 0));
    }

    #[test]
    fn bad_lines_are_refused() {
        let guid = Guid(1);
        for (text, reason) in [
            ("GUID 0x0002\n", "two LIDs"),
            ("GUID 0x0000 0x0001\n", "two LIDs"),
            ("GUID 0xc000 0xc000\n", "two LIDs"),
            ("GUID 2 3\n", "two LIDs"),
            ("GUID 0x0003 0x0002\n", "below the first"),
            ("GUID 0x0003 0x0003 x\n", "text after"),
            ("a1 0x0003 0x0003\n", "not a GUID"),
            ("0x1 0x0003 0x0003\n", "OpenSM writes the GUID as 0x0000000000000001"),
            ("0x00000000000000AB 0x0003 0x0003\n", "as 0x00000000000000ab"),
            ("0x0000000000000000 0x0003 0x0003\n", "no port has GUID 0"),
            ("GUID 0x0003 0x0003\n\nGUID 0x0004 0x0004\n", "appears twice, first on line 1"),
            ("GUID 0x0003 0x0003\n0x0000000000000002 0x0004 0x0004\n", "no empty line"),
            ("GUID 0x0003 0x0003\n  \n", "begins with a blank"),
            ("GUID 0x0003 0x0003\r\n\r\n", "CR LF"),
            ("# LIDs\n", "stop reading"),
            (" GUID 0x0003 0x0003\n", "begins with a blank"),
        ] {
            let text = text.replace("GUID", &guid.to_string());
            let error = read(text.as_bytes()).expect_err(&text);
            assert!(error.reason.contains(reason), "{text}: {error}");
        }
    }
}
