//! Requests that the APIs refuse for what is in them, each by its own rules.

use super::{HEADERS, bodies_refused, insists, post, send};
use foldback_agents::{Api, strict_server::StrictServer};

const PNG: &str = "data:image/png;base64,iVBORw==";

#[tokio::test]
async fn wrong_responses_requests_are_refused() {
    let image = |url: &str| format!(r#"[{{"type":"input_image","image_url":"{url}"}}]"#);
    let (text, html, bytes) = (
        image("http://x/y.png"),
        image(&PNG.replace("png", "html")),
        image(&PNG.replace("==", "!")),
    );
    bodies_refused(
        Api::Responses,
        &[
            (400, "not JSON", "{\"model\"", "{model"),
            (400, "unknown field `messages`", "input", "messages"),
            (
                400,
                "unknown field `max_tokens`",
                "\"stream\"",
                "\"max_tokens\":99,\"stream\"",
            ),
            (404, "no such model", "\"m\"", "\"n\""),
            (400, "stream is not true", "true", "false"),
            (400, "store is not false", "\"store\":false", "\"store\":true"),
            (400, "store is not false", ",\"store\":false", ""),
            (
                400,
                "max_output_tokens is not a number from 16",
                "\"stream\"",
                "\"max_output_tokens\":15,\"stream\"",
            ),
            (
                400,
                "instructions is no text",
                "\"stream\"",
                "\"instructions\":[],\"stream\"",
            ),
            (
                400,
                "input is not a list",
                "[{\"role\":\"user\",\"content\":\"hello\"}]",
                "7",
            ),
            (400, "role", "\"user\"", "\"system\""),
            (
                400,
                "not the user's",
                "[{\"role\":\"user\",\"content\":\"hello\"}]",
                "[]",
            ),
            (400, "content is no text", "\"hello\"", "[]"),
            (
                400,
                "unknown part",
                "\"hello\"",
                "[{\"type\":\"text\",\"text\":\"a\"}]",
            ),
            (
                400,
                "other fields",
                "\"hello\"",
                "[{\"type\":\"input_text\",\"text\":\"a\",\"b\":1}]",
            ),
            (400, "no data URL", "\"hello\"", &text),
            (400, "no type of picture", "\"hello\"", &html),
            (400, "no base64", "\"hello\"", &bytes),
        ],
    )
    .await;
}

#[tokio::test]
async fn wrong_anthropic_requests_are_refused() {
    let source = |kind: &str, media_type: &str, data: &str| {
        format!(
            r#"[{{"type":"image","source":{{"type":"{kind}","media_type":"{media_type}","data":"{data}"}}}}]"#
        )
    };
    let url = source("url", "image/png", "aaaa");
    let (tiff, data, empty) = (
        source("base64", "image/tiff", "aaaa"),
        source("base64", "image/png", "?"),
        source("base64", "image/png", ""),
    );
    bodies_refused(
        Api::Anthropic,
        &[
            (400, "not JSON", "{\"model\"", "{model"),
            (
                400,
                "unknown field `stream_options`",
                "\"stream\"",
                "\"stream_options\":{},\"stream\"",
            ),
            (404, "not_found_error", "\"m\"", "\"n\""),
            (400, "stream is not true", "true", "false"),
            (400, "Field required", ",\"max_tokens\":9", ""),
            (400, "max_tokens is not a number from 1", "9", "0"),
            (400, "max_tokens is not a number from 1", "9", "\"9\""),
            (
                400,
                "must be non-empty",
                "\"stream\"",
                "\"system\":\"\",\"stream\"",
            ),
            (400, "system is no text", "\"stream\"", "\"system\":7,\"stream\""),
            (400, "role", "\"user\"", "\"system\""),
            (400, "role", "\"user\"", "\"assistant\""),
            (400, "non-whitespace", "\"hello\"", "\" \""),
            (
                400,
                "non-whitespace",
                "\"hello\"",
                "[{\"type\":\"text\",\"text\":\"\"}]",
            ),
            (400, "unknown part", "\"hello\"", "[{\"type\":\"image_url\"}]"),
            (400, "not an object", "\"hello\"", "[7]"),
            (400, "not base64", "\"hello\"", &url),
            (400, "no type of picture", "\"hello\"", &tiff),
            (400, "no base64", "\"hello\"", &data),
            (400, "is empty", "\"hello\"", &empty),
        ],
    )
    .await;
}

#[tokio::test]
async fn wrong_letta_requests_are_refused() {
    let again =
        "{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"assistant\",\"content\":\"b\"},{\"role\":\"user\"";
    bodies_refused(
        Api::Letta,
        &[
            (400, "not JSON", "{\"messages\"", "{messages"),
            (
                400,
                "unknown field `model`",
                "{\"messages\"",
                "{\"model\":\"m\",\"messages\"",
            ),
            (
                400,
                "stream_tokens is not true",
                "\"stream_tokens\":true",
                "\"stream_tokens\":false",
            ),
            (400, "include_pings is not true", ",\"include_pings\":true", ""),
            (
                400,
                "max_steps is not a number from 1",
                "{\"messages\"",
                "{\"max_steps\":0,\"messages\"",
            ),
            (400, "knows what was said", "{\"role\":\"user\"", again),
            (400, "role", "\"user\"", "\"system\""),
            (
                400,
                "unknown field `name`",
                "\"content\"",
                "\"name\":\"a\",\"content\"",
            ),
            (400, "content is no text", "\"hello\"", "null"),
            (
                400,
                "unknown part",
                "\"hello\"",
                "[{\"type\":\"input_text\",\"text\":\"a\"}]",
            ),
            (
                400,
                "a text is no text",
                "\"hello\"",
                "[{\"type\":\"text\",\"text\":7}]",
            ),
            (
                400,
                "a source is not an object",
                "\"hello\"",
                "[{\"type\":\"image\",\"source\":\"x\"}]",
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_wrong_decision_or_stop_is_refused_by_letta() {
    let right = r#"{"messages":[{"type":"approval","approvals":[{"type":"approval","tool_call_id":"c","approve":false,"reason":"no"}]}],"stream_tokens":true,"include_pings":true}"#;
    let to = |path: &str| format!("POST /v1/agents/m/messages/{path} HTTP/1.1");
    let server = StrictServer::start(insists(Api::Letta)).await.expect("a port");
    for (path, body, refused) in [
        ("stream", right.to_owned(), None),
        (
            "stream",
            right.replace("\"tool_call_id\":\"c\"", "\"tool_call_id\":7"),
            Some("of a wrong kind"),
        ),
        (
            "stream",
            right.replace("\"approve\"", "\"approved\""),
            Some("other fields"),
        ),
        ("cancel", "{}".to_owned(), None),
        ("cancel", r#"{"run_ids":["run-1"]}"#.to_owned(), None),
        ("cancel", r#"{"run_ids":[]}"#.to_owned(), Some("no list of ids")),
        ("cancel", r#"{"run":"run-1"}"#.to_owned(), Some("unknown field")),
    ] {
        let answer = send(&server, &post(&to(path), HEADERS, &body)).await;
        match refused {
            Some(why) => assert!(
                answer.starts_with("HTTP/1.1 400") && answer.contains(why),
                "{answer}"
            ),
            None => assert!(!answer.starts_with("HTTP/1.1 400"), "{body}: {answer}"),
        }
    }
    assert_eq!(server.stops().len(), 2);
}

#[tokio::test]
async fn wrong_pictures_of_chat_completions_are_refused() {
    let image = |url: &str| format!(r#"[{{"type":"image_url","image_url":{{"url":"{url}"}}}}]"#);
    let (far, html) = (image("http://x/y.png"), image(&PNG.replace("png", "html")));
    bodies_refused(
        Api::Chat,
        &[
            (400, "no data URL", "\"hello\"", &far),
            (400, "no type of picture", "\"hello\"", &html),
            (
                400,
                "unknown part",
                "\"hello\"",
                "[{\"type\":\"input_text\",\"text\":\"a\"}]",
            ),
            (
                400,
                "max_tokens is not a number",
                "\"stream\"",
                "\"max_tokens\":\"many\",\"stream\"",
            ),
        ],
    )
    .await;
}
