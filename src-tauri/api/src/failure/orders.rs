//! Failures of an operator's orders: who may talk, what waits, what runs, what is sent again.

use super::{capital, failure};
use crate::delivery_call::UnreadableCall;
use foldback_pipeline::{PermissionFault, ReminderFault, RunAgainFault, ScheduleFault};
use foldback_store::PairingError;
use foldback_wire::{ChannelId, ChatId, OpId, SessionId, TurnId, rpc::Failure};
use std::path::Path;

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

/// An order about a schedule, and no bot runs that could carry it out.
pub(crate) fn no_bot_for_schedules(journal: &Path) -> Failure {
    failure(
        "no_bot",
        format!(
            "No bot runs on {}, and only a running one can begin or pause a schedule.",
            journal.display()
        ),
        Some(
            "Start it first, or name another bot with --config or --db. `foldback schedules` shows them all the same.",
        ),
    )
}

/// An order about a reminder, and no bot runs that could carry it out.
pub(crate) fn no_bot_for_reminders(journal: &Path) -> Failure {
    failure(
        "no_bot",
        format!(
            "No bot runs on {}, and only a running one can cancel a reminder.",
            journal.display()
        ),
        Some(
            "Start it first, or name another bot with --config or --db. `foldback reminders` shows them all the same.",
        ),
    )
}

/// A reminder cannot be cancelled, and why.
pub(crate) fn reminder(fault: &ReminderFault) -> Failure {
    let (code, hint) = match fault {
        ReminderFault::Unknown(_) => ("no_reminder", Some("`foldback reminders` lists them.")),
        ReminderFault::Store(_) => ("journal", None),
    };
    failure(code, format!("{}.", capital(&fault.to_string())), hint)
}

/// Days of a calendar that are none.
pub(crate) fn bad_days() -> Failure {
    failure(
        "bad_request",
        "The days of a calendar are 2 to 64 times in order: the beginning of each day, and the end of the last.".to_owned(),
        None,
    )
}

/// An order about deliveries, and no bot runs that could carry it out.
pub(crate) fn no_bot_for_deliveries(journal: &Path) -> Failure {
    failure(
        "no_bot",
        format!(
            "No bot runs on {}, and only a running one takes deliveries.",
            journal.display()
        ),
        Some("Start it first, or name another bot with --config or --db."),
    )
}

/// A text that is no delivery request.
pub(crate) fn unreadable_call(error: &UnreadableCall) -> Failure {
    failure(
        "bad_request",
        format!("This is no delivery request: {error}."),
        Some("docs/delivery-turns.md has its shapes."),
    )
}

/// A chat to which deliveries are accepted.
pub(crate) fn not_dead(channel: &ChannelId, chat: &ChatId) -> Failure {
    failure(
        "not_dead",
        format!("Deliveries to chat {chat} on {channel} are accepted already."),
        Some("`foldback deliver --dead` lists the chats that take nothing more."),
    )
}

/// A schedule cannot be begun or paused, and why.
pub(crate) fn schedule(fault: &ScheduleFault) -> Failure {
    let (code, hint) = match fault {
        ScheduleFault::Unknown(_) => (
            "no_schedule",
            Some("`foldback schedules` lists them; [[schedule]] in foldback.toml adds one."),
        ),
        ScheduleFault::Running(_) => ("schedule_runs", Some("Wait for its end, or stop its turn.")),
        ScheduleFault::ChannelOff(_) => ("channel_off", Some("Switch the channel on first.")),
        ScheduleFault::NoPrompt(..) => ("no_prompt", Some("Write its file, and begin it again.")),
        ScheduleFault::Store(_) => ("journal", None),
    };
    failure(code, format!("{}.", capital(&fault.to_string())), hint)
}

/// A turn's message cannot be run again, and why.
pub(crate) fn run_again(fault: &RunAgainFault) -> Failure {
    let (code, hint) = match fault {
        RunAgainFault::Unknown(_) => ("not_found", None),
        RunAgainFault::Open(_) => ("turn_open", Some("Wait for its end, or stop it.")),
        RunAgainFault::Ended(..) | RunAgainFault::Cancelled(_) => (
            "has_an_end",
            Some("Send it once more in Compose, where it is to be asked as something new."),
        ),
        RunAgainFault::Acted(_) => (
            "has_acted",
            Some("See in its chain what the action did; then send the message once more in Compose."),
        ),
        RunAgainFault::Scheduled(..) => ("is_scheduled", Some("Begin it with Run now in Schedules.")),
        RunAgainFault::Store(_) => ("journal", None),
    };
    failure(code, format!("{}.", capital(&fault.to_string())), hint)
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

/// A fault that cannot be planned, and why.
pub(crate) fn no_fault(why: &str) -> Failure {
    failure("no_fault", format!("This cannot be planned: {why}."), None)
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

pub(crate) fn unfit_setup(error: &impl std::fmt::Display) -> Failure {
    failure(
        "bad_setting",
        format!("The message cannot be tried: {error}."),
        Some("`foldback doctor` checks the configuration."),
    )
}

pub(crate) fn unfit_lab(why: &str) -> Failure {
    failure(
        "bad_setting",
        format!("The queue lab cannot run: {why}."),
        Some(
            "Modes: steer, followup, collect, interrupt, steer-backlog. Drop: old, new, summarize. Cap: from 1.",
        ),
    )
}

pub(crate) fn no_session(session: &SessionId) -> Failure {
    failure(
        "not_found",
        format!("There is no conversation {session}."),
        Some("The Sessions view lists them."),
    )
}

/// Refuses to stop a run that does not go on, or whose agent is done.
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

/// There is no such shell, or it has ended.
pub(crate) fn no_shell(number: u32) -> Failure {
    failure(
        "not_found",
        format!("There is no shell {number}, or it has ended."),
        Some("`shells` and the Shells view list those there are."),
    )
}
