//! Files that people send: <https://core.telegram.org/api/files#downloading-files>. Where one lies is told with its message,
//! and for some hours only (<https://core.telegram.org/api/file-references>); after that its message is asked for again.

use super::TelegramUser;
use super::link::{Link, PATIENCE};
use super::peers::Chat;
use super::refusal::{CallEffect, refusal, says};
use crate::Refusal;
use base64::{Engine as _, prelude::BASE64_STANDARD as BASE64};
use foldback_wire::{Attachment, RefusalCode};
use grammers_client::{InvocationError, tl};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Bytes that are asked for at once; 1 MB is divisible by them.
const CHUNK: i32 = 512 * 1_024;
/// The time that all of a file may take.
const FILE_PATIENCE: Duration = Duration::from_mins(2);
/// Most data centres that a file is looked for in.
const MOST_MOVES: u32 = 3;

/// The handle of an attachment, by which its file is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Location {
    /// The chat and the message that it came with.
    chat: i64,
    message: i32,
    id: i64,
    hash: i64,
    /// In base64.
    reference: String,
    /// The size of a picture, by its letter; none of another file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    size: Option<String>,
    centre: i32,
}

impl Location {
    fn named(&self) -> Option<tl::enums::InputFileLocation> {
        let file_reference = BASE64.decode(&self.reference).ok()?;
        let (id, access_hash) = (self.id, self.hash);
        Some(match self.size.clone() {
            Some(thumb_size) => tl::types::InputPhotoFileLocation {
                id,
                access_hash,
                file_reference,
                thumb_size,
            }
            .into(),
            None => tl::types::InputDocumentFileLocation {
                id,
                access_hash,
                file_reference,
                thumb_size: String::new(),
            }
            .into(),
        })
    }
}

/// The file in a message; `None` where it holds something else, such as a preview of a link.
pub(super) fn attachment(media: &tl::enums::MessageMedia, chat: i64, message: i32) -> Option<Attachment> {
    let (name, media_type, size, location) = match media {
        tl::enums::MessageMedia::Photo(media) => {
            let Some(tl::enums::Photo::Photo(photo)) = &media.photo else {
                return None;
            };
            let (letter, size) = largest(&photo.sizes)?;
            let location = Location {
                chat,
                message,
                id: photo.id,
                hash: photo.access_hash,
                reference: BASE64.encode(&photo.file_reference),
                size: Some(letter),
                centre: photo.dc_id,
            };
            ("photo.jpg".to_owned(), "image/jpeg".to_owned(), size, location)
        }
        tl::enums::MessageMedia::Document(media) => {
            let Some(tl::enums::Document::Document(document)) = &media.document else {
                return None;
            };
            let location = Location {
                chat,
                message,
                id: document.id,
                hash: document.access_hash,
                reference: BASE64.encode(&document.file_reference),
                size: None,
                centre: document.dc_id,
            };
            let size = u64::try_from(document.size).ok();
            (name(document), document.mime_type.clone(), size, location)
        }
        _ => return None,
    };
    Some(Attachment {
        name,
        media_type,
        size,
        source: serde_json::to_string(&location).ok(),
    })
}

/// The name of a document, or one after its kind.
fn name(document: &tl::types::Document) -> String {
    let mut kind = "document";
    for attribute in &document.attributes {
        match attribute {
            tl::enums::DocumentAttribute::Filename(name) if !name.file_name.is_empty() => {
                return name.file_name.clone();
            }
            tl::enums::DocumentAttribute::Audio(audio) if audio.voice => kind = "voice.ogg",
            tl::enums::DocumentAttribute::Audio(_) => kind = "audio.mp3",
            tl::enums::DocumentAttribute::Video(_) => kind = "video.mp4",
            tl::enums::DocumentAttribute::Sticker(_) => kind = "sticker.webp",
            _ => {}
        }
    }
    kind.to_owned()
}

/// The largest size of a picture, by its letter, and its bytes.
fn largest(sizes: &[tl::enums::PhotoSize]) -> Option<(String, Option<u64>)> {
    let found = sizes.iter().filter_map(|size| match size {
        tl::enums::PhotoSize::Size(size) => Some((&size.r#type, size.size)),
        tl::enums::PhotoSize::Progressive(size) => Some((&size.r#type, *size.sizes.iter().max()?)),
        _ => None,
    });
    let (letter, size) = found.max_by_key(|(_, size)| *size)?;
    Some((letter.clone(), u64::try_from(size).ok()))
}

impl TelegramUser {
    pub(super) async fn download(&self, file: &Attachment, limit: u64) -> Result<Vec<u8>, Refusal> {
        let source = file.source.as_deref().ok_or_else(Refusal::no_handle)?;
        let strange = || Refusal::new(RefusalCode::Rejected, "its handle is none of Telegram");
        let location: Location = serde_json::from_str(source).map_err(|_| strange())?;
        if file.size.is_some_and(|size| size > limit) {
            return Err(Refusal::too_large(limit));
        }
        let link = self.link().await?;
        let work = async {
            let named = location.named().ok_or_else(strange)?;
            match pieces(&link, named, location.centre, limit).await {
                Err(refusal) if says(&refusal, "FILE_REFERENCE_EXPIRED") => {
                    let anew = self.located(&link, &location).await?;
                    let named = anew.named().ok_or_else(strange)?;
                    pieces(&link, named, anew.centre, limit).await
                }
                fetched => fetched,
            }
        };
        match tokio::time::timeout(FILE_PATIENCE, work).await {
            Ok(Err(refusal)) if refusal.unsent => Err(self.unreached(refusal)),
            Ok(fetched) => fetched,
            Err(_) => Err(Refusal::new(
                RefusalCode::Transient,
                "Telegram does not hand it over",
            )),
        }
    }

    /// The present place of a file, by its message.
    async fn located(&self, link: &Link, location: &Location) -> Result<Location, Refusal> {
        let gone = || Refusal::new(RefusalCode::Gone, "the message that it came with is gone");
        let chat = Chat::of_number(location.chat).ok_or_else(gone)?;
        let found = link.messages(chat, location.message).await?;
        let message = found.messages.into_iter().find_map(|message| match message {
            tl::enums::Message::Message(message) if message.id == location.message => Some(message),
            _ => None,
        });
        let media = message.and_then(|message| message.media).ok_or_else(gone)?;
        let file = attachment(&media, location.chat, location.message).ok_or_else(gone)?;
        let source = file.source.as_deref().unwrap_or_default();
        serde_json::from_str(source).map_err(|_| gone())
    }
}

/// A file, piece by piece, from the data centre that has it.
async fn pieces(
    link: &Link,
    location: tl::enums::InputFileLocation,
    centre: i32,
    limit: u64,
) -> Result<Vec<u8>, Refusal> {
    let mut request = tl::functions::upload::GetFile {
        precise: false,
        cdn_supported: false,
        location,
        offset: 0,
        limit: CHUNK,
    };
    let (mut centre, mut moves, mut bytes) = (centre, 0, Vec::new());
    loop {
        let asked = link.client.invoke_in_dc(centre, &request);
        let answer = tokio::time::timeout(PATIENCE, asked).await;
        match answer {
            Ok(Ok(tl::enums::upload::File::File(piece))) => {
                let is_last = piece.bytes.len() < CHUNK as usize;
                if (bytes.len() + piece.bytes.len()) as u64 > limit {
                    return Err(Refusal::too_large(limit));
                }
                bytes.extend(piece.bytes);
                if is_last {
                    return Ok(bytes);
                }
                request.offset += i64::from(CHUNK);
            }
            Ok(Ok(tl::enums::upload::File::CdnRedirect(_))) => {
                let why = "Telegram keeps it at a place that nothing is fetched from";
                return Err(Refusal::new(RefusalCode::Unsupported, why));
            }
            // 303: <https://core.telegram.org/api/datacenter>
            Ok(Err(InvocationError::Rpc(error))) if error.code == 303 && moves < MOST_MOVES => {
                moves += 1;
                centre = error
                    .value
                    .and_then(|id| i32::try_from(id).ok())
                    .unwrap_or(centre);
            }
            Ok(Err(InvocationError::Rpc(error)))
                if error.is("AUTH_KEY_UNREGISTERED") && !link.is_home(centre) && moves < MOST_MOVES =>
            {
                moves += 1;
                link.enter(centre).await?;
            }
            Ok(Err(error)) => return Err(refusal(error, CallEffect::Nothing)),
            Err(_) => {
                return Err(Refusal::new(
                    RefusalCode::Transient,
                    "Telegram does not hand it over",
                ));
            }
        }
    }
}

impl Link {
    /// True of the data centre that the account is at home in.
    fn is_home(&self, centre: i32) -> bool {
        grammers_session::Session::home_dc_id(self.session.as_ref()).is_ok_and(|home| home == centre)
    }

    /// Signs in to another data centre by the home of the account: <https://core.telegram.org/api/datacenter#authorization-transfer>.
    async fn enter(&self, centre: i32) -> Result<(), Refusal> {
        let export = tl::functions::auth::ExportAuthorization { dc_id: centre };
        let tl::enums::auth::ExportedAuthorization::Authorization(exported) =
            self.call(&export, CallEffect::Nothing).await?;
        let import = tl::functions::auth::ImportAuthorization {
            id: exported.id,
            bytes: exported.bytes,
        };
        let entered = self.client.invoke_in_dc(centre, &import).await;
        entered
            .map(drop)
            .map_err(|error| refusal(error, CallEffect::Nothing))
    }
}
