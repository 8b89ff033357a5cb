//! Grids: `torus:4x4x2`, `mesh:…`, `ring:N`, `chain:N`, `hypercube:D`.
//!
//! Ports, from 1: hosts, then for each dimension the neighbour above and the one below. A torus
//! closes each dimension longer than 2; along a dimension of 2 the two switches share one cable.

use std::fmt::Write as _;

use super::make::{Draft, FabricSize, digits};
use super::spec::{Piece, Spec, SpecError};
use crate::fabric::BuildError;

/// A grid of switches, each with the same number of hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GridShape {
    lengths: Vec<u32>,
    closed: bool,
    hosts: u32,
}

impl GridShape {
    /// Reads `XxYx…` and the option `h`.
    pub fn parse(spec: &Spec<'_>, closed: bool) -> Result<Self, SpecError> {
        let pieces: Vec<Piece<'_>> = spec.body.split('x').collect();
        if let Some(&ninth) = pieces.get(8) {
            return Err(spec.error(ninth, "at most 8 dimensions"));
        }
        let length = |p| spec.number(p, "a length", 1..=10_000);
        let lengths = pieces.into_iter().map(length).collect::<Result<_, _>>()?;
        Ok(Self { lengths, closed, hosts: hosts_option(spec)? })
    }

    /// Reads `N` and the option `h`.
    pub fn parse_line(spec: &Spec<'_>, closed: bool) -> Result<Self, SpecError> {
        let length = spec.number(spec.body, "the number of switches", 1..=10_000)?;
        Ok(Self { lengths: vec![length], closed, hosts: hosts_option(spec)? })
    }

    /// Reads `D` and the option `h`.
    pub fn parse_cube(spec: &Spec<'_>) -> Result<Self, SpecError> {
        let dimensions = spec.number(spec.body, "the number of dimensions", 1..=16)?;
        Ok(Self { lengths: vec![2; dimensions as usize], closed: false, hosts: hosts_option(spec)? })
    }

    fn radix(&self) -> u32 {
        self.hosts + 2 * self.lengths.len() as u32
    }

    pub fn size(&self) -> (u32, FabricSize) {
        let switches = self.lengths.iter().map(|&n| u64::from(n)).fold(1, u64::saturating_mul);
        let hosts = switches.saturating_mul(self.hosts.into());
        let ports = switches.saturating_mul(self.radix().into()).saturating_add(hosts);
        (self.radix(), FabricSize { switches, hosts, ports })
    }

    pub fn draw(&self, draft: &mut Draft) -> Result<(), BuildError> {
        let count: u32 = self.lengths.iter().product();
        // The last dimension runs fastest.
        let stride = |d: usize| self.lengths[d + 1..].iter().product::<u32>();
        let coordinate = |i: u32, d: usize| i / stride(d) % self.lengths[d];
        let mut switches = Vec::with_capacity(count as usize);
        for i in 0..count {
            let mut name = "switch".to_owned();
            for (d, &length) in self.lengths.iter().enumerate() {
                let width = digits(u64::from(length - 1));
                // Writing to a string does not fail.
                let _ = write!(name, "-{:0width$}", coordinate(i, d));
            }
            switches.push(draft.switch(&name, self.radix(), None)?);
        }
        for &switch in &switches {
            for port in 1..=self.hosts {
                let host = draft.host(1)?;
                draft.cable((host, 1), (switch, port))?;
            }
        }
        for i in 0..count {
            for (d, &length) in self.lengths.iter().enumerate() {
                let last = coordinate(i, d) + 1 == length;
                let next = match (last, self.closed && length > 2) {
                    (false, _) => i + stride(d),
                    (true, true) => i - (length - 1) * stride(d),
                    (true, false) => continue,
                };
                let above = self.hosts + 2 * d as u32 + 1;
                draft.cable((switches[i as usize], above), (switches[next as usize], above + 1))?;
            }
        }
        Ok(())
    }
}

/// Hosts per switch: the option `h`, 1 unless given.
pub(super) fn hosts_option(spec: &Spec<'_>) -> Result<u32, SpecError> {
    Ok(spec.number_option("h", 0..=128)?.unwrap_or(1))
}
