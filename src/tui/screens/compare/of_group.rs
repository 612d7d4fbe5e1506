//! A table that is made of an opened group once, and where its reader is in it.

use std::sync::{Arc, Weak};

use crate::tui::model::OpenedGroup;

/// A table and the place in it.
#[derive(Debug)]
pub struct OfGroup<T> {
    /// The table and the group it was made of.
    built: Option<(Weak<OpenedGroup>, Arc<T>)>,
    /// The chosen row.
    pub cursor: usize,
    /// First visible line wanted; the cursor comes first.
    pub first: usize,
    /// First visible candidate wanted; the focus comes first.
    pub first_column: usize,
}

impl<T> Default for OfGroup<T> {
    fn default() -> Self {
        Self {
            built: None,
            cursor: 0,
            first: 0,
            first_column: 0,
        }
    }
}

impl<T> OfGroup<T> {
    /// The table of this group, when it is made.
    #[must_use]
    pub fn table(&self, opened: &Arc<OpenedGroup>) -> Option<&Arc<T>> {
        let (of, table) = self.built.as_ref()?;
        Weak::ptr_eq(of, &Arc::downgrade(opened)).then_some(table)
    }

    /// Makes the table of a group unless it is there; answers whether it was made. Another group
    /// begins at its first row; the same one read again stays where it is.
    pub fn build(&mut self, opened: &Arc<OpenedGroup>, make: impl FnOnce() -> T) -> bool {
        if self.table(opened).is_some() {
            return false;
        }
        let before = self.built.as_ref().and_then(|(of, _)| of.upgrade());
        if before.is_none_or(|before| before.group != opened.group) {
            (self.cursor, self.first, self.first_column) = (0, 0, 0);
        }
        self.built = Some((Arc::downgrade(opened), Arc::new(make())));
        true
    }
}
