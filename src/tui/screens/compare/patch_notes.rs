//! What is odd about a candidate's patch: what had to be mended, what does not fit the known base.
//!
//! Made once beside the interface, when the patches are laid on their base: the strip shows a word for
//! each, the list of marks the sentences. What is *not* here: the marks that the index knows
//! (`candidates.rs`).

use crate::diff::{Aligned, Anchor, Patch, Repair};

/// What is odd about one patch, in sentences. Untrusted text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PatchNotes {
    /// What had to be mended.
    pub repairs: Vec<String>,
    /// Hunks that the known base has no place for.
    pub lost: Vec<String>,
}

impl PatchNotes {
    /// What is odd about the patch of a candidate (its index in `aligned`).
    #[must_use]
    pub fn of(patch: &Patch, candidate: usize, aligned: &Aligned) -> Self {
        let whole = patch.repairs.iter();
        // Nothing had to be guessed for a newline that is missing at the very end.
        let whole = whole.filter(|repair| **repair != Repair::NoFinalNewline);
        let mut repairs: Vec<String> = whole.map(Repair::note).collect();
        for file in &patch.files {
            let path = file.display_path();
            let notes = file.repairs.iter().map(Repair::note);
            repairs.extend(notes.map(|note| format!("{path}: {note}")));
        }
        let mut lost = Vec::new();
        for file in &aligned.files {
            let own = file.candidates.get(candidate).and_then(Option::as_ref);
            for (hunk, anchor) in own.iter().flat_map(|own| own.anchors.iter().enumerate()) {
                if *anchor == Anchor::DoesNotApply {
                    let hunk = hunk + 1;
                    lost.push(format!("{}: hunk {hunk} does not apply here", file.path));
                }
            }
        }
        Self { repairs, lost }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::diff::{Bases, CandidatePatch};

    #[test]
    fn repairs_are_told_with_their_file() {
        let text =
            "--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n a\n-b\n+c\n@@ -20,5 +20,5 @@\n d\n-e\n+f\n g\n";
        let patch = Arc::new(Patch::read(Arc::from(text)));
        let candidate = CandidatePatch {
            patch: Arc::clone(&patch),
            passing: true,
        };
        let aligned = Aligned::of(&[candidate], &Bases::default());
        let notes = PatchNotes::of(&patch, 0, &aligned);
        assert_eq!(notes.repairs.len(), 2, "{notes:?}");
        assert!(notes.repairs[0].starts_with("x: ⚕ repaired: "), "{notes:?}");
        assert!(notes.lost.is_empty());
    }
}
