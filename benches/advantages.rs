//! One million groups of 16 through an estimator and the redistribution, on one core.
//!
//! 4,096 different groups (random outcomes, random strict rankings) are run through again and again;
//! `benches/advantages_numpy.py` does the same sums in numpy for the ratio.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use gagar::domain::redistribution::{RankedGroup, Scratch, redistribute_into};
use gagar::domain::{Estimator, GroupRewards, Policies, Redistribution, Scheme};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const GROUPS: usize = 1_000_000;
const DIFFERENT: usize = 4_096;

struct Group {
    rewards: Vec<Option<f64>>,
    passed: Vec<bool>,
    tiers: Vec<Vec<usize>>,
}

fn group(random: &mut ChaCha8Rng) -> Group {
    let passed: Vec<bool> = (0..16).map(|_| random.random_bool(0.5)).collect();
    let mut order: Vec<usize> = (0..16).filter(|&i| passed[i]).collect();
    order.shuffle(random);
    let rewards = passed
        .iter()
        .map(|&pass| Some(f64::from(u8::from(pass))))
        .collect();
    let tiers = order.into_iter().map(|i| vec![i]).collect();
    Group {
        rewards,
        passed,
        tiers,
    }
}

fn million_groups_of_16(criterion: &mut Criterion) {
    let mut random = ChaCha8Rng::seed_from_u64(16);
    let groups: Vec<Group> = (0..DIFFERENT).map(|_| group(&mut random)).collect();
    let (estimator, scheme) = (Estimator::default(), Scheme::default());
    let mut bench = criterion.benchmark_group("advantages");
    bench.sample_size(10);
    bench.bench_function("1M groups of 16", |bencher| {
        let (mut advantages, mut scratch) = (Vec::new(), Scratch::default());
        let mut result = Redistribution::default();
        bencher.iter(|| {
            for group in groups.iter().cycle().take(GROUPS) {
                let rewards = GroupRewards {
                    rewards: black_box(&group.rewards),
                    lengths: None,
                    recorded: &[],
                };
                let computed = estimator.advantages_into(&rewards, &mut advantages);
                let ranked = RankedGroup {
                    advantages: &advantages,
                    passed: &group.passed,
                    tiers: black_box(&group.tiers),
                    lengths: None,
                };
                let policies = Policies::default();
                let moved = redistribute_into(ranked, &scheme, policies, &mut scratch, &mut result);
                assert!(computed.is_ok() && moved.is_ok());
                black_box(&result.advantages);
            }
        });
    });
    bench.finish();
}

criterion_group!(benches, million_groups_of_16);
criterion_main!(benches);
