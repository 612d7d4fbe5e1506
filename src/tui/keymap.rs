//! Keys to actions: the default keymap, a person's overrides, look-up of key sequences.

use std::collections::BTreeMap;

use super::action::{Action, Context};
use super::key::{Key, parse_keys};

/// The default keys, as shipped.
pub const DEFAULT_KEYMAP: &str = include_str!("keymap.default.toml");

/// What a key sequence means in a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lookup {
    /// This action.
    Hit(Action),
    /// The beginning of a longer sequence.
    Pending,
    /// Nothing.
    Miss,
}

/// Keys per action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keymap {
    keys: BTreeMap<Action, Vec<Vec<Key>>>,
}

impl Keymap {
    /// Returns the default keymap with the overrides of `user` (the text of a `keys.toml`): an
    /// action named there has exactly the keys given there.
    ///
    /// # Errors
    /// Every error of the file, one sentence each: unknown contexts and actions, bad keys, and keys
    /// that mean two things in one context.
    pub fn new(user: Option<&str>) -> Result<Self, Vec<String>> {
        let mut errors = Vec::new();
        let mut keys = BTreeMap::new();
        for text in std::iter::once(DEFAULT_KEYMAP).chain(user) {
            read_into(text, &mut keys, &mut errors);
        }
        let keymap = Self { keys };
        errors.extend(keymap.clashes());
        if errors.is_empty() {
            Ok(keymap)
        } else {
            Err(errors)
        }
    }

    /// What `pressed` means in a context: the innermost context's keys first, the global ones last.
    #[must_use]
    pub fn lookup(&self, context: Context, pressed: &[Key]) -> Lookup {
        let mut pending = false;
        for &wanted in context.chain() {
            for (action, sequences) in &self.keys {
                if action.context() != wanted {
                    continue;
                }
                for sequence in sequences {
                    if sequence.as_slice() == pressed {
                        return Lookup::Hit(*action);
                    }
                    pending |= sequence.starts_with(pressed);
                }
            }
        }
        if pending {
            Lookup::Pending
        } else {
            Lookup::Miss
        }
    }

    /// What may follow the beginning of a sequence: the keys that are left, and what they do there.
    /// The innermost context comes first; what it takes means nothing further out.
    #[must_use]
    pub fn continuations(&self, context: Context, pressed: &[Key]) -> Vec<(String, Action)> {
        let mut found: Vec<(&[Key], Action)> = Vec::new();
        for &wanted in context.chain() {
            for &action in Action::ALL.iter().filter(|a| a.context() == wanted) {
                for sequence in self.keys.get(&action).into_iter().flatten() {
                    let rest = sequence.strip_prefix(pressed);
                    let rest = rest.filter(|rest| !rest.is_empty());
                    if let Some(rest) = rest
                        && found.iter().all(|(other, _)| *other != rest)
                    {
                        found.push((rest, action));
                    }
                }
            }
        }
        let print = |keys: &[Key]| keys.iter().map(Key::to_string).collect::<String>();
        let found = found.into_iter();
        found.map(|(keys, action)| (print(keys), action)).collect()
    }

    /// The keys of an action as text, in the order of the keymap; empty when unbound.
    #[must_use]
    pub fn keys_of(&self, action: Action) -> Vec<String> {
        let print = |keys: &Vec<Key>| keys.iter().map(Key::to_string).collect::<String>();
        self.keys
            .get(&action)
            .map(|all| all.iter().map(print).collect())
            .unwrap_or_default()
    }

    /// The first key of an action as text.
    #[must_use]
    pub fn key_of(&self, action: Action) -> Option<String> {
        self.keys_of(action).into_iter().next()
    }

    /// The key table as Markdown, one row per action: the README holds exactly this.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text =
            String::from("| where | keys | action | what it does |\n|---|---|---|---|\n");
        for context in Context::ALL {
            for &action in Action::ALL
                .iter()
                .filter(|action| action.context() == context)
            {
                let keys = match self.keys_of(action) {
                    keys if action == Action::PlaceDigit && keys.len() == 9 => "`1`-`9`".to_owned(),
                    keys => keys
                        .iter()
                        .map(|key| format!("`{}`", key.replace('|', "\\|")))
                        .collect::<Vec<_>>()
                        .join(" "),
                };
                text.push_str(&format!(
                    "| {} | {keys} | {} | {} |\n",
                    context.word(),
                    action.name(),
                    action.doc()
                ));
            }
        }
        text
    }

    fn clashes(&self) -> Vec<String> {
        let mut seen: BTreeMap<(Context, &Vec<Key>), Action> = BTreeMap::new();
        let mut errors = Vec::new();
        for (action, sequences) in &self.keys {
            for sequence in sequences {
                if let Some(other) = seen.insert((action.context(), sequence), *action) {
                    let keys: String = sequence.iter().map(Key::to_string).collect();
                    errors.push(format!(
                        "{keys} means both {} and {} in [{}]",
                        other.name(),
                        action.name(),
                        action.context().word()
                    ));
                }
            }
        }
        errors
    }
}

fn read_into(text: &str, keys: &mut BTreeMap<Action, Vec<Vec<Key>>>, errors: &mut Vec<String>) {
    let table: BTreeMap<String, BTreeMap<String, Vec<String>>> = match toml::from_str(text) {
        Ok(table) => table,
        Err(error) => {
            errors.push(error.to_string());
            return;
        }
    };
    for (section, entries) in table {
        let Some(context) = Context::ALL.into_iter().find(|c| c.word() == section) else {
            errors.push(format!("[{section}] is not a context"));
            continue;
        };
        for (name, sequences) in entries {
            let known = Action::ALL
                .iter()
                .find(|a| a.name() == name && a.context() == context);
            let Some(&action) = known else {
                errors.push(format!("[{section}] {name} is not an action"));
                continue;
            };
            let mut parsed = Vec::new();
            for sequence in sequences {
                match parse_keys(&sequence) {
                    Ok(sequence) => parsed.push(sequence),
                    Err(error) => errors.push(format!("[{section}] {name}: {error}")),
                }
            }
            keys.insert(action, parsed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_action_has_a_default_key() {
        let keymap = Keymap::new(None).unwrap();
        for &action in Action::ALL {
            assert!(
                !keymap.keys_of(action).is_empty(),
                "{} is unbound",
                action.name()
            );
        }
    }

    #[test]
    fn all_errors_of_a_keys_file_are_told_together() {
        let errors = Keymap::new(Some(
            "[compare]\nmove_up = [\"J\"]\nfly = [\"x\"]\nundo = [\"<nope>\"]\n[nowhere]\na = []",
        ))
        .unwrap_err();
        assert_eq!(errors.len(), 4, "{errors:?}");
    }

    #[test]
    fn the_continuations_of_a_sequence_come_from_the_table() {
        let keymap = Keymap::new(None).unwrap();
        let keys = parse_keys("y").unwrap();
        let found = keymap.continuations(Context::Compare, &keys);
        let keys: Vec<_> = found.iter().map(|(keys, _)| keys.as_str()).collect();
        assert_eq!(keys, ["y", "h", "p", "f"]);
        let keys = parse_keys("g").unwrap();
        let found = keymap.continuations(Context::Tests, &keys);
        assert!(found.contains(&("g".to_owned(), Action::Top)));
        assert!(found.contains(&("<enter>".to_owned(), Action::OpenGrader)));
    }

    #[test]
    fn a_context_key_wins_over_a_global_one() {
        let keymap = Keymap::new(None).unwrap();
        let keys = parse_keys("gg").unwrap();
        assert_eq!(keymap.lookup(Context::Groups, &keys[..1]), Lookup::Pending);
        assert_eq!(
            keymap.lookup(Context::Groups, &keys),
            Lookup::Hit(Action::Top)
        );
        let one = parse_keys("5").unwrap();
        assert_eq!(
            keymap.lookup(Context::Compare, &one),
            Lookup::Hit(Action::PlaceDigit)
        );
        assert_eq!(keymap.lookup(Context::Groups, &one), Lookup::Miss);
    }
}
