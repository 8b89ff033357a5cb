//! The paths to one LID after the other.

use super::super::Refused;
use super::super::graph::{SwitchGraph, end_ports_on};
use super::fans::{Fans, HOLE};
use super::heap::{self, FAR};
use super::lightest::{Heads, total};
use super::plan::Plan;
use super::targets::Subnet;
use crate::fabric::{Fabric, NodeId};

/// How a switch begins its path to the destination at hand.
#[derive(Clone, Copy, Debug, Default)]
struct Way {
    /// The weights on the whole path.
    extra: u32,
    /// The entry of the link, counted from the destination.
    entry: u32,
    /// The next switch.
    next: u32,
}

/// Lays paths, and remembers how heavy links have become.
pub(super) struct Router<'a> {
    graph: &'a SwitchGraph,
    fans: Fans,
    plan: Plan,
    /// The weight that links start with.
    base: u64,
    /// The subnet's switches in OpenSM's order.
    switches: Vec<u32>,
    /// By switch: LIDs on it.
    lids: Vec<u32>,
    /// By switch.
    ways: Vec<Way>,
    /// By switch: the paths that lead through it, its own included.
    paths: Vec<u32>,
    /// Switches with ways of equal weight, nearest first.
    contested: Vec<u32>,
    heap: heap::Search,
    /// By switch: when the heap gives it out.
    rank: Vec<u32>,
}

impl<'a> Router<'a> {
    pub(super) fn new(fabric: &Fabric, graph: &'a SwitchGraph) -> Self {
        let n = graph.num_switches();
        Self {
            graph,
            fans: Fans::of(graph, &seeds(fabric, graph)),
            plan: Plan::default(),
            base: 0,
            switches: Vec::new(),
            lids: vec![0; n],
            ways: vec![Way::default(); n],
            paths: vec![0; n],
            contested: Vec::new(),
            heap: heap::Search::default(),
            rank: vec![0; n],
        }
    }

    /// Whether OpenSM would begin: the manager reaches every switch.
    pub(super) fn check(&mut self, fabric: &Fabric, subnet: &Subnet) -> Result<(), Refused> {
        let base = u64::from(subnet.num_lids).pow(2);
        self.plan.set(&self.fans, self.graph.num_switches(), subnet.manager);
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
            self.plan.set(&self.fans, self.graph.num_switches(), home);
        }
        if port > 0 {
            row[home as usize] = port;
        }
        if self.hops_come_first() {
            self.spread(home);
            if !self.contested.is_empty() {
                self.settle(home, port > 0);
            }
            let order = std::mem::take(&mut self.plan.order);
            self.lay(&order[1..], row);
            self.plan.order = order;
        } else {
            let order = self.search(home, port > 0);
            self.lay(&order[1..], row);
        }
    }

    /// Whether no path of more hops can be the shorter one, and all distances fit.
    fn hops_come_first(&self) -> bool {
        let depth = u64::from(self.plan.depth());
        let most = depth * u64::from(self.fans.heaviest());
        most < self.base.min(u64::from(HOLE)) && depth * self.base + most + 1 < u64::from(FAR)
    }

    /// Finds the least extra of every switch, and a way that has it.
    fn spread(&mut self, home: u32) {
        let Self { fans, plan, contested, .. } = self;
        let ways = &mut self.ways[..];
        ways[home as usize].extra = 0;
        let mut heads = Heads::default();
        for (fan, rows, steps) in plan.spreads() {
            let from = &fans.from()[fans.rows_of(fan)];
            heads.set(rows, |row| ways[from[usize::from(row)] as usize].extra);
            for step in steps {
                let tile = fans.tile(step.tile);
                let [best, second] = heads.two_lightest(&fans.weights[tile.first as usize..], tile.width);
                let keys = best.iter().zip(&second);
                for (column, (&switch, (&best, &second))) in fans.to(tile).iter().zip(keys).enumerate() {
                    let (extra, row) = total(best);
                    let way = &mut ways[switch as usize];
                    if step.fresh >> column & 1 == 0 {
                        if step.again >> column & 1 == 0 || extra > way.extra {
                            continue;
                        } else if extra == way.extra {
                            contested.push(switch);
                            continue;
                        }
                    }
                    let entry = tile.first + u32::from(row) * tile.width + column as u32;
                    *way = Way { extra, entry, next: from[usize::from(row)] };
                    if total(second).0 == extra {
                        contested.push(switch);
                    }
                }
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
            let mut best = Way { extra: u32::MAX, ..Way::default() };
            let mut nearest = u32::MAX;
            for link in self.graph.links(switch as usize) {
                let next = self.graph.peer[link];
                if self.plan.hops[next as usize] != hops - 1 {
                    continue;
                }
                let entry = self.fans.entry(self.graph.back[link] as usize);
                let near = self.ways[next as usize].extra;
                let way = Way { extra: near + self.fans.weights[entry as usize], entry, next };
                let equal = (way.extra, near) == (best.extra, nearest);
                if equal && next != best.next && ranked != Some(hops - 1) {
                    self.rank(hops - 1, ranked.is_none(), home, adapter);
                    ranked = Some(hops - 1);
                }
                let earlier = || self.rank[next as usize] < self.rank[best.next as usize];
                if (way.extra, near) < (best.extra, nearest) || equal && next != best.next && earlier() {
                    (best, nearest) = (way, near);
                }
            }
            self.ways[switch as usize] = best;
        }
        self.contested = contested;
    }

    /// Ranks the switches that are `hops` away by when the heap gives them out.
    fn rank(&mut self, hops: u32, first: bool, home: u32, adapter: bool) {
        let Self { graph, fans, plan, heap, .. } = self;
        let at = |&(_, switch): &(u32, u32)| plan.hops[switch as usize];
        if first {
            heap.begin(graph.num_switches(), &self.switches, home, adapter);
        }
        while heap.first().is_some_and(|item| at(&item) < hops) {
            heap.step(graph, fans, self.base, |_, _| {});
        }
        // What is farther away does not change the order among these.
        let mut heap = heap.clone();
        let mut count = 0;
        while let Some((_, switch)) = heap.first().filter(|item| at(item) == hops) {
            self.rank[switch as usize] = count;
            count += 1;
            heap.pop();
        }
    }

    /// The whole search on the heap; the switches that it reaches, nearest first.
    fn search(&mut self, home: u32, adapter: bool) -> Vec<u32> {
        let Self { graph, fans, ways, heap, .. } = self;
        heap.begin(graph.num_switches(), &self.switches, home, adapter);
        let mut order = Vec::with_capacity(self.switches.len());
        while let Some((_, switch)) = heap.first().filter(|&(distance, _)| distance < FAR) {
            order.push(switch);
            heap.step(graph, fans, self.base, |far, link| {
                ways[far as usize] = Way { extra: 0, entry: fans.entry(link), next: switch };
            });
        }
        order
    }

    /// Writes the ports of the paths found, and makes their links heavier. `order`: nearest first,
    /// without the home.
    fn lay(&mut self, order: &[u32], row: &mut [u8]) {
        let Self { fans, .. } = self;
        let (paths, ways) = (&mut self.paths[..], &self.ways[..]);
        paths.copy_from_slice(&self.lids);
        for &switch in order.iter().rev() {
            let Way { entry, next, .. } = ways[switch as usize];
            let count = paths[switch as usize];
            row[switch as usize] = fans.ports[entry as usize];
            fans.add(entry, count);
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
