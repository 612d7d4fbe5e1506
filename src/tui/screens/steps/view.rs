//! Drawing the steps screen: title, transcripts, and what there is to say without them.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::figures::all_figures;
use super::list::{List, place};
use super::panels::hidden_words;
use super::state::Key;
use super::transcript::{Row, Transcript};
use super::update::{beside, columns, layout, shown, steps_of, transcript_of};
use crate::domain::{Step, Trajectory};
use crate::tui::action::Action;
use crate::tui::area::Area;
use crate::tui::blind;
use crate::tui::model::Model;
use crate::tui::screens::compare::letter;
use crate::tui::scroll::Position;
use crate::tui::text;
use crate::tui::theme::{Role, Theme};
use crate::tui::widgets::line::{paint, put, put_line, put_right};
use crate::tui::widgets::text_lines;

/// Cells of the call that a head names.
const CALL: usize = 60;

/// Draws the screen into `area`.
pub fn draw(model: &Model, theme: &Theme, buffer: &mut Buffer, area: Rect) {
    let layout = layout(model);
    let page = Page { model, theme };
    page.title(buffer, layout.title);
    let keys = columns(model);
    if let Some(said) = nothing_opened(model) {
        let width = area.width;
        let at = (layout.list.x, layout.list.y);
        put(buffer, at, width, &said, theme.style(Role::Dim));
        return;
    }
    if let Some(of) = shown(model)
        && layout.list.width > 0
        && let Some((transcript, steps, at)) = transcript_of(model, of)
    {
        let list = List {
            model,
            theme,
            of,
            transcript,
            steps,
            current: transcript.step_at(at.row),
        };
        list.draw(buffer, layout.list);
    }
    for (place, (&key, &column)) in keys.iter().zip(layout.columns()).enumerate() {
        if let Some(x) = column.x.checked_sub(1) {
            for y in column.y..column.y + column.height {
                put(buffer, (x, y), 1, "│", theme.style(Role::Border));
            }
        }
        if keys.len() > 1 {
            page.column_head(buffer, column, key);
        }
        page.column(buffer, layout.text(place), key);
    }
}

/// What is said when there are no texts to show.
fn nothing_opened(model: &Model) -> Option<String> {
    let Some(of) = shown(model) else {
        return Some("there is no rollout whose steps could be read".to_owned());
    };
    let group = of.0;
    if let Some((failed, reason)) = &model.open_failed
        && *failed == group
    {
        let reason = text::sanitize_line(reason);
        return Some(format!("the steps cannot be read: {reason}"));
    }
    let session = model.session.as_ref();
    if session.is_some_and(|session| session.is_gone(group)) {
        let key = model.keymap.key_of(Action::Back).unwrap_or_default();
        return Some(format!(
            "the rollouts of this group are gone; {key} leads back"
        ));
    }
    if transcript_of(model, of).is_some() {
        return None;
    }
    Some(match model.opened(group) {
        Some(_) => "no steps of this rollout were found".to_owned(),
        None => "opening the steps …".to_owned(),
    })
}

struct Page<'a> {
    model: &'a Model,
    theme: &'a Theme,
}

impl Page<'_> {
    fn style(&self, role: Role) -> Style {
        self.theme.style(role)
    }

    fn trajectory(&self, (group, index): Key) -> Option<&Trajectory> {
        let session = self.model.session.as_ref()?;
        session.group(group)?.trajectories.get(index)
    }

    /// Letter, id and outcome of a trajectory.
    fn facts(&self, key: Key) -> String {
        let Some(trajectory) = self.trajectory(key) else {
            return String::new();
        };
        let mut facts = letter(key.1);
        // In a blind group the letter is all that is known.
        if trajectory.id.as_str() != facts {
            facts.push_str(&format!(" {}", text::sanitize_line(trajectory.id.as_str())));
        }
        facts.push_str(&format!(" · {}", trajectory.outcome.word()));
        if let Some(status) = &trajectory.exit_status {
            facts.push_str(&format!(" · exit {}", text::sanitize_line(status)));
        }
        facts
    }

    /// Where a trajectory is read, and what is hidden of it.
    fn progress(&self, key: Key) -> String {
        let Some((transcript, _, at)) = transcript_of(self.model, key) else {
            return String::new();
        };
        if transcript.steps() == 0 {
            return String::new();
        }
        let hidden = hidden_words(transcript, self.model.steps.hidden);
        let hidden = match hidden.as_str() {
            "" => String::new(),
            words => format!(" {words} ·"),
        };
        if transcript.is_empty() {
            return format!("{hidden} none of {} steps", transcript.steps());
        }
        let step = transcript.step_at(at.row) + 1;
        format!("{hidden} step {step} of {}", transcript.steps())
    }

    fn title(&self, buffer: &mut Buffer, area: Area) {
        let header = self.style(Role::Header);
        paint(buffer, (area.x, area.y), area.width, header);
        let (Some(key), Some(session)) = (shown(self.model), &self.model.session) else {
            return;
        };
        let Some(data) = session.group(key.0) else {
            return;
        };
        let (facts, right) = if beside(self.model).is_some() {
            let together = if self.model.steps.together {
                " · step by step"
            } else {
                ""
            };
            (format!(" · two trajectories{together}"), String::new())
        } else {
            (format!(" · {}", self.facts(key)), self.progress(key))
        };
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

    /// The line above one of two transcripts.
    fn column_head(&self, buffer: &mut Buffer, area: Area, key: Key) {
        let is_focused = shown(self.model) == Some(key);
        let (mark, role) = if is_focused {
            ("▸ ", Role::FocusedBorder)
        } else {
            ("  ", Role::Dim)
        };
        let style = self.style(role);
        // The title above both has no room for what is hidden of each, nor has this line for words.
        let right = transcript_of(self.model, key).map_or_else(String::new, |found| {
            let (transcript, _, at) = found;
            let all = transcript.steps();
            let hidden = match all - transcript.visible().len() {
                0 => String::new(),
                count => format!(" ({count} hidden)"),
            };
            let step = transcript.step_at(at.row) + usize::from(!transcript.is_empty());
            format!(" {step} of {all}{hidden}")
        });
        let taken = u16::try_from(right.chars().count()).unwrap_or(0);
        let said = format!("{mark}{}", self.facts(key));
        let width = area.width.saturating_sub(taken);
        put(buffer, (area.x, area.y), width, &said, style);
        put_right(buffer, (area.x, area.y), area.width, &right, style);
    }

    /// A transcript, or why there is none.
    fn column(&self, buffer: &mut Buffer, area: Area, key: Key) {
        let found = transcript_of(self.model, key);
        let said = match found {
            Some((transcript, steps, at)) if !transcript.is_empty() => {
                return self.text(buffer, area, (steps, transcript), at);
            }
            Some((_, [_, ..], _)) => {
                let key = self.model.keymap.key_of(Action::FilterKinds);
                let key = key.unwrap_or_default();
                format!("every step is of a hidden kind; {key} shows kinds")
            }
            _ if steps_of(self.model, key).is_some_and(<[Step]>::is_empty) => {
                let opened = self.model.opened(key.0);
                let problem = opened.and_then(|opened| opened.content.problems.first());
                problem.map_or_else(
                    || "no trace is recorded for this trajectory".to_owned(),
                    |problem| {
                        let said = blind::sentence(self.model, Some(key.0), problem);
                        format!("the steps cannot be read: {said}")
                    },
                )
            }
            _ => "no steps of this rollout were found".to_owned(),
        };
        let style = self.style(Role::Dim);
        put_line(buffer, area, &said, style);
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
                    let shown = transcript.line(steps, found);
                    let pattern = self.model.steps.search.pattern.as_ref();
                    let places =
                        pattern.map_or_else(Vec::new, |pattern| pattern.places(&shown.text));
                    let line = text_lines::Line {
                        text: &shown.text,
                        looks: &shown.looks,
                        places: &places,
                    };
                    text_lines::draw_line(buffer, place, &line, skip, &styles, self.theme).max(1)
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
        let style = self.style(if step.is_failure() {
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
        if head.edits {
            said.push_str(" · ✎ edit");
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
