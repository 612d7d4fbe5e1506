//! The records in a file's bytes, with their places.
//!
//! What is *not* here: where the bytes come from (`source`), and what a record means.

use super::json::{self, Fields, JsonError, Raw};
use super::split;

/// Where a record's bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Place {
    /// Index into the list of files.
    pub file: usize,
    /// First byte; of a table the row (0-based).
    pub start: u64,
    /// Length in bytes; 0 for a row of a table, which has no bytes of its own.
    pub len: u64,
    /// Which element of the JSON list or object at that place, when it is not the whole of it
    /// (texts that had to be mended have no place of their own in the file).
    pub element: Option<usize>,
    /// [`digest`] of the bytes when they were indexed; unused for a row of a table.
    pub digest: u32,
}

/// What tells whether the bytes at a place are still those that were indexed: their CRC-32.
pub(crate) fn digest(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

impl Place {
    /// A row (0-based) of a table.
    #[cfg(feature = "parquet")]
    pub(crate) fn of_row(file: usize, row: u64) -> Self {
        Self {
            file,
            start: row,
            len: 0,
            element: None,
            digest: 0,
        }
    }

    /// Whether it is a row of a table.
    pub(crate) fn is_row(self) -> bool {
        self.len == 0
    }
}

/// What a record is made of.
#[derive(Debug)]
pub(crate) enum Body<'a> {
    /// A JSON object.
    Object(Fields<'a>),
    /// A JSON list.
    List(Vec<Raw<'a>>),
}

/// One JSON object or list in a file.
#[derive(Debug)]
pub(crate) struct Record<'a> {
    /// Where its bytes are.
    pub place: Place,
    /// 1-based line, in line formats.
    pub line: Option<u64>,
    /// Its key when it is a value of a JSON object.
    pub key: Option<String>,
    /// The text it was split from.
    pub text: &'a str,
    /// Whether that text differs from the bytes in the file.
    pub mended: bool,
    /// What it is made of.
    pub body: Body<'a>,
}

impl<'a> Record<'a> {
    /// The fields of an object; `None` for a list.
    pub(crate) fn fields(&self) -> Option<&Fields<'a>> {
        match &self.body {
            Body::Object(fields) => Some(fields),
            Body::List(_) => None,
        }
    }

    /// The key it stands under, as the id named `field`.
    ///
    /// # Errors
    /// When the key had to be mended: other keys may have become the same.
    pub(crate) fn checked_key(&self, field: &str) -> Result<Option<&str>, JsonError> {
        match self.key.as_deref() {
            Some(key) if self.mended && key.contains(char::REPLACEMENT_CHARACTER) => {
                Err(JsonError::Id(field.to_owned()))
            }
            key => Ok(key),
        }
    }

    /// Whether it is an object with this key.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.fields().is_some_and(|fields| fields.has(key))
    }

    /// Whether the key holds a JSON list.
    pub(crate) fn has_list(&self, key: &str) -> bool {
        self.fields()
            .and_then(|fields| fields.raw(key))
            .is_some_and(|raw| json::kind(raw.get()) == json::Kind::List)
    }

    /// The record's `schema`, when it names one.
    pub(crate) fn schema(&self) -> Option<String> {
        self.fields()?.text("schema").ok().flatten()
    }

    /// The place of a value of this record: its own when it has one, else the record's with the
    /// number of the element.
    pub(crate) fn place_of(&self, raw: Raw<'_>, index: usize) -> Place {
        let inner = raw.get().as_ptr() as usize;
        let start = self.text.as_ptr() as usize;
        if self.in_file() && (start..start + self.text.len()).contains(&inner) {
            Place {
                file: self.place.file,
                start: self.place.start + (inner - start) as u64,
                len: raw.get().len() as u64,
                element: None,
                digest: digest(raw.get().as_bytes()),
            }
        } else {
            Place {
                element: Some(index),
                ..self.place
            }
        }
    }

    /// Whether the text stands in the file byte for byte.
    pub(crate) fn in_file(&self) -> bool {
        !self.mended && self.place.element.is_none()
    }

    /// The records one level down: the elements of a list, the values of an object, with their
    /// places in the file as far as they have one. Values that are neither are left out.
    pub(crate) fn nested(&self) -> Vec<Record<'a>> {
        let elements: Vec<(Option<String>, Raw<'a>)> = match &self.body {
            Body::Object(fields) => fields
                .pairs()
                .map(|(key, raw)| (Some(key.to_owned()), raw))
                .collect(),
            Body::List(items) => items.iter().map(|raw| (None, *raw)).collect(),
        };
        elements
            .into_iter()
            .enumerate()
            .filter_map(|(index, (key, raw))| {
                let text = raw.get();
                let body = Body::split(text).ok()?;
                let place = self.place_of(raw, index);
                Some(Record {
                    place,
                    line: self.line,
                    key,
                    text,
                    mended: self.mended,
                    body,
                })
            })
            .collect()
    }
}

impl<'a> Body<'a> {
    /// Splits a JSON text into an object's fields or a list's elements.
    pub(crate) fn split(text: &'a str) -> Result<Self, JsonError> {
        match json::kind(text) {
            json::Kind::List => json::elements(text).map(Body::List),
            _ => Fields::split(text).map(Body::Object),
        }
    }
}

/// A JSON text split at its first level.
#[derive(Debug)]
pub(crate) struct Split<'a> {
    /// The text that was split.
    pub text: &'a str,
    /// Its fields or elements.
    pub body: Body<'a>,
    /// Whether the text is another one than in the file.
    pub mended: bool,
    /// Whether bytes that are not UTF-8 were replaced.
    pub not_utf8: bool,
}

/// Splits bytes that are one JSON object or list. `holder` takes the text when it has to be mended:
/// when bytes are not UTF-8, or keys hold what no text can hold.
///
/// # Errors
/// When they are none, or are broken at the first level.
pub(crate) fn split<'a>(bytes: &'a [u8], holder: &'a mut String) -> Result<Split<'a>, JsonError> {
    let not_utf8 = match json::utf8(bytes) {
        Ok(text) => {
            let body = Body::split(text)?;
            if !matches!(&body, Body::Object(fields) if fields.has_lossy_keys()) {
                return Ok(Split {
                    text,
                    body,
                    mended: false,
                    not_utf8: false,
                });
            }
            false
        }
        Err(_) => true,
    };
    *holder = json::mend(bytes).unwrap_or_else(|| String::from_utf8_lossy(bytes).into_owned());
    Ok(Split {
        text: holder,
        body: Body::split(holder)?,
        mended: true,
        not_utf8,
    })
}

/// Pieces of a text with their first bytes, and what is wrong behind the last one.
pub(crate) type Pieces<'a> = (Vec<(usize, &'a [u8])>, Option<JsonError>);

/// The objects and lists that stand one behind another, each with its first byte, where there are
/// several; and what is wrong behind the last one.
pub(crate) fn pieces(bytes: &[u8]) -> Option<Pieces<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    let error = loop {
        at += bytes[at..].len() - bytes[at..].trim_ascii_start().len();
        if at == bytes.len() {
            break None;
        }
        match split::end_of(&bytes[at..]) {
            Ok(length) => {
                found.push((at, &bytes[at..at + length]));
                at += length;
            }
            Err(fault) => break Some(fault.into()),
        }
    };
    (found.len() > 1).then_some((found, error))
}

/// One non-blank line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'a> {
    /// 1-based number.
    pub number: u64,
    /// First byte within the file.
    pub start: u64,
    /// The line without its end and without blanks around it.
    pub bytes: &'a [u8],
}

/// Splits into non-blank lines; a byte order mark is left out.
pub(crate) fn lines(bytes: &[u8]) -> Vec<Line<'_>> {
    lines_from(bytes, 0, 0).collect()
}

/// The non-blank lines of bytes before which a file has this many bytes and line ends. A byte order
/// mark at its very start is left out.
pub(crate) fn lines_from(
    bytes: &[u8],
    before: u64,
    mut number: u64,
) -> impl Iterator<Item = Line<'_>> {
    let mut start = if before == 0 { bom(bytes) } else { 0 };
    std::iter::from_fn(move || {
        while start < bytes.len() {
            let end = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |at| start + at);
            number += 1;
            let line = &bytes[start..end];
            let lead = line.len() - line.trim_ascii_start().len();
            let first = before + (start + lead) as u64;
            start = end + 1;
            let trimmed = line.trim_ascii();
            if !trimmed.is_empty() {
                return Some(Line {
                    number,
                    start: first,
                    bytes: trimmed,
                });
            }
        }
        None
    })
}

/// Length of the byte order mark at the start, 0 when there is none.
pub(crate) fn bom(bytes: &[u8]) -> usize {
    if bytes.starts_with(b"\xEF\xBB\xBF") {
        3
    } else {
        0
    }
}
