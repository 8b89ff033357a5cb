//! Which of many clocks strikes first: a tournament tree over flat arrays.
//!
//! A leaf for each clock, padded to a power of two; an inner node holds the lesser of the two below
//! it. The first is read off the root, a clock is set in `log n` steps, and those that strike by a
//! time are found by going down only where something that early lies below.

/// Times of clocks by number `[s]`; infinite for one that never strikes.
#[derive(Clone, Debug, Default)]
pub(super) struct Soonest {
    leaves: usize,
    times: Vec<f64>,
    below: Vec<usize>,
}

impl Soonest {
    /// `clocks` of them, none set.
    pub(super) fn reset(&mut self, clocks: usize) {
        self.leaves = clocks.next_power_of_two();
        self.times.clear();
        self.times.resize(2 * self.leaves, f64::INFINITY);
    }

    /// Sets clocks to the times that `at` gives for them.
    pub(super) fn set(&mut self, clocks: &[u32], at: impl Fn(u32) -> f64) {
        if clocks.len().saturating_mul(8) > self.leaves {
            for &clock in clocks {
                self.times[self.leaves + clock as usize] = at(clock);
            }
            for node in (1..self.leaves).rev() {
                self.times[node] = self.times[2 * node].min(self.times[2 * node + 1]);
            }
            return;
        }
        for &clock in clocks {
            let mut node = self.leaves + clock as usize;
            self.times[node] = at(clock);
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

    /// The clocks that strike by a finite time, ascending, written over what `out` held.
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
    fn it_tells_what_a_search_through_all_tells() {
        let mut rng = Rng::of_pattern(3, 0);
        for clocks in [1_u32, 2, 3, 17, 64, 100] {
            let mut soonest = Soonest::default();
            soonest.reset(clocks as usize);
            let mut plain = vec![f64::INFINITY; clocks as usize];
            let mut found = Vec::new();
            for _ in 0..200 {
                let some: Vec<u32> = (0..=rng.below(clocks)).map(|_| rng.below(clocks)).collect();
                for &clock in &some {
                    plain[clock as usize] = f64::from(rng.below(50));
                }
                soonest.set(&some, |clock| plain[clock as usize]);
                let first = plain.iter().copied().fold(f64::INFINITY, f64::min);
                assert_eq!(soonest.first().to_bits(), first.to_bits());
                soonest.until(first + 3.0, &mut found);
                let due = |&c: &u32| plain[c as usize] <= first + 3.0;
                assert_eq!(found, (0..clocks).filter(due).collect::<Vec<_>>());
            }
        }
    }
}
