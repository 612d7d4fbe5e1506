//! The part of the report about the worst disagreements: whose rankings, which pairs, which patches.

use super::Findings;
use super::csv::{CsvTable, number};
use super::document::{Block, Document, Table};
use super::words;
use crate::domain::agreement::{compare, credit_disagreement};
use crate::domain::counted;
use crate::domain::{Ranking, RolloutGroup};
use crate::raters::{Aggregate, GroupEvidence, Provenance, Rater};
use crate::review::{ReviewSession, passing};

/// Lines of a patch that are shown, and characters of a line.
const PATCH_LINES: usize = 120;
const LINE_CHARS: usize = 400;
/// Patches shown of a group.
const PATCHES: usize = 6;
/// Characters shown of a grader's reasoning, of a note.
const TEXT_CHARS: usize = 1200;
/// Pairs named of a group.
const PAIRS: usize = 12;

/// A group that grader and people rank so that credit would go elsewhere.
#[derive(Debug, Clone, PartialEq)]
pub struct Disagreement {
    /// The group, 0-based.
    pub group: usize,
    /// The grader.
    pub grader: String,
    /// Its ranking.
    pub graded: Ranking,
    /// What people say together.
    pub people: Ranking,
    /// How that came about.
    pub provenance: Provenance,
    /// Share of the credit that would go elsewhere.
    pub credit: f64,
}

/// The groups kept for training in which credit would go elsewhere, most first.
pub fn disagreements(
    session: &ReviewSession,
    evidence: &[GroupEvidence],
    aggregate: Aggregate,
) -> Vec<Disagreement> {
    let settings = session.settings();
    let mut found: Vec<Disagreement> = evidence
        .iter()
        .filter_map(|group| {
            let data = session.group(group.group)?;
            let is_kept = session.rows().get(group.group)?.class.is_kept();
            let baseline = session.baseline(group.group).ok().filter(|_| is_kept)?;
            let (people, provenance) = group.counting(aggregate)?;
            let grader = group
                .graders
                .iter()
                .find(|grader| grader.ranking.is_some())?;
            let graded = grader.ranking.clone()?;
            let credit = credit_disagreement(
                &baseline,
                &passing(data),
                (&graded, &people),
                &settings.scheme,
                settings.policies,
            );
            Some(Disagreement {
                group: group.group,
                grader: grader.name.clone(),
                graded,
                people,
                provenance,
                credit: credit.ok().filter(|credit| *credit > 1e-12)?,
            })
        })
        .collect();
    found.sort_by(|a, b| b.credit.total_cmp(&a.credit));
    found
}

/// Writes the section.
pub fn write(found: &Findings<'_>, document: &mut Document, rows: &mut Vec<CsvTable>) {
    document.section("Worst disagreements");
    let all = &found.disagreements;
    let shown = all.len().min(found.inputs.top);
    let scheme = &found.inputs.session.settings().scheme;
    document.text(match all.len() {
        0 => "In no kept group that both a grader and people ranked would credit go elsewhere if \
              people were right."
            .to_owned(),
        count => format!(
            "In {} credit would go elsewhere under {scheme} if people were right; the {shown} with \
             the most are shown, the others are in disagreements.csv.",
            counted(count, "kept group", "kept groups"),
        ),
    });
    for disagreement in all.iter().take(shown) {
        one(found, disagreement, document);
    }
    push_rows(found, rows);
}

fn one(found: &Findings<'_>, worst: &Disagreement, document: &mut Document) {
    let session = found.inputs.session;
    let Some(data) = session.group(worst.group) else {
        return;
    };
    let evidence = found
        .evidence
        .iter()
        .find(|group| group.group == worst.group);
    let pair = compare(&worst.people, &worst.graded);
    document.part(format!("Group {}", data.id));
    document.text(format!(
        "{:.3} of the credit would go elsewhere; tau-b {}; {} of {} the other way round. People: {}.",
        worst.credit,
        words::number(pair.tau_b.ok()),
        pair.inversions.len(),
        counted(pair.pairs(), "pair", "pairs"),
        worst.provenance.word(),
    ));
    let mut rankings = vec![
        format!(
            "grader {}: {}",
            worst.grader,
            words::ranking(data, &worst.graded)
        ),
        format!("people: {}", words::ranking(data, &worst.people)),
    ];
    for (name, ranking) in evidence.into_iter().flat_map(GroupEvidence::submitted) {
        rankings.push(format!("{name}: {}", words::ranking(data, ranking)));
    }
    document.list(rankings);
    document.table(candidates(data, worst, evidence));
    let id = |index: usize| data.trajectories.get(index).map_or("?", |t| t.id.as_str());
    let mut flipped: Vec<String> = pair
        .inversions
        .iter()
        .take(PAIRS)
        .map(|&(better, worse)| {
            format!(
                "Flipped pair: people put {} above {}, the grader the other way round.",
                id(better),
                id(worse)
            )
        })
        .collect();
    if pair.inversions.len() > PAIRS {
        flipped.push(format!(
            "{} more pairs are in pairs.csv.",
            pair.inversions.len() - PAIRS
        ));
    }
    document.list(flipped);
    said(found, worst, document);
    patches(session, data, worst, &pair.inversions, document);
}

fn candidates(
    data: &RolloutGroup,
    worst: &Disagreement,
    evidence: Option<&GroupEvidence>,
) -> Table {
    let people: Vec<(&str, &Ranking)> = evidence
        .map(|group| group.submitted().collect())
        .unwrap_or_default();
    let mut table = Table::new(
        "Ranks (1 = best; = tied with another)",
        &["candidate", ">reward", ">tokens", ">grader", ">people"],
    );
    table
        .header
        .extend(people.iter().map(|(name, _)| (*name).to_owned()));
    table.right.extend(people.iter().map(|_| true));
    let rank = |ranking: &Ranking, index: usize| {
        let tied = ranking
            .tier_of(index)
            .and_then(|tier| ranking.tiers().get(tier))
            .is_some_and(|tier| tier.len() > 1);
        let sign = if tied { "=" } else { "" };
        ranking
            .rank_of(index)
            .map_or_else(|| "—".to_owned(), |rank| format!("{rank}{sign}"))
    };
    let mut order = worst.people.order();
    order.extend((0..data.trajectories.len()).filter(|&index| {
        let passes = data
            .trajectories
            .get(index)
            .is_some_and(|t| t.outcome.is_pass());
        passes && worst.people.rank_of(index).is_none()
    }));
    for index in order {
        let Some(trajectory) = data.trajectories.get(index) else {
            continue;
        };
        let mut cells = vec![
            trajectory.id.as_str().to_owned(),
            trajectory
                .reward
                .map_or_else(String::new, |reward| reward.to_string()),
            trajectory
                .output_tokens
                .map_or_else(String::new, |tokens| tokens.to_string()),
            rank(&worst.graded, index),
            rank(&worst.people, index),
        ];
        cells.extend(people.iter().map(|(_, ranking)| rank(ranking, index)));
        table.row(cells);
    }
    table
}

/// What grader and annotators said in words.
fn said(found: &Findings<'_>, worst: &Disagreement, document: &mut Document) {
    let session = found.inputs.session;
    let mut lines = Vec::new();
    let mut answers = session.answers(worst.group).iter();
    let answer = answers.find(|a| a.grader.name == worst.grader && a.ranking.is_some());
    if let Some(reasoning) = answer.and_then(|answer| answer.reasoning.as_deref()) {
        lines.push(format!("Grader {}: {}", worst.grader, shortened(reasoning)));
    }
    if let Some(data) = session.group(worst.group) {
        let from = (data.id.as_str().to_owned(), String::new());
        let judged = session.projection().judgements.range(from..);
        for ((_, name), judgement) in judged.take_while(|((id, _), _)| id == data.id.as_str()) {
            let Some(judgement) = judgement.at(&data.fingerprint) else {
                continue;
            };
            let judgement = judgement.said(session.settings().blind_only);
            if !judgement.note.is_empty() {
                lines.push(format!("{name}, note: {}", shortened(&judgement.note)));
            }
            for (_, finding) in &judgement.findings {
                let place = finding.file.as_deref().map_or_else(String::new, |file| {
                    let lines = finding
                        .lines
                        .map_or_else(String::new, |(a, b)| format!(":{a}-{b}"));
                    format!(" at {file}{lines}")
                });
                lines.push(format!(
                    "{name}, finding on {}: {}{place} {}",
                    finding.trajectory,
                    finding.code,
                    shortened(&finding.note)
                ));
            }
        }
    }
    document.list(lines);
}

fn shortened(text: &str) -> String {
    let all = text.chars().count();
    if all <= TEXT_CHARS {
        return text.to_owned();
    }
    let kept: String = text.chars().take(TEXT_CHARS).collect();
    format!("{kept}… ({TEXT_CHARS} of {all} characters shown)")
}

/// The patches of the candidates in flipped pairs, the ones people like best first.
fn patches(
    session: &ReviewSession,
    data: &RolloutGroup,
    worst: &Disagreement,
    flipped: &[(usize, usize)],
    document: &mut Document,
) {
    let content = match session.set().open(worst.group) {
        Ok(content) => content,
        Err(problem) => {
            document.text(format!("The patches cannot be read: {problem}"));
            return;
        }
    };
    let in_pairs = |index: &usize| {
        // Where nothing but ties differ, every ranked candidate is of interest.
        flipped.is_empty() || flipped.iter().any(|(a, b)| a == index || b == index)
    };
    let order: Vec<usize> = worst.people.order().into_iter().filter(in_pairs).collect();
    for &index in order.iter().take(PATCHES) {
        let id = data.trajectories.get(index).map_or("?", |t| t.id.as_str());
        let patch = content
            .trajectories
            .get(index)
            .and_then(|t| t.patch.as_deref());
        match patch {
            None => document.text(format!("{id} has no patch.")),
            Some(patch) => {
                let (text, cut) = limited(patch);
                document.blocks.push(Block::Patch {
                    title: format!("Patch of {id}"),
                    text,
                    cut,
                });
            }
        }
    }
    if order.len() > PATCHES {
        document.text(format!(
            "{} more patches of flipped pairs are not shown.",
            order.len() - PATCHES
        ));
    }
}

/// The first lines of a patch, and what was cut off.
fn limited(patch: &str) -> (String, Option<String>) {
    let all = patch.lines().count();
    let mut long = 0;
    let mut text = String::new();
    for line in patch.lines().take(PATCH_LINES) {
        match line.char_indices().nth(LINE_CHARS) {
            Some((end, _)) => {
                long += 1;
                text.push_str(&line[..end]);
                text.push('…');
            }
            None => text.push_str(line),
        }
        text.push('\n');
    }
    let mut cut = Vec::new();
    if all > PATCH_LINES {
        cut.push(format!("{PATCH_LINES} of {all} lines are shown"));
    }
    if long > 0 {
        let lines = counted(long, "line is", "lines are");
        cut.push(format!("{lines} cut after {LINE_CHARS} characters"));
    }
    (
        text,
        (!cut.is_empty()).then(|| format!("Cut: {}.", cut.join("; "))),
    )
}

fn push_rows(found: &Findings<'_>, rows: &mut Vec<CsvTable>) {
    let mut groups = CsvTable::new(
        "disagreements",
        "a kept group in which credit would go elsewhere if people were right, most first",
        &[
            "group_id",
            "grader",
            "provenance",
            "credit_disagreement",
            "tau_b",
            "pairs",
            "flipped",
            "grader_ranking",
            "people_ranking",
        ],
    );
    let mut pairs = CsvTable::new(
        "pairs",
        "a pair that people order and a grader orders the other way round",
        &["group_id", "grader", "people_better", "people_worse"],
    );
    let session = found.inputs.session;
    for worst in &found.disagreements {
        let pair = compare(&worst.people, &worst.graded);
        let tiers = |ranking: &Ranking| {
            serde_json::to_string(&session.to_ids(worst.group, ranking)).unwrap_or_default()
        };
        groups.rows.push(vec![
            found.group_id(worst.group).to_owned(),
            worst.grader.clone(),
            worst.provenance.word().to_owned(),
            number(Some(worst.credit)),
            number(pair.tau_b.ok()),
            pair.pairs().to_string(),
            pair.inversions.len().to_string(),
            tiers(&worst.graded),
            tiers(&worst.people),
        ]);
    }
    for group in &found.evidence {
        let Some((people, _)) = group.counting(found.agreement.options.aggregate) else {
            continue;
        };
        let Some(data) = session.group(group.group) else {
            continue;
        };
        for grader in &group.graders {
            let Some(graded) = &grader.ranking else {
                continue;
            };
            for (better, worse) in compare(&people, graded).inversions {
                let id = |index: usize| {
                    data.trajectories
                        .get(index)
                        .map_or("", |t| t.id.as_str())
                        .to_owned()
                };
                pairs.rows.push(vec![
                    data.id.as_str().to_owned(),
                    Rater::Grader(grader.name.clone())
                        .name()
                        .unwrap_or_default()
                        .to_owned(),
                    id(better),
                    id(worse),
                ]);
            }
        }
    }
    rows.push(groups);
    rows.push(pairs);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_is_told() {
        let patch = "+a\n".repeat(130);
        let (text, cut) = limited(&patch);
        assert_eq!(text.lines().count(), PATCH_LINES);
        assert_eq!(cut.unwrap(), "Cut: 120 of 130 lines are shown.");
        let (text, cut) = limited(&format!("+{}", "é".repeat(500)));
        assert_eq!(text.trim_end().chars().count(), LINE_CHARS + 1);
        assert_eq!(cut.unwrap(), "Cut: 1 line is cut after 400 characters.");
        assert_eq!(limited("+a"), ("+a\n".to_owned(), None));
    }
}
