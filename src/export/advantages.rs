//! `gagar.advantage/1`: one flat row per scored trajectory, failing ones too, for trainers
//! (`grader-and-scope.md` 5.3).
//!
//! The schema has no room for an unscored trajectory (its reward is a number, not null), so such a
//! trajectory has no row; how many were left out is reported.

use std::io::{self, Write};

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::{Computed, Export, ExportOptions, ExportSource, Written, hex, write_row};
use crate::domain::RolloutGroup;
use crate::domain::counted;

/// The advantages of every kept group.
#[derive(Debug, Clone, Copy)]
pub struct Advantages;

#[derive(Serialize)]
struct Row<'a> {
    schema: &'static str,
    group_id: &'a str,
    trajectory_id: &'a str,
    reward: f64,
    passed: bool,
    rank: usize,
    tier_size: usize,
    weight: f64,
    advantage_base: f64,
    advantage: f64,
    estimator: &'a str,
    scheme: &'a str,
    status: &'static str,
    source: &'a str,
    annotation_id: &'a str,
    export_id: &'a str,
}

impl Export for Advantages {
    fn name(&self) -> &'static str {
        "advantages"
    }

    fn doc(&self) -> &'static str {
        "baseline and redistributed advantage of every trajectory, for trainers (gagar.advantage/1)"
    }

    fn write(
        &self,
        source: &dyn ExportSource,
        options: &ExportOptions,
        out: &mut dyn Write,
    ) -> io::Result<Written> {
        let mut written = Written::default();
        let mut computed = Vec::new();
        let mut dropped = 0usize;
        for (index, group) in source.groups().iter().map(AsRef::as_ref).enumerate() {
            match source.computed(index) {
                Ok(found) if found.kept || options.all => computed.push((group, found)),
                Ok(_) => dropped += 1,
                Err(reason) => written
                    .problems
                    .push(format!("group {}: {reason}", group.id)),
            }
        }
        let export_id = options
            .export_id
            .clone()
            .unwrap_or_else(|| derived_id(&computed, options));
        let mut unscored = 0usize;
        for (group, found) in &computed {
            let before = written.rows;
            for row in rows(group, found, options, &export_id) {
                write_row(out, &row)?;
                written.rows += 1;
            }
            written.groups += u64::from(written.rows > before);
            unscored += group
                .trajectories
                .iter()
                .filter(|t| t.reward.is_none())
                .count();
        }
        if dropped > 0 {
            written.notes.push(format!(
                "{} without both outcomes: dynamic sampling drops them, so no rows (--all writes them)",
                counted(dropped, "group", "groups")
            ));
        }
        if unscored > 0 {
            written.notes.push(format!(
                "{unscored} unscored trajectories have no row: they have no reward, and their advantage is 0"
            ));
        }
        written.export_id = Some(export_id);
        Ok(written)
    }
}

fn rows<'a>(
    group: &'a RolloutGroup,
    found: &'a Computed,
    options: &'a ExportOptions,
    export_id: &'a str,
) -> impl Iterator<Item = Row<'a>> {
    let scored = group.trajectories.iter().enumerate();
    scored.filter_map(move |(index, trajectory)| {
        let tier = found.ranking.tier_of(index);
        Some(Row {
            schema: "gagar.advantage/1",
            group_id: group.id.as_str(),
            trajectory_id: trajectory.id.as_str(),
            reward: trajectory.reward?,
            passed: trajectory.outcome.is_pass(),
            rank: found.ranking.rank_of(index).unwrap_or(0),
            tier_size: tier
                .and_then(|tier| found.ranking.tiers().get(tier))
                .map_or(0, Vec::len),
            weight: found
                .redistributed
                .weights
                .get(index)
                .copied()
                .flatten()
                .unwrap_or(1.0),
            advantage_base: *found.baseline.get(index)?,
            advantage: *found.redistributed.advantages.get(index)?,
            estimator: &options.estimator,
            scheme: &options.scheme,
            status: found.redistributed.status.word(),
            source: &found.source,
            annotation_id: &found.annotation_id,
            export_id,
        })
    })
}

/// An id that is the same for the same groups, rankings and options, and else another one.
fn derived_id(computed: &[(&RolloutGroup, Computed)], options: &ExportOptions) -> String {
    let mut hash = Sha256::new();
    let mut add = |text: &str| {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    };
    add(&options.estimator);
    add(&options.scheme);
    add(&options.choices);
    for (group, found) in computed {
        add(group.id.as_str());
        add(&group.fingerprint);
        add(&found.source);
        add(&found.annotation_id);
        add(&format!("{:?}", found.ranking.tiers()));
    }
    let mut id = hex(&hash.finalize());
    id.truncate(16);
    format!("e-{id}")
}
