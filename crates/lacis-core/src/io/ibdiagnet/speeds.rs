//! The bits by which a `db_csv` gives speeds, which its versions lay out in two ways.
//!
//! | layout | SDR, DDR, QDR | FDR10 | FDR, EDR, HDR, NDR, XDR |
//! |---|---|---|---|
//! | shifted | 1, 2, 4 | 65536 | 256, 512, 1024, 2048, 4096: extended speeds beside the others, 8 bits higher |
//! | flat | 1, 2, 4 | 8 | 16, 32, 64, 128, 256 |
//!
//! Bits that only one of them has say which it is. (The source of ibdiagnet has the first, files with 128 at NDR the
//! second.)

use crate::fabric::Speed;

/// The layout of a file's speeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// Extended speeds stand 8 bits above the others.
    Shifted,
    /// Speeds follow each other.
    Flat,
    /// The bits fit both; taken for the first.
    Guessed,
    /// The bits fit neither.
    Neither,
}

/// Bits of the flat layout alone, of the shifted one alone, and the bit that means FDR in one and XDR in the other.
const FLAT: u64 = 0xf8;
const SHIFTED: u64 = 0x31e00;
const EITHER: u64 = 0x100;

impl Layout {
    /// The layout by all bits that the columns of a file hold.
    pub(super) fn of(bits: u64) -> Self {
        match (bits & FLAT != 0, bits & SHIFTED != 0) {
            (true, true) => Self::Neither,
            (true, false) => Self::Flat,
            (false, true) => Self::Shifted,
            (false, false) if bits & EITHER == 0 => Self::Shifted,
            (false, false) => Self::Guessed,
        }
    }

    /// The speeds that the bits name, slowest first.
    pub(super) fn speeds(self, bits: u64) -> Vec<Speed> {
        let basic = [(1, Speed::Sdr), (2, Speed::Ddr), (4, Speed::Qdr)];
        let above: &[(u64, Speed)] = match self {
            Self::Neither => &[],
            Self::Flat => &[
                (0x8, Speed::Fdr10),
                (0x10, Speed::Fdr),
                (0x20, Speed::Edr),
                (0x40, Speed::Hdr),
                (0x80, Speed::Ndr),
                (0x100, Speed::Xdr),
            ],
            Self::Shifted | Self::Guessed => &[
                (0x1_0000, Speed::Fdr10),
                (0x100, Speed::Fdr),
                (0x200, Speed::Edr),
                (0x400, Speed::Hdr),
                (0x800, Speed::Ndr),
                (0x1000, Speed::Xdr),
            ],
        };
        let all = basic.iter().chain(above);
        all.filter(|&&(bit, _)| bits & bit != 0).map(|&(_, speed)| speed).collect()
    }

    /// The speed that a link runs at: the fastest that is named, as an extended speed stands beside QDR.
    pub(super) fn active(self, bits: u64) -> Option<Speed> {
        if self == Self::Neither { None } else { self.speeds(bits).pop() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bits_of_a_file_say_how_speeds_are_laid_out() {
        for (bits, layout, active, speed) in [
            (128, Layout::Flat, 128, Some(Speed::Ndr)),
            (0x7 | 0x80 | 0x100, Layout::Flat, 256, Some(Speed::Xdr)),
            (0x7 | 0x100 | 0x200, Layout::Shifted, 256, Some(Speed::Fdr)),
            (2052, Layout::Shifted, 2052, Some(Speed::Ndr)),
            (0x1_0004, Layout::Shifted, 0x1_0004, Some(Speed::Fdr10)),
            (7, Layout::Shifted, 4, Some(Speed::Qdr)),
            (256, Layout::Guessed, 256, Some(Speed::Fdr)),
            (0x80 | 0x800, Layout::Neither, 128, None),
            (0, Layout::Shifted, 0, None),
        ] {
            assert_eq!((Layout::of(bits), Layout::of(bits).active(active)), (layout, speed), "{bits:#x}");
        }
    }
}
