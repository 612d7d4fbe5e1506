//! `gagar assign`, `gagar gold`, `gagar log` and the states in `gagar groups`.

#![cfg(feature = "cli")]

use std::ffi::OsString;
use std::path::Path;

use gagar::cli::{Io, run};
use serde_json::Value;

const NATIVE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/sample-data/native");

/// Exit code, stdout, stderr; errors are told as the program does.
fn gagar(args: &[&str]) -> (u8, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let args = std::iter::once("gagar").chain(args.iter().copied());
    let ending = run(
        args.map(OsString::from),
        &mut Io {
            out: &mut out,
            err: &mut err,
        },
    );
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let (out, mut err) = (text(out), text(err));
    let code = match ending {
        Ok(ending) => ending.code(),
        Err(error) => {
            err.push_str(&error.to_string());
            9
        }
    };
    (code, out, err)
}

fn json(text: &str) -> Vec<Value> {
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).display().to_string()
}

#[test]
fn an_assignment_is_written_the_same_again_and_its_status_told() {
    let folder = tempfile::tempdir().unwrap();
    let (file, again) = (
        path(folder.path(), "a.jsonl"),
        path(folder.path(), "b.jsonl"),
    );
    let db = path(folder.path(), "j.db");
    let assign = |out: &str| {
        gagar(&[
            "assign",
            NATIVE,
            "--annotators",
            "ada,bob,carl",
            "--overlap",
            "2",
            "--seed",
            "7",
            "--blind",
            "--db",
            &db,
            "-o",
            out,
        ])
    };
    let (code, out, err) = assign(&file);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("5 groups, 2 annotators each"), "{out}");
    assign(&again);
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(text, std::fs::read_to_string(&again).unwrap());
    let rows = json(&text);
    assert_eq!(rows.len(), 10);
    assert_eq!(rows[0]["schema"], "gagar.assignment/1");
    assert_eq!(rows[0]["position"], 1);
    assert_eq!(rows[0]["blind"], true);
    let first = rows.iter().find(|row| row["annotator"] == "bob").unwrap();
    let group = first["group_id"].as_str().unwrap();

    // Bob ranks one of his.
    let groups = std::fs::read_to_string(format!("{NATIVE}/groups.jsonl")).unwrap();
    let data = json(&groups)
        .into_iter()
        .find(|data| data["group_id"] == group)
        .unwrap();
    let passing = data["trajectories"].as_array().unwrap().iter();
    let passing: Vec<&Value> = passing
        .filter(|t| t["outcome"] == "pass")
        .map(|t| &t["trajectory_id"])
        .collect();
    let tiers = serde_json::json!([passing]).to_string();
    let (code, _, err) = gagar(&[
        "rank",
        NATIVE,
        "--group",
        group,
        "--tiers",
        &tiers,
        "--annotator",
        "bob",
        "--db",
        &db,
    ]);
    assert_eq!(code, 0, "{err}");
    let (code, out, err) = gagar(&["assign", "--status", &file, "--db", &db, "--json"]);
    assert_eq!(code, 0, "{err}");
    let done = json(&out);
    let bob = done.iter().find(|done| done["annotator"] == "bob").unwrap();
    assert_eq!(bob["submitted"], 1);
    assert_eq!(
        bob["unseen"].as_u64().unwrap() + 1,
        bob["assigned"].as_u64().unwrap()
    );
    let (code, out, _) = gagar(&["assign", &file, "--status", "--db", &db]);
    assert_eq!(code, 0);
    assert!(out.contains("focused time"), "{out}");

    let (_, _, err) = gagar(&[
        "assign",
        NATIVE,
        "--annotators",
        "a,b",
        "--overlap",
        "3",
        "-o",
        &again,
    ]);
    assert!(err.contains("3 annotators a group are wanted"), "{err}");
    std::fs::write(&again, "{\"schema\":\"gagar.assignment/1\"}\n").unwrap();
    let (_, _, err) = gagar(&["assign", "--status", &again, "--db", &db]);
    assert!(err.contains("line 1"), "{err}");
}

#[test]
fn known_rankings_are_set_listed_and_removed_and_open_no_group() {
    let folder = tempfile::tempdir().unwrap();
    let db = path(folder.path(), "j.db");
    let file = path(folder.path(), "known.jsonl");
    let groups = std::fs::read_to_string(format!("{NATIVE}/groups.jsonl")).unwrap();
    let data = &json(&groups)[0];
    let group = data["group_id"].as_str().unwrap();
    let passing = data["trajectories"].as_array().unwrap().iter();
    let passing: Vec<String> = passing
        .filter(|t| t["outcome"] == "pass")
        .map(|t| t["trajectory_id"].as_str().unwrap().to_owned())
        .collect();
    let tiers: Vec<Vec<String>> = passing.iter().map(|id| vec![id.clone()]).collect();
    let line = serde_json::json!({
        "schema": "gagar.ranking/1", "group_id": group, "status": "ok",
        "grader": { "name": "planted", "kind": "human" },
        "tiers": tiers, "unranked": [], "not_eligible": [], "shown_order": passing,
    });
    std::fs::write(&file, format!("{line}\n")).unwrap();
    let base = ["gold", NATIVE, "--db", &db, "--annotator", "lead"];
    let gold = |more: &[&str]| gagar(&[&base[..], more].concat());
    let (code, out, err) = gold(&["--rankings", &file, "--reason", "planted edit"]);
    assert!(code <= 1, "{err}");
    assert!(out.contains("1 ranking known"), "{out}{err}");
    let (_, out, _) = gagar(&["gold", "--list", "--db", &db, "--json"]);
    let listed = json(&out);
    assert_eq!(listed[0]["group_id"], group);
    assert_eq!(listed[0]["tiers"], serde_json::json!(tiers));
    assert_eq!(listed[0]["reason"], "planted edit");
    // Nobody opened the group by it.
    let (_, out, _) = gagar(&["log", "--db", &db, "--json"]);
    let kinds: Vec<Value> = json(&out)
        .into_iter()
        .map(|line| line["kind"].clone())
        .collect();
    assert_eq!(kinds, ["gold.set"]);
    let (code, out, err) = gold(&["--group", group, "--remove"]);
    assert!(code <= 1 && out.contains("no longer known"), "{out}{err}");
    let (_, out, err) = gagar(&["gold", "--list", "--db", &db]);
    assert!(
        out.is_empty() && err.contains("no ranking is known"),
        "{out}{err}"
    );
    let (_, _, err) = gold(&[]);
    assert!(err.contains("--rankings FILE"), "{err}");
}

#[test]
fn the_log_tells_who_when_before_and_after() {
    let folder = tempfile::tempdir().unwrap();
    let db = path(folder.path(), "j.db");
    let groups = std::fs::read_to_string(format!("{NATIVE}/groups.jsonl")).unwrap();
    let data = &json(&groups)[0];
    let group = data["group_id"].as_str().unwrap();
    let passing = data["trajectories"].as_array().unwrap().iter();
    let passing: Vec<String> = passing
        .filter(|t| t["outcome"] == "pass")
        .map(|t| t["trajectory_id"].as_str().unwrap().to_owned())
        .collect();
    for tiers in [
        serde_json::json!([[passing[0]], [passing[1]]]),
        serde_json::json!([[passing[1], passing[0]]]),
    ] {
        let tiers = tiers.to_string();
        let (code, _, err) = gagar(&[
            "rank",
            NATIVE,
            "--group",
            group,
            "--tiers",
            &tiers,
            "--annotator",
            "ada",
            "--db",
            &db,
        ]);
        assert!(code <= 1, "{err}");
    }
    let (code, out, err) = gagar(&["log", "--db", &db]);
    assert_eq!(code, 0, "{err}");
    let (a, b) = (&passing[0], &passing[1]);
    assert!(
        out.contains(&format!("ada  {group}  ranked: {a} > {b}\n")),
        "{out}"
    );
    assert!(out.contains(&format!(": {a} > {b} → {b} = {a}\n")), "{out}");
    let (_, out, _) = gagar(&["log", "--db", &db, "--json", "--annotator", "ada", NATIVE]);
    let lines = json(&out);
    assert!(
        lines
            .iter()
            .all(|line| line["at"].as_str().unwrap().ends_with('Z'))
    );
    assert_eq!(lines[0]["kind"], "group.open");
    let (_, out, err) = gagar(&["log", "--db", &db, "--since", "2999-01-01"]);
    assert!(
        out.is_empty() && err.contains("nothing is recorded"),
        "{out}{err}"
    );
    let (code, _, err) = gagar(&["log", "--db", &db, "--since", "soon"]);
    assert!(code == 2 && err.contains("no time like"), "{err}");
    let (code, _, err) = gagar(&["log", "--db", &path(folder.path(), "none.db")]);
    assert!(code == 9 && err.contains("no such database"), "{err}");
}

#[cfg(feature = "tui")]
#[test]
fn groups_tell_what_was_skipped_and_flagged() {
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("j.db");
    let mut harness = gagar::tui::testing::Harness::open_with_db(&[NATIVE], 120, 40, &db).unwrap();
    harness.press("<enter>*").press("odd<enter>X").press("1");
    let db = db.display().to_string();
    let (_, out, _) = gagar(&[
        "groups",
        NATIVE,
        "--db",
        &db,
        "--annotator",
        "ann",
        "--json",
    ]);
    let lines = json(&out);
    let skipped: Vec<_> = lines
        .iter()
        .filter(|line| line["state"] == "skipped")
        .collect();
    assert_eq!(skipped.len(), 1);
    assert_eq!(skipped[0]["skipped"], "cannot judge");
    assert_eq!(skipped[0]["flagged"], "odd");
    let (_, out, _) = gagar(&["groups", NATIVE, "--db", &db, "--annotator", "ann"]);
    assert!(
        out.contains("skipped (cannot judge) * flagged (odd)"),
        "{out}"
    );
}
