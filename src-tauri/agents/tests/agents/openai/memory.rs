//! What is remembered of a conversation.

use super::{Bench, END, finish, say};
use crate::support::{request, said, start};
use foldback_agents::strict_server::{Piece, Reply, event};
use serde_json::{Value, json};

fn ask(bench: &Bench, reply: Reply, session: &str, prompt: &str) -> crate::support::Running {
    bench.server.reply(reply);
    let mut request = request(1, prompt);
    request.session = session.into();
    start(&bench.agent, request)
}

fn replying(text: &str) -> Reply {
    Reply::events([say(text).as_str(), finish("stop").as_str()])
}

/// What the last request said, as `role:content`.
fn asked(bench: &Bench) -> Vec<String> {
    let requests = bench.server.requests();
    let messages = requests.last().and_then(|request| request.get("messages"));
    let messages = messages.and_then(Value::as_array).expect("messages");
    let field = |message: &Value, name: &str| message[name].as_str().expect("text").to_owned();
    messages
        .iter()
        .map(|message| format!("{}:{}", field(message, "role"), field(message, "content")))
        .collect()
}

#[tokio::test]
async fn a_turn_knows_those_before_it_in_its_session_only() {
    let bench = Bench::new().await;
    ask(&bench, replying("1"), "a", "one").rest().await;
    ask(&bench, replying("2"), "b", "two").rest().await;
    assert_eq!(asked(&bench), ["user:two"]);
    ask(&bench, replying("3"), "a", "three").rest().await;
    assert_eq!(asked(&bench), ["user:one", "assistant:1", "user:three"]);
    bench.agent.forget(&"a".into());
    ask(&bench, replying("4"), "a", "four").rest().await;
    assert_eq!(asked(&bench), ["user:four"]);
}

/// The answer that was on its way belongs to the conversation that was forgotten.
#[tokio::test]
async fn what_is_forgotten_during_an_answer_stays_forgotten() {
    let bench = Bench::new().await;
    ask(&bench, replying("1"), "a", "one").rest().await;
    let endless = Reply::stream([event(&say("2")), Piece::Hang]);
    let mut running = ask(&bench, endless, "a", "two");
    assert_eq!(said(&[running.next().await]), "2");
    bench.agent.forget(&"a".into());
    running.cancel.cancel();
    running.rest().await;
    ask(&bench, replying("3"), "a", "three").rest().await;
    assert_eq!(asked(&bench), ["user:three"]);
    ask(&bench, replying("4"), "a", "four").rest().await;
    assert_eq!(asked(&bench), ["user:three", "assistant:3", "user:four"]);
}

#[tokio::test]
async fn what_was_said_before_a_cancellation_or_a_failure_is_remembered() {
    let bench = Bench::new().await;
    let endless = Reply::stream([event(&say("half")), Piece::Hang]);
    let mut running = ask(&bench, endless, "a", "one");
    running.next().await;
    running.cancel.cancel();
    running.rest().await;
    let cut = Reply::stream([event(&say("part")), Piece::Cut]);
    assert_eq!(said(&ask(&bench, cut, "a", "two").rest().await), "part");
    let refusal = Reply::json(400, &json!({"error": {"message": "no"}}));
    ask(&bench, refusal, "a", "never answered").rest().await;
    ask(&bench, replying("3"), "a", "three").rest().await;
    assert_eq!(
        asked(&bench),
        [
            "user:one",
            "assistant:half",
            "user:two",
            "assistant:part",
            "user:three"
        ],
        "and a turn without a word leaves no trace"
    );
}

#[tokio::test]
async fn messages_around_a_tool_stay_apart() {
    let bench = Bench::new().await;
    let tool =
        super::delta(r#"{"tool_calls":[{"index":0,"id":"t","function":{"name":"f","arguments":"{}"}}]}"#);
    let reply = Reply::events([say("Wait.").as_str(), &tool, &say("Here."), &finish("stop")]);
    ask(&bench, reply, "a", "one").rest().await;
    ask(&bench, replying("2"), "a", "two").rest().await;
    assert_eq!(asked(&bench)[1], "assistant:Wait.\n\nHere.");
}

#[tokio::test]
async fn the_memory_is_bounded() {
    let bench = Bench::with(|config| {
        config.history.exchanges = 2;
        config.history.bytes = 40;
    })
    .await;
    for prompt in ["one", "two", "three", "four"] {
        let steps = ask(&bench, replying("yes"), "a", prompt).rest().await;
        assert_eq!(steps.last(), Some(&END));
    }
    assert_eq!(
        asked(&bench),
        [
            "user:two",
            "assistant:yes",
            "user:three",
            "assistant:yes",
            "user:four"
        ]
    );
    ask(&bench, replying(&"long ".repeat(9)), "a", "five")
        .rest()
        .await;
    ask(&bench, replying("yes"), "a", "six").rest().await;
    assert_eq!(
        asked(&bench),
        ["user:six"],
        "an answer that does not fit leaves no hole"
    );
}
