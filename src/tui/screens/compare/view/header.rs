//! The lines over the ranking: the group, what was judged, and its figures.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use super::super::candidates::figures;
use super::super::update::opened;
use super::Page;
use crate::domain::redistribution::Status;
use crate::domain::{GroupClass, Outcome};
use crate::review::Origin;
use crate::tui::area::Area;
use crate::tui::blind;
use crate::tui::number::advantage;
use crate::tui::text;
use crate::tui::theme::Role;
use crate::tui::widgets::fitting::{Part, fitting};
use crate::tui::widgets::line::{put, put_parts, put_right};

/// The word of a level of confidence.
fn confidence(level: u8) -> &'static str {
    match level {
        1 => "low",
        2 => "medium",
        _ => "high",
    }
}

/// Cells that the group's name keeps on the narrowest screen, and most cells of it.
const LEAST_NAME: usize = 14;
const MOST_NAME: usize = 40;

/// Most cells of a reason in the header.
const REASON: usize = 24;

impl Page<'_> {
    /// What the person did and how many pass stand on every screen; what is less important stands
    /// whole or not at all.
    pub(super) fn header(&self, buffer: &mut Buffer, area: Area) {
        let figures = self.figures();
        let mut room = usize::from(area.width);
        if area.height == 1 {
            // The figures stand in the same line.
            room = room.saturating_sub(text::width(&figures) + 2).max(room / 2);
        }
        let parts = fitting(&self.parts(), room, self.style(Role::Dim));
        let used = put_parts(buffer, (area.x, area.y), area.width, &parts);
        let style = self.style(Role::Info);
        if area.height > 1 {
            put(buffer, (area.x, area.y + 1), area.width, &figures, style);
        } else {
            let free = area.width.saturating_sub(used + 2);
            put_right(buffer, (area.x + used + 2, area.y), free, &figures, style);
        }
    }

    /// The parts of the header, in their order.
    fn parts(&self) -> Vec<Part<Style>> {
        let (text, strong) = (self.style(Role::Text), self.style(Role::Strong));
        let name = |most| text::cut_middle(self.data.id.as_str(), most);
        let id = Part::new(1, name(LEAST_NAME), self.style(Role::Title));
        let mut parts = vec![id.or(4, name(MOST_NAME))];
        if let Some(word) = blind::word(self.session, self.group) {
            parts.push(match self.session.is_revealed(self.group) {
                true => Part::new(3, "revealed".to_owned(), strong)
                    .or(7, word.to_owned())
                    .or(10, format!("{word}: changes count as after reveal")),
                false => Part::new(3, word.to_owned(), strong),
            });
        }
        parts.push(Part::new(2, self.counts(), text));
        let yours = Part::new(0, self.yours(false), strong);
        parts.push(yours.or(6, self.yours(true)));
        if self.reviewed.shown.origin == Origin::AcceptedGrader {
            parts.push(Part::new(9, "accepted from grader".to_owned(), text));
        }
        if !self.session.is_hidden(self.group) {
            parts.push(self.grader(text));
        }
        let work = self.model.groups.totals.work;
        if work.submitted + work.skipped > 0 && work.total > 1 {
            parts.push(Part::new(5, work.in_short(), text).or(8, work.in_words()));
        } else if self.reviewed.class.is_kept() {
            // What is left to do is of more use than why the group is work.
            let reason = self.reviewed.class.reason().to_owned();
            parts.push(Part::new(11, reason, text));
        }
        parts
    }

    /// How many of all pass, and how many have no outcome.
    fn counts(&self) -> String {
        let count = |wanted| {
            let all = self.data.trajectories.iter();
            all.filter(|trajectory| trajectory.outcome == wanted)
                .count()
        };
        let all = self.data.trajectories.len();
        let unscored = count(Outcome::Unscored);
        if unscored == all {
            let plural = if all == 1 { "" } else { "s" };
            return format!("{all} candidate{plural}, none scored");
        }
        let mut said = format!("{}/{all} pass", count(Outcome::Pass));
        if unscored > 0 {
            said.push_str(&format!(" · {unscored} unscored"));
        }
        said
    }

    fn grader(&self, style: Style) -> Part<Style> {
        let answers = self.session.answers(self.group);
        let Some(answer) = self.session.answer(self.group) else {
            return Part::new(8, "no grader answer".to_owned(), style);
        };
        let mut name = format!("grader {}", text::sanitize_line(&answer.grader.name));
        if answer.ranking.is_none() {
            name.push_str(&format!(": {}", text::sanitize_line(&answer.status)));
        }
        if answers.len() < 2 {
            return Part::new(8, name, style);
        }
        let mut all = answers.iter();
        let place = all.position(|other| std::ptr::eq(other, answer));
        let which = format!("answer {} of {}", place.unwrap_or(0) + 1, answers.len());
        let whole = format!("{which}, {name}");
        Part::new(8, which, style).or(9, whole)
    }

    /// What the person did, with the reasons or without.
    fn yours(&self, with_reasons: bool) -> String {
        let state = self.session.state(self.group);
        let row = self.session.rows().get(self.group);
        let mut said = format!("you: {}", state.word());
        let reasons = row.map(|row| (row.skipped.as_deref(), row.flagged.as_deref()));
        let (skipped, flagged) = reasons.unwrap_or_default();
        if let Some(reason) = skipped.filter(|reason| with_reasons && !reason.is_empty()) {
            said.push_str(&format!(
                " ({})",
                text::cut(&text::sanitize_line(reason), REASON)
            ));
        }
        match flagged {
            Some(reason) if with_reasons && !reason.is_empty() => {
                let reason = text::cut(&text::sanitize_line(reason), REASON);
                said.push_str(&format!(" * flagged ({reason})"));
            }
            Some(_) => said.push_str(" * flagged"),
            None => {}
        }
        let judgement = self.session.judgement(self.group);
        if let Some(level) = judgement.and_then(|judgement| judgement.confidence) {
            said.push_str(&format!(", {} confidence", confidence(level)));
        }
        said
    }

    /// Why a group is dropped comes first: its figures follow from that.
    fn figures(&self) -> String {
        let mut said = match self.reviewed.class {
            // Without any reward there is nothing to redistribute, and nothing that is dropped.
            GroupClass::Unscored => String::new(),
            _ => self.credit(),
        };
        let judgement = self.session.judgement(self.group);
        if judgement.is_some_and(|judgement| !judgement.note.is_empty()) {
            said.push_str("  ✎ note");
        }
        let problems = opened(self.model).map_or(&[][..], |opened| &opened.content.problems);
        if let Some(first) = problems.first() {
            let count = problems.len();
            let first = blind::sentence(self.model, Some(self.group), first);
            said.push_str(&format!(
                "  ⚠ {count} unreadable: {}",
                text::cut(&first, 80)
            ));
        }
        said.trim_start().to_owned()
    }

    /// Why the group is dropped, else what its ranking does to the credit.
    fn credit(&self) -> String {
        let class = self.reviewed.class;
        let mut said = String::new();
        if !class.is_kept() {
            said.push_str(class.reason());
            said.push_str("  ");
        }
        let figures = match figures(self.data, self.reviewed) {
            Ok(figures) => figures,
            Err(reason) => return format!("{said}no advantages: {reason}"),
        };
        let (before, after) = (advantage(figures.before), advantage(figures.after));
        said.push_str(&format!("Σ passing {before} → {after}"));
        if let Some(effective) = figures.effective {
            said.push_str(&format!("  n_eff {effective:.1}/{}", figures.sharing));
        }
        match self.reviewed.credit_moved() {
            Some(moved) => said.push_str(&format!("  credit moved {}", advantage(moved))),
            None if !class.is_kept() => said.push_str("  not redistributed"),
            None => said.push_str(&format!("  not redistributed: {}", self.why_not())),
        }
        said
    }

    fn why_not(&self) -> &'static str {
        if self.reviewed.shown.ranking.is_empty() {
            return "nobody ranked";
        }
        match self
            .reviewed
            .redistributed
            .as_ref()
            .map(|after| after.status)
        {
            Ok(Status::Identity) => "all weights are equal",
            _ => "no ranked pass has a positive advantage",
        }
    }
}
