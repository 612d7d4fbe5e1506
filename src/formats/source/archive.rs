//! What is packed in what: compressed files, and the members of archives, as if an archive were a
//! folder.
//!
//! Recognised by their first bytes, never by their names. Nothing is written under the names that
//! stand in an archive. What is *not* here: unpacking (`packed`).

use std::cmp::Ordering;
use std::collections::HashMap;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use super::packed::{Coding, Method, Packed};
use super::spool::Spool;
use super::store::Store;
use super::{Candidate, Stamp};
use crate::formats::scan::is_beside;
use crate::formats::{Problem, slime};

/// Bytes that tell what something is.
const HEAD: usize = 512;
/// Archives within archives that are read.
const DEEPEST: usize = 3;
/// Compressions around one another that are read.
const WRAPPED: usize = 2;
/// Members that an archive may have.
const MEMBERS: usize = 1_000_000;
/// Members with the same kind of problem told one by one.
const TOLD: usize = 20;

/// What bytes are, by the first ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Compressed(Coding),
    Zip,
    Tar,
    /// Packed in a way that is not read.
    Foreign(&'static str),
    Plain,
}

/// Files found, and problems on the way.
type Listed = (Vec<Candidate>, Vec<Problem>);

/// Opens what is packed among the files listed, keeping their order.
pub(super) fn expand(files: Vec<Candidate>, problems: &mut Vec<Problem>) -> Vec<Candidate> {
    let spool = Arc::new(Spool::default());
    let parts: Vec<Listed> = files
        .into_par_iter()
        .map(|file| {
            let nothing = Candidate {
                store: Store::Nothing(Arc::from(file.origin())),
                ..file.clone()
            };
            let (mut found, told) = expand_one(file, &spool, 0, 0);
            if found.is_empty() {
                found.push(nothing);
            }
            (found, told)
        })
        .collect();
    join(parts, problems)
}

fn join(parts: Vec<Listed>, problems: &mut Vec<Problem>) -> Vec<Candidate> {
    let mut files = Vec::new();
    for (found, told) in parts {
        files.extend(found);
        problems.extend(told);
    }
    files
}

/// A stream, such as a pipe: it is kept when it is read.
pub(super) fn stream(of: Store) -> Store {
    let packed = Packed::new(of, Coding::Stream, &Arc::new(Spool::default()));
    Store::Packed(Arc::new(packed))
}

fn expand_one(file: Candidate, spool: &Arc<Spool>, depth: usize, wrapped: usize) -> Listed {
    if file.store.is_stream() {
        // Looking at it would wait for its writer.
        return (vec![file], Vec::new());
    }
    if !file.named && (is_beside(&file.path) || is_far_text(&file)) {
        return (vec![file], Vec::new());
    }
    let Ok(head) = file.store.head(HEAD) else {
        // Told when it is read, if it is of interest at all.
        return (vec![file], Vec::new());
    };
    let path = file.path.clone();
    let told = |reason: &str| (Vec::new(), vec![Problem::new(&path, reason)]);
    // Many of them are zip archives, too.
    if slime::is_pickle(&path, &head) {
        return told(slime::PICKLE);
    }
    match kind(&head) {
        Kind::Plain => (vec![file], Vec::new()),
        Kind::Foreign(name) => told(&format!("compressed with {name}: not supported")),
        Kind::Compressed(_) if wrapped == WRAPPED => told("compressed more than twice: not read"),
        Kind::Compressed(coding) => {
            let packed = Packed::new(file.store, coding, spool);
            let file = Candidate {
                store: Store::Packed(Arc::new(packed)),
                ..file
            };
            expand_one(file, spool, depth, wrapped + 1)
        }
        Kind::Zip | Kind::Tar if depth == DEEPEST => {
            told("archives within archives are read three deep only")
        }
        archive => {
            let mut problems = Vec::new();
            let members = if archive == Kind::Zip {
                zip_members(&file, spool, &mut problems)
            } else {
                tar_members(&file, &mut problems)
            };
            if members.is_empty() && problems.is_empty() {
                problems.push(Problem::new(&path, "the archive holds no files"));
            }
            let members = in_folder_order(members, &path, &mut problems);
            let parts: Vec<Listed> = members
                .into_par_iter()
                .map(|member| expand_one(member, spool, depth + 1, 0))
                .collect();
            let files = join(parts, &mut problems);
            (files, problems)
        }
    }
}

/// Whether it is JSON by its name and far away: looking at each would take as long as reading it.
fn is_far_text(file: &Candidate) -> bool {
    let extension = file.path.extension().and_then(|name| name.to_str());
    file.store.is_far()
        && matches!(
            extension,
            Some("json" | "jsonl" | "ndjson" | "traj" | "pred")
        )
}

fn kind(head: &[u8]) -> Kind {
    let starts = |magic: &[u8]| head.starts_with(magic);
    if starts(b"\x1f\x8b\x08") {
        Kind::Compressed(Coding::Gzip)
    } else if starts(b"\x28\xb5\x2f\xfd")
        || (head.get(1..4) == Some(b"\x2a\x4d\x18") && head[0] & 0xf0 == 0x50)
    {
        Kind::Compressed(Coding::Zstd)
    } else if starts(b"PK\x03\x04") || starts(b"PK\x05\x06") || starts(b"PK\x07\x08") {
        Kind::Zip
    } else if head.get(257..262) == Some(b"ustar") {
        Kind::Tar
    } else if starts(b"BZh") && head.get(4..10) == Some(b"\x31\x41\x59\x26\x53\x59") {
        Kind::Foreign("bzip2")
    } else if starts(b"\xfd7zXZ\0") {
        Kind::Foreign("xz")
    } else if starts(b"\x04\x22\x4d\x18") {
        Kind::Foreign("lz4")
    } else if starts(b"7z\xbc\xaf\x27\x1c") {
        Kind::Foreign("7-Zip")
    } else if starts(b"Rar!\x1a\x07") {
        Kind::Foreign("RAR")
    } else {
        Kind::Plain
    }
}

/// The members of a zip archive.
fn zip_members(
    file: &Candidate,
    spool: &Arc<Spool>,
    problems: &mut Vec<Problem>,
) -> Vec<Candidate> {
    let reader = BufReader::new(file.store.reader());
    let archive = match zip::ZipArchive::new(reader) {
        Ok(archive) => archive,
        Err(error) => {
            let reason = format!("the archive cannot be read: {error}");
            problems.push(Problem::new(&file.path, reason));
            return Vec::new();
        }
    };
    if !is_few(archive.len(), file, problems) {
        return Vec::new();
    }
    let outer = Arc::new(file.store.clone());
    let mut refused = Refused::default();
    let mut members = Vec::new();
    for index in 0..archive.len() {
        let Ok(entry) = archive.by_index_data(index) else {
            refused.tell(&file.path, "its entry cannot be read".to_owned(), problems);
            continue;
        };
        let name = match entry.name() {
            Ok(name) => name.replace('\\', "/"),
            Err(_) => String::from_utf8_lossy(entry.name_raw()).replace('\\', "/"),
        };
        if entry.is_dir() || entry.is_symlink() {
            continue;
        }
        let Some(path) = inside(&file.path, name.as_bytes()) else {
            continue;
        };
        if entry.encrypted() {
            refused.tell(&path, "it is encrypted".to_owned(), problems);
            continue;
        }
        let method = match entry.compression() {
            zip::CompressionMethod::Stored => None,
            zip::CompressionMethod::Deflated => Some(Method::Deflate),
            zip::CompressionMethod::Zstd => Some(Method::Zstd),
            other => {
                let reason = format!("compressed with {other}: not supported");
                refused.tell(&path, reason, problems);
                continue;
            }
        };
        let start = match data_start(&outer, entry.header_start()) {
            Ok(start) => start,
            Err(error) => {
                refused.tell(&path, format!("cannot be read: {error}"), problems);
                continue;
            }
        };
        let part = Store::Part {
            of: Arc::clone(&outer),
            start,
            len: entry.compressed_size(),
        };
        let store = match method {
            None => part,
            Some(method) => {
                let coding = Coding::Member {
                    method,
                    len: entry.size(),
                    crc: entry.crc32(),
                };
                Store::Packed(Arc::new(Packed::new(part, coding, spool)))
            }
        };
        members.push(member(path, entry.size(), file.stamp, store));
    }
    refused.rest(&file.path, problems);
    members
}

/// Where a member's bytes begin: behind its local header, whose names may be longer than those in
/// the directory.
fn data_start(archive: &Store, header: u64) -> std::io::Result<u64> {
    let bytes = archive.read(header, 30)?;
    if !bytes.starts_with(b"PK\x03\x04") {
        let reason = "there is no member where the archive tells";
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, reason));
    }
    let number = |at: usize| u64::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
    Ok(header + 30 + number(26) + number(28))
}

/// The members of a tar archive; one that breaks off gives what comes before.
fn tar_members(file: &Candidate, problems: &mut Vec<Problem>) -> Vec<Candidate> {
    let broken = |error: &dyn std::fmt::Display| {
        let reason = format!("the archive cannot be read from here on: {error}");
        Problem::new(&file.path, reason)
    };
    let len = match file.store.len() {
        Ok(len) => len,
        Err(error) => {
            problems.push(Problem::of_file(&file.path, &error));
            return Vec::new();
        }
    };
    if let Some(damage) = file.store.damage() {
        problems.push(Problem::new(&file.path, damage));
    }
    let outer = Arc::new(file.store.clone());
    let mut archive = tar::Archive::new(outer.reader());
    let entries = match archive.entries_with_seek() {
        Ok(entries) => entries,
        Err(error) => {
            problems.push(broken(&error));
            return Vec::new();
        }
    };
    let mut refused = Refused::default();
    let mut members = Vec::new();
    for entry in entries {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                problems.push(broken(&error));
                break;
            }
        };
        let name = entry.path_bytes();
        let Some(path) = inside(&file.path, &name) else {
            continue;
        };
        let kind = entry.header().entry_type();
        if kind.is_gnu_sparse() {
            refused.tell(&path, "a sparse member: not supported".to_owned(), problems);
        } else if kind.is_symlink() {
            // A link's file is listed where it lies, as in a folder.
            let target = entry.link_name_bytes().unwrap_or_default();
            if leads_out(&name, &target) {
                refused.tell(
                    &path,
                    "the link leads out of the archive".to_owned(),
                    problems,
                );
            }
        } else if (kind.is_file() || kind.is_contiguous()) && !name.ends_with(b"/") {
            if !is_few(members.len(), file, problems) {
                break;
            }
            let start = entry.raw_file_position();
            let there = len.saturating_sub(start).min(entry.size());
            if there < entry.size() {
                let reason = format!(
                    "the archive breaks off within this file: {there} of {} bytes are there",
                    entry.size()
                );
                problems.push(Problem::new(&path, reason));
            }
            let store = Store::Part {
                of: Arc::clone(&outer),
                start,
                len: there,
            };
            members.push(member(path, there, file.stamp, store));
        }
    }
    refused.rest(&file.path, problems);
    members
}

fn is_few(members: usize, file: &Candidate, problems: &mut Vec<Problem>) -> bool {
    if members < MEMBERS {
        return true;
    }
    let reason = format!("the archive has more than {MEMBERS} files; the rest is not read");
    problems.push(Problem::new(&file.path, reason));
    false
}

fn member(path: PathBuf, bytes: u64, stamp: Stamp, store: Store) -> Candidate {
    Candidate {
        path,
        bytes,
        named: false,
        stamp,
        store,
    }
}

/// The path of a member below its archive: without a root, with `__` in place of `..`. `None` for
/// the archive's own folder and for hidden files, which are not listed in folders either.
fn inside(archive: &Path, name: &[u8]) -> Option<PathBuf> {
    let mut path = archive.to_path_buf();
    let mut some = false;
    for part in name.split(|byte| *byte == b'/') {
        match part {
            b"" | b"." => continue,
            b".." => path.push("__"),
            [b'.', ..] => return None,
            part => path.push(component(part)),
        }
        some = true;
    }
    some.then_some(path)
}

#[cfg(unix)]
fn component(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
fn component(bytes: &[u8]) -> PathBuf {
    // A drive would replace the whole path.
    PathBuf::from(String::from_utf8_lossy(bytes).replace([':', '\\'], "_"))
}

/// Whether a link in an archive leads to what is not in it.
fn leads_out(name: &[u8], target: &[u8]) -> bool {
    if target.starts_with(b"/") {
        return true;
    }
    let mut depth = name
        .split(|byte| *byte == b'/')
        .filter(|part| !matches!(*part, b"" | b"."))
        .count() as i64
        - 1;
    target.split(|byte| *byte == b'/').any(|part| {
        match part {
            b"" | b"." => {}
            b".." => depth -= 1,
            _ => depth += 1,
        }
        depth < 0
    })
}

/// Puts members into the order that a folder is listed in: the files of each folder before its
/// folders. Of members with one name the last counts, as when the archive is unpacked.
fn in_folder_order(
    members: Vec<Candidate>,
    archive: &Path,
    problems: &mut Vec<Problem>,
) -> Vec<Candidate> {
    let count = members.len();
    let mut last: HashMap<PathBuf, Candidate> = HashMap::with_capacity(count);
    for member in members {
        last.insert(member.path.clone(), member);
    }
    if last.len() < count {
        let reason = format!(
            "{} names occur more than once in the archive; the last of each counts",
            count - last.len()
        );
        problems.push(Problem::new(archive, reason));
    }
    let mut members: Vec<Candidate> = last.into_values().collect();
    members.sort_by(|a, b| folder_order(&a.path, &b.path));
    members
}

/// The order of two files in the listing of a folder.
pub(super) fn folder_order(a: &Path, b: &Path) -> Ordering {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    loop {
        let (one, other) = match (a.next(), b.next()) {
            (Some(one), Some(other)) => (one, other),
            (one, other) => return one.cmp(&other),
        };
        let folders = (a.peek().is_some(), b.peek().is_some());
        let order = folders.0.cmp(&folders.1).then_with(|| one.cmp(other));
        if order.is_ne() {
            return order;
        }
    }
}

/// Tells members that cannot be read, the first ones one by one.
#[derive(Debug, Default)]
struct Refused(usize);

impl Refused {
    fn tell(&mut self, path: &Path, reason: String, problems: &mut Vec<Problem>) {
        self.0 += 1;
        if self.0 <= TOLD {
            problems.push(Problem::new(path, reason));
        }
    }

    fn rest(&self, archive: &Path, problems: &mut Vec<Problem>) {
        if self.0 > TOLD {
            let reason = format!("{} more members cannot be read", self.0 - TOLD);
            problems.push(Problem::new(archive, reason));
        }
    }
}
