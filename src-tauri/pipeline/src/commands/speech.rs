//! `/tts`: which answers are spoken, and a text said aloud.

use super::Commands;
use crate::{
    deliver::operation::OutgoingOperation, gates::OwnAnswer, recorder::Recorder,
    speech_request::SpeechRequest, voices::VoiceOutput,
};
use foldback_agents::speech::Words;
use foldback_store::{Case, StoreError};
use foldback_wire::{Actor, Body, MessageFlags, Operation, SettingSource, SpeechMode, TurnId};

/// The modes, as they are written.
const MODES: &str = "off, tagged, inbound, always or default";

impl Commands {
    /// The text as a voice note; the words for the chat where another thing is asked, or no note can be made.
    pub(super) async fn tts(
        &self,
        turn: TurnId,
        answer: &OwnAnswer,
        arguments: &str,
        recorder: &Recorder,
        by: Actor,
    ) -> Result<Result<OutgoingOperation, String>, StoreError> {
        Ok(match SpeechRequest::read(arguments) {
            SpeechRequest::Text(text) => self.speak_text(turn, answer, text).await,
            SpeechRequest::Status => Err(self.speech_status(answer).await?),
            SpeechRequest::Help => Err(format!(
                "ℹ️ /tts tells how the bot speaks, /tts and {MODES} which answers are spoken in this conversation, \
                 /tts audio and a text says that text."
            )),
            SpeechRequest::Configured(word) => Err(format!("ℹ️ {}", self.configured(word))),
            SpeechRequest::Mode(mode) => {
                let set = |settings: &mut foldback_store::SessionSettings| settings.speech = mode;
                self.change(answer, recorder, by, set).await?;
                let mode = mode.map_or("default", SpeechMode::code);
                let silent = self.silent_because(answer);
                let silent = silent.map_or_else(String::new, |why| format!(" Nothing is spoken: {why}."));
                Err(format!("⚙️ Speech: {mode}.{silent}"))
            }
        })
    }

    /// The reason for which this channel has no voice notes, whatever is set.
    fn silent_because(&self, answer: &OwnAnswer) -> Option<&'static str> {
        let ports = &self.context.ports;
        let port = ports.port_speaking(&answer.message.channel, SpeechMode::Always);
        match (&self.context.speech.output, port) {
            (_, None) => Some("this channel is gone"),
            (_, Some(port)) if port.can.voice.is_none() => Some("this channel has no voice notes"),
            (VoiceOutput::Off, _) => Some("no voice is set up"),
            (VoiceOutput::Speaker(_) | VoiceOutput::Preview(_), _) => None,
        }
    }

    /// The voice, the answers that it speaks, and its bounds.
    async fn speech_status(&self, answer: &OwnAnswer) -> Result<String, StoreError> {
        let (ports, channel) = (&self.context.ports, &answer.message.channel);
        if let Some(why) = self.silent_because(answer) {
            return Ok(format!("ℹ️ This bot does not speak: {why}."));
        }
        let voice = match &self.context.speech.output {
            VoiceOutput::Speaker(speaker) => format!("This bot speaks with {}.", speaker.backend()),
            VoiceOutput::Preview(_) | VoiceOutput::Off => {
                "This is a preview: a voice note has no sound here.".to_owned()
            }
        };
        let stored = self.context.sessions.settings(&answer.session).await?.speech;
        let (mode, source) = if let Some(mode) = stored {
            (mode, SettingSource::Session)
        } else {
            let key = format!("channels.{channel}.speech_auto");
            (ports.settings(channel).speech_auto, ports.config.source_of(&key))
        };
        Ok(format!(
            "ℹ️ {voice}\nSpoken: {mode} ({source}). {}\n{}\n/tts and {MODES} sets it here; /tts and a text says that \
             text.",
            mode.about(),
            self.configured("limit"),
        ))
    }

    /// What the operator alone decides.
    fn configured(&self, word: &str) -> String {
        let speech = &self.context.ports.config.speech;
        match word.to_ascii_lowercase().as_str() {
            "provider" => {
                let backend = serde_json::to_value(speech.backend).unwrap_or_default();
                let backend = backend.as_str().unwrap_or_default().to_owned();
                format!("Only the operator chooses the voice. It is {backend} now.")
            }
            "summary" => "No text is summarised before it is spoken: what is too long ends after a sentence."
                .to_owned(),
            _ => format!(
                "At most {} characters are spoken at once. Only the operator changes that.",
                speech.max_chars
            ),
        }
    }

    /// The text as a voice note, also where the settings have no answer spoken: a person asks for it.
    async fn speak_text(
        &self,
        turn: TurnId,
        answer: &OwnAnswer,
        text: &str,
    ) -> Result<OutgoingOperation, String> {
        let context = &self.context;
        let channel = &answer.message.channel;
        let Some(port) = context.ports.port_speaking(channel, SpeechMode::Tagged) else {
            return Err("ℹ️ This channel is gone.".to_owned());
        };
        if let Some(why) = self.silent_because(answer) {
            return Err(format!("ℹ️ This bot does not speak: {why}."));
        }
        let speaker = match &context.speech.output {
            VoiceOutput::Off => return Err(nothing()),
            VoiceOutput::Preview(most) => {
                let Some(Words { text, .. }) = Words::of(text, *most) else {
                    return Err(nothing());
                };
                return Ok(note("voice.ogg".to_owned(), text, None));
            }
            VoiceOutput::Speaker(speaker) => speaker,
        };
        let cancel = context.shutdown.cancel_runs.child_token();
        let spoken = match speaker.speak(text, &cancel).await {
            Ok(Some(spoken)) => spoken,
            Ok(None) => return Err(nothing()),
            Err(error) => {
                tracing::info!(%error, "a text is not spoken");
                return Err(format!(
                    "⚠️ {} could not speak it: {}.",
                    speaker.backend(),
                    error.kind()
                ));
            }
        };
        let name = format!("voice-{}-0-0.ogg", turn.0);
        match context.files.put_spoken(&name, &spoken.note.bytes, &port.can) {
            Ok(file) => Ok(note(file.relative, spoken.text, file.identity)),
            Err(refusal) => {
                tracing::info!(%refusal, "a voice note is not sent");
                Err("⚠️ The voice note cannot be sent here.".to_owned())
            }
        }
    }
}

fn nothing() -> String {
    "ℹ️ Nothing is left to say without markup, code and addresses.".to_owned()
}

/// The voice note; its words where it is refused.
fn note(path: String, text: String, checked: Option<foldback_wire::FileIdentity>) -> OutgoingOperation {
    let operation = Operation::SendVoice {
        path,
        text: text.clone(),
        reply_to: None,
        checked,
        flags: MessageFlags::default(),
    };
    let why = "the voice note was refused; its words are sent instead";
    let words = OutgoingOperation::literal(&text);
    let note = OutgoingOperation {
        body: Some(Body::own(text)),
        ..OutgoingOperation::new(operation)
    };
    note.otherwise(Case::Failed, words, why.to_owned())
}
