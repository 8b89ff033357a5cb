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
    Request { given, demands, grid, apart: &[], pinned: &[], tries: 0, seed: 1 }
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
fn figures() {
    for (name, grid, searched) in [("cube", &[16, 16, 16][..], false), ("cube", &[16, 16, 16], true), ("brick", &[32, 16, 16], false), ("brick", &[32, 16, 16], true)] {
        let begin = std::time::Instant::now();
        let found = best(&stencil(grid), if searched { &[] } else { grid }, grid.iter().product());
        println!("{name} {found:?} {:?}", begin.elapsed());
    }
    let law = power_law(8192);
    let (given, at) = site(8192);
    println!("law given {:?}", shares(&law, &given, &at));
    let begin = std::time::Instant::now();
    println!("law {:?} {:?}", best(&law, &[], 8192), begin.elapsed());
}
