//! The lines over the ranking: the group, what was judged, and its figures.

use ratatui::buffer::Buffer;

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
use crate::tui::widgets::line::{put, put_parts, put_right};

/// The word of a level of confidence.
fn confidence(level: u8) -> &'static str {
    match level {
        1 => "low",
        2 => "medium",
        _ => "high",
    }
}

/// What stands between the parts of the header.
const SEPARATOR: &str = " · ";

/// Most cells of a reason in the header.
const REASON: usize = 24;

impl Page<'_> {
    /// Group, counts and what the person did come first; what may be cut comes last.
    pub(super) fn header(&self, buffer: &mut Buffer, area: Area) {
        let counts = self.counts();
        let yours = self.yours();
        // The name gives way, so that counts and state are whole on the narrowest screen.
        let word = blind::word(self.session, self.group);
        let blind = word.map_or(0, |word| word.chars().count() + SEPARATOR.chars().count());
        let rest =
            counts.chars().count() + yours.chars().count() + 2 * SEPARATOR.chars().count() + blind;
        let free = usize::from(area.width).saturating_sub(rest);
        let name = text::cut(self.data.id.as_str(), free.clamp(12, 40));
        let text = self.style(Role::Text);
        let mut parts = vec![
            (name, self.style(Role::Title)),
            (counts, text),
            (yours, self.style(Role::Strong)),
        ];
        if self.reviewed.shown.origin == Origin::AcceptedGrader {
            parts.push(("accepted from grader".to_owned(), text));
        }
        if let Some(word) = word {
            parts.insert(1, (word.to_owned(), self.style(Role::Strong)));
        }
        if !self.session.is_hidden(self.group) {
            parts.push((self.grader(), text));
        }
        if self.session.is_revealed(self.group) {
            let said = "revealed: changes are recorded as after reveal";
            parts.push((said.to_owned(), self.style(Role::Info)));
        }
        let taken: usize = parts.iter().map(|(text, _)| text::width(text) + 3).sum();
        let room = usize::from(area.width).saturating_sub(taken);
        let work = self.work();
        let has_work = work.iter().any(|work| text::width(work) <= room);
        if let Some(work) = work.into_iter().find(|work| text::width(work) <= room) {
            parts.push((work, text));
        }
        // What is left to do is of more use than why the group is work.
        if self.reviewed.class.is_kept() && !has_work {
            parts.push((self.reviewed.class.reason().to_owned(), text));
        }
        let figures = self.figures();
        let separator = (SEPARATOR.to_owned(), self.style(Role::Dim));
        let parts: Vec<_> = parts
            .into_iter()
            .enumerate()
            .flat_map(|(place, part)| {
                let before = (place > 0).then(|| separator.clone());
                before.into_iter().chain([part])
            })
            .collect();
        let used = put_parts(buffer, (area.x, area.y), area.width, &parts);
        let style = self.style(Role::Info);
        if area.height > 1 {
            put(buffer, (area.x, area.y + 1), area.width, &figures, style);
        } else {
            let free = area.width.saturating_sub(used + 2);
            put_right(buffer, (area.x + used + 2, area.y), free, &figures, style);
        }
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

    fn grader(&self) -> String {
        let answers = self.session.answers(self.group);
        let Some(answer) = self.session.answer(self.group) else {
            return "no grader answer".to_owned();
        };
        let mut said = format!("grader {}", text::sanitize_line(&answer.grader.name));
        if answers.len() > 1 {
            let place = answers
                .iter()
                .position(|other| std::ptr::eq(other, answer))
                .unwrap_or(0);
            said = format!("answer {} of {}, {said}", place + 1, answers.len());
        }
        if answer.ranking.is_none() {
            said.push_str(&format!(": {}", text::sanitize_line(&answer.status)));
        }
        said
    }

    fn yours(&self) -> String {
        let state = self.session.state(self.group);
        let row = self.session.rows().get(self.group);
        let mut said = format!("you: {}", state.word());
        let reasons = row.map(|row| (row.skipped.as_deref(), row.flagged.as_deref()));
        let (skipped, flagged) = reasons.unwrap_or_default();
        if let Some(reason) = skipped.filter(|reason| !reason.is_empty()) {
            said.push_str(&format!(
                " ({})",
                text::cut(&text::sanitize_line(reason), REASON)
            ));
        }
        match flagged {
            Some("") => said.push_str(" * flagged"),
            Some(reason) => {
                let reason = text::cut(&text::sanitize_line(reason), REASON);
                said.push_str(&format!(" * flagged ({reason})"));
            }
            None => {}
        }
        let judgement = self.session.judgement(self.group);
        if let Some(level) = judgement.and_then(|judgement| judgement.confidence) {
            said.push_str(&format!(", {} confidence", confidence(level)));
        }
        said
    }

    /// How far the work is, when that is of interest: with the rate and without.
    fn work(&self) -> Vec<String> {
        let work = self.model.groups.totals.work;
        match work.submitted + work.skipped > 0 && work.total > 1 {
            true => vec![work.in_words(), work.in_short()],
            false => Vec::new(),
        }
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
