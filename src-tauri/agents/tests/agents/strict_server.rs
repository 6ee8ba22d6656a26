//! The server of the tests is itself tested: it must refuse, or the tests against it prove nothing.

mod calls;
mod protocols;

use foldback_agents::{
    Api, Rule, Secret,
    strict_server::{Insists, StrictServer},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

const BODY: &str = r#"{"model":"m","messages":[{"role":"user","content":"hello"}],"stream":true}"#;
const HEADERS: &str = "host: x\r\nuser-agent: t\r\ncontent-type: application/json\r\n\
    accept: text/event-stream\r\nauthorization: Bearer k";

/// A right request of a protocol: path, headers, body.
fn right(api: Api) -> (&'static str, String, &'static str) {
    let anthropic = HEADERS.replace(
        "authorization: Bearer k",
        "x-api-key: k\r\nanthropic-version: 2023-06-01",
    );
    match api {
        Api::Chat => ("/v1/chat/completions", HEADERS.to_owned(), BODY),
        Api::Responses => (
            "/v1/responses",
            HEADERS.to_owned(),
            r#"{"model":"m","input":[{"role":"user","content":"hello"}],"stream":true,"store":false}"#,
        ),
        Api::Anthropic => (
            "/v1/messages",
            anthropic,
            r#"{"model":"m","messages":[{"role":"user","content":"hello"}],"stream":true,"max_tokens":9}"#,
        ),
        Api::Letta => (
            "/v1/agents/m/messages/stream",
            HEADERS.to_owned(),
            r#"{"messages":[{"role":"user","content":"hello"}],"stream_tokens":true,"include_pings":true}"#,
        ),
    }
}

async fn server() -> StrictServer {
    let rules: Vec<Rule> =
        serde_saphyr::from_str("[{when: {contains: hello}, agent: [Hi, {stop: length}]}]").expect("a rule");
    StrictServer::bind(0, insists(Api::Chat), rules)
        .await
        .expect("patterns that compile")
        .expect("a free port")
}

fn insists(api: Api) -> Insists {
    Insists {
        api_key: Some(Secret::new("k")),
        ..Insists::on(api, "m")
    }
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
    refused_by(&server().await, cases).await;
}

async fn refused_by(server: &StrictServer, cases: &[(u16, &str, String)]) {
    for (status, words, request) in cases {
        let answer = send(server, request).await;
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

/// Sends each body that is made wrong by one replacement, to a server of the protocol that takes it otherwise.
async fn bodies_refused(api: Api, cases: &[(u16, &str, &str, &str)]) {
    let (path, headers, body) = right(api);
    let line = format!("POST {path} HTTP/1.1");
    let server = StrictServer::start(insists(api)).await.expect("a port");
    let cases: Vec<_> = cases
        .iter()
        .map(|(status, words, from, to)| {
            assert!(body.contains(from), "{from} is not in {body}");
            (
                *status,
                *words,
                post(&line, &headers, &body.replacen(from, to, 1)),
            )
        })
        .collect();
    refused_by(&server, &cases).await;
    // Without the change it is right: there is no script, but it is taken.
    send(&server, &post(&line, &headers, body)).await;
    assert_eq!(server.requests().len(), 1, "{:?}", server.refusals().last());
}

#[tokio::test]
async fn every_protocol_refuses_wrong_heads() {
    for api in [Api::Responses, Api::Anthropic, Api::Letta] {
        let (path, headers, body) = right(api);
        let line = format!("POST {path} HTTP/1.1");
        let with = |from: &str, to: &str| {
            assert!(headers.contains(from), "{from} is not in {headers}");
            post(&line, &headers.replace(from, to), body)
        };
        let key = if api == Api::Anthropic {
            "x-api-key: k"
        } else {
            "authorization: Bearer k"
        };
        let both = format!(
            "{headers}\r\n{}",
            if api == Api::Anthropic {
                "authorization: Bearer k"
            } else {
                "x-api-key: k"
            }
        );
        let server = StrictServer::start(insists(api)).await.expect("a port");
        refused_by(
            &server,
            &[
                (
                    405,
                    "no GET here",
                    post(&format!("GET {path} HTTP/1.1"), &headers, body),
                ),
                (
                    404,
                    "nothing at",
                    post("POST /v1/chat/completions HTTP/1.1", &headers, body),
                ),
                (
                    404,
                    "nothing at",
                    post(&format!("POST {path}/ HTTP/1.1"), &headers, body),
                ),
                (404, "nothing at", post(&line.replace("/v1", ""), &headers, body)),
                (401, "credentials: none", with(key, "x-other: k")),
                (401, "credentials", with(key, &key.replace('k', "j"))),
                (401, "credentials", post(&line, &both, body)),
                (400, "content-type", with("application/json", "text/plain")),
                (400, "accept", with("text/event-stream", "*/*")),
                (400, "host and user-agent", with("host: x", "hast: x")),
                (400, "comes twice", with("host: x", "host: x\r\nhost: x")),
                (
                    400,
                    "no content-length",
                    format!("{line}\r\n{headers}\r\n\r\n{body}"),
                ),
                (
                    400,
                    "was cut off",
                    post(&line, &headers, body).trim_end_matches('}').to_owned(),
                ),
            ],
        )
        .await;
    }
    let (path, headers, body) = right(Api::Anthropic);
    let line = format!("POST {path} HTTP/1.1");
    let version = |version: &str| post(&line, &headers.replace("2023-06-01", version), body);
    refused_by(
        &StrictServer::start(insists(Api::Anthropic))
            .await
            .expect("a port"),
        &[
            (400, "anthropic-version", version("2022-01-01")),
            (400, "anthropic-version", version("")),
        ],
    )
    .await;
}
