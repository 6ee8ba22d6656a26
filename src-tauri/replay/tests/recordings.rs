//! What a person did while it was recorded is done again.

use async_trait::async_trait;
use foldback_actions::{ActionInterface, ActionOrder, ActionRow, ActionTable, ResultSink};
use foldback_agents::{Accepts, Act, ScriptAgent, ScriptStep, links::LinkText, speech::Transcriber};
use foldback_channels::{ChannelAdapter, Loopback, platform, profile};
use foldback_directives::{Dialect, inbound::QueueMode};
use foldback_pipeline::{
    Agents, Engine, Parts, Readers, Rules, SeededRng, Speech, TokioClock,
    config::{Config, LinkMode, TranscriptionBackend, embedded},
};
use foldback_replay::{
    Case, Options,
    recording::{Head, Recording, play, read},
};
use foldback_store::{Journal, MemoryJournal};
use foldback_wire::{
    ActionAccess, ActionConfirmation, Actor, Attachment, ChannelId, ChatType, Clock, Event, Inbound, Kind,
    OutcomeCode, ResultItem, Seq, Timestamp, rpc::Verdict,
};
use serde_json::json;
use std::{fs, num::NonZeroU32, path::Path, sync::Arc, time::Duration};
use tokio::{runtime, time::sleep};

fn slack() -> ChannelId {
    ChannelId::from("slack")
}

fn hello(message: &str, at: Timestamp) -> Inbound {
    let message = json!({
        "channel": "slack", "account": null, "chat": "d1", "chat_type": "direct", "thread": null, "message": message,
        "reply_to": null, "sender": {"id": "alice", "name": "alice", "display_name": "Alice", "is_bot": false},
        "text": "hi", "mentioned": false, "files": [], "at": at,
    });
    serde_json::from_value(message).unwrap()
}

/// A bot on one channel whose agent takes five seconds for every answer.
struct Bot {
    clock: Arc<TokioClock>,
    loopback: Arc<Loopback>,
    agent: Arc<ScriptAgent>,
    journal: Arc<MemoryJournal>,
    engine: Engine,
}

async fn bot(speech: Speech) -> Bot {
    bot_with(config(), Path::new(""), speech).await
}

async fn bot_with(config: Config, base: &Path, speech: Speech) -> Bot {
    bot_reading(config, base, speech, Readers::default(), |agent| agent).await
}

/// The same with readers and an agent of its own.
async fn bot_reading(
    config: Config,
    base: &Path,
    speech: Speech,
    readers: Readers,
    of: impl FnOnce(ScriptAgent) -> ScriptAgent,
) -> Bot {
    Box::pin(bot_acting(
        config,
        base,
        speech,
        readers,
        of,
        ActionTable::default(),
    ))
    .await
}

/// The same with actions.
async fn bot_acting(
    config: Config,
    base: &Path,
    speech: Speech,
    readers: Readers,
    of: impl FnOnce(ScriptAgent) -> ScriptAgent,
    actions: ActionTable,
) -> Bot {
    let clock = Arc::new(TokioClock::at(Timestamp(1_767_225_600_000)));
    let loopback = Arc::new(Loopback::new(profile(platform::SLACK), clock.clone(), None));
    let agent = Arc::new(of(ScriptAgent::new(clock.clone())));
    let journal = Arc::new(MemoryJournal::new());
    let engine = Engine::start(Parts {
        redaction: config.redaction(base),
        config: Arc::new(config),
        base: base.to_owned(),
        send_dir: None,
        journal: journal.clone(),
        channels: vec![(slack(), loopback.clone() as Arc<dyn ChannelAdapter>)],
        agents: Agents::one(agent.clone()),
        speech,
        actions: Arc::new(actions),
        readers,
        clock: clock.clone() as Arc<dyn Clock>,
        rng: Arc::new(SeededRng::new(0)),
        rules: Rules::all(),
        grammar_off: Vec::new(),
    })
    .await
    .unwrap();
    Bot {
        clock,
        loopback,
        agent,
        journal,
        engine,
    }
}

/// With Slack alone.
fn config() -> Config {
    let mut config = embedded();
    config.channels.retain(|id, _| *id == slack());
    config
}

impl Bot {
    /// Somebody writes, and will be answered so.
    async fn hears(&self, message: &str, answer: &str) {
        let message = hello(message, self.clock.now());
        self.is_sent(message, answer).await;
    }

    async fn is_sent(&self, message: Inbound, answer: &str) {
        let answer = ScriptStep {
            after_ms: 5_000,
            act: Act::Text(answer.to_owned()),
        };
        self.agent.queue(None, vec![answer]);
        self.loopback.inject(message).unwrap();
        sleep(Duration::from_secs(1)).await;
    }

    async fn journal(self) -> Vec<Event> {
        sleep(Duration::from_mins(1)).await;
        self.engine.shutdown(Duration::from_secs(1)).await.unwrap();
        self.journal.read(Seq(1), usize::MAX).await.unwrap()
    }
}

/// The journal of a channel that was off when the answer came, and on again when that was too old: a person
/// lets it go, or gives it up.
async fn held_too_long(send: bool) -> Vec<Event> {
    let bot = bot(Speech::default()).await;
    let engine = &bot.engine;
    bot.hears("m1", "Hello.").await;
    engine.toggle(&slack(), false, Actor::Console, "").await.unwrap();
    sleep(Duration::from_mins(20)).await;
    engine.toggle(&slack(), true, Actor::Console, "").await.unwrap();
    sleep(Duration::from_secs(1)).await;
    if send {
        engine.release_held(&slack(), &Actor::Console).unwrap();
    } else {
        engine.give_up_held(&slack(), &Actor::Console).unwrap();
    }
    bot.journal().await
}

/// The journal of a conversation where two messages wait, and a person drops only the first of them.
async fn one_of_two_dropped() -> Vec<Event> {
    let mut config = config();
    config.queue.mode = Some(QueueMode::Followup);
    let bot = bot_with(config, Path::new(""), Speech::default()).await;
    for (message, answer) in [("m1", "One."), ("m2", "Two."), ("m3", "Three.")] {
        bot.hears(message, answer).await;
    }
    let line = bot.engine.sessions(1).await.unwrap().sessions.remove(0);
    let first = &line.waiting[..1];
    let dropped = bot
        .engine
        .drop_waiting(&line.session, Some(first), &Actor::Console);
    assert_eq!((dropped.unwrap(), line.waiting.len()), (1, 2));
    bot.journal().await
}

/// The journal of a conversation where the agent takes a second message while it answers the first.
async fn one_of_two_steered() -> Vec<Event> {
    let bot = bot(Speech::default()).await;
    for (message, answer) in [("m1", "One."), ("m2", "Two.")] {
        bot.hears(message, answer).await;
    }
    bot.journal().await
}

/// The journal of a bot that was sent a voice message.
async fn voice_message() -> Vec<Event> {
    let speech = Speech {
        transcriber: Some(Arc::new(Transcriber::plain())),
        ..Speech::default()
    };
    let bot = bot(speech).await;
    let voice = Attachment {
        name: "voice.ogg".to_owned(),
        media_type: "audio/ogg".to_owned(),
        size: Some(4),
        source: Some(bot.loopback.platform().keep(b"Call me".to_vec())),
    };
    let message = Inbound {
        files: vec![voice],
        ..hello("m1", bot.clock.now())
    };
    bot.is_sent(message, "Hello.").await;
    bot.journal().await
}

/// The settings of a bot that reads all that comes with a message.
fn reading() -> Config {
    let mut config = config();
    config.links.mode = LinkMode::Fetch;
    config.attachments.documents.enabled = true;
    config.attachments.descriptions.enabled = true;
    config
}

/// What stands in a page, a document and a picture, and is carried out where an agent writes it.
const MARKUP: &str = "<actions><react emoji=\"eyes\"/></actions>";

/// The journal of a bot whose agent repeats what it was given of a page, a document and a picture.
async fn repeated() -> Vec<Event> {
    let page = LinkText {
        text: MARKUP.to_owned(),
        bytes: MARKUP.len(),
    };
    let readers = Readers::Replayed {
        links: [("https://a.example/".to_owned(), Ok(page))].into(),
        threads: None,
    };
    let describing = |agent: ScriptAgent| {
        agent
            .with_accepts(Accepts::default())
            .with_descriptions([("dot.png".to_owned(), MARKUP.to_owned())])
    };
    let bot = bot_reading(reading(), Path::new(""), Speech::default(), readers, describing).await;
    let file = |name: &str, media_type: &str, bytes: &[u8]| Attachment {
        name: name.to_owned(),
        media_type: media_type.to_owned(),
        size: None,
        source: Some(bot.loopback.platform().keep(bytes.to_vec())),
    };
    let files = [
        file("a.txt", "text/plain", MARKUP.as_bytes()),
        file(
            "b.pdf",
            "application/pdf",
            format!("%PDF-1.7\n{MARKUP}").as_bytes(),
        ),
        file("dot.png", "image/png", b"\x89PNG\r\n\x1a\n"),
        file("zip.txt", "text/plain", b"PK\0"),
    ];
    let at = bot.clock.now();
    let mut messages = vec![Inbound {
        text: "https://a.example".to_owned(),
        ..hello("m0", at)
    }];
    messages.extend((1..).zip(files).map(|(number, file)| Inbound {
        files: vec![file],
        ..hello(&format!("m{number}"), at)
    }));
    for message in messages {
        bot.is_sent(message, &format!("It says {MARKUP}")).await;
        sleep(Duration::from_secs(10)).await;
    }
    bot.journal().await
}

/// The journal of a bot whose answer has more messages than its chat gets.
async fn answer_with_a_rest(config: Config) -> Vec<Event> {
    let folder = tempfile::tempdir().unwrap();
    let bot = bot_with(config, folder.path(), Speech::default()).await;
    let most = profile(platform::SLACK).text_limit;
    bot.hears("m1", &"lorem ipsum ".repeat(most / 6)).await;
    bot.journal().await
}

/// Plays under a clock that stands still until something waits.
fn recorded(story: impl Future<Output = Vec<Event>>) -> Vec<Event> {
    let runtime = runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(story)
}

fn answers(case: &Case) -> Vec<(&str, OutcomeCode)> {
    let texts = case
        .deliveries
        .iter()
        .filter_map(|delivery| Some((delivery.text.as_deref()?, delivery.outcome)));
    texts.collect()
}

fn again(events: Vec<Event>) -> Case {
    again_with(&embedded(), events)
}

fn again_with(config: &Config, events: Vec<Event>) -> Case {
    let head = Head::of(config);
    let recording = Recording { head, events };
    play(Path::new("x.jsonl"), &recording, &slack(), &Options::default())
        .unwrap()
        .0
}

#[test]
fn what_was_said_in_a_voice_message_is_heard_again() {
    let mut config = config();
    config.transcription.backend = TranscriptionBackend::Openai;
    let events = recorded(voice_message());
    let heard: Vec<_> = events
        .iter()
        .filter_map(|event| match &event.kind {
            Kind::Understood(file) => file.text.as_deref(),
            _ => None,
        })
        .collect();
    assert_eq!(heard, ["Call me"]);
    let case = again_with(&config, events);
    assert_eq!(case.verdict, Verdict::Pass, "{:#?}", case.mismatches);
}

/// Without what was read, the directives that the agent repeats would be its own.
#[test]
fn what_was_understood_of_files_and_read_of_links_is_known_again() {
    let events = recorded(repeated());
    let texts: Vec<_> = events
        .iter()
        .filter_map(|event| match &event.kind {
            Kind::Understood(file) => Some(file.text.as_deref()),
            Kind::LinkRead { text, .. } => Some(text.as_deref()),
            _ => None,
        })
        .collect();
    let known = Some(MARKUP);
    assert_eq!(texts, [known, known, known, known, None]);
    let directives = |events: &[Event]| {
        let all = events.iter();
        all.filter(|event| matches!(event.kind, Kind::Directive { .. }))
            .count()
    };
    assert_eq!(directives(&events), 1, "of the file that was not read");
    let head = Head::of(&reading());
    let recording = Recording { head, events };
    let (case, again) = play(Path::new("x.jsonl"), &recording, &slack(), &Options::default()).unwrap();
    assert_eq!(case.verdict, Verdict::Pass, "{:#?}", case.mismatches);
    assert_eq!(directives(&again), 1);
}

/// The journal of a bot that is asked in a thread, and whose agent repeats what was said there before.
async fn asked_in_a_thread() -> Vec<Event> {
    let bot = bot(Speech::default()).await;
    let message = |id: &str, text: &str, thread: Option<&str>| {
        let mut message = hello(id, bot.clock.now());
        message.chat_type = ChatType::Group;
        (message.text, message.thread) = (text.to_owned(), thread.map(Into::into));
        message.mentioned = true;
        message
    };
    bot.loopback.platform().receive(message("m1", MARKUP, None));
    bot.loopback
        .platform()
        .receive(message("m2", "At the bridge.", Some("m1")));
    for id in ["m3", "m4"] {
        bot.is_sent(message(id, "well?", Some("m1")), &format!("{MARKUP}Done."))
            .await;
        sleep(Duration::from_secs(30)).await;
    }
    bot.journal().await
}

/// In a replay the simulated platform has never seen the thread, and is not asked.
#[test]
fn what_was_read_of_a_thread_is_known_again() {
    let read = |events: &[Event]| {
        let all = events.iter().filter_map(|event| match &event.kind {
            Kind::ThreadRead(read) => Some((event.turn, read.clone())),
            _ => None,
        });
        all.collect::<Vec<_>>()
    };
    let events = recorded(asked_in_a_thread());
    let known = read(&events);
    assert_eq!(known.len(), 1, "of the first turn alone");
    assert_eq!(known[0].1.thread.recent[0].text, "At the bridge.");
    let head = Head::of(&config());
    let mut recording = Recording { head, events };
    let (case, again) = play(Path::new("x.jsonl"), &recording, &slack(), &Options::default()).unwrap();
    assert_eq!(case.verdict, Verdict::Pass, "{:#?}", case.mismatches);
    assert_eq!(read(&again), known);
    // Where nothing was read, nothing is.
    recording
        .events
        .retain(|event| !matches!(event.kind, Kind::ThreadRead(_)));
    let (_, again) = play(Path::new("x.jsonl"), &recording, &slack(), &Options::default()).unwrap();
    assert_eq!(read(&again), []);
}

#[test]
fn the_rest_of_an_answer_is_a_file_again_wherever_the_journal_lay() {
    let mut config = config();
    config.output.max_messages = NonZeroU32::MIN;
    let events = recorded(answer_with_a_rest(config.clone()));
    let told = serde_json::to_string(&events).unwrap();
    let made = ".voice/memory/answer-1.txt";
    assert!(told.contains(made), "the journal forgets: its folder is that one");
    let elsewhere = told.replace(made, ".voice/0123456789abcdef/answer-41.txt");
    for told in [told, elsewhere] {
        let case = again_with(&config, serde_json::from_str(&told).unwrap());
        assert_eq!(case.verdict, Verdict::Pass, "{:#?}", case.mismatches);
    }
}

#[test]
fn what_a_person_let_go_or_gave_up_is_let_go_or_given_up_again() {
    for (send, ended) in [(true, OutcomeCode::Sent), (false, OutcomeCode::Cancelled)] {
        let events = recorded(held_too_long(send));
        let case = again(events.clone());
        assert_eq!(case.verdict, Verdict::Pass, "{:#?}", case.mismatches);
        assert_eq!(answers(&case), [("Hello.", ended)]);

        let settled = |event: &Event| matches!(event.kind, Kind::HeldSettled { .. });
        let without: Vec<Event> = events.into_iter().filter(|event| !settled(event)).collect();
        assert_eq!(again(without).verdict, Verdict::Changed);
    }
}

#[test]
fn a_recording_with_a_setting_that_no_bot_starts_with_is_refused() {
    let events = recorded(async {
        let bot = bot(Speech::default()).await;
        bot.hears("m1", "Hello.").await;
        bot.journal().await
    });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rec.jsonl");
    for every in ["1ms", "0s"] {
        let mut head = serde_json::to_value(Head::of(&config())).unwrap();
        head["config"]["typing"]["every"] = json!(every);
        let lines = std::iter::once(head.to_string());
        let lines = lines.chain(events.iter().map(|event| serde_json::to_string(event).unwrap()));
        fs::write(&path, lines.collect::<Vec<_>>().join("\n")).unwrap();
        let recording = read(&path).unwrap();
        let refused = play(&path, &recording, &slack(), &Options::default()).unwrap_err();
        assert_eq!(refused.verdict, Verdict::Error);
        assert_eq!(
            refused.mismatches[0].message,
            "config: typing.every: must be at least 1s; platforms show it for 5 seconds and more"
        );
    }
}

#[test]
fn only_what_a_person_dropped_is_dropped_again() {
    let case = again(recorded(one_of_two_dropped()));
    assert_eq!(case.verdict, Verdict::Pass, "{:#?}", case.mismatches);
    let said: Vec<_> = answers(&case).into_iter().map(|(text, _)| text).collect();
    assert_eq!(
        said,
        ["One.", "Two."],
        "whoever is answered takes the next answer"
    );
}

/// What was said to it stands in the run that took it, and is said once.
#[test]
fn what_an_agent_took_while_it_ran_is_taken_again_and_answered_there() {
    let events = recorded(one_of_two_steered());
    let joined = |events: &[Event]| {
        let is_joined = |event: &&Event| matches!(event.kind, Kind::Joined { .. });
        events.iter().filter(is_joined).count()
    };
    assert_eq!(joined(&events), 1);
    let case = again(events);
    assert_eq!(case.verdict, Verdict::Pass, "{:#?}", case.mismatches);
    let said: Vec<_> = answers(&case).into_iter().map(|(text, _)| text).collect();
    assert_eq!(said, ["One.", "One.Two."], "an edit takes up the first message");
}

/// Carries out what is asked for: it says so.
struct Lamp;

#[async_trait]
impl ActionInterface for Lamp {
    fn rows(&self) -> Vec<ActionRow> {
        vec![ActionRow {
            access: ActionAccess::Anyone,
            confirmation: ActionConfirmation::Never,
            payload: json!({"type": "object", "additionalProperties": false}),
            ..ActionRow::of::<String>("lamp", "Switches the lamp on.")
        }]
    }

    async fn perform(&self, _: ActionOrder, mut results: ResultSink) {
        results.add(ResultItem::new("lamp", "on"));
        results.complete();
    }
}

/// The configuration of a bot whose agent asks for actions in its text.
fn acting() -> Config {
    let mut config = config();
    config.output.dialects.push(Dialect::Json);
    config
}

/// The journal of a bot that carried one action out, refused another, and told what came of them.
async fn acted() -> Vec<Event> {
    let table = ActionTable::of(vec![Arc::new(Lamp)]).unwrap();
    let bot = bot_acting(
        acting(),
        Path::new(""),
        Speech::default(),
        Readers::default(),
        |agent| agent,
        table,
    )
    .await;
    let asked = r#"{"actions":[{"type":"lamp","payload":{}},{"type":"lmp","payload":{}}]}"#;
    bot.hears("m1", asked).await;
    let answer = ScriptStep {
        after_ms: 5_000,
        act: Act::Text("It is on.".to_owned()),
    };
    bot.agent.queue(None, vec![answer]);
    sleep(Duration::from_mins(1)).await;
    bot.hears("m2", "Good night.").await;
    bot.journal().await
}

#[test]
fn actions_are_not_carried_out_again_and_it_is_said_what_came_of_them_then() {
    let events = recorded(acted());
    let started = events
        .iter()
        .any(|event| matches!(event.kind, Kind::ActionStarted(_)));
    assert!(started, "{events:#?}");
    let case = again_with(&acting(), events);
    assert_eq!(case.mismatches, [], "{:#?}", case.comparison);
    let note = "1 action is not carried out again: what came of it then comes in as it was recorded";
    assert_eq!(case.notes, [note]);
    let said: Vec<_> = answers(&case).into_iter().map(|(text, _)| text).collect();
    assert_eq!(said, ["It is on.", "Good night."]);
}
