//! Figures of the journal: `cargo run --release -p foldback-store --example bench [EVENTS]`.
//! Every figure stands beside one of the same run, so that machines can be compared.

use foldback_store::{
    Filter, Journal, MemoryJournal, Opening, OutboxEntry, Scene, SqliteJournal, StoreError, Then, TurnView,
    View,
};
use foldback_wire::{
    Draft, Inbound, Kind, MessageFlags, OpId, Operation, Outcome, OutcomeCode, Seq, Span, Target, Timestamp,
    TurnId,
};
use std::{
    io::Write as _,
    ops::Range,
    sync::Arc,
    time::{Duration, Instant},
};

/// Events appended at a time, as a busy pipeline does.
const BATCH: u64 = 100;

const EVENTS_A_TURN: u64 = 40;

/// Turns on the screen, with those kept ready beside them.
const SCREEN: usize = 50;

/// Operations of the outbox, each intended, attempted and settled.
const OPERATIONS: u64 = 2_000;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let events = std::env::args()
        .nth(1)
        .map_or(Ok(1_000_000), |text| text.parse())?;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("journal.sqlite");
    let message = message()?;
    let memory: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
    let sqlite: Arc<dyn Journal> = Arc::new(SqliteJournal::open(&path).await?);

    let floor = fill(&memory, events, &message).await?;
    let took = fill(&sqlite, events, &message).await?;
    say("append and commit", took, events, "events");
    say("  the same in memory", floor, events, "events");
    println!(
        "  {:.0} bytes an event on disk",
        std::fs::metadata(&path)?.len() as f64 / events as f64
    );

    let alone = commit_alone(folder.path())?;
    say(
        "one write and fsync at a time, bare file",
        alone,
        OPERATIONS,
        "writes",
    );
    for together in [1, 8, 64] {
        let took = operate(&sqlite, together).await?;
        say(
            &format!("intend, attempt, settle; {together} at once"),
            took,
            OPERATIONS * 3,
            "confirmations",
        );
    }

    for filter in [
        "",
        "channel:telegram kind:warned",
        "turn:#500",
        "-kind:chunk",
        "dur>1s",
        "needle",
        "/need.e [0-9]+/",
    ] {
        let filter = Filter::parse(filter).map_err(|error| error.message)?;
        look(&sqlite, &filter, events).await?;
    }
    for filter in ["", "channel:telegram", "kind:warned needle", "needle"] {
        let filter = Filter::parse(filter).map_err(|error| error.message)?;
        list(&sqlite, &filter, events).await?;
    }
    sqlite.close().await?;
    Ok(())
}

/// What a person wrote.
fn message() -> Result<Box<Inbound>, serde_json::Error> {
    serde_json::from_value(serde_json::json!({
        "channel": "telegram", "account": null, "chat": "42", "chat_type": "direct", "thread": null,
        "message": "1", "reply_to": null,
        "sender": {"id": "42", "name": "alice", "display_name": "Alice", "is_bot": false},
        "text": "Which one do you feel like?", "mentioned": true, "files": [], "at": "2026-01-01T00:00:00Z",
    }))
}

/// Events with these numbers; the first of each turn is its message.
fn drafts(range: Range<u64>, message: &Inbound) -> Vec<Draft> {
    let draft = |n: u64| Draft {
        kind: if n % EVENTS_A_TURN == 1 {
            Kind::Received {
                message: Box::new(message.clone()),
            }
        } else {
            draft(n).kind
        },
        ..draft(n)
    };
    range.map(draft).collect()
}

fn draft(n: u64) -> Draft {
    let kind = if n.is_multiple_of(100) {
        Kind::Warned {
            detail: format!("needle {n}"),
        }
    } else {
        let text = "a few words, as an agent's stream brings them".to_owned();
        Kind::Chunk {
            message: 0,
            span: Span::new(0, text.len()),
            text,
            came: None,
        }
    };
    Draft {
        at: Timestamp(n as i64),
        turn: Some(TurnId(n.div_ceil(EVENTS_A_TURN))),
        session: Some("telegram:42:alice".into()),
        channel: Some(if n.is_multiple_of(10) {
            "telegram".into()
        } else {
            "discord".into()
        }),
        kind,
    }
}

async fn fill(journal: &Arc<dyn Journal>, events: u64, message: &Inbound) -> Result<Duration, StoreError> {
    let begin = Instant::now();
    for first in (0..events).step_by(BATCH as usize) {
        let drafts = drafts(first..(first + BATCH).min(events), message);
        while let Err(StoreError::Behind(_)) = journal.append(drafts.clone()) {
            journal.flush().await?;
        }
        tokio::task::yield_now().await;
    }
    journal.flush().await?;
    Ok(begin.elapsed())
}

/// What a confirmation costs at least: the disk.
fn commit_alone(folder: &std::path::Path) -> std::io::Result<Duration> {
    let mut file = std::fs::File::create(folder.join("bare"))?;
    let begin = Instant::now();
    for _ in 0..OPERATIONS {
        file.write_all(&[0; 4_096])?;
        file.sync_data()?;
    }
    Ok(begin.elapsed())
}

async fn operate(journal: &Arc<dyn Journal>, together: u64) -> Result<Duration, StoreError> {
    let first = journal.reserve().await?.op;
    let begin = Instant::now();
    let conversations = (0..together).map(|conversation| {
        let journal = Arc::clone(journal);
        async move {
            for op in (first + conversation..first + OPERATIONS).step_by(together as usize) {
                let op = OpId(op);
                journal.intend(entry(op), vec![draft(1)]).await?;
                journal.attempt(op, vec![draft(1)]).await?;
                journal
                    .settle(op, Outcome::new(OutcomeCode::Sent), vec![draft(1)])
                    .await?;
            }
            Ok::<_, StoreError>(())
        }
    });
    futures::future::try_join_all(conversations).await?;
    Ok(begin.elapsed())
}

fn entry(op: OpId) -> OutboxEntry {
    OutboxEntry {
        op,
        turn: TurnId(1),
        session: "telegram:42:alice".into(),
        channel: "telegram".into(),
        target: Target {
            chat: "42".into(),
            thread: None,
        },
        operation: Operation::SendText {
            text: "Great idea!".into(),
            reply_to: None,
            flags: MessageFlags::default(),
        },
        key: op.to_string(),
        at: Timestamp(0),
        in_flight: false,
        dry_run: false,
        live: false,
        not_before: None,
        part_of: None,
        since: None,
        then: Then::default(),
    }
}

async fn look(journal: &Arc<dyn Journal>, filter: &Filter, events: u64) -> Result<(), StoreError> {
    let opening = Opening {
        now: Timestamp(events as i64),
        scene: Scene::live(),
        max_behind: None,
    };
    let view = View::open(Arc::clone(journal), filter, opening);
    let begin = Instant::now();
    while view.catch_up().await? {}
    let took = begin.elapsed();
    let begin = Instant::now();
    let length = view.len();
    for screen in 0..100 {
        view.rows(length / 100 * screen, 50).await?;
    }
    let window = begin.elapsed() / 100;
    let begin = Instant::now();
    journal.read(Seq(events / 2), 50).await?;
    let read = begin.elapsed();
    println!(
        "view `{filter}`: {length} rows in {took:.0?}, {} events read; a window of 50 in {window:.0?} (a plain read {read:.0?})",
        view.work().examined
    );
    Ok(())
}

/// The list of turns, from being opened to its count, and to the events of the turns on the screen.
async fn list(journal: &Arc<dyn Journal>, filter: &Filter, events: u64) -> Result<(), StoreError> {
    let opening = Opening {
        now: Timestamp(events as i64),
        scene: Scene::live(),
        max_behind: None,
    };
    let begin = Instant::now();
    let view = TurnView::open(Arc::clone(journal), filter, opening);
    while view.catch_up().await? {}
    let counted = begin.elapsed();
    let first = view.len().saturating_sub(SCREEN as u64);
    let mut read = 0;
    for turn in view.turns(first, SCREEN) {
        read += journal.turn(turn).await?.len();
    }
    let shown = begin.elapsed();
    println!(
        "turns `{filter}`: {} of {} counted in {counted:.1?}, {} events read; the newest {SCREEN} in {shown:.1?}, {read} events more",
        view.len(),
        view.total(),
        view.work().examined,
    );
    Ok(())
}

fn say(what: &str, took: Duration, count: u64, of: &str) {
    println!(
        "{what}: {count} {of} in {took:.1?}, {:.0} a second",
        count as f64 / took.as_secs_f64()
    );
}
