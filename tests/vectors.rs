//! The arithmetic equals the recorded vectors (`tests/vectors`, or the folder `GAGAR_VECTORS`).

use gagar::domain::advantage::LengthPenalty;
use gagar::domain::metrics::metrics;
use gagar::domain::redistribution::redistribute_tiers;
use gagar::domain::{Estimator, GroupRewards, Policies, Ranking, Scheme, agreement};
use serde_json::Value;

fn load(name: &str) -> Value {
    let folder = std::env::var("GAGAR_VECTORS")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors").to_owned());
    let text = std::fs::read_to_string(format!("{folder}/{name}.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn number(value: &Value) -> f64 {
    match value {
        Value::String(word) => word.parse().unwrap(),
        other => other.as_f64().unwrap(),
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

fn tiers(value: &Value) -> Vec<Vec<usize>> {
    let tier = |tier: &Value| {
        let index = |i: &Value| usize::try_from(i.as_i64().unwrap()).unwrap_or(usize::MAX);
        tier.as_array().unwrap().iter().map(index).collect()
    };
    value
        .as_array()
        .map(|all| all.iter().map(tier).collect())
        .unwrap_or_default()
}

fn close(found: f64, expected: f64, absolute: f64) -> bool {
    (found - expected).abs() <= absolute.max(1e-12 * expected.abs())
}

fn scheme(value: &Value) -> String {
    let name = value["name"].as_str().unwrap();
    let parameters: Vec<String> = value
        .as_object()
        .unwrap()
        .iter()
        .filter(|(key, _)| *key != "name")
        .map(|(key, value)| match value.as_array() {
            Some(list) => list
                .iter()
                .map(Value::to_string)
                .collect::<Vec<_>>()
                .join(","),
            None => format!("{key}={value}"),
        })
        .collect();
    format!("{name}:{}", parameters.join(","))
}

fn policies(options: &Value) -> Policies {
    let mut policies = Policies::default();
    for (key, value) in options.as_object().into_iter().flatten() {
        let word = value.as_str().unwrap();
        match key.as_str() {
            "ties" => policies.ties = word.parse().unwrap(),
            "unranked" => policies.unranked = word.parse().unwrap(),
            "failing_rank" => policies.failing_rank = word.parse().unwrap(),
            "nonpositive" => policies.nonpositive = word.parse().unwrap(),
            other => panic!("option {other}"),
        }
    }
    policies
}

fn optional(value: &Value) -> Vec<Option<f64>> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(Value::as_f64)
        .collect()
}

#[test]
fn redistribution() {
    let file = load("redistribute");
    let cases = file["cases"].as_array().unwrap();
    assert!(cases.len() >= 139);
    let mut wrong = Vec::new();
    for case in cases {
        if let Err(why) = redistribution_case(case) {
            wrong.push(format!("{}: {why}", case["name"]));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

fn redistribution_case(case: &Value) -> Result<(), String> {
    let advantages = numbers(&case["advantages"]);
    let passed: Vec<bool> = case["passed"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p.as_bool().unwrap())
        .collect();
    let lengths = case.get("lengths").filter(|l| !l.is_null()).map(numbers);
    let expect = &case["expect"];
    let found = scheme(&case["scheme"])
        .parse::<Scheme>()
        .and_then(|scheme| {
            redistribute_tiers(
                &advantages,
                &passed,
                &tiers(&case["ranking"]),
                lengths.as_deref(),
                &scheme,
                policies(&case["options"]),
            )
        });
    let found = match (found, expect["error"].as_str()) {
        (Err(error), Some(kind)) if error.kind() == kind => return Ok(()),
        (Ok(found), None) => found,
        (other, kind) => return Err(format!("{other:?}, expected error {kind:?}")),
    };
    let mut wrong = Vec::new();
    let mut check = |what: &str, found: Option<f64>, expected: &Value, absolute: f64| {
        let same = match (found, expected.as_f64()) {
            (None, None) => true,
            (Some(found), Some(expected)) => close(found, expected, absolute),
            _ => false,
        };
        if !same {
            wrong.push(format!("{what} = {found:?}, expected {expected}"));
        }
    };
    for (i, value) in expect["advantages"].as_array().unwrap().iter().enumerate() {
        check("advantage", Some(found.advantages[i]), value, 1e-15);
        check("weight", found.weights[i], &expect["weights"][i], 1e-15);
        check(
            "multiplier",
            Some(found.multipliers[i]),
            &expect["multipliers"][i],
            1e-15,
        );
    }
    check("scale", found.scale, &expect["scale"], 1e-15);
    let figures = metrics(&advantages, &found.advantages, &passed, lengths.as_deref());
    let expected = &expect["metrics"];
    let size: f64 = advantages.iter().map(|a| a.abs()).sum::<f64>() * 1e-12;
    check(
        "sum passing",
        Some(figures.sum_passing.0),
        &expected["sum_passing_before"],
        size,
    );
    check(
        "sum passing after",
        Some(figures.sum_passing.1),
        &expected["sum_passing_after"],
        size,
    );
    check(
        "sum group",
        Some(figures.sum_group.0),
        &expected["sum_group_before"],
        size,
    );
    check(
        "sum group after",
        Some(figures.sum_group.1),
        &expected["sum_group_after"],
        size,
    );
    let credit = figures.credit.as_ref();
    for (key, value) in [
        ("n_eff_before", credit.map(|c| c.n_eff.0)),
        ("n_eff_after", credit.map(|c| c.n_eff.1)),
        ("entropy_before", credit.map(|c| c.entropy.0)),
        ("entropy_after", credit.map(|c| c.entropy.1)),
        ("max_boost", credit.map(|c| c.max_boost)),
        ("min_boost", credit.map(|c| c.min_boost)),
        ("credit_moved", credit.map(|c| c.credit_moved)),
        ("variance_inflation", credit.map(|c| c.variance_inflation)),
    ] {
        check(key, value, &expected[key], 1e-14);
    }
    let length = credit.and_then(|c| c.length);
    let longest = lengths.iter().flatten().fold(1.0_f64, |max, l| max.max(*l));
    for (key, value) in [
        ("credit_length_before", length.map(|l| l.credit_length.0)),
        ("credit_length_after", length.map(|l| l.credit_length.1)),
        ("length_pressure_before", length.map(|l| l.pressure.0)),
        ("length_pressure_after", length.map(|l| l.pressure.1)),
        (
            "token_credit_ratio",
            length.and_then(|l| l.token_credit_ratio),
        ),
    ] {
        check(key, value, &expected[key], size * longest);
    }
    if let Some(credit) = credit {
        for (key, shares) in [
            ("share_before", &credit.share_before),
            ("share_after", &credit.share_after),
        ] {
            for (i, value) in optional(&expected[key]).iter().enumerate() {
                check(
                    key,
                    shares[i],
                    &value.map_or(Value::Null, Value::from),
                    1e-15,
                );
            }
        }
    }
    if found.status.word() != expect["status"].as_str().unwrap() {
        wrong.push(format!("status {:?}", found.status));
    }
    if found.status.word() != "redistributed"
        && found
            .advantages
            .iter()
            .zip(&advantages)
            .any(|(a, b)| a.to_bits() != b.to_bits())
    {
        wrong.push("not bit for bit".to_owned());
    }
    if Value::from(found.warnings.clone()) != expect["warnings"] {
        wrong.push(format!("warnings {:?}", found.warnings));
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("; "))
    }
}

/// Name of the estimator that a case of `grpo.json` is about.
fn estimator(case: &Value) -> &'static str {
    let options = &case["options"];
    let off = |key: &str| options[key] == Value::Bool(false);
    let on = |key: &str| options[key] == Value::Bool(true);
    match (
        case["framework"].as_str().unwrap(),
        case["estimator"].as_str().unwrap(),
    ) {
        ("verl", "grpo") if off("norm_by_std") => "verl-nostd",
        ("verl", "grpo") => "verl",
        ("verl", "grpo_vectorized") => "verl-vectorized",
        ("verl", "rloo") => "verl-rloo",
        ("verl", "rloo_vectorized") => "verl-rloo-vectorized",
        ("verl", "opo") => "verl-opo",
        ("verl", "gpg") => "verl-gpg",
        ("verl", "grpo_passk") if off("norm_by_std") => "verl-passk-nostd",
        ("verl", "grpo_passk") => "verl-passk",
        ("verl", "reinforce_plus_plus_baseline") => "verl-reinforce++-baseline",
        ("verl", "reinforce_plus_plus") => "verl-reinforce++",
        ("trl", "async_grpo") => "trl-async",
        ("trl", "grpo") => match options["scale_rewards"].as_str().unwrap() {
            "group" => "trl",
            "batch" => "trl-batch",
            _ => "trl-none",
        },
        ("openrlhf", "group_norm") => "openrlhf",
        ("openrlhf", "dr_grpo") => "openrlhf-dr-grpo",
        ("openrlhf", "rloo") => "openrlhf-rloo",
        ("openrlhf", "reinforce_baseline") => "openrlhf-reinforce-baseline",
        ("slime", "grpo") if is_ragged(case) => "slime-pool",
        ("slime", "grpo") if off("grpo_std_normalization") => "slime-nostd",
        ("slime", "grpo") => "slime",
        ("skyrl", "grpo") if off("norm_by_std") => "skyrl-nostd",
        ("skyrl", "grpo") => "skyrl",
        ("skyrl", "rloo") => "skyrl-rloo",
        ("skyrl", "maxrl") => "skyrl-maxrl",
        ("prime_rl", "grpo") => "prime-rl",
        ("prime_rl", "max_rl") => "prime-rl-maxrl",
        ("rllm", "grpo") if off("norm_by_std") => "rllm-nostd",
        ("rllm", "grpo") => "rllm",
        ("rllm", "rloo") => "rllm-rloo",
        ("rllm", "prpo") => "rllm-prpo",
        ("rllm", "reinforce_plus_plus_baseline") => "rllm-reinforce++-baseline",
        ("areal", "norm") if options["mean_level"] == "batch" => "areal-batch",
        ("areal", "norm") if options["std_level"] == "batch" => "areal-batch-std",
        ("areal", "norm") if options["std_level"].is_null() => "areal-nostd",
        ("areal", "norm") if on("mean_leave1out") => "areal-loo",
        ("areal", "norm") if off("std_unbiased") => "areal-biased",
        ("areal", "norm") => "areal",
        ("nemo_rl", "grpo") => match (on("leave_one_out"), on("normalize")) {
            (true, true) => "nemo-rl",
            (true, false) => "nemo-rl-loo",
            (false, true) => "nemo-rl-no-loo",
            (false, false) => "nemo-rl-none",
        },
        other => panic!("{other:?}"),
    }
}

/// slime normalises the whole batch as one pool when the count is not samples times prompts.
fn is_ragged(case: &Value) -> bool {
    let option = |key: &str| case["options"][key].as_u64();
    let samples = option("n_samples_per_prompt").unwrap_or(1);
    let prompts = option("rollout_batch_size").unwrap_or(1);
    case["rewards"].as_array().unwrap().len() as u64 != samples * prompts
}

/// The rewards of a case, less prime-rl's length penalty where it has one.
fn penalised(case: &Value) -> Vec<f64> {
    let (rewards, options) = (numbers(&case["rewards"]), &case["options"]);
    let Some(weights) = options.get("length_penalty") else {
        return rewards;
    };
    let penalty = LengthPenalty {
        output_tokens: weights["num_output_tokens_weight"].as_f64().unwrap_or(0.0),
        input_tokens: weights["num_input_tokens_weight"].as_f64().unwrap_or(0.0),
        turns: weights["num_turns_weight"].as_f64().unwrap_or(0.0),
    };
    let output = numbers(&options["output_tokens"]);
    let total = numbers(&options["total_tokens"]);
    let input: Vec<f64> = total.iter().zip(&output).map(|(t, o)| t - o).collect();
    penalty.apply(&rewards, &output, &input, &numbers(&options["turns"]))
}

#[test]
fn advantages() {
    let file = load("grpo");
    let cases = file["cases"].as_array().unwrap();
    assert!(cases.len() >= 500);
    let mut wrong = Vec::new();
    for case in cases {
        let name = estimator(case);
        let rewards: Vec<Option<f64>> = penalised(case).into_iter().map(Some).collect();
        let groups: Vec<usize> = match case.get("groups").filter(|g| !g.is_null()) {
            Some(groups) => {
                let id = |g: &Value| usize::try_from(g.as_u64().unwrap()).unwrap();
                groups.as_array().unwrap().iter().map(id).collect()
            }
            None => vec![0; rewards.len()],
        };
        let lengths = case.get("lengths").filter(|l| !l.is_null()).map(numbers);
        let expected = numbers(&case["advantages"]);
        let ends: Vec<usize> = (1..=groups.len())
            .filter(|&i| i == groups.len() || groups[i] != groups[i - 1])
            .collect();
        let mut start = 0;
        let mut batch = Vec::new();
        for end in ends {
            batch.push(GroupRewards {
                rewards: &rewards[start..end],
                lengths: lengths.as_deref().map(|l| &l[start..end]),
                recorded: &[],
            });
            start = end;
        }
        let estimator: Estimator = name.parse().unwrap();
        match estimator.batch_advantages(&batch) {
            Ok(all) => {
                let found: Vec<f64> = all.into_iter().flatten().collect();
                let same = found.len() == expected.len()
                    && found
                        .iter()
                        .zip(&expected)
                        .all(|(a, b)| close(*a, *b, 1e-12));
                if !same {
                    wrong.push(format!("{} {name}: {found:?} {expected:?}", case["name"]));
                }
            }
            Err(error) => wrong.push(format!("{} {name}: {error}", case["name"])),
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

fn ranking(value: &Value) -> Ranking {
    Ranking::new(tiers(value)).unwrap()
}

fn rankings(value: &Value) -> Vec<Ranking> {
    value.as_array().unwrap().iter().map(ranking).collect()
}

fn assert_number(what: &str, found: Option<f64>, expected: &Value, absolute: f64) {
    let same = match (found, expected.as_f64()) {
        (None, None) => true,
        (Some(found), Some(expected)) => close(found, expected, absolute),
        _ => false,
    };
    assert!(same, "{what}: {found:?}, expected {expected}");
}

#[test]
fn pairs() {
    for case in load("agreement")["pairs"].as_array().unwrap() {
        let found = agreement::compare(&ranking(&case["reference"]), &ranking(&case["prediction"]));
        let count = |count: usize| Some(f64::from(u32::try_from(count).unwrap()));
        for (key, value) in [
            ("n_common", count(found.common)),
            ("pairs", count(found.pairs())),
            ("concordant", count(found.concordant)),
            ("discordant", count(found.inversions.len())),
            ("inversions", count(found.inversions.len())),
            ("tied_reference_only", count(found.tied_reference)),
            ("tied_prediction_only", count(found.tied_prediction)),
            ("tied_both", count(found.tied_both)),
            ("tau_b", found.tau_b.ok()),
            ("spearman", found.spearman.ok()),
            ("pairwise_accuracy", found.pairwise_accuracy.ok()),
            ("gamma", found.gamma.ok()),
            ("kendall_half", Some(found.kendall)),
            ("kendall_half_normalized", found.kendall_normalized.ok()),
            ("top1_jaccard", found.top1.ok()),
        ] {
            assert_number(
                &format!("{} {key}", case["name"]),
                value,
                &case["expect"][key],
                1e-12,
            );
        }
        assert_eq!(
            Value::from(found.is_identical()),
            case["expect"]["identical"],
            "{case}"
        );
    }
}

#[test]
fn alphas_and_credit() {
    let file = load("agreement");
    for case in file["alpha"].as_array().unwrap() {
        let data: Vec<Vec<Option<f64>>> = case["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(optional)
            .collect();
        let level = match case["level"].as_str().unwrap() {
            "nominal" => agreement::Level::Nominal,
            "ordinal" => agreement::Level::Ordinal,
            _ => agreement::Level::Interval,
        };
        let found = agreement::alpha(&data, level).ok();
        assert_number(&case["name"].to_string(), found, &case["expect"], 1e-12);
    }
    for case in file["pooled_alpha"].as_array().unwrap() {
        let size = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
        let raters = |value: &Value| -> Vec<Option<Ranking>> {
            let one = |value: &Value| (!value.is_null()).then(|| ranking(value));
            value.as_array().unwrap().iter().map(one).collect()
        };
        let groups: Vec<_> = case["groups"]
            .as_array()
            .unwrap()
            .iter()
            .map(|group| (size(&group["items"]), raters(&group["rankings"])))
            .collect();
        let found = agreement::pooled_alpha(&groups).ok();
        assert_number(
            &case["name"].to_string(),
            found,
            &case["expect"]["alpha"],
            1e-12,
        );
    }
    for case in file["credit_disagreement"].as_array().unwrap() {
        let items = usize::try_from(case["items"].as_u64().unwrap()).unwrap();
        let found = agreement::credit_disagreement(
            &vec![1.0; items],
            &vec![true; items],
            (&ranking(&case["a"]), &ranking(&case["b"])),
            &scheme(&case["scheme"]).parse().unwrap(),
            Policies::default(),
        );
        assert_number(
            &case["name"].to_string(),
            found.ok(),
            &case["expect"],
            1e-12,
        );
    }
}

#[test]
fn aggregates() {
    for case in load("agreement")["aggregates"].as_array().unwrap() {
        let items = usize::try_from(case["items"].as_u64().unwrap()).unwrap();
        let (rankings, expect) = (rankings(&case["rankings"]), &case["expect"]);
        let name = case["name"].to_string();
        let (scores, order) = agreement::borda(items, &rankings).unwrap();
        for (i, score) in scores.into_iter().enumerate() {
            assert_number(&name, score, &expect["borda_scores"][i], 1e-12);
        }
        assert_eq!(order.tiers(), tiers(&expect["borda_order"]), "{name}");
        let kemeny = agreement::kemeny(items, &rankings).unwrap();
        assert_eq!(Value::from(kemeny.cost), expect["kemeny_cost"], "{name}");
        assert_eq!(
            Value::from(kemeny.optima),
            expect["kemeny_optima"],
            "{name}"
        );
        assert_eq!(Value::from(kemeny.first), expect["kemeny_first"], "{name}");
        let w = agreement::kendall_w(items, &rankings).ok();
        assert_number(&name, w, &expect["kendall_w"], 1e-12);
        let found = agreement::bradley_terry(items, &rankings, number(&case["prior"])).ok();
        assert_eq!(found.is_none(), expect["bradley_terry"].is_null(), "{name}");
        for (i, strength) in found.into_iter().flatten().enumerate() {
            assert_number(&name, Some(strength), &expect["bradley_terry"][i], 1e-8);
        }
        let wins = agreement::wins(items, &rankings).unwrap();
        assert_eq!(Value::from(wins), expect["wins"], "{name}");
    }
}

/// The reference values of `annotation.md` 1.5, made with scipy 1.17.1, krippendorff 0.9.0 and choix
/// 0.4.1.
mod reference_values {
    use gagar::domain::Ranking;
    use gagar::domain::agreement::{Level, Undefined, alpha, bradley_terry, compare, pooled_alpha};

    /// `A>B=C>D` as a ranking, A = 0.
    fn ranking(text: &str) -> Ranking {
        let index = |name: &str| usize::from(name.as_bytes()[0] - b'A');
        let tiers = text.split('>');
        Ranking::new(
            tiers
                .map(|tier| tier.split('=').map(index).collect())
                .collect(),
        )
        .unwrap()
    }

    #[track_caller]
    fn near(found: f64, wanted: f64) {
        assert!((found - wanted).abs() < 5e-7, "{found} is not {wanted}");
    }

    #[test]
    fn rankings_with_ties() {
        // X, Y, tau-b, rho, pairs agreeing, strict in both, same best tier, best tiers overlap.
        let cases = [
            ("A>B>C>D", "A>B>C>D", 1.0, 1.0, 6, 6, true, true),
            ("A>B>C>D", "D>C>B>A", -1.0, -1.0, 0, 6, false, false),
            ("A>B>C>D", "A>C>B>D", 0.666_667, 0.8, 5, 6, true, true),
            ("A>B=C>D", "A>B>C>D", 0.912_871, 0.948_683, 5, 5, true, true),
            ("A>B=C>D", "A>C=B>D", 1.0, 1.0, 5, 5, true, true),
            ("A=B>C=D", "A=C>B=D", 0.0, 0.0, 1, 2, false, true),
            ("A>B>C>E>D", "A>B>D>E>C", 0.4, 0.6, 7, 10, true, true),
            ("A>B", "B>A", -1.0, -1.0, 0, 1, false, false),
        ];
        for (x, y, tau, rho, agreeing, strict, same, overlaps) in cases {
            for (x, y) in [(x, y), (y, x)] {
                let found = compare(&ranking(x), &ranking(y));
                near(found.tau_b.unwrap(), tau);
                near(found.spearman.unwrap(), rho);
                assert_eq!(found.concordant, agreeing, "{x} {y}");
                assert_eq!(found.concordant + found.inversions.len(), strict, "{x} {y}");
                let top = found.top1.unwrap();
                assert_eq!((top >= 1.0, top > 0.0), (same, overlaps), "{x} {y}");
            }
        }
        for (x, y, reason) in [
            ("A=B=C=D", "A>B>C>D", Undefined::Constant),
            ("A", "A", Undefined::TooFewCommon),
        ] {
            let found = compare(&ranking(x), &ranking(y));
            assert_eq!(found.tau_b, Err(reason), "{x} {y}");
            assert_eq!(found.spearman, Err(reason), "{x} {y}");
        }
    }

    #[test]
    fn alpha_over_ranks() {
        let two = [("A>B>C>D", "A>C>B>D"), ("A>B=C>D", "A>B>C>D")];
        let ranks = |text: &str| -> Vec<Option<f64>> {
            let found = ranking(text);
            (0..4u8)
                .map(|item| {
                    let tier = found.tier_of(item.into())?;
                    let above = found.tiers()[..tier].iter().map(Vec::len).sum::<usize>();
                    let tied = found.tiers()[tier].len();
                    Some(f64::from(u32::try_from(2 * above + tied + 1).unwrap()) / 2.0)
                })
                .collect()
        };
        let first: Vec<_> = two.iter().flat_map(|(x, _)| ranks(x)).collect();
        let second: Vec<_> = two.iter().flat_map(|(_, y)| ranks(y)).collect();
        let data = [first, second];
        near(alpha(&data, Level::Nominal).unwrap(), 0.405_941);
        near(alpha(&data, Level::Ordinal).unwrap(), 0.819_988);
        near(alpha(&data, Level::Interval).unwrap(), 0.879_808);
        let groups: Vec<_> = two
            .iter()
            .enumerate()
            .map(|(at, (x, y))| {
                let third = (at == 1).then(|| ranking("A>B>C>D"));
                (4, vec![Some(ranking(x)), Some(ranking(y)), third])
            })
            .collect();
        near(pooled_alpha(&groups).unwrap(), 0.865_248);
        let constant = vec![vec![Some(1.0); 4]; 2];
        assert_eq!(alpha(&constant, Level::Ordinal), Err(Undefined::OneValue));
    }

    /// Kappa on the labels {first better, tie, second better} is below 0 although 83.3 % of them
    /// agree, because everybody's canonical order is nearly the ranking: no kappa for rankings.
    #[test]
    fn kappa_of_pair_labels_is_a_trap() {
        let two = [("A>B>C>D", "A>C>B>D"), ("A>B=C>D", "A>B>C>D")];
        let mut labels = Vec::new();
        for (x, y) in two {
            let (x, y) = (ranking(x), ranking(y));
            for a in 0..4 {
                for b in a + 1..4 {
                    let label = |of: &Ranking| of.tier_of(a).cmp(&of.tier_of(b));
                    labels.push((label(&x), label(&y)));
                }
            }
        }
        let count = |wanted: &dyn Fn(&(std::cmp::Ordering, std::cmp::Ordering)) -> bool| {
            let found = labels.iter().filter(|pair| wanted(pair)).count();
            f64::from(u32::try_from(found).unwrap()) / 12.0
        };
        let agreed = count(&|(x, y)| x == y);
        near(agreed, 10.0 / 12.0);
        let chance: f64 = [-1, 0, 1]
            .map(|sign: i8| {
                let wanted = sign.cmp(&0);
                count(&|(x, _)| *x == wanted) * count(&|(_, y)| *y == wanted)
            })
            .iter()
            .sum();
        let kappa = (agreed - chance) / (1.0 - chance);
        assert!((kappa + 0.043).abs() < 5e-4, "{kappa}");
        // tau-b says what people see: much agreement.
        let taus = two.map(|(x, y)| compare(&ranking(x), &ranking(y)).tau_b.unwrap());
        assert!((taus[0] + taus[1]) / 2.0 > 0.78);
    }

    #[test]
    fn bradley_terry_needs_a_prior() {
        let orders = |text: &str, times: usize| vec![ranking(text); times];
        let mut games = orders("A>B", 3);
        games.extend(orders("B>A", 1));
        games.extend(orders("B>C", 3));
        games.extend(orders("C>B", 1));
        games.extend(orders("A>C", 4));
        let found = bradley_terry(3, &games, 0.0).unwrap();
        near(found[0], 1.419_472);
        near(found[1], 0.0);
        near(1.0 / (1.0 + (found[1] - found[0]).exp()), 0.805_256);
        let perfect: Vec<_> = ["A>B", "A>C", "B>C"].map(ranking).to_vec();
        let none = bradley_terry(3, &perfect, 0.0);
        assert_eq!(none, Err(Undefined::NoFiniteMaximum));
        assert!(bradley_terry(3, &perfect, 0.1).is_ok());
    }
}
