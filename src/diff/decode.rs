//! Bytes of a patch to text, with every byte that is not UTF-8 still told apart.

use std::borrow::Cow;

/// A patch's bytes as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded<'a> {
    /// The text.
    pub text: Cow<'a, str>,
    /// Lines that are not UTF-8: each of their bytes became the character of that number, as in
    /// Latin-1.
    pub foreign_lines: usize,
}

impl Decoded<'_> {
    /// What to tell about it; `None` for UTF-8.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        let lines = self.foreign_lines;
        let plural = if lines == 1 { "line is" } else { "lines are" };
        (lines > 0).then(|| format!("{lines} {plural} not UTF-8: shown byte by byte, as Latin-1"))
    }
}

/// Decodes a patch. A line that is not UTF-8 is taken byte by byte, so that different bytes stay
/// different characters (replacement characters would make a change of such a byte invisible); the
/// other lines stay as they are.
#[must_use]
pub fn decode(bytes: &[u8]) -> Decoded<'_> {
    if let Ok(text) = str::from_utf8(bytes) {
        return Decoded {
            text: Cow::Borrowed(text),
            foreign_lines: 0,
        };
    }
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
    let mut foreign_lines = 0;
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        match str::from_utf8(line) {
            Ok(line) => text.push_str(line),
            Err(_) => {
                foreign_lines += 1;
                text.extend(line.iter().map(|&byte| char::from(byte)));
            }
        }
    }
    Decoded {
        text: Cow::Owned(text),
        foreign_lines,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_stay_different_and_other_lines_stay_as_they_are() {
        let decoded = decode(b"gr\xc3\xbcn\ncaf\xe9 \x80\n");
        assert_eq!(decoded.text, "grün\ncafé \u{80}\n");
        assert_eq!(decoded.foreign_lines, 1);
        assert_eq!(decode("grün".as_bytes()).note(), None);
    }
}
