//! Messages that no gate lets to the bot: the journal has their length and the gate, and not their text.

use crate::bot::{Bot, World, from_alice, text};
use async_trait::async_trait;
use foldback_channels::{
    Ack, Call, ChannelAdapter, Connection, ConnectionEnd, Loopback, Refusal, Signal, Unreadable, platform,
};
use foldback_pipeline::Rules;
use foldback_store::Journal as _;
use foldback_wire::{
    Attachment, Capabilities, ChatId, ChatType, Clock as _, Draft, Event, Gate, Inbound, Kind,
    OmittedContent, Terminal, TurnId, UnreadablePart,
};
use std::{sync::Arc, time::Duration};

const SLACK: &str = "[channels.slack]\nallow_from = [\"alice\"]\nrequire_mention = true\n";
const PAIRING: &str = "[channels.slack]\ndm_policy = \"pairing\"\nallow_from = []\narmed = true\n";

/// A message to a group that does not mention the bot, one of somebody whom it does not know, and one for it.
fn three(bot: &Bot) -> [Inbound; 3] {
    let mut aside = bot.message(platform::SLACK, "between us two");
    aside.chat_type = ChatType::Group;
    aside.mentioned = false;
    aside.files = vec![Attachment {
        name: "wages.pdf".into(),
        media_type: "application/pdf".into(),
        size: None,
        source: None,
    }];
    aside.reply_to = Some("payroll-7".into());
    let mut stranger = bot.message(platform::SLACK, "let me in, please");
    stranger.sender.id = "mallory".into();
    stranger.sender.name = "mal.lory".into();
    stranger.sender.display_name = "Mallory Smith".into();
    [aside, stranger, bot.message(platform::SLACK, "are you there?")]
}

async fn after_three(settings: &str) -> (Bot, Vec<Event>) {
    let bot = Bot::with(&format!("{settings}{SLACK}")).await;
    bot.says([text("Here.")]);
    for message in three(&bot) {
        let turn = bot.engine.submit(message).await.unwrap();
        turn.ended().await.unwrap();
    }
    let events = bot.events().await;
    (bot, events)
}

/// Words of the first two: their text, files and names.
const NOT_KEPT: &[&str] = &[
    "between us",
    "wages",
    "payroll",
    "let me in",
    "mal.lory",
    "Mallory Smith",
];

fn received(events: &[Event]) -> Vec<&Inbound> {
    let received = events.iter().filter_map(|event| match &event.kind {
        Kind::Received { message } => Some(&**message),
        _ => None,
    });
    received.collect()
}

fn texts(events: &[Event]) -> Vec<&str> {
    received(events)
        .iter()
        .map(|message| message.text.as_str())
        .collect()
}

fn gates(events: &[Event]) -> Vec<Gate> {
    let gates = events.iter().filter_map(|event| match &event.kind {
        Kind::Stopping { gate, .. } => Some(*gate),
        _ => None,
    });
    gates.collect()
}

fn holds_none_of(events: &[Event], words: &[&str]) {
    let all = serde_json::to_string(events).unwrap();
    for word in words {
        assert!(!all.contains(word), "{word} in {all}");
    }
}

#[tokio::test(start_paused = true)]
async fn of_a_message_that_is_not_for_the_bot_the_length_and_the_gate_are_kept() {
    let (bot, events) = after_three("").await;
    holds_none_of(&events, NOT_KEPT);
    assert_eq!(texts(&events), ["", "", "are you there?"]);
    let omitted: Vec<_> = received(&events).iter().map(|message| message.omitted).collect();
    let of = |bytes, files| Some(OmittedContent { bytes, files });
    assert_eq!(omitted, [of(14, 1), of(17, 0), None]);
    assert_eq!(gates(&events), [Gate::NotMentioned, Gate::SenderNotAllowed]);
    let stranger = &received(&events)[1].sender;
    assert_eq!(stranger.id.as_str(), "mallory", "an operator can let them in");
    let summaries: Vec<_> = events
        .iter()
        .map(|event| foldback_store::row(event, None).summary)
        .collect();
    let told = "alice: text not kept (store.keep_unaddressed; 14 B, 1 file)";
    assert!(summaries.iter().any(|summary| summary == told), "{summaries:#?}");
    assert_eq!(bot.screen(platform::SLACK), ["Here."]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn all_of_it_is_kept_where_the_setting_says_so() {
    let (bot, events) = after_three("[store]\nkeep_unaddressed = true\n").await;
    assert_eq!(
        texts(&events),
        ["between us two", "let me in, please", "are you there?"]
    );
    assert!(received(&events).iter().all(|message| message.omitted.is_none()));
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_message_that_comes_while_the_process_ends_is_judged_and_one_for_the_bot_waits_for_the_next_start()
{
    let bot = Bot::with(SLACK).await;
    bot.says([foldback_agents::Act::Stall(200_000).into()]);
    let running = bot.user(platform::DISCORD, "hi").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let slack = Arc::clone(&bot.loopbacks[&platform::SLACK]);
    let messages = three(&bot);
    let write = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        for message in messages {
            slack.inject(message).unwrap();
        }
    };
    let (ended, ()) = tokio::join!(bot.engine.shutdown(Duration::from_secs(10)), write);
    ended.unwrap();
    drop(running);
    let events = bot.events().await;
    holds_none_of(&events, NOT_KEPT);
    assert_eq!(gates(&events), [Gate::NotMentioned, Gate::SenderNotAllowed]);

    let bot = Bot::answering(bot.into_world(), SLACK, Rules::all(), [text("Here.")]).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(bot.screen(platform::SLACK), ["Here."]);
    bot.check().await;
}

/// A world in which a process ended between the message of somebody unknown and what follows from it.
async fn world_with_an_open_turn() -> World {
    let world = World::new();
    let turn = TurnId(world.journal.reserve().await.unwrap().turn);
    let id = world.loopbacks[&platform::SLACK].mint(&"c1".into());
    let mut message = from_alice(platform::SLACK, id, "let me in, please", world.clock.now());
    message.omit_content();
    let draft = Draft {
        at: message.at,
        turn: Some(turn),
        session: None,
        channel: Some("slack".into()),
        kind: Kind::Received {
            message: Box::new(message),
        },
    };
    world.journal.append(vec![draft]).unwrap();
    world.journal.flush().await.unwrap();
    world
}

#[tokio::test(start_paused = true)]
async fn somebody_unknown_gets_a_code_after_a_crash_although_the_text_is_gone() {
    let bot = Bot::in_world(world_with_an_open_turn().await, PAIRING, Rules::all()).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let said = bot.screen(platform::SLACK);
    assert!(said.len() == 1 && said[0].contains("Show this code"), "{said:?}");
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn who_was_let_in_since_a_crash_is_asked_for_no_answer_to_a_text_that_is_gone() {
    let bot = Bot::in_world(world_with_an_open_turn().await, SLACK, Rules::all()).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let kinds = bot.kinds().await;
    let stop = kinds.iter().find_map(|kind| match kind {
        Kind::Stopping { gate, setting, .. } => Some((*gate, setting.as_deref())),
        _ => None,
    });
    assert_eq!(stop, Some((Gate::EmptyMessage, Some("store.keep_unaddressed"))));
    let gate = Gate::EmptyMessage;
    assert!(kinds.contains(&Kind::TurnEnded {
        terminal: Terminal::Blocked { gate }
    }));
    bot.check().await;
}

/// A platform that begins with data that nobody can read.
struct Garbled(Arc<Loopback>);

#[async_trait]
impl ChannelAdapter for Garbled {
    fn capabilities(&self) -> &Capabilities {
        self.0.capabilities()
    }

    async fn connect(&self, connection: &Connection) -> ConnectionEnd {
        let garbled = Unreadable {
            part: "message",
            error: "missing field `ts`".into(),
            bytes: 29,
            raw: "{\"text\":\"between us two\"}".into(),
        };
        let _ = connection.sink().send(Signal::Unreadable(garbled)).await;
        self.0.connect(connection).await
    }

    async fn fetch(&self, chat: &ChatId, file: &Attachment, limit: u64) -> Result<Vec<u8>, Refusal> {
        self.0.fetch(chat, file, limit).await
    }

    async fn perform(&self, call: Call) -> Result<Ack, Refusal> {
        self.0.perform(call).await
    }
}

async fn unreadable(settings: &str) -> UnreadablePart {
    let bot = Bot::through(platform::SLACK, settings, Garbled).await;
    let part = bot.kinds().await.into_iter().find_map(|kind| match kind {
        Kind::Unreadable(part) => Some(part),
        _ => None,
    });
    part.expect("an event")
}

#[tokio::test(start_paused = true)]
async fn of_what_cannot_be_read_the_size_and_the_reason_are_kept() {
    let part = unreadable("").await;
    let UnreadablePart {
        error, bytes, raw, ..
    } = part;
    assert_eq!(
        (error.as_str(), bytes, raw.as_str()),
        ("missing field `ts`", 29, "")
    );
    let part = unreadable("[store]\nkeep_unaddressed = true\n").await;
    assert_eq!(part.raw, "{\"text\":\"between us two\"}");
}
