//! What signal-cli tells beside a message.

use crate::place::{ANA, ANA_ACI, BEN, GROUP, ME, Place};
use crate::shared::run::Run;
use foldback_strict::Mishap;
use foldback_wire::InboundContext;
use serde_json::{Value, json};
use std::time::Duration;

/// The context of a message of Ana's that is written so.
async fn context_of(place: &Place, run: &mut Run, group: Option<&str>, data: Value) -> InboundContext {
    place.server.write(ANA, group, data);
    run.message()
        .await
        .context
        .map(|context| *context)
        .unwrap_or_default()
}

#[tokio::test]
async fn what_is_quoted_comes_with_its_author() {
    let place = Place::open().await;
    let mut run = place.run();
    for (author, number, aci, expected) in [
        (BEN, json!(BEN), Value::Null, BEN),
        (ANA_ACI, Value::Null, json!(ANA_ACI), ANA_ACI),
        (ME, json!(ME), Value::Null, ME),
    ] {
        let quote = json!({"id": 7, "author": author, "authorNumber": number, "authorUuid": aci, "text": "The whole"});
        let data = json!({"message": "and this?", "quote": quote});
        let quote = context_of(&place, &mut run, Some(GROUP), data)
            .await
            .quote
            .unwrap();
        assert_eq!(
            (quote.sender.as_deref(), quote.text.as_str()),
            (Some(expected), "The whole")
        );
    }
    // Of a picture that is quoted there are no words: that it is answered, `reply_to` says.
    let quote = json!({"id": 7, "author": BEN, "authorNumber": BEN, "authorUuid": null, "text": null});
    let data = json!({"message": "nice", "quote": quote});
    assert_eq!(context_of(&place, &mut run, None, data).await.quote, None);
    run.end().await;
}

#[tokio::test]
async fn a_group_has_its_name() {
    let place = Place::open().await;
    let mut run = place.run();
    let hi = json!({"message": "hi"});
    let group = context_of(&place, &mut run, Some(GROUP), hi.clone()).await.group;
    assert_eq!(group.unwrap().name.as_deref(), Some("G"));
    assert_eq!(context_of(&place, &mut run, None, hi).await.group, None);
    run.end().await;
}

/// The names of a group's members with a message of Ana's there.
async fn members_of(place: &Place, run: &mut Run) -> Vec<String> {
    let context = context_of(place, run, Some(GROUP), json!({"message": "hi"})).await;
    context.group.unwrap().members
}

/// The same, once the daemon was asked again.
async fn members_are(place: &Place, run: &mut Run, expected: &[&str]) {
    for _ in 0..600 {
        if members_of(place, run).await == expected {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{:?}", members_of(place, run).await);
}

/// Who has no name is called by the number, and the account itself is not named.
#[tokio::test]
async fn a_group_has_its_members_from_the_first_message_on_and_again_when_it_changes() {
    let place = Place::open().await;
    let mut run = place.run();
    assert_eq!(members_of(&place, &mut run).await, ["Ana", BEN]);
    let calls = place.server.calls();
    assert_eq!(members_of(&place, &mut run).await, ["Ana", BEN]);
    assert_eq!(place.server.calls(), calls, "nobody is asked for each message");
    place.server.open_group(GROUP, &[ME, ANA]);
    members_are(&place, &mut run, &["Ana"]).await;
    run.end().await;
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn a_daemon_that_does_not_tell_the_members_keeps_no_message() {
    for method in ["listGroups", "listContacts"] {
        let place = Place::open().await;
        place.server.plan(method, Mishap::Late(Duration::from_hours(1)));
        let mut run = place.run();
        for _ in 0..2 {
            assert_eq!(members_of(&place, &mut run).await, [""; 0], "{method}");
        }
        run.end().await;
        assert_eq!(place.server.broken(), []);

        let place = Place::open().await;
        place
            .server
            .plan(method, Mishap::RateLimited(Duration::from_mins(1)));
        let mut run = place.run();
        assert_eq!(members_of(&place, &mut run).await, [""; 0], "{method}");
        // The first message of a group that nobody knows has the daemon asked again.
        members_are(&place, &mut run, &["Ana", BEN]).await;
        run.end().await;
        assert_eq!(place.server.broken(), []);
    }
}

#[tokio::test]
async fn the_members_of_a_group_that_is_new_are_asked_for_once() {
    const OTHER: &str = "AAAAAAAAAAAAAAAAAAAAAA==";
    let place = Place::open().await;
    let mut run = place.run();
    members_of(&place, &mut run).await;
    place.server.open_group(OTHER, &[ME, BEN]);
    let mut members = Vec::new();
    for _ in 0..600 {
        let context = context_of(&place, &mut run, Some(OTHER), json!({"message": "hi"})).await;
        members = context.group.unwrap().members;
        if !members.is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(members, [BEN]);
    run.end().await;
}

/// An allow list may name either of them.
#[tokio::test]
async fn a_sender_has_a_number_and_an_aci() {
    let place = Place::open().await;
    let mut run = place.run();
    place.server.write(ANA, None, json!({"message": "hi"}));
    let message = run.message().await;
    let all: Vec<_> = message.sender_ids().collect();
    assert_eq!(all, [ANA, ANA_ACI]);
    assert_eq!(message.context.unwrap().sender.unwrap().ids, [ANA_ACI.into()]);
    run.end().await;
}

#[tokio::test]
async fn who_hides_the_number_has_the_aci_alone() {
    let place = Place::open().await;
    let mut run = place.run();
    let envelope = json!({
        "source": ANA_ACI, "sourceNumber": null, "sourceUuid": ANA_ACI, "sourceName": "Ana", "timestamp": 5,
        "dataMessage": {"timestamp": 5, "message": "hi"},
    });
    place.server.receive(json!({"account": ME, "envelope": envelope}));
    let message = run.message().await;
    assert_eq!(message.sender_ids().collect::<Vec<_>>(), [ANA_ACI]);
    assert_eq!(message.context, None);
    run.end().await;
}
