//! The file of a session: whoever has it has the account, so that nobody but the owner of the data folder reads it, nor lists
//! the folder it lies in.

use super::TelegramUserApp;
use crate::kept::KeptFile;
use crate::oauth::digest;
use foldback_wire::ChannelId;
use grammers_session::types::{DcOption, PeerInfo, UpdatesState};
use serde::{Deserialize, Serialize};
use std::fs::{DirBuilder, Permissions, set_permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// The folder of the sessions, below the data folder.
const FOLDER: &str = "telegram_user";

/// The content of a session's file.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct SessionRecord {
    /// The phone number that it was begun with, and the address: others begin another session.
    pub(super) phone: String,
    pub(super) root: String,
    /// The id of the account, once it is signed in.
    pub(super) account: Option<i64>,
    /// The data centre that it is at home in.
    pub(super) home: i32,
    /// Addresses of data centres, with the keys that were agreed on.
    pub(super) centres: Vec<DcOption>,
    /// Access hashes of the people and groups that were met, the oldest first.
    #[serde(default)]
    pub(super) peers: Vec<PeerInfo>,
    /// Counts of the updates that were had.
    #[serde(default)]
    pub(super) updates: UpdatesState,
}

/// The path of a channel's session file, whether there is one or not.
pub fn telegram_session_file(data: &Path, channel: &ChannelId) -> PathBuf {
    let name = channel.as_str();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let name = if !name.is_empty() && name.len() <= 64 && name.chars().all(is_plain) {
        name.to_owned()
    } else {
        format!("channel-{}", digest(&[name.as_bytes()]))
    };
    data.join(FOLDER).join(format!("{name}.json"))
}

/// True where the session at this path is signed in, to whichever account.
pub fn is_signed_in_at(path: &Path) -> bool {
    let kept: io::Result<Option<SessionRecord>> = KeptFile::at(path.to_owned()).read();
    kept.is_ok_and(|kept| kept.is_some_and(|kept| kept.account.is_some()))
}

/// The session of a channel that belongs to this account and address; `None` where there is none.
pub(super) fn read(path: &Path, app: &TelegramUserApp) -> io::Result<Option<SessionRecord>> {
    let kept: Option<SessionRecord> = KeptFile::at(path.to_owned()).read()?;
    Ok(kept.filter(|kept| kept.phone == app.phone && kept.root == app.root.to_string()))
}

pub(super) fn write(path: &Path, kept: &SessionRecord) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        // One that somebody made beforehand may have other rights.
        set_permissions(folder, Permissions::from_mode(0o700))?;
    }
    KeptFile::at(path.to_owned()).write(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_its_owners_alone_and_of_one_account() {
        let data = tempfile::tempdir().unwrap();
        let path = telegram_session_file(data.path(), &"me".into());
        assert!(path.ends_with("telegram_user/me.json"));
        let app = TelegramUserApp::new(
            "7",
            foldback_wire::Secret::new("h"),
            "+4915112345678",
            "tcp://127.0.0.1:1",
        )
        .unwrap();
        assert!(read(&path, &app).unwrap().is_none());
        let kept = SessionRecord {
            phone: app.phone.clone(),
            root: app.root.to_string(),
            ..SessionRecord::default()
        };
        std::fs::create_dir(data.path().join(FOLDER)).unwrap();
        write(&path, &kept).unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        assert!(read(&path, &app).unwrap().is_some() && !is_signed_in_at(&path));
        let signed_in = SessionRecord {
            account: Some(1),
            ..kept
        };
        write(&path, &signed_in).unwrap();
        assert!(is_signed_in_at(&path));
        let other = TelegramUserApp {
            phone: "+4915112345679".into(),
            ..app
        };
        assert!(read(&path, &other).unwrap().is_none());
    }

    #[test]
    fn no_name_of_a_channel_leads_out_of_the_folder() {
        for name in ["../me", "a/b", "", "ä", "."] {
            let path = telegram_session_file(Path::new("/data"), &name.into());
            let file = path.file_name().unwrap().to_str().unwrap();
            assert_eq!(path.parent().unwrap(), Path::new("/data/telegram_user"));
            assert!(file.starts_with("channel-"), "{file}");
        }
    }
}
