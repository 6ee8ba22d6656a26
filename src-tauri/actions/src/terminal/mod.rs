//! The terminal: single commands in a shell, and shells that are kept between commands ([`Shells`]).
//!
//! What must hold:
//! - It is off unless its settings say otherwise, and only owners have a command run.
//! - A command runs behind a guard ([`foldback_programs::guard`]): at its time limit, or when its future is dropped,
//!   everything it started is gone, also what left its process group or its session; so it is when Foldback is killed.
//! - It gets nothing of ours: a fixed list of variables, no input, and a space of its own where that is set.
//! - Of its output a beginning and an end are kept, however much there is, as a person would read it: escape sequences are
//!   taken out before secrets are looked for.

mod capture;
mod command_rules;
mod kept;
mod plain_text;
mod shell;

pub use command_rules::{CommandRules, PatternError, check_pattern};
pub use kept::{KeptTerminal, ShellLimits, Shells, TERMINAL};
pub use shell::{ShellSettings, shell_path};

use crate::{
    ActionDecision, ActionInterface, ActionLimits, ActionOrder, ActionRow, ResultSink,
    command_line::command_in,
};
use async_trait::async_trait;
use foldback_wire::{ActionConfirmation, Clock, ResultItem, duration_in_words};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use shell::{CommandEnd, CommandRun, run_command};
use std::{sync::Arc, time::Duration};

/// The action's name.
pub const BASH: &str = "bash";

/// The payload of `bash`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct BashPayload {
    /// The command, as it would be typed in a shell.
    #[schemars(length(min = 1, max = 16384), regex(pattern = r"\S"))]
    command: String,
    /// Seconds after which it is stopped; never more than the bot's own limit.
    #[serde(default)]
    #[schemars(range(min = 1, max = 3600))]
    timeout: Option<u64>,
}

/// The interface of `bash`.
pub struct Terminal {
    rules: CommandRules,
    shell: ShellSettings,
    clock: Arc<dyn Clock>,
}

impl Terminal {
    /// A terminal with these settings.
    pub fn new(rules: CommandRules, shell: ShellSettings, clock: Arc<dyn Clock>) -> Self {
        Self { rules, shell, clock }
    }

    /// The row of `bash` with these limits.
    pub fn row(timeout: Duration, max_output: usize) -> ActionRow {
        ActionRow {
            confirmation: ActionConfirmation::Listed,
            limits: ActionLimits {
                time: timeout,
                output_bytes: max_output,
                ..ActionLimits::default()
            },
            ..ActionRow::of::<BashPayload>(
                BASH,
                "Runs one command in a shell on the bot's machine and gives its output and exit status. It has no input, \
                 and nothing of it goes on when it has ended.",
            )
        }
    }
}

#[async_trait]
impl ActionInterface for Terminal {
    fn rows(&self) -> Vec<ActionRow> {
        vec![Self::row(self.shell.timeout, self.shell.max_output)]
    }

    fn decide(&self, _: &str, payload: &Map<String, Value>) -> ActionDecision {
        let command = payload.get("command").and_then(Value::as_str);
        self.rules.decide(command.unwrap_or_default())
    }

    fn command(&self, _: &str, payload: &Map<String, Value>) -> Option<String> {
        command_in(payload)
    }

    async fn perform(&self, order: ActionOrder, results: ResultSink) {
        let BashPayload { command, timeout } = match serde_json::from_value(Value::Object(order.payload)) {
            Ok(payload) => payload,
            Err(error) => return results.fail(format!("the payload cannot be read: {error}")),
        };
        run_single(&self.shell, &command, timeout, self.clock.as_ref(), results).await;
    }
}

/// Runs a command in a shell of its own, and hands over what came of it.
async fn run_single(
    settings: &ShellSettings,
    command: &str,
    timeout: Option<u64>,
    clock: &dyn Clock,
    mut results: ResultSink,
) {
    match run_command(settings, command, settings.timeout_of(timeout), clock).await {
        Ok(run) => {
            for item in items(run) {
                results.add(item);
            }
            results.complete();
        }
        Err(error) => results.fail(format!("the command could not be started: {error}")),
    }
}

/// The results of a command: its output, which tells how it ended, and its error output where there is any.
fn items(run: CommandRun) -> Vec<ResultItem> {
    let CommandRun { output, errors, end } = run;
    let is_silent = output.is_empty() && errors.is_empty();
    let mut items = vec![output.item("stdout")];
    if !errors.is_empty() {
        items.push(errors.item("stderr"));
    }
    let stdout = &mut items[0];
    let mut notes = Vec::new();
    match end {
        CommandEnd::Exited(status) => stdout.exit = Some(status),
        CommandEnd::Signalled(signal) => notes.push(format!("ended by signal {signal}")),
        CommandEnd::TimedOut(after) => notes.push(format!("stopped after {}", duration_in_words(after))),
        CommandEnd::Untold => notes.push("nobody knows how it ended".to_owned()),
    }
    if is_silent {
        notes.push("no output".to_owned());
    }
    if !notes.is_empty() {
        stdout.note = Some(notes.join("; "));
    }
    items
}
