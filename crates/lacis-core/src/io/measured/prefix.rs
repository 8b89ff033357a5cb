//! What launchers, schedulers and terminals put before lines, taken off for all readers alike.
//!
//! ```text
//! [1,0]<stdout>:# OSU MPI Latency Test v7.4                    mpirun --tag-output
//! Thu Sep 12 10:03:12 2024[1,0]<stdout>:0   1.50               … --timestamp-output
//! [0] # OSU MPI Latency Test v7.4                              mpiexec -l
//! 0: # OSU MPI Latency Test v7.4                               srun --label
//! [pod/osu-launcher/main] # OSU MPI Latency Test v7.4          kubectl logs --prefix
//! 2026-07-09T16:03:21.000000000Z stdout F 0   1.50             a container's log
//! Sep 12 10:03:12 node1 osu[77]: 0   1.50                      a system's journal
//! > 0   1.50                                                   a mail or a thread that quotes another
//! &gt; 0   1.50<br>                                            the same in a saved page
//! ```
//!
//! A rank, pod or host before a line is its stream: the lines of two runs that write to one log are distinguished by it.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

/// The lines of a text, without what stands before them.
#[derive(Debug, Default)]
pub(super) struct Prefixes {
    /// Most lines begin with a word and a colon, or a word and a bar, as `pdsh` and `docker compose` write them.
    has_labels: bool,
    /// What stood before titles, whatever it is.
    learnt: Vec<String>,
    streams: FxHashMap<String, u32>,
}

/// A line without its prefix.
pub(super) struct Bare<'a> {
    /// From 1; 0 without a rank, pod or host before the line.
    pub(super) stream: u32,
    pub(super) text: Cow<'a, str>,
}

/// Lines that decide whether lines have labels.
const SAMPLE: usize = 400;

impl Prefixes {
    /// Looks at a text as a whole.
    pub(super) fn of(text: &str) -> Self {
        let lines = || text.lines().filter(|line| !line.trim().is_empty()).take(SAMPLE);
        let labelled = lines().filter(|line| label(after_times(line.trim_start())).is_some()).count();
        Self { has_labels: labelled >= 3 && 5 * labelled >= 4 * lines().count(), ..Self::default() }
    }

    /// A line without its prefix.
    pub(super) fn strip<'a>(&mut self, line: &'a str) -> Bare<'a> {
        match without_markup(line.trim()) {
            Some(plain) => {
                let bare = self.strip_plain(&plain);
                Bare { stream: bare.stream, text: Cow::Owned(bare.text.into_owned()) }
            }
            None => self.strip_plain(line.trim()),
        }
    }

    /// The same of a line without marks of a page.
    fn strip_plain<'a>(&mut self, line: &'a str) -> Bare<'a> {
        // Copied from a page.
        if line.contains(NO_BREAK) {
            let plain = line.replace(NO_BREAK, " ");
            let bare = self.strip_plain(plain.trim());
            return Bare { stream: bare.stream, text: Cow::Owned(bare.text.into_owned()) };
        }
        if line.contains('\u{1b}') {
            let plain = without_escapes(line);
            let bare = self.strip_plain(plain.trim());
            return Bare { stream: bare.stream, text: Cow::Owned(bare.text.into_owned()) };
        }
        if let Some(inside) = container_record(line) {
            let bare = self.strip_plain(inside.trim());
            return Bare { stream: bare.stream, text: Cow::Owned(bare.text.into_owned()) };
        }
        let (mut rest, mut stream) = (line, 0);
        // More than a launcher, a scheduler and a container put before a line.
        for _ in 0..6 {
            if let Some(after) = quoted(rest) {
                rest = after;
                continue;
            }
            if let Some(after) = time(rest) {
                rest = journal(after).unwrap_or(after);
                continue;
            }
            let tagged = tag(rest).or_else(|| if self.has_labels { label(rest) } else { None });
            let Some((name, after)) = tagged else { break };
            if !name.is_empty() {
                let next = self.streams.len() as u32 + 1;
                stream = *self.streams.entry(name.to_owned()).or_insert(next);
            }
            rest = after;
        }
        if let Some(at) = self.learnt(rest) {
            let next = self.streams.len() as u32 + 1;
            stream = *self.streams.entry(rest[..at].to_owned()).or_insert(next);
            rest = &rest[at..];
        }
        Bare { stream, text: Cow::Borrowed(rest.trim_start()) }
    }

    /// How long a prefix of no known form is that stood before a title; before this one, or before an earlier one.
    fn learnt(&mut self, text: &str) -> Option<usize> {
        let known = self.learnt.iter().find(|prefix| text.starts_with(prefix.as_str()));
        if let Some(prefix) = known {
            return Some(prefix.len());
        }
        let at = text.find('#').filter(|&at| (1..=LONGEST).contains(&at) && self.learnt.len() < MOST)?;
        let title = text[at + 1..].trim_start();
        let is_title = TITLES.iter().any(|start| title.starts_with(start));
        // `echo "# OSU …"` is a line of a script.
        let is_prefix = is_title
            && !text[..at].contains(['"', '\''])
            && text[..at].ends_with([' ', ':', '|', ']', '>', '\t']);
        if is_prefix {
            self.learnt.push(text[..at].to_owned());
        }
        is_prefix.then_some(at)
    }
}

/// A space at which a line is not broken.
const NO_BREAK: char = '\u{a0}';
/// Titles before which a prefix is learnt.
const TITLES: [&str; 7] = [
    "OSU ",
    "nThread ",
    "Collective test starting",
    "nccl-tests version",
    "rccl-tests version",
    "Intel(R) MPI Bench",
    "PathScale Modified OSU",
];
/// Longest prefix that is learnt [bytes], and how many are.
const LONGEST: usize = 120;
const MOST: usize = 256;

/// A text without the sequences that colour a terminal.
fn without_escapes(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        out.push_str(before);
        rest = match after.strip_prefix('[') {
            Some(code) => {
                let end = code.find(|c: char| ('@'..='~').contains(&c)).map_or(code.len(), |at| at + 1);
                &code[end..]
            }
            None => after,
        };
    }
    out.push_str(rest);
    out
}

/// A line of a saved page, such as a list's archive, without its marks; none if it has none.
fn without_markup(line: &str) -> Option<String> {
    const MARKS: [&str; 6] = ["br>", "p>", "/p>", "/span>", "pre>", "/pre>"];
    const SIGNS: [(&str, &str); 5] =
        [("&nbsp;", " "), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&")];
    if !line.contains(['<', '&']) {
        return None;
    }
    let (mut out, mut rest) = (String::with_capacity(line.len()), line);
    let mut has_marks = line.contains("&nbsp;") || line.starts_with("&gt;");
    while let Some((before, after)) = rest.split_once('<') {
        out.push_str(before);
        let mark = MARKS.iter().find_map(|mark| after.strip_prefix(mark));
        // An attribute is short.
        let end = || after.bytes().take(LONGEST).position(|byte| byte == b'>').map(|at| &after[at + 1..]);
        let after_mark = mark.or_else(|| after.starts_with("span ").then(end).flatten());
        has_marks |= after_mark.is_some();
        rest = after_mark.unwrap_or_else(|| {
            out.push('<');
            after
        });
    }
    if !has_marks {
        return None;
    }
    out.push_str(rest);
    for (sign, letter) in SIGNS {
        out = out.replace(sign, letter);
    }
    Some(out.trim().to_owned())
}

/// The line inside a record of a container's log: `{"log":"…\n","stream":"stdout","time":"…"}`.
fn container_record(line: &str) -> Option<String> {
    if !line.starts_with("{\"log\":") {
        return None;
    }
    let value: serde_json::Value = serde_json::from_str(line).ok()?;
    Some(value["log"].as_str()?.trim_end_matches('\n').to_owned())
}

fn after_times(mut rest: &str) -> &str {
    while let Some(after) = time(rest) {
        rest = after.trim_start();
    }
    rest
}

/// How many digits a text begins with.
fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// The text after `16:03:21`, with a fraction of a second if there is one.
fn clock(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let is_clock = bytes.len() >= 8
        && [0, 1, 3, 4, 6, 7].iter().all(|&at| bytes[at].is_ascii_digit())
        && bytes[2] == b':'
        && bytes[5] == b':';
    if !is_clock {
        return None;
    }
    let rest = &text[8..];
    match rest.strip_prefix(['.', ',']) {
        Some(fraction) if digits(fraction) > 0 => Some(&fraction[digits(fraction)..]),
        _ => Some(rest),
    }
}

/// The text after `2026-07-09T16:03:21.5+02:00`.
fn iso(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let is_date = bytes.len() > 11
        && [0, 1, 2, 3, 5, 6, 8, 9].iter().all(|&at| bytes[at].is_ascii_digit())
        && matches!(bytes[4], b'-' | b'/')
        && matches!(bytes[7], b'-' | b'/')
        && matches!(bytes[10], b'T' | b' ' | b'_');
    if !is_date {
        return None;
    }
    let rest = clock(text.get(11..)?)?;
    if let Some(rest) = rest.strip_prefix('Z') {
        return Some(rest);
    }
    match rest.strip_prefix(['+', '-']) {
        Some(offset) if digits(offset) == 4 => Some(&offset[4..]),
        Some(offset) if digits(offset) == 2 => {
            let rest = &offset[2..];
            Some(rest.strip_prefix(':').filter(|rest| digits(rest) == 2).map_or(rest, |rest| &rest[2..]))
        }
        _ => Some(rest),
    }
}

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/// The text after `Sep 12 10:03:12`, or `Thu Sep 12 10:03:12 2024`.
fn calendar(text: &str) -> Option<&str> {
    let after_day = DAYS.iter().find_map(|day| text.strip_prefix(day)).map(str::trim_start);
    let rest = after_day.unwrap_or(text);
    let rest = MONTHS.iter().find_map(|month| rest.strip_prefix(month))?.trim_start();
    let length = digits(rest);
    if !(1..=2).contains(&length) {
        return None;
    }
    let rest = clock(rest[length..].strip_prefix(' ')?)?;
    let year = rest.trim_start();
    let has_year = after_day.is_some() && digits(year) == 4 && year.len() < rest.len();
    Some(if has_year { &year[4..] } else { rest })
}

/// The text after a time.
fn time(text: &str) -> Option<&str> {
    let first = *text.as_bytes().first()?;
    if first == b'[' {
        let inside = &text[1..];
        let rest = iso(inside).or_else(|| clock(inside)).or_else(|| calendar(inside))?;
        return Some(rest.strip_prefix(']')?.trim_start());
    }
    let rest = match first {
        b'0'..=b'9' => iso(text).or_else(|| clock(text)).or_else(|| epoch(text))?,
        b'A'..=b'Z' => calendar(text)?,
        _ => return None,
    };
    // A container's log names the stream, and whether a line is whole.
    let rest = match rest.strip_prefix("<stdout>").or_else(|| rest.strip_prefix("<stderr>")) {
        Some(rest) => rest.strip_prefix(':').unwrap_or(rest),
        None if rest.is_empty() || rest.starts_with([' ', '\t', '[', '|']) => rest,
        None => rest.strip_prefix(": ").or_else(|| rest.strip_prefix("- "))?,
    };
    let rest = rest.trim_start();
    let container = ["stdout F", "stderr F", "stdout P", "stderr P"];
    let after = container.iter().find_map(|words| rest.strip_prefix(words));
    Some(after.map_or(rest, |after| after.strip_prefix(' ').unwrap_or(after)))
}

/// The text after seconds since 1970 with a fraction.
fn epoch(text: &str) -> Option<&str> {
    let fraction = text.get(10..)?.strip_prefix('.').filter(|_| digits(text) == 10)?;
    let rest = &fraction[digits(fraction)..];
    (digits(fraction) >= 3 && rest.starts_with(' ')).then_some(rest)
}

/// The text after the host and the program that a journal names: `node1 osu[77]: `.
fn journal(text: &str) -> Option<&str> {
    let (host, rest) = text.trim_start().split_once(' ')?;
    let (program, rest) = rest.split_once("]: ")?;
    let (_, number) = program.split_once('[')?;
    let is_plain = !host.is_empty() && !host.contains([':', '[', '#']) && !program.contains(' ');
    (is_plain && !number.is_empty() && digits(number) == number.len()).then_some(rest)
}

/// The rank or pod before a line, and the text after it.
fn tag(text: &str) -> Option<(&str, &str)> {
    match *text.as_bytes().first()? {
        b'[' => {
            let (inside, rest) = text[1..].split_once(']')?;
            let inside = inside.rsplit_once('@').map_or(inside, |(_, rank)| rank);
            // Open MPI: job and rank.
            for stream in ["<stdout>", "<stderr>", "<stddiag>"] {
                if let Some(rest) = rest.strip_prefix(stream) {
                    return Some((inside, rest.strip_prefix(':').unwrap_or(rest)));
                }
            }
            if inside.starts_with("pod/") || inside.starts_with("container/") {
                return Some((inside, rest.strip_prefix(' ').unwrap_or(rest)));
            }
            let number =
                inside.strip_prefix("rank").or_else(|| inside.strip_prefix("default")).unwrap_or(inside);
            let is_number = !number.is_empty() && digits(number) == number.len();
            // `[0]: `, `[0] `; a count in brackets is followed by something else.
            let rest =
                rest.strip_prefix(": ").or_else(|| rest.strip_prefix(':')).or_else(|| rest.strip_prefix(' '));
            match rest {
                Some(rest) if is_number => Some((number, rest)),
                None if is_number && text.len() == inside.len() + 2 => Some((number, "")),
                _ => None,
            }
        }
        b'(' => {
            let (inside, rest) = text[1..].split_once(") ")?;
            inside.contains("pid=").then_some((inside, rest))
        }
        b'0'..=b'9' => {
            let length = digits(text);
            let rest = text[length..].strip_prefix(':')?;
            let is_label = length <= 7 && (rest.is_empty() || rest.starts_with(' ')) && !is_step(rest);
            is_label.then(|| (&text[..length], rest.strip_prefix(' ').unwrap_or(rest)))
        }
        _ => None,
    }
}

/// Whether this is the rest of a row of `NetPIPE`, whose number looks like a rank before it.
fn is_step(rest: &str) -> bool {
    rest.split_once("times").is_some_and(|(size, rate)| !size.contains(':') && rate.contains("-->"))
}

/// The text that a mail or a thread quotes: `> 4096  1.50`.
fn quoted(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('>')?;
    (rest.is_empty() || rest.starts_with([' ', '>'])).then(|| rest.trim_start())
}

/// The host before a line: `node001: `, `worker-0  | `.
fn label(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_')))?;
    let (name, rest) = text.split_at(end);
    let after_bar = || rest.trim_start_matches(' ').strip_prefix('|').filter(|_| rest.starts_with(' '));
    let rest = match rest.strip_prefix(':') {
        Some(rest) if rest.is_empty() || rest.starts_with(' ') => rest,
        Some(_) => return None,
        None => after_bar()?,
    };
    let is_host = end > 0 && name.bytes().any(|byte| byte.is_ascii_digit() || byte == b'-');
    is_host.then(|| (name, rest.strip_prefix(' ').unwrap_or(rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_before_a_line_is_taken_off() {
        for prefix in [
            "",
            "[1,0]<stdout>:",
            "[1,0]<stdout>: ",
            "[prterun-node1-77@1,0]<stdout>: ",
            "Thu Sep 12 10:03:12 2024<stdout>:",
            "Thu Sep 12 10:03:12 2024[1,0]<stdout>:",
            "[0] ",
            "0: ",
            " 0: ",
            "12: ",
            "[pod/osu-launcher-x7/main] ",
            "[pod/osu-launcher-x7/main] 2026-07-09T16:03:21.123456789Z ",
            "2026-07-09T16:03:21.123456789Z stdout F ",
            "2026-07-09T16:03:21+02:00 ",
            "2026-07-09 16:03:21,123 ",
            "[2026-07-09 16:03:21] ",
            "[16:03:21] ",
            "16:03:21.123 ",
            "1726135392.123456 ",
            "Sep 12 10:03:12 ",
            "Sep  2 10:03:12 node1 osu[77]: ",
            "[default0]:",
            "[rank0]: ",
            "(bench pid=12, ip=10.0.0.1) ",
            "\u{1b}[36m(bench pid=12)\u{1b}[0m ",
            "2026-07-09T16:03:21Z 0: ",
            "> ",
            ">> ",
            "> > [1,0]<stdout>:",
            "</span><br><span class=\"quotelev1\">&gt; &gt; ",
            "<p>&nbsp;",
            "\u{a0}\u{a0}",
            "[0]\u{a0}",
        ] {
            for text in ["# OSU MPI Latency Test v7.4", "4096                    1.50", "7,0,0.81,12042.8"] {
                let line = format!("{prefix}{text}");
                assert_eq!(Prefixes::default().strip(&line).text, text, "{prefix:?}");
            }
        }
        let record = "{\"log\":\"# OSU MPI Latency Test v7.4\\n\",\"stream\":\"stdout\",\"time\":\"2026-07-09T16:03:21Z\"}";
        assert_eq!(Prefixes::default().strip(record).text, "# OSU MPI Latency Test v7.4");
        assert_eq!(Prefixes::default().strip("4096\u{a0}\u{a0}1.50").text, "4096  1.50");
    }

    #[test]
    fn what_belongs_to_a_line_stays() {
        for text in [
            "0:       1 bytes  23983 times -->      4.35 Mbps in       1.75 usec",
            "[ pairs: 8 ] [ window size: 64 ]",
            "[node1:77] MCW rank 0 bound to socket 0",
            "4194304   8401.46",
            "GID: 254:128:00:00",
            "local address: LID 0x01 QPN 0x0d02",
            "Latency: PASSED",
            "worker-0:21:21 [0] NCCL INFO Bootstrap",
            "n1:0 to 0.000 2.000",
        ] {
            assert_eq!(Prefixes::default().strip(text).text, text);
        }
    }

    #[test]
    fn a_prefix_of_no_known_form_is_learnt_from_the_title_after_it() {
        let mut prefixes = Prefixes::default();
        for prefix in ["osu-launcher-x7 main ", "node01.cluster: ", "INFO:bench:", "worker-0  | "] {
            for text in ["# OSU MPI Latency Test v7.4", "# Size  Latency (us)", "1 1.50"] {
                assert_eq!(prefixes.strip(&format!("{prefix}{text}")).text, text);
            }
        }
        let script = "echo \"# OSU MPI Latency Test v7.4\"";
        assert_eq!(prefixes.strip(script).text, script);
    }

    #[test]
    fn hosts_before_all_lines_are_streams() {
        let text = "node1: # OSU MPI Latency Test v7.4\nnode2: # OSU MPI Latency Test v7.4\nnode1: 0 1.50\nnode2: 0 1.60\n";
        let mut prefixes = Prefixes::of(text);
        let bare: Vec<(u32, String)> =
            text.lines().map(|line| prefixes.strip(line)).map(|b| (b.stream, b.text.into_owned())).collect();
        assert_eq!(bare[2], (1, "0 1.50".into()));
        assert_eq!(bare[3], (2, "0 1.60".into()));
    }
}
