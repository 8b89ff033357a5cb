//! The reader: one pass over the elements, with a stack of open elements.

use std::borrow::Cow;

use super::counters::COUNTERS;
use super::dump::{Snapshot, SnapshotCable, SnapshotNode, SnapshotPort, SnapshotSm};
use super::tags::Element;
use crate::fabric::{Capability, Guid, Lanes, Rate, Speed, Width};
use crate::io::note::Notes;
use crate::io::text::{MAX_DESCRIPTION, number};
use crate::io::xml::{Step, Tag, Xml};
use crate::io::{NoteKind, ReadError};
use crate::sm::lids::{MAX_LMC, MAX_OMNI_PATH_LID};
use crate::sm::port_groups::MOST_GROUPS;

impl Snapshot {
    /// Reads the elements of a snapshot.
    pub(crate) fn parse(text: &str, notes: &mut Notes) -> Result<Self, ReadError> {
        let mut xml = Xml::new(text);
        let root = match xml.next(notes)? {
            Step::Open(tag) if tag.name == "Snapshot" => tag,
            _ => return Err(xml.refuse("no snapshot: its outermost element is not <Snapshot>")),
        };
        let mut reader =
            SnapshotReader { snapshot: Self::default(), open: Vec::new(), codes: RateCodes::default() };
        reader.root(&mut xml, root)?;
        reader.open.push(OpenTag { element: Element::Snapshot, found: 0 });
        while let Some(here) = reader.open.last().map(|open| open.element) {
            match xml.next(notes)? {
                Step::Open(tag) => reader.opens(&mut xml, here, tag, notes)?,
                Step::Close(..) => reader.closes(&mut xml, notes)?,
                Step::End => break,
            }
        }
        match xml.next(notes)? {
            Step::End => Ok(reader.snapshot),
            _ => Err(xml.refuse("an element after the snapshot")),
        }
    }
}

/// An element that is open, and which of its demanded tags were found.
struct OpenTag {
    element: Element,
    found: u64,
}

struct SnapshotReader {
    snapshot: Snapshot,
    open: Vec<OpenTag>,
    /// Of the open port.
    codes: RateCodes,
}

impl SnapshotReader {
    fn root(&mut self, xml: &mut Xml<'_>, tag: Tag<'_>) -> Result<(), ReadError> {
        for name in ["unixtime", "stats"] {
            let Some(value) = tag.attribute(name) else {
                return Err(xml.refuse(format!("Missing {name} attribute in <Snapshot>")));
            };
            let Some(value) = number(&value) else {
                return Err(xml.refuse(format!("Invalid {name} attribute in <Snapshot>")));
            };
            if name == "unixtime" {
                self.snapshot.unixtime = value;
            }
        }
        Ok(())
    }

    fn opens(
        &mut self,
        xml: &mut Xml<'_>,
        here: Element,
        tag: Tag<'_>,
        notes: &mut Notes,
    ) -> Result<(), ReadError> {
        let demanded = here.demanded().iter().position(|&name| name == tag.name);
        if let (Some(at), Some(open)) = (demanded, self.open.last_mut()) {
            open.found |= 1 << at;
        }
        if let Some(inner) = here.inner(tag.name) {
            self.enters(xml, inner)?;
            self.open.push(OpenTag { element: inner, found: 0 });
            return Ok(());
        }
        if here == Element::LinearFdb || here == Element::PortGroupElements || here == Element::PortGroupFdb {
            return self.value(xml, here, tag, notes);
        }
        if demanded.is_none() {
            if !here.knows(tag.name) {
                notes.add(NoteKind::UnknownTag, xml.line(), &format!("<{}> in <{}>", tag.name, here.name()));
            }
            return xml.skip(notes);
        }
        let Some(text) = leaf(xml, notes)? else { return Ok(()) };
        self.field(xml, here, tag.name, &text)
    }

    /// Begins an element that is read into.
    fn enters(&mut self, xml: &mut Xml<'_>, element: Element) -> Result<(), ReadError> {
        let s = &mut self.snapshot;
        let line = xml.line();
        match element {
            Element::Node => {
                let (ports, linear) = (s.ports.len(), s.entries.len());
                let (groups, entries) = (s.masks.len(), s.group_entries.len());
                s.nodes.push(SnapshotNode {
                    ports: ports..ports,
                    linear: linear..linear,
                    groups: groups..groups,
                    group_entries: entries..entries,
                    line,
                    ..SnapshotNode::default()
                });
            }
            Element::PortInfo => {
                s.ports.push(SnapshotPort { line, ..SnapshotPort::default() });
                self.codes = RateCodes::default();
            }
            Element::PortStatus => {
                let counters = s.counters.len() as u32;
                if s.ports.last().is_some_and(|port| port.counters.is_some()) {
                    return Err(xml.refuse("More than 1 PortStatus for Port"));
                }
                s.counters.push([0; COUNTERS.len()]);
                if let Some(port) = s.ports.last_mut() {
                    port.counters = Some(counters);
                }
            }
            Element::Link => s.cables.push(SnapshotCable { line, ..SnapshotCable::default() }),
            Element::Sm => s.managers.push(SnapshotSm::default()),
            Element::LinearFdb => {
                if let Some(node) = s.nodes.last_mut() {
                    node.has_linear = true;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Ends an element that was read into.
    fn closes(&mut self, xml: &mut Xml<'_>, notes: &mut Notes) -> Result<(), ReadError> {
        let Some(open) = self.open.pop() else { return Ok(()) };
        let demanded = open.element.demanded().iter().enumerate();
        let missing: Vec<&str> =
            demanded.filter(|(i, _)| open.found & 1 << i == 0).map(|(_, &name)| name).collect();
        if !missing.is_empty() {
            let name = open.element.name();
            return Err(xml.refuse(format!("Mandatory Tag Not Found: {} (in <{name}>)", missing.join(", "))));
        }
        let s = &mut self.snapshot;
        match open.element {
            Element::PortInfo => {
                if let Some(port) = s.ports.last_mut() {
                    self.codes.decode(port);
                    if port.lanes.is_some_and(Lanes::has_lost) {
                        notes.add(NoteKind::Downgraded, port.line, "");
                    }
                    if port.rate.is_none() && port.state == ACTIVE && port.number > 0 {
                        let RateCodes { speed, width, .. } = self.codes;
                        let text = format!("LinkSpeedActive_Int {speed}, LinkWidthActive_Int {width}");
                        notes.add(NoteKind::UnknownRate, port.line, &text);
                    }
                }
            }
            Element::Node => {
                if let Some(node) = s.nodes.last_mut() {
                    node.ports.end = s.ports.len();
                    node.linear.end = s.entries.len();
                    node.groups.end = s.masks.len();
                    node.group_entries.end = s.group_entries.len();
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// `<Value LID="0x1">5</Value>`, or by `PortGroupNumber`.
    fn value(
        &mut self,
        xml: &mut Xml<'_>,
        here: Element,
        tag: Tag<'_>,
        notes: &mut Notes,
    ) -> Result<(), ReadError> {
        if tag.name != "Value" {
            notes.add(NoteKind::UnknownTag, xml.line(), &format!("<{}> in <{}>", tag.name, here.name()));
            return xml.skip(notes);
        }
        let key = if here == Element::PortGroupElements { "PortGroupNumber" } else { "LID" };
        let Some(at) = tag.attribute(key).map(Cow::into_owned) else {
            return Err(xml.refuse(format!("Missing {key} attribute for {}.Value", here.name())));
        };
        let invalid = |xml: &mut Xml<'_>, what: &str| {
            Err(xml.refuse(format!("Invalid {what} in {}.Value", here.name())))
        };
        let Some(text) = leaf(xml, notes)? else { return Ok(()) };
        let node = self.snapshot.nodes.last();
        let (linear, groups) = node.map_or((0, 0), |node| (node.linear_size, node.group_size));
        let at = number(&at).and_then(|n| u32::try_from(n).ok());
        if here == Element::PortGroupElements {
            let Some(group) = at.filter(|&g| g < groups && (g as usize) < MOST_GROUPS) else {
                return invalid(xml, "PortGroupNumber attribute");
            };
            let digits = text.strip_prefix("0x").unwrap_or(&text).trim_start_matches('0');
            if digits.len() > 16 && digits.bytes().all(|b| b.is_ascii_hexdigit()) {
                return Err(
                    xml.refuse("a port group with ports beyond 64, which Omni-Path's switches do not have")
                );
            }
            let Some(mask) = number(&text) else { return invalid(xml, "PortMask") };
            self.snapshot.masks.push((group, mask));
            return Ok(());
        }
        let within = |&lid: &u32| lid <= MAX_OMNI_PATH_LID && (here != Element::LinearFdb || lid < linear);
        let Some(lid) = at.filter(within) else { return invalid(xml, "LID attribute") };
        let Some(port) = number(&text).and_then(|n| u8::try_from(n).ok()) else {
            return invalid(
                xml,
                if here == Element::LinearFdb { "Port number" } else { "Port Group number" },
            );
        };
        let s = &mut self.snapshot;
        if here == Element::LinearFdb {
            s.entries.push((lid, port));
        } else {
            s.group_entries.push((lid, port));
        }
        Ok(())
    }

    /// A field with its text.
    fn field(&mut self, xml: &mut Xml<'_>, here: Element, tag: &str, text: &str) -> Result<(), ReadError> {
        let is_text = matches!(tag, "NodeDesc" | "SM_Key" | "M_Key");
        let value = if is_text { Some(0) } else { number(text) };
        let within = |most: u64| value.filter(|&value| value <= most);
        let invalid =
            |xml: &mut Xml<'_>| Err(xml.refuse(format!("<{tag}> is {text:?}: no number, or out of range")));
        macro_rules! number_up_to {
            ($most:expr) => {
                match within(u64::from($most)) {
                    Some(value) => value,
                    None => return invalid(xml),
                }
            };
        }
        let s = &mut self.snapshot;
        match here {
            Element::Node => {
                let Some(node) = s.nodes.last_mut() else { return Ok(()) };
                match tag {
                    "NodeDesc" if text.len() > MAX_DESCRIPTION => {
                        return Err(xml.refuse("a description longer than 4096 bytes"));
                    }
                    "NodeDesc" => node.description = text.into(),
                    "NodeGUID" => node.guid = Guid(number_up_to!(u64::MAX)),
                    "SystemImageGUID" => node.system_guid = Guid(number_up_to!(u64::MAX)),
                    "NodeType_Int" => node.is_switch = number_up_to!(u8::MAX) == SWITCH,
                    "NumPorts" => node.radix = number_up_to!(MOST_PORTS) as u8,
                    "VendorID" => node.vendor = number_up_to!(u32::MAX) as u32,
                    "DeviceID" => node.device = number_up_to!(u32::MAX) as u32,
                    _ => {}
                }
            }
            Element::PortInfo => {
                let Some(port) = s.ports.last_mut() else { return Ok(()) };
                match tag {
                    "PortNum" => port.number = number_up_to!(MOST_PORTS) as u8,
                    "GUID" => port.guid = Guid(number_up_to!(u64::MAX)),
                    "SubnetPrefix" => port.subnet_prefix = number_up_to!(u64::MAX),
                    "LID" => port.lid = number_up_to!(MAX_OMNI_PATH_LID) as u32,
                    "LMC" => port.lmc = number_up_to!(MAX_LMC) as u8,
                    "MTUSupported" => port.mtu = number_up_to!(u16::MAX) as u16,
                    "PortState_Int" => port.state = number_up_to!(u8::MAX) as u8,
                    "PhysState_Int" => port.physical = number_up_to!(u8::MAX) as u8,
                    _ if self.codes.field(tag).is_some() => {
                        let code = number_up_to!(u16::MAX);
                        if let Some(field) = self.codes.field(tag) {
                            *field = code;
                        }
                    }
                    _ => {}
                }
            }
            Element::PortStatus => {
                let at = COUNTERS.iter().position(|&name| name == tag);
                if let (Some(at), Some(counters)) = (at, s.counters.last_mut()) {
                    counters[at] = number_up_to!(u64::MAX);
                }
            }
            Element::SwitchInfo if tag == "U2" => {
                let flags = number_up_to!(u8::MAX);
                if let Some(node) = s.nodes.last_mut() {
                    node.enhanced_port0 = flags & ENHANCED_PORT0 != 0;
                }
            }
            Element::SwitchData => {
                let Some(node) = s.nodes.last_mut() else { return Ok(()) };
                match tag {
                    "LinearFDBSize" => node.linear_size = number_up_to!(u32::MAX) as u32,
                    "PortGroupSize" => node.group_size = number_up_to!(u32::MAX) as u32,
                    _ => {}
                }
            }
            Element::Sm => {
                let Some(sm) = s.managers.last_mut() else { return Ok(()) };
                match tag {
                    "LID" => sm.lid = number_up_to!(u32::MAX) as u32,
                    "PortGUID" => sm.port_guid = Guid(number_up_to!(u64::MAX)),
                    "State_Int" => sm.state = number_up_to!(u8::MAX) as u8,
                    "Priority" => sm.priority = number_up_to!(u8::MAX) as u8,
                    _ => {}
                }
            }
            Element::From | Element::To => {
                let Some(cable) = s.cables.last_mut() else { return Ok(()) };
                let end = if here == Element::From { &mut cable.from } else { &mut cable.to };
                match tag {
                    "NodeGUID" => end.0 = Guid(number_up_to!(u64::MAX)),
                    "PortNum" => end.1 = number_up_to!(MOST_PORTS) as u8,
                    _ => {}
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// `NodeType_Int` of a switch.
const SWITCH: u64 = 2;
/// `PortState_Int` of a port that carries traffic.
pub(super) const ACTIVE: u8 = 4;
/// Bit of `U2` in `SwitchInfo`.
const ENHANCED_PORT0: u64 = 0x08;
/// Ports that a node can have here.
const MOST_PORTS: u8 = 254;

/// The text of the element that the last step opened; `None` if it holds elements, which are skipped.
fn leaf<'a>(xml: &mut Xml<'a>, notes: &mut Notes) -> Result<Option<Cow<'a, str>>, ReadError> {
    match xml.next(notes)? {
        Step::Close(_, text) => Ok(Some(text)),
        Step::Open(_) => {
            xml.skip(notes)?;
            loop {
                match xml.next(notes)? {
                    Step::Open(_) => xml.skip(notes)?,
                    Step::Close(..) | Step::End => return Ok(None),
                }
            }
        }
        Step::End => Ok(None),
    }
}

/// The codes of a port's widths and speeds: a bit for each width (1x, 2x, 3x, 4x) and speed.
#[derive(Clone, Copy, Default)]
struct RateCodes {
    speed: u64,
    width: u64,
    sending: u64,
    receiving: u64,
    supported: (u64, u64),
    enabled: (u64, u64),
}

impl RateCodes {
    /// Where a tag's value goes.
    fn field(&mut self, tag: &str) -> Option<&mut u64> {
        Some(match tag {
            "LinkSpeedActive_Int" => &mut self.speed,
            "LinkWidthActive_Int" => &mut self.width,
            "LinkWidthDowngradeTxActive_Int" => &mut self.sending,
            "LinkWidthDowngradeRxActive_Int" => &mut self.receiving,
            "LinkWidthSupported_Int" => &mut self.supported.0,
            "LinkSpeedSupported_Int" => &mut self.supported.1,
            "LinkWidthEnabled_Int" => &mut self.enabled.0,
            "LinkSpeedEnabled_Int" => &mut self.enabled.1,
            _ => return None,
        })
    }

    fn decode(&self, port: &mut SnapshotPort) {
        let brought_up = width(self.width);
        // A code of 0 says nothing: the port has no link, or its firmware does not count lanes.
        let in_use = |code: u64| width(code).or(brought_up);
        port.lanes = brought_up.and_then(|brought_up| {
            let (sending, receiving) =
                (in_use(self.sending)?.min(brought_up), in_use(self.receiving)?.min(brought_up));
            Some(Lanes { brought_up, sending, receiving })
        });
        port.rate = speed(self.speed)
            .zip(port.lanes.map(|lanes| lanes.sending))
            .map(|(speed, width)| Rate { width, speed });
        port.supported = capability(self.supported);
        port.enabled = capability(self.enabled);
    }
}

/// The speed of a code: 25G (2) and, since CN5000, 100G (8).
fn speed(code: u64) -> Option<Speed> {
    match code {
        2 => Some(Speed::Opa100),
        8 => Some(Speed::Cn5000),
        _ => None,
    }
}

/// The width of a code of one bit.
fn width(code: u64) -> Option<Width> {
    let lanes = code.checked_ilog2().filter(|_| code.is_power_of_two() && code <= 8)? + 1;
    Width::new(lanes as u8)
}

fn capability((widths, speeds): (u64, u64)) -> Capability {
    let bits = |code: u64| (0..16).map(|bit| 1u64 << bit).filter(move |bit| code & bit != 0);
    let known = bits(widths).filter_map(width).fold(Capability::default(), Capability::with_width);
    bits(speeds).filter_map(speed).fold(known, Capability::with_speed)
}
