//! An agent asks before it uses a tool: who decides, what comes of it, and what happens when nobody does.

use crate::bot::{Bot, World, killed, runtime, text};
use async_trait::async_trait;
use foldback_agents::{
    Act, Agent, AgentEvent, PermissionStep, ScriptAgent, ScriptStep, Step, StepSink, TurnRequest,
};
use foldback_pipeline::{PermissionFault, Rules, Turn, config};
use foldback_wire::{
    Actor, Attachment, Clock as _, Doing, Gate, Kind, PermissionId, PermissionOption, PermissionRequest,
    Platform, RunId, StopReason, Terminal, UserId, rpc::PendingPermission,
};
use std::{
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

const PLATFORM: Platform = Platform::Telegram;

/// Asks whether it may, and says how it goes on.
fn may_it(does: &str, options: serde_json::Value) -> ScriptStep {
    let mut step = serde_json::json!({
        "id": "p1", "title": "remove build/", "does": does,
        "allowed": ["Removed."], "rejected": ["Left alone."], "cancelled": ["Never mind."],
    });
    if !options.is_null() {
        step["options"] = options;
    }
    let step: PermissionStep = serde_json::from_value(step).unwrap();
    Act::Permission(Box::new(step)).into()
}

fn usual(does: &str) -> ScriptStep {
    may_it(does, serde_json::Value::Null)
}

async fn soon() {
    tokio::time::sleep(Duration::from_millis(5)).await;
}

fn only(bot: &Bot) -> PendingPermission {
    let mut waiting = bot.engine.permissions();
    assert_eq!(waiting.len(), 1, "{waiting:?}");
    waiting.remove(0)
}

/// Who decided, and the id of the option.
async fn decisions(bot: &Bot) -> Vec<(Actor, Option<String>)> {
    let decided = |kind: Kind| match kind {
        Kind::PermissionDecided { option, by, .. } => Some((by, option.map(|option| option.id))),
        _ => None,
    };
    bot.kinds().await.into_iter().filter_map(decided).collect()
}

#[tokio::test(start_paused = true)]
async fn a_person_at_the_console_decides_once() {
    let bot = Bot::start().await;
    for (option, says) in [
        (Some("allow"), "Removed."),
        (Some("reject"), "Left alone."),
        (None, "Never mind."),
    ] {
        bot.says([usual("delete")]);
        let turn = bot.user(PLATFORM, "hi").await;
        soon().await;
        let asked = only(&bot);
        assert_eq!(
            (asked.turn, asked.number.clone()),
            (turn.id, format!("{}-1", turn.id))
        );
        let id = &asked.request.id;
        let decide = |option| bot.engine.decide_permission(turn.id, id, option, Actor::Console);
        let offers_none = PermissionFault::NoOption("sudo".to_owned());
        assert_eq!(decide(Some("sudo")), Err(offers_none));
        decide(option).unwrap();
        assert_eq!(decide(option), Err(PermissionFault::Gone), "it is decided");
        assert_eq!(turn.ended().await, Some(Terminal::Replied));
        assert_eq!(bot.screen(PLATFORM).last().unwrap(), says);
    }
    let by = |option: Option<&str>| (Actor::Console, option.map(str::to_owned));
    assert_eq!(
        decisions(&bot).await,
        [by(Some("allow")), by(Some("reject")), by(None)]
    );
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn the_configuration_decides_by_kind_and_chooses_by_what_an_option_means() {
    let config = "[agent.permissions]\npolicy = \"reject\"\nallow_once = [\"read\"]\n";
    let bot = Bot::with(config).await;
    let misleading = serde_json::json!([
        {"id": "a", "name": "Allow", "kind": "reject_once"},
        {"id": "b", "name": "Always", "kind": "allow_always"},
        {"id": "c", "name": "No", "kind": "allow_once"},
    ]);
    let for_ever = serde_json::json!([{"id": "b", "name": "Allow", "kind": "allow_always"}]);
    for (step, says) in [
        (may_it("read", misleading.clone()), "Removed."),
        (may_it("delete", misleading), "Left alone."),
        (may_it("read", for_ever), "Never mind."),
    ] {
        bot.says([step]);
        bot.turn(PLATFORM, "hi").await;
        assert_eq!(bot.screen(PLATFORM).last().unwrap(), says);
    }
    let by = |option: Option<&str>| (Actor::Config, option.map(str::to_owned));
    assert_eq!(decisions(&bot).await, [by(Some("c")), by(Some("a")), by(None)]);
    bot.check().await;
}

/// A kind that is misspelled would be allowed, or asked about, without a word.
#[test]
fn a_kind_that_no_agent_knows_is_no_configuration() {
    for list in ["allow_once", "reject"] {
        let refused = |kind: &str| {
            let text = format!("[agent.permissions]\n{list} = [\"read\", \"{kind}\"]\n");
            let error = config::parse(&text, Path::new("test.toml")).unwrap_err();
            error.to_string()
        };
        let near = refused("excute");
        assert!(
            near.contains("excute") && near.contains("did you mean `execute`?"),
            "{near}"
        );
        let far = refused("bash");
        for kind in ["`execute`", "`switch_mode`", "`other`"] {
            assert!(far.contains(kind), "{list}: {far}");
        }
    }
    let all = "[\"read\", \"edit\", \"delete\", \"move\", \"search\", \"execute\", \"think\", \"fetch\", \
               \"switch_mode\", \"other\"]";
    let text = format!("[agent.permissions]\nreject = {all}\n");
    config::parse(&text, Path::new("test.toml")).unwrap();
}

#[tokio::test(start_paused = true)]
async fn nobody_answers_in_time_and_the_wait_is_not_the_agents_silence() {
    let config = "[agent]\nidle_timeout = \"1m\"\n[agent.permissions]\ntimeout = \"10m\"\n";
    let bot = Bot::with(config).await;
    bot.says([usual("delete")]);
    let began = bot.clock.now();
    assert_eq!(bot.turn(PLATFORM, "hi").await, Terminal::Replied);
    assert_eq!(bot.clock.now().since(began).as_secs(), 600);
    assert_eq!(bot.screen(PLATFORM), ["Left alone."]);
    assert_eq!(
        decisions(&bot).await,
        [(Actor::Pipeline, Some("reject".to_owned()))]
    );
    assert!(bot.engine.permissions().is_empty());
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_turn_cancels_its_request_and_says_who_stopped_it() {
    let bot = Bot::start().await;
    bot.says([text("Let me see."), usual("delete")]);
    let turn = bot.user(PLATFORM, "hi").await;
    soon().await;
    let asked = only(&bot);
    assert!(bot.engine.cancel(turn.id, Actor::Console).unwrap());
    assert!(matches!(turn.ended().await, Some(Terminal::Failed { .. })));
    assert_eq!(bot.screen(PLATFORM), ["Let me see.", "⏹️ Stopped."]);
    assert_eq!(decisions(&bot).await, [(Actor::Pipeline, None)]);
    let late = bot
        .engine
        .decide_permission(asked.turn, &asked.request.id, Some("allow"), Actor::Console);
    assert_eq!(late, Err(PermissionFault::Gone));
    let stopped = |kind: &Kind| matches!(kind, Kind::RunCancelled { by: Actor::Console });
    assert_eq!(bot.kinds().await.iter().filter(|kind| stopped(kind)).count(), 1);
    bot.check().await;
}

#[test]
fn a_request_of_a_process_that_was_killed_is_cancelled_by_the_next() {
    let world = killed(async {
        let bot = Bot::start().await;
        bot.says([usual("delete")]);
        let _turn = bot.user(PLATFORM, "hi").await;
        soon().await;
        only(&bot);
        bot
    });
    runtime().block_on(async {
        let bot = Bot::in_world(world, "", Rules::all()).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert_eq!(decisions(&bot).await, [(Actor::Pipeline, None)]);
        bot.check().await;
    });
}

const IN_CHAT: &str = "[agent.permissions]\nin_chat = true\n";

/// What one person writes in the chat while another is asked.
async fn answers(bot: &Bot, from: &str, words: &str) -> Option<Terminal> {
    let mut message = bot.message(PLATFORM, words);
    message.sender.id = from.into();
    let turn = bot.engine.submit(message).await.unwrap();
    turn.ended().await
}

#[tokio::test(start_paused = true)]
async fn in_the_chat_only_the_sender_of_the_turn_answers() {
    let bot = Bot::with(IN_CHAT).await;
    for (words, says) in [("yes", "Removed."), ("/deny", "Left alone.")] {
        bot.says([usual("delete")]);
        let turn = bot.user(PLATFORM, "hi").await;
        soon().await;
        let asked = only(&bot);
        assert!(asked.in_chat);
        let question = bot.screen(PLATFORM).pop().unwrap();
        assert!(
            question.contains("`remove build/`") && question.contains(&asked.number),
            "{question}"
        );
        let others = answers(&bot, "mallory", &format!("/approve {}", asked.number)).await;
        let gate = Gate::NotTheAsker;
        assert_eq!(others, Some(Terminal::Blocked { gate }));
        only(&bot);
        let elsewhere = answers(&bot, "alice", "/approve 99-1").await;
        let gate = Gate::NothingAsked;
        assert_eq!(elsewhere, Some(Terminal::Blocked { gate }));
        let own = answers(&bot, "alice", words).await;
        assert!(matches!(own, Some(Terminal::Command { .. })), "{own:?}");
        assert_eq!(turn.ended().await, Some(Terminal::Replied));
        assert_eq!(bot.screen(PLATFORM).last().unwrap(), says);
    }
    let alice = Actor::User(UserId::from("alice"));
    let by = |option: &str| (alice.clone(), Some(option.to_owned()));
    assert_eq!(decisions(&bot).await, [by("allow"), by("reject")]);
    bot.check().await;
}

/// What is dangerous about a command may stand at its end, and nobody is to be told that there is another one.
#[tokio::test(start_paused = true)]
async fn of_a_long_command_everybody_sees_the_real_end_and_its_size() {
    let bot = Bot::with(IN_CHAT).await;
    let command = format!("{{\"command\":\"echo {}; rm -rf ~\"}}", "y".repeat(99_975));
    let step = serde_json::json!({
        "id": "p1", "title": command, "does": "execute", "arguments": command, "rejected": ["Left alone."],
    });
    let step: PermissionStep = serde_json::from_value(step).unwrap();
    bot.says([Act::Permission(Box::new(step)).into()]);
    let turn = bot.user(PLATFORM, "hi").await;
    soon().await;
    let question = bot.screen(PLATFORM).pop().unwrap();
    let left_out = command.len() - 200;
    assert_eq!(
        question
            .matches(&format!("y… ({left_out} characters left out) …y"))
            .count(),
        2,
        "{question}"
    );
    assert_eq!(question.matches("y; rm -rf ~\"}`").count(), 2, "{question}");
    let mut shown = vec![only(&bot).request];
    shown.extend(bot.kinds().await.into_iter().filter_map(|kind| match kind {
        Kind::PermissionAsked { request, .. } => Some(request),
        _ => None,
    }));
    assert_eq!(shown.len(), 2, "the console has it, and the journal");
    for PermissionRequest { title, arguments, .. } in shown {
        for text in [title, arguments.unwrap()] {
            assert!(
                text.len() < 66_000 && text.starts_with("{\"command\":\"echo yyy"),
                "{}",
                text.len()
            );
            assert!(text.ends_with("y; rm -rf ~\"}"), "{}", &text[text.len() - 50..]);
            assert!(text.contains("of 100004 bytes are left out"), "{}", text.len());
        }
    }
    answers(&bot, "alice", "no").await;
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_word_is_an_answer_only_where_something_was_asked() {
    let bot = Bot::with(IN_CHAT).await;
    bot.says([text("Yes what?")]);
    assert_eq!(bot.turn(PLATFORM, "yes").await, Terminal::Replied);
    let closed = Bot::in_world(World::new(), "", Rules::all()).await;
    closed.says([usual("delete")]);
    let turn = closed.user(PLATFORM, "hi").await;
    soon().await;
    closed.says([text("Yes what?")]);
    let second = closed.user(PLATFORM, "yes").await;
    soon().await;
    let asked = only(&closed);
    assert!(closed.screen(PLATFORM).is_empty(), "nobody is asked in the chat");
    closed
        .engine
        .decide_permission(turn.id, &asked.request.id, Some("allow"), Actor::Console)
        .unwrap();
    assert_eq!(second.ended().await, Some(Terminal::Replied));
    assert_eq!(closed.screen(PLATFORM), ["Removed.", "Yes what?"]);
    closed.check().await;
}

/// Alice's words in a thread, as an answer or a question.
async fn in_thread(bot: &Bot, thread: Option<&str>, words: &str) -> Turn {
    let mut message = bot.message(PLATFORM, words);
    message.thread = thread.map(Into::into);
    bot.engine.submit(message).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn an_answer_belongs_to_the_thread_it_is_written_in() {
    let bot = Bot::with(IN_CHAT).await;
    bot.says([usual("delete")]);
    let asking = in_thread(&bot, Some("t1"), "hi").await;
    soon().await;
    let number = only(&bot).number;
    bot.says([text("Yes what?")]);
    for thread in [Some("t2"), None] {
        let command = in_thread(&bot, thread, &format!("/approve {number}")).await;
        let gate = Gate::NothingAsked;
        assert_eq!(command.ended().await, Some(Terminal::Blocked { gate }));
    }
    let word = in_thread(&bot, Some("t2"), "yes").await;
    assert_eq!(word.ended().await, Some(Terminal::Replied), "it is for the agent");
    only(&bot);
    let own = in_thread(&bot, Some("t1"), "yes").await;
    assert!(matches!(own.ended().await, Some(Terminal::Command { .. })));
    assert_eq!(asking.ended().await, Some(Terminal::Replied));
    bot.check().await;
}

/// A request of its own id.
fn numbered(id: &str) -> PermissionRequest {
    serde_json::from_value(serde_json::json!({
        "id": id, "tool": null, "title": format!("do {id}"), "does": "delete", "arguments": null,
        "options": [
            {"id": "allow", "name": "Allow", "kind": "allow_once"},
            {"id": "reject", "name": "Reject", "kind": "reject_once"},
        ],
    }))
    .unwrap()
}

/// An agent that asks everything at once, and is done once it has every answer.
struct Greedy {
    requests: usize,
    open: Mutex<usize>,
    answered: Notify,
}

impl Greedy {
    async fn bot(requests: usize, config: &str) -> Bot {
        let greedy = Arc::new(Self {
            requests,
            open: Mutex::new(requests),
            answered: Notify::new(),
        });
        let world = World::new();
        let script = Arc::new(ScriptAgent::new(Arc::new(world.clock)));
        Bot::behind(world, config, Rules::all(), script, greedy).await
    }
}

#[async_trait]
impl Agent for Greedy {
    fn backend(&self) -> &'static str {
        "greedy"
    }

    fn model(&self) -> Option<&str> {
        None
    }

    async fn run(&self, request: TurnRequest, sink: StepSink, _: CancellationToken) {
        let run = request.run;
        for n in 1..=self.requests {
            let step = Step::Permission(numbered(&format!("p{n}")));
            sink.send(AgentEvent { run, step }).await.unwrap();
        }
        self.answered.notified().await;
        let step = Step::Done(StopReason::End);
        sink.send(AgentEvent { run, step }).await.unwrap();
    }

    fn decide(&self, _: RunId, _: &PermissionId, _: Option<&PermissionOption>) {
        let mut open = self.open.lock().unwrap();
        *open -= 1;
        if *open == 0 {
            self.answered.notify_one();
        }
    }
}

#[tokio::test(start_paused = true)]
async fn where_two_wait_an_answer_says_which() {
    let bot = Greedy::bot(2, IN_CHAT).await;
    let turn = bot.user(PLATFORM, "hi").await;
    soon().await;
    for words in ["yes", "/approve"] {
        let gate = Gate::WhichAsked;
        let blocked = Some(Terminal::Blocked { gate });
        assert_eq!(answers(&bot, "alice", words).await, blocked, "{words}");
    }
    let told = |kind: &Kind| {
        matches!(kind, Kind::Stopping { detail, .. }
            if detail.contains(&format!("{0}-1, {0}-2", turn.id)))
    };
    assert_eq!(bot.kinds().await.iter().filter(|kind| told(kind)).count(), 2);
    assert_eq!(bot.engine.permissions().len(), 2, "nothing is decided");
    let second = answers(&bot, "alice", &format!("/deny {}-2", turn.id)).await;
    assert!(matches!(second, Some(Terminal::Command { .. })), "{second:?}");
    soon().await;
    let session = only(&bot).session;
    let line = bot.engine.session(&session).await.unwrap().unwrap();
    assert_eq!(
        line.running.map(|running| running.doing),
        Some(Doing::Asking),
        "the other one is still waited for"
    );
    let first = answers(&bot, "alice", "yes").await;
    assert!(
        matches!(first, Some(Terminal::Command { .. })),
        "there is one only: {first:?}"
    );
    turn.ended().await.unwrap();
    let alice = Actor::User(UserId::from("alice"));
    let by = |option: &str| (alice.clone(), Some(option.to_owned()));
    assert_eq!(decisions(&bot).await, [by("reject"), by("allow")]);
}

#[tokio::test(start_paused = true)]
async fn what_is_passed_on_or_stands_below_a_file_answers_nothing() {
    for words in ["yes", "/approve 1-1"] {
        let bot = Bot::with(IN_CHAT).await;
        bot.says([usual("delete")]);
        let turn = bot.user(PLATFORM, "hi").await;
        soon().await;
        let mut passed_on = bot.message(PLATFORM, words);
        passed_on.forwarded = true;
        let mut caption = bot.message(PLATFORM, words);
        caption.files = vec![Attachment {
            name: "a.png".to_owned(),
            media_type: "image/png".to_owned(),
            size: None,
            source: None,
        }];
        let mut turns = vec![turn];
        for message in [passed_on, caption] {
            bot.says([text("I see.")]);
            turns.push(bot.engine.submit(message).await.unwrap());
        }
        soon().await;
        only(&bot);
        let own = answers(&bot, "alice", "no").await;
        assert!(matches!(own, Some(Terminal::Command { .. })), "{own:?}");
        for turn in turns {
            assert_eq!(turn.ended().await, Some(Terminal::Replied));
        }
        assert_eq!(
            bot.screen(PLATFORM)[1..],
            ["Left alone.", "I see.", "I see."],
            "the agent was told both"
        );
        bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_has_only_so_many_people_asked_at_once() {
    let bot = Greedy::bot(40, "").await;
    let turn = bot.user(PLATFORM, "hi").await;
    soon().await;
    let waiting = bot.engine.permissions();
    assert_eq!(waiting.len(), 32);
    let refused = || (Actor::Pipeline, Some("reject".to_owned()));
    assert_eq!(
        decisions(&bot).await,
        vec![refused(); 8],
        "those that are too many"
    );
    for asked in waiting {
        let id = &asked.request.id;
        let decided = bot
            .engine
            .decide_permission(turn.id, id, Some("allow"), Actor::Console);
        decided.unwrap();
    }
    turn.ended().await.unwrap();
    let allowed = decisions(&bot)
        .await
        .into_iter()
        .filter(|(by, _)| *by == Actor::Console);
    assert_eq!(allowed.count(), 32);
    bot.check().await;
}

/// Whether the chat was ever asked.
fn asked(bot: &Bot, platform: Platform) -> bool {
    let shown = bot.ever_shown(platform);
    shown.iter().any(|text| text.contains("asks for your permission"))
}

#[tokio::test(start_paused = true)]
async fn a_question_that_was_held_does_not_outlive_its_request() {
    for decided in [Some("allow"), None] {
        let bot = Bot::with(IN_CHAT).await;
        bot.toggle(PLATFORM, false).await;
        bot.says([usual("delete")]);
        let turn = bot.user(PLATFORM, "hi").await;
        soon().await;
        let waiting = only(&bot);
        if decided.is_some() {
            let by = Actor::Console;
            let decision = bot
                .engine
                .decide_permission(turn.id, &waiting.request.id, decided, by);
            decision.unwrap();
        }
        tokio::time::sleep(Duration::from_mins(6)).await;
        assert!(bot.engine.permissions().is_empty(), "nobody answered in time");
        bot.toggle(PLATFORM, true).await;
        assert_eq!(turn.ended().await, Some(Terminal::Replied));
        let says = decided.map_or("Left alone.", |_| "Removed.");
        assert_eq!(bot.screen(PLATFORM), [says]);
        assert!(!asked(&bot, PLATFORM));
        bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_that_was_held_is_asked_while_its_request_waits() {
    let bot = Bot::with(IN_CHAT).await;
    bot.toggle(PLATFORM, false).await;
    bot.says([usual("delete")]);
    let turn = bot.user(PLATFORM, "hi").await;
    tokio::time::sleep(Duration::from_mins(1)).await;
    bot.toggle(PLATFORM, true).await;
    soon().await;
    assert!(asked(&bot, PLATFORM));
    let own = answers(&bot, "alice", "yes").await;
    assert!(matches!(own, Some(Terminal::Command { .. })), "{own:?}");
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    assert_eq!(bot.screen(PLATFORM).last().unwrap(), "Removed.");
    bot.check().await;
}

#[test]
fn a_question_of_a_process_that_was_killed_is_not_asked_by_the_next() {
    let world = killed(async {
        let bot = Bot::with(IN_CHAT).await;
        bot.engine.mute(true, Actor::Console);
        bot.says([usual("delete")]);
        let _turn = bot.user(PLATFORM, "hi").await;
        soon().await;
        only(&bot);
        assert_eq!(bot.left().await.len(), 1, "the question");
        bot
    });
    runtime().block_on(async {
        let bot = Bot::in_world(world, IN_CHAT, Rules::all()).await;
        bot.engine.mute(false, Actor::Console);
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert!(!asked(&bot, PLATFORM));
        assert_eq!(decisions(&bot).await, [(Actor::Pipeline, None)]);
        bot.check().await;
    });
}

#[tokio::test(start_paused = true)]
async fn what_was_decided_elsewhere_stands_in_the_place_of_the_question() {
    for (option, does) in [
        (Some("allow"), "Allowed, by a person at the console"),
        (Some("reject"), "Rejected, by a person at the console"),
        (None, "Cancelled, by a person at the console"),
    ] {
        let bot = Bot::with(IN_CHAT).await;
        for platform in [PLATFORM, Platform::Whatsapp] {
            bot.says([usual("delete")]);
            let turn = bot.user(platform, "hi").await;
            soon().await;
            let waiting = only(&bot);
            let decision = bot
                .engine
                .decide_permission(turn.id, &waiting.request.id, option, Actor::Console);
            decision.unwrap();
            assert_eq!(turn.ended().await, Some(Terminal::Replied));
        }
        assert_eq!(bot.screen(PLATFORM)[0], format!("🔐 {does}: `remove build/`"));
        let question = &bot.screen(Platform::Whatsapp)[0];
        assert!(
            question.contains("asks for your permission"),
            "it cannot edit: {question}"
        );
        bot.check().await;
    }
    let bot = Bot::with(IN_CHAT).await;
    bot.says([usual("delete")]);
    assert_eq!(bot.turn(PLATFORM, "hi").await, Terminal::Replied);
    let first = &bot.screen(PLATFORM)[0];
    assert!(
        first.starts_with("🔐 Rejected, nobody answered within"),
        "{first}"
    );
}
