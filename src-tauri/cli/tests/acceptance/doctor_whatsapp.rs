//! `foldback doctor` asks Meta about a token of WhatsApp.

use crate::{
    answering::Answering,
    bot::Home,
    doctor_asks::{doctor, found},
};
use foldback_strict::{
    Mishap,
    whatsapp::{Credentials, WhatsAppServer},
};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

const NUMBER: &str = "106540352242922";
const TOKEN: &str = "EAAJBxyzTokenOfTheDoctorTest";
const ABOUT: &str = "channels.whatsapp.token";

/// A strict Cloud API, while it is kept.
fn server() -> (Runtime, WhatsAppServer) {
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let credentials = Credentials {
        number: NUMBER.into(),
        token: TOKEN.into(),
        app_secret: "c0ffeec0ffeec0ffeec0ffeec0ffee00".into(),
    };
    let server = runtime.block_on(WhatsAppServer::start(credentials)).unwrap();
    (runtime, server)
}

/// A home whose token for the Cloud API there lies in the file `token`.
fn home(root: &str, account: &str) -> Home {
    let home = Home::with(&format!(
        "[channels.whatsapp]\naccount = \"{account}\"\ntoken = {{ file = \"token\" }}\napi_root = \"{root}\"\n\
         signing_secret = {{ file = \"secret\" }}\nverify_token = {{ file = \"verify\" }}\nlisten = \"127.0.0.1:0\"\n"
    ));
    home.write("token", TOKEN);
    home.write("secret", "c0ffeec0ffeec0ffeec0ffeec0ffee00");
    home.write("verify", "VerifyWordOfTheDoctorTest");
    home
}

/// State and words of what is found about the token.
fn told(home: &Home) -> (String, String) {
    let ran = doctor(home);
    assert!(!ran.stdout.contains(TOKEN), "{}", ran.stdout);
    let told = found(&ran, ABOUT, "?fields=display_phone_number");
    assert_eq!(ran.code, i32::from(told.0 == "wrong"), "{}", ran.stdout);
    told
}

fn refused(words: &str) -> (String, String) {
    let words = format!("the platform refuses it: {words}");
    ("wrong".into(), words)
}

#[test]
fn the_right_token_is_confirmed_and_another_one_is_refused() {
    let (_runtime, server) = server();
    let home = home(&server.root(), NUMBER);
    let known = "the platform knows the bot as +15550783881";
    assert_eq!(told(&home), ("fine".into(), known.into()));
    assert_eq!(server.calls(), 1, "one question, and no message");
    assert_eq!(server.broken(), []);

    // One that was withdrawn, and the app's secret in the token's place.
    for wrong in [
        "EAAJBxyzAnotherTokenOfTheDoctorTest",
        "c0ffeec0ffeec0ffeec0ffeec0ffee00",
    ] {
        home.write("token", wrong);
        let before = server.calls();
        let words = "401 (#190) Invalid OAuth access token → mend channels.whatsapp.token";
        assert_eq!(told(&home), refused(words), "{wrong}");
        assert_eq!(server.calls(), before + 1);
    }
}

#[test]
fn a_number_that_the_token_does_not_reach_is_named_too() {
    let (_runtime, server) = server();
    let home = home(&server.root(), "999");
    let words = "400 (#33) Unsupported request: the object does not exist → mend channels.whatsapp.token; for WhatsApp \
                 also the channel's account";
    assert_eq!(told(&home), refused(words));
}

#[test]
fn a_token_of_another_platform_is_shown_to_nobody() {
    let (_runtime, server) = server();
    let home = home(&server.root(), NUMBER);
    for (token, whose) in [
        ("123:abc", "a token of Telegram"),
        ("xoxb-1-2-3", "a bot token of Slack (xoxb-)"),
    ] {
        home.write("token", token);
        let words = format!("is {whose}, not a token of Meta → put a token of Meta into {ABOUT}");
        assert_eq!(told(&home), ("wrong".into(), words));
    }
    assert_eq!(server.calls(), 0);
}

#[test]
fn a_platform_that_cannot_answer_says_nothing_against_the_token() {
    let (_runtime, server) = server();
    let there = home(&server.root(), NUMBER);
    let nothing = |answer: &str| {
        let words = format!(
            "the platform answers {answer}, which tells nothing of it → try again later, or look at \
             channels.whatsapp.api_root"
        );
        ("unasked".to_owned(), words)
    };
    server.plan("profile", Mishap::RateLimited(Duration::from_secs(9)));
    assert_eq!(told(&there), nothing("429 (#130429) Rate limit hit"));
    server.plan("profile", Mishap::Failed);
    assert_eq!(told(&there), nothing("500 (#1) An unknown error occurred"));

    // Meta counts calls of an account and of an app, and refuses those beyond with 400 or 403.
    for (status, body, words) in [
        (
            400,
            r#"{"error": {"message": "(#80007) Rate limit issues", "code": 80007}}"#,
            "400 (#80007) Rate limit issues",
        ),
        (
            403,
            r#"{"error": {"message": "(#4) Application request limit reached", "code": 4}}"#,
            "403 (#4) Application request limit reached",
        ),
    ] {
        let busy = Answering::new(move |_| (status, body));
        assert_eq!(
            told(&home(&format!("{}/v26.0", busy.url()), NUMBER)),
            nothing(words)
        );
    }
}

#[test]
fn a_token_whose_platform_cannot_be_reached_could_not_be_asked_about() {
    // Nobody listens on this port.
    let (state, words) = told(&home("http://127.0.0.1:1/v26.0", NUMBER));
    assert_eq!(state, "unasked", "{words}");
    let begins = "could not be asked about: the platform cannot be reached: ";
    let ends = " → look at the network, or mend channels.whatsapp.api_root";
    assert!(words.starts_with(begins) && words.ends_with(ends), "{words}");

    // It takes the question, and breaks off.
    let (_runtime, server) = server();
    server.plan("profile", Mishap::Broken);
    let (state, words) = told(&home(&server.root(), NUMBER));
    assert_eq!(state, "unasked", "{words}");
    assert!(words.starts_with(begins), "{words}");
}
