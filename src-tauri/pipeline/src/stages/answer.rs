//! Answers to requests for permission, given in the chat.

use crate::{
    flow::Stop,
    permissions::{InChat, Permissions},
    rules::{Rule, Rules},
};
use foldback_wire::{Actor, Gate, Inbound, Stage};

/// What a message is, when it is an answer.
pub(crate) enum Answered {
    /// It counts.
    Yes {
        /// The command's name.
        name: &'static str,
        /// What came of it, in words.
        detail: String,
    },
    /// It does not.
    No(Stop),
}

/// A message as an answer.
#[derive(Debug, PartialEq, Eq)]
struct Said<'a> {
    allow: bool,
    /// By a command, which says what it is about; else by a word, which anybody may say about anything.
    command: bool,
    number: Option<&'a str>,
}

/// Takes a message as the answer to a request; `None` when it is none. What is passed on is somebody else's word, and
/// what stands below a file is about the file.
pub(crate) fn answer(permissions: &Permissions, rules: Rules, message: &Inbound) -> Option<Answered> {
    if message.forwarded || !message.files.is_empty() {
        return None;
    }
    let said = read(&message.text)?;
    let name = if said.allow { "approve" } else { "deny" };
    let mut found = permissions.in_chat(message, said.number);
    if found.len() > 1 {
        return Some(Answered::No(which(&found)));
    }
    let Some(asked) = found.pop() else {
        return said.command.then(|| Answered::No(nothing(said.number)));
    };
    if asked.asker != message.sender.id && rules.holds(Rule::PermitAsker) {
        let detail = format!("request {} is for {} to answer", asked.number, asked.asker);
        let stop = Stop::new(Stage::Commands, Gate::NotTheAsker, detail);
        return Some(Answered::No(stop.given("sender", message.sender.id.as_str())));
    }
    if said.allow && !asked.shown_whole {
        return Some(Answered::No(unseen(&asked)));
    }
    let by = Actor::User(message.sender.id.clone());
    Some(match permissions.answer_in_chat(&asked, said.allow, by) {
        Ok(()) => Answered::Yes {
            name,
            detail: format!("it answers request {}: {name}", asked.number),
        },
        Err(_) => Answered::No(nothing(said.number)),
    })
}

fn nothing(number: Option<&str>) -> Stop {
    let detail = match number {
        Some(number) => format!("no request {number} waits for an answer here"),
        None => "no request of this sender waits for an answer here".to_owned(),
    };
    Stop::new(Stage::Commands, Gate::NothingAsked, detail)
}

/// Nobody guesses which one a person means.
fn which(found: &[InChat]) -> Stop {
    let numbers: Vec<_> = found.iter().map(|asked| asked.number.as_str()).collect();
    let numbers = numbers.join(", ");
    let detail = format!("it does not say which of the requests it answers: {numbers}");
    Stop::new(Stage::Commands, Gate::WhichAsked, detail).given("waiting", numbers)
}

/// Nobody allows in the chat what it shows a part of.
fn unseen(asked: &InChat) -> Stop {
    let number = &asked.number;
    let detail = format!(
        "the chat shows a part of request {number}, so that only the console and the command line can allow it"
    );
    Stop::new(Stage::Commands, Gate::WhichAsked, detail).given("waiting", number.as_str())
}

fn read(text: &str) -> Option<Said<'_>> {
    let mut words = text.split_whitespace();
    let first = words.next()?.to_lowercase();
    let number = words.next();
    if words.next().is_some() {
        return None;
    }
    // Telegram lets people name the bot in a command: /approve@bot.
    let command = first.split('@').next().unwrap_or_default();
    let (allow, command) = match command {
        "/approve" => (true, true),
        "/deny" => (false, true),
        "yes" | "y" => (true, false),
        "no" | "n" => (false, false),
        _ => return None,
    };
    (command || number.is_none()).then_some(Said {
        allow,
        command,
        number,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_or_a_command_and_nothing_more() {
        let said = |text| read(text).map(|said| (said.allow, said.command, said.number));
        assert_eq!(said(" Yes\n"), Some((true, false, None)));
        assert_eq!(said("n"), Some((false, false, None)));
        assert_eq!(said("/approve 12-1"), Some((true, true, Some("12-1"))));
        assert_eq!(said("/DENY@fold_bot"), Some((false, true, None)));
        for other in [
            "",
            "yes please",
            "yes!",
            "/approve 1 2",
            "approve 12-1",
            "no 12-1",
            "/approved",
        ] {
            assert_eq!(said(other), None, "{other}");
        }
    }
}
