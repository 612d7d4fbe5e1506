use gagar::tui::model::{Screen, Severity};

use crate::{native, sample};
use gagar::tui::testing::Harness;

#[test]
fn the_key_sheet() {
    insta::assert_snapshot!(native(80, 24).press("?").screen());
}

#[test]
fn the_palette_runs_what_it_finds() {
    let mut harness = native(80, 24);
    harness.press(":open<space>group<enter>");
    assert_eq!(harness.model.screen, Screen::Compare);
    harness.press(":write<space>note<enter>");
    assert!(
        harness.screen().contains("note on this group")
            && harness
                .screen()
                .contains("goes into SFT exports as reasoning"),
        "{}",
        harness.screen()
    );
}

#[test]
fn problems_are_listed_with_their_place() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("broken.jsonl"),
        "{\"schema\":\"gagar.group/1\"\n",
    )
    .unwrap();
    let mut harness = Harness::open(&[folder.path()], 80, 24).unwrap();
    let screen = harness.press("!").screen();
    assert!(screen.contains("broken.jsonl"), "{screen}");
    assert!(!screen.contains("note: "), "{screen}");
    let place = format!("{}/broken.jsonl:1", folder.path().display());
    let overlay = harness.model.overlay.clone().unwrap();
    let rows = gagar::tui::overlays::rows(&harness.model, &overlay);
    let copied = rows[0].copied.clone().unwrap();
    assert!(copied.starts_with(&place), "{copied}");
    let shown: String = rows.iter().map(|row| row.text.as_str()).collect();
    assert!(shown.replace(' ', "").contains(&place), "{shown}");
    harness.press("<enter>");
    assert_eq!(harness.model.status.text, "entry copied");
    assert!(harness.model.overlay.is_some());
    harness.press("<esc>");
    assert!(harness.screen().contains("1 problem: !"));
    assert!(
        harness.screen().contains("No rollout group was found"),
        "{}",
        harness.screen()
    );
}

#[test]
fn pasted_text_stays_one_line() {
    let mut harness = native(80, 24);
    harness
        .press("<enter>N")
        .paste("first\r\nsecond\u{1b}[31m")
        .press("<enter>");
    let session = harness.model.session.as_ref().unwrap();
    let group = harness.model.compare.group.unwrap();
    assert_eq!(
        session.judgement(group).unwrap().note,
        "first second\u{1b}[31m"
    );
    assert!(!harness.press("N").screen().contains('\u{1b}'));
}

#[test]
fn nothing_on_disk() {
    let harness = Harness::open(&[sample("no-such-folder")], 80, 24).unwrap();
    assert!(harness.screen().contains("No rollout group was found"));
}

#[test]
fn files_left_out_are_no_problems() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("other.json"), "{\"a\": 1}").unwrap();
    let paths = [sample("native"), folder.path().to_owned()];
    let mut harness = Harness::open(&paths, 80, 24).unwrap();
    assert!(
        !harness.screen().contains("problem"),
        "{}",
        harness.screen()
    );
    let screen = harness.press("!").screen();
    assert!(screen.contains("note: "), "{screen}");
    assert!(screen.contains("other.json"), "{screen}");
}

#[test]
fn a_message_that_is_cut_is_read_whole_with_the_problems() {
    let mut harness = native(80, 24);
    let said = format!("{} ends here", "much is said ".repeat(12));
    harness.model.say(Severity::Info, said);
    let screen = harness.screen();
    assert!(screen.contains("! shows all"), "{screen}");
    assert!(!screen.contains("ends here"), "{screen}");
    let screen = harness.press("!").screen();
    assert!(screen.contains("ends here"), "{screen}");
}

#[test]
fn the_key_sheet_ends_in_a_legend() {
    let mut harness = native(60, 20);
    for keys in ["?", "<enter>?"] {
        let screen = harness.press(keys).press("n_eff").screen();
        assert!(screen.contains("how many candidates"), "{screen}");
        harness.press("<esc>");
    }
}

#[test]
fn the_guess_stays_among_the_notes() {
    let folder = tempfile::tempdir().unwrap();
    let row = |n: u32| {
        format!(
            "{{\"task_id\":\"t\",\"trajectory_id\":\"r{n}\",\"model_name_or_path\":\"m\",\"exit_status\":\"s\",\
             \"problem_statement\":\"p\",\"conversations\":[{{\"role\":\"user\",\"content\":\"q\"}}]}}\n"
        )
    };
    std::fs::write(folder.path().join("x.jsonl"), row(0) + &row(1)).unwrap();
    let mut harness = Harness::open(&[folder.path()], 80, 24).unwrap();
    assert!(
        !harness.screen().contains("problem"),
        "{}",
        harness.screen()
    );
    harness.press("jj");
    let screen = harness.press("!").screen();
    assert!(screen.contains("note: columns were guessed"), "{screen}");
    // Wrapped, so that all of it can be read.
    let inside = screen
        .lines()
        .filter_map(|line| line.split('│').nth(2))
        .map(|line| line.chars().skip(20).collect::<String>())
        .map(|line| line.trim_end().to_owned())
        .collect::<String>();
    let map = "steps=conversations,group=task_id,id=trajectory_id,policy=model_name_or_path,\
               task=problem_statement,exit_status=exit_status";
    assert!(inside.contains(map), "{inside}");
    assert!(inside.contains("no patch was found"), "{inside}");
}

#[test]
fn panels_list_only_keys_that_work_there_and_where_in_the_list_one_is() {
    let mut harness = native(120, 40);
    let names = |harness: &Harness| -> Vec<String> {
        let overlay = harness.model.overlay.clone().unwrap();
        let rows = gagar::tui::overlays::rows(&harness.model, &overlay);
        let actions = rows.iter().filter(|row| row.action.is_some());
        assert!(actions.clone().all(|row| !row.left.is_empty()));
        actions.map(|row| row.text.clone()).collect()
    };
    for (keys, first) in [("<enter>c?", "next_failing"), ("<esc>F?", "open_file")] {
        let screen = harness.press(keys).screen();
        let names = names(&harness);
        assert!(names[0].starts_with(first), "{names:?}");
        let hunks = names.iter().any(|name| name.starts_with("next_hunk"));
        assert!(!hunks, "{names:?}");
        assert!(screen.contains(" 1 of "), "{screen}");
    }
    harness.press("<end>");
    let overlay = harness.model.overlay.clone().unwrap();
    let all = gagar::tui::overlays::rows(&harness.model, &overlay).len();
    let last = format!("{all} of {all}");
    assert!(harness.screen().contains(&last), "{}", harness.screen());
    assert!(harness.press("<home>").screen().contains(" 1 of "));
}

#[test]
fn a_key_without_an_effect_says_so() {
    let mut harness = native(80, 24);
    for (keys, pressed) in [("+", "+"), ("h", "h"), ("<tab>", "<tab>"), ("N", "N")] {
        let screen = harness.press(keys).screen();
        let said = format!("{pressed} does nothing here; ? shows what does");
        assert!(screen.contains(&said), "{screen}");
    }
    // One <esc> too many, and what was meant for a group means another screen here.
    for screen in ["C", "A", "D", "O", "<enter>S", "<enter>r"] {
        harness.press(screen);
        for key in ["N", "/", "<ctrl-n>", "7"] {
            let said = format!("{key} does nothing here; <esc> goes back");
            let shown = harness.press(key).screen();
            assert!(shown.contains(&said), "{screen}{key}: {shown}");
        }
        harness.press("<esc><esc>");
    }
    for key in ["C", "A", "D", "O"] {
        let shown = harness.press(key).press(key).screen();
        assert!(shown.contains("does nothing here"), "{key}: {shown}");
        harness.press("<esc>");
    }
    // What does something says nothing of the kind.
    harness.press("<tab>j");
    assert!(!harness.screen().contains("does nothing"));
}

#[test]
fn the_reasons_of_a_skip_break_between_words() {
    let mut harness = native(80, 24);
    let screen = harness.press("<enter>X").screen();
    assert!(screen.contains("later, or type one"), "{screen}");
}

#[test]
fn the_palette_offers_nothing_that_merely_holds_the_letters() {
    let mut harness = native(80, 24);
    let screen = harness.press(":reveal").screen();
    assert!(screen.contains("nothing found"), "{screen}");
    let screen = harness.press("<esc><enter>:undo").screen();
    assert!(screen.contains("undo —"), "{screen}");
    harness.press("<esc>:opsteps<enter>");
    assert_eq!(harness.model.screen, Screen::Steps);
}
