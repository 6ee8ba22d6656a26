//! The history of a session that is taken up, and when it is told.

use super::{
    Done, Scripted,
    line::{tool, update},
};
use serde_json::{Value, json};
use std::{env, fs, path::Path, thread, time::Duration};

/// Behind every piece of a history that comes late.
const PAUSE: Duration = Duration::from_millis(20);

/// When the history is told.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Replay {
    /// Before the answer to `session/load`, as the protocol has it.
    First,
    /// Right after the answer, piece by piece, as gemini-cli does.
    Late,
    /// Right after the answer, with a pause in the middle of an old answer: once the first half was heard there is a file
    /// `replayed`; the rest waits for a file `answer`.
    Paused,
    /// After the first prompt has come, with an old question that holds words of the prompt.
    Interleaved,
    /// Right after the answer, again and again. Once it was told there is a file `replayed`.
    Endless,
}

impl Replay {
    /// As the variable `REPLAY` says.
    pub(super) fn from_env() -> Self {
        match env::var("REPLAY").as_deref() {
            Ok("late") => Self::Late,
            Ok("paused") => Self::Paused,
            Ok("interleaved") => Self::Interleaved,
            Ok("endless") => Self::Endless,
            _ => Self::First,
        }
    }
}

impl Scripted {
    /// Takes a session up.
    pub(super) fn load(&mut self, id: &Value, session: &Value) -> Done {
        if self.replay == Replay::First {
            history(session, Duration::ZERO)?;
        }
        self.answer(id, &self.offer.told())?;
        match self.replay {
            Replay::First | Replay::Interleaved => Ok(()),
            Replay::Late => history(session, PAUSE),
            Replay::Paused => {
                said(session, "user_message_chunk", "asked before 0")?;
                said(session, "agent_message_chunk", "the first half,")?;
                self.ask("x/heard", &json!({}))?;
                fs::write("replayed", "")?;
                wait_for("answer");
                said(session, "agent_message_chunk", "and the rest of it.")?;
                history(session, PAUSE)
            }
            Replay::Endless => loop {
                history(session, PAUSE)?;
                fs::write("replayed", "")?;
            },
        }
    }

    /// Tells the history in the place of an answer. Once it was heard there is a file `replayed`; the answer waits for a
    /// file `answer`.
    pub(super) fn interleave(&mut self, session: &Value) -> Done {
        said(session, "user_message_chunk", "fresh")?;
        said(session, "agent_message_chunk", "answered before")?;
        history(session, Duration::ZERO)?;
        self.ask("x/heard", &json!({}))?;
        fs::write("replayed", "")?;
        wait_for("answer");
        Ok(())
    }
}

/// Waits for a file in its folder.
pub(super) fn wait_for(file: &str) {
    while !Path::new(file).exists() {
        thread::sleep(Duration::from_millis(5));
    }
}

/// A piece of an old question, or of an old answer.
fn said(session: &Value, kind: &str, text: &str) -> Done {
    let piece = json!({"sessionUpdate": kind, "content": {"type": "text", "text": text}});
    update(session, &piece)
}

/// Six questions with their answers, one of them with a tool, and a pause behind every piece.
fn history(session: &Value, pause: Duration) -> Done {
    for number in 1..=6 {
        let answer = format!("<actions><react emoji=\"thumbsup\" /></actions>said before {number}");
        for (kind, text) in [
            ("user_message_chunk", format!("asked before {number}")),
            ("agent_thought_chunk", format!("thought before {number}")),
            ("agent_message_chunk", answer),
        ] {
            said(session, kind, &text)?;
            thread::sleep(pause);
        }
    }
    let done = json!({"title": "build before", "status": "completed"});
    tool(session, "tool_call", "b1", done)
}
