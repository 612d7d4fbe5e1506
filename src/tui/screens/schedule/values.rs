//! The lines of the schedule screen: what they are called, what they can be.

use crate::domain::redistribution::{TieRule, UnrankedPolicy};
use crate::domain::{Estimator, Scheme};
use crate::review::{RankingSource, Settings};

/// A line that can be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line {
    /// How rewards become baseline advantages.
    Estimator,
    /// What is added to the estimator's divisor.
    Eps,
    /// Weight by place.
    Scheme,
    /// A number of the scheme, by name.
    Parameter(&'static str),
    /// The weights of the scheme `table`.
    Weights,
    /// How ties share weights.
    Ties,
    /// What happens to passing trajectories that nobody ranked.
    Unranked,
    /// Whose ranking moves the advantages.
    Source,
}

const SCHEMES: [&str; 9] = Scheme::USUAL;
const EPS: [f64; 6] = [0.0, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3];
const TIES: [TieRule; 3] = [TieRule::Share, TieRule::Dense, TieRule::Min];
const UNRANKED: [UnrankedPolicy; 3] = [
    UnrankedPolicy::Keep,
    UnrankedPolicy::Last,
    UnrankedPolicy::Error,
];
const SOURCES: [RankingSource; 6] = [
    RankingSource::Best,
    RankingSource::Counted,
    RankingSource::Human,
    RankingSource::Consensus,
    RankingSource::Grader,
    RankingSource::None,
];
/// Step of the parameters that are shares.
const STEP: f64 = 0.05;

/// The lines that these settings have, top to bottom.
#[must_use]
pub fn lines(settings: &Settings) -> Vec<Line> {
    let mut lines = vec![Line::Estimator];
    if settings.estimator.eps().is_some() {
        lines.push(Line::Eps);
    }
    lines.push(Line::Scheme);
    if matches!(settings.scheme, Scheme::Table(_)) {
        lines.push(Line::Weights);
    }
    lines.extend(
        parameters(&settings.scheme)
            .iter()
            .map(|(name, _)| Line::Parameter(name)),
    );
    lines.extend([Line::Ties, Line::Unranked, Line::Source]);
    lines
}

impl Line {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Estimator => "estimator",
            Self::Eps => "  eps",
            Self::Scheme => "scheme",
            Self::Parameter("floor") => "  floor",
            Self::Parameter("gamma") => "  gamma",
            Self::Parameter("fraction") => "  fraction",
            Self::Parameter("factor") => "  factor",
            Self::Parameter("k") => "  k",
            Self::Parameter(_) => "  rest",
            Self::Weights => "  weights",
            Self::Ties => "ties",
            Self::Unranked => "unranked passes",
            Self::Source => "ranking by",
        }
    }

    /// What its value means, in a few words.
    #[must_use]
    pub fn doc(self, settings: &Settings) -> &'static str {
        match self {
            Self::Estimator => Estimator::TABLE
                .iter()
                .find(|info| info.name == settings.estimator.name())
                .map_or("", |info| info.doc),
            Self::Eps => "added to the divisor",
            Self::Scheme => match settings.scheme {
                Scheme::Uniform => "weight 1 everywhere: plain group-relative advantages",
                Scheme::Linear { .. } => "from 1 down to the floor, evenly",
                Scheme::Geometric { .. } => "each place gamma times the one before",
                Scheme::Reciprocal => "1/place",
                Scheme::Dcg => "1/log2(place + 1)",
                Scheme::Bottom { .. } => "the last share of the places gets the factor",
                Scheme::BelowMedian { .. } => "the lower half gets the factor",
                Scheme::Top { .. } => "the first k places get 1, the others the rest",
                Scheme::Table(_) => "a list of weights; the last one repeats",
            },
            Self::Parameter("floor") => "weight of the last place",
            Self::Parameter("gamma") => "from one place to the next",
            Self::Parameter("fraction") => "share of the places",
            Self::Parameter("factor") => "their weight",
            Self::Parameter("k") => "places with weight 1",
            Self::Parameter(_) => "weight of the others",
            Self::Weights => "by place, comma between",
            Self::Ties => match settings.policies.ties {
                TieRule::Share => "the mean weight of the places covered",
                TieRule::Dense => "tiers are the places",
                TieRule::Min => "the weight of the best place covered",
            },
            Self::Unranked => match settings.policies.unranked {
                UnrankedPolicy::Keep => "keep their advantage",
                UnrankedPolicy::Last => "one tier below the last",
                UnrankedPolicy::Error => "the group is not redistributed",
            },
            Self::Source => match settings.source {
                RankingSource::Best => "your draft, else the grader's",
                RankingSource::Counted => "your submission, else the grader's",
                RankingSource::Human => "your submissions only",
                RankingSource::Consensus => "all annotators: settled, agreed, or together",
                RankingSource::Grader => "the grader's only",
                RankingSource::None => "no ranking",
            },
        }
    }

    /// The value as text, as it can be typed.
    #[must_use]
    pub fn value(self, settings: &Settings) -> String {
        match self {
            Self::Estimator => settings.estimator.name().to_owned(),
            Self::Eps => settings
                .estimator
                .eps()
                .map(|eps| format!("{eps:e}"))
                .unwrap_or_default(),
            Self::Scheme => scheme_name(&settings.scheme),
            Self::Weights => {
                let text = settings.scheme.to_string();
                text.split_once(':')
                    .map(|(_, weights)| weights.to_owned())
                    .unwrap_or_default()
            }
            Self::Parameter(name) => parameters(&settings.scheme)
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, value)| value.to_string())
                .unwrap_or_default(),
            Self::Ties => settings.policies.ties.word().to_owned(),
            Self::Unranked => settings.policies.unranked.word().to_owned(),
            Self::Source => source_word(settings.source).to_owned(),
        }
    }

    /// The settings with the next or the previous value; unchanged at the end of a range.
    ///
    /// # Errors
    /// Why there is no such value, one sentence.
    pub fn step(self, settings: &Settings, forward: bool) -> Result<Settings, String> {
        let mut new = settings.clone();
        match self {
            Self::Estimator => {
                let names: Vec<_> = Estimator::TABLE.iter().map(|info| info.name).collect();
                let name = around(&names, &settings.estimator.name(), forward);
                return self.typed(settings, name);
            }
            Self::Eps => {
                let now = settings.estimator.eps().unwrap_or(0.0);
                let next = if forward {
                    EPS.into_iter().find(|eps| *eps > now)
                } else {
                    EPS.into_iter().rev().find(|eps| *eps < now)
                };
                if let Some(next) = next {
                    new.estimator = settings
                        .estimator
                        .clone()
                        .with_eps(next)
                        .map_err(|e| e.to_string())?;
                }
            }
            Self::Scheme => {
                let names = SCHEMES.map(|text| text.split(':').next().unwrap_or(text));
                let now = scheme_name(&settings.scheme);
                let next = around(&names, &now.as_str(), forward);
                return self.typed(settings, next);
            }
            Self::Parameter("k") => {
                if let Scheme::Top { k, .. } = &mut new.scheme {
                    *k = if forward { *k + 1 } else { (*k - 1).max(1) };
                }
            }
            Self::Parameter(name) => {
                let now = self.value(settings).parse::<f64>().unwrap_or(0.0);
                let next = now + if forward { STEP } else { -STEP };
                // Rounded so that steps do not pile up 0.15000000000000002.
                let next = ((next / STEP).round() * STEP * 1e4).round() / 1e4;
                let least = if name == "gamma" { STEP } else { 0.0 };
                return self.typed(settings, &next.clamp(least, 1.0).to_string());
            }
            Self::Weights => return Err("weights are typed".to_owned()),
            Self::Ties => {
                new.policies.ties = *around(&TIES, &settings.policies.ties, forward);
            }
            Self::Unranked => {
                new.policies.unranked = *around(&UNRANKED, &settings.policies.unranked, forward);
            }
            Self::Source => new.source = *around(&SOURCES, &settings.source, forward),
        }
        Ok(new)
    }

    /// The settings with a typed value.
    ///
    /// # Errors
    /// Why it is not a value of this line, one sentence.
    pub fn typed(self, settings: &Settings, text: &str) -> Result<Settings, String> {
        let text = text.trim();
        let mut new = settings.clone();
        match self {
            Self::Estimator => {
                new.estimator = text.parse().map_err(|e: crate::domain::AdvantageError| {
                    let names: Vec<_> = Estimator::TABLE.iter().map(|info| info.name).collect();
                    format!("{e}; there are {}", names.join(", "))
                })?;
            }
            Self::Eps => {
                let eps = number(text)?;
                new.estimator = settings
                    .estimator
                    .clone()
                    .with_eps(eps)
                    .map_err(|e| e.to_string())?;
            }
            Self::Scheme => {
                // A name alone means its usual numbers.
                let usual = SCHEMES
                    .into_iter()
                    .find(|known| known.split(':').next() == Some(text));
                new.scheme = read_scheme(usual.unwrap_or(text))?;
            }
            Self::Weights => new.scheme = read_scheme(&format!("table:{text}"))?,
            Self::Parameter(name) => {
                number(text)?;
                let parts: Vec<String> = parameters(&settings.scheme)
                    .into_iter()
                    .map(|(known, value)| match known == name {
                        true => format!("{known}={text}"),
                        false => format!("{known}={value}"),
                    })
                    .collect();
                let scheme = scheme_name(&settings.scheme);
                new.scheme = read_scheme(&format!("{scheme}:{}", parts.join(",")))?;
            }
            Self::Ties => {
                new.policies.ties = text.parse().map_err(|_| one_of(&TIES.map(TieRule::word)))?;
            }
            Self::Unranked => {
                let words = UNRANKED.map(UnrankedPolicy::word);
                new.policies.unranked = text.parse().map_err(|_| one_of(&words))?;
            }
            Self::Source => {
                let found = SOURCES
                    .into_iter()
                    .find(|source| source_word(*source) == text);
                new.source = found.ok_or_else(|| one_of(&SOURCES.map(source_word)))?;
            }
        }
        Ok(new)
    }
}

fn read_scheme(text: &str) -> Result<Scheme, String> {
    text.parse()
        .map_err(|error: crate::domain::RedistributeError| error.to_string())
}

fn number(text: &str) -> Result<f64, String> {
    text.parse()
        .map_err(|_| format!("“{text}” is not a number"))
}

fn one_of(words: &[&str]) -> String {
    format!("one of {}", words.join(", "))
}

fn parameters(scheme: &Scheme) -> Vec<(&'static str, f64)> {
    #[expect(clippy::cast_precision_loss, reason = "a number of places")]
    match *scheme {
        Scheme::Linear { floor } => vec![("floor", floor)],
        Scheme::Geometric { gamma } => vec![("gamma", gamma)],
        Scheme::Bottom { fraction, factor } => vec![("fraction", fraction), ("factor", factor)],
        Scheme::BelowMedian { factor } => vec![("factor", factor)],
        Scheme::Top { k, rest } => vec![("k", k as f64), ("rest", rest)],
        Scheme::Uniform | Scheme::Reciprocal | Scheme::Dcg | Scheme::Table(_) => Vec::new(),
    }
}

fn scheme_name(scheme: &Scheme) -> String {
    let text = scheme.to_string();
    text.split(':').next().unwrap_or_default().to_owned()
}

fn source_word(source: RankingSource) -> &'static str {
    match source {
        RankingSource::Best => "best",
        RankingSource::Counted => "counted",
        RankingSource::Human => "human",
        RankingSource::Consensus => "consensus",
        RankingSource::Grader => "grader",
        RankingSource::None => "none",
    }
}

fn around<'a, T: PartialEq>(all: &'a [T], now: &T, forward: bool) -> &'a T {
    let place = all.iter().position(|value| value == now).unwrap_or(0);
    let step = if forward { 1 } else { all.len() - 1 };
    &all[(place + step) % all.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scheme_and_estimator_is_reached_and_comes_back() {
        for (line, count) in [
            (Line::Scheme, SCHEMES.len()),
            (Line::Estimator, Estimator::TABLE.len()),
        ] {
            let start = Settings::default();
            let mut at = start.clone();
            for _ in 0..count {
                at = line.step(&at, true).unwrap();
                let back = line.step(&at, false).unwrap();
                assert_eq!(line.step(&back, true).unwrap().scheme, at.scheme);
            }
            assert_eq!(line.value(&at), line.value(&start));
        }
    }

    #[test]
    fn numbers_stay_in_their_range() {
        let mut settings = Settings::default();
        for _ in 0..50 {
            settings = Line::Parameter("floor").step(&settings, true).unwrap();
        }
        assert_eq!(Line::Parameter("floor").value(&settings), "1");
        assert!(Line::Parameter("floor").typed(&settings, "2").is_err());
        assert!(Line::Parameter("floor").typed(&settings, "x").is_err());
        let typed = Line::Scheme.typed(&settings, "table:1,0.5").unwrap();
        assert_eq!(Line::Weights.value(&typed), "1,0.5");
        assert_eq!(
            Line::Ties.typed(&settings, "nope").unwrap_err(),
            "one of share, dense, min"
        );
    }
}
