//! What a cable's own memory says of it, as read through one of its ends.

use serde::{Deserialize, Serialize};

use super::PortId;

/// A cable or a transceiver. What the source does not say is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CablePart {
    /// Who made it.
    pub vendor: Box<str>,
    /// Part number.
    pub part: Box<str>,
    /// Serial number: of both ends of a cable, of each transceiver its own.
    pub serial: Box<str>,
    /// Revision.
    pub revision: Box<str>,
    /// Length, as read: `3 m`.
    pub length: Box<str>,
    /// Temperature at this end [°C].
    pub temperature: Option<i16>,
}

impl CablePart {
    /// Whether nothing is known.
    pub fn is_unknown(&self) -> bool {
        *self == Self::default()
    }
}

/// Parts by port, at most one each.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct CableParts(Vec<(PortId, CablePart)>);

impl CableParts {
    /// Keeps the last part of each port, and none of which nothing is known.
    pub fn of(mut parts: Vec<(PortId, CablePart)>) -> Self {
        parts.retain(|(_, part)| !part.is_unknown());
        parts.sort_by_key(|(port, _)| *port);
        parts.dedup_by(|later, earlier| {
            let same = later.0 == earlier.0;
            if same {
                std::mem::swap(&mut earlier.1, &mut later.1);
            }
            same
        });
        Self(parts)
    }

    pub fn get(&self, port: PortId) -> Option<&CablePart> {
        let at = self.0.binary_search_by_key(&port, |(port, _)| *port).ok()?;
        Some(&self.0[at].1)
    }

    pub fn each(&self) -> &[(PortId, CablePart)] {
        &self.0
    }

    /// The parts after `new_port` says where each port is now; those of ports that are gone are left out.
    pub fn moved(&self, new_port: impl Fn(PortId) -> Option<PortId>) -> Self {
        let parts = self.0.iter().filter_map(|(port, part)| Some((new_port(*port)?, part.clone())));
        Self::of(parts.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_part_of_a_port_counts() {
        let part = |serial: &str| CablePart { serial: serial.into(), ..CablePart::default() };
        let parts = CableParts::of(vec![
            (PortId(7), part("a")),
            (PortId(3), part("c")),
            (PortId(7), part("b")),
            (PortId(9), CablePart::default()),
        ]);
        assert_eq!(parts.get(PortId(7)), Some(&part("b")));
        assert_eq!((parts.get(PortId(9)), parts.each().len()), (None, 2));
        assert_eq!(parts.moved(|port| (port != PortId(3)).then_some(PortId(1))).each().len(), 1);
    }
}
