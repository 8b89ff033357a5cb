//! The paths to one LID after the other.

use super::super::Refused;
use super::super::graph::{SwitchGraph, end_ports_on};
use super::cables::{Cables, HOLE};
use super::fans::{Fans, MAX_WIDTH, NO_ROW};
use super::heap::{self, FAR};
use super::lightest::{key, lightest, total, with_row};
use super::plan::{Plan, Step};
use super::targets::Subnet;
use crate::fabric::{Fabric, NodeId};

/// How a switch begins its path to the destination at hand.
#[derive(Clone, Copy, Debug, Default)]
struct Way {
    /// The entry of the link, counted from the destination.
    entry: u32,
    /// The next switch.
    next: u32,
}

/// Lays paths, and remembers how heavy links have become.
pub(super) struct Router<'a> {
    graph: &'a SwitchGraph,
    fans: Fans,
    cables: Cables,
    plan: Plan,
    /// Number of the subnet's LIDs: no link gets more paths to one of them.
    num_lids: u32,
    /// The weight that links start with.
    base: u64,
    /// No link is heavier.
    heaviest: u32,
    /// The subnet's switches in OpenSM's order.
    switches: Vec<u32>,
    /// By switch: LIDs on it.
    lids: Vec<u32>,
    /// By place of the plan: a switch's extra, and the row that its way comes from in the tile that meets it
    /// first; [`NO_ROW`] where it comes from elsewhere.
    keys: Vec<u32>,
    /// By switch: its way, where no row tells it.
    ways: Vec<Way>,
    /// By switch: the paths that lead through it, its own included.
    paths: Vec<u32>,
    /// Switches with ways of equal weight, nearest first.
    contested: Vec<u32>,
    heap: heap::Search,
    /// A copy of it that gives out what is at the same distance, without its links.
    ranking: heap::Search,
    /// By switch: when the heap gives it out.
    rank: Vec<u32>,
}

impl<'a> Router<'a> {
    pub(super) fn new(fabric: &Fabric, graph: &'a SwitchGraph) -> Self {
        let n = graph.num_switches();
        let (fans, cables) = Fans::of(graph, &seeds(fabric, graph));
        Self {
            graph,
            fans,
            cables,
            plan: Plan::default(),
            num_lids: 0,
            base: 0,
            heaviest: 0,
            switches: Vec::new(),
            lids: vec![0; n],
            keys: Vec::new(),
            ways: vec![Way::default(); n],
            paths: vec![0; n],
            contested: Vec::new(),
            heap: heap::Search::default(),
            ranking: heap::Search::default(),
            rank: vec![0; n],
        }
    }

    /// Whether OpenSM would begin: the manager reaches every switch.
    pub(super) fn check(&mut self, fabric: &Fabric, subnet: &Subnet) -> Result<(), Refused> {
        let base = u64::from(subnet.num_lids).pow(2);
        self.plan.set(&self.fans, &self.cables, self.graph.num_switches(), subnet.manager);
        let hops = self.plan.depth();
        if u64::from(hops) * base + u64::from(subnet.manager_is_adapter) < u64::from(FAR) {
            return Ok(());
        }
        let name = &fabric.node(NodeId(subnet.manager)).description;
        Err(Refused::new(format!(
            "{hops} hops from the manager's switch \"{name}\" times the square of {} LIDs is more than \
             a distance can be, 2^31 - 2",
            subnet.num_lids
        )))
    }

    /// Begins with a subnet.
    pub(super) fn enter(&mut self, subnet: &Subnet) {
        self.num_lids = subnet.num_lids;
        self.base = u64::from(subnet.num_lids).pow(2);
        self.switches.clone_from(&subnet.switches);
        self.plan.order.clear();
        for target in &subnet.targets {
            self.lids[target.home as usize] += target.lids.len() as u32;
        }
    }

    /// Lays the paths of all switches to a LID of the end port that `home` has at `port` (0: the home
    /// itself): fills the row of the LID by switch, but for a switch's own LID.
    pub(super) fn route_to(&mut self, home: u32, port: u8, row: &mut [u8]) {
        if self.plan.order.first() != Some(&home) {
            self.plan.set(&self.fans, &self.cables, self.graph.num_switches(), home);
        }
        if port > 0 {
            row[home as usize] = port;
        }
        if self.hops_come_first() {
            self.spread();
            if !self.contested.is_empty() {
                self.settle(home, port > 0);
            }
            self.lay(row);
        } else {
            let order = self.search(home, port > 0);
            self.lay_along(&order[1..], row);
        }
        self.heaviest = self.heaviest.saturating_add(self.num_lids);
    }

    /// Whether no path of more hops can be the shorter one, and all distances fit.
    fn hops_come_first(&mut self) -> bool {
        let depth = u64::from(self.plan.depth());
        let fit = |heaviest: u32| {
            let most = depth * u64::from(heaviest);
            most < self.base.min(u64::from(HOLE)) && depth * self.base + most + 1 < u64::from(FAR)
        };
        if !fit(self.heaviest) {
            self.heaviest = self.cables.heaviest();
        }
        fit(self.heaviest)
    }

    /// Finds the least extra of every switch, and a way that has it.
    fn spread(&mut self) {
        let plan = std::mem::take(&mut self.plan);
        self.keys.resize(plan.num_places as usize + MAX_WIDTH, 0);
        self.keys[0] = key(0, NO_ROW);
        let mut heads = Vec::with_capacity(usize::from(NO_ROW));
        for (fan, rows, steps) in plan.spreads() {
            heads.clear();
            heads.extend(rows.iter().map(|head| with_row(self.keys[head.place as usize], head.row)));
            for step in steps {
                let tile = self.fans.tile(step.tile);
                let weights = &self.cables.weights[tile.first as usize..];
                let Some(keys) = self.keys[step.place as usize..].first_chunk_mut() else { continue };
                let ties = lightest(&heads, weights, tile.width, keys);
                if ties & step.fresh | step.again != 0 {
                    self.compare(&plan, fan, &heads, step, ties);
                }
            }
        }
        self.plan = plan;
    }

    /// Looks closer at those columns of a step where ways are equally light, or that other fans lead to.
    fn compare(&mut self, plan: &Plan, fan: u32, heads: &[u32], step: &Step, ties: u32) {
        let Self { fans, cables, keys, ways, contested, .. } = self;
        let tile = fans.tile(step.tile);
        let columns = fans.to(tile).iter().enumerate();
        for (column, &switch) in columns.filter(|&(c, _)| (ties & step.fresh | step.again) >> c & 1 == 1) {
            let best = keys[step.place as usize + column];
            let (extra, row) = total(best);
            if step.again >> column & 1 == 1 {
                let known = &mut keys[plan.place[switch as usize] as usize];
                let is_lighter = extra < total(*known).0;
                if extra == total(*known).0 || is_lighter && ties >> column & 1 == 1 {
                    contested.push(switch);
                }
                if is_lighter {
                    let next = fans.from()[fans.rows_of(fan)][usize::from(row)];
                    ways[switch as usize] = Way { entry: tile.entry(row, column), next };
                    *known = with_row(best, NO_ROW);
                }
                continue;
            }
            // As in `settle`, where the nearest of equal heads is the only one.
            let weight = |head: u32| cables.weights[tile.entry(head as u8, column) as usize];
            let equal = || heads.iter().copied().filter(|&head| total(head).0 + weight(head) == extra);
            let Some(nearest) = equal().min() else { continue };
            keys[step.place as usize + column] = with_row(best, nearest as u8);
            if equal().any(|head| head != nearest && total(head).0 == total(nearest).0) {
                contested.push(switch);
            }
        }
    }

    /// Decides between ways of equal weight as OpenSM does: the next switch that is nearer, and of
    /// equally near ones that which its heap gives out first.
    fn settle(&mut self, home: u32, adapter: bool) {
        let mut contested = std::mem::take(&mut self.contested);
        let mut ranked = None;
        for switch in contested.drain(..) {
            let hops = self.plan.hops[switch as usize];
            let (mut best, mut best_extra) = (Way::default(), u32::MAX);
            let mut nearest = u32::MAX;
            for link in self.graph.links(switch as usize) {
                let next = self.graph.peer[link];
                if self.plan.hops[next as usize] != hops - 1 {
                    continue;
                }
                let entry = self.fans.entry(self.graph.back[link] as usize);
                let (near, _) = total(self.keys[self.plan.place[next as usize] as usize]);
                let (way, extra) = (Way { entry, next }, near + self.cables.weights[entry as usize]);
                let equal = (extra, near) == (best_extra, nearest);
                if equal && next != best.next && ranked != Some(hops - 1) {
                    self.rank(hops - 1, ranked.is_none(), home, adapter);
                    ranked = Some(hops - 1);
                }
                let earlier = || self.rank[next as usize] < self.rank[best.next as usize];
                if (extra, near) < (best_extra, nearest) || equal && next != best.next && earlier() {
                    (best, best_extra, nearest) = (way, extra, near);
                }
            }
            self.ways[switch as usize] = best;
            let key = &mut self.keys[self.plan.place[switch as usize] as usize];
            *key = with_row(*key, NO_ROW);
        }
        self.contested = contested;
    }

    /// Ranks the switches that are `hops` away by when the heap gives them out.
    fn rank(&mut self, hops: u32, first: bool, home: u32, adapter: bool) {
        let Self { graph, fans, cables, plan, heap, ranking, .. } = self;
        let at = |&(_, switch): &(u32, u32)| plan.hops[switch as usize];
        if first {
            heap.begin(graph.num_switches(), &self.switches, home, adapter);
        }
        while heap.first().is_some_and(|item| at(&item) < hops) {
            heap.step(graph, fans, cables, self.base, |_, _| {});
        }
        // What is farther away does not change the order among these.
        ranking.copy(heap);
        let heap = ranking;
        let mut count = 0;
        while let Some((_, switch)) = heap.first().filter(|item| at(item) == hops) {
            self.rank[switch as usize] = count;
            count += 1;
            heap.pop();
        }
    }

    /// The whole search on the heap; the switches that it reaches, nearest first.
    fn search(&mut self, home: u32, adapter: bool) -> Vec<u32> {
        let Self { graph, fans, cables, ways, heap, .. } = self;
        heap.begin(graph.num_switches(), &self.switches, home, adapter);
        let mut order = Vec::with_capacity(self.switches.len());
        while let Some((_, switch)) = heap.first().filter(|&(distance, _)| distance < FAR) {
            order.push(switch);
            heap.step(graph, fans, cables, self.base, |far, link| {
                ways[far as usize] = Way { entry: fans.entry(link), next: switch };
            });
        }
        order
    }

    /// Writes the ports of the paths found, and makes their links heavier.
    #[inline(never)] // the compiler finds more registers for the loop so
    fn lay(&mut self, row: &mut [u8]) {
        let Self { fans, cables, plan, keys, ways, paths, .. } = self;
        let (paths, ways) = (&mut paths[..row.len()], &ways[..row.len()]);
        paths.copy_from_slice(&self.lids);
        for (fan, _, steps) in plan.spreads().rev() {
            let from = &fans.from()[fans.rows_of(fan)];
            for step in steps {
                let tile = *fans.tile(step.tile);
                let columns = fans.to(&tile).iter().zip(&keys[step.place as usize..]);
                for (column, (&switch, &key)) in columns.enumerate() {
                    if step.fresh >> column & 1 == 0 {
                        continue;
                    }
                    let way = match key as u8 {
                        NO_ROW => ways[switch as usize],
                        row => Way { entry: tile.entry(row, column), next: from[usize::from(row)] },
                    };
                    let count = paths[switch as usize];
                    row[switch as usize] = cables.lay(way.entry, count);
                    paths[way.next as usize] += count;
                }
            }
        }
    }

    /// The same where the whole search was done on the heap. `order`: nearest first, without the home.
    fn lay_along(&mut self, order: &[u32], row: &mut [u8]) {
        let Self { cables, ways, paths, .. } = self;
        paths.copy_from_slice(&self.lids);
        for &switch in order.iter().rev() {
            let Way { entry, next } = ways[switch as usize];
            let count = paths[switch as usize];
            row[switch as usize] = cables.lay(entry, count);
            paths[next as usize] += count;
        }
    }
}

/// Switches in the order in which blocks are looked for: those with end nodes first, then by hops from
/// these.
fn seeds(fabric: &Fabric, graph: &SwitchGraph) -> Vec<u32> {
    let has_ends = |&switch: &u32| end_ports_on(fabric, NodeId(switch)) > 0;
    let all = || 0..graph.num_switches() as u32;
    let mut seen: Vec<bool> = all().map(|switch| has_ends(&switch)).collect();
    let mut queue: Vec<u32> = all().filter(has_ends).collect();
    let mut next = 0;
    while let Some(&switch) = queue.get(next) {
        next += 1;
        for link in graph.links(switch as usize) {
            let far = graph.peer[link];
            if !std::mem::replace(&mut seen[far as usize], true) {
                queue.push(far);
            }
        }
    }
    queue.extend(all().filter(|&switch| !seen[switch as usize]));
    queue
}
