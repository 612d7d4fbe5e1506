//! The side-by-side model and interdiffs on random bases and edits, and on the rollouts of the folder
//! named by `GAGAR_REAL_DATA`.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use gagar::diff::{
    Aligned, BaseOrigin, Bases, CandidatePatch, Cell, Consensus, LineKind, Patch, Results,
    interdiff,
};
use gagar::domain::Outcome;
use proptest::prelude::*;
use similar::TextDiff;

/// A base and what each candidate makes of it; how much context each patch has.
#[derive(Debug, Clone)]
struct Case {
    base: String,
    results: Vec<String>,
    patches: Vec<Arc<Patch>>,
}

fn line() -> impl Strategy<Value = String> {
    // Few different lines, so that insertions slide and hunks fit at several places.
    prop_oneof![
        4 => "[a-d]",
        2 => "[a-d]( [xyz]){1,3}",
        1 => Just(String::new()),
        1 => Just("-- dash".to_owned()),
    ]
}

fn lines() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(line(), 0..40)
}

/// Lines removed and put in, each at a place.
type Edits = Vec<(prop::sample::Index, usize, Vec<String>)>;

fn edits() -> impl Strategy<Value = Edits> {
    prop::collection::vec(
        (
            any::<prop::sample::Index>(),
            0usize..4,
            prop::collection::vec(line(), 0..4),
        ),
        0..5,
    )
}

fn text(lines: &[String], newline: bool) -> String {
    let mut text = lines.join("\n");
    if newline && !lines.is_empty() {
        text.push('\n');
    }
    text
}

fn edited(base: &[String], edits: &Edits) -> Vec<String> {
    let mut lines = base.to_vec();
    for (at, remove, insert) in edits {
        let at = at.index(lines.len() + 1);
        let end = (at + remove).min(lines.len());
        lines.splice(at..end, insert.iter().cloned());
    }
    lines
}

fn patch(old: &str, new: &str, context: usize) -> Arc<Patch> {
    if old == new {
        return Arc::new(Patch::read(Arc::from("")));
    }
    let diff = TextDiff::from_lines(old, new);
    let text = diff
        .unified_diff()
        .context_radius(context)
        .header("a/x", "b/x")
        .to_string();
    Arc::new(Patch::read(Arc::from(text)))
}

fn case() -> impl Strategy<Value = Case> {
    let one = (edits(), 0usize..4, prop::bool::weighted(0.8));
    (
        lines(),
        prop::bool::weighted(0.8),
        prop::collection::vec(one, 1..5),
    )
        .prop_map(|(lines, newline, candidates)| {
            let base = text(&lines, newline);
            let results: Vec<_> = candidates
                .iter()
                .map(|(edits, _, newline)| text(&edited(&lines, edits), *newline))
                .collect();
            let patches = results
                .iter()
                .zip(&candidates)
                .map(|(result, (_, context, _))| patch(&base, result, *context))
                .collect();
            Case {
                base,
                results,
                patches,
            }
        })
}

fn bases(text: &str) -> Bases {
    let mut bases = Bases::default();
    bases.insert("x", Arc::from(text), BaseOrigin::Record);
    bases
}

fn aligned(case: &Case, bases: &Bases) -> Aligned {
    let candidates: Vec<_> = case
        .patches
        .iter()
        .map(|patch| CandidatePatch {
            patch: Arc::clone(patch),
            passing: true,
        })
        .collect();
    Aligned::of(&candidates, bases)
}

/// Lines with their newline, as far as there is one.
fn split(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// Applies the hunks where they say they stand, strictly; written apart from the code under test.
fn apply(text: &str, patch: &Patch) -> Result<String, String> {
    let old = split(text);
    let mut new = String::new();
    let mut at = 0;
    let hunks = patch.files.iter().flat_map(|file| &file.hunks);
    for hunk in hunks {
        let start = hunk.old_start as usize + usize::from(hunk.old_count == 0) - 1;
        let skipped = old.get(at..start).ok_or("hunks overlap")?;
        new.extend(skipped.iter().copied());
        at = start;
        for (index, line) in hunk.lines.iter().enumerate() {
            if line.kind == LineKind::NoNewline {
                continue;
            }
            let bare = hunk
                .lines
                .get(index + 1)
                .is_some_and(|next| next.kind == LineKind::NoNewline);
            let text = format!("{}{}", patch.line_text(line), if bare { "" } else { "\n" });
            if line.kind != LineKind::Added {
                if old.get(at) != Some(&text.as_str()) {
                    return Err(format!("line {at}: {:?} is not {text:?}", old.get(at)));
                }
                at += 1;
            }
            if line.kind != LineKind::Removed {
                new.push_str(&text);
            }
        }
    }
    new.extend(old.get(at..).ok_or("too long")?.iter().copied());
    Ok(new)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn each_candidate_reads_as_its_own_patch(case in case()) {
        for bases in [Bases::default(), bases(&case.base)] {
            let aligned = aligned(&case, &bases);
            for (candidate, patch) in case.patches.iter().enumerate() {
                for (index, file) in patch.files.iter().enumerate() {
                    let of = aligned
                        .files
                        .iter()
                        .position(|of| of.file_of(candidate).is_some_and(|f| f.file == index))
                        .expect("every file is there");
                    let of = &aligned.files[of];
                    let told: Vec<(u32, u32)> = (0..of.len())
                        .filter_map(|row| match of.cell(row, candidate) {
                            Cell::Context { hunk, line }
                            | Cell::Removed { hunk, line }
                            | Cell::Added { hunk, line } => Some((hunk, line)),
                            _ => None,
                        })
                        .collect();
                    let wanted: Vec<(u32, u32)> = file
                        .hunks
                        .iter()
                        .enumerate()
                        .flat_map(|(hunk, of)| {
                            of.lines
                                .iter()
                                .enumerate()
                                .filter(|(_, line)| line.kind != LineKind::NoNewline)
                                .map(move |(line, _)| (hunk as u32, line as u32))
                        })
                        .collect();
                    prop_assert_eq!(told, wanted);
                    prop_assert!(of.contradictions.is_empty());
                }
            }
        }
    }

    #[test]
    fn an_interdiff_turns_one_result_into_the_other(case in case()) {
        for bases in [Bases::default(), bases(&case.base)] {
            for (a, before) in case.patches.iter().zip(&case.results) {
                for (b, after) in case.patches.iter().zip(&case.results) {
                    let found = interdiff(a, b, &bases);
                    let made = apply(before, &found.patch);
                    prop_assert_eq!(made.as_deref(), Ok(after.as_str()), "{}", found.patch.text);
                    prop_assert!(found.patch.files.iter().all(|file| file.repairs.is_empty()));
                    if !bases.is_empty() {
                        prop_assert_eq!(found.is_equal(), before == after);
                    }
                }
            }
        }
    }

    #[test]
    fn equal_results_are_one_class(case in case()) {
        let exact = Results::of(&aligned(&case, &bases(&case.base)));
        let quoted = Results::of(&aligned(&case, &Bases::default()));
        for (a, before) in case.results.iter().enumerate() {
            for (b, after) in case.results.iter().enumerate() {
                prop_assert_eq!(exact.overall.are_equal(a, b), before == after);
                prop_assert!(!quoted.overall.are_equal(a, b) || before == after);
            }
        }
    }

    #[test]
    fn consensus_counts_each_result_once(case in case()) {
        let aligned = aligned(&case, &bases(&case.base));
        let consensus = Consensus::of(&aligned, &Results::of(&aligned));
        let distinct: BTreeSet<&String> = case.results.iter().collect();
        prop_assert_eq!(consensus.counted().len(), distinct.len());
        for file in &aligned.files {
            let mut changed = 0;
            for region in &file.regions {
                let share = consensus.share(region);
                let touches = |candidate: &&usize| {
                    region.rows.clone().any(|row| file.cell(row, **candidate).is_change())
                };
                prop_assert_eq!(share.touching, consensus.counted().iter().filter(touches).count());
                prop_assert!(region.rows.clone().all(|row| file.touching(row).next().is_some()));
                changed += region.rows.len();
            }
            let all = (0..file.len()).filter(|row| file.touching(*row).next().is_some());
            prop_assert_eq!(changed, all.count());
        }
    }

    #[test]
    fn any_text_is_laid_side_by_side(texts in prop::collection::vec(
        "(--- a/[xy]\n\\+\\+\\+ b/[xy]\n(@@ -[0-9]{1,2},[0-9] \\+[0-9]{1,2},[0-9] @@\n([-+ ][ab]{0,2}\n){0,6}){0,4}){0,3}",
        0..4,
    ), base in "([ab]{0,2}\n){0,20}", known in any::<bool>()) {
        let patches: Vec<_> = texts
            .iter()
            .map(|text| Arc::new(Patch::read(Arc::from(text.as_str()))))
            .collect();
        let case = Case { base: base.clone(), results: Vec::new(), patches };
        let bases = if known { bases(&base) } else { Bases::default() };
        let aligned = aligned(&case, &bases);
        // Every changed line stands in exactly one cell.
        for (candidate, patch) in case.patches.iter().enumerate() {
            for (index, file) in patch.files.iter().enumerate() {
                let of = aligned
                    .files
                    .iter()
                    .find(|of| of.file_of(candidate).is_some_and(|f| f.file == index))
                    .expect("every file is there");
                let mut told: Vec<(u32, u32)> = (0..of.len())
                    .filter_map(|row| match of.cell(row, candidate) {
                        Cell::Removed { hunk, line } | Cell::Added { hunk, line } => {
                            Some((hunk, line))
                        }
                        _ => None,
                    })
                    .collect();
                told.sort_unstable();
                let changes = |kind| matches!(kind, LineKind::Added | LineKind::Removed);
                let wanted: Vec<(u32, u32)> = file
                    .hunks
                    .iter()
                    .enumerate()
                    .flat_map(|(hunk, of)| {
                        let lines = of.lines.iter().enumerate();
                        lines
                            .filter(|(_, line)| changes(line.kind))
                            .map(move |(line, _)| (hunk as u32, line as u32))
                    })
                    .collect();
                prop_assert_eq!(told, wanted);
            }
        }
        let _ = Results::of(&aligned);
        if let [a, b, ..] = &case.patches[..] {
            let _ = interdiff(a, b, &bases);
        }
    }
}

/// What `git apply` makes of a text; `None` where there is no git.
fn git_apply(text: &str, patch: &str) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x"), text).unwrap();
    std::fs::write(folder.path().join("p"), patch).unwrap();
    let status = Command::new("git")
        .args(["apply", "--whitespace=nowarn", "--unidiff-zero", "p"])
        .current_dir(folder.path())
        .env("GIT_CEILING_DIRECTORIES", folder.path())
        .stdin(Stdio::null())
        .status()
        .ok()?;
    assert!(status.success(), "git refuses:\n{patch}");
    Some(std::fs::read_to_string(folder.path().join("x")).unwrap())
}

#[test]
fn git_makes_the_same_of_an_interdiff() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    for _ in 0..40 {
        let case = case().new_tree(&mut runner).unwrap().current();
        let (Some(a), Some(b)) = (case.patches.first(), case.patches.last()) else {
            continue;
        };
        let found = interdiff(a, b, &bases(&case.base));
        if found.is_equal() {
            continue;
        }
        let Some(made) = git_apply(&case.results[0], &found.patch.text) else {
            return;
        };
        assert_eq!(Some(&made), case.results.last());
    }
}

#[test]
fn real_groups_are_laid_side_by_side() {
    let Some(folder) = std::env::var_os("GAGAR_REAL_DATA") else {
        return;
    };
    let set = gagar::formats::load(
        &[folder.into()],
        &gagar::formats::LoadOptions::default(),
        &mut |_| true,
    );
    let (mut groups, mut files, mut rows, mut contradictions, mut dropped) = (0, 0, 0, 0, 0);
    let (mut equal, mut differing, mut unknown) = (0, 0, 0);
    let mut slowest = (0.0f64, String::new());
    for (index, group) in set.groups.iter().enumerate() {
        let Ok(content) = set.open(index) else {
            continue;
        };
        let candidates: Vec<_> = content
            .trajectories
            .iter()
            .zip(&group.trajectories)
            .map(|(of, trajectory)| CandidatePatch {
                patch: Arc::new(match &of.patch {
                    Some(text) => Patch::read(Arc::from(text.as_str())),
                    None => Patch::missing(),
                }),
                passing: trajectory.outcome == Outcome::Pass,
            })
            .collect();
        let start = Instant::now();
        let aligned = Aligned::of(&candidates, &Bases::default());
        let took = start.elapsed().as_secs_f64() * 1e3;
        if took > slowest.0 {
            slowest = (took, group.id.to_string());
        }
        let results = Results::of(&aligned);
        let _ = Consensus::of(&aligned, &results);
        equal += candidates.len() - results.overall.count();
        groups += 1;
        files += aligned.files.len();
        rows += aligned.rows();
        contradictions += aligned
            .files
            .iter()
            .map(|f| f.contradictions.len())
            .sum::<usize>();
        dropped += aligned
            .files
            .iter()
            .flat_map(|file| file.candidates.iter().flatten())
            .flat_map(|of| &of.anchors)
            .filter(|anchor| anchor.mark().is_some())
            .count();
        for pair in candidates.windows(2).take(4) {
            let found = interdiff(&pair[0].patch, &pair[1].patch, &Bases::default());
            for file in &found.files {
                match file.outcome {
                    gagar::diff::Compared::Equal(_) => {}
                    gagar::diff::Compared::Differs { .. } => differing += 1,
                    gagar::diff::Compared::NotComparable(_) => unknown += 1,
                }
            }
        }
    }
    println!(
        "{groups} groups, {files} files, {rows} rows, {contradictions} contradictions, {dropped} hunks not where they say; \
         {equal} candidates equal to an earlier one; interdiffs of neighbours: {differing} files differ, {unknown} not comparable; \
         slowest {:.1} ms: {}",
        slowest.0, slowest.1
    );
}
