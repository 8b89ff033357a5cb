//! Named fabrics: systems that public reports describe.
//!
//! * `itasca`: Minnesota Supercomputing Institute's cluster of 2009: blade enclosures, each with a
//!   36-port leaf chip (16 nodes, 8 uplinks), under two 324-port director switches.
//! * `opa-1152`: the largest two-tier Omni-Path fabric of 48-port switches.
//! * `article`: the smallest Omni-Path fabric on which two pairs of nodes can collide: two edge and
//!   two core switches, one cable between each edge and core, nodes A and B against C and D.
//! * `diamond`: 32 nodes on one 48-port Omni-Path switch (RACF, 2015).

use super::make::{Draft, FabricSize};
use super::spec::{Spec, SpecError};
use super::tree::Tree;
use crate::fabric::BuildError;

/// 48 edge switches with 24 hosts each, 24 core switches.
pub(super) fn opa_1152() -> Tree {
    Tree::new(&[24, 48], &[1, 24], &[1, 1], 48).named(&["edge", "core"])
}

/// 32 hosts on one switch.
pub(super) fn diamond() -> Tree {
    Tree::new(&[32], &[1], &[1], 48)
}

/// Two edges, two cores, four nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Article;

impl Article {
    const RADIX: u32 = 48;

    pub fn size() -> (u32, FabricSize) {
        (Self::RADIX, FabricSize { switches: 4, hosts: 4, ports: 4 * u64::from(Self::RADIX) + 4 })
    }

    /// Hosts on ports 1 and 2 of their edge, cores 1 and 2 on its ports 25 and 26.
    pub fn draw(draft: &mut Draft) -> Result<(), BuildError> {
        let mut switch = |name: &str| draft.switch(name, Self::RADIX, None);
        let edges = [switch("edge1")?, switch("edge2")?];
        let cores = [switch("core1")?, switch("core2")?];
        for (name, edge, port) in [("NodeA", 0, 1), ("NodeB", 0, 2), ("NodeC", 1, 1), ("NodeD", 1, 2)] {
            let host = draft.named_host(name, 1)?;
            draft.cable((host, 1), (edges[edge], port))?;
        }
        for (e, &edge) in edges.iter().enumerate() {
            for (c, &core) in cores.iter().enumerate() {
                draft.cable((edge, 25 + c as u32), (core, 1 + e as u32))?;
            }
        }
        Ok(())
    }
}

/// Leaves of 16 nodes under two directors.
///
/// A director has 18 mid-level chips (18 ports out, 18 up) and 9 top-level chips, 2 lines between
/// every mid and every top: 324 ports out. Nine leaves form a *near set*: set j has 2 lines to each
/// of the mids 2j and 2j + 1 of each director (from 0), so 9 sets fill a director.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Itasca {
    leaves: u32,
}

impl Itasca {
    const RADIX: u32 = 36;
    const NODES: u32 = 16;
    const DIRECTORS: u32 = 2;
    const MIDS: u32 = 18;
    const TOPS: u32 = 9;
    const LINES: u32 = 2;
    const NEAR_SET: u32 = 9;
    const MIDS_OF_LEAF: u32 = 2;

    /// Reads the number of leaves, 64 unless given.
    pub fn parse(spec: &Spec<'_>) -> Result<Self, SpecError> {
        if spec.body.text.is_empty() {
            return Ok(Self { leaves: 64 });
        }
        let most = Self::MIDS / Self::MIDS_OF_LEAF * Self::NEAR_SET;
        Ok(Self { leaves: spec.number(spec.body, "the number of leaves", 1..=most)? })
    }

    pub fn size(self) -> (u32, FabricSize) {
        let switches = u64::from(self.leaves + Self::DIRECTORS * (Self::MIDS + Self::TOPS));
        let hosts = u64::from(self.leaves * Self::NODES);
        (Self::RADIX, FabricSize { switches, hosts, ports: switches * u64::from(Self::RADIX) + hosts })
    }

    pub fn draw(self, draft: &mut Draft) -> Result<(), BuildError> {
        let leaves = (1..=self.leaves)
            .map(|i| draft.switch(&format!("leaf-{i:02}"), Self::RADIX, None))
            .collect::<Result<Vec<_>, _>>()?;
        let mut directors = Vec::new();
        for d in 1..=Self::DIRECTORS {
            let mut mids = Vec::new();
            for i in 1..=Self::MIDS {
                let name = format!("director-{d}-mid-{i:02}");
                mids.push(draft.switch(&name, Self::RADIX, mids.first().copied())?);
            }
            for t in 0..Self::TOPS {
                let name = format!("director-{d}-top-{}", t + 1);
                let top = draft.switch(&name, Self::RADIX, mids.first().copied())?;
                for (i, &mid) in mids.iter().enumerate() {
                    for k in 0..Self::LINES {
                        let up = Self::NEAR_SET * Self::LINES + t * Self::LINES + k + 1;
                        draft.cable((mid, up), (top, i as u32 * Self::LINES + k + 1))?;
                    }
                }
            }
            directors.push(mids);
        }
        for (i, &leaf) in leaves.iter().enumerate() {
            for port in 1..=Self::NODES {
                let host = draft.host(1)?;
                draft.cable((host, 1), (leaf, port))?;
            }
            let (near_set, seat) = (i as u32 / Self::NEAR_SET, i as u32 % Self::NEAR_SET);
            let mut up = Self::NODES;
            for mids in &directors {
                for j in 0..Self::MIDS_OF_LEAF {
                    let mid = mids[(near_set * Self::MIDS_OF_LEAF + j) as usize];
                    for k in 0..Self::LINES {
                        up += 1;
                        draft.cable((leaf, up), (mid, seat * Self::LINES + k + 1))?;
                    }
                }
            }
        }
        Ok(())
    }
}
