//! Dimension order: shortest paths, each switch sending all that it can to the first of its
//! neighbours, and balancing only over the cables to it.
//!
//! OpenSM 3.3.23's behaviour. Dimensions are where the cables are plugged: if every switch of a mesh
//! has the dimensions on the same ports, packets finish one dimension after the other, and there is
//! no credit loop. On a torus each ring is one.

use super::minhop;
use crate::routing::Sweep;
use crate::routing::common::port_choice::Among;
use crate::sm::Lft;

/// Routes any fabric. Uses the same [`Options`](crate::routing::Options) as [`minhop`].
pub fn route(sweep: &Sweep<'_>) -> Lft {
    minhop::route_among(sweep, Among::FirstNeighbour)
}
