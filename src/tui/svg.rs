//! A drawn screen as an SVG picture: rectangles and text at the places of their cells.
//!
//! Every run of text says where it starts and how long it is, so that columns stand where they stand
//! in a terminal whatever the reader's font; lines and blocks are rectangles and leave no gaps. What
//! is *not* here: which screen that is ([`super::screenshot`]).

use std::fmt::Write;
use std::ops::Range;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use unicode_width::UnicodeWidthStr;

use super::theme::{Role, Theme};

/// Width of a cell in user units. Eighths of a cell are whole.
const WIDTH: u32 = 8;
/// Height of a cell.
const HEIGHT: u32 = 16;
/// Space around the screen.
const MARGIN: u32 = 8;
/// From the top of a cell to the line that letters stand on.
const BASELINE: u32 = 12;
/// Size of the letters: a monospace letter is about 0.6 of it wide.
const FONT_SIZE: &str = "13.333";
/// Common monospace fonts, the platform's own first.
const FONTS: &str = "ui-monospace, SFMono-Regular, Menlo, Consolas, &quot;DejaVu Sans Mono&quot;, \
                     &quot;Liberation Mono&quot;, monospace";

/// Red, green, blue.
type Rgb = [u8; 3];

/// xterm's sixteen colours: what a terminal makes of colours that only have a name.
const SIXTEEN: [Rgb; 16] = [
    [0, 0, 0],
    [205, 0, 0],
    [0, 205, 0],
    [205, 205, 0],
    [0, 0, 238],
    [205, 0, 205],
    [0, 205, 205],
    [229, 229, 229],
    [127, 127, 127],
    [255, 0, 0],
    [0, 255, 0],
    [255, 255, 0],
    [92, 92, 255],
    [255, 0, 255],
    [0, 255, 255],
    [255, 255, 255],
];

/// What a terminal draws with where a cell names no colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Palette {
    foreground: Rgb,
    background: Rgb,
}

impl Palette {
    /// The terminal that a theme is made for.
    #[must_use]
    pub fn of(theme: &Theme) -> Self {
        let (foreground, background) = if theme.dark {
            ([208, 208, 208], [22, 22, 30])
        } else {
            ([36, 41, 46], [255, 255, 255])
        };
        let text = theme.style(Role::Text).fg;
        Self {
            foreground: text.and_then(rgb).unwrap_or(foreground),
            background: theme.background.and_then(rgb).unwrap_or(background),
        }
    }
}

/// A rectangle in user units, relative to the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Block {
    x: Range<u32>,
    y: Range<u32>,
    fill: Rgb,
}

/// How text looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Look {
    fill: Rgb,
    bold: bool,
    italic: bool,
    underlined: bool,
    crossed_out: bool,
}

/// A piece of text that is drawn at once.
#[derive(Debug)]
struct Run {
    /// First column.
    x: u32,
    /// Columns.
    width: u32,
    text: String,
    look: Look,
    /// Whether letters of the same look may follow: not after what a font may draw wider.
    open: bool,
}

/// The picture of a screen.
#[must_use]
pub fn svg(buffer: &Buffer, palette: &Palette) -> String {
    let area = buffer.area;
    let width = u32::from(area.width) * WIDTH + 2 * MARGIN;
    let height = u32::from(area.height) * HEIGHT + 2 * MARGIN;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"{}\"/>\n\
         <g transform=\"translate({MARGIN} {MARGIN})\" font-family=\"{FONTS}\" \
         font-size=\"{FONT_SIZE}\" xml:space=\"preserve\">\n",
        hex(palette.background)
    );
    for row in 0..area.height {
        draw_row(buffer, row, palette, &mut out);
    }
    out.push_str("</g>\n</svg>\n");
    out
}

fn draw_row(buffer: &Buffer, row: u16, palette: &Palette, out: &mut String) {
    let (mut under, mut over, mut runs) = (Vec::new(), Vec::new(), Vec::new());
    let top = u32::from(row) * HEIGHT;
    let mut column = 0;
    while column < buffer.area.width {
        let cell = &buffer[(buffer.area.x + column, buffer.area.y + row)];
        let symbol = cell.symbol();
        let cells = u16::try_from(symbol.width()).unwrap_or(1).max(1);
        let cells = cells.min(buffer.area.width - column);
        let (look, background) = look_of(cell, palette);
        let left = u32::from(column) * WIDTH;
        let right = left + u32::from(cells) * WIDTH;
        if background != palette.background {
            let block = Block {
                x: left..right,
                y: top..top + HEIGHT,
                fill: background,
            };
            add(&mut under, block);
        }
        match blocks(symbol) {
            _ if cell.modifier.contains(Modifier::HIDDEN) => {}
            Some(parts) => {
                for (x, y, shade) in parts {
                    let fill = mix(look.fill, background, shade);
                    let block = Block {
                        x: left + x.start..left + x.end,
                        y: top + y.start..top + y.end,
                        fill,
                    };
                    add(&mut over, block);
                }
            }
            None => write_symbol(
                &mut runs,
                (u32::from(column), u32::from(cells)),
                symbol,
                look,
            ),
        }
        column += cells;
    }
    for block in under.iter().chain(&over) {
        // A String takes everything that is written to it.
        let _ = writeln!(
            out,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>",
            block.x.start,
            block.y.start,
            block.x.end - block.x.start,
            block.y.end - block.y.start,
            hex(block.fill)
        );
    }
    for run in &runs {
        draw_run(run, top + BASELINE, out);
    }
}

/// Adds a rectangle, to the one before it where they touch.
fn add(blocks: &mut Vec<Block>, block: Block) {
    // A row's junctions put several lines side by side: the one to go on is among the last few.
    let last =
        blocks.iter_mut().rev().take(4).find(|last| {
            last.x.end == block.x.start && last.y == block.y && last.fill == block.fill
        });
    match last {
        Some(last) => last.x.end = block.x.end,
        None => blocks.push(block),
    }
}

/// Adds a symbol at a place (first column, columns) to the text of a row.
fn write_symbol(runs: &mut Vec<Run>, (x, width): (u32, u32), symbol: &str, look: Look) {
    // Letters that every monospace font has at the same width go together; others stand alone.
    let plain = matches!(symbol.as_bytes(), [0x20..0x7f]);
    let blank = symbol == " " && !look.underlined && !look.crossed_out;
    match runs.last_mut() {
        Some(last)
            if plain && last.open && last.look == look && last.x + last.width == x && !blank =>
        {
            last.text.push_str(symbol);
            last.width += width;
        }
        // One blank between words; more of them end a run.
        Some(last) if blank && last.open && last.look == look && last.x + last.width == x => {
            if last.text.ends_with(' ') {
                last.open = false;
            } else {
                last.text.push(' ');
                last.width += width;
            }
        }
        _ if blank => {}
        _ => runs.push(Run {
            x,
            width,
            text: symbol.to_owned(),
            look,
            open: plain,
        }),
    }
}

fn draw_run(run: &Run, baseline: u32, out: &mut String) {
    let blank_end = run.text.ends_with(' ') && !run.look.underlined && !run.look.crossed_out;
    let (text, width) = if blank_end {
        (run.text.trim_end_matches(' '), run.width - 1)
    } else {
        (run.text.as_str(), run.width)
    };
    let _ = write!(
        out,
        "<text x=\"{}\" y=\"{baseline}\" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\" \
         fill=\"{}\"",
        run.x * WIDTH,
        width * WIDTH,
        hex(run.look.fill)
    );
    if run.look.bold {
        out.push_str(" font-weight=\"bold\"");
    }
    if run.look.italic {
        out.push_str(" font-style=\"italic\"");
    }
    match (run.look.underlined, run.look.crossed_out) {
        (true, true) => out.push_str(" text-decoration=\"underline line-through\""),
        (true, false) => out.push_str(" text-decoration=\"underline\""),
        (false, true) => out.push_str(" text-decoration=\"line-through\""),
        (false, false) => {}
    }
    out.push('>');
    escape(text, out);
    out.push_str("</text>\n");
}

/// Text as XML has it. Characters that XML knows no way to write become U+FFFD.
fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\0'..=' ' if c != ' ' => out.push('\u{fffd}'),
            '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
}

/// What a cell's text looks like, and the colour under it.
fn look_of(cell: &Cell, palette: &Palette) -> (Look, Rgb) {
    let mut fill = rgb(cell.fg).unwrap_or(palette.foreground);
    let mut background = rgb(cell.bg).unwrap_or(palette.background);
    let has = |modifier| cell.modifier.contains(modifier);
    if has(Modifier::REVERSED) {
        std::mem::swap(&mut fill, &mut background);
    }
    if has(Modifier::DIM) {
        fill = mix(fill, background, 60);
    }
    let look = Look {
        fill,
        bold: has(Modifier::BOLD),
        italic: has(Modifier::ITALIC),
        underlined: has(Modifier::UNDERLINED),
        crossed_out: has(Modifier::CROSSED_OUT),
    };
    (look, background)
}

/// `share` hundredths of one colour over another.
fn mix(over: Rgb, under: Rgb, share: u32) -> Rgb {
    let mut mixed = over;
    for (channel, below) in mixed.iter_mut().zip(under) {
        let sum = u32::from(*channel) * share + u32::from(below) * (100 - share);
        *channel = u8::try_from(sum / 100).unwrap_or(u8::MAX);
    }
    mixed
}

/// What a terminal shows for a colour; `None` = its own text or background.
fn rgb(colour: Color) -> Option<Rgb> {
    let named = |place: usize| SIXTEEN.get(place).copied();
    match colour {
        Color::Reset => None,
        Color::Rgb(r, g, b) => Some([r, g, b]),
        Color::Indexed(place) => Some(indexed(place)),
        Color::Black => named(0),
        Color::Red => named(1),
        Color::Green => named(2),
        Color::Yellow => named(3),
        Color::Blue => named(4),
        Color::Magenta => named(5),
        Color::Cyan => named(6),
        Color::Gray => named(7),
        Color::DarkGray => named(8),
        Color::LightRed => named(9),
        Color::LightGreen => named(10),
        Color::LightYellow => named(11),
        Color::LightBlue => named(12),
        Color::LightMagenta => named(13),
        Color::LightCyan => named(14),
        Color::White => named(15),
    }
}

/// xterm's 256 colours: sixteen, a cube of 6x6x6, 24 greys.
fn indexed(place: u8) -> Rgb {
    let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
    match place {
        0..16 => SIXTEEN[usize::from(place)],
        16..232 => {
            let cube = place - 16;
            [level(cube / 36), level(cube / 6 % 6), level(cube % 6)]
        }
        232.. => [8 + 10 * (place - 232); 3],
    }
}

fn hex([r, g, b]: Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// A part of a cell that is filled: columns and rows in user units, hundredths of the colour.
type Part = (Range<u32>, Range<u32>, u32);

/// The rectangles of a line or block character; `None` for letters.
fn blocks(symbol: &str) -> Option<Vec<Part>> {
    let mut chars = symbol.chars();
    let (Some(c), None) = (chars.next(), chars.next()) else {
        return None;
    };
    let place = u32::from(c);
    let whole = |shade| vec![(0..WIDTH, 0..HEIGHT, shade)];
    Some(match c {
        '█' => whole(100),
        '░' => whole(25),
        '▒' => whole(50),
        '▓' => whole(75),
        '▀' => vec![(0..WIDTH, 0..HEIGHT / 2, 100)],
        '▐' => vec![(WIDTH / 2..WIDTH, 0..HEIGHT, 100)],
        // Seven eighths to one eighth, from the left.
        '▉'..='▏' => vec![(0..WIDTH * (0x2590 - place) / 8, 0..HEIGHT, 100)],
        // One eighth to seven eighths, from below.
        '▁'..='▇' => {
            let filled = HEIGHT * (place - 0x2580) / 8;
            vec![(0..WIDTH, HEIGHT - filled..HEIGHT, 100)]
        }
        c => line_parts(arms(c)?),
    })
}

/// Strength of the arms of a line character: left, right, up, down; 0 = none.
fn arms(c: char) -> Option<[u32; 4]> {
    Some(match c {
        '─' => [1, 1, 0, 0],
        '━' => [2, 2, 0, 0],
        '│' => [0, 0, 1, 1],
        '┃' => [0, 0, 2, 2],
        '┌' | '╭' => [0, 1, 0, 1],
        '┐' | '╮' => [1, 0, 0, 1],
        '└' | '╰' => [0, 1, 1, 0],
        '┘' | '╯' => [1, 0, 1, 0],
        '├' => [0, 1, 1, 1],
        '┤' => [1, 0, 1, 1],
        '┬' => [1, 1, 0, 1],
        '┴' => [1, 1, 1, 0],
        '┼' => [1, 1, 1, 1],
        '╴' => [1, 0, 0, 0],
        '╶' => [0, 1, 0, 0],
        '╵' => [0, 0, 1, 0],
        '╷' => [0, 0, 0, 1],
        _ => return None,
    })
}

fn line_parts([left, right, up, down]: [u32; 4]) -> Vec<Part> {
    let (middle, centre) = (WIDTH / 2, HEIGHT / 2);
    let mut parts = Vec::new();
    let across = left.max(right);
    if across > 0 {
        let from = if left > 0 { 0 } else { middle };
        let to = if right > 0 { WIDTH } else { middle + 1 };
        parts.push((from..to, centre..centre + across, 100));
    }
    let along = up.max(down);
    if along > 0 {
        let from = if up > 0 { 0 } else { centre };
        let to = if down > 0 { HEIGHT } else { centre + 1 };
        parts.push((middle..middle + along, from..to, 100));
    }
    parts
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    use super::*;

    const PALETTE: Palette = Palette {
        foreground: [200, 200, 200],
        background: [0, 0, 0],
    };

    fn drawn(text: &str, style: Style) -> String {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 20, 1));
        buffer.set_string(0, 0, text, style);
        svg(&buffer, &PALETTE)
    }

    fn texts(svg: &str) -> Vec<&str> {
        svg.lines()
            .filter(|line| line.starts_with("<text"))
            .collect()
    }

    #[test]
    fn words_of_a_row_go_together_and_columns_stand_alone() {
        let svg = drawn("if a < b:   日本 x", Style::new());
        let texts = texts(&svg);
        assert_eq!(texts.len(), 4, "{svg}");
        assert!(
            texts[0].contains("x=\"0\" y=\"12\" textLength=\"72\""),
            "{svg}"
        );
        assert!(texts[0].ends_with(">if a &lt; b:</text>"), "{svg}");
        assert!(
            texts[1].contains("x=\"96\" y=\"12\" textLength=\"16\""),
            "{svg}"
        );
        assert!(texts[3].contains("x=\"136\""), "{svg}");
    }

    #[test]
    fn styles_are_drawn_and_reverse_swaps() {
        let style = Style::new().fg(Color::Rgb(1, 2, 3)).bg(Color::Indexed(196));
        let svg = drawn(
            "x",
            style.add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
        );
        assert!(svg.contains("fill=\"#ff0000\"/>"), "{svg}");
        assert!(
            svg.contains("fill=\"#010203\" font-weight=\"bold\" text-decoration=\"underline\"")
        );
        let svg = drawn("x", Style::new().add_modifier(Modifier::REVERSED));
        assert!(svg.contains("<rect x=\"0\" y=\"0\" width=\"8\" height=\"16\" fill=\"#c8c8c8\"/>"));
        assert!(texts(&svg)[0].contains("fill=\"#000000\""), "{svg}");
        let svg = drawn("x", Style::new().add_modifier(Modifier::DIM));
        assert!(texts(&svg)[0].contains("fill=\"#787878\""), "{svg}");
    }

    #[test]
    fn lines_and_blocks_are_rectangles_that_touch() {
        let svg = drawn("──┬─██▌", Style::new());
        assert!(texts(&svg).is_empty(), "{svg}");
        assert!(
            svg.contains("<rect x=\"0\" y=\"8\" width=\"32\" height=\"1\""),
            "{svg}"
        );
        assert!(
            svg.contains("<rect x=\"32\" y=\"0\" width=\"20\" height=\"16\""),
            "{svg}"
        );
    }

    #[test]
    fn nothing_that_xml_forbids_gets_in() {
        let mut out = String::new();
        escape("a\u{1b}\u{0}<&>\"\u{9b}\u{ffff}", &mut out);
        assert_eq!(out, "a\u{fffd}\u{fffd}&lt;&amp;&gt;\"\u{fffd}\u{fffd}");
    }
}
