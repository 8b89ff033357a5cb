//! The known names nearest to one that is not known, for error messages.
//!
//! Distance: optimal string alignment (insertions, deletions, substitutions and swaps of
//! neighbours cost 1 each), letter case ignored. A candidate that contains the name, or begins it,
//! is near whatever its length.

use strsim::osa_distance;

/// At most `n` of the `candidates` that a person who wrote `name` may have meant, nearest first;
/// equally near ones in the order given, repeated ones once.
///
/// ```
/// assert_eq!(lacis_core::nearest::nearest("fat-tre", ["torus", "fat-tree"], 3), ["fat-tree"]);
/// ```
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>, n: usize) -> Vec<&'a str> {
    // Longer than any name of ours: the distance would only cost time.
    const LONGEST: usize = 256;
    let lower = |name: &str| -> String { name.chars().take(LONGEST).flat_map(char::to_lowercase).collect() };
    let wanted = lower(name);
    let length = wanted.chars().count();
    let mut found: Vec<(usize, &str)> = Vec::new();
    for candidate in candidates {
        let other = lower(candidate);
        let others = other.chars().count();
        let limit = (length.max(others) / 3).max(1);
        let score = if length >= 3 && other.contains(&wanted) {
            1 + usize::from(!other.starts_with(&wanted))
        } else if others.abs_diff(length) > limit {
            continue;
        } else {
            match osa_distance(&wanted, &other) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_come_first_once_each_and_far_ones_never() {
        let names = ["leaf-01", "leaf-02", "spine-01", "leaf-01", "core-01"];
        assert_eq!(nearest("Leaf-1", names, 2), ["leaf-01", "leaf-02"]);
        assert_eq!(nearest("zzzzzz", names, 2), [] as [&str; 0]);
        assert_eq!(nearest("spine", names, 2), ["spine-01"]);
        assert_eq!(nearest("", names, 2), [] as [&str; 0]);
        assert_eq!(nearest("leaf-01", names, 0), [] as [&str; 0]);
    }
}
