//! Ranking by pairs: which two to compare next, and the ranking that the verdicts imply.
//!
//! Items are inserted one after the other into the tiers there are, by binary search with three
//! answers (better, worse, equal). What verdicts imply is known from their transitive closure, so
//! that an implied pair is never asked for and verdicts cannot contradict each other. `n` items take
//! at most `sum of ceil(log2(k)), k = 2..=n` verdicts. What is *not* here: who answers, and where
//! verdicts are kept.

use std::cmp::Ordering;

use super::ranking::Ranking;
use super::trajectory::TrajectoryIndex;

/// Which of two is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// The first.
    First,
    /// The second.
    Second,
    /// Neither.
    Neither,
}

/// How far a ranking by pairs is.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// The ranking of the items that are placed; the others are not in it.
    pub ranking: Ranking,
    /// The pair to compare next; `None` = everything is placed.
    pub next: Option<(TrajectoryIndex, TrajectoryIndex)>,
    /// Verdicts that count.
    pub given: usize,
    /// Verdicts that are still needed at most.
    pub left: usize,
    /// Verdicts that say nothing here: on items that are not compared, or known already.
    pub unused: usize,
}

impl Standing {
    /// Where the ranking of some items is after these verdicts. `classes` are the items in the order
    /// in which they are inserted; those of one class are equal from the start. No item stands twice.
    #[must_use]
    pub fn of(
        classes: &[Vec<TrajectoryIndex>],
        verdicts: &[(TrajectoryIndex, TrajectoryIndex, Better)],
    ) -> Self {
        let mut known = Known::of(classes.len());
        let (mut given, mut unused) = (0, 0);
        let class = |item| classes.iter().position(|class| class.contains(&item));
        for &(first, second, better) in verdicts {
            let order = match better {
                Better::First => Ordering::Less,
                Better::Second => Ordering::Greater,
                Better::Neither => Ordering::Equal,
            };
            let added = match (class(first), class(second)) {
                (Some(a), Some(b)) if a != b => known.add(a, b, order),
                _ => false,
            };
            given += usize::from(added);
            unused += usize::from(!added);
        }
        let mut tiers: Vec<Vec<usize>> = Vec::new();
        let (mut next, mut left) = (None, 0);
        for item in 0..classes.len() {
            let place = Place::of(item, &tiers, &known);
            match place {
                Place::In(tier) => tiers[tier].push(item),
                Place::Before(tier) => tiers.insert(tier, vec![item]),
                Place::Between(from, to) => {
                    let middle = tiers[usize::midpoint(from, to)][0];
                    next = Some((item, middle));
                    left = most_verdicts(to - from)
                        + (item + 1..classes.len())
                            // One tier more per item at most.
                            .map(|later| most_verdicts(tiers.len() + later - item))
                            .sum::<usize>();
                    break;
                }
            }
        }
        let item = |class: &usize| classes[*class].iter().copied();
        let ranked = tiers
            .iter()
            .map(|tier| tier.iter().flat_map(item).collect());
        let first = |class: usize| classes.get(class).and_then(|class| class.first()).copied();
        // Sides alternate, so that none is favoured.
        let next = next.and_then(|(a, b)| match given % 2 {
            0 => first(b).zip(first(a)),
            _ => first(a).zip(first(b)),
        });
        Self {
            ranking: Ranking::new(ranked.collect()).unwrap_or_default(),
            next,
            given,
            left,
            unused,
        }
    }
}

/// Verdicts that place an item among so many tiers at most: `ceil(log2(tiers + 1))`.
fn most_verdicts(tiers: usize) -> usize {
    (usize::BITS - tiers.leading_zeros()) as usize
}

/// Where an item belongs among tiers, as far as it is known.
enum Place {
    /// In this tier.
    In(usize),
    /// In a tier of its own, before this one.
    Before(usize),
    /// In one of the tiers `from..to`, or before, between or behind them.
    Between(usize, usize),
}

impl Place {
    fn of(item: usize, tiers: &[Vec<usize>], known: &Known) -> Self {
        let (mut from, mut to) = (0, tiers.len());
        for (place, tier) in tiers.iter().enumerate() {
            // Those of one tier are equal, so the first one speaks for all.
            match tier.first().and_then(|&other| known.order(item, other)) {
                Some(Ordering::Equal) => return Self::In(place),
                Some(Ordering::Less) => to = to.min(place),
                Some(Ordering::Greater) => from = from.max(place + 1),
                None => {}
            }
        }
        match from < to {
            true => Self::Between(from, to),
            false => Self::Before(from),
        }
    }
}

/// The transitive closure of verdicts: `Less` = the first is better.
struct Known {
    count: usize,
    orders: Vec<Option<Ordering>>,
}

impl Known {
    fn of(count: usize) -> Self {
        let mut orders = vec![None; count * count];
        for item in 0..count {
            orders[item * count + item] = Some(Ordering::Equal);
        }
        Self { count, orders }
    }

    fn order(&self, a: usize, b: usize) -> Option<Ordering> {
        self.orders.get(a * self.count + b).copied().flatten()
    }

    /// Adds a verdict and what follows from it; answers whether it was not known yet.
    fn add(&mut self, a: usize, b: usize, order: Ordering) -> bool {
        if self.order(a, b).is_some() {
            return false;
        }
        match order {
            Ordering::Less => self.follow(a, b, Ordering::Less),
            Ordering::Greater => self.follow(b, a, Ordering::Less),
            Ordering::Equal => {
                self.follow(a, b, Ordering::Equal);
                self.follow(b, a, Ordering::Equal);
            }
        }
        true
    }

    /// Everything that is at least as good as `a` is so to everything that `b` is at least as good as.
    fn follow(&mut self, a: usize, b: usize, order: Ordering) {
        let not_worse = |order: Option<Ordering>| order.filter(|order| order.is_le());
        let items = 0..self.count;
        let above = items.clone();
        let above = above.filter_map(|x| Some((x, not_worse(self.order(x, a))?)));
        let above: Vec<_> = above.collect();
        let below = items.filter_map(|y| Some((y, not_worse(self.order(b, y))?)));
        let below: Vec<_> = below.collect();
        for &(x, over) in &above {
            for &(y, under) in &below {
                // Strict where one step of the way is.
                let found = over.min(order).min(under);
                self.orders[x * self.count + y] = Some(found);
                self.orders[y * self.count + x] = Some(found.reverse());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::seq::SliceRandom;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// Asks until everything is placed; returns the ranking and the number of verdicts.
    fn ask(classes: &[Vec<usize>], rank: &dyn Fn(usize) -> usize) -> (Ranking, usize) {
        let mut verdicts = Vec::new();
        loop {
            let standing = Standing::of(classes, &verdicts);
            assert_eq!((standing.given, standing.unused), (verdicts.len(), 0));
            let Some((a, b)) = standing.next else {
                assert_eq!(standing.left, 0);
                return (standing.ranking, verdicts.len());
            };
            assert!(standing.left > 0);
            let better = match rank(a).cmp(&rank(b)) {
                Ordering::Less => Better::First,
                Ordering::Greater => Better::Second,
                Ordering::Equal => Better::Neither,
            };
            verdicts.push((a, b, better));
            let after = Standing::of(classes, &verdicts);
            assert!(after.left < standing.left, "{standing:?} {after:?}");
        }
    }

    fn hidden(ranks: &[usize]) -> Ranking {
        let worst = ranks.iter().copied().max().unwrap_or(0);
        let tier = |rank| (0..ranks.len()).filter(|&i| ranks[i] == rank).collect();
        let tiers: Vec<Vec<usize>> = (0..=worst).map(tier).collect();
        Ranking::new(tiers.into_iter().filter(|tier| !tier.is_empty()).collect()).unwrap()
    }

    fn sorted(ranking: &Ranking) -> Vec<Vec<usize>> {
        let mut tiers = ranking.tiers().to_vec();
        tiers.iter_mut().for_each(|tier| tier.sort_unstable());
        tiers
    }

    #[test]
    fn the_hidden_order_is_found_within_the_bound() {
        let mut random = ChaCha8Rng::seed_from_u64(7);
        for n in 2..=16usize {
            let bound: usize = (2..=n).map(|k| (k as f64).log2().ceil() as usize).sum();
            for round in 0..60 {
                let mut ranks: Vec<usize> = match round % 3 {
                    0 => (0..n).collect(),
                    1 => (0..n).map(|_| random.random_range(0..n)).collect(),
                    _ => (0..n).map(|_| random.random_range(0..3)).collect(),
                };
                ranks.shuffle(&mut random);
                let classes: Vec<Vec<usize>> = (0..n).map(|item| vec![item]).collect();
                let first = Standing::of(&classes, &[]);
                assert_eq!(first.left, bound);
                let (found, count) = ask(&classes, &|item| ranks[item]);
                assert_eq!(sorted(&found), sorted(&hidden(&ranks)));
                assert!(count <= bound, "{n}: {count} > {bound}");
            }
        }
    }

    #[test]
    fn identical_ones_are_tied_from_the_start() {
        let classes = [vec![4, 1], vec![2], vec![7, 8]];
        let rank = |item| [9, 1, 0, 9, 1, 9, 9, 2, 2][item];
        let (found, count) = ask(&classes, &rank);
        assert_eq!(sorted(&found), [vec![2], vec![1, 4], vec![7, 8]]);
        assert!(count <= 3);
        let all = Standing::of(&[vec![0, 1, 2]], &[]);
        assert_eq!((all.next, all.ranking.tiers().len()), (None, 1));
        assert_eq!(Standing::of(&[], &[]).next, None);
    }

    #[test]
    fn verdicts_that_say_nothing_new_are_counted_and_change_nothing() {
        let classes = [vec![0], vec![1], vec![2]];
        let both = [(0, 1, Better::First), (1, 2, Better::First)];
        let standing = Standing::of(&classes, &both);
        assert_eq!(standing.next, None);
        let more = [
            both[0],
            both[1],
            (2, 0, Better::First),
            (0, 9, Better::First),
        ];
        let again = Standing::of(&classes, &more);
        assert_eq!(again.ranking, standing.ranking);
        assert_eq!(again.unused, 2);
    }
}
