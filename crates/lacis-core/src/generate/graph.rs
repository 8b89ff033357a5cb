//! Fabrics without levels or grid: `random:SWITCHES,DEGREE,HOSTS` and `dragonfly:P,A,H`.

use rustc_hash::FxHashSet;

use super::make::{Draft, FabricSize, digits};
use super::random::SplitMix64;
use super::spec::MAX_RADIX;
use super::spec::{Spec, SpecError};
use crate::fabric::BuildError;

/// A connected irregular graph: a random tree in which no switch has more than `degree` cables, then
/// the free ports paired at random, no pair of switches twice. A few ports stay free.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Random {
    switches: u32,
    degree: u32,
    hosts: u32,
    seed: u64,
}

impl Random {
    /// Reads `SWITCHES,DEGREE,HOSTS` (per switch) and the option `seed`.
    pub fn parse(spec: &Spec<'_>) -> Result<Self, SpecError> {
        let names = ["SWITCHES", "DEGREE (cables between switches, at each)", "HOSTS (at each switch)"];
        let numbers = spec.numbers(spec.body, ',', &names, 0..=10_000)?;
        let mut pieces = spec.body.split(',');
        for (name, range) in names.into_iter().zip([1..=10_000, 2..=120, 0..=120]) {
            spec.number(pieces.next().unwrap_or(spec.body), name, range)?;
        }
        let seed = spec.seed_option("seed")?.unwrap_or(0);
        Ok(Self { switches: numbers[0], degree: numbers[1], hosts: numbers[2], seed })
    }

    pub fn size(&self) -> (u32, FabricSize) {
        let (switches, radix) = (u64::from(self.switches), self.hosts + self.degree);
        let hosts = switches * u64::from(self.hosts);
        (radix, FabricSize { switches, hosts, ports: switches * u64::from(radix) + hosts })
    }

    /// Pairs of switches to cable.
    fn edges(&self) -> Vec<(u32, u32)> {
        let mut rng = SplitMix64::new(self.seed);
        let mut free = vec![self.degree; self.switches as usize];
        let mut edges = Vec::new();
        let mut seen = FxHashSet::default();
        let mut open: Vec<u32> = vec![0]; // switches of the tree with a free port
        for new in 1..self.switches {
            let at = rng.below(open.len());
            let old = open[at];
            for end in [old, new] {
                free[end as usize] -= 1;
            }
            if free[old as usize] == 0 {
                open.swap_remove(at);
            }
            open.push(new);
            edges.push((old, new));
            seen.insert((old, new));
        }
        let mut ends: Vec<u32> =
            (0..self.switches).flat_map(|s| (0..free[s as usize]).map(move |_| s)).collect();
        rng.shuffle(&mut ends);
        for pair in ends.chunks_exact(2) {
            let edge = (pair[0].min(pair[1]), pair[0].max(pair[1]));
            if edge.0 != edge.1 && seen.insert(edge) {
                edges.push(edge);
            }
        }
        rng.shuffle(&mut edges);
        edges
    }

    pub fn draw(&self, draft: &mut Draft) -> Result<(), BuildError> {
        let width = digits(self.switches.into()).max(2);
        let radix = self.hosts + self.degree;
        let switches = (1..=self.switches)
            .map(|i| draft.switch(&format!("switch-{i:0width$}"), radix, None))
            .collect::<Result<Vec<_>, _>>()?;
        for &switch in &switches {
            for port in 1..=self.hosts {
                let host = draft.host(1)?;
                draft.cable((host, 1), (switch, port))?;
            }
        }
        let mut next = vec![self.hosts; switches.len()];
        for (a, b) in self.edges() {
            let mut end = |s: u32| {
                next[s as usize] += 1;
                (switches[s as usize], next[s as usize])
            };
            draft.cable(end(a), end(b))?;
        }
        Ok(())
    }
}

/// A balanced dragonfly: groups of `a` switches, all cabled to each other, each with `p` hosts and
/// `h` cables to other groups; a h + 1 groups, so that each two groups share one cable.
///
/// J. Kim et al., "Technology-driven, highly-scalable dragonfly topology", ISCA 2008. Cable j of
/// group g goes to group g + j + 1 (the arrangement that M. Garcia et al. call *palm tree*).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Dragonfly {
    p: u32,
    a: u32,
    h: u32,
}

impl Dragonfly {
    /// Reads `P,A,H`.
    pub fn parse(spec: &Spec<'_>) -> Result<Self, SpecError> {
        let names =
            ["P (hosts per switch)", "A (switches per group)", "H (cables to other groups, per switch)"];
        let numbers = spec.numbers(spec.body, ',', &names, 1..=MAX_RADIX)?;
        Ok(Self { p: numbers[0], a: numbers[1], h: numbers[2] })
    }

    fn groups(&self) -> u32 {
        self.a * self.h + 1
    }

    fn radix(&self) -> u32 {
        self.p + self.a - 1 + self.h
    }

    pub fn size(&self) -> (u32, FabricSize) {
        let switches = u64::from(self.groups()) * u64::from(self.a);
        let hosts = switches * u64::from(self.p);
        (self.radix(), FabricSize { switches, hosts, ports: switches * u64::from(self.radix()) + hosts })
    }

    pub fn draw(&self, draft: &mut Draft) -> Result<(), BuildError> {
        let Self { p, a, h } = *self;
        let groups = self.groups();
        let (wide, narrow) = (digits(groups.into()).max(2), digits(a.into()).max(2));
        let mut switches = Vec::new();
        for g in 1..=groups {
            for r in 1..=a {
                let name = format!("switch-{g:0wide$}-{r:0narrow$}");
                switches.push(draft.switch(&name, self.radix(), None)?);
            }
        }
        for &switch in &switches {
            for port in 1..=p {
                let host = draft.host(1)?;
                draft.cable((host, 1), (switch, port))?;
            }
        }
        let at = |g: u32, r: u32| switches[(g * a + r) as usize];
        for g in 0..groups {
            for r in 0..a {
                for s in r + 1..a {
                    // Local ports run over the other switches of the group in order.
                    draft.cable((at(g, r), p + s), (at(g, s), p + r + 1))?;
                }
            }
            for j in 0..a * h {
                let other = (g + j + 1) % groups;
                let back = a * h - 1 - j;
                if g < other {
                    let port = |j: u32| p + a - 1 + j % h + 1;
                    draft.cable((at(g, j / h), port(j)), (at(other, back / h), port(back)))?;
                }
            }
        }
        Ok(())
    }
}
