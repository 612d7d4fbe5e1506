//! Drawing the rankings: the columns that are seen, then the differences that are seen.

use ratatui::buffer::Buffer;

use super::board::{Board, Column, Difference};
use super::{is_hidden, left_out};
use crate::domain::TrajectoryIndex;
use crate::tui::area::Area;
use crate::tui::model::Model;
use crate::tui::screens::compare::candidates::letter;
use crate::tui::text;
use crate::tui::theme::{Role, Theme};
use crate::tui::widgets::line::{paint, put, put_line};

/// Cells of a column at least, its gap included.
const NARROWEST: u16 = 20;
/// The mark of a candidate in a flipped pair.
pub const FLIPPED: &str = "⇅";

/// How many columns fit; the last of them is always the settlement.
pub fn columns_seen(area: Area, count: usize) -> usize {
    usize::from(area.width / NARROWEST).clamp(1, count.max(1))
}

/// The columns that are seen of `count`: raters from `first` on, then the settlement, which stays
/// at the right whatever is scrolled.
fn visible(first: usize, seen: usize, count: usize) -> impl Iterator<Item = usize> {
    let settlement = count.checked_sub(1);
    let raters = seen.saturating_sub(1);
    (first..first + raters).chain(settlement)
}

/// Rows of the tallest column, of at most `height` rows half.
fn tall(board: &Board, area: Area) -> u16 {
    let rows = |column: &Column| {
        let ranking = column.ranking.as_ref();
        ranking.map_or(1, |ranking| ranking.ranked() + 1)
    };
    let most = board.columns.iter().map(rows).max().unwrap_or(0);
    let most = u16::try_from(most).unwrap_or(u16::MAX);
    most.min((area.height.saturating_sub(2) * 2 / 3).max(1))
}

/// How many lines of differences fit.
pub fn differences_seen(area: Area, board: &Board) -> usize {
    usize::from(area.height.saturating_sub(2 + tall(board, area)))
}

/// Draws the body into `area`.
pub fn draw(model: &Model, theme: &Theme, buffer: &mut Buffer, area: Area) {
    let (head, rest) = area.split_top(1);
    let header = theme.style(Role::Header);
    paint(buffer, (head.x, head.y), head.width, header);
    let state = &model.compare.rankings;
    let Some(board) = &state.board else {
        let said = match is_hidden(model) {
            true => "Hidden in a blind review until you submit and reveal the group.",
            false => "no group is open",
        };
        put_line(buffer, rest, said, theme.style(Role::Dim));
        return;
    };
    let count = board.columns.len();
    let seen = columns_seen(area, count);
    let mut said = format!("rankings · {}", text::sanitize_line(&board.provenance));
    if seen < count {
        let (raters, from) = (count - 1, state.first_column + 1);
        let to = state.first_column + seen.saturating_sub(1);
        // The words before it may be long, and are read elsewhere too.
        let place = format!(" · raters {from}-{to} of {raters}");
        let room = usize::from(head.width).saturating_sub(text::width(&place));
        said = text::cut(&said, room) + &place;
    }
    put_line(buffer, head, &said, header);
    let wide = rest.width / u16::try_from(seen).unwrap_or(1).max(1);
    let height = tall(board, area);
    let columns = visible(state.first_column, seen, count)
        .filter_map(|at| Some((at, board.columns.get(at)?)));
    for ((at, column), x) in columns.zip((rest.x..).step_by(usize::from(wide.max(1)))) {
        let place = Area {
            x,
            y: rest.y,
            width: wide.saturating_sub(1),
            height: height + 1,
        };
        let is_focused = at == state.focused;
        draw_column(model, theme, buffer, place, column, is_focused);
    }
    let (_, list) = rest.split_top(height + 1);
    let lines = board.differences.iter().skip(state.first);
    for (line, y) in lines.zip(list.y..list.y + list.height) {
        let (indent, text_of, role) = match line {
            Difference::Rater(text) => (0, text, Role::Strong),
            Difference::Flipped(text) => (2, text, Role::Warning),
            Difference::None(text) => (2, text, Role::Dim),
        };
        let mark = match line {
            Difference::Flipped(_) => format!("{FLIPPED} "),
            _ => String::new(),
        };
        let said = format!("{mark}{}", text::sanitize_line(text_of));
        let width = list.width.saturating_sub(indent);
        put(
            buffer,
            (list.x + indent, y),
            width,
            &said,
            theme.style(role),
        );
    }
}

fn draw_column(
    model: &Model,
    theme: &Theme,
    buffer: &mut Buffer,
    area: Area,
    column: &Column,
    is_focused: bool,
) {
    let (mark, role) = match is_focused {
        true => ("▸", Role::FocusedBorder),
        false => (" ", Role::Header),
    };
    let title = format!("{mark}{}", text::sanitize_line(&column.title));
    put(
        buffer,
        (area.x, area.y),
        area.width,
        &title,
        theme.style(role),
    );
    let Some(ranking) = &column.ranking else {
        let at = (area.x + 1, area.y + 1);
        put(buffer, at, area.width, "no ranking", theme.style(Role::Dim));
        return;
    };
    let mut lines: Vec<(String, TrajectoryIndex)> = Vec::new();
    for tier in ranking.tiers() {
        let tied = if tier.len() > 1 { "=" } else { " " };
        for &index in tier {
            let rank = ranking.rank_of(index).unwrap_or(0);
            lines.push((format!("{rank:>2}{tied}"), index));
        }
    }
    let rest = left_out(model, ranking).into_iter();
    lines.extend(rest.map(|index| (" - ".to_owned(), index)));
    let session = model.session.as_ref().zip(model.compare.group);
    let data = session.and_then(|(session, group)| session.group(group));
    let bottom = area.y + area.height;
    for ((rank, index), y) in lines.into_iter().zip(area.y + 1..bottom) {
        let is_flipped = column.flipped.contains(&index);
        let sign = if is_flipped { FLIPPED } else { " " };
        let name = data.and_then(|data| data.trajectories.get(index));
        let name = name.map_or_else(String::new, |found| text::sanitize_line(found.id.as_str()));
        let is_focused = model.compare.focus() == Some(index);
        let mark = if is_focused { "▸" } else { " " };
        let said = format!("{mark}{rank}{sign}{} {name}", letter(index));
        let role = match is_flipped {
            true => Role::Warning,
            false => Role::Text,
        };
        put(buffer, (area.x, y), area.width, &said, theme.style(role));
        if is_focused {
            paint(buffer, (area.x, y), area.width, theme.style(Role::Cursor));
        }
    }
}
