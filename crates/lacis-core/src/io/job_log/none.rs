//! Words of errors that count none: `0 errors`, `errors: 0`, `no error`, `Total failures = 0`, `"failed": false`.
//!
//! Whether a number is a count or an index, its neighbours say: `rank 0 failed` is a failure, `8 passed, 0 failed` is none.

/// Things that are numbered.
const NUMBERED: &str = " rank ranks node nodes gpu gpus device port unit process proc task thread core cpu socket hca hfi nic host context channel ring lane vl \
    pe worker slot job step id iteration iter index entry line code status exit number no. nr # group pid qp lid stream block page bank link cable rail plane \
    switch spine leaf pod container attempt try retry round test ";
/// Words before a count.
const COUNTED: &str = " with has had have found detected got reported reports saw and total there were are is was counted shows showed contains only exactly finished \
    completed done passed mit hat wurden ";
/// Words between an error and its number.
const FILLERS: &str = " count counts counter counters rate code total number found detected reported seen is are was were status sum ";
/// What errors may be of, where there is none of one.
const KINDS: &str = " fatal uncorrectable uncorrected correctable corrected ecc cuda mpi nccl ib symbol crc new other further more such real critical major transport \
    retry hard soft xid validation data packet known unexpected communication any ";
/// What errors are counted for, behind the count.
const BEHIND: &str = " times total in so during on since at per for after overall ";
/// Parts of words that a number behind them counts, or says how it ended.
const BEFORE_NUMBERS: [&str; 12] = [
    "error",
    "fail",
    "timeout",
    "timed out",
    "abort",
    "exception",
    "mismatch",
    "corrupt",
    "fehler",
    "erreur",
    "exceeded",
    "code",
];

fn is_of(list: &str, word: &str) -> bool {
    !word.is_empty() && !word.contains(' ') && list.contains(&format!(" {word} "))
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Whether the word of trouble at these bytes of a line counts none.
pub(super) fn counts_none(line: &[u8], start: usize, end: usize) -> bool {
    let begin = line[..start].iter().rposition(|&byte| !is_word(byte)).map_or(0, |at| at + 1);
    let finish = line[end..].iter().position(|&byte| !is_word(byte)).map_or(line.len(), |at| end + at);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).to_ascii_lowercase();
    // Neighbours are near.
    let before = text(&line[begin.saturating_sub(80)..begin]);
    let after = text(&line[finish..line.len().min(finish + 80)]);
    let word = text(&line[begin..finish]);
    let (after, is_plural) = match after.strip_prefix("(s)").or_else(|| after.strip_prefix("(en)")) {
        Some(rest) => (rest, true),
        None => (after.as_str(), word.ends_with('s') || word.ends_with("fehler")),
    };
    is_free(after) || is_none_before(&before, &word, is_plural) || is_zero_behind(after, &word, is_plural)
}

/// `error-free`, `error free`.
fn is_free(after: &str) -> bool {
    let rest = after.strip_prefix(['-', ' ']).and_then(|rest| rest.strip_prefix("free"));
    rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
}

/// `no error`, `without any errors`, `0 errors`, `0 of 16 tests failed`.
fn is_none_before(before: &str, word: &str, is_plural: bool) -> bool {
    let clause = before.rfind([',', ';', ':', '.', '(', ')', '[', ']', '{', '}', '|', '=', '"', '\'']);
    let glued = clause.is_some_and(|at| {
        matches!(before.as_bytes()[at], b':' | b'=' | b'[' | b'.') && !before[at + 1..].starts_with(' ')
    });
    let words: Vec<&str> = before[clause.map_or(0, |at| at + 1)..].split_whitespace().collect();
    let is_noun = is_plural
        || [
            "error",
            "failure",
            "timeout",
            "exception",
            "mismatch",
            "corruption",
            "problem",
            "fehler",
            "erreur",
        ]
        .iter()
        .any(|noun| word.ends_with(noun));
    for (back, &one) in words.iter().rev().take(5).enumerate() {
        let at = words.len() - 1 - back;
        let between = &words[at + 1..];
        match one {
            "no" | "keine" | "kein" | "aucune" | "aucun" => {
                let are_kinds = between.iter().all(|kind| is_of(KINDS, kind));
                return is_noun && (are_kinds || is_plural && back <= 2);
            }
            "without" | "ohne" | "sans" => return is_noun && back <= 2,
            "zero" => return back <= 2,
            "of" if between.len() == 1 || between.len() == 2 => {}
            _ if one == "0" || one.starts_with("0/") => {
                let previous = at.checked_sub(1).map_or("", |at| words[at]);
                if is_of(NUMBERED, previous) {
                    return false;
                }
                let is_count =
                    is_plural || is_of(COUNTED, previous) || previous.is_empty() && !(glued && at == 0);
                // `0 tests failed`, `0 of 16 failed`.
                let is_many = between.is_empty()
                    || is_plural
                    || between
                        .first()
                        .is_some_and(|next| next.ends_with('s') || matches!(*next, "of" | "out"));
                return is_count && is_many && between.len() <= 3;
            }
            // Another count; `of 16`.
            _ if one.bytes().all(|byte| byte.is_ascii_digit())
                && at.checked_sub(1).is_none_or(|at| words[at] != "of") =>
            {
                return false;
            }
            _ => {}
        }
    }
    false
}

/// `errors: 0`, `error count 0`, `Total failures = 0`, `errors="0"`, `"failed": false`.
fn is_zero_behind(after: &str, word: &str, is_plural: bool) -> bool {
    if !BEFORE_NUMBERS.iter().any(|part| word.contains(part)) {
        return false;
    }
    let mut is_counter = is_plural || word.contains("count") || word.ends_with("code");
    let mut rest = after;
    for _ in 0..3 {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '"' || c == '_');
        if let Some(closed) = rest.strip_prefix('(').and_then(|inside| inside.split_once(')')) {
            rest = closed.1;
            continue;
        }
        let length = rest.bytes().take_while(|&byte| is_word(byte)).count();
        if !is_of(FILLERS, &rest[..length]) {
            break;
        }
        is_counter = true;
        rest = &rest[length..];
    }
    let separators =
        |c: char| c.is_whitespace() || matches!(c, ':' | '=' | '.' | '|' | '>' | '-' | '_' | '"' | '\'');
    let value = rest.trim_start_matches(separators);
    if rest[..rest.len() - value.len()].ends_with("\"\"") {
        return true;
    }
    let length = value.bytes().take_while(|&byte| is_word(byte) || byte == b'.').count();
    let (number, behind) = (value[..length].trim_end_matches('.'), &value[length..]);
    let is_word_for_none = matches!(number, "none" | "null" | "nil" | "false" | "keine");
    let digits = number.strip_prefix("0x").unwrap_or(number);
    let is_zero = !digits.is_empty() && digits.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    // `failed 0/16`.
    let behind =
        behind.strip_prefix('/').map_or(behind, |all| all.trim_start_matches(|c: char| c.is_ascii_digit()));
    let behind = behind.trim_start_matches('%');
    if !(is_zero || is_word_for_none) {
        return false;
    }
    let next = behind.trim_start();
    let Some(first) = next.chars().next() else { return true };
    if matches!(first, ',' | ';' | ')' | '|' | ']' | '}' | '"' | '\'') {
        return true;
    }
    // Another counter may follow; else the number is of what follows: `read failed: 0 bytes`.
    let following = next.split_whitespace().next().unwrap_or("");
    let is_next_counter =
        next[following.len()..].trim_start().starts_with(|c: char| c.is_ascii_digit() || "=:".contains(c))
            || following.contains([':', '=']);
    first.is_alphabetic()
        && behind.starts_with(char::is_whitespace)
        && (is_next_counter || is_counter || is_of(BEHIND, following))
}

#[cfg(test)]
mod tests {
    use super::counts_none;

    /// Whether some word of trouble in a line is of a failure.
    fn is_trouble(line: &str) -> bool {
        let lower = line.to_ascii_lowercase();
        let words = [
            "error",
            "fail",
            "timeout",
            "timed out",
            "abort",
            "killed",
            "mismatch",
            "fehler",
            "exit code",
            "exception",
        ];
        words.iter().any(|word| {
            lower.match_indices(word).any(|(at, _)| !counts_none(line.as_bytes(), at, at + word.len()))
        })
    }

    #[test]
    fn none_is_no_trouble() {
        for line in [
            "0 errors",
            "errors: 0",
            "no error",
            "Total failures = 0",
            "error count 0",
            "0 failed",
            "Finished with 0 errors, 0 warnings",
            "8 passed, 0 failed, 2 skipped",
            "Errors:0",
            "errors=0 timeouts=0 retries=3",
            "No errors were found",
            "no fatal errors",
            "completed without errors",
            "completed without any error",
            "zero failures",
            "Number of errors found: 0",
            "error_count: 0",
            "SymbolErrorCounter:.................0",
            "{\"errors\": 0, \"failed\": false, \"error\": null}",
            "<testsuite errors=\"0\" failures=\"0\" tests=\"12\">",
            "RX errors 0  dropped 0  overruns 0  frame 0",
            "0 error(s), 0 warning(s)",
            "Error(s): 0",
            "0 tests failed",
            "0 of 16 tests failed",
            "0/16 failed",
            "passed 10 failed 0",
            "Errors: none",
            "Error rate: 0.00%",
            "bit error rate = 0.0",
            "link is error-free",
            "0 uncorrectable ECC errors",
            "failures:    0 |",
            "0 Fehler",
            "keine Fehler",
            "error code 0",
            "exited with exit code 0",
            "failed 0 times",
            "mismatches: 0",
            "timeouts 0",
        ] {
            assert!(!is_trouble(line), "{line}");
        }
    }

    #[test]
    fn a_failure_beside_none_and_an_index_of_zero_are_trouble() {
        for line in [
            "0 errors, 3 failed",
            "errors: 0, failed: 2",
            "no error message, process killed",
            "connection failed: no error",
            "rank 0 failed",
            "rank 0 error: no such device",
            "GPU 0 error",
            "GPU 0 errors: 5",
            "node:0 failed",
            "[0] error",
            "0: error opening device",
            "errors: 10",
            "10 errors",
            "100 failed",
            "errors: 0x1f",
            "error rate: 0.05",
            "read failed: 0 bytes",
            "mismatch 0 != 1",
            "failed: 0: no such device",
            "mlx5 0 failed",
            "no memory error",
            "exit code 1",
            "error 12",
            "no more than 3 errors",
            "error",
            "failures = 5, errors = 0",
        ] {
            assert!(is_trouble(line), "{line}");
        }
    }
}
