//! Slash commands.

use crate::place::{DIRECT, Place, ROOM, SIGNING_SECRET, TOKEN, adapter, socket_mode, webhooks};
use crate::shared::run::{Run, until};
use foldback_channels::{MenuCommand, Slack, SlackEvents};
use foldback_wire::{ChannelState, ChatType};
use std::sync::Arc;

fn with_menu(place: &Place, events: SlackEvents) -> Arc<Slack> {
    let command = MenuCommand {
        name: "send".into(),
        about: "Sets it.".into(),
        words: "on | off".into(),
    };
    let slack = adapter(&place.server.root(), TOKEN, events, place.dir.path()).unwrap();
    let Ok(slack) = Arc::try_unwrap(slack) else {
        panic!("nobody else has it")
    };
    Arc::new(slack.offering(vec![command]))
}

#[tokio::test]
async fn a_command_comes_in_as_a_message_for_the_bot_and_is_confirmed() {
    let place = Place::open().await;
    let adapter = with_menu(&place, socket_mode());
    let mut run = Run::of(&adapter);
    run.until(ChannelState::Up).await;
    for (room, kind, command, text, expected) in [
        (ROOM, ChatType::Group, "/send", "off", "/send off"),
        (DIRECT, ChatType::Direct, "/send", "", "/send"),
        (
            ROOM,
            ChatType::Group,
            "/foldback",
            "think high &amp; go",
            "/think high & go",
        ),
        (ROOM, ChatType::Group, "/foldback", "/status", "/status"),
        (ROOM, ChatType::Group, "/foldback", "", "/help"),
    ] {
        let id = place.server.use_command(room, command, text);
        let message = run.message().await;
        assert_eq!(message.text, expected);
        assert_eq!((message.chat_type, message.mentioned), (kind, true));
        assert_eq!(message.message.as_str(), id);
        assert_eq!(
            (message.chat.as_str(), message.sender.id.as_str()),
            (room, "U0ANA0001")
        );
    }
    until(|| place.server.unconfirmed() == 0).await;
    run.end().await;
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn a_command_that_comes_as_a_webhook_is_a_form() {
    let place = Place::open().await;
    let adapter = with_menu(&place, webhooks());
    let mut run = Run::of(&adapter);
    let at = run.address().await;
    place.server.use_command(ROOM, "/send", "off & on = ü");
    let (delivered, message) = tokio::join!(place.server.deliver(at, SIGNING_SECRET), run.message());
    assert_eq!(message.text, "/send off & on = ü");
    assert_eq!(delivered[0].status, 200);
    run.end().await;
}
