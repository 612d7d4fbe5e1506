//! The tables that people read are the ones the program uses.

#![cfg(feature = "tui")]

use std::path::PathBuf;

use gagar::tui::action::{Action, Context};
use gagar::tui::keymap::Keymap;
use gagar::tui::theme::{Role, Theme};

#[test]
fn every_action_is_bound_named_and_explained() {
    let keymap = Keymap::new(None).unwrap();
    let mut names = std::collections::BTreeSet::new();
    for &action in Action::ALL {
        let name = action.name();
        assert!(names.insert(name), "{name} stands twice");
        assert!(
            name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'),
            "{name}"
        );
        assert!(!keymap.keys_of(action).is_empty(), "{name} is unbound");
        let first = action.doc().chars().next();
        assert!(
            first.is_some_and(char::is_uppercase),
            "{name}: {}",
            action.doc()
        );
    }
    for context in Context::ALL {
        assert!(Action::ALL.iter().any(|action| action.context() == context));
    }
}

#[test]
fn every_theme_file_is_shipped_and_can_be_read() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("themes");
    let shipped = Theme::embedded().unwrap();
    let mut files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let theme = Theme::read(&text).unwrap();
        assert!(
            shipped.iter().any(|other| other.name == theme.name),
            "{}",
            theme.name
        );
        files += 1;
    }
    assert_eq!(files, shipped.len());
    assert!(shipped.iter().any(|theme| theme.dark) && shipped.iter().any(|theme| !theme.dark));
    for theme in shipped.into_iter().map(Theme::without_colour) {
        for &role in Role::ALL {
            let style = theme.style(role);
            assert!(
                style.fg.is_none() && style.bg.is_none(),
                "{}: {}",
                theme.name,
                role.name()
            );
        }
    }
}

/// Compares what stands between two marks of the README; `GAGAR_BLESS=1` writes it.
fn check_readme(mark: &str, table: &str) {
    // Tests run side by side: one at a time may rewrite the file.
    static WRITING: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _alone = WRITING
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (start, end) = (format!("<!-- {mark} -->\n"), format!("<!-- /{mark} -->"));
    let start = text.find(&start).expect("the start mark") + start.len();
    let end = text.find(&end).expect("the end mark");
    if std::env::var_os("GAGAR_BLESS").is_some() {
        std::fs::write(&path, format!("{}{table}{}", &text[..start], &text[end..])).unwrap();
        return;
    }
    assert_eq!(
        &text[start..end],
        table,
        "GAGAR_BLESS=1 cargo test --test tables writes it"
    );
}

#[test]
fn the_readme_holds_the_key_table() {
    check_readme("keys", &Keymap::new(None).unwrap().markdown());
}

#[test]
fn the_readme_holds_the_words_on_the_screen() {
    check_readme("words", &gagar::tui::legend::markdown());
}

#[test]
fn the_readme_holds_the_table_of_formats() {
    check_readme("formats", &gagar::formats::listing::markdown());
}
