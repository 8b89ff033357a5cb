//! Which pattern the cables between switches follow, how many of them could be compared with those of like switches, and the
//! groups of switches, where it is one of groups.

use serde::Serialize;

use super::blocks::Tier;
use super::context::Context;
use super::group_cabling;
use crate::fabric::{Groups, NodeId};

/// What the cables between switches were compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CablingPattern {
    /// `tree`, `dragonfly+`, `dragonfly`, or `several` where planes differ; nothing where no pattern is known.
    pub pattern: Option<&'static str>,
    /// How many of them were compared.
    pub checked: Checked,
    /// Cables between switches.
    pub cables: usize,
    /// Those of them that were compared with cables of like switches: what is wrong with the others was not looked for.
    pub compared: usize,
}

/// How many cables between switches were compared with those of like switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Checked {
    /// All of them.
    All,
    /// Some: the others follow no pattern that is known.
    Part,
    /// None: no pattern is known.
    None,
    /// There are none.
    NoCables,
}

/// One group of switches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SwitchGroupSummary {
    /// From 1, over all planes.
    pub group: usize,
    /// `dragonfly+` or `dragonfly`.
    pub pattern: &'static str,
    /// Name of its first switch.
    pub first: String,
    /// Leaves; of a dragonfly all of its switches.
    pub leaves: usize,
    /// Spines; of a dragonfly none.
    pub spines: usize,
    /// Adapters on its switches.
    pub adapters: usize,
    /// Cables between its switches.
    pub local_links: usize,
    /// Cables to switches of other groups.
    pub global_links: usize,
}

impl CablingPattern {
    pub(super) fn of(ctx: &Context) -> Self {
        let mut kinds: Vec<&'static str> = ctx.groups.iter().map(|groups| groups.kind.name()).collect();
        let of_trees = ctx.of_trees();
        let trees = of_trees.as_ref().unwrap_or(ctx);
        let tiers = (1..trees.num_levels()).map(|l| Tier::of(trees, l as u8 - 1));
        let mut compared: usize = tiers.map(|tier| tier.compared()).sum();
        if compared > 0 {
            kinds.push("tree");
        }
        compared += group_cabling::compared(ctx);
        kinds.dedup();
        let pattern = match kinds[..] {
            [] => None,
            [one] => Some(one),
            _ => Some("several"),
        };
        let cables = ctx.trunks().count();
        let checked = match compared {
            _ if cables == 0 => Checked::NoCables,
            0 => Checked::None,
            some if some < cables => Checked::Part,
            _ => Checked::All,
        };
        Self { pattern, checked, cables, compared }
    }
}

/// The groups of switches, plane after plane.
pub(super) fn switch_groups(ctx: &Context) -> Vec<SwitchGroupSummary> {
    let of_plane = |groups: &Groups| {
        let number = groups.group_of(ctx.fabric.num_switches());
        let row = |of: u32, group: &crate::fabric::SwitchGroup| {
            let members = || group.leaves.iter().chain(&group.spines).copied();
            let far = |s: NodeId| ctx.fabric.ports_of(s).filter_map(|p| ctx.fabric.peer(p));
            let (mut adapters, mut local, mut global) = (0, 0, 0);
            for node in members().flat_map(far).map(|p| ctx.fabric.node_of(p)) {
                adapters += usize::from(ctx.is_adapter(node));
                let their = number.get(node.ix()).copied().flatten();
                local += usize::from(their == Some(of));
                global += usize::from(their.is_some_and(|their| their != of));
            }
            SwitchGroupSummary {
                group: 0,
                pattern: groups.kind.name(),
                first: members().min().map_or_else(String::new, |s| ctx.name(s)),
                leaves: group.leaves.len(),
                spines: group.spines.len(),
                adapters,
                // Each is counted at both ends.
                local_links: local / 2,
                global_links: global,
            }
        };
        (0..).zip(&groups.groups).map(|(of, group)| row(of, group)).collect::<Vec<_>>()
    };
    let mut all: Vec<SwitchGroupSummary> = ctx.groups.iter().flat_map(of_plane).collect();
    for (number, group) in (1..).zip(&mut all) {
        group.group = number;
    }
    all
}
