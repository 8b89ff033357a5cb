//! The paths to one LID after the other.

mod ties;

use super::bipartite_blocks::{Fans, MAX_WIDTH, NO_ROW, NONE, ROW_NUMBERS, VECTOR};
use super::bounds::{ABSENT, Bounds};
use super::cables::{Cables, HOLE};
use super::heap::{FAR, Heap, Search};
use super::lightest::{key, lightest, total, with_row};
use super::plan::{Head, Plan, Spread, Step};
use super::targets::Subnet;
use crate::fabric::switch_graph::{SwitchGraph, end_ports_on};
use crate::fabric::{Fabric, NodeId};
use crate::routing::Refused;
use ties::Contested;

/// Columns of a table that are best looked at one by one.
const NARROW: u32 = 2 * VECTOR as u32;

/// Most plans that are kept for switches with the same neighbours.
const KEPT: usize = 128;

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
    bounds: Bounds,
    plan: Plan,
    /// Plans for other switches: of those that have rows in one fan alone the last one for each pair of
    /// fans, but that pairs with the same remainder by [`KEPT`] share a place; then one for all others.
    kept: Vec<Plan>,
    /// Where the present plan will be kept.
    kept_at: usize,
    /// The weight that links start with.
    base: u64,
    /// By switch: LIDs on it, routers' too.
    lids: Vec<u32>,
    /// By place of the plan: a switch's extra, and the row that its way comes from in the tile that meets it
    /// first; [`NO_ROW`] where it comes from elsewhere.
    keys: Vec<u32>,
    /// The keys of a spread's heads, with their rows.
    heads: Vec<u32>,
    /// By switch: its way, where no row tells it.
    ways: Vec<Way>,
    /// By place: the paths that lead through the switch, its own included.
    paths: Vec<u32>,
    /// By row of the fan at hand: the paths that are laid from it.
    passed: Box<[u32; ROW_NUMBERS]>,
    /// Switches with ways of equal weight, nearest first.
    contested: Vec<Contested>,
    /// Their ways.
    rivals: Vec<Way>,
    /// The subnet's switches on the heap before a search, from a switch and from an adapter.
    starts: [Search; 2],
    on_heap: Search,
    /// A copy of it that gives out what is at the same distance, without its links.
    ranking: Heap,
    /// Switches at the same distance, as the heap has given them out.
    given_out: Vec<u32>,
    /// By switch: its place among these; [`NONE`] if it is not there.
    rank: Vec<u32>,
}

impl<'a> Router<'a> {
    pub(super) fn new(fabric: &Fabric, graph: &'a SwitchGraph) -> Self {
        let n = graph.num_switches();
        let (fans, cables) = Fans::of(graph, &seeds(fabric, graph));
        let bounds = Bounds::of(&fans);
        let kept = (0..=KEPT).map(|_| Plan::default()).collect();
        Self {
            graph,
            fans,
            cables,
            bounds,
            plan: Plan::default(),
            kept,
            kept_at: KEPT,
            base: 0,
            lids: vec![0; n],
            keys: Vec::new(),
            heads: Vec::new(),
            ways: vec![Way::default(); n],
            paths: Vec::new(),
            passed: Box::new([0; ROW_NUMBERS]),
            contested: Vec::new(),
            rivals: Vec::new(),
            starts: Default::default(),
            on_heap: Search::default(),
            ranking: Heap::default(),
            given_out: Vec::new(),
            rank: vec![NONE; n],
        }
    }

    /// Whether OpenSM would begin: the manager reaches every switch.
    pub(super) fn check(&mut self, fabric: &Fabric, subnet: &Subnet) -> Result<(), Refused> {
        let base = u64::from(subnet.num_lids).pow(2);
        self.plan.set(&self.fans, &self.cables, &self.lids, subnet.manager);
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
        let num_switches = self.graph.num_switches();
        self.starts = [false, true].map(|adapter| Search::of(num_switches, &subnet.switches, adapter));
        self.plan.order.clear();
        for &(switch, lids) in &subnet.load {
            self.lids[switch as usize] += lids;
        }
    }

    /// Lays the paths of all switches to a LID of the end port that `home` has at `port` (0: the home
    /// itself): fills the row of the LID by switch, but for a switch's own LID.
    pub(super) fn route_to(&mut self, home: u32, port: u8, row: &mut [u8]) {
        if self.plan.order.first() != Some(&home) {
            self.enter_plan(home);
        }
        if port > 0 {
            row[home as usize] = port;
        }
        self.paths.clone_from(&self.plan.lids);
        if self.hops_come_first() {
            let plan = std::mem::take(&mut self.plan);
            self.spread(&plan);
            let left = self.spread_to_outermost(&plan, row);
            self.settle(&plan, home, port > 0);
            for (spread, step) in left {
                self.lay(&plan, Spread { steps: &[step], ..spread }, row);
            }
            for spread in plan.inner().rev() {
                self.lay(&plan, spread, row);
            }
            self.plan = plan;
        } else {
            let order = self.search(home, port > 0);
            self.lay_along(&order[1..], row);
        }
    }

    /// Plans the search from a switch, and keeps the plan so far.
    fn enter_plan(&mut self, home: u32) {
        std::mem::swap(&mut self.plan, &mut self.kept[self.kept_at]);
        self.kept_at = match self.fans.of_switch(home) {
            &[(fan, _)] => (fan / 2) as usize % KEPT,
            _ => KEPT,
        };
        std::mem::swap(&mut self.plan, &mut self.kept[self.kept_at]);
        self.plan.set(&self.fans, &self.cables, &self.lids, home);
    }

    /// Whether no path of more hops can be the shorter one, and all distances fit.
    fn hops_come_first(&mut self) -> bool {
        let depth = u64::from(self.plan.depth());
        let fit = |heaviest: u32| {
            let most = depth * u64::from(heaviest);
            most < self.base.min(u64::from(HOLE)) && depth * self.base + most + 1 < u64::from(FAR)
        };
        debug_assert!(self.cables.greatest_weight() <= self.cables.heaviest);
        if !fit(self.cables.heaviest) {
            self.cables.heaviest = self.cables.greatest_weight();
        }
        fit(self.cables.heaviest)
    }

    /// Finds the least extra of every switch but the outermost ones, and a way that has it.
    fn spread(&mut self, plan: &Plan) {
        self.keys.resize(plan.lids.len() + MAX_WIDTH, 0);
        self.keys[0] = key(0, NO_ROW);
        let mut heads = std::mem::take(&mut self.heads);
        for spread in plan.inner() {
            heads.clear();
            if let Some(first) = spread.run {
                let keys = &self.keys[first as usize..][..spread.heads.len()];
                heads.extend(keys.iter().zip(0..).map(|(&key, row)| with_row(key, row)));
            } else {
                let head = |head: &Head| with_row(self.keys[head.place as usize], head.row);
                heads.extend(spread.heads.iter().map(head));
            }
            for step in spread.steps {
                self.step(plan, spread.fan, &heads, step);
            }
        }
        self.heads = heads;
    }

    /// Finds the least extra of the switches of a step, and a row that has it.
    #[inline]
    fn step(&mut self, plan: &Plan, fan: u32, heads: &[u32], step: &Step) {
        let tile = self.fans.tile(step.tile);
        let weights = &self.cables.weights[tile.first as usize..];
        let Some(keys) = self.keys[step.place as usize..].first_chunk_mut() else { return };
        let ties = lightest(heads, weights, tile.width, keys);
        if ties & step.fresh | step.again != 0 {
            self.compare(plan, fan, heads, step, ties);
        }
    }

    /// The same for the outermost switches, and lays the paths that begin there: nobody else's pass through
    /// them. Those steps that are left until ties are settled.
    fn spread_to_outermost<'p>(&mut self, plan: &'p Plan, row: &mut [u8]) -> Vec<(Spread<'p>, Step)> {
        let mut left = Vec::new();
        let mut by_row = [ABSENT; ROW_NUMBERS];
        let mut heads = std::mem::take(&mut self.heads);
        for spread in plan.outermost() {
            let rows = self.fans.rows_of(spread.fan).len();
            let by_row = &mut by_row[..rows.next_multiple_of(VECTOR)];
            let key = |head: &Head| with_row(self.keys[head.place as usize], head.row);
            if spread.heads.len() == rows {
                // All of them, in the order of their rows.
                by_row.iter_mut().zip(spread.heads).for_each(|(by_row, head)| *by_row = key(head));
                by_row[rows..].fill(ABSENT);
            } else {
                by_row.fill(ABSENT);
                spread.heads.iter().for_each(|head| by_row[usize::from(head.row)] = key(head));
            }
            for step in spread.steps {
                let only = |bounds: &mut Bounds| bounds.only(&self.fans, &self.cables, step.tile, by_row);
                if let Some(from) = only(&mut self.bounds) {
                    self.lay_alike(spread.heads, step, from, row);
                    continue;
                }
                heads.clear();
                heads.extend(spread.heads.iter().map(|head| by_row[usize::from(head.row)]));
                let num_contested = self.contested.len();
                self.step(plan, spread.fan, &heads, step);
                if self.contested.len() > num_contested {
                    left.push((spread, *step));
                } else {
                    self.lay(plan, Spread { steps: std::slice::from_ref(step), ..spread }, row);
                    if !self.fans.tile(step.tile).is_bundled {
                        self.look(step);
                    }
                }
            }
        }
        self.heads = heads;
        left
    }

    /// Lays the paths of all columns of an outermost step along links from the same row.
    #[inline]
    fn lay_alike(&mut self, heads: &[Head], step: &Step, from: u8, row: &mut [u8]) {
        let Self { fans, cables, bounds, paths, .. } = self;
        let tile = fans.tile(step.tile);
        let counts = &paths[step.place as usize..][..tile.width as usize];
        let count = counts[0];
        let is_even = counts[..fans.to(tile).len()].iter().all(|&c| c == count);
        let sum = cables.lay_row(fans, step, from, counts, row);
        if is_even {
            bounds.raise(step.tile, from, count);
        } else {
            bounds.look(fans, cables, step.tile, from);
        }
        // As rows ascend, that of a complete list is at its number.
        let is_it = |head: &&Head| head.row == from;
        let head = heads.get(usize::from(from)).filter(is_it).or_else(|| heads.iter().find(is_it));
        if let Some(head) = head {
            paths[head.place as usize] += sum;
        }
    }

    /// Looks at the bounds of those rows again that the paths of a step were laid from.
    fn look(&mut self, step: &Step) {
        let Self { fans, cables, bounds, keys, .. } = self;
        let mut is_seen = [false; ROW_NUMBERS];
        for &key in &keys[step.place as usize..][..fans.to(fans.tile(step.tile)).len()] {
            let (_, row) = total(key);
            if !std::mem::replace(&mut is_seen[usize::from(row)], true) {
                bounds.look(fans, cables, step.tile, row);
            }
        }
        bounds.trust(step.tile);
    }

    /// The whole search on the heap; the switches that it reaches, nearest first.
    fn search(&mut self, home: u32, adapter: bool) -> Vec<u32> {
        let Self { graph, fans, cables, ways, on_heap, .. } = self;
        on_heap.copy(&self.starts[usize::from(adapter)]);
        on_heap.begin(home, adapter);
        let mut order = Vec::new();
        while let Some((_, switch)) = on_heap.first().filter(|&(distance, _)| distance < FAR) {
            order.push(switch);
            on_heap.step(graph, fans, cables, self.base, |far, link| {
                ways[far as usize] = Way { entry: fans.entry(link), next: switch };
            });
        }
        order
    }

    /// Writes the ports of the paths that a spread has found, and makes their links heavier.
    #[inline(never)] // the compiler finds more registers for the loop so
    fn lay(&mut self, plan: &Plan, spread: Spread<'_>, row: &mut [u8]) {
        let Self { fans, cables, bounds, keys, ways, paths, passed, .. } = self;
        let Spread { heads, run, steps, .. } = spread;
        for step in steps {
            bounds.forget(step.tile);
            let tile = fans.tile(step.tile);
            let (nearer, counts) = paths.split_at_mut(step.place as usize);
            let keys = &keys[step.place as usize..];
            let mut left = step.fresh;
            if tile.width > NARROW && !tile.is_bundled {
                if let &[Head { row: from, place }] = heads
                    && !plan.meets_twice
                {
                    nearer[place as usize] += cables.lay_row(fans, step, from, counts, row);
                    continue;
                }
                left = cables.lay_columns(fans, step, keys, counts, passed, row);
            }
            while left != 0 {
                let column = left.trailing_zeros() as usize;
                left &= left - 1;
                let (switch, count) = (fans.to(tile)[column], counts[column]);
                let entry = match keys[column] as u8 {
                    NO_ROW => {
                        let Way { entry, next } = ways[switch as usize];
                        nearer[plan.place(next) as usize] += count;
                        entry
                    }
                    from => {
                        passed[usize::from(from)] += count;
                        tile.entry(from, column)
                    }
                };
                row[switch as usize] = cables.lay(entry, count);
            }
        }
        if let Some(first) = run {
            let paths = paths[first as usize..][..heads.len()].iter_mut();
            paths.zip(passed.iter_mut()).for_each(|(paths, passed)| *paths += std::mem::take(passed));
        } else {
            for head in heads {
                paths[head.place as usize] += std::mem::take(&mut passed[usize::from(head.row)]);
            }
        }
    }

    /// The same where the whole search was done on the heap. `order`: nearest first, without the home.
    fn lay_along(&mut self, order: &[u32], row: &mut [u8]) {
        let Self { cables, bounds, plan, ways, paths, .. } = self;
        bounds.forget_all();
        for &switch in order.iter().rev() {
            let Way { entry, next } = ways[switch as usize];
            let place = plan.place(switch) as usize;
            let count = paths[place];
            row[switch as usize] = cables.lay(entry, count);
            paths[plan.place(next) as usize] += count;
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
