//! What the adapter makes of refusals and of answers that do not come.

use crate::front::a_wait_is_read_from_the_header;
use crate::place::{CHAT, Place, TOKEN, adapter};
use crate::shared::calls::{call, file, said, target};
use crate::shared::run::Run;
use foldback_channels::{ChannelAdapter, LimitScope};
use foldback_strict::{GatewayBody, Mishap};
use foldback_wire::{FileKind, MessageFlags, Operation, RefusalCode};

#[tokio::test]
async fn what_a_front_end_asks_for_stands_in_the_header() {
    a_wait_is_read_from_the_header::<Place>(LimitScope::Channel).await;
}

#[tokio::test]
async fn a_front_end_that_reaches_nobody_is_known_by_a_page_and_by_json() {
    let place = Place::open().await;
    let front_ends = [502, 503, 504].into_iter().flat_map(|status| {
        [GatewayBody::Page, GatewayBody::Json].map(|body| (Mishap::Gateway(status, body), true))
    });
    for (mishap, by_front_end) in front_ends.chain([(Mishap::Failed, false)]) {
        place.server.plan("sendMessage", mishap);
        let refusal = place.send("hi").await.unwrap_err();
        assert_eq!(
            (refusal.code, refusal.maybe_done, refusal.by_front_end),
            (RefusalCode::Transient, true, by_front_end),
            "{mishap:?}: {refusal:?}"
        );
    }
    assert_eq!(place.server.messages(CHAT), []);
}

#[tokio::test]
async fn no_refusal_holds_the_token() {
    let place = Place::open().await;
    let wrong = format!("{TOKEN}x");
    let impostor = adapter(&place.server, &wrong, place.dir.path());
    let mut run = Run::of(&impostor);
    let mut said = Vec::new();
    while let Some(signal) = run.signals.recv().await {
        said.push(format!("{signal:?}"));
    }
    let ended = run.task.await.unwrap().unwrap_err();
    assert_eq!(ended.code, RefusalCode::Unauthorized);
    said.push(format!("{ended:?} {ended}"));
    place.server.plan("sendMessage", Mishap::Lost);
    said.push(format!("{:?}", place.send("hi").await));
    for text in said {
        assert!(!text.contains("AAtoken"), "{text}");
    }
}

#[tokio::test]
async fn a_group_that_became_a_supergroup_is_written_to_there() {
    const GROUP: i64 = -4_001_002;
    let place = Place::open().await;
    for (supergroup, first) in [
        (-1_001_234_000_001, said("hi")),
        (-1_001_234_000_002, file("a.png", FileKind::Image, Some("Look"))),
    ] {
        place.server.open_chat(GROUP, &[]);
        place.server.upgrade(GROUP, supergroup);
        let adapter = adapter(&place.server, TOKEN, place.dir.path());
        let perform = |operation| adapter.perform(call(target(GROUP, None), operation));
        let before = place.server.calls();
        let sent = perform(first).await.unwrap().message.unwrap();
        assert_eq!(place.server.calls() - before, 2, "refused once, with the new id");
        let edit = Operation::EditText {
            message: sent,
            text: "again".into(),
            flags: MessageFlags::default(),
        };
        for operation in [
            said("one"),
            file("a.txt", FileKind::File, None),
            Operation::Typing,
        ] {
            perform(operation).await.unwrap();
        }
        // A picture has a caption and no text.
        let _ = perform(edit).await;
        assert_eq!(place.server.calls() - before, 6, "it is remembered");
        assert_eq!(place.server.messages(supergroup).len(), 3);
        assert_eq!(place.server.messages(GROUP), []);
    }
}

#[tokio::test]
async fn large_ids_arrive_to_the_last_digit() {
    let place = Place::open().await;
    for chat in [9_007_199_254_740_993, i64::MAX, i64::MIN] {
        place.server.open_chat(chat, &[]);
        place.perform_in(chat, None, said("hi")).await.unwrap();
        assert_eq!(place.server.messages(chat).len(), 1);
    }
}

#[tokio::test]
async fn what_telegram_cannot_read_goes_without_markup() {
    let place = Place::open().await;
    place.server.read_no_markup();
    place.server.forbid_voice(CHAT);
    for (operation, instead) in [
        (said("**big** news"), false),
        (file("a.txt", FileKind::File, Some("**big** news")), false),
        (file("a.ogg", FileKind::Audio, Some("**big** news")), true),
    ] {
        let before = place.server.calls();
        let ack = place.perform(operation).await.unwrap();
        let warning = ack.warning.unwrap();
        assert!(warning.contains("sent without markup"), "{warning}");
        assert_eq!(warning.contains("sendAudio instead"), instead, "{warning}");
        let calls = if instead { 3 } else { 2 };
        assert_eq!(place.server.calls() - before, calls);
        assert_eq!(u64::from(ack.more_calls), calls - 1);
        let posted = place.server.messages(CHAT).pop().unwrap().1;
        assert_eq!(
            (posted.text.as_str(), posted.raw.as_str()),
            ("big news", "big news")
        );
    }
    let posted = place.server.messages(CHAT);
    let files = posted.iter().filter_map(|(_, posted)| posted.file.as_ref());
    assert_eq!(
        files
            .map(|file| (file.field.as_str(), file.bytes.is_empty()))
            .collect::<Vec<_>>(),
        [("document", false), ("audio", false)]
    );
}
