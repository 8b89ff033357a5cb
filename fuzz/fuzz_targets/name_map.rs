//! Node name maps.
#![no_main]

use lacis_core::io::name_map;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok((map, _)) = name_map::read(data) else { return };
    let (again, notes) =
        name_map::read(name_map::write(&map).as_bytes()).expect("what is written is readable");
    assert_eq!(again, map);
    assert!(notes.is_empty());
});
