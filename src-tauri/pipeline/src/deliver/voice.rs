//! Voice directives: the words become sound, the sound a file of our own, and that goes out as a voice note. The file
//! is deleted when its operation ends; see [`SendDir::spent`](crate::files::SendDir::spent).

use super::{
    desk::Desk,
    directives::{Skip, answered_by_file, send_text},
    operation::OutgoingOperation,
};
use crate::{rules::Rule, voices::Says};
use foldback_agents::speech::{Speaker, SpeechError, Spoken, Words};
use foldback_store::StoreError;
use foldback_wire::{Body, DirectiveRef, FileIdentity, Kind, Operation, OutcomeCode, SpokenDirective};
use std::time::Duration;

/// Speaks a text, or says why not. The text after it waits for the sound, as it does for every directive, but no
/// longer than `speech.timeout` for all of a message.
pub(super) async fn voice(
    desk: &mut Desk,
    at: DirectiveRef,
    text: &str,
) -> Result<Result<(), Skip>, StoreError> {
    if desk.can.voice.is_none() && desk.rules.holds(Rule::DeliverUnsupported) {
        return Ok(Err(Skip::unsupported("this channel has no voice notes")));
    }
    if desk.flags().only_for.is_some() {
        return Ok(Err(Skip::ephemeral_file()));
    }
    let says = match desk.speech.says.clone() {
        Says::Aloud(_) if !desk.rules.holds(Rule::SpeechNote) => Says::Nothing,
        says => says,
    };
    // Before it is spoken: a service is not called for sound that is not sent.
    let sender = desk.sender.clone();
    if !matches!(says, Says::Nothing)
        && let Err(skip) = desk.take_message_of_directive(&sender)
    {
        return Ok(Err(skip));
    }
    let done = match says {
        Says::Aloud(speaker) => aloud(desk, at, text, &speaker).await?,
        Says::Shown(most) => shown(desk, at, text, most).await?,
        Says::Nothing => return Ok(Err(Skip::unsupported("speech is not configured"))),
    };
    if let Err(skip) = &done {
        desk.give_message_back();
        if skip.is_failure() {
            desk.unspoken.push((at, text.to_owned()));
        }
    }
    Ok(done)
}

/// The end of a message. What it wanted to be heard and could not be is sent as text where it has no other, so that
/// nobody is left without a word.
pub(super) async fn end_of_message(desk: &mut Desk, has_text: bool) -> Result<(), StoreError> {
    desk.speech_took = Duration::ZERO;
    let unspoken = std::mem::take(&mut desk.unspoken);
    if has_text {
        return Ok(());
    }
    let (sender, can) = (desk.sender.clone(), desk.can.clone());
    let flags = desk.flags();
    for (at, text) in unspoken {
        match send_text(desk, (&sender, &can), at, &text, &flags).await? {
            Ok(()) => desk.tally.written += 1,
            Err(_) => desk.leave_out()?,
        }
    }
    Ok(())
}

/// Nothing is left of a text.
fn nothing() -> Skip {
    Skip::superfluous("nothing is left to say without markup, code and addresses")
}

fn warn_of_cut(desk: &Desk, cut: usize) -> Result<(), StoreError> {
    if cut == 0 {
        return Ok(());
    }
    desk.warn(format!(
        "{cut} characters are not spoken: the text is longer than speech.max_chars"
    ))
}

/// As a preview shows it.
async fn shown(
    desk: &mut Desk,
    at: DirectiveRef,
    text: &str,
    most: usize,
) -> Result<Result<(), Skip>, StoreError> {
    let Some(Words { text, cut }) = Words::of(text, most) else {
        return Ok(Err(nothing()));
    };
    warn_of_cut(desk, cut)?;
    send(desk, at, "voice.ogg".to_owned(), text, None).await?;
    Ok(Ok(()))
}

async fn aloud(
    desk: &mut Desk,
    at: DirectiveRef,
    text: &str,
    speaker: &Speaker,
) -> Result<Result<(), Skip>, StoreError> {
    let (began, words) = (desk.now(), text);
    let left = speaker.timeout().saturating_sub(desk.speech_took);
    let spoken = speaker.speak_within(left, text, &desk.cancel);
    let spoken = desk.sender.queues.stop.run_until_cancelled(spoken).await;
    desk.speech_took += desk.now().since(began);
    let Spoken { text, note, cut } = match spoken.unwrap_or(Err(SpeechError::Cancelled)) {
        Ok(Some(spoken)) => spoken,
        Ok(None) => return Ok(Err(nothing())),
        Err(error) => return Ok(Err(Skip::failed(error.to_string()))),
    };
    warn_of_cut(desk, cut)?;
    let name = format!("voice-{}-{}-{}.ogg", desk.sender.turn.0, at.message, at.index);
    let file = match desk.files.put_spoken(&name, &note.bytes, &desk.can) {
        Ok(file) => file,
        Err(refusal) => return Ok(Err(Skip::failed(refusal.to_string()))),
    };
    desk.note(Kind::Spoken(SpokenDirective {
        at,
        backend: speaker.backend().to_owned(),
        duration_ms: u64::try_from(note.duration.as_millis()).unwrap_or(u64::MAX),
        bytes: file.size,
        kept: keep(desk, &note.bytes)?,
    }))?;
    if send(desk, at, file.relative, text, file.identity).await? == Some(OutcomeCode::Failed) {
        desk.unspoken.push((at, words.to_owned()));
    }
    Ok(Ok(()))
}

/// How the note went out; `None` while it is held.
async fn send(
    desk: &mut Desk,
    at: DirectiveRef,
    path: String,
    text: String,
    checked: Option<FileIdentity>,
) -> Result<Option<OutcomeCode>, StoreError> {
    let flags = desk.flags();
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
    let outgoing = match &answered_by_file(desk) {
        Some(target) => answering(Some(target.clone())).or_plainly(answering(None), target),
        None => answering(None),
    };
    let sent = desk.post(outgoing).await?;
    Ok(sent.map(|sent| sent.outcome.code))
}

/// Keeps the sound to be heard again. Where that fails, a person is told, and the note goes out all the same.
fn keep(desk: &Desk, bytes: &[u8]) -> Result<Option<String>, StoreError> {
    let Some(voices) = &desk.speech.voices else {
        return Ok(None);
    };
    match voices.keep(bytes) {
        Ok(name) => Ok(name),
        Err(error) => {
            desk.warn(format!(
                "what is spoken cannot be kept to be heard again: {error}"
            ))?;
            Ok(None)
        }
    }
}
