//! Parts of events: messages that others share, and parts that cannot be read.

use crate::place::{Place, ROOM, ana};
use crate::shared::run::Run;
use foldback_channels::Signal;
use foldback_strict::slack::SlackServer;
use serde_json::{Value, json};

/// A message that somebody shares, as Slack attaches it to the one that shares it.
fn shared(text: &str, files: &Value) -> Value {
    json!({
        "is_msg_unfurl": true, "is_share": true, "from_url": "https://e.slack.com/archives/C1/p1665615886364019",
        "ts": "1665615886.364019", "author_id": "U0BOB0001", "author_name": "bob", "channel_id": "C1",
        "fallback": format!("[October 12th, 2022 4:04 PM] bob: {text}"), "text": text, "mrkdwn_in": ["text"],
        "files": files, "footer": "Slack Conversation",
    })
}

#[tokio::test]
async fn what_is_shared_comes_with_its_text_and_files_and_is_marked_as_passed_on() {
    let place = Place::open().await;
    let mut run = Run::of(&place.adapter);
    let picture = json!([{"id": "F1", "name": "a.png", "mimetype": "image/png", "size": 7}]);
    let called = format!("<@{}> yes\n&lt;no&gt;", SlackServer::BOT);
    // A link that Slack only shows a preview of stands in the text.
    let preview =
        json!({"is_msg_unfurl": true, "text": "preview", "from_url": "https://e.slack.com/archives/C1/p1"});
    let unread = json!({"is_share": true, "text": null, "fallback": "[no preview available]", "files": null});
    for (comment, attached, text, files, forwarded) in [
        ("", vec![shared("yes", &json!([]))], "yes", vec![], true),
        ("", vec![shared("", &picture)], "", vec!["a.png"], true),
        (
            "look",
            vec![shared(&called, &picture)],
            "look\n\n> <@BOT> yes\n> <no>",
            vec!["a.png"],
            true,
        ),
        (
            "",
            vec![shared("one", &json!([])), shared("two", &json!([]))],
            "one\n\ntwo",
            vec![],
            true,
        ),
        ("", vec![unread], "[no preview available]", vec![], true),
        (
            "see https://e.slack.com",
            vec![preview],
            "see https://e.slack.com",
            vec![],
            false,
        ),
    ] {
        let mut event = ana(comment);
        event["attachments"] = attached.into();
        place.server.write(ROOM, event);
        let message = run.message().await;
        let names: Vec<_> = message.files.iter().map(|file| file.name.as_str()).collect();
        let text = text.replace("BOT", SlackServer::BOT);
        assert_eq!((message.text, names), (text, files));
        assert_eq!((message.forwarded, message.mentioned), (forwarded, false));
    }
    run.end().await;
}

#[tokio::test]
async fn a_frame_that_is_none_is_told() {
    let place = Place::open().await;
    let mut run = place.running().await;
    place.server.say(json!("no frame"));
    let garbled = loop {
        if let Signal::Unreadable(garbled) = run.next().await {
            break garbled;
        }
    };
    assert_eq!((garbled.part, garbled.raw.as_str()), ("frame", "\"no frame\""));
    run.end().await;
}

#[tokio::test]
async fn a_file_that_cannot_be_read_keeps_neither_the_others_nor_the_text_out() {
    let place = Place::open().await;
    let mut run = Run::of(&place.adapter);
    let mut event = ana("look");
    event["files"] = json!([{"id": "F1", "size": -1}, {"id": "F2", "name": "a.png", "size": 7}]);
    event["user_profile"] = json!({"real_name": 5});
    place.server.write(ROOM, event);
    let (message, unread) = run.message_and_unread().await;
    assert_eq!((message.text.as_str(), message.files.len()), ("look", 1));
    let parts: Vec<_> = unread.iter().map(|(part, _)| *part).collect();
    assert_eq!(parts, ["file", "user profile"]);
    run.end().await;
}
