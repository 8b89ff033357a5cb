//! The mapping that keeps bytes low: few of them leave a host, fewer a leaf.

use super::blocks::{Boxes, by_cut};
use super::graph::Graph;
use super::partition::{ANY, Parts, partition};
use super::{Request, Site};

/// Divisions of a graph with another seed, of which the best is taken.
const SEEDS: u64 = 2;

/// Hosts that are filled: room for vertices, inside leaves and pods.
struct Bins<'a> {
    /// Room by bin; 0 for those that are not used.
    room: &'a [u64],
    /// What bins are inside of, outermost first; by bin.
    levels: &'a [&'a [u32]],
    seed: u64,
}

/// The mappings that are worth a look, each by rank the number of its host.
pub(super) fn candidates(graph: &Graph, request: &Request<'_>, site: &Site) -> Vec<Vec<u32>> {
    let mut seats = vec![0; site.leaf.len()];
    request.given.iter().for_each(|&h| seats[h as usize] += 1);
    let mut bound = vec![ANY; graph.len()];
    request.pinned.iter().for_each(|&(rank, host)| bound[rank as usize] = host);
    let levels: [&[u32]; 2] = [&site.pod, &site.leaf];
    let mut found = boxed(graph, request, site, &seats);
    // A grid that boxes fill exactly is not cut better by a search.
    if found.len() < 2 {
        found.extend((0..SEEDS).map(|i| {
            let bins = Bins { room: &seats, levels: &levels, seed: request.seed.wrapping_add(i) };
            filled(graph, &bins, &bound)
        }));
    }
    found
}

/// The bin of each vertex of weight 1.
fn filled(graph: &Graph, bins: &Bins<'_>, bound: &[u32]) -> Vec<u32> {
    let mut out = vec![0; graph.len()];
    let all: Vec<u32> = (0..graph.len() as u32).collect();
    let used: Vec<u32> = (0..).zip(bins.room).filter(|(_, r)| **r > 0).map(|(bin, _)| bin).collect();
    fill(graph, bins, bound, 0, &all, &used, &mut out);
    out
}

fn fill(
    graph: &Graph,
    bins: &Bins<'_>,
    bound: &[u32],
    level: usize,
    vertices: &[u32],
    chosen: &[u32],
    out: &mut [u32],
) {
    if let [only] = chosen {
        for &v in vertices {
            out[v as usize] = *only;
        }
        return;
    }
    let mut groups: Vec<Vec<u32>> = Vec::new();
    let mut group_of = vec![ANY; bins.room.len()];
    match bins.levels.get(level) {
        None => groups.extend(chosen.iter().map(|&bin| vec![bin])),
        Some(inside) => {
            let mut number = rustc_hash::FxHashMap::default();
            for &bin in chosen {
                let at = *number.entry(inside[bin as usize]).or_insert(groups.len());
                if at == groups.len() {
                    groups.push(Vec::new());
                }
                groups[at].push(bin);
            }
        }
    }
    for (at, group) in (0..).zip(&groups) {
        for &bin in group {
            group_of[bin as usize] = at;
        }
    }
    if let [only] = &groups[..] {
        fill(graph, bins, bound, level + 1, vertices, only, out);
        return;
    }
    let sizes: Vec<u64> =
        groups.iter().map(|group| group.iter().map(|&bin| bins.room[bin as usize]).sum()).collect();
    let mut number = vec![0; graph.len()];
    let own = graph.induced(vertices, &mut number);
    let bound_to =
        |&v: &u32| Some(bound[v as usize]).filter(|&b| b != ANY).map_or(ANY, |b| group_of[b as usize]);
    let bound_here: Vec<u32> = vertices.iter().map(bound_to).collect();
    let part = partition(&own, Parts { sizes: &sizes, bound: &bound_here }, bins.seed);
    for (at, group) in (0..).zip(&groups) {
        let inside = vertices.iter().zip(&part).filter(|(_, p)| **p == at).map(|(&v, _)| v);
        fill(graph, bins, bound, level + 1, &inside.collect::<Vec<_>>(), group, out);
    }
}

/// Grids in boxes: hosts inside leaves where leaves are alike; else boxes of hosts, of which a search fills the leaves.
fn boxed(graph: &Graph, request: &Request<'_>, site: &Site, seats: &[u64]) -> Vec<Vec<u32>> {
    let hosts: Vec<u32> = (0..).zip(seats).filter(|(_, n)| **n > 0).map(|(h, _)| h).collect();
    let Some(&first) = hosts.first() else { return Vec::new() };
    let per_host = seats[first as usize];
    if request.grid.is_empty() || hosts.iter().any(|&h| seats[h as usize] != per_host) {
        return Vec::new();
    }
    let of_hosts = by_cut(graph, request.grid, per_host as u32);
    let mut found = Vec::new();
    let mut leaves: Vec<(u32, Vec<u32>)> = Vec::new();
    let mut sorted = hosts.clone();
    sorted.sort_by_key(|&h| (site.pod[h as usize], site.leaf[h as usize], h));
    for &host in &sorted {
        match leaves.last_mut() {
            Some((leaf, members)) if *leaf == site.leaf[host as usize] => members.push(host),
            _ => leaves.push((site.leaf[host as usize], vec![host])),
        }
    }
    let per_leaf = leaves[0].1.len();
    if leaves.iter().all(|(_, members)| members.len() == per_leaf) {
        let of_leaves = by_cut(graph, request.grid, (per_leaf as u64 * per_host) as u32);
        let pairs = of_leaves.iter().filter_map(|leaf| {
            let inside = of_hosts.iter().find(|host| host.1.divides(&leaf.1.shape));
            inside.map(|host| (leaf.0 + host.0, &leaf.1, &host.1))
        });
        if let Some((_, leaf, host)) = pairs.min_by_key(|pair| pair.0) {
            found.push(nested(graph, leaf, host, &leaves, site, request.seed));
        }
    }
    if let Some((_, boxes)) = of_hosts.first() {
        found.push(searched(graph, boxes, &leaves, site, request.seed));
    }
    // Two of them say that boxes fill leaves, too.
    found
}

/// The vertices of a contracted graph as units.
fn units(graph: &Graph, set: &[u32], sets: usize) -> Graph {
    let mut contracted = graph.contracted(set, sets);
    contracted.weight.fill(1);
    contracted
}

/// Boxes of leaves in pods, boxes of hosts inside.
fn nested(
    graph: &Graph,
    leaf: &Boxes,
    host: &Boxes,
    leaves: &[(u32, Vec<u32>)],
    site: &Site,
    seed: u64,
) -> Vec<u32> {
    let pod: Vec<u32> = leaves.iter().map(|(_, members)| site.pod[members[0] as usize]).collect();
    let room = vec![1; leaves.len()];
    let at = if pod.iter().any(|&p| p != pod[0]) {
        let bins = Bins { room: &room, levels: &[&pod], seed };
        filled(&units(graph, &leaf.of_rank, leaves.len()), &bins, &vec![ANY; leaves.len()])
    } else {
        (0..leaves.len() as u32).collect()
    };
    // The number of a box among those of its leaf: as they are numbered.
    let mut inside: Vec<Vec<u32>> = vec![Vec::new(); leaves.len()];
    let mut chosen = vec![ANY; host.of_rank.len()];
    for (&l, &h) in leaf.of_rank.iter().zip(&host.of_rank) {
        if chosen[h as usize] == ANY {
            let members = &leaves[at[l as usize] as usize].1;
            chosen[h as usize] = members[inside[l as usize].len()];
            inside[l as usize].push(h);
        }
    }
    host.of_rank.iter().map(|&h| chosen[h as usize]).collect()
}

/// Boxes of hosts, of which a search fills the leaves.
fn searched(graph: &Graph, boxes: &Boxes, leaves: &[(u32, Vec<u32>)], site: &Site, seed: u64) -> Vec<u32> {
    let room: Vec<u64> = leaves.iter().map(|(_, members)| members.len() as u64).collect();
    let pod: Vec<u32> = leaves.iter().map(|(_, members)| site.pod[members[0] as usize]).collect();
    let count = room.iter().sum::<u64>() as usize;
    let bins = Bins { room: &room, levels: &[&pod], seed };
    let leaf = filled(&units(graph, &boxes.of_rank, count), &bins, &vec![ANY; count]);
    let mut next = vec![0; leaves.len()];
    let take = |&l: &u32| {
        let host = leaves[l as usize].1[next[l as usize]];
        next[l as usize] += 1;
        host
    };
    let host: Vec<u32> = leaf.iter().map(take).collect();
    boxes.of_rank.iter().map(|&b| host[b as usize]).collect()
}
