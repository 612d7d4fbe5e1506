//! Rows as CSV (RFC 4180): commas, CRLF, quotes doubled where they are needed.

/// The rows behind a table or figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsvTable {
    /// The file's name without its ending.
    pub name: &'static str,
    /// What a row is, one line.
    pub doc: &'static str,
    /// The columns' names: they stay the same from version to version.
    pub columns: &'static [&'static str],
    /// The rows, one value a column; an empty value = there is none.
    pub rows: Vec<Vec<String>>,
}

impl CsvTable {
    /// A table without rows.
    #[must_use]
    pub fn new(name: &'static str, doc: &'static str, columns: &'static [&'static str]) -> Self {
        Self {
            name,
            doc,
            columns,
            rows: Vec::new(),
        }
    }

    /// The file's text: a line of names, then a line a row.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        push_line(&mut out, self.columns.iter().copied());
        for row in &self.rows {
            push_line(&mut out, row.iter().map(String::as_str));
        }
        out
    }
}

fn push_line<'a>(out: &mut String, values: impl Iterator<Item = &'a str>) {
    for (place, value) in values.enumerate() {
        if place > 0 {
            out.push(',');
        }
        if value.contains(['"', ',', '\r', '\n']) || value.starts_with(' ') || value.ends_with(' ')
        {
            out.push('"');
            out.push_str(&value.replace('"', "\"\""));
            out.push('"');
        } else {
            out.push_str(value);
        }
    }
    out.push_str("\r\n");
}

/// A number with all its digits; empty when there is none.
#[must_use]
pub fn number(value: Option<f64>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_quoted_where_they_must_be() {
        let mut table = CsvTable::new("t", "", &["a", "b"]);
        table
            .rows
            .push(vec!["x,\"y\"\r\nz".to_owned(), String::new()]);
        table.rows.push(vec!["=1+1".to_owned(), " é".to_owned()]);
        assert_eq!(
            table.text(),
            "a,b\r\n\"x,\"\"y\"\"\r\nz\",\r\n=1+1,\" é\"\r\n"
        );
        assert_eq!(number(Some(0.1)), "0.1");
        assert_eq!(number(None), "");
    }
}
