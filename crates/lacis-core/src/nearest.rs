//! The known names nearest to one that is not known, for error messages.
//!
//! Distance: optimal string alignment (insertions, deletions, substitutions and swaps of
//! neighbours cost 1 each), letter case ignored. A candidate that contains the name, or begins it,
//! is near whatever its length.

/// At most `n` of the `candidates` that a person who wrote `name` may have meant, nearest first;
/// equally near ones in the order given, repeated ones once.
///
/// ```
/// assert_eq!(lacis_core::nearest::nearest("fat-tre", ["torus", "fat-tree"], 3), ["fat-tree"]);
/// ```
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>, n: usize) -> Vec<&'a str> {
    // Longer than any name of ours: the distance would only cost time.
    const LONGEST: usize = 256;
    let wanted: Vec<char> = name.chars().take(LONGEST).flat_map(char::to_lowercase).collect();
    let mut scratch = Scratch::default();
    let mut found: Vec<(usize, &str)> = Vec::new();
    for candidate in candidates {
        let other: Vec<char> = candidate.chars().take(LONGEST).flat_map(char::to_lowercase).collect();
        let limit = (wanted.len().max(other.len()) / 3).max(1);
        let score = if wanted.len() >= 3 && contains(&other, &wanted) {
            1 + usize::from(!other.starts_with(&wanted))
        } else if other.len().abs_diff(wanted.len()) > limit {
            continue;
        } else {
            match scratch.distance(&wanted, &other) {
                d if d <= limit => d,
                _ => continue,
            }
        };
        let worse = |&(s, _): &(usize, &str)| s > score;
        if found.len() < n || found.last().is_some_and(worse) {
            if found.iter().any(|&(_, c)| c == candidate) {
                continue;
            }
            let at = found.iter().position(worse).unwrap_or(found.len());
            found.insert(at, (score, candidate));
            found.truncate(n);
        }
    }
    found.into_iter().map(|(_, c)| c).collect()
}

fn contains(haystack: &[char], needle: &[char]) -> bool {
    haystack.windows(needle.len()).any(|w| w == needle)
}

/// Three rows of the distance table, reused from candidate to candidate.
#[derive(Default)]
struct Scratch {
    before: Vec<usize>,
    last: Vec<usize>,
    row: Vec<usize>,
}

impl Scratch {
    fn distance(&mut self, a: &[char], b: &[char]) -> usize {
        self.last.clear();
        self.last.extend(0..=b.len());
        self.before.clone_from(&self.last);
        for i in 0..a.len() {
            self.row.clear();
            self.row.push(i + 1);
            for j in 0..b.len() {
                let substituted = self.last[j] + usize::from(a[i] != b[j]);
                let mut best = substituted.min(self.last[j + 1] + 1).min(self.row[j] + 1);
                if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                    best = best.min(self.before[j - 1] + 1);
                }
                self.row.push(best);
            }
            std::mem::swap(&mut self.before, &mut self.last);
            std::mem::swap(&mut self.last, &mut self.row);
        }
        self.last[b.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_edits_and_swaps() {
        // By hand: kitten → sitten → sittin → sitting; one swap; all letters inserted.
        for (a, b, d) in [("kitten", "sitting", 3), ("leaf", "laef", 1), ("", "abc", 3), ("abc", "", 3)] {
            let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
            assert_eq!(Scratch::default().distance(&a, &b), d);
        }
    }

    #[test]
    fn the_nearest_come_first_once_each_and_far_ones_not_at_all() {
        let names = ["leaf-01", "leaf-02", "spine-01", "leaf-01", "core-01"];
        assert_eq!(nearest("Leaf-1", names, 2), ["leaf-01", "leaf-02"]);
        assert_eq!(nearest("zzzzzz", names, 2), [] as [&str; 0]);
        assert_eq!(nearest("spine", names, 2), ["spine-01"]);
        assert_eq!(nearest("", names, 2), [] as [&str; 0]);
        assert_eq!(nearest("leaf-01", names, 0), [] as [&str; 0]);
    }
}
