//! Files of other versions.

use crate::{other_program, place, run, said, sending};
use foldback_store::{DEAD_TARGET_KINDS, Journal as _, Mention, Selection, SqliteJournal, StoreError};
use foldback_wire::{Actor, Draft, Kind, OpId, Outcome, OutcomeCode, PairingStep, Seq, Timestamp, TurnId};
use sqlx::Connection as _;

#[tokio::test]
async fn a_journal_from_a_newer_version_is_not_touched() {
    let (_folder, path) = place();
    SqliteJournal::open(&path).await.unwrap().close().await.unwrap();
    let mut program = other_program(&path).await;
    run(&mut program, "PRAGMA journal_mode = DELETE").await;
    run(&mut program, "PRAGMA user_version = 99").await;
    let bytes = std::fs::read(&path).unwrap();
    let newer = StoreError::Newer {
        path: path.clone(),
        found: 99,
        known: 13,
    };
    assert_eq!(SqliteJournal::open(&path).await.map(drop), Err(newer.clone()));
    assert!(newer.to_string().contains("use a newer Foldback"));
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
}

#[tokio::test]
async fn a_journal_of_the_first_format_finds_its_messages_too() {
    let (_folder, path) = place();
    let outcome = Outcome {
        message: Some("m1".into()),
        ..Outcome::new(OutcomeCode::Sent)
    };
    let made = Draft {
        channel: Some("c".into()),
        kind: Kind::Ended { op: OpId(1), outcome },
        ..said("")
    };
    let received = r#"{"type":"received","message":{"channel":"c","account":null,"chat":"42","chat_type":"direct",
        "thread":null,"message":"m2","reply_to":null,"sender":{"id":"1","name":"a","display_name":"A",
        "is_bot":false},"text":"hi","mentioned":true,"files":[],"at":"2026-01-01T00:00:00Z"}}"#;
    let came = Draft {
        turn: Some(TurnId(7)),
        channel: Some("c".into()),
        kind: serde_json::from_str(received).unwrap(),
        ..said("")
    };
    let journal = SqliteJournal::open(&path).await.unwrap();
    let damaged = [came.clone(), came.clone(), made.clone(), made.clone()];
    journal.append(vec![said("a"), made, came, said("b")]).unwrap();
    journal.append(damaged.into()).unwrap();
    journal.close().await.unwrap();
    let mut program = other_program(&path).await;
    run(
        &mut program,
        "DROP TABLE mentions; DROP TABLE agent_sessions; DROP INDEX sessions_used; DROP TABLE open_turns;
        DROP INDEX events_process; DROP INDEX events_pairing; DROP TABLE whole_from;
        DROP TABLE unknown_turns; DROP TABLE durations; DROP TABLE errors; DROP INDEX events_scene; DROP INDEX events_received; DROP INDEX events_conversation; DROP TABLE session_usage; DROP TABLE approvals; DROP TABLE chats; DROP INDEX events_asked; DROP INDEX events_start;
        PRAGMA user_version = 1",
    )
    .await;
    let nonsense = r#"UPDATE bodies SET body = '{"type":"nonsense"}' WHERE seq IN (5, 7)"#;
    run(&mut program, nonsense).await;
    run(
        &mut program,
        "UPDATE bodies SET body = '{\"type' WHERE seq IN (6, 8)",
    )
    .await;
    program.close().await.unwrap();

    let journal = SqliteJournal::open(&path).await.unwrap();
    for (chat, message, place) in [(None, "m1", 2), (Some("42"), "m2", 3)] {
        let mention = Mention {
            channel: "c".into(),
            chat: chat.map(Into::into),
            message: message.into(),
        };
        let found = journal.mentions(&mention, Timestamp(0)).await.unwrap();
        assert_eq!(found.iter().map(|event| event.seq.0).collect::<Vec<_>>(), [place]);
    }
    assert_eq!(journal.open_turns(Seq(0)).await.unwrap(), [(TurnId(7), Seq(3))]);
    let received = Selection::kinds(["received"]);
    let turns = journal.turns(&received, Seq(0), journal.head()).await.unwrap();
    assert_eq!(turns, [(TurnId(7), Seq(6))]);
    assert_eq!(journal.whole_from(), Seq(1));
    assert_eq!(journal.deleted_before(), Timestamp(0));
}

#[tokio::test]
async fn a_journal_of_the_fifth_format_finds_its_turns_in_doubt() {
    let (_folder, path) = place();
    let journal = SqliteJournal::open(&path).await.unwrap();
    let in_turn = |turn, kind| Draft {
        turn: Some(TurnId(turn)),
        kind,
        ..said("")
    };
    let ended = |turn, code, replaced_by| {
        let outcome = Outcome {
            replaced_by,
            ..Outcome::new(code)
        };
        in_turn(
            turn,
            Kind::Ended {
                op: OpId(turn),
                outcome,
            },
        )
    };
    let looked_at = |turn| in_turn(turn, Kind::Reviewed { by: Actor::Console });
    journal
        .append(vec![
            ended(1, OutcomeCode::Unknown, None),
            ended(2, OutcomeCode::Failed, None),
            ended(3, OutcomeCode::Unknown, Some(OpId(9))),
            looked_at(1),
            ended(4, OutcomeCode::Unknown, None),
            looked_at(5),
            ended(5, OutcomeCode::Unknown, None),
            ended(6, OutcomeCode::Unknown, None),
        ])
        .unwrap();
    journal.close().await.unwrap();
    let mut program = other_program(&path).await;
    run(
        &mut program,
        "DROP TABLE unknown_turns; DROP TABLE durations; DROP TABLE errors; DROP INDEX events_scene; DROP INDEX events_received; DROP INDEX events_conversation; DROP TABLE session_usage; DROP TABLE approvals; DROP TABLE chats; DROP INDEX events_asked; DROP INDEX events_start;
        PRAGMA user_version = 5",
    )
    .await;
    run(&mut program, "UPDATE bodies SET body = '{\"type' WHERE seq = 8").await;
    program.close().await.unwrap();
    let journal = SqliteJournal::open(&path).await.unwrap();
    let in_doubt = journal.unknown_turns().await.unwrap();
    assert_eq!(in_doubt, [(TurnId(4), Seq(5)), (TurnId(5), Seq(7))]);
}

/// Also before it gets a list of approvals, as whoever only reads it finds it.
#[tokio::test]
async fn a_journal_of_the_tenth_format_knows_who_was_let_in() {
    let (_folder, path) = place();
    let journal = SqliteJournal::open(&path).await.unwrap();
    let step = |step| Draft {
        channel: Some("c".into()),
        kind: Kind::Pairing {
            step,
            sender: "43".into(),
            name: "Bo".to_owned(),
            code: None,
            until: None,
            by: Actor::Console,
        },
        ..said("")
    };
    let steps = [
        PairingStep::Requested,
        PairingStep::Approved,
        PairingStep::Revoked,
        PairingStep::Approved,
    ];
    journal.append(steps.map(step).into()).unwrap();
    journal.close().await.unwrap();
    let mut program = other_program(&path).await;
    run(
        &mut program,
        "DROP TABLE approvals; DROP TABLE chats; DROP INDEX events_asked; DROP INDEX events_start; PRAGMA user_version = 10",
    )
    .await;
    program.close().await.unwrap();
    let later = Timestamp(i64::MAX);
    let places =
        |events: Vec<foldback_wire::Event>| events.iter().map(|event| event.seq.0).collect::<Vec<_>>();
    let read = SqliteJournal::open_read_only(&path).await.unwrap();
    assert_eq!(places(read.pairings(later).await.unwrap()), [1, 2, 3, 4]);
    drop(read);
    // What cannot be read lets nobody in, and keeps nobody from starting.
    let mut program = other_program(&path).await;
    run(&mut program, "UPDATE bodies SET body = '{\"type' WHERE seq = 4").await;
    program.close().await.unwrap();
    let journal = SqliteJournal::open(&path).await.unwrap();
    assert_eq!(places(journal.pairings(later).await.unwrap()), [2, 3]);
    journal.append(vec![step(PairingStep::Approved)]).unwrap();
    journal.flush().await.unwrap();
    assert_eq!(places(journal.pairings(later).await.unwrap()), [2, 3, 5]);
}

#[tokio::test]
async fn a_journal_of_the_sixth_format_knows_how_long_things_lasted_and_who_wrote_where() {
    let (_folder, path) = place();
    let of_turn = |at, session: Option<&str>, kind| Draft {
        at: Timestamp(at),
        turn: Some(TurnId(7)),
        session: session.map(Into::into),
        channel: Some("c".into()),
        kind,
    };
    let failed = Kind::TurnEnded {
        terminal: foldback_wire::Terminal::Failed { detail: "x".into() },
    };
    let begun = Kind::RunStarted {
        run: foldback_wire::RunId(1),
        backend: "script".into(),
        model: None,
    };
    let run_ended = Kind::RunEnded {
        run: foldback_wire::RunId(1),
        reason: foldback_wire::StopReason::End,
    };
    let wrote = Kind::Warned { detail: "w".into() };
    let journal = SqliteJournal::open(&path).await.unwrap();
    let told = vec![
        of_turn(0, None, wrote),
        of_turn(100, Some("s"), begun),
        of_turn(1_600, Some("s"), run_ended),
        of_turn(1_700, Some("s"), failed),
    ];
    journal.append(told).unwrap();
    journal.close().await.unwrap();
    let mut program = other_program(&path).await;
    run(
        &mut program,
        "DROP TABLE durations; DROP TABLE errors; DROP INDEX events_scene; DROP INDEX events_received; DROP INDEX events_conversation; DROP TABLE session_usage; DROP TABLE approvals; DROP TABLE chats; DROP INDEX events_asked; DROP INDEX events_start;
        PRAGMA user_version = 6",
    )
    .await;
    program.close().await.unwrap();

    let lasted = Selection {
        lasted: Some(1_000..=2_000),
        ..Selection::ALL
    };
    let errors = Selection {
        errors: true,
        ..Selection::ALL
    };
    let all = (Seq(0), Seq(9));
    let old = SqliteJournal::open_read_only(&path).await.unwrap();
    let refused = old.places(&lasted, all.0, all.1, 9).await;
    assert_eq!(refused, Err(StoreError::Older(path.clone())));
    assert_eq!(old.durations(&[Seq(3)]).await.unwrap(), []);
    assert_eq!(old.places(&errors, all.0, all.1, 9).await.unwrap().len(), 4);
    drop(old);

    let journal = SqliteJournal::open(&path).await.unwrap();
    assert_eq!(journal.places(&lasted, all.0, all.1, 9).await.unwrap(), [Seq(3)]);
    assert_eq!(journal.places(&errors, all.0, all.1, 9).await.unwrap(), [Seq(4)]);
    let of_session = Selection {
        sessions: Some(["s".into()].into()),
        ..Selection::ALL
    };
    let found = journal.places(&of_session, all.0, all.1, 9).await.unwrap();
    assert_eq!(found, [1, 2, 3, 4].map(Seq));
}

#[tokio::test]
async fn an_outbox_of_an_older_version_is_read() {
    let (_folder, path) = place();
    let journal = SqliteJournal::open(&path).await.unwrap();
    journal.intend(sending(1), vec![]).await.unwrap();
    journal.close().await.unwrap();
    run(
        &mut other_program(&path).await,
        "UPDATE outbox SET entry = json_remove(entry, '$.live', '$.dry_run')",
    )
    .await;
    let journal = SqliteJournal::open(&path).await.unwrap();
    assert_eq!(journal.outbox().await.unwrap(), [sending(1)]);
}

/// The kinds that a start reads get their index, and what is there stands in it.
#[tokio::test]
async fn a_journal_of_the_twelfth_format_gets_an_index_of_what_a_start_reads() {
    let (_folder, path) = place();
    let journal = SqliteJournal::open(&path).await.unwrap();
    let revived = Draft {
        channel: Some("c".into()),
        kind: Kind::TargetRevived {
            target: foldback_wire::Target {
                chat: "42".into(),
                thread: None,
            },
            by: Actor::Console,
        },
        ..said("")
    };
    journal
        .append(vec![said("a"), revived.clone(), said("b")])
        .unwrap();
    journal.close().await.unwrap();
    let mut program = other_program(&path).await;
    run(&mut program, "DROP INDEX events_start; PRAGMA user_version = 12").await;
    program.close().await.unwrap();
    // Whoever only reads it finds the same without the index.
    let wanted = Selection::kinds(DEAD_TARGET_KINDS);
    let read = SqliteJournal::open_read_only(&path).await.unwrap();
    let found = read.places(&wanted, Seq(0), Seq(9), 9).await.unwrap();
    assert_eq!(found, [Seq(2)]);
    drop(read);

    let journal = SqliteJournal::open(&path).await.unwrap();
    journal.append(vec![revived]).unwrap();
    journal.flush().await.unwrap();
    let found = journal.places(&wanted, Seq(0), Seq(9), 9).await.unwrap();
    assert_eq!(found, [2, 4].map(Seq));
    let mut program = other_program(&path).await;
    let indexed: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM events INDEXED BY events_start
        WHERE kind IN ('delivery_due', 'reminder_cancelled', 'reminder_due', 'reminder_set', 'schedule_due',
            'schedule_paused', 'schedule_set', 'schedule_skipped', 'target_dead', 'target_revived')",
    )
    .fetch_one(&mut program)
    .await
    .unwrap();
    assert_eq!(indexed, 2);
    program.close().await.unwrap();
}
