//! What kind of file a path names: a test, and how comments are written in it.

/// Whether a path names a test or what belongs to tests.
#[must_use]
pub fn is_test(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let in_tests = folders
        .split('/')
        .any(|folder| matches!(folder, "test" | "tests" | "__tests__" | "spec" | "testdata"));
    let stem = name.split('.').next().unwrap_or(name);
    in_tests
        || stem.starts_with("test_")
        || stem == "tests"
        || stem == "conftest"
        || stem.ends_with("_test")
        || stem.ends_with("_spec")
        || name.contains(".test.")
        || name.contains(".spec.")
        || (stem.ends_with("Test") && (name.ends_with(".java") || name.ends_with(".kt")))
}

/// The end of a file's name behind the last dot, in lower case; the whole name where there is none.
fn ending(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = name.rsplit('.').next().unwrap_or(name);
    ending.to_ascii_lowercase()
}

/// Whether a path names a text for people: a change of it is no change of code.
#[must_use]
pub fn is_prose(path: &str) -> bool {
    matches!(ending(path).as_str(), "md" | "rst" | "txt" | "adoc")
}

/// What stands before the text of a comment in a file; empty where nobody knows.
#[must_use]
pub fn comment_marks(path: &str) -> &'static [&'static str] {
    match ending(path).as_str() {
        "py" | "pyi" | "pyx" | "rb" | "sh" | "bash" | "yml" | "yaml" | "toml" | "cfg" | "ini"
        | "pl" | "r" | "mk" | "makefile" | "dockerfile" | "cmake" | "jl" | "ex" | "exs" => &["#"],
        "c" | "h" | "cc" | "cpp" | "cxx" | "hpp" | "java" | "js" | "jsx" | "mjs" | "ts" | "tsx"
        | "go" | "rs" | "swift" | "kt" | "scala" | "cs" | "dart" | "groovy" | "php" | "scss"
        | "less" | "proto" => &["//", "/*", "* ", "*/"],
        "css" => &["/*", "* ", "*/"],
        "sql" | "lua" | "hs" | "elm" => &["--"],
        "tex" | "erl" => &["%"],
        "el" | "lisp" | "clj" | "scm" => &[";"],
        "html" | "xml" | "svg" | "vue" => &["<!--"],
        _ => &[],
    }
}

/// The text of a line that is nothing but a comment, `None` for all other lines; `marks` as
/// [`comment_marks`] gives them.
#[must_use]
pub fn comment<'a>(line: &'a str, marks: &[&str]) -> Option<&'a str> {
    let line = line.trim();
    // A line of a block comment that holds nothing but its star.
    if line == "*" && marks.contains(&"* ") {
        return Some("");
    }
    marks.iter().find_map(|mark| {
        let text = line.strip_prefix(mark)?;
        // `#!` and `#[…]` are no comments, `#include` is none where `#` begins one.
        (!text.starts_with('!')).then(|| text.trim())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_known_by_folder_and_name() {
        for path in [
            "tests/a.py",
            "a/test_b.py",
            "a/b_test.go",
            "a/b.test.ts",
            "conftest.py",
            "src/FooTest.java",
        ] {
            assert!(is_test(path), "{path}");
        }
        for path in ["src/a.py", "src/testing.py", "latest/a.py", "src/attest.py"] {
            assert!(!is_test(path), "{path}");
        }
    }

    #[test]
    fn comments_are_told_by_the_language() {
        let marks = comment_marks("a.py");
        assert_eq!(comment("  # x = 1", marks), Some("x = 1"));
        assert_eq!(comment("x = 1  # why", marks), None);
        assert_eq!(comment("#!/bin/sh", marks), None);
        assert_eq!(comment("*p = 1;", comment_marks("a.c")), None);
        assert_eq!(comment(" * text", comment_marks("a.c")), Some("text"));
        assert!(comment_marks("a.md").is_empty());
    }
}
