//! Files that people send to the bot on a simulated platform.

use crate::Refusal;
use foldback_wire::RefusalCode;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// Bytes of files a platform keeps; older ones are gone.
const KEPT: usize = 64_000_000;

/// A file as somebody sent it.
#[derive(Debug, Clone, Default)]
pub struct SimFile {
    /// What is in it.
    pub bytes: Arc<[u8]>,
    /// How long it takes to fetch.
    pub takes: Duration,
    /// How fetching it is refused.
    pub refused: Option<RefusalCode>,
}

/// The files of a platform, by their handles.
#[derive(Debug, Default)]
pub(super) struct Files {
    kept: VecDeque<(String, SimFile)>,
    given: u64,
    bytes: usize,
}

impl Files {
    /// Keeps a file; gives its handle.
    pub(super) fn keep(&mut self, file: SimFile) -> String {
        self.given += 1;
        let handle = format!("file-{}", self.given);
        self.bytes += file.bytes.len();
        self.kept.push_back((handle.clone(), file));
        while self.bytes > KEPT
            && let Some((_, old)) = self.kept.pop_front()
        {
            self.bytes -= old.bytes.len();
        }
        handle
    }

    pub(super) fn get(&self, handle: &str) -> Result<SimFile, Refusal> {
        let found = self.kept.iter().find(|(known, _)| known == handle);
        let (_, file) = found
            .ok_or_else(|| Refusal::new(RefusalCode::Gone, format!("there is no file {handle} any more")))?;
        Ok(file.clone())
    }
}

impl SimFile {
    /// The bytes, as far as they are handed over.
    pub(crate) fn read(&self, limit: u64) -> Result<Vec<u8>, Refusal> {
        match self.refused {
            Some(code) => Err(Refusal::new(code, "as planned")),
            None if self.bytes.len() as u64 > limit => Err(Refusal::too_large(limit)),
            None => Ok(self.bytes.to_vec()),
        }
    }
}

impl From<Vec<u8>> for SimFile {
    fn from(bytes: Vec<u8>) -> Self {
        Self {
            bytes: bytes.into(),
            ..Self::default()
        }
    }
}
