//! Which candidates leave the same behind although their patches are written differently.
//!
//! What is *not* here: what the difference is ([`super::interdiff`]). A file that one candidate
//! renames and another writes anew under the new name is not recognised as the same.

use std::collections::HashMap;

use sha2::{Digest, Sha256};

use super::aligned::{Aligned, AlignedFile};
use super::sequence::{self, Piece};
use crate::domain::PatchHash;

/// How sure it is that two results are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// The base text is known in whole.
    Exact,
    /// As far as the patches quote the base; what nobody quotes is kept by all.
    AsFarAsQuoted,
}

/// Candidates by what they leave behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Classes {
    /// For each candidate the first one with the same result (itself when it is the first).
    pub first: Vec<usize>,
    /// How sure that is.
    pub certainty: Certainty,
}

impl Classes {
    /// Whether two candidates leave the same behind.
    #[must_use]
    pub fn are_equal(&self, a: usize, b: usize) -> bool {
        a == b
            || self
                .first
                .get(a)
                .is_some_and(|first| self.first.get(b) == Some(first))
    }

    /// Number of different results.
    #[must_use]
    pub fn count(&self) -> usize {
        let firsts = self.first.iter().enumerate();
        firsts.filter(|(index, first)| index == *first).count()
    }

    /// The other candidates with the same result as this one, ascending.
    pub fn equals(&self, candidate: usize) -> impl Iterator<Item = usize> {
        (0..self.first.len())
            .filter(move |&other| other != candidate && self.are_equal(candidate, other))
    }
}

/// The results of all candidates of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Results {
    /// Over all files.
    pub overall: Classes,
    /// Per file of [`Aligned::files`].
    pub files: Vec<Classes>,
}

impl Results {
    /// Compares what the candidates leave behind.
    #[must_use]
    pub fn of(aligned: &Aligned) -> Self {
        let files: Vec<Classes> = (0..aligned.files.len())
            .map(|file| of_file(aligned, file))
            .collect();
        let candidates = aligned.candidates();
        let mut known: HashMap<Key, usize> = HashMap::new();
        let first = candidates.iter().enumerate().map(|(candidate, one)| {
            let classes = files.iter().map(|of| of.first.get(candidate).copied());
            let key = match one.patch.files.is_empty() && !one.patch.text.trim().is_empty() {
                // No diff: nobody knows what it does, but the same text does the same.
                true => Key::Text(text_hash(&one.patch.text)),
                false => Key::Files(classes.collect()),
            };
            *known.entry(key).or_insert(candidate)
        });
        let first = first.collect();
        let certainty = files.iter().map(|of| of.certainty).max();
        Self {
            overall: Classes {
                first,
                certainty: certainty.unwrap_or(Certainty::Exact),
            },
            files,
        }
    }
}

#[derive(PartialEq, Eq, Hash)]
enum Key {
    Files(Vec<Option<usize>>),
    Text(PatchHash),
}

fn text_hash(text: &str) -> PatchHash {
    PatchHash::new(Sha256::digest(text.as_bytes()).into())
}

/// What makes two results of a file the same.
#[derive(PartialEq, Eq, Hash, Clone)]
enum FileKey {
    /// Where it is told in lines: path and mode afterwards, result per region.
    Lines(Option<String>, Option<String>, Vec<(usize, u32)>),
    /// Else the same patch does the same.
    Text(PatchHash),
}

fn of_file(aligned: &Aligned, file: usize) -> Classes {
    let Some(of) = aligned.files.get(file) else {
        return Classes {
            first: Vec::new(),
            certainty: Certainty::Exact,
        };
    };
    let candidates = aligned.candidates();
    let mut known: HashMap<FileKey, usize> = HashMap::new();
    let mut first: Vec<usize> = Vec::with_capacity(candidates.len());
    let mut told = vec![true; candidates.len()];
    for (candidate, one) in candidates.iter().enumerate() {
        let key = match sequence::facts(aligned, file, candidate) {
            Ok((path, mode)) => {
                let results = of.regions.iter().map(|region| region.result_of(candidate));
                let results = results.enumerate().filter(|(_, result)| *result > 0);
                FileKey::Lines(
                    path.map(str::to_owned),
                    mode.map(str::to_owned),
                    results.collect(),
                )
            }
            Err(_) => {
                told[candidate] = false;
                FileKey::Text(text_hash(&one.patch.text))
            }
        };
        first.push(*known.entry(key).or_insert(candidate));
    }
    let contradicts = |line: &super::Contradiction| line.taken.is_some();
    join_slid(aligned, file, of, &mut first, &told);
    let is_exact = of.base.is_some() || of.base_path.is_none();
    let is_exact = is_exact && !of.contradictions.iter().any(contradicts);
    Classes {
        first,
        certainty: match is_exact {
            true => Certainty::Exact,
            false => Certainty::AsFarAsQuoted,
        },
    }
}

/// Joins classes whose results are equal although they change different places: a line inserted
/// before or behind an equal one. Only results with as many lines are compared in whole.
fn join_slid(aligned: &Aligned, file: usize, of: &AlignedFile, first: &mut [usize], told: &[bool]) {
    let delta = |candidate: usize| {
        let of = of.file_of(candidate);
        of.map_or(0, |of| i64::from(of.added) - i64::from(of.removed))
    };
    let mut by_length: HashMap<i64, Vec<usize>> = HashMap::new();
    for candidate in 0..first.len() {
        if first[candidate] == candidate && told[candidate] {
            by_length
                .entry(delta(candidate))
                .or_default()
                .push(candidate);
        }
    }
    let mut same: HashMap<usize, usize> = HashMap::new();
    for firsts in by_length.into_values().filter(|firsts| firsts.len() > 1) {
        let mut known: HashMap<Vec<Chunk>, usize> = HashMap::new();
        for candidate in firsts {
            let Ok(result) = sequence::result(aligned, file, candidate) else {
                continue;
            };
            let mut key = chunks(&result.pieces);
            let facts = format!("{:?} {:?}", result.path, result.mode);
            key.push(Chunk::Lines(Sha256::digest(facts.as_bytes()).into()));
            let earlier = *known.entry(key).or_insert(candidate);
            same.insert(candidate, earlier);
        }
    }
    for class in first {
        *class = same.get(class).copied().unwrap_or(*class);
    }
}

#[derive(PartialEq, Eq, Hash)]
enum Chunk {
    Lines([u8; 32]),
    Hole(u32),
}

fn chunks(pieces: &[Piece<'_>]) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    let mut hash = Sha256::new();
    for piece in pieces {
        match piece {
            Piece::Line(line) => {
                hash.update(line.text.as_bytes());
                hash.update(if line.no_newline { "" } else { "\n" });
            }
            Piece::Hole(from, _) => {
                chunks.push(Chunk::Lines(std::mem::take(&mut hash).finalize().into()));
                chunks.push(Chunk::Hole(*from));
            }
        }
    }
    chunks.push(Chunk::Lines(hash.finalize().into()));
    chunks
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::diff::{BaseOrigin, Bases, CandidatePatch, Patch};

    fn of(texts: &[&str], base: Option<&str>) -> Results {
        let candidates: Vec<_> = texts
            .iter()
            .map(|text| CandidatePatch {
                patch: Arc::new(Patch::read(Arc::from(*text))),
                passing: true,
            })
            .collect();
        let mut bases = Bases::default();
        if let Some(base) = base {
            bases.insert("x", Arc::from(base), BaseOrigin::Record);
        }
        Results::of(&Aligned::of(&candidates, &bases))
    }

    const HEAD: &str = "--- a/x\n+++ b/x\n";

    #[test]
    fn the_same_result_written_differently_is_one_class() {
        let a = format!("{HEAD}@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
        // More context, and a line removed and added again.
        let b = format!("{HEAD}@@ -1,4 +1,4 @@\n a\n-b\n-c\n+B\n+c\n d\n");
        let c = format!("{HEAD}@@ -2,1 +2,1 @@\n-b\n+X\n");
        let results = of(&[&a, &b, &c, ""], None);
        assert_eq!(results.overall.first, [0, 0, 2, 3]);
        assert_eq!(results.overall.certainty, Certainty::AsFarAsQuoted);
        assert_eq!(results.overall.count(), 3);
        let results = of(&[&a, &b, &c], Some("a\nb\nc\nd\n"));
        assert_eq!(results.overall.first, [0, 0, 2]);
        assert_eq!(results.overall.certainty, Certainty::Exact);
        assert_eq!(results.overall.equals(1).collect::<Vec<_>>(), [0]);
    }

    #[test]
    fn an_insertion_may_slide_over_equal_lines() {
        let up = format!("{HEAD}@@ -1,3 +1,4 @@\n a\n+\n \n b\n");
        let down = format!("{HEAD}@@ -1,3 +1,4 @@\n a\n \n+\n b\n");
        assert_eq!(of(&[&up, &down], None).overall.first, [0, 0]);
    }

    #[test]
    fn a_missing_newline_at_the_end_counts() {
        let with = format!("{HEAD}@@ -1,1 +1,1 @@\n-a\n+b\n");
        let without = format!("{with}\\ No newline at end of file\n");
        assert_eq!(of(&[&with, &without], None).overall.first, [0, 1]);
    }

    #[test]
    fn a_deleted_file_is_not_an_emptied_one() {
        let emptied = format!("{HEAD}@@ -1,1 +0,0 @@\n-a\n");
        let deleted = "diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n";
        assert_eq!(
            of(&[&emptied, deleted, deleted], None).overall.first,
            [0, 1, 1]
        );
    }

    #[test]
    fn binary_changes_are_equal_only_in_equal_patches() {
        let binary = "diff --git a/x b/x\nBinary files a/x and b/x differ\n";
        let more = format!("{binary}diff --git a/y b/y\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n");
        assert_eq!(of(&[binary, &more, binary], None).overall.first, [0, 1, 0]);
    }
}
