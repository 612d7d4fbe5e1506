//! The README's pictures are the screens of this program: each is drawn anew and compared.
#![cfg(feature = "cli")]

use std::path::Path;

use gagar::tui::screenshot::{Screenshot, ScreenshotOptions, take};

/// What to do when a screen changed on purpose.
const BLESS: &str = "if the screen changed on purpose: GAGAR_BLESS=1 cargo test --test screenshots";

/// The keys that lead to the group that the README tells of.
const TO_GROUP: &str = "/textkit<enter><enter>";

/// A picture of the README: file name, further keys after those to the group, size, theme.
struct Picture {
    file: &'static str,
    keys: &'static [&'static str],
    size: (u16, u16),
    theme: &'static str,
}

const PICTURES: &[Picture] = &[
    Picture {
        file: "groups.svg",
        keys: &["/textkit<enter>"],
        size: (140, 36),
        theme: "dark",
    },
    Picture {
        file: "compare.svg",
        keys: &[TO_GROUP, "J"],
        size: (140, 42),
        theme: "dark",
    },
    Picture {
        file: "interdiff.svg",
        keys: &[TO_GROUP, "ji"],
        size: (140, 36),
        theme: "dark",
    },
    Picture {
        file: "steps.svg",
        keys: &[TO_GROUP, "s"],
        size: (140, 36),
        theme: "dark",
    },
    Picture {
        file: "light.svg",
        keys: &[TO_GROUP, "J"],
        size: (140, 42),
        theme: "light",
    },
];

/// The picture in letters between two marks of the README.
const IN_README: Picture = Picture {
    file: "README.md",
    keys: &[TO_GROUP, "J"],
    size: (120, 30),
    theme: "dark",
};

// Cargo runs tests in the package's folder; paths stand in the title bar, so they are relative.
const FOLDER: &str = "tests/screenshots";
const README: &str = "README.md";

fn blesses() -> bool {
    std::env::var_os("GAGAR_BLESS").is_some()
}

fn draw(picture: &Picture) -> Screenshot {
    let mut options = ScreenshotOptions::of(vec!["sample-data".into()]);
    options.keys = picture.keys.concat();
    options.size = picture.size;
    options.theme = picture.theme.to_owned();
    take(options).unwrap()
}

#[test]
fn the_pictures_show_the_screens_as_they_are() {
    let mut stale = Vec::new();
    for picture in PICTURES {
        let path = Path::new(FOLDER).join(picture.file);
        let drawn = draw(picture).svg();
        if blesses() {
            std::fs::create_dir_all(FOLDER).unwrap();
            std::fs::write(&path, drawn).unwrap();
        } else if std::fs::read_to_string(&path).ok().as_ref() != Some(&drawn) {
            stale.push(picture.file);
        }
    }
    assert!(stale.is_empty(), "{} are stale; {BLESS}", stale.join(", "));
}

#[test]
fn the_readme_shows_the_compare_screen_as_it_is() {
    let readme = std::fs::read_to_string(README).unwrap();
    let (start, end) = ("<!-- screenshot -->\n", "<!-- /screenshot -->");
    let start = readme.find(start).expect("the start mark") + start.len();
    let end = readme.find(end).expect("the end mark");
    let drawn = format!("```text\n{}```\n", draw(&IN_README).text());
    if blesses() {
        let text = format!("{}{drawn}{}", &readme[..start], &readme[end..]);
        std::fs::write(README, text).unwrap();
    } else {
        assert!(readme[start..end] == drawn, "README.md is stale; {BLESS}");
    }
}

/// What the README and the folder hold and what is drawn here is the same.
#[test]
fn every_picture_is_shown_in_the_readme_and_none_is_left_over() {
    let readme = std::fs::read_to_string(README).unwrap();
    for picture in PICTURES {
        let link = format!("{FOLDER}/{}", picture.file);
        assert!(readme.contains(&link), "README.md does not show {link}");
    }
    if blesses() {
        // The other test may be making them right now.
        return;
    }
    for entry in std::fs::read_dir(FOLDER).unwrap() {
        let name = entry.unwrap().file_name();
        let known = PICTURES.iter().any(|picture| name == picture.file);
        assert!(known, "no picture is called {}", name.display());
    }
}
