//! `gagar.group/1`: a loaded group with its texts as one line, so that loading the line gives the
//! same group again.
//!
//! Keys that are left out mean "not known". What the texts do not tell by themselves has a key of
//! its own, written only where it is needed: `marks`, `step_count`, `test_counts`, `args_text`,
//! `task.title`, `task.has_reference`, `reward_is_verdict`. What is *not* here: files, and which
//! groups are written.

use std::io::{self, Write};

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::write_row;
use crate::diff::summarize;
use crate::domain::{
    Content, Extra, Finding, GraderAnswer, Outcome, RolloutGroup, Step, TaskContent, TaskSummary,
    TestResult, TestStatus, Trajectory, TrajectoryContent,
};

/// Reward from which a reader without options of its own counts a trajectory as passing.
const PASS_AT: f64 = 0.5;

/// Writes one group with its texts and the graders' answers about it. Returns what the line cannot
/// hold as it is loaded, one sentence each.
///
/// # Errors
/// When `out` cannot be written.
pub fn write_group(
    out: &mut dyn Write,
    group: &RolloutGroup,
    content: &Content,
    answers: &[GraderAnswer],
) -> io::Result<Vec<String>> {
    write_row(out, &Row::of(group, content, answers))?;
    Ok(lost(group, content))
}

/// What a second load would see otherwise.
fn lost(group: &RolloutGroup, content: &Content) -> Vec<String> {
    let pairs = group.trajectories.iter().zip(&content.trajectories);
    pairs
        .filter(|(trajectory, texts)| {
            let opened = summarize(texts.patch.as_deref());
            // A patch that cannot be opened has been told already.
            opened != trajectory.patch && (texts.patch.is_some() || content.problems.is_empty())
        })
        .map(|(trajectory, _)| {
            format!(
                "{}: the patch that can be opened is not the one that was counted",
                trajectory.id
            )
        })
        .collect()
}

#[derive(Serialize)]
struct Row<'a> {
    schema: &'static str,
    group_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<TaskRow<'a>>,
    #[serde(skip_serializing_if = "Pairs::is_empty")]
    base_files: Pairs<'a>,
    trajectories: Vec<TrajectoryRow<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rankings: Vec<RankingRow<'a>>,
    #[serde(skip_serializing_if = "Meta::is_empty")]
    meta: Meta<'a>,
}

impl<'a> Row<'a> {
    fn of(group: &'a RolloutGroup, content: &'a Content, answers: &'a [GraderAnswer]) -> Self {
        let pairs = group.trajectories.iter().zip(&content.trajectories);
        Self {
            schema: "gagar.group/1",
            group_id: group.id.as_str(),
            step: group.step,
            task: TaskRow::of(&group.task, &content.task),
            base_files: Pairs(&content.task.base_files),
            trajectories: pairs
                .map(|(trajectory, texts)| TrajectoryRow::of(trajectory, texts))
                .collect(),
            rankings: answers
                .iter()
                .map(|answer| RankingRow::of(group, answer))
                .collect(),
            meta: Meta(&group.meta),
        }
    }
}

#[derive(Serialize)]
struct TaskRow<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    /// The title, where it is not the text's first line.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<Option<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repo: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    base_commit: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reference_patch: Option<&'a str>,
    /// Whether there is a reference patch, where the key before does not tell it.
    #[serde(skip_serializing_if = "Option::is_none")]
    has_reference: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tests: Option<TaskTests<'a>>,
}

#[derive(Serialize)]
struct TaskTests<'a> {
    fail_to_pass: &'a [String],
    pass_to_pass: &'a [String],
}

impl<'a> TaskRow<'a> {
    /// The task; `None` when nothing is known of it.
    fn of(summary: &'a TaskSummary, texts: &'a TaskContent) -> Option<Self> {
        let told = texts.text.as_deref().and_then(first_line);
        let title = summary.title.as_deref();
        let has_reference = texts.reference_patch.is_some();
        let has_tests = !texts.fail_to_pass.is_empty() || !texts.pass_to_pass.is_empty();
        let row = Self {
            text: texts.text.as_deref(),
            title: (title != told).then_some(title),
            repo: summary.repo.as_deref(),
            base_commit: summary.base_commit.as_deref(),
            reference_patch: texts.reference_patch.as_deref(),
            has_reference: (summary.has_reference != has_reference)
                .then_some(summary.has_reference),
            tests: has_tests.then_some(TaskTests {
                fail_to_pass: &texts.fail_to_pass,
                pass_to_pass: &texts.pass_to_pass,
            }),
        };
        let is_known = row.text.is_some()
            || row.title.is_some()
            || row.repo.is_some()
            || row.base_commit.is_some()
            || row.reference_patch.is_some()
            || row.has_reference.is_some()
            || row.tests.is_some();
        is_known.then_some(row)
    }
}

/// What a reader takes for the title of a text.
fn first_line(text: &str) -> Option<&str> {
    text.lines().map(str::trim).find(|line| !line.is_empty())
}

#[derive(Serialize)]
struct TrajectoryRow<'a> {
    trajectory_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    policy: Option<&'a str>,
    outcome: &'static str,
    reward: Option<f64>,
    /// Only `false`: the outcome is not what the reward says.
    #[serde(skip_serializing_if = "Option::is_none")]
    reward_is_verdict: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    advantage: Option<f64>,
    #[serde(skip_serializing_if = "is_false")]
    masked: bool,
    #[serde(skip_serializing_if = "is_false")]
    truncated: bool,
    marks: &'a [String],
    patch: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<Vec<StepRow<'a>>>,
    /// The number of steps, where it is not the length of the list.
    #[serde(skip_serializing_if = "Option::is_none")]
    step_count: Option<Option<u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tests: Option<Vec<TestRow<'a>>>,
    /// The counts, where they are not those of the list.
    #[serde(skip_serializing_if = "Option::is_none")]
    test_counts: Option<Option<CountsRow>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    test_log: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<TokensRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_usd: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wall_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_status: Option<&'a str>,
    #[serde(skip_serializing_if = "Meta::is_empty")]
    meta: Meta<'a>,
}

#[derive(Serialize)]
struct CountsRow {
    passed: u32,
    failed: u32,
}

#[derive(Serialize)]
struct TokensRow {
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<u64>,
}

impl<'a> TrajectoryRow<'a> {
    fn of(trajectory: &'a Trajectory, texts: &'a TrajectoryContent) -> Self {
        let by_reward = match trajectory.reward {
            Some(reward) if reward >= PASS_AT => Outcome::Pass,
            Some(_) => Outcome::Fail,
            None => trajectory.outcome,
        };
        let tokens = TokensRow {
            input: trajectory.input_tokens,
            output: trajectory.output_tokens,
        };
        let has_steps = trajectory.steps.is_some() || !texts.steps.is_empty();
        let has_tests = trajectory.tests.is_some() || !texts.tests.is_empty();
        let listed = has_steps.then_some(u32::try_from(texts.steps.len()).unwrap_or(u32::MAX));
        let of_tests = texts.tests.iter().map(|test| test.status);
        let counted = has_tests.then(|| crate::domain::TestCounts::of(of_tests));
        Self {
            trajectory_id: trajectory.id.as_str(),
            policy: trajectory.policy.as_deref(),
            outcome: trajectory.outcome.word(),
            reward: trajectory.reward,
            reward_is_verdict: (by_reward != trajectory.outcome).then_some(false),
            advantage: trajectory.recorded_advantage,
            masked: trajectory.masked,
            truncated: trajectory.truncated,
            marks: &trajectory.marks,
            patch: texts.patch.as_deref(),
            steps: has_steps.then(|| texts.steps.iter().map(StepRow::of).collect()),
            step_count: (trajectory.steps != listed).then_some(trajectory.steps),
            tests: has_tests.then(|| texts.tests.iter().map(TestRow::of).collect()),
            test_counts: (trajectory.tests != counted).then_some(trajectory.tests.map(|counts| {
                CountsRow {
                    passed: counts.passed,
                    failed: counts.failed,
                }
            })),
            test_log: texts.test_log.as_deref(),
            tokens: (tokens.input.is_some() || tokens.output.is_some()).then_some(tokens),
            cost_usd: trajectory.cost_usd,
            wall_ms: trajectory.wall_ms,
            exit_status: trajectory.exit_status.as_deref(),
            meta: Meta(&trajectory.meta),
        }
    }
}

#[derive(Serialize)]
struct StepRow<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'a str>,
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<Box<RawValue>>,
    /// The arguments, where they are no JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    args_text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_usd: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<&'a str>,
    #[serde(skip_serializing_if = "is_false")]
    truncated: bool,
    #[serde(skip_serializing_if = "is_false")]
    failed: bool,
}

impl<'a> StepRow<'a> {
    fn of(step: &'a Step) -> Self {
        let args = step.args.as_deref();
        // A bare null would be read as no arguments.
        let json = args.and_then(raw).filter(|raw| raw.get() != "null");
        Self {
            kind: step.kind.map(crate::domain::StepKind::word),
            role: step.role.as_deref(),
            text: &step.text,
            tool: step.tool.as_deref(),
            args_text: args.filter(|_| json.is_none()),
            args: json,
            id: step.call_id.as_deref(),
            exit_code: step.exit_code,
            ms: step.ms,
            tokens: step.tokens,
            cost_usd: step.cost_usd,
            time: step.time.as_deref(),
            truncated: step.truncated,
            failed: step.failed,
        }
    }
}

#[derive(Serialize)]
struct TestRow<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    group: &'a str,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
}

impl<'a> TestRow<'a> {
    fn of(test: &'a TestResult) -> Self {
        Self {
            name: &test.name,
            group: &test.group,
            status: match test.status {
                TestStatus::Pass => "pass",
                TestStatus::Fail => "fail",
                TestStatus::Error => "error",
                TestStatus::Skip => "skip",
                TestStatus::Unknown => "unknown",
            },
            message: test.message.as_deref(),
        }
    }
}

#[derive(Serialize)]
struct RankingRow<'a> {
    schema: &'static str,
    group_id: &'a str,
    grader: GraderRow<'a>,
    status: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tiers: Option<Vec<Vec<&'a str>>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unranked: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shown_order: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    candidates: Vec<CandidateRow<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<FindingRow<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<ProblemRow<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vote: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<UsageRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    raw: Option<&'a str>,
}

#[derive(Serialize)]
struct GraderRow<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a str>,
}

#[derive(Serialize)]
struct CandidateRow<'a> {
    trajectory_id: &'a str,
    summary: &'a str,
}

#[derive(Serialize)]
struct FindingRow<'a> {
    trajectory_id: &'a str,
    code: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    severity: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    side: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<(u32, u32)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a str>,
}

#[derive(Serialize)]
struct ProblemRow<'a> {
    code: &'a str,
    detail: &'a str,
}

#[derive(Serialize)]
struct UsageRow {
    #[serde(skip_serializing_if = "Option::is_none")]
    input_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_usd: Option<f64>,
}

impl<'a> RankingRow<'a> {
    fn of(group: &'a RolloutGroup, answer: &'a GraderAnswer) -> Self {
        let id = |index: &usize| group.trajectories.get(*index).map(|t| t.id.as_str());
        let tiers = answer.ranking.as_ref().map(|ranking| {
            let tiers = ranking.tiers().iter();
            tiers
                .map(|tier| tier.iter().filter_map(id).collect())
                .collect()
        });
        let unranked = match &answer.ranking {
            None => Vec::new(),
            // A passing candidate stands in a tier or is said to be unranked.
            Some(ranking) => group
                .trajectories
                .iter()
                .enumerate()
                .filter(|(index, t)| t.outcome.is_pass() && ranking.tier_of(*index).is_none())
                .map(|(_, t)| t.id.as_str())
                .collect(),
        };
        let (input_tokens, output_tokens) = answer.tokens.unzip();
        let usage = UsageRow {
            input_tokens,
            output_tokens,
            cost_usd: answer.cost_usd,
        };
        let finding = |finding: &'a Finding| {
            Some(FindingRow {
                trajectory_id: id(&finding.trajectory)?,
                code: &finding.code,
                severity: finding.severity.as_deref(),
                file: finding.file.as_deref(),
                side: finding.side.as_deref(),
                lines: finding.lines,
                note: finding.note.as_deref(),
            })
        };
        Self {
            schema: "gagar.ranking/1",
            group_id: group.id.as_str(),
            grader: GraderRow {
                name: &answer.grader.name,
                kind: answer.grader.kind.as_deref(),
                version: answer.grader.version.as_deref(),
                model: answer.grader.model.as_deref(),
            },
            status: &answer.status,
            tiers,
            unranked,
            shown_order: answer.shown_order.iter().filter_map(id).collect(),
            reasoning: answer.reasoning.as_deref(),
            candidates: answer
                .summaries
                .iter()
                .filter_map(|(index, summary)| {
                    let trajectory_id = id(index)?;
                    Some(CandidateRow {
                        trajectory_id,
                        summary,
                    })
                })
                .collect(),
            findings: answer.findings.iter().filter_map(finding).collect(),
            problems: answer
                .problems
                .iter()
                .map(|(code, detail)| ProblemRow { code, detail })
                .collect(),
            run_id: answer.run_id.as_deref(),
            vote: answer.vote,
            usage: (answer.tokens.is_some() || answer.cost_usd.is_some()).then_some(usage),
            raw: answer.raw.as_deref(),
        }
    }
}

/// Texts by name as a JSON object, in their order.
struct Pairs<'a>(&'a [(String, String)]);

impl Pairs<'_> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Pairs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, text)| (name, text)))
    }
}

/// Unknown keys with their values as recorded, in their order.
struct Meta<'a>(&'a Extra);

impl Meta<'_> {
    fn is_empty(&self) -> bool {
        self.0.0.is_empty()
    }
}

impl Serialize for Meta<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.0.len()))?;
        for (key, json) in &self.0.0 {
            match raw(json) {
                Some(value) => map.serialize_entry(key, &value)?,
                // No JSON after all: kept as text rather than lost.
                None => map.serialize_entry(key, json)?,
            }
        }
        map.end()
    }
}

/// A JSON text as a value on one line; `None` when it is no JSON.
fn raw(json: &str) -> Option<Box<RawValue>> {
    let value: &RawValue = serde_json::from_str(json).ok()?;
    RawValue::from_string(on_one_line(value.get())).ok()
}

/// A JSON text without line breaks: they stand between values only.
fn on_one_line(json: &str) -> String {
    json.chars().filter(|c| !matches!(c, '\n' | '\r')).collect()
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over a reference"
)]
fn is_false(value: &bool) -> bool {
    !value
}
