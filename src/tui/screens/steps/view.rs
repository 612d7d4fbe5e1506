//! Drawing the steps screen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::transcript::{Answered, Row, StepHead, Transcript, is_failure};
use super::update::{Layout, first_listed, shown, steps, transcript};
use crate::domain::{Step, StepKind};
use crate::tui::action::Action;
use crate::tui::area::Area;
use crate::tui::model::Model;
use crate::tui::screens::compare::letter;
use crate::tui::scroll::Position;
use crate::tui::text;
use crate::tui::theme::{Role, Theme};
use crate::tui::widgets::line::{paint, put, put_right};
use crate::tui::widgets::text_lines;

/// Draws the screen into `area`.
pub fn draw(model: &Model, theme: &Theme, buffer: &mut Buffer, area: Rect) {
    let screen = Area {
        x: area.x,
        y: area.y,
        width: area.width,
        height: area.height,
    };
    let layout = Layout::of(screen);
    let page = Page { model, theme };
    page.title(buffer, layout.title);
    let (Some(steps), Some((transcript, at))) = (steps(model), transcript(model)) else {
        let said = match (&model.open_failed, shown(model)) {
            (Some((failed, reason)), Some((group, _))) if *failed == group => {
                format!("the steps cannot be read: {}", text::sanitize_line(reason))
            }
            (_, Some((group, _))) if is_gone(model, group) => {
                let key = model.keymap.key_of(Action::Back).unwrap_or_default();
                format!("the rollouts of this group are gone; {key} leads back")
            }
            (_, None) => "there is no rollout whose steps could be read".to_owned(),
            (_, Some((group, _))) if model.opened(group).is_some() => {
                "no steps of this rollout were found".to_owned()
            }
            _ => "opening the steps …".to_owned(),
        };
        put(
            buffer,
            (layout.list.x, layout.list.y),
            screen.width,
            &said,
            theme.style(Role::Dim),
        );
        return;
    };
    if steps.is_empty() {
        let problem = shown(model)
            .and_then(|(group, _)| model.opened(group))
            .and_then(|opened| opened.content.problems.first());
        let said = problem.map_or_else(
            || "no trace is recorded for this trajectory".to_owned(),
            |problem| format!("the steps cannot be read: {}", text::sanitize_line(problem)),
        );
        put(
            buffer,
            (layout.list.x, layout.list.y),
            screen.width,
            &said,
            theme.style(Role::Dim),
        );
        return;
    }
    let step = transcript.step_at(at.row);
    page.list(buffer, layout.list, (steps, transcript), step);
    for y in layout.text.y..layout.text.y + layout.text.height {
        if let Some(x) = layout.text.x.checked_sub(1) {
            put(buffer, (x, y), 1, "│", theme.style(Role::Border));
        }
    }
    page.text(buffer, layout.text, (steps, transcript), at);
}

fn is_gone(model: &Model, group: usize) -> bool {
    let session = model.session.as_ref();
    session.is_some_and(|session| session.is_gone(group))
}

struct Page<'a> {
    model: &'a Model,
    theme: &'a Theme,
}

impl Page<'_> {
    fn style(&self, role: Role) -> Style {
        self.theme.style(role)
    }

    fn title(&self, buffer: &mut Buffer, area: Area) {
        let header = self.style(Role::Header);
        paint(buffer, (area.x, area.y), area.width, header);
        let (Some((group, index)), Some(session)) = (shown(self.model), &self.model.session) else {
            return;
        };
        let Some(data) = session.group(group) else {
            return;
        };
        let Some(trajectory) = data.trajectories.get(index) else {
            return;
        };
        let mut facts = format!(
            " · {} {} · {}",
            letter(index),
            text::sanitize_line(trajectory.id.as_str()),
            trajectory.outcome.word(),
        );
        if let Some(status) = &trajectory.exit_status {
            facts.push_str(&format!(" · exit {}", text::sanitize_line(status)));
        }
        let right = transcript(self.model).map_or(String::new(), |(transcript, at)| {
            if transcript.is_empty() {
                return String::new();
            }
            format!(
                " step {} of {}",
                transcript.step_at(at.row) + 1,
                transcript.steps()
            )
        });
        let taken = u16::try_from(right.chars().count())
            .unwrap_or(0)
            .min(area.width);
        // The group's name gives way: whose steps these are and how they ended is what counts.
        let free = usize::from(area.width - taken).saturating_sub(facts.chars().count());
        let name = text::cut(data.id.as_str(), free.clamp(8, 40));
        let said = format!("{name}{facts}");
        put(buffer, (area.x, area.y), area.width - taken, &said, header);
        put_right(buffer, (area.x, area.y), area.width, &right, header);
    }

    fn list(
        &self,
        buffer: &mut Buffer,
        area: Area,
        (steps, transcript): (&[Step], &Transcript),
        current: usize,
    ) {
        let window = usize::from(area.height);
        let first = first_listed(current, window, steps.len());
        let digits = steps
            .len()
            .checked_ilog10()
            .map_or(1, |log| log as usize + 1);
        let heads: Vec<&StepHead> = (first..first.saturating_add(window))
            .map_while(|step| transcript.head(step))
            .collect();
        let columns = Columns::of(&heads, usize::from(area.width / 3));
        let numbered = steps.iter().enumerate().skip(first);
        for (((index, step), head), y) in numbered.zip(heads).zip(area.y..) {
            let here = index == current;
            let failed = is_failure(step);
            let style = if failed {
                self.style(Role::Error)
            } else {
                self.style(kind_role(head.kind))
            };
            let style = if here {
                style.patch(self.style(Role::Cursor))
            } else {
                style
            };
            if here {
                paint(buffer, (area.x, y), area.width, self.style(Role::Cursor));
            }
            let mark = if here { "▸" } else { " " };
            let right = columns.line(head);
            let taken = u16::try_from(right.chars().count()).unwrap_or(0);
            let said = format!("{mark}{:>digits$} {}", index + 1, words(head));
            put(
                buffer,
                (area.x, y),
                area.width.saturating_sub(taken),
                &said,
                style,
            );
            put_right(buffer, (area.x, y), area.width, &right, style);
        }
    }

    fn text(
        &self,
        buffer: &mut Buffer,
        area: Area,
        (steps, transcript): (&[Step], &Transcript),
        at: Position,
    ) {
        let bottom = area.y + area.height;
        let (mut y, mut row, mut skip) = (area.y, at.row, at.line);
        while y < bottom {
            let Some(found) = transcript.row(row) else {
                break;
            };
            let place = Area {
                y,
                height: bottom - y,
                ..area
            };
            y += match found {
                Row::Head(index) => {
                    if let Some(step) = steps.get(index) {
                        self.head(buffer, place, index, step, transcript);
                    }
                    1
                }
                Row::Text(..) | Row::Args(..) => {
                    let role = if matches!(found, Row::Args(..)) {
                        Role::SyntaxString
                    } else {
                        Role::Text
                    };
                    let styles = text_lines::Styles {
                        base: self.style(role),
                        control: self.style(Role::Control),
                        found: self.style(Role::Match),
                    };
                    let line = transcript.line(steps, found);
                    text_lines::draw(buffer, place, line, skip, &self.model.steps.search, &styles)
                        .max(1)
                }
            };
            row += 1;
            skip = 0;
        }
    }

    fn head(
        &self,
        buffer: &mut Buffer,
        area: Area,
        index: usize,
        step: &Step,
        transcript: &Transcript,
    ) {
        let style = self.style(if is_failure(step) {
            Role::Error
        } else {
            Role::FileHeader
        });
        paint(buffer, (area.x, area.y), area.width, style);
        let Some(head) = transcript.head(index) else {
            return;
        };
        let folded = transcript.is_folded(index);
        let mut said = format!(
            "{} {} {}",
            if folded { "▸" } else { "▾" },
            index + 1,
            head.kind.word()
        );
        if let Some(role) = step
            .role
            .as_deref()
            .filter(|role| *role != head.kind.word())
        {
            said.push_str(&format!(" ({})", text::sanitize_line(role)));
        }
        if let Some(tool) = &head.tool {
            said.push_str(&format!(" {}", text::sanitize_line(tool)));
        }
        if let Some(answers) = &head.answers {
            said.push_str(&place(answers));
            let call = text::cut(&answers.call, CALL);
            if !call.is_empty() {
                said.push_str(&format!(" · {call}"));
            }
        }
        if folded {
            said.push_str(&format!(" · folded, {} bytes", step.text.len()));
        } else if step.text.is_empty() && step.args.is_none() {
            said.push_str(" · no text");
        }
        let right = all_figures(head);
        let taken = u16::try_from(right.chars().count())
            .unwrap_or(0)
            .min(area.width);
        put(buffer, (area.x, area.y), area.width - taken, &said, style);
        put_right(buffer, (area.x, area.y), area.width, &right, style);
    }
}

fn kind_role(kind: StepKind) -> Role {
    match kind {
        StepKind::System | StepKind::Observation | StepKind::Other => Role::Dim,
        StepKind::ToolCall | StepKind::User | StepKind::Message | StepKind::Reasoning => Role::Text,
        StepKind::Submit => Role::Strong,
    }
}

/// Kind, tool and gist: what tells the step apart comes before what may be cut.
fn words(head: &StepHead) -> String {
    let kind = match head.kind {
        StepKind::ToolCall => "call",
        StepKind::Observation => "  obs",
        kind => kind.word(),
    };
    // The answer to a single call follows it: the call says whose it is.
    let alone = matches!(&head.answers, Some(answers) if answers.place.is_none());
    let tool = head.tool.as_deref().filter(|_| !alone);
    let tool = tool.map_or(String::new(), |tool| {
        format!("{} ", text::sanitize_line(tool))
    });
    let place = head.answers.as_ref().map(place).unwrap_or_default();
    let place = match place.trim_start() {
        "" => String::new(),
        place => format!("{place} "),
    };
    format!("{kind} {tool}{place}{}", text::sanitize_line(&head.gist))
}

/// Which of several calls made at once is answered: ` · 2 of 3`; nothing for one made alone.
fn place(answers: &Answered) -> String {
    match answers.place {
        Some((place, count)) => format!(" · {place} of {count}"),
        None => String::new(),
    }
}

/// Cells of the call that a head names.
const CALL: usize = 60;

/// Whether it was cut off, exit code, duration, tokens, cost: what counts most comes first.
type Figures = [String; 5];

fn figures(head: &StepHead) -> Figures {
    let exit = head.exit_code.map(|code| match code {
        0 => "exit 0".to_owned(),
        code => format!("✗ exit {code}"),
    });
    [
        if head.truncated { "cut off" } else { "" }.to_owned(),
        exit.unwrap_or_default(),
        head.ms.map(duration).unwrap_or_default(),
        head.tokens.map(tokens).unwrap_or_default(),
        head.cost_usd.map(cost).unwrap_or_default(),
    ]
}

/// Everything that is known of a step, with a blank before each; the time last.
fn all_figures(head: &StepHead) -> String {
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
struct Columns([usize; 5]);

impl Columns {
    /// The columns of these steps in at most `room` cells.
    fn of(heads: &[&StepHead], room: usize) -> Self {
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
    fn line(&self, head: &StepHead) -> String {
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
            said.starts_with(" cut off ✗ exit 1 $1.50 2026-01-02T03:04:05"),
            "{said}"
        );
        assert!(!said.contains('\u{1b}'));
        assert_eq!(all_figures(&StepHead::of(&Step::default())), "");
    }

    #[test]
    fn answers_to_calls_made_at_once_say_which() {
        let head = |place| StepHead {
            answers: Some(Answered {
                call: "ls".to_owned(),
                place,
            }),
            ..StepHead::of(&Step {
                kind: Some(StepKind::Observation),
                text: "a.py".to_owned(),
                tool: Some("bash".to_owned()),
                ..Step::default()
            })
        };
        assert_eq!(words(&head(Some((2, 3)))), "  obs bash · 2 of 3 a.py");
        assert_eq!(words(&head(None)), "  obs a.py");
    }

    #[test]
    fn durations_are_short() {
        assert_eq!(duration(12), "12ms");
        assert_eq!(duration(1234), "1.2s");
        assert_eq!(duration(61_000), "1m01s");
    }
}
