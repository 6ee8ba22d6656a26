//! Windows over a large journal, measured in events read.

use foldback_store::{Filter, Journal, MemoryJournal, Opening, Scene, SqliteJournal, View, Work};
use foldback_wire::{Actor, ChannelId, Draft, Kind, Seq, Span, Terminal, Timestamp, TurnId, rpc::RowFlag};
use std::sync::Arc;

/// A hundred thousand events: every tenth on telegram, every hundredth a warning, a text in one of a
/// thousand, forty in a turn.
const EVENTS: u64 = 100_000;

fn draft(n: u64) -> Draft {
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

fn filled(journal: &dyn Journal, events: std::ops::RangeInclusive<u64>) {
    journal.append(events.map(draft).collect()).unwrap();
}

fn memory() -> Arc<dyn Journal> {
    let journal = MemoryJournal::new();
    filled(&journal, 1..=EVENTS);
    Arc::new(journal)
}

async fn sqlite(folder: &tempfile::TempDir) -> Arc<dyn Journal> {
    let journal = SqliteJournal::open(folder.path().join("journal.sqlite"))
        .await
        .unwrap();
    filled(&journal, 1..=EVENTS);
    journal.flush().await.unwrap();
    Arc::new(journal)
}

fn opening() -> Opening {
    Opening {
        now: Timestamp(EVENTS as i64),
        scene: Scene::live(),
        max_behind: None,
    }
}

fn view(journal: &Arc<dyn Journal>, filter: &str) -> View {
    View::open(Arc::clone(journal), &Filter::parse(filter).unwrap(), opening())
}

/// Lets a view work until it is up to date; how many steps that took.
async fn up_to_date(view: &View) -> u64 {
    let mut steps = 1;
    while view.catch_up().await.unwrap() {
        steps += 1;
    }
    steps
}

async fn seqs(view: &View, from: u64, count: usize) -> Vec<u64> {
    view.rows(from, count)
        .await
        .unwrap()
        .iter()
        .map(|row| row.seq)
        .collect()
}

#[tokio::test]
async fn a_view_of_everything_reads_only_what_it_shows() {
    let folder = tempfile::tempdir().unwrap();
    for journal in [memory(), sqlite(&folder).await] {
        let view = view(&journal, "");
        assert_eq!(view.len(), EVENTS, "it is there at once");
        assert!(seqs(&view, 70_000, 50).await.into_iter().eq(70_001..=70_050));
        assert_eq!(seqs(&view, EVENTS - 2, 50).await, [EVENTS - 1, EVENTS]);
        assert!(seqs(&view, EVENTS, 50).await.is_empty());
        assert_eq!(up_to_date(&view).await, 1);
        assert_eq!(
            view.work(),
            Work {
                placed: 0,
                examined: 0,
                shown: 52
            }
        );
    }
}

#[tokio::test]
async fn what_columns_answer_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    for journal in [memory(), sqlite(&folder).await] {
        for (filter, length) in [
            ("channel:telegram", 10_000),
            ("channel:telegram kind:warned", 1_000),
            ("-kind:chunk", 1_000),
            ("turn:#5", 40),
            ("after:-1s kind:warned", 11),
            ("kind:idle", 0),
        ] {
            let view = view(&journal, filter);
            up_to_date(&view).await;
            assert_eq!(view.len(), length, "{filter}");
            let work = view.work();
            assert_eq!(
                work,
                Work {
                    placed: length,
                    examined: 0,
                    shown: 0
                },
                "{filter}"
            );
        }
    }
}

#[tokio::test]
async fn what_only_events_tell_is_read_once_and_no_more_than_columns_admit() {
    let folder = tempfile::tempdir().unwrap();
    for journal in [memory(), sqlite(&folder).await] {
        for (filter, length, examined) in [
            ("needle", 100, EVENTS),
            ("channel:telegram needle", 100, EVENTS / 10),
            ("kind:warned text:\"needle 15000\"", 1, EVENTS / 100),
            ("turn:#25 straw", 39, 40),
        ] {
            let view = view(&journal, filter);
            let steps = up_to_date(&view).await;
            assert_eq!(view.len(), length, "{filter}");
            assert_eq!(view.work().examined, examined, "{filter}");
            assert!(steps <= examined / 2_048 + 1, "{steps} steps for {filter}");
        }
    }
}

#[tokio::test]
async fn places_are_found_and_windows_read_where_rows_are_sparse() {
    let folder = tempfile::tempdir().unwrap();
    for journal in [memory(), sqlite(&folder).await] {
        let view = view(&journal, "needle");
        up_to_date(&view).await;
        assert_eq!(seqs(&view, 3, 3).await, [4_000, 5_000, 6_000]);
        assert_eq!(view.position_of(Seq(5_000)), Some(4));
        assert_eq!(view.position_of(Seq(5_001)), Some(5), "the next one after it");
        assert_eq!(view.position_of(Seq(EVENTS + 1)), None);
        assert_eq!(seqs(&view, 98, 10).await, [99_000, 100_000]);
        assert_eq!(view.work().shown, 5);
    }
}

#[tokio::test]
async fn a_view_follows_what_is_appended() {
    let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
    let (all, needles) = (view(&journal, ""), view(&journal, "needle"));
    assert!(all.is_empty());
    assert!(!needles.catch_up().await.unwrap());
    for thousand in 1..=3 {
        let grown = needles.changed();
        filled(journal.as_ref(), (thousand - 1) * 1_000 + 1..=thousand * 1_000);
        grown.await.unwrap();
        up_to_date(&needles).await;
        assert_eq!((all.len(), needles.len()), (thousand * 1_000, thousand));
        assert_eq!(needles.examined(), journal.head());
    }
    assert_eq!(needles.work().examined, 3_000, "nothing is looked at twice");
}

#[tokio::test]
async fn a_view_that_cannot_keep_up_shows_the_gap() {
    let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
    let filter = Filter::parse("needle").unwrap();
    let view = View::open(
        Arc::clone(&journal),
        &filter,
        Opening {
            max_behind: Some(10_000),
            ..opening()
        },
    );
    filled(journal.as_ref(), 1..=50_000);
    up_to_date(&view).await;
    assert_eq!(
        (view.len(), view.dropped()),
        (50, 0),
        "history is read whole, however long"
    );

    filled(journal.as_ref(), 50_001..=100_000);
    up_to_date(&view).await;
    // 45,000 left out, shown as one row; of the last 5,000 every needle.
    assert_eq!(view.dropped(), 45_000);
    assert_eq!(view.len(), 50 + 1 + 5);
    let rows = view.rows(49, 3).await.unwrap();
    assert_eq!(
        rows.iter().map(|row| row.seq).collect::<Vec<_>>(),
        [50_000, 50_001, 96_000]
    );
    assert_eq!(
        rows.iter().map(|row| row.gap).collect::<Vec<_>>(),
        [None, Some(45_000), None]
    );
    assert_eq!(rows[1].at, Timestamp(50_001));
    assert_eq!(rows[1].flags, [RowFlag::Warning]);
    assert_eq!(view.position_of(Seq(60_000)), Some(51));
}

#[tokio::test]
async fn a_row_knows_whether_its_channel_was_armed_then() {
    let armed = |armed| Draft {
        kind: Kind::Armed {
            armed,
            by: Actor::Console,
        },
        ..draft(10)
    };
    let folder = tempfile::tempdir().unwrap();
    let file = SqliteJournal::open(folder.path().join("journal.sqlite"))
        .await
        .unwrap();
    for journal in [Arc::new(MemoryJournal::new()) as Arc<dyn Journal>, Arc::new(file)] {
        journal
            .append(vec![
                draft(10),
                armed(true),
                draft(10),
                draft(11),
                armed(false),
                draft(10),
                armed(true),
                Draft {
                    kind: Kind::Started {
                        version: String::new(),
                        replayed: false,
                    },
                    channel: None,
                    ..draft(10)
                },
                draft(10),
            ])
            .unwrap();
        journal.flush().await.unwrap();
        let (all, live) = (view(&journal, ""), view(&journal, "is:live"));
        up_to_date(&live).await;
        let flags = |row: &foldback_wire::rpc::EventRow| row.flags.contains(&RowFlag::Live);
        let rows = all.rows(0, 9).await.unwrap();
        assert_eq!(
            rows.iter().map(flags).collect::<Vec<_>>(),
            [false, true, true, false, false, false, true, false, false],
            "a new process is not armed until it says so"
        );
        assert_eq!(seqs(&live, 0, 9).await, [2, 3, 7]);
        assert_eq!(rows[0].channel, Some(ChannelId::new("telegram")));
    }
}

#[tokio::test]
async fn a_step_that_nobody_waits_for_counts_once() {
    let journal = memory();
    let view = view(&journal, "needle");
    for _ in 0..200 {
        // Given up at its first wait, wherever that is.
        let step = view.catch_up();
        tokio::select! { biased; _ = step => {}, () = tokio::task::yield_now() => {} }
    }
    up_to_date(&view).await;
    assert_eq!(view.len(), 100);
    assert_eq!(
        seqs(&view, 0, 200).await,
        (1..=100).map(|n| n * 1_000).collect::<Vec<_>>()
    );
}

#[tokio::test]
async fn that_a_person_stopped_a_turn_is_no_error() {
    let folder = tempfile::tempdir().unwrap();
    let in_sqlite = SqliteJournal::open(folder.path().join("journal.sqlite"))
        .await
        .unwrap();
    let journals: [Arc<dyn Journal>; 2] = [Arc::new(MemoryJournal::new()), Arc::new(in_sqlite)];
    for journal in journals {
        let of = |turn, kind| Draft {
            turn: Some(TurnId(turn)),
            kind,
            ..draft(turn)
        };
        let failed = || Kind::TurnEnded {
            terminal: Terminal::Failed {
                detail: "it was cancelled".into(),
            },
        };
        let stopped = Kind::RunCancelled { by: Actor::Console };
        let told = vec![of(1, stopped), of(1, failed()), of(2, failed())];
        journal.append(told).unwrap();
        journal.flush().await.unwrap();
        let errors = view(&journal, "is:error");
        up_to_date(&errors).await;
        assert_eq!(seqs(&errors, 0, 9).await, [3]);
        let all = view(&journal, "").rows(0, 9).await.unwrap();
        let marked: Vec<_> = all
            .iter()
            .map(|row| row.flags.contains(&RowFlag::Error))
            .collect();
        assert_eq!(marked, [false, false, true]);
    }
}

fn hold(turn: u64, at: u64) -> Draft {
    let hold = foldback_wire::Hold {
        span: Span::new(0, 5),
        reason: foldback_wire::HoldReason::OpenBlock,
        rule: "G3".into(),
        because: String::new(),
        releases: String::new(),
    };
    Draft {
        at: Timestamp(at as i64),
        turn: Some(TurnId(turn)),
        kind: Kind::Held { message: 0, hold },
        ..draft(1)
    }
}

fn release(turn: u64, at: u64) -> Draft {
    Draft {
        kind: Kind::Released { message: 0 },
        ..hold(turn, at)
    }
}

async fn journals(folder: &tempfile::TempDir) -> [Arc<dyn Journal>; 2] {
    let file = SqliteJournal::open(folder.path().join("journal.sqlite"))
        .await
        .unwrap();
    [Arc::new(MemoryJournal::new()), Arc::new(file)]
}

async fn told(journal: &Arc<dyn Journal>, drafts: Vec<Draft>) {
    journal.append(drafts).unwrap();
    journal.flush().await.unwrap();
}

#[tokio::test]
async fn a_hold_joins_the_view_at_its_own_place_when_it_is_over() {
    let folder = tempfile::tempdir().unwrap();
    for journal in journals(&folder).await {
        told(&journal, vec![hold(1, 0), hold(2, 10), release(2, 3_000)]).await;
        let (long, others) = (
            view(&journal, "is:held dur>1.5s"),
            view(&journal, "is:held -dur>1.5s"),
        );
        for view in [&long, &others] {
            up_to_date(view).await;
        }
        assert_eq!(
            (seqs(&long, 0, 9).await, seqs(&others, 0, 9).await),
            (vec![2], vec![1])
        );
        // Far more than a step lies between the beginning and the end.
        told(&journal, (1..=5_000).map(draft).collect()).await;
        for view in [&long, &others] {
            up_to_date(view).await;
        }
        assert_eq!(seqs(&long, 0, 9).await, [2]);
        told(&journal, vec![release(1, 9_000)]).await;
        for view in [&long, &others] {
            up_to_date(view).await;
        }
        assert_eq!(seqs(&long, 0, 9).await, [1, 2], "in the order of the journal");
        assert_eq!(seqs(&others, 0, 9).await, [0; 0], "it lasted too long after all");
        assert_eq!(long.position_of(Seq(2)), Some(1));
        let rows = long.rows(0, 9).await.unwrap();
        assert_eq!(
            rows.iter().map(|row| row.lasted_ms).collect::<Vec<_>>(),
            [Some(9_000), Some(2_990)]
        );
        // Opened afterwards, a view shows what that one came to.
        for (filter, expected) in [("is:held dur>1.5s", vec![1, 2]), ("is:held -dur>1.5s", vec![])] {
            let later = view(&journal, filter);
            up_to_date(&later).await;
            assert_eq!(seqs(&later, 0, 9).await, expected);
        }
    }
}

#[tokio::test]
async fn what_columns_tell_of_a_duration_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    for journal in journals(&folder).await {
        told(&journal, (1..=5_000).map(draft).collect()).await;
        told(
            &journal,
            vec![hold(1, 0), release(1, 2_000), hold(2, 0), release(2, 20)],
        )
        .await;
        let view = view(&journal, "kind:held dur>1.5s");
        up_to_date(&view).await;
        assert_eq!(seqs(&view, 0, 9).await, [5_001]);
        let work = view.work();
        assert_eq!((work.placed, work.examined), (1, 0));
    }
}

#[tokio::test]
async fn a_view_that_stands_still_keeps_its_rows_where_they_are() {
    let folder = tempfile::tempdir().unwrap();
    for journal in journals(&folder).await {
        told(&journal, vec![hold(1, 0), hold(2, 10), release(2, 3_000)]).await;
        let view = view(&journal, "is:held dur>1.5s");
        up_to_date(&view).await;
        view.stand_still(true);
        told(&journal, vec![release(1, 9_000)]).await;
        up_to_date(&view).await;
        assert_eq!(seqs(&view, 0, 9).await, [2]);
        view.stand_still(false);
        assert_eq!(seqs(&view, 0, 9).await, [1, 2]);
    }
}

#[tokio::test]
async fn a_hold_that_ends_among_what_was_left_out_is_shown_all_the_same() {
    let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
    let filter = Filter::parse("dur>1.5s").unwrap();
    let opening = Opening {
        max_behind: Some(1_000),
        ..opening()
    };
    told(&journal, vec![hold(1, 0)]).await;
    let view = View::open(Arc::clone(&journal), &filter, opening);
    up_to_date(&view).await;
    assert!(view.is_empty());
    told(&journal, vec![release(1, 9_000)]).await;
    filled(journal.as_ref(), 1..=5_000);
    up_to_date(&view).await;
    assert_eq!(seqs(&view, 0, 9).await, [1, 2], "the hold, and the gap");
    assert!(view.dropped() > 0);
}

#[tokio::test]
async fn the_errors_are_found_without_reading_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    for journal in [memory(), sqlite(&folder).await] {
        let failed = Kind::TurnEnded {
            terminal: Terminal::Failed {
                detail: "it broke".into(),
            },
        };
        told(
            &journal,
            vec![Draft {
                kind: failed,
                ..draft(1)
            }],
        )
        .await;
        for filter in [
            "is:error",
            "(channel:discord or channel:telegram) is:error",
            "broke is:error",
        ] {
            let errors = view(&journal, filter);
            let steps = up_to_date(&errors).await;
            assert_eq!(seqs(&errors, 0, 9).await, [EVENTS + 1], "{filter}");
            assert_eq!((errors.work().examined, steps), (1, 1), "{filter}");
        }
    }
}
