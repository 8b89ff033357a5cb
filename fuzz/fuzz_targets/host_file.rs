//! Lists of hosts as launchers and schedulers write them.
#![no_main]

use lacis_core::io::slurm;
use lacis_core::ranks::{host_file, hosts_of_ranks};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let Ok(ranks) = hosts_of_ranks(&text) else { return };
    let lines = text.lines().count();
    assert!(ranks.iter().all(|(line, name)| (1..=lines).contains(line) && !name.is_empty()) || slurm::is_topology(&text));
    // Each host of the ranks is one of the hosts.
    if let Ok(hosts) = host_file(&text) {
        assert!(ranks.iter().all(|(_, name)| hosts.iter().any(|(_, host)| host == name)));
    }
});
