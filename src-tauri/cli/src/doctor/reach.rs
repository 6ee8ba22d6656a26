//! Connections that ask nothing: where every question would cost tokens, or take messages. The deadline is that of all
//! checks.

use tokio::net::TcpStream;

/// Connects to `host:port`.
pub(super) async fn reach(address: &str) -> Result<(), String> {
    match TcpStream::connect(address).await {
        Ok(_) => Ok(()),
        Err(error) => Err(format!("{address} cannot be reached: {error}")),
    }
}

/// Connects to the host of an HTTP URL.
pub(super) async fn reach_url(url: &str) -> Result<(), String> {
    let address = address(url).ok_or_else(|| format!("{url} is no http or https address"))?;
    reach(&address).await
}

/// `host:port` of a URL.
fn address(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let port = match scheme {
        "http" => 80,
        "https" => 443,
        _ => return None,
    };
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next().filter(|host| !host.is_empty())?;
    // The colons of an IPv6 address stand in brackets.
    let has_port = host.rsplit(']').next().is_some_and(|end| end.contains(':'));
    Some(if has_port {
        host.to_owned()
    } else {
        format!("{host}:{port}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_taken_from_urls() {
        let cases = [
            ("http://127.0.0.1:8080/v1", Some("127.0.0.1:8080")),
            ("https://api.openai.com/v1", Some("api.openai.com:443")),
            ("http://user@host?x", Some("host:80")),
            ("http://[::1]:80/", Some("[::1]:80")),
            ("http://[::1]/", Some("[::1]:80")),
            ("ftp://host", None),
            ("http:///v1", None),
            ("host", None),
        ];
        for (url, expected) in cases {
            assert_eq!(address(url).as_deref(), expected, "{url}");
        }
    }
}
