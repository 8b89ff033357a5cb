//! Widths, speeds and states as OpenSM and ibdiagnet print them: `4x`, `50`, `FDR10`, `ACT`, `LINK UP`.

use crate::fabric::{PhysicalState, PortState, Rate, Speed, Width};

/// The speed of a lane in Gb/s as OpenSM and ibdiagnet print it, without decimals from FDR on; or its name.
pub(super) fn speed(text: &str) -> Option<Speed> {
    let nominal = [
        ("2.5", Speed::Sdr),
        ("5", Speed::Ddr),
        ("10", Speed::Qdr),
        ("14", Speed::Fdr),
        ("25", Speed::Edr),
        ("50", Speed::Hdr),
        ("100", Speed::Ndr),
        ("200", Speed::Xdr),
    ];
    let known = nominal.into_iter().chain(Speed::ALL.into_iter().map(|(speed, name)| (name, speed)));
    known.into_iter().find_map(|(name, speed)| (name == text).then_some(speed))
}

/// A width such as `4x`.
pub(super) fn width(text: &str) -> Option<Width> {
    text.strip_suffix(['x', 'X'])?.parse().ok().and_then(Width::new)
}

/// A width and a speed; none where either is not known, or no link has both.
pub(super) fn rate(width_text: &str, speed_text: &str) -> Option<Rate> {
    Rate::of(width(width_text)?, speed(speed_text)?)
}

/// The width that the specification's bit stands for.
pub(super) fn width_bit(bit: u64) -> Option<Width> {
    let lanes = match bit {
        1 => 1,
        2 => 4,
        4 => 8,
        8 => 12,
        16 => 2,
        _ => return None,
    };
    Width::new(lanes)
}

/// A state: `ACT`, `ARM`, `INI` or `DWN`, or the whole word.
pub(super) fn state(text: &str) -> Option<PortState> {
    Some(match text.to_ascii_uppercase().as_str() {
        "ACT" | "ACTIVE" => PortState::Active,
        "ARM" | "ARMED" => PortState::Armed,
        "INI" | "INIT" | "INITIALIZE" => PortState::Initialize,
        "DWN" | "DOWN" => PortState::Down,
        _ => return None,
    })
}

/// A physical state: `LINK UP`, `LINK_UP`, `POLL`.
pub(super) fn physical(text: &str) -> Option<PhysicalState> {
    let plain: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
    Some(match plain.to_ascii_uppercase().as_str() {
        "LINKUP" => PhysicalState::LinkUp,
        "POLL" | "POLLING" => PhysicalState::Polling,
        "DISABLE" | "DISABLED" => PhysicalState::Disabled,
        "SLEEP" => PhysicalState::Sleep,
        "PORTCONFTRAIN" | "PORTCONFIGURATIONTRAINING" | "TRAINING" => PhysicalState::Training,
        "LINKERRRECOVER" | "LINKERRORRECOVERY" => PhysicalState::ErrorRecovery,
        "PHYTEST" => PhysicalState::PhyTest,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_lanes_are_a_rate_of_omni_path_alone() {
        assert_eq!(rate("4x", "50"), "4xHDR".parse().ok());
        assert_eq!(rate("3x", "50"), None);
        assert_eq!(rate("3x", "OPA100").map(|rate| rate.to_string()), Some("3xOPA100".into()));
    }
}
