//! Commands and directives over a whole bot: they are answered beside the runs, stored over restarts, and carried out once.

use crate::bot::{Bot, World, killed, runtime, text};
use foldback_agents::{Act, ScriptStep};
use foldback_channels::platform;
use foldback_pipeline::Rules;
use foldback_store::Journal as _;
use foldback_wire::{Actor, DirectiveScope, Kind, SettingSource, Terminal};
use std::time::Duration;

async fn pause() {
    tokio::time::sleep(Duration::from_secs(5)).await;
}

fn stall(ms: u64) -> ScriptStep {
    Act::Stall(ms).into()
}

async fn ends(bot: &Bot) -> Vec<Terminal> {
    let end = |kind| match kind {
        Kind::TurnEnded { terminal } => Some(terminal),
        _ => None,
    };
    bot.kinds().await.into_iter().filter_map(end).collect()
}

#[test]
fn what_a_directive_set_counts_over_a_restart_and_says_where_it_comes_from() {
    let set = async {
        let bot = Bot::start().await;
        let _turn = bot.user(platform::SIGNAL, "/reasoning on /queue cap:7").await;
        pause().await;
        bot
    };
    let world = killed(set);
    runtime().block_on(async {
        let bot = Bot::answering(world, "", Rules::all(), [text("hello")]).await;
        let turn = bot.user(platform::SIGNAL, "/reasoning off hi").await;
        assert_eq!(turn.ended().await, Some(Terminal::Replied));
        let resolved = bot.kinds().await.into_iter().find_map(|kind| match kind {
            Kind::SettingsResolved { settings } => Some(settings),
            _ => None,
        });
        let told: Vec<_> = resolved
            .unwrap()
            .into_iter()
            .map(|setting| (setting.setting, setting.value, setting.source))
            .collect();
        assert_eq!(
            told,
            [
                ("reasoning".into(), "off".into(), SettingSource::Inline),
                ("queue.cap".into(), "7".into(), SettingSource::Session),
            ]
        );
    });
}

#[tokio::test(start_paused = true)]
async fn a_level_for_all_counts_where_nobody_sets_one_and_says_that_it_is_global() {
    let settings = "[agent.defaults]\nthink = \"high\"\nverbose = \"on\"\nreasoning = \"stream\"\n\
                    [channels.signal]\nreasoning = \"hide\"\n";
    let agent = [ScriptStep::from(Act::Given("{think}".to_owned()))];
    let bot = Bot::answering(World::new(), settings, Rules::all(), agent).await;
    assert_eq!(bot.turn(platform::SIGNAL, "hi").await, Terminal::Replied);
    let resolved = bot.kinds().await.into_iter().find_map(|kind| match kind {
        Kind::SettingsResolved { settings } => Some(settings),
        _ => None,
    });
    let told = resolved.unwrap().into_iter();
    let told: Vec<_> = told
        .map(|set| format!("{} {} ({})", set.setting, set.value, set.source))
        .collect();
    assert_eq!(
        told,
        [
            "think high (global)",
            "verbose on (global)",
            "reasoning off (channel)"
        ]
    );
    bot.turn(platform::SIGNAL, "/status").await;
    let screen = bot.screen(platform::SIGNAL);
    let [answer, status] = screen.as_slice() else {
        panic!("{screen:?}")
    };
    assert_eq!(answer, "high");
    assert!(
        status.ends_with("\nSet: think high (global), verbose on (global), reasoning off (channel)"),
        "{status}"
    );
    bot.check().await;
}

#[test]
fn a_change_of_a_session_is_told_with_its_author_and_what_it_was_before() {
    runtime().block_on(async {
        let bot = Bot::start().await;
        for words in ["/verbose on", "/verbose full", "/verbose full"] {
            let turn = bot.user(platform::TELEGRAM, words).await;
            assert_eq!(turn.ended().await, Some(Terminal::DirectiveAck));
        }
        let changes: Vec<_> = bot
            .kinds()
            .await
            .into_iter()
            .filter_map(|kind| match kind {
                Kind::SettingsChanged { changes, by } => {
                    Some((changes[0].from.clone(), changes[0].to.clone(), by))
                }
                _ => None,
            })
            .collect();
        let alice = || Actor::User("alice".into());
        assert_eq!(
            changes,
            [
                (None, Some("on".into()), alice()),
                (Some("on".into()), Some("full".into()), alice()),
            ]
        );
    });
}

#[test]
fn a_command_is_carried_out_and_answered_once_whatever_a_kill_leaves() {
    // The answer is held while the channel is off; the kill leaves it in the outbox.
    let asked = async {
        let bot = Bot::start().await;
        let signal = "signal".into();
        let off = bot.engine.toggle(&signal, false, Actor::Pipeline, "a test");
        off.await.unwrap();
        let _turn = bot.user(platform::SIGNAL, "/whoami").await;
        pause().await;
        bot
    };
    let world = killed(asked);
    runtime().block_on(async {
        let bot = Bot::answering(world, "", Rules::all(), []).await;
        let signal = "signal".into();
        let on = bot.engine.toggle(&signal, true, Actor::Pipeline, "a test");
        on.await.unwrap();
        tokio::time::sleep(Duration::from_secs(30)).await;
        let screen = bot.screen(platform::SIGNAL);
        assert_eq!(screen.len(), 1, "{screen:?}");
        assert!(screen[0].contains("Your id: `alice`"), "{screen:?}");
        let whoami = Terminal::Command {
            name: "whoami".into(),
        };
        assert_eq!(ends(&bot).await, [whoami]);
    });
}

#[test]
fn a_stop_word_stops_the_run_and_drops_what_waits() {
    runtime().block_on(async {
        let bot = Bot::start().await;
        bot.says([text("One star."), stall(3_600_000)]);
        let first = bot.user(platform::DISCORD, "Count the stars").await;
        pause().await;
        let second = bot.user(platform::DISCORD, "And the moons").await;
        let stop = bot.user(platform::DISCORD, "please stop…").await;
        assert_eq!(
            stop.ended().await,
            Some(Terminal::Command { name: "stop".into() })
        );
        assert_eq!(second.ended().await, Some(Terminal::Dropped));
        assert!(matches!(first.ended().await, Some(Terminal::Failed { .. })));
        let cancelled = bot.kinds().await.into_iter().find_map(|kind| match kind {
            Kind::RunCancelled { by, .. } => Some(by),
            _ => None,
        });
        assert_eq!(cancelled, Some(Actor::User("alice".into())));
    });
}

#[test]
fn a_refused_directive_or_command_is_text_and_says_which_setting_decides() {
    runtime().block_on(async {
        let config = "[commands]\nowner_allow_from = [\"root\"]\n";
        for words in ["/think high explain", "/models", "please stop"] {
            let bot = Bot::answering(World::new(), config, Rules::all(), [text("ok")]).await;
            let turn = bot.user(platform::TELEGRAM, words).await;
            assert_eq!(turn.ended().await, Some(Terminal::Replied));
            let kinds = bot.kinds().await;
            let read = kinds.iter().find_map(|kind| match kind {
                Kind::InlineDirectives(read) => Some(read),
                _ => None,
            });
            let read = read.unwrap_or_else(|| panic!("{words}: nothing is recorded"));
            assert_eq!(read.scope, DirectiveScope::Refused);
            assert_eq!(read.setting.as_deref(), Some("commands.owner_allow_from"));
            let prompt = kinds.iter().find_map(|kind| match kind {
                Kind::Prepared { prompt } => Some(prompt.as_str()),
                _ => None,
            });
            assert!(prompt.unwrap().ends_with(words), "{words}");
        }
    });
}

#[test]
fn a_command_for_owners_of_somebody_else_is_not_carried_out_and_says_which_setting_decides() {
    runtime().block_on(async {
        let config = "[commands]\nbash = true\nrestart = true\nowner_allow_from = [\"root\"]\nallow_from = {\"*\" = [\"*\"]}\n\
                      [commands.custom.deploy]\nrun = [\"/bin/true\"]\n";
        for (words, setting) in [
            ("/bash echo out", "commands.owner_allow_from"),
            ("/restart", "commands.owner_allow_from"),
            ("/send off", "commands.owner_allow_from"),
            ("/deploy", "commands.custom.deploy.allow_from"),
        ] {
            let bot = Bot::answering(World::new(), config, Rules::all(), []).await;
            let end = bot.turn(platform::TELEGRAM, words).await;
            assert!(matches!(end, Terminal::Command { .. }), "{words}: {end}");
            let kinds = bot.kinds().await;
            let refused = kinds.iter().find_map(|kind| match kind {
                Kind::InlineDirectives(read) => Some(read),
                _ => None,
            });
            let refused = refused.unwrap_or_else(|| panic!("{words}: nothing is recorded"));
            assert_eq!(refused.scope, DirectiveScope::Refused);
            assert_eq!(refused.setting.as_deref(), Some(setting), "{words}");
            assert_eq!(bot.screen(platform::TELEGRAM), [""; 0], "{words}");
            assert!(!bot.engine.restart_asked().is_cancelled());
        }
    });
}

#[test]
fn a_new_session_clears_what_was_set_but_not_what_an_owner_closed() {
    runtime().block_on(async {
        let config = "[commands]\nowner_allow_from = [\"alice\"]\n";
        let bot = Bot::answering(World::new(), config, Rules::all(), []).await;
        for words in ["/verbose on", "/send off", "/new"] {
            let _ended = bot.user(platform::TELEGRAM, words).await.ended().await;
        }
        let (records, _) = bot.journal.sessions(9).await.unwrap();
        let settings: Vec<_> = records[0].settings.written();
        assert_eq!(settings, [("send", "deny".to_owned())]);
    });
}

/// A line of the vectors of the reader.
#[derive(serde::Deserialize)]
struct Vector {
    id: String,
    input: String,
    #[serde(default)]
    settings: VectorSettings,
    expect: Expected,
}

/// What the reader knows beside the text.
#[derive(Default, serde::Deserialize)]
#[serde(default)]
struct VectorSettings {
    authorized: Option<bool>,
    aliases: Vec<String>,
    models: Option<Vec<String>>,
    think: Option<Vec<String>>,
}

impl VectorSettings {
    /// The configuration with which the pipeline knows the same; `None` for what it learns of an agent.
    fn config(&self) -> Option<String> {
        if self.models.is_some() || self.think.is_some() {
            return None;
        }
        let mut config = "[commands]\nowner_allow_from = [\"alice\"]\n".to_owned();
        if self.authorized == Some(false) {
            config += "allow_from = {\"*\" = [\"root\"]}\n";
        }
        config += "[agent.models]\n";
        let models = self
            .aliases
            .iter()
            .map(|alias| format!("{alias} = \"script/{alias}\"\n"));
        config.extend(models);
        Some(config)
    }
}

#[derive(Default, serde::Deserialize)]
#[serde(default)]
struct Expected {
    cleaned: Option<String>,
    directive_only: bool,
    directives: serde_json::Map<String, serde_json::Value>,
}

/// The pipeline takes out of a message what the reader says, and gives the agent the rest.
#[test]
fn every_vector_of_the_reader_is_read_the_same_on_the_way_to_the_agent() {
    runtime().block_on(async {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/vectors");
        let mut count = 0;
        for file in ["inbound.jsonl", "own-inbound.jsonl"] {
            let lines = std::fs::read_to_string(format!("{folder}/{file}")).unwrap();
            for line in lines.lines() {
                let vector: Vector = serde_json::from_str(line).unwrap();
                // A message without text is none, and one with CR has another text behind the first stage.
                let Some(config) = vector.settings.config() else {
                    continue;
                };
                let is_same_behind = !vector.input.trim().is_empty() && !vector.input.contains('\r');
                if !is_same_behind || vector.expect.cleaned.is_none() {
                    continue;
                }
                assert_read_alike(&vector, &config).await;
                count += 1;
            }
        }
        assert!(count > 80, "{count} vectors");
    });
}

async fn assert_read_alike(vector: &Vector, config: &str) {
    let bot = Bot::answering(World::new(), config, Rules::all(), [text("ok")]).await;
    let ended = bot.user(platform::TELEGRAM, &vector.input).await.ended().await;
    let kinds = bot.kinds().await;
    let prompt = kinds.iter().find_map(|kind| match kind {
        Kind::Prepared { prompt } => Some(prompt.as_str()),
        _ => None,
    });
    let Vector {
        id, input, expect, ..
    } = vector;
    if let Some(Terminal::Command { name }) = &ended {
        // Commands come before directives; one name is both.
        let known = expect.directives.is_empty() || expect.directives.contains_key(name);
        assert!(known, "{id}: {input} is the command {name}");
        return;
    }
    if expect.directive_only {
        assert_eq!(ended, Some(Terminal::DirectiveAck), "{id}: {input}");
        assert_eq!(prompt, None, "{id}: the agent is not asked");
    } else {
        let prompt = prompt.unwrap_or_else(|| panic!("{id}: {input} ended as {ended:?}"));
        let given = prompt.rsplit("was written by the sender.\n\n").next();
        assert_eq!(given, expect.cleaned.as_deref(), "{id}: {input}");
    }
}

#[test]
fn the_cap_of_a_session_comes_before_the_configured_one() {
    runtime().block_on(async {
        let bot = Bot::start().await;
        let _ended = bot.user(platform::TELEGRAM, "/queue cap:1").await.ended().await;
        bot.says([stall(3_600_000)]);
        let _runs = bot.user(platform::TELEGRAM, "one").await;
        pause().await;
        let _waits = bot.user(platform::TELEGRAM, "two").await;
        let full = bot.user(platform::TELEGRAM, "three").await.ended().await;
        let gate = foldback_wire::Gate::QueueFull;
        assert_eq!(full, Some(Terminal::Blocked { gate }));
    });
}

#[tokio::test(start_paused = true)]
async fn status_and_context_tell_of_the_latest_answer_whatever_did_not_run_since() {
    let settings = "[commands]\nowner_allow_from = [\"alice\"]\n";
    let bot = Bot::with(settings).await;
    let used = Act::Usage(foldback_wire::Usage {
        input: 100,
        output: 20,
    });
    bot.says([text("One star."), used.into()]);
    let asked = async |words: &str| {
        bot.turn(platform::SIGNAL, words).await;
        bot.screen(platform::SIGNAL).last().cloned().unwrap()
    };
    asked("Count the stars").await;
    asked("/send off").await;
    let gate = foldback_wire::Gate::SendDenied;
    assert_eq!(
        bot.turn(platform::SIGNAL, "hello?").await,
        Terminal::Blocked { gate }
    );
    let context = asked("/context").await;
    assert!(context.starts_with("ℹ️ The agent was given "), "{context}");
    let status = asked("/status").await;
    assert!(
        status.contains("Last answer: 100 tokens read, 20 written"),
        "{status}"
    );
    asked("/new").await;
    let context = asked("/context").await;
    assert!(
        context.contains("was not asked anything in this conversation yet"),
        "{context}"
    );
    assert!(!asked("/status").await.contains("Last answer"));
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn the_bytes_of_directives_count_from_the_text_in_the_journal() {
    let bot = Bot::start().await;
    bot.says([text("hello")]);
    bot.turn(platform::SIGNAL, "line one\r\nline two\r\n/think high\r\nend")
        .await;
    let (mut message, mut spans) = (None, Vec::new());
    for kind in bot.kinds().await {
        match kind {
            Kind::Received { message: received } => message = Some(received.text),
            Kind::InlineDirectives(read) => spans = read.spans,
            _ => {}
        }
    }
    let message = message.unwrap();
    assert_eq!(message, "line one\nline two\n/think high\nend");
    let marked: Vec<_> = spans.iter().map(|span| &message[span.start..span.end]).collect();
    assert_eq!(marked, ["/think high"]);
}

#[tokio::test(start_paused = true)]
async fn a_default_or_a_reset_beside_text_counts_for_its_turn_alone() {
    let bot = Bot::start().await;
    bot.turn(platform::SIGNAL, "/think high /model a/b /queue collect")
        .await;
    let mut resolved = Vec::new();
    for words in ["/think default hi", "/model default hi", "hi"] {
        bot.says([text("hello")]);
        let turn = bot.user(platform::SIGNAL, words).await;
        let id = turn.id;
        assert_eq!(turn.ended().await, Some(Terminal::Replied), "{words}");
        let settings = bot
            .journal
            .turn(id)
            .await
            .unwrap()
            .into_iter()
            .find_map(|event| match event.kind {
                Kind::SettingsResolved { settings } => Some(settings),
                _ => None,
            });
        let names = settings.unwrap().into_iter().map(|set| set.setting);
        resolved.push(names.collect::<Vec<_>>().join(" "));
    }
    assert_eq!(
        resolved,
        ["model queue.mode", "think queue.mode", "think model queue.mode"]
    );
    bot.says([stall(3_000), text("slow")]);
    let _slow = bot.user(platform::SIGNAL, "slow please").await;
    let turn = bot.user(platform::SIGNAL, "/queue reset hello").await;
    pause().await;
    let events = bot.journal.turn(turn.id).await.unwrap();
    let mode = events.into_iter().find_map(|event| match event.kind {
        Kind::SettingsResolved { settings } => settings.into_iter().find(|set| set.setting == "queue.mode"),
        _ => None,
    });
    assert_eq!(mode.map(|mode| mode.source), Some(SettingSource::Global));
}
