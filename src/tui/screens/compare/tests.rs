//! Actions in, state, effects and screen out; on small sessions made by hand.

use std::fmt::Write as _;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::*;
use crate::diff::{Patch, summarize};
use crate::domain::{
    Content, Extra, Grader, GraderAnswer, GroupId, Outcome, Ranking, RolloutGroup, Step, StepKind,
    TaskContent, TaskSummary, Trajectory, TrajectoryContent,
};
use crate::formats::LoadedSet;
use crate::review::{Identity, ReviewSession, Settings};
use crate::tui::action::Action;
use crate::tui::colouring::ColourOf;
use crate::tui::effect::Effect;
use crate::tui::highlight::ColourUnit;
use crate::tui::key::parse_keys;
use crate::tui::keymap::Keymap;
use crate::tui::message::{Message, MouseKind};
use crate::tui::model::{Model, OpenedGroup, Screen};
use crate::tui::theme::Theme;
use crate::tui::update::{open_group, update as root};
use crate::tui::workers::{interdiff_of, to_colour};

/// A patch of two files with `lines` added lines in the first one.
fn patch(lines: usize) -> String {
    let mut text = format!(
        "--- a/one.py\n+++ b/one.py\n@@ -10,2 +10,{} @@\n a\n",
        lines + 2
    );
    for line in 0..lines {
        let _ = writeln!(text, "+new {line}");
    }
    text.push_str(" b\n--- a/two.py\n+++ b/two.py\n@@ -5,1 +5,1 @@\n-old word\n+new word\n");
    text
}

fn group(id: &str, passing: usize, all: usize) -> RolloutGroup {
    let trajectory = |i| {
        let outcome = if i < passing {
            Outcome::Pass
        } else {
            Outcome::Fail
        };
        let mut trajectory = Trajectory::new(format!("t{i}"), outcome);
        trajectory.patch = summarize(Some(&patch(i + 1)));
        trajectory
    };
    RolloutGroup {
        id: GroupId(id.to_owned()),
        step: None,
        task: TaskSummary::default(),
        trajectories: (0..all).map(trajectory).collect(),
        fingerprint: "f".to_owned(),
        meta: Extra::default(),
    }
}

fn content(data: &RolloutGroup) -> Content {
    let step = |kind, text: &str, exit_code| Step {
        kind: Some(kind),
        text: text.to_owned(),
        exit_code,
        ..Step::default()
    };
    let trajectory = |i| TrajectoryContent {
        patch: Some(patch(i + 1)),
        steps: if i == 1 {
            Vec::new()
        } else {
            vec![
                step(StepKind::System, "be good", None),
                step(StepKind::ToolCall, "ls", None),
                step(StepKind::Observation, "no\nsuch\nfile", Some(2)),
                step(StepKind::Submit, "done", None),
            ]
        },
        ..TrajectoryContent::default()
    };
    Content {
        task: TaskContent {
            text: Some("The task\nhas lines".to_owned()),
            ..TaskContent::default()
        },
        trajectories: (0..data.trajectories.len()).map(trajectory).collect(),
        problems: Vec::new(),
    }
}

/// A model of `columns` x `rows` on the first of three groups: four passing candidates that a
/// grader ranked t1 > t0 = t2 > t3, and two failing ones; then an all-pass and another mixed group.
pub(in crate::tui::screens) fn model(columns: u16, rows: u16) -> Model {
    let mut set = LoadedSet::default();
    set.groups = [group("g0", 4, 6), group("g1", 3, 3), group("g2", 2, 3)]
        .map(Arc::new)
        .into();
    let answer = GraderAnswer {
        grader: Grader {
            name: "judge".to_owned(),
            ..Grader::default()
        },
        status: "ok".to_owned(),
        ranking: Some(Ranking::new(vec![vec![1], vec![0, 2], vec![3]]).unwrap()),
        ..GraderAnswer::default()
    };
    set.answers = vec![[answer].into(), Arc::default(), Arc::default()];
    let identity = Identity {
        annotator: "ann".to_owned(),
        session_id: "s".to_owned(),
        source: "test".to_owned(),
        blind: crate::review::BlindPlan::default(),
    };
    let clock = Box::new(|| 1_796_000_000_000);
    let session = ReviewSession::new(Arc::new(set), &[], identity, Settings::default(), 7, clock);
    let keymap = Keymap::new(None).unwrap();
    let mut model = Model::new("test".to_owned(), Settings::default(), keymap, Vec::new());
    model.size = (columns, rows);
    root(&mut model, Message::Loaded(Box::new(session)));
    open_group(&mut model, 0);
    give(&mut model, 0);
    model
}

/// Hands the group's texts over; the effects of that.
fn give(model: &mut Model, group: usize) -> Vec<Effect> {
    let data = model.session.as_ref().unwrap().group(group).unwrap();
    let content = content(data);
    let patches = content
        .trajectories
        .iter()
        .map(|found| Arc::new(Patch::read(Arc::from(found.patch.as_deref().unwrap()))))
        .collect();
    let opened = Arc::new(OpenedGroup::new(group, content, patches, None));
    root(
        model,
        Message::GroupOpened {
            group,
            result: Ok(opened),
        },
    )
}

pub(in crate::tui::screens) fn press(model: &mut Model, keys: &str) -> Vec<Effect> {
    let keys = parse_keys(keys).unwrap();
    keys.into_iter()
        .flat_map(|key| root(model, Message::Key(key)))
        .collect()
}

pub(in crate::tui::screens) fn screen(model: &Model) -> String {
    let theme = Theme::embedded().unwrap().remove(0);
    let (width, height) = model.size;
    let mut buffer = Buffer::empty(Rect {
        x: 0,
        y: 0,
        width,
        height,
    });
    crate::tui::view::draw(model, &theme, &mut buffer);
    let mut text = String::new();
    for y in 0..height {
        let line: String = (0..width).map(|x| buffer[(x, y)].symbol()).collect();
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

fn order(model: &Model) -> Vec<usize> {
    super::update::shown_order(model)
}

#[test]
fn the_focus_follows_the_moved_candidate() {
    let mut model = model(160, 40);
    assert_eq!(order(&model), [1, 0, 2, 3, 4, 5]);
    assert_eq!(model.compare.focus(), Some(1));
    let effects = press(&mut model, "J");
    assert!(
        effects
            .iter()
            .any(|effect| matches!(effect, Effect::Save(_)))
    );
    assert_eq!(model.compare.focus(), Some(1));
    assert_ne!(order(&model)[0], 1);
    press(&mut model, "u");
    assert_eq!(order(&model)[0], 1);
    press(&mut model, "4");
    assert_eq!(order(&model)[3], 1);
}

#[test]
fn failing_candidates_are_not_ranked() {
    let mut model = model(160, 40);
    press(&mut model, "lllll");
    assert_eq!(model.compare.focus(), Some(5));
    let effects = press(&mut model, "K");
    assert!(
        !effects
            .iter()
            .any(|effect| matches!(effect, Effect::Save(_)))
    );
    assert!(model.status.text.contains("t5"), "{}", model.status.text);
}

#[test]
fn submit_goes_on_to_the_next_group_whose_order_matters() {
    let mut model = model(160, 40);
    press(&mut model, "a");
    let effects = press(&mut model, "<enter>");
    assert_eq!(model.compare.group, Some(2), "g1 is dropped: all pass");
    assert!(effects.contains(&Effect::OpenGroup { group: 2 }));
    assert!(
        model.status.text.contains("submitted"),
        "{}",
        model.status.text
    );
}

#[test]
fn nothing_to_submit_stays_where_it_is() {
    let mut model = model(160, 40);
    press(&mut model, "<enter>");
    assert_eq!(model.compare.group, Some(0));
    assert!(!model.status.text.is_empty());
}

#[test]
fn colours_are_asked_for_once() {
    let mut model = model(80, 24);
    model.opened.clear();
    model.colouring.clear();
    let effects = give(&mut model, 0);
    let wanted = Effect::Highlight {
        group: 0,
        of: ColourOf::Patch(Some(1)),
        file: 0,
        units: vec![ColourUnit::of(0, 0)],
        urgent: 1,
    };
    assert!(effects.contains(&wanted), "{effects:?}");
    assert!(press(&mut model, "jk").is_empty());
}

#[test]
fn an_interdiff_has_colours_of_its_own() {
    let mut model = model(80, 24);
    let effects = press(&mut model, "i");
    let asked = effects.iter().find_map(|effect| match effect {
        Effect::Interdiff { group, from, to } => Some((*group, *from, *to)),
        _ => None,
    });
    let (group, from, to) = asked.unwrap();
    let found = interdiff_of(model.opened(group).unwrap(), from, to).unwrap();
    let effects = root(
        &mut model,
        Message::Interdiffed {
            group,
            from,
            to,
            result: Ok(found),
        },
    );
    let wanted = ColourOf::Interdiff(from, to);
    let of = |effect: &Effect| match effect {
        Effect::Highlight { of, .. } => Some(*of),
        _ => None,
    };
    assert!(effects.iter().any(|effect| of(effect) == Some(wanted)));
    let (patch, base) = to_colour(&model, group, wanted, 0).unwrap();
    assert!(Arc::ptr_eq(
        &patch,
        model.compare.document(to).unwrap().patch()
    ));
    assert!(base.is_none());
}

#[test]
fn jumps_lead_the_other_columns_to_the_same_place() {
    let mut model = model(130, 40);
    press(&mut model, "}");
    // Focused: t1 with 2 new lines; beside it t0 with 1.
    assert_eq!(
        model.compare.place(Some(1)).cursor,
        model.compare.document(Some(1)).unwrap().file_starts()[1]
    );
    assert_eq!(
        model.compare.place(Some(0)).cursor,
        model.compare.document(Some(0)).unwrap().file_starts()[1]
    );
    press(&mut model, "o{");
    assert_eq!(model.compare.place(Some(1)), Place::default());
    assert_ne!(model.compare.place(Some(0)), Place::default());
    press(&mut model, "{");
    assert!(model.status.text.contains("first file"));
}

#[test]
fn every_column_opens_at_its_own_top() {
    let mut model = model(190, 40);
    // The patch beside the focused one touches a file before the first one of the focused one.
    let data = model.session.as_ref().unwrap().group(0).unwrap().clone();
    let mut patches = model.opened.remove(0).patches.clone();
    let first = "--- a/lock\n+++ b/lock\n@@ -1,1 +1,1 @@\n-1\n+2\n";
    let text = format!("{first}{}", patch(1));
    patches[0] = Arc::new(Patch::read(Arc::from(text.as_str())));
    let opened = OpenedGroup::new(0, content(&data), patches, None);
    model.compare.places.clear();
    model.compare.documents.clear();
    let result = Ok(Arc::new(opened));
    root(&mut model, Message::GroupOpened { group: 0, result });
    assert_eq!(model.compare.place(Some(0)), Place::default());
    assert!(
        screen(&model).contains(" file 1/3 1/"),
        "{}",
        screen(&model)
    );
    press(&mut model, "l");
    assert_eq!(model.compare.place(Some(0)), Place::default());
    press(&mut model, "hn");
    assert_ne!(model.compare.place(Some(0)), Place::default());
    assert!(
        screen(&model).contains(" file 2/3 8/"),
        "{}",
        screen(&model)
    );
    press(&mut model, "gg");
    assert_eq!(model.compare.place(Some(0)), Place::default());
}

#[test]
fn a_row_is_marked_when_its_rank_or_its_ties_are_not_the_graders() {
    // The grader: t1 > t0 = t2 > t3.
    let mut model = model(160, 40);
    let marks = |model: &Model| -> Vec<(usize, bool)> {
        let (group, reviewed) = model.reviewed.as_ref().unwrap();
        let all = super::candidates(model.session.as_ref().unwrap(), *group, reviewed);
        all.iter()
            .map(|found| (found.index, found.differs))
            .collect()
    };
    press(&mut model, "l-");
    let split = marks(&model);
    assert!(split.contains(&(0, true)) && split.contains(&(2, true)));
    assert!(split.contains(&(1, false)) && split.contains(&(3, false)));
    assert!(screen(&model).contains("2 = ≠"), "{}", screen(&model));
    press(&mut model, "ux");
    assert!(marks(&model).contains(&(0, true)));
    assert!(marks(&model).contains(&(4, false)), "a failing one");
}

#[test]
fn the_reference_says_that_it_came_and_went() {
    let mut model = model(130, 40);
    press(&mut model, "R");
    assert!(model.status.text.starts_with("no reference patch"));
    let found = model.opened.remove(0);
    let data = model.session.as_ref().unwrap().group(0).unwrap().clone();
    model.opened.push(Arc::new(OpenedGroup::new(
        0,
        content(&data),
        found.patches.clone(),
        found.patches.first().cloned(),
    )));
    press(&mut model, "R");
    assert!(model.status.text.starts_with("reference patch shown"));
    press(&mut model, "R");
    assert_eq!(model.status.text, "reference patch hidden");
}

#[test]
fn the_footer_fits_submit_reading_and_undo() {
    for size in [(80, 24), (60, 20)] {
        let model = model(size.0, size.1);
        let screen = screen(&model);
        let footer = screen.lines().last().unwrap();
        assert!(footer.contains("<enter> submit  u undo"), "{footer}");
        assert!(size.0 < 80 || footer.contains("n hunk"), "{footer}");
    }
}

#[test]
fn the_header_says_why_a_group_is_dropped() {
    for size in [(200, 40), (80, 24), (60, 20)] {
        let mut model = model(size.0, size.1);
        press(&mut model, ")");
        let screen = screen(&model);
        assert!(
            screen.contains("dropped: all pass, advantage 0"),
            "{screen}"
        );
        assert!(screen.contains("3/3 pass · you: unseen"), "{screen}");
        assert!(!screen.contains("−0.000") && !screen.contains("-0.000"));
    }
}

#[test]
fn search_finds_and_wraps_around() {
    let mut model = model(80, 24);
    press(&mut model, "/new<enter>");
    let first = model.compare.place(Some(1)).cursor;
    press(&mut model, "<ctrl-n><ctrl-n>");
    assert!(model.compare.place(Some(1)).cursor > first);
    press(&mut model, "<ctrl-n>");
    assert_eq!(model.compare.place(Some(1)).cursor, first);
    press(&mut model, "/nowhere<enter>");
    assert!(model.status.text.contains("not in this patch"));
}

#[test]
fn the_mouse_focuses_scrolls_and_moves() {
    let mut model = model(160, 40);
    let layout = super::update::layout(&model);
    let mouse = |model: &mut Model, kind, x, y| root(model, Message::Mouse { kind, x, y });
    let row = layout.strip.y;
    mouse(&mut model, MouseKind::Down, 5, row + 3);
    assert_eq!(model.compare.focus(), Some(3));
    mouse(&mut model, MouseKind::Drag, 5, row + 1);
    let effects = mouse(&mut model, MouseKind::Up, 5, row);
    assert!(
        effects
            .iter()
            .any(|effect| matches!(effect, Effect::Save(_)))
    );
    assert_eq!(order(&model)[0], 3);
    let text = super::update::layout(&model).columns[0].text;
    mouse(&mut model, MouseKind::ScrollDown, text.x + 1, text.y + 1);
    assert_eq!(model.compare.drag, None);
}

#[test]
fn escape_leaves_the_task_first() {
    let mut model = model(80, 24);
    press(&mut model, "t");
    assert!(screen(&model).contains("has lines"));
    press(&mut model, "<esc>");
    assert_eq!(model.screen, Screen::Compare);
    press(&mut model, "<esc>");
    assert_eq!(model.screen, Screen::Groups);
}

#[test]
fn copying_gives_the_whole_patch() {
    let mut model = model(80, 24);
    assert_eq!(press(&mut model, "yp"), [Effect::Copy(patch(2))]);
    let said = format!("patch copied: {} bytes (OSC 52", patch(2).len());
    assert!(
        model.status.text.starts_with(&said),
        "{}",
        model.status.text
    );
}

#[test]
fn neighbours_are_those_of_the_list() {
    let mut model = model(80, 24);
    press(&mut model, "(");
    assert_eq!(model.compare.group, Some(0));
    assert!(model.status.text.contains("first group"));
    press(&mut model, ")");
    assert_eq!(model.compare.group, Some(1));
}

#[test]
fn loading_and_failure_are_words() {
    let mut model = model(80, 24);
    model.opened.clear();
    assert!(screen(&model).contains("opening the patches"));
    let result = Err("the disk is gone".to_owned());
    root(&mut model, Message::GroupOpened { group: 0, result });
    assert!(screen(&model).contains("the disk is gone"));
}

#[test]
fn every_size_shows_rank_figures_and_patch() {
    for (columns, rows) in [(200, 60), (120, 40), (80, 24), (60, 20)] {
        let mut model = model(columns, rows);
        press(&mut model, "J");
        let screen = screen(&model);
        for wanted in [
            "Σ passing",
            "n_eff",
            "● pass",
            "rank",
            "one.py",
            "+ new 0",
            "draft",
        ] {
            assert!(
                screen.contains(wanted),
                "{wanted} at {columns}x{rows}:\n{screen}"
            );
        }
    }
}

#[test]
fn line_numbers_never_shift() {
    let mut model = model(80, 24);
    press(&mut model, "w");
    let screen = screen(&model);
    let line = screen.lines().find(|line| line.contains("new 0")).unwrap();
    assert!(line.starts_with("     11 + new 0"), "{line:?}");
}

#[test]
fn the_screen_is_the_same_when_drawn_twice() {
    let model = model(120, 40);
    assert_eq!(screen(&model), screen(&model));
}

#[test]
fn an_action_without_a_group_does_nothing() {
    let mut empty = model(80, 24);
    empty.compare = State::default();
    empty.reviewed = None;
    for &action in Action::ALL.iter().filter(|action| **action != Action::Back) {
        update(&mut empty, action, Some(1));
        empty.screen = Screen::Compare;
        empty.overlay = None;
    }
}

/// Texts that are not patches, or odd ones, beside the cases of `tests/diff-cases`.
const ODD: [&str; 6] = [
    "",
    "\n",
    "no diff at all\r\u{1b}[31m\u{202e}",
    "@@ -1 +1 @@\n-a\n+b",
    "--- a/x\n+++ b/x\n@@ -4000000000,1 +4000000000,1 @@\n-\ta\u{0}\n+\t日本\u{301}\u{200b}\n",
    "--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@ cut",
];

#[test]
fn odd_patches_are_drawn_without_control_characters() {
    let root_dir = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/diff-cases");
    let mut texts: Vec<String> = ODD.map(str::to_owned).to_vec();
    for entry in std::fs::read_dir(root_dir).unwrap() {
        let path = entry.unwrap().path();
        let inside = std::fs::read_dir(&path)
            .into_iter()
            .flatten()
            .flatten()
            .map(|e| e.path());
        for file in inside.chain([path]).filter(|path| path.is_file()) {
            texts.push(String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned());
        }
    }
    assert!(texts.len() > ODD.len());
    for (columns, rows) in [(130, 40), (60, 20)] {
        for text in &texts {
            let mut model = model(columns, rows);
            let data = model.session.as_ref().unwrap().group(0).unwrap();
            let mut content = content(data);
            content.task.text = Some(text.clone());
            for trajectory in &mut content.trajectories {
                trajectory.steps.push(Step {
                    text: text.clone(),
                    ..Step::default()
                });
            }
            let patch = Arc::new(Patch::read(Arc::from(text.as_str())));
            let patches = vec![Arc::clone(&patch); 6];
            let opened = OpenedGroup::new(0, content, patches, Some(patch));
            model.opened.clear();
            model.compare = State::default();
            open_group(&mut model, 0);
            root(
                &mut model,
                Message::GroupOpened {
                    group: 0,
                    result: Ok(Arc::new(opened)),
                },
            );
            for keys in [
                "j",
                "R",
                "w",
                "G",
                "n",
                "f",
                "|||",
                "/a<enter>",
                "w<right>",
                "t",
                "<esc>sGz",
            ] {
                press(&mut model, keys);
                let screen = screen(&model);
                let shown = screen.chars().all(|c| c == '\n' || !c.is_control());
                assert!(shown && !screen.contains('\u{202e}'), "{keys}: {screen:?}");
            }
        }
    }
}

#[test]
fn a_key_that_ends_no_sequence_is_swallowed_and_named() {
    let mut model = model(80, 24);
    press(&mut model, "J");
    press(&mut model, "y");
    let lines = screen(&model);
    assert!(
        lines.contains("y … y line · h hunk · p patch · f path"),
        "{lines}"
    );
    let effects = press(&mut model, "<enter>");
    assert!(effects.is_empty());
    assert_eq!(model.status.text, "y<enter> is no key");
    assert!(press(&mut model, "gq").is_empty());
    assert_eq!(model.status.text, "gq is no key");
    press(&mut model, "g");
    let lines = screen(&model);
    for word in [
        "g top",
        "d other end",
        "/ search group",
        "<enter> open grader",
    ] {
        assert!(lines.contains(word), "{word}: {lines}");
    }
    press(&mut model, "<esc>");
    assert_eq!(model.screen, Screen::Compare);
}

#[test]
fn an_interdiff_is_against_the_column_beside_it() {
    let mut model = model(200, 40);
    press(&mut model, "l");
    press(&mut model, "i");
    let from = model.compare.interdiff;
    let order = super::update::shown_order(&model);
    assert_eq!(from, Some(Some(order[0])));
    press(&mut model, "III");
    let columns = super::update::layout(&model).columns;
    let place = |slot| columns.iter().position(|column| column.slot == slot);
    let (to, from) = (
        place(model.compare.focus()),
        place(model.compare.interdiff.unwrap()),
    );
    assert_eq!(to.unwrap().abs_diff(from.unwrap()), 1);
    let first = model.compare.first_column;
    press(&mut model, "<esc>");
    assert_eq!(model.compare.first_column, first);
}

#[test]
fn a_move_names_the_key_that_undoes_it() {
    let mut model = model(120, 40);
    press(&mut model, "3");
    assert!(
        model.status.text.ends_with("; u undoes"),
        "{}",
        model.status.text
    );
}

#[test]
fn the_search_is_taken_off_before_the_way_back() {
    let mut model = model(120, 40);
    press(&mut model, "/new<enter>");
    let said = model.status.text.clone();
    assert!(
        said.ends_with("lines · <ctrl-n> next <ctrl-p> before"),
        "{said}"
    );
    press(&mut model, "<esc>");
    assert!(model.compare.query.is_none());
    assert_eq!(model.status.text, "the search for \"new\" is taken off");
    assert_eq!(model.screen, Screen::Compare);
    press(&mut model, "<esc>");
    assert_eq!(model.screen, Screen::Groups);
}

#[test]
fn the_next_group_shows_the_same_body() {
    let mut model = model(130, 40);
    press(&mut model, "t)");
    assert_eq!(model.compare.group, Some(1));
    assert_eq!(model.compare.body, super::state::Body::Task);
    press(&mut model, "t(");
    assert_eq!(model.compare.group, Some(0));
    assert_eq!(model.compare.body, super::state::Body::Diff);
}

#[test]
fn escape_lets_go_of_what_the_mouse_drags() {
    let mut model = model(160, 40);
    let strip = super::update::layout(&model).strip;
    let before = order(&model);
    let mouse = |model: &mut Model, kind, y| {
        root(
            model,
            Message::Mouse {
                kind,
                x: strip.x + 2,
                y,
            },
        )
    };
    mouse(&mut model, MouseKind::Down, strip.y);
    mouse(&mut model, MouseKind::Drag, strip.y + 3);
    press(&mut model, "<esc>");
    assert_eq!(model.screen, Screen::Compare);
    assert!(model.status.text.contains("stays"), "{}", model.status.text);
    mouse(&mut model, MouseKind::Up, strip.y + 3);
    assert_eq!(order(&model), before);
    press(&mut model, "<esc>");
    assert_eq!(model.screen, Screen::Groups);
}

#[test]
fn a_note_that_is_left_is_kept_and_can_be_taken_back() {
    let mut model = model(130, 40);
    let note = |model: &Model| {
        let session = model.session.as_ref().unwrap();
        session
            .judgement(0)
            .map_or_else(String::new, |judgement| judgement.note.clone())
    };
    let effects = press(&mut model, "Nright<esc>");
    assert!(
        effects
            .iter()
            .any(|effect| matches!(effect, Effect::Save(_)))
    );
    assert_eq!(note(&model), "right");
    assert!(model.status.text.contains("note saved"));
    assert!(press(&mut model, "N<esc>").is_empty());
    press(&mut model, "u");
    assert_eq!(note(&model), "");
}
