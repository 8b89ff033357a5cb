//! The rates of the links, and what is assumed where a source gives none.

use crate::fabric::{Fabric, PortId, Rate, Speed};
use crate::model::load::Links;

/// What was assumed for links whose rate the source does not give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// How many directed links.
    pub links: usize,
    /// The rate taken: the commonest of the fabric, or 4xEDR where none is known.
    pub assumed: Rate,
}

/// The capacity of every directed link.
#[derive(Clone, Debug, PartialEq)]
pub struct Capacity {
    /// By [`crate::model::load::LinkId`] [bytes/s]; the sink has none.
    pub rates: Vec<f64>,
    /// Present where rates had to be assumed.
    pub unknown: Option<Unknown>,
    /// Share of a host link's rate that a host can use.
    pub host_efficiency: f64,
}

impl Capacity {
    /// What the ends of a cable report, the slower of the two, in the lanes that each direction uses. `host_efficiency`
    /// scales the links to and from end nodes (an assumption, 1 for none).
    pub fn of(fabric: &Fabric, links: &Links, host_efficiency: f64) -> Self {
        let known = |p: PortId| fabric.link_rate(p);
        let egress = || (1..links.len() as u32).map(|l| (l, links.egress(l)));
        let commonest = commonest(egress().filter_map(|(_, p)| known(p)));
        let assumed = commonest.unwrap_or(Rate::x4(Speed::Edr));
        let missing = egress().filter(|&(_, p)| known(p).is_none()).count();
        let mut rates = vec![f64::INFINITY];
        rates.extend(egress().map(|(link, port)| {
            let factor = if link as usize > links.between_switches() { host_efficiency } else { 1.0 };
            known(port).unwrap_or(assumed).bytes_per_second() * factor
        }));
        let unknown = (missing > 0).then_some(Unknown { links: missing, assumed });
        Self { rates, unknown, host_efficiency }
    }

    /// The capacities where only the share `efficiency` of every link's rate, host links included, carries payload (an
    /// assumption, 1 for none).
    #[must_use]
    pub fn scaled(mut self, efficiency: f64) -> Self {
        self.rates.iter_mut().for_each(|rate| *rate *= efficiency);
        self
    }
}

/// The rate that occurs most often; of equally common ones the faster.
fn commonest(rates: impl Iterator<Item = Rate>) -> Option<Rate> {
    let mut counts: Vec<(Rate, usize)> = Vec::new();
    for rate in rates {
        match counts.iter_mut().find(|(r, _)| *r == rate) {
            Some((_, count)) => *count += 1,
            None => counts.push((rate, 1)),
        }
    }
    let key = |(rate, count): &(Rate, usize)| (*count, rate.bytes_per_second());
    let order = |a: &(Rate, usize), b: &(Rate, usize)| {
        let ((na, ra), (nb, rb)) = (key(a), key(b));
        na.cmp(&nb).then(ra.total_cmp(&rb))
    };
    counts.into_iter().max_by(order).map(|(rate, _)| rate)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::load::testing::two_tier;

    #[test]
    fn the_slower_end_counts_and_a_missing_rate_is_assumed_and_reported() {
        let net = two_tier(2, 2, 1); // 6 cables, 12 directed links, all 4xEDR: 12.5 GB/s
        let links = Links::of(&net.fabric);
        let capacity = Capacity::of(&net.fabric, &links, 0.5);
        assert_eq!(capacity.unknown, None);
        assert_eq!(capacity.rates.len(), 13);
        for (link, &rate) in capacity.rates.iter().enumerate().skip(1) {
            let expected = if link <= 4 { 12.5e9 } else { 6.25e9 };
            assert!((rate - expected).abs() < 1.0, "{link}: {rate}");
        }
        for (full, half) in capacity.rates.iter().zip(&capacity.clone().scaled(0.5).rates).skip(1) {
            assert!((half - full / 2.0).abs() < 1.0);
        }
        let bare = net.fabric.filtered(|n| n.0 != 0, |_, _| false);
        assert_eq!(Capacity::of(&bare, &Links::of(&bare), 1.0).unknown, None); // no link, nothing assumed
    }
}
