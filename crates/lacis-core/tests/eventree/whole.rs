//! Whole trees, however they are cabled: ports, GUIDs, names and the order of nodes are drawn.

use lacis_core::fabric::{Fabric, FabricBuilder, Population, PortId};
use lacis_core::generate::{SplitMix64, generate, shuffle_guids, shuffle_ports};
use lacis_core::routing::native::eventree;
use lacis_core::sm::{Engine, Routes};

use super::routed;

/// A parallel-ports generalized fat tree: children, parents and parallel cables by level, the hosts' first.
#[derive(Debug)]
pub struct WholeTree {
    children: Vec<usize>,
    parents: Vec<usize>,
    cables: Vec<usize>,
}

impl WholeTree {
    /// One of 2 to 4 levels with arities of 2 to 12, and at most so many hosts and switches.
    pub fn drawn(random: &mut SplitMix64, most: usize) -> Self {
        loop {
            let levels = 2 + random.below(3);
            let mut arity = |least: usize, most: usize| least + random.below(most + 1 - least);
            let children = (0..levels).map(|_| arity(2, 12)).collect();
            let parents = (0..levels).map(|level| if level == 0 { 1 } else { arity(1, 12) }).collect();
            let cables = (0..levels).map(|level| if level == 0 { 1 } else { arity(1, 3) }).collect();
            let tree = Self { children, parents, cables };
            if tree.hosts(levels) <= most && tree.switches() <= most && tree.widest() <= 64 {
                return tree;
            }
        }
    }

    fn of(children: &[usize], parents: &[usize], cables: &[usize]) -> Self {
        Self { children: children.to_vec(), parents: parents.to_vec(), cables: cables.to_vec() }
    }

    /// All with arities of 1 to `most`; the tops have at least two children.
    fn all(levels: usize, most: usize) -> impl Iterator<Item = Self> {
        let digits = 3 * levels - 2;
        (0..most.pow(digits as u32)).filter_map(move |number| {
            let mut arities: Vec<usize> =
                (0..digits as u32).map(|at| 1 + number / most.pow(at) % most).collect();
            let mut cables = arities.split_off(2 * levels - 1);
            let mut parents = arities.split_off(levels);
            cables.insert(0, 1);
            parents.insert(0, 1);
            (arities[levels - 1] > 1).then(|| Self::of(&arities, &parents, &cables))
        })
    }

    /// Whether the hosts fill the cables up of all levels equally often, so that after the last the first fits.
    fn closes(&self) -> bool {
        let levels = self.children.len();
        (1..levels).all(|level| self.hosts(levels).is_multiple_of(self.cables_up(level)))
    }

    /// Hosts below a switch of a level; all at the number of levels.
    fn hosts(&self, level: usize) -> usize {
        self.children[..level].iter().product()
    }

    /// Cables up from the switches of a subtree whose top is on a level.
    fn cables_up(&self, level: usize) -> usize {
        self.parents[..=level].iter().product::<usize>() * self.cables[level]
    }

    fn switches(&self) -> usize {
        let levels = self.children.len();
        let at = |level: usize| {
            self.parents[..level].iter().product::<usize>() * self.children[level..].iter().product::<usize>()
        };
        (1..=levels).map(at).sum()
    }

    fn widest(&self) -> usize {
        let levels = self.children.len();
        let radix = |level: usize| {
            let up = if level < levels { self.parents[level] * self.cables[level] } else { 0 };
            self.children[level - 1] * self.cables[level - 1] + up
        };
        (1..=levels).map(radix).max().unwrap_or(0)
    }

    /// What some link must carry in some shift, as fewer links lead up from a subtree than it has hosts.
    pub fn taper(&self) -> usize {
        let share = |level: usize| self.hosts(level).div_ceil(self.cables_up(level));
        (1..self.children.len()).map(share).max().unwrap_or(1)
    }

    /// Whether each level has as many cables up as down, or more, for all hosts below.
    pub fn is_full(&self) -> bool {
        self.taper() == 1
    }

    /// Whether the hosts of a leaf fill its cables up, and those of each subtree its own, equally often.
    pub fn is_even(&self) -> bool {
        (1..self.children.len()).all(|level| self.hosts(level).is_multiple_of(self.cables_up(level)))
    }

    /// The fabric, with everything in it drawn that is not its graph.
    pub fn fabric(&self, seed: u64) -> Fabric {
        let list = |of: &[usize]| of.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
        let [children, parents, cables] = [&self.children, &self.parents, &self.cables].map(|of| list(of));
        let spec = format!("pgft:{};{children};{parents};{cables}", self.children.len());
        let fabric = shuffle_ports(&shuffle_guids(&generate(&spec).unwrap(), seed), seed);
        let mut random = SplitMix64::new(seed);
        let mut names: Vec<usize> = (0..fabric.num_nodes()).collect();
        random.shuffle(&mut names);
        let number_of = |guid| fabric.nodes().position(|(_, node)| node.guid == guid);
        FabricBuilder::from(&fabric)
            .finish()
            .renamed(|node| number_of(node.guid).map(|at| format!("n{}", names[at]).into()))
    }
}

/// The hosts of a fabric in the order of eventree: their ports.
pub fn in_order(fabric: &Fabric) -> Vec<PortId> {
    let leaves = eventree::leaf_order(fabric, None).unwrap();
    let ports = fabric.end_ports(Population::Hosts);
    let of_leaf = |leaf| {
        let mut own: Vec<PortId> =
            ports.iter().copied().filter(|&port| fabric.edge_switch(port) == Some(leaf)).collect();
        own.sort_by_key(|&port| fabric.peer(port));
        own
    };
    leaves.into_iter().flat_map(of_leaf).collect()
}

/// The links of all pairs of hosts in an order: by sender and receiver, each link between switches by number.
pub struct Paths {
    hosts: usize,
    links: Vec<Vec<u32>>,
    num_links: usize,
}

impl Paths {
    pub fn of(fabric: &Fabric, routes: &Routes, hosts: &[PortId]) -> Self {
        let mut links = Vec::with_capacity(hosts.len() * hosts.len());
        for &from in hosts {
            for &to in hosts {
                let lid = routes.lids.base(to);
                let last = fabric.edge_switch(to).unwrap();
                let (mut at, mut path) = (fabric.edge_switch(from).unwrap(), Vec::new());
                while at != last {
                    let out = fabric.port(at, routes.lft.get(at, lid)).unwrap();
                    path.push(out.0);
                    at = fabric.node_of(fabric.peer(out).unwrap());
                }
                links.push(path);
            }
        }
        Self { hosts: hosts.len(), links, num_links: fabric.num_ports() }
    }

    /// Most flows on a link where each host sends to that which `to` gives for it, if any.
    pub fn fullest(&self, to: impl Fn(usize) -> Option<usize>) -> u32 {
        let mut flows = vec![0; self.num_links];
        for from in 0..self.hosts {
            let path = to(from).map_or(&[][..], |to| &self.links[from * self.hosts + to]);
            for &link in path {
                flows[link as usize] += 1;
            }
        }
        flows.into_iter().max().unwrap_or(0)
    }

    /// Most flows on a link in any shift.
    pub fn fullest_in_shifts(&self) -> u32 {
        (1..self.hosts).map(|k| self.fullest(|host| Some((host + k) % self.hosts))).max().unwrap_or(0)
    }

    /// Most pairs on a link where all send to all.
    fn fullest_of_all(&self) -> u32 {
        self.loads().into_iter().max().unwrap_or(0)
    }

    /// By link: pairs where all send to all.
    fn loads(&self) -> Vec<u32> {
        let mut pairs = vec![0; self.num_links];
        self.links.iter().flatten().for_each(|&link| pairs[link as usize] += 1);
        pairs
    }

    /// Most flows on a link in any exchange of all hosts whose numbers differ in the same bits.
    pub fn fullest_in_exchanges(&self) -> u32 {
        let most = self.hosts.next_power_of_two();
        let partner = |host: usize, bits: usize| Some(host ^ bits).filter(|&other| other < self.hosts);
        (1..most).map(|bits| self.fullest(|host| partner(host, bits))).max().unwrap_or(0)
    }
}

#[test]
fn every_shift_is_free_of_contention_on_whole_trees_however_they_are_cabled() {
    let mut random = SplitMix64::new(40);
    let (mut full, mut tapered) = (0, 0);
    for draw in 0.. {
        let tree = WholeTree::drawn(&mut random, 160);
        if !tree.is_full() && !tree.is_even() {
            continue;
        }
        let fabric = tree.fabric(draw);
        let routes = routed(&fabric, Engine::EvenTree).unwrap();
        let paths = Paths::of(&fabric, &routes, &in_order(&fabric));
        let fullest = paths.fullest_in_shifts() as usize;
        assert!(fullest <= tree.taper(), "{tree:?}, draw {draw}: {fullest} flows on a link");
        if tree.is_full() {
            full += 1;
        } else {
            tapered += 1;
        }
        if full + tapered == 500 {
            break;
        }
    }
    assert!(full > 100 && tapered > 20, "{full} full, {tapered} tapered");
}

/// Most flows on a link in any shift, and of all pairs.
fn fullest(tree: &WholeTree, seed: u64) -> (usize, usize) {
    let fabric = tree.fabric(seed);
    let routes = routed(&fabric, Engine::EvenTree).unwrap_or_else(|| panic!("{tree:?} is refused"));
    let paths = Paths::of(&fabric, &routes, &in_order(&fabric));
    (paths.fullest_in_shifts() as usize, paths.fullest_of_all() as usize)
}

/// What links carry where all hosts send to all, ascending; and for each shift the most flows on a link.
fn figures(tree: &WholeTree, seed: u64) -> (Vec<u32>, Vec<u32>) {
    let fabric = tree.fabric(seed);
    let routes = routed(&fabric, Engine::EvenTree).unwrap_or_else(|| panic!("{tree:?} is refused"));
    let paths = Paths::of(&fabric, &routes, &in_order(&fabric));
    let mut loads = paths.loads();
    loads.sort_unstable();
    let shifts = 1..paths.hosts;
    (loads, shifts.map(|k| paths.fullest(|host| Some((host + k) % paths.hosts))).collect())
}

/// With any taper, as hosts that are left over are dealt and entries moved in a sequence that the cables alone decide.
#[test]
fn tables_of_whole_trees_that_differ_in_ports_guids_and_names_alone_are_isomorphic() {
    let mut random = SplitMix64::new(43);
    let mut uneven = 0;
    for draw in 0..150 {
        let tree = WholeTree::drawn(&mut random, 100);
        let first = figures(&tree, draw);
        for seed in [1000, 2000] {
            assert_eq!(figures(&tree, seed + draw), first, "{tree:?}, draw {draw}");
        }
        uneven += u32::from(!tree.is_full() && !tree.is_even());
    }
    assert!(uneven > 30, "{uneven}");
}

/// Where hosts fill the cables of all levels equally often the numbers close, and the test above draws enough; here are the others.
#[test]
fn every_shift_is_free_of_contention_on_all_small_whole_trees_whose_numbers_do_not_close() {
    let all = WholeTree::all(2, 5).chain(WholeTree::all(3, 3));
    let mut free = 0;
    for (tree, seed) in all.filter(|tree| tree.is_full() && !tree.closes()).zip(0..) {
        let (flows, _) = fullest(&tree, seed);
        assert!(flows <= 1, "{tree:?}, draw {seed}: {flows} flows on a link");
        free += 1;
    }
    assert!(free > 700, "{free}");
}

/// Switches of a middle level with one child and several parents, or one parent: some of these trees are rings or chains by their
/// cables, and of some the tops are cabled like the leaves.
#[test]
fn every_shift_is_free_of_contention_on_whole_trees_with_single_children() {
    let mut random = SplitMix64::new(42);
    let mut free = 0;
    for draw in 0.. {
        let levels = 3 + random.below(2);
        let mut arity = |most: usize| 1 + random.below(most);
        let mut children: Vec<usize> = (0..levels).map(|_| arity(4)).collect();
        children[levels - 2] = 1;
        children[levels - 1] += 1;
        let mut parents: Vec<usize> = (0..levels).map(|_| arity(4)).collect();
        parents[0] = 1;
        let mut cables: Vec<usize> = (0..levels).map(|_| arity(2)).collect();
        cables[0] = 1;
        let tree = WholeTree { children, parents, cables };
        if !tree.is_full() || tree.hosts(levels) > 100 || tree.switches() > 100 {
            continue;
        }
        assert_eq!(fullest(&tree, draw).0, 1, "{tree:?}, draw {draw}");
        free += 1;
        if free == 200 {
            break;
        }
    }
    let rings = [
        WholeTree::of(&[2, 1, 2], &[1, 2, 1], &[1, 1, 1]),
        WholeTree::of(&[2, 1, 3], &[1, 3, 1], &[1, 1, 1]),
        WholeTree::of(&[2, 1, 1, 3], &[1, 3, 1, 1], &[1, 1, 3, 1]),
        WholeTree::of(&[2, 1, 1, 2], &[1, 1, 1, 1], &[1, 2, 3, 2]),
    ];
    for (tree, seed) in rings.iter().zip(0..) {
        assert!(tree.is_full(), "{tree:?}");
        assert_eq!(fullest(tree, seed).0, 1, "{tree:?}, draw {seed}");
    }
}

/// On none of these does leaving numbers out help: a level has no slot to spare, and another does not close.
#[test]
fn every_shift_is_free_of_contention_where_no_numbers_can_be_left_out() {
    let trees = [
        WholeTree::of(&[2, 4, 5], &[1, 1, 4], &[1, 3, 2]),
        WholeTree::of(&[3, 1, 3], &[1, 1, 2], &[1, 3, 2]),
        WholeTree::of(&[5, 1, 5], &[1, 3, 1], &[1, 3, 2]),
        WholeTree::of(&[4, 3, 3], &[1, 3, 1], &[1, 2, 5]),
        WholeTree::of(&[5, 2, 4], &[1, 2, 5], &[1, 3, 1]),
        WholeTree::of(&[3, 5, 2], &[1, 1, 5], &[1, 4, 5]),
        WholeTree::of(&[5, 4, 2], &[1, 4, 5], &[1, 3, 1]),
        WholeTree::of(&[3, 3, 3], &[1, 2, 1], &[1, 2, 5]),
        WholeTree::of(&[2, 5, 2, 2], &[1, 1, 5, 1], &[1, 3, 2, 5]),
        WholeTree::of(&[3, 1, 5, 2], &[1, 1, 1, 3], &[1, 3, 4, 5]),
        WholeTree::of(&[5, 3, 1, 3], &[1, 2, 2, 3], &[1, 3, 5, 4]),
        WholeTree::of(&[2, 2, 5, 4], &[1, 1, 2, 3], &[1, 5, 4, 4]),
        WholeTree::of(&[3, 4, 2, 2], &[1, 1, 3, 4], &[1, 4, 5, 2]),
        WholeTree::of(&[5, 5, 3, 2], &[1, 3, 3, 5], &[1, 2, 3, 2]),
        WholeTree::of(&[4, 5, 2, 2], &[1, 1, 3, 5], &[1, 4, 7, 3]),
    ];
    for (tree, seed) in trees.iter().zip(0..) {
        assert!(tree.is_full());
        assert_eq!(fullest(tree, seed).0, 1, "{tree:?}, draw {seed}");
    }
}

/// Each leaf has so many uplinks, and all of its hosts' packets to a destination take one: `m ⌈m (n - 1) / w⌉` pairs some link must carry.
#[test]
fn shifts_have_as_few_flows_on_a_link_and_links_are_as_even_as_can_be_with_fewer_spines_than_hosts_on_a_leaf()
{
    for hosts in 3..10_usize {
        for spines in (2..hosts).filter(|&spines| !hosts.is_multiple_of(spines)) {
            for leaves in 2..7 {
                let tree = WholeTree::of(&[hosts, leaves], &[1, spines], &[1, 1]);
                let most = (hosts.div_ceil(spines), hosts * (hosts * (leaves - 1)).div_ceil(spines));
                assert_eq!(fullest(&tree, 7), most, "{tree:?}");
            }
        }
    }
}

#[test]
fn exchanges_are_free_of_contention_where_arities_are_powers_of_two() {
    let mut random = SplitMix64::new(41);
    let mut draws = 0;
    for _ in 0..40 {
        draws += 1;
        let levels = 2 + random.below(3);
        let mut power = |most: usize| 2_usize << random.below(most);
        let children: Vec<usize> = (0..levels).map(|_| power(2)).collect();
        let parents = (0..levels).map(|level| if level == 0 { 1 } else { children[level - 1] }).collect();
        let tree = WholeTree { children, parents, cables: vec![1; levels] };
        let fabric = tree.fabric(draws);
        let routes = routed(&fabric, Engine::EvenTree).unwrap();
        let paths = Paths::of(&fabric, &routes, &in_order(&fabric));
        assert_eq!(
            (paths.fullest_in_shifts(), paths.fullest_in_exchanges()),
            (1, 1),
            "{tree:?}, draw {draws}"
        );
    }
}

/// Hosts in an order that goes first over as many of a leaf as a power of two divides them, then over leaves in the same way, then over
/// the rest of the leaf and of the leaves.
fn by_powers_of_two(hosts: &[PortId], per_leaf: usize) -> Vec<PortId> {
    let leaves = hosts.len() / per_leaf;
    let power = |n: usize| 1 << n.trailing_zeros();
    let (here, apart) = (power(per_leaf), power(leaves));
    let rest = per_leaf / here;
    let at = |rank: usize| {
        let (host, over_leaves) = (rank % here, rank / here);
        let (leaf, over_rest) = (over_leaves % apart, over_leaves / apart);
        (leaf + apart * (over_rest / rest)) * per_leaf + host + here * (over_rest % rest)
    };
    (0..hosts.len()).map(|rank| hosts[at(rank)]).collect()
}

#[test]
fn in_an_order_by_powers_of_two_exchanges_are_free_too_where_hosts_of_a_leaf_or_leaves_are_one() {
    for (per_leaf, leaves) in [(3, 4), (6, 4), (9, 2), (5, 8), (12, 4), (4, 3), (8, 5), (4, 12)] {
        let tree =
            WholeTree { children: vec![per_leaf, leaves], parents: vec![1, per_leaf], cables: vec![1, 1] };
        let fabric = tree.fabric(9);
        let routes = routed(&fabric, Engine::EvenTree).unwrap();
        let order = by_powers_of_two(&in_order(&fabric), per_leaf);
        let paths = Paths::of(&fabric, &routes, &order);
        let fullest = (paths.fullest_in_shifts(), paths.fullest_in_exchanges());
        assert_eq!(fullest, (1, 1), "{per_leaf} hosts on each of {leaves} leaves");
    }
}

/// Leaf by leaf, three hosts on each of three leaves: that every shift is free fixes the tables but for the names of spines. At
/// distance 2 hosts 3 and 5 of the second leaf send to 1 and 7, which leave it over one spine.
#[test]
fn leaf_by_leaf_three_hosts_on_a_leaf_meet_in_an_exchange_and_no_table_with_free_shifts_helps() {
    let tree = WholeTree { children: vec![3, 3], parents: vec![1, 3], cables: vec![1, 1] };
    let fabric = tree.fabric(1);
    let routes = routed(&fabric, Engine::EvenTree).unwrap();
    let paths = Paths::of(&fabric, &routes, &in_order(&fabric));
    assert_eq!(paths.fullest_in_shifts(), 1);
    assert_eq!(paths.fullest(|host| Some(host ^ 2).filter(|&other| other < 9)), 2);
    // Two from the second leaf alone.
    assert_eq!(
        paths.fullest(|host| [None, Some(1), None, Some(7)].get(host.wrapping_sub(2)).copied().flatten()),
        2
    );
}
