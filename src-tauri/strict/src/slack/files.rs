//! The upload in steps: <https://docs.slack.dev/messaging/working-with-files#uploading_files>.

use super::answer::{Answer, refuse};
use super::methods::{Done, written};
use super::request::Arguments;
use super::room::{File, Posted};
use super::rules::{COMPLETE, FILE, UPLOAD};
use super::state::State;
use serde_json::{Value, json};

/// A file on its way.
#[derive(Debug, Default)]
pub(super) struct Upload {
    name: String,
    length: u64,
    bytes: Option<Vec<u8>>,
    /// Where it is shown: conversation, message, thread.
    shown: Option<(String, String, Option<String>)>,
    asked: u32,
}

impl State {
    pub(super) fn place_for_file(&mut self, given: &Arguments) -> Done {
        given.only(&["filename", "length", "snippet_type", "alt_txt"])?;
        let (name, length) = (given.need("filename")?, given.need("length")?);
        let length = length.parse().map_err(|_| refuse(FILE, "invalid_arguments"))?;
        if name.is_empty() || length == 0 {
            return Err(refuse(FILE, "missing_argument"));
        }
        if length > 1_000_000_000 {
            return Err(refuse(FILE, "file_upload_size_restricted"));
        }
        let id = format!("F{:010}", self.serial());
        let upload = Upload {
            name: name.to_owned(),
            length,
            ..Upload::default()
        };
        self.uploads.insert(id.clone(), upload);
        Ok(json!({"upload_url": format!("{}/upload/{id}", self.root), "file_id": id}))
    }

    /// Takes a file's bytes.
    pub(super) fn take(&mut self, id: &str, has_token: bool, bytes: &[u8]) -> Result<String, Answer> {
        let wrong = || refuse(UPLOAD, "upload_failed");
        let upload = self.uploads.get_mut(id).ok_or_else(wrong)?;
        if has_token || upload.bytes.is_some() || bytes.len() as u64 != upload.length {
            return Err(wrong());
        }
        upload.bytes = Some(bytes.to_vec());
        Ok(format!("OK - {}", upload.length))
    }

    pub(super) fn complete(&mut self, given: &Arguments) -> Done {
        given.only(&["files", "channel_id", "thread_ts", "initial_comment"])?;
        let channel = given.need("channel_id")?.to_owned();
        let invalid = || refuse(COMPLETE, "invalid_arguments");
        // The form that Slack names when it refuses one.
        let known = channel.len() >= 9 && channel.starts_with(['C', 'G', 'D', 'Z']);
        let files: Vec<Value> = serde_json::from_str(given.need("files")?).map_err(|_| invalid())?;
        let [file] = files.as_slice() else {
            return Err(invalid());
        };
        let (Some(id), true) = (file["id"].as_str(), known) else {
            return Err(invalid());
        };
        let thread = self.writable(&channel, given)?;
        let upload = self.uploads.get(id).filter(|upload| upload.shown.is_none());
        let (name, bytes) = upload
            .and_then(|upload| Some((upload.name.clone(), upload.bytes.clone()?)))
            .ok_or_else(|| refuse(COMPLETE, "file_not_found"))?;
        let message = Posted {
            thread: thread.clone(),
            file: Some(File { name, bytes }),
            ..written(given.get("initial_comment").unwrap_or_default())?
        };
        let ts = self.show(&channel, message);
        if let Some(upload) = self.uploads.get_mut(id) {
            upload.shown = Some((channel, ts, thread));
        }
        // Where it is shown is not told yet: <https://github.com/slackapi/python-slack-sdk/issues/1363>.
        Ok(json!({"files": [{"id": id, "title": file["title"], "shares": {}}]}))
    }

    pub(super) fn file(&mut self, given: &Arguments) -> Done {
        given.only(&["file"])?;
        let id = given.need("file")?;
        if let Some(file) = self.sent.get(id) {
            let place = || format!("{}/files-pri/{id}", self.root);
            let address = file.elsewhere.clone().unwrap_or_else(place);
            return Ok(
                json!({"file": {"id": id, "size": file.bytes.len(), "url_private_download": address}}),
            );
        }
        let reveal_after = self.reveal_after;
        let upload = self
            .uploads
            .get_mut(id)
            .ok_or_else(|| refuse(FILE, "file_not_found"))?;
        upload.asked += 1;
        let shown = upload.shown.as_ref().filter(|_| upload.asked > reveal_after);
        let shares = shown.map_or(json!({}), |(channel, ts, thread)| {
            let kind = if channel.starts_with('C') {
                "public"
            } else {
                "private"
            };
            let mut place = json!({"ts": ts});
            if let Some(thread) = thread {
                place["thread_ts"] = thread.clone().into();
            }
            json!({kind: {channel: [place]}})
        });
        Ok(json!({"file": {"id": id, "name": upload.name, "shares": shares}}))
    }
}
