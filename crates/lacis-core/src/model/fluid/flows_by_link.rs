//! The messages that cross each link at present.

use super::Messages;
use crate::model::load::LinkId;

/// Lists by link, each with room for all its messages. Messages that ended stay in a list until it is
/// read.
#[derive(Clone, Debug, Default)]
pub(super) struct OnLinks {
    /// Whether the lists are kept.
    pub listed: bool,
    /// By link: sum of the uses of the messages in its list.
    pub uses: Vec<f64>,
    begin: Vec<usize>,
    len: Vec<usize>,
    messages: Vec<u32>,
    each: Vec<f64>,
}

impl OnLinks {
    /// Lists the messages `fresh`; where no lists are kept yet, those that are `alive`.
    pub(super) fn list(&mut self, messages: &Messages, fresh: &[u32], alive: &[bool], links: usize) {
        if self.listed {
            for &m in fresh {
                self.add(messages, m);
            }
            return;
        }
        self.listed = true;
        self.begin.clear();
        self.begin.resize(links + 1, 0);
        for &link in messages.all_links() {
            self.begin[link as usize + 1] += 1;
        }
        for link in 0..links {
            self.begin[link + 1] += self.begin[link];
        }
        self.len.clear();
        self.len.resize(links, 0);
        self.uses.clear();
        self.uses.resize(links, 0.0);
        self.messages.clear();
        self.messages.resize(messages.all_links().len(), 0);
        self.each.clear();
        if !messages.is_plain() {
            self.each.resize(messages.all_links().len(), 0.0);
        }
        (0..).zip(alive).filter(|&(_, &alive)| alive).for_each(|(m, _)| self.add(messages, m));
    }

    fn add(&mut self, messages: &Messages, m: u32) {
        let uses = messages.uses(m as usize);
        for (hop, &link) in messages.links(m as usize).iter().enumerate() {
            let link = link as usize;
            let at = self.begin[link] + self.len[link];
            self.len[link] += 1;
            self.messages[at] = m;
            self.uses[link] += uses.at(hop);
            if let Some(each) = self.each.get_mut(at) {
                *each = uses.at(hop);
            }
        }
    }

    /// Removes messages that are not alive from a link's list.
    pub(super) fn forget_ended(&mut self, link: LinkId, alive: &[bool]) {
        let link = link as usize;
        let (first, mut kept, mut uses) = (self.begin[link], self.begin[link], 0.0);
        for at in first..first + self.len[link] {
            let m = self.messages[at];
            if alive[m as usize] {
                self.messages[kept] = m;
                let used = self.each.get(at).copied().unwrap_or(1.0);
                if let Some(each) = self.each.get_mut(kept) {
                    *each = used;
                }
                uses += used;
                kept += 1;
            }
        }
        (self.len[link], self.uses[link]) = (kept - first, uses);
    }

    /// A link's messages, and their uses of it.
    #[inline]
    pub(super) fn link(&self, link: LinkId) -> impl Iterator<Item = (u32, f64)> + '_ {
        let (first, len) = (self.begin[link as usize], self.len[link as usize]);
        let uses = move |at| self.each.get(at).copied().unwrap_or(1.0);
        (first..first + len).map(move |at| (self.messages[at], uses(at)))
    }
}
