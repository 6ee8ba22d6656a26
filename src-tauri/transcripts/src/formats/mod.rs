//! The readers, a file a format.

mod acp;
mod api;
mod bot_framework;
mod claude_code;
mod codex;
mod discord;
mod gemini;
pub(crate) mod lettabot;
mod openclaw;
mod openclaw_log;
mod openclaw_text;
mod recording;
mod sender_block;
pub(crate) mod slack;
mod telegram;
pub(crate) mod whatsapp;

use crate::{Refusal, TranscriptFormat as Format, reading::Reading, source::Source};

/// Reads a file of the format that was recognised.
pub(crate) fn read(source: &mut Source<'_>, reading: &mut Reading) -> Result<(), Refusal> {
    match reading.format {
        Format::LettaBotTurns => lettabot::read_turns(source, reading),
        Format::LettaBotCron => lettabot::read_cron(source, reading),
        Format::OpenClawSession => openclaw::read(source, reading),
        Format::OpenClawLog => openclaw_log::read(source, reading),
        Format::BotFramework => bot_framework::read(source, reading),
        Format::OpenAiChat
        | Format::OpenAiResponses
        | Format::OpenAiBatch
        | Format::OpenAiFineTuning
        | Format::AnthropicMessages => api::read(source, reading),
        Format::ClaudeCode => claude_code::read(source, reading),
        Format::Codex => codex::read(source, reading),
        Format::GeminiCli => gemini::read(source, reading),
        Format::Acp => acp::read(source, reading),
        Format::Telegram => telegram::read(source, reading),
        Format::Slack => slack::read(source, reading),
        Format::Discord => discord::read(source, reading),
        Format::WhatsApp => whatsapp::read(source, reading),
        Format::Recording => recording::read(source, reading),
    }
}
