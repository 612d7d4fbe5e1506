//! What a test's id says about where it stands: its function, its file.
//!
//! Pure. The ids of the usual runners are read: pytest (`a/test_x.py::Class::test_y[param]`),
//! unittest and Django (`test_y (pkg.module.Class)`), Go (`TestX/case`), Rust (`module::test_y`),
//! Jest and Vitest (`file > suite > words`), JUnit (`pkg.Class#test`, `pkg.Class.test`).

/// What to look for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Naming {
    /// The function's name, or the words of the test: what a line must hold as whole words.
    pub words: String,
    /// End of the path of the file, when the id names one.
    pub file: Option<String>,
}

/// Reads a test's id.
#[must_use]
pub fn read(id: &str) -> Naming {
    let id = id.trim();
    // Django and unittest: `test_y (pkg.module.Class)`, since 3.11 with `.test_y` at the end.
    if let Some((name, inner)) = id.split_once(" (")
        && let Some((class, _)) = inner.split_once(')')
        && is_identifier(name)
        && class.split('.').all(is_identifier)
    {
        let class = class
            .strip_suffix(name)
            .map_or(class, |class| class.trim_end_matches('.'));
        let module = class.rsplit_once('.').map_or(class, |(module, _)| module);
        return Naming {
            words: name.to_owned(),
            file: Some(format!("{}.py", module.replace('.', "/"))),
        };
    }
    if let Some((path, rest)) = id.split_once("::")
        && path.contains('.')
    {
        // pytest; a parameter may hold any text.
        let rest = rest.split_once('[').map_or(rest, |(rest, _)| rest);
        let words = rest.rsplit("::").next().unwrap_or(rest);
        return Naming {
            words: words.to_owned(),
            file: Some(path.to_owned()),
        };
    }
    for separator in [" > ", " › ", " » "] {
        if id.contains(separator) {
            let first = id.split(separator).next().unwrap_or_default();
            let words = id.rsplit(separator).next().unwrap_or(id);
            return Naming {
                words: words.to_owned(),
                file: is_path(first).then(|| first.to_owned()),
            };
        }
    }
    if is_path(id) {
        return Naming {
            words: String::new(),
            file: Some(id.to_owned()),
        };
    }
    if id.contains(' ') {
        return Naming {
            words: id.to_owned(),
            file: None,
        };
    }
    let id = id.split_once('[').map_or(id, |(id, _)| id);
    // Go: the function is what stands before the first slash.
    let id = match id.split_once('/') {
        Some((function, _)) if function.starts_with("Test") => function,
        _ => id,
    };
    let last = id.rsplit(['.', ':', '#', '/']).next().unwrap_or(id);
    Naming {
        words: if last.is_empty() { id } else { last }.to_owned(),
        file: None,
    }
}

impl Naming {
    /// Whether a line names the test: it holds the words, and they are not part of longer ones.
    #[must_use]
    pub fn is_in(&self, line: &str) -> bool {
        if self.words.is_empty() {
            return false;
        }
        line.match_indices(&self.words).any(|(at, words)| {
            let before = line[..at].chars().next_back();
            let behind = line[at + words.len()..].chars().next();
            !before.is_some_and(is_word) && !behind.is_some_and(is_word)
        })
    }

    /// Whether a path is that of the test's file.
    #[must_use]
    pub fn is_file(&self, path: &str) -> bool {
        self.file.as_deref().is_some_and(|file| {
            let longer = path.strip_suffix(file).or_else(|| file.strip_suffix(path));
            !path.is_empty() && longer.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        })
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_identifier(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_word)
}

/// Whether a text looks like a path of a file with code.
fn is_path(text: &str) -> bool {
    let name = text.rsplit('/').next().unwrap_or(text);
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    let known = [
        "py", "js", "ts", "jsx", "tsx", "mjs", "cjs", "go", "rs", "rb", "java", "php",
    ];
    !text.contains(' ') && extension.is_some_and(|extension| known.contains(&extension))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_the_usual_runners_are_read() {
        let cases = [
            (
                "tests/a/test_x.py::Cls::test_y[a::b-1]",
                "test_y",
                Some("tests/a/test_x.py"),
            ),
            ("tests/test_x.py::test_y", "test_y", Some("tests/test_x.py")),
            (
                "test_y (forms.tests.test_x.Cls)",
                "test_y",
                Some("forms/tests/test_x.py"),
            ),
            (
                "test_y (forms.test_x.Cls.test_y)",
                "test_y",
                Some("forms/test_x.py"),
            ),
            ("TestX/sub_case", "TestX", None),
            ("ring::tests::order_survives", "order_survives", None),
            (
                "src/a.test.ts > suite > adds two",
                "adds two",
                Some("src/a.test.ts"),
            ),
            ("suite › adds two", "adds two", None),
            ("quotes are escaped", "quotes are escaped", None),
            ("doubled-quote-is-one", "doubled-quote-is-one", None),
            ("org.acme.FooTest#bar", "bar", None),
            ("org.acme.FooTest.bar", "bar", None),
            ("test/unit/x.test.js", "", Some("test/unit/x.test.js")),
            ("test_plain", "test_plain", None),
        ];
        for (id, words, file) in cases {
            let found = read(id);
            assert_eq!(
                (found.words.as_str(), found.file.as_deref()),
                (words, file),
                "{id}"
            );
        }
    }

    #[test]
    fn only_whole_words_name_a_test() {
        let naming = read("a/test_x.py::test_y");
        assert!(naming.is_in("    def test_y(self):"));
        assert!(!naming.is_in("    def test_y_again(self):"));
        assert!(!naming.is_in("my_test_y"));
        assert!(naming.is_file("a/test_x.py") && naming.is_file("repo/a/test_x.py"));
        assert!(naming.is_file("test_x.py"));
        assert!(!naming.is_file("a/other_test_x.py") && !naming.is_file(""));
        assert!(!read("x.test.ts").is_in("anything"));
    }
}
