//! Turns as the journal tells them, and what must hold of them.

use super::super::{
    marks::{marks, place_of},
    people::WrittenMessage,
};
use foldback_wire::{JoinKind, MessageId, SessionId, Terminal, TurnId};
use std::collections::BTreeMap;

/// A turn as the journal tells it.
#[derive(Default)]
pub(super) struct TurnStory {
    pub(super) message: Option<MessageId>,
    /// `telegram.c2`.
    pub(super) place: String,
    pub(super) session: Option<SessionId>,
    pub(super) text: String,
    pub(super) prompts: Vec<String>,
    pub(super) run_started: bool,
    /// Its run ended by itself.
    pub(super) answered: bool,
    /// A person stopped its run, or a message did.
    pub(super) cancelled: bool,
    /// An operation of it did not arrive, or perhaps.
    pub(super) unsure: bool,
    /// Its sender was told that something is amiss.
    pub(super) told: bool,
    /// It waited for more of its sender, and more came: the agent is given it with a later message, whose turn goes on.
    pub(super) goes_with_a_later: bool,
    /// Runs of other turns that its message came into.
    pub(super) joined: Vec<(TurnId, JoinKind)>,
    pub(super) terminal: Option<Terminal>,
}

impl TurnStory {
    pub(super) fn mark(&self) -> Option<&str> {
        marks(&self.text).first().copied()
    }

    fn is_failed(&self) -> bool {
        matches!(self.terminal, Some(Terminal::Failed { .. }))
    }
}

/// Every message that was written has a turn, and those of a channel came in the order in which they were written. One that
/// came again was stopped as known, unless the turn before had failed, or a gate had said no.
pub(super) fn came_in_order(turns: &BTreeMap<TurnId, TurnStory>, written: &[WrittenMessage]) {
    let mut of: BTreeMap<(&str, &MessageId), Vec<(TurnId, &TurnStory)>> = BTreeMap::new();
    for (id, turn) in turns {
        let message = turn.message.as_ref().expect("every turn has a message");
        of.entry((turn.place.as_str(), message))
            .or_default()
            .push((*id, turn));
    }
    assert_eq!(
        of.len(),
        written.len(),
        "a message is lost, or one came that nobody wrote"
    );
    let mut last: BTreeMap<&str, TurnId> = BTreeMap::new();
    for message in written {
        let came = &of[&(message.place.as_str(), &message.id)];
        let first = came[0].0;
        let channel = message.place.split('.').next().unwrap_or_default();
        if let Some(before) = last.insert(channel, first) {
            assert!(
                before < first,
                "turn {before} came before turn {first} on {channel}"
            );
        }
        let known = |turn: &&(TurnId, &TurnStory)| !matches!(turn.1.terminal, Some(Terminal::Duplicate));
        let mut own: Vec<_> = came.iter().filter(known).collect();
        assert!(own.pop().is_some(), "message {} is only known", message.id);
        for (id, turn) in own {
            let lets = matches!(
                turn.terminal,
                Some(Terminal::Failed { .. } | Terminal::Blocked { .. })
            );
            assert!(
                lets,
                "message {} ({:?}) has a turn after turn {id}, which ended as {:?}",
                message.id, turn.text, turn.terminal
            );
        }
    }
}

/// A turn fails only where its agent was asked, or one that its message came into, or where a platform refused an answer of
/// our own; and its sender was told, unless a person stopped it.
pub(super) fn ended_for_a_reason(turns: &BTreeMap<TurnId, TurnStory>) {
    for (id, turn) in turns {
        if let Some(
            Terminal::Summarised { into } | Terminal::Collected { into } | Terminal::Steered { into },
        ) = &turn.terminal
        {
            let other = &turns[into];
            assert_eq!(
                (&other.place, &other.session),
                (&turn.place, &turn.session),
                "{id} into {into}"
            );
            assert!(other.run_started, "{id} went into {into}, which has no run");
        }
        if !turn.is_failed() {
            continue;
        }
        let asked = |turn: &TurnStory| turn.run_started && (turn.told || turn.unsure || turn.cancelled);
        let by_another = turn.joined.last().is_some_and(|(into, _)| asked(&turns[into]));
        assert!(
            asked(turn) || by_another || !turn.run_started && turn.unsure,
            "turn {id} was given up, and its sender is left without a word: {:?}",
            turn.terminal
        );
    }
}

/// No agent is given words of another chat, and it is given all that came into its run before that began.
pub(super) fn was_given_its_own(turns: &BTreeMap<TurnId, TurnStory>) {
    for (id, turn) in turns {
        for mark in turn.prompts.iter().flat_map(|prompt| marks(prompt)) {
            assert_eq!(place_of(mark), turn.place, "turn {id} was given {mark}");
        }
        if let Some(Terminal::Summarised { into } | Terminal::Collected { into }) = &turn.terminal
            && let Some(mark) = turn.mark()
        {
            let named = format!("[{mark}]");
            assert!(
                turns[into].prompts.iter().any(|prompt| prompt.contains(&named)),
                "turn {id} ended with turn {into}, whose agent was not given {mark}"
            );
        }
    }
}
