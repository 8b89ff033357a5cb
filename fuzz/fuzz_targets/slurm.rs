//! Slurm's lists of hosts and its `topology.conf`.
#![no_main]

use lacis_core::io::slurm;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = slurm::topology(data);
    let Ok(named) = slurm::node_list(data) else { return };
    // A name without brackets stands for itself.
    for (_, name) in &named {
        assert_eq!(slurm::expand(name), Ok(vec![name.clone()]));
    }
});
