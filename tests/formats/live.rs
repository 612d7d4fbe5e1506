//! Sets that are handed over while files are read and written.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use gagar::formats::{Changes, LoadOptions, LoadedSet, Loader, News, Progress, load};

fn line(group: &str, id: &str, reward: f64) -> String {
    format!(
        "{{\"group_id\":\"{group}\",\"trajectory_id\":\"{id}\",\"reward\":{reward},\"patch\":\"text of {group}/{id}\"}}\n"
    )
}

fn append(path: &Path, text: &str) {
    let file = fs::File::options().append(true).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes()))
        .expect("append");
}

fn loader(root: &Path) -> Loader {
    Loader::new(&[root.to_path_buf()], &LoadOptions::default(), true)
}

/// Reads everything; the last set told.
fn read(loader: &mut Loader) -> LoadedSet {
    let mut last = None;
    loader.read(&mut |news| {
        if let News::Set(set) = news {
            last = Some(set);
        }
        true
    });
    last.expect("a set")
}

/// Looks again; what changed and the last set told.
fn look(loader: &mut Loader) -> Option<(Changes, LoadedSet)> {
    let mut last = None;
    let changes = loader.look_again(&mut |news| {
        if let News::Set(set) = news {
            last = Some(set);
        }
        true
    })?;
    Some((changes, last.expect("a set")))
}

fn names(set: &LoadedSet) -> Vec<String> {
    let of = |group: &gagar::domain::RolloutGroup| {
        let ids: Vec<&str> = group.trajectories.iter().map(|t| t.id.as_str()).collect();
        format!("{}: {}", group.id, ids.join(" "))
    };
    set.groups.iter().map(|group| of(group)).collect()
}

fn patch(set: &LoadedSet, group: usize, trajectory: usize) -> Option<String> {
    let content = set.open(group).expect("open");
    content.trajectories[trajectory].patch.clone()
}

#[test]
fn the_end_of_reading_in_steps_is_what_a_load_gives() {
    let root = tempfile::tempdir().expect("folder");
    for file in 0..30 {
        let lines: String = (0..20)
            .map(|i| line(&format!("g{:02}", i), &format!("f{file}"), f64::from(i % 2)))
            .collect();
        fs::write(root.path().join(format!("{file:02}.jsonl")), lines).expect("write");
    }
    let whole = load(
        &[root.path().to_path_buf()],
        &LoadOptions::default(),
        &mut |_| true,
    );
    let mut set = read(&mut loader(root.path()));
    set.groups.sort_by(|a, b| a.id.cmp(&b.id));
    assert_eq!(set.groups, whole.groups);
    assert_eq!(set.problems, whole.problems);
    assert_eq!(set.made, whole.made);
    assert_eq!(whole.made.len(), 30);
    assert_eq!(whole.made[0].formats[0].name, "gagar.trajectory/1");
    assert_eq!((whole.made[0].groups, whole.made[0].trajectories), (20, 20));
}

#[test]
fn appended_lines_are_read_and_other_groups_stay_where_they_are() {
    let root = tempfile::tempdir().expect("folder");
    let path = root.path().join("b.jsonl");
    fs::write(&path, line("b", "1", 1.0) + &line("a", "1", 0.0)).expect("write");
    let mut loader = loader(root.path());
    let before = read(&mut loader);
    assert_eq!(names(&before), ["b: 1", "a: 1"]);
    assert!(look(&mut loader).is_none());

    // Half a line waits, without a problem; what was read before can still be opened.
    let whole = line("a", "2", 1.0);
    append(&path, &whole[..30]);
    let (changes, waiting) = look(&mut loader).expect("changes");
    assert_eq!((changes.rollouts, changes.replaced), (0, 0));
    assert_eq!(names(&waiting), names(&before));
    assert_eq!(waiting.problems, []);
    assert_eq!(patch(&before, 0, 0).as_deref(), Some("text of b/1"));

    append(&path, &whole[30..]);
    append(&path, "not json\n");
    append(&path, &line("c", "1", 1.0));
    let (changes, after) = look(&mut loader).expect("changes");
    assert_eq!((changes.rollouts, changes.replaced), (2, 0));
    assert_eq!(names(&after), ["b: 1", "a: 1 2", "c: 1"]);
    assert_eq!(after.problems.len(), 1);
    assert_eq!(after.problems[0].line, Some(4));
    assert!(Arc::ptr_eq(&before.groups[0], &after.groups[0]));
    assert!(!Arc::ptr_eq(&before.groups[1], &after.groups[1]));
    assert_ne!(before.groups[1].fingerprint, after.groups[1].fingerprint);
    assert_eq!(patch(&after, 1, 1).as_deref(), Some("text of a/2"));
    assert_eq!(patch(&after, 2, 0).as_deref(), Some("text of c/1"));
    assert!(look(&mut loader).is_none());
}

#[test]
fn a_file_that_begins_with_half_a_line_is_read_when_it_is_whole() {
    let root = tempfile::tempdir().expect("folder");
    let path = root.path().join("x.jsonl");
    let whole = line("g", "1", 1.0);
    fs::write(&path, &whole[..20]).expect("write");
    let mut loader = loader(root.path());
    let set = read(&mut loader);
    assert_eq!((set.groups.len(), set.problems.len()), (0, 0));
    append(&path, &whole[20..]);
    let (_, set) = look(&mut loader).expect("changes");
    assert_eq!(names(&set), ["g: 1"]);
    // Without following it is told.
    fs::write(&path, &whole[..20]).expect("write");
    let told = load(
        &[root.path().to_path_buf()],
        &LoadOptions::default(),
        &mut |_| true,
    );
    assert!(told.problems[0].reason.contains("cut off"), "{told:?}");
}

#[test]
fn a_file_of_one_line_grows_as_others_do() {
    let root = tempfile::tempdir().expect("folder");
    let path = root.path().join("x.jsonl");
    fs::write(&path, line("g", "1", 1.0)).expect("write");
    let mut loader = loader(root.path());
    let before = read(&mut loader);
    let second = line("g", "2", 1.0);
    append(&path, &second[..20]);
    let (changes, set) = look(&mut loader).expect("changes");
    assert_eq!((changes.rollouts, changes.replaced), (0, 0));
    assert!(Arc::ptr_eq(&before.groups[0], &set.groups[0]));
    append(&path, &second[20..]);
    let (changes, set) = look(&mut loader).expect("changes");
    assert_eq!((changes.rollouts, changes.replaced), (1, 0));
    assert_eq!(names(&set), ["g: 1 2"]);
    // Seen for the first time with half a second line.
    fs::write(
        root.path().join("y.jsonl"),
        line("h", "1", 1.0) + &second[..20],
    )
    .expect("write");
    let (changes, set) = look(&mut loader).expect("changes");
    assert_eq!(changes.rollouts, 1);
    assert_eq!((names(&set).len(), set.problems.len()), (2, 0));
}

#[test]
fn a_log_that_grows_is_no_change_of_rollouts() {
    let root = tempfile::tempdir().expect("folder");
    fs::write(root.path().join("x.jsonl"), line("g", "1", 1.0)).expect("write");
    let log = root.path().join("run.log");
    fs::write(&log, "begun\n").expect("write");
    let mut loader = loader(root.path());
    let before = read(&mut loader);
    append(&log, "step 1\n");
    let (changes, set) = look(&mut loader).expect("a set with the log as it is");
    assert_eq!(changes, Changes::default());
    assert_eq!(set.groups, before.groups);
    assert!(look(&mut loader).is_none());
}

#[test]
fn a_replaced_file_takes_its_rollouts_with_it() {
    let root = tempfile::tempdir().expect("folder");
    let (one, two) = (root.path().join("1.jsonl"), root.path().join("2.jsonl"));
    fs::write(&one, line("a", "1", 1.0) + &line("b", "1", 1.0)).expect("write");
    fs::write(&two, line("a", "2", 0.0)).expect("write");
    let mut loader = loader(root.path());
    let before = read(&mut loader);
    assert_eq!(names(&before), ["a: 1 2", "b: 1"]);
    fs::write(&one, line("a", "9", 1.0)).expect("write");
    let problem = before.open(0).expect_err("changed");
    assert!(problem.reason.contains("changed since"));
    let (changes, after) = look(&mut loader).expect("changes");
    assert_eq!((changes.replaced, changes.rollouts), (1, -1));
    // The place of the file counts, not the time at which it was read.
    assert_eq!(names(&after), ["a: 9 2", "b: "]);
    assert_eq!(patch(&after, 0, 0).as_deref(), Some("text of a/9"));
    // What was there comes back as it was.
    fs::write(&one, line("a", "1", 1.0) + &line("b", "1", 1.0)).expect("write");
    let (_, back) = look(&mut loader).expect("changes");
    assert_eq!(back.groups, before.groups);
}

/// A line of 16 kB.
fn long_line(number: usize, reward: u8) -> String {
    let filler = "x".repeat(16_000);
    format!(
        "{{\"group_id\":\"g{}\",\"trajectory_id\":\"{}\",\"reward\":{reward},\"patch\":\"p{number}\",\"steps\":[{{\"kind\":\"message\",\"text\":\"{filler}\"}}]}}\n",
        number / 4,
        number % 4
    )
}

/// Lines of about 16 MB, so that only samples of them are looked at: a change of line 300 is in none.
fn long_lines(changed: Option<usize>, count: usize) -> String {
    let of = |number| long_line(number, u8::from(Some(number) != changed));
    (0..count).map(of).collect()
}

#[test]
fn a_file_that_changed_inside_and_grew_is_read_anew() {
    let root = tempfile::tempdir().expect("folder");
    let path = root.path().join("x.jsonl");
    let of = |changed: usize, count: usize| -> String {
        let reward = |number| f64::from(u8::from(number != changed));
        (0..count)
            .map(|number| {
                line(
                    &format!("g{}", number / 4),
                    &format!("{}", number % 4),
                    reward(number),
                )
            })
            .collect()
    };
    // More than is looked at at both ends.
    fs::write(&path, of(usize::MAX, 4000)).expect("write");
    let mut loader = loader(root.path());
    let before = read(&mut loader);
    assert!(before.groups[500].trajectories[1].outcome.is_pass());
    fs::write(&path, of(2001, 4010)).expect("write");
    assert!(before.open(500).expect_err("changed").is_changed_file());
    let (changes, after) = look(&mut loader).expect("changes");
    assert_eq!((changes.replaced, changes.rollouts), (1, 10));
    assert!(!after.groups[500].trajectories[1].outcome.is_pass());
    assert_eq!(after.made[0].trajectories, 4010);
}

#[test]
fn a_longer_file_in_the_place_of_another_did_not_grow() {
    let root = tempfile::tempdir().expect("folder");
    let path = root.path().join("x.jsonl");
    fs::write(&path, long_lines(None, 1000)).expect("write");
    let mut loader = loader(root.path());
    let before = read(&mut loader);
    let other = root.path().join("x.tmp");
    fs::write(&other, long_lines(Some(300), 1004)).expect("write");
    fs::rename(&other, &path).expect("rename");
    assert!(before.open(0).expect_err("changed").is_changed_file());
    let (changes, after) = look(&mut loader).expect("changes");
    assert_eq!((changes.replaced, changes.rollouts), (1, 4));
    assert!(!after.groups[75].trajectories[0].outcome.is_pass());
}

#[test]
fn a_record_that_is_not_the_one_indexed_is_not_shown() {
    let root = tempfile::tempdir().expect("folder");
    let path = root.path().join("x.jsonl");
    fs::write(&path, long_lines(None, 1000)).expect("write");
    let modified = fs::metadata(&path).and_then(|meta| meta.modified());
    let mut loader = loader(root.path());
    let before = read(&mut loader);
    // In place, of the same length, and as if it had not been touched.
    fs::write(&path, long_lines(Some(300), 1000)).expect("write");
    let file = fs::File::options().append(true).open(&path).expect("open");
    file.set_modified(modified.expect("a time")).expect("set");
    assert!(look(&mut loader).is_none());
    assert!(before.open(0).is_ok());
    assert!(before.open(75).expect_err("changed").is_changed_file());
    // The loader reads the file anew, although its stamp is the one known.
    let (changes, after) = look(&mut loader).expect("changes");
    assert_eq!((changes.replaced, changes.rollouts), (1, 0));
    assert!(!after.groups[75].trajectories[0].outcome.is_pass());
    assert_eq!(patch(&after, 75, 0).as_deref(), Some("p300"));
    assert!(look(&mut loader).is_none());
}

/// Reads or looks again; every set told and the first progress.
fn all_told(run: impl FnOnce(&mut dyn FnMut(News) -> bool)) -> (Vec<LoadedSet>, Vec<Progress>) {
    let (mut sets, mut progress) = (Vec::new(), Vec::new());
    run(&mut |news| {
        match news {
            News::Progress(state) => progress.push(state),
            News::Set(set) => sets.push(set),
        }
        true
    });
    (sets, progress)
}

fn count(set: &LoadedSet) -> usize {
    set.groups
        .iter()
        .map(|group| group.trajectories.len())
        .sum()
}

/// Reads until about that many bytes are read.
fn read_until(loader: &mut Loader, bytes: u64) -> LoadedSet {
    let mut last = None;
    let complete = loader.read(&mut |news| match news {
        News::Progress(progress) => progress.bytes_done < bytes,
        News::Set(set) => {
            last = Some(set);
            true
        }
    });
    assert!(!complete);
    last.expect("a set")
}

#[test]
fn a_file_that_was_stopped_in_goes_on_at_its_place() {
    let root = tempfile::tempdir().expect("folder");
    let path = root.path().join("x.jsonl");
    fs::write(&path, long_lines(None, 2000)).expect("write");
    let cache = tempfile::tempdir().expect("folder");
    let options = LoadOptions {
        cache: Some(cache.path().to_path_buf()),
        ..LoadOptions::default()
    };
    let paths = [root.path().to_path_buf()];
    let mut loader = Loader::new(&paths, &options, true);
    let stopped = read_until(&mut loader, 5 << 20);
    let had = count(&stopped);
    assert!(had > 100 && had < 2000, "{had}");
    // What is appended meanwhile is read as well.
    append(&path, &long_line(2000, 1));
    let (sets, progress) = all_told(|tell| {
        loader.read(tell);
    });
    assert!(progress[0].bytes_done >= 5 << 20, "{:?}", progress[0]);
    assert!(sets.iter().all(|set| count(set) >= had));
    let last = sets.last().expect("a set");
    assert_eq!((count(last), last.problems.as_slice()), (2001, &[][..]));
    assert!(Arc::ptr_eq(&stopped.groups[0], &last.groups[0]));
    assert_eq!(last.made[0].formats[0].records, 2001);
    assert_eq!(last.made[0].trajectories, 2001);
    assert_eq!(fs::read_dir(cache.path()).expect("listed").count(), 1);
    let again = load(&paths, &options, &mut |_| true);
    assert_eq!(again.made[0].formats, last.made[0].formats);
    append(&path, &long_line(2001, 1));
    let (changes, set) = look(&mut loader).expect("changes");
    assert_eq!(
        (changes.replaced, changes.rollouts, count(&set)),
        (0, 1, 2002)
    );
}

#[test]
fn a_file_that_was_replaced_while_reading_was_stopped_is_read_anew_at_once() {
    let root = tempfile::tempdir().expect("folder");
    let path = root.path().join("x.jsonl");
    fs::write(&path, long_lines(None, 1000)).expect("write");
    let mut loader = loader(root.path());
    let had = count(&read_until(&mut loader, 5 << 20));
    fs::write(&path, long_lines(Some(3), 500)).expect("write");
    let (sets, _) = all_told(|tell| {
        loader.read(tell);
    });
    assert!(sets.iter().all(|set| count(set) >= had.min(500)));
    let last = sets.last().expect("a set");
    assert_eq!((count(last), last.made[0].trajectories), (500, 500));
    assert!(!last.groups[0].trajectories[3].outcome.is_pass());
}

#[test]
fn a_replaced_file_is_put_in_place_in_one_state() {
    let root = tempfile::tempdir().expect("folder");
    let path = root.path().join("x.jsonl");
    fs::write(&path, long_lines(None, 1000)).expect("write");
    let mut loader = loader(root.path());
    let before = read(&mut loader);
    // A longer one with one other rollout, then a shorter one: what was appended is gone, and more.
    for (changed, kept, groups) in [(Some(300), 1016, 1), (Some(300), 980, 9)] {
        let other = root.path().join("x.tmp");
        fs::write(&other, long_lines(changed, kept)).expect("write");
        fs::rename(&other, &path).expect("rename");
        let mut changes = None;
        let (sets, progress) = all_told(|tell| changes = loader.look_again(tell));
        assert!(progress.len() > 3);
        assert!(sets.iter().all(|set| count(set) == kept));
        assert_eq!(changes.map(|c| (c.replaced, c.groups)), Some((1, groups)));
        assert!(Arc::ptr_eq(&before.groups[0], &sets[0].groups[0]));
    }
}

#[test]
fn a_file_that_changes_while_it_is_read_is_told_and_read_anew() {
    let root = tempfile::tempdir().expect("folder");
    let path = root.path().join("x.jsonl");
    for cut in [false, true] {
        fs::write(&path, long_lines(None, 1000)).expect("write");
        let mut loader = loader(root.path());
        let (mut last, mut is_written) = (None, false);
        loader.read(&mut |news| {
            match news {
                News::Progress(progress) if progress.bytes_done > 0 && !is_written => {
                    is_written = true;
                    let mut text = long_lines(Some(0), 1000);
                    if cut {
                        text.truncate(text.len() / 2 - 100);
                    }
                    fs::write(&path, text).expect("write");
                }
                News::Progress(_) => {}
                News::Set(set) => last = Some(set),
            }
            true
        });
        let told = last.expect("a set").problems;
        assert_eq!(told.len(), 1, "{told:?}");
        let (changes, set) = look(&mut loader).expect("changes");
        assert_eq!(changes.replaced, 1);
        assert_eq!(set.problems, []);
        assert!(!set.groups[0].trajectories[0].outcome.is_pass());
        // The line that was cut waits for its end.
        let text = fs::read(&path).expect("read");
        let whole = memchr::memchr_iter(b'\n', &text).count();
        assert_eq!(text.ends_with(b"\n"), !cut);
        assert_eq!(set.made[0].trajectories, whole);
        assert_eq!(count(&set), whole);
    }
}

#[test]
fn unpacking_tells_how_far_it_is_and_can_be_stopped() {
    let root = tempfile::tempdir().expect("folder");
    let path = root.path().join("x.jsonl.zst");
    // Texts that do not pack well.
    let mut random = 7_u64;
    let text: String = (0..4000)
        .map(|number| {
            let words: String = (0..500)
                .map(|_| {
                    random = random
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1);
                    format!("{random:x}")
                })
                .collect();
            format!(
                "{{\"group_id\":\"g\",\"trajectory_id\":\"{number}\",\"reward\":1,\"patch\":\"{words}\"}}\n"
            )
        })
        .collect();
    let packed = zstd::encode_all(text.as_bytes(), 1).expect("pack");
    fs::write(&path, &packed).expect("write");
    let mut loader = loader(root.path());
    let mut told = Vec::new();
    let complete = loader.read(&mut |news| {
        if let News::Progress(progress) = news {
            told.push(progress.bytes_done);
        }
        told.len() < 3
    });
    assert!(!complete);
    assert!(told[2] > 0 && told[2] < packed.len() as u64 / 2, "{told:?}");
    let (sets, progress) = all_told(|tell| {
        loader.read(tell);
    });
    let done: Vec<u64> = progress.iter().map(|state| state.bytes_done).collect();
    assert!(done.is_sorted() && done.len() > 8, "{done:?}");
    let last = sets.last().expect("a set");
    assert_eq!((count(last), last.problems.as_slice()), (4000, &[][..]));
}

#[test]
fn new_files_are_read_and_rollouts_of_a_file_that_is_gone_stay() {
    let root = tempfile::tempdir().expect("folder");
    let (one, two) = (root.path().join("1.jsonl"), root.path().join("2.jsonl"));
    fs::write(&two, line("a", "2", 0.0)).expect("write");
    let mut loader = loader(root.path());
    read(&mut loader);
    fs::write(&one, line("a", "1", 1.0)).expect("write");
    let (changes, set) = look(&mut loader).expect("changes");
    assert_eq!((changes.files, changes.rollouts), (1, 1));
    assert_eq!(names(&set), ["a: 2 1"]);
    fs::remove_file(&one).expect("remove");
    let (changes, set) = look(&mut loader).expect("changes");
    assert_eq!((changes.gone, changes.rollouts), (1, 0));
    assert_eq!(names(&set), ["a: 2 1"]);
    assert_eq!(set.problems.len(), 1);
    assert!(set.problems[0].reason.contains("gone"));
    assert!(look(&mut loader).is_none());
    // It comes back with more in it.
    fs::write(&one, line("a", "1", 1.0) + &line("a", "3", 1.0)).expect("write");
    let (_, set) = look(&mut loader).expect("changes");
    assert_eq!(names(&set), ["a: 2 1 3"]);
    assert_eq!(set.problems, []);
}

#[test]
fn reading_that_was_stopped_goes_on_where_it_stopped() {
    let root = tempfile::tempdir().expect("folder");
    for file in 0..3 {
        // Each of these is a batch of its own.
        let filler = "x".repeat(9 << 20);
        let text = line(&format!("g{file}"), "1", 1.0)
            + &format!(
                "{{\"group_id\":\"all\",\"trajectory_id\":\"{file}\",\"reward\":1,\"patch\":\"{filler}\"}}\n"
            );
        fs::write(root.path().join(format!("{file}.jsonl")), text).expect("write");
    }
    let mut loader = loader(root.path());
    let mut sets = Vec::new();
    let complete = loader.read(&mut |news| match news {
        News::Progress(progress) => progress.files_done < 1,
        News::Set(set) => {
            sets.push(set);
            true
        }
    });
    assert!(!complete && !loader.is_complete());
    let stopped = sets.pop().expect("a set");
    assert_eq!(stopped.groups.len(), 2);
    let set = read(&mut loader);
    assert!(loader.is_complete());
    assert_eq!(set.groups.len(), 4);
    assert!(Arc::ptr_eq(&stopped.groups[0], &set.groups[0]));
    assert_eq!(set.problems, []);
}

#[test]
fn verdicts_that_come_later_count_and_runs_can_be_withdrawn() {
    let root = tempfile::tempdir().expect("folder");
    let run = root.path().join("run");
    fs::create_dir(&run).expect("folder");
    let preds = run.join("preds.jsonl");
    let prediction = |id: &str| {
        format!(
            "{{\"instance_id\":\"{id}\",\"model_name_or_path\":\"m\",\"model_patch\":\"p {id}\"}}\n"
        )
    };
    fs::write(&preds, prediction("acme__a-1") + &prediction("acme__a-2")).expect("write");
    let mut loader = loader(root.path());
    let set = read(&mut loader);
    let words = |set: &LoadedSet| -> Vec<&str> {
        let groups = set.groups.iter();
        groups
            .flat_map(|group| group.trajectories.iter().map(|t| t.outcome.word()))
            .collect()
    };
    assert_eq!(words(&set), ["unscored", "unscored"]);
    let report = r#"{"total_instances":2,"submitted_ids":["acme__a-1","acme__a-2"],"resolved_ids":["acme__a-2"],"unresolved_ids":["acme__a-1"],"completed_ids":["acme__a-1","acme__a-2"],"schema_version":2}"#;
    fs::write(run.join("m.report.json"), report).expect("write");
    let (_, judged) = look(&mut loader).expect("changes");
    assert_eq!(words(&judged), ["fail", "pass"]);
    append(&preds, &prediction("acme__a-3"));
    let (changes, set) = look(&mut loader).expect("changes");
    assert_eq!(changes.rollouts, 1);
    assert_eq!(words(&set).len(), 3);
    assert!(Arc::ptr_eq(&judged.groups[1], &set.groups[1]));
}

#[test]
fn unscored_outcomes_can_count_as_failures_and_same_patches_are_marked() {
    let root = tempfile::tempdir().expect("folder");
    let diff = "--- a/f\\n+++ b/f\\n@@ -1 +1 @@\\n-a\\n+b\\n";
    let text = |id: &str, reward: &str| {
        format!(
            "{{\"group_id\":\"g\",\"trajectory_id\":\"{id}\",\"reward\":{reward},\"patch\":\"{diff}\"}}\n"
        )
    };
    let path = root.path().join("x.jsonl");
    fs::write(&path, text("a", "1") + &text("b", "null")).expect("write");
    let options = LoadOptions {
        unscored_as_fail: true,
        ..LoadOptions::default()
    };
    let mut follow = Loader::new(&[root.path().to_path_buf()], &options, true);
    let set = read(&mut follow);
    let b = &set.groups[0].trajectories[1];
    assert_eq!((b.outcome.word(), b.reward), ("fail", Some(0.0)));
    assert_eq!(b.marks, ["unscored, counted as fail", "= same patch as a"]);
    // Building it again marks nothing twice.
    append(&path, &text("b", "0"));
    let (_, set) = look(&mut follow).expect("changes");
    assert_eq!(set.groups[0].trajectories[1], *b);
    assert_eq!(set.problems.len(), 1);
}

#[test]
fn a_file_that_comes_back_is_no_problem_any_more() {
    let root = tempfile::tempdir().expect("folder");
    let path = root.path().join("x.jsonl");
    fs::write(&path, line("m", "a", 1.0)).expect("write");
    // Named itself, not through its folder.
    let mut loader = loader(&path);
    read(&mut loader);
    fs::remove_file(&path).expect("remove");
    let (_, set) = look(&mut loader).expect("a change");
    assert!(!set.problems.is_empty());
    fs::write(&path, line("m", "a", 1.0) + &line("m", "b", 0.0)).expect("write");
    let (_, set) = look(&mut loader).expect("a change");
    assert_eq!(set.problems, []);
    assert_eq!(names(&set), ["m: a b"]);
}
