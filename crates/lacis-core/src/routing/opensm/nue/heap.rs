//! OpenSM's heap of four children, which decides between equal distances.
//!
//! Among equal least children the last moves up; an item that is taken from the middle is replaced by the
//! last of the heap, which then sinks or climbs.

/// Children of an item.
const BRANCHES: usize = 4;

/// Items by least key.
#[derive(Debug)]
pub(super) struct Heap {
    items: Vec<(u64, u32)>,
    /// By item: where it is, or was last.
    place: Vec<u32>,
}

impl Heap {
    /// An empty heap for items `0..count`.
    pub fn new(count: usize) -> Self {
        Self { items: Vec::with_capacity(count), place: vec![0; count] }
    }

    /// Adds an item.
    pub fn insert(&mut self, key: u64, item: u32) {
        self.items.push((key, item));
        self.climb(self.items.len() - 1);
    }

    /// Gives an item a smaller key.
    pub fn lower(&mut self, key: u64, item: u32) {
        let at = self.place[item as usize] as usize;
        if let Some(entry) = self.items.get_mut(at) {
            entry.0 = key;
            self.climb(at);
        }
    }

    /// Takes the item with the least key.
    pub fn pop(&mut self) -> Option<u32> {
        let &(_, least) = self.items.first()?;
        self.remove(0);
        Some(least)
    }

    /// Takes an item out.
    pub fn delete(&mut self, item: u32) {
        let at = self.place[item as usize] as usize;
        if self.items.get(at).is_some_and(|entry| entry.1 == item) {
            self.remove(at);
        }
    }

    fn remove(&mut self, at: usize) {
        self.items.swap_remove(at);
        let Some(&(key, item)) = self.items.get(at) else { return };
        self.place[item as usize] = at as u32;
        if at > 0 && self.items[(at - 1) / BRANCHES].0 >= key {
            self.climb(at);
        } else {
            self.sink(at);
        }
    }

    fn climb(&mut self, mut at: usize) {
        let entry = self.items[at];
        while at > 0 {
            let parent = (at - 1) / BRANCHES;
            if entry.0 >= self.items[parent].0 {
                break;
            }
            self.put(at, self.items[parent]);
            at = parent;
        }
        self.put(at, entry);
    }

    fn sink(&mut self, mut at: usize) {
        let entry = self.items[at];
        loop {
            let first = at * BRANCHES + 1;
            let children = first..(first + BRANCHES).min(self.items.len());
            // The last of the least.
            let Some(least) = children.rev().min_by_key(|&child| self.items[child].0) else { break };
            if entry.0 <= self.items[least].0 {
                break;
            }
            self.put(at, self.items[least]);
            at = least;
        }
        self.put(at, entry);
    }

    fn put(&mut self, at: usize, entry: (u64, u32)) {
        self.items[at] = entry;
        self.place[entry.1 as usize] = at as u32;
    }
}
