//! Routes as Omni-Path's `opareport -o route` prints them, byte for byte: opa-ff 10.10.3 on a snapshot (`-X`).
//!
//! ```text
//! Routes Summary Between:
//!     Port:   1 0x0011750101700001
//!         in Node: 0x0011750101700000 FI NodeA hfi1_0
//! and Port:   1 0x0011750101700005
//!     in Node: 0x0011750101700004 FI NodeB hfi1_0
//!
//! Routes between ports:
//!      0x0011750101700000   1 FI   NodeA hfi1_0
//! and  0x0011750101700004   1 FI   NodeB hfi1_0
//! 1 Paths
//!     SGID: 0xfe80000000000000:0011750101700001
//!     …
//!     4 Links Traversed            (or: Route Incomplete)
//! ```
//!
//! Points are written as it takes them: `portguid:G`; `lid:N`, with `:node` for the whole node; `nodeguid:G`,
//! `node:NAME` and `nodepat:PATTERN`, with `:port:N` for one port. Between nodes it shows every port with every port;
//! those of a switch except port 0 have no LID and no path. Maps of service levels, which a snapshot may have
//! (`qosdata`), are ignored.

use std::fmt::Write as _;

use super::trace::trace;
use super::verdict::Verdict;
use crate::fabric::{Fabric, Guid, NodeId, PortId, Speed};
use crate::sm::Routes;
use crate::sm::lids::MAX_UNICAST_LID;

/// The subnet prefix of ports whose source has none.
const PREFIX: u64 = 0xfe80_0000_0000_0000;
/// Bytes of a description.
const DESCRIPTION: usize = 64;
/// Line at the end of a report.
const SEPARATOR: &str = "-------------------------------------------------------------------------------\n";

/// Why a point is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PointError {
    /// No such form.
    #[error(
        "{0:?} is no point: lid:N, portguid:G, nodeguid:G, node:NAME or nodepat:PATTERN, with :port:N or :node"
    )]
    Malformed(String),
    /// Nothing in the fabric.
    #[error("{0:?} is not in the fabric")]
    NotFound(String),
}

/// What a selector means.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Point {
    Ports(Vec<PortId>),
    Nodes(Vec<NodeId>),
}

/// The report on all routes between two points.
///
/// # Errors
/// When one of them is malformed or names nothing.
pub fn routes_report(fabric: &Fabric, routes: &Routes, from: &str, to: &str) -> Result<String, PointError> {
    let finder = PointFinder { fabric, routes };
    let (source, target) = (finder.point(from)?, finder.point(to)?);
    let mut out = String::from("Routes Summary Between:\n");
    summary(fabric, &mut out, &source, 4);
    out.push_str("and ");
    summary(fabric, &mut out, &target, 0);
    out.push('\n');
    let targets = finder.ports(&target);
    for from in finder.ports(&source) {
        for &to in &targets {
            between(fabric, routes, &mut out, from, to);
        }
    }
    out.push_str(SEPARATOR);
    Ok(out)
}

struct PointFinder<'a> {
    fabric: &'a Fabric,
    routes: &'a Routes,
}

impl PointFinder<'_> {
    fn point(&self, text: &str) -> Result<Point, PointError> {
        let malformed = || PointError::Malformed(text.to_owned());
        let (kind, rest) = text.split_once(':').ok_or_else(malformed)?;
        let (body, port) = match rest.rsplit_once(":port:") {
            Some((body, number)) => (body, Some(number.parse::<u8>().map_err(|_| malformed())?)),
            None => (rest, None),
        };
        let (body, whole) = match body.strip_suffix(":node") {
            Some(body) if kind == "lid" && port.is_none() => (body, true),
            _ => (body, false),
        };
        if kind == "portguid" && port.is_some() {
            return Err(malformed());
        }
        let f = self.fabric;
        let point = match kind {
            "lid" | "portguid" => {
                let id = number(body).ok_or_else(malformed)?;
                let found = if kind == "lid" {
                    u32::try_from(id).ok().and_then(|lid| self.routes.lids.owner(lid))
                } else {
                    let guid = Guid(id);
                    self.end_ports().find(|&p| f.end_port_guid(p) == guid && guid.is_some())
                };
                let found = found.filter(|&p| port.is_none_or(|n| f.number_of(p) == n));
                match found {
                    Some(port) if whole => Point::Nodes(vec![f.node_of(port)]),
                    Some(port) => Point::Ports(vec![port]),
                    None => Point::Ports(Vec::new()),
                }
            }
            "nodeguid" | "node" | "nodepat" => {
                let guid = if kind == "nodeguid" { Some(number(body).ok_or_else(malformed)?) } else { None };
                let wanted = |node: NodeId| match (guid, kind) {
                    (Some(guid), _) => f.node(node).guid.0 == guid,
                    (None, "node") => *f.node(node).description == *body,
                    _ => fnmatch(body.as_bytes(), f.node(node).description.as_bytes()),
                };
                let mut nodes: Vec<NodeId> = f.nodes().map(|(node, _)| node).filter(|&n| wanted(n)).collect();
                nodes.sort_by_key(|&node| (f.node(node).guid, node));
                match port {
                    Some(number) => {
                        let ports = nodes.into_iter().filter_map(|node| f.port(node, number));
                        Point::Ports(ports.filter(|&port| self.is_there(port)).collect())
                    }
                    None => Point::Nodes(nodes),
                }
            }
            _ => return Err(malformed()),
        };
        let is_empty = match &point {
            Point::Ports(ports) => ports.is_empty(),
            Point::Nodes(nodes) => nodes.is_empty(),
        };
        if is_empty { Err(PointError::NotFound(text.to_owned())) } else { Ok(point) }
    }

    /// Whether opareport has a port: with a cable, or port 0 of a switch.
    fn is_there(&self, port: PortId) -> bool {
        let is_port0 = self.fabric.number_of(port) == 0;
        if is_port0 {
            self.fabric.is_switch(self.fabric.node_of(port))
        } else {
            self.fabric.peer(port).is_some()
        }
    }

    fn end_ports(&self) -> impl Iterator<Item = PortId> {
        let switches = self.fabric.switches().map(|s| self.fabric.port0(s));
        switches.chain(self.fabric.end_nodes().flat_map(|n| self.fabric.ports_of(n)))
    }

    /// The ports of a point, those of nodes by number.
    fn ports(&self, point: &Point) -> Vec<PortId> {
        match point {
            Point::Ports(ports) => ports.clone(),
            Point::Nodes(nodes) => {
                let all = nodes.iter().flat_map(|&node| {
                    std::iter::once(self.fabric.port0(node)).chain(self.fabric.ports_of(node))
                });
                all.filter(|&port| self.is_there(port)).collect()
            }
        }
    }
}

/// Writes what a report is about.
fn summary(fabric: &Fabric, out: &mut String, point: &Point, indent: usize) {
    let port = |out: &mut String, prefix: &str, port: PortId, indent: usize| {
        let _ = write!(out, "{:indent$}{prefix}{:3}", "", fabric.number_of(port));
        let guid = guid_of(fabric, port);
        if guid != 0 {
            let _ = write!(out, " 0x{guid:016x}");
        }
        out.push('\n');
        node(fabric, out, "in Node: ", fabric.node_of(port), indent + 4);
    };
    match point {
        Point::Ports(ports) => {
            if let [one] = ports[..] {
                return port(out, "Port: ", one, indent);
            }
            let _ = writeln!(out, "{:indent$}{} Ports:", "", ports.len());
            for &each in ports {
                port(out, "", each, indent + 4);
            }
        }
        Point::Nodes(nodes) => {
            if let [one] = nodes[..] {
                return node(fabric, out, "Node: ", one, indent);
            }
            let _ = writeln!(out, "{:indent$}{} Nodes:", "", nodes.len());
            for &each in nodes {
                node(fabric, out, "", each, indent + 4);
            }
        }
    }
}

fn node(fabric: &Fabric, out: &mut String, prefix: &str, id: NodeId, indent: usize) {
    let _ = writeln!(
        out,
        "{:indent$}{prefix}{} {} {}",
        "",
        fabric.node(id).guid,
        kind(fabric, id),
        description(fabric, id)
    );
}

fn kind(fabric: &Fabric, node: NodeId) -> &'static str {
    if fabric.is_switch(node) { "SW" } else { "FI" }
}

/// At most 64 bytes, whole characters.
fn description(fabric: &Fabric, node: NodeId) -> &str {
    let text = &*fabric.node(node).description;
    let end = (0..=DESCRIPTION.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or(0)]
}

/// A port's GUID: none at the external ports of a switch.
fn guid_of(fabric: &Fabric, port: PortId) -> u64 {
    let is_external = fabric.is_switch(fabric.node_of(port)) && fabric.number_of(port) != 0;
    if is_external { 0 } else { fabric.end_port_guid(port).0 }
}

/// One end of a cable.
fn line(fabric: &Fabric, out: &mut String, prefix: &str, port: PortId, indent: usize) {
    let id = fabric.node_of(port);
    let _ = writeln!(
        out,
        "{:indent$}{prefix:>4} {} {:3} {}   {}",
        "",
        fabric.node(id).guid,
        fabric.number_of(port),
        kind(fabric, id),
        description(fabric, id)
    );
}

/// A link's rate as opareport names it: what the width carries at 25 Gb/s a lane. It knows no faster lanes.
fn rate(fabric: &Fabric, port: PortId) -> &'static str {
    match fabric.brought_up_rate(port) {
        Some(rate) if rate.speed.is_omni_path() && rate.width.lanes() <= 4 => {
            let names = if rate.speed == Speed::Cn5000 {
                ["100g", "200g", "300g", "400g"]
            } else {
                ["25g", "50g", "75g", "100g"]
            };
            names[usize::from(rate.width.lanes()) - 1]
        }
        _ => "100g",
    }
}

/// All paths between two ports.
fn between(fabric: &Fabric, routes: &Routes, out: &mut String, from: PortId, to: PortId) {
    out.push_str("Routes between ports:\n");
    line(fabric, out, "    ", from, 0);
    line(fabric, out, "and ", to, 0);
    let base = |port: PortId| {
        let has_lid = guid_of(fabric, port) != 0;
        if has_lid { routes.lids.base(port) } else { 0 }
    };
    let (slid, dlid) = (base(from), base(to));
    let paths =
        if slid == 0 || dlid == 0 { 0 } else { 1_u32 << routes.lids.lmc(from).min(routes.lids.lmc(to)) };
    let _ = writeln!(out, "{paths} Paths");
    for path in 0..paths {
        for (name, port) in [("SGID", from), ("DGID", to)] {
            let prefix = match fabric.port_info(port).subnet_prefix {
                0 => PREFIX,
                prefix => prefix,
            };
            let _ = writeln!(out, "    {name}: 0x{prefix:016x}:{:016x}", guid_of(fabric, port));
        }
        let _ = writeln!(out, "    SLID: {} DLID: {} Reversible: Y", lid(slid + path), lid(dlid + path));
        one_path(fabric, routes, out, from, to, dlid + path);
    }
}

/// Four digits up to InfiniBand's highest, eight beyond.
fn lid(lid: u32) -> String {
    if lid <= MAX_UNICAST_LID { format!("0x{lid:04x}") } else { format!("0x{lid:08x}") }
}

fn one_path(fabric: &Fabric, routes: &Routes, out: &mut String, from: PortId, to: PortId, dlid: u32) {
    const HEAD: &str = "        Rate NodeGUID          Port Type Name\n";
    if from == to {
        out.push_str("    0 Links Traversed\n");
        return;
    }
    let trace = trace(fabric, routes, from, dlid);
    let is_direct = fabric.peer(from) == Some(to);
    if trace.verdict != Verdict::Delivered && !is_direct {
        out.push_str("    Route Incomplete\n");
        return;
    }
    out.push_str(HEAD);
    let egress: Vec<PortId> =
        if is_direct { vec![from] } else { trace.hops.iter().filter_map(|hop| hop.egress).collect() };
    for &port in &egress {
        line(fabric, out, rate(fabric, port), port, 8);
        if let Some(far) = fabric.peer(port) {
            line(fabric, out, "->  ", far, 8);
        }
    }
    let _ = writeln!(out, "    {} Links Traversed", egress.len());
}

/// A number as C's `strtoull` with base 0 reads it, except octal.
fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => {
            let plain = !hex.is_empty() && hex.bytes().all(|b| b.is_ascii_hexdigit());
            u64::from_str_radix(hex, 16).ok().filter(|_| plain)
        }
        None => text.parse().ok().filter(|_| text.bytes().all(|b| b.is_ascii_digit())),
    }
}

/// A pattern of the C library's `fnmatch`: `*`, `?`, `[a-c]`, `[!a]`, and a backslash before a literal character.
fn fnmatch(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n) = (0, 0);
    // Where to resume if the text after the last star does not match: the star takes one character more.
    let mut retry: Option<(usize, usize)> = None;
    loop {
        if pattern.get(p) == Some(&b'*') {
            retry = Some((p + 1, n));
            p += 1;
            continue;
        }
        let matched = match (pattern.get(p), name.get(n)) {
            (None, None) => return true,
            (None, Some(_)) => None,
            (Some(_), None) => return false,
            (Some(b'?'), Some(_)) => Some(1),
            (Some(b'['), Some(&c)) => match class(&pattern[p..], c) {
                Some((hit, length)) => hit.then_some(length),
                None => (c == b'[').then_some(1),
            },
            (Some(b'\\'), Some(&c)) => match pattern.get(p + 1) {
                Some(&literal) => (literal == c).then_some(2),
                None => (c == b'\\').then_some(1),
            },
            (Some(&literal), Some(&c)) => (literal == c).then_some(1),
        };
        match (matched, retry) {
            (Some(length), _) => (p, n) = (p + length, n + 1),
            (None, Some((after, matched_to))) => {
                (p, n) = (after, matched_to + 1);
                retry = Some((after, matched_to + 1));
            }
            (None, None) => return false,
        }
    }
}

/// Whether the class at the start of a pattern contains a character, and the length of the class.
fn class(pattern: &[u8], c: u8) -> Option<(bool, usize)> {
    let negated = matches!(pattern.get(1), Some(b'!' | b'^'));
    let first = if negated { 2 } else { 1 };
    let mut at = first;
    let mut hit = false;
    loop {
        let low = *pattern.get(at)?;
        if low == b']' && at > first {
            return Some((hit != negated, at + 1));
        }
        match (pattern.get(at + 1), pattern.get(at + 2)) {
            (Some(b'-'), Some(&high)) if high != b']' => {
                hit |= (low..=high).contains(&c);
                at += 3;
            }
            _ => {
                hit |= low == c;
                at += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_those_of_fnmatch() {
        for (pattern, name, matches) in [
            ("node00*", "node0012 hfi1_0", true),
            ("node00*:", "node0012", false),
            ("*1_0", "node1_1_0", true),
            ("n[0-3a]x", "n2x", true),
            ("n[!0-3a]x", "n2x", false),
            ("n[]a]x", "n]x", true),
            ("n\\*", "n*", true),
            ("n\\*", "nn", false),
            ("[", "[", true),
            ("a?c*", "abc", true),
            ("", "", true),
            ("*", "", true),
            ("a*b*c", "aXbXbXc", true),
            ("a*b*c", "aXbXb", false),
        ] {
            assert_eq!(fnmatch(pattern.as_bytes(), name.as_bytes()), matches, "{pattern} {name}");
        }
    }
}
