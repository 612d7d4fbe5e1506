//! The verdict in a sample's scores.
//!
//! The rule: the first scorer whose value is binary decides (`C`/`I`/`N`, true/false, 0 or 1, yes/no);
//! without such, the first with a number or `P`. `C` is 1, `P` 0.5, `I` and `N` (no answer) 0. Of an
//! object its entry named like a verdict counts, or its only one; of a list its only element. NaN is
//! Inspect's word for unscored. What is *not* here: patches in scores.

use crate::formats::json::{self, Fields, Kind, Raw};
use crate::formats::rollout::Verdict;

/// Entries of an object that are its verdict.
const NAMED: [&str; 7] = [
    "resolved", "correct", "success", "passed", "pass", "score", "overall",
];

/// What the scores say.
#[derive(Debug)]
pub(super) struct Scored {
    /// The verdict.
    pub verdict: Verdict,
    /// The scorer that decided, and its further marks.
    pub scorer: Option<String>,
    /// The other scorers' values, as (key, JSON text).
    pub others: Vec<(String, String)>,
}

/// A value on Inspect's scale.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Value {
    /// Right or wrong.
    Binary(f64, Option<&'static str>),
    /// Something between, or on another scale.
    Number(f64, Option<&'static str>),
    /// Said to be no score.
    NotANumber,
}

/// The verdict of a sample's `scores`.
pub(super) fn scored(scores: Option<&Fields<'_>>, pass_at: f64) -> Scored {
    let mut values: Vec<(&str, Raw<'_>, Option<Value>)> = Vec::new();
    for (name, raw) in scores.into_iter().flat_map(Fields::pairs) {
        let inner = Fields::of(name, raw).ok();
        // Old logs have the bare value in the place of the score.
        let raw = inner.and_then(|score| score.raw("value")).unwrap_or(raw);
        values.push((name, raw, value(raw, true)));
    }
    let decides = values
        .iter()
        .position(|(_, _, value)| matches!(value, Some(Value::Binary(..))))
        .or_else(|| {
            values
                .iter()
                .position(|(_, _, value)| matches!(value, Some(Value::Number(..))))
        });
    let (verdict, scorer) = match decides.and_then(|index| values.get(index)) {
        Some((name, _, Some(Value::Binary(number, mark) | Value::Number(number, mark)))) => {
            let mut verdict = Verdict::of_reward(Some(*number), pass_at);
            if verdict.mark.is_none() {
                verdict.mark = mark.map(str::to_owned);
            }
            (verdict, Some((*name).to_owned()))
        }
        _ => {
            let nan = |(_, _, value): &(&str, Raw<'_>, Option<Value>)| {
                matches!(value, Some(Value::NotANumber))
            };
            let mark = match values.first() {
                None => "no score".to_owned(),
                Some(_) if values.iter().any(nan) => "the score is NaN: not scored".to_owned(),
                Some((name, raw, _)) => {
                    let shown: String = raw.get().chars().take(40).collect();
                    format!("the score of {name} is no verdict: {shown}")
                }
            };
            (Verdict::unscored(mark), None)
        }
    };
    let others = values
        .iter()
        .filter(|(name, _, _)| Some(*name) != scorer.as_deref())
        .map(|(name, raw, _)| (format!("score.{name}"), raw.strict().into_owned()))
        .collect();
    Scored {
        verdict,
        scorer,
        others,
    }
}

fn value(raw: Raw<'_>, nested: bool) -> Option<Value> {
    match raw.kind() {
        Kind::Object if nested => {
            let fields = Fields::of("value", raw).ok()?;
            let named = NAMED.iter().find_map(|key| fields.some(key));
            let only = || {
                let mut pairs = fields.pairs();
                let first = pairs.next();
                first.filter(|_| pairs.next().is_none()).map(|(_, raw)| raw)
            };
            value(named.or_else(only)?, false)
        }
        Kind::List if nested => match json::list("value", raw).ok()?.as_slice() {
            [only] => value(*only, false),
            _ => None,
        },
        Kind::Text => {
            let text = json::text("value", raw.get()).ok()?;
            match text.trim() {
                "C" => Some(Value::Binary(1.0, None)),
                "I" => Some(Value::Binary(0.0, None)),
                "N" => Some(Value::Binary(0.0, Some("no answer"))),
                "P" => Some(Value::Number(0.5, Some("partially correct"))),
                other => match other.to_ascii_lowercase().as_str() {
                    "yes" | "true" => Some(Value::Binary(1.0, None)),
                    "no" | "false" => Some(Value::Binary(0.0, None)),
                    "nan" => Some(Value::NotANumber),
                    other => number(other.parse().ok()?),
                },
            }
        }
        Kind::Number | Kind::Word => number(json::number(raw.get())?),
        Kind::Object | Kind::List => None,
    }
}

fn number(number: f64) -> Option<Value> {
    if number.is_nan() {
        return Some(Value::NotANumber);
    }
    if !number.is_finite() {
        return None;
    }
    Some(if number == 0.0 || number == 1.0 {
        Value::Binary(number, None)
    } else {
        Value::Number(number, None)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Outcome;

    fn of(json: &str) -> (Outcome, Option<f64>, Option<String>, Option<String>) {
        let fields = Fields::parse(json.as_bytes()).expect("JSON");
        let scored = scored(Some(&fields), 0.5);
        let Verdict {
            outcome,
            reward,
            mark,
        } = scored.verdict;
        (outcome, reward, mark, scored.scorer)
    }

    #[test]
    fn every_kind_of_value_follows_the_rule() {
        for (value, outcome, reward) in [
            (r#""C""#, Outcome::Pass, Some(1.0)),
            (r#""I""#, Outcome::Fail, Some(0.0)),
            (r#""N""#, Outcome::Fail, Some(0.0)),
            (r#""P""#, Outcome::Pass, Some(0.5)),
            ("true", Outcome::Pass, Some(1.0)),
            ("false", Outcome::Fail, Some(0.0)),
            ("0.25", Outcome::Fail, Some(0.25)),
            (r#""NaN""#, Outcome::Unscored, None),
            ("null", Outcome::Unscored, None),
            (r#"{"resolved":true,"tests":3}"#, Outcome::Pass, Some(1.0)),
            (r#"{"only":0}"#, Outcome::Fail, Some(0.0)),
            (r#"{"a":1,"b":0}"#, Outcome::Unscored, None),
            ("[1]", Outcome::Pass, Some(1.0)),
            ("[1,0]", Outcome::Unscored, None),
            (r#""well done""#, Outcome::Unscored, None),
        ] {
            let (found, number, ..) = of(&format!(r#"{{"s":{{"value":{value}}}}}"#));
            assert_eq!((found, number), (outcome, reward), "{value}");
        }
        let (outcome, _, mark, _) = of("{}");
        assert_eq!(outcome, Outcome::Unscored);
        assert_eq!(mark.as_deref(), Some("no score"));
    }

    #[test]
    fn the_first_binary_scorer_decides() {
        let found = of(r#"{"style":{"value":0.7},"tests":{"value":"I"},"judge":{"value":"C"}}"#);
        assert_eq!(found.0, Outcome::Fail);
        assert_eq!(found.3.as_deref(), Some("tests"));
    }
}
