//! The person's editor and pager: which program, with which arguments, on what.
//!
//! No shell is used: the variable is split into words as a shell would, and nothing is expanded.
//! What is *not* here: handing the terminal over and back ([`super::terminal`]).

use std::borrow::Cow;
use std::fmt;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use super::effect::Outside;
use super::text;

/// What edits when nothing is set.
const EDITOR: &str = "vi";
/// What pages when nothing is set.
const PAGER: &str = "less -R";

/// Why a program did not run to its end.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// A variable holds no command.
    #[error("${variable} is no command: {reason}")]
    Command {
        /// The variable.
        variable: &'static str,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The copy for the editor cannot be written.
    #[error("no copy of the patch for the editor: {0}")]
    Copy(std::io::Error),
    /// What the editor left cannot be read as text.
    #[error("what the editor wrote cannot be read, so the text stays as it was: {0}")]
    Unreadable(std::io::Error),
    /// There is no such program.
    #[error("{program} was not found (from ${variable})")]
    Missing {
        /// The program.
        program: String,
        /// Where its name comes from.
        variable: &'static str,
    },
    /// It cannot be started, or its end cannot be waited for.
    #[error("{program} cannot be run: {reason}")]
    Start {
        /// The program.
        program: String,
        /// What the operating system said.
        reason: std::io::Error,
    },
    /// It ended with a failure.
    #[error("{program} ended with {status}")]
    Failed {
        /// The program.
        program: String,
        /// How it ended.
        status: ExitStatus,
    },
}

/// How an editor left a text.
#[derive(Debug)]
pub struct Edited {
    /// What the text is now; `None` = as it was.
    pub text: Option<String>,
    /// Why the editor did not end well.
    pub problem: Option<ProgramError>,
}

/// A command as words, and the variable it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Words {
    words: Vec<String>,
    variable: &'static str,
}

/// A program that is ready to run.
pub struct Prepared {
    command: Command,
    program: String,
    variable: &'static str,
    input: Option<String>,
    /// The file that may be changed, and what was written into it.
    edited: Option<(PathBuf, String)>,
    /// Removed when dropped, with the copy in it.
    _folder: Option<tempfile::TempDir>,
}

impl fmt::Debug for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Prepared").field(&self.command).finish()
    }
}

/// Chooses the program by these variables and prepares what it works on.
///
/// # Errors
/// A variable holds no command, or the copy for the editor cannot be written.
pub fn prepare(
    outside: &Outside,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Prepared, ProgramError> {
    match outside {
        Outside::Editor { text, name, line } => {
            let words = chosen(&["VISUAL", "EDITOR"], EDITOR, variable)?;
            let folder = private_folder().map_err(ProgramError::Copy)?;
            let path = folder.path().join(name);
            write_copy(&path, text).map_err(ProgramError::Copy)?;
            let arguments = editor_arguments(&words.words, &path, *line);
            Ok(ready(words, arguments, None, Some(folder)))
        }
        Outside::Text { text, name } => {
            let words = chosen(&["VISUAL", "EDITOR"], EDITOR, variable)?;
            let folder = private_folder().map_err(ProgramError::Copy)?;
            let path = folder.path().join(name);
            std::fs::write(&path, text.as_bytes()).map_err(ProgramError::Copy)?;
            let arguments = editor_arguments(&words.words, &path, 1);
            let mut prepared = ready(words, arguments, None, Some(folder));
            prepared.edited = Some((path, text.to_string()));
            Ok(prepared)
        }
        Outside::Pager { text } => {
            let words = chosen(&["GAGAR_PAGER", "PAGER"], PAGER, variable)?;
            let arguments = pager_arguments(&words.words);
            let input = harmless(text).into_owned();
            Ok(ready(words, arguments, Some(input), None))
        }
    }
}

fn ready(
    words: Words,
    arguments: Vec<String>,
    input: Option<String>,
    folder: Option<tempfile::TempDir>,
) -> Prepared {
    let program = words.words.first().cloned().unwrap_or_default();
    let mut command = Command::new(&program);
    command.args(words.words.iter().skip(1)).args(arguments);
    Prepared {
        command,
        program,
        variable: words.variable,
        input,
        edited: None,
        _folder: folder,
    }
}

impl Prepared {
    /// Runs the program on the terminal until it ends.
    ///
    /// # Errors
    /// It is missing, cannot be started, or ends with a failure.
    pub fn run(mut self) -> Result<(), ProgramError> {
        self.wait()
    }

    /// Runs the editor on a text that may be changed. What was written counts also when the editor
    /// ended with a failure, so that nothing is lost.
    #[must_use]
    pub fn edit(mut self) -> Edited {
        let problem = self.wait().err();
        let Some((path, before)) = self.edited.take() else {
            return Edited {
                text: None,
                problem,
            };
        };
        match std::fs::read_to_string(path) {
            Ok(text) => {
                let text = text.replace("\r\n", "\n");
                let text = text.trim_end();
                Edited {
                    text: (text != before.trim_end()).then(|| text.to_owned()),
                    problem,
                }
            }
            Err(error) => Edited {
                text: None,
                problem: problem.or(Some(ProgramError::Unreadable(error))),
            },
        }
    }

    fn wait(&mut self) -> Result<(), ProgramError> {
        if self.input.is_some() {
            self.command.stdin(Stdio::piped());
        }
        let started = self.command.spawn();
        let mut child = started.map_err(|error| self.not_started(error))?;
        if let (Some(mut pipe), Some(input)) = (child.stdin.take(), self.input.take()) {
            // A pager that is left early reads no further; how it ends tells the rest.
            let _ = pipe.write_all(input.as_bytes());
        }
        let status = child.wait().map_err(|error| self.not_started(error))?;
        if status.success() {
            return Ok(());
        }
        let program = self.program.clone();
        Err(ProgramError::Failed { program, status })
    }

    fn not_started(&self, error: std::io::Error) -> ProgramError {
        let program = self.program.clone();
        if error.kind() == ErrorKind::NotFound {
            let variable = self.variable;
            return ProgramError::Missing { program, variable };
        }
        let reason = error;
        ProgramError::Start { program, reason }
    }
}

/// The command of the first variable that is set, else the usual one.
fn chosen(
    variables: &[&'static str],
    usual: &str,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Words, ProgramError> {
    let set = variables.iter().find_map(|&name| {
        let command = variable(name).filter(|command| !command.trim().is_empty())?;
        Some((name, command))
    });
    let last = variables.last().copied().unwrap_or_default();
    let (variable, command) = set.unwrap_or((last, usual.to_owned()));
    match split(&command) {
        Ok(words) => Ok(Words { words, variable }),
        Err(reason) => Err(ProgramError::Command { variable, reason }),
    }
}

/// Splits a command into words as a shell does: blanks, `'…'`, `"…"`, `\`.
fn split(command: &str) -> Result<Vec<String>, &'static str> {
    let (mut words, mut word) = (Vec::new(), None::<String>);
    let mut quote = None;
    let mut chars = command.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (Some(open), c) if c == open => quote = None,
            (None, '\\') => {
                let escaped = chars.next().ok_or("a backslash at its end")?;
                word.get_or_insert_default().push(escaped);
            }
            (Some('"'), '\\') if matches!(chars.peek(), Some('"' | '\\' | '$' | '`')) => {
                word.get_or_insert_default().extend(chars.next());
            }
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err("a quote is not closed");
    }
    words.extend(word);
    if words.first().is_none_or(String::is_empty) {
        return Err("it names no program");
    }
    Ok(words)
}

/// The name of a program without folder and extension.
fn stem(words: &[String]) -> &str {
    let program = words.first().map_or("", String::as_str);
    let stem = Path::new(program)
        .file_stem()
        .and_then(|stem| stem.to_str());
    stem.unwrap_or(program)
}

/// How an editor is told file and 1-based line.
fn editor_arguments(words: &[String], path: &Path, line: usize) -> Vec<String> {
    let file = path.display().to_string();
    let has = |options: [&str; 2]| words.iter().any(|word| options.contains(&word.as_str()));
    match stem(words) {
        // Windows of their own: without --wait the copy is gone before they read it.
        editor @ ("code" | "code-insiders" | "codium" | "cursor" | "windsurf" | "subl" | "zed") => {
            let mut arguments = Vec::new();
            if !has(["-w", "--wait"]) {
                arguments.push("--wait".to_owned());
            }
            if !matches!(editor, "subl" | "zed") && !has(["-g", "--goto"]) {
                arguments.push("--goto".to_owned());
            }
            arguments.push(format!("{file}:{line}"));
            arguments
        }
        "hx" | "helix" | "kak-lsp" => vec![format!("{file}:{line}")],
        _ => vec![format!("+{line}"), file],
    }
}

/// What a pager needs to stay on the screen.
fn pager_arguments(words: &[String]) -> Vec<String> {
    let chosen = words.iter().any(|word| word.starts_with("--paging"));
    match stem(words) {
        // They leave at once when all fits on the screen, which nobody would see.
        "delta" | "bat" | "batcat" if !chosen => vec!["--paging=always".to_owned()],
        _ => Vec::new(),
    }
}

/// A text without anything that drives a terminal: pagers may hand it on as it is.
fn harmless(text: &str) -> Cow<'_, str> {
    text::plain(text)
}

/// A folder that nobody else can look into.
fn private_folder() -> std::io::Result<tempfile::TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("gagar-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o700));
    }
    builder.tempdir()
}

/// Writes a file that can only be read.
fn write_copy(path: &Path, text: &str) -> std::io::Result<()> {
    std::fs::write(path, text)?;
    let mut permissions = std::fs::metadata(path)?.permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(path, permissions)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn words(command: &str) -> Vec<String> {
        split(command).unwrap()
    }

    #[test]
    fn commands_are_split_as_a_shell_does() {
        assert_eq!(words("less -R"), ["less", "-R"]);
        assert_eq!(
            words("'my editor' \"a \\\"b\\\"\" c\\ d ''"),
            ["my editor", "a \"b\"", "c d", ""]
        );
        assert_eq!(words("e $HOME `x` ~"), ["e", "$HOME", "`x`", "~"]);
        assert_eq!(split("a 'b"), Err("a quote is not closed"));
        assert!(split("'' x").is_err() && split("a\\").is_err());
    }

    #[test]
    fn editors_are_told_the_line_in_their_way() {
        let arguments = |command: &str| {
            let arguments = editor_arguments(&words(command), Path::new("/t/x.patch"), 7);
            arguments.join(" ")
        };
        assert_eq!(arguments("vi"), "+7 /t/x.patch");
        assert_eq!(arguments("/usr/bin/nano -v"), "+7 /t/x.patch");
        assert_eq!(arguments("hx"), "/t/x.patch:7");
        assert_eq!(arguments("code"), "--wait --goto /t/x.patch:7");
        assert_eq!(arguments("code --wait"), "--goto /t/x.patch:7");
        assert_eq!(pager_arguments(&words("delta -s")), ["--paging=always"]);
        assert!(pager_arguments(&words("less -R")).is_empty());
    }

    #[test]
    fn variables_choose_the_program() {
        let set = |name: &str| (name == "PAGER").then(|| "most -s".to_owned());
        let found = chosen(&["GAGAR_PAGER", "PAGER"], PAGER, &set).unwrap();
        assert_eq!(found.words, ["most", "-s"]);
        assert_eq!(
            chosen(&["VISUAL", "EDITOR"], EDITOR, &set).unwrap().words,
            ["vi"]
        );
        let broken = |_: &str| Some("'".to_owned());
        assert!(chosen(&["EDITOR"], EDITOR, &broken).is_err());
    }

    #[test]
    fn a_pager_gets_nothing_that_drives_a_terminal() {
        let outside = Outside::Pager {
            text: Arc::from("+a\tb\u{1b}]0;t\u{7}\n-c\r\n"),
        };
        let prepared = prepare(&outside, &|_| None).unwrap();
        assert_eq!(prepared.input.as_deref(), Some("+a\tb␛]0;t␇\n-c␍\n"));
    }

    #[cfg(unix)]
    #[test]
    fn what_an_editor_writes_is_taken_over_also_when_it_fails() {
        let edit = |script: &str| {
            let outside = Outside::Text {
                text: Arc::from("before\n"),
                name: "note.txt".to_owned(),
            };
            // The arguments are the line and the file.
            let command = format!("sh -c '{script}' sh");
            let prepared = prepare(&outside, &|_| Some(command.clone())).unwrap();
            let edited = prepared.edit();
            let problem = edited.problem.map(|problem| problem.to_string());
            (edited.text, problem)
        };
        let taken = Some("one\ntwo".to_owned());
        assert_eq!(
            edit("printf \"one\\ntwo\\n\" > \"$2\""),
            (taken.clone(), None)
        );
        assert_eq!(edit("true"), (None, None));
        let (text, problem) = edit("printf \"one\\ntwo\" > \"$2\"; exit 3");
        assert_eq!(text, taken);
        assert!(problem.unwrap().contains("ended with"));
        let (text, problem) = edit("rm \"$2\"");
        assert_eq!(text, None);
        assert!(problem.unwrap().contains("stays as it was"));
        let (text, problem) = edit("printf \"\\377\" > \"$2\"");
        assert_eq!(text, None);
        assert!(problem.is_some());
    }

    #[cfg(unix)]
    #[test]
    fn an_editor_gets_a_private_copy_that_goes_away() {
        use std::os::unix::fs::PermissionsExt;

        let outside = Outside::Editor {
            text: Arc::from("+a\r\n"),
            name: "g-a.patch".to_owned(),
            line: 3,
        };
        let prepared = prepare(&outside, &|_| Some("true".to_owned())).unwrap();
        let folder = prepared._folder.as_ref().unwrap().path().to_owned();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&folder), 0o700);
        let copy = folder.join("g-a.patch");
        assert_eq!(mode(&copy) & 0o222, 0);
        assert_eq!(std::fs::read(&copy).unwrap(), b"+a\r\n");
        prepared.run().unwrap();
        assert!(!folder.exists());
        let missing = prepare(&outside, &|_| Some("no-such-editor-here".to_owned()));
        let error = missing.unwrap().run().unwrap_err().to_string();
        assert_eq!(error, "no-such-editor-here was not found (from $VISUAL)");
        let failing = prepare(&outside, &|_| Some("false".to_owned())).unwrap();
        assert!(
            failing
                .run()
                .unwrap_err()
                .to_string()
                .contains("false ended with")
        );
    }
}
