//! The Omni-Path manager's configuration: never a panic, and every finding is of a line that there is.
#![no_main]

use lacis_core::health::opafm::lint;
use lacis_core::io::opafm::{AdaptiveSettings, block, read};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(file) = read(data) else { return };
    let lines = 1 + data.iter().filter(|&&b| b == b'\n' || b == b'\r').count();
    assert!(lint(&file).iter().all(|found| found.line.is_none_or(|line| line <= lines)));
    // Every value that holds stands in the file, and what means something else is written differently.
    let held = file.settings(0);
    assert!(held.iter().all(|s| s.line <= lines && file.entries.iter().any(|e| e.value.as_deref() == Some(s.value))));
    assert!(file.values().len() <= file.entries.len());
    let settings = AdaptiveSettings::of(&file, 0);
    let text = format!("<Config><Common><Sm>{}</Sm></Common></Config>", block(settings));
    assert_eq!(read(text.as_bytes()).map(|file| AdaptiveSettings::of(&file, 0)), Ok(settings));
});
