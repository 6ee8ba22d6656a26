//! What is read is what was asked for: a stretch, a turn, a selection, some places, a message.

use crate::House;
use crate::words::{came, details, everything, made, made_both, read, run_started, said, said_in};
use foldback_store::{Mention, Selection, UsageTotals};
use foldback_wire::{
    Actor, ChannelId, Draft, Kind, OpId, Outcome, OutcomeCode, Seq, SessionId, Terminal, Timestamp, TurnId,
    Usage,
};
use std::{collections::BTreeMap, sync::Arc};

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
            .filter(|event| wanted.admits(event, None))
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
            let of_turns = within.iter().filter_map(|event| Some((event.turn?, event.seq)));
            let turns: Vec<_> = of_turns.collect::<BTreeMap<_, _>>().into_iter().collect();
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
            if limit == usize::MAX {
                let found = journal.turns(&wanted, after, until).await.unwrap();
                assert_eq!(found, turns, "{wanted:?}");
            }
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
        .append(vec![
            came(502, "7", "2"),
            again,
            made_both(7, 3, ["8", "9"]),
            read(7, 3, "8"),
        ])
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
        for (message, found) in [("8", vec![506, 507]), ("9", vec![506]), ("10", vec![])] {
            let of = Mention {
                message: message.into(),
                ..mention(None)
            };
            assert_eq!(places(of, 0).await, found, "{message}");
        }
    }
}

pub(crate) async fn a_start_finds_what_is_open_and_what_processes_told(mut house: impl House) {
    let journal = house.enter().await;
    let ended = |turn| Draft {
        kind: Kind::TurnEnded {
            terminal: Terminal::Replied,
        },
        ..said_in(turn, "")
    };
    journal
        .append(vec![
            said("1"),
            came(1, "7", "1"),
            said_in(1, "2"),
            came(2, "7", "2"),
            ended(1),
            said("6"),
            came(3, "7", "3"),
            said("8"),
        ])
        .unwrap();
    journal.flush().await.unwrap();
    for reopened in [false, true] {
        let journal = if reopened {
            house.enter().await
        } else {
            Arc::clone(&journal)
        };
        let open = async |after| journal.open_turns(Seq(after)).await.unwrap();
        assert_eq!(open(0).await, [(TurnId(2), Seq(4)), (TurnId(3), Seq(7))]);
        assert_eq!(open(4).await, [(TurnId(3), Seq(7))]);
        let told = async |until, limit| details(&journal.of_process(Seq(until), limit).await.unwrap());
        assert_eq!(told(u64::MAX, 9).await, ["8", "6", "1"]);
        assert_eq!(told(7, 1).await, ["6"]);
        assert!(told(0, 9).await.is_empty());
        assert_eq!(journal.whole_from(), Seq(1));
    }
}

pub(crate) async fn a_conversation_is_read_backwards_and_alone(mut house: impl House) {
    let journal = house.enter().await;
    let told = |turn, session: &str, kind| Draft {
        session: Some(session.into()),
        kind,
        ..said_in(turn, "")
    };
    let prompt = |text: &str| Kind::Prepared {
        prompt: text.to_owned(),
    };
    let reset = Kind::SessionReset {
        by: Actor::Console,
        agent: None,
        expired: None,
        kept: Vec::new(),
    };
    let compacted = Kind::HistoryCompacted {
        by: Actor::Pipeline,
        summary: "s".to_owned(),
        summarised: 1,
        kept: 0,
        tokens_before: 2,
        tokens_after: 1,
        usage: None,
        flushed: None,
    };
    let drafts = vec![
        told(1, "a", prompt("one")),
        told(1, "a", Kind::Idle),
        told(2, "b", prompt("two")),
        told(3, "a", reset),
        told(4, "a", prompt("four")),
        told(4, "a", compacted),
    ];
    journal.append(drafts).unwrap();
    journal.flush().await.unwrap();
    let places = async |of: &str, until, limit| {
        let events = journal.conversation(&of.into(), Seq(until), limit).await;
        events
            .unwrap()
            .iter()
            .map(|event| event.seq.0)
            .collect::<Vec<_>>()
    };
    assert_eq!(places("a", u64::MAX, 9).await, [6, 5, 4, 1]);
    assert_eq!(places("a", 5, 2).await, [5, 4]);
    assert_eq!(places("b", u64::MAX, 9).await, [3]);
    assert!(places("c", u64::MAX, 9).await.is_empty());
}

pub(crate) async fn turns_in_doubt_are_found_until_a_person_looked(mut house: impl House) {
    let journal = house.enter().await;
    let ended = |turn, code| Draft {
        kind: Kind::Ended {
            op: OpId(1),
            outcome: Outcome::new(code),
        },
        ..said_in(turn, "")
    };
    let replaced = Draft {
        kind: Kind::Ended {
            op: OpId(2),
            outcome: Outcome {
                replaced_by: Some(OpId(3)),
                ..Outcome::new(OutcomeCode::Unknown)
            },
        },
        ..said_in(4, "")
    };
    let looked_at = |turn| Draft {
        kind: Kind::Reviewed { by: Actor::Console },
        ..said_in(turn, "")
    };
    let unknown = OutcomeCode::Unknown;
    journal
        .append(vec![
            ended(1, unknown),
            ended(2, unknown),
            ended(3, OutcomeCode::Failed),
            replaced,
            looked_at(1),
            ended(2, unknown),
            ended(5, unknown),
            looked_at(5),
            ended(5, unknown),
        ])
        .unwrap();
    journal.flush().await.unwrap();
    for reopened in [false, true] {
        let journal = if reopened {
            house.enter().await
        } else {
            Arc::clone(&journal)
        };
        let in_doubt = journal.unknown_turns().await.unwrap();
        assert_eq!(in_doubt, [(TurnId(2), Seq(2)), (TurnId(5), Seq(9))]);
    }
}

pub(crate) async fn the_tokens_of_a_session_are_summed_until_a_reset(mut house: impl House) {
    let told = |session: &str, kind| Draft {
        session: Some(session.into()),
        kind,
        ..said_in(1, "")
    };
    let used = |input, output| Kind::Used {
        usage: Usage { input, output },
    };
    let reset = Kind::SessionReset {
        by: Actor::Console,
        agent: None,
        expired: None,
        kept: Vec::new(),
    };
    let compacted = Kind::HistoryCompacted {
        by: Actor::Pipeline,
        summary: "s".to_owned(),
        summarised: 1,
        kept: 0,
        tokens_before: 2,
        tokens_after: 1,
        usage: Some(Usage { input: 5, output: 1 }),
        flushed: None,
    };
    let journal = house.enter().await;
    let drafts = vec![
        told("a", used(100, 10)),
        told("b", used(7, 7)),
        told("a", reset),
        told("a", used(20, 2)),
        told("a", compacted),
    ];
    journal.append(drafts).unwrap();
    let totals = |input, output, counted| UsageTotals {
        input,
        output,
        counted,
    };
    assert_eq!(journal.usage(&"a".into()).await.unwrap(), totals(25, 3, 2));
    let journal = house.enter().await;
    journal.append(vec![told("a", used(1, 1))]).unwrap();
    assert_eq!(journal.usage(&"a".into()).await.unwrap(), totals(26, 4, 3));
    assert_eq!(journal.usage(&"b".into()).await.unwrap(), totals(7, 7, 1));
    assert_eq!(journal.usage(&"c".into()).await.unwrap(), UsageTotals::default());
}
