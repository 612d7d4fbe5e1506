//! Puts the leaf columns of a row group together into records, as JSON texts.
//!
//! What is *not* here: reading a column (`columns`) and writing a value (`value`).

use parquet::basic::{ConvertedType, LogicalType, Repetition};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::RowGroupReader;
use parquet::schema::types::{SchemaDescriptor, Type};

use super::columns::Column;

/// Rows read from every column at a time, at most.
const BATCH: usize = 64;
/// How deep types may be nested.
const DEEPEST: usize = 64;

/// What a type makes of its leaves.
enum Node {
    /// The leaf at this place among the columns read.
    Leaf(usize),
    /// An object.
    Object(Vec<(String, Node)>),
    /// A value that is there from a definition level on.
    Option(i16, Box<Node>),
    /// A list with elements from a definition level on; they begin at a repetition level.
    List(i16, i16, Box<Node>),
    /// A list of keys with values, likewise.
    Map(i16, i16, Box<Node>, Box<Node>),
}

impl Node {
    /// The first leaf: its levels tell whether the node is there.
    fn first(&self) -> Option<usize> {
        match self {
            Self::Leaf(column) => Some(*column),
            Self::Object(fields) => fields.iter().find_map(|(_, node)| node.first()),
            Self::Option(_, inner) | Self::List(_, _, inner) | Self::Map(_, _, inner, _) => {
                inner.first()
            }
        }
    }
}

/// The rows of a row group, one after another.
pub(super) struct Rows {
    columns: Vec<Column>,
    roots: Vec<(String, Node)>,
    /// Rows of the batch that are left.
    left: usize,
    /// Rows of the group that were not read yet.
    unread: usize,
    /// Rows to read next from every column.
    batch: usize,
    /// Takes what is left out.
    scratch: String,
}

impl Rows {
    /// The rows with the columns that are wanted.
    ///
    /// # Errors
    /// When a column chunk cannot be read, or types are nested too deeply.
    pub(super) fn new(
        group: &dyn RowGroupReader,
        schema: &SchemaDescriptor,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Self> {
        let mut builder = Builder {
            group,
            schema,
            leaf: 0,
            columns: Vec::new(),
        };
        let mut roots = Vec::new();
        for field in schema.root_schema().get_fields() {
            if wanted(field.name()) {
                let node = builder.node(field, 0, 0, 0)?;
                roots.push((json_key(field.name()), node));
            } else {
                builder.leaf += leaves(field);
            }
        }
        Ok(Self {
            columns: builder.columns,
            roots,
            left: 0,
            batch: 1,
            scratch: String::new(),
            unread: usize::try_from(group.metadata().num_rows()).unwrap_or(0),
        })
    }

    /// Leaves out rows.
    pub(super) fn skip(&mut self, rows: u64) -> Result<()> {
        let rows = usize::try_from(rows).unwrap_or(usize::MAX);
        let read = rows.min(self.left);
        for _ in 0..read {
            for (_, node) in &self.roots {
                write(node, &mut self.columns, &mut self.scratch);
            }
            self.scratch.clear();
        }
        self.left -= read;
        let rest = (rows - read).min(self.unread);
        if rest > 0 {
            for column in &mut self.columns {
                column.skip(rest)?;
            }
            self.unread -= rest;
            // Whoever skips wants few rows.
            self.batch = 1;
        }
        Ok(())
    }

    fn fill(&mut self, rows: usize) -> Result<()> {
        let rows = rows.min(self.unread);
        for column in &mut self.columns {
            let read = column.fill(rows)?;
            if read != rows {
                return Err(ParquetError::General(format!(
                    "a column ends {} rows before the others",
                    self.unread - read
                )));
            }
        }
        self.left = rows;
        self.unread -= rows;
        Ok(())
    }

    /// Writes the next row in the place of the text; false when there is none.
    pub(super) fn next(&mut self, text: &mut String) -> Result<bool> {
        if self.left == 0 {
            self.fill(self.batch)?;
            self.batch = (self.batch * 2).min(BATCH);
        }
        if self.left == 0 {
            return Ok(false);
        }
        self.left -= 1;
        text.clear();
        text.push('{');
        for (index, (key, node)) in self.roots.iter().enumerate() {
            if index > 0 {
                text.push(',');
            }
            text.push_str(key);
            text.push(':');
            write(node, &mut self.columns, text);
        }
        text.push('}');
        Ok(true)
    }
}

/// Number of leaves of a type.
fn leaves(of: &Type) -> usize {
    match of {
        Type::PrimitiveType { .. } => 1,
        Type::GroupType { fields, .. } => fields.iter().map(|field| leaves(field)).sum(),
    }
}

fn json_key(name: &str) -> String {
    serde_json::to_string(name).unwrap_or_else(|_| "\"\"".to_owned())
}

/// Makes nodes of types, with a reader for each of their leaves.
struct Builder<'g> {
    group: &'g dyn RowGroupReader,
    schema: &'g SchemaDescriptor,
    /// Next leaf of the schema.
    leaf: usize,
    columns: Vec<Column>,
}

impl Builder<'_> {
    /// The node of a type below the given levels.
    fn node(&mut self, of: &Type, def: i16, rep: i16, depth: usize) -> Result<Node> {
        let info = of.get_basic_info();
        let repetition = if info.has_repetition() {
            info.repetition()
        } else {
            Repetition::REQUIRED
        };
        match repetition {
            Repetition::REQUIRED => self.inner(of, def, rep, depth),
            Repetition::OPTIONAL => {
                let inner = self.inner(of, def + 1, rep, depth)?;
                Ok(Node::Option(def + 1, Box::new(inner)))
            }
            Repetition::REPEATED => {
                let inner = self.inner(of, def + 1, rep + 1, depth)?;
                Ok(Node::List(def + 1, rep + 1, Box::new(inner)))
            }
        }
    }

    /// The node of a type whose own repetition is counted already.
    fn inner(&mut self, of: &Type, def: i16, rep: i16, depth: usize) -> Result<Node> {
        if depth > DEEPEST {
            return Err(ParquetError::General(
                "types are nested too deeply".to_owned(),
            ));
        }
        let Type::GroupType { fields, .. } = of else {
            let reader = self.group.get_column_reader(self.leaf)?;
            let descr = self.schema.column(self.leaf);
            self.columns.push(Column::new(reader, &descr));
            self.leaf += 1;
            return Ok(Node::Leaf(self.columns.len() - 1));
        };
        let info = of.get_basic_info();
        let is_list = info.converted_type() == ConvertedType::LIST
            || matches!(info.logical_type_ref(), Some(LogicalType::List));
        let is_map = matches!(
            info.converted_type(),
            ConvertedType::MAP | ConvertedType::MAP_KEY_VALUE
        ) || matches!(info.logical_type_ref(), Some(LogicalType::Map));
        if let ([repeated], true) = (fields.as_slice(), is_list || is_map)
            && repeated.get_basic_info().repetition() == Repetition::REPEATED
        {
            let (def, rep) = (def + 1, rep + 1);
            let inside: &[_] = match repeated.as_ref() {
                Type::GroupType { fields, .. } => fields,
                Type::PrimitiveType { .. } => &[],
            };
            if let ([key, value], true) = (inside, is_map) {
                let key = self.node(key, def, rep, depth + 1)?;
                let value = self.node(value, def, rep, depth + 1)?;
                return Ok(Node::Map(def, rep, Box::new(key), Box::new(value)));
            }
            // Old writers have the element itself repeated, new ones a group around it.
            let is_element = inside.len() != 1
                || repeated.name() == "array"
                || repeated.name() == format!("{}_tuple", of.name());
            let element = if is_element {
                self.inner(repeated, def, rep, depth + 1)?
            } else {
                self.node(&inside[0], def, rep, depth + 1)?
            };
            return Ok(Node::List(def, rep, Box::new(element)));
        }
        let fields = fields
            .iter()
            .map(|field| {
                let node = self.node(field, def, rep, depth + 1)?;
                Ok((json_key(field.name()), node))
            })
            .collect::<Result<_>>()?;
        Ok(Node::Object(fields))
    }
}

/// Goes past the triplets of a node that is not there.
fn pass(node: &Node, columns: &mut [Column]) {
    match node {
        Node::Leaf(column) => {
            if let Some(column) = columns.get_mut(*column) {
                column.pass();
            }
        }
        Node::Object(fields) => fields.iter().for_each(|(_, node)| pass(node, columns)),
        Node::Option(_, inner) | Node::List(_, _, inner) => pass(inner, columns),
        Node::Map(_, _, key, value) => {
            pass(key, columns);
            pass(value, columns);
        }
    }
}

/// The next triplet's levels of a node: definition and repetition; `None` behind the last one.
fn levels(node: &Node, columns: &[Column]) -> Option<(i16, i16)> {
    let column = columns.get(node.first()?)?;
    column.is_left().then(|| (column.def(), column.rep()))
}

/// Writes what a node holds as JSON.
fn write(node: &Node, columns: &mut [Column], out: &mut String) {
    match node {
        Node::Leaf(column) => {
            if let Some(column) = columns.get_mut(*column) {
                column.write(out);
            }
        }
        Node::Object(fields) => {
            out.push('{');
            for (index, (key, inner)) in fields.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                out.push_str(key);
                out.push(':');
                write(inner, columns, out);
            }
            out.push('}');
        }
        Node::Option(def, inner) => {
            if levels(inner, columns).is_some_and(|(now, _)| now >= *def) {
                write(inner, columns, out);
            } else {
                pass(inner, columns);
                out.push_str("null");
            }
        }
        Node::List(def, rep, inner) => {
            out.push('[');
            repeat(
                inner,
                (*def, *rep),
                columns,
                out,
                &mut |columns, out| {
                    write(inner, columns, out);
                },
                &mut |columns| pass(inner, columns),
            );
            out.push(']');
        }
        Node::Map(def, rep, key, value) => {
            out.push('{');
            repeat(
                key,
                (*def, *rep),
                columns,
                out,
                &mut |columns, out| {
                    let start = out.len();
                    write(key, columns, out);
                    // JSON has texts as keys only.
                    if !out[start..].starts_with('"') {
                        let plain = out.split_off(start);
                        out.push_str(&json_key(&plain));
                    }
                    out.push(':');
                    write(value, columns, out);
                },
                &mut |columns| {
                    pass(key, columns);
                    pass(value, columns);
                },
            );
            out.push('}');
        }
    }
}

/// Writes the elements of a list or map, separated by commas; passes what stands for an empty one.
fn repeat(
    first: &Node,
    (def, rep): (i16, i16),
    columns: &mut [Column],
    out: &mut String,
    element: &mut dyn FnMut(&mut [Column], &mut String),
    pass: &mut dyn FnMut(&mut [Column]),
) {
    if levels(first, columns).is_none_or(|(now, _)| now < def) {
        pass(columns);
        return;
    }
    loop {
        element(columns, out);
        match levels(first, columns) {
            Some((_, next)) if next == rep => out.push(','),
            _ => return,
        }
    }
}
