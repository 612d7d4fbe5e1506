//! Focused time: how long somebody worked on something, without the time they were away.
//!
//! What is *not* here: the clock (times are handed in) and what is timed.

/// Longest stretch without a key or the mouse that counts, in milliseconds.
pub const IDLE_MS: u64 = 60_000;

/// Counts focused time in milliseconds of a clock that only goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stopwatch {
    /// When the person last did something; `None` = nobody is there.
    last_ms: Option<u64>,
    counted_ms: u64,
}

impl Stopwatch {
    /// A watch that runs from `now_ms` on.
    #[must_use]
    pub fn started(now_ms: u64) -> Self {
        Self {
            last_ms: Some(now_ms),
            counted_ms: 0,
        }
    }

    /// The person does something now: the time since they last did counts, at most [`IDLE_MS`] of
    /// it. A watch that was stopped runs again, and the pause does not count.
    pub fn touch(&mut self, now_ms: u64) {
        self.counted_ms = self.elapsed_ms(now_ms);
        self.last_ms = Some(now_ms);
    }

    /// The person turns away now: from here nothing counts until [`Self::touch`] or
    /// [`Self::skip_to`].
    pub fn stop(&mut self, now_ms: u64) {
        self.counted_ms = self.elapsed_ms(now_ms);
        self.last_ms = None;
    }

    /// The person is back at `now_ms`: what was since they last did something does not count.
    pub fn skip_to(&mut self, now_ms: u64) {
        self.last_ms = Some(now_ms);
    }

    /// Milliseconds counted until now.
    #[must_use]
    pub fn elapsed_ms(&self, now_ms: u64) -> u64 {
        let since = self.last_ms.map_or(0, |last| now_ms.saturating_sub(last));
        self.counted_ms.saturating_add(since.min(IDLE_MS))
    }

    /// Takes what was counted until now and begins at zero.
    pub fn take(&mut self, now_ms: u64) -> u64 {
        let counted = self.elapsed_ms(now_ms);
        self.counted_ms = 0;
        self.last_ms = self.last_ms.map(|_| now_ms);
        counted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_counts_at_most_the_idle_time() {
        let mut watch = Stopwatch::started(1_000);
        watch.touch(3_000);
        assert_eq!(watch.elapsed_ms(3_500), 2_500);
        // Ten minutes away.
        watch.touch(603_000);
        assert_eq!(watch.elapsed_ms(603_000), 62_000);
        watch.touch(663_000);
        assert_eq!(watch.take(663_000), 122_000);
        assert_eq!(watch.elapsed_ms(664_000), 1_000);
    }

    #[test]
    fn what_is_spent_elsewhere_does_not_count() {
        let mut watch = Stopwatch::started(0);
        watch.stop(5_000);
        assert_eq!(watch.elapsed_ms(30_000), 5_000);
        watch.touch(30_000);
        assert_eq!(watch.elapsed_ms(31_000), 6_000);
        watch.skip_to(90_000);
        assert_eq!(
            watch.elapsed_ms(90_000),
            5_000,
            "since the last key nothing counts"
        );
        assert_eq!(
            watch.elapsed_ms(0),
            5_000,
            "a clock that goes back adds nothing"
        );
    }
}
