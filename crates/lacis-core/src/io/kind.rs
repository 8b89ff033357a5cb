//! What a file is, by its content: the first line that only one format has decides.
//!
//! Tools print more before they come to the point: comments, the paths of a discovery, warnings. Lines that no format
//! claims are passed over, however many they are.

use super::assembly::Place;
use super::note::Notes;
use super::text::{Cursor, cut_short, guid, lines, plain};
use super::{ReadError, cabling, ibdiagnet, json, links, net, omnipath, plan, subnet_list, xml};
use crate::sm::OPTIONS;

macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal, $what:literal, $instead:literal;)*) => {
        /// A format, recognised by content.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum FileKind {
            $($(#[doc = $doc])+ $variant,)*
        }

        impl FileKind {
            /// Every format.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The stable name: `subnet_list`.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What it is, in words: "forwarding tables of OpenSM or of infiniband-diags".
            pub fn describe(self) -> &'static str {
                match self { $(Self::$variant => $what,)* }
            }

            /// What to do where a fabric is asked for; empty where it is one.
            pub fn instead(self) -> &'static str {
                match self { $(Self::$variant => $instead,)* }
            }
        }
    };
}

kinds! {
    /// Lacis' own fabric file.
    FabricFile "fabric_file", "a fabric file of Lacis", "";
    /// A snapshot of `opareport`.
    Snapshot "snapshot", "a snapshot of opareport", "";
    /// `opensm-subnet.lst`, `ibdiagnet.lst`.
    SubnetList "subnet_list", "a subnet list of OpenSM or ibdiagnet", "";
    /// `ibdiagnet2.db_csv`.
    DbCsv "db_csv", "the db_csv of ibdiagnet", "";
    /// `ibdiagnet2.net_dump`.
    NetDump "net_dump", "the net_dump of ibdiagnet", "";
    /// UFM's CSV of ports.
    Cabling "cabling", "a CSV of ports as UFM exports it", "";
    /// Lists of links and nodes.
    Links "links", "a list of links or nodes", "";
    /// `ibnetdiscover` output, net files.
    Net "net", "a dump of ibnetdiscover or a net file of ibsim", "";
    /// `ibdiagnet2.net_dump_ext`.
    NetDumpExt "net_dump_ext", "the net_dump_ext of ibdiagnet: error rates, no cables", "give its db_csv or net_dump, and this file to `counters`";
    /// `opensm-lfts.dump`, `dump_lfts`, `ibroute`.
    Tables "tables", "a dump of forwarding tables", "give the fabric, and this file to `lfts`";
    /// `.fdbs`.
    Routes "routes", "a list of the routes of switches (.fdbs)", "give the fabric, and this file to `lfts`";
    /// `.mcfdbs`.
    MulticastRoutes "multicast_routes", "a list of multicast routes (.mcfdbs)", "give the fabric: ibnetdiscover, opensm-subnet.lst, db_csv";
    /// `opensm-lid-matrix.dump`.
    HopMatrix "hop_matrix", "a dump of hop matrices", "give the fabric, and this file to `lid_matrix_file`";
    /// `guid2lid`.
    LidCache "lid_cache", "OpenSM's cache of LIDs (guid2lid)", "give the fabric, and this file to `guid2lid_cache`";
    /// OpenSM's `neighbors`.
    Neighbors "neighbors", "OpenSM's cache of neighbours, which has no switch's size and no names", "give opensm-subnet.lst of the same manager";
    /// `opensm.conf`.
    OpensmConf "opensm_conf", "a configuration of OpenSM", "give the fabric, and this file to `opensm_conf`";
    /// `ibqueryerrors`.
    QueryErrors "query_errors", "counters that ibqueryerrors printed", "give the fabric, and this file to `counters`";
    /// `perfquery`.
    Perfquery "perfquery", "counters of single ports that perfquery printed", "give a db_csv of ibdiagnet or the output of ibqueryerrors for counters of all ports";
    /// A log of OpenSM or ibdiagnet.
    Log "log", "a log of OpenSM or ibdiagnet", "give what it wrote beside the log: opensm-subnet.lst, or ibdiagnet2.db_csv";
    /// A node-name-map.
    NameMap "name_map", "a node-name-map", "give the fabric, and this file to `node_name_map`";
    /// A cabling plan.
    Plan "plan", "a cabling plan", "give the fabric, and this file to `topology`";
    /// Some other XML.
    Xml "xml", "XML of another kind", "an Omni-Path fabric is a snapshot: `opareport -o snapshot`";
}

/// What bytes seem to be; none where no line tells.
pub fn kind_of(bytes: &[u8]) -> Option<FileKind> {
    seen(bytes).map(|(kind, _, _)| kind)
}

/// The format of bytes with the line that tells, and its text.
fn seen(bytes: &[u8]) -> Option<(FileKind, usize, String)> {
    if omnipath::snapshot::looks_like(bytes) {
        return Some((FileKind::Snapshot, 1, String::new()));
    }
    if xml::looks_like(bytes) {
        let is_plan = matches!(xml::root(bytes).as_deref(), Some("Report" | "Topology"));
        return Some((if is_plan { FileKind::Plan } else { FileKind::Xml }, 1, String::new()));
    }
    if plan::looks_like(bytes) {
        return Some((FileKind::Plan, 1, String::new()));
    }
    let bytes = plain(bytes, &mut Notes::default());
    let is_json = json::looks_like(&bytes);
    let text = String::from_utf8_lossy(&bytes);
    for (line, s) in lines(&text) {
        let s = s.trim();
        if s.is_empty() {
            continue;
        }
        if is_json && !subnet_list::is_line(s) {
            return Some((FileKind::FabricFile, line, String::new()));
        }
        if let Some(kind) = kind_of_line(s) {
            return Some((kind, line, s.to_owned()));
        }
    }
    None
}

fn kind_of_line(s: &str) -> Option<FileKind> {
    let first = s.as_bytes().first()?;
    // Most lines of long heads: the paths of a discovery, comments.
    if s.starts_with("DR path ") {
        return None;
    }
    if ibdiagnet::net_dump::is_line(s) {
        return Some(FileKind::NetDump);
    }
    if *first == b'#' {
        let says = |words: &str| s.contains(words);
        return if says("## Summary:") && says("nodes checked") {
            Some(FileKind::QueryErrors)
        } else if says("ort counters: Lid") || says("ort extended counters: Lid") {
            Some(FileKind::Perfquery)
        } else {
            None
        };
    }
    let starts = |words: &[&str]| words.iter().any(|word| s.starts_with(word));
    if subnet_list::is_line(s) {
        Some(FileKind::SubnetList)
    } else if ibdiagnet::db_csv::is_line(s) {
        Some(FileKind::DbCsv)
    } else if cabling::is_line(s) {
        Some(FileKind::Cabling)
    } else if ibdiagnet::net_dump_ext::is_line(s) {
        Some(FileKind::NetDumpExt)
    } else if starts(&["Unicast lids ["]) {
        Some(FileKind::Tables)
    } else if s.contains("dump_ucast_routes: Switch 0x") {
        Some(FileKind::Routes)
    } else if starts(&["Switch 0x"]) && s.ends_with(|c: char| c.is_ascii_hexdigit()) && s.len() <= 25 {
        Some(FileKind::MulticastRoutes)
    } else if starts(&["Switch: guid 0x"]) {
        Some(FileKind::HopMatrix)
    } else if starts(&["Errors for ", "Data Counters for "]) {
        Some(FileKind::QueryErrors)
    } else if links::is_line(s) {
        Some(FileKind::Links)
    } else if net::is_line(s) {
        Some(FileKind::Net)
    } else if starts(&["-I- ", "-W- ", "-E- "]) || (s.contains(" -> ") && s.contains("] 0x")) {
        Some(FileKind::Log)
    } else if *first == b'0' {
        numbers(s)
    } else {
        is_setting(s).then_some(FileKind::OpensmConf)
    }
}

/// Files whose lines begin with a number.
fn numbers(s: &str) -> Option<FileKind> {
    let mut cursor = Cursor::new(s);
    let first = cursor.word();
    if let Some((node, port)) = first.split_once(':') {
        let is_port = guid(node).is_some() && port.bytes().all(|b| b.is_ascii_digit()) && !port.is_empty();
        return (is_port && cursor.word().contains(':')).then_some(FileKind::Neighbors);
    }
    guid(first.strip_prefix("0x")?)?;
    cursor.blanks();
    if cursor.rest.starts_with('"') {
        return Some(FileKind::NameMap);
    }
    let is_short = |word: &str| word.strip_prefix("0x").is_some_and(|w| w.len() <= 4 && guid(w).is_some());
    let is_cache = is_short(cursor.word()) && is_short(cursor.word()) && cursor.rest.trim().is_empty();
    (first.len() == 18 && is_cache).then_some(FileKind::LidCache)
}

/// Whether a line sets a key of OpenSM's configuration.
fn is_setting(s: &str) -> bool {
    const OTHERS: [&str; 16] = [
        "guid",
        "m_key",
        "m_key_lease_period",
        "sm_key",
        "sa_key",
        "subnet_prefix",
        "sm_priority",
        "sweep_interval",
        "sweep_on_trap",
        "force_log_flush",
        "force_heavy_sweep",
        "dump_files_dir",
        "log_file",
        "log_flags",
        "polling_timeout",
        "event_plugin_name",
    ];
    let mut cursor = Cursor::new(s);
    let key = cursor.word();
    let is_key = OTHERS.contains(&key) || OPTIONS.iter().any(|option| option.key == Some(key));
    (is_key || key == "routing_engine") && !cursor.rest.trim().is_empty()
}

/// The refusal of bytes that are no fabric: what they seem to be, and what to give instead.
pub(super) fn refusal(bytes: &[u8]) -> Option<ReadError> {
    let (kind, line, text) = seen(bytes)?;
    if kind.instead().is_empty() {
        return None;
    }
    let refused =
        Place { line, text: &text }.refuse(format!("{}, not a fabric: {}", kind.describe(), kind.instead()));
    // Half a line may look like one of another kind.
    Some(cut_short(&String::from_utf8_lossy(bytes), refused))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_recognised_by_their_first_telling_line() {
        let cases = [
            ("{\n \"schema\": \"x\"}", FileKind::FabricFile),
            (
                "{ SW Ports:24 SystemGUID:1 NodeGUID:1 PortGUID:1 {M1} LID:0002 PN:01 } { CA",
                FileKind::SubnetList,
            ),
            ("# made by IBDIAG\n\nSTART_NODES\nNodeDesc\n", FileKind::DbCsv),
            ("\"a\", Mellanox, 0x1, LID 2\n # : IB# : Sta : Neighbor Guid : N# : NLID\n", FileKind::NetDump),
            ("Ty : # : #IB : GUID : LID : Sta : Conn LID (#) : FEC mode\n", FileKind::NetDumpExt),
            ("Unicast lids [0-7] of switch Lid 4 guid 0x1 ('l'):\n", FileKind::Tables),
            ("osm_ucast_mgr_dump_ucast_routes: Switch 0x0000000000200002\n", FileKind::Routes),
            ("Switch: guid 0x0000000008f10001\n", FileKind::HopMatrix),
            ("0x00000000000002c9 0x0001 0x0001\n", FileKind::LidCache),
            ("0xec0d9a0300000541:1 0xec0d9a03000004b0:3\n", FileKind::Neighbors),
            ("0x00000000000002c9 \"leaf 1\"\n", FileKind::NameMap),
            ("# Routing\nrouting_engine ftree\n", FileKind::OpensmConf),
            ("\n## Summary: 28 nodes checked, 0 bad nodes found\n", FileKind::QueryErrors),
            ("Errors for 0xec0d9a0300000480 \"M2.1\"\n", FileKind::QueryErrors),
            ("# Port extended counters: Lid 2052 port 1 (CapMask: 0x5300)\n", FileKind::Perfquery),
            ("Nov 26 17:35:47 446217 [A3B2C740] 0x03 -> OpenSM 3.3.23\n", FileKind::Log),
            ("vendid=0x2c9\nSwitch\t4 \"S-1\"\n", FileKind::Net),
            ("Switch4 \"S-1\"\n", FileKind::Net),
            ("System,Port,Peer Node,Peer Port\n", FileKind::Cabling),
            ("#StartDevice,StartPort,EndDevice,EndPort\n", FileKind::Plan),
            ("<Topology></Topology>", FileKind::Plan),
            ("<?xml version=\"1.0\"?><Config></Config>", FileKind::Xml),
        ];
        for (text, kind) in cases {
            assert_eq!(kind_of(text.as_bytes()), Some(kind), "{text}");
        }
        let paths = "DR path slid 0; dlid 0; 0 -> new Switch {1} portnum 0 lid 0-0 \"\"\n".repeat(2000);
        let list = format!("{paths}SW     4 36 0x0000000000000010 4x SDR 'leaf'\n");
        assert_eq!(kind_of(list.as_bytes()), Some(FileKind::Links));
        assert_eq!(kind_of(b"hello\n"), None);
    }

    #[test]
    fn a_refusal_says_what_the_file_is_and_what_to_give() {
        let error = refusal(b"# c\nrouting_engine ftree\n").unwrap();
        assert_eq!(
            error.to_string(),
            "line 2: a configuration of OpenSM, not a fabric: give the fabric, and this file to `opensm_conf`: routing_engine ftree"
        );
        assert_eq!(refusal(b"Switch\t4 \"S-1\"\n"), None);
        let mut names: Vec<_> = FileKind::ALL.iter().map(|kind| kind.name()).collect();
        names.dedup();
        assert_eq!(names.len(), FileKind::ALL.len());
    }
}
