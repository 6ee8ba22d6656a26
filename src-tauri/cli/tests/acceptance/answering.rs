//! A server that answers each request as a test says, and one that a test can point a setting at.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    thread,
};

/// A server of HTTP on this machine, until the test ends.
pub(crate) struct Answering {
    url: String,
}

impl Answering {
    /// One that answers a request's head (request line and headers, in lower case but for values) with a status and a
    /// body. The body of a request is passed over.
    pub(crate) fn new(answer: impl Fn(&str) -> (u16, &'static str) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                // Who went away meanwhile is no matter.
                let _ = serve(&stream, &answer);
            }
        });
        Self { url }
    }

    /// Its address, such as `http://127.0.0.1:4711`.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }
}

fn serve(mut stream: &TcpStream, answer: &impl Fn(&str) -> (u16, &'static str)) -> std::io::Result<()> {
    let mut head = String::new();
    let mut reader = BufReader::new(stream);
    while reader.read_line(&mut head)? > 2 {}
    // Left unread, the end of the connection would be a reset, and the answer might be lost with it.
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.and_then(|length| length.trim().parse().ok()).unwrap_or(0)];
    reader.read_exact(&mut body)?;
    let (status, body) = answer(&head);
    write!(
        stream,
        "HTTP/1.1 {status} x\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}
