//! The tools of one turn: calls of the model are handed on as actions, and their results go into the next request.

use super::{answer::ModelAnswer, protocol::ToolProtocol};
use crate::{
    ActionAnswer, ActionCall, MOST_ROUNDS, OfferedAction, Step,
    emitter::{Emitter, Interrupt},
    http::protocol::extend,
};
use foldback_wire::{AgentFault, ToolCall, ToolId, ToolStatus};
use serde_json::{Map, Value};
use std::collections::{BTreeSet, HashSet};

/// The tools of a turn.
pub(crate) struct TurnTools {
    protocol: &'static dyn ToolProtocol,
    /// The ids of the calls so far.
    pub(super) ids: HashSet<ToolId>,
    /// Answers with calls so far.
    rounds: u32,
    /// The model was asked for an answer without a call.
    is_over: bool,
    /// It called all the same, and was told so once.
    is_reminded: bool,
    /// The names of the tools that the operator configured beside the actions. Nobody here carries them out.
    configured: BTreeSet<String>,
}

/// The result of a call behind the last one.
const NO_MORE: &str = "No more calls are carried out for this message. Answer now, with what is known.";
/// The result of a call of a configured tool beside one of an action.
const NOT_HERE: &str = "This tool is not carried out here.";

impl TurnTools {
    /// Offers these actions in a request. Tools that are configured beside them stay.
    pub(super) fn offer(
        protocol: &'static dyn ToolProtocol,
        actions: &[&OfferedAction],
        model: &str,
        fields: &mut Map<String, Value>,
    ) -> Self {
        let configured = fields.get("tools").map(names).unwrap_or_default();
        extend(
            fields,
            "tools",
            actions.iter().map(|action| protocol.tool(action)),
        );
        protocol.offer(model, fields);
        Self {
            protocol,
            ids: HashSet::new(),
            rounds: 0,
            is_over: false,
            is_reminded: false,
            configured,
        }
    }

    /// True where one of these calls is to be answered. Calls of configured tools alone are left to whoever asked.
    pub(super) fn answers(&self, calls: &[ToolCall]) -> bool {
        calls.iter().any(|call| !self.configured.contains(&call.name))
    }

    /// Has the calls of an answer carried out, one after the other, and tells how each ended.
    ///
    /// # Errors
    /// Reminds a model that calls again behind the last call. It is told once that no more are carried out: some servers
    /// ignore that a request forbids calls.
    pub(super) async fn answer_calls(
        &mut self,
        calls: &[ToolCall],
        out: &Emitter,
    ) -> Result<Vec<ActionAnswer>, Interrupt> {
        if self.is_over && std::mem::replace(&mut self.is_reminded, true) {
            let detail = "the model goes on calling tools where `tool_choice` of the request forbids it";
            return Err(Interrupt::failed(AgentFault::Malformed, detail.to_owned()));
        }
        let mut answers = Vec::with_capacity(calls.len());
        for call in calls {
            let answer = if self.is_over {
                refused(NO_MORE)
            } else if self.configured.contains(&call.name) {
                refused(NOT_HERE)
            } else {
                self.hand_on(call, out).await?
            };
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
        self.ids.extend(calls.iter().map(|call| call.id.clone()));
        Ok(answers)
    }

    /// Has one call carried out.
    async fn hand_on(&self, call: &ToolCall, out: &Emitter) -> Result<ActionAnswer, Interrupt> {
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
        out.until(answered).await?.map_err(|_| Interrupt::Cancelled)
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

/// The result of a call that is not carried out.
fn refused(why: &str) -> ActionAnswer {
    ActionAnswer {
        text: why.to_owned(),
        is_error: true,
        is_last: false,
    }
}

/// The names in a list of tools, in the form of any protocol.
fn names(tools: &Value) -> BTreeSet<String> {
    let name = |tool: &Value| {
        let name = tool["function"]["name"].as_str().or(tool["name"].as_str());
        name.map(str::to_owned)
    };
    tools.as_array().into_iter().flatten().filter_map(name).collect()
}
