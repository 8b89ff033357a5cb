//! Files about switches and ports.
#![no_main]

use lacis_core::io::port_list;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = (port_list::ids(data, port_list::Mistakes::Refused), port_list::ignored(data));
    let _ = (
        port_list::weights(data, port_list::Mistakes::Refused),
        port_list::search_order(data, port_list::Mistakes::Refused),
    );
});
