//! Making a generated fabric's nodes: names, GUIDs, descriptions and rates.
//!
//! GUIDs count up: switches from `…0000` in steps of 8, adapters in steps of 4, with a real vendor's
//! prefix. A port's GUID is its adapter's plus the port's number; a switch's port 0 has the switch's
//! own. Ids are `S-` or `H-` and the GUID, as `ibnetdiscover` prints them. No port has a LID.

use crate::fabric::{BuildError, Fabric, FabricBuilder, Guid, Handle, Node, NodeKind, Port, Rate, Speed};

/// The equipment that a fabric is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Maker {
    InfiniBand,
    OmniPath,
}

impl Maker {
    fn vendor(self) -> u32 {
        match self {
            Self::InfiniBand => 0x02c9,
            Self::OmniPath => 0x1175,
        }
    }

    /// Device id, by kind of node: Quantum and ConnectX-6; the 48-port edge switch and HFI 100.
    fn device(self, kind: NodeKind) -> u32 {
        match (self, kind == NodeKind::Switch) {
            (Self::InfiniBand, true) => 0xd2f0,
            (Self::InfiniBand, false) => 0x101b,
            (Self::OmniPath, true) => 0x24f1,
            (Self::OmniPath, false) => 0x24f0,
        }
    }

    fn first_guid(self, kind: NodeKind) -> u64 {
        match (self, kind == NodeKind::Switch) {
            (Self::InfiniBand, true) => 0x0002_c902_0040_0000,
            (Self::InfiniBand, false) => 0x0002_c903_0010_0000,
            (Self::OmniPath, true) => 0x0011_7501_0260_0000,
            (Self::OmniPath, false) => 0x0011_7501_0170_0000,
        }
    }

    /// The adapter's label in a host adapter's description; rails count from 1.
    fn adapter(self, rail: u32) -> String {
        match self {
            Self::InfiniBand => format!("HCA-{rail}"),
            Self::OmniPath => format!("hfi1_{}", rail - 1),
        }
    }
}

/// Numbers of nodes and ports, known before any are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FabricSize {
    pub switches: u64,
    pub hosts: u64,
    /// Ports of all kinds, management ports not counted.
    pub ports: u64,
}

/// A fabric in the making. Shapes are drawn once per rail.
#[derive(Debug)]
pub(super) struct Draft {
    builder: FabricBuilder,
    maker: Maker,
    rate: Rate,
    /// Rail being drawn, from 1, and how many there are.
    rail: (u32, u32),
    /// Tree being drawn, from 1, and how many there are.
    tree: (u32, u32),
    is_unmanaged: bool,
    least_radix: u32,
    next_switch: u64,
    next_adapter: u64,
    host: u64,
    host_digits: usize,
}

impl Draft {
    pub fn new(maker: Maker, rate: Rate, rails: u32, trees: u32, least_radix: u32, hosts: u64) -> Self {
        Self {
            builder: FabricBuilder::new(),
            maker,
            rate,
            rail: (1, rails),
            tree: (1, trees),
            is_unmanaged: false,
            least_radix,
            next_switch: maker.first_guid(NodeKind::Switch),
            next_adapter: maker.first_guid(NodeKind::Adapter),
            host: 0,
            host_digits: digits(hosts).max(4),
        }
    }

    /// Starts a rail: its hosts are those of the first rail, by name.
    pub fn begin_rail(&mut self, rail: u32) {
        self.rail.0 = rail;
        self.host = 0;
    }

    /// Starts a tree with its own hosts.
    pub fn begin_tree(&mut self, tree: u32) {
        self.tree.0 = tree;
    }

    /// Gives all further switches the description that switches without management have.
    pub fn unmanaged(&mut self) {
        self.is_unmanaged = true;
    }

    /// Adds a switch; chips of one chassis give the first chip as `chassis`.
    pub fn switch(&mut self, name: &str, radix: u32, chassis: Option<Handle>) -> Result<Handle, BuildError> {
        let guid = Guid(self.next_switch);
        self.next_switch += 8;
        let system = chassis.map_or(guid, |first| self.builder.node_mut(first).system_guid);
        let prefix = |kind: &str, (number, of): (u32, u32)| {
            if of == 1 { String::new() } else { format!("{kind}{number}-") }
        };
        let description = if self.is_unmanaged {
            UNMANAGED.to_owned()
        } else {
            prefix("rail", self.rail) + &prefix("tree", self.tree) + name
        };
        let handle = self.add(NodeKind::Switch, guid, system, &description, radix.max(self.least_radix))?;
        *self.builder.port_mut(handle, 0)? = Port { guid, ..Port::default() };
        Ok(handle)
    }

    /// Adds the next host's adapter with a number of ports.
    pub fn host(&mut self, ports: u32) -> Result<Handle, BuildError> {
        self.host += 1;
        let name = format!("node{:0width$}", self.host, width = self.host_digits);
        self.named_host(&name, ports)
    }

    /// Adds an adapter of a named host.
    pub fn named_host(&mut self, name: &str, ports: u32) -> Result<Handle, BuildError> {
        let guid = Guid(self.next_adapter);
        self.next_adapter += u64::from(ports + 1).next_power_of_two().max(4);
        let description = format!("{name} {}", self.maker.adapter(self.rail.0));
        let handle = self.add(NodeKind::Adapter, guid, guid, &description, ports)?;
        for number in 1..=ports {
            self.builder.port_mut(handle, number)?.guid = Guid(guid.0 + u64::from(number));
        }
        Ok(handle)
    }

    fn add(
        &mut self,
        kind: NodeKind,
        guid: Guid,
        system_guid: Guid,
        description: &str,
        ports: u32,
    ) -> Result<Handle, BuildError> {
        let node = Node {
            kind,
            guid,
            system_guid,
            id: node_id(kind, guid).into(),
            description: description.into(),
            vendor: self.maker.vendor(),
            device: self.maker.device(kind),
            enhanced_port0: false,
            chassis: None,
            declared: None,
        };
        // The caller has checked the radix against MAX_RADIX.
        self.builder.add_node(node, ports as u8)
    }

    /// Cables two ports.
    pub fn cable(&mut self, a: (Handle, u32), b: (Handle, u32)) -> Result<(), BuildError> {
        self.builder.connect(a, b)?;
        for (node, number) in [a, b] {
            let port = self.builder.port_mut(node, number)?;
            port.rate = Some(self.rate);
            port.listed = true;
        }
        Ok(())
    }

    pub fn finish(self) -> Fabric {
        self.builder.finish()
    }
}

/// The id that `ibnetdiscover` would print for a node.
pub(super) fn node_id(kind: NodeKind, guid: Guid) -> String {
    format!("{}-{:016x}", if kind == NodeKind::Switch { 'S' } else { 'H' }, guid.0)
}

/// Decimal digits of a number.
pub(super) fn digits(n: u64) -> usize {
    n.checked_ilog10().map_or(1, |d| d as usize + 1)
}

/// What switches without management all call themselves.
const UNMANAGED: &str = "Quantum Mellanox Technologies";

/// The rate of generated InfiniBand fabrics unless asked otherwise: ibsim knows none faster.
pub(super) const DEFAULT_SPEED: Speed = Speed::Hdr;
