//! Small plots as SVG: bars, and points with intervals. One ink on the page's own ground, so that
//! they read in black and white and in a dark page; every value is also written beside its mark, and
//! each plot has a title and a text alternative.

use super::document::visible;
use super::html::escape;

/// A plot.
#[derive(Debug, Clone, PartialEq)]
pub struct Plot {
    /// What it shows, one line.
    pub title: String,
    /// The same in words, for who cannot see it.
    pub alternative: String,
    /// The least and the greatest value of the axis.
    pub axis: (f64, f64),
    /// One line a mark, top to bottom.
    pub marks: Vec<Mark>,
}

/// A line of a plot.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// Its name, at the left.
    pub label: String,
    /// The value as text, at the right.
    pub value: String,
    /// What is drawn.
    pub shape: Shape,
}

/// What is drawn in a line of a plot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape {
    /// A bar from the axis' 0 (or its least value) to this one.
    Bar(f64),
    /// A point, with an interval when there is one.
    Point(f64, Option<[f64; 2]>),
    /// Nothing: the value does not exist.
    None,
}

const WIDTH: f64 = 640.0;
/// Where the drawing begins and ends; labels are left of it, values right.
const LEFT: f64 = 230.0;
const RIGHT: f64 = 540.0;
const LINE: f64 = 20.0;
const TOP: f64 = 6.0;
/// Characters of a label that have room.
const LABEL: usize = 34;

impl Plot {
    /// The plot as an `svg` element.
    #[must_use]
    pub fn svg(&self) -> String {
        let bottom = TOP + LINE * float(self.marks.len());
        let height = bottom + 24.0;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
             width=\"{WIDTH}\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\" \
             fill=\"currentColor\" stroke=\"none\"><title>{}</title><desc>{}</desc>",
            escape(&visible(&self.title, false)),
            escape(&visible(&self.alternative, false)),
        );
        let (least, most) = self.axis;
        for value in [least, f64::midpoint(least, most), most] {
            let x = self.x(value);
            out.push_str(&format!(
                "<path d=\"M{x:.1} {TOP}V{bottom:.1}\" stroke=\"currentColor\" stroke-opacity=\"0.3\" \
                 stroke-dasharray=\"2 3\"/><text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                bottom + 16.0,
                tick(value)
            ));
        }
        for (place, mark) in self.marks.iter().enumerate() {
            let y = TOP + LINE * (float(place) + 0.5);
            self.push_mark(&mut out, mark, y);
        }
        out.push_str("</svg>");
        out
    }

    fn push_mark(&self, out: &mut String, mark: &Mark, y: f64) {
        let text = y + 4.0;
        out.push_str(&format!(
            "<text x=\"{:.1}\" y=\"{text:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 10.0,
            escape(&cut(&visible(&mark.label, false)))
        ));
        match mark.shape {
            Shape::Bar(value) => {
                let zero = self.x(0.0_f64.clamp(self.axis.0, self.axis.1));
                let x = self.x(value);
                out.push_str(&format!(
                    "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"12\" fill-opacity=\"0.75\"/>",
                    zero.min(x),
                    y - 6.0,
                    (x - zero).abs()
                ));
            }
            Shape::Point(value, interval) => {
                if let Some([low, high]) = interval {
                    let (low, high) = (self.x(low), self.x(high));
                    out.push_str(&format!(
                        "<path d=\"M{low:.1} {y:.1}H{high:.1}M{low:.1} {:.1}v8M{high:.1} {:.1}v8\" \
                         stroke=\"currentColor\" stroke-width=\"1.5\"/>",
                        y - 4.0,
                        y - 4.0
                    ));
                }
                out.push_str(&format!(
                    "<circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"4\"/>",
                    self.x(value)
                ));
            }
            Shape::None => {}
        }
        out.push_str(&format!(
            "<text x=\"{:.1}\" y=\"{text:.1}\">{}</text>",
            RIGHT + 10.0,
            escape(&visible(&mark.value, false))
        ));
    }

    /// Where a value lies; what is outside the axis lies at its end.
    fn x(&self, value: f64) -> f64 {
        let (least, most) = self.axis;
        if most <= least {
            return LEFT;
        }
        LEFT + (RIGHT - LEFT) * ((value - least) / (most - least)).clamp(0.0, 1.0)
    }
}

/// Counts of values in equal parts of an axis, as bars; values on an inner border count to the part
/// above it.
#[must_use]
pub fn histogram(title: &str, values: &[f64], (least, most): (f64, f64), parts: usize) -> Plot {
    let mut counts = vec![0_usize; parts];
    let width = (most - least) / float(parts.max(1));
    for value in values {
        // The tolerance keeps -0.2 in the part that begins with -0.2.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "clamped to the number of parts"
        )]
        let part = ((value - least) / width + 1e-9).floor().max(0.0) as usize;
        if let Some(count) = counts.get_mut(part.min(parts.saturating_sub(1))) {
            *count += 1;
        }
    }
    let top = counts.iter().copied().max().unwrap_or(0).max(1);
    let bounds = |part: usize| {
        let low = least + width * float(part);
        let close = if part + 1 == parts { "]" } else { ")" };
        format!("[{}, {}{close}", tick(low), tick(low + width))
    };
    let said: Vec<String> = counts
        .iter()
        .enumerate()
        .filter(|(_, count)| **count > 0)
        .map(|(part, count)| format!("{count} in {}", bounds(part)))
        .collect();
    Plot {
        title: title.to_owned(),
        alternative: format!("{} values: {}", values.len(), said.join(", ")),
        axis: (0.0, float(top)),
        marks: counts
            .iter()
            .enumerate()
            .map(|(part, count)| Mark {
                label: bounds(part),
                value: count.to_string(),
                shape: Shape::Bar(float(*count)),
            })
            .collect(),
    }
}

fn tick(value: f64) -> String {
    let text = format!("{:.2}", value + 0.0);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    match text {
        "-0" | "" => "0".to_owned(),
        text => text.replace('-', "−"),
    }
}

fn cut(label: &str) -> String {
    if label.chars().count() <= LABEL {
        return label.to_owned();
    }
    let kept: String = label.chars().take(LABEL - 1).collect();
    format!("{kept}…")
}

#[expect(clippy::cast_precision_loss, reason = "small counts")]
fn float(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_in_their_part() {
        let plot = histogram(
            "t",
            &[-1.0, -0.2, 0.0, 0.59, 0.6, 1.0, 1.0],
            (-1.0, 1.0),
            10,
        );
        let counts: Vec<&str> = plot.marks.iter().map(|m| m.value.as_str()).collect();
        assert_eq!(counts, ["1", "0", "0", "0", "1", "1", "0", "1", "1", "2"]);
        assert_eq!(plot.marks[9].label, "[0.8, 1]");
        assert_eq!(plot.marks[4].label, "[−0.2, 0)");
        assert!(plot.alternative.starts_with("7 values: 1 in [−1, −0.8)"));
    }

    #[test]
    fn marks_are_drawn_to_scale_and_texts_are_escaped() {
        let plot = Plot {
            title: "<b>".to_owned(),
            alternative: "\u{1b}".to_owned(),
            axis: (0.0, 1.0),
            marks: vec![
                Mark {
                    label: "a & b".to_owned(),
                    value: "0.5".to_owned(),
                    shape: Shape::Point(0.5, Some([0.0, 2.0])),
                },
                Mark {
                    label: "none".to_owned(),
                    value: "undefined".to_owned(),
                    shape: Shape::None,
                },
            ],
        };
        let svg = plot.svg();
        assert!(
            svg.contains("<title>&lt;b&gt;</title><desc>\\u{1b}</desc>"),
            "{svg}"
        );
        assert!(svg.contains("cx=\"385.0\""), "{svg}");
        assert!(svg.contains("M230.0 16.0H540.0"), "{svg}");
        assert!(svg.contains("a &amp; b"), "{svg}");
    }
}
