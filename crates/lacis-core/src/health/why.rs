//! Why the switches have the levels that they have: what was tried, and which switches stand out.

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use super::wording;
use crate::fabric::levels::{LeftOut, LevelSearch, Levels, Trial};
use crate::fabric::switch_graph::SwitchGraph;
use crate::fabric::tree::{NO_LEVEL, StageCabling, cabling};
use crate::fabric::{Fabric, Groups, Guid, NodeId, NodeKind};

/// How the levels of a plane with adapters were found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WhyLevels {
    /// Switches of the plane.
    pub switches: usize,
    /// Whether levels were counted from declared roots, so that nothing was tried.
    pub from_roots: bool,
    /// Whether they are a mesh, torus, hypercube, ring or chain, which has no levels, so that nothing was tried.
    pub is_grid: bool,
    /// Groups of leaves and spines that show the levels, so that nothing was tried: how many. 0 in a tree.
    pub groups: usize,
    /// What was tried; the last taken counts.
    pub trials: Vec<Tried>,
    /// How far the cables are those of a whole tree: from each level to the next, from the leaves up. Nothing where there are no levels,
    /// or groups.
    pub stages: Vec<TreeStage>,
    /// Switches that are not a leaf with adapters or a switch without any above leaves, and declared ones.
    pub standing_out: Vec<StandingOut>,
}

/// The cables from a level to the next. A block is the switches with the same switches above; it is whole where each has equally many
/// cables to each of these, and none elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct TreeStage {
    /// The lower level.
    pub level: usize,
    /// Blocks.
    pub blocks: usize,
    /// Whole ones.
    pub whole: usize,
    /// Cables.
    pub cables: u64,
    /// Cables that are missing in blocks.
    pub missing: u64,
    /// Cables that lead from a block elsewhere, or are more than others have.
    pub stray: u64,
}

/// Switches with a number of adapters, taken for leaves.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried {
    /// Fewest adapters of a leaf.
    pub least_adapters: u32,
    /// Which switches with as many were no leaves; none where all were.
    pub left_out: Option<LeftOut>,
    /// Leaves.
    pub leaves: usize,
    /// Resulting levels; 0 if there are none.
    pub levels: usize,
    /// Cables that do not join adjacent levels.
    pub odd_cables: u64,
    /// Adapters above level 0.
    pub high_adapters: u64,
    /// Leaves cabled below other leaves that share an upper switch with fewer than half of them.
    pub appended: usize,
    /// Share of the pairs of other leaves with a common switch above, if it was computed.
    pub meeting: Option<f64>,
    /// Whether it is mostly a tree.
    pub tree_like: bool,
    /// Whether it is the one that counts.
    pub taken: bool,
}

/// A switch and what is odd about it.
#[derive(Clone, Debug, PartialEq)]
pub struct StandingOut {
    /// Its name.
    pub switch: String,
    /// Its node GUID.
    pub guid: Guid,
    /// Its level.
    pub level: u8,
    /// `leaf`, `spine` or `core`.
    pub role: &'static str,
    /// Adapters on it.
    pub adapters: usize,
    /// What is odd.
    pub reasons: Vec<Oddity>,
}

/// What is odd about the level of a switch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Oddity {
    /// The site declares its role.
    Declared {
        /// The role.
        role: &'static str,
    },
    /// A leaf by its cables, without adapters.
    LeafWithoutAdapters,
    /// Adapters on a switch that is no leaf by its cables.
    AdaptersAboveLeaves,
    /// Cables that do not join adjacent levels.
    OddCables {
        /// How many.
        odd: usize,
        /// Of so many cables to switches.
        cables: usize,
    },
}

impl Serialize for Tried {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Tried", 11)?;
        out.serialize_field("least_adapters", &self.least_adapters)?;
        out.serialize_field("except", self.left_out.map_or("", wording::left_out))?;
        out.serialize_field("left_out", &self.left_out)?;
        out.serialize_field("leaves", &self.leaves)?;
        out.serialize_field("levels", &self.levels)?;
        out.serialize_field("odd_cables", &self.odd_cables)?;
        out.serialize_field("high_adapters", &self.high_adapters)?;
        out.serialize_field("appended", &self.appended)?;
        out.serialize_field("meeting", &self.meeting)?;
        out.serialize_field("tree_like", &self.tree_like)?;
        out.serialize_field("taken", &self.taken)?;
        out.end()
    }
}

impl Serialize for StandingOut {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("StandingOut", 7)?;
        out.serialize_field("switch", &self.switch)?;
        out.serialize_field("guid", &self.guid)?;
        out.serialize_field("level", &self.level)?;
        out.serialize_field("role", self.role)?;
        out.serialize_field("adapters", &self.adapters)?;
        out.serialize_field("why", &wording::oddities(&self.reasons))?;
        out.serialize_field("reasons", &self.reasons)?;
        out.end()
    }
}

/// How the levels of each plane with adapters were found.
pub fn why_levels(fabric: &Fabric) -> Vec<WhyLevels> {
    let (levels, searches) = Levels::explained(fabric);
    // Planes share no cable, so that groups of several may have one number.
    let mut group_of: Vec<Option<u32>> = Vec::new();
    for of in levels.iter().flat_map(Levels::groups).map(|groups| groups.group_of(fabric.num_switches())) {
        group_of.resize(of.len(), None);
        group_of.iter_mut().zip(of).for_each(|(group, of)| *group = of.or(*group));
    }
    searches
        .into_iter()
        .map(|search| {
            let LevelSearch { switches, from_roots, is_grid, trials, chosen } = search;
            let out =
                |&switch: &NodeId| levels.as_ref().and_then(|levels| odd(fabric, levels, &group_of, switch));
            WhyLevels {
                from_roots,
                is_grid,
                groups: levels.as_ref().map_or(0, |levels| groups_of(levels, &switches)),
                stages: levels.as_ref().map_or_else(Vec::new, |levels| stages(fabric, levels, &switches)),
                standing_out: switches.iter().filter_map(out).collect(),
                switches: switches.len(),
                trials: trials
                    .into_iter()
                    .enumerate()
                    .map(|(i, trial)| tried(&trial, chosen == Some(i)))
                    .collect(),
            }
        })
        .collect()
}

/// How far the cables between some switches are those of a whole tree.
fn stages(fabric: &Fabric, levels: &Levels, switches: &[NodeId]) -> Vec<TreeStage> {
    if groups_of(levels, switches) > 0 {
        return Vec::new();
    }
    let mut counts = vec![false; fabric.num_switches()];
    for s in switches {
        counts[s.ix()] = true;
    }
    let level: Vec<u8> = fabric.switches().map(|s| levels.level(s).unwrap_or(NO_LEVEL)).collect();
    let cabling = cabling(&SwitchGraph::of(fabric), &level, &counts);
    let stage = |(level, StageCabling { blocks, whole, cables, missing, stray })| TreeStage {
        level,
        blocks,
        whole,
        cables,
        missing,
        stray,
    };
    cabling.into_iter().enumerate().filter(|(_, stage)| stage.blocks > 0).map(stage).collect()
}

/// How many groups the plane of some switches has, if it is a Dragonfly+.
fn groups_of(levels: &Levels, switches: &[NodeId]) -> usize {
    let is_of = |groups: &&Groups| {
        let first = groups.groups.first().and_then(|group| group.leaves.first());
        first.is_some_and(|leaf| switches.contains(leaf))
    };
    levels.groups().iter().find(is_of).map_or(0, |groups| groups.groups.len())
}

fn tried(trial: &Trial, taken: bool) -> Tried {
    Tried {
        least_adapters: trial.least,
        left_out: trial.left_out,
        leaves: trial.leaves,
        levels: trial.levels,
        odd_cables: trial.odd_cables,
        high_adapters: trial.high_adapters,
        appended: trial.appended,
        meeting: trial.connected,
        tree_like: trial.tree_like,
        taken,
    }
}

/// What is odd about a switch, where anything is.
fn odd(fabric: &Fabric, levels: &Levels, group_of: &[Option<u32>], switch: NodeId) -> Option<StandingOut> {
    let (level, role) = (levels.level(switch)?, levels.role(switch)?);
    let peers =
        || fabric.ports_of(switch).filter_map(|port| fabric.peer(port)).map(|port| fabric.node_of(port));
    let adapters = peers().filter(|&node| fabric.node(node).kind == NodeKind::Adapter).count();
    // Global cables join the spines of different groups.
    let is_global = |far: NodeId| {
        let of = |s: NodeId| group_of.get(s.ix()).copied().flatten();
        level == 1 && levels.level(far) == Some(1) && of(switch).zip(of(far)).is_some_and(|(a, b)| a != b)
    };
    let (mut cables, mut odd_cables) = (0, 0);
    for far in peers() {
        let Some(other) = levels.level(far) else { continue };
        cables += 1;
        odd_cables += usize::from(level.abs_diff(other) != 1 && !is_global(far));
    }
    let mut reasons = Vec::new();
    reasons.extend(fabric.node(switch).declared.map(|declared| Oddity::Declared { role: declared.name() }));
    match (level, adapters) {
        (0, 0) => reasons.push(Oddity::LeafWithoutAdapters),
        (1.., 1..) => reasons.push(Oddity::AdaptersAboveLeaves),
        _ => {}
    }
    if odd_cables > 0 {
        reasons.push(Oddity::OddCables { odd: odd_cables, cables });
    }
    (!reasons.is_empty()).then(|| StandingOut {
        switch: fabric.name(switch).into(),
        guid: fabric.node(switch).guid,
        level,
        role: role.name(),
        adapters,
        reasons,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{edit, generate};

    #[test]
    fn nothing_stands_out_in_a_whole_tree_and_each_oddity_does_by_name() {
        let fabric = generate("fat-tree:8,2:radix=12").unwrap();
        let [whole] = &why_levels(&fabric)[..] else { panic!("one plane") };
        assert_eq!((whole.switches, whole.standing_out.len(), whole.trials.len()), (12, 0, 1));
        let stage = TreeStage { level: 0, blocks: 1, whole: 1, cables: 32, missing: 0, stray: 0 };
        assert_eq!(whole.stages, [stage]);
        assert_eq!((whole.trials[0].taken, whole.trials[0].leaves, whole.trials[0].levels), (true, 8, 2));

        let edits = ["+host@spine-02:1", "+leaf-03--leaf-04", "node0001", "node0002", "node0003", "node0004"];
        let [odd] = &why_levels(&edit(&fabric, &edits).unwrap())[..] else { panic!("one plane") };
        let seen: Vec<_> = odd.standing_out.iter().map(|s| (&*s.switch, s.level, s.adapters)).collect();
        assert_eq!(seen, [("leaf-01", 0, 0), ("leaf-03", 0, 4), ("leaf-04", 0, 4), ("spine-02", 1, 1)]);
        assert_eq!(odd.standing_out[1].reasons, [Oddity::OddCables { odd: 1, cables: 5 }]);
        // A host on a spine makes all twelve switches leaves at first, with three misfits at least; then the four spines are
        // left out, as only one of them has a host.
        assert!(odd.trials.len() > 1 && odd.trials.iter().filter(|t| t.taken).count() == 1);
        let tried: Vec<_> = odd.trials.iter().map(|trial| (trial.left_out, trial.leaves)).take(2).collect();
        assert_eq!(tried, [(None, 12), (Some(LeftOut::LikeOthersWithoutAdapters), 8)]);
        let printed: Vec<_> = odd.trials.iter().map(|trial| serde_json::to_value(trial).unwrap()).collect();
        assert_eq!((&printed[0]["except"], &printed[0]["left_out"]), (&"".into(), &serde_json::Value::Null));
        assert_eq!(printed[1]["except"], "those whose like have none");
        assert_eq!(printed[1]["left_out"], "like_others_without_adapters");
    }

    #[test]
    fn a_torus_is_a_grid_and_of_other_graphs_no_trial_is_taken() {
        let [why] = &why_levels(&generate("torus:3x3").unwrap())[..] else { panic!("one plane") };
        assert!(why.is_grid && why.standing_out.is_empty() && why.trials.is_empty());
        let [why] = &why_levels(&generate("random:20,4,2").unwrap())[..] else { panic!("one plane") };
        assert!(!why.is_grid && !why.trials.is_empty() && why.trials.iter().all(|t| !t.taken));
        let [why] = &why_levels(&generate("fat-tree:4,3").unwrap())[..] else { panic!("one plane") };
        assert!(!why.is_grid && why.trials.iter().any(|t| t.taken));
    }
}
