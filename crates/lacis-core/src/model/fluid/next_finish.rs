//! The earliest of many timers: a tournament tree over flat arrays.
//!
//! A leaf for each timer, padded to a power of two; an inner node holds the lesser of the two below
//! it. The root is the earliest, a timer is set in `log n` steps, and those that expire by a time
//! are found by descending only to nodes that are early enough.

/// Times of timers by number `[s]`; infinite for one that never expires.
#[derive(Clone, Debug, Default)]
pub(super) struct Timers {
    leaves: usize,
    /// By node of the tree, the root at 1: the earliest time at it or below it.
    times: Vec<f64>,
    /// Nodes that a search has yet to visit.
    below: Vec<usize>,
}

impl Timers {
    /// So many timers, none set.
    pub(super) fn reset(&mut self, timers: usize) {
        self.leaves = timers.next_power_of_two();
        self.times.clear();
        self.times.resize(2 * self.leaves, f64::INFINITY);
    }

    /// Sets timers to the times that `at` gives for them.
    pub(super) fn set(&mut self, timers: &[u32], at: impl Fn(u32) -> f64) {
        if timers.len().saturating_mul(8) > self.leaves {
            for &timer in timers {
                self.times[self.leaves + timer as usize] = at(timer);
            }
            for node in (1..self.leaves).rev() {
                self.times[node] = self.times[2 * node].min(self.times[2 * node + 1]);
            }
            return;
        }
        for &timer in timers {
            let mut node = self.leaves + timer as usize;
            self.times[node] = at(timer);
            while node > 1 {
                node /= 2;
                let least = self.times[2 * node].min(self.times[2 * node + 1]);
                if self.times[node].to_bits() == least.to_bits() {
                    break;
                }
                self.times[node] = least;
            }
        }
    }

    /// The earliest time.
    pub(super) fn first(&self) -> f64 {
        self.times[1]
    }

    /// Overwrites `out` with the timers that expire by a finite time, ascending.
    pub(super) fn until(&mut self, time: f64, out: &mut Vec<u32>) {
        out.clear();
        self.below.clear();
        self.below.push(1);
        while let Some(node) = self.below.pop() {
            if self.times[node] > time {
                continue;
            }
            if node >= self.leaves {
                out.push((node - self.leaves) as u32);
            } else {
                self.below.extend([2 * node + 1, 2 * node]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::Rng;

    #[test]
    fn it_finds_what_a_search_through_all_finds() {
        let mut rng = Rng::of_pattern(3, 0);
        for timers in [1_u32, 2, 3, 17, 64, 100] {
            let mut tree = Timers::default();
            tree.reset(timers as usize);
            let mut plain = vec![f64::INFINITY; timers as usize];
            let mut found = Vec::new();
            for _ in 0..200 {
                let some: Vec<u32> = (0..=rng.below(timers)).map(|_| rng.below(timers)).collect();
                for &timer in &some {
                    plain[timer as usize] = f64::from(rng.below(50));
                }
                tree.set(&some, |timer| plain[timer as usize]);
                let first = plain.iter().copied().fold(f64::INFINITY, f64::min);
                assert_eq!(tree.first().to_bits(), first.to_bits());
                tree.until(first + 3.0, &mut found);
                let due = |&c: &u32| plain[c as usize] <= first + 3.0;
                assert_eq!(found, (0..timers).filter(due).collect::<Vec<_>>());
            }
        }
    }
}
