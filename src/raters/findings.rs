//! Whether two raters flag the same trajectories, by rubric code.

use std::collections::BTreeSet;

use serde::Serialize;

use super::evidence::GroupEvidence;
use super::rater::Rater;
use crate::domain::TrajectoryIndex;
use crate::domain::kappa::Verdicts;

/// Agreement of two raters on one rubric code, over the passing trajectories of the groups that
/// both judged.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KappaRow {
    /// The first rater.
    pub first: Rater,
    /// The second rater.
    pub second: Rater,
    /// The code; `None` = any finding at all.
    pub code: Option<String>,
    /// Trajectories judged by both.
    pub trajectories: usize,
    /// Flagged by both.
    pub both: usize,
    /// Flagged by the first only.
    pub only_first: usize,
    /// Flagged by the second only.
    pub only_second: usize,
    /// Flagged by neither.
    pub neither: usize,
    /// Cohen's kappa; `None` = undefined.
    pub kappa: Option<f64>,
    /// Why kappa is undefined.
    pub undefined: Option<String>,
}

type Flags<'a> = &'a [(TrajectoryIndex, String)];

/// The findings of a rater who judged the group: ranked it, or found something.
fn flags<'a>(group: &'a GroupEvidence, rater: &Rater) -> Option<Flags<'a>> {
    match rater {
        Rater::Grader(name) => {
            let mut graders = group.graders.iter();
            let grader = graders.find(|grader| grader.name == *name)?;
            let judged = grader.ranking.is_some() || !grader.findings.is_empty();
            judged.then_some(&grader.findings)
        }
        Rater::Annotator(name) => {
            let person = group.person(name)?;
            let judged = person.ranking.is_some() || !person.findings.is_empty();
            judged.then_some(&person.findings)
        }
        Rater::Consensus | Rater::Settlement | Rater::Gold => None,
    }
}

/// The rows of two raters: any finding first, then each code that one of them used.
pub(super) fn kappas(first: &Rater, second: &Rater, groups: &[GroupEvidence]) -> Vec<KappaRow> {
    let both: Vec<(&GroupEvidence, Flags<'_>, Flags<'_>)> = groups
        .iter()
        .filter_map(|group| Some((group, flags(group, first)?, flags(group, second)?)))
        .collect();
    let used: BTreeSet<&str> = both
        .iter()
        .flat_map(|(_, a, b)| a.iter().chain(*b))
        .map(|(_, code)| code.as_str())
        .collect();
    // Where nobody flagged anything there is nothing to agree on.
    let codes = (!used.is_empty()).then_some(None).into_iter();
    let codes = codes.chain(used.into_iter().map(Some));
    codes
        .map(|code| {
            let mut verdicts = Verdicts::default();
            for (group, a, b) in &both {
                let flagged = |flags: Flags<'_>, index: TrajectoryIndex| {
                    let of = flags.iter().filter(|(at, _)| *at == index);
                    of.into_iter()
                        .any(|(_, found)| code.is_none_or(|code| code == found))
                };
                let passing = group.passing.iter().enumerate();
                for (index, _) in passing.filter(|(_, passes)| **passes) {
                    verdicts.add(flagged(a, index), flagged(b, index));
                }
            }
            let kappa = verdicts.kappa();
            KappaRow {
                first: first.clone(),
                second: second.clone(),
                code: code.map(ToOwned::to_owned),
                trajectories: verdicts.units(),
                both: verdicts.both,
                only_first: verdicts.only_first,
                only_second: verdicts.only_second,
                neither: verdicts.neither,
                kappa: kappa.ok(),
                undefined: kappa.err().map(|reason| reason.to_string()),
            }
        })
        .collect()
}
