//! Who or what ranks a group.

use std::fmt;

use serde::{Serialize, Serializer};

/// Who or what ranks a group.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rater {
    /// A grader, by name.
    Grader(String),
    /// What the annotators' rankings give together.
    Consensus,
    /// The person who settled the group, having seen every ranking.
    Settlement,
    /// The known ranking of a group that tests annotators.
    Gold,
    /// An annotator's ranking that counts, by name.
    Annotator(String),
}

impl Rater {
    /// The grader's or annotator's name.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Grader(name) | Self::Annotator(name) => Some(name),
            Self::Consensus | Self::Settlement | Self::Gold => None,
        }
    }
}

/// As in files: `grader:NAME`, `annotator:NAME`, `consensus`, `settlement`, `gold`.
impl Serialize for Rater {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Grader(name) => serializer.collect_str(&format_args!("grader:{name}")),
            Self::Annotator(name) => serializer.collect_str(&format_args!("annotator:{name}")),
            Self::Consensus => serializer.serialize_str("consensus"),
            Self::Settlement => serializer.serialize_str("settlement"),
            Self::Gold => serializer.serialize_str("gold"),
        }
    }
}

/// As in tables: a grader is told apart from a person of the same name.
impl fmt::Display for Rater {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Grader(name) => write!(f, "grader {name}"),
            Self::Annotator(name) => f.write_str(name),
            Self::Consensus => f.write_str("consensus"),
            Self::Settlement => f.write_str("settlement"),
            Self::Gold => f.write_str("known ranking"),
        }
    }
}
