//! The promises, one function each.

use crate::{
    House,
    words::{came, details, made, made_both, run_started, said, said_in, sending},
};
use foldback_store::{Journal, Mention, Numbers, OutboxEntry, Selection, SessionRecord, StoreError, Then};
use foldback_wire::{ChannelId, Draft, OpId, Outcome, OutcomeCode, Seq, SessionId, Timestamp, TurnId};
use std::sync::Arc;

fn sent() -> Outcome {
    Outcome::new(OutcomeCode::Sent)
}

async fn everything(journal: &Arc<dyn Journal>) -> Vec<foldback_wire::Event> {
    journal.read(Seq(1), usize::MAX).await.unwrap()
}

pub(crate) async fn places_grow_by_one_in_the_order_of_the_calls(mut house: impl House) {
    let journal = house.enter().await;
    assert_eq!(journal.head(), Seq(0));
    assert_eq!(journal.append(vec![]).unwrap(), []);
    assert_eq!(
        journal.append(vec![said("a"), said("b")]).unwrap(),
        [Seq(1), Seq(2)]
    );
    assert_eq!(journal.append(vec![said("c")]).unwrap(), [Seq(3)]);
    journal.flush().await.unwrap();
    assert_eq!(journal.head(), Seq(3));

    let journal = house.enter().await;
    assert_eq!(journal.head(), Seq(3));
    assert_eq!(journal.append(vec![said("d")]).unwrap(), [Seq(4)]);
    journal.flush().await.unwrap();
    let events = everything(&journal).await;
    assert_eq!(details(&events), ["a", "b", "c", "d"]);
    assert!(events.iter().map(|event| event.seq.0).eq(1..=4));
}

pub(crate) async fn places_stay_whole_when_many_write_at_once(mut house: impl House) {
    const WRITERS: u64 = 20;
    const EACH: u64 = 50;
    let journal = house.enter().await;
    let writers = (1..=WRITERS).map(|writer| {
        let journal = Arc::clone(&journal);
        tokio::spawn(async move {
            for n in 0..EACH {
                let op = writer * EACH + n;
                let mut said = vec![said_in(writer, &format!("{n}")); 2];
                journal.append(vec![said.remove(0)]).unwrap();
                journal.intend(sending(op, "x"), said).await.unwrap();
                journal.settle(OpId(op), sent(), vec![]).await.unwrap();
            }
        })
    });
    futures::future::try_join_all(writers).await.unwrap();
    let events = everything(&journal).await;
    assert!(events.iter().map(|event| event.seq.0).eq(1..=WRITERS * EACH * 2));
    assert_eq!(journal.head(), Seq(WRITERS * EACH * 2));
    for writer in 1..=WRITERS {
        let own = details(&journal.turn(TurnId(writer)).await.unwrap());
        let expected: Vec<_> = (0..EACH).flat_map(|n| [n.to_string(), n.to_string()]).collect();
        assert_eq!(own, expected);
    }
    assert_eq!(journal.outbox().await.unwrap(), []);
}

pub(crate) async fn what_is_flushed_is_read_back_unchanged(mut house: impl House) {
    let drafts = vec![said_in(3, "żółw 🐢 \u{0} \"'%_"), run_started(2), said("")];
    let journal = house.enter().await;
    journal.append(drafts.clone()).unwrap();
    journal.flush().await.unwrap();
    let journal = house.enter().await;
    let expected: Vec<_> = (1..)
        .map(Seq)
        .zip(drafts)
        .map(|(seq, draft)| draft.at_seq(seq))
        .collect();
    assert_eq!(everything(&journal).await, expected);
}

pub(crate) async fn reading_starts_and_stops_where_asked(mut house: impl House) {
    let journal = house.enter().await;
    journal
        .append((1..=10).map(|n| said(&n.to_string())).collect())
        .unwrap();
    journal.flush().await.unwrap();
    let read = async |from, limit| details(&journal.read(Seq(from), limit).await.unwrap());
    assert_eq!(read(4, 3).await, ["4", "5", "6"]);
    assert_eq!(read(9, 5).await, ["9", "10"]);
    assert_eq!(read(0, 1).await, ["1"]);
    assert!(read(11, 5).await.is_empty());
    assert!(read(u64::MAX, usize::MAX).await.is_empty());
    assert!(read(1, 0).await.is_empty());
}

pub(crate) async fn a_turn_is_read_whole_and_alone(mut house: impl House) {
    let journal = house.enter().await;
    journal
        .append(vec![said_in(1, "a"), said_in(2, "b"), said("c"), said_in(1, "d")])
        .unwrap();
    journal.flush().await.unwrap();
    assert_eq!(details(&journal.turn(TurnId(1)).await.unwrap()), ["a", "d"]);
    assert!(journal.turn(TurnId(9)).await.unwrap().is_empty());
}

pub(crate) async fn the_head_wakes_who_watches(mut house: impl House) {
    let journal = house.enter().await;
    let mut watch = journal.watch();
    assert_eq!(*watch.borrow_and_update(), Seq(0));
    journal.append(vec![said("a"), said("b")]).unwrap();
    watch.wait_for(|head| *head == Seq(2)).await.unwrap();
    // Whoever is woken can read what woke him.
    assert_eq!(details(&everything(&journal).await), ["a", "b"]);
    watch.borrow_and_update();
    journal.append(vec![]).unwrap();
    journal.flush().await.unwrap();
    assert!(
        !watch.has_changed().unwrap(),
        "nothing was written, so nobody is woken"
    );
}

pub(crate) async fn an_intended_operation_stays_until_it_is_settled(mut house: impl House) {
    let journal = house.enter().await;
    journal
        .intend(sending(1, "Hey 🐢"), vec![said("intended")])
        .await
        .unwrap();
    assert_eq!(details(&everything(&journal).await), ["intended"]);
    let journal = house.enter().await;
    assert_eq!(journal.outbox().await.unwrap(), [sending(1, "Hey 🐢")]);
    journal.attempt(OpId(1), vec![said("attempted")]).await.unwrap();
    journal
        .settle(OpId(1), sent(), vec![said("ended")])
        .await
        .unwrap();
    let journal = house.enter().await;
    assert_eq!(journal.outbox().await.unwrap(), []);
    assert_eq!(
        details(&everything(&journal).await),
        ["intended", "attempted", "ended"]
    );
}

pub(crate) async fn what_follows_from_an_outcome_takes_its_place(mut house: impl House) {
    let journal = house.enter().await;
    journal.intend(sending(1, "x"), vec![]).await.unwrap();
    journal.intend(sending(2, "y"), vec![]).await.unwrap();
    journal.attempt(OpId(1), vec![]).await.unwrap();
    let next = OutboxEntry {
        then: Then {
            leaves: Some("m1".into()),
            ..Then::default()
        },
        ..sending(3, "x")
    };
    // Refused as a whole: the number is taken, or the first is not there.
    let twice = journal.settle_and_intend(OpId(1), sent(), sending(2, "y"), vec![said("never")]);
    assert_eq!(twice.await, Err(StoreError::IntendedTwice(OpId(2))));
    let none = journal.settle_and_intend(OpId(9), sent(), next.clone(), vec![said("never")]);
    assert_eq!(none.await, Err(StoreError::NotInOutbox(OpId(9))));
    assert_eq!(journal.outbox().await.unwrap().len(), 2);
    journal
        .settle_and_intend(
            OpId(1),
            sent(),
            next.clone(),
            vec![said("ended"), said("intended")],
        )
        .await
        .unwrap();
    let journal = house.enter().await;
    assert_eq!(journal.outbox().await.unwrap(), [sending(2, "y"), next]);
    assert_eq!(details(&everything(&journal).await), ["ended", "intended"]);
    assert_eq!(journal.reserve().await.unwrap().op, 4);
}

pub(crate) async fn what_was_begun_is_told_from_what_was_not(mut house: impl House) {
    let journal = house.enter().await;
    for op in 1..=3 {
        journal.intend(sending(op, "x"), vec![]).await.unwrap();
    }
    journal.attempt(OpId(1), vec![]).await.unwrap();
    journal.attempt(OpId(2), vec![]).await.unwrap();
    journal.retry(OpId(2), vec![]).await.unwrap();
    // Where the platform recognises the key, what was in flight is attempted again.
    journal.attempt(OpId(1), vec![]).await.unwrap();
    for journal in [journal, house.enter().await] {
        let outbox = journal.outbox().await.unwrap();
        let in_flight: Vec<_> = outbox.iter().map(|entry| (entry.op.0, entry.in_flight)).collect();
        assert_eq!(in_flight, [(1, true), (2, false), (3, false)]);
    }
}

pub(crate) async fn the_outbox_keeps_the_order_of_intention(mut house: impl House) {
    let journal = house.enter().await;
    for op in [4, 9, 11, 20] {
        journal
            .intend(sending(op, &op.to_string()), vec![])
            .await
            .unwrap();
    }
    journal.settle(OpId(9), sent(), vec![]).await.unwrap();
    let journal = house.enter().await;
    let order: Vec<_> = journal
        .outbox()
        .await
        .unwrap()
        .iter()
        .map(|entry| entry.op.0)
        .collect();
    assert_eq!(order, [4, 11, 20]);
}

pub(crate) async fn an_operation_is_intended_once(mut house: impl House) {
    let journal = house.enter().await;
    journal.intend(sending(1, "first"), vec![]).await.unwrap();
    let twice = journal.intend(sending(1, "second"), vec![]).await;
    assert!(
        matches!(twice, Err(StoreError::IntendedTwice(OpId(1)))),
        "{twice:?}"
    );
    assert_eq!(journal.outbox().await.unwrap(), [sending(1, "first")]);
}

pub(crate) async fn an_operation_that_is_not_in_the_outbox_is_refused(mut house: impl House) {
    let journal = house.enter().await;
    journal.intend(sending(1, "x"), vec![]).await.unwrap();
    journal.settle(OpId(1), sent(), vec![]).await.unwrap();
    for op in [OpId(1), OpId(5)] {
        for refused in [
            journal.attempt(op, vec![]).await,
            journal.retry(op, vec![]).await,
            journal.settle(op, sent(), vec![]).await,
        ] {
            assert!(
                matches!(refused, Err(StoreError::NotInOutbox(o)) if o == op),
                "{refused:?}"
            );
        }
    }
}

pub(crate) async fn a_refused_change_leaves_no_event(mut house: impl House) {
    let journal = house.enter().await;
    journal.append(vec![said("a")]).unwrap();
    journal
        .settle(OpId(5), sent(), vec![said("never")])
        .await
        .unwrap_err();
    assert_eq!(journal.append(vec![said("b")]).unwrap(), [Seq(2)]);
    journal.flush().await.unwrap();
    assert_eq!(details(&everything(&journal).await), ["a", "b"]);
}

pub(crate) async fn an_event_before_a_confirmed_intent_is_there_too(mut house: impl House) {
    let journal = house.enter().await;
    journal.append(vec![said("before")]).unwrap();
    journal
        .intend(sending(1, "x"), vec![said("intended")])
        .await
        .unwrap();
    assert_eq!(details(&everything(&journal).await), ["before", "intended"]);
}

pub(crate) async fn numbers_are_free_and_stay_free(mut house: impl House) {
    let journal = house.enter().await;
    assert_eq!(
        journal.reserve().await.unwrap(),
        Numbers {
            turn: 1,
            op: 1,
            run: 1
        }
    );
    journal.append(vec![said_in(812, "x"), run_started(5)]).unwrap();
    journal.intend(sending(40, "x"), vec![]).await.unwrap();
    journal.settle(OpId(40), sent(), vec![]).await.unwrap();
    let expected = Numbers {
        turn: 813,
        op: 41,
        run: 6,
    };
    assert_eq!(journal.reserve().await.unwrap(), expected);
    let journal = house.enter().await;
    assert_eq!(
        journal.reserve().await.unwrap(),
        expected,
        "a settled operation keeps its number"
    );
}

pub(crate) async fn sessions_are_kept(mut house: impl House) {
    let id = SessionId::new("telegram:42:alice");
    let mut record = SessionRecord {
        id: id.clone(),
        channel: "telegram".into(),
        turns: 1,
        created: Timestamp(1),
        used: Timestamp(2),
    };
    let journal = house.enter().await;
    assert_eq!(journal.session(&id).await.unwrap(), None);
    journal.put_session(record.clone()).await.unwrap();
    record.turns = 2;
    journal.put_session(record.clone()).await.unwrap();
    let journal = house.enter().await;
    assert_eq!(journal.session(&id).await.unwrap(), Some(record));
    assert_eq!(journal.session(&"telegram:43".into()).await.unwrap(), None);
}

pub(crate) async fn a_selection_is_what_it_admits(mut house: impl House) {
    let journal = house.enter().await;
    let drafts = (1..=40).map(|n| Draft {
        at: Timestamp(n),
        turn: (n % 3 != 0).then_some(TurnId(n as u64 % 5)),
        session: (n % 4 != 0).then(|| SessionId::new(format!("s{}", n % 6))),
        channel: (n % 5 != 0).then(|| ChannelId::new(["telegram", "it's"][n as usize % 2])),
        ..if n % 2 == 0 { said("x") } else { run_started(1) }
    });
    journal.append(drafts.collect()).unwrap();
    journal.flush().await.unwrap();
    let events = everything(&journal).await;
    for wanted in [
        Selection::ALL,
        Selection::kinds([]),
        Selection::kinds(["warned"]),
        Selection::kinds(["warned", "run_started", "idle"]),
        Selection {
            channels: Some(["it's".into(), "none".into()].into()),
            ..Selection::ALL
        },
        Selection {
            sessions: Some(["s1".into(), "s2".into()].into()),
            ..Selection::kinds(["warned"])
        },
        Selection {
            turns: Some([TurnId(2), TurnId(4)].into()),
            ..Selection::ALL
        },
        Selection {
            since: Some(Timestamp(10)),
            before: Some(Timestamp(30)),
            ..Selection::ALL
        },
    ] {
        let admitted: Vec<_> = events
            .iter()
            .filter(|event| wanted.admits(event))
            .cloned()
            .collect();
        for (after, until, limit) in [
            (0, u64::MAX, usize::MAX),
            (7, 33, usize::MAX),
            (7, 33, 4),
            (33, 7, 9),
        ] {
            let within: Vec<_> = admitted
                .iter()
                .filter(|event| event.seq.0 > after && event.seq.0 <= until)
                .take(limit)
                .cloned()
                .collect();
            let seqs: Vec<_> = within.iter().map(|event| event.seq).collect();
            let (after, until) = (Seq(after), Seq(until));
            assert_eq!(
                journal.select(&wanted, after, until, limit).await.unwrap(),
                within,
                "{wanted:?}"
            );
            assert_eq!(
                journal.places(&wanted, after, until, limit).await.unwrap(),
                seqs,
                "{wanted:?}"
            );
        }
    }
}

pub(crate) async fn events_are_picked_by_their_places(mut house: impl House) {
    let journal = house.enter().await;
    journal
        .append((1..=10).map(|n| said(&n.to_string())).collect())
        .unwrap();
    journal.flush().await.unwrap();
    let picked = journal
        .pick(&[Seq(2), Seq(9), Seq(3), Seq(0), Seq(11), Seq(9)])
        .await
        .unwrap();
    assert_eq!(details(&picked), ["2", "3", "9"]);
    assert!(journal.pick(&[]).await.unwrap().is_empty());
}

pub(crate) async fn a_start_tells_what_is_safe_to_send(mut house: impl House) {
    let journal = house.enter().await;
    for op in 1..=4 {
        journal.intend(sending(op, "x"), vec![]).await.unwrap();
    }
    for op in 2..=4 {
        journal.attempt(OpId(op), vec![]).await.unwrap();
    }
    journal.retry(OpId(3), vec![]).await.unwrap();
    journal.settle(OpId(4), sent(), vec![]).await.unwrap();
    let resumed = house.enter().await.resume().await.unwrap();
    assert_eq!(resumed.unsent, [sending(1, "x"), sending(3, "x")]);
    assert_eq!(
        resumed.in_flight,
        [OutboxEntry {
            in_flight: true,
            ..sending(2, "x")
        }]
    );
}

pub(crate) async fn after_the_end_nothing_is_taken(mut house: impl House) {
    let journal = house.enter().await;
    journal.append(vec![said("written at the end")]).unwrap();
    tokio::select! {
        biased;
        why = journal.ended() => panic!("{why}"),
        () = std::future::ready(()) => {}
    }
    let waiting = Arc::clone(&journal);
    let end = tokio::spawn(async move { waiting.ended().await });
    journal.close().await.unwrap();
    journal.close().await.unwrap();
    assert_eq!(end.await.unwrap(), StoreError::Closed);
    assert_eq!(journal.append(vec![said("x")]), Err(StoreError::Closed));
    assert_eq!(journal.flush().await, Err(StoreError::Closed));
    assert_eq!(
        journal.intend(sending(1, "x"), vec![]).await,
        Err(StoreError::Closed)
    );
    assert_eq!(journal.head(), Seq(1));
}

pub(crate) async fn a_message_is_found_by_its_name(mut house: impl House) {
    let journal = house.enter().await;
    // Every chat counts from 1.
    let chats: Vec<_> = (1..=500).map(|n| came(n, &n.to_string(), "1")).collect();
    journal.append(chats).unwrap();
    journal
        .append(vec![made(7, 1, Some("1")), said_in(7, "1"), made(7, 2, None)])
        .unwrap();
    let again = Draft {
        at: Timestamp(5_000),
        ..came(501, "7", "1")
    };
    journal
        .append(vec![came(502, "7", "2"), again, made_both(7, 3, ["8", "9"])])
        .unwrap();
    journal.flush().await.unwrap();
    let mention = |chat: Option<&str>| Mention {
        channel: "telegram".into(),
        chat: chat.map(Into::into),
        message: "1".into(),
    };
    for reopened in [false, true] {
        let journal = if reopened {
            house.enter().await
        } else {
            Arc::clone(&journal)
        };
        let places = async |mention: Mention, since| {
            let found = journal.mentions(&mention, Timestamp(since)).await.unwrap();
            assert_eq!(
                found,
                journal
                    .pick(&found.iter().map(|e| e.seq).collect::<Vec<_>>())
                    .await
                    .unwrap()
            );
            found.iter().map(|event| event.seq.0).collect::<Vec<_>>()
        };
        assert_eq!(places(mention(Some("7")), 0).await, [7, 505]);
        assert_eq!(places(mention(Some("7")), 1_001).await, [505]);
        assert_eq!(places(mention(None), 0).await, [501]);
        assert!(places(mention(Some("501")), 0).await.is_empty());
        let elsewhere = Mention {
            channel: "slack".into(),
            ..mention(Some("7"))
        };
        assert!(places(elsewhere, 0).await.is_empty());
        for (message, found) in [("8", vec![506]), ("9", vec![506]), ("10", vec![])] {
            let of = Mention {
                message: message.into(),
                ..mention(None)
            };
            assert_eq!(places(of, 0).await, found, "{message}");
        }
    }
}
