//! The rules as a person wants them: which are on, with which patterns and thresholds, and the version
//! that is stamped into what people say of them.
//!
//! What is *not* here: the file that says so (`gagar.toml`, read by the command line).

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::rule::{RULES, RuleId, rule};

/// Version of the built-in rules.
pub const VERSION: &str = "gagar-rules-1";

/// What a configuration says of one rule; `None` = as built in.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RuleConfig {
    /// Whether it is on.
    pub on: Option<bool>,
    /// What it matches, instead of the built-in patterns.
    pub patterns: Option<Vec<String>>,
    /// The number it compares with.
    pub threshold: Option<f64>,
}

/// Why a configuration of the rules means nothing.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RulesError {
    /// There is no such rule.
    #[error("there is no rule `{0}`; known: {known}", known = names())]
    NoRule(String),
    /// The rule has no patterns.
    #[error("the rule `{0}` has no patterns")]
    NoPatterns(&'static str),
    /// The rule has no threshold.
    #[error("the rule `{0}` has no threshold")]
    NoThreshold(&'static str),
    /// The threshold is no number that can be compared with.
    #[error("the threshold of `{0}` must be a number from 0 on")]
    Threshold(&'static str),
}

fn names() -> String {
    let names: Vec<&str> = RULES.iter().map(|rule| rule.name).collect();
    names.join(", ")
}

#[derive(Debug, Clone, PartialEq)]
struct State {
    on: bool,
    patterns: Vec<String>,
    threshold: f64,
}

/// The rules that are asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    version: String,
    /// One per entry of [`RULES`].
    states: Vec<State>,
}

impl Default for Rules {
    fn default() -> Self {
        let state = |rule: &super::Rule| State {
            on: rule.on,
            patterns: rule.patterns.iter().map(|&text| text.to_owned()).collect(),
            threshold: rule.threshold.unwrap_or(0.0),
        };
        Self {
            version: VERSION.to_owned(),
            states: RULES.iter().map(state).collect(),
        }
    }
}

impl Rules {
    /// The built-in rules, changed by a configuration. `version` is the configuration's own name for
    /// them; where it changes anything, a mark of what it changes stands behind the name.
    ///
    /// # Errors
    /// A rule that does not exist, or that has no such thing to change.
    pub fn with(
        version: Option<&str>,
        changes: &BTreeMap<String, RuleConfig>,
    ) -> Result<Self, RulesError> {
        let mut rules = Self::default();
        for (name, change) in changes {
            let known = rule(name).ok_or_else(|| RulesError::NoRule(name.clone()))?;
            if change.patterns.is_some() && known.patterns.is_empty() {
                return Err(RulesError::NoPatterns(known.name));
            }
            if change.threshold.is_some() && known.threshold.is_none() {
                return Err(RulesError::NoThreshold(known.name));
            }
            if change.threshold.is_some_and(|t| !t.is_finite() || t < 0.0) {
                return Err(RulesError::Threshold(known.name));
            }
            let Some(state) = rules.states.get_mut(known.id as usize) else {
                continue;
            };
            state.on = change.on.unwrap_or(state.on);
            state.threshold = change.threshold.unwrap_or(state.threshold);
            if let Some(patterns) = &change.patterns {
                state.patterns.clone_from(patterns);
            }
        }
        let named = version.unwrap_or(VERSION).to_owned();
        rules.version = match rules.states == Self::default().states {
            true => named,
            false => format!("{named}+{}", rules.mark()),
        };
        Ok(rules)
    }

    /// Eight hex digits that tell which rules are on with which patterns and thresholds.
    fn mark(&self) -> String {
        let mut hash = Sha256::new();
        for (rule, state) in RULES.iter().zip(&self.states) {
            let line = format!("{} {} {}", rule.name, state.on, state.threshold);
            hash.update(line.as_bytes());
            for pattern in &state.patterns {
                hash.update([0]);
                hash.update(pattern.as_bytes());
            }
            hash.update([1]);
        }
        let digest = hash.finalize();
        digest
            .iter()
            .take(4)
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }

    /// The same rules with every one on: for figures about all of them. The version stays.
    #[must_use]
    pub fn all_on(mut self) -> Self {
        for state in &mut self.states {
            state.on = true;
        }
        self
    }

    /// The same rules with only this one on. The version stays.
    #[must_use]
    pub fn only(mut self, wanted: RuleId) -> Self {
        for (rule, state) in RULES.iter().zip(&mut self.states) {
            state.on = rule.id == wanted;
        }
        self
    }

    /// What is stamped into what people say of remarks.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Whether a rule is on.
    #[must_use]
    pub fn is_on(&self, id: RuleId) -> bool {
        self.states.get(id as usize).is_some_and(|state| state.on)
    }

    /// What a rule matches.
    #[must_use]
    pub fn patterns(&self, id: RuleId) -> &[String] {
        let state = self.states.get(id as usize);
        state.map_or(&[], |state| &state.patterns)
    }

    /// The number that a rule compares with; 0 where it has none.
    #[must_use]
    pub fn threshold(&self, id: RuleId) -> f64 {
        self.states
            .get(id as usize)
            .map_or(0.0, |state| state.threshold)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(name: &str, change: RuleConfig) -> Result<Rules, RulesError> {
        Rules::with(None, &BTreeMap::from([(name.to_owned(), change)]))
    }

    #[test]
    fn the_version_tells_what_a_configuration_changed() {
        let off = |on| RuleConfig {
            on: Some(on),
            ..RuleConfig::default()
        };
        assert_eq!(changed("todo", off(true)).unwrap().version(), VERSION);
        let one = changed("todo", off(false)).unwrap();
        assert!(one.version().starts_with("gagar-rules-1+"));
        assert!(!one.is_on(RuleId::Todo));
        let other = changed("binary", off(false)).unwrap();
        assert_ne!(one.version(), other.version());
        let named = Rules::with(Some("ours-3"), &BTreeMap::new()).unwrap();
        assert_eq!(named.version(), "ours-3");
    }

    #[test]
    fn what_means_nothing_is_refused() {
        let none = RuleConfig::default();
        assert!(matches!(changed("x", none), Err(RulesError::NoRule(_))));
        let patterns = RuleConfig {
            patterns: Some(Vec::new()),
            ..RuleConfig::default()
        };
        assert!(matches!(
            changed("rename", patterns),
            Err(RulesError::NoPatterns(_))
        ));
        let threshold = |value| RuleConfig {
            threshold: Some(value),
            ..RuleConfig::default()
        };
        assert!(matches!(
            changed("todo", threshold(1.0)),
            Err(RulesError::NoThreshold(_))
        ));
        assert!(matches!(
            changed("size_outlier", threshold(f64::NAN)),
            Err(RulesError::Threshold(_))
        ));
    }
}
