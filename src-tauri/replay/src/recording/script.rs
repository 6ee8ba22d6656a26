//! What an agent did in a turn, as a script that does it again.

use foldback_agents::{Act, ScriptStep, SessionStep, ToolStep};
use foldback_wire::{Event, Kind, PermissionId, StopReason, Timestamp, ToolId, ToolStatus};
use std::collections::{BTreeMap, HashSet};

/// The agent's part of a turn's events, with the pauses it made. Empty where it was not asked.
pub fn script(events: &[Event]) -> Vec<ScriptStep> {
    let mut steps: Vec<ScriptStep> = Vec::new();
    let mut before: Option<Timestamp> = None;
    let mut writing = 0;
    // A tool call that begins ends the message before it; otherwise the script says that a new one begins.
    let mut parted = false;
    let mut tools: HashSet<&ToolId> = HashSet::new();
    // Requests that wait for an answer, and the script with them: what the agent did meanwhile, it does right after.
    let mut open: HashSet<&PermissionId> = HashSet::new();
    let mut texts = Texts::of(events);
    for event in events {
        if matches!(event.kind, Kind::RunStarted { .. }) {
            before = Some(event.at);
        }
        let Some(last) = before else { continue };
        let is_over = matches!(event.kind, Kind::RunEnded { .. });
        let Some(act) = act(&event.kind, &mut texts) else {
            // What follows is the bot's own, such as whether an action of the answer may be carried out.
            if is_over {
                before = None;
            }
            // The agent goes on when it is answered: how long that took is not its pause.
            if let Kind::PermissionDecided { id, .. } = &event.kind {
                open.remove(id);
                before = Some(event.at);
            }
            continue;
        };
        match &event.kind {
            Kind::Tool { call } => parted |= tools.insert(&call.id),
            Kind::Chunk { message, .. } => {
                if *message != writing && !parted {
                    steps.push(Act::Message(format!("message-{message}")).into());
                }
                writing = *message;
                parted = false;
            }
            _ => {}
        }
        let paused = u64::try_from(event.at.since(last).as_millis()).unwrap_or(u64::MAX);
        let after_ms = if open.is_empty() { paused } else { 0 };
        if let Kind::PermissionAsked { request, .. } = &event.kind {
            open.insert(&request.id);
        }
        steps.push(ScriptStep { after_ms, act });
        before = (!is_over).then_some(event.at);
    }
    steps
}

/// An event as an act of a script; `None` for what the agent did not do.
fn act(kind: &Kind, texts: &mut Texts) -> Option<Act> {
    Some(match kind {
        Kind::Chunk {
            message, span, came, ..
        } => Act::Text(texts.next(*message, came.unwrap_or(span.end))?),
        Kind::Reasoning { text } => Act::Reasoning(text.clone()),
        // The pipeline's word about a call whose end the agent did not tell.
        Kind::Tool { call } if call.status == ToolStatus::Unfinished => return None,
        Kind::Tool { call } => Act::Tool(ToolStep {
            id: call.id.clone(),
            name: call.name.clone(),
            status: call.status,
            after_ms: 0,
            arguments: call.arguments.clone(),
            result: call.result.clone(),
        }),
        Kind::PermissionAsked { request, .. } => Act::Permission(Box::new(request.as_ref().clone().into())),
        Kind::AgentSession {
            id, start, detail, ..
        } => Act::Session(SessionStep {
            id: id.clone(),
            start: Some(*start),
            detail: detail.clone(),
        }),
        Kind::Used { usage } => Act::Usage(*usage),
        Kind::RunFailed { fault, .. } => Act::Error(fault.code().to_owned()),
        Kind::RunEnded { reason, .. } => match reason {
            StopReason::End | StopReason::Error => return None,
            StopReason::Length | StopReason::Refusal | StopReason::Cancelled => Act::Stop(*reason),
        },
        _ => return None,
    })
}

/// The raw texts of a turn, taken in the chunks in which they came: what may begin a secret was told later.
struct Texts(BTreeMap<u32, (String, usize)>);

impl Texts {
    fn of(events: &[Event]) -> Self {
        let mut texts: BTreeMap<u32, (String, usize)> = BTreeMap::new();
        for event in events {
            if let Kind::Chunk { message, text, .. } = &event.kind {
                texts.entry(*message).or_default().0.push_str(text);
            }
        }
        Self(texts)
    }

    /// What came of a message up to this byte; `None` when nothing did.
    fn next(&mut self, message: u32, end: usize) -> Option<String> {
        let (text, taken) = self.0.get_mut(&message)?;
        let from = std::mem::replace(taken, end.max(*taken));
        text.get(from..end)
            .filter(|text| !text.is_empty())
            .map(str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldback_wire::{RunId, Seq, Span, ToolCall, ToolStatus, TurnId};

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

    fn chunk(message: u32, start: usize, text: &str) -> Kind {
        let span = Span {
            start,
            end: start + text.len(),
        };
        let text = text.to_owned();
        Kind::Chunk {
            message,
            span,
            text,
            came: None,
        }
    }

    fn tool(status: ToolStatus) -> Kind {
        let call = ToolCall {
            id: "t".into(),
            name: "search".to_owned(),
            status,
            arguments: None,
            result: None,
        };
        Kind::Tool { call }
    }

    #[test]
    fn pauses_are_kept_and_messages_are_parted_as_they_were() {
        let started = Kind::RunStarted {
            run: RunId(1),
            backend: "openai".to_owned(),
            model: None,
        };
        let ended = Kind::RunEnded {
            run: RunId(1),
            reason: StopReason::Length,
        };
        let events = [
            event(1_000, started),
            event(1_040, chunk(0, 0, "Let me see.")),
            event(1_050, tool(ToolStatus::Running)),
            event(2_050, chunk(1, 0, "Fo")),
            event(2_060, tool(ToolStatus::Completed)),
            event(2_060, chunk(1, 2, "und.")),
            event(2_060, chunk(2, 0, "More.")),
            event(2_065, ended),
        ];
        let told: Vec<_> = script(&events)
            .into_iter()
            .map(|step| match step.act {
                Act::Text(text) => (step.after_ms, text),
                Act::Message(id) => (step.after_ms, id),
                Act::Tool(tool) => (step.after_ms, tool.status.code().to_owned()),
                Act::Stop(reason) => (step.after_ms, reason.code().to_owned()),
                other => panic!("{other:?}"),
            })
            .collect();
        let expected = [
            (40, "Let me see."),
            (10, "running"),
            (1_000, "Fo"),
            (10, "completed"),
            (0, "und."),
            (0, "message-2"),
            (0, "More."),
            (5, "length"),
        ];
        assert_eq!(told, expected.map(|(ms, text)| (ms, text.to_owned())));
    }

    #[test]
    fn text_that_was_told_later_comes_in_the_chunks_it_came_in() {
        let waiting = |mut kind: Kind, had: usize| {
            if let Kind::Chunk { came, .. } = &mut kind {
                *came = Some(had);
            }
            kind
        };
        let started = Kind::RunStarted {
            run: RunId(1),
            backend: "openai".to_owned(),
            model: None,
        };
        let events = [
            event(0, started),
            event(0, waiting(chunk(0, 0, "use "), 6)),
            event(10, waiting(chunk(0, 4, ""), 10)),
            event(30, chunk(0, 4, "sk-learn now")),
            event(40, waiting(chunk(0, 16, ""), 17)),
            event(40, chunk(0, 16, "!")),
        ];
        let told = script(&events).into_iter().map(|step| match step.act {
            Act::Text(text) => (step.after_ms, text),
            other => panic!("{other:?}"),
        });
        let expected = [(0, "use sk"), (10, "-lea"), (20, "rn now"), (10, "!")];
        assert_eq!(
            told.collect::<Vec<_>>(),
            expected.map(|(ms, text)| (ms, text.to_owned()))
        );
    }
}
