//! Answers to requests for permission, given in the chat.

use crate::{
    flow::Stop,
    permissions::{ChatQuestion, Permissions},
    rules::{Rule, Rules},
};
use foldback_wire::{Actor, Gate, Inbound, Stage};

/// The effect of a message that answers a request.
pub(crate) enum ChatAnswer {
    /// It decides the request.
    Accepted {
        /// The command's name.
        name: &'static str,
        /// The outcome in words.
        detail: String,
    },
    /// It decides nothing.
    Rejected(Stop),
}

/// The words of a message that can be an answer.
#[derive(Debug, PartialEq, Eq)]
struct ParsedAnswer<'a> {
    allow: bool,
    /// True for a command, which says what it is about; false for a word, which may be about anything.
    command: bool,
    number: Option<&'a str>,
}

/// Decides a request by a message in the chat; `None` when the message is no answer. A forwarded message is another
/// person's word, and a caption is about its file: neither counts.
pub(crate) fn answer_permission(
    permissions: &Permissions,
    rules: Rules,
    message: &Inbound,
) -> Option<ChatAnswer> {
    if message.forwarded || !message.files.is_empty() {
        return None;
    }
    let said = parse_answer(&message.text)?;
    let name = if said.allow { "approve" } else { "deny" };
    let mut found = permissions.asked_in_chat(message, said.number);
    if found.len() > 1 {
        return Some(ChatAnswer::Rejected(ambiguous(&found)));
    }
    let Some(asked) = found.pop() else {
        return said
            .command
            .then(|| ChatAnswer::Rejected(nothing_asked(said.number)));
    };
    if asked.asker != message.sender.id && rules.holds(Rule::PermitAsker) {
        let detail = format!("request {} is for {} to answer", asked.number, asked.asker);
        let stop = Stop::new(Stage::Commands, Gate::NotTheAsker, detail);
        let stop = stop
            .given("sender", message.sender.id.as_str())
            .given("asker", asked.asker.as_str());
        return Some(ChatAnswer::Rejected(stop));
    }
    if said.allow && !asked.shown_whole {
        return Some(ChatAnswer::Rejected(shown_in_part(&asked)));
    }
    let by = Actor::User(message.sender.id.clone());
    Some(match permissions.answer_request(&asked, said.allow, by) {
        Ok(()) => ChatAnswer::Accepted {
            name,
            detail: format!("it answers request {}: {name}", asked.number),
        },
        Err(_) => ChatAnswer::Rejected(nothing_asked(said.number)),
    })
}

fn nothing_asked(number: Option<&str>) -> Stop {
    let detail = match number {
        Some(number) => format!("no request {number} waits for an answer here"),
        None => "no request of this sender waits for an answer here".to_owned(),
    };
    Stop::new(Stage::Commands, Gate::NothingAsked, detail).given("number", number.unwrap_or("none"))
}

/// Stops an answer that several requests could be meant by: no guess is made.
fn ambiguous(found: &[ChatQuestion]) -> Stop {
    let numbers: Vec<_> = found.iter().map(|asked| asked.number.as_str()).collect();
    let numbers = numbers.join(", ");
    let detail = format!("it does not say which of the requests it answers: {numbers}");
    Stop::new(Stage::Commands, Gate::WhichAsked, detail).given("waiting", numbers)
}

/// Stops an answer that would allow what the chat shows only a part of.
fn shown_in_part(asked: &ChatQuestion) -> Stop {
    let number = &asked.number;
    let detail = format!(
        "the chat shows a part of request {number}, so that only the console and the command line can allow it"
    );
    Stop::new(Stage::Commands, Gate::WhichAsked, detail)
        .given("waiting", number.as_str())
        .given("shown", "in part")
}

fn parse_answer(text: &str) -> Option<ParsedAnswer<'_>> {
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
    (command || number.is_none()).then_some(ParsedAnswer {
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
        let said = |text| parse_answer(text).map(|said| (said.allow, said.command, said.number));
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
