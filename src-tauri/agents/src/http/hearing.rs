//! One answer as it is heard: what it says so far, how it ended, and what of it is remembered.

use super::{answer::Answer, failure::Failure, protocol::Reader};
use crate::{Step, emitter::Interrupt};
use foldback_wire::{AgentFault, StopReason};

/// One answer under way.
pub(super) struct Hearing {
    pub(super) reader: Box<dyn Reader>,
    pub(super) answer: Answer,
}

impl Hearing {
    /// The end of an answer that the backend called complete.
    pub(super) fn end(&self) -> Result<StopReason, Broken> {
        Ok(self.answer.ended().unwrap_or(Ok(StopReason::End))?)
    }

    /// Whether the backend's own run has ended: it said so. What we did not understand, or did not wait for, it goes
    /// on saying.
    pub(super) fn is_over(&self, ended: &Result<StopReason, Broken>) -> bool {
        use AgentFault::{Disconnected, Malformed, Timeout, TooLarge};
        let left = match ended {
            Ok(_) => false,
            Err(Broken::Interrupt(_)) => true,
            Err(Broken::Failure(failure)) => {
                matches!(failure.fault, Disconnected | Malformed | Timeout | TooLarge)
            }
        };
        !left || self.answer.ended().is_some()
    }

    /// A connection that breaks after the model's last word has done its work.
    pub(super) fn ended_or(&self, broken: Failure) -> Result<StopReason, Broken> {
        Ok(self.answer.ended().unwrap_or(Err(broken))?)
    }
}

/// Why an attempt ended early.
pub(super) enum Broken {
    Interrupt(Interrupt),
    Failure(Failure),
}

impl From<Interrupt> for Broken {
    fn from(interrupt: Interrupt) -> Self {
        Self::Interrupt(interrupt)
    }
}

impl From<Failure> for Broken {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

/// The reply as it will be remembered.
pub(super) struct Reply {
    pub(super) text: String,
    limit: usize,
    interrupted: bool,
}

impl Reply {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            text: String::new(),
            limit,
            interrupted: false,
        }
    }

    /// Keeps text up to the limit; one byte more shows the history that it does not fit.
    pub(super) fn take(&mut self, step: &Step) {
        match step {
            Step::Text { text, .. } if self.text.len() <= self.limit => {
                if std::mem::take(&mut self.interrupted) && !self.text.is_empty() {
                    self.text.push_str("\n\n");
                }
                let room = (self.limit + 1).saturating_sub(self.text.len());
                self.text.push_str(&text[..text.ceil_char_boundary(room)]);
            }
            Step::Tool(_) => self.interrupted = true,
            _ => {}
        }
    }
}
