//! OpenClaw's log: when something was sent, and what failed.

use crate::{
    DamageReason, LogEntry, LogLevel, Refusal,
    json::{self, text},
    reading::Reading,
    source::Source,
};
use serde_json::Value;

/// Reads a log; lines of plain text stand between its entries.
pub(super) fn read(source: &mut Source<'_>, reading: &mut Reading) -> Result<(), Refusal> {
    while let Some(line) = source.next_line()? {
        let (number, offset) = (line.number, line.offset);
        let bytes = match line.bytes {
            Ok(bytes) => bytes,
            Err(reason) => {
                reading.damage(number, offset, reason);
                continue;
            }
        };
        if !bytes.trim_ascii_start().starts_with(b"{") {
            if std::str::from_utf8(&bytes).is_ok() {
                reading.aside("line", "plain");
            } else {
                reading.damage(number, offset, DamageReason::NotUtf8);
            }
            continue;
        }
        let Some(value) = reading.parse(number, offset, &bytes, line.ended) else {
            continue;
        };
        let Some(meta) = value.get("_meta") else {
            reading.unknown("entry", text(&value, "type").unwrap_or_default());
            continue;
        };
        let level = match text(meta, "logLevelName") {
            Some("ERROR" | "FATAL") => LogLevel::Error,
            _ => LogLevel::Info,
        };
        let of = parts(&value)
            .into_iter()
            .find_map(|part| json::id(&part, "chatId"));
        reading.log.push(LogEntry {
            at: json::time(&value, "time").or_else(|| json::time(meta, "date")),
            kind: subsystem(&value).unwrap_or_else(|| "log".to_owned()),
            level,
            job: None,
            target: of,
        });
    }
    Ok(())
}

/// Parts of the message that are objects, in the order of their numbers.
fn parts(entry: &Value) -> Vec<Value> {
    let parts = (0..).map_while(|number: u32| entry.get(number.to_string()));
    parts.filter(|part| part.is_object()).cloned().collect()
}

/// The part of the program, which the first part of the message names, often as JSON in a string.
fn subsystem(entry: &Value) -> Option<String> {
    let first = entry.get("0")?;
    let own;
    let first = match first {
        Value::String(text) => {
            own = json::parse(text.as_bytes()).ok()?.0;
            &own
        }
        other => other,
    };
    text(first, "subsystem").map(str::to_owned)
}
