//! Where a session stands, in a file, so that the next process resumes it. What the file lags behind comes in again, and
//! the pipeline recognises it; a file that is missing or damaged costs what was written while nobody was there.

use super::api::Api;
use super::session::Progress;
use ring::digest::{Context, SHA256};
use serenity::model::gateway::GatewayIntents;
use std::fmt::Write as _;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use tokio::fs;

/// Bytes of a digest that tell bookmarks apart.
const DISTINCT: usize = 8;

/// The file of one bot.
#[derive(Debug)]
pub(super) struct Bookmark(PathBuf);

impl Bookmark {
    /// Named by what a session belongs to: the bot, the server, what the bot asked to be told, and the journal that has
    /// what came before. Another of these finds none.
    pub(super) fn of(api: &Api, intents: GatewayIntents, folder: &Path, journal: Option<&Path>) -> Self {
        let mut of = Context::new(&SHA256);
        of.update(api.token().expose().as_bytes());
        of.update(api.root().as_str().as_bytes());
        of.update(&intents.bits().to_le_bytes());
        if let Some(journal) = journal {
            of.update(journal.as_os_str().as_encoded_bytes());
        }
        let mut name = "discord-".to_owned();
        for byte in &of.finish().as_ref()[..DISTINCT] {
            // Writing into a string cannot fail.
            let _ = write!(name, "{byte:02x}");
        }
        Self(folder.join(name).with_extension("json"))
    }

    /// Where the last process left.
    pub(super) fn read(&self) -> Option<Progress> {
        let read = std::fs::read(&self.0).and_then(|text| Ok(serde_json::from_slice(&text)?));
        match read {
            Ok(progress) => Some(progress),
            Err(error) => {
                if error.kind() != ErrorKind::NotFound {
                    self.warn(&error);
                }
                None
            }
        }
    }

    pub(super) async fn write(&self, progress: &Progress) {
        if let Err(error) = self.replace(progress).await {
            self.warn(&error);
        }
    }

    /// Complete or as it was, whenever the process ends.
    async fn replace(&self, progress: &Progress) -> io::Result<()> {
        let begun = self.0.with_extension("part");
        fs::write(&begun, serde_json::to_vec(progress)?).await?;
        fs::rename(&begun, &self.0).await
    }

    fn warn(&self, error: &io::Error) {
        let file = self.0.display();
        tracing::warn!(%error, %file, "a restart will not find where the session of Discord stands");
    }
}
