//! The natural order of names.

use std::cmp::Ordering;

/// Compares names as people order them: runs of digits by value (`c2` before `c10`).
pub(crate) fn natural(a: &str, b: &str) -> Ordering {
    let (mut x, mut y) = (a.as_bytes(), b.as_bytes());
    while let (Some(&p), Some(&q)) = (x.first(), y.first()) {
        let order = if p.is_ascii_digit() && q.is_ascii_digit() {
            let (m, rest_x) = digits(x);
            let (n, rest_y) = digits(y);
            (x, y) = (rest_x, rest_y);
            m.len().cmp(&n.len()).then_with(|| m.cmp(n))
        } else {
            (x, y) = (&x[1..], &y[1..]);
            p.cmp(&q)
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    // Equal by value may still differ in leading zeros.
    x.len().cmp(&y.len()).then_with(|| a.cmp(b))
}

/// A leading run of digits without its leading zeros, and what follows it.
fn digits(s: &[u8]) -> (&[u8], &[u8]) {
    let end = s.iter().position(|b| !b.is_ascii_digit()).unwrap_or(s.len());
    let zeros = s[..end].iter().position(|&b| b != b'0').unwrap_or(end);
    (&s[zeros..end], &s[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_sort_as_people_sort_them() {
        let mut names = ["c10", "c2", "c02", "c1", "b9", "mlx5_10", "mlx5_4", "c"];
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(names, ["b9", "c", "c1", "c02", "c2", "c10", "mlx5_4", "mlx5_10"]);
    }
}
