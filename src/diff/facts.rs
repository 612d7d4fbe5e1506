//! What can be told of a file once it is read: status, modes, links, submodules, line ends.
//!
//! Not here: reading (`parse`, `hunks`), mends (`repair`).

use super::model::{FilePatch, FileStatus, Hunk, LineKind};
use super::{conflicts, sections};

/// Completes the files of a patch and joins the sections that are about one file.
pub(super) fn finish(text: &str, mut files: Vec<FilePatch>) -> Vec<FilePatch> {
    files.iter_mut().for_each(complete);
    let mut files = sections::join(text, files);
    // One fast look at the text saves a slow one at every line of most patches.
    let marked = conflicts::occur(text);
    let has_cr = memchr::memchr(b'\r', text.as_bytes()).is_some();
    let has_end = memchr::memmem::find(text.as_bytes(), b"\n\\").is_some();
    for file in &mut files {
        note_special(text, file);
        note_overlaps(file);
        if has_cr {
            note_line_ends(text, file);
        }
        if has_end {
            note_last_newline(file);
        }
        if marked {
            note_conflicts(text, file);
        }
    }
    files
}

fn complete(file: &mut FilePatch) {
    let content = !file.hunks.is_empty() || file.binary || !file.raw.is_empty();
    let mode = file.old_mode.is_some() && file.new_mode.is_some() && file.old_mode != file.new_mode;
    if file.status == FileStatus::Modified && mode {
        let kinds = (kind_of(&file.old_mode), kind_of(&file.new_mode));
        if kinds.0 != kinds.1 {
            file.status = FileStatus::TypeChanged;
        } else if !content {
            file.status = FileStatus::ModeChanged;
        }
    }
    match file.status {
        FileStatus::Added => file.old_path = None,
        FileStatus::Deleted => file.new_path = None,
        _ => {}
    }
}

/// Words for what a mode stands for; `None` for modes that are not known.
pub(super) fn kind_of(mode: &Option<String>) -> Option<&'static str> {
    match mode.as_deref()? {
        "120000" => Some("symbolic link"),
        "160000" => Some("submodule"),
        mode if mode.starts_with("100") => Some("regular file"),
        _ => None,
    }
}

/// Tells of hunks that cover lines of another one: no two can both apply.
fn note_overlaps(file: &mut FilePatch) {
    // The hunks of a type change are of two files, those of a merge of several.
    if file.hunks.len() < 2 || file.parents > 0 || file.status == FileStatus::TypeChanged {
        return;
    }
    let start = |hunk: &Hunk| match hunk.old_count {
        0 => hunk.old_start.saturating_add(1),
        _ => hunk.old_start.max(1),
    };
    let mut order: Vec<(usize, &Hunk)> = file.hunks.iter().enumerate().collect();
    order.sort_by_key(|(_, hunk)| start(hunk));
    // The hunk that reaches furthest so far, and the line behind it.
    let mut furthest = (0, 0);
    let mut notes = Vec::new();
    for (index, hunk) in order {
        let start = start(hunk);
        if start < furthest.1 {
            let (one, other) = (index + 1, furthest.0 + 1);
            notes.push(format!(
                "⚠ hunk {one} covers lines of hunk {other}: it does not apply behind it"
            ));
        }
        let end = start.saturating_add(hunk.old_count);
        if end > furthest.1 {
            furthest = (index, end);
        }
    }
    file.notes.append(&mut notes);
}

/// Type change, target of a link, commits of a submodule.
fn note_special(text: &str, file: &mut FilePatch) {
    let kinds = (kind_of(&file.old_mode), kind_of(&file.new_mode));
    if let (FileStatus::TypeChanged, (Some(old), Some(new))) = (file.status, kinds) {
        file.notes.push(format!("type change: {old} → {new}"));
    }
    if file.binary {
        return;
    }
    let only_line = |kind: LineKind| {
        let mut lines = file.hunks.iter().flat_map(|hunk| &hunk.lines);
        let line = lines.find(|line| line.kind == kind)?;
        text.get(line.range.clone())
    };
    let (old, new) = (only_line(LineKind::Removed), only_line(LineKind::Added));
    let (was, is) = (
        old.filter(|_| kinds.0 == Some("symbolic link")),
        new.filter(|_| kinds.1 == Some("symbolic link")),
    );
    let mut notes = Vec::new();
    match (was, is) {
        (Some(was), Some(is)) => notes.push(format!("symbolic link to {was} → {is}")),
        (Some(was), None) => notes.push(format!("was a symbolic link to {was}")),
        (None, Some(is)) => notes.push(format!("symbolic link to {is}")),
        (None, None) => {}
    }
    let commit = |line: Option<&str>| line?.strip_prefix("Subproject commit ").map(commit_words);
    let submodule = kinds.0 == Some("submodule") || kinds.1 == Some("submodule");
    match (commit(old), commit(new)) {
        _ if !submodule => {}
        (Some(was), Some(is)) => notes.push(format!("submodule: commit {was} → {is}")),
        (Some(was), None) => notes.push(format!("submodule removed, was at commit {was}")),
        (None, Some(is)) => notes.push(format!("submodule added at commit {is}")),
        (None, None) if file.notes.is_empty() => notes.push("submodule".to_owned()),
        (None, None) => {}
    }
    file.notes.append(&mut notes);
}

fn commit_words(commit: &str) -> String {
    match commit.trim_end().strip_suffix("-dirty") {
        Some(commit) => format!("{} with uncommitted changes", short(commit)),
        None => short(commit.trim_end()).to_owned(),
    }
}

fn short(commit: &str) -> &str {
    commit.get(..12).unwrap_or(commit)
}

/// Tells when nothing but the line ends changed: the rows of both sides look the same then.
fn note_line_ends(text: &str, file: &mut FilePatch) {
    let lines = || file.hunks.iter().flat_map(|hunk| &hunk.lines);
    let ends_in_cr = |range: &std::ops::Range<usize>| {
        range.end > range.start && text.as_bytes().get(range.end - 1) == Some(&b'\r')
    };
    if file.added != file.removed || !lines().any(|line| ends_in_cr(&line.range)) {
        return;
    }
    let side = |kind: LineKind| -> Vec<&str> {
        lines()
            .filter(|line| line.kind == kind)
            .filter_map(|line| text.get(line.range.clone()))
            .collect()
    };
    let (old, new) = (side(LineKind::Removed), side(LineKind::Added));
    let bare = |line: &&str| line.trim_end_matches('\r').len();
    let same = |(a, b): (&&str, &&str)| a.get(..bare(a)) == b.get(..bare(b));
    if old.len() != new.len() || old == new || !old.iter().zip(&new).all(same) {
        return;
    }
    let crlf = |lines: &[&str]| lines.iter().filter(|line| line.ends_with('\r')).count();
    let (before, after) = (crlf(&old), crlf(&new));
    file.notes.push(format!(
        "only the line ends changed: {before} of {} lines ended in CRLF before, {after} after",
        old.len()
    ));
}

fn note_last_newline(file: &mut FilePatch) {
    let lacks = |kind: LineKind| {
        file.hunks.iter().any(|hunk| {
            // The mark stands behind the last line of a side: near the end of a hunk, rarely twice.
            hunk.lines.windows(2).any(|pair| {
                pair[1].kind == LineKind::NoNewline
                    && (pair[0].kind == kind || pair[0].kind == LineKind::Context)
            })
        })
    };
    let note = match (lacks(LineKind::Removed), lacks(LineKind::Added)) {
        (true, false) if file.status != FileStatus::Deleted => {
            "a newline was added at the end of the file"
        }
        (false, true) if file.status == FileStatus::Modified => {
            "the newline at the end of the file was removed"
        }
        _ => return,
    };
    // A link's target never ends in one.
    if file.status != FileStatus::TypeChanged {
        file.notes.push(note.to_owned());
    }
}

fn note_conflicts(text: &str, file: &mut FilePatch) {
    let blocks: usize = file
        .hunks
        .iter()
        .map(|hunk| conflicts::added_blocks(text, hunk))
        .sum();
    if blocks > 0 {
        let plural = if blocks == 1 { "" } else { "s" };
        file.notes.push(format!(
            "adds {blocks} conflict{plural}, markers and all (<<<<<<< … >>>>>>>)"
        ));
    }
}
