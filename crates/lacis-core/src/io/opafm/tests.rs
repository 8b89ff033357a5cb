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
    let common = AdaptiveSettings { enable: true, algorithm: 1, ..AdaptiveSettings::OMITTED };
    assert_eq!(AdaptiveSettings::of(&read, 0), common);
    assert_eq!(AdaptiveSettings::of(&read, 1), AdaptiveSettings { threshold: 7, ..common });
}

#[test]
fn a_block_that_is_written_reads_as_it_was() {
    let settings = AdaptiveSettings {
        enable: true,
        lost_route_only: true,
        algorithm: 0,
        frequency: 7,
        threshold: 1,
        fine_grained: true,
    };
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

/// The values that hold for the first instance: where, and what.
fn held(text: &str) -> Vec<(String, String)> {
    let file = read(text.as_bytes()).unwrap();
    file.settings(0).into_iter().map(|s| (s.path.to_owned(), s.value.to_owned())).collect()
}

#[test]
fn sections_of_one_name_are_one_and_the_last_value_holds() {
    // As config_check -d sums them up, see tests/oracle/test_opafm.py.
    let text = "<Config><Common><Sm><Lmc>1</Lmc><Lmc>2</Lmc><AdaptiveRouting><Enable>0</Enable></AdaptiveRouting>\
                <AdaptiveRouting><Enable>1</Enable></AdaptiveRouting></Sm><Sm><SweepInterval>7</SweepInterval></Sm></Common>\
                <Common><Sm><Lmc>3</Lmc></Sm></Common>\
                <Fm><Sm><SweepInterval>9</SweepInterval></Sm></Fm><Common><Sm><Lmc>4</Lmc></Sm></Common></Config>";
    let path = |path: &str, value: &str| (path.to_owned(), value.to_owned());
    let all = [path("Sm/AdaptiveRouting/Enable", "1"), path("Sm/Lmc", "3"), path("Sm/SweepInterval", "9")];
    assert_eq!(held(text), all);
    let file = read(text.as_bytes()).unwrap();
    assert_eq!(file.value("Common/Sm/AdaptiveRouting/Enable"), Some(("1", 1)));
}

#[test]
fn what_is_listed_counts_each_time_wherever_it_stands() {
    let fabric = |name: &str| {
        format!(
            "<VirtualFabrics><VirtualFabric><Name>{name}</Name><Member>a</Member><Member>b</Member></VirtualFabric></VirtualFabrics>"
        )
    };
    let text = format!("<Config><Common>{}{}</Common></Config>", fabric("x"), fabric("y"));
    let file = read(text.as_bytes()).unwrap();
    let named = |setting: &str| file.value(setting).map(|(value, _)| value);
    assert_eq!(named("Common/VirtualFabrics/VirtualFabric/Name"), Some("x"));
    assert_eq!(named("Common/VirtualFabrics/VirtualFabric[1]/Name"), Some("y"));
    assert_eq!(named("Common/VirtualFabrics/VirtualFabric[1]/Member[1]"), Some("b"));
    assert_eq!(held(&text), []);
}

#[test]
fn equal_numbers_mean_the_same() {
    let file = read(b"<Config><Common><Sm><Lmc>0x01</Lmc><MKey>007</MKey><RoutingAlgorithm>01</RoutingAlgorithm></Sm></Common></Config>").unwrap();
    let meanings: Vec<_> = file.values().into_iter().map(|(_, _, meaning)| meaning).collect();
    assert_eq!(meanings, ["1", "7", "01"]);
}
