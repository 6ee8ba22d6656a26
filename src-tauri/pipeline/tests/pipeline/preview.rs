//! The live preview: when it is edited, how it grows into further messages, what replaces it.

use crate::bot::{Bot, later, text, tool};
use foldback_channels::platform;
use foldback_channels::sim::{CallFailure, CallFault};
use foldback_wire::{Kind, OpKind, Terminal};

#[tokio::test(start_paused = true)]
async fn edits_keep_their_interval_and_the_latest_text_wins() {
    let bot = Bot::start().await;
    bot.says(std::iter::once(text("word")).chain((0..40).map(|_| later(100, " word"))));
    assert_eq!(bot.turn(platform::DISCORD, "hi").await, Terminal::Replied);
    let whole = ["word"; 41].join(" ");
    assert_eq!(bot.screen(platform::DISCORD), [whole.as_str()]);
    let edits = bot.calls(platform::DISCORD, OpKind::EditText);
    // 4,000 ms of text, a frame at 0: edits at 1,500 and 3,000, and the final one at 4,500.
    assert_eq!(edits.len(), 3);
    let times: Vec<_> = edits.iter().map(|e| e.at.0).collect();
    assert!(times.windows(2).all(|w| w[1] - w[0] >= 1_500), "{times:?}");
    let frames = bot.ever_shown(platform::DISCORD);
    assert!(frames.iter().all(|f| whole.starts_with(f.as_str())), "{frames:?}");
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn text_that_arrives_between_two_edits_is_shown_without_more_of_it() {
    let bot = Bot::start().await;
    bot.says([text("one"), later(200, " two"), later(10_000, " three")]);
    let turn = bot.user(platform::TELEGRAM, "hi").await;
    tokio::time::sleep(std::time::Duration::from_secs(5)).await;
    assert_eq!(bot.screen(platform::TELEGRAM), ["one two"]);
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_channel_that_cannot_edit_gets_the_message_once() {
    let bot = Bot::start().await;
    bot.says([text("one"), later(5_000, " two")]);
    assert_eq!(bot.turn(platform::SIGNAL, "hi").await, Terminal::Replied);
    assert_eq!(bot.ever_shown(platform::SIGNAL), ["one two"]);
    let waits = bot.kinds().await.into_iter().filter(|k| {
        matches!(k, Kind::Waiting { reason, .. }
        if reason.code() == "channel_cannot_edit")
    });
    assert_eq!(waits.count(), 1);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_long_answer_overflows_into_further_messages_in_the_channels_unit() {
    for platform in platform::ALL {
        let bot = Bot::start().await;
        let can = foldback_channels::profile(*platform);
        let sentence = "Grüße und 😀 für alle. ";
        let whole = sentence.repeat(1 + 2 * can.text_limit / can.unit.measure(sentence));
        let whole = whole.trim();
        let chunks: Vec<char> = whole.chars().collect();
        bot.says(
            chunks
                .chunks(50)
                .map(|c| later(30, &c.iter().collect::<String>())),
        );
        assert_eq!(bot.turn(*platform, "hi").await, Terminal::Replied);
        let screen = bot.screen(*platform);
        assert!(screen.len() >= 2, "{platform}");
        assert!(
            screen.iter().all(|m| can.unit.measure(m) <= can.text_limit),
            "{platform}"
        );
        assert_eq!(screen.join(" "), whole, "{platform}");
        bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_edit_that_fails_for_good_is_followed_by_the_whole_text_and_the_stale_one_goes() {
    let bot = Bot::start().await;
    let refused = CallFault {
        times: 99,
        ..CallFault::first(OpKind::EditText, CallFailure::Rejected)
    };
    bot.fault(platform::TELEGRAM, refused);
    bot.says([text("one"), later(2_000, " two"), later(2_000, " three")]);
    assert_eq!(bot.turn(platform::TELEGRAM, "hi").await, Terminal::Replied);
    assert_eq!(bot.screen(platform::TELEGRAM), ["one two three"]);
    assert_eq!(bot.calls(platform::TELEGRAM, OpKind::Delete).len(), 1);
    bot.check().await;
}

/// The agent speaks for twenty seconds, in two messages.
async fn speaks_on(fail: CallFailure, op: OpKind) -> (Bot, usize) {
    let bot = Bot::start().await;
    let refused = CallFault {
        times: 99,
        ..CallFault::first(op, fail)
    };
    bot.fault(platform::TELEGRAM, refused);
    let words = |from: u32| (from..from + 5).map(|n| later(2_000, &format!(" word {n}")));
    bot.says(words(0).chain([tool("t")]).chain(words(5)).collect::<Vec<_>>());
    bot.turn(platform::TELEGRAM, "hi").await;
    let live =
        |kind: &Kind| matches!(kind, Kind::Intended { intent, .. } if intent.live && intent.kind == op);
    let frames = bot.kinds().await.iter().filter(|kind| live(kind)).count();
    bot.check().await;
    (bot, frames)
}

#[tokio::test(start_paused = true)]
async fn a_frame_that_is_forbidden_is_the_last_one_of_the_turn() {
    let (bot, frames) = speaks_on(CallFailure::Forbidden, OpKind::SendText).await;
    assert_eq!(frames, 1);
    assert_eq!(
        bot.calls(platform::TELEGRAM, OpKind::SendText).len(),
        2,
        "and the first message is tried once, complete; the second is held with it"
    );
}

#[tokio::test(start_paused = true)]
async fn a_frame_that_is_refused_for_good_is_the_last_one_of_its_message() {
    let (bot, frames) = speaks_on(CallFailure::Rejected, OpKind::EditText).await;
    assert_eq!(frames, 2, "one of each message");
    let screen = bot.screen(platform::TELEGRAM);
    assert_eq!(
        screen,
        [
            "word 0 word 1 word 2 word 3 word 4",
            "word 5 word 6 word 7 word 8 word 9"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_first_frame_that_fails_loses_nothing() {
    let bot = Bot::start().await;
    bot.fault(
        platform::SLACK,
        CallFault::first(OpKind::SendText, CallFailure::Transient),
    );
    bot.says([text("one"), later(3_000, " two")]);
    assert_eq!(bot.turn(platform::SLACK, "hi").await, Terminal::Replied);
    assert_eq!(bot.screen(platform::SLACK), ["one two"]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn the_placeholder_becomes_the_answer() {
    let bot = Bot::with("[output]\nplaceholder = \"…\"\n").await;
    bot.says([later(1_000, "one"), later(3_000, " two")]);
    assert_eq!(bot.turn(platform::TELEGRAM, "hi").await, Terminal::Replied);
    assert_eq!(bot.ever_shown(platform::TELEGRAM), ["…", "one", "one two"]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_reply_is_sent_first_and_the_placeholder_goes_when_all_of_it_is_there() {
    let bot = Bot::with("[output]\nplaceholder = \"…\"\n").await;
    let long = "word ".repeat(1_000);
    bot.says([text("[[reply_to_current]]\n"), later(100, &long)]);
    let message = bot.message(platform::TELEGRAM, "hi");
    let id = message.message.clone();
    assert_eq!(
        bot.engine.submit(message).await.unwrap().ended().await,
        Some(Terminal::Replied)
    );
    let screen = bot.screen(platform::TELEGRAM);
    assert_eq!(screen.len(), 2);
    assert!(screen[0].starts_with(&format!("[to {id}] word")), "{screen:?}");
    assert!(!screen[1].starts_with('['), "only the first message is a reply");
    let last_send = bot.calls(platform::TELEGRAM, OpKind::SendText).last().unwrap().at;
    assert!(bot.calls(platform::TELEGRAM, OpKind::Delete)[0].at >= last_send);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_placeholder_of_a_silent_answer_is_removed_or_blanked() {
    for disable in ["", "[channels.telegram]\ndisable = [\"delete\"]\n"] {
        let bot = Bot::with(&format!("[output]\nplaceholder = \"…\"\n{disable}")).await;
        bot.says([later(1_000, "<no-reply/>")]);
        assert!(matches!(
            bot.turn(platform::TELEGRAM, "hi").await,
            Terminal::Silent { .. }
        ));
        let blank = if disable.is_empty() {
            vec![]
        } else {
            vec!["\u{200b}"]
        };
        assert_eq!(bot.screen(platform::TELEGRAM), blank);
        bot.check().await;
    }
}
