//! Which language a file is in: by its name, its ending, its first line.

use syntect::parsing::{SyntaxReference, SyntaxSet};

/// Names and endings that the syntaxes do not list themselves, and what they are like.
const ALSO: [(&str, &str); 39] = [
    ("Containerfile", "Dockerfile"),
    ("GNUmakefile", "Makefile"),
    ("makefile", "Makefile"),
    ("BUILD", "py"),
    ("BUILD.bazel", "py"),
    ("WORKSPACE", "py"),
    ("SConstruct", "py"),
    ("SConscript", "py"),
    ("wscript", "py"),
    (".bashrc", "sh"),
    (".profile", "sh"),
    (".bash_profile", "sh"),
    (".zshrc", "sh"),
    (".envrc", "sh"),
    ("PKGBUILD", "sh"),
    ("Cargo.lock", "toml"),
    ("poetry.lock", "toml"),
    ("uv.lock", "toml"),
    ("Pipfile", "toml"),
    (".babelrc", "json"),
    (".eslintrc", "json"),
    (".prettierrc", "json"),
    ("CMakeLists.txt", "cmake"),
    ("pyi", "py"),
    ("pyx", "py"),
    ("pyw", "py"),
    ("bzl", "py"),
    ("cfg", "ini"),
    ("mjs", "js"),
    ("cjs", "js"),
    ("jsx", "js"),
    ("mts", "ts"),
    ("cts", "ts"),
    ("cu", "cpp"),
    ("h", "cpp"),
    ("ipynb", "json"),
    ("jsonl", "json"),
    ("jsonc", "json"),
    ("bats", "sh"),
];

/// Endings that say nothing of the language: what stands before them counts.
const OVER: [&str; 9] = [
    "in", "j2", "jinja", "tmpl", "template", "orig", "bak", "dist", "example",
];

/// The language of a file; `None` when it is not known or plain text.
pub(super) fn of<'a>(
    set: &'a SyntaxSet,
    path: &str,
    first_line: &str,
) -> Option<&'a SyntaxReference> {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    by_name(set, name)
        .or_else(|| set.find_syntax_by_first_line(first_line))
        .filter(|found| found.name != set.find_syntax_plain_text().name)
}

fn by_name<'a>(set: &'a SyntaxSet, name: &str) -> Option<&'a SyntaxReference> {
    let also = |token: &str| {
        let found = ALSO.iter().find(|(known, _)| *known == token);
        found.map(|(_, like)| *like)
    };
    let exact = also(name).unwrap_or(name);
    if let Some(found) = set
        .find_syntax_by_extension(exact)
        .or_else(|| also(name).and_then(|like| set.find_syntax_by_token(like)))
    {
        return Some(found);
    }
    let (stem, ending) = name.rsplit_once('.')?;
    let ending = ending.to_ascii_lowercase();
    if OVER.contains(&ending.as_str()) && !stem.is_empty() {
        return by_name(set, stem);
    }
    // `Dockerfile.dev` is a Dockerfile.
    let token = also(&ending).unwrap_or(&ending);
    set.find_syntax_by_extension(token)
        .or_else(|| set.find_syntax_by_token(token))
        .or_else(|| {
            stem.starts_with(|c: char| c.is_ascii_uppercase())
                .then(|| set.find_syntax_by_extension(stem))
                .flatten()
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_told_by_name_ending_and_first_line() {
        let set = two_face::syntax::extra_newlines();
        let table = [
            ("a/b.py", "Python"),
            ("stubs/x.pyi", "Python"),
            ("x.rs", "Rust"),
            ("x.ts", "TypeScript"),
            ("x.tsx", "TypeScriptReact"),
            ("x.mts", "TypeScript"),
            ("x.js", "JavaScript (Babel)"),
            ("x.mjs", "JavaScript (Babel)"),
            ("x.jsx", "JavaScript (Babel)"),
            ("x.go", "Go"),
            ("go.mod", "Gomod"),
            ("x.java", "Java"),
            ("x.kt", "Kotlin"),
            ("x.scala", "Scala"),
            ("x.c", "C"),
            ("x.h", "C++"),
            ("x.cpp", "C++"),
            ("x.hpp", "C++"),
            ("x.cu", "C++"),
            ("x.cs", "C#"),
            ("x.rb", "Ruby"),
            ("Gemfile", "Ruby"),
            ("Rakefile", "Ruby"),
            ("x.php", "PHP"),
            ("x.swift", "Swift"),
            ("x.sh", "Bourne Again Shell (bash)"),
            (".bashrc", "Bourne Again Shell (bash)"),
            ("Dockerfile", "Dockerfile"),
            ("Dockerfile.dev", "Dockerfile"),
            ("Makefile", "Makefile"),
            ("CMakeLists.txt", "CMake"),
            ("x.toml", "TOML"),
            ("Cargo.lock", "TOML"),
            ("x.yaml", "YAML"),
            ("x.yml.j2", "YAML"),
            ("x.json", "JSON"),
            ("x.html", "HTML"),
            ("x.css", "CSS"),
            ("x.scss", "SCSS"),
            ("x.vue", "Vue Component"),
            ("x.svelte", "Svelte"),
            ("x.md", "Markdown"),
            ("x.sql", "SQL"),
            ("x.lua", "Lua"),
            ("x.hs", "Haskell"),
            ("x.ex", "Elixir"),
            ("x.zig", "Zig"),
            ("x.tf", "Terraform"),
            ("x.proto", "Protocol Buffer"),
            ("setup.cfg", "INI"),
            ("x.PY", "Python"),
            ("x.xml", "XML"),
            ("x.R", "R"),
            ("x.jl", "Julia"),
        ];
        let mut wrong = Vec::new();
        for (path, name) in table {
            let found = of(&set, path, "").map(|found| found.name.as_str());
            if found != Some(name) {
                wrong.push((path, name, found));
            }
        }
        assert!(wrong.is_empty(), "{wrong:?}");
        let script = of(&set, "bin/run", "#!/usr/bin/env python3").unwrap();
        assert_eq!(script.name, "Python");
        assert!(of(&set, "LICENSE", "MIT").is_none());
        assert!(of(&set, "notes.txt", "").is_none());
    }
}
