//! Wrong settings as facts.

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use super::super::{Severity, wording};
use crate::io::opafm::XmlEntry;

/// A wrong setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingFinding {
    /// The line, from 1; none if something is missing.
    pub line: Option<usize>,
    /// The element.
    pub path: String,
    /// What is wrong.
    pub fact: SettingFact,
}

/// What is wrong with a setting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[allow(missing_docs)] // tag and value are those of the element, low and high the numbers that it may hold
pub enum SettingFact {
    /// A tag that the manager does not know; `near` are tags that may be meant.
    TagUnknown { tag: String, near: Vec<String> },
    /// A tag that the manager knows in other sections alone.
    TagMisplaced { tag: String, sections: Vec<String> },
    /// A tag that only newer managers know.
    TagNewer { tag: String },
    /// A tag that stands there twice.
    TagRepeated { tag: String },
    /// None of the known words; `near` is the one that may be meant.
    WordUnknown { tag: String, value: String, known: Vec<&'static str>, near: Option<String> },
    /// None of the words, or not the form, that `config_check` takes; `near` is the word that may be meant.
    WordRefused { tag: String, value: String, known: Vec<&'static str>, near: Option<String> },
    /// Text where tags belong.
    TextInSection { tag: String, value: String },
    /// Nothing where a number belongs.
    NumberEmpty { tag: String },
    /// Something else where a number belongs.
    NumberUnreadable { tag: String, value: String },
    /// No time: a number and a unit.
    TimeUnreadable { tag: String, value: String },
    /// Less than nothing, which the manager takes for a great number, if for anything.
    Negative { tag: String, value: String },
    /// The name of something that is defined nowhere, or only `is_later`.
    NameUndefined { tag: String, name: String, of: NamedThing, is_later: bool, near: Vec<String> },
    /// A number that `config_check` refuses.
    NumberRefused { tag: String, value: u64, low: u64, high: u64 },
    /// A number that `config_check` accepts, though it is out of range.
    NumberOutOfRange { tag: String, value: u64, low: u64, high: u64 },
    /// A number that the manager takes for another: beyond a limit for the limit, else for the next multiple.
    NumberRounded { tag: String, value: String, taken: u64 },
    /// A number above that of another tag, which must not be less.
    NumberAbove { tag: String, value: u64, other: String, most: u64 },
    /// A block without its name.
    NameMissing { tag: String },
    /// The name of a block that another one of its kind has.
    NameRepeated { tag: String, name: String },
    /// The name of a block that the manager has for one of its own.
    NameReserved { tag: String, name: String },
    /// What calls for one of other tags, and has none.
    TagNeeded { tag: String, needs: Vec<&'static str> },
    /// Tags that exclude each other.
    TagsExclude { tag: String, other: String },
    /// More than the manager has room for.
    TooMany { tag: String, most: usize },
    /// What the manager ignores beyond a number of them.
    IgnoredBeyond { tag: String, most: usize },
    /// The number of a trap that there is not.
    TrapUnknown { value: u64 },
    /// A port in several pairs of dimensions.
    PortRepeated { port: u64 },
    /// A service level that another block has; `of` is the other's tag.
    LevelTaken { tag: String, level: u64, of: String },
    /// Shares of bandwidth that add up to more than all.
    SharesExceeded { total: u64 },
    /// Shares of bandwidth that leave less than what has none needs.
    SharesLeaveTooLittle { left: u64, needed: u64 },
    /// Shares of bandwidth of all virtual fabrics, so that none is left for what has no quality of service.
    SharesLeaveNone,
    /// No virtual fabric that is on has one of the manager's own services.
    ServiceMissing { service: Service },
    /// A second virtual fabric has a service that only one may have.
    ServiceRepeated { service: Service, name: String },
    /// A virtual fabric with the manager's own services, without the key of management.
    ManagementKeyMissing { name: String },
    /// A virtual fabric with the key of management, without the manager's own services.
    ManagementKeyTaken { name: String },
    /// A virtual fabric with the manager's own services, without the members that they need.
    MembersMissing { name: String, needs: Vec<&'static str>, also_limited: bool },
    /// No `<Common>`.
    CommonMissing,
    /// A required section of `<Common>` or of an `<Fm>` is not there, or there is no `<Fm>`.
    SectionMissing,
    /// Adaptive routing without an algorithm.
    AlgorithmMissing,
    /// An algorithm of adaptive routing that there is not.
    AlgorithmUnknown { value: u64 },
    /// A threshold that there is not; whether adaptive routing is on.
    ThresholdOutOfRange { value: u64, enabled: bool },
    /// A threshold that only lost routes would heed.
    ThresholdIdle,
    /// Routing for fat trees, with hosts on several tiers and no core switches named: the manager stops.
    CoreSwitchesMissing,
}

/// The manager's own services.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Service {
    /// Of the subnet administration.
    Sa,
    /// Of the performance manager.
    Pm,
    /// Of those who ask the performance manager.
    Pa,
}

/// What a name in the configuration is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NamedThing {
    /// Of a device group.
    DeviceGroup,
    /// Of an application of a virtual fabric that is on.
    Application,
    /// Of an application of a virtual fabric that is off.
    IdleApplication,
    /// Of a group of qualities of service.
    QosGroup,
    /// Of a virtual fabric, by a multicast group.
    VirtualFabric,
}

impl SettingFinding {
    /// How bad it is.
    pub fn severity(&self) -> Severity {
        match &self.fact {
            SettingFact::WordRefused { .. }
            | SettingFact::TextInSection { .. }
            | SettingFact::NumberEmpty { .. }
            | SettingFact::NumberUnreadable { .. }
            | SettingFact::TimeUnreadable { .. }
            | SettingFact::Negative { .. }
            | SettingFact::NumberRefused { .. }
            | SettingFact::NumberAbove { .. }
            | SettingFact::NameMissing { .. }
            | SettingFact::NameRepeated { .. }
            | SettingFact::NameReserved { .. }
            | SettingFact::TagNeeded { .. }
            | SettingFact::TagsExclude { .. }
            | SettingFact::TooMany { .. }
            | SettingFact::TrapUnknown { .. }
            | SettingFact::PortRepeated { .. }
            | SettingFact::LevelTaken { .. }
            | SettingFact::SharesExceeded { .. }
            | SettingFact::SharesLeaveTooLittle { .. }
            | SettingFact::SharesLeaveNone
            | SettingFact::ServiceMissing { .. }
            | SettingFact::ServiceRepeated { .. }
            | SettingFact::ManagementKeyMissing { .. }
            | SettingFact::ManagementKeyTaken { .. }
            | SettingFact::MembersMissing { .. }
            | SettingFact::CoreSwitchesMissing
            | SettingFact::CommonMissing
            | SettingFact::SectionMissing
            | SettingFact::AlgorithmMissing
            | SettingFact::AlgorithmUnknown { .. }
            | SettingFact::ThresholdOutOfRange { enabled: true, .. } => Severity::Error,
            SettingFact::TagUnknown { .. }
            | SettingFact::TagMisplaced { .. }
            | SettingFact::TagRepeated { .. }
            | SettingFact::WordUnknown { .. }
            | SettingFact::NumberOutOfRange { .. }
            | SettingFact::NumberRounded { .. }
            | SettingFact::IgnoredBeyond { .. }
            | SettingFact::ThresholdOutOfRange { enabled: false, .. } => Severity::Warning,
            SettingFact::ThresholdIdle | SettingFact::TagNewer { .. } => Severity::Notice,
            SettingFact::NameUndefined { of, .. } => match of {
                NamedThing::IdleApplication | NamedThing::VirtualFabric => Severity::Warning,
                _ => Severity::Error,
            },
        }
    }

    /// What is wrong, in words.
    pub fn text(&self) -> String {
        wording::setting(&self.fact)
    }
}

impl Serialize for SettingFinding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("SettingFinding", 5)?;
        out.serialize_field("severity", &self.severity())?;
        out.serialize_field("line", &self.line)?;
        out.serialize_field("path", &self.path)?;
        out.serialize_field("text", &self.text())?;
        out.serialize_field("facts", &self.fact)?;
        out.end()
    }
}

/// A fact about an element.
pub(super) fn at(entry: &XmlEntry, fact: SettingFact) -> SettingFinding {
    SettingFinding { line: Some(entry.line), path: entry.path.clone(), fact }
}

/// A fact about what is not there.
pub(super) fn missing(path: String, fact: SettingFact) -> SettingFinding {
    SettingFinding { line: None, path, fact }
}
