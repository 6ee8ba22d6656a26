//! "df -h" by a call of a tool, through the whole bot: asked in a chat, confirmed at the command line, run on this machine,
//! and worded by the model in the same turn.

use crate::bot::{Home, is, place};
use foldback_agents::strict_server::{Insists, Piece, Reply, StrictServer, event};
use serde_json::{Value, json};

fn chunk(delta: &Value, finish: Option<&str>) -> Piece {
    let chunk = json!({
        "id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "test-model",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    });
    event(&chunk.to_string())
}

fn calling(command: &str) -> Reply {
    let arguments = json!({"command": command}).to_string();
    let call = json!({"tool_calls": [{"index": 0, "id": "call_1", "type": "function",
        "function": {"name": "bash", "arguments": arguments}}]});
    Reply::stream([
        chunk(&call, None),
        chunk(&json!({}), Some("tool_calls")),
        event("[DONE]"),
    ])
}

fn saying(text: &str) -> Reply {
    Reply::stream([
        chunk(&json!({"content": text}), None),
        chunk(&json!({}), Some("stop")),
        event("[DONE]"),
    ])
}

#[cfg(unix)]
#[test]
fn a_command_that_the_model_calls_runs_once_confirmed_and_its_words_answer_the_message() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let server = runtime
        .block_on(StrictServer::start(Insists::on_model("test-model")))
        .unwrap();
    server.reply(calling("df -h && echo free-$((40 + 2))"));
    server.reply(saying("It is half full."));
    let home = Home::with(&format!(
        "[agent]\nbackend = \"openai\"\n[agent.openai]\nbase_url = \"{}\"\nmodel = \"test-model\"\n\
         [channels.telegram]\nkind = \"loopback\"\narmed = true\nallow_from = [\"*\"]\n\
         [commands]\nowner_allow_from = [\"*\"]\n[actions.bash]\nenabled = true\nfolder = \"work\"\n",
        server.base_url()
    ));
    let mut bot = home.serve(&["--events", "--commands"]);
    bot.until(is("started"));
    bot.order(&json!({"command": "compose_send", "args":
        {"channel": "telegram", "user_text": "How full is the disk?", "agent_output": null}}));
    let asked = bot.until(is("permission_asked"));
    let request = &bot.seen[asked]["kind"]["request"];
    assert_eq!(request["title"], "bash: df -h && echo free-$((40 + 2))");
    assert_eq!(request["tool"], "call_1");
    assert!(!bot.seen.iter().any(is("action_started")));
    let allowed = home.run(&["permission", "allow", "1-1"]);
    assert_eq!(allowed.code, 0, "{}", allowed.stderr);
    bot.until(is("turn_ended"));
    assert_eq!(bot.term(), 0);

    assert_eq!(server.refusals(), [""; 0]);
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0]["tools"][0]["function"]["name"], "bash");
    let result = requests[1]["messages"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&result["role"], &result["tool_call_id"]),
        (&json!("tool"), &json!("call_1"))
    );
    let told: Value = serde_json::from_str(result["content"].as_str().unwrap()).unwrap();
    let output = told["items"][0]["text"].as_str().unwrap();
    assert!(
        output.contains("Filesystem") && output.contains("free-42"),
        "{told}"
    );

    // The whole chain is in the journal, in one turn.
    let kinds = [
        "received",
        "run_started",
        "tool",
        "permission_asked",
        "permission_decided",
        "action_started",
        "action_ended",
        "run_ended",
        "turn_ended",
    ];
    let places: Vec<_> = kinds.iter().map(|kind| place(&bot.seen, is(kind))).collect();
    assert!(places.is_sorted(), "{kinds:?} {places:?}");
    let turns: std::collections::BTreeSet<_> =
        bot.seen.iter().filter_map(|line| line["turn"].as_u64()).collect();
    assert_eq!(turns.len(), 1);
    let started = &bot.seen[place(&bot.seen, is("action_started"))]["kind"];
    assert_eq!(started["action"]["name"], "bash");
    assert_eq!(bot.seen[place(&bot.seen, is("action_ended"))]["kind"]["exit"], 0);
    let chat = &bot.seen[place(&bot.seen, is("received"))]["kind"]["message"]["chat"];
    let text = place(&bot.seen, |line| {
        is("intended")(line) && line["kind"]["intent"]["kind"] == "send_text"
    });
    assert!(place(&bot.seen, is("action_ended")) < text);
    assert_eq!(&bot.seen[text]["kind"]["intent"]["target"]["chat"], chat);
    let message = &bot.seen[place(&bot.seen, is("received"))]["kind"]["message"]["message"];
    assert_eq!(
        &bot.seen[text]["kind"]["intent"]["reply_to"], message,
        "a reply to the message"
    );
    let said: String = bot
        .seen
        .iter()
        .filter(|line| is("chunk")(line))
        .filter_map(|line| line["kind"]["text"].as_str())
        .collect();
    assert_eq!(said, "It is half full.");
}
