//! The identities that every stage shares: GUIDs and dense indices.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

/// A 64-bit globally unique identifier of a node, port or system image. Zero means "none".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Guid(pub u64);

impl Guid {
    /// No GUID.
    pub const NONE: Self = Self(0);

    /// Whether a GUID is known.
    pub fn is_some(self) -> bool {
        self.0 != 0
    }

    /// The key by which OpenSM orders its tables on little-endian machines: the GUID is kept in
    /// network byte order and compared as an integer, hence from its least significant byte.
    pub fn opensm_key(self) -> u64 {
        self.0.swap_bytes()
    }
}

impl fmt::Display for Guid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0x{:016x}", self.0)
    }
}

impl Serialize for Guid {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl FromStr for Guid {
    type Err = std::num::ParseIntError;

    /// Reads 1–16 hexadecimal digits, with or without `0x`.
    fn from_str(s: &str) -> Result<Self, Self::Err> {
        let digits = s.strip_prefix("0x").or_else(|| s.strip_prefix("0X")).unwrap_or(s);
        // `from_str_radix` would take a sign, which no GUID has.
        let digits = if digits.starts_with(['+', '-']) { "" } else { digits };
        u64::from_str_radix(digits, 16).map(Self)
    }
}

/// Dense index of a node. Switches come first: ids below [`Fabric::num_switches`] are switches.
///
/// [`Fabric::num_switches`]: super::Fabric::num_switches
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

/// Dense index of a port over the whole fabric. The ports of one node are consecutive, port 0
/// (management) first, so that `first_port + number` is the port with that number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PortId(pub u32);

impl NodeId {
    /// As an array index.
    pub fn ix(self) -> usize {
        self.0 as usize
    }
}

impl PortId {
    /// As an array index.
    pub fn ix(self) -> usize {
        self.0 as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opensm_orders_by_the_last_byte_first() {
        // Hand derivation: ...0101 ends in 01, ...00ff ends in ff, so 0101 comes first.
        assert!(Guid(0x0101).opensm_key() < Guid(0x00ff).opensm_key());
    }

    #[test]
    fn guids_read_with_and_without_prefix_and_refuse_signs() {
        assert_eq!("0x2c9".parse(), Ok(Guid(0x2c9)));
        assert_eq!("2c9".parse(), Ok(Guid(0x2c9)));
        assert!("+2c9".parse::<Guid>().is_err());
        assert!("0x".parse::<Guid>().is_err());
    }
}
