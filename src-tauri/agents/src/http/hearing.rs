//! One answer as it is heard: what it says so far, how it ended, and what of it is remembered.

use super::{answer::Answer, failure::Failure, protocol::Reader};
use crate::{Step, emitter::Interrupt};
use foldback_wire::{AgentFault, StopReason, Usage};

/// One answer under way.
pub(super) struct Hearing {
    pub(super) reader: Box<dyn Reader>,
    pub(super) answer: Answer,
    /// The beginning of what came first, as long as nothing was of this protocol.
    strange: Option<String>,
}

/// Bytes of an answer in another protocol that are told.
const STRANGE_BYTES: usize = 120;

impl Hearing {
    pub(super) fn new(reader: Box<dyn Reader>, answer: Answer) -> Self {
        Self {
            reader,
            answer,
            strange: None,
        }
    }

    /// Reads the data of an event.
    pub(super) fn read(&mut self, data: &[u8]) -> Result<bool, Failure> {
        let done = self.reader.read(data, &mut self.answer);
        let aside = self.answer.take_aside();
        if self.answer.is_recognised() {
            self.strange = None;
        } else if self.strange.is_none() && !aside {
            let first = &data[..data.len().min(STRANGE_BYTES)];
            self.strange = Some(String::from_utf8_lossy(first).into_owned());
        }
        done
    }

    /// The end, well or not: what was still open.
    pub(super) fn close(&mut self) {
        // The rest that does not fit is cut off; why the answer ended is known.
        let _ = self.reader.close(&mut self.answer);
        self.answer.close();
    }

    /// A good answer of another protocol is none: nobody would learn why there was no response.
    fn unrecognised(&self) -> Option<Failure> {
        let first = self.strange.as_ref()?;
        let detail = format!("nothing in the answer is of this protocol; it begins with {first}");
        Some(Failure::lasting(AgentFault::Malformed, detail))
    }

    /// The end that the backend told. A good one behind nothing that was understood is none; that the model refused, or
    /// that its length was used up, tells why there is no word.
    fn ended(&self) -> Option<Result<StopReason, Failure>> {
        let ended = self.answer.ended()?;
        let strange = self.unrecognised().filter(|_| ended == Ok(StopReason::End));
        Some(strange.map_or(ended, Err))
    }

    /// An answer of no event is a good one only where the protocol has it.
    fn empty(&self) -> Option<Failure> {
        let empty = !self.answer.is_recognised() && !self.reader.may_be_empty();
        empty.then(|| Failure::lasting(AgentFault::Malformed, "nothing in the answer is of this protocol"))
    }

    /// The end of an answer that the backend called complete.
    pub(super) fn end(&self) -> Result<StopReason, Broken> {
        let silent = self.unrecognised().or_else(|| self.empty());
        Ok(self.ended().unwrap_or(silent.map_or(Ok(StopReason::End), Err))?)
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
        let failure = match broken.fault {
            AgentFault::Disconnected => self.unrecognised().unwrap_or(broken),
            _ => broken,
        };
        Ok(self.ended().unwrap_or(Err(failure))?)
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
    /// Tokens of the run, where the backend counted them.
    pub(super) usage: Option<Usage>,
    limit: usize,
    interrupted: bool,
}

impl Reply {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            text: String::new(),
            usage: None,
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
            Step::Usage(usage) => self.usage = Some(*usage),
            _ => {}
        }
    }
}
