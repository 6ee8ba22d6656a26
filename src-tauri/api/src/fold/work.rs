//! What is done beside writing: an agent thinks, uses tools, asks for permission, and its actions run; each with the time it
//! took.

use foldback_wire::{
    ActionEnded, ActionStarted, DeliveryOutcome, Kind, PermissionId, ToolCall, ToolStatus,
    rpc::{Lane, LaneSpan, ToolEntry},
};

/// The work of a turn's agent, as far as it was told.
#[derive(Debug, Clone, Default)]
pub(super) struct Work {
    tools: Vec<ToolEntry>,
    /// Whether the last thing it did was to think; its bar is the last of them.
    thinks: bool,
    thoughts: Vec<LaneSpan>,
    asked: Vec<(PermissionId, LaneSpan)>,
    /// The actions that began, by their place among those of the turn.
    actions: Vec<(u32, LaneSpan)>,
}

impl Work {
    pub(super) fn push(&mut self, seq: u64, ms: u64, kind: &Kind) {
        let thinks = matches!(kind, Kind::Reasoning { .. });
        match kind {
            Kind::Reasoning { .. } if self.thinks => {}
            Kind::Reasoning { .. } => self.thoughts.push(bar(Lane::Thinking, seq, ms, "reasoning")),
            Kind::Tool { call } => self.tool(seq, ms, call),
            Kind::PermissionAsked { request, .. } => {
                let bar = bar(
                    Lane::Permission,
                    seq,
                    ms,
                    &format!("needs permission: {}", request.title),
                );
                self.asked.push((request.id.clone(), bar));
            }
            Kind::PermissionDecided { id, option, .. } => {
                let open = self.asked.iter_mut().rev().find(|(asked, _)| asked == id);
                if let Some((_, bar)) = open {
                    bar.until_ms = Some(ms);
                    bar.error = option.is_none();
                }
            }
            Kind::ActionStarted(started) => self.begin_action(seq, ms, started),
            Kind::ActionEnded(ended) => self.end_action(ms, ended),
            Kind::RunEnded { .. } => {
                self.lapse_calls(ms);
                self.lapse_requests(ms);
            }
            Kind::TurnEnded { .. } => {
                self.lapse_calls(ms);
                self.lapse_requests(ms);
                self.lapse_actions(ms);
            }
            // Whoever is asked next knows nothing of the calls of whoever failed.
            Kind::Retrying { .. } => {
                self.lapse_calls(ms);
                return;
            }
            Kind::Chunk { .. } => {}
            _ => return,
        }
        if !thinks && self.thinks {
            self.end_thought(ms);
        }
        self.thinks = thinks;
    }

    fn begin_action(&mut self, seq: u64, ms: u64, ActionStarted { index, action, .. }: &ActionStarted) {
        let label = match &action.command {
            Some(command) => format!("{}: {command}", action.name),
            None => action.name.clone(),
        };
        self.actions.push((*index, bar(Lane::Actions, seq, ms, &label)));
    }

    fn end_action(&mut self, ms: u64, ended: &ActionEnded) {
        let begun = self.actions.iter_mut().find(|(index, _)| *index == ended.index);
        if let Some((_, bar)) = begun {
            bar.until_ms = Some(ms);
            bar.error = ended.outcome == DeliveryOutcome::Error;
        }
    }

    /// Nobody knows how they ended: the process was stopped while they ran.
    fn lapse_actions(&mut self, ms: u64) {
        for (_, bar) in self.actions.iter_mut().filter(|(_, bar)| bar.until_ms.is_none()) {
            bar.until_ms = Some(ms);
            bar.label.push_str(", end not told");
        }
    }

    fn tool(&mut self, seq: u64, ms: u64, call: &ToolCall) {
        let lapsed_ms = (call.status == ToolStatus::Unfinished).then_some(ms);
        let told = call.status.is_over() && lapsed_ms.is_none();
        let known = self.tools.iter_mut().find(|known| known.call.id == call.id);
        let Some(known) = known else {
            self.tools.push(ToolEntry {
                call: call.clone(),
                seq,
                at_ms: ms,
                took_ms: told.then_some(0),
                lapsed_ms,
            });
            return;
        };
        let before = std::mem::replace(&mut known.call, call.clone());
        known.call.arguments = known.call.arguments.take().or(before.arguments);
        known.call.result = known.call.result.take().or(before.result);
        // It goes on, or its end is told now, or never.
        known.lapsed_ms = lapsed_ms;
        if told && known.took_ms.is_none() {
            known.took_ms = Some(ms.saturating_sub(known.at_ms));
        }
    }

    /// Nothing more is told of the calls, in a journal of a version that did not end them with their run.
    fn lapse_calls(&mut self, ms: u64) {
        for call in &mut self.tools {
            if call.took_ms.is_none() && call.lapsed_ms.is_none() {
                call.lapsed_ms = Some(ms);
            }
        }
    }

    fn lapse_requests(&mut self, ms: u64) {
        for (_, bar) in self.asked.iter_mut().filter(|(_, bar)| bar.until_ms.is_none()) {
            bar.until_ms = Some(ms);
            bar.label.push_str(", not answered");
        }
    }

    fn end_thought(&mut self, ms: u64) {
        if let Some(bar) = self.thoughts.last_mut() {
            bar.until_ms = Some(ms);
        }
    }

    /// The calls begun so far.
    pub(super) fn tools(&self) -> Vec<ToolEntry> {
        self.tools.clone()
    }

    pub(super) fn bars(&self) -> impl Iterator<Item = LaneSpan> + '_ {
        let tools = self.tools.iter().map(|entry| {
            let told = entry.took_ms.map(|took| entry.at_ms + took);
            let mut bar = bar(Lane::Tools, entry.seq, entry.at_ms, &entry.call.name);
            bar.until_ms = told.or(entry.lapsed_ms);
            bar.error = entry.call.status == ToolStatus::Failed;
            if told.is_none() && bar.until_ms.is_some() {
                bar.label.push_str(", end not told");
            }
            bar
        });
        let asked = self.asked.iter().map(|(_, bar)| bar.clone());
        let actions = self.actions.iter().map(|(_, bar)| bar.clone());
        self.thoughts
            .iter()
            .cloned()
            .chain(tools)
            .chain(asked)
            .chain(actions)
    }
}

fn bar(lane: Lane, seq: u64, ms: u64, label: &str) -> LaneSpan {
    LaneSpan {
        lane,
        from_ms: ms,
        until_ms: None,
        label: label.to_owned(),
        seq,
        error: false,
    }
}
