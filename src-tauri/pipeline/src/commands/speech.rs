//! `/tts`: how the bot speaks, and a text said aloud.

use super::Commands;
use crate::{deliver::operation::OutgoingOperation, gates::OwnAnswer, voices::VoiceOutput};
use foldback_agents::speech::Words;
use foldback_store::Case;
use foldback_wire::{Body, MessageFlags, Operation, TurnId};

impl Commands {
    /// The text as a voice note; without one, or where none can be made, the words for the chat.
    pub(super) async fn tts(
        &self,
        turn: TurnId,
        answer: &OwnAnswer,
        text: &str,
    ) -> Result<OutgoingOperation, String> {
        let context = &self.context;
        let Some(port) = context.ports.port(&answer.message.channel) else {
            return Err("ℹ️ This channel is gone.".to_owned());
        };
        if port.can.voice.is_none() {
            return Err("ℹ️ This channel has no voice notes.".to_owned());
        }
        let speaker = match &context.speech.output {
            VoiceOutput::Off => return Err("ℹ️ This bot does not speak: no voice is set up.".to_owned()),
            VoiceOutput::Speaker(speaker) if text.is_empty() => {
                return Err(format!(
                    "ℹ️ This bot speaks with {}. The agent decides what it says aloud; /tts and a text says that text.",
                    speaker.backend()
                ));
            }
            VoiceOutput::Preview(_) if text.is_empty() => {
                return Err("ℹ️ This is a preview: a voice note has no sound here.".to_owned());
            }
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
