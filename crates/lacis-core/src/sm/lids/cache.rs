//! The order of OpenSM's LID cache: that of its hash table.
//!
//! OpenSM 3.3.23 keeps the cache in a table of chains, keyed by the GUID as text. Where two entries
//! want the same LID the first in the table's order keeps it, and `guid2lid` is written in this
//! order too. The hash is a sum of characters with powers of 997; found by comparing files that OpenSM wrote.

use super::CacheEntry;

/// Number of chains, from the smallest table on; a table grows when its chains are longer than
/// [`FULL`] on average.
const SIZES: [usize; 14] = [11, 19, 37, 67, 131, 283, 521, 1033, 2053, 4099, 8219, 16427, 32771, 65581];
const FULL: usize = 5;

/// The entries in the order in which OpenSM reads them after they were put into its table one by one.
pub(super) fn in_opensm_order(entries: &[CacheEntry]) -> Vec<CacheEntry> {
    let mut sizes = SIZES.into_iter();
    let mut chains: Vec<Vec<CacheEntry>> = vec![Vec::new(); sizes.next().unwrap_or(1)];
    for (count, &entry) in entries.iter().enumerate() {
        if count / chains.len() > FULL {
            let bigger = sizes.next().unwrap_or(chains.len());
            let mut grown = vec![Vec::new(); bigger];
            // Each chain is read from its newest entry, and each entry put before those that are there.
            for entry in chains.into_iter().flat_map(|chain| chain.into_iter().rev()) {
                grown[chain_of(entry, bigger)].push(entry);
            }
            chains = grown;
        }
        let chain = chain_of(entry, chains.len());
        chains[chain].push(entry);
    }
    chains.into_iter().flat_map(|chain| chain.into_iter().rev()).collect()
}

/// The chain of an entry's GUID, written with `0x` and 16 digits.
fn chain_of(entry: CacheEntry, chains: usize) -> usize {
    let text = entry.guid.to_string();
    let sum = text.bytes().fold(0_i32, |sum, byte| sum.wrapping_mul(997).wrapping_add(i32::from(byte)));
    (sum.wrapping_add(sum >> 5) as u32) as usize % chains
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::Guid;

    fn entry(guid: u64) -> CacheEntry {
        CacheEntry { guid: Guid(guid), first: 1, last: 1 }
    }

    #[test]
    fn the_chain_of_a_guid() {
        // The sum over the text, by an independent program with 64-bit integers cut to 32: for 0x101 it is
        // -261691070, for 0x248a0703009c0196 807319277. Plus a 32nd of it, rounded down, as an unsigned
        // number, modulo 11 and 37.
        assert_eq!([11, 37].map(|chains| chain_of(entry(0x101), chains)), [6, 26]);
        assert_eq!([11, 37].map(|chains| chain_of(entry(0x201), chains)), [9, 12]);
        assert_eq!([11, 37].map(|chains| chain_of(entry(0x248a_0703_009c_0196), chains)), [2, 15]);
    }

    /// A table of linked lists as C programs have it: each entry goes to the head of its list, and a table
    /// that grows is read list by list from the heads.
    fn by_linked_lists(entries: &[CacheEntry], grows: &[(usize, usize)]) -> Vec<CacheEntry> {
        let mut lists: Vec<Vec<CacheEntry>> = vec![Vec::new(); 11];
        for (count, &entry) in entries.iter().enumerate() {
            if let Some(&(_, size)) = grows.iter().find(|&&(at, _)| at == count) {
                let mut longer = vec![Vec::new(); size];
                for &old in lists.iter().flatten() {
                    longer[chain_of(old, size)].insert(0, old);
                }
                lists = longer;
            }
            let size = lists.len();
            lists[chain_of(entry, size)].insert(0, entry);
        }
        lists.concat()
    }

    #[test]
    fn a_table_grows_before_an_entry_when_six_times_as_many_are_there_as_chains() {
        // 6 · 11 = 66, 6 · 19 = 114, 6 · 37 = 222, 6 · 67 = 402.
        let grows = [(66, 19), (114, 37), (222, 67), (402, 131)];
        let entries: Vec<CacheEntry> = (1..=410_u64).map(|i| entry(i * 0x0101_0203)).collect();
        for len in [5, 60, 66, 67, 110, 115, 220, 230, 402, 410] {
            assert_eq!(in_opensm_order(&entries[..len]), by_linked_lists(&entries[..len], &grows), "{len}");
        }
    }
}
