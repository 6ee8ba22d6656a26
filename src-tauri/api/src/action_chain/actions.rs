//! The actions of one turn, each put together from the events that tell of it.

use super::given;
use foldback_actions::written_command;
use foldback_store::one_line;
use foldback_wire::{
    ActionEnded, Event, Kind, PermissionId, PermissionRequest, Timestamp,
    rpc::{ChainAction, ChainActionEnd, ChainConfirmation, ChainRefusal, ChainStep, ChainStepKind},
    visible,
};
use std::collections::BTreeMap;

/// Characters of a payload that stand for it.
const LINE: usize = 200;

/// The actions of a turn so far.
#[derive(Default)]
pub(super) struct Actions {
    /// By their place among the actions of the turn.
    numbered: BTreeMap<u32, Numbered>,
    /// Those that were read in text, in order, and have no number yet.
    asked: Vec<ChainStep>,
    /// The run is over: what follows was asked for in text.
    run_ended: bool,
}

/// An action that has its number.
struct Numbered {
    seq: u64,
    at: Timestamp,
    started: Option<Timestamp>,
    asked_at: Option<Timestamp>,
    action: ChainAction,
}

impl Actions {
    pub(super) fn is_empty(&self) -> bool {
        self.numbered.is_empty() && self.asked.is_empty()
    }

    pub(super) fn push(&mut self, event: &Event) {
        match &event.kind {
            Kind::RunEnded { .. } => self.run_ended = true,
            Kind::Action { action, outcome, .. } => {
                let refusal = outcome.as_ref().map(|outcome| ChainRefusal {
                    seq: event.seq.0,
                    code: None,
                    detail: visible(outcome.detail.as_deref().unwrap_or(outcome.code.about())).into_owned(),
                    setting: outcome.decided_by.as_ref().map(|by| by.setting.clone()),
                });
                let step = ChainStepKind::Action(Box::new(ChainAction {
                    command: written_command(&action.payload).map(|command| visible(&command).into_owned()),
                    payload: Some(one_line(&action.payload, LINE)),
                    refusal,
                    ..action_of(0, &action.kind, false)
                }));
                let (seq, at) = (event.seq.0, event.at);
                self.asked.push(ChainStep { seq, at, step });
            }
            Kind::ActionRefused(refusal) => {
                let numbered = self.numbered(refusal.index, &refusal.name, event);
                if refusal.code.is_of_payload() {
                    numbered.action.command = None;
                }
                numbered.action.refusal = Some(ChainRefusal {
                    seq: event.seq.0,
                    code: Some(refusal.code),
                    detail: visible(&refusal.detail).into_owned(),
                    setting: refusal.setting.clone(),
                });
            }
            Kind::ActionStarted(started) => {
                let numbered = self.numbered(started.index, &started.action.name, event);
                numbered.started = Some(event.at);
                let action = &mut numbered.action;
                action.started_seq = Some(event.seq.0);
                action.allowed_by.clone_from(&started.allowed_by);
                let command = started.action.command.as_deref();
                action.command = command.map(|command| visible(command).into_owned());
            }
            Kind::ActionEnded(ended) => self.end(ended, event),
            Kind::ActionAnswered(answered) => {
                if let Some(numbered) = self.numbered.get_mut(&answered.index) {
                    numbered.action.answer = Some(given(event, &answered.text));
                }
            }
            Kind::PermissionAsked { request, .. } => self.ask(request, event),
            Kind::PermissionDecided {
                id, option, by, why, ..
            } => {
                let Some(numbered) = self.asked_about(id) else {
                    return;
                };
                let waited = numbered.asked_at.map(|asked| millis(asked, event.at));
                if let Some(confirmation) = &mut numbered.action.confirmation {
                    confirmation.decided_seq = Some(event.seq.0);
                    confirmation.option = option.as_ref().map(|option| option.kind);
                    confirmation.by = Some(by.clone());
                    confirmation.why = visible(why).into_owned();
                    confirmation.waited_ms = waited;
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, ended: &ActionEnded, event: &Event) {
        let Some(numbered) = self.numbered.get_mut(&ended.index) else {
            return;
        };
        let took_ms = numbered.started.map_or(0, |started| millis(started, event.at));
        numbered.action.end = Some(ChainActionEnd {
            seq: event.seq.0,
            outcome: ended.outcome,
            exit: ended.exit,
            note: ended.note.as_deref().map(|note| visible(note).into_owned()),
            bytes: ended.bytes,
            took_ms,
        });
    }

    /// A question; one about an action of ours tells its number.
    fn ask(&mut self, request: &PermissionRequest, event: &Event) {
        let Some(index) = index_of(&request.id) else {
            return;
        };
        // The title is `bash: df -h`, or the name alone.
        let (name, command) = match request.title.split_once(": ") {
            Some((name, command)) => (name, Some(visible(command).into_owned())),
            None => (request.title.as_str(), None),
        };
        let numbered = self.numbered(index, name, event);
        numbered.asked_at = Some(event.at);
        numbered.action.command = command;
        numbered.action.confirmation = Some(ChainConfirmation {
            asked_seq: event.seq.0,
            decided_seq: None,
            option: None,
            by: None,
            why: String::new(),
            waited_ms: None,
        });
    }

    fn asked_about(&mut self, id: &PermissionId) -> Option<&mut Numbered> {
        self.numbered.get_mut(&index_of(id)?)
    }

    /// The action of a number. Where it is new and text asked for it, it begins where the text was read.
    fn numbered(&mut self, index: u32, name: &str, event: &Event) -> &mut Numbered {
        let is_called = !self.run_ended;
        let asked = &mut self.asked;
        self.numbered.entry(index).or_insert_with(|| {
            let is_it = |step: &ChainStep| {
                matches!(&step.step, ChainStepKind::Action(action) if action.refusal.is_none() && action.name == visible(name))
            };
            let read = asked.iter().position(is_it).filter(|_| !is_called);
            let read = read.map(|place| asked.remove(place));
            let (seq, at) = read
                .as_ref()
                .map_or((event.seq.0, event.at), |step| (step.seq, step.at));
            let (command, payload) = match read.map(|step| step.step) {
                Some(ChainStepKind::Action(action)) => (action.command, action.payload),
                _ => (None, None),
            };
            Numbered {
                seq,
                at,
                started: None,
                asked_at: None,
                action: ChainAction {
                    command,
                    payload,
                    ..action_of(index, name, is_called)
                },
            }
        })
    }

    /// All of them, those without a number behind the others.
    pub(super) fn steps(self) -> impl Iterator<Item = ChainStep> {
        let next = self.numbered.keys().next_back().map_or(0, |last| last + 1);
        let numbered = self.numbered.into_values().map(|numbered| ChainStep {
            seq: numbered.seq,
            at: numbered.at,
            step: ChainStepKind::Action(Box::new(numbered.action)),
        });
        let asked = (next..).zip(self.asked).map(|(index, mut step)| {
            if let ChainStepKind::Action(action) = &mut step.step {
                action.index = index;
            }
            step
        });
        numbered.chain(asked)
    }
}

fn action_of(index: u32, name: &str, is_called: bool) -> ChainAction {
    ChainAction {
        index,
        name: visible(name).into_owned(),
        command: None,
        payload: None,
        is_called,
        confirmation: None,
        refusal: None,
        started_seq: None,
        allowed_by: None,
        end: None,
        answer: None,
    }
}

/// The number of the action that a question is about; `None` for one that an agent asks itself.
fn index_of(id: &PermissionId) -> Option<u32> {
    (0..foldback_actions::MOST_ACTIONS).find(|index| PermissionRequest::id_of_action(*index) == *id)
}

fn millis(from: Timestamp, to: Timestamp) -> u64 {
    // Milliseconds in a u64 last for half a billion years.
    u64::try_from(to.since(from).as_millis()).unwrap_or(u64::MAX)
}
