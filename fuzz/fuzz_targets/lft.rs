//! Dumps of forwarding tables, for the fabric `tests/fabrics/plain`, read and as the engine `file` loads them.
#![no_main]

use std::sync::{Arc, LazyLock};

use lacis_core::fabric::Fabric;
use lacis_core::io::{self, lft};
use lacis_core::routing::opensm::file;
use lacis_core::routing::{Options, Sweep};
use lacis_core::sm::lids::{LidOptions, Lids};
use libfuzzer_sys::fuzz_target;

static FABRIC: LazyLock<Fabric> = LazyLock::new(|| {
    let text = include_bytes!("../../tests/fabrics/plain/ibnetdiscover.txt");
    io::read(text).expect("the corpus is readable").fabric
});

fuzz_target!(|data: &[u8]| {
    if let Ok(given) = lft::read_given(data) {
        let sm = Lids::default_sm(&FABRIC).expect("there are nodes");
        let lids = Lids::assign(&FABRIC, sm, &LidOptions::default()).expect("there are LIDs");
        file::fit(&FABRIC, &lids, &given);
        let options = Options { lfts_file: Some(Arc::new(given)), ..Options::default() };
        let _ = file::route(&Sweep::first(&FABRIC, &lids, &options));
    }
    let Ok(loaded) = lft::read(data, &FABRIC) else { return };
    let text = lft::write(&FABRIC, &loaded.routes).expect("what was read fits");
    let again = lft::read(text.as_bytes(), &FABRIC).expect("what is written is readable");
    assert_eq!(again.routes, loaded.routes);
});
