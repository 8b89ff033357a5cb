//! Cabling work, in words: why a cable is to be worked at.

use super::super::facts::{AbsentHost, CrossedAdapter, Fact};
use super::finding::finding;
use super::words::Words;
use super::{cables, groups, hosts};

/// What a fact says to someone at a cable that it is about.
pub(in super::super) fn work(fact: &Fact) -> String {
    let Words { at, text, .. } = finding(fact);
    match fact {
        Fact::UplinksMissing(gaps) | Fact::UplinksFewer(gaps) => cables::how_many(gaps),
        Fact::GroupCablesMissing(gaps) => groups::how_many(gaps),
        Fact::SwitchAbsent(_) => format!("absent: {text}"),
        Fact::Island(_) | Fact::EndNodesUncabled(_) => format!("{at}: {text}"),
        _ => text,
    }
}

/// Why the cable of a crossed adapter is to be moved.
pub(in super::super) fn crossed(host: &str, adapter: &CrossedAdapter) -> String {
    format!("{host}: {}", hosts::crossed(adapter))
}

/// Why the ports of an absent host are to be looked at.
pub(in super::super) fn absent_host(absent: &AbsentHost) -> String {
    let more = match absent.ports.len() {
        0 | 1 => String::new(),
        count => format!(" on {count} leaves"),
    };
    let others: Vec<String> = absent.ports.iter().skip(1).map(ToString::to_string).collect();
    let also = if others.is_empty() { String::new() } else { format!("; also {}", others.join(", ")) };
    format!("no cable where numbering implies {}{more}{also}", absent.host)
}
