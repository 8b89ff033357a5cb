//! Pairs and orders of hosts by name.
#![no_main]

use lacis_core::ranks::{find_hosts, listed_hosts, listed_names};
use lacis_core::traffic::listed_pairs;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let names = ["node001", "node002", "ubuntu mlx5_1", "same", "same"].map(String::from);
    if let Ok(pairs) = listed_pairs(&text, &names) {
        assert!(pairs.iter().flatten().all(|&(from, to)| from != to && from < 3 && to < 3));
    }
    let listed = listed_names(&text);
    // Either both know all the hosts, or neither.
    assert_eq!(listed_hosts(&listed, &names).ok(), find_hosts(&listed, &names).ok());
    // A name in quotes stands for itself.
    for (_, name) in listed.iter().filter(|(_, name)| !name.contains('"')) {
        assert_eq!(listed_names(&format!("\"{name}\"")), [(1, name.clone())]);
    }
});
