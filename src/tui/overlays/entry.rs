//! One line of text that is being typed. The cursor moves by grapheme.

use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

use crate::tui::key::{Code, Key};

/// Bytes on either side of the cursor that are laid out at least: more than the largest box shows.
const NEARBY: usize = 8 * 1024;

/// Text and where the cursor stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Entry {
    text: String,
    /// Byte offset, on a grapheme boundary.
    cursor: usize,
    /// Whether all of it is selected: what is typed takes its place.
    selected: bool,
}

impl Entry {
    /// Starts with this text and the cursor behind it.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            cursor: text.len(),
            selected: false,
        }
    }

    /// Starts with this text, which what is typed replaces; a key that moves the cursor keeps it.
    #[must_use]
    pub fn selected(text: &str) -> Self {
        Self {
            selected: !text.is_empty(),
            ..Self::new(text)
        }
    }

    /// Whether what is typed takes the place of the text.
    #[must_use]
    pub fn is_selected(&self) -> bool {
        self.selected
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text before and behind the cursor.
    #[must_use]
    pub fn halves(&self) -> (&str, &str) {
        self.text.split_at(self.cursor)
    }

    /// The text around the cursor that a screen may show, and the cursor in it (bytes): the whole text
    /// when it is short. It begins at the same place while the cursor moves within a piece, so that
    /// lines do not jump.
    #[must_use]
    pub fn nearby(&self) -> (&str, usize) {
        let piece = self.cursor / NEARBY * NEARBY;
        let start = self.text.floor_char_boundary(piece.saturating_sub(NEARBY));
        let end = self.cursor.saturating_add(NEARBY).min(self.text.len());
        let end = self.text.floor_char_boundary(end).max(self.cursor);
        (&self.text[start..end], self.cursor - start)
    }

    /// Puts text in at the cursor.
    pub fn insert(&mut self, text: &str) {
        if std::mem::take(&mut self.selected) {
            self.remove(0..self.text.len());
        }
        self.text.insert_str(self.cursor, text);
        self.cursor += text.len();
        // A combining character may have joined the grapheme before it.
        let boundary = |at: usize| {
            let mut found = GraphemeCursor::new(at, self.text.len(), true);
            // The whole text is one chunk: it is never asked for more, and looked at here only.
            found.is_boundary(&self.text, 0).unwrap_or(true)
        };
        while !boundary(self.cursor) {
            self.cursor += self.text[self.cursor..]
                .chars()
                .next()
                .map_or(1, char::len_utf8);
        }
    }

    /// Edits for a key; answers whether the key was one for editing.
    pub fn key(&mut self, key: Key) -> bool {
        let typed = matches!(key.code, Code::Char(_)) && !key.ctrl && !key.alt;
        if !typed && std::mem::take(&mut self.selected) && is_removal(key) {
            self.remove(0..self.text.len());
            return true;
        }
        match (key.code, key.ctrl, key.alt) {
            (Code::Char(c), false, false) => self.insert(c.encode_utf8(&mut [0; 4])),
            (Code::Backspace, false, false) | (Code::Char('h'), true, false) => {
                self.remove(self.before()..self.cursor);
            }
            (Code::Delete, false, false) | (Code::Char('d'), true, false) => {
                self.remove(self.cursor..self.behind());
            }
            (Code::Backspace, _, true) | (Code::Char('w'), true, false) => {
                self.remove(self.word_before()..self.cursor);
            }
            (Code::Char('u'), true, false) => self.remove(0..self.cursor),
            (Code::Char('k'), true, false) => self.remove(self.cursor..self.text.len()),
            (Code::Left, true, _) | (Code::Char('b'), _, true) => self.cursor = self.word_before(),
            (Code::Right, true, _) | (Code::Char('f'), _, true) => self.cursor = self.word_behind(),
            (Code::Left, ..) | (Code::Char('b'), true, _) => self.cursor = self.before(),
            (Code::Right, ..) | (Code::Char('f'), true, _) => self.cursor = self.behind(),
            (Code::Home, ..) | (Code::Char('a'), true, _) => self.cursor = 0,
            (Code::End, ..) | (Code::Char('e'), true, _) => self.cursor = self.text.len(),
            _ => return false,
        }
        true
    }

    fn remove(&mut self, range: std::ops::Range<usize>) {
        self.cursor = range.start;
        self.text.replace_range(range, "");
    }

    fn before(&self) -> usize {
        let (before, _) = self.halves();
        before
            .grapheme_indices(true)
            .next_back()
            .map_or(0, |(at, _)| at)
    }

    fn behind(&self) -> usize {
        let (_, behind) = self.halves();
        self.cursor + behind.graphemes(true).next().map_or(0, str::len)
    }

    fn word_before(&self) -> usize {
        let (before, _) = self.halves();
        let last = before.unicode_word_indices().next_back();
        last.map_or(0, |(at, _)| at)
    }

    fn word_behind(&self) -> usize {
        let (_, behind) = self.halves();
        let next = behind.unicode_word_indices().next();
        next.map_or(self.text.len(), |(at, word)| self.cursor + at + word.len())
    }
}

/// Whether a key takes away text next to the cursor.
fn is_removal(key: Key) -> bool {
    let plain = matches!(key.code, Code::Backspace | Code::Delete);
    plain || (key.ctrl && matches!(key.code, Code::Char('h' | 'd' | 'w' | 'u' | 'k')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::key::parse_keys;

    fn typed(start: &str, keys: &str) -> (String, String) {
        let mut entry = Entry::new(start);
        for key in parse_keys(keys).unwrap() {
            entry.key(key);
        }
        let (before, behind) = entry.halves();
        (before.to_owned(), behind.to_owned())
    }

    #[test]
    fn the_cursor_moves_by_grapheme() {
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(typed("ae\u{301}", "<left>"), pair("a", "e\u{301}"));
        assert_eq!(typed("ae\u{301}", "<backspace>"), pair("a", ""));
        assert_eq!(typed("one two", "<ctrl-w>x"), pair("one x", ""));
        assert_eq!(typed("one two", "<home><delete>"), pair("", "ne two"));
        assert_eq!(typed("one two", "<ctrl-left><ctrl-u>"), pair("", "two"));
        assert_eq!(typed("日本", "<left>x"), pair("日x", "本"));
    }

    #[test]
    fn what_is_typed_replaces_a_selected_text_and_moves_keep_it() {
        let typed = |keys: &str| {
            let mut entry = Entry::selected("last");
            for key in parse_keys(keys).unwrap_or_default() {
                entry.key(key);
            }
            entry.text().to_owned()
        };
        assert_eq!(typed(""), "last");
        assert_eq!(typed("ne"), "ne");
        assert_eq!(typed("<end>s"), "lasts");
        assert_eq!(typed("<left>x"), "lasxt");
        assert_eq!(typed("<backspace>"), "");
        assert!(!Entry::selected("").is_selected());
    }

    #[test]
    fn a_combining_character_keeps_the_cursor_on_a_boundary() {
        let mut entry = Entry::new("e");
        entry.insert("\u{301}");
        assert_eq!(entry.halves(), ("e\u{301}", ""));
        let mut entry = Entry::new("\u{301}");
        entry.key(Key::plain(Code::Home));
        entry.insert("e");
        assert_eq!(entry.halves(), ("e\u{301}", ""));
    }
}
