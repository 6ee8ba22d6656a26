//! How commands fail: a stable code, what happened, and what to do about it.

mod start;

pub(crate) use start::{cannot_start, no_setup};

use foldback_pipeline::PermissionFault;
use foldback_store::{PairingError, StoreError};
use foldback_wire::{
    ChannelId, LinkError, OpId, SessionId, TurnId,
    rpc::{Failure, FilterError, ViewRows},
};
use std::{fmt::Display, path::Path};

/// Declares failures with their texts.
fn failure(code: &str, message: String, hint: Option<&str>) -> Failure {
    Failure {
        code: code.to_owned(),
        message,
        hint: hint.map(str::to_owned),
    }
}

/// The beginning of a sentence: errors of Rust begin in lower case, and people read sentences.
pub(crate) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// No command has this name.
pub(crate) fn unknown_command(name: &str) -> Failure {
    failure(
        "unknown_command",
        format!("There is no command `{name}`."),
        Some("`foldback schema commands` lists them."),
    )
}

/// The arguments of a command do not have its shape.
pub(crate) fn bad_arguments(name: &str, error: &serde_json::Error) -> Failure {
    failure(
        "bad_arguments",
        format!("`{name}` cannot read its arguments: {error}."),
        None,
    )
}

/// No workspace has this number.
pub(crate) fn no_workspace(number: u32) -> Failure {
    failure(
        "no_workspace",
        format!("The file of workspace {number} is not open any more."),
        Some("Open it again."),
    )
}

/// Something that only a live bot can do, asked of a file.
pub(crate) fn replayed(name: &str) -> Failure {
    failure(
        "replayed",
        format!("{name} is a file: what is in it has happened, and nothing can be sent or switched here."),
        Some("Go back to the live bot."),
    )
}

/// As many files are open as can be.
pub(crate) fn too_many_workspaces(most: usize) -> Failure {
    failure(
        "too_many_workspaces",
        format!("{most} files are open, which is as many as can be."),
        Some("Close one of them first."),
    )
}

/// A file cannot be opened; `why` is a sentence without a capital.
pub(crate) fn cannot_open(name: &str, why: &str) -> Failure {
    let end = if why.ends_with(['.', '?']) { "" } else { "." };
    failure("cannot_open", format!("{name} is not opened: {why}{end}"), None)
}

/// A file cannot be opened, in a sentence of its own.
pub(crate) fn refused_file(sentence: &str) -> Failure {
    failure("cannot_open", sentence.to_owned(), None)
}

/// A link leads nowhere.
pub(crate) fn bad_link(error: LinkError) -> Failure {
    failure("bad_link", error.to_string(), None)
}

/// The bot that runs has no window that could open something.
pub(crate) fn no_window() -> Failure {
    failure(
        "no_window",
        "The bot that runs was started with `foldback serve` and has no window.".to_owned(),
        Some("Read the file with `foldback import`, or end the bot and open the window."),
    )
}

/// An order about who may talk came from a program that an agent started.
pub(crate) fn no_operator() -> Failure {
    failure(
        "no_operator",
        "This process was started by the bot itself, so it is an agent's and no operator's.".to_owned(),
        Some("Give the order in the window, or in a terminal that no agent started."),
    )
}

/// An answer to a request for permission, and no bot runs: its requests end with it.
pub(crate) fn no_bot(journal: &Path) -> Failure {
    failure(
        "no_bot",
        format!(
            "No bot runs on {}, so nothing in it waits for an answer.",
            journal.display()
        ),
        Some("Start it first, or name another bot with --config or --db."),
    )
}

/// An order about what waits for consent, and no bot runs that could carry it out.
pub(crate) fn no_bot_for_queue(journal: &Path) -> Failure {
    failure(
        "no_bot",
        format!(
            "No bot runs on {}, and only a running one can release or drop what waits.",
            journal.display()
        ),
        Some(
            "Start it and give the order again, or name another bot with --config or --db. `foldback queue held` shows \
             what waits.",
        ),
    )
}

/// Something that only a defect of Foldback itself can cause.
pub(crate) fn internal(error: &impl Display) -> Failure {
    failure(
        "internal",
        format!("Foldback made a mistake: {error}."),
        Some("Everything else still works. The log has more; please report it."),
    )
}

/// A fault that cannot be planned, and why.
pub(crate) fn no_fault(why: &str) -> Failure {
    failure("no_fault", format!("This cannot be planned: {why}."), None)
}

/// A file of a message written by hand cannot be read.
pub(crate) fn no_file(name: &str, error: &impl Display) -> Failure {
    failure("no_file", format!("{name} is not in base64: {error}."), None)
}

pub(crate) fn no_agent(agent: &str) -> Failure {
    failure(
        "not_found",
        format!("No channel is answered by the agent `{agent}`."),
        None,
    )
}

pub(crate) fn no_planned_fault(number: u64) -> Failure {
    failure(
        "not_found",
        format!("There is no planned fault {number}."),
        Some("It was removed already."),
    )
}

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

pub(crate) fn bad_cut() -> Failure {
    failure(
        "bad_cut",
        "This text cannot be cut there.".to_owned(),
        Some("Give byte offsets that rise and lie between two characters."),
    )
}

/// The form of an export cannot hold what is asked for.
pub(crate) fn cannot_export(why: &str) -> Failure {
    failure(
        "cannot_export",
        why.to_owned(),
        Some("Choose fewer turns, or another format."),
    )
}

/// A report of a range without a moment in it.
pub(crate) fn cannot_report() -> Failure {
    failure(
        "cannot_export",
        "The time range ends before it begins.".to_owned(),
        Some("Choose an end that is later than the beginning."),
    )
}

/// No turn is in what is to be exported.
pub(crate) fn nothing_to_export() -> Failure {
    failure(
        "not_found",
        "No turn matches, so there is nothing to export.".to_owned(),
        None,
    )
}

pub(crate) fn no_event(seq: u64) -> Failure {
    failure("not_found", format!("There is no event {seq}."), None)
}

pub(crate) fn no_channel(channel: &ChannelId) -> Failure {
    failure(
        "not_found",
        format!("There is no channel {channel}."),
        Some("Channels are the tables [channels.NAME] of the configuration."),
    )
}

pub(crate) fn no_demo() -> Failure {
    failure(
        "no_demo",
        "The demo does not play here: this configuration has channels of its own.".to_owned(),
        Some("Start Foldback without a configuration file to see the demo."),
    )
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

pub(crate) fn not_confirmed(channel: &ChannelId) -> Failure {
    failure(
        "not_confirmed",
        format!("{channel} was not armed: its name was not typed."),
        Some("An armed channel sends to real people. Type its name to arm it."),
    )
}

pub(crate) fn no_dead_letter(turn: TurnId, op: OpId) -> Failure {
    failure(
        "not_dead",
        format!("Operation {op} of turn {turn} is no dead letter."),
        Some("Only what failed, or whose outcome is unknown, is sent again."),
    )
}

pub(crate) fn cannot_resend(op: OpId, why: &str) -> Failure {
    failure(
        "cannot_resend",
        format!("Operation {op} cannot be sent again: {why}."),
        None,
    )
}

pub(crate) fn resent_already(op: OpId, turn: TurnId) -> Failure {
    failure(
        "resent_already",
        format!("Operation {op} was sent again already, in turn {turn}."),
        Some("Look there how that ended."),
    )
}

/// A person sent the operation again, and it waits.
pub(crate) fn resend_waits(op: OpId, turn: TurnId) -> Failure {
    failure(
        "resent_already",
        format!("Operation {op} waits to be sent again, in turn {turn}."),
        Some("If that turn ends without it, it can be sent again."),
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

/// There is nothing to decide about.
pub(crate) fn no_pairing(error: &PairingError) -> Failure {
    let hint = match error {
        PairingError::NoCode(_) | PairingError::NobodyWaits(_) => {
            "`foldback pairing list` and the Channels view show who waits. Whoever writes again gets a new code."
        }
        PairingError::NotApproved { .. } => {
            "`foldback pairing list` shows who was approved, by channel and id."
        }
    };
    failure(
        "no_pairing",
        format!("{}.", capital(&error.to_string())),
        Some(hint),
    )
}

/// A person's answer to a request for permission does not count.
pub(crate) fn no_permission(fault: &PermissionFault) -> Failure {
    let (code, hint) = match fault {
        PermissionFault::Gone => (
            "not_found",
            "The turn shows how it was decided, and by whom; the Sessions view and `foldback permission list` have \
             what waits.",
        ),
        PermissionFault::NoOption(_) => (
            "no_option",
            "`permissions` and `foldback permission list` have the answers the agent offers.",
        ),
        PermissionFault::Unseen(_) => (
            "unseen",
            "“Show all” on its card and `foldback permission show` show all of it; then it can be allowed.",
        ),
    };
    failure(code, format!("{}.", capital(&fault.to_string())), Some(hint))
}

pub(crate) fn no_session(session: &SessionId) -> Failure {
    failure(
        "not_found",
        format!("There is no conversation {session}."),
        Some("The Sessions view lists them."),
    )
}

/// What is to be stopped does not run, or its agent is done.
pub(crate) fn nothing_to_stop(session: &SessionId, turn: Option<TurnId>) -> Failure {
    let of = turn.map_or_else(
        || format!("conversation {session}"),
        |turn| format!("turn #{turn}"),
    );
    failure(
        "not_running",
        format!("Nothing was stopped: no agent is at work on {of}."),
        Some("It waits, its answer is being delivered, or it has ended; the Sessions view shows which."),
    )
}

/// The bot has the journal and cannot be asked.
pub(crate) fn not_heard() -> Failure {
    failure(
        "not_heard",
        "The bot runs and does not answer.".to_owned(),
        Some("Nothing was changed. Decide in its window, or with `serve --commands`."),
    )
}

pub(crate) fn bad_path(path: &str) -> Failure {
    failure(
        "bad_path",
        format!("`{path}` is no path of a fixture."),
        Some("Give a path below the fixtures folder that ends in .yaml, without `..`."),
    )
}

pub(crate) fn cannot_read(path: &str, error: &impl Display) -> Failure {
    failure("unreadable", format!("{path} cannot be read: {error}."), None)
}

pub(crate) fn cannot_write(path: &str, error: &impl Display) -> Failure {
    failure(
        "unwritable",
        format!("{path} cannot be written: {error}."),
        Some("Nothing was changed."),
    )
}

pub(crate) fn bad_fixture(error: &impl Display) -> Failure {
    failure(
        "bad_fixture",
        format!("This is no fixture: {error}."),
        Some("Nothing was changed. `foldback schema fixture` has the words."),
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

pub(crate) fn no_run(run: u32) -> Failure {
    failure(
        "not_found",
        format!("Run {run} is over, or was never begun."),
        None,
    )
}

pub(crate) fn cannot_run(path: &str, case: &foldback_replay::Case) -> Failure {
    let why = case
        .mismatches
        .first()
        .map_or("no reason was given", |m| m.message.as_str());
    failure(
        "cannot_run",
        format!("{path} cannot be run on {}: {why}.", case.channel),
        Some("Nothing was changed."),
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
