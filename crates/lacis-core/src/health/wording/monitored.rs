//! Facts about what a monitor of ports watches, in words: heat, and packets that are dropped.

use super::super::facts::{DroppedPackets, DroppingEnd, HotCables};
use super::cables::named_all;
use super::words::Words;

pub(super) fn cables_hot(fact: &HotCables) -> Words {
    let HotCables { links, limit } = fact;
    let hottest = links.iter().flat_map(|link| link.temperatures).flatten().max().unwrap_or_default();
    let text = match &links[..] {
        [_] => format!("{hottest} °C, more than {limit} °C"),
        links => format!("{} cables of more than {limit} °C, the hottest {hottest} °C", links.len()),
    };
    Words::new(
        named_all(links.iter().map(|link| &link.cable)),
        text,
        "Look at the fans and the air flow of the switches first, then at the cable's ends: a module that stays hot among \
         cool ones is to be replaced.",
    )
}

pub(super) fn packets_dropped(fact: &DroppedPackets) -> Words {
    let DroppedPackets { links, tolerated } = fact;
    let ends = || links.iter().flat_map(|link| &link.ends);
    let text = match &links[..] {
        [link] => {
            let each: Vec<String> = link.ends.iter().map(dropped).collect();
            format!("{} (more than a share of {tolerated:e})", each.join("; "))
        }
        links => format!("{} links whose ports drop more than a share of {tolerated:e}", links.len()),
    };
    let advice = if ends().any(|end| end.errors > 0) {
        "Clear the counters and read them again after some hours of traffic: where errors grow, reseat or replace the \
         cable. Packets marked bad were broken by another link, on their way to this port."
    } else {
        "Look for the link that broke them: a port on their way that counts RcvErrors or SymbolErrors."
    };
    Words::new(named_all(links.iter().map(|link| &link.cable)), text, advice)
}

/// `n2 HCA-1[1] dropped 7 of 1000 packets, 3 of them marked bad by others`.
fn dropped(end: &DroppingEnd) -> String {
    let DroppingEnd { port, errors, marked, received } = end;
    let of_others = match (errors, marked) {
        (_, 0) => String::new(),
        (0, _) => ", all of them marked bad by others".to_owned(),
        (_, marked) => format!(", {marked} of them marked bad by others"),
    };
    format!("{port} dropped {} of {received} packets{of_others}", errors.saturating_add(*marked))
}
