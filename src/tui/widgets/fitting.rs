//! Which parts of a line stand when there is no room for all: whole ones by importance, none cut.
//!
//! What is *not* here: writing them ([`super::line`]).

use unicode_width::UnicodeWidthStr;

/// What stands between two parts.
pub const SEPARATOR: &str = " · ";

/// A part of a line in one form or several; `S` is what it looks like.
#[derive(Debug, Clone)]
pub struct Part<S> {
    /// The forms with their importance (0 = most): a later one is longer and stands in the place of
    /// those before it.
    forms: Vec<(u8, String)>,
    style: S,
}

impl<S> Part<S> {
    /// A part in this form.
    #[must_use]
    pub fn new(importance: u8, text: String, style: S) -> Self {
        Self {
            forms: vec![(importance, text)],
            style,
        }
    }

    /// The part with a longer form; the same text again is none.
    #[must_use]
    pub fn or(mut self, importance: u8, text: String) -> Self {
        if self.forms.last().is_none_or(|(_, last)| *last != text) {
            self.forms.push((importance, text));
        }
        self
    }
}

/// The parts that have room in `width` cells, in their order, with separators between them. The most
/// important one always stands.
#[must_use]
pub fn fitting<S: Copy>(parts: &[Part<S>], width: usize, separator: S) -> Vec<(String, S)> {
    let mut wanted: Vec<(u8, usize, usize)> = Vec::new();
    for (place, part) in parts.iter().enumerate() {
        let forms = part.forms.iter().enumerate();
        wanted.extend(forms.map(|(form, (importance, _))| (*importance, place, form)));
    }
    wanted.sort_unstable();
    let text = |place: usize, form: usize| parts[place].forms[form].1.as_str();
    let mut chosen: Vec<Option<usize>> = vec![None; parts.len()];
    let mut taken = 0;
    for (_, place, form) in wanted {
        let (before, gap) = match chosen[place] {
            Some(before) => (text(place, before).width(), 0),
            None if taken == 0 => (0, 0),
            None => (0, SEPARATOR.width()),
        };
        let with = taken - before + gap + text(place, form).width();
        if with <= width || taken == 0 {
            chosen[place] = Some(form);
            taken = with;
        }
    }
    let mut line = Vec::new();
    for (part, form) in parts.iter().zip(chosen) {
        let Some((_, text)) = form.and_then(|form| part.forms.get(form)) else {
            continue;
        };
        if !line.is_empty() {
            line.push((SEPARATOR.to_owned(), separator));
        }
        line.push((text.clone(), part.style));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(width: usize) -> String {
        let part = |importance, text: &str| Part::new(importance, text.to_owned(), ());
        let parts = [
            part(1, "name"),
            part(0, "state").or(3, "state (why)".to_owned()),
            part(2, "grader"),
        ];
        let line = fitting(&parts, width, ());
        line.into_iter().map(|(text, _)| text).collect()
    }

    #[test]
    fn the_less_important_gives_way_whole() {
        assert_eq!(line(100), "name · state (why) · grader");
        assert_eq!(line(26), "name · state · grader");
        assert_eq!(line(20), "name · state (why)");
        assert_eq!(line(12), "name · state");
        assert_eq!(line(11), "state (why)");
        assert_eq!(line(3), "state", "cut where it is written");
    }
}
