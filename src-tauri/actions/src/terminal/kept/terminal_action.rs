//! The action `terminal`.

use super::{
    shell_task::{KeptEnd, KeptRun},
    shells::{CommandOf, Shells},
};
use crate::{
    ActionDecision, ActionInterface, ActionLimits, ActionOrder, ActionRow, ResultSink,
    command_line::command_in,
    terminal::{CommandRules, run_single},
};
use async_trait::async_trait;
use foldback_wire::{ActionConfirmation, ResultItem, duration_in_words};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::{sync::Arc, time::Duration};

/// The action's name.
pub const TERMINAL: &str = "terminal";

/// The payload of `terminal`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TerminalPayload {
    /// The command, as it would be typed in a shell.
    #[schemars(length(min = 1, max = 16384), regex(pattern = r"\S"))]
    command: String,
    /// False for a shell of its own, which ends with it.
    #[serde(default = "is_kept")]
    persistent_session: bool,
    /// Seconds after which it is stopped; never more than the bot's own limit.
    #[serde(default)]
    #[schemars(range(min = 1, max = 3600))]
    timeout: Option<u64>,
}

const fn is_kept() -> bool {
    true
}

/// The interface of `terminal`.
pub struct KeptTerminal {
    rules: CommandRules,
    shells: Arc<Shells>,
}

impl KeptTerminal {
    /// A terminal with these lists and shells.
    pub fn new(rules: CommandRules, shells: Arc<Shells>) -> Self {
        Self { rules, shells }
    }

    /// The row of `terminal` with these limits.
    pub fn row(timeout: Duration, max_output: usize) -> ActionRow {
        ActionRow {
            confirmation: ActionConfirmation::Listed,
            limits: ActionLimits {
                time: timeout,
                output_bytes: max_output,
                ..ActionLimits::default()
            },
            ..ActionRow::of::<TerminalPayload>(
                TERMINAL,
                "Runs one command in a shell on the bot's machine that is kept for this owner and chat, and gives its output and \
                 exit status. Folder, variables and background programs stay for the next command. It has no input.",
            )
        }
    }
}

#[async_trait]
impl ActionInterface for KeptTerminal {
    fn rows(&self) -> Vec<ActionRow> {
        let settings = self.shells.settings();
        vec![Self::row(settings.timeout, settings.max_output)]
    }

    fn decide(&self, _: &str, payload: &Map<String, Value>) -> ActionDecision {
        let command = payload.get("command").and_then(Value::as_str);
        self.rules.decide(command.unwrap_or_default())
    }

    fn command(&self, _: &str, payload: &Map<String, Value>) -> Option<String> {
        command_in(payload)
    }

    async fn perform(&self, order: ActionOrder, mut results: ResultSink) {
        let payload = match serde_json::from_value(Value::Object(order.payload)) {
            Ok(payload) => payload,
            Err(error) => return results.fail(format!("the payload cannot be read: {error}")),
        };
        let TerminalPayload {
            command,
            persistent_session,
            timeout,
        } = payload;
        let settings = self.shells.settings();
        if !persistent_session {
            return run_single(settings, &command, timeout, self.shells.clock(), results).await;
        }
        if command.contains('\0') {
            return results.fail("the command could not be started: it has a NUL in it");
        }
        let wanted = CommandOf {
            owner: order.requester,
            session: order.session,
            turn: order.turn,
            command,
            timeout: settings.timeout_of(timeout),
        };
        match self.shells.run(wanted).await {
            Ok(run) => {
                for item in items(run) {
                    results.add(item);
                }
                results.complete();
            }
            Err(error) => results.fail(format!("the command could not be carried out: {error}")),
        }
    }
}

/// The results of a command: what was written before it, where anything was, and what was written while it ran.
fn items(run: KeptRun) -> Vec<ResultItem> {
    let KeptRun {
        before,
        output,
        end,
        is_first,
    } = run;
    let mut notes = Vec::new();
    let mut exit = None;
    let next = "the next command gets a new shell";
    match end {
        KeptEnd::Exited(status) => exit = Some(status),
        KeptEnd::ShellEnded(status) => {
            exit = status.and_then(|status| status.code());
            notes.push(format!("the shell ended with it; {next}"));
        }
        KeptEnd::TimedOut(time) => notes.push(format!(
            "stopped after {}, and the shell with everything in it; {next}",
            duration_in_words(time)
        )),
        KeptEnd::Ended(why) => notes.push(format!("{why}; {next}")),
    }
    if is_first {
        notes.push("in a new shell".to_owned());
    }
    if output.is_empty() {
        notes.push("no output".to_owned());
    }
    let mut items = Vec::new();
    if !before.is_empty() {
        items.push(before.item("output since the command before"));
    }
    items.push(ResultItem {
        exit,
        note: (!notes.is_empty()).then(|| notes.join("; ")),
        ..output.item("output")
    });
    items
}
