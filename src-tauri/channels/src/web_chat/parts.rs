//! The parts of the page: what everybody may load, without a session.

use super::answer::{self, PageAnswer};
use hyper::StatusCode;
use hyper::header::{HeaderName, HeaderValue};

/// Path, media type and text of each.
const PAGES: [(&str, &str, &str); 5] = [
    ("/", "text/html; charset=utf-8", include_str!("page/index.html")),
    (
        "/chat.css",
        "text/css; charset=utf-8",
        include_str!("page/chat.css"),
    ),
    ("/chat.js", SCRIPT, include_str!("page/chat.js")),
    ("/markdown.js", SCRIPT, include_str!("page/markdown.js")),
    (BUTTON, SCRIPT, include_str!("page/foldback.js")),
];
const SCRIPT: &str = "text/javascript; charset=utf-8";
/// The script that other sites load.
const BUTTON: &str = "/foldback.js";

/// The part of this path.
pub(super) fn part(path: &str) -> Option<PageAnswer> {
    let (at, media_type, text) = PAGES.iter().find(|(at, ..)| *at == path)?;
    let mut answer = answer::of(StatusCode::OK, media_type, *text);
    if *at == BUTTON {
        let all = HeaderValue::from_static("cross-origin");
        let name = HeaderName::from_static("cross-origin-resource-policy");
        answer.headers_mut().insert(name, all);
    }
    Some(answer)
}
