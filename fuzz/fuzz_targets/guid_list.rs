//! GUID lists.
#![no_main]

use lacis_core::io::guid_list;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(entries) = guid_list::read(data) else { return };
    let again = guid_list::read(guid_list::write(&entries).as_bytes()).expect("what is written is readable");
    assert_eq!(again.len(), entries.len());
    assert!(again.iter().zip(&entries).all(|(a, b)| (a.guid, &a.argument) == (b.guid, &b.argument)));
});
