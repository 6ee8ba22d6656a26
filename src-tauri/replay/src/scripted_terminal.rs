//! The terminal of a replay: it has the rows and the lists of the real one, and results that were written before. Nothing is
//! carried out.

use crate::fixture::CommandResult;
use async_trait::async_trait;
use foldback_actions::{
    ActionDecision, ActionInterface, ActionOrder, ActionRow, ResultSink,
    terminal::{CommandRules, KeptTerminal, PatternError, Terminal},
};
use foldback_pipeline::config::ActionsConfig;
use foldback_wire::ResultItem;
use serde_json::{Map, Value};
use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};

pub(crate) struct ScriptedTerminal {
    rows: Vec<ActionRow>,
    rules: CommandRules,
    /// Those of the next commands.
    results: Mutex<VecDeque<CommandResult>>,
}

impl ScriptedTerminal {
    /// A terminal with these settings, whose commands come to these results, one after the other.
    ///
    /// # Errors
    /// Its lists cannot be read.
    pub(crate) fn new(config: &ActionsConfig, results: Vec<CommandResult>) -> Result<Self, PatternError> {
        let (bash, terminal) = (&config.bash, &config.terminal);
        let mut rows = vec![Terminal::row(bash.timeout.0, bash.most_output())];
        if terminal.enabled {
            rows.push(KeptTerminal::row(bash.timeout.0, bash.most_output()));
        }
        Ok(Self {
            rows,
            rules: bash.rules()?,
            results: Mutex::new(results.into()),
        })
    }
}

#[async_trait]
impl ActionInterface for ScriptedTerminal {
    fn rows(&self) -> Vec<ActionRow> {
        self.rows.clone()
    }

    fn decide(&self, _: &str, payload: &Map<String, Value>) -> ActionDecision {
        self.rules
            .decide(payload.get("command").and_then(Value::as_str).unwrap_or_default())
    }

    fn command(&self, _: &str, payload: &Map<String, Value>) -> Option<String> {
        Some(payload.get("command")?.as_str()?.to_owned())
    }

    async fn perform(&self, order: ActionOrder, mut results: ResultSink) {
        let next = self
            .results
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop_front();
        let Some(CommandResult { items, fails }) = next else {
            return results.fail(format!("the fixture has no more results of {}", order.action));
        };
        for item in items {
            results.add(ResultItem {
                exit: item.exit,
                note: item.note,
                ..ResultItem::new(item.label, item.text)
            });
        }
        match fails {
            Some(why) => results.fail(why),
            None => results.complete(),
        }
    }
}
