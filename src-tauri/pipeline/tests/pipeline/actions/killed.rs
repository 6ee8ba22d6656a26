//! The process is killed around an action: none is begun twice, and none is forgotten.

use super::{Acted, OWNED, Shell, TELEGRAM, bash, soon};
use crate::bot::{Bot, killed, runtime};
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
