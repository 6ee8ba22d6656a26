//! The actions that a bot can have, whether its configuration has them on or off.

use crate::{
    ActionRow,
    event::Events,
    terminal::{KeptTerminal, Terminal},
};
use std::{sync::LazyLock, time::Duration};

/// An action that a bot can have.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownAction {
    /// Its row.
    pub row: ActionRow,
    /// The setting that switches it on.
    pub setting: &'static str,
}

/// All of them, by their interface. Commands have this time and this many bytes of output.
pub fn known_actions(timeout: Duration, max_output: usize) -> Vec<KnownAction> {
    let of = |setting, row| KnownAction { row, setting };
    let mut known = vec![
        of("actions.bash.enabled", Terminal::row(timeout, max_output)),
        of("actions.terminal.enabled", KeptTerminal::row(timeout, max_output)),
    ];
    let events = Events::all_rows().into_iter();
    known.extend(events.map(|row| of("actions.event.enabled", row)));
    known
}

/// The names of all of them: what an agent writes with one is meant as an action, also where that is off.
pub fn known_action_names() -> &'static [String] {
    // Rows hold their schemas: not to be made for each text that is read.
    static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
        let known = known_actions(Duration::ZERO, 0).into_iter();
        known.map(|known| known.row.name).collect()
    });
    &NAMES
}
