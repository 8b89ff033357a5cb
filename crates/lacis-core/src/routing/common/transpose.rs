//! Tables by destination, as engines that follow one destination through the fabric make them, and
//! their transpose: tables by switch.

use rayon::prelude::*;

use crate::sm::{Lft, NO_ENTRY};

/// Rows and columns of the tiles in which a table is transposed: a cache line of each.
const TILE: usize = 64;

/// One row for each LID: the port of every switch towards it.
pub(in crate::routing) struct ByDestination {
    switches: usize,
    lids: usize,
    ports: Vec<u8>,
}

impl ByDestination {
    /// No entry anywhere.
    pub(in crate::routing) fn new(switches: usize, lids: usize) -> Self {
        Self { switches, lids, ports: vec![NO_ENTRY; switches * lids] }
    }

    /// The row of a LID: ports by switch.
    pub(in crate::routing) fn row(&self, lid: u32) -> &[u8] {
        &self.ports[lid as usize * self.switches..][..self.switches]
    }

    /// The row of a LID, to fill.
    pub(in crate::routing) fn row_mut(&mut self, lid: u32) -> &mut [u8] {
        &mut self.ports[lid as usize * self.switches..][..self.switches]
    }

    /// The transpose: one row for each switch.
    pub(in crate::routing) fn lft(&self) -> Lft {
        Lft::written(self.switches, self.lids as u32 - 1, |out| self.transpose_to(out))
    }

    fn transpose_to(&self, out: &mut [u8]) {
        out.par_chunks_mut(TILE * self.lids).enumerate().for_each(|(band, out)| {
            for first in (0..self.lids).step_by(TILE) {
                for lid in first..self.lids.min(first + TILE) {
                    let row = &self.row(lid as u32)[band * TILE..];
                    out[lid..].iter_mut().step_by(self.lids).zip(row).for_each(|(out, &port)| *out = port);
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_columns_at_any_size() {
        for (switches, lids) in [(1, 1), (7, 9), (8, 8), (65, 30), (130, 17)] {
            let port = |s: usize, lid: usize| (s * 37 + lid * 11) as u8;
            let mut table = ByDestination::new(switches, lids);
            for lid in 0..lids {
                table.row_mut(lid as u32).iter_mut().enumerate().for_each(|(s, p)| *p = port(s, lid));
            }
            let mut out = vec![0; switches * lids];
            table.transpose_to(&mut out);
            let wanted: Vec<u8> = (0..switches * lids).map(|i| port(i / lids, i % lids)).collect();
            assert_eq!(out, wanted, "{switches} switches, {lids} LIDs");
        }
    }
}
