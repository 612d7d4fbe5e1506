//! JSON as Python writes it: lazily split records that survive NaN, lone surrogates, broken UTF-8
//! and duplicate keys.
//!
//! A record is split into (key, raw value) pairs without decoding the values; a value is decoded
//! when it is asked for. What is *not* here: what any key means.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::split::{self, Fault};

/// Returns the text as JSON that `serde_json` accepts, or `None` when nothing had to be mended.
/// Bare `NaN`, `Infinity` and `-Infinity` become strings of the same letters, lone surrogates and
/// bytes that are not UTF-8 become U+FFFD, bare control characters in texts become escapes.
pub(crate) fn mend(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let mut out = String::with_capacity(text.len() + 16);
    let mut changed = matches!(text, Cow::Owned(_));
    let mut rest = text.as_ref();
    while let Some(at) = rest.find(['"', 'N', 'I', '-']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if rest.starts_with('"') {
            let end = string_end(rest);
            let fixed = mend_escapes(&rest[..end]);
            changed |= matches!(fixed, Cow::Owned(_));
            out.push_str(&fixed);
            rest = &rest[end..];
        } else if let Some(token) = ["NaN", "-Infinity", "Infinity"]
            .into_iter()
            .find(|token| rest.starts_with(token))
        {
            changed = true;
            out.push('"');
            out.push_str(token);
            out.push('"');
            rest = &rest[token.len()..];
        } else {
            out.push_str(&rest[..1]);
            rest = &rest[1..];
        }
    }
    out.push_str(rest);
    changed.then_some(out)
}

/// Length in bytes of the JSON string literal at the start of `text`, quotes included; all of the
/// text when the literal does not end.
fn string_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    // An escape at the very end may have stepped past it.
    text.len()
}

/// Replaces `\uD8xx` escapes that have no partner, and writes bare control characters as escapes (as
/// Python reads them when it is not strict), in one string literal.
fn mend_escapes(literal: &str) -> Cow<'_, str> {
    let is_control = |byte: &u8| *byte < b' ';
    if !literal.contains("\\u") && !literal.as_bytes().iter().any(is_control) {
        return Cow::Borrowed(literal);
    }
    let unit = |at: usize| -> Option<u16> {
        let hex = literal.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(hex, 16).ok()
    };
    let bytes = literal.as_bytes();
    let mut out = String::new();
    let (mut copied, mut at) = (0, 0);
    while at < bytes.len() {
        if is_control(&bytes[at]) {
            out.push_str(&literal[copied..at]);
            let _ = write!(out, "\\u{:04x}", bytes[at]);
            at += 1;
            copied = at;
            continue;
        }
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        match unit(at) {
            Some(0xD800..=0xDBFF) if matches!(unit(at + 6), Some(0xDC00..=0xDFFF)) => at += 12,
            Some(0xD800..=0xDFFF) => {
                out.push_str(&literal[copied..at]);
                out.push_str("\\ufffd");
                at += 6;
                copied = at;
            }
            Some(_) => at += 6,
            None => at += 2,
        }
    }
    if copied == 0 {
        return Cow::Borrowed(literal);
    }
    out.push_str(&literal[copied..]);
    Cow::Owned(out)
}

/// Why a record or a value cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum JsonError {
    /// Not JSON at all, or cut off.
    #[error("not valid JSON: {0}")]
    Syntax(String),
    /// JSON of another shape.
    #[error("{field}: expected {expected}, found {found}")]
    Type {
        /// The key.
        field: String,
        /// What the format says.
        expected: &'static str,
        /// The start of what stands there.
        found: String,
    },
    /// Something inside a value.
    #[error("{0}: {1}")]
    Inside(String, Box<JsonError>),
    /// An id that no text can hold.
    #[error(
        "{0}: the id holds a lone surrogate or bytes that are not UTF-8; it is refused, since \
         mended ids could become the same"
    )]
    Id(String),
}

impl From<Fault> for JsonError {
    fn from(fault: Fault) -> Self {
        Self::Syntax(fault.to_string())
    }
}

/// The text of one JSON value, not decoded; what is inside a list or object is not checked yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Raw<'a> {
    text: &'a str,
    len: usize,
}

impl<'a> Raw<'a> {
    /// A text that is one JSON value, checked through and through.
    ///
    /// # Errors
    /// When it is none, or more than one.
    pub(crate) fn parse(text: &'a str) -> Result<Self, JsonError> {
        let raw: &serde_json::value::RawValue =
            serde_json::from_str(text).map_err(|error| JsonError::Syntax(error.to_string()))?;
        Ok(Self {
            text: raw.get(),
            len: split::count(raw.get()).unwrap_or(0),
        })
    }

    /// A text that is known to be one JSON value, as the values of a record are.
    pub(crate) fn known(text: &'a str) -> Self {
        Self {
            text,
            len: split::count(text).unwrap_or(0),
        }
    }

    /// The JSON text, without blanks around it.
    pub(crate) fn get(self) -> &'a str {
        self.text
    }

    /// The shape of the value.
    pub(crate) fn kind(self) -> Kind {
        kind(self.text)
    }

    /// Number of elements of a list or pairs of an object, without splitting it; 0 for anything
    /// else.
    pub(crate) fn len(self) -> usize {
        self.len
    }

    /// The text as JSON that any reader takes: bare `NaN` and `Infinity` become strings of the same
    /// letters, lone surrogates U+FFFD.
    pub(crate) fn strict(self) -> Cow<'a, str> {
        let may_differ = ["NaN", "Infinity", "\\u"]
            .iter()
            .any(|sign| memchr::memmem::find(self.text.as_bytes(), sign.as_bytes()).is_some());
        match may_differ.then(|| mend(self.text.as_bytes())).flatten() {
            Some(mended) => Cow::Owned(mended),
            None => Cow::Borrowed(self.text),
        }
    }
}

impl<'a> From<split::Value<'a>> for Raw<'a> {
    fn from(value: split::Value<'a>) -> Self {
        Self {
            text: value.text,
            len: value.len,
        }
    }
}

/// One JSON object, split.
#[derive(Debug, Default)]
pub(crate) struct Fields<'a> {
    pairs: Vec<(Cow<'a, str>, Raw<'a>)>,
    lossy_keys: bool,
}

/// Bytes as text.
///
/// # Errors
/// When they are not UTF-8.
pub(crate) fn utf8(bytes: &[u8]) -> Result<&str, JsonError> {
    simdutf8::basic::from_utf8(bytes).map_err(|_| JsonError::Syntax("not UTF-8".to_owned()))
}

impl<'a> Fields<'a> {
    /// Splits an object.
    pub(crate) fn parse(text: &'a [u8]) -> Result<Self, JsonError> {
        Self::split(utf8(text)?)
    }

    /// Splits a text that is an object.
    ///
    /// # Errors
    /// When it is none, is broken at its level, or more stands behind it.
    pub(crate) fn split(text: &'a str) -> Result<Self, JsonError> {
        let (fields, end) = Self::first(text)?;
        split::nothing_behind(text, end)?;
        Ok(fields)
    }

    /// Splits the object at the start of a text; also tells the byte behind it.
    ///
    /// # Errors
    /// When there is none, or it is broken at its level.
    pub(crate) fn first(text: &'a str) -> Result<(Self, usize), JsonError> {
        let mut fields = Self::default();
        let end = split::object(text, |key, value| {
            let (key, lossy) = key_text(text, &key)?;
            fields.pairs.push((key, value.into()));
            fields.lossy_keys |= lossy;
            Ok::<_, JsonError>(())
        })?;
        Ok((fields, end))
    }

    /// Whether lone surrogates were replaced in a key.
    pub(crate) fn has_lossy_keys(&self) -> bool {
        self.lossy_keys
    }

    /// Splits a raw value; an error when it is no object.
    pub(crate) fn of(field: &str, raw: Raw<'a>) -> Result<Self, JsonError> {
        if kind(raw.get()) != Kind::Object {
            return Err(wrong(field, "an object", raw.get()));
        }
        Self::split(raw.get())
    }

    /// The raw value of a key; the last one when the key occurs twice (as Python reads it).
    pub(crate) fn raw(&self, key: &str) -> Option<Raw<'a>> {
        self.pairs
            .iter()
            .rev()
            .find(|(name, _)| name == key)
            .map(|(_, raw)| *raw)
    }

    /// The raw value of a key unless it is absent or null.
    pub(crate) fn some(&self, key: &str) -> Option<Raw<'a>> {
        self.raw(key).filter(|raw| raw.get() != "null")
    }

    /// Whether the key occurs.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.pairs.iter().any(|(name, _)| name == key)
    }

    /// The keys in file order.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        self.pairs.iter().map(|(key, _)| key.as_ref())
    }

    /// The pairs in file order.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&str, Raw<'a>)> {
        self.pairs.iter().map(|(key, raw)| (key.as_ref(), *raw))
    }

    /// Keys that occur more than once.
    pub(crate) fn duplicates(&self) -> Vec<&str> {
        let mut seen = std::collections::BTreeSet::new();
        self.keys().filter(|key| !seen.insert(*key)).collect()
    }

    /// Keys that occur more than once with different values, each once.
    pub(crate) fn contradictions(&self) -> Vec<&str> {
        let mut pairs: Vec<(&str, &str)> =
            self.pairs().map(|(key, raw)| (key, raw.get())).collect();
        pairs.sort_unstable();
        let mut keys: Vec<&str> = pairs
            .windows(2)
            .filter(|two| two[0].0 == two[1].0 && two[0].1 != two[1].1)
            .map(|two| two[0].0)
            .collect();
        keys.dedup();
        keys
    }

    /// A text; `None` when absent or null.
    pub(crate) fn text(&self, key: &str) -> Result<Option<String>, JsonError> {
        self.some(key).map(|raw| text(key, raw.get())).transpose()
    }

    /// A text or, as some writers have it, a number read as text.
    pub(crate) fn text_or_number(&self, key: &str) -> Result<Option<String>, JsonError> {
        let Some(raw) = self.some(key) else {
            return Ok(None);
        };
        match kind(raw.get()) {
            Kind::Number => Ok(Some(raw.get().to_owned())),
            _ => text(key, raw.get()).map(Some),
        }
    }

    /// An id, and whether it is a number read as text. `mended` tells whether the text was split
    /// from one that had to be mended.
    ///
    /// # Errors
    /// When it is of another type, or holds what no text can hold.
    pub(crate) fn id(&self, key: &str, mended: bool) -> Result<Option<(String, bool)>, JsonError> {
        let (Some(raw), Some(id)) = (self.some(key), self.text_or_number(key)?) else {
            return Ok(None);
        };
        if kind(raw.get()) == Kind::Number {
            return Ok(Some((id, true)));
        }
        // Escapes are only decoded, and so only mended, here.
        let lossy = (mended && id.contains(char::REPLACEMENT_CHARACTER))
            || serde_json::from_str::<String>(raw.get()).is_err();
        if lossy {
            return Err(JsonError::Id(key.to_owned()));
        }
        Ok(Some((id, false)))
    }

    /// A number; NaN and the infinities as such.
    pub(crate) fn number(&self, key: &str) -> Result<Option<f64>, JsonError> {
        let Some(raw) = self.some(key) else {
            return Ok(None);
        };
        number(raw.get())
            .map(Some)
            .ok_or_else(|| wrong(key, "a number", raw.get()))
    }

    /// A number that is not negative, rounded; `None` when absent.
    pub(crate) fn count(&self, key: &str) -> Result<Option<u64>, JsonError> {
        match self.number(key)? {
            None => Ok(None),
            // The cast saturates; counts of this size do not occur.
            Some(value) if value >= 0.0 && value.is_finite() => Ok(Some(value.round() as u64)),
            Some(value) => Err(wrong(key, "a count", &value.to_string())),
        }
    }

    /// A whole number.
    pub(crate) fn integer(&self, key: &str) -> Result<Option<i64>, JsonError> {
        let Some(raw) = self.some(key) else {
            return Ok(None);
        };
        serde_json::from_str(raw.get())
            .map(Some)
            .map_err(|_| wrong(key, "a whole number", raw.get()))
    }

    /// A boolean.
    pub(crate) fn boolean(&self, key: &str) -> Result<Option<bool>, JsonError> {
        let Some(raw) = self.some(key) else {
            return Ok(None);
        };
        match raw.get() {
            "true" => Ok(Some(true)),
            "false" => Ok(Some(false)),
            other => Err(wrong(key, "true or false", other)),
        }
    }

    /// The elements of a list; `None` when absent or null.
    pub(crate) fn list(&self, key: &str) -> Result<Option<Vec<Raw<'a>>>, JsonError> {
        self.some(key).map(|raw| list(key, raw)).transpose()
    }

    /// Number of elements of a list, without splitting it; `None` when absent or null.
    ///
    /// # Errors
    /// When it is no list.
    pub(crate) fn list_len(&self, key: &str) -> Result<Option<usize>, JsonError> {
        match self.some(key) {
            None => Ok(None),
            Some(raw) if raw.kind() == Kind::List => Ok(Some(raw.len())),
            Some(raw) => Err(wrong(key, "a list", raw.get())),
        }
    }

    /// The texts of a list, and what its other elements are instead.
    ///
    /// # Errors
    /// When it is no list.
    pub(crate) fn texts_among(
        &self,
        key: &str,
    ) -> Result<(Vec<String>, Vec<JsonError>), JsonError> {
        let (mut texts, mut errors) = (Vec::new(), Vec::new());
        for (index, raw) in self.list(key)?.unwrap_or_default().into_iter().enumerate() {
            match text(&element_name(key, index), raw.get()) {
                Ok(text) => texts.push(text),
                Err(error) => errors.push(error),
            }
        }
        Ok((texts, errors))
    }

    /// A list of texts; `None` when absent or null.
    pub(crate) fn texts(&self, key: &str) -> Result<Option<Vec<String>>, JsonError> {
        let Some(items) = self.list(key)? else {
            return Ok(None);
        };
        items
            .into_iter()
            .map(|raw| text(key, raw.get()))
            .collect::<Result<_, _>>()
            .map(Some)
    }

    /// An object; `None` when absent or null.
    pub(crate) fn object(&self, key: &str) -> Result<Option<Fields<'a>>, JsonError> {
        self.some(key).map(|raw| Fields::of(key, raw)).transpose()
    }

    /// The pairs whose keys are not known, as (key, JSON text).
    pub(crate) fn extra(&self, known: &[&str]) -> Vec<(String, String)> {
        self.pairs()
            .filter(|(key, _)| !known.contains(key))
            .map(|(key, raw)| (key.to_owned(), raw.strict().into_owned()))
            .collect()
    }
}

/// The text of a key, and whether lone surrogates were replaced in it.
fn key_text<'a>(text: &'a str, key: &split::Key<'a>) -> Result<(Cow<'a, str>, bool), JsonError> {
    if let Some(key) = split::key(text, key) {
        return Ok((key, false));
    }
    let broken = || JsonError::Syntax(format!("a key that is no text at column {}", key.at + 1));
    let literal = text.get(key.at..key.at + key.literal.len() + 2);
    let mended = mend_escapes(literal.ok_or_else(broken)?);
    let key = serde_json::from_str::<String>(&mended).map_err(|_| broken())?;
    Ok((Cow::Owned(key), true))
}

/// How the element at a 0-based index of a list is called in errors.
pub(crate) fn element_name(list: &str, index: usize) -> String {
    format!("{list}: element {}", index + 1)
}

/// Reads an object that is an element of a list; errors name the list and the element.
pub(crate) fn element<'a, T>(
    list: &str,
    index: usize,
    raw: Raw<'a>,
    read: impl FnOnce(&Fields<'a>) -> Result<T, JsonError>,
) -> Result<T, JsonError> {
    let name = element_name(list, index);
    let fields = Fields::of(&name, raw)?;
    read(&fields).map_err(|error| JsonError::Inside(name, Box::new(error)))
}

/// The shape of a JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `{...}`
    Object,
    /// `[...]`
    List,
    /// `"..."`
    Text,
    /// Digits.
    Number,
    /// `true`, `false`, `null`.
    Word,
}

/// The shape of a JSON text, from its first character.
pub(crate) fn kind(json: &str) -> Kind {
    match json.trim_start().as_bytes().first() {
        Some(b'{') => Kind::Object,
        Some(b'[') => Kind::List,
        Some(b'"') => Kind::Text,
        Some(b't' | b'f' | b'n') => Kind::Word,
        _ => Kind::Number,
    }
}

/// Decodes a JSON string, lone surrogates lossily.
pub(crate) fn text(field: &str, json: &str) -> Result<String, JsonError> {
    if kind(json) != Kind::Text {
        return Err(wrong(field, "a text", json));
    }
    serde_json::from_str::<String>(json)
        .or_else(|_| serde_json::from_str::<String>(&mend_escapes(json)))
        .map_err(|error| JsonError::Syntax(format!("{field}: {error}")))
}

/// Decodes a number; NaN and infinities also as the words Python writes for them.
pub(crate) fn number(json: &str) -> Option<f64> {
    match json.trim_matches('"') {
        "NaN" | "nan" => Some(f64::NAN),
        "Infinity" | "inf" => Some(f64::INFINITY),
        "-Infinity" | "-inf" => Some(f64::NEG_INFINITY),
        "true" if !json.starts_with('"') => Some(1.0),
        "false" if !json.starts_with('"') => Some(0.0),
        // Rust parses `1e400` to infinity, where serde_json refuses it.
        _ if kind(json) == Kind::Number => json.parse().ok(),
        _ => None,
    }
}

/// Splits a list.
pub(crate) fn list<'a>(field: &str, raw: Raw<'a>) -> Result<Vec<Raw<'a>>, JsonError> {
    if kind(raw.get()) != Kind::List {
        return Err(wrong(field, "a list", raw.get()));
    }
    elements(raw.get())
}

/// Splits a text that is a list.
///
/// # Errors
/// When it is none, is broken at its level, or more stands behind it.
pub(crate) fn elements(text: &str) -> Result<Vec<Raw<'_>>, JsonError> {
    let (items, end) = first_list(text)?;
    split::nothing_behind(text, end)?;
    Ok(items)
}

/// Splits the list at the start of a text; also tells the byte behind it.
///
/// # Errors
/// When there is none, or it is broken at its level.
pub(crate) fn first_list(text: &str) -> Result<(Vec<Raw<'_>>, usize), JsonError> {
    let mut items = Vec::new();
    let end = split::list(text, |value| {
        items.push(value.into());
        Ok::<_, Fault>(())
    })?;
    Ok((items, end))
}

/// An error about a value of the wrong type.
pub(crate) fn wrong(field: &str, expected: &'static str, found: &str) -> JsonError {
    let mut shown: String = found.chars().take(40).collect();
    if shown.len() < found.len() {
        shown.push('…');
    }
    JsonError::Type {
        field: field.to_owned(),
        expected,
        found: shown,
    }
}

/// A key, when the value has one, and its value.
pub(crate) type Element<'a> = (Option<String>, Raw<'a>);

/// Reads the complete elements of a list or values of an object that may be cut off: what could be
/// read, and the error if there was one. Keys are given for objects.
pub(crate) fn split_whole(text: &str) -> (Vec<Element<'_>>, Option<JsonError>) {
    let mut found = Vec::new();
    let end = if kind(text) == Kind::List {
        split::list(text, |value| {
            found.push((None, value.into()));
            Ok::<_, JsonError>(())
        })
    } else {
        split::object(text, |key, value| {
            let (key, _) = key_text(text, &key)?;
            found.push((Some(key.into_owned()), value.into()));
            Ok(())
        })
    };
    (found, end.err())
}

/// Whether bytes are the beginning of a JSON value, or all of it, checked through and through; bare
/// `NaN`, lone surrogates and control characters in texts are let pass.
pub(crate) fn breaks_off(bytes: &[u8]) -> bool {
    let mended = mend(bytes);
    let text = mended.as_deref().map_or(bytes, str::as_bytes);
    match serde_json::from_slice::<serde::de::IgnoredAny>(text) {
        Ok(_) => true,
        Err(error) => error.is_eof(),
    }
}

/// What is broken anywhere in a text that splits well, bare `NaN` and lone surrogates aside; `None`
/// when nothing is.
pub(crate) fn broken_inside(text: &str) -> Option<JsonError> {
    let check = |text: &str| serde_json::from_str::<&serde_json::value::RawValue>(text).err();
    check(text)?;
    let error = match mend(text.as_bytes()) {
        Some(mended) => check(&mended)?,
        None => check(text)?,
    };
    Some(JsonError::Syntax(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mends_bare_tokens_and_lone_surrogates_only_where_they_stand() {
        let fixed = mend(br#"{"a":NaN,"b":"NaN \ud800 x","c":[-Infinity,-1]}"#);
        assert_eq!(
            fixed.as_deref(),
            Some(r#"{"a":"NaN","b":"NaN \ufffd x","c":["-Infinity",-1]}"#)
        );
        assert_eq!(
            mend(b"{\"a\":\"x\ty\0\"}").as_deref(),
            Some(r#"{"a":"x\u0009y\u0000"}"#)
        );
        assert_eq!(
            text("a", "\"x\ty \\ud800\""),
            Ok("x\ty \u{fffd}".to_owned())
        );
        assert_eq!(mend(br#"{"a":"\\ud83d"}"#), None);
        assert_eq!(mend("{\"a\":\"\\ud83d\\ude00\"}".as_bytes()), None);
        assert_eq!(mend(br#"{"a":"x\"#), None);
    }

    #[test]
    fn numbers_out_of_range_are_infinite() {
        let fields = Fields::parse(br#"{"a":1e400,"b":123456789012345678901234567890}"#);
        let fields = fields.expect("valid");
        assert_eq!(fields.number("a"), Ok(Some(f64::INFINITY)));
        assert_eq!(
            fields.number("b"),
            Ok(Some(123_456_789_012_345_678_901_234_567_890.0))
        );
    }

    #[test]
    fn keys_are_decoded_and_lossy_ones_told() {
        let fields = Fields::split(r#"{"a\u00e4\n":1,"b":[1,2]}"#).expect("valid");
        assert_eq!(fields.keys().collect::<Vec<_>>(), ["aä\n", "b"]);
        assert!(!fields.has_lossy_keys());
        assert_eq!(fields.list_len("b"), Ok(Some(2)));
        assert!(fields.list_len("aä\n").is_err());
        let fields = Fields::split(r#"{"a\ud800":1}"#).expect("valid");
        assert!(fields.has_lossy_keys());
        assert_eq!(fields.keys().next(), Some("a\u{fffd}"));
        assert!(Fields::split(r#"{"a\q":1}"#).is_err());
    }

    #[test]
    fn values_are_handed_on_as_json_that_any_reader_takes() {
        let fields = Fields::split(r#"{"a":{"b":NaN},"c":"\ud800","d":[1,"NaN"]}"#);
        let extra = fields.expect("valid").extra(&["x"]);
        let values: Vec<&str> = extra.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values, [r#"{"b":"NaN"}"#, r#""\ufffd""#, r#"[1,"NaN"]"#]);
    }

    #[test]
    fn what_is_broken_inside_a_value_is_found_when_asked() {
        let text = r#"{"a":[NaN,"\ud800",{"b":oops}]}"#;
        assert!(Fields::split(text).is_ok());
        assert!(broken_inside(text).is_some());
        assert_eq!(broken_inside(r#"{"a":[NaN,"\ud800",-Infinity]}"#), None);
    }

    #[test]
    fn duplicate_keys_are_kept_and_the_last_counts() {
        let fields = Fields::parse(br#"{"a":1,"a":2}"#).expect("valid");
        assert_eq!(fields.duplicates(), ["a"]);
        assert_eq!(fields.number("a"), Ok(Some(2.0)));
    }
}
