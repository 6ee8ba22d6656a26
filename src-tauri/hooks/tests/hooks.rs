//! Hooks on a journal in memory: with programs of the system, and an address on this machine.

use axum::{Router, body::Bytes, extract::State, http::HeaderMap, http::StatusCode, routing::post};
use foldback_hooks::{Destination, Hook, HookStatus, HookStatuses, Hooks, HooksStop, sign};
use foldback_pipeline::TokioClock;
use foldback_programs::Program;
use foldback_store::{Filter, Journal, MemoryJournal};
use foldback_wire::{Clock, Draft, Event, HookEnd, Kind, Secret, Seq};
use std::{
    future::{Ready, ready},
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{net::TcpListener, task::JoinHandle};

struct Bench {
    journal: Arc<dyn Journal>,
    clock: Arc<dyn Clock>,
    hooks: Option<JoinHandle<()>>,
    statuses: HookStatuses,
    stop: Option<HooksStop>,
}

impl Bench {
    /// Hooks on a journal that has one event already.
    fn with(hooks: Vec<Hook>) -> Self {
        let mut bench = Self {
            journal: Arc::new(MemoryJournal::default()),
            clock: Arc::new(TokioClock::system()),
            hooks: None,
            statuses: HookStatuses::default(),
            stop: None,
        };
        bench.warn("before");
        bench.begin(hooks);
        bench
    }

    /// Begins with these hooks, as a start of the process does.
    fn begin(&mut self, hooks: Vec<Hook>) {
        self.hooks.iter().for_each(JoinHandle::abort);
        let told = Hooks::new(Arc::clone(&self.journal), Arc::clone(&self.clock), hooks);
        self.statuses = told.statuses();
        self.stop = Some(told.stop());
        let from = self.journal.head();
        self.hooks = Some(tokio::spawn(async move { told.run(from).await.unwrap() }));
    }

    /// Ends the hooks as the process does, and answers with what became of all calls.
    async fn end(&self) -> Vec<HookEnd> {
        let stop = self.stop.as_ref().unwrap().stop();
        tokio::time::timeout(Duration::from_secs(20), stop)
            .await
            .expect("the hooks end");
        self.ends(0).await
    }

    /// The status of the only hook, once it is as wanted.
    async fn status(&self, is_so: impl Fn(&HookStatus) -> bool) -> HookStatus {
        for _ in 0..600 {
            let status = self.statuses.read().remove(0);
            if is_so(&status) {
                return status;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("{:?}", self.statuses.read());
    }

    fn warn(&self, detail: &str) -> Seq {
        let draft = Draft {
            at: self.clock.now(),
            turn: None,
            session: None,
            channel: None,
            kind: Kind::Warned {
                detail: detail.to_owned(),
            },
        };
        self.journal.append(vec![draft]).unwrap()[0]
    }

    /// What became of so many calls.
    async fn ends(&self, count: usize) -> Vec<HookEnd> {
        let mut heads = self.journal.watch();
        loop {
            let events = self.journal.read(Seq(1), usize::MAX >> 1).await.unwrap();
            let ends = events.into_iter().filter_map(|event| match event.kind {
                Kind::HookEnded(end) => Some(end),
                _ => None,
            });
            let ends: Vec<_> = ends.collect();
            if ends.len() >= count {
                return ends;
            }
            let news = tokio::time::timeout(Duration::from_secs(30), heads.changed());
            news.await.expect("a hook ends").unwrap();
        }
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        self.hooks.iter().for_each(JoinHandle::abort);
    }
}

fn hook(filter: &str, destination: Destination) -> Hook {
    Hook {
        name: "pager".to_owned(),
        filter: Filter::parse(filter).unwrap(),
        destination,
        timeout: Duration::from_secs(20),
    }
}

fn shell(script: &str) -> Destination {
    Destination::Program(Program::new("/bin/sh", vec!["-c".to_owned(), script.to_owned()]))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_has_each_event_that_passes_as_a_line_of_its_input() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("told");
    let append = shell(&format!("cat >> {}", file.display()));
    let bench = Bench::with(vec![hook("disk", append)]);
    bench.warn("the network is slow");
    let told = bench.warn("the disk is full");
    let ends = bench.ends(1).await;
    assert_eq!((ends[0].event, ends[0].done, ends[0].attempts), (told, true, 1));
    let line = std::fs::read_to_string(file).unwrap();
    let event: Event = serde_json::from_str(line.strip_suffix('\n').unwrap()).unwrap();
    assert_eq!(event.seq, told);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_fails_is_told_with_its_reason_and_not_run_again() {
    let bench = Bench::with(vec![hook("", shell("echo no line to the pager >&2; exit 7"))]);
    bench.warn("a");
    let end = bench.ends(1).await.remove(0);
    assert_eq!((end.done, end.attempts), (false, 1));
    assert_eq!(end.detail, "/bin/sh: exit status: 7: no line to the pager");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_latest_call_and_the_failures_are_known_also_over_a_restart() {
    let fails = || hook("disk", shell("grep -q full && exit 3; exit 0"));
    let mut bench = Bench::with(vec![fails()]);
    bench.warn("the disk is full");
    let first = bench.status(|status| status.failed == 1).await;
    bench.warn("the disk is fine");
    let status = bench.status(|status| status.done == 1).await;
    assert_eq!(status.failures, first.failures);
    assert!(status.latest > first.latest);
    bench.begin(vec![fails()]);
    let again = bench.status(|status| status.latest.is_some()).await;
    assert_eq!((again.done, again.failed), (0, 0), "the process counts its own");
    assert_eq!((again.latest, again.failures), (status.latest, status.failures));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_takes_too_long_is_ended_and_what_hooks_do_is_told_to_none() {
    let mut slow = hook("", shell("sleep 60"));
    slow.timeout = Duration::from_millis(200);
    let bench = Bench::with(vec![slow]);
    bench.warn("a");
    let ends = bench.ends(1).await;
    assert!(ends[0].detail.ends_with("was ended"), "{}", ends[0].detail);
    // The first end is an event that the filter would let pass.
    bench.warn("b");
    let ends = bench.ends(2).await;
    assert_eq!(ends.len(), 2);
    assert_eq!(ends[1].event, Seq(4));
}

#[tokio::test(flavor = "multi_thread")]
async fn more_than_64_do_not_wait_and_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let gate = folder.path().join("gate");
    let waits = shell(&format!("until [ -e {} ]; do sleep 0.05; done", gate.display()));
    let bench = Bench::with(vec![hook("", waits)]);
    let first = bench.warn("0");
    // One is being told; it has left the queue once its program waits at the gate.
    tokio::time::sleep(Duration::from_millis(300)).await;
    for number in 1..=74 {
        bench.warn(&number.to_string());
    }
    let full = bench.status(|status| status.left_out == 10).await;
    assert_eq!((full.calling, full.waiting, full.done), (Some(first), 64, 0));
    std::fs::write(gate, "").unwrap();
    let ends = bench.ends(65).await;
    let idle = bench.status(|status| status.done == 65).await;
    assert_eq!((idle.calling, idle.waiting, idle.left_out), (None, 0, 10));
    assert_eq!(ends.iter().map(|end| end.left_out).sum::<u64>(), 10);
    assert_eq!(ends[0].event, first);
    assert_eq!(ends.last().unwrap().event, Seq(first.0 + 64));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_hook_is_not_told_of_at_the_end_is_in_the_journal() {
    let bench = Bench::with(vec![hook("", shell("sleep 60"))]);
    let first = bench.warn("0");
    bench.status(|status| status.calling == Some(first)).await;
    for number in 1..=74 {
        bench.warn(&number.to_string());
    }
    let full = bench.status(|status| status.left_out == 10).await;
    let ends = bench.end().await;
    assert_eq!(ends.len(), 1, "{ends:?}");
    let end = &ends[0];
    assert_eq!((end.event, end.done, end.attempts), (first, false, 1));
    assert_eq!(end.detail, "the bot ended meanwhile");
    assert_eq!(end.left_out, full.waiting + full.left_out);
    assert_eq!(end.left_out, 74);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_be_told_at_the_end_is_told_and_nothing_is_left_out() {
    let bench = Bench::with(vec![hook("", shell("exit 0")), hook("full", shell("exit 0"))]);
    let told: Vec<_> = (0..3).map(|number| bench.warn(&number.to_string())).collect();
    let ends = bench.end().await;
    let of: Vec<_> = ends
        .iter()
        .map(|end| (end.event, end.done, end.left_out))
        .collect();
    let all: Vec<_> = told.into_iter().map(|seq| (seq, true, 0)).collect();
    assert_eq!(of, all);
    // Those that have ended end at once.
    assert_eq!(bench.end().await.len(), 3);
}

/// An address that answers as told, and keeps what it got.
#[derive(Clone, Default)]
struct Receiver {
    answers: Arc<Mutex<Vec<StatusCode>>>,
    got: Arc<Mutex<Vec<Posted>>>,
}

/// What was posted: the header with the signature, and the body.
#[derive(Clone)]
struct Posted {
    signature: Option<String>,
    body: Vec<u8>,
}

impl Receiver {
    async fn listen(answers: &[StatusCode]) -> (Self, String) {
        let receiver = Self::default();
        receiver.answers.lock().unwrap().extend(answers.iter().rev());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let app = Router::new()
            .route("/hook", post(Self::receive))
            .with_state(receiver.clone());
        tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        (receiver, url)
    }

    fn receive(State(receiver): State<Self>, mut headers: HeaderMap, body: Bytes) -> Ready<StatusCode> {
        let signature = headers.remove("X-Foldback-Signature");
        receiver.got.lock().unwrap().push(Posted {
            signature: signature.map(|value| value.to_str().unwrap().to_owned()),
            body: body.into(),
        });
        ready(receiver.answers.lock().unwrap().pop().unwrap_or(StatusCode::OK))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_posted_is_signed_and_tried_again_where_the_other_side_is_down() {
    let (receiver, url) = Receiver::listen(&[StatusCode::BAD_GATEWAY]).await;
    let secret = Secret::new("key".to_owned());
    let destination = Destination::Url {
        url,
        secret: Some(secret.clone()),
    };
    let bench = Bench::with(vec![hook("", destination)]);
    let told = bench.warn("a");
    let end = bench.ends(1).await.remove(0);
    assert_eq!(
        (end.done, end.attempts, end.detail.as_str()),
        (true, 2, "answered 200 OK")
    );
    let got = receiver.got.lock().unwrap().clone();
    assert_eq!(got.len(), 2);
    for Posted { signature, body } in got {
        assert_eq!(signature, Some(sign(&secret, &body)));
        assert_eq!(serde_json::from_slice::<Event>(&body).unwrap().seq, told);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_refused_is_not_posted_again_and_no_address_stands_in_the_journal() {
    let (receiver, url) = Receiver::listen(&[StatusCode::FORBIDDEN]).await;
    let post = |url| hook("", Destination::Url { url, secret: None });
    let bench = Bench::with(vec![post(url)]);
    bench.warn("a");
    let end = bench.ends(1).await.remove(0);
    assert_eq!(
        (end.done, end.attempts, end.detail.as_str()),
        (false, 1, "answered 403 Forbidden")
    );
    assert_eq!(receiver.got.lock().unwrap()[0].signature, None);

    let closed = TcpListener::bind("127.0.0.1:0")
        .await
        .unwrap()
        .local_addr()
        .unwrap();
    let bench = Bench::with(vec![post(format!("http://{closed}/key-in-the-path"))]);
    bench.warn("a");
    let end = bench.ends(1).await.remove(0);
    assert_eq!((end.done, end.attempts), (false, 3));
    assert!(!end.detail.contains("key-in-the-path"), "{}", end.detail);
}
