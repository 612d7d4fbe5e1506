//! What is known of a step in figures: exit code, duration, tokens, cost.

use super::heads::StepHead;
use crate::tui::text;

/// Exit code, whether it was cut off, duration, tokens, cost: what counts most comes first.
type Figures = [String; 5];

fn figures(head: &StepHead) -> Figures {
    let exit = match head.exit_code {
        Some(0) if !head.failed => Some("exit 0".to_owned()),
        Some(code) if code != 0 => Some(format!("✗ exit {code}")),
        _ => head.failed.then(|| "✗ error".to_owned()),
    };
    [
        exit.unwrap_or_default(),
        if head.truncated { "cut off" } else { "" }.to_owned(),
        head.ms.map(duration).unwrap_or_default(),
        head.tokens.map(tokens).unwrap_or_default(),
        head.cost_usd.map(cost).unwrap_or_default(),
    ]
}

/// Everything that is known of a step, with a blank before each; the time last.
pub(super) fn all_figures(head: &StepHead) -> String {
    let time = head.time.as_deref().map(text::sanitize_line);
    let time = time.map(|time| text::cut(&time, TIME));
    let parts = figures(head).into_iter().chain(time);
    parts
        .filter(|part| !part.is_empty())
        .map(|part| format!(" {part}"))
        .collect()
}

/// Cells of a time: ISO 8601 with microseconds and zone fits.
const TIME: usize = 32;

/// Columns of figures with their widths; those that no step has, or that do not fit, have none.
pub(super) struct Columns([usize; 5]);

impl Columns {
    /// The columns of these steps in at most `room` cells.
    pub(super) fn of(heads: &[&StepHead], room: usize) -> Self {
        let mut widths = [0; 5];
        for head in heads {
            for (widest, figure) in widths.iter_mut().zip(figures(head)) {
                *widest = figure.chars().count().max(*widest);
            }
        }
        let mut left = room;
        for width in &mut widths {
            // A blank before each.
            match left.checked_sub(*width + 1) {
                Some(rest) if *width > 0 => left = rest,
                _ => *width = 0,
            }
        }
        Self(widths)
    }

    /// The figures of one step, aligned to the right; the words have what it leaves free at its
    /// left.
    pub(super) fn line(&self, head: &StepHead) -> String {
        let figures = figures(head).into_iter().zip(self.0);
        let line: String = figures
            .filter(|(_, width)| *width > 0)
            .map(|(figure, width)| format!(" {figure:>width$}"))
            .collect();
        match line.trim_start() {
            "" => String::new(),
            said => format!(" {said}"),
        }
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a figure of three digits is shown"
)]
fn tokens(count: u64) -> String {
    match count {
        0..10_000 => format!("{count} tok"),
        10_000..1_000_000 => format!("{:.1}k tok", count as f64 / 1e3),
        _ => format!("{:.1}M tok", count as f64 / 1e6),
    }
}

fn cost(usd: f64) -> String {
    if usd.abs() < 0.1 {
        format!("${usd:.4}")
    } else {
        format!("${usd:.2}")
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "durations of days are far below 2^53 ms"
)]
fn duration(ms: u64) -> String {
    match ms {
        0..1000 => format!("{ms}ms"),
        1000..60_000 => format!("{:.1}s", ms as f64 / 1000.0),
        _ => format!("{}m{:02}s", ms / 60_000, ms % 60_000 / 1000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Step;

    #[test]
    fn figures_are_aligned_and_the_last_ones_give_way() {
        let head = |tokens, cost_usd| {
            StepHead::of(&Step {
                ms: Some(12),
                tokens,
                cost_usd,
                ..Step::default()
            })
        };
        let heads = [head(Some(830), Some(0.0123)), head(Some(12_345), None)];
        let heads = heads.each_ref();
        let lines = |room| {
            let columns = Columns::of(&heads, room);
            heads.map(|head| columns.line(head))
        };
        assert_eq!(
            lines(30),
            [" 12ms   830 tok $0.0123", " 12ms 12.3k tok        "]
        );
        assert_eq!(lines(16), [" 12ms   830 tok", " 12ms 12.3k tok"]);
        assert_eq!(lines(8), [" 12ms", " 12ms"]);
        assert_eq!(lines(2), ["", ""]);
        let columns = Columns::of(&[&head(None, None)], 30);
        assert_eq!(columns.line(&head(None, None)), " 12ms");
        let columns = Columns::of(&heads, 30);
        assert_eq!(columns.line(&StepHead::of(&Step::default())), "");
    }

    #[test]
    fn everything_known_stands_in_the_head_and_cannot_steer() {
        let step = Step {
            exit_code: Some(1),
            time: Some("2026-01-02T03:04:05\u{1b}[2J".to_owned()),
            truncated: true,
            cost_usd: Some(1.5),
            ..Step::default()
        };
        let said = all_figures(&StepHead::of(&step));
        assert!(
            said.starts_with(" ✗ exit 1 cut off $1.50 2026-01-02T03:04:05"),
            "{said}"
        );
        assert!(!said.contains('\u{1b}'));
        assert_eq!(all_figures(&StepHead::of(&Step::default())), "");
    }

    #[test]
    fn durations_are_short() {
        assert_eq!(duration(12), "12ms");
        assert_eq!(duration(1234), "1.2s");
        assert_eq!(duration(61_000), "1m01s");
    }
}
