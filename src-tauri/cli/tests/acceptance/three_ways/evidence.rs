//! The chain of an action as it is read from the journal.

use crate::bot::{Bot, Home, is};
use serde_json::{Value, json};

/// Starts the bot, printing its journal and taking commands.
pub(super) fn serve(home: &Home) -> Bot {
    let mut bot = home.serve(&["--events", "--commands"]);
    bot.until(is("started"));
    bot
}

/// A person writes in the chat.
pub(super) fn write(bot: &mut Bot, text: &str) {
    bot.order(&json!({"command": "compose_send", "args":
        {"channel": "telegram", "user_text": text, "agent_output": null}}));
}

/// Waits until a line is there that is so, also where it came before, and gives it.
pub(super) fn wait(bot: &mut Bot, what: impl Fn(&Value) -> bool) -> Value {
    let at = match bot.seen.iter().position(&what) {
        Some(at) => at,
        None => bot.until(what),
    };
    bot.seen[at].clone()
}

/// Waits for the end of a turn, which answered the person.
pub(super) fn wait_for_answer(bot: &mut Bot, turn: u64) {
    let ended = wait(bot, |line| line["turn"] == turn && is("turn_ended")(line));
    assert_eq!(ended["kind"]["terminal"]["state"], "replied", "{ended}");
}

/// Waits for the turn that begins with this text, and gives its number.
pub(super) fn wait_for_turn(bot: &mut Bot, text: &str) -> u64 {
    let begun = wait(bot, |line| {
        is("received")(line) && line["kind"]["message"]["text"] == text
    });
    begun["turn"].as_u64().unwrap()
}

/// Sees that events of these kinds, each of the turn beside it, are there in this order, whatever is between them.
pub(super) fn in_order(seen: &[Value], wanted: &[(u64, &str)]) {
    let mut rest = seen.iter();
    for (turn, kind) in wanted {
        let found = rest.any(|line| line["turn"] == *turn && is(kind)(line));
        assert!(found, "no `{kind}` of turn {turn} at its place: {seen:#?}");
    }
}

/// The events of a kind in a turn.
pub(super) fn of<'s>(seen: &'s [Value], turn: u64, kind: &str) -> Vec<&'s Value> {
    let events = seen.iter().filter(|line| line["turn"] == turn && is(kind)(line));
    events.map(|line| &line["kind"]).collect()
}

/// The codes of the refused actions of a turn.
pub(super) fn refusals(seen: &[Value], turn: u64) -> Vec<&str> {
    let refused = of(seen, turn, "action_refused");
    refused
        .into_iter()
        .map(|refusal| refusal["code"].as_str().unwrap())
        .collect()
}

/// The kinds of a platform's operations that write text.
fn writes(intent: &Value) -> bool {
    intent["kind"] == "send_text" || intent["kind"] == "edit_text"
}

/// The texts of the messages that a turn has in the chat at last, where the platform acknowledged them, each with the message
/// that it replies to.
pub(super) fn read(seen: &[Value], turn: u64) -> Vec<(String, Value)> {
    let mut messages: Vec<(Value, String, Value)> = Vec::new();
    for intended in of(seen, turn, "intended") {
        let intent = &intended["intent"];
        let sent = |line: &&Value| line["op"] == intended["op"] && line["outcome"]["code"] == "sent";
        let ended = of(seen, turn, "ended");
        let Some(ended) = ended.into_iter().find(sent).filter(|_| writes(intent)) else {
            continue;
        };
        let text = text_of(seen, turn, &intent["body"]);
        let id = match &intent["message"] {
            Value::Null => &ended["outcome"]["message"],
            edited => edited,
        };
        match messages.iter_mut().find(|(known, ..)| known == id) {
            Some((_, known, _)) => *known = text,
            None => messages.push((id.clone(), text, intent["reply_to"].clone())),
        }
    }
    messages.into_iter().map(|(_, text, to)| (text, to)).collect()
}

/// The text of an operation: its own, or a part of what the agent said.
fn text_of(seen: &[Value], turn: u64, body: &Value) -> String {
    if let Some(text) = body["text"].as_str() {
        return text.to_owned();
    }
    let chunks = of(seen, turn, "chunk");
    let said = chunks.iter().filter(|chunk| chunk["message"] == body["message"]);
    let said: String = said.filter_map(|chunk| chunk["text"].as_str()).collect();
    let byte = |end: usize| usize::try_from(body["span"][end].as_u64().unwrap()).unwrap();
    said[byte(0)..byte(1)].to_owned()
}

/// The id of the message that a turn began with.
pub(super) fn message_of(seen: &[Value], turn: u64) -> &Value {
    &of(seen, turn, "received")[0]["message"]["message"]
}

/// Sees that the person reads this of a turn, as a reply to the message of another, or the same.
pub(super) fn is_read_as_reply(seen: &[Value], turn: u64, text: &str, asked: u64) {
    let wanted = (text.to_owned(), message_of(seen, asked).clone());
    assert_eq!(read(seen, turn).last(), Some(&wanted), "{seen:#?}");
}

/// Sees that a command ran once, in this turn, and to its end.
pub(super) fn ran_once(seen: &[Value], turn: u64, command: &str) {
    let started: Vec<_> = seen.iter().filter(|line| is("action_started")(line)).collect();
    assert_eq!(started.len(), 1, "{started:#?}");
    assert_eq!(started[0]["turn"], turn);
    let action = &started[0]["kind"]["action"];
    assert_eq!(
        (&action["name"], &action["command"]),
        (&json!("bash"), &json!(command))
    );
    assert_eq!(of(seen, turn, "action_ended")[0]["exit"], 0);
}

/// Sees that a person was asked about a command before it began, and allowed it.
pub(super) fn was_confirmed(seen: &[Value], turn: u64, by: &Value) {
    let asked = of(seen, turn, "permission_asked");
    assert_eq!(asked.len(), 1);
    assert_eq!(
        asked[0]["request"]["title"],
        format!("bash: {}", super::CONFIRMED)
    );
    let decided = &of(seen, turn, "permission_decided")[0];
    assert_eq!(
        (&decided["option"]["kind"], &decided["by"]),
        (&json!("allow_once"), by)
    );
}

/// Sees that a reminder of this turn came due in another, of which it is the cause, as data for the agent.
pub(super) fn came_due(seen: &[Value], set: u64, due: u64) {
    let reminder = &of(seen, set, "reminder_set")[0];
    assert_eq!(reminder["text"], "Call Bob");
    assert_eq!(
        seen.iter().filter(|line| is("reminder_due")(line)).count(),
        1,
        "once is once"
    );
    let request = of(seen, due, "delivery_due")[0];
    assert_eq!(
        (&request["outcome"], &request["cause"]),
        (&json!("event"), &json!(set))
    );
    let prompt = of(seen, due, "prepared")[0]["prompt"].as_str().unwrap();
    assert!(
        prompt.contains("## Event") && prompt.contains("Call Bob"),
        "{prompt}"
    );
}

/// Sees that a result which the agent was given names what to change, the schema, and how many corrections are left.
pub(super) fn asks_for_a_correction(told: &str, code: &str, left: &str) {
    for part in [code, "schema", left] {
        assert!(told.contains(part), "{part}: {told}");
    }
}
