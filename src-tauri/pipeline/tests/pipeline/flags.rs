//! Flags of an answer's header: honoured where the platform has them, else told.

use crate::bot::{Bot, from_alice, killed, later, runtime, text};
use foldback_channels::{platform, profile};
use foldback_pipeline::Rules;
use foldback_wire::{
    ChatType, Clock, Code, Kind, MessageFlag, MessageFlags, OpKind, Operation, OutcomeCode, Platform,
    Terminal,
};
use std::time::Duration;

const ALL: &str = "[[silent:true]][[suppress_embeds:true]][[ephemeral:true]]";

/// The flags of every message that a platform was asked to send or edit, in order.
fn flags(bot: &Bot, platform: Platform) -> Vec<(OpKind, MessageFlags)> {
    let platform = bot.loopbacks[&platform].platform();
    let of = |operation: &Operation| match operation {
        Operation::SendText { flags, .. }
        | Operation::EditText { flags, .. }
        | Operation::SendFile { flags, .. }
        | Operation::SendVoice { flags, .. } => Some((operation.kind(), flags.clone())),
        _ => None,
    };
    platform
        .log()
        .filter_map(|record| of(&record.call.operation))
        .collect()
}

/// A message of Alice in a group.
async fn in_group(bot: &Bot, platform: Platform) -> Terminal {
    let mut message = from_alice(platform, "g1".into(), "hi", bot.clock.now());
    message.chat_type = ChatType::Group;
    let message = bot.loopbacks[&platform].platform().receive(message);
    let turn = bot.engine.submit(message).await.unwrap();
    turn.ended().await.unwrap()
}

async fn ignored(bot: &Bot) -> Vec<String> {
    let told = |kind| match kind {
        Kind::Diagnosed { diagnostic, .. } if diagnostic.code == Code::UnsupportedOnChannel => {
            Some(diagnostic.message)
        }
        _ => None,
    };
    bot.kinds().await.into_iter().filter_map(told).collect()
}

#[tokio::test(start_paused = true)]
async fn a_flag_goes_with_every_message_or_is_told() {
    for platform in platform::ALL {
        let bot = Bot::start().await;
        std::fs::write(bot.send_dir.join("a.txt"), "text").unwrap();
        let can = profile(*platform);
        let file = can
            .file_limit
            .map_or("", |_| "<actions><send-file path=\"a.txt\"/></actions>");
        bot.says([
            text(&format!("[[silent:true]][[suppress_embeds:true]]{file}One ")),
            later(3_000, "and two."),
        ]);
        assert_eq!(bot.turn(*platform, "hi").await, Terminal::Replied);
        let has = |flag| can.flags.contains(&flag);
        let expected = MessageFlags {
            silent: has(MessageFlag::Silent),
            suppress_embeds: has(MessageFlag::SuppressEmbeds),
            only_for: None,
        };
        let sent = flags(&bot, *platform);
        assert!(
            sent.iter().all(|(_, flags)| *flags == expected),
            "{platform}: {sent:?}"
        );
        let intended = |kind: &Kind| match kind {
            Kind::Intended { intent, .. } if intent.kind != OpKind::Typing => Some(intent.flags.clone()),
            _ => None,
        };
        let kept: Vec<_> = bot.kinds().await.iter().filter_map(intended).collect();
        assert!(
            kept.iter().all(|flags| *flags == expected),
            "{platform}: {kept:?}"
        );
        let kinds: Vec<_> = sent.iter().map(|(kind, _)| *kind).collect();
        let file = can.file_limit.map(|_| OpKind::SendFile);
        let edit = (can.edit && can.edit_interval_ms.is_some()).then_some(OpKind::EditText);
        let all: Vec<_> = file.into_iter().chain([OpKind::SendText]).chain(edit).collect();
        assert_eq!(kinds, all, "{platform}");
        let told: Vec<_> = [MessageFlag::SuppressEmbeds, MessageFlag::Silent]
            .into_iter()
            .filter(|flag| !has(*flag))
            .map(|flag| format!("{flag} has no effect on this channel"))
            .collect();
        assert_eq!(ignored(&bot).await, told, "{platform}");
        bot.check().await;
    }
}

/// Nobody can edit it, so that it is neither shown live nor put into the placeholder.
#[tokio::test(start_paused = true)]
async fn an_ephemeral_answer_is_one_message_for_the_sender() {
    for chat_type in [ChatType::Group, ChatType::Direct] {
        let bot =
            Bot::with("[output]\nplaceholder = \"…\"\n[channels.slack]\ngroup_policy = \"open\"\n").await;
        bot.says([
            text("[[ephemeral:true]]Only "),
            later(3_000, "for "),
            later(3_000, "you."),
        ]);
        let terminal = match chat_type {
            ChatType::Group => in_group(&bot, platform::SLACK).await,
            ChatType::Direct => bot.turn(platform::SLACK, "hi").await,
        };
        assert_eq!(terminal, Terminal::Replied);
        assert_eq!(bot.screen(platform::SLACK), ["Only for you."]);
        let sent = flags(&bot, platform::SLACK);
        let shown_to: Vec<_> = sent
            .iter()
            .filter_map(|(_, flags)| flags.only_for.clone())
            .collect();
        if chat_type == ChatType::Group {
            assert_eq!(shown_to, ["alice".into()], "{sent:?}");
            let kinds: Vec<_> = sent.iter().map(|(kind, _)| *kind).collect();
            assert_eq!(kinds, [OpKind::SendText; 2], "the placeholder and the answer");
        } else {
            assert_eq!(shown_to, [], "whoever writes directly is alone there");
        }
        assert_eq!(ignored(&bot).await, [""; 0]);
        bot.check().await;
    }
}

/// No platform shows a file to one person of a chat: what only one may see is not sent at all.
#[tokio::test(start_paused = true)]
async fn a_file_of_an_ephemeral_answer_is_not_shown_to_all() {
    let bot = Bot::with("[channels.slack]\ngroup_policy = \"open\"\n").await;
    std::fs::write(bot.send_dir.join("a.txt"), "text").unwrap();
    bot.says([text(
        "[[ephemeral:true]]<actions><send-file path=\"a.txt\"/></actions>For you.",
    )]);
    assert_eq!(in_group(&bot, platform::SLACK).await, Terminal::Replied);
    assert_eq!(bot.screen(platform::SLACK), ["For you."]);
    let skipped = bot.kinds().await.into_iter().find_map(|kind| match kind {
        Kind::Skipped { outcome, .. } => Some((outcome.code, outcome.detail.unwrap())),
        _ => None,
    });
    let why = "a file cannot be shown to one person only".to_owned();
    assert_eq!(skipped, Some((OutcomeCode::Unsupported, why)));
    bot.check().await;
}

/// The process is killed before anything of it is in the outbox: what was said so far is still nobody else's.
#[test]
fn an_ephemeral_answer_is_for_the_sender_also_after_a_restart() {
    let open = "[channels.slack]\ngroup_policy = \"open\"\n";
    let world = killed(async {
        let bot = Bot::with(open).await;
        bot.says([text("[[ephemeral:true]]For "), later(60_000, "you.")]);
        let mut message = from_alice(platform::SLACK, "g1".into(), "hi", bot.clock.now());
        message.chat_type = ChatType::Group;
        let message = bot.loopbacks[&platform::SLACK].platform().receive(message);
        let _turn = bot.engine.submit(message).await.unwrap();
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert_eq!(flags(&bot, platform::SLACK), []);
        bot
    });
    runtime().block_on(async {
        let bot = Bot::in_world(world, open, Rules::all()).await;
        while bot.terminals().await.is_empty() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let shown_to: Vec<_> = flags(&bot, platform::SLACK)
            .into_iter()
            .map(|(_, flags)| flags.only_for)
            .collect();
        assert_eq!(shown_to, [Some("alice".into()), None], "its text, and a notice");
        bot.check().await;
    });
}

#[tokio::test(start_paused = true)]
async fn flags_that_a_channel_lacks_are_told_and_the_text_goes() {
    let bot = Bot::start().await;
    bot.says([text(&format!("{ALL}Yes."))]);
    assert_eq!(bot.turn(platform::SIGNAL, "hi").await, Terminal::Replied);
    assert_eq!(bot.screen(platform::SIGNAL), ["Yes."]);
    let effectless = |flag| format!("{flag} has no effect on this channel");
    assert_eq!(ignored(&bot).await, ["ephemeral", "silent"].map(effectless));
    bot.check().await;
}
