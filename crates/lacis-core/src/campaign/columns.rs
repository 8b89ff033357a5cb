//! The matrix of flows and links, of which only a fingerprint of each column is kept.
//!
//! A flow is a random number of 128 bits; the fingerprint of a link is the sum of its flows'. Sums do not depend on the
//! order, so the result is the same at any number of threads. Two different columns of 10⁵ links agree by chance with a
//! probability below 10⁻²⁸.

use rustc_hash::FxHashMap;

use super::Class;
use crate::model::load::{LinkId, SINK, Steps};
use crate::ranks::Flow;
use crate::traffic::Rng;

/// Fingerprints of columns and numbers of crossings, by link.
#[derive(Clone, Debug)]
pub struct LinkColumns {
    pub prints: Vec<u128>,
    pub crossings: Vec<u32>,
}

/// A flow's random number.
pub fn number(flow: Flow) -> u128 {
    let mut stream = Rng::of_pattern(u64::from(flow.from), u64::from(flow.to));
    u128::from(stream.next_u64()) << 64 | u128::from(stream.next_u64())
}

impl LinkColumns {
    /// No flow yet.
    pub fn new(links: usize) -> Self {
        Self { prints: vec![0; links], crossings: vec![0; links] }
    }

    /// Adds rows. Returns the most of these flows on one link, and how many have no route.
    pub fn add(&mut self, flows: &[Flow], steps: &Steps) -> (u32, u64) {
        let before = self.crossings.clone();
        let unrouted = self.add_quietly(flows, steps);
        let most = self.crossings.iter().zip(&before).map(|(after, before)| after - before).max();
        (most.unwrap_or(0), unrouted)
    }

    fn add_quietly(&mut self, flows: &[Flow], steps: &Steps) -> u64 {
        let numbers: Vec<u128> = flows.iter().map(|&flow| number(flow)).collect();
        let mut has_route = vec![false; flows.len()];
        for step in steps.each() {
            for (f, &link) in step.iter().enumerate() {
                has_route[f] |= link != SINK;
                self.cross(link, numbers[f], 1);
            }
        }
        has_route.iter().filter(|&&there| !there).count() as u64
    }

    /// Flows over a link: the sum of their numbers, and how many there are.
    pub fn cross(&mut self, link: LinkId, print: u128, flows: u32) {
        if link != SINK {
            let at = link as usize;
            self.prints[at] = self.prints[at].wrapping_add(print);
            self.crossings[at] = self.crossings[at].saturating_add(flows);
        }
    }

    pub fn merge(&mut self, other: &Self) {
        for (own, added) in self.prints.iter_mut().zip(&other.prints) {
            *own = own.wrapping_add(*added);
        }
        for (own, added) in self.crossings.iter_mut().zip(&other.crossings) {
            *own = own.saturating_add(*added);
        }
    }

    /// Links that some flow crosses.
    pub fn crossed(&self) -> Vec<LinkId> {
        (1..self.crossings.len() as u32).filter(|&link| self.crossings[link as usize] > 0).collect()
    }

    /// How many different columns these links have.
    pub fn classes(&self, links: &[LinkId]) -> usize {
        let mut prints: Vec<u128> = links.iter().map(|&link| self.prints[link as usize]).collect();
        prints.sort_unstable();
        prints.dedup();
        prints.len()
    }

    /// The progress of rounds: links that are crossed, and the different columns of these.
    pub fn progress(&self, links: &[LinkId]) -> usize {
        let mut prints: Vec<u128> = links.iter().map(|&link| self.prints[link as usize]).collect();
        prints.retain(|&print| print != 0);
        let crossed = prints.len();
        prints.sort_unstable();
        prints.dedup();
        crossed + prints.len()
    }

    /// Classes of more than one link, by their first links; `finest` splits those that it can.
    pub fn inseparable(&self, links: &[LinkId], finest: &Self) -> Vec<Class> {
        let mut number: FxHashMap<u128, usize> = FxHashMap::default();
        let mut classes: Vec<Class> = Vec::new();
        for &link in links {
            let class = *number.entry(self.prints[link as usize]).or_insert_with(|| {
                classes.push(Class { links: Vec::new(), can_be_split: false });
                classes.len() - 1
            });
            classes[class].links.push(link);
        }
        classes.retain(|class| class.links.len() > 1);
        for class in &mut classes {
            let first = finest.prints[class.links[0] as usize];
            class.can_be_split = class.links.iter().any(|&link| finest.prints[link as usize] != first);
        }
        classes
    }
}
