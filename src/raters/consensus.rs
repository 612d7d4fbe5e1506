//! What the annotators' rankings of a group give together, and how far that can be trusted.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use super::evidence::GroupEvidence;
use crate::domain::Ranking;
use crate::domain::agreement::{Undefined, borda, bradley_terry, compare, kemeny};

/// Strengths closer than this tie: the fit stops near 1e-14.
const SAME_STRENGTH: f64 = 1e-9;
/// Prior when none is named: a tenth of a win each way between every pair.
const PRIOR: f64 = 0.1;

/// How several rankings become one.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Aggregate {
    /// Mean share of the others beaten.
    #[default]
    Borda,
    /// The order with the fewest pairwise disagreements; undefined when several are as near.
    Kemeny,
    /// Strengths that explain the pairs best.
    BradleyTerry {
        /// Virtual wins each way between every pair, 0 or more.
        prior: f64,
    },
}

impl Aggregate {
    /// One of each, for a key that goes through them.
    pub const ALL: [Self; 3] = [
        Self::Borda,
        Self::Kemeny,
        Self::BradleyTerry { prior: PRIOR },
    ];

    /// The one after this in [`Self::ALL`].
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Borda => Self::Kemeny,
            Self::Kemeny => Self::BradleyTerry { prior: PRIOR },
            Self::BradleyTerry { .. } => Self::Borda,
        }
    }

    /// The consensus of rankings of the same trajectories: those that nobody ranked stay unranked.
    ///
    /// # Errors
    /// Why there is none.
    pub fn of(self, rankings: &[Ranking]) -> Result<Ranking, NoConsensus> {
        let mut items: Vec<usize> = rankings.iter().flat_map(Ranking::order).collect();
        items.sort_unstable();
        items.dedup();
        if items.is_empty() {
            return Err(NoConsensus::Nobody);
        }
        // The methods count items from 0 and without gaps.
        let packed: Vec<Ranking> = rankings
            .iter()
            .map(|ranking| renamed(ranking, |index| items.binary_search(&index).ok()))
            .collect();
        let count = items.len();
        let found = match self {
            Self::Borda if count == 1 => Ranking::new(vec![vec![0]]).unwrap_or_default(),
            Self::Borda => borda(count, &packed)?.1,
            Self::Kemeny => {
                if count > 16 {
                    return Err(NoConsensus::TooMany(count));
                }
                let found = kemeny(count, &packed)?;
                if found.optima > 1 {
                    return Err(NoConsensus::Ambiguous(found.optima));
                }
                let tiers = found.first.into_iter().map(|index| vec![index]).collect();
                Ranking::new(tiers).unwrap_or_default()
            }
            Self::BradleyTerry { prior } => by_strength(&bradley_terry(count, &packed, prior)?),
        };
        Ok(renamed(&found, |index| items.get(index).copied()))
    }
}

/// The ranking with other indices; those without one are left out.
fn renamed(ranking: &Ranking, name: impl Fn(usize) -> Option<usize>) -> Ranking {
    let tiers = ranking
        .tiers()
        .iter()
        .map(|tier| tier.iter().filter_map(|&index| name(index)).collect())
        .collect();
    // Different indices get different names.
    Ranking::new(tiers).unwrap_or_default()
}

fn by_strength(strengths: &[f64]) -> Ranking {
    let mut order: Vec<(usize, f64)> = strengths.iter().copied().enumerate().collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut tiers: Vec<Vec<usize>> = Vec::new();
    let mut last = f64::INFINITY;
    for (index, strength) in order {
        match tiers.last_mut() {
            Some(tier) if last - strength <= SAME_STRENGTH => tier.push(index),
            _ => tiers.push(vec![index]),
        }
        last = strength;
    }
    for tier in &mut tiers {
        tier.sort_unstable();
    }
    Ranking::new(tiers).unwrap_or_default()
}

/// As typed: `borda`, `kemeny`, `bradley-terry:prior=0.1`.
impl fmt::Display for Aggregate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Borda => f.write_str("borda"),
            Self::Kemeny => f.write_str("kemeny"),
            Self::BradleyTerry { prior } => write!(f, "bradley-terry:prior={prior}"),
        }
    }
}

impl FromStr for Aggregate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, rest) = match text.split_once(':') {
            Some((name, rest)) => (name, Some(rest)),
            None => (text, None),
        };
        match (name, rest) {
            ("borda", None) => Ok(Self::Borda),
            ("kemeny", None) => Ok(Self::Kemeny),
            ("bradley-terry", None) => Ok(Self::BradleyTerry { prior: PRIOR }),
            ("bradley-terry", Some(rest)) => {
                let prior = rest.strip_prefix("prior=").unwrap_or(rest);
                let prior = prior.parse::<f64>().ok();
                let prior = prior.filter(|prior| prior.is_finite() && *prior >= 0.0);
                let prior = prior.ok_or("the prior is a number of wins, 0 or more")?;
                Ok(Self::BradleyTerry { prior })
            }
            _ => Err("one of borda, kemeny, bradley-terry:prior=0.1".to_owned()),
        }
    }
}

impl Serialize for Aggregate {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Why the annotators' rankings give none together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoConsensus {
    /// No annotator submitted a ranking.
    #[error("no annotator submitted a ranking")]
    Nobody,
    /// Kemeny: several orders disagree as little.
    #[error("{0} orders are equally near")]
    Ambiguous(u64),
    /// Kemeny: too many candidates.
    #[error("{0} candidates are more than the 16 that kemeny copes with")]
    TooMany(usize),
    /// The rankings cancel out: together they order nothing.
    #[error("together the rankings order nothing")]
    Unresolved,
    /// The method gives nothing.
    #[error("{0}")]
    Undefined(#[from] Undefined),
}

/// How the ranking of a group by people came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Provenance {
    /// One annotator ranked it.
    Single,
    /// Several annotators ranked it alike.
    Unanimous,
    /// One person settled it, having seen every ranking.
    Adjudicated,
    /// Annotators differ, and their rankings were put together.
    Aggregate,
    /// Annotators differ, nobody settled it, and together their rankings say nothing.
    Unresolved,
}

impl Provenance {
    /// Every provenance.
    pub const ALL: [Self; 5] = [
        Self::Single,
        Self::Unanimous,
        Self::Adjudicated,
        Self::Aggregate,
        Self::Unresolved,
    ];

    /// The word in files and on screen.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Unanimous => "unanimous",
            Self::Adjudicated => "adjudicated",
            Self::Aggregate => "aggregate",
            Self::Unresolved => "unresolved",
        }
    }
}

/// What people say of a group together.
#[derive(Debug, Clone, PartialEq)]
pub struct Consensus {
    /// What the annotators' submissions give, whoever settled the group.
    pub ranking: Result<Ranking, NoConsensus>,
    /// How the ranking that counts came about; `None` when nobody ranked or settled the group.
    pub provenance: Option<Provenance>,
}

impl GroupEvidence {
    /// What people say of the group together.
    #[must_use]
    pub fn consensus(&self, aggregate: Aggregate) -> Consensus {
        let rankings: Vec<Ranking> = self.submitted().map(|(_, found)| found.clone()).collect();
        let alike = rankings.windows(2).all(|two| is_same(&two[0], &two[1]));
        // Rankings that are alike need no method, and no method may change them.
        let ranking = match rankings.first() {
            Some(first) if alike => Ok(first.clone()),
            _ => aggregate
                .of(&rankings)
                .and_then(|found| match found.tiers().len() {
                    0 | 1 => Err(NoConsensus::Unresolved),
                    _ => Ok(found),
                }),
        };
        let provenance = match (rankings.len(), &ranking) {
            _ if self.settlement.is_some() => Some(Provenance::Adjudicated),
            (0, _) => None,
            (1, _) => Some(Provenance::Single),
            _ if alike => Some(Provenance::Unanimous),
            (_, Ok(_)) => Some(Provenance::Aggregate),
            (_, Err(_)) => Some(Provenance::Unresolved),
        };
        Consensus {
            ranking,
            provenance,
        }
    }

    /// The ranking of people that counts: the settlement, else what the annotators agree on or give
    /// together; `None` when there is none or it is unresolved.
    #[must_use]
    pub fn counting(&self, aggregate: Aggregate) -> Option<(Ranking, Provenance)> {
        let consensus = self.consensus(aggregate);
        match consensus.provenance? {
            Provenance::Unresolved => None,
            Provenance::Adjudicated => {
                let settled = self.settlement.as_ref()?;
                Some((settled.ranking.clone(), Provenance::Adjudicated))
            }
            provenance => Some((consensus.ranking.ok()?, provenance)),
        }
    }
}

/// Whether two rankings say the same of the same trajectories.
pub(super) fn is_same(a: &Ranking, b: &Ranking) -> bool {
    let found = compare(a, b);
    found.is_identical() && a.ranked() == b.ranked() && found.common == a.ranked()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranking(tiers: &[&[usize]]) -> Ranking {
        Ranking::new(tiers.iter().map(|tier| tier.to_vec()).collect()).unwrap()
    }

    #[test]
    fn trajectories_that_nobody_ranked_stay_out_and_indices_may_have_gaps() {
        let rankings = [ranking(&[&[5], &[2], &[7]]), ranking(&[&[5], &[7], &[2]])];
        for aggregate in [Aggregate::Borda, Aggregate::BradleyTerry { prior: 0.1 }] {
            let found = aggregate.of(&rankings).unwrap();
            assert_eq!(found.tiers(), [vec![5], vec![2, 7]], "{aggregate}");
        }
        let error = Aggregate::Kemeny.of(&rankings).unwrap_err();
        assert_eq!(error, NoConsensus::Ambiguous(2));
        let error = Aggregate::BradleyTerry { prior: 0.0 }.of(&rankings);
        assert_eq!(
            error.unwrap_err(),
            NoConsensus::Undefined(Undefined::NoFiniteMaximum)
        );
    }

    #[test]
    fn three_to_one_is_a_majority_for_kemeny() {
        let a = ranking(&[&[0], &[1], &[2]]);
        let b = ranking(&[&[1], &[0], &[2]]);
        let rankings = [a.clone(), a.clone(), b];
        assert_eq!(Aggregate::Kemeny.of(&rankings).unwrap(), a);
    }

    #[test]
    fn names_are_read_back() {
        for text in ["borda", "kemeny", "bradley-terry:prior=0.25"] {
            assert_eq!(text.parse::<Aggregate>().unwrap().to_string(), text);
        }
        assert!("bradley-terry:prior=-1".parse::<Aggregate>().is_err());
        assert!("condorcet".parse::<Aggregate>().is_err());
    }

    #[test]
    fn provenance_follows_who_ranked() {
        use super::super::evidence::{Judged, Settlement};
        let person = |name: &str, tiers: &[&[usize]]| Judged {
            annotator: name.to_owned(),
            ranking: Some(ranking(tiers)),
            is_after_reveal: false,
            blind: None,
            after_reveal: None,
            revealed: false,
            active_ms: 0,
            confidence: None,
            findings: Vec::new(),
            findings_after_reveal: 0,
            event_id: String::new(),
        };
        let mut group = GroupEvidence {
            passing: vec![true; 2],
            ..GroupEvidence::default()
        };
        let provenance = |group: &GroupEvidence| group.consensus(Aggregate::Borda).provenance;
        assert_eq!(provenance(&group), None);
        group.people.push(person("a", &[&[0], &[1]]));
        assert_eq!(provenance(&group), Some(Provenance::Single));
        group.people.push(person("b", &[&[0], &[1]]));
        assert_eq!(provenance(&group), Some(Provenance::Unanimous));
        group.people[1] = person("b", &[&[1], &[0]]);
        assert_eq!(provenance(&group), Some(Provenance::Unresolved));
        assert_eq!(group.counting(Aggregate::Borda), None);
        let none = group.consensus(Aggregate::Borda).ranking;
        assert_eq!(none, Err(NoConsensus::Unresolved), "no ranking of its own");
        group.people.push(person("c", &[&[1], &[0]]));
        assert_eq!(provenance(&group), Some(Provenance::Aggregate));
        group.settlement = Some(Settlement {
            annotator: "d".to_owned(),
            ranking: ranking(&[&[0, 1]]),
            note: String::new(),
            at_ms: 0,
            event_id: String::new(),
        });
        let counting = group.counting(Aggregate::Borda).unwrap();
        assert_eq!(counting, (ranking(&[&[0, 1]]), Provenance::Adjudicated));
    }
}
