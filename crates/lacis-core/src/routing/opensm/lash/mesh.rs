//! Mesh analysis (`do_mesh_analysis`): finds the axes of a mesh or torus, so that trees follow one dimension
//! after the other, the longest first. That takes fewer lanes than port order does.
//!
//! OpenSM 3.3.23's behaviour. Parallel cables are one link here, and its ports take turns. The steps:
//!
//! 1. What a switch is in the middle of shows in how far its neighbours are from each other around it: those on
//!    one axis 1, 3 or 4 hops (rings of 3, of 5, and longer ones or lines), others 2. The characteristic
//!    polynomial of these distances gives the shape, whatever the order of the ports.
//! 2. The first switch of the commonest shape is the seed. Its links get axes (+X 1, −X 2, +Y 3, …), and these
//!    spread: a link's other end has the opposite axis, a neighbour across continues one, and around a square
//!    opposite sides have the same.
//! 3. Coordinates are counted from the seed along the axes. Links are put in the order of the axes, those that lead
//!    away from the seed first, and switches in the order of their coordinates.

use crate::fabric::NodeId;
use crate::fabric::switch_graph::SwitchGraph;

/// Switches of more links are not looked at.
const MOST_LINKS: usize = 8;

/// No distance, and no coordinate.
const FAR: i32 = i32::MAX;

/// A link of a switch to another one.
#[derive(Clone, Debug)]
pub(super) struct Link {
    /// The far switch, by its index among the members.
    pub to: usize,
    /// The ports of its cables.
    pub ports: Vec<u8>,
}

/// The links of each switch of a subnet, by their first ports.
pub(super) fn links(graph: &SwitchGraph, members: &[NodeId]) -> Vec<Vec<Link>> {
    let mut number = vec![usize::MAX; graph.num_switches()];
    for (n, switch) in members.iter().enumerate() {
        number[switch.ix()] = n;
    }
    let of_switch = |(here, switch): (usize, &NodeId)| {
        let mut links: Vec<Link> = Vec::new();
        for link in graph.links(switch.ix()) {
            let (to, port) = (number[graph.peer[link] as usize], graph.port[link]);
            match links.iter_mut().find(|known| known.to == to) {
                Some(known) => known.ports.push(port),
                None if to == here => {}
                None => links.push(Link { to, ports: vec![port] }),
            }
        }
        links
    };
    members.iter().enumerate().map(of_switch).collect()
}

/// What is known of a switch.
#[derive(Clone, Default)]
struct MeshSwitch {
    /// The far ends of its links, and the indices of the links there.
    peers: Vec<(usize, usize)>,
    /// Hops between its neighbours that do not pass it, and their characteristic polynomial; none where
    /// there are too many links.
    around: Option<(Vec<Vec<i32>>, Vec<i32>)>,
    /// Dimensions of the shape that it is in the middle of; 0 where that is unknown.
    dimension: usize,
    /// By link: its axis, 0 where it has none.
    axes: Vec<usize>,
    coordinates: Vec<i32>,
}

/// Some axis leads back along none, and OpenSM never ends there.
pub(super) struct Endless;

/// Reorders the switches of a subnet and their links. `members` are in OpenSM's order, links by port.
///
/// # Errors
/// Where OpenSM never ends: some axis leads back along none.
pub(super) fn analyse(members: &mut [NodeId], links: &mut [Vec<Link>]) -> Result<(), Endless> {
    let mut nodes = local(links);
    let Some(seed) = seed(&nodes) else { return Ok(()) };
    let dimension = nodes[seed].dimension;
    if dimension == 0 {
        return Ok(());
    }
    seed_axes(&mut nodes[seed]);
    while !spread(&mut nodes, seed)? {}
    count_coordinates(&mut nodes, seed, dimension);
    let order = longest_first(&nodes, dimension);
    for (node, links) in nodes.iter().zip(links.iter_mut()) {
        reorder_links(node, &order, links);
    }
    reorder_switches(&nodes, &order, members, links);
    Ok(())
}

/// Step 1: what each switch is in the middle of.
fn local(links: &[Vec<Link>]) -> Vec<MeshSwitch> {
    let shapes = shapes();
    let back = |from: usize, to: usize| links[to].iter().position(|link| link.to == from).unwrap_or(0);
    let node = |here: usize| {
        let peers: Vec<_> = links[here].iter().map(|link| (link.to, back(here, link.to))).collect();
        let mut node = MeshSwitch { axes: vec![0; peers.len()], peers, ..MeshSwitch::default() };
        if node.peers.len() <= MOST_LINKS {
            let distances = distances(links, here);
            let polynomial = polynomial(&distances);
            let shape = shapes.iter().find(|(_, known)| known[..] == polynomial[..polynomial.len() - 1]);
            node.dimension = shape.map_or(0, |&(dimension, _)| dimension);
            node.around = Some((distances, polynomial));
        }
        node
    };
    (0..links.len()).map(node).collect()
}

/// Hops between the neighbours of a switch on paths that avoid it.
fn distances(links: &[Vec<Link>], avoided: usize) -> Vec<Vec<i32>> {
    let from = |start: &Link| {
        let mut hops = vec![FAR; links.len()];
        hops[start.to] = 0;
        let mut queue = vec![start.to];
        let mut next = 0;
        while let Some(&here) = queue.get(next) {
            next += 1;
            for far in links[here].iter().map(|link| link.to).filter(|&far| far != avoided) {
                if hops[far] == FAR {
                    hops[far] = hops[here] + 1;
                    queue.push(far);
                }
            }
        }
        links[avoided].iter().map(|link| hops[link.to]).collect()
    };
    links[avoided].iter().map(from).collect()
}

/// The coefficients of det(M − xI), lowest first, in arithmetic of 32 bits: row after row, for every set
/// of columns that the rows so far may take.
fn polynomial(matrix: &[Vec<i32>]) -> Vec<i32> {
    let n = matrix.len();
    let mut minors = vec![vec![0_i32; n + 1]; 1 << n];
    minors[0][0] = 1;
    for columns in 1_usize..1 << n {
        let row = columns.count_ones() as usize - 1;
        for column in (0..n).filter(|c| columns >> c & 1 == 1) {
            let sign = if (columns >> (column + 1)).count_ones() % 2 == 1 { -1 } else { 1 };
            let (below, [minor, ..]) = minors.split_at_mut(columns) else { continue };
            let rest = &below[columns & !(1 << column)];
            for power in 0..=n {
                let constant = matrix[row][column].wrapping_mul(rest[power]);
                let linear = if row == column && power > 0 { rest[power - 1] } else { 0 };
                minor[power] = minor[power].wrapping_add(constant.wrapping_sub(linear).wrapping_mul(sign));
            }
        }
    }
    minors.pop().unwrap_or_default()
}

/// The shapes that are known: their dimensions, and the polynomials less the last coefficient. An axis has one link, or two
/// whose far ends are 1, 3 or 4 hops apart, or 6 where there is no other.
fn shapes() -> Vec<(usize, Vec<i32>)> {
    // A shape with a fault in it that OpenSM knows too, of two dimensions.
    let mut shapes = vec![(2, vec![-192, -256, -80, 0])];
    let mut kinds: Vec<Vec<i32>> = vec![Vec::new()];
    while let Some(axes) = kinds.pop() {
        let num_links =
            |axes: &[i32]| axes.iter().map(|&across| if across == 0 { 1 } else { 2 }).sum::<usize>();
        for across in [0, 1, 3, 4].into_iter().filter(|across| axes.last().is_none_or(|last| across <= last))
        {
            let longer = [axes.as_slice(), &[across]].concat();
            if num_links(&longer) <= MOST_LINKS {
                kinds.push(longer);
            }
        }
        // OpenSM's list ends before four dimensions of 5 or more.
        if axes.is_empty() || axes.len() == 4 && axes.iter().all(|&across| across >= 3) {
            continue;
        }
        let n = num_links(&axes);
        let mut matrix = vec![vec![2; n]; n];
        (0..n).for_each(|i| matrix[i][i] = 0);
        let mut at = 0;
        for &across in &axes {
            if across > 0 {
                let across = if axes.len() == 1 && across == 4 { 6 } else { across };
                (matrix[at][at + 1], matrix[at + 1][at]) = (across, across);
            }
            at += if across == 0 { 1 } else { 2 };
        }
        let mut polynomial = polynomial(&matrix);
        polynomial.pop();
        shapes.push((axes.len(), polynomial));
    }
    shapes
}

/// The first switch of the commonest shape. Those of a known one at the edge, which have fewer links than a
/// neighbour, do not count.
fn seed(nodes: &[MeshSwitch]) -> Option<usize> {
    let is_edge = |node: &MeshSwitch| {
        node.dimension > 0 && node.peers.iter().any(|&(far, _)| nodes[far].peers.len() > node.peers.len())
    };
    let mut classes: Vec<(usize, &Vec<i32>, usize)> = Vec::new();
    for (n, node) in nodes.iter().enumerate().filter(|(_, node)| !is_edge(node)) {
        let Some((_, polynomial)) = &node.around else { continue };
        match classes.iter_mut().find(|(_, known, _)| *known == polynomial) {
            Some((.., count)) => *count += 1,
            None => classes.push((n, polynomial, 1)),
        }
    }
    classes.iter().rev().max_by_key(|(.., count)| count).map(|&(first, ..)| first)
}

/// Gives the links of the seed axes, those two the same whose far ends are not 2 hops apart.
fn seed_axes(seed: &mut MeshSwitch) {
    let Some((around, _)) = &seed.around else { return };
    for axis in (1..=2 * seed.dimension).step_by(2) {
        let Some(i) = seed.axes.iter().position(|&axis| axis == 0) else { return };
        seed.axes[i] = axis;
        let mut others = 0..seed.axes.len();
        if let Some(j) = others.find(|&j| j != i && seed.axes[j] == 0 && around[i][j] != 2) {
            seed.axes[j] = axis + 1;
        }
    }
}

/// The other direction of an axis: the axis itself where it has one link; 0 where the switch has none.
fn opposite(node: &MeshSwitch, axis: usize) -> usize {
    let Some((around, _)) = &node.around else { return 0 };
    let Some(i) = node.axes.iter().position(|&known| known == axis) else { return 0 };
    let is_alone = (0..around.len()).all(|j| j == i || around[i][j] == 2);
    if is_alone { axis } else { ((axis - 1) ^ 1) + 1 }
}

/// Step 2, once through all switches: whether the axes are complete.
fn spread(nodes: &mut [MeshSwitch], seed: usize) -> Result<bool, Endless> {
    // Links that got an axis, and those that were given none.
    let (mut given, mut vain) = (0, 0);
    let mut give = |axis: &mut usize, new: usize| {
        *axis = new;
        if new == 0 { vain += 1 } else { given += 1 }
    };
    let seed_links = nodes[seed].peers.len();
    for here in 0..nodes.len() {
        let n = nodes[here].peers.len();
        if n < seed_links && n <= 2 {
            continue;
        }
        let Some((around, _)) = nodes[here].around.clone() else { continue };
        for i in 0..n {
            let mut across = (0..n).filter(|&j| j != i && around[i][j] != 2);
            let (Some(j), None) = (across.next(), across.next()) else { continue };
            let axis = nodes[here].axes[i];
            if axis != 0 && around[i][j] <= 4 && nodes[here].axes[j] == 0 {
                let across = opposite(&nodes[seed], axis);
                give(&mut nodes[here].axes[j], across);
            }
        }
    }
    for here in 0..nodes.len() {
        if nodes[here].around.is_none() {
            continue;
        }
        for i in 0..nodes[here].peers.len() {
            let (axis, (far, back)) = (nodes[here].axes[i], nodes[here].peers[i]);
            if axis != 0 && nodes[far].around.is_some() && nodes[far].axes[back] == 0 {
                let returning = opposite(&nodes[seed], axis);
                give(&mut nodes[far].axes[back], returning);
            }
        }
    }
    for here in 0..nodes.len() {
        let Some((around, _)) = nodes[here].around.clone() else { continue };
        let n = nodes[here].peers.len();
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let (along_i, along_j) = (nodes[here].axes[i], nodes[here].axes[j]);
            if i == j || along_i == 0 || along_j == 0 || around[i][j] != 2 {
                continue;
            }
            let (a, b) = (nodes[here].peers[i].0, nodes[here].peers[j].0);
            let Some((k, l)) = corner(nodes, here, a, b) else { continue };
            if nodes[a].axes[k] == 0 {
                give(&mut nodes[a].axes[k], along_j);
            }
            if nodes[b].axes[l] == 0 {
                give(&mut nodes[b].axes[l], along_i);
            }
        }
    }
    if given == 0 && vain > 0 {
        return Err(Endless);
    }
    Ok(given == 0)
}

/// The links of two neighbours of a switch to another neighbour of both.
fn corner(nodes: &[MeshSwitch], here: usize, a: usize, b: usize) -> Option<(usize, usize)> {
    nodes[a].peers.iter().enumerate().filter(|(_, peer)| peer.0 != here).find_map(|(k, peer)| {
        let l = nodes[b].peers.iter().position(|other| other.0 == peer.0)?;
        Some((k, l))
    })
}

/// Step 3: coordinates from the seed, along the axes; of two of one size the positive one.
fn count_coordinates(nodes: &mut [MeshSwitch], seed: usize, dimension: usize) {
    for (n, node) in nodes.iter_mut().enumerate() {
        node.coordinates = vec![if n == seed { 0 } else { FAR }; dimension];
    }
    let is_nearer = |a: i32, b: i32| (a.abs(), b) < (b.abs(), a);
    let mut changed = true;
    while changed {
        changed = false;
        for here in 0..nodes.len() {
            for i in 0..nodes[here].peers.len() {
                let (axis, far) = (nodes[here].axes[i], nodes[here].peers[i].0);
                if axis == 0 || nodes[here].coordinates[0] == FAR {
                    continue;
                }
                for k in 0..dimension {
                    let step = if k != (axis - 1) / 2 {
                        0
                    } else if axis % 2 == 0 {
                        -1
                    } else {
                        1
                    };
                    let coordinate = nodes[here].coordinates[k] + step;
                    if is_nearer(coordinate, nodes[far].coordinates[k]) {
                        nodes[far].coordinates[k] = coordinate;
                        changed = true;
                    }
                }
            }
        }
    }
}

/// The dimensions, the largest first.
fn longest_first(nodes: &[MeshSwitch], dimension: usize) -> Vec<usize> {
    let size = |&k: &usize| {
        let known = nodes.iter().map(|node| node.coordinates[k]).filter(|&at| at != FAR);
        let (least, most) = known.fold((FAR, -FAR), |(a, b), at| (a.min(at), b.max(at)));
        std::cmp::Reverse(i64::from(most) - i64::from(least))
    };
    let mut order: Vec<usize> = (0..dimension).collect();
    order.sort_by_key(size);
    order
}

/// Puts links in the order of their axes, for each dimension that away from the seed first.
fn reorder_links(node: &MeshSwitch, order: &[usize], links: &mut [Link]) {
    let mut sorted_links: Vec<usize> = Vec::with_capacity(links.len());
    for &k in order {
        for axis in [2 * k + 1, 2 * k + 2] {
            let wanted = if node.coordinates[k] > 0 { opposite(node, axis) } else { axis };
            let found = (0..links.len()).filter(|&l| node.axes[l] == wanted);
            for l in found {
                if !sorted_links.contains(&l) {
                    sorted_links.push(l);
                }
            }
        }
    }
    let rest: Vec<usize> = (0..links.len()).filter(|l| !sorted_links.contains(l)).collect();
    let sorted: Vec<Link> = sorted_links.into_iter().chain(rest).map(|l| links[l].clone()).collect();
    links.clone_from_slice(&sorted);
}

/// Puts switches in the order of their coordinates.
fn reorder_switches(nodes: &[MeshSwitch], order: &[usize], members: &mut [NodeId], links: &mut [Vec<Link>]) {
    let is_first = |&a: &usize, &b: &usize| {
        let difference = order.iter().map(|&k| nodes[a].coordinates[k].wrapping_sub(nodes[b].coordinates[k]));
        difference.into_iter().find(|&d| d != 0).is_none_or(|d| d < 0)
    };
    let sorted = merge_sorted((0..nodes.len()).collect(), &is_first);
    let mut index = vec![0; nodes.len()];
    for (new, &old) in sorted.iter().enumerate() {
        index[old] = new;
    }
    let switches: Vec<NodeId> = sorted.iter().map(|&old| members[old]).collect();
    members.copy_from_slice(&switches);
    let moved: Vec<Vec<Link>> = sorted.iter().map(|&old| links[old].clone()).collect();
    for (links, moved) in links.iter_mut().zip(moved) {
        *links = moved.into_iter().map(|link| Link { to: index[link.to], ..link }).collect();
    }
}

/// The C library's sort. OpenSM's differences of coordinates overflow where one is unknown, so that their order is
/// none, and the result is that of this sort alone.
fn merge_sorted(mut items: Vec<usize>, is_first: &impl Fn(&usize, &usize) -> bool) -> Vec<usize> {
    if items.len() < 2 {
        return items;
    }
    let right = merge_sorted(items.split_off(items.len() / 2), is_first);
    let left = merge_sorted(items, is_first);
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        merged.extend(if is_first(a, b) { left.next() } else { right.next() });
    }
    merged.extend(left.chain(right));
    merged
}
