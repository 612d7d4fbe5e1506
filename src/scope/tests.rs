//! Each rule at a patch that it is about and at one that only looks like it.

use std::sync::Arc;

use super::*;
use crate::diff::{Bases, CandidatePatch};
use crate::domain::scope::Level;
use crate::domain::{Extra, GroupId, Outcome, TaskSummary, Trajectory};

/// A group of patches (passing or not) beside what is known of its task.
#[derive(Default)]
struct Scene {
    patches: Vec<(bool, String)>,
    policies: Vec<&'static str>,
    reference: Option<String>,
    issue: Option<&'static str>,
}

impl Scene {
    fn alone(patch: &str) -> Self {
        Self::passing(&[patch])
    }

    fn passing(patches: &[&str]) -> Self {
        let patches = patches.iter().map(|patch| (true, (*patch).to_owned()));
        Self {
            patches: patches.collect(),
            ..Self::default()
        }
    }

    fn group(&self) -> RolloutGroup {
        let trajectories = self.patches.iter().enumerate().map(|(index, (passes, _))| {
            let outcome = if *passes {
                Outcome::Pass
            } else {
                Outcome::Fail
            };
            let mut trajectory = Trajectory::new(format!("t{index}"), outcome);
            trajectory.policy = self.policies.get(index).map(|&name| name.to_owned());
            trajectory
        });
        RolloutGroup {
            id: GroupId("owner__repo-1".to_owned()),
            step: None,
            task: TaskSummary::default(),
            trajectories: trajectories.collect(),
            fingerprint: String::new(),
            meta: Extra::default(),
        }
    }

    fn patches(&self) -> Vec<Arc<Patch>> {
        let read = |text: &str| Arc::new(Patch::read(Arc::from(text)));
        self.patches.iter().map(|(_, text)| read(text)).collect()
    }

    fn ask(&self, rules: &Rules, elsewhere: Option<(&Elsewhere, usize)>) -> Vec<Remark> {
        let (group, patches) = (self.group(), self.patches());
        let reference = self.reference.as_deref();
        let reference = reference.map(|text| Arc::new(Patch::read(Arc::from(text))));
        let all = patches.iter().chain(&reference).enumerate();
        let candidates: Vec<_> = all
            .map(|(index, patch)| CandidatePatch {
                patch: Arc::clone(patch),
                passing: self.patches.get(index).is_some_and(|(passes, _)| *passes),
            })
            .collect();
        let aligned = Aligned::of(&candidates, &Bases::default());
        let results = Results::of(&aligned);
        let input = Input {
            group: &group,
            patches: &patches,
            on_base: Some((&aligned, &results)),
            reference: reference.as_deref(),
            issue: self.issue,
            elsewhere,
        };
        remarks(&input, rules)
    }

    /// What one rule says.
    fn of(&self, id: RuleId) -> Vec<Remark> {
        let mut found = self.ask(&Rules::default().all_on(), None);
        found.retain(|remark| remark.rule == id.rule().name);
        found
    }
}

fn added(path: &str, lines: &[&str]) -> String {
    let body: String = lines.iter().map(|line| format!("+{line}\n")).collect();
    format!(
        "diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{} \
         @@\n{body}",
        lines.len()
    )
}

fn deleted(path: &str) -> String {
    format!(
        "diff --git a/{path} b/{path}\ndeleted file mode 100644\n--- a/{path}\n+++ /dev/null\n@@ -1,1 \
         +0,0 @@\n-x\n"
    )
}

/// A hunk of a file at a line; the body's lines have their signs.
fn changed_at(path: &str, line: u32, body: &[&str]) -> String {
    let count = |signs: [char; 2]| {
        let lines = body.iter().filter(|line| line.starts_with(signs));
        lines.count()
    };
    let (old, new) = (count([' ', '-']), count([' ', '+']));
    let body: String = body.iter().map(|line| format!("{line}\n")).collect();
    format!("--- a/{path}\n+++ b/{path}\n@@ -{line},{old} +{line},{new} @@\n{body}")
}

fn changed(path: &str, body: &[&str]) -> String {
    changed_at(path, 10, body)
}

#[test]
fn rules_about_one_patch_tell_what_they_are_about_from_what_looks_like_it() {
    use RuleId::{
        AddsTrailingWs, Binary, BroadExcept, CommentOnlyHunk, CommentReworded, CommentedCode,
        ConfigCi, DebugOutput, DepOrLock, FileDeleted, GeneratedVendored, ImportReorder, JunkFile,
        ModeChange, Rename, StrayFile, Submodule, Suppression, Symlink, TestExtended, TestWeakened,
        Todo, WhitespaceHunk,
    };
    let plain = changed("src/a.py", &[" a", "-b", "+c"]);
    let mode =
        |old: &str, new: &str| format!("diff --git a/x b/x\nold mode {old}\nnew mode {new}\n");
    let new_with_mode = |mode: &str, body: &str| {
        format!(
            "diff --git a/x b/x\nnew file mode {mode}\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+{body}\n"
        )
    };
    let cases: Vec<(RuleId, String, String)> = vec![
        (StrayFile, added("verify_fix.py", &["x"]), added("src/verify.py", &["x"])),
        (StrayFile, added("src/repro_1.py", &["x"]), changed("setup_tools.py", &["-a", "+b"])),
        (JunkFile, added("pkg/__pycache__/a.pyc", &["x"]), added("pkg/builder/a.py", &["x"])),
        (JunkFile, added("a.py.orig", &["x"]), changed("a.py.orig", &["-a", "+b"])),
        (DepOrLock, changed("pyproject.toml", &["-a", "+b"]), changed("src/project.toml", &["-a", "+b"])),
        (ConfigCi, deleted(".coveragerc"), changed("docs/tox.ini.rst", &["-a", "+b"])),
        (
            TestWeakened,
            changed("tests/test_a.py", &["-    assert f(1) == 2", "+    assert f(1) == 3"]),
            // Shifted, not changed.
            changed("tests/test_a.py", &["-assert f(1) == 2", "+with x:", "+    assert f(1) == 2"]),
        ),
        (
            TestWeakened,
            changed("tests/test_a.py", &["+@pytest.mark.skip(reason='x')", " def test_a():"]),
            changed("src/a.py", &["-assert x", "+assert y"]),
        ),
        (
            TestWeakened,
            changed("tests/test_a.py", &["-def test_a():", "-    pass", " x"]),
            // Another argument: it is the same test.
            changed("tests/test_a.py", &["-def test_a():", "+def test_a(tmp):"]),
        ),
        (
            TestExtended,
            changed("tests/test_a.py", &[" a", "+    assert 1"]),
            changed("tests/test_a.py", &["-a", "+b"]),
        ),
        (GeneratedVendored, changed("x/_vendor/a.py", &["-a", "+b"]), changed("x/vendors.py", &["-a", "+b"])),
        (
            GeneratedVendored,
            changed_at("a.py", 1, &[" # This file was generated. Do not edit.", "-a", "+b"]),
            changed_at("a.py", 100, &[" # This file was generated. Do not edit.", "-a", "+b"]),
        ),
        (
            Binary,
            "diff --git a/x.png b/x.png\nindex 1..2 100644\nBinary files a/x.png and b/x.png differ\n".to_owned(),
            plain.clone(),
        ),
        (ModeChange, mode("100644", "100755"), mode("120000", "100644")),
        (Symlink, new_with_mode("120000", "target"), new_with_mode("100644", "target")),
        (
            Submodule,
            new_with_mode("160000", "Subproject commit 0123456789012345678901234567890123456789"),
            plain.clone(),
        ),
        (
            Rename,
            "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n".to_owned(),
            "diff --git a/x b/y\nsimilarity index 100%\ncopy from x\ncopy to y\n".to_owned(),
        ),
        (FileDeleted, deleted("src/a.py"), plain.clone()),
        (
            WhitespaceHunk,
            changed("a.py", &["-f( a )", "+f(a)"]),
            // Only a part of the hunk.
            changed("a.py", &["-f( a )", "+f(a)", "+g()"]),
        ),
        (WhitespaceHunk, changed("a.py", &[" a", "+", " b"]), added("a.py", &[""])),
        (
            AddsTrailingWs,
            changed("a.py", &["-a", "+b  "]),
            // It ended so before.
            changed("a.py", &["-b  ", " x", "+b  "]),
        ),
        (AddsTrailingWs, changed("a.py", &[" a", "+\t"]), changed("a.md", &["-a", "+b  "])),
        (
            CommentOnlyHunk,
            changed("a.py", &[" a", "+# why"]),
            changed("a.py", &[" a", "+# why", "+b"]),
        ),
        (
            CommentReworded,
            changed("a.py", &["-# why", "+# because"]),
            changed("a.md", &["-# why", "+# because"]),
        ),
        (
            DebugOutput,
            changed("src/a.py", &[" a", "+    print(a)"]),
            // It printed before.
            changed("src/a.py", &["-    print(a)", "+    print(a, b)"]),
        ),
        (
            DebugOutput,
            changed("src/a.js", &[" a", "+  console.log(a);"]),
            changed("src/cli/a.py", &[" a", "+    print(a)"]),
        ),
        (
            CommentedCode,
            changed("a.py", &["-value = compute()", "+# value = compute()"]),
            // Prose that only looks like code.
            changed("a.py", &["-x = 1", "+# key__isnull=False: it is set", "+x = 2"]),
        ),
        (
            Todo,
            changed("a.py", &[" a", "+b  # TODO: later"]),
            changed("a.py", &[" a", "+TODO_LIST = [1]"]),
        ),
        (
            Suppression,
            changed("a.py", &[" a", "+import b  # noqa"]),
            changed("a.py", &["-import b  # noqa", "+import c  # noqa"]),
        ),
        (
            BroadExcept,
            changed("a.py", &[" try:", "+except Exception:", "+    pass"]),
            // Shifted.
            changed("a.py", &["-except Exception:", "+    except Exception:"]),
        ),
        (
            ImportReorder,
            changed("a.py", &["-import b", "-import a", "+import a", "+import b"]),
            changed("a.py", &["-import b", "-import a", "+import a", "+import c"]),
        ),
    ];
    for (id, about, near) in cases {
        let name = id.rule().name;
        let found = Scene::alone(&about).of(id);
        assert!(!found.is_empty(), "{name} says nothing of\n{about}");
        assert!(found.iter().all(|remark| !remark.reason.is_empty()));
        let found = Scene::alone(&near).of(id);
        assert!(found.is_empty(), "{name} says {found:?} of\n{near}");
    }
}

#[test]
fn a_dependency_that_the_issue_speaks_of_is_no_reason_to_check() {
    let mut scene = Scene::alone(&changed("setup.cfg", &["-a", "+b"]));
    assert_eq!(scene.of(RuleId::DepOrLock)[0].level, Level::Check);
    scene.issue = Some("Bump the dependency on numpy");
    assert_eq!(scene.of(RuleId::DepOrLock)[0].level, Level::Info);
}

#[test]
fn a_shifted_block_is_told_as_a_reindent() {
    let patch = changed("a.py", &["-a = 1", "-b = 2", "+    a = 1", "+    b = 2"]);
    let found = Scene::alone(&patch).of(RuleId::WhitespaceHunk);
    assert!(found[0].reason.starts_with("reindent: 2 lines"));
    assert_eq!((found[0].lines, found[0].is_old), (Some((10, 11)), false));
}

#[test]
fn the_lines_of_a_stray_file_are_not_told_beside_it() {
    let patch = added("repro.py", &["print(1)", "x = 1  "]);
    let found = Scene::alone(&patch).ask(&Rules::default(), None);
    let rules: Vec<_> = found.iter().map(|remark| remark.rule).collect();
    assert_eq!(rules, ["stray_file"]);
}

#[test]
fn what_all_candidates_add_is_the_scaffolds_and_told_once() {
    let file = added("agent.json", &["{}"]);
    let with = |body: &str| format!("{file}{}", changed("src/a.py", &["-a", body]));
    let patches = [with("+b"), with("+c"), with("+d")];
    let mut scene = Scene::passing(&patches.each_ref().map(String::as_str));
    scene.patches[2].0 = false;
    let found = scene.ask(&Rules::default(), None);
    let artefacts: Vec<_> = found
        .iter()
        .filter(|remark| remark.level == Level::Artefact)
        .collect();
    assert_eq!(artefacts.len(), 1);
    assert_eq!(artefacts[0].rule, "scaffold_artefact");
    assert_eq!(
        (artefacts[0].trajectory, &artefacts[0].also[..]),
        (0, &[1, 2][..])
    );
    assert!(!found.iter().any(|remark| remark.rule == "stray_file"));
    // One of three is a stray file.
    let patches = [
        with("+b"),
        changed("src/a.py", &["-a", "+c"]),
        changed("src/a.py", &["-a", "+d"]),
    ];
    let scene = Scene::passing(&patches.each_ref().map(String::as_str));
    assert!(scene.of(RuleId::ScaffoldArtefact).is_empty());
    assert_eq!(scene.of(RuleId::StrayFile).len(), 1);
    // The same patch three times agrees on everything, the fix too.
    let scene = Scene::passing(&[&patches[0], &patches[0], &patches[0]]);
    assert!(scene.of(RuleId::ScaffoldArtefact).is_empty());
    // What the reference adds is no artefact.
    let patches = [with("+b"), with("+c"), with("+d")];
    let mut scene = Scene::passing(&patches.each_ref().map(String::as_str));
    scene.reference = Some(file);
    assert!(scene.of(RuleId::ScaffoldArtefact).is_empty());
}

#[test]
fn a_scaffolds_file_with_the_number_of_its_run_is_an_artefact_too() {
    let own = |run: &str| {
        let url = format!("\"url\": \"http://127.0.0.1:12740/run/{run}/v1\"");
        added("agent.json", &["{", &url, "}"])
    };
    let with =
        |run: &str, body: &str| format!("{}{}", own(run), changed("src/a.py", &["-a", body]));
    let patches = [with("0-1", "+b"), with("0-3", "+c"), with("0-4", "+b")];
    let scene = Scene::passing(&patches.each_ref().map(String::as_str));
    let found = scene.of(RuleId::ScaffoldArtefact);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].also, [1, 2]);
    assert!(found[0].reason.ends_with(", but for numbers"), "{found:?}");
    // The same fix three times agrees on everything, whatever the scaffold's number.
    let module = added("src/new.py", &["x"]);
    let patches = ["0-1", "0-2", "0-3"].map(|run| format!("{}{module}", own(run)));
    let scene = Scene::passing(&patches.each_ref().map(String::as_str));
    assert!(scene.of(RuleId::ScaffoldArtefact).is_empty());
    // Different words are different files.
    let patches = ["left", "right", "middle"].map(|word| {
        let fix = changed("src/a.py", &["-a", &format!("+{word}")]);
        format!("{}{fix}", added("notes.md", &[word]))
    });
    let scene = Scene::passing(&patches.each_ref().map(String::as_str));
    assert!(scene.of(RuleId::ScaffoldArtefact).is_empty());
}

#[test]
fn a_file_of_which_all_is_told_as_an_artefact_is_not_told_as_unique() {
    let rules = Rules::default().all_on();
    let fix = |value: &str| changed("src/a.py", &["-a", value]);
    let setup = changed("tox.ini", &["-pytest", "+pytest -rA"]);
    let own = format!("{}{setup}", fix("+b"));
    let scene = Scene::passing(&[&own, &fix("+c"), &fix("+d")]);
    let mut elsewhere = Elsewhere::default();
    elsewhere.note(0, &scene.group(), &scene.patches(), &rules);
    let unique = |elsewhere: &Elsewhere| {
        let found = scene.ask(&rules, Some((elsewhere, 0)));
        let unique = RuleId::FileUnique.rule().name;
        found.iter().filter(|of| of.rule == unique).count()
    };
    assert_eq!(unique(&elsewhere), 1);
    let other = Scene::alone(&setup);
    elsewhere.note(1, &other.group(), &other.patches(), &rules);
    assert_eq!(unique(&elsewhere), 0);
}

#[test]
fn a_file_without_a_name_is_no_place() {
    let bare = "@@ -1 +1 @@\n-a\n+b\n";
    let fix = |value: &str| changed("src/a.py", &["-a", value]);
    let scene = Scene::passing(&[bare, &fix("+c"), &fix("+d")]);
    let found = scene.ask(&Rules::default().all_on(), None);
    let nowhere = |remark: &&Remark| remark.file.is_some() && remark.path.is_empty();
    assert_eq!(found.iter().find(nowhere), None);
}

#[test]
fn configuration_that_other_tasks_change_alike_is_the_harness_own() {
    let rules = Rules::default();
    let scene = Scene::alone(&changed("tox.ini", &["-pytest", "+pytest -rA"]));
    let mut elsewhere = Elsewhere::default();
    assert!(elsewhere.note(0, &scene.group(), &scene.patches(), &rules));
    let names = |elsewhere: &Elsewhere| -> Vec<&str> {
        let found = scene.ask(&rules, Some((elsewhere, 0)));
        found.iter().map(|remark| remark.rule).collect()
    };
    // Its own change is no other task's.
    assert_eq!(names(&elsewhere), ["config_ci"]);
    // At another line of another task.
    let other = Scene::alone(&changed_at("tox.ini", 40, &["-pytest", "+pytest -rA"]));
    elsewhere.note(1, &other.group(), &other.patches(), &rules);
    assert_eq!(names(&elsewhere), ["env_artefact"]);
    let mut joined = Elsewhere::default();
    joined.join(elsewhere);
    assert_eq!(names(&joined), ["env_artefact"]);
    let plain = Scene::alone(&changed("a.py", &["-a", "+b"]));
    assert!(!joined.note(2, &plain.group(), &plain.patches(), &rules));
}

/// Three that fix lines 10 and 40; `more` also has a hunk further down.
fn consensus(more: &str) -> Scene {
    let fix = |value: &str| {
        let first = changed_at("src/a.py", 10, &["-a", &format!("+{value}")]);
        let second = "@@ -40,1 +40,1 @@\n-x\n+y\n";
        format!("{first}{second}")
    };
    let (b, c, d) = (fix("b"), fix("c"), fix("d"));
    Scene::passing(&[&b, &c, &format!("{d}{more}")])
}

#[test]
fn an_extra_place_is_told_of_who_covers_the_consensus_too() {
    let scene = consensus("@@ -90,1 +90,1 @@\n-m\n+n\n");
    let found = scene.of(RuleId::ExtraRegion);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].trajectory, found[0].lines), (2, Some((90, 90))));
    assert_eq!((found[0].level, found[0].hunk), (Level::Check, Some(2)));
    // Beside a place that others touch it is the same place.
    assert!(
        consensus("@@ -43,1 +43,1 @@\n-m\n+n\n")
            .of(RuleId::ExtraRegion)
            .is_empty()
    );
    // The same fix in another place: it lacks what the others have.
    let mut scene = consensus("");
    scene.patches[2].1 = changed_at("src/a.py", 90, &["-m", "+n"]);
    assert!(scene.of(RuleId::ExtraRegion).is_empty());
    assert_eq!(scene.of(RuleId::RegionUnique).len(), 1);
    // In tests more is welcome.
    let tests = changed("tests/test_a.py", &[" a", "+b"]);
    assert!(consensus(&tests).of(RuleId::ExtraRegion).is_empty());
}

#[test]
fn several_policies_make_an_extra_place_weaker() {
    let mut scene = consensus("@@ -90,1 +90,1 @@\n-m\n+n\n");
    scene.policies = vec!["one", "two", "one"];
    let found = scene.of(RuleId::ExtraRegion);
    assert_eq!(found[0].level, Level::Info);
    assert!(
        found[0].reason.contains("2 policies"),
        "{}",
        found[0].reason
    );
}

#[test]
fn equal_results_are_one_voice() {
    // Two candidates with the same extra place do not outvote the others, nor each other.
    let mut scene = consensus("@@ -90,1 +90,1 @@\n-m\n+n\n");
    let copy = scene.patches[2].clone();
    scene.patches.push(copy);
    let told: Vec<_> = scene
        .of(RuleId::ExtraRegion)
        .iter()
        .map(|r| r.trajectory)
        .collect();
    assert_eq!(told, [2, 3]);
}

#[test]
fn failing_candidates_are_weak_evidence_where_few_pass() {
    let mut scene = consensus("@@ -90,1 +90,1 @@\n-m\n+n\n");
    assert!(scene.of(RuleId::ExtraRegionWeak).is_empty());
    scene.patches[0].0 = false;
    scene.patches[1].0 = false;
    assert!(scene.of(RuleId::ExtraRegion).is_empty());
    let found = scene.of(RuleId::ExtraRegionWeak);
    assert_eq!((found.len(), found[0].level), (1, Level::Info));
    assert!(found[0].reason.contains("failing ones too"));
}

#[test]
fn an_outlier_in_size_needs_more_than_twice_and_ten_lines() {
    let lines: Vec<String> = (0..12).map(|n| format!("+line{n}")).collect();
    let more = |count: usize| {
        let mut body = vec!["-a"];
        body.extend(lines.iter().take(count).map(String::as_str));
        changed("src/a.py", &body)
    };
    let of = |patches: [String; 3]| {
        let scene = Scene::passing(&patches.each_ref().map(String::as_str));
        scene.of(RuleId::SizeOutlier).len()
    };
    assert_eq!(of([more(1), more(2), more(12)]), 1);
    assert_eq!(of([more(1), more(2), more(10)]), 0);
    let tests = changed(
        "tests/test_b.py",
        &lines.iter().map(String::as_str).collect::<Vec<_>>(),
    );
    assert_eq!(of([more(1), more(2), format!("{}{tests}", more(1))]), 0);
}

#[test]
fn a_file_of_its_own_is_told_from_three_passing_on() {
    let own = changed("src/b.py", &["-a", "+b"]);
    let scene = consensus(&own);
    let found = scene.of(RuleId::FileUnique);
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].path.as_str(), found[0].trajectory),
        ("src/b.py", 2)
    );
    let mut scene = consensus(&own);
    scene.patches[0].0 = false;
    assert!(scene.of(RuleId::FileUnique).is_empty());
}

#[test]
fn the_reference_and_the_issue_are_asked_when_they_are_known() {
    let fix = changed("src/alpha.py", &["-a", "+b"]);
    let mut scene = Scene::alone(&format!("{fix}{}", changed("src/beta.py", &["-a", "+b"])));
    assert!(scene.of(RuleId::FileNotInGold).is_empty());
    assert!(scene.of(RuleId::FileNotInIssue).is_empty());
    scene.reference = Some(fix);
    scene.issue = Some("alpha breaks when …");
    for id in [
        RuleId::FileNotInGold,
        RuleId::RegionNotInGold,
        RuleId::FileNotInIssue,
    ] {
        let found = scene.of(id);
        assert_eq!(found.len(), 1, "{id:?}");
        assert_eq!(found[0].path, "src/beta.py");
    }
    // Such rules are off unless somebody wants them.
    let found = scene.ask(&Rules::default(), None);
    assert!(!found.iter().any(|remark| remark.rule.contains("_not_in_")));
}

#[test]
fn a_group_whose_patches_are_on_no_base_is_looked_at_all_the_same() {
    let scene = Scene::alone(&added("repro.py", &["x"]));
    let (group, patches) = (scene.group(), scene.patches());
    let input = Input {
        group: &group,
        patches: &patches,
        on_base: None,
        reference: None,
        issue: None,
        elsewhere: None,
    };
    assert_eq!(remarks(&input, &Rules::default()).len(), 1);
    assert!(remarks_of_reference(&input, &Rules::default()).is_empty());
}

#[test]
fn figures_count_candidates_once_and_only_where_a_rule_can_speak() {
    let stray = added("repro.py", &["x"]);
    let scene = Scene::passing(&[&format!("{stray}{}", added("debug.py", &["x"])), &stray]);
    let rules = Rules::default().all_on();
    let found = scene.ask(&rules, None);
    let mut stats = Stats::default();
    let known = Known {
        has_diff: &[true, true],
        has_issue: false,
        reference: Some(&[]),
    };
    stats.count(&scene.group(), &found, &known, &rules);
    let of = |id: RuleId| stats.rules[id as usize];
    // Both have repro.py, which is then nobody's; one has debug.py as well.
    assert_eq!(of(RuleId::StrayFile).candidates.passing, 1);
    assert_eq!(of(RuleId::StrayFile).of.passing, 2);
    assert_eq!(of(RuleId::FileUnique).of.passing, 0);
    assert_eq!(of(RuleId::FileNotInIssue).of.passing, 0);
    assert_eq!(stats.all.reference, 1);
    stats.judge("stray_file", true);
    stats.judge("stray_file", false);
    assert_eq!(stats.rules[0].precision(), Some(0.5));
    assert_eq!(stats.rules[1].precision(), None);
}
