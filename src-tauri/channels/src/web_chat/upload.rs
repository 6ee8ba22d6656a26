//! What a page posts: words as JSON, words with files as a form (<https://www.rfc-editor.org/rfc/rfc7578>). Files go to the disk
//! as they come, and those of a message that is not taken are removed.

use super::entry::ChatFile;
use super::limits;
use super::log::{options, remove_file};
use super::session::random_hex;
use foldback_wire::{Attachment, MessageId};
use http_body_util::{BodyDataStream, BodyExt, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderMap};
use multer::{Field, Multipart};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::io;
use std::path::{Path, PathBuf};
use tokio::fs::File;
use tokio::io::AsyncWriteExt as _;
use tokio::time::timeout;

/// Most characters of a file's name.
const NAME: usize = 120;
/// Most characters of a message's key.
const KEY: usize = 64;

/// Why something is not taken.
#[derive(Debug)]
pub(super) enum Untaken {
    TooLarge,
    TooSlow,
    /// It is not of the form that it is to have.
    Unreadable(String),
    /// It cannot be written down here.
    Unwritten(io::Error),
}

/// A message as it is posted.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Posted {
    /// The page's own name for it: posted again, it is the same message.
    pub(super) key: String,
    pub(super) text: String,
    pub(super) reply_to: Option<MessageId>,
    #[serde(skip)]
    pub(super) files: Vec<Spooled>,
}

/// A file that came in, and is removed unless it is kept.
#[derive(Debug)]
pub(super) struct Spooled {
    entry: ChatFile,
    path: PathBuf,
    is_kept: bool,
}

impl Spooled {
    pub(super) const fn entry(&self) -> &ChatFile {
        &self.entry
    }

    pub(super) fn attachment(&self) -> Attachment {
        Attachment {
            name: self.entry.name.clone(),
            media_type: self.entry.media_type.clone(),
            size: Some(self.entry.size),
            source: Some(self.entry.id.clone()),
        }
    }

    pub(super) const fn keep(&mut self) {
        self.is_kept = true;
    }
}

impl Drop for Spooled {
    fn drop(&mut self) {
        if !self.is_kept {
            remove_file(&self.path);
        }
    }
}

/// Reads a body of JSON.
pub(super) async fn read_json<T: DeserializeOwned>(body: Incoming) -> Result<T, Untaken> {
    let whole = timeout(limits::PIECE, Limited::new(body, limits::WORDS).collect()).await;
    let whole = whole.map_err(|_| Untaken::TooSlow)?.map_err(|error| {
        if error.is::<LengthLimitError>() {
            Untaken::TooLarge
        } else {
            Untaken::Unreadable("the body broke off".into())
        }
    })?;
    serde_json::from_slice(&whole.to_bytes()).map_err(|error| Untaken::Unreadable(error.to_string()))
}

/// Reads a message; its files go to a folder.
pub(super) async fn read_message(
    headers: &HeaderMap,
    body: Incoming,
    folder: &Path,
) -> Result<Posted, Untaken> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let kind = text(CONTENT_TYPE).unwrap_or_default();
    let posted = if let Ok(boundary) = multer::parse_boundary(kind) {
        // Said beforehand, it need not be sent.
        let told: Option<u64> = text(CONTENT_LENGTH).and_then(|length| length.parse().ok());
        if told.is_some_and(|told| told > limits::BODY) {
            return Err(Untaken::TooLarge);
        }
        let body = BodyDataStream::new(Limited::new(
            body,
            usize::try_from(limits::BODY).unwrap_or(usize::MAX),
        ));
        let form = read_form(Multipart::new(body, boundary), folder);
        timeout(limits::UPLOAD, form)
            .await
            .map_err(|_| Untaken::TooSlow)??
    } else if kind.split(';').next() == Some("application/json") {
        read_json(body).await?
    } else {
        return Err(Untaken::Unreadable(
            "a message is JSON or a form with files".into(),
        ));
    };
    let fits = !posted.key.is_empty() && posted.key.len() <= KEY && posted.key.is_ascii();
    if !fits {
        return Err(Untaken::Unreadable(format!(
            "key has 1 to {KEY} ASCII characters"
        )));
    }
    Ok(posted)
}

async fn read_form(mut form: Multipart<'_>, folder: &Path) -> Result<Posted, Untaken> {
    let mut posted = Posted::default();
    loop {
        let next = timeout(limits::PIECE, form.next_field())
            .await
            .map_err(|_| Untaken::TooSlow)?;
        let Some(field) = next.map_err(untaken)? else {
            return Ok(posted);
        };
        match field.name().unwrap_or_default() {
            "key" => posted.key = read_words(field).await?,
            "text" => posted.text = read_words(field).await?,
            "reply_to" => posted.reply_to = Some(read_words(field).await?.into()),
            "file" | "voice" if posted.files.len() == limits::FILES => {
                return Err(Untaken::Unreadable(format!(
                    "a message has at most {} files",
                    limits::FILES
                )));
            }
            name @ ("file" | "voice") => {
                let is_voice = name == "voice";
                posted.files.push(spool(field, folder, is_voice).await?);
            }
            other => {
                let other: String = other.chars().take(NAME).collect();
                return Err(Untaken::Unreadable(format!("there is no field {other:?}")));
            }
        }
    }
}

fn untaken(error: multer::Error) -> Untaken {
    match error {
        multer::Error::StreamReadFailed(error) if error.is::<LengthLimitError>() => Untaken::TooLarge,
        multer::Error::FieldSizeExceeded { .. } | multer::Error::StreamSizeExceeded { .. } => {
            Untaken::TooLarge
        }
        error => Untaken::Unreadable(error.to_string()),
    }
}

/// The next piece of a field.
async fn piece(field: &mut Field<'_>) -> Result<Option<hyper::body::Bytes>, Untaken> {
    let piece = timeout(limits::PIECE, field.chunk()).await;
    piece.map_err(|_| Untaken::TooSlow)?.map_err(untaken)
}

async fn read_words(mut field: Field<'_>) -> Result<String, Untaken> {
    let mut words = Vec::new();
    while let Some(piece) = piece(&mut field).await? {
        words.extend_from_slice(&piece);
        if words.len() > limits::WORDS {
            return Err(Untaken::TooLarge);
        }
    }
    String::from_utf8(words).map_err(|_| Untaken::Unreadable("its text is not UTF-8".into()))
}

async fn spool(mut field: Field<'_>, folder: &Path, voice: bool) -> Result<Spooled, Untaken> {
    let name = file_name(field.file_name().unwrap_or_default());
    let told = field
        .content_type()
        .map(|told| told.essence_str().to_ascii_lowercase());
    let media_type = told
        .filter(|told| !told.is_empty() && told.len() <= NAME)
        .unwrap_or_else(|| {
            mime_guess::from_path(&name)
                .first_or_octet_stream()
                .essence_str()
                .to_owned()
        });
    let id = random_hex::<8>();
    let path = folder.join(&id);
    let file = options()
        .write(true)
        .create_new(true)
        .open(&path)
        .map_err(Untaken::Unwritten)?;
    let mut spooled = Spooled {
        entry: ChatFile {
            id,
            name,
            media_type,
            size: 0,
            voice,
            words: None,
            gone: false,
        },
        path,
        is_kept: false,
    };
    let mut file = File::from_std(file);
    while let Some(piece) = piece(&mut field).await? {
        file.write_all(&piece).await.map_err(Untaken::Unwritten)?;
        spooled.entry.size += piece.len() as u64;
    }
    file.flush().await.map_err(Untaken::Unwritten)?;
    Ok(spooled)
}

/// The last name of a path that a browser tells, without what no name has.
fn file_name(told: &str) -> String {
    let last = told.rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String = last.chars().filter(|c| !c.is_control()).take(NAME).collect();
    let name = name.trim().trim_start_matches('.');
    if name.is_empty() {
        "file".to_owned()
    } else {
        name.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn a_files_name_is_a_name_and_no_path() {
        for (told, name) in [
            ("a.png", "a.png"),
            ("../../etc/passwd", "passwd"),
            ("C:\\Users\\ana\\plan b.pdf", "plan b.pdf"),
            (".bashrc", "bashrc"),
            ("..", "file"),
            ("", "file"),
            ("a\r\nSet-Cookie: b", "aSet-Cookie: b"),
        ] {
            assert_eq!(file_name(told), name, "{told:?}");
        }
        assert_eq!(file_name(&"ä".repeat(500)).chars().count(), 120);
    }
}
