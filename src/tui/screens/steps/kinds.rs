//! Which kinds of steps are hidden.

use crate::domain::StepKind;

/// A set of kinds of steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Kinds(u8);

impl Kinds {
    /// Whether a kind is in the set.
    #[must_use]
    pub fn has(self, kind: StepKind) -> bool {
        self.0 & bit(kind) != 0
    }

    /// Whether no kind is.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The set with the kind in it when it was not, else without it.
    #[must_use]
    pub fn toggled(self, kind: StepKind) -> Self {
        Self(self.0 ^ bit(kind))
    }

    /// Every kind but this one.
    #[must_use]
    pub fn all_but(kind: StepKind) -> Self {
        Self(!bit(kind))
    }

    /// The kinds in the set, in the order of the schema.
    pub fn iter(self) -> impl Iterator<Item = StepKind> {
        let all = StepKind::ALL.into_iter();
        all.filter(move |kind| self.has(*kind))
    }
}

/// `StepKind::ALL` has 8 kinds: one bit each.
fn bit(kind: StepKind) -> u8 {
    1 << (kind as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_told_apart() {
        let one = Kinds::default().toggled(StepKind::System);
        assert!(one.has(StepKind::System) && !one.has(StepKind::User));
        assert!(one.toggled(StepKind::System).is_empty());
        let others = Kinds::all_but(StepKind::Other);
        assert_eq!(others.iter().count(), StepKind::ALL.len() - 1);
    }
}
