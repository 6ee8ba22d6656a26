//! `foldback serve` on Discord, against a strict gateway and REST interface.

use crate::bot::{Bot, Home, is};
use foldback_strict::Mishap;
use foldback_strict::discord::{DiscordServer, Order};
use serde_json::json;
use std::time::Duration;

const TOKEN: &str = "NzAwMDAwMDAwMDAwMDAwMDAx.GhT9xQ.k2JvPzW0sY7mD4nRfLb8cXaQeUiHgTqVw1";
const ROOM: u64 = 1_400_000_000_000_000_001;
const THREAD: u64 = 1_400_000_000_000_000_002;

const SCRIPT: &str = r#"
- agent:
    - "<actions>\n  <react emoji=\"eyes\" />\n  <send-file path=\"report.txt\" caption=\"The *report*\" />\n"
    - "</actions>\n[[reply_to_current]]Here it is, **Ana** and @everyone:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
"#;

struct Place {
    home: Home,
    server: DiscordServer,
    _runtime: tokio::runtime::Runtime,
}

fn place(armed: bool) -> Place {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let server = runtime.block_on(DiscordServer::start(TOKEN, "foldback")).unwrap();
    server.open_channel(ROOM);
    server.open_thread(THREAD, ROOM);
    let home = Home::with(&format!(
        "[log]\nlevel = \"trace\"\n[agent.script]\nfile = \"script.yaml\"\n[files]\nsend_dir = \"out\"\n\
         [channels.discord]\narmed = {armed}\nallow_from = [\"42\"]\nrequire_mention = false\ntoken = {{ file = \"token\" }}\n\
         api_root = \"{}\"\n",
        server.root()
    ));
    home.write("script.yaml", SCRIPT);
    home.write("token", &format!("{TOKEN}\n"));
    std::fs::create_dir(home.path("out")).unwrap();
    home.write("out/report.txt", "42");
    Place {
        home,
        server,
        _runtime: runtime,
    }
}

impl Place {
    fn serve(&self) -> Bot {
        let mut bot = self.home.serve(&["--events", "--commands"]);
        bot.until(|event| is("channel_state")(event) && event["kind"]["to"] == "up");
        bot
    }

    fn write(&self, text: &str) -> u64 {
        self.server.write(THREAD, &json!({"content": text}))
    }
}

#[test]
fn a_message_in_a_thread_is_answered_there() {
    let place = place(true);
    let mut bot = place.serve();
    let theirs = place.write("The report, please");
    bot.until(is("turn_ended"));
    assert_eq!(bot.term(), 0);
    let messages = place.server.messages(THREAD);
    let (id, first) = &messages[0];
    assert_eq!(*id, theirs);
    assert!(first.reactions.contains("👀"), "{first:?}");
    let answers: Vec<_> = messages.iter().filter(|(_, message)| message.by_bot).collect();
    let [(_, file), (_, text)] = answers.as_slice() else {
        panic!("a file and a text: {answers:#?}");
    };
    assert_eq!(
        (file.files[0].bytes.as_slice(), file.text.as_str()),
        (&b"42"[..], "The *report*")
    );
    assert_eq!(
        text.text.trim_end(),
        "Here it is, **Ana** and @everyone:\n\n```\na | b\n--+--\n1 | 2\n```"
    );
    assert_eq!(text.reply_to, Some(theirs));
    let told: Vec<_> = text.notified.iter().cloned().collect();
    assert_eq!(told, [format!("author of {theirs}")], "nobody else is notified");
    assert_eq!(place.server.messages(ROOM).len(), 0, "nothing beside the thread");
    assert_eq!(place.server.broken(), []);
    let token = &TOKEN[30..];
    assert!(!place.home.traces(&bot).contains(token), "the token left a trace");
}

#[test]
fn a_limit_a_lost_answer_and_a_broken_connection_cost_nothing() {
    let place = place(true);
    place.home.write("script.yaml", "- agent: [\"Heard: {text}\"]\n");
    let mut bot = place.serve();
    place
        .server
        .plan("create_message", Mishap::RateLimited(Duration::from_millis(300)));
    place.server.plan("create_message", Mishap::Lost);
    place.write("first");
    bot.until(is("turn_ended"));
    place.server.order(Order::Cut);
    place.write("second");
    bot.until(is("turn_ended"));
    assert_eq!(bot.term(), 0);
    let messages = place.server.messages(THREAD);
    let answers: Vec<_> = messages
        .iter()
        .filter(|(_, message)| message.by_bot)
        .map(|(_, message)| message.text.as_str())
        .collect();
    assert_eq!(answers, ["Heard: first", "Heard: second"]);
    let limited = bot
        .seen
        .iter()
        .any(|event| is("channel_state")(event) && event["kind"]["to"] == "rate_limited");
    assert!(limited, "the limit is shown");
    assert_eq!(place.server.sessions(), (1, 1));
    assert_eq!(place.server.broken(), []);
}

#[test]
fn a_restart_answers_what_was_written_meanwhile() {
    let place = place(true);
    place.home.write("script.yaml", "- agent: [\"Heard: {text}\"]\n");
    let mut bot = place.serve();
    place.write("first");
    bot.until(is("turn_ended"));
    assert_eq!(bot.term(), 0);
    place.write("second");
    let mut bot = place.serve();
    // Not the end of a duplicate, should the first one come again.
    bot.until(|event| is("turn_ended")(event) && event["kind"]["terminal"]["state"] == "replied");
    assert_eq!(bot.term(), 0);
    let messages = place.server.messages(THREAD);
    let answers = messages.iter().filter(|(_, message)| message.by_bot);
    let answers: Vec<_> = answers.map(|(_, message)| message.text.as_str()).collect();
    assert_eq!(answers, ["Heard: first", "Heard: second"]);
    assert_eq!(place.server.sessions(), (1, 1));
    assert_eq!(place.server.broken(), []);
}

#[test]
fn a_channel_that_is_not_armed_sends_nothing() {
    let place = place(false);
    let mut bot = place.serve();
    place.write("The report, please");
    let ended = bot.until(|event| is("ended")(event) && event["kind"]["outcome"]["code"] == "dry_run");
    assert!(ended > 0);
    bot.until(is("turn_ended"));
    assert_eq!(bot.term(), 0);
    let messages = place.server.messages(THREAD);
    assert!(messages.iter().all(|(_, message)| !message.by_bot));
    assert_eq!(place.server.typing(THREAD), 0);
}

#[test]
fn a_token_that_is_refused_leaves_the_channel_down_and_the_bot_running() {
    let place = place(true);
    place.home.write("token", "NzAw.wrong");
    let mut bot = place.home.serve(&["--events"]);
    let down = bot.until(|event| is("channel_state")(event) && event["kind"]["to"] == "down");
    let why = bot.seen[down]["kind"]["why"].as_str().unwrap();
    assert!(why.contains("Discord refuses the token"), "{why}");
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(bot.term(), 0);
}

#[test]
fn a_bot_that_may_not_read_messages_is_told_how_to() {
    let place = place(true);
    place.server.without_privileged_intents();
    let mut bot = place.home.serve(&["--events"]);
    let down = bot.until(|event| is("channel_state")(event) && event["kind"]["to"] == "down");
    let why = bot.seen[down]["kind"]["why"].as_str().unwrap();
    assert!(why.contains("switch on \"Message Content Intent\""), "{why}");
    assert_eq!(bot.term(), 0);
}

#[test]
fn trouble_leaves_no_trace_of_a_secret_anywhere() {
    let place = place(true);
    let mut bot = place.serve();
    for mishap in [
        Mishap::Failed,
        Mishap::FailedAfter,
        Mishap::Broken,
        Mishap::Lost,
        Mishap::RateLimited(Duration::from_millis(10)),
    ] {
        place.server.plan("create_message", mishap);
        place.write("Hello?");
        bot.until(is("turn_ended"));
    }
    bot.ask_all();
    assert_eq!(bot.term(), 0);
    let traces = place.home.traces(&bot);
    assert!(traces.contains("Hello?"), "what was said left traces");
    assert!(!traces.contains(&TOKEN[30..]), "the token left a trace");
}
