//! Fixed points between two sequences of texts: what occurs once on each side, as patience diff
//! chooses them.

use std::collections::HashMap;

/// Pairs of equal, not blank texts that occur once on each side, in order on both: the longest such
/// chain. Work is `n log n` in the number of texts.
pub(super) fn anchors(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    /// Where a text stands on each side; `None` when not there, `Some(None)` when more than once.
    type Places = [Option<Option<usize>>; 2];
    let mut places: HashMap<&str, Places> = HashMap::with_capacity(old.len() + new.len());
    for (side, texts) in [old, new].into_iter().enumerate() {
        let texts = texts.iter().enumerate();
        for (at, text) in texts.filter(|(_, text)| !text.trim().is_empty()) {
            let place = &mut places.entry(text).or_default()[side];
            *place = Some(place.is_none().then_some(at));
        }
    }
    let mut both: Vec<(usize, usize)> = places
        .values()
        .filter_map(|place| Some((place[0]??, place[1]??)))
        .collect();
    both.sort_unstable();
    // Longest increasing run of the new side: piles of patience with links back.
    let mut piles: Vec<usize> = Vec::new();
    let mut before = vec![None; both.len()];
    for (at, &(_, new)) in both.iter().enumerate() {
        let pile = piles.partition_point(|&top| both[top].1 < new);
        before[at] = pile.checked_sub(1).map(|pile| piles[pile]);
        if pile == piles.len() {
            piles.push(at);
        } else {
            piles[pile] = at;
        }
    }
    let mut chain = Vec::with_capacity(piles.len());
    let mut last = piles.last().copied();
    while let Some(at) = last {
        chain.push(both[at]);
        last = before[at];
    }
    chain.reverse();
    chain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_once_on_both_sides_and_in_order_counts() {
        let old = ["a", "x", "b", "x", "c", " ", "d"];
        let new = ["c", "a", "b", "x", " ", "d"];
        assert_eq!(anchors(&old, &new), [(0, 1), (2, 2), (6, 5)]);
    }
}
