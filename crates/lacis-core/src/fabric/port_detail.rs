//! What only some sources say of a port: its states, what it can do, and its lanes in use.
//!
//! A dump of `ibnetdiscover` says none of this. `iblinkinfo`, ibdiagnet's `db_csv`, OpenSM's subnet list and Omni-Path's
//! snapshots say some: a fabric keeps it in a table beside its ports, which is empty where the source says nothing.

use super::{Rate, Speed, Width};

/// The logical state of a port (InfiniBand Architecture Specification, `PortInfo:PortState`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PortState {
    /// No link.
    Down,
    /// A link that no subnet manager has configured: only management packets pass.
    Initialize,
    /// Configured but not activated: no data is sent.
    Armed,
    /// Data passes.
    Active,
}

impl PortState {
    /// Every state, with its code and the name that `iblinkinfo` prints.
    pub const ALL: [(Self, u8, &'static str); 4] = [
        (Self::Down, 1, "Down"),
        (Self::Initialize, 2, "Initialize"),
        (Self::Armed, 3, "Armed"),
        (Self::Active, 4, "Active"),
    ];

    /// The state of a code of `PortInfo`.
    pub fn of_code(code: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|&(_, own, _)| u64::from(own) == code).map(|(state, ..)| state)
    }

    /// As `iblinkinfo` prints it.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].2
    }

    /// Its code in `PortInfo`.
    pub fn code(self) -> u8 {
        Self::ALL[self as usize].1
    }
}

/// The physical state of a port (`PortInfo:PortPhysicalState`; `Offline` and `Test` are Omni-Path's).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)] // the names are the documentation
pub enum PhysicalState {
    Sleep,
    Polling,
    Disabled,
    Training,
    LinkUp,
    ErrorRecovery,
    PhyTest,
    Offline,
    Test,
}

impl PhysicalState {
    /// Every state, with its code and the name that tools print.
    pub const ALL: [(Self, u8, &'static str); 9] = [
        (Self::Sleep, 1, "Sleep"),
        (Self::Polling, 2, "Polling"),
        (Self::Disabled, 3, "Disabled"),
        (Self::Training, 4, "PortConfigurationTraining"),
        (Self::LinkUp, 5, "LinkUp"),
        (Self::ErrorRecovery, 6, "LinkErrorRecovery"),
        (Self::PhyTest, 7, "PhyTest"),
        (Self::Offline, 9, "Offline"),
        (Self::Test, 11, "Test"),
    ];

    /// The state of a code of `PortInfo`.
    pub fn of_code(code: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|&(_, own, _)| u64::from(own) == code).map(|(state, ..)| state)
    }

    /// As tools print it.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].2
    }

    /// Its code in `PortInfo`.
    pub fn code(self) -> u8 {
        Self::ALL[self as usize].1
    }
}

/// A set of widths and a set of speeds: what a port supports, or what of that is enabled. Either is empty where the
/// source does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Capability {
    /// Bit `n` for `n` lanes.
    widths: u16,
    /// Bit `n` for the speed at place `n` of [`Speed::ALL`].
    speeds: u16,
}

impl Capability {
    /// Adds a width.
    #[must_use]
    pub fn with_width(mut self, width: Width) -> Self {
        self.widths |= 1 << width.lanes();
        self
    }

    /// Adds a speed.
    #[must_use]
    pub fn with_speed(mut self, speed: Speed) -> Self {
        self.speeds |= 1 << speed as u16;
        self
    }

    /// Whether the source says neither widths nor speeds.
    pub fn is_unknown(self) -> bool {
        self == Self::default()
    }

    /// The widths, narrowest first.
    pub fn widths(self) -> impl DoubleEndedIterator<Item = Width> {
        (1..=12u8).filter(move |&lanes| self.widths & (1 << lanes) != 0).filter_map(Width::new)
    }

    /// The speeds, slowest first.
    pub fn speeds(self) -> impl DoubleEndedIterator<Item = Speed> {
        Speed::ALL
            .into_iter()
            .map(|(speed, _)| speed)
            .filter(move |&speed| self.speeds & (1 << speed as u16) != 0)
    }

    /// The most lanes.
    pub fn widest(self) -> Option<Width> {
        self.widths().next_back()
    }

    /// The highest speed.
    pub fn fastest(self) -> Option<Speed> {
        self.speeds().next_back()
    }

    /// What both have; what one does not say is the other's.
    #[must_use]
    pub fn both(self, other: Self) -> Self {
        let meet = |a: u16, b: u16| match (a, b) {
            (0, known) | (known, 0) => known,
            _ => a & b,
        };
        Self { widths: meet(self.widths, other.widths), speeds: meet(self.speeds, other.speeds) }
    }
}

/// The lanes that Omni-Path's links use in each direction after they lost some.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lanes {
    /// Lanes that the link was brought up with.
    pub brought_up: Width,
    /// Lanes that this end sends on.
    pub sending: Width,
    /// Lanes that this end receives on.
    pub receiving: Width,
}

impl Lanes {
    /// Whether lanes are lost in either direction.
    pub fn has_lost(self) -> bool {
        self.sending < self.brought_up || self.receiving < self.brought_up
    }
}

/// What only some sources say of a port. All is unknown by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortDetail {
    /// Its logical state.
    pub state: Option<PortState>,
    /// Its physical state.
    pub physical: Option<PhysicalState>,
    /// What it supports.
    pub supported: Capability,
    /// What is enabled of that.
    pub enabled: Capability,
    /// The width that the link could have, where the source says that it has fewer lanes than both ends can (`Could be 4X`).
    pub could_be_width: Option<Width>,
    /// The speed that the link could have, where the source says that it is slower than both ends can
    /// (`Could be 106.25 Gbps`).
    pub could_be_speed: Option<Speed>,
    /// Omni-Path's lanes in use; [`super::Port::rate`] has the width of those that it sends on.
    pub lanes: Option<Lanes>,
}

impl PortDetail {
    /// Whether the source says nothing of it.
    pub fn is_unknown(&self) -> bool {
        *self == Self::default()
    }

    /// What the port may run at: what is enabled of what it supports, as far as the source says.
    pub fn capability(&self) -> Capability {
        self.enabled.both(self.supported)
    }

    /// The rate that a port would have as its own source says it: `rate` with the width and the speed that it could have.
    pub fn could_be(&self, rate: Rate) -> Rate {
        Rate {
            width: self.could_be_width.unwrap_or(rate.width),
            speed: self.could_be_speed.unwrap_or(rate.speed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_names_are_those_of_port_info() {
        for (state, code, name) in PortState::ALL {
            assert_eq!(
                (state.code(), state.name(), PortState::of_code(code.into())),
                (code, name, Some(state))
            );
        }
        for (state, code, name) in PhysicalState::ALL {
            assert_eq!(
                (state.code(), state.name(), PhysicalState::of_code(code.into())),
                (code, name, Some(state))
            );
        }
        assert_eq!((PortState::of_code(0), PhysicalState::of_code(8)), (None, None));
    }

    #[test]
    fn both_ends_can_what_each_of_them_can() {
        let width = |lanes| Width::new(lanes).unwrap();
        let wide = Capability::default().with_width(width(1)).with_width(width(4)).with_speed(Speed::Hdr);
        let narrow = Capability::default().with_width(width(1)).with_width(width(2));
        assert_eq!(wide.both(narrow).widest(), Some(width(1)));
        // Only one of the two says its speeds.
        assert_eq!(wide.both(narrow).fastest(), Some(Speed::Hdr));
        assert!(Capability::default().is_unknown() && !narrow.is_unknown());
        assert_eq!(narrow.fastest(), None);
    }
}
