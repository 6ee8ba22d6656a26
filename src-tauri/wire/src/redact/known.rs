//! The patterns of secrets, with the credentials that are known by value.

use crate::Secret;
use foldback_directives::redact::{Patterns, RedactSettings};
use std::{collections::BTreeSet, fmt::Write as _, sync::Arc};

/// The patterns, and what they are made from.
#[derive(Debug)]
pub(super) struct KnownSecrets {
    settings: RedactSettings,
    /// Credentials as they may be written.
    written: BTreeSet<String>,
    pub(super) patterns: Arc<Patterns>,
    /// Those for ids of messages, without phone numbers and e-mail addresses: some platforms make ids of those.
    pub(super) ids: Arc<Patterns>,
    /// The credentials alone.
    pub(super) own: Arc<Patterns>,
}

impl KnownSecrets {
    /// Of these settings and credentials.
    pub(super) fn of(settings: &RedactSettings, credentials: &[Secret]) -> Self {
        Self::new(settings, credentials.iter().flat_map(written).collect())
    }

    fn new(settings: &RedactSettings, written: BTreeSet<String>) -> Self {
        let texts: Vec<String> = written.iter().cloned().collect();
        let patterns = Patterns::knowing(settings, &texts);
        let ids = if settings.email || settings.phone {
            let settings = RedactSettings {
                email: false,
                phone: false,
                ..settings.clone()
            };
            Patterns::knowing(&settings, &texts)
        } else {
            Arc::clone(&patterns)
        };
        Self {
            own: Patterns::only(settings, &texts),
            settings: settings.clone(),
            written,
            patterns,
            ids,
        }
    }

    /// Only what the journal wrote for a secret.
    pub(super) fn masked() -> Self {
        let settings = RedactSettings::default();
        Self {
            own: Patterns::only(&settings, &[]),
            settings,
            written: BTreeSet::new(),
            patterns: Patterns::masked(),
            ids: Patterns::masked(),
        }
    }

    /// True where it knows all of these.
    pub(super) fn has(&self, credentials: &[Secret]) -> bool {
        let mut written = credentials.iter().flat_map(written);
        written.all(|text| self.written.contains(&text))
    }

    /// Everything that it knows, and these.
    pub(super) fn with(&self, credentials: &[Secret]) -> Self {
        let mut all = self.written.clone();
        all.extend(credentials.iter().flat_map(written));
        Self::new(&self.settings, all)
    }
}

/// A credential as it is, as it stands in JSON, and as in an address; and each of its lines, where it has several: a diff
/// has a sign before each.
fn written(credential: &Secret) -> Vec<String> {
    let plain = credential.expose();
    let json = serde_json::Value::from(plain).to_string();
    let in_address = plain.bytes().fold(String::new(), |mut out, byte| {
        // Writing to a String cannot fail.
        let _ = match byte {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'-' | b'.' | b'_' | b'~' => {
                write!(out, "{}", byte as char)
            }
            byte => write!(out, "%{byte:02X}"),
        };
        out
    });
    let mut texts = vec![plain.to_owned(), json[1..json.len() - 1].to_owned(), in_address];
    // The first and the last line of a key in PEM form are those of every other key.
    let lines = plain
        .lines()
        .map(str::trim)
        .filter(|line| !line.starts_with("-----"));
    texts.extend(lines.map(str::to_owned));
    texts
}
