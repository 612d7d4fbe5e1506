//! Who judges which groups: a plan with overlap, so that agreement can be measured.
//!
//! What is *not* here: the file (`gagar.assignment/1`, [`crate::formats`]) and the groups a session
//! shows for it ([`crate::review`]).

use std::collections::BTreeMap;

use super::shuffle::{seed_of, shuffled};

/// One group for one annotator.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Assigned {
    /// Who.
    pub annotator: String,
    /// The group's id.
    pub group_id: String,
    /// Place in the annotator's order, from 1.
    pub position: usize,
    /// Whether names, grader and advantages are hidden until the ranking is submitted.
    pub blind: bool,
    /// What the plan was shuffled with.
    pub seed: u64,
    /// Fingerprint of the group when it was assigned.
    pub fingerprint: String,
}

/// What a plan is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Who judges.
    pub annotators: Vec<String>,
    /// How many of them judge each group.
    pub overlap: usize,
    /// Whether they judge blind.
    pub blind: bool,
    /// What groups and orders are shuffled with.
    pub seed: u64,
}

/// Why there is no plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// Nobody is to judge.
    #[error("no annotator is named")]
    Nobody,
    /// A name stands twice.
    #[error("annotator {0} is named twice")]
    Twice(String),
    /// No group can be judged by so many.
    #[error("{overlap} annotators a group are wanted, and {annotators} are named")]
    Overlap {
        /// Wanted for each group.
        overlap: usize,
        /// Named.
        annotators: usize,
    },
}

impl Plan {
    /// Assigns groups, given as (id, fingerprint): every group to exactly [`Self::overlap`]
    /// annotators. Loads differ by at most 1, and of those with the same load the ones are taken
    /// that share the fewest groups so far. Each annotator has an order of their own. The same
    /// input gives the same plan; rows stand by annotator (as named), then by position.
    ///
    /// # Errors
    /// Nobody is named, a name stands twice, or the overlap is 0 or above the number of annotators.
    pub fn assign(&self, groups: &[(String, String)]) -> Result<Vec<Assigned>, PlanError> {
        self.check()?;
        let n = self.annotators.len();
        let mut loads = vec![0_usize; n];
        // How many groups two annotators share, by (lower, higher) place.
        let mut shared: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        let mut theirs: Vec<Vec<usize>> = vec![Vec::new(); n];
        let places: Vec<usize> = (0..groups.len()).collect();
        let order = shuffled(places, seed_of(&[&self.seed.to_string(), "groups"]));
        for group in order {
            let tie = seed_of(&[&self.seed.to_string(), "tie", &groups[group].0]);
            let everyone = shuffled((0..n).collect(), tie);
            let mut chosen: Vec<usize> = Vec::with_capacity(self.overlap);
            while chosen.len() < self.overlap {
                let met = |&one: &usize| -> usize {
                    let pairs = chosen.iter().map(|&other| pair(one, other));
                    pairs
                        .map(|pair| shared.get(&pair).copied().unwrap_or(0))
                        .sum()
                };
                let left = everyone.iter().copied().filter(|one| !chosen.contains(one));
                // The first of equals: the order is a shuffled one.
                let Some(next) = left.min_by_key(|one| (loads[*one], met(one))) else {
                    break;
                };
                for &other in &chosen {
                    *shared.entry(pair(next, other)).or_default() += 1;
                }
                chosen.push(next);
            }
            for &one in &chosen {
                loads[one] += 1;
                theirs[one].push(group);
            }
        }
        let rows = self.annotators.iter().zip(theirs);
        Ok(rows
            .flat_map(|(annotator, mut theirs)| {
                // In the order of the groups first, so that only the seed decides.
                theirs.sort_unstable();
                let own = seed_of(&[&self.seed.to_string(), "order", annotator]);
                let order = shuffled(theirs, own).into_iter().enumerate();
                order
                    .map(|(place, group)| Assigned {
                        annotator: annotator.clone(),
                        group_id: groups[group].0.clone(),
                        position: place + 1,
                        blind: self.blind,
                        seed: self.seed,
                        fingerprint: groups[group].1.clone(),
                    })
                    .collect::<Vec<_>>()
            })
            .collect())
    }

    fn check(&self) -> Result<(), PlanError> {
        let annotators = self.annotators.len();
        if annotators == 0 {
            return Err(PlanError::Nobody);
        }
        for (place, name) in self.annotators.iter().enumerate() {
            if self.annotators[..place].contains(name) {
                return Err(PlanError::Twice(name.clone()));
            }
        }
        if self.overlap == 0 || self.overlap > annotators {
            let overlap = self.overlap;
            return Err(PlanError::Overlap {
                overlap,
                annotators,
            });
        }
        Ok(())
    }
}

fn pair(one: usize, other: usize) -> (usize, usize) {
    (one.min(other), one.max(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(n: usize) -> Vec<(String, String)> {
        let names = (0..n).map(|i| (format!("g{i:03}"), format!("f{i}")));
        names.collect()
    }

    fn plan(names: &str, overlap: usize, seed: u64) -> Plan {
        Plan {
            annotators: names.chars().map(String::from).collect(),
            overlap,
            blind: true,
            seed,
        }
    }

    #[test]
    fn loads_overlaps_and_pairs_are_even() {
        for (names, overlap, n) in [
            ("abc", 2, 40),
            ("abcd", 2, 61),
            ("abcde", 3, 50),
            ("ab", 1, 7),
            ("abc", 3, 5),
            ("abcdef", 2, 90),
        ] {
            for seed in 0..20 {
                let rows = plan(names, overlap, seed).assign(&groups(n)).unwrap();
                let mut by_group: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
                let mut loads: BTreeMap<&str, usize> = BTreeMap::new();
                for row in &rows {
                    let who = row.annotator.as_str();
                    by_group.entry(&row.group_id).or_default().push(who);
                    *loads.entry(who).or_default() += 1;
                    assert_eq!(row.position, loads[who], "positions go up from 1");
                }
                assert_eq!(by_group.len(), n);
                let mut pairs: BTreeMap<(&str, &str), usize> = BTreeMap::new();
                for who in by_group.values() {
                    assert_eq!(who.len(), overlap);
                    for (place, one) in who.iter().enumerate() {
                        for other in &who[place + 1..] {
                            assert_ne!(one, other);
                            *pairs.entry((one, other)).or_default() += 1;
                        }
                    }
                }
                let spread = |counts: Vec<usize>| {
                    counts.iter().max().unwrap() - counts.iter().min().unwrap()
                };
                assert!(spread(loads.into_values().collect()) <= 1);
                if overlap > 1 {
                    let k = names.len();
                    assert_eq!(pairs.len(), k * (k - 1) / 2, "every pair meets");
                    let spread = spread(pairs.into_values().collect());
                    assert!(spread <= 3, "{names} {overlap} {seed}: {spread}");
                }
            }
        }
    }

    #[test]
    fn a_plan_is_the_same_again_and_another_with_another_seed() {
        let rows = |seed| plan("abc", 2, seed).assign(&groups(12)).unwrap();
        assert_eq!(rows(7), rows(7));
        assert_ne!(rows(7), rows(8));
        let order = |who: &str| -> Vec<String> {
            let rows = rows(7).into_iter().filter(|row| row.annotator == who);
            rows.map(|row| row.group_id).collect()
        };
        let mut sorted = order("a");
        sorted.sort();
        assert_ne!(order("a"), sorted, "an order of their own");
    }

    #[test]
    fn impossible_plans_say_why() {
        let told = |names: &str, overlap| {
            plan(names, overlap, 0)
                .assign(&groups(3))
                .unwrap_err()
                .to_string()
        };
        assert!(told("", 1).contains("no annotator"));
        assert!(told("aba", 2).contains("twice"));
        assert!(told("ab", 3).contains("3 annotators a group"));
        assert!(told("ab", 0).contains('0'));
    }
}
