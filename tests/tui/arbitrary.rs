//! Any text at any size: nothing panics, every cell has the width it takes, and nothing of the data
//! reaches the terminal as a control code.

use std::path::Path;

use gagar::tui::testing::Harness;
use gagar::tui::theme::Theme;
use proptest::prelude::*;
use ratatui::backend::CrosstermBackend;
use ratatui::buffer::Buffer;
use ratatui::{Terminal, TerminalOptions, Viewport};
use unicode_width::UnicodeWidthStr;

/// Pieces of text that break viewers.
fn piece() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "\u{1b}[31m",
        "\u{1b}]0;title\u{7}",
        "\u{1b}[2J",
        "\u{9b}2J",
        "\r",
        "\u{8}\u{8}",
        "\t",
        "\u{0}",
        "\u{7f}",
        "\u{202e}",
        "\u{2066}",
        "\u{200b}",
        "\u{feff}",
        "日本語",
        "한국어",
        "e\u{301}\u{301}\u{301}",
        "👩\u{200d}💻",
        "🏳\u{fe0f}\u{200d}🌈",
        "🇩🇪",
        "\u{3164}",
        "ﷺ",
        "ｈａｌｆ",
        "\u{fffd}",
        "क्षि",
        "𝔘",
        "\u{e0041}",
        "def f(x):",
        "return 'a' # b",
        "/* c",
        "*/",
        "\"\"\"",
        "+",
        "-",
        " ",
        "@@",
        "\u{2028}",
        "\u{85}",
        "\u{ad}",
    ]);
    prop_oneof![
        4 => known.prop_map(str::to_owned),
        2 => "\\PC{0,12}",
        1 => "(?s).{0,12}",
        1 => prop::char::any().prop_map(String::from),
    ]
}

fn text(pieces: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..pieces).prop_map(|pieces| pieces.concat())
}

/// A line without newline.
fn line() -> impl Strategy<Value = String> {
    text(8).prop_map(|text| text.replace('\n', "␤"))
}

/// A patch of one or two files whose paths and lines are arbitrary; sometimes no patch at all.
fn patch() -> impl Strategy<Value = String> {
    let signed = (prop::sample::select(vec![' ', '+', '-']), line());
    let file = (
        line(),
        0u32..3_000_000,
        prop::collection::vec(signed, 0..14),
    )
        .prop_map(|(path, at, lines)| {
            let count = |sign: char| {
                lines
                    .iter()
                    .filter(|(s, _)| *s == sign || *s == ' ')
                    .count()
            };
            let (old, new) = (count('-'), count('+'));
            let mut text =
                format!("--- a/{path}\n+++ b/{path}\n@@ -{at},{old} +{at},{new} @@ {path}\n");
            for (sign, line) in &lines {
                text.push_str(&format!("{sign}{line}\n"));
            }
            text
        });
    prop_oneof![
        8 => prop::collection::vec(file, 1..3).prop_map(|files| files.concat()),
        1 => text(20),
    ]
}

/// Every try opens a set; more of them by the variable that the library reads.
fn cases() -> u32 {
    match std::env::var_os("PROPTEST_CASES") {
        Some(_) => ProptestConfig::default().cases,
        None => 48,
    }
}

/// Keys that lead to every view, and a few that judge.
const KEYS: [&str; 55] = [
    "<enter>",
    "<esc>",
    "j",
    "k",
    "<ctrl-d>",
    "<pagedown>",
    "gg",
    "G",
    "ge",
    "+",
    "*",
    "X",
    "V",
    "C",
    "Y",
    "U",
    "E",
    ">",
    "gp",
    "ga",
    "gh",
    "O",
    "D",
    "n",
    "p",
    "}",
    "{",
    "l",
    "h",
    "|",
    "w",
    "A",
    "v",
    "W",
    "<space>",
    "z",
    "Z",
    "i",
    "I",
    "F",
    "c",
    "t",
    "s",
    "J",
    "K",
    "=",
    "x",
    "o",
    "R",
    "f",
    "<right>",
    "d",
    "b",
    "m",
    "g/a<enter>",
];

fn keys() -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(prop::sample::select(KEYS.to_vec()), 0..14)
}

fn size() -> impl Strategy<Value = (u16, u16)> {
    prop_oneof![
        3 => (1u16..220, 1u16..70),
        1 => (1u16..4, 1u16..4),
        1 => Just((80, 24)),
        1 => Just((200, 60)),
    ]
}

/// A set of one group whose texts are these.
fn write_group(folder: &Path, patches: &[String], words: &str) {
    let trajectories: Vec<_> = patches
        .iter()
        .enumerate()
        .map(|(place, patch)| {
            serde_json::json!({
                "trajectory_id": format!("{place}{words}"),
                "outcome": if place == 0 { "fail" } else { "pass" },
                "patch": patch,
                "steps": [{"kind": "tool_call", "tool": words, "args": patch, "text": words},
                          {"kind": "observation", "text": patch}],
            })
        })
        .collect();
    let group = serde_json::json!({
        "schema": "gagar.group/1", "group_id": format!("g{words}"), "task": {"text": words}, "trajectories": trajectories,
    });
    std::fs::write(folder.join("g.jsonl"), format!("{group}\n")).unwrap();
}

/// Every cell is as wide as what stands in it, and holds no control code.
fn check(buffer: &Buffer) -> Result<(), TestCaseError> {
    for y in 0..buffer.area.height {
        let mut x = 0;
        while x < buffer.area.width {
            let symbol = buffer[(x, y)].symbol();
            prop_assert!(!symbol.chars().any(char::is_control), "{x},{y}: {symbol:?}");
            let width = u16::try_from(symbol.width()).unwrap();
            prop_assert!(
                width >= 1 && x + width <= buffer.area.width,
                "{x},{y}: {symbol:?} takes {width}"
            );
            for covered in x + 1..x + width {
                let under = buffer[(covered, y)].symbol();
                prop_assert!(
                    under == " " || under.is_empty(),
                    "{covered},{y}: {under:?} under {symbol:?}"
                );
            }
            x += width;
        }
    }
    Ok(())
}

/// What a terminal gets holds no control bytes but those of the terminal library itself.
fn check_bytes(buffer: &Buffer) -> Result<(), TestCaseError> {
    let mut bytes = Vec::new();
    {
        let viewport = Viewport::Fixed(buffer.area);
        let backend = CrosstermBackend::new(&mut bytes);
        let mut terminal = Terminal::with_options(backend, TerminalOptions { viewport }).unwrap();
        terminal
            .draw(|frame| frame.buffer_mut().merge(buffer))
            .unwrap();
    }
    let written = String::from_utf8(bytes).unwrap();
    let mut rest = written.as_str();
    while let Some(at) = rest.find(|c: char| c.is_control()) {
        rest = &rest[at..];
        let body = rest.strip_prefix("\u{1b}[");
        prop_assert!(
            body.is_some(),
            "{:?}",
            rest.chars().take(12).collect::<String>()
        );
        let body = body.unwrap_or("");
        let end = body
            .find(|c: char| !(c.is_ascii_digit() || ";:?".contains(c)))
            .unwrap_or(body.len());
        let last = body[end..].chars().next();
        // Colours, places and the cursor: nothing else is written.
        prop_assert!(
            last.is_some_and(|c| "mHhl".contains(c)),
            "{:?}",
            body.chars().take(12).collect::<String>()
        );
        rest = &body[end..];
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_at_any_size_is_drawn_right(
        patches in prop::collection::vec(patch(), 1..5),
        words in text(6),
        (columns, rows) in size(),
        later in size(),
        keys in keys(),
        theme in 0usize..64,
    ) {
        let folder = tempfile::tempdir().unwrap();
        write_group(folder.path(), &patches, &words);
        let themes = Theme::embedded().unwrap();
        let theme = &themes[theme % themes.len()];
        let mut harness = Harness::open(&[folder.path()], columns, rows).unwrap();
        check(&harness.draw(theme))?;
        harness.press("<enter>");
        let buffer = harness.draw(theme);
        check(&buffer)?;
        check_bytes(&buffer)?;
        for key in keys {
            harness.press(key);
            check(&harness.draw(theme))?;
        }
        harness.resize(later.0, later.1);
        let buffer = harness.draw(theme);
        check(&buffer)?;
        check_bytes(&buffer)?;
    }
}
