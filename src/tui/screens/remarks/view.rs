//! Drawing this screen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::state::{Row, State};
use super::update::{foot, list};
use crate::domain::Outcome;
use crate::review::remark_list;
use crate::review::{ReviewSession, Verdict};
use crate::tui::action::Action;
use crate::tui::area::Area;
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
    head(state, theme, buffer, (x, area.y, width));
    let (said, role) = second_line(model);
    put(buffer, (x, area.y + 1), width, &said, theme.style(role));
    let Some(session) = &model.session else {
        return;
    };
    let list = list(model);
    let foot = foot(model);
    let columns = Columns::of(list.width, foot.height == 0, state.totals.by_others > 0);
    let header = theme.style(Role::Header);
    paint(buffer, (area.x, area.y + 2), area.width, header);
    columns.draw(
        buffer,
        area.y + 2,
        ["", "others", "rule", "group", "", "place", "why"].map(str::to_owned),
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
    let window = state.first..state.first + usize::from(list.height);
    for (place, y) in window.zip(list.y..) {
        let Some(row) = state.remarks(place).next() else {
            break;
        };
        let cells = cells(session, state, place, row);
        let is_judged = state.remarks(place).all(|row| row.said.own.is_some());
        let style = |column: usize| match column {
            0 => theme.style(Role::Finding),
            _ if is_judged => theme.style(Role::Dim),
            1 | 3 => theme.style(Role::Dim),
            _ => theme.style(Role::Text),
        };
        columns.draw(buffer, y, cells, style);
        if place == state.cursor {
            paint(buffer, (list.x, y), list.width, theme.style(Role::Cursor));
            put(buffer, (list.x, y), 1, "▸", theme.style(Role::Cursor));
        }
    }
    if foot.height > 0 {
        tell_chosen(state, theme, buffer, foot);
    }
}

/// The counts, and beside them where the cursor is when there is room for it.
fn head(state: &State, theme: &Theme, buffer: &mut Buffer, (x, y, width): (u16, u16, u16)) {
    let counts = counts(state, width);
    put(buffer, (x, y), width, &counts, theme.style(Role::Title));
    let at = format!("row {} of {}", state.cursor + 1, state.shown.len());
    let needed = text::width(&counts) + text::width(&at) + 2;
    if !state.shown.is_empty() && needed <= usize::from(width) {
        put_right(buffer, (x, y), width, &at, theme.style(Role::Dim));
    }
}

/// The place and the reason of the chosen remark, in full where they fit.
fn tell_chosen(state: &State, theme: &Theme, buffer: &mut Buffer, foot: Area) {
    let Some(row) = state.selected() else {
        return;
    };
    let width = foot.width.saturating_sub(2);
    let place = text::cut_middle(&place(state, state.cursor, row), usize::from(width));
    let lines = [
        (place, Role::Text),
        (text::sanitize_line(&row.remark.reason), Role::Dim),
    ];
    for ((line, role), y) in lines.into_iter().zip(foot.y..foot.y + foot.height) {
        put(buffer, (foot.x + 1, y), width, &line, theme.style(role));
    }
}

/// How many remarks there are, are shown and are judged; in fewer words where they do not fit.
fn counts(state: &State, width: u16) -> String {
    let totals = state.totals;
    let open = totals.remarks - totals.confirmed - totals.dismissed;
    let by_others = match totals.by_others {
        0 => String::new(),
        count => format!(" · {count} by others"),
    };
    let hidden = if state.artefacts { "" } else { " hidden" };
    let (listed, all) = (state.listed.len(), state.all());
    let (confirmed, dismissed) = (totals.confirmed, totals.dismissed);
    let artefacts = totals.artefacts;
    let long = format!(
        "{listed} of {all} remarks · {open} open · {confirmed} confirmed · {dismissed} dismissed\
         {by_others} · {artefacts} artefacts{hidden}"
    );
    if text::width(&long) <= usize::from(width) {
        return long;
    }
    let (yes, no) = (
        verdict_sign(Verdict::Confirmed),
        verdict_sign(Verdict::Dismissed),
    );
    format!(
        "{listed} of {all} · {open} open · {yes} {confirmed} · {no} {dismissed}{by_others} · \
         {artefacts} artefacts{hidden}"
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
            state.all()
        )
    }
}

/// Where a row points; untrusted text is made safe.
fn place(state: &State, at: usize, row: &Row) -> String {
    let remarks = state.remarks(at);
    let told = match remarks.clone().nth(1) {
        None => row.remark.place(),
        Some(_) => remark_list::places(remarks.map(|row| &row.remark)),
    };
    text::sanitize_line(&told)
}

fn verdict_sign(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Confirmed => "✓",
        Verdict::Dismissed => "✗",
    }
}

/// What others said: `✓ lead`, `✓✗ 2`; of a folded row how many of its remarks they judged.
fn others(state: &State, at: usize, row: &Row) -> String {
    let remarks = state.remarks(at);
    if remarks.clone().nth(1).is_some() {
        let judged = remarks.filter(|row| !row.said.others.is_empty()).count();
        return if judged > 0 {
            format!("{judged} judged")
        } else {
            String::new()
        };
    }
    match row.said.others.as_slice() {
        [] => String::new(),
        [(name, verdict)] => format!("{} {name}", verdict_sign(*verdict)),
        several => {
            let signs = [Verdict::Confirmed, Verdict::Dismissed].into_iter();
            let signs = signs.filter(|wanted| several.iter().any(|(_, said)| said == wanted));
            let signs: String = signs.map(verdict_sign).collect();
            format!("{signs} {}", several.len())
        }
    }
}

/// Verdict and level, what others said, rule, group, candidate, place, reason.
fn cells(session: &ReviewSession, state: &State, at: usize, row: &Row) -> [String; 7] {
    let remark = &row.remark;
    let group = session.group(row.group);
    let mut own = state.remarks(at).map(|row| row.said.own);
    let first = own.next().flatten();
    let said = match (first, own.all(|other| other == first)) {
        (Some(verdict), true) => verdict_sign(verdict),
        // Some of a folded row.
        (_, false) => "~",
        (None, true) => " ",
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
        text::sanitize_line(&others(state, at, row)),
        remark.rule.to_owned(),
        id,
        candidate,
        place(state, at, row),
        text::sanitize_line(&remark.reason),
    ]
}

/// Where the columns stand: (first cell, width); one of no width is left out.
struct Columns([(u16, u16); 7]);

impl Columns {
    fn of(width: u16, has_reason: bool, has_others: bool) -> Self {
        let (said, rule, candidate) = (3, 18, 5);
        let others = if has_others { 9 } else { 0 };
        let gap = |width: u16| if width > 0 { width + 1 } else { 0 };
        let taken = 2 + gap(said) + gap(others) + gap(rule) + gap(candidate);
        let free = width.saturating_sub(taken + 2);
        // Group, place and reason share what is left.
        let (group, place) = match has_reason {
            true => ((free / 4).min(30), (free / 3).min(44)),
            false => {
                let group = (free * 2 / 5).min(30);
                (group, free.saturating_sub(group + 1))
            }
        };
        let reason = match has_reason {
            true => free.saturating_sub(group + place + 2),
            false => 0,
        };
        let mut x = 2;
        Self(
            [said, others, rule, group, candidate, place, reason].map(|width| {
                let column = (x, width);
                x += gap(width);
                column
            }),
        )
    }

    fn draw(
        &self,
        buffer: &mut Buffer,
        y: u16,
        cells: [String; 7],
        style: impl Fn(usize) -> ratatui::style::Style,
    ) {
        let columns = self.0.iter().zip(cells).enumerate();
        for (index, ((x, width), cell)) in columns.filter(|(_, ((_, width), _))| *width > 0) {
            // Both ends of an id and of a path tell two apart.
            let cell = match index {
                3 | 5 => text::cut_middle(&cell, usize::from(*width)),
                _ => cell,
            };
            put(buffer, (*x, y), *width, &cell, style(index));
        }
    }
}
