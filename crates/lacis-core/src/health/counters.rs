//! Errors that ports have counted, against the thresholds that the field's own tools have as defaults.
//!
//! Omni-Path: `opareport -o errors` with the `opamon.conf` of its package: what is more than the threshold, and link
//! quality below 4. InfiniBand: what the file of thresholds of `ibqueryerrors` proposes, without its counters of side
//! effects (packets that another port broke, that no table forwards, or that waited too long).

use std::collections::BTreeMap;

use super::Finding;
use super::context::Context;
use super::facts::{EndCount, ErrorCounts, Fact, LinkCounts, ThresholdsOf};
use super::links::APART;
use crate::fabric::{Counter, CounterSort, Fabric, PortCount, PortId};

/// What `opareport -o errors` tolerates.
const OPAREPORT: [(Counter, u64); 8] = [
    (Counter::LinkQuality, 4),
    (Counter::UncorrectableErrors, 1),
    (Counter::LinkDowned, 3),
    (Counter::RcvErrors, 1),
    (Counter::ExcessiveBufferOverruns, 1),
    (Counter::FmConfigErrors, 1),
    (Counter::XmitConstraintErrors, 10),
    (Counter::RcvConstraintErrors, 10),
];

/// What the file of thresholds of `ibqueryerrors` proposes.
const IBQUERYERRORS: [(Counter, u64); 9] = [
    (Counter::SymbolErrors, 10),
    (Counter::LinkErrorRecovery, 10),
    (Counter::LinkDowned, 10),
    (Counter::RcvErrors, 10),
    (Counter::XmitConstraintErrors, 100),
    (Counter::RcvConstraintErrors, 100),
    (Counter::LocalLinkIntegrityErrors, 10),
    (Counter::ExcessiveBufferOverruns, 10),
    (Counter::Vl15Dropped, 100),
];

/// Whether a port has counted more received packets with errors than is tolerated.
pub(super) fn has_many_errors(fabric: &Fabric, port: PortId) -> bool {
    let limits: &[(Counter, u64)] = if fabric.is_omni_path() { &OPAREPORT } else { &IBQUERYERRORS };
    let mut of_errors = limits.iter().filter(|limit| limit.0 == Counter::RcvErrors);
    of_errors.any(|limit| fabric.counters().value(port, limit.0).is_some_and(|value| value > limit.1))
}

fn is_beyond(counter: Counter, value: u64, threshold: u64) -> bool {
    if counter.sort() == CounterSort::Quality { value < threshold } else { value > threshold }
}

pub(super) fn report_counters(ctx: &Context, out: &mut Vec<Finding>) {
    let fabric = ctx.fabric;
    let is_omni_path = fabric.is_omni_path();
    let (limits, thresholds): (&[(Counter, u64)], _) = if is_omni_path {
        (&OPAREPORT, ThresholdsOf::Opareport)
    } else {
        (&IBQUERYERRORS, ThresholdsOf::Ibqueryerrors)
    };
    let mut of_links: BTreeMap<(bool, PortId), (PortId, Vec<EndCount>)> = BTreeMap::new();
    for &PortCount { port, counter, value } in fabric.counters().each() {
        let Some(&(_, threshold)) = limits.iter().find(|limit| limit.0 == counter) else { continue };
        // Without a link there is nothing to repair: a free port, or the one inside a switch.
        let Some(far) = fabric.peer(port) else { continue };
        let is_quality = counter.sort() == CounterSort::Quality;
        if !is_beyond(counter, value, threshold) {
            continue;
        }
        let end = EndCount { port: ctx.port_location(port), counter: counter.name(), value, threshold };
        of_links.entry((is_quality, port.min(far))).or_insert((port.max(far), Vec::new())).1.push(end);
    }
    for is_quality in [false, true] {
        let of_sort = of_links.iter().filter(|(key, _)| key.0 == is_quality);
        let links: Vec<LinkCounts> = of_sort
            .map(|(&(_, near), (far, counts))| LinkCounts {
                cable: ctx.cable((near, *far)),
                counts: counts.clone(),
            })
            .collect();
        let fact = |links| {
            let counts = ErrorCounts { links, thresholds };
            if is_quality { Fact::LinkQualityLow(counts) } else { Fact::PortErrors(counts) }
        };
        if links.len() <= APART {
            out.extend(links.into_iter().map(|link| Finding::from(fact(vec![link]))));
        } else {
            out.push(fact(links).into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Sketch;
    use super::super::{Hosts, findings};
    use crate::fabric::Counter;

    /// Findings of counters where one host's port has counted so much.
    fn with(counter: Counter, value: u64) -> Vec<String> {
        let mut s = Sketch::new();
        let leaf = s.switch("leaf-1", 8);
        for n in 1..=3 {
            let host = s.adapter(&format!("n{n} HCA-1"));
            s.cable((host, 1), (leaf, n));
            s.builder().count(host, 1, counter, if n == 2 { value } else { 0 }).unwrap();
        }
        let f = s.finish();
        let found = findings(&f, &Hosts::of(&f, None));
        found.iter().map(|f| format!("{} {}: {}", f.code.name(), f.words().at, f.words().text)).collect()
    }

    #[test]
    fn what_is_more_than_the_threshold_is_reported_with_its_link() {
        assert_eq!(with(Counter::SymbolErrors, 10), Vec::<String>::new());
        assert_eq!(
            with(Counter::SymbolErrors, 11),
            [
                "PORT_ERRORS leaf-1[2] – n2 HCA-1[1]: n2 HCA-1[1] SymbolErrors 11 (over 10), by the thresholds of ibqueryerrors"
            ]
        );
        // Side effects of errors elsewhere, traffic and waiting have no threshold.
        for counter in [Counter::RcvRemotePhysicalErrors, Counter::XmitWait, Counter::XmitData] {
            assert_eq!(with(counter, 1 << 40), Vec::<String>::new());
        }
    }
}
