//! Water filling of a part of a fabric, what is outside it staying as it is.
//!
//! The rounds are those of the module's head, for messages with weights and parts: a message's
//! *level* is its rate for a weight of 1, and a link's share is what is left of it over the uses of
//! the messages that still rise.

use crate::load::LinkId;

use super::{Messages, TIE};

/// What filling keeps by link and by message; a filling costs no allocation.
#[derive(Clone, Debug, Default)]
pub(super) struct Filling {
    /// Capacity that nobody has taken yet [bytes/s].
    pub left: Vec<f64>,
    /// Sum of the uses of messages that rise.
    pub rising: Vec<f64>,
    share: Vec<f64>,
    agreed: Vec<f64>,
    /// By message [bytes/s].
    pub level: Vec<f64>,
    alive: Vec<u32>,
}

impl Filling {
    pub(super) fn new(links: usize) -> Self {
        let (left, rising) = (vec![0.0; links], vec![0.0; links]);
        let (share, agreed) = (vec![0.0; links], vec![0.0; links]);
        Self { left, rising, share, agreed, ..Self::default() }
    }

    /// Forgets all levels.
    pub(super) fn reset(&mut self, messages: usize) {
        self.level.clear();
        self.level.resize(messages, 0.0);
    }

    /// Raises the levels of the messages of a region, which cross no links but `edges`. Their uses
    /// are in `rising`, and in `left` is what others leave. Says how many rounds it took.
    pub(super) fn raise(&mut self, messages: &Messages, region: &[u32], edges: &[LinkId]) -> usize {
        if messages.is_plain() {
            self.rounds(messages, region, edges, |_, _| 1.0)
        } else {
            self.rounds(messages, region, edges, |m, place| messages.uses(m as usize).at(place))
        }
    }

    fn rounds(
        &mut self,
        messages: &Messages,
        region: &[u32],
        edges: &[LinkId],
        uses: impl Fn(u32, usize) -> f64,
    ) -> usize {
        let mut alive = std::mem::take(&mut self.alive);
        alive.clear();
        alive.extend_from_slice(region);
        let mut rounds = 0;
        while !alive.is_empty() {
            rounds += 1;
            for &link in edges {
                let link = link as usize;
                self.share[link] = self.left[link].max(0.0) / self.rising[link];
                self.agreed[link] = f64::INFINITY;
            }
            let (share, agreed) = (&self.share, &mut self.agreed);
            for &m in &alive {
                let path = messages.links(m as usize);
                let least = path.iter().map(|&l| share[l as usize]).fold(f64::INFINITY, f64::min);
                self.level[m as usize] = least;
                for &link in path {
                    let agreed = &mut agreed[link as usize];
                    *agreed = agreed.min(least);
                }
            }
            let (agreed, level) = (&self.agreed, &self.level);
            let (left, rising) = (&mut self.left, &mut self.rising);
            alive.retain(|&m| {
                let path = messages.links(m as usize);
                let least = level[m as usize];
                let limit = least * (1.0 + TIE);
                let full = |l: usize| share[l] <= limit && agreed[l] * (1.0 + TIE) >= share[l];
                if !path.iter().any(|&l| full(l as usize)) {
                    return true;
                }
                for (place, &link) in path.iter().enumerate() {
                    let used = uses(m, place);
                    left[link as usize] -= least * used;
                    rising[link as usize] -= used;
                }
                false
            });
        }
        self.alive = alive;
        rounds
    }
}
