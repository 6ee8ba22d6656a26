//! Speech, and the sound of what was spoken, kept beside the journal: the file that is sent is gone with its outcome,
//! and a person who looks at the turn later wants to hear it.

use foldback_agents::speech::{Speaker, Transcriber};
use ring::digest::{SHA256, digest};
use std::{
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

/// Ending of a kept file.
const ENDING: &str = "ogg";
/// Letters of a name: a SHA-256 in hexadecimal.
const NAME: usize = 64;

/// Speech and transcription.
#[derive(Clone, Default)]
pub struct Speech {
    /// The output of a voice directive.
    pub output: VoiceOutput,
    /// Writes voice messages down; `None` where transcription is not configured.
    pub transcriber: Option<Arc<Transcriber>>,
    /// The folder in which what was spoken is kept; `None` where nothing is.
    pub voices: Option<Voices>,
}

/// The output of a voice directive.
#[derive(Clone, Default)]
pub enum VoiceOutput {
    /// Nothing: speech is not configured.
    #[default]
    Off,
    /// It is spoken.
    Speaker(Speaker),
    /// It is shown as a voice note without a sound and without a file, at most so many characters: a preview.
    Preview(usize),
}

/// A folder of spoken sound, each file named by what is in it.
#[derive(Debug, Clone)]
pub struct Voices {
    folder: PathBuf,
    most: u64,
    keeping: Arc<Mutex<()>>,
}

impl Voices {
    /// A folder that holds at most `most` bytes. It is made when something is kept.
    pub fn new(folder: impl Into<PathBuf>, most: u64) -> Self {
        Self {
            folder: folder.into(),
            most,
            keeping: Arc::default(),
        }
    }

    /// Keeps a sound, gives up the oldest ones where it gets too much, and answers its name. `None` where it alone is
    /// too much.
    pub fn keep_sound(&self, bytes: &[u8]) -> io::Result<Option<String>> {
        if bytes.len() as u64 > self.most {
            return Ok(None);
        }
        let mut name = String::with_capacity(NAME);
        for byte in digest(&SHA256, bytes).as_ref() {
            // Writing into a string cannot fail.
            let _ = write!(name, "{byte:02x}");
        }
        // Two conversations may say the same at once.
        let _alone = self.keeping.lock().unwrap_or_else(PoisonError::into_inner);
        fs::create_dir_all(&self.folder)?;
        let path = self.path(&name);
        // Complete or not there, whenever the process ends.
        let begun = path.with_extension("part");
        fs::write(&begun, bytes)?;
        fs::rename(&begun, &path)?;
        self.shrink(&path)?;
        Ok(Some(name))
    }

    /// The sound of this name; `None` where it is not kept (any more).
    pub fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        // Whatever a caller writes: a name leads to no other file.
        if name.len() != NAME || !name.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Ok(None);
        }
        match fs::read(self.path(name)) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name).with_extension(ENDING)
    }

    /// Deletes the oldest files until the rest fits; `newest` stays.
    fn shrink(&self, newest: &Path) -> io::Result<()> {
        let mut files: Vec<(SystemTime, PathBuf, u64)> = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let meta = entry.metadata()?;
            if meta.is_file() && entry.path() != newest {
                files.push((meta.modified()?, entry.path(), meta.len()));
            }
        }
        files.sort();
        let mut total = fs::metadata(newest)?.len() + files.iter().map(|(_, _, size)| size).sum::<u64>();
        for (_, path, size) in files {
            if total <= self.most {
                break;
            }
            fs::remove_file(path)?;
            total -= size;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_found_until_it_is_too_much() {
        let dir = tempfile::tempdir().unwrap();
        let voices = Voices::new(dir.path().join("voices"), 10);
        let first = voices.keep_sound(b"12345").unwrap().unwrap();
        assert_eq!(
            voices.keep_sound(b"12345").unwrap().as_ref(),
            Some(&first),
            "one sound, one file"
        );
        let second = voices.keep_sound(b"67890").unwrap().unwrap();
        assert_eq!(voices.read(&first).unwrap().as_deref(), Some(&b"12345"[..]));
        let old = fs::File::options()
            .append(true)
            .open(voices.path(&first))
            .unwrap();
        old.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        let third = voices.keep_sound(b"abc").unwrap().unwrap();
        assert_eq!(voices.read(&first).unwrap(), None);
        assert!(voices.read(&second).unwrap().is_some() && voices.read(&third).unwrap().is_some());
        assert_eq!(voices.keep_sound(b"12345678901").unwrap(), None);
    }

    #[test]
    fn many_conversations_keep_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let voices = Voices::new(dir.path().join("voices"), 20);
        std::thread::scope(|threads| {
            for n in 0..8 {
                let voices = voices.clone();
                threads.spawn(move || {
                    for round in 0..50 {
                        voices
                            .keep_sound(format!("{}", (n + round) % 7 + 10).as_bytes())
                            .unwrap()
                            .unwrap();
                    }
                });
            }
        });
        let left = fs::read_dir(dir.path().join("voices")).unwrap();
        assert!(left.count() <= 10);
    }

    #[test]
    fn a_name_leads_to_no_other_file() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("secret.ogg"), "s").unwrap();
        let voices = Voices::new(dir.path().join("voices"), 10);
        for name in ["../secret", "secret", "", &"/".repeat(64), &"a".repeat(64)] {
            assert_eq!(voices.read(name).unwrap(), None, "{name}");
        }
    }
}
