//! Rules that compare a candidate's places with those of the others: size, files, regions, consensus.
//!
//! Equal results count once, tests are left out, and places within three lines are one place
//! (`grader-and-scope.md` 4.4).

use std::collections::HashSet;
use std::ops::Range;

use super::Input;
use super::kinds::{is_prose, is_test};
use super::report::{At, Report, Skipped};
use super::rule::RuleId;
use crate::diff::{Aligned, AlignedFile, Cell, Patch, Region, Results};
use crate::domain::TrajectoryIndex;
use crate::domain::counted;
use crate::domain::scope::Level;

/// Places so many base lines apart are one.
const NEAR: u32 = 3;
/// An outlier changes at least so many lines more than the median.
const LEAST_MORE: f64 = 10.0;

/// Whose places count as evidence.
#[derive(Debug, Clone, Default)]
struct Pool {
    /// One candidate for each different result, ascending.
    counted: Vec<TrajectoryIndex>,
    /// How many candidates those stand for.
    candidates: usize,
    /// How many policies those are of; 1 where none is known.
    policies: usize,
}

impl Pool {
    fn of(input: &Input<'_>, results: &Results, is_in: impl Fn(TrajectoryIndex) -> bool) -> Self {
        let mut pool = Self::default();
        let mut policies = HashSet::new();
        for (index, trajectory) in input.group.trajectories.iter().enumerate() {
            let has_diff = input.patches.get(index);
            let has_diff = has_diff.is_some_and(|patch| !patch.files.is_empty());
            if !has_diff || !is_in(index) {
                continue;
            }
            pool.candidates += 1;
            policies.insert(trajectory.policy.as_deref());
            let mut known = pool.counted.iter();
            if !known.any(|&other| results.overall.are_equal(other, index)) {
                pool.counted.push(index);
            }
        }
        pool.policies = policies.len();
        pool
    }

    /// The counted candidate with the same result; none where the candidate is not counted.
    fn stands_for(&self, results: &Results, candidate: TrajectoryIndex) -> Option<usize> {
        let mut counted = self.counted.iter();
        let found = counted.find(|&&one| results.overall.are_equal(one, candidate));
        found.copied()
    }
}

/// A place of the base that counted candidates touch: regions close to each other.
#[derive(Debug, Clone)]
struct Cluster {
    file: usize,
    lines: (u32, u32),
    /// Counted candidates.
    touched: Vec<TrajectoryIndex>,
}

/// What is known of the group's places.
pub(super) struct Places<'a> {
    on_base: Option<(&'a Aligned, &'a Results)>,
    passing: Pool,
    /// Failing ones too, where few pass.
    all: Pool,
    /// Places that more than half of the passing touch; of all where few pass.
    consensus: Vec<Cluster>,
    consensus_of_all: Vec<Cluster>,
    /// Changed lines outside tests, per candidate.
    sizes: Vec<u32>,
    /// Median over the counted passing ones.
    median: Option<f64>,
}

impl<'a> Places<'a> {
    /// Looks at a group.
    pub fn of(input: &Input<'a>, skipped: &[Skipped]) -> Self {
        let none = Skipped::default();
        let sizes: Vec<u32> = input
            .patches
            .iter()
            .enumerate()
            .map(|(index, patch)| size(patch, skipped.get(index).unwrap_or(&none)))
            .collect();
        let mut places = Self {
            on_base: input.on_base,
            passing: Pool::default(),
            all: Pool::default(),
            consensus: Vec::new(),
            consensus_of_all: Vec::new(),
            sizes,
            median: None,
        };
        let Some((aligned, results)) = input.on_base else {
            return places;
        };
        let passes = |index: usize| {
            let trajectory = input.group.trajectories.get(index);
            trajectory.is_some_and(|trajectory| trajectory.outcome.is_pass())
        };
        places.passing = Pool::of(input, results, passes);
        places.all = Pool::of(input, results, |_| true);
        places.consensus = consensus(aligned, &places.passing);
        places.consensus_of_all = consensus(aligned, &places.all);
        let counted = places.passing.counted.iter();
        let sizes = counted.filter_map(|&index| places.sizes.get(index).copied());
        places.median = median(sizes.collect());
        places
    }

    /// Asks the rules that compare.
    pub fn look(&self, input: &Input<'_>, report: &mut Report<'_>) {
        self.size(report);
        let Some((aligned, results)) = self.on_base else {
            return;
        };
        self.files((aligned, results), report);
        self.not_in_reference(input, aligned, report);
        let enough = |id: RuleId, pool: &Pool| {
            pool.candidates as f64 >= report.rules.threshold(id) && pool.counted.len() > 1
        };
        let (unique, extra) = (
            enough(RuleId::RegionUnique, &self.passing),
            enough(RuleId::ExtraRegion, &self.passing),
        );
        if unique || extra {
            self.regions((aligned, results), report, (unique, extra));
        }
        let few = self.passing.candidates < 3;
        if few && enough(RuleId::ExtraRegionWeak, &self.all) {
            self.weak_regions((aligned, results), report);
        }
    }

    fn size(&self, report: &mut Report<'_>) {
        let size = self.sizes.get(report.trajectory).copied().unwrap_or(0);
        let size = f64::from(size);
        let factor = report.rules.threshold(RuleId::SizeOutlier);
        if let Some(median) = self.median
            && self.passing.candidates >= 3
            && size > factor * median
            && size >= median + LEAST_MORE
        {
            let reason = format!("{size} changed lines, the median is {median}");
            report.add(RuleId::SizeOutlier, At::default(), reason);
        }
    }

    fn files(&self, (aligned, results): (&Aligned, &Results), report: &mut Report<'_>) {
        let least = report.rules.threshold(RuleId::FileUnique);
        let pool = &self.passing;
        if !report.asks(RuleId::FileUnique)
            || (pool.candidates as f64) < least
            || pool.counted.len() < 2
        {
            return;
        }
        let own = pool.stands_for(results, report.trajectory);
        for file in &aligned.files {
            let Some(of) = file.file_of(report.trajectory) else {
                continue;
            };
            let others = pool.counted.iter().filter(|&&other| Some(other) != own);
            let mut others = others.filter(|&&other| file.file_of(other).is_some());
            let is_left_out = is_test(&file.path) || is_prose(&file.path);
            if !is_left_out && others.next().is_none() {
                let reason = format!(
                    "no other of {} touches this file",
                    counted(pool.candidates, "passing candidate", "passing candidates")
                );
                let level = RuleId::FileUnique.rule().level;
                add(
                    report,
                    RuleId::FileUnique,
                    level,
                    At::file(of.file),
                    &reason,
                );
            }
        }
    }

    fn not_in_reference(&self, input: &Input<'_>, aligned: &Aligned, report: &mut Report<'_>) {
        let reference = input.patches.len();
        let is_known = input.reference.is_some() && aligned.candidates().len() > reference;
        if !is_known || !report.asks(RuleId::RegionNotInGold) {
            return;
        }
        let gold = |region: &Region| region.is_touched_by(reference);
        for (file, place) in own_places(aligned, report.trajectory) {
            let of = &aligned.files[file];
            if !is_test(&of.path) && !is_near(of, place.lines, gold) {
                let at = at(of, report.trajectory, report.patch, &place);
                let reason = "the reference patch does not touch this place";
                add(report, RuleId::RegionNotInGold, Level::Info, at, reason);
            }
        }
    }

    fn regions(
        &self,
        (aligned, results): (&Aligned, &Results),
        report: &mut Report<'_>,
        (unique, extra): (bool, bool),
    ) {
        let found = alone(aligned, results, &self.passing, report.trajectory);
        if found.is_empty() {
            return;
        }
        let covers = covers(aligned, &self.consensus, report.trajectory);
        let evidence = evidence(&self.passing, "passing");
        let level = match self.passing.policies > 1 {
            true => Level::Info,
            false => RuleId::ExtraRegion.rule().level,
        };
        for (file, place) in found {
            let of = &aligned.files[file];
            let at = at(of, report.trajectory, report.patch, &place);
            if extra && covers && report.asks(RuleId::ExtraRegion) {
                let places = counted(self.consensus.len(), "place", "places");
                let reason = format!(
                    "only this candidate changes this place; it covers the {places} that most of \
                     {evidence} change"
                );
                add(report, RuleId::ExtraRegion, level, at, &reason);
                if !report.asks(RuleId::RegionUnique) {
                    continue;
                }
            }
            if unique {
                let reason = format!("only this candidate of {evidence} changes this place");
                add(report, RuleId::RegionUnique, Level::Info, at, &reason);
            }
        }
    }

    fn weak_regions(&self, (aligned, results): (&Aligned, &Results), report: &mut Report<'_>) {
        if !report.asks(RuleId::ExtraRegionWeak) {
            return;
        }
        let found = alone(aligned, results, &self.all, report.trajectory);
        if found.is_empty() || !covers(aligned, &self.consensus_of_all, report.trajectory) {
            return;
        }
        let evidence = evidence(&self.all, "failing ones too");
        for (file, place) in found {
            let at = at(
                &aligned.files[file],
                report.trajectory,
                report.patch,
                &place,
            );
            let reason = format!("only this candidate of {evidence} changes this place (weak)");
            add(report, RuleId::ExtraRegionWeak, Level::Info, at, &reason);
        }
    }
}

/// Takes a remark about a place, unless the place is an artefact's or the whole file is remarked on.
fn add(report: &mut Report<'_>, id: RuleId, level: Level, at: At, reason: &str) {
    let Some(index) = at.file else {
        return report.add_as(id, level, at, reason);
    };
    let of = report.patch.files.get(index);
    let is_left_out = match at.hunk {
        Some(hunk) => report.skipped.has(index, hunk),
        None => of.is_some_and(|file| report.skipped.has_file(index, file)),
    };
    if !is_left_out && !report.odd_files.contains(&index) {
        report.add_as(id, level, at, reason);
    }
}

/// `7 passing candidates (5 different results, 3 policies)`.
fn evidence(pool: &Pool, which: &str) -> String {
    let mut told = vec![counted(
        pool.counted.len(),
        "different result",
        "different results",
    )];
    if pool.policies > 1 {
        told.push(format!("{} policies", pool.policies));
    }
    let candidates = pool.candidates;
    let told = told.join(", ");
    match which {
        "passing" => format!("{candidates} passing candidates ({told})"),
        _ => format!("{candidates} candidates ({which}; {told})"),
    }
}

/// Changed lines outside tests and artefacts.
fn size(patch: &Patch, skipped: &Skipped) -> u32 {
    let files = patch.files.iter().enumerate();
    let files = files.filter(|(index, file)| {
        !file.binary && !is_test(file.path()) && !skipped.has_file(*index, file)
    });
    let sizes = files.map(|(_, file)| file.added.saturating_add(file.removed));
    sizes.fold(0, u32::saturating_add)
}

fn median(mut sizes: Vec<u32>) -> Option<f64> {
    sizes.sort_unstable();
    let upper = f64::from(*sizes.get(sizes.len() / 2)?);
    let lower = f64::from(*sizes.get((sizes.len() - 1) / 2)?);
    Some(f64::midpoint(lower, upper))
}

/// First and last base line of a region; an insertion is at the line before it.
fn span(region: &Region) -> (u32, u32) {
    let (from, to) = region.base;
    (from.min(to), from.max(to))
}

/// A place of one candidate: regions close to each other.
#[derive(Debug, Clone)]
struct Place {
    lines: (u32, u32),
    /// Rows of the file.
    rows: Range<usize>,
}

/// The places that a candidate changes, by file; regions within [`NEAR`] lines are one.
fn own_places(aligned: &Aligned, candidate: TrajectoryIndex) -> Vec<(usize, Place)> {
    let mut all: Vec<(usize, Place)> = Vec::new();
    for (index, file) in aligned.files.iter().enumerate() {
        if file.file_of(candidate).is_none() {
            continue;
        }
        let own = file.regions.iter();
        for region in own.filter(|region| region.is_touched_by(candidate)) {
            let lines = span(region);
            match all.last_mut() {
                Some((of, place))
                    if *of == index && lines.0 <= place.lines.1.saturating_add(NEAR) =>
                {
                    place.lines.1 = place.lines.1.max(lines.1);
                    place.rows.end = region.rows.end;
                }
                _ => {
                    let rows = region.rows.clone();
                    all.push((index, Place { lines, rows }));
                }
            }
        }
    }
    all
}

/// Whether a region that is wanted lies within [`NEAR`] lines.
fn is_near(file: &AlignedFile, lines: (u32, u32), wanted: impl Fn(&Region) -> bool) -> bool {
    let low = lines.0.saturating_sub(NEAR);
    let high = lines.1.saturating_add(NEAR);
    // Regions are in order, so what ends before is skipped at once.
    let first = file.regions.partition_point(|region| span(region).1 < low);
    let near = file.regions.get(first..).unwrap_or(&[]).iter();
    near.take_while(|region| span(region).0 <= high).any(wanted)
}

/// The candidate's places outside tests that no other counted result touches.
fn alone(
    aligned: &Aligned,
    results: &Results,
    pool: &Pool,
    candidate: TrajectoryIndex,
) -> Vec<(usize, Place)> {
    let own = pool.stands_for(results, candidate);
    let others: Vec<_> = pool
        .counted
        .iter()
        .copied()
        .filter(|other| Some(*other) != own)
        .collect();
    let touched = |region: &Region| others.iter().any(|&other| region.is_touched_by(other));
    let places = own_places(aligned, candidate).into_iter();
    places
        .filter(|(file, place)| {
            let of = &aligned.files[*file];
            !is_test(&of.path) && !is_near(of, place.lines, touched)
        })
        .collect()
}

/// The places that more than half of the counted results touch, tests left out.
fn consensus(aligned: &Aligned, pool: &Pool) -> Vec<Cluster> {
    let mut clusters: Vec<Cluster> = Vec::new();
    for (file, of) in aligned.files.iter().enumerate() {
        if is_test(&of.path) {
            continue;
        }
        for region in &of.regions {
            let touched = pool.counted.iter().copied();
            let touched: Vec<_> = touched.filter(|&one| region.is_touched_by(one)).collect();
            if touched.is_empty() {
                continue;
            }
            let lines = span(region);
            match clusters.last_mut() {
                Some(last) if last.file == file && lines.0 <= last.lines.1.saturating_add(NEAR) => {
                    last.lines.1 = last.lines.1.max(lines.1);
                    last.touched.extend(touched);
                    last.touched.sort_unstable();
                    last.touched.dedup();
                }
                _ => clusters.push(Cluster {
                    file,
                    lines,
                    touched,
                }),
            }
        }
    }
    clusters.retain(|cluster| 2 * cluster.touched.len() > pool.counted.len());
    clusters
}

/// Whether a candidate touches every one of these places; `false` when there is none.
fn covers(aligned: &Aligned, consensus: &[Cluster], candidate: TrajectoryIndex) -> bool {
    !consensus.is_empty()
        && consensus.iter().all(|cluster| {
            let own = |region: &Region| region.is_touched_by(candidate);
            is_near(&aligned.files[cluster.file], cluster.lines, own)
        })
}

/// Where a place stands in the candidate's patch.
fn at(file: &AlignedFile, candidate: TrajectoryIndex, patch: &Patch, place: &Place) -> At {
    let Some(of) = file.file_of(candidate) else {
        return At::default();
    };
    let mut at = At::file(of.file);
    let hunks = patch.files.get(of.file).map(|file| &file.hunks);
    let mut new: Option<(u32, u32)> = None;
    let mut old: Option<(u32, u32)> = None;
    for row in place.rows.clone() {
        let (hunk, line, is_added) = match file.cell(row, candidate) {
            Cell::Added { hunk, line } => (hunk as usize, line as usize, true),
            Cell::Removed { hunk, line } => (hunk as usize, line as usize, false),
            _ => continue,
        };
        let found = hunks.and_then(|hunks| hunks.get(hunk)?.lines.get(line));
        let Some(found) = found else { continue };
        at.hunk.get_or_insert(hunk);
        let (span, number) = match is_added {
            true => (&mut new, found.new_no),
            false => (&mut old, found.old_no),
        };
        if let Some(number) = number {
            let known = span.get_or_insert((number, number));
            known.1 = known.1.max(number);
        }
    }
    at.lines = new
        .map(|lines| (lines, false))
        .or(old.map(|lines| (lines, true)));
    at
}
