//! How well a row fits what is typed: whole words come before letters that merely stand in order.
//!
//! What is *not* here: the rows ([`super::rows`]).

/// How well a row fits; the better the smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// The key, or the beginning of the name.
    Begins,
    /// The beginning of a word of the name.
    NameWord,
    /// The beginning of a word of the rest.
    Word,
    /// Somewhere inside.
    Inside,
    /// Letters of the name, from the beginning of a word on.
    Letters,
    /// Letters in order, anywhere.
    Scattered,
}

/// What stands between the name of an action and what it does.
pub(super) const DASH: &str = " — ";

/// How well a row with this key and text fits every word typed; [`Fit::Scattered`] when it does not.
pub(super) fn fit(typed: &str, left: &str, text: &str) -> Fit {
    if typed.trim() == left {
        return Fit::Begins;
    }
    let text = text.to_lowercase();
    let left = left.to_lowercase();
    let typed = typed.to_lowercase();
    let words = typed.split_whitespace();
    let fits = words.map(|word| fit_of(word, &left, &text));
    fits.max().unwrap_or(Fit::Begins)
}

fn fit_of(word: &str, left: &str, text: &str) -> Fit {
    let name = text.split_once(DASH).map_or(text, |(name, _)| name);
    if name.starts_with(word) || left == word {
        Fit::Begins
    } else if words(name).any(|other| other.starts_with(word)) {
        Fit::NameWord
    } else if words(text).any(|other| other.starts_with(word)) {
        Fit::Word
    } else if text.contains(word) || left.contains(word) {
        Fit::Inside
    } else if are_initials(word, name) || words(name).any(|other| is_shortened(word, other)) {
        Fit::Letters
    } else {
        Fit::Scattered
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| !word.is_empty())
}

/// Whether the typed letters are the beginnings of words of the name, in order: `opgr` of
/// `open_grader`.
fn are_initials(typed: &str, name: &str) -> bool {
    let mut left = typed;
    for word in words(name) {
        let same = left.chars().zip(word.chars()).take_while(|(a, b)| a == b);
        let bytes: usize = same.map(|(a, _)| a.len_utf8()).sum();
        left = left.get(bytes..).unwrap_or_default();
    }
    left.is_empty()
}

/// Whether the typed letters stand in the word in order, the first one at its beginning.
fn is_shortened(typed: &str, word: &str) -> bool {
    let mut letters = word.chars();
    let begins = typed.chars().next() == word.chars().next();
    begins && typed.chars().all(|c| letters.any(|other| other == c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_before_letters() {
        let of = |typed| {
            fit(
                typed,
                "gC",
                "open_schedules — Compare schemes over all groups",
            )
        };
        assert_eq!(of("open"), Fit::Begins);
        assert_eq!(of("gC"), Fit::Begins);
        assert_eq!(of("sched"), Fit::NameWord);
        assert_eq!(of("schemes"), Fit::Word);
        assert_eq!(of("open schemes"), Fit::Word);
        assert_eq!(of("hemes"), Fit::Inside);
        assert_eq!(of("opsc"), Fit::Letters);
        assert_eq!(of("schdls"), Fit::Letters);
        assert_eq!(of("reveal"), Fit::Scattered);
        let previous = "previous_match — Go to the match before";
        assert_eq!(fit("reveal", "<ctrl-p>", previous), Fit::Scattered);
    }
}
