//! Files that Foldback itself made to be sent (speech, the rest of a long answer), in a folder of our own below the one
//! that files are sent from, until their operation has an outcome.
//! Each journal has one of its own in it: the folder hangs on the configuration and the journal may not, so that two
//! processes with one configuration and two journals must not take each other's files for left ones.

use super::{SendDir, Sendable};
use foldback_channels::{FileRefusal, Left, check_size, size_limit};
use foldback_wire::{Capabilities, FileKind, Operation};
use ring::digest::{SHA256, digest};
use std::{
    fmt::Write as _,
    path::{Component, Path},
    time::Duration,
};

/// The folder, named for its first use. Older versions put the files directly into it, whatever the journal.
const SPOKEN: &str = ".voice";
/// The folder in it for the journals that forget: their process is the only one.
const FORGETFUL: &str = "memory";
/// Bytes of a digest that tell journals apart.
const DISTINCT: usize = 8;
/// The time for which what an older version left may still be waited for by a journal that is not ours.
const WAITED_FOR: Duration = Duration::from_hours(7 * 24);

/// The folder of what is spoken for the operations of a journal.
pub(super) fn folder_of(journal: Option<&Path>) -> String {
    let mut folder = format!("{SPOKEN}/");
    let Some(journal) = journal else {
        return folder + FORGETFUL;
    };
    let digest = digest(&SHA256, journal.as_os_str().as_encoded_bytes());
    for byte in &digest.as_ref()[..DISTINCT] {
        // Writing into a string cannot fail.
        let _ = write!(folder, "{byte:02x}");
    }
    folder
}

/// True where a path below the folder of files leads to what was spoken, however it is spelled; some file systems do
/// not tell capitals.
pub(super) fn is_below(path: &Path) -> bool {
    let mut names = path.components().filter(|part| *part != Component::CurDir);
    names
        .next()
        .is_some_and(|first| first.as_os_str().eq_ignore_ascii_case(SPOKEN))
}

/// True for the path, below the folder of files, of a file that Foldback itself made to be sent. Its folder depends on
/// the journal, and its name on the turn's number.
pub fn is_own_file(path: &str) -> bool {
    path.strip_prefix(SPOKEN)
        .is_some_and(|below| below.starts_with('/'))
}

impl SendDir {
    /// Puts what was spoken where it can be sent from. It stays there until [`Self::delete_spent`].
    pub fn put_spoken(&self, name: &str, bytes: &[u8], can: &Capabilities) -> Result<Sendable, FileRefusal> {
        self.put(name, bytes, size_limit(can, FileKind::Audio))
    }

    /// Puts the rest of an answer where it can be sent from. It stays there until [`Self::delete_spent`].
    pub fn put_rest(&self, name: &str, bytes: &[u8], can: &Capabilities) -> Result<Sendable, FileRefusal> {
        self.put(name, bytes, size_limit(can, FileKind::File))
    }

    fn put(&self, name: &str, bytes: &[u8], most: u64) -> Result<Sendable, FileRefusal> {
        let size = bytes.len() as u64;
        self.folder.check_size(name, size)?;
        check_size(name, size, most, "the channel's limit")?;
        let identity = self.folder.put(&self.spoken, name, bytes)?;
        Ok(Sendable {
            relative: format!("{}/{name}", self.spoken),
            size,
            identity: Some(identity),
        })
    }

    /// An operation has its outcome, or will never have one: what was made for it is deleted.
    pub fn delete_spent(&self, operation: &Operation) {
        let (Operation::SendVoice { path, checked, .. } | Operation::SendFile { path, checked, .. }) =
            operation
        else {
            return;
        };
        if is_own_file(path)
            && let Err(error) = self.folder.remove(path, *checked)
        {
            // The next start looks again.
            tracing::warn!(%path, %error, "what was spoken is not deleted");
        }
    }

    /// Deletes what was spoken for operations of this journal that are no more: a process ended between the two. `open`
    /// are those that are. Of what an older version left, which may be another journal's, only what is old goes.
    pub fn sweep_spoken<'a>(&self, open: impl Iterator<Item = &'a Operation>) {
        let waits: Vec<&str> = open
            .filter_map(|operation| match operation {
                Operation::SendVoice { path, .. } | Operation::SendFile { path, .. } => Some(path.as_str()),
                _ => None,
            })
            .collect();
        let is_open = |left: &Left| waits.contains(&left.path.as_str());
        let ours = self.folder.sweep(&self.spoken, is_open);
        let anybodys = self
            .folder
            .sweep(SPOKEN, |left| is_open(left) || left.age < WAITED_FOR);
        if let Err(error) = ours.and(anybodys) {
            tracing::warn!(%error, "what was spoken before is not deleted");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{config::FilesConfig, rules::Rules};
    use foldback_channels::{platform, profile};
    use std::{
        fs::{self, File},
        time::SystemTime,
    };

    fn files(dir: &Path, journal: &str) -> SendDir {
        let config = FilesConfig::default();
        SendDir::new(&config, dir, None, Some(Path::new(journal)), Rules::all())
    }

    fn speak(files: &SendDir, name: &str) -> String {
        let can = profile(platform::WHATSAPP);
        files.put_spoken(name, b"OggS", &can).unwrap().relative
    }

    fn voice(path: &str) -> Operation {
        Operation::SendVoice {
            path: path.to_owned(),
            text: "x".to_owned(),
            reply_to: None,
            checked: None,
            flags: foldback_wire::MessageFlags::default(),
        }
    }

    #[test]
    fn it_is_nobodys_to_send_however_its_path_is_spelled() {
        let dir = tempfile::tempdir().unwrap();
        let files = files(dir.path(), "/j");
        let spoken = speak(&files, "7.ogg");
        let absolute = files.root().join(&spoken);
        let can = profile(platform::WHATSAPP);
        let check = |path: &str| files.check(path, FileKind::File, &can);
        for path in [
            &spoken,
            &format!("./{spoken}"),
            ".voice/7.ogg",
            ".//./.voice/./7.ogg",
            ".VOICE/7.ogg",
            absolute.to_str().unwrap(),
        ] {
            assert!(matches!(check(path), Err(FileRefusal::Spoken { .. })), "{path}");
        }
        fs::write(files.root().join(".voices"), "mine").unwrap();
        assert_eq!(check(".voices").unwrap().relative, ".voices");
    }

    #[test]
    fn each_journal_sweeps_what_is_its_own() {
        let dir = tempfile::tempdir().unwrap();
        let (one, other) = (files(dir.path(), "/one"), files(dir.path(), "/other"));
        let waits = speak(&other, "3.ogg");
        let (open, left) = (speak(&one, "1.ogg"), speak(&one, "2.ogg"));
        one.sweep_spoken([voice(&open)].iter());
        let is_there = |path: &str| one.root().join(path).exists();
        assert!(is_there(&waits), "nobody asked the journal that knows of it");
        assert_eq!((is_there(&open), is_there(&left)), (true, false));
        other.delete_spent(&voice(&waits));
        assert!(!is_there(&waits));
    }

    #[test]
    fn what_an_older_version_left_goes_when_nobody_can_wait_for_it_any_more() {
        let dir = tempfile::tempdir().unwrap();
        let files = files(dir.path(), "/j");
        speak(&files, "1.ogg");
        let put = |name: &str, written: SystemTime| {
            let file = File::create(files.root().join(SPOKEN).join(name)).unwrap();
            file.set_modified(written).unwrap();
        };
        let long_ago = SystemTime::now() - WAITED_FOR - Duration::from_mins(1);
        put("open.ogg", long_ago);
        put("left.ogg", long_ago);
        put("young.ogg", SystemTime::now());
        files.sweep_spoken([voice(".voice/open.ogg")].iter());
        let is_there = |name: &str| files.root().join(SPOKEN).join(name).exists();
        assert_eq!(
            ["open.ogg", "left.ogg", "young.ogg"].map(is_there),
            [true, false, true]
        );
        files.delete_spent(&voice(".voice/open.ogg"));
        assert!(!is_there("open.ogg"));
    }
}
