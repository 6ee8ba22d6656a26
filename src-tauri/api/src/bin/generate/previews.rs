//! What every channel shows of the texts in `fixtures/previews`: the golden files that the previews, and the window
//! that draws them, are held to.

use foldback_api::{Backend, Setup, call, typescript::File};
use foldback_pipeline::{SeededRng, TokioClock};
use foldback_store::MemoryJournal;
use foldback_wire::{Actor, Timestamp, rpc::ComposeResult};
use serde_json::json;
use std::{error::Error, fs, path::Path, sync::Arc};
use tokio::runtime;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A text and the name of what is made of it.
macro_rules! texts {
    ($($name:literal),+ $(,)?) => {
        &[$((
            concat!($name, ".json"),
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/previews/", $name, ".md")),
        )),+]
    };
}

const TEXTS: &[(&str, &str)] = texts![
    "code",
    "emphasis",
    "escapes",
    "file",
    "headings",
    "hostile",
    "links",
    "lists",
    "quote",
    "reactions",
    "reply",
    "silent",
    "split",
    "long-table",
    "table",
    "unicode",
    "voice",
];

/// What the person wrote before each of them.
const QUESTION: &str = "How was my talk?";

/// The golden files.
pub(crate) fn files() -> Result<Vec<File>> {
    let folder = tempfile::tempdir()?;
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()?;
    runtime.block_on(all(folder.path()))
}

async fn all(folder: &Path) -> Result<Vec<File>> {
    let outbound = folder.join("data/outbound");
    fs::create_dir_all(&outbound)?;
    fs::write(outbound.join("route.png"), "PNG")?;
    let mut setup = Setup::embedded(folder.to_owned(), folder.join("fixtures"), Actor::Console);
    setup.demo = false;
    setup.clock = Arc::new(TokioClock::at(Timestamp(0)));
    setup.rng = Arc::new(SeededRng::new(1));
    setup.journal = Some(Arc::new(MemoryJournal::new()));
    let backend = Backend::open(setup).await?;
    let mut files = Vec::new();
    for (name, text) in TEXTS {
        let args = json!({ "user_text": QUESTION, "agent_output": text, "channels": [] });
        let answer = call(&backend, "compose", args)
            .await
            .map_err(|failure| failure.message)?;
        let ComposeResult { previews, rulers, .. } = serde_json::from_value(answer)?;
        let shown = json!({ "previews": previews, "rulers": rulers });
        files.push(File {
            name,
            text: serde_json::to_string_pretty(&shown)? + "\n",
        });
    }
    Ok(files)
}
