//! `ibnetdiscover` output and the net files of ibsim, which are one format:
//!
//! ```text
//! vendid=0x2c9
//! devid=0xd2f2
//! sysimgguid=0x2c5eab0300b87b40
//! switchguid=0x2c5eab0300b87b40(2c5eab0300b87b40)
//! Switch  65 "S-2c5eab0300b87b40"     # "leaf 4" enhanced port 0 lid 73 lmc 0
//! [1]     "H-e09d7303007a4bd8"[1](e09d7303007a4bd8)   # "node1 mlx5_5" lid 647 4xNDR
//!
//! caguid=0xe09d7303007a4bd8
//! Ca      1 "H-e09d7303007a4bd8"      # "node1 mlx5_5"
//! [1](e09d7303007a4bd8)   "S-2c5eab0300b87b40"[1]     # lid 647 lmc 0 "leaf 4" lid 73 4xNDR
//! ```
//!
//! With `-g`, `Chassis N` headings group the blocks, `# Chassis N` follows `sysimgguid=`, the
//! position (`ISR9288 Spine 3 Chip 1`) follows `switchguid=`, and `[ext N]` the port numbers. A net
//! file may leave out everything but the node lines and `[1] "Switch2"[3]`.
//!
//! The grammar was read from the manual page `ibnetdiscover(8)`, from output of infiniband-diags 44
//! and of OFED releases back to 2007, and from the README and examples of ibsim 0.10. ibsim numbers
//! nodes without a GUID line itself; so does this reader, in the same order.

mod block;
mod build;
mod dump;
mod line;
mod write;

pub use block::{Kind, NodeBlock, PortLine};
pub use dump::NetDump;
pub use write::{WriteOptions, write, write_with};

use super::note::Notes;
use super::text;
use super::{Loaded, ReadError};

/// Whether a line is one of a node, or of those before it.
pub(super) fn is_line(s: &str) -> bool {
    const BEFORE: [&str; 6] = ["vendid=", "devid=", "sysimgguid=", "switchguid=", "caguid=", "rtguid="];
    let opens = || {
        line::node_word(s).is_some_and(|(_, rest)| {
            rest.trim_start().starts_with(|c: char| c.is_ascii_digit()) && rest.contains('"')
        })
    };
    BEFORE.iter().any(|word| s.starts_with(word)) || opens()
}

/// Reads a fabric.
///
/// # Errors
/// When a line breaks the grammar, a cable contradicts another, or a peer is missing.
pub fn read(bytes: &[u8]) -> Result<Loaded, ReadError> {
    let mut notes = Notes::default();
    text::refuse_empty(bytes)?;
    let bytes = text::plain(bytes, &mut notes);
    let text = text::decode(&bytes, &mut notes)?;
    let dump = NetDump::parse(&text, &mut notes).map_err(|error| text::cut_short(&text, error))?;
    let fabric = build::build(&dump, &mut notes)?;
    Ok(Loaded { fabric, notes: notes.finish() })
}

/// When `ibnetdiscover` made a dump, from its header: `Wed Aug  6 16:11:23 2025`, in the time of that
/// machine. None if another tool wrote the file, or the header is lost.
pub fn time_of(bytes: &[u8]) -> Option<String> {
    const HEADER: &str = "# Topology file: generated on ";
    let bytes = text::plain(bytes, &mut Notes::default());
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]);
    let mut comments =
        head.lines().map(str::trim).take_while(|line| line.is_empty() || line.starts_with('#'));
    let when = comments.find_map(|line| line.strip_prefix(HEADER))?.trim();
    (!when.is_empty()).then(|| when.chars().filter(|c| !c.is_control()).take(40).collect())
}

#[cfg(test)]
mod tests;
