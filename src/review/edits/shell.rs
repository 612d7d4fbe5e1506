//! Edits in shell scripts and patches: here-documents, `sed -i`, `git apply`, redirections.
//!
//! A script is read word by word, not run: variables, loops and functions are not followed.

use super::Edit;

/// The edits of a script, or of a patch that stands alone.
pub(super) fn edits(script: &str) -> Vec<Edit> {
    if script.trim_start().starts_with("*** Begin Patch")
        || script.trim_start().starts_with("diff --git ")
    {
        return of_patch(script);
    }
    if let Some(edit) = of_window(script) {
        return vec![edit];
    }
    let mut found = Vec::new();
    let mut rest = script;
    while !rest.is_empty() {
        let (command, body, after) = next_command(rest);
        rest = after;
        match body {
            Some(body) => of_document(command, body, &mut found),
            None => of_command(command, &mut found),
        }
    }
    found
}

/// SWE-agent's edit of the file that is open: `edit 3:7`, the lines, `end_of_edit`. Which file that
/// is an earlier step says, so the path is empty.
fn of_window(script: &str) -> Option<Edit> {
    let (lines, body) = script
        .trim_start()
        .strip_prefix("edit ")?
        .split_once('\n')?;
    let is_range = lines
        .trim()
        .split(':')
        .all(|part| part.trim().parse::<u32>().is_ok());
    let (text, _) = body.split_once("end_of_edit")?;
    is_range.then(|| Edit::of("").adding(text))
}

/// The first command of a script, its here-document, and what follows. A command goes on to the end
/// of its line, behind quotes that hold several lines.
fn next_command(script: &str) -> (&str, Option<&str>, &str) {
    let end = line_end(script);
    let command = &script[..end];
    let after = script.get(end + 1..).unwrap_or("");
    let Some(word) = document_word(command) else {
        return (command, None, after);
    };
    let mut at = 0;
    for line in after.split_inclusive('\n') {
        if line.trim() == word {
            return (command, Some(&after[..at]), &after[at + line.len()..]);
        }
        at += line.len();
    }
    // Its end is missing: everything is its text.
    (command, Some(after), "")
}

/// Where the line ends that a script begins with, quoted line breaks not counted.
fn line_end(script: &str) -> usize {
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in script.char_indices() {
        match (quote, c) {
            _ if escaped => escaped = false,
            (None | Some('"'), '\\') => escaped = true,
            (None, '\n') => return at,
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
    }
    // An apostrophe in a comment opens no quote: then the line is what it seems.
    match quote {
        Some(_) => script.find('\n').unwrap_or(script.len()),
        None => script.len(),
    }
}

/// The word that ends the here-document of a command.
fn document_word(command: &str) -> Option<&str> {
    let at = command.find("<<")?;
    let rest = command[at + 2..].trim_start_matches('-').trim_start();
    if rest.starts_with('<') {
        return None;
    }
    let rest = rest.trim_start_matches(['\'', '"', '\\']);
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
    let word = &rest[..end.unwrap_or(rest.len())];
    (!word.is_empty() && word.starts_with(|c: char| c.is_alphabetic() || c == '_')).then_some(word)
}

/// What a command does with its here-document.
fn of_document(command: &str, body: &str, found: &mut Vec<Edit>) {
    let words = words(command);
    let runs = |names: &[&str]| {
        let mut words = words.iter().map(String::as_str);
        words.any(|word| names.contains(&word.rsplit('/').next().unwrap_or(word)))
    };
    if runs(&["patch", "apply_patch", "applypatch"]) || (runs(&["git"]) && runs(&["apply", "am"])) {
        found.extend(of_patch(body));
    } else if runs(&["python", "python3", "ed", "ex", "perl", "node", "ruby"]) {
        of_script(body, found);
    } else if let Some(path) = target(&words) {
        found.push(Edit::of(path).adding(body));
    }
}

/// The file that a command writes to.
fn target(words: &[String]) -> Option<&str> {
    let place = words
        .iter()
        .position(|word| matches!(word.as_str(), ">" | ">>"));
    let tee = || words.iter().position(|word| word == "tee");
    let from = place.or_else(tee)? + 1;
    let rest = words.get(from..)?.iter().map(String::as_str);
    let mut files = rest.filter(|word| !word.starts_with('-'));
    files
        .next()
        .filter(|path| !path.starts_with("/dev/") && *path != "<<")
}

/// Files that a program in another language names in quotes, when it writes any.
fn of_script(body: &str, found: &mut Vec<Edit>) {
    const WRITES: [&str; 8] = [
        "write(",
        "write_text",
        "writelines",
        "writeFile",
        "'w'",
        "\"w\"",
        "'a'",
        "\"a\"",
    ];
    if !WRITES.iter().any(|word| body.contains(word)) {
        return;
    }
    for line in body.lines() {
        // Code that is written holds names of other files: those of long lines are none.
        for text in line.split(['\'', '"']).skip(1).step_by(2) {
            let name = text.rsplit('/').next().unwrap_or(text);
            let is_path = name.rsplit_once('.').is_some_and(|(stem, end)| {
                let plain = |c: char| c.is_ascii_alphanumeric();
                !stem.is_empty() && (1..=5).contains(&end.len()) && end.chars().all(plain)
            });
            let fine = |c: char| c.is_alphanumeric() || "/._-+".contains(c);
            if is_path && text.chars().all(fine) && found.iter().all(|edit| edit.path != text) {
                found.push(Edit::of(text).adding(body));
            }
        }
    }
}

/// What a command without here-document does.
fn of_command(command: &str, found: &mut Vec<Edit>) {
    let all = words(command);
    for words in all.split(|word| matches!(word.as_str(), "&&" | "||" | ";" | "|")) {
        let Some(name) = words.first() else { continue };
        let files = |skip: usize| {
            let plain = words.iter().skip(1).filter(|word| !word.starts_with('-'));
            plain.skip(skip).map(String::as_str)
        };
        match name.rsplit('/').next().unwrap_or(name) {
            "sed"
                if words
                    .iter()
                    .any(|word| word.starts_with("-i") || word == "--in-place") =>
            {
                let by_option = words.iter().position(|word| word == "-e");
                let script = match by_option {
                    Some(at) => words.get(at + 1).map(String::as_str),
                    None => files(0).next(),
                };
                let script = script.unwrap_or_default();
                for path in files(1) {
                    found.push(of_sed(path, script));
                }
            }
            "perl"
                if words
                    .iter()
                    .any(|word| word.starts_with("-pi") || word == "-i") =>
            {
                found.extend(files(1).map(Edit::of));
            }
            "str_replace_editor" | "edit_anthropic" => found.extend(of_editor(words)),
            "create" if words.len() == 2 => found.push(Edit::of(&words[1])),
            "echo" | "printf" => {
                if let Some(path) = target(words) {
                    let texts = words
                        .iter()
                        .skip(1)
                        .take_while(|word| !word.starts_with('>'));
                    let texts: Vec<&str> = texts.map(String::as_str).collect();
                    found.push(Edit::of(path).adding(&texts.join(" ")));
                }
            }
            _ => {}
        }
    }
}

/// What a `sed` script writes, as far as it is one substitution or one text.
fn of_sed(path: &str, script: &str) -> Edit {
    let edit = Edit::of(path);
    // Behind an address: `12s/a/b/`, `/x/a text`.
    let at = script
        .find("s/")
        .or_else(|| script.find("s|"))
        .or_else(|| script.find("s#"));
    if let Some(at) = at.filter(|_| !script.contains('\n')) {
        let mut inner = script[at + 1..].chars();
        let delimiter = inner.next().unwrap_or('/');
        let mut parts = inner.as_str().split(delimiter);
        if let (Some(_), Some(new)) = (parts.next(), parts.next()) {
            return edit.adding(new);
        }
    }
    for verb in ["a\\", "i\\", "c\\"] {
        if let Some((_, text)) = script.split_once(verb) {
            return edit.adding(text.trim_start_matches('\n'));
        }
    }
    edit
}

/// An editor that is called as a command.
fn of_editor(words: &[String]) -> Option<Edit> {
    let verb = words.get(1)?;
    if !matches!(
        verb.as_str(),
        "create" | "str_replace" | "insert" | "undo_edit"
    ) {
        return None;
    }
    let after = |option: &str| {
        let at = words.iter().position(|word| word == option)?;
        words.get(at + 1).map(String::as_str)
    };
    let mut edit = Edit::of(words.get(2)?);
    edit = edit.removing(after("--old_str").unwrap_or_default());
    for option in ["--new_str", "--file_text"] {
        if let Some(text) = after(option) {
            edit = edit.adding(text);
        }
    }
    Some(edit)
}

/// The files of a patch (unified, or between `*** Begin Patch` and `*** End Patch`) with the lines
/// that they gain and lose.
pub(super) fn of_patch(text: &str) -> Vec<Edit> {
    let mut found: Vec<Edit> = Vec::new();
    let mut old = "";
    for line in text.lines() {
        let name = ["*** Update File: ", "*** Add File: ", "*** Delete File: "]
            .into_iter()
            .find_map(|head| line.strip_prefix(head));
        if let Some(name) = name {
            found.push(Edit::of(name.trim()));
        } else if let Some(name) = line.strip_prefix("--- ") {
            old = bare(name);
        } else if let Some(name) = line.strip_prefix("+++ ") {
            let new = bare(name);
            found.push(Edit::of(if new == "/dev/null" { old } else { new }));
        } else if let Some(edit) = found.last_mut() {
            if let Some(added) = line.strip_prefix('+') {
                edit.added.push(added.to_owned());
            } else if let Some(removed) = line.strip_prefix('-') {
                edit.removed.push(removed.to_owned());
            }
        }
    }
    found
}

/// A path of a patch's header without `a/`, `b/` and the time behind it.
fn bare(name: &str) -> &str {
    let name = name.split('\t').next().unwrap_or(name).trim();
    let inner = name.strip_prefix("a/").or_else(|| name.strip_prefix("b/"));
    inner.unwrap_or(name)
}

/// The words of a command; quotes hold one together, operators stand alone.
fn words(command: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = command.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\'' => {
                let word = word.get_or_insert_default();
                word.extend(chars.by_ref().take_while(|c| *c != '\''));
            }
            '"' => {
                let word = word.get_or_insert_default();
                while let Some(c) = chars.next().filter(|c| *c != '"') {
                    let escaped = c == '\\' && matches!(chars.peek(), Some('"' | '\\' | '$' | '`'));
                    word.extend(if escaped { chars.next() } else { Some(c) });
                }
            }
            '\\' => word.get_or_insert_default().extend(chars.next()),
            c if c.is_whitespace() => found.extend(word.take()),
            ';' | '|' | '&' | '>' | '<' => {
                found.extend(word.take());
                let mut operator = String::from(c);
                while chars.peek() == Some(&c) {
                    operator.extend(chars.next());
                }
                found.push(operator);
            }
            c => word.get_or_insert_default().push(c),
        }
    }
    found.extend(word);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(script: &str) -> Vec<(String, Vec<String>)> {
        let edits = edits(script).into_iter();
        edits.map(|edit| (edit.path, edit.added)).collect()
    }

    fn one(path: &str, added: &[&str]) -> Vec<(String, Vec<String>)> {
        let added = added.iter().map(|line| (*line).to_owned()).collect();
        vec![(path.to_owned(), added)]
    }

    #[test]
    fn scripts_are_understood() {
        for (script, wanted) in [
            (
                "cat > a.py <<'EOF'\nx = 1\n\nEOF\nls",
                one("a.py", &["x = 1", ""]),
            ),
            ("cat <<EOF >> /r/a.py\nx\nEOF", one("/r/a.py", &["x"])),
            (
                "cd /r && tee -a a.py <<\"END\"\nx\nEND",
                one("a.py", &["x"]),
            ),
            (
                "git apply - <<'E'\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\nE",
                one("x.py", &["b"]),
            ),
            (
                "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: x.py\n+b\n*** End Patch\nEOF",
                one("x.py", &["b"]),
            ),
            (
                "cd /r && sed -i 's/aaa/bbb ccc/' src/x.py",
                one("src/x.py", &["bbb ccc"]),
            ),
            (
                "sed -i '12a\\    new line' x.py",
                one("x.py", &["    new line"]),
            ),
            ("sed -i '3d' x.py && ls", one("x.py", &[])),
            ("sed -n '1,3p' x.py", vec![]),
            ("echo \"it's\" > a.txt", one("a.txt", &["it's"])),
            ("ls > /dev/null 2>&1", vec![]),
            ("cat <<EOF\nx > y.py\nEOF", vec![]),
            ("grep -rn 'a << b' .", vec![]),
            (
                "str_replace_editor str_replace /r/a.py --old_str 'x' --new_str 'y\nz'",
                one("/r/a.py", &["y", "z"]),
            ),
            ("str_replace_editor view /r/a.py", vec![]),
            (
                "python3 - <<'EOF'\np = 'src/a.py'\nopen(p, 'w').write('x')\nEOF",
                one("src/a.py", &["p = 'src/a.py'", "open(p, 'w').write('x')"]),
            ),
            ("python - <<'EOF'\nprint(open('a.py').read())\nEOF", vec![]),
            ("# don't\ncat > a.py <<EOF\nx\nEOF", one("a.py", &["x"])),
            ("cat > a.py <<EOF\ncut", one("a.py", &["cut"])),
            ("edit 3:4\n    x = 1\nend_of_edit", one("", &["    x = 1"])),
            ("", vec![]),
        ] {
            assert_eq!(found(script), wanted, "{script}");
        }
    }

    #[test]
    fn patches_are_understood() {
        let text = "diff --git a/x b/x\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n";
        let edits = edits(text);
        assert_eq!((edits[0].path.as_str(), edits[0].removed.len()), ("x", 1));
    }
}
