//! A report as Markdown (CommonMark with tables): plots become their text alternative, patches fenced
//! blocks whose fence is longer than any run of backquotes inside.

use super::document::{Block, Document, Table, visible};

/// The report as a whole file.
#[must_use]
pub fn markdown(document: &Document) -> String {
    let mut out = format!("# {}\n", text(&document.title));
    for block in &document.blocks {
        out.push('\n');
        push_block(&mut out, block);
    }
    out
}

fn push_block(out: &mut String, block: &Block) {
    match block {
        Block::Heading(level, title) => {
            let marks = "#".repeat(usize::from(*level));
            out.push_str(&format!("{marks} {}\n", text(title)));
        }
        Block::Text(paragraph) => out.push_str(&format!("{}\n", text(paragraph))),
        Block::List(items) => {
            for item in items {
                out.push_str(&format!("- {}\n", text(item)));
            }
        }
        Block::Table(table) => push_table(out, table),
        Block::Plot(plot) => {
            out.push_str(&format!(
                "**{}.** {}\n",
                text(&plot.title),
                text(&plot.alternative)
            ));
        }
        Block::Patch {
            title,
            text: patch,
            cut,
        } => {
            out.push_str(&format!("{}\n\n", text(title)));
            let shown = visible(patch, true);
            let fence = fence(&shown);
            let end = if shown.ends_with('\n') || shown.is_empty() {
                ""
            } else {
                "\n"
            };
            out.push_str(&format!("{fence}diff\n{shown}{end}{fence}\n"));
            if let Some(cut) = cut {
                out.push_str(&format!("\n{}\n", text(cut)));
            }
        }
    }
}

fn push_table(out: &mut String, table: &Table) {
    out.push_str(&format!("**{}**\n\n", text(&table.caption)));
    let line = |out: &mut String, cells: &[String]| {
        out.push('|');
        for column in 0..table.header.len() {
            let cell = cells.get(column).map(|cell| text(cell)).unwrap_or_default();
            out.push_str(&format!(" {cell} |"));
        }
        out.push('\n');
    };
    line(out, &table.header);
    out.push('|');
    for column in 0..table.header.len() {
        out.push_str(if table.is_right(column) {
            " ---: |"
        } else {
            " --- |"
        });
    }
    out.push('\n');
    for row in &table.rows {
        line(out, row);
    }
    for (place, note) in table.notes.iter().enumerate() {
        out.push_str(if place == 0 { "\n" } else { "" });
        out.push_str(&format!("- {}\n", text(note)));
    }
}

/// A fence that no run of backquotes in the text ends.
fn fence(inside: &str) -> String {
    let (mut longest, mut run) = (0, 0);
    for found in inside.chars() {
        run = if found == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    "`".repeat((longest + 1).max(3))
}

/// Plain text on one line: nothing in it is markup, a link, HTML, or a border of a table.
fn text(plain: &str) -> String {
    let shown = visible(plain, false).replace('\t', " ");
    let mut out = String::with_capacity(shown.len());
    for (place, found) in shown.char_indices() {
        let next = shown[place + found.len_utf8()..].chars().next();
        let is_number_before = place > 0 && shown[..place].bytes().all(|b| b.is_ascii_digit());
        let is_marked = match found {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '&' | '~' | '$' | '@' => true,
            '#' | '+' | '=' => place == 0,
            '-' => place == 0 && !next.is_some_and(|next| next.is_ascii_digit()),
            // "1. " at the start of a line is a list.
            '.' | ')' => is_number_before && next.is_none_or(|next| next == ' '),
            // "http:" is a link wherever it stands.
            ':' => shown[place..].starts_with("://"),
            _ => false,
        };
        if is_marked {
            out.push('\\');
        }
        out.push(found);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_longer_than_any_inside() {
        let mut document = Document {
            title: "t".to_owned(),
            ..Document::default()
        };
        document.blocks.push(Block::Patch {
            title: "p".to_owned(),
            text: "+````\n+```".to_owned(),
            cut: None,
        });
        assert_eq!(
            markdown(&document),
            "# t\n\np\n\n`````diff\n+````\n+```\n`````\n"
        );
    }

    #[test]
    fn text_is_no_markup() {
        assert_eq!(
            text("<b>|a_b*`[x](y)\u{1b}\n"),
            "\\<b\\>\\|a\\_b\\*\\`\\[x\\](y)\\\\u{1b}\\\\u{a}"
        );
        assert_eq!(text("# x"), "\\# x");
        assert_eq!(text("-0.5"), "-0.5");
        assert_eq!(text("- x"), "\\- x");
        assert_eq!(text("12. x"), "12\\. x");
        assert_eq!(text("1.5 and http://x"), "1.5 and http\\://x");
    }

    #[test]
    fn a_table_keeps_its_columns() {
        let mut table = Table::new("c", &["a", ">b"]);
        table.row(["x|y".to_owned(), "1".to_owned()]);
        let mut document = Document::default();
        document.table(table);
        assert!(markdown(&document).ends_with("| a | b |\n| --- | ---: |\n| x\\|y | 1 |\n"));
    }
}
