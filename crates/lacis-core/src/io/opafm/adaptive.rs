//! The effective settings of adaptive routing, and how they are written.

use super::{Opafm, instance};
use crate::io::text::number;

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
    /// 0 to 7: the greater, the sooner.
    pub threshold: u8,
}

impl Default for AdaptiveSettings {
    fn default() -> Self {
        Self { enable: false, lost_route_only: false, algorithm: 2, frequency: 0, threshold: 3 }
    }
}

impl AdaptiveSettings {
    /// The effective settings of an instance, from 0. Values out of range are clamped.
    pub fn of(file: &Opafm, number_of: usize) -> Self {
        let given = |tag: &str, most: u8| {
            let at = |section: &str| {
                let text = file.value(&format!("{section}/Sm/AdaptiveRouting/{tag}"))?.0;
                number(text.trim()).map(|n| n.min(u64::from(most)) as u8)
            };
            at(&instance(number_of)).or_else(|| at("Common"))
        };
        let shipped = Self::default();
        Self {
            enable: given("Enable", 1).map_or(shipped.enable, |n| n > 0),
            lost_route_only: given("LostRouteOnly", 1).map_or(shipped.lost_route_only, |n| n > 0),
            algorithm: given("Algorithm", 2).unwrap_or(shipped.algorithm),
            frequency: given("ARFrequency", 7).unwrap_or(shipped.frequency),
            threshold: given("Threshold", 7).unwrap_or(shipped.threshold),
        }
    }
}

/// The element of the configuration, to paste into `<Sm>`.
pub fn block(settings: AdaptiveSettings) -> String {
    let AdaptiveSettings { enable, lost_route_only, algorithm, frequency, threshold } = settings;
    format!(
        "    <AdaptiveRouting>\n      <Enable>{}</Enable>\n      <LostRouteOnly>{}</LostRouteOnly>\n      \
         <Algorithm>{algorithm}</Algorithm>\n      <ARFrequency>{frequency}</ARFrequency>\n      \
         <Threshold>{threshold}</Threshold>\n    </AdaptiveRouting>\n",
        u8::from(enable),
        u8::from(lost_route_only),
    )
}
