//! What comes in.

use crate::place::{DIRECT, Place, ROOM, THREAD};
use crate::shared::run::Run;
use foldback_channels::Signal;
use foldback_strict::Mishap;
use foldback_strict::discord::{DiscordServer, Order};
use foldback_wire::{ChannelState, ChatType};
use serde_json::{Value, json};

fn bot() -> Value {
    json!({"id": DiscordServer::BOT.to_string(), "username": "foldback", "discriminator": "0", "bot": true})
}

#[tokio::test]
async fn a_direct_message_comes_in() {
    let place = Place::open().await;
    let mut run = Run::of(&place.adapter);
    assert_eq!(run.until(ChannelState::Up).await, "connected as foldback");
    let id = place.server.write(DIRECT, &json!({"content": "Hello"}));
    let message = run.message().await;
    assert_eq!(
        (
            message.message.to_string(),
            message.chat.to_string(),
            message.text.as_str(),
            message.at.to_string().as_str()
        ),
        (
            id.to_string(),
            DIRECT.to_string(),
            "Hello",
            "2023-11-14T22:13:20.000Z"
        )
    );
    assert_eq!(
        (
            message.sender.id.as_str(),
            message.sender.name.as_str(),
            message.sender.display_name.as_str(),
            message.sender.is_bot
        ),
        ("42", "ana", "Ana Lima", false)
    );
    assert_eq!(
        (message.chat_type, message.thread, message.mentioned),
        (ChatType::Direct, None, false)
    );
    run.end().await;
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn channels_threads_and_mentions() {
    let place = Place::open().await;
    let mut run = Run::up(&place.adapter).await;
    let answer = json!({
        "content": "yes", "type": 19,
        "message_reference": {"message_id": "5", "channel_id": ROOM.to_string(), "guild_id": "900"},
        "referenced_message": {
            "id": "5", "channel_id": ROOM.to_string(), "content": "well?", "author": bot(), "type": 0,
            "timestamp": "2023-11-14T22:13:20Z", "edited_timestamp": null, "tts": false, "mention_everyone": false,
            "mentions": [], "mention_roles": [], "attachments": [], "embeds": [], "pinned": false,
        },
    });
    let named = json!({"content": format!("<@{}> hi", DiscordServer::BOT), "mentions": [bot()]});
    let somebody = json!({"content": "<@43> hi", "mentions": [{"id": "43", "username": "bob"}]});
    let everyone = json!({"content": "@everyone", "mention_everyone": true});
    let nick = json!({"content": "x", "member": {"roles": [], "nick": "Ana from sales", "deaf": false, "mute": false}});
    for (message, mentioned, reply_to, name) in [
        (json!({"content": "plain"}), false, None, "Ana Lima"),
        (named, true, None, "Ana Lima"),
        (answer, true, Some("5"), "Ana Lima"),
        (somebody, false, None, "Ana Lima"),
        (everyone, false, None, "Ana Lima"),
        (nick, false, None, "Ana from sales"),
    ] {
        for (channel, thread) in [(ROOM, None), (THREAD, Some(THREAD))] {
            place.server.write(channel, &message);
            let inbound = run.message().await;
            assert_eq!(
                (inbound.chat_type, inbound.chat.to_string()),
                (ChatType::Group, ROOM.to_string())
            );
            assert_eq!(inbound.thread, thread.map(|id: u64| id.to_string().into()));
            assert_eq!(inbound.mentioned, mentioned, "{message}");
            assert_eq!(inbound.reply_to, reply_to.map(Into::into), "{message}");
            assert_eq!(inbound.sender.display_name, name);
        }
    }
    assert_eq!(
        place.server.calls(),
        3,
        "the gateway, and each channel once to know whether it is a thread"
    );
    assert_eq!(place.server.broken(), []);
}

/// A message that passes on others: what those say stands in their snapshots, and nothing of it in the message.
/// <https://discord.com/developers/docs/resources/message#message-snapshot-object>
fn passing_on(snapshots: &[Value]) -> Value {
    let snapshots: Vec<_> = snapshots
        .iter()
        .map(|said| {
            let mut message = json!({
                "type": 0, "content": "", "embeds": [], "attachments": [], "flags": 0, "components": [],
                "timestamp": "2023-11-14T22:00:00.000000+00:00", "edited_timestamp": null, "mentions": [],
                "mention_roles": [],
            });
            for (name, value) in said.as_object().into_iter().flatten() {
                message[name] = value.clone();
            }
            json!({"message": message})
        })
        .collect();
    json!({
        "content": "", "flags": 1 << 14, "message_snapshots": snapshots,
        "message_reference": {"type": 1, "message_id": "5", "channel_id": ROOM.to_string(), "guild_id": "900"},
    })
}

#[tokio::test]
async fn what_is_passed_on_is_marked_so_and_comes_with_its_files() {
    let place = Place::open().await;
    let mut run = Run::up(&place.adapter).await;
    let picture = json!({"id": "1", "filename": "a.png", "content_type": "image/png", "size": 7, "url": "u", "proxy_url": "u"});
    let wave = json!({"id": "1", "name": "wave", "format_type": 1});
    let called = json!({"content": format!("<@{}> yes", DiscordServer::BOT), "mentions": [bot()]});
    for (snapshots, text, files) in [
        (vec![json!({"attachments": [picture]})], "", vec!["a.png"]),
        (vec![json!({"sticker_items": [wave]})], "", vec!["wave.png"]),
        (
            vec![
                json!({"content": "one", "attachments": [picture]}),
                json!({}),
                json!({"content": "two"}),
            ],
            "one\n\ntwo",
            vec!["a.png"],
        ),
        (vec![called.clone()], called["content"].as_str().unwrap(), vec![]),
    ] {
        place.server.write(ROOM, &passing_on(&snapshots));
        let message = run.message().await;
        let names: Vec<_> = message.files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!((message.text.as_str(), names), (text, files));
        assert!(message.forwarded && !message.mentioned && message.reply_to.is_none());
        assert_eq!(message.sender.id.as_str(), "42");
    }
    place.server.write(ROOM, &passing_on(&[json!({})]));
    place.server.write(ROOM, &json!({"content": "mine"}));
    let message = run.message().await;
    assert_eq!(
        (message.text.as_str(), message.forwarded),
        ("mine", false),
        "what is empty is passed over"
    );
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn the_role_that_a_server_keeps_for_the_bot_is_its_name_too() {
    let place = Place::open().await;
    let mut run = Run::up(&place.adapter).await;
    let own = json!({"id": "77", "tags": {"bot_id": DiscordServer::BOT.to_string()}});
    let roles = json!([own, {"id": "78", "tags": {"bot_id": "1"}}, {"id": "79"}, {"id": 5}]);
    place
        .server
        .dispatch("GUILD_CREATE", json!({"id": "900", "roles": roles}));
    for (role, mentioned) in [("77", true), ("78", false), ("79", false)] {
        let text = format!("<@&{role}> hi");
        place
            .server
            .write(ROOM, &json!({"content": text, "mention_roles": [role]}));
        assert_eq!(run.message().await.mentioned, mentioned, "{role}");
    }
}

#[tokio::test]
async fn files_and_stickers_come_with_what_is_said() {
    let place = Place::open().await;
    let mut run = Run::up(&place.adapter).await;
    let files = json!([
        {"id": "1", "filename": "a.pdf", "content_type": "application/pdf", "size": 7, "url": "u", "proxy_url": "u"},
        {"id": "2", "filename": "b", "size": 4_000_000_000_u32, "url": "u", "proxy_url": "u"},
    ]);
    place.server.write(DIRECT, &json!({"attachments": files}));
    let stickers =
        json!([{"id": "1", "name": "wave", "format_type": 1}, {"id": "2", "name": "hop", "format_type": 4}]);
    place.server.write(DIRECT, &json!({"sticker_items": stickers}));
    let files = run.message().await.files;
    let found: Vec<_> = files
        .iter()
        .map(|f| {
            (
                f.name.as_str(),
                f.media_type.as_str(),
                f.size,
                f.source.as_deref(),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            ("a.pdf", "application/pdf", Some(7), Some("u")),
            ("b", "application/octet-stream", Some(4_000_000_000), Some("u"))
        ]
    );
    let stickers = run.message().await.files;
    let found: Vec<_> = stickers
        .iter()
        .map(|f| {
            (
                f.name.as_str(),
                f.media_type.as_str(),
                f.source.as_deref().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            (
                "wave.png",
                "image/png",
                "https://cdn.discordapp.com/stickers/1.png"
            ),
            (
                "hop.gif",
                "image/gif",
                "https://media.discordapp.net/stickers/2.gif"
            )
        ]
    );
}

#[tokio::test]
async fn what_is_no_message_to_the_bot_is_passed_over() {
    let place = Place::open().await;
    let mut run = Run::up(&place.adapter).await;
    place.send("my own").await.unwrap();
    let message = |with: Value| place.server.write(ROOM, &with);
    message(json!({"content": "own", "author": bot()}));
    // Somebody joined, something was pinned, a thread was opened, the start of one.
    for kind in [7, 6, 18, 21, 200] {
        message(json!({"type": kind, "content": "x"}));
    }
    message(json!({"content": ""}));
    message(json!({"content": 5}));
    let reaction =
        json!({"user_id": "42", "channel_id": ROOM.to_string(), "message_id": "1", "emoji": {"name": "👍"}});
    place.server.dispatch("MESSAGE_REACTION_ADD", reaction);
    place.server.dispatch("TYPING_START", json!({}));
    place.server.dispatch("SOMETHING_NEW", json!([1, 2, 3]));
    message(json!({"content": "hello"}));
    assert_eq!(run.message().await.text, "hello");
}

#[tokio::test]
async fn an_unfamiliar_value_loses_no_message() {
    let place = Place::open().await;
    let mut run = Run::up(&place.adapter).await;
    let author = json!({
        "id": "42", "username": "ana", "global_name": "Ana Lima", "discriminator": "0", "bot": false,
        "avatar": "no hash at all", "public_flags": -1,
        "avatar_decoration_data": {"asset": "v2_of_something_else", "sku_id": null, "expires_at": "never"},
    });
    for strange in [
        json!({"author": author}),
        json!({"application": {"id": "1"}}),
        json!({"embeds": [{"type": "rich", "color": -1}]}),
        json!({"flags": -1, "nonce": {"of": "a new kind"}, "components": [{"type": 999}], "poll": 5}),
        json!({"timestamp": "yesterday", "edited_timestamp": 7, "activity": [], "interaction_metadata": "?"}),
        json!({"member": {"roles": "?", "nick": null, "joined_at": 5}}),
    ] {
        let mut message = strange;
        message["content"] = "Hello".into();
        place.server.write(DIRECT, &message);
        let (read, unread) = run.message_and_unread().await;
        assert_eq!((read.text.as_str(), unread), ("Hello", vec![]), "{message}");
        assert_eq!(read.sender.display_name, "Ana Lima");
    }
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn parts_that_cannot_be_read_are_told_and_the_rest_comes_in() {
    let place = Place::open().await;
    let mut run = Run::up(&place.adapter).await;
    let file = json!({"id": "1", "filename": "a.pdf", "size": 7, "url": "u"});
    place.server.write(
        DIRECT,
        &json!({"content": "one", "attachments": [{"filename": 5}, file], "mentions": "all"}),
    );
    let (message, unread) = run.message_and_unread().await;
    assert_eq!((message.text.as_str(), message.files.len()), ("one", 1));
    assert_eq!(
        unread,
        [
            ("attachment", r#"{"filename":5}"#.to_owned()),
            ("mention", "\"all\"".to_owned())
        ]
    );
    // A message without its author is none.
    place
        .server
        .write(DIRECT, &json!({"content": "two", "author": null}));
    place.server.write(DIRECT, &json!({"content": "three"}));
    let (message, unread) = run.message_and_unread().await;
    assert_eq!((message.text.as_str(), unread[0].0), ("three", "message"));
    place.server.order(Order::Garble);
    let garbled = loop {
        if let Signal::Unreadable(garbled) = run.next().await {
            break garbled;
        }
    };
    assert_eq!(
        (garbled.part, garbled.raw.as_str(), garbled.bytes),
        ("gateway payload", r#"{"op":"zero"}"#, 13)
    );
    place.server.write(DIRECT, &json!({"content": "four"}));
    assert_eq!(run.message().await.text, "four");
    assert_eq!(place.server.sessions(), (1, 0), "the connection stays");
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn a_webhook_is_a_bot() {
    let place = Place::open().await;
    let mut run = Run::up(&place.adapter).await;
    place
        .server
        .write(ROOM, &json!({"content": "deployed", "webhook_id": "77"}));
    assert!(run.message().await.sender.is_bot);
}

#[tokio::test]
async fn a_channel_that_cannot_be_looked_at_is_a_chat_like_any_other() {
    let place = Place::open().await;
    place.server.close_channel(THREAD, 50_001, "Missing Access");
    let mut run = Run::up(&place.adapter).await;
    place.server.write(THREAD, &json!({"content": "x"}));
    let message = run.message().await;
    assert_eq!(
        (message.chat.to_string(), message.thread),
        (THREAD.to_string(), None)
    );
}

#[tokio::test]
async fn a_channel_that_cannot_be_looked_up_in_passing_delays_the_message() {
    let place = Place::open().await;
    let mut run = Run::up(&place.adapter).await;
    place.server.plan("get_channel", Mishap::Failed);
    place.server.write(THREAD, &json!({"content": "x"}));
    let message = run.message().await;
    assert_eq!(message.thread, Some(THREAD.to_string().into()));
    assert_eq!(place.server.sessions(), (1, 1), "it was asked for again");
}

/// A resumed session would send it again, and the connection would break at it for ever.
#[tokio::test]
async fn an_event_of_more_than_ten_megabytes_ends_its_session() {
    let place = Place::open().await;
    let mut run = Run::up(&place.adapter).await;
    let write = |text: &str| place.server.write(DIRECT, &json!({"content": text}));
    let event = |bytes: usize| json!({"content": "x".repeat(bytes)});
    place.server.dispatch("PRESENCE_UPDATE", event(9_900_000));
    write("one");
    assert_eq!(run.message().await.text, "one");
    place.server.dispatch("PRESENCE_UPDATE", event(10_000_000));
    write("nobody is told");
    let why = run.until(ChannelState::Down).await;
    assert!(why.contains("longer than 10000000 bytes"), "{why}");
    run.until(ChannelState::Up).await;
    write("two");
    assert_eq!(run.message().await.text, "two");
    assert_eq!(place.server.sessions(), (2, 0));
}
