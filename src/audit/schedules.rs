//! What each scheme would do to the loaded groups, side by side: nothing is trained and nothing is
//! simulated (`advantage-math.md` section 4 says why).
//!
//! All figures of a scheme are over the same groups: those whose ranking can move credit at all. So
//! the rows of two schemes can be compared, also where one of them leaves a group as it is.

use std::collections::BTreeMap;

use serde::Serialize;

use super::misplaced::NoisyRankings;
use super::spread::Spread;
use crate::domain::metrics::{metrics, rank_length};
use crate::domain::redistribution::Status;
use crate::domain::{GroupClass, Policies, Ranking, Redistribution, Scheme, redistribute};
use crate::review::{ReviewSession, lengths, passing};

/// One group as the comparison reads it. Vectors have the group's length and order.
#[derive(Debug, Clone)]
pub struct Case {
    /// The group, 0-based.
    pub group: usize,
    /// Why it is kept or not.
    pub class: GroupClass,
    /// Baseline advantages, or why there are none.
    pub baseline: Result<Vec<f64>, String>,
    /// Pass flags.
    pub passed: Vec<bool>,
    /// The ranking that counts under the session's settings; empty when nobody ranked.
    pub ranking: Ranking,
    /// Loss-token lengths, when all are known.
    pub lengths: Option<Vec<f64>>,
    /// Tokens of each trajectory, when known.
    pub tokens: Vec<Option<u64>>,
}

impl Case {
    /// A group of a session under its settings; `None` when there is no such group, or no file holds
    /// a rollout of it any more.
    #[must_use]
    pub fn of(session: &ReviewSession, group: usize) -> Option<Self> {
        let data = session.group(group)?;
        if session.is_gone(group) {
            return None;
        }
        Some(Self {
            group,
            class: GroupClass::of(&data.trajectories),
            baseline: session.baseline(group),
            passed: passing(data),
            ranking: session.shown_ranking(group).ranking,
            lengths: lengths(data),
            tokens: data.trajectories.iter().map(|t| t.output_tokens).collect(),
        })
    }

    /// Why the group is in no figure; `None` when it is.
    #[must_use]
    pub fn left_out(&self, policies: Policies) -> Option<LeftOut> {
        self.movable(policies).err()
    }

    /// What a scheme makes of the group.
    fn redistributed(
        &self,
        baseline: &[f64],
        scheme: &Scheme,
        policies: Policies,
    ) -> Result<Redistribution, &'static str> {
        let ranking = Some(&self.ranking);
        redistribute(baseline, &self.passed, ranking, scheme, policies).map_err(|e| e.kind())
    }

    /// The baseline and the number of candidates that share the credit by rank, or why no ranking
    /// can move credit here.
    fn movable(&self, policies: Policies) -> Result<(&[f64], usize), LeftOut> {
        if !self.class.is_kept() {
            return Err(LeftOut::NotKept);
        }
        let baseline = self.baseline.as_ref().map_err(|_| LeftOut::NoAdvantages)?;
        if self.ranking.is_empty() {
            return Err(LeftOut::NotRanked);
        }
        // This one weighs any two places differently, so it moves credit where any scheme can.
        let probe = Scheme::Linear { floor: 0.5 };
        let found = self
            .redistributed(baseline, &probe, policies)
            .map_err(LeftOut::Refused)?;
        let credited = found.weights.iter().flatten().count();
        match found.status {
            Status::Redistributed => Ok((baseline, credited)),
            _ if credited == 0 => Err(LeftOut::NoCredit),
            _ if credited == 1 => Err(LeftOut::OneCandidate),
            _ => Err(LeftOut::AllTied),
        }
    }
}

/// Why a group is in no figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeftOut {
    /// Dynamic sampling drops it.
    NotKept,
    /// The estimator gives no advantages here.
    NoAdvantages,
    /// Nobody ranked it.
    NotRanked,
    /// The rules refuse it, by the word of [`crate::domain::RedistributeError::kind`].
    Refused(&'static str),
    /// No ranked passing candidate has a positive advantage.
    NoCredit,
    /// One candidate has all the credit that a ranking could move.
    OneCandidate,
    /// All candidates that share the credit are tied.
    AllTied,
}

impl std::fmt::Display for LeftOut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotKept => f.write_str("dropped by dynamic sampling"),
            Self::NoAdvantages => f.write_str("no advantages under this estimator"),
            Self::NotRanked => f.write_str("nobody ranked it"),
            Self::Refused(kind) => write!(f, "refused: {kind}"),
            Self::NoCredit => f.write_str("no ranked pass has a positive advantage"),
            Self::OneCandidate => f.write_str("one candidate has all the credit"),
            Self::AllTied => f.write_str("all credited candidates are tied"),
        }
    }
}

/// What one scheme does to one group.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct GroupFigures {
    /// Whether the scheme changes any advantage here.
    pub moves: bool,
    /// Largest multiplier.
    pub top_boost: f64,
    /// Effective number of credited candidates over their number, 0..=1.
    pub effective_share: f64,
    /// Share of the credit that is moved, 0..=1.
    pub credit_moved: f64,
    /// Σ A'² / Σ A² over the group.
    pub variance_inflation: f64,
    /// Change of the length pressure, in tokens per unit of advantage; `None` when a length is not
    /// known.
    pub pressure_change: Option<f64>,
    /// Σ L A' / Σ L A over the credit; `None` when a length is not known or all are 0.
    pub token_credit: Option<f64>,
}

impl GroupFigures {
    #[expect(clippy::cast_precision_loss, reason = "group sizes are small")]
    fn of(case: &Case, baseline: &[f64], after: &Redistribution) -> Option<Self> {
        let lengths = case.lengths.as_deref();
        let credit = metrics(baseline, &after.advantages, &case.passed, lengths).credit?;
        let credited = credit.share_after.iter().flatten().count().max(1);
        let length = credit.length.as_ref();
        Some(Self {
            moves: after.status == Status::Redistributed,
            top_boost: credit.max_boost,
            effective_share: credit.n_eff.1 / credited as f64,
            credit_moved: credit.credit_moved,
            variance_inflation: credit.variance_inflation,
            pressure_change: length.map(|length| length.pressure.1 - length.pressure.0),
            token_credit: length.and_then(|length| length.token_credit_ratio),
        })
    }
}

/// What one scheme does to one group, for a table of every row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// The scheme, 0-based in the list asked for.
    pub scheme: usize,
    /// The group, 0-based.
    pub group: usize,
    /// The figures, or the word of the error.
    pub figures: Result<GroupFigures, &'static str>,
}

/// A group that a scheme changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Affected {
    /// The group, 0-based.
    pub group: usize,
    /// Share of its credit that is moved.
    pub credit_moved: f64,
}

/// One scheme over all groups whose ranking can move credit. A spread is `None` without a value.
#[derive(Debug, Clone, PartialEq)]
pub struct SchemeFigures {
    /// The scheme.
    pub scheme: Scheme,
    /// Groups in which it changes an advantage.
    pub moves: usize,
    /// Groups in which it changes nothing.
    pub leaves: usize,
    /// Groups for which it gives no advantages, by the error's word.
    pub refused: BTreeMap<&'static str, usize>,
    /// Largest multiplier of a group.
    pub top_boost: Option<Spread>,
    /// Effective number of credited candidates over their number.
    pub effective_share: Option<Spread>,
    /// Share of a group's credit that is moved.
    pub credit_moved: Option<Spread>,
    /// Σ A'² / Σ A² of a group.
    pub variance_inflation: Option<Spread>,
    /// Change of the length pressure; over groups whose lengths are known.
    pub pressure_change: Option<Spread>,
    /// Ratio of token credit; over groups whose lengths are known.
    pub token_credit: Option<Spread>,
    /// Expected share of a group's credit at the wrong candidates, 0 to 1, at the measured accuracy
    /// ([`super::misplaced`]), mean; `None` when no accuracy is measured.
    pub misplaced: Option<f64>,
    /// The same over the credit moved; above 1 where more is misplaced than moved. `None` when no
    /// accuracy is measured or the scheme moves nothing.
    pub misplaced_per_moved: Option<f64>,
    /// The groups with the most credit moved, most first.
    pub most_affected: Vec<Affected>,
}

/// Schemes side by side.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Groups looked at.
    pub groups: usize,
    /// Groups whose ranking can move credit: all figures are over these.
    pub movable: usize,
    /// The other ones by reason.
    pub left_out: BTreeMap<LeftOut, usize>,
    /// Of [`Self::movable`], those in which a length is not known.
    pub without_lengths: usize,
    /// Spearman's rho of rank and length (positive: worse ranks are longer), the same under every
    /// scheme; over the movable groups where it is defined.
    pub rank_length: Option<Spread>,
    /// One row a scheme, in the order asked for.
    pub schemes: Vec<SchemeFigures>,
}

/// What is compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The schemes.
    pub schemes: Vec<Scheme>,
    /// The rules beside the scheme.
    pub policies: Policies,
    /// The grader's pairwise accuracy, when it is measured.
    pub accuracy: Option<f64>,
    /// Most affected groups kept for each scheme.
    pub top: usize,
}

/// The schemes that are compared: these first, then the one in use, then every kind with its usual
/// parameters.
#[must_use]
pub fn with_usual(own: &[Scheme], used: &Scheme) -> Vec<Scheme> {
    let mut all: Vec<Scheme> = Vec::new();
    let own = own.iter().chain([used]).cloned();
    for scheme in own.chain(Scheme::usual()) {
        if !all.contains(&scheme) {
            all.push(scheme);
        }
    }
    all
}

/// Values of one scheme, one per group.
#[derive(Debug, Default)]
struct Values {
    moves: usize,
    leaves: usize,
    refused: BTreeMap<&'static str, usize>,
    top_boost: Vec<f64>,
    effective_share: Vec<f64>,
    credit_moved: Vec<f64>,
    variance_inflation: Vec<f64>,
    pressure_change: Vec<f64>,
    token_credit: Vec<f64>,
    affected: Vec<Affected>,
}

impl Values {
    fn take(&mut self, group: usize, found: Result<GroupFigures, &'static str>) {
        let figures = match found {
            Ok(figures) => figures,
            Err(kind) => {
                *self.refused.entry(kind).or_default() += 1;
                return;
            }
        };
        self.moves += usize::from(figures.moves);
        self.leaves += usize::from(!figures.moves);
        self.top_boost.push(figures.top_boost);
        self.effective_share.push(figures.effective_share);
        self.credit_moved.push(figures.credit_moved);
        self.variance_inflation.push(figures.variance_inflation);
        self.pressure_change.extend(figures.pressure_change);
        self.token_credit.extend(figures.token_credit);
        if figures.moves {
            self.affected.push(Affected {
                group,
                credit_moved: figures.credit_moved,
            });
        }
    }

    fn figures(mut self, scheme: &Scheme, top: usize, misplaced: Misplaced) -> SchemeFigures {
        // Groups in the order of the set where as much is moved.
        self.affected
            .sort_by(|a, b| b.credit_moved.total_cmp(&a.credit_moved));
        self.affected.truncate(top);
        SchemeFigures {
            scheme: scheme.clone(),
            moves: self.moves,
            leaves: self.leaves,
            refused: self.refused,
            top_boost: Spread::of(self.top_boost),
            effective_share: Spread::of(self.effective_share),
            credit_moved: Spread::of(self.credit_moved),
            variance_inflation: Spread::of(self.variance_inflation),
            pressure_change: Spread::of(self.pressure_change),
            token_credit: Spread::of(self.token_credit),
            misplaced: misplaced.share,
            misplaced_per_moved: misplaced.per_moved,
            most_affected: self.affected,
        }
    }
}

/// Compares schemes over these groups. `rows` is handed every row behind the figures; `go_on` is
/// told after each group how many are done, and ends the work (`None`) by answering false.
#[must_use]
pub fn compare(
    cases: &[Case],
    question: &Question,
    rows: &mut dyn FnMut(Row),
    go_on: &mut dyn FnMut(usize) -> bool,
) -> Option<Comparison> {
    let mut left_out: BTreeMap<LeftOut, usize> = BTreeMap::new();
    let mut values: Vec<Values> = Vec::new();
    values.resize_with(question.schemes.len(), Values::default);
    let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
    let mut rho = Vec::new();
    let (mut movable, mut without_lengths) = (0, 0);
    for (done, case) in cases.iter().enumerate() {
        if !go_on(done) {
            return None;
        }
        let (baseline, credited) = match case.movable(question.policies) {
            Ok(found) => found,
            Err(why) => {
                *left_out.entry(why).or_default() += 1;
                continue;
            }
        };
        movable += 1;
        without_lengths += usize::from(case.lengths.is_none());
        *sizes.entry(credited).or_default() += 1;
        let tokens = |index: usize| case.tokens.get(index).copied().flatten();
        rho.extend(rank_length(&case.ranking, tokens).ok());
        for (number, (scheme, values)) in question.schemes.iter().zip(&mut values).enumerate() {
            let figures = case
                .redistributed(baseline, scheme, question.policies)
                .and_then(|after| GroupFigures::of(case, baseline, &after).ok_or("no_credit"));
            rows(Row {
                scheme: number,
                group: case.group,
                figures,
            });
            values.take(case.group, figures);
        }
    }
    let misplaced = misplaced(&question.schemes, question.accuracy, &sizes);
    let found = question.schemes.iter().zip(values).zip(misplaced);
    Some(Comparison {
        groups: cases.len(),
        movable,
        left_out,
        without_lengths,
        rank_length: Spread::of(rho),
        schemes: found
            .map(|((scheme, values), misplaced)| values.figures(scheme, question.top, misplaced))
            .collect(),
    })
}

/// What of the credit is expected to be misplaced; see [`SchemeFigures`].
#[derive(Debug, Clone, Copy, Default)]
struct Misplaced {
    share: Option<f64>,
    per_moved: Option<f64>,
}

/// What each scheme is expected to misplace over groups of these numbers of credited candidates
/// (groups by number).
#[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
fn misplaced(
    schemes: &[Scheme],
    accuracy: Option<f64>,
    sizes: &BTreeMap<usize, usize>,
) -> Vec<Misplaced> {
    let Some(accuracy) = accuracy else {
        return vec![Misplaced::default(); schemes.len()];
    };
    let mut sums = vec![(0.0, 0.0, 0); schemes.len()];
    for (&places, &groups) in sizes {
        let drawn = NoisyRankings::draw(places, accuracy);
        for (sum, scheme) in sums.iter_mut().zip(schemes) {
            if let Some((moved, misplaced)) = drawn.moved_and_misplaced(scheme) {
                sum.0 += moved * groups as f64;
                sum.1 += misplaced * groups as f64;
                sum.2 += groups;
            }
        }
    }
    sums.into_iter()
        .map(|(moved, misplaced, groups)| Misplaced {
            share: (groups > 0).then(|| misplaced / groups as f64),
            per_moved: (moved > 1e-12).then(|| misplaced / moved),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A binary group of 8 with the first `m` passing, ranked in order, with a baseline of 1.
    fn case(group: usize, m: usize, tiers: Vec<Vec<usize>>) -> Case {
        Case {
            group,
            class: GroupClass::Mixed,
            baseline: Ok((0..8).map(|i| if i < m { 1.0 } else { -0.5 }).collect()),
            passed: (0..8).map(|i| i < m).collect(),
            ranking: Ranking::new(tiers).unwrap(),
            lengths: Some((0..8_u8).map(|i| 100.0 * f64::from(i + 1)).collect()),
            tokens: (0..8_u64).map(|i| Some(100 * (i + 1))).collect(),
        }
    }

    fn strict(m: usize) -> Vec<Vec<usize>> {
        (0..m).map(|i| vec![i]).collect()
    }

    fn ask(cases: &[Case], schemes: &[&str], accuracy: Option<f64>) -> Comparison {
        let question = Question {
            schemes: schemes.iter().map(|text| text.parse().unwrap()).collect(),
            policies: crate::review::Settings::default().policies,
            accuracy,
            top: 2,
        };
        compare(cases, &question, &mut |_| (), &mut |_| true).unwrap()
    }

    fn near(found: Option<Spread>, expected: f64) {
        let found = found.unwrap().mean;
        assert!((found - expected).abs() < 6e-4, "{found} for {expected}");
    }

    #[test]
    fn figures_are_those_of_the_table_of_schedules() {
        // advantage-math.md 2.3, m = 4: top boost, n_eff/m, credit moved.
        for (scheme, boost, share, moved) in [
            ("linear:floor=0.5", 4.0 / 3.0, 0.942, 0.111),
            ("linear:floor=0", 2.0, 0.643, 0.333),
            ("below_median:factor=0.5", 4.0 / 3.0, 0.9, 0.167),
            ("dcg", 1.5615, 0.895, 0.140),
            ("reciprocal", 1.92, 0.762, 0.230),
            ("geometric:gamma=0.5", 2.1333, 0.662, 0.300),
            ("top:k=1", 4.0, 0.25, 0.75),
            ("uniform", 1.0, 1.0, 0.0),
        ] {
            let found = ask(&[case(0, 4, strict(4))], &[scheme], None);
            let row = &found.schemes[0];
            near(row.top_boost, boost);
            near(row.effective_share, share);
            near(row.credit_moved, moved);
            assert_eq!(row.misplaced, None);
        }
    }

    #[test]
    fn length_figures_follow_by_hand() {
        // m = 2, linear 0: A' = 2, 0; lengths 100 and 200. Token credit (2*100) / (100 + 200); the
        // pressure changes by (1/8)(+1*100 - 1*200); variance (4 + 6/4) / (2 + 6/4).
        let found = ask(&[case(0, 2, strict(2))], &["linear:floor=0"], None);
        let row = &found.schemes[0];
        near(row.token_credit, 200.0 / 300.0);
        near(row.pressure_change, -12.5);
        near(row.variance_inflation, 5.5 / 3.5);
        near(found.rank_length, 1.0);
    }

    #[test]
    fn groups_without_movable_credit_are_counted_by_reason() {
        let mut dropped = case(2, 4, strict(4));
        dropped.class = GroupClass::AllPass;
        let mut unknown = case(4, 4, strict(4));
        unknown.baseline = Err("no".to_owned());
        let cases = [
            case(0, 4, strict(4)),
            case(1, 3, vec![vec![0, 1, 2]]),
            dropped,
            case(3, 3, Vec::new()),
            unknown,
            case(5, 1, strict(1)),
            case(6, 2, strict(2)),
        ];
        let found = ask(&cases, &["linear:floor=0.5", "table:0,0"], Some(0.8));
        assert_eq!((found.groups, found.movable), (7, 2));
        assert_eq!(
            found.left_out.into_iter().collect::<Vec<_>>(),
            [
                (LeftOut::NotKept, 1),
                (LeftOut::NoAdvantages, 1),
                (LeftOut::NotRanked, 1),
                (LeftOut::OneCandidate, 1),
                (LeftOut::AllTied, 1),
            ]
        );
        let [linear, zero] = &found.schemes[..] else {
            panic!("two schemes");
        };
        assert_eq!((linear.moves, linear.leaves), (2, 0));
        let affected: Vec<_> = linear.most_affected.iter().map(|a| a.group).collect();
        assert_eq!(affected, [6, 0], "1/6 of the credit, then 1/9");
        assert!(
            linear
                .misplaced_per_moved
                .is_some_and(|share| (0.3..0.7).contains(&share))
        );
        assert_eq!(zero.refused.get("zero_weight_sum"), Some(&2));
        assert_eq!((zero.top_boost, zero.misplaced), (None, None));
    }

    #[test]
    fn a_scheme_that_leaves_a_group_is_still_compared_over_it() {
        let cases = [case(0, 2, strict(2)), case(1, 4, strict(4))];
        let found = ask(&cases, &["top:k=2"], None);
        assert_eq!((found.schemes[0].moves, found.schemes[0].leaves), (1, 1));
        near(found.schemes[0].top_boost, 1.5);
    }

    #[test]
    fn own_schemes_come_first_and_once() {
        let own = ["dcg".parse().unwrap(), "linear:floor=0.1".parse().unwrap()];
        let all = with_usual(&own, &own[0]);
        let names: Vec<_> = all.iter().map(ToString::to_string).collect();
        assert_eq!(names[..3], ["dcg", "linear:floor=0.1", "uniform"]);
        assert_eq!(names.iter().filter(|name| *name == "dcg").count(), 1);
        assert_eq!(with_usual(&[], &own[1])[0], own[1]);
    }

    #[test]
    fn the_work_ends_when_nobody_wants_it() {
        let cases = [case(0, 2, strict(2)), case(1, 4, strict(4))];
        let question = Question {
            schemes: Scheme::usual(),
            policies: Policies::default(),
            accuracy: None,
            top: 1,
        };
        let mut seen = 0;
        let mut rows = |_: Row| seen += 1;
        assert_eq!(
            compare(&cases, &question, &mut rows, &mut |done| done < 1),
            None
        );
        assert_eq!(seen, Scheme::usual().len());
    }
}
