//! The terminal's events to messages: presses only, shift folded into the character.

use crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind,
};

use super::key::{Code, Key};
use super::message::{Message, MouseKind};

/// The message of an event; `None` for what gagar does not look at (releases, mouse motion).
#[must_use]
pub fn message_of(event: Event) -> Option<Message> {
    match event {
        Event::Key(key) => key_of(key).map(Message::Key),
        Event::Paste(text) => Some(Message::Paste(text)),
        Event::Resize(columns, rows) => Some(Message::Resize(columns, rows)),
        Event::Mouse(mouse) => {
            let kind = match mouse.kind {
                MouseEventKind::Down(MouseButton::Left) => MouseKind::Down,
                MouseEventKind::Drag(MouseButton::Left) => MouseKind::Drag,
                MouseEventKind::Up(MouseButton::Left) => MouseKind::Up,
                MouseEventKind::ScrollUp => MouseKind::ScrollUp,
                MouseEventKind::ScrollDown => MouseKind::ScrollDown,
                _ => return None,
            };
            Some(Message::Mouse {
                kind,
                x: mouse.column,
                y: mouse.row,
            })
        }
        Event::FocusGained => Some(Message::Focus(true)),
        Event::FocusLost => Some(Message::Focus(false)),
    }
}

fn key_of(event: KeyEvent) -> Option<Key> {
    if event.kind == KeyEventKind::Release {
        return None;
    }
    let shift = event.modifiers.contains(KeyModifiers::SHIFT);
    let code = match event.code {
        KeyCode::Char(c) if shift && c.is_lowercase() => {
            let mut upper = c.to_uppercase();
            // ß and its like have no single upper-case character.
            match (upper.next(), upper.next()) {
                (Some(one), None) => Code::Char(one),
                _ => Code::Char(c),
            }
        }
        KeyCode::Char(c) => Code::Char(c),
        KeyCode::Enter => Code::Enter,
        KeyCode::Esc => Code::Esc,
        KeyCode::Tab if shift => Code::BackTab,
        KeyCode::Tab => Code::Tab,
        KeyCode::BackTab => Code::BackTab,
        KeyCode::Backspace => Code::Backspace,
        KeyCode::Delete => Code::Delete,
        KeyCode::Up => Code::Up,
        KeyCode::Down => Code::Down,
        KeyCode::Left => Code::Left,
        KeyCode::Right => Code::Right,
        KeyCode::PageUp => Code::PageUp,
        KeyCode::PageDown => Code::PageDown,
        KeyCode::Home => Code::Home,
        KeyCode::End => Code::End,
        KeyCode::F(n @ 1..=12) => Code::F(n),
        _ => return None,
    };
    Some(Key {
        code,
        ctrl: event.modifiers.contains(KeyModifiers::CONTROL),
        alt: event.modifiers.contains(KeyModifiers::ALT),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(code: KeyCode, modifiers: KeyModifiers) -> Option<String> {
        match message_of(Event::Key(KeyEvent::new(code, modifiers))) {
            Some(Message::Key(key)) => Some(key.to_string()),
            _ => None,
        }
    }

    #[test]
    fn shift_is_folded_into_the_character() {
        assert_eq!(
            press(KeyCode::Char('J'), KeyModifiers::SHIFT).as_deref(),
            Some("J")
        );
        assert_eq!(
            press(KeyCode::Char('j'), KeyModifiers::SHIFT).as_deref(),
            Some("J")
        );
        assert_eq!(
            press(KeyCode::Char('r'), KeyModifiers::CONTROL).as_deref(),
            Some("<ctrl-r>")
        );
        assert_eq!(
            press(KeyCode::Tab, KeyModifiers::SHIFT).as_deref(),
            Some("<backtab>")
        );
        assert_eq!(press(KeyCode::CapsLock, KeyModifiers::NONE), None);
    }

    #[test]
    fn a_release_is_not_a_press() {
        let mut event = KeyEvent::new(KeyCode::Char('j'), KeyModifiers::NONE);
        event.kind = KeyEventKind::Release;
        assert!(message_of(Event::Key(event)).is_none());
    }
}
