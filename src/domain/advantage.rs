//! Group-relative advantages as the trainers compute them (`advantage-math.md` section 1).

/// What an estimator needs of one group; all slices have the group's length.
#[derive(Debug, Clone, Copy)]
pub struct GroupRewards<'a> {
    /// Rewards; `None` = unscored: out of the statistics, advantage 0.
    pub rewards: &'a [Option<f64>],
    /// Loss-token counts, when every scored trajectory has one.
    pub lengths: Option<&'a [f64]>,
    /// Advantages from the file, for the estimator `file`.
    pub recorded: &'a [Option<f64>],
}

/// A named way to turn rewards into advantages, with its options. Parsed from and printed as
/// `verl`, `sample:eps=1e-6`, `file`, ….
#[derive(Debug, Clone, PartialEq)]
pub struct Estimator {
    // helper A
}

/// Why an advantage cannot be computed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AdvantageError {
    /// Helper A replaces this.
    #[error("{0}")]
    Stub(String),
}

/// One row of the table of estimators.
#[derive(Debug, Clone, Copy)]
pub struct EstimatorInfo {
    /// Name, as typed.
    pub name: &'static str,
    /// One line: the formula and the framework it is from.
    pub doc: &'static str,
}

impl Estimator {
    /// Every estimator by name, in the order of the schedule screen; the first is the default.
    pub const TABLE: &'static [EstimatorInfo] = &[];

    /// Whether an advantage depends on the whole batch of groups, not on the group alone.
    #[must_use]
    pub fn is_batch_level(&self) -> bool {
        false
    }

    /// Returns one advantage per trajectory, in group order, 0 for unscored ones.
    ///
    /// # Errors
    /// See [`AdvantageError`].
    pub fn advantages(&self, group: &GroupRewards<'_>) -> Result<Vec<f64>, AdvantageError> {
        let _ = group;
        todo!("helper A")
    }

    /// Returns the advantages of every group of a batch, in order. The same as
    /// [`Self::advantages`] per group unless [`Self::is_batch_level`].
    ///
    /// # Errors
    /// See [`AdvantageError`].
    pub fn batch_advantages(
        &self,
        groups: &[GroupRewards<'_>],
    ) -> Result<Vec<Vec<f64>>, AdvantageError> {
        groups.iter().map(|group| self.advantages(group)).collect()
    }
}

impl Default for Estimator {
    fn default() -> Self {
        Self {}
    }
}

impl std::str::FromStr for Estimator {
    type Err = AdvantageError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Err(AdvantageError::Stub(text.to_owned()))
    }
}

impl std::fmt::Display for Estimator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("stub")
    }
}
