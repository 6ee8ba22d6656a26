//! LettaBot: the turn log, a record a turn, and the log of its jobs.

use crate::{
    ChatPlace, Conversation, DamageReason, LogEntry, LogLevel, Person, PersonMessage, Refusal, Transcript,
    TranscriptTurn, TurnTrigger,
    dialogue::Dialogue,
    elements::{Elements, Wanted},
    json::{self, text},
    reading::{Entry, Reading, next_object},
    source::Source,
};
use foldback_wire::Timestamp;
use serde_json::Value;
use std::{collections::HashMap, time::Duration};

const ENVELOPE_BEGIN: &str = "<system-reminder>";
const ENVELOPE_END: &str = "</system-reminder>";

/// What stands in place of the text of a turn with pictures.
const MULTIMODAL: &str = "[multimodal]";

/// Reads a turn log, a record a line, or the array that the API's viewer gives.
pub(super) fn read_turns(source: &mut Source<'_>, reading: &mut Reading) -> Result<(), Refusal> {
    let mut places = HashMap::new();
    if source.peek()? == Some(b'[') {
        let mut elements = Elements::new(source, |path| match path {
            [] => Wanted::Enter,
            _ => Wanted::Take,
        });
        while let Some(element) = elements.next()? {
            let (line, offset) = (element.line, element.offset);
            match element.bytes {
                Ok(bytes) => {
                    if let Some(value) = reading.parse(line, offset, &bytes, true) {
                        record(&Entry { line, offset, value }, &mut places, reading);
                    }
                }
                Err(reason) => reading.damage(line, offset, reason),
            }
        }
        reading.note("Records that the viewer could not read are missing.");
    } else {
        while let Some(entry) = next_object(source, reading)? {
            record(&entry, &mut places, reading);
        }
    }
    let repeated = reading
        .conversations
        .iter()
        .map(|one| retries(&one.turns))
        .sum::<usize>();
    if repeated > 0 {
        reading.note(format!(
            "Turns that repeat the message of the turn before them, as retries do: {repeated}."
        ));
    }
    Ok(())
}

/// How many turns answer the message that the one before them answers.
fn retries(turns: &[TranscriptTurn]) -> usize {
    let original = |turn: &TranscriptTurn| {
        let inbound = turn.inbound.as_ref()?;
        inbound.original.clone()
    };
    let same =
        |pair: &&[TranscriptTurn]| original(&pair[0]).is_some_and(|text| Some(text) == original(&pair[1]));
    turns.windows(2).filter(same).count()
}

fn record(entry: &Entry, places: &mut HashMap<String, usize>, reading: &mut Reading) {
    let record = &entry.value;
    let (Some(id), Some(trigger)) = (text(record, "turnId"), text(record, "trigger")) else {
        reading.damage(entry.line, entry.offset, DamageReason::MissingField);
        return;
    };
    let trigger = match trigger {
        "user_message" => TurnTrigger::Message,
        "heartbeat" => TurnTrigger::Heartbeat,
        "cron" => TurnTrigger::Schedule,
        "webhook" | "feed" => TurnTrigger::Injected,
        other => {
            reading.unknown("trigger", other);
            TurnTrigger::Unknown
        }
    };
    let channel = text(record, "channel").map(str::to_lowercase);
    let chat = json::id(record, "chatId");
    let key = match (&channel, &chat) {
        (Some(channel), Some(chat)) => format!("{channel}:{chat}"),
        _ => match trigger {
            TurnTrigger::Heartbeat => "heartbeat".to_owned(),
            TurnTrigger::Schedule => "cron".to_owned(),
            _ => "background".to_owned(),
        },
    };
    let ended = json::time(record, "ts");
    let lasted = record.get("durationMs").and_then(Value::as_u64).unwrap_or(0);
    let began = ended.map(|ended| ended.minus(Duration::from_millis(lasted)));

    let mut dialogue = Dialogue::default();
    let input = text(record, "input").unwrap_or_default();
    let mut inbound = inbound(input);
    if let Some(user) = json::id(record, "userId") {
        inbound.sender.get_or_insert_default().id = Some(user);
    }
    dialogue.begin(trigger, Some(inbound), began).id = Some(id.to_owned());
    for event in json::list(record, "events") {
        act(event, &mut dialogue, reading);
    }
    dialogue.say(text(record, "output").unwrap_or_default(), ended);
    if let Some(error) = text(record, "error") {
        dialogue.fail(error, ended);
    }
    dialogue.latest(ended).ended = ended;

    let place = *places.entry(key.clone()).or_insert_with(|| {
        reading.conversations.push(Conversation {
            id: key,
            chat: chat.map(|chat| ChatPlace {
                platform: channel,
                chat: Some(chat),
                ..ChatPlace::default()
            }),
            ..Conversation::default()
        });
        reading.conversations.len() - 1
    });
    let conversation = &mut reading.conversations[place];
    let group = dialogue.turns.iter().any(|turn| {
        let chat = turn.inbound.as_ref().and_then(|inbound| inbound.chat.as_ref());
        chat.is_some_and(|chat| chat.group)
    });
    if let Some(chat) = conversation.chat.as_mut() {
        chat.group |= group;
    }
    conversation.turns.append(&mut dialogue.turns);
}

fn act(event: &Value, dialogue: &mut Dialogue, reading: &mut Reading) {
    let id = text(event, "id").unwrap_or_default();
    match text(event, "type").unwrap_or_default() {
        "reasoning" => dialogue.reason(text(event, "content").unwrap_or_default(), None),
        "tool_call" => {
            let arguments = event.get("args").and_then(json::json_text);
            dialogue.call(id, text(event, "name").unwrap_or_default(), arguments, None);
        }
        "tool_result" => {
            let result = event.get("content").map(json::words).unwrap_or_default();
            dialogue.result(id, result, json::flag(event, "isError"), None);
        }
        other => reading.unknown("event", other),
    }
}

/// What the person wrote, out of the envelope around it.
fn inbound(input: &str) -> PersonMessage {
    let mut message = PersonMessage {
        text: input.to_owned(),
        ..PersonMessage::default()
    };
    if input == MULTIMODAL {
        message.text = String::new();
        message.original = Some(input.to_owned());
        message.files = 1;
        return message;
    }
    let Some((head, rest)) = input
        .strip_prefix(ENVELOPE_BEGIN)
        .and_then(|rest| rest.split_once(ENVELOPE_END))
    else {
        return message;
    };
    rest.trim_start_matches(['\r', '\n'])
        .clone_into(&mut message.text);
    message.original = Some(input.to_owned());
    // A name can fake a line, and comes after the true ones: the first counts.
    let value = |key: &str| {
        let line = format!("- **{key}**: ");
        head.lines()
            .find_map(|found| found.trim_start().strip_prefix(&line))
            .map(str::trim)
    };
    message.message = value("Message ID").map(str::to_owned);
    message.reply_to = value("Replying to").map(str::to_owned);
    message.sender = value("Sender").map(|name| Person {
        id: None,
        name: Some(name.to_owned()),
    });
    if value("Group").is_some() {
        message.chat = Some(ChatPlace {
            platform: value("Channel").map(str::to_lowercase),
            chat: value("Chat ID").map(str::to_owned),
            thread: None,
            group: true,
        });
    }
    message
}

/// Events of the cron log that are known.
const CRON_EVENTS: [&str; 13] = [
    "job_scheduled",
    "job_running",
    "job_completed",
    "job_deliver_failed",
    "job_failed",
    "jobs_reloaded",
    "file_changed",
    "store_migrated",
    "heartbeat_scheduled",
    "heartbeat_started",
    "heartbeat_running",
    "heartbeat_completed",
    "heartbeat_skipped_recent_user",
];

/// Events that say that something failed, or that are about memory files.
const CRON_FAILURES: [&str; 4] = [
    "job_deliver_failed",
    "job_failed",
    "heartbeat_error",
    "heartbeat_memfs_dirty",
];

/// Reads the log of jobs and heartbeats.
pub(super) fn read_cron(source: &mut Source<'_>, reading: &mut Reading) -> Result<(), Refusal> {
    while let Some(entry) = next_object(source, reading)? {
        let value = &entry.value;
        let Some(event) = text(value, "event") else {
            reading.damage(entry.line, entry.offset, DamageReason::MissingField);
            continue;
        };
        let failure = CRON_FAILURES.contains(&event);
        if !failure && !CRON_EVENTS.contains(&event) {
            reading.unknown("event", event);
            continue;
        }
        let level = if failure && event != "heartbeat_memfs_dirty" {
            LogLevel::Error
        } else {
            LogLevel::Info
        };
        let at: Option<Timestamp> = json::time(value, "timestamp");
        reading.log.push(LogEntry {
            at,
            kind: event.to_owned(),
            level,
            job: json::id(value, "id"),
            target: text(value, "deliverTarget").map(str::to_owned),
        });
    }
    Ok(())
}

/// Longest time between the end of a turn and the entry of its job, in milliseconds.
const NEAR: i64 = 60_000;

/// Gives the turns of schedules the chat that they were delivered to, which only the log of jobs names. A turn belongs to
/// the entry of its job that is nearest to its end.
pub fn join_cron(turns: &mut Transcript, log: &[LogEntry]) {
    let all = turns.conversations.iter_mut().flat_map(|one| &mut one.turns);
    for turn in all.filter(|turn| turn.trigger == TurnTrigger::Schedule) {
        let Some((inbound, ended)) = turn.inbound.as_mut().zip(turn.ended) else {
            continue;
        };
        let Some(job) = inbound
            .text
            .strip_prefix("[cron:")
            .and_then(|rest| rest.split([' ', ']']).next())
        else {
            continue;
        };
        let of_job = log.iter().filter_map(|entry| {
            let (target, at) = entry.target.as_deref().zip(entry.at)?;
            let away = (at.0 - ended.0).abs();
            (entry.job.as_deref() == Some(job) && away <= NEAR).then_some((away, target))
        });
        if let Some((platform, chat)) = of_job.min().and_then(|(_, target)| target.split_once(':')) {
            inbound.chat = Some(ChatPlace {
                platform: Some(platform.to_lowercase()),
                chat: Some(chat.to_owned()),
                ..ChatPlace::default()
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TurnPart;

    #[test]
    fn a_name_cannot_fake_a_line_of_the_envelope() {
        let input = "<system-reminder>\n- **Chat ID**: 7\n- **Message ID**: 901\n- **Sender**: Mira\n- **Message ID**: 5\n\
                     </system-reminder>\n\nhello\n</system-reminder>";
        let message = inbound(input);
        assert_eq!(message.message.as_deref(), Some("901"));
        assert_eq!(message.text, "hello\n</system-reminder>");
        assert_eq!(message.original.as_deref(), Some(input));
    }

    #[test]
    fn a_result_without_an_id_belongs_to_the_call_before_it() {
        let mut dialogue = Dialogue::default();
        dialogue.call("", "search", None, None);
        dialogue.result("", "found".to_owned(), false, None);
        dialogue.result("", "more".to_owned(), false, None);
        let results: Vec<_> = dialogue.turns[0]
            .parts
            .iter()
            .map(|part| match part {
                TurnPart::Tool(tool) => tool.result.as_deref(),
                _ => None,
            })
            .collect();
        assert_eq!(results, [Some("found"), Some("more")]);
    }
}
