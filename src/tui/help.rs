//! What keys do here: the rows of the key sheet and of the footer, from actions and keymap.

use super::action::{Action, Context};
use super::loading;
use super::model::{Model, Screen};
use super::screens::{agreement, compare, steps};

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
        .filter(|&&action| reaches(model, action))
        .map(|&action| HelpRow {
            action,
            keys: keys_of(model, action),
            applies: applies(model, action),
        })
        .filter(|row| !row.keys.is_empty())
        .collect()
}

/// Whether an action has anything to act on in what stands below the strip: a panel has no hunks,
/// rows and columns of patches.
fn reaches(model: &Model, action: Action) -> bool {
    let on_patches = match action {
        // The tables walk through the candidates with them.
        Action::Left | Action::Right => model.compare.body == compare::Body::Task,
        Action::Columns
        | Action::ScrollMode
        | Action::Wrap
        | Action::NextHunk
        | Action::PreviousHunk
        | Action::NextFile
        | Action::PreviousFile
        | Action::FileList
        | Action::Aligned
        | Action::SideBySide
        | Action::Whitespace
        | Action::Fold
        | Action::Folds
        | Action::ColumnsRight
        | Action::ColumnsLeft
        | Action::Interdiff
        | Action::InterdiffOther
        | Action::NextRemark
        | Action::PreviousRemark
        | Action::OtherEnd
        | Action::NextDifference
        | Action::PreviousDifference
        | Action::NextUnique
        | Action::PreviousUnique
        | Action::OpenStepOfHunk
        | Action::CopyLine
        | Action::CopyHunk
        | Action::CopyPath => true,
        _ => false,
    };
    let panel = model.screen == Screen::Compare && !model.compare.body.has_columns();
    !(panel && on_patches)
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
                    has_maps
                        || !model.groups.problems.is_empty()
                        || !(set.problems.is_empty() && set.notes.is_empty())
                })
        }
        Action::Reveal => {
            let open = model.compare.group;
            loaded
                .zip(open)
                .is_some_and(|(session, group)| session.awaits_reveal(group))
        }
        Action::OpenGroup => model.groups.selected().is_some(),
        Action::Search | Action::NextMatch | Action::PreviousMatch
            if !model.screen.has_search() =>
        {
            false
        }
        Action::OpenRemarks => model.screen != Screen::Remarks || model.remarks.asking.stopped,
        Action::OpenAgreement => model.screen != Screen::Agreement,
        Action::OpenDisagreements => model.screen != Screen::Disagreements,
        Action::OpenSchedules => model.screen != Screen::Schedules,
        Action::OpenRemark | Action::ConfirmListed | Action::DismissListed => {
            model.remarks.selected().is_some()
        }
        Action::OpenDisagreement => !model.disagreements.rows().is_empty(),
        Action::NextPairing => {
            let list = model.disagreements.list();
            list.is_some_and(|list| list.pairings.len() > 1)
        }
        Action::NextUnfinished => loaded.is_some(),
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
        Action::Marks => compare::focused_candidate(model).is_some_and(|found| found.is_marked()),
        Action::OpenAffected | Action::NextAffected | Action::PreviousAffected => {
            let selected = model.schedules.selected();
            selected.is_some_and(|row| !row.most_affected.is_empty())
        }
        Action::UseScheme | Action::SortSchedules => model.schedules.selected().is_some(),
        Action::OpenPair => agreement::selected_pair(model).is_some(),
        Action::NextTheme => model.theme_names.len() > 1,
        action if action.context() == Context::Global => true,
        action => compare::applies(model, action).unwrap_or(loaded.is_some()),
    }
}

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
            (Action::NextUnfinished, "next"),
            (Action::Search, "search"),
            (Action::Filter, "filter"),
            (Action::KeptOnly, "kept only"),
            (Action::QueueOrder, "order"),
            (Action::Sort, "sort"),
            (Action::SortReverse, "reverse"),
            (Action::TogglePreview, "preview"),
        ],
        Context::Compare => &[
            (Action::Reveal, "reveal"),
            (Action::Submit, "submit"),
            (Action::Undo, "undo"),
            (Action::NextHunk, "hunk"),
            (Action::Marks, "marks"),
            (Action::NextDifference, "differs"),
            (Action::MoveDown, "down"),
            (Action::MoveUp, "up"),
            (Action::FocusNext, "next"),
            (Action::TieAbove, "tie"),
            (Action::AcceptGrader, "accept"),
            (Action::Skip, "skip"),
            (Action::Flag, "flag"),
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
            (Action::AddFinding, "finding"),
            (Action::Pairwise, "pairs"),
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
        Context::Pairs => &[
            (Action::PairFirst, "left is better"),
            (Action::PairSecond, "right is better"),
            (Action::PairTie, "neither"),
            (Action::Undo, "undo"),
        ],
        Context::Rankings => &[
            (Action::Settle, "settle"),
            (Action::TakeRanking, "take"),
            (Action::NextRater, "rater"),
            (Action::HideNames, "names"),
            (Action::MoveDown, "down"),
            (Action::MoveUp, "up"),
        ],
        Context::Spotting => &[
            (Action::NextListed, "next remark"),
            (Action::PreviousListed, "remark before"),
            (Action::ConfirmRemark, "confirm"),
            (Action::DismissRemark, "dismiss"),
        ],
        Context::Remarks => &[
            (Action::OpenRemark, "go there"),
            (Action::ConfirmListed, "confirm"),
            (Action::DismissListed, "dismiss"),
            (Action::UndoVerdict, "undo"),
            (Action::NextOpenRemark, "next open"),
            (Action::RemarkFilter, "filter"),
            (Action::PassingOnly, "passing"),
            (Action::OpenOnly, "open only"),
            (Action::Artefacts, "artefacts"),
            (Action::UnfoldRemarks, "unfold"),
        ],
        Context::Agreement => &[
            (Action::NextTable, "next table"),
            (Action::OpenPair, "their disagreements"),
            (Action::NextAggregate, "consensus by"),
        ],
        Context::Disagreements => &[
            (Action::OpenDisagreement, "open"),
            (Action::NextPairing, "whose rankings"),
        ],
        Context::Schedules => &[
            (Action::UseScheme, "use it"),
            (Action::NextAffected, "next group"),
            (Action::OpenAffected, "open it"),
            (Action::SortSchedules, "sort"),
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

/// What may follow the keys that were pressed, e.g. `y` and `line`: the words of the actions' names
/// without those that all of them begin with.
#[must_use]
pub fn continuations(model: &Model) -> Vec<(String, String)> {
    let found = model
        .keymap
        .continuations(model.context(), &model.pending_keys);
    let first_word = |action: Action| action.name().split('_').next().unwrap_or_default();
    let shared = found
        .first()
        .map(|&(_, action)| first_word(action))
        .filter(|word| found.iter().all(|&(_, other)| first_word(other) == *word));
    found
        .into_iter()
        .map(|(keys, action)| {
            let name = action.name();
            let short = shared.and_then(|word| name.strip_prefix(word)?.strip_prefix('_'));
            (keys, short.unwrap_or(name).replace('_', " "))
        })
        .collect()
}

/// The keys that lead to the other matches of a search, for the message of a match.
#[must_use]
pub fn match_keys(model: &Model) -> String {
    let key = |action, word| {
        let key = model.keymap.key_of(action)?;
        Some(format!("{key} {word}"))
    };
    let keys = [
        key(Action::NextMatch, "next"),
        key(Action::PreviousMatch, "before"),
    ];
    let keys: Vec<_> = keys.into_iter().flatten().collect();
    match keys.is_empty() {
        true => String::new(),
        false => format!(" · {}", keys.join(" ")),
    }
}

/// What is appended to the message of a change that can be undone, when it fits.
#[must_use]
pub fn undo_hint(model: &Model) -> String {
    /// Cells for what is said of saves, at the right.
    const SAVES: usize = 12;
    let hint = model.keymap.key_of(Action::Undo);
    let hint = hint.map(|key| format!("; {key} undoes"));
    let taken = crate::tui::text::width(&model.status.text) + SAVES;
    hint.filter(|hint| taken + hint.len() <= usize::from(model.size.0))
        .unwrap_or_default()
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
