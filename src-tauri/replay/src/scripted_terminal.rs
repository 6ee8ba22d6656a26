//! The terminal of a replay: it has the row and the lists of the real one, and results that were written before. Nothing is
//! carried out.

use crate::fixture::CommandResult;
use async_trait::async_trait;
use foldback_actions::{
    ActionDecision, ActionInterface, ActionOrder, ActionRow, ResultSink,
    terminal::{BASH, CommandRules, PatternError, Terminal},
};
use foldback_pipeline::config::BashConfig;
use foldback_wire::ResultItem;
use serde_json::{Map, Value};
use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};

pub(crate) struct ScriptedTerminal {
    row: ActionRow,
    rules: CommandRules,
    /// Those of the next commands.
    results: Mutex<VecDeque<CommandResult>>,
}

impl ScriptedTerminal {
    /// A terminal with these settings, whose commands come to these results, one after the other.
    ///
    /// # Errors
    /// Its lists cannot be read.
    pub(crate) fn new(config: &BashConfig, results: Vec<CommandResult>) -> Result<Self, PatternError> {
        let most_output = usize::try_from(config.max_output.0).unwrap_or(usize::MAX);
        Ok(Self {
            row: Terminal::row(config.timeout.0, most_output),
            rules: config.rules()?,
            results: Mutex::new(results.into()),
        })
    }
}

#[async_trait]
impl ActionInterface for ScriptedTerminal {
    fn rows(&self) -> Vec<ActionRow> {
        vec![self.row.clone()]
    }

    fn decide(&self, _: &str, payload: &Map<String, Value>) -> ActionDecision {
        self.rules
            .decide(payload.get("command").and_then(Value::as_str).unwrap_or_default())
    }

    fn command(&self, _: &str, payload: &Map<String, Value>) -> Option<String> {
        Some(payload.get("command")?.as_str()?.to_owned())
    }

    async fn perform(&self, _: ActionOrder, mut results: ResultSink) {
        let next = self
            .results
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop_front();
        let Some(CommandResult { items, fails }) = next else {
            return results.fail(format!("the fixture has no more results of {BASH}"));
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
