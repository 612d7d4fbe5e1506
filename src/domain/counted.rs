//! A number with its noun, for sentences.

/// `1 line`, `2 lines`.
#[must_use]
pub fn counted(count: usize, one: &str, several: &str) -> String {
    let noun = if count == 1 { one } else { several };
    format!("{count} {noun}")
}
