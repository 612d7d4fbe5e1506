//! `gagar.ranking/1`: reading a grader's answers and binding them to their groups, strictly.
//!
//! A record that breaks a rule becomes a problem, never a ranking. What is *not* here: the ranking's
//! arithmetic ([`crate::domain::ranking`]) and writing answers.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::{Finding, Grader, GraderAnswer, Outcome, Ranking, RolloutGroup};

use super::files::{Body, Record};
use super::found::{At, Found};
use super::json::{self, Fields, JsonError, Kind, Raw};

/// Statuses with tiers.
const RANKED: [&str; 3] = ["ok", "partial", "repaired"];
/// Statuses without.
const UNRANKED: [&str; 11] = [
    "invalid",
    "no_ranking",
    "exit_nonzero",
    "timeout",
    "killed",
    "not_started",
    "rate_limited",
    "http_error",
    "over_budget",
    "cancelled",
    "skipped",
];

const BARE_LIST: &str = "a bare list is refused: order or rank vector cannot be told apart; write \
                         tiers of trajectory ids";

/// An answer as recorded: with ids, not yet bound to a group.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Answer {
    /// The group it is about.
    pub group: String,
    /// Everything that needs no group.
    answer: GraderAnswer,
    tiers: Option<Vec<Vec<String>>>,
    unranked: Vec<String>,
    not_eligible: Vec<String>,
    shown: Vec<String>,
    scored: Vec<String>,
    summaries: Vec<(String, String)>,
    findings: Vec<(String, Finding)>,
    /// File and line.
    pub at: Option<At>,
}

/// Why an answer is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AnswerError {
    /// The record cannot be read.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// A rule is broken.
    #[error("{0}")]
    Rule(String),
}

fn rule(text: impl Into<String>) -> AnswerError {
    AnswerError::Rule(text.into())
}

/// A record of this schema, or one with `group_id`, `grader` and `status`.
pub(crate) fn is_ranking(record: &Record<'_>) -> bool {
    match &record.body {
        Body::Object(_) => match record.schema() {
            Some(schema) => schema == "gagar.ranking/1",
            None => record.has("group_id") && record.has("grader") && record.has("status"),
        },
        Body::List(_) => false,
    }
}

/// Whether a list holds ranks or places instead of tiers.
fn is_bare_list(items: &[Raw<'_>]) -> bool {
    !items.is_empty()
        && items
            .iter()
            .all(|raw| json::kind(raw.get()) == Kind::Number)
}

/// Whether a record is a bare list of ids or numbers: no format, but meant as a ranking where one
/// is expected.
pub(crate) fn is_list_of_ids(record: &Record<'_>) -> bool {
    match &record.body {
        Body::List(items) => {
            record.key.is_none()
                && !items.is_empty()
                && items
                    .iter()
                    .all(|raw| matches!(json::kind(raw.get()), Kind::Text | Kind::Number))
        }
        Body::Object(_) => false,
    }
}

/// Reads an answer; a bare list is refused with its reason.
pub(crate) fn read_ranking(record: &Record<'_>, found: &mut Found) {
    match record.fields() {
        Some(fields) => push(record, fields, None, found),
        None => found.problem(record, None, BARE_LIST),
    }
}

/// Reads an answer inside a group record; it may leave out `group_id`.
pub(crate) fn read_nested(record: &Record<'_>, raw: Raw<'_>, group: &str, found: &mut Found) {
    match Fields::of("rankings", raw) {
        Ok(fields) => push(record, &fields, Some(group), found),
        Err(_) if raw.get().starts_with('[') || json::kind(raw.get()) == Kind::Number => {
            found.problem(record, Some(group), BARE_LIST);
        }
        Err(error) => found.problem(record, Some(group), error.to_string()),
    }
}

fn push(record: &Record<'_>, fields: &Fields<'_>, outer: Option<&str>, found: &mut Found) {
    let lossy = match fields.id("group_id", record.mended) {
        Err(error @ JsonError::Id(_)) => Err(AnswerError::from(error)),
        _ => Ok(()),
    };
    match lossy.and_then(|()| answer(fields, outer)) {
        Ok(answer) => found.answers.push(Answer {
            at: Some(At::of(record)),
            ..answer
        }),
        Err(error) => {
            let group = fields.text("group_id").ok().flatten();
            let name = group.as_deref().or(outer).unwrap_or("ranking").to_owned();
            found.problem(record, Some(&name), format!("ranking refused: {error}"));
        }
    }
}

fn answer(fields: &Fields<'_>, outer: Option<&str>) -> Result<Answer, AnswerError> {
    if let Some(key) = fields.duplicates().first() {
        return Err(rule(format!("{key}: the key occurs twice")));
    }
    match fields.text("schema")? {
        Some(schema) if schema != "gagar.ranking/1" => {
            return Err(rule(format!("schema: \"{schema}\" is not gagar.ranking/1")));
        }
        Some(_) => {}
        None if outer.is_some() => {}
        None => return Err(rule("schema: the key is missing")),
    }
    let group = match (fields.text("group_id")?, outer) {
        (Some(id), Some(outer)) if id != outer => {
            return Err(rule(format!(
                "group_id: \"{id}\" stands inside group \"{outer}\""
            )));
        }
        (Some(id), _) if !id.is_empty() => id,
        (_, Some(outer)) => outer.to_owned(),
        _ => return Err(rule("group_id: the key is missing or empty")),
    };
    let status = fields
        .text("status")?
        .ok_or_else(|| rule("status: the key is missing"))?;
    let tiers = tiers(fields, &status)?;
    let usage = fields.object("usage")?.unwrap_or_default();
    one_of(&usage, "cost_source", &["reported", "price_table"])
        .map_err(|error| rule(format!("usage.{error}")))?;
    let input = usage.count("input_tokens")?;
    let output = usage.count("output_tokens")?;
    let answer = GraderAnswer {
        grader: grader(fields)?,
        status,
        reasoning: fields.text("reasoning")?,
        problems: problems(fields)?,
        run_id: fields.text("run_id")?,
        vote: vote(fields)?,
        cost_usd: finite(&usage, "cost_usd")?,
        tokens: match (input, output) {
            (None, None) => None,
            (input, output) => Some((input.unwrap_or(0), output.unwrap_or(0))),
        },
        raw: fields.text("raw")?,
        ..GraderAnswer::default()
    };
    Ok(Answer {
        group,
        answer,
        tiers,
        unranked: unique(fields, "unranked")?,
        not_eligible: unique(fields, "not_eligible")?,
        shown: unique(fields, "shown_order")?,
        scored: scored(fields)?,
        summaries: summaries(fields)?,
        findings: findings(fields)?,
        at: None,
    })
}

fn grader(fields: &Fields<'_>) -> Result<Grader, AnswerError> {
    let grader = fields
        .object("grader")?
        .ok_or_else(|| rule("grader: the key is missing"))?;
    let kind = one_of(
        &grader,
        "kind",
        &["command", "http", "import", "human", "rule"],
    )?;
    Ok(Grader {
        name: grader
            .text("name")?
            .ok_or_else(|| rule("grader.name: the key is missing"))?,
        kind,
        version: grader.text("version")?,
        model: grader.text("model")?,
    })
}

/// The tiers: required with a status that ranks, forbidden with one that does not.
fn tiers(fields: &Fields<'_>, status: &str) -> Result<Option<Vec<Vec<String>>>, AnswerError> {
    let ranks = RANKED.contains(&status);
    if !ranks && !UNRANKED.contains(&status) {
        return Err(rule(format!("status: \"{status}\" is not known")));
    }
    for key in ["tiers", "ranking"] {
        if let Ok(Some(items)) = fields.list(key)
            && is_bare_list(&items)
        {
            return Err(rule(format!("{key}: {BARE_LIST}")));
        }
    }
    if !ranks {
        return if fields.has("tiers") || fields.has("ranking") {
            Err(rule(format!("tiers stand beside status \"{status}\"")))
        } else {
            Ok(None)
        };
    }
    let strict: Option<Vec<Vec<String>>> = fields
        .texts("ranking")?
        .map(|order| order.into_iter().map(|id| vec![id]).collect());
    if fields.some("tiers").is_none()
        && let Some(tiers) = strict
    {
        return if tiers.is_empty() {
            Err(rule("ranking: the list is empty"))
        } else {
            Ok(Some(tiers))
        };
    }
    let items = fields.list("tiers")?.ok_or_else(|| {
        rule(format!(
            "tiers: the key is missing beside status \"{status}\""
        ))
    })?;
    if items.is_empty() {
        return Err(rule("tiers: the list is empty"));
    }
    let mut tiers = Vec::with_capacity(items.len());
    for (index, raw) in items.into_iter().enumerate() {
        let mut tier = Vec::new();
        for item in json::list("tiers", raw)? {
            tier.push(json::text("tiers", item.get())?);
        }
        if tier.is_empty() {
            return Err(rule(format!("tiers: tier {} is empty", index + 1)));
        }
        tiers.push(tier);
    }
    if strict.is_some_and(|strict| strict != tiers) {
        return Err(rule("ranking contradicts tiers; write only one of them"));
    }
    Ok(Some(tiers))
}

fn unique(fields: &Fields<'_>, key: &str) -> Result<Vec<String>, AnswerError> {
    let ids = fields.texts(key)?.unwrap_or_default();
    let mut seen = BTreeSet::new();
    match ids.iter().find(|id| !seen.insert(id.as_str())) {
        Some(id) => Err(rule(format!("{key}: \"{id}\" occurs twice"))),
        None => Ok(ids),
    }
}

fn one_of(fields: &Fields<'_>, key: &str, words: &[&str]) -> Result<Option<String>, AnswerError> {
    match fields.text(key)? {
        Some(word) if !words.contains(&word.as_str()) => Err(rule(format!(
            "{key}: \"{word}\" is not one of {}",
            words.join(", ")
        ))),
        word => Ok(word),
    }
}

fn finite(fields: &Fields<'_>, key: &str) -> Result<Option<f64>, AnswerError> {
    match fields.number(key)? {
        Some(value) if !value.is_finite() => {
            Err(rule(format!("{key}: {value} is not a finite number")))
        }
        value => Ok(value),
    }
}

fn vote(fields: &Fields<'_>) -> Result<Option<u32>, AnswerError> {
    for key in ["seed", "started_ms", "ended_ms", "exit_code"] {
        fields.integer(key)?;
    }
    match fields.integer("vote")? {
        None => Ok(None),
        Some(vote) => u32::try_from(vote)
            .map(Some)
            .map_err(|_| rule(format!("vote: {vote} is not a vote number"))),
    }
}

fn scored(fields: &Fields<'_>) -> Result<Vec<String>, AnswerError> {
    let mut ids = Vec::new();
    for raw in fields.list("scores")?.unwrap_or_default() {
        let score = Fields::of("scores", raw)?;
        ids.push(id_of(&score, "scores")?);
        if finite(&score, "score")?.is_none() {
            return Err(rule("scores: score is missing"));
        }
    }
    Ok(ids)
}

fn id_of(fields: &Fields<'_>, list: &str) -> Result<String, AnswerError> {
    fields
        .text("trajectory_id")?
        .ok_or_else(|| rule(format!("{list}: trajectory_id is missing")))
}

fn summaries(fields: &Fields<'_>) -> Result<Vec<(String, String)>, AnswerError> {
    let mut out = Vec::new();
    for raw in fields.list("candidates")?.unwrap_or_default() {
        let candidate = Fields::of("candidates", raw)?;
        let id = id_of(&candidate, "candidates")?;
        out.push((id, candidate.text("summary")?.unwrap_or_default()));
    }
    Ok(out)
}

fn findings(fields: &Fields<'_>) -> Result<Vec<(String, Finding)>, AnswerError> {
    let mut out = Vec::new();
    for raw in fields.list("findings")?.unwrap_or_default() {
        let finding = Fields::of("findings", raw)?;
        let id = id_of(&finding, "findings")?;
        let lines = match finding.list("lines")? {
            None => None,
            Some(items) => Some(line_range(&items)?),
        };
        out.push((
            id,
            Finding {
                trajectory: 0,
                code: finding
                    .text("code")?
                    .ok_or_else(|| rule("findings: code is missing"))?,
                severity: one_of(&finding, "severity", &["info", "minor", "major"])?,
                file: finding.text("file")?,
                side: one_of(&finding, "side", &["old", "new"])?,
                lines,
                note: finding.text("note")?,
            },
        ));
    }
    Ok(out)
}

fn line_range(items: &[Raw<'_>]) -> Result<(u32, u32), AnswerError> {
    let [first, last] = items else {
        return Err(rule("findings: lines must be two line numbers"));
    };
    match (first.get().parse::<u32>(), last.get().parse::<u32>()) {
        (Ok(first), Ok(last)) if first <= last => Ok((first, last)),
        _ => Err(rule(format!(
            "findings: lines [{}, {}] are no range of lines",
            first.get(),
            last.get()
        ))),
    }
}

fn problems(fields: &Fields<'_>) -> Result<Vec<(String, String)>, AnswerError> {
    let mut out = Vec::new();
    for raw in fields.list("problems")?.unwrap_or_default() {
        let problem = Fields::of("problems", raw)?;
        let code = problem
            .text("code")?
            .ok_or_else(|| rule("problems: code is missing"))?;
        out.push((code, problem.text("detail")?.unwrap_or_default()));
    }
    Ok(out)
}

/// Binds an answer to its group.
///
/// # Errors
/// When an id is not of the group, occurs twice, a tier holds a trajectory that does not pass, a
/// passing trajectory is neither ranked nor unranked, or the order shown is no permutation.
pub(crate) fn bind(answer: &Answer, group: &RolloutGroup) -> Result<GraderAnswer, AnswerError> {
    let index: BTreeMap<&str, usize> = group
        .trajectories
        .iter()
        .enumerate()
        .map(|(i, t)| (t.id.as_str(), i))
        .collect();
    let find = |key: &str, id: &str| {
        index.get(id).copied().ok_or_else(|| {
            rule(format!(
                "{key}: \"{id}\" is no trajectory of group \"{}\"",
                group.id
            ))
        })
    };
    let find_all = |key: &str, ids: &[String]| {
        ids.iter()
            .map(|id| find(key, id))
            .collect::<Result<Vec<usize>, _>>()
    };
    let unranked = find_all("unranked", &answer.unranked)?;
    let not_eligible = find_all("not_eligible", &answer.not_eligible)?;
    find_all("scores", &answer.scored)?;
    let mut bound = answer.answer.clone();
    if let Some(tiers) = &answer.tiers {
        let tiers = tiers
            .iter()
            .map(|tier| find_all("tiers", tier))
            .collect::<Result<Vec<_>, _>>()?;
        check_places(group, &tiers, &unranked, &not_eligible)?;
        bound.ranking = Some(Ranking::new(tiers).map_err(|error| rule(error.to_string()))?);
    }
    bound.shown_order = find_all("shown_order", &answer.shown)?;
    check_shown(group, &bound.shown_order)?;
    for (id, text) in &answer.summaries {
        bound
            .summaries
            .push((find("candidates", id)?, text.clone()));
    }
    for (id, finding) in &answer.findings {
        bound.findings.push(Finding {
            trajectory: find("findings", id)?,
            ..finding.clone()
        });
    }
    Ok(bound)
}

fn check_places(
    group: &RolloutGroup,
    tiers: &[Vec<usize>],
    unranked: &[usize],
    not_eligible: &[usize],
) -> Result<(), AnswerError> {
    let name = |i: usize| group.trajectories[i].id.as_str();
    let passes = |i: usize| group.trajectories[i].outcome == Outcome::Pass;
    let mut seen = BTreeSet::new();
    for i in tiers
        .iter()
        .flatten()
        .chain(unranked)
        .chain(not_eligible)
        .copied()
    {
        if !seen.insert(i) {
            return Err(rule(format!("\"{}\" stands in two places", name(i))));
        }
    }
    if let Some(i) = tiers.iter().flatten().copied().find(|i| !passes(*i)) {
        return Err(rule(format!("tiers: \"{}\" does not pass", name(i))));
    }
    if let Some(i) = unranked.iter().copied().find(|i| !passes(*i)) {
        return Err(rule(format!("unranked: \"{}\" does not pass", name(i))));
    }
    if let Some(i) = not_eligible.iter().copied().find(|i| passes(*i)) {
        return Err(rule(format!("not_eligible: \"{}\" passes", name(i))));
    }
    match (0..group.trajectories.len()).find(|i| passes(*i) && !seen.contains(i)) {
        Some(i) => Err(rule(format!(
            "\"{}\" passes but is neither ranked nor unranked",
            name(i)
        ))),
        None => Ok(()),
    }
}

/// The order shown holds the whole group, or all passing trajectories (graders that are shown no
/// failing ones).
fn check_shown(group: &RolloutGroup, shown: &[usize]) -> Result<(), AnswerError> {
    let all = shown.len() == group.trajectories.len();
    let passing = group
        .trajectories
        .iter()
        .filter(|t| t.outcome == Outcome::Pass)
        .count();
    let only_passing = shown.len() == passing
        && shown
            .iter()
            .all(|&i| group.trajectories[i].outcome == Outcome::Pass);
    if shown.is_empty() || all || only_passing {
        Ok(())
    } else {
        Err(rule(
            "shown_order: not a permutation of the group's trajectories",
        ))
    }
}
