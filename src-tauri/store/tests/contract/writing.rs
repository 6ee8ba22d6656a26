//! What is written has a place, is there for good, and is all that is there.

use crate::House;
use crate::words::{details, everything, run_started, said, said_in, sending, sent};
use foldback_store::{
    KnownChat, MOST_CHATS, Numbers, SessionRecord, SessionSettings, StoreError, SystemNotice,
};
use foldback_wire::{
    ChatType, OpId, SendPolicy, Sender, Seq, SessionId, Timestamp, TurnId, rpc::AgentSession,
};
use std::sync::Arc;

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
    let expected: Vec<_> = (1..)
        .map(Seq)
        .zip(drafts)
        .map(|(seq, draft)| draft.at_seq(seq))
        .collect();
    assert_eq!(journal.read_recent(Seq(1), 9).await.unwrap(), expected);
    let journal = house.enter().await;
    assert_eq!(everything(&journal).await, expected);
    assert_eq!(journal.read_recent(Seq(1), 9).await.unwrap(), expected);
    assert_eq!(journal.read_recent(Seq(2), 1).await.unwrap(), expected[1..2]);
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

pub(crate) async fn an_event_before_a_confirmed_intent_is_there_too(mut house: impl House) {
    let journal = house.enter().await;
    journal.append(vec![said("before")]).unwrap();
    journal
        .intend(sending(1, "x"), vec![said("intended")])
        .await
        .unwrap();
    assert_eq!(details(&everything(&journal).await), ["before", "intended"]);
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
        chat: Some("42".into()),
        sender: "Alice".to_owned(),
        latest_turn: Some(TurnId(7)),
        settings: SessionSettings {
            send: Some(SendPolicy::Deny),
            ..SessionSettings::default()
        },
        began: Some(Timestamp(2)),
        said: None,
        notices: vec![SystemNotice {
            at: Timestamp(2),
            about: "run".to_owned(),
            text: "It was stopped.".to_owned(),
        }],
    };
    let journal = house.enter().await;
    assert_eq!(journal.session(&id).await.unwrap(), None);
    journal.put_session(record.clone(), vec![]).await.unwrap();
    record.turns = 2;
    journal.put_session(record.clone(), vec![]).await.unwrap();
    let journal = house.enter().await;
    assert_eq!(journal.session(&id).await.unwrap(), Some(record.clone()));
    assert_eq!(journal.session(&"telegram:43".into()).await.unwrap(), None);
    let later = SessionRecord {
        id: "a".into(),
        used: Timestamp(9),
        ..record.clone()
    };
    let told = vec![said("a setting changed")];
    journal.put_session(later.clone(), told).await.unwrap();
    assert_eq!(everything(&journal).await.len(), 1, "told with the change");
    assert_eq!(
        journal.sessions(9).await.unwrap(),
        (vec![later.clone(), record], 2)
    );
    assert_eq!(journal.sessions(1).await.unwrap(), (vec![later], 2));
}

pub(crate) async fn chats_are_known_until_too_many_are_newer(mut house: impl House) {
    let chat = |chat: &str, used: usize| KnownChat {
        channel: "telegram".into(),
        chat: chat.into(),
        chat_type: ChatType::Group,
        account: None,
        title: Some(format!("Chat {chat}")),
        sender: Sender {
            id: "1".into(),
            name: "alice".to_owned(),
            display_name: "Alice".to_owned(),
            is_bot: false,
        },
        other: None,
        used: Timestamp(i64::try_from(used).unwrap()),
    };
    let journal = house.enter().await;
    journal.put_chat(chat("first", 1)).unwrap();
    journal.put_chat(chat("second", 2)).unwrap();
    journal.put_chat(chat("first", 3)).unwrap();
    journal.flush().await.unwrap();
    let journal = house.enter().await;
    assert_eq!(
        journal.chats().await.unwrap(),
        [chat("first", 3), chat("second", 2)],
        "the one used last stands first, and each once"
    );
    let known = journal.chat(&"telegram".into(), &"second".into()).await.unwrap();
    assert_eq!(known, Some(chat("second", 2)));
    let elsewhere = journal.chat(&"discord".into(), &"second".into()).await.unwrap();
    assert_eq!(elsewhere, None);
    for number in 4..MOST_CHATS + 3 {
        journal.put_chat(chat(&number.to_string(), number)).unwrap();
    }
    journal.flush().await.unwrap();
    let known = journal.chats().await.unwrap();
    assert_eq!(known.len(), MOST_CHATS);
    let kept = |id: &str| known.iter().any(|known| known.chat.as_str() == id);
    assert!(kept("first") && !kept("second"), "the oldest is forgotten");
    journal
        .prune(Timestamp(i64::MAX), Timestamp(i64::MAX))
        .await
        .unwrap();
    assert_eq!(
        journal.chats().await.unwrap().len(),
        MOST_CHATS,
        "they stay when events go"
    );
}

pub(crate) async fn the_agents_session_is_kept_until_it_is_forgotten(mut house: impl House) {
    let (id, other) = (SessionId::new("telegram:42"), SessionId::new("telegram:43"));
    let of = |backend: &str, id: &str, since| AgentSession {
        backend: backend.to_owned(),
        id: id.to_owned(),
        since: Timestamp(since),
    };
    let kept = |id: &str| of("acp", id, 7);
    let journal = house.enter().await;
    assert_eq!(journal.agent_sessions(&id).await.unwrap(), []);
    for session in ["one", "two"] {
        let told = vec![said(session)];
        journal
            .put_agent_session(&id, Some(kept(session)), told)
            .await
            .unwrap();
    }
    journal
        .put_agent_session(&other, Some(kept("three")), vec![])
        .await
        .unwrap();
    // Who stepped in has one beside it.
    let later = of("letta", "agent-1", 9);
    journal
        .put_agent_session(&id, Some(later.clone()), vec![])
        .await
        .unwrap();
    let journal = house.enter().await;
    assert_eq!(journal.agent_sessions(&id).await.unwrap(), [later, kept("two")]);
    assert_eq!(everything(&journal).await.len(), 2, "told with the change");
    journal.put_agent_session(&id, None, vec![]).await.unwrap();
    let journal = house.enter().await;
    assert_eq!(journal.agent_sessions(&id).await.unwrap(), []);
    assert_eq!(journal.agent_sessions(&other).await.unwrap(), [kept("three")]);
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
