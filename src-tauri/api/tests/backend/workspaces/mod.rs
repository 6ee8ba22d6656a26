//! Files opened beside the live bot: what comes in is what `foldback import` reads, it is marked as replayed, and the
//! live bot and its journal have no part in it. Time is real here: a journal in a file knows no other.

mod looking;
mod recordings;
mod refusals;
mod requests;
mod samples;

use crate::host::Host;
use foldback_api::{Backend, call};
use foldback_wire::rpc::{Frame, Push, Topic, TurnSummary, ViewOpened, Workspace};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

fn sample(name: &str) -> String {
    let path = fixtures().join("transcripts").join(name);
    path.to_string_lossy().into_owned()
}

fn files(paths: &[&str]) -> Value {
    json!({"source": {"of": "files", "paths": paths, "bot": null}})
}

impl Host {
    async fn open_file(&self, path: &str) -> Workspace {
        self.call("workspace_open", files(&[path])).await
    }

    async fn refusal(&self, path: &Path) -> String {
        let name = path.to_string_lossy();
        let (code, message, _) = self.failure("workspace_open", files(&[&name])).await;
        assert_eq!(code, "cannot_open", "{message}");
        message
    }

    fn file(&self, of: &Workspace) -> Backend {
        self.backend.workspace(of.workspace).unwrap()
    }
}

async fn ask<R: DeserializeOwned>(backend: &Backend, name: &str, args: Value) -> R {
    serde_json::from_value(call(backend, name, args).await.unwrap()).unwrap()
}

async fn turns(backend: &Backend) -> Vec<TurnSummary> {
    let mut turns: Vec<TurnSummary> = ask(backend, "turns", json!({"before": null, "limit": 500})).await;
    turns.reverse();
    turns
}

/// How many rows a view has.
async fn rows(backend: &Backend, filter: &str) -> u64 {
    let ViewOpened { view } = ask(backend, "view_open", json!({"filter": filter})).await;
    let mut frames = backend.subscribe(&Topic::View { view }).unwrap();
    let args = json!({"view": view, "first": 0, "count": 5, "follow": false});
    let _: Value = ask(backend, "view_window", args).await;
    loop {
        let Some(Push::Frame { frame }) = frames.next().await else {
            panic!("no frame");
        };
        let Frame {
            length,
            scanning,
            serial,
            ..
        } = frame;
        if !scanning {
            return length;
        }
        let _: Value = ask(backend, "view_ack", json!({"view": view, "serial": serial})).await;
    }
}
