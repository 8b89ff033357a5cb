//! What is wrong with an `opafm.xml`: an error is what the manager's own `config_check` refuses, and what it accepts though
//! it stops the manager or turns a number into its opposite; a warning what it accepts silently although it does not do
//! what it says; a notice what has no effect.

mod adaptive;
mod fabrics;
mod finding;
mod limits;
mod names;
mod rules;
mod values;

pub use finding::{NamedThing, Service, SettingFact, SettingFinding};

use crate::io::opafm::number::{Written, written};
use crate::io::opafm::{Opafm, XmlEntry, instance};
use finding::missing;

/// Sections that `<Common>` and each `<Fm>` must have.
const MANDATORY: [&str; 4] = ["Shared", "Sm", "Fe", "Pm"];

/// Everything that is wrong, by line.
pub fn lint(file: &Opafm) -> Vec<SettingFinding> {
    let mut out = Vec::new();
    values::all(file, &mut out);
    names::undefined(file, &mut out);
    rules::all(file, &mut out);
    fabrics::all(file, &mut out);
    limits::all(file, &mut out);
    let is_there = |path: &str| file.entries.iter().any(|e| e.path == path);
    if !is_there("Common") {
        out.push(missing("Common".to_owned(), SettingFact::CommonMissing));
    }
    if file.instances() == 0 {
        out.push(missing("Fm".to_owned(), SettingFact::SectionMissing));
    }
    let tops = std::iter::once("Common".to_owned()).chain((0..file.instances()).map(instance));
    for top in tops.filter(|top| is_there(top)) {
        let absent =
            MANDATORY.iter().map(|section| format!("{top}/{section}")).filter(|path| !is_there(path));
        out.extend(absent.map(|path| missing(path, SettingFact::SectionMissing)));
    }
    adaptive::blocks(file, &mut out);
    fat_tree(file, &mut out);
    out.sort_by_key(|finding| finding.line);
    out
}

/// Routing for fat trees needs all hosts on one tier, or the core switches by name. Without either the manager, which
/// `config_check` does not ask, stops.
fn fat_tree(file: &Opafm, out: &mut Vec<SettingFinding>) {
    let mut said = Vec::new();
    for number_of in 0..file.instances().max(1) {
        let held = file.settings(number_of);
        let find = |path: &str| held.iter().find(|s| s.path == path);
        let number = |path: &str| match find(path).map(|s| written(s.value)) {
            Some(Written::Number(n)) => Some(n),
            _ => None,
        };
        let Some(algorithm) = find("Sm/RoutingAlgorithm") else { continue };
        let is_started = number("Shared/Start") != Some(0) && number("Sm/Start") != Some(0);
        let one_tier = number("Sm/FatTreeTopology/FIsOnSameTier").is_some_and(|n| n != 0 && n != 255);
        let has_cores = find("Sm/FatTreeTopology/CoreSwitches").is_some_and(|s| !s.value.is_empty());
        let is_fat_tree = algorithm.value.eq_ignore_ascii_case("fattree");
        if is_fat_tree && is_started && !one_tier && !has_cores && !said.contains(&algorithm.line) {
            said.push(algorithm.line);
            let is_it = |e: &&XmlEntry| e.line == algorithm.line && e.below().1 == algorithm.path;
            let path = file.entries.iter().find(is_it).map_or(String::new(), |e| e.path.clone());
            let fact = SettingFact::CoreSwitchesMissing;
            out.push(SettingFinding { line: Some(algorithm.line), path, fact });
        }
    }
}

#[cfg(test)]
mod tests {
    //! That `config_check` agrees is asked in `tests/oracle/test_opafm.py` and `test_opafm_rules.py`.

    use super::super::Severity;
    use super::*;
    use crate::io::opafm::read;

    fn file(adaptive: &str, sm: &str) -> String {
        format!(
            "<?xml version=\"1.0\"?>\n<Config>\n<Common><Shared/><Sm>\n{sm}\n<AdaptiveRouting>\n{adaptive}\n\
             </AdaptiveRouting></Sm><Fe/><Pm/></Common>\n<Fm><Shared/><Sm><!-- nothing --></Sm><Fe/><Pm/></Fm>\n<Fm><Shared/><Sm><AdaptiveRouting>\
             <Threshold>7</Threshold></AdaptiveRouting></Sm><Fe/><Pm/></Fm>\n</Config>\n"
        )
    }

    fn remarks_on(text: &str) -> Vec<(Severity, usize, String)> {
        let all = lint(&read(text.as_bytes()).unwrap());
        all.into_iter().map(|f| (f.severity(), f.line.unwrap_or(0), f.text())).collect()
    }

    #[test]
    fn a_correct_file_has_no_findings() {
        assert_eq!(remarks_on(&file("<Enable>1</Enable><Algorithm> 0x1 </Algorithm>", "<Lmc>1</Lmc>")), []);
    }

    #[test]
    fn each_planted_mistake_is_found_with_its_line() {
        use Severity::{Error, Notice, Warning};
        let on = "<Enable>1</Enable><Algorithm>2</Algorithm>";
        let cases = [
            (format!("{on}\n<ARFrequency>12</ARFrequency>"), "", Warning, 7, "ARFrequency 12"),
            (format!("{on}<Threshold>9</Threshold>"), "", Error, 6, "Threshold 9"),
            (
                "<Enable>0</Enable><Algorithm>2</Algorithm><Threshold>9</Threshold>".into(),
                "",
                Warning,
                6,
                "silent",
            ),
            ("<Enable>1</Enable>".into(), "", Error, 5, "no <Algorithm>"),
            ("<Enable>1</Enable><Algorithm>5</Algorithm>".into(), "", Error, 6, "Algorithm 5"),
            ("<Enable>yes</Enable><Algorithm>2</Algorithm>".into(), "", Error, 6, "not a number"),
            ("<Enable/><Algorithm>2</Algorithm>".into(), "", Error, 6, "is empty"),
            ("<Enable>2</Enable><Algorithm>2</Algorithm>".into(), "", Warning, 6, "Enable 2"),
            (format!("{on}<Algorithm>1</Algorithm>"), "", Warning, 6, "a second <Algorithm>"),
            (format!("{on}<Treshold>3</Treshold>"), "", Warning, 6, "is Threshold"),
            (on.into(), "<RoutingAlgorithm>bogus</RoutingAlgorithm>", Warning, 4, "none of shortestpath"),
            (
                on.into(),
                "<FatTreeTopology><TierCount>9</TierCount></FatTreeTopology>",
                Warning,
                4,
                "TierCount 9",
            ),
            (on.into(), "<Lmc>8</Lmc>", Warning, 4, "Lmc 8"),
            (on.into(), "<Lmc>4294967296</Lmc>", Error, 4, "Lmc 4294967296"),
            (on.into(), "<Lmc>none</Lmc>", Error, 4, "not a number"),
            (on.into(), "<SweepInterval>-1</SweepInterval>", Error, 4, "less than 0"),
            (on.into(), "<NonRespTimeout>-1</NonRespTimeout>", Error, 4, "less than 0"),
            (on.into(), "<HoqLife>-8ms</HoqLife>", Error, 4, "less than 0"),
            (on.into(), "<HoqLife>8</HoqLife>", Error, 4, "is no time"),
            (on.into(), "<MaxClients>3</MaxClients>", Warning, 4, "it belongs to Pm"),
            (on.into(), "<LidStrategy>Random</LidStrategy>", Error, 4, "none of Serial, Topology"),
            (on.into(), "<LidStrategy>topology</LidStrategy>", Error, 4, "needs PreDefinedTopology/Enable 1"),
            (on.into(), "<DsapInUse>1</DsapInUse>", Error, 4, "needs LidStrategy Topology"),
            (on.into(), "<VL15CreditRate>22</VL15CreditRate>", Error, 4, "0 to 21"),
            (
                on.into(),
                "<Preemption><SmallPacket>0x100</SmallPacket></Preemption>",
                Error,
                4,
                "none of MIN, MAX, a decimal number",
            ),
            (on.into(), "<Preemption><SmallPacket>100</SmallPacket></Preemption>", Warning, 4, "takes 128"),
            (
                on.into(),
                "<Preemption><PreemptLimit>-1</PreemptLimit></Preemption>",
                Warning,
                4,
                "takes 65024",
            ),
            (
                on.into(),
                "<HFILinkPolicy><WidthPolicy><Policy>1x</Policy></WidthPolicy></HFILinkPolicy>",
                Error,
                4,
                "none of Supported, 2x, 3x, 4x",
            ),
            (
                on.into(),
                "<MeshTorusTopology><Dimension><Length>3</Length><PortPair>1,1</PortPair></Dimension></MeshTorusTopology>",
                Error,
                4,
                "Length 3 is out of range: 1 to 2",
            ),
            (
                on.into(),
                "<Multicast><MLIDShare><MGIDMask>1:0</MGIDMask></MLIDShare></Multicast>",
                Error,
                4,
                "needs MGIDValue",
            ),
            (
                on.into(),
                "<FatTreeTopology><CoreSwitches>Core</CoreSwitches></FatTreeTopology>",
                Error,
                4,
                "no device group of this name",
            ),
            (
                format!("{on}</AdaptiveRouting><AdaptiveRouting><Enable>0</Enable>"),
                "",
                Warning,
                6,
                "a second <Enable>",
            ),
            (format!("{on}<FineGrained>1</FineGrained>"), "", Notice, 6, "for each packet"),
            (
                on.into(),
                "<RoutingAlgorithm>fattree</RoutingAlgorithm>",
                Error,
                4,
                "FIsOnSameTier 1 or CoreSwitches",
            ),
            (
                format!("{on}<LostRouteOnly>1</LostRouteOnly><Threshold>7</Threshold>"),
                "",
                Notice,
                6,
                "no effect",
            ),
        ];
        for (adaptive, sm, severity, line, text) in cases {
            let found = remarks_on(&file(&adaptive, sm));
            let is_it = |f: &(Severity, usize, String)| f.0 == severity && f.1 == line && f.2.contains(text);
            assert!(found.iter().any(is_it), "{text}: {found:?}");
        }
        let bare = remarks_on("<Config><Common><Sm/></Common></Config>");
        assert_eq!(bare.iter().filter(|f| f.0 == Error).count(), 4, "{bare:?}");
        let beside = remarks_on("<Config><Common><Shared/><Sm/><Fe/><Pm/></Common><Fm><Sm/></Fm></Config>");
        assert_eq!(beside.iter().filter(|f| f.0 == Error).count(), 3, "{beside:?}");
    }
}
