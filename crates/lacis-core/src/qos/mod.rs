//! Quality of service: which lane a service level has, which lane goes first, and which may interrupt.
//!
//! Service levels of packets become lanes of links by the tables of an engine that assigns lanes
//! ([`crate::sm::lanes`]), otherwise by one mapping for all links.

mod arbitration;

pub use arbitration::Arbitration;
pub(crate) use arbitration::{HIGH, LOW};

use crate::sm::lanes::PathLanes;

/// The lanes of every link, and how links serve them. Which lane a packet of some path has may be up to the tables:
/// [`PathLanes`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lanes {
    /// Lanes of every link; 0: as many as the tables or the mapping need.
    pub count: u8,
    /// The lane of each service level, on every link; none: its own number. Not with tables that assign lanes.
    pub mapping: Option<[u8; 16]>,
    /// How outputs choose among lanes; none: by turns.
    pub arbitration: Option<Arbitration>,
    /// Whether packets of lanes of high priority interrupt others on a link.
    pub preempt: bool,
}

/// Lanes that do not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LanesError {
    /// The tables assign lanes.
    #[error("the tables assign lanes ({0}): `lanes` and `sl2vl` cannot be combined with them")]
    OfTables(usize),
    /// More than there are.
    #[error("a link has 1 to 15 lanes of data, not {0}")]
    Count(u8),
    /// No such lane for a service level.
    #[error("service level {0} goes to lane {1}, and links have lanes 0 to {2} (`lanes`, `sl2vl`)")]
    Unmapped(u8, u8, usize),
    /// No such lane in an arbitration table.
    #[error("an arbitration table has lane {0}, and links have lanes 0 to {1}")]
    NoSuchLane(u8, usize),
    /// A lane that would wait forever.
    #[error("lane {0} is used and has no weight in either arbitration table: its packets would never leave")]
    NoWeight(u8),
    /// Nothing has priority.
    #[error("`preempt` needs lanes of high priority, which interrupt the others: `vlarb_high`")]
    NothingUrgent,
    /// One read at a time.
    #[error("`preempt` needs `queues` virtual: an input that is read once at a time cannot be interrupted")]
    OneRead,
}

impl Lanes {
    /// Number of lanes of a link; `tables`: the lanes of the routing tables, if any.
    pub fn num_lanes(&self, tables: Option<&PathLanes>) -> usize {
        let of_mapping = || self.mapping.map_or(1, |lanes| lanes.into_iter().fold(0, u8::max) + 1);
        match (tables, self.count) {
            (Some(tables), _) => tables.num_lanes(),
            (None, 0) => usize::from(of_mapping()),
            (None, count) => usize::from(count),
        }
    }

    /// The lane of a service level where the tables have none.
    #[inline]
    pub fn lane(&self, sl: u8) -> u8 {
        self.mapping.map_or(sl, |lanes| lanes[usize::from(sl & 15)])
    }

    /// Checks that every service level in use has a lane, and every lane in use its turn.
    ///
    /// # Errors
    /// The first level or lane that does not fit.
    pub fn check(&self, tables: Option<&PathLanes>, levels: &[u8]) -> Result<(), LanesError> {
        let lanes = self.num_lanes(tables);
        if tables.is_some() && (self.count > 0 || self.mapping.is_some()) {
            return Err(LanesError::OfTables(lanes));
        }
        if tables.is_none() && !(1..=15).contains(&lanes) {
            return Err(LanesError::Count(lanes as u8));
        }
        let used: Vec<u8> = if tables.is_some() {
            (0..lanes as u8).collect()
        } else {
            let unmapped = levels.iter().find(|&&sl| usize::from(self.lane(sl)) >= lanes);
            if let Some(&sl) = unmapped {
                return Err(LanesError::Unmapped(sl, self.lane(sl), lanes - 1));
            }
            levels.iter().map(|&sl| self.lane(sl)).collect()
        };
        if let Some(tables) = &self.arbitration {
            if let Some(lane) = tables.lanes().find(|&lane| usize::from(lane) >= lanes) {
                return Err(LanesError::NoSuchLane(lane, lanes - 1));
            }
            if let Some(&lane) = used.iter().find(|&&lane| tables.lanes().all(|served| served != lane)) {
                return Err(LanesError::NoWeight(lane));
            }
        }
        if self.preempt && self.arbitration.is_none_or(|tables| tables.urgent() == 0) {
            return Err(LanesError::NothingUrgent);
        }
        Ok(())
    }
}
