//! The configuration of OpenSM's engine `torus-2QoS`, `torus-2QoS.conf`:
//!
//! ```text
//! torus 6 5M 1                                   # a closed x of 6, an open y of 5, no z
//! xp_link 0x2c90200402be8 0x2c90200402bec        # a seed: from this switch x grows to that one
//! yp_link 0x2c90200402be8 0x2c90200402bf0
//! x_dateline -2                                  # where x is 0, seen from the seed
//! next_seed                                      # in case a switch of the first fails
//! xp_link 0x2c90200402c18 0x2c90200402c1c
//! yp_link 0x2c90200402c18 0x2c90200402c20
//! portgroup_max_ports 20
//! port_order 7 10 8 11 9 12
//! ```
//!
//! Grammar: `torus-2QoS.conf(5)` of OpenSM 3.3.23, and experiments with it. What OpenSM misreads (a word as a
//! number, a link given twice) is refused.

use std::fmt::Write as _;

use super::ReadError;
use super::note::Notes;
use super::text::{c_guid, decimal, decode, lines};
use crate::fabric::Guid;

/// Default limit of parallel cables between two switches, and of hosts of a switch with its port 0.
const MAX_PORTS: u32 = 16;
/// Default number of changes that OpenSM reports.
const MAX_CHANGES: u32 = 32;
/// Most switches of a torus: more than InfiniBand has LIDs.
const MAX_SWITCHES: u64 = 0xC000;

/// What a file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TorusConf {
    /// Line of the sizes, from 1.
    pub line: usize,
    /// The dimensions x, y and z.
    pub dimensions: [Dimension; 3],
    /// Where to begin; the first whose switches all exist is used.
    pub seeds: Vec<Seed>,
    /// Most parallel cables between two switches, and most hosts of a switch with its port 0.
    pub max_ports: u32,
    /// Line of that number; none for OpenSM's default, 16.
    pub max_ports_line: Option<usize>,
    /// Most changes that OpenSM reports in its log; no table depends on it.
    pub max_changes: u32,
    /// Ports of a switch in the order in which their hosts are served; others follow by number.
    pub port_order: Vec<u8>,
    /// Line of that order.
    pub port_order_line: usize,
}

/// Length of a torus in one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimension {
    /// Switches.
    pub radix: u32,
    /// Whether the last is cabled to the first.
    pub closed: bool,
}

/// A switch and its neighbours, which fix the directions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seed {
    /// By dimension, the links by which the coordinate grows and shrinks.
    pub links: [[Option<SeedLink>; 2]; 3],
    /// By dimension, the coordinate 0 relative to the switch.
    pub datelines: [i32; 3],
}

/// A link from the seed's switch to a neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeedLink {
    /// Its line, from 1.
    pub line: usize,
    /// Node GUID of the seed's switch.
    pub from: Guid,
    /// Node GUID of the neighbour.
    pub to: Guid,
}

impl Seed {
    /// The given links, dimension by dimension, the growing one first: the dimension, whether the
    /// coordinate grows, and the link.
    pub fn given(&self) -> impl Iterator<Item = (usize, bool, SeedLink)> + '_ {
        let all =
            self.links.iter().enumerate().flat_map(|(d, pair)| [(d, true, pair[0]), (d, false, pair[1])]);
        all.filter_map(|(d, grows, link)| Some((d, grows, link?)))
    }
}

/// Reads a configuration.
///
/// # Errors
/// When a line is not understood, sizes or seeds are missing, or they contradict each other.
pub fn read(bytes: &[u8]) -> Result<TorusConf, ReadError> {
    let text = decode(bytes, &mut Notes::default())?;
    let mut sizes = None;
    let mut seeds = vec![SeedDraft::default()];
    let (mut max_ports, mut max_ports_line, mut max_changes) = (MAX_PORTS, None, MAX_CHANGES);
    let (mut port_order, mut port_order_line) = (Vec::new(), 0);
    for (line, raw) in lines(&text) {
        let mut words = raw.split_ascii_whitespace();
        let Some(keyword) = words.next().filter(|word| !word.starts_with('#')) else { continue };
        let bad = |reason: String| ReadError::at(line, reason, raw);
        let words: Vec<&str> = words.collect();
        match keyword {
            "torus" | "mesh" => {
                if sizes.is_some() {
                    return Err(bad("the sizes are given twice".into()));
                }
                sizes = Some((line, dimensions(keyword == "torus", &words).map_err(bad)?));
            }
            "next_seed" => seeds.push(SeedDraft::default()),
            "portgroup_max_ports" => {
                max_ports = one(keyword, &words, 1).map_err(bad)?;
                max_ports_line = Some(line);
            }
            "max_changes" => max_changes = one(keyword, &words, 0).map_err(bad)?,
            "port_order" => {
                port_order = ports(&words).map_err(bad)?;
                port_order_line = line;
            }
            _ => {
                let Some(seed) = seeds.last_mut() else { continue };
                seed.add(line, keyword, &words).map_err(bad)?;
            }
        }
    }
    let (line, dimensions) =
        sizes.ok_or_else(|| ReadError::whole("no line \"torus X Y Z\" or \"mesh X Y Z\" with the sizes"))?;
    let seeds = seeds.into_iter().map(|seed| seed.finish(line, &dimensions)).collect::<Result<_, _>>()?;
    Ok(TorusConf {
        line,
        dimensions,
        seeds,
        max_ports,
        max_ports_line,
        max_changes,
        port_order,
        port_order_line,
    })
}

/// A configuration as OpenSM reads it.
pub fn write(conf: &TorusConf) -> String {
    let mut out = String::from("torus");
    // Writing to a string does not fail.
    for dimension in &conf.dimensions {
        let _ = write!(out, " {}{}", dimension.radix, if dimension.closed { "" } else { "M" });
    }
    out.push('\n');
    for (i, seed) in conf.seeds.iter().enumerate() {
        if i > 0 {
            out.push_str("\nnext_seed\n");
        }
        for (d, grows, link) in seed.given() {
            let sign = if grows { 'p' } else { 'm' };
            let _ = writeln!(out, "{}{sign}_link {} {}", axis(d), link.from, link.to);
        }
        for (d, &dateline) in seed.datelines.iter().enumerate().filter(|(_, at)| **at != 0) {
            let _ = writeln!(out, "{}_dateline {dateline}", axis(d));
        }
    }
    if conf.max_ports != MAX_PORTS {
        let _ = writeln!(out, "portgroup_max_ports {}", conf.max_ports);
    }
    if conf.max_changes != MAX_CHANGES {
        let _ = writeln!(out, "max_changes {}", conf.max_changes);
    }
    if !conf.port_order.is_empty() {
        let numbers: Vec<String> = conf.port_order.iter().map(u8::to_string).collect();
        let _ = writeln!(out, "port_order {}", numbers.join(" "));
    }
    out
}

/// The letter of a dimension.
pub fn axis(dimension: usize) -> char {
    ['x', 'y', 'z'].get(dimension).copied().unwrap_or('?')
}

fn dimensions(closed: bool, words: &[&str]) -> Result<[Dimension; 3], String> {
    let [x, y, z, ..] = words else { return Err("three sizes follow; one of a plane is 1".into()) };
    let size = |word: &&str| {
        let digits = word.trim_end_matches(['t', 'T', 'm', 'M']);
        let closed = match &word[digits.len()..] {
            "" => Some(closed),
            "t" | "T" => Some(true),
            "m" | "M" => Some(false),
            _ => None,
        };
        let radix = decimal(digits).filter(|&n| n > 0);
        let both = radix.zip(closed).ok_or_else(|| {
            format!("\"{word}\" is not a size: a number from 1, and t for closed or m for open after it")
        });
        both.map(|(radix, closed)| Dimension { radix, closed })
    };
    let all = [size(x)?, size(y)?, size(z)?];
    let switches = all.iter().map(|d| u64::from(d.radix)).fold(1, u64::saturating_mul);
    if switches > MAX_SWITCHES {
        return Err(format!(
            "a torus of {switches} switches: InfiniBand has LIDs for fewer than {MAX_SWITCHES}"
        ));
    }
    Ok(all)
}

/// The one number of a line.
fn one(keyword: &str, words: &[&str], least: u32) -> Result<u32, String> {
    let number = words.first().and_then(|word| decimal(word)).filter(|&n| n >= least);
    number.ok_or_else(|| format!("{keyword} is a number from {least}"))
}

/// Port numbers up to a comment, each once.
fn ports(words: &[&str]) -> Result<Vec<u8>, String> {
    let mut all = Vec::new();
    for word in words.iter().take_while(|word| !word.starts_with('#')) {
        let port = decimal(word).and_then(|n| u8::try_from(n).ok()).filter(|n| (1..=254).contains(n));
        let port = port.ok_or_else(|| format!("\"{word}\" is not a port: a number from 1 to 254"))?;
        if !all.contains(&port) {
            all.push(port);
        }
    }
    if all.is_empty() { Err("no port follows".into()) } else { Ok(all) }
}

/// A seed while its lines are read.
#[derive(Default)]
struct SeedDraft {
    seed: Seed,
    /// By dimension, the line of its dateline and the text.
    dateline_lines: [usize; 3],
}

impl SeedDraft {
    fn add(&mut self, line: usize, keyword: &str, words: &[&str]) -> Result<(), String> {
        let unknown = || format!("\"{keyword}\" is no keyword of a torus configuration");
        let d = ['x', 'y', 'z'].iter().position(|&a| keyword.starts_with(a)).ok_or_else(unknown)?;
        match &keyword[1..] {
            "p_link" | "m_link" => {
                let [from, to, ..] = words else { return Err("the GUIDs of two switches follow".into()) };
                let link = SeedLink { line, from: c_guid(from)?, to: c_guid(to)? };
                let slot = &mut self.seed.links[d][usize::from(keyword.as_bytes()[1] == b'm')];
                match slot {
                    Some(old) if (old.from, old.to) != (link.from, link.to) => Err(format!(
                        "{keyword} has other switches on line {}: OpenSM would take the last",
                        old.line
                    )),
                    _ => {
                        *slot = Some(link);
                        Ok(())
                    }
                }
            }
            "_dateline" => {
                let at = words.first().and_then(|word| word.parse().ok());
                self.seed.datelines[d] = at.ok_or("the position is a whole number")?;
                self.dateline_lines[d] = line;
                Ok(())
            }
            _ => Err(unknown()),
        }
    }

    /// Checks the seed against the sizes, which have their own line.
    fn finish(self, sizes: usize, dimensions: &[Dimension; 3]) -> Result<Seed, ReadError> {
        let given: Vec<_> = self.seed.given().collect();
        let active = |d: usize| dimensions[d].radix > 1;
        let first = given.iter().find(|(d, ..)| active(*d)).map(|&(_, _, link)| link);
        let at = first.map_or(sizes, |link| link.line);
        for (d, dimension) in dimensions.iter().enumerate().filter(|(d, _)| active(*d)) {
            let [plus, minus] = self.seed.links[d];
            let a = axis(d);
            let lacking = |what: &str| Err(ReadError::at(at, format!("the seed {what}"), ""));
            match (plus, minus) {
                (None, None) => return lacking(&format!("has neither {a}p_link nor {a}m_link")),
                (None, _) | (_, None) if dimension.radix == 4 && dimension.closed => {
                    return lacking(&format!(
                        "needs {a}p_link and {a}m_link, since {a} is closed and 4 long"
                    ));
                }
                _ => {}
            }
            let range = 1 - i64::from(dimension.radix)..i64::from(dimension.radix);
            let dateline = self.seed.datelines[d];
            if !range.contains(&i64::from(dateline)) {
                let reason = format!("{a}_dateline is from {} to {}", range.start, range.end - 1);
                return Err(ReadError::at(self.dateline_lines[d], reason, &dateline.to_string()));
            }
        }
        let other = given.iter().find(|(d, _, link)| active(*d) && Some(link.from) != first.map(|f| f.from));
        if let (Some(&(.., link)), Some(first)) = (other, first) {
            let reason =
                format!("the links of a seed begin at one switch, and this one's first at {}", first.from);
            return Err(ReadError::at(link.line, reason, &link.from.to_string()));
        }
        Ok(self.seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "\
# two seeds
torus 6 5m 1 and so on

xp_link 0x10 0x11 # grows
 ym_link 0x10 0x15\r
x_dateline -2
next_seed
x_dateline 5
xm_link 0x20 0x21
yp_link 0x20 0x22
portgroup_max_ports 20
max_changes 7
port_order 7 10 7 8 # and the rest
";

    #[test]
    fn a_file_is_read_as_its_manual_describes_it() {
        let conf = read(FILE.as_bytes()).unwrap();
        let sizes = conf.dimensions.map(|d| (d.radix, d.closed));
        assert_eq!((conf.line, sizes), (2, [(6, true), (5, false), (1, true)]));
        let links = |i: usize| -> Vec<_> {
            conf.seeds[i].given().map(|(d, grows, l)| (l.line, axis(d), grows, l.from.0, l.to.0)).collect()
        };
        assert_eq!(links(0), [(4, 'x', true, 0x10, 0x11), (5, 'y', false, 0x10, 0x15)]);
        assert_eq!(links(1), [(9, 'x', false, 0x20, 0x21), (10, 'y', true, 0x20, 0x22)]);
        assert_eq!((conf.seeds[0].datelines, conf.seeds[1].datelines), ([-2, 0, 0], [5, 0, 0]));
        assert_eq!((conf.max_ports, conf.max_changes, conf.port_order), (20, 7, vec![7, 10, 8]));
    }

    #[test]
    fn what_is_written_reads_as_it_was() {
        let once = write(&read(FILE.as_bytes()).unwrap());
        assert_eq!(write(&read(once.as_bytes()).unwrap()), once);
        assert!(once.starts_with("torus 6 5M 1\nxp_link 0x"), "{once}");
        let mixed =
            |text: &str| read(format!("{text}\nxp_link 1 2\n").replace(" 1 2", " 0x1 0x2").as_bytes());
        // "mesh 3T 4 5" and "torus 3 4M 5M" are the same, says the manual.
        assert_eq!(mixed("mesh 3T 1 1").unwrap().dimensions, mixed("torus 3 1M 1M").unwrap().dimensions);
    }

    #[test]
    fn a_file_that_says_nothing_clear_is_refused_with_its_line() {
        let seed = "xp_link 0x1 0x2\nyp_link 0x1 0x3\n";
        for (text, line, reason) in [
            (String::new(), None, "no line \"torus X Y Z\""),
            (seed.into(), None, "no line \"torus X Y Z\""),
            (format!("torus 5 6\n{seed}"), Some(1), "three sizes follow"),
            (format!("torus 5x6x1\n{seed}"), Some(1), "three sizes follow"),
            (format!("torus 5 six 1\n{seed}"), Some(1), "\"six\" is not a size"),
            (format!("torus 5q 6 1\n{seed}"), Some(1), "\"5q\" is not a size"),
            (format!("torus 5tt 6 1\n{seed}"), Some(1), "\"5tt\" is not a size"),
            (format!("torus 5 0 1\n{seed}"), Some(1), "\"0\" is not a size"),
            (format!("torus 500 500 500\n{seed}"), Some(1), "a torus of 125000000 switches"),
            (format!("torus 5 6 1\ntorus 5 6 1\n{seed}"), Some(2), "given twice"),
            (format!("TORUS 5 6 1\n{seed}"), Some(1), "no keyword"),
            (format!("torus 5 6 1\n{seed}zp_lnk 0x1 0x2\n"), Some(4), "no keyword"),
            ("torus 5 6 1\nxp_link 0x1\n".into(), Some(2), "two switches follow"),
            ("torus 5 6 1\nxp_link 0x1 2c9\n".into(), Some(2), "write 0x2c9"),
            ("torus 5 6 1\nxp_link 0x1 0x2\n".into(), Some(2), "neither yp_link nor ym_link"),
            ("torus 5 6 1\n".into(), Some(1), "neither xp_link nor xm_link"),
            (format!("torus 5 4 1\n{seed}"), Some(2), "y is closed and 4 long"),
            ("torus 5 6 1\nxp_link 0x1 0x2\nyp_link 0x2 0x3\n".into(), Some(3), "begin at one switch"),
            (format!("torus 5 6 1\n{seed}xp_link 0x1 0x9\n"), Some(4), "other switches on line 2"),
            (format!("torus 5 6 1\n{seed}y_dateline 6\n"), Some(4), "y_dateline is from -5 to 5"),
            (format!("torus 5 6 1\n{seed}y_dateline there\n"), Some(4), "a whole number"),
            (format!("torus 5 6 1\n{seed}next_seed\nxp_link 0x7 0x8\n"), Some(5), "neither yp_link"),
            (format!("torus 5 6 1\n{seed}portgroup_max_ports 0\n"), Some(4), "a number from 1"),
            (format!("torus 5 6 1\n{seed}max_changes many\n"), Some(4), "a number from 0"),
            (format!("torus 5 6 1\n{seed}port_order 1 x\n"), Some(4), "\"x\" is not a port"),
            (format!("torus 5 6 1\n{seed}port_order 1 300\n"), Some(4), "\"300\" is not a port"),
            (format!("torus 5 6 1\n{seed}port_order\n"), Some(4), "no port follows"),
        ] {
            let error = read(text.as_bytes()).expect_err(&text);
            assert_eq!(error.line, line, "{text}");
            assert!(error.reason.contains(reason), "{text}: {error}");
        }
        // An open dimension of 4 needs one link only.
        assert!(read(format!("torus 5 4m 1\n{seed}").as_bytes()).is_ok());
    }
}
