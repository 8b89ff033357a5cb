//! From where packets for a LID arrive, without counting anything else.

use rayon::prelude::*;

use super::counts::Target;
use super::walk::{BLOCK, Problem, Walker};
use super::wiring::Wiring;
use crate::fabric::{Fabric, PortId};
use crate::sm::Routes;

/// Words of 64 bits with one bit for each switch.
pub fn words(fabric: &Fabric) -> usize {
    fabric.num_switches().div_ceil(64)
}

/// For LIDs of given ports, ascending, the switches from which packets arrive: bit `s` of
/// [`words`]`(fabric)` words for switch `s`; shape `(lids, words)`.
pub fn reach(fabric: &Fabric, routes: &Routes, lids: &[(u32, PortId)]) -> Vec<u64> {
    let (weight, trees) = (vec![0; fabric.num_switches()], Vec::new());
    let problem = Problem { fabric, wiring: Wiring::of(fabric), weight, trees };
    let words = words(fabric);
    let mut bits = vec![0; lids.len() * words];
    let (table, stride) = (routes.lft.as_slice(), routes.lft.stride());
    // A walker is worth a few blocks; blocks of LIDs share one reading of the tables.
    let chunk = 4 * BLOCK;
    let chunks = bits.par_chunks_mut((chunk * words).max(1)).zip(lids.par_chunks(chunk));
    chunks.for_each(|(bits, lids)| {
        let mut walker = Walker::new(&problem);
        let mut loaded = None;
        for (bits, &(lid, port)) in bits.chunks_exact_mut(words.max(1)).zip(lids) {
            let block = lid as usize / BLOCK;
            if loaded != Some(block) {
                walker.load_block(table, stride, block * BLOCK);
                loaded = Some(block);
            }
            walker.mark_arrivals(Target { lid, port, edge_switch: None, own: 0 }, bits);
        }
    });
    bits
}
