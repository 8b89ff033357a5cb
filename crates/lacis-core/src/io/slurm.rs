//! Lists of hosts as Slurm writes them, and its `topology.conf`.
//!
//! ```text
//! # leaves first
//! SwitchName=leaf1 Nodes=node[001-018,020]
//! SwitchName=leaf2 Nodes=rack[1-2]n[1-9] LinkSpeed=400
//! SwitchName=spine Switches=leaf[1-2]
//! ```
//!
//! A list is names with commas between them; brackets hold numbers and ranges, zeros before the first
//! number of a range fill the others up, and of several brackets the last counts fastest. Keys are written
//! in any case, `#` begins a comment, and a backslash at its end continues a line. From the manual pages
//! `topology.conf(5)` and `scontrol(1)` (`show hostnames`) of Slurm 24.

use super::ReadError;
use super::note::Notes;
use super::text::{decimal, decode, lines, refuse_empty};

/// Most names that one list may stand for: more than any cluster has.
const MOST: usize = 1 << 20;
/// Longest name [bytes]: that of a domain has 253.
const LONGEST: usize = 255;

/// A host and the line that names it, from 1.
pub type Named = (usize, String);

/// The names that a list stands for, in its order.
///
/// # Errors
/// When brackets are not closed or hold no range, or the names are too many or too long; in words.
pub fn expand(list: &str) -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    let (mut start, mut depth) = (0, 0_u32);
    for (at, c) in list.char_indices().chain([(list.len(), ',')]) {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.checked_sub(1).ok_or("a bracket that nothing opened")?,
            ',' if depth == 0 => {
                element(list[start..at].trim(), &mut names)?;
                start = at + 1;
            }
            _ => {}
        }
        if depth > 1 {
            return Err("a bracket within brackets".into());
        }
    }
    if depth > 0 {
        return Err("a bracket that nothing closes".into());
    }
    Ok(names)
}

/// The names of one element between commas.
fn element(text: &str, names: &mut Vec<String>) -> Result<(), String> {
    let mut made = vec![String::new()];
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        let (inside, after) = after.split_once(']').ok_or("a bracket that nothing closes")?;
        let numbers = numbers(inside)?;
        if made.len().saturating_mul(numbers.len()) > MOST {
            return Err(format!("more than {MOST} names"));
        }
        fits(longest(&made) + before.len() + longest(&numbers))?;
        made = made.iter().flat_map(|m| numbers.iter().map(move |n| format!("{m}{before}{n}"))).collect();
        rest = after;
    }
    if names.len() + made.len() > MOST {
        return Err(format!("more than {MOST} names"));
    }
    fits(longest(&made) + rest.len())?;
    names.extend(made.into_iter().map(|m| m + rest).filter(|name| !name.is_empty()));
    Ok(())
}

fn longest(names: &[String]) -> usize {
    names.iter().map(String::len).max().unwrap_or(0)
}

/// Refuses a name of too many bytes.
fn fits(bytes: usize) -> Result<(), String> {
    if bytes > LONGEST { Err(format!("a name of {bytes} bytes; {LONGEST} are the most")) } else { Ok(()) }
}

/// `001-018,020`: the numbers as written.
fn numbers(text: &str) -> Result<Vec<String>, String> {
    let bad = || format!("not a number or a range of numbers: {text:?}");
    let mut all = Vec::new();
    for item in text.split(',') {
        let (first, last) = item.split_once('-').unwrap_or((item, item));
        let width = first.len();
        fits(width)?;
        let (first, last) = (decimal(first).ok_or_else(bad)?, decimal(last).ok_or_else(bad)?);
        if last < first || (last - first) as usize >= MOST - all.len() {
            return Err(bad());
        }
        all.extend((first..=last).map(|n| format!("{n:0width$}")));
    }
    Ok(all)
}

/// Looks for lists of hosts in a text, one or more a line, `#` beginning a comment.
///
/// # Errors
/// As [`expand`], with the line; and when there is no name.
pub fn node_list(bytes: &[u8]) -> Result<Vec<Named>, ReadError> {
    refuse_empty(bytes)?;
    let text = decode(bytes, &mut Notes::default())?;
    let mut named = Vec::new();
    for (line, raw) in lines(&text) {
        for word in raw.split('#').next().unwrap_or_default().split_whitespace() {
            let names = expand(word).map_err(|reason| ReadError::at(line, reason, raw))?;
            named.extend(names.into_iter().map(|name| (line, name)));
        }
    }
    if named.is_empty() {
        return Err(ReadError::whole("no host in the list"));
    }
    Ok(named)
}

/// The hosts of a `topology.conf`, switch by switch.
///
/// # Errors
/// When a line is not one of switches, or no switch has nodes.
pub fn topology(bytes: &[u8]) -> Result<Vec<Named>, ReadError> {
    refuse_empty(bytes)?;
    let text = decode(bytes, &mut Notes::default())?;
    let mut named = Vec::new();
    let mut held = String::new();
    for (line, raw) in lines(&text) {
        let s = raw.split('#').next().unwrap_or_default().trim_end();
        if let Some(s) = s.strip_suffix('\\') {
            held.push_str(s);
            held.push(' ');
            continue;
        }
        let whole = std::mem::take(&mut held) + s;
        for word in whole.split_whitespace() {
            let (key, value) = word.split_once('=').unwrap_or((word, ""));
            match key.to_ascii_lowercase().as_str() {
                "switchname" | "blockname" | "switches" | "linkspeed" | "blocksizes" => {}
                "nodes" => {
                    let names = expand(value).map_err(|reason| ReadError::at(line, reason, raw))?;
                    named.extend(names.into_iter().map(|name| (line, name)));
                }
                _ => return Err(ReadError::at(line, format!("{key:?} is no key of topology.conf"), raw)),
            }
        }
    }
    if named.is_empty() {
        return Err(ReadError::whole("no switch has nodes (no Nodes=…)"));
    }
    Ok(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_stand_for_the_names_that_slurm_would_show() {
        let all = |list: &str| expand(list).unwrap().join(" ");
        assert_eq!(all("node[001-003,010],login"), "node001 node002 node003 node010 login");
        assert_eq!(all("r[1-2]n[1-2]-ib"), "r1n1-ib r1n2-ib r2n1-ib r2n2-ib");
        assert_eq!(all("n[8-11]"), "n8 n9 n10 n11");
        assert_eq!(all("n[098-101]"), "n098 n099 n100 n101");
        assert_eq!(all(" a , ,b,"), "a b");
    }

    #[test]
    fn malformed_lists_are_refused() {
        for (list, reason) in [
            ("n[1-3", "nothing closes"),
            ("n1]", "nothing opened"),
            ("n[[1]]", "within brackets"),
            ("n[]", "not a number"),
            ("n[3-1]", "not a number"),
            ("n[a-b]", "not a number"),
            ("n[0-4294967295]", "not a number"),
            ("n[1-2000][1-2000]", "more than"),
        ] {
            assert!(expand(list).unwrap_err().contains(reason), "{list}");
        }
        // Long names, of which a million would fill the memory, and a width that no number is printed with.
        let (long, wide) = ("x".repeat(200), "0".repeat(1 << 16));
        for list in [format!("{long}[1-9]{long}"), format!("{long}[1]{long}[1-9]"), format!("n[{wide}1]")] {
            assert!(expand(&list).unwrap_err().contains("bytes; 255 are the most"), "{list}");
        }
        assert_eq!(expand(&format!("{long}[1-9]")).unwrap().len(), 9);
    }

    #[test]
    fn hosts_are_in_the_order_of_the_switches() {
        let text = "# c\nSwitchName=b Nodes=n[3-4] \\\n LinkSpeed=7\nswitchname=a NODES=n1,n2\nSwitchName=s Switches=a,b\n";
        let named = topology(text.as_bytes()).unwrap();
        assert_eq!(named, [(3, "n3".into()), (3, "n4".into()), (4, "n1".into()), (4, "n2".into())]);
        let listed = node_list(b"n[1-2] # c\nn7\n").unwrap();
        assert_eq!(listed, [(1, "n1".into()), (1, "n2".into()), (2, "n7".into())]);
        for (text, words) in [
            ("SwitchName=a\n", "no switch has nodes"),
            ("SwitchName=a Nodes=n[1\n", "line 1: a bracket"),
            ("NodeName=a\n", "line 1: \"NodeName\" is no key"),
        ] {
            assert!(topology(text.as_bytes()).unwrap_err().to_string().contains(words), "{text}");
        }
    }
}
