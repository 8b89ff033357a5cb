//! Dumps of forwarding tables, for the fabric `tests/fabrics/plain`.
#![no_main]

use std::sync::LazyLock;

use lacis_core::fabric::Fabric;
use lacis_core::io::{self, lft};
use libfuzzer_sys::fuzz_target;

static FABRIC: LazyLock<Fabric> = LazyLock::new(|| {
    let text = include_bytes!("../../tests/fabrics/plain/ibnetdiscover.txt");
    io::read(text).expect("the corpus is readable").fabric
});

fuzz_target!(|data: &[u8]| {
    let Ok(loaded) = lft::read(data, &FABRIC) else { return };
    let text = lft::write(&FABRIC, &loaded.routes).expect("what was read fits");
    let again = lft::read(text.as_bytes(), &FABRIC).expect("what is written is readable");
    assert_eq!(again.routes, loaded.routes);
});
