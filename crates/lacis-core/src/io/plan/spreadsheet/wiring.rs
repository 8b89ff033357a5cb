//! The cables inside Omni-Path directors: which port of which spine chip leads to which port of which leaf chip.
//!
//! A director has leaf boards `L101`, `L102`, … and half as many spine boards `S201`, …, of two chips each, `A` and `B`,
//! of 48 ports. Leaf ports 1 to 24 are outside, 25 to 48 inside. Along the ports of a spine chip the leaf boards come in
//! pairs (odd, even); the next spine board has every pair one further. The facts are those of FastFabric's tables of
//! the 288-port and 1152-port directors, expressed as a rule (opa-ff 10.10.3, `linksum_swd06.csv`, `linksum_swd24.csv`).

/// A director, by its number of outer ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DirectorSize {
    /// Leaf boards.
    pub(super) leaves: u8,
    /// For the chips A and B of the first spine board: the pair of leaf boards, from 0, behind ports 1 to 24 and also
    /// behind 25 to 48.
    pairs: [[u8; 24]; 2],
}

/// 100SWD06: 288 ports.
const SIX: DirectorSize = DirectorSize {
    leaves: 6,
    pairs: [
        [0, 0, 2, 2, 1, 1, 1, 1, 2, 2, 0, 0, 0, 0, 2, 2, 1, 1, 1, 1, 2, 2, 0, 0],
        [0, 0, 2, 2, 1, 1, 2, 2, 0, 0, 1, 1, 1, 1, 0, 0, 2, 2, 1, 1, 2, 2, 0, 0],
    ],
};

/// 100SWD24: 1152 ports.
const TWENTY_FOUR: DirectorSize = DirectorSize {
    leaves: 24,
    pairs: [
        [6, 7, 8, 9, 10, 11, 6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 0],
        [0, 5, 4, 3, 2, 1, 6, 5, 4, 3, 2, 1, 0, 11, 10, 9, 8, 7, 11, 10, 9, 8, 7, 6],
    ],
};

/// A cable inside a director: the ends of the chips' names, and ports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Inner {
    /// `S201A`.
    pub(super) spine: String,
    pub(super) spine_port: u8,
    /// `L101A`.
    pub(super) leaf: String,
    pub(super) leaf_port: u8,
}

impl DirectorSize {
    /// By what `Core Size:` says.
    pub(super) fn of(ports: &str) -> Option<Self> {
        match ports {
            "288" => Some(SIX),
            "1152" => Some(TWENTY_FOUR),
            _ => None,
        }
    }

    /// Whether a leaf board or one of its chips is called so: `L101`, `L101A`.
    pub(super) fn has_leaf(self, name: &str) -> bool {
        is_board(name, 'L', 101, self.leaves)
    }

    /// Whether a spine board or one of its chips is called so: `S201`, `S201A`.
    pub(super) fn has_spine(self, name: &str) -> bool {
        is_board(name, 'S', 201, self.leaves / 2)
    }

    /// All inner cables, spine after spine, by port.
    pub(super) fn cables(self) -> impl Iterator<Item = Inner> {
        (0..self.leaves / 2).flat_map(move |board| {
            (0..2).flat_map(move |chip| (0..48).map(move |at| self.cable(board, chip, at)))
        })
    }

    /// The cable of a port, from 0, of a spine chip.
    fn cable(self, board: u8, chip: u8, at: u8) -> Inner {
        let (half, k) = (at / 24, at % 24);
        // The first six and the last six of each half are those of the same letter, in falling order.
        let is_same = !(6..18).contains(&k);
        let pair = (self.pairs[usize::from(chip)][usize::from(k)] + board) % (self.leaves / 2);
        let letter = |chip: u8| if chip == 0 { 'A' } else { 'B' };
        Inner {
            spine: format!("S{}{}", 201 + board, letter(chip)),
            spine_port: at + 1,
            leaf: format!(
                "L{}{}",
                101 + 2 * pair + (half ^ chip),
                letter(if is_same { chip } else { 1 - chip })
            ),
            leaf_port: if is_same { 48 - k } else { 25 + k },
        }
    }
}

/// Whether a name is that of a board or chip: a letter, a number from `first` on, and A, B or nothing.
fn is_board(name: &str, letter: char, first: u16, boards: u8) -> bool {
    let Some(rest) = name.strip_prefix(letter) else { return false };
    let digits = rest.strip_suffix(['A', 'B']).unwrap_or(rest);
    let is_number = digits.len() == 3 && digits.bytes().all(|b| b.is_ascii_digit());
    is_number && digits.parse().is_ok_and(|n: u16| (first..first + u16::from(boards)).contains(&n))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    // tests/oracle/test_planned.py compares each cable with opaxlattopology.
    #[test]
    fn a_director_uses_each_inner_port_once_and_joins_all_spines_with_all_leaf_boards() {
        for (size, ports) in [(SIX, 288), (TWENTY_FOUR, 1152)] {
            let all: Vec<_> = size.cables().collect();
            assert_eq!(all.len(), ports);
            let mut leaves: BTreeMap<&str, Vec<u8>> = BTreeMap::new();
            let mut spines: BTreeMap<&str, Vec<u8>> = BTreeMap::new();
            let mut joined: BTreeMap<(&str, &str), u32> = BTreeMap::new();
            for c in &all {
                assert!(size.has_leaf(&c.leaf) && size.has_spine(&c.spine));
                leaves.entry(&c.leaf).or_default().push(c.leaf_port);
                spines.entry(&c.spine).or_default().push(c.spine_port);
                *joined.entry((&c.spine, &c.leaf[..4])).or_default() += 1;
            }
            assert_eq!((leaves.len(), spines.len()), (ports / 24, ports / 48));
            for (inner, mut found) in
                leaves.into_values().map(|l| (25..=48, l)).chain(spines.into_values().map(|s| (1..=48, s)))
            {
                found.sort_unstable();
                assert_eq!(found, inner.collect::<Vec<u8>>());
            }
            // A leaf board has 48 inner ports, spread evenly.
            assert!(joined.values().all(|&n| n == 48 / u32::from(size.leaves)));
            assert_eq!(joined.len(), usize::from(size.leaves) * usize::from(size.leaves));
        }
    }
}
