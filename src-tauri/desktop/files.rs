//! Files from outside of the page: those that a person drags over the window, and those chosen in the system's dialog.

use foldback_wire::rpc::Failure;
use serde::Serialize;
use std::{
    path::Path,
    sync::{Mutex, PoisonError},
};
use tauri::{DragDropEvent, State, WebviewWindow, async_runtime, ipc::Channel};

/// What happens to files that are dragged over the window.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub(crate) enum FileDrag {
    /// They are over it.
    Over,
    /// They have left it.
    Left,
    /// They were let go.
    Dropped { paths: Vec<String> },
}

/// Whoever hears of dragged files.
#[derive(Default)]
pub(crate) struct Drags(Mutex<Vec<Channel<FileDrag>>>);

impl Drags {
    /// A page is gone, and with it whoever heard.
    pub(crate) fn forget_page(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Tells the page what happens to files.
    pub(crate) fn tell(&self, event: &DragDropEvent) {
        let drag = match event {
            DragDropEvent::Enter { .. } => FileDrag::Over,
            DragDropEvent::Drop { paths, .. } => FileDrag::Dropped {
                paths: paths.iter().map(|path| named(path)).collect(),
            },
            DragDropEvent::Leave => FileDrag::Left,
            _ => return,
        };
        let mut hearing = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        hearing.retain(|channel| channel.send(drag.clone()).is_ok());
    }
}

/// Lets the page hear of dragged files, until it is gone.
#[tauri::command]
#[expect(
    clippy::needless_pass_by_value,
    reason = "a command is given its state by value"
)]
pub(crate) fn hear_drags(drags: State<'_, Drags>, channel: Channel<FileDrag>) {
    let mut hearing = drags.0.lock().unwrap_or_else(PoisonError::into_inner);
    hearing.push(channel);
}

/// Asks for files in the system's dialog; none where the person chose none.
#[tauri::command]
pub(crate) async fn choose_files(window: WebviewWindow) -> Result<Vec<String>, Failure> {
    let (to, chosen) = tokio::sync::oneshot::channel();
    let parent = window.clone();
    let asked = window.run_on_main_thread(move || {
        let dialog = rfd::AsyncFileDialog::new()
            .set_title("Open a file")
            .set_parent(&parent)
            .pick_files();
        async_runtime::spawn(async move {
            let files = dialog.await.unwrap_or_default();
            // An error means that nobody waits any more: the page is gone.
            let _ = to.send(files.iter().map(|file| named(file.path())).collect());
        });
    });
    asked.map_err(|error| Failure {
        code: "no_dialog".to_owned(),
        message: format!("The system's dialog does not open: {error}."),
        hint: Some("Write the path instead.".to_owned()),
    })?;
    Ok(chosen.await.unwrap_or_default())
}

fn named(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
