//! The effective settings of adaptive routing, and how they are written.

use super::number::{Written, written};
use super::{Opafm, Setting};

/// The effective settings of an instance of the manager: its own value, else that of `<Common>`, else the manager's
/// default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdaptiveSettings {
    /// Whether switches move routes.
    pub enable: bool,
    /// Whether only for lost links.
    pub lost_route_only: bool,
    /// 0 Random, 1 Greedy, 2 `GreedyRandom`.
    pub algorithm: u8,
    /// 0 to 7: at most once in 64 ms × 2^n.
    pub frequency: u8,
    /// 0 to 7: the greater, the sooner; 0 is left to the firmware.
    pub threshold: u8,
    /// Whether newer switches choose a port for each packet.
    pub fine_grained: bool,
}

impl Default for AdaptiveSettings {
    /// As the default file has them.
    fn default() -> Self {
        let (enable, lost_route_only, fine_grained) = (false, false, false);
        Self { enable, lost_route_only, algorithm: 2, frequency: 0, threshold: 3, fine_grained }
    }
}

impl AdaptiveSettings {
    /// What the manager takes where a file says nothing, as `config_check -d` sums it up.
    pub const OMITTED: Self = Self {
        enable: false,
        lost_route_only: false,
        algorithm: 2,
        frequency: 4,
        threshold: 0,
        fine_grained: false,
    };

    /// The effective settings of an instance, from 0. Values out of range are clamped; 255, the manager's mark of a value
    /// that is not given, is as none.
    pub fn of(file: &Opafm, number_of: usize) -> Self {
        let held = file.settings(number_of);
        let given = |tag: &str, most: u8| {
            let is_it = |s: &&Setting<'_>| s.path.strip_prefix("Sm/AdaptiveRouting/") == Some(tag);
            match written(held.iter().find(is_it)?.value) {
                Written::Number(n) if n != u64::from(u8::MAX) => Some(n.min(u64::from(most)) as u8),
                _ => None,
            }
        };
        let omitted = Self::OMITTED;
        Self {
            enable: given("Enable", 1).map_or(omitted.enable, |n| n > 0),
            lost_route_only: given("LostRouteOnly", 1).map_or(omitted.lost_route_only, |n| n > 0),
            algorithm: given("Algorithm", 2).unwrap_or(omitted.algorithm),
            frequency: given("ARFrequency", 7).unwrap_or(omitted.frequency),
            threshold: given("Threshold", 7).unwrap_or(omitted.threshold),
            fine_grained: given("FineGrained", 1).map_or(omitted.fine_grained, |n| n > 0),
        }
    }
}

/// The element of the configuration, to paste into `<Sm>`.
pub fn block(settings: AdaptiveSettings) -> String {
    let AdaptiveSettings { enable, lost_route_only, algorithm, frequency, threshold, fine_grained } =
        settings;
    let newer = if fine_grained { "      <FineGrained>1</FineGrained>\n" } else { "" };
    format!(
        "    <AdaptiveRouting>\n      <Enable>{}</Enable>\n      <LostRouteOnly>{}</LostRouteOnly>\n      \
         <Algorithm>{algorithm}</Algorithm>\n      <ARFrequency>{frequency}</ARFrequency>\n      \
         <Threshold>{threshold}</Threshold>\n{newer}    </AdaptiveRouting>\n",
        u8::from(enable),
        u8::from(lost_route_only),
    )
}
