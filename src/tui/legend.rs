//! Signs and words of the screens with what they mean: the one table of which the end of every key
//! sheet and the README's "Words on the screen" are made.

use super::action::Context::{self, Compare, Groups, Matrix, Remarks, Schedules, Steps, Tests};

/// A sign or word, what it means, and the screens that show it.
struct Sign(&'static str, &'static str, &'static [Context]);

const LIST: &[Context] = &[Groups];
const RANKED: &[Context] = &[Groups, Compare];
const PATCHES: &[Context] = &[Compare];
const CELLS: &[Context] = &[Matrix];
const TABLE: &[Context] = &[Tests];
const TRACE: &[Context] = &[Steps];

const SIGNS: &[Sign] = &[
    Sign(
        "*",
        "before a group's name: you flagged it for another look",
        LIST,
    ),
    Sign(
        "14/h",
        "groups you finish in an hour of focused time: from opening to submitting or skipping, at \
         most 60 s for each key, none while the window is not in front",
        RANKED,
    ),
    Sign(
        "5/7",
        "beside the first line of a change: so many of the passing candidates touch this place of the \
         base, equal results counted once; ~2/5 where fewer than two pass: of all candidates, failing ones too; in the list of files and, under = once, in the matrix: touch the file",
        PATCHES,
    ),
    Sign(
        "╱╱╱",
        "another column, or the other side, has lines of its own here",
        PATCHES,
    ),
    Sign(
        "⋯",
        "lines that no column changes, or that nobody quotes while the base is not known",
        PATCHES,
    ),
    Sign(
        "not quoted",
        "no candidate quotes these lines of the base, and the base is not known",
        PATCHES,
    ),
    Sign(
        "⇅",
        "of a candidate: it is in a pair that the focused ranking orders the other way",
        &[Context::Rankings],
    ),
    Sign("↦", "a moved block, and where its other end is", PATCHES),
    Sign(
        "~",
        "only white space changed in this line, and such changes are hidden",
        PATCHES,
    ),
    Sign(
        "▸ ▹",
        "the line of the cursor: in the focused column, in another one",
        PATCHES,
    ),
    Sign("▪", "on the scroll bar: a change; ⚑ ✎ a finding", PATCHES),
    Sign(
        "▲ ▼",
        "the file begins above what is seen; beside the strip: more candidates above, below",
        PATCHES,
    ),
    Sign(
        "↪ ‹ ›",
        "the line goes on; it is cut at the left, at the right",
        PATCHES,
    ),
    Sign(
        "⚕",
        "repaired: something in the patch that a strict reader refuses, and how it was read",
        PATCHES,
    ),
    Sign(
        "does not apply here",
        "the known base does not have the lines that a hunk quotes",
        PATCHES,
    ),
    Sign(
        "≠ !",
        "in a line of a patch: others quote the base otherwise; a marker of a merge conflict",
        PATCHES,
    ),
    Sign(
        "aligned, own, side by side",
        "in a column's title: rows by the lines of the base; the patch by itself; old beside new",
        PATCHES,
    ),
    Sign(
        "exact",
        "of an interdiff or equal results: every line of the base is known",
        PATCHES,
    ),
    Sign(
        "as far as quoted",
        "of an interdiff or equal results: only lines that the patches quote are known",
        PATCHES,
    ),
    Sign(
        "+12 −3",
        "lines added and removed; · = the file is not touched",
        CELLS,
    ),
    Sign(
        "A D R C T",
        "added, deleted, renamed, copied, became another kind of thing; mode: only the mode \
         changed; bin: binary",
        CELLS,
    ),
    Sign(
        "=A",
        "the very same change of this file as candidate A's",
        CELLS,
    ),
    Sign(
        "pass, all",
        "how many of the passing, of all candidates touch it",
        CELLS,
    ),
    Sign("only B", "nobody else touches the file", CELLS),
    Sign("no pass", "no passing candidate touches the file", CELLS),
    Sign("nobody", "only the reference patch touches the file", CELLS),
    Sign(
        "✓ ✗ E S ? ·",
        "passed, failed, error, skipped, status unknown, no result recorded",
        TABLE,
    ),
    Sign(
        "≠ of a test",
        "the candidates that ran it differ; such tests come first",
        TABLE,
    ),
    Sign(
        "fail to pass",
        "failed before the change and have to pass with it",
        TABLE,
    ),
    Sign(
        "pass to pass",
        "passed before and have to pass still",
        TABLE,
    ),
    Sign(
        "⟲3",
        "the line overwrote itself (carriage returns): its last state, after 3 earlier ones; \
         whole_texts shows them all",
        TRACE,
    ),
    Sign(
        "⧉",
        "encoded data such as an image: its start and size; whole_texts shows it all",
        TRACE,
    ),
    Sign(
        "✎ edit",
        "a call that is known to edit files; what a script does in other ways is not known",
        TRACE,
    ),
    Sign(
        "✗",
        "an observation that failed: an exit code other than 0, or the trace says so; what a text \
         says does not count",
        TRACE,
    ),
    Sign(
        "search",
        "plain text, behind re: a regular expression; letter case counts when it has an upper-case \
         letter",
        &[Compare, Steps],
    ),
    Sign(
        "writes lines",
        "the step's edit holds lines that the hunk adds; the last of the steps with the most",
        TRACE,
    ),
    Sign(
        "2 of 3",
        "answers the second of three calls that were made at once",
        TRACE,
    ),
    Sign("✗ exit", "exit code of a command that failed", TRACE),
    Sign(
        "● ○ ?",
        "passing, failing, unscored; in the list, 5/8 1? = 5 of 8 pass, 1 unscored",
        &[Groups, Compare, Tests, Matrix],
    ),
    Sign(
        "kept / dropped",
        "kept for training: some pass and some fail; else dropped, no advantage to learn from, \
         whoever ranks them",
        RANKED,
    ),
    Sign(
        "mixed, all_pass, all_fail, singleton, unscored",
        "the class of a group, by its scored candidates",
        LIST,
    ),
    Sign(
        "•",
        "the scheme in use; headings: groups it changes, largest multiplier, effective number of \
         credited candidates over their number, share of the credit moved, variance, change of length \
         pressure (tokens), token credit, expected share of the credit at the wrong candidates",
        &[Schedules],
    ),
    Sign(
        "rankable",
        "kept, with two or more passing: a ranking can move credit",
        RANKED,
    ),
    Sign(
        "estimator",
        "top right: how rewards become baseline advantages and how much a rank weighs, not the \
         format of the data",
        RANKED,
    ),
    Sign(
        "advantage a → b",
        "baseline → redistributed advantage",
        RANKED,
    ),
    Sign(
        "×",
        "multiplier: advantage after / before the ranking",
        PATCHES,
    ),
    Sign(
        "share",
        "part of the passing credit that the candidate gets",
        PATCHES,
    ),
    Sign(
        "n_eff",
        "how many candidates the credit is spread over: 1 / Σ share²",
        RANKED,
    ),
    Sign(
        "credit moved",
        "share of the passing advantage that the ranking moves, 0 to 1",
        RANKED,
    ),
    Sign(
        "disagr",
        "part of the passing credit on which your ranking and the grader's disagree",
        RANKED,
    ),
    Sign(
        "⚑",
        "findings of the grader; as a heading: how many findings, the grader's and people's",
        RANKED,
    ),
    Sign(
        "◆ ◇ ◌",
        "an out-of-scope rule points here: worth a look; a habit that may be fine; left by the \
         harness. Never a verdict: confirm_remark and dismiss_remark say what it is",
        &[Compare, Remarks],
    ),
    Sign(
        "✓ ✗",
        "before a remark: you confirmed it, and it is a finding; you dismissed it; with a name, somebody else did",
        &[Remarks],
    ),
    Sign(
        "~",
        "before remarks in one row: you judged some of them, or not all alike",
        &[Remarks],
    ),
    Sign(
        "✎",
        "a finding of a person at a line or a file; in the marks: how many; in the header: a note on the group",
        PATCHES,
    ),
    Sign(
        "┃ beside lines",
        "they are selected, for a finding",
        PATCHES,
    ),
    Sign(
        "≠",
        "its rank, or those it ties with, are others in the grader's ranking",
        RANKED,
    ),
    Sign(
        "=",
        "ties with others of the same rank; in the marks: same patch, or same result",
        RANKED,
    ),
    Sign(
        "not ranked",
        "up, down and tie first rank all passing as they are shown when nothing is ranked; else the \
         candidate enters last",
        RANKED,
    ),
    Sign(
        "unseen, draft, submitted",
        "your state of the group: nothing, not yet counted, counted",
        RANKED,
    ),
    Sign(
        "edited",
        "submitted, then changed: the submission counts until the next",
        RANKED,
    ),
    Sign(
        "stale",
        "judged on other data than what is loaded: does not count",
        RANKED,
    ),
    Sign(
        "following",
        "files are looked at again while they grow or change, or at once by the key of reload; \
         --no-follow leaves them",
        RANKED,
    ),
    Sign(
        "indexing",
        "files are read; back on the list stops it when no search or filter is on, reload goes on",
        RANKED,
    ),
];

/// The signs and words of a screen with what they mean, for the end of its key sheet.
#[must_use]
pub fn legend(context: Context) -> Vec<(&'static str, &'static str)> {
    let signs = SIGNS.iter();
    let shown = signs.filter(|Sign(_, _, shown)| shown.contains(&context));
    shown
        .map(|Sign(sign, meaning, _)| (*sign, *meaning))
        .collect()
}

/// All signs and words as a Markdown table: the README holds exactly this.
#[must_use]
pub fn markdown() -> String {
    let mut text = String::from("| where | sign or word | meaning |\n|---|---|---|\n");
    for Sign(sign, meaning, shown) in SIGNS {
        let shown: Vec<_> = shown.iter().map(|context| context.word()).collect();
        let shown = shown.join(", ");
        text.push_str(&format!("| {shown} | {sign} | {meaning} |\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_stands_once_on_a_screen() {
        for context in Context::ALL {
            let mut signs: Vec<_> = legend(context).iter().map(|(sign, _)| *sign).collect();
            let all = signs.len();
            signs.sort_unstable();
            signs.dedup();
            assert_eq!(signs.len(), all, "{}", context.word());
        }
    }
}
