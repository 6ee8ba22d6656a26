//! One HTTP/1.1 request, read strictly, and the bytes of an answer.

use std::collections::BTreeMap;
use tokio::io::{AsyncRead, AsyncReadExt};

/// Longest request line with headers, in bytes.
const HEAD_BYTES: usize = 16 * 1024;
/// Longest body, in bytes.
const BODY_BYTES: usize = 8 * 1024 * 1024;

/// A request as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Such as `POST`.
    pub method: String,
    /// Such as `/v1/chat/completions`.
    pub path: String,
    /// Names in lower case. A header that comes twice is refused.
    pub headers: BTreeMap<String, String>,
    /// The body.
    pub body: Vec<u8>,
}

/// Reads a request; the error says what is wrong with it.
pub(super) async fn read(from: &mut (impl AsyncRead + Unpin)) -> Result<Request, String> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
        if bytes.len() > HEAD_BYTES {
            return Err("the headers are too long".to_owned());
        }
        more(from, &mut bytes).await?;
    };
    let body = bytes.split_off(end + 4);
    let head = std::str::from_utf8(&bytes[..end]).map_err(|_| "the headers are not UTF-8")?;
    let mut request = parse_head(head)?;
    let length: usize = match request.headers.get("content-length") {
        Some(length) => length.parse().map_err(|_| "content-length is not a number")?,
        None if request.method == "POST" => return Err("no content-length".to_owned()),
        None => 0,
    };
    if length > BODY_BYTES {
        return Err(format!("the body is longer than {BODY_BYTES} bytes"));
    }
    request.body = body;
    while request.body.len() < length {
        more(from, &mut request.body).await?;
    }
    if request.body.len() > length {
        return Err("more came than content-length says".to_owned());
    }
    Ok(request)
}

async fn more(from: &mut (impl AsyncRead + Unpin), bytes: &mut Vec<u8>) -> Result<(), String> {
    match from.read_buf(bytes).await {
        Ok(0) => Err("the request was cut off".to_owned()),
        Ok(_) => Ok(()),
        Err(error) => Err(format!("the request could not be read: {error}")),
    }
}

fn parse_head(head: &str) -> Result<Request, String> {
    let mut lines = head.split("\r\n");
    let first = lines.next().unwrap_or_default();
    let [method, path, "HTTP/1.1"] = first.split(' ').collect::<Vec<_>>()[..] else {
        return Err(format!("`{first}` is not a request line of HTTP/1.1"));
    };
    let mut headers = BTreeMap::new();
    for line in lines {
        let (name, value) = line
            .split_once(':')
            .ok_or_else(|| format!("`{line}` is not a header"))?;
        let name = name.to_ascii_lowercase();
        if headers.insert(name.clone(), value.trim().to_owned()).is_some() {
            return Err(format!("header {name} comes twice"));
        }
    }
    Ok(Request {
        method: method.to_owned(),
        path: path.to_owned(),
        headers,
        body: Vec::new(),
    })
}

/// The status line and headers of an answer whose length is not known yet.
pub(super) fn head(status: u16, headers: &[(String, String)]) -> Vec<u8> {
    use std::fmt::Write as _;
    let mut head =
        format!("HTTP/1.1 {status} Scripted\r\ntransfer-encoding: chunked\r\nconnection: close\r\n");
    for (name, value) in headers {
        // Writing into a String cannot fail.
        let _ = write!(head, "{name}: {value}\r\n");
    }
    head.push_str("\r\n");
    head.into_bytes()
}

/// One piece of a body in chunked form. An empty piece would be the end of the body and is left out.
pub(super) fn chunk(bytes: &[u8]) -> Vec<u8> {
    if bytes.is_empty() {
        return Vec::new();
    }
    let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
    chunk.extend_from_slice(bytes);
    chunk.extend_from_slice(b"\r\n");
    chunk
}

/// The end of a body in chunked form.
pub(super) const LAST_CHUNK: &[u8] = b"0\r\n\r\n";
