//! What the adapter sends.

use crate::place::{ANA, ANA_ACI, BEN, GROUP, ME, Place, group, populate, several};
use crate::shared::calls::{file, reply, said, target, voice, voice_reply};
use crate::shared::run::{Run, until};
use crate::shared::sent::sent_file;
use foldback_channels::ChannelAdapter as _;
use foldback_channels::contract::{Subject, check};
use foldback_strict::Mishap;
use foldback_strict::signal::{SignalServer, Start};
use foldback_wire::{ChannelState, FileKind, MessageId, Operation, RefusalCode};
use serde_json::json;
use std::sync::atomic::Ordering;
use std::time::Duration;

fn react(message: &MessageId) -> Operation {
    Operation::React {
        message: message.clone(),
        emoji: "👍".into(),
        emoji_sent: "👍".into(),
    }
}

#[tokio::test]
async fn it_keeps_the_contract() {
    for (start, account) in [
        (several(), Some(ME)),
        (
            Start {
                automatic: true,
                ..several()
            },
            Some(ME),
        ),
        (
            Start {
                single: true,
                ..several()
            },
            None,
        ),
    ] {
        let place = Place::started(start, account).await;
        for (chat, from) in [(ANA.to_owned(), None), (group(), Some(GROUP))] {
            let theirs = place.server.write(ANA, from, json!({"message": "hi"}));
            let subject = Subject::new(
                place.adapter.clone(),
                target(&chat, None),
                format!("{theirs}:{ANA}").into(),
                "1763700000000:+19999999999".into(),
                "a.ogg",
            );
            let sent = place.server.keep(b"hello");
            let subject = subject.with_sent(sent_file(&sent), *b"hello", "gone");
            check(&subject).await.unwrap();
        }
        let rules: Vec<_> = place.server.broken().iter().map(|rule| rule.says).collect();
        assert_eq!(rules, ["The recipient is on Signal."], "that of nobody's message");
    }
}

#[tokio::test]
async fn text_is_plain_with_its_emphasis_beside_it() {
    let place = Place::open().await;
    let text = "🎉 **Hi** `a < b` & [here](https://e.org)\n\n- _one_\n\n| a | b |\n|---|---|\n| 1 | 2 |";
    let ack = place.send(text).await.unwrap();
    let posted = place.server.messages(ANA).remove(0);
    assert_eq!(
        posted.text,
        "🎉 Hi a < b & here (https://e.org)\n\n- one\n\na | b\n--+--\n1 | 2"
    );
    assert_eq!(
        posted.styles,
        ["3:2:BOLD", "6:5:MONOSPACE", "38:3:ITALIC", "43:17:MONOSPACE"]
    );
    assert_eq!(ack.message, Some(posted.sent.to_string().into()));
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn a_group_and_a_person_are_told_apart() {
    let place = Place::open().await;
    place.perform_in(&group(), said("all")).await.unwrap();
    place.perform_in(ANA_ACI, said("you")).await.unwrap();
    assert_eq!(place.server.messages(GROUP)[0].text, "all");
    assert_eq!(place.server.messages(ANA)[0].text, "you");
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn replies_quote_what_they_answer() {
    let place = Place::open().await;
    let mut run = place.run();
    run.up().await;
    for (chat, from) in [(ANA.to_owned(), None), (group(), Some(GROUP))] {
        place.server.write(ANA, from, json!({"message": "How was it?"}));
        let theirs = run.message().await;
        let mine = place
            .perform_in(&chat, reply("Well", theirs.message.as_str()))
            .await
            .unwrap();
        let mine = mine.message.unwrap();
        place
            .perform_in(&chat, reply("Very", mine.as_str()))
            .await
            .unwrap();
        let (sent, _) = theirs.message.as_str().split_once(':').unwrap();
        let quotes: Vec<_> = place
            .server
            .messages(from.unwrap_or(ANA))
            .into_iter()
            .filter_map(|posted| posted.quote)
            .collect();
        assert_eq!(
            quotes,
            [
                (sent.parse().unwrap(), ANA.to_owned(), "How was it?".to_owned()),
                (mine.as_str().parse().unwrap(), ME.to_owned(), "Well".to_owned()),
            ]
        );
    }
    run.end().await;
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn a_voice_note_quotes_what_it_answers() {
    let place = Place::open().await;
    let theirs = place.server.write(ANA, None, json!({"message": "hi"}));
    let answer = voice_reply("a.ogg", &format!("{theirs}:{ANA}"));
    place.perform(answer).await.unwrap();
    let quote = place.server.messages(ANA).pop().unwrap().quote.unwrap();
    assert_eq!(
        (quote.0.to_string(), quote.1),
        (theirs.to_string(), ANA.to_owned())
    );
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn reactions_removals_and_typing() {
    let place = Place::open().await;
    let theirs = place.server.write(BEN, Some(GROUP), json!({"message": "hi"}));
    place
        .perform_in(&group(), react(&format!("{theirs}:{BEN}").into()))
        .await
        .unwrap();
    let mine = place
        .perform_in(&group(), said("oops"))
        .await
        .unwrap()
        .message
        .unwrap();
    place.perform_in(&group(), react(&mine)).await.unwrap();
    place.perform_in(&group(), Operation::Typing).await.unwrap();
    let delete = Operation::Delete { message: mine };
    place.perform_in(&group(), delete.clone()).await.unwrap();
    let posted = place.server.messages(GROUP);
    assert_eq!(
        posted
            .iter()
            .map(|p| (p.reaction.as_deref(), p.removed))
            .collect::<Vec<_>>(),
        [(Some("👍"), false), (Some("👍"), true)]
    );
    assert_eq!(place.server.typing(GROUP), 1);
    let again = place.perform_in(&group(), delete).await.unwrap_err();
    assert_eq!((again.code, again.maybe_done), (RefusalCode::Gone, false));
    let theirs = Operation::Delete {
        message: format!("{theirs}:{BEN}").into(),
    };
    let others = place.perform_in(&group(), theirs).await.unwrap_err();
    assert_eq!((others.code, others.maybe_done), (RefusalCode::Forbidden, false));
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn files_go_with_their_name_and_type() {
    let place = Place::open().await;
    place
        .perform(file("a.txt", FileKind::File, Some("**The** report")))
        .await
        .unwrap();
    place
        .perform(file("größe; 1+1=2.png", FileKind::File, None))
        .await
        .unwrap();
    let voice = voice("a.ogg");
    place.perform(voice).await.unwrap();
    let sent: Vec<_> = place
        .server
        .messages(ANA)
        .into_iter()
        .map(|posted| (posted.text, posted.file.unwrap()))
        .map(|(text, file)| (text, file.name, file.media_type, file.bytes))
        .collect();
    let row = |text: &str, name: &str, media_type: &str, bytes: &[u8]| {
        (
            text.to_owned(),
            name.to_owned(),
            media_type.to_owned(),
            bytes.to_vec(),
        )
    };
    assert_eq!(
        sent,
        [
            row("The report", "a.txt", "text/plain", b"hello"),
            row("", "größe; 1+1=2.png", "image/png", b"png"),
            row("", "a.ogg", "audio/ogg", b"OggS"),
        ]
    );
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn the_largest_file_arrives_and_a_larger_one_is_refused_with_the_limit() {
    let place = Place::open().await;
    let large = std::fs::File::create(place.dir.path().join("large.bin")).unwrap();
    let limit = place.adapter.capabilities().file_limit.unwrap();
    assert_eq!(limit, 14_999_000);
    large.set_len(limit).unwrap();
    place
        .perform(file("large.bin", FileKind::File, None))
        .await
        .unwrap();
    let posted = place.server.messages(ANA).pop().unwrap();
    assert_eq!(posted.file.unwrap().bytes.len() as u64, limit);
    let calls = place.server.calls();
    large.set_len(limit + 1).unwrap();
    let refusal = place
        .perform(file("large.bin", FileKind::File, None))
        .await
        .unwrap_err();
    assert_eq!((refusal.code, refusal.maybe_done), (RefusalCode::TooLong, false));
    assert!(refusal.detail.contains("more than 14999000"), "{refusal}");
    assert_eq!(place.server.calls(), calls);
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn a_message_some_of_a_group_cannot_get_is_sent_with_a_warning() {
    let place = Place::open().await;
    place.server.distrust(BEN);
    let ack = place.perform_in(&group(), said("all")).await.unwrap();
    assert_eq!(
        ack.warning.unwrap(),
        format!("not sent to 1 of 2: {BEN} has a new safety number")
    );
    assert!(ack.message.is_some());
}

#[tokio::test]
async fn it_works_over_a_unix_socket() {
    let dir = tempfile::tempdir().unwrap();
    let server = SignalServer::start_on(&dir.path().join("socket"), several()).unwrap();
    populate(&server);
    let place = Place::at(server, Some(ME));
    let mut run = place.run();
    assert_eq!(run.until(ChannelState::Up).await, format!("connected as {ME}"));
    place.server.write(ANA, None, json!({"message": "hi"}));
    assert_eq!(run.message().await.text, "hi");
    place.send("hello").await.unwrap();
    run.end().await;
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn answers_that_overtake_each_other_reach_their_calls() {
    let place = Place::open().await;
    place
        .server
        .plan("send", Mishap::Late(Duration::from_millis(200)));
    let (slow, quick) = tokio::join!(place.send("slow"), async {
        while place.server.messages(ANA).is_empty() {
            tokio::task::yield_now().await;
        }
        place.send("quick").await
    });
    let sent: Vec<_> = place
        .server
        .messages(ANA)
        .into_iter()
        .map(|posted| (posted.text, Some(MessageId::from(posted.sent.to_string()))))
        .collect();
    assert_eq!(
        sent,
        [
            ("slow".to_owned(), slow.unwrap().message),
            ("quick".to_owned(), quick.unwrap().message)
        ]
    );
}

#[tokio::test]
async fn what_is_read_is_shown_once_the_bot_acts() {
    let place = Place::open().await;
    let mut run = place.run();
    run.up().await;
    let read = |chat: &str| -> Vec<bool> {
        let theirs = place
            .server
            .messages(chat)
            .into_iter()
            .filter(|p| p.author.is_some());
        theirs.map(|posted| posted.read).collect()
    };
    for text in ["one", "two"] {
        place.server.write(ANA, None, json!({"message": text}));
        run.message().await;
    }
    place.server.write(BEN, Some(GROUP), json!({"message": "all"}));
    run.message().await;
    place.server.write(ANA, None, json!({"message": "not kept yet"}));
    let waiting = run.arrival().await;
    assert_eq!(
        (read(ANA), read(GROUP)),
        (vec![false; 3], vec![false]),
        "a dry run shows nothing"
    );
    place.perform(Operation::Typing).await.unwrap();
    until(|| (read(ANA), read(GROUP)) == (vec![true, true, false], vec![false])).await;
    waiting.kept.unwrap().send(()).unwrap();
    run.end().await;
    place.send("hello").await.unwrap();
    place.perform_in(&group(), said("hello")).await.unwrap();
    // Also after the run.
    until(|| (read(ANA), read(GROUP)) == (vec![true; 3], vec![true])).await;
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn a_receipt_that_fails_keeps_nothing_from_being_sent() {
    let place = Place::open().await;
    let mut run = place.run();
    run.up().await;
    place.server.write(ANA, None, json!({"message": "hi"}));
    run.message().await;
    place.server.plan("sendReceipt", Mishap::Lost);
    place.send("hello").await.unwrap();
    run.end().await;
}

/// A run in which two people have written to the group.
async fn group_heard(place: &Place) -> Run {
    let mut run = place.run();
    run.up().await;
    for (who, text) in [(ANA, "one"), (BEN, "two")] {
        place.server.write(who, Some(GROUP), json!({"message": text}));
        run.message().await;
    }
    run
}

/// How much of what was written to the group is shown as read.
fn read_in_group(place: &Place) -> usize {
    let messages = place.server.messages(GROUP);
    messages.iter().filter(|posted| posted.read).count()
}

#[tokio::test]
async fn what_is_sent_waits_for_no_receipt() {
    let place = Place::open().await;
    let run = group_heard(&place).await;
    let read = || read_in_group(&place);
    // The answer to the first receipt takes longer than a test may.
    place
        .server
        .plan("sendReceipt", Mishap::Late(Duration::from_hours(1)));
    place.perform_in(&group(), said("hello")).await.unwrap();
    until(|| read() == 1).await;
    place.perform_in(&group(), said("and again")).await.unwrap();
    assert_eq!(read(), 1, "the second one waits for the first");
    run.end().await;
}

#[tokio::test]
async fn receipts_that_there_was_no_time_for_go_with_the_next_operation() {
    let place = Place::open().await;
    let run = group_heard(&place).await;
    let read = || read_in_group(&place);
    place
        .server
        .plan("sendReceipt", Mishap::Late(Duration::from_hours(1)));
    // That of the run alone: the members of groups have been told.
    until(|| place.server.open_connections() == 1).await;
    place.clock.impatient.store(true, Ordering::SeqCst);
    // Whether this send is in time does not matter here.
    drop(place.perform_in(&group(), said("hello")).await);
    place.clock.impatient.store(false, Ordering::SeqCst);
    until(|| place.server.open_connections() == 1).await;
    while read() < 2 {
        place.perform_in(&group(), Operation::Typing).await.unwrap();
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    run.end().await;
}
