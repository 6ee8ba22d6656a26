//! The menu of commands that a platform offers whoever writes a slash.

use std::sync::atomic::{AtomicBool, Ordering};

/// A command as menus have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MenuCommand {
    /// Its name without the slash: small letters, digits and `_`, at most 32.
    pub name: String,
    /// Its effect, in a sentence.
    pub about: String,
    /// The words that may stand behind it, as its usage has them; empty where none may.
    pub words: String,
}

impl MenuCommand {
    /// True where words may stand behind it.
    pub(crate) const fn takes_words(&self) -> bool {
        !self.words.is_empty()
    }

    /// Its sentence, in at most so many characters.
    pub(crate) fn about_within(&self, most: usize) -> String {
        if self.about.chars().count() <= most {
            return self.about.clone();
        }
        let short: String = self.about.chars().take(most.saturating_sub(1)).collect();
        format!("{short}…")
    }
}

/// The commands of a bot, and whether its platform has them. Without any the platform's menu is left as it is.
#[derive(Debug, Default)]
pub(crate) struct Menu {
    commands: Vec<MenuCommand>,
    is_set: AtomicBool,
}

impl Menu {
    pub(crate) fn new(commands: Vec<MenuCommand>) -> Self {
        Self {
            commands,
            is_set: AtomicBool::new(false),
        }
    }

    pub(crate) fn commands(&self) -> &[MenuCommand] {
        &self.commands
    }

    /// The commands, where there are some and the platform does not have them yet.
    pub(crate) fn due(&self) -> Option<&[MenuCommand]> {
        let is_due = !self.commands.is_empty() && !self.is_set.load(Ordering::Relaxed);
        is_due.then_some(&self.commands)
    }

    /// The platform has them, until the process ends.
    pub(crate) fn note_set(&self) {
        self.is_set.store(true, Ordering::Relaxed);
    }
}
