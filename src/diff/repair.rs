//! What the lenient reader had to mend, as data that a screen can put at the file and the hunk.

use std::fmt;

use super::model::LineSpan;

/// Something in a patch that a strict reader refuses, and how it was read. `Display` gives the
/// sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repair {
    /// The counts of a hunk's header do not fit its lines; the lines were believed.
    CountsCorrected {
        /// The hunk, 0-based.
        hunk: usize,
        /// Old and new side as the header claims.
        claimed: (LineSpan, LineSpan),
        /// Old and new side as counted.
        found: (LineSpan, LineSpan),
    },
    /// The text ends inside a hunk: it was cut, or its counts are too large.
    Truncated {
        /// The hunk, 0-based.
        hunk: usize,
        /// Old and new side as the header claims.
        claimed: (LineSpan, LineSpan),
        /// Old and new side as counted.
        found: (LineSpan, LineSpan),
    },
    /// Blank context lines came without their leading space.
    StrippedContext {
        /// The hunk, 0-based.
        hunk: usize,
        /// How many lines.
        lines: u32,
    },
    /// A hunk's header is not written as it should be but gives its numbers.
    OddHeader {
        /// The hunk, 0-based.
        hunk: usize,
    },
    /// A hunk whose header gives no line numbers: shown as it is, its lines are not counted.
    UnreadableHunk {
        /// Index into [`super::FilePatch::raw`].
        raw: usize,
    },
    /// Hunks that no file header precedes.
    NoFileHeader,
    /// The two paths of a git header cannot be told apart.
    UnclearPaths {
        /// What the header says.
        header: String,
    },
    /// The lines of the patch itself end in CRLF.
    CrlfPatch,
    /// The text begins with a byte order mark.
    ByteOrderMark,
    /// A file that several sections edit: they were read as one.
    RepeatedFile {
        /// Its path.
        path: String,
        /// The first hunk of the second section, 0-based.
        hunk: usize,
        /// How many sections.
        sections: usize,
    },
    /// The patch's last line has no newline.
    NoFinalNewline,
    /// Markdown fences around the patch.
    Fenced {
        /// How many fence lines.
        lines: usize,
    },
}

impl Repair {
    /// The hunk that was mended, 0-based; `None` when it is about a file or the whole patch.
    #[must_use]
    pub fn hunk(&self) -> Option<usize> {
        match self {
            Self::CountsCorrected { hunk, .. }
            | Self::Truncated { hunk, .. }
            | Self::StrippedContext { hunk, .. }
            | Self::RepeatedFile { hunk, .. }
            | Self::OddHeader { hunk } => Some(*hunk),
            _ => None,
        }
    }

    /// The sentence with the sign that screens put before a repair.
    #[must_use]
    pub fn note(&self) -> String {
        format!("⚕ repaired: {self}")
    }
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sides = |(old, new): &(LineSpan, LineSpan)| format!("-{old} +{new}");
        match self {
            Self::CountsCorrected { claimed, found, .. } => write!(
                f,
                "hunk counts corrected: the header says {}, there are {}",
                sides(claimed),
                sides(found)
            ),
            Self::Truncated { claimed, found, .. } => write!(
                f,
                "the patch ends inside a hunk (cut, or wrong counts): the header says {}, there \
                 are {}",
                sides(claimed),
                sides(found)
            ),
            Self::StrippedContext { lines, .. } => {
                let (plural, have) = if *lines == 1 {
                    ("", "has")
                } else {
                    ("s", "have")
                };
                write!(
                    f,
                    "{lines} blank context line{plural} {have} lost the leading space"
                )
            }
            Self::OddHeader { .. } => write!(f, "a hunk header is written in an unusual way"),
            Self::UnreadableHunk { .. } => write!(
                f,
                "a hunk header gives no line numbers: shown as it is, its lines are not counted"
            ),
            Self::NoFileHeader => write!(f, "no file header"),
            Self::UnclearPaths { header } => {
                write!(f, "the header's paths cannot be told apart: {header}")
            }
            Self::CrlfPatch => write!(f, "the patch itself has CRLF line ends"),
            Self::ByteOrderMark => write!(f, "a byte order mark before the patch left out"),
            Self::RepeatedFile { path, sections, .. } => {
                let times = match sections {
                    2 => "twice".to_owned(),
                    n => format!("{n} times"),
                };
                write!(
                    f,
                    "{path} is there {times}: read as one file, every hunk on the base"
                )
            }
            Self::NoFinalNewline => write!(f, "the patch does not end with a newline"),
            Self::Fenced { .. } => write!(f, "code fences around the diff left out"),
        }
    }
}
