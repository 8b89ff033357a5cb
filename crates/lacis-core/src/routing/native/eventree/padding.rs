//! Numbers that no host gets, so that shifts suit the tables also where they begin again with the first host.
//!
//! A switch on level `l` sends packets for number `j` up by slot `⌊j / (w₁ … w_l)⌋ mod W`, where the `w` are the parents of switches
//! on the levels below and `W` its slots: so two destinations share that slot of any switch of a subtree where their numbers are
//! alike modulo `w₁ … w_l · W`, the *period* of the level. In a shift the hosts below a switch, `m` of them, send to `m` hosts in
//! sequence. None of these share a slot, or no more than must, as long as numbers have no gap and `m` is no more than the
//! period. But after the last host follows the first. The numbers fit there if their count is a multiple of the period, or at least
//! `m` more than one. Where it is not, some numbers between leaves, or between subtrees, are left out.

/// Ways to leave numbers out are tried as long as they have so many numbers in all: some milliseconds.
const STEPS: usize = 200_000;

/// A level of a tree whose switches are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TreeStage {
    /// Parents of each of its switches.
    pub parents: u32,
    /// Slots of each.
    pub slots: u32,
    /// Most hosts below one of its switches.
    pub hosts: u32,
}

/// By leaf: how many numbers are left out before it. `hosts` are those of each leaf in sequence, `stages` the levels from the
/// leaves up. All 0 where nothing need be left out, none where nothing helps.
pub(super) fn padding(hosts: &[u32], stages: &[TreeStage]) -> Option<Vec<u32>> {
    let none = vec![0; hosts.len()];
    let periods = periods(stages);
    if stages.is_empty() || fits(hosts, &none, stages, &periods, Ends::Meet) {
        return Some(none);
    }
    let count: u64 = hosts.iter().map(|&n| u64::from(n)).sum();
    let longest = periods.iter().copied().max().unwrap_or(1);
    let may_end_at = |end: u64| {
        stages.iter().zip(&periods).all(|(stage, &period)| {
            let (hosts, left) = (u64::from(stage.hosts), end % period);
            hosts > period || left == 0 || left >= hosts
        })
    };
    // Whole periods of a level change nothing on the levels below; the rest goes between leaves.
    let ways = |missing: u64| {
        let units = periods.iter().rev().copied().chain([1]);
        let whole = move |unit: u64| (0..=missing / unit).rev().map(move |times| (times, unit));
        units.flat_map(whole).map(move |(times, unit)| {
            let [whole, rest] =
                [(times, unit), (missing - times * unit, 1)].map(|(n, unit)| spread(hosts.len(), n, unit));
            whole.iter().zip(&rest).map(|(a, b)| a + b).collect::<Vec<u32>>()
        })
    };
    (1..=longest)
        .filter(|missing| may_end_at(count + missing))
        .flat_map(ways)
        .take(STEPS.div_ceil(hosts.len() + count as usize))
        .find(|some| fits(hosts, some, stages, &periods, Ends::Meet))
        .or_else(|| fits(hosts, &none, stages, &periods, Ends::MeetFromOutside).then_some(none))
}

/// By level: numbers that differ by this share a slot.
fn periods(stages: &[TreeStage]) -> Vec<u64> {
    let mut below = 1;
    let period = |stage: &TreeStage| {
        let period = below * u64::from(stage.slots);
        below *= u64::from(stage.parents);
        period
    };
    stages.iter().map(period).collect()
}

/// So many units of numbers, spread evenly over the leaves.
fn spread(leaves: usize, units: u64, unit: u64) -> Vec<u32> {
    let until = |leaf: usize| units * leaf as u64 / leaves as u64;
    (0..leaves).map(|leaf| ((until(leaf + 1) - until(leaf)) * unit) as u32).collect()
}

/// Where the last hosts and the first are in sequence.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    /// On all levels.
    Meet,
    /// On levels with three subtrees or more: of two, each has the last hosts or the first itself, and sends none of these up.
    MeetFromOutside,
}

/// Whether on each level as few as can be of any hosts in sequence, as many as are below one of its switches, share a slot.
fn fits(hosts: &[u32], padding: &[u32], stages: &[TreeStage], periods: &[u64], ends: Ends) -> bool {
    let mut next = 0;
    let mut numbers = Vec::new();
    for (&hosts, &left_out) in hosts.iter().zip(padding) {
        next += u64::from(left_out);
        numbers.extend(next..next + u64::from(hosts));
        next += u64::from(hosts);
    }
    let count = numbers.len();
    stages.iter().zip(periods).all(|(stage, &period)| {
        let window = stage.hosts as usize;
        let share = window.div_ceil(period as usize).max(1);
        let do_meet = ends == Ends::Meet || count > 2 * window;
        // By slot: the hosts that have it, in sequence, and once more, after the last host.
        let mut with: Vec<Vec<usize>> = vec![Vec::new(); period as usize];
        for (at, &number) in numbers.iter().enumerate() {
            with[(number % period) as usize].push(at);
        }
        with.iter().all(|with| {
            (0..with.len()).all(|nth| {
                let later = nth + share;
                if later >= with.len() && !do_meet {
                    return true;
                }
                let at = with[later % with.len()] + later / with.len() * count;
                at - with[nth] >= window
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage(parents: u32, slots: u32, hosts: u32) -> TreeStage {
        TreeStage { parents, slots, hosts }
    }

    #[test]
    fn nothing_is_left_out_where_hosts_fill_all_slots() {
        assert_eq!(padding(&[4; 6], &[stage(4, 4, 4)]).unwrap(), [0; 6]);
        assert_eq!(padding(&[2; 8], &[stage(2, 2, 2), stage(2, 2, 4)]).unwrap(), [0; 8]);
    }

    #[test]
    fn a_number_is_left_out_before_each_leaf_where_only_that_keeps_neighbours_apart() {
        // Nine hosts on four slots, three neighbours never on the same: each leaf begins at slot 0, at the numbers 0, 4 and 8.
        assert_eq!(padding(&[3; 3], &[stage(4, 4, 3)]).unwrap(), [0, 1, 1]);
        // Twelve fill the slots three times.
        assert_eq!(padding(&[3; 4], &[stage(4, 4, 3)]).unwrap(), [0; 4]);
    }

    #[test]
    fn whole_rounds_and_single_numbers_are_left_out_together() {
        // Two pods of six leaves of seven hosts on eight slots, seven slots of each of eight mid switches: at most one number may be
        // left out between two leaves, but for whole rounds of eight.
        let left_out = padding(&[7; 12], &[stage(8, 8, 7), stage(7, 7, 42)]).unwrap();
        assert!(left_out.iter().any(|&n| n >= 8) && left_out.iter().all(|&n| n % 8 <= 1), "{left_out:?}");
    }

    #[test]
    fn where_two_subtrees_share_all_hosts_the_last_and_the_first_never_go_up_together() {
        // Twelve hosts on eight slots of two pods: whichever numbers are left out evenly, the sixth host beyond the first has its slot.
        // But neither pod sends to the last hosts and the first at once; on leaves of two, five slots keep these apart.
        assert_eq!(padding(&[2; 6], &[stage(1, 5, 2), stage(2, 8, 6)]).unwrap(), [0; 6]);
    }

    #[test]
    fn nothing_helps_where_one_level_has_no_slot_to_spare_and_another_does_not_close() {
        // Forty hosts fill eight slots five times, and three slots thirteen times and once more.
        assert_eq!(padding(&[2; 20], &[stage(1, 3, 2), stage(4, 8, 8)]), None);
    }

    #[test]
    fn whole_rounds_of_leaves_are_left_out_where_these_have_no_slot_to_spare() {
        // Two pods of two leaves of two hosts, three slots of each of two mid switches: eight hosts would have the slots 0 to 5, 0, 1,
        // and again 0 and 1. With one round of a leaf left out, the last leaf has the slots 2 and 3.
        let left_out = padding(&[2; 4], &[stage(2, 2, 2), stage(3, 3, 4)]).unwrap();
        assert_eq!((left_out.iter().sum::<u32>(), left_out.iter().all(|n| n % 2 == 0)), (2, true));
    }
}
