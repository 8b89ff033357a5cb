//! What a site says of its nodes, where it knows better than names and cabling show.

use super::kind::NodeKind;

/// What a host is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Group {
    /// Runs jobs.
    #[default]
    Compute,
    /// Runs the machine: managers, logins, schedulers.
    Management,
    /// Serves files.
    Storage,
    /// Leads to another network.
    Gateway,
}

impl Group {
    /// All groups.
    pub const ALL: [Self; 4] = [Self::Compute, Self::Management, Self::Storage, Self::Gateway];

    /// `compute`, `management`, `storage` or `gateway`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::Management => "management",
            Self::Storage => "storage",
            Self::Gateway => "gateway",
        }
    }
}

/// What a site declares a node to be: a switch one of the first four, a host adapter one of its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Declared {
    /// A switch at the top of its tree. Where a plane has roots, all of its levels are counted from them.
    Root,
    /// A switch of level 0.
    Leaf,
    /// A switch between leaves and the top level.
    Spine,
    /// A switch of the top level.
    Core,
    /// A host adapter of this group.
    Host(Group),
}

impl Declared {
    /// All that can be declared.
    pub const ALL: [Self; 8] = [
        Self::Root,
        Self::Leaf,
        Self::Spine,
        Self::Core,
        Self::Host(Group::Compute),
        Self::Host(Group::Management),
        Self::Host(Group::Storage),
        Self::Host(Group::Gateway),
    ];

    /// `root`, `leaf`, `spine`, `core`, or the group's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Root => "root",
            Self::Leaf => "leaf",
            Self::Spine => "spine",
            Self::Core => "core",
            Self::Host(group) => group.name(),
        }
    }

    /// Whether a node of this kind can be it.
    pub fn suits(self, kind: NodeKind) -> bool {
        kind == if matches!(self, Self::Host(_)) { NodeKind::Adapter } else { NodeKind::Switch }
    }
}

/// A word that is no [`Declared::name`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected root, leaf, spine, core, compute, management, storage or gateway")]
pub struct NotDeclared;

impl std::str::FromStr for Declared {
    type Err = NotDeclared;

    fn from_str(word: &str) -> Result<Self, NotDeclared> {
        Self::ALL.into_iter().find(|declared| declared.name() == word).ok_or(NotDeclared)
    }
}
