//! Snapshots of `opareport`: fabric, tables, port groups; what is written again has the same cables and LIDs.
#![no_main]

use lacis_core::io::omnipath::snapshot::{self, WriteOptions};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(loaded) = snapshot::read(data) else { return };
    let fabric = loaded.fabric;
    let _ = snapshot::read_port_groups(data, &fabric);
    let Ok(tables) = snapshot::read_tables(data, &fabric) else { return };
    let Ok(pieces) = snapshot::write(&fabric, &tables.routes, &WriteOptions::default()) else { return };
    let written: String = pieces.collect();
    let again = snapshot::read(written.as_bytes()).expect("what is written is readable").fabric;
    assert_eq!(again.cables().count(), fabric.cables().count());
    let same = snapshot::read_tables(written.as_bytes(), &again).expect("tables are written whole").routes;
    assert_eq!(same.lids.assigned().len(), tables.routes.lids.assigned().len());
});
