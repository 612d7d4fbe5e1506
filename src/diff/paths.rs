//! Paths as git writes them: quoted with octal escapes, with prefixes, with timestamps behind.

/// Reads a path of a `---`, `+++`, `rename`, `copy` line: unquotes, cuts a tab and what follows
/// (timestamps of plain `diff -u`).
pub(super) fn read_path(text: &str) -> String {
    let text = text.strip_suffix('\r').unwrap_or(text);
    match unquote(text) {
        Some((path, _)) => path,
        None => text.split('\t').next().unwrap_or(text).to_owned(),
    }
}

/// Reads a C-quoted path at the start of `text`; returns it and the number of bytes read.
fn unquote(text: &str) -> Option<(String, usize)> {
    let body = text.strip_prefix('"')?;
    let mut bytes = Vec::new();
    let mut chars = body.bytes().enumerate().peekable();
    while let Some((at, byte)) = chars.next() {
        match byte {
            b'"' => return Some((String::from_utf8_lossy(&bytes).into_owned(), at + 2)),
            b'\\' => {
                let (_, escape) = chars.next()?;
                match escape {
                    b'0'..=b'7' => {
                        let mut value = u32::from(escape - b'0');
                        for _ in 0..2 {
                            match chars.peek() {
                                Some((_, digit @ b'0'..=b'7')) => {
                                    value = value * 8 + u32::from(digit - b'0');
                                    chars.next();
                                }
                                _ => break,
                            }
                        }
                        bytes.push(u8::try_from(value & 0xff).unwrap_or(b'?'));
                    }
                    b'n' => bytes.push(b'\n'),
                    b't' => bytes.push(b'\t'),
                    b'r' => bytes.push(b'\r'),
                    b'a' => bytes.push(7),
                    b'b' => bytes.push(8),
                    b'f' => bytes.push(12),
                    b'v' => bytes.push(11),
                    other => bytes.push(other),
                }
            }
            other => bytes.push(other),
        }
    }
    None
}

/// Splits what follows `diff --git `: quoted paths, or the place where both halves name the same
/// file. `None` when it cannot be told.
pub(super) fn split_git_header(text: &str) -> Option<(String, String)> {
    let text = text.strip_suffix('\r').unwrap_or(text);
    if let Some((old, used)) = unquote(text) {
        let rest = text.get(used..)?.trim_start();
        let new = unquote(rest).map_or_else(|| rest.to_owned(), |(path, _)| path);
        return Some((old, new));
    }
    if let Some(at) = text.find(" \"") {
        let (new, _) = unquote(text.get(at + 1..)?)?;
        return Some((text.get(..at)?.to_owned(), new));
    }
    let split = |at: usize| Some((text.get(..at)?, text.get(at + 1..)?));
    let spaces: Vec<usize> = text.match_indices(' ').map(|(at, _)| at).collect();
    let same = spaces.iter().find_map(|&at| {
        let (old, new) = split(at)?;
        (strip(old) == strip(new)).then(|| (old.to_owned(), new.to_owned()))
    });
    // Names differ (a rename): only the usual prefix tells where the second one begins.
    same.or_else(|| {
        let at = text.find(" b/")?;
        split(at).map(|(old, new)| (old.to_owned(), new.to_owned()))
    })
}

/// The prefixes git puts before paths: `a/`, `b/` and the mnemonic ones.
const PREFIXES: [&str; 7] = ["a/", "b/", "i/", "w/", "c/", "o/", "1/"];

/// The path without git's prefix.
pub(super) fn strip(path: &str) -> &str {
    PREFIXES
        .iter()
        .find_map(|prefix| path.strip_prefix(prefix))
        .unwrap_or(path)
}

/// Strips the prefixes of an old and a new path when both have one; paths of a patch made without
/// prefixes stay whole.
pub(super) fn strip_pair(
    old: Option<String>,
    new: Option<String>,
) -> (Option<String>, Option<String>) {
    let has = |path: &Option<String>| {
        path.as_deref()
            .is_none_or(|path| PREFIXES.iter().any(|prefix| path.starts_with(prefix)))
    };
    // `a/x` against `a/x` is a folder called a: git's own prefixes differ between the sides.
    let folder = matches!((&old, &new), (Some(old), Some(new)) if old == new);
    if has(&old) && has(&new) && !folder {
        (
            old.map(|path| strip(&path).to_owned()),
            new.map(|path| strip(&path).to_owned()),
        )
    } else {
        (old, new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_paths_are_decoded() {
        assert_eq!(read_path("\"a/\\303\\244 b.txt\""), "a/ä b.txt");
        assert_eq!(read_path("a/x.c\t2024-01-01 00:00:00"), "a/x.c");
    }

    #[test]
    fn a_git_header_is_split_where_both_halves_agree() {
        let split = split_git_header("a/my b/file.txt b/my b/file.txt").unwrap();
        assert_eq!(
            split,
            ("a/my b/file.txt".to_owned(), "b/my b/file.txt".to_owned())
        );
        let split = split_git_header("\"a/\\303\\244\" \"b/\\303\\244\"").unwrap();
        assert_eq!(split.1, "b/ä");
    }

    #[test]
    fn patches_without_prefixes_keep_their_paths() {
        let same = Some("a/x".to_owned());
        assert_eq!(strip_pair(same.clone(), same.clone()), (same.clone(), same));
    }
}
