//! The index of long files that is kept between loads: when it is used, and when it is not.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use gagar::formats::{LoadOptions, LoadedSet, Problem, load};

/// A line of about 10 kB.
fn line(number: usize, reward: f64) -> String {
    let (group, id) = (number / 4, number % 4);
    format!(
        "{{\"group_id\":\"acme__cache-{group}\",\"trajectory_id\":\"t{id}\",\"reward\":{reward},\
         \"patch\":\"p{number:05}\",\"steps\":[{{\"kind\":\"message\",\"text\":\"{}\"}}]}}\n",
        "x".repeat(10_000)
    )
}

struct Files {
    _folder: tempfile::TempDir,
    data: PathBuf,
    cache: PathBuf,
}

/// A file of 200 lines with a reward of 0.6 and a line that is no record.
fn files() -> Files {
    files_of(200)
}

fn files_of(lines: usize) -> Files {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("rollouts.jsonl");
    let mut text: String = (0..lines).map(|number| line(number, 0.6)).collect();
    text.push_str("{\"other\":1}\n");
    fs::write(&data, text).expect("written");
    Files {
        data,
        cache: folder.path().join("cache"),
        _folder: folder,
    }
}

impl Files {
    fn options(&self) -> LoadOptions {
        LoadOptions {
            cache: Some(self.cache.clone()),
            ..LoadOptions::default()
        }
    }

    fn load(&self) -> LoadedSet {
        self.load_with(&self.options())
    }

    fn load_with(&self, options: &LoadOptions) -> LoadedSet {
        load(std::slice::from_ref(&self.data), options, &mut |_| true)
    }

    /// Writes over the patch of a line in the middle, as if nothing had happened: only a load that
    /// reads the line again sees it.
    fn change_the_middle(&self) {
        let modified = modified(&self.data);
        let mut bytes = fs::read(&self.data).expect("read");
        let at = memchr::memmem::find(&bytes, b"\"p00100\"").expect("there");
        bytes[at + 1] = b'q';
        fs::write(&self.data, bytes).expect("written");
        set_modified(&self.data, modified);
    }

    fn kept(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.cache).into_iter().flatten();
        entries
            .map(|entry| entry.expect("an entry").path())
            .collect()
    }
}

fn modified(path: &Path) -> SystemTime {
    fs::metadata(path)
        .and_then(|meta| meta.modified())
        .expect("a time")
}

fn set_modified(path: &Path, time: SystemTime) {
    let file = File::options().append(true).open(path).expect("opened");
    file.set_modified(time).expect("set");
}

/// Everything that a load tells, as text.
fn told(set: &LoadedSet) -> String {
    let mut text = String::new();
    for group in &set.groups {
        let _ = writeln!(text, "{group:?}");
    }
    let _ = write!(text, "{:?}", set.problems);
    text
}

fn hash_of(set: &LoadedSet, rollout: usize) -> String {
    let group = format!("acme__cache-{}", rollout / 4);
    let group = set.groups.iter().find(|found| found.id.as_str() == group);
    group.expect("the group").trajectories[rollout % 4]
        .patch
        .sha256
        .to_string()
}

#[test]
fn a_second_load_does_not_read_the_file_again() {
    let files = files();
    let first = files.load();
    assert_eq!(first.groups.len(), 50);
    assert_eq!(first.problems.len(), 1, "{:?}", first.problems);
    assert_eq!(files.kept().len(), 1);
    let second = files.load();
    assert_eq!(told(&first), told(&second));
    let content = second.open(25).expect("opens");
    assert_eq!(content.problems, Vec::<String>::new());
    files.change_the_middle();
    let third = files.load();
    assert_eq!(told(&first), told(&third));
    // A later time of change has it read again.
    set_modified(&files.data, modified(&files.data) + Duration::from_secs(1));
    let fourth = files.load();
    assert_ne!(hash_of(&first, 100), hash_of(&fourth, 100));
    assert_eq!(files.kept().len(), 1);
}

#[test]
fn what_was_kept_of_a_file_that_grew_holds() {
    let files = files();
    let long: String = (0..1000).map(|number| line(number, 0.6)).collect();
    fs::write(&files.data, long).expect("written");
    let first = files.load();
    let mut data = File::options()
        .append(true)
        .open(&files.data)
        .expect("opened");
    for number in 1000..1100 {
        data.write_all(line(number, 0.6).as_bytes())
            .expect("written");
    }
    drop(data);
    let mut grown = files.load();
    for _ in 0..2 {
        assert_eq!(grown.groups.len(), 275);
        assert_eq!(hash_of(&first, 100), hash_of(&grown, 100));
        assert_eq!(grown.problems, first.problems);
        let content = open(&grown, "acme__cache-274").expect("opens");
        assert_eq!(content.problems, Vec::<String>::new());
        assert_eq!(content.trajectories[3].patch.as_deref(), Some("p01099"));
        grown = files.load();
    }
    // Another beginning: nothing of what was kept holds.
    let mut bytes = fs::read(&files.data).expect("read");
    let at = memchr::memmem::find(&bytes, b"p00000").expect("there");
    bytes[at] = b'q';
    bytes.extend(line(1100, 0.6).as_bytes());
    fs::write(&files.data, bytes).expect("written");
    let other = files.load();
    assert_eq!(other.groups.len(), 276);
    assert_ne!(hash_of(&first, 0), hash_of(&other, 0));
}

fn open(set: &LoadedSet, group: &str) -> Result<gagar::domain::Content, Problem> {
    let found = set
        .groups
        .iter()
        .position(|found| found.id.as_str() == group);
    set.open(found.expect("there"))
}

#[test]
fn a_file_that_changed_inside_and_grew_is_read_anew() {
    let files = files();
    let first = files.load();
    files.change_the_middle();
    let data = File::options().append(true).open(&files.data);
    let more = line(200, 0.6);
    data.and_then(|mut data| data.write_all(more.as_bytes()))
        .expect("written");
    let grown = files.load();
    assert_eq!(grown.groups.len(), 51);
    assert_ne!(hash_of(&first, 100), hash_of(&grown, 100));
}

#[test]
fn a_long_file_that_changed_inside_and_grew_is_read_anew() {
    // 16 MB: too long for its ends and a few samples to tell of one record.
    let files = files_of(1_600);
    let first = files.load();
    files.change_the_middle();
    let data = File::options().append(true).open(&files.data);
    let more = line(1_600, 0.6);
    data.and_then(|mut data| data.write_all(more.as_bytes()))
        .expect("written");
    let grown = files.load();
    assert_eq!(grown.groups.len(), 401);
    assert_ne!(hash_of(&first, 100), hash_of(&grown, 100));
}

#[test]
fn a_file_in_the_place_of_another_is_read_anew() {
    let files = files();
    let first = files.load();
    // The same length and time, another file.
    let modified = modified(&files.data);
    let copy = files.data.with_extension("copy");
    fs::copy(&files.data, &copy).expect("copied");
    fs::rename(&copy, &files.data).expect("renamed");
    set_modified(&files.data, modified);
    files.change_the_middle();
    let other = files.load();
    assert_ne!(hash_of(&first, 100), hash_of(&other, 100));
}

#[test]
fn a_last_line_without_its_end_is_read_again_when_it_grew() {
    let files = files();
    let whole = line(200, 0.6);
    let (start, end) = whole.split_at(5000);
    let append = |text: &str| {
        let file = File::options().append(true).open(&files.data);
        let mut file = file.expect("opened");
        file.write_all(text.as_bytes()).expect("written");
    };
    append(start);
    let cut = files.load();
    assert_eq!(cut.problems.len(), 2, "{:?}", cut.problems);
    assert_eq!(told(&cut), told(&files.load()));
    append(end);
    let grown = files.load();
    assert_eq!(grown.problems.len(), 1, "{:?}", grown.problems);
    assert_eq!(grown.groups.len(), 51);
}

#[test]
fn what_was_asked_for_decides_whether_it_holds() {
    let files = files();
    let first = files.load();
    let strict = LoadOptions {
        pass_at: 0.9,
        ..files.options()
    };
    let passing = |set: &LoadedSet| {
        let all = set.groups.iter().flat_map(|group| &group.trajectories);
        all.filter(|trajectory| trajectory.outcome.is_pass())
            .count()
    };
    assert_eq!(passing(&first), 200);
    assert_eq!(passing(&files.load_with(&strict)), 0);
    assert_eq!(passing(&files.load()), 200);
    // Without a folder nothing is kept.
    fs::remove_dir_all(&files.cache).expect("removed");
    files.load_with(&LoadOptions::default());
    assert!(files.kept().is_empty());
}

#[test]
fn what_was_kept_may_be_damaged_or_impossible_to_keep() {
    let files = files();
    let first = files.load();
    let kept = files.kept().remove(0);
    let good = fs::read(&kept).expect("read");
    for cut in [0, 10, good.len() / 2, good.len() - 1] {
        fs::write(&kept, &good[..cut]).expect("written");
        assert_eq!(told(&first), told(&files.load()));
        assert_eq!(fs::read(&kept).expect("read").len(), good.len());
    }
    for at in [0, good.len() / 2, good.len() - 60, good.len() - 20] {
        let mut bad = good.clone();
        bad[at] ^= 0x55;
        fs::write(&kept, &bad).expect("written");
        assert_eq!(told(&first), told(&files.load()));
    }
    fs::remove_dir_all(&files.cache).expect("removed");
    fs::write(&files.cache, "a file in the place of the folder").expect("written");
    assert_eq!(told(&first), told(&files.load()));
}
