//! What a backend can do to us, and in which state that ends: one table for all of them, in the test's own time.

use super::{APIS, begin, bench, fine, say};
use crate::{
    openai::{Bench, detail, fault},
    support::{request, said, start},
};
use foldback_agents::{
    Api, Step,
    strict_server::{Piece, Reply},
};
use foldback_wire::{AgentFault, StopReason};
use serde_json::json;
use std::time::Duration;

/// Longest silence by default, before the first byte and after it.
const SILENCE: Duration = Duration::from_mins(2);

/// One thing that goes wrong.
struct Case {
    name: &'static str,
    replies: Vec<Reply>,
    /// How the run fails; `None` where it recovers.
    fault: Option<AgentFault>,
    words: &'static str,
    said: String,
    /// Milliseconds waited before each further attempt.
    waits: Vec<u64>,
    /// Whether the backend falls silent in the end.
    silent: bool,
}

impl Case {
    fn new(name: &'static str, replies: impl IntoIterator<Item = Reply>) -> Self {
        Self {
            name,
            replies: replies.into_iter().collect(),
            fault: None,
            words: "",
            said: String::new(),
            waits: Vec::new(),
            silent: false,
        }
    }

    fn fails(mut self, fault: AgentFault, words: &'static str) -> Self {
        (self.fault, self.words) = (Some(fault), words);
        self
    }

    fn says(mut self, said: impl Into<String>) -> Self {
        self.said = said.into();
        self
    }

    fn waits(mut self, waits: &[u64]) -> Self {
        self.waits = waits.to_vec();
        self
    }

    fn silent(mut self) -> Self {
        self.silent = true;
        self
    }
}

/// A stream that begins well and goes on so.
fn stream(api: Api, pieces: impl IntoIterator<Item = Piece>) -> Reply {
    Reply::stream(begin(api).into_iter().chain(pieces))
}

fn refusals(api: Api) -> Vec<Case> {
    let error = |status: u16| Reply::json(status, &json!({"error": {"message": "busy"}}));
    let thrice = |status: u16| vec![error(status); 3];
    let mut cases = vec![
        Case::new("500 without end", thrice(500))
            .fails(AgentFault::Internal, "HTTP 500: busy")
            .waits(&[250, 500]),
        Case::new("500 once", [error(500), fine(api, &["ok"])])
            .says("ok")
            .waits(&[250]),
        Case::new("429 without Retry-After, without end", thrice(429))
            .fails(AgentFault::RateLimited, "HTTP 429: busy")
            .waits(&[250, 500]),
        Case::new(
            "429 with Retry-After",
            [error(429).header("Retry-After", "7"), fine(api, &["ok"])],
        )
        .says("ok")
        .waits(&[7_000]),
        Case::new(
            "429 with a Retry-After of an hour",
            [error(429).header("Retry-After", "3600")],
        )
        .fails(AgentFault::RateLimited, "HTTP 429: busy"),
        Case::new("529", thrice(529))
            .fails(AgentFault::Overloaded, "HTTP 529: busy")
            .waits(&[250, 500]),
    ];
    if api == Api::Letta {
        // It may have taken the question, and keeps it: asked again, it would have it twice.
        let once = Case::new("500", [error(500)]).fails(AgentFault::Internal, "HTTP 500: busy");
        cases.splice(..2, [once]);
    }
    cases
}

fn streams(api: Api) -> Vec<Case> {
    let half = |text: &[u8]| {
        let Piece::Bytes(event) = say(api, "?") else {
            unreachable!("an event is bytes")
        };
        let at = event.iter().position(|byte| *byte == b'?').expect("the text");
        Piece::Bytes([&event[..at], text, &event[at + 1..]].concat())
    };
    let megabyte = "é".repeat(500_000);
    let Piece::Bytes(piece) = say(api, &megabyte) else {
        unreachable!("an event is bytes")
    };
    vec![
        Case::new(
            "malformed SSE",
            [stream(api, [say(api, "a"), "data: {\"mess\n\n".into()])],
        )
        .fails(AgentFault::Malformed, "not an answer of this protocol")
        .says("a"),
        Case::new(
            "no SSE",
            [Reply::with_body(200, "text/html", ["<!doctype html>\n".into()])],
        )
        .fails(AgentFault::Malformed, "no event"),
        Case::new(
            "half a character, then the end",
            [stream(api, [half(b"a\xF0\x9F")])],
        )
        .fails(AgentFault::Disconnected, "")
        .says("a\u{fffd}"),
        Case::new(
            "half a character, then its rest",
            [{
                let texts = [half(b"a\xF0\x9F"), half(b"\x98\x80")];
                Reply::stream(begin(api).into_iter().chain(texts).chain(super::end(api)))
            }],
        )
        .says("a😀"),
        Case::new(
            "a cut after the first word",
            [stream(api, [say(api, "a"), Piece::Cut])],
        )
        .fails(AgentFault::Disconnected, "")
        .says("a"),
        Case::new("an empty stream", vec![Reply::stream([]); 3])
            .fails(AgentFault::Disconnected, "the answer was empty")
            .waits(if api == Api::Letta { &[] } else { &[250, 500] }),
        Case::new("silence before the head", [Reply::bare([Piece::Hang])])
            .fails(AgentFault::Timeout, "no answer for 120000 ms")
            .silent(),
        Case::new(
            "silence in the middle",
            [stream(api, [say(api, "a"), Piece::Hang])],
        )
        .fails(AgentFault::Timeout, "nothing came for 120000 ms")
        .says("a")
        .silent(),
        Case::new(
            "more than 50 MB of text",
            [stream(api, [Piece::Repeat(piece, 51)])],
        )
        .fails(AgentFault::TooLarge, "longer than 50000000 bytes")
        .says(megabyte.repeat(50)),
    ]
}

/// Runs a case and gives its steps, with the waits it announced; every wait passes at once.
async fn play(bench: &Bench, case: &Case) -> (Vec<Step>, Vec<u64>) {
    for reply in &case.replies {
        bench.server.reply(reply.clone());
    }
    let mut running = start(&bench.agent, request(1, "hi"));
    let (mut steps, mut waits) = (Vec::new(), Vec::new());
    if case.silent {
        bench.server.until(|counts| counts.accepted == 1).await;
        while said(&steps) != case.said {
            steps.push(running.next().await);
        }
        bench.clock.advance(SILENCE);
    }
    while let Some(event) = running.steps.recv().await {
        if let Step::Retry { after_ms, .. } = event.step {
            waits.push(after_ms);
            bench.clock.advance(Duration::from_millis(after_ms));
        } else {
            steps.push(event.step);
        }
    }
    running.task.await.expect("the agent does not panic");
    (steps, waits)
}

async fn holds(api: Api, case: Case) {
    let name = format!("{api:?}: {}", case.name);
    let bench = bench(api).await;
    let (steps, waits) = play(&bench, &case).await;
    assert_eq!(fault(&steps), case.fault, "{name}: {:?}", steps.last());
    match case.fault {
        Some(_) => assert!(detail(&steps).contains(case.words), "{name}: {}", detail(&steps)),
        None => assert_eq!(steps.last(), Some(&Step::Done(StopReason::End)), "{name}"),
    }
    assert!(
        said(&steps) == case.said,
        "{name}: {} bytes were said",
        said(&steps).len()
    );
    assert_eq!(waits, case.waits, "{name}");
    assert_eq!(bench.server.requests().len(), waits.len() + 1, "{name}");
    assert_eq!(bench.server.refusals(), [""; 0], "{name}");
}

#[tokio::test]
async fn refusals_end_in_a_defined_state() {
    for api in APIS {
        for case in refusals(api) {
            holds(api, case).await;
        }
    }
}

#[tokio::test]
async fn broken_streams_end_in_a_defined_state_and_keep_what_was_said() {
    for api in APIS {
        for case in streams(api) {
            holds(api, case).await;
        }
    }
}
