//! Every figure of agreement over the chosen groups.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::bootstrap::RESAMPLES;
use super::consensus::{Aggregate, Consensus, Provenance};
use super::evidence::GroupEvidence;
use super::findings::{KappaRow, kappas};
use super::pairs::{PairRow, pairs_of, ranking_by};
use super::people::{PersonRow, SpotCheckRow};
use super::position::PositionRow;
use super::rater::Rater;
use super::reveal::RevealRow;
use crate::domain::Ranking;
use crate::domain::agreement::pooled_alpha;

/// How the figures are computed.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Options {
    /// How annotators' rankings become a consensus.
    pub aggregate: Aggregate,
    /// Seed of the resamples.
    pub seed: u64,
    /// Whether the evidence was gathered so that only rankings submitted blind and before a reveal
    /// count.
    pub blind_only: bool,
}

/// One rater and what it ranked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RaterRow {
    /// Who.
    pub rater: Rater,
    /// Groups ranked.
    pub groups: usize,
    /// Groups in which it said something without a ranking.
    pub without_ranking: usize,
}

/// Krippendorff's ordinal alpha over the groups with one number of passing candidates: average ranks
/// of groups of different size are not on one scale.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AlphaRow {
    /// Passing candidates per group.
    pub candidates: usize,
    /// Whether graders count as raters too.
    pub with_graders: bool,
    /// Groups ranked by two raters or more.
    pub groups: usize,
    /// Raters who ranked at least one of them.
    pub raters: usize,
    /// Alpha; `None` = undefined.
    pub alpha: Option<f64>,
    /// Why alpha is undefined.
    pub undefined: Option<String>,
}

/// Groups by how the ranking of people came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ProvenanceRow {
    /// How.
    pub provenance: Provenance,
    /// How many groups.
    pub groups: usize,
}

/// Every figure of agreement.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Agreement {
    /// How they were computed.
    pub options: Options,
    /// Resamples behind every interval.
    pub resamples: usize,
    /// Groups looked at.
    pub groups: usize,
    /// Judgements left out because the group's data changed since.
    pub stale: usize,
    /// Rankings that count and were submitted after a blind group was revealed.
    pub after_reveal: usize,
    /// Groups by provenance; those that no person ranked are in none.
    pub provenance: Vec<ProvenanceRow>,
    /// Who ranked how much.
    pub raters: Vec<RaterRow>,
    /// Agreement of two raters each; pairs without a group in common are left out.
    pub pairs: Vec<PairRow>,
    /// Pairs left out so.
    pub pairs_apart: usize,
    /// Alpha by size of group.
    pub alphas: Vec<AlphaRow>,
    /// Position scores of the graders.
    pub positions: Vec<PositionRow>,
    /// Agreement on findings.
    pub kappas: Vec<KappaRow>,
    /// What each annotator who ranked a group did.
    pub people: Vec<PersonRow>,
    /// Findings of annotators in groups that they did not rank.
    pub spot_checks: Vec<SpotCheckRow>,
    /// What the reveal changed.
    pub reveals: Vec<RevealRow>,
    /// What is missing for a figure, one sentence each.
    pub missing: Vec<String>,
}

impl Agreement {
    /// Computes every figure; `None` when `go_on` says no meanwhile.
    #[must_use]
    pub fn of(
        evidence: &[GroupEvidence],
        options: Options,
        go_on: &dyn Fn() -> bool,
    ) -> Option<Self> {
        let with_consensus: Vec<(&GroupEvidence, Consensus)> = evidence
            .iter()
            .map(|group| (group, group.consensus(options.aggregate)))
            .collect();
        let raters = raters(evidence, &with_consensus);
        let who = || raters.iter().filter(|row| row.groups > 0);
        let names: Vec<Rater> = who().map(|row| row.rater.clone()).collect();
        let (mut pairs, mut pairs_apart) = (Vec::new(), 0);
        for (reference, prediction) in pairs_of(&names) {
            if !go_on() {
                return None;
            }
            let row = PairRow::of(&reference, &prediction, &with_consensus, options.seed);
            match row.groups {
                0 => pairs_apart += 1,
                _ => pairs.push(row),
            }
        }
        let all = |wanted: &dyn Fn(&Rater) -> bool| -> Vec<String> {
            let found = raters.iter().filter(|row| wanted(&row.rater));
            found
                .filter_map(|row| row.rater.name().map(ToOwned::to_owned))
                .collect()
        };
        let graders = all(&|rater| matches!(rater, Rater::Grader(_)));
        let people = all(&|rater| matches!(rater, Rater::Annotator(_)));
        let positions = graders
            .iter()
            .map(|name| PositionRow::of(name, evidence, options.seed))
            .filter(|row| row.ranked > 0)
            .collect();
        let judges: Vec<&Rater> = raters
            .iter()
            .map(|row| &row.rater)
            .filter(|rater| rater.name().is_some())
            .collect();
        let mut found_kappas = Vec::new();
        for (place, first) in judges.iter().enumerate() {
            for second in judges.iter().skip(place + 1) {
                if !go_on() {
                    return None;
                }
                found_kappas.extend(kappas(first, second, evidence));
            }
        }
        let mut person_rows = Vec::new();
        let mut reveals = Vec::new();
        for name in &people {
            if !go_on() {
                return None;
            }
            person_rows.push(PersonRow::of(name, evidence, options.seed));
            reveals.extend(RevealRow::of(name, &graders, evidence, options.seed));
        }
        let provenance = Provenance::ALL.into_iter().map(|provenance| ProvenanceRow {
            provenance,
            groups: with_consensus
                .iter()
                .filter(|(_, consensus)| consensus.provenance == Some(provenance))
                .count(),
        });
        let mut found = Self {
            options,
            resamples: RESAMPLES,
            groups: evidence.len(),
            stale: evidence.iter().map(|group| group.stale).sum(),
            after_reveal: evidence
                .iter()
                .flat_map(|group| &group.people)
                .filter(|person| person.ranking.is_some() && person.is_after_reveal)
                .count(),
            provenance: provenance.collect(),
            pairs,
            pairs_apart,
            alphas: alphas(evidence, &people, &graders),
            positions,
            kappas: found_kappas,
            people: person_rows,
            spot_checks: SpotCheckRow::all(evidence),
            reveals,
            missing: Vec::new(),
            raters,
        };
        found.missing = found.missing();
        Some(found)
    }

    /// What is missing for a figure.
    fn missing(&self) -> Vec<String> {
        let ranked = |wanted: &dyn Fn(&Rater) -> bool| {
            let of = self.raters.iter().filter(|row| row.groups > 0);
            of.filter(|row| wanted(&row.rater)).count()
        };
        let graders = ranked(&|rater| matches!(rater, Rater::Grader(_)));
        let people = ranked(&|rater| matches!(rater, Rater::Annotator(_)));
        let mut missing = Vec::new();
        let mut say = |is_missing: bool, text: &str| {
            if is_missing {
                missing.push(text.to_owned());
            }
        };
        say(
            graders == 0,
            "no grader's ranking: nothing says how good the grader is",
        );
        say(
            people == 0,
            "no submitted ranking: nobody judged these groups yet",
        );
        say(
            people == 1,
            "one annotator only: nothing says how much people agree",
        );
        say(
            ranked(&|rater| *rater == Rater::Gold) == 0,
            "no known ranking in these figures: annotators are not tested by them",
        );
        say(
            people > 0 && self.reveals.is_empty(),
            "no group was ranked blind and revealed after: nothing says what the reveal changes",
        );
        say(
            graders > 0 && self.positions.iter().all(|row| row.with_order == 0),
            "no order shown to a grader is recorded: the position score is undefined",
        );
        say(
            self.kappas.is_empty(),
            "no findings by two raters on the same groups: no kappa",
        );
        missing
    }
}

/// Every pair of raters, (reference, compared), who ranked something, in the order of the tables.
#[must_use]
pub fn pairings(evidence: &[GroupEvidence], aggregate: Aggregate) -> Vec<(Rater, Rater)> {
    let with: Vec<(&GroupEvidence, Consensus)> = evidence
        .iter()
        .map(|group| (group, group.consensus(aggregate)))
        .collect();
    let found = raters(evidence, &with);
    let ranked = found.into_iter().filter(|row| row.groups > 0);
    pairs_of(&ranked.map(|row| row.rater).collect::<Vec<_>>())
}

fn raters(evidence: &[GroupEvidence], with: &[(&GroupEvidence, Consensus)]) -> Vec<RaterRow> {
    // By name: the order of the groups must not tell in the figures.
    let (mut graders, mut people) = (BTreeSet::new(), BTreeSet::new());
    for group in evidence {
        graders.extend(group.graders.iter().map(|grader| grader.name.as_str()));
        people.extend(group.people.iter().map(|person| person.annotator.as_str()));
    }
    let graders = graders
        .into_iter()
        .map(|name| Rater::Grader(name.to_owned()));
    let people = people.into_iter();
    let people = people.map(|name| Rater::Annotator(name.to_owned()));
    let others = [Rater::Consensus, Rater::Settlement, Rater::Gold];
    let all = graders.chain(people).chain(others);
    all.map(|rater| {
        let ranked = with
            .iter()
            .filter(|(group, consensus)| ranking_by(group, consensus, &rater).is_some())
            .count();
        let said = match &rater {
            Rater::Grader(name) => evidence
                .iter()
                .filter(|group| group.graders.iter().any(|grader| grader.name == *name))
                .count(),
            Rater::Annotator(name) => evidence
                .iter()
                .filter(|group| group.person(name).is_some())
                .count(),
            // Somebody ranked, and together it gives nothing.
            Rater::Consensus => evidence
                .iter()
                .filter(|group| group.submitted().next().is_some())
                .count(),
            Rater::Settlement | Rater::Gold => ranked,
        };
        RaterRow {
            rater,
            groups: ranked,
            without_ranking: said.saturating_sub(ranked),
        }
    })
    // Whoever ranked nothing and only checked remarks here and there is no rater: see SpotCheckRow.
    .filter(|row| match row.rater {
        Rater::Annotator(_) => row.groups > 0,
        _ => row.groups > 0 || row.without_ranking > 0,
    })
    .collect()
}

fn alphas(evidence: &[GroupEvidence], people: &[String], graders: &[String]) -> Vec<AlphaRow> {
    let people: Vec<Rater> = people.iter().cloned().map(Rater::Annotator).collect();
    let graders = graders.iter().cloned().map(Rater::Grader);
    let all: Vec<Rater> = people.iter().cloned().chain(graders).collect();
    let mut by_size: BTreeMap<usize, Vec<&GroupEvidence>> = BTreeMap::new();
    for group in evidence {
        by_size.entry(group.candidates()).or_default().push(group);
    }
    let mut rows = Vec::new();
    for (candidates, groups) in by_size {
        for (raters, with_graders) in [(&people, false), (&all, true)] {
            let judged = groups.iter().map(|group| {
                let rankings = raters.iter().map(|rater| packed(group, rater));
                rankings.collect::<Vec<_>>()
            });
            let judged: Vec<(usize, Vec<Option<Ranking>>)> = judged
                .filter(|rankings| rankings.iter().flatten().count() > 1)
                .map(|rankings| (candidates, rankings))
                .collect();
            if judged.is_empty() || (with_graders && all.len() == people.len()) {
                continue;
            }
            let took_part = |rater: &usize| {
                let mut of = judged.iter();
                of.any(|(_, rankings)| rankings.get(*rater).is_some_and(Option::is_some))
            };
            let alpha = pooled_alpha(&judged);
            rows.push(AlphaRow {
                candidates,
                with_graders,
                groups: judged.len(),
                raters: (0..raters.len()).filter(took_part).count(),
                alpha: alpha.ok(),
                undefined: alpha.err().map(|reason| reason.to_string()),
            });
        }
    }
    rows
}

/// A rater's ranking with the passing trajectories counted from 0 without gaps.
fn packed(group: &GroupEvidence, rater: &Rater) -> Option<Ranking> {
    let place = |index: &usize| {
        let before = group.passing.iter().take(*index);
        before.filter(|passes| **passes).count()
    };
    let tiers = group.ranking(rater)?.tiers().iter();
    let tiers = tiers.map(|tier| tier.iter().map(place).collect());
    Ranking::new(tiers.collect()).ok()
}

#[cfg(test)]
mod tests {
    use super::super::evidence::{Graded, Judged};
    use super::*;

    fn person(name: &str, order: Option<[usize; 3]>) -> Judged {
        Judged {
            annotator: name.to_owned(),
            ranking: order.map(|order| Ranking::new(order.map(|at| vec![at]).to_vec()).unwrap()),
            blind: None,
            after_reveal: None,
            revealed: false,
            is_after_reveal: false,
            active_ms: 0,
            confidence: None,
            findings: vec![(2, "out_of_scope".to_owned())],
            findings_after_reveal: 0,
            event_id: String::new(),
        }
    }

    /// Three passing candidates, ranked by a grader and by these people.
    fn group(at: usize, people: Vec<Judged>) -> GroupEvidence {
        GroupEvidence {
            group: at,
            passing: vec![true; 3],
            graders: vec![Graded {
                name: format!("grader-{}", at % 2),
                ranking: Ranking::new(vec![vec![at % 3], vec![(at + 1) % 3]]).ok(),
                shown_order: vec![0, 1, 2],
                findings: Vec::new(),
                answers: 1,
            }],
            people,
            ..GroupEvidence::default()
        }
    }

    fn figures(evidence: &[GroupEvidence]) -> Agreement {
        Agreement::of(evidence, Options::default(), &|| true).unwrap()
    }

    #[test]
    fn figures_do_not_depend_on_the_order_in_which_groups_came() {
        let orders = [[0, 1, 2], [1, 0, 2], [2, 1, 0], [1, 2, 0], [0, 2, 1]];
        let mut evidence: Vec<GroupEvidence> = (0..10)
            .map(|at| {
                let order = |step: usize| Some(orders[(at * step + step) % orders.len()]);
                group(at, vec![person("ann", order(1)), person("ben", order(2))])
            })
            .collect();
        let found = figures(&evidence);
        evidence.reverse();
        assert_eq!(figures(&evidence), found);
    }

    #[test]
    fn whoever_ranked_nothing_is_no_rater_and_told_apart() {
        let evidence = [
            group(
                0,
                vec![person("ann", Some([0, 1, 2])), person("spot", None)],
            ),
            group(1, vec![person("ann", None)]),
        ];
        let found = figures(&evidence);
        let raters = found.raters.iter().map(|row| row.rater.to_string());
        let raters: Vec<String> = raters.collect();
        assert!(!raters.contains(&"spot".to_owned()), "{raters:?}");
        let [ann] = &found.people[..] else {
            panic!("{:?}", found.people);
        };
        assert_eq!((ann.groups, ann.findings_per_group), (1, Some(1.0)));
        let spots = found.spot_checks.iter();
        let spots: Vec<_> = spots.map(|row| (&*row.annotator, row.groups)).collect();
        assert_eq!(spots, [("ann", 1), ("spot", 1)]);
        let notes = found.table(crate::raters::TableKind::Raters).notes;
        let said = "spot spot-checked 1 group without ranking: 1 finding";
        assert!(notes.iter().any(|note| note == said), "{notes:?}");
    }
}
