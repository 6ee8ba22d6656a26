//! The browsers of a trial: raw sockets, so that a page's own work is in no figure.

use crate::{Outcome, PACE, Trial, WARM_UP};
use std::time::{Duration, Instant};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

/// Begins the conversations of a trial and reads them for a time; gives the times that their pieces took.
pub(crate) fn watch(trial: Trial, address: &str, start: Instant, time: Duration) -> Outcome<Vec<Duration>> {
    let browsers = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    browsers.block_on(async {
        let mut streams = Vec::new();
        let mut cookies = Vec::new();
        for _ in 0..trial.browsers / trial.tabs {
            let cookie = begin(address).await?;
            for _ in 0..trial.tabs {
                streams.push(open(address, &cookie).await?);
            }
            cookies.push(cookie);
        }
        // All answers have one pace: their beginnings are spread over it.
        let mut pace = tokio::time::interval(PACE / u32::try_from(trial.writing)?);
        for (n, cookie) in cookies.iter().take(trial.writing).enumerate() {
            pace.tick().await;
            say(address, cookie, n).await?;
        }
        let from = Instant::now() + WARM_UP;
        let reading = streams.into_iter().map(|stream| {
            let reading = read(stream, start, from, from + time);
            tokio::spawn(reading)
        });
        let mut spans = Vec::new();
        for (n, reader) in reading.collect::<Vec<_>>().into_iter().enumerate() {
            let of_one = reader.await?;
            if of_one.is_empty() && n < trial.writing * trial.tabs {
                return Err(format!("{}: browser {n} was shown nothing", trial.name).into());
            }
            spans.extend(of_one);
        }
        Ok(spans)
    })
}

/// Reads a stream for a time; gives the times of its pieces.
async fn read(mut stream: TcpStream, start: Instant, from: Instant, until: Instant) -> Vec<Duration> {
    let (mut spans, mut rest) = (Vec::new(), Vec::new());
    // An edit may bring again what the browser has.
    let mut latest = 0;
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(Ok(length)) = tokio::time::timeout_at(until.into(), stream.read(&mut buffer)).await {
        let now = Instant::now();
        if length == 0 {
            break;
        }
        rest.extend_from_slice(&buffer[..length]);
        let text = String::from_utf8_lossy(&rest).into_owned();
        for (at, _) in text.match_indices('Z') {
            let moment = text[at + 1..]
                .split_once('z')
                .and_then(|(moment, _)| moment.parse().ok());
            let Some(moment) = moment.filter(|moment| *moment > latest) else {
                continue;
            };
            latest = moment;
            if now > from {
                spans.push((now - start).saturating_sub(Duration::from_nanos(moment)));
            }
        }
        // A moment may be cut by the end of what was read.
        rest = text
            .rfind('Z')
            .map_or(Vec::new(), |at| text.as_bytes()[at..].to_vec());
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

/// Begins a session; gives its cookie.
async fn begin(address: &str) -> Outcome<String> {
    let head = format!(
        "POST /session HTTP/1.1\r\nhost: {address}\r\norigin: http://{address}\r\ncontent-length: 0\r\n\r\n"
    );
    let answer = ask(address, &head).await?;
    let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: "));
    let cookie = cookie.and_then(|cookie| cookie.split(';').next());
    Ok(cookie.ok_or("no cookie")?.to_owned())
}

/// Opens the stream of a session.
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

/// Writes a message in a session.
async fn say(address: &str, cookie: &str, n: usize) -> Outcome<()> {
    let body = format!("{{\"key\":\"{n}\",\"text\":\"hello\"}}");
    let head = format!(
        "POST /messages HTTP/1.1\r\nhost: {address}\r\norigin: http://{address}\r\ncookie: {cookie}\r\ncontent-type: \
         application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    ask(address, &head).await.map(drop)
}
