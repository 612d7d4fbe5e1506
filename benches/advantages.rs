//! One million groups of 16 through an estimator and the redistribution, on one core.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use gagar::domain::redistribution::{RankedGroup, Scratch, redistribute_into};
use gagar::domain::{Estimator, GroupRewards, Policies, Redistribution, Scheme};

fn million_groups_of_16(criterion: &mut Criterion) {
    let rewards: Vec<Option<f64>> = (0..16)
        .map(|i| Some(f64::from(u8::from(i % 2 == 0))))
        .collect();
    let passed: Vec<bool> = (0..16).map(|i| i % 2 == 0).collect();
    let tiers: Vec<Vec<usize>> = (0..8).map(|i| vec![14 - 2 * i]).collect();
    let (estimator, scheme) = (Estimator::default(), Scheme::default());
    let mut group = criterion.benchmark_group("advantages");
    group.sample_size(10);
    group.bench_function("1M groups of 16", |bencher| {
        let (mut advantages, mut scratch) = (Vec::new(), Scratch::default());
        let mut result = Redistribution::default();
        bencher.iter(|| {
            for _ in 0..1_000_000 {
                let group = GroupRewards {
                    rewards: black_box(&rewards),
                    lengths: None,
                    recorded: &[],
                };
                let computed = estimator.advantages_into(&group, &mut advantages);
                let ranked = RankedGroup {
                    advantages: &advantages,
                    passed: &passed,
                    tiers: black_box(&tiers),
                    lengths: None,
                };
                let policies = Policies::default();
                let moved = redistribute_into(ranked, &scheme, policies, &mut scratch, &mut result);
                assert!(computed.is_ok() && moved.is_ok());
                black_box(&result.advantages);
            }
        });
    });
    group.finish();
}

criterion_group!(benches, million_groups_of_16);
criterion_main!(benches);
