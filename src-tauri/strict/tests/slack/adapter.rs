//! What the adapter sends.

use crate::flagged::flagged;
use crate::place::{DIRECT, Place, ROOM, ana, webhooks};
use crate::shared::calls::{file, reply, said, target, voice, voice_reply};
use crate::shared::run::until;
use crate::shared::sent::sent_file;
use foldback_channels::contract::{Subject, check};
use foldback_wire::{FileKind, MessageFlags, MessageId, Operation, RefusalCode, Timestamp};
use serde_json::json;

#[tokio::test]
async fn it_keeps_the_contract() {
    for events in [None, Some(webhooks())] {
        let place = match events {
            None => Place::open().await,
            Some(events) => Place::receiving(events).await,
        };
        let theirs = place.server.write(ROOM, ana("hi"));
        let target = target(ROOM, None);
        let nobodys = "1600000000.000001";
        let subject = Subject::new(
            place.adapter.clone(),
            target,
            theirs.into(),
            nobodys.into(),
            "a.ogg",
        );
        let sent = place.server.keep(b"hello");
        let subject = subject.with_sent(sent_file(&sent), *b"hello", "F0GONE");
        check(&subject).await.unwrap();
    }
}

#[tokio::test]
async fn text_is_shown_in_its_markup_and_breaks_no_rule() {
    let place = Place::open().await;
    let ack = place
        .send("**Hi** `a < b` & [here](https://e.org/?a=1&b=2)\n\n- one\n- two")
        .await
        .unwrap();
    let (id, message) = place.server.messages(ROOM).pop().unwrap();
    let sent_at = Timestamp(id.replace('.', "")[..13].parse().unwrap());
    assert_eq!(ack.sent_at, Some(sent_at), "the time that is its id");
    assert_eq!(ack.message, Some(id.into()));
    assert_eq!(
        message.raw,
        "*Hi* `a &lt; b` &amp; <https://e.org/?a=1&amp;b=2|here>\n\n• one\n• two"
    );
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn whatever_an_agent_writes_breaks_no_rule_and_calls_nobody() {
    let place = Place::open().await;
    for text in [
        "<!everyone> <!channel> <!here> <@U0ANA0001> <#C1|x>",
        "[all](!everyone) [you](@U0ANA0001) [x](<!here>) [y](&#33;channel)",
        "<!subteam^S1> <!date^1^{date}|x> <mailto:a@e.org|x>",
        "@everyone @channel @here",
        "</b> <script>x</script> &amp; &lt; &bogus;",
        "> quote\n> > nested <b>\n\n```rust\"><i>\nlet a = \"<&>\";\n```",
        "| a | b |\n| - | - |\n| <!here> | &amp; |",
        "**unclosed *and [odd](javascript:\"'<>|) ~~x",
        "[bar](https://e.org/a|b) <https://e.org/<x>>",
    ] {
        let ack = place.send(text).await.unwrap();
        assert_eq!(ack.warning, None, "{text}");
        assert_eq!(place.last().calls, [""; 0], "{text}: {}", place.last().raw);
    }
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn an_answer_opens_a_thread_or_goes_into_the_one_there_is() {
    let place = Place::open().await;
    let theirs = place.server.write(ROOM, ana("hi"));
    let ack = place.perform(reply("yes", &theirs)).await.unwrap();
    assert_eq!((place.last().thread.as_ref(), ack.warning), (Some(&theirs), None));
    let within = ack.message.unwrap();
    // Slack wants the thread's first message, whichever of it is answered.
    place.perform(reply("more", within.as_str())).await.unwrap();
    assert_eq!(place.last().thread.as_ref(), Some(&theirs));
    place
        .perform_in(ROOM, Some(&theirs), said("again"))
        .await
        .unwrap();
    assert_eq!(place.last().thread.as_ref(), Some(&theirs));
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn a_direct_message_is_written_to() {
    let place = Place::open().await;
    place.perform_in(DIRECT, None, said("x")).await.unwrap();
    assert_eq!(place.server.messages(DIRECT).len(), 1);
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn an_answer_to_nothing_is_not_sent_and_one_whose_thread_vanished_warns() {
    let place = Place::open().await;
    let gone = place.server.write(ROOM, ana("hi"));
    place.server.remove(ROOM, &gone);
    let refusal = place.perform(reply("yes", &gone)).await.unwrap_err();
    assert_eq!((refusal.code, refusal.maybe_done), (RefusalCode::Gone, false));
    assert_eq!(place.server.messages(ROOM), []);
    let ack = place.perform_in(ROOM, Some(&gone), said("yes")).await.unwrap();
    assert!(ack.warning.unwrap().contains("outside the thread"));
    assert_eq!(place.last().thread, None);
}

#[tokio::test]
async fn a_message_without_previews_says_so() {
    let place = Place::open().await;
    let flags = MessageFlags {
        suppress_embeds: true,
        ..MessageFlags::default()
    };
    for (operation, no_previews) in [
        (flagged(said("https://e.org"), &flags), true),
        (said("https://e.org"), false),
    ] {
        place.perform(operation).await.unwrap();
        assert_eq!(place.last().no_previews, no_previews);
    }
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn what_one_person_may_see_is_shown_to_nobody_else() {
    let place = Place::open().await;
    let theirs = place.server.write(ROOM, ana("hi"));
    let only_for = |user: &str| MessageFlags {
        only_for: Some(user.into()),
        ..MessageFlags::default()
    };
    let to_ana = only_for("U0ANA0001");
    let ack = place
        .perform(flagged(reply("**For** you", &theirs), &to_ana))
        .await
        .unwrap();
    assert!(ack.message.is_some());
    assert!(ack.warning.unwrap().contains("opens no thread"));
    let within = place
        .perform_in(ROOM, Some(&theirs), flagged(said("here"), &to_ana))
        .await
        .unwrap();
    assert_eq!(within.warning, None);
    let shown: Vec<_> = place
        .server
        .ephemeral(ROOM)
        .into_iter()
        .map(|posted| (posted.raw, posted.only_for, posted.thread))
        .collect();
    let to = || Some("U0ANA0001".to_owned());
    assert_eq!(
        shown,
        [
            ("*For* you".to_owned(), to(), None),
            ("here".to_owned(), to(), Some(theirs))
        ]
    );
    for operation in [file("a.txt", FileKind::File, None), voice("a.ogg")] {
        let refusal = place.perform(flagged(operation, &to_ana)).await.unwrap_err();
        assert_eq!(refusal.code, RefusalCode::Unsupported);
    }
    assert_eq!(
        place.server.messages(ROOM).len(),
        1,
        "what was written to the bot"
    );
    assert_eq!(place.server.broken(), []);
    let refusal = place
        .perform(flagged(said("x"), &only_for("U0NOBODY01")))
        .await
        .unwrap_err();
    assert_eq!(
        (refusal.code, refusal.maybe_done),
        (RefusalCode::Forbidden, false)
    );
}

#[tokio::test]
async fn edits_and_removals() {
    let place = Place::open().await;
    let message = place.send("well").await.unwrap().message.unwrap();
    let edit = |text: &str| {
        place.perform(Operation::EditText {
            message: message.clone(),
            text: text.into(),
            flags: MessageFlags::default(),
        })
    };
    edit("**better**").await.unwrap();
    edit("**better**").await.unwrap();
    assert_eq!((place.last().raw.as_str(), place.last().edits), ("*better*", 1));
    let theirs: MessageId = place.server.write(ROOM, ana("mine")).into();
    for operation in [
        Operation::EditText {
            message: theirs.clone(),
            text: "x".into(),
            flags: MessageFlags::default(),
        },
        Operation::Delete { message: theirs },
    ] {
        let refusal = place.perform(operation).await.unwrap_err();
        assert_eq!(
            (refusal.code, refusal.maybe_done),
            (RefusalCode::Forbidden, false)
        );
    }
    let delete = Operation::Delete { message };
    place.perform(delete.clone()).await.unwrap();
    assert_eq!(place.server.messages(ROOM).len(), 1);
    assert_eq!(place.perform(delete).await.unwrap_err().code, RefusalCode::Gone);
}

#[tokio::test]
async fn reactions_are_names() {
    let place = Place::open().await;
    let theirs = place.server.write(ROOM, ana("hi"));
    let react = |emoji_sent: &str| {
        place.perform(Operation::React {
            message: theirs.as_str().into(),
            emoji: "👍".into(),
            emoji_sent: emoji_sent.into(),
        })
    };
    assert!(!react("thumbsup").await.unwrap().unchanged);
    assert!(react("thumbsup").await.unwrap().unchanged, "it was there");
    assert!(!react(":thumbsup::skin-tone-3:").await.unwrap().unchanged);
    let names: Vec<_> = place.last().reactions.into_iter().collect();
    assert_eq!(names, ["thumbsup", "thumbsup::skin-tone-3"]);
    place.server.add_emoji("partyparrot");
    assert!(!react("partyparrot").await.unwrap().unchanged);
    assert_eq!(place.server.broken(), []);
    let refusal = react("no_such_emoji").await.unwrap_err();
    assert_eq!(refusal.code, RefusalCode::Unsupported);
    assert!(refusal.detail.contains("no such emoji"), "{refusal}");
}

#[tokio::test]
async fn files_go_in_three_steps_and_are_found_again() {
    let place = Place::open().await;
    for (chat, asks) in [(ROOM, 0), (ROOM, 1), (DIRECT, 4)] {
        place.server.reveal_files_after(asks);
        let ack = place
            .perform_in(
                chat,
                None,
                file("a.txt", FileKind::File, Some("**The** <report>")),
            )
            .await
            .unwrap();
        let (id, posted) = place.server.messages(chat).pop().unwrap();
        assert_eq!((ack.message, ack.warning), (Some(id.into()), None));
        assert_eq!(posted.raw, "*The* &lt;report&gt;");
        let file = posted.file.unwrap();
        assert_eq!(
            (file.name.as_str(), file.bytes.as_slice()),
            ("a.txt", &b"hello"[..])
        );
    }
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn files_and_voice_go_into_threads() {
    let place = Place::open().await;
    let theirs = place.server.write(ROOM, ana("hi"));
    let answer = Operation::SendFile {
        path: "a.txt".into(),
        kind: FileKind::File,
        caption: None,
        reply_to: Some(theirs.as_str().into()),
        checked: None,
        flags: MessageFlags::default(),
    };
    let voice = voice("a.ogg");
    for (thread, operation, name) in [(None, answer, "a.txt"), (Some(theirs.as_str()), voice, "a.ogg")] {
        let ack = place.perform_in(ROOM, thread, operation).await.unwrap();
        assert_eq!(ack.warning, None);
        let posted = place.last();
        assert_eq!((posted.thread.as_ref(), posted.raw.as_str()), (Some(&theirs), ""));
        assert_eq!(posted.file.unwrap().name, name);
    }
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn a_voice_note_answers_a_message() {
    let place = Place::open().await;
    let theirs = place.server.write(ROOM, ana("hi"));
    place.perform(voice_reply("a.ogg", &theirs)).await.unwrap();
    assert_eq!(place.last().thread, Some(theirs));
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn a_file_that_cannot_be_found_again_is_sent_all_the_same() {
    let place = Place::open().await;
    place.server.reveal_files_after(1_000);
    let ack = place.perform(file("a.txt", FileKind::File, None)).await.unwrap();
    assert_eq!(ack.message, None);
    assert!(
        ack.warning
            .unwrap()
            .contains("which message shows it is not known")
    );
    place.server.take_scope("files:read");
    let ack = place.perform(file("a.txt", FileKind::File, None)).await.unwrap();
    assert!(ack.warning.unwrap().contains("the app lacks files:read"));
    assert_eq!(place.server.messages(ROOM).len(), 2);
}

#[tokio::test]
async fn the_bots_own_messages_do_not_come_back() {
    let place = Place::open().await;
    let mut run = place.running().await;
    place.send("mine").await.unwrap();
    place.server.tell(
        &json!({"type": "message", "channel": ROOM, "channel_type": "channel",
        "user": "U0FOLDBACK", "text": "echo", "ts": "1700000099.000001"}),
    );
    place.server.write(ROOM, ana("yours"));
    assert_eq!(run.message().await.text, "yours");
    until(|| place.server.unconfirmed() == 0).await;
    run.end().await;
}
