//! The rows of a Parquet file as JSON texts: all of them or one, whole or some columns of them.
//!
//! What is *not* here: what a row means, and which columns are wanted.

mod columns;
mod rows;
mod value;

use std::collections::BTreeSet;
use std::io::{self, BufReader, Read};

use parquet::basic::Compression;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::{ChunkReader, FileReader as _, Length, SerializedFileReader};

use super::Candidate;
use rows::Rows;

/// Bytes read ahead while page headers are read.
const AHEAD: usize = 8 << 10;
/// The first bytes of every Parquet file.
const MAGIC: &[u8] = b"PAR1";

/// Why a Parquet file, or a part of it, cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TableError {
    /// Broken, cut off, or of a kind the reader does not know.
    #[error("the Parquet file cannot be read: {0}")]
    Broken(String),
    /// A codec that is not built in.
    #[error(
        "column {column} is compressed with {codec}, which is not supported; write the file with \
         zstd, snappy, gzip or without compression"
    )]
    Codec {
        /// The column.
        column: String,
        /// The codec.
        codec: String,
    },
    /// A row that is not there.
    #[error("there is no row {0}")]
    Row(u64),
}

impl From<ParquetError> for TableError {
    fn from(error: ParquetError) -> Self {
        let text = error.to_string();
        let known = ["Parquet error: ", "EOF: ", "External: "];
        let text = known
            .iter()
            .find_map(|start| text.strip_prefix(start))
            .unwrap_or(&text);
        Self::Broken(text.to_owned())
    }
}

/// A column of the first level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ColumnInfo {
    /// Its name.
    pub name: String,
    /// Bytes it takes unpacked, in the whole file.
    pub bytes: u64,
}

/// A Parquet file whose footer was read.
pub(crate) struct Table {
    reader: SerializedFileReader<Positional>,
}

impl Table {
    /// Whether bytes begin like a Parquet file.
    pub(crate) fn is_one(candidate: &Candidate) -> bool {
        let mut start = [0; MAGIC.len()];
        let mut read = 0;
        while read < start.len() {
            match candidate.read_at(read as u64, &mut start[read..]) {
                Ok(count) if count > 0 => read += count,
                _ => return false,
            }
        }
        start == MAGIC
    }

    /// Reads the footer.
    ///
    /// # Errors
    /// When the file is broken or cut off.
    pub(crate) fn open(candidate: &Candidate) -> Result<Self, TableError> {
        let len = candidate
            .len()
            .map_err(|error| TableError::Broken(error.to_string()))?;
        guarded(|| {
            let reader = SerializedFileReader::new(Positional {
                candidate: candidate.clone(),
                len,
            })?;
            Ok(Self { reader })
        })
    }

    fn metadata(&self) -> &ParquetMetaData {
        self.reader.metadata()
    }

    /// Number of rows in each row group.
    pub(crate) fn groups(&self) -> Vec<u64> {
        self.metadata()
            .row_groups()
            .iter()
            .map(|group| u64::try_from(group.num_rows()).unwrap_or(0))
            .collect()
    }

    /// Number of rows.
    pub(crate) fn rows(&self) -> u64 {
        self.groups().iter().sum()
    }

    /// The columns of the first level, in file order.
    pub(crate) fn columns(&self) -> Vec<ColumnInfo> {
        let schema = self.metadata().file_metadata().schema_descr();
        let mut columns: Vec<ColumnInfo> = schema
            .root_schema()
            .get_fields()
            .iter()
            .map(|field| ColumnInfo {
                name: field.name().to_owned(),
                bytes: 0,
            })
            .collect();
        for group in self.metadata().row_groups() {
            for (leaf, chunk) in group.columns().iter().enumerate() {
                if let Some(column) = columns.get_mut(schema.get_column_root_idx(leaf)) {
                    column.bytes += u64::try_from(chunk.uncompressed_size()).unwrap_or(0);
                }
            }
        }
        columns
    }

    /// Reads the rows of one row group and hands each over as a JSON object of the columns that are
    /// `wanted`. Stops when `take` answers false.
    ///
    /// # Errors
    /// When the group is broken, or compressed in a way that is not supported; the rows before were
    /// handed over.
    pub(crate) fn read(
        &self,
        group: usize,
        wanted: &dyn Fn(&str) -> bool,
        take: &mut dyn FnMut(&str) -> bool,
    ) -> Result<(), TableError> {
        guarded(|| {
            let mut rows = self.group(group, wanted)?;
            let mut text = String::new();
            while rows.next(&mut text)? {
                if !take(&text) {
                    break;
                }
            }
            Ok(())
        })
    }

    /// Hands over some rows (0-based) of the file as JSON objects of all columns, in ascending
    /// order.
    ///
    /// # Errors
    /// As [`Table::read`], or when there is no such row; the rows before were handed over.
    pub(crate) fn rows_at(
        &self,
        wanted: &BTreeSet<u64>,
        take: &mut dyn FnMut(u64, &str),
    ) -> Result<(), TableError> {
        guarded(|| {
            let (mut first, mut text) = (0, String::new());
            for (group, count) in self.groups().into_iter().enumerate() {
                let mut inside = wanted.range(first..first + count).peekable();
                if inside.peek().is_some() {
                    let mut rows = self.group(group, &|_| true)?;
                    let mut at = first;
                    for &row in inside {
                        rows.skip(row - at)?;
                        if !rows.next(&mut text)? {
                            return Err(TableError::Row(row + 1));
                        }
                        take(row, &text);
                        at = row + 1;
                    }
                }
                first += count;
            }
            match wanted.range(first..).next() {
                Some(row) => Err(TableError::Row(row + 1)),
                None => Ok(()),
            }
        })
    }

    fn group(&self, group: usize, wanted: &dyn Fn(&str) -> bool) -> Result<Rows, TableError> {
        let reader = self.reader.get_row_group(group)?;
        let schema = self.metadata().file_metadata().schema_descr();
        for (leaf, chunk) in reader.metadata().columns().iter().enumerate() {
            let codec = chunk.compression();
            let is_known = matches!(
                codec,
                Compression::UNCOMPRESSED
                    | Compression::SNAPPY
                    | Compression::GZIP(_)
                    | Compression::ZSTD(_)
            );
            if !is_known && wanted(schema.get_column_root(leaf).name()) {
                return Err(TableError::Codec {
                    column: chunk.column_path().string(),
                    codec: format!("{codec:?}")
                        .split('(')
                        .next()
                        .unwrap_or("")
                        .to_owned(),
                });
            }
        }
        Ok(Rows::new(reader.as_ref(), schema, wanted)?)
    }
}

/// Runs what reads untrusted bytes with code that may panic on them.
fn guarded<T>(read: impl FnOnce() -> Result<T, TableError>) -> Result<T, TableError> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(read)).unwrap_or_else(|_| {
        Err(TableError::Broken(
            "its pages contradict its footer".to_owned(),
        ))
    })
}

/// A candidate as the reader wants it.
struct Positional {
    candidate: Candidate,
    len: u64,
}

impl Length for Positional {
    fn len(&self) -> u64 {
        self.len
    }
}

impl ChunkReader for Positional {
    type T = BufReader<Tail>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        let tail = Tail {
            candidate: self.candidate.clone(),
            at: start,
        };
        Ok(BufReader::with_capacity(AHEAD, tail))
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<bytes::Bytes> {
        let bytes = self.candidate.read(start, length as u64);
        bytes
            .map(Into::into)
            .map_err(|error| ParquetError::EOF(error.to_string()))
    }
}

/// A candidate's bytes from a position on.
struct Tail {
    candidate: Candidate,
    at: u64,
}

impl Read for Tail {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let count = self.candidate.read_at(self.at, buf)?;
        self.at += count as u64;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::Value;

    use super::*;

    fn data(name: &str) -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/formats/data")
            .join(name)
    }

    fn open(path: std::path::PathBuf) -> Table {
        let listed = super::super::list(&[path], &mut Vec::new());
        Table::open(&listed[0]).expect("table")
    }

    /// The rows of `types.jsonl` were written by Python beside the Parquet files.
    fn expected() -> Vec<Value> {
        let text = std::fs::read_to_string(data("types.jsonl")).expect("rows");
        text.lines()
            .map(|line| serde_json::from_str(line).expect("row"))
            .collect()
    }

    #[test]
    fn every_type_reads_as_python_wrote_it() {
        for name in ["types-v1.parquet", "types-v2.parquet"] {
            let (table, expected) = (open(data(name)), expected());
            let mut rows = Vec::new();
            for group in 0..table.groups().len() {
                let mut take = |text: &str| {
                    rows.push(serde_json::from_str::<Value>(text).expect("JSON"));
                    true
                };
                table.read(group, &|_| true, &mut take).expect("rows");
            }
            assert_eq!(rows.len(), expected.len());
            for (row, expected) in rows.iter().zip(&expected) {
                assert_eq!(row, expected, "{name}");
            }
        }
    }

    #[test]
    fn one_row_and_some_columns() {
        for name in ["types-v1.parquet", "types-v2.parquet"] {
            let (table, expected) = (open(data(name)), expected());
            // One alone, and several in one go, within a group and across.
            let several = [0, 1, 5, 6, 39, 40, 41, 70, 89];
            let alone = (0..90).map(|row| BTreeSet::from([row]));
            for wanted in alone.chain([BTreeSet::from(several)]) {
                let mut seen = Vec::new();
                let mut take = |row: u64, text: &str| {
                    let found: Value = serde_json::from_str(text).expect("JSON");
                    assert_eq!(found, expected[row as usize], "{name} row {row}");
                    seen.push(row);
                };
                table.rows_at(&wanted, &mut take).expect("rows");
                assert!(seen.iter().eq(&wanted));
            }
            let behind = table.rows_at(&BTreeSet::from([90]), &mut |_, _| {});
            assert!(matches!(behind, Err(TableError::Row(91))));
            let mut first = String::new();
            let wanted = |column: &str| ["i8", "ls"].contains(&column);
            let mut take = |text: &str| {
                text.clone_into(&mut first);
                false
            };
            table.read(1, &wanted, &mut take).expect("rows");
            let found: Value = serde_json::from_str(&first).expect("JSON");
            assert_eq!(found["ls"], expected[40]["ls"]);
            assert_eq!(found.as_object().map(serde_json::Map::len), Some(2));
        }
    }

    #[test]
    fn broken_bytes_are_errors() {
        let bytes = std::fs::read(data("types-v1.parquet")).expect("bytes");
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("x.parquet");
        let mut broken = 0;
        // One byte changed somewhere, or the file cut off: never a panic, never a hang.
        for at in (4..bytes.len()).step_by(61) {
            let mut changed = bytes.clone();
            changed[at] ^= 0x55;
            std::fs::write(&path, &changed).expect("write");
            let listed = super::super::list(std::slice::from_ref(&path), &mut Vec::new());
            let Ok(table) = Table::open(&listed[0]) else {
                broken += 1;
                continue;
            };
            for group in 0..table.groups().len() {
                broken += usize::from(table.read(group, &|_| true, &mut |_| true).is_err());
            }
        }
        assert!(broken > 20, "{broken}");
        std::fs::write(&path, &bytes[..bytes.len() / 2]).expect("write");
        let listed = super::super::list(&[path], &mut Vec::new());
        let error = Table::open(&listed[0]).err().map(|error| error.to_string());
        assert!(error.is_some_and(|text| text.starts_with("the Parquet file cannot be read")));
    }
}
