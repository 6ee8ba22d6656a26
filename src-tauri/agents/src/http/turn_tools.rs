//! The tools of one turn: calls of the model are handed on as actions, and their results go into the next request.

use super::{answer::ModelAnswer, protocol::ToolProtocol};
use crate::{
    ActionAnswer, ActionCall, MOST_ROUNDS, OfferedAction, Step,
    emitter::{Emitter, Interrupt},
    http::protocol::extend,
};
use foldback_wire::{ToolCall, ToolStatus};
use serde_json::{Map, Value};

/// The tools of a turn.
pub(crate) struct TurnTools {
    protocol: &'static dyn ToolProtocol,
    /// Calls so far.
    pub(super) calls: usize,
    /// Answers with calls so far.
    rounds: u32,
    /// The model was asked for an answer without a call.
    pub(super) is_over: bool,
}

impl TurnTools {
    /// Offers these actions in a request. Tools that are configured beside them stay.
    pub(super) fn offer(
        protocol: &'static dyn ToolProtocol,
        actions: &[&OfferedAction],
        model: &str,
        fields: &mut Map<String, Value>,
    ) -> Self {
        extend(
            fields,
            "tools",
            actions.iter().map(|action| protocol.tool(action)),
        );
        protocol.offer(model, fields);
        Self {
            protocol,
            calls: 0,
            rounds: 0,
            is_over: false,
        }
    }

    /// Has the calls of an answer carried out, one after the other, and tells how each ended.
    pub(super) async fn answer_calls(
        &mut self,
        calls: &[ToolCall],
        out: &Emitter,
    ) -> Result<Vec<ActionAnswer>, Interrupt> {
        let mut answers = Vec::with_capacity(calls.len());
        for call in calls {
            let payload = call.arguments.as_deref().unwrap_or_default();
            // A call without arguments is one with none.
            let payload = if payload.trim().is_empty() { "{}" } else { payload };
            let (asked, answered) = ActionCall::new(
                Some(call.id.clone()),
                call.name.clone(),
                payload.to_owned(),
                self.rounds,
            );
            out.emit(Step::Action(asked)).await?;
            // Nobody answers a run that is stopped.
            let answer = out.until(answered).await?.map_err(|_| Interrupt::Cancelled)?;
            out.emit(Step::Tool(ToolCall {
                status: if answer.is_error {
                    ToolStatus::Failed
                } else {
                    ToolStatus::Completed
                },
                result: Some(answer.text.clone()),
                ..call.clone()
            }))
            .await?;
            answers.push(answer);
        }
        self.calls += calls.len();
        Ok(answers)
    }

    /// Puts an answer and the results of its calls into the next request.
    pub(super) fn go_on(
        &mut self,
        heard: ModelAnswer,
        results: &[ActionAnswer],
        fields: &mut Map<String, Value>,
    ) {
        self.rounds += 1;
        self.protocol.add_results(heard, results, fields);
        if self.rounds >= MOST_ROUNDS || results.iter().any(|result| result.is_last) {
            self.protocol.forbid_calls(fields);
            self.is_over = true;
        }
    }
}
