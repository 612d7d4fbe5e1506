//! In what a hunk begins, guessed from its own lines when the text above it is not known.
//!
//! The rules, each by what the first mark of its kind in the hunk does:
//! - `/* */`, `<!-- -->`, `{- -}`, `=begin =end`, Rust's `r#" "#`: an end that no beginning stands
//!   before means that the hunk begins inside. An end on a line with quotes may stand in a string
//!   (a glob such as `"src/*/x"`) and says nothing.
//! - Triple quotes (Python with its prefixes, Java, Kotlin, Scala, Swift, Julia, Elixir): the first
//!   one ends something when text stands before it that is no code, or when it stands alone, the
//!   hunk has an odd number of them, and the line before opens no block.
//! - Backquotes (JavaScript, TypeScript, Go): an odd number of them, the first followed by nothing
//!   but `;`, `)` or `,`.
//! - Shell: a line that is one word in capitals, which no `<<WORD` stands before, ends a
//!   here-document.
//! - A hunk of nothing but prose (see [`is_prose`]) begins in a comment or, in Python, a docstring.
//!
//! Where nothing says so a hunk begins as a file does: other prose in a docstring of which the hunk
//! shows neither end is coloured as code. A known base text needs no guess.

/// So many lines of a hunk are looked at.
const LOOKED_AT: usize = 400;

/// Beginning and end of something over several lines, and a line that begins it.
struct Block {
    languages: &'static [&'static str],
    begin: &'static str,
    end: &'static str,
    line: &'static str,
    /// Whether an end on a line with quotes says nothing.
    quotes_hide: bool,
}

const C_LIKE: &[&str] = &[
    "C",
    "C++",
    "Objective-C",
    "Objective-C++",
    "C#",
    "CSS",
    "SCSS",
    "Less",
    "Dart",
    "Go",
    "Groovy",
    "Java",
    "JavaScript",
    "JavaScript (Babel)",
    "Kotlin",
    "PHP",
    "PHP Source",
    "Protocol Buffer",
    "Rust",
    "SQL",
    "Scala",
    "Solidity",
    "Swift",
    "Terraform",
    "TypeScript",
    "TypeScriptReact",
];

const BLOCKS: &[Block] = &[
    Block {
        languages: &["Rust"],
        begin: "r#\"",
        end: "\"#",
        line: "const X: &str = r#\"",
        quotes_hide: false,
    },
    Block {
        languages: C_LIKE,
        begin: "/*",
        end: "*/",
        line: "/*",
        quotes_hide: true,
    },
    Block {
        languages: &["HTML", "XML", "Markdown", "Vue Component", "Svelte"],
        begin: "<!--",
        end: "-->",
        line: "<!--",
        quotes_hide: true,
    },
    Block {
        languages: &["Haskell", "Elm", "PureScript"],
        begin: "{-",
        end: "-}",
        line: "{-",
        quotes_hide: true,
    },
    Block {
        languages: &["Ruby"],
        begin: "=begin",
        end: "=end",
        line: "=begin",
        quotes_hide: true,
    },
];

/// Languages with triple quotes, and what begins a text in them: in Python a docstring, which most
/// are.
const TRIPLE: [(&str, &str); 7] = [
    ("Python", ""),
    ("Java", "String x = "),
    ("Kotlin", "val x = "),
    ("Scala", "val x = "),
    ("Swift", "let x = "),
    ("Julia", "x = "),
    ("Elixir", "x = "),
];

const BACKQUOTE: [(&str, &str); 5] = [
    ("JavaScript", "x = `"),
    ("JavaScript (Babel)", "x = `"),
    ("TypeScript", "x = `"),
    ("TypeScriptReact", "x = `"),
    ("Go", "const x = `"),
];

/// A line that, parsed before the hunk, leaves the parser in what the hunk begins in; `None` when
/// nothing says that it begins in something.
pub(super) fn line_before(lines: &[&str], language: &str) -> Option<String> {
    let lines = &lines[..lines.len().min(LOOKED_AT)];
    let known = |table: &[(&str, &'static str)]| {
        let found = table.iter().find(|(name, _)| *name == language);
        found.map(|(_, begin)| *begin)
    };
    let blocks = BLOCKS
        .iter()
        .filter(|block| block.languages.contains(&language));
    if let Some(block) = blocks.into_iter().find(|block| ends_first(lines, block)) {
        return Some(block.line.to_owned());
    }
    if is_prose(lines) {
        let python = (language == "Python").then_some("\"\"\"");
        let begin = python.or_else(|| C_LIKE.contains(&language).then_some("/*"));
        return begin.map(str::to_owned);
    }
    if let Some(begin) = known(&TRIPLE) {
        let quotes: &[&str] = if language == "Python" {
            &["\"\"\"", "'''"]
        } else {
            &["\"\"\""]
        };
        let open = quotes.iter().find(|quote| triple_ends_first(lines, quote));
        return open.map(|quote| format!("{begin}{quote}"));
    }
    if let Some(begin) = known(&BACKQUOTE) {
        return backquote_ends_first(lines).then(|| begin.to_owned());
    }
    if language.contains("(bash)") || language.contains("Shell") {
        return here_document(lines).map(|word| format!("cat <<'{word}'"));
    }
    None
}

/// Whether every line reads as prose, and would be harmed when it is coloured as code: at least three
/// lines of three words each on average, none with a sign that code has and prose has not, and one
/// with an apostrophe inside a word, which as code begins a string (`don't`).
fn is_prose(lines: &[&str]) -> bool {
    let said: Vec<&str> = lines
        .iter()
        .map(|line| line.trim())
        .filter(|line| !line.is_empty())
        .collect();
    let words: usize = said.iter().map(|l| l.split_whitespace().count()).sum();
    let is_code = |line: &&str| line.contains(|c| "=(){}[]<>;\\@$&|#\"".contains(c));
    said.len() >= 3
        && words >= 3 * said.len()
        && !said.iter().any(is_code)
        && said.iter().any(|line| has_inner_apostrophe(line))
}

fn has_inner_apostrophe(line: &str) -> bool {
    let letter = |c: Option<char>| c.is_some_and(char::is_alphabetic);
    line.match_indices('\'').any(|(at, _)| {
        let before = line[..at].chars().next_back();
        letter(before) && letter(line[at + 1..].chars().next())
    })
}

fn ends_first(lines: &[&str], block: &Block) -> bool {
    let marked = |line: &&&str| line.contains(block.begin) || line.contains(block.end);
    let Some(line) = lines.iter().find(marked) else {
        return false;
    };
    let hidden = block.quotes_hide && line.contains(['"', '\'']);
    let before = match (line.find(block.begin), line.find(block.end)) {
        (Some(begin), Some(end)) => end < begin,
        (None, Some(_)) => true,
        (_, None) => false,
    };
    before && !hidden
}

fn triple_ends_first(lines: &[&str], quote: &str) -> bool {
    let Some(place) = lines.iter().position(|line| line.contains(quote)) else {
        return false;
    };
    let line = lines[place].trim();
    let (before, after) = line.split_once(quote).unwrap_or((line, ""));
    if before.contains('#') && !before.contains(['"', '\'']) {
        // In a comment.
        return false;
    }
    let before = before.trim_end();
    let odd = lines
        .iter()
        .map(|line| line.matches(quote).count())
        .sum::<usize>()
        % 2
        == 1;
    if before.is_empty() {
        let is_alone = after.trim_end_matches([')', ',', ';', ']', '}']).is_empty();
        let above = lines[..place]
            .iter()
            .rev()
            .find(|line| !line.trim().is_empty());
        let opens_block =
            above.is_some_and(|line| line.trim_end().ends_with([':', '(', '=', ',', '[', '{']));
        return odd && is_alone && !opens_block;
    }
    // `x = r"""`, `f("""`, `return f'''`: code before it, so it begins a text.
    let stem = before.trim_end_matches(|c: char| "rRfFbBuU".contains(c));
    let is_prefix = stem.len() < before.len()
        && before.len() - stem.len() <= 2
        && !stem.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let code = stem.trim_end();
    let begins = code.is_empty()
        || code.ends_with(['=', '(', ',', '[', '{', ':', '+', '%', '@', '>'])
        || [
            "return", "in", "yield", "and", "or", "not", "raise", "assert",
        ]
        .iter()
        .any(|word| code.ends_with(word));
    !(begins && (is_prefix || stem.len() == before.len())) && odd
}

fn backquote_ends_first(lines: &[&str]) -> bool {
    let count = |line: &&str| line.matches('`').count() - line.matches("\\`").count();
    let Some(first) = lines.iter().find(|line| count(line) > 0) else {
        return false;
    };
    let odd = lines.iter().map(count).sum::<usize>() % 2 == 1;
    let after = first.split_once('`').map_or("", |(_, after)| after);
    odd && after
        .trim_end()
        .trim_end_matches([';', ')', ',', '}'])
        .is_empty()
        && !first.trim_end().ends_with("(`")
        && !first.trim_end().ends_with("= `")
        && !first.trim_end().ends_with("=`")
}

fn here_document<'a>(lines: &[&'a str]) -> Option<&'a str> {
    let is_word =
        |line: &str| line.len() >= 2 && line.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    for line in lines {
        if line.contains("<<") {
            return None;
        }
        if is_word(line.trim_end()) {
            return Some(line.trim_end());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inside(language: &str, lines: &[&str]) -> bool {
        line_before(lines, language).is_some()
    }

    #[test]
    fn hunks_that_begin_inside_something() {
        for (language, lines) in [
            (
                "Python",
                &["the rest of the text", "\"\"\"", "return 1"][..],
            ),
            ("Python", &["and so on.'''", "return 1"]),
            ("Rust", &["for this", " */", "fn go() {}"]),
            ("Rust", &["more text", "\"#;", "fn go() {}"]),
            ("HTML", &["words", "-->", "<p>"]),
            ("TypeScript", &["text ${x}", "`;", "const y = 1;"]),
            ("Go", &["text", "`", "var y = 1"]),
            ("Bourne Again Shell (bash)", &["words", "EOF", "ls"]),
            ("Ruby", &["words", "=end", "def x"]),
            ("Java", &["text", "\"\"\";", "int x;"]),
            (
                "Python",
                &[
                    "It's prose that goes on,",
                    "if you don't mind, def foo",
                    "and it ends there.",
                ],
            ),
            (
                "JavaScript",
                &["it's a remark", " with `one tick", "that isn't closed"],
            ),
        ] {
            assert!(inside(language, lines), "{language}: {lines:?}");
        }
    }

    #[test]
    fn hunks_that_begin_as_code() {
        for (language, lines) in [
            ("Python", &["def f():", "    \"\"\"", "    words"][..]),
            ("Python", &["x = 1", "y = rb'''text"]),
            ("Python", &["    \"\"\"Begins.", "words"]),
            ("Python", &["f(f\"\"\"text", "more"]),
            ("Python", &["\"\"\"", "words", "\"\"\""]),
            ("Python", &["# the mark \"\"\" ends", "x = 1"]),
            ("Rust", &["let a = \"src/*/x\";"]),
            ("Rust", &["/* x */", "fn go() {}"]),
            ("Rust", &["let a = r#\"x\"#;"]),
            ("TypeScript", &["const x = `", "text"]),
            ("TypeScript", &["const x = `a`;", "f();"]),
            ("Bourne Again Shell (bash)", &["cat <<EOF", "x", "EOF"]),
            ("Ruby", &["def x", "end"]),
            (
                "Python",
                &["import os", "import sys", "x is y", "print 'don' 't'"],
            ),
            ("Python", &["it's prose and", "x = 1", "so it is code"]),
        ] {
            assert!(!inside(language, lines), "{language}: {lines:?}");
        }
    }
}
