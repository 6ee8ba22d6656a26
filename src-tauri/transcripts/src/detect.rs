//! Recognition of a format by what stands at the beginning of a file.

use crate::{
    ReadLimits, Refusal, TranscriptFormat as Format,
    elements::{Elements, Wanted},
    formats::whatsapp,
    source::Source,
};
use std::collections::{BTreeMap, BTreeSet};

/// Most lines that are looked at.
const LINES: usize = 100;

/// Recognises the format of a file by its beginning.
pub(crate) fn detect(prefix: &[u8]) -> Result<Format, Refusal> {
    if let Some(packing) = packing(prefix) {
        return Err(Refusal::Packed(packing));
    }
    let text = prefix.trim_ascii_start();
    let Some(first) = text.first() else {
        return Err(Refusal::Empty);
    };
    let whole = matches!(first, b'[' | b'{')
        .then(|| Sketch::of(text))
        .and_then(|sketch| sketch.format());
    let lines = || {
        let lines = text.split(|byte| *byte == b'\n').take(LINES);
        let mut objects = lines.filter(|line| line.trim_ascii_start().starts_with(b"{"));
        objects.find_map(|line| Sketch::of(line).format())
    };
    whole
        .or_else(lines)
        .or_else(|| whatsapp::is_chat(text).then_some(Format::WhatsApp))
        .ok_or(Refusal::Unrecognised)
}

fn packing(prefix: &[u8]) -> Option<&'static str> {
    const PACKED: [(&[u8], &str); 3] = [
        (b"PK\x03\x04", "ZIP"),
        (b"\x1f\x8b", "gzip"),
        (b"\x28\xb5\x2f\xfd", "Zstandard"),
    ];
    let found = PACKED.iter().find(|(mark, _)| prefix.starts_with(mark));
    found.map(|(_, name)| *name)
}

/// Whether an event is one of the log of jobs; other programs write times and events too.
fn is_job_event(event: &str) -> bool {
    event.starts_with("job_") || event.starts_with("heartbeat_") || event == "jobs_reloaded"
}

/// Keys of the first object, three levels deep, and the texts that name its kind.
struct Sketch {
    keys: BTreeSet<String>,
    texts: BTreeMap<String, String>,
}

fn policy(path: &[String]) -> Wanted {
    match path {
        [.., key] if matches!(key.as_str(), "type" | "object" | "foldback" | "event") && path.len() <= 3 => {
            Wanted::Take
        }
        _ if path.len() < 3 => Wanted::Enter,
        _ => Wanted::Skip,
    }
}

impl Sketch {
    fn of(text: &[u8]) -> Self {
        let mut source = Source::new(Box::new(text), ReadLimits::default());
        let mut elements = Elements::new(&mut source, policy).noting();
        let mut texts = BTreeMap::new();
        while let Ok(Some(element)) = elements.next() {
            let value = element
                .bytes
                .ok()
                .and_then(|bytes| serde_json::from_slice(&bytes).ok());
            if let Some(value) = value {
                // Of several elements the first counts.
                texts.entry(element.path.join(".")).or_insert(value);
            }
        }
        let keys = elements.seen().iter().map(|path| path.join(".")).collect();
        Self { keys, texts }
    }

    fn has(&self, keys: &[&str]) -> bool {
        keys.iter().all(|key| self.keys.contains(*key))
    }

    fn any(&self, keys: &[&str]) -> bool {
        keys.iter().any(|key| self.keys.contains(*key))
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.texts.get(key).map(String::as_str)
    }

    fn format(&self) -> Option<Format> {
        self.list().or_else(|| self.export()).or_else(|| self.line())
    }

    /// A document that is a list.
    fn list(&self) -> Option<Format> {
        let found = if self.has(&["[].turnId", "[].trigger"]) {
            Format::LettaBotTurns
        } else if self.has(&["[].ts"])
            || self.has(&["[].name", "[].members"])
            || self.has(&["[].id", "[].team_id"])
        {
            Format::Slack
        } else if self.has(&["[].type"])
            && self.any(&[
                "[].channelId",
                "[].conversation",
                "[].from",
                "[].attachments",
                "[].recipient",
            ])
        {
            Format::BotFramework
        } else {
            return None;
        };
        Some(found)
    }

    /// A document that is one object.
    fn export(&self) -> Option<Format> {
        let found = if self.has(&["guild", "channel"]) || self.has(&["messages", "guild"]) {
            Format::Discord
        } else if self.has(&["chats.list"])
            || self.has(&["messages", "type", "id"]) && !self.any(&["role", "model"])
        {
            Format::Telegram
        } else {
            return None;
        };
        Some(found)
    }

    /// A line of a log.
    fn line(&self) -> Option<Format> {
        let kind = self.text("type");
        let object = self.text("object").or_else(|| self.text("response.object"));
        let found = if self.text("foldback") == Some("recording") {
            Format::Recording
        } else if self.has(&["turnId", "trigger"]) {
            Format::LettaBotTurns
        } else if self.has(&["_meta.logLevelName"]) {
            Format::OpenClawLog
        } else if kind == Some("session") && self.has(&["id"]) {
            Format::OpenClawSession
        } else if self.has(&["sessionId", "projectHash"]) {
            Format::GeminiCli
        } else if self.has(&["jsonrpc"]) {
            Format::Acp
        } else if self.has(&["type", "payload"]) || self.has(&["id", "timestamp", "instructions"]) {
            Format::Codex
        } else if self.has(&["uuid", "parentUuid"])
            || self.has(&["type", "leafUuid"])
            || self.has(&["sessionId", "isSidechain"])
        {
            Format::ClaudeCode
        } else if self.has(&["custom_id", "result"]) {
            Format::AnthropicMessages
        } else if self.has(&["custom_id"]) && self.any(&["response", "body", "error"]) {
            Format::OpenAiBatch
        } else if object == Some("response") || self.any(&["request.input", "sequence_number"]) {
            Format::OpenAiResponses
        } else if object.is_some_and(|object| object.starts_with("chat.completion"))
            || self.has(&["response.choices"])
        {
            Format::OpenAiChat
        } else if self.has(&["response.type"]) && self.has(&["request.messages"])
            || kind == Some("message") && self.has(&["stop_reason"])
            || self.has(&["messages", "max_tokens", "system"])
        {
            Format::AnthropicMessages
        } else if self.has(&["timestamp"]) && self.text("event").is_some_and(is_job_event) {
            Format::LettaBotCron
        } else if self.any(&["request.messages", "body.messages", "kwargs.messages"])
            || self.has(&["messages", "model"])
        {
            Format::OpenAiChat
        } else if self.has(&["messages"])
            || self.has(&["prompt", "completion"])
            || self.has(&["preferred_output"])
        {
            Format::OpenAiFineTuning
        } else {
            return None;
        };
        Some(found)
    }
}
