//! Link width, speed and payload rate (InfiniBand Architecture Specification, volume 2, and the
//! names that `ibnetdiscover` prints).

use std::fmt;
use std::str::FromStr;

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

/// Lanes of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Width(u8);

impl Width {
    /// 1x, 2x, 3x (Omni-Path alone), 4x, 8x or 12x; `None` for any other number of lanes.
    pub fn new(lanes: u8) -> Option<Self> {
        matches!(lanes, 1..=4 | 8 | 12).then_some(Self(lanes))
    }

    /// Number of lanes.
    pub fn lanes(self) -> u8 {
        self.0
    }
}

/// Signalling generation of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)] // the names are the documentation
pub enum Speed {
    Sdr,
    Ddr,
    Qdr,
    /// FDR10: 10.3125 Gbaud with 64b/66b encoding, used by some 40 Gb/s equipment.
    Fdr10,
    Fdr,
    Edr,
    /// Omni-Path 100 series: 25.78125 Gbaud a lane, 64b/66b.
    Opa100,
    Hdr,
    Ndr,
    /// Omni-Path CN5000: 100 Gb/s of payload a lane.
    Cn5000,
    Xdr,
}

impl Speed {
    /// All speeds, slowest first, with the name that tools print.
    pub const ALL: [(Self, &'static str); 11] = [
        (Self::Sdr, "SDR"),
        (Self::Ddr, "DDR"),
        (Self::Qdr, "QDR"),
        (Self::Fdr10, "FDR10"),
        (Self::Fdr, "FDR"),
        (Self::Edr, "EDR"),
        (Self::Opa100, "OPA100"),
        (Self::Hdr, "HDR"),
        (Self::Ndr, "NDR"),
        (Self::Cn5000, "CN5000"),
        (Self::Xdr, "XDR"),
    ];

    /// Payload of one lane [bit/s]: the signalling rate less the line code, 8b/10b up to QDR and
    /// 64b/66b from FDR10. From HDR on the names count payload (50, 100, 200 Gb/s a lane), with
    /// forward error correction inside the signalling rate.
    pub fn payload_bits_per_lane(self) -> f64 {
        match self {
            Self::Sdr => 2.5e9 * 8.0 / 10.0,
            Self::Ddr => 5.0e9 * 8.0 / 10.0,
            Self::Qdr => 10.0e9 * 8.0 / 10.0,
            Self::Fdr10 => 10.3125e9 * 64.0 / 66.0,
            Self::Fdr => 14.0625e9 * 64.0 / 66.0,
            Self::Edr | Self::Opa100 => 25.781_25e9 * 64.0 / 66.0,
            Self::Hdr => 50e9,
            Self::Ndr | Self::Cn5000 => 100e9,
            Self::Xdr => 200e9,
        }
    }

    /// Whether links of Omni-Path run at it.
    pub fn is_omni_path(self) -> bool {
        matches!(self, Self::Opa100 | Self::Cn5000)
    }
}

/// Width and speed of a link as one end reports them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rate {
    /// Lanes in use.
    pub width: Width,
    /// Speed of each lane.
    pub speed: Speed,
}

impl Rate {
    /// So many lanes of a speed; none where no link of that speed has as many: only Omni-Path comes up on three.
    pub fn of(width: Width, speed: Speed) -> Option<Self> {
        (width != Width(3) || speed.is_omni_path()).then_some(Self { width, speed })
    }

    /// A 4x link, the usual one.
    pub fn x4(speed: Speed) -> Self {
        Self { width: Width(4), speed }
    }

    /// Payload rate of one direction [bytes/s], decimal.
    pub fn bytes_per_second(self) -> f64 {
        f64::from(self.width.0) * self.speed.payload_bits_per_lane() / 8.0
    }

    /// The nominal rate, in tenths of a Gb/s: 400 of 4x QDR, 1000 of 4x EDR and of 4x Omni-Path 100.
    pub fn nominal_tenths(self) -> u32 {
        let lane = match self.speed {
            Speed::Sdr => 25,
            Speed::Ddr => 50,
            Speed::Qdr | Speed::Fdr10 => 100,
            Speed::Fdr => 140,
            Speed::Edr | Speed::Opa100 => 250,
            Speed::Hdr => 500,
            Speed::Ndr | Speed::Cn5000 => 1000,
            Speed::Xdr => 2000,
        };
        u32::from(self.width.0) * lane
    }
}

/// By name and by payload, so that readers need no table of speeds.
impl Serialize for Rate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Rate", 2)?;
        out.serialize_field("rate", &self.to_string())?;
        out.serialize_field("bytes_per_second", &self.bytes_per_second())?;
        out.end()
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Speed::ALL.iter().find(|(s, _)| *s == self.speed).map_or("?", |(_, n)| n);
        write!(f, "{}x{name}", self.width.0)
    }
}

impl FromStr for Rate {
    type Err = ();

    /// Reads what tools print: `4xNDR`, `12xDDR`, `4xFDR10`.
    fn from_str(s: &str) -> Result<Self, ()> {
        let (lanes, name) = s.split_once('x').ok_or(())?;
        let width = lanes.parse().ok().and_then(Width::new).ok_or(())?;
        let (speed, _) = Speed::ALL.into_iter().find(|(_, n)| *n == name).ok_or(())?;
        Self::of(width, speed).ok_or(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payload_rates_are_those_of_the_standard() {
        // 4x QDR carries 32 Gb/s (40 Gb/s less 8b/10b); 4x EDR and Omni-Path 100 Gb/s; 4x NDR 400 Gb/s.
        for (text, gbit) in [
            ("4xSDR", 8.0),
            ("4xQDR", 32.0),
            ("4xEDR", 100.0),
            ("12xDDR", 48.0),
            ("4xNDR", 400.0),
            ("4xXDR", 800.0),
            ("3xOPA100", 75.0),
            ("4xCN5000", 400.0),
        ] {
            let rate: Rate = text.parse().unwrap();
            assert!((rate.bytes_per_second() * 8.0 / 1e9 - gbit).abs() < 1e-9, "{text}");
            assert_eq!(rate.to_string(), text);
        }
        assert!("3xQDR".parse::<Rate>().is_err());
        assert!("4xQ".parse::<Rate>().is_err());
    }
}
