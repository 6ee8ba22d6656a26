//! What answers mean.

use super::{Bench, DONE, END, delta, finish, say, text};
use crate::support::{request, said, start};
use foldback_agents::{
    Secret, Step,
    strict_server::{Gate, Insists, Piece, Reply, event},
};
use foldback_wire::{StopReason, ToolCall, ToolStatus, Usage};
use serde_json::json;

#[tokio::test]
async fn text_comes_as_it_is_said() {
    let bench = Bench::new().await;
    let gate = Gate::default();
    bench.server.reply(Reply::stream([
        event(&say("Hel")),
        Piece::Wait(gate.clone()),
        event(&say("lo")),
        Piece::Wait(gate.clone()),
        event(&finish("stop")),
        event(DONE),
    ]));
    let mut running = start(&bench.agent, request(1, "hi"));
    assert_eq!(running.next().await, text("Hel"));
    gate.open();
    assert_eq!(running.next().await, text("lo"));
    gate.open();
    assert_eq!(running.rest().await, [END]);
    assert_eq!(
        (bench.agent.backend(), bench.agent.model()),
        ("openai", Some("m"))
    );
}

#[tokio::test]
async fn tokens_come_before_the_end_wherever_they_are_sent() {
    let usage = r#"{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}}"#;
    let counting = r#"{"id":"c1","choices":[{"index":0,"delta":{"content":"a"}}],"usage":{"prompt_tokens":7,"completion_tokens":1}}"#;
    let stop = finish("stop");
    let tokens = Step::Usage(Usage { input: 7, output: 3 });
    for data in [
        vec![counting, &stop, usage, DONE],
        vec![counting, usage, &stop],
        vec![usage, counting, usage, DONE],
    ] {
        let bench = Bench::new().await;
        assert_eq!(
            bench.answer_to(&data).await,
            [text("a"), tokens.clone(), END],
            "{data:?}"
        );
    }
}

#[tokio::test]
async fn reasoning_is_told_apart_from_text() {
    let bench = Bench::new().await;
    let data = [
        delta(r#"{"role":"assistant","content":null,"reasoning_content":"hm"}"#),
        delta(r#"{"content":"","reasoning":" well"}"#),
        delta(r#"{"reasoning":" twice","reasoning_content":" twice"}"#),
        say("Yes."),
        finish("stop"),
    ];
    let reasoning = |text: &str| Step::Reasoning(text.to_owned());
    assert_eq!(
        bench.answer_to(&data.each_ref().map(String::as_str)).await,
        [
            reasoning("hm"),
            reasoning(" well"),
            reasoning(" twice"),
            text("Yes."),
            END
        ]
    );
}

#[tokio::test]
async fn a_tool_call_is_announced_and_told_whole() {
    let bench = Bench::new().await;
    let data = [
        say("Let me look."),
        delta(
            r#"{"tool_calls":[{"index":0,"id":"t0","type":"function","function":{"name":"find","arguments":""}}]}"#,
        ),
        delta(r#"{"tool_calls":[{"index":0,"function":{"arguments":"{\"q\""}}]}"#),
        delta(
            r#"{"tool_calls":[{"index":0,"function":{"arguments":":1}"}},{"index":1,"id":0,"function":{"name":"ask","arguments":"{}"}}]}"#,
        ),
        say("Found."),
        finish("tool_calls"),
        DONE.to_owned(),
    ];
    let call = |id: &str, name: &str, arguments: Option<&str>| {
        Step::Tool(ToolCall {
            id: id.into(),
            name: name.to_owned(),
            status: ToolStatus::Pending,
            arguments: arguments.map(str::to_owned),
            result: None,
        })
    };
    assert_eq!(
        bench.answer_to(&data.each_ref().map(String::as_str)).await,
        [
            text("Let me look."),
            call("t0", "find", None),
            call("0", "ask", None),
            call("t0", "find", Some(r#"{"q":1}"#)),
            call("0", "ask", Some("{}")),
            text("Found."),
            END
        ]
    );
}

#[tokio::test]
async fn the_reason_of_the_end_is_kept() {
    let refusal = delta(r#"{"refusal":"I can't."}"#);
    for (data, words, reason) in [
        (vec![say("a"), finish("stop")], "a", StopReason::End),
        (vec![say("a"), finish("tool_calls")], "a", StopReason::End),
        (vec![say("a"), finish("eos")], "a", StopReason::End),
        (vec![say("a"), finish("length")], "a", StopReason::Length),
        (vec![say("a"), finish("content_filter")], "a", StopReason::Refusal),
        (vec![refusal, finish("stop")], "I can't.", StopReason::Refusal),
        (vec![say("a"), DONE.to_owned()], "a", StopReason::End),
        (vec![finish("stop")], "", StopReason::End),
        (vec![DONE.to_owned()], "", StopReason::End),
    ] {
        let bench = Bench::new().await;
        let data: Vec<&str> = data.iter().map(String::as_str).collect();
        let steps = bench.answer_to(&data).await;
        assert_eq!(said(&steps), words, "{data:?}");
        assert_eq!(steps.last(), Some(&Step::Done(reason)), "{data:?}");
    }
}

#[tokio::test]
async fn nothing_counts_after_done() {
    let bench = Bench::new().await;
    let data = [&say("a"), DONE, &say("b"), "garbage"];
    assert_eq!(bench.answer_to(&data).await, [text("a"), END]);
}

#[tokio::test]
async fn only_the_answer_that_was_asked_for_is_told() {
    let bench = Bench::new().await;
    let second = r#"{"id":"c2","choices":[{"index":1,"delta":{"content":"other"}}]}"#;
    let data = [&say("a"), second, &say("b").replace("c1", "c9"), &finish("stop")];
    assert_eq!(
        bench.answer_to(&data).await,
        [text("a"), text("b"), END],
        "and one id, though the gateway changed it"
    );
}

#[tokio::test]
async fn comments_pings_and_every_line_end_are_understood() {
    let bench = Bench::new().await;
    let stream = format!(
        "\u{feff}: OPENROUTER PROCESSING\r\n\r\nevent: ping\r\ndata: {{}}\r\n\r\n:\n\ndata:{}\r\rid: 3\nretry: 10\ndata: {}\n\ndata: {DONE}",
        say("a"),
        finish("stop")
    );
    let steps = bench.answer(Reply::stream([stream.as_str().into()])).await;
    assert_eq!(steps, [text("a"), END]);
}

#[tokio::test]
async fn a_character_split_between_network_reads_is_whole() {
    let stream = format!("data: {}\n\ndata: {}\n\n", say("né😀ü"), finish("stop")).into_bytes();
    let cut = stream.iter().position(|byte| *byte == 0xF0).expect("an emoji") + 2;
    let bench = Bench::new().await;
    let gate = Gate::default();
    bench.server.reply(Reply::stream([
        event(&say("first ")),
        Piece::Bytes(stream[..cut].to_vec()),
        Piece::Wait(gate.clone()),
        Piece::Bytes(stream[cut..].to_vec()),
    ]));
    let mut running = start(&bench.agent, request(1, "hi"));
    running.next().await;
    gate.open();
    assert_eq!(said(&running.rest().await), "né😀ü");
}

#[tokio::test]
async fn a_character_split_between_deltas_is_whole() {
    let bytes = |content: &[u8]| {
        let mut data = b"data: {\"id\":\"c1\",\"choices\":[{\"delta\":{\"content\":\"".to_vec();
        data.extend_from_slice(content);
        data.extend_from_slice(b"\"}}]}\n\n");
        Piece::Bytes(data)
    };
    for (halves, whole) in [
        ([b"a\xF0\x9F".as_slice(), b"\x98\x80b"], "a😀b"),
        ([br"a\ud83d", br"\ude00b"], "a😀b"),
        ([b"a\xC3", b"b"], "a\u{fffd}b"),
        ([br"a\ud83d", b""], "a\u{fffd}"),
    ] {
        let bench = Bench::new().await;
        let [first, second] = halves.map(bytes);
        let steps = bench
            .answer(Reply::stream([first, second, event(&finish("stop"))]))
            .await;
        assert_eq!(said(&steps), whole);
    }
}

#[tokio::test]
async fn an_answer_that_is_not_streamed_is_understood() {
    let bench = Bench::new().await;
    let whole = json!({"id": "c1", "object": "chat.completion", "choices": [{"index": 0,
        "message": {"role": "assistant", "content": "All at once.", "refusal": null,
            "tool_calls": [{"id": "t1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        "finish_reason": "length"}], "usage": {"prompt_tokens": 2, "completion_tokens": 1}});
    let steps = bench.answer(Reply::json(200, &whole)).await;
    assert_eq!(steps[0], text("All at once."));
    assert!(
        matches!(&steps[1..3], [Step::Tool(_), Step::Tool(call)] if call.arguments.as_deref() == Some("{}"))
    );
    assert_eq!(
        steps[3..],
        [
            Step::Usage(Usage { input: 2, output: 1 }),
            Step::Done(StopReason::Length)
        ]
    );
}

#[tokio::test]
async fn the_request_carries_what_is_configured() {
    let key = Secret::new("sk-test");
    let mut insists = Insists::on_model("m");
    insists.api_key = Some(key.clone());
    let bench = Bench::insisting(insists, |config| {
        config.api_key = Some(key);
        config.headers = vec![("X-Title".to_owned(), Secret::new("Foldback"))];
        config.system = Some("Be brief.".to_owned());
        config.extra.insert("temperature".to_owned(), json!(0));
    })
    .await;
    bench.answer_to(&[&finish("stop")]).await;
    assert_eq!(
        bench.server.requests(),
        [json!({"model": "m", "messages": [
            {"role": "system", "content": "Be brief."}, {"role": "user", "content": "hi"}],
            "stream": true, "stream_options": {"include_usage": true}, "temperature": 0})]
    );
    assert_eq!(
        bench.server.headers()[0].get("x-title").map(String::as_str),
        Some("Foldback")
    );
}
