//! Names of InfiniBand's counters as `perfquery`, `ibqueryerrors` and ibdiagnet spell them.

use crate::fabric::Counter;

/// The names of a counter without the endings by which ibdiagnet marks the extended forms, in lower case.
const NAMES: [(Counter, &[&str]); 25] = [
    (Counter::SymbolErrors, &["symbolerrorcounter", "symbolerrors"]),
    (Counter::LinkErrorRecovery, &["linkerrorrecoverycounter"]),
    (Counter::LinkDowned, &["linkdownedcounter", "linkdowned"]),
    (Counter::RcvErrors, &["portrcverrors"]),
    (Counter::RcvRemotePhysicalErrors, &["portrcvremotephysicalerrors"]),
    (Counter::RcvSwitchRelayErrors, &["portrcvswitchrelayerrors"]),
    (Counter::XmitDiscards, &["portxmitdiscards"]),
    (Counter::XmitConstraintErrors, &["portxmitconstrainterrors"]),
    (Counter::RcvConstraintErrors, &["portrcvconstrainterrors"]),
    (Counter::LocalLinkIntegrityErrors, &["locallinkintegrityerrors"]),
    (Counter::ExcessiveBufferOverruns, &["excessivebufferoverrunerrors", "excessivebufferoverruns"]),
    (Counter::Vl15Dropped, &["vl15dropped"]),
    (Counter::FecUncorrectable, &["portfecuncorrectableblockcounter", "fecuncorrectableblockcounter"]),
    (Counter::EffectiveErrors, &["effectiveerrors", "porteffectiveerrors"]),
    (Counter::XmitData, &["portxmitdata"]),
    (Counter::RcvData, &["portrcvdata"]),
    (Counter::XmitPkts, &["portxmitpkts"]),
    (Counter::RcvPkts, &["portrcvpkts"]),
    (Counter::UnicastXmitPkts, &["portunicastxmitpkts"]),
    (Counter::UnicastRcvPkts, &["portunicastrcvpkts"]),
    (Counter::MulticastXmitPkts, &["portmulticastxmitpkts"]),
    (Counter::MulticastRcvPkts, &["portmulticastrcvpkts"]),
    (Counter::XmitWait, &["portxmitwait"]),
    (Counter::RcvFecn, &["portrcvfecn"]),
    (Counter::RcvBecn, &["portrcvbecn"]),
];

/// The counter of a name, as `ibqueryerrors` prints it.
pub(super) fn counter(name: &str) -> Option<Counter> {
    let name = name.to_ascii_lowercase();
    let plain = ["extended", "ext"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(&name);
    NAMES.iter().find(|(_, names)| names.contains(&plain)).map(|&(counter, _)| counter)
}

/// The columns of each counter, by a table's way to find one: with the ending of an extended form, and without.
pub(super) fn columns<T>(find: impl Fn(&[&str]) -> Option<T>) -> Vec<(Counter, Vec<T>)> {
    let all = NAMES.iter().map(|&(counter, names)| {
        let forms = ["", "ext", "extended"]
            .iter()
            .flat_map(|ending| names.iter().map(move |name| format!("{name}{ending}")));
        (counter, forms.filter_map(|form| find(&[&form])).collect::<Vec<T>>())
    });
    all.filter(|(_, columns)| !columns.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_has_several_names() {
        for name in ["LinkDownedCounter", "LinkDownedCounterExt", "linkdowned"] {
            assert_eq!(counter(name), Some(Counter::LinkDowned), "{name}");
        }
        assert_eq!(counter("PortXmitPktsExtended"), Some(Counter::XmitPkts));
        assert_eq!(counter("PortSelect"), None);
        let found =
            columns(|names| (names == ["portxmitwait"] || names == ["portxmitwaitext"]).then_some(()));
        assert_eq!(found, [(Counter::XmitWait, vec![(), ()])]);
    }
}
