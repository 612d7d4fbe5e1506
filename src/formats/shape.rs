//! Whether a file is one JSON value a line, or one JSON value as a whole.
//!
//! A long file is judged by its head. What is *not* here: what the values are.

use std::io;

use super::files::{self, Line};
use super::json;
use super::source::Candidate;

/// Bytes of a long file that are looked at.
const HEAD: u64 = 256 << 10;
/// Longer first lines are not looked at as a whole.
const LONGEST: u64 = 64 << 20;
/// Lines of which one must be whole when the first is not.
const LINES: usize = 50;

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// One value a line.
    Lines,
    /// One value, or nothing but blanks.
    Whole,
    /// It does not begin like JSON.
    Neither,
}

/// Whether a file is one JSON value a line: its first line is whole and not its only one; or the
/// file as a whole is no JSON, but one of its first lines is.
pub(crate) fn is_lines(content: &[u8], lines: &[Line<'_>]) -> bool {
    match lines {
        [] | [_] => false,
        [first, ..] if is_whole(first.bytes) => true,
        [first, rest @ ..] => {
            // A pretty-printed file begins with a bracket alone or is whole as a whole.
            !matches!(first.bytes, b"[" | b"{")
                && files::split(content, &mut String::new()).is_err()
                && rest.iter().take(LINES).any(|line| is_whole(line.bytes))
        }
    }
}

/// The same of a file of this length, longer than its head, from its head and its first line.
///
/// # Errors
/// When it cannot be read.
pub(crate) fn of_long(file: &Candidate, length: u64) -> io::Result<Shape> {
    let head = file.read(0, HEAD.min(length))?;
    let content = head[files::bom(&head)..].trim_ascii_start();
    if content.is_empty() {
        return Ok(Shape::Whole);
    }
    let before = (head.len() - content.len()) as u64;
    let first = match memchr::memchr(b'\n', content) {
        Some(end) => content[..end].trim_ascii_end(),
        None => return of_long_line(file, before, head.len() as u64, length),
    };
    if is_whole(first) {
        return Ok(Shape::Lines);
    }
    // Lines that begin in the head but do not end there are of no use here.
    let others = files::lines_from(content, before, 0).skip(1).take(LINES);
    let begins_like_json = matches!(content.first(), Some(b'{' | b'['));
    let as_a_whole =
        matches!(first, b"[" | b"{") || (begins_like_json && json::breaks_off(content));
    Ok(if as_a_whole {
        Shape::Whole
    } else if others.map(|line| line.bytes).any(is_whole) {
        Shape::Lines
    } else if begins_like_json {
        Shape::Whole
    } else {
        Shape::Neither
    })
}

/// The shape of a file whose first line begins at `start` and does not end before `seen`.
fn of_long_line(file: &Candidate, start: u64, seen: u64, length: u64) -> io::Result<Shape> {
    let Some(end) = line_end(file, seen, length)? else {
        return Ok(Shape::Whole);
    };
    if end + 1 >= length {
        return Ok(Shape::Whole);
    }
    if end - start > LONGEST {
        return Ok(Shape::Lines);
    }
    let line = file.read(start, end - start)?;
    let line = line.trim_ascii_end();
    // A list of one element a line goes on behind a comma; a line that was cut off does not.
    let goes_on = matches!(line.last(), Some(b',' | b':' | b'[' | b'{'));
    Ok(if is_whole(line) || !goes_on {
        Shape::Lines
    } else {
        Shape::Whole
    })
}

/// The first line end from byte `at` on, in a file of this length.
///
/// # Errors
/// When it cannot be read.
pub(crate) fn line_end(file: &Candidate, mut at: u64, length: u64) -> io::Result<Option<u64>> {
    let mut buffer = vec![0; 1 << 20];
    while at < length {
        let count = match file.read_at(at, &mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if let Some(found) = memchr::memchr(b'\n', &buffer[..count]) {
            return Ok(Some(at + found as u64));
        }
        at += count as u64;
    }
    Ok(None)
}

/// Whether a line is a JSON object or list.
fn is_whole(line: &[u8]) -> bool {
    matches!(line, [b'{' | b'[', _, .., b'}' | b']'])
        && files::split(line, &mut String::new()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::source;

    fn shape(text: &str) -> Shape {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.json");
        std::fs::write(&path, text).expect("written");
        let files = source::list(&[path], &mut Vec::new());
        of_long(&files[0], text.len() as u64).expect("read")
    }

    #[test]
    fn long_files_are_judged_by_their_heads() {
        let long = "x".repeat(300 << 10);
        let record = format!("{{\"a\":\"{long}\"}}");
        let many = "{\"a\":1}\n".repeat(100_000);
        for (text, expected) in [
            (many.clone(), Shape::Lines),
            (format!("\u{feff}\n\n{many}"), Shape::Lines),
            (format!("{{\"cut\": [\"off\n{many}"), Shape::Lines),
            (format!("{{\"cut\": oops\n{many}"), Shape::Lines),
            (format!("{record}\n{record}\n"), Shape::Lines),
            (
                format!("{}\n{record}\n", &record[..record.len() - 9]),
                Shape::Lines,
            ),
            (format!("{record}\n"), Shape::Whole),
            (record.clone(), Shape::Whole),
            (format!("[{record},\n{record}]\n"), Shape::Whole),
            (
                format!("[\n{}1]\n", "{\"a\":1},\n".repeat(100_000)),
                Shape::Whole,
            ),
            (
                format!("[ {{\n\"a\":\n{{\"b\":1}}\n,\"c\":\"{long}\"}}]"),
                Shape::Whole,
            ),
            (
                format!(
                    "{{\"a\":{{\n\"b\":NaN,\n{}\"c\":1}}}}",
                    "\"d\":[\n1\n],".repeat(90_000)
                ),
                Shape::Whole,
            ),
            (" \n".repeat(400_000), Shape::Whole),
            (format!("some log\n{long}\n"), Shape::Neither),
            (format!("some log\n{many}\n"), Shape::Lines),
        ] {
            assert_eq!(shape(&text), expected, "{}", &text[..40]);
        }
    }
}
