//! What keys do here: the rows of the key sheet and of the footer, from actions and keymap.

use super::action::{Action, Context};
use super::loading;
use super::model::{Model, Screen};
use super::screens::{compare, steps};

/// One line of the key sheet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelpRow {
    /// What it does.
    pub action: Action,
    /// Its keys, as text.
    pub keys: String,
    /// Whether it would do something now.
    pub applies: bool,
}

/// The actions of a screen, its own first, then the global ones.
#[must_use]
pub fn rows(model: &Model) -> Vec<HelpRow> {
    let chain = model.context().chain();
    chain
        .iter()
        .flat_map(|&context| {
            Action::ALL
                .iter()
                .filter(move |action| action.context() == context)
        })
        .map(|&action| HelpRow {
            action,
            keys: keys_of(model, action),
            applies: applies(model, action),
        })
        .collect()
}

/// Whether an action would do something now, as far as that is cheap to tell.
#[must_use]
pub fn applies(model: &Model, action: Action) -> bool {
    let loaded = model.session.as_ref();
    match action {
        Action::RetrySave => !model.saves.unsaved.is_empty(),
        Action::Problems => {
            model.is_status_cut()
                || loaded.is_some_and(|session| {
                    let set = session.set();
                    let has_maps = !(set.guessed.is_empty() && set.used.is_empty());
                    has_maps || !(set.problems.is_empty() && set.notes.is_empty())
                })
        }
        Action::OpenGroup => model.groups.selected().is_some(),
        Action::OpenGrader => model.reviewed.as_ref().is_some_and(|(group, _)| {
            loaded.is_some_and(|session| !session.answers(*group).is_empty())
        }),
        Action::AcceptGrader => model
            .reviewed
            .as_ref()
            .is_some_and(|(_, reviewed)| reviewed.grader.is_some()),
        Action::NextMatch | Action::PreviousMatch | Action::SearchHits
            if model.screen == Screen::Steps =>
        {
            model.steps.search.pattern.is_some()
        }
        Action::OtherColumn | Action::SecondTrajectory => steps::candidates(model) > 1,
        Action::SyncColumns => steps::beside(model).is_some(),
        Action::OpenHunk => steps::may_have_hunk(model),
        Action::Marks => {
            compare::focused_candidate(model).is_some_and(|found| !found.marks.is_empty())
        }
        Action::NextTheme => model.theme_names.len() > 1,
        action if action.context() == Context::Global => true,
        action => compare::applies(model, action).unwrap_or(loaded.is_some()),
    }
}

/// Words and marks of a screen with what they mean, for the end of the key sheet.
#[must_use]
pub fn legend(context: Context) -> &'static [(&'static str, &'static str)] {
    match context {
        Context::Groups => LEGEND,
        Context::Compare => COMPARE_LEGEND,
        Context::Tests => &TESTS_LEGEND,
        Context::Matrix => &MATRIX_LEGEND,
        Context::Steps => &STEPS_LEGEND,
        _ => &[],
    }
}

const STEPS_LEGEND: [(&str, &str); 8] = [
    (
        "⟲3",
        "the line overwrote itself (carriage returns): its last state, after 3 earlier ones; \
         whole_texts shows them all",
    ),
    (
        "⧉",
        "encoded data such as an image: its start and size; whole_texts shows it all",
    ),
    (
        "✎ edit",
        "a call that is known to edit files; what a script does in other ways is not known",
    ),
    (
        "✗",
        "an observation that failed: an exit code other than 0, or the trace says so; what a text \
         says does not count",
    ),
    (
        "search",
        "plain text, behind re: a regular expression; letter case counts when it has an upper-case \
         letter",
    ),
    (
        "writes lines",
        "the step's edit holds lines that the hunk adds; the last of the steps with the most",
    ),
    (
        "2 of 3",
        "answers the second of three calls that were made at once",
    ),
    ("✗ exit", "exit code of a command that failed"),
];

const TESTS_LEGEND: [(&str, &str); 5] = [
    (
        "✓ ✗ E S ? ·",
        "passed, failed, error, skipped, status unknown, no result recorded",
    ),
    (
        "≠",
        "the candidates that ran it differ; such tests come first",
    ),
    (
        "fail to pass",
        "failed before the change and have to pass with it",
    ),
    ("pass to pass", "passed before and have to pass still"),
    ("● ○ ?", "passing, failing, unscored"),
];

const MATRIX_LEGEND: [(&str, &str); 7] = [
    (
        "+12 −3",
        "lines added and removed; · = the file is not touched",
    ),
    (
        "A D R C T",
        "added, deleted, renamed, copied, became another kind of thing; mode: only the mode \
         changed; bin: binary",
    ),
    ("=B", "the very same change of this file as candidate B's"),
    (
        "pass, all",
        "how many of the passing, of all candidates touch it",
    ),
    ("only B", "nobody else touches the file"),
    ("no pass", "no passing candidate touches the file"),
    ("nobody", "only the reference patch touches the file"),
];

const LEGEND: &[(&str, &str)] = &[
    (
        "not ranked",
        "up, down and tie first rank all passing as they are shown when nothing is ranked; else the \
         candidate enters last",
    ),
    (
        "following",
        "files are looked at again while they grow or change, or at once by the key of reload; \
         --no-follow leaves them",
    ),
    (
        "indexing",
        "files are read; back on the list stops it when no search or filter is on, reload goes on",
    ),
    (
        "kept / dropped",
        "kept for training: some pass and some fail; else dropped, no advantage to learn from",
    ),
    (
        "rankable",
        "kept, with two or more passing: a ranking can move credit",
    ),
    (
        "credit moved",
        "share of the passing advantage that the ranking moves, 0 to 1",
    ),
    (
        "disagr",
        "part of the passing credit on which your ranking and the grader's disagree",
    ),
    ("⚑", "findings of the grader"),
    (
        "≠",
        "its rank, or those it ties with, are others in the grader's ranking",
    ),
    (
        "=",
        "ties with others of the same rank; in the marks: same patch",
    ),
    ("×", "multiplier: advantage after / before the ranking"),
    (
        "share",
        "part of the passing credit that the candidate gets",
    ),
    (
        "n_eff",
        "how many candidates the credit is spread over: 1 / Σ share²",
    ),
    ("● ○ ?", "passing, failing, unscored"),
    (
        "edited",
        "submitted, then changed: the submission counts until the next",
    ),
    (
        "stale",
        "judged on other data than what is loaded: does not count",
    ),
];

const COMPARE_LEGEND: &[(&str, &str)] = &[
    (
        "5/7",
        "beside the first line of a change: so many of the passing candidates touch this place of the \
         base, equal results counted once",
    ),
    (
        "╱╱╱",
        "another column, or the other side, has lines of its own here",
    ),
    (
        "⋯",
        "lines that no column changes, or that nobody quotes while the base is not known",
    ),
    ("↦", "a moved block, and where its other end is"),
    (
        "~",
        "only white space changed in this line, and such changes are hidden",
    ),
    ("▪", "on the scroll bar: a change; ⚑ a finding"),
    (
        "not ranked",
        "up, down and tie first rank all passing as they are shown when nothing is ranked; else the \
         candidate enters last",
    ),
    (
        "following",
        "files are looked at again while they grow or change, or at once by the key of reload; \
         --no-follow leaves them",
    ),
    (
        "indexing",
        "files are read; back on the list stops it when no search or filter is on, reload goes on",
    ),
    (
        "kept / dropped",
        "kept for training: some pass and some fail; else dropped, no advantage to learn from",
    ),
    (
        "rankable",
        "kept, with two or more passing: a ranking can move credit",
    ),
    (
        "credit moved",
        "share of the passing advantage that the ranking moves, 0 to 1",
    ),
    (
        "disagr",
        "part of the passing credit on which your ranking and the grader's disagree",
    ),
    ("⚑", "findings of the grader"),
    (
        "≠",
        "its rank, or those it ties with, are others in the grader's ranking",
    ),
    (
        "=",
        "ties with others of the same rank; in the marks: same patch",
    ),
    ("×", "multiplier: advantage after / before the ranking"),
    (
        "share",
        "part of the passing credit that the candidate gets",
    ),
    (
        "n_eff",
        "how many candidates the credit is spread over: 1 / Σ share²",
    ),
    ("● ○ ?", "passing, failing, unscored"),
    (
        "edited",
        "submitted, then changed: the submission counts until the next",
    ),
    (
        "stale",
        "judged on other data than what is loaded: does not count",
    ),
];

const STEPS_FOOTER: [(Action, &str); 11] = [
    (Action::NextStep, "step"),
    (Action::FoldStep, "fold"),
    (Action::NextError, "error"),
    (Action::NextEdit, "edit"),
    (Action::OpenHunk, "its hunk"),
    (Action::Search, "search"),
    (Action::SearchHits, "places"),
    (Action::FilterKinds, "kinds"),
    (Action::NextTrajectory, "candidate"),
    (Action::SecondTrajectory, "two"),
    (Action::FoldAll, "fold all"),
];

/// The keys and words of the footer, most useful first.
#[must_use]
pub fn footer(model: &Model) -> Vec<(String, &'static str)> {
    let first: &[(Action, &'static str)] = match model.context() {
        Context::Groups => &[
            (Action::OpenGroup, "open"),
            (Action::Search, "search"),
            (Action::Filter, "filter"),
            (Action::KeptOnly, "kept only"),
            (Action::Sort, "sort"),
            (Action::SortReverse, "reverse"),
            (Action::TogglePreview, "preview"),
        ],
        Context::Compare => &[
            (Action::Submit, "submit"),
            (Action::Undo, "undo"),
            (Action::Marks, "marks"),
            (Action::MoveDown, "down"),
            (Action::MoveUp, "up"),
            (Action::FocusNext, "next"),
            (Action::TieAbove, "tie"),
            (Action::AcceptGrader, "accept"),
            (Action::NextHunk, "hunk"),
            (Action::NextDifference, "difference"),
            (Action::Aligned, "aligned"),
            (Action::Interdiff, "interdiff"),
            (Action::Tests, "tests"),
            (Action::Matrix, "files"),
            (Action::NextFile, "file"),
            (Action::OpenSteps, "steps"),
            (Action::OpenGrader, "grader"),
            (Action::Reference, "reference"),
            (Action::OpenSchedule, "schedule"),
            (Action::Columns, "columns"),
        ],
        Context::Tests => &[
            (Action::NextFailing, "next failing"),
            (Action::TestPlaces, "lines that name it"),
            (Action::TestLog, "log"),
            (Action::FocusNext, "candidate"),
        ],
        Context::Matrix => &[
            (Action::OpenFile, "go to the file"),
            (Action::FocusNext, "candidate"),
        ],
        Context::Steps => match model.steps.panel {
            steps::Panel::Hits => &[
                (Action::Down, "next place"),
                (Action::Up, "place before"),
                (Action::FoldStep, "read here"),
                (Action::Search, "search"),
            ],
            steps::Panel::Kinds(_) => &[
                (Action::Down, "next"),
                (Action::FoldStep, "show or hide"),
                (Action::FoldAll, "only this, or all"),
            ],
            steps::Panel::Steps => &STEPS_FOOTER,
        },
        Context::Grader => &[
            (Action::NextVote, "next answer"),
            (Action::RawAnswer, "raw"),
        ],
        Context::Schedule => &[
            (Action::NextValue, "next value"),
            (Action::PreviousValue, "value before"),
            (Action::EditValue, "type"),
            (Action::ResetSchedule, "reset"),
        ],
        Context::Global => &[],
    };
    let always = [(Action::Help, "keys"), (Action::Palette, "actions")];
    let out = match model.screen.context() {
        Context::Groups => (Action::Quit, "leave"),
        _ => (Action::Back, "back"),
    };
    // The way out and the way to all other keys come first: they are never cut off.
    let stop = loading::tells_stop(model) && model.screen.context() == Context::Groups;
    std::iter::once(out)
        .chain(stop.then_some((Action::Back, "stop reading")))
        .chain(always)
        .chain(first.iter().copied())
        .filter(|(action, _)| applies(model, *action))
        .filter_map(|(action, word)| Some((model.keymap.key_of(action)?, word)))
        .collect()
}

fn keys_of(model: &Model, action: Action) -> String {
    let mut keys = model.keymap.keys_of(action);
    let chain = model.context().chain();
    let outer = chain
        .iter()
        .position(|&context| context == action.context());
    if let Some(inner) = outer.and_then(|place| chain.get(..place)) {
        // A key that means something else further in is none of this action's here.
        let actions = || {
            let all = Action::ALL.iter();
            all.filter(|other| inner.contains(&other.context()))
        };
        keys.retain(|key| !actions().any(|other| model.keymap.keys_of(*other).contains(key)));
    }
    if action == Action::PlaceDigit && keys.len() == 9 {
        return "1-9".to_owned();
    }
    keys.join(" ")
}
