//! The part of the report that compares schemes.

use super::Findings;
use super::csv::{CsvTable, number};
use super::document::{Block, Document, Table};
use super::svg::{Mark, Plot, Shape};
use super::words;
use crate::audit::Spread;
use crate::audit::scheme_table::{Column, accuracy, missing, oddities, over, rank_length};

/// Writes the section.
pub fn write(found: &Findings<'_>, document: &mut Document, rows: &mut Vec<CsvTable>) {
    let comparison = &found.comparison;
    document.section("Schemes compared");
    document.text(format!(
        "{}. Nothing is trained or simulated: these are the advantages that each scheme would give.",
        over(comparison)
    ));
    let mut lines = missing(comparison);
    lines.push(accuracy(found.accuracy));
    lines.extend(words::two_accuracies(found));
    lines.push(rank_length(comparison));
    document.list(lines);
    let mut table = Table {
        caption: "Schemes, means over groups".to_owned(),
        header: Column::ALL.map(|column| column.title().to_owned()).to_vec(),
        right: Column::ALL.map(|column| column != Column::Scheme).to_vec(),
        notes: Column::ALL
            .iter()
            .skip(1)
            .map(|column| format!("{}: {}", column.title(), column.doc()))
            .collect(),
        ..Table::default()
    };
    for row in &comparison.schemes {
        let mut cells = Column::ALL.map(|column| column.cell(row));
        cells[0] = row.scheme.to_string();
        table.row(cells);
    }
    table.notes.extend(oddities(comparison));
    document.table(table);
    plot(found, document);
    affected(found, document);
    push_rows(found, rows);
}

fn plot(found: &Findings<'_>, document: &mut Document) {
    let moved = |spread: Option<Spread>| spread.map(|spread| spread.mean);
    let schemes = &found.comparison.schemes;
    let means = schemes.iter().filter_map(|row| moved(row.credit_moved));
    let most = means.fold(0.0_f64, f64::max);
    if most <= 0.0 {
        return;
    }
    let said: Vec<String> = schemes
        .iter()
        .map(|row| format!("{}: {}", row.scheme, Column::Moved.cell(row)))
        .collect();
    document.blocks.push(Block::Plot(Plot {
        title: "Credit moved by each scheme, mean share of a group's credit".to_owned(),
        alternative: said.join("; "),
        axis: (0.0, (most * 10.0).ceil() / 10.0),
        marks: schemes
            .iter()
            .map(|row| Mark {
                label: row.scheme.to_string(),
                value: Column::Moved.cell(row),
                shape: moved(row.credit_moved).map_or(Shape::None, Shape::Bar),
            })
            .collect(),
    }));
}

/// The groups that the scheme in use changes most.
fn affected(found: &Findings<'_>, document: &mut Document) {
    let used = &found.inputs.session.settings().scheme;
    let mut rows = found.comparison.schemes.iter();
    let Some(row) = rows.find(|row| row.scheme == *used) else {
        return;
    };
    let caption = format!("Groups with the most credit moved by {used}");
    let mut table = Table::new(&caption, &["group", ">credit moved"]);
    for affected in &row.most_affected {
        table.row([
            found.group_id(affected.group).to_owned(),
            format!("{:.3}", affected.credit_moved),
        ]);
    }
    document.table(table);
}

fn push_rows(found: &Findings<'_>, rows: &mut Vec<CsvTable>) {
    let mut schemes = CsvTable::new(
        "schemes",
        "a figure of a scheme over the groups whose ranking can move credit",
        &[
            "scheme", "figure", "groups", "mean", "least", "median", "most",
        ],
    );
    for row in &found.comparison.schemes {
        let mut push = |figure: &str, spread: Option<Spread>| {
            schemes.rows.push(vec![
                row.scheme.to_string(),
                figure.to_owned(),
                spread.map_or(0, |spread| spread.count).to_string(),
                number(spread.map(|spread| spread.mean)),
                number(spread.map(|spread| spread.least)),
                number(spread.map(|spread| spread.median)),
                number(spread.map(|spread| spread.most)),
            ]);
        };
        push("top_boost", row.top_boost);
        push("effective_share", row.effective_share);
        push("credit_moved", row.credit_moved);
        push("variance_inflation", row.variance_inflation);
        push("pressure_change", row.pressure_change);
        push("token_credit", row.token_credit);
        push("rank_length_rho", found.comparison.rank_length);
        for (figure, mean) in [
            ("misplaced", row.misplaced),
            ("misplaced_per_moved", row.misplaced_per_moved),
        ] {
            let groups = found.comparison.movable.to_string();
            let mut cells = vec![row.scheme.to_string(), figure.to_owned(), groups];
            cells.push(number(mean));
            cells.extend(std::iter::repeat_n(String::new(), 3));
            schemes.rows.push(cells);
        }
    }
    rows.push(schemes);

    let mut groups = CsvTable::new(
        "scheme_groups",
        "what a scheme does to a group",
        &[
            "scheme",
            "group_id",
            "moves",
            "top_boost",
            "effective_share",
            "credit_moved",
            "variance_inflation",
            "pressure_change",
            "token_credit",
            "refused",
        ],
    );
    for row in &found.scheme_rows {
        let Some(scheme) = found.schemes.get(row.scheme) else {
            continue;
        };
        let mut cells = vec![scheme.to_string(), found.group_id(row.group).to_owned()];
        match row.figures {
            Ok(figures) => cells.extend([
                figures.moves.to_string(),
                number(Some(figures.top_boost)),
                number(Some(figures.effective_share)),
                number(Some(figures.credit_moved)),
                number(Some(figures.variance_inflation)),
                number(figures.pressure_change),
                number(figures.token_credit),
                String::new(),
            ]),
            Err(kind) => {
                cells.extend(std::iter::repeat_n(String::new(), 7));
                cells.push(kind.to_owned());
            }
        }
        groups.rows.push(cells);
    }
    rows.push(groups);
}
