//! Cabling plans, ndt: never a panic; what is written reads as it was.
#![no_main]

use lacis_core::io::plan::{ndt, topology};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(plan) = ndt::read(data) else { return };
    assert!(plan.cables.iter().all(|cable| cable.ends.iter().any(|end| !end.is_open())));
    let again = topology::read(topology::write(&[&plan]).as_bytes());
    assert_eq!(again.map(|again| again.cables.len()), Ok(plan.cables.len()));
});
