//! Lists of turns over a large journal, measured in events read.

use foldback_store::{Filter, Journal, MemoryJournal, Opening, Scene, SqliteJournal, TurnView, Work};
use foldback_wire::{Draft, Inbound, Kind, Seq, Span, Terminal, Timestamp, TurnId};
use std::sync::Arc;

/// Events of a turn: its message, 38 chunks, its end.
const OF_A_TURN: u64 = 40;
/// Turns of the large journal, of 400,000 events.
const TURNS: u64 = 10_000;

fn in_turn(turn: u64, kind: Kind) -> Draft {
    Draft {
        at: Timestamp(turn as i64 * 1_000),
        turn: Some(TurnId(turn)),
        session: Some("s".into()),
        channel: Some(
            if turn.is_multiple_of(10) {
                "telegram"
            } else {
                "discord"
            }
            .into(),
        ),
        kind,
    }
}

fn came(turn: u64) -> Draft {
    let message: Inbound = serde_json::from_value(serde_json::json!({
        "channel": "telegram", "account": null, "chat": "42", "chat_type": "direct", "thread": null,
        "message": turn.to_string(), "reply_to": null,
        "sender": {"id": "42", "name": "ana", "display_name": "Ana", "is_bot": false},
        "text": "hi", "mentioned": true, "files": [], "at": "2026-01-01T00:00:00Z"
    }))
    .unwrap();
    let message = Box::new(message);
    in_turn(turn, Kind::Received { message })
}

fn chunk(turn: u64, text: &str) -> Draft {
    let kind = Kind::Chunk {
        message: 0,
        span: Span::new(0, text.len()),
        text: text.to_owned(),
        came: None,
    };
    in_turn(turn, kind)
}

fn ended(turn: u64) -> Draft {
    let terminal = if turn.is_multiple_of(100) {
        Terminal::Failed {
            detail: "it broke".to_owned(),
        }
    } else {
        Terminal::Replied
    };
    in_turn(turn, Kind::TurnEnded { terminal })
}

fn whole(turn: u64) -> Vec<Draft> {
    let text = if turn.is_multiple_of(1_000) {
        "a needle"
    } else {
        "straw"
    };
    let chunks = (2..OF_A_TURN).map(|_| chunk(turn, text));
    [came(turn)]
        .into_iter()
        .chain(chunks)
        .chain([ended(turn)])
        .collect()
}

async fn filled(journal: impl Journal + 'static, turns: u64) -> Arc<dyn Journal> {
    for turn in 1..=turns {
        journal.append(whole(turn)).unwrap();
    }
    journal.flush().await.unwrap();
    Arc::new(journal)
}

async fn in_file(folder: &tempfile::TempDir, turns: u64) -> Arc<dyn Journal> {
    let path = folder.path().join("journal.sqlite");
    filled(SqliteJournal::open(path).await.unwrap(), turns).await
}

fn list(journal: &Arc<dyn Journal>, filter: &str) -> TurnView {
    let opening = Opening {
        now: Timestamp(TURNS as i64 * 1_000),
        scene: Scene::live(),
        max_behind: Some(10),
    };
    TurnView::open(Arc::clone(journal), &Filter::parse(filter).unwrap(), opening)
}

async fn up_to_date(view: &TurnView) {
    while view.catch_up().await.unwrap() {}
}

fn numbers(view: &TurnView, from: u64, count: usize) -> Vec<u64> {
    view.turns(from, count).iter().map(|turn| turn.0).collect()
}

#[tokio::test]
async fn the_list_of_all_turns_reads_no_event() {
    let folder = tempfile::tempdir().unwrap();
    let journals = [
        (filled(MemoryJournal::new(), TURNS).await, TURNS),
        (in_file(&folder, TURNS / 10).await, TURNS / 10),
    ];
    for (journal, turns) in journals {
        let view = list(&journal, "");
        assert!(!view.catch_up().await.unwrap(), "one step is enough");
        assert_eq!((view.len(), view.total()), (turns, turns));
        let work = Work {
            placed: turns,
            examined: 0,
            shown: 0,
        };
        assert_eq!(view.work(), work);
        assert_eq!(numbers(&view, turns - 2, 9), [turns - 1, turns]);
        assert_eq!(view.position_of(TurnId(1)), Some(0));
        assert_eq!(view.position_of(TurnId(turns)), Some(turns - 1));
        assert_eq!((view.position_of(TurnId(0)), view.has(TurnId(0))), (None, false));
        assert_eq!(view.work(), work, "a place and a window cost nothing");
    }
}

#[tokio::test]
async fn a_turn_is_listed_when_an_event_of_it_passes() {
    let folder = tempfile::tempdir().unwrap();
    let turns = TURNS / 10;
    for journal in [
        filled(MemoryJournal::new(), turns).await,
        in_file(&folder, turns).await,
    ] {
        let events = turns * OF_A_TURN;
        for (filter, length, placed, examined) in [
            // Columns tell all of it: no event is read.
            ("channel:telegram", turns / 10, turns / 10, 0),
            ("turn:#7", 1, 1, 0),
            ("kind:turn_ended", turns, turns, 0),
            ("kind:idle", 0, 0, 0),
            // Columns tell a part of it.
            ("kind:turn_ended is:error", turns / 100, 0, turns),
            ("needle", 1, 0, events),
            ("channel:telegram needle", 1, 0, events / 10),
            ("dur>1s", 0, 0, turns * 2),
        ] {
            let view = list(&journal, filter);
            up_to_date(&view).await;
            assert_eq!((view.len(), view.total()), (length, turns), "{filter}");
            let work = view.work();
            assert_eq!(work.placed, turns + placed, "{filter}");
            assert!(work.examined <= examined, "{filter}: {work:?}");
        }
        let failed = list(&journal, "is:error");
        up_to_date(&failed).await;
        assert_eq!(numbers(&failed, 1, 2), [200, 300]);
        assert_eq!(failed.position_of(TurnId(300)), Some(2));
        assert_eq!(failed.position_of(TurnId(7)), None);
        assert!(failed.has(TurnId(7)), "it is there, and the filter hides it");
        assert_eq!(failed.examined(), journal.head());
    }
}

#[tokio::test]
async fn a_list_follows_what_is_appended() {
    let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
    let (all, failed) = (list(&journal, ""), list(&journal, "kind:turn_ended is:error"));
    up_to_date(&all).await;
    up_to_date(&failed).await;
    assert!(all.is_empty() && failed.is_empty());
    let grown = all.changed();
    journal.append(vec![came(100), came(99), came(200)]).unwrap();
    grown.await.unwrap();
    for view in [&all, &failed] {
        up_to_date(view).await;
    }
    assert_eq!(
        numbers(&all, 0, 9),
        [99, 100, 200],
        "in the order of their numbers"
    );
    assert_eq!((failed.len(), failed.total()), (0, 3));
    let before = all.last_of(TurnId(100));
    // The second one passes first, and takes the place behind the first all the same.
    journal.append(vec![ended(200)]).unwrap();
    up_to_date(&failed).await;
    journal.append(vec![ended(100), chunk(100, "late")]).unwrap();
    for view in [&all, &failed] {
        up_to_date(view).await;
    }
    assert_eq!(numbers(&failed, 0, 9), [100, 200]);
    assert_eq!(all.last_of(TurnId(100)), Seq(6), "it went on");
    assert_eq!(
        (before, all.last_of(TurnId(99))),
        (Seq(1), Seq(2)),
        "this one did not"
    );
    assert_eq!(all.work().examined, 0);
}

#[tokio::test]
async fn turns_that_are_deleted_are_listed_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let journal = in_file(&folder, 100).await;
    let (all, failed) = (list(&journal, ""), list(&journal, "channel:telegram"));
    for view in [&all, &failed] {
        up_to_date(view).await;
    }
    assert_eq!((all.len(), failed.len()), (100, 10));
    let changed = all.changed();
    let deleted = journal
        .prune(Timestamp(60_000), Timestamp(i64::MAX))
        .await
        .unwrap();
    assert_eq!(deleted, 59 * OF_A_TURN);
    changed.await.unwrap();
    for view in [&all, &failed] {
        up_to_date(view).await;
        assert_eq!((view.total(), view.deleted()), (41, deleted));
    }
    assert_eq!((numbers(&all, 0, 1), all.len()), (vec![60], 41));
    assert_eq!(numbers(&failed, 0, 9), [60, 70, 80, 90, 100]);
    assert_eq!((all.position_of(TurnId(59)), all.has(TurnId(59))), (None, false));
}
