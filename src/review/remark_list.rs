//! The remarks of a set as people go through them: in which order, which of them stand in one row, and
//! what each person said.
//!
//! What is *not* here: asking the rules ([`super::spotting`]), what a verdict changes.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::ReviewSession;
use crate::domain::TrajectoryIndex;
use crate::domain::scope::Remark;
use crate::scope::{RULES, triage};
use crate::store::{RuleStamp, Verdict};

/// From how many remarks of one rule about one candidate on they stand in one row.
const FOLDED_FROM: usize = 4;

/// The place of a remark among all: what is worth most first, passing candidates before others, then
/// as the groups are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RemarkOrder {
    class: u8,
    fails: bool,
    group: usize,
    trajectory: TrajectoryIndex,
    /// Place in the table of rules.
    rule: usize,
    file: Option<usize>,
    first_line: Option<u32>,
}

impl RemarkOrder {
    /// Whether one of the candidates that the remark is about passes.
    #[must_use]
    pub fn is_passing(self) -> bool {
        !self.fails
    }

    /// Whether two remarks are of one rule about one candidate.
    #[must_use]
    pub fn is_alike(&self, other: &Self) -> bool {
        self.group == other.group
            && self.trajectory == other.trajectory
            && self.rule == other.rule
            && self.class == other.class
    }
}

/// The rows of remarks in order (0-based ranges): many of one rule about one candidate are one row,
/// unless it `is_unfolded`.
#[must_use]
pub fn rows<'a>(
    count: usize,
    order: impl Fn(usize) -> &'a RemarkOrder,
    is_unfolded: impl Fn(usize) -> bool,
) -> Vec<Range<usize>> {
    let mut rows = Vec::with_capacity(count);
    let mut first = 0;
    while first < count {
        let own = order(first);
        let mut end = first + 1;
        while end < count && order(end).is_alike(own) {
            end += 1;
        }
        match end - first >= FOLDED_FROM && !is_unfolded(first) {
            true => rows.push(first..end),
            false => rows.extend((first..end).map(|one| one..one + 1)),
        }
        first = end;
    }
    rows
}

/// Where several remarks point, in few words: `66 files under build/`, `5 places in a.py`. Untrusted
/// text.
#[must_use]
pub fn places<'a>(remarks: impl Iterator<Item = &'a Remark>) -> String {
    let mut count = 0;
    let paths: BTreeSet<&str> = remarks
        .inspect(|_| count += 1)
        .map(|remark| remark.path.as_str())
        .collect();
    let (Some(first), Some(last)) = (paths.first(), paths.last()) else {
        return String::new();
    };
    if paths.len() == 1 {
        return format!("{count} places in {first}");
    }
    // What the first and the last one share, those between share too.
    let common = first.bytes().zip(last.bytes());
    let common = common.take_while(|(a, b)| a == b).count();
    let folder = first.get(..common).and_then(|text| text.rfind('/'));
    let under = folder.and_then(|end| first.get(..=end));
    match under {
        Some(folder) => format!("{} files under {folder}", paths.len()),
        None => format!("{} files", paths.len()),
    }
}

/// What people said of one remark.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Said {
    /// This annotator.
    pub own: Option<Verdict>,
    /// The others, by name; nobody in a group where something is hidden.
    pub others: Vec<(String, Verdict)>,
}

impl Said {
    /// Whether anybody said anything.
    #[must_use]
    pub fn is_judged(&self) -> bool {
        self.own.is_some() || !self.others.is_empty()
    }
}

/// One person's verdicts on a group, by the remark's key.
type Verdicts = BTreeMap<String, (RuleStamp, Verdict)>;

/// What people said of the remarks about a group.
#[derive(Debug)]
pub struct GroupSaid<'a> {
    own: Option<&'a Verdicts>,
    others: Vec<(&'a str, &'a Verdicts)>,
    session: &'a ReviewSession,
    group: usize,
}

impl GroupSaid<'_> {
    /// What they said of this one.
    #[must_use]
    pub fn of(&self, remark: &Remark) -> Said {
        if self.own.is_none() && self.others.is_empty() {
            return Said::default();
        }
        let Some(id) = self.session.true_id(self.group, remark.trajectory) else {
            return Said::default();
        };
        let key = remark.key(&id);
        let verdict = |of: &Verdicts| of.get(&key).map(|(_, verdict)| *verdict);
        let others = self.others.iter();
        let others = others.filter_map(|(name, of)| Some(((*name).to_owned(), verdict(of)?)));
        Said {
            own: self.own.and_then(verdict),
            others: others.collect(),
        }
    }
}

impl ReviewSession {
    /// The place of a remark about a group among all.
    #[must_use]
    pub fn remark_order(&self, group: usize, remark: &Remark) -> RemarkOrder {
        let data = self.group(group);
        let passes = |index: &usize| {
            let of = data.and_then(|group| group.trajectories.get(*index));
            of.is_some_and(|trajectory| trajectory.outcome.is_pass())
        };
        let is_passing = passes(&remark.trajectory) || remark.also.iter().any(passes);
        let rule = RULES.iter().position(|rule| rule.name == remark.rule);
        RemarkOrder {
            class: triage(remark.rule, remark.level),
            fails: !is_passing,
            group,
            trajectory: remark.trajectory,
            rule: rule.unwrap_or(RULES.len()),
            file: remark.file,
            first_line: remark.lines.map(|(first, _)| first),
        }
    }

    /// What people said of the remarks about a group as it is now; only this annotator while something
    /// of it is hidden.
    #[must_use]
    pub fn remarks_said(&self, group: usize) -> GroupSaid<'_> {
        let mut said = GroupSaid {
            own: None,
            others: Vec::new(),
            session: self,
            group,
        };
        let Some(data) = self.group(group) else {
            return said;
        };
        let (id, you) = (data.id.as_str(), &self.identity().annotator);
        let from = (id.to_owned(), String::new());
        let judged = self.projection().judgements.range(from..);
        for ((_, annotator), judgement) in judged.take_while(|((of, _), _)| of == id) {
            let remarks = judgement.at(&data.fingerprint).map(|of| &of.remarks);
            let Some(remarks) = remarks.filter(|remarks| !remarks.is_empty()) else {
                continue;
            };
            if annotator == you {
                said.own = Some(remarks);
            } else if !self.is_hidden(group) {
                said.others.push((annotator, remarks));
            }
        }
        said
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::scope::Level;

    fn remark(path: &str) -> Remark {
        Remark {
            rule: "junk_file",
            level: Level::Check,
            trajectory: 0,
            also: Vec::new(),
            file: Some(0),
            path: path.to_owned(),
            hunk: None,
            lines: None,
            is_old: false,
            reason: String::new(),
        }
    }

    fn order(trajectory: usize) -> RemarkOrder {
        RemarkOrder {
            class: 0,
            fails: false,
            group: 0,
            trajectory,
            rule: 0,
            file: None,
            first_line: None,
        }
    }

    #[test]
    fn many_of_one_rule_about_one_candidate_are_one_row() {
        let all = [0, 1, 1, 1, 1, 1, 2, 2, 2];
        let all = all.map(order);
        let of = |index: usize| &all[index];
        let folded = rows(all.len(), of, |_| false);
        assert_eq!(folded, [0..1, 1..6, 6..7, 7..8, 8..9]);
        assert_eq!(rows(all.len(), of, |_| true).len(), all.len());
    }

    #[test]
    fn several_places_are_told_by_what_they_share() {
        let told = |paths: &[&str]| {
            let all: Vec<_> = paths.iter().map(|path| remark(path)).collect();
            places(all.iter())
        };
        assert_eq!(
            told(&["build/lib/a.py", "build/bin/b.py"]),
            "2 files under build/"
        );
        assert_eq!(told(&["a.py", "a.py"]), "2 places in a.py");
        assert_eq!(told(&["ab.py", "ac.py"]), "2 files");
        assert_eq!(told(&["é/a", "è/a"]), "2 files");
        assert_eq!(told(&[]), "");
    }
}
