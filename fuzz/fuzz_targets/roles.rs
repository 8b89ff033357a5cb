//! Roles files: never a panic; what is read has a pattern and a line, in order.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(rules) = lacis_core::io::roles::read(data) {
        assert!(rules.iter().all(|rule| !rule.pattern.trim().is_empty()));
        assert!(rules.is_sorted_by_key(|rule| rule.line));
    }
});
