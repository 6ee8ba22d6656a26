//! The process is killed around an action: none is begun twice, and none is forgotten.

use super::{Acted, OWNED, Shell, TELEGRAM, bash, soon};
use crate::{
    bot::{Bot, killed, runtime},
    deliveries::result_for,
};
use foldback_wire::{DeliveryOutcome, Kind};
use std::{sync::Arc, time::Duration};

async fn died_while(answer: &str, shell: Arc<Shell>) -> Bot {
    let world = crate::bot::World::new();
    let acted = Acted::in_world(world, OWNED, shell).await;
    acted.says(&[answer]);
    drop(acted.bot.user(TELEGRAM, "do it").await);
    soon().await;
    acted.bot
}

#[test]
fn one_that_had_begun_is_not_begun_again_and_the_agent_says_that_nobody_knows() {
    let shell: Arc<Shell> = Arc::default();
    let world = killed(died_while(&bash("sleep"), Arc::clone(&shell)));
    assert_eq!(shell.begun(), ["sleep"]);
    let world = runtime().block_on(async {
        let acted = Acted::answering(world, OWNED, Arc::clone(&shell), &["Nobody knows."]).await;
        tokio::time::sleep(Duration::from_mins(1)).await;
        assert_eq!(shell.begun(), ["sleep"], "it is not begun again");
        let request = acted.deliveries().await.remove(0);
        assert_eq!(request.outcome, DeliveryOutcome::Error);
        assert!(
            request.items[0].text.contains("Nobody knows whether it ran"),
            "{request:?}"
        );
        assert_eq!(request.corrections, None, "the agent is not asked for it again");
        assert!(
            acted.screen().iter().any(|text| text.ends_with("Nobody knows.")),
            "{:?}",
            acted.screen()
        );
        acted.bot.check().await;
        acted.bot.into_world()
    });
    // Nor does a later start deliver it again.
    runtime().block_on(async {
        let acted = Acted::answering(world, OWNED, Arc::clone(&shell), &["Again?"]).await;
        tokio::time::sleep(Duration::from_mins(1)).await;
        assert_eq!(acted.deliveries().await.len(), 1);
        assert_eq!(shell.begun(), ["sleep"]);
    });
}

#[test]
fn one_that_waited_for_its_confirmation_did_not_run_and_the_agent_says_so() {
    let shell: Arc<Shell> = Arc::default();
    let world = killed(died_while(&bash("df"), Arc::clone(&shell)));
    runtime().block_on(async {
        let acted = Acted::answering(world, OWNED, Arc::clone(&shell), &["It did not run."]).await;
        tokio::time::sleep(Duration::from_mins(1)).await;
        assert_eq!(shell.begun(), [""; 0]);
        let request = acted.deliveries().await.remove(0);
        assert!(request.items[0].text.contains("It did not run."), "{request:?}");
        acted.bot.check().await;
    });
}

#[test]
fn one_that_waited_for_its_confirmation_is_asked_for_again_at_the_word_of_the_same_person() {
    let shell: Arc<Shell> = Arc::default();
    let world = killed(died_while(&bash("df"), Arc::clone(&shell)));
    runtime().block_on(async {
        let acted = Acted::answering(world, OWNED, Arc::clone(&shell), &[&bash("df"), "Half full."]).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        let waiting = acted.bot.engine.permissions();
        assert_eq!(waiting.len(), 1, "{:?}", acted.codes().await);
        acted.decide(&waiting[0], "allow_once");
        tokio::time::sleep(Duration::from_mins(1)).await;
        assert_eq!(shell.begun(), ["df"]);
        acted.bot.check().await;
    });
}

#[test]
fn one_behind_an_action_that_cannot_be_read_is_told_of_by_its_own_number() {
    let shell: Arc<Shell> = Arc::default();
    let answer = format!("{}\n{}", r#"{"actions": [{"type": 7}]}"#, bash("df"));
    let world = killed(died_while(&answer, Arc::clone(&shell)));
    runtime().block_on(async {
        let acted = Acted::answering(world, OWNED, Arc::clone(&shell), &["It did not run."]).await;
        tokio::time::sleep(Duration::from_mins(1)).await;
        let items = acted.deliveries().await.remove(0).items;
        assert_eq!(items.len(), 2, "{items:?}");
        assert!(items[0].text.contains("\"unreadable\""), "{items:?}");
        assert_eq!(items[1].label, "2. bash: error");
        assert!(items[1].text.contains("It did not run."), "{items:?}");
        acted.bot.check().await;
    });
}

#[test]
fn a_delivery_from_elsewhere_is_no_result_of_the_turn_that_it_names_as_its_cause() {
    let shell: Arc<Shell> = Arc::default();
    let world = killed(async {
        let acted = Acted::in_world(crate::bot::World::new(), OWNED, Arc::clone(&shell)).await;
        acted.says(&[&bash("sleep"), "Half full."]);
        let message = acted.bot.message(TELEGRAM, "do it");
        let turn = acted.bot.engine.submit(message.clone()).await.unwrap();
        soon().await;
        let mut request = result_for(&message, "job-1");
        request.cause = Some(turn.id);
        acted.bot.engine.deliver(request).await.unwrap();
        acted.bot
    });
    assert_eq!(shell.begun(), ["sleep"]);
    runtime().block_on(async {
        let acted = Acted::answering(
            world,
            OWNED,
            Arc::clone(&shell),
            &["Nobody knows.", "Nobody knows."],
        )
        .await;
        tokio::time::sleep(Duration::from_mins(1)).await;
        let told = acted.deliveries().await;
        assert!(
            told.iter()
                .any(|request| request.items[0].text.contains("Nobody knows whether it ran")),
            "{told:?}"
        );
        acted.bot.check().await;
    });
}

#[test]
fn an_end_in_order_leaves_one_that_runs_to_the_next_start_as_one_that_nobody_knows() {
    let shell: Arc<Shell> = Arc::default();
    let world = runtime().block_on(async {
        let bot = died_while(&bash("sleep"), Arc::clone(&shell)).await;
        bot.engine.shutdown(Duration::from_secs(1)).await.unwrap();
        assert_eq!(shell.dropped(), 1, "it is not left running");
        bot.into_world()
    });
    runtime().block_on(async {
        let acted = Acted::answering(world, OWNED, Arc::clone(&shell), &["Nobody knows."]).await;
        tokio::time::sleep(Duration::from_mins(1)).await;
        assert_eq!(shell.begun(), ["sleep"]);
        let ended = |kind: &Kind| matches!(kind, Kind::ActionEnded(ended) if ended.note.is_some());
        assert!(acted.bot.kinds().await.iter().any(ended));
        assert_eq!(acted.deliveries().await.len(), 1);
        acted.bot.check().await;
    });
}
