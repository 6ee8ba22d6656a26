//! The type of a file: by what the platform says, and by its first bytes, which go before.

/// Media type of a file of which nothing better is known.
const UNKNOWN: &str = "application/octet-stream";

/// True where a file begins so.
type Begins = fn(&[u8]) -> bool;

/// The types that are known by their first bytes.
const KNOWN: &[(&str, Begins)] = &[
    ("image/png", |bytes| bytes.starts_with(b"\x89PNG\r\n\x1a\n")),
    ("image/jpeg", |bytes| bytes.starts_with(b"\xff\xd8\xff")),
    ("image/gif", |bytes| {
        bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a")
    }),
    ("image/webp", |bytes| {
        bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP")
    }),
    ("application/pdf", |bytes| bytes.starts_with(b"%PDF-")),
];

/// A type as it is compared: without parameters, in small letters, by its usual name.
pub(super) fn essence(told: &str) -> String {
    let essence = told
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    match essence.as_str() {
        "image/jpg" | "image/pjpeg" => "image/jpeg".to_owned(),
        "application/x-pdf" => "application/pdf".to_owned(),
        _ => essence,
    }
}

/// True where it is a picture as models read them.
pub(super) fn is_picture(media_type: &str) -> bool {
    media_type.starts_with("image/") && KNOWN.iter().any(|(known, _)| *known == media_type)
}

/// The type of a file of these bytes that the platform calls `told`, and the words where that is another type.
pub(super) fn judge(told: &str, bytes: &[u8]) -> (String, Option<String>) {
    let told = essence(told);
    let found = KNOWN.iter().find(|(_, is)| is(bytes)).map(|(known, _)| *known);
    match found {
        Some(found) if told == found || told == UNKNOWN => (found.to_owned(), None),
        Some(found) => {
            let why = format!("the platform said {told}, but its bytes are {found}");
            (found.to_owned(), Some(why))
        }
        None if KNOWN.iter().any(|(known, _)| *known == told) => {
            let why = format!("the platform said {told}, but its bytes are not");
            (UNKNOWN.to_owned(), Some(why))
        }
        None => (told, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_go_before_what_is_told() {
        const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0";
        for (told, bytes, is, fine) in [
            ("image/png", PNG, "image/png", true),
            ("Image/PNG; x=y", PNG, "image/png", true),
            ("application/octet-stream", PNG, "image/png", true),
            ("image/jpg", &b"\xff\xd8\xff\xe0"[..], "image/jpeg", true),
            ("image/gif", b"GIF89a..", "image/gif", true),
            ("image/webp", b"RIFF\x04\0\0\0WEBPVP8 ", "image/webp", true),
            ("application/pdf", b"%PDF-1.7", "application/pdf", true),
            ("text/plain", b"hello", "text/plain", true),
            ("audio/wav", b"RIFF\x04\0\0\0WAVE", "audio/wav", true),
            ("image/svg+xml", b"<svg/>", "image/svg+xml", true),
            ("image/png", b"\xff\xd8\xff", "image/jpeg", false),
            ("text/plain", b"%PDF-1.7", "application/pdf", false),
            ("image/png", b"<html>", UNKNOWN, false),
            ("image/png", b"", UNKNOWN, false),
            ("image/webp", b"RIFF", UNKNOWN, false),
        ] {
            let (found, why) = judge(told, bytes);
            assert_eq!((found.as_str(), why.is_none()), (is, fine), "{told}: {why:?}");
        }
    }

    #[test]
    fn pictures_are_what_models_read() {
        assert!(is_picture("image/webp") && is_picture("image/jpeg"));
        assert!(!is_picture("image/svg+xml") && !is_picture("application/pdf"));
    }
}
