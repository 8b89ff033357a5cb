//! What a fabric file keeps of ports beyond their identity and rate, and of what the source could show.

use std::fmt;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::fabric::{
    Capability, Coverage, FabricPart, Lanes, PhysicalState, PortDetail, PortState, Speed, Width,
};
use crate::io::note::excerpt;

/// [`PortDetail`]: states and speeds by name, widths by lanes.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileDetail {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    state: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    physical: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    supported_widths: Vec<u8>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    supported_speeds: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    enabled_widths: Vec<u8>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    enabled_speeds: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    could_be_width: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    could_be_speed: Option<String>,
    /// Lanes that the link was brought up with, that this end sends on, and that it receives on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lanes: Option<[u8; 3]>,
}

fn width(lanes: u8) -> Result<Width, String> {
    Width::new(lanes).ok_or_else(|| format!("no link has {lanes} lanes"))
}

fn speed(name: &str) -> Result<Speed, String> {
    let found = Speed::ALL.into_iter().find(|&(_, own)| own == name).map(|(speed, _)| speed);
    found.ok_or_else(|| format!("unknown speed \"{}\"", excerpt(name)))
}

fn speed_name(speed: Speed) -> String {
    Speed::ALL[speed as usize].1.to_owned()
}

fn capability(widths: &[u8], speeds: &[String]) -> Result<Capability, String> {
    let mut out = Capability::default();
    for &lanes in widths {
        out = out.with_width(width(lanes)?);
    }
    for name in speeds {
        out = out.with_speed(speed(name)?);
    }
    Ok(out)
}

impl FileDetail {
    pub fn of(detail: PortDetail) -> Self {
        let widths = |capability: Capability| capability.widths().map(Width::lanes).collect();
        let speeds = |capability: Capability| capability.speeds().map(speed_name).collect();
        Self {
            state: detail.state.map(|state| state.name().to_owned()),
            physical: detail.physical.map(|state| state.name().to_owned()),
            supported_widths: widths(detail.supported),
            supported_speeds: speeds(detail.supported),
            enabled_widths: widths(detail.enabled),
            enabled_speeds: speeds(detail.enabled),
            could_be_width: detail.could_be_width.map(Width::lanes),
            could_be_speed: detail.could_be_speed.map(speed_name),
            lanes: detail.lanes.map(|it| [it.brought_up.lanes(), it.sending.lanes(), it.receiving.lanes()]),
        }
    }

    pub fn to_detail(&self) -> Result<PortDetail, String> {
        let state = |name: &String| {
            let found = PortState::ALL.into_iter().find(|&(.., own)| own == name).map(|(state, ..)| state);
            found.ok_or_else(|| format!("unknown port state \"{}\"", excerpt(name)))
        };
        let physical = |name: &String| {
            let found =
                PhysicalState::ALL.into_iter().find(|&(.., own)| own == name).map(|(state, ..)| state);
            found.ok_or_else(|| format!("unknown physical state \"{}\"", excerpt(name)))
        };
        let lanes = |[brought_up, sending, receiving]: [u8; 3]| {
            Ok::<_, String>(Lanes {
                brought_up: width(brought_up)?,
                sending: width(sending)?,
                receiving: width(receiving)?,
            })
        };
        Ok(PortDetail {
            state: self.state.as_ref().map(state).transpose()?,
            physical: self.physical.as_ref().map(physical).transpose()?,
            supported: capability(&self.supported_widths, &self.supported_speeds)?,
            enabled: capability(&self.enabled_widths, &self.enabled_speeds)?,
            could_be_width: self.could_be_width.map(width).transpose()?,
            could_be_speed: self.could_be_speed.as_deref().map(speed).transpose()?,
            lanes: self.lanes.map(lanes).transpose()?,
        })
    }
}

/// [`Coverage`], by the names of its parts: what the source cannot show is `false`, all else may be absent.
#[derive(Default)]
pub(super) struct FileCoverage(pub Coverage);

impl Serialize for FileCoverage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(FabricPart::ALL.map(|part| (part.name(), self.0.shows(part))))
    }
}

impl<'de> Deserialize<'de> for FileCoverage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(CoverageVisitor)
    }
}

struct CoverageVisitor;

impl<'de> Visitor<'de> for CoverageVisitor {
    type Value = FileCoverage;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("struct FileCoverage")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<FileCoverage, A::Error> {
        let mut coverage = Coverage::WHOLE;
        let mut given: Vec<FabricPart> = Vec::new();
        while let Some(name) = members.next_key::<String>()? {
            let Some(part) = FabricPart::ALL.into_iter().find(|part| part.name() == name) else {
                return Err(A::Error::unknown_field(&name, &FabricPart::NAMES));
            };
            if given.contains(&part) {
                return Err(A::Error::duplicate_field(part.name()));
            }
            given.push(part);
            coverage = coverage.with(part, members.next_value()?);
        }
        Ok(FileCoverage(coverage))
    }
}
