//! One leaf column of a row group: its values and levels, some rows at a time.
//!
//! What is *not* here: how leaves become records (`rows`).

use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType, FixedLenByteArray, Int96};
use parquet::errors::Result;
use parquet::schema::types::ColumnDescriptor;

use super::value::{Meaning, write};

/// Values of one physical type.
pub(super) enum Values {
    Bool(Vec<bool>),
    I32(Vec<i32>),
    I64(Vec<i64>),
    I96(Vec<Int96>),
    F32(Vec<f32>),
    F64(Vec<f64>),
    Bytes(Vec<ByteArray>),
    Fixed(Vec<FixedLenByteArray>),
}

/// A leaf column that is being read.
pub(super) struct Column {
    reader: ColumnReader,
    meaning: Meaning,
    max_def: i16,
    max_rep: i16,
    defs: Vec<i16>,
    reps: Vec<i16>,
    values: Values,
    /// Next level, and next value.
    at: usize,
    value_at: usize,
    levels: usize,
}

impl Column {
    pub(super) fn new(reader: ColumnReader, descr: &ColumnDescriptor) -> Self {
        let values = match &reader {
            ColumnReader::BoolColumnReader(_) => Values::Bool(Vec::new()),
            ColumnReader::Int32ColumnReader(_) => Values::I32(Vec::new()),
            ColumnReader::Int64ColumnReader(_) => Values::I64(Vec::new()),
            ColumnReader::Int96ColumnReader(_) => Values::I96(Vec::new()),
            ColumnReader::FloatColumnReader(_) => Values::F32(Vec::new()),
            ColumnReader::DoubleColumnReader(_) => Values::F64(Vec::new()),
            ColumnReader::ByteArrayColumnReader(_) => Values::Bytes(Vec::new()),
            ColumnReader::FixedLenByteArrayColumnReader(_) => Values::Fixed(Vec::new()),
        };
        Self {
            meaning: Meaning::of(descr),
            max_def: descr.max_def_level(),
            max_rep: descr.max_rep_level(),
            defs: Vec::new(),
            reps: Vec::new(),
            at: 0,
            value_at: 0,
            levels: 0,
            reader,
            values,
        }
    }

    /// Leaves out rows; those read before are over.
    pub(super) fn skip(&mut self, rows: usize) -> Result<()> {
        match &mut self.reader {
            ColumnReader::BoolColumnReader(reader) => reader.skip_records(rows),
            ColumnReader::Int32ColumnReader(reader) => reader.skip_records(rows),
            ColumnReader::Int64ColumnReader(reader) => reader.skip_records(rows),
            ColumnReader::Int96ColumnReader(reader) => reader.skip_records(rows),
            ColumnReader::FloatColumnReader(reader) => reader.skip_records(rows),
            ColumnReader::DoubleColumnReader(reader) => reader.skip_records(rows),
            ColumnReader::ByteArrayColumnReader(reader) => reader.skip_records(rows),
            ColumnReader::FixedLenByteArrayColumnReader(reader) => reader.skip_records(rows),
        }
        .map(|_| ())
    }

    /// Reads the next rows in the place of those before; answers how many there were.
    pub(super) fn fill(&mut self, rows: usize) -> Result<usize> {
        self.defs.clear();
        self.reps.clear();
        (self.at, self.value_at) = (0, 0);
        let levels = (&mut self.defs, &mut self.reps);
        let (read, count) = match (&mut self.reader, &mut self.values) {
            (ColumnReader::BoolColumnReader(r), Values::Bool(v)) => fill(r, rows, levels, v)?,
            (ColumnReader::Int32ColumnReader(r), Values::I32(v)) => fill(r, rows, levels, v)?,
            (ColumnReader::Int64ColumnReader(r), Values::I64(v)) => fill(r, rows, levels, v)?,
            (ColumnReader::Int96ColumnReader(r), Values::I96(v)) => fill(r, rows, levels, v)?,
            (ColumnReader::FloatColumnReader(r), Values::F32(v)) => fill(r, rows, levels, v)?,
            (ColumnReader::DoubleColumnReader(r), Values::F64(v)) => fill(r, rows, levels, v)?,
            (ColumnReader::ByteArrayColumnReader(r), Values::Bytes(v)) => fill(r, rows, levels, v)?,
            (ColumnReader::FixedLenByteArrayColumnReader(r), Values::Fixed(v)) => {
                fill(r, rows, levels, v)?
            }
            // `new` made them alike.
            _ => (0, 0),
        };
        self.levels = count;
        Ok(read)
    }

    /// Whether a triplet is left of what was read.
    pub(super) fn is_left(&self) -> bool {
        self.at < self.levels
    }

    /// Definition level of the next triplet.
    pub(super) fn def(&self) -> i16 {
        if self.max_def == 0 {
            return 0;
        }
        self.defs.get(self.at).copied().unwrap_or(0)
    }

    /// Repetition level of the next triplet.
    pub(super) fn rep(&self) -> i16 {
        if self.max_rep == 0 {
            return 0;
        }
        self.reps.get(self.at).copied().unwrap_or(0)
    }

    /// Goes past a triplet.
    pub(super) fn pass(&mut self) {
        if self.def() == self.max_def {
            self.value_at += 1;
        }
        self.at += 1;
    }

    /// Writes the next triplet's value as JSON and goes past it.
    pub(super) fn write(&mut self, out: &mut String) {
        if self.is_left() && self.def() == self.max_def {
            write(&self.values, self.value_at, self.meaning, out);
        } else {
            out.push_str("null");
        }
        self.pass();
    }
}

/// Reads rows until there are enough or no more; answers the rows and the levels.
fn fill<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
    (defs, reps): (&mut Vec<i16>, &mut Vec<i16>),
    values: &mut Vec<T::T>,
) -> Result<(usize, usize)> {
    values.clear();
    let (mut read, mut levels) = (0, 0);
    while read < rows {
        let (records, _, count) =
            reader.read_records(rows - read, Some(&mut *defs), Some(&mut *reps), values)?;
        if records == 0 {
            break;
        }
        read += records;
        levels += count;
    }
    Ok((read, levels))
}
