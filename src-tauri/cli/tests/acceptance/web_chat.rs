//! `foldback serve --web-chat`, in front of a strict browser.

use crate::bot::{Bot, Home, is};
use foldback_strict::web_chat::{Event, EventStream, StrictBrowser};
use serde_json::json;
use std::time::Duration;

const SCRIPT: &str = r#"
- agent:
    - "<actions>\n  <react emoji=\"eyes\" />\n  <send-file path=\"report.txt\" caption=\"The *report*\" />\n"
    - "</actions>\n[[reply_to_current]]Here it is, "
    - {text: "**all** of it.", after_ms: 300}
"#;

fn home() -> Home {
    let home = Home::with("[agent.script]\nfile = \"script.yaml\"\n[files]\nsend_dir = \"out\"\n");
    home.write("script.yaml", SCRIPT);
    std::fs::create_dir(home.path("out")).unwrap();
    home.write("out/report.txt", "42");
    home
}

/// A bot with a page, and the page's address.
fn serve(home: &Home) -> (Bot, String) {
    let mut bot = home.serve(&["--events", "--web-chat", "127.0.0.1:0"]);
    let at = bot.until(|event| is("channel_state")(event) && event["kind"]["to"] == "up");
    let why = bot.seen[at]["kind"]["why"].as_str().unwrap().to_owned();
    let address = why.rsplit_once(' ').unwrap().1.to_owned();
    (bot, address)
}

/// Events of a page up to the one that is waited for.
async fn until(events: &mut EventStream, wanted: impl Fn(&Event) -> bool) -> Vec<Event> {
    let mut seen = Vec::new();
    loop {
        let next = tokio::time::timeout(Duration::from_secs(30), events.next()).await;
        let event = next.unwrap_or_else(|_| panic!("seen: {seen:#?}"));
        seen.push(event.expect("the stream goes on"));
        if wanted(seen.last().unwrap()) {
            return seen;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_is_answered_on_the_page_and_the_conversation_outlives_the_bot() {
    let home = home();
    let (mut bot, address) = serve(&home);
    let browser = StrictBrowser::visit(&address).unwrap();
    browser.begin().await.unwrap();
    let mut events = browser
        .events(None)
        .await
        .unwrap()
        .unwrap_or_else(|answer| panic!("{answer:?}"));
    let answer = browser.say("1", "The report, please").await.unwrap();
    assert_eq!(answer.status, 200, "{}", answer.text());
    let asked = answer.json()["id"].clone();
    let seen = until(&mut events, |event| event.data["text"] == " **all** of it.").await;
    let of = |kind: &str| {
        seen.iter()
            .filter(|event| event.kind() == kind)
            .collect::<Vec<_>>()
    };
    let [reaction] = of("reaction")[..] else {
        panic!("one reaction: {seen:#?}");
    };
    assert_eq!(
        (&reaction.data["id"], &reaction.data["emoji"]),
        (&asked, &json!("👀"))
    );
    let messages: Vec<_> = of("message")
        .into_iter()
        .map(|event| event.data["message"].clone())
        .collect();
    let [question, file, text] = messages.as_slice() else {
        panic!("a file and a text: {messages:#?}");
    };
    assert_eq!((&question["id"], &file["text"]), (&asked, &json!("The *report*")));
    let path = format!("/files/{}", file["files"][0]["id"].as_str().unwrap());
    assert_eq!(browser.load(&path).await.unwrap().body, b"42");
    assert_eq!(
        (&text["text"], &text["reply_to"]),
        (&json!("Here it is,"), &asked)
    );
    bot.until(is("turn_ended"));
    assert_eq!(bot.term(), 0);
    assert_eq!(browser.broken(), []);
    // The journal has the digest, and nothing has the cookie.
    let cookie = browser.cookies().unwrap();
    let key = cookie.split_once('=').unwrap().1.to_owned();
    assert!(!format!("{:?} {}", bot.seen, home.log()).contains(&key));
    let (mut bot, again) = serve(&home);
    let port = |address: &str| address.rsplit_once(':').unwrap().1.to_owned();
    let cookie = cookie.replace(&port(&address), &port(&again));
    let browser = StrictBrowser::visit(&again).unwrap().with("cookie", &cookie);
    let mut events = browser
        .events(None)
        .await
        .unwrap()
        .unwrap_or_else(|answer| panic!("{answer:?}"));
    let kept = events.next().await.unwrap().data;
    assert_eq!(kept["messages"][2]["text"], "Here it is, **all** of it.");
    assert_eq!(bot.term(), 0);
}

#[test]
fn an_address_that_others_reach_needs_the_sites_that_may_use_it() {
    let home = home();
    let ran = home.run(&["serve", "--web-chat", "0.0.0.0:0"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("origins = [\"https://chat.example.org\""),
        "{}",
        ran.stderr
    );
    let ran = home.run(&["serve", "--web-chat", "localhost"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("--web-chat"), "{}", ran.stderr);
}
