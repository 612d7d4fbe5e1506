//! The part of the report that says what was looked at: files, options, groups, work done.

use std::collections::BTreeMap;

use super::csv::CsvTable;
use super::document::{Document, Table};
use super::{Findings, InputFile};
use crate::domain::GroupClass;
use crate::domain::counted;
use crate::store::projection::State;

/// Files named in the document; all of them are in the rows.
const FILES_SHOWN: usize = 40;

/// Writes the section.
pub fn write(found: &Findings<'_>, document: &mut Document, rows: &mut Vec<CsvTable>) {
    document.section("What was looked at");
    options(found, document);
    files(found.inputs.files, document, rows);
    log(found, document);
    groups(found, document, rows);
    graders(found, document, rows);
    work(found, document, rows);
}

fn options(found: &Findings<'_>, document: &mut Document) {
    let settings = found.inputs.session.settings();
    let mut table = Table::new("Options", &["option", "value"]);
    for (option, value) in &found.inputs.options {
        table.row([option.clone(), value.clone()]);
    }
    for (option, value) in [
        ("estimator", settings.estimator.to_string()),
        ("scheme", settings.scheme.to_string()),
        ("ties", settings.policies.ties.word().to_owned()),
        (
            "unranked passes",
            settings.policies.unranked.word().to_owned(),
        ),
        (
            "consensus by",
            found.agreement.options.aggregate.to_string(),
        ),
        (
            "seed of the intervals",
            found.agreement.options.seed.to_string(),
        ),
        ("resamples", found.agreement.resamples.to_string()),
    ] {
        table.row([option.to_owned(), value]);
    }
    document.table(table);
}

fn files(files: &[InputFile], document: &mut Document, rows: &mut Vec<CsvTable>) {
    let mut table = Table::new("Files", &["file", ">bytes", "SHA-256"]);
    let mut csv = CsvTable::new(
        "files",
        "a file that was loaded",
        &["path", "bytes", "sha256", "not_hashed"],
    );
    for (place, file) in files.iter().enumerate() {
        let (hash, why) = match &file.sha256 {
            Ok(hash) => (hash.clone(), String::new()),
            Err(why) => (String::new(), why.clone()),
        };
        let shown = if hash.is_empty() {
            format!("not hashed: {why}")
        } else {
            hash.clone()
        };
        if place < FILES_SHOWN {
            table.row([file.path.clone(), file.bytes.to_string(), shown]);
        }
        csv.rows
            .push(vec![file.path.clone(), file.bytes.to_string(), hash, why]);
    }
    if files.len() > FILES_SHOWN {
        let rest = files.len() - FILES_SHOWN;
        table.notes.push(format!("{rest} more are in files.csv"));
    }
    document.table(table);
    rows.push(csv);
}

/// The logs that the judgements are from: how long, and the hash that their chain ends with.
fn log(found: &Findings<'_>, document: &mut Document) {
    let mut ends: BTreeMap<&str, (u64, &str)> = BTreeMap::new();
    for event in found.inputs.events {
        let end = ends.entry(&event.store_id).or_default();
        if event.seq >= end.0 {
            *end = (event.seq, &event.hash);
        }
    }
    if ends.is_empty() {
        document.text("The log of judgements is empty.");
        return;
    }
    let mut table = Table::new(
        "Logs of judgements",
        &["store", ">last event", "hash that the chain ends with"],
    );
    for (store, (seq, hash)) in ends {
        table.row([store.to_owned(), seq.to_string(), hash.to_owned()]);
    }
    document.table(table);
}

fn groups(found: &Findings<'_>, document: &mut Document, rows: &mut Vec<CsvTable>) {
    let session = found.inputs.session;
    let mut csv = CsvTable::new(
        "groups",
        "a group that was looked at",
        &[
            "group_id",
            "class",
            "kept",
            "trajectories",
            "passing",
            "failing",
            "unscored",
            "graders",
            "annotators",
            "provenance",
            "left_out_of_schemes",
        ],
    );
    let mut classes: BTreeMap<GroupClass, (usize, usize)> = BTreeMap::new();
    let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
    for evidence in &found.evidence {
        let Some(row) = session.rows().get(evidence.group) else {
            continue;
        };
        let count = classes.entry(row.class).or_default();
        count.0 += 1;
        count.1 += row.n;
        if row.class.is_kept() {
            *sizes.entry(row.passing).or_default() += 1;
        }
        let provenance = evidence
            .consensus(found.agreement.options.aggregate)
            .provenance;
        let left_out = found.left_out.get(&evidence.group);
        csv.rows.push(vec![
            found.group_id(evidence.group).to_owned(),
            row.class.word().to_owned(),
            row.class.is_kept().to_string(),
            row.n.to_string(),
            row.passing.to_string(),
            row.failing.to_string(),
            row.unscored.to_string(),
            evidence.graders.len().to_string(),
            evidence.submitted().count().to_string(),
            provenance.map_or_else(String::new, |found| found.word().to_owned()),
            left_out.map_or_else(String::new, ToString::to_string),
        ]);
    }
    let mut table = Table::new(
        "Dynamic sampling",
        &["class", ">groups", ">trajectories", "kept", "why"],
    );
    for (class, (groups, trajectories)) in &classes {
        table.row([
            class.word().to_owned(),
            groups.to_string(),
            trajectories.to_string(),
            if class.is_kept() { "yes" } else { "no" }.to_owned(),
            class.reason().to_owned(),
        ]);
    }
    let sizes: Vec<String> = sizes
        .iter()
        .map(|(passing, groups)| format!("{groups} with {passing}"))
        .collect();
    if !sizes.is_empty() {
        table.notes.push(format!(
            "passing candidates of kept groups: {}",
            sizes.join(", ")
        ));
    }
    let problems = session.set().problems.len();
    if problems > 0 {
        table.notes.push(format!(
            "{} while the files were read: `gagar check` lists them",
            counted(problems, "problem", "problems")
        ));
    }
    document.table(table);
    rows.push(csv);
}

fn graders(found: &Findings<'_>, document: &mut Document, rows: &mut Vec<CsvTable>) {
    let session = found.inputs.session;
    // Answers, with a ranking, by name, version and model.
    let mut graders: BTreeMap<[&str; 3], (usize, usize)> = BTreeMap::new();
    for &group in found.inputs.chosen {
        for answer in session.answers(group) {
            let grader = &answer.grader;
            let key = [
                grader.name.as_str(),
                grader.version.as_deref().unwrap_or_default(),
                grader.model.as_deref().unwrap_or_default(),
            ];
            let count = graders.entry(key).or_default();
            count.0 += 1;
            count.1 += usize::from(answer.ranking.is_some());
        }
    }
    let mut table = Table::new(
        "Graders",
        &["grader", "version", "model", ">answers", ">with a ranking"],
    );
    let mut csv = CsvTable::new(
        "graders",
        "a grader of some version and model",
        &["grader", "version", "model", "answers", "with_ranking"],
    );
    for ([name, version, model], (answers, ranked)) in graders {
        let cells = [
            name.to_owned(),
            version.to_owned(),
            model.to_owned(),
            answers.to_string(),
            ranked.to_string(),
        ];
        csv.rows.push(cells.to_vec());
        table.row(cells);
    }
    if table.rows.is_empty() {
        table
            .notes
            .push("No grader answered about these groups.".to_owned());
    }
    document.table(table);
    rows.push(csv);
}

/// Where the work of each annotator stands.
#[derive(Debug, Default)]
struct Work {
    opened: usize,
    draft: usize,
    submitted: usize,
    skipped: usize,
    flagged: usize,
    stale: usize,
    blind: usize,
}

fn work(found: &Findings<'_>, document: &mut Document, rows: &mut Vec<CsvTable>) {
    let session = found.inputs.session;
    let mut csv = CsvTable::new(
        "judgements",
        "an annotator's judgement of a group",
        &[
            "group_id",
            "annotator",
            "state",
            "flagged",
            "skip_reason",
            "origin",
            "blind",
            "after_reveal",
            "confidence",
            "active_ms",
            "submitted_ms",
            "findings",
            "ranking",
        ],
    );
    let mut people: BTreeMap<&str, Work> = BTreeMap::new();
    for &group in found.inputs.chosen {
        let Some(data) = session.group(group) else {
            continue;
        };
        let id = data.id.as_str();
        let from = (id.to_owned(), String::new());
        let judged = session.projection().judgements.range(from..);
        for ((_, annotator), newest) in judged.take_while(|((of, _), _)| of == id) {
            let work = people.entry(annotator).or_default();
            let Some(judgement) = newest.at(&data.fingerprint) else {
                work.stale += 1;
                let mut row = vec![String::new(); csv.columns.len()];
                let said = [id, annotator, "stale"];
                for (cell, said) in row.iter_mut().zip(said) {
                    said.clone_into(cell);
                }
                csv.rows.push(row);
                continue;
            };
            let blind_only = session.settings().blind_only;
            let judgement = judgement.said(blind_only);
            let state = judgement.state();
            match state {
                State::Unseen | State::Opened => work.opened += 1,
                State::Draft => work.draft += 1,
                State::Skipped => work.skipped += 1,
                State::Submitted => work.submitted += 1,
            }
            work.flagged += usize::from(judgement.flagged.is_some());
            let sent = judgement.submitted.as_ref();
            let sent = sent.filter(|sent| !blind_only || (sent.blind && !sent.after_reveal));
            let confidence = sent.map_or(judgement.confidence, |sent| sent.confidence);
            work.blind += usize::from(sent.is_some_and(|sent| sent.blind && !sent.after_reveal));
            let of = |value: Option<String>| value.unwrap_or_default();
            csv.rows.push(vec![
                id.to_owned(),
                annotator.clone(),
                state.to_string(),
                of(judgement.flagged.clone()),
                of(judgement.skipped.clone()),
                of(sent.map(|sent| sent.origin.clone())),
                of(sent.map(|sent| sent.blind.to_string())),
                of(sent.map(|sent| sent.after_reveal.to_string())),
                of(confidence.map(|level| level.to_string())),
                of(sent.map(|sent| sent.active_ms.to_string())),
                of(sent.map(|sent| sent.at_ms.to_string())),
                judgement.findings.len().to_string(),
                of(sent.map(|sent| serde_json::to_string(&sent.tiers).unwrap_or_default())),
            ]);
        }
    }
    let mut table = Table::new(
        "Where the annotators' work stands",
        &[
            "annotator",
            ">opened",
            ">draft",
            ">submitted",
            ">of them blind",
            ">skipped",
            ">flagged",
            ">stale",
        ],
    );
    for (annotator, work) in people {
        let counts = [
            work.opened,
            work.draft,
            work.submitted,
            work.blind,
            work.skipped,
            work.flagged,
            work.stale,
        ];
        let cells = counts.iter().map(ToString::to_string);
        table.row(std::iter::once(annotator.to_owned()).chain(cells));
    }
    match table.rows.is_empty() {
        true => table
            .notes
            .push("Nobody has judged any of these groups.".to_owned()),
        false => table.notes.push(
            "stale: judged when the group held other data; such judgements count in no figure"
                .to_owned(),
        ),
    }
    document.table(table);
    rows.push(csv);
}
