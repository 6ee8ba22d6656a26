//! One question outside of every conversation, and its whole answer.

use super::{HttpAgent, ask::Ask, history::Remembered, turn::Turn};
use crate::{
    AgentFile, Step,
    emitter::{Emitter, Interrupt},
};
use foldback_wire::{AgentFault, RunId, StopReason, Usage};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Steps that the answer may be ahead of what is read.
const AHEAD: usize = 16;

/// The question.
pub(super) struct Question<'a> {
    /// The model that is asked.
    pub(super) model: &'a str,
    pub(super) text: &'a str,
    /// Pictures, within the bounds of the protocols.
    pub(super) pictures: &'a [AgentFile],
    /// Most bytes of the answer that are kept.
    pub(super) most: usize,
}

/// The answer.
pub(super) struct WholeAnswer {
    /// Its text without white space around it, within the bound; never empty.
    pub(super) text: String,
    /// Bytes that came: where it was longer than the bound, at least one more.
    pub(super) bytes: usize,
    /// True where the model was not done when its answer ended.
    pub(super) is_unfinished: bool,
    pub(super) usage: Option<Usage>,
}

/// Reason for which there is no answer.
pub(super) enum NoAnswer {
    Cancelled,
    /// The model refused.
    Refused,
    /// It said nothing.
    Empty,
    Failed {
        fault: AgentFault,
        detail: String,
    },
}

impl HttpAgent {
    /// Asks once. Nothing of it is remembered.
    pub(super) async fn ask_once(
        &self,
        question: Question<'_>,
        cancel: &CancellationToken,
    ) -> Result<WholeAnswer, NoAnswer> {
        let Question {
            model,
            text,
            pictures,
            most,
        } = question;
        let (sink, mut steps) = mpsc::channel(AHEAD);
        let asking = async move {
            // Its steps reach nobody but this function.
            let out = Emitter::new(RunId(0), sink, cancel.clone());
            let ask = Ask::new(model, Remembered::default(), text, pictures);
            Turn::new(self, &out, None, None).run(self.body(&ask, None)).await
        };
        let hearing = async {
            let (mut text, mut usage, mut bytes) = (String::new(), None, 0);
            while let Some(event) = steps.recv().await {
                match event.step {
                    Step::Text { text: piece, .. } => {
                        bytes += piece.len();
                        if text.len() <= most {
                            text.push_str(&piece);
                        }
                    }
                    Step::Usage(used) => usage = Some(used),
                    _ => {}
                }
            }
            (text, usage, bytes)
        };
        let (ended, (mut text, usage, bytes)) = tokio::join!(asking, hearing);
        let is_unfinished = match ended {
            Ok(StopReason::End) => false,
            Ok(StopReason::Length) => true,
            Ok(StopReason::Cancelled) | Err(Interrupt::Cancelled | Interrupt::Closed) => {
                return Err(NoAnswer::Cancelled);
            }
            Ok(StopReason::Refusal | StopReason::Error) => return Err(NoAnswer::Refused),
            Err(Interrupt::Failed { fault, detail }) => return Err(NoAnswer::Failed { fault, detail }),
        };
        text.truncate(text.floor_char_boundary(most));
        let text = text.trim();
        if text.is_empty() {
            return Err(NoAnswer::Empty);
        }
        Ok(WholeAnswer {
            text: text.to_owned(),
            bytes,
            is_unfinished,
            usage,
        })
    }
}
