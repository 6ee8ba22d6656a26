//! Files: <https://developers.facebook.com/documentation/business-messaging/whatsapp/business-phone-numbers/media#upload-media>.

use super::chat::Media;
use super::request::{Answer, refuse};
use super::rules::{PARAMETER, PRODUCT, UPLOAD, UPLOAD_SIZE, UPLOAD_TYPE};
use axum::body::Body;
use axum::extract::{FromRequest, Multipart, Request};

/// The media types, and the most bytes of each.
const TYPES: [(&str, usize); 18] = [
    ("audio/aac", 16_000_000),
    ("audio/amr", 16_000_000),
    ("audio/mpeg", 16_000_000),
    ("audio/mp4", 16_000_000),
    ("audio/ogg", 16_000_000),
    ("image/jpeg", 5_000_000),
    ("image/png", 5_000_000),
    ("image/webp", 500_000),
    ("video/mp4", 16_000_000),
    ("video/3gpp", 16_000_000),
    ("text/plain", 100_000_000),
    ("application/pdf", 100_000_000),
    ("application/msword", 100_000_000),
    ("application/vnd.ms-excel", 100_000_000),
    ("application/vnd.ms-powerpoint", 100_000_000),
    (
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        100_000_000,
    ),
    (
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        100_000_000,
    ),
    (
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        100_000_000,
    ),
];

/// Reads an upload, or says what is wrong with it.
pub(super) async fn read(request: Request<Body>) -> Result<Media, Answer> {
    let wrong = || refuse(UPLOAD, 100, "The body is no multipart/form-data");
    let mut parts = Multipart::from_request(request, &()).await.map_err(|_| wrong())?;
    let (mut product, mut kind, mut file) = (None, None, None);
    while let Some(part) = parts.next_field().await.map_err(|_| wrong())? {
        let name = part.name().unwrap_or_default().to_owned();
        match name.as_str() {
            "messaging_product" => product = Some(part.text().await.map_err(|_| wrong())?),
            "type" => kind = Some(part.text().await.map_err(|_| wrong())?),
            "file" => {
                let mime = part.content_type().unwrap_or_default().to_owned();
                let name = part.file_name().unwrap_or_default().to_owned();
                let bytes = part.bytes().await.map_err(|_| wrong())?.to_vec();
                file = Some(Media { mime, name, bytes });
            }
            _ => {
                return Err(refuse(
                    PARAMETER,
                    100,
                    format!("Unexpected key \"{name}\" on param."),
                ));
            }
        }
    }
    if product.as_deref() != Some("whatsapp") {
        return Err(refuse(
            PRODUCT,
            100,
            "The parameter messaging_product is required.",
        ));
    }
    let file = file.ok_or_else(|| refuse(UPLOAD, 100, "The parameter file is required."))?;
    let Some((_, most)) = TYPES.iter().find(|(known, _)| *known == file.mime) else {
        let why = format!("Received file of type '{}'.", file.mime);
        return Err(refuse(UPLOAD_TYPE, 100, why));
    };
    if kind.is_none_or(|kind| kind != file.mime) {
        return Err(refuse(
            UPLOAD,
            100,
            "The parameter type is not the type of the file.",
        ));
    }
    if file.name.is_empty() || file.bytes.is_empty() {
        return Err(refuse(UPLOAD, 100, "The file has no name or is empty."));
    }
    if file.bytes.len() > *most {
        return Err(refuse(
            UPLOAD_SIZE,
            131_053,
            format!("The file has more than {most} bytes."),
        ));
    }
    Ok(file)
}
