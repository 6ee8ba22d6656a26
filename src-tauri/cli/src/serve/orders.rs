//! Commands on stdin: the contract of the window, for scripts.

use crate::{
    end::{Stop, complain, json_line, stdout},
    input::STDIN,
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

/// The lines of stdin, as bytes: one that is not UTF-8 is answered like any other that is no command. A thread of
/// its own reads them: such a read cannot be called off.
fn lines() -> mpsc::Receiver<Vec<u8>> {
    let (sender, lines) = mpsc::channel(AHEAD);
    thread::spawn(move || {
        for line in io::stdin().lock().split(b'\n') {
            match line.map(|line| sender.blocking_send(line)) {
                Ok(Ok(())) => {}
                Ok(Err(_)) => return,
                Err(error) => {
                    complain(format_args!("{STDIN}: {error}; no more commands are read"));
                    return;
                }
            }
        }
    });
    lines
}

async fn obey_all(backend: &Backend, mut lines: mpsc::Receiver<Vec<u8>>) -> Result<(), Stop> {
    while let Some(line) = lines.recv().await {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let reply = match read(&line) {
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

/// The command that a line says, or why it says none.
fn read(line: &[u8]) -> Result<Order, String> {
    let text =
        str::from_utf8(line).map_err(|error| format!("it is not UTF-8 at byte {}", error.valid_up_to()))?;
    serde_json::from_str(text).map_err(|error| error.to_string())
}
