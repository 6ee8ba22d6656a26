//! Voice directives: the words become sound, the sound a file of our own, and that goes out as a voice note. The file
//! is deleted when its operation ends; see [`SendDir::spent`](crate::files::SendDir::spent).

use super::{courier::Outgoing, desk::Desk, directives::Skip};
use crate::{rules::Rule, voices::Says};
use foldback_agents::speech::{Speaker, Spoken, Words};
use foldback_store::StoreError;
use foldback_wire::{Body, DirectiveRef, FileIdentity, Kind, Operation};

/// Speaks a text, or says why not. The text after it waits for the sound, as it does for every directive, but no
/// longer than `speech.timeout`.
pub(super) async fn voice(
    desk: &mut Desk,
    at: DirectiveRef,
    text: &str,
) -> Result<Result<(), Skip>, StoreError> {
    if desk.can.voice.is_none() && desk.rules.holds(Rule::DeliverUnsupported) {
        return Ok(Err(Skip::unsupported("this channel has no voice notes")));
    }
    match desk.speech.says.clone() {
        Says::Aloud(speaker) if desk.rules.holds(Rule::SpeechNote) => aloud(desk, at, text, &speaker).await,
        Says::Shown(most) => shown(desk, at, text, most).await,
        _ => Ok(Err(Skip::unsupported("speech is not configured"))),
    }
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
    send(desk, at, "voice.ogg".to_owned(), text, None).await.map(Ok)
}

async fn aloud(
    desk: &mut Desk,
    at: DirectiveRef,
    text: &str,
    speaker: &Speaker,
) -> Result<Result<(), Skip>, StoreError> {
    let Spoken { text, note, cut } = match speaker.speak(text, &desk.courier.lanes.stop).await {
        Ok(Some(spoken)) => spoken,
        Ok(None) => return Ok(Err(nothing())),
        Err(error) => return Ok(Err(Skip::failed(error.to_string()))),
    };
    warn_of_cut(desk, cut)?;
    let name = format!("voice-{}-{}-{}.ogg", desk.courier.turn.0, at.message, at.index);
    let file = match desk.files.put_spoken(&name, &note.bytes, &desk.can) {
        Ok(file) => file,
        Err(refusal) => return Ok(Err(Skip::failed(refusal.to_string()))),
    };
    desk.note(Kind::Spoken {
        at,
        backend: speaker.backend().to_owned(),
        duration_ms: u64::try_from(note.duration.as_millis()).unwrap_or(u64::MAX),
        bytes: file.size,
        kept: keep(desk, &note.bytes)?,
    })?;
    send(desk, at, file.relative, text, file.identity).await.map(Ok)
}

async fn send(
    desk: &mut Desk,
    at: DirectiveRef,
    path: String,
    text: String,
    checked: Option<FileIdentity>,
) -> Result<(), StoreError> {
    let operation = Operation::SendVoice {
        path,
        text: text.clone(),
        checked,
    };
    let outgoing = Outgoing {
        body: Some(Body::Literal { text }),
        ..Outgoing::new(operation).for_directive(at)
    };
    desk.post(outgoing).await.map(drop)
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
