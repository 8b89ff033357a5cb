//! Dumps and lists as they arrive: lines lost, doubled or cut, bytes exchanged, two dumps in one file, line ends
//! and tabs changed on the way. None makes a reader panic; each is a refusal with a line and its text, or a fabric
//! with counted notes.

#![allow(clippy::unwrap_used)] // a test fails by panicking

use std::fmt::Write as _;
use std::sync::LazyLock;

use lacis_core::fabric::{Fabric, NodeKind, PortId};
use lacis_core::generate::{generate, shuffle_guids};
use lacis_core::io::{
    self, Loaded, NoteKind, ReadError, guid_list, guid2lid, json, lft, lid_matrix, name_map, opensm_conf,
    port_list, roles, slurm, torus_conf,
};
use lacis_core::routing::{Options, route};
use lacis_core::sm::Engine;
use lacis_core::sm::lids::{LidOptions, Lids};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

/// A tree.
static FABRIC: LazyLock<Fabric> = LazyLock::new(|| generate("fat-tree:4,2").unwrap());

/// Texts that describe [`FABRIC`]: a dump, `ibnetdiscover -p`, `iblinkinfo` with `--line` and plain.
static FABRICS: LazyLock<[String; 4]> =
    LazyLock::new(|| [io::net::write(&FABRIC), pairs(&FABRIC), links(&FABRIC, true), links(&FABRIC, false)]);

/// What reads each other format: only whether it does, and the refusal.
type Reader = fn(&[u8]) -> Result<(), ReadError>;

/// Texts of every other format, with their readers.
static OTHERS: LazyLock<Vec<(String, Reader)>> = LazyLock::new(|| {
    let fabric = &*FABRIC;
    let lids = lids(fabric);
    let cache = guid2lid::write(&guid2lid::entries(fabric, &lids).unwrap());
    let guids = guid_list::write(&guid_list::read(guid_lines(fabric, "").as_bytes()).unwrap());
    let options = Options::default();
    let routes = route(fabric, lids, &[Engine::MinHop], &options).unwrap();
    let tables = lft::write(fabric, &routes).unwrap();
    let names = name_map::write(&name_map::NameMap::of(
        fabric.nodes().map(|(_, node)| (node.guid, format!("the {}", node.description))),
    ));
    vec![
        (cache, |text| guid2lid::read(text).map(drop)),
        (guids, |text| guid_list::read(text).map(drop)),
        (guid_lines(fabric, ""), |text| guid_list::plain(text).map(drop)),
        (guid_lines(fabric, " 7"), |text| port_list::ids(text, port_list::Mistakes::Refused).map(drop)),
        (guid_lines(fabric, " 1"), |text| port_list::ignored(text).map(drop)),
        (guid_lines(fabric, " 1 2"), |text| port_list::weights(text, port_list::Mistakes::Refused).map(drop)),
        (guid_lines(fabric, " 1 2"), |text| {
            port_list::search_order(text, port_list::Mistakes::Refused).map(drop)
        }),
        (tables.clone(), |text| lft::read(text, &FABRIC).map(drop)),
        (tables, |text| lft::read_given(text).map(drop)),
        (MATRICES.into(), |text| lid_matrix::read(text).map(drop)),
        (names, |text| name_map::read(text).map(drop)),
        (json::write(fabric), |text| json::read(text).map(drop)),
        ("routing_engine ftree,updn\nlmc 2\ncn_guid_file \"/x y\"\nmax_op_vls 5\n".into(), |text| {
            opensm_conf::read(text).map(drop)
        }),
        ("leaf leaf-0?\n# why\nroot spine-*\nstorage node0001 # rack 3\n".into(), |text| {
            roles::read(text).map(drop)
        }),
        (
            "SwitchName=a Nodes=n[03-14,7]\nSwitchName=b Nodes=x1\nSwitchName=s Switches=a,b\n".into(),
            |text| slurm::topology(text).map(drop),
        ),
        ("n[001-003,010]\nlogin r[1-2]n[1-2]-ib # c\n".into(), |text| slurm::node_list(text).map(drop)),
        (
            "torus 4 3M 1\nxp_link 0x1 0x2\nxm_link 0x1 0x6\nyp_link 0x1 0x3\nx_dateline -2\nnext_seed\n\
             xp_link 0x4 0x5\nxm_link 0x4 0x7\nyp_link 0x4 0x8\nportgroup_max_ports 20\nport_order 7 10 8\n"
                .into(),
            |text| torus_conf::read(text).map(drop),
        ),
    ]
});

/// The LIDs that a manager would give.
fn lids(fabric: &Fabric) -> Lids {
    Lids::assign(fabric, Lids::default_sm(fabric).unwrap(), &LidOptions::fresh()).unwrap()
}

/// A line for the GUID of each switch.
fn guid_lines(fabric: &Fabric, rest: &str) -> String {
    let lines: Vec<String> = fabric.switches().map(|s| format!("{}{rest}\n", fabric.node(s).guid)).collect();
    lines.concat()
}

/// Matrices as OpenSM writes them: hops of each port to each LID, the port's GUID behind them.
const MATRICES: &str = "Switch: guid 0x0000000008f10001\n0x0004: 00 02 ff # portguid 0x0000000008f10001\n\
                        0x0007: 01 01 ff\nSwitch: guid 0x0000000008f10002\n0x0004: 01 01 # portguid 0x0000000008f10001\n";

/// The two ends of each cabled port, the near one first.
fn ends(fabric: &Fabric) -> impl Iterator<Item = [PortId; 2]> + '_ {
    fabric.cables().flat_map(|(a, b)| [[a, b], [b, a]])
}

/// LID, port and GUID as a list of links has them.
fn as_listed<'f>(fabric: &'f Fabric, lids: &Lids, port: PortId) -> (u32, u8, String, &'f str) {
    let node = fabric.node_of(port);
    let is_switch = fabric.is_switch(node);
    let lid = if is_switch { lids.of_switch(fabric, node) } else { lids.base(port) };
    let guid = if is_switch { fabric.node(node).guid } else { fabric.port_info(port).guid };
    (lid, fabric.number_of(port), guid.to_string(), &fabric.node(node).description)
}

/// `ibnetdiscover -p`.
fn pairs(fabric: &Fabric) -> String {
    let lids = lids(fabric);
    let kind = |port| if fabric.node(fabric.node_of(port)).kind == NodeKind::Switch { "SW" } else { "CA" };
    ends(fabric).fold(String::new(), |mut out, [a, b]| {
        let (one, other) = (as_listed(fabric, &lids, a), as_listed(fabric, &lids, b));
        let _ = writeln!(
            out,
            "{} {:5} {:2} {} 4x EDR - {} {:5} {:2} {} ( '{}' - '{}' )",
            kind(a),
            one.0,
            one.1,
            one.2,
            kind(b),
            other.0,
            other.1,
            other.2,
            one.3,
            other.3
        );
        out
    })
}

/// `iblinkinfo`, with `--line` or plain.
fn links(fabric: &Fabric, line: bool) -> String {
    let lids = lids(fabric);
    let mut out = String::new();
    for (id, node) in fabric.nodes() {
        let cabled: Vec<_> = ends(fabric).filter(|&[a, _]| fabric.node_of(a) == id).collect();
        if !line {
            let _ = match node.kind {
                NodeKind::Switch => writeln!(out, "Switch: {} {}:", node.guid, node.description),
                _ => writeln!(out, "CA: {}:", node.description),
            };
        }
        for [a, b] in cabled {
            let ((lid, port, guid, name), far) = (as_listed(fabric, &lids, a), as_listed(fabric, &lids, b));
            let near = match (line, fabric.is_switch(id)) {
                (true, _) => format!("{guid} \"{name:>12}\" {lid:5} {port:4}[  ]"),
                (false, true) => format!("   {lid:5} {port:4}[  ]"),
                (false, false) => format!("  {guid} {lid:5} {port:4}[  ]"),
            };
            let other = if line { format!("{} ", far.2) } else { String::new() };
            let _ = writeln!(
                out,
                "{near} ==( 4X      25.78125 Gbps Active/  LinkUp)==>  {other}{:5} {:4}[  ] \"{}\" ( )",
                far.0, far.1, far.3
            );
        }
    }
    out
}

/// Damage to a text.
#[derive(Clone, Debug)]
enum Damage {
    /// Lines from one to another are gone.
    Lost(Index, Index),
    /// A line comes twice.
    Doubled(Index),
    /// A line ends early.
    Cut(Index, Index),
    /// Two lines are exchanged.
    Exchanged(Index, Index),
    /// A line is moved to the end.
    Moved(Index),
    /// Two bytes are exchanged.
    Swapped(Index, Index),
    /// A byte is another.
    Overwritten(Index, u8),
    /// The file ends here.
    Ended(Index),
    /// A piece of the text follows the text.
    Glued(Index),
    /// Each line ends in CR LF.
    Dos,
    /// Tabs are gone, or blanks.
    Tabs(&'static str),
}

fn damage() -> impl Strategy<Value = Damage> {
    use Damage::{Cut, Dos, Doubled, Ended, Exchanged, Glued, Lost, Moved, Overwritten, Swapped, Tabs};
    let (one, two) = (any::<Index>(), any::<(Index, Index)>());
    prop_oneof![
        4 => two.clone().prop_map(|(a, b)| Lost(a, b)),
        4 => one.clone().prop_map(Doubled),
        4 => two.clone().prop_map(|(a, b)| Cut(a, b)),
        2 => two.clone().prop_map(|(a, b)| Exchanged(a, b)),
        2 => one.clone().prop_map(Moved),
        4 => two.prop_map(|(a, b)| Swapped(a, b)),
        4 => (one.clone(), any::<u8>()).prop_map(|(a, b)| Overwritten(a, b)),
        2 => one.clone().prop_map(Ended),
        1 => one.prop_map(Glued),
        1 => Just(Dos),
        1 => prop_oneof![Just(Tabs("")), Just(Tabs(" "))],
    ]
}

fn damaged(text: &str, all: &[Damage]) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for one in all {
        let mut lines: Vec<Vec<u8>> = bytes.split_inclusive(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
        if lines.is_empty() {
            break;
        }
        let (count, size) = (lines.len(), bytes.len());
        match one {
            Damage::Lost(from, to) => {
                let from = from.index(count);
                lines.drain(from..count.min(from + 1 + to.index(4)));
            }
            Damage::Doubled(at) => lines.insert(at.index(count), lines[at.index(count)].clone()),
            Damage::Cut(at, end) => {
                let line = &mut lines[at.index(count)];
                line.truncate(end.index(line.len()));
                line.push(b'\n');
            }
            Damage::Exchanged(a, b) => lines.swap(a.index(count), b.index(count)),
            Damage::Moved(at) => {
                let line = lines.remove(at.index(count));
                lines.push(line);
            }
            Damage::Swapped(a, b) => {
                bytes.swap(a.index(size), (a.index(size) + b.index(3)).min(size - 1));
                continue;
            }
            Damage::Overwritten(at, byte) => {
                bytes[at.index(size)] = *byte;
                continue;
            }
            Damage::Ended(at) => {
                bytes.truncate(at.index(size));
                continue;
            }
            Damage::Glued(from) => {
                bytes.extend_from_within(from.index(size)..);
                continue;
            }
            Damage::Dos => lines.iter_mut().for_each(|line| {
                if line.pop_if(|b| *b == b'\n').is_some() {
                    line.extend(b"\r\n");
                }
            }),
            Damage::Tabs(other) => {
                bytes = bytes.split(|&b| b == b'\t').collect::<Vec<_>>().join(other.as_bytes());
                continue;
            }
        }
        bytes = lines.concat();
    }
    bytes
}

/// A refusal names a line of the text, a reason and what stands there, all on one line.
fn is_clear(error: &ReadError, text: &[u8]) -> Result<(), TestCaseError> {
    let said = error.to_string();
    prop_assert!(!error.reason.is_empty() && !said.contains(char::is_control), "{said:?}");
    if text.iter().all(u8::is_ascii_whitespace) {
        return Ok(());
    }
    // A carriage return alone ends a line too.
    let lines = 1 + text.iter().filter(|b| matches!(b, b'\n' | b'\r')).count();
    match error.line {
        Some(line) => prop_assert!((1..=lines).contains(&line), "{said}: {lines} lines"),
        None => prop_assert!(error.text.is_empty(), "{said}: text of no line"),
    }
    Ok(())
}

fn is_counted(loaded: &Loaded) -> Result<(), TestCaseError> {
    for note in &loaded.notes {
        prop_assert!(note.line > 0 && note.count > 0 && !note.to_string().contains(char::is_control));
    }
    let again = io::read(json::write(&loaded.fabric).as_bytes());
    prop_assert_eq!(again.map(|l| l.fabric), Ok(loaded.fabric.clone()));
    Ok(())
}

fn kinds(loaded: &Loaded) -> Vec<NoteKind> {
    loaded.notes.iter().map(|note| note.kind).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_damaged_fabric_is_refused_clearly_or_read_with_notes(
        form in 0..4_usize,
        all in vec(damage(), 1..5),
    ) {
        let text = damaged(&FABRICS[form], &all);
        match io::read(&text) {
            Ok(loaded) => is_counted(&loaded)?,
            Err(error) => {
                is_clear(&error, &text)?;
                prop_assert!(error.line.is_some() || text.iter().all(u8::is_ascii_whitespace), "{error}");
            }
        }
    }

    #[test]
    fn a_damaged_file_of_any_other_format_is_read_or_refused_clearly(
        form in any::<Index>(),
        all in vec(damage(), 1..5),
    ) {
        let (text, read) = &OTHERS[form.index(OTHERS.len())];
        let text = damaged(text, &all);
        if let Err(error) = read(&text) {
            is_clear(&error, &text)?;
        }
    }

    #[test]
    fn a_dump_that_ends_in_the_middle_of_a_line_is_said_to_be_truncated(form in 0..4_usize, at in any::<Index>()) {
        let text = &FABRICS[form];
        // Below the first port line of a dump, which shows that this one has rates.
        let first = text.find("\n[").map_or(1, |port| port + 1 + text[port + 1..].find('\n').unwrap());
        let end = first + at.index(text.len() - first);
        let whole_line = text[end..].starts_with('\n') || text[..end].ends_with('\n');
        if let Err(error) = io::read(&text.as_bytes()[..end]) {
            let last = 1 + text[..end].matches('\n').count();
            if !whole_line && error.line == Some(last) {
                // Half a plain iblinkinfo has no GUID of the far end of a whole-looking line.
                let lacks = error.reason.contains("has no lines of its own");
                prop_assert!(lacks || error.reason.contains("ends in the middle of this line"), "{error}");
            }
            prop_assert!(form > 0 || error.reason.contains("truncated"), "{error}");
        } else {
            // What is left of a dump has every node; a list of links has them all from the other side too.
            prop_assert!(whole_line || form > 0, "{:?}", &text[..end][end.saturating_sub(60)..]);
        }
    }

    #[test]
    fn two_dumps_in_one_file_are_one_fabric_or_refused(form in 0..4_usize, seed in 1..50_u64, other in any::<bool>()) {
        let text = &FABRICS[form];
        let moved = if other { shuffle_guids(&FABRIC, seed) } else { FABRIC.clone() };
        let second = [io::net::write(&moved), pairs(&moved), links(&moved, true), links(&moved, false)];
        match io::read(format!("{text}{}", second[form]).as_bytes()) {
            Ok(loaded) if !other => {
                let once = io::read(text.as_bytes()).unwrap();
                prop_assert_eq!(&loaded.fabric, &once.fabric);
                prop_assert!(kinds(&loaded).contains(&NoteKind::Repeated));
            }
            Ok(loaded) => is_counted(&loaded)?,
            Err(error) => {
                prop_assert!(other, "{error}");
                is_clear(&error, text.as_bytes()).or_else(|_| if error.line.is_some() { Ok(()) } else { Err(TestCaseError::fail("no line")) })?;
            }
        }
    }
}

#[test]
fn line_ends_and_tabs_change_nothing_and_are_counted() {
    for text in &*FABRICS {
        let plain = io::read(text.as_bytes()).unwrap();
        let dos = io::read(&damaged(text, &[Damage::Dos])).unwrap();
        assert_eq!(dos.fabric, plain.fabric);
        assert!(kinds(&dos).contains(&NoteKind::CarriageReturn));
        let lost = io::read(&damaged(text, &[Damage::Tabs("")])).unwrap();
        assert_eq!(lost.fabric, plain.fabric);
        assert_eq!(kinds(&lost).contains(&NoteKind::LostTabs), text.contains('\t'));
        assert_eq!(io::read(&damaged(text, &[Damage::Tabs(" ")])).unwrap().fabric, plain.fabric);
    }
}

#[test]
fn the_texts_are_valid() {
    let cables = |f: &Fabric| f.cables().count();
    for text in &*FABRICS {
        let loaded = io::read(text.as_bytes()).unwrap();
        assert_eq!(
            (loaded.fabric.num_nodes(), cables(&loaded.fabric)),
            (FABRIC.num_nodes(), cables(&FABRIC))
        );
    }
    for (text, read) in &*OTHERS {
        assert_eq!(read(text.as_bytes()), Ok(()), "{text}");
    }
}
