//! Job logs: pieces of any size find what the whole finds, and memory stays bounded.
#![no_main]

use lacis_core::io::job_log::{LONGEST, Scanner};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    // The first byte is the size of pieces, then come texts up to a zero byte, then the log.
    let Some((&size, rest)) = data.split_first() else { return };
    let (texts, log) = rest.split_at(rest.iter().position(|&b| b == 0).unwrap_or(0));
    let texts: Vec<Vec<String>> = String::from_utf8_lossy(texts)
        .lines()
        .map(|line| line.split('|').map(str::to_owned).collect())
        .collect();
    // The latter half are general texts.
    let (texts, general) = texts.split_at(texts.len() / 2);
    let trouble = ["error".to_owned(), "fail".to_owned()];
    let scan = |size: usize| {
        let mut scanner = Scanner::new(texts, general, &trouble, 2).ok()?;
        log.chunks(size.max(1)).for_each(|piece| scanner.feed(piece));
        Some(scanner.finish())
    };
    if log.len() < LONGEST {
        assert_eq!(scan(usize::from(size)), scan(log.len()));
    }
});
