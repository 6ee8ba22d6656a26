//! Failures of a question about the journal: views, filters, turns, events.

use super::{capital, failure};
use foldback_store::StoreError;
use foldback_wire::{
    TurnId,
    rpc::{Failure, FilterError, ViewRows},
};

pub(crate) fn no_view(view: u32) -> Failure {
    failure(
        "not_found",
        format!("There is no view {view}."),
        Some("It was closed; open a new one."),
    )
}

pub(crate) fn other_rows(view: u32, rows: ViewRows) -> Failure {
    failure(
        "bad_arguments",
        format!("The rows of view {view} are not {rows}."),
        Some("Open a view with these rows."),
    )
}

pub(crate) fn no_turn(turn: TurnId) -> Failure {
    failure("not_found", format!("There is no turn {turn}."), None)
}

pub(crate) fn no_message(turn: TurnId, message: u32) -> Failure {
    failure(
        "not_found",
        format!("Turn {turn} has no message {}.", message + 1),
        None,
    )
}

pub(crate) fn no_event(seq: u64) -> Failure {
    failure("not_found", format!("There is no event {seq}."), None)
}

pub(crate) fn nothing_about(text: &str) -> Failure {
    failure(
        "not_found",
        format!("Neither a turn nor a message is called `{text}`."),
        Some("Ask with a turn's number, such as #12, or a platform's message id."),
    )
}

pub(crate) fn bad_filter(error: &FilterError) -> Failure {
    let hint = error.suggestion.as_ref().map(|s| format!("Did you mean `{s}`?"));
    failure(
        "bad_filter",
        format!("This is no filter: {}.", error.message.trim_end_matches('.')),
        hint.as_deref(),
    )
}

/// The journal cannot be read or written.
#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` hands over")]
pub(crate) fn journal(error: StoreError) -> Failure {
    failure(
        "journal",
        format!("{}.", capital(&error.to_string())),
        Some("Nothing that was acknowledged is lost; `foldback doctor` checks the journal."),
    )
}

/// A voice note cannot be heard, and why.
pub(crate) fn no_voice(why: &str) -> Failure {
    failure(
        "no_voice",
        format!("This voice note cannot be heard: {why}."),
        None,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_journal_says_begins_as_a_sentence() {
        let full = StoreError::Full("journal.sqlite".into());
        let Failure { message, hint, .. } = journal(full);
        assert!(message.starts_with("There is no room left"), "{message}");
        assert!(message.ends_with('.') && !message.ends_with(".."), "{message}");
        assert!(hint.is_some());
    }
}
