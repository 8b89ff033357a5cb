//! Blocks about adaptive routing.

use super::finding::{SettingFact, SettingFinding};
use crate::io::opafm::number::{Written, written};
use crate::io::opafm::{Opafm, XmlEntry, instance};

/// What the blocks up to here say, with the lines.
#[derive(Clone, Copy, Default)]
struct Said {
    enable: Option<(u64, usize)>,
    algorithm: Option<(u64, usize)>,
    threshold: Option<(u64, usize)>,
    lost_route_only: Option<(u64, usize)>,
}

impl Said {
    /// Takes what an element of a block says; all bits set mark a value that is not given.
    fn take(&mut self, entry: &XmlEntry) {
        let value = match entry.value.as_deref().map(written) {
            Some(Written::Number(n)) => Some((n, entry.line)).filter(|_| n != u64::from(u8::MAX)),
            _ => return,
        };
        match entry.place().1 {
            "Enable" => self.enable = value,
            "Algorithm" => self.algorithm = value,
            "Threshold" => self.threshold = value,
            "LostRouteOnly" => self.lost_route_only = value,
            _ => {}
        }
    }
}

/// Every block is checked at its end, with what those before it and those of `<Common>` say.
pub(super) fn blocks(file: &Opafm, out: &mut Vec<SettingFinding>) {
    let mut common = Said::default();
    let tops = std::iter::once("Common".to_owned()).chain((0..file.instances()).map(instance));
    for top in tops {
        let mut said = common;
        let block_of = format!("{top}/Sm/AdaptiveRouting");
        for (at, block) in file.entries.iter().enumerate().filter(|(_, e)| e.setting == block_of) {
            let inside = format!("{}/", block.path);
            let own = file.entries[at + 1..].iter().take_while(|e| e.path.starts_with(&inside));
            own.for_each(|entry| said.take(entry));
            check(block, said, out);
        }
        if top == "Common" {
            common = said;
        }
    }
}

fn check(block: &XmlEntry, said: Said, out: &mut Vec<SettingFinding>) {
    let mut found = |line: usize, fact| {
        // What an earlier block says is wrong in this one, too: the line of the block then.
        let line = line.max(block.line);
        out.push(SettingFinding { line: Some(line), path: block.path.clone(), fact });
    };
    let is_on = said.enable.is_some_and(|(value, _)| value > 0);
    match said.algorithm {
        None => found(block.line, SettingFact::AlgorithmMissing),
        Some((value @ 3.., line)) => found(line, SettingFact::AlgorithmUnknown { value }),
        Some(_) => {}
    }
    let lost_alone = said.lost_route_only.is_some_and(|(value, _)| value > 0);
    match said.threshold {
        Some((value @ 8.., line)) => found(line, SettingFact::ThresholdOutOfRange { value, enabled: is_on }),
        Some((value, line)) if is_on && lost_alone && value != 3 && line >= block.line => {
            found(line, SettingFact::ThresholdIdle);
        }
        _ => {}
    }
}
