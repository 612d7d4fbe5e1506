//! Versions such as `1.4.0-rc.2+build.5`.

use std::cmp::Ordering;

/// A parsed version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// Major, minor and patch number.
    pub numbers: [u64; 3],
    /// What follows the dash, without it; empty for a release.
    pub pre: String,
    /// What follows the plus sign, without it.
    pub build: String,
}

impl Version {
    /// Reads a version, or returns None when it is not one.
    pub fn parse(text: &str) -> Option<Self> {
        let (text, build) = text.split_once('+').unwrap_or((text, ""));
        let (core, pre) = text.split_once('-').unwrap_or((text, ""));
        let mut parts = core.split('.').map(|part| part.parse().ok());
        let numbers = [parts.next()??, parts.next()??, parts.next()??];
        if parts.next().is_some() {
            return None;
        }
        Some(Self { numbers, pre: pre.to_owned(), build: build.to_owned() })
    }

    /// Compares by precedence.
    pub fn precedence(&self, other: &Self) -> Ordering {
        self.numbers.cmp(&other.numbers).then_with(|| self.pre.cmp(&other.pre))
    }
}

/// The newest of several versions, when there is any.
pub fn newest(versions: &[Version]) -> Option<&Version> {
    versions.iter().max_by(|a, b| a.precedence(b))
}
