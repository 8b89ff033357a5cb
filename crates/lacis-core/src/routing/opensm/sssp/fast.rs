//! The tables of [`sssp`](super), made faster.
//!
//! T² outweighs all that paths add to links, until a check says otherwise. So a nearer switch is one of fewer
//! hops; and of paths with the fewest hops the nearest has least *extra*, the sum of what was added to its
//! links. Hops are found once for all LIDs on a switch. Extras are found from hop to hop without a heap, for
//! many switches at a time: in trees the leaves of a pod have all its middle switches as neighbours, these
//! have the same cores. All switches with the same neighbours on one side are the columns of a *tile*, a
//! table of weights with a row for each of their neighbours' cables.
//!
//! The heap of the literal search remains for what the extras leave open: which of two switches at the same
//! distance it gives out first; and for the whole search where extras may outweigh a hop.

use std::cmp::Ordering;
use std::ops::Range;

use super::by_distance::{ByDistance, FAR};
use super::destinations::{Destination, SsspSubnet, subnets};
use super::lightest::{LANES, LEAST_KEY, MAX_EXTRA, MAX_WIDTH, NO_ROW, is_alike, key, lightest, with_row};
use super::{NONE, base, begin, expand, unreached};
use crate::fabric::Fabric;
use crate::fabric::switch_graph::{SwitchGraph, end_ports_on};
use crate::routing::common::transpose::ByDestination;
use crate::routing::{Refused, Sweep};
use crate::sm::Lft;

/// Routes a fabric.
///
/// # Errors
/// As [`sssp::route`](super::route).
pub fn route(sweep: &Sweep<'_>) -> Result<Lft, Refused> {
    let graph = SwitchGraph::avoiding(sweep.fabric, sweep.options.avoid_throttled);
    Ok(table(sweep, &graph, &subnets(sweep))?.lft())
}

/// The table of all subnets.
pub(in crate::routing) fn table(
    sweep: &Sweep<'_>,
    graph: &SwitchGraph,
    subnets: &[SsspSubnet],
) -> Result<ByDestination, Refused> {
    let mut router = Router::new(sweep.fabric, graph);
    super::fill_table(sweep, graph, subnets, |subnet, table| {
        router.enter(subnet);
        for Destination { switch, port, lids } in &subnet.destinations {
            router.plan.set(&router.tiles, &router.load, *switch);
            for lid in lids.clone() {
                let row = table.row_mut(lid);
                if *port > 0 {
                    row[*switch as usize] = *port;
                }
                router.route_to(*switch, *port > 0, row);
            }
        }
    })
}

/// Links into at most [`MAX_WIDTH`] switches, the columns, that have the same neighbours, the rows.
#[derive(Clone, Debug)]
struct Tile {
    /// In [`Tiles::from`], by row: a switch, once for each of parallel cables, by port number there.
    rows: Range<usize>,
    /// In [`Tiles::to`], by column.
    columns: Range<usize>,
    /// Entries of the first row; those of others follow.
    first: usize,
    /// Entries in a row, also those that only fill up a vector.
    width: usize,
}

impl Tile {
    #[inline]
    fn entry(&self, row: u8, column: usize) -> usize {
        self.first + usize::from(row) * self.width + column
    }
}

/// All tiles. An *entry* is the index of a link in their tables.
#[derive(Debug, Default)]
struct Tiles {
    all: Vec<Tile>,
    from: Vec<u32>,
    to: Vec<u32>,
    /// By link: its entry; that of no link where it leads from a switch to itself.
    entry: Vec<usize>,
    /// By entry: the link's port number at the switch of its column.
    port: Vec<u8>,
    /// By switch: the tiles that it has a row in.
    with_row: Vec<Vec<u32>>,
}

impl Tiles {
    /// Tiles for all links between different switches. The neighbours of a switch are divided by their hops from
    /// switches with end nodes: up, down, on the same level.
    fn of(fabric: &Fabric, graph: &SwitchGraph) -> Self {
        let has_ends: Vec<bool> = fabric.switches().map(|switch| end_ports_on(fabric, switch) > 0).collect();
        let level = graph.hops_from(&has_ends);
        // Neighbours, by cable; the switch; its links to them.
        let mut lists: Vec<(Vec<u32>, u32, Vec<usize>)> = Vec::new();
        for switch in 0..graph.num_switches() {
            for side in [Ordering::Less, Ordering::Equal, Ordering::Greater] {
                let far = |&link: &usize| graph.peer[link] as usize;
                let mut links: Vec<usize> = graph.links(switch).collect();
                links.retain(|link| far(link) != switch && level[far(link)].cmp(&level[switch]) == side);
                links.sort_by_key(|link| (far(link), graph.back[*link]));
                let neighbours = links.iter().map(|&link| graph.peer[link]).collect();
                lists.push((neighbours, switch as u32, links));
            }
        }
        lists.retain(|(neighbours, ..)| !neighbours.is_empty());
        lists.sort_unstable();
        let mut tiles = Self { entry: vec![usize::MAX; graph.num_links()], ..Self::default() };
        tiles.with_row.resize(graph.num_switches(), Vec::new());
        for alike in lists.chunk_by(|one, other| one.0 == other.0) {
            let rows = tiles.from.len()..tiles.from.len() + alike[0].0.len();
            tiles.from.extend(&alike[0].0);
            for columns in alike.chunks(alike.len().div_ceil(alike.len().div_ceil(MAX_WIDTH))) {
                tiles.add(graph, rows.clone(), columns);
            }
        }
        tiles
    }

    fn add(&mut self, graph: &SwitchGraph, rows: Range<usize>, columns: &[(Vec<u32>, u32, Vec<usize>)]) {
        let width = columns.len().next_multiple_of(LANES);
        let (first, first_to) = (self.port.len(), self.to.len());
        self.port.resize(first + rows.len() * width, 0);
        for (column, (_, switch, links)) in columns.iter().enumerate() {
            self.to.push(*switch);
            for (row, &link) in links.iter().enumerate() {
                let entry = first + row * width + column;
                self.entry[graph.back[link] as usize] = entry;
                self.port[entry] = graph.port[link];
            }
        }
        for &switch in &self.from[rows.clone()] {
            let tiles = &mut self.with_row[switch as usize];
            if tiles.last() != Some(&(self.all.len() as u32)) {
                tiles.push(self.all.len() as u32);
            }
        }
        self.all.push(Tile { rows, columns: first_to..self.to.len(), first, width });
    }

    /// The weight of a link in the literal search; no path takes one from a switch to itself.
    #[inline]
    fn weight(&self, added: &[u32], base: u64, link: usize) -> u64 {
        base + u64::from(added.get(self.entry[link]).copied().unwrap_or(0))
    }
}

/// A tile whose rows lead to some of its columns along shortest paths.
#[derive(Clone, Debug)]
struct BlockStep {
    tile: usize,
    /// In [`BlockPlan::heads`]: rows, and their switches.
    heads: Range<usize>,
    /// As bits: the columns that no earlier step leads to.
    columns: u32,
    /// As bits: those of `columns` that a later step leads to, too.
    several: u32,
}

/// What the search from one switch looks at, as far as hops decide.
#[derive(Debug, Default)]
struct BlockPlan {
    /// The switch; none in a new subnet.
    from: Option<u32>,
    /// By switch; [`NONE`] where there is no path.
    hops: Vec<u32>,
    /// The greatest of them.
    depth: u32,
    /// Nearest first.
    steps: Vec<BlockStep>,
    heads: Vec<(u8, u32)>,
    /// By switch: the step that leads to it, and its column there.
    reached_by: Vec<(u32, u8)>,
}

impl BlockPlan {
    /// Plans the search from a switch.
    fn set(&mut self, tiles: &Tiles, load: &[u32], from: u32) {
        if self.from.replace(from) == Some(from) {
            return;
        }
        let Self { hops, depth, steps, heads, reached_by, .. } = self;
        steps.clear();
        heads.clear();
        hops.clear();
        hops.resize(load.len(), NONE);
        hops[from as usize] = 0;
        reached_by.clear();
        reached_by.resize(load.len(), (NONE, 0));
        let mut is_seen = vec![false; tiles.all.len()];
        let mut queue = Vec::with_capacity(load.len());
        queue.push(from);
        let mut next = 0;
        while let Some(&near) = queue.get(next) {
            next += 1;
            *depth = hops[near as usize];
            for &number in &tiles.with_row[near as usize] {
                if std::mem::replace(&mut is_seen[number as usize], true) {
                    continue;
                }
                let tile = &tiles.all[number as usize];
                let (mut columns, at) = (0, steps.len() as u32);
                for (column, &far) in (0..).zip(&tiles.to[tile.columns.clone()]) {
                    let known = &mut hops[far as usize];
                    if *known == NONE {
                        *known = *depth + 1;
                        queue.push(far);
                        reached_by[far as usize] = (at, column);
                        columns |= 1 << column;
                    } else if *known == *depth + 1 {
                        let (step, column) = reached_by[far as usize];
                        steps[step as usize].several |= 1 << column;
                    }
                }
                if columns != 0 {
                    steps.push(BlockStep { tile: number as usize, heads: 0..0, columns, several: 0 });
                }
            }
        }
        for step in steps {
            let tile = &tiles.all[step.tile];
            let rows = (0..).zip(&tiles.from[tile.rows.clone()]);
            let hops_of = |switch: u32| hops[switch as usize];
            let near = hops_of(tiles.to[tile.columns.start + step.columns.trailing_zeros() as usize]) - 1;
            let first = heads.len();
            heads.extend(rows.map(|(row, &head)| (row, head)).filter(|&(_, head)| hops_of(head) == near));
            step.heads = first..heads.len();
        }
    }
}

/// How a switch begins its path.
#[derive(Clone, Copy, Debug, Default)]
struct FirstHop {
    entry: usize,
    next: u32,
}

/// Adds paths, and remembers how heavy links have become.
struct Router<'a> {
    graph: &'a SwitchGraph,
    tiles: Tiles,
    /// By entry: the paths added to a link.
    weight: Vec<u32>,
    /// The greatest of them.
    heaviest: u32,
    /// The present subnet's T².
    base: u64,
    /// By switch: LIDs on it, routers' too.
    load: Vec<u32>,
    plan: BlockPlan,
    /// By switch: its extra, and the row that its path comes from in the tile of its step.
    keys: Vec<u32>,
    /// By switch: its hop where the row is [`NO_ROW`].
    hop: Vec<FirstHop>,
    /// By switch: the paths through it, its own included.
    paths: Vec<u32>,
    /// The keys of a step's heads.
    heads: Vec<u32>,
    /// Equally good hops of a switch.
    rivals: Vec<FirstHop>,
    order: HeapOrder,
}

impl<'a> Router<'a> {
    fn new(fabric: &Fabric, graph: &'a SwitchGraph) -> Self {
        let (n, tiles) = (graph.num_switches(), Tiles::of(fabric, graph));
        Self {
            graph,
            weight: vec![0; tiles.port.len()],
            tiles,
            heaviest: 0,
            base: 0,
            load: vec![0; n],
            plan: BlockPlan::default(),
            keys: vec![0; n],
            hop: vec![FirstHop::default(); n],
            paths: Vec::new(),
            heads: Vec::new(),
            rivals: Vec::new(),
            order: HeapOrder::default(),
        }
    }

    /// Begins with a subnet.
    fn enter(&mut self, subnet: &SsspSubnet) {
        self.base = base(subnet);
        self.order.unreached = [false, true].map(|adapter| unreached(self.graph, subnet, adapter));
        self.plan.from = None;
        subnet.load.iter().for_each(|&(switch, lids)| self.load[switch as usize] = lids);
    }

    /// Adds the paths of all switches to a LID of a switch, or of an adapter on it; writes their ports.
    fn route_to(&mut self, switch: u32, adapter: bool, row: &mut [u8]) {
        self.paths.clone_from(&self.load);
        self.order.begin(switch, adapter);
        if !self.hops_come_first() {
            return self.route_by_heap(row);
        }
        let plan = std::mem::take(&mut self.plan);
        self.keys[switch as usize] = LEAST_KEY;
        plan.steps.iter().for_each(|step| self.find(&plan, step));
        plan.steps.iter().rev().for_each(|step| self.add_paths(step, row));
        self.plan = plan;
    }

    /// Whether no path of more hops can be the shorter one, and all distances and keys fit.
    fn hops_come_first(&self) -> bool {
        let depth = u64::from(self.plan.depth);
        let most = depth * u64::from(self.heaviest);
        most < self.base.min(u64::from(MAX_EXTRA)) && depth * self.base + most + 1 < u64::from(FAR)
    }

    /// The literal search.
    fn route_by_heap(&mut self, row: &mut [u8]) {
        let Self { graph, tiles, weight, hop, paths, .. } = self;
        let heap = self.order.heap();
        let mut given_out = Vec::new();
        let mut reach = |far: u32, link: u32| {
            let next = graph.peer[graph.back[link as usize] as usize];
            hop[far as usize] = FirstHop { entry: tiles.entry[link as usize], next };
        };
        while let Some(near) = expand(heap, graph, |link| tiles.weight(weight, self.base, link), &mut reach) {
            given_out.push(near as usize);
        }
        for &from in given_out[1..].iter().rev() {
            let FirstHop { entry, next } = hop[from];
            weight[entry] += paths[from];
            self.heaviest = self.heaviest.max(weight[entry]);
            paths[next as usize] += paths[from];
            row[from] = tiles.port[entry];
        }
    }

    /// Finds the least extra of the columns of a step, and a row that has it.
    #[inline]
    fn find(&mut self, plan: &BlockPlan, step: &BlockStep) {
        let Self { tiles, weight, keys, heads, .. } = self;
        let tile = &tiles.all[step.tile];
        let to = &tiles.to[tile.columns.clone()];
        heads.clear();
        let rows = plan.heads[step.heads.clone()].iter();
        heads.extend(rows.map(|&(row, head)| with_row(keys[head as usize], row)));
        let mut best = [0; MAX_WIDTH];
        let ties = lightest(heads, &weight[tile.first..], tile.width, &mut best);
        for (column, (&switch, key)) in to.iter().zip(best).enumerate() {
            if step.columns >> column & 1 == 1 {
                keys[switch as usize] = key;
            }
        }
        let unclear = ties & step.columns | step.several;
        if unclear != 0 {
            let columns = (0..to.len()).filter(|column| unclear >> column & 1 == 1);
            columns.for_each(|column| self.choose(plan, step, column));
        }
    }

    /// Finds the hop of a step's column where rows are equally good, or where other tiles lead to it: that of
    /// least extra; of equal ones that to the nearest switch; of equally near switches the one that the heap
    /// gives out first; of parallel cables the first by port number there.
    fn choose(&mut self, plan: &BlockPlan, step: &BlockStep, column: usize) {
        let Self { graph, tiles, weight, keys, heads, rivals, .. } = self;
        let tile = &tiles.all[step.tile];
        let switch = tiles.to[tile.columns.start + column];
        let near = plan.hops[switch as usize] - 1;
        let mut best = keys[switch as usize];
        rivals.clear();
        if step.several >> column & 1 == 0 {
            for (&head, &(row, next)) in heads.iter().zip(&plan.heads[step.heads.clone()]) {
                let entry = tile.entry(row, column);
                if is_alike(key(head, weight[entry]), best) {
                    rivals.push(FirstHop { entry, next });
                }
            }
        } else {
            let links = graph.links(switch as usize);
            let nearer = links.filter(|&link| plan.hops[graph.peer[link] as usize] == near);
            rivals.extend(nearer.map(|link| FirstHop {
                entry: tiles.entry[graph.back[link] as usize],
                next: graph.peer[link],
            }));
            let path = |rival: &FirstHop| key(with_row(keys[rival.next as usize], 0), weight[rival.entry]);
            best = rivals.iter().map(path).min().unwrap_or(best);
            rivals.retain(|rival| path(rival) == best);
        }
        let head = |rival: &FirstHop| with_row(keys[rival.next as usize], 0);
        let nearest = rivals.iter().map(head).min();
        rivals.retain(|rival| Some(head(rival)) == nearest);
        keys[switch as usize] = with_row(best, NO_ROW);
        let first = self.rivals[0];
        if self.rivals.iter().any(|rival| rival.next != first.next) {
            let weight = |link| self.tiles.weight(&self.weight, self.base, link);
            self.order.find_first(self.graph, weight, &plan.hops, near, &self.rivals);
        }
        let given_out = |rival: &FirstHop| self.order.rank.get(rival.next as usize).copied();
        let best = self.rivals.iter().min_by_key(|rival| (given_out(rival), rival.entry));
        self.hop[switch as usize] = *best.unwrap_or(&first);
    }

    /// Adds the paths through the columns of a step to the links that they take.
    #[inline(never)] // the compiler finds more registers for the loop
    fn add_paths(&mut self, step: &BlockStep, row: &mut [u8]) {
        let Self { tiles, weight, keys, hop, paths, .. } = self;
        let tile = &tiles.all[step.tile];
        let rows = &tiles.from[tile.rows.clone()];
        let mut heaviest = self.heaviest;
        for (column, &from) in tiles.to[tile.columns.clone()].iter().enumerate() {
            if step.columns >> column & 1 == 0 {
                continue;
            }
            let from = from as usize;
            let FirstHop { entry, next } = match keys[from] as u8 {
                NO_ROW => hop[from],
                row => FirstHop { entry: tile.entry(row, column), next: rows[usize::from(row)] },
            };
            let through = paths[from];
            weight[entry] += through;
            heaviest = heaviest.max(weight[entry]);
            paths[next as usize] += through;
            row[from] = tiles.port[entry];
        }
        self.heaviest = heaviest;
    }
}

/// The order in which the literal search's heap gives out the switches at one distance.
#[derive(Debug, Default)]
struct HeapOrder {
    /// The heap before a search, from a switch and from an adapter.
    unreached: [ByDistance; 2],
    /// What is searched from, and whether it is an adapter there.
    from: (u32, bool),
    /// Steps of the search have been done up to switches of so many hops; 0 where it has not begun.
    hops: u32,
    heap: ByDistance,
    /// A copy that gives out switches of these hops. Their links may be left out: what is farther away does not
    /// change the order among them.
    ahead: ByDistance,
    given_out: u32,
    /// By switch: when it was given out; [`NONE`] where it is not yet.
    rank: Vec<u32>,
}

impl HeapOrder {
    /// Prepares for a search.
    fn begin(&mut self, switch: u32, adapter: bool) {
        (self.from, self.hops) = ((switch, adapter), 0);
    }

    /// The heap at the beginning of the search.
    fn heap(&mut self) -> &mut ByDistance {
        let (switch, adapter) = self.from;
        self.heap.copy(&self.unreached[usize::from(adapter)]);
        begin(&mut self.heap, switch, adapter);
        &mut self.heap
    }

    /// Ranks switches so many hops away until the first of rivals has its rank.
    fn find_first(
        &mut self,
        graph: &SwitchGraph,
        weight: impl Fn(usize) -> u64,
        hops_of: &[u32],
        hops: u32,
        rivals: &[FirstHop],
    ) {
        if self.hops != hops {
            if self.hops == 0 {
                self.heap();
            }
            self.hops = hops;
            while self.heap.nearest().is_some_and(|(_, switch)| hops_of[switch as usize] < hops) {
                expand(&mut self.heap, graph, &weight, &mut |_, _| {});
            }
            self.ahead.copy(&self.heap);
            self.given_out = 0;
            self.rank.clear();
            self.rank.resize(hops_of.len(), NONE);
        }
        while rivals.iter().all(|rival| self.rank[rival.next as usize] == NONE) {
            let Some((_, switch)) = self.ahead.pop() else { break };
            self.rank[switch as usize] = self.given_out;
            self.given_out += 1;
        }
    }
}
