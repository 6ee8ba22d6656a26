//! The sites that may use the page.
//!
//! A request names the site that it came from and the one that it goes to. Both must be the page's own address: one that a
//! configuration lists, or one of this machine where nobody else reaches it. A name that somebody points at this machine is
//! neither, so that a page of theirs cannot pass for ours
//! (<https://developer.mozilla.org/en-US/docs/Web/Security/Same-origin_policy#dns_rebinding_attack>). A site that shows the
//! page in a frame sends nothing itself: what the list lets it do is to have the frame.

use crate::Refusal;
use foldback_wire::RefusalCode;
use hyper::Method;
use hyper::header::{HOST, HeaderMap, ORIGIN};
use reqwest::Url;
use std::net::SocketAddr;

/// The addresses of the page, and the sites that show it.
#[derive(Debug)]
pub(super) struct Origins {
    listed: Vec<Origin>,
    is_local: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Origin {
    text: String,
    authority: String,
    is_https: bool,
}

/// The address of the page that a request went to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Home {
    /// Name and port, as a browser writes them.
    pub(super) authority: String,
    pub(super) is_https: bool,
    /// True where another site may show the page.
    pub(super) is_embedded: bool,
}

impl Home {
    /// Origins that requests of the page itself have.
    fn origin(&self) -> String {
        let scheme = if self.is_https { "https" } else { "http" };
        format!("{scheme}://{}", self.authority)
    }

    /// Name of the session's cookie. Cookies do not tell the ports of a machine apart.
    pub(super) fn cookie_name(&self) -> String {
        if self.is_https {
            return "__Host-foldback".to_owned();
        }
        let port = self.authority.rsplit_once(':').map_or("80", |(_, port)| port);
        format!("foldback-{port}")
    }
}

impl Origins {
    /// Those of a page at an address of this machine.
    ///
    /// # Errors
    /// Where others reach it and no site is listed, or something listed is no origin.
    pub(super) fn new(listen: SocketAddr, listed: &[String]) -> Result<Self, Refusal> {
        let is_local = listen.ip().is_loopback();
        if listed.is_empty() && !is_local {
            return Err(Refusal::new(
                RefusalCode::Rejected,
                format!(
                    "other machines reach listen = \"{listen}\": list the page's address and the sites that show it, such \
                     as origins = [\"https://chat.example.org\", \"https://www.example.org\"], or listen at 127.0.0.1"
                ),
            ));
        }
        let listed = listed
            .iter()
            .map(|text| Origin::read(text))
            .collect::<Result<_, _>>()?;
        Ok(Self { listed, is_local })
    }

    /// The address of the page that a request went to; `None` where that is none of its addresses.
    pub(super) fn home(&self, headers: &HeaderMap) -> Option<Home> {
        let host = headers.get(HOST)?.to_str().ok()?.to_ascii_lowercase();
        let is_embedded = |own: Option<&Origin>| self.listed.iter().any(|origin| Some(origin) != own);
        if let Some(own) = self.listed.iter().find(|origin| origin.authority == host) {
            return Some(Home {
                authority: host,
                is_https: own.is_https,
                is_embedded: is_embedded(Some(own)),
            });
        }
        let name = host.rsplit_once(':').map_or(host.as_str(), |(name, _)| name);
        (self.is_local && is_local_name(name)).then(|| Home {
            is_https: false,
            is_embedded: is_embedded(None),
            authority: host,
        })
    }

    /// The sites that may show the page in a frame, as a content security policy names them.
    pub(super) fn frame_ancestors(&self) -> String {
        let listed = self.listed.iter().map(|origin| origin.text.as_str());
        std::iter::once("'self'")
            .chain(listed)
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// Whether the page itself asks. What changes something must say so; of what is only read, browsers name the site where it is
/// another one (<https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Origin>).
pub(super) fn is_own_page(method: &Method, headers: &HeaderMap, home: &Home) -> bool {
    if let Some(origin) = headers.get(ORIGIN) {
        return origin.as_bytes() == home.origin().as_bytes();
    }
    let site = headers
        .get("sec-fetch-site")
        .map(hyper::header::HeaderValue::as_bytes);
    *method == Method::GET && site.is_none_or(|site| site == b"same-origin")
}

fn is_local_name(name: &str) -> bool {
    matches!(name, "localhost" | "127.0.0.1" | "[::1]")
}

impl Origin {
    fn read(text: &str) -> Result<Self, Refusal> {
        let wrong = |why: &str| {
            let what = "write one as a browser does, such as \"https://www.example.org\"";
            Refusal::new(
                RefusalCode::Rejected,
                format!("origins: \"{text}\" {why}; {what}"),
            )
        };
        let url = Url::parse(text).map_err(|e| wrong(&format!("is no origin ({e})")))?;
        let origin = url.origin().ascii_serialization();
        if text.contains('*')
            || !matches!(url.scheme(), "https" | "http")
            || origin != text.trim_end_matches('/').to_ascii_lowercase()
        {
            return Err(wrong("is no origin"));
        }
        let is_https = url.scheme() == "https";
        if !is_https && !url.host_str().is_some_and(is_local_name) {
            return Err(wrong("would send messages and cookies in the open"));
        }
        let authority = origin.split_once("://").map_or("", |(_, authority)| authority);
        Ok(Self {
            authority: authority.to_owned(),
            is_https,
            text: origin,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
            .collect()
    }

    fn origins(listen: &str, listed: &[&str]) -> Result<Origins, Refusal> {
        let listed: Vec<_> = listed.iter().map(|&text| text.to_owned()).collect();
        Origins::new(listen.parse().unwrap(), &listed)
    }

    #[test]
    fn only_an_address_of_the_page_is_its_home() {
        let listed = ["https://chat.example.org", "https://www.example.org:8443"];
        let (public, local) = (
            origins("0.0.0.0:8095", &listed).unwrap(),
            origins("127.0.0.1:8095", &[]).unwrap(),
        );
        for (host, of_public, of_local) in [
            ("chat.example.org", true, false),
            ("CHAT.example.org", true, false),
            ("www.example.org:8443", true, false),
            ("www.example.org", false, false),
            ("127.0.0.1:8095", false, true),
            ("localhost:9000", false, true),
            ("[::1]:8095", false, true),
            ("evil.example", false, false),
            ("evil.example:8095", false, false),
            ("127.0.0.1.evil.example:8095", false, false),
            ("localhost.evil.example", false, false),
            ("", false, false),
        ] {
            let headers = headers(&[("host", host)]);
            assert_eq!(public.home(&headers).is_some(), of_public, "{host}");
            assert_eq!(local.home(&headers).is_some(), of_local, "{host}");
        }
        assert!(public.home(&HeaderMap::new()).is_none());
        assert_eq!(
            public.frame_ancestors(),
            "'self' https://chat.example.org https://www.example.org:8443"
        );
    }

    #[test]
    fn what_changes_something_names_the_page_itself() {
        let home = Home {
            authority: "chat.example.org".into(),
            is_https: true,
            is_embedded: true,
        };
        for (pairs, posts, gets) in [
            (&[("origin", "https://chat.example.org")][..], true, true),
            (&[("origin", "http://chat.example.org")], false, false),
            (
                &[("origin", "https://chat.example.org.evil.example")],
                false,
                false,
            ),
            (&[("origin", "https://www.example.org")], false, false),
            (&[("origin", "null")], false, false),
            (&[], false, true),
            (&[("sec-fetch-site", "same-origin")], false, true),
            (&[("sec-fetch-site", "same-site")], false, false),
            (&[("sec-fetch-site", "cross-site")], false, false),
        ] {
            let headers = headers(pairs);
            assert_eq!(is_own_page(&Method::POST, &headers, &home), posts, "{pairs:?}");
            assert_eq!(is_own_page(&Method::GET, &headers, &home), gets, "{pairs:?}");
        }
    }

    #[test]
    fn a_list_is_needed_where_others_reach_the_page_and_its_entries_are_origins() {
        assert!(origins("[::1]:1", &[]).is_ok());
        let refusal = origins("0.0.0.0:8095", &[]).unwrap_err();
        assert!(
            refusal.detail.contains("origins = [\"https://chat.example.org\""),
            "{refusal}"
        );
        for (text, against) in [
            ("https://www.example.org", None),
            ("https://www.example.org/", None),
            ("http://localhost:3000", None),
            ("http://www.example.org", Some("in the open")),
            ("https://www.example.org/chat", Some("is no origin")),
            ("https://ana@www.example.org", Some("is no origin")),
            ("www.example.org", Some("is no origin")),
            ("*", Some("is no origin")),
            ("null", Some("is no origin")),
            ("file:///tmp/page.html", Some("is no origin")),
            ("https://*.example.org", Some("is no origin")),
        ] {
            let found = origins("127.0.0.1:1", &[text]);
            match against {
                None => assert!(found.is_ok(), "{text}: {found:?}"),
                Some(why) => {
                    let refusal = found.expect_err(text);
                    assert!(refusal.detail.contains(why), "{text}: {refusal}");
                }
            }
        }
    }
}
