//! A fixed-size ring buffer that overwrites its oldest entry.

/// The last `capacity` values pushed.
#[derive(Debug, Clone)]
pub struct RingBuffer<T> {
    slots: Vec<Option<T>>,
    next: usize,
    len: usize,
}

impl<T> RingBuffer<T> {
    /// An empty buffer; a capacity of 0 keeps nothing.
    pub fn new(capacity: usize) -> Self {
        let mut slots = Vec::with_capacity(capacity);
        slots.resize_with(capacity, || None);
        Self { slots, next: 0, len: 0 }
    }

    /// Number of values held.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True when nothing is held.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds a value and returns the one it replaced.
    pub fn push(&mut self, value: T) -> Option<T> {
        let replaced = self.slots[self.next].replace(value);
        self.next = (self.next + 1) % self.slots.len();
        self.len += 1;
        replaced
    }

    /// Values from oldest to newest.
    pub fn iter(&self) -> impl Iterator<Item = &T> + '_ {
        self.slots.iter().flatten()
    }
}
