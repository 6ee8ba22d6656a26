//! An OpenAI-compatible endpoint on loopback behind the whole bot.

use crate::bot::{Home, is, place};
use foldback_agents::{
    Secret,
    strict_server::{Gate, Insists, Piece, Reply, StrictServer, event},
};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

/// A server, and a home whose bot asks it.
struct Asked {
    /// Serves while it lives.
    runtime: Runtime,
    server: StrictServer,
    home: Home,
}

fn asked() -> Asked {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let insists = Insists {
        api_key: Some(Secret::new("sk-very-secret")),
        ..Insists::on_model("test-model")
    };
    let server = runtime.block_on(StrictServer::start(insists)).unwrap();
    let home = Home::with(&format!(
        "[agent]\nbackend = \"openai\"\n[agent.openai]\nbase_url = \"{}\"\nmodel = \"test-model\"\n\
         api_key = {{ file = \"key\" }}\n\
         [channels.slack]\nkind = \"loopback\"\narmed = true\nallow_from = [\"*\"]\n\
         [log]\nlevel = \"debug\"\n",
        server.base_url()
    ));
    home.write("key", "sk-very-secret");
    Asked {
        runtime,
        server,
        home,
    }
}

/// A piece of text as the API streams it.
fn delta(text: &str) -> Piece {
    let chunk = json!({
        "id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "test-model",
        "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": null}],
    });
    event(&chunk.to_string())
}

fn done() -> [Piece; 2] {
    let chunk = json!({
        "id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "test-model",
        "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}],
    });
    [event(&chunk.to_string()), event("[DONE]")]
}

fn is_op(op: &'static str) -> impl Fn(&Value) -> bool {
    move |line| is("intended")(line) && line["kind"]["intent"]["kind"] == op
}

#[test]
fn a_message_is_held_while_a_block_is_open_then_comes_the_reaction_then_the_text() {
    let Asked {
        runtime: _runtime,
        server,
        home,
    } = asked();
    let (closed, ended) = (Gate::default(), Gate::default());
    let mut pieces = vec![
        delta("<actions>\n  <react em"),
        Piece::Wait(closed.clone()),
        delta("oji=\"thumbsup\" />\n</actions>\n"),
        Piece::Wait(ended.clone()),
        delta("Great idea!"),
    ];
    pieces.extend(done());
    server.reply(Reply::stream(pieces));

    let mut bot = home.serve(&["--events", "--commands"]);
    bot.until(is("started"));
    bot.order(&json!({"command": "compose_send", "args":
        {"channel": "slack", "user_text": "How was my talk?", "agent_output": null}}));
    let held = bot.until(is("held"));
    let hold = &bot.seen[held]["kind"]["hold"];
    assert!(
        hold["reason"].is_string() && hold["because"].is_string(),
        "{hold}"
    );
    assert!(
        !bot.seen
            .iter()
            .any(|line| is_op("react")(line) || is_op("send_text")(line))
    );

    // The block closes: the reaction goes out although there is no text yet.
    closed.open();
    let react = bot.until(|line| is("ended")(line) && line["kind"]["outcome"]["code"] == "sent");
    assert!(bot.seen[..react].iter().any(is_op("react")), "{:#?}", bot.seen);
    assert!(!bot.seen.iter().any(is_op("send_text")));

    ended.open();
    bot.until(is("turn_ended"));
    let text = place(&bot.seen, is_op("send_text"));
    assert!(held < react && react < text);
    assert_eq!(bot.term(), 0);

    let said: String = home
        .journal("kind:chunk")
        .iter()
        .map(|event| event["kind"]["text"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        said,
        "<actions>\n  <react emoji=\"thumbsup\" />\n</actions>\nGreat idea!"
    );
    let why = home.run(&["why", "1"]);
    assert!(why.stdout.contains("Answered on slack"), "{}", why.stdout);
}

#[test]
fn send_asks_the_endpoint_and_the_key_is_nowhere() {
    let Asked {
        runtime: _runtime,
        server,
        home,
    } = asked();
    let mut pieces = vec![delta("Hello"), delta(" there.")];
    pieces.extend(done());
    server.reply(Reply::stream(pieces));
    let ran = home.run(&["send", "--channel", "slack", "--text", "hi"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let texts: Vec<Value> = ran
        .lines()
        .into_iter()
        .filter(|d| d["text"].is_string())
        .collect();
    assert_eq!(texts.last().unwrap()["text"], "Hello there.");
    assert_eq!(server.requests()[0]["model"], "test-model");
    assert_eq!(server.headers()[0]["authorization"], "Bearer sk-very-secret");

    let exported = home.run(&["journal", "export"]);
    assert!(!ran.stderr.contains("sk-very-secret") && !exported.stdout.contains("sk-very-secret"));
}

#[test]
fn an_endpoint_that_answers_garbage_fails_the_turn_in_words() {
    let Asked {
        runtime: _runtime,
        server,
        home,
    } = asked();
    for _ in 0..8 {
        server.reply(Reply::stream([Piece::from("data: {\"what\": \n\n")]));
    }
    let ran = home.run(&["send", "--channel", "slack", "--text", "hi"]);
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    assert!(
        ran.stderr
            .contains("Failed: the backend sent what the protocol does not allow"),
        "{}",
        ran.stderr
    );
    let why = home.run(&["why", "1"]);
    assert!(why.stdout.starts_with("#1 Failed: "), "{}", why.stdout);
    // The user is told, in words that give nothing away.
    assert!(ran.stdout.contains("⚠️"), "{}", ran.stdout);
}
