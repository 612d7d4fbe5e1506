//! Keys as a person writes them (`j`, `J`, `<ctrl-r>`, `gg`) and as the terminal sends them.
//!
//! No terminal type here; `input.rs` turns the terminal's events into a [`Key`].

/// A key without modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    /// A printed character; upper case stands for itself.
    Char(char),
    /// Enter.
    Enter,
    /// Escape.
    Esc,
    /// Tab.
    Tab,
    /// Shift-Tab.
    BackTab,
    /// Backspace.
    Backspace,
    /// Delete.
    Delete,
    /// Arrow up.
    Up,
    /// Arrow down.
    Down,
    /// Arrow left.
    Left,
    /// Arrow right.
    Right,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// Home.
    Home,
    /// End.
    End,
    /// A function key, 1 to 12.
    F(u8),
}

/// A key press.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// The key.
    pub code: Code,
    /// Whether Ctrl was held.
    pub ctrl: bool,
    /// Whether Alt was held.
    pub alt: bool,
}

const NAMES: [(&str, Code); 17] = [
    ("enter", Code::Enter),
    ("esc", Code::Esc),
    ("tab", Code::Tab),
    ("backtab", Code::BackTab),
    ("backspace", Code::Backspace),
    ("delete", Code::Delete),
    ("up", Code::Up),
    ("down", Code::Down),
    ("left", Code::Left),
    ("right", Code::Right),
    ("pageup", Code::PageUp),
    ("pagedown", Code::PageDown),
    ("home", Code::Home),
    ("end", Code::End),
    ("space", Code::Char(' ')),
    ("lt", Code::Char('<')),
    ("bar", Code::Char('|')),
];

impl Key {
    /// The key of one character.
    #[must_use]
    pub fn char(c: char) -> Self {
        Self {
            code: Code::Char(c),
            ctrl: false,
            alt: false,
        }
    }

    /// A key without modifiers.
    #[must_use]
    pub fn plain(code: Code) -> Self {
        Self {
            code,
            ctrl: false,
            alt: false,
        }
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let named = NAMES
            .iter()
            .find(|(_, code)| *code == self.code)
            .map(|(name, _)| *name);
        let bare = match (self.code, named) {
            (Code::Char(c), Some("bar")) => c.to_string(),
            (_, Some(name)) => name.to_owned(),
            (Code::Char(c), None) => c.to_string(),
            (Code::F(n), None) => format!("f{n}"),
            (_, None) => String::new(),
        };
        let single = bare.chars().count() == 1;
        match (self.ctrl, self.alt) {
            (false, false) if single => f.write_str(&bare),
            (false, false) => write!(f, "<{bare}>"),
            (true, false) => write!(f, "<ctrl-{bare}>"),
            (false, true) => write!(f, "<alt-{bare}>"),
            (true, true) => write!(f, "<ctrl-alt-{bare}>"),
        }
    }
}

/// Parses a sequence of keys: `gg`, `<ctrl-r>`, `jj<tab>K`.
///
/// # Errors
/// One sentence naming the part that is not a key.
pub fn parse_keys(text: &str) -> Result<Vec<Key>, String> {
    let mut keys = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if c == '<'
            && let Some(end) = rest.find('>').filter(|&end| end > 1)
        {
            keys.push(parse_named(&rest[1..end])?);
            rest = &rest[end + 1..];
        } else {
            keys.push(Key::char(c));
            rest = &rest[c.len_utf8()..];
        }
    }
    if keys.is_empty() {
        Err("no key is named".to_owned())
    } else {
        Ok(keys)
    }
}

fn parse_named(text: &str) -> Result<Key, String> {
    let (mut ctrl, mut alt, mut name) = (false, false, text);
    loop {
        if let Some(rest) = name.strip_prefix("ctrl-") {
            (ctrl, name) = (true, rest);
        } else if let Some(rest) = name.strip_prefix("alt-") {
            (alt, name) = (true, rest);
        } else {
            break;
        }
    }
    let mut chars = name.chars();
    let code = match (chars.next(), chars.next()) {
        (Some(c), None) => Some(Code::Char(c)),
        _ => NAMES
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, code)| *code)
            .or_else(|| {
                let number = name.strip_prefix('f')?.parse::<u8>().ok()?;
                (1..=12).contains(&number).then_some(Code::F(number))
            }),
    };
    let code = code.ok_or_else(|| format!("<{text}> is not a key"))?;
    Ok(Key { code, ctrl, alt })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_print_as_they_parse() {
        for text in [
            "j", "J", "<ctrl-r>", "<tab>", "<space>", "<lt>", "|", "<f5>", "<alt-x>",
        ] {
            let keys = parse_keys(text).unwrap();
            assert_eq!(keys.len(), 1, "{text}");
            assert_eq!(keys[0].to_string(), text);
        }
        assert_eq!(parse_keys("gg").unwrap().len(), 2);
        assert_eq!(parse_keys("<").unwrap(), vec![Key::char('<')]);
        assert!(parse_keys("<ctrl-nope>").is_err());
    }
}
