//! What a file holds, as JSON has it: nodes, ports, and values that are texts there.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::detail::{FileCoverage, FileDetail};
use crate::fabric::{CablePart, Chassis, Declared, Fabric, Guid, Node, NodeKind, Port, PortId, Rate};
use crate::io::note::excerpt;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub schema: String,
    #[serde(default)]
    pub coverage: FileCoverage,
    #[serde(default)]
    pub counters_read_at: Option<u64>,
    pub nodes: Vec<FileNode>,
    pub cables: Vec<(String, u8, String, u8)>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileNode {
    pub kind: FileKind,
    pub id: String,
    pub guid: Hex,
    #[serde(default, skip_serializing_if = "Hex::is_none")]
    pub system_guid: Hex,
    pub description: String,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub vendor: u32,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub device: u32,
    #[serde(default, skip_serializing_if = "is_false")]
    pub enhanced_port0: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chassis: Option<FileChassis>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declared: Option<FileDeclared>,
    pub radix: u8,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ports: Vec<FilePort>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileChassis {
    pub number: u32,
    #[serde(default)]
    pub position: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FilePort {
    pub number: u8,
    #[serde(default, skip_serializing_if = "Hex::is_none")]
    pub guid: Hex,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lid: u32,
    #[serde(default, skip_serializing_if = "is_zero_u8")]
    pub lmc: u8,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<FileRate>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub listed: bool,
    #[serde(default, skip_serializing_if = "Hex::is_none")]
    pub subnet_prefix: Hex,
    #[serde(default, skip_serializing_if = "is_zero_u16")]
    pub mtu: u16,
    #[serde(default, skip_serializing_if = "is_false")]
    pub inactive: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub manager: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<FileDetail>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counters: BTreeMap<String, u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cable: Option<CablePart>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum FileKind {
    Switch,
    Adapter,
    Router,
    Aggregation,
}

/// A GUID as `"0x…"`: JSON numbers end at 2^53 in many programs.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub(super) struct Hex(pub Guid);

/// What the site declares a node to be, as `"leaf"`.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub(super) struct FileDeclared(pub Declared);

/// A rate as `"4xNDR"`.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub(super) struct FileRate(pub Rate);

impl Hex {
    #[allow(clippy::trivially_copy_pass_by_ref)] // serde asks for references
    fn is_none(&self) -> bool {
        !self.0.is_some()
    }
}

impl From<Hex> for String {
    fn from(hex: Hex) -> Self {
        hex.0.to_string()
    }
}

impl TryFrom<String> for Hex {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let bad = || format!("bad GUID \"{}\": not 0x and hexadecimal digits", excerpt(&text));
        text.strip_prefix("0x").ok_or_else(bad)?;
        text.parse().map(Self).map_err(|_| bad())
    }
}

impl From<FileDeclared> for String {
    fn from(declared: FileDeclared) -> Self {
        declared.0.name().to_owned()
    }
}

impl TryFrom<String> for FileDeclared {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse().map(Self).map_err(|e| format!("bad \"declared\" \"{}\": {e}", excerpt(&text)))
    }
}

impl From<FileRate> for String {
    fn from(rate: FileRate) -> Self {
        rate.0.to_string()
    }
}

impl TryFrom<String> for FileRate {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse().map(Self).map_err(|()| format!("unknown link width or speed \"{}\"", excerpt(&text)))
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde asks for references
fn is_zero(n: &u32) -> bool {
    *n == 0
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde asks for references
fn is_zero_u8(n: &u8) -> bool {
    *n == 0
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde asks for references
fn is_zero_u16(n: &u16) -> bool {
    *n == 0
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde asks for references
fn is_false(b: &bool) -> bool {
    !*b
}

impl FileNode {
    pub(super) fn new(node: &Node, radix: u8, ports: Vec<FilePort>) -> Self {
        let kind = match node.kind {
            NodeKind::Switch => FileKind::Switch,
            NodeKind::Adapter => FileKind::Adapter,
            NodeKind::Router => FileKind::Router,
            NodeKind::Aggregation => FileKind::Aggregation,
        };
        Self {
            kind,
            id: node.id.to_string(),
            guid: Hex(node.guid),
            system_guid: Hex(node.system_guid),
            description: node.description.to_string(),
            vendor: node.vendor,
            device: node.device,
            enhanced_port0: node.enhanced_port0,
            chassis: node
                .chassis
                .as_ref()
                .map(|c| FileChassis { number: c.number, position: c.position.to_string() }),
            declared: node.declared.map(FileDeclared),
            radix,
            ports,
        }
    }

    pub(super) fn to_node(&self) -> Node {
        Node {
            kind: match self.kind {
                FileKind::Switch => NodeKind::Switch,
                FileKind::Adapter => NodeKind::Adapter,
                FileKind::Router => NodeKind::Router,
                FileKind::Aggregation => NodeKind::Aggregation,
            },
            guid: self.guid.0,
            system_guid: self.system_guid.0,
            id: self.id.as_str().into(),
            description: self.description.as_str().into(),
            vendor: self.vendor,
            device: self.device,
            enhanced_port0: self.enhanced_port0,
            chassis: self
                .chassis
                .as_ref()
                .map(|c| Chassis { number: c.number, position: c.position.as_str().into() }),
            declared: self.declared.map(|declared| declared.0),
        }
    }
}

impl FilePort {
    /// A port, unless nothing is known of it.
    pub(super) fn of(fabric: &Fabric, port: PortId) -> Option<Self> {
        let (p, detail, counters) =
            (fabric.port_info(port), fabric.port_detail(port), fabric.counters().of(port));
        if *p == Port::default()
            && detail.is_unknown()
            && counters.is_empty()
            && fabric.cable_part(port).is_none()
        {
            return None;
        }
        Some(Self {
            number: fabric.number_of(port),
            guid: Hex(p.guid),
            lid: p.lid,
            lmc: p.lmc,
            rate: p.rate.map(FileRate),
            listed: p.listed,
            subnet_prefix: Hex(Guid(p.subnet_prefix)),
            mtu: p.mtu,
            inactive: p.inactive,
            manager: p.manager,
            detail: (!detail.is_unknown()).then(|| FileDetail::of(detail)),
            counters: counters.iter().map(|it| (it.counter.name().to_owned(), it.value)).collect(),
            cable: fabric.cable_part(port).cloned(),
        })
    }

    pub(super) fn to_port(&self) -> Port {
        Port {
            guid: self.guid.0,
            lid: self.lid,
            lmc: self.lmc,
            rate: self.rate.map(|r| r.0),
            listed: self.listed,
            subnet_prefix: self.subnet_prefix.0.0,
            mtu: self.mtu,
            inactive: self.inactive,
            manager: self.manager,
        }
    }
}
