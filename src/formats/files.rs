//! Files under the paths given, their bytes, and the records in them with their places.
//!
//! What is *not* here: what a record means.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::Problem;
use super::json::{self, Fields, JsonError, Mended, Raw};

/// Files at least this long (bytes) are mapped, shorter ones are read.
const MAP_FROM: u64 = 1 << 20;

/// A file that may hold rollouts.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    /// Where it is.
    pub path: PathBuf,
    /// Length in bytes when it was listed.
    pub bytes: u64,
    /// Whether the caller named the file itself (such a file is never skipped by its name).
    pub named: bool,
    /// What tells whether the file is still the one that was listed.
    pub stamp: Stamp,
}

/// What tells one state of a file from a later one, without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    bytes: u64,
    modified: Option<SystemTime>,
    /// Device and inode, where there are such: a file put in place of another has its own.
    node: Option<(u64, u64)>,
}

impl Stamp {
    /// The stamp in a file's metadata.
    pub(crate) fn of(meta: &fs::Metadata) -> Self {
        #[cfg(unix)]
        let node = {
            use std::os::unix::fs::MetadataExt as _;
            Some((meta.dev(), meta.ino()))
        };
        #[cfg(not(unix))]
        let node = None;
        Self {
            bytes: meta.len(),
            modified: meta.modified().ok(),
            node,
        }
    }

    /// Whether there is another file now than the one stamped. A file that is gone cannot be
    /// mistaken for another.
    pub(crate) fn differs(&self, path: &Path) -> bool {
        fs::metadata(path).is_ok_and(|meta| Self::of(&meta) != *self)
    }
}

/// Where a record's bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// Index into the list of files.
    pub file: usize,
    /// First byte.
    pub start: u64,
    /// Length in bytes.
    pub len: u64,
    /// Which element of the JSON list or object at that place, when it is not the whole of it
    /// (texts that had to be mended have no place of their own in the file).
    pub element: Option<usize>,
}

/// Lists the files under `paths`, sorted within each folder. A link is followed only while it
/// stays under its root and leads to a folder not seen yet.
pub(crate) fn list(paths: &[PathBuf], problems: &mut Vec<Problem>) -> Vec<Candidate> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for path in paths {
        match fs::metadata(path) {
            Ok(meta) if meta.is_dir() => match fs::canonicalize(path) {
                Ok(root) => list_folder(path, &root, &mut seen, &mut found, problems),
                Err(error) => problems.push(Problem::of_file(path, &error)),
            },
            Ok(meta) => {
                let new = fs::canonicalize(path).is_ok_and(|real| seen.insert(real));
                if new {
                    found.push(Candidate {
                        path: path.clone(),
                        bytes: meta.len(),
                        named: true,
                        stamp: Stamp::of(&meta),
                    });
                }
            }
            Err(error) => problems.push(Problem::of_file(path, &error)),
        }
    }
    found
}

fn list_folder(
    folder: &Path,
    root: &Path,
    seen: &mut BTreeSet<PathBuf>,
    found: &mut Vec<Candidate>,
    problems: &mut Vec<Problem>,
) {
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        match fs::canonicalize(&folder) {
            Ok(real) if !real.starts_with(root) => {
                problems.push(Problem::new(
                    &folder,
                    "the link leads out of the folder given",
                ));
                continue;
            }
            Ok(real) if !seen.insert(real.clone()) => continue,
            Ok(_) => {}
            Err(error) => {
                problems.push(Problem::of_file(&folder, &error));
                continue;
            }
        }
        let mut entries: Vec<PathBuf> = match fs::read_dir(&folder) {
            Ok(entries) => entries
                .filter_map(Result::ok)
                .map(|entry| entry.path())
                .collect(),
            Err(error) => {
                problems.push(Problem::of_file(&folder, &error));
                continue;
            }
        };
        entries.sort();
        let mut folders = Vec::new();
        for path in entries {
            if path
                .file_name()
                .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
            {
                continue;
            }
            let Ok(link) = fs::symlink_metadata(&path) else {
                continue;
            };
            let Ok(meta) = fs::metadata(&path) else {
                problems.push(Problem::new(&path, "the link leads nowhere"));
                continue;
            };
            if meta.is_dir() {
                folders.push(path);
            } else if meta.is_file() {
                if link.is_symlink() {
                    match fs::canonicalize(&path) {
                        Ok(real) if !real.starts_with(root) => {
                            let reason = "the link leads out of the folder given";
                            problems.push(Problem::new(&path, reason));
                            continue;
                        }
                        // The file itself is listed where it lies.
                        Ok(_) => continue,
                        Err(error) => {
                            problems.push(Problem::of_file(&path, &error));
                            continue;
                        }
                    }
                }
                if seen.insert(fs::canonicalize(&path).unwrap_or_else(|_| path.clone())) {
                    found.push(Candidate {
                        path,
                        bytes: meta.len(),
                        named: false,
                        stamp: Stamp::of(&meta),
                    });
                }
            }
        }
        // A stack gives back the last one first.
        open.extend(folders.into_iter().rev());
    }
}

/// The bytes of a file, mapped when it is long.
#[derive(Debug)]
pub(crate) enum Bytes {
    /// Mapped.
    Mapped(memmap2::Mmap),
    /// Read.
    Read(Vec<u8>),
}

impl Bytes {
    /// Opens a file.
    #[expect(unsafe_code, reason = "mapping a file; see the safety comment")]
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let file = fs::File::open(path)?;
        let len = file.metadata()?.len();
        if len < MAP_FROM {
            let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or(0));
            (&file).read_to_end(&mut bytes)?;
            return Ok(Self::Read(bytes));
        }
        // SAFETY: the map is read-only and dropped when the file is indexed; a writer that cuts the
        // file meanwhile is the risk every mapped reader takes, and texts opened later are read
        // with plain reads.
        unsafe { memmap2::Mmap::map(&file) }.map(Self::Mapped)
    }
}

impl Deref for Bytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Read(bytes) => bytes,
        }
    }
}

/// Reads the bytes at a place.
pub(crate) fn read_place(path: &Path, place: Place) -> io::Result<Vec<u8>> {
    let mut file = fs::File::open(path)?;
    file.seek(SeekFrom::Start(place.start))?;
    let mut bytes = Vec::new();
    file.take(place.len).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != place.len {
        return Err(io::Error::new(
            io::ErrorKind::UnexpectedEof,
            "the file became shorter since it was loaded",
        ));
    }
    Ok(bytes)
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
    pub text: &'a [u8],
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
                let text = raw.get().as_bytes();
                let body = body(text).ok()?;
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

/// Splits a JSON text into an object's fields or a list's elements.
pub(crate) fn body(text: &[u8]) -> Result<Body<'_>, JsonError> {
    if text.trim_ascii_start().first() == Some(&b'[') {
        return serde_json::from_slice(text)
            .map(Body::List)
            .map_err(|error| JsonError::Syntax(error.to_string()));
    }
    Fields::parse(text).map(Body::Object)
}

/// A JSON text that can be split, mended if it had to be.
pub(crate) fn readable(bytes: &[u8]) -> Result<(Cow<'_, [u8]>, Mended), JsonError> {
    let error = match body(bytes) {
        Ok(_) => return Ok((Cow::Borrowed(bytes), Mended::default())),
        Err(error) => error,
    };
    let (text, mended) = json::mend(bytes);
    let Some(text) = text else { return Err(error) };
    body(text.as_bytes())?;
    Ok((Cow::Owned(text.into_bytes()), mended))
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
    let mut out = Vec::new();
    let mut start = bom(bytes);
    let mut number = 0;
    while start < bytes.len() {
        let end = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |at| start + at);
        number += 1;
        let line = &bytes[start..end];
        let lead = line.len() - line.trim_ascii_start().len();
        let trimmed = line.trim_ascii();
        if !trimmed.is_empty() {
            out.push(Line {
                number,
                start: (start + lead) as u64,
                bytes: trimmed,
            });
        }
        start = end + 1;
    }
    out
}

/// Length of the byte order mark at the start, 0 when there is none.
pub(crate) fn bom(bytes: &[u8]) -> usize {
    if bytes.starts_with(b"\xEF\xBB\xBF") {
        3
    } else {
        0
    }
}
