//! A report as one HTML file: no script, nothing loaded from elsewhere, light or dark as the reader
//! has it, fit to be printed.

use super::document::{Block, Document, Table, visible};

const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#1a1a1a;--dim:#595959;--ground:#fff;--line:#bbb;--soft:#f3f3f3;\
--added:#e3f5e3;--removed:#fbe6e6}\
@media (prefers-color-scheme:dark){:root{--ink:#e6e6e6;--dim:#a8a8a8;--ground:#161616;--line:#4a4a4a;\
--soft:#222;--added:#14301a;--removed:#3a1a1a}}\
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--ground);max-width:60rem;\
margin:2rem auto;padding:0 1rem}\
h1{font-size:1.6rem}h2{font-size:1.25rem;margin-top:2.5rem;border-bottom:1px solid var(--line)}\
h3{font-size:1.05rem;margin-top:1.5rem}\
table{border-collapse:collapse;font-size:.87rem;font-variant-numeric:tabular-nums}\
caption{text-align:left;font-weight:600;padding:.4rem 0}\
th,td{padding:.2rem .6rem;text-align:left;border-bottom:1px solid var(--line);vertical-align:top;\
overflow-wrap:anywhere}\
th.r,td.r{text-align:right;white-space:nowrap}\
.table{overflow-x:auto;margin:1rem 0}.note{color:var(--dim);font-size:.85rem;margin:.2rem 0}\
figure{margin:1rem 0}figcaption{font-weight:600;font-size:.9rem}svg{max-width:100%;height:auto}\
pre{background:var(--soft);border:1px solid var(--line);padding:.5rem;overflow-x:auto;font-size:.8rem;\
line-height:1.35;tab-size:4;margin:.3rem 0}\
pre ins,pre del{text-decoration:none;display:inline-block;min-width:100%}\
pre ins{background:var(--added)}pre del{background:var(--removed)}\
details{margin:.5rem 0}summary{cursor:pointer;overflow-wrap:anywhere}\
nav ol{columns:2}\
@media print{:root{--ink:#000;--ground:#fff;--dim:#333;--line:#999;--soft:#fff;--added:#fff;\
--removed:#fff}body{margin:0;max-width:none}pre{white-space:pre-wrap;overflow-wrap:anywhere}\
h2,h3,summary{break-after:avoid}table,figure,tr{break-inside:avoid}nav{display:none}}";

/// The report as a whole file.
#[must_use]
pub fn html(document: &Document) -> String {
    let title = text(&document.title);
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    );
    out.push_str("<nav aria-label=\"Contents\"><ol>\n");
    for (place, title) in sections(document) {
        out.push_str(&format!(
            "<li><a href=\"#s{place}\">{}</a></li>\n",
            text(title)
        ));
    }
    out.push_str("</ol></nav>\n");
    for (place, block) in document.blocks.iter().enumerate() {
        push_block(&mut out, place, block);
    }
    out.push_str("</body>\n</html>\n");
    out
}

fn sections(document: &Document) -> impl Iterator<Item = (usize, &String)> {
    let blocks = document.blocks.iter().enumerate();
    blocks.filter_map(|(place, block)| match block {
        Block::Heading(2, title) => Some((place, title)),
        _ => None,
    })
}

fn push_block(out: &mut String, place: usize, block: &Block) {
    match block {
        Block::Heading(2, title) => {
            out.push_str(&format!("<h2 id=\"s{place}\">{}</h2>\n", text(title)));
        }
        Block::Heading(_, title) => out.push_str(&format!("<h3>{}</h3>\n", text(title))),
        Block::Text(paragraph) => out.push_str(&format!("<p>{}</p>\n", text(paragraph))),
        Block::List(items) => {
            out.push_str("<ul>\n");
            for item in items {
                out.push_str(&format!("<li>{}</li>\n", text(item)));
            }
            out.push_str("</ul>\n");
        }
        Block::Table(table) => push_table(out, table),
        Block::Plot(plot) => out.push_str(&format!(
            "<figure><figcaption>{}</figcaption>{}</figure>\n",
            text(&plot.title),
            plot.svg()
        )),
        Block::Patch {
            title,
            text: patch,
            cut,
        } => {
            out.push_str(&format!(
                "<details open><summary>{}</summary>\n<pre>",
                text(title)
            ));
            for line in patch.lines() {
                let shown = escape(&visible(line, false));
                match line.as_bytes().first() {
                    Some(b'+') => out.push_str(&format!("<ins>{shown}</ins>\n")),
                    Some(b'-') => out.push_str(&format!("<del>{shown}</del>\n")),
                    _ => {
                        out.push_str(&shown);
                        out.push('\n');
                    }
                }
            }
            out.push_str("</pre>\n");
            if let Some(cut) = cut {
                out.push_str(&format!("<p class=\"note\">{}</p>\n", text(cut)));
            }
            out.push_str("</details>\n");
        }
    }
}

fn push_table(out: &mut String, table: &Table) {
    let class = |column: usize| {
        if table.is_right(column) {
            " class=\"r\""
        } else {
            ""
        }
    };
    out.push_str(&format!(
        "<div class=\"table\"><table><caption>{}</caption>\n<thead><tr>",
        text(&table.caption)
    ));
    for (column, heading) in table.header.iter().enumerate() {
        let class = class(column);
        out.push_str(&format!("<th scope=\"col\"{class}>{}</th>", text(heading)));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        out.push_str("<tr>");
        for (column, cell) in row.iter().enumerate() {
            out.push_str(&format!("<td{}>{}</td>", class(column), text(cell)));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table>\n");
    for note in &table.notes {
        out.push_str(&format!("<p class=\"note\">{}</p>\n", text(note)));
    }
    out.push_str("</div>\n");
}

/// Plain text on one line, harmless.
fn text(plain: &str) -> String {
    escape(&visible(plain, false))
}

/// Escapes what has a meaning in HTML, XML and attributes.
#[must_use]
pub fn escape(plain: &str) -> String {
    let mut out = String::with_capacity(plain.len());
    for found in plain.chars() {
        match found {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            found => out.push(found),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn untrusted_text_is_escaped_wherever_it_stands() {
        let bad = "<script>alert(1)</script>\u{1b}[2J\"'&";
        let mut table = Table::new(bad, &[bad, ">n"]);
        table.row([bad.to_owned(), "1".to_owned()]);
        table.notes.push(bad.to_owned());
        let mut document = Document {
            title: bad.to_owned(),
            ..Document::default()
        };
        document.section(bad);
        document.part(bad);
        document.text(bad);
        document.list(vec![bad.to_owned()]);
        document.table(table);
        document.blocks.push(Block::Patch {
            title: bad.to_owned(),
            text: format!("+{bad}\n-</pre>{bad}\n {bad}"),
            cut: Some(bad.to_owned()),
        });
        let page = html(&document);
        assert!(!page.contains("<script"), "{page}");
        assert!(!page.contains('\u{1b}'));
        assert_eq!(page.matches("&lt;script&gt;").count(), 16, "{page}");
        assert!(page.contains("<del>-&lt;/pre&gt;"), "{page}");
        assert!(
            !page.contains("http://") && !page.contains("https://"),
            "{page}"
        );
    }
}
