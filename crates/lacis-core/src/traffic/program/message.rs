//! Messages between ranks.

use crate::ranks::{Delivery, Ranks};

/// What one rank sends to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Message {
    /// The sender's rank.
    pub from: u32,
    /// The receiver's rank, another one.
    pub to: u32,
    /// Its size, above 0.
    pub bytes: u64,
    /// The rail that it takes; the sender's where none.
    pub rail: Option<u32>,
    /// Its rate relative to an even share.
    pub weight: f64,
    /// The service level that it asks for, if any.
    pub sl: Option<u8>,
}

impl Message {
    /// A message on the sender's rail, of weight 1, that asks for no service level.
    pub fn new(from: u32, to: u32, bytes: u64) -> Self {
        Self { from, to, bytes, rail: None, weight: 1.0, sl: None }
    }

    /// How it is delivered between ranks.
    pub fn delivery(&self, ranks: &Ranks<'_>) -> Delivery {
        ranks.delivery(self.from, self.to, self.rail)
    }

    /// A message on a given rail, of weight 1.
    pub(super) fn on_rail(from: u32, to: u32, bytes: u64, rail: u32) -> Self {
        Self { rail: Some(rail), ..Self::new(from, to, bytes) }
    }
}
