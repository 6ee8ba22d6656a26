//! Pairing as a client sees it: who waits, what is pushed, what a decision changes.

use crate::host::{Host, pushed};
use foldback_pipeline::config::DmPolicy;
use foldback_wire::{
    Actor,
    rpc::{ChannelCard, Pairings, Push, Topic, Why},
};
use serde_json::json;
use std::time::Duration;

async fn host() -> Host {
    Host::start_with(|setup| {
        setup.demo = false;
        let slack = setup.config.channels.get_mut(&"slack".into()).unwrap();
        slack.dm_policy = DmPolicy::Pairing;
        slack.allow_from = vec![];
    })
    .await
}

fn told(pushes: Vec<Push>) -> Option<Pairings> {
    pushes.into_iter().rev().find_map(|push| match push {
        Push::Pairings { pairings } => Some(pairings),
        _ => None,
    })
}

#[tokio::test(start_paused = true)]
async fn a_request_is_pushed_decided_about_and_taken_back() {
    let host = host().await;
    let mut app = host.subscribe(&Topic::App);
    let first = told(pushed(&mut app, Duration::from_secs(1)).await).unwrap();
    assert_eq!(first.channels, ["slack".into()]);
    assert!(first.pending.is_empty() && first.approved.is_empty());

    let turn = host.say("slack", "Hi", "Hello").await;
    let asked = told(pushed(&mut app, Duration::from_secs(1)).await).unwrap();
    let request = asked.pending[0].clone();
    assert_eq!(asked, host.call("pairings", json!({})).await);
    let why: Why = host.call("why", json!({"about": turn.to_string()})).await;
    assert!(
        why.answer
            .contains(" got a pairing code and no answer: neither on the list nor approved")
            && why.answer.ends_with("Setting: channels.slack.dm_policy"),
        "{}",
        why.answer
    );
    assert!(
        why.steps.iter().any(|step| step.text.contains(&request.code)),
        "{why:?}"
    );

    let wrong = host.failure("pairing_approve", json!({"code": "AAAAAAA1"})).await;
    assert_eq!(wrong.0, "no_pairing");
    assert!(wrong.1.contains("\"AAAAAAA1\" is no code"), "{wrong:?}");
    let code = request.code.to_lowercase();
    let approved: Pairings = host.call("pairing_approve", json!({"code": code})).await;
    assert!(approved.pending.is_empty());
    assert_eq!(
        (&approved.approved[0].by, approved.approved[0].in_force),
        (&Actor::Console, true)
    );
    host.say("slack", "Hi again", "Hello").await;
    assert_eq!(host.rows("kind:run_started").await, 1);

    let revoke = json!({"channel": "slack", "sender": request.sender});
    let left: Pairings = host.call("pairing_revoke", revoke.clone()).await;
    assert!(left.approved.is_empty());
    let (code, message, hint) = host.failure("pairing_revoke", revoke).await;
    assert_eq!(code, "no_pairing");
    assert!(
        message.contains("was not approved on") && hint.is_some(),
        "{message}"
    );
    assert_eq!(host.rows("kind:pairing").await, 3);
}

#[tokio::test(start_paused = true)]
async fn a_refused_request_is_off_the_list() {
    let host = host().await;
    host.say("slack", "Hi", "Hello").await;
    let asked: Pairings = host.call("pairings", json!({})).await;
    let code = json!({"code": asked.pending[0].code});
    let refused: Pairings = host.call("pairing_refuse", code.clone()).await;
    assert!(refused.pending.is_empty() && refused.approved.is_empty());
    assert_eq!(host.failure("pairing_approve", code).await.0, "no_pairing");
}

#[tokio::test(start_paused = true)]
async fn a_card_says_in_words_who_may_write() {
    let host = host().await;
    let cards: Vec<ChannelCard> = host.call("channels", json!({})).await;
    let words = |channel: &str| {
        let card = cards
            .iter()
            .find(|card| card.channel.as_str() == channel)
            .unwrap();
        (card.direct.clone(), card.groups.clone())
    };
    assert_eq!(
        words("slack"),
        (
            "whom an operator approved; others get a code".to_owned(),
            "nobody: the allow list is empty".to_owned()
        )
    );
    assert_eq!(
        words("signal"),
        (
            "everybody".to_owned(),
            "everybody, when the bot is mentioned".to_owned()
        )
    );
}
