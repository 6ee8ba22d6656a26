//! Files: <https://core.telegram.org/api/files>.

use super::answers::{CallRefusal, CallResult, answered, refused, wrong};
use super::peers::blank;
use super::rules::{CHUNK, FILE, LOCATION, PART};
use super::state::{State, StoredFile, StoredMessage, seconds};
use grammers_tl_types::{enums, functions, types};

/// Greatest part: <https://core.telegram.org/api/files#uploading-files>.
const PART_SIZE: usize = 512 * 1_024;
/// <https://core.telegram.org/api/files#downloading-files>
const GRAIN: i64 = 4 * 1_024;
const MOST: i64 = 1 << 20;
/// What a location is asked with, until it expires.
const REFERENCE: &[u8] = b"reference";
/// The data centre of everything.
const HOME: i32 = 2;

/// Name, type and content.
type File = (String, String, Vec<u8>);

fn hash(handle: i64) -> i64 {
    handle ^ 0x5151
}

impl State {
    pub(super) fn save_part(&mut self, asked: &functions::upload::SaveFilePart) -> CallResult {
        self.keep_part(asked.file_id, asked.file_part, &asked.bytes)
    }

    pub(super) fn save_big_part(&mut self, asked: &functions::upload::SaveBigFilePart) -> CallResult {
        self.keep_part(asked.file_id, asked.file_part, &asked.bytes)
    }

    fn keep_part(&mut self, file: i64, part: i32, bytes: &[u8]) -> CallResult {
        if bytes.is_empty() || bytes.len() > PART_SIZE || !(0..4_000).contains(&part) {
            return Err(wrong(PART, 400, "FILE_PART_INVALID"));
        }
        let parts = self.parts.entry(file).or_default();
        parts.insert(part, bytes.to_vec());
        answered(&true)
    }

    /// The file of what is to be sent, and whether it is a voice note.
    pub(super) fn uploaded(&mut self, media: &enums::InputMedia) -> Result<(File, bool), CallRefusal> {
        let (file, media_type, attributes) = match media {
            enums::InputMedia::UploadedPhoto(photo) => (&photo.file, "image/jpeg", &[][..]),
            enums::InputMedia::UploadedDocument(document) => (
                &document.file,
                document.mime_type.as_str(),
                &document.attributes[..],
            ),
            _ => return Err(wrong(FILE, 400, "MEDIA_INVALID")),
        };
        let (id, parts, name) = match file {
            enums::InputFile::File(file) => (file.id, file.parts, &file.name),
            enums::InputFile::Big(file) => (file.id, file.parts, &file.name),
            enums::InputFile::StoryDocument(_) => return Err(wrong(FILE, 400, "MEDIA_INVALID")),
        };
        let saved = self.parts.remove(&id).unwrap_or_default();
        if saved.is_empty() || !saved.keys().copied().eq(0..parts) {
            return Err(wrong(FILE, 400, "FILE_PARTS_INVALID"));
        }
        let size = saved[&0].len();
        let is_even = |(at, bytes): (usize, &Vec<u8>)| at + 1 == saved.len() || bytes.len() == size;
        let is_whole = size.is_multiple_of(1_024) && PART_SIZE.is_multiple_of(size);
        if !saved.values().enumerate().all(is_even) || (saved.len() > 1 && !is_whole) {
            return Err(wrong(PART, 400, "FILE_PART_SIZE_INVALID"));
        }
        let is_voice = |attribute: &enums::DocumentAttribute| matches!(attribute, enums::DocumentAttribute::Audio(audio) if audio.voice);
        let named = attributes.iter().find_map(|attribute| match attribute {
            enums::DocumentAttribute::Filename(name) => Some(name.file_name.clone()),
            _ => None,
        });
        let bytes = saved.into_values().flatten().collect();
        let file = (
            named.unwrap_or_else(|| name.clone()),
            media_type.to_owned(),
            bytes,
        );
        Ok((file, attributes.iter().any(is_voice)))
    }

    /// Makes a file one that can be asked for.
    pub(super) fn hand_out(&mut self, file: &File) -> i64 {
        let handle = 7_000 + self.files.len() as i64;
        let kept = StoredFile {
            bytes: file.2.clone(),
            reference: REFERENCE.to_vec(),
        };
        self.files.insert(handle, kept);
        handle
    }

    /// The file of a message as the API writes it.
    pub(super) fn media(&self, stored: &StoredMessage) -> Option<enums::MessageMedia> {
        let (id, (name, media_type, bytes)) = (stored.handle?, stored.file.as_ref()?);
        let file_reference = self.files.get(&id)?.reference.clone();
        if media_type == "image/jpeg" {
            let size = types::PhotoSize {
                r#type: "y".into(),
                w: 10,
                h: 10,
                size: bytes.len() as i32,
            };
            let photo = types::Photo {
                has_stickers: false,
                id,
                access_hash: hash(id),
                file_reference,
                date: seconds(),
                sizes: vec![size.into()],
                video_sizes: None,
                dc_id: HOME,
            };
            let blank: types::MessageMediaPhoto = blank()?;
            let photo = Some(photo.into());
            return Some(types::MessageMediaPhoto { photo, ..blank }.into());
        }
        let mut attributes: Vec<enums::DocumentAttribute> = Vec::new();
        if stored.is_voice {
            let blank: types::DocumentAttributeAudio = blank()?;
            attributes.push(types::DocumentAttributeAudio { voice: true, ..blank }.into());
        } else {
            let file_name = name.clone();
            attributes.push(types::DocumentAttributeFilename { file_name }.into());
        }
        let document = types::Document {
            id,
            access_hash: hash(id),
            file_reference,
            date: seconds(),
            mime_type: media_type.clone(),
            size: bytes.len() as i64,
            thumbs: None,
            video_thumbs: None,
            dc_id: HOME,
            attributes,
        };
        let blank: types::MessageMediaDocument = blank()?;
        Some(
            types::MessageMediaDocument {
                voice: stored.is_voice,
                document: Some(document.into()),
                ..blank
            }
            .into(),
        )
    }

    pub(super) fn get_file(&mut self, asked: &functions::upload::GetFile) -> CallResult {
        let limit = i64::from(asked.limit);
        if asked.offset < 0 || asked.offset % GRAIN != 0 {
            return Err(wrong(CHUNK, 400, "OFFSET_INVALID"));
        }
        if limit <= 0 || limit % GRAIN != 0 || MOST % limit != 0 {
            return Err(wrong(CHUNK, 400, "LIMIT_INVALID"));
        }
        let (id, access_hash, reference) = match &asked.location {
            enums::InputFileLocation::InputDocumentFileLocation(at) => {
                (at.id, at.access_hash, &at.file_reference)
            }
            enums::InputFileLocation::InputPhotoFileLocation(at) if at.thumb_size == "y" => {
                (at.id, at.access_hash, &at.file_reference)
            }
            _ => return Err(wrong(LOCATION, 400, "LOCATION_INVALID")),
        };
        let Some(kept) = self.files.get(&id).filter(|_| access_hash == hash(id)) else {
            return Err(wrong(LOCATION, 400, "LOCATION_INVALID"));
        };
        if kept.reference != *reference {
            // Any reference expires: <https://core.telegram.org/api/file-references>.
            return Err(refused(400, "FILE_REFERENCE_EXPIRED"));
        }
        let length = kept.bytes.len();
        let from = usize::try_from(asked.offset).unwrap_or(length).min(length);
        let to = length.min(from + asked.limit as usize);
        answered(&enums::upload::File::File(types::upload::File {
            r#type: enums::storage::FileType::FileUnknown,
            mtime: 0,
            bytes: kept.bytes[from..to].to_vec(),
        }))
    }
}
