//! Meshes, tori, hypercubes, rings and chains: grids, which have no levels however few of their switches have hosts, unless
//! they are whole trees (`levels::whole`).
//!
//! In a grid two neighbours of a switch that lie in different dimensions have one other neighbour in common: the four
//! are a *square*. So hardly any two switches share more than two neighbours, and most pairs of neighbours of a switch, its
//! *corners*, are closed to a square: 4 of 6 where there are two dimensions, 12 of 15 where there are three. In a tree
//! the leaves of a pod share all its spines. Where that is two, and each spine has two leaves, a spine's leaf and core
//! share nothing else: at most half of the corners are closed.
//!
//! A ring or chain has one dimension and no square. Each of its switches has at most two neighbours, and it is longer than
//! the five switches of a tree of three levels with two leaves.

use super::Bundles;

/// Fewer switches are no grid: a square is two leaves on two spines, too.
const SMALLEST: usize = 6;
/// Share of the corners that must be closed; cables that are lost open some.
const CLOSED: f64 = 0.55;
/// Share of the corners that may be closed more than once.
const CROWDED: f64 = 0.05;
/// Most neighbours that two switches share: in a grid two. The two spines of a tree share all its leaves, and where these are twenty
/// and one has lost a cable, that is hardly a corner in twenty.
const MOST_SHARED: u64 = 8;
/// Neighbours of a switch, on average, beyond which there is no grid: twice the dimensions of the largest built.
const MOST_NEIGHBOURS: usize = 24;

/// Whether the switches of a plane are a mesh, torus, hypercube, ring or chain, whole or with a few cables missing.
pub(super) fn is_grid(bundles: &Bundles, plane: &[u32]) -> bool {
    let neighbours = |s: u32| bundles.of_switch(s).iter().map(|&(t, _)| t).filter(move |&t| t != s);
    let ends: usize = plane.iter().map(|&s| neighbours(s).count()).sum();
    if plane.len() < SMALLEST || ends > MOST_NEIGHBOURS * plane.len() {
        return false;
    }
    if plane.iter().all(|&s| neighbours(s).count() <= 2) {
        return true;
    }
    // By switch, the neighbours that it shares with one; zero between switches.
    let highest = plane.iter().max().map_or(0, |&s| s as usize);
    let mut shared = vec![0_u32; highest + 1];
    let mut sharing: Vec<u32> = Vec::new();
    // A pair of switches that shares n neighbours has a corner at each.
    let (mut corners, mut closed, mut crowded) = (0, 0, 0);
    for &s in plane {
        for other in neighbours(s).flat_map(neighbours).filter(|&other| other > s) {
            if shared[other as usize] == 0 {
                sharing.push(other);
            }
            shared[other as usize] += 1;
        }
        for other in sharing.drain(..) {
            let n = u64::from(std::mem::take(&mut shared[other as usize]));
            if n > MOST_SHARED {
                return false;
            }
            corners += n;
            closed += if n >= 2 { n } else { 0 };
            crowded += if n >= 3 { n } else { 0 };
        }
    }
    closed as f64 >= CLOSED * corners as f64 && crowded as f64 <= CROWDED * corners as f64
}
