//! One hunk of a patch as a patch of its own.
//!
//! Not here: how a whole patch is written; that is its recorded text.

use std::fmt::Write as _;

use super::{FilePatch, FileStatus, LineKind, Patch};

/// A patch with one hunk (0-based file and hunk): the file's header, then the hunk with its lines
/// counted anew, so that it applies although the recorded counts may be wrong. A hunk of a combined
/// diff is its recorded text. `None` when there is no such hunk.
#[must_use]
pub fn hunk_patch(patch: &Patch, file: usize, hunk: usize) -> Option<String> {
    let of = patch.files.get(file)?;
    let found = of.hunks.get(hunk)?;
    let section = patch.text.get(found.section.clone()).unwrap_or("");
    if found.combined.is_some() {
        let before = patch.text.get(..found.section.start)?;
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let last = found
            .lines
            .last()
            .map_or(found.section.end, |line| line.range.end);
        return Some(format!("{}\n", patch.text.get(start..last)?));
    }
    let mut text = header(of);
    let count = |sides: [LineKind; 2]| {
        let lines = found.lines.iter();
        lines.filter(|line| sides.contains(&line.kind)).count()
    };
    let old = count([LineKind::Context, LineKind::Removed]);
    let new = count([LineKind::Context, LineKind::Added]);
    let section = section.trim_start();
    let gap = if section.is_empty() { "" } else { " " };
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "@@ -{},{old} +{},{new} @@{gap}{section}",
        found.old_start, found.new_start
    );
    for line in &found.lines {
        let sign = match line.kind {
            LineKind::Context => ' ',
            LineKind::Added => '+',
            LineKind::Removed => '-',
            LineKind::NoNewline => '\\',
        };
        text.push(sign);
        let line = patch.line_text(line);
        text.push_str(line);
        text.push('\n');
    }
    Some(text)
}

fn header(file: &FilePatch) -> String {
    let mut text = String::new();
    let old = file
        .old_path
        .as_deref()
        .or(file.new_path.as_deref())
        .unwrap_or("");
    let new = file.new_path.as_deref().unwrap_or(old);
    let _ = writeln!(
        text,
        "diff --git {} {}",
        quoted("a/", old),
        quoted("b/", new)
    );
    let mode = |mode: &Option<String>| mode.clone().unwrap_or_else(|| "100644".to_owned());
    match file.status {
        FileStatus::Added => {
            let _ = writeln!(text, "new file mode {}", mode(&file.new_mode));
        }
        FileStatus::Deleted => {
            let _ = writeln!(text, "deleted file mode {}", mode(&file.old_mode));
        }
        FileStatus::Renamed => {
            let _ = writeln!(
                text,
                "rename from {}\nrename to {}",
                quoted("", old),
                quoted("", new)
            );
        }
        FileStatus::Copied => {
            let _ = writeln!(
                text,
                "copy from {}\ncopy to {}",
                quoted("", old),
                quoted("", new)
            );
        }
        FileStatus::Modified | FileStatus::ModeChanged | FileStatus::TypeChanged => {}
    }
    let side = |path: Option<&str>, prefix| match path {
        // A tab ends a name that has blanks in it.
        Some(path) if path.contains(' ') => format!("{}\t", quoted(prefix, path)),
        Some(path) => quoted(prefix, path),
        None => "/dev/null".to_owned(),
    };
    let (old, new) = (file.old_path.as_deref(), file.new_path.as_deref());
    let old = old.filter(|_| file.status != FileStatus::Added);
    let new = new.filter(|_| file.status != FileStatus::Deleted);
    let _ = writeln!(text, "--- {}\n+++ {}", side(old, "a/"), side(new, "b/"));
    text
}

/// A path as git writes it: in quotes with escapes when it has a quote, a backslash or a control
/// character.
fn quoted(prefix: &str, path: &str) -> String {
    let special = |c: char| c == '"' || c == '\\' || c.is_ascii_control();
    if !path.contains(special) {
        return format!("{prefix}{path}");
    }
    let mut text = format!("\"{prefix}");
    for c in path.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            '\n' => text.push_str("\\n"),
            '\t' => text.push_str("\\t"),
            c if c.is_ascii_control() => {
                let _ = write!(text, "\\{:03o}", u32::from(c));
            }
            c => text.push(c),
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn excerpt(text: &str, file: usize, hunk: usize) -> Option<String> {
        hunk_patch(&Patch::read(Arc::from(text)), file, hunk)
    }

    #[test]
    fn a_hunk_keeps_its_lines_and_gets_a_header() {
        let text = "diff --git a/x.py b/x.py\nindex 1..2 100644\n--- a/x.py\n+++ b/x.py\n\
            @@ -1,1 +1,1 @@\n-a\n+b\n@@ -9,2 +9,2 @@ def f():\n c\r\n-d\n+e\n\\ No newline at end of file\n";
        let wanted = "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -9,2 +9,2 @@ def f():\n \
            c\r\n-d\n+e\n\\ No newline at end of file\n";
        assert_eq!(excerpt(text, 0, 1).as_deref(), Some(wanted));
        assert_eq!(excerpt(text, 0, 2), None);
        // It reads back as what it was taken from.
        let back = Patch::read(Arc::from(wanted));
        assert_eq!((back.files.len(), back.added(), back.removed()), (1, 1, 1));
        assert!(
            back.files[0].repairs.is_empty(),
            "{:?}",
            back.files[0].repairs
        );
    }

    #[test]
    fn wrong_counts_are_counted_anew() {
        let text = "--- a/x.py\n+++ b/x.py\n@@ -3,9 +3,9 @@\n a\n+b\n";
        let found = excerpt(text, 0, 0).unwrap();
        assert!(found.contains("\n@@ -3,1 +3,2 @@\n"), "{found}");
    }

    #[test]
    fn new_files_renames_and_odd_names_have_their_header() {
        let text = "diff --git a/n.py b/n.py\nnew file mode 100755\n--- /dev/null\n+++ b/n.py\n\
            @@ -0,0 +1,1 @@\n+x\n";
        let found = excerpt(text, 0, 0).unwrap();
        assert!(
            found.contains("new file mode 100755\n--- /dev/null\n+++ b/n.py\n"),
            "{found}"
        );
        let text = "diff --git a/o.py b/n.py\nsimilarity index 90%\nrename from o.py\nrename to n.py\n\
            --- a/o.py\n+++ b/n.py\n@@ -1,1 +1,1 @@\n-x\n+y\n";
        let found = excerpt(text, 0, 0).unwrap();
        assert!(
            found.contains("rename from o.py\nrename to n.py\n--- a/o.py\n+++ b/n.py\n"),
            "{found}"
        );
        assert_eq!(quoted("a/", "say \"hi\"\t"), "\"a/say \\\"hi\\\"\\t\"");
    }
}
