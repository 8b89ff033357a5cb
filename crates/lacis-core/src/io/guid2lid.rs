//! OpenSM's LID cache, `guid2lid`: a port GUID, its first and its last LID, then an empty line.
//!
//! ```text
//! 0x00000000000000a1 0x0002 0x0003
//!
//! ```
//!
//! Read from files that OpenSM 3.3.23 wrote. Their order is that of a hash table; here it is by LID.

use std::fmt::Write as _;

use rustc_hash::FxHashMap;

use super::ReadError;
use super::lft::UnfitLid;
use super::note::Notes;
use super::text::{c_guid, decode, lines};
use crate::fabric::{Fabric, Guid, PortId};
use crate::lids::{Lids, MAX_UNICAST_LID};

/// One port's LIDs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Port GUID.
    pub guid: Guid,
    /// First LID.
    pub first: u32,
    /// Last LID.
    pub last: u32,
}

/// Reads a cache, in file order. Ports that a fabric lacks may be among them: OpenSM keeps those.
///
/// # Errors
/// When a line is not a GUID and two LIDs in order, or a GUID appears twice.
pub fn read(bytes: &[u8]) -> Result<Vec<Entry>, ReadError> {
    let text = decode(bytes, &mut Notes::default())?;
    let mut seen: FxHashMap<Guid, usize> = FxHashMap::default();
    let mut entries = Vec::new();
    for (line, raw) in lines(&text) {
        let s = raw.trim();
        if s.is_empty() || s.starts_with('#') {
            continue;
        }
        let bad = |reason: &str| ReadError::at(line, reason, raw);
        let mut words = s.split_ascii_whitespace();
        let guid = c_guid(words.next().unwrap_or_default()).map_err(|reason| bad(&reason))?;
        let mut lid = || {
            let digits = words.next()?.strip_prefix("0x")?;
            let plain = digits.bytes().all(|b| b.is_ascii_hexdigit());
            let lid = u32::from_str_radix(digits, 16).ok().filter(|_| plain)?;
            (1..=MAX_UNICAST_LID).contains(&lid).then_some(lid)
        };
        let (first, last) =
            lid().zip(lid()).ok_or_else(|| bad("two LIDs from 0x0001 to 0xbfff follow the GUID"))?;
        if last < first {
            return Err(bad("the last LID is below the first"));
        }
        if words.next().is_some() {
            return Err(bad("text after the last LID"));
        }
        if let Some(before) = seen.insert(guid, line) {
            return Err(bad(&format!("the GUID appears twice, first on line {before}")));
        }
        entries.push(Entry { guid, first, last });
    }
    Ok(entries)
}

/// The entries of a fabric's ports, by LID.
///
/// # Errors
/// When a LID is beyond InfiniBand's range.
pub fn entries(fabric: &Fabric, lids: &Lids) -> Result<Vec<Entry>, UnfitLid> {
    let mut entries = Vec::new();
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
        assert_eq!(read(CACHE.replace('\n', "\r\n").as_bytes()).unwrap(), entries);
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
    fn bad_lines_are_refused() {
        for (text, reason) in [
            ("0x1 0x0002\n", "two LIDs"),
            ("0x1 0x0000 0x0001\n", "two LIDs"),
            ("0x1 0xc000 0xc000\n", "two LIDs"),
            ("0x1 2 3\n", "two LIDs"),
            ("0x1 0x0003 0x0002\n", "below the first"),
            ("0x1 0x0003 0x0003 x\n", "text after"),
            ("a1 0x0003 0x0003\n", "not a GUID"),
            ("0x1 0x0003 0x0003\n\n0x1 0x0004 0x0004\n", "appears twice, first on line 1"),
        ] {
            let error = read(text.as_bytes()).expect_err(text);
            assert!(error.reason.contains(reason), "{text}: {error}");
        }
    }
}
