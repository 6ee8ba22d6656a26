//! How a turn's requests for permission were answered, for a script that asks them again.

use foldback_wire::{Actor, Event, Kind, PermissionId, PermissionOption, Timestamp};

/// An answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// When a script waits for it.
    pub at: Timestamp,
    /// Which request.
    pub id: PermissionId,
    /// The option that was chosen; none where the request was cancelled.
    pub option: Option<PermissionOption>,
    /// Who decided.
    pub by: Actor,
}

/// The answers of a turn to what its agent asked in a run, in the order in which a script asks.
///
/// An agent may have several requests open at once, and people answer them in any order. A script asks the next one
/// when the one before is answered: so an answer that was there earlier waits for that one.
pub fn answers(events: &[Event]) -> Vec<Answer> {
    let mut asked: Vec<(&PermissionId, Option<Answer>)> = Vec::new();
    let mut is_running = false;
    for event in events {
        match &event.kind {
            Kind::RunStarted { .. } => is_running = true,
            Kind::RunEnded { .. } => is_running = false,
            // After a run the bot asks for itself, whether an action of the answer may be carried out.
            Kind::PermissionAsked { request, .. } if is_running => asked.push((&request.id, None)),
            Kind::PermissionDecided { id, option, by, .. } => {
                let open = asked
                    .iter_mut()
                    .rev()
                    .find(|(of, answer)| *of == id && answer.is_none());
                if let Some((_, answer)) = open {
                    *answer = Some(Answer {
                        at: event.at,
                        id: id.clone(),
                        option: option.clone(),
                        by: by.clone(),
                    });
                }
            }
            _ => {}
        }
    }
    let mut before = Timestamp::default();
    let mut answers: Vec<Answer> = asked.into_iter().filter_map(|(_, answer)| answer).collect();
    for answer in &mut answers {
        before = before.max(answer.at);
        answer.at = before;
    }
    answers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::script;
    use foldback_agents::Act;
    use foldback_wire::{CallPreview, PermissionKind, PermissionRequest, RunId, Seq, StopReason, TurnId};

    fn event(at: i64, kind: Kind) -> Event {
        Event {
            seq: Seq(1),
            at: Timestamp(at),
            turn: Some(TurnId(1)),
            session: None,
            channel: None,
            kind,
        }
    }

    fn asked(id: &str) -> Kind {
        let request = PermissionRequest {
            id: id.into(),
            tool: None,
            title: id.to_owned(),
            does: String::new(),
            arguments: None,
            preview: CallPreview::default(),
            options: Vec::new(),
        };
        Kind::PermissionAsked {
            request: Box::new(request),
            until: None,
        }
    }

    fn decided(id: &str, kind: PermissionKind) -> Kind {
        let option = PermissionOption {
            id: "o".to_owned(),
            name: "O".to_owned(),
            kind,
        };
        Kind::PermissionDecided {
            id: id.into(),
            option: Some(option),
            by: Actor::Console,
            why: String::new(),
            decided_by: None,
        }
    }

    #[test]
    fn requests_that_were_open_at_once_are_answered_in_the_order_in_which_a_script_asks_them() {
        use PermissionKind::{AllowOnce, RejectOnce};
        let started = Kind::RunStarted {
            run: RunId(1),
            backend: "acp".to_owned(),
            model: None,
        };
        let ended = Kind::RunEnded {
            run: RunId(1),
            reason: StopReason::End,
        };
        let thought = |text: &str| Kind::Reasoning {
            text: text.to_owned(),
        };
        let events = [
            event(0, started),
            event(100, asked("a")),
            event(200, asked("b")),
            event(250, thought("Hm.")),
            event(400, decided("b", RejectOnce)),
            event(1_000, decided("a", AllowOnce)),
            event(1_050, thought("So.")),
            event(1_100, asked("a")),
            event(1_300, decided("a", RejectOnce)),
            event(1_310, ended),
            // The bot's own question, about an action of the answer.
            event(1_320, asked("action")),
            event(1_400, decided("action", AllowOnce)),
        ];
        let told: Vec<_> = answers(&events)
            .into_iter()
            .map(|answer| (answer.at.0, answer.id.to_string(), answer.option.unwrap().kind))
            .collect();
        let expected = [
            (1_000, "a", AllowOnce),
            (1_000, "b", RejectOnce),
            (1_300, "a", RejectOnce),
        ];
        assert_eq!(told, expected.map(|(at, id, kind)| (at, id.to_owned(), kind)));

        let steps = script(&events).into_iter().map(|step| match step.act {
            Act::Permission(asked) => (step.after_ms, asked.title),
            Act::Reasoning(text) => (step.after_ms, text),
            other => panic!("{other:?}"),
        });
        let expected = [(100, "a"), (0, "b"), (0, "Hm."), (50, "So."), (50, "a")];
        assert_eq!(
            steps.collect::<Vec<_>>(),
            expected.map(|(ms, text)| (ms, text.to_owned()))
        );
    }
}
