//! A large journal of either kind, and views over it.

use foldback_store::{Filter, Journal, MemoryJournal, Opening, Scene, SqliteJournal, View};
use foldback_wire::{Draft, Kind, Span, Timestamp, TurnId};
use std::sync::Arc;

/// A hundred thousand events: every tenth on telegram, every hundredth a warning, a text in one of a
/// thousand, forty in a turn.
pub(crate) const EVENTS: u64 = 100_000;

pub(crate) fn draft(n: u64) -> Draft {
    let text = if n.is_multiple_of(1_000) {
        format!("needle {n}")
    } else {
        "straw".to_owned()
    };
    let kind = if n.is_multiple_of(100) {
        Kind::Warned { detail: text }
    } else {
        Kind::Chunk {
            message: 0,
            span: Span::new(0, 5),
            text,
            came: None,
        }
    };
    Draft {
        at: Timestamp(n as i64),
        turn: Some(TurnId(n / 40)),
        session: Some("s".into()),
        channel: Some(if n.is_multiple_of(10) {
            "telegram".into()
        } else {
            "discord".into()
        }),
        kind,
    }
}

pub(crate) fn filled(journal: &dyn Journal, events: std::ops::RangeInclusive<u64>) {
    journal.append(events.map(draft).collect()).unwrap();
}

pub(crate) fn memory() -> Arc<dyn Journal> {
    let journal = MemoryJournal::new();
    filled(&journal, 1..=EVENTS);
    Arc::new(journal)
}

pub(crate) async fn sqlite(folder: &tempfile::TempDir) -> Arc<dyn Journal> {
    let journal = SqliteJournal::open(folder.path().join("journal.sqlite"))
        .await
        .unwrap();
    filled(&journal, 1..=EVENTS);
    journal.flush().await.unwrap();
    Arc::new(journal)
}

pub(crate) fn opening() -> Opening {
    Opening {
        now: Timestamp(EVENTS as i64),
        scene: Scene::live(),
        max_behind: None,
    }
}

pub(crate) fn view(journal: &Arc<dyn Journal>, filter: &str) -> View {
    View::open(Arc::clone(journal), &Filter::parse(filter).unwrap(), opening())
}

/// Lets a view work until it is up to date; how many steps that took.
pub(crate) async fn up_to_date(view: &View) -> u64 {
    let mut steps = 1;
    while view.catch_up().await.unwrap() {
        steps += 1;
    }
    steps
}

pub(crate) async fn seqs(view: &View, from: u64, count: usize) -> Vec<u64> {
    view.rows(from, count)
        .await
        .unwrap()
        .iter()
        .map(|row| row.seq)
        .collect()
}

pub(crate) async fn journals(folder: &tempfile::TempDir) -> [Arc<dyn Journal>; 2] {
    let file = SqliteJournal::open(folder.path().join("journal.sqlite"))
        .await
        .unwrap();
    [Arc::new(MemoryJournal::new()), Arc::new(file)]
}

pub(crate) async fn told(journal: &Arc<dyn Journal>, drafts: Vec<Draft>) {
    journal.append(drafts).unwrap();
    journal.flush().await.unwrap();
}
