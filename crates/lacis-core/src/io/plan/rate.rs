//! The planned rate of a cable.

use std::fmt;

use crate::fabric::{Rate, Speed};

/// A rate as plans write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlannedRate {
    /// `100g`: all lanes together, in tenths of a Gb/s of the nominal rate (4x QDR is 40 Gb/s).
    Tenths(u32),
    /// `4xHDR`.
    Exact(Rate),
    /// `HDR`, whatever the width.
    Speed(Speed),
}

impl PlannedRate {
    /// Reads `100g`, `12.5g`, `100Gb/s`, `100 Gbps`, `4xHDR` or `HDR`.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Ok(rate) = text.parse() {
            return Some(Self::Exact(rate));
        }
        if let Some((speed, _)) = Speed::ALL.iter().find(|(_, name)| name.eq_ignore_ascii_case(text)) {
            return Some(Self::Speed(*speed));
        }
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, unit) = text.split_at(end);
        let known = ["", "g", "gb", "gb/s", "gbps", "gbit", "gbit/s"];
        if !known.iter().any(|word| unit.trim().eq_ignore_ascii_case(word)) {
            return None;
        }
        let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
        let digits = |s: &str| !s.is_empty() && s.len() <= 5 && s.bytes().all(|b| b.is_ascii_digit());
        if !digits(whole) || !digits(fraction) || fraction.trim_end_matches('0').len() > 1 {
            return None;
        }
        let tenth = u32::from(fraction.as_bytes()[0] - b'0');
        Some(Self::Tenths(whole.parse::<u32>().ok()? * 10 + tenth))
    }

    /// Whether a cable that runs at a rate is as planned.
    pub fn allows(self, found: Rate) -> bool {
        match self {
            Self::Tenths(tenths) => tenths == found.nominal_tenths(),
            Self::Exact(rate) => rate == found,
            Self::Speed(speed) => speed == found.speed,
        }
    }
}

impl fmt::Display for PlannedRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Tenths(tenths) if tenths % 10 == 0 => write!(f, "{}g", tenths / 10),
            Self::Tenths(tenths) => write!(f, "{}.{}g", tenths / 10, tenths % 10),
            Self::Exact(rate) => rate.fmt(f),
            Self::Speed(speed) => {
                f.write_str(Speed::ALL.iter().find(|(s, _)| *s == speed).map_or("?", |(_, name)| name))
            }
        }
    }
}
