//! Up*/Down* routing: no packet turns up after it has gone down, so the channel dependency graph
//! has no cycle and one virtual lane is enough.
//!
//! M. D. Schroeder et al., "Autonet: A High-Speed, Self-Configuring Local Area Network Using
//! Point-to-Point Links", IEEE JSAC 9(8), 1991; in the form that OpenSM 3.3.23 gives it.
//!
//! | here      | meaning                                                                       |
//! |-----------|-------------------------------------------------------------------------------|
//! | `rank`    | hops from the nearest root                                                    |
//! | `up`      | whether a link, walked from its near end, climbs                              |
//! | `hops`    | length of the way to the target by a link, set at the link's near end         |
//! | `least`   | the smallest `hops` of a switch's links                                       |
//! | `climbed` | whether the step by which the walk last queued a switch climbed               |
//!
//! OpenSM walks from the target outwards and notes for each switch one direction only, that of
//! the step that queued it. So the result can differ from the set of all shortest legal paths;
//! the walk is kept as it is. It looks for roots by a histogram of distances, see [`find_roots`].
//! Its manager sees one connected subnet; here each connected part is judged by its own end nodes.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::candidates::{Candidates, mark_shortest, search};
use super::graph::{SwitchGraph, end_ports_on};
use super::routes::Lft;
use super::targets::Targets;
use super::{Options, Refused, choice};
use crate::fabric::{Fabric, Guid, NodeId};
use crate::lids::Lids;

/// Routes a fabric that has roots. Uses [`Options::order`], [`Options::roots`] and
/// [`Options::connect_roots`].
///
/// # Errors
/// When none of the given roots is in the fabric, or none is given and none is found.
pub fn route(fabric: &Fabric, lids: &Lids, options: &Options) -> Result<Lft, Refused> {
    let graph = SwitchGraph::of(fabric);
    let targets = Targets::of(fabric, lids, &options.order);
    let is_root = match &options.roots {
        Some(guids) => given_roots(fabric, guids)?,
        None => find_roots(fabric, &graph, &targets.columns)?,
    };
    let steps = Steps::of(fabric, &graph, &rank(&graph, &is_root));
    let candidates = Candidates::build(&graph, &targets.columns, |homes, links| {
        let mut walk = Walk::new(&graph);
        let mut connected = 0;
        for (bit, home) in homes.iter().enumerate() {
            if options.connect_roots && is_root[home.ix()] {
                connected |= 1 << bit;
            } else {
                walk.run(&graph, &steps, *home, 1 << bit, links);
            }
        }
        if connected != 0 {
            mark_shortest(&graph, homes, connected, links);
        }
    });
    Ok(choice::tables(&graph, &targets, &candidates, lids))
}

/// By switch, whether its node GUID is listed. GUIDs of nothing are skipped.
fn given_roots(fabric: &Fabric, guids: &[Guid]) -> Result<Vec<bool>, Refused> {
    let mut by_guid = FxHashMap::default();
    for switch in fabric.switches() {
        by_guid.entry(fabric.node(switch).guid).or_insert(switch);
    }
    let mut is_root = vec![false; fabric.num_switches()];
    for switch in guids.iter().filter_map(|guid| by_guid.get(guid)) {
        is_root[switch.ix()] = true;
    }
    if is_root.contains(&true) {
        Ok(is_root)
    } else {
        Err(Refused::new("none of the given root GUIDs is the node GUID of a switch in the fabric"))
    }
}

/// Distances from here on are not looked at when roots are sought.
const MAX_DISTANCE: usize = 64;

/// By switch, whether it is a root: more than 0.9 of the end ports are at one distance from it,
/// and no other distance has more than 0.05 of them.
fn find_roots(fabric: &Fabric, graph: &SwitchGraph, columns: &[NodeId]) -> Result<Vec<bool>, Refused> {
    let weight: Vec<u32> = fabric.switches().map(|s| end_ports_on(fabric, s) as u32).collect();
    let populated = columns.partition_point(|s| weight[s.ix()] > 0); // columns: most end ports first
    let size = graph.num_switches() * MAX_DISTANCE;
    let histogram = columns[..populated]
        .par_chunks(64)
        .fold(
            || vec![0_u32; size],
            |mut bars, homes| {
                add_distances(graph, homes, &weight, &mut bars);
                bars
            },
        )
        .reduce(
            || vec![0; size],
            |mut a, b| {
                a.iter_mut().zip(&b).for_each(|(a, b)| *a += b);
                a
            },
        );

    let component = graph.components();
    let mut end_ports = vec![0_u32; graph.num_switches()];
    for (&c, w) in component.iter().zip(&weight) {
        end_ports[c as usize] += w;
    }
    let is_root: Vec<bool> = (0..graph.num_switches())
        .map(|s| {
            let total = f64::from(end_ports[component[s] as usize]);
            let bars = &histogram[s * MAX_DISTANCE..][..MAX_DISTANCE];
            let over = |share: f64| bars.iter().filter(|&&n| f64::from(n) > total * share).count();
            over(0.9) == 1 && over(0.05) == 1
        })
        .collect();

    let mut rooted = vec![false; graph.num_switches()];
    for (&c, root) in component.iter().zip(&is_root) {
        rooted[c as usize] |= root;
    }
    let rootless = (0..rooted.len()).any(|c| end_ports[c] > 0 && !rooted[c]);
    if rootless || populated == 0 {
        return Err(Refused::new(
            "no root switches given, and none found: no switch has more than nine tenths of the end nodes \
             at one distance and no more than a twentieth at any other",
        ));
    }
    Ok(is_root)
}

/// Adds the end ports of some homes to each switch's histogram of distances.
fn add_distances(graph: &SwitchGraph, homes: &[NodeId], weight: &[u32], bars: &mut [u32]) {
    // Homes with equally many end ports are neighbours, so a batch has few different weights.
    let mut groups: Vec<(u32, u64)> = Vec::new();
    for (bit, home) in homes.iter().enumerate() {
        let w = weight[home.ix()];
        bars[home.ix() * MAX_DISTANCE] += w;
        match groups.last_mut().filter(|(last, _)| *last == w) {
            Some((_, members)) => *members |= 1 << bit,
            None => groups.push((w, 1 << bit)),
        }
    }
    search(graph, homes, |hops, switch, new, _| {
        if let Some(bar) = bars[switch * MAX_DISTANCE..][..MAX_DISTANCE].get_mut(hops as usize) {
            *bar += groups.iter().map(|(w, members)| w * (new & members).count_ones()).sum::<u32>();
        }
    });
}

/// Hops from the nearest root; `u32::MAX` where there is none.
fn rank(graph: &SwitchGraph, is_root: &[bool]) -> Vec<u32> {
    let mut rank: Vec<u32> = is_root.iter().map(|&root| if root { 0 } else { u32::MAX }).collect();
    let mut queue: Vec<usize> = (0..is_root.len()).filter(|&s| is_root[s]).collect();
    let mut head = 0;
    while let Some(&switch) = queue.get(head) {
        head += 1;
        for link in graph.links(switch) {
            let far = graph.peer[link] as usize;
            if rank[far] == u32::MAX {
                rank[far] = rank[switch] + 1;
                queue.push(far);
            }
        }
    }
    rank
}

/// A link as the walk takes it.
#[derive(Clone, Copy)]
struct Step {
    to: u32,
    back: u32,
    up: bool,
}

/// All links of each switch, and those of them that descend, in port order.
struct Steps {
    all: Vec<Step>,
    down: Vec<Step>,
    first_down: Vec<u32>,
}

impl Steps {
    fn of(fabric: &Fabric, graph: &SwitchGraph, rank: &[u32]) -> Self {
        let mut steps = Self { all: Vec::new(), down: Vec::new(), first_down: vec![0] };
        let tie = |s: usize| (fabric.node(NodeId(s as u32)).guid, s);
        for switch in 0..graph.num_switches() {
            for link in graph.links(switch) {
                let (to, back) = (graph.peer[link], graph.back[link]);
                let (near, far) = (rank[switch], rank[to as usize]);
                let up = near > far || near == far && (near == 0 || tie(switch) > tie(to as usize));
                steps.all.push(Step { to, back, up });
            }
            steps.down.extend(steps.all[graph.links(switch)].iter().filter(|s| !s.up));
            steps.first_down.push(steps.down.len() as u32);
        }
        steps
    }

    /// Where a switch may be left for, after a climb or after a descent.
    fn from(&self, graph: &SwitchGraph, switch: usize, climbed: bool) -> &[Step] {
        if climbed {
            &self.all[graph.links(switch)]
        } else {
            &self.down[self.first_down[switch] as usize..self.first_down[switch + 1] as usize]
        }
    }
}

/// OpenSM's walk from a target outwards.
struct Walk {
    hops: Vec<u8>,
    least: Vec<u8>,
    climbed: Vec<bool>,
    queued: Vec<bool>,
    queue: Vec<u32>,
}

const UNREACHED: u8 = 255;

impl Walk {
    fn new(graph: &SwitchGraph) -> Self {
        let switches = graph.num_switches();
        Self {
            hops: vec![UNREACHED; graph.num_links()],
            least: vec![UNREACHED; switches],
            climbed: vec![false; switches],
            queued: vec![false; switches],
            queue: Vec::with_capacity(2 * switches),
        }
    }

    /// Sets `bit` on the links by which the switches are nearest to `target`.
    fn run(&mut self, graph: &SwitchGraph, steps: &Steps, target: NodeId, bit: u64, links: &mut [u64]) {
        self.hops.fill(UNREACHED);
        self.least.fill(UNREACHED);
        self.least[target.ix()] = 0;
        self.climbed[target.ix()] = true;
        self.queue.clear();
        self.queue.push(target.0);
        let mut head = 0;
        while let Some(&switch) = self.queue.get(head) {
            head += 1;
            let switch = switch as usize;
            self.queued[switch] = false;
            for step in steps.from(graph, switch, self.climbed[switch]) {
                let (to, back) = (step.to as usize, step.back as usize);
                let hops = self.least[switch].saturating_add(1);
                if hops >= self.hops[back] {
                    continue;
                }
                self.hops[back] = hops;
                if hops < self.least[to] {
                    if self.least[to] != UNREACHED {
                        links[graph.links(to)].iter_mut().for_each(|l| *l &= !bit);
                    }
                    self.least[to] = hops;
                }
                if hops == self.least[to] {
                    links[back] |= bit;
                }
                if !self.queued[to] {
                    self.queued[to] = true;
                    self.climbed[to] = step.up;
                    self.queue.push(step.to);
                }
            }
        }
    }
}
