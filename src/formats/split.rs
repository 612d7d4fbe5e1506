//! Splits a JSON text into its keys, values and elements in one pass, without reading what is inside
//! the values.
//!
//! Only brackets and string ends are followed inside a value, so a value that is handed out may
//! still be broken inside; the scalars that are handed out are checked. The bare `NaN` and
//! `Infinity` that Python writes are values like others. Nothing here recurses: any depth is fine.
//! What is *not* here: decoding (`json`), and what any key means.

use std::borrow::Cow;

use super::quotes;

/// Bytes of a long list of numbers that are looked at together.
const STRIDE: usize = 32;

/// Why a text cannot be split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Fault {
    /// The text ends inside of this.
    #[error("EOF while parsing {0}")]
    End(&'static str),
    /// Something else stands where this was expected.
    #[error("expected {expected} at column {}", at + 1)]
    Unexpected {
        /// What was expected.
        expected: &'static str,
        /// 0-based byte within the text.
        at: usize,
    },
    /// More text behind the value.
    #[error("trailing characters at column {}", at + 1)]
    Trailing {
        /// 0-based byte within the text.
        at: usize,
    },
}

/// One key of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key<'a> {
    /// What stands between the quotes, not decoded.
    pub literal: &'a str,
    /// 0-based byte of its first quote within the text.
    pub at: usize,
}

/// One value of an object or element of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Value<'a> {
    /// Its text, without blanks around it.
    pub text: &'a str,
    /// Number of elements of a list or pairs of an object; 0 for anything else.
    pub len: usize,
}

/// Hands the pairs of the object at the start of `text` to `pair`, in the order of the text. Returns
/// the byte behind the object.
///
/// # Errors
/// When the text is no object, or breaks off or is broken at its level. Pairs before that were
/// handed over. An error of `pair` ends the walk.
pub(crate) fn object<'a, E: From<Fault>>(
    text: &'a str,
    mut pair: impl FnMut(Key<'a>, Value<'a>) -> Result<(), E>,
) -> Result<usize, E> {
    const WHAT: &str = "an object";
    let bytes = text.as_bytes();
    let mut at = open(bytes, b'{', WHAT)?;
    if bytes.get(at) == Some(&b'}') {
        return Ok(at + 1);
    }
    loop {
        expect(bytes, at, b'"', "a key", WHAT)?;
        let end = string(bytes, at)?;
        let key = Key {
            literal: part(text, at + 1, end - 1)?,
            at,
        };
        at = blanks(bytes, end);
        expect(bytes, at, b':', "`:`", WHAT)?;
        at = blanks(bytes, at + 1);
        let (value, end) = value(text, at, WHAT)?;
        pair(key, value)?;
        at = blanks(bytes, end);
        if bytes.get(at) == Some(&b'}') {
            return Ok(at + 1);
        }
        expect(bytes, at, b',', "`,` or `}`", WHAT)?;
        at = blanks(bytes, at + 1);
    }
}

/// Hands the elements of the list at the start of `text` to `element`. Returns the byte behind the
/// list.
///
/// # Errors
/// As [`object`].
pub(crate) fn list<'a, E: From<Fault>>(
    text: &'a str,
    mut element: impl FnMut(Value<'a>) -> Result<(), E>,
) -> Result<usize, E> {
    const WHAT: &str = "a list";
    let bytes = text.as_bytes();
    let mut at = open(bytes, b'[', WHAT)?;
    if bytes.get(at) == Some(&b']') {
        return Ok(at + 1);
    }
    loop {
        let (value, end) = value(text, at, WHAT)?;
        element(value)?;
        at = blanks(bytes, end);
        if bytes.get(at) == Some(&b']') {
            return Ok(at + 1);
        }
        expect(bytes, at, b',', "`,` or `]`", WHAT)?;
        at = blanks(bytes, at + 1);
    }
}

/// Number of elements of the list, or pairs of the object, that is the whole of `text`, counted
/// without looking at them; `None` when it is neither or its brackets do not match.
pub(crate) fn count(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let at = blanks(bytes, 0);
    if !matches!(bytes.get(at), Some(b'{' | b'[')) {
        return None;
    }
    let (end, len) = container(bytes, at).ok()?;
    (blanks(bytes, end) == bytes.len()).then_some(len)
}

/// The byte behind the object or list at the start of `bytes`; nothing in it is looked at but
/// brackets and strings.
///
/// # Errors
/// When there is none, or it breaks off.
pub(crate) fn end_of(bytes: &[u8]) -> Result<usize, Fault> {
    match bytes.first() {
        Some(b'{' | b'[') => Ok(container(bytes, 0)?.0),
        Some(_) => Err(Fault::Unexpected {
            expected: "an object or a list",
            at: 0,
        }),
        None => Err(Fault::End("a value")),
    }
}

/// An error unless only blanks stand behind byte `end`.
pub(crate) fn nothing_behind(text: &str, end: usize) -> Result<(), Fault> {
    let at = blanks(text.as_bytes(), end);
    if at < text.len() {
        return Err(Fault::Trailing { at });
    }
    Ok(())
}

/// A key's text; `None` when an escape in it is not valid. Keys without escapes are not copied.
pub(crate) fn key<'a>(text: &'a str, key: &Key<'a>) -> Option<Cow<'a, str>> {
    // A raw control character is as wrong in a key as in any string.
    if key.literal.bytes().any(|byte| byte < b' ') {
        return None;
    }
    if !key.literal.contains('\\') {
        return Some(Cow::Borrowed(key.literal));
    }
    let quoted = text.get(key.at..key.at + key.literal.len() + 2)?;
    serde_json::from_str(quoted).ok().map(Cow::Owned)
}

/// Bytes of a text that [`abridge`] keeps, about.
const KEPT: usize = 64;

/// What a text is split at when it becomes steps, as it stands in a JSON literal.
const SPLIT_AT: [&[u8]; 6] = [
    b"<think>",
    b"</think>",
    b"<tool_call>",
    b"<function=",
    b"<tool_response>",
    // Some writers escape the angle bracket.
    b"\\u003c",
];

/// The command of a terminal agent, whose messages are JSON.
const KEYSTROKES: &[u8] = b"keystrokes";

/// Whether a text may become several steps, so that its beginning does not tell how many.
fn is_split(literal: &[u8]) -> bool {
    memchr::memchr2_iter(b'<', b'\\', literal)
        .any(|at| SPLIT_AT.iter().any(|mark| literal[at..].starts_with(mark)))
        || memchr::memmem::find(literal, KEYSTROKES).is_some()
}

/// The same JSON with all long texts cut to their beginnings; keys are kept. Enough to count what is
/// there: texts that are blank stay so, others do not become blank, and those that become several
/// steps stay whole.
pub(crate) fn abridge(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len() / 8);
    // Up to here the text is copied.
    let (mut copied, mut at) = (0, 0);
    while let Some(quote) = memchr::memchr(b'"', &bytes[at..]).map(|found| at + found) {
        let Ok(end) = string(bytes, quote) else { break };
        at = end;
        if end - quote < 2 * KEPT || bytes.get(blanks(bytes, end)) == Some(&b':') {
            continue;
        }
        if is_split(&bytes[quote + 1..end - 1]) {
            continue;
        }
        if let Some(kept) = beginning(&text[quote + 1..end - 1]) {
            out.push_str(&text[copied..quote + 1 + kept]);
            copied = end - 1;
        }
    }
    out.push_str(&text[copied..]);
    out
}

/// Length of the beginning of a string's literal that ends between two characters and is not blank.
fn beginning(literal: &str) -> Option<usize> {
    let bytes = literal.as_bytes();
    let (mut at, mut is_blank) = (0, true);
    while at < KEPT || is_blank {
        let byte = *bytes.get(at)?;
        at += match (byte, bytes.get(at + 1)) {
            (b'\\', Some(b'u')) => {
                is_blank = false;
                6
            }
            (b'\\', Some(escape)) => {
                is_blank &= matches!(escape, b'n' | b't' | b'r' | b'f');
                2
            }
            _ => {
                is_blank &= byte == b' ';
                1
            }
        };
    }
    (at..bytes.len()).find(|at| literal.is_char_boundary(*at))
}

/// The byte of the first pair or element behind an opening bracket.
fn open(bytes: &[u8], bracket: u8, what: &'static str) -> Result<usize, Fault> {
    let at = blanks(bytes, 0);
    expect(bytes, at, bracket, what, what)?;
    Ok(blanks(bytes, at + 1))
}

fn expect(
    bytes: &[u8],
    at: usize,
    byte: u8,
    expected: &'static str,
    within: &'static str,
) -> Result<(), Fault> {
    match bytes.get(at) {
        Some(found) if *found == byte => Ok(()),
        Some(_) => Err(Fault::Unexpected { expected, at }),
        None => Err(Fault::End(within)),
    }
}

/// The part of a text between two bytes at which characters begin.
fn part(text: &str, start: usize, end: usize) -> Result<&str, Fault> {
    text.get(start..end).ok_or(Fault::Unexpected {
        expected: "a value",
        at: start,
    })
}

/// The first byte from `at` on that is no blank.
fn blanks(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(at) {
        at += 1;
    }
    at
}

/// The value that begins at `at`, and the byte behind it.
fn value<'a>(text: &'a str, at: usize, within: &'static str) -> Result<(Value<'a>, usize), Fault> {
    let bytes = text.as_bytes();
    let (end, len) = match bytes.get(at) {
        None => return Err(Fault::End(within)),
        Some(b'"') => (string(bytes, at)?, 0),
        Some(b'{' | b'[') => container(bytes, at)?,
        Some(_) => {
            let rest = &bytes[at..];
            let ends =
                |byte: &u8| matches!(byte, b',' | b']' | b'}' | b' ' | b'\n' | b'\r' | b'\t');
            let length = rest.iter().position(ends).unwrap_or(rest.len());
            let scalar = &rest[..length];
            if !is_scalar(scalar) {
                // A word that the end of the text cut in two.
                return Err(if length == rest.len() && could_become_scalar(scalar) {
                    Fault::End("a value")
                } else {
                    Fault::Unexpected {
                        expected: "a value",
                        at,
                    }
                });
            }
            (at + length, 0)
        }
    };
    let text = part(text, at, end)?;
    Ok((Value { text, len }, end))
}

/// The byte behind the string whose first quote is at `at`.
fn string(bytes: &[u8], at: usize) -> Result<usize, Fault> {
    match quotes::end_of_string(bytes, at + 1) {
        Some(quote) => Ok(quote + 1),
        None => Err(Fault::End("a string")),
    }
}

/// The byte behind the list or object whose bracket is at `at`, and how many elements or pairs it
/// has.
fn container(bytes: &[u8], at: usize) -> Result<(usize, usize), Fault> {
    let mut open = Brackets::default();
    open.push(bytes[at] == b'{');
    let first = blanks(bytes, at + 1);
    let (mut commas, mut dull) = (0, 0);
    let mut at = first;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at = string(bytes, at)?;
                dull = 0;
                continue;
            }
            b'{' | b'[' => {
                open.push(*byte == b'{');
                dull = 0;
            }
            b'}' | b']' => {
                if open.pop() != Some(*byte == b'}') {
                    return Err(Fault::Unexpected {
                        expected: "another bracket",
                        at,
                    });
                }
                if open.depth == 0 {
                    let len = if at == first { 0 } else { commas + 1 };
                    return Ok((at + 1, len));
                }
                dull = 0;
            }
            b',' if open.depth == 1 => {
                commas += 1;
                dull += 1;
            }
            _ => dull += 1,
        }
        at += 1;
        // Lists of numbers can be millions of bytes without a bracket.
        while dull >= STRIDE
            && let Some(stride) = bytes.get(at..at + STRIDE)
        {
            let bright = stride.iter().fold(false, |bright, byte| {
                bright | matches!(byte, b'"' | b'{' | b'[' | b'}' | b']')
            });
            if bright {
                dull = 0;
                break;
            }
            if open.depth == 1 {
                commas += stride
                    .iter()
                    .map(|byte| u8::from(*byte == b','))
                    .sum::<u8>() as usize;
            }
            at += STRIDE;
        }
    }
    Err(Fault::End("a value"))
}

/// The brackets that are open, one bit each (set: an object).
#[derive(Default)]
struct Brackets {
    /// How many.
    depth: usize,
    /// The innermost up to 64.
    innermost: u64,
    /// The others, 64 in each.
    outer: Vec<u64>,
}

impl Brackets {
    fn push(&mut self, is_object: bool) {
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.outer.push(self.innermost);
        }
        self.innermost = (self.innermost << 1) | u64::from(is_object);
        self.depth += 1;
    }

    fn pop(&mut self) -> Option<bool> {
        self.depth = self.depth.checked_sub(1)?;
        let is_object = self.innermost & 1 == 1;
        self.innermost >>= 1;
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.innermost = self.outer.pop()?;
        }
        Some(is_object)
    }
}

/// Whether a text is a number or one of JSON's (and Python's) words.
fn is_scalar(text: &[u8]) -> bool {
    match text {
        b"true" | b"false" | b"null" | b"NaN" | b"Infinity" | b"-Infinity" => true,
        [b'-', number @ ..] | number => is_number(number),
    }
}

/// Whether more text could make it a scalar.
fn could_become_scalar(text: &[u8]) -> bool {
    ["true", "false", "null", "NaN", "Infinity", "-Infinity"]
        .iter()
        .any(|word| word.as_bytes().starts_with(text))
        || text
            .iter()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'))
}

/// Whether a text is a JSON number without a sign.
fn is_number(text: &[u8]) -> bool {
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let whole = digits(text);
    if whole == 0 || (whole > 1 && text[0] == b'0') {
        return false;
    }
    let mut rest = &text[whole..];
    if let [b'.', fraction @ ..] = rest {
        let length = digits(fraction);
        if length == 0 {
            return false;
        }
        rest = &fraction[length..];
    }
    if let [b'e' | b'E', b'+' | b'-', exponent @ ..] | [b'e' | b'E', exponent @ ..] = rest {
        let length = digits(exponent);
        return length > 0 && length == exponent.len();
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::value::RawValue;

    use super::*;

    type Pairs<'a> = Vec<(Option<String>, &'a str)>;
    type Counted<'a> = (Option<String>, &'a str, usize);

    /// What our splitter finds, with the number of elements of each value.
    fn ours(text: &str) -> Result<Vec<Counted<'_>>, Fault> {
        let mut found = Vec::new();
        let end = if text.trim_start().starts_with('[') {
            list(text, |value| {
                found.push((None, value.text, value.len));
                Ok::<_, Fault>(())
            })?
        } else {
            object(text, |name, value| {
                let name = key(text, &name).map(Cow::into_owned);
                found.push((name, value.text, value.len));
                Ok::<_, Fault>(())
            })?
        };
        nothing_behind(text, end)?;
        Ok(found)
    }

    fn plain(text: &str) -> Result<Pairs<'_>, Fault> {
        Ok(ours(text)?
            .into_iter()
            .map(|(key, value, _)| (key, value))
            .collect())
    }

    /// What serde_json finds.
    fn theirs(text: &str) -> serde_json::Result<Pairs<'_>> {
        if text.trim_start().starts_with('[') {
            let items: Vec<&RawValue> = serde_json::from_str(text)?;
            return Ok(items.into_iter().map(|raw| (None, raw.get())).collect());
        }
        struct All<'a>(Pairs<'a>);
        impl<'de: 'a, 'a> serde::Deserialize<'de> for All<'a> {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                struct Visit;
                impl<'de> serde::de::Visitor<'de> for Visit {
                    type Value = Pairs<'de>;
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str("an object")
                    }
                    fn visit_map<M: serde::de::MapAccess<'de>>(
                        self,
                        mut map: M,
                    ) -> Result<Self::Value, M::Error> {
                        let mut pairs = Vec::new();
                        while let Some((key, raw)) = map.next_entry::<String, &RawValue>()? {
                            pairs.push((Some(key), raw.get()));
                        }
                        Ok(pairs)
                    }
                }
                from.deserialize_map(Visit).map(All)
            }
        }
        serde_json::from_str::<All<'_>>(text).map(|all| all.0)
    }

    fn json() -> impl Strategy<Value = serde_json::Value> {
        let text = prop_oneof![
            any::<String>(),
            "[\\\\\"{}\\[\\],: \n\u{1f600}a]{0,12}",
            "[a-z\\\\\"\n]{60,90}"
        ];
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<bool>().prop_map(Into::into),
            any::<i64>().prop_map(Into::into),
            any::<f64>().prop_map(Into::into),
            text.clone().prop_map(Into::into),
            prop::collection::vec(any::<u16>(), 0..80).prop_map(Into::into),
        ];
        leaf.prop_recursive(6, 64, 8, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..8).prop_map(Into::into),
                prop::collection::vec((text.clone(), inner), 0..8)
                    .prop_map(|pairs| serde_json::Value::Object(pairs.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn splits_as_serde_json_does(value in json(), pretty: bool, lead in "[ \n\t]{0,2}") {
            let text = match pretty {
                true => serde_json::to_string_pretty(&value).unwrap(),
                false => value.to_string(),
            };
            let text = format!("{lead}{text}{lead}");
            if !value.is_object() && !value.is_array() {
                prop_assert!(ours(&text).is_err());
                return Ok(());
            }
            prop_assert_eq!(plain(&text).unwrap(), theirs(&text).unwrap());
            let len = value.as_array().map(Vec::len).or(value.as_object().map(|map| map.len()));
            prop_assert_eq!(count(&text), len);
            for (_, inner, len) in ours(&text).unwrap() {
                let inner: serde_json::Value = serde_json::from_str(inner).unwrap();
                let expected = inner.as_array().map(Vec::len).or(inner.as_object().map(|map| map.len()));
                prop_assert_eq!(len, expected.unwrap_or(0));
            }
        }

        /// Whatever is written over a text, the splitter neither panics nor refuses what serde_json
        /// takes.
        #[test]
        fn takes_all_that_serde_json_takes(
            value in json(),
            hits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
            cut: prop::sample::Index,
        ) {
            let mut bytes = value.to_string().into_bytes();
            for (at, byte) in hits {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            for bytes in [&bytes[..], &bytes[..cut.index(bytes.len())]] {
                let text = String::from_utf8_lossy(bytes);
                let _ = count(&text);
                if let Ok(theirs) = theirs(&text) {
                    prop_assert_eq!(plain(&text), Ok(theirs));
                } else {
                    let _ = ours(&text);
                }
            }
        }

        /// A text that breaks off anywhere is told as such.
        #[test]
        fn a_text_that_breaks_off_is_told(value in json(), cut: prop::sample::Index) {
            prop_assume!(value.is_object() || value.is_array());
            let text = value.to_string();
            let mut cut = cut.index(text.len());
            while !text.is_char_boundary(cut) {
                cut -= 1;
            }
            let error = ours(&text[..cut]).unwrap_err();
            prop_assert!(matches!(error, Fault::End(_)), "{error} in {}", &text[..cut]);
        }
    }

    #[test]
    fn long_texts_are_cut_where_a_character_ends() {
        let long = "x".repeat(500);
        let text = format!(
            r#"{{"a":"{long}","{long}": "short","b":["\\{long}","\u00e9{long}","{}"]}}"#,
            "\\n".repeat(300)
        );
        let brief = abridge(&text);
        assert!(brief.len() < 1800, "{brief}");
        let value: serde_json::Value = serde_json::from_str(&brief).unwrap();
        assert_eq!(value[&long], "short");
        let tagged = format!("\"{long}\\n<think>{long}\"");
        assert_eq!(abridge(&tagged), tagged);
        // A blank text stays as it is.
        assert_eq!(value["b"][2], "\n".repeat(300));
        let list = serde_json::json!(["é\\\"\n\u{1f600}".repeat(50), "\u{1f600}".repeat(99)]);
        for ascii in ["", "a", "ab", "abc", "abcdefg"] {
            let text = list.to_string().replacen('é', ascii, 1);
            let brief: Vec<String> = serde_json::from_str(&abridge(&text)).unwrap();
            let whole: Vec<String> = serde_json::from_str(&text).unwrap();
            for (brief, whole) in brief.iter().zip(&whole) {
                assert!(
                    whole.starts_with(brief) && (30..90).contains(&brief.len()),
                    "{brief}"
                );
            }
        }
    }

    #[test]
    fn bare_words_of_python_are_values() {
        let pairs = plain(r#"{"a":NaN,"b":-Infinity,"c":[NaN]}"#).unwrap();
        let values: Vec<&str> = pairs.into_iter().map(|(_, value)| value).collect();
        assert_eq!(values, ["NaN", "-Infinity", "[NaN]"]);
    }

    #[test]
    fn what_is_no_value_is_refused() {
        for text in [
            r#"{"a":nan}"#,
            r#"{"a":01}"#,
            r#"{"a":1.}"#,
            r#"{"a":.5}"#,
            r#"{"a":1e}"#,
            r#"{"a":+1}"#,
            r#"{"a":--1}"#,
            r#"{"a":}"#,
            r#"{"a"}"#,
            r#"{"a":1,}"#,
            r#"{a:1}"#,
            r#"{"a":[1}}"#,
            r#"{"a":{]}"#,
            "[1,]",
            "[1 2]",
            "[,1]",
            "{} x",
            "[]]",
            "1",
            "",
        ] {
            assert!(ours(text).is_err(), "{text}");
        }
    }

    #[test]
    fn depth_costs_no_stack() {
        let deep = format!(
            "{{\"a\":{}1{}}}",
            "[{\"b\":".repeat(200_000),
            "}]".repeat(200_000)
        );
        assert_eq!(ours(&deep).unwrap().len(), 1);
        let crossed = format!("[{}{}]", "[".repeat(100), "}".repeat(100));
        assert!(ours(&crossed).is_err());
        // Brackets far out are remembered too.
        let wrong = format!("{{\"a\":{{\"b\":{}1{}]}}", "[".repeat(130), "]".repeat(130));
        assert!(ours(&wrong).is_err());
    }

    #[test]
    fn a_second_value_on_the_line_is_found_behind_the_first() {
        let text = r#"{"a":1} {"b":2}"#;
        let end = object(text, |_, _| Ok::<_, Fault>(())).unwrap();
        assert_eq!(&text[end..], r#" {"b":2}"#);
        assert_eq!(nothing_behind(text, end), Err(Fault::Trailing { at: 8 }));
    }
}
