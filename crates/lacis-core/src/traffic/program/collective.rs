//! Collectives as phases of transfers.
//!
//! | algorithm | phases of `n` ranks | source |
//! |---|---|---|
//! | alltoall linear | 1: everything at once | – |
//! | alltoall pairwise | `n − 1`: with rank `r XOR i` where `n` is a power of two, else from `r − i` and to `r + i` | Thakur et al. 2005 |
//! | alltoall bruck | `⌈log2 n⌉`: to `r + 2^k` all slots whose number has bit `k` | Bruck et al. 1997 |
//! | allreduce ring | `2 (n − 1)`: reduce-scatter, then allgather, each a block further round | Thakur et al. 2005 |
//! | allreduce recursive-doubling | `log2 p`, and two more where `n > p` | Thakur et al. 2005 |
//! | allreduce rabenseifner | `2 log2 p`, and two more: recursive halving, then doubling | Rabenseifner 2004 |
//! | allreduce tree | `2 ⌈log2 n⌉`: binomial tree to rank 0 and back | Thakur et al. 2005 |
//! | allgather ring | `n − 1` | Thakur et al. 2005 |
//! | allgather recursive-doubling | `log2 n`; `n` a power of two | Thakur et al. 2005 |
//! | allgather bruck | `⌈log2 n⌉` | Bruck et al. 1997 |
//! | broadcast binomial | `⌈log2 n⌉` | Thakur et al. 2005 |
//! | broadcast scatter-allgather | `⌈log2 n⌉ + n − 1`: binomial scatter, then ring | van de Geijn; Thakur et al. 2005 |
//! | barrier dissemination | `⌈log2 n⌉`: to `r + 2^k` | Hensgen, Finkel, Manber 1988 |
//!
//! `p` is the greatest power of two not above `n`. Where `n > p`, the first `2 (n − p)` ranks fold:
//! of each pair the even rank sends its vector to the odd one, which stands for both and sends the
//! result back.
//!
//! R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective communication operations in
//! MPICH", IJHPCA 19(1), 2005. J. Bruck et al., "Efficient algorithms for all-to-all communications
//! in multiport message-passing systems", IEEE TPDS 8(11), 1997. R. Rabenseifner, "Optimization of
//! collective reduction operations", ICCS 2004. D. Hensgen, R. Finkel, U. Manber, "Two algorithms
//! for barrier synchronization", IJPP 17(1), 1988.

/// A collective and its algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the module's table describes them")]
pub enum Collective {
    AlltoallLinear,
    AlltoallPairwise,
    AlltoallBruck,
    AllreduceRing,
    AllreduceRecursiveDoubling,
    AllreduceRabenseifner,
    AllreduceTree,
    AllgatherRing,
    AllgatherRecursiveDoubling,
    AllgatherBruck,
    BroadcastBinomial,
    BroadcastScatterAllgather,
    BarrierDissemination,
}

use Collective as C;

/// Collectives as typed, by name and algorithm.
pub(super) const NAMES: [(&str, &str, Collective); 13] = [
    ("alltoall", "linear", C::AlltoallLinear),
    ("alltoall", "pairwise", C::AlltoallPairwise),
    ("alltoall", "bruck", C::AlltoallBruck),
    ("allreduce", "ring", C::AllreduceRing),
    ("allreduce", "recursive-doubling", C::AllreduceRecursiveDoubling),
    ("allreduce", "rabenseifner", C::AllreduceRabenseifner),
    ("allreduce", "tree", C::AllreduceTree),
    ("allgather", "ring", C::AllgatherRing),
    ("allgather", "recursive-doubling", C::AllgatherRecursiveDoubling),
    ("allgather", "bruck", C::AllgatherBruck),
    ("broadcast", "binomial", C::BroadcastBinomial),
    ("broadcast", "scatter-allgather", C::BroadcastScatterAllgather),
    ("barrier", "dissemination", C::BarrierDissemination),
];

/// What a transfer carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VectorSlice {
    /// The whole vector.
    Whole,
    /// `count` blocks from `first` on, wrapping after the last.
    Blocks { first: u32, count: u32 },
    /// Bruck's slots whose number has this bit: slot `j` of rank `r` is for rank `r + j` at first.
    Slots { bit: u32 },
}

/// One rank sending to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Transfer {
    pub from: u32,
    pub to: u32,
    pub slice: VectorSlice,
    /// Whether the receiver adds what comes to what it has, instead of replacing it.
    pub combine: bool,
}

/// The number of rounds in which something doubles from 1 to at least `n`.
fn doublings(n: u32) -> u32 {
    n.max(1).next_power_of_two().trailing_zeros()
}

/// `log2 p`, and how many ranks fold into others.
fn folded(n: u32) -> (u32, u32) {
    let log = n.max(1).ilog2();
    (log, n.max(1) - (1 << log))
}

impl Collective {
    /// Number of phases among `n` ranks.
    pub(super) fn phases(self, n: u32) -> usize {
        let (log, odd) = folded(n);
        let fold = if odd > 0 { 2 } else { 0 };
        let phases = match self {
            C::AlltoallLinear => 1,
            C::AlltoallPairwise | C::AllgatherRing => n - 1,
            C::AllreduceRing => 2 * (n - 1),
            C::AllreduceRecursiveDoubling => log + fold,
            C::AllreduceRabenseifner => 2 * log + fold,
            C::AllreduceTree => 2 * doublings(n),
            C::AlltoallBruck
            | C::AllgatherRecursiveDoubling
            | C::AllgatherBruck
            | C::BroadcastBinomial
            | C::BarrierDissemination => doublings(n),
            C::BroadcastScatterAllgather => doublings(n) + n - 1,
        };
        phases as usize
    }

    /// How many blocks the vector of an allreduce or a broadcast has.
    pub(super) fn blocks(self, n: u32) -> u32 {
        match self {
            C::AllreduceRabenseifner => 1 << folded(n).0,
            _ => n,
        }
    }

    /// Visits the transfers of a phase among `n` ranks.
    pub(super) fn transfers(self, n: u32, phase: u32, mut visit: impl FnMut(Transfer)) {
        let i = phase;
        let mut send = |from, to, slice, combine| visit(Transfer { from, to, slice, combine });
        let block = |first: u32| VectorSlice::Blocks { first: first % n, count: 1 };
        match self {
            C::AlltoallLinear => {
                for from in 0..n {
                    (0..n).filter(|&to| to != from).for_each(|to| send(from, to, block(to), false));
                }
            }
            C::AlltoallPairwise => {
                for r in 0..n {
                    let to = if n.is_power_of_two() { r ^ (i + 1) } else { (r + i + 1) % n };
                    send(r, to, block(to), false);
                }
            }
            C::AlltoallBruck => {
                (0..n).for_each(|r| send(r, (r + (1 << i)) % n, VectorSlice::Slots { bit: i }, false));
            }
            C::AllreduceRing if i < n - 1 => {
                (0..n).for_each(|r| send(r, (r + 1) % n, block(r + n - i), true));
            }
            C::AllreduceRing => {
                let i = i - (n - 1);
                (0..n).for_each(|r| send(r, (r + 1) % n, block(r + 1 + n - i), false));
            }
            C::AllreduceRecursiveDoubling | C::AllreduceRabenseifner => self.folding(n, i, send),
            C::AllreduceTree => {
                let rounds = doublings(n);
                if i < rounds {
                    let mask = 1 << i;
                    let up = (0..n).filter(|r| r % (2 * mask) == mask);
                    up.for_each(|r| send(r, r - mask, VectorSlice::Whole, true));
                } else {
                    binomial(n, i - rounds, |from, to, _| send(from, to, VectorSlice::Whole, false));
                }
            }
            C::AllgatherRing => (0..n).for_each(|r| send(r, (r + 1) % n, block(r + n - i), false)),
            C::AllgatherRecursiveDoubling => {
                let count = 1 << i;
                let own = |r: u32| VectorSlice::Blocks { first: r & !(count - 1), count };
                (0..n).for_each(|r| send(r, r ^ count, own(r), false));
            }
            C::AllgatherBruck => {
                let count = (1 << i).min(n - (1 << i));
                (0..n).for_each(|r| {
                    send(r, (r + n - (1 << i)) % n, VectorSlice::Blocks { first: r, count }, false);
                });
            }
            C::BroadcastBinomial => binomial(n, i, |from, to, _| send(from, to, VectorSlice::Whole, false)),
            C::BroadcastScatterAllgather => {
                let rounds = doublings(n);
                if i < rounds {
                    binomial(n, i, |from, to, count| {
                        send(from, to, VectorSlice::Blocks { first: to, count }, false);
                    });
                } else {
                    C::AllgatherRing.transfers(n, i - rounds, visit);
                }
            }
            C::BarrierDissemination => {
                (0..n).for_each(|r| send(r, (r + (1 << i)) % n, VectorSlice::Whole, false));
            }
        }
    }

    /// Allreduces of a power of two of ranks, into which the others fold.
    fn folding(self, n: u32, phase: u32, mut send: impl FnMut(u32, u32, VectorSlice, bool)) {
        let (log, odd) = folded(n);
        let last = self.phases(n) as u32 - 1;
        if odd > 0 && (phase == 0 || phase == last) {
            let (give, take) = if phase == 0 { (0, 1) } else { (1, 0) };
            (0..odd).for_each(|v| send(2 * v + give, 2 * v + take, VectorSlice::Whole, phase == 0));
            return;
        }
        let rank = |v: u32| if v < odd { 2 * v + 1 } else { v + odd };
        let i = phase - u32::from(odd > 0);
        for v in 0..1_u32 << log {
            let (partner, slice, combine) = if self == C::AllreduceRecursiveDoubling {
                (v ^ (1 << i), VectorSlice::Whole, true)
            } else if i < log {
                // The half of the common blocks that the partner keeps.
                let half = 1 << (log - 1 - i);
                let partner = v ^ half;
                (partner, VectorSlice::Blocks { first: partner & !(half - 1), count: half }, true)
            } else {
                let count = 1 << (i - log);
                (v ^ count, VectorSlice::Blocks { first: v & !(count - 1), count }, false)
            };
            send(rank(v), rank(partner), slice, combine);
        }
    }
}

/// A round of the binomial tree with root 0: visits sender, receiver, and the number of ranks that the receiver serves.
fn binomial(n: u32, round: u32, mut visit: impl FnMut(u32, u32, u32)) {
    let mask = 1 << (doublings(n) - 1 - round);
    for from in (0..n).step_by(2 * mask as usize).filter(|from| from + mask < n) {
        let to = from + mask;
        visit(from, to, mask.min(n - to));
    }
}

#[cfg(test)]
mod tests;
