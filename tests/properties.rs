//! Invariants of the redistribution (`advantage-math.md` 2.5) on random groups.

use gagar::domain::redistribution::{Status, TieRule};
use gagar::domain::{Policies, Ranking, Redistribution, Scheme, redistribute};
use proptest::prelude::*;

/// A group: advantages, pass flags, ranking of some of the passing trajectories.
#[derive(Debug, Clone)]
struct Case {
    advantages: Vec<f64>,
    passed: Vec<bool>,
    ranking: Ranking,
}

fn case(equal: bool) -> impl Strategy<Value = Case> {
    let member = (
        any::<bool>(),
        0.001..5.0f64,
        0usize..6,
        prop::bool::weighted(0.9),
    );
    prop::collection::vec(member, 1..20).prop_map(move |members| {
        let passed: Vec<bool> = members.iter().map(|m| m.0).collect();
        let value = |m: &(bool, f64, usize, bool)| match (m.0, equal) {
            (true, true) => 0.75,
            (true, false) => m.1,
            (false, _) => -m.1,
        };
        let mut tiers = vec![Vec::new(); 6];
        for (i, m) in members.iter().enumerate().filter(|(_, m)| m.0 && m.3) {
            tiers[m.2].push(i);
        }
        let advantages = members.iter().map(value).collect();
        Case {
            advantages,
            passed,
            ranking: Ranking::new(tiers).unwrap(),
        }
    })
}

fn scheme() -> impl Strategy<Value = Scheme> {
    prop_oneof![
        (0.05..=1.0f64).prop_map(|floor| Scheme::Linear { floor }),
        (0.2..=1.0f64).prop_map(|gamma| Scheme::Geometric { gamma }),
        Just(Scheme::Reciprocal),
        Just(Scheme::Dcg),
        Just(Scheme::Uniform),
        (0.05..=1.0f64).prop_map(|factor| Scheme::BelowMedian { factor }),
        (1..4i64, 0.05..=1.0f64).prop_map(|(k, rest)| Scheme::Top { k, rest }),
    ]
}

fn ties() -> impl Strategy<Value = Policies> {
    prop_oneof![
        Just(TieRule::Share),
        Just(TieRule::Dense),
        Just(TieRule::Min)
    ]
    .prop_map(|ties| Policies {
        ties,
        ..Policies::default()
    })
}

fn run(case: &Case, scheme: &Scheme, policies: Policies) -> Redistribution {
    redistribute(
        &case.advantages,
        &case.passed,
        Some(&case.ranking),
        scheme,
        policies,
    )
    .unwrap()
}

fn close(a: f64, b: f64, size: f64) -> bool {
    (a - b).abs() <= 1e-11 * size.max(f64::MIN_POSITIVE)
}

proptest! {
    #[test]
    fn sums_signs_failures_and_ratios(case in case(false), scheme in scheme(), policies in ties()) {
        let found = run(&case, &scheme, policies);
        let size: f64 = case.advantages.iter().map(|a| a.abs()).sum();
        let after: f64 = found.advantages.iter().sum();
        prop_assert!(close(case.advantages.iter().sum(), after, size));
        for (i, (a, b)) in case.advantages.iter().zip(&found.advantages).enumerate() {
            if !case.passed[i] {
                prop_assert_eq!(a.to_bits(), b.to_bits());
            }
            prop_assert_eq!(a.signum(), b.signum());
        }
        if found.status == Status::Redistributed {
            let members = case.ranking.order();
            for pair in members.windows(2) {
                let (i, j) = (pair[0], pair[1]);
                let (w, v) = (found.weights[i].unwrap(), found.weights[j].unwrap());
                let left = found.advantages[i] * v * case.advantages[j];
                let right = found.advantages[j] * w * case.advantages[i];
                prop_assert!(close(left, right, left.abs()));
            }
            let least = found.weights.iter().flatten().fold(f64::INFINITY, |m, w| m.min(*w));
            let most = found.weights.iter().flatten().fold(0.0f64, |m, w| m.max(*w));
            let scale = found.scale.unwrap();
            prop_assert!(scale * most >= 1.0 - 1e-12 && scale * least <= 1.0 + 1e-12);
        } else {
            prop_assert_eq!(&found.advantages, &case.advantages);
        }
    }

    #[test]
    fn equal_advantages_follow_the_ranking(case in case(true), scheme in scheme(), policies in ties()) {
        let found = run(&case, &scheme, policies);
        for tiers in case.ranking.tiers().windows(2) {
            prop_assert!(found.advantages[tiers[0][0]] >= found.advantages[tiers[1][0]]);
        }
        for tier in case.ranking.tiers() {
            prop_assert!(tier.iter().all(|&i| found.advantages[i] == found.advantages[tier[0]]));
        }
    }

    #[test]
    fn uniform_and_one_tier_are_the_input(case in case(false), scheme in scheme()) {
        prop_assert_eq!(run(&case, &Scheme::Uniform, Policies::default()).advantages, case.advantages.clone());
        let tied = Ranking::new(vec![case.ranking.order()]).unwrap();
        let tied = Case { ranking: tied, ..case.clone() };
        prop_assert_eq!(run(&tied, &scheme, Policies::default()).advantages, case.advantages);
    }

    #[test]
    fn scaling_advantages_scales_the_result(case in case(false), scheme in scheme(), factor in 0.001..1000.0f64) {
        let found = run(&case, &scheme, Policies::default());
        let scaled: Vec<f64> = case.advantages.iter().map(|a| a * factor).collect();
        let scaled = run(&Case { advantages: scaled, ..case }, &scheme, Policies::default());
        for (a, b) in found.advantages.iter().zip(&scaled.advantages) {
            prop_assert!(close(a * factor, *b, b.abs()));
        }
    }

    #[test]
    fn a_constant_times_the_table_changes_nothing(case in case(false), factor in 0.01..100.0f64) {
        let weights = [1.0, 0.7, 0.4];
        let a = run(&case, &Scheme::Table(weights.to_vec()), Policies::default());
        let b = run(&case, &Scheme::Table(weights.map(|w| w * factor).to_vec()), Policies::default());
        for (a, b) in a.advantages.iter().zip(&b.advantages) {
            prop_assert!(close(*a, *b, b.abs()));
        }
    }

    #[test]
    fn lifting_never_lowers(case in case(false), scheme in scheme(), at in 1usize..20) {
        let strict = case.ranking.order().into_iter().map(|i| vec![i]).collect::<Vec<_>>();
        prop_assume!(strict.len() > 1);
        let at = 1 + at % (strict.len() - 1);
        let mut lifted = strict.clone();
        lifted.swap(at - 1, at);
        let moved = strict[at][0];
        let before = Case { ranking: Ranking::new(strict).unwrap(), ..case.clone() };
        let after = Case { ranking: Ranking::new(lifted).unwrap(), ..case };
        let before = run(&before, &scheme, Policies::default()).advantages[moved];
        let after = run(&after, &scheme, Policies::default()).advantages[moved];
        prop_assert!(after >= before * (1.0 - 1e-12));
    }

    #[test]
    fn renaming_permutes(case in case(false), scheme in scheme()) {
        let n = case.advantages.len();
        let flip = |tiers: &[Vec<usize>]| {
            tiers.iter().map(|tier| tier.iter().map(|i| n - 1 - i).collect()).collect()
        };
        let renamed = Case {
            advantages: case.advantages.iter().rev().copied().collect(),
            passed: case.passed.iter().rev().copied().collect(),
            ranking: Ranking::new(flip(case.ranking.tiers())).unwrap(),
        };
        let (a, b) = (run(&case, &scheme, Policies::default()), run(&renamed, &scheme, Policies::default()));
        for (a, b) in a.advantages.iter().zip(b.advantages.iter().rev()) {
            prop_assert!(close(*a, *b, a.abs()));
        }
    }
}
