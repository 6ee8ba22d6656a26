//! The confirmation of an action, through the queue of requests for permission.

use super::Acting;
use crate::{
    output::OutputEvent, recorder::Recorder, rules::Rule, stages::permit::Permits, user_text::NoDecision,
};
use foldback_actions::CheckedAction;
use foldback_agents::ActionCall;
use foldback_store::StoreError;
use foldback_wire::{
    ActionRefusal, ActionRefusalCode, CallPreview, Kind, PermissionKind, PermissionOption, PermissionRequest,
    Stage, ToolId,
};
use tokio::sync::mpsc;

/// The answer to a request for a confirmation.
pub(super) enum Confirmation {
    /// It is carried out.
    Given,
    /// It is not.
    Refused(ActionRefusal),
    /// The turn was stopped meanwhile.
    Stopped,
    /// The agent gave up the call that asks for it.
    GivenUp,
}

impl Acting<'_> {
    /// Asks for a confirmation, where the action needs one. `call` is the one that asks for it, where one does: the question
    /// closes with it.
    pub(super) async fn confirm(
        &self,
        checked: &CheckedAction,
        call: Option<&ActionCall>,
        recorder: &Recorder,
        permits: &mut Permits<'_>,
        output: &mpsc::Sender<OutputEvent>,
    ) -> Result<Confirmation, StoreError> {
        if self.cancel.is_cancelled() {
            return Ok(Confirmation::Stopped);
        }
        let why = checked.confirmation.as_ref();
        let Some(why) = why.filter(|_| self.holds(Rule::ActionsConfirm)) else {
            return Ok(Confirmation::Given);
        };
        recorder.note(Kind::Passed {
            stage: Stage::Run,
            detail: format!("{} waits for a confirmation: {why}", checked.performed.name),
        })?;
        let asked = request(checked, call.and_then(|call| call.call.as_ref()));
        let id = asked.id.clone();
        let question = permits.ask_confirmation(asked)?;
        if let Some(question) = question {
            // The delivery may have ended early, on a store that failed.
            let _ = output.send(OutputEvent::Asked(question)).await;
        }
        let answer = loop {
            let answer = tokio::select! {
                biased;
                () = self.cancel.cancelled() => None,
                answer = permits.next_answer() => Some(answer),
                () = given_up(call) => {
                    permits.cancel_one(id, NoDecision::CallGivenUp)?;
                    send_all(permits.take_decisions(), output).await;
                    return Ok(Confirmation::GivenUp);
                }
            };
            match answer {
                // The agent may wait for others of its run.
                Some(answer) if answer.id != id => {
                    permits.settle_answer(answer)?;
                    send_all(permits.take_decisions(), output).await;
                }
                answer => break answer,
            }
        };
        let Some(answer) = answer else {
            permits.cancel_open(NoDecision::RunCancelled)?;
            send_all(permits.take_decisions(), output).await;
            return Ok(Confirmation::Stopped);
        };
        let is_given = answer.option.as_ref().is_some_and(|option| {
            matches!(
                option.kind,
                PermissionKind::AllowOnce | PermissionKind::AllowAlways
            )
        });
        let code = match answer.undecided {
            Some(NoDecision::TimedOut(_)) => ActionRefusalCode::Unconfirmed,
            _ => ActionRefusalCode::Rejected,
        };
        permits.settle_answer(answer)?;
        send_all(permits.take_decisions(), output).await;
        if is_given {
            // The channel may have been disarmed meanwhile.
            let dry_run = self.dry_run(checked.index, &checked.performed.name);
            return Ok(dry_run.map_or(Confirmation::Given, Confirmation::Refused));
        }
        Ok(Confirmation::Refused(ActionRefusal {
            index: checked.index,
            name: checked.performed.name.clone(),
            code,
            detail: code.about().to_owned(),
            findings: Vec::new(),
            setting: None,
            decided_by: None,
        }))
    }
}

/// Waits until the agent has given the call up; for ever where no call asks.
async fn given_up(call: Option<&ActionCall>) {
    match call {
        Some(call) => call.closed().await,
        None => std::future::pending().await,
    }
}

async fn send_all(events: Vec<OutputEvent>, output: &mpsc::Sender<OutputEvent>) {
    for event in events {
        let _ = output.send(event).await;
    }
}

/// The request as people see it: the command, or the action with its payload.
fn request(checked: &CheckedAction, tool: Option<&ToolId>) -> PermissionRequest {
    let option = |kind: PermissionKind, name: &str| PermissionOption {
        id: kind.code().to_owned(),
        name: name.to_owned(),
        kind,
    };
    let name = &checked.performed.name;
    let (title, arguments) = if let Some(command) = &checked.performed.command {
        // All that it would do is in its command; a limit of time beside it only shortens it.
        (format!("{name}: {command}"), None)
    } else {
        let payload = serde_json::Value::Object(checked.payload.clone());
        (name.clone(), Some(payload.to_string()))
    };
    PermissionRequest {
        id: PermissionRequest::id_of_action(checked.index),
        tool: tool.cloned(),
        title,
        does: "execute".to_owned(),
        arguments,
        preview: CallPreview::default(),
        options: vec![
            option(PermissionKind::AllowOnce, "Carry it out"),
            option(PermissionKind::RejectOnce, "Do not"),
        ],
    }
}
