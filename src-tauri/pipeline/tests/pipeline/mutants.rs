//! Every rule that can be switched off makes a difference somewhere: each scene is played with and without
//! it, and what the user, the platform or the journal saw must differ.

use crate::{
    bot::{Bot, World, later, text, tool},
    speech::speaking,
};
use foldback_agents::{Act, speech::ToneVoice};
use foldback_channels::platform;
use foldback_channels::sim::{CallFailure, CallFault, SimFile};
use foldback_pipeline::{Rule, Rules};
use foldback_wire::{Actor, Attachment, ChannelId, ChatType, Kind, OpKind, Platform};
use std::time::Duration;

mod acted;
mod asks;
mod delivered;
mod settings;
mod threads;
mod who;
mod words;

/// A scene and the rules that it shows.
type Scene = (&'static str, &'static [Rule]);

const SCENES: &[Scene] = &[
    (
        "odd input",
        &[Rule::FinalizeBreaks, Rule::FinalizeMedia, Rule::FinalizeEmpty],
    ),
    (
        "twice",
        &[Rule::DedupeClaim, Rule::DedupeRelease, Rule::DedupeAge],
    ),
    (
        "strangers",
        &[
            Rule::AuthorizeClosed,
            Rule::AuthorizeDeny,
            Rule::AuthorizeProvider,
        ],
    ),
    (
        "doors",
        &[
            Rule::AuthorizeIds,
            Rule::AuthorizeOwn,
            Rule::AuthorizeBots,
            Rule::AuthorizeCommand,
            Rule::AuthorizeDirect,
            Rule::AuthorizeGroup,
            Rule::AuthorizeChats,
        ],
    ),
    (
        "unknown",
        &[
            Rule::PairingCode,
            Rule::PairingOnce,
            Rule::PairingLimit,
            Rule::PairingApproved,
        ],
    ),
    (
        "meant",
        &[
            Rule::ActivationMention,
            Rule::ActivationReply,
            Rule::ActivationPattern,
            Rule::ActivationBots,
        ],
    ),
    ("group", &[Rule::SessionSender, Rule::SessionThread]),
    (
        "crowd",
        &[
            Rule::QueueFifo,
            Rule::QueueCap,
            Rule::QueueRuns,
            Rule::QueueSender,
        ],
    ),
    (
        "plain",
        &[
            Rule::PrepareSender,
            Rule::PrepareDirectives,
            Rule::PreviewCannotEdit,
        ],
    ),
    (
        "attached",
        &[
            Rule::GatherGiven,
            Rule::GatherKinds,
            Rule::GatherSize,
            Rule::GatherMany,
            Rule::GatherMedia,
            Rule::GatherWait,
            Rule::GatherTold,
        ],
    ),
    ("failed run", &[Rule::RunNotice]),
    (
        "silent agent",
        &[Rule::RunSilence, Rule::TypingEnd, Rule::TypingRefresh],
    ),
    ("long tool", &[Rule::RunTools]),
    (
        "secrets",
        &[
            Rule::RedactText,
            Rule::RedactWindow,
            Rule::RedactDirectives,
            Rule::RedactFile,
            Rule::RedactJournal,
            Rule::RedactInbound,
        ],
    ),
    ("voice", &[Rule::SpeechNote, Rule::SpeechHeader]),
    ("tools", &[Rule::ScanMessage, Rule::ScanNarration]),
    (
        "streamed",
        &[
            Rule::ScanHold,
            Rule::ScanStrip,
            Rule::PreviewInterval,
            Rule::DeliverClean,
            Rule::DeliverDirectives,
            Rule::DeliverReaction,
        ],
    ),
    ("long", &[Rule::SplitLimit, Rule::SplitFence, Rule::DeliverReply]),
    ("table", &[Rule::SplitTable]),
    ("ampersands", &[Rule::SplitRendered]),
    ("runaway", &[Rule::PreviewMost, Rule::RunMost]),
    (
        "cannot",
        &[
            Rule::DeliverUnsupported,
            Rule::DeliverElsewhere,
            Rule::FilesCaption,
            Rule::FilesCleanup,
        ],
    ),
    ("files", &[Rule::FilesSize]),
    ("folder", &[Rule::FilesRegular]),
    ("current", &[Rule::DeliverReplyCurrent]),
    ("bad reply", &[Rule::DeliverReplyRefused]),
    ("placeholder", &[Rule::DeliverPlaceholder]),
    ("nothing", &[Rule::DeliverEmpty]),
    ("hush", &[Rule::DeliverSilence]),
    ("faults", &[Rule::DeliverRetry, Rule::DeliverRetryAfter]),
    ("hasty", &[Rule::DeliverPatience]),
    ("lost", &[Rule::DeliverUnknown]),
    ("off", &[Rule::DeliverOff, Rule::DispatchOrder]),
    ("old", &[Rule::DeliverOld]),
    (
        "permissions",
        &[
            Rule::PermitPolicy,
            Rule::PermitKind,
            Rule::PermitTimeout,
            Rule::PermitSilence,
            Rule::PermitCancel,
        ],
    ),
    ("in the chat", &[Rule::PermitChat, Rule::PermitAsker]),
    (
        "words",
        &[
            Rule::InlineForwarded,
            Rule::InlineOwner,
            Rule::InlineLevels,
            Rule::CommandAccess,
            Rule::CommandOwner,
            Rule::CommandFirst,
            Rule::AbortAlone,
            Rule::SendDeny,
        ],
    ),
    ("sessions", &[Rule::SessionResume, Rule::SessionLost]),
    (
        "over",
        &[
            Rule::SessionMain,
            Rule::SessionFresh,
            Rule::SessionWord,
            Rule::PrepareNotices,
        ],
    ),
    ("work", &[Rule::AsideTools, Rule::AsideReasoning]),
    (
        "threads",
        &[
            Rule::ThreadOnce,
            Rule::ThreadAnew,
            Rule::ThreadEach,
            Rule::ThreadMost,
            Rule::ThreadAdmitted,
            Rule::ThreadLeftOut,
            Rule::ThreadTold,
            Rule::ThreadJoined,
            Rule::ThreadRepeated,
        ],
    ),
    (
        "results",
        &[
            Rule::DeliveriesOnce,
            Rule::DeliveriesDepth,
            Rule::DeliveriesBudget,
            Rule::DeliveriesDead,
            Rule::DeliveriesReply,
            Rule::DeliveriesRepeated,
        ],
    ),
    (
        "actions",
        &[
            Rule::ActionsAccess,
            Rule::ActionsChain,
            Rule::ActionsOthers,
            Rule::ActionsDepth,
            Rule::ActionsConfirm,
            Rule::ActionsDryRun,
            Rule::ActionsEnd,
            Rule::ActionsCorrections,
        ],
    ),
];

/// Rules that no agent or platform of these tests can break.
const ELSEWHERE: &[Rule] = &[
    // The scripted agent never speaks for another run.
    Rule::RunLate,
];

#[tokio::test(start_paused = true)]
async fn every_rule_that_can_be_off_makes_a_difference() {
    let mut shown: Vec<Rule> = ELSEWHERE.to_vec();
    for (scene, rules) in SCENES {
        let whole = play(scene, Rules::all()).await;
        assert_eq!(
            whole,
            play(scene, Rules::all()).await,
            "the scene {scene:?} repeats itself"
        );
        for rule in *rules {
            let play = tokio::time::timeout(Duration::from_hours(9), play(scene, Rules::without(*rule)));
            let without = play.await.unwrap_or_default();
            assert_ne!(
                whole,
                without,
                "{} makes no difference in the scene {scene:?}",
                rule.id()
            );
            shown.push(*rule);
        }
    }
    for rule in Rule::ALL.iter().filter(|rule| rule.can_be_off()) {
        assert!(shown.contains(rule), "no scene shows {}", rule.id());
    }
}

/// Everything that can be seen of a scene.
async fn play(scene: &str, rules: Rules) -> Vec<String> {
    let config = settings::of(scene);
    let world = match scene {
        "voice" => speaking(World::new(), ToneVoice),
        "actions" => World {
            actions: crate::actions::table(&std::sync::Arc::default()),
            ..World::new()
        },
        _ => World::new(),
    };
    let bot = Bot::in_world(world, config, rules).await;
    let ends = act(scene, &bot).await;
    let mut seen: Vec<String> = ends;
    for platform in platform::ALL {
        seen.extend(bot.screen(*platform));
        seen.extend(bot.operations(*platform).iter().map(ToString::to_string));
        seen.push(format!("{} typing", bot.calls(*platform, OpKind::Typing).len()));
        let texts = bot.ever_shown(*platform);
        seen.extend(texts);
    }
    for event in bot.events().await {
        match event.kind {
            Kind::Prepared { prompt } => seen.push(prompt),
            Kind::Received { .. } | Kind::Waiting { .. } => {}
            kind => seen.push(format!("{:?} {kind:?}", event.session)),
        }
    }
    seen
}

async fn act(scene: &str, bot: &Bot) -> Vec<String> {
    let telegram = ChannelId::new("telegram");
    let mut ends = Vec::new();
    match scene {
        "odd input" => {
            bot.says([text("a")]);
            ends.push(format!("{:?}", bot.turn(platform::SIGNAL, "x\r\ny").await));
            bot.says([text("b")]);
            let mut file = bot.message(platform::SIGNAL, "");
            file.files = vec![Attachment {
                name: "f".into(),
                media_type: String::new(),
                size: None,
                source: None,
            }];
            ends.push(format!(
                "{:?}",
                bot.engine.submit(file).await.unwrap().ended().await
            ));
            bot.says([text("c")]);
            ends.push(format!("{:?}", bot.turn(platform::SIGNAL, " ").await));
        }
        "attached" => {
            bot.says([text("a")]);
            let message = attached(bot);
            let turn = bot.engine.submit(message).await.unwrap();
            ends.push(format!("{:?}", turn.ended().await));
        }
        "twice" => {
            let message = bot.message(platform::SIGNAL, "hi");
            for answer in [Act::Error("overloaded".into()).into(), text("a"), text("b")] {
                bot.says([answer]);
                let turn = bot.engine.submit(message.clone()).await.unwrap();
                ends.push(format!("{:?}", turn.ended().await));
            }
            ends.push(who::recorded(bot).await);
        }
        "strangers" => {
            for platform in [platform::TELEGRAM, platform::SLACK, platform::DISCORD] {
                bot.says([text("a")]);
                ends.push(format!("{:?}", bot.turn(platform, "hi").await));
            }
        }
        "doors" => ends.extend(who::doors(bot).await),
        "unknown" => ends.extend(who::unknown(bot).await),
        "permissions" => ends.extend(asks::permissions(bot).await),
        "in the chat" => ends.extend(asks::in_the_chat(bot).await),
        "words" => ends.extend(words::written(bot).await),
        "sessions" => ends.extend(asks::sessions(bot).await),
        "over" => ends.extend(asks::over(bot).await),
        "work" => ends.extend(asks::work(bot).await),
        "threads" => ends.extend(threads::asked(bot).await),
        "results" => ends.extend(delivered::results(bot).await),
        "actions" => ends.extend(acted::asked(bot).await),
        "long tool" => ends.extend(asks::long_tool(bot).await),
        "meant" => ends.extend(who::meant(bot).await),
        "group" => {
            let mut message = bot.message(platform::TELEGRAM, "hi");
            message.chat_type = ChatType::Group;
            message.thread = Some("t1".into());
            bot.says([text("a")]);
            ends.push(format!(
                "{:?}",
                bot.engine.submit(message).await.unwrap().ended().await
            ));
        }
        "crowd" => ends.extend(who::crowd(bot).await),
        "off" => {
            bot.says([
                later(1_000, "<actions><react emoji=\"eyes\"/></actions>a"),
                tool("t"),
                text("b"),
            ]);
            let turn = bot.user(platform::TELEGRAM, "hi").await;
            bot.toggle(platform::TELEGRAM, false).await;
            tokio::time::sleep(Duration::from_secs(9)).await;
            bot.toggle(platform::TELEGRAM, true).await;
            ends.push(format!("{:?}", turn.ended().await));
        }
        "old" => {
            bot.says([later(1_000, "a")]);
            let turn = bot.user(platform::TELEGRAM, "hi").await;
            bot.toggle(platform::TELEGRAM, false).await;
            tokio::time::sleep(Duration::from_mins(11)).await;
            bot.toggle(platform::TELEGRAM, true).await;
            tokio::time::sleep(Duration::from_mins(1)).await;
            ends.push(format!("{:?}", bot.screen(platform::TELEGRAM)));
            bot.engine.release_held(&telegram, &Actor::Console).unwrap();
            ends.push(format!("{:?}", turn.ended().await));
        }
        _ => ends.push(answer_to(scene, bot).await),
    }
    ends
}

/// A message with files: one that is given, and one for every reason not to be.
fn attached(bot: &Bot) -> foldback_wire::Inbound {
    let mut message = bot.message(platform::SIGNAL, "");
    let slow = SimFile {
        takes: Duration::from_mins(1),
        ..SimFile::default()
    };
    for (name, media_type, file) in [
        ("given", "text/plain", b"fine".to_vec().into()),
        ("page", "image/png", b"<html>".to_vec().into()),
        ("sound", "audio/ogg", b"OggS".to_vec().into()),
        ("large", "text/plain", b"1234567890".to_vec().into()),
        ("slow", "text/plain", slow),
        ("fifth", "text/plain", b"5".to_vec().into()),
        ("many", "text/plain", b"6".to_vec().into()),
    ] {
        let file: SimFile = file;
        let source = bot.loopbacks[&platform::SIGNAL].platform().keep(file);
        message.files.push(Attachment {
            name: name.into(),
            media_type: media_type.into(),
            size: None,
            source: Some(source),
        });
    }
    message
}

/// Scenes of one message and one answer.
async fn answer_to(scene: &str, bot: &Bot) -> String {
    let mut platform = platform::TELEGRAM;
    match scene {
        "plain" => {
            platform = platform::SIGNAL;
            bot.says([text("a"), later(2_000, " b")]);
        }
        "failed run" => bot.says([text("a"), Act::Error("overloaded".into()).into()]),
        "silent agent" => bot.says([text("a"), Act::Stall(400_000).into(), text("b")]),
        "secrets" => {
            std::fs::write(bot.send_dir.join("password=hunter2"), "x").unwrap();
            std::fs::write(bot.send_dir.join("a.txt"), "x").unwrap();
            bot.says([
                text("token: abc1"),
                later(2_000, "23def\n<actions><send-file path=\"password=hunter2\"/>"),
                text("<send-file path=\"a.txt\" caption=\"pwd: hunter2\"/></actions>"),
            ]);
            return format!("{:?}", bot.turn(platform, "my secret: hunter2").await);
        }
        "voice" => {
            std::fs::write(bot.send_dir.join("a.ogg"), "x").unwrap();
            bot.says([text(
                "[[audio_as_voice]]<actions><voice>Hey</voice><send-file path=\"a.ogg\"/></actions>Hi",
            )]);
        }
        "tools" => {
            platform = platform::WHATSAPP;
            bot.says([text("a"), tool("t"), text("b")]);
        }
        "streamed" => bot.says([
            text("a"),
            later(100, " b"),
            later(100, " <actions><react emoji=\"eyes\"/></actions> c"),
            later(5_000, " d"),
        ]),
        "long" => {
            let code = "let x = 1;\n".repeat(600);
            bot.says([
                text("[[reply_to_current]]"),
                text(&format!("Look.\n```rust\n{code}```\nDone.")),
            ]);
        }
        "table" => {
            let rows = "| a row | of a table |\n".repeat(250);
            bot.says([text(&format!("| x | y |\n|---|---|\n{rows}"))]);
        }
        "ampersands" => {
            platform = platform::SLACK;
            bot.says([text(&"& ".repeat(1_000))]);
        }
        "runaway" => bot.says([text(&"word ".repeat(1_000)), text(" and on")]),
        "cannot" => {
            std::fs::write(bot.send_dir.join("a.png"), "png").unwrap();
            let caption = "c".repeat(1_100);
            bot.says([text(&format!(
                "<actions><react emoji=\"eyes\"/><send-file path=\"a.png\" caption=\"{caption}\" cleanup=\"true\"/>\
                 <send-message channel=\"slack\" chat=\"C1\">x</send-message></actions>a"
            ))]);
        }
        "files" => {
            std::fs::write(bot.send_dir.join("a.txt"), "long").unwrap();
            bot.says([text("<actions><send-file path=\"a.txt\"/></actions>a")]);
        }
        "folder" => {
            std::fs::create_dir(bot.send_dir.join("d")).unwrap();
            bot.says([text("<actions><send-file path=\"d\"/></actions>a")]);
        }
        "current" | "placeholder" => bot.says([text("[[reply_to_current]]a")]),
        "bad reply" => {
            platform = platform::DISCORD;
            bot.says([text("[[reply_to:abc]]a")]);
        }
        "nothing" => bot.says([]),
        "hush" => bot.says([text("NO_REPLY")]),
        "faults" | "hasty" | "lost" => refused(scene, bot, platform),
        other => panic!("there is no scene {other}"),
    }
    let before = bot.now_ms();
    let end = bot.turn(platform, "hi").await;
    format!("{end:?} after {} ms", bot.now_ms() - before)
}

/// An answer of which a call is refused, or is answered into nowhere.
fn refused(scene: &str, bot: &Bot, platform: Platform) {
    let (kind, failure, retry_after_ms, answer) = match scene {
        "faults" => (OpKind::SendText, CallFailure::RateLimited, Some(9_000), "a"),
        "hasty" => (
            OpKind::React,
            CallFailure::RateLimited,
            Some(9_000),
            "<actions><react emoji=\"eyes\"/></actions>a",
        ),
        _ => (OpKind::SendText, CallFailure::LostAck, None, "a"),
    };
    let fault = CallFault {
        retry_after_ms,
        ..CallFault::first(kind, failure)
    };
    bot.fault(platform, fault);
    bot.says([text(answer)]);
}
