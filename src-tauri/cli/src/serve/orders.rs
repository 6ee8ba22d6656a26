//! Commands on stdin: the contract of the window, for scripts.

use crate::{
    end::{Stop, json_line, stdout},
    running::wrong,
};
use foldback_api::{Backend, call};
use foldback_wire::rpc::Failure;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{
    io::{self, BufRead as _, Write as _},
    thread,
};
use tokio::sync::mpsc;

/// Commands that may wait.
const AHEAD: usize = 64;

/// A command as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Order {
    /// Comes back with the answer.
    #[serde(default)]
    id: Value,
    command: String,
    #[serde(default = "nothing")]
    args: Value,
}

fn nothing() -> Value {
    Value::Object(serde_json::Map::new())
}

/// What came of it.
#[derive(Serialize)]
struct Reply {
    id: Value,
    #[serde(flatten)]
    came: Came,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Came {
    Answer(Value),
    Failure(Failure),
}

/// Obeys what stdin says, for ever: its end is no order to end. Answers with what made that impossible.
pub(crate) async fn obey(backend: &Backend, wanted: bool) -> Stop {
    if wanted && let Err(stop) = obey_all(backend, lines()).await {
        return stop;
    }
    std::future::pending().await
}

/// The lines of stdin. A thread of its own reads them: such a read cannot be called off.
fn lines() -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::channel(AHEAD);
    thread::spawn(move || {
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            if sender.blocking_send(line).is_err() {
                return;
            }
        }
    });
    lines
}

async fn obey_all(backend: &Backend, mut lines: mpsc::Receiver<String>) -> Result<(), Stop> {
    while let Some(line) = lines.recv().await {
        if line.trim().is_empty() {
            continue;
        }
        let reply = match serde_json::from_str::<Order>(&line) {
            Ok(Order { id, command, args }) => {
                let came = call(backend, &command, args).await;
                let came = came.map_or_else(Came::Failure, Came::Answer);
                Reply { id, came }
            }
            Err(error) => Reply {
                id: Value::Null,
                came: Came::Failure(Failure {
                    code: "bad_command".to_owned(),
                    message: format!("This line is no command: {error}."),
                    hint: None,
                }),
            },
        };
        let printing = move || {
            let mut out = stdout();
            json_line(&mut out, &reply)?;
            Ok::<_, Stop>(out.flush()?)
        };
        tokio::task::spawn_blocking(printing).await.map_err(wrong)??;
    }
    Ok(())
}
