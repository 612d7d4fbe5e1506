//! Drawing this screen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::state::{Row, State};
use super::update::list;
use crate::domain::Outcome;
use crate::review::{ReviewSession, Verdict};
use crate::tui::action::Action;
use crate::tui::model::Model;
use crate::tui::screens::compare::letter;
use crate::tui::text;
use crate::tui::theme::{Role, Theme};
use crate::tui::widgets::diff_lines::remark_sign;
use crate::tui::widgets::line::{paint, put, put_right};

/// Draws the screen.
pub fn draw(model: &Model, theme: &Theme, buffer: &mut Buffer, area: Rect) {
    let state = &model.remarks;
    let width = area.width.saturating_sub(2);
    let x = area.x + 1;
    put(
        buffer,
        (x, area.y),
        width,
        &counts(state),
        theme.style(Role::Title),
    );
    let (said, role) = second_line(model);
    put(buffer, (x, area.y + 1), width, &said, theme.style(role));
    let Some(session) = &model.session else {
        return;
    };
    let list = list(model);
    let columns = Columns::of(list.width);
    let header = theme.style(Role::Header);
    paint(buffer, (area.x, area.y + 2), area.width, header);
    columns.draw(
        buffer,
        area.y + 2,
        ["", "rule", "group", "", "place", "why"].map(str::to_owned),
        |_| header,
    );
    if state.shown.is_empty() {
        let said = nothing(model);
        put(
            buffer,
            (x, list.y + 1),
            width,
            &said,
            theme.style(Role::Dim),
        );
        return;
    }
    let rows = state.shown.iter().enumerate().skip(state.first);
    for ((place, &index), y) in rows.zip(list.y..list.y + list.height) {
        let Some(row) = state.rows.get(index) else {
            continue;
        };
        let verdict = session.remark_verdict(row.group, &row.remark);
        let cells = cells(session, row, verdict);
        let style = |column: usize| match (column, verdict) {
            (0, _) => theme.style(Role::Finding),
            (_, Some(_)) => theme.style(Role::Dim),
            (2, None) => theme.style(Role::Dim),
            _ => theme.style(Role::Text),
        };
        columns.draw(buffer, y, cells, style);
        if place == state.cursor {
            paint(buffer, (list.x, y), list.width, theme.style(Role::Cursor));
            put(buffer, (list.x, y), 1, "▸", theme.style(Role::Cursor));
        }
    }
    let below = state
        .shown
        .len()
        .saturating_sub(state.first + usize::from(list.height));
    if below > 0 {
        let said = format!("{} of {} ", state.cursor + 1, state.shown.len());
        put_right(
            buffer,
            (area.x, area.y),
            area.width,
            &said,
            theme.style(Role::Dim),
        );
    }
}

/// How many remarks there are, are shown and are judged.
fn counts(state: &State) -> String {
    let totals = state.totals;
    let open = totals.remarks - totals.confirmed - totals.dismissed;
    let artefacts = match state.artefacts {
        true => "",
        false => " hidden",
    };
    format!(
        "{} of {} remarks · {open} open · {} confirmed · {} dismissed · {} artefacts{artefacts}",
        state.shown.len(),
        totals.remarks,
        totals.confirmed,
        totals.dismissed,
        totals.artefacts
    )
}

/// How far the asking is, else what is filtered, else what the list is.
fn second_line(model: &Model) -> (String, Role) {
    let state = &model.remarks;
    let asking = state.asking;
    let mut told = Vec::new();
    if asking.runs {
        let percent = asking.done * 100 / asking.groups.max(1);
        let mut said = format!("◐ {percent}% · {} of {} groups", asking.done, asking.groups);
        // An estimate from the first groups would jump about.
        if asking.done > 0 && percent >= 5 {
            let left = asking.elapsed.as_millis() * (asking.groups - asking.done) as u128;
            let left = left / asking.done as u128;
            said.push_str(&format!(" · {}s left", left.div_ceil(1000)));
        }
        let key = model.keymap.key_of(Action::Back).unwrap_or_default();
        told.push(format!("{said} · {key} stops"));
    } else if asking.stopped {
        let key = model.keymap.key_of(Action::OpenRemarks).unwrap_or_default();
        told.push(format!(
            "stopped after {} of {} groups · {key} goes on",
            asking.done, asking.groups
        ));
    }
    if !state.filter.text().is_empty() {
        told.push(format!(
            "filter: {}",
            text::sanitize_line(state.filter.text())
        ));
    }
    if state.passing_only {
        told.push("passing only".to_owned());
    }
    if state.open_only {
        told.push("open only".to_owned());
    }
    if state.problems > 0 {
        told.push(format!("{} groups could not be read", state.problems));
    }
    match told.is_empty() {
        true => (
            "places to look at, never verdicts; what is worth most comes first".to_owned(),
            Role::Dim,
        ),
        false => (told.join(" · "), Role::Info),
    }
}

/// What stands where there is no remark to list.
fn nothing(model: &Model) -> String {
    let state = &model.remarks;
    let key = |action| model.keymap.key_of(action).unwrap_or_default();
    if state.asking.runs {
        "the rules are being asked …".to_owned()
    } else if state.rows.is_empty() {
        "the rules point at nothing in what is loaded".to_owned()
    } else {
        let (filter, passing) = (key(Action::RemarkFilter), key(Action::PassingOnly));
        let (open, artefacts) = (key(Action::OpenOnly), key(Action::Artefacts));
        format!(
            "none of {} is shown: {filter} filter, {passing} passing, {open} open, {artefacts} artefacts",
            state.rows.len()
        )
    }
}

/// Verdict and level, rule, group, candidate, place, reason.
fn cells(session: &ReviewSession, row: &Row, verdict: Option<Verdict>) -> [String; 6] {
    let remark = &row.remark;
    let group = session.group(row.group);
    let said = match verdict {
        Some(Verdict::Confirmed) => "✓",
        Some(Verdict::Dismissed) => "✗",
        None => " ",
    };
    let of = group.and_then(|group| group.trajectories.get(remark.trajectory));
    let outcome = match of.map(|of| of.outcome) {
        Some(Outcome::Pass) => "●",
        Some(Outcome::Fail) => "○",
        Some(Outcome::Unscored) | None => "?",
    };
    let candidate = match remark.also.len() {
        0 => format!("{} {outcome}", letter(remark.trajectory)),
        more => format!("×{}", more + 1),
    };
    let id = group.map_or(String::new(), |group| {
        text::sanitize_line(group.id.as_str())
    });
    [
        format!("{said} {}", remark_sign(remark.level)),
        remark.rule.to_owned(),
        id,
        candidate,
        text::sanitize_line(&remark.place()),
        text::sanitize_line(&remark.reason),
    ]
}

/// Where the columns stand: (first cell, width).
struct Columns([(u16, u16); 6]);

impl Columns {
    fn of(width: u16) -> Self {
        let rule = 18;
        let free = width.saturating_sub(2 + 3 + rule + 5 + 6);
        // Group, place and reason share what is left.
        let group = (free / 4).min(30);
        let place = (free / 3).min(44);
        let reason = free.saturating_sub(group + place);
        let mut x = 2;
        Self([3, rule, group, 5, place, reason].map(|width| {
            let column = (x, width);
            x += width + 1;
            column
        }))
    }

    fn draw(
        &self,
        buffer: &mut Buffer,
        y: u16,
        cells: [String; 6],
        style: impl Fn(usize) -> ratatui::style::Style,
    ) {
        for (index, ((x, width), cell)) in self.0.iter().zip(cells).enumerate() {
            // The end of a path and of an id tells two apart.
            let cell = match index {
                2 | 4 => tail(&cell, usize::from(*width)),
                _ => cell,
            };
            put(buffer, (*x, y), *width, &cell, style(index));
        }
    }
}

/// The end of a text that fits.
fn tail(text: &str, width: usize) -> String {
    let count = text.chars().count();
    if count <= width {
        return text.to_owned();
    }
    let skipped = count - width.saturating_sub(1);
    format!("…{}", text.chars().skip(skipped).collect::<String>())
}
