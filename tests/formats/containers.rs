//! Compressed files and archives: packed sample data load as the plain ones do, and broken packages
//! are told.

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use gagar::domain::Content;
use gagar::formats::LoadedSet;
use zip::CompressionMethod as Method;
use zip::write::SimpleFileOptions;

use super::{has_problem, load_all, sample};

/// The files of a folder: path below it, bytes.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).expect("folder") {
            let path = entry.expect("entry").path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("below").to_str();
                found.push((
                    name.expect("name").to_owned(),
                    fs::read(&path).expect("read"),
                ));
            }
        }
    }
    // An order that is not the one of a listing.
    found.sort();
    found.reverse();
    found
}

fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    writer.write_all(bytes).expect("gz");
    writer.finish().expect("gz")
}

fn zst(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).expect("zst")
}

fn tar(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        builder
            .append_data(&mut header, name, bytes.as_slice())
            .expect("tar");
    }
    builder.into_inner().expect("tar")
}

fn zip(files: &[(String, Vec<u8>)], method: Method) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(method);
    for (name, bytes) in files {
        writer.start_file(name.as_str(), options).expect("zip");
        writer.write_all(bytes).expect("zip");
    }
    writer.finish().expect("zip").into_inner()
}

/// Everything there is of a set, paths left out.
fn everything(loaded: &LoadedSet) -> (String, Vec<Content>) {
    let contents = (0..loaded.groups.len())
        .map(|index| loaded.open(index).expect("open"))
        .collect();
    (
        format!("{:#?}\n{:#?}", loaded.groups, loaded.answers),
        contents,
    )
}

/// A file of this name and these bytes loads as the plain folder does.
fn same(plain: &LoadedSet, name: &str, bytes: &[u8]) {
    let root = tempfile::tempdir().expect("folder");
    let path = root.path().join(name);
    fs::write(&path, bytes).expect("write");
    // Named, and found in a folder.
    for paths in [path, root.path().to_path_buf()] {
        same_at(plain, &paths);
    }
}

fn same_at(plain: &LoadedSet, path: &Path) {
    let packed = load_all(&[path.to_path_buf()]);
    let shown: Vec<String> = packed.problems.iter().map(ToString::to_string).collect();
    assert_eq!(shown, Vec::<String>::new(), "{}", path.display());
    let (plain, packed) = (everything(plain), everything(&packed));
    assert_eq!(plain.0, packed.0, "{}", path.display());
    assert_eq!(plain.1, packed.1, "{}", path.display());
}

#[test]
fn archives_load_as_folders() {
    for part in ["native", "swebench"] {
        let folder = sample(part);
        let plain = load_all(std::slice::from_ref(&folder));
        assert!(plain.groups.len() > 2);
        let files = files(&folder);
        let below: Vec<(String, Vec<u8>)> = files
            .iter()
            .map(|(name, bytes)| (format!("./{part}/{name}"), bytes.clone()))
            .collect();
        for files in [&files, &below] {
            let tar = tar(files);
            same(&plain, "x.tar", &tar);
            same(&plain, "x.tar.gz", &gz(&tar));
            same(&plain, "x.tar.zst", &zst(&tar));
            // The name tells nothing.
            same(&plain, "x.jsonl", &gz(&tar));
            for method in [Method::Stored, Method::Deflated, Method::Zstd] {
                same(&plain, "x.eval", &zip(files, method));
            }
        }
    }
}

#[test]
fn run_folders_packed_one_by_one_keep_their_names() {
    let folder = sample("swebench");
    let plain = load_all(std::slice::from_ref(&folder));
    let root = tempfile::tempdir().expect("folder");
    for entry in fs::read_dir(&folder).expect("folder") {
        let path = entry.expect("entry").path();
        let name = path.file_name().expect("name").to_str().expect("name");
        if path.is_dir() {
            let (ending, bytes) = match name.len() % 3 {
                0 => (".tar.gz", gz(&tar(&files(&path)))),
                1 => (".zip", zip(&files(&path), Method::Deflated)),
                _ => (".tar", tar(&files(&path))),
            };
            fs::write(root.path().join(name.to_owned() + ending), bytes).expect("write");
        } else {
            fs::copy(&path, root.path().join(name)).expect("copy");
        }
    }
    same_at(&plain, root.path());
}

#[test]
fn compressed_files_load_as_plain_ones() {
    for part in ["native", "swebench"] {
        let folder = sample(part);
        let plain = load_all(std::slice::from_ref(&folder));
        for pack in [gz, zst] {
            let root = tempfile::tempdir().expect("folder");
            for (name, bytes) in files(&folder) {
                let ending = if pack(b"")[0] == 0x1f { "gz" } else { "zst" };
                let path = root.path().join(format!("{name}.{ending}"));
                fs::create_dir_all(path.parent().expect("parent")).expect("folder");
                // Two members or frames, parted within a line.
                let (one, other) = bytes.split_at(bytes.len() / 3);
                fs::write(&path, [pack(one), pack(other)].concat()).expect("write");
            }
            same_at(&plain, root.path());
        }
    }
    let bytes = fs::read(sample("native/groups.jsonl")).expect("read");
    let plain = load_all(&[sample("native/groups.jsonl")]);
    same(&plain, "groups.jsonl", &gz(&bytes));
    same(&plain, "groups.jsonl.gz", &gz(&gz(&bytes)));
    // A tape's padding is no part of it.
    same(
        &plain,
        "groups.jsonl.gz",
        &[gz(&bytes), vec![0; 700]].concat(),
    );
}

#[test]
fn archives_within_archives_are_read() {
    let bytes = fs::read(sample("native/groups.jsonl")).expect("read");
    let plain = load_all(&[sample("native/groups.jsonl")]);
    let one = |name: &str, bytes: Vec<u8>| [(name.to_owned(), bytes)];
    let packed = one("a/groups.jsonl.gz", gz(&bytes));
    same(&plain, "x.tar", &tar(&packed));
    let inner = zip(&packed, Method::Deflated);
    same(&plain, "x.tar.gz", &gz(&tar(&one("b.zip", inner.clone()))));
    same(
        &plain,
        "x.zip",
        &zip(&one("b.zip", inner.clone()), Method::Stored),
    );
    let two = tar(&one("b.zip", inner));
    let three = zip(&one("c.tar", two), Method::Zstd);
    same(&plain, "x.zip", &three);
    let (loaded, _root) = load("x.zip", &zip(&one("d.zip", three), Method::Deflated));
    assert_eq!(loaded.groups.len(), 0);
    has_problem(&loaded, None, "three deep");
}

fn load(name: &str, bytes: &[u8]) -> (LoadedSet, tempfile::TempDir) {
    super::load_folder(&[(name, bytes)])
}

fn line(id: &str) -> String {
    let patch = "diff --git a/a b/a\\n--- a/a\\n+++ b/a\\n@@ -1 +1 @@\\n-a\\n+b\\n";
    format!(
        "{{\"group_id\":\"{id}\",\"trajectory_id\":\"a\",\"reward\":1,\"patch\":\"{patch}\"}}\n"
    )
}

/// Lines that do not compress well.
fn lines(count: usize) -> String {
    let mut state = 1_u64;
    (0..count)
        .map(|number| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            line(&format!("g{number}-{state:016x}"))
        })
        .collect()
}

fn shown(loaded: &LoadedSet) -> Vec<(PathBuf, &str)> {
    let problems = loaded.problems.iter();
    problems
        .map(|problem| (problem.path.clone(), problem.reason.as_str()))
        .collect()
}

#[test]
fn what_comes_before_a_cut_is_read() {
    let text = lines(2000);
    for (name, packed) in [
        ("x.jsonl.gz", gz(text.as_bytes())),
        (
            "x.jsonl.zst",
            zst(text.as_bytes())
                .into_iter()
                .chain(zst(text.as_bytes()))
                .collect(),
        ),
    ] {
        let (loaded, root) = load(name, &packed[..packed.len() * 3 / 4]);
        assert!(loaded.groups.len() > 500, "{name}: {}", loaded.groups.len());
        has_problem(&loaded, None, "the compressed data break off");
        assert_eq!(loaded.problems[0].path, root.path().join(name));
        assert!(loaded.open(0).is_ok());
    }
    let packed = gz(text.as_bytes());
    let (loaded, _root) = load("x.jsonl.gz", &packed[..12]);
    assert_eq!(loaded.groups.len(), 0);
    has_problem(&loaded, None, "break off at once");
    // A tar cut within its second member.
    let members = [
        ("a.jsonl".to_owned(), line("a").into_bytes()),
        ("b.jsonl".to_owned(), text.clone().into_bytes()),
    ];
    for (name, bytes) in [
        ("x.tar", tar(&members)[..100_000].to_vec()),
        ("x.tar.gz", {
            let packed = gz(&tar(&members));
            packed[..packed.len() / 2].to_vec()
        }),
    ] {
        let (loaded, root) = load(name, &bytes);
        assert!(loaded.groups.len() > 200, "{name}");
        has_problem(&loaded, None, "breaks off within this file");
        assert!(
            shown(&loaded)
                .iter()
                .any(|(path, _)| *path == root.path().join(name).join("b.jsonl"))
        );
    }
}

#[test]
fn broken_compressed_data_give_what_is_sound() {
    let (one, other) = (lines(500), line("last"));
    let mut packed = gz(one.as_bytes());
    let first = packed.len();
    packed.extend(gz(other.as_bytes()));
    // The checksum of the second member.
    let at = packed.len() - 6;
    packed[at] ^= 0xff;
    let (loaded, _root) = load("x.jsonl.gz", &packed);
    assert_eq!(loaded.groups.len(), 500);
    has_problem(&loaded, None, "broken after the first");
    // Of the only one: nothing is sound.
    let mut packed = packed[..first].to_vec();
    let at = packed.len() - 6;
    packed[at] ^= 0xff;
    let (loaded, _root) = load("x.jsonl.gz", &packed);
    assert_eq!(loaded.groups.len(), 0);
    has_problem(&loaded, None, "cannot be read");
    let packed = [gz(one.as_bytes()), b"and so on".to_vec()].concat();
    let (loaded, _root) = load("x.jsonl.gz", &packed);
    assert_eq!(loaded.groups.len(), 500);
    has_problem(&loaded, None, "9 bytes after the compressed data");
}

/// First byte of the first place with these bytes.
fn find(bytes: &[u8], needle: &[u8]) -> usize {
    let mut windows = bytes.windows(needle.len());
    windows.position(|window| window == needle).expect("there")
}

#[test]
fn broken_members_are_told_and_the_others_load() {
    let members = [
        ("a.jsonl".to_owned(), line("a").into_bytes()),
        ("b.jsonl".to_owned(), lines(50).into_bytes()),
        ("c.jsonl".to_owned(), line("c").into_bytes()),
    ];
    for method in [Method::Deflated, Method::Zstd] {
        let mut bytes = zip(&members, method);
        let at = find(&bytes, b"b.jsonl") + 200;
        bytes[at] ^= 0x55;
        bytes[at + 1] ^= 0x55;
        let (loaded, root) = load("x.zip", &bytes);
        assert_eq!(loaded.groups.len(), 2, "{method}");
        let path = root.path().join("x.zip/b.jsonl");
        assert_eq!(loaded.problems.len(), 1, "{:?}", loaded.problems);
        assert_eq!(loaded.problems[0].path, path);
        has_problem(&loaded, None, "cannot be read");
    }
    // The checksum in the directory alone.
    let mut bytes = zip(&members, Method::Deflated);
    let directory = find(&bytes, b"PK\x01\x02");
    bytes[directory + 16] ^= 1;
    let (loaded, _root) = load("x.zip", &bytes);
    assert_eq!(loaded.groups.len(), 51);
    has_problem(&loaded, None, "checksum");
    // Encrypted, as the flags say.
    let mut bytes = zip(&members, Method::Deflated);
    bytes[6] |= 1;
    bytes[directory + 8] |= 1;
    let (loaded, root) = load("x.zip", &bytes);
    assert_eq!(loaded.groups.len(), 51);
    assert_eq!(
        shown(&loaded),
        [(root.path().join("x.zip/a.jsonl"), "it is encrypted")]
    );
    // Of a method that is not read.
    let mut bytes = zip(&members, Method::Stored);
    let directory = find(&bytes, b"PK\x01\x02");
    bytes[directory + 10] = 14;
    let (loaded, _root) = load("x.zip", &bytes);
    assert_eq!(loaded.groups.len(), 51);
    has_problem(&loaded, None, "not supported");
    // Without a directory.
    let bytes = zip(&members, Method::Stored);
    let (loaded, _root) = load("x.zip", &bytes[..directory]);
    has_problem(&loaded, None, "the archive cannot be read");
}

#[test]
fn names_in_archives_lead_nowhere() {
    let mut bytes = tar(&[
        ("aa/up.jsonl".to_owned(), line("a").into_bytes()),
        ("bb/root.jsonl".to_owned(), line("b").into_bytes()),
        (".hidden/c.jsonl".to_owned(), line("c").into_bytes()),
        ("d.jsonl".to_owned(), line("d1").into_bytes()),
        ("d.jsonl".to_owned(), line("d2").into_bytes()),
    ]);
    let rename = |bytes: &mut Vec<u8>, old: &[u8], new: &[u8]| {
        let at = find(bytes, old);
        bytes[at..at + old.len()].copy_from_slice(new);
        let header = at - at % 512;
        bytes[header + 148..header + 156].fill(b' ');
        let sum: u32 = bytes[header..header + 512]
            .iter()
            .map(|b| u32::from(*b))
            .sum();
        let sum = format!("{sum:06o}\0 ");
        bytes[header + 148..header + 156].copy_from_slice(sum.as_bytes());
    };
    rename(&mut bytes, b"aa/up", b"../up");
    rename(&mut bytes, b"bb/root", b"/b/root");
    let (loaded, root) = load("x.tar", &bytes);
    let ids: Vec<&str> = loaded
        .groups
        .iter()
        .map(|group| group.id.as_str())
        .collect();
    assert_eq!(ids, ["a", "b", "d2"]);
    has_problem(&loaded, None, "1 names occur more than once");
    assert_eq!(loaded.problems.len(), 1, "{:?}", loaded.problems);
    assert!((0..3).all(|group| loaded.open(group).is_ok()));
    // Problems show the name made harmless.
    let bad = [("../../etc/x.jsonl".to_owned(), b"{\"group_id\":".to_vec())];
    let (loaded, other) = load("x.zip", &zip(&bad, Method::Stored));
    let path = other.path().join("x.zip/__/__/etc/x.jsonl");
    assert_eq!(loaded.problems[0].path, path);
    drop(root);
}

#[test]
fn what_is_packed_in_other_ways_is_told() {
    let xz = b"\xfd7zXZ\0\0\x04rest".as_slice();
    let bz = b"BZh91AY&SYrest".as_slice();
    let (loaded, _root) = super::load_folder(&[("a.jsonl.xz", xz), ("b.jsonl", bz)]);
    has_problem(&loaded, None, "compressed with xz: not supported");
    has_problem(&loaded, None, "compressed with bzip2: not supported");
    let (loaded, _root) = load("x.zip", &zip(&[], Method::Stored));
    has_problem(&loaded, None, "the archive holds no files");
}

#[test]
fn an_archive_written_to_after_the_load_is_not_opened() {
    let members = [("a.jsonl".to_owned(), line("a").into_bytes())];
    let (loaded, root) = load("x.zip", &zip(&members, Method::Deflated));
    assert!(loaded.open(0).is_ok());
    let path = root.path().join("x.zip");
    fs::write(&path, zip(&members, Method::Stored)).expect("write");
    let problem = loaded.open(0).expect_err("changed");
    assert!(problem.reason.contains("changed since it was loaded"));
}

#[test]
fn a_bomb_is_stopped_and_the_rest_loads() {
    let zeros = std::io::repeat(0).take(1100 << 20);
    let bomb = zstd::encode_all(zeros, 1).expect("pack");
    let (loaded, root) = super::load_folder(&[
        ("bomb.jsonl.zst", &bomb),
        ("good.jsonl", line("a").as_bytes()),
    ]);
    assert_eq!(loaded.groups.len(), 1);
    let [(path, reason)] = &shown(&loaded)[..] else {
        panic!("{:?}", loaded.problems)
    };
    assert_eq!(*path, root.path().join("bomb.jsonl.zst"));
    assert!(reason.contains("a thousand times"), "{reason}");
}

#[cfg(unix)]
#[test]
fn a_pipe_is_read_once_and_kept() {
    let root = tempfile::tempdir().expect("folder");
    let path = root.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    if !made.is_ok_and(|status| status.success()) {
        println!("skipped: no mkfifo");
        return;
    }
    let writer = path.clone();
    let text = lines(20);
    let thread = std::thread::spawn(move || fs::write(writer, text));
    let loaded = load_all(&[path]);
    thread.join().expect("writer").expect("write");
    assert_eq!(loaded.groups.len(), 20);
    let content = loaded.open(3).expect("open");
    assert!(content.trajectories[0].patch.is_some());
    assert_eq!(content.problems, Vec::<String>::new());
}

#[cfg(not(feature = "remote"))]
#[test]
fn addresses_are_refused_with_the_reason() {
    let address = PathBuf::from("s3://bucket/runs");
    let error = gagar::formats::check_path(&address).expect_err("refused");
    assert!(error.to_string().contains("feature `remote`"), "{error}");
    let loaded = load_all(&[address, sample("native")]);
    assert!(!loaded.groups.is_empty());
    has_problem(&loaded, None, "feature `remote`");
}
