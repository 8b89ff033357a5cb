//! Devices by name, and where each of their constants comes from.
//!
//! Makers print few of these numbers. What is not printed is assumed, and says so.

use super::settings::{Queueing, Reads, Settings};

/// A constant of a device: its name, its value with the unit, and its source.
pub type Constant = (&'static str, &'static str, &'static str);

/// A kind of switch and adapter.
#[derive(Clone, Debug, PartialEq)]
pub struct Device {
    /// As it is typed.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// Its constants.
    pub settings: Settings,
    /// Where they come from.
    pub sources: &'static [Constant],
}

/// The names of all devices.
pub const DEVICES: [&str; 6] = ["ideal", "itasca", "opa100", "edr", "hdr", "ndr"];

const ASSUMED: &str = "assumed";
const HEADER: &str = "IBA volume 1: LRH 8, BTH 12, ICRC 4, VCRC 2; RETH left out";

impl Device {
    /// The device of a name.
    pub fn named(name: &str) -> Option<Self> {
        let ideal = Settings::default();
        let infiniband = Settings { header: 26, cable_delay: 10_000, ..ideal };
        let (about, settings, sources): (_, _, &[Constant]) = match name {
            "ideal" => ("no latency, no overhead", ideal, &[("all", "see the reference", ASSUMED)]),
            "itasca" => (
                "QDR InfiniBand of 2009: 36-port chips, hosts on PCI Express 2.0",
                Settings {
                    mtu: 2048,
                    buffer: Some(32 << 10),
                    switch_latency: 100_000,
                    send_overhead: 500_000,
                    receive_overhead: 500_000,
                    host_efficiency: 0.75,
                    ..infiniband
                },
                &[
                    ("mtu", "2048 bytes", "OpenSM's default for QDR"),
                    ("header", "26 bytes", HEADER),
                    ("host efficiency", "0.75", "Itasca report: 3071 MB/s of 4 × 1024 (an input)"),
                    ("queues", "input FIFO", ASSUMED),
                    ("buffer", "32 KiB a port and lane", ASSUMED),
                    ("switch latency", "100 ns", ASSUMED),
                    ("overheads", "500 ns at each end", ASSUMED),
                    ("cables", "2 m at 5 ns/m", ASSUMED),
                ],
            ),
            "opa100" => (
                "Omni-Path 100 series: 48-port chips, 12 blocks of 4 ports",
                Settings {
                    mtu: 8192,
                    header: 64,
                    queueing: Queueing::Virtual,
                    reads: Reads::Many,
                    switch_latency: 110_000,
                    block: 4,
                    block_latency: 100_000,
                    send_overhead: 400_000,
                    receive_overhead: 400_000,
                    message_gap: 6_250,
                    cable_delay: 10_000,
                    ..ideal
                },
                &[
                    ("mtu", "8192 bytes", "PSM2's default payload"),
                    ("header", "64 bytes", "assumed; with it a pair gets 99.2 % of its link"),
                    (
                        "switch latency",
                        "110 ns, 100 ns inside a block",
                        "Dell white paper, June 2016: 100-110 ns; RACF report, 2015",
                    ),
                    ("blocks", "12 of 4 ports", "RACF report, 2015"),
                    ("overheads", "400 ns at each end", "RACF report, 2015 (0.93 µs in all)"),
                    ("message gap", "6.25 ns", "RACF report, 2015: 160 million messages/s"),
                    ("cables", "2 m at 5 ns/m", "RACF report, 2015"),
                    ("queues", "virtual output queues", ASSUMED),
                    ("buffer", "64 KiB a port and lane", ASSUMED),
                ],
            ),
            "edr" => ("EDR InfiniBand", infiniband_of(&infiniband, 90_000, 5_000), INFINIBAND_90),
            "hdr" => ("HDR InfiniBand", infiniband_of(&infiniband, 130_000, 5_000), INFINIBAND_130),
            "ndr" => ("NDR InfiniBand", infiniband_of(&infiniband, 150_000, 3_000), INFINIBAND_150),
            _ => return None,
        };
        let name = DEVICES.into_iter().find(|&known| known == name)?;
        Some(Self { name, about, settings, sources })
    }
}

fn infiniband_of(base: &Settings, switch_latency: u64, message_gap: u64) -> Settings {
    Settings {
        queueing: Queueing::Virtual,
        reads: Reads::Many,
        switch_latency,
        message_gap,
        send_overhead: 250_000,
        receive_overhead: 250_000,
        ..*base
    }
}

macro_rules! infiniband {
    ($latency:literal, $gap:literal) => {
        &[
            ("mtu", "4096 bytes", "IBA volume 1, the largest"),
            ("header", "26 bytes", HEADER),
            ("switch latency", $latency, ASSUMED),
            ("message gap", $gap, ASSUMED),
            ("overheads", "250 ns at each end", ASSUMED),
            ("queues", "virtual output queues", ASSUMED),
            ("buffer", "64 KiB a port and lane", ASSUMED),
            ("cables", "2 m at 5 ns/m", ASSUMED),
        ]
    };
}

const INFINIBAND_90: &[Constant] = infiniband!("90 ns", "5 ns");
const INFINIBAND_130: &[Constant] = infiniband!("130 ns", "5 ns");
const INFINIBAND_150: &[Constant] = infiniband!("150 ns", "3 ns");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_device_has_a_name_and_says_where_its_constants_come_from() {
        for name in DEVICES {
            let device = Device::named(name).unwrap();
            assert_eq!(device.name, name);
            assert!(device.sources.iter().all(|(.., source)| !source.is_empty()));
        }
        assert_eq!(Device::named("EDR"), None);
    }

    /// The first number of a text, in the unit after it where that is a time (ps).
    fn number(text: &str) -> f64 {
        let mut words = text.split_whitespace();
        let value: f64 = words.next().unwrap().parse().unwrap();
        let units = [("ns", 1e3), ("us", 1e6), ("KiB", 1024.0)];
        value
            * words
                .next()
                .and_then(|unit| units.iter().find(|u| u.0 == unit.trim_end_matches(',')))
                .map_or(1.0, |u| u.1)
    }

    #[test]
    fn settings_are_those_that_the_constants_state() {
        for name in DEVICES.into_iter().filter(|&name| name != "ideal") {
            let Device { settings: set, sources, .. } = Device::named(name).unwrap();
            let stated = |key: &str| sources.iter().find(|source| source.0 == key).map(|source| source.1);
            let is = |key: &str, value: f64| {
                let stated = number(stated(key).unwrap());
                assert!((stated - value).abs() < 1e-9 * stated, "{name}: {key} is {value}, not {stated}");
            };
            is("mtu", f64::from(set.mtu));
            is("header", f64::from(set.header));
            is("buffer", f64::from(set.buffer.unwrap()));
            is("switch latency", set.switch_latency as f64);
            is("overheads", set.send_overhead as f64);
            assert_eq!(set.send_overhead, set.receive_overhead);
            // Two metres at five nanoseconds each.
            assert_eq!((stated("cables"), set.cable_delay), (Some("2 m at 5 ns/m"), 10_000));
            assert_eq!(
                stated("message gap").map(number),
                Some(set.message_gap as f64).filter(|&gap| gap > 0.0)
            );
            let efficiency = stated("host efficiency").map_or(1.0, number);
            assert!((efficiency - set.host_efficiency).abs() < 1e-9, "{name}");
            let queues = match (set.queueing, set.reads) {
                (Queueing::Fifo, Reads::One) => "input FIFO",
                (Queueing::Virtual, Reads::Many) => "virtual output queues",
                other => panic!("{name}: {other:?}"),
            };
            assert_eq!(stated("queues"), Some(queues));
            match stated("blocks") {
                None => assert_eq!(set.block, 0),
                Some(blocks) => {
                    assert_eq!(blocks, format!("{} of {} ports", 48 / set.block, set.block));
                    let inside = stated("switch latency").unwrap().split(", ").nth(1).unwrap();
                    assert!((number(inside) - set.block_latency as f64).abs() < 1e-9);
                }
            }
        }
        // An ideal device has none of them.
        let ideal = Device::named("ideal").unwrap().settings;
        assert_eq!(ideal, Settings::default());
        let times = [ideal.switch_latency, ideal.cable_delay, ideal.send_overhead, ideal.receive_overhead];
        assert_eq!((times, ideal.message_gap, ideal.header, ideal.block), ([0; 4], 0, 0, 0));
    }
}
