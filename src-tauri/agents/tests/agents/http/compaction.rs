//! The conversation of a backend that keeps none: given back after a restart, bounded by tokens, summarised by the model.

use super::{begin, end, fine, piece, say};
use crate::{
    openai::{Bench, HandClock, agent_of},
    support::{answer, request, said},
};
use foldback_agents::{
    Agent, Api, CompactionError, CompactionOrder, Fallback, History, HistoryEntry, HistoryLimits, HttpConfig,
    Step,
    strict_server::{Gate, Insists, Piece, Reply},
};
use foldback_wire::{AgentFault, SessionId, StopReason, Usage};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

const OURS: [Api; 3] = [Api::Chat, Api::Responses, Api::Anthropic];

fn session() -> SessionId {
    "s1".into()
}

async fn bench(api: Api, tokens: u64) -> Bench {
    Bench::insisting(Insists::on(api, "m"), |config: &mut HttpConfig| {
        config.history = HistoryLimits::of_context(tokens);
    })
    .await
}

/// Asks, and gives what the request said, as `role:content`.
async fn ask(bench: &Bench, api: Api, prompt: &str, reply: &str) -> Vec<String> {
    bench.server.reply(fine(api, &[reply]));
    let steps = answer(&bench.agent, request(1, prompt)).await;
    assert_eq!(said(&steps), reply);
    asked(bench, api)
}

/// What the last request said.
fn asked(bench: &Bench, api: Api) -> Vec<String> {
    assert_eq!(bench.server.refusals(), [""; 0], "every request was right");
    let body = bench.server.requests().pop().expect("a request");
    let messages = match api {
        Api::Responses => &body["input"],
        _ => &body["messages"],
    };
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let line = |message: &Value| format!("{}:{}", text(&message["role"]), text(&message["content"]));
    messages.as_array().expect("messages").iter().map(line).collect()
}

fn history(summary: Option<&str>, exchanges: &[(&str, &str)]) -> History {
    let entries = exchanges.iter().flat_map(|(prompt, reply)| {
        [
            HistoryEntry::User((*prompt).to_owned()),
            HistoryEntry::Tool("search: 3 hits".to_owned()),
            HistoryEntry::Assistant((*reply).to_owned()),
        ]
    });
    History {
        summary: summary.map(str::to_owned),
        entries: entries.collect(),
    }
}

async fn compact(agent: &dyn Agent, keep: usize) -> Result<foldback_agents::Compaction, CompactionError> {
    let order = CompactionOrder {
        keep,
        instructions: "Keep the colours.".to_owned(),
    };
    agent.compact(&session(), &order, CancellationToken::new()).await
}

#[tokio::test]
async fn a_conversation_is_given_back_after_a_restart() {
    for api in OURS {
        let bench = bench(api, 1000).await;
        assert_eq!(bench.agent.conversation(&session()).expect("ours").exchanges, 0);
        assert!(
            bench
                .agent
                .restore(&session(), &history(Some("They like red."), &[("one", "1")]))
        );
        let size = bench.agent.conversation(&session()).expect("ours");
        assert_eq!(
            (size.exchanges, size.summarised, size.counted, size.limit),
            (1, true, false, 1000)
        );
        assert_eq!(
            ask(&bench, api, "two", "2").await,
            [
                "user:[Summary of what was said before]\nThey like red.\n[End of the summary]\n\none",
                "assistant:[search: 3 hits]\n\n1",
                "user:two"
            ]
        );
        assert!(
            !bench.agent.restore(&session(), &history(None, &[("x", "y")])),
            "it is known"
        );
        assert_eq!(
            ask(&bench, api, "three", "3").await[2..],
            ["user:two", "assistant:2", "user:three"]
        );
        bench.agent.forget(&session());
        assert_eq!(ask(&bench, api, "four", "4").await, ["user:four"]);
    }
}

#[tokio::test]
async fn the_model_summarises_what_comes_before_the_last_answers() {
    for api in OURS {
        let bench = bench(api, 1000).await;
        for (prompt, reply) in [("one\n\"red\"", "1"), ("two", "2"), ("three", "3")] {
            ask(&bench, api, prompt, reply).await;
        }
        bench.server.reply(fine(api, &["They like", " red. "]));
        let done = compact(bench.agent.as_ref(), 1).await.expect("a summary");
        assert_eq!(
            (done.summary.as_str(), done.summarised, done.kept),
            ("They like red.", 2, 1)
        );
        let [question] = &asked(&bench, api)[..] else {
            panic!("one question, outside of the conversation");
        };
        assert!(question.contains("Keep the colours."), "{question}");
        assert!(
            question.ends_with(
                "\n{\"user\":\"one\\n\\\"red\\\"\",\"you\":\"1\"}\n{\"user\":\"two\",\"you\":\"2\"}"
            ),
            "{question}"
        );
        assert_eq!(
            ask(&bench, api, "four", "4").await,
            [
                "user:[Summary of what was said before]\nThey like red.\n[End of the summary]\n\nthree",
                "assistant:3",
                "user:four"
            ]
        );
        // The next summary has the one before it; with nothing kept it stands before the question.
        bench.server.reply(fine(api, &["Red."]));
        assert_eq!(compact(bench.agent.as_ref(), 0).await.expect("a summary").kept, 0);
        assert!(asked(&bench, api)[0].contains("\n{\"summary\":\"They like red.\"}\n"));
        assert_eq!(
            ask(&bench, api, "five", "5").await,
            ["user:[Summary of what was said before]\nRed.\n[End of the summary]\n\nfive"]
        );
    }
}

#[tokio::test]
async fn tokens_are_reported_and_bound_what_is_kept() {
    let bench = bench(Api::Chat, 100).await;
    let counted = |text: &str, input: u64| {
        let chunk = json!({"id": "c1", "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": "stop"}]});
        let usage = json!({"choices": [], "usage": {"prompt_tokens": input, "completion_tokens": 5}});
        Reply::events([chunk.to_string().as_str(), usage.to_string().as_str()])
    };
    for (prompt, input) in [("one", 40), ("two", 80)] {
        bench.server.reply(counted("ok", input));
        answer(&bench.agent, request(1, prompt)).await;
    }
    let size = bench.agent.conversation(&session()).expect("ours");
    assert_eq!((size.exchanges, size.tokens, size.counted), (2, 85, true));
    bench.server.reply(counted("In short.", 30));
    let done = compact(bench.agent.as_ref(), 1).await.expect("a summary");
    assert_eq!(done.usage, Some(Usage { input: 30, output: 5 }));
    assert_eq!(
        (done.tokens_before, done.tokens_after),
        (85, 5),
        "a summary of 3, two texts of 1"
    );
    bench.server.reply(counted("ok", 200));
    answer(&bench.agent, request(1, "far too much")).await;
    assert_eq!(bench.agent.conversation(&session()).expect("ours").exchanges, 0);
}

#[tokio::test]
async fn a_summary_that_is_none_leaves_the_conversation_as_it_was() {
    let bench = bench(Api::Chat, 1000).await;
    assert_eq!(
        compact(bench.agent.as_ref(), 1).await,
        Err(CompactionError::Nothing { kept: 0 })
    );
    for prompt in ["one", "two"] {
        ask(&bench, Api::Chat, prompt, "ok").await;
    }
    let before = bench.agent.conversation(&session());
    assert_eq!(
        compact(bench.agent.as_ref(), 2).await,
        Err(CompactionError::Nothing { kept: 2 })
    );
    let ended = |reason: &str| {
        let end = json!({"id": "c1", "choices": [{"index": 0, "delta": {"content": "x"}, "finish_reason": reason}]});
        Reply::stream([piece(Api::Chat, &end)])
    };
    for (reply, fault) in [
        (fine(Api::Chat, &["  "]), AgentFault::Malformed),
        (ended("length"), AgentFault::TooLarge),
        (ended("content_filter"), AgentFault::Rejected),
        (
            Reply::json(401, &json!({"error": {"message": "no"}})),
            AgentFault::Unauthorized,
        ),
    ] {
        bench.server.reply(reply);
        let failed = compact(bench.agent.as_ref(), 1).await;
        assert!(
            matches!(failed, Err(CompactionError::Failed { fault: of, .. }) if of == fault),
            "{failed:?}"
        );
    }
    assert_eq!(bench.agent.conversation(&session()), before);
}

#[tokio::test]
async fn a_summary_that_is_cancelled_or_comes_too_late_changes_nothing() {
    let bench = bench(Api::Chat, 1000).await;
    for prompt in ["one", "two"] {
        ask(&bench, Api::Chat, prompt, "ok").await;
    }
    bench.server.reply(Reply::stream([Piece::Hang]));
    let cancel = CancellationToken::new();
    let order = CompactionOrder {
        keep: 1,
        ..CompactionOrder::default()
    };
    let session = session();
    let compacting = bench.agent.compact(&session, &order, cancel.clone());
    let cancelling = async {
        while bench.server.requests().len() < 3 {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    };
    assert_eq!(
        tokio::join!(compacting, cancelling).0,
        Err(CompactionError::Cancelled)
    );
    let gate = Gate::default();
    let waits = begin(Api::Chat).into_iter().chain([Piece::Wait(gate.clone())]);
    let rest = std::iter::once(say(Api::Chat, "In short.")).chain(end(Api::Chat));
    bench.server.reply(Reply::stream(waits.chain(rest)));
    let compacting = compact(bench.agent.as_ref(), 1);
    let forgetting = async {
        while bench.server.requests().len() < 4 {
            tokio::task::yield_now().await;
        }
        bench.agent.forget(&session);
        gate.open();
    };
    assert_eq!(
        tokio::join!(compacting, forgetting).0,
        Err(CompactionError::Changed)
    );
    assert_eq!(bench.agent.conversation(&session).expect("ours").exchanges, 0);
}

#[tokio::test]
async fn a_backend_that_keeps_the_conversation_says_so() {
    let bench = bench(Api::Letta, 1000).await;
    assert_eq!(bench.agent.conversation(&session()), None);
    assert!(!bench.agent.restore(&session(), &history(None, &[("one", "1")])));
    let refused = compact(bench.agent.as_ref(), 1)
        .await
        .expect_err("the server keeps it");
    assert_eq!(refused.to_string(), "letta keeps the conversation itself");
}

#[tokio::test]
async fn another_backend_of_a_chain_summarises_where_the_first_cannot() {
    let bench = bench(Api::Chat, 1000).await;
    let nowhere = HttpConfig::new("http://127.0.0.1:9/v1", "m");
    let nowhere = HttpConfig {
        retries: 0,
        history: HistoryLimits::of_context(1000),
        ..nowhere
    };
    let first = agent_of(Api::Anthropic, nowhere, HandClock::new());
    let chain = Fallback::new(first, vec![Arc::clone(&bench.agent)]);
    assert!(chain.restore(&session(), &history(None, &[("one", "1"), ("two", "2")])));
    assert_eq!(chain.conversation(&session()).expect("ours").exchanges, 2);
    bench.server.reply(fine(Api::Chat, &["In short."]));
    assert_eq!(compact(&chain, 1).await.expect("a summary").summary, "In short.");
    let agent: Arc<dyn Agent> = Arc::new(chain);
    bench.server.reply(fine(Api::Chat, &["3"]));
    let steps = answer(&agent, request(1, "three")).await;
    assert_eq!(steps.last(), Some(&Step::Done(StopReason::End)));
    assert!(asked(&bench, Api::Chat)[0].contains("In short."));
}
