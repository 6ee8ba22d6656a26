//! Who a visitor is: a random number in a cookie. What the journal, the console and the disk have of it is its digest, from
//! which nobody gets the cookie back.

use super::limits;
use super::origin::Home;
use crate::platform::web_chat::VISITOR_DIGITS;
use foldback_wire::ChatId;
use hyper::header::{COOKIE, HeaderMap};
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom as _, SystemRandom};
use std::fmt::Write as _;

/// Bytes of a session's key.
const KEY: usize = 16;

/// The number in a cookie, in hexadecimal digits. Whoever has it is the visitor.
pub(super) struct SessionKey(String);

impl SessionKey {
    /// A new one.
    pub(super) fn random() -> Self {
        Self(random_hex::<KEY>())
    }

    /// That of a request's cookie.
    pub(super) fn of(headers: &HeaderMap, home: &Home) -> Option<Self> {
        let name = home.cookie_name();
        let mut cookies = headers
            .get_all(COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(';'));
        let key = cookies.find_map(|cookie| cookie.trim().strip_prefix(&name)?.strip_prefix('='))?;
        let fits = key.len() == 2 * KEY && key.bytes().all(|b| b.is_ascii_hexdigit());
        fits.then(|| Self(key.to_owned()))
    }

    /// The conversation, which is also the visitor.
    pub(super) fn chat(&self) -> ChatId {
        let digest = digest(&SHA256, self.0.as_bytes());
        ChatId::new(hex(&digest.as_ref()[..VISITOR_DIGITS / 2]))
    }

    /// The cookie. No script can read it. A page of another site gets it only inside a frame, and then one of its own for
    /// each site (<https://developer.mozilla.org/en-US/docs/Web/Privacy/Guides/Privacy_sandbox/Partitioned_cookies>).
    pub(super) fn cookie(&self, home: &Home) -> String {
        let site = match (home.is_https, home.is_embedded) {
            (true, true) => "; Secure; SameSite=None; Partitioned",
            (true, false) => "; Secure; SameSite=Strict",
            (false, _) => "; SameSite=Strict",
        };
        let (name, seconds) = (home.cookie_name(), limits::IDLE.as_secs());
        format!("{name}={}; HttpOnly; Path=/; Max-Age={seconds}{site}", self.0)
    }
}

/// So many random bytes, in hexadecimal digits.
pub(super) fn random_hex<const BYTES: usize>() -> String {
    let mut bytes = [0; BYTES];
    // Every system that this runs on has a source; without one nobody could be told from anybody.
    SystemRandom::new()
        .fill(&mut bytes)
        .expect("the system gives random numbers");
    hex(&bytes)
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing into a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::{IdOwner, WEB_CHAT, misfit};

    fn home(is_https: bool, is_embedded: bool) -> Home {
        let authority = if is_https {
            "chat.example.org"
        } else {
            "127.0.0.1:8095"
        };
        Home {
            authority: authority.into(),
            is_https,
            is_embedded,
        }
    }

    #[test]
    fn the_key_comes_back_by_its_cookie_and_is_not_in_the_conversations_id() {
        let key = SessionKey::random();
        for home in [home(true, true), home(true, false), home(false, false)] {
            let cookie = key.cookie(&home);
            let (pair, rules) = cookie.split_once("; ").unwrap();
            assert!(rules.contains("HttpOnly; Path=/; Max-Age=2592000"), "{cookie}");
            let mut headers = HeaderMap::new();
            headers.insert(COOKIE, format!("other=1; {pair}").parse().unwrap());
            let found = SessionKey::of(&headers, &home).unwrap();
            assert_eq!(found.0, key.0);
            assert!(!found.chat().as_str().contains(&key.0));
            assert_eq!(misfit(WEB_CHAT, IdOwner::Chat, found.chat().as_str()), None);
        }
        assert_ne!(SessionKey::random().chat(), SessionKey::random().chat());
    }

    #[test]
    fn a_cookie_goes_to_other_sites_only_where_a_frame_of_theirs_needs_it() {
        let rules = |home| SessionKey::random().cookie(&home);
        let embedded = rules(home(true, true));
        assert!(embedded.starts_with("__Host-foldback="), "{embedded}");
        assert!(
            embedded.ends_with("; Secure; SameSite=None; Partitioned"),
            "{embedded}"
        );
        assert!(rules(home(true, false)).ends_with("; Secure; SameSite=Strict"));
        let local = rules(home(false, true));
        assert!(local.starts_with("foldback-8095="), "{local}");
        assert!(
            local.ends_with("; SameSite=Strict") && !local.contains("Secure"),
            "{local}"
        );
    }

    #[test]
    fn what_is_no_key_is_none() {
        let home = home(false, false);
        for cookie in [
            "",
            "foldback-8095",
            "foldback-8095=",
            "foldback-8095=../../etc/passwd/1234567890abcdef",
            "foldback-8095=0123456789abcdef0123456789abcdef0",
            "xfoldback-8095=0123456789abcdef0123456789abcdef",
            "foldback-8096=0123456789abcdef0123456789abcdef",
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(COOKIE, cookie.parse().unwrap());
            assert!(SessionKey::of(&headers, &home).is_none(), "{cookie}");
        }
    }
}
