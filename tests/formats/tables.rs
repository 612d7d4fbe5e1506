//! Parquet: rows of every format, files that join, codecs, pages and row groups, broken files.

#![cfg(feature = "parquet")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gagar::domain::StepKind;
use gagar::formats::{LoadOptions, LoadedSet, load};
use parquet::basic::{Compression, GzipLevel, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use super::{has_problem, problems};

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn load_path(path: &Path) -> LoadedSet {
    load(&[path.to_path_buf()], &LoadOptions::default(), &mut |_| {
        true
    })
}

fn outcomes(loaded: &LoadedSet) -> Vec<(&str, &str, &str, Option<u32>)> {
    loaded
        .groups
        .iter()
        .flat_map(|group| {
            group.trajectories.iter().map(|t| {
                let word = t.outcome.word();
                (group.id.as_str(), t.id.as_str(), word, t.steps)
            })
        })
        .collect()
}

/// A column of texts: its name and its values.
type Texts<'r> = (&'r str, Vec<Option<String>>);

/// Rows of texts and one number.
struct Rows<'r> {
    texts: &'r [Texts<'r>],
    number: (&'r str, Vec<Option<f64>>),
}

/// A small writer: optional columns, some rows a group, small pages.
fn write(path: &Path, rows: &Rows<'_>, group: usize, codec: Compression) {
    let mut schema = String::from("message rows {\n");
    for (name, _) in rows.texts {
        schema += &format!("optional binary {name} (UTF8);\n");
    }
    schema += &format!("optional double {};\n}}", rows.number.0);
    let schema = Arc::new(parse_message_type(&schema).expect("schema"));
    let properties = WriterProperties::builder()
        .set_compression(codec)
        .set_data_page_size_limit(600)
        .set_write_batch_size(8)
        .build();
    let file = fs::File::create(path).expect("file");
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties)).expect("writer");
    for start in (0..rows.number.1.len()).step_by(group) {
        let end = (start + group).min(rows.number.1.len());
        let mut of_group = writer.next_row_group().expect("group");
        let def = |is_some: bool| i16::from(is_some);
        for (_, values) in rows.texts {
            let values = &values[start..end];
            let defs: Vec<i16> = values.iter().map(|value| def(value.is_some())).collect();
            let values: Vec<ByteArray> = values
                .iter()
                .flatten()
                .map(|text| ByteArray::from(text.as_str()))
                .collect();
            let mut column = of_group.next_column().expect("column").expect("column");
            let typed = column.typed::<ByteArrayType>();
            typed
                .write_batch(&values, Some(&defs), None)
                .expect("values");
            column.close().expect("close");
        }
        let values = &rows.number.1[start..end];
        let defs: Vec<i16> = values.iter().map(|value| def(value.is_some())).collect();
        let values: Vec<f64> = values.iter().flatten().copied().collect();
        let mut column = of_group.next_column().expect("column").expect("column");
        let typed = column.typed::<DoubleType>();
        typed
            .write_batch(&values, Some(&defs), None)
            .expect("values");
        column.close().expect("close");
        of_group.close().expect("close");
    }
    writer.close().expect("close");
}

/// Rows of four rollouts a task, each with a patch of its own.
fn many(count: usize) -> (Vec<Texts<'static>>, Vec<Option<f64>>) {
    let text = |make: &dyn Fn(usize) -> Option<String>| (0..count).map(make).collect::<Vec<_>>();
    let texts = vec![
        ("instance_id", text(&|n| Some(format!("acme__p-{}", n / 4)))),
        ("run_id", text(&|n| Some(format!("r{}", n % 4)))),
        (
            "model_patch",
            text(&|n| {
                (n % 4 != 3).then(|| {
                    format!("diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b{n}\n")
                })
            }),
        ),
        (
            "messages",
            text(&|n| {
                Some(format!(
                    "[{{\"role\":\"user\",\"content\":\"task {}\"}},{{\"role\":\"assistant\",\"content\":\"answer {n}\"}}]",
                    n / 4
                ))
            }),
        ),
    ];
    let rewards = (0..count)
        .map(|n| match n % 4 {
            0 => Some(1.0),
            1 => Some(0.25),
            2 => Some(f64::NAN),
            _ => None,
        })
        .collect();
    (texts, rewards)
}

#[test]
fn the_sample_joins_two_files() {
    let loaded = load_path(&here("sample-data/formats/parquet"));
    assert_eq!(problems(&loaded), []);
    assert_eq!(
        outcomes(&loaded),
        [
            ("acme__otter-1", "o1-a", "pass", Some(6)),
            ("acme__otter-1", "o1-b", "fail", Some(6)),
            ("acme__otter-1", "o1-c", "unscored", Some(5)),
            ("acme__otter-1", "o1-d", "pass", Some(6)),
            ("acme__otter-2", "o2-a", "fail", Some(4)),
            ("acme__otter-2", "o2-b", "pass", Some(6)),
            ("acme__otter-2", "o2-c", "pass", Some(6)),
        ]
    );
    let first = &loaded.groups[0].trajectories[0];
    assert_eq!(first.cost_usd, Some(0.0412));
    let labels = ("labels", "{\"suite\":\"nightly\",\"seed\":\"0\"}");
    let kept: Vec<(&str, &str)> = first
        .meta
        .0
        .iter()
        .map(|(key, value)| (key.as_str(), value.as_str()))
        .collect();
    assert!(kept.contains(&labels), "{kept:?}");
    assert!(
        kept.contains(&("created_at", "\"2026-05-01T09:30:00Z\"")),
        "{kept:?}"
    );
    assert_eq!(loaded.guessed.len(), 2);
    assert!(
        loaded.guessed[0]
            .path
            .ends_with("train-00000-of-00002.parquet")
    );
    for (index, group) in loaded.groups.iter().enumerate() {
        let content = loaded.open(index).expect("open");
        assert_eq!(content.problems, Vec::<String>::new());
        for (trajectory, content) in group.trajectories.iter().zip(&content.trajectories) {
            assert_eq!(content.steps.len(), trajectory.steps.unwrap_or(0) as usize);
            let bytes = content.patch.as_ref().map_or(0, String::len);
            assert_eq!(bytes as u64, trajectory.patch.bytes);
        }
    }
    // Arguments that break off are shown as they are.
    let content = loaded.open(1).expect("open");
    let call = &content.trajectories[0].steps[2];
    assert_eq!(call.kind(), StepKind::ToolCall);
    assert!(call.text.starts_with("{\"command\": \"grep"));
}

#[test]
fn every_row_is_found_again_whatever_the_codec() {
    let root = tempfile::tempdir().expect("folder");
    let codecs = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::ZSTD(ZstdLevel::default()),
    ];
    for (number, codec) in codecs.into_iter().enumerate() {
        let path = root.path().join(format!("{number}.parquet"));
        let (texts, rewards) = many(200);
        let rows = Rows {
            texts: &texts,
            number: ("reward", rewards),
        };
        write(&path, &rows, 70, codec);
        let loaded = load_path(&path);
        assert_eq!(problems(&loaded), [], "{codec:?}");
        assert_eq!(loaded.groups.len(), 50);
        for (index, group) in loaded.groups.iter().enumerate() {
            let words: Vec<&str> = group
                .trajectories
                .iter()
                .map(|t| t.outcome.word())
                .collect();
            assert_eq!(
                words,
                ["pass", "fail", "unscored", "unscored"],
                "{}",
                group.id
            );
            assert_eq!(group.trajectories[2].marks, ["the reward is NaN"]);
            let task: usize = group.id.as_str()["acme__p-".len()..].parse().expect("task");
            let content = loaded.open(index).expect("open");
            assert_eq!(content.problems, Vec::<String>::new());
            for (n, trajectory) in (task * 4..).zip(&content.trajectories) {
                assert_eq!(trajectory.steps[1].text, format!("answer {n}"));
                let end = format!("+b{n}\n");
                let patch = trajectory.patch.as_deref();
                assert_eq!(patch.is_some_and(|patch| patch.ends_with(&end)), n % 4 != 3);
            }
        }
    }
}

#[test]
fn rows_of_other_formats_are_read_as_such() {
    let root = tempfile::tempdir().expect("folder");
    let path = root.path().join("groups.parquet");
    let text = |values: [&str; 2]| values.map(|value| Some(value.to_owned())).to_vec();
    let texts = [
        ("schema", text(["gagar.trajectory/1", "gagar.trajectory/1"])),
        ("group_id", text(["g", "g"])),
        ("trajectory_id", text(["a", "b"])),
        ("patch", text(["x", "y"])),
    ];
    let rows = Rows {
        texts: &texts,
        number: ("reward", vec![Some(1.0), Some(0.0)]),
    };
    write(&path, &rows, 10, Compression::SNAPPY);
    let loaded = load_path(root.path());
    assert_eq!(problems(&loaded), []);
    assert_eq!(
        outcomes(&loaded),
        [("g", "a", "pass", None), ("g", "b", "fail", None)]
    );
    let content = loaded.open(0).expect("open");
    assert_eq!(content.problems, Vec::<String>::new());
    assert_eq!(content.trajectories[1].patch.as_deref(), Some("y"));
    assert!(loaded.guessed.is_empty());
}

#[test]
fn a_given_map_reads_its_columns() {
    let root = tempfile::tempdir().expect("folder");
    let path = root.path().join("odd.parquet");
    let some = |values: [Option<&str>; 3]| values.map(|value| value.map(str::to_owned)).to_vec();
    let texts = [
        ("q", some([Some("t"), None, Some("t")])),
        (
            "info",
            some([Some("{\"p\":{\"d\":\"x\"}}"), Some("{}"), Some("no JSON")]),
        ),
    ];
    let rows = Rows {
        texts: &texts,
        number: ("v", vec![Some(1.0), Some(1.0), Some(0.0)]),
    };
    write(&path, &rows, 10, Compression::UNCOMPRESSED);
    let options = LoadOptions {
        map: Some("group=q,reward=v,patch=info.p.d".parse().expect("map")),
        ..LoadOptions::default()
    };
    let loaded = load(&[path], &options, &mut |_| true);
    assert_eq!(
        outcomes(&loaded),
        [("t", "odd:1", "pass", None), ("t", "odd:3", "fail", None)]
    );
    has_problem(
        &loaded,
        Some(2),
        "the map says group=q, which the record lacks",
    );
    let content = loaded.open(0).expect("open");
    assert_eq!(content.trajectories[0].patch.as_deref(), Some("x"));
}

#[test]
fn what_cannot_be_read_is_told_and_the_rest_loads() {
    let root = tempfile::tempdir().expect("folder");
    let sample = here("sample-data/formats/parquet/train-00000-of-00002.parquet");
    let bytes = fs::read(&sample).expect("bytes");
    let file = |name: &str, bytes: &[u8]| fs::write(root.path().join(name), bytes).expect("write");
    file("cut.parquet", &bytes[..bytes.len() - 100]);
    file("start.parquet", b"PAR1");
    file("other.parquet", b"{\"a\":1}");
    file("empty.parquet", b"");
    file("whole.parquet", &bytes);
    for codec in ["lz4", "brotli"] {
        let from = here("tests/formats/data").join(format!("{codec}.parquet"));
        fs::copy(from, root.path().join(format!("{codec}.parquet"))).expect("copy");
    }
    let rows = Rows {
        texts: &[("instance_id", Vec::new())],
        number: ("reward", Vec::new()),
    };
    write(
        &root.path().join("none.parquet"),
        &rows,
        1,
        Compression::SNAPPY,
    );
    let loaded = load_path(root.path());
    assert_eq!(loaded.groups.len(), 2);
    let told = |name: &str, words: &str| {
        let found = loaded
            .problems
            .iter()
            .any(|problem| problem.path.ends_with(name) && problem.reason.contains(words));
        assert!(found, "{name}: {:?}", loaded.problems);
    };
    for name in [
        "cut.parquet",
        "start.parquet",
        "other.parquet",
        "empty.parquet",
    ] {
        told(name, "the Parquet file cannot be read");
    }
    told(
        "lz4.parquet",
        "compressed with LZ4_RAW, which is not supported",
    );
    told(
        "brotli.parquet",
        "compressed with BROTLI, which is not supported",
    );
    told("none.parquet", "the file has no rows");
    assert_eq!(loaded.problems.len(), 7, "{:?}", loaded.problems);
}

#[test]
fn trl_completions_are_read_as_trl_writes_them() {
    let root = tempfile::tempdir().expect("folder");
    let path = root.path().join("completions_00012.parquet");
    let some = |text: &str| Some(text.to_owned());
    let patch = "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n";
    let rows = Rows {
        texts: &[
            (
                "prompt",
                vec![some("Fix it"), some("Fix it"), some("Other")],
            ),
            ("completion", vec![some(patch), some("no"), some("no")]),
            ("advantage", vec![None, None, None]),
        ],
        number: ("tests_reward", vec![Some(1.0), Some(0.0), None]),
    };
    write(&path, &rows, 2, Compression::SNAPPY);
    let loaded = load_path(&path);
    assert_eq!(problems(&loaded), []);
    let mut sizes: Vec<usize> = loaded.groups.iter().map(|g| g.trajectories.len()).collect();
    sizes.sort_unstable();
    assert_eq!(sizes, [1, 2]);
    let index = loaded
        .groups
        .iter()
        .position(|g| g.trajectories.len() == 2)
        .expect("the group");
    let words: Vec<&str> = loaded.groups[index]
        .trajectories
        .iter()
        .map(|t| t.outcome.word())
        .collect();
    assert_eq!(words, ["pass", "fail"]);
    let content = loaded.open(index).expect("open");
    assert_eq!(content.trajectories[0].patch.as_deref(), Some(patch));
    assert_eq!(content.task.text.as_deref(), Some("Fix it"));
}
