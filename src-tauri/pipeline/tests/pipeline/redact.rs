//! Secrets: none reaches a platform, the journal or the outbox, whatever an agent or a user writes.

use crate::bot::{Bot, later, text, tool};
use foldback_agents::{Act, PermissionStep, ScriptStep, ToolStep};
use foldback_channels::platform;
use foldback_wire::{
    HoldReason, Kind, OpKind, Operation, Outcome, OutcomeCode, RangeReason, Stage, Terminal, ToolStatus,
};
use std::time::Duration;

const KEY: &str = "sk-abcdefghijklmnopqrstuvwx";

/// Nothing that was ever written or shown holds any of these.
async fn nowhere(bot: &Bot, secrets: &[&str]) {
    let journal = serde_json::to_string(&bot.events().await).unwrap();
    for secret in secrets {
        assert!(!journal.contains(secret), "{secret} stands in the journal");
        for platform in platform::ALL {
            let shown = format!("{:?} {:?}", bot.ever_shown(*platform), bot.screen(*platform));
            assert!(
                !shown.contains(secret),
                "{secret} was shown on {platform}: {shown}"
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_streamed_secret_is_never_shown_not_even_its_beginning() {
    let bot = Bot::start().await;
    let answer = format!("Here it is:\n```\nKEY={KEY}\n```\nKeep it.");
    bot.says(answer.chars().map(|c| later(400, &c.to_string())));
    assert_eq!(bot.turn(platform::TELEGRAM, "hi").await, Terminal::Replied);
    assert_eq!(
        bot.screen(platform::TELEGRAM),
        ["Here it is:\n```\nKEY=[redacted]\n```\nKeep it."]
    );
    assert!(bot.ever_shown(platform::TELEGRAM).len() > 3, "it was shown live");
    nowhere(&bot, &[KEY, "sk-a", "KEY=s"]).await;
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn the_journal_keeps_the_length_the_range_and_the_hold() {
    let bot = Bot::start().await;
    bot.says([text("A key sk-abcdef"), text("ghijklmnopqrstuvwx end")]);
    bot.turn(platform::SIGNAL, "hi").await;
    let mut raw = String::new();
    let (mut masked, mut held) = (Vec::new(), 0);
    for kind in bot.kinds().await {
        match kind {
            Kind::Chunk { span, text, .. } => {
                assert_eq!((span.start, span.len()), (raw.len(), text.len()));
                raw.push_str(&text);
            }
            Kind::Decided { range, .. } if range.reason == Some(RangeReason::Redacted) => masked.push(range),
            Kind::Held { hold, .. } if hold.reason == HoldReason::RedactionWindow => {
                assert_eq!((hold.span.start, hold.rule.as_str()), (5, "P.redact.window"));
                held += 1;
            }
            _ => {}
        }
    }
    assert_eq!(raw, format!("A key #{} end", "*".repeat(KEY.len() - 1)));
    assert_eq!(masked.len(), 1);
    assert_eq!(masked[0].span.of(&raw), &raw[6..6 + KEY.len()]);
    assert_eq!(masked[0].shown_as.as_deref(), Some("[redacted]"));
    assert_eq!(held, 1);
    assert_eq!(bot.screen(platform::SIGNAL), ["A key [redacted] end"]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn the_journal_says_at_once_how_much_came_and_tells_it_when_it_is_decided() {
    let bot = Bot::start().await;
    bot.says([
        text("A key sk-abcdef"),
        text("ghij"),
        text("klmnopqrstuvwx, use sk-"),
    ]);
    bot.turn(platform::SIGNAL, "hi").await;
    let told = |kind| match kind {
        Kind::Chunk { text, came, .. } => Some((text, came)),
        _ => None,
    };
    let told: Vec<_> = bot.kinds().await.into_iter().filter_map(told).collect();
    let masked = format!("#{}, use ", "*".repeat(KEY.len() - 1));
    assert_eq!(
        told,
        [
            ("A key ".to_owned(), Some(15)),
            (String::new(), Some(19)),
            (masked, Some(42)),
            ("sk-".to_owned(), None),
        ]
    );
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn captions_messages_and_voice_are_masked_like_the_text() {
    let bot = Bot::with("[output]\nallow_targets = [\"slack:C1\"]\n").await;
    std::fs::write(bot.send_dir.join("a.txt"), "x").unwrap();
    bot.says([text(&format!(
        "<actions><send-file path=\"a.txt\" caption=\"{KEY}\"/>\
         <send-message channel=\"slack\" chat=\"C1\">password: hunter2</send-message>\
         <voice>The token: abc123def</voice><react emoji=\"{KEY}\"/></actions>Done."
    ))]);
    bot.turn(platform::TELEGRAM, "hi").await;
    assert_eq!(bot.screen(platform::TELEGRAM), ["File a.txt [redacted]", "Done."]);
    let sent = bot.calls(platform::SLACK, OpKind::SendText);
    assert_eq!(sent.len(), 1);
    assert!(format!("{:?}", sent[0].call).contains("password: [redacted]"));
    nowhere(&bot, &[KEY, "hunter2", "abc123def"]).await;
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_file_with_a_secret_in_its_name_is_not_sent() {
    let bot = Bot::start().await;
    std::fs::write(bot.send_dir.join(format!("{KEY}.txt")), "x").unwrap();
    bot.says([text(&format!(
        "<actions><send-file path=\"{KEY}.txt\"/></actions>Done."
    ))]);
    bot.turn(platform::TELEGRAM, "hi").await;
    assert_eq!(bot.screen(platform::TELEGRAM), ["Done."]);
    let skipped = |kind: &Kind| {
        matches!(kind, Kind::Skipped { outcome: Outcome { code: OutcomeCode::NotAllowed, detail: Some(why), .. }, .. }
            if why.contains("its name holds a secret"))
    };
    assert!(bot.kinds().await.iter().any(skipped));
    nowhere(&bot, &[KEY]).await;
}

#[tokio::test(start_paused = true)]
async fn a_secret_that_is_named_as_a_message_is_kept_nowhere_and_no_platform_is_told_it() {
    let bot = Bot::start().await;
    bot.says([text(&format!(
        "[[reply_to:{KEY}]]\n<react emoji=\"eyes\" message=\"{KEY}\"/>\n\
         <actions><send-message channel=\"slack\" chat=\"{KEY}\">x</send-message></actions>Done."
    ))]);
    assert_eq!(bot.turn(platform::TELEGRAM, "hi").await, Terminal::Replied);
    assert_eq!(bot.screen(platform::TELEGRAM), ["Done."]);
    nowhere(&bot, &[KEY]).await;
    let kinds = bot.kinds().await;
    let read = |kind: &Kind| matches!(kind, Kind::HeaderRead { header, .. } if header.reply_to.as_deref() == Some("[redacted]"));
    assert!(kinds.iter().any(read), "the journal says that one was named");
    let warned =
        |kind: &Kind| matches!(kind, Kind::Warned { detail } if detail.contains("stands for a secret"));
    assert!(kinds.iter().any(warned));
    let skipped = |kind: &Kind| {
        matches!(kind, Kind::Skipped { outcome: Outcome { code: OutcomeCode::NotAllowed, detail: Some(why), .. }, .. }
            if why.contains("no message id"))
    };
    assert!(kinds.iter().any(skipped));
    assert!(bot.calls(platform::TELEGRAM, OpKind::React).is_empty());
    let sent = format!("{:?}", bot.calls(platform::TELEGRAM, OpKind::SendText));
    assert!(!sent.contains(KEY) && sent.contains("reply_to: None"), "{sent}");
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn the_id_of_a_message_may_hold_a_phone_number() {
    let bot = Bot::with("[redact]\nphone = true\n").await;
    let mut message = bot.message(platform::SIGNAL, "hi");
    message.message = "1700000000000:+33612345678".into();
    let id = message.message.clone();
    bot.says([text(&format!(
        "<react emoji=\"eyes\"/><react emoji=\"tada\" message=\"{id}\"/>Call +33612345678."
    ))]);
    bot.engine.submit(message).await.unwrap().ended().await.unwrap();
    assert_eq!(bot.screen(platform::SIGNAL), ["Call [redacted]."]);
    let asked: Vec<_> = bot
        .calls(platform::SIGNAL, OpKind::React)
        .into_iter()
        .filter_map(|seen| match seen.call.operation {
            Operation::React { message, .. } => Some(message),
            _ => None,
        })
        .collect();
    assert_eq!(asked, [id.clone(), id.clone()]);
    let kept: Vec<_> = bot
        .kinds()
        .await
        .into_iter()
        .filter_map(|kind| match kind {
            Kind::Intended { intent, .. } if intent.kind == OpKind::React => intent.message,
            _ => None,
        })
        .collect();
    assert_eq!(kept, [id.clone(), id], "a person can send it again");
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_json_action_of_any_type_is_masked_in_the_journal() {
    let bot = Bot::with("[output]\ndialects = [\"actions\", \"json\"]\n").await;
    bot.says([text(&format!(
        "{{\"actions\":[{{\"type\":\"{KEY}\",\"payload\":{{}}}}]}}\nDone."
    ))]);
    bot.turn(platform::TELEGRAM, "hi").await;
    let kinds = bot.kinds().await;
    let read = |kind: &Kind| matches!(kind, Kind::Action { action, .. } if action.kind == "[redacted]");
    assert!(kinds.iter().any(read), "{kinds:?}");
    nowhere(&bot, &[KEY]).await;
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_secret_split_by_a_directive_is_masked_in_the_journal_too() {
    let bot = Bot::start().await;
    bot.says([
        text("sk-abcdefghijk"),
        text("<react emoji=\"eyes\"/>"),
        text("lmnopqrstuvwx end"),
    ]);
    bot.turn(platform::TELEGRAM, "hi").await;
    assert_eq!(bot.screen(platform::TELEGRAM), ["[redacted] end"]);
    nowhere(&bot, &["sk-a", "lmnop"]).await;
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_secret_that_would_straddle_two_messages_is_in_neither() {
    let bot = Bot::start().await;
    let limit = foldback_channels::profile(platform::DISCORD).text_limit;
    let before = "word ".repeat(limit / 5 - 2);
    bot.says([text(&format!("{before}{KEY} and {KEY} more"))]);
    bot.turn(platform::DISCORD, "hi").await;
    let screen = bot.screen(platform::DISCORD);
    assert_eq!(screen.len(), 2);
    assert!(screen.concat().ends_with("[redacted] more"), "{screen:?}");
    nowhere(&bot, &[KEY, "abcdefgh"]).await;
}

#[tokio::test(start_paused = true)]
async fn reasoning_tools_and_failures_are_masked_in_the_journal() {
    let bot = Bot::start().await;
    let mut call = tool("t");
    if let Act::Tool(tool) = &mut call.act {
        tool.arguments = Some(format!("{{\"api_key\": \"a1b2c3d4e5\", \"k\": \"{KEY}\"}}"));
        tool.result = Some("password=hunter2".to_owned());
        tool.name = format!("run {KEY}");
    }
    bot.says([
        Act::Reasoning("The key is sk-abcdefgh".to_owned()).into(),
        Act::Reasoning("ijklmnopqrstuvwx, I think.".to_owned()).into(),
        call,
        text("Done."),
        Act::Error(format!("401: {KEY} is no key")).into(),
    ]);
    bot.turn(platform::TELEGRAM, "hi").await;
    let reasoning = |kind| match kind {
        Kind::Reasoning { text } => Some(text),
        _ => None,
    };
    let reasoning: String = bot.kinds().await.into_iter().filter_map(reasoning).collect();
    assert_eq!(reasoning, "The key is [redacted], I think.");
    nowhere(&bot, &[KEY, "sk-abcdefgh", "a1b2c3d4e5", "hunter2"]).await;
    bot.check().await;
}

/// The words of a turn on a user's secret, as the journal has them, and the length of what went on to the
/// agent, as the first stage says it.
async fn told(config: &str) -> (String, String) {
    let bot = Bot::with(config).await;
    bot.says([text("ok")]);
    bot.turn(platform::TELEGRAM, "my password: hunter2").await;
    let kinds = bot.kinds().await;
    let length = kinds.iter().find_map(|kind| match kind {
        Kind::Passed {
            stage: Stage::Finalize,
            detail,
        } => Some(detail.clone()),
        _ => None,
    });
    (serde_json::to_string(&kinds).unwrap(), length.unwrap())
}

#[tokio::test(start_paused = true)]
async fn a_users_secret_is_read_by_the_agent_and_not_kept() {
    let (journal, length) = told("").await;
    assert!(journal.contains("my password: [redacted]") && !journal.contains("hunter2"));
    assert_eq!(length, "20 bytes of text", "as it was written");
    let (journal, length) = told("[redact]\ninbound = \"agent\"\n").await;
    assert!(journal.contains("my password: [redacted]") && !journal.contains("hunter2"));
    assert_eq!(length, "23 bytes of text", "masked before the agent");
    let (journal, length) = told("[redact]\ninbound = \"keep\"\n").await;
    assert!(journal.contains("my password: hunter2"));
    assert_eq!(length, "20 bytes of text");
}

#[tokio::test(start_paused = true)]
async fn the_operator_says_what_is_masked() {
    let said = "AKIAIOSFODNN7EXAMPLE, ACME-123456, ada@example.org, +49 30 1234567";
    let cases = [
        ("", "[redacted], ACME-123456, ada@example.org, +49 30 1234567"),
        ("[redact]\nenabled = false\n", said),
        ("[redact]\nallow = [\"AKIAIOSFODNN7EXAMPLE\"]\n", said),
        (
            "[redact]\nemail = true\nphone = true\n[[redact.extra]]\npattern = 'ACME-\\d{6}'\n",
            "[redacted], [redacted], [redacted], [redacted]",
        ),
    ];
    for (config, expected) in cases {
        let bot = Bot::with(config).await;
        bot.says([text(said)]);
        bot.turn(platform::SLACK, "hi").await;
        assert_eq!(bot.screen(platform::SLACK), [expected], "{config}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_secret_in_the_name_of_a_tool_is_masked_before_it_is_cut() {
    for display in ["compact", "full", "none"] {
        let bot = Bot::with(&format!("[output]\ntools = \"{display}\"\n")).await;
        // The chat shows 40 characters of a name: half a secret, which nobody would know as one.
        let name = format!("{}{KEY}", "read-the-file-with-the ");
        let called = |status, after_ms| {
            ScriptStep::from(Act::Tool(ToolStep {
                id: "t".into(),
                name: name.clone(),
                status,
                after_ms,
                arguments: None,
                result: None,
            }))
        };
        bot.says([
            called(ToolStatus::Running, 0),
            called(ToolStatus::Completed, 9_000),
            text("Done."),
        ]);
        let turn = bot.user(platform::TELEGRAM, "hi").await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        let line = bot.engine.session(&"telegram:c1".into()).await.unwrap().unwrap();
        let tool = line.running.unwrap().tool.unwrap();
        assert_eq!(tool, "read-the-file-with-the [redacted]", "the console");
        assert_eq!(turn.ended().await, Some(Terminal::Replied));
        let shown = bot.screen(platform::TELEGRAM).concat();
        assert_eq!(
            shown.contains("`read-the-file-with-the [redacted]`"),
            display != "none",
            "{shown}"
        );
        nowhere(&bot, &[KEY, "sk-a"]).await;
        bot.check().await;
    }
}

/// What is long is cut, and half a secret is not recognised as one.
#[tokio::test(start_paused = true)]
async fn nothing_is_cut_in_the_middle_of_a_secret() {
    let bot = Bot::with("[agent.permissions]\nin_chat = true\ntimeout = \"1s\"\n").await;
    let keys = format!("{KEY} ").repeat(8_000);
    let call = ToolStep {
        id: "t".into(),
        name: keys.clone(),
        status: ToolStatus::Completed,
        after_ms: 0,
        arguments: Some(keys.clone()),
        result: Some(keys.clone()),
    };
    let asked = serde_json::json!({"id": "p1", "title": keys, "arguments": keys});
    let asked: PermissionStep = serde_json::from_value(asked).unwrap();
    bot.says([
        Act::Tool(call).into(),
        Act::Permission(Box::new(asked)).into(),
        text("Done."),
    ]);
    bot.turn(platform::TELEGRAM, "hi").await;
    nowhere(&bot, &["sk-", "klmnop", "uvwx"]).await;
    let journal = serde_json::to_string(&bot.events().await).unwrap();
    assert!(journal.len() < 500_000, "{}", journal.len());
    bot.check().await;
}

/// A credential of our own may look like ordinary words.
#[tokio::test(start_paused = true)]
async fn a_credential_of_the_configuration_is_masked_by_its_value_wherever_it_stands() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("key");
    std::fs::write(&file, "lower.case.words\n").unwrap();
    let config = format!("[agent.openai]\napi_key = {{ file = \"{}\" }}\n", file.display());
    let bot = Bot::with(&config).await;
    bot.says([
        Act::Reasoning("It is lower.case.words then.".to_owned()).into(),
        text("I use lower."),
        text("case.words, no"),
        text("t lower.case.word."),
    ]);
    let turn = bot.turn(platform::TELEGRAM, "is it lower.case.words?").await;
    assert_eq!(turn, Terminal::Replied);
    assert_eq!(
        bot.screen(platform::TELEGRAM),
        ["I use [redacted], not lower.case.word."]
    );
    nowhere(&bot, &["lower.case.words"]).await;
    bot.check().await;
}
