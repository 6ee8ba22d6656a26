//! What signal-cli tells beside a message.

use crate::place::{ANA, ANA_ACI, BEN, GROUP, ME, Place};
use crate::shared::run::Run;
use foldback_wire::InboundContext;
use serde_json::{Value, json};

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
