//! Files that people send, fetched over HTTP. Neither the sender nor the address is trusted: what comes is counted while
//! it is read, and goes no further than the hosts that a platform names as its own.

use crate::{Refusal, http};
use foldback_wire::RefusalCode;
use reqwest::header::{ACCEPT_ENCODING, CONTENT_TYPE, HeaderMap};
use reqwest::{RequestBuilder, StatusCode, Url};
use std::fmt::Write as _;
use std::time::Duration;

/// How long a download may take. Who waits for it has mostly less patience.
const PATIENCE: Duration = Duration::from_mins(2);

/// Where a platform keeps files, beside the place of its API.
#[derive(Debug)]
pub(crate) struct Hosts {
    /// The place of the API.
    root: Option<Url>,
    /// Hosts on the internet.
    names: &'static [&'static str],
}

impl Hosts {
    /// These hosts, and whatever stands at `root`.
    pub(crate) fn new(root: &str, names: &'static [&'static str]) -> Self {
        Self {
            root: Url::parse(root).ok(),
            names,
        }
    }

    /// The address, if it lies on one of them. Another port is another place.
    pub(crate) fn allow(&self, address: &str) -> Result<Url, Refusal> {
        let refused = |why: String| Err(Refusal::new(RefusalCode::Rejected, why));
        let Ok(url) = Url::parse(address) else {
            return refused("the platform gave no address for it".into());
        };
        let host = url.host_str().unwrap_or_default();
        let at_root = self
            .root
            .as_ref()
            .is_some_and(|root| root.origin() == url.origin());
        let named = url.scheme() == "https" && url.port().is_none() && self.names.contains(&host);
        if !url.username().is_empty() || url.password().is_some() || !(at_root || named) {
            return refused(format!(
                "it lies on {host:?}, which is no place of the platform; nothing is fetched from there"
            ));
        }
        Ok(url)
    }
}

/// What a request answers, as a file of at most `limit` bytes that was told to be of this media type.
pub(crate) async fn download(
    request: RequestBuilder,
    media_type: &str,
    limit: u64,
) -> Result<Vec<u8>, Refusal> {
    // Nothing is unpacked, so that what is counted is what came.
    let request = request.header(ACCEPT_ENCODING, "identity").timeout(PATIENCE);
    let mut response = request.send().await.map_err(unanswered)?;
    if response.status() != StatusCode::OK {
        return Err(refusal(response.status(), response.headers()));
    }
    if is_page(response.headers()) && !media_type.contains("html") {
        let why = "a page came in its place, as where the bot lacks the permission to read files";
        return Err(Refusal::new(RefusalCode::Forbidden, why));
    }
    if response.content_length().is_some_and(|length| length > limit) {
        return Err(Refusal::too_large(limit));
    }
    let mut bytes = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(unanswered)? {
        if (bytes.len() + piece.len()) as u64 > limit {
            return Err(Refusal::too_large(limit));
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes)
}

/// The SHA-256 of these bytes, as platforms write it: 64 digits of 0 to 9 and a to f.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, bytes);
    digest.as_ref().iter().fold(String::new(), |mut hex, byte| {
        // Writing into a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// An answer that did not come changed nothing.
fn unanswered(error: reqwest::Error) -> Refusal {
    http::unanswered(error).harmless()
}

fn is_page(headers: &HeaderMap) -> bool {
    let told = headers.get(CONTENT_TYPE).and_then(|told| told.to_str().ok());
    let told = told.unwrap_or_default().trim_start().to_ascii_lowercase();
    told.starts_with("text/html") || told.starts_with("application/xhtml")
}

fn refusal(status: StatusCode, headers: &HeaderMap) -> Refusal {
    let (code, why) = match status {
        StatusCode::UNAUTHORIZED => (
            RefusalCode::Unauthorized,
            "the platform does not take the bot's token",
        ),
        StatusCode::FORBIDDEN => (RefusalCode::Forbidden, "the bot may not read it"),
        StatusCode::NOT_FOUND | StatusCode::GONE => (RefusalCode::Gone, "it is not there any more"),
        StatusCode::PAYLOAD_TOO_LARGE => (RefusalCode::TooLong, "it is larger than the platform hands over"),
        StatusCode::TOO_MANY_REQUESTS => (RefusalCode::RateLimited, "the platform asks to wait"),
        status if status.is_server_error() => (RefusalCode::Transient, "the platform failed"),
        status if status.is_redirection() => (
            RefusalCode::Rejected,
            "the platform sends elsewhere for it; no redirect is followed",
        ),
        _ => (RefusalCode::Rejected, "the platform did not hand it over"),
    };
    Refusal {
        retry_after: http::retry_after(headers),
        ..Refusal::new(code, format!("{why} ({status})"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;
    use tokio::task::JoinHandle;

    /// Serves one answer, then silence; gives what was asked.
    async fn serve(answer: Vec<u8>, hold: bool) -> (String, JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/file", listener.local_addr().unwrap());
        let served = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut asked = Vec::new();
            while !asked.ends_with(b"\r\n\r\n") {
                asked.push(stream.read_u8().await.unwrap());
            }
            // Who is refused closes before all is written.
            let _ = stream.write_all(&answer).await;
            if hold {
                tokio::time::pause();
                std::future::pending::<()>().await;
            }
            String::from_utf8(asked).unwrap()
        });
        (address, served)
    }

    async fn fetch(answer: impl Into<Vec<u8>>, limit: u64) -> Result<Vec<u8>, Refusal> {
        let (address, _served) = serve(answer.into(), false).await;
        let client = http::client(&address).unwrap();
        download(client.get(&address), "image/png", limit).await
    }

    fn answer(head: &str, body: &str) -> String {
        format!("HTTP/1.1 {head}\r\nconnection: close\r\n\r\n{body}")
    }

    #[tokio::test]
    async fn a_file_comes_as_it_is() {
        let body = "\u{89}PNG\0\r\n";
        let fine = answer(&format!("200 OK\r\ncontent-length: {}", body.len()), body);
        assert_eq!(fetch(fine, 8).await.unwrap(), body.as_bytes());
        // Without a length the end of the connection is the end of the file.
        assert_eq!(fetch(answer("200 OK", "12345678"), 8).await.unwrap(), b"12345678");
        assert_eq!(fetch(answer("200 OK", ""), 8).await.unwrap(), b"");
        // What is packed stays packed.
        let packed = answer("200 OK\r\ncontent-encoding: gzip", "packed");
        assert_eq!(fetch(packed, 8).await.unwrap(), b"packed");
    }

    #[tokio::test]
    async fn nothing_is_unpacked_on_the_way() {
        let (address, served) = serve(answer("200 OK", "x").into(), false).await;
        let client = http::client(&address).unwrap();
        download(client.get(&address), "", 1).await.unwrap();
        assert!(served.await.unwrap().contains("accept-encoding: identity\r\n"));
    }

    #[tokio::test]
    async fn hostile_answers_are_refused() {
        use RefusalCode::{Forbidden, Gone, RateLimited, Rejected, TooLong, Transient, Unauthorized};
        let chunked = "200 OK\r\ntransfer-encoding: chunked";
        for (head, body, code) in [
            ("200 OK\r\ncontent-length: 9", "123456789", TooLong),
            ("200 OK\r\ncontent-length: 99999999999999", "1", TooLong),
            // The length is not told, or a lie.
            ("200 OK", "123456789", TooLong),
            (chunked, "9\r\n123456789\r\n0\r\n\r\n", TooLong),
            (chunked, "5\r\n12345\r\n5\r\n12345\r\n", TooLong),
            // It breaks off.
            ("200 OK\r\ncontent-length: 8", "1234", Transient),
            (chunked, "5\r\n123", Transient),
            ("200 OK\r\ncontent-type: text/html", "<html>", Forbidden),
            (
                "200 OK\r\ncontent-type: Text/HTML; charset=utf-8",
                "<html>",
                Forbidden,
            ),
            ("301 Moved\r\nlocation: http://169.254.169.254/", "", Rejected),
            ("302 Found\r\nlocation: https://example.org/", "", Rejected),
            ("307 Temporary\r\nlocation: /elsewhere", "", Rejected),
            ("206 Partial Content", "12", Rejected),
            ("204 No Content", "", Rejected),
            ("401 Unauthorized", "", Unauthorized),
            ("403 Forbidden", "", Forbidden),
            ("404 Not Found", "", Gone),
            ("410 Gone", "", Gone),
            ("413 Too Large", "", TooLong),
            ("418 Teapot", "", Rejected),
            ("429 Slow\r\nretry-after: 7", "", RateLimited),
            ("500 Oops", "", Transient),
        ] {
            let refusal = fetch(answer(head, body), 8).await.unwrap_err();
            assert_eq!(
                (refusal.code, refusal.maybe_done),
                (code, false),
                "{head}: {refusal}"
            );
            let wait = (code == RateLimited).then_some(Duration::from_secs(7));
            assert_eq!(refusal.retry_after, wait, "{head}");
        }
        assert_eq!(
            fetch("no HTTP at all\r\n\r\n", 8).await.unwrap_err().code,
            Transient
        );
    }

    #[tokio::test]
    async fn a_page_that_was_sent_as_one_is_a_file() {
        let page = answer("200 OK\r\ncontent-type: text/html", "<p>");
        let (address, _served) = serve(page.into(), false).await;
        let client = http::client(&address).unwrap();
        let bytes = download(client.get(&address), "text/html", 8).await.unwrap();
        assert_eq!(bytes, b"<p>");
    }

    #[tokio::test]
    async fn a_download_that_stalls_ends() {
        let stalled = answer("200 OK\r\ncontent-length: 8", "1234");
        let (address, _served) = serve(stalled.into(), true).await;
        let client = http::client(&address).unwrap();
        let refusal = download(client.get(&address), "", 8).await.unwrap_err();
        assert_eq!(refusal.code, RefusalCode::Transient, "{refusal}");
    }

    #[test]
    fn only_the_platforms_own_hosts_are_asked() {
        let hosts = Hosts::new("http://127.0.0.1:80/api", &["files.example.com"]);
        for fine in [
            "https://files.example.com/a?b=c",
            "https://FILES.example.com:443/a",
            "http://127.0.0.1/x",
            // Where this begins a path, as everywhere on the web.
            "https://files.example.com\\@evil.org/a",
        ] {
            assert!(hosts.allow(fine).is_ok(), "{fine}");
        }
        for wrong in [
            "http://files.example.com/a",
            "https://files.example.com:8443/a",
            "https://files.example.com.evil.org/a",
            "https://files.example.com@evil.org/a",
            "https://u:p@files.example.com/a",
            "https://evil.org/files.example.com",
            "https://evil.org#files.example.com",
            "https://xn--fles-7pa.example.com/",
            "https://files.example.com./a",
            "http://127.0.0.1:81/x",
            "https://127.0.0.1:80/x",
            "http://localhost/x",
            "http://169.254.169.254/latest/meta-data",
            "file:///etc/passwd",
            "data:text/plain,x",
            "//files.example.com/a",
            "",
        ] {
            let refusal = hosts.allow(wrong).expect_err(wrong);
            assert_eq!(refusal.code, RefusalCode::Rejected, "{wrong}");
        }
    }
}
