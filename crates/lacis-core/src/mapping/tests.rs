use super::*;
use crate::traffic::Rng;

/// Leaves of 16 hosts, hosts of 8 ranks.
fn site(ranks: u32) -> (Vec<u32>, Site) {
    let hosts = ranks / 8;
    let given = (0..ranks).map(|r| r / 8).collect();
    (given, Site { leaf: (0..hosts).map(|h| h / 16).collect(), pod: vec![0; hosts as usize] })
}

fn stencil(grid: &[u32]) -> Vec<Demand> {
    let ranks: u32 = grid.iter().product();
    let mut demands = Vec::new();
    for rank in 0..ranks {
        let mut stride = 1;
        for &size in grid.iter().rev() {
            if rank / stride % size + 1 < size {
                demands.push(Demand { from: rank, to: rank + stride, bytes: 1 });
                demands.push(Demand { from: rank + stride, to: rank, bytes: 1 });
            }
            stride *= size;
        }
    }
    demands
}

/// Each new rank talks to four that are there, the more likely the more partners they have; ranks are numbered at random.
fn power_law(ranks: u32) -> Vec<Demand> {
    let mut rng = Rng::of_pattern(1, 0);
    let mut number: Vec<u32> = (0..ranks).collect();
    rng.shuffle(&mut number);
    let mut ends: Vec<u32> = (0..4).collect();
    let mut demands = Vec::new();
    for rank in 4..ranks {
        for _ in 0..4 {
            let to = ends[rng.below(ends.len() as u32) as usize];
            let (from, to2) = (number[rank as usize], number[to as usize]);
            demands.push(Demand { from, to: to2, bytes: 1 });
            ends.extend([rank, to]);
        }
    }
    demands
}

/// The shares of bytes that leave hosts and leaves.
fn shares(demands: &[Demand], host: &[u32], site: &Site) -> (f64, f64) {
    let (mut all, mut off_host, mut off_leaf) = (0, 0, 0);
    for d in demands {
        let tier = site.tier(host[d.from as usize], host[d.to as usize]);
        all += d.bytes;
        off_host += if tier > 0 { d.bytes } else { 0 };
        off_leaf += if tier > 1 { d.bytes } else { 0 };
    }
    (off_host as f64 / all as f64, off_leaf as f64 / all as f64)
}

fn request<'a>(given: &'a [u32], demands: &'a [Demand], grid: &'a [u32]) -> Request<'a> {
    Request { given, demands, grid, apart: &[], pinned: &[], effort: 0, seed: 1 }
}

fn best(demands: &[Demand], grid: &[u32], ranks: u32) -> (f64, f64) {
    let (given, site) = site(ranks);
    let graph = Graph::of(ranks as usize, demands.iter().map(|d| (d.from, d.to, d.bytes)));
    let found = bytes::candidates(&graph, &request(&given, demands, grid), &site);
    for host in &found {
        let mut sorted = host.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, given);
    }
    let of = |host: &Vec<u32>| shares(demands, host, &site);
    found.iter().map(of).min_by(|a, b| (a.0 + a.1).total_cmp(&(b.0 + b.1))).unwrap()
}

#[test]
fn grids_are_cut_as_boxes_are() {
    // Boxes of 2 x 2 x 2 points in boxes of 8 x 4 x 4. Of 16 x 16 x 16 points 3 x 15 x 256 pairs are neighbours: 3 x 8 x 256 inside
    // hosts, and (14 + 12 + 12) x 256 inside leaves. Of 32 x 16 x 16, 31 x 256 + 2 x 15 x 512 are: 3 x 16 x 256 inside hosts, and
    // 28 x 256 + 2 x 12 x 512 inside leaves.
    for (grid, all, in_host, in_leaf) in [
        (&[16, 16, 16][..], 3 * 15 * 256, 3 * 8 * 256, (14 + 12 + 12) * 256),
        (&[32, 16, 16], 31 * 256 + 30 * 512, 3 * 16 * 256, 28 * 256 + 24 * 512),
    ] {
        let (off_host, off_leaf) = best(&stencil(grid), grid, grid.iter().product());
        let left = |inside: i32| 1.0 - f64::from(inside) / f64::from(all);
        assert!((off_host - left(in_host)).abs() < 1e-9 && (off_leaf - left(in_leaf)).abs() < 1e-9);
    }
}

#[test]
fn a_search_comes_near_boxes() {
    // Without the grid; boxes leave 0.467 and 0.156.
    let (off_host, off_leaf) = best(&stencil(&[16, 16, 16]), &[], 4096);
    assert!(off_host < 0.51 && off_leaf < 0.17, "{off_host} {off_leaf}");
}

#[test]
fn partners_come_together_where_ranks_are_numbered_at_random() {
    let law = power_law(2048);
    let (given, at) = site(2048);
    let before = shares(&law, &given, &at);
    let after = best(&law, &[], 2048);
    assert!(after.0 < 0.85 * before.0 && after.1 < 0.75 * before.1, "{before:?} {after:?}");
}
