//! `foldback doctor` asks what it says: keys, models, agents, tokens, accounts.

use crate::{answering::Answering, bot::Home, foldback::Ran};
use serde_json::Value;
use std::{
    io::{BufRead as _, BufReader, Write as _},
    os::unix::net::UnixListener,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// The finding about a setting that came of this question.
fn finding(ran: &Ran, about: &str, asked: &str) -> Value {
    let lines = ran.lines();
    let is = |line: &&Value| {
        line["about"] == about && line["asked"].as_str().is_some_and(|text| text.contains(asked))
    };
    let found = lines.iter().find(is);
    found
        .unwrap_or_else(|| panic!("{about} {asked}: {lines:#?}"))
        .clone()
}

/// State and words of that finding.
pub(crate) fn found(ran: &Ran, about: &str, asked: &str) -> (String, String) {
    let finding = finding(ran, about, asked);
    let text = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    let todo = text("todo");
    let words = if todo.is_empty() {
        text("found")
    } else {
        format!("{} → {todo}", text("found"))
    };
    (text("state"), words)
}

pub(crate) fn doctor(home: &Home) -> Ran {
    home.run(&["doctor", "--format", "json"])
}

/// A server of chat completions that has the model `small`, and no `/responses`.
fn openai() -> Answering {
    Answering::new(|request| match request.split_whitespace().nth(1) {
        Some("/v1/models") if request.contains("authorization: Bearer sk-right\r\n") => {
            (200, r#"{"data": [{"id": "small"}, {"id": "tiny:latest"}]}"#)
        }
        Some("/v1/models") => (401, r#"{"error": {"message": "who are you?"}}"#),
        _ => (404, r#"{"detail": "Not Found"}"#),
    })
}

fn with_model(server: &Answering, key: &str, more: &str) -> Home {
    let home = Home::with(&format!(
        "[agent]\nbackend = \"openai\"\n[agent.openai]\nbase_url = \"{}/v1\"\napi_key = {{ file = \"key\" }}\n{more}\n",
        server.url()
    ));
    home.write("key", key);
    home
}

#[test]
fn key_and_model_are_asked_for_at_the_server() {
    let server = openai();
    let asked = "GET http";
    let ran = doctor(&with_model(&server, "sk-right", "model = \"small\""));
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert_eq!(
        found(&ran, "agent.openai.base_url", asked),
        ("fine".into(), "answers and takes the key".into())
    );
    let listed = ("fine".into(), "small is in the server's list".into());
    assert_eq!(found(&ran, "agent.openai.model", asked), listed);

    let ran = doctor(&with_model(&server, "sk-right", "model = \"large\""));
    let unlisted = "large is not in the server's list of 2, which begins with small, tiny:latest → look whether \
                    agent.openai.model is right: some servers list only a part";
    assert_eq!(
        found(&ran, "agent.openai.model", asked),
        ("note".into(), unlisted.into())
    );

    let ran = doctor(&with_model(&server, "sk-wrong", "model = \"small\""));
    assert_eq!(ran.code, 1);
    let refused = "refuses the key with 401 → mend agent.openai.api_key";
    assert_eq!(
        found(&ran, "agent.openai.base_url", asked),
        ("wrong".into(), refused.into())
    );
    assert_eq!(found(&ran, "agent.openai.model", asked).0, "unasked");
}

/// Google answers 400 to a wrong key, with a list around the error where it speaks as OpenAI does.
#[test]
fn a_key_that_is_refused_with_400_counts_as_refused() {
    let server = Answering::new(|_| {
        let refused =
            r#"[{"error": {"code": 400, "message": "API key not valid. Please pass a valid API key."}}]"#;
        (400, refused)
    });
    let ran = doctor(&with_model(&server, "sk-wrong", "model = \"small\""));
    let refused = "refuses the key with 400 → mend agent.openai.api_key";
    assert_eq!(
        found(&ran, "agent.openai.base_url", "GET http"),
        ("wrong".into(), refused.into())
    );
}

/// llama.cpp's server gives its list of models to whoever asks, and looks at the key only where a model answers.
#[test]
fn a_key_counts_as_tried_only_where_the_list_does_not_come_without_it() {
    let server = Answering::new(|request| match request.split_whitespace().nth(1) {
        Some("/v1/models") => (200, r#"{"data": [{"id": "small"}]}"#),
        _ => (401, r#"{"error": {"message": "Invalid API Key"}}"#),
    });
    let speech = |key: &str| {
        format!(
            "[transcription]\nbackend = \"openai\"\nbase_url = \"{}/v1\"\nmodel = \"small\"\n{key}",
            server.url()
        )
    };
    let untried = |key: &str| {
        let words = "lists its models to anyone, so the key was not tried → send a message to find out whether the \
                     server takes";
        ("unasked".to_owned(), format!("{words} {key}"))
    };
    let ran = doctor(&with_model(
        &server,
        "sk-wrong",
        &format!("model = \"small\"\n{}", speech("api_key = { file = \"key\" }\n")),
    ));
    for (about, key) in [
        ("agent.openai.base_url", "agent.openai.api_key"),
        ("transcription.base_url", "transcription.api_key"),
    ] {
        assert_eq!(found(&ran, about, "GET http"), untried(key));
    }
    let listed = ("fine".into(), "small is in the server's list".into());
    assert_eq!(found(&ran, "agent.openai.model", "GET http"), listed);

    let home = Home::with(&format!(
        "[agent]\nbackend = \"openai\"\n[agent.openai]\nbase_url = \"{}/v1\"\nmodel = \"small\"\n{}",
        server.url(),
        speech("")
    ));
    let ran = doctor(&home);
    assert_eq!(
        found(&ran, "agent.openai.base_url", "GET http"),
        ("fine".into(), "lists its models without a key".into())
    );
    assert_eq!(
        found(&ran, "transcription.base_url", "GET http"),
        (
            "fine".into(),
            "lists its models without a key; it has small".into()
        )
    );
}

#[test]
fn words_of_a_server_cannot_move_the_terminal() {
    let server = Answering::new(|_| {
        (
            200,
            r#"{"data": [{"id": "small\u202e"}, {"id": "tiny\u001b[2J\nfine"}]}"#,
        )
    });
    let ran = with_model(&server, "sk-right", "model = \"large\"").run(&["doctor"]);
    assert!(!ran.stdout.contains(['\u{1b}', '\u{202e}']), "{:?}", ran.stdout);
    assert!(
        ran.stdout
            .contains("begins with small⟨U+202E⟩, tiny⟨U+001B⟩[2J fine"),
        "{:?}",
        ran.stdout
    );
}

#[test]
fn a_server_without_responses_is_found_before_the_first_message() {
    let server = openai();
    let home = with_model(&server, "sk-right", "model = \"tiny\"\napi = \"responses\"");
    let ran = doctor(&home);
    assert_eq!(ran.code, 1);
    let none =
        "the server has no /responses (404) → set agent.openai.api = \"chat\", or mend agent.openai.base_url";
    assert_eq!(
        found(&ran, "agent.openai.api", "POST http"),
        ("wrong".into(), none.into())
    );
    assert_eq!(
        found(&ran, "agent.openai.model", "GET http").0,
        "fine",
        "as Ollama lists it"
    );
}

#[test]
fn a_letta_agent_and_a_model_of_anthropic_are_asked_for_by_name() {
    let server = Answering::new(|request| match request.split_whitespace().nth(1) {
        Some("/v1/agents/agent-1") => (200, r#"{"id": "agent-1", "name": "Ada"}"#),
        Some("/v1/models/claude-small") if request.contains("x-api-key: sk-ant") => (
            200,
            r#"{"type": "model", "id": "claude-small", "display_name": "Small"}"#,
        ),
        _ => (404, r#"{"detail": "not found"}"#),
    });
    let config = |agent: &str, model: &str| {
        let home = Home::with(&format!(
            "[agent]\nbackend = \"letta\"\nfallback = [\"anthropic\"]\n[agent.letta]\nbase_url = \"{url}\"\n\
             model = \"{agent}\"\n[agent.anthropic]\nbase_url = \"{url}/v1\"\nmodel = \"{model}\"\n\
             api_key = {{ file = \"key\" }}\n",
            url = server.url()
        ));
        home.write("key", "sk-ant");
        home
    };
    let ran = doctor(&config("agent-1", "claude-small"));
    assert_eq!(
        found(&ran, "agent.letta.model", "GET http"),
        ("fine".into(), "the server has the agent agent-1 (Ada)".into())
    );
    assert_eq!(
        found(&ran, "agent.anthropic.model", "GET http"),
        (
            "fine".into(),
            "the server has the model claude-small (Small)".into()
        )
    );
    let ran = doctor(&config("agent-2", "claude-large"));
    assert_eq!(ran.code, 1);
    for (about, what) in [
        ("agent.letta.model", "agent agent-2"),
        ("agent.anthropic.model", "model claude-large"),
    ] {
        let none = format!("the server has no {what} → name one that it has in {about}");
        assert_eq!(found(&ran, about, "GET http"), ("wrong".into(), none));
    }
}

#[test]
fn tokens_are_shown_to_their_platform_and_to_no_other() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let server = Answering::new(move |request| {
        count.fetch_add(1, Ordering::SeqCst);
        match request.split_whitespace().nth(1) {
            Some("/bot123:abc/getMe") => (200, r#"{"ok": true, "result": {"username": "tea_bot"}}"#),
            Some("/api/v10/users/@me") => (401, r#"{"message": "401: Unauthorized", "code": 0}"#),
            Some("/auth.test") => (200, r#"{"ok": true, "user": "tea"}"#),
            Some("/users.info?user=USLACKBOT") => (
                200,
                r#"{"ok": false, "error": "missing_scope", "needed": "users:read"}"#,
            ),
            Some("/apps.connections.open") => (200, r#"{"ok": false, "error": "invalid_auth"}"#),
            _ => (404, "{}"),
        }
    });
    let home = Home::with(&format!(
        "[channels.telegram]\nkind = \"telegram\"\ntoken = {{ file = \"t\" }}\napi_root = \"{url}\"\n\
         [channels.discord]\nkind = \"discord\"\ntoken = {{ file = \"d\" }}\napi_root = \"{url}\"\n\
         [channels.slack]\nkind = \"slack\"\ntoken = {{ file = \"b\" }}\napp_token = {{ file = \"a\" }}\napi_root = \"{url}\"\n",
        url = server.url()
    ));
    let put = |t: &str, d: &str, b: &str, a: &str| {
        for (file, token) in [("t", t), ("d", d), ("b", b), ("a", a)] {
            home.write(file, token);
        }
    };
    let discord = "MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs";
    put("123:abc", discord, "xoxb-1-2-3", "xapp-1-2-3");
    let ran = doctor(&home);
    let told = |about: &str, asked: &str| found(&ran, about, asked);
    assert_eq!(
        told("channels.telegram.token", "/getMe"),
        ("fine".into(), "the platform knows the bot as tea_bot".into())
    );
    let refused = "the platform refuses it: 401 401: Unauthorized → mend channels.discord.token";
    assert_eq!(
        told("channels.discord.token", "/users/@me"),
        ("wrong".into(), refused.into())
    );
    assert_eq!(told("channels.slack.token", "/auth.test").0, "fine");
    let (state, names) = told("channels.slack.token", "/users.info");
    assert_eq!(state, "note");
    assert!(
        names.contains("called by their ids → add the scope users:read"),
        "{names}"
    );
    let refused = "the platform refuses it: invalid_auth → mend channels.slack.app_token";
    assert_eq!(
        told("channels.slack.app_token", "/apps.connections.open"),
        ("wrong".into(), refused.into())
    );
    assert!(!ran.stdout.contains("123:abc"), "{}", ran.stdout);

    // Exchanged: nobody is shown what is not theirs.
    let before = asked.load(Ordering::SeqCst);
    put(discord, "123:abc", "xapp-1-2-3", "xoxb-1-2-3");
    let ran = doctor(&home);
    let exchange = "exchange it with the channel's other token: token takes xoxb-, app_token takes xapp-";
    for (about, asked, words) in [
        (
            "channels.telegram.token",
            "/getMe",
            "is a token of Discord, not a token of Telegram → put a token of Telegram into channels.telegram.token"
                .to_owned(),
        ),
        (
            "channels.discord.token",
            "/users/@me",
            "is a token of Telegram, not a token of Discord → put a token of Discord into channels.discord.token"
                .to_owned(),
        ),
        (
            "channels.slack.token",
            "/auth.test",
            format!("is an app-level token of Slack (xapp-), not a bot token of Slack (xoxb-) → {exchange}"),
        ),
        (
            "channels.slack.app_token",
            "/apps.connections.open",
            format!("is a bot token of Slack (xoxb-), not an app-level token of Slack (xapp-) → {exchange}"),
        ),
    ] {
        assert_eq!(found(&ran, about, asked), ("wrong".into(), words));
    }
    assert_eq!(asked.load(Ordering::SeqCst), before);
}

#[test]
fn a_signal_account_is_asked_for_and_a_server_of_http_is_not_taken_for_the_daemon() {
    let home = Home::new();
    let socket = home.path("socket");
    let listener = UnixListener::bind(&socket).unwrap();
    thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut line = String::new();
            let read = BufReader::new(stream.try_clone().unwrap()).read_line(&mut line);
            assert!(read.is_ok() && line.contains("listAccounts"), "{line}");
            // Something that was received comes first.
            let answer = "{\"jsonrpc\":\"2.0\",\"method\":\"receive\",\"params\":{}}\n\
                {\"jsonrpc\":\"2.0\",\"id\":\"doctor\",\"result\":[{\"number\":\"+4915112345678\"}]}\n";
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    let config = |root: &str, account: &str| {
        format!("[channels.signal]\nkind = \"signal\"\napi_root = \"{root}\"\naccount = \"{account}\"\n")
    };
    let root = format!("unix://{}", socket.display());
    home.write("foldback.toml", &config(&root, "+4915112345678"));
    assert_eq!(
        found(&doctor(&home), "channels.signal.api_root", "for its accounts"),
        ("fine".into(), "signal-cli has the account +4915112345678".into())
    );
    home.write("foldback.toml", &config(&root, "+4915100000000"));
    let none = "signal-cli has no account +4915100000000, only: +4915112345678 → register or link it there, or mend \
                channels.signal.account";
    assert_eq!(
        found(&doctor(&home), "channels.signal.api_root", "for its accounts"),
        ("wrong".into(), none.into())
    );

    // It was started for one account, which it does not name.
    let alone = home.path("alone");
    let listener = UnixListener::bind(&alone).unwrap();
    thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let _ = BufReader::new(stream.try_clone().unwrap()).read_line(&mut String::new());
            let answer = "{\"jsonrpc\":\"2.0\",\"id\":\"doctor\",\"error\":{\"code\":-32601,\"message\":\"Method not implemented\"}}\n";
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    home.write(
        "foldback.toml",
        &config(&format!("unix://{}", alone.display()), "+4915112345678"),
    );
    let (state, words) = found(&doctor(&home), "channels.signal.api_root", "for its accounts");
    assert_eq!(state, "unasked");
    assert!(
        words.contains("does not say whether that is +4915112345678"),
        "{words}"
    );

    let http = Answering::new(|_| (400, "Bad Request"));
    let root = http.url().replace("http://", "tcp://");
    home.write("foldback.toml", &config(&root, "+4915112345678"));
    let (state, words) = found(&doctor(&home), "channels.signal.api_root", "for its accounts");
    assert_eq!(state, "wrong");
    assert!(
        words.starts_with("a server of HTTP listens there, not the JSON-RPC of signal-cli"),
        "{words}"
    );
}
