//! One line on standard error that tells how far loading is, while it takes long.
//!
//! What is *not* here: loading, and anything that stays on the screen.

use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

use crate::formats::Progress;

/// Nothing is told about what takes less.
const SHOWN_FROM: Duration = Duration::from_millis(500);
/// Time between two states of the line.
const EVERY: Duration = Duration::from_millis(100);

/// The line; it is removed when this is dropped.
pub struct ProgressLine {
    /// Where it stands; `None` when nobody would see it.
    out: Option<Box<dyn Write>>,
    start: Instant,
    last: Option<Instant>,
}

impl ProgressLine {
    /// A line on standard error, when that is a terminal.
    #[must_use]
    pub fn on_stderr() -> Self {
        let out = stderr();
        let out = out.is_terminal().then(|| Box::new(out) as Box<dyn Write>);
        Self {
            out,
            start: Instant::now(),
            last: None,
        }
    }

    /// Shows how far loading is.
    pub fn tell(&mut self, progress: Progress) {
        let elapsed = self.start.elapsed();
        let is_due = match self.last {
            None => elapsed >= SHOWN_FROM,
            Some(last) => last.elapsed() >= EVERY,
        };
        let Some(out) = self.out.as_mut().filter(|_| is_due) else {
            return;
        };
        self.last = Some(Instant::now());
        // A line that cannot be written is not worth stopping for.
        let _ = write!(out, "\r\x1b[2K{}", text(progress, elapsed));
        let _ = out.flush();
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if let (Some(out), Some(_)) = (self.out.as_mut(), self.last) {
            let _ = write!(out, "\r\x1b[2K");
            let _ = out.flush();
        }
    }
}

/// `◐ indexing 61% · 1200 groups · 4s left`.
fn text(progress: Progress, elapsed: Duration) -> String {
    if progress.bytes_total == 0 {
        return "◐ looking for rollouts".to_owned();
    }
    let done = progress.bytes_done.min(progress.bytes_total);
    let percent = done * 100 / progress.bytes_total;
    let mut text = format!("◐ indexing {percent}% · {} groups", progress.groups);
    // An estimate from the first bytes would jump about.
    if percent >= 5 {
        let left =
            elapsed.as_millis() * u128::from(progress.bytes_total - done) / u128::from(done.max(1));
        text.push_str(&format!(" · {}s left", left.div_ceil(1000)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_follows_from_what_is_done() {
        let progress = |done| Progress {
            bytes_done: done,
            bytes_total: 1000,
            groups: 7,
            ..Progress::default()
        };
        let told = |done| text(progress(done), Duration::from_secs(6));
        assert_eq!(told(610), "◐ indexing 61% · 7 groups · 4s left");
        assert_eq!(told(10), "◐ indexing 1% · 7 groups");
        assert_eq!(
            text(Progress::default(), Duration::ZERO),
            "◐ looking for rollouts"
        );
    }
}
