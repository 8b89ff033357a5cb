//! Small machines of the shared folder of cases whose right answers are known: levels, roles, cables. Skipped where
//! the folder is not there.

use std::fs;
use std::path::{Path, PathBuf};

use lacis_core::fabric::Fabric;
use lacis_core::fabric::levels::Levels;
use lacis_core::health::{Action, Code, Hosts, cable_work, findings};
use lacis_core::io;

/// A case, where the shared folder has it.
fn case(name: &str) -> Option<Fabric> {
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|d| d.join("shared/data"));
    let env = std::env::var_os("LACIS_SHARED").map(|d| PathBuf::from(d).join("data"));
    let mut paths = env.into_iter().chain(above).map(|d| d.join("cases").join(name));
    let bytes = paths.find_map(|path| fs::read(path).ok())?;
    Some(io::read(&bytes).unwrap_or_else(|error| panic!("{name}: {error}")).fabric)
}

/// Switches of each level, leaves first; and findings.
fn levels_and_findings(fabric: &Fabric) -> (Vec<usize>, Vec<String>) {
    let levels = Levels::of(fabric).expect("a fabric with levels");
    let counts = (0..levels.count()).map(|level| levels.at(level as u8).count()).collect();
    let found = findings(fabric, &Hosts::of(fabric, None)).into_iter();
    (counts, found.map(|f| format!("{} {}", f.code.name(), f.words().at)).collect())
}

#[test]
fn a_leaf_with_few_hosts_is_a_leaf() {
    // 36 leaf chips of a director and 14 leaves that hang on ten of them; 18 spine chips.
    for name in ["fabrics/underfilled-leaf.net", "fabrics/full-leaf.net"] {
        let Some(fabric) = case(name) else { return };
        assert_eq!(levels_and_findings(&fabric), (vec![50, 18], Vec::new()), "{name}");
    }
}

#[test]
fn spines_of_half_the_size_lack_nothing() {
    for (name, leaves, spines) in [
        ("machines/halfspine-quantum40.fabric", 40, 21),
        ("machines/halfspine-quantum41.fabric", 40, 21),
        ("machines/ev-half-stor.fabric", 16, 9),
        ("machines/ev-half-nostor.fabric", 16, 9),
        ("machines/ev-half-stor32.fabric", 32, 17),
        ("machines/ev-half-nostor32.fabric", 32, 17),
    ] {
        let Some(fabric) = case(name) else { return };
        assert_eq!(levels_and_findings(&fabric), (vec![leaves, spines], Vec::new()), "{name}");
    }
}

#[test]
fn a_director_of_directors_is_a_tree() {
    // Nine line chips with hosts; above them three fabric chips of their own directors and three line chips of the core
    // director; above these its fabric chip.
    let Some(fabric) = case("machines/director-of-directors.fabric") else { return };
    assert_eq!(levels_and_findings(&fabric), (vec![9, 6, 1], Vec::new()));
    assert_eq!(Levels::of(&fabric).unwrap().odd_cables(&fabric), []);
}

#[test]
fn a_cable_in_the_wrong_leaf_is_one_move() {
    // Leaf 0 has four cables to spine 2, on ports 19 to 21 and 30, leaf 1 two, on ports 20 and 21; all others have three.
    let Some(fabric) = case("machines/tree-moved.fabric") else { return };
    let hosts = Hosts::of(&fabric, None);
    let found = findings(&fabric, &hosts);
    let work = cable_work(&fabric, &hosts, &found);
    let [line] = &work[..] else { panic!("one line: {work:?}") };
    assert_eq!((line.action, line.code), (Action::Move, Code::CableUnexpected));
    assert_eq!((&*line.here.node, line.here.port), ("leaf0", Some(30)));
    assert_eq!(line.there.as_ref().map(|end| (&*end.node, end.port)), Some(("spine2", Some(4))));
    assert!(line.why.starts_with("belongs in leaf1[19]"), "{}", line.why);
}
