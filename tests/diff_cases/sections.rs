//! Files that a patch is about in several sections, and lines that a candidate does not have.

use std::sync::Arc;

use gagar::diff::{
    Aligned, Anchor, BaseOrigin, Bases, CandidatePatch, Cell, Compared, FileStatus, Interdiff,
    Repair, Results, interdiff,
};

use super::read;

const LINK: &str = "diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n\
    @@ -1 +0,0 @@\n-file\ndiff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n\
    @@ -0,0 +1 @@\n+there\n\\ No newline at end of file\n";
const EDIT: &str = "diff --git a/f b/f\n--- a/f\n+++ b/f\n";
const FIRST: &str = "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n";
const SECOND: &str = "@@ -10,3 +10,3 @@\n a\n-b\n+B\n c\n";

fn aligned(texts: &[&str], bases: &Bases) -> Aligned {
    let candidates: Vec<_> = texts
        .iter()
        .map(|text| CandidatePatch {
            patch: Arc::new(read(text)),
            passing: true,
        })
        .collect();
    Aligned::of(&candidates, bases)
}

fn between(a: &str, b: &str) -> Interdiff {
    interdiff(&Arc::new(read(a)), &Arc::new(read(b)), &Bases::default())
}

#[test]
fn a_type_change_stands_on_the_base_and_its_new_content_is_compared() {
    let mut bases = Bases::default();
    for known in [false, true] {
        if known {
            bases.insert("x", Arc::from("file\n"), BaseOrigin::Record);
        }
        let other = LINK.replace("+there", "+elsewhere");
        let on_base = aligned(&[LINK, LINK, &other], &bases);
        let of = on_base.files[0].file_of(0).unwrap();
        assert_eq!(of.anchors[..], [Anchor::AsWritten, Anchor::AsWritten]);
        assert_eq!(Results::of(&on_base).overall.first, [0, 0, 2]);
    }
    assert!(between(LINK, LINK).is_equal());
    let found = between(LINK, &LINK.replace("+there", "+elsewhere"));
    assert!(
        matches!(found.files[0].outcome, Compared::Differs { .. }),
        "{found:?}"
    );
    assert!(
        found.patch.text.contains("-there\n"),
        "{}",
        found.patch.text
    );
    assert!(found.patch.text.contains("+elsewhere\n"));
}

#[test]
fn sections_that_edit_one_file_are_one() {
    let twice = format!("{EDIT}{FIRST}{EDIT}{SECOND}");
    let once = format!("{EDIT}{FIRST}{SECOND}");
    let patch = read(&twice);
    assert_eq!(patch.files.len(), 1);
    assert_eq!(patch.files[0].hunks.len(), 2);
    assert_eq!((patch.added(), patch.removed()), (2, 2));
    let repairs = &patch.files[0].repairs;
    assert!(
        matches!(
            &repairs[..],
            [Repair::RepeatedFile { path, hunk: 1, sections: 2 }] if path == "f"
        ),
        "{repairs:?}"
    );
    assert!(repairs[0].note().contains("f is there twice"));
    let on_base = aligned(&[&twice, &once], &Bases::default());
    assert_eq!(on_base.files.len(), 1);
    assert_eq!(Results::of(&on_base).overall.first, [0, 0]);
    assert!(between(&twice, &once).is_equal());
}

#[test]
fn the_same_hunk_twice_and_overlaps_are_told() {
    let patch = read(&format!("{EDIT}{FIRST}{EDIT}{FIRST}"));
    let notes = patch.file_notes(0).join("\n");
    assert!(notes.contains("hunk 2 is hunk 1 once more"), "{notes}");
    let patch = read(&format!("{EDIT}{FIRST}@@ -2,2 +2,2 @@\n-b\n+Z\n c\n"));
    let notes = patch.file_notes(0).join("\n");
    assert!(notes.contains("⚠ hunk 2 covers lines of hunk 1"), "{notes}");
    let patch = read(&format!("{EDIT}{FIRST}{SECOND}"));
    assert!(patch.file_notes(0).is_empty(), "{:?}", patch.file_notes(0));
}

#[test]
fn a_section_about_what_an_earlier_one_leaves_behind_is_told() {
    let added = "diff --git a/f b/f\nnew file mode 100644\n--- /dev/null\n+++ b/f\n\
        @@ -0,0 +1,3 @@\n+a\n+b\n+c\n";
    let patch = read(&format!("{added}{EDIT}{FIRST}"));
    assert_eq!(patch.files.len(), 2);
    let notes = patch.file_notes(1).join("\n");
    assert!(notes.contains("more than once in this patch"), "{notes}");
}

#[test]
fn a_copy_that_others_make_is_not_there() {
    let copy = "diff --git a/f b/h\nsimilarity index 80%\ncopy from f\ncopy to h\n\
        --- a/f\n+++ b/h\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n";
    let edit = format!("{EDIT}{FIRST}");
    let on_base = aligned(&[&edit, copy], &Bases::default());
    let file = on_base.files.iter().position(|file| file.is_copy).unwrap();
    for row in 0..on_base.files[file].len() {
        assert_eq!(on_base.files[file].cell(row, 0), Cell::Absent);
        assert_eq!(on_base.text(file, row, 0), None);
    }
}

#[test]
fn a_change_without_lines_shows_no_line_of_the_base() {
    let binary = "diff --git a/f b/f\nBinary files a/f and b/f differ\n";
    let edit = format!("{EDIT}{FIRST}");
    let on_base = aligned(&[&edit, binary], &Bases::default());
    for row in 0..on_base.files[0].len() {
        assert_eq!(on_base.text(0, row, 1), None);
    }
    // A hunk that can be read does not make the rest known.
    let half = format!("{edit}@@ nothing\n-b\n+c\n");
    assert!(!between(&edit, &half).is_equal());
}

#[test]
fn adding_a_file_that_is_there_is_told() {
    let added = "diff --git a/f b/f\nnew file mode 100644\n--- /dev/null\n+++ b/f\n\
        @@ -0,0 +1,2 @@\n+q\n+r\n";
    let edit = format!("{EDIT}{FIRST}");
    let on_base = aligned(&[&edit, added], &Bases::default());
    let of = on_base.files[0].file_of(1).unwrap();
    assert_eq!(of.anchors[..], [Anchor::FileExists]);
    assert!(of.anchors[0].mark().unwrap().contains('⚠'));
    assert!(!between(&edit, added).is_equal());
    // Where the base has no such file, nothing is odd.
    let on_base = aligned(&[added, added], &Bases::default());
    let of = on_base.files[0].file_of(1).unwrap();
    assert_eq!(of.anchors[..], [Anchor::AsWritten]);
}

#[test]
fn a_byte_order_mark_is_read_over() {
    for text in [
        format!("\u{feff}{EDIT}{FIRST}"),
        format!("\u{feff}--- a/f\n+++ b/f\n{FIRST}"),
        "\u{feff}diff --git a/f b/f\nold mode 100644\nnew mode 100755\n".to_owned(),
    ] {
        let patch = read(&text);
        assert_eq!(patch.files.len(), 1, "{text}");
        assert_eq!(patch.files[0].path(), "f");
        assert!(patch.repairs.contains(&Repair::ByteOrderMark));
    }
}

#[test]
fn new_and_removed_submodules_of_a_log_are_files() {
    let patch = read(
        "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n\
         Submodule one f2cd7ed..47b34d1:\n  > title\n\
         Submodule two 0000000...f2cd7ed (new submodule)\n\
         Submodule three f2cd7ed...0000000 (submodule deleted)\n",
    );
    let files: Vec<_> = patch.files.iter().map(|f| (f.path(), f.status)).collect();
    let wanted = [
        ("f", FileStatus::Modified),
        ("one", FileStatus::Modified),
        ("two", FileStatus::Added),
        ("three", FileStatus::Deleted),
    ];
    assert_eq!(files, wanted);
    assert!(patch.notes.is_empty(), "{:?}", patch.notes);
    assert!(
        patch
            .file_notes(2)
            .join("\n")
            .contains("added at commit f2cd7ed")
    );
}

#[test]
fn surplus_lines_of_a_side_without_lines_begin_at_one() {
    let patch = read(
        "diff --git a/f b/f\ndeleted file mode 100644\n--- a/f\n+++ /dev/null\n\
         @@ -1,2 +0,0 @@\n-a\n-b\n+surprise\n",
    );
    assert_eq!(patch.files[0].hunks[0].lines[2].new_no, Some(1));
}
