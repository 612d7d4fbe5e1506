//! What stands on the left of the steps screen: steps, places that match, or kinds.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use super::figures::Columns;
use super::heads::{Answered, StepHead};
use super::mouse::first_listed;
use super::panels;
use super::state::{Key, Panel};
use super::transcript::Transcript;
use crate::domain::{Step, StepKind};
use crate::tui::area::Area;
use crate::tui::model::Model;
use crate::tui::text;
use crate::tui::theme::{Role, Theme};
use crate::tui::widgets::line::{paint, put, put_line, put_right};

/// The list and what it is of.
pub(super) struct List<'a> {
    pub model: &'a Model,
    pub theme: &'a Theme,
    pub of: Key,
    pub transcript: &'a Transcript,
    pub steps: &'a [Step],
    /// The step that is read.
    pub current: usize,
}

impl List<'_> {
    /// Draws what is open of the three.
    pub(super) fn draw(&self, buffer: &mut Buffer, area: Area) {
        match self.model.steps.panel {
            Panel::Steps => self.steps(buffer, area),
            Panel::Hits => self.hits(buffer, area),
            Panel::Kinds(at) => self.kinds(buffer, area, at),
        }
    }

    fn style(&self, role: Role) -> Style {
        self.theme.style(role)
    }

    /// The style of a row, which is painted when the cursor is on it.
    fn row(&self, buffer: &mut Buffer, (area, y): (Area, u16), role: Role, here: bool) -> Style {
        if here {
            paint(buffer, (area.x, y), area.width, self.style(Role::Cursor));
            self.style(role).patch(self.style(Role::Cursor))
        } else {
            self.style(role)
        }
    }

    fn steps(&self, buffer: &mut Buffer, area: Area) {
        let transcript = self.transcript;
        let visible = transcript.visible();
        let window = usize::from(area.height);
        let current = visible.partition_point(|&step| step < self.current);
        let first = first_listed(current, window, visible.len());
        let digits = digits(transcript.steps());
        let shown = visible.iter().skip(first).take(window);
        let shown: Vec<(usize, &StepHead)> = shown
            .filter_map(|&step| Some((step, transcript.head(step)?)))
            .collect();
        let heads: Vec<&StepHead> = shown.iter().map(|(_, head)| *head).collect();
        let columns = Columns::of(&heads, usize::from(area.width / 3));
        for ((step, head), y) in shown.into_iter().zip(area.y..) {
            let here = step == self.current;
            let role = if head.failed {
                Role::Error
            } else {
                kind_role(head.kind)
            };
            let style = self.row(buffer, (area, y), role, here);
            let mark = if here { "▸" } else { " " };
            let right = columns.line(head);
            let taken = u16::try_from(right.chars().count()).unwrap_or(0);
            let said = format!("{mark}{:>digits$} {}", step + 1, words(head));
            let width = area.width.saturating_sub(taken);
            put(buffer, (area.x, y), width, &said, style);
            put_right(buffer, (area.x, y), area.width, &right, style);
        }
    }

    fn hits(&self, buffer: &mut Buffer, area: Area) {
        let (top, list) = area.split_top(1);
        let Some(hits) = self.model.steps.hits(self.of) else {
            let said = "searching …";
            put_line(buffer, top, said, self.style(Role::Dim));
            return;
        };
        let matches: usize = hits.found.iter().map(|(_, count)| count).sum();
        let pattern = text::sanitize_line(hits.pattern.text());
        let said = format!("{matches} in {} lines: {pattern}", hits.found.len());
        put_line(buffer, top, &said, self.style(Role::Header));
        let current = panels::current_hit(self.model, self.of).unwrap_or(0);
        let window = usize::from(list.height);
        let first = first_listed(current, window, hits.found.len());
        let shown = hits.found.iter().enumerate().skip(first);
        for ((place, (row, count)), y) in shown.zip(list.y..list.y + list.height) {
            let here = place == current;
            let role = if self.transcript.is_visible(row.step()) {
                Role::Text
            } else {
                Role::Dim
            };
            let style = self.row(buffer, (list, y), role, here);
            let (step, _, line) = row.place();
            let left = format!("{}{}:{}", if here { "▸" } else { " " }, step + 1, line + 1);
            let key = self.style(Role::LineNumber);
            let used = put(buffer, (list.x, y), list.width, &left, key) + 1;
            let times = if *count > 1 {
                format!(" ×{count}")
            } else {
                String::new()
            };
            let room = list.width.saturating_sub(used);
            let taken = u16::try_from(times.chars().count()).unwrap_or(0);
            let shown = self.transcript.line(self.steps, *row).text;
            let line = around(
                &shown,
                &hits.pattern.places(&shown),
                usize::from(room.saturating_sub(taken)),
            );
            put(
                buffer,
                (list.x + used, y),
                room.saturating_sub(taken),
                &line,
                style,
            );
            put_right(buffer, (list.x, y), list.width, &times, style);
        }
        if hits.found.is_empty() {
            let said = "nothing found";
            put_line(buffer, list, said, self.style(Role::Dim));
        }
    }

    fn kinds(&self, buffer: &mut Buffer, area: Area, at: usize) {
        let (top, list) = area.split_top(1);
        let said = "kinds of steps shown";
        put_line(buffer, top, said, self.style(Role::Header));
        for ((place, kind), y) in StepKind::ALL
            .iter()
            .enumerate()
            .zip(list.y..list.y + list.height)
        {
            let count = self.transcript.count_of(*kind);
            let role = if count == 0 { Role::Dim } else { Role::Text };
            let style = self.row(buffer, (list, y), role, place == at);
            let mark = if self.model.steps.hidden.has(*kind) {
                "[ ]"
            } else {
                "[x]"
            };
            let here = if place == at { "▸" } else { " " };
            let said = format!("{here}{mark} {:<12}{count:>6}", kind.word());
            put(buffer, (list.x, y), list.width, &said, style);
        }
    }
}

/// A line in `width` cells, from a little before its first place on when that stands further right.
fn around(line: &str, places: &[std::ops::Range<usize>], width: usize) -> String {
    let line_start = line.trim_start();
    let cut = line.len() - line_start.len();
    let at = places.first().map_or(0, |place| place.start);
    let end = places.first().map_or(0, |place| place.end);
    // A few cells are as many bytes or fewer.
    if end.saturating_sub(cut) < width {
        return text::cut(line_start, width);
    }
    let from = line.floor_char_boundary(at.saturating_sub(width / 3).max(cut));
    text::cut(&format!("…{}", &line[from..]), width)
}

/// Digits of the highest number.
pub(super) fn digits(count: usize) -> usize {
    count.checked_ilog10().map_or(1, |log| log as usize + 1)
}

pub(super) fn kind_role(kind: StepKind) -> Role {
    match kind {
        StepKind::System | StepKind::Observation | StepKind::Other => Role::Dim,
        StepKind::ToolCall | StepKind::User | StepKind::Message | StepKind::Reasoning => Role::Text,
        StepKind::Submit => Role::Strong,
    }
}

/// Kind, tool and gist: what tells the step apart comes before what may be cut.
fn words(head: &StepHead) -> String {
    let kind = match head.kind {
        StepKind::ToolCall if head.edits => "✎ edit",
        StepKind::ToolCall => "call",
        StepKind::Observation if head.failed => "✗ obs",
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
pub(super) fn place(answers: &Answered) -> String {
    match answers.place {
        Some((place, count)) => format!(" · {place} of {count}"),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a_place_further_right_is_seen() {
        let line = format!("  {}needle{}", "x".repeat(100), "y".repeat(100));
        let shown = around(&line, std::slice::from_ref(&(102..108)), 30);
        assert!(
            shown.starts_with('…') && shown.contains("needle"),
            "{shown}"
        );
        assert_eq!(
            around("  a needle", std::slice::from_ref(&(4..10)), 30),
            "a needle"
        );
    }
}
