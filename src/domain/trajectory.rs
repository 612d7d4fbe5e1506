//! One attempt at a task, its outcome, and what a step of it is.
//!
//! What is *not* here: parsed patches ([`crate::diff`]) and rankings ([`super::ranking`]).

use super::group::Extra;

/// 0-based position of a trajectory in [`super::RolloutGroup::trajectories`].
pub type TrajectoryIndex = usize;

/// The letters of a candidate: A to Z, then AA, AB, ….
#[must_use]
pub fn letter(index: TrajectoryIndex) -> String {
    let mut rest = index;
    let mut letters = Vec::new();
    loop {
        letters.push(char::from(b'A' + u8::try_from(rest % 26).unwrap_or(0)));
        if rest < 26 {
            break;
        }
        rest = rest / 26 - 1;
    }
    letters.iter().rev().collect()
}

/// Identifies a trajectory within its group.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct TrajectoryId(pub String);

impl TrajectoryId {
    /// Returns the id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for TrajectoryId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// What the hidden tests said. *Unscored* (null reward, masked, infrastructure failure, NaN score)
/// is neither: such a trajectory is out of the group's statistics and its advantage is 0
/// (`formats.md` 13.2).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub enum Outcome {
    /// The hidden tests passed.
    Pass,
    /// The hidden tests failed.
    Fail,
    /// No verdict.
    Unscored,
}

impl Outcome {
    /// Whether the hidden tests passed.
    #[must_use]
    pub fn is_pass(self) -> bool {
        self == Self::Pass
    }

    /// The word used in files and on screen: `pass`, `fail` or `unscored`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Unscored => "unscored",
        }
    }
}

/// What the index knows of a patch without keeping its text.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct PatchSummary {
    /// What the record holds in the patch's place.
    pub presence: PatchPresence,
    /// SHA-256 of the patch bytes; of the empty string when there is no patch.
    pub sha256: PatchHash,
    /// Length in bytes.
    pub bytes: u64,
    /// Number of files touched.
    pub files: u32,
    /// Number of added lines.
    pub added: u32,
    /// Number of removed lines.
    pub removed: u32,
}

/// SHA-256 of a patch's bytes, shown as lower-case hex; the default is none, shown as nothing. Kept as
/// bytes: every trajectory loaded has one.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, serde::Serialize, serde::Deserialize,
)]
pub struct PatchHash(Option<[u8; 32]>);

impl PatchHash {
    /// The hash with these bytes.
    #[must_use]
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(Some(bytes))
    }
}

impl std::fmt::Display for PatchHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let bytes = self.0.iter().flatten();
        bytes
            .into_iter()
            .try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl std::fmt::Debug for PatchHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PatchHash({self})")
    }
}

/// What a record holds in the patch's place.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Default,
    serde::Serialize,
    serde::Deserialize,
)]
pub enum PatchPresence {
    /// Null, or no such key: no patch was recorded.
    #[default]
    Missing,
    /// An empty (or blank) text.
    Empty,
    /// Text that holds no hunk and no file header (a comment, prose).
    NotADiff,
    /// A diff.
    Diff,
}

/// Counts of a trajectory's test results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct TestCounts {
    /// Tests that passed.
    pub passed: u32,
    /// Tests that failed or errored.
    pub failed: u32,
}

impl TestCounts {
    /// Counts of test results; skipped and unknown ones are in neither count.
    #[must_use]
    pub fn of(tests: impl IntoIterator<Item = TestStatus>) -> Self {
        let mut counts = Self::default();
        for status in tests {
            match status {
                TestStatus::Pass => counts.passed = counts.passed.saturating_add(1),
                TestStatus::Fail | TestStatus::Error => {
                    counts.failed = counts.failed.saturating_add(1);
                }
                TestStatus::Skip | TestStatus::Unknown => {}
            }
        }
        counts
    }
}

/// One attempt at a task: the scalars; texts are in [`super::TrajectoryContent`].
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Trajectory {
    /// The trajectory's id, unique within its group.
    pub id: TrajectoryId,
    /// Policy, model or run name, when known.
    pub policy: Option<String>,
    /// What the hidden tests said.
    pub outcome: Outcome,
    /// The reward the trainer saw; `None` when unscored. Finite.
    pub reward: Option<f64>,
    /// The advantage the trainer used, when the file has it. Finite.
    pub recorded_advantage: Option<f64>,
    /// Whether the trajectory is masked out of the loss.
    pub masked: bool,
    /// Whether generation was cut off.
    pub truncated: bool,
    /// What is known of the patch.
    pub patch: PatchSummary,
    /// Number of steps, when a trace is known.
    pub steps: Option<u32>,
    /// Length in loss tokens (output tokens), when known; what length figures are computed from.
    pub output_tokens: Option<u64>,
    /// Input tokens, when known.
    pub input_tokens: Option<u64>,
    /// Cost in US dollars, when known.
    pub cost_usd: Option<f64>,
    /// Wall time in milliseconds, when known.
    pub wall_ms: Option<u64>,
    /// How the agent ended (`submitted`, `exit_cost`, …), when known.
    pub exit_status: Option<String>,
    /// Counts of test results, when known.
    pub tests: Option<TestCounts>,
    /// Marks worth a word on screen ("resolved without a diff", "infrastructure failure"), one
    /// short phrase each.
    pub marks: Vec<String>,
    /// Unknown keys of the trajectory's record.
    pub meta: Extra,
}

impl Trajectory {
    /// Returns a trajectory with this id and outcome and nothing else known; the reward is 1, 0 or
    /// none.
    #[must_use]
    pub fn new(id: impl Into<String>, outcome: Outcome) -> Self {
        Self {
            id: TrajectoryId(id.into()),
            policy: None,
            outcome,
            reward: match outcome {
                Outcome::Pass => Some(1.0),
                Outcome::Fail => Some(0.0),
                Outcome::Unscored => None,
            },
            recorded_advantage: None,
            masked: false,
            truncated: false,
            patch: PatchSummary::default(),
            steps: None,
            output_tokens: None,
            input_tokens: None,
            cost_usd: None,
            wall_ms: None,
            exit_status: None,
            tests: None,
            marks: Vec::new(),
            meta: Extra::default(),
        }
    }
}

/// What a step is (`gagar.group/1`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StepKind {
    /// The system prompt.
    System,
    /// A user message (the task).
    User,
    /// Text by the policy.
    Message,
    /// The policy's reasoning.
    Reasoning,
    /// A tool call.
    ToolCall,
    /// What a tool answered.
    Observation,
    /// The final submission.
    Submit,
    /// Anything else.
    Other,
}

impl StepKind {
    /// Every kind, in the order of the schema.
    pub const ALL: [Self; 8] = [
        Self::System,
        Self::User,
        Self::Message,
        Self::Reasoning,
        Self::ToolCall,
        Self::Observation,
        Self::Submit,
        Self::Other,
    ];

    /// The word used in files and on screen.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Message => "message",
            Self::Reasoning => "reasoning",
            Self::ToolCall => "tool_call",
            Self::Observation => "observation",
            Self::Submit => "submit",
            Self::Other => "other",
        }
    }

    /// The kind of this word; `None` for an unknown one.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// One turn of a trajectory.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Step {
    /// What it is; `None` is read as [`StepKind::Other`].
    pub kind: Option<StepKind>,
    /// Role as recorded (`assistant`, `tool`), when recorded.
    pub role: Option<String>,
    /// The text: a message, an observation, a tool call's command.
    pub text: String,
    /// Name of the tool, for tool calls.
    pub tool: Option<String>,
    /// Arguments of the tool call as JSON text.
    pub args: Option<String>,
    /// Id that ties a tool call to its observation.
    pub call_id: Option<String>,
    /// Exit code, for observations.
    pub exit_code: Option<i64>,
    /// Duration in milliseconds.
    pub ms: Option<u64>,
    /// Tokens the policy wrote in this step, when recorded.
    pub tokens: Option<u64>,
    /// Cost in US dollars, when recorded. Finite.
    pub cost_usd: Option<f64>,
    /// When it happened, as recorded (most writers: ISO 8601).
    pub time: Option<String>,
    /// Whether the record says that the text was cut off.
    pub truncated: bool,
    /// Whether the record says that the step failed, beside an exit code: an error event, a tool's
    /// error flag.
    pub failed: bool,
}

impl Step {
    /// Whether the step reports a failure: an exit code other than 0, or that it failed. What its
    /// text says is no part of this.
    #[must_use]
    pub fn is_failure(&self) -> bool {
        self.failed || self.exit_code.is_some_and(|code| code != 0)
    }

    /// The kind, [`StepKind::Other`] when unknown.
    #[must_use]
    pub fn kind(&self) -> StepKind {
        self.kind.unwrap_or(StepKind::Other)
    }
}

/// Status of one test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TestStatus {
    /// Passed.
    Pass,
    /// Failed.
    Fail,
    /// Errored.
    Error,
    /// Skipped.
    Skip,
    /// Anything else or unknown.
    Unknown,
}

/// One test's result on one trajectory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestResult {
    /// Name of the test.
    pub name: String,
    /// `fail_to_pass`, `pass_to_pass` or another group's name; empty when unknown.
    pub group: String,
    /// Status.
    pub status: TestStatus,
    /// Failure message, when known.
    pub message: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_go_on_after_z() {
        let shown: Vec<_> = [0, 25, 26, 51, 52, 701, 702]
            .into_iter()
            .map(letter)
            .collect();
        assert_eq!(shown, ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]);
    }
}
