//! `gagar scope`: where the rules for out-of-scope edits point, and how often each of them does.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Ending;
use super::args::ScopeArgs;
use super::config::scope_rules;
use super::error::CliError;
use super::inputs::{Whose, open};
use super::output::Io;
use crate::audit::rule_rates;
use crate::domain::Trajectory;
use crate::domain::counted;
use crate::domain::scope::Remark;
use crate::review::remark_list::{self, RemarkOrder};
use crate::review::spotting::GroupRemarks;
use crate::review::{RankingSource, ReviewSession};
use crate::scope::{RULES, RuleId, Rules, RulesError, rule};
use crate::store::Verdict;

/// Prints remarks, or figures about the rules.
///
/// # Errors
/// A rule that does not exist, a configuration that means nothing, paths or a log that cannot be read,
/// an output that cannot be written.
pub fn run(args: &ScopeArgs, io: &mut Io<'_>) -> Result<Ending, CliError> {
    let mut rules = scope_rules(&args.input.paths)?;
    let mut wanted: Vec<&'static str> = Vec::new();
    for name in &args.rule {
        let found = rule(name).ok_or_else(|| RulesError::NoRule(name.clone()));
        wanted.push(found.map_err(CliError::usage)?.name);
    }
    // A rule that is named is asked, on or off; figures are about all of them.
    let configured = rules.clone();
    if args.stats || !wanted.is_empty() {
        rules = rules.all_on();
    }
    let opened = open(&args.input, RankingSource::Best, Whose::User, io)?;
    let session = &opened.session;
    let chosen = args.which.chosen(session);
    let found = rule_rates::gather(session, &chosen, &rules);
    let mut problems = opened.problems;
    for problem in found.iter().flat_map(|of| &of.problems) {
        io.note(&format!("problem: {problem}"))?;
        problems = true;
    }
    if args.stats {
        return stats(
            session,
            &found,
            (&configured, &rules, &wanted),
            args.json,
            io,
        )
        .map(|()| Ending::of(problems));
    }
    let mut lines: Vec<Place<'_>> = found
        .iter()
        .flat_map(|of| of.remarks.iter().map(move |remark| (of.group, remark)))
        .filter(|(_, remark)| wanted.is_empty() || wanted.contains(&remark.rule))
        .filter(|(_, remark)| args.level.is_none_or(|level| level == remark.level))
        .filter_map(|(group, remark)| Place::of(session, group, remark))
        .filter(|place| !args.passing || place.order.is_passing())
        .collect();
    lines.sort_by_key(|place| place.order);
    if args.json {
        for place in &lines {
            io.json(&place.json(session, configured.version()))?;
        }
    } else {
        table(session, &lines, args.all, io)?;
    }
    Ok(Ending::of(problems))
}

/// A remark with its place in the session.
struct Place<'a> {
    group: usize,
    group_id: &'a str,
    remark: &'a Remark,
    order: RemarkOrder,
    /// What people said of it, by name.
    verdicts: BTreeMap<String, Verdict>,
}

impl<'a> Place<'a> {
    fn of(session: &'a ReviewSession, group: usize, remark: &'a Remark) -> Option<Self> {
        let data = session.group(group)?;
        let said = session.remarks_said(group).of(remark);
        let own = said.own.map(|verdict| {
            let you = &session.identity().annotator;
            (you.clone(), verdict)
        });
        Some(Self {
            group,
            group_id: data.id.as_str(),
            remark,
            order: session.remark_order(group, remark),
            verdicts: said.others.into_iter().chain(own).collect(),
        })
    }

    fn verdicts(&self) -> String {
        let all = self.verdicts.iter();
        let all: Vec<_> = all
            .map(|(name, verdict)| format!("{name}: {}", word(*verdict)))
            .collect();
        all.join(", ")
    }

    fn trajectory(&self, session: &'a ReviewSession) -> Option<&'a Trajectory> {
        let group = session.group(self.group)?;
        group.trajectories.get(self.remark.trajectory)
    }

    fn json(&'a self, session: &'a ReviewSession, version: &'a str) -> Line<'a> {
        let trajectory = self.trajectory(session);
        let remark = self.remark;
        let id = |index: &usize| {
            let group = session.group(self.group)?;
            Some(group.trajectories.get(*index)?.id.as_str())
        };
        Line {
            group_id: self.group_id,
            trajectory_id: trajectory.map_or("", |t| t.id.as_str()),
            also: remark.also.iter().filter_map(id).collect(),
            policy: trajectory.and_then(|t| t.policy.as_deref()),
            outcome: trajectory.map_or("", |t| t.outcome.word()),
            rule: remark.rule,
            version,
            level: remark.level.word(),
            file: remark.file.map(|_| remark.path.as_str()),
            hunk: remark.hunk,
            lines: remark.lines,
            side: remark
                .lines
                .map(|_| if remark.is_old { "old" } else { "new" }),
            reason: &remark.reason,
            code: rule(remark.rule).and_then(|rule| rule.code),
            verdicts: self
                .verdicts
                .iter()
                .map(|(name, verdict)| (name.as_str(), word(*verdict)))
                .collect(),
        }
    }
}

/// One remark. Lines are 1-based, hunks 0-based.
#[derive(Serialize)]
struct Line<'a> {
    group_id: &'a str,
    trajectory_id: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    also: Vec<&'a str>,
    policy: Option<&'a str>,
    outcome: &'static str,
    rule: &'static str,
    version: &'a str,
    level: &'static str,
    file: Option<&'a str>,
    hunk: Option<usize>,
    lines: Option<(u32, u32)>,
    side: Option<&'static str>,
    reason: &'a str,
    code: Option<&'static str>,
    verdicts: BTreeMap<&'a str, &'static str>,
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Confirmed => "confirmed",
        Verdict::Dismissed => "dismissed",
    }
}

fn table(
    session: &ReviewSession,
    lines: &[Place<'_>],
    all: bool,
    io: &mut Io<'_>,
) -> Result<(), CliError> {
    let folded = remark_list::rows(lines.len(), |at| &lines[at].order, |_| all);
    let rows: Vec<Vec<String>> = folded
        .into_iter()
        .filter_map(|of| lines.get(of))
        .filter_map(|of| Some((of.first()?, of)))
        .map(|(place, of)| {
            let (where_to, verdicts) = match of.len() {
                1 => (place.remark.place(), place.verdicts()),
                _ => {
                    let remarks = of.iter().map(|place| place.remark);
                    (remark_list::places(remarks), verdicts_on_all(of))
                }
            };
            let trajectory = place.trajectory(session);
            let candidate = match place.remark.also.len() {
                0 => trajectory.map_or(String::new(), |t| t.id.to_string()),
                more => format!("{} candidates", more + 1),
            };
            vec![
                place.remark.level.word().to_owned(),
                place.remark.rule.to_owned(),
                place.group_id.to_owned(),
                candidate,
                trajectory.map_or("", |t| t.outcome.word()).to_owned(),
                where_to,
                place.remark.reason.clone(),
                verdicts,
            ]
        })
        .collect();
    let header = [
        "level",
        "rule",
        "group",
        "candidate",
        "outcome",
        "place",
        "why",
        "verdicts",
    ];
    io.table(&header, &[], &rows)?;
    if rows.is_empty() {
        io.note("no rule points at anything here")?;
    } else if rows.len() < lines.len() {
        io.note(&format!(
            "{} remarks; many of one rule about one candidate are one line, --all lists each",
            lines.len()
        ))?;
    }
    Ok(())
}

/// `4 confirmed, 1 dismissed`: how many of these anybody judged so.
fn verdicts_on_all(of: &[Place<'_>]) -> String {
    let told = [Verdict::Confirmed, Verdict::Dismissed].map(|wanted| {
        let has = |place: &&Place<'_>| place.verdicts.values().any(|verdict| *verdict == wanted);
        (of.iter().filter(has).count(), word(wanted))
    });
    let told = told.into_iter().filter(|(count, _)| *count > 0);
    let told: Vec<_> = told
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    told.join(", ")
}

/// Figures about one rule. Shares are percent of the candidates with a diff.
#[derive(Serialize)]
struct Figures<'a> {
    rule: &'static str,
    version: &'a str,
    level: &'static str,
    on: bool,
    passing: usize,
    of_passing: usize,
    passing_percent: Option<f64>,
    failing: usize,
    of_failing: usize,
    failing_percent: Option<f64>,
    reference: usize,
    of_reference: usize,
    reference_percent: Option<f64>,
    groups: usize,
    of_groups: usize,
    remarks: usize,
    confirmed: usize,
    dismissed: usize,
    precision: Option<f64>,
}

fn stats(
    session: &ReviewSession,
    found: &[GroupRemarks],
    (rules, asked, wanted): (&Rules, &Rules, &[&str]),
    json: bool,
    io: &mut Io<'_>,
) -> Result<(), CliError> {
    let stats = rule_rates::stats(session, found, asked);
    let percent = |count: usize, all: usize| {
        // To a tenth: nobody's data says more.
        (all > 0).then(|| (count as f64 * 1000.0 / all as f64).round() / 10.0)
    };
    let all = stats.all;
    let figures = RULES.iter().zip(&stats.rules);
    let figures = figures.filter(|(rule, _)| wanted.is_empty() || wanted.contains(&rule.name));
    let figures = figures.map(|(rule, of)| Figures {
        rule: rule.name,
        version: rules.version(),
        level: rule.level.word(),
        on: rules.is_on(rule.id),
        passing: of.candidates.passing,
        of_passing: of.of.passing,
        passing_percent: percent(of.candidates.passing, of.of.passing),
        failing: of.candidates.failing,
        of_failing: of.of.failing,
        failing_percent: percent(of.candidates.failing, of.of.failing),
        // A rule that compares says nothing of a reference.
        reference: of.candidates.reference,
        of_reference: of.of.reference,
        reference_percent: percent(of.candidates.reference, of.of.reference)
            .filter(|_| !rule.compares || rule.id == RuleId::FileNotInIssue),
        groups: of.groups,
        of_groups: stats.groups,
        remarks: of.remarks,
        confirmed: of.confirmed,
        dismissed: of.dismissed,
        precision: of.precision(),
    });
    if json {
        for line in figures {
            io.json(&line)?;
        }
        return Ok(());
    }
    let share = |percent: Option<f64>, count: usize| match percent {
        Some(percent) => format!("{percent:.1}% ({count})"),
        None => "-".to_owned(),
    };
    let rows: Vec<Vec<String>> = figures
        .map(|of| {
            vec![
                of.rule.to_owned(),
                of.level.to_owned(),
                if of.on { "on" } else { "off" }.to_owned(),
                share(of.passing_percent, of.passing),
                share(of.failing_percent, of.failing),
                share(of.reference_percent, of.reference),
                of.groups.to_string(),
                of.remarks.to_string(),
                of.confirmed.to_string(),
                of.dismissed.to_string(),
                of.precision
                    .map_or("-".to_owned(), |of| format!("{:.0}%", of * 100.0)),
            ]
        })
        .collect();
    let header = [
        "rule",
        "level",
        "",
        "passing",
        "failing",
        "reference",
        "groups",
        "remarks",
        "confirmed",
        "dismissed",
        "precision",
    ];
    let right = [
        false, false, false, true, true, true, true, true, true, true, true,
    ];
    io.table(&header, &right, &rows)?;
    io.note(&format!(
        "{}; candidates with a diff: {} passing, {} failing; {}; rules {}",
        counted(stats.groups, "group", "groups"),
        all.passing,
        all.failing,
        counted(all.reference, "reference patch", "reference patches"),
        rules.version()
    ))?;
    Ok(())
}
