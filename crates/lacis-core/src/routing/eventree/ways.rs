//! The uplinks of one switch by the switches that they lead to.

use super::above::Above;
use super::layout::{GAP, Layout};
use super::targets::NONE;

/// In place of a port: no slot leads there.
pub(super) const NOWHERE: u8 = 255;
/// In place of a port: several slots do, or a gap.
pub(super) const SEVERAL: u8 = 0;

/// Of one switch at a time: by goal, the slots that lead there, gaps among them.
pub(super) struct Ways {
    /// By goal: the port of its only slot, [`NOWHERE`] or [`SEVERAL`].
    pub only: Vec<u8>,
    /// By goal: where its slots begin in `links`, and how many they are.
    spans: Vec<(u32, u32)>,
    links: Vec<u32>,
    /// The goals that there are.
    goals: Vec<u32>,
}

impl Ways {
    /// Room for the switches of a fabric.
    pub fn new(count: usize) -> Self {
        Self { only: vec![NOWHERE; count], spans: vec![(0, 0); count], links: Vec::new(), goals: Vec::new() }
    }

    /// Turns to a switch.
    pub fn turn_to(&mut self, s: usize, layout: &Layout, above: &Above, port: &[u8]) {
        for &goal in &self.goals {
            self.spans[goal as usize] = (0, 0);
            self.only[goal as usize] = NOWHERE;
        }
        self.goals.clear();
        let slots = layout.slots(s);
        for slot in slots {
            for &goal in above.of_switch(slot.parent as usize) {
                let (_, number) = &mut self.spans[goal as usize];
                if *number == 0 {
                    self.goals.push(goal);
                }
                *number += 1;
            }
        }
        let mut first = 0;
        for &goal in &self.goals {
            let (begin, number) = &mut self.spans[goal as usize];
            *begin = first;
            first += *number;
            *number = 0;
        }
        self.links.clear();
        self.links.resize(first as usize, NONE);
        for slot in slots {
            for &goal in above.of_switch(slot.parent as usize) {
                let (begin, number) = &mut self.spans[goal as usize];
                self.links[(*begin + *number) as usize] = slot.link;
                *number += 1;
            }
        }
        for &goal in &self.goals {
            self.only[goal as usize] = match *self.to(goal) {
                [link] if link != GAP => port[link as usize],
                _ => SEVERAL,
            };
        }
    }

    /// The slots that lead to a goal, in their order.
    #[inline]
    pub fn to(&self, goal: u32) -> &[u32] {
        let (first, number) = self.spans[goal as usize];
        &self.links[first as usize..(first + number) as usize]
    }
}
