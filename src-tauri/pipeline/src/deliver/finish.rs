//! The rest of a turn that an earlier process left before all of its answer was in the outbox: what is behind the text
//! that was intended, the directives that nothing was done about, and the last word. Where the run itself was cut off,
//! the person is told so, and what was said so far ends with an ellipsis.

use super::{
    bubble::Bubble,
    delivery::{Ending, Failure, conclude},
    desk::Desk,
    directives,
    reply::reply_target,
    tally::CUT_OFF,
    unfinished::{RunEnd, TAKEN_UP, UnfinishedMessage, UnfinishedTurn},
    voice,
};
use crate::{config::Narration, rules::Rule, user_text::UserText};
use foldback_store::StoreError;
use foldback_wire::{Header, Kind, Stage};
use std::sync::Arc;

/// Says what is left of a turn, and waits for everything that is held in its chat.
pub(crate) async fn finish(desk: &mut Desk, turn: UnfinishedTurn) -> Result<(), StoreError> {
    let UnfinishedTurn {
        run,
        messages,
        tally,
        has_own_words,
        spoke,
        placeholder,
        truncated,
        left_out,
        others,
        answer,
        ..
    } = turn;
    desk.note(Kind::Passed {
        stage: Stage::Preview,
        detail: TAKEN_UP.to_owned(),
    })?;
    desk.go_on(tally, spoke, placeholder);
    desk.answer = Arc::new(answer);
    desk.go_on_with_rest(left_out, truncated);
    desk.count_messages(others);
    for message in messages {
        finish_message(desk, message, truncated).await?;
    }
    let failed = |failure: Failure| {
        Ending::Failed(Failure {
            notice: failure.notice.filter(|_| !has_own_words),
            ..failure
        })
    };
    let ending = match run {
        RunEnd::TooLong => Ending::TooLong,
        RunEnd::Done(reason) => Ending::Done(reason),
        RunEnd::Cancelled => failed(Failure::cancelled()),
        RunEnd::Failed(fault, detail) => failed(Failure::of_run(fault, detail)),
        RunEnd::CutOff => failed(Failure {
            notice: Some(UserText::Interrupted),
            detail: CUT_OFF.to_owned(),
        }),
    };
    conclude(desk, ending).await.map(drop)
}

async fn finish_message(
    desk: &mut Desk,
    message: UnfinishedMessage,
    truncated: bool,
) -> Result<(), StoreError> {
    let UnfinishedMessage {
        number,
        clean,
        header,
        directives,
        narration,
        ended,
        begun,
    } = message;
    desk.audio_as_voice = header.audio_as_voice == Some(true) && desk.rules.holds(Rule::SpeechHeader);
    desk.header = header;
    desk.file_answered = begun.file_answered;
    for (at, directive) in directives {
        directives::carry_out(desk, at, directive).await?;
    }
    let hidden = narration && desk.narration == Narration::Hide;
    if hidden && !clean.trim().is_empty() {
        desk.tally.hidden += 1;
    }
    let mut bubble = Bubble::resumed(desk, number, clean, begun, !ended);
    // A target that the channel does not take was told of when the header was read.
    let target = reply_target(desk.rules, &desk.header, &desk.inbound.message, &desk.can);
    let target = target
        .ok()
        .flatten()
        .filter(|_| !std::mem::take(&mut desk.file_answered));
    desk.answers.clone_from(&target);
    desk.answer_flags = desk.flags();
    bubble.answer(target, desk.answer_flags.clone());
    let has_text = bubble.has_text() && !hidden;
    if has_text && !truncated {
        bubble.finish(desk).await?;
    }
    voice::end_of_message(desk, has_text).await?;
    desk.audio_as_voice = false;
    desk.header = Header::default();
    Ok(())
}
