//! How backends refuse and fail, and in which words a person reads it.

use super::{Bench, DONE, END, HandClock, agent_of, delta, detail, fault, finish, say, text};
use crate::support::{answer, request, said};
use foldback_agents::{
    Api, HttpConfig, Secret, Step,
    strict_server::{Insists, Piece, Reply, event},
};
use foldback_wire::{AgentFault, StopReason};
use serde_json::json;

#[tokio::test]
async fn lasting_refusals_are_told_at_once() {
    for (status, fault_of) in [
        (400, AgentFault::Rejected),
        (401, AgentFault::Unauthorized),
        (403, AgentFault::Unauthorized),
        (422, AgentFault::Rejected),
    ] {
        let bench = Bench::new().await;
        let error = json!({"error": {"message": "because", "type": "t", "code": "c"}});
        let steps = bench.answer(Reply::json(status, &error)).await;
        assert_eq!(
            steps,
            [Step::Failed {
                fault: fault_of,
                detail: format!("HTTP {status}: because")
            }]
        );
        assert_eq!(bench.server.requests().len(), 1);
    }
}

/// With the address: a root without `/v1` is the most common mistake.
#[tokio::test]
async fn a_server_without_the_path_is_told_with_the_address_and_what_to_do() {
    for (api, path, remedy) in [
        (
            Api::Chat,
            "/chat/completions",
            "base_url is the root of the API, such as https://api.openai.com/v1.",
        ),
        (
            Api::Responses,
            "/responses",
            "A server without /responses is asked with agent.openai.api = \"chat\".",
        ),
    ] {
        for (status, words) in [(404, "Not Found".to_owned()), (405, "x".repeat(1_000))] {
            let bench = Bench::insisting(Insists::on(api, "m"), |_| {}).await;
            let steps = bench.answer(Reply::json(status, &json!({"detail": words}))).await;
            assert_eq!(fault(&steps), Some(AgentFault::Rejected));
            let told = detail(&steps);
            let address = format!("the server has nothing at {}{path}. ", bench.server.base_url());
            assert!(told.ends_with(&format!("{address}{remedy}")), "{told}");
        }
    }
}

/// Servers of another protocol, and of an older one, answer 200.
#[tokio::test]
async fn an_answer_of_another_protocol_is_no_empty_one() {
    let other = r#"{"type":"response.output_text.delta","delta":"Hello"}"#;
    let old = r#"{"id":"c1","choices":[{"index":0,"text":"Hello"}]}"#;
    let stop = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;
    let usage = r#"{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}}"#;
    let renamed = r#"{"choices":[{"index":0,"delta":{"reasoning_contents":"Hello"}}]}"#;
    let old_end = r#"{"choices":[{"index":0,"text":"","finish_reason":"stop"}],"usage":{"prompt_tokens":7}}"#;
    for reply in [
        Reply::events([other, DONE]),
        Reply::events([other]),
        Reply::events([old, DONE]),
        Reply::events([old, old_end, DONE]),
        Reply::events([old, old_end]),
        Reply::events([usage, renamed, stop, usage, DONE]),
        Reply::json(200, &json!({"response": "Hello", "done": true})),
    ] {
        let bench = Bench::new().await;
        let steps = bench.answer(reply.clone()).await;
        assert_eq!(fault(&steps), Some(AgentFault::Malformed), "{reply:?}");
        assert!(detail(&steps).starts_with("nothing in the answer is of this protocol; it begins with {"));
        assert!(detail(&steps).contains("Hello"), "{steps:?}");
    }
    for (api, reply) in [
        (Api::Responses, Reply::events([say("Hello").as_str(), DONE])),
        (Api::Anthropic, Reply::events([say("Hello").as_str(), DONE])),
        (Api::Letta, Reply::events([say("Hello").as_str(), DONE])),
        (Api::Responses, Reply::events([DONE])),
        (Api::Anthropic, Reply::events([DONE])),
        (Api::Letta, Reply::events([DONE])),
    ] {
        let bench = Bench::insisting(Insists::on(api, "m"), |_| {}).await;
        assert_eq!(
            fault(&bench.answer(reply).await),
            Some(AgentFault::Malformed),
            "{api:?}"
        );
    }
    let empty = r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}"#;
    let filter = r#"{"id":"c1","choices":[]}"#;
    for events in [&[DONE][..], &[empty, stop, DONE], &[filter, DONE]] {
        let bench = Bench::new().await;
        assert_eq!(
            bench.answer_to(events).await,
            [END],
            "it says nothing, in the right way"
        );
    }
    let refused = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"content_filter"}]}"#;
    let bench = Bench::new().await;
    let steps = bench.answer_to(&[refused, DONE]).await;
    assert_eq!(steps, [Step::Done(StopReason::Refusal)]);
}

/// 300 pieces of 100 KB, all of one line.
#[tokio::test]
async fn an_event_without_end_is_given_up_after_a_megabyte() {
    let pieces = std::iter::once("data: ".into()).chain((0..300).map(|_| Piece::Bytes(vec![b'x'; 100_000])));
    let bench = Bench::new().await;
    let steps = bench.answer(Reply::stream(pieces)).await;
    assert_eq!(fault(&steps), Some(AgentFault::TooLarge));
    assert_eq!(
        detail(&steps),
        "an event of the stream is longer than 1048576 bytes"
    );
}

#[tokio::test]
async fn a_crowd_of_choices_or_tool_calls_is_not_kept() {
    let choices = format!(r#"{{"choices":[{}]}}"#, vec!["{}"; 300_000].join(","));
    let calls = delta(&format!(
        r#"{{"tool_calls":[{}]}}"#,
        vec!["{}"; 300_000].join(",")
    ));
    for data in [choices, calls] {
        let bench = Bench::new().await;
        let steps = bench.answer_to(&[&data]).await;
        assert_eq!(fault(&steps), Some(AgentFault::Malformed));
        assert!(
            detail(&steps).contains("a list of more than 128 elements"),
            "{steps:?}"
        );
    }
}

#[tokio::test]
async fn the_strict_server_refuses_what_is_wrong_and_says_why() {
    let no_key = Bench::insisting(
        Insists {
            api_key: Some(Secret::new("right")),
            ..Insists::on_model("m")
        },
        |_| {},
    )
    .await;
    let steps = answer(&no_key.agent, request(1, "hi")).await;
    assert_eq!(fault(&steps), Some(AgentFault::Unauthorized));

    let no_model = Bench::with(|config| config.model = "other".to_owned()).await;
    let steps = answer(&no_model.agent, request(1, "hi")).await;
    assert_eq!(detail(&steps), "HTTP 404: no such model; this is m");
    assert_eq!(fault(&steps), Some(AgentFault::NoModel));

    let mut insists = Insists::on_model("m");
    insists.context_bytes = 10;
    let overflow = Bench::insisting(insists, |_| {}).await;
    let steps = answer(&overflow.agent, request(1, "more than ten bytes")).await;
    assert_eq!(fault(&steps), Some(AgentFault::Rejected));
    assert_eq!(
        detail(&steps),
        "HTTP 400: 19 bytes are more than the context of 10"
    );
}

#[tokio::test]
async fn a_refusal_that_quotes_the_key_is_told_without_it() {
    let key = Secret::new("sk-very-secret");
    let bench = Bench::insisting(
        Insists {
            api_key: Some(Secret::new("another")),
            ..Insists::on_model("m")
        },
        |config| {
            config.api_key = Some(key);
            config.headers = vec![("x-tenant".to_owned(), Secret::new("tenant-7"))];
        },
    )
    .await;
    let steps = answer(&bench.agent, request(1, "hi")).await;
    assert_eq!(detail(&steps), "HTTP 401: wrong credentials: Bearer …");
    assert_eq!(
        bench.server.refusals(),
        ["wrong credentials: Bearer sk-very-secret"]
    );
}

#[tokio::test]
async fn a_long_refusal_is_shortened_to_one_line() {
    let bench = Bench::new().await;
    let page = format!("<html>\n\n{}</html>", "é\n".repeat(20_000));
    let reply = Reply::with_body(404, "text/html", [page.as_str().into()]);
    let steps = bench.answer(reply).await;
    assert!(detail(&steps).starts_with("HTTP 404: <html> é é"));
    assert!(detail(&steps).len() <= 503 && !detail(&steps).contains('\n'));
}

#[tokio::test]
async fn errors_in_a_stream_keep_what_was_said() {
    for (error, expected, words) in [
        (
            r#"{"error":{"message":"slow down","type":"rate_limit_error"}}"#,
            AgentFault::RateLimited,
            "the backend reported: slow down",
        ),
        (
            r#"{"error":{"message":"busy","code":503}}"#,
            AgentFault::Overloaded,
            "the backend reported: busy",
        ),
        (
            r#"{"error":"oops"}"#,
            AgentFault::Internal,
            "the backend reported: oops",
        ),
        (
            r#"{"choices":[{"finish_reason":"error"}]}"#,
            AgentFault::Internal,
            "the backend stopped with an error",
        ),
    ] {
        let bench = Bench::new().await;
        let steps = bench.answer_to(&[&say("a"), error]).await;
        assert_eq!(steps[0], text("a"));
        assert_eq!((fault(&steps), detail(&steps)), (Some(expected), words));
    }
    let bench = Bench::new().await;
    let named = "event: error\ndata: {\"message\":\"gone\",\"type\":\"overloaded_error\"}";
    let steps = bench
        .answer(Reply::stream([event(&say("a")), named.into()]))
        .await;
    assert_eq!(
        (fault(&steps), detail(&steps)),
        (Some(AgentFault::Overloaded), "the backend reported: gone")
    );
}

#[tokio::test]
async fn what_is_no_chat_completion_is_malformed() {
    let page = "<!doctype html><title>Sign in</title>";
    for (reply, kept) in [
        (Reply::with_body(200, "text/html", [page.into()]), ""),
        (
            Reply::stream([Piece::Bytes(vec![0xFF, 0xFE, b'\n', 0, 1, 2])]),
            "",
        ),
        (Reply::events([say("a").as_str(), "{\"choices\": ["]), "a"),
        (Reply::events([say("a").as_str(), "[1, 2]"]), "a"),
        (
            Reply::with_body(200, "application/json", ["{\"choices\": 7}".into()]),
            "",
        ),
        (Reply::bare(["SSH-2.0-OpenSSH_9.9\r\n".into()]), ""),
    ] {
        let bench = Bench::new().await;
        let steps = bench.answer(reply.clone()).await;
        assert_eq!(said(&steps), kept, "{reply:?}");
        assert_eq!(fault(&steps), Some(AgentFault::Malformed), "{reply:?} {steps:?}");
        assert_eq!(bench.server.requests().len(), 1, "{reply:?}");
    }
}

#[tokio::test]
async fn a_cut_keeps_what_was_whole() {
    for tail in [
        vec![Piece::Cut],
        vec![],
        vec!["data: {\"choices\":[{\"delta\":{\"cont".into(), Piece::Cut],
        vec!["data: {\"choices\":[{\"delta\":{\"cont".into()],
    ] {
        let bench = Bench::new().await;
        let pieces = [event(&say("a"))].into_iter().chain(tail.clone());
        let steps = bench.answer(Reply::stream(pieces)).await;
        assert_eq!(said(&steps), "a");
        assert_eq!(
            fault(&steps),
            Some(AgentFault::Disconnected),
            "{tail:?} {steps:?}"
        );
    }
}

#[tokio::test]
async fn a_cut_in_a_tool_call_tells_what_came_of_it() {
    let bench = Bench::new().await;
    let call = delta(r#"{"tool_calls":[{"index":0,"id":"t","function":{"name":"f","arguments":"{\"q"}}]}"#);
    let steps = bench.answer(Reply::stream([event(&call), Piece::Cut])).await;
    assert!(
        matches!(&steps[1], Step::Tool(call) if call.arguments.as_deref() == Some("{\"q")),
        "{steps:?}"
    );
    assert_eq!(fault(&steps), Some(AgentFault::Disconnected));
}

#[tokio::test]
async fn nobody_there_is_unreachable() {
    let bench = Bench::new().await;
    let base_url = bench.server.base_url();
    drop(bench);
    let mut config = HttpConfig::new(base_url, "m");
    config.retries = 0;
    let agent = agent_of(Api::Chat, config, HandClock::new());
    let steps = answer(&agent, request(1, "hi")).await;
    assert_eq!(fault(&steps), Some(AgentFault::Unreachable), "{steps:?}");
    assert!(detail(&steps).starts_with("no connection: "), "{steps:?}");
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let (bench, elsewhere) = (Bench::new().await, Bench::new().await);
    let target = format!("{}/chat/completions", elsewhere.server.base_url());
    let steps = bench
        .answer(Reply::with_body(307, "text/plain", []).header("location", &target))
        .await;
    assert_eq!(fault(&steps), Some(AgentFault::Rejected));
    assert_eq!(elsewhere.server.requests(), [json!(null); 0]);
}

/// A proxy that sends its status at once, and of its words only the beginning.
#[tokio::test]
async fn a_refusal_whose_body_stalls_keeps_its_status() {
    let bench = Bench::new().await;
    let body = ["{\"error\": ".into(), Piece::Hang];
    bench
        .server
        .reply(Reply::with_body(401, "application/json", body));
    let running = crate::support::start(&bench.agent, crate::support::request(1, "hi"));
    bench.server.until(|counts| counts.accepted == 1).await;
    for _ in 0..100 {
        bench.clock.advance(std::time::Duration::from_millis(100));
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    assert!(running.task.is_finished());
    assert_eq!(fault(&running.rest().await), Some(AgentFault::Unauthorized));
}

/// The person has read the whole of it.
#[tokio::test]
async fn what_follows_a_complete_answer_does_not_spoil_it() {
    for after in [
        r#"{"choices": [], "usage": {"prompt_tokens": null, "completion_tokens": 3}}"#,
        r#"{"choices": 7}"#,
        "not even JSON",
    ] {
        let bench = Bench::new().await;
        let steps = bench.answer_to(&[&say("ok"), &finish("stop"), after, DONE]).await;
        assert_eq!(steps.last(), Some(&END), "{after}: {steps:?}");
    }
    let bench = Bench::new().await;
    let steps = bench.answer_to(&[&say("ok"), r#"{"choices": 7}"#]).await;
    assert_eq!(fault(&steps), Some(AgentFault::Malformed), "it was not complete");
}
