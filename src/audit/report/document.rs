//! What a report says, before it is HTML or Markdown: headings, texts, tables, plots, patches.
//!
//! Every text here is plain and untrusted: the two renderers make it harmless.

use super::svg::Plot;

/// A report.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Document {
    /// Its title.
    pub title: String,
    /// Its parts, top to bottom.
    pub blocks: Vec<Block>,
}

/// A part of a report.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// A heading: level 2 a section, 3 a part of one.
    Heading(u8, String),
    /// A paragraph.
    Text(String),
    /// Sentences or names, one an item.
    List(Vec<String>),
    /// A table.
    Table(Table),
    /// A plot.
    Plot(Plot),
    /// A patch or a part of it.
    Patch {
        /// What it is.
        title: String,
        /// Its lines.
        text: String,
        /// What was cut off, when something was.
        cut: Option<String>,
    },
}

/// A table of texts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// What it holds, one line.
    pub caption: String,
    /// The headings.
    pub header: Vec<String>,
    /// Columns aligned to the right; the others are at the left.
    pub right: Vec<bool>,
    /// The rows, one cell a column.
    pub rows: Vec<Vec<String>>,
    /// What is to be known beside, one sentence each.
    pub notes: Vec<String>,
}

impl Document {
    /// Adds a section's heading.
    pub fn section(&mut self, title: &str) {
        self.blocks.push(Block::Heading(2, title.to_owned()));
    }

    /// Adds the heading of a part of a section.
    pub fn part(&mut self, title: impl Into<String>) {
        self.blocks.push(Block::Heading(3, title.into()));
    }

    /// Adds a paragraph.
    pub fn text(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Text(text.into()));
    }

    /// Adds a list, unless it is empty.
    pub fn list(&mut self, items: Vec<String>) {
        if !items.is_empty() {
            self.blocks.push(Block::List(items));
        }
    }

    /// Adds a table; without a row only its notes, as a list.
    pub fn table(&mut self, table: Table) {
        if table.rows.is_empty() {
            self.list(table.notes);
        } else {
            self.blocks.push(Block::Table(table));
        }
    }
}

impl Table {
    /// A table with these headings; a heading that begins with `>` is of a column aligned to the
    /// right.
    #[must_use]
    pub fn new(caption: &str, header: &[&str]) -> Self {
        let name = |heading: &&str| heading.trim_start_matches('>').to_owned();
        Self {
            caption: caption.to_owned(),
            header: header.iter().map(name).collect(),
            right: header.iter().map(|h| h.starts_with('>')).collect(),
            ..Self::default()
        }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Whether a column (0-based) is aligned to the right.
    #[must_use]
    pub fn is_right(&self, column: usize) -> bool {
        self.right.get(column).copied().unwrap_or(false)
    }
}

/// A text with everything that has no place in a document made visible: control characters as
/// `\u{1b}`, and those that turn the direction of text around. Line feeds stay when `lines`.
#[must_use]
pub fn visible(text: &str, lines: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for found in text.chars() {
        match found {
            '\n' if lines => out.push(found),
            '\t' => out.push(found),
            '\u{61c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
            | '\u{feff}'
            | '\u{fffe}'
            | '\u{ffff}' => {
                out.extend(found.escape_unicode());
            }
            found if found.is_control() => out.extend(found.escape_unicode()),
            found => out.push(found),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_seen_and_not_sent() {
        let shown = visible("a\u{1b}[2J\u{202e}\u{0}\nb\tc", false);
        assert_eq!(shown, "a\\u{1b}[2J\\u{202e}\\u{0}\\u{a}b\tc");
        assert_eq!(visible("a\nb", true), "a\nb");
    }
}
