//! What names say: the host and adapter in a node description, the readable part of a switch's
//! name, and the numbers and pattern inside any name.
//!
//! Descriptions as real machines print them: `node018 HCA-1`, `b05-p1-dgx-05-c05 HCA-6`,
//! `ubuntu mlx5_1`, `NodeA hfi1_0`, `host ibp12s0`; an adapter whose description was never set
//! says what it is instead: `MT4129 ConnectX7   Mellanox Technologies`. Managed switches print
//! `MF0;NAME:MODEL/U1`.

use std::fmt::Write;

/// Adapter labels begin with one of these and contain a digit.
const LABELS: [&str; 18] = [
    "hca", "mlx", "hfi", "ib", "opa", "qib", "mthca", "ipath", "roce", "bnxt", "efa", "hns", "irdma",
    "erdma", "cxi", "nic", "rail", "port",
];

/// Words of product names: a description that begins with one names no host.
const PRODUCTS: [&str; 6] = ["connectx", "connect-ib", "infinihost", "infiniscale", "mellanox", "switchib"];

/// Names that installers give, so that many machines share them.
const GENERIC: [&str; 20] = [
    "localhost",
    "ubuntu",
    "debian",
    "centos",
    "rocky",
    "rhel",
    "redhat",
    "fedora",
    "almalinux",
    "sles",
    "suse",
    "opensuse",
    "linux",
    "archlinux",
    "host",
    "hostname",
    "node",
    "server",
    "default",
    "unknown",
];

/// A parsed description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostName<'a> {
    /// Name of the host.
    pub host: &'a str,
    /// Label of the adapter; empty if the description is only the host's name.
    pub label: &'a str,
}

/// The host and adapter that a description names, if any.
pub fn parse(description: &str) -> Option<HostName<'_>> {
    let description = description.trim();
    let mut words = description.split_whitespace();
    let host = words.next()?;
    if is_product(host) || description.contains("Technologies") {
        return None;
    }
    match words.next() {
        Some(label) if is_label(label) => Some(HostName { host, label }),
        // More words without a label: the whole is the name ("storage server 4").
        Some(_) if description.split_whitespace().any(is_product) => None,
        _ => Some(HostName { host: description, label: "" }),
    }
}

fn is_label(word: &str) -> bool {
    word.bytes().any(|b| b.is_ascii_digit())
        && LABELS.iter().any(|l| word.get(..l.len()).is_some_and(|w| w.eq_ignore_ascii_case(l)))
}

fn is_product(word: &str) -> bool {
    let part_number =
        word.strip_prefix("MT").is_some_and(|d| d.len() >= 4 && d.bytes().all(|b| b.is_ascii_digit()));
    part_number || PRODUCTS.iter().any(|p| word.get(..p.len()).is_some_and(|w| w.eq_ignore_ascii_case(p)))
}

/// Whether a host's name is one that installers give (`localhost`, `ubuntu`), so that it says
/// nothing about which machine it is.
pub fn is_generic(host: &str) -> bool {
    let first = host.split('.').next().unwrap_or(host);
    GENERIC.iter().any(|g| first.eq_ignore_ascii_case(g))
}

/// A name as fixed text and numbers: `A09-P1-IBLEAF-03-01` is `A`, 9, `-P`, 1, `-IBLEAF-`, 3, `-`, 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fields {
    /// The text around the numbers, one longer than `numbers`.
    pub text: Vec<Box<str>>,
    /// Each number with the digits it was written with.
    pub numbers: Vec<(u32, u8)>,
    /// The name with each number as `#`, and a lone letter before a number (a row, a pod) as `@`:
    /// names of one series share it.
    pub series: Box<str>,
}

impl Fields {
    /// Splits a name. Runs of more than nine digits (serial numbers, GUIDs) stay text.
    pub fn of(name: &str) -> Self {
        let (mut text, mut numbers, mut series) = (Vec::new(), Vec::new(), String::new());
        let (mut rest, mut current) = (name, String::new());
        while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
            let tail = &rest[start..];
            let end = tail.find(|c: char| !c.is_ascii_digit()).unwrap_or(tail.len());
            current.push_str(&rest[..start]);
            rest = &tail[end..];
            match tail[..end].parse() {
                Ok(value) if end <= 9 => {
                    series.push_str(&letter_masked(&current));
                    series.push('#');
                    text.push(std::mem::take(&mut current).into());
                    numbers.push((value, end as u8));
                }
                _ => current.push_str(&tail[..end]),
            }
        }
        current.push_str(rest);
        series.push_str(&current);
        text.push(current.into());
        Self { text, numbers, series: series.into() }
    }

    /// The name with some of its numbers replaced.
    pub fn with(&self, changes: &[(usize, u32)]) -> String {
        let mut out = String::new();
        for (i, text) in self.text.iter().enumerate() {
            out.push_str(text);
            if let Some(&(value, width)) = self.numbers.get(i) {
                let value = changes.iter().find(|c| c.0 == i).map_or(value, |c| c.1);
                let _ = write!(out, "{value:0width$}", width = usize::from(width));
            }
        }
        out
    }
}

/// The text with its last letter as `@` if that letter is alone.
fn letter_masked(text: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    let n = chars.len();
    if n > 0 && chars[n - 1].is_ascii_alphabetic() && (n == 1 || !chars[n - 2].is_ascii_alphanumeric()) {
        chars[n - 1] = '@';
    }
    chars.into_iter().collect()
}

/// A name that ends in a number, as (everything before it, the number, its digits).
pub fn trailing_number(name: &str) -> Option<(&str, u32, u8)> {
    let start = name
        .rfind(|c: char| !c.is_ascii_digit())
        .map_or(0, |i| i + name[i..].chars().next().map_or(1, char::len_utf8));
    let digits = &name[start..];
    let value = digits.parse().ok().filter(|_| digits.len() <= 9)?;
    Some((&name[..start], value, digits.len() as u8))
}

/// A few names in one line: all of a short list, else the first ones and how many more.
pub fn some_of<S: AsRef<str>>(names: &[S], most: usize) -> String {
    let shown = if names.len() <= most { names.len() } else { most - 1 };
    let out = names[..shown].iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", ");
    if shown == names.len() { out } else { format!("{out} and {} more", names.len() - shown) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_name_a_host_and_an_adapter_or_nothing() {
        for (text, host, label) in [
            ("node018 HCA-1", "node018", "HCA-1"),
            ("b05-p1-dgx-05-c05 HCA-6", "b05-p1-dgx-05-c05", "HCA-6"),
            ("ubuntu mlx5_1", "ubuntu", "mlx5_1"),
            ("NodeA hfi1_0", "NodeA", "hfi1_0"),
            ("host ibp12s0", "host", "ibp12s0"),
            ("  node018   HCA-2 (mlx5_1)", "node018", "HCA-2"),
            ("node018", "node018", ""),
            ("storage server 4", "storage server 4", ""),
        ] {
            assert_eq!(parse(text), Some(HostName { host, label }), "{text}");
        }
        for text in [
            "",
            "  ",
            "MT4129 ConnectX7   Mellanox Technologies",
            "MT25418 ConnectX",
            "ConnectX-6 HCA",
            "My Mellanox card",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn installers_names_are_generic() {
        assert!(is_generic("localhost") && is_generic("localhost.localdomain") && is_generic("Ubuntu"));
        assert!(!is_generic("node1") && !is_generic("b05-p1-dgx-05-c05"));
    }

    #[test]
    fn fields_keep_widths_and_mask_rows() {
        let f = Fields::of("A09-P1-IBLEAF-03-02");
        assert_eq!(f.numbers, [(9, 2), (1, 1), (3, 2), (2, 2)]);
        assert_eq!(&*f.series, "@#-@#-IBLEAF-#-#");
        assert_eq!(f.with(&[(3, 1)]), "A09-P1-IBLEAF-03-01");
        assert_eq!(trailing_number("node-é007"), Some(("node-é", 7, 3)));
        assert_eq!(trailing_number("node"), None);
        assert_eq!(trailing_number("42"), Some(("", 42, 2)));
    }
}
