//! What the agent of a turn did, as a script.

use foldback_agents::{Act, ScriptStep, ToolStep};
use foldback_transcripts::{TranscriptTurn, TurnPart};
use foldback_wire::{Timestamp, ToolId, ToolStatus};
use std::time::Duration;

/// Longest silence of a script: shorter than the limit of silence after which a run fails.
const LONGEST_SILENCE: Duration = Duration::from_mins(4);

/// Whether the times of the transcript are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pace {
    /// As they are.
    Kept,
    /// All at once.
    Instant,
}

/// The script of a turn. A failure that something was said after is none: the agent tried again.
pub(super) fn script(turn: &TranscriptTurn, pace: Pace) -> Vec<ScriptStep> {
    let mut script = Script {
        steps: Vec::new(),
        now: turn.at.filter(|_| pace == Pace::Kept),
        said: false,
        messages: 0,
        tools: 0,
    };
    let last_said = turn
        .parts
        .iter()
        .rposition(|part| matches!(part, TurnPart::Raw { .. }));
    for (index, part) in turn.parts.iter().enumerate() {
        let after_ms = script.wait_for(part.at());
        let went_on = last_said.is_some_and(|last| index < last);
        match part {
            TurnPart::Raw { text, .. } => script.say(text, after_ms),
            TurnPart::Reasoning { text, .. } => script.push(Act::Reasoning(text.clone()), after_ms),
            TurnPart::Tool(tool) => {
                script.said = false;
                script.tools += 1;
                let id = if tool.id.is_empty() {
                    format!("call-{}", script.tools)
                } else {
                    tool.id.clone()
                };
                let step = ToolStep {
                    id: ToolId::from(id),
                    name: if tool.name.is_empty() {
                        "tool".to_owned()
                    } else {
                        tool.name.clone()
                    },
                    status: if tool.failed {
                        ToolStatus::Failed
                    } else {
                        ToolStatus::Completed
                    },
                    after_ms: 0,
                    arguments: tool.arguments.clone(),
                    result: tool.result.clone(),
                };
                script.push(Act::Tool(step), after_ms);
            }
            TurnPart::Failed { detail, .. } if !went_on => {
                script.push(Act::Error(detail.clone()), after_ms);
                break;
            }
            // What a program sent is no output of the agent.
            TurnPart::Failed { .. } | TurnPart::Delivered { .. } => {}
        }
    }
    script.steps
}

struct Script {
    steps: Vec<ScriptStep>,
    /// The time up to which the script has come, where it is kept.
    now: Option<Timestamp>,
    /// Raw text was the last thing.
    said: bool,
    messages: u32,
    tools: u32,
}

impl Script {
    /// Milliseconds until this time.
    fn wait_for(&mut self, at: Option<Timestamp>) -> u64 {
        let (Some(now), Some(at)) = (self.now, at) else {
            return 0;
        };
        self.now = Some(now.max(at));
        let wait = at.since(now).min(LONGEST_SILENCE);
        u64::try_from(wait.as_millis()).unwrap_or(0)
    }

    fn push(&mut self, act: Act, after_ms: u64) {
        self.steps.push(ScriptStep { after_ms, act });
    }

    fn say(&mut self, text: &str, after_ms: u64) {
        self.messages += 1;
        // Two texts without a tool call between them would be one assistant message.
        if self.said {
            self.push(Act::Message(format!("message-{}", self.messages)), 0);
        }
        self.said = true;
        self.push(Act::Text(text.to_owned()), after_ms);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldback_transcripts::{ReadLimits, read};

    #[test]
    fn times_are_kept_and_messages_stay_apart() {
        let log = concat!(
            r#"{"type":"session","version":3,"id":"s","timestamp":"2026-03-02T08:00:00Z"}"#,
            "\n",
            r#"{"type":"message","id":"1","parentId":null,"timestamp":"2026-03-02T08:00:00Z","message":{"role":"user","content":"hi"}}"#,
            "\n",
            r#"{"type":"message","id":"2","parentId":"1","timestamp":"2026-03-02T08:00:02Z","message":{"role":"assistant","content":[{"type":"text","text":"one"}]}}"#,
            "\n",
            r#"{"type":"message","id":"3","parentId":"2","timestamp":"2026-03-02T09:00:00Z","message":{"role":"assistant","content":[{"type":"text","text":"two"}]}}"#,
        );
        let transcript = read(log.as_bytes(), &ReadLimits::default()).unwrap();
        let turn = &transcript.conversations[0].turns[0];
        let told: Vec<String> = script(turn, Pace::Kept)
            .iter()
            .map(|step| format!("{} {:?}", step.after_ms, step.act))
            .collect();
        assert_eq!(
            told,
            [
                "2000 Text(\"one\")",
                "0 Message(\"message-2\")",
                "240000 Text(\"two\")"
            ]
        );
        assert!(script(turn, Pace::Instant).iter().all(|step| step.after_ms == 0));
    }
}
