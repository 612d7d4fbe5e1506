use std::fs;
use std::path::Path;
use std::process::Command;

use super::*;
use crate::domain::TaskContent;

/// Runs git in a folder; `None` where there is no git.
fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .current_dir(folder)
        .args([
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@t",
            "-c",
            "init.defaultBranch=main",
        ])
        .args(["-c", "commit.gpgsign=false"])
        .args(arguments)
        .output()
        .ok()?;
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// A repository `own/er.git` style work tree with two commits; the first one's id.
fn repository(folder: &Path) -> Option<String> {
    fs::create_dir_all(folder.join("src")).unwrap();
    git(folder, &["init", "-q"])?;
    fs::write(folder.join("src/a b.py"), "one\ntwo\n").unwrap();
    fs::write(folder.join("bytes"), b"\0\x01").unwrap();
    git(folder, &["add", "."])?;
    git(folder, &["commit", "-qm", "first"])?;
    let first = git(folder, &["rev-parse", "HEAD"])?;
    fs::write(folder.join("src/a b.py"), "changed\n").unwrap();
    git(folder, &["commit", "-qam", "second"])?;
    Some(first)
}

fn task(commit: &str) -> TaskSummary {
    TaskSummary {
        repo: Some("own/er".to_owned()),
        base_commit: Some(commit.to_owned()),
        ..TaskSummary::default()
    }
}

fn repos(place: &Path) -> BaseRepos {
    let mut repos = BaseRepos::default();
    repos.insert("own/er", place.to_owned());
    repos
}

const PATHS: [&str; 4] = ["src/a b.py", "bytes", "not there", "src"];

#[test]
fn files_come_from_the_base_commit() {
    let folder = tempfile::tempdir().unwrap();
    let work = folder.path().join("own__er");
    let Some(commit) = repository(&work) else {
        return;
    };
    let bundle = folder.path().join("er.bundle");
    git(
        &work,
        &["bundle", "create", "-q", &bundle.to_string_lossy(), "--all"],
    )
    .unwrap();
    let mut pattern = BaseRepos::default();
    pattern.insert("*", folder.path().join("{repo}"));
    for repos in [repos(&work), repos(&bundle), pattern] {
        let content = Content::default();
        let (bases, problems) = bases_of(&task(&commit), &content, &repos, PATHS);
        assert_eq!(bases.len(), 1, "{problems:?}");
        let base = bases.get("src/a b.py").unwrap();
        assert_eq!(
            (&**base.text(), base.origin()),
            ("one\ntwo\n", BaseOrigin::Repository)
        );
        assert_eq!(
            problems,
            [
                format!("base not known, not in commit {}: not there", &commit[..12]),
                "base not known, no text: bytes, src".to_owned(),
            ]
        );
    }
}

#[test]
fn the_record_counts_before_the_repository() {
    let folder = tempfile::tempdir().unwrap();
    let Some(commit) = repository(folder.path()) else {
        return;
    };
    let content = Content {
        task: TaskContent {
            base_files: vec![("src/a b.py".to_owned(), "record\n".to_owned())],
            ..TaskContent::default()
        },
        ..Content::default()
    };
    let (bases, problems) = bases_of(&task(&commit), &content, &repos(folder.path()), PATHS);
    let base = bases.get("src/a b.py").unwrap();
    assert_eq!(
        (&**base.text(), base.origin()),
        ("record\n", BaseOrigin::Record)
    );
    assert_eq!(problems.len(), 2);
    let (bases, problems) = bases_of(&task(&commit), &content, &BaseRepos::default(), PATHS);
    assert_eq!((bases.len(), problems.len()), (1, 0));
}

#[test]
fn what_cannot_be_read_is_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let work = folder.path().join("work");
    if repository(&work).is_none() {
        return;
    }
    let said = |task: &TaskSummary, place: &Path| {
        let (bases, problems) = bases_of(task, &Content::default(), &repos(place), ["a"]);
        assert!(bases.is_empty());
        let [problem] = &problems[..] else {
            panic!("{problems:?}");
        };
        problem.clone()
    };
    let missing = "0123456789abcdef0123456789abcdef01234567";
    assert!(said(&task(missing), &work).contains("commit 0123456789"));
    assert!(said(&task("--help"), &work).contains("`--help` is no commit id"));
    assert!(said(&task(missing), &folder.path().join("none")).contains("there is nothing"));
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).unwrap();
    fs::write(empty.join(".git"), "gitdir: nowhere\n").unwrap();
    assert!(said(&task(missing), &empty).starts_with("base unusable: "));
    let file = folder.path().join("x.bundle");
    fs::write(&file, "no bundle\n").unwrap();
    assert!(said(&task(missing), &file).starts_with("base unusable: "));
    let none = TaskSummary {
        base_commit: None,
        ..task(missing)
    };
    assert_eq!(
        said(&none, &work),
        "base unusable: the task names no base commit"
    );
}

#[test]
fn a_path_cannot_ask_for_something_else() {
    let folder = tempfile::tempdir().unwrap();
    let Some(commit) = repository(folder.path()) else {
        return;
    };
    let path = "x\nHEAD:src/a b.py";
    let (bases, problems) = bases_of(
        &task(&commit),
        &Content::default(),
        &repos(folder.path()),
        [path, "src/a b.py"],
    );
    assert_eq!(bases.len(), 1);
    assert_eq!(problems.len(), 1);
}
