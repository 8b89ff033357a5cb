//! Selectors of one end port: `lacis trace FABRIC A B`.
//!
//! | written                                   | means                                             |
//! |-------------------------------------------|---------------------------------------------------|
//! | `a08-c01 mlx5_5`, `leaf-3`                | a node by its description, or a switch's short name |
//! | `a08-c01`                                 | a host by name; in [`rail_ends`] on all its rails |
//! | `a08-c?? *_5`                             | a pattern: `*` any text, `?` any character        |
//! | `H-e09d73…`, `0xe09d73…`                  | a node by its id, a node or port by its GUID      |
//! | `17`, `0x11`                              | a LID                                             |
//! | `lid:17`                                  | the same, without doubt                           |
//! | `node:NAME`, `nodepat:PATTERN`            | a node by its whole description, or a pattern     |
//! | `nodeguid:0x…`, `portguid:0x…`            | by GUID, without doubt                            |
//!
//! The last rows, each with an optional `:port:N`, are the selectors of Omni-Path's `opareport`
//! (opa-ff 10.10.3); quotes around a name may stay. A name may also end in `[N]`, as reports write
//! ports.

use crate::fabric::{Fabric, Guid, NodeId, PortId, short};
use crate::health::{Hosts, names};
use crate::nearest::nearest;
use crate::sm::lids::Lids;

/// Why a selector names no single end port.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    /// Nothing matches.
    #[error("{what}{}", suggest(.near))]
    Unknown {
        /// What was looked for, in words.
        what: String,
        /// Names that may have been meant.
        near: Vec<String>,
    },
    /// Several end ports match.
    #[error("\"{text}\" matches {total} end ports: {}", list(.first, *.total))]
    Ambiguous {
        /// What was written.
        text: String,
        /// The first of them, by name.
        first: Vec<String>,
        /// How many match.
        total: usize,
    },
    /// Two hosts whose adapters are on different rails.
    #[error("\"{a}\" and \"{b}\" have no rail in common: {}", .on)]
    NoRail {
        /// The first host.
        a: String,
        /// The second.
        b: String,
        /// The rails of both, in words.
        on: String,
    },
    /// Not a selector.
    #[error("selector \"{text}\": {reason}")]
    Malformed {
        /// What was written.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// Ports that traffic between two names uses, rail by rail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RailEnds {
    /// The rail, from 0; none if both names mean single ports, or if it is unknown.
    pub rail: Option<usize>,
    /// The first name's port.
    pub a: PortId,
    /// The second name's.
    pub b: PortId,
}

fn suggest(near: &[String]) -> String {
    match near {
        [] => String::new(),
        near => format!("; near: {}", quoted(near)),
    }
}

fn list(first: &[String], total: usize) -> String {
    let more = if total > first.len() { ", …" } else { "" };
    format!("{}{more}; add the adapter, :port:N, or give a LID or GUID", first.join(", "))
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|n| format!("\"{n}\"")).collect::<Vec<_>>().join(", ")
}

/// Names listed in an error.
const SHOWN: usize = 4;

/// The one end port (an end node's port, or port 0 of a switch) that a selector means.
///
/// # Errors
/// When nothing or several end ports match, or the selector is malformed.
pub fn endpoint(fabric: &Fabric, lids: &Lids, text: &str) -> Result<PortId, EndpointError> {
    let finder = EndpointFinder { fabric, lids, text };
    let (body, number) = finder.split_port(text.trim())?;
    let ports = finder.ports_meant(body, number)?;
    match ports[..] {
        [port] => Ok(port),
        _ => Err(EndpointError::Ambiguous {
            text: text.to_owned(),
            first: ports.iter().take(SHOWN).map(|&p| finder.describe(p)).collect(),
            total: ports.len(),
        }),
    }
}

/// The end ports that two names mean. A host of several rails means its ports on all of them, each paired with the
/// port on the same rail of the other host; other names are read as by [`endpoint`].
///
/// # Errors
/// As [`endpoint`], and when two hosts have no rail in common.
pub fn rail_ends(fabric: &Fabric, lids: &Lids, a: &str, b: &str) -> Result<Vec<RailEnds>, EndpointError> {
    let hosts = Hosts::of(fabric, None);
    let rail = |port: PortId| {
        let first = |n| fabric.ports_of(n).filter(|&p| fabric.peer(p).is_some()).position(|p| p == port);
        let node = fabric.node_of(port);
        hosts
            .rail(node)
            .zip(first(node))
            .map(|(rail, cabled)| ((hosts.first_port(node) + cabled, hosts.plane(node)), rail))
    };
    let ends_named = |text: &str| match endpoint(fabric, lids, text) {
        Ok(port) => Ok((vec![port], false)),
        Err(error) => {
            let name = text.trim().trim_matches('"');
            let host = hosts.hosts.iter().find(|h| &*h.name == name);
            let is_no_port = matches!(error, EndpointError::Ambiguous { .. } | EndpointError::Unknown { .. });
            let host = host.filter(|_| is_no_port).ok_or(error)?;
            let cabled = host.ends.iter().flat_map(|&n| fabric.ports_of(n));
            Ok((cabled.filter(|&p| fabric.peer(p).is_some()).collect::<Vec<_>>(), true))
        }
    };
    let ((from, many), (to, more)) = (ends_named(a)?, ends_named(b)?);
    let all = from.iter().flat_map(|&a| to.iter().map(move |&b| (a, b)));
    let mut pairs: Vec<(PortId, PortId)> = all.collect();
    let same = |&(a, b): &(PortId, PortId)| rail(a).is_some() && rail(a) == rail(b);
    if pairs.iter().any(same) && (many || more) {
        pairs.retain(same);
    } else if many && more {
        let on = |ports: &[PortId]| {
            let mut rails: Vec<usize> = ports.iter().filter_map(|&p| rail(p)).map(|r| r.1 + 1).collect();
            rails.sort_unstable();
            rails.dedup();
            let rails: Vec<String> = rails.iter().map(ToString::to_string).collect();
            if rails.is_empty() { "none that is known".to_owned() } else { rails.join(", ") }
        };
        let on = format!("rails {} and rails {}", on(&from), on(&to));
        return Err(EndpointError::NoRail { a: a.to_owned(), b: b.to_owned(), on });
    }
    let named = |port| if many || more { rail(port).map(|r| r.1) } else { None };
    Ok(pairs.into_iter().map(|(a, b)| RailEnds { rail: named(a).or_else(|| named(b)), a, b }).collect())
}

struct EndpointFinder<'a> {
    fabric: &'a Fabric,
    lids: &'a Lids,
    text: &'a str,
}

impl EndpointFinder<'_> {
    fn malformed(&self, reason: impl Into<String>) -> EndpointError {
        EndpointError::Malformed { text: self.text.to_owned(), reason: reason.into() }
    }

    /// Takes `:port:N` or `[N]` off the end.
    fn split_port<'t>(&self, text: &'t str) -> Result<(&'t str, Option<u8>), EndpointError> {
        let number = |digits: &str| {
            let value =
                digits.parse().map_err(|_| self.malformed(format!("{digits:?} is no port number")))?;
            Ok(Some(value))
        };
        if let Some((body, digits)) = text.rsplit_once(":port:") {
            return Ok((body, number(digits)?));
        }
        match text.strip_suffix(']').and_then(|t| t.rsplit_once('[')) {
            Some((body, digits)) if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => {
                Ok((body, number(digits)?))
            }
            _ => Ok((text, None)),
        }
    }

    fn ports_meant(&self, body: &str, number: Option<u8>) -> Result<Vec<PortId>, EndpointError> {
        let (kind, rest) = body.split_once(':').unwrap_or(("", body));
        let name = rest.trim().trim_matches('"');
        if name.is_empty() {
            return Err(self.malformed("nothing to look for"));
        }
        match kind {
            "lid" => {
                let lid = parse_lid(name).ok_or_else(|| self.malformed("a LID is a number"))?;
                let owner = self.owner(lid).ok_or_else(|| unknown(format!("no port has LID {lid}")))?;
                Ok(vec![owner])
            }
            "node" => self.ports_of(self.nodes(|_, d| d == name), number, name),
            "nodepat" => self.ports_of(self.nodes(|_, d| glob(name, d)), number, name),
            "nodeguid" => {
                let guid = self.guid(name)?;
                self.ports_of(self.nodes(|n, _| self.fabric.node(n).guid == guid), number, name)
            }
            "portguid" => {
                let guid = self.guid(name)?;
                let ports: Vec<PortId> = self.end_ports().filter(|&p| self.port_guid(p) == guid).collect();
                if ports.is_empty() { Err(unknown(format!("no port has GUID {guid}"))) } else { Ok(ports) }
            }
            _ => self.find_bare(body.trim_matches('"'), number),
        }
    }

    /// Without a prefix every form is tried; a literal name wins over a pattern.
    fn find_bare(&self, name: &str, number: Option<u8>) -> Result<Vec<PortId>, EndpointError> {
        let mut nodes = self.nodes(|n, d| {
            let hit = self.fabric.name(n) == name || short(d) == name || *self.fabric.node(n).id == *name;
            hit || (d.split_whitespace().eq(name.split_whitespace()) && !name.trim().is_empty())
        });
        let guid = name.parse::<Guid>().ok().filter(|g| g.is_some());
        let long = name.trim_start_matches("0x").len() == 16;
        if let Some(guid) = guid.filter(|_| long || name.starts_with("0x")) {
            nodes.extend(self.nodes(|n, _| self.fabric.node(n).guid == guid));
        }
        if nodes.is_empty() && name.contains(['*', '?']) {
            nodes = self.nodes(|_, d| glob(name, d) || glob(name, short(d)));
        }
        if nodes.is_empty() {
            nodes = self.nodes(|_, d| names::parse(d).is_some_and(|n| n.host == name));
        }
        let mut ports = match (self.ports_of(nodes, number, name), number) {
            (Ok(ports), _) => ports,
            (Err(EndpointError::Unknown { .. }), None) => Vec::new(),
            (Err(error), _) => return Err(error),
        };
        if let Some(guid) = guid.filter(|_| number.is_none() && (long || name.starts_with("0x"))) {
            ports.extend(self.end_ports().filter(|&p| self.port_guid(p) == guid));
        }
        if number.is_none() {
            ports.extend(parse_lid(name).and_then(|lid| self.owner(lid)));
        }
        ports.sort_unstable();
        ports.dedup();
        if ports.is_empty() { Err(self.no_match(name)) } else { Ok(ports) }
    }

    fn nodes(&self, wanted: impl Fn(NodeId, &str) -> bool) -> Vec<NodeId> {
        self.fabric.nodes().filter(|(id, n)| wanted(*id, n.description.trim())).map(|(id, _)| id).collect()
    }

    /// The end ports of nodes: port 0 of a switch, the cabled ports of an end node (all if none is
    /// cabled), or the port with the given number.
    fn ports_of(
        &self,
        mut nodes: Vec<NodeId>,
        number: Option<u8>,
        name: &str,
    ) -> Result<Vec<PortId>, EndpointError> {
        nodes.sort_unstable();
        nodes.dedup();
        let mut ports = Vec::new();
        for &node in &nodes {
            let is_switch = self.fabric.is_switch(node);
            match number {
                Some(0) | None if is_switch => ports.push(self.fabric.port0(node)),
                Some(_) if is_switch => {}
                Some(number) => ports.extend(self.fabric.port(node, number).filter(|_| number > 0)),
                None => {
                    let before = ports.len();
                    let cabled = |p: &PortId| self.fabric.peer(*p).is_some();
                    ports.extend(self.fabric.ports_of(node).filter(cabled));
                    if ports.len() == before {
                        ports.extend(self.fabric.ports_of(node));
                    }
                }
            }
        }
        match (nodes.first(), number) {
            (None, _) => Err(self.no_match(name)),
            (Some(&node), Some(number)) if ports.is_empty() && self.fabric.is_switch(node) => {
                Err(self.malformed(format!("packets for a switch end at its port 0, not at port {number}")))
            }
            (Some(&node), Some(number)) if ports.is_empty() => {
                let radix = self.fabric.radix(node);
                Err(self.malformed(format!("the node has {radix} port(s), so no end port {number}")))
            }
            _ => Ok(ports),
        }
    }

    fn end_ports(&self) -> impl Iterator<Item = PortId> {
        let switches = self.fabric.switches().map(|s| self.fabric.port0(s));
        switches.chain(self.fabric.end_nodes().flat_map(|n| self.fabric.ports_of(n)))
    }

    fn port_guid(&self, port: PortId) -> Guid {
        let own = self.fabric.port_info(port).guid;
        let node = self.fabric.node_of(port);
        if own.is_some() || !self.fabric.is_switch(node) { own } else { self.fabric.node(node).guid }
    }

    fn owner(&self, lid: u32) -> Option<PortId> {
        self.lids.owner(lid).filter(|_| lid != 0)
    }

    fn guid(&self, text: &str) -> Result<Guid, EndpointError> {
        text.parse().map_err(|_| self.malformed("a GUID is 1 to 16 hexadecimal digits"))
    }

    fn describe(&self, port: PortId) -> String {
        match self.lids.base(port) {
            0 => self.fabric.port_name(port),
            lid => format!("{} (LID {lid})", self.fabric.port_name(port)),
        }
    }

    fn no_match(&self, name: &str) -> EndpointError {
        let descriptions = || self.fabric.nodes().map(|(_, n)| short(&n.description));
        let hosts = descriptions().filter_map(|d| names::parse(d).map(|n| n.host));
        let near = nearest(name, descriptions().chain(hosts), SHOWN).into_iter().map(str::to_owned).collect();
        EndpointError::Unknown { what: format!("no node matches \"{name}\""), near }
    }
}

fn unknown(what: String) -> EndpointError {
    EndpointError::Unknown { what, near: Vec::new() }
}

fn parse_lid(text: &str) -> Option<u32> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) if hex.bytes().all(|b| b.is_ascii_hexdigit()) => u32::from_str_radix(hex, 16).ok(),
        Some(_) => None,
        None => text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok())?,
    }
}

/// Whether a pattern with `*` (any text) and `?` (any one character) matches all of a name.
fn glob(pattern: &str, name: &str) -> bool {
    let (p, n): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut i, mut j) = (0, 0);
    // Where to resume if the text after the last star does not match: the star takes one character more.
    let mut retry: Option<(usize, usize)> = None;
    while j < n.len() {
        if p.get(i) == Some(&'*') {
            retry = Some((i + 1, j));
            i += 1;
        } else if p.get(i).is_some_and(|&c| c == '?' || c == n[j]) {
            (i, j) = (i + 1, j + 1);
        } else if let Some((after_star, matched_to)) = retry {
            (i, j) = (after_star, matched_to + 1);
            retry = Some((i, j));
        } else {
            return false;
        }
    }
    p[i..].iter().all(|&c| c == '*')
}

#[cfg(test)]
mod tests;
