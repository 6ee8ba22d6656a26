//! Load of a web chat: how long a piece of an answer takes from the operation to the browser's end of the socket, with one
//! browser and with 200. `cargo run --release -p foldback-channels --example web_chat_load [BROWSERS] [SECONDS]`
//!
//! Each browser has a session, an open stream and a conversation of its own, in which an answer grows by twenty pieces a
//! second, as fast as models write. Browsers are raw sockets in a thread of their own, on the same machine. A piece holds the
//! moment at which its operation began. Beside it stands what one browser sees while the others are connected and silent, and
//! what a conversation sees that is open in all eight tabs that it may have.

use foldback_channels::{
    Call, ChannelAdapter, Folder, Signal, VisitorLimits, WebChat, WebChatPlace, platform, profile,
    stay_connected,
};
use foldback_wire::{
    ChannelId, ChannelState, ChatId, Clock, MessageFlags, MessageId, Operation, Rng, Sleep, Target, Timestamp,
};
use std::error::Error;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Time between two pieces of an answer.
const PACE: Duration = Duration::from_millis(50);
/// Pieces of one answer; then another one begins.
const PIECES: usize = 100;
/// Rounds of all trials.
const ROUNDS: usize = 3;
/// Browsers and seconds that are taken at most.
const MOST: (usize, u64) = (400, 60);
/// Pieces at the beginning that are not counted.
const WARM: Duration = Duration::from_secs(1);

struct System;

impl Clock for System {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    fn sleep_until(&self, until: Timestamp) -> Sleep {
        Box::pin(tokio::time::sleep(until.since(self.now())))
    }
}

struct Even;

impl Rng for Even {
    fn next(&self) -> u64 {
        u64::MAX / 2
    }
}

/// A trial: the numbers of browsers, of conversations that they are in, and of those that are written in.
#[derive(Clone, Copy)]
struct Trial {
    name: &'static str,
    browsers: usize,
    tabs: usize,
    writing: usize,
}

fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let browsers = arguments.next().map_or(Ok(200), |text| text.parse())?;
    let seconds = arguments.next().map_or(Ok(10), |text| text.parse())?;
    let (browsers, time) = (
        browsers.clamp(1, MOST.0),
        Duration::from_secs(seconds.clamp(2, MOST.1)),
    );
    let trial = |name, browsers, tabs, writing| Trial {
        name,
        browsers,
        tabs,
        writing,
    };
    let trials = [
        trial("one browser", 1, 1, 1),
        trial("one of all, the others silent", browsers, 1, 1),
        trial("one conversation in eight tabs", 8, 8, 1),
        trial("all browsers", browsers, 1, browsers),
    ];
    // In turn, so that whatever else the machine does meets all of them.
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        rounds.push(
            trials
                .iter()
                .map(|trial| run(*trial, time))
                .collect::<Outcome<Vec<_>>>()?,
        );
    }
    let p99 = |n: usize| {
        let mut of_trial: Vec<_> = rounds.iter().map(|round| round[n].as_secs_f64()).collect();
        of_trial.sort_by(f64::total_cmp);
        of_trial[ROUNDS / 2]
    };
    println!("median p99 of {ROUNDS} rounds:");
    for (n, trial) in trials.iter().enumerate() {
        let (own, one) = (p99(n) * 1_000.0, p99(0) * 1_000.0);
        println!(
            "{:32} {own:7.3} ms, {:.2} times that of one browser",
            trial.name,
            own / one
        );
    }
    Ok(())
}

/// Runs a trial; gives its p99.
fn run(trial: Trial, time: Duration) -> Outcome<Duration> {
    let start = Instant::now();
    let server = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let (addressed, address) = std::sync::mpsc::channel::<String>();
    let pages = std::thread::spawn(move || watch(trial, &address.recv()?, start, time));
    server.block_on(write(trial, &addressed, start, time))?;
    let mut spans = pages.join().map_err(|_| "the browsers failed")??;
    spans.sort_unstable();
    let at = |share: f64| spans[((spans.len() - 1) as f64 * share) as usize];
    println!(
        "{:32} {:6} pieces  p50 {:7.3} ms  p99 {:7.3} ms  max {:7.3} ms",
        trial.name,
        spans.len(),
        at(0.5).as_secs_f64() * 1_000.0,
        at(0.99).as_secs_f64() * 1_000.0,
        at(1.0).as_secs_f64() * 1_000.0,
    );
    Ok(at(0.99))
}

/// The server, and the bot that writes.
async fn write(
    trial: Trial,
    addressed: &std::sync::mpsc::Sender<String>,
    start: Instant,
    time: Duration,
) -> Outcome<()> {
    let data = tempfile::tempdir()?;
    let place = WebChatPlace {
        listen: "127.0.0.1:0".parse()?,
        origins: Vec::new(),
        limits: VisitorLimits::default(),
        data: data.path().to_owned(),
        journal: None,
    };
    let folder = Folder::new(data.path(), 0);
    let can = profile(platform::WEB_CHAT);
    let adapter = Arc::new(WebChat::new(
        ChannelId::new("web_chat"),
        can,
        place,
        folder,
        Arc::new(System),
    )?);
    let (sink, mut signals) = mpsc::channel(1);
    let stop = CancellationToken::new();
    let running = stay_connected(
        Arc::clone(&adapter),
        sink,
        stop.clone(),
        Arc::new(System),
        Arc::new(Even),
    );
    let running = tokio::spawn(running);
    let mut chats: Vec<ChatId> = Vec::new();
    while chats.len() < trial.browsers / trial.tabs {
        match signals.recv().await.ok_or("the channel ended")? {
            Signal::State {
                state: ChannelState::Up,
                why,
            } => addressed.send(why.rsplit_once('/').ok_or("no address")?.1.to_owned())?,
            Signal::Message(arrival) => {
                chats.push(arrival.message.chat);
                // Whoever posted it may be gone.
                let _ = arrival.kept.map(|kept| kept.send(()));
            }
            _ => {}
        }
    }
    // The streams are open by now; a moment for the last tabs.
    tokio::time::sleep(Duration::from_millis(500)).await;
    let writers = chats
        .into_iter()
        .take(trial.writing)
        .enumerate()
        .map(|(n, chat)| {
            let offset =
                PACE * u32::try_from(n).unwrap_or_default() / u32::try_from(trial.writing).unwrap_or(1);
            let adapter = Arc::clone(&adapter);
            tokio::spawn(async move { answer(&adapter, n, chat, offset, start, time).await })
        });
    for writer in writers.collect::<Vec<_>>() {
        writer.await??;
    }
    stop.cancel();
    running.await??;
    Ok(())
}

/// Writes one answer after the other.
async fn answer(
    adapter: &WebChat,
    n: usize,
    chat: ChatId,
    offset: Duration,
    start: Instant,
    time: Duration,
) -> Outcome<()> {
    tokio::time::sleep(offset).await;
    let mut pace = tokio::time::interval(PACE);
    let (mut message, mut text): (Option<MessageId>, _) = (None, String::new());
    let begun = Instant::now();
    for piece in 0.. {
        pace.tick().await;
        if begun.elapsed() > time {
            break;
        }
        if piece % PIECES == 0 {
            (message, text) = (None, String::new());
        }
        write!(text, "@{};", start.elapsed().as_nanos())?;
        let operation = match message.clone() {
            None => Operation::SendText {
                text: text.clone(),
                reply_to: None,
                flags: MessageFlags::default(),
            },
            Some(message) => Operation::EditText {
                message,
                text: text.clone(),
                flags: MessageFlags::default(),
            },
        };
        let target = Target {
            chat: chat.clone(),
            thread: None,
        };
        let key = format!("{n}-{piece}");
        let ack = adapter
            .perform(Call {
                target,
                operation,
                key,
            })
            .await?;
        message = message.or(ack.message);
    }
    Ok(())
}

/// The browsers; gives the times that pieces took.
fn watch(trial: Trial, address: &str, start: Instant, time: Duration) -> Outcome<Vec<Duration>> {
    let browsers = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    browsers.block_on(async {
        let mut streams = Vec::new();
        for n in 0..trial.browsers / trial.tabs {
            let cookie = begin(address).await?;
            let mut tabs = Vec::new();
            for _ in 0..trial.tabs {
                tabs.push(open(address, &cookie).await?);
            }
            say(address, &cookie, n).await?;
            streams.extend(tabs);
        }
        let from = Instant::now() + WARM;
        let until = from + time + Duration::from_secs(3);
        let reading = streams
            .into_iter()
            .map(|stream| tokio::spawn(read(stream, start, from, until)));
        let mut spans = Vec::new();
        for reader in reading.collect::<Vec<_>>() {
            spans.extend(reader.await?);
        }
        Ok(spans)
    })
}

/// Reads a stream to its end; gives the times of its pieces.
async fn read(mut stream: TcpStream, start: Instant, from: Instant, until: Instant) -> Vec<Duration> {
    let mut spans = Vec::new();
    let mut buffer = vec![0; 64 * 1024];
    let mut rest = Vec::new();
    while let Ok(Ok(length)) = tokio::time::timeout_at(until.into(), stream.read(&mut buffer)).await {
        let now = Instant::now();
        if length == 0 {
            break;
        }
        rest.extend_from_slice(&buffer[..length]);
        let text = String::from_utf8_lossy(&rest).into_owned();
        let mut done = 0;
        for (at, _) in text.match_indices('@') {
            let Some((nanos, _)) = text[at + 1..].split_once(';') else {
                break;
            };
            done = at + nanos.len() + 2;
            if let Ok(nanos) = nanos.parse()
                && now > from
            {
                spans.push((now - start).saturating_sub(Duration::from_nanos(nanos)));
            }
        }
        rest = match text.rfind('@') {
            Some(at) if at >= done => text.as_bytes()[at..].to_vec(),
            _ => Vec::new(),
        };
    }
    spans
}

async fn ask(address: &str, request: &str) -> Outcome<String> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    if answer.starts_with("HTTP/1.1 200") {
        return Ok(answer);
    }
    Err(answer.into())
}

async fn begin(address: &str) -> Outcome<String> {
    let head = format!(
        "POST /session HTTP/1.1\r\nhost: {address}\r\norigin: http://{address}\r\ncontent-length: 0\r\n\r\n"
    );
    let answer = ask(address, &head).await?;
    let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: "));
    let cookie = cookie.and_then(|cookie| cookie.split(';').next());
    Ok(cookie.ok_or("no cookie")?.to_owned())
}

async fn open(address: &str, cookie: &str) -> Outcome<TcpStream> {
    let mut stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let head = format!("GET /events HTTP/1.1\r\nhost: {address}\r\ncookie: {cookie}\r\n\r\n");
    stream.write_all(head.as_bytes()).await?;
    let mut begin = [0; 12];
    stream.read_exact(&mut begin).await?;
    if &begin != b"HTTP/1.1 200" {
        return Err("no stream".into());
    }
    Ok(stream)
}

async fn say(address: &str, cookie: &str, n: usize) -> Outcome<()> {
    let body = format!("{{\"key\":\"{n}\",\"text\":\"hello\"}}");
    let head = format!(
        "POST /messages HTTP/1.1\r\nhost: {address}\r\norigin: http://{address}\r\ncookie: {cookie}\r\ncontent-type: \
         application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    ask(address, &head).await.map(drop)
}
