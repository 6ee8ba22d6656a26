//! Messages that come while a conversation is busy, in each mode of the queue; also over a kill.

use crate::bot::{Bot, killed, later, runtime, text};
use foldback_agents::{Act, ScriptStep};
use foldback_channels::platform;
use foldback_pipeline::Rules;
use foldback_wire::{Event, JoinKind, Kind, Platform, SettingSource, Terminal, TurnId};
use std::time::Duration;

const ON: Platform = platform::TELEGRAM;

async fn pause(ms: u64) {
    tokio::time::sleep(Duration::from_millis(ms)).await;
}

fn stall(ms: u64) -> ScriptStep {
    Act::Stall(ms).into()
}

/// The script waits for a message that is given to it, and says it.
fn waits_for_input() -> ScriptStep {
    serde_json::from_str(r#"{"steered": {"then": [{"given": " And {steered}."}]}}"#).unwrap()
}

async fn events_of(bot: &Bot, turn: TurnId) -> Vec<Event> {
    let mut events = bot.events().await;
    events.retain(|event| event.turn == Some(turn));
    events
}

async fn not_steered(bot: &Bot) -> Vec<(Option<TurnId>, String)> {
    let why = |kind| match kind {
        Kind::NotSteered { running, why } => Some((running, why)),
        _ => None,
    };
    bot.kinds().await.into_iter().filter_map(why).collect()
}

async fn prompt_of(bot: &Bot, turn: TurnId) -> String {
    let mut prompts = events_of(bot, turn)
        .await
        .into_iter()
        .filter_map(|event| match event.kind {
            Kind::Prepared { prompt } => Some(prompt),
            _ => None,
        });
    prompts.next_back().unwrap_or_default()
}

#[tokio::test(start_paused = true)]
async fn what_is_steered_belongs_to_the_run_and_ends_with_it() {
    let bot = Bot::with("[queue]\nmode = \"steer\"\n").await;
    bot.says([text("One star."), waits_for_input(), later(3_000, " Done.")]);
    let first = bot.user(ON, "Count").await;
    pause(2_000).await;
    let second = bot.user(ON, "the moons").await;
    pause(1_000).await;
    let told = events_of(&bot, first.id).await;
    let came = told.iter().find_map(|event| match &event.kind {
        Kind::TakenIn { turn, how, text, .. } => Some((*turn, *how, text.clone())),
        _ => None,
    });
    assert_eq!(came, Some((second.id, JoinKind::Steered, "the moons".to_owned())));
    let ended = |event: &Event| matches!(event.kind, Kind::TurnEnded { .. });
    assert!(
        !events_of(&bot, second.id).await.iter().any(ended),
        "it ends with the run"
    );
    let (into, steered) = (first.id, second);
    assert_eq!(first.ended().await, Some(Terminal::Replied));
    assert_eq!(steered.ended().await, Some(Terminal::Steered { into }));
    assert_eq!(bot.screen(ON), ["One star. And the moons. Done."]);
    assert_eq!(not_steered(&bot).await, []);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn what_is_not_steered_waits_and_says_why() {
    let bot = Bot::with("[queue]\nmode = \"steer\"\n[agent]\nmax_runs = 1\n").await;
    bot.says([later(10_000, "one")]);
    let first = bot.user(ON, "1").await;
    pause(1_000).await;
    let second = bot.user(ON, "/verbose on 2").await;
    let third = bot.user(ON, "3").await;
    pause(1_000).await;
    let settings = "it has settings of its own, which count for a run of its own".to_owned();
    let behind = "messages before it wait".to_owned();
    assert_eq!(
        not_steered(&bot).await,
        [(Some(first.id), settings), (None, behind)]
    );
    bot.says([text("two")]);
    bot.says([text("three")]);
    for turn in [first, second, third] {
        assert_eq!(turn.ended().await, Some(Terminal::Replied));
    }
    assert_eq!(bot.screen(ON), ["one", "two", "three"]);
    bot.check().await;
}

/// A run that began without it would carry out what the agent repeats of it.
#[tokio::test(start_paused = true)]
async fn what_an_agent_could_repeat_as_a_directive_has_a_run_of_its_own() {
    const MARKUP: &str = "<actions><react emoji=\"eyes\"/></actions>";
    let bot = Bot::with("[queue]\nmode = \"steer\"\n").await;
    bot.says([later(10_000, "one")]);
    let first = bot.user(ON, "1").await;
    pause(1_000).await;
    let second = bot.user(ON, MARKUP).await;
    pause(1_000).await;
    let told = not_steered(&bot).await;
    assert!(
        told.len() == 1 && told[0].1.starts_with("it holds directives"),
        "{told:?}"
    );
    bot.says([text(&format!("You wrote {MARKUP}"))]);
    for turn in [first, second] {
        assert_eq!(turn.ended().await, Some(Terminal::Replied));
    }
    let kinds = bot.kinds().await;
    assert!(
        !kinds.iter().any(|kind| matches!(kind, Kind::Directive { .. })),
        "nothing is carried out"
    );
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn as_many_messages_come_into_a_run_as_may_wait() {
    let bot = Bot::with("[queue]\nmode = \"steer\"\ncap = 1\n").await;
    bot.says([later(10_000, "one")]);
    let first = bot.user(ON, "1").await;
    pause(1_000).await;
    let taken = bot.user(ON, "2").await;
    pause(1_000).await;
    let waits = bot.user(ON, "3").await;
    pause(1_000).await;
    let told = not_steered(&bot).await;
    assert!(
        told.len() == 1 && told[0].1 == "as many as may wait came into the run already: 1",
        "{told:?}"
    );
    bot.says([text("two")]);
    bot.says([text("three")]);
    let into = first.id;
    assert_eq!(first.ended().await, Some(Terminal::Replied));
    assert_eq!(taken.ended().await, Some(Terminal::Steered { into }));
    assert_eq!(waits.ended().await, Some(Terminal::Replied));
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_message_of_another_chat_is_never_given_to_a_run() {
    let config = "[session]\nscope = \"global\"\n[queue]\nmode = \"steer\"\n";
    let bot = Bot::with(config).await;
    bot.says([later(10_000, "to telegram")]);
    let first = bot.user(platform::TELEGRAM, "1").await;
    pause(1_000).await;
    let second = bot.user(platform::SLACK, "2").await;
    pause(100).await;
    bot.says([text("to slack")]);
    assert_eq!(first.ended().await, Some(Terminal::Replied));
    assert_eq!(second.ended().await, Some(Terminal::Replied));
    assert_eq!(bot.screen(platform::TELEGRAM), ["to telegram"]);
    assert_eq!(bot.screen(platform::SLACK), ["to slack"]);
    assert_eq!(not_steered(&bot).await[0].1, "the run answers another chat");
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn what_is_collected_waits_for_quiet_and_chats_are_never_mixed() {
    let config = "[session]\nscope = \"global\"\n[queue]\nmode = \"collect\"\ndebounce = \"2s\"\n";
    let bot = Bot::with(config).await;
    bot.says([later(5_000, "first")]);
    let first = bot.user(ON, "0").await;
    pause(1_000).await;
    let telegram_1 = bot.user(ON, "alpha").await;
    let telegram_2 = bot.user(ON, "beta").await;
    let slack = bot.user(platform::SLACK, "gamma").await;
    bot.says([text("alpha and beta")]);
    bot.says([text("gamma")]);
    assert_eq!(first.ended().await, Some(Terminal::Replied));
    let (into, last) = (telegram_2.id, slack.id);
    assert_eq!(telegram_2.ended().await, Some(Terminal::Replied));
    assert_eq!(telegram_1.ended().await, Some(Terminal::Collected { into }));
    assert_eq!(slack.ended().await, Some(Terminal::Replied));
    let prompt = prompt_of(&bot, into).await;
    assert!(
        prompt.contains("alpha") && prompt.ends_with("beta") && !prompt.contains("gamma"),
        "{prompt}"
    );
    assert!(!prompt_of(&bot, last).await.contains("alpha"));
    assert_eq!(bot.screen(ON), ["first", "alpha and beta"]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_chat_that_is_never_quiet_is_answered_all_the_same() {
    let bot = Bot::with("[queue]\nmode = \"collect\"\ndebounce = \"2s\"\n").await;
    bot.says([later(1_000, "first")]);
    let _first = bot.user(ON, "0").await;
    bot.says([text("enough")]);
    for n in 1..=12 {
        pause(1_000).await;
        let _more = bot.user(ON, &n.to_string()).await;
    }
    assert_eq!(bot.screen(ON), ["first", "enough"], "after 5 times the delay");
}

#[tokio::test(start_paused = true)]
async fn an_interrupted_turn_says_which_message_interrupted_it() {
    let bot = Bot::with("[queue]\nmode = \"interrupt\"\n").await;
    bot.says([text("So far"), stall(3_600_000)]);
    let first = bot.user(ON, "1").await;
    pause(2_000).await;
    bot.says([text("anew")]);
    let second = bot.user(ON, "2").await;
    let by = second.id;
    let turn = first.id;
    assert!(matches!(first.ended().await, Some(Terminal::Failed { .. })));
    assert_eq!(second.ended().await, Some(Terminal::Replied));
    let interrupted = |event: &Event| matches!(event.kind, Kind::RunCancelled { interrupted_by: Some(turn), .. } if turn == by);
    assert!(events_of(&bot, turn).await.iter().any(interrupted));
    assert_eq!(bot.screen(ON), ["So far", "⏹️ Stopped.", "anew"]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn each_way_to_drop_names_its_setting() {
    for (drop, ends) in [
        ("old", "dropped replied"),
        ("new", "replied blocked(queue_full)"),
        ("summarize", "summarised replied"),
    ] {
        let bot = Bot::with(&format!("[queue]\ncap = 1\ndrop = \"{drop}\"\n")).await;
        bot.says([later(5_000, "one")]);
        let _first = bot.user(ON, "1").await;
        pause(1_000).await;
        let turns = [bot.user(ON, "22222").await, bot.user(ON, "33333").await];
        let last = turns[1].id;
        bot.says([text("more")]);
        let mut ended = Vec::new();
        for turn in turns {
            ended.push(turn.ended().await.unwrap().to_string());
        }
        assert_eq!(ended.join(" "), ends);
        let prompt = prompt_of(&bot, last).await;
        assert_eq!(prompt.contains("22222"), drop == "summarize", "{prompt}");
        let named = bot.kinds().await.into_iter().find_map(|kind| match kind {
            Kind::Evicted { setting, .. } => Some(setting),
            Kind::Stopping { setting, .. } => setting,
            _ => None,
        });
        let setting = if drop == "new" { "queue.cap" } else { "queue.drop" };
        assert_eq!(named.as_deref(), Some(setting));
        bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_message_that_waits_tells_the_settings_with_their_sources() {
    let bot = Bot::with("[queue]\ncap = 3\n[channels.telegram.queue]\ndebounce = \"1s\"\n").await;
    let _set = bot.user(ON, "/queue drop:old").await.ended().await;
    bot.says([later(5_000, "one")]);
    let _first = bot.user(ON, "1").await;
    bot.says([text("two")]);
    let second = bot.user(ON, "/queue cap:9 2").await;
    let events = events_of(&bot, second.id).await;
    let told = events.into_iter().find_map(|event| match event.kind {
        Kind::SettingsResolved { settings } => Some(settings),
        _ => None,
    });
    let told: Vec<_> = told
        .unwrap()
        .into_iter()
        .map(|set| (set.value, set.source))
        .collect();
    let expected = [
        ("followup", SettingSource::Global),
        ("1 second", SettingSource::Channel),
        ("9", SettingSource::Inline),
        ("old", SettingSource::Session),
    ];
    assert_eq!(told, expected.map(|(value, source)| (value.to_owned(), source)));
    assert_eq!(second.ended().await, Some(Terminal::Replied));
}

/// The texts of the messages that began a run, in order.
async fn runs(bot: &Bot) -> Vec<String> {
    let events = bot.events().await;
    let started = events
        .iter()
        .filter(|event| matches!(event.kind, Kind::RunStarted { .. }));
    let text_of = |turn| {
        events.iter().find_map(|event| match &event.kind {
            Kind::Received { message } if event.turn == turn => Some(message.text.clone()),
            _ => None,
        })
    };
    started.filter_map(|event| text_of(event.turn)).collect()
}

#[tokio::test(start_paused = true)]
async fn what_a_new_session_has_set_counts_for_what_waits_there() {
    let bot = Bot::with("").await;
    bot.turn(ON, "/queue collect debounce:60s").await;
    bot.says([later(5_000, "one")]);
    let _first = bot.user(ON, "1").await;
    for word in ["2", "3", "/new 4"] {
        pause(100).await;
        bot.says([text("more")]);
        let _waits = bot.user(ON, word).await;
    }
    pause(20_000).await;
    assert_eq!(
        runs(&bot).await,
        ["1", "2", "3", "/new 4"],
        "each after the other"
    );
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn what_the_end_of_a_session_cleared_counts_for_what_waits_there() {
    let bot = Bot::with("[agent]\nmax_runs = 1\n[session.reset]\nidle = \"1m\"\n").await;
    bot.says([later(100_000, "busy")]);
    let _busy = bot.user(platform::SLACK, "busy").await;
    bot.turn(ON, "/queue collect debounce:0").await;
    for (word, after) in [("1", 0), ("2", 100), ("3", 70_000)] {
        pause(after).await;
        bot.says([text("more")]);
        let _waits = bot.user(ON, word).await;
    }
    pause(100_000).await;
    assert_eq!(runs(&bot).await, ["busy", "1", "2", "3"], "each after the other");
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_shorter_wait_for_quiet_counts_for_what_waits_for_it() {
    let bot = Bot::with("[queue]\nmode = \"collect\"\ndebounce = \"50s\"\n").await;
    bot.says([later(5_000, "one")]);
    let _first = bot.user(ON, "1").await;
    pause(100).await;
    bot.says([text("two")]);
    let second = bot.user(ON, "2").await;
    pause(9_900).await;
    assert_eq!(runs(&bot).await, ["1"]);
    bot.turn(ON, "/queue debounce:0").await;
    let began = bot.now_ms();
    assert_eq!(second.ended().await, Some(Terminal::Replied));
    assert!(bot.now_ms() - began < 5_000, "it does not wait on");
    bot.check().await;
}

#[test]
fn what_waits_in_each_mode_survives_a_kill() {
    for mode in ["steer", "followup", "collect", "interrupt", "steer-backlog"] {
        let config = format!("[queue]\nmode = \"{mode}\"\n[agent]\nmax_runs = 1\n");
        let world = killed(async {
            let bot = Bot::with(&config).await;
            // The only run is another conversation's, so that nothing can be steered.
            bot.says([stall(3_600_000)]);
            let _busy = bot.user(platform::SLACK, "busy").await;
            pause(1_000).await;
            for text in ["alpha", "beta"] {
                let _waits = bot.user(ON, text).await;
                pause(1_000).await;
            }
            bot
        });
        runtime().block_on(async {
            let answers = [text("one"), text("two")];
            let bot = Bot::answering(world, &config, Rules::all(), answers).await;
            pause(60_000).await;
            let screen = bot.screen(ON).join(" ");
            let expected = match mode {
                "collect" => "one",
                // The second one goes into the run of the first, or after it.
                _ => "one two",
            };
            assert_eq!(screen.replace("onetwo", "one two"), expected, "{mode}");
            let prompts = bot.kinds().await.into_iter().filter_map(|kind| match kind {
                Kind::Prepared { prompt } => Some(prompt),
                _ => None,
            });
            let prompts: Vec<_> = prompts.collect();
            for word in ["alpha", "beta"] {
                assert!(
                    prompts.iter().any(|prompt| prompt.contains(word)),
                    "{mode}: {word} is lost"
                );
            }
        });
    }
}

#[test]
fn what_joined_a_run_that_a_kill_cut_off_is_told() {
    let steered = async {
        let bot = Bot::with("[queue]\nmode = \"steer\"\n").await;
        bot.says([text("One star."), waits_for_input(), stall(3_600_000)]);
        let _first = bot.user(ON, "Count").await;
        pause(2_000).await;
        let _second = bot.user(ON, "the moons").await;
        pause(2_000).await;
        bot
    };
    let collected = async {
        let bot = Bot::with("[queue]\nmode = \"collect\"\n").await;
        bot.says([later(3_000, "One star.")]);
        let _first = bot.user(ON, "Count").await;
        bot.says([text("Two."), stall(3_600_000)]);
        for text in ["the moons", "and suns"] {
            pause(1_000).await;
            let _more = bot.user(ON, text).await;
        }
        pause(10_000).await;
        bot
    };
    for world in [killed(steered), killed(collected)] {
        runtime().block_on(async {
            let bot = Bot::in_world(world, "", Rules::all()).await;
            pause(60_000).await;
            let events = bot.events().await;
            let joined = events
                .iter()
                .find(|event| matches!(event.kind, Kind::Joined { .. }))
                .unwrap();
            let end = events.iter().find_map(|event| match &event.kind {
                Kind::TurnEnded { terminal } if event.turn == joined.turn => Some(terminal.to_string()),
                _ => None,
            });
            let end = end.unwrap();
            assert!(
                end.starts_with("failed(the process ended while the agent of turn "),
                "{end}"
            );
            bot.check().await;
        });
    }
}

/// A conversation with room for one message, into which three come while its agent is at work, and the end of each.
async fn three_in_backlog(drop: &str) -> (Bot, [Terminal; 4]) {
    let settings = format!("[queue]\nmode = \"steer-backlog\"\ncap = 1\ndrop = \"{drop}\"\n");
    let bot = Bot::with(&settings).await;
    bot.says([text("One star."), waits_for_input(), later(10_000, " Done.")]);
    let first = bot.user(ON, "1").await;
    let mut turns = vec![first];
    for words in ["2", "3", "4"] {
        pause(1_000).await;
        turns.push(bot.user(ON, words).await);
    }
    pause(1_000).await;
    for words in ["two", "three", "four"] {
        bot.says([text(words)]);
    }
    let mut ends = Vec::new();
    for turn in turns {
        ends.push(turn.ended().await.unwrap());
    }
    (bot, ends.try_into().unwrap())
}

#[tokio::test(start_paused = true)]
async fn what_the_agent_has_and_finds_no_place_to_wait_ends_with_the_run() {
    let (bot, [first, second, third, fourth]) = three_in_backlog("old").await;
    assert_eq!(first, Terminal::Replied);
    assert!(matches!(second, Terminal::Steered { .. }), "{second:?}");
    assert_eq!(
        third,
        Terminal::Dropped,
        "the agent does not have it: one came in already"
    );
    assert_eq!(fourth, Terminal::Replied);
    let told = not_steered(&bot).await;
    let full = "as many as may wait came into the run already: 1";
    assert_eq!(told[0].1, full, "{told:?}");
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn what_steers_and_waits_counts_as_much_as_what_only_steers() {
    let (bot, [first, second, third, fourth]) = three_in_backlog("new").await;
    assert_eq!([first, second], [Terminal::Replied, Terminal::Replied]);
    let gate = foldback_wire::Gate::QueueFull;
    assert_eq!(
        [third, fourth],
        [Terminal::Blocked { gate }, Terminal::Blocked { gate }]
    );
    bot.check().await;
}

/// What an earlier run was given waits still, and fills the queue.
#[tokio::test(start_paused = true)]
async fn what_the_agent_has_is_not_blocked_where_the_queue_is_full() {
    for (drop, third_end, fifth_end) in [("new", None, Some(1)), ("old", Some(0), None)] {
        let settings = format!("[queue]\nmode = \"steer-backlog\"\ncap = 2\ndrop = \"{drop}\"\n");
        let bot = Bot::with(&settings).await;
        bot.says([later(10_000, "one")]);
        // The script answers a message that it did not wait for at the end of its run.
        for words in ["given 2", "given 3"] {
            bot.says([text(words)]);
        }
        bot.says([later(10_000, "two")]);
        for words in ["given 4", "given 5", "own", "last"] {
            bot.says([text(words)]);
        }
        let mut turns = vec![bot.user(ON, "1").await];
        for words in ["2", "3"] {
            pause(1_000).await;
            turns.push(bot.user(ON, words).await);
        }
        pause(10_000).await;
        for words in ["4", "5"] {
            turns.push(bot.user(ON, words).await);
            pause(1_000).await;
        }
        let ids: Vec<_> = turns.iter().map(|turn| turn.id).collect();
        let steered =
            |into: Option<usize>| into.map_or(Terminal::Replied, |at| Terminal::Steered { into: ids[at] });
        let mut ends = Vec::new();
        for turn in turns {
            ends.push(turn.ended().await.unwrap());
        }
        let (replied, third, fifth) = (Terminal::Replied, steered(third_end), steered(fifth_end));
        assert_eq!(
            ends,
            [replied.clone(), replied.clone(), third, replied, fifth],
            "{drop}"
        );
        bot.check().await;
    }
}
