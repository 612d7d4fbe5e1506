//! Remarks of rules about the patches of a group: places to look at, never verdicts, never ranks
//! (`grader-and-scope.md` 4).
//!
//! What is *not* here: reading patches ([`crate::diff`]), what people say of remarks
//! ([`crate::store`]).

use super::trajectory::TrajectoryIndex;

/// How a remark is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Made by the harness in the whole group: listed, not counted against anybody.
    Artefact,
    /// A fact or a habit that may be fine.
    Info,
    /// Worth a look.
    Check,
}

impl Level {
    /// Every level.
    pub const ALL: [Self; 3] = [Self::Artefact, Self::Info, Self::Check];

    /// The word in files and on screen.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Artefact => "artefact",
            Self::Info => "info",
            Self::Check => "check",
        }
    }
}

/// What a rule noticed about one candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// The rule's id (`stray_file`, …).
    pub rule: &'static str,
    /// How it is meant.
    pub level: Level,
    /// The candidate; of an artefact the first one that has it.
    pub trajectory: TrajectoryIndex,
    /// The other candidates that have the same artefact, ascending; empty for all other remarks.
    pub also: Vec<TrajectoryIndex>,
    /// 0-based file in its patch; `None` = the whole patch.
    pub file: Option<usize>,
    /// The file's path, or empty.
    pub path: String,
    /// 0-based hunk in the file, when it is about one.
    pub hunk: Option<usize>,
    /// First and last line of the new text (1-based, inclusive), when it is about lines; of the old
    /// text when nothing of it is left.
    pub lines: Option<(u32, u32)>,
    /// Whether [`Self::lines`] are lines of the old text.
    pub is_old: bool,
    /// Why, one line. Untrusted text may stand in it.
    pub reason: String,
}

impl Remark {
    /// Names the remark for verdicts: the same rule at the same place of the same trajectory has the
    /// same key in every run.
    #[must_use]
    pub fn key(&self, trajectory_id: &str) -> String {
        let lines = self.lines.map_or_else(String::new, |(first, last)| {
            let side = if self.is_old { '-' } else { '+' };
            format!("{side}{first}-{last}")
        });
        format!("{}|{trajectory_id}|{}|{lines}", self.rule, self.path)
    }

    /// Where it points, as people read it: `src/a.py:3-7`, `−3` for lines of the old text; empty for
    /// the whole patch. Untrusted text.
    #[must_use]
    pub fn place(&self) -> String {
        let sign = if self.is_old { "−" } else { "" };
        match self.lines {
            None => self.path.clone(),
            Some((first, last)) if first == last => format!("{}:{sign}{first}", self.path),
            Some((first, last)) => format!("{}:{sign}{first}-{last}", self.path),
        }
    }
}
