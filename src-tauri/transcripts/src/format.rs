//! The formats, declared once: what each is called, what it holds and what it loses.

use serde::{Serialize, Serializer};

/// What a format holds of the bot's side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FormatContent {
    /// Text as the agent wrote it, directives included: it becomes turns.
    Raw,
    /// Text as the chat saw it: it becomes messages.
    Delivered,
    /// No texts: times of deliveries, jobs and errors.
    Log,
}

/// A format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormatRow {
    /// Which.
    pub format: TranscriptFormat,
    /// Its public name.
    pub code: &'static str,
    /// What people call it.
    pub name: &'static str,
    /// What it holds.
    pub content: FormatContent,
    /// What it does not hold, a sentence each.
    pub losses: &'static [&'static str],
}

macro_rules! formats {
    ($($variant:ident = $code:literal, $name:literal, $content:ident, [$($loss:literal),* $(,)?];)+) => {
        /// What a file was recognised as.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum TranscriptFormat {
            $(#[doc = $name] $variant,)+
        }

        /// All formats, in the order of the documents.
        pub const FORMATS: &[FormatRow] = &[$(FormatRow {
            format: TranscriptFormat::$variant,
            code: $code,
            name: $name,
            content: FormatContent::$content,
            losses: &[$($loss),*],
        }),+];
    };
}

formats! {
    LettaBotTurns = "lettabot_turns", "LettaBot turn log", Raw, [
        "The ids of the messages that were sent, and whether they arrived, are not in the log.",
        "Where text stood between tool calls, and where one assistant message ended, is lost: the output is one text.",
        "Tool results are cut at 4,096 UTF-16 units; the text of a turn with pictures is replaced by [multimodal].",
        "The thread, edits, files, model and tokens are not in the log.",
    ];
    LettaBotCron = "lettabot_cron", "LettaBot cron log", Log, [
        "The log has no texts, only events of jobs and heartbeats; entries that could not be written are missing.",
    ];
    OpenClawSession = "openclaw_session", "OpenClaw session", Raw, [
        "The ids of the messages that were sent, edits, reactions, and whether sending worked are not in the session.",
        "The chat is known only where the user's text has an envelope.",
        "Before release 2026.1.22 the stored text could be altered.",
    ];
    OpenClawLog = "openclaw_log", "OpenClaw log", Log, [
        "The log has no texts of messages; it tells when something was sent and what failed.",
    ];
    BotFramework = "bot_framework", "Bot Framework transcript", Delivered, [
        "Raw text, directives, tool calls and reasoning are not in the transcript.",
        "Whether a channel accepted a message is not in it, and its ids need not be those of the platform.",
    ];
    OpenAiChat = "openai_chat", "OpenAI chat completions log", Raw, [
        "Everything after the model is missing: what was stripped, sent, edited or refused.",
        "The chat, the ids of messages and reply targets are not in the log; a time is there only where the writer put one.",
    ];
    OpenAiResponses = "openai_responses", "OpenAI responses log", Raw, [
        "Everything after the model is missing: what was stripped, sent, edited or refused.",
        "The chat, the ids of messages and reply targets are not in the log; encrypted reasoning cannot be read.",
    ];
    OpenAiBatch = "openai_batch", "OpenAI batch file", Raw, [
        "Everything after the model is missing: what was stripped, sent, edited or refused.",
        "The questions are in the input file, the answers in the output file; put both into one file to have both.",
    ];
    OpenAiFineTuning = "openai_fine_tuning", "OpenAI fine-tuning file", Raw, [
        "Times, ids, senders and everything after the model are missing.",
    ];
    AnthropicMessages = "anthropic_messages", "Anthropic messages log", Raw, [
        "Everything after the model is missing: what was stripped, sent, edited or refused.",
        "The chat, the ids of messages and reply targets are not in the log; a time is there only where the writer put one.",
    ];
    ClaudeCode = "claude_code", "Claude Code session", Raw, [
        "The chat, message ids, delivery and edits are not in the session.",
        "What was before a compaction or a clean-up may be missing.",
    ];
    Codex = "codex", "codex rollout", Raw, [
        "The chat, message ids, delivery and edits are not in the rollout.",
        "Encrypted reasoning cannot be read; errors and the output of commands may not have been kept.",
    ];
    GeminiCli = "gemini_cli", "gemini-cli session", Raw, [
        "The chat, message ids, delivery and edits are not in the session; messages that were taken back are gone.",
    ];
    Acp = "acp", "ACP capture", Raw, [
        "A capture has no times; chat, sender and message id are there only in a sender block of the prompt.",
    ];
    Telegram = "telegram", "Telegram export", Delivered, [
        "Raw text, directives, tool calls, reasoning and silent turns are not in an export.",
        "Deleted messages and older versions of edited ones are missing, and so is which sender is a bot.",
    ];
    Slack = "slack", "Slack export", Delivered, [
        "Raw text, directives, tool calls, reasoning and silent turns are not in an export.",
        "Deleted messages, older versions of edited ones, the times of reactions and the bytes of files are missing.",
    ];
    Discord = "discord", "Discord export", Delivered, [
        "Raw text, directives, tool calls, reasoning and silent turns are not in an export.",
        "Mentions and custom emoji may have become plain text; deleted messages are missing.",
    ];
    WhatsApp = "whatsapp", "WhatsApp chat", Delivered, [
        "Raw text, directives, tool calls, reasoning and silent turns are not in an export.",
        "Ids, reply targets, reactions and the times of edits are missing; times have no zone.",
    ];
    Recording = "recording", "Foldback recording", Raw, [];
}

impl TranscriptFormat {
    /// Its row.
    pub fn row(self) -> &'static FormatRow {
        // Every format has a row: both come from one list, in one order.
        &FORMATS[self as usize]
    }

    /// Its public name.
    pub fn code(self) -> &'static str {
        self.row().code
    }
}

impl Serialize for TranscriptFormat {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}
