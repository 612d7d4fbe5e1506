//! The style of text of a tool's output, from what the output asks for.

use ratatui::style::{Color, Modifier, Style};

use super::contrast::{ratio, rgb};
use super::{Role, Theme, sixteen};
use crate::tui::ansi::{Ink, Sgr};
use crate::tui::colour_depth::{ColourDepth, indexed};

/// Text with less contrast than this is hidden rather than coloured.
const HIDDEN: f64 = 1.6;

impl Theme {
    /// The style of text of a tool's output; colours that would hide it are left out.
    #[must_use]
    pub fn output(&self, sgr: Sgr) -> Style {
        let mut style = Style::default();
        for (on, modifier) in [
            (sgr.bold, Modifier::BOLD),
            (sgr.dim, Modifier::DIM),
            (sgr.italic, Modifier::ITALIC),
            (sgr.underline, Modifier::UNDERLINED),
            (sgr.reverse, Modifier::REVERSED),
        ] {
            if on {
                style = style.add_modifier(modifier);
            }
        }
        style.fg = sgr.ink.and_then(|ink| self.ink(ink));
        style.bg = sgr.paper.and_then(|paper| self.ink(paper));
        let text = self.style(Role::Text);
        let (white, black) = (Color::Rgb(255, 255, 255), Color::Rgb(0, 0, 0));
        let (bright, ground) = if self.dark {
            (white, black)
        } else {
            (black, white)
        };
        let hides = |style: Style| {
            let ink = style.fg.or(text.fg).unwrap_or(bright);
            let paper = style.bg.or(text.bg).or(self.background);
            let paper = paper.unwrap_or(ground);
            match (rgb(ink), rgb(paper)) {
                (Some(ink), Some(paper)) => ratio(ink, paper) < HIDDEN,
                _ => ink == paper,
            }
        };
        // Hidden text is what a reader must not miss. The theme's own colours can be read on its
        // background.
        let is_themes = sgr.paper.is_none() && matches!(sgr.ink, None | Some(Ink::Named(_)));
        if is_themes {
            return style;
        }
        if hides(style) {
            style.fg = None;
        }
        if hides(style) {
            style.bg = None;
        }
        style
    }

    fn ink(&self, ink: Ink) -> Option<Color> {
        let colour = match ink {
            Ink::Named(number) => {
                let role = Role::ANSI.get(usize::from(number))?;
                return self.style(*role).fg;
            }
            Ink::Indexed(number) => Color::Indexed(number),
            Ink::Rgb(r, g, b) => Color::Rgb(r, g, b),
        };
        match self.depth {
            ColourDepth::None => None,
            ColourDepth::Sixteen => sixteen::hue(rgb(colour)?, self.dark),
            ColourDepth::Indexed => Some(indexed(colour)),
            ColourDepth::True => Some(colour),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::theme::EMBEDDED;

    fn asked(parameters: &str) -> Sgr {
        let mut sgr = Sgr::default();
        sgr.take(parameters);
        sgr
    }

    #[test]
    fn colours_of_output_are_the_themes_and_readable() {
        let dark = Theme::read(EMBEDDED[0]).unwrap();
        let red = dark.style(Role::AnsiRed).fg;
        assert_eq!(dark.output(asked("31")).fg, red);
        assert_eq!(dark.output(asked("41")).bg, red);
        let direct = dark.output(asked("38;2;250;0;9")).fg;
        assert_eq!(direct, Some(Color::Rgb(250, 0, 9)));
        // Black on black, and white on white, say nothing to a person.
        for hidden in ["38;2;1;1;1", "48;2;200;210;200", "38;5;232"] {
            assert_eq!(dark.output(asked(hidden)), Style::default(), "{hidden}");
        }
        assert_eq!(dark.output(asked("30;40")).fg, None);
    }

    #[test]
    fn no_more_colours_than_the_terminal_has() {
        let at = |depth| Theme::read(EMBEDDED[0]).unwrap().at_depth(depth);
        let none = at(ColourDepth::None).output(asked("1;31;48;5;200"));
        assert_eq!(none, Style::default().add_modifier(Modifier::BOLD));
        let few = at(ColourDepth::Indexed).output(asked("38;2;255;0;0"));
        assert_eq!(few.fg, Some(Color::Indexed(196)));
        let sixteen = at(ColourDepth::Sixteen).output(asked("38;2;255;0;0"));
        assert!(sixteen.fg.is_some_and(|fg| rgb(fg).is_none()));
    }
}
