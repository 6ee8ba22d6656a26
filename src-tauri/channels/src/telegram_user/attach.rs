//! Files as they are sent: <https://core.telegram.org/api/files#uploading-files>.

use super::TelegramUser;
use super::entity::written;
use super::link::Link;
use super::place::MessagePlace;
use super::refusal::{CallEffect, refusal, says};
use crate::folder::{Meant, OpenFile};
use crate::{Ack, Refusal};
use foldback_wire::{FileKind, RefusalCode};
use grammers_client::{InvocationError, tl};
use std::io;
use std::time::Duration;

/// A photo may have so many bytes; a larger one goes as a file. <https://core.telegram.org/bots/api#sendphoto>
const MAX_PHOTO: u64 = 10_000_000;
/// The time that all parts of a file may take.
const FILE_PATIENCE: Duration = Duration::from_mins(5);

/// The way in which a file is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileForm {
    Picture,
    Voice,
    File,
}

impl FileForm {
    /// The ways to show a file of this kind, the best first.
    fn ways(file: Meant<'_>, is_voice: bool, size: u64) -> &'static [Self] {
        let media_type = mime_guess::from_path(file.path).first_or_octet_stream();
        let is_picture = matches!(media_type.essence_str(), "image/jpeg" | "image/png");
        match file.kind {
            _ if is_voice => &[Self::Voice, Self::File],
            FileKind::Image if is_picture && size <= MAX_PHOTO => &[Self::Picture, Self::File],
            _ => &[Self::File],
        }
    }
}

impl TelegramUser {
    /// Sends a file, and as an ordinary one where somebody takes no voice notes or Telegram cannot show the picture.
    pub(super) async fn send_file(
        &self,
        place: &MessagePlace<'_>,
        file: Meant<'_>,
        is_voice: bool,
        caption: Option<&str>,
    ) -> Result<Ack, Refusal> {
        let open = || self.folder.open_to_send(file, &self.capabilities);
        let ways = FileForm::ways(file, is_voice, open()?.size);
        let link = self.link().await?;
        let (message, entities) = caption.map(written).unwrap_or_default();
        let (mut warning, mut given_up) = (None, None);
        for way in ways {
            let open = open()?;
            let name = open.name.clone();
            let uploaded = upload(&link, open).await;
            let media = media(uploaded.map_err(|refusal| self.placed(refusal))?, &name, *way);
            let request = place.media(media, message.clone(), entities.clone(), &link.session);
            match link.call(&request, CallEffect::Change).await {
                Err(refusal) if takes_another_way(&refusal) => {
                    warning = Some(format!("sent as an ordinary file instead: {}", refusal.detail));
                    given_up = Some(refusal);
                }
                answer => {
                    let ack = self.acknowledge(place, answer, &message, &link).await?;
                    let more_calls = u32::from(warning.is_some());
                    return Ok(Ack {
                        warning,
                        more_calls,
                        ..ack
                    });
                }
            }
        }
        Err(given_up.unwrap_or_else(|| Refusal::new(RefusalCode::Unsupported, "no way to send it")))
    }
}

/// Somebody takes no voice notes from others, or the picture is none that Telegram shows:
/// <https://core.telegram.org/method/messages.sendMedia#possible-errors>.
fn takes_another_way(refusal: &Refusal) -> bool {
    [
        "VOICE_MESSAGES_FORBIDDEN",
        "CHAT_SEND_VOICES_FORBIDDEN",
        "CHAT_SEND_PHOTOS_FORBIDDEN",
        "PHOTO_INVALID_DIMENSIONS",
        "PHOTO_EXT_INVALID",
        "PHOTO_SAVE_FILE_INVALID",
        "IMAGE_PROCESS_FAILED",
    ]
    .iter()
    .any(|word| says(refusal, word))
}

/// A file as it is attached.
fn media(file: tl::enums::InputFile, name: &str, shown: FileForm) -> tl::enums::InputMedia {
    if shown == FileForm::Picture {
        return tl::types::InputMediaUploadedPhoto {
            spoiler: false,
            live_photo: false,
            file,
            stickers: None,
            ttl_seconds: None,
            video: None,
        }
        .into();
    }
    let media_type = mime_guess::from_path(name).first_or_octet_stream();
    let file_name = name.to_owned();
    let mut attributes = vec![tl::types::DocumentAttributeFilename { file_name }.into()];
    let mut mime_type = media_type.essence_str().to_owned();
    if shown == FileForm::Voice {
        // FileForm as a voice note where it is Opus in Ogg: <https://core.telegram.org/api/files#uploading-files>.
        "audio/ogg".clone_into(&mut mime_type);
        let voice = tl::types::DocumentAttributeAudio {
            voice: true,
            duration: 0,
            title: None,
            performer: None,
            waveform: None,
        };
        attributes = vec![voice.into()];
    }
    tl::types::InputMediaUploadedDocument {
        nosound_video: false,
        force_file: shown == FileForm::File,
        spoiler: false,
        file,
        thumb: None,
        mime_type,
        attributes,
        stickers: None,
        video_cover: None,
        video_timestamp: None,
        ttl_seconds: None,
    }
    .into()
}

/// Hands a file over. Nobody sees it yet, so that nothing is done where that fails.
async fn upload(link: &Link, open: OpenFile) -> Result<tl::enums::InputFile, Refusal> {
    let OpenFile { name, size, file, .. } = open;
    let failed = |why: String| Refusal::new(RefusalCode::Rejected, why);
    let length = usize::try_from(size).map_err(|_| failed(format!("{name} is too large")))?;
    if length == 0 {
        return Err(failed(format!(
            "{name} is empty, and Telegram takes no empty files"
        )));
    }
    let mut stream = tokio::fs::File::from_std(file);
    let uploading = Box::pin(link.client.upload_stream(&mut stream, length, name.clone()));
    match tokio::time::timeout(FILE_PATIENCE, uploading).await {
        Ok(Ok(uploaded)) => Ok(uploaded.raw),
        Ok(Err(error)) => Err(not_uploaded(error, &name)),
        Err(_) => Err(Refusal::new(
            RefusalCode::Transient,
            "Telegram takes the file too slowly",
        )),
    }
}

/// The refusal of an upload: of a call in it, or because the file cannot be read.
fn not_uploaded(error: io::Error, name: &str) -> Refusal {
    let why = format!("{name} cannot be read: {error}");
    let inner = error
        .into_inner()
        .and_then(|inner| inner.downcast::<InvocationError>().ok());
    match inner {
        Some(error) => refusal(*error, CallEffect::Nothing),
        None => Refusal::new(RefusalCode::Rejected, why),
    }
}
