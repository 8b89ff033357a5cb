//! Racks that the names of switches and hosts begin with: `A09-P1-IBLEAF-02-03` is in rack `A09`, `rack12-leaf1` in `RACK12`.

use rustc_hash::FxHashSet;

use super::Hosts;
use crate::fabric::Fabric;

/// The rack that a name begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Rack {
    /// As the name has it, in capitals.
    name: String,
    /// Its row of racks; the same for all where racks have numbers alone.
    row: String,
}

impl Rack {
    /// `rack` or `r` and a number, or a row of one or two letters and a number of two or three digits; then `-`, `_` or `.`.
    fn of(name: &str) -> Option<Self> {
        Self::numbered(name, "rack").or_else(|| Self::numbered(name, "r")).or_else(|| Self::in_row(name))
    }

    fn numbered(name: &str, word: &str) -> Option<Self> {
        let rest = name.get(word.len()..)?;
        let begins = name[..word.len()].eq_ignore_ascii_case(word);
        let digits = rest.strip_prefix(['-', '_']).unwrap_or(rest);
        let end = after_digits(digits, 1..=usize::MAX).filter(|_| begins)?;
        let length = name.len() - digits.len() + end;
        Some(Self { name: name[..length].to_uppercase(), row: "RACK".to_owned() })
    }

    fn in_row(name: &str) -> Option<Self> {
        let letters = name.bytes().take_while(u8::is_ascii_alphabetic).count();
        let end = after_digits(&name[letters..], 2..=3).filter(|_| matches!(letters, 1 | 2))?;
        Some(Self { name: name[..letters + end].to_uppercase(), row: name[..letters].to_uppercase() })
    }
}

/// The length of the digits that a text begins with, if they are so many and a separator follows.
fn after_digits(text: &str, lengths: std::ops::RangeInclusive<usize>) -> Option<usize> {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    let separated = text[length..].starts_with(['-', '_', '.']);
    (separated && lengths.contains(&length)).then_some(length)
}

/// The racks in the names of a fabric, where its names have any.
pub(super) struct Racks {
    are_believed: bool,
}

impl Racks {
    /// Names are believed where all switches' begin with a rack, two thirds of the hosts' do too, and the rows of the
    /// switches are rows of hosts.
    pub fn of(fabric: &Fabric, hosts: &Hosts) -> Self {
        let rows: Vec<String> =
            hosts.hosts.iter().filter_map(|host| Rack::of(&host.name)).map(|r| r.row).collect();
        let all = hosts.hosts.len();
        let of_hosts: FxHashSet<&str> = rows.iter().map(|row| &**row).collect();
        let is_in_row = |name: &str| Rack::of(name).is_some_and(|rack| of_hosts.contains(&*rack.row));
        let are_believed = fabric.num_switches() > 0
            && 3 * rows.len() >= 2 * all
            && fabric.switches().all(|switch| is_in_row(&fabric.name(switch)));
        Self { are_believed }
    }

    /// The racks that some names begin with, each once; none where names are not believed.
    pub fn of_names<'a>(&self, names: impl Iterator<Item = &'a str>) -> Vec<String> {
        let mut racks: Vec<String> = Vec::new();
        for rack in names.filter(|_| self.are_believed).filter_map(Rack::of) {
            if !racks.contains(&rack.name) {
                racks.push(rack.name);
            }
        }
        racks
    }

    /// The rack and the row of each node, by the name of the switch or of the adapter's host; see [`racks_of_nodes`].
    fn of_nodes(&self, fabric: &Fabric, hosts: &Hosts) -> Option<Vec<(String, String)>> {
        let rack = |name: &str| Rack::of(name).map(|rack| (rack.name, rack.row)).unwrap_or_default();
        let mut racks: Vec<_> =
            fabric.nodes().filter(|_| self.are_believed).map(|(node, _)| rack(&fabric.name(node))).collect();
        for host in hosts.hosts.iter().filter(|_| self.are_believed) {
            for node in &host.ends {
                racks[node.ix()] = rack(&host.name);
            }
        }
        self.are_believed.then_some(racks)
    }
}

/// The rack of each node and that rack's row, as the names of switches and hosts say them, in the order of nodes; both are
/// empty for a node whose name says none. Where the names of a fabric are no racks, as some switch's is none, there are none.
pub fn racks_of_nodes(fabric: &Fabric, hosts: &Hosts) -> Option<Vec<(String, String)>> {
    Racks::of(fabric, hosts).of_nodes(fabric, hosts)
}

#[cfg(test)]
mod tests {
    use super::super::testing::Sketch;
    use super::*;

    #[test]
    fn a_rack_begins_a_name_and_a_separator_ends_it() {
        for (name, rack) in [
            ("A09-P1-IBLEAF-02-03", Some("A09")),
            ("b10_node", Some("B10")),
            ("ab123.x", Some("AB123")),
            ("rack12-leaf", Some("RACK12")),
            ("Rack-7-leaf", Some("RACK-7")),
            ("r_3.leaf", Some("R_3")),
            // A number of one digit, or of four, and three letters are no rack of a row; nor is anything without an end.
            ("a1-x", None),
            ("a1234-x", None),
            ("abc12-x", None),
            ("A09", None),
            ("leaf-01", None),
            ("é12-x", None),
            ("rack-x", None),
            // The sign of kelvin is no letter of a rack, though it folds to k; digits are those of ASCII.
            ("rac\u{212a}7-x", None),
            ("A\u{ff11}\u{ff12}-x", None),
        ] {
            assert_eq!(Rack::of(name).map(|rack| rack.name).as_deref(), rack, "{name}");
        }
    }

    #[test]
    fn racks_are_believed_where_hosts_and_switches_have_them() {
        let believed = |switches: &[&str], hosts: &[&str]| {
            let mut s = Sketch::new();
            for name in switches {
                s.switch(name, 8);
            }
            for name in hosts {
                s.adapter(&format!("{name} HCA-1"));
            }
            let fabric = s.finish();
            let racks = Racks::of(&fabric, &Hosts::of(&fabric, None));
            racks.of_names(["A01-x", "A02-y", "A01-z"].into_iter())
        };
        let both = vec!["A01".to_owned(), "A02".to_owned()];
        assert_eq!(believed(&["a01-leaf", "A02-spine"], &["a01-n1", "a02-n2", "login"]), both);
        let none: Vec<String> = Vec::new();
        assert_eq!(believed(&["a01-leaf", "spine"], &["a01-n1", "a02-n2"]), none);
        assert_eq!(believed(&["a01-leaf"], &["a01-n1", "login", "admin"]), none);
        assert_eq!(believed(&["b01-leaf"], &["a01-n1"]), none);
    }

    #[test]
    fn a_host_stands_in_the_rack_that_its_name_says_and_so_do_its_adapters() {
        let mut s = Sketch::new();
        s.switch("A01-leaf", 8);
        for name in ["A01-n1 HCA-1", "A01-n1 HCA-2", "rack7-n2 HCA-1", "A02-n3 HCA-1", "login HCA-1"] {
            s.adapter(name);
        }
        let fabric = s.finish();
        let racks = racks_of_nodes(&fabric, &Hosts::of(&fabric, None));
        let of = |rack: &str, row: &str| (rack.to_owned(), row.to_owned());
        let (first, second) = (of("A01", "A"), of("A02", "A"));
        let expected = [first.clone(), first.clone(), first, of("RACK7", "RACK"), second, of("", "")];
        assert_eq!(racks.as_deref(), Some(expected.as_slice()));
    }
}
