//! How much likelier the losses of the flows that an entry touches are with it.

use super::super::rows::BETWEEN;
use super::super::suspects::DECIDES;
use super::super::weigh::LossState;
use super::receiver::Receiver;
use super::{Entry, EntryScratch, Moved, Rounds};
use crate::fabric::PortId;
use crate::model::load::LinkId;

/// The fewest flows of an entry that are off.
const LEAST: usize = 2;

impl Rounds<'_> {
    /// What all flows to a destination say of its own loss, beside what suspects explain or without any.
    pub(super) fn receiver(
        &self,
        state: &LossState<'_>,
        to: u32,
        beside_found: bool,
        differ: f64,
    ) -> Receiver {
        let mut host = Receiver::unknown(differ);
        for &f in self.flows_to(to) {
            let f = f as usize;
            let found = if beside_found { f64::from(state.explained[f]) } else { 0.0 };
            host.add(f64::from(self.residuals.loss[f]) - found, self.residuals.spread(f));
        }
        host
    }

    /// ln of how much likelier the losses of the touched flows are with what an entry changes than without, beside what suspects
    /// explain or without any; and what the receiving host loses by itself with the entry. `host`: what all of its flows say,
    /// without the entry.
    pub(super) fn gain(
        &self,
        state: &LossState<'_>,
        to: u32,
        touched: &[(u32, f64)],
        beside_found: bool,
        host: Receiver,
    ) -> (f64, f64) {
        let each = touched.iter().map(|&(f, change)| {
            let f = f as usize;
            let found = if beside_found { f64::from(state.explained[f]) } else { 0.0 };
            // Of a slow link that was found and the moved entry, the slower decides.
            let both = if found > 0.0 { found.max(change) } else { change };
            let (loss, spread) = (f64::from(self.residuals.loss[f]), self.residuals.spread(f));
            (self.destination[f] == to, loss, spread, found, both)
        });
        let (mut by_others, mut moved) = (host, host);
        for (_, loss, spread, found, both) in each.clone().filter(|&(is_own, ..)| is_own) {
            by_others.remove(loss - found, spread);
            moved.remove(loss - found, spread);
            moved.add(loss - both, spread);
        }
        let own = [host.loss(), moved.loss()];
        let mut gain = by_others.surprise(own[0]) - by_others.surprise(own[1]);
        for (is_own, loss, spread, found, both) in each {
            let own = if is_own { own } else { [0.0; 2] };
            gain += state.surprise_at(loss - own[0], spread, found);
            gain -= state.surprise_shared(loss - own[1], spread, both);
        }
        (gain, own[1])
    }

    /// How much more a flow would lose over these links, with one flow more or less on some of them, ln.
    pub(super) fn change(&self, flow: usize, links: &[LinkId], more: &[LinkId], less: &[LinkId]) -> f64 {
        let base = self.round[flow] as usize * self.capacity.rates.len();
        let load = |link: LinkId| {
            let now = self.load[base + link as usize] + u32::from(more.contains(&link));
            now - u32::from(less.contains(&link) && now > 0)
        };
        let left = |link: LinkId| self.capacity.rates[link as usize] / f64::from(load(link).max(1));
        let expected = links.iter().map(|&link| left(link)).fold(f64::INFINITY, f64::min);
        let decides = links.iter().filter(|&&link| left(link) <= expected * 1.001);
        let contention = decides.map(|&link| load(link).max(1)).max().unwrap_or(1);
        let own = self.residuals.classes[self.residuals.class[flow] as usize].level.ln();
        let level = self.levels.get(&(links.len() as u32, contention)).copied().unwrap_or(own);
        (self.residuals.expected[flow] / expected).ln() + own - level
    }

    /// An entry that leads to a port; none where that is no way, or the way that it leads already.
    pub(super) fn weigh(
        &self,
        state: &LossState<'_>,
        entry: &Entry,
        port: PortId,
        scratch: &mut EntryScratch,
    ) -> Option<Moved> {
        let &Entry { switch, to, ref flows, ref receivers } = entry;
        if !self.rows.walk(switch, to, port, &mut scratch.tail) {
            return None;
        }
        let mut touched: Vec<(u32, f64)> = Vec::new();
        let mut is_longer = false;
        for &f in flows {
            let links = self.rows.of(f as usize);
            let (kept, old) = links.split_at(BETWEEN + self.rows.links_to(f as usize, switch)?);
            if old.first() == scratch.tail.first() || kept.len() + scratch.tail.len() > self.residuals.width {
                return None;
            }
            is_longer |= scratch.tail.len() > old.len();
            let EntryScratch { tail, added, removed, row, others } = scratch;
            row.clear();
            row.extend_from_slice(kept);
            row.extend_from_slice(tail);
            added.clear();
            added.extend(tail.iter().filter(|link| !old.contains(link)));
            removed.clear();
            removed.extend(old.iter().filter(|link| !tail.contains(link)));
            touched.push((f, self.change(f as usize, row, added, removed)));
            let range = &self.ranges[self.round[f as usize] as usize];
            others.clear();
            for link in added.iter().chain(removed.iter()) {
                if let Some(at) = self.columns.of_link(*link) {
                    others.extend(self.columns.within(at, range).iter().filter(|&&other| other != f));
                }
            }
            others.sort_unstable();
            others.dedup();
            for &other in others.iter() {
                touched
                    .push((other, self.change(other as usize, self.rows.of(other as usize), added, removed)));
            }
        }
        touched.retain(|&(_, change)| change.abs() > f64::from(DECIDES));
        let (mut gain, _) = self.gain(state, to, &touched, true, receivers[0]);
        let (mut bare, host) = self.gain(state, to, &touched, false, receivers[1]);
        // A flow shows the entry where it is changed by at least half as much as the entry would, in the same direction.
        let shows = |&&(f, change): &&(u32, f64)| {
            let own = if self.destination[f as usize] == to { host } else { 0.0 };
            (f64::from(self.residuals.loss[f as usize]) - own) * change.signum() > change.abs() / 2.0
        };
        let shown: Vec<f64> = touched.iter().filter(shows).map(|touch| touch.1).collect();
        let slower = touched.iter().filter(|touch| touch.1 > 0.0).count();
        let mut losses: Vec<f32> = shown.iter().filter(|&&change| change > 0.0).map(|&c| c as f32).collect();
        let slowed = losses.len();
        // Half of the flows that it would slow are slow; where it slows none, flows are faster than any sharing allows.
        let is_shown = shown.len() >= LEAST && 2 * shown.len() >= touched.len() && 2 * slowed >= slower;
        if !is_shown {
            (gain, bare) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        }
        if slower == 0 {
            losses = shown.iter().map(|&change| change as f32).collect();
        }
        let loss = f64::from(super::super::super::robust::median(&mut losses));
        let touched = touched.into_iter().map(|touch| touch.0).collect();
        Some(Moved {
            switch,
            destination: to,
            port,
            gain,
            bare,
            enough: 0.0,
            is_longer,
            touched,
            slowed,
            loss,
            instead: Vec::new(),
        })
    }
}
