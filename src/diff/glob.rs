//! Globs against the paths of a patch.

/// Whether a glob matches a path: `*` is anything within a folder, `**` anything, `?` one byte that is
/// no `/`. A glob without `/` is matched against the file's name alone.
#[must_use]
pub fn matches_glob(glob: &str, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let subject = if glob.contains('/') { path } else { name };
    matches(glob.as_bytes(), subject.as_bytes())
}

fn matches(glob: &[u8], text: &[u8]) -> bool {
    // Where to go on when what follows the last star does not fit: (glob, text, across folders).
    let mut back: Option<(usize, usize, bool)> = None;
    let (mut at, mut in_text) = (0, 0);
    while in_text < text.len() {
        match glob.get(at) {
            Some(b'*') => {
                let stars = glob[at..].iter().take_while(|byte| **byte == b'*').count();
                at += stars;
                let across = stars > 1;
                // `**/x` also means `x` itself.
                if across
                    && in_text == 0
                    && glob.get(at) == Some(&b'/')
                    && matches(&glob[at + 1..], text)
                {
                    return true;
                }
                back = Some((at, in_text, across));
            }
            Some(&byte) if byte == text[in_text] || (byte == b'?' && text[in_text] != b'/') => {
                at += 1;
                in_text += 1;
            }
            _ => match back {
                Some((after, from, across)) if across || text[from] != b'/' => {
                    back = Some((after, from + 1, across));
                    (at, in_text) = (after, from + 1);
                }
                _ => return false,
            },
        }
    }
    glob[at..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_names_folders_and_across_folders() {
        for (glob, path, expected) in [
            ("*.py", "a/b.py", true),
            ("*.py", "b.pyc", false),
            ("a/*.py", "a/b.py", true),
            ("a/*.py", "a/c/b.py", false),
            ("a/**/b.py", "a/c/d/b.py", true),
            ("**/b.py", "b.py", true),
            ("**/vendor/**", "vendor/x/y.js", true),
            ("**/vendor/**", "a/vendor/y.js", true),
            ("**/vendor/**", "a/vendors/y.js", false),
            ("**", "a/b", true),
            ("src/?.rs", "src/a.rs", true),
            ("src/?.rs", "src/ab.rs", false),
            ("test_*", "tests/test_a.py", true),
            ("a*b*c", "aXbYbZc", true),
        ] {
            assert_eq!(matches_glob(glob, path), expected, "{glob} {path}");
        }
    }
}
