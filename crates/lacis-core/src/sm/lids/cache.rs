//! The order of OpenSM's LID cache: that of its hash table.
//!
//! OpenSM 3.3.23 keeps the cache in a table of chains, keyed by the GUID as text. Where two entries
//! want the same LID the one that the table gives first keeps it, and `guid2lid` is written in this
//! order too. The hash is a sum of characters with powers of 997; found by comparing files that OpenSM wrote.

use super::CacheEntry;

/// Number of chains, from the smallest table on; a table grows when its chains are longer than
/// [`FULL`] on average.
const SIZES: [usize; 14] = [11, 19, 37, 67, 131, 283, 521, 1033, 2053, 4099, 8219, 16427, 32771, 65581];
const FULL: usize = 5;

/// The entries as OpenSM goes through them after they were put into its table one by one.
pub(super) fn in_opensm_order(entries: &[CacheEntry]) -> Vec<CacheEntry> {
    let mut sizes = SIZES.into_iter();
    let mut chains: Vec<Vec<CacheEntry>> = vec![Vec::new(); sizes.next().unwrap_or(1)];
    for (count, &entry) in entries.iter().enumerate() {
        if count / chains.len() > FULL {
            let bigger = sizes.find(|&size| size > chains.len()).unwrap_or(chains.len());
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
