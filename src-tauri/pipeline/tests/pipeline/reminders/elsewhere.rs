//! A reminder that is told in another chat than the one in which it was set: the rights at that time, and who sees it.

use super::named::{direct, hear, in_group, known, olga, open, tells};
use super::{TELEGRAM, asks, at, delivered, due, lines, pass, prompt, results, set};
use crate::bot::{Bot, killed, runtime, text};
use foldback_pipeline::{Rules, TokioClock};
use foldback_store::Journal as _;
use foldback_wire::{Kind, TurnId};
use serde_json::json;

/// The agent is told that it is not the person who asked to whom it speaks.
#[tokio::test(start_paused = true)]
async fn its_agent_knows_whom_it_tells_and_who_asked() {
    let bot = Bot::with(&open()).await;
    known(&bot).await;
    olga(&bot, [&tells("Bob"), "All right."]).await;
    bot.says([text("Bob, you wanted to call.")]);
    pass(61).await;
    assert_eq!(
        bot.screen_of(TELEGRAM, "c7").last().unwrap(),
        "Bob, you wanted to call."
    );
    let prompt = prompt(&bot).await;
    for part in [
        "asked for by Olga in another chat on",
        "Bob, whose chat this is, and not who asked for it",
        "\"chat\":\"c7\"",
    ] {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
    let request = delivered(&bot).await.remove(0);
    assert_eq!(
        (request.depth, request.cause),
        (1, lines(&bot).await.first().map(|line| line.turn))
    );
    let sessions = bot.engine.sessions(20).await.unwrap().sessions;
    let of_bob = sessions
        .iter()
        .find(|line| line.session.as_str() == "telegram:c7")
        .unwrap();
    assert_eq!(of_bob.sender, "Bob", "a delivery changes nobody's name");
    bot.check().await;
}

/// Direct chats may share one session. What was said there is not told in the chat of somebody else.
#[tokio::test(start_paused = true)]
async fn it_is_told_in_the_session_of_its_chat_and_not_in_the_shared_one() {
    let bot = Bot::with(&format!("{}[session]\nmain = \"main\"\n", open())).await;
    known(&bot).await;
    olga(&bot, [&tells("Bob"), "All right."]).await;
    bot.says([text("Call.")]);
    pass(61).await;
    let events = bot.journal.read(foldback_wire::Seq(1), usize::MAX).await.unwrap();
    let told = events
        .iter()
        .find(|event| matches!(event.kind, Kind::ReminderDue(_)))
        .unwrap();
    let turn = told.turn.unwrap();
    let session = events
        .iter()
        .rev()
        .find(|event| event.turn == Some(turn))
        .unwrap();
    assert_eq!(session.session.as_ref().unwrap().as_str(), "telegram:c7");
    let asked = events
        .iter()
        .find(|event| matches!(event.kind, Kind::ReminderSet(_)))
        .unwrap();
    assert_eq!(asked.session.as_ref().unwrap().as_str(), "main");
    bot.check().await;
}

/// Whoever owns the bot no more speaks in no other chat.
#[test]
fn it_waits_while_its_person_owns_the_bot_no_more_and_while_the_chat_is_closed() {
    let world = killed(async {
        let bot = Bot::with(&open()).await;
        known(&bot).await;
        olga(&bot, [&tells("work"), "All right."]).await;
        bot
    });
    let others = open().replace("\"olga\"", "\"oskar\"");
    let closed = open().replacen("group_policy = \"open\"", "group_policy = \"disabled\"", 1);
    let unarmed = open().replacen("group_policy", "armed = false\ngroup_policy", 1);
    let mut world = world;
    for (hours, config, why) in [
        (2, others, "commands.owner_allow_from"),
        (4, closed, "channels.telegram.group_policy"),
        (6, unarmed, "channels.telegram.armed"),
    ] {
        world.clock = TokioClock::at(at(&format!("2026-01-01T{hours:02}:00:00Z")));
        world = killed(async {
            let bot = Bot::in_world(world, &config, Rules::all()).await;
            pass(5).await;
            assert_eq!(due(&bot).await, [], "{why}");
            let wait = lines(&bot).await.remove(0).waits.unwrap();
            assert!(wait.why.contains(why), "{wait:?}");
            bot
        });
    }
    runtime().block_on(async {
        world.clock = TokioClock::at(at("2026-01-01T10:00:00Z"));
        let bot = Bot::answering(world, &open(), Rules::all(), [text("Call Bob.")]).await;
        pass(5).await;
        assert_eq!(due(&bot).await.len(), 1);
        assert_eq!(bot.screen_of(TELEGRAM, "-1003").last().unwrap(), "Call Bob.");
    });
}

/// The person who asked lists and cancels it; the person who is told of it does not.
#[tokio::test(start_paused = true)]
async fn it_is_of_whoever_asked_and_is_listed_with_its_chat() {
    let bot = Bot::with(&open()).await;
    known(&bot).await;
    olga(&bot, [&tells("work"), "All right."]).await;
    olga(&bot, [&tells("Carl"), "All right."]).await;
    let says = async |message| {
        hear(&bot, message, []).await;
    };
    says(direct(&bot, TELEGRAM, ("c9", "olga", "Olga"), "/reminders")).await;
    let told = bot.screen_of(TELEGRAM, "c9").pop().unwrap();
    assert!(
        told.contains(", told in Work on telegram: Call Bob") && told.contains(", told in Carl on telegram"),
        "{told}"
    );
    // Only the one of the group, of which Olga says so: the other one is none of its business.
    let mut message = in_group(&bot, TELEGRAM, ("-1003", "Work"), "/reminders");
    message.sender.id = "olga".into();
    says(message).await;
    let told = bot.screen_of(TELEGRAM, "-1003").pop().unwrap();
    assert!(told.contains("told in Work") && !told.contains("Carl"), "{told}");
    let carl = direct(&bot, TELEGRAM, ("c8", "carl", "Carl"), "what do I have?");
    hear(&bot, carl, [&asks("event_list", &json!({})), "Nothing."]).await;
    assert_eq!(results(&bot).await.pop().unwrap(), "there are none");
    let carl = direct(&bot, TELEGRAM, ("c8", "carl", "Carl"), "cancel it");
    hear(&bot, carl, [&asks("event_cancel", &json!({"id": 2})), "No."]).await;
    assert_eq!(lines(&bot).await.len(), 2);
    olga(&bot, [&asks("event_cancel", &json!({"id": 2})), "Cancelled."]).await;
    assert_eq!(lines(&bot).await.len(), 1);
    bot.says([text("Call Bob.")]);
    pass(61).await;
    assert_eq!(due(&bot).await.len(), 1);
    assert_eq!(set(&bot).await.len(), 2);
    assert!(lines(&bot).await[0].turn > TurnId(5));
    bot.check().await;
}
