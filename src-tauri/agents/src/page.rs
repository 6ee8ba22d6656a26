//! The text of a page.

/// Columns of a page's text; long lines are broken there.
const COLUMNS: usize = 120;

/// Form of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Page {
    Html,
    Plain,
}

impl Page {
    /// The page of a media type; `None` for what is no text.
    pub(crate) fn of(media_type: &str) -> Option<Self> {
        match media_type {
            "text/html" | "application/xhtml+xml" => Some(Self::Html),
            "application/json" | "application/xml" => Some(Self::Plain),
            other if other.starts_with("text/") || other.ends_with("+json") || other.ends_with("+xml") => {
                Some(Self::Plain)
            }
            _ => None,
        }
    }

    /// Its text, without markup where it has one.
    pub(crate) fn text(self, body: &[u8]) -> String {
        let rendered = match self {
            // One that cannot be rendered is read as it is.
            Self::Html => html2text::config::plain().string_from_read(body, COLUMNS).ok(),
            Self::Plain => None,
        };
        let text = rendered.unwrap_or_else(|| String::from_utf8_lossy(body).into_owned());
        text.trim().to_owned()
    }
}
