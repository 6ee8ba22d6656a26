//! `foldback doctor` asks Reddit for an access token, and X for nothing: there it would cost the bot its only way in.

use crate::{
    bot::Home,
    doctor_asks::{doctor, found},
};
use foldback_strict::{
    Mishap,
    reddit::{RedditApp, RedditServer},
};
use tokio::runtime::{Builder, Runtime};

const TOKEN: &str = "refresh-token-of-the-doctor-test";
const SECRET: &str = "app-secret-of-the-doctor-test";
const PASSWORD: &str = "password-of-the-doctor-test";

/// A strict Reddit, while it is kept.
fn server() -> (Runtime, RedditServer) {
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let app = RedditApp {
        name: "foldback_bot".into(),
        client_id: "aPpId".into(),
        client_secret: SECRET.into(),
        refresh_token: TOKEN.into(),
        password: PASSWORD.into(),
        lasts: 3_600,
    };
    let server = runtime.block_on(RedditServer::start(app)).unwrap();
    (runtime, server)
}

fn home(root: &str, key: &str) -> Home {
    let home = Home::with(&format!(
        "[channels.reddit]\naccount = \"foldback_bot\"\nclient_id = \"aPpId\"\nclient_secret = {{ file = \"secret\" }}\n\
         {key} = {{ file = \"login\" }}\napi_root = \"{root}\"\n"
    ));
    home.write("secret", SECRET);
    home
}

#[test]
fn each_credential_of_reddit_is_confirmed_or_named() {
    let (_runtime, server) = server();
    for (key, right) in [("token", TOKEN), ("password", PASSWORD)] {
        let home = home(&server.root(), key);
        let about = format!("channels.reddit.{key}");
        let told = || {
            let ran = doctor(&home);
            for secret in [TOKEN, SECRET, PASSWORD] {
                assert!(!ran.stdout.contains(secret), "{}", ran.stdout);
            }
            found(&ran, &about, "/api/v1/access_token")
        };
        home.write("login", right);
        let fine = "Reddit gives an access token to u/foldback_bot";
        assert_eq!(told(), ("fine".into(), fine.into()));
        home.write("login", "another");
        let (state, words) = told();
        assert_eq!(state, "wrong");
        assert!(words.ends_with(&format!("→ mend {about}")), "{words}");
        home.write("login", right);
        server.plan("access_token", Mishap::Failed);
        assert_eq!(told().0, "unasked");
        home.write("secret", "another");
        let (state, words) = told();
        assert_eq!(state, "wrong");
        assert!(
            words.contains("client_id or channels.reddit.client_secret"),
            "{words}"
        );
    }
    assert_eq!(server.broken(), []);
}

#[test]
fn the_refresh_token_of_x_is_shown_to_nobody() {
    let home = Home::with(
        "[channels.x]\nclient_id = \"a\"\ntoken = { file = \"token\" }\napi_root = \"http://127.0.0.1:1\"\n",
    );
    home.write("token", TOKEN);
    let ran = doctor(&home);
    let (state, words) = found(&ran, "channels.x.token", "nobody");
    assert_eq!(state, "unasked");
    assert!(words.contains("a refresh token is used once"), "{words}");
}
