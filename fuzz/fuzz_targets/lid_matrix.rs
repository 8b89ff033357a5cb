//! Dumps of hop matrices.
#![no_main]

use lacis_core::io::lid_matrix::{HopMatrixDump, SwitchMatrix, read, to_dump};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(dump) = read(data) else { return };
    let again = read(to_dump(&dump).as_bytes()).expect("what is written is readable");
    let said = |dump: &HopMatrixDump| -> Vec<_> {
        let rows = |m: &SwitchMatrix| -> Vec<_> {
            m.rows.iter().map(|r| (r.lid, r.hops.clone(), r.owner)).collect()
        };
        dump.switches.iter().map(|m| (m.guid, rows(m))).collect()
    };
    assert_eq!(said(&again), said(&dump));
});
