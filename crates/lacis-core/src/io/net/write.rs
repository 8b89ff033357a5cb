//! Writes a fabric as `ibnetdiscover` prints one, which ibsim loads.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::fabric::{Fabric, NodeId, NodeKind, PortId, Speed};
use crate::io::text::clean;

/// What a simulator cannot take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteOptions {
    /// Writes for ibsim 0.10: both lines of every cable (it refuses a cable listed from one end),
    /// speeds up to HDR, descriptions and identifiers cut to its limits. It gives the ports of an
    /// end node the node's GUID plus the port number; so that *port* GUIDs stay, which LIDs and
    /// orders go by, node GUIDs of end nodes yield.
    pub for_ibsim: bool,
}

/// Writes a fabric so that reading it gives an equal one.
pub fn write(fabric: &Fabric) -> String {
    write_with(fabric, WriteOptions::default())
}

/// Writes a fabric with [`WriteOptions`].
pub fn write_with(fabric: &Fabric, options: WriteOptions) -> String {
    let mut out = String::with_capacity(128 * (fabric.num_nodes() + fabric.num_ports()));
    out.push_str("#\n# Topology file: written by Lacis\n#\n");
    for (id, node) in fabric.nodes() {
        write_node(&mut out, fabric, id, options);
        for port in fabric.ports_of(id) {
            let Some(peer) = fabric.peer(port) else { continue };
            // A cable that no end lists was not read from anywhere: both ends count.
            let listed = fabric.port_info(port).listed || !fabric.port_info(peer).listed;
            if listed || options.for_ibsim {
                write_port(&mut out, fabric, port, peer, node.kind != NodeKind::Switch, options);
            }
        }
    }
    out
}

fn write_node(out: &mut String, fabric: &Fabric, id: NodeId, options: WriteOptions) {
    let node = fabric.node(id);
    let _ = write!(out, "\nvendid=0x{:x}\ndevid=0x{:x}\n", node.vendor, node.device);
    if node.system_guid.is_some() {
        let _ = write!(out, "sysimgguid=0x{:x}", node.system_guid.0);
    }
    let switch = node.kind == NodeKind::Switch;
    let position = node.chassis.as_ref().map_or(Cow::Borrowed(""), |c| clean(&c.position));
    if let Some(chassis) = &node.chassis {
        let _ = write!(out, "\t\t# Chassis {}", chassis.number);
        if !switch && !position.is_empty() {
            let _ = write!(out, " {position}");
        }
    }
    if node.system_guid.is_some() || node.chassis.is_some() {
        out.push('\n');
    }
    let (word, key) = match node.kind {
        NodeKind::Switch => ("Switch", "switchguid"),
        NodeKind::Adapter | NodeKind::Aggregation => ("Ca", "caguid"),
        NodeKind::Router => ("Rt", "rtguid"),
    };
    let _ = write!(out, "{key}=0x{:x}", node_guid(fabric, id, options));
    let port0 = fabric.port_info(fabric.port0(id));
    if switch {
        let _ = write!(out, "({:x})", port0.guid.0);
        if !position.is_empty() {
            let _ = write!(out, "\t# {position}");
        }
    }
    let (radix, name) = (fabric.radix(id), name(fabric, id, options));
    let _ = write!(out, "\n{word}\t{radix} \"{name}\"\t\t# \"{}\"", clean(&node.description));
    if switch {
        let kind = if node.enhanced_port0 { "enhanced" } else { "base" };
        let _ = write!(out, " {kind} port 0 lid {} lmc {}", port0.lid, port0.lmc);
    }
    out.push('\n');
}

fn write_port(
    out: &mut String,
    fabric: &Fabric,
    port: PortId,
    peer: PortId,
    own_guid: bool,
    options: WriteOptions,
) {
    let start = out.len();
    let (info, far) = (fabric.port_info(port), fabric.port_info(peer));
    let peer_node = fabric.node_of(peer);
    let _ = write!(out, "[{}]", fabric.number_of(port));
    if own_guid {
        let _ = write!(out, "({:x}) ", port_guid(fabric, port, options));
    }
    let _ = write!(out, "\t\"{}\"[{}]", name(fabric, peer_node, options), fabric.number_of(peer));
    let far_switch = fabric.is_switch(peer_node);
    if !far_switch {
        let _ = write!(out, "({:x}) ", port_guid(fabric, peer, options));
    }
    out.push_str("\t\t# ");
    if own_guid {
        let _ = write!(out, "lid {} lmc {} ", info.lid, info.lmc);
    }
    let mut description = clean(&fabric.node(peer_node).description);
    let mut rate = info.rate;
    if options.for_ibsim {
        rate = rate.or(far.rate).map(|mut r| {
            r.speed = simulated(r.speed);
            r
        });
        let room = IBSIM_LINE.saturating_sub(out.len() - start);
        let end = (0..=description.len().min(room)).rev().find(|&i| description.is_char_boundary(i));
        description.to_mut().truncate(end.unwrap_or(0));
    }
    let lid = if far_switch { fabric.port_info(fabric.port0(peer_node)).lid } else { far.lid };
    let _ = write!(out, "\"{description}\" lid {lid}");
    if let Some(rate) = rate {
        let _ = write!(out, " {rate}");
    }
    out.push('\n');
}

/// ibsim reads 255 characters of a line; this leaves room for what follows the description.
const IBSIM_LINE: usize = 225;
/// Longest identifier that ibsim keeps.
const IBSIM_ID: usize = 63;

/// A node's identifier; for ibsim one that it accepts.
fn name(fabric: &Fabric, id: NodeId, options: WriteOptions) -> Cow<'_, str> {
    let node = fabric.node(id);
    if options.for_ibsim && (node.id.len() > IBSIM_ID || node.id.contains(['#', '@'])) {
        let letter = if node.kind == NodeKind::Switch { 'S' } else { 'H' };
        return format!("{letter}-{:016x}", node.guid.0).into();
    }
    clean(&node.id)
}

/// A node's GUID; for ibsim the GUID from which it derives that of the first port that has one.
fn node_guid(fabric: &Fabric, id: NodeId, options: WriteOptions) -> u64 {
    let guid_of = |p: PortId| fabric.port_info(p).guid;
    let first = fabric.ports_of(id).find(|&p| guid_of(p).is_some());
    match first.filter(|_| options.for_ibsim && !fabric.is_switch(id)) {
        Some(port) => guid_of(port).0.wrapping_sub(fabric.number_of(port).into()),
        None => fabric.node(id).guid.0,
    }
}

/// The GUID of an end node's port; for ibsim the one that it makes.
fn port_guid(fabric: &Fabric, port: PortId, options: WriteOptions) -> u64 {
    if options.for_ibsim {
        let node = node_guid(fabric, fabric.node_of(port), options);
        return node.wrapping_add(fabric.number_of(port).into());
    }
    fabric.port_info(port).guid.0
}

/// This speed, or the fastest that ibsim 0.10 knows.
fn simulated(speed: Speed) -> Speed {
    match speed {
        Speed::Opa100 => Speed::Edr,
        Speed::Ndr | Speed::Cn5000 | Speed::Xdr => Speed::Hdr,
        slower => slower,
    }
}
