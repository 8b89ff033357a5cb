//! Lanes: a link is divided among its lanes first, and then a lane's share among its messages.
//!
//! Arbitration tables for fluids (generalised processor sharing: A. Parekh, R. Gallager, IEEE/ACM Transactions on
//! Networking 1(3), 1993): the lanes of a table that have something to send divide its share in proportion to
//! their weights; what a lane does not need goes to the others of its table, then to the other table. The table
//! of high priority has `limit` × 4096 bytes for each packet of the other, which is taken to be of 4096 bytes
//! (limit 0: packet by packet; 255: all it needs). Without tables lanes have equal shares. A lane that is in both
//! tables counts as one of high priority alone.
//!
//! A *channel* is a lane of a link; channels are numbered link by link.

use crate::model::load::LinkId;
use crate::qos::{Arbitration, HIGH, LOW, Lanes};
use crate::sm::lanes::PathLanes;

/// How every link is divided among its lanes.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneShares {
    /// By lane: its table and its weight there.
    lanes: Vec<(usize, f64)>,
    /// By table: its share of a link where both have something to send.
    shares: [f64; 2],
}

impl LaneShares {
    /// Lanes as asked for; `tables`: the lanes of the routing tables, if any.
    pub fn of(lanes: &Lanes, tables: Option<&PathLanes>) -> Self {
        let num_lanes = lanes.num_lanes(tables);
        let Some(arbitration) = &lanes.arbitration else {
            return Self { lanes: vec![(HIGH, 1.0); num_lanes], shares: [1.0, 0.0] };
        };
        let high = match arbitration.limit() {
            255 => 1.0,
            limit => {
                let packets = f64::from(limit.max(1));
                packets / (packets + 1.0)
            }
        };
        let lanes = (0..num_lanes as u8).map(|lane| table_and_weight(arbitration, lane)).collect();
        Self { lanes, shares: [high, 1.0 - high] }
    }

    /// How many lanes a link has.
    pub fn num_lanes(&self) -> usize {
        self.lanes.len()
    }

    /// The number of a channel.
    #[inline]
    pub fn channel(&self, link: LinkId, lane: u8) -> LinkId {
        link * self.lanes.len() as LinkId + LinkId::from(lane)
    }

    /// The link of a channel.
    #[inline]
    pub fn link(&self, channel: LinkId) -> LinkId {
        channel / self.lanes.len() as LinkId
    }

    /// Sets the level that each lane of a link offers: `left` is the link's capacity less what a lane's frozen messages
    /// take, and `rising` the uses of its other messages, 0 where there are none.
    pub(super) fn share(&self, capacity: f64, left: &[f64], rising: &[f64], share: &mut [f64]) {
        let (mut weights, mut done, mut busy) = ([0.0; 2], [0.0; 2], [0.0; 2]);
        for ((&(table, weight), &left), &rising) in self.lanes.iter().zip(left).zip(rising) {
            let used = capacity - left;
            busy[table] += used;
            if rising > 0.0 {
                weights[table] += weight;
            } else {
                done[table] += used;
            }
        }
        let room = |table: usize, other: usize| {
            if weights[other] > 0.0 { self.shares[table] * capacity } else { capacity - busy[other] }
        };
        let each = [(HIGH, LOW), (LOW, HIGH)].map(|(table, other)| {
            if weights[table] > 0.0 { (room(table, other) - done[table]) / weights[table] } else { 0.0 }
        });
        for (lane, &(table, weight)) in self.lanes.iter().enumerate() {
            let own = each[table] * weight - (capacity - left[lane]);
            share[lane] = own.max(0.0) / rising[lane];
        }
    }
}

/// The table that serves a lane, and the sum of its weights there.
fn table_and_weight(arbitration: &Arbitration, lane: u8) -> (usize, f64) {
    let weight = |table| {
        let entries = arbitration.entries(table).iter().filter(|entry| entry.0 == lane);
        entries.map(|&(_, weight)| f64::from(weight)).sum::<f64>()
    };
    let high = weight(HIGH);
    if high > 0.0 { (HIGH, high) } else { (LOW, weight(LOW)) }
}
