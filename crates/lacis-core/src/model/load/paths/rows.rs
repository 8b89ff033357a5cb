//! The table of paths: rows of links between switches, by edge switch and receiver.

use crate::model::load::{LinkId, SINK};

/// Links between switches by edge switch and receiver, [`SINK`] after the last; the largest number as the
/// first link marks a pair without a route.
#[derive(Debug)]
pub(super) enum PathTable {
    Narrow { longest: usize, links: Vec<u16> },
    Wide { longest: usize, links: Vec<u32> },
}

/// Visits the links of a row of a table; whether it has a route.
pub(super) fn see_row<T: Copy + Into<u32> + PartialEq + Bounded>(
    row: &[T],
    see: &mut impl FnMut(LinkId),
) -> bool {
    if row.first() == Some(&T::MAX) {
        return false;
    }
    row.iter().map(|&link| link.into()).take_while(|&link| link != SINK).for_each(see);
    true
}

/// The largest value of a link number's width.
pub(super) trait Bounded {
    const MAX: Self;
}

impl Bounded for u16 {
    const MAX: Self = Self::MAX;
}

impl Bounded for u32 {
    const MAX: Self = Self::MAX;
}
