//! What the reader and the lint say. That `config_check` agrees is asked in `tests/oracle/test_opafm.py`.

use super::*;

fn file(adaptive: &str, sm: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?>\n<Config>\n<Common><Shared/><Sm>\n{sm}\n<AdaptiveRouting>\n{adaptive}\n\
         </AdaptiveRouting></Sm><Fe/><Pm/></Common>\n<Fm><Sm><!-- nothing --></Sm></Fm>\n<Fm><Sm><AdaptiveRouting>\
         <Threshold>7</Threshold></AdaptiveRouting></Sm></Fm>\n</Config>\n"
    )
}

fn said(text: &str) -> Vec<(Severity, usize, String)> {
    let all = lint(&read(text.as_bytes()).unwrap());
    all.into_iter().map(|f| (f.severity, f.line, f.text)).collect()
}

#[test]
fn values_have_paths_and_an_instance_wins_over_what_is_common() {
    let text = file("<Enable>1</Enable><Algorithm> 0x1 </Algorithm>", "<Lmc>1</Lmc>");
    let read = read(text.as_bytes()).unwrap();
    assert_eq!(read.value("Common/Sm/Lmc"), Some(("1", 4)));
    assert_eq!(read.value("Fm[1]/Sm/AdaptiveRouting/Threshold"), Some(("7", 9)));
    assert_eq!(read.instances(), 2);
    let common = Settings { enable: true, algorithm: 1, ..Settings::default() };
    assert_eq!(Settings::of(&read, 0), common);
    assert_eq!(Settings::of(&read, 1), Settings { threshold: 7, ..common });
    assert_eq!(said(&text), []);
}

#[test]
fn a_block_that_is_written_reads_as_it_was() {
    let settings = Settings { enable: true, lost_route_only: true, algorithm: 0, frequency: 7, threshold: 1 };
    let text = format!("<Config><Common><Sm>{}</Sm></Common></Config>", block(settings));
    assert_eq!(Settings::of(&read(text.as_bytes()).unwrap(), 0), settings);
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
        ("<Enable>yes</Enable><Algorithm>2</Algorithm>".into(), "", Error, 6, "no number"),
        ("<Enable/><Algorithm>2</Algorithm>".into(), "", Error, 6, "is empty"),
        ("<Enable>2</Enable><Algorithm>2</Algorithm>".into(), "", Warning, 6, "Enable 2"),
        (format!("{on}<Algorithm>1</Algorithm>"), "", Warning, 6, "a second <Algorithm>"),
        (format!("{on}<Treshold>3</Treshold>"), "", Warning, 6, "is Threshold"),
        (on.into(), "<RoutingAlgorithm>bogus</RoutingAlgorithm>", Warning, 4, "none of shortestpath"),
        (on.into(), "<FatTreeTopology><TierCount>9</TierCount></FatTreeTopology>", Warning, 4, "TierCount 9"),
        (on.into(), "<Lmc>8</Lmc>", Warning, 4, "Lmc 8"),
        (on.into(), "<Lmc>4294967296</Lmc>", Error, 4, "Lmc 4294967296"),
        (on.into(), "<RoutingAlgorithm>fattree</RoutingAlgorithm>", Notice, 4, "without <FatTreeTopology>"),
        (format!("{on}<LostRouteOnly>1</LostRouteOnly><Threshold>7</Threshold>"), "", Notice, 6, "no effect"),
    ];
    for (adaptive, sm, severity, line, text) in cases {
        let found = said(&file(&adaptive, sm));
        let is_it = |f: &(Severity, usize, String)| f.0 == severity && f.1 == line && f.2.contains(text);
        assert!(found.iter().any(is_it), "{text}: {found:?}");
    }
    let bare = said("<Config><Common><Sm/></Common></Config>");
    assert_eq!(bare.iter().filter(|f| f.0 == Error).count(), 3, "{bare:?}");
}

#[test]
fn what_is_no_opafm_is_refused() {
    for (text, reason) in [
        ("<Report/>", "no opafm.xml"),
        ("<Config>\n<Common>", "ends inside <Common>"),
        ("<!DOCTYPE a [<!ENTITY b \"c\">]><Config>&b;</Config>", "DOCTYPE"),
        ("", "empty"),
    ] {
        assert!(read(text.as_bytes()).unwrap_err().reason.contains(reason), "{text}");
    }
}
