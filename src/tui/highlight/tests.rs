use super::*;
use crate::diff::BaseOrigin;

fn patch(text: &str) -> Arc<Patch> {
    Arc::new(Patch::read(Arc::from(text)))
}

fn roles(colours: &FileColours, hunk: usize, line: usize) -> Vec<SyntaxRole> {
    let spans = colours.of(hunk, line).iter();
    spans.filter_map(|span| span.style.role()).collect()
}

fn coloured(text: &str) -> FileColours {
    Highlighter::default().colour_file(&patch(text), 0, None, &mut || false)
}

#[test]
fn both_sides_of_a_hunk_are_coloured() {
    let colours = coloured(
        "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n def f():\n-    return 'a'  # old\n+    return 41\n",
    );
    assert!(roles(&colours, 0, 0).contains(&SyntaxRole::Function));
    let old = roles(&colours, 0, 1);
    assert!(old.contains(&SyntaxRole::String) && old.contains(&SyntaxRole::Comment));
    let new = roles(&colours, 0, 2);
    assert!(new.contains(&SyntaxRole::Number) && new.contains(&SyntaxRole::Keyword));
}

#[test]
fn a_hunk_that_begins_inside_a_comment_or_string_is_not_inverted() {
    let roles = |path: &str, body: &str| {
        let head = format!("--- a/{path}\n+++ b/{path}\n@@ -5,3 +5,3 @@\n");
        let colours = coloured(&(head + body));
        [0, 2].map(|line| roles(&colours, 0, line).first().copied())
    };
    let rust = roles("x.rs", " for this function\n */\n fn go() {}\n");
    assert_eq!(rust, [Some(SyntaxRole::Comment), Some(SyntaxRole::Keyword)]);
    let python = roles("x.py", " for this function\n '''\n return 1\n");
    assert_eq!(
        python,
        [Some(SyntaxRole::Comment), Some(SyntaxRole::Keyword)]
    );
    let script = roles("x.ts", " for this ${x}\n `;\n return 1;\n");
    assert_eq!(
        script,
        [Some(SyntaxRole::String), Some(SyntaxRole::Keyword)]
    );
    let shell = roles("x.sh", " for this in that\n EOF\n for x in y; do\n");
    assert_eq!(shell, [Some(SyntaxRole::String), Some(SyntaxRole::Keyword)]);
}

/// A module whose docstring has code-like prose from line 2 to 99.
fn base() -> Arc<BaseText> {
    let prose: String = (2..100)
        .map(|i| format!("for x in line {i} return\n"))
        .collect();
    let text = format!("'''Begins.\n{prose}'''\nfor x in y:\n    return 1\n");
    Arc::new(BaseText::new(Arc::from(text), BaseOrigin::Record))
}

#[test]
fn with_a_base_prose_inside_a_docstring_is_prose() {
    let text = "--- a/x.py\n+++ b/x.py\n@@ -50,2 +50,2 @@\n for x in line 50 return\n-for x in line 51 return\n+for y in line 51 return\n@@ -101,2 +101,2 @@\n for x in y:\n-    return 1\n+    return 2\n";
    let (patch, base) = (patch(text), base());
    let mut highlighter = Highlighter::default();
    let guessed = highlighter.colour_file(&patch, 0, None, &mut || false);
    assert_eq!(roles(&guessed, 0, 0).first(), Some(&SyntaxRole::Keyword));
    let known = highlighter.colour_file(&patch, 0, Some(&base), &mut || false);
    for line in 0..3 {
        let prose = roles(&known, 0, line);
        assert!(
            !prose.contains(&SyntaxRole::Keyword) && !prose.is_empty(),
            "{prose:?}"
        );
        assert!(roles(&known, 1, line).contains(&SyntaxRole::Keyword));
    }
    let units = [ColourUnit::of_base(101)];
    let unfolded = highlighter.colour(&patch, 0, Some(&base), &units, &mut || false);
    let first = unfolded
        .of_base(101)
        .first()
        .and_then(|span| span.style.role());
    assert_eq!(first, Some(SyntaxRole::Keyword));
}

#[test]
fn what_a_hunk_opens_holds_on_the_new_side_up_to_where_it_is_closed() {
    let text: String = (1..200).map(|i| format!("x{i} = {i}\n")).collect();
    let base = Arc::new(BaseText::new(Arc::from(text), BaseOrigin::Record));
    let patch = patch(
        "--- a/x.py\n+++ b/x.py\n@@ -2,1 +2,2 @@\n+y = '''\n x2 = 2\n@@ -150,2 +151,3 @@\n x150 = 150\n+'''\n x151 = 151\n",
    );
    let colours = Highlighter::default().colour_file(&patch, 0, Some(&base), &mut || false);
    assert_eq!(roles(&colours, 1, 0), [SyntaxRole::String]);
    assert!(roles(&colours, 1, 2).contains(&SyntaxRole::Number));
}

#[test]
fn long_lines_are_coloured_up_to_the_cap_and_that_is_told() {
    let line = "let a = 1; ".repeat(1_000);
    let colours = coloured(&format!(
        "--- a/x.js\n+++ b/x.js\n@@ -1 +1 @@\n-b\n+{line}\n"
    ));
    let spans = colours.of(0, 1);
    assert!(spans.iter().all(|span| span.range().end <= lines::LINE_CAP));
    assert!(!spans.is_empty() && colours.plain.is_some());
}

#[test]
fn a_window_of_a_huge_file_is_coloured_alone_and_work_can_be_stopped() {
    let body: String = (0..20_000).map(|i| format!("+x{i} = '{i}'\n")).collect();
    let patch = patch(&format!(
        "--- /dev/null\n+++ b/x.py\n@@ -0,0 +1,20000 @@\n{body}"
    ));
    let mut highlighter = Highlighter::default();
    let unit = ColourUnit::of(0, 640);
    let mut asked = 0;
    let stopped = highlighter.colour(&patch, 0, None, &[unit], &mut || {
        asked += 1;
        asked == 3
    });
    assert!(!stopped.has(unit, false));
    let colours = highlighter.colour(&patch, 0, None, &[unit], &mut || false);
    assert!(colours.has(unit, false) && !colours.has(ColourUnit::of(0, 0), false));
    assert!(roles(&colours, 0, 641).contains(&SyntaxRole::String));
    assert!(colours.of(0, 0).is_empty());
}

#[test]
fn the_same_lines_in_another_candidate_are_not_parsed_again() {
    let text = "--- a/x.rs\n+++ b/x.rs\n@@ -1,2 +1,2 @@\n fn go() {\n-    a()\n+    b()\n";
    let mut highlighter = Highlighter::default();
    let one = highlighter.colour_file(&patch(text), 0, None, &mut || false);
    let other = highlighter.colour_file(&patch(text), 0, None, &mut || false);
    let line = |colours: &FileColours| colours.units[&ColourUnit::of(0, 0)][0].clone();
    assert!(Arc::ptr_eq(&line(&one), &line(&other)));
}
