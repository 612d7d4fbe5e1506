//! The part of the report about agreement: tables, intervals as points, tau-b over groups.

use super::Findings;
use super::csv::{CsvTable, number};
use super::document::{Block, Document, Table};
use super::svg::{Mark, Plot, Shape, histogram};
use super::words;
use crate::domain::agreement::compare;
use crate::domain::counted;
use crate::raters::{Figure, Rater, TableKind};

/// Writes the section.
pub fn write(found: &Findings<'_>, document: &mut Document, rows: &mut Vec<CsvTable>) {
    document.section("Agreement");
    pairs_plot(found, document);
    tau_plot(found, document, rows);
    for kind in TableKind::ALL {
        let told = found.agreement.table(kind);
        let mut table = Table {
            caption: kind.title().to_owned(),
            header: told.header.iter().map(|name| (*name).to_owned()).collect(),
            right: told.right.to_vec(),
            rows: told.rows.into_iter().map(|row| row.cells).collect(),
            notes: told.notes,
        };
        if table.rows.is_empty() && kind != TableKind::Raters {
            // Notes explain the figures; there is none.
            table.notes = vec![format!("{}: nothing to tell.", kind.title())];
        }
        document.table(table);
    }
    push_rows(found, rows);
}

/// The agreement of each pair of raters as points with intervals.
fn pairs_plot(found: &Findings<'_>, document: &mut Document) {
    let marks: Vec<Mark> = found
        .agreement
        .pairs
        .iter()
        .map(|pair| {
            let figure = &pair.pairwise_accuracy;
            Mark {
                label: format!("{} ~ {}", pair.reference, pair.prediction),
                value: words::number(figure.mean),
                shape: figure
                    .mean
                    .map_or(Shape::None, |mean| Shape::Point(mean, figure.interval)),
            }
        })
        .collect();
    if marks.is_empty() {
        return;
    }
    let said: Vec<String> = found
        .agreement
        .pairs
        .iter()
        .map(|pair| {
            let figure = &pair.pairwise_accuracy;
            let interval = figure.interval.map_or_else(String::new, |[low, high]| {
                format!(" ({low:.3} to {high:.3})")
            });
            let mean = words::number(figure.mean);
            format!("{} ~ {}: {mean}{interval}", pair.reference, pair.prediction)
        })
        .collect();
    document.blocks.push(Block::Plot(Plot {
        title: "Pairwise accuracy of each pair of raters (reference ~ compared), 95 % interval"
            .to_owned(),
        alternative: said.join("; "),
        axis: (0.0, 1.0),
        marks,
    }));
}

/// Tau-b of each grader with what people say together, over groups.
fn tau_plot(found: &Findings<'_>, document: &mut Document, rows: &mut Vec<CsvTable>) {
    let mut csv = CsvTable::new(
        "group_agreement",
        "two raters of a group (the reference is the annotators' consensus for graders, another \
         annotator for annotators)",
        &[
            "group_id",
            "reference",
            "compared",
            "common",
            "concordant",
            "inversions",
            "tied_reference",
            "tied_compared",
            "tied_both",
            "tau_b",
            "pairwise_accuracy",
            "top1",
            "undefined",
        ],
    );
    let mut taus: Vec<(String, Vec<f64>, usize)> = Vec::new();
    for group in &found.evidence {
        let consensus = group
            .consensus(found.agreement.options.aggregate)
            .ranking
            .ok();
        let mut raters: Vec<(Rater, &crate::domain::Ranking)> = Vec::new();
        for grader in &group.graders {
            if let Some(ranking) = &grader.ranking {
                raters.push((Rater::Grader(grader.name.clone()), ranking));
            }
        }
        for (name, ranking) in group.submitted() {
            raters.push((Rater::Annotator(name.to_owned()), ranking));
        }
        for (place, (rater, ranking)) in raters.iter().enumerate() {
            let mut against: Vec<(String, &crate::domain::Ranking)> = Vec::new();
            if matches!(rater, Rater::Grader(_)) {
                against.extend(consensus.iter().map(|c| (Rater::Consensus.to_string(), c)));
            } else {
                let others = raters.iter().skip(place + 1);
                against.extend(others.map(|(other, ranking)| (other.to_string(), *ranking)));
            }
            for (reference, other) in against {
                let pair = compare(other, ranking);
                if let Rater::Grader(name) = rater {
                    let known = taus.iter_mut().find(|(known, _, _)| known == name);
                    let entry = match known {
                        Some(entry) => entry,
                        None => {
                            taus.push((name.clone(), Vec::new(), 0));
                            let last = taus.len() - 1;
                            &mut taus[last]
                        }
                    };
                    match pair.tau_b {
                        Ok(tau) => entry.1.push(tau),
                        Err(_) => entry.2 += 1,
                    }
                }
                let why = pair.tau_b.err().map(|why| why.to_string());
                csv.rows.push(vec![
                    found.group_id(group.group).to_owned(),
                    reference,
                    rater.to_string(),
                    pair.common.to_string(),
                    pair.concordant.to_string(),
                    pair.inversions.len().to_string(),
                    pair.tied_reference.to_string(),
                    pair.tied_prediction.to_string(),
                    pair.tied_both.to_string(),
                    number(pair.tau_b.ok()),
                    number(pair.pairwise_accuracy.ok()),
                    number(pair.top1.ok()),
                    why.unwrap_or_default(),
                ]);
            }
        }
    }
    for (name, values, undefined) in taus {
        if values.is_empty() {
            continue;
        }
        let title = format!("Groups by tau-b of grader {name} with the annotators' consensus");
        let mut plot = histogram(&title, &values, (-1.0, 1.0), 10);
        if undefined > 0 {
            let rest = counted(undefined, "group", "groups");
            plot.alternative.push_str(&format!("; undefined in {rest}"));
        }
        document.blocks.push(Block::Plot(plot));
    }
    rows.push(csv);
}

fn figure(figure: &Figure) -> [String; 5] {
    [
        number(figure.mean),
        number(figure.interval.map(|[low, _]| low)),
        number(figure.interval.map(|[_, high]| high)),
        figure.groups.to_string(),
        figure.left_out().to_string(),
    ]
}

fn push_rows(found: &Findings<'_>, rows: &mut Vec<CsvTable>) {
    let agreement = &found.agreement;
    let mut figures = CsvTable::new(
        "agreement",
        "a figure of agreement: a mean over groups with its 95 % interval",
        &[
            "what",
            "reference",
            "compared",
            "figure",
            "mean",
            "low",
            "high",
            "groups",
            "undefined",
        ],
    );
    let mut push = |what: &str, reference: String, compared: String, name: &str, of: &Figure| {
        let mut row = vec![what.to_owned(), reference, compared, name.to_owned()];
        row.extend(figure(of));
        figures.rows.push(row);
    };
    for pair in &agreement.pairs {
        for (name, of) in [
            ("tau_b", &pair.tau_b),
            ("pairwise_accuracy", &pair.pairwise_accuracy),
            ("top1", &pair.top1),
        ] {
            let (reference, compared) = (pair.reference.to_string(), pair.prediction.to_string());
            push("pair", reference, compared, name, of);
        }
    }
    for row in &agreement.positions {
        for (name, of) in [
            ("tau_b", &row.tau_b),
            ("first_on_top", &row.first_on_top),
            ("first_above_chance", &row.first_above_chance),
        ] {
            push(
                "position",
                "order shown".to_owned(),
                row.grader.clone(),
                name,
                of,
            );
        }
    }
    for row in &agreement.people {
        for (reference, of) in [
            ("other annotators", &row.with_others),
            ("known ranking", &row.with_gold),
            ("graders", &row.with_graders),
        ] {
            push(
                "annotator",
                reference.to_owned(),
                row.annotator.clone(),
                "tau_b",
                of,
            );
        }
    }
    for row in &agreement.reveals {
        let reference = row
            .grader
            .as_ref()
            .map_or("itself".to_owned(), ToString::to_string);
        for (name, of) in [
            ("before_reveal", &row.before),
            ("after_reveal", &row.after),
            ("difference", &row.difference),
        ] {
            push("reveal", reference.clone(), row.annotator.clone(), name, of);
        }
    }
    rows.push(figures);

    let mut people = CsvTable::new(
        "annotators",
        "an annotator",
        &[
            "annotator",
            "groups",
            "timed",
            "per_hour",
            "median_seconds",
            "too_fast",
            "findings",
            "findings_after_reveal",
            "findings_per_group",
            "confidence_low",
            "confidence_medium",
            "confidence_high",
            "confidence_not_said",
        ],
    );
    for row in &agreement.people {
        let [low, medium, high] = row.confidence;
        people.rows.push(vec![
            row.annotator.clone(),
            row.groups.to_string(),
            row.timed.to_string(),
            number(row.per_hour),
            number(row.median_seconds),
            row.too_fast.to_string(),
            row.findings.to_string(),
            row.findings_after_reveal.to_string(),
            number(row.findings_per_group),
            low.to_string(),
            medium.to_string(),
            high.to_string(),
            row.confidence_not_said.to_string(),
        ]);
    }
    rows.push(people);

    let mut kappas = CsvTable::new(
        "finding_agreement",
        "two raters and a code of the rubric (empty = any finding), counted over trajectories",
        &[
            "first",
            "second",
            "code",
            "trajectories",
            "both",
            "only_first",
            "only_second",
            "neither",
            "kappa",
            "undefined",
        ],
    );
    for row in &agreement.kappas {
        kappas.rows.push(vec![
            row.first.to_string(),
            row.second.to_string(),
            row.code.clone().unwrap_or_default(),
            row.trajectories.to_string(),
            row.both.to_string(),
            row.only_first.to_string(),
            row.only_second.to_string(),
            row.neither.to_string(),
            number(row.kappa),
            row.undefined.clone().unwrap_or_default(),
        ]);
    }
    rows.push(kappas);

    let mut alphas = CsvTable::new(
        "alpha",
        "Krippendorff's ordinal alpha of groups with one number of passing candidates",
        &[
            "candidates",
            "with_graders",
            "groups",
            "raters",
            "alpha",
            "undefined",
        ],
    );
    for row in &agreement.alphas {
        alphas.rows.push(vec![
            row.candidates.to_string(),
            row.with_graders.to_string(),
            row.groups.to_string(),
            row.raters.to_string(),
            number(row.alpha),
            row.undefined.clone().unwrap_or_default(),
        ]);
    }
    rows.push(alphas);
}
