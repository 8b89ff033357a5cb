//! Fat trees: `fat-tree:RADIX,LEVELS` and the general `pgft:h;m…;w…;p…`.
//!
//! E. Zahavi, "Fat-trees routing and node ordering providing contention free traffic for MPI global
//! collectives", J. Parallel Distrib. Comput. 72 (2012): parallel-ports generalized fat trees.
//!
//! | here              | in the paper                                                                 |
//! |-------------------|------------------------------------------------------------------------------|
//! | level 0           | hosts; level 1 are the leaves, level h the top                               |
//! | `m[l - 1]`        | `m_l`: children of a switch of level l                                       |
//! | `w[l - 1]`        | `w_l`: parents of a node of level l − 1                                      |
//! | `p[l - 1]`        | `p_l`: parallel cables between a node of level l − 1 and each parent         |
//! | `TreeIndex::pod`  | digits `a_h … a_(l+1)`: which subtree, the highest digit most significant    |
//! | `TreeIndex::copy` | digits `a_1 … a_l`: which of the subtree's switches                          |
//!
//! Two nodes of adjacent levels l − 1 and l are cabled where all digits but `a_l` agree. Level l has
//! `(m_(l+1) ⋯ m_h)(w_1 ⋯ w_l)` nodes. A *real-life* fat tree (RLFT) is one whose hosts have one
//! cable (`w_1 = p_1 = 1`), whose switches have as many ports up as down (`m_l p_l = w_(l+1) p_(l+1)`)
//! and all the same radix: `fat-tree` without `taper` makes those, when its cores are full.
//!
//! Ports, from 1: children in order, then parents in order; parallel cables side by side. (The
//! paper numbers them round robin; no table depends on which it is, except by a tie.)

use super::make::{Draft, FabricSize, digits};
use super::spec::MAX_RADIX;
use super::spec::{Spec, SpecError};
use crate::fabric::{BuildError, Handle};

/// A parallel-ports generalized fat tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tree {
    m: Vec<u32>,
    w: Vec<u32>,
    p: Vec<u32>,
    /// Ports of every switch, unless its cables need more.
    radix: u32,
    names: Vec<String>,
}

/// The position of a node within its level.
#[derive(Clone, Copy)]
struct TreeIndex {
    pod: u32,
    copy: u32,
}

impl Tree {
    /// Reads `RADIX,LEVELS` and the options `pods` and `taper`.
    pub fn fat_tree(spec: &Spec<'_>) -> Result<Self, SpecError> {
        let names = ["RADIX (ports of a switch)", "LEVELS (of switches)"];
        let numbers = spec.numbers(spec.body, ',', &names, 1..=MAX_RADIX)?;
        let (radix, levels) = (numbers[0], numbers[1]);
        let last = spec.body.split(',').last().unwrap_or(spec.body);
        if levels > 4 {
            return Err(spec.error(last, "LEVELS, a number from 1 to 4"));
        }
        if levels == 1 {
            return Ok(Self::new(&[radix], &[1], &[1], radix));
        }
        if radix % 2 == 1 {
            return Err(spec.error(spec.body, "an even RADIX: half of the ports go up"));
        }
        let (hosts, up) = match spec.option("taper") {
            Some(taper) => split_radix(radix, taper.text).ok_or_else(|| {
                let expected = format!(
                    "taper, hosts per uplink of a leaf (2 or 1.5), such that {radix} ports give both"
                );
                spec.error(taper, expected)
            })?,
            None => (radix / 2, radix / 2),
        };
        let pods = spec.number_option("pods", 1..=radix)?.unwrap_or(radix);

        let inner = levels as usize - 2;
        let top_cables = if inner == 0 { up } else { radix / 2 };
        // Top switches are merged as far as their ports go and the cables divide evenly.
        let merged = (1..=top_cables).rev().find(|p| top_cables % p == 0 && pods * p <= radix).unwrap_or(1);
        let mut m = vec![radix / 2; inner + 1];
        let mut w = vec![radix / 2; inner + 1];
        m[0] = hosts;
        m.push(pods);
        w[0] = 1;
        if inner > 0 {
            w[1] = up;
        }
        w.push(top_cables / merged);
        let mut p = vec![1; inner + 1];
        p.push(merged);
        Ok(Self::new(&m, &w, &p, radix))
    }

    /// Reads `h;m1,…,mh;w1,…,wh;p1,…,ph`.
    pub fn pgft(spec: &Spec<'_>) -> Result<Self, SpecError> {
        let mut lists = spec.body.split(';');
        let h = lists.next().unwrap_or(spec.body);
        let levels = spec.number(h, "h (levels of switches)", 1..=8)?;
        let mut list = |letter: &str| {
            let names: Vec<String> = (1..=levels).map(|l| format!("{letter}{l}")).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let end = spec.body_end();
            spec.numbers(lists.next().unwrap_or(end), ',', &names, 1..=MAX_RADIX)
        };
        let (m, w, p) = (list("m")?, list("w")?, list("p")?);
        if let Some(extra) = lists.next() {
            return Err(spec.error(extra, "three lists: m, w and p"));
        }
        Ok(Self::new(&m, &w, &p, 0))
    }

    /// A tree with the usual names of its levels.
    pub fn new(m: &[u32], w: &[u32], p: &[u32], radix: u32) -> Self {
        let names: Vec<String> = match m.len() {
            1 => vec!["switch".into()],
            2 => vec!["leaf".into(), "spine".into()],
            3 => vec!["leaf".into(), "mid".into(), "core".into()],
            h => (1..=h)
                .map(|l| match l {
                    1 => "leaf".into(),
                    l if l == h => "core".into(),
                    l => format!("mid{}", l - 1),
                })
                .collect(),
        };
        Self { m: m.into(), w: w.into(), p: p.into(), radix, names }
    }

    /// The tree with other names for its levels, lowest first.
    pub fn named(mut self, names: &[&str]) -> Self {
        self.names = names.iter().map(|&n| n.into()).collect();
        self
    }

    fn height(&self) -> usize {
        self.m.len()
    }

    /// Copies of a switch of level `l` in each subtree.
    fn copies(&self, l: usize) -> u64 {
        self.w[..l].iter().map(|&w| u64::from(w)).fold(1, u64::saturating_mul)
    }

    /// Subtrees whose tops are of level `l`.
    fn pods(&self, l: usize) -> u64 {
        self.m[l..].iter().map(|&m| u64::from(m)).fold(1, u64::saturating_mul)
    }

    fn down_ports(&self, l: usize) -> u32 {
        if l == 0 { 0 } else { self.m[l - 1] * self.p[l - 1] }
    }

    fn up_ports(&self, l: usize) -> u32 {
        if l == self.height() { 0 } else { self.w[l] * self.p[l] }
    }

    /// Ports that a switch of level `l` has, or a host where it is 0.
    fn radix(&self, l: usize) -> u32 {
        let needed = self.down_ports(l) + self.up_ports(l);
        if l == 0 { needed } else { needed.max(self.radix) }
    }

    /// The greatest radix, and the total size.
    pub fn size(&self) -> (u32, FabricSize) {
        let count = |l| self.pods(l).saturating_mul(self.copies(l));
        let radix = (0..=self.height()).map(|l| self.radix(l)).max().unwrap_or(0);
        let switches = (1..=self.height()).map(count).fold(0, u64::saturating_add);
        let ports = |l| count(l).saturating_mul(self.radix(l).into());
        let ports = (0..=self.height()).map(ports).fold(0, u64::saturating_add);
        (radix, FabricSize { switches, hosts: count(0), ports })
    }

    fn name(&self, l: usize, index: TreeIndex) -> String {
        use std::fmt::Write as _;
        let mut of = [0; 8];
        let (mut pod, mut copy) = (index.pod, index.copy);
        for i in l..self.height() {
            of[i] = pod % self.m[i];
            pod /= self.m[i];
        }
        for i in (0..l).rev() {
            of[i] = copy % self.w[i];
            copy /= self.w[i];
        }
        let mut name = self.names[l - 1].clone();
        let first_copy = usize::from(self.w[0] == 1);
        let pod_digits = (l..self.height()).rev().map(|i| (i, self.m[i]));
        for (i, range) in pod_digits.chain((first_copy..l).map(|i| (i, self.w[i]))) {
            let width = digits(range.into()).max(2);
            // Writing to a string does not fail.
            let _ = write!(name, "-{:0width$}", of[i] + 1);
        }
        name
    }

    /// Draws the switches level by level, leaves first, then the hosts, each level in name order.
    pub fn draw(&self, draft: &mut Draft) -> Result<(), BuildError> {
        let index = |l: usize, i: u32| {
            let copies = self.copies(l) as u32;
            TreeIndex { pod: i / copies, copy: i % copies }
        };
        let mut levels: Vec<Vec<Handle>> = vec![Vec::new()];
        for l in 1..=self.height() {
            let count = (self.pods(l) * self.copies(l)) as u32;
            let add = |i| draft.switch(&self.name(l, index(l, i)), self.radix(l), None);
            levels.push((0..count).map(add).collect::<Result<_, _>>()?);
        }
        levels[0] = (0..self.pods(0)).map(|_| draft.host(self.up_ports(0))).collect::<Result<_, _>>()?;

        for l in 1..=self.height() {
            let (m, w, p) = (self.m[l - 1], self.w[l - 1], self.p[l - 1]);
            let first_up = self.down_ports(l - 1) + 1;
            for (i, &child) in levels[l - 1].iter().enumerate() {
                let at = index(l - 1, i as u32);
                let nth_child = at.pod % m;
                for nth_parent in 0..w {
                    let parent = at.pod / m * self.copies(l) as u32 + at.copy * w + nth_parent;
                    for k in 0..p {
                        let up = first_up + nth_parent * p + k;
                        let down = nth_child * p + k + 1;
                        draft.cable((child, up), (levels[l][parent as usize], down))?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Ports of a leaf for hosts and for uplinks at a taper, where there is one of each.
fn split_radix(radix: u32, taper: &str) -> Option<(u32, u32)> {
    let plain = taper.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let taper: f64 = taper.parse().ok().filter(|_| plain)?;
    // The small addend keeps exact quotients from falling below themselves.
    let uplinks = (f64::from(radix) / (1.0 + taper) + 1e-9).floor();
    let hosts = (uplinks * taper + 1e-9).floor();
    (uplinks >= 1.0 && hosts >= 1.0).then_some((hosts as u32, uplinks as u32))
}
