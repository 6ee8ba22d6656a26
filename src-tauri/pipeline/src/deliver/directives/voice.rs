//! Voice directives: the words become sound, the sound a file of our own, and that goes out as a voice note. The file
//! is deleted when its operation ends; see [`SendDir::delete_spent`](crate::files::SendDir::delete_spent).

use super::{Skip, TurnDirectives, claim_message, send_text};
use crate::{
    deliver::{operation::OutgoingOperation, turn_operations::TurnOperations},
    rules::Rule,
    voices::VoiceOutput,
};
use foldback_agents::speech::{Speaker, SpeechError, Spoken, Words};
use foldback_store::StoreError;
use foldback_wire::{
    Attachment, Body, DirectiveRef, FileIdentity, Header, Kind, Operation, OutcomeCode, SpeechMode,
    SpokenDirective,
};
use std::time::Duration;

/// Begins the media type of a file with sound.
const SOUND: &str = "audio/";

impl TurnDirectives {
    /// Speaks a text, or says why not. The text after it waits for the sound, as it does for every directive, but no
    /// longer than `speech.timeout` for all of a message.
    pub(super) async fn voice(
        &mut self,
        operations: &mut TurnOperations,
        at: DirectiveRef,
        text: &str,
    ) -> Result<Result<(), Skip>, StoreError> {
        if operations.can.voice.is_none() && operations.rules.holds(Rule::DeliverUnsupported) {
            return Ok(Err(Skip::unsupported("this channel has no voice notes")));
        }
        if self.flags(operations).only_for.is_some() {
            return Ok(Err(Skip::ephemeral_file()));
        }
        let output = match self.speech.output.clone() {
            VoiceOutput::Speaker(_) if !operations.rules.holds(Rule::SpeechNote) => VoiceOutput::Off,
            output => output,
        };
        // Before it is spoken: a service is not called for sound that is not sent.
        let sender = operations.sender.clone();
        if !matches!(output, VoiceOutput::Off)
            && let Err(skip) = claim_message(operations, &sender)
        {
            return Ok(Err(skip));
        }
        let done = match output {
            VoiceOutput::Speaker(speaker) => self.speak(operations, at, text, &speaker).await?,
            VoiceOutput::Preview(most) => self.preview(operations, at, text, most).await?,
            VoiceOutput::Off => return Ok(Err(Skip::unsupported("speech is not configured"))),
        };
        if let Err(skip) = &done {
            operations.give_message_back();
            if skip.is_failure() {
                self.unspoken.push((at, text.to_owned()));
            }
        }
        Ok(done)
    }

    /// True where the settings want the answers of this turn to be heard, beside what its directives say.
    pub(crate) fn speaks_answers(&self) -> bool {
        let with_sound = |file: &Attachment| {
            let kind = file.media_type.get(..SOUND.len());
            kind.is_some_and(|kind| kind.eq_ignore_ascii_case(SOUND))
        };
        match self.speech_mode {
            SpeechMode::Off | SpeechMode::Tagged => false,
            SpeechMode::Inbound => self.inbound.files.iter().any(with_sound),
            SpeechMode::Always => true,
        }
    }

    /// Speaks the text of an answer, which went out, where the settings say so and no directive of its message speaks. As
    /// the text is there, a failure is told in the journal alone.
    pub(crate) async fn speak_answer(
        &mut self,
        operations: &mut TurnOperations,
        message: u32,
        text: &str,
    ) -> Result<(), StoreError> {
        if !self.speaks_answers() || self.has_voice || operations.answer.held_with().is_some() {
            return Ok(());
        }
        // The text answers what the header names.
        self.file_answered = true;
        let at = DirectiveRef {
            message,
            index: self.next_index,
        };
        if let Err(skip) = self.voice(operations, at, text).await? {
            operations.warn(format!("the answer is not spoken: {}", skip.why))?;
        }
        Ok(())
    }

    /// The end of a message. What it wanted to be heard and could not be is sent as text where it has no other, so that
    /// nobody is left without a word.
    pub(crate) async fn end_message(
        &mut self,
        operations: &mut TurnOperations,
        has_text: bool,
    ) -> Result<(), StoreError> {
        let unspoken = std::mem::take(&mut self.unspoken);
        if !has_text {
            self.write_unspoken(operations, unspoken).await?;
        }
        self.speech_took = Duration::ZERO;
        self.audio_as_voice = false;
        self.header = Header::default();
        self.file_answered = false;
        self.next_index = 0;
        self.has_voice = false;
        Ok(())
    }

    async fn write_unspoken(
        &self,
        operations: &mut TurnOperations,
        unspoken: Vec<(DirectiveRef, String)>,
    ) -> Result<(), StoreError> {
        let (sender, can) = (operations.sender.clone(), operations.can.clone());
        let flags = self.flags(operations);
        for (at, text) in unspoken {
            match send_text(operations, (&sender, &can), at, &text, &flags).await? {
                Ok(()) => operations.tally.written += 1,
                Err(_) => operations.leave_out()?,
            }
        }
        Ok(())
    }

    /// As a preview shows it.
    async fn preview(
        &mut self,
        operations: &mut TurnOperations,
        at: DirectiveRef,
        text: &str,
        most: usize,
    ) -> Result<Result<(), Skip>, StoreError> {
        let Some(Words { text, cut }) = Words::of(text, most) else {
            return Ok(Err(nothing()));
        };
        warn_of_cut(operations, cut)?;
        self.send_note(operations, at, "voice.ogg".to_owned(), text, None)
            .await?;
        Ok(Ok(()))
    }

    async fn speak(
        &mut self,
        operations: &mut TurnOperations,
        at: DirectiveRef,
        text: &str,
        speaker: &Speaker,
    ) -> Result<Result<(), Skip>, StoreError> {
        let (began, words) = (operations.now(), text);
        let left = speaker.timeout().saturating_sub(self.speech_took);
        let spoken = speaker.speak_within(left, text, &self.cancel);
        let spoken = operations.sender.until_stopped(spoken).await;
        self.speech_took += operations.now().since(began);
        let Spoken { text, note, cut } = match spoken.unwrap_or(Err(SpeechError::Cancelled)) {
            Ok(Some(spoken)) => spoken,
            Ok(None) => return Ok(Err(nothing())),
            Err(error) => return Ok(Err(Skip::failed(error.to_string()))),
        };
        warn_of_cut(operations, cut)?;
        let name = format!(
            "voice-{}-{}-{}.ogg",
            operations.sender.turn().0,
            at.message,
            at.index
        );
        let file = match self.files.put_spoken(&name, &note.bytes, &operations.can) {
            Ok(file) => file,
            Err(refusal) => return Ok(Err(Skip::failed(refusal.to_string()))),
        };
        operations.note(Kind::Spoken(SpokenDirective {
            at,
            backend: speaker.backend().to_owned(),
            duration_ms: u64::try_from(note.duration.as_millis()).unwrap_or(u64::MAX),
            bytes: file.size,
            kept: self.keep_sound(operations, &note.bytes)?,
        }))?;
        if self
            .send_note(operations, at, file.relative, text, file.identity)
            .await?
            == Some(OutcomeCode::Failed)
        {
            self.unspoken.push((at, words.to_owned()));
        }
        Ok(Ok(()))
    }

    /// The outcome of the note; `None` while it is held.
    async fn send_note(
        &mut self,
        operations: &mut TurnOperations,
        at: DirectiveRef,
        path: String,
        text: String,
        checked: Option<FileIdentity>,
    ) -> Result<Option<OutcomeCode>, StoreError> {
        let flags = self.flags(operations);
        let answering = |reply_to| {
            let operation = Operation::SendVoice {
                path: path.clone(),
                text: text.clone(),
                reply_to,
                checked,
                flags: flags.clone(),
            };
            OutgoingOperation {
                body: Some(Body::own(text.clone())),
                ..OutgoingOperation::new(operation).for_directive(at)
            }
        };
        let outgoing = match &self.answered_by_file(operations) {
            Some(target) => answering(Some(target.clone())).or_plainly(answering(None), target),
            None => answering(None),
        };
        let sent = operations.send_operation(outgoing).await?;
        Ok(sent.map(|sent| sent.outcome.code))
    }

    /// Keeps the sound to be heard again. Where that fails, a person is told, and the note goes out all the same.
    fn keep_sound(&self, operations: &TurnOperations, bytes: &[u8]) -> Result<Option<String>, StoreError> {
        let Some(voices) = &self.speech.voices else {
            return Ok(None);
        };
        match voices.keep_sound(bytes) {
            Ok(name) => Ok(name),
            Err(error) => {
                operations.warn(format!(
                    "what is spoken cannot be kept to be heard again: {error}"
                ))?;
                Ok(None)
            }
        }
    }
}

/// Nothing is left of a text.
fn nothing() -> Skip {
    Skip::superfluous("nothing is left to say without markup, code and addresses")
}

fn warn_of_cut(operations: &TurnOperations, cut: usize) -> Result<(), StoreError> {
    if cut == 0 {
        return Ok(());
    }
    operations.warn(format!(
        "{cut} characters are not spoken: the text is longer than speech.max_chars"
    ))
}
