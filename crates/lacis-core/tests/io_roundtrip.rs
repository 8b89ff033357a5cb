//! What is written and read again is equal, over generated fabrics and a real one.

use std::path::{Path, PathBuf};

use lacis_core::fabric::{NodeKind, Population};
use lacis_core::io;

/// A file of the shared data, where this machine has them.
fn shared(name: &str) -> Option<Vec<u8>> {
    let from_env = std::env::var_os("LACIS_SHARED").map(|d| PathBuf::from(d).join("data"));
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|d| d.join("shared/data"));
    from_env.into_iter().chain(above).find_map(|dir| std::fs::read(dir.join(name)).ok())
}

/// Counted with grep: 40 `^Switch`, 582 `^Ca`, of them 40 with "Aggregation Node", 2,228 `^\[`.
#[test]
fn a_real_cluster_is_read_and_written() {
    let Some(bytes) = shared("dgx-2025.ibnetdiscover") else { return };
    let start = std::time::Instant::now();
    let loaded = io::read(&bytes).unwrap();
    println!("read in {:?}", start.elapsed());
    let f = &loaded.fabric;
    assert_eq!((f.num_switches(), f.num_nodes(), f.cables().count()), (40, 622, 1114));
    assert_eq!(f.end_ports(Population::Hosts).len(), 542);
    assert_eq!(f.nodes().filter(|(_, n)| n.kind == NodeKind::Aggregation).count(), 40);
    let rated = f.cables().flat_map(|(a, b)| [a, b]).filter(|&p| f.port_info(p).rate.is_some()).count();
    assert_eq!(rated, 2228);
    assert_eq!(loaded.notes, []);
    assert_eq!(&io::read(io::net::write(f).as_bytes()).unwrap().fabric, f);
}
