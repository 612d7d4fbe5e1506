//! What the reveal of names, grader and advantages changed in an annotator's rankings.

use serde::Serialize;

use super::bootstrap::Figure;
use super::consensus::is_same;
use super::evidence::GroupEvidence;
use super::rater::Rater;
use crate::domain::Ranking;
use crate::domain::agreement::{Undefined, compare};

/// One annotator against one other rater, over the groups ranked blind and revealed after.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RevealRow {
    /// Who.
    pub annotator: String,
    /// The grader compared with; `None` = the annotator's own ranking before the reveal.
    pub grader: Option<Rater>,
    /// Groups ranked blind and revealed after (by the grader too, when there is one).
    pub groups: usize,
    /// Groups ranked otherwise after the reveal.
    pub changed: usize,
    /// Mean tau-b with the blind rankings.
    pub before: Figure,
    /// Mean tau-b with the rankings that stand after the reveal.
    pub after: Figure,
    /// Mean of after less before, group by group.
    pub difference: Figure,
}

/// The rankings before and after the reveal; what was not changed stands.
fn both<'a>(group: &'a GroupEvidence, name: &str) -> Option<(&'a Ranking, &'a Ranking)> {
    let person = group.person(name).filter(|person| person.revealed)?;
    let before = person.blind.as_ref()?;
    Some((before, person.after_reveal.as_ref().unwrap_or(before)))
}

impl RevealRow {
    /// The rows of one annotator: against itself, then against each grader; none without a reveal.
    pub(super) fn of(
        name: &str,
        graders: &[String],
        groups: &[GroupEvidence],
        seed: u64,
    ) -> Vec<Self> {
        let own = groups.iter().filter_map(|group| both(group, name));
        let mut rows = vec![Self::row(name, None, own.map(|(a, b)| (a, a, b)), seed)];
        for grader in graders {
            let rater = Rater::Grader(grader.clone());
            let with = groups.iter().filter_map(|group| {
                let (before, after) = both(group, name)?;
                Some((group.ranking(&rater)?, before, after))
            });
            rows.push(Self::row(name, Some(rater.clone()), with, seed));
        }
        rows.retain(|row| row.groups > 0);
        rows
    }

    fn row<'a>(
        name: &str,
        grader: Option<Rater>,
        rankings: impl Iterator<Item = (&'a Ranking, &'a Ranking, &'a Ranking)>,
        seed: u64,
    ) -> Self {
        let (mut before, mut after, mut difference) = (Vec::new(), Vec::new(), Vec::new());
        let mut changed = 0;
        for (reference, blind, later) in rankings {
            let a: Result<f64, Undefined> = compare(reference, blind).tau_b;
            let b = compare(reference, later).tau_b;
            changed += usize::from(!is_same(blind, later));
            before.push(a);
            after.push(b);
            difference.push(a.and_then(|a| Ok(b? - a)));
        }
        Self {
            annotator: name.to_owned(),
            grader,
            groups: before.len(),
            changed,
            before: Figure::of(before, seed),
            after: Figure::of(after, seed),
            difference: Figure::of(difference, seed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_listed_in_another_order_are_no_change() {
        let ranking = |tiers: &[&[usize]]| {
            Ranking::new(tiers.iter().map(|tier| tier.to_vec()).collect()).unwrap()
        };
        let blind = ranking(&[&[0, 1], &[2]]);
        let changed = |later: &Ranking| {
            RevealRow::row("ann", None, [(&blind, &blind, later)].into_iter(), 0).changed
        };
        assert_eq!(changed(&ranking(&[&[1, 0], &[2]])), 0);
        assert_eq!(changed(&ranking(&[&[1], &[0], &[2]])), 1);
        assert_eq!(changed(&ranking(&[&[0, 1]])), 1);
    }
}
