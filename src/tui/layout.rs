//! Rectangles that every screen shares; pure.

use super::area::Area;

/// The smallest terminal that gagar draws in: columns, rows.
pub const SMALLEST: (u16, u16) = (60, 20);

/// Whether a terminal of this size (columns, rows) is too small.
#[must_use]
pub fn too_small((width, height): (u16, u16)) -> bool {
    width < SMALLEST.0 || height < SMALLEST.1
}

/// The line with messages and saves.
#[must_use]
pub fn status((width, height): (u16, u16)) -> Area {
    Area {
        x: 0,
        y: height.saturating_sub(2),
        width,
        height: 1.min(height),
    }
}

/// The line with keys.
#[must_use]
pub fn footer((width, height): (u16, u16)) -> Area {
    Area {
        x: 0,
        y: height.saturating_sub(1),
        width,
        height: 1.min(height),
    }
}

/// A rectangle of at most this size in the middle of another one.
#[must_use]
pub fn centred(within: Area, width: u16, height: u16) -> Area {
    let (width, height) = (width.min(within.width), height.min(within.height));
    Area {
        x: within.x + (within.width - width) / 2,
        y: within.y + (within.height - height) / 2,
        width,
        height,
    }
}

/// The inside of a box with a border.
#[must_use]
pub fn inside(area: Area) -> Area {
    Area {
        x: area.x.saturating_add(1),
        y: area.y.saturating_add(1),
        width: area.width.saturating_sub(2),
        height: area.height.saturating_sub(2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_never_leaves_its_surroundings() {
        let screen = Area {
            x: 0,
            y: 0,
            width: 60,
            height: 18,
        };
        assert_eq!(centred(screen, 100, 100), screen);
        assert_eq!(
            centred(screen, 20, 8),
            Area {
                x: 20,
                y: 5,
                width: 20,
                height: 8
            }
        );
        assert_eq!(
            inside(Area {
                x: 0,
                y: 0,
                width: 1,
                height: 1
            })
            .width,
            0
        );
    }
}
