//! The chain of turns that actions linked, read from the journal for a person who looks at one of them.
//!
//! An example: Alice asks how full the disk is, and the agent of turn 7 asks for `df -h`. Whoever opens turn 8 gets
//!
//! ```text
//!   turn 7   began with Alice's message       bash df -h, confirmed, exit status 0      delivered in turn 8
//!   turn 8   began with the output of bash    the data that its agent was given         "Half full.", sent
//! ```
//!
//! What must hold:
//! - Nothing is remembered between two questions, and nothing here runs while events come: a chain is read when it is asked for.
//! - Backwards the way is that of the causes, which come before what they caused: no journal leads in a circle. Forwards all
//!   that the events of the turn, and of those it led to, link.
//! - A chain has bounds, and says what it leaves out: turns, steps, and data of turns that nobody asked about.

mod actions;
mod messages;
mod steps;

pub(crate) use steps::setting_of;

use foldback_store::{Journal, StoreError};
use foldback_wire::{
    Event, Kind, TurnId,
    rpc::{ActionChain, ChainStepKind, ChainTurn, GivenData},
};
use std::collections::VecDeque;

/// Most turns of a chain. One message leads to three delivery turns; a reminder that one of them set leads to three more.
const MOST_TURNS: usize = 12;
/// Most turns before the one that is asked for.
const MOST_BEFORE: usize = 7;
/// Most bytes of the data of turns that are not asked for, all together.
const MOST_DATA: u64 = 256 * 1024;

/// The chain of a turn; `None` where the journal has no beginning of it.
///
/// # Errors
/// The journal cannot be read.
pub async fn read_action_chain(
    journal: &dyn Journal,
    turn: TurnId,
) -> Result<Option<ActionChain>, StoreError> {
    let asked = journal.turn(turn).await?;
    let Some(first) = steps::chain_turn(turn, &asked) else {
        return Ok(None);
    };
    let mut following: VecDeque<TurnId> = delivered_in(&asked).collect();
    let mut cause = cause_of(&asked).filter(|cause| *cause < turn);
    let mut turns = VecDeque::from([first]);
    while let Some(before) = cause.filter(|_| turns.len() <= MOST_BEFORE) {
        let events = journal.turn(before).await?;
        let Some(found) = steps::chain_turn(before, &events) else {
            break;
        };
        turns.push_front(found);
        cause = cause_of(&events).filter(|cause| *cause < before);
    }
    let mut turns_omitted = 0;
    while let Some(next) = following.pop_front() {
        // A delivery comes behind the action that caused it.
        if turns.iter().any(|known| known.turn == next) || next < turn {
            continue;
        }
        if turns.len() >= MOST_TURNS {
            turns_omitted += 1;
            continue;
        }
        let events = journal.turn(next).await?;
        following.extend(delivered_in(&events));
        turns.extend(steps::chain_turn(next, &events));
    }
    let mut turns: Vec<ChainTurn> = turns.into();
    turns.sort_by_key(|turn| turn.turn);
    bound_data(&mut turns, turn);
    Ok(Some(ActionChain {
        turns,
        is_cut_before: cause.is_some(),
        turns_omitted,
    }))
}

/// The turn whose agent asked for what this one delivers.
fn cause_of(events: &[Event]) -> Option<TurnId> {
    events.iter().find_map(|event| match &event.kind {
        Kind::DeliveryDue(request) => request.cause,
        _ => None,
    })
}

/// The delivery turns that followed from this one.
fn delivered_in(events: &[Event]) -> impl Iterator<Item = TurnId> {
    events.iter().filter_map(|event| match &event.kind {
        Kind::DeliveryAccepted(accepted) => Some(accepted.turn),
        _ => None,
    })
}

/// Leaves out the data of other turns beyond the bound.
fn bound_data(turns: &mut [ChainTurn], asked: TurnId) {
    let mut left = MOST_DATA;
    for turn in turns.iter_mut().filter(|turn| turn.turn != asked) {
        let of_actions = turn.steps.iter_mut().filter_map(|step| match &mut step.step {
            ChainStepKind::Action(action) => action.answer.as_mut(),
            _ => None,
        });
        for given in turn.given.iter_mut().chain(of_actions) {
            if given.bytes > left {
                given.text = None;
            } else {
                left -= given.bytes;
            }
        }
    }
}

/// Data as an event has it.
fn given(event: &Event, text: &str) -> GivenData {
    GivenData {
        seq: event.seq.0,
        bytes: text.len() as u64,
        text: Some(text.to_owned()),
    }
}

#[cfg(test)]
mod tests;
