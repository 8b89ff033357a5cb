//! From what pairs have and should have to what is to be done: an exchange, a move, a cable to plug in, a stray one.

use rustc_hash::FxHashMap;

use super::expected::Expected;
use super::plane::{Pair, Plane, ordered};

/// One difference between what is cabled and what should be; switches are indices of the plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Difference {
    /// Cables `a.0 – a.1` and `b.0 – b.1` should be `a.0 – b.1` and `b.0 – a.1`.
    Exchanged(Pair, Pair),
    /// A cable of `kept` that is on `wrong` and belongs on `right`.
    Moved { kept: usize, wrong: usize, right: usize },
    /// A global cable of `wrong`, which of several is not known, belongs on `right`.
    OneMoved { wrong: usize, right: usize },
    /// So many cables are missing.
    Missing(Pair, u16),
    /// A cable joins what none should.
    Stray(Pair),
}

/// All differences, exchanges first.
pub(super) fn differences(plane: &Plane, expected: &Expected) -> Vec<Difference> {
    let mut left = Left::of(plane, expected);
    let mut out = Vec::new();
    left.exchanged(&mut out);
    left.moved(&mut out);
    for (pair, n) in left.sorted(|n| n < 0) {
        out.push(Difference::Missing(pair, n.unsigned_abs()));
    }
    let strays = left.sorted(|n| n > 0).into_iter().filter(|&(pair, _)| expected.of.get(&pair) == Some(&0));
    out.extend(strays.map(|(pair, _)| Difference::Stray(pair)));
    out
}

/// The cables that pairs have too many, above 0, or too few, below it, and that nothing explains so far.
struct Left {
    of: FxHashMap<Pair, i16>,
    /// By switch, the other switches of its pairs, in order.
    others: FxHashMap<usize, Vec<usize>>,
}

impl Left {
    fn of(plane: &Plane, expected: &Expected) -> Self {
        let difference = |(&pair, &n): (&Pair, &u16)| (pair, plane.at(pair).cast_signed() - n.cast_signed());
        let of: FxHashMap<Pair, i16> =
            expected.of.iter().map(difference).filter(|&(pair, n)| n != 0 && plane.is_judged(pair)).collect();
        let mut ends: Vec<(usize, usize)> = of.keys().flat_map(|&(a, b)| [(a, b), (b, a)]).collect();
        ends.sort_unstable();
        let mut others: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for (switch, other) in ends {
            others.entry(switch).or_default().push(other);
        }
        Self { of, others }
    }

    fn sorted(&self, wanted: impl Fn(i16) -> bool) -> Vec<(Pair, i16)> {
        let mut all: Vec<(Pair, i16)> =
            self.of.iter().map(|(&pair, &n)| (pair, n)).filter(|&(_, n)| wanted(n)).collect();
        all.sort_unstable();
        all
    }

    fn at(&self, a: usize, b: usize) -> i16 {
        self.of.get(&ordered(a, b)).copied().unwrap_or(0)
    }

    fn add(&mut self, a: usize, b: usize, n: i16) {
        if let Some(left) = self.of.get_mut(&ordered(a, b)) {
            *left += n;
        }
    }

    /// The switches to which a switch has too few cables.
    fn short_of(&self, s: usize) -> impl Iterator<Item = usize> + '_ {
        let others = self.others.get(&s).into_iter().flatten().copied();
        others.filter(move |&t| self.at(s, t) < 0)
    }

    /// Two cables too many and two too few that make a ring of four.
    fn exchanged(&mut self, out: &mut Vec<Difference>) {
        for ((a, d), _) in self.sorted(|n| n > 0) {
            while self.at(a, d) > 0 {
                let ring = self.short_of(a).find_map(|b| {
                    let c = self.short_of(d).find(|&c| self.at(c, b) > 0)?;
                    Some((b, c))
                });
                let Some((b, c)) = ring else { break };
                for (x, y, n) in [(a, d, -1), (c, b, -1), (a, b, 1), (c, d, 1)] {
                    self.add(x, y, n);
                }
                out.push(Difference::Exchanged((a, d), (c, b)));
            }
        }
    }

    /// A cable too many beside one too few.
    fn moved(&mut self, out: &mut Vec<Difference>) {
        for ((a, b), _) in self.sorted(|n| n > 0) {
            while self.at(a, b) > 0 {
                let of_a = self.short_of(a).next().map(|right| (a, b, right));
                let cable = of_a.or_else(|| self.short_of(b).next().map(|right| (b, a, right)));
                let Some((kept, wrong, right)) = cable else { break };
                self.add(kept, wrong, -1);
                self.add(kept, right, 1);
                out.push(Difference::Moved { kept, wrong, right });
            }
        }
    }
}
