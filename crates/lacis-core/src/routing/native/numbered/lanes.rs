//! Which lane each LID takes, and how the channels are numbered on each.

use rayon::prelude::*;

use super::balance::Routed;
use super::component::{Component, EdgeTargets};
use super::numbering::ChannelNumbering;
use super::orders::{self, Growth};
use super::{minimal, select};

/// What a component's LIDs are routed by.
pub(super) struct LanePlan {
    /// Numberings of the channels.
    pub numberings: Vec<ChannelNumbering>,
    /// Numbering of each edge switch, by its index in [`Component::edge_switches`].
    pub of_edge: Vec<usize>,
    /// Lane of each target.
    pub lanes: Vec<u8>,
    /// The routes, where choosing the numbering has shown them.
    pub routed: Option<Routed>,
}

/// Plans of a component's lanes; there is one at least.
///
/// Where all shortest paths together are free of circles one numbering serves all lanes, and the
/// LIDs are dealt over them one by one, as OpenSM does. Elsewhere each lane gets a region of edge switches
/// of about equal weight: routes to neighbours have much in common, so that those of one region
/// need fewer detours than those of all. Routes of one region are also more alike, which may load some
/// channels more; so there is a plan with one numbering for all, too.
pub(super) fn plans(component: &Component, lanes: u8) -> Vec<LanePlan> {
    let all: Vec<&EdgeTargets> = component.edge_switches.iter().collect();
    let uniform = |numbering, routed| LanePlan {
        numberings: vec![numbering],
        of_edge: vec![0; all.len()],
        lanes: dealt(component, lanes),
        routed,
    };
    if all.is_empty() {
        return vec![uniform(
            ChannelNumbering::up_down(component, &orders::order(component, 0, Growth::Breadth)),
            None,
        )];
    }
    if let Some(numbering) = minimal::number(component, &all) {
        return vec![uniform(numbering, None)];
    }
    let regions = regions(component, usize::from(lanes));
    let (numbering, routed) = select::best(component, &all, 1);
    let mut plans = vec![uniform(numbering, routed)];
    if regions.len() > 1 {
        plans.push(by_region(component, &regions));
    }
    plans
}

/// A lane and a numbering for each region.
fn by_region(component: &Component, regions: &[Vec<usize>]) -> LanePlan {
    let number = |region: &Vec<usize>| {
        let edge_switches: Vec<&EdgeTargets> = region.iter().map(|&h| &component.edge_switches[h]).collect();
        minimal::number(component, &edge_switches)
            .unwrap_or_else(|| select::best(component, &edge_switches, regions.len()).0)
    };
    let numberings = regions.par_iter().map(number).collect();
    let (mut of_edge, mut lanes) = (vec![0; component.edge_switches.len()], vec![0; component.targets.len()]);
    for (lane, region) in regions.iter().enumerate() {
        for &edge_switch in region {
            of_edge[edge_switch] = lane;
            lanes[component.edge_switches[edge_switch].targets.clone()].fill(lane as u8);
        }
    }
    LanePlan { numberings, of_edge, lanes, routed: None }
}

/// Lanes one by one, in OpenSM's order of the end ports.
fn dealt(component: &Component, lanes: u8) -> Vec<u8> {
    let mut order: Vec<usize> = (0..component.targets.len()).collect();
    order.sort_by_key(|&t| (component.targets[t].opensm_index, component.targets[t].lid));
    let mut dealt = vec![0; order.len()];
    for (target, lane) in order.into_iter().zip((0..lanes).cycle()) {
        dealt[target] = lane;
    }
    dealt
}

/// Edge switches by lane: consecutive ones of a dense order of the switches, so many that each lane has
/// about as many LIDs.
fn regions(component: &Component, lanes: usize) -> Vec<Vec<usize>> {
    let lanes = lanes.min(component.edge_switches.len()).max(1);
    let mut order: Vec<usize> = (0..component.edge_switches.len()).collect();
    if lanes > 1 {
        let start = select::farthest(component);
        let index = orders::order(component, start, Growth::DenseLast);
        order.sort_by_key(|&h| index[component.edge_switches[h].switch as usize]);
    }
    let mut regions = vec![Vec::new(); lanes];
    let mut before = 0;
    for edge_switch in order {
        let lids = component.edge_switches[edge_switch].targets.len();
        // By the middle of the edge switch's LIDs among all.
        regions[(2 * before + lids) * lanes / (2 * component.targets.len())].push(edge_switch);
        before += lids;
    }
    regions.retain(|region| !region.is_empty());
    regions
}
