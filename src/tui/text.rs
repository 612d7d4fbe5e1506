//! Untrusted text to display cells: the only way rollout text reaches the terminal.
//!
//! Tabs become blanks up to the next stop; control, bidirectional and zero-width characters become
//! visible symbols; widths are counted by grapheme. No terminal type here.

use std::borrow::Cow;
use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Distance of tab stops.
pub const TAB: usize = 4;

/// One thing to draw: a grapheme, a tab's blanks, or the symbol of a control character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// What to draw; never holds a control character.
    pub symbol: String,
    /// Columns it takes.
    pub width: usize,
    /// Bytes of the text it stands for.
    pub source: Range<usize>,
    /// Whether it is a stand-in for something that cannot be drawn.
    pub stand_in: bool,
}

/// Returns the cells of one line from display column `skip` on, at most `width` columns of them.
///
/// Works through the line only as far as it is visible, so the cost follows `skip + width`, not the
/// line's length. A wide grapheme or a tab cut by either edge is replaced by blanks.
#[must_use]
pub fn cells(line: &str, skip: usize, width: usize) -> Vec<Cell> {
    let mut found = Vec::with_capacity(width.min(line.len()));
    let mut column = 0;
    // A grapheme cluster may be as long as its author likes; what cannot show is not segmented.
    let reach = line.floor_char_boundary((skip + width).saturating_mul(32).saturating_add(256));
    each_cell(&line[..reach], |mut cell| {
        let end = column + cell.width;
        if cell.width > 0 && end > skip {
            let from = column.max(skip);
            let to = end.min(skip + width);
            if (from, to) != (column, end) && to > from {
                // Of the symbols for what cannot be drawn a part is shown, of the others none.
                let part = cell.symbol.get(from - column..to - column);
                let part = part.filter(|_| cell.symbol.is_ascii()).map(str::to_owned);
                cell.symbol = part.unwrap_or_else(|| " ".repeat(to - from));
                cell.width = to - from;
            }
            found.push(cell);
        }
        column = end;
        column < skip + width
    });
    found
}

/// Columns that a line takes.
#[must_use]
pub fn width(line: &str) -> usize {
    if line.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
        return line.len();
    }
    let mut column = 0;
    each_cell(line, |cell| {
        column += cell.width;
        true
    });
    column
}

/// Columns that a line takes, told only up to `most`: the cost follows `most`, not the line's length.
#[must_use]
pub fn width_up_to(line: &str, most: usize) -> usize {
    cells(line, 0, most).iter().map(|cell| cell.width).sum()
}

/// Most characters of one grapheme that are drawn together; the longest emoji of families have fewer.
const TOGETHER: usize = 16;

/// Hands out the cells of a line in order until `take` answers that it has enough.
fn each_cell(line: &str, mut take: impl FnMut(Cell) -> bool) {
    let mut column = 0;
    for (at, grapheme) in line.grapheme_indices(true) {
        let tab = TAB - column % TAB;
        let mut hand = |cell: Cell| {
            column += cell.width;
            take(cell)
        };
        let one = |symbol, width| Cell {
            symbol,
            width,
            source: at..at + grapheme.len(),
            stand_in: false,
        };
        let goes_on = match grapheme.as_bytes() {
            [byte @ 0x20..0x7f] => hand(one(char::from(*byte).into(), 1)),
            b"\t" => hand(one(" ".repeat(tab), tab)),
            _ => hand_out(grapheme, at, &mut hand),
        };
        if !goes_on {
            return;
        }
    }
}

/// Hands out the cells of a grapheme: one, or one per character where some of them would hide.
fn hand_out(grapheme: &str, at: usize, hand: &mut impl FnMut(Cell) -> bool) -> bool {
    let hidden = hides_joiners(grapheme);
    let shown = if hidden || grapheme.chars().any(must_be_shown) {
        0
    } else {
        // What is piled up on a character beyond reading is told apart character by character.
        let end = grapheme.char_indices().nth(TOGETHER);
        end.map_or(grapheme.len(), |(end, _)| end)
    };
    let (together, apart) = grapheme.split_at(shown);
    if !together.is_empty() {
        // A lone combining mark has no width: give it something to stand on.
        let lone = together.width() == 0;
        let cell = Cell {
            symbol: format!("{}{together}", if lone { "◌" } else { "" }),
            width: together.width().max(1),
            source: at..at + together.len(),
            stand_in: lone,
        };
        if !hand(cell) {
            return false;
        }
    }
    for (from, c) in apart.char_indices() {
        let joins = is_selector(c) || c == '\u{200d}';
        let symbol = match c {
            c if (hidden && joins) || c.width().unwrap_or(0) == 0 && !c.is_control() => escape(c),
            c => visible(c),
        };
        let from = at + together.len() + from;
        let plain = symbol.chars().eq([c]);
        let cell = Cell {
            width: symbol.width(),
            source: from..from + c.len_utf8(),
            stand_in: !plain,
            symbol,
        };
        if !hand(cell) {
            return false;
        }
    }
    true
}

/// Whether a character would drive the terminal, reorder text or hide in it.
fn must_be_shown(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{200b}' | '\u{200c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{061c}' | '\u{00ad}' | '\u{180e}'
            | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}'
            | '\u{34f}' | '\u{17b4}' | '\u{17b5}' | '\u{2800}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Whether joiners or variation selectors stand where no emoji or script needs them: behind ASCII
/// (but for keycaps), alone, or several in a row; there they only hide something.
fn hides_joiners(grapheme: &str) -> bool {
    let joins = |c: char| is_selector(c) || c == '\u{200d}';
    let out_of_place = grapheme.starts_with(|c: char| c.is_ascii() || joins(c))
        && grapheme.contains(joins)
        && !grapheme.contains('\u{20e3}');
    let next = grapheme.chars().skip(1);
    let mut neighbours = grapheme.chars().zip(next);
    out_of_place || neighbours.any(|(a, b)| is_selector(a) && is_selector(b))
}

fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

fn escape(c: char) -> String {
    format!("<U+{:04X}>", u32::from(c))
}

/// The visible form of a character.
fn visible(c: char) -> String {
    match c {
        '\u{0}'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('?').into(),
        '\u{7f}' => '\u{2421}'.into(),
        _ if must_be_shown(c) => escape(c),
        _ => c.into(),
    }
}

/// Returns text that is safe on one terminal line: control characters (line ends among them)
/// replaced by visible symbols, tabs by blanks.
#[must_use]
pub fn sanitize_line(text: &str) -> String {
    cells(text, 0, text.len().saturating_mul(8))
        .into_iter()
        .map(|cell| cell.symbol)
        .collect()
}

/// Returns a text that drives no terminal: control, bidirectional and zero-width characters other
/// than tabs and line ends replaced by visible symbols. For what leaves the screen as lines of text.
#[must_use]
pub fn plain(text: &str) -> Cow<'_, str> {
    let drives = |c: char| must_be_shown(c) && c != '\t' && c != '\n';
    if !text.contains(drives) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 64);
    for c in text.chars() {
        if drives(c) {
            out.push_str(&visible(c));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Returns a path whose tabs are seen as `␉`: a path has no columns to align.
#[must_use]
pub fn visible_tabs(path: &str) -> Cow<'_, str> {
    match path.contains('\t') {
        true => Cow::Owned(path.replace('\t', "␉")),
        false => Cow::Borrowed(path),
    }
}

/// Returns a line cut to `width` columns, ending in `…` when it was longer; safe like
/// [`sanitize_line`].
#[must_use]
pub fn cut(text: &str, width: usize) -> String {
    let mut found = cells(text, 0, width + 1);
    let total: usize = found.iter().map(|cell| cell.width).sum();
    if total <= width {
        return found.into_iter().map(|cell| cell.symbol).collect();
    }
    if width == 0 {
        return String::new();
    }
    let mut column = 0;
    found.retain(|cell| {
        column += cell.width;
        column < width
    });
    let mut symbols: String = found.into_iter().map(|cell| cell.symbol).collect();
    symbols.push('…');
    symbols
}

/// Returns a line cut to `width` columns with a `…` in its middle when it was longer, so that both
/// ends show; safe like [`sanitize_line`].
#[must_use]
pub fn cut_middle(text: &str, width: usize) -> String {
    let line = sanitize_line(text);
    let total = self::width(&line);
    if total <= width || width == 0 {
        return cut(&line, width);
    }
    let tail = (width - 1) / 2;
    let part = |skip, width| -> String {
        let cells = cells(&line, skip, width);
        cells.into_iter().map(|cell| cell.symbol).collect()
    };
    format!("{}…{}", part(0, width - 1 - tail), part(total - tail, tail))
}

/// Returns one name, or two with ` ~ ` between them, cut to `width` columns: each in its own middle, so
/// that both begin and end as they do; safe like [`sanitize_line`].
#[must_use]
pub fn cut_names(text: &str, width: usize) -> String {
    const BETWEEN: &str = " ~ ";
    let line = sanitize_line(text);
    let Some((first, second)) = line.split_once(BETWEEN) else {
        return cut_middle(&line, width);
    };
    if self::width(&line) <= width {
        return line;
    }
    let room = width.saturating_sub(BETWEEN.len());
    // What the shorter one leaves of its half is the other's.
    let (a, b) = (self::width(first), self::width(second));
    let half = room / 2;
    let first_room = half.max(room.saturating_sub(b)).min(a);
    let (first, second) = (
        cut_middle(first, first_room),
        cut_middle(second, room - first_room),
    );
    cut(&format!("{first}{BETWEEN}{second}"), width)
}

/// Returns the end of a line that fits `width` columns, behind a `…` when something is cut: what tells
/// two paths apart is mostly there. Safe like [`sanitize_line`].
#[must_use]
pub fn cut_start(text: &str, width: usize) -> String {
    let line = sanitize_line(text);
    let total = self::width(&line);
    if total <= width || width == 0 {
        return cut(&line, width);
    }
    let cells = cells(&line, total + 1 - width, width);
    let end: String = cells.into_iter().map(|cell| cell.symbol).collect();
    format!("…{end}")
}

/// Wraps a line at `width` columns (at least 1); returns the byte ranges of its display lines, at
/// least one.
#[must_use]
pub fn wrap(line: &str, width: usize) -> Vec<Range<usize>> {
    let (mut start, mut lines) = (0, Vec::new());
    loop {
        let end = start + first_wrapped(&line[start..], width);
        lines.push(start..end);
        if end >= line.len() {
            return lines;
        }
        start = end;
    }
}

/// Bytes of the first display line of a line that is wrapped, see [`wrap`].
#[must_use]
pub fn first_wrapped(line: &str, width: usize) -> usize {
    let (mut column, mut end) = (0, None);
    each_cell(line, |cell| {
        column += cell.width;
        if column > width.max(1) && cell.source.start > 0 {
            end = Some(cell.source.start);
        }
        end.is_none()
    });
    end.unwrap_or(line.len())
}

/// The last state of a line that overwrote itself with carriage returns (a progress bar), and how
/// many states came before it; 0 for a plain line. CRs at the very end count as a line end, several
/// in a row as one.
#[must_use]
pub fn last_state(line: &str) -> (&str, usize) {
    let body = line.trim_end_matches('\r');
    match body.rfind('\r') {
        Some(at) => {
            let before = body[..at].split('\r').filter(|state| !state.is_empty());
            (&body[at + 1..], before.count())
        }
        None => (body, 0),
    }
}

/// Bytes of the colour sequence (SGR: `ESC [ … m`) that a text begins with.
pub(super) fn colour(text: &str) -> Option<usize> {
    let inner = text.strip_prefix("\u{1b}[")?;
    let end = inner.find(|c: char| !c.is_ascii_digit() && c != ';' && c != ':')?;
    inner[end..].starts_with('m').then_some(end + 3)
}

/// Longest colour sequence that is kept in one piece, in bytes.
const LONGEST_COLOUR: usize = 32;

/// Where a piece of a line ends so that it cuts no colour sequence in two; never 0 but for an empty
/// piece.
#[must_use]
pub fn before_colour(piece: &str) -> usize {
    let last = piece
        .rfind('\u{1b}')
        .filter(|at| *at > 0 && piece.len() - at < LONGEST_COLOUR && !piece[*at..].contains('m'));
    last.unwrap_or(piece.len())
}

/// Returns what a line leaves on paper: without colours, and with backspaces that step back so that
/// what follows overwrites what stands there. Other control characters stay; cells show them.
#[must_use]
pub fn printed(line: &str) -> Cow<'_, str> {
    if memchr::memchr2(b'\x1b', b'\x08', line.as_bytes()).is_none() {
        return Cow::Borrowed(line);
    }
    Cow::Owned(print(line, |_, _| {}))
}

/// Prints a line, see [`printed`]; `seen` hears of every colour sequence, by its parameters, and of
/// every step back, with the place in the result where what follows is written.
pub(super) fn print(line: &str, mut seen: impl FnMut(usize, Option<&str>)) -> String {
    let mut out = String::with_capacity(line.len());
    let mut at = 0;
    // Characters behind the current place that were printed already.
    let mut behind: Vec<char> = Vec::new();
    while let Some(next) = line[at..].chars().next() {
        if let Some(length) = colour(&line[at..]) {
            seen(out.len(), Some(&line[at + 2..at + length - 1]));
            at += length;
            continue;
        }
        at += next.len_utf8();
        if next == '\u{8}' {
            behind.extend(out.pop());
            seen(out.len(), None);
        } else {
            behind.pop();
            out.push(next);
        }
    }
    out.extend(behind.into_iter().rev());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(line: &str, skip: usize, width: usize) -> String {
        cells(line, skip, width)
            .into_iter()
            .map(|cell| cell.symbol)
            .collect()
    }

    #[test]
    fn nothing_that_drives_a_terminal_is_drawn() {
        let line = "a\u{1b}[31mb\u{7}\u{8}\r\u{9b}\u{202e}x\u{200b}\u{0}";
        let text = sanitize_line(line);
        assert!(!text.chars().any(must_be_shown), "{text:?}");
        assert!(text.contains('␛') && text.contains("<U+202E>") && text.contains('␀'));
        let mut all = String::new();
        for c in (0..0x3000).filter_map(char::from_u32) {
            all.push(c);
        }
        assert!(!sanitize_line(&all).chars().any(must_be_shown));
    }

    #[test]
    fn text_for_other_programs_keeps_its_lines_and_nothing_else_that_drives() {
        assert_eq!(plain("a\tb\n"), Cow::Borrowed("a\tb\n"));
        assert_eq!(
            plain("\u{1b}[2J\r\n\u{9b}\u{202e}x"),
            "␛[2J␍\n<U+009B><U+202E>x"
        );
    }

    #[test]
    fn joiners_show_where_they_only_hide() {
        assert_eq!(sanitize_line("us\u{200d}er"), "us<U+200D>er");
        assert_eq!(sanitize_line("a\u{fe01}\u{e0101}"), "a<U+FE01><U+E0101>");
        assert_eq!(sanitize_line("\u{3164}"), "<U+3164>");
        for fine in ["👩\u{200d}💻", "1\u{fe0f}\u{20e3}", "🏳\u{fe0f}\u{200d}🌈"] {
            assert_eq!(sanitize_line(fine), fine);
        }
    }

    #[test]
    fn what_hides_in_a_cluster_is_shown_character_by_character_and_wraps() {
        let line = "ok 🏴\u{e0069}\u{e0067}\u{e006e}\u{e007f} end";
        let shown = sanitize_line(line);
        assert_eq!(shown, "ok 🏴<U+E0069><U+E0067><U+E006E><U+E007F> end");
        let drawn: String = wrap(line, 12)
            .into_iter()
            .flat_map(|part| cells(&line[part], 0, 12))
            .map(|cell| cell.symbol)
            .collect();
        assert_eq!(drawn, shown);
        // Part of a symbol is better than blanks.
        assert_eq!(self::drawn("\u{202e}", 0, 4), "<U+2");
        let piled = |last| format!("e{}{last}", "\u{301}".repeat(60));
        assert_ne!(
            sanitize_line(&piled('\u{301}')),
            sanitize_line(&piled('\u{302}'))
        );
        for c in ['\u{34f}', '\u{17b4}', '\u{2800}'] {
            assert_eq!(sanitize_line(&format!("a{c}")), format!("a{}", escape(c)));
        }
    }

    #[test]
    fn tabs_go_to_stops_and_wide_characters_count_twice() {
        assert_eq!(drawn("a\tb", 0, 10), "a   b");
        assert_eq!(width("a\tb"), 5);
        assert_eq!(width("日本"), 4);
        assert_eq!(drawn("日本x", 1, 3), " 本");
        assert_eq!(drawn("日本x", 0, 3), "日 ");
    }

    #[test]
    fn text_is_cut_and_wrapped_by_columns() {
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("abcd", 4), "abcd");
        assert_eq!(cut("日本語", 4), "日…");
        assert_eq!(cut_middle("astropy__astropy-12907", 15), "astropy…y-12907");
        assert_eq!(cut_middle("abcdef", 6), "abcdef");
        assert_eq!(width(&cut_middle("日本語日本語", 7)), 7);
        assert_eq!(cut_middle("abcdef", 0), "");
        let pair = |text| cut_names(text, 23);
        assert_eq!(pair("a ~ b"), "a ~ b");
        assert_eq!(
            pair("ann ~ grader sample-grader"),
            "ann ~ grader s…e-grader"
        );
        assert_eq!(
            pair("grader sample-grader-a ~ annotator-1"),
            "grade…er-a ~ annot…or-1"
        );
        assert_eq!(width(&pair("日本語日本語日本語 ~ 日本語日本語日本語")), 23);
        assert_eq!(cut_names("grader sample-grader", 9), "grad…ader");
        assert_eq!(cut_start("a/b/c.py", 5), "…c.py");
        assert_eq!(width(&cut_start("日本語日本語", 6)), 6);
        assert_eq!(cut_start("abc", 3), "abc");
        assert_eq!(wrap("abcdef", 4), [0..4, 4..6]);
        assert_eq!(wrap("", 4), vec![Range { start: 0, end: 0 }]);
    }

    #[test]
    fn progress_lines_end_in_their_last_state() {
        assert_eq!(last_state("1%\r2%\r100%"), ("100%", 2));
        assert_eq!(last_state("plain\r"), ("plain", 0));
        assert_eq!(last_state("\r1%\r\r\r2%\r\r"), ("2%", 1));
        assert_eq!(last_state("\rx"), ("x", 0));
    }

    #[test]
    fn colours_go_and_backspaces_overwrite() {
        assert_eq!(printed("\u{1b}[1;38:5:9mred\u{1b}[m!"), "red!");
        assert_eq!(printed("10%\u{8}\u{8}\u{8}99%"), "99%");
        assert_eq!(printed("ab\u{8}"), "ab");
        assert_eq!(printed("é\u{8}\u{8}x日"), "x日");
        // What is no colour stays and is seen.
        for kept in ["\u{1b}[2J", "\u{1b}[31", "\u{1b}", "\u{1b}]0;t\u{7}"] {
            assert_eq!(printed(kept), kept);
            assert!(sanitize_line(&printed(kept)).contains('␛'));
        }
    }
}
