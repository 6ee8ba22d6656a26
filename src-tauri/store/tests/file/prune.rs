//! Deleting what is old: what goes, what stays, and that the file becomes smaller.

use super::{other_program, place, run, sending};
use foldback_store::{
    Filter, Journal, Mention, Opening, OutboxEntry, PairingBook, Scene, SqliteJournal, StoreError, View,
};
use foldback_wire::{
    Actor, ChannelId, ChannelState, Draft, Event, HookEnd, Inbound, Kind, OpId, Outcome, OutcomeCode,
    PairingStep, Platform, RefusalCode, ReminderCancelled, ReminderDue, ReminderId, ScheduleDue,
    SchedulePaused, ScheduleSet, ScheduleSkip, ScheduleSkipped, Seq, Target, Terminal, Timestamp, TurnId,
    UnreadablePart,
};
use sqlx::Connection as _;
use std::{path::Path, sync::Arc};

const DAY: i64 = 24 * 3_600_000;

/// The time at which the journals are pruned.
const NOW: Timestamp = Timestamp(100 * DAY);

fn told(day: i64, kind: Kind) -> Draft {
    Draft {
        at: Timestamp(day * DAY),
        turn: None,
        session: None,
        channel: None,
        kind,
    }
}

fn in_turn(day: i64, turn: u64, kind: Kind) -> Draft {
    Draft {
        turn: Some(TurnId(turn)),
        session: Some("telegram:42".into()),
        channel: Some("telegram".into()),
        ..told(day, kind)
    }
}

fn came(day: i64, turn: u64) -> Draft {
    let message: Inbound = serde_json::from_value(serde_json::json!({
        "channel": "telegram", "account": null, "chat": "42", "chat_type": "direct", "thread": null,
        "message": turn.to_string(), "reply_to": null,
        "sender": {"id": "42", "name": "ana", "display_name": "Ana", "is_bot": false},
        "text": "x".repeat(2_000), "mentioned": true, "files": [], "at": "2026-01-01T00:00:00Z"
    }))
    .unwrap();
    in_turn(
        day,
        turn,
        Kind::Received {
            message: Box::new(message),
        },
    )
}

fn ended(day: i64, turn: u64) -> Draft {
    in_turn(
        day,
        turn,
        Kind::TurnEnded {
            terminal: Terminal::Replied,
        },
    )
}

fn started(day: i64) -> Draft {
    told(
        day,
        Kind::Started {
            version: "1".to_owned(),
            replayed: false,
        },
    )
}

fn pairing(day: i64, step: PairingStep) -> Draft {
    let kind = Kind::Pairing {
        step,
        sender: "43".into(),
        name: "Bo".to_owned(),
        code: Some("ABCDEFGH".to_owned()),
        until: None,
        by: Actor::Console,
    };
    in_turn(day, 1, kind)
}

fn sending_of(op: u64, turn: u64) -> OutboxEntry {
    OutboxEntry {
        turn: TurnId(turn),
        session: "telegram:42".into(),
        channel: "telegram".into(),
        ..sending(op)
    }
}

fn places(events: &[Event]) -> Vec<u64> {
    events.iter().map(|event| event.seq.0).collect()
}

async fn rows(path: &Path, sql: &'static str) -> i64 {
    let mut program = other_program(path).await;
    let count = sqlx::query_scalar(sql).fetch_one(&mut program).await.unwrap();
    program.close().await.unwrap();
    count
}

fn due(by: Actor) -> Kind {
    Kind::ScheduleDue(ScheduleDue {
        schedule: "hourly".to_owned(),
        due: Timestamp(0),
        late: false,
        missed: 0,
        heartbeat: false,
        model: None,
        by,
    })
}

fn skipped(schedule: &str) -> Kind {
    Kind::ScheduleSkipped(ScheduleSkipped {
        schedule: schedule.to_owned(),
        due: Timestamp(0),
        reason: ScheduleSkip::NoTask,
        detail: "no task".to_owned(),
    })
}

fn set(times: &str) -> Kind {
    Kind::ScheduleSet(ScheduleSet {
        schedule: "hourly".to_owned(),
        times: Some(times.to_owned()),
    })
}

fn paused(paused: bool) -> Kind {
    Kind::SchedulePaused(SchedulePaused {
        schedule: "hourly".to_owned(),
        paused,
        by: Actor::Cli,
    })
}

/// A time that is forgotten would be due again with the next start; what an earlier event says of it, a later one says anew.
#[tokio::test]
async fn the_times_of_schedules_that_are_accounted_for_stay() {
    let (_folder, path) = place();
    let journal: Arc<dyn Journal> = Arc::new(SqliteJournal::open(&path).await.unwrap());
    journal
        .append(vec![
            told(0, set("every 2h")),           // 1 goes
            told(0, set("every 1h")),           // 2 stays
            came(0, 1),                         // 3 goes
            in_turn(0, 1, due(Actor::Config)),  // 4 goes: not the latest
            ended(0, 1),                        // 5 goes
            in_turn(0, 2, due(Actor::Config)),  // 6 stays: this time is accounted for
            in_turn(0, 3, due(Actor::Console)), // 7 stays: the latest run
            told(0, skipped("hourly")),         // 8 goes
            told(0, skipped("yearly")),         // 9 goes: 17 is later
            told(0, skipped("hourly")),         // 10 stays
            told(0, paused(true)),              // 11 goes
            told(0, paused(false)),             // 12 goes
            started(1),                         // 13 stays
            told(1, Kind::Idle),                // 14 stays
            told(1, skipped("yearly")),         // 15 goes, too
            told(1, paused(true)),              // 16 stays: the latest
            told(9, skipped("yearly")),         // 17 young
        ])
        .unwrap();
    journal.prune(Timestamp(5 * DAY), NOW).await.unwrap();
    let left = places(&journal.read(Seq(1), 99).await.unwrap());
    assert_eq!(left, [2, 6, 7, 10, 13, 14, 16, 17]);
    journal.close().await.unwrap();
}

fn turned(day: i64, channel: &str, from: ChannelState, to: ChannelState, by: Actor) -> Draft {
    let kind = Kind::ChannelState {
        from,
        to,
        by,
        why: "w".to_owned(),
    };
    Draft {
        channel: Some(channel.into()),
        ..told(day, kind)
    }
}

/// A process that runs for months keeps what a start folds of it, and not each event that it ever told.
#[tokio::test]
async fn of_a_process_that_runs_for_long_only_what_a_start_folds_stays() {
    use ChannelState::{Connecting, Down, Off, Up};
    let (_folder, path) = place();
    let journal: Arc<dyn Journal> = Arc::new(SqliteJournal::open(&path).await.unwrap());
    let hook_ended = |event| {
        let ended = HookEnd {
            hook: "h".to_owned(),
            event: Seq(event),
            done: true,
            detail: "0".to_owned(),
            attempts: 1,
            took_ms: 1,
            left_out: 0,
        };
        told(2, Kind::HookEnded(ended))
    };
    let unreadable = Kind::Unreadable(UnreadablePart {
        platform: Platform::new("telegram"),
        what: "message".to_owned(),
        error: "no text".to_owned(),
        bytes: 9,
        raw: String::new(),
    });
    let muted = |muted| {
        let by = Actor::Console;
        told(1, Kind::Muted { muted, by })
    };
    let armed = Kind::Armed {
        armed: true,
        by: Actor::Console,
    };
    let mut all = vec![
        turned(0, "telegram", Off, Connecting, Actor::Config), // 1 goes: of the process before
        started(1),                                            // 2 stays
        told(1, armed),                                        // 3 stays
        muted(true),                                           // 4 stays
        turned(1, "slack", Off, Connecting, Actor::Config),    // 5 stays: it was switched on
        turned(1, "telegram", Off, Connecting, Actor::Config), // 6 goes: 14 is later
        told(1, Kind::Idle),                                   // 7 stays
        hook_ended(3),                                         // 8 goes
        told(2, unreadable),                                   // 9 goes
        told(
            2,
            Kind::Warned {
                detail: String::new(),
            },
        ), // 10 goes
        told(2, Kind::ClockJumped { by_ms: 3_600_000 }),       // 11 stays
        turned(2, "telegram", Connecting, Up, Actor::Adapter), // 12 goes: 15 is later
        turned(2, "telegram", Up, Off, Actor::Console),        // 13 stays: a person did
        turned(2, "telegram", Off, Connecting, Actor::Config), // 14 stays
        turned(2, "telegram", Connecting, Up, Actor::Adapter), // 15 stays
    ];
    // 16 to 215: of a hundred lost connections the last stays.
    for _ in 0..100 {
        all.push(turned(2, "slack", Connecting, Down, Actor::Adapter));
        all.push(turned(2, "slack", Down, Connecting, Actor::Adapter));
    }
    all.extend([came(9, 7), ended(9, 7)]);
    journal.append(all).unwrap();
    journal.prune(Timestamp(5 * DAY), NOW).await.unwrap();
    let left = places(&journal.read(Seq(1), 999).await.unwrap());
    let recent = journal.read_recent(Seq(1), 999).await.unwrap();
    assert_eq!(places(&recent), left);
    assert_eq!(left, [2, 3, 4, 5, 7, 11, 13, 14, 15, 214, 215, 216, 217]);
    journal.close().await.unwrap();
}

fn dead(day: i64, turn: u64, chat: &str) -> Draft {
    let kind = Kind::TargetDead {
        target: target(chat),
        refusal: RefusalCode::ChatGone,
        detail: String::new(),
    };
    in_turn(day, turn, kind)
}

fn revived(chat: &str) -> Kind {
    Kind::TargetRevived {
        target: target(chat),
        by: Actor::Cli,
    }
}

fn target(chat: &str) -> Target {
    Target {
        chat: chat.into(),
        thread: None,
    }
}

/// A chat that is dead by an event that stays is revived by one that stays, too.
#[tokio::test]
async fn a_chat_that_was_revived_is_not_dead_again() {
    let (_folder, path) = place();
    let journal: Arc<dyn Journal> = Arc::new(SqliteJournal::open(&path).await.unwrap());
    let of_channel = |kind| Draft {
        channel: Some("telegram".into()),
        ..told(2, kind)
    };
    journal
        .append(vec![
            started(0),                  // 1 stays
            told(0, Kind::Idle),         // 2 stays
            dead(1, 1, "a"),             // 3 stays with 11
            dead(1, 2, "b"),             // 4 goes
            in_turn(2, 3, revived("a")), // 5 goes: 8 is later
            of_channel(revived("b")),    // 6 goes once 4 is gone
            of_channel(revived("c")),    // 7 goes: it was never dead
            of_channel(revived("a")),    // 8 stays with 3
            in_turn(2, 4, revived("d")), // 9 goes: before it was dead
            dead(3, 1, "d"),             // 10 stays with 11
            ended(9, 1),                 // 11 young
        ])
        .unwrap();
    journal.prune(Timestamp(5 * DAY), NOW).await.unwrap();
    let left = places(&journal.read(Seq(1), 99).await.unwrap());
    assert_eq!(left, [1, 2, 3, 6, 8, 10, 11]);
    journal.prune(Timestamp(5 * DAY), NOW).await.unwrap();
    let left = places(&journal.read(Seq(1), 99).await.unwrap());
    assert_eq!(left, [1, 2, 3, 8, 10, 11]);
    journal.close().await.unwrap();
}

fn reminder(id: u64, repeat: &str) -> Kind {
    let reminder = serde_json::json!({
        "type": "reminder_set", "id": id, "text": "Call Bob", "first": Timestamp(0), "local": "1970-01-01T00:00:00",
        "zone": "UTC", "repeat": repeat,
        "origin": {"channel": "telegram", "chat": "42", "chat_type": "direct"},
        "requester": {"id": "42", "name": "alice", "display_name": "Alice", "is_bot": false},
    });
    serde_json::from_value(reminder).unwrap()
}

fn reminded(id: u64) -> Kind {
    Kind::ReminderDue(ReminderDue {
        reminder: ReminderId(id),
        due: Timestamp(0),
        missed: 0,
        late_ms: 0,
    })
}

fn cancelled(id: u64) -> Kind {
    Kind::ReminderCancelled(ReminderCancelled {
        reminder: ReminderId(id),
        by: Actor::Cli,
    })
}

/// Of a reminder that is over nothing stays, of an open one what says that it is open and how it went last.
#[tokio::test]
async fn reminders_that_are_over_go_and_open_ones_stay() {
    let (_folder, path) = place();
    let journal: Arc<dyn Journal> = Arc::new(SqliteJournal::open(&path).await.unwrap());
    journal
        .append(vec![
            in_turn(0, 1, reminder(1, "none")),  // 1 goes: delivered long ago
            in_turn(0, 1, reminder(2, "daily")), // 2 stays: open
            in_turn(0, 1, reminder(3, "daily")), // 3 goes: cancelled
            in_turn(0, 1, reminder(4, "none")),  // 4 stays: delivered of late
            in_turn(0, 1, reminder(5, "none")),  // 5 stays: the highest number
            in_turn(1, 2, reminded(1)),          // 6 goes once 1 is gone
            in_turn(1, 3, reminded(2)),          // 7 goes: not the latest
            in_turn(1, 4, reminded(2)),          // 8 stays
            ended(1, 4),                         // 9 stays: how it went
            told(1, cancelled(3)),               // 10 goes once 3 is gone
            told(1, cancelled(5)),               // 11 stays with 5
            started(1),                          // 12 stays
            told(1, Kind::Idle),                 // 13 stays
            in_turn(9, 5, reminded(4)),          // 14 stays: young
        ])
        .unwrap();
    journal.prune(Timestamp(5 * DAY), NOW).await.unwrap();
    let left = places(&journal.read(Seq(1), 99).await.unwrap());
    assert_eq!(left, [2, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14]);
    journal.prune(Timestamp(5 * DAY), NOW).await.unwrap();
    let left = places(&journal.read(Seq(1), 99).await.unwrap());
    assert_eq!(left, [2, 4, 5, 8, 9, 11, 12, 13, 14]);
    journal.close().await.unwrap();
}

#[tokio::test]
async fn what_is_old_goes_and_what_is_still_needed_stays() {
    let (_folder, path) = place();
    let journal: Arc<dyn Journal> = Arc::new(SqliteJournal::open(&path).await.unwrap());
    journal
        .append(vec![
            started(0),                        // 1 goes: a later start had nothing left
            came(0, 1),                        // 2 goes
            pairing(0, PairingStep::Approved), // 3 stays: somebody was let in
            ended(0, 1),                       // 4 goes
            came(0, 2),                        // 5 stays: open
            came(0, 3),                        // 6 stays: something of it is in the outbox
            ended(0, 3),                       // 7 stays with it
            came(0, 4),                        // 8 stays: its end is young
            started(1),                        // 9 stays: the last that had nothing left
            told(
                1,
                Kind::Muted {
                    muted: true,
                    by: Actor::Console,
                },
            ), // 10 stays: it lasts
            told(1, Kind::Idle),               // 11 stays
            came(1, 5),                        // 12 goes
            ended(1, 5),                       // 13 goes
            came(9, 6),                        // 14 young
            ended(9, 4),                       // 15 young
            ended(1, 6), // 16 stays: the clock was set back, and it stands behind a young one
        ])
        .unwrap();
    journal.intend(sending_of(1, 3), vec![]).await.unwrap();
    assert_eq!(journal.prune(Timestamp(5 * DAY), NOW).await.unwrap(), 5);
    let left = [3, 5, 6, 7, 8, 9, 10, 11, 14, 15, 16];
    for reopened in [false, true] {
        let journal: Arc<dyn Journal> = if reopened {
            journal.close().await.unwrap();
            Arc::new(SqliteJournal::open(&path).await.unwrap())
        } else {
            Arc::clone(&journal)
        };
        assert_eq!(places(&journal.read(Seq(1), 99).await.unwrap()), left);
        assert_eq!(journal.head(), Seq(16), "numbers are not given out twice");
        assert_eq!(journal.whole_from(), Seq(14));
        assert_eq!(
            journal.deleted_before(),
            Timestamp(DAY + 1),
            "the last that is deleted, and not all that was asked for"
        );
        let book = PairingBook::of(journal.as_ref(), NOW).await.unwrap();
        assert!(book.approved(&ChannelId::new("telegram"), &"43".into()).is_some());
        let found = async |message: &str| {
            let of = Mention {
                channel: "telegram".into(),
                chat: Some("42".into()),
                message: message.into(),
            };
            places(&journal.mentions(&of, Timestamp(0)).await.unwrap())
        };
        assert_eq!((found("1").await, found("3").await), (vec![], vec![6]));
        // A view of everything begins where nothing is missing; what stayed before that is found by a filter.
        let view = |text: &str| {
            let opening = Opening {
                now: Timestamp(9 * DAY),
                max_behind: None,
                scene: Scene::live(),
            };
            View::open(Arc::clone(&journal), &Filter::parse(text).unwrap(), opening)
        };
        let all = view("");
        while all.catch_up().await.unwrap() {}
        let shown: Vec<_> = all.rows(0, 99).await.unwrap().iter().map(|row| row.seq).collect();
        assert_eq!((all.len(), shown), (3, vec![14, 15, 16]));
        assert_eq!(all.position_of(Seq(15)), Some(1));
        let muted = view("kind:muted");
        while muted.catch_up().await.unwrap() {}
        assert_eq!(muted.len(), 1);
        journal.close().await.unwrap();
    }
    for table in ["SELECT count(*) FROM bodies", "SELECT count(*) FROM events"] {
        assert_eq!(rows(&path, table).await, 11);
    }
    assert_eq!(rows(&path, "SELECT count(*) FROM mentions").await, 4);
    // Once it is settled, the turn goes, too.
    let journal = SqliteJournal::open(&path).await.unwrap();
    journal
        .settle(OpId(1), Outcome::new(OutcomeCode::Cancelled), vec![])
        .await
        .unwrap();
    assert_eq!(journal.prune(Timestamp(5 * DAY), NOW).await.unwrap(), 2);
    assert_eq!(journal.prune(Timestamp(5 * DAY), NOW).await.unwrap(), 0);
}

/// One event that a clock stamped ahead keeps its own turn, and nothing behind it.
#[tokio::test]
async fn an_event_that_is_stamped_ahead_keeps_nothing_behind_it() {
    let (_folder, path) = place();
    let journal = SqliteJournal::open(&path).await.unwrap();
    journal
        .append(vec![
            came(0, 1),
            ended(0, 1),
            came(500, 2), // 3 is ahead of now, and keeps its turn
            ended(1, 2),
            came(1, 3),
            ended(1, 3),
            told(500, Kind::Idle), // 7 stays
            came(2, 4),
            ended(2, 4),
            came(99, 5), // 10 young
            ended(0, 5), // 11 stays with it
        ])
        .unwrap();
    assert_eq!(journal.prune(Timestamp(50 * DAY), NOW).await.unwrap(), 6);
    assert_eq!(
        places(&journal.read(Seq(1), 99).await.unwrap()),
        [3, 4, 7, 10, 11]
    );
    // Once it is past and old, its turn goes.
    assert_eq!(
        journal
            .prune(Timestamp(600 * DAY), Timestamp(700 * DAY))
            .await
            .unwrap(),
        2
    );
    // A clock that was never set says that all of this is yet to come.
    assert_eq!(journal.prune(Timestamp(-DAY), Timestamp(0)).await.unwrap(), 0);
    journal.close().await.unwrap();
}

/// A request that nobody decided about: whoever finds the bot can make any number of them.
fn asked(at: i64, sender: u64) -> Draft {
    let kind = Kind::Pairing {
        step: PairingStep::Requested,
        sender: sender.to_string().into(),
        name: "Eve".to_owned(),
        code: Some("ABCDEFGH".to_owned()),
        until: Some(Timestamp(at + 3_600_000)),
        by: Actor::User(sender.to_string().into()),
    };
    Draft {
        at: Timestamp(at),
        ..in_turn(0, sender, kind)
    }
}

#[tokio::test]
async fn requests_to_pair_go_when_their_codes_are_over_and_a_start_reads_only_recent_ones() {
    let (_folder, path) = place();
    let journal = SqliteJournal::open(&path).await.unwrap();
    let now = 10 * DAY;
    let old = (1..=3_000).map(|sender| asked(0, sender));
    let recent = [asked(now - 60_000, 9_001), asked(now - 7_200_000, 9_002)];
    let decided = [
        pairing(0, PairingStep::Approved),
        pairing(0, PairingStep::Revoked),
        pairing(0, PairingStep::Refused),
    ];
    journal
        .append(old.chain(decided).chain(recent).collect())
        .unwrap();
    journal.flush().await.unwrap();
    let read = async |journal: &SqliteJournal| {
        let events = journal.pairings(Timestamp(now - DAY)).await.unwrap();
        places(&events)
    };
    assert_eq!(read(&journal).await, [3_001, 3_002, 3_004, 3_005]);
    // What is valid stays where nothing else is kept.
    journal.append(vec![came(10, 9_999)]).unwrap();
    let deleted = journal.prune(Timestamp(now), Timestamp(now)).await.unwrap();
    assert_eq!(deleted, 3_002);
    assert_eq!(
        places(&journal.read(Seq(1), 99).await.unwrap()),
        [3_001, 3_002, 3_004, 3_006]
    );
    journal.close().await.unwrap();
}

/// The clock of a machine may be wrong: what it says was deleted is neither later than it asked for nor than what was.
#[tokio::test]
async fn the_time_of_the_latest_cut_is_remembered_and_never_goes_back() {
    let (_folder, path) = place();
    let journal = SqliteJournal::open(&path).await.unwrap();
    assert_eq!(journal.deleted_before(), Timestamp(0));
    journal
        .append(vec![came(0, 1), ended(1, 1), came(2, 2), ended(3, 2), came(7, 3)])
        .unwrap();
    for (before, deleted, cut) in [
        (0, 0, 0),
        (2 * DAY, 2, DAY + 1),
        (DAY, 0, DAY + 1),
        (90 * DAY, 2, 3 * DAY + 1),
    ] {
        assert_eq!(
            journal.prune(Timestamp(before), NOW).await.unwrap(),
            deleted,
            "{before}"
        );
        assert_eq!(journal.deleted_before(), Timestamp(cut), "{before}");
    }
    journal.close().await.unwrap();
    let journal = SqliteJournal::open(&path).await.unwrap();
    assert_eq!(journal.deleted_before(), Timestamp(3 * DAY + 1));
    journal.close().await.unwrap();
    // An earlier version did not remember it: all that it deleted is older than what it left.
    run(
        &mut other_program(&path).await,
        "ALTER TABLE whole_from DROP COLUMN before; DROP TABLE unknown_turns; DROP TABLE durations;
        DROP TABLE errors; DROP INDEX events_scene; DROP INDEX events_received; DROP INDEX events_conversation; DROP TABLE session_usage; DROP TABLE approvals; DROP TABLE chats; DROP INDEX events_asked; DROP INDEX events_start; PRAGMA user_version = 4",
    )
    .await;
    let journal = SqliteJournal::open(&path).await.unwrap();
    assert_eq!(journal.deleted_before(), Timestamp(7 * DAY));
}

#[tokio::test]
async fn a_turn_in_doubt_goes_with_its_events() {
    let (_folder, path) = place();
    let journal = SqliteJournal::open(&path).await.unwrap();
    let in_doubt = |day, turn| {
        let outcome = Outcome::new(OutcomeCode::Unknown);
        in_turn(
            day,
            turn,
            Kind::Ended {
                op: OpId(turn),
                outcome,
            },
        )
    };
    journal
        .append(vec![
            came(0, 1),
            in_doubt(0, 1),
            ended(0, 1),
            came(9, 2),
            in_doubt(9, 2),
            ended(9, 2),
        ])
        .unwrap();
    assert_eq!(journal.prune(Timestamp(5 * DAY), NOW).await.unwrap(), 3);
    assert_eq!(journal.unknown_turns().await.unwrap(), [(TurnId(2), Seq(5))]);
}

/// A journal of many turns, all of the first day; some 5 MB.
async fn fill(journal: &SqliteJournal) {
    for turn in 1..=2_000 {
        journal.append(vec![came(0, turn), ended(0, turn)]).unwrap();
    }
    journal.append(vec![came(9, 2_001)]).unwrap();
    journal.flush().await.unwrap();
}

#[tokio::test]
async fn the_file_becomes_smaller() {
    let (_folder, path) = place();
    let journal = SqliteJournal::open(&path).await.unwrap();
    fill(&journal).await;
    assert_eq!(journal.prune(Timestamp(5 * DAY), NOW).await.unwrap(), 4_000);
    journal.close().await.unwrap();
    let size = path.metadata().unwrap().len();
    assert!(size < 200_000, "{size} bytes");
}

#[tokio::test]
async fn a_file_of_an_earlier_version_becomes_smaller_when_it_is_written_anew() {
    let (_folder, path) = place();
    let journal = SqliteJournal::open(&path).await.unwrap();
    fill(&journal).await;
    journal.close().await.unwrap();
    // As an earlier version would have made it.
    assert_eq!(rows(&path, "PRAGMA auto_vacuum").await, 2);
    let mut program = other_program(&path).await;
    run(&mut program, "PRAGMA auto_vacuum = NONE; VACUUM;").await;
    program.close().await.unwrap();
    assert_eq!(rows(&path, "PRAGMA auto_vacuum").await, 0);
    let journal = SqliteJournal::open(&path).await.unwrap();
    assert_eq!(journal.prune(Timestamp(5 * DAY), NOW).await.unwrap(), 4_000);
    let running = SqliteJournal::compact(&path).await;
    assert_eq!(running, Err(StoreError::Locked(path.clone())));
    journal.close().await.unwrap();
    let size = || path.metadata().unwrap().len();
    assert!(size() > 4_000_000, "{} bytes", size());
    SqliteJournal::compact(&path).await.unwrap();
    assert!(size() < 200_000, "{} bytes", size());
    assert_eq!(rows(&path, "PRAGMA auto_vacuum").await, 2);
    let journal = SqliteJournal::open(&path).await.unwrap();
    assert_eq!(journal.head(), Seq(4_001));
}
