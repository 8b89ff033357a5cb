//! What a fabric file keeps of ports beyond their identity and rate, and of what the source could show.

use serde::{Deserialize, Serialize};

use crate::fabric::{Capability, Coverage, Lanes, PhysicalState, PortDetail, PortState, Speed, Width};
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

/// [`Coverage`]: what the source cannot show is `false`, all else may be absent.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct FileCoverage {
    switches: bool,
    end_nodes: bool,
    cables: bool,
    both_ends_of_trunks: bool,
    both_ends_of_end_nodes: bool,
    end_node_guids: bool,
    radix: bool,
}

impl Default for FileCoverage {
    fn default() -> Self {
        Self::of(Coverage::WHOLE)
    }
}

impl FileCoverage {
    pub fn of(coverage: Coverage) -> Self {
        let Coverage {
            switches,
            end_nodes,
            cables,
            both_ends_of_trunks,
            both_ends_of_end_nodes,
            end_node_guids,
            radix,
        } = coverage;
        Self {
            switches,
            end_nodes,
            cables,
            both_ends_of_trunks,
            both_ends_of_end_nodes,
            end_node_guids,
            radix,
        }
    }

    pub fn to_coverage(&self) -> Coverage {
        Coverage {
            switches: self.switches,
            end_nodes: self.end_nodes,
            cables: self.cables,
            both_ends_of_trunks: self.both_ends_of_trunks,
            both_ends_of_end_nodes: self.both_ends_of_end_nodes,
            end_node_guids: self.end_node_guids,
            radix: self.radix,
        }
    }
}
