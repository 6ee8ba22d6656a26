//! What comes in through the Events API.

use crate::place::{APP_TOKEN, DIRECT, Place, ROOM, SIGNING_SECRET, TOKEN, adapter, ana, webhooks};
use crate::shared::run::Run;
use crate::shared::time::Hasty;
use crate::unread::unread_while;
use foldback_channels::SlackEvents;
use foldback_strict::slack::{Delivered, SlackServer, signature};
use foldback_wire::{ChannelState, ChatType, Clock, RefusalCode, Secret, Sleep, Timestamp};
use serde_json::json;
use std::net::SocketAddr;
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use std::time::Duration;

struct Hooked {
    place: Place,
    run: Run,
    to: SocketAddr,
}

impl Hooked {
    async fn open() -> Self {
        let place = Place::receiving(webhooks()).await;
        let mut run = Run::of(&place.adapter);
        let to = run.address().await;
        Self { place, run, to }
    }

    async fn deliver(&self) -> Vec<u16> {
        let answers = self.place.server.deliver(self.to, SIGNING_SECRET).await;
        answers.into_iter().map(|answer| answer.status).collect()
    }

    /// Delivers while messages are taken out and kept.
    async fn deliver_and_keep(&mut self) -> (Vec<u16>, Vec<String>) {
        let (server, to) = (&self.place.server, self.to);
        let mut delivery = std::pin::pin!(server.deliver(to, SIGNING_SECRET));
        let mut seen = Vec::new();
        loop {
            tokio::select! {
                biased;
                message = self.run.message() => seen.push(message.text),
                answers = &mut delivery => return (answers.into_iter().map(|a| a.status).collect(), seen),
            }
        }
    }
}

#[tokio::test]
async fn slack_finds_out_that_the_address_is_right() {
    let hooked = Hooked::open().await;
    let answer = hooked.place.server.challenge(hooked.to, SIGNING_SECRET).await;
    assert_eq!(answer.status, 200);
    assert_eq!(hooked.place.server.broken(), []);
    let page = reqwest::get(format!("http://{}/", hooked.to)).await.unwrap();
    assert_eq!(page.text().await.unwrap(), "Slack's events arrive here.");
    hooked.run.end().await;
}

#[tokio::test]
async fn a_message_comes_in_and_is_confirmed_once_it_is_kept() {
    let mut hooked = Hooked::open().await;
    let ts = hooked.place.server.write(DIRECT, ana("Hello"));
    let delivery = hooked.place.server.deliver(hooked.to, SIGNING_SECRET);
    let (answers, message) = tokio::join!(delivery, async {
        let arrival = hooked.run.arrival().await;
        assert_eq!(hooked.place.server.unconfirmed(), 1, "not before it is kept");
        arrival.kept.unwrap().send(()).unwrap();
        arrival.message
    });
    assert_eq!(
        answers,
        [Delivered {
            status: 200,
            said: String::new()
        }]
    );
    assert_eq!(
        (message.message.as_str(), message.text.as_str(), message.chat_type),
        (ts.as_str(), "Hello", ChatType::Direct)
    );
    assert_eq!(hooked.place.server.unconfirmed(), 0);
    hooked.run.end().await;
}

#[tokio::test]
async fn what_is_not_kept_is_not_confirmed_and_comes_again() {
    let mut hooked = Hooked::open().await;
    hooked.place.server.write(ROOM, ana("One"));
    let (answers, ()) = tokio::join!(hooked.place.server.deliver(hooked.to, SIGNING_SECRET), async {
        drop(hooked.run.arrival().await);
    });
    assert_eq!(answers[0].status, 503);
    let (answers, seen) = hooked.deliver_and_keep().await;
    assert_eq!((answers, seen), (vec![200], vec!["One".to_owned()]));
    hooked.run.end().await;
}

#[tokio::test]
async fn what_is_kept_late_is_refused_in_time_and_confirmed_when_repeated() {
    let mut hooked = Hooked::open().await;
    hooked.place.server.write(ROOM, ana("slow"));
    let delivery = hooked.place.server.deliver(hooked.to, SIGNING_SECRET);
    let (answers, slow) = tokio::join!(delivery, async {
        let arrival = hooked.run.arrival().await;
        tokio::time::pause();
        arrival
    });
    tokio::time::resume();
    assert_eq!(answers[0].status, 503, "before Slack's three seconds are over");
    slow.kept.unwrap().send(()).unwrap();
    assert_eq!(hooked.deliver().await, [200]);
    assert!(hooked.run.signals.try_recv().is_err(), "nothing came twice");
    hooked.run.end().await;
}

#[tokio::test]
async fn a_mention_and_its_repetitions_come_in_once() {
    let mut hooked = Hooked::open().await;
    let text = format!("<@{}> hi", SlackServer::BOT);
    let ts = hooked.place.server.write(ROOM, ana(&text));
    let mention =
        json!({"type": "app_mention", "user": "U0ANA0001", "text": text, "ts": ts, "channel": ROOM});
    hooked.place.server.tell(&mention);
    let (answers, seen) = hooked.deliver_and_keep().await;
    assert_eq!((answers, seen.len()), (vec![200, 200], 1));
    let body = json!({"type": "event_callback", "event_id": "Ev1", "event": mention}).to_string();
    for attempts in 0..4 {
        let again = hooked
            .place
            .server
            .post(hooked.to, SIGNING_SECRET, &body, attempts)
            .await;
        assert_eq!(again.status, 200);
    }
    assert!(hooked.run.signals.try_recv().is_err(), "nothing came twice");
    hooked.run.end().await;
}

#[tokio::test]
async fn what_slack_did_not_sign_is_refused() {
    let mut hooked = Hooked::open().await;
    let event = json!({"type": "message", "channel": DIRECT, "channel_type": "im", "user": "U0EVE00001",
        "text": "let me in", "ts": "1700000700.000001"});
    let body = json!({"type": "event_callback", "event_id": "Ev1", "event": event}).to_string();
    let now = jiff::Timestamp::now().as_second();
    let stamp = now.to_string();
    let good = signature(SIGNING_SECRET, &stamp, &body);
    let off = format!("{}{}", &good[..66], if good.ends_with('0') { '1' } else { '0' });
    let other_body = signature(SIGNING_SECRET, &stamp, "{}");
    let signed_at = |at: i64| (at.to_string(), signature(SIGNING_SECRET, &at.to_string(), &body));
    let ((old, by_old), (early, by_early)) = (signed_at(now - 301), signed_at(now + 400));
    let (other_secret, empty_secret) = (signature("x", &stamp, &body), signature("", &stamp, &body));
    let eve = reqwest::Client::new();
    for (stamp, signature) in [
        (Some(stamp.as_str()), None),
        (None, Some(good.as_str())),
        (Some(&stamp), Some("")),
        (Some(&stamp), Some("v0=")),
        (Some(&stamp), Some(&off)),
        (Some(&stamp), Some(&good[3..])),
        (Some(&stamp), Some(&good[..66])),
        (Some(&stamp), Some(&good.replace("v0", "v1"))),
        (Some(&stamp), Some(&format!("{good}00"))),
        (Some(&stamp), Some(&other_body)),
        (Some(&stamp), Some(&other_secret)),
        (Some(&stamp), Some(&empty_secret)),
        (Some(&format!(" {stamp}0")), Some(&good)),
        (Some("0"), Some(&good)),
        (Some("x"), Some(&good)),
        (Some("-9223372036854775808"), Some(&good)),
        (Some(&old), Some(&by_old)),
        (Some(&early), Some(&by_early)),
    ] {
        let mut request = eve.post(format!("http://{}/", hooked.to)).body(body.clone());
        if let Some(stamp) = stamp {
            request = request.header("x-slack-request-timestamp", stamp);
        }
        if let Some(signature) = signature {
            request = request.header("x-slack-signature", signature);
        }
        let status = request.send().await.unwrap().status();
        assert_eq!(status, 401, "{stamp:?} {signature:?}");
    }
    assert!(hooked.run.signals.try_recv().is_err(), "nothing came in");
    let within = signed_at(now - 200);
    let request = eve
        .post(format!("http://{}/", hooked.to))
        .header("x-slack-request-timestamp", within.0)
        .header("x-slack-signature", within.1)
        .body(body);
    let (status, text) = tokio::join!(async { request.send().await.unwrap().status() }, async {
        hooked.run.message().await.text
    });
    assert_eq!((status.as_u16(), text.as_str()), (200, "let me in"));
    hooked.run.end().await;
}

/// The clock of a machine that slept until just now, when it was told so.
struct Woken(AtomicBool);

impl Clock for Woken {
    fn now(&self) -> Timestamp {
        let slept = if self.0.load(Ordering::Relaxed) {
            0
        } else {
            8 * 3_600_000
        };
        Timestamp(Hasty.now().0 - slept)
    }

    fn monotonic(&self) -> Duration {
        Duration::ZERO
    }

    fn sleep_until(&self, until: Timestamp) -> Sleep {
        Hasty.sleep_until(Hasty.now().plus(until.since(self.now())))
    }
}

#[tokio::test]
async fn after_a_suspend_a_fresh_event_is_let_in_and_one_from_before_is_not() {
    let clock = Arc::new(Woken(AtomicBool::new(false)));
    let place = Place::receiving_at(webhooks(), clock.clone()).await;
    let mut run = Run::of(&place.adapter);
    let to = run.address().await;
    let event = json!({"type": "message", "channel": DIRECT, "channel_type": "im", "user": "U0ANA0001",
        "text": "good morning", "ts": "1700000700.000001"});
    let body = json!({"type": "event_callback", "event_id": "Ev1", "event": event}).to_string();
    let slack = reqwest::Client::new();
    let send = |at: Timestamp| {
        let stamp = at.0.div_euclid(1_000).to_string();
        let request = slack.post(format!("http://{to}/")).body(body.clone());
        let request = request.header("x-slack-signature", signature(SIGNING_SECRET, &stamp, &body));
        let sent = request.header("x-slack-request-timestamp", stamp).send();
        async { sent.await.unwrap().status().as_u16() }
    };
    let evening = clock.now();
    clock.0.store(true, Ordering::Relaxed);
    assert_eq!(send(evening).await, 401, "it is eight hours old");
    assert!(run.signals.try_recv().is_err(), "nothing came in");
    let (status, text) = tokio::join!(send(clock.now()), async { run.message().await.text });
    assert_eq!((status, text.as_str()), (200, "good morning"));
    run.end().await;
}

#[tokio::test]
async fn what_is_signed_and_makes_no_sense_is_refused_or_confirmed() {
    let mut hooked = Hooked::open().await;
    for (body, status) in [
        ("", 400),
        ("{", 400),
        ("[]", 400),
        ("payload=%7B%7D", 400),
        (r#"{"type":7}"#, 400),
        (r#"{"type":"event_callback"}"#, 200),
        (r#"{"type":"event_callback","event":{"type":"message"}}"#, 200),
        (r#"{"type":"app_rate_limited","minute_rate_limited":1}"#, 200),
        (r#"{"type":"anything"}"#, 200),
    ] {
        let posted = hooked.place.server.post(hooked.to, SIGNING_SECRET, body, 0);
        let (answer, unread) = unread_while(&mut hooked.run, posted).await;
        assert_eq!(answer.status, status, "{body}: {}", answer.said);
        let told: &[&str] = match status {
            400 => &["request"],
            _ if body.contains(r#"{"type":"message"}"#) => &["message"],
            _ => &[],
        };
        assert_eq!(unread, told, "{body}");
    }
    let large = "x".repeat(4_000_001);
    let answer = hooked
        .place
        .server
        .post(hooked.to, SIGNING_SECRET, &large, 0)
        .await;
    assert!([0, 413].contains(&answer.status), "{answer:?}");
    assert!(hooked.run.signals.try_recv().is_err(), "nothing came in");
    hooked.run.end().await;
}

#[tokio::test]
async fn events_at_once_and_out_of_order_all_come_in() {
    let mut hooked = Hooked::open().await;
    let body = |n: u32| {
        let event = json!({"type": "message", "channel": ROOM, "channel_type": "channel", "user": "U0ANA0001",
            "text": n.to_string(), "ts": format!("1700000800.{:06}", 1_000 - n)});
        json!({"type": "event_callback", "event_id": format!("Ev{n}"), "event": event}).to_string()
    };
    let bodies: Vec<String> = (0..40).map(body).collect();
    let (server, to) = (&hooked.place.server, hooked.to);
    // A machine under load cuts some off in the crowd, or confirms them too late; Slack sends those again.
    let until_confirmed = async |body: &str| {
        for attempts in 0.. {
            let answer = server.post(to, SIGNING_SECRET, body, attempts).await;
            match answer.status {
                200 => return,
                0 | 503 => {}
                _ => panic!("{answer:?}"),
            }
        }
    };
    let posts = bodies
        .iter()
        // Each is sent twice at the same time.
        .flat_map(|body| [body, body])
        .map(|body| until_confirmed(body));
    let all = futures::future::join_all(posts);
    let (_, mut seen) = tokio::join!(all, async {
        let mut seen = Vec::new();
        while seen.len() < 40 {
            seen.push(hooked.run.message().await.text.parse::<u32>().unwrap());
        }
        seen
    });
    seen.sort_unstable();
    assert_eq!(seen, (0..40).collect::<Vec<_>>());
    assert!(hooked.run.signals.try_recv().is_err(), "nothing came twice");
    hooked.run.end().await;
}

#[tokio::test]
async fn a_pipeline_that_cannot_keep_up_confirms_nothing_and_loses_nothing() {
    let mut hooked = Hooked::open().await;
    let all: Vec<String> = (0..20).map(|n| n.to_string()).collect();
    for n in &all {
        hooked.place.server.write(ROOM, ana(n));
    }
    // Nobody takes anything out: as many as there are places come in, none is confirmed.
    tokio::time::pause();
    let refused = hooked.deliver().await;
    tokio::time::resume();
    assert!(
        refused.iter().all(|status| [0, 503].contains(status)),
        "{refused:?}"
    );
    let mut seen = Vec::new();
    while hooked.place.server.unconfirmed() > 0 {
        let (_, more) = hooked.deliver_and_keep().await;
        seen.extend(more);
    }
    assert_eq!(seen, all);
    hooked.run.end().await;
}

#[tokio::test]
async fn a_port_that_is_taken_is_said_and_tried_again() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let place = Place::open().await;
    let events = SlackEvents::Webhooks {
        listen: taken.local_addr().unwrap(),
        signing_secret: Secret::new(SIGNING_SECRET),
    };
    let slack = adapter(&place.server.root(), TOKEN, events, place.dir.path()).unwrap();
    let mut run = Run::of(&slack);
    let why = run.until(ChannelState::Down).await;
    assert!(why.contains("choose another port"), "{why}");
    let address = taken.local_addr().unwrap();
    drop(taken);
    assert_eq!(run.address().await, address);
    run.end().await;
}

#[tokio::test]
async fn a_token_that_is_refused_ends_the_run() {
    let place = Place::open().await;
    for token in ["xoxb-wrong", APP_TOKEN] {
        let slack = adapter(&place.server.root(), token, webhooks(), place.dir.path()).unwrap();
        let mut run = Run::of(&slack);
        let why = run.until(ChannelState::Down).await;
        assert!(why.starts_with("Slack refuses the app: "), "{why}");
        let refusal = run.task.await.unwrap().unwrap_err();
        assert_eq!(refusal.code, RefusalCode::Unauthorized);
    }
}
