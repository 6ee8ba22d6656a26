//! Progress of a run: who answers, the tool calls of the agent, how much it said.

use foldback_wire::{ToolCall, ToolId};
use std::collections::HashMap;

/// Progress of a run, as far as its agent told.
pub(super) struct RunProgress {
    /// The backend that answers.
    pub(super) backend: String,
    /// The tool calls that began.
    tools: HashMap<ToolId, CallProgress>,
    /// Text for the chat, in the channel's unit.
    pub(super) said: usize,
}

/// A tool call that began.
struct CallProgress {
    /// Its place among the calls of the run, from 0.
    place: usize,
    /// Its name, without secrets.
    name: String,
    /// The agent has not told its end.
    runs: bool,
}

impl RunProgress {
    /// Nothing yet; this backend answers.
    pub(super) fn of(backend: &str) -> Self {
        Self {
            backend: backend.to_owned(),
            tools: HashMap::new(),
            said: 0,
        }
    }

    /// True where a tool that was announced has not ended yet.
    pub(super) fn works(&self) -> bool {
        self.tools.values().any(|call| call.runs)
    }

    /// Takes a call as it stands now. True where it begins.
    pub(super) fn take_call(&mut self, call: &ToolCall) -> bool {
        let runs = !call.status.is_over();
        let place = self.tools.len();
        if let Some(known) = self.tools.get_mut(&call.id) {
            known.runs = runs;
            return false;
        }
        let name = call.name.clone();
        self.tools
            .insert(call.id.clone(), CallProgress { place, name, runs });
        true
    }

    /// The calls without an end, which end now, in order.
    pub(super) fn end_calls(&mut self) -> Vec<ToolCall> {
        let mut open: Vec<_> = self.tools.iter_mut().filter(|(_, call)| call.runs).collect();
        open.sort_by_key(|(_, call)| call.place);
        let end = |(id, call): (&ToolId, &mut CallProgress)| {
            call.runs = false;
            ToolCall::unfinished(id.clone(), call.name.clone())
        };
        open.into_iter().map(end).collect()
    }
}
