//! Lanes: a link is divided among its lanes first, and then a lane's part among its messages.
//!
//! What arbitration tables make of packets, for fluids (generalised processor sharing: A. Parekh, R. Gallager,
//! IEEE/ACM Transactions on Networking 1(3), 1993): of the lanes that have something to send, each table's
//! share in proportion to their weights, and what one does not need the others of its table get, then the other
//! table. The table of high priority has `limit` × 4096 bytes for each packet of the other, which is taken
//! to be of 4096 bytes (limit 0: packet by packet; 255: all it needs). Without tables lanes take turns, in equal
//! parts. A lane that is in both tables counts as one of high priority alone.
//!
//! A *channel* is a lane of a link; channels are numbered link by link.

use crate::model::load::LinkId;
use crate::qos::{Arbitration, HIGH, LOW, Quality};
use crate::sm::lanes::Lanes;

/// How every link is divided among its lanes.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneShares {
    /// By lane: its table and its weight there.
    lanes: Vec<(usize, f64)>,
    /// By table: its part of a link where both have something to send.
    parts: [f64; 2],
}

impl LaneShares {
    /// Lanes as asked for; `tables`: the lanes of the routing tables, where they have such.
    pub fn of(quality: &Quality, tables: Option<&Lanes>) -> Self {
        let num_lanes = quality.num_lanes(tables);
        let Some(arbitration) = &quality.arbitration else {
            return Self { lanes: vec![(HIGH, 1.0); num_lanes], parts: [1.0, 0.0] };
        };
        let high = match arbitration.limit() {
            255 => 1.0,
            limit => {
                let packets = f64::from(limit.max(1));
                packets / (packets + 1.0)
            }
        };
        let lanes = (0..num_lanes as u8).map(|lane| table_and_weight(arbitration, lane)).collect();
        Self { lanes, parts: [high, 1.0 - high] }
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

    /// Writes what each lane of a link gives for a use of 1: `left` is the link's capacity less what a lane's frozen
    /// messages take, and `rising` the uses of its others, 0 where there are none.
    pub(super) fn share(&self, capacity: f64, left: &[f64], rising: &[f64], share: &mut [f64]) {
        let (mut weights, mut through, mut taken) = ([0.0; 2], [0.0; 2], [0.0; 2]);
        for ((&(table, weight), &left), &rising) in self.lanes.iter().zip(left).zip(rising) {
            let used = capacity - left;
            taken[table] += used;
            if rising > 0.0 {
                weights[table] += weight;
            } else {
                through[table] += used;
            }
        }
        let part = |table: usize, other: usize| {
            if weights[other] > 0.0 { self.parts[table] * capacity } else { capacity - taken[other] }
        };
        let each = [(HIGH, LOW), (LOW, HIGH)].map(|(table, other)| {
            if weights[table] > 0.0 { (part(table, other) - through[table]) / weights[table] } else { 0.0 }
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
