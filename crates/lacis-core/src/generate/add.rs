//! Adding cables and hosts to a fabric.

use rustc_hash::FxHashSet;

use super::error::EditError;
use super::make::{DEFAULT_SPEED, node_id};
use super::remove::Cuts;
use super::select::Selector;
use crate::fabric::{
    BuildError, Cages, Fabric, FabricBuilder, Guid, Handle, Node, NodeId, NodeKind, Port, PortId, Rate,
};

/// The fabric with one more cable, at the commonest rate.
///
/// # Errors
/// When a port does not exist or has a cable.
pub fn with_cable(fabric: &Fabric, a: (NodeId, u8), b: (NodeId, u8)) -> Result<Fabric, BuildError> {
    let mut builder = FabricBuilder::from(fabric);
    cable(&mut builder, commonest_rate(fabric), a, b)?;
    Ok(builder.finish())
}

/// The fabric with what an addition (without its `+`) names.
pub(super) fn with(fabric: &Fabric, text: &str, addition: &str) -> Result<Fabric, EditError> {
    let no_room = |source| EditError::NoRoom { selector: text.into(), source };
    let (names, cages) = (Cuts::none(fabric), Cages::of(fabric));
    let mut builder = FabricBuilder::from(fabric);
    let rate = commonest_rate(fabric);
    match Selector::parse(addition)? {
        Selector::Between(a, b, count) => {
            let one = |name: &str| match *names.nodes(text, name)? {
                [node] => Ok(node),
                ref several => Err(EditError::ambiguous(text, name, fabric, several)),
            };
            let (from, to) = (one(a.0)?, one(b.0)?);
            let count = count.unwrap_or(1);
            let (mut ports, mut others) =
                (free_ports(fabric, &cages, from, a.1), free_ports(fabric, &cages, to, b.1));
            for done in 0..count {
                let next = |ports: &mut std::vec::IntoIter<u8>, node: NodeId| {
                    let what = || format!("free ports on {}", fabric.node(node).description);
                    ports.next().ok_or_else(|| EditError::too_few(text, what(), done, count))
                };
                let (p, q) = (next(&mut ports, from)?, next(&mut others, to)?);
                cable(&mut builder, rate, (from, p), (to, q)).map_err(no_room)?;
            }
        }
        Selector::HostAt(at, count) => {
            let mut new = NewHosts::of(fabric);
            for switch in names.nodes(text, at.0)? {
                let count = count.unwrap_or(1);
                let mut ports = free_ports(fabric, &cages, switch, at.1);
                for done in 0..count {
                    let what = || format!("free ports on {}", fabric.node(switch).description);
                    let port = ports.next().ok_or_else(|| EditError::too_few(text, what(), done, count))?;
                    new.attach(&mut builder, rate, (switch, port)).map_err(no_room)?;
                }
            }
        }
        Selector::SwitchAt(name, others, count) => {
            let others = names.nodes(text, others)?;
            let radix = fabric.switches().map(|s| fabric.radix(s)).max().unwrap_or(0);
            let wanted = others.len() * count;
            if wanted > usize::from(radix) {
                let what = format!("ports on a switch of {radix} ports, as the largest here");
                return Err(EditError::too_few(text, what, usize::from(radix), wanted));
            }
            let switch = new_switch(fabric, &mut builder, name, radix).map_err(no_room)?;
            let mut own = 1..=u32::from(radix);
            for &other in &others {
                let ports = free_ports(fabric, &cages, other, None).zip(own.by_ref().take(count));
                let mut done = 0;
                for (port, near) in ports {
                    let far = builder.nth(other.ix()).ok_or(BuildError::TooLarge).map_err(no_room)?;
                    join(&mut builder, rate, (switch, near), (far, port.into())).map_err(no_room)?;
                    done += 1;
                }
                if done < count {
                    let what = format!("free ports on {}", fabric.node(other).description);
                    return Err(EditError::too_few(text, what, done, count));
                }
            }
        }
        _ => {
            let expected = "+A--B, +A[PORT]--B[PORT], +host@SWITCH or +switch=NAME@SWITCHES";
            return Err(EditError::syntax(text, expected));
        }
    }
    Ok(builder.finish())
}

/// The number of the port asked for, or else those of the free ones in order.
fn free_ports(fabric: &Fabric, cages: &Cages, node: NodeId, asked: Option<u8>) -> std::vec::IntoIter<u8> {
    let ports: Vec<u8> = match asked {
        Some(port) => vec![port],
        None => cages.free(node).map(|p| fabric.number_of(p)).collect(),
    };
    ports.into_iter()
}

fn cable(
    builder: &mut FabricBuilder,
    rate: Rate,
    a: (NodeId, u8),
    b: (NodeId, u8),
) -> Result<(), BuildError> {
    let end = |builder: &FabricBuilder, (node, port): (NodeId, u8)| {
        builder.nth(node.ix()).map(|handle| (handle, u32::from(port))).ok_or(BuildError::TooLarge)
    };
    let (a, b) = (end(builder, a)?, end(builder, b)?);
    join(builder, rate, a, b)
}

fn join(
    builder: &mut FabricBuilder,
    rate: Rate,
    a: (Handle, u32),
    b: (Handle, u32),
) -> Result<(), BuildError> {
    builder.connect(a, b)?;
    for (node, port) in [a, b] {
        let port = builder.port_mut(node, port)?;
        port.rate = Some(rate);
        port.listed = true;
    }
    Ok(())
}

/// The rate that most cabled ports have, the first of equals.
fn commonest_rate(fabric: &Fabric) -> Rate {
    let mut counts: Vec<(Rate, usize)> = Vec::new();
    for (port, _) in fabric.cables() {
        if let Some(rate) = fabric.port_info(port).rate {
            match counts.iter_mut().find(|(r, _)| *r == rate) {
                Some((_, n)) => *n += 1,
                None => counts.push((rate, 1)),
            }
        }
    }
    let most = counts.iter().rev().max_by_key(|(_, n)| *n);
    most.map_or(Rate::x4(DEFAULT_SPEED), |&(rate, _)| rate)
}

/// A switch like the existing ones, with an unused GUID and id.
fn new_switch(
    fabric: &Fabric,
    builder: &mut FabricBuilder,
    name: &str,
    radix: u8,
) -> Result<Handle, BuildError> {
    let in_use: FxHashSet<Guid> = fabric.nodes().map(|(_, node)| node.guid).collect();
    let mut guids = (1..).map(|n| Guid(0x0002_c902_00f0_0000 + 8 * n));
    let guid = guids.find(|guid| !in_use.contains(guid)).ok_or(BuildError::TooLarge)?;
    let like = fabric.switches().next().map(|s| fabric.node(s));
    let node = Node {
        kind: NodeKind::Switch,
        guid,
        system_guid: guid,
        id: node_id(NodeKind::Switch, guid).into(),
        description: name.into(),
        vendor: like.map_or(0, |n| n.vendor),
        device: like.map_or(0, |n| n.device),
        enhanced_port0: false,
        chassis: None,
        declared: None,
    };
    let switch = builder.add_node(node, radix)?;
    *builder.port_mut(switch, 0)? = Port { guid, ..Port::default() };
    Ok(switch)
}

/// Added hosts: `extra0001 HCA-1` and so on, with unused GUIDs.
struct NewHosts {
    guids: FxHashSet<u64>,
    names: FxHashSet<Box<str>>,
    vendor: (u32, u32),
    count: u64,
}

impl NewHosts {
    fn of(fabric: &Fabric) -> Self {
        let guids = fabric.nodes().map(|(_, n)| n.guid.0);
        let ports = (0..fabric.num_ports() as u32).map(|p| fabric.port_info(PortId(p)).guid.0);
        let like = fabric.end_nodes().map(|n| fabric.node(n)).find(|n| n.kind == NodeKind::Adapter);
        Self {
            guids: guids.chain(ports).collect(),
            names: fabric.nodes().flat_map(|(_, n)| [n.description.clone(), n.id.clone()]).collect(),
            vendor: like.map_or((0, 0), |n| (n.vendor, n.device)),
            count: 0,
        }
    }

    fn attach(
        &mut self,
        builder: &mut FabricBuilder,
        rate: Rate,
        at: (NodeId, u8),
    ) -> Result<(), BuildError> {
        let (guid, description, id) = loop {
            self.count += 1;
            let guid = Guid(0x0002_c903_00f0_0000 + 4 * self.count);
            let description: Box<str> = format!("extra{:04} HCA-1", self.count).into();
            let id: Box<str> = node_id(NodeKind::Adapter, guid).into();
            let guids_free = (0..2).all(|i| !self.guids.contains(&(guid.0 + i)));
            if guids_free && !self.names.contains(&description) && !self.names.contains(&id) {
                break (guid, description, id);
            }
        };
        let node = Node {
            kind: NodeKind::Adapter,
            guid,
            system_guid: guid,
            id,
            description,
            vendor: self.vendor.0,
            device: self.vendor.1,
            enhanced_port0: false,
            chassis: None,
            declared: None,
        };
        let host = builder.add_node(node, 1)?;
        let switch = builder.nth(at.0.ix()).ok_or(BuildError::TooLarge)?;
        builder.connect((host, 1), (switch, at.1.into()))?;
        let end = Port { rate: Some(rate), listed: true, ..Port::default() };
        *builder.port_mut(host, 1)? = Port { guid: Guid(guid.0 + 1), ..end };
        let far = builder.port_mut(switch, at.1.into())?;
        (far.rate, far.listed) = (end.rate, true);
        Ok(())
    }
}
