//! The server of the tests is itself tested: it must refuse, or the tests against it prove nothing.

use foldback_agents::{
    Rule, Secret,
    strict_server::{Insists, StrictServer},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

const BODY: &str = r#"{"model":"m","messages":[{"role":"user","content":"hello"}],"stream":true}"#;
const HEADERS: &str = "host: x\r\nuser-agent: t\r\ncontent-type: application/json\r\n\
    accept: text/event-stream\r\nauthorization: Bearer k";

async fn server() -> StrictServer {
    let insists = Insists {
        api_key: Some(Secret::new("k")),
        ..Insists::on_model("m")
    };
    let rules: Vec<Rule> =
        serde_saphyr::from_str("[{when: {contains: hello}, agent: [Hi, {stop: length}]}]").expect("a rule");
    StrictServer::bind(0, insists, rules)
        .await
        .expect("patterns that compile")
        .expect("a free port")
}

/// Sends bytes and gives all of the answer.
async fn send(server: &StrictServer, bytes: &str) -> String {
    let mut socket = TcpStream::connect(server.address()).await.expect("a server");
    socket.write_all(bytes.as_bytes()).await.expect("sent");
    socket.shutdown().await.expect("ended");
    let mut answer = String::new();
    socket.read_to_string(&mut answer).await.expect("an answer");
    answer
}

fn post(line: &str, headers: &str, body: &str) -> String {
    format!(
        "{line}\r\n{headers}\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

const LINE: &str = "POST /v1/chat/completions HTTP/1.1";

#[tokio::test]
async fn a_right_request_is_answered_by_the_script() {
    let server = server().await;
    let answer = send(&server, &post(LINE, HEADERS, BODY)).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    for part in [
        r#""delta":{"content":"Hi"}"#,
        r#""finish_reason":"length""#,
        "data: [DONE]",
        "\r\n0\r\n\r\n",
    ] {
        assert!(answer.contains(part), "{part} is not in {answer}");
    }
    let other = BODY.replace("hello", "who?");
    let answer = send(&server, &post(LINE, HEADERS, &other)).await;
    assert!(
        answer.starts_with("HTTP/1.1 500") && answer.contains("no_script"),
        "{answer}"
    );
    assert_eq!((server.requests().len(), server.refusals()), (2, Vec::new()));
}

/// Sends wrong requests; each must be refused with its status and in its words.
async fn all_refused(cases: &[(u16, &str, String)]) {
    let server = server().await;
    for (status, words, request) in cases {
        let answer = send(&server, request).await;
        let first = answer.lines().next().unwrap_or_default();
        assert_eq!(first, format!("HTTP/1.1 {status} Scripted"), "{words}: {answer}");
        assert!(answer.contains(words), "{words}: {answer}");
    }
    assert_eq!(server.requests().len(), 0);
    assert_eq!(server.refusals().len(), cases.len());
}

#[tokio::test]
async fn wrong_heads_are_refused() {
    let line = |line: &str| post(line, HEADERS, BODY);
    let headers = |headers: &str| post(LINE, headers, BODY);
    let without = |name: &str| {
        let kept = HEADERS.split("\r\n").filter(|line| !line.starts_with(name));
        post(LINE, &kept.collect::<Vec<_>>().join("\r\n"), BODY)
    };
    all_refused(&[
        (405, "no GET here", line("GET /v1/chat/completions HTTP/1.1")),
        (
            404,
            "nothing at",
            format!("GET /v1/models HTTP/1.1\r\n{HEADERS}\r\n\r\n"),
        ),
        (404, "nothing at", line("POST /chat/completions HTTP/1.1")),
        (404, "nothing at", line("POST /v1/chat/completions/ HTTP/1.1")),
        (
            400,
            "not a request line",
            line("POST /v1/chat/completions HTTP/1.0"),
        ),
        (401, "credentials: none", without("authorization")),
        (
            401,
            "credentials",
            headers(&HEADERS.replace("Bearer k", "Bearer j")),
        ),
        (401, "credentials", headers(&HEADERS.replace("Bearer k", "k"))),
        (400, "content-type", without("content-type")),
        (400, "accept", without("accept")),
        (400, "host and user-agent", without("host")),
        (400, "comes twice", headers(&format!("{HEADERS}\r\nhost: y"))),
        (400, "is not a header", headers(&format!("{HEADERS}\r\nhost"))),
        (
            400,
            "no content-length",
            format!("{LINE}\r\n{HEADERS}\r\n\r\n{BODY}"),
        ),
        (400, "was cut off", line(LINE).trim_end_matches('}').to_owned()),
        (400, "more came", line(LINE) + " "),
    ])
    .await;
}

#[tokio::test]
async fn wrong_bodies_are_refused() {
    let body = |from: &str, to: &str| post(LINE, HEADERS, &BODY.replace(from, to));
    let options = r#":true,"stream_options":{"usage":true}"#;
    all_refused(&[
        (400, "not JSON", body("{\"model\"", "{model")),
        (400, "not an object", post(LINE, HEADERS, "[]")),
        (400, "unknown field `strem`", body("stream", "strem")),
        (404, "no such model", body(r#""m""#, r#""n""#)),
        (400, "stream is not true", body(":true", ":false")),
        (400, "unknown stream_options", body(":true", options)),
        (
            400,
            "more than the context",
            body("hello", &"x".repeat(1_000_001)),
        ),
    ])
    .await;
}

#[tokio::test]
async fn wrong_conversations_are_refused() {
    let talk = |messages: &str| {
        let right = r#"[{"role":"user","content":"hello"}]"#;
        post(LINE, HEADERS, &BODY.replace(right, messages))
    };
    let roles = |roles: &[&str]| {
        let message = |role: &&str| format!(r#"{{"role":"{role}","content":"a"}}"#);
        let messages: Vec<String> = roles.iter().map(message).collect();
        talk(&format!("[{}]", messages.join(",")))
    };
    let named = r#"[{"role":"user","name":"a","content":"b"}]"#;
    all_refused(&[
        (400, "messages is not a list", talk("{}")),
        (400, "not the user's", talk("[]")),
        (400, "messages[0]: not an object", talk("[7]")),
        (400, "messages[0]: unknown field `name`", talk(named)),
        (
            400,
            "messages[0]: content is no text",
            talk(r#"[{"role":"user","content":null}]"#),
        ),
        (400, "messages[0]: role", roles(&["assistant"])),
        (400, "messages[1]: role", roles(&["user", "user"])),
        (400, "messages[1]: role", roles(&["user", "system"])),
        (400, "not the user's", roles(&["user", "assistant"])),
        (400, "not the user's", roles(&["system"])),
    ])
    .await;
}

#[tokio::test]
async fn a_key_that_was_not_asked_for_is_refused() {
    let server = StrictServer::start(Insists::on_model("m")).await.expect("a port");
    let answer = send(&server, &post(LINE, HEADERS, BODY)).await;
    assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
}
