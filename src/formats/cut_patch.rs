//! The patch within a decoded text: which part of what a policy wrote is its diff.
//!
//! What is *not* here: reading the diff (`crate::diff`).

/// The mark of a trajectory whose patch was found this way.
pub(crate) const CUT: &str = "patch cut from the text";
/// The mark of a trajectory in whose text no patch was found.
pub(crate) const NONE: &str = "no patch found in the text";

/// The patch in a text, as it stands there. In this order:
///
/// 1. the last block fenced as ` ```diff ` or ` ```patch ` that holds a hunk or a file header, without
///    the fences; a fence that is not closed reaches to the end of the text;
/// 2. the last run of lines that begins with `diff --git `, or with `--- ` before `+++ `, up to the
///    end of its hunks; files that follow each other are one run.
///
/// A hunk reaches at least as far as its header counts, and on through lines that begin with `+`,
/// `-`, a blank or `\`: models miscount.
pub(crate) fn cut(text: &str) -> Option<&str> {
    let lines = Lines::of(text);
    fenced(&lines).or_else(|| bare(&lines))
}

/// A text in lines, with their place.
struct Lines<'a> {
    text: &'a str,
    /// (first byte, first byte of the next line)
    spans: Vec<(usize, usize)>,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        let mut start = 0;
        let spans = text
            .split_inclusive('\n')
            .map(|line| {
                let span = (start, start + line.len());
                start = span.1;
                span
            })
            .collect();
        Self { text, spans }
    }

    /// A line without its end; empty behind the last one.
    fn at(&self, index: usize) -> &'a str {
        let span = self.spans.get(index);
        let line = span.map_or("", |(start, end)| &self.text[*start..*end]);
        line.trim_end_matches(['\n', '\r'])
    }

    fn len(&self) -> usize {
        self.spans.len()
    }

    /// The text of the lines from `start` up to but not `end`.
    fn text(&self, start: usize, end: usize) -> &'a str {
        let first = self.spans.get(start).map_or(self.text.len(), |span| span.0);
        let last = self.spans.get(end).map_or(self.text.len(), |span| span.0);
        &self.text[first..last]
    }

    /// Whether a file's part of a diff begins at a line.
    fn begins_file(&self, index: usize) -> bool {
        let line = self.at(index);
        line.starts_with("diff --git ")
            || (line.starts_with("--- ") && self.at(index + 1).starts_with("+++ "))
    }
}

fn fenced<'a>(lines: &Lines<'a>) -> Option<&'a str> {
    let mut last = None;
    let mut index = 0;
    while index < lines.len() {
        if !matches!(lines.at(index).trim_end(), "```diff" | "```patch") {
            index += 1;
            continue;
        }
        let start = index + 1;
        let end = (start..lines.len())
            .find(|index| lines.at(*index).trim_end() == "```")
            .unwrap_or(lines.len());
        let is_diff =
            (start..end).any(|index| lines.begins_file(index) || counts(lines.at(index)).is_some());
        if is_diff {
            last = Some(lines.text(start, end));
        }
        index = end + 1;
    }
    last
}

fn bare<'a>(lines: &Lines<'a>) -> Option<&'a str> {
    let mut last = None;
    let mut index = 0;
    while index < lines.len() {
        let start = index;
        let mut says_something = false;
        while lines.begins_file(index) {
            says_something |= file(lines, &mut index);
        }
        if says_something {
            last = Some(lines.text(start, index));
        }
        index = index.max(start + 1);
    }
    last
}

/// Lines between `diff --git` and the hunks.
const HEADERS: &[&str] = &[
    "index ",
    "old mode ",
    "new mode ",
    "new file mode ",
    "deleted file mode ",
    "similarity index ",
    "dissimilarity index ",
    "rename from ",
    "rename to ",
    "copy from ",
    "copy to ",
    "Binary files ",
];

/// Steps over one file's part; answers whether it holds a hunk or another change.
fn file(lines: &Lines<'_>, index: &mut usize) -> bool {
    let mut says_something = false;
    if lines.at(*index).starts_with("diff --git ") {
        *index += 1;
        while HEADERS
            .iter()
            .any(|start| lines.at(*index).starts_with(start))
        {
            says_something = true;
            *index += 1;
        }
    }
    if lines.at(*index) == "GIT binary patch" {
        // Data lines up to a blank one, once or twice (forward and reverse).
        *index += 1;
        while ["literal ", "delta "]
            .iter()
            .any(|start| lines.at(*index).starts_with(start))
        {
            while *index < lines.len() && !lines.at(*index).trim().is_empty() {
                *index += 1;
            }
            *index = lines.len().min(*index + 1);
        }
        return true;
    }
    if lines.at(*index).starts_with("--- ") && lines.at(*index + 1).starts_with("+++ ") {
        *index += 2;
    }
    while let Some((mut old, mut new)) = counts(lines.at(*index)) {
        says_something = true;
        *index += 1;
        while *index < lines.len() {
            let open = old > 0 || new > 0;
            match lines.at(*index).as_bytes().first() {
                // Between the parts of two files, a header is no removed line.
                Some(b'-') if !open && lines.begins_file(*index) => break,
                Some(b'+') => new = new.saturating_sub(1),
                Some(b'-') => old = old.saturating_sub(1),
                Some(b' ') => (old, new) = (old.saturating_sub(1), new.saturating_sub(1)),
                Some(b'\\') => {}
                // Editors strip the blank of an empty context line.
                None if open => (old, new) = (old.saturating_sub(1), new.saturating_sub(1)),
                _ => break,
            }
            *index += 1;
        }
    }
    says_something
}

/// The line counts of a hunk's header; `None` when the line is none.
fn counts(line: &str) -> Option<(u64, u64)> {
    let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let count = |range: &str| match range.split_once(',') {
        Some((_, count)) => count.parse().ok(),
        None => range.parse::<u64>().ok().map(|_| 1),
    };
    Some((count(old)?, count(new)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n";

    #[test]
    fn the_last_fenced_diff_counts() {
        let text = format!("look:\n```diff\n-a\n```\n```diff\n{ONE}```\nsee\n```python\nx\n```\n");
        assert_eq!(cut(&text), Some(ONE));
        let open = format!("```patch\n{ONE}");
        assert_eq!(cut(&open), Some(ONE));
        assert_eq!(cut("```diff\nnothing\n```\n--- a\n+++ b\n"), None);
    }

    #[test]
    fn a_run_ends_with_its_hunks() {
        let two = format!("diff --git a/x b/x\nindex 1..2 100644\n{ONE}{ONE}");
        let text = format!("{ONE}\nThat was git log.\n\n{two}\nDone.\n- one\n");
        assert_eq!(cut(&text), Some(two.as_str()));
        // A blank context line without its blank, a miscount, a last line without its end.
        let odd = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n\n+c\n+d\n\\ No newline at end of file";
        assert_eq!(cut(&format!("so\n{odd}")), Some(odd));
        let renamed = "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n";
        assert_eq!(cut(&format!("{renamed}and that is it\n")), Some(renamed));
        assert_eq!(cut("diff --git a/x b/x\nis a command\n"), None);
    }
}
