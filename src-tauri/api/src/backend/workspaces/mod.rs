//! Workspaces: files that are opened beside the live bot.
//!
//! A workspace is a whole [`Backend`] over a journal of its own, which lies in a folder that goes when the workspace is
//! closed. Its events are there before it starts, its channels are simulated, and the bot that a `Backend` brings writes
//! into another journal that nobody looks at: so nothing that starts or waits there changes what the file tells. What
//! only a live bot can do is refused (`replayed`). The live bot and its journal have no part in any of this.

mod reading;
mod summary;

use super::{Backend, ReplayedFiles, Setup, fixtures::off_thread, lock, runs::silently};
use crate::failure;
use foldback_replay::keep;
use foldback_store::{Journal, MemoryJournal, Selection, SqliteJournal};
use foldback_wire::{
    Event, Kind, Seq, TurnId,
    rpc::{Failure, Workspace, WorkspaceOpen, WorkspaceSource},
};
use reading::{ReadFile, ReadSource, read_case, read_paths};
use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, Mutex},
    time::Duration,
};
use tempfile::TempDir;

/// Most files that are open at a time; each has a journal and a bot.
const MOST: usize = 8;
/// Time between two looks whether a new workspace has counted its events.
const LOOK: Duration = Duration::from_millis(5);

/// The open workspaces.
#[derive(Default)]
pub(super) struct Workspaces {
    opened: Mutex<Numbered>,
}

#[derive(Default)]
struct Numbered {
    last: u32,
    open: BTreeMap<u32, OpenWorkspace>,
}

struct OpenWorkspace {
    about: Workspace,
    backend: Backend,
    /// Its journal's folder.
    folder: TempDir,
}

impl Workspaces {
    pub(super) fn get(&self, number: u32) -> Option<Backend> {
        lock(&self.opened)
            .open
            .get(&number)
            .map(|one| one.backend.clone())
    }

    /// True where another one may be opened; one of this source makes room for itself.
    fn have_room(&self, source: &WorkspaceSource) -> bool {
        let opened = lock(&self.opened);
        let others = opened.open.values().filter(|one| one.about.source != *source);
        others.count() < MOST
    }

    /// Takes in a workspace under a new number; answers it with those it takes the place of.
    fn add(&self, mut new: OpenWorkspace) -> (Workspace, Vec<OpenWorkspace>) {
        let mut opened = lock(&self.opened);
        opened.last += 1;
        let number = opened.last;
        let source = new.about.source.clone();
        let replaced = opened.open.extract_if(.., |_, one| one.about.source == source);
        let replaced: Vec<_> = replaced.map(|(_, one)| one).collect();
        new.about.workspace = number;
        let about = new.about.clone();
        opened.open.insert(number, new);
        (about, replaced)
    }

    fn remove(&self, number: u32) -> Option<OpenWorkspace> {
        lock(&self.opened).open.remove(&number)
    }

    fn remove_all(&self) -> Vec<OpenWorkspace> {
        std::mem::take(&mut lock(&self.opened).open)
            .into_values()
            .collect()
    }
}

impl OpenWorkspace {
    /// Ends its bot and deletes its journal.
    async fn close(self) {
        if let Err(error) = self.backend.end().await {
            tracing::warn!(%error, "the journal of a file is not closed in order");
        }
        if let Err(error) = self.folder.close() {
            tracing::warn!(%error, "the journal of a file is not deleted");
        }
    }
}

impl Backend {
    pub(super) fn list_workspaces(&self) -> Vec<Workspace> {
        let opened = lock(&self.shared.workspaces.opened);
        opened.open.values().map(|one| one.about.clone()).collect()
    }

    /// Opens what is named in a workspace of its own. One of the same source takes the place of the earlier one: the file
    /// may have changed. Reading and playing take a thread of their own.
    pub(super) async fn open_workspace(&self, wish: WorkspaceOpen) -> Result<Workspace, Failure> {
        let WorkspaceOpen { source } = wish;
        let workspaces = &self.shared.workspaces;
        if !workspaces.have_room(&source) {
            return Err(failure::too_many_workspaces(MOST));
        }
        let read = match source.clone() {
            WorkspaceSource::Files { paths, bot } => {
                off_thread(move || silently(|| read_paths(&paths, bot.as_deref()))).await?
            }
            WorkspaceSource::Case { path, channel } => {
                let file = self.fixture_file(&path)?;
                off_thread(move || silently(|| read_case(&path, &file, &channel))).await?
            }
        };
        let new = Box::pin(self.start_workspace(source, read)).await?;
        let (about, replaced) = workspaces.add(new);
        for earlier in replaced {
            earlier.close().await;
        }
        Ok(about)
    }

    pub(super) async fn close_workspace(&self, number: u32) -> Result<(), Failure> {
        let found = self.shared.workspaces.remove(number);
        found.ok_or_else(|| failure::no_workspace(number))?.close().await;
        Ok(())
    }

    pub(super) async fn close_all_workspaces(&self) {
        for one in self.shared.workspaces.remove_all() {
            one.close().await;
        }
    }

    /// Puts what was read into a journal of its own and starts a bot beside it.
    async fn start_workspace(
        &self,
        source: WorkspaceSource,
        read: ReadSource,
    ) -> Result<OpenWorkspace, Failure> {
        let folder = tempfile::Builder::new().prefix("foldback-file-").tempdir();
        let folder = folder.map_err(|error| failure::cannot_open(&read.name, &error.to_string()))?;
        let journal = SqliteJournal::open(folder.path().join("journal.sqlite")).await;
        let journal: Arc<dyn Journal> = Arc::new(journal.map_err(failure::journal)?);
        let ReadSource {
            name,
            files,
            refused,
            config,
        } = read;
        let mut about = Vec::new();
        for file in files {
            about.push(keep_file(journal.as_ref(), file).await?);
        }
        let head = journal.head();
        let received = Selection::kinds(["received"]);
        let turns = journal.turns(&received, Seq(0), head).await;
        let turns = turns.map_err(failure::journal)?.len() as u32;
        let own: PathBuf = folder.path().join("bot");
        let shared = &self.shared;
        let setup = Setup {
            workspace: name.clone(),
            config,
            demo: false,
            log: shared.log.clone(),
            clock: Arc::clone(&shared.clock),
            journal: Some(Arc::new(MemoryJournal::new())),
            replayed: Some(ReplayedFiles {
                journal,
                redaction: shared.secrets.clone(),
                exports: shared.exports.clone(),
            }),
            ..Setup::embedded(own, shared.fixtures.clone(), shared.actor.clone())
        };
        let started = Self::open(setup).await;
        let backend = started.map_err(|error| failure::cannot_open(&name, &error.to_string()))?;
        backend.count_up_to(head).await;
        Ok(OpenWorkspace {
            about: Workspace {
                workspace: 0,
                name,
                source,
                turns,
                events: head.0,
                files: about,
                refused,
            },
            backend,
            folder,
        })
    }

    /// Waits until the figures tell of all events up to a place, or cannot.
    async fn count_up_to(&self, head: Seq) {
        let Self { shared } = self;
        while shared.turns.grown() < head && shared.stopped.get().is_none() {
            shared.clock.sleep_until(shared.clock.now().plus(LOOK)).await;
        }
    }
}

/// Puts the events of a file into a journal; answers what the window says of the file.
async fn keep_file(journal: &dyn Journal, file: ReadFile) -> Result<foldback_wire::rpc::OpenedFile, Failure> {
    let mut turns: BTreeMap<usize, Vec<TurnId>> = BTreeMap::new();
    for run in &file.runs {
        let first = keep(journal, &run.events).await.map_err(failure::journal)?;
        if let Some(conversation) = run.conversation {
            let own = turns.entry(conversation).or_default();
            own.extend(received(&run.events).map(|turn| TurnId(first.turn - 1 + turn.0)));
        }
    }
    Ok(summary::opened_file(file, &turns))
}

/// The turns that began in a run, in order.
fn received(events: &[Event]) -> impl Iterator<Item = TurnId> {
    let begins = |event: &&Event| matches!(event.kind, Kind::Received { .. });
    events.iter().filter(begins).filter_map(|event| event.turn)
}
