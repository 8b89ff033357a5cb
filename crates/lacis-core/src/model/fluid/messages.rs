//! Messages and the links that they cross.

use crate::model::load::{LinkId, SINK, Steps};

/// Messages in flat arrays.
///
/// A message's *use* of a link is how fast it flows there when its level is 1: its weight, times the
/// fraction of it that goes there. Where every use is 1 none is kept.
#[derive(Clone, Debug)]
pub struct Messages {
    begin: Vec<u32>,
    links: Vec<LinkId>,
    uses: Vec<f64>,
    bytes: Vec<f64>,
    weights: Vec<f64>,
}

impl Default for Messages {
    fn default() -> Self {
        let (links, uses, bytes, weights) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { begin: vec![0], links, uses, bytes, weights }
    }
}

impl Messages {
    /// Removes all messages.
    pub fn clear(&mut self) {
        self.begin.truncate(1);
        self.links.clear();
        self.uses.clear();
        self.bytes.clear();
        self.weights.clear();
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Adds a message of `bytes` that crosses each of `links` once. A message without a link is one
    /// without a route.
    pub fn push(&mut self, bytes: f64, links: impl IntoIterator<Item = LinkId>) {
        self.links.extend(links);
        self.end(bytes, 1.0);
    }

    /// Adds a message with a weight: it gets `weight` times what others get.
    pub fn push_weighted(&mut self, bytes: f64, weight: f64, links: impl IntoIterator<Item = LinkId>) {
        if weight.to_bits() == 1.0_f64.to_bits() {
            self.push(bytes, links);
        } else {
            self.push_split(bytes, weight, links.into_iter().map(|link| (link, 1.0)));
        }
    }

    /// Adds a message that gets `weight` times what others get, and of which the given shares cross
    /// the given links, each link named once.
    pub fn push_split(&mut self, bytes: f64, weight: f64, links: impl IntoIterator<Item = (LinkId, f64)>) {
        self.keep_uses();
        for (link, share) in links {
            self.links.push(link);
            self.uses.push(weight * share);
        }
        self.end(bytes, weight);
    }

    /// Adds a message for each flow of `steps`; `of` gives its size and its weight.
    pub fn push_flows(&mut self, steps: &Steps, of: impl Fn(usize) -> (f64, f64)) {
        let each: Vec<&[LinkId]> = steps.each().collect();
        self.links.reserve(steps.all().len());
        self.bytes.reserve(steps.num_flows());
        self.begin.reserve(steps.num_flows());
        for flow in 0..steps.num_flows() {
            let (bytes, weight) = of(flow);
            let links = each.iter().map(|step| step[flow]).filter(|&l| l != SINK);
            if weight.to_bits() == 1.0_f64.to_bits() && self.weights.is_empty() && self.uses.is_empty() {
                links.for_each(|link| self.links.push(link));
                self.bytes.push(bytes);
                self.begin.push(self.links.len() as u32);
            } else {
                self.push_weighted(bytes, weight, links);
            }
        }
    }

    fn keep_uses(&mut self) {
        self.uses.resize(self.links.len(), 1.0);
        self.weights.resize(self.bytes.len(), 1.0);
    }

    fn end(&mut self, bytes: f64, weight: f64) {
        if !self.weights.is_empty() || weight.to_bits() != 1.0_f64.to_bits() {
            self.keep_uses();
            self.weights.push(weight);
        }
        self.bytes.push(bytes);
        self.begin.push(self.links.len() as u32);
    }

    /// The size of a message `[bytes]`.
    #[inline]
    pub fn bytes(&self, message: usize) -> f64 {
        self.bytes[message]
    }

    /// The links of a message.
    #[inline]
    pub fn links(&self, message: usize) -> &[LinkId] {
        &self.links[self.begin[message] as usize..self.begin[message + 1] as usize]
    }

    /// The links of a message and the shares of it that cross them.
    pub fn shares(&self, message: usize) -> impl Iterator<Item = (LinkId, f64)> + '_ {
        let (uses, weight) = (self.uses(message), self.weight(message));
        self.links(message).iter().enumerate().map(move |(hop, &link)| (link, uses.at(hop) / weight))
    }

    /// Its uses of those links.
    #[inline]
    pub(super) fn uses(&self, message: usize) -> Uses<'_> {
        let range = self.begin[message] as usize..self.begin[message + 1] as usize;
        Uses(self.uses.get(range).unwrap_or(&[]))
    }

    /// Whether all uses are 1.
    pub(super) fn is_plain(&self) -> bool {
        self.uses.is_empty()
    }

    /// Whether a message has a route and a size.
    #[inline]
    pub(super) fn goes(&self, message: usize) -> bool {
        !self.links(message).is_empty() && self.bytes[message] > 0.0
    }

    /// The messages that have a route and a size, in order.
    pub(super) fn going(&self) -> impl Iterator<Item = u32> + '_ {
        let each = (0..).zip(self.begin.windows(2)).zip(&self.bytes);
        each.filter(|((_, range), bytes)| range[0] < range[1] && **bytes > 0.0).map(|((m, _), _)| m)
    }

    /// Whether all that have a route and a size need the same time at the same level.
    pub(super) fn are_alike(&self) -> bool {
        let need = |m: usize| self.bytes(m) / self.weight(m);
        let mut sent = (0..self.len()).filter(|&m| self.goes(m));
        let Some(first) = sent.next() else { return false };
        sent.all(|m| need(m).to_bits() == need(first).to_bits())
    }

    /// Its rate relative to an even share.
    #[inline]
    pub(super) fn weight(&self, message: usize) -> f64 {
        self.weights.get(message).copied().unwrap_or(1.0)
    }

    /// Every link of every message.
    pub(super) fn all_links(&self) -> &[LinkId] {
        &self.links
    }
}

/// Uses of one message's links, in their order.
#[derive(Clone, Copy)]
pub(super) struct Uses<'a>(&'a [f64]);

impl Uses<'_> {
    /// The use of the link at an index.
    #[inline]
    pub(super) fn at(self, hop: usize) -> f64 {
        self.0.get(hop).copied().unwrap_or(1.0)
    }
}
