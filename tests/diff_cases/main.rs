//! The patch reader against known hard patches: the folders of `tests/diff-cases`, the kinds that
//! have no folder, mutated patches, and real ones where they are at hand.

mod diffy_agrees;
mod mutants;
mod real;
mod sections;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gagar::diff::{
    DiffRow, FilePatch, FileStatus, LineKind, MoveEnd, Patch, Repair, emphasis, moves, summarize,
};
use gagar::domain::PatchPresence;
use serde_json::Value;

fn cases() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diff-cases");
    let mut found: Vec<_> = fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("change.patch").is_file())
        .collect();
    found.sort();
    assert!(found.len() >= 15, "the case folders are missing");
    found
}

/// Reads a file of a case as the importer would: bytes that are not UTF-8 replaced.
fn case_text(case: &str, file: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diff-cases");
    String::from_utf8_lossy(&fs::read(root.join(case).join(file)).unwrap()).into_owned()
}

fn read(text: &str) -> Patch {
    let patch = Patch::read(Arc::from(text));
    check_invariants(&patch);
    patch
}

fn case(name: &str) -> Patch {
    read(&case_text(name, "change.patch"))
}

/// What holds for every text: ranges point into it, counts and numbers fit the lines, rows show
/// each line once, partners point at each other, and the index agrees.
fn check_invariants(patch: &Patch) {
    let text = &patch.text;
    for (f, file) in patch.files.iter().enumerate() {
        for (h, hunk) in file.hunks.iter().enumerate() {
            assert!(text.get(hunk.section.clone()).is_some());
            let side = |kind| {
                let on = |k: LineKind| k == kind || k == LineKind::Context;
                hunk.lines.iter().filter(|line| on(line.kind)).count() as u32
            };
            if hunk.combined.is_none() {
                assert_eq!(side(LineKind::Removed), hunk.old_count);
            }
            assert_eq!(side(LineKind::Added), hunk.new_count);
            for line in &hunk.lines {
                assert!(!text.get(line.range.clone()).unwrap().contains('\n'));
            }
            let pairs = patch.pairs(f, h);
            assert_eq!(pairs.len(), hunk.lines.len());
            assert_eq!(patch.whitespace(f, h, &pairs).len(), hunk.lines.len());
            for block in patch.reindented(f, h, &pairs) {
                assert!(block.old.end <= hunk.lines.len() && block.new.end <= hunk.lines.len());
            }
            for (at, partner) in pairs.iter().enumerate() {
                let Some(partner) = *partner else { continue };
                assert_eq!(pairs[partner], Some(at));
                assert_ne!(hunk.lines[at].kind, hunk.lines[partner].kind);
                if at < partner {
                    let old = patch.line_text(&hunk.lines[at]);
                    let new = patch.line_text(&hunk.lines[partner]);
                    let (gone, come) = emphasis(old, new);
                    assert!(gone.into_iter().all(|range| old.get(range).is_some()));
                    assert!(come.into_iter().all(|range| new.get(range).is_some()));
                }
            }
        }
    }
    for block in moves(patch).blocks() {
        for (end, kind) in [
            (&block.from, LineKind::Removed),
            (&block.to, LineKind::Added),
        ] {
            let lines = &patch.files[end.file].hunks[end.hunk].lines[end.lines.clone()];
            let fits = |kind_of: LineKind| kind_of == kind || kind_of == LineKind::NoNewline;
            assert!(lines.iter().all(|line| fits(line.kind)));
        }
    }
    let rows = patch.rows();
    let lines: usize = patch
        .files
        .iter()
        .flat_map(|f| &f.hunks)
        .map(|h| h.lines.len())
        .sum();
    let shown = rows
        .iter()
        .filter(|row| matches!(row, DiffRow::Line { .. }))
        .count();
    assert_eq!(shown, lines);
    for row in &rows {
        match row {
            DiffRow::Raw(range) => assert!(text.get(range.clone()).is_some()),
            DiffRow::FileNote { file, note } => assert!(patch.file_notes(*file).len() > *note),
            DiffRow::Note(note) => assert!(patch.notes.len() > *note),
            _ => {}
        }
    }
    let summary = summarize(Some(text));
    assert_eq!(summary.presence, patch.presence);
    assert_eq!(summary.bytes, text.len() as u64);
    assert_eq!(summary.files as usize, patch.files.len());
    assert_eq!(
        (summary.added, summary.removed),
        (patch.added(), patch.removed())
    );
}

fn side_texts(patch: &Patch, side: LineKind) -> Vec<&str> {
    let lines = patch
        .files
        .iter()
        .flat_map(|f| &f.hunks)
        .flat_map(|h| &h.lines);
    lines
        .filter(|line| line.kind == side || line.kind == LineKind::Context)
        .map(|line| patch.line_text(line))
        .collect()
}

fn status_word(file: &FilePatch) -> &'static str {
    match file.status {
        FileStatus::Modified => "modified",
        FileStatus::Added => "added",
        FileStatus::Deleted => "deleted",
        FileStatus::Renamed => "renamed",
        FileStatus::Copied => "copied",
        FileStatus::ModeChanged => "mode",
        FileStatus::TypeChanged => "type",
    }
}

/// Which sides of a file lack their last newline.
fn without_newline(file: &FilePatch) -> &'static str {
    let lines: Vec<_> = file
        .hunks
        .iter()
        .flat_map(|h| &h.lines)
        .map(|l| l.kind)
        .collect();
    let side = |kind| {
        lines.windows(2).any(|pair| {
            pair[1] == LineKind::NoNewline && (pair[0] == kind || pair[0] == LineKind::Context)
        })
    };
    match (side(LineKind::Removed), side(LineKind::Added)) {
        (true, true) => "both",
        (true, false) => "old",
        (false, true) => "new",
        (false, false) => "none",
    }
}

#[test]
fn folders_are_read_as_expected() {
    for folder in cases() {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let patch = case(&name);
        let expect: Value = serde_json::from_str(&case_text(&name, "expect.json")).unwrap();
        let files = expect["files"].as_array().unwrap();
        let paths: Vec<_> = patch.files.iter().map(FilePatch::path).collect();
        assert_eq!(patch.files.len(), files.len(), "{name}: {paths:?}");
        for want in files {
            let path = want["path"].as_str().unwrap();
            let file = patch.files.iter().find(|file| file.path() == path);
            let file = file.unwrap_or_else(|| panic!("{name}: no {path} in {paths:?}"));
            for (key, value) in want.as_object().unwrap() {
                let got = match key.as_str() {
                    "path" => Value::from(file.path()),
                    "old_path" => Value::from(file.old_path.clone()),
                    "status" => Value::from(status_word(file)),
                    "added" => Value::from(file.added),
                    "removed" => Value::from(file.removed),
                    "hunks" => Value::from(file.hunks.len()),
                    "binary" => Value::from(file.binary),
                    "no_eol" => Value::from(without_newline(file)),
                    other => panic!("{name}: {other} is not checked"),
                };
                assert_eq!(&got, value, "{name}: {path}: {key}");
            }
        }
        for (key, side) in [
            ("left_has", LineKind::Removed),
            ("right_has", LineKind::Added),
        ] {
            let texts = side_texts(&patch, side);
            for want in expect[key].as_array().into_iter().flatten() {
                let want = want.as_str().unwrap();
                let found = texts.iter().any(|text| text.trim_end_matches('\r') == want);
                assert!(found, "{name}: {key} {want:?}");
            }
        }
        for want in expect["line_numbers"].as_array().into_iter().flatten() {
            let (side, text) = (want[0].as_str().unwrap(), want[1].as_str().unwrap());
            let mut lines = patch
                .files
                .iter()
                .flat_map(|f| &f.hunks)
                .flat_map(|h| &h.lines);
            let found = lines.any(|line| {
                let number = if side == "old" {
                    line.old_no
                } else {
                    line.new_no
                };
                patch.line_text(line) == text && number.map(u64::from) == want[2].as_u64()
            });
            assert!(found, "{name}: {want}");
        }
    }
}

#[cfg(feature = "tui")]
#[test]
fn no_line_of_any_case_drives_the_terminal() {
    for folder in cases() {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let patch = case(&name);
        for line in patch.text.lines() {
            for cell in gagar::tui::text::cells(line, 0, 500) {
                assert!(
                    !cell.symbol.chars().any(char::is_control),
                    "{name}: {cell:?}"
                );
            }
        }
    }
}

#[test]
fn prefix_styles_give_the_same_path() {
    let no_prefix = read(&case_text("24-prefix-styles", "noprefix.patch"));
    assert_eq!(no_prefix.files[0].path(), "src/app.py");
    assert_eq!((no_prefix.added(), no_prefix.removed()), (1, 1));
    let plain = read(&case_text("24-prefix-styles", "plain.patch"));
    assert_eq!(plain.files.len(), 2);
    let app = plain
        .files
        .iter()
        .find(|file| file.path() == "src/app.py")
        .unwrap();
    assert_eq!((app.added, app.removed), (1, 1));
}

#[test]
fn binary_files_are_named_and_the_next_file_is_whole() {
    let short = read(&case_text("10-binary", "short.patch"));
    let text = short
        .files
        .iter()
        .find(|file| file.path() == "z.txt")
        .unwrap();
    assert_eq!((text.added, text.removed, text.binary), (1, 1, false));
    assert!(
        short
            .files
            .iter()
            .any(|file| file.binary && file.path() == "img/a.png")
    );
}

#[test]
fn binary_sizes_are_told() {
    let patch = case("10-binary");
    let notes = |path: &str| {
        let file = patch.files.iter().position(|file| file.path() == path);
        patch.file_notes(file.unwrap()).join("; ")
    };
    assert!(notes("img/new.bin").contains("binary file: 256 bytes"));
    assert!(notes("img/dead.png").contains("binary file: was 228 bytes"));
    assert!(notes("img/a.png").contains("a delta of 12 bytes"));
}

#[test]
fn combined_diffs_tell_each_parent() {
    let patch = case("14-combined-merge-diff");
    let hunk = &patch.files[0].hunks[0];
    assert_eq!(hunk.header(), "@@@ −1,5 −1,5 +1,6 @@@");
    assert_eq!(
        patch.files[1].hunks[0]
            .combined
            .as_ref()
            .unwrap()
            .parents
            .len(),
        3
    );
    let lines: Vec<_> = (0..hunk.lines.len())
        .map(|at| {
            let line = &hunk.lines[at];
            let combined = hunk.combined.as_ref().unwrap();
            let olds = (combined.old_no(at, 0), combined.old_no(at, 1));
            let signs = patch.signs(0, 0, at).unwrap();
            (signs, patch.line_text(line), olds, line.new_no)
        })
        .collect();
    assert_eq!(
        lines,
        [
            ("  ", "[limits]", (Some(1), Some(1)), Some(1)),
            ("- ", "max = 10", (Some(2), None), None),
            (" -", "max = 20", (None, Some(2)), None),
            ("++", "max = 30", (None, None), Some(2)),
            ("  ", "min = 1", (Some(3), Some(3)), Some(3)),
            ("+ ", "soft = 5", (None, Some(4)), Some(4)),
            (" +", "hard = 9", (Some(4), None), Some(5)),
            ("  ", "[end]", (Some(5), Some(5)), Some(6)),
        ]
    );
    assert_eq!(patch.signs(1, 0, 1), Some("+++"));
    assert!(
        patch
            .files
            .iter()
            .all(|file| file.repairs.is_empty() && file.raw.is_empty())
    );
    for file in 0..patch.files.len() {
        let notes = patch.file_notes(file);
        assert!(
            notes.iter().any(|note| note.contains("combined")),
            "{notes:?}"
        );
    }
}

#[test]
fn conflict_markers_are_found_and_headings_are_not() {
    let patch = case("28-patch-inside-patch-and-conflict-markers");
    let lines: Vec<_> = patch
        .conflict_markers(1, 0)
        .iter()
        .map(|(at, _)| *at)
        .collect();
    assert_eq!(lines, [1, 3, 5, 7]);
    assert!(
        patch
            .file_notes(1)
            .iter()
            .any(|note| note.contains("1 conflict"))
    );
    let heading = read("--- a/x\n+++ b/x\n@@ -1,0 +1,2 @@\n+Heading\n+=======\n");
    assert!(heading.conflict_markers(0, 0).is_empty());
}

#[test]
fn the_edits_of_a_minified_line_are_told_apart() {
    let patch = case("12-minified-line");
    let pairs = patch.pairs(0, 0);
    assert_eq!(pairs.iter().flatten().count(), 2);
    let lines = &patch.files[0].hunks[0].lines;
    let old = pairs.iter().position(Option::is_some).unwrap();
    let (old, new) = (&lines[old], &lines[pairs[old].unwrap()]);
    let (gone, come) = emphasis(patch.line_text(old), patch.line_text(new));
    // Three times `n?` became `!n?`.
    assert!(gone.is_empty());
    assert_eq!(come, [12_029..12_030, 30_033..30_034, 59_928..59_929]);
}

#[test]
fn moved_blocks_name_both_ends_and_the_edited_line() {
    let patch = case("25-moved-block");
    let moves = moves(&patch);
    let [normalise, run] = moves.blocks() else {
        panic!("{moves:?}")
    };
    let text = |end: &MoveEnd, line: usize| {
        patch.line_text(&patch.files[end.file].hunks[end.hunk].lines[line])
    };
    assert_eq!((normalise.from.file, normalise.to.file), (0, 1));
    assert_eq!(normalise.lines.len(), 8);
    assert_eq!(
        text(&normalise.to, normalise.to.lines.start),
        "def normalise(rows):"
    );
    let [(old, new)] = normalise.edited[..] else {
        panic!("{normalise:?}")
    };
    assert!(text(&normalise.from, old).contains(".lower()"));
    assert!(text(&normalise.to, new).contains(".casefold()"));
    assert_eq!((run.from.file, run.to.file, run.lines.len()), (0, 0, 4));
    assert!(run.edited.is_empty());
    for block in [normalise, run] {
        for &(old, new) in &block.lines {
            let (_, there) = moves
                .of_line(block.from.file, block.from.hunk, old)
                .unwrap();
            assert_eq!(there, (block.to.file, block.to.hunk, new));
            let (_, back) = moves.of_line(block.to.file, block.to.hunk, new).unwrap();
            assert_eq!(back, (block.from.file, block.from.hunk, old));
        }
    }
    assert!(moves.of_line(0, 0, normalise.from.lines.end).is_none());
}

#[test]
fn one_edit_of_a_megabyte_line_is_one_range() {
    let half = "x=f(1,2);".repeat(60_000);
    let line = |word: &str| format!("{half}{word};{half}");
    let marks = emphasis(&line("one"), &line("two"));
    let at = half.len();
    let word = at..at + 3;
    assert_eq!(marks, (vec![word.clone(); 1], vec![word; 1]));
}

#[test]
fn line_end_changes_are_told() {
    // Kind 06: the rows look the same, so a note has to give the reason.
    let patch = read("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-one\r\n-two\r\n+one\n+two\n");
    let notes = patch.file_notes(0);
    assert!(
        notes.iter().any(|note| note.contains("line ends")),
        "{notes:?}"
    );
    assert_eq!(patch.line_text(&patch.files[0].hunks[0].lines[0]), "one\r");
}

#[test]
fn renames_and_copies_keep_both_paths() {
    let patch = read(
        "diff --git a/old name.py b/new name.py\nsimilarity index 90%\nrename from old name.py\n\
         rename to new name.py\n--- a/old name.py\t\n+++ b/new name.py\t\n@@ -1 +1 @@\n-a\n+b\n\
         diff --git a/s b/t\nsimilarity index 100%\ncopy from s\ncopy to t\n",
    );
    let [renamed, copied] = patch.files.as_slice() else {
        panic!("{:?}", patch.files)
    };
    assert_eq!(renamed.display_path(), "old name.py → new name.py");
    assert_eq!(
        (renamed.status, renamed.similarity),
        (FileStatus::Renamed, Some(90))
    );
    assert_eq!((renamed.added, renamed.removed), (1, 1));
    assert_eq!((copied.status, copied.path()), (FileStatus::Copied, "t"));
}

#[test]
fn empty_files_are_there() {
    let patch = read(
        "diff --git a/e b/e\nnew file mode 100644\nindex 0000000..e69de29\n\
         diff --git a/f b/f\ndeleted file mode 100644\nindex e69de29..0000000\n",
    );
    let statuses: Vec<_> = patch.files.iter().map(|file| file.status).collect();
    assert_eq!(statuses, [FileStatus::Added, FileStatus::Deleted]);
    assert_eq!(patch.file_notes(0), ["empty file"]);
}

#[test]
fn quoted_and_odd_paths_are_decoded() {
    let header =
        |a: &str, b: &str| format!("diff --git {a} {b}\n--- {a}\n+++ {b}\n@@ -1 +1 @@\n-a\n+b\n");
    let quoted = read(&header(
        "\"a/gr\\303\\274n\\t.txt\"",
        "\"b/gr\\303\\274n\\t.txt\"",
    ));
    assert_eq!(quoted.files[0].path(), "grün\t.txt");
    let with_b = read(&header("a/x b/y.txt", "b/x b/y.txt"));
    assert_eq!(with_b.files[0].path(), "x b/y.txt");
    assert_eq!(with_b.files[0].status, FileStatus::Modified);
    // Without ---/+++ only the two halves tell.
    let mode_only = read("diff --git a/x b/y b/x b/y\nold mode 100644\nnew mode 100755\n");
    assert_eq!(mode_only.files[0].path(), "x b/y");
    assert_eq!(mode_only.files[0].status, FileStatus::ModeChanged);
}

#[test]
fn added_empty_lines_count() {
    let patch = read("--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n a\n+\n b\n");
    assert_eq!(patch.added(), 1);
    assert_eq!(patch.files[0].hunks[0].lines[1].new_no, Some(2));
}

#[test]
fn wrong_counts_are_corrected_with_a_note() {
    let body = " a\n-b\n+c\n d\n";
    for counts in ["-1,9 +1,9", "-1,1 +1,1", "-1,2 +1,7"] {
        let next = "diff --git a/y b/y\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-p\n+q\n";
        let text = format!("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ {counts} @@\n{body}{next}");
        let patch = read(&text);
        assert_eq!(patch.files.len(), 2, "{counts}");
        let first = &patch.files[0];
        assert_eq!((first.added, first.removed), (1, 1), "{counts}");
        assert!(
            matches!(first.repairs[..], [Repair::CountsCorrected { hunk: 0, .. }]),
            "{counts}"
        );
        let notes = patch.file_notes(0);
        assert!(notes.iter().any(|note| note.contains("counts corrected")));
        assert!(patch.files[1].repairs.is_empty());
    }
}

#[test]
fn mail_signatures_are_no_removed_lines() {
    let patch = read(
        "From 1 Mon\nSubject: [PATCH] x\n\n---\n x | 2 +-\n\n\
         diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n-- \n2.47.0\n\n",
    );
    assert_eq!((patch.added(), patch.removed()), (1, 1));
    assert!(
        patch
            .notes
            .iter()
            .any(|note| note.contains("text around the diff"))
    );
}

#[test]
fn type_changes_links_and_submodules_are_named() {
    let patch = read(
        "diff --git a/l b/l\nnew file mode 120000\nindex 0000000..1\n--- /dev/null\n+++ b/l\n\
         @@ -0,0 +1 @@\n+target\n\\ No newline at end of file\n\
         diff --git a/sub b/sub\nindex 1111111..2222222 160000\n--- a/sub\n+++ b/sub\n\
         @@ -1 +1 @@\n-Subproject commit 1\n+Subproject commit 2\n",
    );
    let notes = |file| patch.file_notes(file).join("; ");
    assert!(notes(0).contains("symbolic link to target"), "{}", notes(0));
    assert!(notes(1).contains("submodule: commit 1 → 2"), "{}", notes(1));
    let typed = read(
        "diff --git a/l b/l\ndeleted file mode 100644\nindex 1..0000000\n--- a/l\n+++ /dev/null\n\
         @@ -1,2 +0,0 @@\n-one\n-two\n\
         diff --git a/l b/l\nnew file mode 120000\nindex 0000000..2\n--- /dev/null\n+++ b/l\n\
         @@ -0,0 +1 @@\n+target\n\\ No newline at end of file\n",
    );
    let [file] = typed.files.as_slice() else {
        panic!("{:?}", typed.files)
    };
    assert_eq!(
        (file.status, file.status.letter()),
        (FileStatus::TypeChanged, 'T')
    );
    assert_eq!(
        (file.display_path(), file.added, file.removed),
        ("l".to_owned(), 1, 2)
    );
    let notes = typed.file_notes(0).join("; ");
    assert!(notes.contains("regular file → symbolic link"), "{notes}");
    assert!(notes.contains("symbolic link to target"), "{notes}");
    let dirty = read(
        "diff --git a/sub b/sub\nindex 1111111..2222222 160000\n--- a/sub\n+++ b/sub\n\
         @@ -1 +1 @@\n-Subproject commit 1111111aaaaaaaaaaa\n+Subproject commit 1111111aaaaaaaaaaa-dirty\n\
         Submodule lib 3333333..4444444:\n  > a title\n",
    );
    assert!(
        dirty
            .file_notes(0)
            .join(";")
            .contains("with uncommitted changes")
    );
    assert_eq!(dirty.files[1].path(), "lib");
    assert!(dirty.file_notes(1)[0].contains("3333333 → 4444444"));
}

#[test]
fn unreadable_and_odd_hunk_headers_are_shown_with_the_reason() {
    let patch = read("--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n-a\n+b\n@@ ... @@\n-c\n+d\n");
    let file = &patch.files[0];
    assert_eq!(file.repairs, [Repair::UnreadableHunk { raw: 0 }]);
    assert_eq!(&patch.text[file.raw[0].clone()], "@@ ... @@\n-c\n+d");
    let odd = read("--- a/x\n+++ b/x\n@@ -1,1 +1,1@@\n-a\n+b\n");
    assert_eq!(odd.files[0].repairs, [Repair::OddHeader { hunk: 0 }]);
    assert_eq!((odd.added(), odd.removed()), (1, 1));
    let cut = read("--- a/x\n+++ b/x\n@@ -1,5 +1,6 @@\n a\n+b\n");
    assert!(matches!(
        cut.files[0].repairs[..],
        [Repair::Truncated { hunk: 0, .. }]
    ));
    let stripped = read("--- a/x\n+++ b/x\n@@ -1,3 +1,4 @@\n a\n\n+b\n c\n");
    let want = Repair::StrippedContext { hunk: 0, lines: 1 };
    assert_eq!(stripped.files[0].repairs, [want]);
}

#[test]
fn rewrites_and_white_space_are_told() {
    let patch = read(
        "diff --git a/x b/x\ndissimilarity index 87%\n--- a/x\n+++ b/x\n@@ -1,4 +1,5 @@\n-if a:\n\
         -    b()\n-\n-    c()\n+with d:\n+    if a:\n+        b()\n+\n+        c()\n",
    );
    assert!(patch.file_notes(0)[0].contains("87%"));
    let pairs = patch.pairs(0, 0);
    let [block] = &patch.reindented(0, 0, &pairs)[..] else {
        panic!("{:?}", patch.reindented(0, 0, &pairs))
    };
    assert_eq!((block.old.clone(), block.new.clone()), (0..4, 5..9));
    assert_eq!((block.blanks.as_str(), block.deeper), ("    ", true));
    // Both sides of three lines and the blank one between them.
    assert_eq!(patch.whitespace_changes(0), 4);
    let trailing = case("18-whitespace-only-change");
    assert!(trailing.whitespace_changes(0) > 0);
}

#[test]
fn fences_prose_and_bare_hunks_are_read() {
    let fenced = read("Here is it:\n```diff\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n```\nDone.\n");
    assert_eq!((fenced.added(), fenced.removed()), (1, 1));
    assert!(matches!(fenced.repairs[..], [Repair::Fenced { lines: 2 }]));
    assert!(fenced.notes[0].contains("2 lines of text around"));
    let bare = read("@@ -1 +1 @@\n-a\n+b\n");
    assert_eq!(bare.files.len(), 1);
    assert_eq!(bare.file_notes(0), ["⚕ repaired: no file header"]);
}

#[test]
fn crlf_patches_and_a_missing_last_newline_are_read() {
    let text = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b";
    assert_eq!(read(text).added(), 1);
    let crlf = read(&format!("{text}\n").replace('\n', "\r\n"));
    assert_eq!(
        (crlf.files[0].path(), crlf.added(), crlf.removed()),
        ("x", 1, 1)
    );
}

#[test]
fn a_run_of_blank_lines_is_walked_once() {
    // Quadratic work would take minutes here.
    let blank = "\n".repeat(200_000);
    let patch = read(&format!(
        "--- a/x\n+++ b/x\n@@ -1,200001 +1,200002 @@\n{blank} a\n+b\n"
    ));
    assert_eq!(patch.files[0].hunks[0].lines.len(), 200_002);
    assert_eq!(patch.added(), 1);
}

#[test]
fn hundreds_of_files_are_listed() {
    let one = |n: usize| {
        format!("diff --git a/f{n} b/f{n}\n--- a/f{n}\n+++ b/f{n}\n@@ -1 +1 @@\n-a\n+b\n")
    };
    let patch = read(&(0..800).map(one).collect::<String>());
    assert_eq!((patch.files.len(), patch.added()), (800, 800));
}

#[test]
fn what_is_no_diff_is_told_apart() {
    assert_eq!(summarize(None).presence, PatchPresence::Missing);
    assert_eq!(read("").presence, PatchPresence::Empty);
    assert_eq!(read(" \n\n").presence, PatchPresence::Empty);
    let prose = read("I could not fix it.\n--- \n");
    assert_eq!(prose.presence, PatchPresence::NotADiff);
    assert_eq!(
        prose
            .rows()
            .iter()
            .filter(|row| matches!(row, DiffRow::Raw(_)))
            .count(),
        2
    );
}
