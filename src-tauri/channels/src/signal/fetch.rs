//! Files that people send. signal-cli downloads and decrypts them when the message comes, and gives them by their ids:
//! <https://github.com/AsamK/signal-cli/blob/master/man/signal-cli.1.adoc#getattachment>.

use super::SignalCli;
use super::daemon::FILE_PATIENCE;
use super::ids::Chat;
use super::refusal;
use crate::Refusal;
use base64::{Engine as _, prelude::BASE64_STANDARD as BASE64};
use foldback_wire::{Attachment, ChatId, RefusalCode};
use std::io;

/// Bytes of an answer beside the file.
const FRAME: usize = 1_000;

impl SignalCli {
    pub(super) async fn download(
        &self,
        chat: &ChatId,
        file: &Attachment,
        limit: u64,
    ) -> Result<Vec<u8>, Refusal> {
        let refused = |code, why: String| Refusal::new(code, why);
        let id = file.source.as_deref().ok_or_else(Refusal::no_handle)?;
        // signal-cli looks it up as the name of a file in its folder.
        if id.is_empty() || id.contains(['/', '\\']) || id.contains("..") {
            return Err(refused(RefusalCode::Rejected, "its id is none of Signal".into()));
        }
        let mut params = self.parameters();
        params.insert("id".into(), id.into());
        match Chat::of(chat)? {
            Chat::Group(group) => params.insert("groupId".into(), group.into()),
            Chat::Person(person) => params.insert("recipient".into(), person.into()),
        };
        // In base64, three bytes are four.
        let most = usize::try_from(limit.div_ceil(3).saturating_mul(4)).unwrap_or(usize::MAX);
        let link = self.daemon.connect().await?;
        let mut link = link.for_a_line_of(most.saturating_add(FRAME));
        let call = link.call("getAttachment", &params, drop);
        let answer = match self.daemon.in_time(call, FILE_PATIENCE).await {
            None => {
                return Err(refused(
                    RefusalCode::Transient,
                    "signal-cli does not hand it over".into(),
                ));
            }
            Some(Err(error)) if error.kind() == io::ErrorKind::FileTooLarge => {
                return Err(Refusal::too_large(limit));
            }
            Some(Err(error)) => {
                let why = format!("signal-cli did not hand it over: {error}");
                return Err(refused(RefusalCode::Transient, why));
            }
            Some(Ok(answer)) => answer.map_err(|fault| refusal::about_file(&fault))?,
        };
        let bytes = answer["data"].as_str().and_then(|data| BASE64.decode(data).ok());
        let strange = || refused(RefusalCode::Rejected, "signal-cli answered something else".into());
        let bytes = bytes.ok_or_else(strange)?;
        if bytes.len() as u64 > limit {
            return Err(Refusal::too_large(limit));
        }
        Ok(bytes)
    }
}
