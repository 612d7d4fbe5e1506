//! How much a rank weighs: the schemes, their parameters and ranges (`advantage-math.md` 2.3).

use super::redistribution::RedistributeError;

/// Weight by place. Parsed from and printed as `linear:floor=0.5`, `geometric:gamma=0.8`,
/// `table:1,0.5,0.25`, ….
#[derive(Debug, Clone, PartialEq)]
pub enum Scheme {
    /// Weight 1 everywhere: plain GRPO.
    Uniform,
    /// `1 - (1-floor) k/(m-1)`.
    Linear {
        /// Weight of the last place, in 0..=1.
        floor: f64,
    },
    /// `gamma^k`.
    Geometric {
        /// In (0, 1].
        gamma: f64,
    },
    /// `1/(k+1)`.
    Reciprocal,
    /// `1/log2(k+2)`.
    Dcg,
    /// The last `floor(fraction*m + 1e-9)` places get `factor`.
    Bottom {
        /// Share of the places, in 0..=1.
        fraction: f64,
        /// Their weight, in 0..=1.
        factor: f64,
    },
    /// `Bottom` with fraction 0.5.
    BelowMedian {
        /// Weight of the lower half, in 0..=1.
        factor: f64,
    },
    /// The first `k` places get 1, the others `rest`.
    Top {
        /// Number of places, at least 1. Signed so that a bad value can be reported.
        k: i64,
        /// Weight of the others, in 0..=1.
        rest: f64,
    },
    /// A given list; the last entry repeats.
    Table(Vec<f64>),
}

impl Default for Scheme {
    fn default() -> Self {
        Self::Linear { floor: 0.5 }
    }
}

impl std::fmt::Display for Scheme {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Uniform => f.write_str("uniform"),
            Self::Linear { floor } => write!(f, "linear:floor={floor}"),
            Self::Geometric { gamma } => write!(f, "geometric:gamma={gamma}"),
            Self::Reciprocal => f.write_str("reciprocal"),
            Self::Dcg => f.write_str("dcg"),
            Self::Bottom { fraction, factor } => {
                write!(f, "bottom:fraction={fraction},factor={factor}")
            }
            Self::BelowMedian { factor } => write!(f, "below_median:factor={factor}"),
            Self::Top { k, rest } => write!(f, "top:k={k},rest={rest}"),
            Self::Table(weights) => {
                f.write_str("table:")?;
                for (position, weight) in weights.iter().enumerate() {
                    let comma = if position == 0 { "" } else { "," };
                    write!(f, "{comma}{weight}")?;
                }
                Ok(())
            }
        }
    }
}

impl std::str::FromStr for Scheme {
    type Err = RedistributeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = |why: String| RedistributeError::BadScheme(why);
        let (name, rest) = text.trim().split_once(':').unwrap_or((text.trim(), ""));
        let number = |value: &str| {
            value
                .trim()
                .parse::<f64>()
                .map_err(|_| bad(format!("{value:?} is not a number")))
        };
        if name == "table" {
            let weights = rest
                .split(',')
                .filter(|v| !v.trim().is_empty())
                .map(number)
                .collect::<Result<_, _>>()?;
            let scheme = Self::Table(weights);
            scheme.check()?;
            return Ok(scheme);
        }
        let mut options = Vec::new();
        for part in rest.split(',').filter(|part| !part.trim().is_empty()) {
            let (key, value) = part
                .split_once('=')
                .ok_or_else(|| bad(format!("{part:?} is not key=value")))?;
            options.push((key.trim(), number(value)?));
        }
        let allowed: &[&str] = match name {
            "uniform" | "reciprocal" | "dcg" => &[],
            "linear" => &["floor"],
            "geometric" => &["gamma"],
            "bottom" => &["fraction", "factor"],
            "below_median" => &["factor"],
            "top" => &["k", "rest"],
            _ => return Err(bad(format!("no scheme is called {name:?}"))),
        };
        if let Some((key, _)) = options.iter().find(|(key, _)| !allowed.contains(key)) {
            return Err(bad(format!("{name} has no parameter {key:?}")));
        }
        let given = |key: &str| {
            options
                .iter()
                .rev()
                .find(|(k, _)| *k == key)
                .map(|(_, v)| *v)
        };
        let needed = |key: &str| given(key).ok_or_else(|| bad(format!("{name} needs {key}=…")));
        let scheme = match name {
            "linear" => Self::Linear {
                floor: given("floor").unwrap_or(0.5),
            },
            "geometric" => Self::Geometric {
                gamma: needed("gamma")?,
            },
            "bottom" => Self::Bottom {
                fraction: needed("fraction")?,
                factor: needed("factor")?,
            },
            "below_median" => Self::BelowMedian {
                factor: given("factor").unwrap_or(0.5),
            },
            "top" => {
                let k = given("k").unwrap_or(1.0);
                if k.fract() != 0.0 || !k.is_finite() {
                    return Err(bad("top: k is not a whole number".to_owned()));
                }
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "a whole number, saturating"
                )]
                Self::Top {
                    k: k as i64,
                    rest: given("rest").unwrap_or(0.0),
                }
            }
            "reciprocal" => Self::Reciprocal,
            "dcg" => Self::Dcg,
            _ => Self::Uniform,
        };
        scheme.check()?;
        Ok(scheme)
    }
}

impl Scheme {
    /// Every kind of scheme with its usual parameters, as it is typed.
    pub const USUAL: [&str; 9] = [
        "uniform",
        "linear:floor=0.5",
        "geometric:gamma=0.8",
        "reciprocal",
        "dcg",
        "bottom:fraction=0.5,factor=0.5",
        "below_median:factor=0.5",
        "top:k=1,rest=0.5",
        "table:1,0.75,0.5,0.25",
    ];

    /// [`Self::USUAL`] as schemes, in that order.
    #[must_use]
    pub fn usual() -> Vec<Self> {
        Self::USUAL
            .iter()
            .filter_map(|text| text.parse().ok())
            .collect()
    }

    /// Name and parameters without the parameters' names: `linear 0.5`, `table 1 0.5 0.25`.
    #[must_use]
    pub fn in_short(&self) -> String {
        let text = self.to_string();
        let (name, rest) = text.split_once(':').unwrap_or((&text, ""));
        let values = rest
            .split(',')
            .map(|part| part.split_once('=').map_or(part, |(_, value)| value));
        std::iter::once(name)
            .chain(values.filter(|value| !value.is_empty()))
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Checks the parameters' ranges.
    ///
    /// # Errors
    /// [`RedistributeError::BadScheme`].
    pub fn check(&self) -> Result<(), RedistributeError> {
        let unit = |name: &str, value: f64| {
            if (0.0..=1.0).contains(&value) {
                Ok(())
            } else {
                Err(RedistributeError::BadScheme(format!(
                    "{name} = {value} is not in 0..=1"
                )))
            }
        };
        match self {
            Self::Uniform | Self::Reciprocal | Self::Dcg => Ok(()),
            Self::Linear { floor } => unit("floor", *floor),
            Self::Geometric { gamma } if *gamma == 0.0 => Err(RedistributeError::BadScheme(
                "gamma = 0 is not in (0, 1]".to_owned(),
            )),
            Self::Geometric { gamma } => unit("gamma", *gamma),
            Self::Bottom { fraction, factor } => {
                unit("fraction", *fraction)?;
                unit("factor", *factor)
            }
            Self::BelowMedian { factor } => unit("factor", *factor),
            Self::Top { k, .. } if *k < 1 => Err(RedistributeError::BadScheme(format!(
                "k = {k} is less than 1"
            ))),
            Self::Top { rest, .. } => unit("rest", *rest),
            Self::Table(weights) if weights.is_empty() => Err(RedistributeError::BadScheme(
                "the table is empty".to_owned(),
            )),
            Self::Table(weights) => match weights.iter().find(|w| !(w.is_finite() && **w >= 0.0)) {
                Some(weight) => Err(RedistributeError::BadScheme(format!(
                    "table weight {weight} is not a finite number of at least 0"
                ))),
                None => Ok(()),
            },
        }
    }

    /// Weight of a place (0 = best) among `places` places.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "places are small non-negative whole numbers"
    )]
    pub fn weight(&self, place: usize, places: usize) -> f64 {
        let bottom = |fraction: f64, factor: f64| {
            let count = (fraction * places as f64 + 1e-9).floor() as usize;
            if place + count >= places { factor } else { 1.0 }
        };
        match self {
            Self::Uniform => 1.0,
            Self::Linear { .. } if places < 2 => 1.0,
            Self::Linear { floor } => 1.0 - (1.0 - floor) * place as f64 / (places - 1) as f64,
            Self::Geometric { gamma } => gamma.powf(place as f64),
            Self::Reciprocal => 1.0 / (place + 1) as f64,
            Self::Dcg => 1.0 / ((place + 2) as f64).log2(),
            Self::Bottom { fraction, factor } => bottom(*fraction, *factor),
            Self::BelowMedian { factor } => bottom(0.5, *factor),
            Self::Top { k, rest } => {
                if i64::try_from(place).is_ok_and(|place| place < *k) {
                    1.0
                } else {
                    *rest
                }
            }
            Self::Table(weights) => weights
                .get(place)
                .or(weights.last())
                .copied()
                .unwrap_or(1.0),
        }
    }

    /// Whether a worse place can weigh more than a better one (only a table can).
    #[must_use]
    pub fn rises(&self) -> bool {
        matches!(self, Self::Table(weights) if weights.windows(2).any(|pair| pair[1] > pair[0]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_schemes_are_read_as_they_are_printed() {
        let printed: Vec<_> = Scheme::usual().iter().map(ToString::to_string).collect();
        assert_eq!(printed, Scheme::USUAL);
    }

    #[test]
    fn short_names_keep_every_number() {
        let short: Vec<_> = Scheme::usual().iter().map(Scheme::in_short).collect();
        assert_eq!(short[1], "linear 0.5");
        assert_eq!(short[5], "bottom 0.5 0.5");
        assert_eq!(short[8], "table 1 0.75 0.5 0.25");
    }
}
