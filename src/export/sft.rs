//! `gagar.grader-sft/1`: one training record for a grader per submitted ranking
//! and per settlement
//! (`grader-and-scope.md` 5.4, `annotation.md` 2.2-2.3 and 3.2).
//!
//! Candidates get fresh letters in every row, so that a model cannot learn ids or policy names. A
//! ranking whose group has changed since, or is not loaded, gives no row and is reported.

use std::fmt::Write as _;
use std::io::{self, Write};

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::{Export, ExportOptions, ExportSource, Label, LabelState, TOOL, Written, write_row};
use crate::domain::counted;
use crate::domain::{Content, GraderAnswer, RolloutGroup};

/// Training records for a grader.
#[derive(Debug, Clone, Copy)]
pub struct GraderSft;

/// The system message: what a good candidate is, and the form of the answer.
const RUBRIC: &str = "\
You compare candidate patches for one task. The hidden tests have already been run; rank the candidates that pass, best first.
Better is: the smallest complete fix of the cause; nothing outside the task's scope (no reformatting, renames or unrelated edits); no debug leftovers or generated files; no weakened or special-cased tests; no dead code or needless abstraction; the conventions of the code around it.
Candidates that are equally good share a tier. Candidates that fail are not ranked.
Give your reasoning first. End with one line that is a JSON object: {\"tiers\":[[\"best\"],[\"equal\",\"equal\"]]}";

#[derive(Serialize)]
struct Row {
    prompt: [Message; 2],
    completion: [Message; 1],
    gagar_meta: String,
}

#[derive(Serialize)]
struct Message {
    role: &'static str,
    content: String,
}

impl Export for GraderSft {
    fn name(&self) -> &'static str {
        "sft"
    }

    fn doc(&self) -> &'static str {
        "training records for a grader from submitted rankings (gagar.grader-sft/1)"
    }

    fn write(
        &self,
        source: &dyn ExportSource,
        options: &ExportOptions,
        out: &mut dyn Write,
    ) -> io::Result<Written> {
        let mut written = Written::default();
        let (mut drafts, mut unranked, mut spelled) = (0usize, 0usize, 0u64);
        let mut open: Option<(usize, Content)> = None;
        let mut last_group = None;
        for label in source.labels() {
            match label.state {
                LabelState::Submitted | LabelState::Adjudicated => {}
                LabelState::Draft => {
                    drafts += 1;
                    continue;
                }
                LabelState::Skipped | LabelState::Flagged => {
                    unranked += 1;
                    continue;
                }
            }
            let Some((index, group)) = loaded(source, &label, &mut written) else {
                continue;
            };
            if open.as_ref().is_none_or(|(opened, _)| *opened != index) {
                match source.open(index) {
                    Ok(content) => open = Some((index, content)),
                    Err(reason) => {
                        written
                            .problems
                            .push(format!("group {}: {reason}", group.id));
                        continue;
                    }
                }
            }
            let Some((_, content)) = &open else { continue };
            let sample = Sample {
                group,
                content,
                label: &label,
                answer: source.answer(index),
                from_findings: options.reason_from_findings,
            };
            for permutation in permutations(options.permute) {
                match sample.row(permutation) {
                    Ok(row) => {
                        write_row(out, &row)?;
                        written.rows += 1;
                    }
                    Err(reason) => written
                        .problems
                        .push(format!("group {}: {reason}", group.id)),
                }
            }
            spelled += u64::from(options.permute == 0 && sample.shown_order_is_answer());
            if last_group != Some(index) {
                written.groups += 1;
                last_group = Some(index);
            }
        }
        if drafts > 0 {
            written.notes.push(format!(
                "{drafts} drafts have no row: only submitted rankings count"
            ));
        }
        if unranked > 0 {
            written.notes.push(format!(
                "{} no row: nothing is submitted",
                counted(
                    unranked,
                    "skipped or flagged group has",
                    "skipped or flagged groups have"
                )
            ));
        }
        if spelled > 0 {
            written.notes.push(format!(
                "{} the candidates in the order of the answer; --permute 1 shuffles them",
                counted(
                    usize::try_from(spelled).unwrap_or(usize::MAX),
                    "row shows",
                    "rows show"
                )
            ));
        }
        Ok(written)
    }
}

/// The group that a submitted label is about, unless it is not loaded or has changed.
fn loaded<'a>(
    source: &'a dyn ExportSource,
    label: &Label,
    written: &mut Written,
) -> Option<(usize, &'a RolloutGroup)> {
    let found = label
        .group
        .and_then(|i| Some((i, &**source.groups().get(i)?)));
    let (group, by) = (&label.group_id, &label.annotator);
    match found {
        None => written
            .notes
            .push(format!("group {group} ({by}): not in the paths given")),
        Some(_) if label.stale => written.problems.push(format!(
            "group {group} ({by}): stale, the group has changed since it was judged"
        )),
        Some(found) => return Some(found),
    }
    None
}

fn permutations(count: u32) -> std::ops::RangeInclusive<u32> {
    if count == 0 { 0..=0 } else { 1..=count }
}

/// One submitted ranking with what a row is made of.
struct Sample<'a> {
    group: &'a RolloutGroup,
    content: &'a Content,
    label: &'a Label,
    answer: Option<&'a GraderAnswer>,
    /// Whether the annotator's findings are part of the reasoning.
    from_findings: bool,
}

impl Sample<'_> {
    fn row(&self, permutation: u32) -> Result<Row, String> {
        let order = self.order(permutation);
        let letters = Letters::of(&order);
        let tiers = self.label.tiers.as_deref().unwrap_or_default();
        let mut lettered: Vec<Vec<&str>> = Vec::with_capacity(tiers.len());
        for tier in tiers {
            let mut members = Vec::with_capacity(tier.len());
            for id in tier {
                let letter = letters.letter(id);
                members.push(letter.ok_or_else(|| format!("{id} is ranked but was not shown"))?);
            }
            // Within a tier the order says nothing; letters in order, so that it teaches nothing.
            members.sort_by_key(|letter| (letter.len(), *letter));
            lettered.push(members);
        }
        let (reasoning, reasoning_source) = self.reasoning(&letters);
        let answer = json!({ "tiers": lettered }).to_string();
        let completion = if reasoning.is_empty() {
            answer
        } else {
            format!("{reasoning}\n{answer}")
        };
        let label_map: serde_json::Map<_, _> = letters
            .pairs
            .iter()
            .map(|(id, letter)| (letter.clone(), json!(id)))
            .collect();
        let meta = json!({
            "schema": "gagar.grader-sft/1",
            "group_id": self.group.id.as_str(),
            "annotation_id": self.label.annotation_id,
            "annotator": self.label.annotator,
            "origin": self.label.origin,
            "provenance": self.label.provenance,
            "label_map": label_map,
            "permutation": permutation,
            "reasoning_source": reasoning_source,
            "tool": TOOL,
        });
        let message = |role, content| Message { role, content };
        Ok(Row {
            prompt: [
                message("system", RUBRIC.to_owned()),
                message("user", self.question(&letters)?),
            ],
            completion: [message("assistant", completion)],
            gagar_meta: meta.to_string(),
        })
    }

    /// The ids in the order of the row: as shown, or shuffled; the shuffle depends on the label only.
    fn order(&self, permutation: u32) -> Vec<String> {
        let mut order = self.label.shown_order.clone();
        if permutation > 0 {
            let text = format!("{}/{permutation}", self.label.annotation_id);
            let seed: [u8; 32] = Sha256::digest(text).into();
            order.shuffle(&mut ChaCha8Rng::from_seed(seed));
        }
        order
    }

    fn shown_order_is_answer(&self) -> bool {
        let tiers = self.label.tiers.as_deref().unwrap_or_default();
        tiers.len() > 1
            && tiers
                .iter()
                .flatten()
                .zip(&self.label.shown_order)
                .all(|(a, b)| a == b)
    }

    fn question(&self, letters: &Letters) -> Result<String, String> {
        let task = self.content.task.text.as_deref();
        let task = task
            .or(self.group.task.title.as_deref())
            .unwrap_or("(no text of the task is known)");
        let mut text = format!("<task>\n{}\n</task>", task.trim_end());
        for (id, letter) in &letters.pairs {
            let place = self
                .group
                .trajectories
                .iter()
                .position(|t| t.id.as_str() == id);
            let place = place.ok_or_else(|| format!("{id} was shown but is not in the group"))?;
            let trajectory = self.group.trajectories.get(place);
            let tests = trajectory.map_or("unscored", |t| t.outcome.word());
            let patch = self
                .content
                .trajectories
                .get(place)
                .and_then(|t| t.patch.as_deref());
            let patch = patch.filter(|patch| !patch.trim().is_empty());
            // Writing to a string cannot fail.
            let _ = write!(
                text,
                "\n<candidate id=\"{letter}\" tests=\"{tests}\">\n{}\n</candidate>",
                patch.unwrap_or("(empty patch)").trim_end_matches('\n'),
            );
        }
        Ok(text)
    }

    /// The annotator's findings as sentences, by letter; those about candidates that the row does not
    /// show are left out.
    fn findings(&self, letters: &Letters) -> String {
        let mut lines = Vec::new();
        for (id, letter) in &letters.pairs {
            let findings = self.label.findings.iter();
            for finding in findings.filter(|finding| finding.trajectory == *id) {
                let mut line = format!("{letter}: {} ({})", finding.code, finding.severity);
                if let Some(file) = &finding.file {
                    line.push_str(&format!(" in {file}"));
                }
                if let Some((first, last)) = finding.lines {
                    line.push_str(&match first == last {
                        true => format!(" line {first}"),
                        false => format!(" lines {first}-{last}"),
                    });
                }
                if !finding.note.is_empty() {
                    line.push_str(&format!(": {}", letters.rename(&finding.note)));
                }
                lines.push(line);
            }
        }
        lines.join("\n")
    }

    /// The reasoning with letters in the place of ids, and where it is from: the annotator's findings
    /// (when asked for) and note, or the grader's own words when the annotator accepted its order unchanged. A grader's words
    /// never stand before an order that contradicts them.
    fn reasoning(&self, letters: &Letters) -> (String, &'static str) {
        let note = self.label.note.trim();
        let findings = match self.from_findings {
            true => self.findings(letters),
            false => String::new(),
        };
        match (findings.is_empty(), note.is_empty()) {
            (true, false) => return (letters.rename(note), "note"),
            (false, true) => return (findings, "findings"),
            (false, false) => {
                let both = format!("{findings}\n{}", letters.rename(note));
                return (both, "findings+note");
            }
            (true, true) => {}
        }
        let grader = self.answer.and_then(|answer| answer.reasoning.as_deref());
        match grader.map(str::trim) {
            Some(text)
                if !text.is_empty()
                    && self.label.origin == "accepted_grader"
                    && letters.can_rename() =>
            {
                (letters.rename(text), "grader")
            }
            _ => (String::new(), "none"),
        }
    }
}

/// Fresh letters for the ids of one row.
struct Letters {
    /// (id, letter), in the order of the row.
    pairs: Vec<(String, String)>,
}

impl Letters {
    fn of(order: &[String]) -> Self {
        let pairs = order.iter().enumerate();
        Self {
            pairs: pairs
                .map(|(place, id)| (id.clone(), letter(place)))
                .collect(),
        }
    }

    fn letter(&self, id: &str) -> Option<&str> {
        let pair = self.pairs.iter().find(|(other, _)| other == id);
        pair.map(|(_, letter)| letter.as_str())
    }

    /// Whether ids can be told from words: one of a single character (`a`) cannot.
    fn can_rename(&self) -> bool {
        self.pairs.iter().all(|(id, _)| id.chars().count() > 1)
    }

    /// `text` with every id that stands as a word replaced by its letter.
    fn rename(&self, text: &str) -> String {
        if !self.can_rename() {
            return text.to_owned();
        }
        let mut by_length: Vec<_> = self.pairs.iter().collect();
        by_length.sort_by_key(|(id, _)| std::cmp::Reverse(id.len()));
        let mut result = String::with_capacity(text.len());
        let mut rest = text;
        let mut in_word = false;
        while let Some(next) = rest.chars().next() {
            let hit = by_length.iter().find(|(id, _)| {
                !in_word
                    && rest.starts_with(id.as_str())
                    && !rest
                        .get(id.len()..)
                        .is_some_and(|tail| tail.starts_with(is_word))
            });
            let taken = match hit {
                Some((id, letter)) => {
                    result.push_str(letter);
                    in_word = true;
                    id.len()
                }
                None => {
                    result.push(next);
                    in_word = is_word(next);
                    next.len_utf8()
                }
            };
            rest = rest.get(taken..).unwrap_or_default();
        }
        result
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

/// `A`, `B`, …, `Z`, `AA`, `AB`, …: the name of a 0-based place.
fn letter(place: usize) -> String {
    let mut text = String::new();
    let mut rest = place + 1;
    while rest > 0 {
        rest -= 1;
        let digit = u8::try_from(rest % 26).unwrap_or(0);
        text.insert(0, char::from(b'A' + digit));
        rest /= 26;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_letters() {
        let names: Vec<_> = [0, 25, 26, 51, 52, 701, 702].map(letter).into();
        assert_eq!(names, ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]);
    }

    #[test]
    fn ids_are_renamed_as_whole_words_only() {
        let letters = Letters::of(&["t1".into(), "t10".into(), "run-a".into()]);
        assert_eq!(
            letters.rename("t1 beats t10, not t100 or run-ab; (run-a)."),
            "A beats B, not t100 or run-ab; (C)."
        );
    }
}
