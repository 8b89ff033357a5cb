//! Synthetic fabrics: a short spec wherever a file is accepted.
//!
//! | spec                              | fabric                                                        |
//! |-----------------------------------|---------------------------------------------------------------|
//! | `fat-tree:RADIX,LEVELS`           | full fat tree of 1 to 4 levels of equal switches              |
//! | `pgft:h;m1,…,mh;w1,…,wh;p1,…,ph`  | parallel-ports generalized fat tree                           |
//! | `itasca`, `itasca:LEAVES`         | two 324-port directors over 64 leaves of 16 nodes             |
//! | `opa-1152`                        | 48 edges × 24 hosts, 24 cores, 48-port Omni-Path              |
//! | `article`, `diamond`              | 2 edges, 2 cores, 4 nodes; 32 nodes on one switch             |
//! | `torus:4x4x2`, `mesh:4x4`         | grids, closed and open                                        |
//! | `ring:N`, `chain:N`, `hypercube:D`| grids of one dimension; of two switches in each of D          |
//! | `random:SWITCHES,DEGREE,HOSTS`    | connected irregular graph, HOSTS at each switch               |
//! | `dragonfly:P,A,H`                 | P hosts and H global cables a switch, A switches a group      |
//! | `dragonfly+:GROUPS,LEAVES,SPINES,HOSTS` | groups of leaves and spines, spines of all groups joined |
//!
//! Options follow a colon, with commas between: `fat-tree:36,3:pods=8,rate=4xNDR`.
//!
//! | option        | families        | meaning                                                       |
//! |---------------|-----------------|---------------------------------------------------------------|
//! | `pods=P`      | fat-tree        | subtrees below the top level, RADIX unless given. The top switches are merged into as few as the cables divide among evenly: with u uplinks for each switch below the top, p = the greatest divisor of u with P p ≤ RADIX cables run in parallel to each of u / p switches |
//! | `taper=T`     | fat-tree        | T hosts for each uplink of a leaf: ⌊RADIX / (1 + T)⌋ uplinks, T times as many hosts (rounded down), other ports unused; the levels above stay full |
//! | `h=N`         | grids           | hosts at each switch, 1 unless given                          |
//! | `seed=S`      | random          | 0 unless given                                                |
//! | `parallel=N`  | dragonfly+      | cables between each leaf and spine of a group, 1 unless given |
//! | `global=N`    | dragonfly+      | global cables a spine, one to each other group unless given   |
//! | `least=N`     | dragonfly+      | hosts of the leaves go from N to HOSTS and over again         |
//! | `rate=4xQDR`  | all             | rate of every link; unless given 4xHDR, 4xQDR for `itasca`, 4xOPA100 for the Omni-Path ones |
//! | `radix=N`     | all             | every switch has at least N ports, the added ones free        |
//! | `rails=N`     | all             | N equal planes, each host with an adapter in each             |
//! | `trees=N`     | all             | N of them, each with its own hosts; `--with` joins them       |
//! | `unmanaged=1` | all             | all switches share one description, as those without management do |
//! | `shuffle=S`   | all             | random GUIDs, as [`shuffle_guids`] with seed S                |
//! | `ports=S`     | all             | cables at random ports, as [`shuffle_ports`] with seed S      |

mod add;
mod declare;
mod edit;
mod elements;
mod error;
mod graph;
mod grid;
mod make;
mod named;
mod plus;
mod random;
mod remove;
mod select;
mod shuffle;
mod spec;
#[cfg(test)]
mod tests;
mod tree;

pub use add::with_cable;
pub use declare::declare;
pub use edit::edit;
pub use elements::elements;
pub use error::EditError;
pub use random::SplitMix64;
pub use remove::{Elements, without};
pub use shuffle::{shuffle_guids, shuffle_ports};
pub use spec::SpecError;

use crate::fabric::{BuildError, Fabric, Rate, Speed};
use make::{DEFAULT_SPEED, Draft, FabricSize, Maker};
use spec::{MAX_RADIX, Spec};

/// More than any fabric built so far; a typing mistake should not fill the memory.
const MAX_NODES: u64 = 1 << 20;
const MAX_PORTS: u64 = 1 << 24;

/// The names that a spec can begin with.
pub const FAMILIES: [&str; 14] = [
    "article",
    "chain",
    "diamond",
    "dragonfly",
    "dragonfly+",
    "fat-tree",
    "hypercube",
    "itasca",
    "mesh",
    "opa-1152",
    "pgft",
    "random",
    "ring",
    "torus",
];

/// Whether a text is meant as a spec, right or wrong: it begins with a family's name, or with a
/// similar word and a colon.
pub fn is_spec(text: &str) -> bool {
    let (name, more) = text.split_once(':').map_or((text, false), |(name, _)| (name, true));
    FAMILIES.contains(&name)
        || more && !name.contains(['/', '.']) && !crate::nearest::nearest(name, FAMILIES, 1).is_empty()
}

enum Shape {
    Tree(tree::Tree),
    Grid(grid::GridShape),
    Random(graph::Random),
    Dragonfly(graph::Dragonfly),
    DragonflyPlus(plus::DragonflyPlus),
    Itasca(named::Itasca),
    Article,
}

impl Shape {
    fn parse(spec: &Spec<'_>) -> Result<Self, SpecError> {
        Ok(match spec.name.text {
            "fat-tree" => Self::Tree(tree::Tree::fat_tree(spec)?),
            "pgft" => Self::Tree(tree::Tree::pgft(spec)?),
            "torus" => Self::Grid(grid::GridShape::parse(spec, true)?),
            "mesh" => Self::Grid(grid::GridShape::parse(spec, false)?),
            "ring" => Self::Grid(grid::GridShape::parse_line(spec, true)?),
            "chain" => Self::Grid(grid::GridShape::parse_line(spec, false)?),
            "hypercube" => Self::Grid(grid::GridShape::parse_cube(spec)?),
            "random" => Self::Random(graph::Random::parse(spec)?),
            "dragonfly" => Self::Dragonfly(graph::Dragonfly::parse(spec)?),
            "dragonfly+" => Self::DragonflyPlus(plus::DragonflyPlus::parse(spec)?),
            "itasca" => Self::Itasca(named::Itasca::parse(spec)?),
            name @ ("opa-1152" | "diamond" | "article") => {
                spec.without_arguments()?;
                match name {
                    "opa-1152" => Self::Tree(named::opa_1152()),
                    "diamond" => Self::Tree(named::diamond()),
                    _ => Self::Article,
                }
            }
            _ => return Err(spec.unknown(spec.name, "the name of a synthetic fabric", &FAMILIES)),
        })
    }

    /// The greatest radix, and the size of one rail.
    fn size(&self) -> (u32, FabricSize) {
        match self {
            Self::Tree(tree) => tree.size(),
            Self::Grid(grid) => grid.size(),
            Self::Random(random) => random.size(),
            Self::Dragonfly(dragonfly) => dragonfly.size(),
            Self::DragonflyPlus(plus) => plus.size(),
            Self::Itasca(itasca) => itasca.size(),
            Self::Article => named::Article::size(),
        }
    }

    fn draw(&self, draft: &mut Draft) -> Result<(), BuildError> {
        match self {
            Self::Tree(tree) => tree.draw(draft),
            Self::Grid(grid) => grid.draw(draft),
            Self::Random(random) => random.draw(draft),
            Self::Dragonfly(dragonfly) => dragonfly.draw(draft),
            Self::DragonflyPlus(plus) => plus.draw(draft),
            Self::Itasca(itasca) => itasca.draw(draft),
            Self::Article => named::Article::draw(draft),
        }
    }
}

/// What a spec asks for, before anything of it is made.
struct Asked<'t> {
    spec: Spec<'t>,
    shape: Shape,
    maker: Maker,
    rate: Rate,
    rails: u32,
    trees: u32,
    is_unmanaged: bool,
    least_radix: u32,
    /// Of random GUIDs, and of random ports.
    seeds: [Option<u64>; 2],
    /// Hosts of one tree.
    hosts: u64,
    nodes: u64,
    /// Management ports not counted.
    ports: u64,
}

impl<'t> Asked<'t> {
    fn parse(spec: &'t str) -> Result<Self, SpecError> {
        let spec = Spec::parse(spec)?;
        let shape = Shape::parse(&spec)?;
        let (maker, speed) = match spec.name.text {
            "opa-1152" | "diamond" | "article" => (Maker::OmniPath, Speed::Opa100),
            "itasca" => (Maker::InfiniBand, Speed::Qdr),
            _ => (Maker::InfiniBand, DEFAULT_SPEED),
        };
        let rate = match spec.option("rate") {
            Some(rate) => {
                rate.text.parse().map_err(|()| spec.error(rate, "rate, width and speed as in 4xQDR"))?
            }
            None => Rate::x4(speed),
        };
        let rails = spec.number_option("rails", 1..=16)?.unwrap_or(1);
        let trees = spec.number_option("trees", 1..=16)?.unwrap_or(1);
        let is_unmanaged = spec.number_option("unmanaged", 0..=1)? == Some(1);
        let least_radix = spec.number_option("radix", 1..=MAX_RADIX)?.unwrap_or(0);
        let seeds = [spec.seed_option("shuffle")?, spec.seed_option("ports")?];
        spec.finish()?;

        let (radix, size) = shape.size();
        if radix > MAX_RADIX {
            let expected = format!("switches of at most {MAX_RADIX} ports (these need {radix})");
            return Err(spec.error(spec.body, expected));
        }
        let times = |n: u64| n.saturating_mul(u64::from(rails * trees));
        let (nodes, ports) = (times(size.switches.saturating_add(size.hosts)), times(size.ports));
        if nodes > MAX_NODES || ports > MAX_PORTS {
            let expected =
                format!("at most {MAX_NODES} nodes and {MAX_PORTS} ports (these are {nodes} and {ports})");
            return Err(spec.error(spec.body, expected));
        }
        let hosts = size.hosts;
        Ok(Self {
            spec,
            shape,
            maker,
            rate,
            rails,
            trees,
            is_unmanaged,
            least_radix,
            seeds,
            hosts,
            nodes,
            ports,
        })
    }
}

/// About how much memory the fabric of a spec needs while it is made `[bytes]`, as measured on fat trees, tori and
/// hypercubes.
///
/// # Errors
/// As [`generate()`] for a malformed spec.
pub fn memory(spec: &str) -> Result<u64, SpecError> {
    Asked::parse(spec).map(|asked| 256 * asked.nodes + 128 * asked.ports)
}

/// The fabric that a spec describes. The same spec gives the same fabric, GUIDs included.
///
/// # Errors
/// When the spec is malformed, with the position, what was expected there, and near names.
///
/// ```
/// let fabric = lacis_core::generate::generate("fat-tree:36,2")?;
/// assert_eq!((fabric.num_switches(), fabric.end_nodes().len()), (36 + 18, 648));
/// # Ok::<(), lacis_core::generate::SpecError>(())
/// ```
pub fn generate(spec: &str) -> Result<Fabric, SpecError> {
    let Asked { spec, shape, maker, rate, rails, trees, is_unmanaged, least_radix, seeds, hosts, .. } =
        Asked::parse(spec)?;
    let mut draft = Draft::new(maker, rate, rails, trees, least_radix, hosts * u64::from(trees));
    if is_unmanaged {
        draft.unmanaged();
    }
    for rail in 1..=rails {
        draft.begin_rail(rail);
        for tree in 1..=trees {
            draft.begin_tree(tree);
            shape.draw(&mut draft).map_err(|e| spec.error(spec.body, format!("a possible fabric ({e})")))?;
        }
    }
    let fabric = draft.finish();
    let [other_guids, other_ports] = seeds;
    let fabric = other_guids.map(|seed| shuffle_guids(&fabric, seed)).unwrap_or(fabric);
    Ok(other_ports.map(|seed| shuffle_ports(&fabric, seed)).unwrap_or(fabric))
}
