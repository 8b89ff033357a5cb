//! OpenSM's heap of four children. Which of several equal keys comes first decides its tables, and so its
//! every step: going up an entry moves while it is strictly less than its parent, going down while it is
//! strictly more than its least child, the last of equal ones. An entry taken from the middle is replaced by
//! the last of the heap.

/// Children of an entry.
const BRANCHES: usize = 4;

/// Items below a number, by least key.
#[derive(Clone, Debug, Default)]
pub(in crate::routing) struct Heap<K> {
    entries: Vec<(K, u32)>,
    /// By item: its slot in `entries`, or the last that it had.
    slot: Vec<u32>,
}

impl<K: Copy + Ord> Heap<K> {
    /// An empty heap for items below `count`.
    pub fn new(count: usize) -> Self {
        Self { entries: Vec::with_capacity(count), slot: vec![0; count] }
    }

    /// Becomes a copy of another heap.
    pub fn copy(&mut self, other: &Self) {
        self.entries.clone_from(&other.entries);
        self.slot.clone_from(&other.slot);
    }

    /// The least key and its item.
    pub fn first(&self) -> Option<(K, u32)> {
        self.entries.first().copied()
    }

    /// Adds an item.
    pub fn insert(&mut self, key: K, item: u32) {
        self.entries.push((key, item));
        self.climb(self.entries.len() - 1, (key, item));
    }

    /// Gives an item that is in the heap a smaller key.
    #[inline]
    pub fn lower(&mut self, key: K, item: u32) {
        let slot = self.slot[item as usize] as usize;
        debug_assert_eq!(self.entries[slot].1, item, "not in the heap");
        self.climb(slot, (key, item));
    }

    /// Takes out the least key and its item.
    pub fn pop(&mut self) -> Option<(K, u32)> {
        let first = self.first()?;
        self.remove(0);
        Some(first)
    }

    /// Takes an item out, if it is in the heap.
    pub fn delete(&mut self, item: u32) {
        let slot = self.slot[item as usize] as usize;
        if self.entries.get(slot).is_some_and(|entry| entry.1 == item) {
            self.remove(slot);
        }
    }

    fn remove(&mut self, slot: usize) {
        self.entries.swap_remove(slot);
        let Some(&moved) = self.entries.get(slot) else { return };
        if slot > 0 && self.entries[(slot - 1) / BRANCHES].0 >= moved.0 {
            self.climb(slot, moved);
        } else {
            self.sink(slot, moved);
        }
    }

    fn climb(&mut self, mut slot: usize, entry: (K, u32)) {
        while slot > 0 {
            let parent = self.entries[(slot - 1) / BRANCHES];
            if entry.0 >= parent.0 {
                break;
            }
            self.set_slot(slot, parent);
            slot = (slot - 1) / BRANCHES;
        }
        self.set_slot(slot, entry);
    }

    fn sink(&mut self, mut slot: usize, entry: (K, u32)) {
        while let Some(child) = self.least_child(slot) {
            if entry.0 <= self.entries[child].0 {
                break;
            }
            self.set_slot(slot, self.entries[child]);
            slot = child;
        }
        self.set_slot(slot, entry);
    }

    /// The slot of the least child, the last of equal ones.
    fn least_child(&self, slot: usize) -> Option<usize> {
        let first = BRANCHES * slot + 1;
        let children = self.entries.get(first..self.entries.len().min(first + BRANCHES))?;
        let (mut least, mut key) = (None, None);
        for (child, entry) in (first..).zip(children) {
            if key.is_none_or(|key| entry.0 <= key) {
                (least, key) = (Some(child), Some(entry.0));
            }
        }
        least
    }

    #[inline]
    fn set_slot(&mut self, slot: usize, entry: (K, u32)) {
        self.entries[slot] = entry;
        self.slot[entry.1 as usize] = slot as u32;
    }
}
