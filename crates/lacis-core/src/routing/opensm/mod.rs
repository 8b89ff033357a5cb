//! OpenSM 3.3.23's engines, equal to it in every table entry and lane.

pub mod dfsssp;
pub mod dnup;
pub mod dor;
pub mod file;
pub mod ftree;
pub mod lash;
pub mod minhop;
pub mod nue;
pub mod sssp;
pub mod torus_2qos;
pub mod updn;
