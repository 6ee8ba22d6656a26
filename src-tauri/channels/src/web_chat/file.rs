//! Files of a conversation, as pages load them. A file is found in its conversation and never by a path. What a browser could
//! run is only handed over to be stored; pictures, sounds and films are shown, in parts where that is asked for, as players do
//! (<https://www.rfc-editor.org/rfc/rfc9110#name-range-requests>).

use super::answer::{self, PageAnswer, PageBody};
use super::conversation::Conversation;
use super::entry::ChatFile;
use futures::TryStreamExt as _;
use http_body_util::{BodyExt as _, StreamBody};
use hyper::body::Frame;
use hyper::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_RANGE,
    CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RANGE,
};
use hyper::{Response, StatusCode};
use std::fmt::Write as _;
use std::io::SeekFrom;
use std::ops::RangeInclusive;
use tokio::fs::File;
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _};
use tokio_util::io::ReaderStream;

/// Types that are shown: none of them can hold a script.
const SHOWN: [&str; 19] = [
    "image/png",
    "image/jpeg",
    "image/gif",
    "image/webp",
    "image/avif",
    "audio/ogg",
    "audio/opus",
    "audio/mpeg",
    "audio/mp4",
    "audio/aac",
    "audio/webm",
    "audio/wav",
    "audio/x-wav",
    "audio/flac",
    "audio/x-m4a",
    "video/mp4",
    "video/webm",
    "video/ogg",
    "application/ogg",
];

/// Answers a request for the file of this id.
pub(super) async fn hand_over(conversation: &Conversation, id: &str, asked: &HeaderMap) -> PageAnswer {
    let found = {
        let state = conversation.state();
        state
            .file(id)
            .map(|file| (file.clone(), state.log().file(&file.id)))
    };
    let none = || {
        answer::say(
            StatusCode::NOT_FOUND,
            "There is no such file in this conversation.",
        )
    };
    let Some((entry, path)) = found else {
        return none();
    };
    let Ok(mut file) = File::open(&path).await else {
        return none();
    };
    let (status, part) = match asked.get(RANGE).and_then(|range| range.to_str().ok()) {
        None => (StatusCode::OK, 0..=entry.size.saturating_sub(1)),
        Some(range) => match part_of(range, entry.size) {
            Some(part) => (StatusCode::PARTIAL_CONTENT, part),
            None => return unsatisfiable(entry.size),
        },
    };
    let length = if entry.size == 0 {
        0
    } else {
        part.end() - part.start() + 1
    };
    if file.seek(SeekFrom::Start(*part.start())).await.is_err() {
        return none();
    }
    let pieces = ReaderStream::new(file.take(length)).map_ok(Frame::data);
    let body: PageBody = StreamBody::new(pieces).boxed_unsync();
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let mut set = |name: HeaderName, value: String| {
        if let Ok(value) = HeaderValue::try_from(value) {
            response.headers_mut().insert(name, value);
        }
    };
    let (media_type, disposition) = shown_as(&entry);
    set(CONTENT_TYPE, media_type);
    set(CONTENT_DISPOSITION, disposition);
    set(CONTENT_LENGTH, length.to_string());
    set(ACCEPT_RANGES, "bytes".to_owned());
    // Behind an id there is never another file.
    set(CACHE_CONTROL, "private, max-age=31536000, immutable".to_owned());
    set(CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox".to_owned());
    if status == StatusCode::PARTIAL_CONTENT {
        set(
            CONTENT_RANGE,
            format!("bytes {}-{}/{}", part.start(), part.end(), entry.size),
        );
    }
    response
}

fn unsatisfiable(size: u64) -> PageAnswer {
    let mut response = answer::say(StatusCode::RANGE_NOT_SATISFIABLE, "The file has no such part.");
    if let Ok(value) = HeaderValue::try_from(format!("bytes */{size}")) {
        response.headers_mut().insert(CONTENT_RANGE, value);
    }
    response
}

/// The type, and whether it is shown or stored, under its name (<https://www.rfc-editor.org/rfc/rfc6266>).
fn shown_as(file: &ChatFile) -> (String, String) {
    let is_shown = SHOWN.contains(&file.media_type.as_str());
    let media_type = if is_shown {
        file.media_type.as_str()
    } else {
        "application/octet-stream"
    };
    let how = if is_shown { "inline" } else { "attachment" };
    let name = file.name.bytes().fold(String::new(), |mut name, byte| {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-') {
            name.push(char::from(byte));
        } else {
            // Writing into a string cannot fail.
            let _ = write!(name, "%{byte:02X}");
        }
        name
    });
    (media_type.to_owned(), format!("{how}; filename*=UTF-8''{name}"))
}

/// The one part of a file that is asked for; `None` where there is no such part.
fn part_of(range: &str, size: u64) -> Option<RangeInclusive<u64>> {
    let (first, last) = range.strip_prefix("bytes=")?.split_once('-')?;
    let end = size.checked_sub(1)?;
    let part = match (first, last) {
        ("", last) => size.saturating_sub(last.parse().ok().filter(|length| *length > 0)?)..=end,
        (first, "") => first.parse().ok()?..=end,
        (first, last) => first.parse().ok()?..=last.parse::<u64>().ok()?.min(end),
    };
    (!part.is_empty()).then_some(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_lies_in_the_file() {
        for (range, part) in [
            ("bytes=0-", Some(0..=9)),
            ("bytes=3-5", Some(3..=5)),
            ("bytes=3-99", Some(3..=9)),
            ("bytes=-4", Some(6..=9)),
            ("bytes=-99", Some(0..=9)),
            ("bytes=10-", None),
            ("bytes=5-3", None),
            ("bytes=-0", None),
            ("bytes=0-1,4-5", None),
            ("items=0-1", None),
            ("bytes=-18446744073709551616", None),
        ] {
            assert_eq!(part_of(range, 10), part, "{range}");
        }
        assert_eq!(part_of("bytes=0-", 0), None);
    }

    #[test]
    fn what_could_run_is_only_stored() {
        let file = |name: &str, media_type: &str| ChatFile {
            id: "1".into(),
            name: name.into(),
            media_type: media_type.into(),
            size: 1,
            voice: false,
            words: None,
            gone: false,
        };
        let shown = shown_as(&file("a b\".png", "image/png"));
        assert_eq!(
            shown,
            ("image/png".into(), "inline; filename*=UTF-8''a%20b%22.png".into())
        );
        for media_type in [
            "text/html",
            "image/svg+xml",
            "text/xml",
            "application/pdf",
            "text/javascript",
            "",
        ] {
            let (told, how) = shown_as(&file("a", media_type));
            assert_eq!(told, "application/octet-stream", "{media_type}");
            assert!(how.starts_with("attachment"), "{media_type}");
        }
    }
}
