//! A model over HTTP whose deltas are the moments at which they were written.

use crate::{Outcome, PACE};
use std::time::Instant;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::oneshot,
};

/// The running server; its answers end when it is dropped.
pub(crate) struct Model {
    pub(crate) port: u16,
    _running: oneshot::Sender<()>,
}

/// Begins to serve, in a thread of its own. Moments count from `start`, in nanoseconds.
pub(crate) fn serve(start: Instant) -> Outcome<Model> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let port = listener.local_addr()?.port();
    let (running, end) = oneshot::channel();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    std::thread::spawn(move || {
        runtime.block_on(async {
            tokio::select! {
                _ = accept(listener, start) => {}
                _ = end => {}
            }
        });
    });
    Ok(Model {
        port,
        _running: running,
    })
}

async fn accept(listener: std::net::TcpListener, start: Instant) -> std::io::Result<()> {
    let listener = TcpListener::from_std(listener)?;
    loop {
        let (stream, _) = listener.accept().await?;
        // An answer ends when the bot ends, which closes the connection.
        tokio::spawn(answer(stream, start));
    }
}

async fn answer(mut stream: TcpStream, start: Instant) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    until_asked(&mut stream).await?;
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    stream.write_all(head.as_bytes()).await?;
    let mut pace = tokio::time::interval(PACE);
    loop {
        pace.tick().await;
        let moment = start.elapsed().as_nanos();
        let delta =
            format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"Z{moment}z \"}}}}]}}\n\n");
        stream.write_all(delta.as_bytes()).await?;
    }
}

/// Reads a request to the end of its body.
async fn until_asked(stream: &mut TcpStream) -> std::io::Result<()> {
    let mut request = Vec::new();
    loop {
        if stream.read_buf(&mut request).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        let text = String::from_utf8_lossy(&request).to_ascii_lowercase();
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
        let length = length.and_then(|length| length.trim().parse().ok()).unwrap_or(0);
        if body.len() >= length {
            return Ok(());
        }
    }
}
