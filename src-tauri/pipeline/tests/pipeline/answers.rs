//! What the user ends up with.

use crate::bot::{Bot, later, text, tool};
use foldback_agents::Act;
use foldback_channels::platform;
use foldback_wire::{Gate, Kind, SilentReason, StopReason, Terminal};

#[tokio::test(start_paused = true)]
async fn a_reaction_then_text_on_every_platform_with_reactions() {
    for platform in platform::ALL
        .iter()
        .filter(|platform| foldback_channels::profile(**platform).react.is_some())
    {
        let bot = Bot::start().await;
        bot.says([
            text("<actions>\n  <react em"),
            later(40, "oji=\"thumbsup\" />\n</actions>\nGreat"),
            later(40, " idea!"),
        ]);
        let message = bot.message(*platform, "How was my talk?");
        let id = message.message.clone();
        let turn = bot.engine.submit(message).await.unwrap();
        assert_eq!(turn.ended().await, Some(Terminal::Replied), "{platform}");
        assert_eq!(bot.screen(*platform), ["Great idea!"], "{platform}");
        let sent = if *platform == platform::SLACK {
            "+1"
        } else {
            "👍"
        };
        let reactions = bot.reactions(*platform, &id);
        assert!(
            reactions == [sent] || reactions == ["thumbsup"],
            "{platform}: {reactions:?}"
        );
        assert!(
            bot.ever_shown(*platform).iter().all(|t| !t.contains('<')),
            "{platform}"
        );
        bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn silence_says_nothing_and_directives_alone_neither() {
    let bot = Bot::start().await;
    for (answer, reason) in [
        ("<no-reply/>", SilentReason::NoReply),
        ("NO_REPLY", SilentReason::SilentToken),
        (
            "<actions><react emoji=\"eyes\"/></actions>",
            SilentReason::DirectivesOnly,
        ),
    ] {
        bot.says([text(answer)]);
        assert_eq!(
            bot.turn(platform::TELEGRAM, "hi").await,
            Terminal::Silent { reason }
        );
    }
    assert!(bot.screen(platform::TELEGRAM).is_empty());
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_with_nothing_in_it_gives_the_empty_text() {
    let bot = Bot::start().await;
    for answer in [vec![], vec![text("  \n")], vec![text("[[reply_to_current]]")]] {
        bot.says(answer);
        assert_eq!(bot.turn(platform::SIGNAL, "hi").await, Terminal::Replied);
    }
    let screen = bot.screen(platform::SIGNAL);
    assert_eq!(screen[..2], ["_(no response)_"; 2]);
    // Its header said whom it answers.
    let [.., reply] = screen.as_slice() else {
        panic!("nothing was said")
    };
    assert!(
        reply.starts_with("[to ") && reply.ends_with("] _(no response)_"),
        "{reply}"
    );
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_without_text_says_whether_the_model_refused_or_reached_its_limit() {
    let bot = Bot::with("[output]\nempty_text = \"\"\n").await;
    for reason in [StopReason::Refusal, StopReason::Length, StopReason::End] {
        bot.says([Act::Stop(reason).into()]);
        bot.turn(platform::TELEGRAM, "hi").await;
        bot.says([text("Some words."), Act::Stop(reason).into()]);
        bot.turn(platform::TELEGRAM, "hi").await;
    }
    let refused = "⚠️ The model refused to answer this.";
    let limit = "⚠️ The model reached its limit before it wrote an answer.";
    let said = "Some words.";
    assert_eq!(bot.screen(platform::TELEGRAM), [refused, said, limit, said, said]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn narration_is_shown_where_a_channel_edits_and_kept_back_where_it_does_not() {
    for (platform, expected) in [
        (platform::TELEGRAM, vec!["Let me look.", "Found it."]),
        (platform::WHATSAPP, vec!["Found it."]),
    ] {
        let bot = Bot::start().await;
        bot.says([text("Let me look."), tool("t1"), text("Found it.")]);
        assert_eq!(bot.turn(platform, "hi").await, Terminal::Replied);
        assert_eq!(bot.screen(platform), expected, "{platform}");
        let said = bot.kinds().await.into_iter().any(|k| {
            matches!(k, Kind::Passed { detail, .. }
            if detail.contains("narration"))
        });
        assert!(said, "the journal says what became of the narration");
        bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_gate_that_stops_says_why_and_what_would_change_it() {
    let bot =
        Bot::with("[channels.telegram]\nallow_from = [\"bob\"]\n[channels.slack]\nallow_from = []\n").await;
    let gate = Gate::SenderNotAllowed;
    assert_eq!(
        bot.turn(platform::TELEGRAM, "hi").await,
        Terminal::Blocked { gate }
    );
    let gate = Gate::ChannelClosed;
    assert_eq!(bot.turn(platform::SLACK, "hi").await, Terminal::Blocked { gate });
    let stops: Vec<_> = bot
        .kinds()
        .await
        .into_iter()
        .filter_map(|k| match k {
            Kind::Stopping { setting, inputs, .. } => Some((setting.unwrap(), inputs["sender"].clone())),
            _ => None,
        })
        .collect();
    let expected = ["channels.telegram.allow_from", "channels.slack.allow_from"];
    assert_eq!(stops, expected.map(|s| (s.to_owned(), "alice".to_owned())));
    bot.check().await;
}
