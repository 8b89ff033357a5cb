//! What the reader says.

use super::*;

fn file(adaptive: &str, sm: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?>\n<Config>\n<Common><Shared/><Sm>\n{sm}\n<AdaptiveRouting>\n{adaptive}\n\
         </AdaptiveRouting></Sm><Fe/><Pm/></Common>\n<Fm><Sm><!-- nothing --></Sm></Fm>\n<Fm><Sm><AdaptiveRouting>\
         <Threshold>7</Threshold></AdaptiveRouting></Sm></Fm>\n</Config>\n"
    )
}

#[test]
fn values_have_paths_and_an_instance_wins_over_what_is_common() {
    let text = file("<Enable>1</Enable><Algorithm> 0x1 </Algorithm>", "<Lmc>1</Lmc>");
    let read = read(text.as_bytes()).unwrap();
    assert_eq!(read.value("Common/Sm/Lmc"), Some(("1", 4)));
    assert_eq!(read.value("Fm[1]/Sm/AdaptiveRouting/Threshold"), Some(("7", 9)));
    assert_eq!(read.instances(), 2);
    let common = AdaptiveSettings { enable: true, algorithm: 1, ..AdaptiveSettings::default() };
    assert_eq!(AdaptiveSettings::of(&read, 0), common);
    assert_eq!(AdaptiveSettings::of(&read, 1), AdaptiveSettings { threshold: 7, ..common });
}

#[test]
fn a_block_that_is_written_reads_as_it_was() {
    let settings =
        AdaptiveSettings { enable: true, lost_route_only: true, algorithm: 0, frequency: 7, threshold: 1 };
    let text = format!("<Config><Common><Sm>{}</Sm></Common></Config>", block(settings));
    assert_eq!(AdaptiveSettings::of(&read(text.as_bytes()).unwrap(), 0), settings);
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
