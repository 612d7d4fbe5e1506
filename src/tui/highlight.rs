//! Syntax colours of a patch's lines, as roles: themes decide what they look like.
//!
//! Slow work: called from a worker thread, never while drawing. No terminal type here.

use std::ops::Range;
use std::str::FromStr;
use std::sync::OnceLock;

use syntect::highlighting::ScopeSelectors;
use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

use crate::diff::{FilePatch, Hunk, LineKind, Patch};

/// What a piece of code is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SyntaxRole {
    /// Keywords and storage.
    Keyword,
    /// Strings.
    String,
    /// Comments.
    Comment,
    /// Numbers.
    Number,
    /// Function names.
    Function,
    /// Types and classes.
    Type,
    /// Constants.
    Constant,
    /// Variables.
    Variable,
    /// Operators.
    Operator,
    /// Punctuation.
    Punctuation,
    /// Tags of markup.
    Tag,
    /// Attributes of markup, decorators.
    Attribute,
}

/// The coloured pieces of a line, in order: bytes of the line's text and their role.
pub type ColouredRanges = Vec<(Range<usize>, SyntaxRole)>;

/// Colours of one file: per hunk, per line the coloured byte ranges of the line's text, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileColours {
    /// `[hunk][line]` → (bytes of the line, role).
    pub lines: Vec<Vec<ColouredRanges>>,
    /// Why the file, or the far part of its long lines, is plain, when there is a reason to tell.
    pub plain: Option<String>,
}

impl FileColours {
    /// The coloured ranges of a line; empty when there are none.
    #[must_use]
    pub fn of(&self, hunk: usize, line: usize) -> &[(Range<usize>, SyntaxRole)] {
        self.lines
            .get(hunk)
            .and_then(|lines| lines.get(line))
            .map_or(&[], Vec::as_slice)
    }
}

/// Files with more lines than this stay plain.
const LINE_LIMIT: usize = 10_000;
/// Of longer lines only this much is coloured.
const LINE_CAP: usize = 4_096;

/// Colours patches; loads its syntaxes on first use.
#[derive(Debug, Default)]
pub struct Highlighter {
    syntaxes: OnceLock<SyntaxSet>,
}

impl Highlighter {
    fn syntaxes(&self) -> &SyntaxSet {
        self.syntaxes.get_or_init(two_face::syntax::extra_newlines)
    }

    fn syntax_of(&self, path: &str, first_line: &str) -> Option<&SyntaxReference> {
        let set = self.syntaxes();
        let name = path.rsplit('/').next().unwrap_or(path);
        let token = match name {
            "Dockerfile" | "Containerfile" => "Dockerfile",
            "Makefile" | "GNUmakefile" | "makefile" => "Makefile",
            "BUILD" | "WORKSPACE" | "SConstruct" | "SConscript" | "wscript" => "py",
            ".bashrc" | ".profile" | ".bash_profile" => "sh",
            "Cargo.lock" | "poetry.lock" | "Pipfile" => "toml",
            ".babelrc" | ".eslintrc" => "json",
            "CMakeLists.txt" => "cmake",
            _ => name.rsplit_once('.').map_or("", |(_, extension)| extension),
        };
        let token = match token {
            "pyi" | "pyx" | "pyw" => "py",
            "cfg" | "ini" => "ini",
            "mjs" | "cjs" => "js",
            "mts" | "cts" => "ts",
            other => other,
        };
        let found = if token.is_empty() {
            None
        } else {
            set.find_syntax_by_token(token)
        };
        found.or_else(|| set.find_syntax_by_first_line(first_line))
    }

    /// Colours one file of a patch (0-based); an unknown language or file gives no colours.
    #[must_use]
    pub fn highlight_file(&self, patch: &Patch, file: usize) -> FileColours {
        let Some(found) = patch.files.get(file) else {
            return FileColours::default();
        };
        let total: usize = found.hunks.iter().map(|hunk| hunk.lines.len()).sum();
        if total > LINE_LIMIT {
            let plain = Some(format!("plain: {total} lines, more than {LINE_LIMIT}"));
            return FileColours {
                lines: Vec::new(),
                plain,
            };
        }
        let first = found.hunks.first().and_then(|hunk| hunk.lines.first());
        let first_line = first.map_or("", |line| patch.line_text(line));
        let Some(syntax) = self.syntax_of(found.path(), first_line) else {
            return FileColours::default();
        };
        let lines = found
            .hunks
            .iter()
            .map(|hunk| self.hunk(patch, found, hunk, syntax))
            .collect();
        let mut all = found.hunks.iter().flat_map(|hunk| &hunk.lines);
        let plain = all
            .any(|line| line.range.len() > LINE_CAP)
            .then(|| format!("long lines: plain behind {LINE_CAP} bytes"));
        FileColours { lines, plain }
    }

    /// Colours a hunk: its old and its new side are parsed on their own, context with the new one.
    fn hunk(
        &self,
        patch: &Patch,
        file: &FilePatch,
        hunk: &Hunk,
        syntax: &SyntaxReference,
    ) -> Vec<ColouredRanges> {
        let mut colours = vec![Vec::new(); hunk.lines.len()];
        for side in [LineKind::Removed, LineKind::Added] {
            if file.hunks.is_empty() {
                continue;
            }
            let on_side = |kind| kind == side || kind == LineKind::Context;
            let lines: Vec<usize> = (0..hunk.lines.len())
                .filter(|&i| on_side(hunk.lines[i].kind))
                .collect();
            let texts: Vec<&str> = lines
                .iter()
                .map(|&i| patch.line_text(&hunk.lines[i]))
                .collect();
            // A hunk may begin inside a string over several lines: then colours would be inverted
            // up to its end. The same goes for a comment over several lines.
            let inside = inside_string(&texts, &syntax.name)
                .map(|end| (end, SyntaxRole::String))
                .or_else(|| {
                    inside_comment(&texts, &syntax.name).map(|end| (end, SyntaxRole::Comment))
                });
            let mut state = ParseState::new(syntax);
            let mut stack = ScopeStack::new();
            for (place, (&index, text)) in lines.iter().zip(&texts).enumerate() {
                let found = match inside {
                    Some((end, role)) if place <= end => vec![(0..text.len(), role)],
                    _ => self.line(&mut state, &mut stack, text),
                };
                if hunk.lines[index].kind != LineKind::Context || side == LineKind::Added {
                    colours[index] = found;
                }
            }
        }
        colours
    }

    fn line(&self, state: &mut ParseState, stack: &mut ScopeStack, text: &str) -> ColouredRanges {
        let end = text.floor_char_boundary(LINE_CAP);
        let with_newline = format!("{}\n", &text[..end]);
        let Ok(ops) = state.parse_line(&with_newline, self.syntaxes()) else {
            return Vec::new();
        };
        let mut found: ColouredRanges = Vec::new();
        let mut from = 0;
        let mut add = |range: Range<usize>, stack: &ScopeStack| {
            let range = range.start..range.end.min(end);
            if range.is_empty() {
                return;
            }
            if let Some(role) = role_of(stack) {
                match found.last_mut() {
                    Some((last, known)) if *known == role && last.end == range.start => {
                        last.end = range.end;
                    }
                    _ => found.push((range, role)),
                }
            }
        };
        for (at, op) in ops {
            add(from..at, stack);
            from = at;
            if stack.apply(&op).is_err() {
                return Vec::new();
            }
        }
        add(from..end, stack);
        found
    }
}

/// The index of the line that ends a triple-quoted string which began before the first line.
fn inside_string(lines: &[&str], language: &str) -> Option<usize> {
    if language != "Python" {
        return None;
    }
    for quote in ["\"\"\"", "'''"] {
        let total: usize = lines.iter().map(|line| line.matches(quote).count()).sum();
        let Some(first) = lines.iter().position(|line| line.contains(quote)) else {
            continue;
        };
        // An odd count, and the first quote stands alone or ends prose: it closes a string.
        let trimmed = lines[first].trim();
        let opens = trimmed.starts_with(quote) && trimmed.len() > quote.len();
        if total % 2 == 1 && !opens {
            let prefix = trimmed.split(quote).next().unwrap_or("").trim_end();
            let assigns = prefix.ends_with(['=', '(', ',', 'r', 'f', 'b']);
            let ends_alone = first + 1 < lines.len() || first > 0;
            if !assigns && ends_alone {
                return Some(first);
            }
        }
    }
    None
}

/// The index of the line that ends a `/* */` comment which began before the first line.
fn inside_comment(lines: &[&str], language: &str) -> Option<usize> {
    const LANGUAGES: [&str; 14] = [
        "C",
        "C++",
        "C#",
        "CSS",
        "Go",
        "Java",
        "JavaScript",
        "Kotlin",
        "PHP",
        "Rust",
        "Scala",
        "Swift",
        "TypeScript",
        "TypeScriptReact",
    ];
    if !LANGUAGES.contains(&language) {
        return None;
    }
    let marked = |line: &&str| line.contains("/*") || line.contains("*/");
    let first = lines.iter().position(marked)?;
    // Prose only: an end in a string literal (a glob such as "src/*/x") has an opening before it.
    let line = lines.get(first)?;
    let end = line.find("*/")?;
    (line.find("/*").is_none_or(|start| start > end) && !line.contains(['"', '\'']))
        .then_some(first)
}

struct Rule {
    selectors: ScopeSelectors,
    role: SyntaxRole,
}

fn rules() -> &'static [Rule] {
    static RULES: OnceLock<Vec<Rule>> = OnceLock::new();
    RULES.get_or_init(|| {
        const TABLE: [(&str, SyntaxRole); 16] = [
            ("comment", SyntaxRole::Comment),
            ("string, constant.character.escape", SyntaxRole::String),
            ("constant.numeric", SyntaxRole::Number),
            ("constant", SyntaxRole::Constant),
            ("keyword.operator", SyntaxRole::Operator),
            ("keyword, storage", SyntaxRole::Keyword),
            (
                "entity.name.function, support.function, variable.function",
                SyntaxRole::Function,
            ),
            (
                "meta.annotation, entity.other.attribute-name",
                SyntaxRole::Attribute,
            ),
            ("entity.name.tag", SyntaxRole::Tag),
            (
                "entity.name.type, entity.name.class, support.type",
                SyntaxRole::Type,
            ),
            (
                "entity.name, support.class, entity.other.inherited-class",
                SyntaxRole::Type,
            ),
            ("variable.language", SyntaxRole::Keyword),
            ("variable.parameter", SyntaxRole::Variable),
            ("variable", SyntaxRole::Variable),
            ("markup.heading", SyntaxRole::Keyword),
            ("punctuation", SyntaxRole::Punctuation),
        ];
        TABLE
            .iter()
            .filter_map(|(text, role)| {
                let selectors = ScopeSelectors::from_str(text).ok()?;
                Some(Rule {
                    selectors,
                    role: *role,
                })
            })
            .collect()
    })
}

/// The role of the innermost scope that has one.
fn role_of(stack: &ScopeStack) -> Option<SyntaxRole> {
    let scopes = stack.as_slice();
    let strongest = |scope: &Scope| {
        let one = [*scope];
        rules()
            .iter()
            .find(|rule| rule.selectors.does_match(&one).is_some())
            .map(|rule| rule.role)
    };
    // The quotes of a string and the marks of a comment belong to them.
    let outer = scopes.iter().find_map(|scope| {
        strongest(scope).filter(|role| matches!(role, SyntaxRole::Comment | SyntaxRole::String))
    });
    outer.or_else(|| scopes.iter().rev().find_map(strongest))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn both_sides_of_a_hunk_are_coloured() {
        let patch = Patch::read(Arc::from(
            "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n def f():\n-    return 'a'  # old\n+    return 41\n",
        ));
        let colours = Highlighter::default().highlight_file(&patch, 0);
        let roles = |line| -> Vec<SyntaxRole> {
            colours.of(0, line).iter().map(|(_, role)| *role).collect()
        };
        assert!(roles(0).contains(&SyntaxRole::Function));
        assert!(roles(1).contains(&SyntaxRole::String) && roles(1).contains(&SyntaxRole::Comment));
        assert!(roles(2).contains(&SyntaxRole::Number) && roles(2).contains(&SyntaxRole::Keyword));
    }

    #[test]
    fn a_hunk_that_begins_inside_a_comment_or_string_is_not_inverted() {
        let roles = |path: &str, body: &str| {
            let head = format!("--- a/{path}\n+++ b/{path}\n@@ -5,3 +5,3 @@\n");
            let patch = Patch::read(Arc::from(head + body));
            let colours = Highlighter::default().highlight_file(&patch, 0);
            [0, 2].map(|line| colours.of(0, line).first().map(|(_, role)| *role))
        };
        let rust = roles("x.rs", " for this function\n */\n fn go() {}\n");
        assert_eq!(rust, [Some(SyntaxRole::Comment), Some(SyntaxRole::Keyword)]);
        let python = roles("x.py", " for this function\n '''\n return 1\n");
        assert_eq!(
            python,
            [Some(SyntaxRole::String), Some(SyntaxRole::Keyword)]
        );
    }

    #[test]
    fn long_lines_are_coloured_up_to_the_cap_and_that_is_told() {
        let line = "let a = 1; ".repeat(1_000);
        let text = format!("--- a/x.js\n+++ b/x.js\n@@ -1 +1 @@\n-b\n+{line}\n");
        let colours = Highlighter::default().highlight_file(&Patch::read(Arc::from(text)), 0);
        assert!(
            colours
                .of(0, 1)
                .iter()
                .all(|(range, _)| range.end <= LINE_CAP)
        );
        assert!(!colours.of(0, 1).is_empty() && colours.plain.is_some());
    }

    #[test]
    fn typescript_rust_and_go_are_known() {
        let highlighter = Highlighter::default();
        for path in [
            "a.ts",
            "a.tsx",
            "b.rs",
            "c.go",
            "Makefile",
            "Dockerfile",
            "x.toml",
        ] {
            assert!(highlighter.syntax_of(path, "").is_some(), "{path}");
        }
    }
}
