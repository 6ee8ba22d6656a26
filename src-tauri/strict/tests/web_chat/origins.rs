//! The sites that may use the page, its cookies, and how much of it one visitor and one address can use.

use crate::place::{Place, here, watch};
use crate::shared::calls::said;
use foldback_channels::{VisitorLimits, WebChatPlace};
use foldback_strict::web_chat::StrictBrowser;
use reqwest::Method;
use serde_json::json;

const OWN: &str = "https://chat.example.org";
const SITE: &str = "https://www.example.org";

fn public() -> WebChatPlace {
    WebChatPlace {
        origins: vec![OWN.into(), SITE.into()],
        ..here()
    }
}

fn visit(place: &Place, origin: &str) -> StrictBrowser {
    place.browser().through_proxy(origin, "192.0.2.1")
}

#[tokio::test]
async fn only_the_page_itself_changes_or_streams_anything() {
    let mut place = Place::open().await;
    let visitor = place.visitor().await;
    let cookies = visitor.browser.cookies().unwrap();
    for (origin, site) in [
        ("http://evil.example", "cross-site"),
        ("https://evil.example", "cross-site"),
        ("null", "cross-site"),
        ("http://127.0.0.1:1", "same-site"),
        ("file://", "cross-site"),
        (&*place.address.replace("http:", "https:"), "cross-site"),
        (&*place.address.replace("127.0.0.1", "localhost"), "cross-site"),
    ] {
        // The cookies come along, as an old browser would send them.
        let foreign = place
            .browser()
            .with("cookie", &cookies)
            .with("origin", origin)
            .with("sec-fetch-site", site);
        for (path, body) in [
            ("/session", json!({})),
            ("/messages", json!({"key": "k", "text": "not mine"})),
            ("/reactions", json!({"message": "w", "emoji": "👍", "on": true})),
        ] {
            assert_eq!(
                foreign.post(path, &body).await.unwrap().status,
                403,
                "{origin} {path}"
            );
        }
        assert_eq!(
            foreign.events(None).await.unwrap().err().unwrap().status,
            403,
            "{origin}"
        );
        assert_eq!(foreign.broken(), [], "{origin}");
    }
    // A foreign page that loads it as a picture names no origin, but its site.
    let picture = place
        .browser()
        .with("cookie", &cookies)
        .with("sec-fetch-site", "cross-site");
    assert_eq!(picture.events(None).await.unwrap().err().unwrap().status, 403);
    place.say(&visitor.browser, "k", "mine").await;
    for (method, path) in [
        (Method::GET, "/messages"),
        (Method::GET, "/session"),
        (Method::POST, "/events"),
        (Method::POST, "/"),
        (Method::PUT, "/messages"),
        (Method::DELETE, "/files/1"),
        (Method::OPTIONS, "/messages"),
        (Method::HEAD, "/"),
    ] {
        let answer = visitor
            .browser
            .ask(method.clone(), path, |request| request)
            .await
            .unwrap();
        assert_eq!(answer.status, 405, "{method} {path}");
    }
    assert_eq!(visitor.browser.broken(), []);
}

#[tokio::test]
async fn a_name_that_somebody_points_here_is_not_the_page() {
    let place = Place::open().await;
    let port = place.address.rsplit_once(':').unwrap().1.to_owned();
    for host in [
        format!("evil.example:{port}"),
        "evil.example".into(),
        format!("127.0.0.1.evil.example:{port}"),
    ] {
        let rebound = place
            .browser()
            .with("host", &host)
            .with("origin", &format!("http://{host}"));
        for path in ["/", "/chat.js", "/events", "/files/1"] {
            assert_eq!(rebound.load(path).await.unwrap().status, 421, "{host}{path}");
        }
        assert_eq!(rebound.begin().await.unwrap().status, 421, "{host}");
    }
    for host in [format!("localhost:{port}"), "localhost:9000".into()] {
        let local = place
            .browser()
            .through_proxy(&format!("http://{host}"), "127.0.0.1");
        assert_eq!(local.begin().await.unwrap().status, 200, "{host}");
        watch(&local, None).await;
        assert_eq!(local.broken(), []);
    }
}

#[tokio::test]
async fn a_listed_site_shows_the_page_and_asks_for_nothing_itself() {
    let place = Place::of(public()).await;
    let visitor = visit(&place, OWN);
    let page = visitor.load("/").await.unwrap();
    assert_eq!(page.status, 200);
    let policy = page.header("content-security-policy");
    assert!(
        policy.ends_with("frame-ancestors 'self' https://chat.example.org https://www.example.org"),
        "{policy}"
    );
    let script = visitor.load("/foldback.js").await.unwrap();
    assert_eq!(
        (script.status, script.header("cross-origin-resource-policy")),
        (200, "cross-origin")
    );
    let begun = visitor.begin().await.unwrap();
    let cookie = begun.header("set-cookie");
    assert!(cookie.starts_with("__Host-foldback="), "{cookie}");
    assert!(
        cookie.ends_with("; Secure; SameSite=None; Partitioned"),
        "{cookie}"
    );
    watch(&visitor, None).await;
    assert_eq!(visitor.broken(), []);
    // The site that shows it, with the visitor's cookie.
    let cookies = visitor.cookies().unwrap();
    let site = visit(&place, OWN).with("cookie", &cookies).with("origin", SITE);
    assert_eq!(site.say("k", "hello").await.unwrap().status, 403);
    let unlisted = visit(&place, "https://other.example.org");
    assert_eq!(unlisted.load("/").await.unwrap().status, 421);
}

#[tokio::test]
async fn a_page_that_no_site_shows_has_a_cookie_for_itself() {
    let place = Place::of(WebChatPlace {
        origins: vec![OWN.into()],
        ..here()
    })
    .await;
    let visitor = visit(&place, OWN);
    let begun = visitor.begin().await.unwrap();
    assert!(begun.header("set-cookie").ends_with("; Secure; SameSite=Strict"));
    let local = place.browser();
    let begun = local.begin().await.unwrap();
    let cookie = begun.header("set-cookie");
    assert!(
        cookie.ends_with("; HttpOnly; Path=/; Max-Age=2592000; SameSite=Strict"),
        "{cookie}"
    );
    assert_eq!((visitor.broken(), local.broken()), (vec![], vec![]));
}

#[tokio::test]
async fn a_key_that_was_not_given_is_no_session() {
    let place = Place::open().await;
    let port = place.address.rsplit_once(':').unwrap().1.to_owned();
    let made_up = format!("foldback-{port}=0123456789abcdef0123456789abcdef");
    let guess = place.browser().with("cookie", &made_up);
    assert_eq!(guess.events(None).await.unwrap().err().unwrap().status, 404);
    assert_eq!(guess.say("k", "hello").await.unwrap().status, 404);
    // Nor does it become one: whoever planted it does not know the new one.
    let begun = guess.begin().await.unwrap();
    assert!(
        begun.header("set-cookie").contains("foldback-")
            && !begun.header("set-cookie").contains("0123456789abcdef")
    );
}

#[tokio::test]
async fn an_address_begins_only_so_many_conversations_and_only_a_proxy_here_names_it() {
    let place = Place::of(public()).await;
    let begin = async |visitor: &str| {
        let browser = place.browser().through_proxy(OWN, visitor);
        let answer = browser.begin().await.unwrap();
        assert_eq!(browser.broken(), []);
        answer.status
    };
    // A quarter of twelve a minute at once.
    for expected in [200, 200, 200, 429] {
        assert_eq!(begin("192.0.2.1").await, expected);
    }
    // The first ones are whatever the visitor claims; the last one is what the proxy saw.
    assert_eq!(begin("198.51.100.7, 192.0.2.1").await, 429);
    assert_eq!(begin("192.0.2.2").await, 200);
    for expected in [200, 200, 200, 429] {
        assert_eq!(begin("2001:db8::1").await, expected);
    }
    assert_eq!(
        begin("2001:db8::2").await,
        429,
        "one network of IPv6 is one address"
    );
}

#[tokio::test]
async fn an_address_has_a_tenth_of_the_conversations_and_the_rest_is_for_others() {
    let mut place = Place::of(WebChatPlace {
        limits: VisitorLimits {
            conversations: 20,
            ..VisitorLimits::default()
        },
        ..public()
    })
    .await;
    let visit = |place: &Place, visitor| place.browser().through_proxy(OWN, visitor);
    let crowd = [visit(&place, "192.0.2.1"), visit(&place, "192.0.2.1")];
    for browser in &crowd {
        assert_eq!(browser.begin().await.unwrap().status, 200);
        place.say(browser, "first", "hi").await;
    }
    let third = visit(&place, "192.0.2.1").begin().await.unwrap();
    assert_eq!(
        (third.status, third.header("retry-after")),
        (429, "60"),
        "{}",
        third.text()
    );
    let other = visit(&place, "192.0.2.2");
    assert_eq!(other.begin().await.unwrap().status, 200);
    place.say(&other, "first", "hi").await;
    // Those who write are not asked to leave, and what nobody wrote in gives way to the next of the same address.
    for browser in &crowd {
        place.say(browser, "second", "still here").await;
    }
    let silent = [(); 3].map(|()| visit(&place, "192.0.2.3"));
    for browser in &silent {
        assert_eq!(browser.begin().await.unwrap().status, 200);
    }
    let mut open = 0;
    for browser in &silent {
        open += usize::from(browser.events(None).await.unwrap().is_ok());
    }
    assert_eq!(open, 2);
}

#[tokio::test]
async fn where_all_conversations_are_in_use_nobody_new_is_let_in() {
    let mut place = Place::of(WebChatPlace {
        limits: VisitorLimits {
            conversations: 2,
            ..VisitorLimits::default()
        },
        ..here()
    })
    .await;
    let visitor = place.visitor().await;
    let silent = place.browser();
    assert_eq!(silent.begin().await.unwrap().status, 200);
    // The one that nobody wrote in gives way, the other one does not.
    let second = place.visitor().await;
    assert_eq!(silent.events(None).await.unwrap().err().unwrap().status, 404);
    assert_eq!(place.browser().begin().await.unwrap().status, 503);
    for visitor in [&visitor, &second] {
        assert!(place.perform(&visitor.chat, said("still here")).await.is_ok());
    }
}
