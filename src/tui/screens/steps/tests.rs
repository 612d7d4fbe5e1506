//! Actions in, state and screen out.

use crate::tui::model::{Model, Screen};
use crate::tui::screens::compare::tests::{model, press, screen};

/// The steps of t0 (the list's second candidate).
fn steps(columns: u16, rows: u16) -> Model {
    let mut model = model(columns, rows);
    press(&mut model, "ls");
    assert_eq!(model.screen, Screen::Steps);
    model
}

/// Presses keys that end in a search, and lets the search come to its end.
fn find(model: &mut Model, keys: &str) {
    press(model, keys);
    let of = super::update::shown(model).unwrap();
    let hits = super::request(model, of).unwrap().run(&|| false).unwrap();
    super::found(model, of, hits);
}

fn current(model: &Model) -> usize {
    let (transcript, _, at) = super::update::focused(model).unwrap();
    transcript.step_at(at.row)
}

#[test]
fn steps_and_failures_are_reached_by_keys() {
    let mut model = steps(100, 30);
    assert_eq!(current(&model), 0);
    press(&mut model, "n");
    assert_eq!(current(&model), 1);
    press(&mut model, "E");
    assert_eq!(current(&model), 2);
    press(&mut model, "E");
    assert!(model.status.text.contains("no failed step"));
    press(&mut model, "n");
    assert_eq!(current(&model), 3);
    press(&mut model, "n");
    assert!(model.status.text.contains("last step"));
    press(&mut model, "p");
    assert_eq!(current(&model), 2);
}

#[test]
fn the_end_is_the_last_step() {
    let mut model = steps(80, 24);
    press(&mut model, "ge");
    assert_eq!(current(&model), 3);
    assert!(screen(&model).contains("step 4 of 4"));
    press(&mut model, "p");
    assert_eq!(current(&model), 2);
}

#[test]
fn the_system_prompt_is_folded_until_asked_for() {
    let mut model = steps(100, 30);
    assert!(screen(&model).contains("folded, 7 bytes"));
    press(&mut model, "<space>");
    let screen = screen(&model);
    assert!(!screen.contains("folded, 7 bytes"), "{screen}");
}

#[test]
fn search_unfolds_what_it_finds() {
    let mut model = steps(100, 30);
    press(&mut model, "z");
    find(&mut model, "/such<enter>");
    assert_eq!(current(&model), 2);
    assert!(screen(&model).contains("such"));
    find(&mut model, "/nowhere<enter>");
    assert!(model.status.text.contains("not in these steps"));
}

#[test]
fn siblings_keep_the_step_and_no_trace_is_said() {
    let mut model = steps(80, 24);
    press(&mut model, "n");
    press(&mut model, "l");
    assert_eq!(model.compare.focus(), Some(2));
    assert_eq!(current(&model), 1);
    press(&mut model, "hh");
    assert_eq!(model.compare.focus(), Some(1));
    assert!(screen(&model).contains("no trace is recorded"));
    press(&mut model, "nE/x<enter>");
    press(&mut model, "r");
    assert!(model.status.text.contains("no trace is recorded"));
    press(&mut model, "<esc>");
    assert_eq!(model.screen, Screen::Steps);
    assert!(model.steps.search.pattern.is_none());
    press(&mut model, "<esc>");
    assert_eq!(model.screen, Screen::Compare);
}

#[test]
fn every_size_shows_list_and_text() {
    for (columns, rows) in [(200, 60), (120, 40), (80, 24), (60, 20)] {
        let model = steps(columns, rows);
        let screen = screen(&model);
        for wanted in ["step 1 of 4", "✗ exit 2", "tool_call", "such", "submit"] {
            assert!(
                screen.contains(wanted),
                "{wanted} at {columns}x{rows}:\n{screen}"
            );
        }
    }
}
