//! The rules as data: what each looks for, how it is meant, what it becomes when a person confirms it.
//!
//! What is *not* here: how a rule looks (`paths`, `lines`, `places`, `artefacts`), and what a
//! configuration changes ([`super::Rules`]).

use crate::domain::scope::Level;

/// Names a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RuleId {
    /// An added file in the root folder or with the name of a scratch file.
    StrayFile,
    /// A file that a build or an editor leaves behind.
    JunkFile,
    /// The same added file in nearly all candidates.
    ScaffoldArtefact,
    /// A change of a manifest or of configuration that the harness made.
    EnvArtefact,
    /// A manifest or lock file was changed.
    DepOrLock,
    /// Configuration of builds, checks or tests was changed.
    ConfigCi,
    /// A test asks for less.
    TestWeakened,
    /// A test was added to.
    TestExtended,
    /// A generated or vendored file was changed.
    GeneratedVendored,
    /// A binary file.
    Binary,
    /// The mode of a file changed.
    ModeChange,
    /// A symbolic link.
    Symlink,
    /// A submodule.
    Submodule,
    /// A file was renamed.
    Rename,
    /// A file was deleted.
    FileDeleted,
    /// A whole hunk changes nothing but white space.
    WhitespaceHunk,
    /// An added line ends in blanks.
    AddsTrailingWs,
    /// A whole hunk adds nothing but comments.
    CommentOnlyHunk,
    /// A whole hunk takes comments away or words them anew.
    CommentReworded,
    /// Output for debugging was added.
    DebugOutput,
    /// A removed line comes back as a comment.
    CommentedCode,
    /// A note to do something later was added.
    Todo,
    /// A checker was silenced.
    Suppression,
    /// A handler for every error was added.
    BroadExcept,
    /// A hunk only permutes imports.
    ImportReorder,
    /// Many more lines than the others change.
    SizeOutlier,
    /// A source file that no other passing candidate touches.
    FileUnique,
    /// A place that no other passing candidate touches.
    RegionUnique,
    /// Such a place, where the candidate also covers every place that most touch.
    ExtraRegion,
    /// The same, with failing candidates as evidence where few pass.
    ExtraRegionWeak,
    /// A file that the reference patch does not touch.
    FileNotInGold,
    /// A place that the reference patch does not touch.
    RegionNotInGold,
    /// A file that the issue text does not name.
    FileNotInIssue,
}

/// A rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    /// Which one; its place in [`RULES`].
    pub id: RuleId,
    /// The name in files and on screen.
    pub name: &'static str,
    /// How its remarks are meant; a remark can be meant milder.
    pub level: Level,
    /// Whether it is on unless the configuration says otherwise.
    pub on: bool,
    /// Whether it is about a file or a line that hardly ever belongs to a fix: such remarks come first.
    pub strong: bool,
    /// Whether it asks for other candidates, the reference or the issue: such a rule says nothing of
    /// a patch alone.
    pub compares: bool,
    /// The code of the built-in rubric that a confirmed remark becomes; `None` = no finding: nobody's
    /// fault.
    pub code: Option<&'static str>,
    /// What it matches: globs of paths in lower case, starts of lines, parts of lines; see
    /// [`Self::about`].
    pub patterns: &'static [&'static str],
    /// The number it compares with, where it has one.
    pub threshold: Option<f64>,
    /// What it says, one line; what patterns and threshold mean.
    pub about: &'static str,
}

const BASE: Rule = Rule {
    id: RuleId::StrayFile,
    name: "",
    level: Level::Info,
    on: true,
    strong: false,
    compares: false,
    code: None,
    patterns: &[],
    threshold: None,
    about: "",
};

const UNNEEDED: Option<&str> = Some("unneeded_change");
const OUT_OF_SCOPE: Option<&str> = Some("out_of_scope");

/// Every rule, in the order in which tables list them.
pub const RULES: [Rule; 33] = [
    Rule {
        id: RuleId::StrayFile,
        name: "stray_file",
        level: Level::Check,
        strong: true,
        code: Some("debug_leftover"),
        patterns: &[
            "repro*",
            "*reproduce*",
            "*_repro.*",
            "debug*",
            "verify_*",
            "check_*",
            "test_fix*",
            "test_issue*",
            "*notes.*",
            "*summary*",
            "fix_*.md",
            "scratch*",
        ],
        about: "added file in the root folder or with a scratch name (patterns: names), not in every candidate",
        ..BASE
    },
    Rule {
        id: RuleId::JunkFile,
        name: "junk_file",
        level: Level::Check,
        strong: true,
        code: Some("debug_leftover"),
        patterns: &[
            "**/build/**",
            "**/__pycache__/**",
            "**/.pytest_cache/**",
            "**/*.egg-info/**",
            "**/node_modules/**",
            "*.orig",
            "*.rej",
            "*.pyc",
            "*.log",
            "*.swp",
            ".ds_store",
            "*.zip",
            "*.tar",
            "*.tar.gz",
            "*.tgz",
            "*.whl",
        ],
        about: "added file that a build, a test run or an editor leaves behind (patterns: paths)",
        ..BASE
    },
    Rule {
        id: RuleId::ScaffoldArtefact,
        name: "scaffold_artefact",
        level: Level::Artefact,
        compares: true,
        threshold: Some(0.8),
        about: "the same added file, numbers in it aside, in this share of the candidates (threshold), failing ones too",
        ..BASE
    },
    Rule {
        id: RuleId::EnvArtefact,
        name: "env_artefact",
        level: Level::Artefact,
        compares: true,
        about: "a change of a manifest or of configuration that other tasks of the repository have too, or every candidate",
        ..BASE
    },
    Rule {
        id: RuleId::DepOrLock,
        name: "dep_or_lock",
        level: Level::Check,
        strong: true,
        code: Some("dependency_or_config"),
        patterns: &[
            "pyproject.toml",
            "setup.py",
            "setup.cfg",
            "requirements*.txt",
            "requirements/*.txt",
            "pipfile",
            "pipfile.lock",
            "poetry.lock",
            "uv.lock",
            "environment.yml",
            "package.json",
            "package-lock.json",
            "yarn.lock",
            "pnpm-lock.yaml",
            "cargo.toml",
            "cargo.lock",
            "go.mod",
            "go.sum",
            "pom.xml",
            "build.gradle*",
            "gemfile",
            "gemfile.lock",
            "composer.json",
            "composer.lock",
        ],
        about: "manifest or lock file changed (patterns: paths), not by the harness; info when the issue speaks of it",
        ..BASE
    },
    Rule {
        id: RuleId::ConfigCi,
        name: "config_ci",
        level: Level::Check,
        strong: true,
        code: Some("dependency_or_config"),
        patterns: &[
            ".github/**",
            ".circleci/**",
            ".gitlab-ci.yml",
            ".travis.yml",
            "azure-pipelines*.yml",
            "appveyor.yml",
            "jenkinsfile",
            "dockerfile",
            "tox.ini",
            "noxfile.py",
            "pytest.ini",
            "mypy.ini",
            ".flake8",
            ".pylintrc",
            ".coveragerc",
            ".pre-commit-config.yaml",
            ".editorconfig",
            ".gitignore",
            ".gitattributes",
            ".eslintrc*",
            ".prettierrc*",
            "tsconfig*.json",
        ],
        about: "configuration of builds, checks or tests changed (patterns: paths), not by the harness",
        ..BASE
    },
    Rule {
        id: RuleId::TestWeakened,
        name: "test_weakened",
        level: Level::Check,
        code: Some("test_tampering"),
        patterns: &[
            "-assert",
            "-self.assert",
            "-cls.assert",
            "-with pytest.raises",
            "-with raises",
            "-with self.assert",
            "-expect(",
            "-t.error",
            "-t.fatal",
            "-require.",
            "-def test",
            "-async def test",
            "-func test",
            "-#[test]",
            "-@test",
            "-it(",
            "-test(",
            "+pytest.mark.skip",
            "+pytest.mark.xfail",
            "+pytest.skip(",
            "+pytest.xfail(",
            "+unittest.skip",
            "+unittest.expectedfailure",
            "+skiptest",
            "+it.skip(",
            "+test.skip(",
            "+describe.skip(",
            "+#[ignore",
            "+t.skip(",
            "+@disabled",
            "+@ignore",
        ],
        about: "test that loses or changes an assertion, is deleted (patterns: -start of a removed line), or is skipped (+part of an added line)",
        ..BASE
    },
    Rule {
        id: RuleId::TestExtended,
        name: "test_extended",
        about: "test hunks that only add lines: reviewers want those",
        ..BASE
    },
    Rule {
        id: RuleId::GeneratedVendored,
        name: "generated_vendored",
        level: Level::Check,
        strong: true,
        code: Some("generated_file"),
        patterns: &[
            "**/vendor/**",
            "**/vendored/**",
            "**/_vendor/**",
            "**/extern/**",
            "**/third_party/**",
            "*_pb2.py",
            "*_pb2_grpc.py",
            "*.pb.go",
            "*parsetab.py",
            "*lextab.py",
            "*.min.js",
            "*.min.css",
            "**/__snapshots__/**",
            "*.snap",
        ],
        about: "generated or vendored file changed (patterns: paths; or its head says so); it may be needed",
        ..BASE
    },
    Rule {
        id: RuleId::Binary,
        name: "binary",
        level: Level::Check,
        strong: true,
        code: OUT_OF_SCOPE,
        about: "binary file",
        ..BASE
    },
    Rule {
        id: RuleId::ModeChange,
        name: "mode_change",
        code: UNNEEDED,
        about: "the mode of a file changed",
        ..BASE
    },
    Rule {
        id: RuleId::Symlink,
        name: "symlink",
        level: Level::Check,
        strong: true,
        code: OUT_OF_SCOPE,
        about: "symbolic link added, changed or removed",
        ..BASE
    },
    Rule {
        id: RuleId::Submodule,
        name: "submodule",
        level: Level::Check,
        strong: true,
        code: OUT_OF_SCOPE,
        about: "submodule added, moved or removed",
        ..BASE
    },
    Rule {
        id: RuleId::Rename,
        name: "rename",
        code: OUT_OF_SCOPE,
        about: "file renamed",
        ..BASE
    },
    Rule {
        id: RuleId::FileDeleted,
        name: "file_deleted",
        level: Level::Check,
        strong: true,
        code: OUT_OF_SCOPE,
        about: "file deleted",
        ..BASE
    },
    Rule {
        id: RuleId::WhitespaceHunk,
        name: "whitespace_hunk",
        code: UNNEEDED,
        about: "a whole hunk changes nothing but white space; people do it in fixes too",
        ..BASE
    },
    Rule {
        id: RuleId::AddsTrailingWs,
        name: "adds_trailing_ws",
        code: UNNEEDED,
        patterns: &["*.md", "*.patch", "*.diff", "*.snap", "*.txt"],
        about: "added lines that end in blanks (patterns: paths where that is no fault)",
        ..BASE
    },
    Rule {
        id: RuleId::CommentOnlyHunk,
        name: "comment_only_hunk",
        code: UNNEEDED,
        about: "a whole hunk only adds comments",
        ..BASE
    },
    Rule {
        id: RuleId::CommentReworded,
        name: "comment_reworded",
        code: UNNEEDED,
        about: "a whole hunk removes or rewords comments that were there",
        ..BASE
    },
    Rule {
        id: RuleId::DebugOutput,
        name: "debug_output",
        level: Level::Check,
        strong: true,
        code: Some("debug_leftover"),
        patterns: &[
            "print(",
            "pprint(",
            "console.log(",
            "console.debug(",
            "breakpoint()",
            "import pdb",
            "import ipdb",
            "pdb.set_trace(",
            "dbg!(",
            "println!(",
            "eprintln!(",
            "System.out.print",
            "fmt.Print",
            "var_dump(",
            "debugger;",
            "!**/cli/**",
            "!cli.py",
            "!**/bin/**",
            "!**/scripts/**",
            "!**/tools/**",
            "!**/examples/**",
            "!**/doc/**",
            "!**/docs/**",
            "!**/management/**",
            "!__main__.py",
            "!main.*",
            "!*.md",
            "!*.rst",
        ],
        about: "added output for debugging (patterns: starts of lines; ! paths of programs that print), unless the hunk printed before",
        ..BASE
    },
    Rule {
        id: RuleId::CommentedCode,
        name: "commented_code",
        level: Level::Check,
        code: Some("dead_code"),
        threshold: Some(6.0),
        about: "a removed line of at least so many characters (threshold) comes back as a comment",
        ..BASE
    },
    Rule {
        id: RuleId::Todo,
        name: "todo",
        code: Some("readability"),
        patterns: &["TODO", "FIXME", "XXX", "HACK"],
        about: "added comment that puts something off (patterns: words)",
        ..BASE
    },
    Rule {
        id: RuleId::Suppression,
        name: "suppression",
        code: Some("convention"),
        patterns: &[
            "# noqa",
            "# type: ignore",
            "# pylint: disable",
            "# pyright: ignore",
            "eslint-disable",
            "@ts-ignore",
            "@ts-expect-error",
            "#[allow(",
            "//nolint",
            "@SuppressWarnings",
        ],
        about: "added line that silences a checker (patterns: parts of lines)",
        ..BASE
    },
    Rule {
        id: RuleId::BroadExcept,
        name: "broad_except",
        code: Some("convention"),
        patterns: &[
            "except:",
            "except Exception",
            "except BaseException",
            "catch (Exception",
            "catch (Throwable",
            "catch (...)",
        ],
        about: "added handler that catches every error (patterns: parts of lines)",
        ..BASE
    },
    Rule {
        id: RuleId::ImportReorder,
        name: "import_reorder",
        code: UNNEEDED,
        patterns: &[
            "import ",
            "from ",
            "use ",
            "#include ",
            "require ",
            "using ",
        ],
        about: "a hunk only permutes imports (patterns: starts of lines)",
        ..BASE
    },
    Rule {
        id: RuleId::SizeOutlier,
        name: "size_outlier",
        level: Level::Check,
        compares: true,
        code: Some("overengineered"),
        threshold: Some(2.0),
        about: "changes more than so many times (threshold) the lines of the median, and 10 more; tests left out, from 3 passing on",
        ..BASE
    },
    Rule {
        id: RuleId::FileUnique,
        name: "file_unique",
        compares: true,
        code: OUT_OF_SCOPE,
        threshold: Some(3.0),
        about: "source file that no other passing candidate touches, from so many passing on (threshold)",
        ..BASE
    },
    Rule {
        id: RuleId::RegionUnique,
        name: "region_unique",
        on: false,
        compares: true,
        code: OUT_OF_SCOPE,
        threshold: Some(3.0),
        about: "place of the base that no other passing candidate touches within 3 lines, from so many passing on (threshold)",
        ..BASE
    },
    Rule {
        id: RuleId::ExtraRegion,
        name: "extra_region",
        level: Level::Check,
        compares: true,
        code: OUT_OF_SCOPE,
        threshold: Some(3.0),
        about: "such a place, by a candidate that also covers every place that most touch; from so many passing on (threshold); info when several policies compete",
        ..BASE
    },
    Rule {
        id: RuleId::ExtraRegionWeak,
        name: "extra_region_weak",
        compares: true,
        code: OUT_OF_SCOPE,
        threshold: Some(3.0),
        about: "as extra_region, with failing candidates as evidence where fewer pass; from so many candidates on (threshold)",
        ..BASE
    },
    Rule {
        id: RuleId::FileNotInGold,
        name: "file_not_in_gold",
        on: false,
        compares: true,
        code: OUT_OF_SCOPE,
        about: "source file that the reference patch does not touch; other right solutions do that too",
        ..BASE
    },
    Rule {
        id: RuleId::RegionNotInGold,
        name: "region_not_in_gold",
        on: false,
        compares: true,
        code: OUT_OF_SCOPE,
        about: "place that the reference patch does not touch; other right solutions do that too",
        ..BASE
    },
    Rule {
        id: RuleId::FileNotInIssue,
        name: "file_not_in_issue",
        on: false,
        compares: true,
        about: "source file that the issue text does not name; reference patches do that as often",
        ..BASE
    },
];

impl RuleId {
    /// The rule.
    #[must_use]
    pub fn rule(self) -> &'static Rule {
        let place = self as usize;
        RULES.get(place).unwrap_or(&RULES[0])
    }
}

/// The rule of this name.
#[must_use]
pub fn rule(name: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.name == name)
}

/// The place of a remark in the order in which remarks are looked through: strong ones, weakened
/// tests, extra places, outliers in size, what else is worth a look, the rest, artefacts
/// (`grader-and-scope.md` 4.4).
#[must_use]
pub fn triage(name: &str, level: Level) -> u8 {
    let found = rule(name);
    match (level, found) {
        (Level::Artefact, _) => 6,
        (Level::Info, _) => 5,
        (Level::Check, Some(rule)) if rule.strong => 0,
        (Level::Check, Some(rule)) => match rule.id {
            RuleId::TestWeakened => 1,
            RuleId::ExtraRegion => 2,
            RuleId::SizeOutlier => 3,
            _ => 4,
        },
        (Level::Check, None) => 4,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::domain::rubric::Rubric;

    #[test]
    fn the_table_is_in_the_order_of_the_ids_and_names_codes_that_exist() {
        let rubric = Rubric::default();
        let mut names = BTreeSet::new();
        for (place, rule) in RULES.iter().enumerate() {
            assert_eq!(rule.id as usize, place, "{}", rule.name);
            assert!(names.insert(rule.name), "{} stands there twice", rule.name);
            assert!(!rule.about.is_empty());
            if let Some(code) = rule.code {
                assert!(rubric.find(code).is_some(), "{code}");
            }
        }
    }

    #[test]
    fn strong_remarks_come_first_and_artefacts_last() {
        let order = [
            ("stray_file", Level::Check),
            ("test_weakened", Level::Check),
            ("extra_region", Level::Check),
            ("size_outlier", Level::Check),
            ("commented_code", Level::Check),
            ("extra_region", Level::Info),
            ("env_artefact", Level::Artefact),
        ];
        let places: Vec<u8> = order.map(|(name, level)| triage(name, level)).to_vec();
        assert_eq!(places, [0, 1, 2, 3, 4, 5, 6]);
    }
}
