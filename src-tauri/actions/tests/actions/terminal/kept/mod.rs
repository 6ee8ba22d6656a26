//! Kept shells: real bash on a real terminal.

mod confined;
mod ends;
mod output;
mod people;
mod state;
mod window;

use super::{OWNER, RealClock, processes, until_gone};
use foldback_actions::{
    ActionResult, ActionTable,
    terminal::{CommandRules, KeptTerminal, ShellLimits, ShellSettings, Shells},
};
use foldback_wire::{DeliveryOutcome, JsonAction, ResultItem, Span, TurnId, rpc::ShellLine};
use serde_json::{Value, json};
use std::{path::Path, sync::Arc, time::Duration};
use tempfile::TempDir;

/// Kept shells with a folder of their own.
struct Kept {
    folder: TempDir,
    table: ActionTable,
    shells: Arc<Shells>,
}

impl Kept {
    fn new() -> Self {
        Self::with(|_, _| {})
    }

    fn stopping_after(timeout: Duration) -> Self {
        Self::with(|settings, _| settings.timeout = timeout)
    }

    fn with(change: impl FnOnce(&mut ShellSettings, &mut ShellLimits)) -> Self {
        let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let (table, shells) = terminal(folder.path(), change);
        Self {
            folder,
            table,
            shells,
        }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    async fn perform_as(&self, owner: &str, chat: &str, turn: u64, payload: Value) -> ActionResult {
        let action = JsonAction {
            kind: "terminal".to_owned(),
            payload: payload.to_string(),
            span: Span::default(),
        };
        let read = self.table.read(0, &action, OWNER).unwrap();
        self.table
            .perform(&read, owner.into(), chat.into(), TurnId(turn), &RealClock)
            .await
    }

    async fn perform(&self, command: &str) -> ActionResult {
        self.perform_as("7", "chat", 1, json!({"command": command})).await
    }

    async fn run(&self, command: &str) -> Vec<ResultItem> {
        let result = self.perform(command).await;
        assert_eq!(result.outcome, DeliveryOutcome::Output, "{command}: {result:?}");
        result.items
    }

    /// The one result of a command before which nothing was written.
    async fn only(&self, command: &str) -> ResultItem {
        let mut items = self.run(command).await;
        assert_eq!(items.len(), 1, "{command}: {items:?}");
        items.remove(0)
    }

    async fn text(&self, command: &str) -> String {
        self.only(command).await.text
    }

    fn line(&self) -> ShellLine {
        self.shells.list().pop().unwrap()
    }

    /// Waits until this holds of the last shell.
    async fn until(&self, holds: impl Fn(&ShellLine) -> bool) {
        let mut changes = self.shells.changes();
        while !self.shells.list().last().is_some_and(&holds) {
            changes.changed().await.unwrap();
        }
    }
}

fn terminal(
    folder: &Path,
    change: impl FnOnce(&mut ShellSettings, &mut ShellLimits),
) -> (ActionTable, Arc<Shells>) {
    let mut settings = ShellSettings {
        folder: folder.join("work"),
        timeout: Duration::from_mins(1),
        max_output: 8 * 1024,
        confinement: None,
        guard: Some(env!("CARGO_BIN_EXE_foldback-command-guard").into()),
        redaction: None,
    };
    let mut limits = ShellLimits {
        idle: Duration::from_mins(10),
        most: 4,
    };
    change(&mut settings, &mut limits);
    let shells = Arc::new(Shells::new(settings, limits, Arc::new(RealClock)));
    let terminal = KeptTerminal::new(CommandRules::default(), Arc::clone(&shells));
    (ActionTable::of(vec![Arc::new(terminal)]).unwrap(), shells)
}
