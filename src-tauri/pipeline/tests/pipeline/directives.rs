//! Directives, on channels that can and channels that cannot.

use crate::bot::{Bot, later, text};
use foldback_channels::platform;
use foldback_channels::sim::{CallFailure, CallFault};
use foldback_wire::{Actor, Code, Kind, OpKind, Operation, OutcomeCode, Terminal};
use std::time::Duration;

async fn skips(bot: &Bot) -> Vec<(OutcomeCode, String)> {
    let skip = |k| match k {
        Kind::Skipped { outcome, .. } => Some((outcome.code, outcome.detail.unwrap_or_default())),
        _ => None,
    };
    bot.kinds().await.into_iter().filter_map(skip).collect()
}

async fn codes(bot: &Bot) -> Vec<Code> {
    let code = |k| match k {
        Kind::Diagnosed { diagnostic, .. } => Some(diagnostic.code),
        _ => None,
    };
    bot.kinds().await.into_iter().filter_map(code).collect()
}

#[tokio::test(start_paused = true)]
async fn directives_run_before_the_text_that_follows() {
    let bot = Bot::start().await;
    bot.says([text("Before. <actions><react emoji=\"eyes\"/></actions> After.")]);
    assert_eq!(bot.turn(platform::TELEGRAM, "hi").await, Terminal::Replied);
    assert_eq!(bot.screen(platform::TELEGRAM), ["Before. After."]);
    assert_eq!(
        bot.operations(platform::TELEGRAM),
        [OpKind::React, OpKind::SendText]
    );
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn actions_that_are_text_are_a_finding_of_the_turn() {
    let asked = [
        text("{\"actions\":[{\"type\":\"bash\","),
        text("\"payload\":{\"command\":\"df -h\"}}]}"),
    ];
    let bot = Bot::start().await;
    bot.says(asked);
    assert_eq!(bot.turn(platform::TELEGRAM, "disk?").await, Terminal::Replied);
    assert_eq!(codes(&bot).await, [Code::ActionsNotRead]);
    bot.says([text("It is \"type\" and \"actions\".")]);
    bot.turn(platform::TELEGRAM, "and now?").await;
    assert_eq!(codes(&bot).await, [Code::ActionsNotRead], "words are none");
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_only_a_file_of_which_nobody_knows_ends_as_unknown() {
    for (op, answer) in [
        (OpKind::SendFile, "<actions><send-file path=\"a.ogg\"/></actions>"),
        (
            OpKind::SendVoice,
            "[[audio_as_voice]]<actions><send-file path=\"a.ogg\"/></actions>",
        ),
    ] {
        let bot = Bot::start().await;
        std::fs::write(bot.send_dir.join("a.ogg"), "OggS").unwrap();
        bot.fault(platform::TELEGRAM, CallFault::first(op, CallFailure::LostAck));
        bot.says([text(answer)]);
        let terminal = bot.turn(platform::TELEGRAM, "hi").await;
        assert!(matches!(terminal, Terminal::Unknown { .. }), "{op}: {terminal:?}");
        bot.check().await;

        // What is said beside it is the answer.
        let bot = Bot::start().await;
        std::fs::write(bot.send_dir.join("a.ogg"), "OggS").unwrap();
        bot.fault(platform::TELEGRAM, CallFault::first(op, CallFailure::LostAck));
        bot.says([text(&format!("{answer}Here."))]);
        assert_eq!(
            bot.turn(platform::TELEGRAM, "hi").await,
            Terminal::Replied,
            "{op}"
        );
        bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_channel_cannot_do_never_blocks_the_text() {
    let bot = Bot::with("[output]\ndisable = [\"react\", \"file\"]\n").await;
    bot.says([text(
        "<actions><react emoji=\"eyes\"/><send-file path=\"a.txt\"/><voice>Hey</voice></actions>Still here.",
    )]);
    assert_eq!(bot.turn(platform::WHATSAPP, "hi").await, Terminal::Replied);
    assert_eq!(bot.screen(platform::WHATSAPP), ["Still here."]);
    let outcomes: Vec<_> = skips(&bot).await.into_iter().map(|(code, _)| code).collect();
    assert_eq!(outcomes, [OutcomeCode::Unsupported; 3]);
    assert_eq!(codes(&bot).await, [Code::UnsupportedOnChannel; 3]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_whose_directives_are_all_skipped_says_nothing_but_warns() {
    let bot = Bot::with("[output]\ndisable = [\"react\"]\n").await;
    bot.says([text("<actions><react emoji=\"eyes\"/></actions>")]);
    assert!(matches!(
        bot.turn(platform::TELEGRAM, "hi").await,
        Terminal::Silent { .. }
    ));
    assert!(bot.screen(platform::TELEGRAM).is_empty());
    let warned = |k: &Kind| matches!(k, Kind::Warned { detail } if detail.contains("every directive"));
    assert!(bot.kinds().await.iter().any(warned));
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn skipped_directives_do_not_make_held_text_nothing() {
    let bot = Bot::with("[output]\ndisable = [\"react\"]\n").await;
    bot.engine.mute(true, Actor::Console);
    bot.says([text("<actions><react emoji=\"eyes\"/></actions>Here.")]);
    let turn = bot.user(platform::TELEGRAM, "hi").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    bot.engine.mute(false, Actor::Console);
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    assert_eq!(bot.screen(platform::TELEGRAM), ["Here."]);
    let warned = |k: &Kind| matches!(k, Kind::Warned { detail } if detail.contains("every directive"));
    assert!(!bot.kinds().await.iter().any(warned));
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_failing_directive_is_recorded_and_the_text_goes_out() {
    let bot = Bot::start().await;
    bot.fault(
        platform::DISCORD,
        CallFault::first(OpKind::React, CallFailure::Forbidden),
    );
    bot.says([text("<actions><react emoji=\"eyes\"/></actions>Text.")]);
    assert_eq!(bot.turn(platform::DISCORD, "hi").await, Terminal::Replied);
    assert_eq!(bot.screen(platform::DISCORD), ["Text."]);
    bot.check().await;
}

/// No setting would help: the agent has named what it did not write.
#[tokio::test(start_paused = true)]
async fn a_file_that_does_not_exist_is_missing() {
    let bot = Bot::start().await;
    bot.says([text("<actions><send-file path=\"nothing.txt\"/></actions>Sent.")]);
    assert_eq!(bot.turn(platform::TELEGRAM, "hi").await, Terminal::Replied);
    assert_eq!(bot.screen(platform::TELEGRAM), ["Sent."]);
    let skipped = bot.kinds().await.into_iter().find_map(|kind| match kind {
        Kind::Skipped { outcome, setting, .. } => Some((outcome.code, outcome.detail, setting)),
        _ => None,
    });
    let why = "there is no file nothing.txt in the folder for outgoing files".to_owned();
    assert_eq!(skipped, Some((OutcomeCode::Missing, Some(why), None)));
    assert_eq!(codes(&bot).await, [Code::MissingFile]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_workspace_s_own_emoji_goes_by_its_name_on_slack_and_nowhere_else() {
    for platform in [platform::SLACK, platform::TELEGRAM] {
        let bot = Bot::start().await;
        bot.says([text("<actions><react emoji=\":PartyParrot:\"/></actions>Sent.")]);
        assert_eq!(bot.turn(platform, "hi").await, Terminal::Replied);
        let sent: Vec<_> = bot
            .calls(platform, OpKind::React)
            .into_iter()
            .map(|record| match record.call.operation {
                Operation::React {
                    emoji, emoji_sent, ..
                } => (emoji, emoji_sent),
                other => panic!("{other:?}"),
            })
            .collect();
        let expected: &[_] = match platform {
            platform::SLACK => &[(":partyparrot:".to_owned(), "partyparrot".to_owned())],
            _ => &[],
        };
        assert_eq!(sent, expected);
        bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn files_go_out_from_the_folder_only() {
    let bot = Bot::with("[files]\nallow_cleanup = true\n").await;
    std::fs::write(bot.send_dir.join("report.pdf"), "pdf").unwrap();
    std::fs::write(bot.dir.path().join("secret"), "s").unwrap();
    bot.says([text(concat!(
        "<actions><send-file path=\"report.pdf\" caption=\"The report\" cleanup=\"true\"/>",
        "<send-file path=\"../../secret\"/><send-file path=\"/etc/passwd\"/></actions>Sent.",
    ))]);
    assert_eq!(bot.turn(platform::TELEGRAM, "hi").await, Terminal::Replied);
    assert_eq!(
        bot.screen(platform::TELEGRAM),
        ["File report.pdf The report", "Sent."]
    );
    let refused = skips(&bot).await;
    assert_eq!(refused.len(), 2);
    assert!(
        refused
            .iter()
            .all(|(code, why)| *code == OutcomeCode::NotAllowed && why.contains("not below"))
    );
    assert!(!bot.send_dir.join("report.pdf").exists(), "it was cleaned up");
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn what_is_refused_names_the_setting_that_would_change_it() {
    let bot = Bot::with("[files]\nmax_size = \"1KiB\"\n").await;
    std::fs::write(bot.send_dir.join("large.bin"), vec![0; 2_000]).unwrap();
    bot.says([text(concat!(
        "<actions><send-file path=\"none.pdf\"/><send-file path=\"/etc/passwd\"/><send-file path=\".\"/>",
        "<send-file path=\"large.bin\"/>",
        "<send-message channel=\"slack\" chat=\"c1\">psst</send-message></actions>Sent.",
    ))]);
    assert_eq!(bot.turn(platform::TELEGRAM, "hi").await, Terminal::Replied);
    let setting = |kind| match kind {
        Kind::Skipped { setting, .. } => Some(setting.unwrap_or_default()),
        _ => None,
    };
    let settings: Vec<_> = bot.kinds().await.into_iter().filter_map(setting).collect();
    assert_eq!(
        settings,
        [
            "",
            "files.send_dir",
            "files.send_dir",
            "files.max_size",
            "output.allow_targets"
        ]
    );
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn cleanup_needs_the_setting_and_an_acknowledgement() {
    for (table, fault) in [("", false), ("[files]\nallow_cleanup = true\n", true)] {
        let bot = Bot::with(table).await;
        std::fs::write(bot.send_dir.join("a.txt"), "a").unwrap();
        if fault {
            bot.fault(
                platform::SLACK,
                CallFault::first(OpKind::SendFile, CallFailure::Rejected),
            );
        }
        bot.says([text(
            "<actions><send-file path=\"a.txt\" cleanup=\"true\"/></actions>Ok.",
        )]);
        assert_eq!(bot.turn(platform::SLACK, "hi").await, Terminal::Replied);
        assert!(bot.send_dir.join("a.txt").exists());
        bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_caption_that_is_too_long_follows_as_text() {
    let bot = Bot::start().await;
    std::fs::write(bot.send_dir.join("a.png"), "png").unwrap();
    let caption = "c".repeat(1_025);
    bot.says([text(&format!(
        "<actions><send-file path=\"a.png\" caption=\"{caption}\"/></actions>"
    ))]);
    bot.turn(platform::TELEGRAM, "hi").await;
    assert_eq!(
        bot.screen(platform::TELEGRAM),
        ["Image a.png ".to_owned(), caption]
    );
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_caption_of_audio_where_there_is_none_follows_as_text_also_after_a_rate_limit() {
    let bot = Bot::start().await;
    std::fs::write(bot.send_dir.join("a.mp3"), "mp3").unwrap();
    bot.fault(
        platform::WHATSAPP,
        CallFault {
            retry_after_ms: Some(20_000),
            ..CallFault::first(OpKind::SendText, CallFailure::RateLimited)
        },
    );
    bot.says([text(
        "<actions><send-file path=\"a.mp3\" kind=\"audio\" caption=\"The song\"/></actions>",
    )]);
    bot.turn(platform::WHATSAPP, "hi").await;
    assert_eq!(bot.screen(platform::WHATSAPP), ["Audio a.mp3 ", "The song"]);
    assert_eq!(bot.warnings("audio has no caption on this channel").await, 1);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_caption_that_grows_too_long_when_it_is_sent_follows_as_text() {
    let bot = Bot::start().await;
    std::fs::write(bot.send_dir.join("a.png"), "png").unwrap();
    // 2,000 characters as written, 4,000 as Slack is sent them: its ampersands are entities.
    for (extra, follows, said) in [("", false, 500), ("more", true, 1_000)] {
        let caption = format!("{}{extra}", "R&amp;D ".repeat(500));
        bot.says([text(&format!(
            "<actions><send-file path=\"a.png\" caption=\"{caption}\"/></actions>"
        ))]);
        bot.turn(platform::SLACK, "hi").await;
        let screen = bot.screen(platform::SLACK);
        let file = screen.iter().position(|shown| shown.starts_with("Image a.png"));
        assert!(file.is_some(), "{extra}: the file arrives: {screen:?}");
        assert_eq!(
            screen.iter().any(|shown| shown == "Image a.png "),
            follows,
            "{extra}: {screen:?}"
        );
        let words = screen.iter().map(|shown| shown.matches("R&D").count());
        assert_eq!(
            words.sum::<usize>(),
            said,
            "{extra}: nothing of it is lost: {screen:?}"
        );
        bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn other_chats_are_closed_unless_the_operator_opens_them() {
    let answer =
        "<actions><send-message channel=\"slack\" chat=\"C1\">Done</send-message></actions>Told them.";
    for (table, elsewhere) in [("", 0), ("[output]\nallow_targets = [\"slack:C1\"]\n", 1)] {
        let bot = Bot::with(table).await;
        bot.says([text(answer)]);
        assert_eq!(bot.turn(platform::TELEGRAM, "hi").await, Terminal::Replied);
        assert_eq!(bot.screen(platform::TELEGRAM), ["Told them."]);
        assert_eq!(bot.calls(platform::SLACK, OpKind::SendText).len(), elsewhere);
        assert_eq!(codes(&bot).await.contains(&Code::NotAllowed), elsewhere == 0);
        bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_reply_goes_to_the_named_message_once() {
    let bot = Bot::start().await;
    bot.says([
        text("[[reply_to_current]]"),
        later(50, "Yes."),
        later(3_000, " Indeed."),
    ]);
    let message = bot.message(platform::DISCORD, "hi");
    let id = message.message.clone();
    assert_eq!(
        bot.engine.submit(message).await.unwrap().ended().await,
        Some(Terminal::Replied)
    );
    assert_eq!(bot.screen(platform::DISCORD), [format!("[to {id}] Yes. Indeed.")]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_refused_or_misformed_reply_target_gives_a_plain_send_and_a_warning() {
    for (platform, target) in [
        (platform::DISCORD, "abc"),
        (platform::DISCORD, "99999"),
        (platform::TELEGRAM, "99999"),
    ] {
        let bot = Bot::start().await;
        bot.says([text(&format!("[[reply_to:{target}]]Hello."))]);
        assert_eq!(bot.turn(platform, "hi").await, Terminal::Replied);
        assert_eq!(bot.screen(platform), ["Hello."], "{platform} {target}");
        let warned = bot.kinds().await.into_iter().any(|k| match k {
            Kind::Warned { detail } => detail.contains(target),
            Kind::Ended { outcome, .. } => outcome.detail.is_some_and(|d| d.contains(target)),
            _ => false,
        });
        assert!(warned, "{platform} {target}");
        bot.check().await;
    }
}

/// The examples of the findings that only the policy or the channel can make.
#[tokio::test(start_paused = true)]
async fn the_documented_examples_of_policy_and_channel_are_found() {
    for (code, table) in [
        (Code::NotAllowed, ""),
        (Code::MissingFile, ""),
        (Code::UnsupportedOnChannel, "[output]\ndisable = [\"react\"]\n"),
    ] {
        let bot = Bot::with(table).await;
        bot.says([text(code.example().text)]);
        assert_eq!(bot.turn(platform::TELEGRAM, "hi").await, Terminal::Replied);
        assert_eq!(codes(&bot).await, [code]);
    }
}
