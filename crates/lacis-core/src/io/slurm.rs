//! Lists of hosts as Slurm writes them, its `topology.conf` and `topology.yaml`, and what `scontrol show topology` prints.
//!
//! ```text
//! # leaves first
//! SwitchName=leaf1 Nodes=node[001-018,020]
//! SwitchName=leaf2 Nodes=rack[1-2]n[1-9] LinkSpeed=400
//! SwitchName=spine Switches=leaf[1-2]
//! ```
//!
//! ```text
//! SwitchName=leaf1 Level=0 LinkSpeed=1 Nodes=node[001-018,020]
//! SwitchName=spine Level=1 LinkSpeed=1 Nodes=node[001-020],rack[1-2]n[1-9] Switches=leaf[1-2]
//! ```
//!
//! ```text
//! - topology: tree
//!   cluster_default: true
//!   tree:
//!     switches:
//!       - switch: spine
//!         children: leaf[1-2]
//!       - switch: leaf1
//!         nodes: node[001-018,020]
//! ```
//!
//! A list is names with commas between them; brackets hold numbers and ranges, zeros before the first
//! number of a range fill the others up, and of several brackets the last counts fastest. Keys are written
//! in any case, `#` begins a comment, and a backslash at its end continues a line, also within a list. What lies below
//! switches of a higher level is listed there again, and is not read there. From the manual pages `topology.conf(5)`,
//! `topology.yaml(5)` and `scontrol(1)` (`show hostnames`, `show topology`) of Slurm 24 and 25.

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

/// The hosts of a `topology.conf`, of a `topology.yaml`, or of `scontrol show topology`, switch by switch.
///
/// # Errors
/// When a line is not one of switches, or no switch has nodes.
pub fn topology(bytes: &[u8]) -> Result<Vec<Named>, ReadError> {
    refuse_empty(bytes)?;
    let text = decode(bytes, &mut Notes::default())?;
    let named = if is_yaml(&text) { yaml(&text)? } else { conf(&text)? };
    if named.is_empty() {
        return Err(ReadError::whole("no switch has nodes (no Nodes=…)"));
    }
    Ok(named)
}

/// Whether a text is a topology of Slurm's, in any of its forms.
pub fn is_topology(text: &str) -> bool {
    is_yaml(text)
        || text.lines().any(|line| {
            let line = line.trim_start().as_bytes();
            [&b"switchname="[..], b"blockname="]
                .iter()
                .any(|key| line.get(..key.len()).is_some_and(|start| start.eq_ignore_ascii_case(key)))
        })
}

/// The names of a list in a line.
fn listed(line: usize, raw: &str, list: &str, named: &mut Vec<Named>) -> Result<(), ReadError> {
    let names = expand(list).map_err(|reason| ReadError::at(line, reason, raw))?;
    named.extend(names.into_iter().map(|name| (line, name)));
    Ok(())
}

fn conf(text: &str) -> Result<Vec<Named>, ReadError> {
    let mut named = Vec::new();
    let mut held = String::new();
    for (line, raw) in lines(text) {
        let s = raw.split('#').next().unwrap_or_default().trim_end();
        if let Some(s) = s.strip_suffix('\\') {
            held.push_str(if held.is_empty() { s } else { s.trim_start() });
            continue;
        }
        // A list goes on without a blank, as Slurm reads it; a new key has one before it.
        let s = if held.ends_with([',', '[']) { s.trim_start() } else { s };
        let whole = std::mem::take(&mut held) + s;
        let (mut nodes, mut is_above) = (None, false);
        for word in whole.split_whitespace() {
            let (key, value) = word.split_once('=').unwrap_or((word, ""));
            match key.to_ascii_lowercase().as_str() {
                "switchname" | "blockname" | "linkspeed" | "blocksizes" | "blocksize" | "blockindex" => {}
                "switches" | "children" => is_above |= !value.is_empty(),
                "level" => is_above |= value != "0",
                "nodes" => nodes = Some(value),
                _ => return Err(ReadError::at(line, format!("{key:?} is no key of topology.conf"), raw)),
            }
        }
        if let Some(nodes) = nodes.filter(|_| !is_above) {
            listed(line, raw, nodes, &mut named)?;
        }
    }
    Ok(named)
}

fn is_yaml(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim_start().trim_start_matches("- ").trim_start();
        line.starts_with("topology:") || matches!(line.trim_end(), "switches:" | "tree:" | "blocks:")
    })
}

/// A `topology.yaml`: of several topologies the cluster's default, else the first that has nodes.
fn yaml(text: &str) -> Result<Vec<Named>, ReadError> {
    /// One topology.
    #[derive(Default)]
    struct Found {
        is_default: bool,
        named: Vec<Named>,
    }
    let mut found: Vec<Found> = vec![Found::default()];
    // `nodes:` with its items on the lines below, and how far it is indented.
    let mut list: Option<usize> = None;
    for (line, raw) in lines(text) {
        let s = raw.split(" #").next().unwrap_or_default().trim_end();
        let s = if s.trim_start().starts_with('#') { "" } else { s };
        let indent = s.len() - s.trim_start().len();
        let item = s.trim_start().strip_prefix("- ").map(str::trim_start);
        let body = item.unwrap_or(s.trim_start());
        let Some(last) = found.last_mut() else { break };
        if let (Some(item), Some(own)) = (item, list)
            && !item.contains(':')
            && indent >= own
        {
            listed(line, raw, unquoted(item), &mut last.named)?;
            continue;
        }
        if body.is_empty() {
            continue;
        }
        list = None;
        let (key, value) = body.split_once(':').unwrap_or((body, ""));
        let value = unquoted(value.trim());
        match key.trim() {
            "topology" if item.is_some() => found.push(Found::default()),
            "cluster_default" => last.is_default = matches!(value, "true" | "yes" | "True"),
            "nodes" if value.is_empty() => list = Some(indent),
            "nodes" => {
                let value = value.strip_prefix('[').and_then(|v| v.strip_suffix(']')).unwrap_or(value);
                for part in outside_brackets(value) {
                    listed(line, raw, unquoted(part.trim()), &mut last.named)?;
                }
            }
            _ => {}
        }
    }
    let at = found.iter().position(|one| one.is_default && !one.named.is_empty());
    let at = at.or_else(|| found.iter().position(|one| !one.named.is_empty()));
    Ok(at.map(|at| found.swap_remove(at).named).unwrap_or_default())
}

fn unquoted(text: &str) -> &str {
    text.trim_matches(['"', '\''])
}

/// The texts between commas that are in no brackets.
fn outside_brackets(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_i32);
    for (at, c) in text.char_indices() {
        depth += i32::from(c == '[') - i32::from(c == ']');
        if c == ',' && depth == 0 {
            parts.push(&text[start..at]);
            start = at + 1;
        }
    }
    parts.push(&text[start..]);
    parts
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
        // What is above lists its nodes again; a list goes on in the next line; blocks.
        for text in [
            "SwitchName=s0 Level=0 LinkSpeed=1 Nodes=n[1-3]\nSwitchName=top Level=1 LinkSpeed=1 Nodes=n[1-5] Switches=s[0-1]\n\
             SwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[4-5]\n",
            "SwitchName=s0 Nodes=n[1-2],\\\nn[3-4]\nSwitchName=s1 Nodes=n5\nSwitchName=top Switches=s[0-1]\n",
            "SwitchName=s0 Nodes=n[1-2],\\\n    n3,n4 \\\n  LinkSpeed=1\nSwitchName=s1 Nodes=n5\n",
            "BlockName=b0 BlockIndex=0 Nodes=n[1-3] BlockSize=3\nBlockName=b1 BlockIndex=1 Nodes=n[4-5] BlockSize=3\n",
            "---\n- topology: t\n  cluster_default: true\n  tree:\n    switches:\n      - switch: top\n        children: s[1-2]\n\
             \x20     - switch: s1\n        nodes: n[1-3]\n      - switch: s2\n        nodes: \"n[4-5]\" # rack 2\n",
            "- topology: other\n  tree:\n    switches:\n    - switch: x\n      nodes: n9\n- topology: t\n  cluster_default: true\n\
             \x20 block:\n    block_sizes: [2]\n    blocks:\n    - block: b1\n      nodes:\n        - n1\n        - n[2-3]\n    \
             - block: b2\n      nodes: [n4, n5]\n",
        ] {
            let names: Vec<String> =
                topology(text.as_bytes()).unwrap().into_iter().map(|(_, name)| name).collect();
            assert_eq!(names, ["n1", "n2", "n3", "n4", "n5"], "{text}");
            assert!(is_topology(text));
        }
        assert!(!is_topology("node1 slots=4\nnode2\n"));
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
