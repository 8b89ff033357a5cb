//! The db_csv, net_dump and net_dump_ext of ibdiagnet: never a panic, and what is read is kept by a fabric file.
#![no_main]

use lacis_core::io::ibdiagnet::{db_csv, net_dump, net_dump_ext};
use lacis_core::io::json;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    for read in [db_csv::read, net_dump::read] {
        let Ok(loaded) = read(data) else { continue };
        let again = json::read(json::write(&loaded.fabric).as_bytes()).expect("what is written is readable");
        assert_eq!(again.fabric, loaded.fabric);
        let _ = net_dump_ext::read(data, &loaded.fabric, None);
    }
});
