//! Application commands.

use crate::place::{DIRECT, Place, ROOM, THREAD, TOKEN, adapter};
use crate::shared::run::{Run, until};
use foldback_channels::{Discord, MenuCommand};
use foldback_wire::ChatType;
use serde_json::json;
use std::sync::Arc;

fn with_menu(place: &Place) -> Arc<Discord> {
    let command = |name: &str, words: &str| MenuCommand {
        name: name.into(),
        about: "Tells the state.".into(),
        words: words.to_owned(),
    };
    let discord = adapter(&place.server, TOKEN, place.dir.path());
    Arc::new(discord.offering(vec![command("status", ""), command("send", "on | off")]))
}

#[tokio::test]
async fn commands_are_set_at_the_start() {
    let place = Place::open().await;
    let run = Run::up(&with_menu(&place)).await;
    until(|| place.server.commands().len() == 2).await;
    let text = json!({"type": 3, "name": "text", "description": "What stands behind the command.", "required": false});
    assert_eq!(
        place.server.commands(),
        [
            json!({"name": "status", "description": "Tells the state.", "type": 1}),
            json!({"name": "send", "description": "Tells the state.", "type": 1, "options": [text]}),
        ]
    );
    run.end().await;
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn a_command_that_somebody_uses_is_answered_and_comes_in_as_a_message_for_the_bot() {
    let place = Place::open().await;
    let mut run = Run::up(&with_menu(&place)).await;
    for (channel, chat, thread, kind) in [
        (DIRECT, DIRECT, None, ChatType::Direct),
        (ROOM, ROOM, None, ChatType::Group),
        (THREAD, ROOM, Some(THREAD), ChatType::Group),
    ] {
        let id = place.server.use_command(channel, "send", Some("off"));
        let message = run.message().await;
        assert_eq!(message.text, "/send off");
        assert_eq!(message.message.to_string(), id.to_string());
        assert_eq!(message.chat.to_string(), chat.to_string());
        assert_eq!(
            message.thread.map(|thread| thread.to_string()),
            thread.map(|thread: u64| thread.to_string())
        );
        assert_eq!((message.chat_type, message.mentioned), (kind, true));
        assert_eq!(message.sender.id.as_str(), "42");
    }
    place.server.use_command(ROOM, "status", None);
    assert_eq!(run.message().await.text, "/status");
    assert_eq!(
        place.server.interaction_answers(),
        ["/send off", "/send off", "/send off", "/status"]
    );
    run.end().await;
    assert_eq!(place.server.broken(), []);
}
