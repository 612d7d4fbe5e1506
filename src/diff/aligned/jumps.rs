//! From a row of the side-by-side view to the next place that is worth a look.

use super::{Aligned, Region};

impl Aligned {
    /// The next place (file, first row of a region) behind a row where these candidates do not all
    /// leave the same.
    #[must_use]
    pub fn next_difference(
        &self,
        after: (usize, usize),
        among: &[usize],
    ) -> Option<(usize, usize)> {
        self.next_region(after, |region| region.differs(among))
    }

    /// The place before a row where these candidates do not all leave the same.
    #[must_use]
    pub fn previous_difference(
        &self,
        before: (usize, usize),
        among: &[usize],
    ) -> Option<(usize, usize)> {
        self.previous_region(before, |region| region.differs(among))
    }

    /// The next place behind a row that this candidate touches and no other one of these.
    #[must_use]
    pub fn next_only(
        &self,
        after: (usize, usize),
        candidate: usize,
        among: &[usize],
    ) -> Option<(usize, usize)> {
        self.next_region(after, |region| region.touched_only_by(candidate, among))
    }

    /// The place before a row that this candidate touches and no other one of these.
    #[must_use]
    pub fn previous_only(
        &self,
        before: (usize, usize),
        candidate: usize,
        among: &[usize],
    ) -> Option<(usize, usize)> {
        self.previous_region(before, |region| region.touched_only_by(candidate, among))
    }

    /// The next region behind (file, row) that `wanted` takes: its file and first row.
    pub fn next_region(
        &self,
        (file, row): (usize, usize),
        wanted: impl Fn(&Region) -> bool,
    ) -> Option<(usize, usize)> {
        let files = self.files.iter().enumerate().skip(file);
        files
            .flat_map(|(index, of)| of.regions.iter().map(move |region| (index, region)))
            .filter(|(index, region)| (*index, region.rows.start) > (file, row))
            .find(|(_, region)| wanted(region))
            .map(|(index, region)| (index, region.rows.start))
    }

    /// The last region before (file, row) that `wanted` takes: its file and first row.
    pub fn previous_region(
        &self,
        (file, row): (usize, usize),
        wanted: impl Fn(&Region) -> bool,
    ) -> Option<(usize, usize)> {
        let files = self.files.iter().enumerate().take(file.saturating_add(1));
        files
            .rev()
            .flat_map(|(index, of)| of.regions.iter().rev().map(move |region| (index, region)))
            .filter(|(index, region)| (*index, region.rows.start) < (file, row))
            .find(|(_, region)| wanted(region))
            .map(|(index, region)| (index, region.rows.start))
    }
}
