use super::*;
use crate::{Ack, Call, Signal, platform, profile};
use async_trait::async_trait;
use foldback_wire::{Attachment, Capabilities, ChatId, Sleep, Timestamp};
use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;

/// The time of a test, which only passes while everybody waits.
struct VirtualClock(Instant);

impl Clock for VirtualClock {
    fn now(&self) -> Timestamp {
        Timestamp(i64::try_from(self.0.elapsed().as_millis()).unwrap())
    }

    fn sleep_until(&self, until: Timestamp) -> Sleep {
        Box::pin(tokio::time::sleep(until.since(self.now())))
    }
}

/// Chance that gives the shortest wait of each step.
struct Shortest;

impl Rng for Shortest {
    fn next(&self) -> u64 {
        0
    }
}

/// What an attempt does.
enum Attempt {
    Loses(Refusal),
    Refuses,
    /// Confirms that it works, and is lost ten seconds later.
    Works,
    /// Waits by the back-off, and is lost.
    WaitsWithin,
    Panics,
    Stays,
}

fn lost() -> Attempt {
    Attempt::Loses(Refusal::new(RefusalCode::Transient, "nobody answers"))
}

fn asks_to_wait(code: RefusalCode, seconds: u64) -> Attempt {
    Attempt::Loses(Refusal {
        retry_after: Some(Duration::from_secs(seconds)),
        ..Refusal::new(code, "wait")
    })
}

struct Scripted {
    capabilities: Capabilities,
    attempts: Mutex<VecDeque<Attempt>>,
    clock: Arc<VirtualClock>,
    /// When each attempt began, in milliseconds, and whether it was the first.
    began: Mutex<Vec<(i64, bool)>>,
    is_connected: AtomicBool,
    /// When it parted.
    parted: Mutex<Option<i64>>,
}

/// Says that an attempt is over, also where it is dropped.
struct Connected<'a>(&'a AtomicBool);

impl Drop for Connected<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::SeqCst);
    }
}

#[async_trait]
impl ChannelAdapter for Scripted {
    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    async fn connect(&self, connection: &Connection) -> ConnectionEnd {
        assert!(!self.is_connected.swap(true, Ordering::SeqCst), "one at a time");
        let _connected = Connected(&self.is_connected);
        let now = self.clock.now().0;
        self.began.lock().unwrap().push((now, connection.is_first()));
        let attempt = self.attempts.lock().unwrap().pop_front();
        let refused = || Refusal::new(RefusalCode::Forbidden, "the token was withdrawn");
        match attempt.unwrap_or(Attempt::Stays) {
            Attempt::Loses(refusal) => ConnectionEnd::Lost(refusal),
            Attempt::Refuses => ConnectionEnd::Refused(refused()),
            Attempt::Works => {
                connection.confirm();
                tokio::time::sleep(Duration::from_secs(10)).await;
                ConnectionEnd::Lost(Refusal::new(RefusalCode::Transient, "it broke"))
            }
            Attempt::WaitsWithin => {
                tokio::time::sleep(connection.next_wait()).await;
                ConnectionEnd::Lost(Refusal::new(RefusalCode::Transient, "in conflict"))
            }
            Attempt::Panics => panic!("as scripted"),
            Attempt::Stays => std::future::pending().await,
        }
    }

    async fn disconnect(&self, _: &Connection) {
        assert!(!self.is_connected.load(Ordering::SeqCst), "the attempt is over");
        *self.parted.lock().unwrap() = Some(self.clock.now().0);
    }

    async fn perform(&self, _: Call) -> Result<Ack, Refusal> {
        Ok(Ack::default())
    }

    async fn fetch(&self, _: &ChatId, _: &Attachment, _: u64) -> Result<Vec<u8>, Refusal> {
        Ok(Vec::new())
    }
}

/// A run of these attempts.
struct Run {
    adapter: Arc<Scripted>,
    signals: mpsc::Receiver<Signal>,
    stop: CancellationToken,
    task: tokio::task::JoinHandle<Result<(), Refusal>>,
}

impl Run {
    fn of(attempts: impl IntoIterator<Item = Attempt>, rng: impl Rng + 'static) -> Self {
        let clock = Arc::new(VirtualClock(Instant::now()));
        let adapter = Arc::new(Scripted {
            capabilities: profile(platform::TELEGRAM),
            attempts: Mutex::new(attempts.into_iter().collect()),
            clock: Arc::clone(&clock),
            began: Mutex::default(),
            is_connected: AtomicBool::default(),
            parted: Mutex::default(),
        });
        let (sink, signals) = mpsc::channel(1);
        let stop = CancellationToken::new();
        let run = stay_connected(Arc::clone(&adapter), sink, stop.clone(), clock, Arc::new(rng));
        Self {
            adapter,
            signals,
            stop,
            task: tokio::spawn(run),
        }
    }

    /// Takes the states that it reports in this time.
    async fn states_for(&mut self, time: Duration) -> Vec<(ChannelState, String)> {
        let mut states = Vec::new();
        let end = Instant::now() + time;
        while let Ok(Some(signal)) = tokio::time::timeout_at(end, self.signals.recv()).await {
            let Signal::State { state, why } = signal else {
                panic!("{signal:?}")
            };
            states.push((state, why));
        }
        states
    }

    /// The seconds between the beginnings of attempts.
    fn waits(&self) -> Vec<f64> {
        let began = self.adapter.began.lock().unwrap();
        let waits = began
            .windows(2)
            .map(|pair| Duration::from_millis((pair[1].0 - pair[0].0).unsigned_abs()));
        waits.map(|wait| wait.as_secs_f64()).collect()
    }

    fn parted(&self) -> Option<i64> {
        *self.adapter.parted.lock().unwrap()
    }
}

const DAY: Duration = Duration::from_hours(24);

#[tokio::test(start_paused = true)]
async fn waits_double_to_a_minute() {
    let mut run = Run::of((0..8).map(|_| lost()), Shortest);
    let states = run.states_for(DAY).await;
    assert_eq!(states, vec![(ChannelState::Down, "nobody answers".to_owned()); 8]);
    // The least of each: 1, 2, 4, 8, 16, 32, 60 and 60 seconds are the most.
    assert_eq!(run.waits(), [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]);
}

#[tokio::test(start_paused = true)]
async fn waits_begin_anew_once_an_attempt_confirmed_that_it_works() {
    let attempts = [lost(), lost(), lost(), Attempt::Works, lost()];
    let mut run = Run::of(attempts, Shortest);
    run.states_for(DAY).await;
    // The fourth lasted ten seconds.
    assert_eq!(run.waits(), [0.5, 1.0, 2.0, 10.5, 1.0]);
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_is_asked_for_goes_before_the_back_off() {
    use ChannelState::{Down, RateLimited};
    let attempts = [
        lost(),
        asks_to_wait(RefusalCode::RateLimited, 90),
        asks_to_wait(RefusalCode::Transient, 0),
        lost(),
    ];
    let mut run = Run::of(attempts, Shortest);
    let states = run.states_for(DAY).await;
    assert_eq!(run.waits(), [0.5, 90.0, 0.0, 1.0]);
    let states: Vec<_> = states.iter().map(|(state, why)| (*state, why.as_str())).collect();
    let expected = [
        (Down, "nobody answers"),
        (RateLimited, "wait; next try in 1 minute 30 seconds"),
        (Down, "wait"),
        (Down, "nobody answers"),
    ];
    assert_eq!(states, expected);
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_is_asked_for_is_an_hour_at_most() {
    for seconds in [3_601, 999_999_999, u64::MAX] {
        let mut run = Run::of([asks_to_wait(RefusalCode::Transient, seconds)], Shortest);
        let states = run.states_for(DAY).await;
        assert_eq!(run.waits(), [3_600.0], "{seconds}");
        assert_eq!(
            states,
            [(ChannelState::Down, "wait; next try in 1 hour".to_owned())]
        );
    }
}

#[tokio::test(start_paused = true)]
async fn waits_within_an_attempt_are_of_the_same_back_off() {
    let mut run = Run::of([lost(), Attempt::WaitsWithin, lost()], Shortest);
    run.states_for(DAY).await;
    assert_eq!(run.waits(), [0.5, 1.0 + 2.0, 4.0]);
}

#[tokio::test(start_paused = true)]
async fn what_only_a_person_can_mend_ends_it() {
    let mut run = Run::of([lost(), Attempt::Refuses, lost()], Shortest);
    let states = run.states_for(DAY).await;
    let why = "the token was withdrawn".to_owned();
    assert_eq!(states.last(), Some(&(ChannelState::Down, why.clone())));
    assert_eq!((run.waits(), run.parted()), (vec![0.5], Some(500)));
    assert_eq!(
        run.task.await.unwrap(),
        Err(Refusal::new(RefusalCode::Forbidden, why))
    );
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_panics_is_lost_like_any_other() {
    let mut run = Run::of([Attempt::Panics, lost()], Shortest);
    let states = run.states_for(DAY).await;
    assert_eq!(run.waits(), [0.5, 1.0]);
    let (state, why) = &states[0];
    assert_eq!(*state, ChannelState::Down);
    assert!(
        why.starts_with("the adapter failed: ") && why.contains("as scripted"),
        "{why}"
    );
    assert_eq!(states[1], (ChannelState::Connecting, "trying again".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_it_wherever_it_waits() {
    // In an attempt, in a wait, and in a report that nobody takes.
    for (attempt, takes) in [
        (Attempt::Stays, true),
        (asks_to_wait(RefusalCode::Transient, 900), true),
        (lost(), false),
    ] {
        let mut run = Run::of([attempt, lost()], Shortest);
        if takes {
            run.states_for(Duration::from_secs(7)).await;
        } else {
            // The second report finds no place.
            tokio::time::sleep(Duration::from_secs(7)).await;
        }
        run.stop.cancel();
        assert_eq!((&mut run.task).await.unwrap(), Ok(()));
        assert_eq!(run.parted(), Some(7_000));
    }
}

#[tokio::test(start_paused = true)]
async fn it_ends_when_nobody_takes_its_signals_any_more() {
    let mut run = Run::of([], Shortest);
    run.states_for(Duration::from_secs(7)).await;
    drop(run.signals);
    assert_eq!(run.task.await.unwrap(), Ok(()));
    assert_eq!(*run.adapter.parted.lock().unwrap(), Some(7_000));
}

#[tokio::test(start_paused = true)]
async fn only_the_first_attempt_of_a_run_is_the_first() {
    let mut run = Run::of([lost(), Attempt::Panics], Shortest);
    run.states_for(DAY).await;
    let began = run.adapter.began.lock().unwrap();
    let first: Vec<_> = began.iter().map(|(_, first)| *first).collect();
    assert_eq!(first, [true, false, false]);
}
