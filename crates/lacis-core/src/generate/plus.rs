//! `dragonfly+:GROUPS,LEAVES,SPINES,HOSTS`: groups of leaves and spines, spines of different groups joined.
//!
//! Ports of a leaf, from 1: hosts, then the cables to each spine. Ports of a spine: the cables to each leaf, then global ones.
//! Cable *j* of a group, counted over its spines, goes to the *d*-th group on, d = j mod (GROUPS - 1) + 1, and is there the cable
//! with the same quotient: every two groups share SPINES × `global` / (GROUPS - 1) cables. Where `global` is a multiple of
//! GROUPS - 1, as it is unless given, each spine is joined to the spines of its own number.

use super::make::{Draft, FabricSize, digits};
use super::spec::{MAX_RADIX, Spec, SpecError};
use crate::fabric::BuildError;

/// A Dragonfly+.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DragonflyPlus {
    groups: u32,
    leaves: u32,
    spines: u32,
    hosts: u32,
    /// Cables between each leaf and spine of a group.
    parallel: u32,
    /// Global cables of each spine.
    global: u32,
    /// Fewest hosts of a leaf.
    least: u32,
}

impl DragonflyPlus {
    /// Reads `GROUPS,LEAVES,SPINES,HOSTS` and the options `parallel`, `global` and `least`.
    pub fn parse(spec: &Spec<'_>) -> Result<Self, SpecError> {
        let names = ["GROUPS", "LEAVES (a group)", "SPINES (a group)", "HOSTS (a leaf)"];
        let numbers = spec.numbers(spec.body, ',', &names, 1..=MAX_RADIX)?;
        let (groups, leaves, spines, hosts) = (numbers[0], numbers[1], numbers[2], numbers[3]);
        if groups < 2 {
            return Err(spec.error(spec.body, "two groups or more"));
        }
        let parallel = spec.number_option("parallel", 1..=MAX_RADIX)?.unwrap_or(1);
        let least = spec.number_option("least", 0..=hosts)?.unwrap_or(hosts);
        let global = spec.number_option("global", 1..=MAX_RADIX)?.unwrap_or(groups - 1);
        if spines * global % (groups - 1) != 0 {
            let others = groups - 1;
            let expected = format!(
                "as many cables to each of {others} other groups ({spines} × {global} is no multiple of {others})"
            );
            return Err(spec.error(spec.option("global").unwrap_or(spec.body), expected));
        }
        Ok(Self { groups, leaves, spines, hosts, parallel, global, least })
    }

    /// Hosts of a leaf, counted over all groups: from `least` to HOSTS and over again.
    fn hosts_of(&self, leaf: u32) -> u32 {
        self.least + leaf % (self.hosts - self.least + 1)
    }

    fn radices(&self) -> (u32, u32) {
        (self.hosts + self.spines * self.parallel, self.leaves * self.parallel + self.global)
    }

    pub fn size(&self) -> (u32, FabricSize) {
        let (leaf, spine) = self.radices();
        let (leaves, spines) = (u64::from(self.groups * self.leaves), u64::from(self.groups * self.spines));
        let hosts: u64 = (0..self.groups * self.leaves).map(|leaf| u64::from(self.hosts_of(leaf))).sum();
        let ports = leaves * u64::from(leaf) + spines * u64::from(spine) + hosts;
        (leaf.max(spine), FabricSize { switches: leaves + spines, hosts, ports })
    }

    pub fn draw(&self, draft: &mut Draft) -> Result<(), BuildError> {
        let Self { groups, leaves, spines, parallel, global, .. } = *self;
        let (leaf_radix, spine_radix) = self.radices();
        let wide = digits(groups.into()).max(2);
        let mut at = Vec::new();
        for group in 1..=groups {
            for (kind, count, radix) in [("leaf", leaves, leaf_radix), ("spine", spines, spine_radix)] {
                let narrow = digits(count.into()).max(2);
                for number in 1..=count {
                    at.push(draft.switch(
                        &format!("{kind}-{group:0wide$}-{number:0narrow$}"),
                        radix,
                        None,
                    )?);
                }
            }
        }
        let leaf = |group: u32, number: u32| at[(group * (leaves + spines) + number) as usize];
        let spine = |group: u32, number: u32| at[(group * (leaves + spines) + leaves + number) as usize];
        for number in 0..groups * leaves {
            for port in 1..=self.hosts_of(number) {
                let host = draft.host(1)?;
                draft.cable((host, 1), (leaf(number / leaves, number % leaves), port))?;
            }
        }
        for group in 0..groups {
            for l in 0..leaves {
                for (s, p) in (0..spines).flat_map(|s| (0..parallel).map(move |p| (s, p))) {
                    let (up, down) = (self.hosts + s * parallel + p + 1, l * parallel + p + 1);
                    draft.cable((leaf(group, l), up), (spine(group, s), down))?;
                }
            }
            for j in 0..spines * global {
                let (quotient, step) = (j / (groups - 1), j % (groups - 1) + 1);
                let far = (group + step) % groups;
                let back = quotient * (groups - 1) + (groups - 1 - step);
                if group < far {
                    let end = |of: u32, j: u32| (spine(of, j / global), leaves * parallel + j % global + 1);
                    draft.cable(end(group, j), end(far, back))?;
                }
            }
        }
        Ok(())
    }
}
