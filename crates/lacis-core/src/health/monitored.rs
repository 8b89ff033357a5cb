//! What UFM's monitor of ports (its plugin `pdr_deterministic`) isolates a port for, as far as one reading shows it: a cable
//! above 70 °C, and a share of dropped packets above 1e-12, where dropped are those with an error and those marked bad on
//! their way. The monitor compares two readings; here the counters are those since they were last cleared.

use super::Finding;
use super::context::Context;
use super::counters::has_many_errors;
use super::facts::{DroppedPackets, DroppingEnd, DroppingLink, Fact, HotCable, HotCables};
use super::links::report;
use crate::fabric::{Counter, PortId};

/// The temperature that is tolerated [°C].
const HOTTEST: i16 = 70;
/// Of so many packets received one may be dropped.
const RECEIVED_EACH_DROP: u128 = 1_000_000_000_000;

pub(super) fn report_monitored(ctx: &Context, out: &mut Vec<Finding>) {
    report(out, hot(ctx), |links| Fact::CablesHot(HotCables { links, limit: HOTTEST }));
    if !ctx.fabric.is_omni_path() {
        let tolerated = 1.0 / RECEIVED_EACH_DROP as f64;
        report(out, dropping(ctx), |links| Fact::PacketsDropped(DroppedPackets { links, tolerated }));
    }
}

fn hot(ctx: &Context) -> Vec<HotCable> {
    if ctx.fabric.cable_parts().is_empty() {
        return Vec::new();
    }
    let temperature = |port| ctx.fabric.cable_part(port).and_then(|part| part.temperature);
    let links = ctx.fabric.cables().map(|(a, b)| ((a, b), [temperature(a), temperature(b)]));
    links
        .filter(|(_, ends)| ends.iter().flatten().any(|&degrees| degrees > HOTTEST))
        .map(|(cable, temperatures)| HotCable { cable: ctx.cable(cable), temperatures })
        .collect()
}

/// Links that drop packets, without those whose errors are a finding already.
fn dropping(ctx: &Context) -> Vec<DroppingLink> {
    if ctx.fabric.counters().is_empty() {
        return Vec::new();
    }
    let mut out = Vec::new();
    for (a, b) in ctx.fabric.cables() {
        if [a, b].iter().any(|&port| has_many_errors(ctx.fabric, port)) {
            continue;
        }
        let ends: Vec<DroppingEnd> = [a, b].into_iter().filter_map(|port| dropping_end(ctx, port)).collect();
        if !ends.is_empty() {
            out.push(DroppingLink { cable: ctx.cable((a, b)), ends });
        }
    }
    out
}

fn dropping_end(ctx: &Context, port: PortId) -> Option<DroppingEnd> {
    let value = |counter| ctx.fabric.counters().value(port, counter);
    let received = value(Counter::RcvPkts).filter(|&packets| packets > 0)?;
    let errors = value(Counter::RcvErrors).unwrap_or(0);
    let marked = value(Counter::RcvRemotePhysicalErrors).unwrap_or(0);
    let is_over = (u128::from(errors) + u128::from(marked)) * RECEIVED_EACH_DROP > u128::from(received);
    is_over.then(|| DroppingEnd { port: ctx.port_location(port), errors, marked, received })
}

#[cfg(test)]
mod tests {
    use super::super::testing::Sketch;
    use super::super::{Hosts, cable_work, findings};
    use crate::fabric::{CablePart, Counter, Fabric};

    /// A leaf with three hosts; the second has these counters and a cable so hot.
    fn fabric(counts: &[(Counter, u64)], temperature: Option<i16>) -> Fabric {
        let mut s = Sketch::new();
        let leaf = s.switch("leaf-1", 8);
        for n in 1..=3 {
            let host = s.adapter(&format!("n{n} HCA-1"));
            s.cable((host, 1), (leaf, n));
            if n == 2 {
                for &(counter, value) in counts {
                    s.builder().count(host, 1, counter, value).unwrap();
                }
                s.builder().part(host, 1, CablePart { temperature, ..CablePart::default() }).unwrap();
            }
        }
        s.finish()
    }

    /// Findings, and how many lines of work they ask for.
    fn found(counts: &[(Counter, u64)], temperature: Option<i16>) -> (Vec<String>, usize) {
        let fabric = fabric(counts, temperature);
        let hosts = Hosts::of(&fabric, None);
        let found = findings(&fabric, &hosts);
        let work = cable_work(&fabric, &hosts, &found).len();
        let line = |f: &super::Finding| format!("{} {}: {}", f.code.name(), f.words().at, f.words().text);
        (found.iter().map(line).collect(), work)
    }

    #[test]
    fn a_cable_above_70_degrees_is_hot() {
        assert_eq!(found(&[], Some(70)), (Vec::new(), 0));
        let hot = "CABLE_HOT leaf-1[2] – n2 HCA-1[1]: 71 °C, more than 70 °C";
        assert_eq!(found(&[], Some(71)), (vec![hot.to_owned()], 1));
    }

    #[test]
    fn one_packet_dropped_of_a_million_million_is_tolerated_and_two_are_not() {
        let million_million = 1_000_000_000_000;
        let counts = |errors| [(Counter::RcvErrors, errors), (Counter::RcvPkts, million_million)];
        assert_eq!(found(&counts(1), None), (Vec::new(), 0));
        let two = "PACKETS_DROPPED leaf-1[2] – n2 HCA-1[1]: n2 HCA-1[1] dropped 2 of 1000000000000 packets \
                   (more than a share of 1e-12)";
        assert_eq!(found(&counts(2), None), (vec![two.to_owned()], 1));
        // Eleven errors are more than ibqueryerrors tolerates: one finding, of that.
        assert!(matches!(&found(&counts(11), None).0[..], [line] if line.starts_with("PORT_ERRORS ")));
    }

    #[test]
    fn packets_that_another_link_broke_ask_for_no_work_at_this_one() {
        let counts = [(Counter::RcvRemotePhysicalErrors, 5), (Counter::RcvPkts, 1000)];
        let five = "PACKETS_DROPPED leaf-1[2] – n2 HCA-1[1]: n2 HCA-1[1] dropped 5 of 1000 packets, all of them marked bad \
                    by others (more than a share of 1e-12)";
        assert_eq!(found(&counts, None), (vec![five.to_owned()], 0));
        // A port that has received nothing has no share.
        let none = [(Counter::RcvErrors, 5), (Counter::RcvPkts, 0)];
        assert_eq!(found(&none, None), (Vec::new(), 0));
    }
}
