//! Adaptive routing as the configuration has it in the end, and as it is written.

use super::{Opafm, instance};
use crate::io::text::number;

/// What holds for an instance of the manager: its own value, else that of `<Common>`, else what the manager is
/// shipped with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdaptiveSettings {
    /// Whether switches move routes.
    pub enable: bool,
    /// Whether for lost links alone.
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
    /// What holds for an instance, from 0. Values that are out of range are cut to it.
    pub fn of(file: &Opafm, number_of: usize) -> Self {
        let told = |tag: &str, most: u8| {
            let at = |section: &str| {
                let text = file.value(&format!("{section}/Sm/AdaptiveRouting/{tag}"))?.0;
                number(text.trim()).map(|n| n.min(u64::from(most)) as u8)
            };
            at(&instance(number_of)).or_else(|| at("Common"))
        };
        let shipped = Self::default();
        Self {
            enable: told("Enable", 1).map_or(shipped.enable, |n| n > 0),
            lost_route_only: told("LostRouteOnly", 1).map_or(shipped.lost_route_only, |n| n > 0),
            algorithm: told("Algorithm", 2).unwrap_or(shipped.algorithm),
            frequency: told("ARFrequency", 7).unwrap_or(shipped.frequency),
            threshold: told("Threshold", 7).unwrap_or(shipped.threshold),
        }
    }
}

/// The block of the configuration, to paste into `<Sm>`.
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
