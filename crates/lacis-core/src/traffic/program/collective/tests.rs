//! Every algorithm moves what it must: blocks are followed from rank to rank.

use super::*;

/// What a rank has of one block: how often each rank's contribution is in it.
type Block = Vec<u32>;

/// Runs an algorithm over `state[rank][block]`; all transfers of a phase leave before any arrives.
fn run(it: Collective, n: u32, state: &mut [Vec<Block>]) {
    for phase in 0..it.phases(n) as u32 {
        let mut arriving = Vec::new();
        it.transfers(n, phase, |t| {
            assert!(t.from != t.to && t.from < n && t.to < n, "{it:?} of {n}: {t:?}");
            let indices: Vec<usize> = match t.slice {
                VectorSlice::Whole => (0..state[0].len()).collect(),
                VectorSlice::Blocks { first, count } => {
                    (first..first + count).map(|b| b as usize % state[0].len()).collect()
                }
                VectorSlice::Slots { bit } => (0..n as usize).filter(|slot| slot >> bit & 1 == 1).collect(),
            };
            for index in indices {
                arriving.push((t, index, state[t.from as usize][index].clone()));
            }
        });
        for (t, index, content) in arriving {
            let held = &mut state[t.to as usize][index];
            if t.combine {
                held.iter_mut().zip(content).for_each(|(a, b)| *a += b);
            } else {
                *held = content;
            }
        }
    }
}

fn of(what: &str) -> impl Iterator<Item = Collective> + '_ {
    NAMES.iter().filter(move |name| name.0 == what).map(|name| name.2)
}

fn one(n: u32, rank: u32) -> Block {
    (0..n).map(|r| u32::from(r == rank)).collect()
}

#[test]
fn after_an_allreduce_every_rank_has_every_contribution_once_in_every_block() {
    for it in of("allreduce") {
        for n in 2..=17 {
            let mut state: Vec<_> = (0..n).map(|r| vec![one(n, r); it.blocks(n) as usize]).collect();
            run(it, n, &mut state);
            let whole = vec![vec![1; n as usize]; it.blocks(n) as usize];
            assert!(state.iter().all(|held| *held == whole), "{it:?} of {n}: {state:?}");
        }
    }
}

#[test]
fn after_an_allgather_every_rank_has_every_block() {
    for it in of("allgather") {
        for n in (2..=17_u32).filter(|n| it != C::AllgatherRecursiveDoubling || n.is_power_of_two()) {
            let empty = vec![0; n as usize];
            let of_rank = |r| (0..n).map(|b| if b == r { one(n, r) } else { empty.clone() }).collect();
            let mut state: Vec<Vec<Block>> = (0..n).map(of_rank).collect();
            run(it, n, &mut state);
            let whole: Vec<Block> = (0..n).map(|b| one(n, b)).collect();
            assert!(state.iter().all(|held| *held == whole), "{it:?} of {n}");
        }
    }
}

#[test]
fn after_a_broadcast_every_rank_has_what_rank_0_had() {
    for it in of("broadcast") {
        for n in 2..=17 {
            let mut state: Vec<_> = (0..n).map(|r| vec![one(n, r); n as usize]).collect();
            run(it, n, &mut state);
            let whole = vec![one(n, 0); n as usize];
            assert!(state.iter().all(|held| *held == whole), "{it:?} of {n}");
        }
    }
}

#[test]
fn an_alltoall_sends_each_pairs_block_straight_and_once() {
    for it in [C::AlltoallLinear, C::AlltoallPairwise] {
        for n in 2..=17 {
            let mut sent = std::collections::BTreeSet::new();
            for phase in 0..it.phases(n) as u32 {
                it.transfers(n, phase, |t| {
                    assert_eq!(t.slice, VectorSlice::Blocks { first: t.to, count: 1 });
                    assert!(sent.insert((t.from, t.to)), "{it:?} of {n}: {t:?}");
                });
            }
            assert_eq!(sent.len() as u32, n * (n - 1));
        }
    }
}

#[test]
fn brucks_alltoall_brings_every_block_to_its_rank() {
    for n in 2..=17 {
        // Slot j of rank r: the block from r to r + j, named by where it comes from and goes to.
        let named = |r: u32, j: u32| vec![r, (r + j) % n];
        let mut state: Vec<Vec<Block>> = (0..n).map(|r| (0..n).map(|j| named(r, j)).collect()).collect();
        run(C::AlltoallBruck, n, &mut state);
        for (r, held) in (0..).zip(&state) {
            // Slot j of rank r has come from r - j.
            let expected: Vec<Block> = (0..n).map(|j| vec![(r + n - j) % n, r]).collect();
            assert_eq!(*held, expected, "rank {r} of {n}");
        }
    }
}

#[test]
fn in_a_barrier_every_rank_hears_of_every_other() {
    for n in 2..=17 {
        let it = C::BarrierDissemination;
        let mut heard: Vec<u32> = (0..n).map(|r| 1 << r).collect();
        for phase in 0..it.phases(n) as u32 {
            let before = heard.clone();
            it.transfers(n, phase, |t| heard[t.to as usize] |= before[t.from as usize]);
        }
        assert!(heard.iter().all(|&h| h == (1 << n) - 1), "{n}");
    }
}
